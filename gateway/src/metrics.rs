//! How the gateway is, for programs that watch it: `GET /metrics` in Prometheus' text format.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use firmware_proto::{DeviceUid, Link};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::CONTENT_TYPE;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tracing::debug;

use crate::links::Light;

/// How the link to the server is.
#[derive(Debug, Default)]
pub(crate) struct Upward {
    /// Whether there is a connection to the broker.
    pub(crate) connected: AtomicBool,
    /// Observations that the server has not acknowledged.
    pub(crate) backlog: AtomicU64,
}

/// How the ports and devices are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Downward {
    pub(crate) links: Vec<Link>,
    pub(crate) lights: BTreeMap<DeviceUid, Light>,
    /// Devices whose records would not outlive a power cut.
    pub(crate) unkept: BTreeSet<DeviceUid>,
}

/// A counter of each link: its name, what it counts, and where it stands.
type Counter = (&'static str, &'static str, fn(&Link) -> u64);

/// All counters and gauges.
fn text(upward: &Upward, downward: &Downward) -> String {
    let mut text = String::new();
    let head = |text: &mut String, name: &str, kind: &str, help: &str| {
        let _always = write!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
    };
    let connected = u64::from(upward.connected.load(Ordering::Relaxed));
    let backlog = upward.backlog.load(Ordering::Relaxed);
    for (name, help, value) in [
        ("chuhe_gateway_connected", "Whether there is a connection to the broker.", connected),
        ("chuhe_gateway_backlog", "Observations that the server has not acknowledged.", backlog),
    ] {
        head(&mut text, name, "gauge", help);
        let _always = writeln!(text, "{name} {value}");
    }
    let counters: [Counter; 8] = [
        ("bad_crc", "Frames with a wrong check sum.", |link| link.fault.frames.bad_crc),
        ("garbage", "Bytes that were no frame.", |link| link.fault.frames.garbage),
        ("overfull", "Frames that did not end.", |link| link.fault.frames.overfull),
        ("unreadable", "Frames of another version or with unknown content.", |link| {
            link.fault.frames.bad_version + link.fault.frames.bad_payload
        }),
        ("repeated", "Records that came twice.", |link| link.fault.repeated),
        ("asked_again", "Times that a missing record was asked for.", |link| link.fault.asked_again),
        ("lost", "Times that the port closed by itself or could not be opened.", |link| link.fault.lost),
        ("resets", "Times that a device on the port started anew.", |link| link.resets),
    ];
    for (name, help, count) in counters {
        let name = format!("chuhe_gateway_link_{name}_total");
        head(&mut text, &name, "counter", help);
        for link in &downward.links {
            let _always = writeln!(text, "{name}{{port=\"{}\"}} {}", label(&link.fault.port), count(link));
        }
    }
    let name = "chuhe_gateway_link_worst_gap_seconds";
    head(&mut text, name, "gauge", "Longest time between two messages of a device on the port.");
    for link in &downward.links {
        let seconds = f64::from(link.worst_gap.0) / 1_000.0;
        let _always = writeln!(text, "{name}{{port=\"{}\"}} {seconds}", label(&link.fault.port));
    }
    let name = "chuhe_gateway_device_status";
    head(&mut text, name, "gauge", "0: well; 1: trouble on its link within a minute; 2: not there.");
    for (device, light) in &downward.lights {
        let _always = writeln!(text, "{name}{{device=\"{device}\"}} {}", *light as u8);
    }
    let name = "chuhe_gateway_device_unkept";
    head(
        &mut text,
        name,
        "gauge",
        "1: its log of records is full, what it keeps would not outlive a power cut.",
    );
    for device in downward.lights.keys() {
        let unkept = u8::from(downward.unkept.contains(device));
        let _always = writeln!(text, "{name}{{device=\"{device}\"}} {unkept}");
    }
    text
}

/// A text as a label's value.
fn label(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// Answers whoever asks, until it is dropped.
pub(crate) async fn serve(listener: TcpListener, upward: Arc<Upward>, downward: watch::Receiver<Downward>) {
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Most often too many open files: it passes.
                debug!(%error, "metrics: nobody was let in");
                tokio::time::sleep(std::time::Duration::from_millis(100)).await;
                continue;
            }
        };
        let (upward, downward) = (upward.clone(), downward.clone());
        tokio::spawn(async move {
            let answer = service_fn(move |request: Request<Incoming>| {
                let response = answer(&request, &upward, &downward.borrow());
                async move { Ok::<_, Infallible>(response) }
            });
            let mut http = hyper::server::conn::http1::Builder::new();
            http.timer(TokioTimer::new()).keep_alive(false);
            if let Err(error) = http.serve_connection(TokioIo::new(stream), answer).await {
                debug!(%error, "metrics: a connection broke off");
            }
        });
    }
}

fn answer(request: &Request<Incoming>, upward: &Upward, downward: &Downward) -> Response<Full<Bytes>> {
    if request.method() == Method::GET && request.uri().path() == "/metrics" {
        let mut response = Response::new(Full::from(text(upward, downward)));
        let kind = hyper::header::HeaderValue::from_static("text/plain; version=0.0.4");
        response.headers_mut().insert(CONTENT_TYPE, kind);
        return response;
    }
    let mut response = Response::new(Full::from("there is /metrics only\n"));
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}

#[cfg(test)]
mod tests {
    use firmware_proto::{Faults, LinkFault, Millis};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[tokio::test]
    async fn what_goes_wrong_on_each_link_is_told_to_whoever_asks() {
        let frames = Faults { bad_crc: 3, ..Faults::default() };
        let fault = LinkFault { port: "/dev/tty\"0".to_owned(), frames, repeated: 5, ..LinkFault::default() };
        let link = Link { resets: 2, worst_gap: Millis(1_250), ..Link::from(fault) };
        let lights = BTreeMap::from([(DeviceUid(0xb1), Light::Amber), (DeviceUid(0xb2), Light::Green)]);
        let unkept = BTreeSet::from([DeviceUid(0xb2)]);
        let (_tell, told) = watch::channel(Downward { links: vec![link], lights, unkept });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let upward = Arc::new(Upward::default());
        upward.backlog.store(7, Ordering::Relaxed);
        tokio::spawn(serve(listener, upward, told));
        let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
        stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        for line in [
            "chuhe_gateway_backlog 7",
            "chuhe_gateway_link_bad_crc_total{port=\"/dev/tty\\\"0\"} 3",
            "chuhe_gateway_link_repeated_total{port=\"/dev/tty\\\"0\"} 5",
            "chuhe_gateway_link_resets_total{port=\"/dev/tty\\\"0\"} 2",
            "chuhe_gateway_link_worst_gap_seconds{port=\"/dev/tty\\\"0\"} 1.25",
            "chuhe_gateway_device_status{device=\"00000000000000b1\"} 1",
            "chuhe_gateway_device_unkept{device=\"00000000000000b1\"} 0",
            "chuhe_gateway_device_unkept{device=\"00000000000000b2\"} 1",
        ] {
            assert!(answer.lines().any(|one| one == line), "{line} is missing in:\n{answer}");
        }
    }
}
