//! An account: who may sign in, and as what.

use std::fmt;

use hall::Role;

use super::password;

/// Characters of a name.
const LONGEST_NAME: usize = 40;

/// Who may sign in.
#[derive(Clone, PartialEq, Eq)]
pub struct Account {
    /// Name, unique; what the journal calls him.
    pub name: String,
    /// What he may do.
    pub role: Role,
    /// The password's digest ([`super::digest_password`]).
    pub password: String,
}

impl fmt::Debug for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Account({:?}, {})", self.name, self.role.code())
    }
}

impl Account {
    /// An account with a new password.
    ///
    /// # Errors
    /// Name or password will not do.
    pub fn new(name: &str, role: Role, password: &str) -> Result<Account, AccountError> {
        let name = name.trim();
        let length = name.chars().count();
        if !(1..=LONGEST_NAME).contains(&length) || name.chars().any(char::is_control) {
            return Err(AccountError::Name);
        }
        Ok(Account { name: name.to_owned(), role, password: password::digest_password(password)? })
    }
}

/// A name that somebody typed, not longer than names are.
pub(super) fn short(name: &str) -> String {
    name.trim().chars().take(LONGEST_NAME).collect()
}

/// Why something about accounts cannot be done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AccountError {
    /// The name will not do.
    #[error("a name has 1 to 40 characters")]
    Name,
    /// The password will not do.
    #[error("a password has 8 to 200 characters")]
    Password,
    /// Name or password is wrong; which of them is not told.
    #[error("name or password is wrong")]
    Wrong,
    /// Too many tries: seconds until the next.
    #[error("too many tries; the next one in {0} s")]
    TooOften(u64),
    /// The last chief arbiter would be gone.
    #[error("there has to be a chief arbiter")]
    LastChief,
    /// There is no such account.
    #[error("there is no such account")]
    Nobody,
    /// The system gives no random numbers.
    #[error("the system gives no random numbers: {0}")]
    Random(String),
    /// The store failed.
    #[error("the account could not be kept: {0}")]
    Store(String),
}
