//! A row's connection to the broker: what is due goes out, what comes is counted.

use std::sync::Arc;
use std::time::{Duration, Instant};

use firmware_proto::VenueClock;
use firmware_proto::envelope::Way;
use gateway::Now;
use gateway::mqtt::{Connection, News, Settings};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use super::counts::Counts;
use super::row::{Answer, Row};

/// A broken connection is made anew after so long.
const RECONNECT: Duration = Duration::from_secs(1);

/// A row looks at its tables no more often than this: records come in small groups, as they do over a busy line.
const SHORTEST: Duration = Duration::from_millis(5);

/// At a speed above 1 beats go up more often, but not more often than this; as a gateway's.
const SHORTEST_BEAT: Duration = Duration::from_millis(100);

/// How long a goodbye may take.
const GOODBYE: Duration = Duration::from_millis(500);

/// Real and venue time, from one start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Time {
    pub(super) clock: VenueClock,
    started: Instant,
    started_micros: i64,
}

impl Time {
    pub(super) fn new(clock: VenueClock) -> Time {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Time { clock, started: Instant::now(), started_micros: since.as_micros() as i64 }
    }

    pub(super) fn now(&self) -> Now {
        let passed = self.started.elapsed();
        let wall = self.started_micros + passed.as_micros() as i64;
        Now { wait: firmware_proto::Millis(passed.as_millis() as u32), venue: self.clock.at_micros(wall) }
    }
}

/// A row, and how it reaches the broker.
pub(super) struct Driver {
    pub(super) row: Row,
    pub(super) settings: Settings,
    pub(super) time: Time,
    pub(super) counts: Arc<Counts>,
    /// Its tables play until then; what they have recorded is handed over even after.
    pub(super) play: CancellationToken,
    pub(super) stop: CancellationToken,
}

impl Driver {
    /// Drives the row until `stop`. Returns what the server has not acknowledged.
    pub(super) async fn run(mut self) -> u64 {
        let beat = Duration::from_secs(1).div_f64(self.time.clock.speed);
        let mut beat = tokio::time::interval(beat.clamp(SHORTEST_BEAT, Duration::from_secs(1)));
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut connection = None;
        while !self.stop.is_cancelled() {
            match &mut connection {
                None => connection = self.connect().await,
                Some(open) => {
                    if let Err(why) = self.serve(open, &mut beat).await {
                        tracing::warn!(gateway = %self.settings.login.0, why, "no connection to the broker");
                        Counts::add(&self.counts.broken, 1);
                        connection = None;
                        tokio::time::sleep(RECONNECT).await;
                    }
                }
            }
        }
        if let Some(connection) = connection {
            connection.publish(self.row.upstream.presence(false, self.time.now().venue));
            connection.close(GOODBYE).await;
        }
        self.row.backlog()
    }

    /// A connection that stands.
    async fn connect(&mut self) -> Option<Connection> {
        let will = self.row.upstream.connecting(self.time.now().venue);
        let mut connection = Connection::open(&self.settings, self.row.upstream.topic(Way::Down), will);
        loop {
            let news = tokio::select! {
                news = connection.news() => news,
                () = self.stop.cancelled() => return None,
            };
            match news {
                News::Connected => {
                    connection.publish(self.row.upstream.on_connected(self.time.now().venue));
                    return Some(connection);
                }
                News::Message { .. } => {}
                News::Lost { reason } => {
                    tracing::warn!(gateway = %self.settings.login.0, reason, "cannot connect to the broker");
                    Counts::add(&self.counts.broken, 1);
                    tokio::time::sleep(RECONNECT).await;
                    return None;
                }
            }
        }
    }

    /// One turn: sends what is due and waits for whatever comes next. `Err`: the connection broke.
    async fn serve(
        &mut self,
        connection: &mut Connection,
        beat: &mut tokio::time::Interval,
    ) -> Result<(), String> {
        let now = self.time.now();
        if !self.play.is_cancelled() {
            self.row.poll(now);
            Counts::add(&self.counts.games, self.row.take_played());
        }
        Counts::add(&self.counts.kept, self.row.take_kept());
        let resent = self.row.upstream.resent();
        while let Some(publication) = self.row.due(now) {
            if !connection.publish(publication) {
                // The library is full: the outbox comes back to it when its time is up.
                break;
            }
        }
        Counts::add(&self.counts.resent, self.row.upstream.resent() - resent);
        let wait = self.row.wait(now, &self.time.clock).max(SHORTEST);
        tokio::select! {
            news = connection.news() => match news {
                News::Message { payload } => self.hear(&payload),
                News::Connected => {}
                News::Lost { reason } => return Err(reason),
            },
            _ = beat.tick() => {
                // One that is full gets the next one.
                let _full = connection.publish(self.row.upstream.beats(self.row.beats()));
            }
            () = tokio::time::sleep(wait) => {}
            () = self.stop.cancelled() => {}
        }
        Ok(())
    }

    fn hear(&mut self, payload: &[u8]) {
        match self.row.on_message(payload, self.time.now()) {
            Answer::Acknowledged(delays) => self.counts.acknowledged(delays),
            Answer::Nothing => {}
            Answer::Wrong(why) => {
                tracing::error!(gateway = %self.settings.login.0, why, "a message was refused")
            }
        }
    }
}
