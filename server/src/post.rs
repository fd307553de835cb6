//! The one client of HTTP: a POST of JSON, over TLS if the address says so. hyper does the work.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper::{HeaderMap, Request, Uri, header};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde::Deserialize;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// How long an exchange may take.
const PATIENCE: Duration = Duration::from_secs(15);

/// Bytes of an answer that are read.
const MOST_ANSWER: usize = 16 * 1024;

/// Where to: `http://host[:port]/path` or `https://…`. It may hold a key: only its host is ever shown.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Address(Uri);

impl Address {
    /// The host.
    #[must_use]
    pub fn host(&self) -> &str {
        self.0.host().unwrap_or_default()
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({}…)", self.host())
    }
}

impl TryFrom<String> for Address {
    type Error = PostError;

    fn try_from(text: String) -> Result<Address, PostError> {
        let uri: Uri = text.parse().map_err(|_| PostError::Address)?;
        let known = matches!(uri.scheme_str(), Some("http" | "https"));
        // A name and a password in front of the host would be sent to nobody, and a port that is no number is passed
        // over: better say so.
        let plain = uri.authority().is_some_and(|authority| {
            let end = authority.as_str().rsplit(']').next().unwrap_or_default();
            !authority.as_str().contains('@') && (!end.contains(':') || uri.port_u16().is_some())
        });
        if known && plain && !uri.host().unwrap_or_default().is_empty() {
            Ok(Address(uri))
        } else {
            Err(PostError::Address)
        }
    }
}

/// Why nothing was answered. Says nothing of the address but its host.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum PostError {
    /// The address is none.
    #[error("an address like http://host[:port]/path or https://host[:port]/path was expected")]
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
    #[error("{0} did not answer within {seconds} s", seconds = PATIENCE.as_secs())]
    Late(String),
}

/// The client. Cheap to clone.
#[derive(Clone)]
pub struct Client(legacy::Client<HttpsConnector<HttpConnector>, Full<Bytes>>);

impl Client {
    /// One that trusts whom the system trusts.
    #[must_use]
    pub fn new() -> Client {
        let mut roots = RootCertStore::empty();
        // One that does not read is passed over; without any, no service is trusted and the log says so.
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        Client::trusting(roots)
    }

    /// One that trusts these.
    #[must_use]
    pub fn trusting(roots: RootCertStore) -> Client {
        let tls = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("ring speaks the versions that are the default")
            .with_root_certificates(roots)
            .with_no_client_auth();
        let connector =
            HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1().build();
        // Messages are rare: a kept connection would be dead by the next one.
        Client(legacy::Client::builder(TokioExecutor::new()).pool_max_idle_per_host(0).build(connector))
    }

    /// Posts JSON with more headers; the answer's status and the beginning of its text.
    ///
    /// # Errors
    /// No answer: see [`PostError`].
    pub async fn post(
        &self,
        to: &Address,
        more: HeaderMap,
        json: String,
    ) -> Result<(u16, String), PostError> {
        let host = to.host().to_owned();
        let mut request = Request::post(to.0.clone())
            .header(header::CONTENT_TYPE, "application/json; charset=utf-8")
            .header(header::USER_AGENT, "chuhe")
            .body(Full::new(Bytes::from(json)))
            .map_err(|_| PostError::Address)?;
        request.headers_mut().extend(more);
        let exchange = async {
            let answer = self.0.request(request).await.map_err(|error| reasons(&error))?;
            let status = answer.status().as_u16();
            let body = Limited::new(answer.into_body(), MOST_ANSWER).collect().await;
            // What is longer than that is no message of a service; its status counts.
            let text = body.map(|body| String::from_utf8_lossy(&body.to_bytes()).into_owned());
            Ok((status, text.unwrap_or_default()))
        };
        match tokio::time::timeout(PATIENCE, exchange).await {
            Ok(answered) => answered.map_err(|why| PostError::Connection { host, why }),
            Err(_) => Err(PostError::Late(host)),
        }
    }
}

impl Default for Client {
    fn default() -> Client {
        Client::new()
    }
}

/// An error and what brought it about.
fn reasons(error: &dyn Error) -> String {
    let mut all = error.to_string();
    let mut next = error.source();
    while let Some(error) = next {
        all.push_str(": ");
        all.push_str(&error.to_string());
        next = error.source();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;
    use tokio_rustls::TlsAcceptor;
    use tokio_rustls::rustls::ServerConfig;
    use tokio_rustls::rustls::pki_types::PrivateKeyDer;

    fn address(text: &str) -> Result<Address, PostError> {
        Address::try_from(text.to_owned())
    }

    #[test]
    fn addresses_read_and_wrong_ones_are_refused() {
        assert_eq!(address("https://a.example/x?y").map(|to| to.host().to_owned()), Ok("a.example".into()));
        assert!(address("http://127.0.0.1:9000").is_ok() && address("http://[::1]:80/x").is_ok());
        for wrong in ["ftp://a/", "a.example", "http://", "http://u@a/", "http://a:x/", "http://a/ b", ""] {
            assert_eq!(address(wrong), Err(PostError::Address), "{wrong}");
        }
    }

    #[test]
    fn no_log_shows_the_key_in_an_address() {
        let to = address("https://a.example/send?key=SECRET").unwrap();
        assert!(!format!("{to:?}").contains("SECRET"));
    }

    #[tokio::test]
    async fn who_is_not_there_is_named_with_the_reason() {
        let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
        let to = address(&format!("http://127.0.0.1:{port}/x?key=SECRET")).unwrap();
        let error = Client::trusting(RootCertStore::empty()).post(&to, HeaderMap::new(), "{}".into()).await;
        let said = error.unwrap_err().to_string();
        assert!(said.contains("127.0.0.1") && said.contains("refused") && !said.contains("SECRET"), "{said}");
    }

    /// A server with a certificate of its own for `localhost`, which answers one request and gives it out.
    async fn over_tls() -> (u16, RootCertStore, tokio::task::JoinHandle<std::io::Result<String>>) {
        let own = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        let key = PrivateKeyDer::Pkcs8(own.signing_key.serialize_der().into());
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![own.cert.der().clone()], key)
            .unwrap();
        let mut roots = RootCertStore::empty();
        roots.add(own.cert.der().clone()).unwrap();
        let listener = TcpListener::bind("localhost:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = tokio::spawn(async move {
            let (socket, _) = listener.accept().await?;
            let mut socket = TlsAcceptor::from(Arc::new(config)).accept(socket).await?;
            let mut text = String::new();
            while !text.ends_with("{\"a\":1}") {
                let mut part = [0; 1024];
                let n = socket.read(&mut part).await?;
                text += &String::from_utf8_lossy(&part[..n]);
            }
            socket.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").await?;
            socket.shutdown().await?;
            Ok(text)
        });
        (port, roots, asked)
    }

    #[tokio::test]
    async fn over_tls_a_known_certificate_is_trusted() {
        let (port, roots, asked) = over_tls().await;
        let to = address(&format!("https://localhost:{port}/hook?x=1")).unwrap();
        let more = HeaderMap::from_iter([(header::ACCEPT, header::HeaderValue::from_static("a/b"))]);
        let answer = Client::trusting(roots).post(&to, more, "{\"a\":1}".into()).await;
        assert_eq!(answer, Ok((200, "ok".to_owned())));
        let text = asked.await.unwrap().unwrap();
        assert!(text.starts_with("POST /hook?x=1 HTTP/1.1\r\n"), "{text}");
        assert!(text.to_lowercase().contains(&format!("host: localhost:{port}")), "{text}");
        assert!(text.to_lowercase().contains("accept: a/b"), "{text}");
    }

    #[tokio::test]
    async fn over_tls_an_unknown_certificate_is_not() {
        let (port, _, asked) = over_tls().await;
        let to = address(&format!("https://localhost:{port}/")).unwrap();
        let answer = Client::trusting(RootCertStore::empty()).post(&to, HeaderMap::new(), "{}".into()).await;
        let said = answer.unwrap_err().to_string();
        assert!(said.contains("certificate"), "{said}");
        assert!(asked.await.unwrap().is_err(), "nothing was told");
    }
}
