//! The firmware's own ELF files, on emulated RP2040s, play whole games into a real server through a real gateway:
//! its matrix and levers are driven by the simulator's hands, its UART is on a pseudo-terminal, and in mid-game the
//! cables come out and the chips are reset while a piece is in the air. The games are the ones played, and no record is
//! lost. `tests/run firmware` builds and installs what this needs.

#![allow(clippy::unwrap_used)] // A test may fall over.

mod controller;
mod faces;
mod power;
mod shared;
mod through_gateway;
mod update;
#[path = "../venue/mod.rs"]
mod venue;

use std::path::{Path, PathBuf};
use std::time::Duration;

use firmware_proto::DeviceUid;
use venue::{Broker, Venue, wait_for};

const PATIENCE: Duration = Duration::from_secs(240);

/// Venue time runs as the wall's: two emulated chips that cannot keep up with it differ in time, which chips do not.
const SPEED: f64 = 1.0;

/// Two short games with captures, for a checkout without the collection of games.
const GAMES: &str = "id\tresult\tmoves\n\
    horses\t0-1\th2e2 h9g7 h0g2 i9h9 i0h0 b9c7 c3c4 g6g5 b0c2 c9e7 e2e6 d9e8 c2d4 g7e6 d4e6 h7h3 e6c7 a9b9 h0h3 h9h3 c7e8 f9e8\n\
    chariots\t1/2-1/2\tb2e2 h9g7 b0c2 i9h9 a0b0 b9c7 b0b6 b7a7 b6c6 a7a3 c2a3 a6a5\n";

/// Games of the collection that are short and full of captures.
const CHOSEN: [&str; 2] = ["CCPD0699", "CCPD1000"];

/// The emulator and the folder of the ELF files, if both are there.
fn firmware() -> Option<(PathBuf, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let emulator = root.join("hardware/emulator/main.mjs");
    let elf = PathBuf::from(std::env::var_os("CHUHE_FIRMWARE")?);
    let installed = root.join("hardware/emulator/node_modules/rp2040js").exists();
    (installed && elf.join("board-hall").exists()).then_some((emulator, elf))
}

/// The chosen games of the collection, or else our own.
fn games() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let shared = std::env::var_os("CHUHE_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from);
    let Ok(all) = std::fs::read_to_string(shared.join("rules/games.tsv")) else {
        eprintln!("SKIPPED: games of the collection: there is no games.tsv in {}/rules", shared.display());
        return GAMES.to_owned();
    };
    let (head, games) = all.split_once('\n').unwrap();
    let chosen = |line: &&str| CHOSEN.iter().any(|id| line.starts_with(&format!("{id}\t")));
    let lines: Vec<&str> = std::iter::once(head).chain(games.lines().filter(chosen)).collect();
    assert_eq!(lines.len(), 1 + CHOSEN.len(), "the chosen games are in the collection");
    lines.join("\n") + "\n"
}

/// Which controllers a table has.
#[derive(Clone, Copy)]
struct Controllers {
    sensing: &'static str,
    /// Board and clock are one controller.
    combined: bool,
}

impl Controllers {
    /// The third byte of the numbers of what has a board.
    const fn board(self) -> u64 {
        if self.combined { 3 } else { 1 }
    }

    /// Tells the server: of a table with one controller only that is named.
    fn bind(self, venue: &Venue) {
        let config = std::fs::read_to_string(venue.path("chuhe.toml")).unwrap();
        let named = |line: &&str| !(self.combined && line.starts_with("clock = \"c4000002"));
        let lines: Vec<String> = config
            .lines()
            .filter(named)
            .map(|line| if self.combined { line.replace("c4000001", "c4000003") } else { line.to_owned() })
            .collect();
        venue.write("chuhe.toml", &(lines.join("\n") + "\n"));
    }
}

/// Tables of such controllers play a game each while cables are pulled and controllers reset. The games are the ones
/// played, and no record is lost.
fn play(tables_count: u16, controllers: Controllers) {
    let Some((emulator, elf)) = firmware() else {
        eprintln!(
            "SKIPPED: emulated firmware: CHUHE_FIRMWARE or the emulator is missing; tests/run firmware has both"
        );
        return;
    };
    let venue = Venue::new(Broker::Embedded, tables_count, SPEED);
    controllers.bind(&venue);
    venue.write("games.tsv", &games());
    let server = venue.start_server();
    let gateways: Vec<_> = (1..=tables_count).map(|table| venue.start_gateway(table)).collect();
    let mut command = venue.tables_command("N0");
    command.args(["--think", "1.0", "--sensing", controllers.sensing]);
    command.args(controllers.combined.then_some("--combined"));
    command.arg("--games").arg(venue.path("games.tsv"));
    command.arg("--emulator").arg(emulator).arg("--firmware").arg(elf);
    let tables = venue.start(&mut command, "tables.log");
    // The event's summary comes seldom; the game's page is as fast as the game.
    let read = || Some(venue.json("/api/v1/games/1/1")?.get("plies")?.as_array()?.len());
    let reach = |plies: usize| {
        wait_for(&format!("{plies} plies"), PATIENCE, || read().filter(|read| *read >= plies));
    };

    reach(4);
    tables.reset_controllers();
    reach(8);
    tables.pull_cables();
    reach(12);
    tables.reset_controllers();
    reach(16);
    tables.pull_cables();

    wait_for("the end of the round", PATIENCE, || venue.finished());
    let all = usize::from(tables_count);
    wait_for("the games' truth", PATIENCE, || (venue.truth().len() >= all).then_some(()));
    venue.wait_for_last_records();
    let log = venue.path("tables.log");
    tables.end();
    let made = venue::records_made(&log);

    for (table, moves) in venue.truth() {
        assert!(moves.len() >= 12, "a whole game: {moves:?}");
        assert_eq!(venue.moves(1, table), moves, "table {table}");
    }
    for gateway in gateways {
        gateway.end();
    }
    server.end();
    let stored = venue.stored_records();
    let board = |device: &DeviceUid| device.0 >> 32 & 0xff == controllers.board();
    let starts = stored.keys().filter(|(device, _)| board(device)).count();
    assert_eq!(starts, 3 * all, "each board was reset twice");
    for ((device, boot), numbers) in &stored {
        let whole: Vec<u32> = (1..=numbers.len() as u32).collect();
        assert_eq!(*numbers, whole, "records of {device}, start {boot}");
    }
    let stored: usize = stored.values().map(Vec::len).sum();
    assert_eq!(stored as u64, made, "records stored, records sent");
}

#[test]
fn an_emulated_board_and_its_clock_play_a_game_through_resets_and_pulled_cables() {
    play(1, Controllers { sensing: "colour", combined: false });
}

#[test]
fn an_emulated_table_of_switches_on_one_controller_plays_a_game_through_resets_and_pulled_cables() {
    play(1, Controllers { sensing: "occupancy", combined: true });
}

#[test]
fn an_emulated_table_of_hall_sensors_on_one_controller_plays_a_game_through_resets_and_pulled_cables() {
    play(1, Controllers { sensing: "colour", combined: true });
}
