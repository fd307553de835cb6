//! TLS: the server's certificate, given or made by itself at its first start, and connections under it.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use gateway::Pin;
use serde::Deserialize;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ServerConfig};
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;

use crate::seal::write_secret;

/// How long a handshake may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Connections whose handshake is done and that nobody took yet.
const WAITING: usize = 64;

/// `[tls]` of `chuhe.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TlsSetup {
    /// Where the pages are served over HTTPS, beside plain HTTP.
    #[serde(default = "default_listen")]
    pub listen: SocketAddr,
    /// Where the embedded broker takes MQTT over TLS, beside plain MQTT.
    #[serde(default = "default_mqtt")]
    pub mqtt: SocketAddr,
    /// A certificate with its chain (PEM); without it the server makes its own.
    #[serde(default)]
    pub certificate: Option<PathBuf>,
    /// Its private key (PEM).
    #[serde(default)]
    pub key: Option<PathBuf>,
    /// Names and addresses that stand in the server's own certificate, beside this machine's.
    #[serde(default)]
    pub names: Vec<String>,
    /// Whether browsers that come over plain HTTP from elsewhere are led to HTTPS.
    #[serde(default)]
    pub redirect: bool,
}

fn default_listen() -> SocketAddr {
    SocketAddr::from(([0, 0, 0, 0], 8443))
}

fn default_mqtt() -> SocketAddr {
    SocketAddr::from(([0, 0, 0, 0], 8883))
}

/// Why there is no TLS.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read or written, or holds something else.
    #[error("{file}: {why}")]
    File {
        /// Which file.
        file: String,
        /// What is wrong.
        why: String,
    },
    /// The certificate and the key do not go together, or the library refuses them.
    #[error("{file}: the certificate cannot be used: {why}")]
    Unfit {
        /// The certificate's file.
        file: String,
        /// Why.
        why: rustls::Error,
    },
    /// No certificate can be made.
    #[error("cannot make a certificate: {0}")]
    Make(#[from] rcgen::Error),
}

/// The server's certificate and key.
#[derive(Clone, Debug)]
pub struct Identity {
    config: Arc<ServerConfig>,
    /// The certificate's fingerprint.
    pub pin: Pin,
}

impl Identity {
    /// The given certificate, or the server's own in the data folder, which is made if it is not there.
    pub fn of(setup: &TlsSetup, data: &Path) -> Result<Identity, TlsError> {
        let (certificate, key) = match (&setup.certificate, &setup.key) {
            (Some(certificate), Some(key)) => (certificate.clone(), key.clone()),
            // A configuration with only one of them is refused before.
            (None, _) | (_, None) => own(&setup.names, &data.join("tls"))?,
        };
        let named = |file: &Path, why: &dyn std::fmt::Display| TlsError::File {
            file: file.display().to_string(),
            why: why.to_string(),
        };
        let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(&certificate)
            .and_then(Iterator::collect)
            .map_err(|why| named(&certificate, &why))?;
        let first =
            chain.first().ok_or_else(|| named(&certificate, &"there is no certificate (PEM) in it"))?;
        let pin = Pin::of(first);
        let key = PrivateKeyDer::from_pem_file(&key).map_err(|why| named(&key, &why))?;
        let unfit = |why| TlsError::Unfit { file: certificate.display().to_string(), why };
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key))
            .map_err(unfit)?;
        Ok(Identity { config: Arc::new(config), pin })
    }

    fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(self.config.clone())
    }
}

/// The server's own certificate and key, made if they are not there. They stay the same as long as nobody removes them:
/// gateways and browsers know the server by this certificate.
fn own(names: &[String], folder: &Path) -> Result<(PathBuf, PathBuf), TlsError> {
    let (certificate, key) = (folder.join("server.pem"), folder.join("server.key"));
    if certificate.exists() && key.exists() {
        return Ok((certificate, key));
    }
    let written = |file: &Path, why: io::Error| TlsError::File {
        file: file.display().to_string(),
        why: why.to_string(),
    };
    let mut called: Vec<String> = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).to_vec();
    called.extend(std::fs::read_to_string("/etc/hostname").ok().map(|name| name.trim().to_owned()));
    called.extend(outward().map(|address| address.to_string()));
    called.extend(names.iter().cloned());
    called.retain(|name| !name.is_empty());
    called.sort();
    called.dedup();
    let mut parameters = rcgen::CertificateParams::new(called.clone())?;
    parameters.distinguished_name.push(rcgen::DnType::CommonName, "Chuhe");
    // A box whose clock is not set yet is to be believed too; who is meant is told by the fingerprint.
    parameters.not_before = rcgen::date_time_ymd(2020, 1, 1);
    parameters.not_after = rcgen::date_time_ymd(2050, 1, 1);
    let pair = rcgen::KeyPair::generate()?;
    let made = parameters.self_signed(&pair)?;
    std::fs::create_dir_all(folder).map_err(|why| written(folder, why))?;
    // A half that an interrupted start left is no use without the other.
    for half in [&certificate, &key] {
        let _none = std::fs::remove_file(half);
    }
    write_secret(&key, pair.serialize_pem().as_bytes()).map_err(|why| written(&key, why))?;
    std::fs::write(&certificate, made.pem()).map_err(|why| written(&certificate, why))?;
    tracing::info!(names = called.join(", "), file = %certificate.display(), "made a certificate for TLS");
    Ok((certificate, key))
}

/// The address by which others reach this machine, if it has a route to anywhere. Nothing is sent.
fn outward() -> Option<std::net::IpAddr> {
    let socket = std::net::UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("192.0.2.1:9").ok()?;
    Some(socket.local_addr().ok()?.ip())
}

/// Connections after their handshake, for the pages.
#[derive(Debug)]
pub struct TlsListener {
    address: SocketAddr,
    ready: mpsc::Receiver<(TlsStream<TcpStream>, SocketAddr)>,
}

impl TlsListener {
    /// Shakes hands behind this listener until it is dropped. A slow visitor holds up nobody.
    pub fn new(listener: TcpListener, identity: &Identity) -> io::Result<TlsListener> {
        let address = listener.local_addr()?;
        let (give, ready) = mpsc::channel(WAITING);
        tokio::spawn(shake(listener, identity.acceptor(), give));
        Ok(TlsListener { address, ready })
    }
}

impl axum::serve::Listener for TlsListener {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        match self.ready.recv().await {
            Some(connection) => connection,
            // Its task lives as long as this does.
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.address)
    }
}

async fn shake(
    listener: TcpListener,
    acceptor: TlsAcceptor,
    give: mpsc::Sender<(TlsStream<TcpStream>, SocketAddr)>,
) {
    loop {
        let (stream, peer) = tokio::select! {
            () = give.closed() => return,
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Too many open files, usually: they get fewer.
                    tracing::warn!(%error, "cannot take a connection");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            },
        };
        let (acceptor, give) = (acceptor.clone(), give.clone());
        tokio::spawn(async move {
            match tokio::time::timeout(PATIENCE, acceptor.accept(stream)).await {
                // Whoever listens may have ended.
                Ok(Ok(stream)) => drop(give.send((stream, peer)).await),
                Ok(Err(error)) => tracing::debug!(%peer, %error, "no handshake"),
                Err(_) => tracing::debug!(%peer, "a handshake took too long"),
            }
        });
    }
}

/// Takes off the encryption in front of a listener on this machine that knows none: the embedded broker.
pub async fn front(
    listener: TcpListener,
    identity: Identity,
    behind: SocketAddr,
    stop: CancellationToken,
) -> io::Result<()> {
    let mut encrypted = TlsListener::new(listener, &identity)?;
    loop {
        let (mut outside, peer) = tokio::select! {
            () = stop.cancelled() => return Ok(()),
            accepted = axum::serve::Listener::accept(&mut encrypted) => accepted,
        };
        let stop = stop.clone();
        tokio::spawn(async move {
            let carried = async {
                let mut inside = TcpStream::connect(behind).await?;
                inside.set_nodelay(true)?;
                tokio::io::copy_bidirectional(&mut outside, &mut inside).await
            };
            tokio::select! {
                () = stop.cancelled() => {}
                ended = carried => {
                    if let Err(error) = ended {
                        tracing::debug!(%peer, %error, "a connection broke");
                    }
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup() -> TlsSetup {
        toml::from_str("names = [\"chuhe.lan\"]").unwrap()
    }

    #[test]
    fn the_own_certificate_is_made_once_and_its_key_is_for_this_user_only() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let first = Identity::of(&setup(), folder.path()).unwrap();
        assert_eq!(Identity::of(&setup(), folder.path()).unwrap().pin, first.pin);
        let mode = std::fs::metadata(folder.path().join("tls/server.key")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_given_certificate_that_is_none_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("cert.pem");
        std::fs::write(&file, "nothing").unwrap();
        let given = TlsSetup { certificate: Some(file.clone()), key: Some(file.clone()), ..setup() };
        let error = Identity::of(&given, folder.path()).unwrap_err().to_string();
        assert!(error.contains("cert.pem") && error.contains("no certificate"), "{error}");
    }

    #[test]
    fn a_key_of_another_certificate_is_refused() {
        let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for folder in [&one, &other] {
            Identity::of(&setup(), folder.path()).unwrap();
        }
        let given = TlsSetup {
            certificate: Some(one.path().join("tls/server.pem")),
            key: Some(other.path().join("tls/server.key")),
            ..setup()
        };
        let error = Identity::of(&given, one.path()).unwrap_err();
        assert!(matches!(error, TlsError::Unfit { .. }), "{error}");
    }
}
