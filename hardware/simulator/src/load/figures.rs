//! What was counted: a line an interval, one JSON object for all of them, and whether the last quarter is as the first.

use std::fmt;
use std::time::Duration;

use serde_json::{Value, json};

use super::counts::Delays;
use super::process::Usage;

/// What was counted in one interval.
#[derive(Clone, Debug, Default)]
pub struct Interval {
    /// How long it was.
    pub(super) long: Duration,
    /// Observations kept, acknowledged and sent again in it.
    pub(super) kept: u64,
    pub(super) acknowledged: u64,
    pub(super) resent: u64,
    /// Connections that broke.
    pub(super) broken: u64,
    /// Games that ended.
    pub(super) games: u64,
    /// Not acknowledged at its end.
    pub(super) backlog: u64,
    pub(super) delays: Delays,
    /// What the server held at its end and the time that it spent on the cores in it, if it is a process of this machine.
    pub(super) server: Option<Usage>,
    /// The time that this program spent on the cores in it.
    pub(super) own: Duration,
}

/// All intervals.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    intervals: Vec<Interval>,
}

/// What an event keeps in memory of a game that is over, until its own end: plies, positions and views. MiB; 0.13 was
/// measured.
const KEPT_OF_A_GAME: f64 = 0.16;

/// What has grown although the load stayed the same.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} grew from {first} in the first quarter to {last} in the last")]
pub struct Unsteady {
    /// What: memory, handles or lag.
    what: &'static str,
    first: String,
    last: String,
}

/// A delay's quantiles, ms.
struct Quantiles(Vec<f64>);

impl Quantiles {
    fn of<'a>(delays: impl Iterator<Item = &'a Duration>) -> Quantiles {
        let mut delays: Vec<f64> = delays.map(|delay| delay.as_secs_f64() * 1_000.0).collect();
        delays.sort_by(f64::total_cmp);
        Quantiles(delays)
    }

    /// `None` if nothing was counted.
    fn at(&self, share: f64) -> Option<f64> {
        let last = self.0.len().checked_sub(1)?;
        self.0.get((last as f64 * share).round() as usize).copied()
    }

    fn json(&self) -> Value {
        let at = |share| self.at(share).map(tenths);
        json!({ "count": self.0.len(), "p50": at(0.5), "p95": at(0.95), "p99": at(0.99), "max": at(1.0) })
    }
}

fn tenths(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.long.as_secs_f64();
        let p99 = |delays: &[Duration]| match Quantiles::of(delays.iter()).at(0.99) {
            Some(p99) => format!("{p99:.0} ms"),
            None => "-".to_owned(),
        };
        write!(
            f,
            "{:.0} records/s, {} not acknowledged, {} sent again; p99 to the acknowledgement {}, to the spectator {}",
            self.acknowledged as f64 / seconds,
            self.backlog,
            self.resent,
            p99(&self.delays.acks),
            p99(&self.delays.published),
        )?;
        if let Some(Usage { cpu, memory, handles }) = self.server {
            let share = cpu.as_secs_f64() / seconds * 100.0;
            write!(f, "; server {share:.0} % of a core, {} MiB, {handles} handles", memory / 1024)?;
        }
        Ok(())
    }
}

impl Figures {
    /// One interval more.
    pub fn push(&mut self, interval: Interval) {
        self.intervals.push(interval);
    }

    /// All of it as one object.
    #[must_use]
    pub fn json(&self) -> Value {
        let all = &self.intervals;
        let seconds: f64 = all.iter().map(|it| it.long.as_secs_f64()).sum();
        let sum = |count: fn(&Interval) -> u64| all.iter().map(count).sum::<u64>();
        let cores = |used: Duration| tenths(used.as_secs_f64() / seconds.max(0.001) * 100.0);
        let server: Option<Vec<Usage>> = all.iter().map(|it| it.server).collect();
        let server = server.filter(|server| !server.is_empty()).map(|server| {
            json!({
                "cpu_percent": cores(server.iter().map(|it| it.cpu).sum()),
                "memory_mib": server.iter().map(|it| it.memory / 1024).max(),
                "handles": server.iter().map(|it| it.handles).max(),
            })
        });
        json!({
            "seconds": tenths(seconds),
            "records": {
                "sent": sum(|it| it.kept),
                "acknowledged": sum(|it| it.acknowledged),
                "sent_again": sum(|it| it.resent),
                "per_second": tenths(sum(|it| it.acknowledged) as f64 / seconds.max(0.001)),
                "most_waiting": all.iter().map(|it| it.backlog).max(),
            },
            "ack_ms": Quantiles::of(all.iter().flat_map(|it| &it.delays.acks)).json(),
            "published_ms": Quantiles::of(all.iter().flat_map(|it| &it.delays.published)).json(),
            "games": sum(|it| it.games),
            "connections_broken": sum(|it| it.broken),
            "server": server,
            "own_cpu_percent": cores(all.iter().map(|it| it.own).sum()),
        })
    }

    /// Whether memory, handles and lag of the last quarter are those of the first, give or take: memory half as much
    /// again beside [what an event keeps](KEPT_OF_A_GAME) of the games that ended, four handles, an acknowledgement three
    /// times as late, or within ten seconds: disks have their moods.
    #[must_use]
    pub fn unsteady(&self) -> Vec<Unsteady> {
        let quarter = (self.intervals.len() / 4).max(1);
        let first = &self.intervals[..quarter.min(self.intervals.len())];
        let last = &self.intervals[self.intervals.len().saturating_sub(quarter)..];
        let mut found = Vec::new();
        let mut compare = |what, unit, first: Option<f64>, last: Option<f64>, most: &dyn Fn(f64) -> f64| {
            if let (Some(first), Some(last)) = (first, last)
                && last > most(first)
            {
                let said = |number: f64| format!("{number:.0} {unit}");
                found.push(Unsteady { what, first: said(first), last: said(last) });
            }
        };
        let least = |of: &[Interval], what: fn(&Usage) -> u64| {
            let all = of.iter().filter_map(|it| it.server.as_ref().map(what));
            all.min().map(|least| least as f64)
        };
        let lag = |of: &[Interval]| Quantiles::of(of.iter().flat_map(|it| &it.delays.acks)).at(0.99);
        let memory = |of| least(of, |usage| usage.memory / 1024);
        let handles = |of| least(of, |usage| usage.handles);
        let kept = self.intervals.iter().map(|it| it.games).sum::<u64>() as f64 * KEPT_OF_A_GAME;
        compare("memory", "MiB", memory(first), memory(last), &|first| first * 1.5 + kept);
        compare("the number of handles", "", handles(first), handles(last), &|first| first + 4.0);
        compare("the lag", "ms", lag(first), lag(last), &|first| (first * 3.0).max(10_000.0));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(memory: u64, handles: u64, lag: u64) -> Interval {
        Interval {
            long: Duration::from_secs(5),
            kept: 10,
            acknowledged: 10,
            delays: Delays { acks: vec![Duration::from_millis(lag); 100], published: Vec::new() },
            server: Some(Usage { cpu: Duration::from_secs(1), memory: memory * 1024, handles }),
            ..Interval::default()
        }
    }

    fn figures(last: Interval) -> Figures {
        let mut figures = Figures::default();
        for _ in 0..7 {
            figures.push(interval(100, 20, 30));
        }
        figures.push(last.clone());
        figures.push(last);
        figures
    }

    #[test]
    fn what_stays_the_same_is_steady_and_what_grows_is_named() {
        assert_eq!(figures(interval(140, 23, 9_000)).unsteady(), []);
        for (last, what) in [
            (interval(200, 20, 30), "memory grew from 100 MiB"),
            (interval(100, 25, 30), "handles grew from 20"),
            (interval(100, 20, 20_000), "lag grew from 30 ms"),
        ] {
            let found = figures(last).unsteady();
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].to_string().contains(what), "{}", found[0]);
        }
    }

    #[test]
    fn what_an_event_keeps_of_its_games_is_no_growth() {
        let unsteady = |games| figures(Interval { games, ..interval(180, 20, 30) }).unsteady().len();
        assert_eq!((unsteady(0), unsteady(100), unsteady(10)), (1, 0, 1));
    }

    #[test]
    fn figures_are_of_all_intervals() {
        let json = figures(interval(120, 22, 50)).json();
        assert_eq!(json["records"]["acknowledged"], 90);
        assert_eq!(json["records"]["per_second"], 2.0);
        assert_eq!(json["server"], json!({ "cpu_percent": 20.0, "memory_mib": 120, "handles": 22 }));
        assert_eq!(
            (json["ack_ms"]["p50"].as_f64(), json["ack_ms"]["p99"].as_f64()),
            (Some(30.0), Some(50.0))
        );
        assert_eq!(json["published_ms"]["p50"], Value::Null);
    }
}
