//! What other programs need to check the game files against their own reading.
//!
//! `game_files lines FILE` prints every line of play of the games of a file,
//! from start to end, in UCI; what could not be read goes to standard error.
//! `game_files export GAMES.tsv EVERY FOLDER` writes every so-manieth game of a
//! table as PGN in three notations, DhtmlXQ and XQF, and its moves beside them.
//! `game_files rewrite FILE FOLDER` writes the game of a file in these formats.
#![allow(clippy::disallowed_methods, reason = "it reads and writes the files that others check")]

use std::error::Error;
use std::path::Path;

use xiangqi::files::{self, Game, GameResult, NodeId, pgn};
use xiangqi::{Move, Notation};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["lines", file] => {
            for game in games(file)? {
                print_lines(&game);
            }
            Ok(())
        }
        ["export", table, every, folder] => export(table, every.parse()?, Path::new(folder)),
        ["rewrite", file, folder] => {
            let games = games(file)?;
            let [game] = &games[..] else { return Err(format!("{file} holds {} games", games.len()).into()) };
            write(game, Path::new(folder), "game")
        }
        _ => Err("usage: game_files lines FILE | export GAMES.tsv EVERY FOLDER | rewrite FILE FOLDER".into()),
    }
}

/// The games of a file; those that could be read to some move only as well.
fn games(file: &str) -> Result<Vec<Game>, Box<dyn Error>> {
    let mut result = files::read(&std::fs::read(file)?);
    for error in result.errors {
        eprintln!("{file}: {error}");
        result.games.extend(error.partial.map(|game| *game));
    }
    Ok(result.games)
}

fn print_lines(game: &Game) {
    let mut nodes = vec![NodeId::ROOT];
    while let Some(node) = nodes.pop() {
        let children: Vec<NodeId> = game.children(node).collect();
        if children.is_empty() {
            let mut line: Vec<String> = core::iter::successors(Some(node), |&at| game.parent(at))
                .filter_map(|at| Some(game.mv(at)?.to_string()))
                .collect();
            line.reverse();
            println!("{}", line.join(" "));
        }
        nodes.extend(children.into_iter().rev());
    }
}

fn export(table: &str, every: usize, folder: &Path) -> Result<(), Box<dyn Error>> {
    for row in std::fs::read_to_string(table)?.lines().skip(1).step_by(every) {
        let fields: Vec<&str> = row.split('\t').collect();
        let [id, result, .., moves] = fields[..] else { return Err(format!("not a game: {row}").into()) };
        let mut game = Game::default();
        game.result = GameResult::from_word(result).unwrap_or_default();
        game.tags.set("Event", id);
        let moves: Vec<Move> = moves.split(' ').map(str::parse).collect::<Result<_, _>>()?;
        game.add_line(NodeId::ROOT, moves);
        write(&game, folder, id)?;
    }
    Ok(())
}

fn write(game: &Game, folder: &Path, name: &str) -> Result<(), Box<dyn Error>> {
    for notation in [Notation::Chinese, Notation::Wxf, Notation::Iccs] {
        let text = pgn::write([game], pgn::Options { notation, clocks: false });
        std::fs::write(folder.join(format!("{name}.{notation}.pgn")), text)?;
    }
    std::fs::write(folder.join(format!("{name}.dhtmlxq.txt")), files::write_dhtmlxq([game]))?;
    std::fs::write(folder.join(format!("{name}.xqf")), files::write_xqf(game))?;
    std::fs::write(folder.join(format!("{name}.uci")), files::write_uci([game]))?;
    Ok(())
}
