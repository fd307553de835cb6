//! The delivery machine under any script of losses, repetitions, reconnects, foreign acknowledgements and dropped
//! items: what is applied is applied once and in order, and with a sound line in the end everything arrives.
#![no_main]

use arbitrary::Arbitrary;
use firmware_proto::delivery::{Acked, Inbox, Number, Outbox, Pace, Receipt, Run};
use firmware_proto::{Millis, Seq};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
enum Step {
    Push,
    Send { most: u8, arrives: bool, twice: bool },
    Ack,
    Nak,
    ForeignAck(u32),
    ForeignNak(u32),
    OldItems { first: u32, count: u8 },
    Wait(u16),
    Reconnect,
    DropOldest,
}

fn deliver(inbox: &mut Inbox<Seq>, run: Run<Seq>, applied: &mut Vec<u32>) {
    if let Receipt::Apply { skip } = inbox.on_items(run) {
        applied.extend((skip..run.count).map(|offset| run.first.plus(offset).0));
    }
}

fuzz_target!(|steps: Vec<Step>| {
    let mut outbox = Outbox::<Seq>::new(Pace::SERIAL);
    let mut inbox = Inbox::<Seq>::new();
    let mut now = Millis(u32::MAX - 5_000);
    let mut applied = vec![];
    let mut dropped = false;
    for step in steps {
        match step {
            Step::Push => assert_eq!(outbox.push().plus(1), outbox.next()),
            Step::Send { most, arrives, twice } => {
                if let Some(run) = outbox.poll(now, most.into()) {
                    assert!(run.count > 0 && run.count <= most.into());
                    assert!(run.first >= outbox.oldest() && run.first.plus(run.count) <= outbox.next());
                    assert!(run.first.plus(run.count).distance_from(outbox.oldest()) <= 64);
                    for _ in 0..u8::from(arrives) * (1 + u8::from(twice)) {
                        deliver(&mut inbox, run, &mut applied);
                    }
                }
            }
            Step::Ack => {
                if let Some(upto) = inbox.applied() {
                    let before = outbox.backlog();
                    match outbox.on_ack(upto, now) {
                        Acked::Frees(count) => assert_eq!(outbox.backlog(), before - count),
                        Acked::Known => assert_eq!(outbox.backlog(), before),
                        Acked::Foreign => panic!("the inbox applied what was never given"),
                    }
                }
            }
            Step::Nak => {
                outbox.on_nak(inbox.expected());
            }
            Step::ForeignAck(upto) if Seq(upto) >= outbox.next() => {
                let before = outbox;
                assert_eq!(outbox.on_ack(Seq(upto), now), Acked::Foreign);
                assert_eq!(outbox, before);
            }
            Step::ForeignNak(from) if Seq(from) < outbox.oldest() || Seq(from) > outbox.next() => {
                assert!(!outbox.on_nak(Seq(from)));
            }
            Step::ForeignAck(_) | Step::ForeignNak(_) => {}
            // Only what was sent once can come again.
            Step::OldItems { first, count } => {
                let run = Run { first: Seq(first.max(1)), count: u32::from(count) + 1 };
                if run.first.plus(run.count) <= inbox.expected() {
                    assert_eq!(inbox.on_items(run), Receipt::Repeated);
                }
            }
            Step::Wait(long) => now = now.plus(Millis(long.into())),
            Step::Reconnect => outbox.on_reconnect(),
            Step::DropOldest => {
                dropped |= outbox.backlog() > 0;
                outbox.drop_oldest();
            }
        }
    }
    // A sound line at last; what the sender dropped is stepped over.
    outbox.on_reconnect();
    for _ in 0..10_000 {
        if outbox.backlog() == 0 {
            break;
        }
        inbox.give_up_until(outbox.oldest());
        while let Some(run) = outbox.poll(now, 16) {
            deliver(&mut inbox, run, &mut applied);
        }
        if let Some(upto) = inbox.applied() {
            outbox.on_ack(upto, now);
        }
        now = outbox.poll_timeout().map_or(now, |(at, _)| at);
    }
    assert_eq!(outbox.backlog(), 0);
    assert!(applied.windows(2).all(|pair| pair[0] < pair[1]), "in order, each once");
    if !dropped {
        assert_eq!(applied, (1..outbox.next().0).collect::<Vec<_>>());
    }
});
