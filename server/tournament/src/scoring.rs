//! What a game is worth (art. 13.1-13.3): points for a win, a draw, a loss and a bye.

use serde::{Deserialize, Serialize};
use xiangqi::{BySide, Side};

use crate::{Points, ResultKind};

/// 记分: the points of one game, or of one match 场分 in a team event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scoring {
    /// 胜.
    pub win: Points,
    /// 和. Red's points of a draw, and Black's too unless `draw_black` differs.
    pub draw: Points,
    /// 负.
    pub loss: Points,
    /// Black's points of a draw where the second mover is given more (art. 13.3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draw_black: Option<Points>,
    /// 轮空: the points of a bye; a win's unless set (art. 14.4).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bye: Option<Points>,
}

/// 2, 1, 0.
impl Default for Scoring {
    fn default() -> Scoring {
        Scoring { win: Points(2), draw: Points(1), loss: Points(0), draw_black: None, bye: None }
    }
}

/// How a game ended for one of its two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// 胜.
    Win,
    /// 和.
    Draw,
    /// 负. Both sides can lose one game.
    Loss,
}

impl Scoring {
    /// The score of a game in which `winner` won, or nobody did.
    #[must_use]
    pub fn game(&self, winner: Option<Side>) -> BySide<Points> {
        match winner {
            Some(winner) => BySide::from_fn(|side| if side == winner { self.win } else { self.loss }),
            None => BySide { red: self.draw, black: self.draw_black.unwrap_or(self.draw) },
        }
    }

    /// The points of a bye.
    #[must_use]
    pub fn bye(&self) -> Points {
        self.bye.unwrap_or(self.win)
    }

    /// What a score of a decided or drawn game says of one side.
    #[must_use]
    pub fn verdict(&self, points: Points) -> Verdict {
        if points >= self.win {
            Verdict::Win
        } else if points > self.loss {
            Verdict::Draw
        } else {
            Verdict::Loss
        }
    }

    /// Whether these points make sense: a win above a draw, a draw above a loss.
    #[must_use]
    pub fn is_ordered(&self) -> bool {
        let draws = [self.draw, self.draw_black.unwrap_or(self.draw)];
        draws.iter().all(|&draw| self.loss < draw && draw < self.win)
            && self.bye.is_none_or(|bye| bye <= self.win)
    }

    /// Whether a result of this kind can have this score.
    #[must_use]
    pub fn fits(&self, kind: ResultKind, score: BySide<Points>) -> bool {
        let decided = Side::ALL.iter().any(|&winner| score == self.game(Some(winner)));
        let both_lose = score == BySide::both(self.loss);
        let alone = score.black == Points(0);
        match kind {
            ResultKind::Played => decided || both_lose || score == self.game(None),
            ResultKind::Forfeit => decided,
            ResultKind::DoubleForfeit => both_lose,
            ResultKind::Bye => alone && [self.bye(), self.win, self.draw, self.loss].contains(&score.red),
            ResultKind::Absent => alone && [self.draw, self.loss].contains(&score.red),
        }
    }

    /// The scores a result of this kind can have, Red's points first.
    pub(crate) fn allowed(&self, kind: ResultKind) -> Vec<[Points; 2]> {
        let &Scoring { win, loss, draw, .. } = self;
        match kind {
            ResultKind::Played => {
                let drawn = self.game(None);
                vec![[win, loss], [drawn.red, drawn.black], [loss, win], [loss, loss]]
            }
            ResultKind::Forfeit => vec![[win, loss], [loss, win]],
            ResultKind::DoubleForfeit => vec![[loss, loss]],
            ResultKind::Bye => vec![[self.bye(), Points(0)]],
            // By arrangement, a draw's worth.
            ResultKind::Absent => vec![[loss, Points(0)], [draw, Points(0)]],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_mover_may_be_given_more_for_a_draw() {
        let scoring = Scoring { win: Points(3), draw_black: Some(Points(2)), ..Scoring::default() };
        assert!(scoring.is_ordered());
        assert!(scoring.fits(ResultKind::Played, BySide { red: Points(1), black: Points(2) }));
        assert!(!scoring.fits(ResultKind::Played, BySide { red: Points(1), black: Points(1) }));
        assert_eq!(scoring.verdict(Points(2)), Verdict::Draw);
    }

    #[test]
    fn a_forfeit_has_a_winner_and_a_double_forfeit_has_none() {
        let scoring = Scoring::default();
        let both_lose = BySide::both(Points(0));
        assert!(!scoring.fits(ResultKind::Forfeit, both_lose));
        assert!(scoring.fits(ResultKind::DoubleForfeit, both_lose));
        assert!(!scoring.fits(ResultKind::DoubleForfeit, BySide::both(Points(1))));
        assert!(!scoring.fits(ResultKind::Played, BySide::both(Points(2))));
    }
}
