//! What a table's devices did, in the terms of the game: points instead of cells, sides instead of halves.

use firmware_proto::{
    Body, Cell, ClockFace, Epoch, Half, HealthFault, Image, Millis, Observation, PlayerSignal, Reading,
    SensingKind, Sighting,
};
use xiangqi::{BySide, Point, Side};

/// Who sits where: which half of the devices plays Red. The only place where device coordinates are mapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seating {
    /// The half that plays Red.
    pub red: Half,
}

/// Both sides' time left.
pub type Times = BySide<Millis>;

/// One thing that a table's devices did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// When, in venue time.
    pub at: Epoch,
    /// What.
    pub what: What,
}

/// The readings of all points at one instant, in the terms of the board's kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Readings {
    /// In whose terms.
    pub kind: SensingKind,
    /// By [`Point::index`].
    pub points: [Reading; 90],
}

/// What a table's devices can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// The board is there (again); its image follows.
    BoardUp(SensingKind),
    /// The board's link is down: changes may be missed until the next image.
    BoardDown,
    /// The clock is there (again).
    ClockUp,
    /// The clock's link is down.
    ClockDown,
    /// A point's reading changed.
    Changed(Point, Reading),
    /// The whole image.
    Image(Box<Readings>),
    /// A player pressed; both times after the press.
    Pressed(Side, Times),
    /// A side's time ran out; both times at that instant.
    Flagged(Side, Times),
    /// The clock was set, started or paused; whose time runs now.
    ClockSet(Times, Option<Side>),
    /// A player signalled on the clock's buttons.
    Signalled(Side, PlayerSignal),
    /// The board reports a fault of its own at a point, or of itself.
    Health(HealthFault, Option<Point>),
    /// Records were lost for good; the next image tells where things stand.
    Lost,
}

impl Seating {
    /// The side of a half.
    #[must_use]
    pub fn side(self, half: Half) -> Side {
        if half == self.red { Side::Red } else { Side::Black }
    }

    /// The half of a side.
    #[must_use]
    pub fn half(self, side: Side) -> Half {
        match side {
            Side::Red => self.red,
            Side::Black => self.red.other(),
        }
    }

    /// The point of a cell.
    #[must_use]
    pub fn point(self, cell: Cell) -> Point {
        let index = match self.red {
            Half::A => cell.index(),
            Half::B => Cell::COUNT - 1 - cell.index(),
        };
        Point::from_index(index).expect("cells and points are both 0..90")
    }

    /// The cell of a point.
    #[must_use]
    pub fn cell(self, point: Point) -> Cell {
        let index = match self.red {
            Half::A => point.index(),
            Half::B => Cell::COUNT - 1 - point.index(),
        };
        Cell::new(index as u8).expect("cells and points are both 0..90")
    }

    /// Both times of a face.
    #[must_use]
    pub fn times(self, face: ClockFace) -> Times {
        BySide { red: face.left[self.red], black: face.left[self.red.other()] }
    }

    /// An image, point by point.
    #[must_use]
    pub fn readings(self, image: &Image) -> Readings {
        let mut points = [Reading::EMPTY; 90];
        for cell in Cell::all() {
            points[self.point(cell).index()] = image.at(cell);
        }
        Readings { kind: image.kind(), points }
    }

    /// What an observation means at this table; `None` for what only the link cares for.
    #[must_use]
    pub fn see(self, observation: &Observation) -> Vec<Seen> {
        let one = |what| vec![Seen { at: observation.at, what }];
        match observation.sighting {
            Sighting::Attached(hello) => {
                let mut seen = Vec::new();
                if let Some(kind) = hello.capabilities.board {
                    seen.extend(one(What::BoardUp(kind)));
                }
                if hello.capabilities.clock {
                    seen.extend(one(What::ClockUp));
                }
                seen
            }
            // Which of the two went down is the caller's knowledge: it knows what hangs on which device.
            Sighting::Detached | Sighting::Done(_) => Vec::new(),
            Sighting::Gap { .. } => one(What::Lost),
            Sighting::Record(_, record) => match record.body {
                Body::Point(cell, reading) => one(What::Changed(self.point(cell), reading)),
                Body::Snapshot(image) => one(What::Image(Box::new(self.readings(&image)))),
                Body::Press(half, face) => one(What::Pressed(self.side(half), self.times(face))),
                Body::Flag(half, face) => one(What::Flagged(self.side(half), self.times(face))),
                Body::Clock(face) => {
                    one(What::ClockSet(self.times(face), face.running.map(|half| self.side(half))))
                }
                Body::Signal(half, signal) => one(What::Signalled(self.side(half), signal)),
                Body::Marker(_) => Vec::new(),
                Body::Health(fault) => {
                    let point = match fault {
                        HealthFault::DeadCell(cell)
                        | HealthFault::StuckCell(cell)
                        | HealthFault::WeakCell(cell, _)
                        | HealthFault::OffCentre(cell, _) => Some(self.point(cell)),
                        HealthFault::Overflow(_) | HealthFault::Supply(_) | HealthFault::Unkept(_) => None,
                    };
                    one(What::Health(fault, point))
                }
            },
        }
    }
}
