//! Accounts and sessions between the store and the pages.

use futures_util::future::BoxFuture;
use hall::Role;
use store::{SignedIn, Store, StoreError};
use web::{Account, Accounts, Change, Keep, Session};

/// Keeps what changes in the event's store.
struct InStore(Store);

impl Keep for InStore {
    fn keep(&self, change: Change) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async move {
            let kept = match change {
                Change::Put(account) => self.0.set_account(&stored(&account)).await,
                Change::Removed(name) => self.0.remove_account(&name).await,
                Change::SignedIn(Session { digest, account, began, ends }) => {
                    self.0.set_session(&SignedIn { digest, account, began, ends }).await
                }
                Change::SignedOut(digest) => self.0.end_session(&digest).await,
            };
            kept.map_err(|error| error.to_string())
        })
    }
}

/// An account as the store keeps it.
#[must_use]
pub fn stored(account: &Account) -> store::Account {
    store::Account {
        name: account.name.clone(),
        role: account.role.code().to_owned(),
        password: account.password.clone(),
    }
}

/// All accounts and sessions of a store, kept there. `open_house`: see [`Accounts::open_house`].
pub async fn accounts(store: &Store, open_house: bool) -> Result<Accounts, StoreError> {
    let accounts = store.accounts().await?.into_iter().map(|kept| Account {
        // A role of a newer program permits nothing here.
        role: Role::parse(&kept.role).unwrap_or(Role::Viewer),
        name: kept.name,
        password: kept.password,
    });
    let accounts = accounts.collect();
    let sessions = store.sessions().await?.into_iter().map(|kept| Session {
        digest: kept.digest,
        account: kept.account,
        began: kept.began,
        ends: kept.ends,
    });
    let sessions = sessions.collect();
    let keep = Box::new(InStore(store.clone()));
    Ok(if open_house {
        Accounts::open_house(accounts, sessions, keep)
    } else {
        Accounts::new(accounts, sessions, keep)
    })
}
