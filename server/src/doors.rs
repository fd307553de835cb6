//! Where a server listens: its pages, plain and encrypted, and the encrypted way to its own broker.

use std::net::SocketAddr;

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::gateways::Whereabouts;
use crate::server::{BrokerChoice, ServerError, Settings};
use crate::tls::{self, Identity, TlsListener};

/// Where a server listens, whether it owns the event or stands by. Nobody is answered before somebody takes the
/// listeners.
#[derive(Debug)]
pub struct Doors {
    /// Where the pages are.
    pub address: SocketAddr,
    pages: std::net::TcpListener,
    encrypted: Option<Encrypted>,
}

/// The doors that ask for a handshake.
#[derive(Debug)]
struct Encrypted {
    identity: Identity,
    pages: std::net::TcpListener,
    /// In front of the embedded broker.
    mqtt: Option<std::net::TcpListener>,
}

impl Doors {
    /// Opens them.
    pub fn open(settings: &Settings) -> Result<Doors, ServerError> {
        let pages = bound(settings.listen)?;
        let address =
            pages.local_addr().map_err(|why| ServerError::Listen { address: settings.listen, why })?;
        let encrypted = settings.tls.as_ref().map(|tls| {
            let mqtt = match settings.broker {
                BrokerChoice::Embedded(_) => Some(bound(tls.mqtt)?),
                BrokerChoice::External(_) => None,
            };
            let identity = Identity::of(tls, &settings.data)?;
            Ok::<_, ServerError>(Encrypted { identity, pages: bound(tls.listen)?, mqtt })
        });
        Ok(Doors { address, pages, encrypted: encrypted.transpose()? })
    }

    /// A listener for the pages; another one can be had after it.
    pub fn pages(&self) -> Result<TcpListener, ServerError> {
        again(&self.pages)
    }

    /// A listener for the encrypted pages, if there are any.
    pub(crate) fn encrypted_pages(&self) -> Result<Option<TlsListener>, ServerError> {
        let Some(Encrypted { identity, pages, .. }) = &self.encrypted else { return Ok(None) };
        let failed = |why| ServerError::Listen { address: self.address, why };
        TlsListener::new(again(pages)?, identity).map(Some).map_err(failed)
    }

    /// Encrypts what comes to the broker at `behind`, if that is wanted.
    pub(crate) fn encrypt_mqtt(
        &self,
        behind: SocketAddr,
        stop: &CancellationToken,
    ) -> Result<(), ServerError> {
        if let Some(Encrypted { identity, mqtt: Some(mqtt), .. }) = &self.encrypted {
            tokio::spawn(tls::front(again(mqtt)?, identity.clone(), behind, stop.clone()));
        }
        Ok(())
    }

    /// Where the encrypted pages are.
    #[must_use]
    pub fn encrypted(&self) -> Option<SocketAddr> {
        self.encrypted.as_ref()?.pages.local_addr().ok()
    }

    /// Where gateways that enrol find the broker.
    pub(crate) fn broker(&self, choice: &BrokerChoice) -> Option<Whereabouts> {
        match choice {
            BrokerChoice::Embedded(_) => {
                let port = self.encrypted.as_ref()?.mqtt.as_ref()?.local_addr().ok()?.port();
                Some(Whereabouts { url: format!("mqtts://*:{port}"), pinned: true })
            }
            // Its trust is its own matter: the gateway's configuration is completed by hand.
            BrokerChoice::External(address) => {
                Some(Whereabouts { url: address.url.to_string(), pinned: false })
            }
        }
    }

    /// The pages' address for servers that stand by; empty if it cannot be told.
    pub(crate) fn known(&self, settings: &Settings) -> String {
        if settings.pages.is_none() && self.address.ip().is_unspecified() {
            return String::new();
        }
        self.url(settings)
    }

    /// The pages' address as phones reach it.
    #[must_use]
    pub fn url(&self, settings: &Settings) -> String {
        settings.pages.clone().unwrap_or_else(|| format!("http://{}", self.address))
    }
}

/// A listener for pages at this address.
pub fn listen(address: SocketAddr) -> Result<TcpListener, ServerError> {
    bound(address).and_then(|listener| again(&listener))
}

fn bound(address: SocketAddr) -> Result<std::net::TcpListener, ServerError> {
    let failed = |why| ServerError::Listen { address, why };
    let listener = std::net::TcpListener::bind(address).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    Ok(listener)
}

fn again(listener: &std::net::TcpListener) -> Result<TcpListener, ServerError> {
    listener.try_clone().and_then(TcpListener::from_std).map_err(|why| {
        let address = listener.local_addr().unwrap_or_else(|_| SocketAddr::from(([0, 0, 0, 0], 0)));
        ServerError::Listen { address, why }
    })
}
