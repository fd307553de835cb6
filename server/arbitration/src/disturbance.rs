//! Pieces disturbed (碰乱棋子): whose time ran, whose hand it most likely was, and what the regulation says then.

use firmware_proto::Epoch;
use serde::{Deserialize, Serialize};
use xiangqi::{Point, Side};

use crate::remedy::{Remedy, Step};
use crate::say::{list, minutes_en, minutes_zh, places, side_en, side_zh};
use crate::{AlertCode, Ending, Evidence, Game, Notice, Offence, Severity, Words};

/// A hand that has just pressed is still over the board for so long, ms.
const JUST_PRESSED: i64 = 3_000;

/// Up to so many points that differ are a small disturbance: it comes as a mismatch.
const FEW: usize = 2;

/// Whose hand disturbed pieces, as far as signs tell. No judgement: the arbiter asks the players (疑案从无).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suspicion {
    /// Whose hand it most likely was; `None`: the signs do not say.
    pub side: Option<Side>,
    /// The signs.
    pub signs: Vec<Sign>,
}

/// What points to somebody's hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sign {
    /// This side had pressed so shortly before, ms.
    JustPressed(Side, u32),
    /// This side was thinking in its own time, and the opponent had pressed long before.
    OwnTurn(Side),
    /// All the points are on this side's half of the board.
    NearSide(Side),
    /// All the pieces are this side's.
    OwnPieces(Side),
}

impl Sign {
    /// To whom it points, and how strongly.
    const fn weight(self) -> (Side, i32) {
        match self {
            Sign::JustPressed(side, _) => (side, 2),
            Sign::OwnTurn(side) | Sign::NearSide(side) | Sign::OwnPieces(side) => (side, 1),
        }
    }

    /// In words.
    #[must_use]
    pub fn words(self) -> Words {
        match self {
            Sign::JustPressed(side, ms) => {
                let seconds = f64::from(ms) / 1e3;
                Words::new(
                    format!("{}按钟后{seconds:.1}秒", side_zh(side)),
                    format!("{seconds:.1} s after {} pressed", side_en(side)),
                )
            }
            Sign::OwnTurn(side) => {
                Words::new(format!("{}走棋时", side_zh(side)), format!("{} was to move", side_en(side)))
            }
            Sign::NearSide(side) => {
                Words::new(format!("均在{}一侧", side_zh(side)), format!("all on {}'s half", side_en(side)))
            }
            Sign::OwnPieces(side) => Words::new(
                format!("均为{}的子", side_zh(side)),
                format!("all pieces are {}'s", side_en(side)),
            ),
        }
    }
}

impl Suspicion {
    fn of(signs: Vec<Sign>) -> Suspicion {
        let red: i32 = signs
            .iter()
            .map(|sign| match sign.weight() {
                (Side::Red, weight) => weight,
                (Side::Black, weight) => -weight,
            })
            .sum();
        // One sign alone is none.
        let side = match red {
            2.. => Some(Side::Red),
            ..=-2 => Some(Side::Black),
            -1..=1 => None,
        };
        Suspicion { side, signs }
    }

    fn words(&self) -> Words {
        let signs: Vec<_> = self.signs.iter().map(|sign| sign.words()).collect();
        let zh: Vec<_> = signs.iter().map(|sign| sign.zh.as_str()).collect();
        let en: Vec<_> = signs.iter().map(|sign| sign.en.as_str()).collect();
        let (who_zh, who_en) = match self.side {
            Some(side) => {
                (format!("，多系{}所碰", side_zh(side)), format!(": most likely {}", side_en(side)))
            }
            None => ("，未能断定何方".to_owned(), ": whose hand it was is open".to_owned()),
        };
        Words::new(format!("{}{who_zh}", zh.join("，")), format!("{}{who_en}", en.join(", ")))
    }
}

impl Game {
    /// Whose hand disturbed these points at that time.
    fn suspicion(&self, points: &[Point], running: Option<Side>, at: Epoch) -> Suspicion {
        let mut signs = Vec::new();
        let since = self.last_press().map(|(side, pressed)| (side, at.since(pressed)));
        match since {
            Some((side, ms)) if (0..=JUST_PRESSED).contains(&ms) => {
                signs.push(Sign::JustPressed(side, u32::try_from(ms).unwrap_or_default()));
            }
            Some(_) | None => signs.extend(running.map(Sign::OwnTurn)),
        }
        let one_side = |side: fn(&Point, &Game) -> Option<Side>| {
            let first = points.first().and_then(|point| side(point, self))?;
            points.iter().all(|point| side(point, self) == Some(first)).then_some(first)
        };
        let half = |point: &Point, _: &Game| Some(if point.rank() < 5 { Side::Red } else { Side::Black });
        signs.extend(one_side(half).map(Sign::NearSide));
        let owner = |point: &Point, game: &Game| game.position().piece_at(*point).map(|piece| piece.side);
        signs.extend(one_side(owner).map(Sign::OwnPieces));
        Suspicion::of(signs)
    }

    /// One or two pieces off their points in somebody's time, where the signs point to the opponent's hand.
    pub(crate) fn disturbed_a_little(&self, points: &[Point], at: Epoch) -> Option<Notice> {
        let owner = self.clock()?.running?;
        let theirs = self.suspicion(points, Some(owner), at).side == Some(owner.opposite());
        (points.len() <= FEW && theirs).then(|| self.disturbed(points, Some(owner), at))
    }

    /// Pieces disturbed: what the regulation says depends on whose clock ran and how much time it showed
    /// (碰乱棋子: a, article 8; b, article (五)).
    pub(crate) fn disturbed(&self, points: &[Point], running: Option<Side>, at: Epoch) -> Notice {
        let rule = self.regulation().disturbed;
        let left = running.and_then(|side| self.clock().map(|clock| self.left_at(clock, side, at)));
        let suspicion = self.suspicion(points, running, at);
        let whose = running.map_or(("停钟时", "with the clocks stopped"), |side| match side {
            Side::Red => ("红方走时", "in Red's time"),
            Side::Black => ("黑方走时", "in Black's time"),
        });
        let signs = suspicion.words();
        let words = Words::new(
            format!("{}棋子被碰乱：{}。{}", whose.0, places(self, points), signs.zh),
            format!("Pieces were disturbed {}: {}. {}", whose.1, list(points), signs.en),
        );
        let suspect = suspicion.side;
        let mut data = self.points(points, running);
        if let Evidence::Points { left_ms, who, .. } = &mut data {
            *left_ms = left.map(|left| left.0);
            *who = Some(Box::new(suspicion));
        }
        let cause = self.plies().len() as u32 + 1;
        let notice = Notice::new(AlertCode::TouchOppTime, cause, at, words, data);
        let put_right = Remedy::one(Step::PutRight);
        let Some(owner) = running else {
            return notice.proposing("按记录摆正", "Put them right as recorded").offering([put_right]);
        };
        let disturber = owner.opposite();
        let (if_zh, if_en) = if suspect == Some(disturber) {
            ("建议：", "Proposed: ")
        } else {
            ("若系对方碰乱：", "If the opponent did it: ")
        };
        let (zh, en, remedy, severity);
        if left.is_some_and(|left| left < rule.loses_below) {
            (zh, en) = (format!("判{}负", side_zh(disturber)), format!("{} loses", side_en(disturber)));
            (remedy, severity) = (Remedy::loss(disturber, Ending::Foul), Severity::P0);
        } else {
            let minutes = (minutes_zh(rule.opponent_gains.0), minutes_en(rule.opponent_gains.0));
            let mut steps = vec![Step::PutRight, Step::AddTime(owner, rule.opponent_gains.0)];
            let foul = if rule.foul { ("，记犯规一次", " and a foul") } else { ("", "") };
            if rule.foul {
                steps.push(Step::Foul(disturber, Offence::Disturbing));
            }
            zh = format!("{}加{}{}", side_zh(owner), minutes.0, foul.0);
            en = format!("{} more for {}{}", minutes.1, side_en(owner), foul.1);
            (remedy, severity) = (Remedy(steps), Severity::P1);
        }
        let notice = notice.at_stage(0, severity);
        if suspect == Some(owner) {
            // In one's own time one puts right what one disturbed.
            return notice
                .proposing(
                    format!("建议：{}自行摆正；{if_zh}{zh}", side_zh(owner)),
                    format!("Proposed: {} puts them right. {if_en}{en}", side_en(owner)),
                )
                .offering([put_right, remedy]);
        }
        notice.proposing(format!("{if_zh}{zh}"), format!("{if_en}{en}")).offering([remedy, put_right])
    }
}
