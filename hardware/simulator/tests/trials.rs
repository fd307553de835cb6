//! Trials of the tracker with the small player's games: every change goes through the device code and its frames.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::Arc;

use capture::Params;
use firmware_proto::SensingKind;
use simulator::Noise;
use simulator::games::Source;
use simulator::trial::{Summary, Trials};

fn tried(noise: &str, sensing: SensingKind, count: u64) -> Summary {
    let trials = Trials {
        games: Arc::new(Source::Player),
        noise: Noise::named(noise).unwrap(),
        sensing,
        seed: 3,
        params: Params::default(),
        beliefs: 0,
    };
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
