//! What is known of a table: what the readings of its game are judged by.

use firmware_proto::Epoch;
use xiangqi::{BySide, Side};

use crate::evidence::Evidence;
use crate::foresight::Foresight;
use crate::params::Params;
use crate::points::PointHealth;
use crate::reading::Scene;
use crate::sense::Image;

/// What is known of the table's clock.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clock {
    /// There is one, and it reports.
    pub present: bool,
    /// It has been started in this game.
    pub started: bool,
    /// Whose time runs.
    pub running: Option<Side>,
    /// The last press.
    pub pressed: Option<(Side, Epoch)>,
    /// Each side's last press.
    pub presses: BySide<Option<Epoch>>,
}

/// What is known of a table.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub now: Epoch,
    /// What the points show; `None` until the board was seen.
    pub image: Option<Image>,
    pub evidence: Evidence,
    pub health: PointHealth,
    pub foresight: Foresight,
    pub clock: Clock,
}

impl Known {
    pub fn new(at: Epoch) -> Known {
        Known {
            now: at,
            image: None,
            evidence: Evidence::new(),
            health: PointHealth::new(),
            foresight: Foresight::default(),
            clock: Clock::default(),
        }
    }

    /// What the readings are judged by now; `None` until the board was seen.
    pub fn scene<'a>(&'a self, params: &'a Params) -> Option<Scene<'a>> {
        let Known { now, image, evidence, health, foresight, clock } = self;
        let image = image.as_ref()?;
        let Clock { present, presses, .. } = *clock;
        Some(Scene { params, image, evidence, health, foresight, clock: present, presses, now: *now })
    }
}
