//! The power goes while the chip writes to its flash.

use std::time::Duration;

use firmware_proto::{
    Body, BootId, ByHalf, Capabilities, Cell, ClockFace, ClockSetting, CmdId, Command, FromDevice, Half,
    Millis, Record, ResetCause, SensingKind, ToDevice,
};

use crate::controller::{Controller, Heard};
use crate::firmware;

/// A lever is pushed so often, wall time.
const PUSH: Duration = Duration::from_millis(80);

/// Pushes within which the clock must have written so much that the power goes.
const MOST_PUSHES: u32 = 500;

/// What a power cut may give back of the running time: two seconds and what passed since the last record.
const GIVEN_BACK: u32 = 4_000;

fn face(heard: &Heard) -> Option<ClockFace> {
    match heard {
        Heard::Says(FromDevice::Record(_, Record { body: Body::Clock(face) | Body::Press(_, face), .. })) => {
            Some(*face)
        }
        Heard::Says(_) | Heard::PowerGone => None,
    }
}

#[test]
fn starts_are_counted_and_the_clock_stands_whatever_byte_the_power_goes_at() {
    let Some((emulator, elf)) = firmware() else {
        eprintln!(
            "SKIPPED: emulated firmware: CHUHE_FIRMWARE or the emulator is missing; tests/run firmware has both"
        );
        return;
    };
    let mut clock = Controller::start(&emulator, &elf.join("clock"), "c400000200000063", 4);
    let mut boot = clock.hello().boot;
    assert_eq!(boot, BootId(1));
    let half_an_hour = Millis(1_800_000);
    let left = ByHalf { a: half_an_hour, b: half_an_hour };
    let setting = ClockSetting { face: ClockFace { left, running: None }, increment: Millis::ZERO };
    clock.say(ToDevice::Command(CmdId(1), Command::SetClock(setting)));
    let mut shown = clock.wait_for("the setting", |heard| face(heard).filter(|face| face.left == left));

    // It is kept by the time that the next beat but one is heard.
    for _ in 0..2 {
        clock.wait_for("a beat", |heard| matches!(heard, Heard::Says(FromDevice::Beat { .. })).then_some(()));
    }

    for (round, bytes) in [1, 9, 17, 26, 40, 75].into_iter().enumerate() {
        // Levers go back and forth, each press is kept, until the power goes in the middle of that.
        clock.bench(&format!("power cut {bytes}"));
        let mut lever = 1;
        'pressing: for push in 0.. {
            assert!(push < MOST_PUSHES, "cut at byte {bytes}: nothing was written in {push} pushes");
            // A clock that was not yet ready to hear it stands still, and keeps nothing.
            if push % 25 == 24 {
                clock.say(ToDevice::Command(CmdId(1_000 * (round as u32 + 1) + push), Command::Run(Half::A)));
            }
            clock.bench(&format!("contacts {lever}"));
            lever = 3 - lever;
            while let Some(heard) = clock.next(PUSH) {
                shown = face(&heard).unwrap_or(shown);
                if let Heard::PowerGone = heard {
                    break 'pressing;
                }
            }
        }
        clock.bench("contacts 0");
        // And goes again while this start is counted: both in one write, or it may have been counted before.
        clock.bench(&format!("power on\npower cut {}", round * 2));
        clock.wait_for("the second cut", |heard| matches!(heard, Heard::PowerGone).then_some(()));
        clock.bench("power on");

        let hello = clock.hello();
        assert!(hello.boot > boot, "start {} after start {boot}", hello.boot);
        assert_eq!(hello.reset, ResetCause::PowerOn);
        boot = hello.boot;
        let stands = clock.wait_for("how the clock stands", face);
        assert_eq!(stands.running, None, "stopped until an arbiter lets it go on");
        for half in Half::ALL {
            let (before, after) = (shown.left[half].0, stands.left[half].0);
            assert!(
                before.abs_diff(after) < GIVEN_BACK,
                "cut at byte {bytes}: {before} ms before, {after} ms after"
            );
        }
        clock.say(ToDevice::Command(CmdId(2 + round as u32), Command::Run(Half::A)));
    }
}

#[test]
fn every_program_counts_its_starts_and_tells_its_state_whatever_byte_the_power_goes_at_as_it_starts() {
    let Some((emulator, elf)) = firmware() else {
        eprintln!(
            "SKIPPED: emulated firmware: CHUHE_FIRMWARE or the emulator is missing; tests/run firmware has both"
        );
        return;
    };
    for (program, capabilities) in [
        ("board-hall", Capabilities { board: Some(SensingKind::Colour), clock: false }),
        ("board-matrix", Capabilities { board: Some(SensingKind::Occupancy), clock: false }),
        ("table-hall", Capabilities { board: Some(SensingKind::Colour), clock: true }),
        ("table-matrix", Capabilities { board: Some(SensingKind::Occupancy), clock: true }),
    ] {
        let mut table: Controller = Controller::start(&emulator, &elf.join(program), "c400000300000065", 4);
        table.bench(&format!("cells 1{}", "0".repeat(89)));
        let mut boot = table.hello().boot;
        for byte in [0, 1, 4, 7, 10] {
            table.bench(&format!("power off\npower on\npower cut {byte}"));
            let gone = |heard: &Heard| matches!(heard, Heard::PowerGone).then_some(());
            table.wait_for("the first cut", gone);
            table.wait_for("the cut while it starts", gone);
            table.bench("power on");
            let hello = table.hello();
            assert!(hello.boot > boot, "{program}, byte {byte}: start {} after {boot}", hello.boot);
            assert_eq!((hello.capabilities, hello.reset), (capabilities, ResetCause::PowerOn), "{program}");
            boot = hello.boot;
            let image = table.wait_for("its first image", |heard| match heard {
                Heard::Says(FromDevice::Record(_, Record { body: Body::Snapshot(image), .. })) => {
                    Some(*image)
                }
                Heard::Says(_) | Heard::PowerGone => None,
            });
            assert!(!image.at(Cell::new(0).unwrap()).is_empty(), "{program}: the piece stands there");
        }
    }
}
