//! Seeded schedules of faults in virtual time: the real device, gateway and server code around models of lines, disks, a
//! broker and a database, in which everything goes wrong that can. Whatever goes wrong, in the end every record is stored
//! exactly once, each game is the one that was played, the journal folds to what was shown, and all of it comes to rest
//! by itself.
//!
//! `FAULT_SEED=17 cargo test -p tests --test schedules one` plays one schedule again and tells which of its faults are needed
//! for what goes wrong in it, with `FAULT_TRACE=1` also all that the server stores and sends; `FAULT_SEEDS=20000` asks for
//! more than the usual number.

#![allow(clippy::unwrap_used)] // A test may fall over.

mod broker;
mod fault;
mod gateway_box;
mod line;
mod server;
mod world;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use fault::{Fault, Schedule};
use world::{DEVICES, GATEWAYS, World};

/// Schedules that are tried each time.
const USUAL: u64 = 300;

/// A folder in memory, where there is one: what is tested is the order of writes, not the disk.
fn folder() -> tempfile::TempDir {
    let memory = PathBuf::from("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory).unwrap() } else { tempfile::tempdir().unwrap() }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name}={text}: a number")))
}

fn try_out(schedule: Schedule, trace: bool) -> Result<(), String> {
    let folder = folder();
    World::new(schedule, folder.path(), trace).run()
}

#[track_caller]
fn survives(schedule: Schedule) {
    let told = format!("{schedule:?}");
    if let Err(why) = try_out(schedule, true) {
        panic!("{told}\n{why}");
    }
}

#[test]
fn nothing_goes_wrong_where_nothing_goes_wrong() {
    for seed in 0..20 {
        survives(Schedule::calm(seed));
    }
}

#[test]
fn one_schedule_that_is_asked_for() {
    if let Some(seed) = number("FAULT_SEED") {
        survives(smallest(Schedule::of(seed, GATEWAYS, DEVICES)));
    }
}

/// What is left of a schedule that is not survived without the faults that it is not survived without either.
fn smallest(mut schedule: Schedule) -> Schedule {
    let fails = |schedule: &Schedule| {
        std::panic::catch_unwind(|| try_out(schedule.clone(), false)).is_ok_and(|tried| tried.is_err())
    };
    for at in (0..schedule.faults.len()).rev() {
        let mut less = schedule.clone();
        less.faults.remove(at);
        if fails(&less) {
            schedule = less;
        }
    }
    schedule
}

#[test]
fn whatever_goes_wrong_nothing_is_lost_and_every_game_is_the_one_played() {
    let seeds = number("FAULT_SEEDS").unwrap_or(USUAL);
    let next = AtomicU64::new(0);
    let failures = std::sync::Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds || failures.lock().unwrap().len() >= 5 {
                        return;
                    }
                    let schedule = Schedule::of(seed, GATEWAYS, DEVICES);
                    let told = format!("FAULT_SEED={seed} {:?}", schedule.faults);
                    let tried = std::panic::catch_unwind(|| try_out(schedule, false));
                    match tried {
                        Ok(Ok(())) => {}
                        Ok(Err(why)) => failures.lock().unwrap().push(format!("{told}\n{why}")),
                        Err(_) => failures.lock().unwrap().push(format!("{told}\nit panicked")),
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// One fault of each kind in mid-game, so that a failure names its kind.
#[test]
fn each_trouble_by_itself_is_survived() {
    let troubles = [
        Fault::Cable { device: 0, long: 3_000, elsewhere: false },
        Fault::Cable { device: 1, long: 3_000, elsewhere: true },
        Fault::Reset { device: 0 },
        Fault::Reset { device: 1 },
        Fault::Noise { one_in: 3, long: 10_000 },
        Fault::GatewayKilled { gateway: 0, long: 2_000 },
        Fault::GatewayPaused { gateway: 0, long: 15_000 },
        Fault::GatewayDisk { gateway: 0, long: 15_000 },
        Fault::GatewayClock { gateway: 0, by: 3_600_000 },
        Fault::Partition { gateway: 0, long: 15_000 },
        Fault::BrokerKilled { long: 2_000 },
        Fault::BrokerLies { one_in: 2, long: 20_000 },
        Fault::ServerKilled { long: 2_000 },
        Fault::ServerPaused { long: 15_000 },
        Fault::SlowDatabase { each: 2_000, long: 20_000 },
        Fault::Restored { back: 40, long: 2_000 },
    ];
    for (seed, trouble) in (0..).zip(troubles) {
        survives(Schedule::only(seed, 14_000, trouble));
    }
}

/// The server's database is brought back to an older state, and a clock that had been set is reset meanwhile: set again, it
/// would stand at its beginning in mid-game.
#[test]
fn a_clock_that_was_set_already_is_not_set_again_by_a_server_that_forgot_it() {
    let restored = (11_491, Fault::Restored { back: 58, long: 16_040 });
    survives(Schedule { seed: 644, faults: vec![restored, (18_990, Fault::Reset { device: 3 })] });
    let killed = (6_010, Fault::GatewayKilled { gateway: 0, long: 21_904 });
    let restored = (8_664, Fault::Restored { back: 12, long: 3_626 });
    let reset = (8_863, Fault::Reset { device: 1 });
    survives(Schedule { seed: 1_606, faults: vec![killed, restored, reset] });
}

/// What the clock told waits for a board whose gateway cannot write; a server that starts anew waits for it too.
#[test]
fn a_board_that_is_waited_for_is_waited_for_after_a_restart_of_the_server() {
    let faults = vec![
        (21_945, Fault::Cable { device: 3, long: 12_690, elsewhere: true }),
        (23_147, Fault::GatewayDisk { gateway: 1, long: 8_649 }),
        (30_503, Fault::GatewayDisk { gateway: 1, long: 13_719 }),
        (42_406, Fault::ServerKilled { long: 23_276 }),
    ];
    survives(Schedule { seed: 1_321, faults });
}

/// A server that is brought back to the moment after the round's start has nothing to read again; it still knows how the
/// boards stood.
#[test]
fn a_game_is_read_by_a_server_that_begins_anew_right_after_its_start() {
    survives(Schedule::only(4_320, 1_686, Fault::Restored { back: 17, long: 20_173 }));
    // Here a gateway could not write either, so that the board tells later of what was done before.
    let full = (23_050, Fault::GatewayDisk { gateway: 1, long: 16_897 });
    let killed = (39_704, Fault::ServerKilled { long: 23_358 });
    survives(Schedule { seed: 620, faults: vec![full, killed] });
}

/// A gateway that was paused tells that a board is gone when the board is at the other gateway already.
#[test]
fn a_board_that_has_come_to_another_gateway_is_not_gone_when_the_former_one_wakes_up() {
    let faults = vec![
        (21_659, Fault::GatewayPaused { gateway: 0, long: 24_439 }),
        (30_340, Fault::Reset { device: 0 }),
        (32_986, Fault::Cable { device: 0, long: 7_755, elsewhere: true }),
    ];
    survives(Schedule { seed: 4_978, faults });
}

/// A gateway whose clock is wrong from its start on: ahead, its tables' games would have waited for the server's clock
/// to come after it.
#[test]
fn a_gateway_with_a_wrong_clock_holds_no_game_up() {
    for (seed, by) in [(0, 3_600_000), (1, -3_600_000), (2, 2_000), (3, -900)] {
        let set = (0, Fault::GatewayClock { gateway: 0, by });
        let killed = (0, Fault::GatewayKilled { gateway: 0, long: 100 });
        let again = (14_000, Fault::GatewayKilled { gateway: 0, long: 100 });
        survives(Schedule { seed, faults: vec![set, killed, again] });
    }
}
