//! What is wrong with what comes in: a counter for each kind, and a log line that does not flood.

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

/// A complaint of the same kind about the same party is logged at most this often.
const PAUSE: Duration = Duration::from_secs(60);

/// What can be wrong with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Complaint {
    /// On a topic that is none of ours.
    ForeignTopic,
    /// From a gateway that the configuration does not know.
    UnknownGateway,
    /// Not sealed with that gateway's key.
    WrongKey,
    /// Of a version that this program does not know.
    UnknownVersion,
    /// Cut off, or its content cannot be decoded.
    Undecodable,
    /// Sealed for another gateway or the other way.
    Misdirected,
    /// A record that another gateway had brought already.
    Repeated,
    /// Of a device that stands on no table. It is kept all the same.
    UnknownDevice,
    /// A gateway's clock is ahead of ours (by a negative number: behind).
    WrongClock,
    /// A gateway does not keep any more what this database lacks.
    StreamGap,
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Complaint::ForeignTopic => "a message on a foreign topic",
            Complaint::UnknownGateway => {
                "a message from an unknown gateway; add it under [gateways] if it is yours"
            }
            Complaint::WrongKey => {
                "a message that is not sealed with this gateway's key; compare the keys on both sides"
            }
            Complaint::UnknownVersion => "a message of an unknown version; update the older side",
            Complaint::Undecodable => "a message that cannot be decoded; update the older side",
            Complaint::Misdirected => "a message that was sealed for somebody else",
            Complaint::Repeated => "a record that another gateway had brought already",
            Complaint::WrongClock => {
                "a gateway's clock differs from this machine's; its times are set right here. Set both by NTP"
            }
            Complaint::StreamGap => {
                "observations that this database lacks are not kept by their gateway any more: compare the games with \
                 their boards"
            }
            Complaint::UnknownDevice => {
                "an observation of a device that stands on no table; add it under [[tables]] if it is yours"
            }
        })
    }
}

/// All complaints so far.
#[derive(Debug, Default)]
pub struct Complaints {
    counts: BTreeMap<Complaint, u64>,
    /// By kind and party: when it was last logged, and how many came since.
    logged: BTreeMap<(Complaint, String), (Instant, u64)>,
}

impl Complaints {
    /// Parties that are remembered; whoever makes up names shall not fill the memory.
    const MOST_PARTIES: usize = 256;

    /// Counts a complaint about somebody, and logs it unless that was done a short while ago.
    pub fn about(&mut self, complaint: Complaint, who: &str, detail: &dyn fmt::Display) {
        *self.counts.entry(complaint).or_default() += 1;
        if let Some(quiet) = self.passes(complaint, who, Instant::now()) {
            tracing::warn!(from = who, %detail, before = quiet, "ignored: {complaint}");
        }
    }

    /// How often, by kind.
    #[must_use]
    pub fn counts(&self) -> &BTreeMap<Complaint, u64> {
        &self.counts
    }

    /// If it is to be logged: how many were not, since the last one that was.
    fn passes(&mut self, complaint: Complaint, who: &str, now: Instant) -> Option<u64> {
        let key = (complaint, who.to_owned());
        match self.logged.get_mut(&key) {
            Some((last, quiet)) if now.duration_since(*last) < PAUSE => {
                *quiet += 1;
                None
            }
            Some(entry) => {
                let (_, quiet) = std::mem::replace(entry, (now, 0));
                Some(quiet)
            }
            None => {
                if self.logged.len() >= Self::MOST_PARTIES {
                    return None;
                }
                self.logged.insert(key, (now, 0));
                Some(0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_counted_whole_and_logged_once_a_minute() {
        let mut complaints = Complaints::default();
        let start = Instant::now();
        let logged: Vec<Option<u64>> = [0, 1, 30, 61, 62]
            .into_iter()
            .map(|second| complaints.passes(Complaint::WrongKey, "west", start + Duration::from_secs(second)))
            .collect();
        assert_eq!(logged, [Some(0), None, None, Some(2), None]);
        assert_eq!(complaints.passes(Complaint::WrongKey, "east", start), Some(0));
        for _ in 0..5 {
            complaints.about(Complaint::WrongKey, "west", &"");
        }
        assert_eq!(complaints.counts()[&Complaint::WrongKey], 5);
    }
}
