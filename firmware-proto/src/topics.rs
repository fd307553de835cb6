//! The MQTT topics, rendered and parsed in this one place.
//!
//! ```
//! use firmware_proto::{GatewayId, Topic, VenueId};
//! let topic = Topic::Up { venue: VenueId::new("hangzhou")?, gateway: GatewayId::new("row-1")? };
//! assert_eq!(topic.to_string(), "chuhe/1/hangzhou/row-1/up");
//! assert_eq!("chuhe/1/hangzhou/row-1/up".parse(), Ok(topic));
//! # Ok::<(), firmware_proto::BadName>(())
//! ```

use core::fmt;
use core::str::FromStr;

use crate::{BadName, EventId, GatewayId, VenueId};

/// What every topic begins with: the system and the version of its topics.
const ROOT: &str = "chuhe/1";

/// A topic.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Topic {
    /// Gateway to server, sealed postcard [`crate::Up`]; QoS 1.
    Up {
        /// The venue.
        venue: VenueId,
        /// The gateway.
        gateway: GatewayId,
    },
    /// Server to gateway, sealed postcard [`crate::Down`]; QoS 0.
    Down {
        /// The venue.
        venue: VenueId,
        /// The gateway.
        gateway: GatewayId,
    },
    /// Whether the gateway is there, sealed postcard [`crate::Presence`]; retained, and the gateway's last will.
    State {
        /// The venue.
        venue: VenueId,
        /// The gateway.
        gateway: GatewayId,
    },
    /// For third parties: the public state of a table, JSON, retained, as delayed as the event says.
    Table {
        /// The event.
        event: EventId,
        /// The table's number.
        table: u16,
    },
    /// For nodes that serve spectators from the broker: one view of the public state, JSON, retained; empty when there is no
    /// such view any more.
    View {
        /// The event.
        event: EventId,
        /// Which view: its path below `view/`, such as `standing` or `game/3/12`.
        path: String,
    },
}

impl Topic {
    /// What a server subscribes to for all [`Topic::Up`] of a venue.
    #[must_use]
    pub fn every_up(venue: &VenueId) -> String {
        format!("{ROOT}/{venue}/+/up")
    }

    /// What a node subscribes to for all [`Topic::View`] of an event.
    #[must_use]
    pub fn every_view(event: &EventId) -> String {
        format!("{ROOT}/{event}/public/view/#")
    }

    /// What a server subscribes to for all [`Topic::State`] of a venue.
    #[must_use]
    pub fn every_state(venue: &VenueId) -> String {
        format!("{ROOT}/{venue}/+/state")
    }
}

impl fmt::Display for Topic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Topic::Up { venue, gateway } => write!(f, "{ROOT}/{venue}/{gateway}/up"),
            Topic::Down { venue, gateway } => write!(f, "{ROOT}/{venue}/{gateway}/down"),
            Topic::State { venue, gateway } => write!(f, "{ROOT}/{venue}/{gateway}/state"),
            Topic::Table { event, table } => write!(f, "{ROOT}/{event}/public/table/{table}"),
            Topic::View { event, path } => write!(f, "{ROOT}/{event}/public/view/{path}"),
        }
    }
}

/// Text that is no topic of ours.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadTopic {
    /// It has another shape.
    #[error("“{0}” is no topic of Chuhe's")]
    Shape(String),
    /// A name in it is none.
    #[error(transparent)]
    Name(#[from] BadName),
}

impl FromStr for Topic {
    type Err = BadTopic;

    fn from_str(text: &str) -> Result<Topic, BadTopic> {
        let shape = || BadTopic::Shape(text.to_owned());
        let rest = text.strip_prefix(ROOT).and_then(|rest| rest.strip_prefix('/')).ok_or_else(shape)?;
        let parts: Vec<&str> = rest.split('/').collect();
        Ok(match parts[..] {
            [venue, gateway, "up"] => Topic::Up { venue: venue.parse()?, gateway: gateway.parse()? },
            [venue, gateway, "down"] => Topic::Down { venue: venue.parse()?, gateway: gateway.parse()? },
            [venue, gateway, "state"] => Topic::State { venue: venue.parse()?, gateway: gateway.parse()? },
            [event, "public", "table", number] => {
                let table = number.parse().map_err(|_| shape())?;
                let topic = Topic::Table { event: event.parse()?, table };
                // One text for one topic: no leading zeros or signs.
                if topic.to_string() == text { topic } else { return Err(shape()) }
            }
            [event, "public", "view", ref path @ ..] if !path.is_empty() => {
                Topic::View { event: event.parse()?, path: path.join("/") }
            }
            _ => return Err(shape()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_topic_reads_back() {
        let venue = VenueId::new("hall-2").unwrap();
        let gateway = GatewayId::new("row-1").unwrap();
        let topics = [
            Topic::Up { venue: venue.clone(), gateway: gateway.clone() },
            Topic::Down { venue: venue.clone(), gateway: gateway.clone() },
            Topic::State { venue, gateway },
            Topic::Table { event: EventId::new("county-2026").unwrap(), table: 17 },
            Topic::View { event: EventId::new("county-2026").unwrap(), path: "game/3/12".into() },
        ];
        for topic in topics {
            assert_eq!(topic.to_string().parse(), Ok(topic));
        }
    }

    #[test]
    fn foreign_topics_are_named_in_the_error() {
        for text in [
            "",
            "chuhe/1",
            "chuhe/2/v/g/up",
            "chuhe/1/v/g/sideways",
            "chuhe/1/e/public/table/07",
            "x/1/v/g/up",
        ] {
            assert_eq!(text.parse::<Topic>(), Err(BadTopic::Shape(text.to_owned())));
        }
        let bad = "chuhe/1/Hall/g/up".parse::<Topic>().unwrap_err();
        assert_eq!(bad.to_string(), "“Hall” is no venue name: 1 to 32 of a-z, 0-9, -");
    }
}
