//! What happened, in words for arbiters and developers.

use capture::{Completed, Doubt, Finding, Irregularity, PlyNo, PlyRead, Rival, Sense, What, Why};
use firmware_proto::HealthFault;
use xiangqi::{Move, Point, Side};

use super::{Beliefs, Event, Happening};

/// A time of the replay: minutes, seconds and milliseconds since its beginning.
pub(super) fn time(at: i64, began: i64) -> String {
    let millis = (at - began).max(0);
    format!("{}:{:02}.{:03}", millis / 60_000, millis / 1_000 % 60, millis % 1_000)
}

pub(super) fn side(side: Side) -> &'static str {
    match side {
        Side::Red => "Red 红",
        Side::Black => "Black 黑",
    }
}

pub(super) fn sense(sense: Sense) -> String {
    match sense {
        Sense::Empty => "empty".to_owned(),
        Sense::Some => "a piece".to_owned(),
        Sense::Of(of) => side(of).to_owned(),
        Sense::Is(piece) => piece.hanzi().to_string(),
    }
}

pub(super) fn points(points: &[Point]) -> String {
    points.iter().map(Point::to_string).collect::<Vec<_>>().join(" ")
}

/// Moves, the first few of them.
pub(super) fn line(moves: &[Move]) -> String {
    const SHOWN: usize = 5;
    let mut words: Vec<String> = moves.iter().take(SHOWN).map(Move::to_string).collect();
    if moves.len() > SHOWN {
        words.push("…".to_owned());
    }
    if words.is_empty() { "nothing more".to_owned() } else { words.join(" ") }
}

/// A price as it is reckoned: units, a unit dearer being about e times less likely.
pub(super) fn price(cost: i64) -> String {
    format!("{:.1}", cost as f64 / 1_000.0)
}

/// The readings that are followed, cheapest first.
pub(super) fn beliefs(beliefs: &Beliefs) -> Vec<(String, String)> {
    const SHOWN: usize = 5;
    let Some((first, best)) = beliefs.first() else { return Vec::new() };
    let words = |moves: &[Move]| {
        let alike = moves.iter().zip(best).take_while(|(a, b)| a == b).count();
        if moves == best {
            let last = best.len().saturating_sub(SHOWN);
            format!("{}{}", if last > 0 { "… " } else { "" }, line(&best[last..]))
        } else if alike == moves.len() {
            format!("without {}", line(&best[alike..]))
        } else {
            format!("{} instead of {}", line(&moves[alike..]), line(&best[alike..]))
        }
    };
    beliefs.iter().map(|(cost, moves)| (format!("+{}", price(cost - first)), words(moves))).collect()
}

pub(super) fn correction(from: PlyNo, moves: &[Move]) -> String {
    if moves.is_empty() {
        format!("the arbiter takes back from ply {} on", from.0)
    } else {
        format!("the arbiter enters from ply {} on: {}", from.0, line(moves))
    }
}

pub(super) fn device(what: &What) -> String {
    match what {
        What::Changed(point, _) => format!("{point} changes"),
        What::Image(_) => "the board's image".to_owned(),
        What::Pressed(by, _) => format!("{} presses", side(*by)),
        What::BoardUp(_) => "the board is there".to_owned(),
        What::BoardDown => "the board's link is down".to_owned(),
        What::ClockUp => "the clock is there".to_owned(),
        What::ClockDown => "the clock's link is down".to_owned(),
        What::Flagged(of, _) => format!("flag of {} 超时", side(*of)),
        What::ClockSet(_, None) => "the clock is set or stopped".to_owned(),
        What::ClockSet(_, Some(of)) => format!("the clock runs for {}", side(*of)),
        What::Signalled(by, signal) => format!("{} signals {signal:?}", side(*by)),
        What::Health(fault, point) => {
            let place = point.map_or(String::new(), |point| format!(" at {point}"));
            match fault {
                HealthFault::DeadCell(_) => format!("self-test: a dead point{place}"),
                HealthFault::StuckCell(_) => format!("self-test: a stuck point{place}"),
                HealthFault::WeakCell(_, field) => format!("self-test: only {field} uT{place}"),
                HealthFault::OffCentre(_, field) => format!("a piece off its point, {field} uT{place}"),
                HealthFault::Overflow(_) | HealthFault::Supply(_) | HealthFault::Unkept(_) => {
                    format!("the device reports {fault:?}")
                }
            }
        }
        What::Lost => "records were lost".to_owned(),
    }
}

fn irregular(why: Irregularity) -> &'static str {
    match why {
        Irregularity::Illegal => "against the rules 违规",
        Irregularity::ExposesGeneral => "exposes the own general 送将",
        Irregularity::OutOfTurn => "out of turn",
        Irregularity::Entered => "entered by the arbiter",
    }
}

fn completed(by: Completed) -> &'static str {
    match by {
        Completed::Pressed => " by its press",
        Completed::Answered => " by its answer",
        Completed::Stood => ", having stood",
        Completed::Over => ", the game being over on the board",
        Completed::Ended => ", the game having ended",
    }
}

fn doubtful(doubt: Doubt) -> &'static str {
    match doubt {
        Doubt::Rival => "several readings",
        Doubt::Untouched => "what was captured did not show: several readings",
        Doubt::SamePosition => "several lines to the same position",
        Doubt::Unexplained => "much is left unexplained",
        Doubt::Revised => "what was confirmed is given up",
        Doubt::Missed => "what was played in the dark is not known",
        Doubt::Unseen => "the board could not be seen at the end",
    }
}

/// A ply as read.
pub(super) fn read(ply: &PlyRead) -> String {
    let kind = ply.irregular.map_or(String::new(), |why| format!(", {}", irregular(why)));
    format!("reads ply {}: {}{kind}", ply.no.0, ply.mv)
}

/// Why it was read.
pub(super) fn why(ply: &PlyRead, began: i64) -> String {
    let Some(Why { lifted: seen_lifted, placed, untouched, rival }) = ply.why.as_deref() else {
        return String::new();
    };
    let lifted = match seen_lifted {
        Some(at) => format!("{} emptied at {}", ply.mv.from, time(at.0, began)),
        None => format!("{} was not seen emptied", ply.mv.from),
    };
    let placed = match (placed, seen_lifted) {
        (Some(at), Some(lifted)) if at >= lifted => {
            format!("{} taken at {}, {} ms later", ply.mv.to, time(at.0, began), at.since(*lifted))
        }
        (Some(at), _) => format!("{} taken at {}", ply.mv.to, time(at.0, began)),
        (None, _) => format!("nothing was seen put on {}", ply.mv.to),
    };
    let target = if *untouched { "; what it captures was not seen touched" } else { "" };
    let rival = match rival {
        Some(Rival { dearer, line: moves }) => {
            format!("nearest other reading +{}: {}", price(*dearer), line(moves))
        }
        None => "no other reading near".to_owned(),
    };
    format!("{lifted}; {placed}{target}; {rival}")
}

pub(super) fn finding(finding: &Finding, began: i64) -> String {
    match finding {
        Finding::Read(ply) => format!("reads ply {}: {}", ply.no.0, ply.mv),
        Finding::Confirmed(no, at, by) => {
            let by = by.map_or("", completed);
            format!("confirms ply {}, complete at {}{by}", no.0, time(at.0, began))
        }
        Finding::Locked(no) => format!("locks ply {}", no.0),
        Finding::Withdrawn(no) => format!("withdraws from ply {} on", no.0),
        Finding::Mismatch { points: at, .. } => format!("the board does not fit 盘面不符: {}", points(at)),
        Finding::Disturbed { points: at, running, .. } => {
            let whose = running.map_or("no time running".to_owned(), |of| format!("{}'s time", side(of)));
            format!("disorder 碰乱棋子 in {whose}: {}", points(at))
        }
        Finding::Restored(_) => "the board fits again".to_owned(),
        Finding::PressWithoutMove(by, at) => {
            format!("{} pressed without a move 未走棋先按钟 at {}", side(*by), time(at.0, began))
        }
        Finding::ClockTurned(..) => {
            "the clock stands the wrong way round 棋钟放反: ply after ply the other lever was pressed"
                .to_owned()
        }
        Finding::TouchMove { side: by, touched, played, held } => {
            format!("{} touched {touched} for {held} ms 摸子 before ply {}", side(*by), played.0)
        }
        Finding::Ambiguous { from, lines, dearer, doubt } => {
            let dearer =
                |index| dearer.get(index).map_or(String::new(), |cost| format!(" +{}", price(*cost)));
            let lines: Vec<String> =
                lines.iter().enumerate().map(|(index, moves)| line(moves) + &dearer(index)).collect();
            format!("{} from ply {} on 漏检着法: {}", doubtful(*doubt), from.0, lines.join(" | "))
        }
        Finding::SetUp { wrong } => {
            let wrong: Vec<String> = wrong
                .iter()
                .map(|(point, piece)| {
                    let wanted = piece.map_or("nothing".to_owned(), |piece| piece.hanzi().to_string());
                    format!("{point} should hold {wanted}")
                })
                .collect();
            format!("set up wrongly 摆棋有误: {}", wrong.join(", "))
        }
        Finding::SetUpRight => "the set-up is right".to_owned(),
        Finding::Suspects { points: at } => format!("one of these senses nothing: {}", points(at)),
        Finding::BadPoint { point, stuck: true } => format!("{point} shows a piece for ever"),
        Finding::BadPoint { point, stuck: false } => format!("{point} senses nothing any more"),
    }
}

/// An event; `None`: it is drawn, not told.
pub(super) fn event(event: &Event, began: i64) -> String {
    match &event.what {
        Happening::Shows(point, shown) => format!("{point}: {}", sense(*shown)),
        Happening::Pressed(by) => format!("{} presses", side(*by)),
        Happening::Device(words) | Happening::Act(words) => words.clone(),
        Happening::Read(reading) => format!("{}  ({})", read(reading), why(reading, began)),
        Happening::Said(said) => finding(said, began),
        Happening::Played { no, mv, read: true } => format!("truth: ply {no} is {mv}"),
        Happening::Played { no, mv, read: false } => {
            format!("truth: ply {no} is {mv}, which is not in the record")
        }
        Happening::Trouble(words) => format!("truth: {words}"),
    }
}
