//! The signed release of game records: after each round the head of the journal's chain of hashes, signed with the key
//! of this server. Whoever has a release can prove later what the journal said then: a changed entry changes the head.
//!
//! The key is made at the first need and lies in the data folder, readable for this user only. Its public half is in
//! each release; note it down at the opening of the event (an arbiter's paper is enough).

use std::io::Write;
use std::path::Path;

use anyhow::{Context, anyhow, bail};
use ring::rand::SystemRandom;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use serde::{Deserialize, Serialize};
use store::Link;

/// The key's file in the data folder.
const FILE: &str = "release.key";

/// The head of the journal at the end of a round, signed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Release {
    /// The venue.
    pub venue: String,
    /// The round that was over.
    pub round: u16,
    /// The journal's entry that says so.
    pub entry: u64,
    /// The hash of that entry, which covers all before it: 64 hexadecimal digits.
    pub head: String,
    /// The public key, hexadecimal.
    pub key: String,
    /// The Ed25519 signature over [`Release::text`], hexadecimal.
    pub signature: String,
}

impl Release {
    /// What is signed: these lines, so that any program can check it.
    #[must_use]
    pub fn text(&self) -> String {
        let Release { venue, round, entry, head, .. } = self;
        format!("chuhe release 1\nvenue {venue}\nround {round}\nentry {entry}\nhead {head}\n")
    }

    /// Whether the signature is this key's; whose key it is, is for people to know.
    pub fn check_signature(&self) -> anyhow::Result<()> {
        let (key, signature) = (from_hex(&self.key)?, from_hex(&self.signature)?);
        UnparsedPublicKey::new(&ED25519, key)
            .verify(self.text().as_bytes(), &signature)
            .map_err(|_| anyhow!("round {}: the signature does not fit the key and the text", self.round))
    }

    /// Whether this journal is the one that was released, up to that entry.
    pub fn check_journal(&self, chain: &[Link]) -> anyhow::Result<()> {
        let index = usize::try_from(self.entry)?.checked_sub(1).context("entry 0")?;
        match chain.get(index) {
            Some((_, hash)) if hex(hash) == self.head => Ok(()),
            Some((_, hash)) => bail!(
                "round {}: entry {} or one before it was changed: its head is {}, released was {}",
                self.round,
                self.entry,
                hex(hash),
                self.head
            ),
            None => bail!("round {}: the journal has no entry {}, it was cut", self.round, self.entry),
        }
    }
}

/// Signs releases.
pub struct Sealer(Ed25519KeyPair);

impl Sealer {
    /// The key of this data folder; made if there is none.
    pub fn of(folder: &Path) -> anyhow::Result<Sealer> {
        let path = folder.join(FILE);
        let named = || path.display().to_string();
        if !path.exists() {
            let made = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new())
                .map_err(|_| anyhow!("this system gives no random numbers for a key"))?;
            write_secret(&path, made.as_ref()).with_context(named)?;
        }
        let bytes = std::fs::read(&path).with_context(named)?;
        let pair = Ed25519KeyPair::from_pkcs8(&bytes).map_err(|why| anyhow!("{}: {why}", named()))?;
        Ok(Sealer(pair))
    }

    /// One release for each round that is over in this journal.
    #[must_use]
    pub fn releases(&self, venue: &str, chain: &[Link]) -> Vec<Release> {
        chain.iter().filter_map(|link| self.release(venue, link)).collect()
    }

    fn release(&self, venue: &str, (line, hash): &Link) -> Option<Release> {
        let fact: serde_json::Value = serde_json::from_str(&line.fact).ok()?;
        let round = u16::try_from(fact.get("round_over")?.as_u64()?).ok()?;
        let mut release = Release {
            venue: venue.to_owned(),
            round,
            entry: line.no,
            head: hex(hash),
            key: hex(self.0.public_key().as_ref()),
            signature: String::new(),
        };
        release.signature = hex(self.0.sign(release.text().as_bytes()).as_ref());
        Some(release)
    }
}

/// Writes a file that only this user may read; it must not be there yet.
pub fn write_secret(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    let mut file = std::fs::File::options().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// As hexadecimal digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// From hexadecimal digits.
pub fn from_hex(text: &str) -> anyhow::Result<Vec<u8>> {
    let wrong = || anyhow!("“{text}” is not hexadecimal");
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else { return Err(wrong()) };
    let digit = |d: u8| char::from(d).to_digit(16).ok_or_else(wrong);
    pairs.iter().map(|pair| Ok((digit(pair[0])? << 4 | digit(pair[1])?) as u8)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use firmware_proto::Epoch;
    use store::Line;

    fn link(no: u64, fact: &str, hash: u8) -> Link {
        let line = Line { no, at: Epoch(1), by: "\"hall\"".into(), version: 1, fact: fact.into() };
        (line, [hash; 32])
    }

    fn journal() -> Vec<Link> {
        vec![
            link(1, "{\"opened\":{}}", 1),
            link(2, "{\"round_over\":1}", 2),
            link(3, "{\"round_over\":2}", 3),
        ]
    }

    #[test]
    fn each_round_that_is_over_is_released_under_the_same_key() {
        let folder = tempfile::tempdir().unwrap();
        let releases = Sealer::of(folder.path()).unwrap().releases("hall", &journal());
        assert_eq!(releases.iter().map(|it| (it.round, it.entry)).collect::<Vec<_>>(), [(1, 2), (2, 3)]);
        assert_eq!(Sealer::of(folder.path()).unwrap().releases("hall", &journal()), releases);
        for release in &releases {
            release.check_signature().unwrap();
            release.check_journal(&journal()).unwrap();
        }
    }

    #[test]
    fn a_changed_release_and_a_changed_or_shortened_journal_are_found_out() {
        let folder = tempfile::tempdir().unwrap();
        let releases = Sealer::of(folder.path()).unwrap().releases("hall", &journal());
        let forged = Release { head: "00".repeat(32), ..releases[1].clone() };
        assert!(forged.check_signature().is_err());
        let mut changed = journal();
        changed[2].1 = [9; 32];
        let said = releases[1].check_journal(&changed).unwrap_err().to_string();
        assert!(said.contains("round 2") && said.contains("changed"), "{said}");
        let said = releases[1].check_journal(&journal()[..2]).unwrap_err().to_string();
        assert!(said.contains("cut"), "{said}");
    }

    #[test]
    fn the_key_is_for_this_user_only() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let _key = Sealer::of(folder.path()).unwrap();
        let mode = std::fs::metadata(folder.path().join(FILE)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
