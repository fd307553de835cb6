//! A board, a clock and two hands for the scenario tests: each call is what somebody does, and time passes.
#![allow(dead_code, reason = "each test file uses what it needs")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use capture::{Finding, Params, PlyNo, PlyState, Readings, Seen, Times, Tracker, What};
use firmware_proto::{Epoch, Millis, Reading, SensingKind};
use xiangqi::{BySide, Move, Point, Position, Side};

pub struct Table {
    pub tracker: Tracker,
    pub said: Vec<Finding>,
    pub now: i64,
    kind: SensingKind,
    board: [Reading; 90],
}

const TIMES: Times = BySide { red: Millis(600_000), black: Millis(600_000) };

impl Table {
    /// Pieces stand, the clock is set, Black has started Red's time.
    pub fn started(kind: SensingKind) -> Table {
        let mut table = Table::standing(kind);
        table.see(What::ClockSet(TIMES, None));
        table.wait(1_000);
        table.press(Side::Black);
        table.wait(1_000);
        table
    }

    /// The same with a point that has never sensed.
    pub fn started_without(kind: SensingKind, point: &str) -> Table {
        let mut table = Table::standing_without(kind, point);
        table.see(What::ClockSet(TIMES, None));
        table.wait(1_000);
        table.press(Side::Black);
        table.wait(1_000);
        table
    }

    /// The same from another position.
    pub fn started_from(kind: SensingKind, fen: &str) -> Table {
        let position = Position::from_fen(fen).unwrap();
        let board = readings(kind, &position);
        let tracker = Tracker::new(position, Params::default(), Epoch(0));
        let mut table = Table { tracker, said: Vec::new(), now: 0, kind, board };
        table.image();
        table.see(What::ClockSet(TIMES, None));
        table.wait(1_000);
        table.press(Side::Black);
        table.wait(1_000);
        table
    }

    /// Pieces stand.
    pub fn standing(kind: SensingKind) -> Table {
        Table::with(kind, readings(kind, &Position::start()))
    }

    /// Pieces stand, but one point has never sensed.
    pub fn standing_without(kind: SensingKind, point: &str) -> Table {
        let mut board = readings(kind, &Position::start());
        board[point.parse::<Point>().unwrap().index()] = Reading::EMPTY;
        Table::with(kind, board)
    }

    fn with(kind: SensingKind, board: [Reading; 90]) -> Table {
        let tracker = Tracker::new(Position::start(), Params::default(), Epoch(0));
        let mut table = Table { tracker, said: Vec::new(), now: 0, kind, board };
        table.image();
        table
    }

    pub fn see(&mut self, what: What) {
        let found = self.tracker.on_seen(&Seen { at: Epoch(self.now), what });
        self.said.extend(found);
    }

    pub fn wait(&mut self, millis: i64) {
        self.now += millis;
        let found = self.tracker.on_time(Epoch(self.now));
        self.said.extend(found);
    }

    pub fn image(&mut self) {
        let readings = Readings { kind: self.kind, points: self.board };
        self.see(What::Image(Box::new(readings)));
    }

    /// Takes away what stands on a point; returns it.
    pub fn lift(&mut self, point: &str) -> Reading {
        let point: Point = point.parse().unwrap();
        let reading = std::mem::take(&mut self.board[point.index()]);
        self.see(What::Changed(point, Reading::EMPTY));
        reading
    }

    /// A piece is gone from a point, and its record is lost.
    pub fn forget_point(&mut self, point: &str) {
        let point: Point = point.parse().unwrap();
        self.board[point.index()] = Reading::EMPTY;
    }

    pub fn place(&mut self, point: &str, reading: Reading) {
        let point: Point = point.parse().unwrap();
        self.board[point.index()] = reading;
        self.see(What::Changed(point, reading));
    }

    pub fn press(&mut self, side: Side) {
        self.see(What::Pressed(side, TIMES));
    }

    /// Lifts, carries and places, taking what stands there first.
    pub fn carry(&mut self, mv: &str) {
        let (from, to) = mv.split_at(2);
        let man = self.lift(from);
        self.wait(300);
        let target: Point = to.parse().unwrap();
        if !self.board[target.index()].is_empty() {
            self.lift(to);
            self.wait(300);
        }
        self.place(to, man);
        self.wait(400);
    }

    /// A whole turn: thinks, carries, presses.
    pub fn play(&mut self, mv: &str) {
        self.wait(2_000);
        let side = if self.tracker.plies().len().is_multiple_of(2) { Side::Red } else { Side::Black };
        self.carry(mv);
        self.press(side);
        self.wait(300);
    }

    /// Whole turns of which the board tells nothing; the clock is heard.
    pub fn unseen(&mut self, moves: &str) {
        let played = self.tracker.plies().len();
        for (index, mv) in moves.split_whitespace().enumerate() {
            let mv: Move = mv.parse().unwrap();
            self.wait(3_000);
            let man = std::mem::take(&mut self.board[mv.from.index()]);
            self.board[mv.to.index()] = man;
            self.press(if (played + index).is_multiple_of(2) { Side::Red } else { Side::Black });
        }
    }

    pub fn play_all(&mut self, moves: &str) {
        for mv in moves.split_whitespace() {
            self.play(mv);
        }
    }

    pub fn moves(&self) -> String {
        self.tracker.plies().iter().map(|ply| ply.mv.to_string()).collect::<Vec<_>>().join(" ")
    }

    pub fn state(&self, no: u16) -> PlyState {
        self.tracker.plies().iter().find(|ply| ply.no == PlyNo(no)).unwrap().state
    }

    /// What was said of this kind since the last call of `forget`.
    pub fn said(&self, which: impl Fn(&Finding) -> bool) -> Vec<&Finding> {
        self.said.iter().filter(|finding| which(finding)).collect()
    }

    pub fn forget(&mut self) {
        self.said.clear();
    }
}

pub fn moves(text: &str) -> Vec<Move> {
    text.split_whitespace().map(|mv| mv.parse().unwrap()).collect()
}

pub fn readings(kind: SensingKind, position: &Position) -> [Reading; 90] {
    let mut readings = [Reading::EMPTY; 90];
    for (point, piece) in position.board().pieces() {
        let most = match kind {
            SensingKind::Occupancy => 1,
            SensingKind::Colour => 2,
            SensingKind::Type => 14,
            SensingKind::Identity => 32,
        };
        let reading = (1..=most)
            .map(Reading)
            .find(|&reading| capture::Sense::read(kind, reading).may_be(Some(piece)))
            .unwrap();
        readings[point.index()] = reading;
    }
    readings
}

impl Table {
    /// Carries a piece, and nobody reports it.
    pub fn carry_unseen(&mut self, mv: &str) {
        let (from, to) = mv.split_at(2);
        let point = |name: &str| name.parse::<Point>().unwrap().index();
        self.board[point(to)] = std::mem::take(&mut self.board[point(from)]);
    }

    /// Carries a piece, and the record of its placement is lost.
    pub fn carry_unheard(&mut self, mv: &str) {
        let (from, to) = mv.split_at(2);
        let man = self.lift(from);
        let to: Point = to.parse().unwrap();
        self.board[to.index()] = man;
    }
}
