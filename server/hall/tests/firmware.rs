//! Another firmware for the devices: offered between rounds, held back during one, and known after a restart.

#![allow(clippy::unwrap_used)]

#[allow(dead_code, reason = "each test binary uses its part")]
mod venue;

use firmware_proto::{Capabilities, Firmware, Offer, PlayerSignal, Target};
use hall::{Act, Actor, Input, Refusal, Role};
use venue::{Venue, arbiter};
use xiangqi::Side;

fn firmware() -> Firmware {
    let capabilities = Capabilities { board: None, clock: true };
    Firmware::of_bytes(Target { hardware: 1, capabilities, shared_line: false }, 2, b"firmware")
}

fn end_the_round(venue: &mut Venue) {
    venue.play(0, "h2e2 h9g7");
    let resign = venue.tables[0].signal(Side::Red, PlayerSignal::Resign, venue.now);
    venue.observe(vec![resign]);
    venue.pass(1_000);
}

#[test]
fn firmware_is_offered_between_rounds_and_held_back_while_one_is_played() {
    let mut venue = Venue::started(1, 2, 2);
    let offer = Act::OfferFirmware(firmware());
    let now = venue.now;
    let refused = venue.hall.handle(Input::Act(offer.clone(), arbiter()), now).unwrap_err();
    assert!(matches!(refused, Refusal::RoundIsPlayed), "{refused}");
    end_the_round(&mut venue);
    venue.act(offer);
    assert_eq!(venue.hall.firmware_offer(), Some(Offer { firmware: firmware(), go: true }));
    venue.next_round();
    assert_eq!(venue.hall.firmware_offer(), Some(Offer { firmware: firmware(), go: false }));
    assert_eq!(venue.restarted().firmware_offer(), venue.hall.firmware_offer());
    end_the_round(&mut venue);
    assert_eq!(venue.hall.firmware_offer(), Some(Offer { firmware: firmware(), go: true }));
}

#[test]
fn an_update_is_stopped_at_any_time_once_and_the_journal_says_by_whom() {
    let mut venue = Venue::started(1, 2, 2);
    end_the_round(&mut venue);
    venue.act(Act::OfferFirmware(firmware()));
    venue.next_round();
    let organiser = Actor::person("张三", Role::Organiser);
    let now = venue.now;
    let stop = || Input::Act(Act::WithdrawFirmware, organiser.clone());
    venue.hall.handle(stop(), now).unwrap();
    assert_eq!(venue.hall.firmware_offer(), None);
    assert!(matches!(venue.hall.handle(stop(), now), Err(Refusal::NoFirmware)));
    let journal = venue.hall.journal(&hall::view::JournalQuery { at_most: 10, ..Default::default() });
    let stopped = |row: &hall::view::DeedView| matches!(&row.what, hall::view::DeedWhat::Decided { act, .. } if **act == Act::WithdrawFirmware);
    assert_eq!(journal.rows.iter().find(|row| stopped(row)).map(|row| row.by.name()), Some("张三"));
}
