//! A device under any script of update steps, cut by power losses at any byte: what is started is always the firmware from
//! before or one that was offered and came whole. And files of firmware: what is read from any bytes is written as them.
#![no_main]

use std::collections::BTreeSet;

use arbitrary::Arbitrary;
use device::model_flash::{Dice, ModelFlash};
use device::{FlashFailed, Layout, Slots, TRIAL, Updates, prepare_boot};
use firmware_proto::{Capabilities, Chunk, Firmware, Millis, Target, UpdateStep};
use libfuzzer_sys::fuzz_target;
use sha2::{Digest, Sha256};

const PAGE: usize = 128;
const PART: u32 = 5 * PAGE as u32;
const TARGET: Target =
    Target { hardware: 1, capabilities: Capabilities { board: None, clock: true }, shared_line: false };
const OLD: [u8; 300] = [0x5a; 300];

type Flash = ModelFlash<PAGE>;

fn layout() -> Layout {
    let log = 3 * PART..3 * PART + 2 * PAGE as u32;
    Layout { running: 0..PART, coming: PART..2 * PART, former: 2 * PART..3 * PART, log }
}

#[derive(Arbitrary, Debug)]
enum Step {
    Ask,
    /// A firmware of these bytes, told rightly.
    Offer(Vec<u8>),
    /// One that is told wrongly, or for something else.
    OfferWrong { hardware: u16, length: u32, sha256: [u8; 32] },
    /// The bytes of what was offered rightly from here on, as many as fit into a chunk.
    Right { at: u16 },
    Bytes { at: u32, bytes: Vec<u8> },
    Try,
    Forget,
    /// Time passes.
    Poll { proven: bool, late: bool },
    /// It is started again, and the power goes after so many bytes more.
    Cut { after: u8 },
    Restart,
}

#[derive(Arbitrary, Debug)]
struct Script {
    dice: u64,
    steps: Vec<Step>,
}

/// Starts until the power lasts; what runs then is what ran before, or had come whole.
fn boot(flash: &mut Flash, came: &BTreeSet<Vec<u8>>) {
    while let Err(FlashFailed) = prepare_boot(&mut Slots::new(&mut *flash, layout())) {
        flash.power = u32::MAX;
    }
    let running = &flash.bytes[..PART as usize];
    let runs = |bytes: &[u8]| {
        running.strip_prefix(bytes).is_some_and(|rest| rest.iter().all(|byte| *byte == 0xff))
    };
    assert!(runs(&OLD) || came.iter().any(|bytes| runs(bytes)), "what is started is whole");
}

/// What a step asks of the device, if it asks anything; `right`: what was offered last and told rightly.
fn asked(step: &Step, right: &[u8]) -> Option<UpdateStep> {
    Some(match step {
        Step::Ask => UpdateStep::Ask,
        Step::Offer(bytes) => UpdateStep::Offer(Firmware::of_bytes(TARGET, 2, bytes)),
        Step::OfferWrong { hardware, length, sha256 } => {
            let target = Target { hardware: *hardware, ..TARGET };
            UpdateStep::Offer(Firmware { target, version: 3, length: *length, sha256: *sha256 })
        }
        Step::Right { at } => {
            let rest = right.get(usize::from(*at)..)?;
            UpdateStep::Bytes { at: (*at).into(), chunk: Chunk::new(&rest[..rest.len().min(Chunk::MOST)])? }
        }
        Step::Bytes { at, bytes } => UpdateStep::Bytes { at: *at, chunk: Chunk::new(bytes)? },
        Step::Try => UpdateStep::Try,
        Step::Forget => UpdateStep::Forget,
        Step::Poll { .. } | Step::Cut { .. } | Step::Restart => return None,
    })
}

fn run(Script { dice, steps }: Script) {
    let mut flash = Flash::of_pages(3 * 5 + 2);
    flash.bytes[..OLD.len()].copy_from_slice(&OLD);
    flash.dice = Some(Dice(dice));
    let (mut came, mut right) = (BTreeSet::new(), Vec::new());
    let mut steps = steps.into_iter().peekable();
    while steps.peek().is_some() {
        boot(&mut flash, &came);
        let mut updates = Updates::new(Slots::new(&mut flash, layout()), TARGET);
        let mut cut = None;
        for step in steps.by_ref() {
            match &step {
                Step::Offer(bytes) => {
                    right.clone_from(bytes);
                    came.insert(bytes.clone());
                }
                Step::Poll { proven, late } => {
                    let _restart = updates.poll(*proven, if *late { TRIAL } else { Millis(0) });
                }
                Step::Cut { after } => cut = Some(u32::from(*after)),
                Step::Ask
                | Step::OfferWrong { .. }
                | Step::Right { .. }
                | Step::Bytes { .. }
                | Step::Try
                | Step::Forget
                | Step::Restart => {}
            }
            if let Some(asked) = asked(&step, &right) {
                let _answer = updates.on_step(asked);
            }
            if matches!(step, Step::Restart | Step::Cut { .. }) {
                break;
            }
        }
        flash.power = cut.unwrap_or(u32::MAX);
    }
    boot(&mut flash, &came);
}

fuzz_target!(|input: (Script, &[u8])| {
    let (script, file) = input;
    run(script);
    if let Ok((firmware, bytes)) = Firmware::from_file(file) {
        assert_eq!(<[u8; 32]>::from(Sha256::digest(bytes)), firmware.sha256);
        assert_eq!(Firmware::from_file(&firmware.to_file(bytes)), Ok((firmware, bytes)));
    }
});
