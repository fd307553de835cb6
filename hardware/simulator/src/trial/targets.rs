//! What the figures have to be, and what they are: the table that a measurement prints.

use firmware_proto::SensingKind;

use super::{Missed, Recall, Summary};
use crate::truth::Incident;

/// A line of the table: one figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// What is measured.
    pub what: String,
    /// What it has to be; empty: nothing is asked of it in this profile.
    pub wanted: String,
    /// What it is.
    pub measured: String,
    /// Whether that is reached; `None`: nothing is asked of it, or nothing happened.
    pub met: Option<bool>,
}

/// Games read exactly, in a hundred, by profile.
fn exact_wanted(noise: &str, sensing: SensingKind) -> Option<f64> {
    match (noise, sensing) {
        ("N0", _) => Some(100.0),
        ("N1", _) => Some(99.9),
        ("N2", SensingKind::Occupancy) => Some(99.0),
        ("N2", SensingKind::Colour | SensingKind::Type | SensingKind::Identity)
        | ("N3K" | "N4" | "N7", _) => Some(99.5),
        ("N5", _) => Some(90.0),
        ("N6", _) => Some(98.0),
        (_, _) => None,
    }
}

/// Irregular plies and what counts like them (R8).
const IRREGULAR: [Incident; 5] = [
    Incident::IllegalMove,
    Incident::GeneralExposed,
    Incident::OpponentsPieceMoved,
    Incident::TwoPlies,
    Incident::PressWithoutMove,
];
const SET_UPS: [Incident; 4] =
    [Incident::SetUpSwapped, Incident::SetUpMissing, Incident::SetUpTurned, Incident::SetUpColours];

/// Of what must be told, in a hundred (R2, R4, R8).
const TOLD: [(&str, &[Incident], Option<f64>); 9] = [
    ("irregular plies and empty presses told within 2 s (R8)", &IRREGULAR, Some(99.0)),
    ("disorder told within 1 s (R7)", &[Incident::KnockedOver], Some(99.0)),
    ("wrong restorations told (R7)", &[Incident::RestoredWrongly], Some(99.0)),
    ("exchanged pieces told", &[Incident::Exchanged], None),
    ("touched pieces logged (R9)", &[Incident::TouchMove], Some(99.0)),
    ("wrong set-ups told (R10)", &SET_UPS, Some(99.0)),
    ("dead points named within ten plies (R2)", &[Incident::DeadPoint], Some(95.0)),
    ("stuck points named within ten plies (R2)", &[Incident::StuckPoint], Some(95.0)),
    ("another table's clock told", &[Incident::CablesExchanged], None),
];

/// The table of what these trials came to.
#[must_use]
pub fn figures(noise: &str, sensing: SensingKind, summary: &Summary) -> Vec<Figure> {
    let mut figures = Vec::new();
    let mut add = |what: &str, wanted: &str, measured: String, met: Option<bool>| {
        let (what, wanted) = (what.to_owned(), wanted.to_owned());
        figures.push(Figure { what, wanted, measured, met });
    };
    let rapid = noise == "N1";
    let exact = exact_wanted(noise, sensing);
    let share = in_a_hundred(summary.exact, summary.games);
    add(
        "games exact (R1, R3)",
        &exact.map_or(String::new(), |wanted| format!("≥ {wanted} %")),
        format!("{} of {}, {share:.2} %", summary.exact, summary.games),
        exact.map(|wanted| share >= wanted),
    );
    add("plies right", "", format!("{} of {}", summary.plies_right, summary.plies), None);
    let wrong = summary.wrong_confirmed as f64 / summary.plies.max(1) as f64 * 10_000.0;
    let wrong_text = format!("{} of {}, {wrong:.2} in 10,000", summary.wrong_confirmed, summary.plies);
    if rapid {
        add("plies confirmed wrongly (R4)", "≤ 1 in 10,000", wrong_text, Some(wrong <= 1.0));
        let a_game = summary.wrong_confirmed as f64 / summary.games.max(1) as f64;
        add("wrong moves shown a game (R5)", "≤ 0.05", format!("{a_game:.4}"), Some(a_game <= 0.05));
    } else {
        add("plies confirmed wrongly (R4)", "", wrong_text, None);
    }
    let inexact = summary.games - summary.exact;
    let told = inexact - summary.silent_errors;
    add(
        "games not exact with an open alert (R4)",
        "≥ 99 %",
        format!("{told} of {inexact}"),
        (inexact > 0).then(|| in_a_hundred(told, inexact) >= 99.0),
    );
    let (read, confirmed) = (summary.provisional_ms, summary.confirmed_ms);
    add("placed → provisional p50", "", format!("{} ms", read.p50), None);
    add("placed → provisional p95 (R5)", "≤ 500 ms", format!("{} ms", read.p95), Some(read.p95 <= 500));
    add("placed → provisional p99 (R5)", "≤ 1,000 ms", format!("{} ms", read.p99), Some(read.p99 <= 1_000));
    if noise != "N7" {
        let fast = Some(confirmed.p95 <= 300);
        add("pressed → confirmed p95 (R5)", "≤ 300 ms", format!("{} ms", confirmed.p95), fast);
        add("pressed → confirmed p99", "", format!("{} ms", confirmed.p99), None);
    }
    for (what, incidents, wanted) in TOLD {
        let recall = sum(summary, incidents);
        if recall.due + recall.beyond == 0 {
            continue;
        }
        let Recall { due, told, among, late, otherwise, beyond } = recall;
        let few = if among > 0 { format!(", among at most three {among}") } else { String::new() };
        add(
            what,
            &wanted.map_or(String::new(), |wanted| format!("≥ {wanted} %")),
            format!(
                "{told} of {due}{few}; late {late}, by another alert {otherwise}, beyond the board {beyond}"
            ),
            wanted.filter(|_| due > 0).map(|wanted| in_a_hundred(told, due) >= wanted),
        );
    }
    for (plies, Missed { stretches, read, offered, told }) in &summary.missed {
        add(
            &format!("{plies} plies in the dark (R13)"),
            "",
            format!("read {read} of {stretches}; offered {offered}, told as doubtful {told}"),
            None,
        );
    }
    let touched = summary.score.false_alerts.get("touch_move").copied().unwrap_or(0);
    let alerts = summary.score.false_alerts.values().sum::<u64>() - touched;
    let few = alerts as f64 <= summary.games as f64 / 5.0;
    let by_kind: Vec<String> =
        summary.score.false_alerts.iter().map(|(code, count)| format!("{code} {count}")).collect();
    add(
        "false alerts (R8; touched pieces are no alert)",
        if rapid { "≤ 1 in 5 games" } else { "" },
        format!("{alerts} in {} games ({})", summary.games, by_kind.join(", ")),
        rapid.then_some(few),
    );
    let none = Some(summary.after_end == 0);
    add("plies recorded after the end (R11)", "0", summary.after_end.to_string(), none);
    add("restarts of the server that read otherwise", "", summary.restarts_differing.to_string(), None);
    figures
}

fn sum(summary: &Summary, incidents: &[Incident]) -> Recall {
    incidents.iter().filter_map(|incident| summary.score.recall.get(incident)).fold(
        Recall::default(),
        |sum, one| Recall {
            due: sum.due + one.due,
            told: sum.told + one.told,
            among: sum.among + one.among,
            late: sum.late + one.late,
            otherwise: sum.otherwise + one.otherwise,
            beyond: sum.beyond + one.beyond,
        },
    )
}

fn in_a_hundred(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64 * 100.0
}
