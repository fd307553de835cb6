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
use std::sync::Arc;
use std::time::Duration;

use hall::view::GameStatus;
use hmac::{Hmac, KeyInit, Mac};
use rustls_native_certs::load_native_certs;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto};
use tokio_util::sync::CancellationToken;
use tournament::RoundNo;
use web::{Hub, Shown};

use crate::time;

/// How long one attempt may take.
const PATIENCE: Duration = Duration::from_secs(15);

/// Pauses between attempts.
const PAUSES: [u64; 8] = [1, 5, 30, 120, 600, 1800, 3600, 3600];

/// An address that wants to be told.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Webhook {
    /// Where to.
    pub url: WebhookUrl,
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

/// `http://host[:port]/path` or `https://…`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct WebhookUrl {
    tls: bool,
    host: String,
    port: u16,
    path: String,
}

impl TryFrom<String> for WebhookUrl {
    type Error = String;

    fn try_from(text: String) -> Result<WebhookUrl, String> {
        let wrong = || format!("“{text}” is no address: http://host[:port]/path or https://… was expected");
        let (scheme, rest) = text.split_once("://").ok_or_else(wrong)?;
        let tls = match scheme {
            "http" => false,
            "https" => true,
            _ => return Err(wrong()),
        };
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) => (host, port.parse().map_err(|_| wrong())?),
            None => (authority, if tls { 443 } else { 80 }),
        };
        let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic());
        if host.is_empty() || host.contains('@') || !plain(host) || !plain(path) {
            return Err(wrong());
        }
        Ok(WebhookUrl { tls, host: host.to_owned(), port, path: format!("/{path}") })
    }
}

/// What is told of a finished round; `None` while one of its games is not over.
fn finished(shown: &Shown, round: RoundNo) -> Option<String> {
    let view = shown.rounds.get(&round)?;
    let with_games = view.pairings.iter().filter_map(|pairing| Some((pairing.table?, pairing.status)));
    let over = |(table, status): (tournament::TableNo, GameStatus)| {
        let status = shown.games.get(&(round, table)).map_or(status, |game| game.status);
        matches!(status, GameStatus::Finished(_))
    };
    if shown.without_results || !with_games.clone().all(over) || with_games.count() == 0 {
        return None;
    }
    Some(web::round_json(shown, round))
}

/// Tells every address of every finished round until `stop` is called.
pub(crate) async fn push(public: Hub, webhooks: Vec<Webhook>, stop: CancellationToken) {
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
                    tokio::spawn(deliver(webhook, digest.clone(), body.clone(), stop.clone()));
                }
            }
        }
        first = first && over.is_empty();
    }
}

async fn deliver(webhook: Webhook, digest: String, body: String, stop: CancellationToken) {
    let host = &webhook.url.host;
    for pause in PAUSES.into_iter().map(Some).chain([None]) {
        let told = tokio::time::timeout(PATIENCE, post(&webhook, &digest, &body)).await;
        let why = match told {
            Ok(Ok(200..=299)) => return tracing::info!(host, digest, "a finished round was told"),
            Ok(Ok(status)) => format!("the answer was {status}"),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "no answer in time".to_owned(),
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

/// One attempt; the answer's status.
async fn post(webhook: &Webhook, digest: &str, body: &str) -> std::io::Result<u16> {
    let WebhookUrl { tls, host, port, path } = &webhook.url;
    let at = time::wall().0 / 1000;
    let signature = sign(&webhook.secret, at, body);
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: chuhe\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\nX-Chuhe-Delivery: {digest}\r\nX-Chuhe-Timestamp: {at}\r\n\
         X-Chuhe-Signature: sha256={signature}\r\n\r\n{body}",
        body.len()
    );
    let socket = TcpStream::connect((host.as_str(), *port)).await?;
    if !tls {
        return ask(socket, &request).await;
    }
    let other = |error: &dyn fmt::Display| std::io::Error::other(error.to_string());
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(load_native_certs().certs);
    let provider = Arc::new(crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| other(&error))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(host.clone()).map_err(|error| other(&error))?;
    ask(TlsConnector::from(Arc::new(config)).connect(name, socket).await?, &request).await
}

async fn ask(mut socket: impl AsyncRead + AsyncWrite + Unpin, request: &str) -> std::io::Result<u16> {
    socket.write_all(request.as_bytes()).await?;
    socket.flush().await?;
    let mut head = Vec::new();
    // `HTTP/1.1 204`: the rest is of no interest.
    while head.len() < 12 {
        if socket.read_buf(&mut head).await? == 0 {
            break;
        }
    }
    let text = String::from_utf8_lossy(&head);
    let status = text.strip_prefix("HTTP/1.").and_then(|rest| rest.get(2..5)?.parse().ok());
    status.ok_or_else(|| std::io::Error::other("the answer is no HTTP"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;

    fn url(text: &str) -> Result<WebhookUrl, String> {
        WebhookUrl::try_from(text.to_owned())
    }

    #[test]
    fn addresses_read_and_wrong_ones_are_named() {
        let full = WebhookUrl { tls: true, host: "a.example".into(), port: 443, path: "/x?y".into() };
        assert_eq!(url("https://a.example/x?y"), Ok(full));
        assert_eq!(url("http://127.0.0.1:9000").map(|url| (url.port, url.path)), Ok((9000, "/".to_owned())));
        for wrong in ["ftp://a/", "a.example", "http://", "http://u@a/", "http://a:x/", "http://a/ b"] {
            assert!(url(wrong).unwrap_err().contains(wrong), "{wrong}");
        }
    }

    #[test]
    fn a_signature_is_the_hmac_of_time_and_body() {
        // printf '1700000000.{}' | openssl dgst -sha256 -hmac key
        let known = sign(&Secret("key".to_owned()), 1_700_000_000, "{}");
        assert_eq!(known.len(), 64);
        assert_ne!(known, sign(&Secret("key".to_owned()), 1_700_000_001, "{}"));
        assert_ne!(known, sign(&Secret("kez".to_owned()), 1_700_000_000, "{}"));
    }

    #[tokio::test]
    async fn what_is_not_taken_is_told_again() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let at = listener.local_addr().unwrap();
        let webhook =
            Webhook { url: url(&format!("http://{at}/hook")).unwrap(), secret: Secret("key".to_owned()) };
        let body = "{\"round\":3}".to_owned();
        let telling =
            tokio::spawn(deliver(webhook.clone(), "d1".into(), body.clone(), CancellationToken::new()));
        for answer in ["HTTP/1.1 500 No\r\n\r\n", "HTTP/1.1 204 Yes\r\n\r\n"] {
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
            let signed = sign(&webhook.secret, header("X-Chuhe-Timestamp").parse().unwrap(), &body);
            assert_eq!(header("X-Chuhe-Signature"), format!("sha256={signed}"));
            assert_eq!(header("X-Chuhe-Delivery"), "d1", "a repetition is known as one");
            socket.write_all(answer.as_bytes()).await.unwrap();
        }
        telling.await.unwrap();
    }
}
