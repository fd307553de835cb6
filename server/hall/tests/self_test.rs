//! The self-test of a table before a round: what somebody who walks along the tables sees, and what becomes of it.

#![allow(clippy::unwrap_used)]

#[allow(dead_code, reason = "each test binary uses its part")]
mod venue;

use firmware_proto::{Body, Command, Half, Observation, PlayerSignal, Reading, Record, Seq, Sighting};
use hall::view::{Concern, Condition, DevicesView};
use hall::{Act, Input, PointState, TestStep};
use tournament::TableNo;
use venue::{Table, Venue, arbiter};
use xiangqi::{Point, Side};

const TABLE: TableNo = TableNo(1);

fn devices(venue: &Venue) -> DevicesView {
    venue.hall.devices(Some(TABLE)).remove(0)
}

fn step(step: TestStep) -> Act {
    Act::SelfTest { table: TABLE, step }
}

/// The round is over, so its table is free.
fn between_rounds() -> Venue {
    let mut venue = Venue::started(1, 2, 2);
    venue.play(0, "h2e2 h9g7");
    let resign = venue.tables[0].signal(Side::Red, PlayerSignal::Resign, venue.now);
    venue.observe(vec![resign]);
    venue.pass(1_000);
    venue
}

/// A hand puts a piece on a point and lifts it again.
fn walk(venue: &mut Venue, point: usize) {
    let seating = capture::Seating { red: Half::A };
    let cell = seating.cell(Point::from_index(point).unwrap());
    for reading in [Reading(1), Reading::EMPTY] {
        venue.pass(400);
        // Numbers of records are the ledger's matter, not the hall's.
        let record = Record { seq: Seq(9_000), at: Default::default(), body: Body::Point(cell, reading) };
        let device = venue.tables[0].board();
        let sighting = Sighting::Record(firmware_proto::BootId(1), record);
        venue.observe(vec![Observation { device, at: venue.now, sighting }]);
    }
}

fn press_both(venue: &mut Venue) {
    for side in [Side::Black, Side::Red] {
        let press = venue.tables[0].press(side, venue.now);
        venue.observe(vec![press]);
    }
}

#[test]
fn a_table_whose_every_point_and_lever_answered_is_sound() {
    let mut venue = between_rounds();
    assert_eq!(devices(&venue).concerns, [Concern::Untested]);
    let begun = venue.act(step(TestStep::Begin));
    assert!(
        begun.commands.iter().any(|it| it.command == Command::Snapshot),
        "the board is asked to show itself"
    );
    (0..90).for_each(|point| walk(&mut venue, point));
    assert_eq!(devices(&venue).concerns, [Concern::Unpressed(Side::Red), Concern::Unpressed(Side::Black)]);
    press_both(&mut venue);
    assert_eq!(devices(&venue).condition(), Condition::Sound);
    venue.act(step(TestStep::Finish));
    let found = devices(&venue);
    assert_eq!((found.condition(), found.tested, found.since), (Condition::Sound, Some(venue.now), None));
    assert_eq!(venue.restarted().devices(None), venue.hall.devices(None), "a restart knows it too");
}

#[test]
fn what_does_not_answer_is_named_and_a_finished_test_calls_it_dead() {
    let mut venue = between_rounds();
    venue.act(step(TestStep::Begin));
    (0..90).filter(|point| *point != 44).for_each(|point| walk(&mut venue, point));
    press_both(&mut venue);
    let centre = Point::from_index(44).unwrap();
    assert_eq!(devices(&venue).concerns, [Concern::Untried(vec![centre])]);
    let resumed = venue.restarted().devices(None);
    assert_eq!(resumed, venue.hall.devices(None), "a test goes on over a restart");
    // The board's image says that nothing stands there.
    let image = venue.tables[0].set_up(venue.now).into_iter().nth(2).unwrap();
    venue.observe(vec![image]);
    venue.act(step(TestStep::Finish));
    assert_eq!(devices(&venue).concerns, [Concern::Dead(vec![centre])]);
    assert_eq!(devices(&venue).condition(), Condition::Faulty);
    venue.act(step(TestStep::Begin));
    assert!(devices(&venue).points.unwrap().iter().all(|state| *state == PointState::Untried));
}

#[test]
fn a_game_on_a_board_with_a_dead_point_that_the_test_found_is_recorded() {
    let mut venue = between_rounds();
    venue.act(step(TestStep::Begin));
    // The point to which Red's cannon goes in the game.
    let dead: Point = "e2".parse().unwrap();
    (0..90).filter(|point| *point != dead.index()).for_each(|point| walk(&mut venue, point));
    let image = venue.tables[0].set_up(venue.now).into_iter().nth(2).unwrap();
    venue.observe(vec![image]);
    venue.act(step(TestStep::Finish));
    venue.next_round();
    for mv in ["h2e2", "h9g7", "h0g2", "i9h9", "g3g4", "c6c5"] {
        venue.pass(2_000);
        let seating = capture::Seating { red: Half::A };
        let silent = |seen: &Observation| {
            let Sighting::Record(_, Record { body: Body::Point(cell, _), .. }) = seen.sighting else {
                return true;
            };
            seating.point(cell) != dead
        };
        let seen = venue.tables[0].play(mv.parse().unwrap(), venue.now);
        for observation in seen.into_iter().filter(silent) {
            venue.pass(observation.at.since(venue.now).max(0));
            venue.observe(vec![observation]);
        }
    }
    venue.pass(2_000);
    assert_eq!(venue.moves(0), "h2e2 h9g7 h0g2 i9h9 g3g4 c6c5");
}

#[test]
fn a_test_that_is_broken_off_leaves_the_rest_untried() {
    let mut venue = between_rounds();
    venue.act(step(TestStep::Begin));
    (0..30).for_each(|point| walk(&mut venue, point));
    venue.act(step(TestStep::BreakOff));
    walk(&mut venue, 50);
    let found = devices(&venue);
    let untried = |concern: &Concern| matches!(concern, Concern::Untried(points) if points.len() == 60);
    assert!(found.concerns.iter().any(untried), "{:?}", found.concerns);
    assert_eq!(found.condition(), Condition::Open);
}

#[test]
fn no_table_is_tested_while_a_game_is_played_there() {
    let mut venue = Venue::started(1, 2, 1);
    let now = venue.now;
    let refused = venue.hall.handle(Input::Act(step(TestStep::Begin), arbiter()), now).unwrap_err();
    assert!(refused.to_string().contains("a game is being played"), "{refused}");
    let refused = venue.hall.handle(Input::Act(step(TestStep::Finish), arbiter()), now).unwrap_err();
    assert!(refused.to_string().contains("no self-test goes on"), "{refused}");
}

#[test]
fn a_board_that_was_never_plugged_in_and_a_clock_that_is_gone_are_faults() {
    let mut venue = Venue::started(1, 2, 1);
    venue.act(Act::Bind(Table::new(2).binding()));
    let never = venue.hall.devices(Some(TableNo(2))).remove(0);
    assert!(
        never.concerns.starts_with(&[Concern::BoardUnseen, Concern::ClockUnseen]),
        "{:?}",
        never.concerns
    );
    let (device, at) = (venue.tables[0].clock(), venue.now);
    venue.observe(vec![Observation { device, at, sighting: Sighting::Detached }]);
    let gone = devices(&venue);
    assert_eq!((gone.concerns[0].clone(), gone.condition()), (Concern::ClockAway, Condition::Faulty));
}
