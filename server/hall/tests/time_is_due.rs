//! What time brings comes when the hall asked for time, at whichever table, whatever happened at the others. That its
//! agenda is what a walk over all tables finds, the hall itself asserts after each input.

#![allow(clippy::unwrap_used)]

#[allow(dead_code, reason = "each test binary uses its part")]
mod venue;

use std::collections::BTreeSet;

use firmware_proto::{DeviceUid, Observation, Sighting};
use hall::{Act, Actor, Input};
use proptest::prelude::*;
use venue::{Venue, arbiter};
use xiangqi::Side;

const TABLES: usize = 4;

/// Something that happens at a table.
#[derive(Clone, Copy, Debug)]
enum Event {
    Move,
    Press,
    BoardGone,
    ClockGone,
    BoardBack,
    ClockBack,
    Beat,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        6 => Just(Event::Move),
        2 => Just(Event::Press),
        1 => Just(Event::BoardGone),
        1 => Just(Event::ClockGone),
        2 => Just(Event::BoardBack),
        2 => Just(Event::ClockBack),
        4 => Just(Event::Beat),
    ]
}

fn gone(device: DeviceUid, venue: &Venue) -> Vec<Observation> {
    vec![Observation { device, at: venue.now, sighting: Sighting::Detached }]
}

fn happen(venue: &mut Venue, table: usize, event: Event, moves: &mut [std::str::SplitWhitespace<'_>]) {
    let (now, devices) = (venue.now, &mut venue.tables[table]);
    let seen = match event {
        Event::Move => {
            let played = moves[table].next().map(|mv| devices.play(mv.parse().unwrap(), now));
            // They are seen when the hand has pressed.
            venue.pass(1_200);
            played.unwrap_or_default()
        }
        Event::Press => vec![devices.press(Side::Red, now)],
        Event::BoardGone => gone(devices.board(), venue),
        Event::ClockGone => gone(devices.clock(), venue),
        Event::BoardBack => vec![devices.hello(true, now)],
        Event::ClockBack => vec![devices.hello(false, now)],
        Event::Beat => return venue.beat(table),
    };
    venue.observe(seen);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn nothing_is_due_before_the_time_that_the_hall_asked_for(
        events in prop::collection::vec((0..TABLES, event(), 0_i64..10_000), 1..80),
    ) {
        let mut venue = Venue::started(TABLES as u16, 2 * TABLES as u16, 1);
        let mut moves = [const { "h2e2 h9g7 h0g2 i9h9 g3g4 c6c5 e2e6 g7e6 b0c2 b9c7 i0h0 h7i7" }; TABLES]
            .map(str::split_whitespace);
        for (table, event, pause) in events {
            happen(&mut venue, table, event, &mut moves);
            venue.pass(pause);
            if venue.hall.poll_timeout().is_none_or(|(at, _)| at > venue.now) {
                // An act makes the hall look at every table.
                let act = Act::Walk(BTreeSet::new());
                let out = venue.hall.handle(Input::Act(act, arbiter()), venue.now).unwrap();
                let brought: Vec<_> = out.entries.iter().filter(|entry| entry.by == Actor::Hall).collect();
                prop_assert!(brought.is_empty(), "{brought:?}");
                venue.journal.extend(out.entries);
            }
        }
    }
}
