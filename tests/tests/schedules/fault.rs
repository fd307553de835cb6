//! What goes wrong in a schedule, and when: all of it follows from the schedule's seed.

use simulator::Dice;

/// Something that goes wrong. Times in ms of the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A device's cable is pulled for so long; then it is plugged in again, perhaps at the other gateway.
    Cable { device: usize, long: i64, elsewhere: bool },
    /// A device is reset, with whatever it has not handed over.
    Reset { device: usize },
    /// Chunks on all serial lines are lost, doubled, flipped or cut, one in `one_in`, for so long.
    Noise { one_in: i64, long: i64 },
    /// `kill -9` of a gateway in whatever its disk was doing; it starts again after so long.
    GatewayKilled { gateway: usize, long: i64 },
    /// A gateway's process does not run for so long (SIGSTOP, a starved machine).
    GatewayPaused { gateway: usize, long: i64 },
    /// A gateway's disk takes nothing for so long (full, read-only).
    GatewayDisk { gateway: usize, long: i64 },
    /// The wall clock of a gateway is set by so much.
    GatewayClock { gateway: usize, by: i64 },
    /// Nothing passes between a gateway and the broker for so long.
    Partition { gateway: usize, long: i64 },
    /// The broker ends, with all it held, and starts again empty after so long.
    BrokerKilled { long: i64 },
    /// The broker loses, doubles or delays one message in `one_in`, for so long, acknowledged or not.
    BrokerLies { one_in: i64, long: i64 },
    /// `kill -9` of the server in the middle of its transactions; it starts again after so long.
    ServerKilled { long: i64 },
    /// The server's process does not run for so long.
    ServerPaused { long: i64 },
    /// The server's database takes so long with each transaction, for so long.
    SlowDatabase { each: i64, long: i64 },
    /// The server is ended and its database brought back to what it was `back` transactions ago, but not to before the
    /// round's start; it starts again after so long.
    Restored { back: usize, long: i64 },
}

/// A schedule: what goes wrong when.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// From which everything follows.
    pub seed: u64,
    /// In order of time.
    pub faults: Vec<(i64, Fault)>,
}

/// Faults begin within this span, ms.
const SPAN: (i64, i64) = (1_000, 45_000);

impl Schedule {
    /// The schedule of this seed.
    pub fn of(seed: u64, gateways: usize, devices: usize) -> Schedule {
        let mut dice = Dice::new(seed).branch(1);
        let count = dice.between(1, 7);
        let mut faults: Vec<(i64, Fault)> = (0..count)
            .map(|_| {
                let at = dice.between(SPAN.0, SPAN.1);
                (at, fault(&mut dice, gateways, devices))
            })
            .collect();
        faults.sort_by_key(|(at, _)| *at);
        Schedule { seed, faults }
    }

    /// Nothing goes wrong.
    pub fn calm(seed: u64) -> Schedule {
        Schedule { seed, faults: Vec::new() }
    }

    /// Only this goes wrong.
    pub fn only(seed: u64, at: i64, fault: Fault) -> Schedule {
        Schedule { seed, faults: vec![(at, fault)] }
    }
}

fn fault(dice: &mut Dice, gateways: usize, devices: usize) -> Fault {
    let gateway = dice.between(0, gateways as i64 - 1) as usize;
    let device = dice.between(0, devices as i64 - 1) as usize;
    // Most troubles are short, some are long.
    let long = if dice.chance(0.7) { dice.between(20, 4_000) } else { dice.between(4_000, 40_000) };
    match dice.between(0, 14) {
        0 => Fault::Cable { device, long, elsewhere: dice.chance(0.4) },
        1 => Fault::Noise { one_in: dice.between(2, 30), long },
        2 => Fault::GatewayKilled { gateway, long },
        3 => Fault::GatewayPaused { gateway, long },
        4 => Fault::GatewayDisk { gateway, long },
        5 => {
            // Behind by more than is corrected at once only in a test of its own: see the server's README.
            let by = if dice.chance(0.5) { dice.between(-4_000, 900) } else { dice.between(900, 3_600_000) };
            Fault::GatewayClock { gateway, by }
        }
        6 => Fault::Partition { gateway, long },
        7 => Fault::BrokerKilled { long },
        8 => Fault::BrokerLies { one_in: dice.between(2, 20), long },
        9 => Fault::ServerKilled { long },
        10 => Fault::ServerPaused { long },
        11 => Fault::SlowDatabase { each: dice.between(20, 2_000), long },
        12 | 13 => Fault::Reset { device },
        _ => Fault::Restored { back: dice.between(1, 60) as usize, long },
    }
}
