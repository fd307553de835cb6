//! Names that are part of topics and files: venues, gateways, events.

macro_rules! name {
    ($(#[$doc:meta])* $type:ident, $what:literal) => {
        $(#[$doc])*
        #[doc = ""]
        #[doc = "1 to 32 characters of `a-z`, `0-9` and `-`: it is part of topics and files."]
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $type(String);

        impl $type {
            /// Checks a name.
            pub fn new(name: impl Into<String>) -> Result<$type, BadName> {
                let name = name.into();
                if is_name(&name) { Ok($type(name)) } else { Err(BadName { what: $what, found: name }) }
            }

            /// The name.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $type {
            type Error = BadName;
            fn try_from(name: String) -> Result<$type, BadName> {
                $type::new(name)
            }
        }

        impl std::str::FromStr for $type {
            type Err = BadName;
            fn from_str(name: &str) -> Result<$type, BadName> {
                $type::new(name)
            }
        }

        impl From<$type> for String {
            fn from(name: $type) -> String {
                name.0
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

name! {
    /// A gateway's name, unique in its venue.
    GatewayId, "gateway"
}
name! {
    /// A venue's name: one hall with one server.
    VenueId, "venue"
}
name! {
    /// An event's name in public topics.
    EventId, "event"
}

/// Text that is no name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("“{found}” is no {what} name: 1 to 32 of a-z, 0-9, -")]
pub struct BadName {
    what: &'static str,
    found: String,
}

fn is_name(text: &str) -> bool {
    (1..=32).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}
