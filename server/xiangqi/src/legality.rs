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
