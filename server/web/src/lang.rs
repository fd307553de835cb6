//! The two languages of the pages: Chinese first, English second.

use std::borrow::Cow;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use serde::Serialize;

/// A language of the pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lang {
    /// 中文.
    #[default]
    Zh,
    /// English.
    En,
}

/// Words in both languages, Chinese first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Words(pub Cow<'static, str>, pub Cow<'static, str>);

impl Words {
    /// From constants.
    #[must_use]
    pub const fn of(zh: &'static str, en: &'static str) -> Words {
        Words(Cow::Borrowed(zh), Cow::Borrowed(en))
    }

    /// From text made for the occasion.
    #[must_use]
    pub const fn new(zh: String, en: String) -> Words {
        Words(Cow::Owned(zh), Cow::Owned(en))
    }

    /// In this language.
    #[must_use]
    pub fn get(&self, lang: Lang) -> &str {
        match lang {
            Lang::Zh => &self.0,
            Lang::En => &self.1,
        }
    }
}

impl Lang {
    /// The cookie that keeps the choice.
    pub const COOKIE: &'static str = "lang";

    /// One of two texts.
    #[must_use]
    pub const fn pick<T: Copy>(self, zh: T, en: T) -> T {
        match self {
            Lang::Zh => zh,
            Lang::En => en,
        }
    }

    /// For the `lang` attribute.
    #[must_use]
    pub const fn tag(self) -> &'static str {
        self.pick("zh-CN", "en")
    }

    /// For `?lang=` and the cookie.
    #[must_use]
    pub const fn code(self) -> &'static str {
        self.pick("zh", "en")
    }

    /// Reads [`Lang::code`].
    #[must_use]
    pub fn parse(code: &str) -> Option<Lang> {
        match code {
            "zh" => Some(Lang::Zh),
            "en" => Some(Lang::En),
            _ => None,
        }
    }

    /// The other one.
    #[must_use]
    pub const fn other(self) -> Lang {
        match self {
            Lang::Zh => Lang::En,
            Lang::En => Lang::Zh,
        }
    }
}

/// The value of a cookie in the request.
#[must_use]
pub fn cookie<'a>(parts: &'a Parts, name: &str) -> Option<&'a str> {
    let headers = parts.headers.get_all(axum::http::header::COOKIE);
    headers
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find_map(|(key, value)| (key == name).then_some(value))
}

/// The value of a plain query parameter (no percent-encoding: for codes and numbers).
#[must_use]
pub fn query<'a>(parts: &'a Parts, name: &str) -> Option<&'a str> {
    let pairs = parts.uri.query()?.split('&').filter_map(|pair| pair.split_once('='));
    pairs.into_iter().find_map(|(key, value)| (key == name).then_some(value))
}

impl<S: Sync> FromRequestParts<S> for Lang {
    type Rejection = std::convert::Infallible;

    /// `?lang=` first, then the cookie, then Chinese.
    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Lang, Self::Rejection> {
        let asked = query(parts, "lang").and_then(Lang::parse);
        let kept = || cookie(parts, Lang::COOKIE).and_then(Lang::parse);
        Ok(asked.or_else(kept).unwrap_or_default())
    }
}
