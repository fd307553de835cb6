use firmware_proto::{BootId, Cell, DeviceUid, Epoch, Millis, Reading, Record, Seq, Sighting};
use proptest::prelude::*;

use super::*;

const UID: DeviceUid = DeviceUid(7);

fn record(seq: u32) -> Entry {
    let cell = Cell::new((seq % 90) as u8).unwrap();
    let body = firmware_proto::Body::Point(cell, Reading(1));
    let record = Record { seq: Seq(seq), at: Millis(seq * 10), body };
    let sighting = Sighting::Record(BootId(1), record);
    Entry::Observation(Observation { device: UID, at: Epoch(i64::from(seq)), sighting })
}

fn open(dir: &Path) -> Opened {
    Store::open_with(dir, Session(5), 2_000).unwrap()
}

/// All that is kept, as the device's numbers.
fn kept(store: &Store) -> Vec<u32> {
    let mut numbers = vec![];
    let mut from = store.oldest();
    loop {
        let more = store.read(from, 10).unwrap();
        if more.is_empty() {
            return numbers;
        }
        from = StreamSeq(from.0 + more.len() as u64);
        numbers.extend(more.into_iter().map(|observation| match observation.sighting {
            Sighting::Record(_, record) => record.seq.0,
            other @ (Sighting::Attached(_)
            | Sighting::Detached
            | Sighting::Done(_)
            | Sighting::Gap { .. }) => {
                panic!("{other:?}")
            }
        }));
    }
}

fn newest_segment(dir: &Path) -> PathBuf {
    segments(dir).unwrap().pop().unwrap()
}

#[test]
fn what_was_appended_is_there_after_a_restart_across_segments() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path()).store;
    for seq in 1..=500 {
        store.append(&[record(seq)]).unwrap();
    }
    drop(store);
    let Opened { store, torn } = open(dir.path());
    assert!(segments(dir.path()).unwrap().len() > 3);
    assert_eq!(torn, 0);
    assert_eq!(kept(&store), (1..=500).collect::<Vec<_>>());
    let known = store.known();
    assert_eq!((known.session, known.next, known.starts), (Session(5), StreamSeq(501), 2));
    assert_eq!(known.devices[&UID], (BootId(1), Seq(501)));
    assert_eq!(store.read(StreamSeq(333), 3).unwrap().len(), 3);
    assert_eq!(store.read(StreamSeq(501), 3).unwrap(), []);
}

#[test]
fn segments_that_the_server_has_are_deleted_and_nothing_is_forgotten_with_them() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path()).store;
    for seq in 1..=3_000 {
        store.append(&[record(seq)]).unwrap();
    }
    store.append(&[Entry::ServerSeen(3, 9)]).unwrap();
    let segments_before = segments(dir.path()).unwrap().len();
    store.forget(StreamSeq(2_900)).unwrap();
    let left = kept(&store);
    let dropped = segments_before - segments(dir.path()).unwrap().len();
    assert!(dropped > 0 && segments_before - dropped >= HISTORY, "{dropped} of {segments_before} are gone");
    assert_eq!((left[0] > 1, left.last()), (true, Some(&3_000)));
    drop(store);
    let store = open(dir.path()).store;
    assert_eq!(kept(&store), left);
    assert_eq!(store.known().devices[&UID], (BootId(1), Seq(3_001)));
    assert_eq!((store.known().next, store.known().server_seen), (StreamSeq(3_001), Some((3, 9))));
}

#[test]
fn a_second_gateway_on_the_same_store_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let first = open(dir.path());
    let refused = Store::open(dir.path(), Session(6)).unwrap_err();
    assert!(refused.to_string().contains("another gateway"), "{refused}");
    drop(first);
    assert!(Store::open(dir.path(), Session(6)).is_ok());
}

#[test]
fn a_power_cut_at_any_byte_of_the_last_entry_costs_that_entry_only() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path()).store;
    store.append(&[record(1), record(2)]).unwrap();
    let whole = store.open.length;
    store.append(&[record(3)]).unwrap();
    drop(store);
    let path = newest_segment(dir.path());
    let bytes = std::fs::read(&path).unwrap();
    for cut in whole..bytes.len() as u64 {
        std::fs::write(&path, &bytes[..cut as usize]).unwrap();
        let Opened { mut store, torn } = open(dir.path());
        assert_eq!((torn, kept(&store)), (cut - whole, vec![1, 2]), "cut at {cut}");
        store.append(&[record(3)]).unwrap();
        assert_eq!(kept(&store), [1, 2, 3]);
    }
}

#[test]
fn a_power_cut_while_a_segment_is_begun_leaves_the_ones_before() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path()).store;
    store.append(&[record(1)]).unwrap();
    drop(store);
    std::fs::write(dir.path().join(Segment::name(StreamSeq(2))), [0, 0, 1]).unwrap();
    let Opened { store, torn } = open(dir.path());
    assert_eq!((torn, kept(&store)), (3, vec![1]));
}

#[test]
fn a_disk_that_refuses_half_way_leaves_no_half_entry_and_the_next_attempt_is_whole() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path()).store;
    store.append(&[record(1)]).unwrap();
    // Writing to a file that is open for reading only fails, as a full disk does.
    let path = newest_segment(dir.path());
    let sound = std::mem::replace(&mut store.file, File::open(&path).unwrap());
    assert!(matches!(store.append(&[record(2), record(3)]), Err(StoreError::Io { .. })));
    assert_eq!((kept(&store), store.known().next), (vec![1], StreamSeq(2)));
    // Half of it had come onto the disk.
    store.file = sound;
    store.file.write_all(&[33, 0, 0, 0, 9, 9]).unwrap();
    store.append(&[record(2), record(3)]).unwrap();
    assert_eq!(kept(&store), [1, 2, 3]);
    drop(store);
    let Opened { store, torn } = open(dir.path());
    assert_eq!((torn, kept(&store)), (0, vec![1, 2, 3]));
}

#[test]
fn damage_in_the_middle_of_the_stream_is_named_and_nothing_is_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path()).store;
    for seq in 1..=300 {
        store.append(&[record(seq)]).unwrap();
    }
    drop(store);
    let first = segments(dir.path()).unwrap().remove(0);
    let mut bytes = std::fs::read(&first).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    std::fs::write(&first, &bytes).unwrap();
    let refused = Store::open(dir.path(), Session(9)).unwrap_err();
    assert!(matches!(&refused, StoreError::Damaged { path, .. } if *path == first), "{refused}");
    assert_eq!(std::fs::read(&first).unwrap(), bytes);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    /// Appends in groups, acknowledgements, restarts and torn tails in any order: what was appended and not
    /// forgotten is there, in order, and each start knows where it stands.
    #[test]
    fn a_store_loses_nothing_that_it_said_was_kept(steps in prop::collection::vec((0..5u8, 1..30u32), 1..60)) {
        let dir = tempfile::tempdir().unwrap();
        let mut store = open(dir.path()).store;
        let mut appended = 0;
        let mut forgotten = 0;
        for (step, amount) in steps {
            match step {
                0 | 1 => {
                    let entries: Vec<_> = (appended + 1..=appended + amount).map(record).collect();
                    store.append(&entries).unwrap();
                    appended += amount;
                }
                2 => {
                    forgotten = (forgotten + amount).min(appended);
                    store.forget(StreamSeq(forgotten.into())).unwrap();
                }
                3 => {
                    drop(store);
                    store = open(dir.path()).store;
                }
                _ => {
                    drop(store);
                    let path = newest_segment(dir.path());
                    let mut bytes = std::fs::read(&path).unwrap();
                    bytes.extend(vec![0xa5; amount as usize]);
                    std::fs::write(&path, bytes).unwrap();
                    let opened = open(dir.path());
                    prop_assert_eq!(opened.torn, u64::from(amount));
                    store = opened.store;
                }
            }
            let kept = kept(&store);
            let oldest = store.oldest().0 as u32;
            prop_assert!(oldest <= forgotten + 1);
            prop_assert_eq!(kept, (oldest..=appended).collect::<Vec<_>>());
            prop_assert_eq!(store.known().next, StreamSeq(u64::from(appended) + 1));
        }
    }
}
