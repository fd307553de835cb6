//! A clock's two faces show what the device tells: read off the emulated driver chip by their segments.

use std::time::Duration;

use firmware_proto::{
    Body, ByHalf, ClockFace, ClockSetting, CmdId, Command, FromDevice, FromShared, Half, Millis, ToDevice,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;

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

/// What the faces may take to show something, in steps of ms.
const STEPS: usize = 600;
const STEP: u64 = 50;

/// Waits until the faces show what `is` looks for.
fn wait_until<M: DeserializeOwned>(clock: &mut Controller<M>, what: &str, is: impl Fn(&Faces) -> bool) {
    for _ in 0..STEPS {
        if clock.faces().is_some_and(&is) {
            return;
        }
        clock.pass(STEP);
    }
    panic!("waited in vain for {what}, seen: {:?}", clock.faces());
}

fn wait_for(clock: &mut Controller, expected: &Faces) {
    wait_until(clock, &format!("{expected:?}"), |faces| faces == expected);
}

/// What the clock tells that it shows, once a command is carried out. What it tells is acknowledged: it goes on only then.
fn told(clock: &mut Controller, id: u32, command: Command) -> ClockFace {
    clock.say(ToDevice::Command(CmdId(id), command));
    let mut carried_out = false;
    loop {
        let (boot, record) = clock.wait_for("the clock's state", |heard| match heard {
            Heard::Says(FromDevice::Record(boot, record)) => Some((*boot, *record)),
            Heard::Says(_) | Heard::PowerGone => None,
        });
        clock.say(ToDevice::Ack { boot, upto: record.seq });
        carried_out |= record.body == Body::Marker(CmdId(id));
        if let (Body::Clock(face), true) = (record.body, carried_out) {
            return face;
        }
    }
}

fn set(a: u32, b: u32, running: Option<Half>) -> Command {
    let left = ByHalf { a: Millis(a), b: Millis(b) };
    Command::SetClock(ClockSetting { face: ClockFace { left, running }, increment: Millis(0) })
}

/// The chip's time, ms, in which it has started for sure.
const STARTED: u64 = 1_000;

fn faces_show_what_the_device_tells(program: &str) {
    let Some((emulator, elf)) = firmware() else { return };
    let mut clock = Controller::start(&emulator, &elf.join(program), "c400000300000078");
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
    // The reset may cut a frame in two, and the greeting goes with it: it is asked for again.
    clock.bench("reset 0");
    clock.pass(STARTED);
    clock.say(ToDevice::Identify);
    assert!(clock.hello().boot > first);
    wait_for(&mut clock, &stopped);
}

#[test]
fn the_faces_of_a_table_on_a_shared_line_do_not_wait_until_a_host_asks() {
    let Some((emulator, elf)) = firmware() else { return };
    let elf = elf.join("table-hall-rs485");
    let mut table: Controller<FromShared> = Controller::start(&emulator, &elf, "c400000300000079");
    let bars = Faces { a: unset(), b: unset() };
    wait_until(&mut table, "bars", |faces| *faces == bars);
    let heard = table.next(Duration::ZERO);
    assert!(heard.is_none(), "nobody asked: {heard:?}");
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
