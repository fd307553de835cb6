//! Effectively-once delivery over a hop that may lose, repeat, delay and break: the same machine for
//! device → gateway and gateway → server.
//!
//! The sender numbers its items 1, 2, 3 …, keeps each until the receiving *application* acknowledged it, and goes
//! back to the first unacknowledged one when told so, when nothing moves for a while, and after a reconnect. The
//! receiver applies exactly the next number, drops what it has seen, and asks again when one is missing.
//!
//! A receiver that is slow must not be buried under what it has already. So a sender that hears nothing sends one item
//! again and waits; with each acknowledgement it dares twice as much. One that tells of items beyond those sent again
//! shows that nothing was lost: the sender goes on where it had been.
//!
//! Neither half holds the items: [`Outbox`] decides which numbers to send when, its owner keeps the items (a ring
//! in RAM, segments on a disk); [`Inbox`] judges numbers, its owner applies the items.

mod inbox;
mod outbox;
#[cfg(test)]
mod tests;

pub use inbox::{Inbox, Receipt};
pub use outbox::{Acked, Outbox, Pace};

use crate::Seq;
#[cfg(feature = "std")]
use crate::StreamSeq;

/// A number of a stream: 1, 2, 3 …
pub trait Number: Copy + Ord + core::fmt::Debug {
    /// The number of the first item.
    const FIRST: Self;
    /// So many numbers further on.
    #[must_use]
    fn plus(self, count: u32) -> Self;
    /// How many numbers lie from `earlier` to this one; 0 if it is not earlier.
    fn distance_from(self, earlier: Self) -> u64;
    /// The number before, if this is not the first.
    fn before(self) -> Option<Self>;
}

macro_rules! number {
    ($name:ident) => {
        impl Number for $name {
            const FIRST: Self = $name(1);
            fn plus(self, count: u32) -> Self {
                $name(self.0.saturating_add(count.into()))
            }
            fn distance_from(self, earlier: Self) -> u64 {
                self.0.saturating_sub(earlier.0).into()
            }
            fn before(self) -> Option<Self> {
                if self.0 > 1 { Some($name(self.0 - 1)) } else { None }
            }
        }
    };
}
number!(Seq);
#[cfg(feature = "std")]
number!(StreamSeq);

/// Consecutive numbers: `first`, `first`+1, … `count` of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run<N> {
    /// The first.
    pub first: N,
    /// How many; at least one.
    pub count: u32,
}
