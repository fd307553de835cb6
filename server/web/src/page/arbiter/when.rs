//! Times of day as the hall's clock on the wall shows them.

use hall::view::Epoch;

use crate::hub::Shown;

/// How far the hall's clock is before UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zone {
    minutes: i16,
}

impl Zone {
    /// As the event's settings say; UTC+8, as all of China keeps, before there are any.
    pub fn of(shown: &Shown) -> Zone {
        Zone { minutes: shown.desk.as_ref().map_or(480, |desk| desk.settings.utc_offset) }
    }

    fn ms(self, at: Epoch) -> i64 {
        (at.0 + i64::from(self.minutes) * 60_000).rem_euclid(86_400_000)
    }

    /// `hh:mm:ss`.
    pub fn time(self, at: Epoch) -> String {
        let s = self.ms(at) / 1000;
        format!("{:02}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60)
    }

    /// `hh:mm:ss.t`.
    pub fn tenths(self, at: Epoch) -> String {
        format!("{}.{}", self.time(at), self.ms(at) / 100 % 10)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_day_is_the_halls() {
        let noon = Epoch(12 * 3_600_000 + 34_500);
        assert_eq!(Zone { minutes: 480 }.time(noon), "20:00:34");
        assert_eq!(Zone { minutes: -210 }.tenths(noon), "08:30:34.5");
    }
}
