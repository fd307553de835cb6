//! How the pieces move: where each can go, whatever stands there. The rules on
//! the own general are not here.

use crate::{Piece, Point, Points, Role, Side, line};

/// The points that `piece` on `from` may go to on a board with these points
/// `occupied`, as though everything on the target were the opponent's.
#[inline]
pub(crate) fn reach(piece: Piece, from: Point, occupied: Points) -> Points {
    let Piece { side, role } = piece;
    match role {
        Role::King => KING[side.index()][from.index()],
        Role::Advisor => ADVISOR[side.index()][from.index()],
        Role::Elephant => leap(&ELEPHANT[side.index()][from.index()], occupied),
        Role::Horse => leap(&HORSE[from.index()], occupied),
        Role::Chariot => line::chariot(from, occupied),
        Role::Cannon => line::cannon(from, occupied),
        Role::Soldier => SOLDIER[side.index()][from.index()],
    }
}

/// One way for a horse or an elephant to leap.
#[derive(Clone, Copy)]
struct Leap {
    /// The horse's leg or the elephant's eye, which must be free.
    over: Points,
    /// Where it leads; nowhere if that is off the board or forbidden.
    to: Points,
}

#[inline]
fn leap(ways: &[Leap; 4], occupied: Points) -> Points {
    ways.iter().fold(
        Points::EMPTY,
        |reach, way| {
            if (way.over & occupied).is_empty() { reach | way.to } else { reach }
        },
    )
}

type Way = (i8, i8);
const LINES: [Way; 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
const DIAGONALS: [Way; 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];

/// The neighbours of each point along its file and rank.
pub(crate) static BESIDE: [Points; Point::COUNT] = steps(LINES);
/// The neighbours of each point along its diagonals.
pub(crate) static DIAGONAL: [Points; Point::COUNT] = steps(DIAGONALS);
/// The points from which a horse may attack each point, its leg permitting.
pub(crate) static HORSE_RING: [Points; Point::COUNT] = {
    let mut ring = [Points::EMPTY; Point::COUNT];
    let mut i = 0;
    while i < Point::COUNT {
        let mut way = 0;
        while way < 4 {
            ring[i] = ring[i].union(HORSE[i][way].to);
            way += 1;
        }
        i += 1;
    }
    ring
};
/// The other points of each point's file and rank.
pub(crate) static CROSS: [Points; Point::COUNT] = {
    let mut cross = [Points::EMPTY; Point::COUNT];
    let mut i = 0;
    while i < Point::COUNT {
        let mut way = 0;
        while way < 4 {
            cross[i] = cross[i].union(ray(Point::ALL[i], LINES[way]));
            way += 1;
        }
        i += 1;
    }
    cross
};
/// The points from which a soldier of each side attacks each point.
pub(crate) static SOLDIER_RING: [[Points; Point::COUNT]; 2] = {
    let mut ring = [[Points::EMPTY; Point::COUNT]; 2];
    let mut i = 0;
    while i < 2 * Point::COUNT {
        let (side, from) = (i / Point::COUNT, i % Point::COUNT);
        let mut to = 0;
        while to < Point::COUNT {
            if SOLDIER[side][from].contains(Point::ALL[to]) {
                ring[side][to] = ring[side][to].with(Point::ALL[from]);
            }
            to += 1;
        }
        i += 1;
    }
    ring
};

static KING: [[Points; Point::COUNT]; 2] = within_palace(&BESIDE);
static ADVISOR: [[Points; Point::COUNT]; 2] = within_palace(&DIAGONAL);
static SOLDIER: [[Points; Point::COUNT]; 2] = {
    let mut table = [[Points::EMPTY; Point::COUNT]; 2];
    let mut i = 0;
    while i < Point::COUNT {
        let from = Point::ALL[i];
        table[Side::Red.index()][i] = soldier(Side::Red, from);
        table[Side::Black.index()][i] = soldier(Side::Black, from);
        i += 1;
    }
    table
};
static ELEPHANT: [[[Leap; 4]; Point::COUNT]; 2] = [elephant(Side::Red), elephant(Side::Black)];
static HORSE: [[Leap; 4]; Point::COUNT] = {
    let mut table = [[Leap { over: Points::EMPTY, to: Points::EMPTY }; 4]; Point::COUNT];
    let mut i = 0;
    while i < 4 * Point::COUNT {
        let (from, (files, ranks)) = (Point::ALL[i / 4], LINES[i % 4]);
        table[i / 4][i % 4] = Leap {
            over: at(from, (files, ranks)),
            to: at(from, (2 * files + ranks, 2 * ranks + files))
                .union(at(from, (2 * files - ranks, 2 * ranks - files))),
        };
        i += 1;
    }
    table
};

/// The point that lies this way, if it is on the board.
const fn at(from: Point, (files, ranks): Way) -> Points {
    match from.offset(files, ranks) {
        Some(point) => Points::only(point),
        None => Points::EMPTY,
    }
}

/// All points that lie this way.
const fn ray(from: Point, (files, ranks): Way) -> Points {
    let mut points = Points::EMPTY;
    let mut next = from.offset(files, ranks);
    while let Some(point) = next {
        points = points.with(point);
        next = point.offset(files, ranks);
    }
    points
}

const fn steps(ways: [Way; 4]) -> [Points; Point::COUNT] {
    let mut table = [Points::EMPTY; Point::COUNT];
    let mut i = 0;
    while i < 4 * Point::COUNT {
        table[i / 4] = table[i / 4].union(at(Point::ALL[i / 4], ways[i % 4]));
        i += 1;
    }
    table
}

const fn within_palace(steps: &[Points; Point::COUNT]) -> [[Points; Point::COUNT]; 2] {
    let mut table = [[Points::EMPTY; Point::COUNT]; 2];
    let mut i = 0;
    while i < Point::COUNT {
        table[Side::Red.index()][i] = steps[i].intersection(palace(Side::Red));
        table[Side::Black.index()][i] = steps[i].intersection(palace(Side::Black));
        i += 1;
    }
    table
}

const fn palace(side: Side) -> Points {
    let mut palace = Points::EMPTY;
    let mut i = 0;
    while i < Point::COUNT {
        if Point::ALL[i].in_palace(side) {
            palace = palace.with(Point::ALL[i]);
        }
        i += 1;
    }
    palace
}

const fn soldier(side: Side, from: Point) -> Points {
    let ahead = match side {
        Side::Red => at(from, (0, 1)),
        Side::Black => at(from, (0, -1)),
    };
    if from.crossed_river(side) { ahead.union(at(from, (-1, 0))).union(at(from, (1, 0))) } else { ahead }
}

const fn elephant(side: Side) -> [[Leap; 4]; Point::COUNT] {
    let mut table = [[Leap { over: Points::EMPTY, to: Points::EMPTY }; 4]; Point::COUNT];
    let mut i = 0;
    while i < 4 * Point::COUNT {
        let (from, (files, ranks)) = (Point::ALL[i / 4], DIAGONALS[i % 4]);
        if let Some(to) = from.offset(2 * files, 2 * ranks)
            && !to.crossed_river(side)
        {
            table[i / 4][i % 4] = Leap { over: at(from, (files, ranks)), to: Points::only(to) };
        }
        i += 1;
    }
    table
}

/// The points strictly between two points of one line; none if they share no line.
#[inline]
pub(crate) fn between(a: Point, b: Point) -> Points {
    BETWEEN[a.index()][b.index()]
}

static BETWEEN: [[Points; Point::COUNT]; Point::COUNT] = {
    let mut table = [[Points::EMPTY; Point::COUNT]; Point::COUNT];
    let mut i = 0;
    while i < 4 * Point::COUNT {
        let (from, (files, ranks)) = (Point::ALL[i / 4], LINES[i % 4]);
        let mut passed = Points::EMPTY;
        let mut next = from.offset(files, ranks);
        while let Some(point) = next {
            table[from.index()][point.index()] = passed;
            passed = passed.with(point);
            next = point.offset(files, ranks);
        }
        i += 1;
    }
    table
};

/// The leg of a horse on `from` that would leap to `to`, two points of its ring apart.
#[inline]
pub(crate) fn horse_leg(from: Point, to: Point) -> Points {
    HORSE[from.index()].iter().fold(
        Points::EMPTY,
        |leg, way| {
            if way.to.contains(to) { leg | way.over } else { leg }
        },
    )
}

/// Whether two points share a file or a rank.
pub(crate) const fn in_line(a: Point, b: Point) -> bool {
    a.file() == b.file() || a.rank() == b.rank()
}
