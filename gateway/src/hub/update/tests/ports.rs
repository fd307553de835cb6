//! Devices on ports of their own.

use firmware_proto::{
    Address, ByHalf, ClockFace, ClockSetting, CmdId, Command, DeviceUid, Half, MAX_FRAME, Millis,
    PlayerSignal, ResetCause, Target, UpdateRefusal, encode,
};
use proptest::prelude::*;

use super::chip::{Behaves, Chip, image, target};
use super::desk::Desk;
use crate::hub::{CannotUpdate, PortId};
use firmware_proto::progress::{Outcome, Stage};

/// A step of the simulation: about as long as a chunk takes on the line.
const STEP: u64 = 7;

/// Nobody is named.
const EVERYBODY: &[DeviceUid] = &[];

pub(super) struct World {
    pub(super) time: u64,
    pub(super) desk: Desk,
    pub(super) chips: Vec<(Chip, Option<PortId>)>,
    /// What is on its way to each.
    down: Vec<Vec<Vec<u8>>>,
    ports: u32,
    /// One frame in so many suffers; 0: none.
    noise: u64,
    dice: u64,
}

impl World {
    pub(super) fn new(chips: u64) -> World {
        let mut world = World {
            time: 0,
            desk: Desk::new(),
            chips: (1..=chips).map(|uid| (Chip::new(uid, false), None)).collect(),
            down: vec![vec![]; chips as usize],
            ports: 0,
            noise: 0,
            dice: 7,
        };
        (0..world.chips.len()).for_each(|chip| world.plug(chip));
        world.pass(2_000);
        world
    }

    pub(super) fn plug(&mut self, chip: usize) {
        self.ports += 1;
        self.chips[chip].1 = Some(PortId(self.ports));
        self.desk.hub.on_open(PortId(self.ports), Desk::now(self.time));
    }

    pub(super) fn pull(&mut self, chip: usize) {
        let port = self.chips[chip].1.take().unwrap();
        self.desk.hub.on_close(port, Desk::now(self.time));
        self.down[chip].clear();
    }

    fn restart_gateway(&mut self) {
        self.desk.restart();
        for chip in 0..self.chips.len() {
            self.down[chip].clear();
            self.plug(chip);
        }
    }

    fn throw(&mut self, sides: u64) -> u64 {
        self.dice = self.dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.dice >> 33) % sides
    }

    /// What becomes of a frame on the line.
    fn suffer(&mut self, mut frame: Vec<u8>) -> Vec<Vec<u8>> {
        if self.noise == 0 || self.throw(self.noise) > 0 {
            return vec![frame];
        }
        match self.throw(3) {
            0 => vec![],
            1 => vec![frame.clone(), frame],
            _ => {
                let at = self.throw(frame.len() as u64) as usize;
                frame[at] ^= 1 << self.throw(8);
                vec![frame]
            }
        }
    }

    pub(super) fn step(&mut self) {
        self.time += STEP;
        let (time, now) = (self.time, Desk::now(self.time));
        for at in 0..self.chips.len() {
            self.chips[at].0.poll(time);
            let mute = self.chips[at].0.is_mute();
            let said = if mute { vec![] } else { self.chips[at].0.say(time, 2) };
            let Some(port) = self.chips[at].1 else { continue };
            for frame in said {
                for frame in self.suffer(frame) {
                    self.desk.hub.on_bytes(port, &frame, now);
                }
            }
            if !self.down[at].is_empty() {
                let frame = self.down[at].remove(0);
                for frame in self.suffer(frame) {
                    self.chips[at].0.hear(&frame, time);
                }
            }
        }
        self.desk.hub.poll(now);
        for (port, message) in self.desk.carry_out(time) {
            let Some(at) = self.chips.iter().position(|(_, at)| *at == Some(port)) else { continue };
            let mut frame = [0; MAX_FRAME];
            let used = encode(Address::POINT_TO_POINT, &message, &mut frame).unwrap();
            self.down[at].push(frame[..used].to_vec());
        }
    }

    pub(super) fn pass(&mut self, millis: u64) {
        let until = self.time + millis;
        while self.time < until {
            self.step();
        }
    }

    fn update(&mut self, version: u8, behaves: Behaves, named: &[DeviceUid]) -> Result<(), CannotUpdate> {
        let (firmware, bytes) = image(version, behaves, false);
        self.desk.hub.begin_update(firmware, bytes, named, Desk::now(self.time))
    }

    /// Until the update is over, for ten minutes at most.
    fn finish(&mut self) {
        let until = self.time + 600_000;
        while !self.desk.is_over() {
            assert!(self.time < until, "{:?}", self.desk.hub.update_progress());
            self.step();
        }
    }

    fn taken(&self, chip: usize) -> Option<u32> {
        match self.desk.hub.update_progress()[&self.chips[chip].0.uid].stage {
            Stage::Sending { taken, .. } => Some(taken),
            Stage::Waits | Stage::Offered | Stage::Checking | Stage::Trial | Stage::Over(_) => None,
        }
    }

    /// Until half of it is there.
    fn halfway(&mut self, chip: usize) {
        while self.taken(chip).is_none_or(|taken| taken < 2_000) {
            self.step();
        }
    }

    /// Of the first chip, which had half of it: nothing comes again, and it is kept.
    fn goes_on_where_it_was(&mut self) {
        while self.taken(0).is_none() {
            self.step();
        }
        assert!(self.taken(0) >= Some(2_000), "{:?}", self.taken(0));
        self.finish();
        assert!(self.all(Outcome::Kept));
    }

    fn all(&self, outcome: Outcome) -> bool {
        self.desk.outcomes().values().all(|is| *is == outcome)
    }

    pub(super) fn versions(&self) -> Vec<u8> {
        self.chips.iter().map(|(chip, _)| chip.version()).collect()
    }

    pub(super) fn assert_no_record_lost(&mut self) {
        self.noise = 0;
        self.pass(5_000);
        for at in 0..self.chips.len() {
            let uid = self.chips[at].0.uid;
            self.desk.records(uid);
            assert_eq!(self.chips[at].0.device().unwrap().backlog(), 0);
        }
    }
}

#[test]
fn one_device_goes_first_and_the_others_follow_when_it_has_kept_the_firmware() {
    let mut world = World::new(6);
    world.update(2, Behaves::Well, EVERYBODY).unwrap();
    while !world.desk.outcomes().contains_key(&DeviceUid(1)) {
        world.step();
        assert!(world.versions()[1..].iter().all(|version| *version == 1));
    }
    world.finish();
    assert!(world.all(Outcome::Kept), "{:?}", world.desk.outcomes());
    assert_eq!(world.versions(), [2; 6]);
    assert!(world.chips.iter().all(|(chip, _)| chip.starts == 2), "each restarted once");
    world.assert_no_record_lost();
    world.update(2, Behaves::Well, EVERYBODY).unwrap();
    world.finish();
    assert!(world.all(Outcome::HadIt), "{:?}", world.desk.outcomes());
    // Now there is something to be erased first.
    world.update(3, Behaves::Well, EVERYBODY).unwrap();
    world.finish();
    assert!(world.all(Outcome::Kept), "{:?}", world.desk.outcomes());
    assert!(world.chips.iter().all(|(chip, _)| chip.unheard > 0), "chunks were lost to erasures");
}

#[test]
fn a_firmware_that_hangs_or_hears_nobody_is_given_back_by_one_device_and_given_to_no_other() {
    for behaves in [Behaves::Hangs, Behaves::Deaf] {
        let mut world = World::new(3);
        world.update(2, behaves, EVERYBODY).unwrap();
        world.finish();
        let outcomes: Vec<Outcome> = world.desk.outcomes().into_values().collect();
        assert_eq!(outcomes, [Outcome::GivenBack, Outcome::Spared, Outcome::Spared], "{behaves:?}");
        assert_eq!(world.versions(), [1; 3]);
        world.assert_no_record_lost();
        world.update(3, Behaves::Well, EVERYBODY).unwrap();
        world.finish();
        assert_eq!(world.versions(), [3; 3], "a sound one is taken after it");
    }
}

#[test]
fn a_cable_that_is_pulled_in_mid_transfer_costs_nothing_that_was_there_already() {
    let mut world = World::new(1);
    world.update(2, Behaves::Well, EVERYBODY).unwrap();
    world.halfway(0);
    world.pull(0);
    world.pass(20_000);
    assert!(!world.desk.is_over());
    world.plug(0);
    world.goes_on_where_it_was();
}

#[test]
fn a_device_that_does_not_come_back_is_lost_and_keeps_its_firmware() {
    let mut world = World::new(2);
    world.update(2, Behaves::Well, EVERYBODY).unwrap();
    world.halfway(0);
    world.pull(0);
    world.finish();
    let outcomes: Vec<Outcome> = world.desk.outcomes().into_values().collect();
    assert_eq!(outcomes, [Outcome::Lost, Outcome::Kept]);
    assert_eq!(world.versions(), [1, 2]);
}

#[test]
fn a_device_that_is_reset_in_mid_transfer_takes_it_from_the_beginning() {
    let mut world = World::new(1);
    world.update(2, Behaves::Well, EVERYBODY).unwrap();
    world.halfway(0);
    let time = world.time;
    world.chips[0].0.reset(time, ResetCause::PowerOn);
    world.pass(1_000);
    assert!(world.taken(0) < Some(2_000));
    world.finish();
    assert!(world.all(Outcome::Kept));
    world.assert_no_record_lost();
}

#[test]
fn a_gateway_that_is_restarted_in_mid_update_goes_on_where_the_device_is_when_it_is_asked_again() {
    let mut world = World::new(1);
    world.update(2, Behaves::Well, EVERYBODY).unwrap();
    world.halfway(0);
    world.restart_gateway();
    world.pass(3_000);
    assert!(world.desk.hub.update_progress().is_empty());
    assert_eq!(world.versions(), [1], "it is whole");
    world.update(2, Behaves::Well, EVERYBODY).unwrap();
    world.goes_on_where_it_was();
}

#[test]
fn an_update_that_is_stopped_leaves_devices_as_they_were_and_a_trial_to_its_end() {
    let mut world = World::new(2);
    world.update(2, Behaves::Well, EVERYBODY).unwrap();
    world.halfway(0);
    world.desk.hub.stop_update();
    assert!(world.desk.is_over() && world.all(Outcome::Stopped));
    world.pass(3_000);
    assert_eq!(world.versions(), [1, 1]);

    world.update(2, Behaves::Well, EVERYBODY).unwrap();
    let first = DeviceUid(1);
    while world.desk.hub.update_progress()[&first].stage != Stage::Trial {
        world.step();
    }
    world.desk.hub.stop_update();
    world.finish();
    assert_eq!(world.desk.outcomes()[&first], Outcome::Kept);
    assert_eq!(world.versions(), [2, 1]);
}

#[test]
fn nothing_is_begun_while_a_time_runs_and_what_is_not_on_trial_ends_when_one_begins_to() {
    let mut world = World::new(2);
    let run = |world: &mut World, command| {
        let id = CmdId(world.time as u32);
        world.desk.hub.on_command(DeviceUid(2), id, command, Desk::now(world.time));
        world.pass(1_500);
    };
    let face = ClockFace { left: ByHalf { a: Millis(60_000), b: Millis(60_000) }, running: None };
    run(&mut world, Command::SetClock(ClockSetting { face, increment: Millis(0) }));
    run(&mut world, Command::Run(Half::A));
    let refused = Err(CannotUpdate::TimeRuns(DeviceUid(2)));
    assert_eq!(world.update(2, Behaves::Well, EVERYBODY), refused);
    run(&mut world, Command::Pause);
    world.update(2, Behaves::Well, EVERYBODY).unwrap();
    world.halfway(0);
    // It would be done before the news is here.
    world.pull(0);
    run(&mut world, Command::Run(Half::A));
    assert!(world.desk.is_over() && world.all(Outcome::RoundBegan), "{:?}", world.desk.outcomes());
    world.plug(0);
    world.pass(2_000);
    assert_eq!(world.versions(), [1, 1]);
}

#[test]
fn a_device_at_which_somebody_plays_refuses_and_one_that_is_touched_in_mid_transfer_goes_on_after_a_minute() {
    let mut world = World::new(1);
    let touch = |world: &mut World| {
        let time = world.time;
        let own = world.chips[0].0.own_time(time);
        let device = world.chips[0].0.device().unwrap();
        device.on_lever(Half::A, own);
        // No time is to run on, only the touch is to count.
        world.desk.hub.on_command(DeviceUid(1), CmdId(time as u32), Command::Pause, Desk::now(time));
        world.pass(200);
    };
    touch(&mut world);
    world.update(2, Behaves::Well, EVERYBODY).unwrap();
    world.finish();
    assert!(world.all(Outcome::Refused(UpdateRefusal::GameOn)));
    world.pass(61_000);
    world.update(2, Behaves::Well, EVERYBODY).unwrap();
    world.halfway(0);
    let before = world.time;
    touch(&mut world);
    world.finish();
    assert!(world.all(Outcome::Kept), "{:?}", world.desk.outcomes());
    assert!(world.time - before > 60_000);
}

#[test]
fn what_does_not_fit_or_is_not_there_is_refused_before_anything_is_sent() {
    let mut world = World::new(2);
    let (firmware, bytes) = image(2, Behaves::Well, true);
    let now = Desk::now(world.time);
    let made_for = target(true);
    let hub = &mut world.desk.hub;
    assert_eq!(hub.begin_update(firmware, bytes.clone(), &[], now), Err(CannotUpdate::Nobody(made_for)));
    let device = DeviceUid(2);
    let is = Target { shared_line: false, ..made_for };
    let other = Err(CannotUpdate::OtherTarget { device, is, made_for });
    assert_eq!(hub.begin_update(firmware, bytes, &[device], now), other);
    assert_eq!(world.update(2, Behaves::Well, &[DeviceUid(9)]), Err(CannotUpdate::NotThere(DeviceUid(9))));
    world.update(2, Behaves::Well, &[device]).unwrap();
    assert_eq!(world.update(2, Behaves::Well, EVERYBODY), Err(CannotUpdate::Busy));
    world.finish();
    assert_eq!(world.versions(), [1, 2], "only the one that was named");
}

#[derive(Clone, Copy, Debug)]
enum Happening {
    Quiet(u16),
    Pulled(u16),
    Reset,
    GatewayKilled,
    Press,
}

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        4 => (1..4_000u16).prop_map(Happening::Quiet),
        2 => (1..15_000u16).prop_map(Happening::Pulled),
        1 => Just(Happening::Reset),
        1 => Just(Happening::GatewayKilled),
        2 => Just(Happening::Press),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn whatever_happens_on_the_way_the_firmware_is_taken_in_the_end_and_no_record_is_lost(
        happenings in prop::collection::vec(happening(), 0..12),
        noise in 5..60u64,
        dice in any::<u64>(),
    ) {
        let mut world = World::new(2);
        (world.noise, world.dice) = (noise, dice);
        world.update(2, Behaves::Well, EVERYBODY).unwrap();
        for happening in happenings {
            match happening {
                Happening::Quiet(long) => world.pass(long.into()),
                Happening::Pulled(long) => {
                    world.pull(0);
                    world.pass(long.into());
                    world.plug(0);
                }
                Happening::Reset => {
                    let time = world.time;
                    world.chips[0].0.reset(time, ResetCause::Watchdog);
                }
                Happening::GatewayKilled => world.restart_gateway(),
                Happening::Press => {
                    let time = world.time;
                    world.chips[1].0.press(time, PlayerSignal::Draw);
                }
            }
        }
        // Whatever came of it, the next one finds all of them whole.
        let mut asked = 0;
        while world.versions() != [2, 2] || !world.desk.is_over() {
            asked += 1;
            prop_assert!(asked < 6, "{:?}", world.desk.outcomes());
            world.noise = 40;
            if world.desk.is_over() {
                world.pass(3_000);
                world.update(2, Behaves::Well, EVERYBODY).unwrap();
            }
            world.finish();
        }
        world.assert_no_record_lost();
    }
}
