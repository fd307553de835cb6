//! Games to be played: from records, or by the small player.

use std::path::Path;

use anyhow::{Context, bail};
use xiangqi::files::{self, GameResult};
use xiangqi::{Move, Position, Side, Status};

/// A game and how it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    /// Its name in the record.
    pub id: String,
    /// Its moves, legal from the start position.
    pub moves: Vec<Move>,
    /// How it ends after them.
    pub ending: Ending,
}

/// How a game ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// By mate or stalemate: this side has no move.
    OnBoard {
        /// Who has lost.
        loser: Side,
    },
    /// This side gives up (认输).
    Resigns(Side),
    /// Both press the draw button (提和, 同意).
    Draw,
    /// This side lets its time run out (超时).
    Flag(Side),
}

/// Where games come from.
#[derive(Clone, Debug)]
pub enum Source {
    /// The small player makes them up.
    Player,
    /// These, over and over.
    Record(Vec<Game>),
}

impl Source {
    /// Opens a file of games, or the small player.
    pub fn open(file: Option<&Path>) -> anyhow::Result<Source> {
        match file {
            None => Ok(Source::Player),
            Some(file) => {
                let bytes = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
                let games = read(&bytes).with_context(|| format!("in {}", file.display()))?;
                Ok(Source::Record(games))
            }
        }
    }

    /// The game of this number, for these players' seed.
    #[must_use]
    pub fn game(&self, number: u64, seed: u64) -> Game {
        match self {
            Source::Player => crate::player::game(seed.wrapping_mul(1_000_003).wrapping_add(number)),
            Source::Record(games) => games[(number as usize) % games.len()].clone(),
        }
    }
}

/// Reads games from a table (see [`read_table`]) or from a game file of any known format (PGN, DhtmlXQ, XQF, …). Only
/// games that start as usual and break no rule can be played; one without a result is agreed drawn.
pub fn read(bytes: &[u8]) -> anyhow::Result<Vec<Game>> {
    if let Ok(text) = std::str::from_utf8(bytes)
        && text.lines().next().is_some_and(|head| head.split('\t').any(|column| column == "moves"))
    {
        return read_table(text);
    }
    let files::ReadResult { games, errors, .. } = files::read(bytes);
    if let Some(error) = errors.into_iter().next() {
        return Err(anyhow::Error::new(error));
    }
    if games.is_empty() {
        bail!("it holds no game");
    }
    games.iter().enumerate().map(|(index, game)| of_file(game, index + 1)).collect()
}

fn of_file(game: &files::Game, number: usize) -> anyhow::Result<Game> {
    let id = match (game.tags.get("Red"), game.tags.get("Black")) {
        (Some(red), Some(black)) => format!("{number} {red} – {black}"),
        (_, _) => format!("game {number}"),
    };
    if game.start().board() != Position::start().board() || game.start().side_to_move() != Side::Red {
        bail!("{id}: it does not start from the usual position");
    }
    let moves: Vec<Move> = game.moves().collect();
    let mut position = Position::start();
    for (index, &mv) in moves.iter().enumerate() {
        position = position.play(mv).with_context(|| format!("{id}, ply {} ({mv})", index + 1))?;
    }
    let ending = match (position.status(), game.result) {
        (Status::Checkmate | Status::Stalemate, _) => Ending::OnBoard { loser: position.side_to_move() },
        (Status::Ongoing, GameResult::RedWins) => Ending::Resigns(Side::Black),
        (Status::Ongoing, GameResult::BlackWins) => Ending::Resigns(Side::Red),
        (Status::Ongoing, GameResult::Draw | GameResult::Unknown) => Ending::Draw,
    };
    Ok(Game { id, moves, ending })
}

/// Reads games from a table with a head line: tab-separated columns, of which `id`, `result` (`1-0`, `0-1`,
/// `1/2-1/2`) and `moves` (UCI, blank-separated) are used.
pub fn read_table(text: &str) -> anyhow::Result<Vec<Game>> {
    let mut lines = text.lines().enumerate();
    let Some((_, head)) = lines.next() else { bail!("line 1: a head line is missing") };
    let column = |name: &str| {
        head.split('\t')
            .position(|column| column == name)
            .with_context(|| format!("line 1: no column “{name}”"))
    };
    let (id, result, moves) = (column("id")?, column("result")?, column("moves")?);
    let mut games = Vec::new();
    for (index, line) in lines {
        if line.is_empty() {
            continue;
        }
        let at = || format!("line {}", index + 1);
        let cells: Vec<&str> = line.split('\t').collect();
        let cell =
            |column: usize| cells.get(column).copied().with_context(|| format!("{}: too few columns", at()));
        games.push(game(cell(id)?, cell(result)?, cell(moves)?).with_context(at)?);
    }
    if games.is_empty() {
        bail!("it holds no game");
    }
    Ok(games)
}

fn game(id: &str, result: &str, moves: &str) -> anyhow::Result<Game> {
    let mut position = Position::start();
    let mut played = Vec::new();
    for (index, text) in moves.split_whitespace().enumerate() {
        let mv: Move = text.parse().with_context(|| format!("game {id}, ply {}", index + 1))?;
        position = position.play(mv).with_context(|| format!("game {id}, ply {} ({mv})", index + 1))?;
        played.push(mv);
    }
    let ending = match position.status() {
        Status::Checkmate | Status::Stalemate => Ending::OnBoard { loser: position.side_to_move() },
        Status::Ongoing => match result {
            "1-0" => Ending::Resigns(Side::Black),
            "0-1" => Ending::Resigns(Side::Red),
            "1/2-1/2" => Ending::Draw,
            other => bail!("game {id}: “{other}” is no result (1-0, 0-1, 1/2-1/2)"),
        },
    };
    Ok(Game { id: id.to_owned(), moves: played, ending })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decided_game_without_mate_ends_by_resignation() {
        let games = read_table("id\tresult\tmoves\nx\t0-1\th2e2 h9g7\n").unwrap();
        assert_eq!(games[0].ending, Ending::Resigns(Side::Red));
        assert_eq!(games[0].moves.len(), 2);
    }

    #[test]
    fn a_pgn_file_is_played_with_its_result() {
        let pgn = "[Game \"Chinese Chess\"]\n[Red \"甲\"]\n[Black \"乙\"]\n[Result \"1-0\"]\n1. 炮二平五 马８进７\n1-0\n";
        let games = read(pgn.as_bytes()).unwrap();
        assert_eq!(games[0].ending, Ending::Resigns(Side::Black));
        assert_eq!(games[0].moves, ["h2e2", "h9g7"].map(|mv| mv.parse::<Move>().unwrap()));
    }

    #[test]
    fn a_file_of_no_known_format_is_refused() {
        assert!(read(b"no game at all").is_err());
        assert!(read(b"").is_err());
    }

    #[test]
    fn an_illegal_move_is_named_with_its_line_game_and_ply() {
        let error = read_table("id\tresult\tmoves\nx\t0-1\th2e2 h9h7\n").unwrap_err();
        let words = format!("{error:#}");
        assert!(words.contains("line 2") && words.contains("game x, ply 2 (h9h7)"), "{words}");
    }

    #[test]
    fn a_missing_column_is_named() {
        let words = format!("{:#}", read_table("id\tmoves\n").unwrap_err());
        assert!(words.contains("result"), "{words}");
    }
}
