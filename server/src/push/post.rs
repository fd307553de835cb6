//! One POST of JSON, over TLS if the address says so.

use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper::{Request, Uri, header};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use super::robot::Letter;

/// How long a service may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Bytes of an answer that are read.
const MOST_ANSWER: usize = 16 * 1024;

/// Why a letter did not arrive. Says nothing of the address: it holds a key.
#[derive(Debug, thiserror::Error)]
pub enum PostError {
    /// The address is none.
    #[error("the address is not http:// or https:// with a host")]
    Address,
    /// No connection, or it broke.
    #[error("no connection to {host}: {why}")]
    Connection {
        /// Which host.
        host: String,
        /// What the system says.
        why: String,
    },
    /// It took too long.
    #[error("{0} did not answer within 10 s")]
    Late(String),
}

/// Sends a letter; the answer's status and text.
pub async fn post(letter: &Letter) -> Result<(u16, String), PostError> {
    let uri: Uri = letter.url.parse().map_err(|_| PostError::Address)?;
    let host = uri.host().ok_or(PostError::Address)?.to_owned();
    match tokio::time::timeout(PATIENCE, exchange(&uri, &host, letter)).await {
        Ok(answered) => answered,
        Err(_) => Err(PostError::Late(host)),
    }
}

async fn exchange(uri: &Uri, host: &str, letter: &Letter) -> Result<(u16, String), PostError> {
    let broken =
        |why: &dyn std::fmt::Display| PostError::Connection { host: host.to_owned(), why: why.to_string() };
    let tls = match uri.scheme_str() {
        Some("https") => true,
        Some("http") => false,
        Some(_) | None => return Err(PostError::Address),
    };
    let port = uri.port_u16().unwrap_or(if tls { 443 } else { 80 });
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let stream = TcpStream::connect((bare, port)).await.map_err(|why| broken(&why))?;
    if !tls {
        return talk(stream, uri, host, letter).await;
    }
    let name = ServerName::try_from(bare.to_owned()).map_err(|_| PostError::Address)?;
    let connector = TlsConnector::from(Arc::new(trusting_the_system()));
    let stream = connector.connect(name, stream).await.map_err(|why| broken(&why))?;
    talk(stream, uri, host, letter).await
}

fn trusting_the_system() -> ClientConfig {
    let mut roots = RootCertStore::empty();
    // One that does not read is passed over; without any, no service is trusted and the log says so.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    ClientConfig::builder().with_root_certificates(roots).with_no_client_auth()
}

async fn talk<S>(stream: S, uri: &Uri, host: &str, letter: &Letter) -> Result<(u16, String), PostError>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let broken =
        |why: &dyn std::fmt::Display| PostError::Connection { host: host.to_owned(), why: why.to_string() };
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(|why| broken(&why))?;
    let connection = tokio::spawn(connection);
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    let authority = uri.authority().map_or(host, |authority| authority.as_str());
    let request = Request::post(path)
        .header(header::HOST, authority)
        .header(header::CONTENT_TYPE, "application/json; charset=utf-8")
        .body(Full::new(Bytes::from(letter.body.to_string())))
        .map_err(|_| PostError::Address)?;
    let answer = sender.send_request(request).await.map_err(|why| broken(&why))?;
    let status = answer.status().as_u16();
    let body = Limited::new(answer.into_body(), MOST_ANSWER).collect().await.map_err(|why| broken(&why))?;
    connection.abort();
    Ok((status, String::from_utf8_lossy(&body.to_bytes()).into_owned()))
}
