//! What a trial's log says of the truth, for whoever replays it.

use capture::log::Log;

use crate::truth::{Incident, PlayedGame};

/// Writes down which game was played, its plies with their times, and the troubles that a reader looks for.
pub(super) fn tell_log(log: &mut Log, played: &PlayedGame) {
    let began = played.began.0;
    log.title = format!("{} at table {}", played.id, played.table);
    log.played = played
        .plies
        .iter()
        .enumerate()
        .map(|(index, ply)| (began + ply.placed, index as u16 + 1, ply.mv))
        .chain(
            played
                .struck
                .iter()
                .map(|struck| (began + struck.ply.placed, struck.index as u16 + 1, struck.ply.mv)),
        )
        .collect();
    log.troubles = played
        .alerts_due
        .iter()
        .filter(|due| due.what.must_be_told() && due.what != Incident::TouchMove || is_worth_a_line(due.what))
        .map(|due| {
            let points: Vec<String> = due.points.iter().map(ToString::to_string).collect();
            (began + due.at, format!("{:?} {}", due.what, points.join(" ")))
        })
        .collect();
}

fn is_worth_a_line(what: Incident) -> bool {
    matches!(
        what,
        Incident::LinkDown
            | Incident::DeviceReset
            | Incident::BoardDark
            | Incident::GatewayRestart
            | Incident::OffCentre
            | Incident::WeakPiece
            | Incident::FadingPoint
            | Incident::AfterGame
    )
}
