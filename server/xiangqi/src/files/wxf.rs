//! WXF text, as playing sites export it: headings, then the moves.
//!
//! ```text
//! FORMAT  WXF
//! RED     name ; rating ;;
//! BLACK   name ; rating ;;
//! RESULT  1-0
//! START{
//!  1. C8.5 c2.5   2. H8+7 h2+3
//! }END
//! ```

use super::{Place, Problem, ReadError, ReadResult, pgn};

/// Reads the games of a WXF text: its headings become tags, and its moves are
/// read as those of a PGN.
pub(super) fn read(text: &str) -> ReadResult {
    let mut result = ReadResult::default();
    let mut rest = text;
    let mut line = 1;
    let mut number = 1;
    while let Some((headings, after)) = rest.split_once("START{") {
        let first_line = line + lines(headings);
        let (moves, next) = match after.split_once("}END") {
            Some(split) => split,
            None => {
                let problem = Problem::Truncated { what: "the }END of the moves" };
                let place = Place::line(first_line, "START{");
                result.errors.push(ReadError { game: number, place, problem, partial: None });
                (after, "")
            }
        };
        let mut game = pgn::read(moves);
        for error in &mut game.errors {
            error.game = number;
            if let Place::Line { line, .. } = &mut error.place {
                *line += first_line - 1;
            }
        }
        let read =
            game.games.iter_mut().chain(game.errors.iter_mut().filter_map(|e| e.partial.as_deref_mut()));
        for game in read {
            for heading in headings.lines() {
                set_heading(game, heading);
            }
        }
        result.games.append(&mut game.games);
        result.errors.append(&mut game.errors);
        line = first_line + lines(moves);
        rest = next;
        number += 1;
    }
    result
}

fn lines(text: &str) -> usize {
    text.bytes().filter(|&byte| byte == b'\n').count()
}

fn set_heading(game: &mut super::Game, heading: &str) {
    let Some((name, text)) = heading.trim().split_once(char::is_whitespace) else { return };
    let text = text.trim();
    let mut player = text.split(';').map(str::trim);
    let (who, rating, team) = (player.next(), player.next(), player.next());
    let tags = &mut game.tags;
    match name {
        "RED" | "BLACK" => {
            let side = if name == "RED" { "Red" } else { "Black" };
            tags.set(side, who.unwrap_or_default());
            tags.set(format!("{side}Elo"), rating.unwrap_or_default());
            tags.set(format!("{side}Team"), team.unwrap_or_default());
        }
        "RESULT" => game.result = super::GameResult::from_word(text).unwrap_or_default(),
        "DATE" => {
            let (date, time) = text.split_once(' ').unwrap_or((text, ""));
            tags.set("Date", &date.replace('-', "."));
            tags.set("Time", time);
        }
        "EVENT" => tags.set("Event", text),
        "SITE" | "PLACE" => tags.set("Site", text),
        "ROUND" => tags.set("Round", text),
        "TITLE" => tags.set("Title", text),
        // FORMAT says what is known; others say nothing that PGN has a name for.
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_and_moves_are_read() {
        let text = "FORMAT  WXF\nRED     Ann ; 1137 ;;\nBLACK   Bo ; 1177 ;;\nRESULT  0-1\n\
                    DATE    2026-09-03 16:20:58\nSTART{\n 1. C8.5 c2.5   2. H8+7 h2+3\n }END\n";
        let result = read(text);
        assert_eq!(result.errors, []);
        let [game] = &result.games[..] else { panic!("one game") };
        assert_eq!(
            game.moves().map(|mv| mv.to_string()).collect::<Vec<_>>(),
            ["b2e2", "b7e7", "b0c2", "b9c7"]
        );
        let tags = ["Red", "RedElo", "Date", "Time"].map(|name| game.tags.get(name));
        assert_eq!(tags, [Some("Ann"), Some("1137"), Some("2026.09.03"), Some("16:20:58")]);
        assert_eq!(game.result, super::super::GameResult::BlackWins);
    }

    #[test]
    fn a_file_cut_short_keeps_what_it_has_and_says_so() {
        let result = read("RED a\nSTART{\n 1. C8.5 c2.5\n 2. H8+9 x");
        assert_eq!(result.errors.len(), 2);
        assert_eq!(result.errors[1].place, Place::line(4, "x"));
        assert_eq!(result.errors[1].partial.as_ref().unwrap().moves().count(), 3);
    }
}
