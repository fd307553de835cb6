//! Pieces that were lifted and returned to their point (摸子): evidence for the arbiter, no judgement.

use std::collections::VecDeque;

use firmware_proto::Epoch;
use xiangqi::Point;

use crate::sense::Sense;

/// A piece left its point and one that looks the same came back to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    pub point: Point,
    pub lifted: Epoch,
    pub returned: Epoch,
}

/// The latest touches.
#[derive(Clone, Debug)]
pub(crate) struct Touches {
    lifted: Vec<Option<(Epoch, Sense)>>,
    touches: VecDeque<Touch>,
}

impl Touches {
    /// So many are remembered: more than hands make in one turn.
    const KEPT: usize = 64;

    pub fn new() -> Touches {
        Touches { lifted: vec![None; Point::COUNT], touches: VecDeque::new() }
    }

    pub fn record(&mut self, at: Epoch, point: Point, old: Sense, new: Sense) {
        let lifted = &mut self.lifted[point.index()];
        if new == Sense::Empty {
            *lifted = Some((at, old));
        } else if let Some((since, piece)) = lifted.take()
            && piece == new
        {
            if self.touches.len() == Self::KEPT {
                self.touches.pop_front();
            }
            self.touches.push_back(Touch { point, lifted: since, returned: at });
        }
    }

    /// Touches that began at or after `from` and ended by `to`.
    pub fn between(&self, from: Epoch, to: Epoch) -> impl Iterator<Item = Touch> + '_ {
        self.touches.iter().copied().filter(move |touch| touch.lifted >= from && touch.returned <= to)
    }
}
