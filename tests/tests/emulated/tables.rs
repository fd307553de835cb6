//! Eight tables of emulated controllers play a game each, all at once: the hands are the simulator's, the UARTs hang on
//! pseudo-terminals, one gateway has them all open. In mid-game cables come out, chips are reset while a piece is in the
//! air, and the power goes: then an arbiter lets the clock go on. The games are the ones played, and no record is lost or
//! stored twice.
//!
//! Nothing here depends on how fast the machine is: hands and chips of a table share their time, an accident waits for the
//! ply that it belongs to, and the venue's time is made slow enough for the chips to keep up with it. A gateway takes its
//! devices' clocks for quartzes: a board and a clock that fell behind would seem to differ.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::controller::Controller;
use crate::firmware;
use crate::venue::{Broker, Process, Venue, records_made, wait_for};

/// How long whatever is waited for may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(500);

/// Chips run for so many ms to see how fast they can.
const TRIAL: u64 = 2_000;

/// The machine has other things to do beside them.
const SPARE: f64 = 1.5;

/// Two short games with captures, for a checkout without the collection of games.
const GAMES: &str = "id\tresult\tmoves\n\
    horses\t0-1\th2e2 h9g7 h0g2 i9h9 i0h0 b9c7 c3c4 g6g5 b0c2 c9e7 e2e6 d9e8 c2d4 g7e6 d4e6 h7h3 e6c7 a9b9 h0h3 h9h3 c7e8 f9e8\n\
    chariots\t1/2-1/2\tb2e2 h9g7 b0c2 i9h9 a0b0 b9c7 b0b6 b7a7 b6c6 a7a3 c2a3 a6a5\n";

/// Games of the collection that are short: three end in mate, two by resignation, three drawn.
const CHOSEN: [&str; 8] =
    ["CCPD0699", "CCPD1164", "CCPD0980", "CCPD1000", "CCPD0692", "CCPD0697", "CCPD1214", "CCPD0841"];

/// The chosen games of the collection, or else our own.
fn games() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let shared = std::env::var_os("CHUHE_SHARED").map_or_else(|| root.join("../shared"), Into::into);
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

/// What befalls a table.
#[derive(Clone, Copy)]
enum Accident {
    /// Its cables are pulled, and plugged in again.
    Pull,
    /// Its controllers are reset, the board while a piece is in the air.
    Reset,
    /// Their power goes, the board's while a piece is in the air.
    Cut,
    /// Their power goes once they have written so many more bytes to their flash.
    CutInWrite(u32),
}

use Accident::{Cut, CutInWrite, Pull, Reset};

/// Tables with like controllers.
struct Kind {
    first: u16,
    sensing: &'static str,
    /// Board and clock are one controller.
    combined: bool,
    /// The tables share a line (RS-485).
    shared: bool,
    /// For each table: after how many plies, what.
    accidents: &'static [&'static [(usize, Accident)]],
}

const HALL: [Kind; 3] = [
    // board-hall and clock.
    Kind {
        first: 1,
        sensing: "colour",
        combined: false,
        shared: false,
        accidents: &[&[(4, Reset), (8, Pull)], &[(6, Cut)], &[(4, Pull), (8, Reset)]],
    },
    // table-hall.
    Kind {
        first: 4,
        sensing: "colour",
        combined: true,
        shared: false,
        accidents: &[&[(4, Reset), (8, Pull)], &[(5, Cut)], &[(4, CutInWrite(9)), (8, Reset)]],
    },
    // table-matrix.
    Kind {
        first: 7,
        sensing: "occupancy",
        combined: true,
        shared: false,
        accidents: &[&[(4, Pull), (8, Reset)], &[(5, CutInWrite(26)), (8, Cut)]],
    },
];

/// table-hall-rs485.
const LINE: Kind = Kind {
    first: 1,
    sensing: "colour",
    combined: true,
    shared: true,
    accidents: &[&[(4, Reset), (8, Pull)], &[(6, Cut)], &[]],
};

impl Kind {
    fn tables(&self) -> std::ops::Range<u16> {
        self.first..self.first + self.accidents.len() as u16
    }

    /// Tells the server of tables with one controller.
    fn bind(&self, config: &mut String) {
        for table in self.tables().filter(|_| self.combined) {
            *config = config
                .replace(
                    &format!("board = \"c4000001{table:08x}\""),
                    &format!("board = \"c4000003{table:08x}\""),
                )
                .replace(&format!("clock = \"c4000002{table:08x}\"\n"), "");
        }
    }

    fn start(&self, venue: &Venue, emulator: &Path, elf: &Path) -> Process {
        let mut command = venue.command_of_tables(self.first, self.accidents.len() as u16, "N0");
        command.args(["--think", "1.0", "--sensing", self.sensing]);
        command.args(self.combined.then_some("--combined")).args(self.shared.then_some("--shared"));
        command.arg("--games").arg(venue.path("games.tsv"));
        command.arg("--emulator").arg(emulator).arg("--firmware").arg(elf);
        venue.start(&mut command, &self.log())
    }

    fn log(&self) -> String {
        format!("tables-{}.log", self.first)
    }
}

/// A table of the venue, as the test sees and treats it.
struct Table<'a> {
    venue: &'a Venue,
    number: u16,
    hands: &'a Process,
    /// The session of an arbiter.
    arbiter: &'a str,
}

impl Table<'_> {
    fn game(&self) -> Option<Value> {
        self.venue.json(&format!("/api/v1/games/1/{}", self.number))
    }

    fn wait_for<T>(&self, what: &str, look: impl Fn(Value) -> Option<T>) -> T {
        let what = format!("{what} at table {}", self.number);
        wait_for(&what, PATIENCE, || look(self.game()?))
    }

    fn happens(&self, accident: Accident) {
        let table = self.number;
        match accident {
            Pull => self.hands.tell(&format!("pull {table}")),
            Reset => self.hands.tell(&format!("reset {table}")),
            Cut => self.is_cut(&format!("cut {table}")),
            CutInWrite(bytes) => self.is_cut(&format!("cut {table} {bytes}")),
        }
    }

    /// The power goes and comes back: the clock stands until an arbiter lets it go on, and then the players do, too.
    fn is_cut(&self, accident: &str) {
        let running = |game: Value| game.pointer("/clocks/running").is_some_and(|side| !side.is_null());
        self.hands.tell(accident);
        self.wait_for("a clock that stands", |game| (!running(game)).then_some(()));
        wait_for(&format!("a clock that goes on at table {}", self.number), PATIENCE, || {
            self.venue.decide(self.arbiter, self.number, "do=resume")?;
            std::thread::sleep(Duration::from_secs(1));
            running(self.game()?).then_some(())
        });
        self.hands.tell(&format!("go-on {}", self.number));
    }
}

#[test]
fn eight_tables_of_emulated_controllers_play_their_games_through_pulled_cables_resets_and_power_cuts() {
    play(&HALL);
}

#[test]
fn three_emulated_tables_on_one_line_play_their_games_through_a_pulled_cable_a_reset_and_a_power_cut() {
    play(&[LINE]);
}

/// How fast the venue's time may run on this machine, at most as the wall's: so many chips at once keep up with it.
fn speed(emulator: &Path, elf: &Path, chips: u16) -> f64 {
    let start = |no| Controller::start(emulator, &elf.join("table-hall"), &format!("c4000003{no:08x}"));
    let mut chips: Vec<Controller> = (0..chips).map(start).collect();
    let mut run = |ms| {
        let began = Instant::now();
        std::thread::scope(|scope| {
            chips.iter_mut().for_each(|chip| drop(scope.spawn(move || chip.pass(ms))));
        });
        began.elapsed()
    };
    // Starting them is another matter.
    run(TRIAL);
    let took = run(TRIAL);
    let pace = TRIAL as f64 / took.as_millis() as f64;
    eprintln!("the emulated chips run at {pace:.2} of the pace of life, all at once");
    // Rounded, so that it is written the same everywhere.
    (pace / SPARE * 20.0).ceil().min(20.0) / 20.0
}

fn play(hall: &[Kind]) {
    let Some((emulator, elf)) = firmware() else { return };
    let tables: u16 = hall.iter().map(|kind| kind.accidents.len() as u16).sum();
    let chips: u16 =
        hall.iter().map(|kind| kind.accidents.len() as u16 * if kind.combined { 1 } else { 2 }).sum();
    let venue = Venue::new(Broker::Embedded, tables, speed(&emulator, &elf, chips));
    let mut config = std::fs::read_to_string(venue.path("chuhe.toml")).unwrap();
    hall.iter().for_each(|kind| kind.bind(&mut config));
    venue.write("chuhe.toml", &config);
    venue.write("games.tsv", &games());
    // One gateway for all.
    let gateway = std::fs::read_to_string(venue.path("gateway-1.toml")).unwrap();
    let gateway = gateway.replace("/table-01-*", "/table-*");
    let line = format!("lines = [{:?}]\n[time]", venue.path("ports/line"));
    let shared = hall.iter().any(|kind| kind.shared);
    venue.write("gateway-1.toml", &if shared { gateway.replace("[time]", &line) } else { gateway });
    venue.add_account("judge", "correct horse battery 9");
    let server = venue.start_server();
    let arbiter = venue.sign_in("judge", "correct+horse+battery+9");
    let gateway = venue.start_gateway(1);
    let hands: Vec<Process> = hall.iter().map(|kind| kind.start(&venue, &emulator, &elf)).collect();

    std::thread::scope(|scope| {
        for (kind, hands) in hall.iter().zip(&hands) {
            for (number, accidents) in kind.tables().zip(kind.accidents) {
                let table = Table { venue: &venue, number, hands, arbiter: &arbiter };
                scope.spawn(move || {
                    for &(after, accident) in *accidents {
                        table.wait_for(&format!("{after} plies"), |game| {
                            (game["plies"].as_array()?.len() >= after).then_some(())
                        });
                        table.happens(accident);
                    }
                });
            }
        }
    });

    wait_for("the end of the round", PATIENCE, || venue.finished());
    wait_for("the games' truth", PATIENCE, || (venue.truth().len() >= tables.into()).then_some(()));
    venue.wait_for_last_records();
    for hands in hands {
        hands.end();
    }
    for (table, moves) in venue.truth() {
        assert!(moves.len() >= 12, "a whole game: {moves:?}");
        assert_eq!(venue.moves(1, table), moves, "table {table}");
    }
    gateway.end();
    server.end();

    let stored = venue.stored_records();
    for ((device, boot), numbers) in &stored {
        let whole: Vec<u32> = (1..=numbers.len() as u32).collect();
        assert_eq!(*numbers, whole, "records of {device}, start {boot}");
    }
    for kind in hall {
        for (number, accidents) in kind.tables().zip(kind.accidents) {
            let restarts = accidents.iter().filter(|(_, accident)| !matches!(accident, Pull)).count();
            let board =
                0xc400_0001_0000_0000_u64 | u64::from(number) | if kind.combined { 2 << 32 } else { 0 };
            let starts = stored.keys().filter(|(device, _)| device.0 == board).count();
            assert_eq!(starts, 1 + restarts, "starts of the board of table {number}");
        }
    }
    let made: u64 = hall.iter().map(|kind| records_made(&venue.path(&kind.log()))).sum();
    let stored: usize = stored.values().map(Vec::len).sum();
    assert_eq!(stored as u64, made, "records stored, records sent");
}
