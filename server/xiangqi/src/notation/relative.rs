//! What Chinese and WXF notation share: a move told from the mover's seat.
//!
//! Which piece (by its file, or by its place among its like on one file), in
//! which direction, and a number: the target file of a piece that goes sideways
//! or slanting, the count of points of one that goes straight.

use super::{NotationError, legal};
use crate::{Move, Piece, Point, Points, Position, Role, Side};

/// A move as these notations tell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Phrase {
    pub role: Role,
    pub which: Which,
    pub action: Action,
    /// The target file, 1 to 9 from the mover's right, or a count of points.
    pub number: u8,
}

/// Which of the pieces of a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// The one on this file.
    OnFile(u8),
    /// The one at this place among those that share a file.
    At(Place),
    /// The one at this place on this file, which several share.
    AtOnFile(Place, u8),
    /// The one at this place on whichever file several share.
    AtOnSomeFile(Place),
}

/// A place among pieces of one role on one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// 前: nearest the enemy.
    Front,
    /// 中: the middle one.
    Middle,
    /// 后: the last.
    Rear,
    /// The nth, from 1, front to back; without a file counted on through all
    /// the files that hold several, the mover's right one first.
    Nth(u8),
}

/// The direction of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// 进.
    Advance,
    /// 退.
    Retreat,
    /// 平.
    Traverse,
}

/// The pieces of one role that share a file, front to back.
pub(super) struct Tandem {
    /// The file, 1 to 9 from the mover's right.
    pub file: u8,
    pub points: Vec<Point>,
}

impl Tandem {
    fn at(&self, place: Place) -> Option<Point> {
        let points = &self.points;
        match place {
            Place::Front => points.first(),
            Place::Middle if points.len() % 2 == 1 => points.get(points.len() / 2),
            Place::Middle => None,
            Place::Rear => points.last(),
            Place::Nth(nth) => points.get(usize::from(nth).checked_sub(1)?),
        }
        .copied()
    }
}

/// The files on which `side` has several pieces of `role`, its right one first.
pub(super) fn tandems(position: &Position, side: Side, role: Role) -> Vec<Tandem> {
    let pieces = position.board().of(side, role);
    (1..=9)
        .map(|file| {
            let mut points: Vec<Point> = on_file(pieces, side, file).collect();
            points.sort_by_key(|point| core::cmp::Reverse(point.depth(side)));
            Tandem { file, points }
        })
        .filter(|tandem| tandem.points.len() > 1)
        .collect()
}

fn on_file(pieces: Points, side: Side, file: u8) -> impl Iterator<Item = Point> {
    pieces.into_iter().filter(move |point| point.file_number(side) == file)
}

/// Whether the number after 进 or 退 counts points; otherwise it is a file.
const fn goes_straight(role: Role) -> bool {
    match role {
        Role::King | Role::Chariot | Role::Cannon | Role::Soldier => true,
        Role::Advisor | Role::Elephant | Role::Horse => false,
    }
}

/// The direction and the number of a move of `piece`, if there are words for it.
pub(super) fn action(piece: Piece, mv: Move) -> Option<(Action, u8)> {
    let Piece { side, role } = piece;
    let (from, to) = (mv.from.depth(side), mv.to.depth(side));
    let same_file = mv.from.file() == mv.to.file();
    let action = match to.cmp(&from) {
        core::cmp::Ordering::Greater => Action::Advance,
        core::cmp::Ordering::Less => Action::Retreat,
        core::cmp::Ordering::Equal => Action::Traverse,
    };
    match (action, goes_straight(role), same_file) {
        (Action::Traverse, true, false) => Some((action, mv.to.file_number(side))),
        (Action::Advance | Action::Retreat, true, true) => Some((action, to.abs_diff(from))),
        (Action::Advance | Action::Retreat, false, false) => Some((action, mv.to.file_number(side))),
        (Action::Traverse, _, _) | (Action::Advance | Action::Retreat, _, _) => None,
    }
}

/// Where an action leads the piece on `from`, rightly or not; `None` if it
/// cannot be meant or leads off the board.
fn target(piece: Piece, from: Point, action: Action, number: u8) -> Option<Point> {
    let Piece { side, role } = piece;
    let ahead = match action {
        Action::Advance => 1,
        Action::Retreat => -1,
        Action::Traverse => 0,
    };
    // Files are numbered from the mover's right, so `across` grows to it.
    let across = from.file_number(side) as i8 - number as i8;
    let (files, ranks) = match (role, across.abs()) {
        (Role::King | Role::Chariot | Role::Cannon | Role::Soldier, _) => match action {
            Action::Advance | Action::Retreat => (0, number as i8),
            Action::Traverse => (across, 0),
        },
        (Role::Advisor, 1) => (across, 1),
        (Role::Elephant, 2) => (across, 2),
        (Role::Horse, 1) => (across, 2),
        (Role::Horse, 2) => (across, 1),
        (Role::Advisor | Role::Elephant | Role::Horse, _) => return None,
    };
    match side {
        Side::Red => from.offset(files, ahead * ranks),
        Side::Black => from.offset(-files, -ahead * ranks),
    }
}

/// The points of departure that `which` can mean, by geometry alone.
fn departures(position: &Position, side: Side, role: Role, which: Which) -> Points {
    let tandems = tandems(position, side, role);
    let on_each = |place| tandems.iter().filter_map(move |tandem| tandem.at(place));
    match which {
        Which::OnFile(file) => on_file(position.board().of(side, role), side, file).collect(),
        Which::At(Place::Nth(nth)) => {
            let mut counted = tandems.iter().flat_map(|tandem| &tandem.points).copied();
            usize::from(nth).checked_sub(1).and_then(|n| counted.nth(n)).into_iter().collect()
        }
        Which::At(place) | Which::AtOnSomeFile(place) => on_each(place).collect(),
        Which::AtOnFile(place, file) => {
            on_each(place).filter(|point| point.file_number(side) == file).collect()
        }
    }
}

/// The legal move that a text describes whose readings, the likelier first,
/// are these: the first reading under which a move is legal is meant.
pub(super) fn resolve(position: &Position, text: &str, readings: &[Phrase]) -> Result<Move, NotationError> {
    let side = position.side_to_move();
    let mut described = Vec::new();
    for &Phrase { role, which, action, number } in readings {
        let piece = Piece { side, role };
        let moves: Vec<Move> = departures(position, side, role, which)
            .into_iter()
            .filter_map(|from| Some(Move { from, to: target(piece, from, action, number)? }))
            .collect();
        let legal_moves: Vec<Move> = moves.iter().copied().filter(|&mv| position.is_legal(mv)).collect();
        match legal_moves[..] {
            [] => described.extend(moves),
            [mv] => return Ok(mv),
            [_, _, ..] => {
                return Err(NotationError::Ambiguous { text: text.to_owned(), moves: legal_moves });
            }
        }
    }
    described.dedup();
    match described[..] {
        [mv] => legal(position, text, mv),
        _ => Err(NotationError::NoSuchMove { text: text.to_owned() }),
    }
}
