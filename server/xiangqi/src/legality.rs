//! Why a move is not legal.
//!
//! Over the board an illegal move can be played, and events punish its two
//! kinds differently: a breach of the movement rules (违反行棋规定) is a foul,
//! a move that leaves the own general to be taken loses at once.

use thiserror::Error;

use crate::reach::{between, reach};
use crate::{Board, Move, Piece, Point, Points, Role, Side};

/// Why a move is not legal: one of the two kinds that the rules tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Error)]
pub enum Illegal {
    /// 违反行棋规定: no piece moves like this.
    #[error(transparent)]
    Breaks(#[from] Breach),
    /// The piece moves like this, but the own general could then be captured.
    #[error(transparent)]
    ExposesGeneral(#[from] Exposure),
}

impl Illegal {
    /// The reason in Chinese.
    #[must_use]
    pub const fn zh(self) -> &'static str {
        match self {
            Illegal::Breaks(breach) => breach.zh(),
            Illegal::ExposesGeneral(exposure) => exposure.zh(),
        }
    }

    /// The reason in English.
    #[must_use]
    pub const fn en(self) -> &'static str {
        match self {
            Illegal::Breaks(breach) => breach.en(),
            Illegal::ExposesGeneral(exposure) => exposure.en(),
        }
    }
}

/// How a move breaks the movement rules (行棋规定).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Error)]
#[error("{}", self.en())]
pub enum Breach {
    /// Nothing stands on the point of departure.
    NoPiece,
    /// The piece on it is the opponent's.
    OpponentsPiece,
    /// The piece stays where it is.
    NotMoved,
    /// A piece of the same side stands on the target.
    OwnPieceOnTarget,
    /// The piece never moves in this shape.
    NotItsStep,
    /// 蹩马腿: a piece stands next to the horse on the side it wants to leap.
    HorseLegBlocked,
    /// 塞象眼: a piece stands in the middle of the elephant's diagonal.
    ElephantEyeBlocked,
    /// 出九宫: the general or an advisor leaves the palace.
    LeavesPalace,
    /// 象过河: the elephant crosses the river.
    ElephantCrossesRiver,
    /// 未过河横走: the soldier goes sideways before the river.
    SidewaysBeforeRiver,
    /// 兵卒后退: the soldier goes backward.
    SoldierBackwards,
    /// A piece stands in the way of the chariot, or of the cannon that does
    /// not capture.
    PathBlocked,
    /// 炮无架: the cannon captures with nothing to leap over.
    CannonNeedsScreen,
    /// The cannon captures over more than one piece.
    CannonTooManyScreens,
}

impl Breach {
    /// In Chinese, as an arbiter would say it.
    #[must_use]
    pub const fn zh(self) -> &'static str {
        match self {
            Breach::NoPiece => "起点无子",
            Breach::OpponentsPiece => "动对方棋子",
            Breach::NotMoved => "棋子未移动",
            Breach::OwnPieceOnTarget => "落点有己方棋子",
            Breach::NotItsStep => "不合该子走法",
            Breach::HorseLegBlocked => "蹩马腿",
            Breach::ElephantEyeBlocked => "塞象眼",
            Breach::LeavesPalace => "出九宫",
            Breach::ElephantCrossesRiver => "象（相）过河",
            Breach::SidewaysBeforeRiver => "兵（卒）未过河横走",
            Breach::SoldierBackwards => "兵（卒）后退",
            Breach::PathBlocked => "行进路线有子阻挡",
            Breach::CannonNeedsScreen => "炮吃子无炮架",
            Breach::CannonTooManyScreens => "炮吃子隔子多于一个",
        }
    }

    /// In English.
    #[must_use]
    pub const fn en(self) -> &'static str {
        match self {
            Breach::NoPiece => "there is no piece on the point of departure",
            Breach::OpponentsPiece => "the piece is the opponent's",
            Breach::NotMoved => "the piece did not move",
            Breach::OwnPieceOnTarget => "a piece of the same side stands on the target",
            Breach::NotItsStep => "the piece does not move like this",
            Breach::HorseLegBlocked => "the horse's leg is blocked",
            Breach::ElephantEyeBlocked => "the elephant's eye is blocked",
            Breach::LeavesPalace => "the general or advisor would leave the palace",
            Breach::ElephantCrossesRiver => "the elephant would cross the river",
            Breach::SidewaysBeforeRiver => "the soldier has not crossed the river and cannot go sideways",
            Breach::SoldierBackwards => "a soldier never goes backward",
            Breach::PathBlocked => "a piece stands in the way",
            Breach::CannonNeedsScreen => "the cannon has no screen to capture over",
            Breach::CannonTooManyScreens => "the cannon has more than one piece to leap over",
        }
    }
}

/// How a move that obeys the movement rules gives up the own general.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Error)]
#[error("{}", self.en())]
pub enum Exposure {
    /// 不应将: the general was in check and still is.
    CheckUnanswered,
    /// 送将 (自杀): the general was not in check and now is.
    IntoCheck,
    /// 对面: nothing stands between the two generals any more.
    GeneralsFacing,
}

impl Exposure {
    /// In Chinese, as an arbiter would say it.
    #[must_use]
    pub const fn zh(self) -> &'static str {
        match self {
            Exposure::CheckUnanswered => "不应将",
            Exposure::IntoCheck => "送将（自杀）",
            Exposure::GeneralsFacing => "将帅对面",
        }
    }

    /// In English.
    #[must_use]
    pub const fn en(self) -> &'static str {
        match self {
            Exposure::CheckUnanswered => "the general is in check and the move does not answer it",
            Exposure::IntoCheck => "the move puts the own general in check",
            Exposure::GeneralsFacing => "the move leaves the generals facing each other",
        }
    }
}

/// The movement rule that `mv`, played by `side`, breaks; `None` if it keeps them.
pub(crate) fn breach(board: &Board, side: Side, mv: Move) -> Option<Breach> {
    let Move { from, to } = mv;
    let Some(piece) = board.piece_at(from) else { return Some(Breach::NoPiece) };
    if piece.side != side {
        return Some(Breach::OpponentsPiece);
    }
    if from == to {
        return Some(Breach::NotMoved);
    }
    if board.of_side(side).contains(to) {
        return Some(Breach::OwnPieceOnTarget);
    }
    let occupied = board.occupied();
    if reach(piece, from, occupied).contains(to) {
        return None;
    }
    Some(match piece.role {
        Role::King | Role::Advisor => leaves_palace(piece, from, to),
        Role::Elephant => elephant(side, from, to),
        Role::Horse if reach(piece, from, Points::EMPTY).contains(to) => Breach::HorseLegBlocked,
        Role::Horse => Breach::NotItsStep,
        Role::Chariot if crate::reach::in_line(from, to) => Breach::PathBlocked,
        Role::Chariot => Breach::NotItsStep,
        Role::Cannon if crate::reach::in_line(from, to) => cannon(occupied, from, to),
        Role::Cannon => Breach::NotItsStep,
        Role::Soldier => soldier(side, from, to),
    })
}

/// The distance of a move in files and ranks.
fn distance(from: Point, to: Point) -> (u8, u8) {
    (from.file().abs_diff(to.file()), from.rank().abs_diff(to.rank()))
}

fn leaves_palace(piece: Piece, from: Point, to: Point) -> Breach {
    let one_step = match distance(from, to) {
        (0, 1) | (1, 0) => piece.role == Role::King,
        (1, 1) => piece.role == Role::Advisor,
        _ => false,
    };
    if one_step { Breach::LeavesPalace } else { Breach::NotItsStep }
}

fn elephant(side: Side, from: Point, to: Point) -> Breach {
    match distance(from, to) {
        (2, 2) if to.crossed_river(side) => Breach::ElephantCrossesRiver,
        (2, 2) => Breach::ElephantEyeBlocked,
        _ => Breach::NotItsStep,
    }
}

fn cannon(occupied: Points, from: Point, to: Point) -> Breach {
    let captures = occupied.contains(to);
    match (captures, (between(from, to) & occupied).len()) {
        (false, _) => Breach::PathBlocked,
        (true, 0) => Breach::CannonNeedsScreen,
        (true, _) => Breach::CannonTooManyScreens,
    }
}

fn soldier(side: Side, from: Point, to: Point) -> Breach {
    match distance(from, to) {
        (1, 0) => Breach::SidewaysBeforeRiver,
        (0, _) if to.depth(side) < from.depth(side) => Breach::SoldierBackwards,
        _ => Breach::NotItsStep,
    }
}

#[cfg(test)]
mod tests {
    use crate::{Breach, Exposure, Illegal, Position};

    /// What is wrong with the moves of a position; `None` = nothing.
    fn judge<const N: usize>(fen: &str, cases: [(&str, Option<Illegal>); N]) {
        let position = Position::from_fen(fen).unwrap();
        for (mv, expected) in cases {
            let verdict = position.legality(mv.parse().unwrap());
            assert_eq!(verdict.err(), expected, "{mv} in {fen}");
        }
    }

    const fn breaks(breach: Breach) -> Option<Illegal> {
        Some(Illegal::Breaks(breach))
    }

    const fn exposes(exposure: Exposure) -> Option<Illegal> {
        Some(Illegal::ExposesGeneral(exposure))
    }

    const START: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w";

    #[test]
    fn one_moves_a_piece_of_ones_own_to_another_point() {
        judge(
            START,
            [
                ("e5e6", breaks(Breach::NoPiece)),
                ("h7h6", breaks(Breach::OpponentsPiece)),
                ("h2h2", breaks(Breach::NotMoved)),
                ("a0b0", breaks(Breach::OwnPieceOnTarget)),
                ("h2e2", None),
            ],
        );
    }

    #[test]
    fn the_horse_needs_its_leg_free() {
        judge(
            START,
            [("b0c2", None), ("b0d1", breaks(Breach::HorseLegBlocked)), ("b0b1", breaks(Breach::NotItsStep))],
        );
    }

    #[test]
    fn the_elephant_needs_its_eye_free_and_stays_at_home() {
        judge(
            "4k4/9/9/9/9/2B6/9/4B4/3p5/5K3 w",
            [
                ("c4a6", breaks(Breach::ElephantCrossesRiver)),
                ("e2c0", breaks(Breach::ElephantEyeBlocked)),
                ("e2g0", None),
                ("e2e3", breaks(Breach::NotItsStep)),
            ],
        );
    }

    #[test]
    fn general_and_advisors_stay_in_the_palace() {
        judge(
            "5k3/9/9/9/9/9/9/5A3/4K4/3A5 w",
            [
                ("f2g3", breaks(Breach::LeavesPalace)),
                ("f2f1", breaks(Breach::NotItsStep)),
                ("e1d1", None),
                ("e1d2", breaks(Breach::NotItsStep)),
            ],
        );
        judge(
            "3k5/9/9/9/9/9/9/5K3/9/9 w",
            [("f2g2", breaks(Breach::LeavesPalace)), ("f2f3", breaks(Breach::LeavesPalace))],
        );
    }

    #[test]
    fn the_soldier_never_retreats_and_goes_sideways_only_across_the_river() {
        judge(
            "3k5/9/9/9/4P4/9/P8/9/9/5K3 w",
            [
                ("a3b3", breaks(Breach::SidewaysBeforeRiver)),
                ("a3a2", breaks(Breach::SoldierBackwards)),
                ("a3a5", breaks(Breach::NotItsStep)),
                ("e5d5", None),
                ("e5e4", breaks(Breach::SoldierBackwards)),
                ("e5e3", breaks(Breach::SoldierBackwards)),
            ],
        );
    }

    #[test]
    fn the_chariot_needs_a_free_path_and_the_cannon_one_screen_to_capture() {
        judge(
            "3k5/r8/n8/9/9/9/C1p5R/9/n8/5K3 w",
            [
                ("i3b3", breaks(Breach::PathBlocked)),
                ("i3c3", None),
                ("i3h4", breaks(Breach::NotItsStep)),
                ("a3a7", breaks(Breach::CannonNeedsScreen)),
                ("a3a8", None),
                ("a3d3", breaks(Breach::PathBlocked)),
                ("a3b4", breaks(Breach::NotItsStep)),
            ],
        );
        judge("3k5/r8/n8/p8/9/9/C8/9/9/5K3 w", [("a3a8", breaks(Breach::CannonTooManyScreens))]);
    }

    #[test]
    fn a_move_that_keeps_the_rules_may_still_give_up_the_general() {
        let unanswered = exposes(Exposure::CheckUnanswered);
        judge("3k5/9/9/9/9/4r4/9/9/9/C3K4 w", [("a0b0", unanswered), ("e0e1", unanswered), ("e0f0", None)]);
        let into_check = exposes(Exposure::IntoCheck);
        judge(
            "3k5/9/9/9/5r3/9/9/9/9/4K4 w",
            [("e0f0", into_check), ("e0d0", exposes(Exposure::GeneralsFacing))],
        );
        judge("3k5/9/9/9/4r4/9/4C4/9/9/4K4 w", [("e3a3", into_check), ("e3e4", None)]);
        judge("4k4/9/9/9/9/9/4C4/9/9/4K4 w", [("e3a3", exposes(Exposure::GeneralsFacing)), ("e3e8", None)]);
    }
}
