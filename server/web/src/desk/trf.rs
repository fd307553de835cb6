//! TRF16, the interchange format of pairing programs: one fixed line a player, with rank and every round.

use std::fmt::Write as _;

use hall::desk::{DeskView, Sex};
use tournament::{EntrantNo, Points, ResultEntry, ResultKind};
use xiangqi::Side;

/// The event as TRF16. Points are halved, because a win is 1 there; a bye is `U`, never a full-point bye (F09).
pub(super) fn trf16(view: &DeskView) -> Option<String> {
    let event = view.event.as_ref()?;
    let after = view.last_over();
    let standing = tournament::standings(event, after);
    let mut text = String::new();
    let mut line = |tag: &str, value: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{tag} {value}");
    };
    line("012", &view.title);
    let arbiter =
        view.settings.officials.iter().find(|it| it.label.contains("裁判长") && !it.label.contains('副'));
    line("062", &event.data().entrants.len().to_string());
    line("092", "Swiss System (Xiangqi)");
    line("102", arbiter.map_or("", |it| it.text.as_str()));
    line("XXR", &event.rounds().to_string());
    let win = event.data().scoring.win;
    let mut rows: Vec<_> = standing.rows.iter().collect();
    rows.sort_by_key(|row| row.no);
    for row in rows {
        let entrant = event.entrant(row.no)?;
        let player = view.player_of(row.no);
        let sex = player.and_then(|player| player.sex).map_or(' ', |sex| match sex {
            Sex::Male => 'm',
            Sex::Female => 'w',
        });
        let born = player
            .and_then(|player| player.born)
            .map(|born| format!("{}/{:02}/{:02}", born.year, born.month, born.day));
        let points: Points = after
            .up_to()
            .filter_map(|round| event.result_of(round, row.no))
            .map(|it| score(it, row.no))
            .sum();
        let mut one = format!(
            "001 {:>4} {sex}{:>3} {} {:>4} {:>3} {:>11} {:<10} {:>4.1} {:>4}",
            row.no.0,
            "",
            wide(&entrant.name, 33),
            "",
            "CHN",
            "",
            born.unwrap_or_default(),
            f64::from(points.0) / f64::from(win.0.max(1)),
            row.rank,
        );
        for round in after.up_to() {
            one.push_str("  ");
            one.push_str(&cell(event.result_of(round, row.no), row.no, win));
        }
        let _ = writeln!(text, "{}", one.trim_end());
    }
    Some(text)
}

/// So many characters, padded or cut: the format counts characters.
fn wide(name: &str, to: usize) -> String {
    let mut cut: String = name.chars().take(to).collect();
    let length = cut.chars().count();
    cut.extend(std::iter::repeat_n(' ', to - length));
    cut
}

fn score(result: &ResultEntry, no: EntrantNo) -> Points {
    if result.red == no { result.score.red } else { result.score.black }
}

/// Opponent, colour, result: `  12 w 1`.
fn cell(result: Option<&ResultEntry>, no: EntrantNo, win: Points) -> String {
    let Some(result) = result else { return "0000 - Z".into() };
    let side = if result.red == no { Side::Red } else { Side::Black };
    let opponent = if side == Side::Red { result.black } else { Some(result.red) };
    let points = score(result, no);
    let sign = |won, drawn, lost| {
        if points >= win {
            won
        } else if points > Points(0) {
            drawn
        } else {
            lost
        }
    };
    match (result.kind, opponent) {
        (ResultKind::Bye, _) => "0000 - U".into(),
        (ResultKind::Absent, _) | (_, None) => "0000 - Z".into(),
        (ResultKind::Played, Some(opponent)) => {
            // Red moves first: the format's white.
            let colour = if side == Side::Red { 'w' } else { 'b' };
            format!("{:>4} {colour} {}", opponent.0, sign('1', '=', '0'))
        }
        (ResultKind::Forfeit | ResultKind::DoubleForfeit, Some(opponent)) => {
            let colour = if side == Side::Red { 'w' } else { 'b' };
            format!("{:>4} {colour} {}", opponent.0, sign('+', '=', '-'))
        }
    }
}
