//! A table behind its pseudo-terminals: set its clock as a server would, and a game comes out.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use firmware_proto::{
    Address, Body, BootId, ByHalf, ClockFace, ClockSetting, CmdId, Command, Epoch, FrameReader, FromDevice,
    MAX_FRAME, Millis, SensingKind, ToDevice, VenueClock, encode,
};
use simulator::games::{Source, read_table};
use simulator::pty::{PtyConfig, open};
use simulator::{GameEnd, Noise, Venue};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

fn port(path: &std::path::Path) -> std::fs::File {
    std::fs::File::options().read(true).write(true).open(path).unwrap()
}

fn send(port: &mut std::fs::File, message: ToDevice) {
    let mut out = [0; MAX_FRAME];
    let used = encode(Address::POINT_TO_POINT, &message, &mut out).unwrap();
    port.write_all(&out[..used]).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_set_clock_makes_the_table_play_its_next_game() {
    let dir = tempfile::tempdir().unwrap();
    let games = read_table("id\tresult\tmoves\nshort\t1-0\th2e2 h9g7 h0g2 i9h9\n").unwrap();
    let speed = 100.0;
    let venue = Venue {
        tables: 1,
        first: 1,
        seed: 1,
        noise: Noise::named("N0").unwrap(),
        sensing: SensingKind::Colour,
        combined: false,
        boot: BootId(1),
        speed,
        games: Arc::new(Source::Record(games)),
    };
    let clock = VenueClock { origin: Epoch(0), speed };
    let ports = open(PtyConfig { tables: venue.tables(), dir: dir.path().to_owned(), clock }).unwrap();
    let names = ports.names().to_vec();
    let (truth, mut played) = mpsc::unbounded_channel();
    let shutdown = CancellationToken::new();
    let running = tokio::spawn(ports.run(shutdown.clone(), truth));

    let mut clock = port(&names[1].path);
    let left = ByHalf { a: Millis(600_000), b: Millis(600_000) };
    let face = ClockFace { left, running: None };
    let setting = ClockSetting { face, increment: Millis(0) };
    send(&mut clock, ToDevice::Command(CmdId(1), Command::SetClock(setting)));
    let game = tokio::time::timeout(Duration::from_secs(30), played.recv()).await.unwrap().unwrap();
    assert_eq!(game.moves.len(), 4);
    assert!(matches!(game.ending, GameEnd::Played(_)), "{:?}", game.ending);

    let presses = tokio::task::spawn_blocking(move || {
        let mut reader: FrameReader<FromDevice> = FrameReader::new();
        // What is acknowledged late comes again.
        let (mut presses, until) = (BTreeSet::new(), Instant::now() + Duration::from_secs(10));
        while presses.len() < 5 && Instant::now() < until {
            let mut bytes = [0; 256];
            let length = clock.read(&mut bytes).unwrap();
            for &byte in &bytes[..length] {
                if let Some(Ok((_, FromDevice::Record(boot, record)))) = reader.push(byte) {
                    if matches!(record.body, Body::Press(..)) {
                        presses.insert(record.seq);
                    }
                    send(&mut clock, ToDevice::Ack { boot, upto: record.seq });
                }
            }
        }
        presses.len()
    })
    .await
    .unwrap();
    assert_eq!(presses, 5, "Black's press that starts Red's time, and one a ply");
    shutdown.cancel();
    assert!(running.await.unwrap().unwrap().records > 8);
    assert!(!names[0].path.exists(), "the ports' names go with the process");
}
