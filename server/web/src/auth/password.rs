//! Passwords: argon2id, in PHC text form.

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};

use super::AccountError;

/// Characters that a password has at least.
pub const MIN_PASSWORD: usize = 8;

/// Longer ones cost time and add nothing.
const MAX_PASSWORD: usize = 200;

/// The digest of a new password, with a random salt. Takes tens of milliseconds and 19 MiB on purpose.
///
/// # Errors
/// Too short or too long, or the system has no randomness.
pub fn digest_password(password: &str) -> Result<String, AccountError> {
    let length = password.chars().count();
    if !(MIN_PASSWORD..=MAX_PASSWORD).contains(&length) {
        return Err(AccountError::Password);
    }
    let digest = Argon2::default().hash_password(password.as_bytes());
    digest.map(|digest| digest.to_string()).map_err(|why| AccountError::Random(why.to_string()))
}

/// Whether a password has this digest; a digest that does not read fits nothing.
pub(super) fn fits(password: &str, digest: &str) -> bool {
    PasswordHash::new(digest)
        .is_ok_and(|digest| Argon2::default().verify_password(password.as_bytes(), &digest).is_ok())
}

/// Takes the time of a check that can only fail: so that an unknown name is not told by its speed.
pub(super) fn fits_nobody(password: &str) -> bool {
    /// Of a password that nobody has.
    const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$Y2h1aGUtbm9ib2R5LTAwMQ$\
                          4VxYRqX7xQ1d0mJm2m0dB0b0b0b0b0b0b0b0b0b0b0A";
    let _never = fits(password, NOBODY);
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_fits_its_own_digest_only() {
        let digest = digest_password("楚河汉界一二三四").expect("long enough");
        assert!(digest.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{digest}");
        assert!(fits("楚河汉界一二三四", &digest));
        assert!(!fits("楚河汉界一二三五", &digest));
        assert!(!fits("", &digest) && !fits("x", "no digest"));
        assert_ne!(digest, digest_password("楚河汉界一二三四").expect("again"), "salted");
    }

    #[test]
    fn short_and_endless_passwords_are_refused() {
        for wrong in ["", "1234567", "七个字不够啊啊", &"x".repeat(201)] {
            assert!(matches!(digest_password(wrong), Err(AccountError::Password)), "{wrong}");
        }
    }

    #[test]
    fn an_unknown_name_costs_as_much_as_a_known_one() {
        let digest = digest_password("12345678").expect("long enough");
        let known = std::time::Instant::now();
        assert!(!fits("wrong password", &digest));
        let known = known.elapsed();
        let unknown = std::time::Instant::now();
        assert!(!fits_nobody("wrong password"));
        assert!(unknown.elapsed() * 5 > known, "the check of nobody's password was skipped");
    }
}
