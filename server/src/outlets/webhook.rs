//! Addresses that are told when a round is finished: one signed POST with the round's pairings, games and the standing.
//!
//! ```text
//! POST …  Content-Type: application/json
//! X-Chuhe-Delivery: <digest of what is told: the same for a repetition, another for a correction>
//! X-Chuhe-Timestamp: <seconds since 1970>
//! X-Chuhe-Signature: sha256=<HMAC-SHA256 under the secret, hex, of "<timestamp>.<body>">
//! ```
//!
//! Any answer from 200 to 299 is "taken". Otherwise it is tried again, ever later, for about three hours. After a restart the
//! newest finished round is told once more: the receiver knows by the delivery's digest what it has.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use hall::view::GameStatus;
use hmac::{Hmac, KeyInit, Mac};
use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;
use tournament::RoundNo;
use web::{Hub, Shown};

use crate::post::{Address, Client};
use crate::time;

/// Pauses between attempts.
const PAUSES: [u64; 8] = [1, 5, 30, 120, 600, 1800, 3600, 3600];

/// An address that wants to be told.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Webhook {
    /// Where to.
    pub url: Address,
    /// What the receiver checks the signature with.
    pub secret: Secret,
}

/// A text that no log shows.
#[derive(Clone, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// What is told of a finished round; `None` while one of its games is not over.
fn finished(shown: &Shown, round: RoundNo) -> Option<String> {
    let view = shown.rounds.get(&round)?;
    let with_games = view.pairings.iter().filter_map(|pairing| Some((pairing.table?, pairing.status)));
    let over = |(table, status): (tournament::TableNo, GameStatus)| {
        let status = shown.games.get(&(round, table)).map_or(status, |game| game.status);
        status.is_over()
    };
    if shown.without_results || !with_games.clone().all(over) || with_games.count() == 0 {
        return None;
    }
    Some(web::round_json(shown, round))
}

/// Tells every address of every finished round until `stop` is called.
pub(crate) async fn push(public: Hub, webhooks: Vec<Webhook>, stop: CancellationToken) {
    let client = Client::new();
    let (mut known, mut first) = (BTreeSet::new(), true);
    let mut looks = tokio::time::interval(Duration::from_secs(2));
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = looks.tick() => {}
        }
        let shown = public.shown();
        let over: Vec<String> = shown.rounds.keys().filter_map(|round| finished(&shown, *round)).collect();
        for (i, body) in over.iter().enumerate() {
            let digest = hex(&Sha256::digest(body));
            let old = first && i + 1 < over.len();
            if known.insert(digest.clone()) && !old {
                for webhook in webhooks.iter().cloned() {
                    tokio::spawn(deliver(
                        client.clone(),
                        webhook,
                        digest.clone(),
                        body.clone(),
                        stop.clone(),
                    ));
                }
            }
        }
        first = first && over.is_empty();
    }
}

async fn deliver(client: Client, webhook: Webhook, digest: String, body: String, stop: CancellationToken) {
    let host = webhook.url.host();
    for pause in PAUSES.into_iter().map(Some).chain([None]) {
        let told = client.post(&webhook.url, headers(&webhook, &digest, &body), body.clone()).await;
        let why = match told {
            Ok((200..=299, _)) => return tracing::info!(host, digest, "a finished round was told"),
            Ok((status, _)) => format!("the answer was {status}"),
            Err(error) => error.to_string(),
        };
        let Some(pause) = pause else {
            return tracing::error!(host, why, "a finished round could not be told; given up");
        };
        tracing::warn!(host, why, pause, "a finished round could not be told yet");
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(Duration::from_secs(pause)) => {}
        }
    }
}

/// The signature of a body.
fn sign(secret: &Secret, at: i64, body: &str) -> String {
    let mut mac =
        Hmac::<Sha256>::new_from_slice(secret.0.as_bytes()).expect("a key of any length is one for HMAC");
    mac.update(format!("{at}.{body}").as_bytes());
    hex(&mac.finalize().into_bytes())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What the receiver knows a telling by: its number, the time and the signature.
fn headers(webhook: &Webhook, digest: &str, body: &str) -> HeaderMap {
    let at = time::wall().0 / 1000;
    let signature = format!("sha256={}", sign(&webhook.secret, at, body));
    let all = [
        (HeaderName::from_static("x-chuhe-delivery"), digest.to_owned()),
        (HeaderName::from_static("x-chuhe-timestamp"), at.to_string()),
        (HeaderName::from_static("x-chuhe-signature"), signature),
    ];
    let plain = |value: String| HeaderValue::from_str(&value).expect("digits and hex are plain ASCII");
    all.into_iter().map(|(name, value)| (name, plain(value))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    #[test]
    fn a_signature_is_the_hmac_of_time_and_body() {
        // printf '1700000000.{}' | openssl dgst -sha256 -hmac key
        let known = sign(&Secret("key".to_owned()), 1_700_000_000, "{}");
        assert_eq!(known, "9d713ed406bb7076d4123f0dc2c39d2df5c654ed4b0cd56b52c8b4c940bd63ae");
        assert_ne!(known, sign(&Secret("key".to_owned()), 1_700_000_001, "{}"));
        assert_ne!(known, sign(&Secret("kez".to_owned()), 1_700_000_000, "{}"));
    }

    #[tokio::test]
    async fn what_is_not_taken_is_told_again() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let at = listener.local_addr().unwrap();
        let webhook = Webhook {
            url: Address::try_from(format!("http://{at}/hook")).unwrap(),
            secret: Secret("key".to_owned()),
        };
        let body = "{\"round\":3}".to_owned();
        let telling = tokio::spawn(deliver(
            Client::new(),
            webhook.clone(),
            "d1".into(),
            body.clone(),
            CancellationToken::new(),
        ));
        for answer in ["HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n", "HTTP/1.1 204 Yes\r\n\r\n"] {
            let (mut socket, _) = listener.accept().await.unwrap();
            let mut text = String::new();
            while !text.ends_with(&body) {
                let mut part = [0; 1024];
                let n = socket.read(&mut part).await.unwrap();
                text += std::str::from_utf8(&part[..n]).unwrap();
            }
            let header = |name: &str| {
                text.split(&format!("{name}: ")).nth(1).unwrap().lines().next().unwrap().to_owned()
            };
            assert!(text.starts_with("POST /hook HTTP/1.1\r\n"));
            let signed = sign(&webhook.secret, header("x-chuhe-timestamp").parse().unwrap(), &body);
            assert_eq!(header("x-chuhe-signature"), format!("sha256={signed}"));
            assert_eq!(header("x-chuhe-delivery"), "d1", "a repetition is known as one");
            socket.write_all(answer.as_bytes()).await.unwrap();
        }
        telling.await.unwrap();
    }
}
