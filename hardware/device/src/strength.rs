//! How strong the field of a piece is at its cell: one that stands off its point's middle, or whose magnet is weak, is
//! named before it is lost.

use firmware_proto::{Cell, HealthFault, Image, Millis};

/// From here on a piece stands firmly, microtesla: a third of the weakest reference magnet in the middle of its point,
/// and two and a half times what it takes to be seen.
pub(crate) const FIRM: u16 = 10_000;

/// A piece that is being set down or pushed straight is given so long.
const SETTLES: Millis = Millis(5_000);

/// What is known of a cell whose piece stands weakly.
#[derive(Clone, Copy)]
enum Stands {
    Firmly,
    WeaklySince(Millis),
    /// And that was told.
    Told,
}

/// The strengths of all cells.
pub(crate) struct Strengths {
    /// The strongest field that each cell has seen since the start.
    strongest: [u16; Cell::COUNT],
    stands: [Stands; Cell::COUNT],
}

impl Strengths {
    pub(crate) const fn new() -> Strengths {
        Strengths { strongest: [0; Cell::COUNT], stands: [Stands::Firmly; Cell::COUNT] }
    }

    /// The fields of all cells, microtesla without sign; what is off its middle goes to `tell`.
    pub(crate) fn on_fields(
        &mut self,
        fields: &[u16; Cell::COUNT],
        image: &Image,
        now: Millis,
        mut tell: impl FnMut(HealthFault),
    ) {
        for cell in Cell::all() {
            let field = fields[cell.index()];
            let strongest = &mut self.strongest[cell.index()];
            *strongest = field.max(*strongest);
            let stands = &mut self.stands[cell.index()];
            // A cell that has never seen a strong field is weak itself: the walk test names it.
            let weakly = !image.at(cell).is_empty() && field < FIRM && *strongest >= FIRM;
            *stands = match *stands {
                _ if image.at(cell).is_empty() => Stands::Firmly,
                Stands::Told => Stands::Told,
                Stands::Firmly | Stands::WeaklySince(_) if !weakly => Stands::Firmly,
                Stands::Firmly => Stands::WeaklySince(now),
                Stands::WeaklySince(since) if now.since(since) >= SETTLES => {
                    tell(HealthFault::OffCentre(cell, field));
                    Stands::Told
                }
                Stands::WeaklySince(since) => Stands::WeaklySince(since),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use firmware_proto::{Reading, SensingKind};

    use super::*;

    const CELL: Cell = Cell::new(7).unwrap();

    /// What is told of a cell with a piece whose field is this at these times; field 0: it is lifted.
    fn told(fields: &[(u32, u16)]) -> Vec<HealthFault> {
        let (mut strengths, mut told) = (Strengths::new(), vec![]);
        for &(at, field) in fields {
            let mut image = Image::empty(SensingKind::Colour);
            if field > 0 {
                image.set(CELL, Reading(1)).unwrap();
            }
            let mut all = [0; Cell::COUNT];
            all[CELL.index()] = field;
            strengths.on_fields(&all, &image, Millis(at), |fault| told.push(fault));
        }
        told
    }

    #[test]
    fn a_piece_off_its_middle_is_told_once_for_as_long_as_it_stands_there() {
        let off = HealthFault::OffCentre(CELL, 6_000);
        assert_eq!(told(&[(0, 30_000), (1_000, 0), (2_000, 6_000), (6_999, 6_000)]), []);
        assert_eq!(told(&[(0, 30_000), (1_000, 0), (2_000, 6_000), (7_000, 6_000), (20_000, 6_000)]), [off]);
        let again = [(8_000, 0), (9_000, 6_000), (14_000, 6_000)];
        let fields = [[(0, 30_000), (2_000, 6_000), (7_000, 6_000)].as_slice(), &again].concat();
        assert_eq!(told(&fields), [off, off]);
    }

    #[test]
    fn a_piece_that_is_pushed_straight_in_time_is_not_told() {
        assert_eq!(told(&[(0, 30_000), (2_000, 6_000), (6_000, 25_000), (7_500, 6_000), (9_000, 6_000)]), []);
    }

    #[test]
    fn a_cell_that_has_never_seen_a_strong_field_blames_no_piece() {
        assert_eq!(told(&[(0, 6_000), (9_000, 6_000)]), []);
    }
}
