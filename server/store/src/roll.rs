//! The roll of gateways: who is invited, who is enrolled under which key, who was sent away. It is kept beside the
//! logs, may be changed while a server runs, and every server looks at it again and again.

use firmware_proto::{Epoch, GatewayId};

use crate::StoreError;
use crate::backend::Backend;

/// A gateway's key as it is kept: how, is the matter of who keeps it here.
#[derive(Clone, PartialEq, Eq)]
pub struct KeptKey(pub String);

/// It may be a key in clear.
impl std::fmt::Debug for KeptKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("KeptKey")
    }
}

/// A gateway on the roll.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enrolled {
    /// Its name.
    pub gateway: GatewayId,
    /// How it stands.
    pub standing: Standing,
}

/// How a gateway stands. Times are wall time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Whoever shows the token of this digest before that time becomes this gateway.
    Invited {
        /// Digest of the token: the token itself is kept nowhere.
        digest: String,
        /// Until when.
        until: Epoch,
    },
    /// It is let in under this key.
    Enrolled {
        /// Its key, as it is kept.
        key: KeptKey,
        /// Since when.
        since: Epoch,
    },
    /// It is not let in, whatever the configuration says.
    Revoked {
        /// Since when.
        since: Epoch,
    },
}

/// The roll of one event.
#[derive(Clone, Debug)]
pub struct Roll {
    backend: Backend,
}

impl Roll {
    pub(crate) fn new(backend: Backend) -> Roll {
        Roll { backend }
    }

    /// Everybody on it, by name.
    pub async fn all(&self) -> Result<Vec<Enrolled>, StoreError> {
        self.backend.gateways().await
    }

    /// Invites a gateway, also one that was invited before or sent away; one that is enrolled is to be revoked first.
    pub async fn invite(&self, gateway: &GatewayId, digest: &str, until: Epoch) -> Result<(), StoreError> {
        if self.backend.invite(gateway, digest, until).await? {
            return Ok(());
        }
        let why = "it is enrolled already; revoke it first, then its key is no longer taken".to_owned();
        Err(StoreError::Roll { gateway: gateway.to_string(), why })
    }

    /// Whoever has the token of this digest becomes the gateway, once: `false` if there is no such invitation, or no
    /// longer.
    pub async fn enrol(
        &self,
        gateway: &GatewayId,
        digest: &str,
        key: &KeptKey,
        now: Epoch,
    ) -> Result<bool, StoreError> {
        self.backend.enrol(gateway, digest, key, now).await
    }

    /// A gateway's key is kept in another way from now on; nothing happens if it has another key meanwhile.
    pub async fn keep_otherwise(
        &self,
        gateway: &GatewayId,
        before: &KeptKey,
        after: &KeptKey,
    ) -> Result<(), StoreError> {
        self.backend.keep_otherwise(gateway, before, after).await
    }

    /// Sends a gateway away.
    pub async fn revoke(&self, gateway: &GatewayId, now: Epoch) -> Result<(), StoreError> {
        self.backend.revoke(gateway, now).await
    }

    /// Lets go of the database.
    pub async fn close(self) {
        self.backend.close().await;
    }
}
