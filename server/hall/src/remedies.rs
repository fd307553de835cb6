//! From what an alert offers to acts: each step of a remedy is an act that could be done by hand as well.

use arbitration::Step;
use tournament::{RoundNo, TableNo};
use xiangqi::Side;

use crate::Act;

/// The act of a step; `None`: the alert is about no table, and the step needs one.
pub(crate) fn act_of(step: &Step, table: Option<TableNo>, round: RoundNo, why: &str) -> Option<Act> {
    if *step == Step::PauseAll {
        return Some(Act::Pause(Vec::new()));
    }
    let table = table?;
    Some(match step {
        Step::End(outcome) => Act::Result { round, table, outcome: *outcome },
        Step::Foul(side, offence) => {
            Act::Foul { table, side: *side, given: true, offence: *offence, why: why.to_owned() }
        }
        Step::TakeFoulBack(side, offence) => {
            Act::Foul { table, side: *side, given: false, offence: *offence, why: why.to_owned() }
        }
        Step::TakeBack(from) => Act::Correct { table, from: *from, line: Vec::new() },
        Step::Enter(from, line) => Act::Correct { table, from: *from, line: line.clone() },
        Step::AddTime(Side::Red, ms) => Act::AddTime { table, red_ms: i64::from(*ms), black_ms: 0 },
        Step::AddTime(Side::Black, ms) => Act::AddTime { table, red_ms: 0, black_ms: i64::from(*ms) },
        Step::Run(side) => Act::Run { table, side: *side },
        Step::PutRight => Act::PutRight(table),
        Step::Order(order) => Act::Order { table, order: Some(*order) },
        Step::ClaimLimit(side, from) => Act::ClaimLimit { table, claim: Some((*side, *from)) },
        Step::DeclineDraw => Act::DeclineDraw(table),
        Step::Warn(side, what) => Act::Warn { table, side: *side, given: true, what: *what },
        Step::Present(side) => Act::Present { table, side: *side, present: true },
        Step::SwapSides => Act::Swap(table),
        Step::Pause => Act::Pause(vec![table]),
        Step::PauseAll => Act::Pause(Vec::new()),
    })
}
