//! The gateways' keys at rest: in the database they are sealed with a secret that lies in the data folder, not in the
//! database, so that a copy of the database opens no gateway's stream.
//!
//! The secret is made at the first need, readable for this user only. Servers that share a database share it: the file
//! is copied to each of them.

use std::path::Path;

use anyhow::{Context, anyhow};
use firmware_proto::GatewayId;
use firmware_proto::envelope::Key;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use store::KeptKey;

use crate::gateways::random;
use crate::seal::{from_hex, hex, write_secret};

/// The secret's file in the data folder.
pub const FILE: &str = "gateways.secret";

/// What a sealed key begins with: the way it was sealed. One in clear, of earlier programs, is hexadecimal digits only.
const WAY: &str = "chacha20poly1305:";

/// Opens and seals keys.
pub struct Vault(LessSafeKey);

impl std::fmt::Debug for Vault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Vault")
    }
}

impl Vault {
    /// The vault of this data folder; its secret is made if there is none.
    pub fn of(folder: &Path) -> anyhow::Result<Vault> {
        let path = folder.join(FILE);
        let named = || path.display().to_string();
        if !path.exists() {
            write_secret(&path, hex(&random::<32>()?).as_bytes()).with_context(named)?;
        }
        let text = std::fs::read_to_string(&path).with_context(named)?;
        // What it holds is not repeated, whatever it is.
        let wrong = || anyhow!("{}: 64 hexadecimal digits were expected", named());
        let bytes = from_hex(text.trim()).map_err(|_| wrong())?;
        let secret = UnboundKey::new(&CHACHA20_POLY1305, &bytes).map_err(|_| wrong())?;
        Ok(Vault(LessSafeKey::new(secret)))
    }

    /// A gateway's key, sealed for it alone.
    pub fn seal(&self, gateway: &GatewayId, key: &Key) -> anyhow::Result<KeptKey> {
        let nonce = random::<NONCE_LEN>()?;
        let mut text = key.to_hex().into_bytes();
        self.0
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), whose(gateway), &mut text)
            .map_err(|_| anyhow!("the key of {gateway} could not be sealed"))?;
        Ok(KeptKey(format!("{WAY}{}{}", hex(&nonce), hex(&text))))
    }

    /// A gateway's key as it is kept.
    pub fn open(&self, gateway: &GatewayId, kept: &KeptKey) -> anyhow::Result<Key> {
        let Some(sealed) = kept.0.strip_prefix(WAY) else {
            return Key::from_hex(&kept.0).map_err(|why| anyhow!("the key of {gateway}: {why}"));
        };
        let damaged =
            || anyhow!("the key of {gateway} is damaged in the database: revoke it and enrol it anew");
        let mut bytes = from_hex(sealed).map_err(|_| damaged())?;
        let (nonce, text) = bytes.split_at_mut_checked(NONCE_LEN).ok_or_else(damaged)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| damaged())?;
        let text = self.0.open_in_place(nonce, whose(gateway), text).map_err(|_| {
            anyhow!(
                "the key of {gateway} was sealed with another secret, or is damaged: put the file {FILE} of the server \
                 that enrolled it into this data folder, or revoke {gateway} and enrol it anew"
            )
        })?;
        let text = std::str::from_utf8(text).map_err(|_| damaged())?;
        Key::from_hex(text).map_err(|why| anyhow!("the key of {gateway}: {why}"))
    }

    /// Whether a key is kept in clear, as earlier programs kept it.
    #[must_use]
    pub fn is_clear(kept: &KeptKey) -> bool {
        !kept.0.starts_with(WAY)
    }
}

/// A sealed key that is moved to another gateway's row does not open.
fn whose(gateway: &GatewayId) -> Aad<Vec<u8>> {
    Aad::from(gateway.as_str().as_bytes().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(name: &str) -> GatewayId {
        GatewayId::new(name).unwrap()
    }

    #[test]
    fn a_key_opens_with_its_secret_for_its_gateway_and_in_no_other_way() {
        let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let vault = Vault::of(one.path()).unwrap();
        let key = Key::new([7; 32]);
        let kept = vault.seal(&id("west"), &key).unwrap();
        assert!(!kept.0.contains(&key.to_hex()) && !Vault::is_clear(&kept));
        assert_ne!(kept, vault.seal(&id("west"), &key).unwrap(), "twice sealed is not alike");
        assert_eq!(
            Vault::of(one.path()).unwrap().open(&id("west"), &kept).unwrap(),
            key,
            "after a restart too"
        );
        assert!(vault.open(&id("east"), &kept).is_err());
        let stranger = Vault::of(other.path()).unwrap().open(&id("west"), &kept).unwrap_err().to_string();
        assert!(stranger.contains(FILE) && stranger.contains("enrol it anew"), "{stranger}");
        let mut damaged = kept.0.clone().into_bytes();
        *damaged.last_mut().unwrap() ^= 1;
        assert!(vault.open(&id("west"), &KeptKey(String::from_utf8(damaged).unwrap())).is_err());
    }

    #[test]
    fn a_key_that_an_earlier_program_kept_in_clear_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let key = Key::new([9; 32]);
        let kept = KeptKey(key.to_hex());
        assert!(Vault::is_clear(&kept));
        assert_eq!(Vault::of(folder.path()).unwrap().open(&id("west"), &kept).unwrap(), key);
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_may_read_the_secret() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        Vault::of(folder.path()).unwrap();
        let mode = std::fs::metadata(folder.path().join(FILE)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        std::fs::write(folder.path().join(FILE), "short").unwrap();
        assert!(Vault::of(folder.path()).is_err(), "a secret that is none is told");
    }
}
