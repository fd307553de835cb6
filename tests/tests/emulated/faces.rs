//! A clock's two faces show what the device tells: read off the emulated driver chip by their segments.

use std::time::Duration;

use firmware_proto::{
    Body, ByHalf, ClockFace, ClockSetting, CmdId, Command, FromDevice, FromShared, Half, Millis, Record,
    ToDevice,
};
use serde::Deserialize;

use crate::controller::{Controller, Heard};
use crate::firmware;

/// One face as one reads it: its four places (and points), its colon, its light.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Face {
    text: String,
    colon: bool,
    light: bool,
}

/// Both.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Faces {
    a: Face,
    b: Face,
}

/// How a time is to be read that does not run.
fn face(left: Millis, light: bool) -> Face {
    if left.0 <= 20_000 {
        return Face { text: format!("{:5.1}", f64::from(left.0.div_ceil(100)) / 10.0), colon: false, light };
    }
    let seconds = left.0.div_ceil(1_000);
    Face { text: format!("{:2}{:02}", seconds / 60, seconds % 60), colon: true, light }
}

fn unset() -> Face {
    Face { text: "----".to_owned(), colon: false, light: false }
}

fn fallen(light: bool) -> Face {
    Face { text: "F000".to_owned(), colon: true, light }
}

/// Waits until the faces show what `is` looks for.
fn wait_until(clock: &mut Controller, what: &str, is: impl Fn(&Faces) -> bool) {
    let faces = clock.faces();
    // Something is said every second.
    clock.wait_for(what, |_| faces.lock().unwrap().as_ref().is_some_and(&is).then_some(()));
}

fn wait_for(clock: &mut Controller, expected: &Faces) {
    wait_until(clock, &format!("{expected:?}"), |faces| faces == expected);
}

/// What the clock tells that it shows, once a command is carried out.
fn told(clock: &mut Controller, id: u32, command: Command) -> ClockFace {
    clock.say(ToDevice::Command(CmdId(id), command));
    let mut carried_out = false;
    clock.wait_for("the clock's state", |heard| match heard {
        Heard::Says(FromDevice::Record(_, Record { body: Body::Marker(marker), .. })) => {
            carried_out |= *marker == CmdId(id);
            None
        }
        Heard::Says(FromDevice::Record(_, Record { body: Body::Clock(face), .. })) => {
            carried_out.then_some(*face)
        }
        Heard::Says(_) | Heard::PowerGone => None,
    })
}

fn set(a: u32, b: u32, running: Option<Half>) -> Command {
    let left = ByHalf { a: Millis(a), b: Millis(b) };
    Command::SetClock(ClockSetting { face: ClockFace { left, running }, increment: Millis(0) })
}

fn faces_show_what_the_device_tells(program: &str) {
    let Some((emulator, elf)) = firmware() else {
        eprintln!(
            "SKIPPED: emulated firmware: CHUHE_FIRMWARE or the emulator is missing; tests/run firmware has both"
        );
        return;
    };
    let mut clock = Controller::start(&emulator, &elf.join(program), "c400000300000078", 2);
    let first = clock.hello().boot;
    wait_for(&mut clock, &Faces { a: unset(), b: unset() });

    told(&mut clock, 1, set(5_999_000, 540_000, None));
    wait_for(&mut clock, &Faces { a: face(Millis(5_999_000), false), b: face(Millis(540_000), false) });
    told(&mut clock, 2, set(7_259_000, 6_000_000, None));
    let hours = |text: &str| Face { text: text.to_owned(), colon: false, light: false };
    wait_for(&mut clock, &Faces { a: hours("2h00"), b: hours("1h40") });

    // Stopped anywhere, both faces show the times that the device tells, and both lights are on.
    for (id, left) in [(10, 65_000), (20, 22_300), (30, 20_700), (40, 9_000)] {
        told(&mut clock, id, set(3_665_000, left, Some(Half::B)));
        wait_until(&mut clock, "a colon that is dark, or tenths", |faces| {
            faces.b.light && !faces.a.light && faces.a == face(Millis(3_665_000), false) && !faces.b.colon
        });
        let stopped = told(&mut clock, id + 1, Command::Pause).left;
        assert!(stopped.b < Millis(left), "its time ran: {stopped:?}");
        wait_for(&mut clock, &Faces { a: face(stopped.a, true), b: face(stopped.b, true) });
    }

    told(&mut clock, 50, set(60_000, 900, Some(Half::B)));
    let turn = Faces { a: face(Millis(60_000), false), b: fallen(true) };
    wait_for(&mut clock, &turn);
    told(&mut clock, 51, Command::Pause);
    let stopped = Faces { a: face(Millis(60_000), true), b: fallen(true) };
    wait_for(&mut clock, &stopped);
    // The reset may cut a frame in two, and the greeting goes with it.
    clock.bench("reset");
    clock.wait_for("a beat of the next start", |heard| match heard {
        Heard::Says(FromDevice::Beat { boot, .. }) => (*boot != first).then_some(()),
        Heard::Says(_) | Heard::PowerGone => None,
    });
    wait_for(&mut clock, &stopped);
}

/// Whether `is` comes true within a minute in which nothing is heard.
fn silent_until(table: &mut Controller<FromShared>, is: impl Fn() -> bool) -> bool {
    (0..60).any(|_| is() || table.next(Duration::from_secs(1)).is_some_and(|heard| panic!("{heard:?}")))
}

#[test]
fn the_faces_of_a_table_on_a_shared_line_do_not_wait_until_a_host_asks() {
    let Some((emulator, elf)) = firmware() else {
        eprintln!(
            "SKIPPED: emulated firmware: CHUHE_FIRMWARE or the emulator is missing; tests/run firmware has both"
        );
        return;
    };
    let elf = elf.join("table-hall-rs485");
    let mut table: Controller<FromShared> = Controller::start(&emulator, &elf, "c400000300000079", 2);
    let faces = table.faces();
    let bars = Faces { a: unset(), b: unset() };
    let shown = silent_until(&mut table, || faces.lock().unwrap().as_ref() == Some(&bars));
    assert!(shown, "they show {:?}", faces.lock().unwrap());
}

#[test]
fn the_faces_of_a_clock_show_what_it_tells() {
    faces_show_what_the_device_tells("clock");
}

#[test]
fn the_faces_of_a_table_of_hall_sensors_show_what_it_tells() {
    faces_show_what_the_device_tells("table-hall");
}

#[test]
fn the_faces_of_a_table_of_switches_show_what_it_tells() {
    faces_show_what_the_device_tells("table-matrix");
}
