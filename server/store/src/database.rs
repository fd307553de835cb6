//! Where an event's database is: an SQLite file, which one process has, or a PostgreSQL database, which processes on
//! several machines can take over from each other.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use sqlx::postgres::PgConnectOptions;

use crate::{Look, Roll, Store, StoreError};

/// Where an event's database is.
#[derive(Clone, PartialEq, Eq)]
pub enum Database {
    /// An SQLite file.
    File(PathBuf),
    /// A PostgreSQL database.
    Postgres(PostgresUrl),
}

/// The address of a PostgreSQL database; messages show it without its password.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresUrl(String);

/// Text that is no address of a PostgreSQL database. It is not repeated: it may hold a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a PostgreSQL database is written postgres://user:password@host:port/database")]
pub struct BadPostgresUrl;

impl Database {
    /// Opens it for the one process that owns the event, and keeps others out. [`StoreError::InUse`]: another owns it.
    pub async fn own(&self) -> Result<Store, StoreError> {
        match self {
            Database::File(path) => Store::open(path).await,
            Database::Postgres(url) => Store::connect(url).await,
        }
    }

    /// Opens it to look at it, also while a server runs on it.
    pub async fn look(&self) -> Result<Look, StoreError> {
        match self {
            Database::File(path) => Look::at(path).await,
            Database::Postgres(url) => Look::connect(url).await,
        }
    }

    /// Opens its roll of gateways, also while a server runs on it. Makes the database if it is not there yet.
    pub async fn roll(&self) -> Result<Roll, StoreError> {
        let backend = match self {
            Database::File(path) => crate::sqlite::connect(path).await?,
            Database::Postgres(url) => crate::postgres::connect(url).await?,
        };
        Ok(Roll::new(backend))
    }

    /// Whether several processes can take it over from each other.
    #[must_use]
    pub const fn is_shared(&self) -> bool {
        match self {
            Database::File(_) => false,
            Database::Postgres(_) => true,
        }
    }
}

impl FromStr for Database {
    type Err = BadPostgresUrl;

    /// What begins with `postgres://` is one, everything else is a file's path.
    fn from_str(text: &str) -> Result<Database, BadPostgresUrl> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return text.parse().map(Database::Postgres);
        }
        Ok(Database::File(text.into()))
    }
}

impl FromStr for PostgresUrl {
    type Err = BadPostgresUrl;

    fn from_str(text: &str) -> Result<PostgresUrl, BadPostgresUrl> {
        match text.parse::<PgConnectOptions>() {
            Ok(_) if text.starts_with("postgres") => Ok(PostgresUrl(text.to_owned())),
            Ok(_) | Err(_) => Err(BadPostgresUrl),
        }
    }
}

impl PostgresUrl {
    pub(crate) fn options(&self) -> Result<PgConnectOptions, sqlx::Error> {
        Ok(self.0.parse::<PgConnectOptions>()?.application_name("chuhe"))
    }
}

impl fmt::Display for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((scheme, rest)) = self.0.split_once("://") else { return f.write_str("postgres") };
        // A password may also stand among the parameters.
        let place = rest.split('?').next().unwrap_or_default();
        match place.rsplit_once('@') {
            Some((who, place)) => {
                let user = who.split(':').next().unwrap_or_default();
                write!(f, "{scheme}://{user}@{place}")
            }
            None => write!(f, "{scheme}://{place}"),
        }
    }
}

impl fmt::Display for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Database::File(path) => path.display().fmt(f),
            Database::Postgres(url) => url.fmt(f),
        }
    }
}

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_told_from_a_file_by_its_beginning() {
        assert_eq!("data/event.db".parse(), Ok(Database::File("data/event.db".into())));
        assert!(matches!("postgres://db/event".parse(), Ok(Database::Postgres(_))));
        assert_eq!("postgres://chuhe:secret@db:x/event".parse::<Database>(), Err(BadPostgresUrl));
    }

    #[test]
    fn messages_do_not_show_a_password() {
        let shown = |text: &str| format!("{:?}", text.parse::<Database>().unwrap());
        assert_eq!(shown("postgres://chuhe:secret@db/event"), "postgres://chuhe@db/event");
        assert_eq!(shown("postgres://db/event?user=chuhe&password=secret"), "postgres://db/event");
    }
}
