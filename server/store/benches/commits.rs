//! How many records a second the SQLite store keeps, by batch size and with group commit.
//! `cargo bench -p store`

#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::time::Instant;

use firmware_proto::{
    Body, BootId, Cell, DeviceUid, Epoch, GatewayId, Millis, Observation, Reading, Record, Seq, Session,
    Sighting, StreamSeq,
};
use store::{Batch, Cursor, Kept, Line, Store};

fn batch(first: u64, size: u64) -> Batch {
    let gateway = GatewayId::new("bench").unwrap();
    let observations = (first..first + size)
        .map(|id| {
            let body = Body::Point(Cell::new((id % 90) as u8).unwrap(), Reading(1));
            let record = Record { seq: Seq(id as u32), at: Millis(id as u32), body };
            Kept {
                id,
                gateway: gateway.clone(),
                session: Session(1),
                stream_seq: StreamSeq(id),
                observation: Observation {
                    device: DeviceUid(1),
                    at: Epoch(id as i64),
                    sighting: Sighting::Record(BootId(1), record),
                },
            }
        })
        .collect();
    let entries = vec![Line {
        no: (first - 1) / size + 1,
        at: Epoch(1),
        by: "\"hall\"".into(),
        version: 1,
        fact: "{\"ply\":{\"round\":1,\"table\":1,\"no\":12,\"mv\":\"h2e2\"}}".into(),
    }];
    let cursors = vec![Cursor { gateway, session: Session(1), upto: StreamSeq(first + size - 1) }];
    Batch { observations, entries, cursors }
}

#[tokio::main]
async fn main() {
    println!("{:>10} {:>10} {:>12} {:>12}", "batch", "waiting", "records/s", "batches/s");
    for (size, waiting) in [(1, 1), (1, 64), (8, 1), (8, 64), (64, 16)] {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("event.db")).await.unwrap();
        let (begin, mut batches) = (Instant::now(), 0_u64);
        let mut under_way = std::collections::VecDeque::new();
        while begin.elapsed().as_secs() < 3 {
            under_way.push_back(store.submit(batch(batches * size + 1, size)).await.unwrap());
            batches += 1;
            if under_way.len() >= waiting {
                under_way.pop_front().unwrap().wait().await.unwrap();
            }
        }
        for committed in under_way {
            committed.wait().await.unwrap();
        }
        let seconds = begin.elapsed().as_secs_f64();
        let (records, batches) = ((batches * size) as f64, batches as f64);
        println!("{size:>10} {waiting:>10} {:>12.0} {:>12.0}", records / seconds, batches / seconds);
        store.close().await;
    }
}
