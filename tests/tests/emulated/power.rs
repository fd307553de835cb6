//! The power goes while the chip writes to its flash.

use std::collections::BTreeMap;
use std::time::Duration;

use firmware_proto::{
    Body, BootId, ByHalf, Capabilities, Cell, ClockFace, ClockSetting, CmdId, Command, FromDevice, Half,
    Millis, Record, ResetCause, SensingKind, Seq, ToDevice,
};

use crate::controller::{Controller, Heard};
use crate::firmware;

/// A lever is pushed so often.
const PUSH: Duration = Duration::from_millis(300);

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
    let Some((emulator, elf)) = firmware() else { return };
    let mut clock = Controller::start(&emulator, &elf.join("clock"), "c400000200000063");
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
        clock.bench(&format!("power 0 cut {bytes}"));
        let mut lever = 1;
        'pressing: for push in 0.. {
            assert!(push < MOST_PUSHES, "cut at byte {bytes}: nothing was written in {push} pushes");
            // A clock that was not yet ready to hear it stands still, and keeps nothing.
            if push % 25 == 24 {
                clock.say(ToDevice::Command(CmdId(1_000 * (round as u32 + 1) + push), Command::Run(Half::A)));
            }
            clock.bench(&format!("contacts 0 {lever}"));
            lever = 3 - lever;
            while let Some(heard) = clock.next(PUSH) {
                shown = face(&heard).unwrap_or(shown);
                if let Heard::PowerGone = heard {
                    break 'pressing;
                }
            }
        }
        clock.bench("contacts 0 0");
        // And goes again while this start is counted: no time passes between the two.
        clock.bench(&format!("power 0 on\npower 0 cut {}", round * 2));
        clock.wait_for("the second cut", |heard| matches!(heard, Heard::PowerGone).then_some(()));
        clock.bench("power 0 on");

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
    let Some((emulator, elf)) = firmware() else { return };
    for (program, capabilities) in [
        ("board-hall", Capabilities { board: Some(SensingKind::Colour), clock: false }),
        ("board-matrix", Capabilities { board: Some(SensingKind::Occupancy), clock: false }),
        ("table-hall", Capabilities { board: Some(SensingKind::Colour), clock: true }),
        ("table-matrix", Capabilities { board: Some(SensingKind::Occupancy), clock: true }),
    ] {
        let mut table: Controller = Controller::start(&emulator, &elf.join(program), "c400000300000065");
        table.bench(&format!("cells 0 1{}", "0".repeat(89)));
        let mut boot = table.hello().boot;
        for byte in [0, 1, 4, 7, 10] {
            table.bench(&format!("power 0 off\npower 0 on\npower 0 cut {byte}"));
            let gone = |heard: &Heard| matches!(heard, Heard::PowerGone).then_some(());
            table.wait_for("the first cut", gone);
            table.wait_for("the cut while it starts", gone);
            table.bench("power 0 on");
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

/// Records by start and number.
type Records = BTreeMap<(BootId, Seq), Record>;

/// A host that hears everything and takes records only when it wants to.
#[derive(Default)]
struct Host {
    /// What it was told while it took nothing.
    told: Records,
    /// The highest number that was announced then.
    announced: BTreeMap<BootId, Seq>,
    /// What it took.
    taken: Records,
}

impl Host {
    /// Hears what is said and answers nothing.
    fn overhears(&mut self, said: &FromDevice) {
        match said {
            FromDevice::Record(boot, record) => {
                self.told.insert((*boot, record.seq), *record);
            }
            FromDevice::Beat { boot, next_seq, .. } => {
                self.announced.insert(*boot, Seq(next_seq.0 - 1));
            }
            FromDevice::Hello(_)
            | FromDevice::Done(_)
            | FromDevice::TimeSync { .. }
            | FromDevice::Update(_)
            | FromDevice::Left(..) => {}
        }
    }

    /// Takes what earlier starts left, record by record, each once and in its order; which start it is now.
    fn takes_what_was_left(&mut self, table: &mut Controller) -> BootId {
        loop {
            let said = table.wait_for("what earlier starts left", |heard| match heard {
                Heard::Says(said) => Some(*said),
                Heard::PowerGone => None,
            });
            match said {
                FromDevice::Hello(hello) => return hello.boot,
                FromDevice::Record(boot, record) => {
                    let before = Seq(record.seq.0 - 1);
                    if before == Seq(0) || self.taken.contains_key(&(boot, before)) {
                        let again = self.taken.insert((boot, record.seq), record);
                        assert!(again.is_none_or(|again| again == record), "{again:?} and now {record:?}");
                    }
                    let upto = self.taken.range((boot, Seq(0))..=(boot, Seq(u32::MAX))).next_back();
                    let upto = upto.map(|((_, upto), _)| *upto).unwrap();
                    table.say(ToDevice::Ack { boot, upto });
                }
                FromDevice::Beat { .. }
                | FromDevice::Done(_)
                | FromDevice::TimeSync { .. }
                | FromDevice::Update(_)
                | FromDevice::Left(..) => {}
            }
        }
    }
}

#[test]
fn what_was_told_while_nobody_listened_is_handed_over_whatever_byte_the_power_goes_at() {
    let Some((emulator, elf)) = firmware() else { return };
    let mut table: Controller = Controller::start(&emulator, &elf.join("table-matrix"), "c400000300000066");
    let mut host = Host::default();
    let mut boot = table.hello().boot;
    // Between two writes, and in the midst of one; then so soon that some starts cannot even tell how they stand.
    for bytes in [None, Some(1), Some(9), Some(30), Some(75), Some(150), Some(0), Some(300)] {
        if let Some(bytes) = bytes {
            table.bench(&format!("power 0 cut {bytes}"));
        }
        let mut piece = '0';
        'moving: for push in 0.. {
            assert!(push < MOST_PUSHES, "cut at byte {bytes:?}: nothing was written in {push} moves");
            if bytes.is_none() && push == 20 {
                table.bench("power 0 off");
            }
            piece = if piece == '0' { '1' } else { '0' };
            table.bench(&format!("cells 0 {piece}{}", "0".repeat(89)));
            while let Some(heard) = table.next(PUSH) {
                match heard {
                    Heard::Says(said) => host.overhears(&said),
                    Heard::PowerGone => break 'moving,
                }
            }
        }
        table.bench("power 0 on");
        let next = host.takes_what_was_left(&mut table);
        assert!(next > boot, "start {next} after start {boot}");
        boot = next;
    }
    for (key, record) in &host.told {
        // The present start has handed nothing over yet.
        assert!(key.0 == boot || host.taken.get(key) == Some(record), "{key:?} was told and is lost");
    }
    for (of, upto) in host.announced {
        assert!(
            of == boot || host.taken.contains_key(&(of, upto)),
            "{upto} of start {of} was announced and is lost"
        );
    }
    // A device that hears nothing tells the same again; of the rest it announces the number.
    let handed_over = host.taken.len();
    assert!(handed_over > 40, "only {handed_over} records were made before a cut");
}

/// Its time begins anew at an instant that no whole number names; added to that it rounds to a little less than what was
/// asked for, and is reached all the same.
#[test]
fn time_passes_to_every_instant_after_a_power_cut() {
    let Some((emulator, elf)) = firmware() else { return };
    let mut clock = Controller::start(&emulator, &elf.join("clock"), "c400000200000066");
    clock.hello();
    clock.until("3217.4451237771");
    clock.bench("power 0 off\npower 0 on");
    for ms in 7_517..7_817 {
        clock.until(&format!("{ms}.445{:07}", ms * 1_237));
    }
    assert_eq!(clock.hello().boot, BootId(2));
}
