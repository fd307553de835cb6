//! The words for where a game stands, in both languages.

use arbitration::{Ending, GameResult, Outcome};
use hall::view::{GameStatus, GameView, PairingView};
use xiangqi::Side;

use crate::lang::{Lang, Words};

/// What stands in the place of an outcome that is not told.
pub const WITHHELD: Words = Words::of("已毕 · 赛果不显示", "Over, result not shown");

/// Moves (回合): a move of each side.
#[must_use]
pub const fn moves(plies: usize) -> usize {
    plies.div_ceil(2)
}

/// "35回合".
#[must_use]
pub fn moves_words(plies: usize) -> Words {
    let n = moves(plies);
    Words::new(format!("{n}回合"), format!("{n} moves"))
}

/// Red's and Black's points as between the two names: "2–0".
#[must_use]
pub const fn score(result: GameResult) -> &'static str {
    match result {
        GameResult::RedWins => "2–0",
        GameResult::BlackWins => "0–2",
        GameResult::Draw => "1–1",
        GameResult::BothLose => "0–0",
    }
}

/// Who won.
#[must_use]
pub const fn result(result: GameResult) -> Words {
    match result {
        GameResult::RedWins => Words::of("红胜", "Red won"),
        GameResult::BlackWins => Words::of("黑胜", "Black won"),
        GameResult::Draw => Words::of("和棋", "Draw"),
        GameResult::BothLose => Words::of("双方判负", "Both lost"),
    }
}

/// What brought the end, as a short word under the score: mate is the ordinary end and says who won.
#[must_use]
pub const fn ending(outcome: Outcome) -> Words {
    match outcome.ending {
        Ending::Checkmate => result(outcome.result),
        Ending::Stalemate
        | Ending::Flag
        | Ending::BothFlags
        | Ending::Resignation
        | Ending::Agreement
        | Ending::Foul
        | Ending::Repetition
        | Ending::NaturalLimit
        | Ending::Misconduct
        | Ending::Forfeit
        | Ending::Ruling => Words::of(outcome.ending.zh(), outcome.ending.en()),
    }
}

/// The whole outcome: "红胜 · 将死".
#[must_use]
pub fn outcome(outcome: Outcome) -> Words {
    if outcome.ending == Ending::Agreement {
        return Words::of("和棋 · 议和", "Agreed draw");
    }
    let who = result(outcome.result);
    Words::new(format!("{} · {}", who.0, outcome.ending.zh()), format!("{}, {}", who.1, outcome.ending.en()))
}

/// A pairing's two lines between the names: the large word and the small one.
#[must_use]
pub fn between(status: GameStatus, plies: usize) -> (Words, Words) {
    match status {
        GameStatus::NotStarted => (Words::of("未开", "–"), Words::of("", "not started")),
        GameStatus::Playing => (moves_words(plies), Words::of("直播", "live")),
        GameStatus::Pending => (Words::of("待判", "Ruling"), moves_words(plies)),
        GameStatus::Finished(outcome) => {
            (Words::of(score(outcome.result), score(outcome.result)), ending(outcome))
        }
        GameStatus::Withheld => (Words::of("已毕", "Over"), Words::of("赛果不显示", "no result shown")),
    }
}

/// The state's name for style sheets and streams.
#[must_use]
pub const fn state(status: GameStatus) -> &'static str {
    match status {
        GameStatus::NotStarted => "todo",
        GameStatus::Playing => "live",
        GameStatus::Pending => "pend",
        GameStatus::Finished(_) => "done",
        GameStatus::Withheld => "held",
    }
}

/// The winner of a finished game.
#[must_use]
pub const fn winner(status: GameStatus) -> Option<Side> {
    match status {
        GameStatus::Finished(outcome) => outcome.result.winner(),
        GameStatus::NotStarted | GameStatus::Playing | GameStatus::Pending | GameStatus::Withheld => None,
    }
}

/// Where a pairing stands, and how many plies were played: the game's own view is the fresher one, except that the round
/// knows of results given by hand.
#[must_use]
pub fn standing_of(pairing: &PairingView, game: Option<&GameView>) -> (GameStatus, usize) {
    let plies = game.map_or(0, |game| game.plies.len());
    let status = match (pairing.status, game.map(|game| game.status)) {
        (done @ (GameStatus::Finished(_) | GameStatus::Withheld), _) | (done, None) => done,
        (GameStatus::NotStarted | GameStatus::Playing | GameStatus::Pending, Some(status)) => status,
    };
    (status, plies)
}

/// The side's name.
#[must_use]
pub const fn side(side: Side, lang: Lang) -> &'static str {
    match side {
        Side::Red => lang.pick("红方", "Red"),
        Side::Black => lang.pick("黑方", "Black"),
    }
}
