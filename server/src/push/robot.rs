//! The services that bring a message to a phone, and what each wants to be sent. Pure.

use arbitration::Severity;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::Sha256;

/// Bytes of a text that WeCom takes; the others take more.
const MOST_BYTES: usize = 2048;

/// Which service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Service {
    /// 企业微信 group robot.
    Wecom,
    /// 钉钉 custom robot; `secret`: its signing key.
    Dingtalk,
    /// 飞书 custom robot; `secret`: its signing key.
    Feishu,
    /// ntfy, also one's own on the venue's network; the last part of `url` is the topic.
    Ntfy,
}

/// A robot as configured.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Robot {
    /// Which service.
    pub service: Service,
    /// Where it listens, with its key.
    pub url: String,
    /// The signing key, if it has one.
    #[serde(default)]
    pub secret: Option<String>,
    /// Telephone numbers that a message that presses calls by name (WeCom, DingTalk).
    #[serde(default)]
    pub mention: Vec<String>,
    /// Whether messages of severity P2 go out too.
    #[serde(default)]
    pub everything: bool,
}

impl std::fmt::Debug for Robot {
    /// The address holds a key: nobody's business.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Robot({:?})", self.service)
    }
}

/// What goes out: a POST of JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    /// Where to.
    pub url: String,
    /// The body.
    pub body: Value,
}

fn sign(key: &str, message: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(key.as_bytes()).expect("HMAC takes a key of any length");
    mac.update(message.as_bytes());
    STANDARD.encode(mac.finalize().into_bytes())
}

/// Percent-encoding of what base64 may hold and an address may not.
fn escaped(text: &str) -> String {
    text.replace('+', "%2B").replace('/', "%2F").replace('=', "%3D")
}

/// A text that is not too long, cut at a character and marked.
fn cut(text: &str) -> String {
    if text.len() <= MOST_BYTES {
        return text.to_owned();
    }
    let room = MOST_BYTES - "…".len();
    let end = (0..=room).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    format!("{}…", &text[..end])
}

impl Robot {
    /// The letter with this text at `wall` (ms since 1970).
    #[must_use]
    pub fn letter(&self, text: &str, severity: Severity, wall: i64) -> Letter {
        let text = cut(text);
        let called: &[String] = if severity == Severity::P0 { &self.mention } else { &[] };
        match self.service {
            Service::Wecom => Letter {
                url: self.url.clone(),
                body: json!({"msgtype": "text", "text": {"content": text, "mentioned_mobile_list": called}}),
            },
            Service::Dingtalk => {
                let url = match &self.secret {
                    Some(secret) => {
                        let sign = escaped(&sign(secret, &format!("{wall}\n{secret}")));
                        let and = if self.url.contains('?') { '&' } else { '?' };
                        format!("{}{and}timestamp={wall}&sign={sign}", self.url)
                    }
                    None => self.url.clone(),
                };
                let at = json!({"atMobiles": called, "isAtAll": false});
                Letter { url, body: json!({"msgtype": "text", "text": {"content": text}, "at": at}) }
            }
            Service::Feishu => {
                let mut body = json!({"msg_type": "text", "content": {"text": text}});
                if let Some(secret) = &self.secret {
                    let seconds = wall.div_euclid(1000).to_string();
                    body["sign"] = sign(&format!("{seconds}\n{secret}"), "").into();
                    body["timestamp"] = seconds.into();
                }
                Letter { url: self.url.clone(), body }
            }
            Service::Ntfy => {
                let (server, topic) = self.url.rsplit_once('/').unwrap_or((&self.url, ""));
                let priority = match severity {
                    Severity::P0 => 5,
                    Severity::P1 => 4,
                    Severity::P2 | Severity::P3 => 3,
                };
                let body = json!({"topic": topic, "title": "楚河", "message": text, "priority": priority});
                Letter { url: format!("{server}/"), body }
            }
        }
    }

    /// Whether the service took it, by the answer's body: most answer 200 and say in it that they did not.
    #[must_use]
    pub fn took(&self, answer: &str) -> bool {
        let answer: Value = serde_json::from_str(answer).unwrap_or(Value::Null);
        match self.service {
            Service::Wecom | Service::Dingtalk => answer["errcode"] == 0,
            Service::Feishu => answer["code"] == 0 || answer["StatusCode"] == 0,
            Service::Ntfy => answer["id"].is_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn robot(service: Service, url: &str, secret: Option<&str>) -> Robot {
        let secret = secret.map(str::to_owned);
        Robot { service, url: url.into(), secret, mention: vec!["13800000000".into()], everything: false }
    }

    #[test]
    fn wecom_gets_a_text_and_calls_by_name_only_what_presses() {
        let robot = robot(Service::Wecom, "https://example.invalid/send?key=k", None);
        let urgent = robot.letter("12台 超时", Severity::P0, 0);
        assert_eq!(urgent.body["text"]["content"], "12台 超时");
        assert_eq!(urgent.body["text"]["mentioned_mobile_list"][0], "13800000000");
        let other = robot.letter("7台 限着", Severity::P1, 0);
        assert_eq!(other.body["text"]["mentioned_mobile_list"], json!([]));
        assert!(robot.took(r#"{"errcode":0,"errmsg":"ok"}"#));
        assert!(!robot.took(r#"{"errcode":45009,"errmsg":"api freq out of limit"}"#) && !robot.took("busy"));
    }

    #[test]
    fn dingtalk_is_signed_in_the_address() {
        let robot = robot(Service::Dingtalk, "https://example.invalid/send?access_token=t", Some("SEC0123"));
        let letter = robot.letter("x", Severity::P0, 1_758_447_600_000);
        assert_eq!(
            letter.url,
            format!("https://example.invalid/send?access_token=t&timestamp=1758447600000&sign={DING}")
        );
        assert_eq!(letter.body["at"]["atMobiles"][0], "13800000000");
    }

    #[test]
    fn feishu_is_signed_in_the_body() {
        let robot = robot(Service::Feishu, "https://example.invalid/hook/1", Some("SEC0123"));
        let letter = robot.letter("x", Severity::P1, 1_758_447_600_999);
        assert_eq!(letter.body["timestamp"], "1758447600");
        assert_eq!(letter.body["sign"], FEISHU);
        assert_eq!(letter.body["content"]["text"], "x");
    }

    /// Computed by another program: HMAC-SHA256 as each service's manual says.
    const DING: &str = "0wB1pii5NBgG%2FGGd6KQWYRaW997H2gfgmffaAXSbxDI%3D";
    const FEISHU: &str = "rMsWEhu4czOTVFIwIYtTjqbCahciIyrtuEbMgQpKPog=";

    #[test]
    fn ntfy_takes_the_topic_from_the_address() {
        let robot = robot(Service::Ntfy, "http://192.168.1.2:2586/chuhe", None);
        let letter = robot.letter("12台", Severity::P0, 0);
        assert_eq!(letter.url, "http://192.168.1.2:2586/");
        assert_eq!((&letter.body["topic"], &letter.body["priority"]), (&json!("chuhe"), &json!(5)));
    }

    #[test]
    fn a_long_text_is_cut_at_a_character() {
        let robot = robot(Service::Wecom, "x", None);
        let letter = robot.letter(&"超".repeat(2000), Severity::P1, 0);
        let text = letter.body["text"]["content"].as_str().expect("text");
        assert!(text.len() <= MOST_BYTES && text.ends_with('…'));
    }

    #[test]
    fn an_address_with_its_key_is_not_shown() {
        let robot = robot(Service::Wecom, "https://example.invalid/send?key=secret", Some("SEC"));
        assert!(!format!("{robot:?}").contains("secret"));
    }
}
