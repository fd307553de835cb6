//! How fast a robot may speak: WeCom and DingTalk take twenty messages a minute, DingTalk is deaf for ten minutes after
//! more. What has to wait is put together into one message. Pure: time comes in.

use std::collections::VecDeque;

use arbitration::Severity;

/// Messages in any minute.
const A_MINUTE: usize = 15;

/// The last ones of the services' twenty are kept for what must be decided.
const A_MINUTE_URGENT: usize = 19;

const MINUTE: i64 = 60_000;

/// One robot's queue.
#[derive(Debug, Default)]
pub struct Pace {
    waiting: VecDeque<(Severity, String)>,
    /// When the messages of the last minute went out, ms.
    sent: VecDeque<i64>,
}

impl Pace {
    /// Something is to be said.
    pub fn add(&mut self, severity: Severity, text: String) {
        self.waiting.push_back((severity, text));
    }

    /// The next message that may go out now: what presses most by itself, the rest together.
    pub fn next(&mut self, now: i64) -> Option<(Severity, String)> {
        while self.sent.front().is_some_and(|at| now - at >= MINUTE) {
            self.sent.pop_front();
        }
        let urgent = self.waiting.iter().position(|(severity, _)| *severity == Severity::P0);
        let message = match urgent {
            Some(at) if self.sent.len() < A_MINUTE_URGENT => self.waiting.remove(at)?,
            Some(_) | None if self.sent.len() < A_MINUTE => self.together()?,
            Some(_) | None => return None,
        };
        self.sent.push_back(now);
        Some(message)
    }

    /// All that waits, as one message.
    fn together(&mut self) -> Option<(Severity, String)> {
        let all: Vec<_> = self.waiting.drain(..).collect();
        let gravest = all.iter().map(|(severity, _)| *severity).min()?;
        let lines: Vec<_> = all.into_iter().map(|(_, text)| text).collect();
        Some((gravest, lines.join("\n")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_minute_has_more_than_the_services_take() {
        let mut pace = Pace::default();
        let mut sent = Vec::new();
        for now in (0..180_000).step_by(500) {
            let severity = if now % 1000 == 0 { Severity::P0 } else { Severity::P1 };
            pace.add(severity, now.to_string());
            if pace.next(now).is_some() {
                sent.push(now);
            }
        }
        for begin in &sent {
            let minute = sent.iter().filter(|at| (*begin..begin + MINUTE).contains(*at)).count();
            assert!(minute < 20, "{minute} from {begin} on");
        }
        assert!(sent.len() >= 3 * A_MINUTE, "and it is not slower than need be: {}", sent.len());
    }

    #[test]
    fn what_must_be_decided_goes_first_and_alone() {
        let mut pace = Pace::default();
        for (severity, text) in [(Severity::P1, "a"), (Severity::P0, "b"), (Severity::P2, "c")] {
            pace.add(severity, text.into());
        }
        assert_eq!(pace.next(0), Some((Severity::P0, "b".into())));
        assert_eq!(pace.next(0), Some((Severity::P1, "a\nc".into())), "the rest together");
        assert_eq!(pace.next(0), None);
    }

    #[test]
    fn after_a_storm_there_is_still_room_for_what_must_be_decided() {
        let mut pace = Pace::default();
        for n in 0..A_MINUTE {
            pace.add(Severity::P1, n.to_string());
            assert!(pace.next(0).is_some());
        }
        pace.add(Severity::P1, "later".into());
        assert_eq!(pace.next(1), None);
        pace.add(Severity::P0, "now".into());
        assert_eq!(pace.next(1), Some((Severity::P0, "now".into())));
        assert_eq!(pace.next(MINUTE), Some((Severity::P1, "later".into())));
    }
}
