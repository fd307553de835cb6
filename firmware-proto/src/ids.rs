//! Names and numbers of the wire: who speaks, since when, what number, which half, which point.

use core::fmt;
use core::str::FromStr;

use serde::{Deserialize, Serialize};

macro_rules! number {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub $inner);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

/// A device's number, burnt in for life: the identity of a board or a clock, whatever port it hangs on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DeviceUid(pub u64);

impl fmt::Display for DeviceUid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// A text is no device's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a device's number is 1 to 16 hexadecimal digits, as printed on it")]
pub struct NoDeviceUid;

impl FromStr for DeviceUid {
    type Err = NoDeviceUid;

    fn from_str(text: &str) -> Result<DeviceUid, NoDeviceUid> {
        let digits = (1..=16).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        u64::from_str_radix(text, 16).ok().filter(|_| digits).map(DeviceUid).ok_or(NoDeviceUid)
    }
}

number! {
    /// Counts a device's starts: record numbers begin again at 1 with each.
    BootId(u32)
}
number! {
    /// The number of a record since the device started: 1, 2, 3 … without a gap.
    Seq(u32)
}
number! {
    /// Milliseconds; of a device's records: since the device started.
    Millis(u32)
}
number! {
    /// The number of a command. A device remembers its last ones: a repeated command acts once.
    CmdId(u32)
}

impl Millis {
    /// No time.
    pub const ZERO: Millis = Millis(0);

    /// Milliseconds from `earlier` to here. Instants wrap after 49.7 days of uptime; so does this, correctly.
    #[must_use]
    pub const fn since(self, earlier: Millis) -> Millis {
        Millis(self.0.wrapping_sub(earlier.0))
    }

    /// So much later.
    #[must_use]
    pub const fn plus(self, span: Millis) -> Millis {
        Millis(self.0.wrapping_add(span.0))
    }

    /// Whether this instant is at or after `deadline`. Holds for instants less than 24 days apart.
    #[must_use]
    pub const fn reached(self, deadline: Millis) -> bool {
        self.0.wrapping_sub(deadline.0) < 1 << 31
    }

    /// The earlier of two deadlines.
    #[must_use]
    pub const fn earlier(self, other: Millis) -> Millis {
        if other.reached(self) { self } else { other }
    }
}

impl Seq {
    /// The first record of a start.
    pub const FIRST: Seq = Seq(1);
}

/// One of the two long halves of a table, as its devices see it. Half A is the one with cells 0..45 of the
/// board and with the clock's left lever. Which half plays Red is the table's binding, not the device's matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Half {
    /// Cells 0..45, the clock's left lever.
    A,
    /// Cells 45..90, the clock's right lever.
    B,
}

impl Half {
    /// Both, in order.
    pub const ALL: [Half; 2] = [Half::A, Half::B];

    /// The other half.
    #[must_use]
    pub const fn other(self) -> Half {
        match self {
            Half::A => Half::B,
            Half::B => Half::A,
        }
    }
}

/// One value for each half.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ByHalf<T> {
    /// Of half A.
    pub a: T,
    /// Of half B.
    pub b: T,
}

impl<T> core::ops::Index<Half> for ByHalf<T> {
    type Output = T;
    fn index(&self, half: Half) -> &T {
        match half {
            Half::A => &self.a,
            Half::B => &self.b,
        }
    }
}

impl<T> core::ops::IndexMut<Half> for ByHalf<T> {
    fn index_mut(&mut self, half: Half) -> &mut T {
        match half {
            Half::A => &mut self.a,
            Half::B => &mut self.b,
        }
    }
}

/// A sensing point by its wiring: row by row of nine, from half A's edge; in a row from A's left hand.
/// Cells are 0..90; a value outside cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct Cell(u8);

impl Cell {
    /// How many a board has.
    pub const COUNT: usize = 90;

    /// The cell with this number, if there is one.
    #[must_use]
    pub const fn new(index: u8) -> Option<Cell> {
        if (index as usize) < Self::COUNT { Some(Cell(index)) } else { None }
    }

    /// Its number, 0..90.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// All, in order.
    pub fn all() -> impl DoubleEndedIterator<Item = Cell> + ExactSizeIterator {
        (0..Self::COUNT as u8).map(Cell)
    }
}

impl From<Cell> for u8 {
    fn from(cell: Cell) -> u8 {
        cell.0
    }
}

impl TryFrom<u8> for Cell {
    type Error = &'static str;
    fn try_from(index: u8) -> Result<Cell, Self::Error> {
        Cell::new(index).ok_or("a board has cells 0 to 89")
    }
}
