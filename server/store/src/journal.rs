//! A line of the journal and the chain of hashes that ties each line to all before it.

use firmware_proto::Epoch;
use sha2::{Digest, Sha256};

/// The form of the facts that this program writes. Readers of older forms stay for ever: a journal is never rewritten.
pub const JOURNAL_VERSION: u16 = 2;

/// One entry of the journal as kept: actor and fact are JSON texts, whose meaning is the hall's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// 1, 2, 3 … without a gap.
    pub no: u64,
    /// When it was concluded or decided.
    pub at: Epoch,
    /// Who did.
    pub by: String,
    /// The form of the fact, see [`JOURNAL_VERSION`].
    pub version: u16,
    /// What.
    pub fact: String,
}

/// The hash of a line: over the former line's hash and everything in this one. Lengths go in before texts, so that
/// no two different lines have the same bytes.
pub(crate) fn chained(former: &[u8; 32], line: &Line) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(former);
    hash.update(line.no.to_be_bytes());
    hash.update(line.at.0.to_be_bytes());
    hash.update(line.version.to_be_bytes());
    for text in [&line.by, &line.fact] {
        hash.update((text.len() as u64).to_be_bytes());
        hash.update(text.as_bytes());
    }
    hash.finalize().into()
}

/// The hash before the first line.
pub(crate) const ROOT: [u8; 32] = [0; 32];

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> Line {
        Line { no: 7, at: Epoch(1_700_000_000_000), by: "\"hall\"".into(), version: 1, fact: "{}".into() }
    }

    #[test]
    fn a_hash_covers_the_former_hash_and_every_field() {
        let base = chained(&ROOT, &line());
        let changed = [
            chained(&[1; 32], &line()),
            chained(&ROOT, &Line { no: 8, ..line() }),
            chained(&ROOT, &Line { at: Epoch(1), ..line() }),
            chained(&ROOT, &Line { by: "x".into(), ..line() }),
            chained(&ROOT, &Line { version: 2, ..line() }),
            chained(&ROOT, &Line { fact: "[]".into(), ..line() }),
            // The same bytes, cut elsewhere.
            chained(&ROOT, &Line { by: "\"hall\"{".into(), fact: "}".into(), ..line() }),
        ];
        assert!(changed.iter().all(|hash| *hash != base));
    }
}
