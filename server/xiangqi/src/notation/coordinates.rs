//! The two notations that name points.

/// ICCS: `H2-E2`.
pub mod iccs {
    use crate::notation::{Notation, NotationError};
    use crate::{Move, Position};

    /// `H2-E2`.
    #[must_use]
    pub fn write(mv: Move) -> String {
        format!("{}-{}", mv.from, mv.to).to_ascii_uppercase()
    }

    /// Reads `H2-E2`, `H2E2`, `h2-e2`.
    ///
    /// # Errors
    /// The text is no move, or an illegal one.
    pub fn parse(position: &Position, text: &str) -> Result<Move, NotationError> {
        super::read(position, text, Notation::Iccs)
    }
}

/// UCI as in UCCI and Pikafish, ranks 0 to 9: `h2e2`.
pub mod uci {
    use crate::notation::{Notation, NotationError};
    use crate::{Move, Position};

    /// `h2e2`.
    #[must_use]
    pub fn write(mv: Move) -> String {
        mv.to_string()
    }

    /// Reads `h2e2`, and whatever ICCS may look like.
    ///
    /// # Errors
    /// The text is no move, or an illegal one.
    pub fn parse(position: &Position, text: &str) -> Result<Move, NotationError> {
        super::read(position, text, Notation::Uci)
    }
}

use super::{Notation, NotationError, legal};
use crate::{Move, Position};

fn read(position: &Position, text: &str, notation: Notation) -> Result<Move, NotationError> {
    match text.trim().parse() {
        Ok(mv) => legal(position, text, mv),
        Err(_) => Err(NotationError::Unreadable { text: text.to_owned(), notation }),
    }
}
