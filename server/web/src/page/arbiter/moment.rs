//! What happened at a table, moment by moment, in words.

use hall::view::{Completed, Moment, WhyView};
use xiangqi::{Piece, Point, Side};

use super::{codes, say, sheet};
use crate::clock;
use crate::lang::{Lang, Words};
use crate::words;

fn w(zh: impl Into<String>, en: impl Into<String>) -> Words {
    Words::new(zh.into(), en.into())
}

fn points(points: &[Point]) -> (String, String) {
    let zh: Vec<_> = points.iter().map(|point| sheet::place(*point, true)).collect();
    let en: Vec<_> = points.iter().map(|point| sheet::place(*point, false)).collect();
    (zh.join("、"), en.join(" "))
}

fn at_point(verb: (&str, &str), point: Point, piece: Option<Piece>) -> Words {
    let zh = piece.map_or("子".to_owned(), |piece| piece.hanzi().to_string());
    let en = piece.map_or("a piece".to_owned(), |piece| piece.role.en().to_owned());
    w(
        format!("{}{zh}　{}", verb.0, sheet::place(point, true)),
        format!("{} {en} · {}", verb.1, sheet::place(point, false)),
    )
}

fn clocks([red, black]: [u32; 2]) -> (String, String) {
    let (red, black) = (clock::text(red), clock::text(black));
    (format!("红 {red}　黑 {black}"), format!("Red {red}, Black {black}"))
}

/// How likely a reading is beside the best one, that is so much cheaper.
pub fn likelihood(dearer: i64) -> Words {
    /// From here on it is as good as excluded.
    const FAR: f64 = 1_000.0;
    let times = (dearer as f64 / 1_000.0).exp();
    if times < 1.5 {
        Words::of("同样可能", "as likely")
    } else if times < FAR {
        let times = times.round() as u32;
        w(format!("可能性约为其1/{times}"), format!("about {times} times less likely"))
    } else {
        Words::of("可能性极小", "hardly likely")
    }
}

/// What was missing when a ply was read, and what else it might have been: nothing, where all was seen and nothing is near.
fn reasons(why: &WhyView) -> Vec<Words> {
    /// A reading this much dearer is none that an arbiter need weigh.
    const FAR: i64 = 7_000;
    let mut all = Vec::new();
    if !why.lifted {
        all.push(Words::of("未见提子", "not seen lifted"));
    }
    if !why.placed {
        all.push(Words::of("未见落子", "not seen placed"));
    }
    if why.untouched {
        all.push(Words::of("被吃的子未见动", "what it captured was not seen touched"));
    }
    // That nothing was played yet is as likely beside every ply in the moment in which it is read.
    if let Some(rival) = why.rival.as_ref().filter(|rival| rival.dearer < FAR)
        && let Some(mv) = rival.mv
    {
        let how = likelihood(rival.dearer);
        let name = |name: &Option<String>| name.clone().unwrap_or_else(|| mv.to_string());
        all.push(w(
            format!("另解：{}，{}", name(&rival.zh), how.get(Lang::Zh)),
            format!("or else {}, {}", name(&rival.wxf), how.get(Lang::En)),
        ));
    }
    all
}

/// By what a ply was completed.
const fn completed(by: Completed) -> (&'static str, &'static str) {
    match by {
        Completed::Pressed => ("（已按钟）", ": pressed"),
        Completed::Answered => ("（对方已应着）", ": answered"),
        Completed::Stood => ("（无钟，久置）", ": it has stood, without a clock"),
        Completed::Over => ("（终局）", ": the game is over on the board"),
        Completed::Ended => ("（对局已结束）", ": the game has ended"),
    }
}

/// A moment: its sign, whose it is, in words.
pub fn told(what: &Moment) -> (&'static str, Option<Side>, Words) {
    let both = |side: Side| (words::side(side, Lang::Zh), words::side(side, Lang::En));
    match what {
        Moment::Lifted { point, piece } => {
            ("△", piece.map(|piece| piece.side), at_point(("提起", "lifted"), *point, *piece))
        }
        Moment::Placed { point, piece } => {
            ("▼", piece.map(|piece| piece.side), at_point(("落下", "placed"), *point, *piece))
        }
        Moment::Pressed { side, left_ms } => {
            let (face, side_words) = (clocks(*left_ms), both(*side));
            (
                "▮",
                Some(*side),
                w(
                    format!("{}按钟　{}", side_words.0, face.0),
                    format!("{} pressed · {}", side_words.1, face.1),
                ),
            )
        }
        Moment::PressedWithoutMove { side } => {
            let side_words = both(*side);
            (
                "!",
                Some(*side),
                w(
                    format!("{}未走棋先按钟", side_words.0),
                    format!("{} pressed without a move", side_words.1),
                ),
            )
        }
        Moment::ClockTurned => (
            "!",
            None,
            Words::of(
                "棋钟似放反：着着都按了未走棋一方的钟",
                "the clock seems to be turned: the other lever each time",
            ),
        ),
        Moment::Flagged { side, left_ms } => {
            let (face, side_words) = (clocks(*left_ms), both(*side));
            (
                "■",
                Some(*side),
                w(
                    format!("{}超时　{}", side_words.0, face.0),
                    format!("{}’s flag fell · {}", side_words.1, face.1),
                ),
            )
        }
        Moment::Clock { left_ms, running } => {
            let face = clocks(*left_ms);
            let runs = running.map_or(("停钟", "stopped"), |side| match side {
                Side::Red => ("红方走时", "Red’s time runs"),
                Side::Black => ("黑方走时", "Black’s time runs"),
            });
            ("◷", None, w(format!("棋钟 {}　{}", runs.0, face.0), format!("clock: {} · {}", runs.1, face.1)))
        }
        Moment::Signalled { side, signal } => {
            let (said, side_words) = (say::signal(*signal), both(*side));
            (
                "◆",
                Some(*side),
                w(format!("{}{}", side_words.0, said.0), format!("{} {}", side_words.1, said.1)),
            )
        }
        Moment::Fault { point } => {
            let (zh, en) = point.map_or((String::new(), String::new()), |point| points(&[point]));
            ("!", None, w(format!("设备报故障 {zh}"), format!("a device reports a fault {en}")))
        }
        Moment::Suspects { points: suspects } => {
            let (zh, en) = points(suspects);
            ("!", None, w(format!("{zh} 中有一点感应不到棋子"), format!("one of {en} senses no piece")))
        }
        Moment::Lost => ("!", None, Words::of("有记录丢失", "records were lost")),
        Moment::Linked { board, clock } => {
            let link = |up: bool| if up { ("在线", "connected") } else { ("断线", "no link") };
            let (board, clock) = (link(*board), link(*clock));
            (
                "⌁",
                None,
                w(
                    format!("棋盘{}，棋钟{}", board.0, clock.0),
                    format!("board {}, clock {}", board.1, clock.1),
                ),
            )
        }
        Moment::Read { no, mv, zh, wxf, irregular, why } => {
            let (mut said_zh, mut said_en) = match (zh, wxf) {
                (Some(zh), Some(wxf)) => (zh.clone(), wxf.clone()),
                (_, None) | (None, _) => (format!("{mv}（后已改记）"), format!("{mv} (changed later)")),
            };
            if *irregular {
                said_zh.push_str("　待核");
                said_en.push_str(" · irregular");
            }
            let because = why.as_ref().map(reasons).unwrap_or_default();
            if !because.is_empty() {
                let joined =
                    |lang, between| because.iter().map(|one| one.get(lang)).collect::<Vec<_>>().join(between);
                said_zh.push_str(&format!("（{}）", joined(Lang::Zh, "；")));
                said_en.push_str(&format!(" ({})", joined(Lang::En, "; ")));
            }
            ("→", None, w(format!("识别第{}着 {said_zh}", no.0), format!("read as ply {}: {said_en}", no.0)))
        }
        Moment::Confirmed { no, by } => {
            let (zh, en) = by.map_or(("", ""), completed);
            ("✓", None, w(format!("第{}着确认{zh}", no.0), format!("ply {} completed{en}", no.0)))
        }
        Moment::Withdrawn { from } => {
            ("↶", None, w(format!("第{}着起撤回识别", from.0), format!("no longer read: ply {} on", from.0)))
        }
        Moment::Differs { points: all } => {
            let (zh, en) = points(all);
            ("≠", None, w(format!("盘面与记录不符　{zh}"), format!("differs from the record at {en}")))
        }
        Moment::Disturbed { points: all } => {
            let (zh, en) = points(all);
            ("!", None, w(format!("多子同时变动　{zh}"), format!("many pieces changed at once: {en}")))
        }
        Moment::AsRecorded => ("＝", None, Words::of("盘面与记录相符", "as recorded again")),
        Moment::Touched { side, point, played, held_ms } => {
            let (seconds, side_words) = (f64::from(*held_ms) / 1e3, both(*side));
            let place = points(&[*point]);
            (
                "△",
                Some(*side),
                w(
                    format!("{}摸子 {}，提起{seconds:.1}秒放回，另走第{}着", side_words.0, place.0, played.0),
                    format!(
                        "{} touched {} for {seconds:.1} s, put it back and played ply {}",
                        side_words.1, place.1, played.0
                    ),
                ),
            )
        }
        Moment::Ambiguous { from, readings: 0 } => (
            "?",
            None,
            w(
                format!("看不到棋盘，第{}着起是否还有着法不明", from.0),
                format!("the board could not be seen: whether ply {} was played is not known", from.0),
            ),
        ),
        Moment::Ambiguous { from, readings } => (
            "?",
            None,
            w(
                format!("第{}着起有{readings}种解释", from.0),
                format!("{readings} readings from ply {} on", from.0),
            ),
        ),
        Moment::Alert { code, severity, .. } => {
            let word = |lang| codes::severity(*severity, lang).1;
            (
                "!",
                None,
                w(
                    format!("警报 {}：{}", word(Lang::Zh), code.zh()),
                    format!("alert, {}: {}", word(Lang::En), code.en()),
                ),
            )
        }
        Moment::Decided { by, act, .. } => {
            let (by, act) = (say::who(by), say::act(act, None));
            ("§", None, w(format!("{}：{}", by.0, act.0), format!("{}: {}", by.1, act.1)))
        }
    }
}
