//! What people decide, in words: for confirmation, journal and ruling sheets.

use arbitration::{GameResult, Misconduct, Offence, Outcome, ResultSource};
use hall::view::{PlayerSignal, TableView};
use hall::{Act, Actor, TestStep};
use xiangqi::{Move, Side};

use crate::clock;
use crate::lang::{Lang, Words};
use crate::words;

fn w(zh: impl Into<String>, en: impl Into<String>) -> Words {
    Words::new(zh.into(), en.into())
}

fn both(side: Side) -> (&'static str, &'static str) {
    (words::side(side, Lang::Zh), words::side(side, Lang::En))
}

/// Who acted: "李裁判（裁判员）".
pub fn who(actor: &Actor) -> Words {
    match actor {
        Actor::Hall => Words::of("系统", "the system"),
        Actor::Person { name, role } => {
            w(format!("{name}（{}）", role.zh()), format!("{name} ({})", role.en()))
        }
    }
}

/// A span of time: "2分", "1分30秒".
pub fn span(ms: i64) -> Words {
    let (sign, s) = (if ms < 0 { "−" } else { "+" }, ms.unsigned_abs() / 1000);
    let (m, s) = (s / 60, s % 60);
    match (m, s) {
        (0, s) => w(format!("{sign}{s}秒"), format!("{sign}{s} s")),
        (m, 0) => w(format!("{sign}{m}分"), format!("{sign}{m} min")),
        (m, s) => w(format!("{sign}{m}分{s:02}秒"), format!("{sign}{m}:{s:02} min")),
    }
}

/// An outcome: "红胜（裁定）".
pub fn outcome(outcome: Outcome) -> Words {
    let result = words::result(outcome.result);
    w(format!("{}（{}）", result.0, outcome.ending.zh()), format!("{} ({})", result.1, outcome.ending.en()))
}

fn source(source: ResultSource) -> Words {
    match source {
        ResultSource::Red => Words::of("红方成绩单", "Red's slip"),
        ResultSource::Black => Words::of("黑方成绩单", "Black's slip"),
        ResultSource::Desk => Words::of("编排处", "the desk"),
    }
}

fn given(given: bool) -> (&'static str, &'static str) {
    if given { ("记", "") } else { ("撤销", "taken back: ") }
}

fn moves(line: &[Move]) -> String {
    line.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

fn offence(side: Side, what: Offence, is_given: bool) -> Words {
    let ((zh, en), (gzh, gen_)) = (both(side), given(is_given));
    w(format!("{gzh}{zh}犯规（{}）", what.zh()), format!("{gen_}foul for {en} ({})", what.en()))
}

fn discipline(side: Side, what: Misconduct, zh: &str, en: &str) -> Words {
    let side = both(side);
    w(format!("{}{zh}（{}）", side.0, what.zh()), format!("{} {en} ({})", side.1, what.en()))
}

/// What an act does. `table`: for the moves that it is about, if they are known.
pub fn act(act: &Act, table: Option<&TableView>) -> Words {
    match act {
        Act::Open { title, .. } => w(format!("开赛事「{title}」"), format!("event “{title}” opened")),
        Act::Enter(entrant) => w(format!("报名 {}", entrant.name), format!("{} entered", entrant.name)),
        Act::Bind(binding) => {
            let hall::TableBinding { table, board, clock, .. } = binding;
            w(
                format!("{table}台装定设备：棋盘 {board}，棋钟 {clock}"),
                format!("on table {table}: board {board}, clock {clock}"),
            )
        }
        Act::Draw => Words::of("抽签", "numbers drawn"),
        Act::Pair => Words::of("编排下一轮", "next round paired"),
        Act::Start => Words::of("开始本轮", "round started"),
        Act::Result { outcome: it, .. } => {
            let it = outcome(*it);
            w(format!("判{}", it.0), format!("result: {}", it.1))
        }
        Act::Reopen(_) => Words::of("撤销结果，对局继续", "result taken back, the game goes on"),
        Act::Foul { side, given, offence: what, .. } => offence(*side, *what, *given),
        Act::Misconduct { side, what, .. } => discipline(*side, *what, "违纪", "misconduct"),
        Act::Warn { side, given, what, .. } => {
            if *given {
                discipline(*side, *what, "警告", "warned")
            } else {
                discipline(*side, *what, "撤销警告", "warning taken back")
            }
        }
        Act::OfferDraw { side, .. } => {
            let side = both(*side);
            w(format!("{}提和", side.0), format!("{} offers a draw", side.1))
        }
        Act::DeclineDraw(_) => Words::of("提和不成立", "draw offer declined"),
        Act::Order { order: Some(order), .. } => {
            let (zh, en) = order.side.map_or(("双方", "either side"), both);
            let round = order.by.0.div_ceil(2);
            w(format!("责令{zh}变着，期限至第{round}回合"), format!("{en} must vary by move {round}"))
        }
        Act::Order { order: None, .. } => Words::of("解除变着令", "order to vary lifted"),
        Act::ClaimLimit { claim: Some((side, from)), .. } => {
            let side = both(*side);
            w(
                format!("{}提出自然限着，自第{}着起计", side.0, from.0),
                format!("{} claims the move limit from ply {}", side.1, from.0),
            )
        }
        Act::ClaimLimit { claim: None, .. } => Words::of("撤回自然限着", "move-limit claim withdrawn"),
        Act::Classify { classes, .. } => {
            let all = classes.iter().map(|(ply, class)| {
                let class = class.map_or(("按规则", "as by the rules"), |class| (class.zh(), class.en()));
                (format!("第{}着{}", ply.0, class.0), format!("ply {}: {}", ply.0, class.1))
            });
            let (zh, en): (Vec<_>, Vec<_>) = all.unzip();
            w(format!("改判着法性质：{}", zh.join("，")), format!("classes ruled: {}", en.join(", ")))
        }
        Act::Walk(tables) if tables.is_empty() => Words::of("我的台：全部", "own tables: all"),
        Act::Walk(tables) => {
            let tables = super::walk::written(tables);
            w(format!("我的台：{tables}"), format!("own tables: {tables}"))
        }
        Act::SelfTest { step, .. } => match step {
            TestStep::Begin => Words::of("开始自检", "self-test begun"),
            TestStep::Finish => Words::of("自检结束", "self-test finished"),
            TestStep::BreakOff => Words::of("自检中止", "self-test broken off"),
        },
        Act::OfferFirmware(firmware) => w(
            format!(
                "更新固件：提供第{}版（{}）",
                firmware.version,
                crate::page::devices::made_for(&firmware.target).0
            ),
            format!("firmware version {} offered to {}", firmware.version, firmware.target),
        ),
        Act::WithdrawFirmware => Words::of("停止更新固件", "firmware update stopped"),
        Act::Call { side, .. } => {
            let side = both(*side);
            w(format!("{}呼叫裁判", side.0), format!("{} calls the arbiter", side.1))
        }
        Act::Present { side, present, .. } => {
            let side = both(*side);
            if *present {
                w(format!("{}已到场", side.0), format!("{} is there", side.1))
            } else {
                w(format!("{}未到场", side.0), format!("{} is not there", side.1))
            }
        }
        Act::Report { source: from, result, .. } => {
            let (from, result) = (source(*from), result.map(result_words));
            match result {
                Some(result) => {
                    w(format!("{}报{}", from.0, result.0), format!("{} reports: {}", from.1, result.1))
                }
                None => w(format!("撤回{}", from.0), format!("report of {} withdrawn", from.1)),
            }
        }
        Act::Correct { from, line, .. } => corrected(usize::from(from.0), line, table),
        Act::SetClock { red_ms, black_ms, running, .. } => {
            let (red, black) = (clock::text(*red_ms), clock::text(*black_ms));
            let run = running.map_or(("停钟", "stopped"), |side| match side {
                Side::Red => ("红方走时", "Red's runs"),
                Side::Black => ("黑方走时", "Black's runs"),
            });
            w(
                format!("设钟 红 {red} 黑 {black}，{}", run.0),
                format!("clocks set: Red {red}, Black {black}, {}", run.1),
            )
        }
        Act::AddTime { red_ms, black_ms, .. } => {
            let parts =
                [(Side::Red, *red_ms), (Side::Black, *black_ms)].into_iter().filter(|(_, ms)| *ms != 0);
            let (zh, en): (Vec<_>, Vec<_>) = parts
                .map(|(side, ms)| {
                    let (side, ms) = (both(side), span(ms));
                    (format!("{}{}", side.0, ms.0), format!("{} {}", side.1, ms.1))
                })
                .unzip();
            w(zh.join("，"), en.join(", "))
        }
        Act::Run { side, .. } => {
            let side = both(*side);
            w(format!("{}走时", side.0), format!("{}'s time runs", side.1))
        }
        Act::PutRight(_) => Words::of("按记录复原盘面", "pieces put right as recorded"),
        Act::Swap(_) => Words::of("红黑对调", "sides swapped"),
        Act::Pause(tables) if tables.is_empty() => Words::of("全场停钟", "all clocks stopped"),
        Act::Resume(tables) if tables.is_empty() => Words::of("全场继续", "all clocks run on"),
        Act::Pause(_) => Words::of("停钟", "clocks stopped"),
        Act::Resume(_) => Words::of("继续走钟", "clocks run on"),
        Act::Desk(_) => Words::of("编排处操作", "at the organiser's desk"),
        Act::Show(_) => Words::of("直播设置", "broadcast set"),
        Act::Note { text, .. } => w(format!("解说：{text}"), format!("comment: {text}")),
        Act::Claim(_) => Words::of("受理警报", "alert taken up"),
        Act::Assign { to: Some(to), .. } => w(format!("警报移交 {to}"), format!("alert handed to {to}")),
        Act::Assign { to: None, .. } => Words::of("警报退回", "alert handed back"),
        Act::Settle { why, .. } => w(format!("警报结案：{why}"), format!("alert settled: {why}")),
        Act::Dismiss { why, .. } => w(format!("警报不予处理：{why}"), format!("alert dismissed: {why}")),
        Act::Recall(_) => Words::of("警报重开", "alert opened again"),
        Act::Remedy { choice, .. } => {
            w(format!("采纳警报处置 {}", choice + 1), format!("remedy {} of the alert taken", choice + 1))
        }
        Act::Undo(no) => w(format!("撤销裁决 {no}"), format!("decision {no} undone")),
    }
}

/// What a player says with the clock's buttons.
pub const fn signal(signal: PlayerSignal) -> Words {
    match signal {
        PlayerSignal::Draw => Words::of("提和（按钮）", "offers or accepts a draw (button)"),
        PlayerSignal::Resign => Words::of("认输（按钮）", "resigns (button)"),
        PlayerSignal::CallArbiter => Words::of("呼叫裁判（按钮）", "calls the arbiter (button)"),
    }
}

/// Who won, as the pages say it.
pub fn result_words(result: GameResult) -> Words {
    words::result(result)
}

fn corrected(from: usize, line: &[Move], table: Option<&TableView>) -> Words {
    let plies = table.map_or(&[][..], |table| &table.plies);
    let taken: Vec<&str> = plies.iter().skip(from.saturating_sub(1)).map(|ply| ply.zh.as_str()).collect();
    let back_zh = if taken.is_empty() { String::new() } else { format!("（原 {}）", taken.join("、")) };
    if line.is_empty() {
        return w(format!("回退，自第{from}着起撤{back_zh}"), format!("taken back from ply {from} on"));
    }
    w(format!("第{from}着起改记 {}{back_zh}", moves(line)), format!("from ply {from} on: {}", moves(line)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall::Role;
    use tournament::TableNo;

    #[test]
    fn time_that_is_given_says_to_whom_and_how_much() {
        let act = Act::AddTime { table: TableNo(3), red_ms: 0, black_ms: 120_000 };
        assert_eq!(super::act(&act, None), w("黑方+2分", "Black +2 min"));
        assert_eq!(span(-90_000).0, "−1分30秒");
    }

    #[test]
    fn a_person_is_named_with_the_office() {
        assert_eq!(who(&Actor::person("李", Role::Arbiter)).0, "李（裁判员）");
    }
}
