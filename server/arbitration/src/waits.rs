//! What time alone brings: players who do not come, plies that nobody presses for, time running short, links that
//! stay down, games that nobody reports.

use firmware_proto::Epoch;
use xiangqi::Side;

use crate::after_clock::{SHORT, short_from};
use crate::remedy::{Remedy, Step};
use crate::say::{minutes_en, minutes_zh, side_en, side_zh};
use crate::{AlertCode, Ending, Evidence, Game, GameResult, Notice, Outcome, Severity, Words};

/// A ply stands so long, ms, before it is told that nobody pressed …
const UNPRESSED: i64 = 10_000;
/// … and so long before it presses.
const LONG_UNPRESSED: i64 = 60_000;
/// A link is told to be down when it stays so, ms: a gateway that starts anew finds its devices sooner.
const LINK_STAYS_DOWN: i64 = 2_000;
/// So many points are not as recorded when pieces are being reset.
const RESET: usize = 8;
/// So long after that, without a move or a press, the result is asked for, ms.
const RESULT_DUE: i64 = 180_000;

/// Something that time brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wait {
    /// A player has not come: which stage.
    Absent(u8),
    /// Nobody pressed for the last ply: which stage.
    Unpressed(u8),
    /// This side's time is short.
    Short(Side),
    /// The board's link stays down.
    BoardDown(Epoch),
    /// The clock's link stays down.
    ClockDown(Epoch),
    /// The pieces were reset and nobody told the result.
    NoResult(Epoch),
}

impl Wait {
    /// Code, cause and stage of the alert, to see whether it stands already.
    fn key(self, game: &Game) -> (AlertCode, u32, u8) {
        let plies = game.plies().len() as u32;
        match self {
            Wait::Absent(stage) => (AlertCode::Absent, u32::from(stage == LAST), stage),
            Wait::Unpressed(stage) => (AlertCode::MoveNoPress, plies, stage),
            Wait::Short(side) => (AlertCode::LowTime, u32::from(side == Side::Black), 0),
            Wait::BoardDown(_) => (AlertCode::BoardDown, 0, 0),
            Wait::ClockDown(_) => (AlertCode::ClockDown, 0, 0),
            Wait::NoResult(_) => (AlertCode::NoResult, 0, 0),
        }
    }

    const fn why(self) -> &'static str {
        match self {
            Wait::Absent(_) => "a player may not have come",
            Wait::Unpressed(_) => "nobody may have pressed",
            Wait::Short(_) => "time runs short",
            Wait::BoardDown(_) => "the board's link may stay down",
            Wait::ClockDown(_) => "the clock's link may stay down",
            Wait::NoResult(_) => "nobody may report the result",
        }
    }
}

/// The last stage of an absence: the limit has passed.
const LAST: u8 = 3;

impl Game {
    fn waits(&self) -> Vec<(Epoch, Wait)> {
        let mut waits = Vec::new();
        let (board, clock) = self.down_since();
        waits.extend(board.map(|since| (since.plus(LINK_STAYS_DOWN), Wait::BoardDown(since))));
        waits.extend(clock.map(|since| (since.plus(LINK_STAYS_DOWN), Wait::ClockDown(since))));
        if self.outcome().is_some() {
            return waits;
        }
        if self.present() != xiangqi::BySide::both(true) {
            let stages = self.absence_stages().into_iter().zip(0..);
            waits.extend(stages.filter_map(|(at, stage)| Some((at?, Wait::Absent(stage)))));
        }
        if let Some(reading) = self.clock() {
            if let Some(last) = self.plies().last()
                && reading.running == Some(last.side)
                && clock.is_none()
            {
                waits.push((last.read.at.plus(UNPRESSED), Wait::Unpressed(0)));
                waits.push((last.read.at.plus(LONG_UNPRESSED), Wait::Unpressed(1)));
            }
            if self.regulation().time.base.0 > SHORT && reading.running.is_some() && clock.is_none() {
                let short = short_from(reading);
                waits.extend(short.iter().filter_map(|(side, at)| Some(((*at)?, Wait::Short(side)))));
            }
        }
        if let Some((points, since)) = self.disorder()
            && points >= RESET
            && self.has_begun()
        {
            waits.push((since.max(self.last_act()).plus(RESULT_DUE), Wait::NoResult(since)));
        }
        waits
    }

    /// The next instant after `after` at which time alone brings something, and what.
    #[must_use]
    pub fn due_after(&self, after: Epoch) -> Option<(Epoch, &'static str)> {
        let later = self.waits().into_iter().filter(|(at, _)| *at > after);
        later.map(|(at, wait)| (at, wait.why())).min_by_key(|(at, _)| *at)
    }

    /// What time has brought by `now`, but for what `stands` knows already: code, cause and stage.
    #[must_use]
    pub fn brought_by(&self, now: Epoch, stands: impl Fn(AlertCode, u32, u8) -> bool) -> Vec<Notice> {
        let mut due: Vec<_> = self.waits().into_iter().filter(|(at, _)| *at <= now).collect();
        due.sort_by_key(|(at, _)| *at);
        // Of one cause only the latest stage.
        let latest = |index: usize, wait: Wait| {
            due[index + 1..]
                .iter()
                .all(|(_, later)| later.key(self).0 != wait.key(self).0 || matches!(wait, Wait::Short(_)))
        };
        let mut notices = Vec::new();
        for (index, (at, wait)) in due.iter().enumerate() {
            let (code, cause, stage) = wait.key(self);
            if latest(index, *wait) && !stands(code, cause, stage) {
                notices.extend(self.notice(*wait, *at));
            }
        }
        notices
    }

    fn notice(&self, wait: Wait, at: Epoch) -> Option<Notice> {
        Some(match wait {
            Wait::Absent(_) => return self.absence(at),
            Wait::Unpressed(stage) => self.no_press(self.plies().last()?, stage),
            Wait::Short(side) => self.low_time(side, at),
            Wait::BoardDown(since) => Notice::new(
                AlertCode::BoardDown,
                0,
                since,
                Words::new(
                    "棋盘没有信号；棋钟照走，重新接上后补录",
                    "No signal from the board; the clock goes on, and what was played is taken in when it is back",
                ),
                Evidence::Link { since },
            )
            .offering([Remedy::default(), Remedy::one(Step::Pause)]),
            Wait::ClockDown(since) => Notice::new(
                AlertCode::ClockDown,
                0,
                since,
                Words::new(
                    "棋钟没有信号；所示时间为推算，不据此判超时",
                    "No signal from the clock; times shown are estimates, and no flag is ruled on them",
                ),
                Evidence::Link { since },
            )
            .offering([Remedy::default()]),
            Wait::NoResult(since) => {
                let end = |result| Remedy::one(Step::End(Outcome { result, ending: Ending::Ruling }));
                Notice::new(
                    AlertCode::NoResult,
                    0,
                    since,
                    Words::new("棋子已重摆，未报结果", "The pieces are being reset and no result was told"),
                    Evidence::Link { since },
                )
                .proposing("问双方棋手", "Ask both players")
                .offering([GameResult::RedWins, GameResult::BlackWins, GameResult::Draw].map(end))
            }
        })
    }

    /// At which instants an absence is told: at the start, at half of the limit, a minute before it, and at it
    /// (迟到弃权).
    fn absence_stages(&self) -> [Option<Epoch>; 4] {
        let limit = i64::from(self.regulation().late_limit.0);
        let began = self.began();
        let after = |span: i64, sensible: bool| sensible.then(|| began.plus(span));
        [
            after(0, true),
            after(limit / 2, limit >= 240_000),
            after(limit - 60_000, limit >= 120_000),
            after(limit, limit > 0),
        ]
    }

    /// The alert about players who have not come, as it is at an instant; `None`: both are there.
    pub(crate) fn absence(&self, at: Epoch) -> Option<Notice> {
        let sides: Vec<Side> =
            [Side::Red, Side::Black].into_iter().filter(|side| !self.present()[*side]).collect();
        if sides.is_empty() {
            return None;
        }
        let stages = self.absence_stages();
        let stage = stages.iter().rposition(|due| due.is_some_and(|due| due <= at)).unwrap_or(0);
        let since = stages[stage].unwrap_or(self.began());
        let waited = u32::try_from(since.since(self.began())).unwrap_or_default();
        let limit = self.regulation().late_limit.0;
        let who: Vec<_> = sides.iter().map(|side| (side_zh(*side), side_en(*side))).collect();
        let zh: Vec<_> = who.iter().map(|(zh, _)| *zh).collect();
        let en: Vec<_> = who.iter().map(|(_, en)| *en).collect();
        let late = stage == usize::from(LAST);
        let words = if late {
            Words::new(
                format!("{}已迟到{}", zh.join("、"), minutes_zh(limit)),
                format!("{} is {} late", en.join(" and "), minutes_en(limit)),
            )
        } else {
            Words::new(
                format!("{}未到场，已等{}", zh.join("、"), minutes_zh(waited)),
                format!("{} has not come; {} have passed", en.join(" and "), minutes_en(waited)),
            )
        };
        let data = Evidence::Absent { sides: sides.clone(), waited_ms: waited, limit_ms: limit };
        let notice = Notice::new(AlertCode::Absent, u32::from(late), since, words, data);
        let severity = if stage == 0 { Severity::P3 } else { Severity::P1 };
        let notice = notice.at_stage(stage as u8, severity);
        let there = sides.iter().map(|side| Remedy::one(Step::Present(*side)));
        if !late {
            return Some(notice.offering(there));
        }
        let forfeits: Vec<Remedy> = match sides[..] {
            [side] => vec![Remedy::loss(side, Ending::Forfeit)],
            _ => vec![Remedy::one(Step::End(Outcome {
                result: GameResult::BothLose,
                ending: Ending::Forfeit,
            }))],
        };
        Some(
            notice
                .proposing(
                    format!("建议判{}弃权", zh.join("、")),
                    format!("Proposed: {} forfeits", en.join(" and ")),
                )
                .offering(forfeits.into_iter().chain(there)),
        )
    }
}
