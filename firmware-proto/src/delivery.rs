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

#[cfg(feature = "std")]
use crate::StreamSeq;
use crate::{Millis, Seq};

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

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, VecDeque};

    use proptest::prelude::*;

    use super::*;

    const AT: Millis = Millis(1_000);

    fn sent(outbox: &mut Outbox<Seq>, now: Millis) -> Vec<u32> {
        std::iter::from_fn(|| outbox.poll(now, 1)).map(|run| run.first.0).collect()
    }

    fn outbox_with(items: u32, window: u32) -> Outbox<Seq> {
        let mut outbox = Outbox::new(Pace { window, ..Pace::SERIAL });
        for _ in 0..items {
            outbox.push();
        }
        outbox
    }

    #[test]
    fn no_more_than_a_window_is_on_its_way() {
        let mut outbox = outbox_with(5, 3);
        assert_eq!(sent(&mut outbox, AT), [1, 2, 3]);
        assert_eq!(outbox.on_ack(Seq(2), AT), Acked::Frees(2));
        assert_eq!(sent(&mut outbox, AT), [4, 5]);
        assert_eq!(outbox.backlog(), 3);
    }

    #[test]
    fn without_progress_the_first_unacknowledged_item_alone_is_sent_again_ever_more_patiently() {
        let mut outbox = outbox_with(2, 64);
        assert_eq!(sent(&mut outbox, Millis(0)), [1, 2]);
        let mut gaps = vec![];
        let mut last = Millis(0);
        for _ in 0..6 {
            let (at, _) = outbox.poll_timeout().unwrap();
            assert_eq!(sent(&mut outbox, at), [1]);
            gaps.push(at.since(last).0);
            last = at;
        }
        assert_eq!(gaps, [200, 400, 800, 1_600, 2_000, 2_000]);
        assert_eq!(outbox.resent(), 6);
    }

    #[test]
    fn what_was_lost_is_sent_again_twice_as_much_with_each_acknowledgement() {
        let mut outbox = outbox_with(20, 64);
        assert_eq!(sent(&mut outbox, Millis(0)).len(), 20);
        assert_eq!(sent(&mut outbox, Millis(200)), [1]);
        outbox.on_ack(Seq(1), Millis(210));
        assert_eq!(sent(&mut outbox, Millis(210)), [2, 3]);
        outbox.on_ack(Seq(3), Millis(220));
        assert_eq!(sent(&mut outbox, Millis(220)), [4, 5, 6, 7]);
    }

    #[test]
    fn an_acknowledgement_of_what_was_not_sent_again_shows_that_the_rest_is_only_slow() {
        let mut outbox = outbox_with(20, 64);
        sent(&mut outbox, Millis(0));
        assert_eq!(sent(&mut outbox, Millis(200)), [1]);
        outbox.on_ack(Seq(5), Millis(210));
        assert_eq!(sent(&mut outbox, Millis(210)), Vec::<u32>::new());
        assert_eq!(outbox.resent(), 1);
        let (at, _) = outbox.poll_timeout().unwrap();
        assert_eq!(sent(&mut outbox, at), [6], "it was not slow but lost");
    }

    #[test]
    fn progress_makes_it_impatient_again_and_the_last_ack_silences_it() {
        let mut outbox = outbox_with(2, 64);
        sent(&mut outbox, Millis(0));
        sent(&mut outbox, Millis(200));
        outbox.on_ack(Seq(1), Millis(300));
        assert_eq!(sent(&mut outbox, Millis(300)), [2]);
        assert_eq!(outbox.poll_timeout().unwrap().0, Millis(500));
        outbox.on_ack(Seq(2), Millis(310));
        assert_eq!(outbox.poll_timeout(), None);
    }

    #[test]
    fn a_nak_goes_back_and_a_reconnect_goes_back_to_the_first_unacknowledged() {
        let mut outbox = outbox_with(4, 64);
        sent(&mut outbox, AT);
        assert!(outbox.on_nak(Seq(3)));
        assert_eq!(sent(&mut outbox, AT), [3, 4]);
        outbox.on_ack(Seq(1), AT);
        outbox.on_reconnect();
        assert_eq!(sent(&mut outbox, AT), [2]);
        outbox.on_ack(Seq(3), AT);
        assert_eq!(sent(&mut outbox, AT), [4], "what was on its way is lost with the link");
        assert!(!outbox.on_nak(Seq(1)), "acknowledged: not kept any more");
    }

    #[test]
    fn an_ack_for_what_was_never_numbered_is_ignored() {
        let mut outbox = outbox_with(2, 64);
        assert_eq!(outbox.on_ack(Seq(3), AT), Acked::Foreign);
        assert_eq!(outbox.oldest(), Seq(1));
    }

    #[test]
    fn an_inbox_applies_exactly_the_next_number() {
        let mut inbox = Inbox::new();
        assert_eq!(inbox.on_item(Seq(2)), Receipt::Gap { ask: true });
        assert_eq!(inbox.on_item(Seq(3)), Receipt::Gap { ask: false });
        assert_eq!(inbox.on_item(Seq(1)), Receipt::Apply { skip: 0 });
        assert_eq!(inbox.on_item(Seq(1)), Receipt::Repeated);
        assert_eq!(inbox.on_items(Run { first: Seq(1), count: 4 }), Receipt::Apply { skip: 1 });
        assert_eq!(inbox.applied(), Some(Seq(4)));
    }

    #[test]
    fn what_the_sender_lost_is_named_and_stepped_over() {
        let mut inbox = Inbox::expecting(Seq(5));
        assert_eq!(inbox.give_up_until(Seq(5)), None);
        assert_eq!(inbox.give_up_until(Seq(9)), Some(Run { first: Seq(5), count: 4 }));
        assert_eq!(inbox.on_item(Seq(9)), Receipt::Apply { skip: 0 });
    }

    /// A receiver that applies so many items a second, one after the other as they come; one that it has already costs it a fifth.
    struct Slow {
        queue: VecDeque<(usize, Run<Seq>)>,
        inboxes: Vec<Inbox<Seq>>,
        strength: u32,
    }

    impl Slow {
        /// What it acknowledges in 10 ms.
        fn work(&mut self, a_second: u32) -> Vec<(usize, Seq)> {
            self.strength += a_second * 5;
            let mut acks = vec![];
            while let Some((sender, run)) = self.queue.front().copied() {
                let new = match self.inboxes[sender].on_items(run) {
                    Receipt::Apply { skip } => run.count - skip,
                    Receipt::Repeated | Receipt::Gap { .. } => 0,
                };
                self.queue.pop_front();
                acks.extend(self.inboxes[sender].applied().map(|upto| (sender, upto)));
                let cost = 500 * new + 100 * (run.count - new);
                if cost >= self.strength {
                    self.strength = 0;
                    break;
                }
                self.strength -= cost;
            }
            acks
        }
    }

    #[test]
    fn a_receiver_that_falls_behind_is_not_buried_under_what_it_has_already() {
        // A hundred gateways with two items a second each; for 20 s the receiver can do half of that, then twice as much.
        let mut senders = vec![Outbox::<Seq>::new(Pace::UPSTREAM); 100];
        let inboxes = vec![Inbox::new(); senders.len()];
        let mut receiver = Slow { queue: VecDeque::new(), inboxes, strength: 0 };
        let mut caught_up = None;
        for ms in (0..90_000).step_by(10) {
            let now = Millis(ms);
            for (no, sender) in (0..).zip(&mut senders) {
                if ms < 60_000 && ms % 500 == no % 50 * 10 {
                    sender.push();
                }
                while let Some(run) = sender.poll(now, 128) {
                    receiver.queue.push_back((no as usize, run));
                }
            }
            for (no, upto) in receiver.work(if ms < 20_000 { 100 } else { 400 }) {
                senders[no].on_ack(upto, now);
            }
            let waiting: u64 = senders.iter().map(Outbox::backlog).sum();
            if ms >= 20_000 && waiting < 100 {
                caught_up.get_or_insert(ms);
            }
        }
        // 2,000 items too many, at 200 a second more than come in: 10 s if nothing came twice.
        let caught_up = caught_up.unwrap_or(u32::MAX);
        assert!(caught_up < 30_000, "caught up after {caught_up} ms");
        let resent: u64 = senders.iter().map(Outbox::resent).sum();
        assert!(resent < 6_000, "{resent} of 12,000 items were sent again");
        assert_eq!(senders.iter().map(Outbox::backlog).sum::<u64>(), 0);
    }

    /// What the line does to a message.
    #[derive(Clone, Copy, Debug)]
    enum Fate {
        Arrives,
        Lost,
        Doubled,
        Late(u8),
        LinkBreaks,
    }

    fn fate() -> impl Strategy<Value = Fate> {
        prop_oneof![
            6 => Just(Fate::Arrives),
            2 => Just(Fate::Lost),
            1 => Just(Fate::Doubled),
            1 => (1..200u8).prop_map(Fate::Late),
            1 => Just(Fate::LinkBreaks),
        ]
    }

    proptest! {
        /// Messages both ways are lost, doubled, overtaken and cut off; each item is applied once, in order.
        #[test]
        fn exactly_once_in_order_whatever_the_line_does(
            items in 1..60u32, window in 1..20u32, batch in 1..8u32, fates in prop::collection::vec(fate(), 0..300),
        ) {
            let mut outbox = Outbox::<Seq>::new(Pace { window, ..Pace::SERIAL });
            let kept: BTreeMap<Seq, u32> = (0..items).map(|item| (outbox.push(), item)).collect();
            let mut inbox = Inbox::<Seq>::new();
            let mut applied = vec![];
            let mut fates = VecDeque::from(fates);
            let mut now = Millis(0);
            // Under way: (arrival, data or ack/nak).
            #[derive(Clone, Copy)]
            enum Wire { Items(Run<Seq>), Ack(Seq), Nak(Seq) }
            let mut line: Vec<(Millis, Wire)> = vec![];
            for _step in 0..20_000 {
                if applied.len() == items as usize && outbox.backlog() == 0 {
                    break;
                }
                let mut out: Vec<Wire> =
                    std::iter::from_fn(|| outbox.poll(now, batch)).map(Wire::Items).collect();
                let (due, rest): (Vec<_>, Vec<_>) = line.into_iter().partition(|(at, _)| now.reached(*at));
                line = rest;
                for (_, message) in due {
                    match message {
                        Wire::Items(run) => match inbox.on_items(run) {
                            Receipt::Apply { skip } => {
                                for offset in skip..run.count {
                                    applied.push(kept[&run.first.plus(offset)]);
                                }
                                out.extend(inbox.applied().map(Wire::Ack));
                            }
                            Receipt::Repeated => out.extend(inbox.applied().map(Wire::Ack)),
                            Receipt::Gap { ask: true } => out.push(Wire::Nak(inbox.expected())),
                            Receipt::Gap { ask: false } => {}
                        },
                        Wire::Ack(upto) => { outbox.on_ack(upto, now); }
                        Wire::Nak(from) => { outbox.on_nak(from); }
                    }
                }
                for message in out {
                    match fates.pop_front().unwrap_or(Fate::Arrives) {
                        Fate::Arrives => line.push((now.plus(Millis(5)), message)),
                        Fate::Lost => {}
                        Fate::Doubled => line.extend([(now.plus(Millis(5)), message), (now.plus(Millis(9)), message)]),
                        Fate::Late(by) => line.push((now.plus(Millis(by.into())), message)),
                        Fate::LinkBreaks => { line.clear(); outbox.on_reconnect(); inbox.may_ask_again(); }
                    }
                }
                let soonest = line.iter().map(|(at, _)| *at).chain(outbox.poll_timeout().map(|(at, _)| at))
                    .reduce(Millis::earlier);
                prop_assert!(outbox.wants_to_send() || soonest.is_some() || outbox.backlog() == 0, "it would sleep for ever");
                now = soonest.filter(|at| !now.reached(*at)).unwrap_or(now.plus(Millis(1)));
            }
            prop_assert_eq!(applied, (0..items).collect::<Vec<_>>());
            prop_assert_eq!(outbox.backlog(), 0);
        }
    }
}
