//! What was told of what went wrong, and what was told although nothing did.

use std::collections::{BTreeMap, BTreeSet};

use capture::{Finding, Irregularity};
use firmware_proto::SensingKind;
use serde::Serialize;
use xiangqi::{Move, Point, Position};

use super::Trial;
use crate::truth::{Due, Incident, PlayedPly, SensedBy};

/// Recall and false alerts, by kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Score {
    /// What an arbiter had to be told.
    pub recall: BTreeMap<Incident, Recall>,
    /// Alerts that nothing explains, by what they say.
    pub false_alerts: BTreeMap<&'static str, u64>,
}

/// How often something happened, and was told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Recall {
    /// So often it happened where the board could sense it.
    pub due: u64,
    /// So often it was told in time.
    pub told: u64,
    /// So often it was named in time among at most three points, and not alone.
    pub among: u64,
    /// So often it was told, but late.
    pub late: u64,
    /// So often it was not told, and another alert called the arbiter to the table at that time.
    pub otherwise: u64,
    /// So often it happened and this kind of board cannot sense it.
    pub beyond: u64,
}

/// What an alert is counted as; `None`: it is none.
pub(super) fn alert(finding: &Finding) -> Option<&'static str> {
    match finding {
        Finding::Read(ply) => ply.irregular.filter(|why| *why != Irregularity::Entered).map(|_| "irregular"),
        Finding::Mismatch { .. } => Some("mismatch"),
        Finding::Disturbed { .. } => Some("disturbed"),
        Finding::PressWithoutMove(..) => Some("press_without_move"),
        Finding::ClockTurned(..) => Some("clock_turned"),
        Finding::TouchMove { .. } => Some("touch_move"),
        Finding::Ambiguous { .. } => Some("ambiguous"),
        Finding::SetUp { .. } => Some("set_up"),
        Finding::Suspects { .. } => Some("suspects"),
        Finding::BadPoint { .. } => Some("bad_point"),
        Finding::Confirmed(..)
        | Finding::Locked(_)
        | Finding::Withdrawn(_)
        | Finding::Restored(_)
        | Finding::SetUpRight => None,
    }
}

/// After something is over, what is still said of it is no false alert for so long, ms.
const GRACE: i64 = 5_000;

/// How an arbiter was told of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// In time.
    InTime,
    /// In time, as one of at most three points.
    Among,
    /// Later than that.
    Late,
    /// Another alert called him to the table at that time.
    Otherwise,
    /// Not at all.
    Not,
    /// This kind of board cannot sense it, or it never made one show what it should not.
    Beyond,
}

impl Score {
    pub(super) fn add(&mut self, trial: &Trial) {
        for (due, told) in told(trial) {
            let recall = self.recall.entry(due.what).or_default();
            recall.due += u64::from(told != Told::Beyond);
            match told {
                Told::InTime => recall.told += 1,
                Told::Among => recall.among += 1,
                Told::Late => recall.late += 1,
                Told::Otherwise => recall.otherwise += 1,
                Told::Not => {}
                Told::Beyond => recall.beyond += 1,
            }
        }
        for (code, _) in false_alerts(trial) {
            *self.false_alerts.entry(code).or_default() += 1;
        }
    }
}

/// What was said, and when, ms since the game began.
fn said(trial: &Trial) -> Vec<(i64, &Finding)> {
    let began = trial.played.began.0;
    trial.said.iter().map(|(at, finding)| (at.0 - began, finding)).collect()
}

/// What an arbiter had to be told, and how he was.
pub(super) fn told(trial: &Trial) -> Vec<(&Due, Told)> {
    let said = said(trial);
    let of = |due: &Due| {
        if !senses(trial.sensing, due.sensed_by) || !ever_shows(due, &trial.played.plies) {
            return Told::Beyond;
        }
        let until = told_until(due);
        let told =
            said.iter().find(|(at, finding)| (due.at - 1_000..=until).contains(at) && tells(finding, due));
        let soon = |at: i64| in_time(at, due, &trial.played.plies);
        if told.is_some_and(|(at, _)| soon(*at)) {
            return Told::InTime;
        }
        if said.iter().any(|(at, finding)| *at >= due.at - 1_000 && soon(*at) && suspects(finding, due)) {
            return Told::Among;
        }
        if told.is_some() {
            return Told::Late;
        }
        let until = due.until.min(due.at + 60_000).saturating_add(GRACE);
        let called = said
            .iter()
            .any(|(at, finding)| (due.at - 1_000..=until).contains(at) && alert(finding).is_some());
        if called { Told::Otherwise } else { Told::Not }
    };
    let must = trial.played.alerts_due.iter().filter(|due| due.what.must_be_told());
    must.map(|due| (due, of(due))).collect()
}

/// The alerts of a trial that nothing explains, and when. An alert that goes on is counted once.
pub(super) fn false_alerts(trial: &Trial) -> Vec<(&'static str, i64)> {
    let mut counted = Vec::new();
    let mut mismatch_open = false;
    let mut irregular: BTreeSet<(u16, Move)> = BTreeSet::new();
    for (at, finding) in said(trial) {
        if let Finding::Restored(_) = finding {
            mismatch_open = false;
        }
        let Some(code) = alert(finding) else { continue };
        if trial.played.alerts_due.iter().any(|due| explains(finding, at, due)) {
            continue;
        }
        let goes_on = if let Finding::Read(ply) = finding {
            !irregular.insert((ply.no.0, ply.mv))
        } else {
            matches!(finding, Finding::Mismatch { .. }) && std::mem::replace(&mut mismatch_open, true)
        };
        if !goes_on {
            counted.push((code, at));
        }
    }
    counted
}

fn senses(kind: SensingKind, needed: SensedBy) -> bool {
    match kind {
        SensingKind::Occupancy => needed == SensedBy::Occupancy,
        SensingKind::Colour => needed <= SensedBy::Colour,
        SensingKind::Type | SensingKind::Identity => true,
    }
}

/// Whether a finding is what an arbiter had to be told.
fn tells(finding: &Finding, due: &Due) -> bool {
    let names_all = |named: Option<Vec<Point>>| {
        named.is_some_and(|named| due.points.iter().all(|point| named.contains(point)))
    };
    match due.what {
        Incident::KnockedOver => matches!(finding, Finding::Disturbed { .. }),
        Incident::RestoredWrongly | Incident::Exchanged => names_all(misfits(finding)),
        Incident::IllegalMove
        | Incident::GeneralExposed
        | Incident::OpponentsPieceMoved
        | Incident::TwoPlies => {
            matches!(finding, Finding::Read(ply)
                if ply.no.0 == due.plies + 1 && ply.irregular == due.what.irregularity()
                    && due.points == [ply.mv.from, ply.mv.to])
        }
        Incident::PressWithoutMove => matches!(finding, Finding::PressWithoutMove(..)),
        Incident::TouchMove => {
            matches!(finding, Finding::TouchMove { touched, .. } if due.points == [*touched])
        }
        Incident::SetUpSwapped | Incident::SetUpMissing | Incident::SetUpTurned | Incident::SetUpColours => {
            names_all(wrongly_set_up(finding))
        }
        Incident::DeadPoint | Incident::StuckPoint => {
            matches!(finding, Finding::BadPoint { point, .. } if due.points == [*point])
        }
        Incident::CablesExchanged => alert(finding).is_some(),
        Incident::PressForgotten
        | Incident::Adjusted
        | Incident::FadingPoint
        | Incident::WeakPiece
        | Incident::OffCentre
        | Incident::AfterGame
        | Incident::LinkDown
        | Incident::DeviceReset
        | Incident::BoardDark
        | Incident::GatewayRestart
        | Incident::ServerRestart => false,
    }
}

/// Whether the point that it is due for is one of few that are named together.
fn suspects(finding: &Finding, due: &Due) -> bool {
    due.what == Incident::DeadPoint
        && matches!(finding, Finding::Suspects { points }
            if points.len() <= 3 && due.points.iter().all(|point| points.contains(point)))
}

/// What is said later than this is of something else.
fn told_until(due: &Due) -> i64 {
    match due.what {
        // Told with the ply that follows, however long the player thinks; a bad point whenever it is found.
        Incident::TouchMove | Incident::DeadPoint | Incident::StuckPoint => i64::MAX,
        Incident::KnockedOver
        | Incident::RestoredWrongly
        | Incident::Exchanged
        | Incident::IllegalMove
        | Incident::GeneralExposed
        | Incident::OpponentsPieceMoved
        | Incident::TwoPlies
        | Incident::PressWithoutMove
        | Incident::PressForgotten
        | Incident::Adjusted
        | Incident::SetUpSwapped
        | Incident::SetUpMissing
        | Incident::SetUpTurned
        | Incident::SetUpColours
        | Incident::FadingPoint
        | Incident::WeakPiece
        | Incident::OffCentre
        | Incident::AfterGame
        | Incident::CablesExchanged
        | Incident::LinkDown
        | Incident::DeviceReset
        | Incident::BoardDark
        | Incident::GatewayRestart
        | Incident::ServerRestart => due.until.saturating_add(GRACE),
    }
}

/// Whether it was told soon enough.
fn in_time(at: i64, due: &Due, plies: &[PlayedPly]) -> bool {
    let within = |millis: i64| at <= due.at + millis;
    match due.what {
        // Within 1 s of the disorder, which comes about within 0.3 s.
        Incident::KnockedOver => within(1_300),
        Incident::RestoredWrongly | Incident::Exchanged => within(5_000),
        Incident::IllegalMove
        | Incident::GeneralExposed
        | Incident::OpponentsPieceMoved
        | Incident::TwoPlies
        | Incident::PressWithoutMove => within(2_000),
        // It is logged with the ply that follows.
        Incident::TouchMove => true,
        Incident::SetUpSwapped | Incident::SetUpMissing | Incident::SetUpTurned | Incident::SetUpColours => {
            within(5_000)
        }
        // Within ten plies of its first effect.
        Incident::DeadPoint | Incident::CablesExchanged => {
            let played = plies.iter().filter(|ply| ply.placed <= at).count();
            played <= usize::from(due.plies) + 10
        }
        Incident::StuckPoint => shown_wrongly(at, due, plies) <= 10,
        Incident::PressForgotten
        | Incident::Adjusted
        | Incident::FadingPoint
        | Incident::WeakPiece
        | Incident::OffCentre
        | Incident::AfterGame
        | Incident::LinkDown
        | Incident::DeviceReset
        | Incident::BoardDark
        | Incident::GatewayRestart
        | Incident::ServerRestart => true,
    }
}

/// How many plies had been played by then since the first effect of a point that shows a piece for ever, with nothing on
/// it: as long as a piece stands there, it shows what it should.
fn shown_wrongly(at: i64, due: &Due, plies: &[PlayedPly]) -> usize {
    let after = plies.iter().scan(Position::start(), |position, ply| {
        *position = position.play_irregular(ply.mv);
        Some((ply, position.clone()))
    });
    let empty = |position: &Position| due.points.iter().all(|point| position.piece_at(*point).is_none());
    after.skip(usize::from(due.plies)).filter(|(ply, position)| ply.placed <= at && empty(position)).count()
}

/// Whether it shows at all: a point that shows a piece for ever does not where one stands after every ply, lifted for a
/// moment between them or not.
fn ever_shows(due: &Due, plies: &[PlayedPly]) -> bool {
    due.what != Incident::StuckPoint || shown_wrongly(i64::MAX, due, plies) > 0
}

/// Whether an alert at this time may come from what went wrong.
fn explains(finding: &Finding, at: i64, due: &Due) -> bool {
    if at < due.at - 1_000 || at > due.until.saturating_add(GRACE) {
        // What was touched is told with the ply that follows, however long the player thinks.
        return matches!(due.what, Incident::TouchMove | Incident::Adjusted | Incident::Exchanged)
            && at > due.at
            && matches!(finding, Finding::TouchMove { touched, .. } if due.points.contains(touched));
    }
    let about = |named: Option<Vec<Point>>| {
        named.is_some_and(|named| due.points.iter().any(|point| named.contains(point)))
    };
    match due.what {
        Incident::KnockedOver => matches!(finding, Finding::Disturbed { .. } | Finding::Mismatch { .. }),
        Incident::RestoredWrongly => about(misfits(finding)),
        Incident::Exchanged => {
            about(misfits(finding))
                || matches!(finding, Finding::TouchMove { touched, .. } if due.points.contains(touched))
        }
        Incident::IllegalMove
        | Incident::GeneralExposed
        | Incident::OpponentsPieceMoved
        | Incident::TwoPlies => {
            matches!(finding, Finding::Read(ply) if due.points == [ply.mv.from, ply.mv.to])
                // Until it is taken back an arbiter may as well be told that the board does not fit.
                || due.until != i64::MAX && (about(misfits(finding)) || wrongly_set_up(finding).is_some())
        }
        Incident::PressWithoutMove => matches!(finding, Finding::PressWithoutMove(..)),
        Incident::TouchMove | Incident::Adjusted => touches(finding, due),
        Incident::SetUpSwapped | Incident::SetUpMissing | Incident::SetUpTurned | Incident::SetUpColours => {
            matches!(finding, Finding::SetUp { .. })
        }
        Incident::DeadPoint
        | Incident::StuckPoint
        | Incident::FadingPoint
        | Incident::WeakPiece
        | Incident::OffCentre => about(misfits(finding)) || about(doubts(finding)),
        Incident::AfterGame
        | Incident::CablesExchanged
        | Incident::LinkDown
        | Incident::DeviceReset
        | Incident::BoardDark
        | Incident::GatewayRestart
        | Incident::ServerRestart => alert(finding).is_some(),
        Incident::PressForgotten => false,
    }
}

/// The points at which the board is said not to fit.
fn misfits(finding: &Finding) -> Option<Vec<Point>> {
    if let Finding::Mismatch { points, .. } | Finding::Disturbed { points, .. } = finding {
        Some(points.clone())
    } else {
        wrongly_set_up(finding)
    }
}

/// The points that are said to be set up wrongly.
fn wrongly_set_up(finding: &Finding) -> Option<Vec<Point>> {
    if let Finding::SetUp { wrong } = finding {
        Some(wrong.iter().map(|(point, _)| *point).collect())
    } else {
        None
    }
}

/// The points that are said to be bad, or between which several plies are possible.
fn doubts(finding: &Finding) -> Option<Vec<Point>> {
    if let Finding::Ambiguous { lines, .. } = finding {
        Some(lines.iter().flatten().flat_map(|mv| [mv.from, mv.to]).collect())
    } else if let Finding::Suspects { points } = finding {
        Some(points.clone())
    } else if let Finding::BadPoint { point, .. } = finding {
        Some(vec![*point])
    } else {
        None
    }
}

fn touches(finding: &Finding, due: &Due) -> bool {
    matches!(finding, Finding::TouchMove { touched, .. } if due.points == [*touched])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stuck(point: &str) -> Due {
        let points = vec![point.parse().expect("a point")];
        let (what, sensed_by) = (Incident::StuckPoint, SensedBy::Occupancy);
        Due { what, at: 0, until: i64::MAX, plies: 0, points, sensed_by }
    }

    /// On i6 a soldier stands all the time: it shows what it should.
    #[test]
    fn a_point_that_shows_a_piece_for_ever_shows_it_once_its_piece_has_left() {
        let played = |(index, mv): (i64, &str)| PlayedPly {
            mv: mv.parse().expect("a move"),
            placed: 1_000 * index,
            pressed: None,
        };
        let plies: Vec<PlayedPly> = (0..).zip(["h2e2", "h9g7", "h0g2"]).map(played).collect();
        assert!(!ever_shows(&stuck("i6"), &plies));
        assert!(ever_shows(&stuck("h9"), &plies));
        assert_eq!(shown_wrongly(i64::MAX, &stuck("h9"), &plies), 2);
    }
}
