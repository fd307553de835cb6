//! Writing DhtmlXQ.

use core::fmt::Write as _;
use std::collections::VecDeque;

use super::super::{Game, NodeId, roster};
use super::names::{date, field, is_tag};
use super::{CAPTURED, digits, move_digits};
use crate::Position;

/// Writes games as DhtmlXQ. Clocks have no place in it; in a text, square
/// brackets that would be taken for a field become full-width.
#[must_use]
pub fn write<'a>(games: impl IntoIterator<Item = &'a Game>) -> String {
    games.into_iter().map(write_game).collect()
}

fn write_game(game: &Game) -> String {
    let mut text = String::from("[DhtmlXQ]\n");
    put(&mut text, "ver", "www_dpxq_com");
    put(&mut text, "init", "500,350");
    put(&mut text, "binit", &binit(game.start()));
    if *game.start() != Position::start() {
        put(&mut text, "fen", &game.start().fen());
    }
    write_moves(&mut text, game);
    put(&mut text, "result", game.result.hanzi());
    // A tag that has the name of a field with a meaning of its own is no tag here.
    for (tag, value) in game.tags.iter().filter(|(tag, _)| is_tag(field(tag))) {
        let value = if tag == "Date" { date(value, '.', '-') } else { value.to_owned() };
        put(&mut text, field(tag), &value);
    }
    text.push_str("[/DhtmlXQ]\n");
    text
}

fn put(text: &mut String, name: &str, value: &str) {
    let name: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    let value = value.replace("[DhtmlXQ", "［DhtmlXQ").replace("[/DhtmlXQ", "［/DhtmlXQ").replace('\n', "||");
    let _ = writeln!(text, "[DhtmlXQ_{name}]{value}[/DhtmlXQ_{name}]");
}

fn binit(start: &Position) -> String {
    let at = |point: Option<crate::Point>| match point {
        Some(point) => digits(point).into_iter().collect(),
        None => CAPTURED.to_owned(),
    };
    roster::points(start.board()).map(at).concat()
}

/// A line to be written.
struct Line {
    number: usize,
    /// Its name among the fields.
    name: String,
    /// Its first move and the number of that; the main line may have none.
    first: Option<NodeId>,
    first_ply: usize,
}

fn write_moves(text: &mut String, game: &Game) {
    let mut comments = String::new();
    comment(&mut comments, 0, 0, game.comment(NodeId::ROOT));
    let mut lines = VecDeque::from([Line {
        number: 0,
        name: "movelist".to_owned(),
        first: game.next(NodeId::ROOT),
        first_ply: 1,
    }]);
    let mut last_number = 0;
    while let Some(line) = lines.pop_front() {
        let mut moves = String::new();
        let mut at = line.first;
        let mut ply = line.first_ply;
        while let Some(node) = at {
            moves.extend(game.mv(node).into_iter().flat_map(move_digits));
            comment(&mut comments, line.number, ply, game.comment(node));
            // The variations of a line's own first move belong to the line
            // that it varies itself.
            let varied = line.number == 0 || ply > line.first_ply;
            let siblings = core::iter::successors(game.next_sibling(node), |&node| game.next_sibling(node));
            for first in siblings.take_while(|_| varied) {
                last_number += 1;
                let name = format!("move_{}_{ply}_{last_number}", line.number);
                lines.push_back(Line { number: last_number, name, first: Some(first), first_ply: ply });
            }
            at = game.next(node);
            ply += 1;
        }
        put(text, &line.name, &moves);
    }
    text.push_str(&comments);
}

fn comment(text: &mut String, line: usize, ply: usize, comment: &str) {
    if !comment.is_empty() {
        let name = if line == 0 { format!("comment{ply}") } else { format!("comment{line}_{ply}") };
        put(text, &name, comment);
    }
}
