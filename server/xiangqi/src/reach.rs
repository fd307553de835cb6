//! How the pieces move: where each can go and what it attacks, whatever stands
//! there. The rules on the own general are not here.

use crate::{Piece, Point, Points, Role, Side};

const LINES: [(i8, i8); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
const DIAGONALS: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];

/// The points that `piece` on `from` may go to on a board with these points
/// `occupied`, as though everything on the target were the opponent's.
pub(crate) fn reach(piece: Piece, from: Point, occupied: Points) -> Points {
    let Piece { side, role } = piece;
    let step = |(files, ranks): (i8, i8)| from.offset(files, ranks);
    match role {
        Role::King => LINES.into_iter().filter_map(step).filter(|to| to.in_palace(side)).collect(),
        Role::Advisor => DIAGONALS.into_iter().filter_map(step).filter(|to| to.in_palace(side)).collect(),
        Role::Elephant => DIAGONALS
            .into_iter()
            .filter(|&eye| step(eye).is_some_and(|eye| !occupied.contains(eye)))
            .filter_map(|(files, ranks)| from.offset(2 * files, 2 * ranks))
            .filter(|to| !to.crossed_river(side))
            .collect(),
        Role::Horse => LINES
            .into_iter()
            .filter(|&leg| step(leg).is_some_and(|leg| !occupied.contains(leg)))
            .flat_map(|(files, ranks)| {
                [(2 * files + ranks, 2 * ranks + files), (2 * files - ranks, 2 * ranks - files)]
            })
            .filter_map(step)
            .collect(),
        Role::Chariot => {
            let mut reach = Points::EMPTY;
            for line in LINES {
                for to in ray(from, line) {
                    reach = reach.with(to);
                    if occupied.contains(to) {
                        break;
                    }
                }
            }
            reach
        }
        Role::Cannon => {
            let mut reach = Points::EMPTY;
            for line in LINES {
                let mut points = ray(from, line);
                for to in points.by_ref() {
                    if occupied.contains(to) {
                        break;
                    }
                    reach = reach.with(to);
                }
                if let Some(target) = points.find(|&to| occupied.contains(to)) {
                    reach = reach.with(target);
                }
            }
            reach
        }
        Role::Soldier => {
            let ahead = match side {
                Side::Red => (0, 1),
                Side::Black => (0, -1),
            };
            [ahead, (-1, 0), (1, 0)]
                .into_iter()
                .filter(|&way| way == ahead || from.crossed_river(side))
                .filter_map(step)
                .collect()
        }
    }
}

fn ray(from: Point, (files, ranks): (i8, i8)) -> impl Iterator<Item = Point> {
    core::iter::successors(from.offset(files, ranks), move |point| point.offset(files, ranks))
}

/// The points strictly between two points of one line; none if they share no line.
pub(crate) fn between(a: Point, b: Point) -> Points {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    let way = if low.rank() == high.rank() {
        (1, 0)
    } else if low.file() == high.file() {
        (0, 1)
    } else {
        return Points::EMPTY;
    };
    ray(low, way).take_while(|&point| point != high).collect()
}

/// Whether two points share a file or a rank.
pub(crate) const fn in_line(a: Point, b: Point) -> bool {
    a.file() == b.file() || a.rank() == b.rank()
}
