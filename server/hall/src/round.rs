//! One round: who meets whom at which table, and the games.

use std::collections::BTreeMap;

use arbitration::{Ending, Game, GameResult, Outcome, ResultSource};
use firmware_proto::Epoch;
use tournament::{
    EntrantNo, Event, LadderKey, ResultEntry, ResultKind, RoundNo, Scoring, TableNo, TeamRules, team_bye,
};
use xiangqi::{BySide, Side};

use crate::desk::{EnteredAt, Seat, Source, Told};
use crate::view::GameStatus;
use crate::{Entry, Pair, event};

/// A round.
#[derive(Debug)]
pub struct Round {
    no: RoundNo,
    pairs: Vec<Pair>,
    /// The rules of matches, in a team event.
    rules: Option<TeamRules>,
    /// Who sits where in a team event; empty until the line-ups are in.
    seats: Vec<Seat>,
    /// The boards of the seats as pairs of persons.
    boards: Vec<Pair>,
    /// Fouls as slips say them, in the place of what was noted at the board.
    slips: BTreeMap<TableNo, [u16; 2]>,
    /// What was said of each game's result, oldest first.
    told: BTreeMap<TableNo, Vec<Told>>,
    /// A result is being entered by hand: where.
    entering: Option<(TableNo, EnteredAt)>,
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
    /// Where each game stood when the pairings were last said to be new.
    stood: BTreeMap<TableNo, GameStatus>,
    before: BTreeMap<EntrantNo, (u16, u16)>,
}

impl Round {
    /// A round that was paired but not started.
    pub fn new(no: RoundNo, pairs: Vec<Pair>, event: &Event, rules: Option<TeamRules>) -> Round {
        let former = RoundNo(no.0.saturating_sub(1));
        Round {
            scoring: event.data().scoring,
            before: points_and_ranks(event, former),
            no,
            pairs,
            rules,
            seats: Vec::new(),
            boards: Vec::new(),
            slips: BTreeMap::new(),
            told: BTreeMap::new(),
            entering: None,
            started: false,
            began: None,
            over: false,
            games: BTreeMap::new(),
            versions: BTreeMap::new(),
            stood: BTreeMap::new(),
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
        self.boards().iter().find(|pairing| pairing.table == no && pairing.black.is_some())
    }

    /// The tables with games.
    pub fn tables(&self) -> impl Iterator<Item = TableNo> + '_ {
        self.boards().iter().filter(|pairing| pairing.black.is_some()).map(|pairing| pairing.table)
    }

    /// The boards: the pairs of an individual event; of a team event the seats, and nothing until they are taken.
    pub fn boards(&self) -> &[Pair] {
        if self.rules.is_some() { &self.boards } else { &self.pairs }
    }

    /// The rules of matches, in a team event.
    pub fn rules(&self) -> Option<&TeamRules> {
        self.rules.as_ref()
    }

    /// Who sits where in a team event.
    pub fn seats(&self) -> &[Seat] {
        &self.seats
    }

    /// The seats of a team event are taken.
    pub fn seat(&mut self, seats: Vec<Seat>) {
        let pair =
            |seat: &Seat| self.pairs.iter().find(|pair| pair.table == seat.of).map(|pair| seat.pair(pair));
        self.boards = seats.iter().filter_map(pair).collect();
        self.seats = seats;
    }

    /// A table more.
    pub fn add(&mut self, pair: Pair) {
        // Who had the bye plays now.
        self.pairs.retain(|bye| bye.black.is_some() || (bye.red != pair.red && Some(bye.red) != pair.black));
        let at = self.pairs.iter().position(|bye| bye.black.is_none()).unwrap_or(self.pairs.len());
        self.pairs.insert(at, pair);
        for (bye, after) in self.pairs[at + 1..].iter_mut().zip(1..) {
            // A bye has the number after the last table.
            bye.table = TableNo(bye.table.0.max(after) + 1);
        }
    }

    /// The two at a table have the other colours.
    pub fn turn(&mut self, no: TableNo) {
        if let Some(pair) = self.pairs.iter_mut().find(|pair| pair.table == no)
            && let Some(black) = pair.black
        {
            (pair.red, pair.black) = (black, Some(pair.red));
            self.touch(no);
        }
    }

    /// Fouls at a table as a slip says them.
    pub fn set_fouls(&mut self, no: TableNo, fouls: [u16; 2]) {
        self.slips.insert(no, fouls);
        self.touch(no);
    }

    /// The next result of this table is entered by hand.
    pub fn entering(&mut self, no: TableNo, at: EnteredAt) {
        self.entering = Some((no, at));
    }

    /// A game's result was decided, for now.
    pub fn decided(&mut self, no: TableNo, outcome: Outcome, entry: &Entry) {
        let entered = self.entering.take().filter(|(table, _)| *table == no).map(|(_, at)| at);
        self.reopened(no);
        self.tell(no, Told::decided(outcome, entered, entry));
    }

    /// A game goes on: what was said of its result counts no more.
    pub fn reopened(&mut self, no: TableNo) {
        for told in self.told.entry(no).or_default() {
            told.counts = false;
        }
    }

    /// A result was reported, or the report taken back.
    pub fn reported(&mut self, no: TableNo, by: ResultSource, result: Option<GameResult>, entry: &Entry) {
        let said = self.told.entry(no).or_default();
        // A decision stays; the word before is replaced.
        said.retain(|told| told.ending.is_some() || told.source != Source::from(by));
        said.extend(result.map(|result| Told::reported(by, result, entry)));
    }

    fn tell(&mut self, no: TableNo, told: Told) {
        self.told.entry(no).or_default().push(told);
    }

    /// What was said of a game's result, oldest first.
    pub fn told(&self, no: TableNo) -> &[Told] {
        self.told.get(&no).map_or(&[], Vec::as_slice)
    }

    /// Fouls at a table, Red and Black: by the slip, else as they were noted at the board.
    pub fn fouls(&self, no: TableNo) -> [u16; 2] {
        let noted = || {
            let fouls = self.games.get(&no).map(Game::fouls).unwrap_or(BySide::both(0));
            [u16::from(fouls[Side::Red]), u16::from(fouls[Side::Black])]
        };
        self.slips.get(&no).copied().unwrap_or_else(noted)
    }

    /// The table under which the tournament keeps the result of a board: its match's in a team event.
    pub fn scored_at(&self, no: TableNo) -> TableNo {
        self.seats.iter().find(|seat| seat.table == no).map_or(no, |seat| seat.of)
    }

    /// The byes as results.
    pub fn byes(&self, event: &Event) -> Vec<ResultEntry> {
        let alone = self.pairs().iter().filter(|pairing| pairing.black.is_none());
        let bye = |pairing: &Pair| {
            let worth = event.bye(self.no, pairing.red);
            match &self.rules {
                Some(rules) if worth == self.scoring.bye() => team_bye(rules, self.no, pairing.red),
                Some(_) | None => ResultEntry::bye(self.no, pairing.red, worth),
            }
        };
        alone.map(bye).collect()
    }

    /// Points and rank of an entrant before this round.
    pub fn before(&self, no: EntrantNo) -> (u16, u16) {
        let team = self.before.get(&EntrantNo(no.0 / 100)).filter(|_| self.rules.is_some());
        self.before.get(&no).or(team).copied().unwrap_or_default()
    }

    /// A game's view is out of date.
    pub fn touch(&mut self, no: TableNo) {
        *self.versions.entry(no).or_default() += 1;
    }

    /// How often a game's view went out of date.
    pub fn version(&self, no: TableNo) -> u64 {
        self.versions.get(&no).copied().unwrap_or_default()
    }

    /// A game stands so now; tells whether it stood otherwise before.
    pub fn stands(&mut self, no: TableNo, status: GameStatus) -> bool {
        self.stood.insert(no, status).unwrap_or(GameStatus::NotStarted) != status
    }

    /// The tournament's result as the games stand: of the game at a table, or of the match that it belongs to. `None`
    /// while there is none.
    pub fn result(&self, no: TableNo) -> Option<ResultEntry> {
        if let Some(rules) = &self.rules {
            // A match whose boards do not fit its rules has no result; the desk shows its boards.
            return self.match_at(self.scored_at(no))?.result(rules).ok();
        }
        let pairing = self.pairing(no)?;
        let (outcome, _) = self.games.get(&no)?.outcome()?;
        let [red, black] = self.fouls(no);
        Some(ResultEntry {
            round: self.no(),
            table: Some(no),
            red: pairing.red,
            black: pairing.black,
            score: event::score(&self.scoring, outcome),
            kind: kind_of(outcome, false),
            fouls: BySide { red, black },
            boards: None,
        })
    }
}

/// What sort of result an outcome is; at an empty board nothing was played.
pub(crate) fn kind_of(outcome: Outcome, empty: bool) -> ResultKind {
    match (outcome.ending, outcome.result) {
        (Ending::Forfeit, GameResult::BothLose) => ResultKind::DoubleForfeit,
        (_, GameResult::BothLose) if empty => ResultKind::DoubleForfeit,
        (Ending::Forfeit, GameResult::RedWins | GameResult::BlackWins | GameResult::Draw) => {
            ResultKind::Forfeit
        }
        (_, GameResult::RedWins | GameResult::BlackWins) if empty => ResultKind::Forfeit,
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
    }
}

/// Points and rank of each entrant after a round; nothing before the first.
fn points_and_ranks(event: &Event, after: RoundNo) -> BTreeMap<EntrantNo, (u16, u16)> {
    if after.0 == 0 {
        return BTreeMap::new();
    }
    let mut all = BTreeMap::new();
    for (_, part) in event.by_group() {
        let standing = tournament::standings(&part, after.min(part.rounds()));
        let column = standing.ladder.0.iter().position(|key| *key == LadderKey::Points);
        let points = |row: &tournament::Row| {
            let figure = column.and_then(|column| row.figures[column]);
            figure.map_or(0, |figure| u16::try_from(figure.in_halves() / 2).unwrap_or_default())
        };
        all.extend(standing.rows.iter().map(|row| (row.no, (points(row), row.rank))));
    }
    all
}
