//! What a player can be punished for.

use serde::{Deserialize, Serialize};

/// What a foul is for (犯规).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Offence {
    /// A move against the movement rules (违反行棋规定): the second one of a game may lose.
    IllegalMove,
    /// Pressing the clock without a move (未走棋先按钟).
    PressWithoutMove,
    /// Disturbing pieces (碰乱棋子).
    Disturbing,
    /// Another piece than the touched one was moved (摸子走子).
    TouchMove,
    /// A breach of discipline (违纪).
    Misconduct,
    /// Something else, as the arbiter says.
    Other,
}

impl Offence {
    /// The word on pages and sheets.
    #[must_use]
    pub const fn zh(self) -> &'static str {
        match self {
            Offence::IllegalMove => "违规着法",
            Offence::PressWithoutMove => "未走棋先按钟",
            Offence::Disturbing => "碰乱棋子",
            Offence::TouchMove => "摸子不走",
            Offence::Misconduct => "违纪",
            Offence::Other => "其他",
        }
    }

    /// The same in English.
    #[must_use]
    pub const fn en(self) -> &'static str {
        match self {
            Offence::IllegalMove => "illegal move",
            Offence::PressWithoutMove => "press without a move",
            Offence::Disturbing => "pieces disturbed",
            Offence::TouchMove => "touch-move",
            Offence::Misconduct => "misconduct",
            Offence::Other => "other",
        }
    }
}

/// A breach of discipline (违纪). Regulation B three: the telephone or smoking during play loses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Misconduct {
    /// A mobile phone was used or rang (手机).
    Phone,
    /// Smoking (吸烟).
    Smoking,
    /// Advice was given or taken (支招).
    Advice,
    /// Disturbing the opponent or the hall (干扰).
    Disturbance,
    /// The arbiter's ruling was refused (不服从裁判).
    Refusal,
}

impl Misconduct {
    /// The word on pages and sheets.
    #[must_use]
    pub const fn zh(self) -> &'static str {
        match self {
            Misconduct::Phone => "使用手机",
            Misconduct::Smoking => "吸烟",
            Misconduct::Advice => "支招",
            Misconduct::Disturbance => "干扰比赛",
            Misconduct::Refusal => "不服从裁判",
        }
    }

    /// The same in English.
    #[must_use]
    pub const fn en(self) -> &'static str {
        match self {
            Misconduct::Phone => "phone",
            Misconduct::Smoking => "smoking",
            Misconduct::Advice => "advice",
            Misconduct::Disturbance => "disturbance",
            Misconduct::Refusal => "refusing the ruling",
        }
    }
}
