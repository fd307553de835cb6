//! Moves and nothing else, in coordinates as a rule.
//!
//! One game a line: `h2e2 h9g7 …`, or with its start `FEN<TAB>h2e2 …`, or as
//! engines are told it, `position fen FEN moves h2e2 …` and
//! `position startpos moves …`. A text whose lines hold no more than a round
//! each is one game. Other notations are read too;
//! numbers of rounds and results may stand between the moves.

use super::pgn::without_number;
use super::{Game, GameResult, MAX_MOVES, NodeId, Place, Problem, ReadError, ReadResult};
use crate::{Position, notation};

/// Reads a text of moves in coordinates.
pub(super) fn read(text: &str) -> ReadResult {
    let lines: Vec<Line<'_>> =
        (1..).zip(text.lines()).filter_map(|(number, line)| Line::split(number, line)).collect();
    let one_game = lines.len() > 1 && lines[1..].iter().all(Line::is_round) && lines[0].moves.len() <= 2;
    let mut result = ReadResult::default();
    if one_game {
        read_game(&lines, 1, &mut result);
    } else {
        for (game, line) in (1..).zip(&lines) {
            read_game(core::slice::from_ref(line), game, &mut result);
        }
    }
    result
}

/// A line of the text.
struct Line<'a> {
    number: usize,
    fen: Option<String>,
    moves: Vec<&'a str>,
}

impl<'a> Line<'a> {
    fn split(number: usize, line: &'a str) -> Option<Line<'a>> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (fen, moves) = match words[..] {
            [] => return None,
            ["position", "startpos", ..] => (None, &words[2..]),
            ["startpos", ..] => (None, &words[1..]),
            ["position", "fen", ..] => split_fen(&words[2..]),
            ["fen", ..] => split_fen(&words[1..]),
            [first, ..] if first.contains('/') => split_fen(&words),
            _ => (None, &words[..]),
        };
        let moves = moves.iter().copied().filter(|&word| word != "moves" && !without_number(word).is_empty());
        Some(Line { number, fen, moves: moves.collect() })
    }

    /// Whether it can be one round of a longer game.
    fn is_round(&self) -> bool {
        self.fen.is_none() && self.moves.len() <= 2
    }
}

/// Splits words into a FEN and the moves after it.
fn split_fen<'w, 'a>(words: &'w [&'a str]) -> (Option<String>, &'w [&'a str]) {
    let is_move = |word: &&str| *word == "moves" || notation::detect(word).is_some();
    let end = words.iter().skip(1).position(is_move).map_or(words.len(), |at| at + 1);
    (Some(words[..end].join(" ")), &words[end..])
}

/// Whether a line says where a game starts.
pub(super) fn is_start(line: &str) -> bool {
    line.starts_with("position ")
        || line.starts_with("startpos")
        || line.split_whitespace().next().is_some_and(|word| word.matches('/').count() == 9)
}

fn read_game(lines: &[Line<'_>], number: usize, result: &mut ReadResult) {
    let mut game = Game::default();
    match read_moves(lines, &mut game) {
        Ok(()) => result.games.push(game),
        Err((place, problem)) => {
            let partial = Some(Box::new(game));
            result.errors.push(ReadError { game: number, place, problem, partial });
        }
    }
}

fn read_moves(lines: &[Line<'_>], game: &mut Game) -> Result<(), (Place, Problem)> {
    if let [Line { number, fen: Some(fen), .. }, ..] = lines {
        let start = Position::from_fen(fen).map_err(|error| (Place::line(*number, fen), error.into()))?;
        *game = Game::new(start);
    }
    let mut position = game.start().clone();
    let mut node = NodeId::ROOT;
    for line in lines {
        for &word in &line.moves {
            if let Some(said) = GameResult::from_word(word) {
                game.result = said;
                continue;
            }
            let place = || Place::line(line.number, word);
            let text = without_number(word);
            let notation = notation::detect(text).ok_or_else(|| (place(), Problem::NotAMove))?;
            let mv = notation::parse(notation, &position, text).map_err(|error| (place(), error.into()))?;
            if game.move_count() == MAX_MOVES {
                return Err((place(), Problem::TooManyMoves(MAX_MOVES)));
            }
            node = game.add(node, mv);
            let _ = position.play_unchecked(mv);
        }
    }
    Ok(())
}

/// Writes the main line of each game on a line of its own, in UCI; the start
/// before it, as `FEN<TAB>`, unless it is the beginning of every game. Tags,
/// results, comments and variations have no place here.
#[must_use]
pub fn write<'a>(games: impl IntoIterator<Item = &'a Game>) -> String {
    let mut text = String::new();
    for game in games {
        let moves: Vec<String> = game.moves().map(|mv| mv.to_string()).collect();
        // Very short lines would be taken for rounds of one game.
        if *game.start() != Position::start() || moves.len() <= 2 {
            text.push_str(&game.start().fen());
            text.push('\t');
        }
        text.push_str(&moves.join(" "));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(text: &str) -> Vec<String> {
        let result = read(text);
        assert_eq!(result.errors, []);
        result.games.iter().map(|game| game.moves().map(|mv| format!("{mv} ")).collect()).collect()
    }

    #[test]
    fn one_game_a_line_or_one_round_a_line() {
        let line = "h2e2 h9g7 h0g2 ";
        for one in [
            "h2e2 h9g7 h0g2",
            "h2e2\nh9g7\nh0g2",
            "1. H2-E2 H9-G7\n2. H0-G2 *",
            "position startpos moves h2e2 h9g7 h0g2",
        ] {
            assert_eq!(moves(one), [line]);
        }
        assert_eq!(moves("h2e2 h9g7 h0g2\n\nh2e2 h9g7 h0g2\n"), [line, line]);
    }

    #[test]
    fn a_start_goes_before_the_moves() {
        let fen = "4k4/9/9/9/9/9/9/9/5R3/3K5 w - - 3 9";
        for text in [format!("{fen}\tf1f2"), format!("position fen {fen} moves f1f2")] {
            let result = read(&text);
            assert_eq!(result.games[0].start().fen(), fen);
            assert_eq!(write(&result.games), format!("{fen}\tf1f2\n"));
        }
    }

    #[test]
    fn an_error_names_line_and_move_and_keeps_the_other_games() {
        let result = read("h2e2 h9g7 h0g2\nh2e2 h9f8 h0g2\nc3c4 c6c5 h2e2\n");
        assert_eq!(result.games.len(), 2);
        let [error] = &result.errors[..] else { panic!("{:?}", result.errors) };
        assert_eq!(error.place, Place::line(2, "h9f8"));
        assert_eq!(error.partial.as_ref().unwrap().moves().count(), 1);
    }
}
