//! How points, moves and setups look in a journal: as the text that people
//! write.

use core::fmt;
use core::marker::PhantomData;
use core::str::FromStr;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Move, Point, Setup};

struct Text<T>(&'static str, PhantomData<T>);

impl<T: FromStr<Err: fmt::Display>> Visitor<'_> for Text<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }
}

macro_rules! as_text {
    ($type:ty, $what:literal) => {
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str(Text($what, PhantomData))
            }
        }
    };
}

as_text!(Point, "a point such as \"h2\"");
as_text!(Move, "a move such as \"h2e2\"");
as_text!(Setup, "a FEN");

#[cfg(test)]
mod tests {
    use crate::{BySide, Move, Point, Setup, Side};

    fn round_trip<T>(value: &T, json: &str)
    where
        T: serde::Serialize + serde::de::DeserializeOwned + PartialEq + core::fmt::Debug,
    {
        assert_eq!(serde_json::to_string(value).unwrap(), json);
        assert_eq!(&serde_json::from_str::<T>(json).unwrap(), value);
    }

    #[test]
    fn a_journal_reads_like_a_score_sheet() {
        round_trip(&Side::Black, r#""black""#);
        round_trip(&"h2".parse::<Point>().unwrap(), r#""h2""#);
        round_trip(&"h2e2".parse::<Move>().unwrap(), r#""h2e2""#);
        round_trip(&BySide { red: 1, black: 2 }, r#"{"red":1,"black":2}"#);
        let start = r#""rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1""#;
        round_trip(&Setup::start(), start);
    }

    #[test]
    fn what_is_no_move_says_so() {
        let error = serde_json::from_str::<Move>(r#""h2""#).unwrap_err();
        assert!(error.to_string().contains("two points were expected"), "{error}");
    }
}
