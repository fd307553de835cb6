//! The tables, step by step. What was released stays as it is: a database knows each step that it has taken by its
//! checksum.

use sqlx::SqlSafeStr as _;
use sqlx::migrate::{Migration, MigrationType, Migrator};

/// What each step brought.
const STEPS: [&str; 3] = ["event", "session", "machines"];

/// The steps of a file.
pub(crate) fn sqlite() -> Migrator {
    taken([
        include_str!("../migrations/sqlite/0001_event.sql"),
        include_str!("../migrations/sqlite/0002_session.sql"),
        include_str!("../migrations/sqlite/0003_machines.sql"),
    ])
}

/// The steps of a PostgreSQL database.
pub(crate) fn postgres() -> Migrator {
    taken([
        include_str!("../migrations/postgres/0001_event.sql"),
        include_str!("../migrations/postgres/0002_session.sql"),
        include_str!("../migrations/postgres/0003_machines.sql"),
    ])
}

fn taken(statements: [&'static str; STEPS.len()]) -> Migrator {
    let steps = (1..).zip(STEPS).zip(statements).map(|((version, name), sql)| {
        Migration::new(version, name.into(), MigrationType::Simple, sql.into_sql_str(), false)
    });
    Migrator::with_migrations(steps.collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use std::path::Path;

    use super::*;

    #[test]
    fn every_step_in_the_folders_is_taken() {
        let folders = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
        for (folder, taken) in [("sqlite", sqlite()), ("postgres", postgres())] {
            let files = std::fs::read_dir(folders.join(folder)).unwrap().count();
            assert_eq!(taken.iter().count(), files, "{folder}");
        }
    }
}
