//! The numbered stream: every record is kept here, in the bytes that go on the line, until it is acknowledged.

use firmware_proto::delivery::{Acked, Outbox, Pace};
use firmware_proto::{Body, HealthFault, Millis, Record, Seq};

use crate::ring::{ByteRing, Place};

/// Room for records: at least 4,096 of a game's usual mixture (a test counts them).
pub const RING_BYTES: usize = 64 * 1024;

pub(crate) struct Journal {
    ring: ByteRing<RING_BYTES>,
    outbox: Outbox<Seq>,
    /// Where the record with this number begins, so that sending in order need not search.
    reading: (Seq, Place),
    /// Records dropped for want of room, since the start …
    overflowed: u32,
    /// … and those of them that no record tells of yet.
    unreported: u32,
}

impl Journal {
    pub(crate) fn new(pace: Pace) -> Journal {
        let ring = ByteRing::new();
        let reading = (Seq::FIRST, ring.oldest());
        Journal { ring, outbox: Outbox::new(pace), reading, overflowed: 0, unreported: 0 }
    }

    pub(crate) const fn outbox(&self) -> &Outbox<Seq> {
        &self.outbox
    }

    pub(crate) const fn overflowed(&self) -> u32 {
        self.overflowed
    }

    /// Numbers and keeps what happened. When there is no room the oldest records go, counted.
    pub(crate) fn record(&mut self, at: Millis, body: Body) {
        let mut bytes = [0; 255];
        let entry = postcard::to_slice(&(at, body), &mut bytes)
            .expect("the longest body, an identity image, takes 77 bytes, and its time five");
        while !self.ring.push(entry) {
            self.ring.pop();
            self.outbox.drop_oldest();
            self.overflowed = self.overflowed.saturating_add(1);
            self.unreported = self.unreported.saturating_add(1);
        }
        self.outbox.push();
    }

    /// The next record to send.
    pub(crate) fn next_to_send(&mut self, now: Millis) -> Option<Record> {
        let seq = self.outbox.poll(now, 1)?.first;
        let place = self.place_of(seq);
        self.reading = (Seq(seq.0 + 1), self.ring.after(place));
        let mut bytes = [0; 255];
        let length = self.ring.read(place, &mut bytes);
        let (at, body) = postcard::from_bytes(&bytes[..length]).expect("the ring gives back what was put in");
        Some(Record { seq, at, body })
    }

    pub(crate) fn on_ack(&mut self, upto: Seq, now: Millis) {
        match self.outbox.on_ack(upto, now) {
            Acked::Frees(count) => {
                for _ in 0..count {
                    self.ring.pop();
                }
                if self.unreported > 0 {
                    let lost = core::mem::take(&mut self.unreported);
                    self.record(now, Body::Health(HealthFault::Overflow(lost)));
                }
            }
            Acked::Known | Acked::Foreign => {}
        }
    }

    /// `false`: that record is not kept any more.
    pub(crate) fn on_nak(&mut self, from: Seq) -> bool {
        self.outbox.on_nak(from)
    }

    pub(crate) fn on_reconnect(&mut self) {
        self.outbox.on_reconnect();
    }

    fn place_of(&self, seq: Seq) -> Place {
        let (reading, place) = self.reading;
        if reading == seq {
            return place;
        }
        let mut place = self.ring.oldest();
        for _ in self.outbox.oldest().0..seq.0 {
            place = self.ring.after(place);
        }
        place
    }
}

#[cfg(test)]
mod tests {
    use firmware_proto::{ByHalf, Cell, ClockFace, Half, Image, Reading, SensingKind};

    use super::*;

    /// A game's mixture late in a long day: per ply about four changes of cells and a press, an image a minute.
    fn nth(index: u32) -> Body {
        let left = ByHalf { a: Millis(3_600_000 - index), b: Millis(3_599_000) };
        match index % 80 {
            0 => Body::Snapshot(Image::empty(SensingKind::Colour)),
            n if n % 5 == 0 => Body::Press(Half::A, ClockFace { left, running: Some(Half::B) }),
            n => Body::Point(Cell::new(n as u8).unwrap(), Reading(1)),
        }
    }

    const LATE: u32 = 50_000_000;

    #[test]
    fn four_thousand_and_ninety_six_usual_records_are_kept_without_a_host() {
        let mut journal = Journal::new(Pace::SERIAL);
        for index in 0..4_096 {
            journal.record(Millis(LATE + index), nth(index));
        }
        assert_eq!((journal.overflowed(), journal.outbox().oldest()), (0, Seq(1)));
    }

    #[test]
    fn every_record_comes_back_as_it_was_until_it_is_acknowledged() {
        let mut journal = Journal::new(Pace::SERIAL);
        let mut sent = vec![];
        for index in 0..1_000 {
            journal.record(Millis(LATE + index), nth(index));
            if let Some(record) = journal.next_to_send(Millis(LATE + index)) {
                sent.push(record);
            }
            if index % 50 == 49 {
                journal.on_ack(Seq(index), Millis(LATE + index));
            }
        }
        let expected: Vec<Record> = (0..1_000)
            .map(|index| Record { seq: Seq(index + 1), at: Millis(LATE + index), body: nth(index) })
            .collect();
        assert_eq!(sent, expected);
        assert!(journal.on_nak(Seq(1_000)));
        assert_eq!(journal.next_to_send(Millis(0)), expected.last().copied());
    }

    #[test]
    fn when_there_is_no_room_the_oldest_go_and_the_loss_is_recorded_once_the_host_is_back() {
        let mut journal = Journal::new(Pace::SERIAL);
        for index in 0..20_000 {
            journal.record(Millis(index), nth(index));
        }
        let lost = journal.overflowed();
        let oldest = journal.outbox().oldest();
        assert!(lost > 0);
        assert_eq!(oldest, Seq(lost + 1));
        assert!(!journal.on_nak(Seq(1)), "gone");
        assert_eq!(journal.next_to_send(Millis(0)).unwrap().seq, oldest);
        journal.on_ack(oldest, Millis(30_000));
        let mut last = None;
        while let Some(record) = journal.next_to_send(Millis(30_000)) {
            journal.on_ack(record.seq, Millis(30_000));
            last = Some(record.body);
        }
        assert_eq!(last, Some(Body::Health(HealthFault::Overflow(lost))));
    }
}
