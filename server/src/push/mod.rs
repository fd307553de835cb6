//! Messages to phones when an alert presses: robots of group chats, and ntfy on the venue's own network.
//!
//! [`news`] says which alerts are worth a message, [`robot`] what each service is sent, [`pace`] how fast; they are
//! pure. Here a task watches the alerts and sends. A venue without internet has ntfy on its network, and the pages'
//! sound; nothing waits for a service.

mod news;
mod pace;
mod robot;

pub use robot::{Robot, Service};

use std::sync::Arc;
use std::time::Duration;

use hyper::HeaderMap;
use tokio_util::sync::CancellationToken;
use web::Hub;

use self::news::News;
use self::pace::Pace;
use crate::post::{Address, Client};
use crate::time;

/// How often the alerts are looked at.
const EVERY: Duration = Duration::from_millis(500);

/// Watches the alerts and tells the robots, until `stop`. `pages`: the pages' address as phones reach it.
pub async fn tell(hub: Hub, robots: Vec<Robot>, pages: String, stop: CancellationToken) {
    if robots.is_empty() {
        return;
    }
    let client = Client::new();
    let mut seen = hub.look(|shown| Arc::clone(&shown.alerts));
    let mut news = News::since(&seen);
    let mut queues: Vec<(Robot, Pace)> = robots.into_iter().map(|robot| (robot, Pace::default())).collect();
    let mut every = tokio::time::interval(EVERY);
    every.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = every.tick() => {}
        }
        let alerts = hub.look(|shown| Arc::clone(&shown.alerts));
        if !Arc::ptr_eq(&alerts, &seen) {
            for alert in news.of(&alerts) {
                let text = news::text(alert, &pages);
                for (robot, pace) in &mut queues {
                    if robot.everything || news::presses(alert) {
                        pace.add(alert.severity, text.clone());
                    }
                }
            }
            seen = alerts;
        }
        let now = time::wall().0;
        for (robot, pace) in &mut queues {
            if let Some((severity, text)) = pace.next(now) {
                let (robot, letter) = (robot.clone(), robot.letter(&text, severity, now));
                let client = client.clone();
                // A slow service holds up no other one.
                tokio::spawn(async move {
                    let answer = match Address::try_from(letter.url) {
                        Ok(to) => client.post(&to, HeaderMap::new(), letter.body.to_string()).await,
                        Err(error) => Err(error),
                    };
                    match answer {
                        Ok((_, answer)) if robot.took(&answer) => {}
                        Ok((status, answer)) => {
                            tracing::warn!(?robot, status, answer, "a message was refused")
                        }
                        Err(error) => tracing::warn!(?robot, %error, "a message did not arrive"),
                    }
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arbitration::{AlertCode, Evidence, Severity};
    use hall::view::{AlertView, AlertsView, Epoch};
    use serde_json::Value;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;
    use tokio::sync::mpsc;
    use web::Update;

    /// A stand-in for the services: answers as they do and hands on what it was sent.
    async fn stand_in(answer: &'static str) -> (String, mpsc::Receiver<(String, Value)>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let (tell, told) = mpsc::channel(64);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut bytes = Vec::new();
                let body = loop {
                    let mut part = [0; 4096];
                    let n = stream.read(&mut part).await.unwrap_or(0);
                    bytes.extend_from_slice(&part[..n]);
                    let text = String::from_utf8_lossy(&bytes).into_owned();
                    if let Some((_, body)) = text.split_once("\r\n\r\n")
                        && let Ok(body) = serde_json::from_str(body)
                    {
                        break (text.lines().next().unwrap_or_default().to_owned(), body);
                    }
                    assert!(n > 0, "the request broke off: {text}");
                };
                let text = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{answer}", answer.len());
                stream.write_all(text.as_bytes()).await.expect("answered");
                if tell.send(body).await.is_err() {
                    return;
                }
            }
        });
        (address, told)
    }

    fn alerts(ids: std::ops::Range<u64>, severity: Severity) -> Update {
        let alert = |id| AlertView {
            id,
            code: AlertCode::Call,
            severity,
            table: None,
            at: Epoch(0),
            evidence: [format!("第{id}件"), String::new()],
            proposal: Default::default(),
            claimed_by: None,
            escalated: false,
            times: 1,
            data: Evidence::Words,
            remedies: Vec::new(),
        };
        Update::Alerts(Arc::new(AlertsView { open: ids.map(alert).collect(), ..AlertsView::default() }))
    }

    fn robot(service: Service, url: String) -> Robot {
        Robot { service, url, secret: Some("SEC".into()), mention: Vec::new(), everything: false }
    }

    #[tokio::test]
    async fn every_service_is_told_of_an_alert_that_presses() {
        let (address, mut told) = stand_in(r#"{"errcode":0,"code":0,"id":"x"}"#).await;
        let services = [Service::Wecom, Service::Dingtalk, Service::Feishu, Service::Ntfy];
        let robots = services.map(|service| robot(service, format!("{address}/hook"))).to_vec();
        let hub = Hub::new(1, Arc::new(|| Epoch(0)), 1.0);
        let stop = CancellationToken::new();
        tokio::spawn(tell(hub.clone(), robots, "http://venue".into(), stop.clone()));
        tokio::time::sleep(Duration::from_millis(50)).await;
        hub.publish(alerts(1..2, Severity::P0));
        let mut texts = Vec::new();
        for _ in services {
            let (line, body) = told.recv().await.expect("a message");
            assert!(line.starts_with("POST /"), "{line}");
            texts.push(body.to_string());
        }
        assert!(texts.iter().all(|text| text.contains("第1件")), "{texts:?}");
        stop.cancel();
    }

    #[tokio::test]
    async fn a_storm_is_put_together_and_what_does_not_press_is_not_sent() {
        let (address, mut told) = stand_in(r#"{"errcode":0}"#).await;
        let hub = Hub::new(1, Arc::new(|| Epoch(0)), 1.0);
        let stop = CancellationToken::new();
        let robots = vec![robot(Service::Wecom, address)];
        tokio::spawn(tell(hub.clone(), robots, String::new(), stop.clone()));
        tokio::time::sleep(Duration::from_millis(50)).await;
        hub.publish(alerts(1..40, Severity::P1));
        let (_, body) = told.recv().await.expect("a message");
        let text = body["text"]["content"].as_str().expect("a text").to_owned();
        assert!(text.contains("第1件") && text.contains("第39件"), "one message for all: {text}");
        hub.publish(alerts(40..41, Severity::P2));
        tokio::time::sleep(Duration::from_millis(1200)).await;
        assert!(told.try_recv().is_err());
        stop.cancel();
    }
}
