//! A virtual table: hands, board and clock (the firmware's own code), a host that keeps everything, and the hall, in
//! one process on a virtual time line. No sleep, no socket: what takes half an hour takes a few milliseconds.
//!
//! ```
//! use tests::Table;
//! let mut table = Table::under("a");
//! table.begins().plays("炮二平五").plays("马８进７");
//! assert_eq!(table.record(), "炮二平五 马８进７");
//! ```

use arbitration::{AlertCode, Ending, GameResult};
use firmware_proto::{Epoch, Observation, PlayerSignal};
use hall::view::{AlertView, GameStatus, TableView};
use hall::{Act, Actor, Entrant, Entry, Hall, Input, Outputs, Role};
use simulator::Man;
use tournament::{RoundNo, TableNo};
use xiangqi::notation::{self, Notation};
use xiangqi::{Move, Point, Position, Side};

use crate::devices::Devices;

/// The table's number.
pub const TABLE: TableNo = TableNo(1);
/// The round's number.
pub const ROUND: RoundNo = RoundNo(1);

/// A table with its game, its hands and the hall behind it.
pub struct Table {
    /// The hall.
    pub hall: Hall,
    /// All entries so far.
    pub journal: Vec<Entry>,
    /// All observations so far, as a store would keep them.
    pub stored: Vec<Observation>,
    /// Board and clock.
    pub devices: Devices,
    /// What was played, as the hands know it.
    pub position: Position,
    now: i64,
    origin: Epoch,
    in_hand: Vec<(Point, Option<Man>)>,
}

impl Table {
    /// An event under this preset with one table; its first round was just started, the pieces stand.
    ///
    /// # Panics
    /// If the hall refuses any of that.
    #[must_use]
    pub fn under(preset: &str) -> Table {
        let origin = Epoch(1_764_000_000_000);
        let mut table = Table {
            hall: Hall::new(hall::SKEW),
            journal: Vec::new(),
            stored: Vec::new(),
            devices: Devices::new(TABLE.0, origin),
            position: Position::start(),
            now: 0,
            origin,
            in_hand: Vec::new(),
        };
        let open = Act::Open { title: "试".into(), rounds: 3, regulation: preset.into(), seed: 1 };
        table.act(open).expect("the first event opens");
        for name in ["甲", "乙"] {
            let entrant = Entrant { name: name.into(), unit: String::new() };
            table.act(Act::Enter(entrant)).expect("entries are open");
        }
        let binding = table.devices.binding();
        for act in [Act::Bind(binding), Act::Draw, Act::Pair, Act::Start] {
            table.act(act).expect("an event begins so");
        }
        table.passes(1_000);
        table
    }

    /// The same, the game begun.
    #[must_use]
    pub fn begun(preset: &str) -> Table {
        let mut table = Table::under(preset);
        table.begins();
        table
    }

    /// Venue time now.
    #[must_use]
    pub fn now(&self) -> Epoch {
        self.origin.plus(self.now)
    }

    // Time and the wires.

    /// Time passes, ms.
    pub fn passes(&mut self, span: i64) -> &mut Table {
        let until = self.now + span;
        self.turn();
        while self.now < until {
            let hall = self.hall.poll_timeout().map_or(until, |(at, _)| at.since(self.origin));
            let next = self.devices.due(self.now).min(hall.max(self.now + 1));
            self.now = next.min(until);
            self.turn();
        }
        self
    }

    /// What is due now.
    fn turn(&mut self) {
        let heard = self.devices.poll(self.now);
        if !heard.observations.is_empty() {
            self.observe(heard.observations);
        }
        if !heard.beats.is_empty() {
            self.tell(Input::Beats(heard.beats));
        }
        if self.hall.poll_timeout().is_some_and(|(at, _)| at <= self.now()) {
            self.tell(Input::Time);
        }
    }

    fn observe(&mut self, observations: Vec<Observation>) {
        self.stored.extend(observations.iter().copied());
        self.tell(Input::Observed(observations));
    }

    /// Hands the hall an input that cannot be refused.
    pub fn tell(&mut self, input: Input) {
        let out = self.hall.handle(input, self.now()).expect("only acts are refused");
        self.take(out);
    }

    fn take(&mut self, out: Outputs) {
        self.journal.extend(out.entries);
        for outgoing in out.commands {
            self.devices.command(outgoing, self.now);
        }
    }

    /// The chief arbiter (or whoever does what he may not) acts.
    pub fn act(&mut self, act: Act) -> Result<(), String> {
        self.act_as(Role::ChiefArbiter, act)
    }

    /// Somebody acts; commands go to the devices and their answers come back.
    pub fn act_as(&mut self, role: Role, act: Act) -> Result<(), String> {
        let by = Actor::person(role.zh(), role);
        let out = self.hall.handle(Input::Act(act, by), self.now()).map_err(|why| why.to_string())?;
        self.take(out);
        self.passes(100);
        Ok(())
    }

    /// An arbiter's act that has to be possible.
    #[track_caller]
    pub fn arbiter(&mut self, act: Act) -> &mut Table {
        if let Err(why) = self.act_as(Role::Arbiter, act.clone()) {
            panic!("{act:?} was refused: {why}");
        }
        self
    }

    /// An arbiter takes a remedy of an open alert.
    #[track_caller]
    pub fn remedy(&mut self, code: AlertCode, choice: usize) -> &mut Table {
        let alert = self.alert(code).id;
        self.arbiter(Act::Remedy { alert, choice, why: "裁定".into() })
    }

    /// An arbiter sets both clocks, in seconds, and lets this side's run.
    pub fn clocks_stand_at(&mut self, red: u32, black: u32, running: Side) -> &mut Table {
        let (red_ms, black_ms) = (red * 1_000, black * 1_000);
        self.arbiter(Act::SetClock { table: TABLE, red_ms, black_ms, running: Some(running) })
    }

    // Hands.

    /// Black starts Red's time.
    pub fn begins(&mut self) -> &mut Table {
        self.presses(Side::Black)
    }

    /// A player pushes his lever.
    pub fn presses(&mut self, side: Side) -> &mut Table {
        self.turn();
        self.devices.lever(side, self.now);
        self.passes(300)
    }

    /// A player uses a button.
    pub fn signals(&mut self, side: Side, signal: PlayerSignal) -> &mut Table {
        self.turn();
        self.devices.button(side, signal, self.now);
        self.passes(300)
    }

    /// The side to move thinks, moves by hand and presses. Chinese, WXF or UCI text.
    #[track_caller]
    pub fn plays(&mut self, text: &str) -> &mut Table {
        let side = self.position.side_to_move();
        self.moves(text).presses(side)
    }

    /// Several moves in UCI text, one by one.
    #[track_caller]
    pub fn plays_all(&mut self, moves: &str) -> &mut Table {
        for text in moves.split_whitespace() {
            self.plays(text);
        }
        self
    }

    /// The side to move moves by hand and does not press.
    #[track_caller]
    pub fn moves(&mut self, text: &str) -> &mut Table {
        let mv = self.read(text);
        self.carries(mv)
    }

    /// The piece is slid from point to point over the board.
    #[track_caller]
    pub fn slides(&mut self, text: &str) -> &mut Table {
        let mv = self.read(text);
        self.passes(1_500);
        let man = self.devices.at(mv.from);
        let mut last = mv.from;
        for point in Devices::crossed(mv).into_iter().chain([mv.to]) {
            self.shows(last, None).shows(point, man).passes(60);
            last = point;
        }
        self.position = self.position.play_irregular(mv);
        self.passes(400)
    }

    #[track_caller]
    fn read(&self, text: &str) -> Move {
        let how = notation::detect(text).unwrap_or(Notation::Chinese);
        match notation::parse(how, &self.position, text) {
            Ok(mv) => mv,
            Err(why) => panic!("{text}: {why}"),
        }
    }

    /// A hand carries a piece, lawful or not, and leaves it; nobody presses.
    pub fn carries(&mut self, mv: Move) -> &mut Table {
        self.passes(1_500);
        if self.devices.at(mv.to).is_some() {
            self.shows(mv.to, None).passes(300);
        }
        let man = self.devices.at(mv.from);
        self.shows(mv.from, None).passes(400).shows(mv.to, man);
        self.position = self.position.play_irregular(mv);
        self.passes(500)
    }

    /// A hand carries a piece from one point to another, in UCI text, whatever the rules say.
    ///
    /// # Panics
    /// If the text is no move.
    #[track_caller]
    pub fn carries_text(&mut self, text: &str) -> &mut Table {
        self.carries(text.parse().expect("UCI text"))
    }

    fn shows(&mut self, point: Point, man: Option<Man>) -> &mut Table {
        self.devices.show(point, man, self.now);
        self
    }

    /// A player lifts a piece, holds it and puts it back where it was.
    #[track_caller]
    pub fn touches(&mut self, point: &str, held: i64) -> &mut Table {
        let point = at(point);
        let man = self.devices.at(point);
        self.passes(500).shows(point, None).passes(held).shows(point, man).passes(400)
    }

    /// These pieces fall over and lie beside their points.
    #[track_caller]
    pub fn knocks_over(&mut self, points: &str) -> &mut Table {
        for point in points.split_whitespace().map(at) {
            let man = self.devices.at(point);
            self.in_hand.push((point, man));
            self.shows(point, None);
        }
        self.passes(3_500)
    }

    /// All that fell over is put back.
    pub fn puts_them_back(&mut self) -> &mut Table {
        for (point, man) in std::mem::take(&mut self.in_hand) {
            self.shows(point, man).passes(400);
        }
        self.passes(1_500)
    }

    /// The board is put up as in a position, piece by piece; the hands know it for what was played.
    pub fn puts_up(&mut self, position: &Position) -> &mut Table {
        self.position = position.clone();
        self.devices.put_up(position, self.now);
        self.passes(4_000)
    }

    /// Waits until this side's time has run out.
    ///
    /// # Panics
    /// If its time does not run.
    #[track_caller]
    pub fn flag(&mut self, side: Side) -> &mut Table {
        let (left, running) = self.devices.face();
        assert_eq!(running, Some(side), "time that does not run does not run out");
        self.passes(i64::from(left[usize::from(side == Side::Black)]) + 300)
    }

    /// The board's cable is pulled.
    pub fn unplugs_board(&mut self) -> &mut Table {
        let seen = self.devices.plug(true, false, self.now);
        self.observe(seen);
        self
    }

    /// The board's cable is put in again.
    pub fn plugs_board(&mut self) -> &mut Table {
        self.devices.plug(true, true, self.now);
        self.passes(1_000)
    }

    /// The board, whose cable was pulled, had no power either: it comes back and knows nothing of what was done meanwhile.
    pub fn restarts_board(&mut self) -> &mut Table {
        self.devices.restart_board(self.now);
        self.passes(1_000)
    }

    /// The clock's cable is pulled.
    pub fn unplugs_clock(&mut self) -> &mut Table {
        let seen = self.devices.plug(false, false, self.now);
        self.observe(seen);
        self
    }

    /// The clock's cable is put in again.
    pub fn plugs_clock(&mut self) -> &mut Table {
        self.devices.plug(false, true, self.now);
        self.passes(1_000)
    }

    /// The clock's counter jumps ahead.
    pub fn clock_jumps(&mut self, millis: i64) -> &mut Table {
        self.devices.clock_jumps(millis);
        self
    }

    /// A point senses nothing any more.
    #[track_caller]
    pub fn point_dies(&mut self, point: &str) -> &mut Table {
        self.devices.kill(at(point), self.now);
        self.passes(500)
    }

    /// The board's supply is measured.
    pub fn supply(&mut self, millivolts: u16) -> &mut Table {
        self.devices.supply(true, millivolts, self.now);
        self.passes(500)
    }

    /// The host finds that records of the board are gone for good.
    pub fn loses_records(&mut self) -> &mut Table {
        let seen = self.devices.loses_records(self.now);
        self.observe(vec![seen]);
        self
    }

    /// The players sit down the other way round.
    pub fn turns_round(&mut self) -> &mut Table {
        self.devices.turn_round(self.now);
        self.passes(4_500)
    }

    // What is to be seen.

    /// The game as recorded, in Chinese notation.
    #[must_use]
    pub fn record(&self) -> String {
        self.view().plies.iter().map(|ply| ply.zh.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// How many plies are recorded.
    #[must_use]
    pub fn plies(&self) -> usize {
        self.view().plies.len()
    }

    /// The table as its arbiter sees it.
    ///
    /// # Panics
    /// If its round was not started.
    #[must_use]
    pub fn view(&self) -> TableView {
        self.hall.table_view(TABLE).expect("the round was started")
    }

    /// Codes of the open alerts, gravest first.
    #[must_use]
    pub fn open(&self) -> Vec<AlertCode> {
        self.hall.alert_view().open.iter().map(|alert| alert.code).collect()
    }

    /// Whether an alert of this code is open.
    #[must_use]
    pub fn has(&self, code: AlertCode) -> bool {
        self.open().contains(&code)
    }

    /// The open alert of this code.
    ///
    /// # Panics
    /// If there is none.
    #[track_caller]
    #[must_use]
    pub fn alert(&self, code: AlertCode) -> AlertView {
        let found = self.hall.alert_view().open.into_iter().find(|alert| alert.code == code);
        found.unwrap_or_else(|| {
            panic!("no alert {code:?}; open: {:?}; record: {}", self.open(), self.record())
        })
    }

    /// How often alerts of this code were ever raised.
    #[must_use]
    pub fn raised(&self, code: AlertCode) -> u64 {
        self.hall.alert_tally().get(&code).copied().unwrap_or_default()
    }

    /// How the game ended, if it has.
    #[must_use]
    pub fn result(&self) -> Option<(GameResult, Ending)> {
        match self.hall.game_view(ROUND, TABLE)?.status {
            GameStatus::Finished(outcome) => Some((outcome.result, outcome.ending)),
            GameStatus::NotStarted | GameStatus::Playing | GameStatus::Pending | GameStatus::Withheld => None,
        }
    }

    /// The clock's own face: Red's and Black's seconds left, and whose time runs.
    #[must_use]
    pub fn face(&self) -> ([u32; 2], Option<Side>) {
        let (left, running) = self.devices.face();
        (left.map(|ms| ms / 1_000), running)
    }

    /// Fouls, Red and Black.
    #[must_use]
    pub fn fouls(&self) -> [u8; 2] {
        self.view().fouls
    }

    /// The hall as it would be after a crash now and a restart: it must know the same and conclude nothing new.
    ///
    /// # Panics
    /// If it does not.
    #[track_caller]
    pub fn survives_a_restart(&mut self) -> &mut Table {
        let mut hall =
            Hall::restore(hall::SKEW, self.journal.iter().cloned()).expect("its own journal folds");
        let from = usize::try_from(hall.replay_from()).unwrap_or(usize::MAX);
        for observation in self.stored.iter().skip(from) {
            hall.replay(observation);
        }
        let out = hall.resume(self.now());
        let concluded: Vec<_> = out.entries.iter().map(|entry| &entry.fact).collect();
        assert!(concluded.is_empty(), "a restart concludes nothing new: {concluded:?}");
        assert_eq!(hall.alert_view(), self.hall.alert_view());
        self.hall = hall;
        self.take(Outputs { entries: Vec::new(), ..out });
        self
    }
}

/// A point by its name.
#[track_caller]
fn at(name: &str) -> Point {
    name.parse().unwrap_or_else(|why| panic!("{name}: {why}"))
}
