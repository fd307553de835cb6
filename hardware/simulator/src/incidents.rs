//! The rows of the noise model that are incidents and no clumsiness: how often each happens. Each is a seeded process
//! of its own: switching one on or off changes no other.

use anyhow::{Context, bail};

/// A row of the noise model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Row {
    /// A point shows a piece for ever from some time on, per game.
    StuckPoint,
    /// A sensor drifts: a point loses its piece more and more often, and then for good, per game.
    FadingPoint,
    /// A piece has a weak magnet, per game.
    WeakPiece,
    /// Two pieces are lifted at once and put back exchanged, per game.
    Exchanged,
    /// An irregular ply (of any kind) is noticed at once and taken back, per game.
    Illegal,
    /// An irregular ply is noticed after one to nine plies and taken back with them, per game.
    IllegalLater,
    /// An irregular ply is never noticed, per game.
    IllegalForGood,
    /// A player presses without having moved, per game.
    EmptyPress,
    /// A board that was knocked over is restored with one piece beside its point, per knock-over.
    WrongRestoration,
    /// An own piece is lifted, put back, and another one played, per game.
    TouchMove,
    /// The pieces are set up wrongly, per game.
    WrongSetUp,
    /// The players analyse on the board after the end, per game.
    AfterGame,
    /// The clocks of two tables are exchanged, per round of 30 tables.
    Cables,
    /// A device's link is down for 2 to 60 s, per table and hour.
    LinkDown,
    /// A board restarts, per table and hour.
    DeviceReset,
    /// The gateway restarts, per hour.
    GatewayRestart,
    /// The server restarts, per hour.
    ServerRestart,
    /// How far the oscillators of clock and board may be off, ppm.
    Drift,
    /// A board is without power for 2 to 30 s and what is played meanwhile is not seen, per table and hour; in no
    /// profile.
    BoardDark,
}

impl Row {
    /// All rows.
    pub const ALL: [Row; 19] = [
        Row::StuckPoint,
        Row::FadingPoint,
        Row::WeakPiece,
        Row::Exchanged,
        Row::Illegal,
        Row::IllegalLater,
        Row::IllegalForGood,
        Row::EmptyPress,
        Row::WrongRestoration,
        Row::TouchMove,
        Row::WrongSetUp,
        Row::AfterGame,
        Row::Cables,
        Row::LinkDown,
        Row::DeviceReset,
        Row::GatewayRestart,
        Row::ServerRestart,
        Row::Drift,
        Row::BoardDark,
    ];

    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Row::StuckPoint => "stuck_point",
            Row::FadingPoint => "fading_point",
            Row::WeakPiece => "weak_piece",
            Row::Exchanged => "exchanged",
            Row::Illegal => "illegal",
            Row::IllegalLater => "illegal_later",
            Row::IllegalForGood => "illegal_for_good",
            Row::EmptyPress => "empty_press",
            Row::WrongRestoration => "wrong_restoration",
            Row::TouchMove => "touch_move",
            Row::WrongSetUp => "wrong_set_up",
            Row::AfterGame => "after_game",
            Row::Cables => "cables",
            Row::LinkDown => "link_down",
            Row::DeviceReset => "device_reset",
            Row::GatewayRestart => "gateway_restart",
            Row::ServerRestart => "server_restart",
            Row::Drift => "drift",
            Row::BoardDark => "board_dark",
        }
    }
}

/// How often incidents happen.
#[derive(Clone, Debug, PartialEq)]
pub struct Incidents {
    rates: [f64; Row::ALL.len()],
}

impl Incidents {
    /// None ever.
    pub const NONE: Incidents = Incidents { rates: [0.0; Row::ALL.len()] };

    /// As in rapid play.
    #[must_use]
    pub fn rapid() -> Incidents {
        Incidents::of([
            0.002, 0.002, 0.005, 0.01, 0.05, 0.01, 0.005, 0.02, 0.05, 0.05, 0.01, 0.7, 0.02, 0.05, 0.01,
            0.01, 0.005, 50.0, 0.0,
        ])
    }

    /// With both players in time trouble.
    #[must_use]
    pub fn scramble() -> Incidents {
        Incidents::of([
            0.002, 0.002, 0.005, 0.05, 0.2, 0.05, 0.02, 0.05, 0.10, 0.1, 0.01, 0.7, 0.02, 0.10, 0.02, 0.02,
            0.01, 50.0, 0.0,
        ])
    }

    /// A scramble on a bad board.
    #[must_use]
    pub fn harsh() -> Incidents {
        Incidents::of([
            0.002, 0.01, 0.02, 0.10, 0.4, 0.10, 0.04, 0.10, 0.20, 0.1, 0.03, 0.7, 0.1, 0.5, 0.1, 0.1, 0.05,
            200.0, 0.0,
        ])
    }

    /// In the order of [`Row::ALL`].
    fn of(rates: [f64; Row::ALL.len()]) -> Incidents {
        Incidents { rates }
    }

    /// How often: a probability, a rate an hour, or ppm, as the row says.
    #[must_use]
    pub fn rate(&self, row: Row) -> f64 {
        self.rates[row as usize]
    }

    /// With this rate instead.
    #[must_use]
    pub fn with(mut self, row: Row, rate: f64) -> Incidents {
        self.rates[row as usize] = rate;
        self
    }

    /// Reads which rows are on: words of which each changes what the ones before it left. `all`: as the profile has
    /// them; `none`; a row's name: as the profile has it; `-name`: off; `name=rate`.
    pub fn read(text: &str, profile: &Incidents) -> anyhow::Result<Incidents> {
        let mut incidents = Incidents::NONE;
        for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            let (name, rate) = match word.split_once('=') {
                Some((name, rate)) => {
                    let rate: f64 = rate.parse().with_context(|| format!("“{word}”: {rate} is no number"))?;
                    if !rate.is_finite() || rate < 0.0 {
                        bail!("“{word}”: a rate is 0 or more");
                    }
                    (name, Some(rate))
                }
                None => (word, None),
            };
            if rate.is_none() && name == "all" {
                incidents = profile.clone();
                continue;
            }
            if rate.is_none() && name == "none" {
                incidents = Incidents::NONE;
                continue;
            }
            let (name, off) = name.strip_prefix('-').map_or((name, false), |name| (name, true));
            let row = Row::ALL.into_iter().find(|row| row.name() == name).with_context(|| {
                let names: Vec<&str> = Row::ALL.into_iter().map(Row::name).collect();
                format!("“{word}”: known are all, none, {}", names.join(", "))
            })?;
            let rate = if off { 0.0 } else { rate.unwrap_or(profile.rate(row)) };
            incidents = incidents.with(row, rate);
        }
        Ok(incidents)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_switched_one_by_one() {
        let profile = Incidents::rapid();
        let read = |text| Incidents::read(text, &profile).unwrap();
        assert_eq!(read("all"), profile);
        assert_eq!(read("none"), Incidents::NONE);
        let one = read("illegal=0.5,touch_move");
        assert_eq!((one.rate(Row::Illegal), one.rate(Row::TouchMove)), (0.5, 0.05));
        assert_eq!(one.rate(Row::AfterGame), 0.0);
        let most = read("all,-after_game");
        assert_eq!((most.rate(Row::AfterGame), most.rate(Row::Illegal)), (0.0, 0.05));
    }

    #[test]
    fn an_unknown_row_is_named_with_the_known_ones() {
        let words = format!("{:#}", Incidents::read("ilegal", &Incidents::NONE).unwrap_err());
        assert!(words.contains("ilegal") && words.contains("illegal_later"), "{words}");
        assert!(Incidents::read("illegal=-1", &Incidents::NONE).is_err());
    }

    #[test]
    fn every_row_has_its_place() {
        for (index, row) in Row::ALL.into_iter().enumerate() {
            assert_eq!(row as usize, index, "{}", row.name());
        }
    }
}
