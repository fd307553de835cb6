use std::sync::LazyLock;

use firmware_proto::{Capabilities, Chunk, Firmware, Millis, Target, UpdateRefusal, UpdateState, UpdateStep};
use sha2::{Digest, Sha256};

use super::*;
use crate::keep::FlashFailed;
use crate::model_flash::{Dice, ModelFlash};

const PAGE: usize = 128;

type Flash = ModelFlash<PAGE>;

const PART: u32 = 5 * PAGE as u32;

fn layout() -> Layout {
    Layout {
        running: 0..PART,
        coming: PART..2 * PART,
        former: 2 * PART..3 * PART,
        log: 3 * PART..3 * PART + 2 * PAGE as u32,
    }
}

const TARGET: Target =
    Target { hardware: 1, capabilities: Capabilities { board: None, clock: true }, shared_line: false };

static OLD: LazyLock<Vec<u8>> = LazyLock::new(|| (0..300).map(|at| (at * 7 + at / 50) as u8).collect());
static NEW: LazyLock<Vec<u8>> = LazyLock::new(|| (0..577).map(|at| (at * 11 + at / 30 + 1) as u8).collect());

fn firmware(bytes: &[u8]) -> Firmware {
    Firmware { target: TARGET, version: 2, length: bytes.len() as u32, sha256: Sha256::digest(bytes).into() }
}

/// A flash that was burnt in the workshop, whose erasures, when cut, leave what these dice say.
fn burnt(seed: u64) -> Flash {
    let mut flash = Flash::of_pages(3 * 5 + 2);
    flash.bytes[..OLD.len()].copy_from_slice(&OLD);
    flash.dice = Some(Dice(seed));
    flash
}

/// Which firmware runs, whole and with nothing behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Runs {
    Old,
    New,
}

fn runs(flash: &Flash) -> Option<Runs> {
    let running = &flash.bytes[..PART as usize];
    [(&*OLD, Runs::Old), (&*NEW, Runs::New)].into_iter().find_map(|(bytes, runs)| {
        let rest = running.strip_prefix(bytes.as_slice())?;
        rest.iter().all(|&byte| byte == 0xff).then_some(runs)
    })
}

/// A start: what runs now, and its updates; or the power went before.
fn start(flash: Flash) -> Result<(Runs, Updates<Flash>), Flash> {
    let mut slots = Slots::new(flash, layout());
    match prepare_boot(&mut slots) {
        Ok(()) => {
            let runs = runs(&slots.flash).expect("what is started is whole, and one of the two");
            Ok((runs, Updates::new(slots, TARGET)))
        }
        Err(FlashFailed) => Err(slots.flash),
    }
}

/// Sends these bytes and asks for their trial; the last answer.
fn send(updates: &mut Updates<Flash>, firmware: Firmware, bytes: &[u8]) -> UpdateState {
    let mut state = updates.on_step(UpdateStep::Offer(firmware));
    while let UpdateState::Coming { next } = state {
        let rest = &bytes[next as usize..];
        state = match Chunk::new(&rest[..rest.len().min(Chunk::MOST)]) {
            Some(chunk) => updates.on_step(UpdateStep::Bytes { at: next, chunk }),
            None => updates.on_step(UpdateStep::Try),
        };
    }
    state
}

fn flash_of(updates: Updates<Flash>) -> Flash {
    let mut flash = updates.slots.flash;
    flash.power = u32::MAX;
    flash
}

/// A device over many starts.
#[derive(Clone)]
struct Life {
    flash: Flash,
    /// The new firmware was about to prove itself, whether that was noted or not.
    proved: bool,
    /// It was heard to be settled with the new one.
    settled: bool,
}

impl Life {
    /// A device whose log holds this many trials that were not passed.
    fn after_trials(trials: u32, seed: u64) -> Life {
        let mut life = Life { flash: burnt(seed), proved: false, settled: false };
        for _ in 0..2 * trials {
            life = life.with(u32::MAX, false);
        }
        life
    }

    /// A start with power for so many bytes: the old firmware takes the new one and asks for its trial; the new one
    /// proves itself or does not.
    fn with(mut self, power: u32, proves: bool) -> Life {
        self.flash.power = power;
        self.flash = match start(self.flash) {
            Err(flash) => Flash { power: u32::MAX, ..flash },
            Ok((Runs::Old, mut updates)) => {
                assert!(!self.settled, "what has proven itself stays");
                send(&mut updates, firmware(&NEW), &NEW);
                flash_of(updates)
            }
            Ok((Runs::New, mut updates)) => {
                let state = updates.on_step(UpdateStep::Ask);
                assert!(self.proved || state == UpdateState::OnTrial, "{state:?} and never proved");
                self.proved |= proves;
                updates.poll(proves, Millis(0));
                self.settled |= updates.on_step(UpdateStep::Ask) == UpdateState::Settled;
                flash_of(updates)
            }
        };
        self
    }
}

#[test]
fn a_new_firmware_is_tried_and_stays_when_it_proves_itself() {
    let (_, mut updates) = start(burnt(1)).ok().unwrap();
    assert_eq!(updates.on_step(UpdateStep::Ask), UpdateState::Settled);
    assert_eq!(send(&mut updates, firmware(&NEW), &NEW), UpdateState::Restarts);
    let (runs, mut updates) = start(flash_of(updates)).ok().unwrap();
    assert_eq!((runs, updates.on_step(UpdateStep::Ask)), (Runs::New, UpdateState::OnTrial));
    let refused = UpdateState::Refused(UpdateRefusal::OnTrial);
    assert_eq!(updates.on_step(UpdateStep::Offer(firmware(&OLD))), refused);
    assert!(!updates.poll(true, Millis(10_000)));
    assert_eq!(updates.on_step(UpdateStep::Ask), UpdateState::Settled);
    for _ in 0..3 {
        let (runs, after) = start(flash_of(updates)).ok().unwrap();
        assert_eq!(runs, Runs::New);
        updates = after;
    }
    assert_eq!(send(&mut updates, firmware(&OLD), &OLD), UpdateState::Restarts, "and back again");
    assert_eq!(start(flash_of(updates)).ok().unwrap().0, Runs::Old);
}

#[test]
fn a_firmware_that_does_not_prove_itself_in_its_time_or_is_reset_before_is_given_back() {
    let (_, mut updates) = start(burnt(2)).ok().unwrap();
    send(&mut updates, firmware(&NEW), &NEW);
    let (runs, mut updates) = start(flash_of(updates)).ok().unwrap();
    assert_eq!(runs, Runs::New);
    assert!(!updates.poll(false, Millis(TRIAL.0 - 1)));
    assert!(updates.poll(false, TRIAL), "it is to restart");
    for _ in 0..2 {
        let (runs, mut after) = start(flash_of(updates)).ok().unwrap();
        assert_eq!((runs, after.on_step(UpdateStep::Ask)), (Runs::Old, UpdateState::GivenBack));
        assert!(!after.poll(false, TRIAL));
        updates = after;
    }
    assert_eq!(send(&mut updates, firmware(&NEW), &NEW), UpdateState::Restarts, "it may be tried again");
}

#[test]
fn what_is_made_for_another_device_has_no_room_or_was_not_offered_is_refused() {
    let (_, mut updates) = start(burnt(3)).ok().unwrap();
    let refused = |state, why| assert_eq!(state, UpdateState::Refused(why));
    let sound = firmware(&NEW);
    for target in [
        Target { hardware: 2, ..TARGET },
        Target { shared_line: true, ..TARGET },
        Target { capabilities: Capabilities { board: None, clock: false }, ..TARGET },
    ] {
        let offer = UpdateStep::Offer(Firmware { target, ..sound });
        refused(updates.on_step(offer), UpdateRefusal::OtherTarget);
    }
    for length in [0, PART + 1] {
        refused(updates.on_step(UpdateStep::Offer(Firmware { length, ..sound })), UpdateRefusal::Length);
    }
    let chunk = Chunk::new(&[0; 64]).unwrap();
    refused(updates.on_step(UpdateStep::Bytes { at: 0, chunk }), UpdateRefusal::NotOffered);
    refused(updates.on_step(UpdateStep::Try), UpdateRefusal::NotOffered);
    updates.on_step(UpdateStep::Offer(sound));
    refused(updates.on_step(UpdateStep::Try), UpdateRefusal::Incomplete);
    assert_eq!(updates.on_step(UpdateStep::Forget), UpdateState::Settled);
    updates.on_step(UpdateStep::Offer(Firmware { length: 63, ..sound }));
    refused(updates.on_step(UpdateStep::Bytes { at: 0, chunk }), UpdateRefusal::Length);
    assert_eq!(runs(&flash_of(updates)), Some(Runs::Old));
}

#[test]
fn bytes_that_were_damaged_on_the_way_are_not_tried() {
    let (_, mut updates) = start(burnt(4)).ok().unwrap();
    let mut damaged = NEW.clone();
    damaged[400] ^= 4;
    let state = send(&mut updates, firmware(&NEW), &damaged);
    assert_eq!(state, UpdateState::Refused(UpdateRefusal::Damaged));
    assert_eq!(start(flash_of(updates)).ok().unwrap().0, Runs::Old);
}

#[test]
fn bytes_that_come_twice_or_too_early_change_nothing_and_an_offer_that_is_repeated_goes_on() {
    let (_, mut updates) = start(burnt(5)).ok().unwrap();
    let sound = firmware(&NEW);
    updates.on_step(UpdateStep::Offer(sound));
    let bytes =
        |at: usize| UpdateStep::Bytes { at: at as u32, chunk: Chunk::new(&NEW[at..at + 64]).unwrap() };
    for (step, next) in [
        (bytes(0), 64),
        (bytes(0), 64),
        (bytes(128), 64),
        (UpdateStep::Offer(sound), 64),
        (UpdateStep::Ask, 64),
        (bytes(64), 128),
        (UpdateStep::Offer(firmware(&OLD)), 0),
        (UpdateStep::Offer(sound), 0),
    ] {
        assert_eq!(updates.on_step(step), UpdateState::Coming { next }, "{step:?}");
    }
    assert_eq!(send(&mut updates, sound, &NEW), UpdateState::Restarts);
    assert_eq!(updates.on_step(UpdateStep::Try), UpdateState::Restarts, "its answer was lost");
    assert_eq!(start(flash_of(updates)).ok().unwrap().0, Runs::New);
}

/// Every cut of a whole update once, and then it goes on undisturbed. `start` asserts that what runs is whole.
#[test]
fn whatever_write_or_erasure_the_power_goes_at_the_next_start_runs_the_old_or_the_new_firmware_whole() {
    let mut cuts = 0;
    for (seed, trials) in (0..).zip([0, 1, 2, 3]) {
        // What comes, is given a trial and proves itself.
        let mut life = Life::after_trials(trials, seed);
        for _ in 0..3 {
            let uncut = life.clone().with(u32::MAX, true);
            for power in 0.. {
                let mut cut = life.clone().with(power, true);
                if cut.flash.bytes == uncut.flash.bytes {
                    break;
                }
                cuts += 1;
                for _ in 0..4 {
                    cut = cut.with(u32::MAX, true);
                }
                assert!(cut.settled, "cut at {power}: the update comes to its end");
            }
            life = uncut;
        }
    }
    assert!(cuts > 4 * 1_400, "{cuts} cuts");
}

/// Cuts upon cuts, trials passed and not.
#[test]
fn a_device_whose_power_goes_again_and_again_runs_a_whole_firmware_and_keeps_only_what_has_proven_itself() {
    let (mut settled, mut cuts) = (0, 0);
    for seed in 0..3_000 {
        let mut dice = Dice(seed);
        let mut life = Life::after_trials(dice.below(4), seed.wrapping_mul(31));
        for _ in 0..12 {
            let power = [8, 100, 700, 3_000][dice.below(4) as usize];
            let (power, proves) = (dice.below(power), dice.below(3) == 0);
            let uncut = life.clone().with(u32::MAX, proves);
            life = life.with(power, proves);
            cuts += u32::from(life.flash.bytes != uncut.flash.bytes);
        }
        settled += u32::from(life.settled);
    }
    assert!(settled > 300 && cuts > 10_000, "{settled} settled, {cuts} cuts");
}
