//! What a clock's two faces show: four signs, a colon, a decimal point and a light for each half.
//!
//! A face of seven segments has no room for hours, minutes and seconds at once, so the longer the time the coarser it is
//! told. It is rounded up: zero is shown only when nothing is left.

use firmware_proto::{ByHalf, ClockFace, Half, Millis};

/// From so many minutes on hours and minutes are shown …
const HOURS_FROM: u32 = 100;
/// … and up to so many milliseconds seconds and tenths.
const TENTHS_UP_TO: u32 = 20_000;
/// The longest time that four signs can tell, ms: 9 hours and 59 minutes.
const LONGEST: u32 = (10 * 3_600 - 1) * 1_000;
/// The colon of the time that runs is dark while its second has more than this left, ms.
const BLINK: u32 = 500;

/// One place of a face.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sign {
    /// Nothing.
    #[default]
    Blank,
    /// A figure, 0 to 9.
    Digit(u8),
    /// A bar: there is no time.
    Bar,
    /// The h between hours and minutes.
    Hours,
    /// The F of a flag that fell.
    Flag,
}

impl Sign {
    /// Which of the seven segments are lit: bit 0 is a (above), then clockwise b to f, bit 6 is g (the middle).
    #[must_use]
    pub const fn segments(self) -> u8 {
        /// Of the figures 0 to 9.
        const DIGITS: [u8; 10] = [0x3f, 0x06, 0x5b, 0x4f, 0x66, 0x6d, 0x7d, 0x07, 0x7f, 0x6f];
        match self {
            Sign::Blank => 0,
            Sign::Digit(digit) => DIGITS[digit as usize % 10],
            Sign::Bar => 0x40,
            Sign::Hours => 0x74,
            Sign::Flag => 0x71,
        }
    }
}

/// What one half's face shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShownTime {
    /// Its four places, from left to right.
    pub signs: [Sign; 4],
    /// Between the second and the third place.
    pub colon: bool,
    /// After the third place.
    pub point: bool,
    /// It is this half's turn; on both faces: an arbiter stopped the clock.
    pub light: bool,
}

/// How a clock stands, as far as its faces tell it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standing {
    pub(crate) face: ClockFace,
    /// Somebody set it.
    pub(crate) set: bool,
    /// An arbiter stopped it.
    pub(crate) paused: bool,
    pub(crate) fallen: ByHalf<bool>,
}

impl Standing {
    /// What both faces show.
    pub(crate) fn shown(self) -> ByHalf<ShownTime> {
        ByHalf { a: self.of(Half::A), b: self.of(Half::B) }
    }

    fn of(self, half: Half) -> ShownTime {
        let ClockFace { left, running } = self.face;
        if !self.set {
            return ShownTime { signs: [Sign::Bar; 4], ..ShownTime::default() };
        }
        let runs = running == Some(half);
        let shown = if self.fallen[half] { FALLEN } else { time(left[half]) };
        let dark = runs && !self.fallen[half] && left[half].0 % 1_000 >= BLINK;
        ShownTime { colon: shown.colon && !dark, light: runs || self.paused, ..shown }
    }
}

/// A flag that fell: no time is left, and that is final.
const FALLEN: ShownTime = ShownTime {
    signs: [Sign::Flag, Sign::Digit(0), Sign::Digit(0), Sign::Digit(0)],
    colon: true,
    point: false,
    light: false,
};

fn time(left: Millis) -> ShownTime {
    let left = left.0.min(LONGEST);
    let digit = |number: u32| Sign::Digit((number % 10) as u8);
    // No noughts before the first figure that counts.
    let leading = |number: u32| if number == 0 { Sign::Blank } else { digit(number) };
    let none = ShownTime::default();
    if left <= TENTHS_UP_TO {
        let tenths = left.div_ceil(100);
        let signs = [Sign::Blank, leading(tenths / 100), digit(tenths / 10), digit(tenths)];
        return ShownTime { signs, point: true, ..none };
    }
    let seconds = left.div_ceil(1_000);
    let minutes = seconds / 60;
    if minutes >= HOURS_FROM {
        let signs = [digit(minutes / 60), Sign::Hours, digit(minutes % 60 / 10), digit(minutes % 60)];
        return ShownTime { signs, ..none };
    }
    let signs = [leading(minutes / 10), digit(minutes), digit(seconds % 60 / 10), digit(seconds)];
    ShownTime { signs, colon: true, ..none }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A face as one reads it: `^` is its light.
    fn read(shown: ShownTime) -> String {
        let mut text = String::new();
        for (place, sign) in shown.signs.into_iter().enumerate() {
            if place == 2 && shown.colon {
                text.push(':');
            }
            if place == 3 && shown.point {
                text.push('.');
            }
            text.push(match sign {
                Sign::Blank => ' ',
                Sign::Digit(digit) => char::from(b'0' + digit),
                Sign::Bar => '-',
                Sign::Hours => 'h',
                Sign::Flag => 'F',
            });
        }
        if shown.light {
            text.push('^');
        }
        text
    }

    fn standing(a: u32, b: u32, running: Option<Half>) -> Standing {
        let face = ClockFace { left: ByHalf { a: Millis(a), b: Millis(b) }, running };
        Standing { face, set: true, paused: false, fallen: ByHalf { a: false, b: false } }
    }

    fn both(standing: Standing) -> (String, String) {
        let ByHalf { a, b } = standing.shown();
        (read(a), read(b))
    }

    #[test]
    fn a_time_is_shown_as_fine_as_four_places_allow_and_rounded_up() {
        for (left, shown) in [
            (36_000_000, "9h59"),
            (7_200_000, "2h00"),
            (7_199_000, "1h59"),
            (6_000_000, "1h40"),
            (5_999_999, "1h40"),
            (5_999_000, "99:59"),
            (3_600_000, "60:00"),
            (3_599_999, "60:00"),
            (540_001, " 9:01"),
            (59_000, " 0:59"),
            (20_001, " 0:21"),
            (20_000, " 20.0"),
            (19_901, " 20.0"),
            (9_900, "  9.9"),
            (1, "  0.1"),
            (0, "  0.0"),
        ] {
            assert_eq!(read(time(Millis(left))), shown, "{left} ms");
        }
    }

    #[test]
    fn the_half_whose_time_runs_has_its_light_and_a_colon_that_blinks() {
        assert_eq!(both(standing(60_000, 90_000, Some(Half::A))), (" 1:00^".into(), " 1:30".into()));
        assert_eq!(both(standing(59_700, 90_000, Some(Half::A))), (" 100^".into(), " 1:30".into()));
        assert_eq!(both(standing(59_499, 90_700, Some(Half::A))), (" 1:00^".into(), " 1:31".into()));
    }

    #[test]
    fn a_clock_that_waits_has_no_light_and_one_that_an_arbiter_stopped_has_both() {
        let waiting = standing(60_700, 60_700, None);
        assert_eq!(both(waiting), (" 1:01".into(), " 1:01".into()));
        let paused = Standing { paused: true, ..waiting };
        assert_eq!(both(paused), (" 1:01^".into(), " 1:01^".into()));
    }

    #[test]
    fn a_fallen_flag_is_told_apart_from_no_time_and_from_a_clock_that_was_never_set() {
        let fallen = ByHalf { a: true, b: false };
        let flag = Standing { fallen, ..standing(0, 5_000, Some(Half::A)) };
        assert_eq!(both(flag), ("F0:00^".into(), "  5.0".into()));
        let unset = Standing { set: false, fallen: ByHalf { a: true, b: true }, ..standing(0, 0, None) };
        assert_eq!(both(unset), ("----".into(), "----".into()));
    }

    #[test]
    fn no_two_signs_look_alike() {
        let digits = (0..10).map(Sign::Digit);
        let all: Vec<u8> = [Sign::Blank, Sign::Bar, Sign::Hours, Sign::Flag]
            .into_iter()
            .chain(digits)
            .map(Sign::segments)
            .collect();
        for (index, one) in all.iter().enumerate() {
            assert!(!all[..index].contains(one), "{one:#x}");
        }
    }
}
