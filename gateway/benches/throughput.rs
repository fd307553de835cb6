//! How many records a second one gateway takes: `cargo bench -p gateway`. One JSON object a line.
//!
//! * `frames`: encoding and decoding alone.
//! * `chain`: a device's ring → frames → hub → store with a sync per group → acknowledgement → ring, all in one
//!   thread; a group is what a device's window holds.
//! * `sync`: what the disk allows: entries one by one, each with its sync.

#![allow(clippy::unwrap_used, reason = "a bench that cannot go on ends here")]

use std::time::Instant;

use device::{Config, Device};
use firmware_proto::delivery::Pace;
use firmware_proto::{
    Address, Body, BootId, Capabilities, Cell, DeviceUid, Epoch, FrameReader, FromDevice, MAX_FRAME, Millis,
    Reading, Record, ResetCause, SensingKind, Seq, Session, StreamSeq, encode,
};
use gateway::store::{Entry, Store};
use gateway::{Hub, Now, Output, PortId};

fn main() {
    // Tools that list or run tests run benches too: nothing to do for them.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    report("frames", frames(500_000));
    report("chain", chain(100_000));
    report("sync", sync(2_000));
}

fn report(what: &str, (records, seconds): (u32, f64)) {
    let rate = f64::from(records) / seconds;
    println!(
        "{{\"bench\":\"{what}\",\"records\":{records},\"seconds\":{seconds:.3},\"per_second\":{rate:.0}}}"
    );
}

fn record(index: u32) -> FromDevice {
    let body = Body::Point(Cell::new((index % 90) as u8).unwrap(), Reading(1));
    FromDevice::Record(BootId(1), Record { seq: Seq(index + 1), at: Millis(index * 20), body })
}

fn frames(records: u32) -> (u32, f64) {
    let mut reader = FrameReader::<FromDevice>::new();
    let mut seen = 0;
    let start = Instant::now();
    for index in 0..records {
        let mut frame = [0; MAX_FRAME];
        let used = encode(Address::POINT_TO_POINT, &record(index), &mut frame).unwrap();
        reader.push_all(&frame[..used], |outcome| seen += u32::from(outcome.is_ok()));
    }
    assert_eq!(seen, records);
    (records, start.elapsed().as_secs_f64())
}

fn chain(records: u32) -> (u32, f64) {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path(), Session(1)).unwrap().store;
    let mut hub = Hub::new(store.known());
    let config = Config {
        uid: DeviceUid(1),
        boot: BootId(1),
        firmware: 1,
        hardware: 1,
        reset: ResetCause::PowerOn,
        capabilities: Capabilities { board: Some(SensingKind::Occupancy), clock: false },
        address: Address::POINT_TO_POINT,
        pace: Pace::SERIAL,
    };
    let mut device = Box::new(Device::new(config, Millis(0)));
    let port = PortId(1);
    let at = |millis: u32| Now { wait: Millis(millis), venue: Epoch(i64::from(millis)) };
    hub.on_open(port, at(0));
    let mut raw = [Reading::EMPTY; Cell::COUNT];
    let mut line = vec![0; 64 * MAX_FRAME];
    let mut millis = 0;
    let start = Instant::now();
    while device.next_seq().0 <= records || device.backlog() > 0 {
        if device.next_seq().0 <= records && device.backlog() < 1_000 {
            // Every cell changes: 90 records.
            raw = raw.map(|reading| Reading(1 - reading.0));
            for _ in 0..3 {
                millis += 10;
                device.on_scan(Millis(millis), &raw);
            }
        }
        let used = device.take_output(&mut line);
        hub.on_bytes(port, &line[..used], at(millis));
        let (mut entries, mut answers) = (vec![], vec![]);
        let mut take = |hub: &mut Hub, answers: &mut Vec<_>| {
            while let Some(output) = hub.poll_output() {
                match output {
                    Output::Keep(_, observation) => entries.push(Entry::Observation(observation)),
                    Output::Send(_, message) => answers.push(message),
                    Output::Fault(..) | Output::Untellable(..) => unreachable!("the line is sound"),
                }
            }
        };
        take(&mut hub, &mut answers);
        if !entries.is_empty() {
            store.append(&entries).unwrap();
            let upto = StreamSeq(store.known().next.0 - 1);
            hub.on_durable(upto);
            store.forget(upto).unwrap();
        }
        while let Some(output) = hub.poll_output() {
            if let Output::Send(_, message) = output {
                answers.push(message);
            }
        }
        for message in answers {
            let mut frame = [0; MAX_FRAME];
            let used = encode(Address::POINT_TO_POINT, &message, &mut frame).unwrap();
            device.on_bytes(&frame[..used], Millis(millis));
        }
        millis += 1;
        device.poll(Millis(millis));
    }
    (device.next_seq().0 - 1, start.elapsed().as_secs_f64())
}

fn sync(records: u32) -> (u32, f64) {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path(), Session(1)).unwrap().store;
    let start = Instant::now();
    for index in 0..records {
        store.append(&[Entry::ServerSeen(1, index.into())]).unwrap();
    }
    (records, start.elapsed().as_secs_f64())
}
