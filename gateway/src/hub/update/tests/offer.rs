//! A firmware that the server offers stands until it is withdrawn.

use firmware_proto::progress::{Outcome, Stage};
use firmware_proto::{
    ByHalf, ClockFace, ClockSetting, CmdId, Command, DeviceUid, Half, Millis, Offer, ResetCause,
};

use super::chip::{Behaves, image};
use super::desk::Desk;
use super::ports::World;

impl World {
    fn offer(&mut self, version: u8, behaves: Behaves, go: bool) {
        let (firmware, bytes) = image(version, behaves, false);
        self.desk.hub.on_offer(Some((Offer { firmware, go }, bytes.into())), Desk::now(self.time));
    }

    fn stages(&self) -> Vec<Stage> {
        let (_, progress) = self.desk.hub.offer_progress().expect("a firmware is offered");
        progress.into_values().map(|progress| progress.stage).collect()
    }

    /// For ten minutes at most.
    fn pass_until(&mut self, what: impl Fn(&World) -> bool) {
        let until = self.time + 600_000;
        while !what(self) {
            assert!(self.time < until, "{:?}", self.stages());
            self.step();
        }
    }

    fn command(&mut self, device: u64, command: Command) {
        let (id, now) = (CmdId(self.time as u32), Desk::now(self.time));
        self.desk.hub.on_command(DeviceUid(device), id, command, now);
        self.pass(1_500);
    }
}

const KEPT: Stage = Stage::Over(Outcome::Kept);

#[test]
fn every_device_gets_what_is_offered_one_first_and_one_that_comes_later_too() {
    let mut world = World::new(4);
    world.pull(3);
    world.offer(2, Behaves::Well, true);
    world.pass_until(|world| world.stages() == [KEPT; 3]);
    assert_eq!(world.versions(), [2, 2, 2, 1]);
    world.plug(3);
    world.pass_until(|world| world.stages() == [KEPT; 4]);
    assert_eq!(world.versions(), [2; 4]);
    assert!(world.chips.iter().all(|(chip, _)| chip.starts == 2), "each restarted once");
    world.assert_no_record_lost();
    world.desk.hub.on_offer(None, Desk::now(world.time));
    assert_eq!(world.desk.hub.offer_progress(), None);
}

#[test]
fn what_is_held_back_goes_to_nobody_and_what_is_held_in_mid_transfer_goes_on_when_it_may() {
    let mut world = World::new(2);
    world.offer(2, Behaves::Well, false);
    world.pass(5_000);
    assert_eq!(world.stages(), [Stage::Waits; 2]);
    world.offer(2, Behaves::Well, true);
    world.pass_until(|world| matches!(world.stages()[0], Stage::Sending { taken: 2_000.., .. }));
    world.offer(2, Behaves::Well, false);
    world.pass(5_000);
    assert_eq!((world.stages(), world.versions()), (vec![Stage::Waits; 2], vec![1, 1]));
    world.offer(2, Behaves::Well, true);
    world.pass_until(|world| world.stages() == [KEPT; 2]);
}

#[test]
fn a_firmware_that_failed_on_one_device_is_given_to_no_other_however_long_it_is_offered() {
    let mut world = World::new(3);
    world.offer(2, Behaves::Deaf, true);
    let failed = [Outcome::GivenBack, Outcome::Spared, Outcome::Spared].map(Stage::Over);
    world.pass_until(|world| world.stages() == failed);
    // Neither a round in between nor somebody who comes later makes it better.
    world.offer(2, Behaves::Deaf, false);
    world.offer(2, Behaves::Deaf, true);
    world.pull(2);
    world.plug(2);
    world.pass(180_000);
    assert_eq!((world.stages(), world.versions()), (failed.to_vec(), vec![1; 3]));
    world.offer(3, Behaves::Well, true);
    world.pass_until(|world| world.stages() == [KEPT; 3]);
}

#[test]
fn while_a_time_runs_it_waits_and_goes_on_when_the_time_stands() {
    let mut world = World::new(2);
    let face = ClockFace { left: ByHalf { a: Millis(600_000), b: Millis(600_000) }, running: None };
    world.command(2, Command::SetClock(ClockSetting { face, increment: Millis(0) }));
    world.command(2, Command::Run(Half::A));
    world.offer(2, Behaves::Well, true);
    world.pass(90_000);
    assert_eq!((world.stages(), world.versions()), (vec![Stage::Waits; 2], vec![1, 1]));
    world.command(2, Command::Pause);
    world.pass_until(|world| world.stages() == [KEPT; 2]);
}

#[test]
fn a_device_that_was_lost_on_the_way_is_given_it_when_it_is_back() {
    let mut world = World::new(1);
    world.offer(2, Behaves::Well, true);
    world.pass_until(|world| matches!(world.stages()[0], Stage::Sending { .. }));
    world.pull(0);
    world.pass_until(|world| world.stages() == [Stage::Over(Outcome::Lost)]);
    world.pass(120_000);
    let time = world.time;
    world.chips[0].0.reset(time, ResetCause::PowerOn);
    world.plug(0);
    world.pass_until(|world| world.stages() == [KEPT]);
    world.assert_no_record_lost();
}

#[test]
fn who_ends_it_at_the_box_has_the_last_word_there() {
    let mut world = World::new(2);
    world.offer(2, Behaves::Well, true);
    world.pass_until(|world| matches!(world.stages()[0], Stage::Sending { .. }));
    world.desk.hub.stop_update();
    world.pass(180_000);
    assert_eq!(world.stages(), [Stage::Over(Outcome::Stopped); 2]);
    assert_eq!(world.versions(), [1, 1]);
}
