//! Who may do what at the embedded broker: the server everything, a gateway on its own topics, everybody else may read
//! what is public.
//!
//! A gateway signs in under its name with a password that follows from its key ([`Key::broker_password`]). This keeps
//! guests from reading moves before the broadcast's delay and from filling the broker; what a message says is believed
//! for its seal alone.

use firmware_proto::{GatewayId, Topic, VenueId};
use sha2::{Digest, Sha256};
use tokio::sync::watch;

use crate::gateways::Keys;

/// The server's own user.
pub const SERVER: &str = "chuhe";

/// Somebody who is let in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Visitor {
    /// This server.
    Server,
    /// A gateway.
    Gateway(GatewayId),
    /// Somebody without a name.
    Guest,
}

/// Who is let in, and what he may.
#[derive(Clone, Debug)]
pub struct Access {
    venue: VenueId,
    /// Of the server itself, made at its start.
    password: String,
    keys: watch::Receiver<Keys>,
}

impl Access {
    /// For this venue's gateways. `password`: of the server itself.
    #[must_use]
    pub fn new(venue: VenueId, password: String, keys: watch::Receiver<Keys>) -> Access {
        Access { venue, password, keys }
    }

    /// Whom the name and the password belong to. A guest has neither.
    #[must_use]
    pub fn admit(&self, user: Option<&str>, password: Option<&[u8]>) -> Option<Visitor> {
        let visitor = self.known(user)?;
        let expected = match &visitor {
            Visitor::Guest => return Some(visitor),
            Visitor::Server => self.password.clone(),
            Visitor::Gateway(gateway) => self.keys.borrow().get(gateway)?.broker_password(),
        };
        // Digests are compared: how long it takes tells nothing of the password.
        let same = Sha256::digest(password?) == Sha256::digest(expected.as_bytes());
        same.then_some(visitor)
    }

    /// Who has this user's name, if he is still let in. His password was checked when he came.
    #[must_use]
    pub fn known(&self, user: Option<&str>) -> Option<Visitor> {
        match user {
            None => Some(Visitor::Guest),
            Some(SERVER) => Some(Visitor::Server),
            Some(name) => {
                let gateway: GatewayId = name.parse().ok()?;
                self.keys.borrow().contains_key(&gateway).then_some(Visitor::Gateway(gateway))
            }
        }
    }

    /// Whether he may publish on a topic, also as a last will.
    #[must_use]
    pub fn may_publish(&self, visitor: &Visitor, topic: &str) -> bool {
        match visitor {
            Visitor::Server => true,
            Visitor::Guest => false,
            Visitor::Gateway(own) => match topic.parse() {
                Ok(Topic::Up { venue, gateway } | Topic::State { venue, gateway }) => {
                    venue == self.venue && gateway == *own
                }
                Ok(Topic::Down { .. } | Topic::Table { .. } | Topic::View { .. }) | Err(_) => false,
            },
        }
    }

    /// Whether he may subscribe to a filter.
    #[must_use]
    pub fn may_subscribe(&self, visitor: &Visitor, filter: &str) -> bool {
        match visitor {
            Visitor::Server => true,
            Visitor::Guest => self.is_public(filter),
            Visitor::Gateway(own) => {
                let down = Topic::Down { venue: self.venue.clone(), gateway: own.clone() };
                filter == down.to_string() || self.is_public(filter)
            }
        }
    }

    /// Whether a filter takes in nothing but public topics of this venue. Names of gateways stand where `public` stands,
    /// so no gateway may be called so; see [`crate::config`].
    fn is_public(&self, filter: &str) -> bool {
        filter.strip_prefix(&format!("chuhe/1/{}/public/", self.venue)).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use firmware_proto::envelope::Key;

    fn id(name: &str) -> GatewayId {
        GatewayId::new(name).unwrap()
    }

    fn access() -> (watch::Sender<Keys>, Access) {
        let keys = watch::Sender::new(Keys::from([(id("west"), Key::new([1; 32]))]));
        let access = Access::new(VenueId::new("hall").unwrap(), "own".into(), keys.subscribe());
        (keys, access)
    }

    #[test]
    fn a_gateway_signs_in_by_its_key_and_guests_without_a_name() {
        let (_keys, access) = access();
        let password = |byte: u8| Key::new([byte; 32]).broker_password();
        let admit = |user, password: &str| access.admit(Some(user), Some(password.as_bytes()));
        assert_eq!(admit("west", &password(1)), Some(Visitor::Gateway(id("west"))));
        assert_eq!(admit("chuhe", "own"), Some(Visitor::Server));
        assert_eq!(access.admit(None, None), Some(Visitor::Guest));
        for (user, password) in [("west", password(2)), ("east", password(1)), ("chuhe", password(1))] {
            assert_eq!(admit(user, &password), None, "{user}");
        }
        assert_eq!(access.admit(Some("west"), None), None);
    }

    #[test]
    fn everybody_keeps_to_his_own_topics() {
        let (_keys, access) = access();
        let west = Visitor::Gateway(id("west"));
        let table = [
            // topic or filter, gateway publishes, gateway subscribes, guest subscribes
            ("chuhe/1/hall/west/up", true, false, false),
            ("chuhe/1/hall/west/state", true, false, false),
            ("chuhe/1/hall/west/down", false, true, false),
            ("chuhe/1/hall/east/up", false, false, false),
            ("chuhe/1/hall/east/down", false, false, false),
            ("chuhe/1/elsewhere/west/up", false, false, false),
            ("chuhe/1/hall/public/table/3", false, true, true),
            ("chuhe/1/hall/public/#", false, true, true),
            ("chuhe/1/hall/public/table/+", false, true, true),
            ("chuhe/1/+/public/#", false, false, false),
            ("chuhe/1/hall/+/up", false, false, false),
            ("chuhe/1/#", false, false, false),
            ("#", false, false, false),
            ("$SYS/#", false, false, false),
        ];
        for (topic, publishes, subscribes, reads) in table {
            assert_eq!(access.may_publish(&west, topic), publishes, "publish {topic}");
            assert_eq!(access.may_subscribe(&west, topic), subscribes, "subscribe {topic}");
            assert_eq!(access.may_subscribe(&Visitor::Guest, topic), reads, "guest reads {topic}");
            assert!(!access.may_publish(&Visitor::Guest, topic), "guest publishes {topic}");
            assert!(
                access.may_publish(&Visitor::Server, topic) && access.may_subscribe(&Visitor::Server, topic)
            );
        }
    }

    #[test]
    fn who_was_sent_away_may_nothing_more_although_he_is_still_connected() {
        let (keys, access) = access();
        keys.send_replace(Keys::new());
        assert_eq!(access.known(Some("west")), None);
    }
}
