//! Trials of the tracker with the small player's games: every change goes through the device code and its frames.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::Arc;

use capture::log::Log;
use capture::{Finding, Image, Params, Readings, Seen, What};
use firmware_proto::SensingKind;
use simulator::games::Source;
use simulator::replay::{self, Happening, Replay};
use simulator::trial::{Recall, Summary, Trials};
use simulator::truth::Incident;
use simulator::{Incidents, Noise, Row};
use xiangqi::Position;

fn tried(noise: &str, sensing: SensingKind, count: u64) -> Summary {
    tried_with(Noise::named(noise).unwrap(), sensing, count)
}

/// Tidy hands and good sensors, and this row happens in every game.
fn only(row: Row, sensing: SensingKind, count: u64) -> Summary {
    let incidents = Incidents::NONE.with(row, 1.0);
    tried_with(Noise { incidents, ..Noise::named("N0").unwrap() }, sensing, count)
}

fn trials(noise: Noise, sensing: SensingKind) -> Trials {
    Trials { games: Arc::new(Source::Player), noise, sensing, seed: 3, params: Params::default() }
}

fn tried_with(noise: Noise, sensing: SensingKind, count: u64) -> Summary {
    let trials = trials(noise, sensing);
    let mut summary = Summary::default();
    (0..count).for_each(|number| summary.add(&trials.run(number)));
    summary.close();
    summary
}

#[test]
fn tidy_games_are_read_exactly_by_every_kind_of_board() {
    for sensing in [SensingKind::Occupancy, SensingKind::Colour, SensingKind::Type, SensingKind::Identity] {
        let summary = tried("N0", sensing, 2);
        assert_eq!((summary.exact, summary.wrong_confirmed), (2, 0), "{sensing:?}: {summary:?}");
        assert!(summary.plies > 40, "they are whole games: {summary:?}");
    }
}

#[test]
fn a_trial_comes_out_the_same_every_time() {
    let once = serde_json::to_string(&tried("N2", SensingKind::Colour, 2)).unwrap();
    assert_eq!(once, serde_json::to_string(&tried("N2", SensingKind::Colour, 2)).unwrap());
}

fn recall(summary: &Summary, incidents: &[Incident]) -> Recall {
    let mut sum = Recall::default();
    for one in incidents.iter().filter_map(|incident| summary.score.recall.get(incident)) {
        sum.due += one.due;
        sum.told += one.told;
        sum.late += one.late;
        sum.otherwise += one.otherwise;
        sum.beyond += one.beyond;
    }
    sum
}

const IRREGULAR: [Incident; 4] =
    [Incident::IllegalMove, Incident::GeneralExposed, Incident::OpponentsPieceMoved, Incident::TwoPlies];

#[test]
fn irregular_plies_that_are_noticed_are_told_and_taken_back() {
    for row in [Row::Illegal, Row::IllegalLater] {
        let summary = only(row, SensingKind::Colour, 4);
        let recall = recall(&summary, &IRREGULAR);
        assert_eq!((recall.due, recall.told + recall.late), (4, 4), "{row:?}: {summary:?}");
        assert_eq!(summary.exact, 4, "{row:?}: {summary:?}");
    }
}

#[test]
fn games_with_an_irregular_ply_that_stands_are_followed_to_their_end() {
    let summary = only(Row::IllegalForGood, SensingKind::Colour, 3);
    let recall = recall(&summary, &IRREGULAR);
    assert_eq!((recall.due, recall.told, summary.exact), (3, 3, 3), "{summary:?}");
}

#[test]
fn presses_without_a_move_and_touched_pieces_are_told() {
    for (row, incident) in
        [(Row::EmptyPress, Incident::PressWithoutMove), (Row::TouchMove, Incident::TouchMove)]
    {
        let summary = only(row, SensingKind::Colour, 3);
        let recall = recall(&summary, &[incident]);
        assert_eq!((recall.due, recall.told, summary.exact), (3, 3, 3), "{row:?}: {summary:?}");
        assert!(summary.score.false_alerts.is_empty(), "{row:?}: {summary:?}");
    }
}

#[test]
fn wrong_set_ups_are_told_by_boards_that_can_sense_them() {
    let set_ups =
        [Incident::SetUpSwapped, Incident::SetUpMissing, Incident::SetUpTurned, Incident::SetUpColours];
    let summary = only(Row::WrongSetUp, SensingKind::Identity, 5);
    let known = recall(&summary, &set_ups);
    assert_eq!((known.due, known.told, known.beyond), (5, 5, 0), "{summary:?}");
    let summary = only(Row::WrongSetUp, SensingKind::Occupancy, 5);
    let unknown = recall(&summary, &set_ups);
    assert_eq!(unknown.due + unknown.beyond, 5, "{summary:?}");
    assert!(unknown.beyond > 0 && unknown.told == unknown.due, "{summary:?}");
}

#[test]
fn nothing_that_happens_on_the_board_after_the_end_enters_the_record() {
    let summary = only(Row::AfterGame, SensingKind::Identity, 3);
    assert_eq!((summary.exact, summary.after_end), (3, 0), "{summary:?}");
}

/// What board and clock did in a game, images and greetings left out.
fn happened(incidents: Incidents) -> Vec<Seen> {
    let noise = Noise { incidents, ..Noise::named("N1").unwrap() };
    let trial = trials(noise, SensingKind::Colour).run(1);
    let mut seen: Vec<Seen> = trial
        .log
        .seen()
        .filter(|(_, seen)| {
            matches!(
                seen.what,
                What::Changed(..) | What::Pressed(..) | What::Flagged(..) | What::Signalled(..)
            )
        })
        .map(|(_, seen)| seen.clone())
        .collect();
    seen.sort_by_key(|seen| seen.at);
    seen
}

#[test]
fn links_that_break_off_lose_and_repeat_nothing() {
    let undisturbed = happened(Incidents::NONE);
    assert!(undisturbed.len() > 50, "it is a whole game");
    // Every other minute, for two seconds to a minute.
    let often = Incidents::NONE.with(Row::LinkDown, 30.0).with(Row::GatewayRestart, 30.0);
    assert_eq!(undisturbed, happened(often));
}

#[test]
fn a_board_that_restarts_and_a_server_that_restarts_change_no_game() {
    let incidents = Incidents::NONE.with(Row::DeviceReset, 20.0).with(Row::ServerRestart, 20.0);
    let noise = Noise { incidents, ..Noise::named("N0").unwrap() };
    let summary = tried_with(noise, SensingKind::Colour, 3);
    assert_eq!((summary.exact, summary.restarts_differing), (3, 0), "{summary:?}");
}

#[test]
fn a_clock_of_another_table_calls_the_arbiter() {
    // Two of thirty tables are concerned: this is every table.
    let noise = Noise { incidents: Incidents::NONE.with(Row::Cables, 15.0), ..Noise::named("N0").unwrap() };
    let summary = tried_with(noise, SensingKind::Colour, 2);
    let recall = recall(&summary, &[Incident::CablesExchanged]);
    assert_eq!((recall.due, recall.told, summary.exact), (2, 2, 2), "{summary:?}");
}

/// Who breaks the rules still moves one piece: nothing that he passes leaves its point.
#[test]
fn an_irregular_ply_moves_no_piece_but_its_own() {
    let incidents = Incidents::NONE.with(Row::IllegalForGood, 1.0);
    let noise = Noise { incidents, ..Noise::named("N0").unwrap() };
    let noise = Noise { slide: 1.0, slide_other: 1.0, ..noise };
    let trials = trials(noise, SensingKind::Colour);
    for number in 15..30 {
        let trial = trials.run(number);
        let mut shown: Option<Readings> = None;
        for (_, seen) in trial.log.seen() {
            if let What::Image(readings) = &seen.what {
                shown = Some((**readings).clone());
            } else if let (What::Changed(point, reading), Some(shown)) = (&seen.what, &mut shown) {
                shown.points[point.index()] = *reading;
            }
        }
        let played = trial.played.moves.iter();
        let position = played.fold(Position::start(), |position, mv| position.play_irregular(*mv));
        let differing = Image::new(&shown.unwrap()).difference(position.board());
        assert!(differing.is_empty(), "{number}: {differing:?}");
    }
}

#[test]
fn a_recorded_game_is_read_again_as_it_was() {
    let incidents = Incidents::NONE.with(Row::Illegal, 1.0).with(Row::TouchMove, 1.0);
    let noise = Noise { incidents, ..Noise::named("N2").unwrap() };
    let trial = trials(noise, SensingKind::Colour).run(2);
    let log = Log::read(&trial.log.write()).unwrap();
    let replay = Replay::of(&log);
    let read: Vec<_> = replay.plies.iter().map(|ply| ply.mv).collect();
    assert_eq!(read, trial.read);
    let told = |said: &Finding| {
        replay
            .scenes
            .iter()
            .flat_map(|scene| &scene.events)
            .any(|event| matches!(&event.what, Happening::Said(finding) if finding == said))
    };
    let others = trial.said.iter().filter(|(_, said)| !matches!(said, Finding::Read(_)));
    for (_, said) in others {
        assert!(told(said), "{said:?}");
    }
    let page = replay::page(&replay);
    let plies = replay.plies.len();
    assert!(page.contains(&format!("{plies} plies")) && page.contains("<svg class=lanes"));
    let text = replay::draw(&replay, |scene| scene.is_notable());
    assert!(text.contains("the arbiter takes back") && text.contains("truth:"), "{text}");
}
