//! What many trials came to.

use std::collections::{BTreeMap, BTreeSet};

use capture::{Finding, Seen, Waits, What};
use firmware_proto::Epoch;
use serde::Serialize;
use xiangqi::Move;

use super::Trial;
use super::missed::Missed;
use super::score::{Score, alert};

/// A ply should be confirmed so soon after its press, ms.
const SOON: i64 = 300;

/// A clock tells a press within this time, ms.
const TOLD_WITHIN: i64 = 60;

/// What many trials came to.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    /// Games tried.
    pub games: u64,
    /// Games of which exactly the plies played were recorded.
    pub exact: u64,
    /// Plies played.
    pub plies: u64,
    /// Plies recorded as played, up to each game's first difference.
    pub plies_right: u64,
    /// Plies that were confirmed and were not played so.
    pub wrong_confirmed: u64,
    /// Provisional plies said and then not played so.
    pub wrong_provisional: u64,
    /// Games that are not exact and at their end carried no open alert that leads to the first difference.
    pub silent_errors: u64,
    /// Plies recorded after the result was known.
    pub after_end: u64,
    /// Restarts of the server after which other plies were read.
    pub restarts_differing: u64,
    /// What was played while a board was without power, by how many plies in a row.
    pub missed: BTreeMap<usize, Missed>,
    /// Alerts, by what they say.
    pub alerts: BTreeMap<&'static str, u64>,
    /// What went wrong and what was told of it; alerts without a cause.
    #[serde(flatten)]
    pub score: Score,
    /// From placing to the first right and lasting reading, ms.
    pub provisional_ms: Quantiles,
    /// From a press that the clock told to confirmation, ms. A lever that is down already, the ply before not having been
    /// pressed, tells nothing when it is pressed again.
    pub confirmed_ms: Quantiles,
    /// What those waited for that took longer than 300 ms, or a ply before them.
    pub waited_for: BTreeMap<Waits, u64>,
    #[serde(skip)]
    provisional: Vec<i64>,
    #[serde(skip)]
    confirmed: Vec<i64>,
}

/// Quantiles of a latency.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Quantiles {
    /// Half are faster.
    pub p50: i64,
    /// 95 of 100 are faster.
    pub p95: i64,
    /// 99 of 100 are faster.
    pub p99: i64,
    /// The slowest.
    pub max: i64,
}

impl Quantiles {
    fn of(values: &mut [i64]) -> Quantiles {
        values.sort_unstable();
        let at = |share: f64| {
            values
                .get(((values.len() as f64 * share) as usize).min(values.len().saturating_sub(1)))
                .copied()
                .unwrap_or(0)
        };
        Quantiles { p50: at(0.50), p95: at(0.95), p99: at(0.99), max: at(1.0) }
    }
}

impl Summary {
    /// Counts a trial.
    pub fn add(&mut self, trial: &Trial) {
        let Trial { played, read, said, waited, log, .. } = trial;
        let right = played.moves.iter().zip(read).take_while(|(played, read)| played == read).count();
        let exact = &played.moves == read;
        self.games += 1;
        self.exact += u64::from(exact);
        self.plies += played.moves.len() as u64;
        self.plies_right += right as u64;
        self.silent_errors += u64::from(!exact && !trial.calls_to(right + 1));
        self.after_end += trial.after_end as u64;
        self.restarts_differing += trial.restarts_differing;
        self.score.add(trial);
        trial.missed(&mut self.missed);
        self.wrong_confirmed += trial.wrongly_confirmed().len() as u64;
        let mut line: Vec<(Move, Epoch)> = Vec::new();
        let began = played.began.0;
        let mut waited = waited.iter();
        let pressed = |seen: &Seen| matches!(seen.what, What::Pressed(..));
        let presses: BTreeSet<i64> =
            log.seen().filter(|(_, seen)| pressed(seen)).map(|(_, seen)| seen.at.0).collect();
        for (at, finding) in said {
            match finding {
                Finding::Read(ply) => {
                    let index = usize::from(ply.no.0) - 1;
                    line.truncate(index);
                    line.push((ply.mv, *at));
                    self.wrong_provisional += u64::from(!trial.was_played(index, ply.mv));
                }
                Finding::Withdrawn(no) => line.truncate(usize::from(no.0) - 1),
                Finding::Confirmed(no, ..) => {
                    let waits = waited.next().copied().flatten();
                    let index = usize::from(no.0) - 1;
                    let confirmed = line.get(index).map(|(mv, _)| *mv);
                    let is_right = confirmed == played.moves.get(index).copied();
                    if let Some(ply) = played.plies.get(index).filter(|_| is_right)
                        && let Some(pressed) = ply.pressed
                        && presses.range(began + pressed..=began + pressed + TOLD_WITHIN).next().is_some()
                    {
                        let took = (at.0 - began - pressed.max(ply.placed)).max(0);
                        self.confirmed.push(took);
                        if let Some(waits) = waits.filter(|_| took > SOON) {
                            *self.waited_for.entry(waits).or_default() += 1;
                        }
                    }
                }
                Finding::Locked(_) | Finding::SetUpRight | Finding::Restored(_) => {}
                Finding::Mismatch { .. }
                | Finding::Disturbed { .. }
                | Finding::PressWithoutMove(..)
                | Finding::ClockTurned(..)
                | Finding::TouchMove { .. }
                | Finding::Ambiguous { .. }
                | Finding::SetUp { .. }
                | Finding::Suspects { .. }
                | Finding::BadPoint { .. } => {}
            }
            if let Some(code) = alert(finding) {
                *self.alerts.entry(code).or_default() += 1;
            }
        }
        for ((mv, at), ply) in line.iter().zip(&played.plies) {
            if *mv == ply.mv {
                self.provisional.push(at.0 - began - ply.placed);
            }
        }
    }

    /// Works out the quantiles.
    pub fn close(&mut self) {
        self.provisional_ms = Quantiles::of(&mut self.provisional);
        self.confirmed_ms = Quantiles::of(&mut self.confirmed);
    }
}
