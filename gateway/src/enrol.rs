//! Enrolment: a one-time token becomes a key of the gateway's own, over TLS to the server whose certificate the token
//! names. What comes back is written as `gateway.toml`, once.
//!
//! The token is `NAME.SECRET.PIN`: the gateway's name, 32 hexadecimal digits, the fingerprint of the server's
//! certificate.

use std::io::Write;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use firmware_proto::envelope::Key;
use firmware_proto::{GatewayId, VenueId};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper::{Request, header};
use hyper_util::rt::TokioIo;
use serde::{Deserialize, Serialize};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::tls::{Pin, Trust, server_name};

/// How long the server may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Bytes of an answer that are read.
const MOST_ANSWER: usize = 64 * 1024;

/// Where the server takes tokens.
pub const PATH: &str = "/api/v1/enrol";

/// A one-time token.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    /// Who is to be enrolled.
    pub gateway: GatewayId,
    /// What proves it: 32 hexadecimal digits.
    pub secret: String,
    /// Of the server's certificate.
    pub pin: Pin,
}

/// What a gateway asks.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Application {
    /// Its name.
    pub gateway: GatewayId,
    /// The token's secret.
    pub secret: String,
}

/// What a gateway is told.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Admission {
    /// The venue.
    pub venue: VenueId,
    /// Its key, 64 hexadecimal digits.
    pub key: String,
    /// The broker: `mqtts://host:port`; `*` for the host: the one that the server was called by.
    pub broker: String,
    /// Whether the broker shows the certificate that the token names.
    pub pinned: bool,
}

/// Text that is no token. It is not repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "this is no token as `chuhe gateway add` prints them: name, secret and fingerprint, with dots between"
)]
pub struct BadToken;

/// Why a gateway was not enrolled.
#[derive(Debug, thiserror::Error)]
pub enum EnrolError {
    /// No such address.
    #[error("“{0}” is no address: write host:port, as `chuhe gateway add` printed it")]
    Address(String),
    /// No connection, or another server than the token's.
    #[error("{server}: {why}")]
    Connection {
        /// Which server.
        server: String,
        /// What is wrong.
        why: String,
    },
    /// The server does not want it.
    #[error("the server refuses: {0}")]
    Refused(String),
    /// It cannot be written down.
    #[error("{file}: {why}")]
    Write {
        /// Which file.
        file: String,
        /// What the system says.
        why: std::io::Error,
    },
}

impl FromStr for Token {
    type Err = BadToken;

    fn from_str(text: &str) -> Result<Token, BadToken> {
        let mut parts = text.trim().split('.');
        let (Some(gateway), Some(secret), Some(pin), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(BadToken);
        };
        let is_secret = secret.len() == 32 && secret.bytes().all(|byte| byte.is_ascii_hexdigit());
        Ok(Token {
            gateway: gateway.parse().map_err(|_| BadToken)?,
            secret: is_secret.then(|| secret.to_owned()).ok_or(BadToken)?,
            pin: pin.parse().map_err(|_| BadToken)?,
        })
    }
}

impl std::fmt::Display for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Token { gateway, secret, pin } = self;
        write!(f, "{gateway}.{secret}.{pin}")
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Token({})", self.gateway)
    }
}

/// Enrols at the server at `server` (`host:port`) and writes the configuration to `config`, which must not be there yet.
pub async fn enrol(
    server: &str,
    token: &Token,
    config: &Path,
    store: &Path,
    ports: &[String],
) -> Result<(), EnrolError> {
    let written = |why| EnrolError::Write { file: config.display().to_string(), why };
    // It is made before the token is spent: a token that is gone without a key is no use.
    let mut file = create(config).map_err(written)?;
    match ask(server, token).await {
        Ok(admission) => {
            let host = host_of(server)?.0;
            let text = configuration(token, &admission, &host, store, ports);
            file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(written)
        }
        Err(error) => {
            // Only an empty file is taken away again.
            let _gone = std::fs::remove_file(config);
            Err(error)
        }
    }
}

/// A file that only this user may read.
fn create(path: &Path) -> std::io::Result<std::fs::File> {
    use std::os::unix::fs::OpenOptionsExt;
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::File::options().write(true).create_new(true).mode(0o600).open(path)
}

fn configuration(token: &Token, admission: &Admission, host: &str, store: &Path, ports: &[String]) -> String {
    let Token { gateway, pin, .. } = token;
    let Admission { venue, key, broker, pinned } = admission;
    let host = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
    let broker = broker.replace('*', &host);
    let pin = if *pinned { format!("broker_pin = \"{pin}\"\n") } else { String::new() };
    format!(
        "# Written by `chuhe-gateway enrol`. The key is a secret.\nname = \"{gateway}\"\nvenue = \"{venue}\"\n\
         store = {store:?}\nbroker = {broker:?}\n{pin}key = \"{key}\"\nports = {ports:?}\n"
    )
}

fn host_of(server: &str) -> Result<(String, u16), EnrolError> {
    let wrong = || EnrolError::Address(server.to_owned());
    let place = server.trim_start_matches("https://").trim_end_matches('/');
    let (host, port) = place.rsplit_once(':').ok_or_else(wrong)?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    match port.parse() {
        Ok(port) if !host.is_empty() => Ok((host.to_owned(), port)),
        Ok(_) | Err(_) => Err(wrong()),
    }
}

async fn ask(server: &str, token: &Token) -> Result<Admission, EnrolError> {
    match tokio::time::timeout(PATIENCE, exchange(server, token)).await {
        Ok(answered) => answered,
        Err(_) => {
            let why = format!("no answer within {PATIENCE:?}");
            Err(EnrolError::Connection { server: server.to_owned(), why })
        }
    }
}

async fn exchange(server: &str, token: &Token) -> Result<Admission, EnrolError> {
    let broken = |why: &dyn std::fmt::Display| EnrolError::Connection {
        server: server.to_owned(),
        why: why.to_string(),
    };
    let (host, port) = host_of(server)?;
    let trust = Trust::Pinned(token.pin).client_config().map_err(|why| broken(&why))?;
    let name = server_name(&host).map_err(|_| EnrolError::Address(server.to_owned()))?;
    let stream = TcpStream::connect((host.as_str(), port)).await.map_err(|why| broken(&why))?;
    let stream = TlsConnector::from(trust).connect(name, stream).await.map_err(|why| broken(&why))?;
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(|why| broken(&why))?;
    let connection = tokio::spawn(connection);
    let application = Application { gateway: token.gateway.clone(), secret: token.secret.clone() };
    let body = serde_json::to_vec(&application).map_err(|why| broken(&why))?;
    let request = Request::post(PATH)
        .header(header::HOST, format!("{host}:{port}"))
        .header(header::CONTENT_TYPE, "application/json")
        .body(Full::new(Bytes::from(body)))
        .map_err(|why| broken(&why))?;
    let answer = sender.send_request(request).await.map_err(|why| broken(&why))?;
    let status = answer.status();
    let body = Limited::new(answer.into_body(), MOST_ANSWER).collect().await.map_err(|why| broken(&why))?;
    connection.abort();
    let body = body.to_bytes();
    if !status.is_success() {
        return Err(EnrolError::Refused(format!("{status}: {}", String::from_utf8_lossy(&body))));
    }
    let admission: Admission = serde_json::from_slice(&body).map_err(|why| broken(&why))?;
    Key::from_hex(&admission.key).map_err(|why| broken(&why))?;
    Ok(admission)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token() -> Token {
        Token { gateway: "row-1".parse().unwrap(), secret: "0f".repeat(16), pin: Pin::of(b"certificate") }
    }

    #[test]
    fn a_token_reads_back_and_one_with_a_slip_is_refused_without_being_repeated() {
        assert_eq!(token().to_string().parse(), Ok(token()));
        for slip in [token().to_string().replace("0f0f", "0f"), "row-1".into(), format!("{}.x", token())] {
            let said = slip.parse::<Token>().unwrap_err().to_string();
            assert!(!said.contains("0f0f"), "{said}");
        }
    }

    #[test]
    fn what_is_written_is_a_configuration() {
        let admission = Admission {
            venue: "hall".parse().unwrap(),
            key: "ab".repeat(32),
            broker: "mqtts://*:8883".into(),
            pinned: true,
        };
        let ports = ["/dev/ttyACM*".to_owned()];
        let text = configuration(&token(), &admission, "fe80::1", Path::new("/var/lib/x"), &ports);
        let config = crate::Config::parse(&text).unwrap();
        assert_eq!(config.name.as_str(), "row-1");
        assert_eq!((config.broker.host.as_str(), config.broker.port), ("fe80::1", 8883));
        assert_eq!(config.broker_pin, Some(token().pin));
    }
}
