//! The clock's two faces: one driver chip of the TM1638 kind for eight digits, colons and lights.
//!
//! No pin of the controller is left for them. They listen to two lines of the board's rows, but only while the row of
//! contacts is low: with that strobe high the chip ignores its clock, and in the short pulses in which contacts are read
//! the clock stands still.

use device::{ShownTime, Sign};
use embassy_rp::gpio::Output;
use firmware_proto::{ByHalf, Half, Millis};

/// Half a bit, in cycles of 8 ns: half the speed that the chip takes, and all of it takes 0.3 ms.
const HALF_BIT: u32 = 125;

/// The faces are told again so often although nothing changed: a chip that was disturbed is right again then.
const AGAIN: Millis = Millis(1_000);

/// Commands of the chip.
const WRITE: u8 = 0x40;
const FIRST_ADDRESS: u8 = 0xc0;
/// On, a quarter of the time: enough for a room, and the faces take less than 55 mA.
const ON: u8 = 0x8a;

/// Digits of both faces.
const DIGITS: usize = 8;
/// The chip's memory: two bytes for each digit.
type Memory = [u8; 2 * DIGITS];
/// The point beside a digit.
const POINT: u8 = 0x80;
/// The ninth segment, in the second byte: a face's light at its first digit, its colon's dots at the two after it.
const NINTH: u8 = 0x01;

/// The lines of the rows that the faces listen to.
pub struct FaceLines<'a> {
    pub clock: &'a mut Output<'static>,
    pub data: &'a mut Output<'static>,
}

/// What the faces were told last, and when.
pub struct Faces {
    told: Option<(Memory, Millis)>,
}

impl Faces {
    pub const fn new() -> Faces {
        Faces { told: None }
    }

    /// Tells them what to show, if that is another thing than before or long ago. `strobe` is the row of contacts.
    pub fn show(
        &mut self,
        strobe: &mut Output<'static>,
        lines: FaceLines<'_>,
        shown: &ByHalf<ShownTime>,
        now: Millis,
    ) {
        let memory = memory(shown);
        if self.told.is_some_and(|(told, at)| told == memory && now.since(at) < AGAIN) {
            return;
        }
        self.told = Some((memory, now));
        let mut bus = Bus { strobe, lines };
        bus.tell(WRITE, &[]);
        bus.tell(FIRST_ADDRESS, &memory);
        bus.tell(ON, &[]);
    }
}

/// Half A's digits from left to right, then half B's.
fn memory(shown: &ByHalf<ShownTime>) -> Memory {
    let mut memory = [0; 2 * DIGITS];
    for (half, bytes) in Half::ALL.into_iter().zip(memory.chunks_exact_mut(DIGITS)) {
        let ShownTime { signs, colon, point, light } = shown[half];
        let ninth = [light, colon, colon, false];
        let points = [false, false, point, false];
        for (digit, bytes) in bytes.chunks_exact_mut(2).enumerate() {
            bytes[0] = Sign::segments(signs[digit]) | if points[digit] { POINT } else { 0 };
            bytes[1] = if ninth[digit] { NINTH } else { 0 };
        }
    }
    memory
}

struct Bus<'a> {
    strobe: &'a mut Output<'static>,
    lines: FaceLines<'a>,
}

impl Bus<'_> {
    /// One command and what belongs to it, lowest bits first; a bit counts when the clock rises.
    fn tell(&mut self, command: u8, bytes: &[u8]) {
        self.lines.clock.set_high();
        self.strobe.set_low();
        cortex_m::asm::delay(HALF_BIT);
        for byte in core::iter::once(command).chain(bytes.iter().copied()) {
            for bit in 0..8 {
                self.lines.clock.set_low();
                self.lines.data.set_level((byte >> bit & 1 == 1).into());
                cortex_m::asm::delay(HALF_BIT);
                self.lines.clock.set_high();
                cortex_m::asm::delay(HALF_BIT);
            }
        }
        self.strobe.set_high();
        cortex_m::asm::delay(HALF_BIT);
    }
}
