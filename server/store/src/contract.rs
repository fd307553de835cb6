//! What every backend must keep to; the same test runs against each.

use firmware_proto::{
    Body, BootId, Capabilities, CmdId, DeviceUid, Epoch, GatewayId, Hello, Millis, Observation, Record,
    ResetCause, Seq, Session, Sighting, StreamSeq,
};

use crate::{
    Account, Batch, Cursor, Database, Enrolled, Kept, KeptKey, Line, Look, Range, SignedIn, Standing, Store,
    StoreError, restore,
};

fn gateway(name: &str) -> GatewayId {
    GatewayId::new(name).unwrap()
}

fn kept(id: u64, device: u64, seq: u32) -> Kept {
    let record = Record { seq: Seq(seq), at: Millis(seq * 10), body: Body::Marker(CmdId(seq)) };
    Kept {
        id,
        gateway: gateway("west"),
        session: Session(u64::MAX),
        stream_seq: StreamSeq(id),
        observation: Observation {
            device: DeviceUid(device),
            at: Epoch(1_700_000_000_000 + i64::from(seq)),
            sighting: Sighting::Record(BootId(3), record),
        },
    }
}

fn line(no: u64) -> Line {
    Line {
        no,
        at: Epoch(1_700_000_000_000),
        by: "\"hall\"".into(),
        version: 1,
        fact: format!("{{\"炮二平五\":{no}}}"),
    }
}

fn cursor(upto: u64) -> Cursor {
    Cursor { gateway: gateway("west"), session: Session(u64::MAX), upto: StreamSeq(upto) }
}

/// `open` opens the same, at first empty, database again and again.
async fn keeps_the_contract<F: Future<Output = Store>>(open: impl Fn() -> F) {
    // A new database is empty.
    let store = open().await;
    assert_eq!((store.last_observation().await.unwrap(), store.last_entry().await.unwrap()), (0, 0));
    assert!(store.cursors().await.unwrap().is_empty());

    // Every start has a higher number, even if the wall clock went back.
    assert_eq!(store.begin(1000, "http://one/").await.unwrap(), 1000);
    assert_eq!(store.begin(900, "http://two/").await.unwrap(), 1001);

    // What was committed reads back, in order, whole.
    let many: Vec<Kept> = (1..=200).map(|id| kept(id, 0xffff_ffff_0000_0001, id as u32)).collect();
    let batch = Batch {
        observations: many.clone(),
        entries: (1..=70).map(line).collect(),
        cursors: vec![cursor(100), cursor(200)],
    };
    store.commit(batch).await.unwrap();
    let handed: Vec<_> =
        futures(&store, (71..=75).map(|no| Batch { entries: vec![line(no)], ..Batch::default() })).await;
    for committed in handed {
        committed.wait().await.unwrap();
    }
    store.close().await;

    let store = open().await;
    assert_eq!(store.observations(1).await.unwrap(), many);
    assert_eq!(store.observations(199).await.unwrap(), many[198..]);
    assert_eq!(store.journal(1).await.unwrap(), (1..=75).map(line).collect::<Vec<_>>());
    assert_eq!(store.journal(74).await.unwrap(), vec![line(74), line(75)]);
    assert_eq!(store.cursors().await.unwrap(), vec![cursor(200)]);

    // Devices tell who they are; the last word counts.
    let hello = Hello {
        uid: DeviceUid(9),
        boot: BootId(1),
        firmware: 1,
        hardware: 1,
        reset: ResetCause::PowerOn,
        capabilities: Capabilities { board: None, clock: true },
        oldest: Seq(1),
        next: Seq(1),
        overflowed: 0,
        at: Millis(0),
    };
    for (id, name) in [(201, "west"), (202, "east")] {
        let observation =
            Observation { device: DeviceUid(9), at: Epoch(id), sighting: Sighting::Attached(hello) };
        let kept = Kept { gateway: gateway(name), observation, ..kept(id as u64, 9, 0) };
        store.commit(Batch { observations: vec![kept], ..Batch::default() }).await.unwrap();
    }
    assert_eq!(store.devices().await.unwrap(), vec![(DeviceUid(9), gateway("east"), Epoch(202))]);
    assert_eq!(store.hellos().await.unwrap(), vec![hello]);

    // Gaps in a device's record show.
    let gapped =
        Batch { observations: vec![kept(203, 5, 1), kept(204, 5, 2), kept(205, 5, 4)], ..Batch::default() };
    store.commit(gapped).await.unwrap();
    let range =
        |first, last| Range { device: DeviceUid(5), boot: BootId(3), first: Seq(first), last: Seq(last) };
    let ranges = store.record_ranges().await.unwrap();
    let of_5: Vec<Range> = ranges.into_iter().filter(|range| range.device == DeviceUid(5)).collect();
    assert_eq!(of_5, vec![range(1, 2), range(4, 4)]);

    // Accounts.
    let mut account =
        Account { name: "裁判长".into(), role: "chief".into(), password: "$argon2id$…".into() };
    store.set_account(&account).await.unwrap();
    account.role = "arbiter".into();
    store.set_account(&account).await.unwrap();
    assert_eq!(store.account("裁判长").await.unwrap(), Some(account));
    assert_eq!(store.account("nobody").await.unwrap(), None);
    let second = Account { name: "A".into(), role: "viewer".into(), password: "$argon2id$…".into() };
    store.set_account(&second).await.unwrap();
    let names = |all: Vec<Account>| all.into_iter().map(|account| account.name).collect::<Vec<_>>();
    assert_eq!(names(store.accounts().await.unwrap()), ["A", "裁判长"]);
    store.remove_account("A").await.unwrap();
    assert_eq!(names(store.accounts().await.unwrap()), ["裁判长"]);

    // Sessions.
    let session = |digest: &str, began| SignedIn {
        digest: digest.into(),
        account: "裁判长".into(),
        began: Epoch(began),
        ends: Epoch(began + 100),
    };
    for it in [session("d2", 7), session("d1", 5)] {
        store.set_session(&it).await.unwrap();
    }
    assert_eq!(store.sessions().await.unwrap(), vec![session("d1", 5), session("d2", 7)]);
    store.end_session("d1").await.unwrap();
    store.end_session("d1").await.unwrap();
    assert_eq!(store.sessions().await.unwrap(), vec![session("d2", 7)]);

    // Gateways: invited once, enrolled once, sent away.
    let roll = store.roll();
    let (west, key) = (gateway("west"), KeptKey("one".into()));
    roll.invite(&west, "old", Epoch(100)).await.unwrap();
    roll.invite(&west, "digest", Epoch(100)).await.unwrap();
    for (digest, now) in [("old", 50), ("wrong", 50), ("digest", 100)] {
        assert!(!roll.enrol(&west, digest, &key, Epoch(now)).await.unwrap(), "{digest} at {now}");
    }
    assert!(roll.enrol(&west, "digest", &key, Epoch(99)).await.unwrap());
    assert!(
        !roll.enrol(&west, "digest", &KeptKey("two".into()), Epoch(99)).await.unwrap(),
        "a token serves once"
    );
    for before in ["another", "one"] {
        roll.keep_otherwise(&west, &KeptKey(before.into()), &KeptKey(format!("not {before}"))).await.unwrap();
    }
    let enrolled = Standing::Enrolled { key: KeptKey("not one".into()), since: Epoch(99) };
    assert_eq!(roll.all().await.unwrap(), [Enrolled { gateway: west.clone(), standing: enrolled }]);
    let again = roll.invite(&west, "third", Epoch(200)).await;
    assert!(matches!(again, Err(StoreError::Roll { .. })), "{again:?}");
    roll.revoke(&west, Epoch(120)).await.unwrap();
    let revoked = Standing::Revoked { since: Epoch(120) };
    assert_eq!(roll.all().await.unwrap(), [Enrolled { gateway: west.clone(), standing: revoked }]);
    roll.invite(&west, "fourth", Epoch(200)).await.unwrap();

    // A record that is there already fails its whole batch, and the store ends: nothing of it is kept.
    let twice = Batch {
        observations: vec![kept(206, 5, 5), kept(207, 5, 4)],
        entries: vec![line(76)],
        cursors: vec![cursor(207)],
    };
    let refused = store.commit(twice).await;
    assert!(matches!(refused, Err(StoreError::Write { .. })), "{refused:?}");
    let closed = store.commit(Batch::default()).await;
    assert!(matches!(closed, Err(StoreError::Closed { .. })), "{closed:?}");
    store.close().await;
    let store = open().await;
    assert_eq!(store.last_observation().await.unwrap(), 205);
    assert_eq!(store.last_entry().await.unwrap(), 75);
    assert_eq!(store.cursors().await.unwrap(), vec![cursor(200)]);

    // The chain goes on where it stopped.
    store.commit(Batch { entries: vec![line(76)], ..Batch::default() }).await.unwrap();
    assert_eq!(store.journal(1).await.unwrap().len(), 76);
    store.close().await;
}

/// Hands batches over one after the other without waiting for the disk.
async fn futures(store: &Store, batches: impl Iterator<Item = Batch>) -> Vec<crate::Committed> {
    let mut handed = Vec::new();
    for batch in batches {
        handed.push(store.submit(batch).await.unwrap());
    }
    handed
}

#[tokio::test]
async fn sqlite_keeps_the_contract() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("event.db");
    keeps_the_contract(|| async { Store::open(&path).await.unwrap() }).await;
}

/// Runs against the empty database that `CHUHE_TEST_POSTGRES` names.
#[tokio::test]
async fn postgres_keeps_the_contract() {
    let Ok(url) = std::env::var("CHUHE_TEST_POSTGRES") else {
        eprintln!("SKIPPED: CHUHE_TEST_POSTGRES names no empty database");
        return;
    };
    let url = url.parse().unwrap();
    keeps_the_contract(|| async { Store::connect(&url).await.unwrap() }).await;

    // Another process is kept out, and its pen is gone with the connection.
    let store = Store::connect(&url).await.unwrap();
    let second = Store::connect(&url).await;
    assert!(matches!(second, Err(StoreError::InUse { .. })), "{second:?}");
    // An owner that is idle for longer than the lease still owns.
    tokio::time::sleep(crate::postgres::LEASE + std::time::Duration::from_secs(2)).await;
    store.commit(Batch { entries: vec![line(77)], ..Batch::default() }).await.unwrap();

    // A copy is an SQLite file, and comes back into either kind of database.
    let database = Database::Postgres(url.clone());
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.db");
    let look = database.look().await.unwrap();
    look.copy_to(&copy).await.unwrap();
    let chain = look.chain().await.unwrap();
    look.close().await;
    let at_copy = Look::at(&copy).await.unwrap();
    assert_eq!(at_copy.chain().await.unwrap(), chain);
    at_copy.close().await;
    let refused = restore(&copy, &database, 5).await;
    assert!(matches!(refused, Err(StoreError::InUse { .. })), "{refused:?}");
    store.commit(Batch { entries: vec![line(78)], ..Batch::default() }).await.unwrap();
    let (accounts, ranges) = (store.accounts().await.unwrap(), store.record_ranges().await.unwrap());
    store.close().await;
    assert_eq!(restore(&copy, &database, 5).await.unwrap().as_deref(), Some("before_5"));
    let store = database.own().await.unwrap();
    assert_eq!(
        store.last_entry().await.unwrap(),
        77,
        "what was decided after the copy is in the schema before_5"
    );
    assert_eq!(store.accounts().await.unwrap(), accounts);
    assert_eq!(store.record_ranges().await.unwrap(), ranges);
    store.commit(Batch { entries: vec![line(78)], ..Batch::default() }).await.unwrap();
    store.close().await;
    let file = Database::File(folder.path().join("event.db"));
    assert_eq!(restore(&copy, &file, 5).await.unwrap(), None);
    let store = file.own().await.unwrap();
    assert_eq!(store.observations(1).await.unwrap().len(), 205);
    store.close().await;
}

#[tokio::test]
async fn a_second_process_is_kept_out_of_a_file_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("event.db");
    let first = Store::open(&path).await.unwrap();
    let second = Store::open(&path).await;
    assert!(matches!(second, Err(StoreError::InUse { .. })), "{second:?}");
    first.close().await;
}

#[tokio::test]
async fn a_missing_folder_is_named() {
    let error = Store::open(std::path::Path::new("/nowhere/event.db")).await.unwrap_err();
    assert!(error.to_string().contains("/nowhere/event.db"), "{error}");
}

#[tokio::test]
async fn a_changed_journal_is_found_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("event.db");
    let store = Store::open(&path).await.unwrap();
    store.commit(Batch { entries: (1..=5).map(line).collect(), ..Batch::default() }).await.unwrap();
    store.close().await;
    let file = sqlx::SqlitePool::connect(path.to_str().unwrap()).await.unwrap();
    sqlx::query("update journal set fact = '{}' where no = 3").execute(&file).await.unwrap();
    file.close().await;
    let store = Store::open(&path).await.unwrap();
    let error = store.journal(1).await.unwrap_err();
    assert!(matches!(error, StoreError::Chain { no: 3, .. }), "{error}");
}

/// Each schema that was ever released: what was kept in it is kept in the present one.
#[tokio::test]
async fn a_database_of_any_older_schema_is_brought_up_to_date_with_all_that_it_holds() {
    let all = crate::schema::sqlite();
    for version in all.iter().map(|migration| migration.version) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("event.db");
        let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&path).create_if_missing(true);
        let old = sqlx::SqlitePool::connect_with(options).await.unwrap();
        all.run_to(version, &old).await.unwrap();
        let first = line(1);
        sqlx::query("insert into journal (no, at, actor, version, fact, hash) values (1, $1, $2, 1, $3, $4)")
            .bind(first.at.0)
            .bind(&first.by)
            .bind(&first.fact)
            .bind(crate::journal::chained(&crate::journal::ROOT, &first).to_vec())
            .execute(&old)
            .await
            .unwrap();
        sqlx::query("insert into account (name, role, password) values ('裁判长', 'chief_arbiter', 'x')")
            .execute(&old)
            .await
            .unwrap();
        old.close().await;

        let store = Store::open(&path).await.unwrap();
        assert_eq!(store.journal(1).await.unwrap(), [first], "from schema {version}");
        assert!(store.account("裁判长").await.unwrap().is_some());
        store.commit(Batch { entries: vec![line(2)], ..Batch::default() }).await.unwrap();
        assert_eq!(store.sessions().await.unwrap(), []);
        store.close().await;
    }
}
