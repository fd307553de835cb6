//! How chariots and cannons see a line: one look-up for each rank and file.
//!
//! The points of a rank lie side by side in a set, nine bits. Those of a file
//! lie nine bits apart; a multiplication folds the five of one half of the
//! board together, and another spreads them out again, so that a file is ten
//! bits. These bits and the place on the line index a table.

use crate::point::{FILES, RANKS};
use crate::{Point, Points};

/// What a piece on a line may go to, along that line.
#[derive(Clone, Copy)]
struct Sight {
    /// The free points around it and the first piece each way.
    chariot: u16,
    /// The free points around it and the second piece each way.
    cannon: u16,
}

static RANK: [[Sight; 1 << FILES]; FILES as usize] = sights();
static FILE: [[Sight; 1 << RANKS]; RANKS as usize] = sights();

/// For every place on a line of `LENGTH` points and every occupation of it.
const fn sights<const OCCUPATIONS: usize, const LENGTH: usize>() -> [[Sight; OCCUPATIONS]; LENGTH] {
    let mut sights = [[Sight { chariot: 0, cannon: 0 }; OCCUPATIONS]; LENGTH];
    let mut at = 0;
    while at < LENGTH {
        let mut occupied = 0;
        while occupied < OCCUPATIONS {
            sights[at][occupied] = look::<LENGTH>(at, occupied as u16);
            occupied += 1;
        }
        at += 1;
    }
    sights
}

const fn look<const LENGTH: usize>(at: usize, occupied: u16) -> Sight {
    let mut sight = Sight { chariot: 0, cannon: 0 };
    // Upward and downward alike; `point` wraps below 0 and leaves the line.
    let mut way = 0;
    while way < 2 {
        let mut met = 0;
        let mut point = at;
        while met < 2 {
            point = if way == 0 { point + 1 } else { point.wrapping_sub(1) };
            if point >= LENGTH {
                break;
            }
            let bit = 1 << point;
            let free = occupied & bit == 0;
            if !free {
                met += 1;
            }
            match (free, met) {
                (true, 0) => {
                    sight.chariot |= bit;
                    sight.cannon |= bit;
                }
                (false, 1) => sight.chariot |= bit,
                (false, 2) => sight.cannon |= bit,
                _ => {}
            }
        }
        way += 1;
    }
    sight
}

/// The lowest five points of file a, as they lie in a set.
const HALF_FILE: u64 = 1 | 1 << 9 | 1 << 18 | 1 << 27 | 1 << 36;
/// How many points each half of the board has.
const HALF_BOARD: u32 = FILES as u32 * RANKS as u32 / 2;

/// The points of a file as ten bits, rank 0 lowest.
fn fold(points: Points, file: u8) -> usize {
    // Bit 9k times 2^(32-8k) is bit 32+k; no two products share a bit.
    const FOLD: u64 = 1 << 32 | 1 << 24 | 1 << 16 | 1 << 8 | 1;
    let half = |bits: u64| ((bits & HALF_FILE).wrapping_mul(FOLD) >> 32 & 0x1f) as usize;
    let bits = points.bits() >> file;
    half(bits as u64) | half((bits >> HALF_BOARD) as u64) << 5
}

/// The inverse of [`fold`].
fn spread(line: u16, file: u8) -> Points {
    // Bit k times 2^8k is bit 9k.
    const SPREAD: u64 = 1 | 1 << 8 | 1 << 16 | 1 << 24 | 1 << 32;
    let half = |bits: u16| u128::from((u64::from(bits) * SPREAD) & HALF_FILE);
    Points::from_bits((half(line & 0x1f) | half(line >> 5) << HALF_BOARD) << file)
}

/// Where `see` leads from a point along its rank and its file.
#[inline]
fn along_both(from: Point, occupied: Points, see: impl Fn(Sight) -> u16) -> Points {
    let (file, rank) = (from.file(), from.rank());
    let start = rank * FILES;
    let row = (occupied.bits() >> start) as usize & ((1 << FILES) - 1);
    let along_rank = see(RANK[usize::from(file)][row]);
    let along_file = see(FILE[usize::from(rank)][fold(occupied, file)]);
    Points::from_bits(u128::from(along_rank) << start) | spread(along_file, file)
}

/// Where a chariot may go: the free points around it and the first piece each way.
#[inline]
pub(crate) fn chariot(from: Point, occupied: Points) -> Points {
    along_both(from, occupied, |sight| sight.chariot)
}

/// Where a cannon may go: the free points around it and the second piece each way.
#[inline]
pub(crate) fn cannon(from: Point, occupied: Points) -> Points {
    along_both(from, occupied, |sight| sight.cannon)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_folds_into_ten_bits_and_spreads_out_again() {
        for file in 0..FILES {
            for line in 0..1 << RANKS {
                let points = spread(line, file);
                assert!(points.into_iter().all(|point| point.file() == file));
                assert_eq!(points.len(), line.count_ones() as usize);
                assert_eq!(fold(points, file), usize::from(line));
                assert_eq!(
                    fold(points | !spread(0x3ff, file), file),
                    usize::from(line),
                    "other files are ignored"
                );
            }
        }
    }

    #[test]
    fn a_chariot_stops_at_the_first_piece_and_a_cannon_takes_the_second() {
        let point = |text: &str| text.parse::<Point>().unwrap();
        let set = |text: &str| text.split(' ').map(point).collect::<Points>();
        let occupied = set("e4 e6 e7 e9 c4 b4 e1");
        assert_eq!(chariot(point("e4"), occupied), set("e5 e6 e3 e2 e1 d4 c4 f4 g4 h4 i4"));
        assert_eq!(cannon(point("e4"), occupied), set("e5 e7 e3 e2 d4 b4 f4 g4 h4 i4"));
    }
}
