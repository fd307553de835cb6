//! A table that starts in mid-game plays the same game to its end.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::Arc;

use firmware_proto::{
    Address, Body, BootId, ByHalf, ClockFace, ClockSetting, CmdId, Command, FrameReader, FromDevice, Half,
    MAX_FRAME, Millis, SensingKind, ToDevice, encode,
};
use simulator::games::Source;
use simulator::{Noise, PlayedGame, Resume, TableConfig, Venue, VirtualTable};

const BASE: Millis = Millis(25 * 60_000);
const CLOCK: usize = 1;

fn config() -> TableConfig {
    let venue = Venue {
        tables: 1,
        first: 1,
        seed: 4,
        noise: Noise::named("N1").unwrap(),
        sensing: SensingKind::Identity,
        combined: false,
        boot: BootId(1),
        speed: 1.0,
        games: Arc::new(Source::Player),
    };
    TableConfig { games_before: 2, ..venue.tables().remove(0) }
}

/// Sets the clock and lets the table play its game; returns it with the presses that its clock recorded.
fn play(config: TableConfig, running: Option<Half>) -> (PlayedGame, usize) {
    let mut table = VirtualTable::new(config);
    table.poll(100);
    let face = ClockFace { left: ByHalf { a: BASE, b: BASE }, running };
    let set = Command::SetClock(ClockSetting { face, increment: Millis(5_000) });
    send(&mut table, CLOCK, ToDevice::Command(CmdId(1), set));
    let mut presses = 0;
    let mut readers: [FrameReader<FromDevice>; 2] = [FrameReader::new(), FrameReader::new()];
    loop {
        let next = table.poll_timeout();
        table.poll(next);
        for (port, reader) in readers.iter_mut().enumerate() {
            let mut bytes = Vec::new();
            table.take_output(port, &mut bytes);
            for byte in bytes {
                if let Some(Ok((_, FromDevice::Record(boot, record)))) = reader.push(byte) {
                    presses += usize::from(matches!(record.body, Body::Press(..)));
                    send(&mut table, port, ToDevice::Ack { boot, upto: record.seq });
                }
            }
        }
        if let Some(played) = table.take_played() {
            return (played, presses);
        }
    }
}

fn send(table: &mut VirtualTable, port: usize, message: ToDevice) {
    let mut out = [0; MAX_FRAME];
    let used = encode(Address::POINT_TO_POINT, &message, &mut out).unwrap();
    table.on_bytes(port, &out[..used]);
}

#[test]
fn a_resumed_table_plays_the_same_game_to_its_end() {
    let (whole, presses) = play(config(), None);
    assert!(whole.moves.len() > 40, "it is a whole game");
    for plies in [0, 1, 2, 30] {
        let resume = Some(Resume { plies, base: BASE });
        let side = if plies % 2 == 0 { Half::A } else { Half::B };
        let (rest, presses_of_rest) = play(TableConfig { resume, ..config() }, Some(side));
        assert_eq!(rest.moves, whole.moves, "after {plies}");
        assert_eq!((rest.game_no, rest.ending, &rest.id), (3, whole.ending, &whole.id));
        let pressed = 1 + whole.plies[..plies].iter().filter(|ply| ply.pressed.is_some()).count();
        assert_eq!(presses_of_rest, presses - pressed, "after {plies}");
        let lasts = rest.ended.since(whole.ended);
        assert!(lasts < 0, "what was played before is not played again: {lasts}");
    }
}
