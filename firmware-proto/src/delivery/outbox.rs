//! The sending half: which numbers go out when, how fast, and how it finds its way back after a loss.

use super::{Number, Run};
use crate::Millis;

/// How an [`Outbox`] paces itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Items that may be on their way unacknowledged, at most.
    pub window: u32,
    /// Go back to the first unacknowledged item when no ack moved on for so long …
    pub first_retry: Millis,
    /// … and for twice as long each time that it did not help, up to this; for half as long with each ack that moves on.
    pub longest_retry: Millis,
}

impl Pace {
    /// Between a device and its gateway.
    pub const SERIAL: Pace = Pace { window: 64, first_retry: Millis(200), longest_retry: Millis(2_000) };
    /// Between a gateway and the server.
    pub const UPSTREAM: Pace = Pace { window: 256, first_retry: Millis(700), longest_retry: Millis(5_000) };
}

/// What an acknowledgement was worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acked {
    /// It frees so many items: the owner may forget them.
    Frees(u64),
    /// It told nothing new.
    Known,
    /// It speaks of a number that was never given: not ours, ignored.
    Foreign,
}

/// The sending half: which numbers to send, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outbox<N> {
    pace: Pace,
    /// Items that may be on their way now: one after nothing moved, up to the whole window again as acks come.
    window: u32,
    /// The first number not acknowledged.
    oldest: N,
    /// The next number to send.
    cursor: N,
    /// Numbers below this were sent over this link and may still arrive.
    under_way: N,
    /// The number that the next item will get.
    next: N,
    /// When to go back, if something is on its way.
    deadline: Option<Millis>,
    retry: Millis,
    resent: u64,
    /// Numbers below this were sent before.
    sent_upto: N,
}

impl<N: Number> Outbox<N> {
    /// A new stream: the first item will be number 1.
    #[must_use]
    pub fn new(pace: Pace) -> Outbox<N> {
        Outbox::resume(pace, N::FIRST, N::FIRST)
    }

    /// A stream that is kept already: `oldest` is the first number not acknowledged, `next` the one to give next.
    #[must_use]
    pub fn resume(pace: Pace, oldest: N, next: N) -> Outbox<N> {
        let retry = pace.first_retry;
        let next = next.max(oldest);
        Outbox {
            pace,
            window: pace.window,
            oldest,
            cursor: oldest,
            under_way: oldest,
            next,
            deadline: None,
            retry,
            resent: 0,
            sent_upto: oldest,
        }
    }

    /// The number for the item that is being kept now.
    pub fn push(&mut self) -> N {
        let number = self.next;
        self.next = number.plus(1);
        number
    }

    /// The first number not acknowledged; the owner keeps all from here on.
    #[must_use]
    pub const fn oldest(&self) -> N {
        self.oldest
    }

    /// The number that the next item will get.
    #[must_use]
    pub const fn next(&self) -> N {
        self.next
    }

    /// How many items are kept.
    #[must_use]
    pub fn backlog(&self) -> u64 {
        self.next.distance_from(self.oldest)
    }

    /// How many items were sent more than once.
    #[must_use]
    pub const fn resent(&self) -> u64 {
        self.resent
    }

    /// The numbers to send now, at most `most`; `None` when there is nothing, or the window is full.
    pub fn poll(&mut self, now: Millis, most: u32) -> Option<Run<N>> {
        if self.deadline.is_some_and(|deadline| now.reached(deadline)) {
            self.probe();
            let doubled = Millis(self.retry.0.saturating_mul(2));
            self.retry = doubled.min(self.pace.longest_retry);
        }
        let on_their_way = self.cursor.distance_from(self.oldest);
        let room = u64::from(self.window).saturating_sub(on_their_way);
        let waiting = self.next.distance_from(self.cursor);
        let count = u64::from(most).min(room).min(waiting) as u32;
        if count == 0 {
            return None;
        }
        let run = Run { first: self.cursor, count };
        self.cursor = self.cursor.plus(count);
        self.resent += self.sent_upto.distance_from(run.first).min(u64::from(count));
        self.sent_upto = self.sent_upto.max(self.cursor);
        self.under_way = self.under_way.max(self.cursor);
        if self.deadline.is_none() {
            self.deadline = Some(now.plus(self.retry));
        }
        Some(run)
    }

    /// Whether [`Outbox::poll`] would give something at once.
    #[must_use]
    pub fn wants_to_send(&self) -> bool {
        self.cursor < self.next && self.cursor.distance_from(self.oldest) < u64::from(self.window)
    }

    /// The receiver has everything up to and including `upto`, for good.
    pub fn on_ack(&mut self, upto: N, now: Millis) -> Acked {
        if upto >= self.next {
            return Acked::Foreign;
        }
        if upto < self.oldest {
            return Acked::Known;
        }
        let after = upto.plus(1);
        let freed = after.distance_from(self.oldest);
        if after > self.cursor {
            // What was not sent again has arrived all the same: the rest of it was only slow.
            self.cursor = self.under_way;
        }
        self.move_oldest(after);
        self.window = self.window.saturating_mul(2).min(self.pace.window);
        self.retry = Millis(self.retry.0 / 2).max(self.pace.first_retry);
        self.deadline = (self.cursor > self.oldest).then(|| now.plus(self.retry));
        Acked::Frees(freed)
    }

    /// The receiver misses `from`: send again from there on. Says nothing about what came before it. `false`: that
    /// number is not kept (any more), or was never given.
    pub fn on_nak(&mut self, from: N) -> bool {
        let kept = from >= self.oldest && from <= self.next;
        if kept && from < self.cursor {
            self.cursor = from;
            self.under_way = from;
        }
        kept
    }

    /// The link was away: whatever was on its way is lost.
    pub fn on_reconnect(&mut self) {
        self.probe();
        self.under_way = self.oldest;
        self.retry = self.pace.first_retry;
    }

    /// Back to the first unacknowledged item, and that one alone until it is known how things are.
    fn probe(&mut self) {
        self.cursor = self.oldest;
        self.window = 1;
        self.deadline = None;
    }

    /// The owner had no room and forgot its oldest item, unacknowledged.
    pub fn drop_oldest(&mut self) {
        if self.oldest < self.next {
            self.move_oldest(self.oldest.plus(1));
        }
    }

    /// When [`Outbox::poll`] wants to be called although nothing happened, and why.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<(Millis, &'static str)> {
        self.deadline.map(|at| (at, "resend what was not acknowledged"))
    }

    fn move_oldest(&mut self, to: N) {
        self.oldest = to;
        self.cursor = self.cursor.max(to);
        self.under_way = self.under_way.max(to);
        self.sent_upto = self.sent_upto.max(to);
    }
}
