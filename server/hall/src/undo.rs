//! What undoes what: the one place that says how each act is taken back.

use arbitration::{DrawTalk, Evidence};
use capture::PlyNo;
use firmware_proto::Epoch;
use tournament::{RoundNo, TableNo};
use xiangqi::Side;

use crate::entry::Settlement;
use crate::refusal::Refusal;
use crate::remedies::act_of;
use crate::{Act, Hall};

/// Somebody's decision, as it stands in the journal.
#[derive(Clone, Debug)]
pub struct Decision {
    /// In which round.
    pub round: RoundNo,
    /// When.
    pub at: Epoch,
    /// Who.
    pub by: crate::Actor,
    /// What.
    pub act: Act,
    /// What undoes it.
    pub inverse: Vec<Act>,
    /// Both times of its table then, Red's and Black's, ms, if they were known.
    pub times: Option<[u32; 2]>,
    /// Whether that was done.
    pub undone: bool,
}

impl Hall {
    /// What undoes an act, given how things stand before it; an error says why nothing does.
    pub(crate) fn inverse(&self, act: &Act, now: Epoch) -> Result<Vec<Act>, &'static str> {
        let inverse = match act {
            Act::Open { .. } => return Err("an event that is open stays open"),
            Act::Enter(_) => return Err("an entry is withdrawn at the desk"),
            Act::Draw => return Err("numbers that were drawn are public"),
            Act::Pair => return Err("a pairing that was published stands"),
            Act::Start => return Err("a round that was started is played"),
            Act::Call { .. } | Act::Misconduct { .. } => return Err("its alert is dismissed instead"),
            Act::PutRight(_) => return Err("it changed nothing"),
            Act::Desk(_) => return Err("the desk takes its own steps back"),
            Act::SelfTest { .. } => return Err("it is tested again instead"),
            Act::OfferFirmware(_) => return Err("the update is stopped among the devices"),
            Act::WithdrawFirmware => return Err("the firmware is offered again instead"),
            Act::Walk(_) | Act::Show(_) | Act::Note { .. } => {
                return Err("it is shown otherwise by saying so again");
            }
            Act::Bind(binding) => {
                let table = self.tables.get(binding.table);
                Act::Bind(table.ok_or("nothing stood there before")?.binding())
            }
            Act::Result { round, table, .. } => match self.outcome_of(*round, *table) {
                Some(outcome) => Act::Result { round: *round, table: *table, outcome },
                None => Act::Reopen(*table),
            },
            Act::Reopen(table) => {
                let round = self.rounds.last().map(|round| round.no()).ok_or("no round")?;
                let outcome = self.outcome_of(round, *table).ok_or("it had not ended")?;
                Act::Result { round, table: *table, outcome }
            }
            Act::Foul { table, side, given, offence, why } => {
                Act::Foul { table: *table, side: *side, given: !given, offence: *offence, why: why.clone() }
            }
            Act::Warn { table, side, given, what } => {
                Act::Warn { table: *table, side: *side, given: !given, what: *what }
            }
            Act::OfferDraw { table, .. } => Act::DeclineDraw(*table),
            Act::DeclineDraw(table) => match self.game(*table).ok_or("no game")?.draw_talk() {
                DrawTalk::Offered { by, .. } => Act::OfferDraw { table: *table, side: by },
                DrawTalk::Silent | DrawTalk::Agreed => return Err("nothing was offered"),
            },
            Act::Order { table, .. } => {
                Act::Order { table: *table, order: self.game(*table).ok_or("no game")?.order() }
            }
            Act::ClaimLimit { table, .. } => {
                Act::ClaimLimit { table: *table, claim: self.game(*table).ok_or("no game")?.limit_claim() }
            }
            Act::Classify { table, classes } => {
                let game = self.game(*table).ok_or("no game")?;
                let before = classes.iter().map(|(ply, _)| (*ply, game.ruled(*ply))).collect();
                Act::Classify { table: *table, classes: before }
            }
            Act::Present { table, side, present } => {
                Act::Present { table: *table, side: *side, present: !present }
            }
            Act::Report { table, source, .. } => {
                let game = self.game(*table).ok_or("no game")?;
                let result = game.reported().get(source).copied();
                Act::Report { table: *table, source: *source, result }
            }
            Act::Correct { table, from, .. } => {
                let game = self.game(*table).ok_or("no game")?;
                let kept = usize::from(from.0).saturating_sub(1);
                let line = game.plies().iter().skip(kept).map(|ply| ply.read.mv).collect();
                Act::Correct { table: *table, from: *from, line }
            }
            Act::SetClock { table, red_ms, black_ms, .. } => {
                let [red, black] = self.times(*table, now).ok_or("its clock was never read")?;
                Act::AddTime {
                    table: *table,
                    red_ms: i64::from(red) - i64::from(*red_ms),
                    black_ms: i64::from(black) - i64::from(*black_ms),
                }
            }
            Act::AddTime { table, red_ms, black_ms } => {
                Act::AddTime { table: *table, red_ms: -red_ms, black_ms: -black_ms }
            }
            Act::Run { table, .. } => match self.running_side(*table) {
                Some(side) => Act::Run { table: *table, side },
                None => Act::Pause(vec![*table]),
            },
            Act::Pause(tables) => {
                let ran = self
                    .meant(tables)
                    .into_iter()
                    .filter_map(|table| self.running_side(table).map(|side| Act::Run { table, side }));
                return Ok(ran.collect());
            }
            Act::Resume(tables) => {
                let stood: Vec<TableNo> =
                    self.meant(tables).into_iter().filter(|no| self.running_side(*no).is_none()).collect();
                if stood.is_empty() {
                    return Ok(Vec::new());
                }
                Act::Pause(stood)
            }
            Act::Swap(table) => Act::Swap(*table),
            Act::Claim(alert) | Act::Assign { alert, .. } => {
                let to = self.alerts.get(*alert).and_then(|open| open.claimed_by.clone());
                Act::Assign { alert: *alert, to }
            }
            Act::Settle { alert, .. } | Act::Dismiss { alert, .. } => Act::Recall(*alert),
            Act::Recall(alert) => {
                // Closed again as it was.
                let alert = *alert;
                let closed =
                    self.alerts.any(alert).and_then(|one| one.closed.as_ref()).ok_or("it is open")?;
                let why = closed.why.clone();
                match closed.how {
                    Settlement::Resolved => Act::Settle { alert, why },
                    Settlement::Dismissed | Settlement::Passed => Act::Dismiss { alert, why },
                }
            }
            Act::Remedy { alert, choice, .. } => {
                let mut all = Vec::new();
                for act in self.steps(*alert, *choice).map_err(|_| "there is no such remedy")? {
                    // What changes nothing needs no undoing.
                    all.extend(self.inverse(&act, now).unwrap_or_default());
                }
                // Last: what is put back may be a cause that passes, as a record that is read otherwise is.
                all.push(Act::Recall(*alert));
                return Ok(all);
            }
            Act::Undo(decision) => {
                let inverse = &self.decisions.get(decision).ok_or("there is no such decision")?.inverse;
                let mut again = Vec::new();
                for act in inverse.iter().rev() {
                    again.extend(self.inverse(act, now)?);
                }
                return Ok(again);
            }
        };
        Ok(vec![inverse])
    }

    /// What an alert's remedy does, act by act.
    pub(crate) fn steps(&self, alert: u64, choice: usize) -> Result<Vec<Act>, Refusal> {
        let open = self.alerts.get(alert).ok_or_else(|| self.no_alert(alert))?;
        let remedy = open.notice.remedies.get(choice).ok_or(Refusal::NoRemedy { alert, choice })?;
        let round = self.rounds.last().map_or(RoundNo(0), |round| round.no());
        let why = &open.notice.evidence.zh;
        let acts = remedy.0.iter().map(|step| act_of(step, open.table, round, why));
        let mut acts: Vec<Act> = acts
            .collect::<Option<_>>()
            .ok_or(Refusal::Order("此警报不涉及任何一台", "this alert is about no table"))?;
        if let Evidence::Readings { lines, .. } = &open.notice.data {
            let told = lines.first().map_or(0, Vec::len);
            acts.iter_mut().for_each(|act| self.to_the_end(act, told));
        }
        Ok(acts)
    }

    /// A line that is chosen while play goes on is followed by what the board tells after it. A game that has ended is read
    /// no more: what was read since so many plies were told follows as it stands.
    fn to_the_end(&self, act: &mut Act, told: usize) {
        let Act::Correct { table, from, line } = act else { return };
        let Some(game) = self.game(*table).filter(|game| game.outcome().is_some()) else { return };
        let known = usize::from(from.0).saturating_sub(1) + told;
        line.extend(game.plies().iter().skip(known).map(|ply| ply.read.mv));
    }

    fn outcome_of(&self, round: RoundNo, table: TableNo) -> Option<arbitration::Outcome> {
        let round = self.rounds.iter().find(|one| one.no() == round)?;
        round.games.get(&table)?.outcome().map(|(outcome, _)| outcome)
    }

    /// Whose time runs at a table, as far as is known.
    pub(crate) fn running_side(&self, no: TableNo) -> Option<Side> {
        let shown = self.tables.get(no).and_then(|table| table.shown());
        shown.or(self.game(no)?.clock())?.running
    }

    /// The ply from which on somebody who is not the chief arbiter may still correct a game (a, article 9).
    pub(crate) fn correctable_from(&self, no: TableNo) -> PlyNo {
        self.game(no).map_or(PlyNo(1), |game| {
            let back = 2 * usize::from(game.regulation().correction_rounds);
            PlyNo(u16::try_from((game.plies().len() + 1).saturating_sub(back).max(1)).unwrap_or(u16::MAX))
        })
    }
}
