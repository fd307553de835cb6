//! A trial drawn as lines of text by time: what was played, what was seen, what the tracker said.

use std::fmt::Write;

use capture::{Finding, Seen, What};
use firmware_proto::Reading;
use xiangqi::{Move, Position};

use crate::trial::Trial;

/// Draws the trial around its ply of this index.
#[must_use]
pub fn draw(trial: &Trial, index: usize) -> String {
    let began = trial.played.began.0;
    let placed = |index: usize| trial.played.plies.get(index).map(|ply| ply.placed);
    let from = index.checked_sub(3).and_then(placed).unwrap_or(0);
    let to =
        placed(index + 3).or_else(|| trial.played.plies.last().map(|ply| ply.placed)).unwrap_or(0) + 5_000;
    let mut lines: Vec<(i64, String)> = Vec::new();
    for (index, ply) in trial.played.plies.iter().enumerate() {
        let position = before(&trial.played.moves[..index]);
        let piece = position.piece_at(ply.mv.from).map_or('?', xiangqi::Piece::fen_char);
        let takes = position
            .piece_at(ply.mv.to)
            .map_or(String::new(), |taken| format!(" takes {}", taken.fen_char()));
        lines.push((
            ply.placed,
            format!("PLAYED {} {piece}{}{takes}, pressed {:?}", index + 1, ply.mv, ply.pressed),
        ));
    }
    for (_, seen) in trial.log.seen() {
        lines.push((seen.at.0 - began, format!("  {}", seen_words(seen))));
    }
    for (at, finding) in &trial.said {
        lines.push((at.0 - began, format!("      {}", said_words(finding))));
    }
    for (at, beliefs) in &trial.believed {
        for (cost, line) in beliefs {
            let line: Vec<String> = line.iter().map(Move::to_string).collect();
            lines.push((at.0 - began, format!("          {cost:>6} {}", line.join(" "))));
        }
    }
    lines.sort_by_key(|(at, _)| *at);
    let mut drawn = String::new();
    for (at, words) in lines.into_iter().filter(|(at, _)| (from..=to).contains(at)) {
        // Writing to a string cannot fail.
        let _ = writeln!(drawn, "{at:>9} {words}");
    }
    let read: Vec<String> =
        trial.read.iter().skip(index.saturating_sub(1)).take(6).map(Move::to_string).collect();
    let _ = writeln!(drawn, "read from ply {}: {}", index.max(1), read.join(" "));
    drawn
}

fn before(moves: &[Move]) -> Position {
    moves.iter().fold(Position::start(), |position, mv| position.play_irregular(*mv))
}

fn seen_words(seen: &Seen) -> String {
    match &seen.what {
        What::Changed(point, Reading(0)) => format!("{point} empty"),
        What::Changed(point, reading) => format!("{point} shows {}", reading.0),
        What::Pressed(side, _) => format!("{side:?} presses"),
        What::Image(_) => "image".to_owned(),
        What::BoardUp(_)
        | What::BoardDown
        | What::ClockUp
        | What::ClockDown
        | What::Flagged(..)
        | What::ClockSet(..)
        | What::Signalled(..)
        | What::Health(..)
        | What::Lost => format!("{:?}", seen.what),
    }
}

fn said_words(finding: &Finding) -> String {
    match finding {
        Finding::Read(ply) => format!(
            "reads {} {}{}",
            ply.no.0,
            ply.mv,
            if ply.irregular.is_some() { " irregular" } else { "" }
        ),
        Finding::Confirmed(no, at) => format!("confirms {} as of {}", no.0, at.0),
        Finding::Locked(no) => format!("locks {}", no.0),
        Finding::Withdrawn(no) => format!("withdraws from {}", no.0),
        Finding::Mismatch { .. }
        | Finding::Disturbed { .. }
        | Finding::Restored(_)
        | Finding::PressWithoutMove(..)
        | Finding::TouchMove { .. }
        | Finding::Ambiguous { .. }
        | Finding::SetUp { .. }
        | Finding::SetUpRight
        | Finding::BadPoint { .. } => format!("{finding:?}"),
    }
}
