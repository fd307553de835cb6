//! How a game ends, and what that is worth.

use serde::{Deserialize, Serialize};
use xiangqi::{Position, Side, Status};

/// What brought a game to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The side to move is mated (将死).
    Checkmate,
    /// The side to move has no legal move (困毙): a loss in Xiangqi.
    Stalemate,
    /// A side's time ran out (超时).
    Flag,
    /// Both sides' time ran out (双方超时).
    BothFlags,
    /// A side gave up (认输).
    Resignation,
    /// Both agreed to a draw (议和).
    Agreement,
    /// An offence or the limit of fouls (犯规判负).
    Foul,
    /// Repetition (循环): a loss of the side that had to vary, or a draw.
    Repetition,
    /// The natural limit was reached without a capture (自然限着).
    NaturalLimit,
    /// A breach of discipline (违纪), such as the telephone.
    Misconduct,
    /// A side did not come (弃权).
    Forfeit,
    /// An arbiter decided.
    Ruling,
}

impl Ending {
    /// The word on pages and sheets.
    #[must_use]
    pub const fn zh(self) -> &'static str {
        match self {
            Ending::Checkmate => "将死",
            Ending::Stalemate => "困毙",
            Ending::Flag => "超时",
            Ending::BothFlags => "双方超时",
            Ending::Resignation => "认输",
            Ending::Agreement => "议和",
            Ending::Foul => "犯规判负",
            Ending::Repetition => "循环",
            Ending::NaturalLimit => "自然限着",
            Ending::Misconduct => "违纪判负",
            Ending::Forfeit => "弃权",
            Ending::Ruling => "裁定",
        }
    }

    /// The same in English.
    #[must_use]
    pub const fn en(self) -> &'static str {
        match self {
            Ending::Checkmate => "checkmate",
            Ending::Stalemate => "stalemate",
            Ending::Flag => "time forfeit",
            Ending::BothFlags => "both flags",
            Ending::Resignation => "resignation",
            Ending::Agreement => "agreed draw",
            Ending::Foul => "fouls",
            Ending::Repetition => "repetition",
            Ending::NaturalLimit => "move limit",
            Ending::Misconduct => "misconduct",
            Ending::Forfeit => "forfeit",
            Ending::Ruling => "ruling",
        }
    }
}

/// Who won.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GameResult {
    /// 红胜.
    RedWins,
    /// 黑胜.
    BlackWins,
    /// 和棋.
    Draw,
    /// Both lose (双方弃权).
    BothLose,
}

impl GameResult {
    /// The side's victory.
    #[must_use]
    pub const fn win(side: Side) -> GameResult {
        match side {
            Side::Red => GameResult::RedWins,
            Side::Black => GameResult::BlackWins,
        }
    }

    /// The winner, if one side won.
    #[must_use]
    pub const fn winner(self) -> Option<Side> {
        match self {
            GameResult::RedWins => Some(Side::Red),
            GameResult::BlackWins => Some(Side::Black),
            GameResult::Draw | GameResult::BothLose => None,
        }
    }

    /// As in a PGN's `Result` tag.
    #[must_use]
    pub const fn pgn(self) -> &'static str {
        match self {
            GameResult::RedWins => "1-0",
            GameResult::BlackWins => "0-1",
            GameResult::Draw => "1/2-1/2",
            GameResult::BothLose => "*",
        }
    }

    /// The word on pages and sheets.
    #[must_use]
    pub const fn zh(self) -> &'static str {
        match self {
            GameResult::RedWins => "红胜",
            GameResult::BlackWins => "黑胜",
            GameResult::Draw => "和棋",
            GameResult::BothLose => "双方判负",
        }
    }
}

impl GameResult {
    /// The words in English.
    #[must_use]
    pub const fn en(self) -> &'static str {
        match self {
            GameResult::RedWins => "Red wins",
            GameResult::BlackWins => "Black wins",
            GameResult::Draw => "draw",
            GameResult::BothLose => "both lose",
        }
    }
}

/// A game's end: what it is worth and what brought it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Who won.
    pub result: GameResult,
    /// By what.
    pub ending: Ending,
}

impl Outcome {
    /// What a position means by itself: the side to move that is mated (将死) or has no move (困毙) has lost.
    #[must_use]
    pub fn of_position(position: &Position) -> Option<Outcome> {
        let winner = GameResult::win(position.side_to_move().opposite());
        match position.status() {
            Status::Checkmate => Some(Outcome { result: winner, ending: Ending::Checkmate }),
            Status::Stalemate => Some(Outcome { result: winner, ending: Ending::Stalemate }),
            Status::Ongoing => None,
        }
    }

    /// The side's time ran out.
    #[must_use]
    pub const fn flag(side: Side) -> Outcome {
        Outcome { result: GameResult::win(side.opposite()), ending: Ending::Flag }
    }

    /// The side gave up.
    #[must_use]
    pub const fn resigned(side: Side) -> Outcome {
        Outcome { result: GameResult::win(side.opposite()), ending: Ending::Resignation }
    }

    /// Both agreed to a draw.
    #[must_use]
    pub const fn agreed() -> Outcome {
        Outcome { result: GameResult::Draw, ending: Ending::Agreement }
    }
}
