//! A clock is given another firmware over its line: it tries it, keeps it, gives a bad one back, and starts whole
//! wherever the power goes on the way.

use std::path::Path;
use std::time::Duration;

use firmware_proto::{
    Chunk, CmdId, Command, Firmware, FromDevice, Half, Hello, ResetCause, Seq, Target, ToDevice,
    UpdateRefusal, UpdateState, UpdateStep,
};

use crate::controller::{Controller, Heard};
use crate::firmware;

/// A step that was not answered for so long is sent again.
const ANSWER: Duration = Duration::from_secs(4);

/// Chunks that are on their way at once.
const AHEAD: usize = 4;

/// A firmware's file, as `tests/run firmware` makes it.
fn file(path: &Path) -> (Firmware, Vec<u8>) {
    let file = std::fs::read(path).unwrap();
    let (firmware, bytes) = Firmware::from_file(&file).unwrap();
    (firmware, bytes.to_vec())
}

/// The power went before there was an answer.
#[derive(Debug)]
struct PowerGone;

/// The gateway's part.
struct Host {
    clock: Controller,
}

impl Host {
    /// A greeting; all records up to it are acknowledged.
    fn greeted(&mut self) -> Hello {
        let hello = self.clock.hello();
        self.clock.say(ToDevice::Ack { boot: hello.boot, upto: Seq(hello.next.0 - 1) });
        hello
    }

    /// The next answer to a step, if there is one in time; records are acknowledged.
    fn answer(&mut self) -> Result<Option<UpdateState>, PowerGone> {
        let until = self.clock.now() + ANSWER;
        while let Some(heard) = self.clock.next(until.saturating_sub(self.clock.now())) {
            match heard {
                Heard::Says(FromDevice::Update(state)) => return Ok(Some(state)),
                Heard::Says(FromDevice::Record(boot, record)) => {
                    self.clock.say(ToDevice::Ack { boot, upto: record.seq });
                }
                Heard::Says(_) => {}
                Heard::PowerGone => return Err(PowerGone),
            }
        }
        Ok(None)
    }

    /// The answer to a step, which is sent until there is one.
    fn step(&mut self, step: UpdateStep) -> UpdateState {
        for _ in 0..30 {
            self.clock.say(ToDevice::Update(step));
            if let Some(state) = self.answer().expect("nobody cut the power") {
                return state;
            }
        }
        panic!("no answer to {step:?}");
    }

    /// Sends a firmware, a few chunks ahead.
    fn send(&mut self, firmware: Firmware, bytes: &[u8]) -> Result<(), PowerGone> {
        let UpdateState::Coming { next } = self.step(UpdateStep::Offer(firmware)) else {
            panic!("it is not taken")
        };
        let (mut next, mut sent) = (next as usize, next as usize);
        while next < bytes.len() {
            let ahead = bytes.len().min(next + AHEAD * Chunk::MOST);
            for chunk in bytes[sent.min(ahead)..ahead].chunks(Chunk::MOST) {
                let step = UpdateStep::Bytes { at: sent as u32, chunk: Chunk::new(chunk).unwrap() };
                self.clock.say(ToDevice::Update(step));
                sent += chunk.len();
            }
            match self.answer()? {
                Some(UpdateState::Coming { next: now }) => next = now as usize,
                Some(state) => panic!("{state:?}"),
                // Chunks were lost while the flash was erased.
                None => sent = next,
            }
        }
        Ok(())
    }
}

#[test]
fn a_clock_tries_another_firmware_keeps_it_gives_a_bad_one_back_and_is_whole_wherever_the_power_goes() {
    let Some((emulator, elf)) = firmware() else { return };
    let (new, new_bytes) = file(&elf.join("clock-next.firmware"));
    let (old, old_bytes) = file(&elf.join("clock.firmware"));
    let mut host = Host { clock: Controller::start(&emulator, &elf.join("clock"), "c400000200000064") };
    assert_eq!(host.greeted().firmware, old.version);
    assert_eq!(host.step(UpdateStep::Ask), UpdateState::Settled);

    // For a board, for another revision, or while a time runs: no.
    let other = Target { hardware: 2, ..new.target };
    let offer = UpdateStep::Offer(Firmware { target: other, ..new });
    assert_eq!(host.step(offer), UpdateState::Refused(UpdateRefusal::OtherTarget));
    host.clock.say(ToDevice::Command(CmdId(1), Command::Run(Half::A)));
    assert_eq!(host.step(UpdateStep::Offer(new)), UpdateState::Refused(UpdateRefusal::GameOn));
    host.clock.say(ToDevice::Command(CmdId(2), Command::Pause));

    // A new one is tried and kept.
    host.send(new, &new_bytes).unwrap();
    assert_eq!(host.step(UpdateStep::Try), UpdateState::Restarts);
    let hello = host.greeted();
    assert_eq!((hello.firmware, hello.reset), (new.version, ResetCause::Asked));
    assert_eq!(settled(&mut host), UpdateState::Settled);

    // One that hangs is given back by the watchdog.
    let hangs = hangs(&new_bytes);
    host.send(Firmware::of_bytes(new.target, 3, &hangs), &hangs).unwrap();
    assert_eq!(host.step(UpdateStep::Try), UpdateState::Restarts);
    let hello = host.greeted();
    assert_eq!((hello.firmware, hello.reset), (new.version, ResetCause::Watchdog));
    assert_eq!(host.step(UpdateStep::Ask), UpdateState::GivenBack);

    // The power goes while the old one comes, and while it is put in the new one's place.
    host.clock.bench("power 0 cut 5000");
    host.send(old, &old_bytes).expect_err("the power goes while bytes come");
    host.clock.bench("power 0 on");
    assert_eq!(host.greeted().firmware, new.version);
    // Half of what runs is saved; half of what came is put in its place. The change is brought to its end.
    let size = old_bytes.len() as u32;
    for (cut, firmware, bytes) in [(size / 2, old, &old_bytes), (size * 3 / 2, new, &new_bytes)] {
        host.send(firmware, bytes).unwrap();
        host.clock.bench(&format!("power 0 cut {cut}"));
        host.clock.say(ToDevice::Update(UpdateStep::Try));
        host.clock.wait_for("the cut", |heard| matches!(heard, Heard::PowerGone).then_some(()));
        host.clock.bench("power 0 on");
        assert_eq!(host.greeted().firmware, firmware.version, "cut at {cut}");
        assert_eq!(settled(&mut host), UpdateState::Settled);
    }
    // While it is tried.
    host.send(old, &old_bytes).unwrap();
    assert_eq!(host.step(UpdateStep::Try), UpdateState::Restarts);
    assert_eq!(host.clock.hello().firmware, old.version);
    host.clock.bench("power 0 off\npower 0 on");
    assert_eq!(host.greeted().firmware, new.version);
    assert_eq!(host.step(UpdateStep::Ask), UpdateState::GivenBack);
}

/// What a trial comes to.
fn settled(host: &mut Host) -> UpdateState {
    (0..100)
        .map(|_| host.step(UpdateStep::Ask))
        .find(|state| *state != UpdateState::OnTrial)
        .expect("a trial has its end")
}

/// The same firmware with an endless loop in the place of its beginning.
fn hangs(bytes: &[u8]) -> Vec<u8> {
    /// Wait for an interrupt, and again.
    const LOOP: [u8; 4] = [0x30, 0xbf, 0xfd, 0xe7];
    let reset = u32::from_le_bytes(bytes[4..8].try_into().unwrap());
    // Linked to 64 KiB behind the flash's beginning; the lowest bit says Thumb.
    let at = (reset & !1) as usize - 0x1001_0000;
    let mut hangs = bytes.to_vec();
    hangs[at..at + LOOP.len()].copy_from_slice(&LOOP);
    hangs
}
