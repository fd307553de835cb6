//! A session: somebody signed in, known by the token that his browser holds.

use hall::view::Epoch;
use sha2::{Digest, Sha256};

use super::AccountError;

/// A session lasts as long as a day of play.
pub(super) const SESSION_MS: i64 = 16 * 3_600_000;

/// Somebody signed in, somewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Digest of the token that the browser holds.
    pub digest: String,
    /// Whose.
    pub account: String,
    /// Since when, wall time.
    pub began: Epoch,
    /// Until when.
    pub ends: Epoch,
}

/// A random token of 32 bytes, hexadecimal.
pub(super) fn token() -> Result<String, AccountError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|why| AccountError::Random(why.to_string()))?;
    Ok(hex(&bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What is kept of a token.
pub(super) fn digest(token: &str) -> String {
    hex(&Sha256::digest(token))
}

/// The word that a form carries to show that our own page made it. It tells nothing of the token.
pub(super) fn form_word(token: &str) -> String {
    let mut digest = Sha256::new();
    digest.update(b"chuhe form\0");
    digest.update(token);
    hex(&digest.finalize()[..16])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_and_what_forms_carry_tell_nothing_of_the_token() {
        let token = token().expect("randomness");
        assert_eq!(token.len(), 64);
        assert!(digest(&token) != token && !digest(&token).contains(&form_word(&token)));
        assert_ne!(form_word(&token), form_word("another"));
    }
}
