//! The receiving half: which numbers are applied, and what is asked for again.

use super::{Number, Run};

/// What to do with items that came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receipt {
    /// Apply them, but the first `skip` ones: those are known.
    Apply {
        /// How many of the run's first items are known already.
        skip: u32,
    },
    /// All are known: drop them (and acknowledge again, the last ack may be lost).
    Repeated,
    /// Some before them are missing: drop them; `ask` for the missing ones (it was not done yet).
    Gap {
        /// Whether to send a Nak for [`Inbox::expected`] now.
        ask: bool,
    },
}

/// The receiving half: which numbers to apply.
///
/// It is `Copy` on purpose: a receiver that applies in a transaction judges on a copy and keeps the copy when the
/// transaction is committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inbox<N> {
    expected: N,
    asked: bool,
}

impl<N: Number> Default for Inbox<N> {
    fn default() -> Self {
        Inbox::new()
    }
}

impl<N: Number> Inbox<N> {
    /// Nothing came yet: number 1 is next.
    #[must_use]
    pub const fn new() -> Inbox<N> {
        Inbox::expecting(N::FIRST)
    }

    /// Everything before `expected` is applied.
    #[must_use]
    pub const fn expecting(expected: N) -> Inbox<N> {
        Inbox { expected, asked: false }
    }

    /// The next number to apply.
    #[must_use]
    pub const fn expected(&self) -> N {
        self.expected
    }

    /// The highest number applied: the cumulative acknowledgement, once that is durable.
    #[must_use]
    pub fn applied(&self) -> Option<N> {
        self.expected.before()
    }

    /// Judges the items `run`; those to apply count as applied from here on.
    pub fn on_items(&mut self, run: Run<N>) -> Receipt {
        if run.first > self.expected {
            let ask = !self.asked;
            self.asked = true;
            return Receipt::Gap { ask };
        }
        let after = run.first.plus(run.count);
        if after <= self.expected {
            return Receipt::Repeated;
        }
        let skip = self.expected.distance_from(run.first) as u32;
        self.expected = after;
        self.asked = false;
        Receipt::Apply { skip }
    }

    /// Judges one item.
    pub fn on_item(&mut self, number: N) -> Receipt {
        self.on_items(Run { first: number, count: 1 })
    }

    /// The sender does not have the items before `to` any more: they are lost, go on there. Returns the run that is
    /// given up, if any.
    pub fn give_up_until(&mut self, to: N) -> Option<Run<N>> {
        let lost = to.distance_from(self.expected);
        let run = Run { first: self.expected, count: u32::try_from(lost).unwrap_or(u32::MAX) };
        self.expected = self.expected.max(to);
        self.asked = false;
        (lost > 0).then_some(run)
    }

    /// The question for what is missing may be lost: it may be asked again.
    pub fn may_ask_again(&mut self) {
        self.asked = false;
    }
}
