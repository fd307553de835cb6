//! How tables are made: one, or a venue of like ones; and what follows from it, each table's games.

use std::sync::Arc;

use capture::Seating;
use firmware_proto::delivery::Pace;
use firmware_proto::{BootId, Epoch, Half, Millis, SensingKind};

use crate::dice::Dice;
use crate::games::Source;
use crate::hands::{Budget, Script, perform};
use crate::noise::Noise;

/// How a table is made.
#[derive(Clone, Debug)]
pub struct TableConfig {
    /// Its number, from 1.
    pub table: u16,
    /// What its hands do follows from this, the table's number and the game's number.
    pub seed: u64,
    /// How clumsy the hands, how bad the sensors.
    pub noise: Noise,
    /// What the board senses.
    pub sensing: SensingKind,
    /// Whether board and clock are one controller.
    pub combined: bool,
    /// Which half plays Red.
    pub red: Half,
    /// The devices' start count: more than in any earlier run against the same server.
    pub boot: BootId,
    /// How patiently the devices resend.
    pub pace: Pace,
    /// The games to be played.
    pub games: Arc<Source>,
    /// Venue time at the table's ms 0.
    pub started: Epoch,
    /// Games that were played here to their end before the table's ms 0: the next one is the one after them.
    pub games_before: u32,
    /// How far that next one had come, if it was begun.
    pub resume: Option<Resume>,
    /// How much faster than the venue's time the oscillators of board and clock run, ppm.
    pub ppm: [i32; 2],
    /// Whether devices write their records to a flash, and so lose none when they restart.
    pub flash: bool,
}

/// A game that was begun before the table's ms 0. The board stands as then; the game goes on once its clock is set
/// with somebody's time running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resume {
    /// Plies that were completed.
    pub plies: usize,
    /// What both clocks were set to at its beginning.
    pub base: Millis,
}

impl TableConfig {
    /// Who sits where.
    pub(super) fn seating(&self) -> Seating {
        Seating { red: self.red }
    }

    /// The seed of all that the table does.
    fn table_seed(&self) -> u64 {
        self.seed.wrapping_mul(65_537).wrapping_add(u64::from(self.table))
    }

    /// The dice of its game after so many.
    pub(super) fn dice(&self, games_before: u32) -> Dice {
        Dice::new(self.table_seed()).branch(100 + u64::from(games_before))
    }

    /// What happens in its game after so many, with this base time, and the game's name. The same every time.
    pub(super) fn script(&self, games_before: u32, base: Millis) -> (Script, String) {
        // No two tables of a round play the same game of a record.
        let number = u64::from(games_before) * 389 + u64::from(self.table) - 1;
        let game = self.games.game(number, self.table_seed());
        // The increment is not on the clock's face; players who do not count on it only think less.
        let budget = Budget { base: i64::from(base.0), increment: 0 };
        let dice = self.dice(games_before).branch(5);
        (perform(&game, &self.noise, Some(budget), dice.seed()), game.id)
    }
}

/// A venue of like tables.
#[derive(Clone, Debug)]
pub struct Venue {
    /// How many.
    pub tables: u16,
    /// The number of the first.
    pub first: u16,
    /// See [`TableConfig::seed`].
    pub seed: u64,
    /// See [`TableConfig::noise`].
    pub noise: Noise,
    /// See [`TableConfig::sensing`].
    pub sensing: SensingKind,
    /// See [`TableConfig::combined`].
    pub combined: bool,
    /// See [`TableConfig::boot`].
    pub boot: BootId,
    /// Venue milliseconds per wall millisecond: the devices' patience with the gateway grows with it.
    pub speed: f64,
    /// See [`TableConfig::games`].
    pub games: Arc<Source>,
}

impl Venue {
    /// Its tables, numbered from the first; half A plays Red.
    #[must_use]
    pub fn tables(&self) -> Vec<TableConfig> {
        let slower = |span: Millis| Millis((f64::from(span.0) * self.speed.max(1.0)) as u32);
        let pace = Pace {
            first_retry: slower(Pace::SERIAL.first_retry),
            longest_retry: slower(Pace::SERIAL.longest_retry),
            ..Pace::SERIAL
        };
        let table = |table| TableConfig {
            table,
            seed: self.seed,
            noise: self.noise.clone(),
            sensing: self.sensing,
            combined: self.combined,
            red: Half::A,
            boot: self.boot,
            pace,
            games: Arc::clone(&self.games),
            started: Epoch(0),
            games_before: 0,
            resume: None,
            ppm: [0, 0],
            // They do not restart.
            flash: false,
        };
        (0..self.tables).map(|index| table(self.first.saturating_add(index))).collect()
    }
}
