//! Shared lines: the shell around [`Host`]. Each member is a port of its own to the hub.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use firmware_proto::{Address, LineSession, MAX_FRAME, Millis, ToDevice, encode};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio_serial::SerialStream;

use crate::hub::PortId;
use crate::ports::{PortEvent, WAITING, WRITE_TIMEOUT};
use crate::shared::{Event, Host};

/// Between the end of a turn and the next question: every driver has let go of the line.
const PAUSE: Duration = Duration::from_micros(500);

/// When nobody is there the line rests for so long.
const REST: Duration = Duration::from_millis(20);

/// A member, as the hub sees it.
struct Member {
    port: PortId,
    name: String,
    messages: mpsc::Receiver<ToDevice>,
}

/// A line, its host, and where its news go.
struct Line<'a> {
    name: &'a str,
    host: Host,
    members: BTreeMap<Address, Member>,
    numbers: Arc<AtomicU32>,
    events: &'a mpsc::Sender<PortEvent>,
    began: Instant,
}

/// Serves a line until it fails; tells why it did. Its members are closed then.
pub(crate) async fn serve_line(
    stream: SerialStream,
    name: &str,
    numbers: Arc<AtomicU32>,
    events: &mpsc::Sender<PortEvent>,
) -> String {
    let wall = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    // Every run of a host differs from the last one in it.
    let session = LineSession((wall.as_millis() / 100) as u16);
    let host = Host::new(session, Millis(0));
    let mut line = Line { name, host, members: BTreeMap::new(), numbers, events, began: Instant::now() };
    let reason = line.work(stream).await;
    for (_, member) in std::mem::take(&mut line.members) {
        let closed = PortEvent::Closed { port: member.port, name: member.name, reason: reason.clone() };
        // The gateway is ending, if nobody hears it.
        let _ended = events.send(closed).await;
    }
    reason
}

impl Line<'_> {
    fn now(&self) -> Millis {
        Millis(self.began.elapsed().as_millis() as u32)
    }

    async fn work(&mut self, mut stream: SerialStream) -> String {
        let mut buffer = [0; 1024];
        loop {
            if self.host.is_due(self.now()) {
                self.take_messages();
                let mut bytes = vec![];
                for (to, message) in self.host.next_frames(self.now()) {
                    let mut frame = [0; MAX_FRAME];
                    let used = encode(to, &message, &mut frame).expect("what a host says fits into a frame");
                    bytes.extend_from_slice(&frame[..used]);
                }
                if bytes.is_empty() {
                    tokio::time::sleep(REST).await;
                }
                match tokio::time::timeout(WRITE_TIMEOUT, stream.write_all(&bytes)).await {
                    Ok(Ok(())) => {}
                    Ok(Err(error)) => return error.to_string(),
                    Err(_) => return "takes no bytes (is anything behind it?)".to_owned(),
                }
            }
            let left = self.host.deadline().since(self.now()).0;
            let wait = if self.host.is_due(self.now()) { 0 } else { left };
            match tokio::time::timeout(Duration::from_millis(wait.into()), stream.read(&mut buffer)).await {
                Ok(Ok(0)) => return "closed by the other side (cable pulled?)".to_owned(),
                Ok(Ok(count)) => self.host.on_bytes(&buffer[..count], self.now()),
                Ok(Err(error)) => return error.to_string(),
                // Nobody answers: the next one's turn.
                Err(_) => {}
            }
            while let Some(event) = self.host.poll_event() {
                if self.on_event(event).await.is_err() {
                    return "the gateway is ending".to_owned();
                }
            }
            if self.host.is_due(self.now()) {
                tokio::time::sleep(PAUSE).await;
            }
        }
    }

    /// What the hub has for the members.
    fn take_messages(&mut self) {
        for (address, member) in &mut self.members {
            while let Ok(message) = member.messages.try_recv() {
                // What finds no room is repeated when it is needed.
                let _kept = self.host.tell(*address, message);
            }
        }
    }

    async fn on_event(&mut self, event: Event) -> Result<(), mpsc::error::SendError<PortEvent>> {
        let event = match event {
            Event::Joined(address, uid) => {
                let port = PortId(self.numbers.fetch_add(1, Ordering::Relaxed));
                let name = format!("{} {uid}", self.name);
                let (sender, messages) = mpsc::channel(WAITING);
                self.members.insert(address, Member { port, name: name.clone(), messages });
                PortEvent::Joined { port, name, sender }
            }
            Event::Said(address, message) => {
                let Some(member) = self.members.get(&address) else { return Ok(()) };
                PortEvent::Message { port: member.port, message }
            }
            Event::Left(address) => {
                let Some(member) = self.members.remove(&address) else { return Ok(()) };
                let reason = "does not answer any more".to_owned();
                PortEvent::Closed { port: member.port, name: member.name, reason }
            }
            Event::Garbled(address, fault) => {
                let member = address.and_then(|address| self.members.get(&address));
                let name = member.map_or(self.name, |member| &member.name).to_owned();
                PortEvent::Garbled { name, fault }
            }
            Event::Searched => PortEvent::Searched,
            Event::Full(uid) => {
                let reason = format!("device {uid} gets no address: there are too many on this line");
                PortEvent::Refused { name: self.name.to_owned(), reason }
            }
        };
        self.events.send(event).await
    }
}
