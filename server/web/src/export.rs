//! Games as files for the programs in use: what the views know, in the one type that [`xiangqi::files`] writes.

use std::fmt::Write as _;
use std::time::Duration;

use arbitration::GameResult;
use hall::view::{Epoch, EventView, GameStatus, GameView, StandingView};
use xiangqi::Position;
use xiangqi::files::{self, Game, NodeId};
use xiangqi::notation::{Notation, write};

/// A view as a game of files: names, date, result, moves; with the clock after each ply where times are known.
#[must_use]
pub fn game(view: &GameView, event: Option<&EventView>) -> Game {
    let mut game = Game::new(Position::start());
    let mut tag = |name: &str, text: &str| game.tags.set(name, text);
    if let Some(event) = event {
        tag("Event", &event.title);
        let (base, increment) = (event.base_ms / 1000, event.increment_ms / 1000);
        tag("TimeControl", &format!("{base}+{increment}"));
    }
    if let Some(first) = view.plies.first() {
        let (year, month, day) = date(first.at);
        tag("Date", &format!("{year:04}.{month:02}.{day:02}"));
    }
    tag("Round", &view.round.to_string());
    tag("Table", &view.table.to_string());
    tag("RedTeam", &view.red.unit);
    tag("Red", &view.red.name);
    tag("BlackTeam", &view.black.unit);
    tag("Black", &view.black.name);
    if let GameStatus::Finished(outcome) = view.status {
        tag("Termination", outcome.ending.zh());
        game.result = match outcome.result {
            GameResult::RedWins => files::GameResult::RedWins,
            GameResult::BlackWins => files::GameResult::BlackWins,
            GameResult::Draw => files::GameResult::Draw,
            // No format has a word for a game that both lost.
            GameResult::BothLose => files::GameResult::Unknown,
        };
    }
    let (base, increment) =
        event.map_or((0, 0), |event| (i64::from(event.base_ms), i64::from(event.increment_ms)));
    let mut left = [base; 2];
    let mut node = NodeId::ROOT;
    let notes = |ply: usize| {
        let texts = view.notes.iter().filter(|note| usize::from(note.ply) == ply);
        texts.map(|note| format!("{}：{}", note.by, note.text)).collect::<Vec<_>>().join(" ")
    };
    game.set_comment(node, notes(0));
    for (i, ply) in view.plies.iter().enumerate() {
        node = game.add(node, ply.mv);
        game.set_comment(node, notes(i + 1));
        if let (Some(used), true) = (ply.used_ms, base > 0) {
            let left = &mut left[i % 2];
            *left = (*left - i64::from(used)).max(0) + increment;
            game.set_clock(node, u64::try_from(*left).ok().map(Duration::from_millis));
        }
    }
    game
}

/// Games as people read them: who played whom, then the moves in Chinese, a pair a line.
#[must_use]
pub fn text(games: &[Game]) -> String {
    let mut text = String::new();
    for game in games {
        let tag = |name| game.tags.get(name).unwrap_or_default();
        for (head, name) in [
            ("赛事", "Event"),
            ("轮次", "Round"),
            ("台次", "Table"),
            ("日期", "Date"),
            ("红方", "Red"),
            ("黑方", "Black"),
        ] {
            let _ = writeln!(text, "{head}: {}", tag(name));
        }
        let result = match game.result {
            files::GameResult::RedWins => "红胜",
            files::GameResult::BlackWins => "黑胜",
            files::GameResult::Draw => "和棋",
            files::GameResult::Unknown => "",
        };
        let _ = writeln!(text, "结果: {result}");
        let mut position = game.position(NodeId::ROOT);
        for (i, mv) in game.moves().enumerate() {
            let word = write(Notation::Chinese, &position, mv);
            let _ = if i % 2 == 0 {
                write!(text, "{:>3}. {word}", i / 2 + 1)
            } else {
                writeln!(text, "  {word}")
            };
            position = position.play_irregular(mv);
        }
        text.push_str("\n\n");
    }
    text
}

/// The standing as comma-separated values, where there are groups with the group last; names with commas or quotes are quoted.
#[must_use]
pub fn csv(view: &StandingView, groups: &[String]) -> String {
    let quoted = |text: &str| {
        // A leading sign would be a formula to a spreadsheet.
        let text = if text.starts_with(['=', '+', '-', '@']) { format!("'{text}") } else { text.to_owned() };
        if text.contains(['"', ',', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
    };
    let heads = ["名次", "编号", "姓名", "单位"].map(str::to_owned).into_iter();
    let mut lines =
        vec![heads.chain(view.columns.iter().map(|column| column.zh.clone())).collect::<Vec<_>>()];
    if !groups.is_empty() {
        lines[0].push("组别".to_owned());
    }
    for row in &view.rows {
        let who = [row.rank.to_string(), row.no.to_string(), row.name.clone(), row.unit.clone()];
        let group = groups.get(usize::from(row.group.0).saturating_sub(1)).cloned();
        lines.push(who.into_iter().chain(row.values.iter().cloned()).chain(group).collect());
    }
    let lines = lines.iter().map(|line| line.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(","));
    lines.map(|line| line + "\r\n").collect()
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
