//! A line of plies, last one first, its beginning shared with other lines.

use std::sync::Arc;

use firmware_proto::Epoch;
use xiangqi::{Move, Position};

use crate::Irregularity;
use crate::params::Cost;

/// One ply of a line, with what stood before it.
#[derive(Clone, Debug)]
pub(crate) struct Ply {
    pub no: u16,
    pub mv: Move,
    pub at: Epoch,
    pub irregular: Option<Irregularity>,
    pub before: Position,
    /// When the placement before this one was.
    pub previous: Epoch,
    /// How its piece was seen placed.
    pub placement: Placement,
    /// What it cost that this was not seen.
    pub unseen: Cost,
}

/// How a ply's piece was seen placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placement {
    /// It was, and stood there when the ply was read and until it was complete.
    Seen,
    /// It was, and was gone again before.
    Fleeting,
    /// It was not.
    Unseen,
}

impl Ply {
    /// Whether its piece was seen placed.
    pub fn is_seen(&self) -> bool {
        self.placement != Placement::Unseen
    }
}

/// A line of plies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line(Option<Arc<Node>>);

#[derive(Debug)]
struct Node {
    ply: Ply,
    rest: Line,
}

impl Line {
    pub fn last(&self) -> Option<&Ply> {
        self.0.as_deref().map(|node| &node.ply)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The line without its last ply.
    pub fn without_last(&self) -> Line {
        self.0.as_deref().map_or_else(Line::default, |node| node.rest.clone())
    }

    pub fn with(&self, ply: Ply) -> Line {
        Line(Some(Arc::new(Node { ply, rest: self.clone() })))
    }

    /// The same, its last ply's piece placed so.
    pub fn with_last_placed(&self, placement: Placement) -> Line {
        self.last()
            .map_or_else(Line::default, |last| self.without_last().with(Ply { placement, ..last.clone() }))
    }

    /// From the last ply to the first.
    pub fn backward(&self) -> impl Iterator<Item = &Ply> {
        let mut node = self.0.as_deref();
        std::iter::from_fn(move || {
            let here = node?;
            node = here.rest.0.as_deref();
            Some(&here.ply)
        })
    }

    /// The plies from number `from` on, in order.
    pub fn since(&self, from: u16) -> Vec<&Ply> {
        let mut plies: Vec<&Ply> = self.backward().take_while(|ply| ply.no >= from).collect();
        plies.reverse();
        plies
    }

    /// The ply of this number.
    pub fn ply(&self, no: u16) -> Option<&Ply> {
        self.backward().take_while(|ply| ply.no >= no).find(|ply| ply.no == no)
    }

    /// The first ply number at which two lines differ, if they do.
    pub fn parts_from(&self, other: &Line) -> Option<u16> {
        let len = |line: &Line| line.last().map_or(0, |ply| ply.no);
        let (mut a, mut b) = (self, other);
        let mut parted = None;
        while len(a) > len(b) {
            parted = Some(len(a));
            a = a.rest();
        }
        while len(b) > len(a) {
            parted = Some(len(b));
            b = b.rest();
        }
        while let (Some(x), Some(y)) = (&a.0, &b.0) {
            if Arc::ptr_eq(x, y) {
                break;
            }
            if x.ply.mv != y.ply.mv {
                parted = Some(x.ply.no);
            }
            (a, b) = (&x.rest, &y.rest);
        }
        parted
    }

    fn rest(&self) -> &Line {
        self.0.as_deref().map_or(self, |node| &node.rest)
    }
}

impl Drop for Line {
    /// One ply after the other: the default would go as deep as the game is long.
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(mut node) = next.and_then(Arc::into_inner) {
            next = node.rest.0.take();
        }
    }
}
