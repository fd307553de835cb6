//! Games as files that the programs in use read: PGN for Xiangqi and 东萍 DhtmlXQ.
//!
//! One pair of moves a line and no clock comments in the PGN: common readers silently lose the moves that follow a
//! comment on the same line.

use std::fmt::Write as _;

use arbitration::GameResult;
use hall::view::{Epoch, GameStatus, GameView};
use xiangqi::Point;

/// How a PGN writes its moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// 炮二平五.
    Chinese,
    /// C2.5.
    Wxf,
    /// H2-E2.
    Iccs,
}

fn result(game: &GameView) -> Option<GameResult> {
    match game.status {
        GameStatus::Finished(outcome) => Some(outcome.result),
        GameStatus::NotStarted | GameStatus::Playing | GameStatus::Pending => None,
    }
}

/// Year, month and day of venue time (UTC).
fn date(at: Epoch) -> (i64, i64, i64) {
    // Days since 1970-01-01 to a civil date: shift to an era of 400 years that begins on 1 March.
    let days = at.0.div_euclid(86_400_000) + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// The game as PGN.
#[must_use]
pub fn pgn(game: &GameView, event: &str, format: Format) -> String {
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| {
        let value: String = value.chars().filter(|c| !c.is_control()).flat_map(escape).collect();
        let _ = writeln!(text, "[{name} \"{value}\"]");
    };
    let outcome = result(game).map_or("*", GameResult::pgn);
    tag("Game", "Chinese Chess");
    tag("Event", event);
    if let Some(first) = game.plies.first() {
        let (year, month, day) = date(first.at);
        tag("Date", &format!("{year:04}.{month:02}.{day:02}"));
    }
    tag("Round", &game.round.to_string());
    tag("Table", &game.table.to_string());
    tag("RedTeam", &game.red.unit);
    tag("Red", &game.red.name);
    tag("BlackTeam", &game.black.unit);
    tag("Black", &game.black.name);
    tag("Result", outcome);
    tag(
        "Format",
        match format {
            Format::Chinese => "Chinese",
            Format::Wxf => "WXF",
            Format::Iccs => "ICCS",
        },
    );
    text.push('\n');
    for (i, pair) in game.plies.chunks(2).enumerate() {
        let _ = write!(text, "{}.", i + 1);
        for ply in pair {
            let _ = match format {
                Format::Chinese => write!(text, " {}", ply.zh),
                Format::Wxf => write!(text, " {}", ply.wxf),
                Format::Iccs => write!(text, " {}", iccs(ply.mv)),
            };
        }
        text.push('\n');
    }
    let _ = writeln!(text, "{outcome}");
    text
}

/// Quotes and backslashes are escaped, as PGN wants.
fn escape(c: char) -> impl Iterator<Item = char> {
    let slash = matches!(c, '"' | '\\').then_some('\\');
    slash.into_iter().chain([c])
}

fn iccs(mv: xiangqi::Move) -> String {
    format!("{}-{}", mv.from, mv.to).to_uppercase()
}

/// The game as DhtmlXQ.
#[must_use]
pub fn dhtmlxq(game: &GameView, event: &str) -> String {
    let mut text = String::from("[DhtmlXQ]\n");
    let mut tag = |name: &str, value: &str| {
        // Square brackets would end the tag.
        let value: String =
            value.chars().map(|c| if matches!(c, '[' | ']') || c.is_control() { ' ' } else { c }).collect();
        let _ = writeln!(text, "[DhtmlXQ_{name}]{value}[/DhtmlXQ_{name}]");
    };
    // x from Red's left, y from Black's side: both from the top left corner.
    let point = |point: Point| format!("{}{}", point.file(), 9 - point.rank());
    let moves: String = game.plies.iter().map(|ply| point(ply.mv.from) + &point(ply.mv.to)).collect();
    tag("ver", "www_dpxq_com");
    tag("init", "500,350");
    tag("title", &format!("{} {}", game.red.name, game.black.name));
    tag("event", event);
    if let Some(first) = game.plies.first() {
        let (year, month, day) = date(first.at);
        tag("date", &format!("{year:04}-{month:02}-{day:02}"));
    }
    tag("round", &game.round.to_string());
    tag("table", &game.table.to_string());
    tag("redteam", &game.red.unit);
    tag("redname", &game.red.name);
    tag("blackteam", &game.black.unit);
    tag("blackname", &game.black.name);
    tag("result", result(game).map_or("", GameResult::zh));
    tag("binit", "");
    tag("movelist", &moves);
    text.push_str("[/DhtmlXQ]\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_civil() {
        assert_eq!(date(Epoch(0)), (1970, 1, 1));
        assert_eq!(date(Epoch(951_782_400_000)), (2000, 2, 29));
        assert_eq!(date(Epoch(1_795_996_800_000)), (2026, 11, 30));
    }
}
