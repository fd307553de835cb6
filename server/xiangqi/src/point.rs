//! The ninety points of the board, and the two things printed on it: the river
//! and the palaces.

use core::fmt;
use core::str::FromStr;

use thiserror::Error;

use crate::Side;

/// How many files the board has (a to i).
pub const FILES: u8 = 9;
/// How many ranks the board has (0 to 9).
pub const RANKS: u8 = 10;

/// A point (交叉点) of the board: file a to i from Red's left, rank 0 to 9
/// from Red's side. Written `h2`.
///
/// ```
/// use xiangqi::Point;
/// let cannon: Point = "h2".parse()?;
/// assert_eq!((cannon.file(), cannon.rank()), (7, 2));
/// assert_eq!(cannon.rotated().to_string(), "b7");
/// # Ok::<(), xiangqi::ParsePointError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point(u8);

impl Point {
    /// How many points there are.
    pub const COUNT: usize = FILES as usize * RANKS as usize;

    /// All points, rank 0 first, each rank from Red's left to right.
    pub const ALL: [Point; Point::COUNT] = {
        let mut all = [Point(0); Point::COUNT];
        let mut i = 0;
        while i < Point::COUNT {
            all[i] = Point(i as u8);
            i += 1;
        }
        all
    };

    /// The point on `file` (0 = a … 8 = i) and `rank` (0 … 9), if there is one.
    #[must_use]
    pub const fn new(file: u8, rank: u8) -> Option<Point> {
        if file < FILES && rank < RANKS { Some(Point(rank * FILES + file)) } else { None }
    }

    /// The point of an [`index`](Point::index), if there is one.
    #[must_use]
    pub const fn from_index(index: usize) -> Option<Point> {
        if index < Point::COUNT { Some(Point(index as u8)) } else { None }
    }

    /// 0 = file a, Red's left … 8 = file i.
    #[must_use]
    pub const fn file(self) -> u8 {
        self.0 % FILES
    }

    /// 0 = Red's home rank … 9 = Black's.
    #[must_use]
    pub const fn rank(self) -> u8 {
        self.0 / FILES
    }

    /// rank × 9 + file: 0 … 89.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The same point seen from the other side of the table (turned by 180°).
    #[must_use]
    pub const fn rotated(self) -> Point {
        Point(Point::COUNT as u8 - 1 - self.0)
    }

    /// The point reflected left to right.
    #[must_use]
    pub const fn mirrored(self) -> Point {
        Point(self.rank() * FILES + FILES - 1 - self.file())
    }

    /// Whether it lies in the palace (九宫) of `side`.
    #[must_use]
    pub const fn in_palace(self, side: Side) -> bool {
        3 <= self.file() && self.file() <= 5 && self.depth(side) <= 2
    }

    /// Whether a piece of `side` standing here has crossed the river (过河).
    #[must_use]
    pub const fn crossed_river(self, side: Side) -> bool {
        self.depth(side) >= 5
    }

    /// How far it lies from the home rank of `side`: 0 … 9.
    #[must_use]
    pub const fn depth(self, side: Side) -> u8 {
        match side {
            Side::Red => self.rank(),
            Side::Black => RANKS - 1 - self.rank(),
        }
    }

    /// The number of its file counted from the right hand of `side`: 1 … 9,
    /// the number that Chinese and WXF notation write.
    #[must_use]
    pub const fn file_number(self, side: Side) -> u8 {
        match side {
            Side::Red => FILES - self.file(),
            Side::Black => self.file() + 1,
        }
    }

    /// The point `files` to Red's right and `ranks` away from Red, if it is
    /// on the board.
    #[must_use]
    pub const fn offset(self, files: i8, ranks: i8) -> Option<Point> {
        let file = self.file() as i8 + files;
        let rank = self.rank() as i8 + ranks;
        if file < 0 || rank < 0 { None } else { Point::new(file as u8, rank as u8) }
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", (b'a' + self.file()) as char, self.rank())
    }
}

impl fmt::Debug for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not a point of the board.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a point: a file a-i and a rank 0-9 were expected, as in `h2`")]
pub struct ParsePointError(pub(crate) String);

impl FromStr for Point {
    type Err = ParsePointError;

    /// Reads `h2`; an upper-case file is accepted.
    fn from_str(text: &str) -> Result<Point, ParsePointError> {
        let point = match *text.as_bytes() {
            [file, rank] => Point::new(file.to_ascii_lowercase().wrapping_sub(b'a'), rank.wrapping_sub(b'0')),
            _ => None,
        };
        point.ok_or_else(|| ParsePointError(text.to_owned()))
    }
}
