//! Accounts, and who is signed in.

use firmware_proto::Epoch;

use super::{Backend, Pool};
use crate::{Account, SignedIn, StoreError, sql};

impl Backend {
    pub(crate) async fn account(&self, name: &str) -> Result<Option<Account>, StoreError> {
        let row: Option<(String, String, String)> =
            on_pool!(self, |pool| sqlx::query_as(sql::ACCOUNT).bind(name).fetch_optional(pool).await)
                .map_err(|why| self.read(why))?;
        Ok(row.map(|(name, role, password)| Account { name, role, password }))
    }

    pub(crate) async fn set_account(&self, account: &Account) -> Result<(), StoreError> {
        on_pool!(self, |pool| sqlx::query(sql::SET_ACCOUNT)
            .bind(&account.name)
            .bind(&account.role)
            .bind(&account.password)
            .execute(pool)
            .await
            .map(drop))
        .map_err(|why| self.wrote(why))
    }

    pub(crate) async fn accounts(&self) -> Result<Vec<Account>, StoreError> {
        let rows: Vec<(String, String, String)> =
            on_pool!(self, |pool| sqlx::query_as(sql::ACCOUNTS).fetch_all(pool).await)
                .map_err(|why| self.read(why))?;
        Ok(rows.into_iter().map(|(name, role, password)| Account { name, role, password }).collect())
    }

    pub(crate) async fn remove_account(&self, name: &str) -> Result<(), StoreError> {
        on_pool!(self, |pool| sqlx::query(sql::REMOVE_ACCOUNT).bind(name).execute(pool).await.map(drop))
            .map_err(|why| self.wrote(why))
    }

    pub(crate) async fn sessions(&self) -> Result<Vec<SignedIn>, StoreError> {
        let rows: Vec<(String, String, i64, i64)> =
            on_pool!(self, |pool| sqlx::query_as(sql::SESSIONS).fetch_all(pool).await)
                .map_err(|why| self.read(why))?;
        let sessions = rows.into_iter().map(|(digest, account, began, ends)| SignedIn {
            digest,
            account,
            began: Epoch(began),
            ends: Epoch(ends),
        });
        Ok(sessions.collect())
    }

    pub(crate) async fn set_session(&self, session: &SignedIn) -> Result<(), StoreError> {
        on_pool!(self, |pool| sqlx::query(sql::SET_SESSION)
            .bind(&session.digest)
            .bind(&session.account)
            .bind(session.began.0)
            .bind(session.ends.0)
            .execute(pool)
            .await
            .map(drop))
        .map_err(|why| self.wrote(why))
    }

    pub(crate) async fn end_session(&self, digest: &str) -> Result<(), StoreError> {
        on_pool!(self, |pool| sqlx::query(sql::END_SESSION).bind(digest).execute(pool).await.map(drop))
            .map_err(|why| self.wrote(why))
    }
}
