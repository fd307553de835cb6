//! A table, a real gateway and a server behind a broker that fails.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends here")]

mod support;

use std::time::Duration;

use firmware_proto::envelope::{self, Header, Key, Way};
use firmware_proto::{
    ByHalf, ClockFace, ClockSetting, CmdId, Command, DeviceUid, Done, DoneCode, Down, Millis, Sighting,
};
use support::server::{Server, gateway_name, key};
use support::table::Table;
use support::{assert_all_once, config_text, wait_until, with_gateway};

fn set_clock() -> Command {
    let left = ByHalf { a: Millis(77_000), b: Millis(66_000) };
    Command::SetClock(ClockSetting { face: ClockFace { left, running: None }, increment: Millis(0) })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_breaks_and_loses_what_it_acknowledged_costs_nothing_but_time() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start().await;
    server.with(|state| state.trouble = 15);
    let table = Table::new(dir.path(), "A", 1);
    with_gateway(&config_text(dir.path(), server.port), async || {
        let broke = || server.with(|state| state.connections > 1);
        for round in 0.. {
            if round >= 20 && broke() {
                break;
            }
            assert!(round < 400, "the broker never broke a connection");
            table.play(40);
            tokio::time::sleep(Duration::from_millis(150)).await;
        }
        server.with(|state| state.trouble = 0);
        wait_until("the server has everything", || {
            table.is_done()
                && server.with(|state| state.beats > 0)
                && server.with(|state| {
                    let records =
                        state.committed.iter().filter(|seen| matches!(seen.sighting, Sighting::Record(..)));
                    records.count() as u32 == table.last_record()
                })
        })
        .await;
    })
    .await;
    server.with(|state| {
        assert_all_once(&state.committed, table.last_record());
        assert_eq!(state.refused, 0);
        assert!(!state.presence.as_ref().unwrap().online, "it said goodbye");
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_reaches_the_device_once_however_often_it_is_repeated() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start().await;
    let device = DeviceUid(1);
    server.with(|state| state.commands.push((device, CmdId(11), set_clock())));
    let table = Table::new(dir.path(), "A", device.0);
    with_gateway(&config_text(dir.path(), server.port), async || {
        wait_until("its answer is committed", || {
            server.with(|state| {
                let answer = Done { command: CmdId(11), code: DoneCode::Ok };
                state.committed.iter().any(|seen| seen.sighting == Sighting::Done(answer))
            })
        })
        .await;
        assert_eq!(table.face().left, ByHalf { a: Millis(77_000), b: Millis(66_000) });
        tokio::time::sleep(Duration::from_millis(1_500)).await;
    })
    .await;
    let answers = server.with(|state| {
        state.committed.iter().filter(|seen| matches!(seen.sighting, Sighting::Done(_))).count()
    });
    assert_eq!(answers, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_with_the_wrong_key_or_played_back_does_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start().await;
    let device = DeviceUid(1);
    let sealed = |key: &Key, life: u64, count: u64, id: u32| {
        let header = Header { gateway: gateway_name(), way: Way::Down, life, count };
        envelope::seal(key, &header, &Down::Command { device, id: CmdId(id), command: set_clock() })
    };
    let table = Table::new(dir.path(), "A", device.0);
    with_gateway(&config_text(dir.path(), server.port), async || {
        wait_until("the device is known", || server.with(|state| !state.committed.is_empty())).await;
        // Of an earlier life of the server, of another key, cut off, and noise.
        let replayed = sealed(&key(), 0, 1_000, 1);
        let forged = sealed(&Key::new([1; 32]), 9, 1, 2);
        server.with(|state| state.raw.extend([replayed, forged.clone(), forged[..30].to_vec(), vec![7; 99]]));
        let beats = server.with(|state| state.beats);
        wait_until("two seconds passed", || server.with(|state| state.beats) > beats + 2).await;
    })
    .await;
    assert_eq!(table.face().left.a, Millis(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backlog_from_before_a_restart_goes_up_and_is_then_forgotten() {
    let dir = tempfile::tempdir().unwrap();
    let table = Table::new(dir.path(), "A", 1);
    let nowhere = config_text(dir.path(), 1);
    with_gateway(&nowhere, async || {
        table.play(3_000);
        wait_until("the gateway has everything", || table.is_done()).await;
    })
    .await;
    let server = Server::start().await;
    with_gateway(&config_text(dir.path(), server.port), async || {
        wait_until("the server has everything", || {
            server.with(|state| state.committed.len() as u32 > table.last_record())
        })
        .await;
    })
    .await;
    server.with(|state| assert_all_once(&state.committed, table.last_record()));
}
