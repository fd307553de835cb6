//! The players' talk of a draw (提和).

use capture::PlyNo;
use xiangqi::Side;

/// How far the players' talk of a draw (提和) has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawTalk {
    /// Nobody offers.
    Silent,
    /// A side offered when so many plies were played.
    Offered {
        /// Who.
        by: Side,
        /// After so many plies.
        plies: usize,
    },
    /// The other side said the same before two more plies were played.
    Agreed,
}

impl DrawTalk {
    /// Who plays on instead of answering has declined.
    pub(crate) fn answered_by(self, mover: Option<Side>, no: PlyNo) -> DrawTalk {
        match self {
            DrawTalk::Offered { by, plies } if mover == Some(by.opposite()) && usize::from(no.0) > plies => {
                DrawTalk::Silent
            }
            DrawTalk::Silent | DrawTalk::Offered { .. } | DrawTalk::Agreed => self,
        }
    }

    /// A side offers, or says the same as the other did.
    pub(crate) fn spoken(self, side: Side, plies: usize) -> DrawTalk {
        match self {
            DrawTalk::Agreed => DrawTalk::Agreed,
            DrawTalk::Offered { by, plies: then } if by != side && plies <= then + 1 => DrawTalk::Agreed,
            DrawTalk::Offered { .. } | DrawTalk::Silent => DrawTalk::Offered { by: side, plies },
        }
    }
}
