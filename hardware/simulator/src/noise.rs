//! How clumsy hands and how bad sensors are: the noise profiles.
//!
//! Probabilities and times are assumptions (nobody measured them on people or on this board); the profiles are
//! named in the README with what each leaves out.

use crate::incidents::Incidents;

/// Probabilities per ply, game or minute, and times in ms, of everything that hands and sensors do wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Noise {
    /// Its name.
    pub name: &'static str,
    /// Median of the think time, s (log-normal, sigma 0.8).
    pub think: f64,
    /// From lifting to placing, ms.
    pub gesture: (i64, i64),
    /// Slides of chariots, cannons and soldiers, per line move without capture.
    pub slide: f64,
    /// Slides of other pieces.
    pub slide_other: f64,
    /// How long a sliding piece rests on each point it crosses, ms.
    pub dwell: (i64, i64),
    /// Put on another legal point first, per ply.
    pub hesitate: f64,
    /// How long it rests there, ms.
    pub hesitate_for: (i64, i64),
    /// Picked up and put back, per ply.
    pub put_back: f64,
    /// Capture gestures: attacker first, victim first; the rest swaps in place.
    pub capture: (f64, f64),
    /// In a swap: the captured piece is dragged over a neighbouring point.
    pub dragged: f64,
    /// Pieces adjusted (j'adoube), per ply.
    pub adjust: f64,
    /// A placed piece stands so far off that it is not sensed, per ply.
    pub off_centre: f64,
    /// Of those, not sensed for a moment even when it was put down.
    pub unsensed: f64,
    /// A contact bounces, per transition.
    pub bounce: f64,
    /// Mean time between pieces seen where none stands, ms; 0: never.
    pub ghost: f64,
    /// Mean time between pieces not seen for a moment, ms; 0: never.
    pub flicker: f64,
    /// The board is knocked over, per game.
    pub knock_over: f64,
    /// From placing to pressing, ms.
    pub press: (i64, i64),
    /// The press is forgotten (half: late; half: never), per ply.
    pub forget_press: f64,
    /// Pressed before the piece stands, per ply.
    pub press_early: f64,
    /// The opponent lifts before the press, per ply.
    pub start_early: f64,
    /// A record gets lost without anybody noticing, per record; the image is asked for every 5 s then.
    pub loss: f64,
    /// Whether one point of the board is dead all the time.
    pub dead: Dead,
    /// Whether there is a clock.
    pub clock: bool,
    /// What goes wrong beyond that.
    pub incidents: Incidents,
}

/// A dead sensing point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dead {
    /// None.
    No,
    /// One, and the board does not know.
    Unknown,
    /// One, and the board's self-test has told.
    Known,
}

impl Noise {
    /// The names of all profiles.
    pub const NAMES: [&'static str; 10] = ["N0", "N1", "N2", "N3", "N3K", "N4", "N5", "N6", "N7", "N8"];

    /// Hands and sensors of the profile of this name, without incidents.
    #[must_use]
    pub fn named(name: &str) -> Option<Noise> {
        let noise = match name {
            "N0" => Noise::clean(),
            "N1" => Noise::rapid(),
            "N2" => Noise::scramble(),
            "N3" => Noise { dead: Dead::Unknown, ..Noise::rapid() },
            "N3K" => Noise { dead: Dead::Known, ..Noise::rapid() },
            "N4" => Noise { loss: 0.005, ..Noise::rapid() },
            "N5" => Noise { loss: 0.01, dead: Dead::Known, ..Noise::scramble() },
            "N6" => Noise::harsh(),
            "N7" => Noise { clock: false, ..Noise::rapid() },
            "N8" => Noise { unsensed: 1.0, ..Noise::rapid() },
            _ => return None,
        };
        Noise::NAMES.into_iter().find(|known| *known == name).map(|name| Noise { name, ..noise })
    }

    /// The profile of this name with its incidents: they need an arbiter who puts right what went wrong.
    #[must_use]
    pub fn whole(name: &str) -> Option<Noise> {
        let incidents = match name {
            "N0" => Incidents::NONE,
            "N1" | "N3" | "N3K" | "N4" | "N7" | "N8" => Incidents::rapid(),
            "N2" | "N5" => Incidents::scramble(),
            "N6" => Incidents::harsh(),
            _ => return None,
        };
        Some(Noise { incidents, ..Noise::named(name)? })
    }

    /// N0: tidy players, perfect sensors.
    fn clean() -> Noise {
        Noise {
            name: "N0",
            think: 10.0,
            gesture: (250, 900),
            slide: 0.0,
            slide_other: 0.0,
            dwell: (30, 120),
            hesitate: 0.0,
            hesitate_for: (300, 1_500),
            put_back: 0.0,
            capture: (0.7, 0.3),
            dragged: 0.0,
            adjust: 0.0,
            off_centre: 0.0,
            unsensed: 0.0,
            bounce: 0.0,
            ghost: 0.0,
            flicker: 0.0,
            knock_over: 0.0,
            press: (150, 900),
            forget_press: 0.0,
            press_early: 0.0,
            start_early: 0.0,
            loss: 0.0,
            dead: Dead::No,
            clock: true,
            incidents: Incidents::NONE,
        }
    }

    /// N1: rapid play, as in most events.
    fn rapid() -> Noise {
        Noise {
            name: "N1",
            think: 12.0,
            slide: 0.25,
            slide_other: 0.05,
            hesitate: 0.02,
            put_back: 0.03,
            capture: (0.55, 0.25),
            dragged: 0.10,
            adjust: 0.03,
            off_centre: 0.003,
            bounce: 0.10,
            ghost: 30.0 * MINUTE,
            flicker: 10.0 * MINUTE,
            knock_over: 0.02,
            forget_press: 0.005,
            press_early: 0.01,
            ..Noise::clean()
        }
    }

    /// N2: both in time trouble.
    fn scramble() -> Noise {
        Noise {
            name: "N2",
            think: 1.5,
            gesture: (110, 400),
            slide: 0.50,
            slide_other: 0.10,
            dwell: (14, 54),
            hesitate: 0.03,
            put_back: 0.01,
            capture: (0.50, 0.15),
            adjust: 0.01,
            off_centre: 0.008,
            bounce: 0.15,
            ghost: 15.0 * MINUTE,
            flicker: 5.0 * MINUTE,
            knock_over: 0.10,
            press: (70, 400),
            forget_press: 0.03,
            press_early: 0.04,
            start_early: 0.10,
            ..Noise::rapid()
        }
    }

    /// N6: a scramble on a bad board.
    fn harsh() -> Noise {
        Noise {
            name: "N6",
            hesitate: 0.06,
            adjust: 0.05,
            off_centre: 0.03,
            ghost: MINUTE,
            flicker: 0.5 * MINUTE,
            knock_over: 0.50,
            forget_press: 0.10,
            press_early: 0.10,
            ..Noise::scramble()
        }
    }
}

const MINUTE: f64 = 60_000.0;
