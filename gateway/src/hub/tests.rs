use firmware_proto::{
    Address, Body, ByHalf, Capabilities, ClockFace, Done, DoneCode, MAX_FRAME, ResetCause, Session, encode,
};

use super::*;

const ONE: PortId = PortId(1);
const TWO: PortId = PortId(2);
const CLOCK: DeviceUid = DeviceUid(0xc1);
const BOOT: BootId = BootId(3);

fn at(millis: u32) -> Now {
    Now { wait: Millis(millis), venue: Epoch(1_000_000 + i64::from(millis)) }
}

fn hub() -> Hub {
    Hub::new(&Known::new(Session(1)))
}

fn hello(uid: DeviceUid, boot: BootId, oldest: u32, next: u32) -> FromDevice {
    FromDevice::Hello(Hello {
        uid,
        boot,
        firmware: 1,
        hardware: 1,
        reset: ResetCause::PowerOn,
        capabilities: Capabilities { board: None, clock: true },
        oldest: Seq(oldest),
        next: Seq(next),
        overflowed: 0,
        at: Millis(0),
    })
}

fn record(boot: BootId, seq: u32, millis: u32) -> FromDevice {
    FromDevice::Record(boot, Record { seq: Seq(seq), at: Millis(millis), body: Body::Marker(CmdId(seq)) })
}

fn say(hub: &mut Hub, port: PortId, message: FromDevice, now: Now) {
    let mut frame = [0; MAX_FRAME];
    let used = encode(Address::POINT_TO_POINT, &message, &mut frame).unwrap();
    hub.on_bytes(port, &frame[..used], now);
}

/// What it sends, and what it keeps.
fn done(hub: &mut Hub) -> (Vec<(PortId, ToDevice)>, Vec<Sighting>) {
    let (mut sent, mut kept) = (vec![], vec![]);
    while let Some(output) = hub.poll_output() {
        match output {
            Output::Send(port, message) => sent.push((port, message)),
            Output::Keep(_, observation) => kept.push(observation.sighting),
            Output::Fault(..) | Output::Untellable(..) => {}
        }
    }
    (sent, kept)
}

fn attached(hub: &mut Hub, port: PortId, uid: DeviceUid) {
    hub.on_open(port, at(0));
    say(hub, port, hello(uid, BOOT, 1, 1), at(0));
    done(hub);
}

#[test]
fn a_port_is_asked_who_is_there_until_someone_says_it() {
    let mut hub = hub();
    hub.on_open(ONE, at(0));
    assert_eq!(done(&mut hub).0, [(ONE, ToDevice::Identify)]);
    hub.poll(at(999));
    assert_eq!(done(&mut hub).0, []);
    assert_eq!(hub.poll_timeout().unwrap().0, Millis(1_000));
    hub.poll(at(1_000));
    assert_eq!(done(&mut hub).0, [(ONE, ToDevice::Identify)]);
    say(&mut hub, ONE, hello(CLOCK, BOOT, 1, 1), at(1_100));
    assert!(matches!(done(&mut hub).1[..], [Sighting::Attached(_)]));
    assert_eq!(hub.device_at(ONE), Some(CLOCK));
}

#[test]
fn nothing_is_acknowledged_before_it_is_durable() {
    let mut hub = hub();
    attached(&mut hub, ONE, CLOCK);
    say(&mut hub, ONE, record(BOOT, 1, 10), at(20));
    say(&mut hub, ONE, record(BOOT, 2, 11), at(21));
    let (sent, kept) = done(&mut hub);
    assert_eq!((sent.len(), kept.len()), (0, 2));
    // Attached is number 1 of the stream, the records are 2 and 3.
    hub.on_durable(StreamSeq(2));
    assert_eq!(done(&mut hub).0, [(ONE, ToDevice::Ack { boot: BOOT, upto: Seq(1) })]);
    hub.on_durable(StreamSeq(3));
    assert_eq!(done(&mut hub).0, [(ONE, ToDevice::Ack { boot: BOOT, upto: Seq(2) })]);
}

#[test]
fn a_missing_record_is_asked_for_once_and_a_repeated_one_is_dropped() {
    let mut hub = hub();
    attached(&mut hub, ONE, CLOCK);
    for seq in [1, 3, 4] {
        say(&mut hub, ONE, record(BOOT, seq, seq), at(5));
    }
    let (sent, kept) = done(&mut hub);
    assert_eq!((sent, kept.len()), (vec![(ONE, ToDevice::Nak { boot: BOOT, from: Seq(2) })], 1));
    for seq in [1, 2, 3] {
        say(&mut hub, ONE, record(BOOT, seq, seq), at(6));
    }
    assert_eq!(done(&mut hub).1.len(), 2);
    let fault = hub.link(ONE, "tty").fault;
    assert_eq!((fault.repeated, fault.asked_again), (1, 1));
}

#[test]
fn two_cables_swapped_while_the_ports_stay_open_swap_the_devices() {
    let board = DeviceUid(0xb0);
    let mut hub = hub();
    attached(&mut hub, ONE, CLOCK);
    attached(&mut hub, TWO, board);
    say(&mut hub, ONE, hello(board, BOOT, 1, 1), at(10));
    say(&mut hub, TWO, hello(CLOCK, BOOT, 1, 1), at(11));
    assert_eq!((hub.device_at(ONE), hub.device_at(TWO)), (Some(board), Some(CLOCK)));
    done(&mut hub);
    say(&mut hub, TWO, record(BOOT, 1, 1), at(12));
    hub.on_durable(StreamSeq(99));
    assert_eq!(done(&mut hub).0, [(TWO, ToDevice::Ack { boot: BOOT, upto: Seq(1) })]);
}

#[test]
fn a_silent_device_is_gone_after_three_seconds_and_attached_again_when_it_speaks() {
    let mut hub = hub();
    attached(&mut hub, ONE, CLOCK);
    hub.poll(at(2_999));
    assert_eq!(done(&mut hub).1, []);
    hub.poll(at(3_000));
    assert_eq!(done(&mut hub).1, [Sighting::Detached]);
    assert_eq!(hub.beats(), []);
    say(&mut hub, ONE, hello(CLOCK, BOOT, 1, 1), at(9_000));
    assert!(matches!(done(&mut hub).1[..], [Sighting::Attached(_)]));
}

#[test]
fn a_greeting_in_between_is_no_second_attachment() {
    let mut hub = hub();
    attached(&mut hub, ONE, CLOCK);
    say(&mut hub, ONE, hello(CLOCK, BOOT, 1, 1), at(100));
    assert_eq!(done(&mut hub).1, []);
}

#[test]
fn what_a_device_had_to_drop_is_named_as_a_gap_and_the_rest_goes_on() {
    let mut hub = hub();
    hub.on_open(ONE, at(0));
    say(&mut hub, ONE, hello(CLOCK, BOOT, 41, 80), at(0));
    let (_, kept) = done(&mut hub);
    assert!(matches!(kept[0], Sighting::Attached(_)));
    assert_eq!(kept[1..], [Sighting::Gap { boot: BOOT, from: Seq(1), to: Seq(40) }]);
    say(&mut hub, ONE, record(BOOT, 41, 1), at(1));
    assert_eq!(done(&mut hub).1.len(), 1);
}

#[test]
fn what_a_reset_took_with_it_is_named_before_the_new_start() {
    let mut hub = hub();
    attached(&mut hub, ONE, CLOCK);
    say(&mut hub, ONE, record(BOOT, 1, 1), at(1));
    let beat = FromDevice::Beat { boot: BOOT, next_seq: Seq(5), at: Millis(2), face: None };
    say(&mut hub, ONE, beat, at(2));
    done(&mut hub);
    say(&mut hub, ONE, hello(CLOCK, BootId(4), 1, 1), at(3));
    let (_, kept) = done(&mut hub);
    assert_eq!(kept[0], Sighting::Gap { boot: BOOT, from: Seq(2), to: Seq(4) });
    assert!(matches!(kept[1..], [Sighting::Attached(Hello { boot: BootId(4), .. })]));
}

#[test]
fn after_a_restart_what_the_store_has_is_acknowledged_and_not_kept_again() {
    let mut known = Known::new(Session(1));
    known.devices.insert(CLOCK, (BOOT, Seq(8)));
    let mut hub = Hub::new(&known);
    hub.on_open(ONE, at(0));
    say(&mut hub, ONE, hello(CLOCK, BOOT, 3, 9), at(0));
    let (sent, _) = done(&mut hub);
    assert!(sent.contains(&(ONE, ToDevice::Ack { boot: BOOT, upto: Seq(7) })), "{sent:?}");
    say(&mut hub, ONE, record(BOOT, 7, 1), at(1));
    assert_eq!(done(&mut hub).1, []);
    say(&mut hub, ONE, record(BOOT, 8, 1), at(1));
    assert_eq!(done(&mut hub).1.len(), 1);
}

#[test]
fn a_gateway_that_starts_says_of_each_device_it_knew_that_it_is_gone() {
    let mut known = Known::new(Session(1));
    known.devices.insert(CLOCK, (BOOT, Seq(8)));
    let mut hub = Hub::new(&known);
    hub.on_start(at(0).venue);
    assert_eq!(done(&mut hub).1, [Sighting::Detached]);
}

#[test]
fn a_command_is_handed_over_until_it_is_answered_and_its_answer_is_kept_once() {
    let mut hub = hub();
    attached(&mut hub, ONE, CLOCK);
    let handed_over = [(ONE, ToDevice::Command(CmdId(5), Command::Pause))];
    hub.on_command(CLOCK, CmdId(5), Command::Pause, at(10));
    assert_eq!(done(&mut hub).0, handed_over);
    hub.on_command(CLOCK, CmdId(5), Command::Pause, at(20));
    assert_eq!(done(&mut hub).0, [], "it is under way");
    hub.poll(at(510));
    assert_eq!(done(&mut hub).0, handed_over);
    let answer = Done { command: CmdId(5), code: DoneCode::Ok };
    say(&mut hub, ONE, FromDevice::Done(answer), at(520));
    assert_eq!(done(&mut hub).1, [Sighting::Done(answer)]);
    say(&mut hub, ONE, FromDevice::Done(Done { code: DoneCode::Repeated, ..answer }), at(521));
    hub.on_command(CLOCK, CmdId(5), Command::Pause, at(530));
    assert_eq!(done(&mut hub), (vec![], vec![]));
}

#[test]
fn a_command_for_a_device_that_is_not_there_waits_for_the_server_to_repeat_it() {
    let mut hub = hub();
    hub.on_command(CLOCK, CmdId(5), Command::Pause, at(10));
    attached(&mut hub, ONE, CLOCK);
    assert_eq!(done(&mut hub).0, []);
    hub.on_command(CLOCK, CmdId(5), Command::Pause, at(20));
    assert_eq!(done(&mut hub).0.len(), 1);
}

#[test]
fn records_are_stamped_with_the_time_at_which_they_happened() {
    let mut hub = hub();
    attached(&mut hub, ONE, CLOCK);
    // The device's 0 was at venue 1 000 000; a round trip says so precisely.
    hub.poll(at(1_000));
    let (sent, _) = done(&mut hub);
    let [(ONE, ToDevice::TimeSync { token })] = sent[..] else { panic!("{sent:?}") };
    say(&mut hub, ONE, FromDevice::TimeSync { token, at: Millis(1_002) }, at(1_004));
    // A record that waited for nearly five minutes.
    say(&mut hub, ONE, record(BOOT, 1, 1_500), at(300_000));
    let stamp = match hub.poll_output() {
        Some(Output::Keep(_, observation)) => observation.at,
        other => panic!("{other:?}"),
    };
    assert_eq!(stamp, Epoch(1_001_500));
}

#[test]
fn beats_tell_who_is_there_and_what_its_clock_shows() {
    let mut hub = hub();
    attached(&mut hub, ONE, CLOCK);
    let face = ClockFace { left: ByHalf { a: Millis(9), b: Millis(8) }, running: None };
    let beat = FromDevice::Beat { boot: BOOT, next_seq: Seq(1), at: Millis(50), face: Some(face) };
    say(&mut hub, ONE, beat, at(60));
    let beats = hub.beats();
    assert_eq!((beats.len(), beats[0].device, beats[0].face), (1, CLOCK, Some(face)));
}

#[test]
fn noise_on_one_port_is_told_and_disturbs_no_other() {
    let mut hub = hub();
    attached(&mut hub, ONE, CLOCK);
    hub.on_open(TWO, at(0));
    done(&mut hub);
    hub.on_bytes(TWO, &[1, 2, 3, 0], at(1));
    assert_eq!(hub.poll_output(), Some(Output::Fault(TWO, Fault::Garbage { bytes: 3 })));
    say(&mut hub, ONE, record(BOOT, 1, 1), at(2));
    assert_eq!(done(&mut hub).1.len(), 1);
    assert_eq!(hub.link(TWO, "tty").fault.frames.garbage, 3);
}

#[test]
fn a_device_that_starts_anew_under_an_old_number_is_reported() {
    let mut known = Known::new(Session(1));
    known.devices.insert(CLOCK, (BOOT, Seq(8)));
    let mut hub = Hub::new(&known);
    hub.on_open(ONE, at(0));
    say(&mut hub, ONE, hello(CLOCK, BOOT, 1, 2), at(0));
    let reported = std::iter::from_fn(|| hub.poll_output());
    assert!(reported.into_iter().any(|output| output == Output::Untellable(ONE, CLOCK, BOOT)));
}

#[test]
fn a_link_counts_its_devices_starts_and_knows_the_longest_silence() {
    let mut hub = hub();
    attached(&mut hub, ONE, CLOCK);
    say(&mut hub, ONE, record(BOOT, 1, 900), at(900));
    say(&mut hub, ONE, record(BOOT, 2, 2_600), at(2_600));
    let link = hub.link(ONE, "tty");
    assert_eq!((link.device, link.resets, link.worst_gap), (Some(CLOCK), 0, Millis(1_700)));
    say(&mut hub, ONE, hello(CLOCK, BootId(4), 1, 1), at(3_000));
    hub.poll(at(6_100));
    let link = hub.link(ONE, "tty");
    assert_eq!(
        (link.device, link.resets, link.worst_gap),
        (None, 1, Millis(3_100)),
        "given up after a silence"
    );
    say(&mut hub, ONE, hello(CLOCK, BootId(4), 1, 1), at(60_000));
    assert_eq!(hub.link(ONE, "tty").worst_gap, Millis(3_100), "while nobody was there nobody was silent");
}

fn left(boot: BootId, oldest: u32, next: u32, last: u32, ago: u32) -> FromDevice {
    let FromDevice::Hello(hello) = hello(CLOCK, BootId(4), 1, 2) else { unreachable!() };
    let (oldest, next, last, ago) = (Seq(oldest), Seq(next), Millis(last), Millis(ago));
    FromDevice::Left(hello, Left { boot, oldest, next, last, ago })
}

#[test]
fn what_an_earlier_start_left_is_taken_before_the_device_is_attached_again() {
    let mut hub = hub();
    attached(&mut hub, ONE, CLOCK);
    say(&mut hub, ONE, record(BOOT, 1, 10), at(10));
    say(&mut hub, ONE, left(BOOT, 2, 4, 30, 5), at(100));
    say(&mut hub, ONE, record(BOOT, 2, 20), at(101));
    // Its present start's words do not count yet.
    let beat = FromDevice::Beat { boot: BootId(4), next_seq: Seq(2), at: Millis(7), face: None };
    say(&mut hub, ONE, beat, at(102));
    say(&mut hub, ONE, record(BOOT, 3, 30), at(103));
    assert_eq!(hub.beats(), [], "it is not there");
    say(&mut hub, ONE, hello(CLOCK, BootId(4), 1, 2), at(104));
    say(&mut hub, ONE, record(BootId(4), 1, 0), at(105));
    let (sent, kept) = done(&mut hub);
    assert_eq!(sent, []);
    let starts: Vec<_> = kept
        .iter()
        .map(|sighting| match sighting {
            Sighting::Record(boot, record) => (boot.0, record.seq.0),
            Sighting::Detached => (0, 0),
            Sighting::Attached(hello) => (hello.boot.0, 0),
            Sighting::Done(_) | Sighting::Gap { .. } => panic!("{sighting:?}"),
        })
        .collect();
    assert_eq!(starts, [(3, 1), (0, 0), (3, 2), (3, 3), (4, 0), (4, 1)]);
    hub.on_durable(StreamSeq(99));
    assert_eq!(done(&mut hub).0, [(ONE, ToDevice::Ack { boot: BootId(4), upto: Seq(1) })]);
}

#[test]
fn what_has_been_taken_of_an_earlier_start_is_acknowledged_again_and_not_kept_again() {
    let mut hub = hub();
    attached(&mut hub, ONE, CLOCK);
    say(&mut hub, ONE, record(BOOT, 1, 10), at(10));
    hub.on_durable(StreamSeq(99));
    done(&mut hub);
    say(&mut hub, ONE, left(BOOT, 1, 2, 10, 5), at(100));
    assert_eq!(
        done(&mut hub),
        (vec![(ONE, ToDevice::Ack { boot: BOOT, upto: Seq(1) })], vec![Sighting::Detached])
    );
    say(&mut hub, ONE, hello(CLOCK, BootId(4), 1, 2), at(101));
    done(&mut hub);
    // Its power goes again before it has noted that.
    say(&mut hub, ONE, left(BOOT, 1, 2, 10, 5), at(200));
    assert_eq!(done(&mut hub).0, [(ONE, ToDevice::Ack { boot: BOOT, upto: Seq(1) })]);
}

#[test]
fn what_is_missing_of_an_earlier_start_is_named() {
    let mut hub = hub();
    attached(&mut hub, ONE, CLOCK);
    say(&mut hub, ONE, record(BOOT, 1, 10), at(10));
    done(&mut hub);
    say(&mut hub, ONE, left(BOOT, 5, 6, 50, 5), at(100));
    let gap = Sighting::Gap { boot: BOOT, from: Seq(2), to: Seq(4) };
    assert_eq!(done(&mut hub).1, [Sighting::Detached, gap]);
}

/// The stamps of the records that are kept, from venue time 1 000 000.
fn stamps(hub: &mut Hub) -> Vec<i64> {
    let kept = std::iter::from_fn(|| hub.poll_output());
    let stamp = |output| match output {
        Output::Keep(_, Observation { at, sighting: Sighting::Record(..), .. }) => Some(at.0 - 1_000_000),
        Output::Keep(..) | Output::Send(..) | Output::Fault(..) | Output::Untellable(..) => None,
    };
    kept.filter_map(stamp).collect()
}

#[test]
fn a_start_that_was_seen_dates_its_records_though_it_is_over() {
    let mut hub = hub();
    attached(&mut hub, ONE, CLOCK);
    hub.poll(at(1_000));
    let token = 1;
    say(&mut hub, ONE, FromDevice::TimeSync { token, at: Millis(1_002) }, at(1_004));
    hub.on_close(ONE, at(2_000));
    hub.on_open(ONE, at(500_000));
    say(&mut hub, ONE, left(BOOT, 1, 3, 5_000, 300), at(500_000));
    say(&mut hub, ONE, record(BOOT, 1, 3_000), at(500_010));
    say(&mut hub, ONE, record(BOOT, 2, 5_000), at(500_020));
    assert_eq!(stamps(&mut hub), [3_000, 5_000]);
}

#[test]
fn after_a_restart_of_the_gateway_the_last_record_in_its_store_dates_those_after_it() {
    let mut known = Known::new(Session(1));
    known.devices.insert(CLOCK, (BOOT, Seq(8)));
    known.dated.insert(CLOCK, (BOOT, Millis(4_000), Epoch(1_004_000)));
    let mut hub = Hub::new(&known);
    hub.on_open(ONE, at(900_000));
    say(&mut hub, ONE, left(BOOT, 8, 9, 5_000, 300), at(900_000));
    say(&mut hub, ONE, record(BOOT, 8, 5_000), at(900_010));
    assert_eq!(stamps(&mut hub), [5_000]);
}

#[test]
fn a_start_that_nobody_saw_is_dated_as_late_as_it_can_have_been() {
    let mut hub = hub();
    hub.on_open(ONE, at(900_000));
    say(&mut hub, ONE, left(BOOT, 1, 3, 5_000, 300), at(900_000));
    say(&mut hub, ONE, record(BOOT, 1, 3_000), at(900_010));
    say(&mut hub, ONE, record(BOOT, 2, 5_000), at(900_020));
    assert_eq!(stamps(&mut hub), [897_700, 899_700]);
}

#[test]
fn a_device_whose_log_is_full_is_known_until_it_says_otherwise_or_starts_anew() {
    let mut hub = hub();
    attached(&mut hub, ONE, CLOCK);
    let says = |hub: &mut Hub, seq, unkept| {
        let body = Body::Health(HealthFault::Unkept(unkept));
        let record = Record { seq: Seq(seq), at: Millis(0), body };
        say(hub, ONE, FromDevice::Record(BOOT, record), at(0));
        hub.unkept().collect::<Vec<_>>()
    };
    assert_eq!(says(&mut hub, 1, true), [CLOCK]);
    assert_eq!(says(&mut hub, 2, false), []);
    assert_eq!(says(&mut hub, 3, true), [CLOCK]);
    say(&mut hub, ONE, hello(CLOCK, BootId(4), 1, 1), at(0));
    assert_eq!(hub.unkept().count(), 0);
}
