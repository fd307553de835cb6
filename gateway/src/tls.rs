//! Whom a gateway trusts at the other end of a TLS connection: an authority, or one certificate by its fingerprint.
//!
//! A venue's server makes its certificate itself. No authority vouches for it, and its address changes with the venue;
//! its fingerprint, which comes with the token of the enrolment, says who it is.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use sha2::{Digest, Sha256};
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{
    self, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};

/// The SHA-256 of a certificate: 64 hexadecimal digits, as `openssl x509 -fingerprint -sha256` prints them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Pin([u8; 32]);

/// Text that is no fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a fingerprint is 64 hexadecimal digits, with or without colons")]
pub struct BadPin;

/// Whom to trust.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Whoever has a certificate of this authority (PEM), in the name that was called.
    Authority(Vec<u8>),
    /// Whoever has the certificate of this fingerprint, under whatever name.
    Pinned(Pin),
}

/// Why nobody can be trusted.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// The authority's file holds no certificate.
    #[error("no certificate (PEM) is in it: {0}")]
    NoCertificate(String),
    /// The library refuses.
    #[error(transparent)]
    Tls(#[from] Error),
}

impl Pin {
    /// Of a certificate (DER).
    #[must_use]
    pub fn of(certificate: &[u8]) -> Pin {
        Pin(Sha256::digest(certificate).into())
    }
}

impl FromStr for Pin {
    type Err = BadPin;

    fn from_str(text: &str) -> Result<Pin, BadPin> {
        let digits: Vec<u8> = text.trim().bytes().filter(|byte| *byte != b':').collect();
        let (pairs, []) = digits.as_chunks::<2>() else { return Err(BadPin) };
        let digit = |d: u8| char::from(d).to_digit(16).ok_or(BadPin);
        let bytes: Vec<u8> = pairs
            .iter()
            .map(|pair| Ok((digit(pair[0])? << 4 | digit(pair[1])?) as u8))
            .collect::<Result<_, _>>()?;
        bytes.try_into().map(Pin).map_err(|_| BadPin)
    }
}

impl fmt::Display for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pin({self})")
    }
}

impl Trust {
    /// What a connection that trusts so is made with.
    pub fn client_config(&self) -> Result<Arc<ClientConfig>, TrustError> {
        let provider = Arc::new(ring::default_provider());
        let builder =
            ClientConfig::builder_with_provider(provider.clone()).with_safe_default_protocol_versions()?;
        let config = match self {
            Trust::Authority(pem) => {
                let mut roots = RootCertStore::empty();
                for certificate in CertificateDer::pem_slice_iter(pem) {
                    let certificate =
                        certificate.map_err(|why| TrustError::NoCertificate(why.to_string()))?;
                    roots.add(certificate)?;
                }
                if roots.is_empty() {
                    return Err(TrustError::NoCertificate("it has no such section".into()));
                }
                builder.with_root_certificates(roots).with_no_client_auth()
            }
            Trust::Pinned(pin) => {
                let verifier = Pinned { pin: *pin, provider };
                builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth()
            }
        };
        Ok(Arc::new(config))
    }
}

/// Accepts one certificate, and only from whoever has its private key: the handshake's signature is checked as always.
#[derive(Debug)]
struct Pinned {
    pin: Pin,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let found = Pin::of(end_entity);
        if found == self.pin {
            return Ok(ServerCertVerified::assertion());
        }
        let Pinned { pin, .. } = self;
        Err(Error::General(format!(
            "its certificate has the fingerprint {found}, expected is {pin}: it is another server, or it has a new \
             certificate; enrol this gateway again if that was meant"
        )))
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// A name as TLS calls servers.
pub fn server_name(host: &str) -> Result<ServerName<'static>, rustls::pki_types::InvalidDnsNameError> {
    ServerName::try_from(host.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_reads_back_with_and_without_colons() {
        let pin = Pin::of(b"certificate");
        assert_eq!(pin.to_string().parse(), Ok(pin));
        let colons: Vec<String> = pin
            .to_string()
            .as_bytes()
            .chunks(2)
            .map(|pair| String::from_utf8_lossy(pair).to_uppercase())
            .collect();
        assert_eq!(colons.join(":").parse(), Ok(pin));
        assert_eq!("ab:cd".parse::<Pin>(), Err(BadPin));
    }

    #[test]
    fn a_file_without_a_certificate_is_no_authority() {
        let error = Trust::Authority(b"hello".to_vec()).client_config().unwrap_err();
        assert!(error.to_string().contains("no certificate"), "{error}");
    }
}
