//! Trials of the tracker: hands, device code and tracker in virtual time, without a port between them.

mod desk;
mod flaws;
mod link;
mod missed;
mod outages;
mod run;
mod score;
mod summary;
mod targets;
mod truth_log;

use std::sync::Arc;

use capture::log::Log;
use capture::{Finding, Params, Waits};
use firmware_proto::{Epoch, SensingKind};
use xiangqi::Move;

use crate::games::Source;
use crate::noise::Noise;
use crate::truth::PlayedGame;

pub use flaws::Flaw;
pub use missed::Missed;
pub use score::{Recall, Score, Told};
pub use summary::{Quantiles, Summary};
pub use targets::{Figure, figures};

/// What is tried.
#[derive(Clone, Debug)]
pub struct Trials {
    /// The games.
    pub games: Arc<Source>,
    /// The noise.
    pub noise: Noise,
    /// What the board senses.
    pub sensing: SensingKind,
    /// The seed.
    pub seed: u64,
    /// The tracker's numbers.
    pub params: Params,
}

/// One game tried.
#[derive(Clone, Debug)]
pub struct Trial {
    /// What was played.
    pub played: PlayedGame,
    /// The plies that the tracker read in the end.
    pub read: Vec<Move>,
    /// Everything that it said, and when.
    pub said: Vec<(Epoch, Finding)>,
    /// What each ply that was confirmed had waited for last, or one before it; in the order in which they were.
    pub waited: Vec<Option<Waits>>,
    /// Everything that came to the tracker.
    pub log: Log,
    /// What the board senses.
    pub sensing: SensingKind,
    /// Plies that were recorded after the result was known.
    pub after_end: usize,
    /// Restarts of the server after which other plies were read.
    pub restarts_differing: u64,
}

impl Trials {
    /// Plays and follows game `number`.
    #[must_use]
    pub fn run(&self, number: u64) -> Trial {
        run::Run::new(self, number).play()
    }
}
