//! A venue without noise: tables whose hands lift, place and press, said as observations.

use firmware_proto::{
    Body, BootId, ByHalf, Capabilities, Cell, ClockFace, DeviceUid, Done, DoneCode, Epoch, Half, Hello,
    Image, Millis, Observation, PlayerSignal, Reading, Record, ResetCause, SensingKind, Seq, Sighting,
};
use hall::{Act, Actor, Entrant, Hall, Input, Outputs, Role, TableBinding};
use tournament::TableNo;
use xiangqi::{Move, Position, Side};

/// The arbiter of all acts in these tests.
pub fn arbiter() -> Actor {
    Actor::person("裁判长", Role::ChiefArbiter)
}

/// The devices of one table and the pieces on it.
pub struct Table {
    pub no: TableNo,
    board_seq: u32,
    board_boot: BootId,
    clock_seq: u32,
    position: Position,
    left: ByHalf<Millis>,
    /// Whose time runs, since when.
    running: Option<(Half, Epoch)>,
}

impl Table {
    pub fn new(no: u16) -> Table {
        Table {
            no: TableNo(no),
            board_seq: 0,
            board_boot: BootId(1),
            clock_seq: 0,
            position: Position::start(),
            left: ByHalf { a: Millis(1_500_000), b: Millis(1_500_000) },
            running: None,
        }
    }

    pub fn binding(&self) -> TableBinding {
        TableBinding { table: self.no, board: self.board(), clock: self.clock(), red: Half::A }
    }

    pub fn board(&self) -> DeviceUid {
        DeviceUid(0xB000 + u64::from(self.no.0))
    }

    pub fn clock(&self) -> DeviceUid {
        DeviceUid(0xC000 + u64::from(self.no.0))
    }

    fn record(&mut self, board: bool, at: Epoch, body: Body) -> Observation {
        let boot = self.boot(board);
        let (device, seq) =
            if board { (self.board(), &mut self.board_seq) } else { (self.clock(), &mut self.clock_seq) };
        *seq += 1;
        let record = Record { seq: Seq(*seq), at: Millis(at.0 as u32), body };
        Observation { device, at, sighting: Sighting::Record(boot, record) }
    }

    fn boot(&self, board: bool) -> BootId {
        if board { self.board_boot } else { BootId(1) }
    }

    pub fn hello(&self, board: bool, at: Epoch) -> Observation {
        let hello = Hello {
            uid: if board { self.board() } else { self.clock() },
            boot: self.boot(board),
            firmware: 1,
            hardware: 1,
            reset: ResetCause::PowerOn,
            capabilities: Capabilities { board: board.then_some(SensingKind::Colour), clock: !board },
            oldest: Seq(1),
            next: Seq(if board { self.board_seq } else { self.clock_seq } + 1),
            overflowed: 0,
            at: Millis(0),
        };
        Observation { device: hello.uid, at, sighting: Sighting::Attached(hello) }
    }

    /// Both devices come up and the pieces stand for a new game.
    pub fn set_up(&mut self, at: Epoch) -> Vec<Observation> {
        self.position = Position::start();
        self.left = ByHalf { a: Millis(1_500_000), b: Millis(1_500_000) };
        self.running = None;
        let face = ClockFace { left: self.left, running: None };
        vec![
            self.hello(true, at),
            self.hello(false, at),
            self.snapshot(at),
            self.record(false, at, Body::Clock(face)),
        ]
    }

    /// The board tells how it stands.
    fn snapshot(&mut self, at: Epoch) -> Observation {
        let mut image = Image::empty(SensingKind::Colour);
        for cell in Cell::all() {
            let point = capture::Seating { red: Half::A }.point(cell);
            if let Some(piece) = self.position.piece_at(point) {
                image.set(cell, reading(piece.side)).unwrap();
            }
        }
        self.record(true, at, Body::Snapshot(image))
    }

    /// The pieces are put as they stand after these moves from the start, and the board tells how it stands.
    pub fn stands_as(&mut self, moves: &[&str], at: Epoch) -> Vec<Observation> {
        self.position = Position::start();
        for mv in moves {
            self.position = self.position.play(mv.parse().unwrap()).unwrap();
        }
        vec![self.snapshot(at)]
    }

    /// The board comes up anew: what it had kept is lost, it tells how it stands.
    pub fn reset_board(&mut self, at: Epoch) -> Vec<Observation> {
        self.board_boot.0 += 1;
        self.board_seq = 0;
        let snapshot = self.snapshot(at);
        vec![self.hello(true, at), snapshot]
    }

    /// A player presses.
    pub fn press(&mut self, side: Side, at: Epoch) -> Observation {
        let half = capture::Seating { red: Half::A }.half(side);
        if let Some((running, since)) = self.running.replace((half.other(), at)) {
            self.left[running].0 = self.left[running].0 + 5_000 - at.since(since) as u32;
        }
        let face = ClockFace { left: self.left, running: Some(half.other()) };
        self.record(false, at, Body::Press(half, face))
    }

    /// A move by hand: the captured piece first, then the mover's; then the press.
    pub fn play(&mut self, mv: Move, at: Epoch) -> Vec<Observation> {
        let seating = capture::Seating { red: Half::A };
        let side = self.position.piece_at(mv.from).unwrap().side;
        let mut all = Vec::new();
        if self.position.piece_at(mv.to).is_some() {
            all.push(self.record(true, at, Body::Point(seating.cell(mv.to), Reading::EMPTY)));
        }
        all.push(self.record(true, at.plus(300), Body::Point(seating.cell(mv.from), Reading::EMPTY)));
        all.push(self.record(true, at.plus(700), Body::Point(seating.cell(mv.to), reading(side))));
        self.position = self.position.play(mv).unwrap();
        all.push(self.press(side, at.plus(1_200)));
        all
    }

    pub fn signal(&mut self, side: Side, signal: PlayerSignal, at: Epoch) -> Observation {
        let half = capture::Seating { red: Half::A }.half(side);
        self.record(false, at, Body::Signal(half, signal))
    }

    pub fn flag(&mut self, side: Side, at: Epoch) -> Observation {
        let half = capture::Seating { red: Half::A }.half(side);
        self.left[half] = Millis(0);
        let face = ClockFace { left: self.left, running: Some(half) };
        self.record(false, at, Body::Flag(half, face))
    }
}

fn reading(side: Side) -> Reading {
    match side {
        Side::Red => Reading(1),
        Side::Black => Reading(2),
    }
}

/// A hall with its tables, and all that it ever put out.
pub struct Venue {
    pub hall: Hall,
    pub tables: Vec<Table>,
    pub journal: Vec<hall::Entry>,
    pub stored: Vec<Observation>,
    pub now: Epoch,
}

impl Venue {
    /// An event of regulation A with two players a table, drawn, paired and started.
    pub fn started(tables: u16, players: u16, rounds: u16) -> Venue {
        let mut venue = Venue {
            hall: Hall::new(hall::SKEW),
            tables: (1..=tables).map(Table::new).collect(),
            journal: Vec::new(),
            stored: Vec::new(),
            now: Epoch(1_000_000),
        };
        venue.act(Act::Open { title: "测试赛".into(), rounds, regulation: "a".into(), seed: 7 });
        for no in 1..=players {
            venue.act(Act::Enter(Entrant { name: format!("棋手{no}"), unit: "某县".into() }));
        }
        for binding in venue.tables.iter().map(Table::binding).collect::<Vec<_>>() {
            venue.act(Act::Bind(binding));
        }
        venue.act(Act::Draw);
        venue.next_round();
        venue
    }

    pub fn next_round(&mut self) {
        self.act(Act::Pair);
        self.act(Act::Start);
        for index in 0..self.tables.len() {
            let set_up = self.tables[index].set_up(self.now);
            self.observe(set_up);
            let press = self.tables[index].press(Side::Black, self.now.plus(2_000));
            self.pass(2_000);
            self.observe(vec![press]);
        }
    }

    fn take(&mut self, out: Outputs) -> Outputs {
        self.journal.extend(out.entries.iter().cloned());
        // Every command is done at once.
        let done: Vec<_> = out
            .commands
            .iter()
            .map(|outgoing| Observation {
                device: outgoing.device,
                at: self.now,
                sighting: Sighting::Done(Done { command: outgoing.id, code: DoneCode::Ok }),
            })
            .collect();
        if !done.is_empty() {
            self.observe(done);
        }
        out
    }

    pub fn act(&mut self, act: Act) -> Outputs {
        let out = self.hall.handle(Input::Act(act, arbiter()), self.now).unwrap();
        self.take(out)
    }

    pub fn observe(&mut self, observations: Vec<Observation>) -> Outputs {
        self.stored.extend(observations.iter().copied());
        let out = self.hall.handle(Input::Observed(observations), self.now).unwrap();
        self.take(out)
    }

    /// Time passes; the hall is woken whenever it asked for it.
    pub fn pass(&mut self, millis: i64) {
        let until = self.now.plus(millis);
        while let Some((due, _)) = self.hall.poll_timeout().filter(|(due, _)| *due <= until) {
            self.now = self.now.max(due);
            let out = self.hall.handle(Input::Time, self.now).unwrap();
            self.take(out);
            if self.hall.poll_timeout().is_some_and(|(again, _)| again <= due) {
                self.now = self.now.plus(1);
            }
        }
        self.now = until;
    }

    /// A beat of both devices of a table: all that they recorded has come.
    pub fn beat(&mut self, table: usize) {
        let devices = [self.tables[table].board(), self.tables[table].clock()];
        let beats = devices.map(|device| firmware_proto::Beat { device, at: self.now, face: None });
        let out = self.hall.handle(Input::Beats(beats.to_vec()), self.now).unwrap();
        self.take(out);
    }

    /// Plays moves at a table, by both sides in turn.
    pub fn play(&mut self, table: usize, moves: &str) {
        for mv in moves.split_whitespace() {
            let mv = mv.parse().unwrap();
            self.pass(2_000);
            let seen = self.tables[table].play(mv, self.now);
            for observation in seen {
                let wait = observation.at.since(self.now);
                self.pass(wait.max(0));
                self.observe(vec![observation]);
            }
        }
        self.pass(500);
    }

    pub fn moves(&self, table: usize) -> String {
        let view = self.game(table);
        view.plies.iter().map(|ply| ply.mv.to_string()).collect::<Vec<_>>().join(" ")
    }

    pub fn game(&self, table: usize) -> hall::view::GameView {
        let round = self.hall.event_view().unwrap().round;
        self.hall.game_view(round, self.tables[table].no).unwrap()
    }

    /// The hall as it would be after a crash and a restart now.
    pub fn restarted(&self) -> Hall {
        let mut hall = Hall::restore(hall::SKEW, self.journal.iter().cloned()).unwrap();
        for observation in &self.stored[hall.replay_from() as usize..] {
            hall.replay(observation);
        }
        let out = hall.resume(self.now);
        assert_eq!(out.entries, [], "a restart concludes nothing that was concluded before");
        hall
    }
}
