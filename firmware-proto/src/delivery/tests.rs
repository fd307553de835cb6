//! Both halves alone, a slow receiver, and a line on which everything goes wrong.

use std::collections::{BTreeMap, VecDeque};

use proptest::prelude::*;

use super::*;
use crate::{Millis, Seq};

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
