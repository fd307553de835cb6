//! The organiser's desk of an event, as the tests of the desk sit at it.

use arbitration::{Ending, GameResult, Outcome};
use firmware_proto::Epoch;
use hall::desk::{DeskAct, DeskView, EnteredAt, Form, FormNo, Settings};
use hall::{Act, Actor, Entry, Hall, Input, Refusal, Role};
use tournament::{RoundNo, TableNo};

/// A hall at whose desk the pairing officer (编排长) does what a test says.
pub struct Desk {
    pub hall: Hall,
    pub journal: Vec<Entry>,
    pub now: Epoch,
}

impl Desk {
    /// An event that is opened, with these settings.
    pub fn new(regulation: &str, settings: Settings) -> Desk {
        let mut desk =
            Desk { hall: Hall::new(hall::SKEW), journal: Vec::new(), now: Epoch(1_600_000_000_000) };
        let open = Act::Open {
            title: "秋分杯".into(),
            rounds: settings.rounds,
            regulation: regulation.into(),
            seed: 7,
        };
        desk.act(open).unwrap();
        desk.on(DeskAct::Set { settings: Box::new(settings), why: String::new() });
        desk
    }

    /// A second later he does this.
    pub fn act(&mut self, act: Act) -> Result<(), Refusal> {
        self.now = self.now.plus(1_000);
        let by = Actor::person("编排长", Role::PairingOfficer);
        self.journal.extend(self.hall.handle(Input::Act(act, by), self.now)?.entries);
        Ok(())
    }

    /// He does this at the desk, and it is done.
    pub fn on(&mut self, act: DeskAct) {
        self.act(Act::Desk(act)).unwrap();
    }

    /// He wants this at the desk, and nothing is done: why, in Chinese.
    pub fn refused(&mut self, act: DeskAct) -> String {
        let before = self.journal.len();
        let why = self.act(Act::Desk(act)).unwrap_err();
        assert_eq!(self.journal.len(), before);
        why.words().zh
    }

    pub fn view(&self) -> DeskView {
        self.hall.desk_view().unwrap()
    }

    /// A form is handed in, and whoever is on it is there.
    pub fn enter(&mut self, form: Form) -> FormNo {
        self.on(DeskAct::Register { form: Box::new(form), late: false });
        let no = *self.view().files.keys().next_back().unwrap();
        self.on(DeskAct::CheckIn { no, here: true });
        no
    }

    /// The next round is drawn and begins.
    pub fn round(&mut self) {
        self.on(DeskAct::Draft);
        self.on(DeskAct::Publish { why: String::new() });
        self.act(Act::Start).unwrap();
    }

    pub fn result(&mut self, round: u16, table: u16, result: GameResult, why: &str) {
        let outcome = Outcome { result, ending: Ending::Ruling };
        self.on(slip(round, table, outcome, why));
    }

    /// Red wins everywhere else.
    pub fn finish(&mut self) {
        let round = self.view().rounds.last().unwrap().clone();
        for board in round.boards.iter().filter(|board| board.outcome.is_none()) {
            self.result(round.no.0, board.table.0, GameResult::RedWins, "");
        }
    }
}

/// A result slip, as it is entered at the desk.
pub fn slip(round: u16, table: u16, outcome: Outcome, why: &str) -> DeskAct {
    DeskAct::Result {
        round: RoundNo(round),
        table: TableNo(table),
        outcome,
        fouls: None,
        why: why.into(),
        at: EnteredAt::Desk,
    }
}
