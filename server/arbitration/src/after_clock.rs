//! What follows from what the clock tells: flags, time running short, a clock at fault, plies that nobody pressed for.

use firmware_proto::{Epoch, Millis};
use xiangqi::{BySide, Side};

use crate::remedy::{Remedy, Step};
use crate::say::{clock_text, side_en, side_zh};
use crate::{
    AlertCode, ClockReading, Consequence, Ending, Evidence, Game, Notice, Occasion, Outcome, RecordedPly,
    Severity, Words,
};

/// Time is short below this, ms (时间紧张).
pub(crate) const SHORT: u32 = 60_000;
/// Time is no longer short from here on, ms: increments around the limit make no new alert each.
const AMPLE: u32 = 90_000;

impl Game {
    pub(crate) fn after_clock(&self, reading: ClockReading) -> Vec<Consequence> {
        let mut all = match reading.occasion {
            Occasion::Flagged(side) => self.after_flag(side, reading),
            Occasion::Pressed(_) => vec![Consequence::Clear(AlertCode::MoveNoPress)],
            Occasion::Set => {
                // A side that was given time has not lost on time any more.
                let left = reading.left();
                let given = left.iter().filter(|(_, left)| left.0 > 0).map(|(side, _)| side);
                let mut all: Vec<_> =
                    given.map(|side| Consequence::ClearCause(AlertCode::Flag, flag_cause(side))).collect();
                if reading.red_ms > 0 || reading.black_ms > 0 {
                    all.push(Consequence::Clear(AlertCode::FlagBoth));
                }
                all
            }
        };
        for (side, left) in reading.left().iter() {
            if left.0 >= AMPLE {
                all.push(Consequence::ClearCause(AlertCode::LowTime, u32::from(side == Side::Black)));
            }
        }
        all.push(self.skew().map_or(Consequence::Clear(AlertCode::ClockSkew), |skew| {
            let words = Words::new(
                format!(
                    "{}钟面 {}，推算应为 {}",
                    side_zh(skew.side),
                    clock_text(skew.told),
                    clock_text(skew.expected)
                ),
                format!(
                    "{}'s clock tells {}, by the time that passed it should be {}",
                    side_en(skew.side),
                    clock_text(skew.told),
                    clock_text(skew.expected)
                ),
            );
            let data = Evidence::Skew { side: skew.side, told_ms: skew.told, expected_ms: skew.expected };
            Consequence::Raise(
                Notice::new(AlertCode::ClockSkew, 0, reading.at, words, data)
                    .proposing("以钟面为准", "The clock stands"),
            )
        }));
        all
    }

    /// The first flag loses. Where the regulation draws when both have fallen, it is left to the arbiter, and what
    /// happens before he acts counts (b, article 二(六)).
    fn after_flag(&self, side: Side, reading: ClockReading) -> Vec<Consequence> {
        let rule = self.regulation().flag;
        if rule.automatic {
            return vec![Consequence::End(Outcome::flag(side), reading.at)];
        }
        let fallen = self.flagged();
        let evidence = Evidence::Flags { clock: reading, fallen, last_press: self.last_press() };
        if fallen[side.opposite()].is_none() {
            let words = Words::new(
                format!("{}超时：{}", side_zh(side), faces(reading)),
                format!("{}'s flag fell: {}", side_en(side), faces_en(reading)),
            );
            let notice = Notice::new(AlertCode::Flag, flag_cause(side), reading.at, words, evidence)
                .proposing(format!("建议判{}负", side_zh(side)), format!("Proposed: {} loses", side_en(side)))
                .offering([
                    Remedy::loss(side, Ending::Flag),
                    Remedy(vec![Step::AddTime(side, SHORT), Step::Run(side)]),
                    Remedy::draw(Ending::Ruling),
                ]);
            return vec![Consequence::Raise(notice)];
        }
        let first = side.opposite();
        let words = Words::new(
            format!("双方均 00:00：{}先到", side_zh(first)),
            format!("Both clocks show 00:00; {}'s fell first", side_en(first)),
        );
        let draw = Remedy::draw(Ending::BothFlags);
        let loss = Remedy::loss(first, Ending::Flag);
        let notice = Notice::new(AlertCode::FlagBoth, 0, reading.at, words, evidence);
        let notice = if rule.both_draw {
            notice.proposing("建议判和", "Proposed: a draw").offering([draw, loss])
        } else {
            notice
                .proposing(
                    format!("先超时者负：建议判{}负", side_zh(first)),
                    format!("The first flag loses: {}", side_en(first)),
                )
                .offering([loss, draw])
        };
        vec![Consequence::Clear(AlertCode::Flag), Consequence::Raise(notice)]
    }

    /// The opponent answered a ply that nobody pressed for.
    pub(crate) fn unpressed_before(&self, ply: &RecordedPly) -> Option<Consequence> {
        let unpressed = ply.read.no.0.checked_sub(1).and_then(|no| self.ply(capture::PlyNo(no)))?;
        let pressed = self.last_press().is_some_and(|(side, at)| {
            side == ply.side || side == unpressed.side && at >= unpressed.read.at.plus(-2_000)
        });
        // Plies of one instant were found together in the image after an outage: when each was played nobody saw.
        let seen = unpressed.read.at != ply.read.at;
        let watched = seen && self.clock().is_some() && self.down_since().1.is_none();
        (watched && !pressed && unpressed.used_ms.is_none() && unpressed.side != ply.side)
            .then(|| Consequence::Raise(self.no_press(unpressed, 0)))
    }

    /// A ply stands and its player's time runs on.
    pub(crate) fn no_press(&self, ply: &RecordedPly, stage: u8) -> Notice {
        let (zh, en) = (side_zh(ply.side), side_en(ply.side));
        let words = if stage == 0 {
            Words::new(
                format!("{zh}走棋未按钟：{}", ply.zh),
                format!("{en} moved and did not press: {}", ply.wxf),
            )
        } else {
            Words::new(
                format!("{zh}走棋已逾1分钟未按钟：{}", ply.zh),
                format!("{en} moved a minute ago and did not press: {}", ply.wxf),
            )
        };
        let data = Evidence::Ply { no: ply.read.no, mv: ply.read.mv, side: ply.side, legal: Vec::new() };
        let severity = if stage == 0 { Severity::P2 } else { Severity::P1 };
        Notice::new(AlertCode::MoveNoPress, u32::from(ply.read.no.0), ply.read.at, words, data)
            .proposing("按钟是棋手自己的事", "Pressing is the player's own duty")
            .offering([Remedy::default(), Remedy::one(Step::Run(ply.side.opposite()))])
            .at_stage(stage, severity)
    }

    /// What a side had left at an instant after a reading of the clock.
    pub(crate) fn left_at(&self, clock: crate::ClockReading, side: Side, at: Epoch) -> Millis {
        let passed = if clock.running == Some(side) { at.since(clock.at).max(0) } else { 0 };
        Millis(clock.left()[side].0.saturating_sub(u32::try_from(passed).unwrap_or(u32::MAX)))
    }

    pub(crate) fn low_time(&self, side: Side, at: Epoch) -> Notice {
        let words = Words::new(
            format!("{}不足1分钟", side_zh(side)),
            format!("{} has less than a minute", side_en(side)),
        );
        let cause = u32::from(side == Side::Black);
        let left_ms = self.clock().map_or(0, |clock| clock.left()[side].0.min(SHORT));
        Notice::new(AlertCode::LowTime, cause, at, words, Evidence::TimeLeft { side, left_ms })
    }
}

fn flag_cause(side: Side) -> u32 {
    u32::from(side == Side::Black)
}

fn faces(reading: ClockReading) -> String {
    format!("红 {}，黑 {}", clock_text(reading.red_ms), clock_text(reading.black_ms))
}

fn faces_en(reading: ClockReading) -> String {
    format!("Red {}, Black {}", clock_text(reading.red_ms), clock_text(reading.black_ms))
}

/// Which side's time is short at a reading, or will be, and when.
pub(crate) fn short_from(reading: ClockReading) -> BySide<Option<Epoch>> {
    BySide::from_fn(|side| {
        let left = i64::from(reading.left()[side].0);
        if left < i64::from(SHORT) {
            Some(reading.at)
        } else if reading.running == Some(side) {
            Some(reading.at.plus(left - i64::from(SHORT)))
        } else {
            None
        }
    })
}
