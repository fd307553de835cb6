//! Gateways: invited, enrolled, revoked.

use firmware_proto::{Epoch, GatewayId};

use super::{Backend, Pool};
use crate::{Enrolled, KeptKey, Standing, StoreError, sql};

impl Backend {
    /// `false`: it is enrolled.
    pub(crate) async fn invite(
        &self,
        gateway: &GatewayId,
        digest: &str,
        until: Epoch,
    ) -> Result<bool, StoreError> {
        on_pool!(self, |pool| sqlx::query(sql::INVITE)
            .bind(gateway.as_str())
            .bind(digest)
            .bind(until.0)
            .execute(pool)
            .await
            .map(|done| done.rows_affected() == 1))
        .map_err(|why| self.wrote(why))
    }

    /// `false`: there is no such invitation.
    pub(crate) async fn enrol(
        &self,
        gateway: &GatewayId,
        digest: &str,
        key: &KeptKey,
        now: Epoch,
    ) -> Result<bool, StoreError> {
        on_pool!(self, |pool| sqlx::query(sql::ENROL)
            .bind(&key.0)
            .bind(now.0)
            .bind(gateway.as_str())
            .bind(digest)
            .execute(pool)
            .await
            .map(|done| done.rows_affected() == 1))
        .map_err(|why| self.wrote(why))
    }

    pub(crate) async fn keep_otherwise(
        &self,
        gateway: &GatewayId,
        before: &KeptKey,
        after: &KeptKey,
    ) -> Result<(), StoreError> {
        on_pool!(self, |pool| sqlx::query(sql::KEEP_OTHERWISE)
            .bind(&after.0)
            .bind(gateway.as_str())
            .bind(&before.0)
            .execute(pool)
            .await
            .map(drop))
        .map_err(|why| self.wrote(why))
    }

    pub(crate) async fn revoke(&self, gateway: &GatewayId, now: Epoch) -> Result<(), StoreError> {
        on_pool!(self, |pool| sqlx::query(sql::REVOKE)
            .bind(gateway.as_str())
            .bind(now.0)
            .execute(pool)
            .await
            .map(drop))
        .map_err(|why| self.wrote(why))
    }

    pub(crate) async fn gateways(&self) -> Result<Vec<Enrolled>, StoreError> {
        let rows: Vec<(String, String, String, i64)> =
            on_pool!(self, |pool| sqlx::query_as(sql::GATEWAYS).fetch_all(pool).await)
                .map_err(|why| self.read(why))?;
        rows.into_iter()
            .map(|(name, standing, secret, at)| {
                let damaged = |why: &dyn std::fmt::Display| self.damaged(format!("gateway {name}"), why);
                let at = Epoch(at);
                let standing = match standing.as_str() {
                    "invited" => Standing::Invited { digest: secret, until: at },
                    "enrolled" => Standing::Enrolled { key: KeptKey(secret), since: at },
                    "revoked" => Standing::Revoked { since: at },
                    other => return Err(damaged(&format!("its standing is “{other}”"))),
                };
                Ok(Enrolled { gateway: self.gateway(name.clone())?, standing })
            })
            .collect()
    }
}
