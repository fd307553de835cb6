//! What a gateway is told: `gateway.toml`.

use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use firmware_proto::envelope::Key;
use firmware_proto::{GatewayId, VenueClock, VenueId};
use serde::Deserialize;

use crate::tls::Pin;

/// A gateway's configuration. Unknown fields are refused.
///
/// ```
/// let config = gateway::Config::parse(r#"
///     name = "row-1"
///     venue = "hangzhou"
///     store = "/var/lib/chuhe-gateway"
///     broker = "mqtt://192.168.1.10:1883"
///     key = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
///     ports = ["/dev/ttyACM*", "/dev/serial/by-id/usb-Chuhe_*"]
/// "#)?;
/// assert_eq!(config.name.as_str(), "row-1");
/// # Ok::<(), gateway::ConfigError>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// This gateway's name, unique in its venue.
    pub name: GatewayId,
    /// The venue.
    pub venue: VenueId,
    /// Folder of its durable store; made if it is not there.
    pub store: PathBuf,
    /// Where the broker is.
    pub broker: BrokerUrl,
    /// File with the certificate (PEM) of the authority that signed the broker's, for `mqtts`.
    pub broker_ca: Option<PathBuf>,
    /// Fingerprint (SHA-256, hexadecimal) of the broker's own certificate, for `mqtts` without an authority.
    #[serde(default, deserialize_with = "pin")]
    pub broker_pin: Option<Pin>,
    /// The key that this gateway shares with the server: 64 hexadecimal digits.
    #[serde(deserialize_with = "key")]
    pub key: Key,
    /// Serial ports with one device each: paths, or patterns with `*` in the file name.
    #[serde(default)]
    pub ports: Vec<String>,
    /// Serial ports with many devices each (RS-485), in the same way.
    #[serde(default)]
    pub lines: Vec<String>,
    /// Where `GET /metrics` is answered; nowhere if it is left out.
    pub metrics: Option<SocketAddr>,
    /// Venue time, if it is not wall time (demonstrations and tests).
    #[serde(default, deserialize_with = "venue_clock")]
    pub time: VenueClock,
}

/// Why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is no TOML, lacks a field, has one too many, or a field says something impossible.
    #[error("{path}: {said}")]
    Content {
        /// Which file.
        path: String,
        /// Line and what is wrong there.
        said: String,
    },
    /// Fields that do not go together.
    #[error("{path}: {problem}")]
    Sense {
        /// Which file.
        path: String,
        /// What.
        problem: String,
    },
}

impl Config {
    /// Reads a file.
    pub fn load(path: &Path) -> Result<Config, ConfigError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| ConfigError::Read { path: path.to_owned(), source })?;
        Config::parse_named(&text, &path.display().to_string())
    }

    /// Reads text.
    pub fn parse(text: &str) -> Result<Config, ConfigError> {
        Config::parse_named(text, "configuration")
    }

    fn parse_named(text: &str, path: &str) -> Result<Config, ConfigError> {
        let config: Config = toml::from_str(text)
            .map_err(|why| ConfigError::Content { path: path.to_owned(), said: misread(text, &why) })?;
        let sense = |problem: String| ConfigError::Sense { path: path.to_owned(), problem };
        if config.ports.is_empty() && config.lines.is_empty() {
            let example = "ports: name at least one, for example [\"/dev/ttyACM*\"], or lines that several devices share";
            return Err(sense(example.to_owned()));
        }
        for port in config.ports.iter().chain(&config.lines) {
            let folder = Path::new(port).parent().unwrap_or(Path::new(""));
            if folder.to_string_lossy().contains('*') {
                return Err(sense(format!("“{port}”: * may stand in the file name only, not in a folder's")));
            }
        }
        let trusts = (config.broker.tls, config.broker_ca.is_some(), config.broker_pin.is_some());
        if matches!(trusts, (true, false, false) | (true, true, true)) {
            return Err(sense(
                "broker is mqtts, so either broker_ca must name the file of its authority's certificate, or broker_pin \
                 the fingerprint of its own"
                    .to_owned(),
            ));
        }
        Ok(config)
    }
}

/// What is wrong with a text that is no configuration, with its line. The line is shown, unless it may hold a secret.
#[must_use]
pub fn misread(text: &str, why: &toml::de::Error) -> String {
    let Some(at) = why.span() else { return why.message().to_owned() };
    let before = text.get(..at.start).unwrap_or_default();
    let line = before.matches('\n').count();
    let shown = text.lines().nth(line).unwrap_or_default();
    let lower = shown.to_lowercase();
    let is_named = ["key", "password", "secret", "token", "://"].iter().any(|word| lower.contains(word));
    // Or its name has the slip.
    let looks_it = shown.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word.len() >= 20);
    if is_named || looks_it {
        return format!(
            "line {}: {} (the line may hold a secret and is not shown)",
            line + 1,
            unquoted(why.message())
        );
    }
    format!("line {}: {}\n  {shown}", line + 1, why.message())
}

/// A message without what it quotes.
fn unquoted(message: &str) -> String {
    let parts = message.split(['`', '"']).enumerate();
    parts.map(|(at, part)| if at % 2 == 0 { part } else { "…" }).collect()
}

/// Where a broker is: `mqtt://[user[:password]@]host[:port]`, or `mqtts://` for TLS.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct BrokerUrl {
    /// Whether the connection is encrypted.
    pub tls: bool,
    /// Name or address.
    pub host: String,
    /// Port: 1883, or 8883 with TLS, unless given.
    pub port: u16,
    /// User and password, if the broker wants them.
    pub login: Option<(String, String)>,
}

impl TryFrom<String> for BrokerUrl {
    type Error = String;

    fn try_from(text: String) -> Result<BrokerUrl, String> {
        // The text may hold a password: it is not repeated.
        let bad = || {
            "a broker is written mqtt://host:port or mqtts://host:port, with user:password@ in front of the host if it wants them".to_owned()
        };
        let (tls, rest) = match text.split_once("://") {
            Some(("mqtt", rest)) => (false, rest),
            Some(("mqtts", rest)) => (true, rest),
            Some(_) | None => return Err(bad()),
        };
        let (login, place) = match rest.trim_end_matches('/').rsplit_once('@') {
            Some((login, place)) => {
                let (user, password) = login.split_once(':').unwrap_or((login, ""));
                (Some((user.to_owned(), password.to_owned())), place)
            }
            None => (None, rest.trim_end_matches('/')),
        };
        let usual = if tls { 8883 } else { 1883 };
        let (host, port) = match place.strip_prefix('[').and_then(|v6| v6.split_once(']')) {
            Some((host, "")) => (host, usual),
            Some((host, port)) => {
                (host, port.strip_prefix(':').and_then(|port| port.parse().ok()).ok_or_else(bad)?)
            }
            None => match place.split_once(':') {
                Some((host, port)) => (host, port.parse().map_err(|_| bad())?),
                None => (place, usual),
            },
        };
        if host.is_empty() || host.contains(['/', ' ']) {
            return Err(bad());
        }
        Ok(BrokerUrl { tls, host: host.to_owned(), port, login })
    }
}

impl fmt::Display for BrokerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.tls { "mqtts" } else { "mqtt" };
        if self.host.contains(':') {
            write!(f, "{scheme}://[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{scheme}://{}:{}", self.host, self.port)
        }
    }
}

impl fmt::Debug for BrokerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn key<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Key, D::Error> {
    let text = String::deserialize(deserializer)?;
    Key::from_hex(&text).map_err(serde::de::Error::custom)
}

fn pin<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Pin>, D::Error> {
    String::deserialize(deserializer)?.parse().map(Some).map_err(serde::de::Error::custom)
}

fn venue_clock<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<VenueClock, D::Error> {
    let clock = VenueClock::deserialize(deserializer)?;
    if clock.is_sane() { Ok(clock) } else { Err(serde::de::Error::custom("speed must be above 0")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sound() -> String {
        let key = "ab".repeat(32);
        format!(
            "name = \"row-1\"\nvenue = \"hall\"\nstore = \"/tmp/s\"\nbroker = \"mqtt://localhost\"\nkey = \"{key}\"\nports = [\"/dev/ttyACM*\"]\n"
        )
    }

    fn complaint(text: &str) -> String {
        Config::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn a_sound_configuration_has_wall_time_and_the_usual_port() {
        let config = Config::parse(&sound()).unwrap();
        assert_eq!((config.broker.port, config.time), (1883, VenueClock::REAL));
    }

    #[test]
    fn an_unknown_field_is_named_with_its_line() {
        let said = complaint(&format!("{}prots = []\n", sound()));
        assert!(said.contains("line 7") && said.contains("prots"), "{said}");
    }

    #[test]
    fn a_bad_value_is_shown_with_its_line_and_a_bad_key_is_not_shown() {
        let said = complaint(&sound().replace("row-1", "Row 1"));
        assert!(said.contains("line 1") && said.contains("1 to 32 of a-z, 0-9, -"), "{said}");
        let said = complaint(&sound().replace(&"ab".repeat(32), "abc"));
        assert!(said.contains("line 5") && said.contains("64 hexadecimal digits"), "{said}");
        assert!(!said.contains("abc"), "{said}");
        let said = complaint(&sound().replace(&format!("\"{}\"", "ab".repeat(32)), "123456789"));
        assert!(said.contains("line 5") && !said.contains("123456789"), "{said}");
        let said = complaint(&sound().replace("mqtt://localhost", "http://localhost"));
        assert!(said.contains("line 4") && said.contains("mqtt://host:port"), "{said}");
    }

    #[test]
    fn fields_that_do_not_go_together_are_told() {
        assert!(complaint(&sound().replace("mqtt:", "mqtts:")).contains("broker_ca"));
        let pinned = format!("{}broker_pin = \"{}\"\n", sound().replace("mqtt:", "mqtts:"), "ab".repeat(32));
        assert!(Config::parse(&pinned).is_ok());
        assert!(
            complaint(&pinned.replace("broker_pin = \"abab", "broker_pin = \"ab")).contains("64 hexadecimal")
        );
        assert!(complaint(&sound().replace("/dev/ttyACM*", "/dev/*/tty")).contains("file name only"));
        let said = complaint(&format!("{}[time]\nspeed = 0.0\n", sound()));
        assert!(said.contains("speed must be above 0"), "{said}");
    }

    #[test]
    fn broker_urls_have_logins_ports_and_numeric_hosts_and_keep_the_password_to_themselves() {
        let url = BrokerUrl::try_from("mqtts://row-1:p@ss@[::1]:9".to_owned()).unwrap();
        assert_eq!(url.login, Some(("row-1".to_owned(), "p@ss".to_owned())));
        assert_eq!((url.tls, url.host.as_str(), url.port), (true, "::1", 9));
        assert_eq!(format!("{url:?}"), "mqtts://[::1]:9");
        for bad in ["mqtt://", "mqtt://host:x", "host:1883", "mqtt://host:1883/topic"] {
            assert!(BrokerUrl::try_from(bad.to_owned()).is_err(), "{bad}");
        }
    }

    proptest::proptest! {
        /// A slip anywhere in the file.
        #[test]
        fn whatever_is_spoilt_is_read_or_refused_with_words_that_hold_no_secret(
            at in 0..300_usize, cut in 0..12_usize, put in "\\PC{0,6}"
        ) {
            let sound = sound();
            let secret = "ab".repeat(16);
            let mut spoilt: Vec<char> = sound.chars().collect();
            let at = at.min(spoilt.len());
            spoilt.splice(at..(at + cut).min(sound.len()), put.chars());
            let spoilt: String = spoilt.into_iter().collect();
            if let Err(why) = Config::parse(&spoilt) {
                let said = why.to_string();
                proptest::prop_assert!(said.starts_with("configuration: "), "{}", said);
                // Unless what was put in makes another line of it.
                proptest::prop_assert!(put.contains('\n') || !said.contains(&secret), "{}", said);
            }
        }

        #[test]
        fn a_token_reads_back_and_whatever_is_spoilt_in_it_is_refused_or_another_token(
            at in 0..110_usize, put in "\\PC{0,3}"
        ) {
            let token = format!("row-1.{}.{}", "0f".repeat(16), "a1".repeat(32));
            let read: crate::Token = token.parse().unwrap();
            proptest::prop_assert_eq!(read.to_string(), &token[..]);
            let spoilt = format!("{}{put}{}", &token[..at.min(token.len())], &token[(at + 1).min(token.len())..]);
            if let Ok(other) = spoilt.parse::<crate::Token>() {
                let again: crate::Token = other.to_string().parse().unwrap();
                proptest::prop_assert_eq!(again.to_string(), other.to_string());
            }
        }
    }
}
