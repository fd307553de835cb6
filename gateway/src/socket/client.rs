//! The side of the socket from which a running gateway is asked.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use firmware_proto::DeviceUid;
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::{Method, Request, header};
use hyper_util::rt::TokioIo;
use serde::de::DeserializeOwned;
use tokio::net::UnixStream;

use super::UpdateReport;
use crate::list::PortReport;

/// How long the gateway may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why a running gateway cannot be asked.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// It answers its own user only.
    #[error("{}: the gateway that runs there answers its own user only: ask as that user, or as root", .0.display())]
    NotYours(PathBuf),
    /// The connection broke, or nothing came.
    #[error("the running gateway does not answer: {0}")]
    Broken(String),
    /// It answered no.
    #[error("{0}")]
    Refused(String),
}

/// A gateway that runs.
#[derive(Clone, Debug)]
pub struct Running {
    socket: PathBuf,
}

impl Running {
    /// The gateway that runs on this store, if one does.
    pub async fn find(store: &Path) -> Result<Option<Running>, AskError> {
        let socket = super::path(store);
        match UnixStream::connect(&socket).await {
            Ok(_) => Ok(Some(Running { socket })),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) => {
                Ok(None)
            }
            Err(error) if error.kind() == ErrorKind::PermissionDenied => Err(AskError::NotYours(socket)),
            Err(error) => Err(AskError::Broken(error.to_string())),
        }
    }

    /// Who hangs on which port, and how it is.
    pub async fn devices(&self) -> Result<Vec<PortReport>, AskError> {
        self.ask(Method::GET, "/devices", Bytes::new()).await
    }

    /// Begins an update of these devices with this file; if none is named, of all that it is made for.
    pub async fn begin_update(&self, file: Vec<u8>, named: &[DeviceUid]) -> Result<(), AskError> {
        let query: Vec<String> = named.iter().map(|uid| format!("device={uid}")).collect();
        self.ask(Method::POST, &format!("/update?{}", query.join("&")), Bytes::from(file)).await
    }

    /// How far each device is.
    pub async fn update(&self) -> Result<UpdateReport, AskError> {
        self.ask(Method::GET, "/update", Bytes::new()).await
    }

    /// Ends the update.
    pub async fn stop_update(&self) -> Result<(), AskError> {
        self.ask(Method::DELETE, "/update", Bytes::new()).await
    }

    async fn ask<T: DeserializeOwned>(&self, method: Method, what: &str, body: Bytes) -> Result<T, AskError> {
        match tokio::time::timeout(PATIENCE, self.exchange(method, what, body)).await {
            Ok(answer) => answer,
            Err(_) => Err(AskError::Broken(format!("nothing came within {PATIENCE:?}"))),
        }
    }

    async fn exchange<T: DeserializeOwned>(
        &self,
        method: Method,
        what: &str,
        body: Bytes,
    ) -> Result<T, AskError> {
        let broken = |why: &dyn std::fmt::Display| AskError::Broken(why.to_string());
        let stream = UnixStream::connect(&self.socket).await.map_err(|why| broken(&why))?;
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(|why| broken(&why))?;
        let connection = tokio::spawn(connection);
        let request = Request::builder()
            .method(method)
            .uri(what)
            .header(header::HOST, "gateway")
            .body(Full::new(body))
            .map_err(|why| broken(&why))?;
        let answer = sender.send_request(request).await.map_err(|why| broken(&why))?;
        let status = answer.status();
        let body = answer.into_body().collect().await.map_err(|why| broken(&why))?.to_bytes();
        connection.abort();
        if !status.is_success() {
            return Err(AskError::Refused(String::from_utf8_lossy(&body).into_owned()));
        }
        serde_json::from_slice(&body).map_err(|why| broken(&why))
    }
}
