//! How a view is told to nodes: as JSON, and compressed where it is long. The first byte says which: `{` or gzip's own.

use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use web::PublicView;

/// Longer ones are compressed: a round's and a standing's JSON becomes a tenth.
const LONG: usize = 16 * 1024;

/// What a message may hold when it is unfolded: some 200,000 tables' round. A longer one is nothing that a server told.
const MOST: u64 = 64 * 1024 * 1024;

/// gzip's first byte.
const GZIP: u8 = 0x1f;

/// A view, and which start of a server tells it: what an earlier one left at the broker may be of another event.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Telling {
    /// The number of the owner's start; higher at each.
    pub(crate) life: u64,
    /// The view.
    pub(crate) view: PublicView,
}

/// What is told is none.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unreadable {
    /// It is not compressed as it says.
    #[error("it does not unfold: {0}")]
    Folded(#[from] io::Error),
    /// It is no view.
    #[error("it is no view: {0}")]
    View(#[from] serde_json::Error),
}

impl Telling {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let json = serde_json::to_vec(self).expect("views are plain values with text keys");
        if json.len() <= LONG {
            return json;
        }
        let mut folded = GzEncoder::new(Vec::new(), Compression::fast());
        let written = folded.write_all(&json).and_then(|()| folded.finish());
        written.expect("memory takes what is written to it")
    }

    pub(crate) fn of_bytes(bytes: &[u8]) -> Result<Telling, Unreadable> {
        if bytes.first() != Some(&GZIP) {
            return Ok(serde_json::from_slice(bytes)?);
        }
        let mut json = Vec::new();
        GzDecoder::new(bytes).take(MOST).read_to_end(&mut json)?;
        Ok(serde_json::from_slice(&json)?)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hall::view::{GameStatus, PairingView, PlayerView, RoundView};
    use tournament::{EntrantNo, GroupNo, RoundNo, TableNo};

    use super::*;

    /// A round of so many tables; names of three characters that differ.
    fn round(tables: u16) -> Telling {
        let player = |no: u16| {
            let name = (0..3).filter_map(|at| char::from_u32(0x4e00 + u32::from(no) * 7 % (5_000 + at)));
            PlayerView {
                no: EntrantNo(no),
                name: name.collect(),
                unit: format!("第{}队", no % 97),
                points: no % 15,
                rank: no,
            }
        };
        let pairings = (1..=tables).map(|table| PairingView {
            table: Some(TableNo(table)),
            red: player(2 * table),
            black: Some(player(2 * table + 1)),
            reason: "同分".into(),
            status: GameStatus::Playing,
            group: GroupNo(1),
        });
        let round =
            RoundView { round: RoundNo(3), current: true, pairings: pairings.collect(), matches: vec![] };
        Telling { life: 7, view: PublicView::Round(Arc::new(round)) }
    }

    fn same(told: &Telling, read: &Telling) -> bool {
        serde_json::to_value(told).unwrap() == serde_json::to_value(read).unwrap()
    }

    #[test]
    fn a_short_view_stays_readable_and_a_long_one_comes_back_whole() {
        let (short, long) = (round(3), round(300));
        assert_eq!(short.to_bytes()[0], b'{');
        assert_eq!(long.to_bytes()[0], GZIP);
        for told in [short, long] {
            assert!(same(&told, &Telling::of_bytes(&told.to_bytes()).unwrap()));
        }
    }

    #[test]
    fn a_round_of_ten_thousand_tables_fits_into_a_message() {
        assert!(round(10_000).to_bytes().len() < super::super::views::LONGEST);
    }

    #[test]
    fn what_is_cut_off_or_no_view_is_refused() {
        let bytes = round(300).to_bytes();
        assert!(matches!(Telling::of_bytes(&bytes[..bytes.len() / 2]), Err(Unreadable::Folded(_))));
        assert!(matches!(Telling::of_bytes(b"{}"), Err(Unreadable::View(_))));
        assert!(matches!(Telling::of_bytes(&[GZIP]), Err(Unreadable::Folded(_))));
    }
}
