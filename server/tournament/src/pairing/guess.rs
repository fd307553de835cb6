//! Duals to start from for a large segment, where they are known almost without searching: in a score where more are due
//! Red than Black, every further Red costs one clash more, and every further Black one less. A bad guess costs time, never
//! quality.

use std::ops::Range;

use xiangqi::Side;

use super::card::Due;
use super::field::{APART, Field};

/// For each entrant of a score, its dual in the figure of the colours (doubled, as the matching counts).
pub(super) fn colour_duals(field: &Field<'_>, layer: Range<usize>) -> Vec<i64> {
    let count = |of: &dyn Fn(Due) -> bool| layer.clone().filter(|&place| of(field.due(place))).count() as i64;
    let due = |side: Side| count(&|due| due.side() == Some(side));
    let (reds, blacks) = (due(Side::Red), due(Side::Black));
    let more = if reds > blacks { Side::Red } else { Side::Black };
    // Those due nothing take one of the more numerous each.
    let left_over = (reds - blacks).abs() - count(&|due| due == Due::Nothing);
    let (mild, strong) = (APART, APART * APART);
    // Each clash of two has at least one who is due only mildly, while there are any.
    let mild_ones = count(&|due| due == Due::Mild(more));
    let dual = |due: Due| match due {
        _ if left_over <= 0 => 0,
        Due::Strong(side) if side == more => {
            if 2 * mild_ones >= left_over {
                mild
            } else {
                strong
            }
        }
        Due::Mild(side) if side == more => {
            if 2 * mild_ones >= left_over {
                mild
            } else {
                2 * mild - strong
            }
        }
        Due::Strong(_) | Due::Mild(_) | Due::Nothing => {
            if 2 * mild_ones >= left_over {
                -mild
            } else {
                -strong
            }
        }
    };
    layer.map(|place| dual(field.due(place))).collect()
}
