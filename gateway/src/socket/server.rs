//! The gateway's side of the socket.

use std::convert::Infallible;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use firmware_proto::{DeviceUid, Firmware};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::CONTENT_TYPE;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde::Serialize;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{mpsc, oneshot};
use tracing::{debug, warn};

use super::Ask;

/// The socket, open; its file goes with it.
pub(crate) struct Socket {
    listener: UnixListener,
    path: PathBuf,
    /// The user whom the gateway runs as.
    user: u32,
}

impl Socket {
    /// Opens it in the folder of a store that this gateway has to itself: a socket that is there already is a dead one's.
    pub(crate) fn open(store: &Path) -> std::io::Result<Socket> {
        let path = super::path(store);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        let listener = UnixListener::bind(&path)?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
        let user = std::fs::metadata(&path)?.uid();
        Ok(Socket { listener, path, user })
    }

    /// The next one who may ask.
    async fn accept(&self) -> std::io::Result<UnixStream> {
        loop {
            let (stream, _) = self.listener.accept().await?;
            // The file's mode says the same, but not before it was set.
            let user = stream.peer_cred()?.uid();
            if user == self.user || user == 0 {
                return Ok(stream);
            }
            warn!(user, "somebody else's programme wanted to ask this gateway: refused");
        }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        // A file that stays is taken for a dead gateway's.
        let _stays = std::fs::remove_file(&self.path);
    }
}

/// Answers whoever asks, until it is dropped.
pub(crate) async fn serve(socket: Socket, asks: mpsc::Sender<Ask>) {
    loop {
        let stream = match socket.accept().await {
            Ok(stream) => stream,
            Err(error) => {
                // Most often too many open files: it passes.
                debug!(%error, "socket: nobody was let in");
                tokio::time::sleep(std::time::Duration::from_millis(100)).await;
                continue;
            }
        };
        let asks = asks.clone();
        tokio::spawn(async move {
            let service = service_fn(|request| async {
                Ok::<_, Infallible>(answer(request, &asks).await.unwrap_or_else(Refused::into_response))
            });
            let mut http = hyper::server::conn::http1::Builder::new();
            http.timer(TokioTimer::new());
            if let Err(error) = http.serve_connection(TokioIo::new(stream), service).await {
                debug!(%error, "socket: a connection broke off");
            }
        });
    }
}

/// Why a request is not carried out.
struct Refused(StatusCode, String);

impl Refused {
    fn bad(why: impl ToString) -> Refused {
        Refused(StatusCode::BAD_REQUEST, why.to_string())
    }

    fn into_response(self) -> Response<Full<Bytes>> {
        let mut response = Response::new(Full::from(self.1));
        *response.status_mut() = self.0;
        response
    }
}

async fn answer(
    request: Request<Incoming>,
    asks: &mpsc::Sender<Ask>,
) -> Result<Response<Full<Bytes>>, Refused> {
    match (request.method(), request.uri().path()) {
        (&Method::GET, "/devices") => json(&ask(asks, Ask::Devices).await?),
        (&Method::GET, "/update") => json(&ask(asks, Ask::Progress).await?),
        (&Method::DELETE, "/update") => json(&ask(asks, Ask::Stop).await?),
        (&Method::POST, "/update") => {
            let named = named(request.uri().query().unwrap_or_default())?;
            let file = Limited::new(request.into_body(), Firmware::LONGEST_FILE)
                .collect()
                .await
                .map_err(Refused::bad)?;
            let file = file.to_bytes();
            let (firmware, bytes) = Firmware::from_file(&file).map_err(Refused::bad)?;
            let bytes = bytes.to_vec();
            let begun = ask(asks, |answer| Ask::Update { firmware, bytes, named, answer }).await?;
            begun.map_err(|why| Refused(StatusCode::CONFLICT, why.to_string()))?;
            json(&())
        }
        _ => {
            let there_is = "there are GET /devices, and GET, POST and DELETE /update";
            Err(Refused(StatusCode::NOT_FOUND, there_is.to_owned()))
        }
    }
}

/// The devices that a query names.
fn named(query: &str) -> Result<Vec<DeviceUid>, Refused> {
    let words = query.split('&').filter(|word| !word.is_empty());
    words
        .map(|word| {
            let uid =
                word.strip_prefix("device=").ok_or_else(|| Refused::bad(format!("not device=…: {word}")))?;
            uid.parse().map_err(Refused::bad)
        })
        .collect()
}

/// Asks the gateway and waits for its answer.
async fn ask<T>(asks: &mpsc::Sender<Ask>, ask: impl FnOnce(oneshot::Sender<T>) -> Ask) -> Result<T, Refused> {
    let ending = || Refused(StatusCode::SERVICE_UNAVAILABLE, "the gateway is ending".to_owned());
    let (answer, answered) = oneshot::channel();
    asks.send(ask(answer)).await.map_err(|_| ending())?;
    answered.await.map_err(|_| ending())
}

fn json(answer: &impl Serialize) -> Result<Response<Full<Bytes>>, Refused> {
    let text = serde_json::to_vec(answer)
        .map_err(|why| Refused(StatusCode::INTERNAL_SERVER_ERROR, why.to_string()))?;
    let mut response = Response::new(Full::from(text));
    response.headers_mut().insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static("application/json"));
    Ok(response)
}
