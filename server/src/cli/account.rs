//! `chuhe account`: who may sign in, from the command line. The server has to be stopped; while it runs, the chief
//! arbiter does the same on the page `/accounts`.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Subcommand};
use hall::Role;
use store::{Database, Store};
use web::Account;

use super::place::Place;
use super::{Ended, Failure, print, runtime};
use crate::people::stored;

/// Who may sign in.
#[derive(Debug, Args)]
pub(super) struct Options {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Adds somebody, or gives somebody a new role and password; the password comes from stdin.
    Add {
        /// The name; the journal calls him so.
        name: String,
        /// chief_arbiter, arbiter, pairing_officer, organiser, commentator or viewer.
        #[arg(long, default_value = "chief_arbiter")]
        role: String,
        #[command(flatten)]
        place: Folder,
    },
    /// Takes somebody's account away.
    Remove {
        /// The name.
        name: String,
        #[command(flatten)]
        place: Folder,
    },
    /// Lists the accounts.
    List {
        #[command(flatten)]
        place: Folder,
    },
}

/// Which event.
#[derive(Debug, Args)]
struct Folder {
    #[command(flatten)]
    place: Place,
    /// The data folder itself.
    #[arg(long, conflicts_with_all = ["config", "database"])]
    data: Option<PathBuf>,
}

impl Folder {
    async fn open(&self) -> Result<Store, Failure> {
        let database = match &self.data {
            Some(folder) => Database::File(folder.join("event.db")),
            None => self.place.database()?,
        };
        if let Database::File(file) = &database
            && let Some(folder) = file.parent()
        {
            std::fs::create_dir_all(folder)
                .with_context(|| format!("cannot make the data folder {}", folder.display()))?;
        }
        database.own().await.map_err(|error| Failure::BadInput(error.into()))
    }
}

pub(super) fn account(options: Options) -> Ended {
    runtime()?.block_on(async {
        match options.what {
            What::Add { name, role, place } => add(&name, &role, &place).await,
            What::Remove { name, place } => remove(&name, &place).await,
            What::List { place } => list(&place).await,
        }
    })
}

async fn add(name: &str, role: &str, place: &Folder) -> Ended {
    let role = Role::parse(role).ok_or_else(|| {
        let all: Vec<_> = Role::ALL.iter().map(|role| role.code()).collect();
        Failure::input(format!("--role {role}: there is no such role; there are {}", all.join(", ")))
    })?;
    let password = password()?;
    let account = Account::new(name, role, &password).map_err(Failure::input)?;
    let store = place.open().await?;
    end_sessions(&store, &account.name).await?;
    store.set_account(&stored(&account)).await.map_err(anyhow::Error::from)?;
    store.close().await;
    print(&serde_json::json!({ "name": account.name, "role": role.code() }));
    Ok(())
}

async fn remove(name: &str, place: &Folder) -> Ended {
    let store = place.open().await?;
    if store.account(name).await.map_err(anyhow::Error::from)?.is_none() {
        return Err(Failure::input(format!("there is no account “{name}”")));
    }
    end_sessions(&store, name).await?;
    store.remove_account(name).await.map_err(anyhow::Error::from)?;
    store.close().await;
    print(&serde_json::json!({ "name": name, "removed": true }));
    Ok(())
}

async fn list(place: &Folder) -> Ended {
    let store = place.open().await?;
    for account in store.accounts().await.map_err(anyhow::Error::from)? {
        print(&serde_json::json!({ "name": account.name, "role": account.role }));
    }
    store.close().await;
    Ok(())
}

async fn end_sessions(store: &Store, name: &str) -> Result<(), anyhow::Error> {
    for session in store.sessions().await? {
        if session.account == name {
            store.end_session(&session.digest).await?;
        }
    }
    Ok(())
}

/// A line from stdin; at a terminal, asked for twice and not shown.
fn password() -> Result<String, Failure> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        return line();
    }
    let hidden = hidden::Hidden::new();
    let first = ask("password: ")?;
    let again = ask("once more: ")?;
    drop(hidden);
    if first == again { Ok(first) } else { Err(Failure::input("the two passwords differ")) }
}

fn ask(prompt: &str) -> Result<String, Failure> {
    let mut screen = std::io::stderr();
    // A prompt that cannot be shown is no reason not to read.
    let _shown = write!(screen, "{prompt}").and_then(|()| screen.flush());
    let answer = line();
    let _shown = writeln!(screen);
    answer
}

fn line() -> Result<String, Failure> {
    let mut text = String::new();
    std::io::stdin().read_line(&mut text).context("cannot read the password from stdin")?;
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

/// A terminal that does not show what is typed.
mod hidden {
    use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

    pub(super) struct Hidden(Option<Termios>);

    impl Hidden {
        pub(super) fn new() -> Hidden {
            let Ok(shown) = tcgetattr(std::io::stdin()) else { return Hidden(None) };
            let mut hidden = shown.clone();
            hidden.local_modes.remove(LocalModes::ECHO);
            match tcsetattr(std::io::stdin(), OptionalActions::Now, &hidden) {
                Ok(()) => Hidden(Some(shown)),
                Err(_) => Hidden(None),
            }
        }
    }

    impl Drop for Hidden {
        fn drop(&mut self) {
            if let Some(shown) = &self.0 {
                let _restored = tcsetattr(std::io::stdin(), OptionalActions::Now, shown);
            }
        }
    }
}
