//! An arrangement that anybody may edit, and what can be wrong with it.

use core::fmt;

use thiserror::Error;

use crate::{Board, Piece, Point, Position, Role, Side};

/// A board, the side to move and the counters: freely editable data.
/// [`Position::from_setup`] says whether a game can stand like this.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Setup {
    /// What stands where.
    pub board: Board,
    /// Whose turn it is.
    pub side_to_move: Side,
    /// Plies (half rounds) since the last capture.
    pub plies_since_capture: u32,
    /// The number of the round (回合), counted from 1.
    pub move_number: u32,
}

impl Setup {
    /// The beginning of a game.
    #[must_use]
    pub const fn start() -> Setup {
        Setup { board: Board::START, side_to_move: Side::Red, plies_since_capture: 0, move_number: 1 }
    }

    /// An empty board, Red to move.
    #[must_use]
    pub const fn empty() -> Setup {
        Setup { board: Board::empty(), side_to_move: Side::Red, plies_since_capture: 0, move_number: 1 }
    }

    /// Everything that is wrong with it.
    #[must_use]
    pub fn defects(&self) -> Defects {
        let mut defects = Defects::NONE;
        for side in Side::ALL {
            if self.board.king(side).is_none() {
                defects.add(Defect::NoGeneral);
            }
            if Role::ALL.iter().any(|&role| self.board.of(side, role).len() > role.in_a_set()) {
                defects.add(Defect::TooManyPieces);
            }
        }
        for (point, piece) in self.board.pieces() {
            if !can_stand(piece, point) {
                defects.add(Defect::ImpossiblePoint);
            }
        }
        let waiting = self.side_to_move.opposite();
        if let Some(king) = self.board.king(waiting) {
            let attackers = crate::attack::attackers(&self.board, king, self.side_to_move);
            for attacker in attackers {
                if self.board.king(self.side_to_move) == Some(attacker) {
                    defects.add(Defect::GeneralsFacing);
                } else {
                    defects.add(Defect::WaitingSideInCheck);
                }
            }
        }
        defects
    }
}

impl Default for Setup {
    fn default() -> Setup {
        Setup::start()
    }
}

/// Whether the piece is at home on this point.
fn can_stand(piece: Piece, point: Point) -> bool {
    let Piece { side, role } = piece;
    let (file, depth) = (point.file(), point.depth(side));
    match role {
        Role::King => point.in_palace(side),
        Role::Advisor => point.in_palace(side) && (file + depth) % 2 == 1,
        Role::Elephant => !point.crossed_river(side) && depth % 2 == 0 && (file + depth) % 4 == 2,
        // No game brings a soldier behind its first rank either, but rule books
        // print figures where one stands there (WXF 2018, diagram 76).
        Role::Horse | Role::Chariot | Role::Cannon | Role::Soldier => true,
    }
}

/// One thing that is wrong with a [`Setup`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Defect {
    /// A side has more of a piece than a set has. The one defect that cannot
    /// be forgiven.
    TooManyPieces,
    /// A side has no general.
    NoGeneral,
    /// A piece stands where it can never come to stand: a general or advisor
    /// off its palace points, an elephant off its seven points.
    ImpossiblePoint,
    /// The side that has just moved is in check.
    WaitingSideInCheck,
    /// The generals face each other (对面) on an open file.
    GeneralsFacing,
}

impl Defect {
    /// All of them.
    pub const ALL: [Defect; 5] = [
        Defect::TooManyPieces,
        Defect::NoGeneral,
        Defect::ImpossiblePoint,
        Defect::WaitingSideInCheck,
        Defect::GeneralsFacing,
    ];

    /// In Chinese, for arbiters.
    #[must_use]
    pub const fn zh(self) -> &'static str {
        match self {
            Defect::TooManyPieces => "棋子数目超出一副棋",
            Defect::NoGeneral => "缺少将（帅）",
            Defect::ImpossiblePoint => "有棋子处于不可能到达的位置",
            Defect::WaitingSideInCheck => "未轮到走棋的一方正被将军",
            Defect::GeneralsFacing => "将帅对面",
        }
    }

    /// In English.
    #[must_use]
    pub const fn en(self) -> &'static str {
        match self {
            Defect::TooManyPieces => "a side has more pieces of a kind than a set has",
            Defect::NoGeneral => "a side has no general",
            Defect::ImpossiblePoint => "a piece stands on a point that it can never reach",
            Defect::WaitingSideInCheck => "the side that is not to move is in check",
            Defect::GeneralsFacing => "the generals face each other",
        }
    }
}

/// A set of [`Defect`]s.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Defects(u8);

impl Defects {
    /// No defect.
    pub const NONE: Defects = Defects(0);

    /// Every defect that [`SetupError::forgive`] can waive.
    pub const FORGIVABLE: Defects = Defects(0b1_1111 & !(1 << Defect::TooManyPieces as u8));

    /// Adds one.
    pub const fn add(&mut self, defect: Defect) {
        self.0 |= 1 << defect as u8;
    }

    /// Whether `defect` is among them.
    #[must_use]
    pub const fn contains(self, defect: Defect) -> bool {
        self.0 >> defect as u8 & 1 != 0
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Those that are not among `waived`.
    #[must_use]
    pub const fn except(self, waived: Defects) -> Defects {
        Defects(self.0 & !waived.0)
    }

    /// One after the other.
    pub fn iter(self) -> impl Iterator<Item = Defect> {
        Defect::ALL.into_iter().filter(move |&defect| self.contains(defect))
    }
}

impl FromIterator<Defect> for Defects {
    fn from_iter<I: IntoIterator<Item = Defect>>(defects: I) -> Defects {
        defects.into_iter().fold(Defects::NONE, |mut all, defect| {
            all.add(defect);
            all
        })
    }
}

impl fmt::Display for Defects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, defect) in self.iter().enumerate() {
            if i > 0 {
                f.write_str("; ")?;
            }
            f.write_str(defect.en())?;
        }
        Ok(())
    }
}

impl fmt::Debug for Defects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// A [`Setup`] that no game can come to, with all that is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("no game can stand like this: {defects}")]
pub struct SetupError {
    /// The arrangement as it was given.
    pub setup: Box<Setup>,
    /// What is wrong with it.
    pub defects: Defects,
}

impl SetupError {
    /// The position all the same, if its only defects are among `waived`
    /// (an arbiter's override names what it overlooks).
    ///
    /// # Errors
    /// The error again, with the defects that remain.
    pub fn forgive(self, waived: Defects) -> Result<Position, SetupError> {
        let waivable = Defects(waived.0 & Defects::FORGIVABLE.0);
        let defects = self.defects.except(waivable);
        if defects.is_empty() {
            Ok(Position::of(*self.setup))
        } else {
            Err(SetupError { setup: self.setup, defects })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn defects(fen: &str) -> Vec<Defect> {
        Setup::from_fen(fen).unwrap().defects().iter().collect()
    }

    #[test]
    fn each_defect_has_its_name() {
        assert_eq!(defects("3k5/9/9/9/9/9/9/9/9/4K4 w"), []);
        assert_eq!(defects("3k5/9/9/9/RRR6/9/9/9/9/4K4 w"), [Defect::TooManyPieces]);
        assert_eq!(defects("3kk4/9/9/9/9/9/9/9/9/5K3 w"), [Defect::TooManyPieces]);
        assert_eq!(defects("9/9/9/9/9/9/9/9/9/4K4 w"), [Defect::NoGeneral]);
        assert_eq!(defects("3k5/9/9/9/4R4/9/9/9/9/4K4 w"), []);
        assert_eq!(defects("3k5/9/9/9/3R5/9/9/9/9/4K4 w"), [Defect::WaitingSideInCheck]);
        assert_eq!(defects("3k5/9/9/9/3R5/9/9/9/9/4K4 b"), [], "the side to move may be in check");
        assert_eq!(defects("4k4/9/9/9/9/9/9/9/9/4K4 w"), [Defect::GeneralsFacing]);
        for astray in ["9/9/9/9/9/9/9/9/4A4/K8", "9/9/9/9/9/9/9/9/3A5/4K4", "9/9/9/4B4/9/9/9/9/9/4K4"] {
            assert_eq!(defects(&format!("3k5/{} w", &astray[2..])), [Defect::ImpossiblePoint], "{astray}");
        }
        assert_eq!(defects("3k5/9/9/9/9/9/9/P8/9/4K4 w"), [], "as rule books have it");
    }

    #[test]
    fn seven_points_for_elephants_and_five_for_advisors() {
        for side in Side::ALL {
            let points =
                |role| Point::ALL.into_iter().filter(|&point| can_stand(Piece { side, role }, point)).count();
            assert_eq!(points(Role::King), 9);
            assert_eq!(points(Role::Advisor), 5);
            assert_eq!(points(Role::Elephant), 7);
        }
    }

    #[test]
    fn a_named_defect_is_forgiven_but_not_a_piece_too_many() {
        let facing = Position::from_setup(Setup::from_fen("4k4/9/9/9/9/9/9/9/9/4K4 w").unwrap()).unwrap_err();
        let other = Defects::from_iter([Defect::NoGeneral]);
        let still = facing.clone().forgive(other).unwrap_err();
        assert_eq!(still.defects.iter().collect::<Vec<_>>(), [Defect::GeneralsFacing]);
        let position = facing.forgive(Defects::from_iter([Defect::GeneralsFacing])).unwrap();
        assert!(position.defects().contains(Defect::GeneralsFacing));

        let crowded =
            Position::from_setup(Setup::from_fen("3k5/9/9/9/RRR6/9/9/9/9/4K4 w").unwrap()).unwrap_err();
        assert!(crowded.forgive(Defect::ALL.into_iter().collect()).is_err());
    }
}
