//! What an arbiter picked and has not confirmed yet: the acts, and in a sentence each what they change, old → new.
//!
//! A page's links and forms name a choice by fields; the same fields come back with the confirmation, so both times
//! the same acts are made of them here and nowhere else.

use arbitration::{Ending, GameResult, Misconduct, Offence, Outcome, Step, VaryOrder};
use hall::Act;
use hall::view::{AlertView, PlyNo, TableView};
use xiangqi::notation::{self, Notation};
use xiangqi::{Move, Position, Side};

use super::{Fields, Seen, classes, say};
use crate::clock;
use crate::lang::{Lang, Words};
use crate::words;

/// Rounds within which somebody who is ordered by hand has to vary.
const ROUNDS_TO_VARY: u16 = 2;

/// A choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What is done, in a few words.
    pub title: Words,
    /// What it changes.
    pub effects: Vec<Words>,
    /// The acts.
    pub acts: Vec<Act>,
    /// Whether a reason is asked for; `Some(true)`: it must be given.
    pub reason: Option<bool>,
}

/// Fields that name a choice; the others of a page's address do not come back with the confirmation.
pub const FIELDS: [&str; 20] = [
    "do", "alert", "choice", "side", "ms", "red", "black", "run", "offence", "what", "result", "ending",
    "ply", "mv", "from", "no", "back", "present", "classes", "why",
];

/// A side by its name in fields.
pub fn side(name: &str) -> Option<Side> {
    match name {
        "red" => Some(Side::Red),
        "black" => Some(Side::Black),
        _ => None,
    }
}

/// A side's name in fields.
pub const fn side_field(side: Side) -> &'static str {
    match side {
        Side::Red => "red",
        Side::Black => "black",
    }
}

/// Reads one of our own snake-case names, as in the journal.
fn named<T: serde::de::DeserializeOwned>(name: Option<&str>) -> Option<T> {
    serde_json::from_value(serde_json::Value::String(name?.to_owned())).ok()
}

/// The name that [`named`] reads.
pub fn name_of(value: impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(name)) => name,
        Ok(_) | Err(_) => String::new(),
    }
}

/// `mm:ss` or `h:mm:ss`, in ms.
fn time(text: Option<&str>) -> Option<u32> {
    let parts: Vec<u32> =
        text?.split([':', '：']).map(|part| part.trim().parse().ok()).collect::<Option<_>>()?;
    let seconds = match parts[..] {
        [m, s] if s < 60 && m < 1000 => m * 60 + s,
        [h, m, s] if m < 60 && s < 60 && h < 24 => (h * 60 + m) * 60 + s,
        _ => return None,
    };
    Some(seconds * 1000)
}

/// A move in any notation that arbiters type: `h2e2`, 炮二平五, `C2=5`.
fn a_move(position: &Position, text: &str) -> Option<Move> {
    if let Ok(mv) = text.parse::<Move>() {
        return Some(mv);
    }
    [Notation::Chinese, Notation::Wxf].into_iter().find_map(|how| notation::parse(how, position, text).ok())
}

/// The choice that these fields name at a table; `Ok(None)`: none.
///
/// # Errors
/// What is wrong with a field, in words.
pub fn at_table(fields: &Fields, seen: &Seen) -> Result<Option<Choice>, Words> {
    let why = fields.get("why").unwrap_or_default();
    // What plies are is the table's matter, whichever alert it was ruled about.
    if let Some(id) = fields.parse::<u64>("alert")
        && fields.get("do") != Some("classes")
        && (fields.get("choice").is_some() || fields.get("do").is_some())
    {
        let alert = seen.alerts.iter().find(|alert| alert.id == id);
        let alert = alert.ok_or(Words::of("此警报已结", "This alert is closed"))?;
        return of_alert(fields, alert, Some(&seen.table));
    }
    let Some(what) = fields.get("do") else { return Ok(None) };
    let table = seen.no;
    let the_side = || fields.get("side").and_then(side).ok_or(Words::of("未选红黑", "Choose a side"));
    let offence = || named::<Offence>(fields.get("offence")).unwrap_or(Offence::Other);
    let misconduct = || named::<Misconduct>(fields.get("what")).unwrap_or(Misconduct::Phone);
    let (act, reason) = match what {
        "add" => {
            let ms = fields.parse::<i64>("ms").filter(|ms| ms.unsigned_abs() < 36_000_000);
            let ms = ms.ok_or(Words::of("时间不对", "That is no time"))?;
            let (red_ms, black_ms) = if the_side()? == Side::Red { (ms, 0) } else { (0, ms) };
            (Act::AddTime { table, red_ms, black_ms }, None)
        }
        "set" => {
            let wrong = || Words::of("时间须写作 分:秒", "Times are written minutes:seconds");
            let red_ms = time(fields.get("red")).ok_or_else(wrong)?;
            let black_ms = time(fields.get("black")).ok_or_else(wrong)?;
            let running = fields.get("run").and_then(side);
            (Act::SetClock { table, red_ms, black_ms, running }, None)
        }
        "pause" => (Act::Pause(vec![table]), None),
        "resume" => (Act::Resume(vec![table]), None),
        "run" => (Act::Run { table, side: the_side()? }, None),
        "foul" => {
            let (side, offence) = (the_side()?, offence());
            let why = if why.is_empty() { offence.zh() } else { why }.to_owned();
            (Act::Foul { table, side, given: true, offence, why }, Some(false))
        }
        "unfoul" => {
            let (side, offence, why) = (the_side()?, offence(), why.to_owned());
            (Act::Foul { table, side, given: false, offence, why }, Some(false))
        }
        "warn" => (Act::Warn { table, side: the_side()?, given: true, what: misconduct() }, None),
        "misconduct" => (Act::Misconduct { table, side: the_side()?, what: misconduct() }, None),
        "result" => {
            let result = named::<GameResult>(fields.get("result"));
            let result = result.ok_or(Words::of("未选结果", "Choose a result"))?;
            let ending = named::<Ending>(fields.get("ending")).unwrap_or(Ending::Ruling);
            (Act::Result { round: seen.round, table, outcome: Outcome { result, ending } }, None)
        }
        "reopen" => (Act::Reopen(table), None),
        "back" => {
            let last = seen.table.plies.len();
            let ply = fields.parse::<u16>("ply").filter(|ply| (1..=last).contains(&usize::from(*ply)));
            let from = PlyNo(ply.ok_or(Words::of("没有此着", "There is no such ply"))?);
            (Act::Correct { table, from, line: Vec::new() }, None)
        }
        "enter" => {
            let Some(text) = fields.get("mv").filter(|text| !text.is_empty()) else { return Ok(None) };
            let position = Position::from_fen(&seen.table.fen)
                .map_err(|_| Words::of("局面不合规则，请写作 h2e2", "The position is irregular: write h2e2"));
            let position = match (position, text.parse::<Move>()) {
                (Ok(position), _) => position,
                (Err(_), Ok(_)) => Position::start(),
                (Err(why), Err(_)) => return Err(why),
            };
            let mv = a_move(&position, text).ok_or(Words::of(
                "着法读不出：写作 炮二平五 或 h2e2",
                "That is no move: write C2=5 or h2e2",
            ))?;
            let next = u16::try_from(seen.table.plies.len() + 1).unwrap_or(u16::MAX);
            (Act::Correct { table, from: PlyNo(next), line: vec![mv] }, None)
        }
        "right" => (Act::PutRight(table), None),
        "swap" => (Act::Swap(table), None),
        "order" => {
            let by =
                u16::try_from(seen.table.plies.len()).unwrap_or(u16::MAX).saturating_add(2 * ROUNDS_TO_VARY);
            let order = VaryOrder { side: fields.get("side").and_then(side), by: PlyNo(by) };
            (Act::Order { table, order: Some(order) }, None)
        }
        "unorder" => (Act::Order { table, order: None }, None),
        "classes" => {
            let classes = classes::parse(fields.get("classes").unwrap_or_default());
            (
                Act::Classify {
                    table,
                    classes: classes.ok_or(Words::of("没有此着法性质", "There is no such class"))?,
                },
                None,
            )
        }
        "claim-limit" => {
            let last = seen.table.plies.len();
            let captured = seen.table.plies.iter().rposition(|ply| ply.capture).map_or(1, |at| at + 2);
            let from = match fields.get("ply").filter(|text| !text.is_empty()) {
                Some(text) => text.parse().ok().filter(|from| (1..=last + 1).contains(from)),
                None => Some(captured),
            };
            let from = from.ok_or(Words::of("没有此着", "There is no such ply"))?;
            let from = PlyNo(u16::try_from(from).unwrap_or(u16::MAX));
            (Act::ClaimLimit { table, claim: Some((the_side()?, from)) }, None)
        }
        "unclaim" => (Act::ClaimLimit { table, claim: None }, None),
        "decline" => (Act::DeclineDraw(table), None),
        "present" => (Act::Present { table, side: the_side()?, present: true }, None),
        "undo" => {
            let no = fields.parse::<u64>("no").ok_or(Words::of("没有此裁决", "There is no such decision"))?;
            (Act::Undo(no), None)
        }
        _ => return Err(Words::of("没有此处置", "There is no such remedy")),
    };
    let title = match (&act, what) {
        (Act::Undo(no), _) => undone(*no, seen),
        _ => say::act(&act, Some(&seen.table)),
    };
    let effects = effects(&act, seen);
    Ok(Some(Choice { title, effects, acts: vec![act], reason }))
}

/// The choice that these fields name about an alert.
///
/// # Errors
/// What is wrong with a field, in words.
pub fn of_alert(
    fields: &Fields,
    alert: &AlertView,
    table: Option<&TableView>,
) -> Result<Option<Choice>, Words> {
    let why = fields.get("why").unwrap_or_default();
    let said = |zh: &str| if why.is_empty() { zh } else { why }.to_owned();
    if let Some(choice) = fields.parse::<usize>("choice") {
        let remedy = alert.remedies.get(choice).ok_or(Words::of("没有此处置", "There is no such remedy"))?;
        let act = Act::Remedy { alert: alert.id, choice, why: said("采纳建议") };
        let [zh, en] = &remedy.words;
        let effects = remedy.steps.0.iter().filter_map(|step| effect_of_step(step, table?)).collect();
        let title = Words::new(zh.clone(), en.clone());
        return Ok(Some(Choice { title, effects, acts: vec![act], reason: Some(false) }));
    }
    let (act, title) = match fields.get("do") {
        Some("settle") => (
            Act::Settle { alert: alert.id, why: said("已处理") },
            Words::of("结案：已处理", "Settle: dealt with"),
        ),
        Some("dismiss") => (
            Act::Dismiss { alert: alert.id, why: said("不予处理") },
            Words::of("结案：不予处理", "Dismiss: nothing to be done"),
        ),
        Some("handback") => {
            (Act::Assign { alert: alert.id, to: None }, Words::of("退回，由他人受理", "Hand back"))
        }
        Some(_) | None => return Ok(None),
    };
    Ok(Some(Choice { title, effects: Vec::new(), acts: vec![act], reason: Some(false) }))
}

fn undone(no: u64, seen: &Seen) -> Words {
    match seen.decisions.iter().find(|decision| decision.no == no) {
        Some(decision) => {
            let what = say::act(&decision.act, None);
            Words::new(format!("撤销：{}", what.0), format!("Undo: {}", what.1))
        }
        None => Words::of("撤销", "Undo"),
    }
}

fn line(zh: String, en: String) -> Option<Words> {
    Some(Words::new(zh, en))
}

/// Time left of a side as the page shows it.
fn left(table: &TableView, side: Side) -> u32 {
    match side {
        Side::Red => table.clocks.red_ms,
        Side::Black => table.clocks.black_ms,
    }
}

fn time_line(table: &TableView, side: Side, new: u32) -> Option<Words> {
    let old = clock::text(left(table, side));
    let new = clock::text(new);
    let (zh, en) = (words::side(side, Lang::Zh), words::side(side, Lang::En));
    line(format!("{zh} {old} → {new}"), format!("{en} {old} → {new}"))
}

fn foul_line(table: &TableView, side: Side, by: i16) -> Option<Words> {
    let old = table.fouls[side as usize];
    let new = (i16::from(old) + by).max(0);
    let (zh, en) = (words::side(side, Lang::Zh), words::side(side, Lang::En));
    line(format!("{zh}犯规 {old} → {new}"), format!("{en}'s fouls {old} → {new}"))
}

fn plies_line(table: &TableView, from: PlyNo, with: usize) -> Option<Words> {
    let old = table.plies.len();
    let new = usize::from(from.0).saturating_sub(1) + with;
    line(format!("记录 {old}着 → {new}着"), format!("record: {old} plies → {new}"))
}

/// What an act changes, old → new, where that is a number or a word.
fn effects(act: &Act, seen: &Seen) -> Vec<Words> {
    let table = &seen.table;
    let mut lines = Vec::new();
    if let Act::AddTime { red_ms, black_ms, .. } = act {
        for (side, ms) in [(Side::Red, *red_ms), (Side::Black, *black_ms)] {
            if ms != 0 {
                let new = (i64::from(left(table, side)) + ms).clamp(0, i64::from(u32::MAX));
                lines.extend(time_line(table, side, u32::try_from(new).unwrap_or(u32::MAX)));
            }
        }
    }
    if let Act::SetClock { red_ms, black_ms, .. } = act {
        lines.extend(time_line(table, Side::Red, *red_ms));
        lines.extend(time_line(table, Side::Black, *black_ms));
    }
    if let Act::Foul { side, given, .. } = act {
        lines.extend(foul_line(table, *side, if *given { 1 } else { -1 }));
    }
    if let Act::Correct { from, line, .. } = act {
        lines.extend(plies_line(table, *from, line.len()));
    }
    if let Act::Result { outcome, .. } = act {
        let old = words::between(seen.game.status, table.plies.len()).0;
        let new = say::outcome(*outcome);
        lines.extend(line(format!("结果 {} → {}", old.0, new.0), format!("result {} → {}", old.1, new.1)));
    }
    if let Act::Undo(no) = act {
        // Whoever undoes what others have built on is told so.
        let later = seen.decisions.iter().filter(|one| one.no > *no && !one.undone);
        lines.extend(later.take(3).map(|one| {
            let (by, what) = (say::who(&one.by), say::act(&one.act, None));
            Words::new(format!("此后 {}：{}", by.0, what.0), format!("since then {}: {}", by.1, what.1))
        }));
    }
    if let Act::PutRight(_) = act {
        lines.extend(to_move(table));
    }
    lines
}

/// The pieces to be moved on the board.
pub fn to_move(table: &TableView) -> Option<Words> {
    let n = table.wrong.len();
    line(
        format!("盘面差 {n} 处，摆正后自动核对"),
        format!("{n} points differ; the board tells when it is done"),
    )
}

fn effect_of_step(step: &Step, table: &TableView) -> Option<Words> {
    match step {
        Step::AddTime(side, ms) => time_line(table, *side, left(table, *side).saturating_add(*ms)),
        Step::Foul(side, _) => foul_line(table, *side, 1),
        Step::TakeFoulBack(side, _) => foul_line(table, *side, -1),
        Step::TakeBack(from) => plies_line(table, *from, 0),
        Step::Enter(from, moves) => plies_line(table, *from, moves.len()),
        Step::PutRight => to_move(table),
        Step::End(_)
        | Step::Run(_)
        | Step::Order(_)
        | Step::ClaimLimit(..)
        | Step::DeclineDraw
        | Step::Warn(..)
        | Step::Present(_)
        | Step::SwapSides
        | Step::Pause
        | Step::PauseAll => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_arbiters_write_them() {
        assert_eq!(time(Some("4:47")), Some(287_000));
        assert_eq!(time(Some("1:00:05")), Some(3_605_000));
        assert_eq!(time(Some("12：30")), Some(750_000), "the Chinese colon");
        for wrong in ["", "4", "4:99", "x:10", "-1:10", "1:2:3:4"] {
            assert_eq!(time(Some(wrong)), None, "{wrong}");
        }
    }

    #[test]
    fn moves_are_read_in_three_notations() {
        let start = Position::start();
        let mv: Move = "h2e2".parse().expect("a move");
        for text in ["h2e2", "炮二平五", "C2=5"] {
            assert_eq!(a_move(&start, text), Some(mv), "{text}");
        }
        assert_eq!(a_move(&start, "炮二平"), None);
    }

    #[test]
    fn names_in_fields_are_the_journals() {
        assert_eq!(name_of(Offence::PressWithoutMove), "press_without_move");
        assert_eq!(named::<GameResult>(Some("both_lose")), Some(GameResult::BothLose));
        assert_eq!(named::<Ending>(Some("nonsense")), None);
    }
}
