//! What a viewer can follow, and its name in the address of a stream.

use std::fmt;
use std::str::FromStr;

use tournament::{RoundNo, TableNo};

/// Tables on one page of the grid's streams: [`Topic::Grid`].
pub const TABLES_PER_PAGE: u16 = 8;

/// A thing that changes and can be followed. Written `game:3:12`, as in `/events?topic=game:3:12`.
///
/// ```
/// use web::Topic;
/// let topic: Topic = "game:3:12".parse()?;
/// assert_eq!(topic.to_string(), "game:3:12");
/// assert!("game:0".parse::<Topic>().is_err());
/// # Ok::<(), web::ParseTopicError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// The event's frame: a round was paired, started, ended.
    Event,
    /// The pairings of a round: moves played and results, a line a table.
    Round(RoundNo),
    /// The boards of tables `8(page-1)+1 ..= 8·page` of a round.
    Grid(RoundNo, u16),
    /// One game.
    Game(RoundNo, TableNo),
    /// The standing.
    Standing,
    /// The arbiters' alerts: for staff only.
    Alerts,
}

impl Topic {
    /// The grid page on which a table lies.
    #[must_use]
    pub const fn grid_of(round: RoundNo, table: TableNo) -> Topic {
        Topic::Grid(round, table.0.saturating_sub(1) / TABLES_PER_PAGE + 1)
    }

    /// Where one has to be let in to follow it; `None`: everybody may.
    #[must_use]
    pub const fn room(self) -> Option<hall::Room> {
        match self {
            Topic::Alerts => Some(hall::Room::Duty),
            Topic::Event | Topic::Round(_) | Topic::Grid(..) | Topic::Game(..) | Topic::Standing => None,
        }
    }
}

impl fmt::Display for Topic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Topic::Event => f.write_str("event"),
            Topic::Round(round) => write!(f, "round:{}", round.0),
            Topic::Grid(round, page) => write!(f, "grid:{}:{page}", round.0),
            Topic::Game(round, table) => write!(f, "game:{}:{}", round.0, table.0),
            Topic::Standing => f.write_str("standing"),
            Topic::Alerts => f.write_str("alerts"),
        }
    }
}

/// The text names no topic.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a topic: event, round:R, grid:R:PAGE, game:R:TABLE, standing or alerts was expected")]
pub struct ParseTopicError(String);

impl FromStr for Topic {
    type Err = ParseTopicError;

    fn from_str(text: &str) -> Result<Topic, ParseTopicError> {
        // Numbers count from 1, without sign or leading zero, so that each topic has one name.
        let number = |part: &str| -> Option<u16> {
            let number: u16 = part.parse().ok().filter(|n| *n > 0)?;
            (part == number.to_string()).then_some(number)
        };
        let parts: Vec<&str> = text.split(':').collect();
        let topic = match parts.as_slice() {
            ["event"] => Some(Topic::Event),
            ["standing"] => Some(Topic::Standing),
            ["alerts"] => Some(Topic::Alerts),
            ["round", round] => number(round).map(|r| Topic::Round(RoundNo(r))),
            ["grid", round, page] => number(round).zip(number(page)).map(|(r, p)| Topic::Grid(RoundNo(r), p)),
            ["game", round, table] => {
                number(round).zip(number(table)).map(|(r, t)| Topic::Game(RoundNo(r), TableNo(t)))
            }
            _ => None,
        };
        topic.ok_or_else(|| ParseTopicError(text.chars().take(40).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_topic_has_one_name_and_reads_back() {
        for text in ["event", "round:7", "grid:7:4", "game:7:30", "standing", "alerts"] {
            assert_eq!(text.parse::<Topic>().expect("is a topic").to_string(), text);
        }
        for text in
            ["", "game", "game:1", "game:1:0", "game:01:1", "game:1:1:1", "round:-1", "round:+1", "GAME:1:1"]
        {
            assert!(text.parse::<Topic>().is_err(), "{text}");
        }
    }

    #[test]
    fn eight_tables_share_a_page_of_the_grid() {
        assert_eq!(Topic::grid_of(RoundNo(1), TableNo(8)), Topic::Grid(RoundNo(1), 1));
        assert_eq!(Topic::grid_of(RoundNo(1), TableNo(9)), Topic::Grid(RoundNo(1), 2));
    }
}
