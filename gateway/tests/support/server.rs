//! A server that commits exactly the next observations, behind a broker of 100 lines that breaks connections and
//! loses messages it has acknowledged.

use std::sync::{Arc, Mutex};

use firmware_proto::delivery::{Inbox, Receipt, Run};
use firmware_proto::envelope::{self, Header, Key, Way};
use firmware_proto::{
    CmdId, Command, DeviceUid, Down, GatewayId, Observation, Presence, Session, StreamSeq, Up,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

use super::KEY;
use super::table::Chance;

/// What the server has, and how its broker behaves.
#[derive(Default)]
pub struct State {
    pub committed: Vec<Observation>,
    pub session: Option<Session>,
    pub inbox: Inbox<StreamSeq>,
    pub presence: Option<Presence>,
    pub beats: u64,
    pub refused: u64,
    /// Of the messages that come up, so many per cent break the connection, and as many are lost.
    pub trouble: usize,
    pub connections: u64,
    /// Commands that it repeats with every message until they are taken out of here.
    pub commands: Vec<(DeviceUid, CmdId, Command)>,
    /// Raw payloads to send down once.
    pub raw: Vec<Vec<u8>>,
    count: u64,
}

/// A running one.
#[derive(Clone)]
pub struct Server {
    pub port: u16,
    pub state: Arc<Mutex<State>>,
}

impl Server {
    pub async fn start() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(Mutex::new(State::default()));
        let server = Server { port, state: state.clone() };
        tokio::spawn(async move {
            let mut chance = Chance(5);
            while let Ok((stream, _)) = listener.accept().await {
                state.lock().unwrap().connections += 1;
                // One gateway, so one connection at a time; it ends when either side breaks it.
                let _broken = serve(stream, &state, &mut chance).await;
            }
        });
        server
    }

    pub fn with<T>(&self, look: impl FnOnce(&mut State) -> T) -> T {
        look(&mut self.state.lock().unwrap())
    }
}

pub fn gateway_name() -> GatewayId {
    GatewayId::new("row-1").unwrap()
}

pub fn key() -> Key {
    Key::from_hex(KEY).unwrap()
}

async fn serve(stream: TcpStream, state: &Mutex<State>, chance: &mut Chance) -> std::io::Result<()> {
    let (mut input, mut output) = stream.into_split();
    let mut down = String::new();
    loop {
        let (kind, body) = packet(&mut input).await?;
        match kind >> 4 {
            1 => output.write_all(&[0x20, 2, 0, 0]).await?,
            8 => {
                let length = usize::from(u16::from_be_bytes([body[2], body[3]]));
                down = String::from_utf8(body[4..4 + length].to_vec()).unwrap();
                output.write_all(&[0x90, 3, body[0], body[1], 0]).await?;
            }
            3 => {
                let length = usize::from(u16::from_be_bytes([body[0], body[1]]));
                let topic = String::from_utf8(body[2..2 + length].to_vec()).unwrap();
                let mut payload = &body[2 + length..];
                let trouble = state.lock().unwrap().trouble;
                if chance.below(100) < trouble {
                    return Ok(());
                }
                if kind & 0b110 != 0 {
                    output.write_all(&[0x40, 2, payload[0], payload[1]]).await?;
                    payload = &payload[2..];
                }
                if chance.below(100) >= trouble {
                    let answers = on_message(&topic, payload, &mut state.lock().unwrap());
                    for answer in answers {
                        publish(&mut output, &down, &answer).await?;
                    }
                }
            }
            12 => output.write_all(&[0xd0, 0]).await?,
            14 => return Ok(()),
            _ => {}
        }
    }
}

fn on_message(topic: &str, payload: &[u8], state: &mut State) -> Vec<Vec<u8>> {
    let mut down: Vec<Down> = vec![];
    if topic == "chuhe/1/hall/row-1/state" {
        match envelope::open::<Presence>(&key(), &gateway_name(), Way::State, payload) {
            Ok((_, presence)) => state.presence = Some(presence),
            Err(_) => state.refused += 1,
        }
    } else {
        assert_eq!(topic, "chuhe/1/hall/row-1/up");
        match envelope::open::<Up>(&key(), &gateway_name(), Way::Up, payload) {
            Ok((_, Up::Observations { session, first, items })) => {
                if state.session != Some(session) {
                    state.session = Some(session);
                    state.inbox = Inbox::new();
                }
                match state.inbox.on_items(Run { first, count: items.len() as u32 }) {
                    Receipt::Apply { skip } => state.committed.extend(&items[skip as usize..]),
                    Receipt::Repeated | Receipt::Gap { .. } => {}
                }
                let upto = state.inbox.applied().unwrap_or(StreamSeq(0));
                down.push(Down::Ack { session, upto });
            }
            Ok((_, Up::Beats { .. })) => state.beats += 1,
            Ok((_, Up::Links { .. } | Up::Stream { .. } | Up::Offer { .. })) => {}
            Err(_) => state.refused += 1,
        }
    }
    down.extend(state.commands.iter().map(|&(device, id, command)| Down::Command { device, id, command }));
    let mut payloads = std::mem::take(&mut state.raw);
    for message in down {
        state.count += 1;
        let header = Header { gateway: gateway_name(), way: Way::Down, life: 1, count: state.count };
        payloads.push(envelope::seal(&key(), &header, &message));
    }
    payloads
}

async fn packet(input: &mut OwnedReadHalf) -> std::io::Result<(u8, Vec<u8>)> {
    let kind = input.read_u8().await?;
    let (mut length, mut shift) = (0usize, 0);
    loop {
        let byte = input.read_u8().await?;
        length |= usize::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            break;
        }
    }
    let mut body = vec![0; length];
    input.read_exact(&mut body).await?;
    Ok((kind, body))
}

async fn publish(output: &mut OwnedWriteHalf, topic: &str, payload: &[u8]) -> std::io::Result<()> {
    let mut bytes = vec![0x30];
    let mut length = 2 + topic.len() + payload.len();
    loop {
        let more = length >= 0x80;
        bytes.push((length & 0x7f) as u8 | if more { 0x80 } else { 0 });
        length >>= 7;
        if !more {
            break;
        }
    }
    bytes.extend((topic.len() as u16).to_be_bytes());
    bytes.extend(topic.as_bytes());
    bytes.extend(payload);
    output.write_all(&bytes).await
}
