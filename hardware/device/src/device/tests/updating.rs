use firmware_proto::{Firmware, Target, UpdateRefusal};

use super::*;

fn offer() -> UpdateStep {
    let target = Target { hardware: 1, capabilities: BOTH, shared_line: false };
    UpdateStep::Offer(Firmware { target, version: 2, length: 9, sha256: [0; 32] })
}

/// What it says to a step at this time; a step that it has time for is done.
fn answer(bench: &mut Bench, step: UpdateStep, now: u32) -> UpdateState {
    bench.say(ToDevice::Update(step), now);
    if bench.device.take_update_step() == Some(step) {
        bench.device.on_update_state(UpdateState::Coming { next: 9 });
    }
    let update = |message| if let FromDevice::Update(state) = message { Some(state) } else { None };
    bench.heard().into_iter().find_map(update).expect("every step is answered")
}

const TAKEN: UpdateState = UpdateState::Coming { next: 9 };
const GAME_ON: UpdateState = UpdateState::Refused(UpdateRefusal::GameOn);

#[test]
fn nothing_is_taken_while_a_time_runs_or_for_a_minute_after_a_move_or_a_press() {
    let mut bench = Bench::new(BOTH);
    bench.scan(0, 100);
    assert_eq!(answer(&mut bench, offer(), 100), TAKEN);
    bench.say(ToDevice::Command(CmdId(1), set_clock(10_000, 90_000, 0)), 200);
    bench.device.on_lever(Half::A, Millis(1_000));
    for step in [offer(), UpdateStep::Try] {
        assert_eq!(answer(&mut bench, step, 70_000), GAME_ON, "Black's time runs");
    }
    assert_eq!(answer(&mut bench, UpdateStep::Ask, 70_000), TAKEN);
    bench.say(ToDevice::Command(CmdId(2), Command::Pause), 70_100);
    assert_eq!(answer(&mut bench, offer(), 70_200), TAKEN);
    bench.put(4, 1);
    bench.put(5, 2);
    bench.scan(80_000, 80_100);
    assert_eq!(answer(&mut bench, offer(), 140_000), GAME_ON, "pieces are put up");
    assert_eq!(answer(&mut bench, offer(), 140_100), TAKEN);
}

#[test]
fn it_does_not_restart_while_records_wait_and_answers_before_it_restarts() {
    let mut bench = Bench::new(CLOCK);
    let waits = UpdateState::Refused(UpdateRefusal::RecordsWait);
    assert_eq!(answer(&mut bench, UpdateStep::Try, 0), waits);
    bench.all_heard(10);
    bench.say(ToDevice::Ack { boot: BootId(4), upto: Seq(1) }, 20);
    bench.say(ToDevice::Update(UpdateStep::Try), 30);
    assert_eq!(bench.device.take_update_step(), Some(UpdateStep::Try));
    bench.device.on_update_state(UpdateState::Restarts);
    assert!(!bench.device.wants_reboot(), "not before its answer is out");
    assert_eq!(bench.heard(), [FromDevice::Update(UpdateState::Restarts)]);
    assert!(bench.device.wants_reboot());
}

#[test]
fn it_is_proven_once_its_sensors_gave_an_image_and_its_host_was_heard() {
    let mut bench = Bench::new(BOTH);
    bench.say(ToDevice::Identify, 0);
    assert!(!bench.device.is_proven());
    bench.scan(0, 100);
    assert!(bench.device.is_proven());
    let mut bench = Bench::new(BOTH);
    bench.scan(0, 100);
    assert!(!bench.device.is_proven(), "nobody spoke to it");
}
