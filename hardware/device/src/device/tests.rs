use firmware_proto::{ByHalf, ClockSetting, HealthFault, Record, SensingKind};

use super::*;

mod updating;

const COLOUR_BOARD: Capabilities = Capabilities { board: Some(SensingKind::Colour), clock: false };
const CLOCK: Capabilities = Capabilities { board: None, clock: true };
const BOTH: Capabilities = Capabilities { board: Some(SensingKind::Colour), clock: true };

fn record(message: FromDevice) -> Option<Record> {
    if let FromDevice::Record(BootId(4), record) = message { Some(record) } else { None }
}

/// A device with a host that reads all it says.
struct Bench {
    device: Box<Device>,
    reader: FrameReader<FromDevice>,
    raw: [Reading; Cell::COUNT],
}

impl Bench {
    fn new(capabilities: Capabilities) -> Bench {
        let config = Config {
            uid: DeviceUid(1),
            boot: BootId(4),
            firmware: 1,
            hardware: 1,
            reset: ResetCause::PowerOn,
            capabilities,
            address: Address::POINT_TO_POINT,
            // Resending is the delivery machine's matter and tested there: here each record comes once.
            pace: Pace { first_retry: Millis(1 << 30), ..Pace::SERIAL },
        };
        let mut device = Box::new(Device::new(config, Millis(0)));
        device.poll(Millis(0));
        Bench { device, reader: FrameReader::new(), raw: [Reading::EMPTY; Cell::COUNT] }
    }

    fn heard(&mut self) -> Vec<FromDevice> {
        let mut out = [0; 4096];
        let mut messages = vec![];
        loop {
            let used = self.device.take_output(&mut out);
            if used == 0 {
                return messages;
            }
            self.reader.push_all(&out[..used], |outcome| messages.push(outcome.unwrap().1));
        }
    }

    fn records(&mut self) -> Vec<Record> {
        self.heard().into_iter().filter_map(record).collect()
    }

    /// All that is to be heard, acknowledged as it comes.
    fn all_heard(&mut self, now: u32) -> Vec<FromDevice> {
        let mut all = vec![];
        loop {
            let heard = self.heard();
            let Some(last) = heard.iter().copied().filter_map(record).next_back() else { break };
            all.extend(heard);
            self.say(ToDevice::Ack { boot: BootId(4), upto: last.seq }, now);
        }
        all
    }

    fn bodies(&mut self) -> Vec<Body> {
        self.records().into_iter().map(|record| record.body).collect()
    }

    fn say(&mut self, message: ToDevice, now: u32) {
        let mut frame = [0; MAX_FRAME];
        let used = encode(Address::POINT_TO_POINT, &message, &mut frame).unwrap();
        self.device.on_bytes(&frame[..used], Millis(now));
    }

    fn scan(&mut self, from: u32, to: u32) {
        for now in (from..to).step_by(10) {
            self.device.on_scan(Millis(now), &self.raw);
        }
    }

    fn put(&mut self, cell: u8, reading: u8) {
        self.raw[usize::from(cell)] = Reading(reading);
    }
}

fn face(a: u32, b: u32, running: Option<Half>) -> ClockFace {
    ClockFace { left: ByHalf { a: Millis(a), b: Millis(b) }, running }
}

fn set_clock(a: u32, b: u32, increment: u32) -> Command {
    Command::SetClock(ClockSetting { face: face(a, b, None), increment: Millis(increment) })
}

#[test]
fn a_start_greets_first_and_each_part_tells_its_state() {
    let mut bench = Bench::new(BOTH);
    bench.put(4, 1);
    bench.scan(0, 50);
    let heard = bench.heard();
    assert!(matches!(heard[0], FromDevice::Hello(Hello { next: Seq(3), .. })), "{heard:?}");
    let mut image = Image::empty(SensingKind::Colour);
    image.set(Cell::new(4).unwrap(), Reading(1)).unwrap();
    let told: Vec<Record> = heard.into_iter().filter_map(record).collect();
    assert_eq!(
        told,
        [
            Record { seq: Seq(1), at: Millis(0), body: Body::Clock(face(0, 0, None)) },
            Record { seq: Seq(2), at: Millis(20), body: Body::Snapshot(image) },
        ]
    );
}

#[test]
fn a_lifted_and_placed_piece_is_two_changes_and_a_minute_later_the_image_checks_them() {
    let mut bench = Bench::new(COLOUR_BOARD);
    bench.put(10, 1);
    bench.scan(0, 100);
    bench.heard();
    bench.put(10, 0);
    bench.scan(100, 500);
    bench.put(20, 1);
    bench.scan(500, 600);
    let cell = |index| Cell::new(index).unwrap();
    assert_eq!(bench.bodies(), [Body::Point(cell(10), Reading(0)), Body::Point(cell(20), Reading(1))]);
    let (due, why) =
        [bench.device.board.as_ref().unwrap().poll_timeout()].into_iter().flatten().next().unwrap();
    assert_eq!((due, why), (Millis(60_120), "record the image as a check"));
    bench.device.poll(due);
    let image = *bench.device.image().unwrap();
    assert_eq!(bench.bodies(), [Body::Snapshot(image)]);
    bench.device.poll(Millis(200_000));
    assert_eq!(bench.bodies(), [], "nothing changed since");
}

#[test]
fn presses_carry_both_times_and_a_flag_its_instant() {
    let mut bench = Bench::new(CLOCK);
    bench.say(ToDevice::Command(CmdId(9), set_clock(10_000, 2_000, 500)), 100);
    bench.device.on_lever(Half::B, Millis(1_000));
    bench.device.on_lever(Half::A, Millis(4_000));
    bench.device.on_lever(Half::A, Millis(4_010));
    bench.device.poll(Millis(7_000));
    let records = bench.records();
    let at_and_body: Vec<_> = records.iter().skip(1).map(|record| (record.at.0, record.body)).collect();
    assert_eq!(
        at_and_body,
        [
            (100, Body::Marker(CmdId(9))),
            (100, Body::Clock(face(10_000, 2_000, None))),
            (1_000, Body::Press(Half::B, face(10_000, 2_000, Some(Half::A)))),
            (4_000, Body::Press(Half::A, face(7_500, 2_000, Some(Half::B)))),
            (6_000, Body::Flag(Half::B, face(7_500, 0, Some(Half::B)))),
        ]
    );
}

#[test]
fn a_flag_that_fell_before_a_late_press_is_recorded_before_it() {
    let mut bench = Bench::new(CLOCK);
    bench.say(ToDevice::Command(CmdId(1), set_clock(1_000, 1_000, 5_000)), 0);
    bench.device.on_lever(Half::B, Millis(0));
    bench.heard();
    bench.device.on_lever(Half::A, Millis(1_500));
    assert_eq!(
        bench.bodies(),
        [
            Body::Flag(Half::A, face(0, 1_000, Some(Half::A))),
            Body::Press(Half::A, face(0, 1_000, Some(Half::B)))
        ]
    );
}

#[test]
fn a_repeated_command_acts_once_and_is_answered_again() {
    let mut bench = Bench::new(CLOCK);
    let command = ToDevice::Command(CmdId(7), set_clock(5_000, 5_000, 0));
    bench.say(command, 10);
    bench.say(command, 20);
    let heard = bench.heard();
    let done = |code| FromDevice::Done(Done { command: CmdId(7), code });
    assert_eq!(heard[1..3], [done(DoneCode::Ok), done(DoneCode::Repeated)]);
    let markers = heard
        .iter()
        .filter(|message| matches!(message, FromDevice::Record(_, Record { body: Body::Marker(_), .. })));
    assert_eq!(markers.count(), 1);
}

#[test]
fn a_command_for_a_part_that_it_has_not_is_unsupported_and_leaves_no_mark() {
    let mut bench = Bench::new(COLOUR_BOARD);
    bench.say(ToDevice::Command(CmdId(1), Command::Pause), 0);
    bench.say(ToDevice::Command(CmdId(2), Command::Snapshot), 0);
    let heard = bench.heard();
    let done = |id, code| FromDevice::Done(Done { command: CmdId(id), code });
    assert_eq!(heard[1..], [done(1, DoneCode::Unsupported), done(2, DoneCode::Refused)]);
}

#[test]
fn a_walk_test_names_the_cells_that_saw_nothing_and_those_that_never_were_empty() {
    let mut bench = Bench::new(COLOUR_BOARD);
    let (dead, stuck) = (17, 44);
    bench.put(stuck, 2);
    bench.scan(0, 100);
    bench.say(ToDevice::Command(CmdId(1), Command::Walk(false)), 100);
    bench.say(ToDevice::Command(CmdId(2), Command::Walk(true)), 100);
    let mut now = 100;
    for cell in (0..90).filter(|cell| ![dead, stuck].contains(cell)) {
        for reading in [1, 0] {
            bench.put(cell, reading);
            bench.scan(now, now + 40);
            now += 40;
        }
    }
    let heard = bench.all_heard(now);
    let code = |id, code| FromDevice::Done(Done { command: CmdId(id), code });
    assert!(heard.contains(&code(1, DoneCode::Refused)), "none goes on");
    assert!(heard.contains(&code(2, DoneCode::Ok)));
    bench.say(ToDevice::Command(CmdId(3), Command::Walk(false)), now);
    let cell = |index| Cell::new(index).unwrap();
    assert_eq!(
        bench.bodies(),
        [
            Body::Marker(CmdId(3)),
            Body::Health(HealthFault::DeadCell(cell(dead))),
            Body::Health(HealthFault::StuckCell(cell(stuck))),
        ]
    );
}

#[test]
fn a_walk_test_names_the_cells_at_which_no_field_was_strong() {
    let mut bench = Bench::new(COLOUR_BOARD);
    bench.scan(0, 100);
    bench.say(ToDevice::Command(CmdId(1), Command::Walk(true)), 100);
    let (weak, mut now) = (17, 100);
    for cell in 0..90_u8 {
        for reading in [1, 0] {
            bench.put(cell, reading);
            let mut fields = [300; Cell::COUNT];
            fields[usize::from(cell)] = if cell == weak { 9_000 } else { 20_000 };
            bench.scan(now, now + 40);
            now += 40;
            bench.device.on_fields(Millis(now), &fields);
        }
    }
    bench.all_heard(now);
    bench.say(ToDevice::Command(CmdId(2), Command::Walk(false)), now);
    let fault = HealthFault::WeakCell(Cell::new(weak).unwrap(), 9_000);
    assert_eq!(bench.bodies(), [Body::Marker(CmdId(2)), Body::Health(fault)]);
}

#[test]
fn a_board_is_calibrated_only_while_it_is_empty() {
    let mut bench = Bench::new(COLOUR_BOARD);
    bench.put(3, 1);
    bench.scan(0, 100);
    bench.say(ToDevice::Command(CmdId(1), Command::Calibrate), 100);
    assert!(!bench.device.take_calibration_wish());
    bench.put(3, 0);
    bench.scan(100, 200);
    bench.say(ToDevice::Command(CmdId(2), Command::Calibrate), 200);
    assert!(bench.device.take_calibration_wish());
    assert!(!bench.device.take_calibration_wish(), "once");
}

#[test]
fn a_clock_that_was_reset_goes_on_as_it_stood() {
    let mut bench = Bench::new(CLOCK);
    bench.say(ToDevice::Command(CmdId(1), set_clock(60_000, 60_000, 500)), 0);
    bench.device.on_lever(Half::B, Millis(1_000));
    bench.device.poll(Millis(5_000));
    let kept = bench.device.kept_clock().unwrap();
    let mut after = Device::restarted(bench.device.config, Some(kept), Millis(0));
    assert_eq!(after.face(), Some(face(56_000, 60_000, Some(Half::A))));
    after.on_lever(Half::A, Millis(1_000));
    assert_eq!(after.face(), Some(face(55_500, 60_000, Some(Half::B))));
}

#[test]
fn a_clock_is_to_be_kept_after_each_change_and_every_two_seconds_while_a_time_runs() {
    let mut bench = Bench::new(CLOCK);
    assert_eq!(bench.device.take_clock_to_keep(), None);
    bench.say(ToDevice::Command(CmdId(1), set_clock(60_000, 60_000, 0)), 0);
    assert!(bench.device.take_clock_to_keep().is_some());
    bench.device.poll(Millis(10_000));
    assert_eq!(bench.device.take_clock_to_keep(), None, "nothing runs");
    bench.device.on_lever(Half::B, Millis(10_000));
    let mut kept = 0;
    for now in (10_000..20_000).step_by(10) {
        bench.device.poll(Millis(now));
        kept += u32::from(bench.device.take_clock_to_keep().is_some());
    }
    assert_eq!(kept, 5);
}

#[test]
fn a_reboot_is_answered_before_it_is_due() {
    let mut bench = Bench::new(CLOCK);
    bench.say(ToDevice::Command(CmdId(3), Command::Reboot), 0);
    assert!(!bench.device.wants_reboot());
    bench.heard();
    assert!(bench.device.wants_reboot());
}

#[test]
fn a_host_that_asks_for_what_is_gone_or_speaks_of_another_start_is_told_how_things_are() {
    let mut bench = Bench::new(CLOCK);
    bench.heard();
    bench.say(ToDevice::Ack { boot: BootId(4), upto: Seq(1) }, 0);
    bench.say(ToDevice::Nak { boot: BootId(4), from: Seq(1) }, 0);
    assert!(matches!(bench.heard()[..], [FromDevice::Hello(Hello { oldest: Seq(2), .. })]));
    bench.say(ToDevice::Ack { boot: BootId(3), upto: Seq(80) }, 0);
    assert!(matches!(bench.heard()[..], [FromDevice::Hello(Hello { boot: BootId(4), .. })]));
}

#[test]
fn an_unknown_wire_version_is_answered_with_a_greeting_and_noise_with_nothing() {
    let mut bench = Bench::new(CLOCK);
    bench.heard();
    bench.device.on_bytes(&[1, 2, 3, 0], Millis(0));
    assert_eq!(bench.heard(), []);
    // Version 2, address 0, one byte, its CRC-32C.
    bench.device.on_bytes(&other_version(), Millis(0));
    assert!(matches!(bench.heard()[..], [FromDevice::Hello(_)]));
    assert_eq!(bench.device.faults().bad_version, 1);
}

/// A sound frame of wire version 2.
fn other_version() -> Vec<u8> {
    fn crc32c(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(u32::MAX, |sum, byte| {
            (0..8).fold(
                sum ^ u32::from(*byte),
                |sum, _| {
                    if sum & 1 == 1 { sum >> 1 ^ 0x82f6_3b78 } else { sum >> 1 }
                },
            )
        })
    }
    let body = [2, 9, 9];
    // No zero in it (the sum has none either), so stuffing is one byte in front.
    let mut frame = vec![8];
    frame.extend(body);
    frame.extend(crc32c(&body).to_le_bytes());
    assert!(!frame.contains(&0));
    frame.push(0);
    frame
}

#[test]
fn frames_for_another_address_are_not_for_it() {
    let mut bench = Bench::new(CLOCK);
    bench.heard();
    let mut frame = [0; MAX_FRAME];
    let used = encode(Address(5), &ToDevice::Identify, &mut frame).unwrap();
    bench.device.on_bytes(&frame[..used], Millis(0));
    assert_eq!(bench.heard(), []);
}

#[test]
fn it_says_that_it_is_there_once_a_second_with_what_its_clock_shows() {
    let mut bench = Bench::new(CLOCK);
    bench.heard();
    bench.say(ToDevice::Ack { boot: BootId(4), upto: Seq(1) }, 5);
    assert_eq!(bench.device.poll_timeout(), Some((Millis(1_000), "say that it is there")));
    bench.device.poll(Millis(1_000));
    let face = Some(face(0, 0, None));
    let beat = FromDevice::Beat { boot: BootId(4), next_seq: Seq(2), at: Millis(1_000), face };
    assert_eq!(bench.heard(), [beat]);
}

#[test]
fn a_clock_neither_loses_nor_gains_over_two_hours_of_play() {
    let mut bench = Bench::new(CLOCK);
    let hour = 3_600_000;
    bench.say(ToDevice::Command(CmdId(1), set_clock(hour, hour, 0)), 0);
    let mut now = 0;
    bench.device.on_lever(Half::B, Millis(now));
    let mut used = ByHalf { a: 0, b: 0 };
    let mut half = Half::A;
    let mut think = 977;
    while now < 7_000_000 {
        think = think * 31 % 39_983 + 200;
        for part in 1..4 {
            bench.device.poll(Millis(now + think * part / 4));
        }
        now += think;
        used[half] += think;
        bench.device.on_lever(half, Millis(now));
        half = half.other();
        let seen = bench.device.face().unwrap().left;
        assert_eq!((seen.a.0, seen.b.0), (hour - used.a, hour - used.b));
    }
}

#[test]
fn output_comes_in_whole_frames_only() {
    let mut bench = Bench::new(CLOCK);
    assert_eq!(bench.device.take_output(&mut [0; MAX_FRAME - 1]), 0);
    let mut out = [0; MAX_FRAME];
    let used = bench.device.take_output(&mut out);
    assert!(used > 0);
    assert_eq!(out[..used].iter().filter(|byte| **byte == 0).count(), 1);
}
