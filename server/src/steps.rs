//! Whether the system's clock runs evenly: a step of it moves every time that is written down.

use std::time::{Duration, Instant};

use firmware_proto::Epoch;
use hall::{Input, ServerFault};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::time;

/// How often a running server looks.
const LOOK: Duration = Duration::from_secs(2);

/// A step of so much, ms, is a fault; less is what a time service mends.
const STEP: i64 = 1_000;

/// After so long without a step the clock is trusted again.
const EVEN: Duration = Duration::from_secs(300);

/// A clock that shows less has lost its battery: 2020-01-01.
const LONG_AGO: Epoch = Epoch(1_577_836_800_000);

/// The wall's time against a clock that only runs on.
#[derive(Clone, Copy, Debug, Default)]
struct Steps {
    /// Wall time less the steady one, ms, at the last look.
    offset: Option<i64>,
    /// When it stepped last, by the steady clock.
    stepped: Option<Duration>,
}

impl Steps {
    /// Whether the clock is at fault, by what both show now.
    fn look(&mut self, steady: Duration, wall: Epoch) -> bool {
        let offset = wall.0.saturating_sub(i64::try_from(steady.as_millis()).unwrap_or(i64::MAX));
        if self.offset.replace(offset).is_some_and(|before| (offset - before).abs() > STEP) {
            self.stepped = Some(steady);
        }
        let lately = |at: Duration| steady.saturating_sub(at) < EVEN;
        wall < LONG_AGO || self.stepped.is_some_and(lately)
    }
}

/// Tells when the system's clock steps or is plainly wrong, and when it has run evenly for a while again.
pub(crate) async fn watch(tell: mpsc::Sender<Input>, stop: CancellationToken) {
    let (began, mut steps, mut told) = (Instant::now(), Steps::default(), false);
    let mut looks = tokio::time::interval(LOOK);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = looks.tick() => {}
        }
        let wrong = steps.look(began.elapsed(), time::wall());
        if std::mem::replace(&mut told, wrong) == wrong {
            continue;
        }
        if wrong {
            tracing::warn!("the system's clock has stepped, or shows a time long ago");
        }
        if tell.send(Input::Server { fault: ServerFault::SystemClock, on: wrong }).await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is told of a clock that shows so much more than it should, ms, at every look.
    fn told(errors: &[i64]) -> Vec<bool> {
        let mut steps = Steps::default();
        let looks = errors.iter().zip(1_u32..);
        looks
            .map(|(error, n)| {
                let steady = LOOK * n;
                let wall = LONG_AGO.plus(86_400_000 + i64::try_from(steady.as_millis()).unwrap_or(0) + error);
                steps.look(steady, wall)
            })
            .collect()
    }

    #[test]
    fn a_clock_that_is_slewed_is_right_and_one_that_steps_is_told_of_until_it_has_run_evenly() {
        assert_eq!(told(&[0, 1, 2, 3]), [false; 4]);
        assert_eq!(told(&[0, -3_600_000, -3_600_000]), [false, true, true]);
        let mut errors = vec![0, 5_000];
        errors.extend(std::iter::repeat_n(5_000, 150));
        let told = told(&errors);
        assert!(told[1] && told[150], "for five minutes");
        assert!(!told[151]);
    }

    #[test]
    fn a_clock_without_a_battery_shows_a_time_long_ago() {
        let mut steps = Steps::default();
        assert!(steps.look(LOOK, Epoch(7_000)));
    }
}
