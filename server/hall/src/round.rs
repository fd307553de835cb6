//! One round: who meets whom at which table, and the games.

use std::collections::BTreeMap;

use arbitration::{Ending, Game, GameResult, Outcome};
use firmware_proto::Epoch;
use tournament::{EntrantNo, Event, LadderKey, ResultEntry, ResultKind, RoundNo, Scoring, TableNo};
use xiangqi::{BySide, Side};

use crate::{Pair, event};

/// A round.
#[derive(Debug)]
pub struct Round {
    no: RoundNo,
    pairs: Vec<Pair>,
    scoring: Scoring,
    /// Whether the clocks were set.
    pub started: bool,
    /// When.
    pub began: Option<Epoch>,
    /// Whether all results are in.
    pub over: bool,
    /// The games by table; none before the start.
    pub games: BTreeMap<TableNo, Game>,
    versions: BTreeMap<TableNo, u64>,
    before: BTreeMap<EntrantNo, (u16, u16)>,
}

impl Round {
    /// A round that was paired but not started.
    pub fn new(no: RoundNo, pairs: Vec<Pair>, event: &Event) -> Round {
        let former = RoundNo(no.0.saturating_sub(1));
        Round {
            scoring: event.data().scoring,
            before: points_and_ranks(event, former),
            no,
            pairs,
            started: false,
            began: None,
            over: false,
            games: BTreeMap::new(),
            versions: BTreeMap::new(),
        }
    }

    /// Its number.
    pub fn no(&self) -> RoundNo {
        self.no
    }

    /// Who meets whom.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// The pairing at a table.
    pub fn pairing(&self, no: TableNo) -> Option<&Pair> {
        self.pairs().iter().find(|pairing| pairing.table == no && pairing.black.is_some())
    }

    /// The tables with games.
    pub fn tables(&self) -> impl Iterator<Item = TableNo> + '_ {
        self.pairs().iter().filter(|pairing| pairing.black.is_some()).map(|pairing| pairing.table)
    }

    /// The byes as results.
    pub fn byes(&self) -> impl Iterator<Item = ResultEntry> + '_ {
        let alone = self.pairs().iter().filter(|pairing| pairing.black.is_none());
        alone.map(|pairing| ResultEntry::bye(self.no(), pairing.red, self.scoring.bye()))
    }

    /// Points and rank of an entrant before this round.
    pub fn before(&self, no: EntrantNo) -> (u16, u16) {
        self.before.get(&no).copied().unwrap_or_default()
    }

    /// A game's view is out of date.
    pub fn touch(&mut self, no: TableNo) {
        *self.versions.entry(no).or_default() += 1;
    }

    /// How often a game's view went out of date.
    pub fn version(&self, no: TableNo) -> u64 {
        self.versions.get(&no).copied().unwrap_or_default()
    }

    /// The tournament's result of an outcome at a table.
    pub fn result(&self, no: TableNo, outcome: Outcome) -> Option<ResultEntry> {
        let pairing = self.pairing(no)?;
        let fouls = self.games.get(&no).map(Game::fouls).unwrap_or(BySide::both(0));
        let kind = match (outcome.ending, outcome.result) {
            (Ending::Forfeit, GameResult::BothLose) => ResultKind::DoubleForfeit,
            (Ending::Forfeit, GameResult::RedWins | GameResult::BlackWins | GameResult::Draw) => {
                ResultKind::Forfeit
            }
            (
                Ending::Checkmate
                | Ending::Stalemate
                | Ending::Flag
                | Ending::BothFlags
                | Ending::Resignation
                | Ending::Agreement
                | Ending::Foul
                | Ending::Repetition
                | Ending::NaturalLimit
                | Ending::Misconduct
                | Ending::Ruling,
                _,
            ) => ResultKind::Played,
        };
        Some(ResultEntry {
            round: self.no(),
            table: Some(no),
            red: pairing.red,
            black: pairing.black,
            score: event::score(&self.scoring, outcome),
            kind,
            fouls: BySide { red: u16::from(fouls[Side::Red]), black: u16::from(fouls[Side::Black]) },
            boards: None,
        })
    }
}

/// Points and rank of each entrant after a round; nothing before the first.
fn points_and_ranks(event: &Event, after: RoundNo) -> BTreeMap<EntrantNo, (u16, u16)> {
    if after.0 == 0 {
        return BTreeMap::new();
    }
    let standing = tournament::standings(event, after);
    let column = standing.ladder.0.iter().position(|key| *key == LadderKey::Points);
    let points = |row: &tournament::Row| {
        let figure = column.and_then(|column| row.figures[column]);
        figure.map_or(0, |figure| u16::try_from(figure.in_halves() / 2).unwrap_or_default())
    };
    standing.rows.iter().map(|row| (row.no, (points(row), row.rank))).collect()
}
