//! The event's regulation (规程): everything in which two events differ, each field with the article that it
//! comes from. The two reference regulations are the presets `a` (a county's mass event) and `b` (a provincial
//! team league).

use firmware_proto::Millis;
use serde::{Deserialize, Serialize};
use xiangqi::judge::{CountFrom, Exclusion, NaturalLimitRule, RuleSet, Rules};

use crate::Words;
use crate::form::Field;

/// The regulation of one event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Regulation {
    /// How it is called.
    pub name: String,
    /// The time control (用时).
    pub time: TimeControl,
    /// What a fallen flag means (超时).
    pub flag: FlagRule,
    /// Illegal moves and fouls (违例, 犯规).
    pub fouls: FoulRule,
    /// Pieces disturbed in the opponent's time (碰乱棋子).
    pub disturbed: DisturbedRule,
    /// The natural limit (自然限着).
    pub natural_limit: NaturalLimitRule,
    /// Repetition (循环).
    pub repetition: RepetitionRule,
    /// Errors are corrected only when raised within so many rounds (纠错时限).
    pub correction_rounds: u16,
    /// A draw may be claimed in time trouble only while the claimant has at least this left.
    pub draw_claim_above: Millis,
    /// A player who comes later than this after the round's start forfeits (迟到弃权).
    pub late_limit: Millis,
    /// The ladder by which entrants are ranked, gravest key first.
    pub ladder: Vec<String>,
}

/// Base time and increment of each side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeControl {
    /// At the start.
    pub base: Millis,
    /// After each own ply (每步加秒).
    pub increment: Millis,
}

/// What a fallen flag means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlagRule {
    /// Whether the system ends the game by itself when the clock device reports the first flag; otherwise it
    /// proposes, and an arbiter acts. Never on an extrapolated time.
    pub automatic: bool,
    /// Whether the game is drawn when both clocks show 00:00 before the first flag was acted on. Goes only with
    /// `automatic = false`: a machine acts at once.
    pub both_draw: bool,
}

/// Illegal moves and fouls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FoulRule {
    /// Leaving or putting the own general in danger loses at once.
    pub exposing_loses: bool,
    /// So many other illegal moves of one side in a game lose it.
    pub illegal_moves_lose: u8,
    /// So many fouls of one side in a game lose it.
    pub fouls_lose: u8,
}

/// Pieces disturbed in the opponent's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DisturbedRule {
    /// Added to the opponent's time.
    pub opponent_gains: Millis,
    /// Whether it is a foul beside that.
    pub foul: bool,
    /// The disturber loses if the opponent has less than this left; 0: never.
    pub loses_below: Millis,
}

/// Repetition (棋例).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RepetitionRule {
    /// By which book, and how its open points are decided.
    pub rules: Rules,
    /// Rounds within which the side that has to vary must do so (perpetual check: its very next move).
    pub vary_within: u8,
}

/// Why a regulation cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RegulationError {
    /// No preset of that name.
    #[error("there is no regulation “{0}”: the presets are a and b")]
    Unknown(String),
    /// The text is no TOML.
    #[error("the regulation cannot be read: {0}")]
    Toml(#[from] toml::de::Error),
    /// It cannot be written as TOML.
    #[error("the regulation cannot be written: {0}")]
    Written(toml::ser::Error),
    /// A field has a value that makes no sense, is missing, or does not exist.
    #[error("{field}: {}", .why.en)]
    Field {
        /// Which, with its section.
        field: String,
        /// What is wrong and what would be right.
        why: Words,
    },
}

impl RegulationError {
    /// In Chinese and English.
    #[must_use]
    pub fn words(&self) -> Words {
        let zh = match self {
            RegulationError::Unknown(name) => format!("没有名为“{name}”的规程：预设有 a 和 b"),
            RegulationError::Toml(error) => format!("规程无法解析：{error}"),
            RegulationError::Written(error) => format!("规程无法写成 TOML：{error}"),
            RegulationError::Field { field, why } => match Field::named(field) {
                Some(known) => format!("{}（{field}）：{}", known.zh, why.zh),
                None => format!("{field}：{}", why.zh),
            },
        };
        Words::new(zh, self.to_string())
    }
}

const MINUTE: u32 = 60_000;

impl Regulation {
    /// Regulation A: a county's mass event, 25 minutes and 5 seconds a ply.
    #[must_use]
    pub fn a() -> Regulation {
        Regulation {
            name: "A".into(),
            time: TimeControl { base: Millis(25 * MINUTE), increment: Millis(5_000) }, // art. 3
            flag: FlagRule { automatic: true, both_draw: false },                      // art. 3
            fouls: FoulRule { exposing_loses: true, illegal_moves_lose: 2, fouls_lose: 3 }, // art. 6, 11
            disturbed: DisturbedRule {
                opponent_gains: Millis(5 * MINUTE),
                foul: true,
                loses_below: Millis(0),
            }, // art. 8
            natural_limit: NaturalLimitRule {
                rounds: 40,
                from: CountFrom::Claim,
                exclusion: Exclusion::ClaimantsChecks,
            }, // art. 7
            repetition: RepetitionRule { rules: Rules::from(RuleSet::Cn2011), vary_within: 2 }, // art. 11
            correction_rounds: 5,                                                      // art. 9
            draw_claim_above: Millis(3 * MINUTE),                                      // art. 10
            late_limit: Millis(10 * MINUTE),
            ladder: ["points", "opponents", "wins", "fouls", "black_games", "previous_round"]
                .map(String::from)
                .into(),
        }
    }

    /// Regulation B: a provincial team league, 30 minutes and 5 seconds a ply.
    #[must_use]
    pub fn b() -> Regulation {
        Regulation {
            name: "B".into(),
            time: TimeControl { base: Millis(30 * MINUTE), increment: Millis(5_000) },
            flag: FlagRule { automatic: false, both_draw: true }, // 二(六)
            disturbed: DisturbedRule {
                opponent_gains: Millis(2 * MINUTE),
                foul: false,
                loses_below: Millis(2 * MINUTE),
            }, // (五)
            natural_limit: NaturalLimitRule {
                rounds: 35,
                from: CountFrom::LastCapture,
                exclusion: Exclusion::ChecksKillsChases,
            }, // (四)
            ..Regulation::a()
        }
    }

    /// How long a round may go on before it is told: both sides' time for sixty plies each.
    #[must_use]
    pub fn round_time(&self) -> Millis {
        let side = self.time.base.0.saturating_add(self.time.increment.0.saturating_mul(60));
        Millis(side.saturating_mul(2))
    }

    /// The preset of that name.
    pub fn preset(name: &str) -> Result<Regulation, RegulationError> {
        match name {
            "a" | "A" => Ok(Regulation::a()),
            "b" | "B" => Ok(Regulation::b()),
            other => Err(RegulationError::Unknown(other.into())),
        }
    }

    /// A preset by its name, or a regulation of one's own as TOML.
    pub fn read(text: &str) -> Result<Regulation, RegulationError> {
        if text.contains('=') { Regulation::from_toml(text) } else { Regulation::preset(text) }
    }

    /// Reads a regulation from TOML. Unknown fields and senseless values are errors that name the field.
    pub fn from_toml(text: &str) -> Result<Regulation, RegulationError> {
        Regulation::from_table(text.parse::<toml::Table>()?)
    }

    /// The regulation as TOML.
    pub fn to_toml(&self) -> Result<String, RegulationError> {
        toml::to_string(self).map_err(RegulationError::Written)
    }

    /// Refuses values that make no sense.
    pub fn check(&self) -> Result<(), RegulationError> {
        let table = toml::Table::try_from(self).map_err(RegulationError::Written)?;
        Regulation::from_table(table).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preset_written_as_toml_reads_back_the_same() {
        for preset in [Regulation::a(), Regulation::b()] {
            let text = toml::to_string(&preset).unwrap();
            assert_eq!(Regulation::from_toml(&text).unwrap(), preset);
        }
    }

    #[test]
    fn a_misspelt_field_is_named() {
        let text = toml::to_string(&Regulation::a()).unwrap().replace("both_draw", "both_drawn");
        let error = Regulation::from_toml(&text).unwrap_err().to_string();
        assert!(error.contains("both_drawn"), "{error}");
    }

    #[test]
    fn a_senseless_value_is_refused_with_its_field() {
        let senseless = Regulation { correction_rounds: 5, ..Regulation::a() };
        let senseless = Regulation {
            natural_limit: NaturalLimitRule { rounds: 0, ..senseless.natural_limit },
            ..senseless
        };
        assert!(senseless.check().unwrap_err().to_string().starts_with("natural_limit.rounds"));
    }
}
