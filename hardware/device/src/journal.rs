//! The numbered stream: every record is kept here, in the bytes that go on the line, until it is acknowledged. What
//! earlier starts left comes first, under their numbers, oldest start first.

use firmware_proto::delivery::{Acked, Number, Outbox, Pace};
use firmware_proto::{Body, BootId, HealthFault, Left, Millis, Record, Seq};
use serde::{Deserialize, Serialize};

use crate::ring::{ByteRing, Place};

/// Room for records: at least 4,096 of a game's usual mixture (a test counts them).
pub const RING_BYTES: usize = 64 * 1024;

/// One entry of what is kept, in memory and in flash. Order of variants is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Kept {
    /// The next record: when, and what.
    Record(Millis, Body),
    /// The next records are of this start, the first of them with this number.
    Start(BootId, Seq),
    /// Everything before this record of this start is with a host, or given up. Only in flash.
    Taken(BootId, Seq),
}

/// The longest entry's bytes: an identity image takes 77, its time five.
pub(crate) type EntryBytes = [u8; 255];

impl Kept {
    pub(crate) fn write<'b>(&self, bytes: &'b mut EntryBytes) -> &'b [u8] {
        postcard::to_slice(self, bytes).expect("no entry is nearly so long")
    }
}

/// Of this start's records, which are not in flash yet.
struct Unwritten {
    /// So many, the newest ones.
    count: u32,
    /// Where the first of them begins.
    at: Place,
    /// The flash takes none at present: they go out all the same.
    stalled: bool,
    /// What the host was told last of that.
    told: bool,
}

pub(crate) struct Journal {
    ring: ByteRing<RING_BYTES>,
    pace: Pace,
    /// This start, and the number that its next record gets.
    own: (BootId, Seq),
    /// Whose records are handed over at present.
    turn: BootId,
    outbox: Outbox<Seq>,
    /// Where the record with this number begins, so that sending in order need not search.
    reading: (Seq, Place),
    /// What the next record in the ring is if no [`Kept::Start`] comes before it.
    tail: (BootId, Seq),
    /// Records in the ring …
    records: u32,
    /// … and starts that begin in it.
    starts: u32,
    /// Somebody else's turn has begun: a host must be told.
    turned: bool,
    /// `None`: nothing is written to a flash.
    unwritten: Option<Unwritten>,
    /// Records dropped for want of room, since the start …
    overflowed: u32,
    /// … and those of them that no record tells of yet.
    unreported: u32,
}

impl Journal {
    pub(crate) fn new(boot: BootId, pace: Pace) -> Journal {
        let ring = ByteRing::new();
        let reading = (Seq::FIRST, ring.oldest());
        Journal {
            ring,
            pace,
            own: (boot, Seq::FIRST),
            turn: boot,
            outbox: Outbox::new(pace),
            reading,
            tail: (boot, Seq::FIRST),
            records: 0,
            starts: 0,
            turned: false,
            unwritten: None,
            overflowed: 0,
            unreported: 0,
        }
    }

    /// The number that this start's next record gets.
    pub(crate) const fn next(&self) -> Seq {
        self.own.1
    }

    /// The oldest of this start's records that is still kept.
    pub(crate) const fn oldest(&self) -> Seq {
        if self.is_catching_up() { Seq::FIRST } else { self.outbox.oldest() }
    }

    /// Records that wait to be acknowledged.
    pub(crate) const fn backlog(&self) -> u32 {
        self.records
    }

    pub(crate) const fn overflowed(&self) -> u32 {
        self.overflowed
    }

    pub(crate) fn poll_timeout(&self) -> Option<(Millis, &'static str)> {
        self.outbox.poll_timeout()
    }

    /// The first record that waits to be acknowledged, or the next one: everything before it is taken, or given up.
    pub(crate) const fn front(&self) -> (BootId, Seq) {
        (self.turn, self.outbox.oldest())
    }

    /// Whether records of an earlier start come first.
    const fn is_catching_up(&self) -> bool {
        self.starts > 0
    }

    /// A record of an earlier start, from a flash: before this start makes its first one. Oldest first.
    pub(crate) fn restore(&mut self, boot: BootId, seq: Seq, entry: &[u8]) {
        self.append(boot, seq, entry);
    }

    /// All that earlier starts left is restored; from now on records go out when they are written to the flash
    /// ([`Journal::unwritten`]), or it takes none.
    pub(crate) fn write_ahead(&mut self) {
        self.begin(self.own.0, Seq::FIRST);
        self.unwritten = Some(Unwritten { count: 0, at: self.ring.end(), stalled: false, told: false });
    }

    /// Numbers and keeps what happened. When there is no room the oldest records go, counted.
    pub(crate) fn record(&mut self, at: Millis, body: Body) {
        let mut bytes = [0; 255];
        let entry = Kept::Record(at, body).write(&mut bytes);
        let (boot, seq) = self.own;
        self.append(boot, seq, entry);
        self.own.1 = seq.plus(1);
    }

    /// The next record to send, and its start.
    pub(crate) fn next_to_send(&mut self, now: Millis) -> Option<(BootId, Record)> {
        let seq = self.outbox.poll(now, 1)?.first;
        let place = self.place_of(seq);
        self.reading = (seq.plus(1), self.ring.after(place));
        let Kept::Record(at, body) = self.entry(place) else {
            unreachable!("no start begins among the records of a turn")
        };
        Some((self.turn, Record { seq, at, body }))
    }

    /// `false`: it is not the turn of that start.
    pub(crate) fn on_ack(&mut self, boot: BootId, upto: Seq, now: Millis) -> bool {
        if boot != self.turn {
            return false;
        }
        match self.outbox.on_ack(upto, now) {
            Acked::Frees(count) => {
                for _ in 0..count {
                    self.pop();
                }
                self.next_turn();
                if self.unreported > 0 {
                    let lost = core::mem::take(&mut self.unreported);
                    self.record(now, Body::Health(HealthFault::Overflow(lost)));
                }
            }
            Acked::Known | Acked::Foreign => {}
        }
        true
    }

    /// `false`: that record is not kept any more, or it is not the turn of that start.
    pub(crate) fn on_nak(&mut self, boot: BootId, from: Seq) -> bool {
        boot == self.turn && self.outbox.on_nak(from)
    }

    pub(crate) fn on_reconnect(&mut self) {
        self.outbox.on_reconnect();
    }

    /// Whether another start's turn has begun since this was asked last.
    pub(crate) const fn take_turned(&mut self) -> bool {
        core::mem::replace(&mut self.turned, false)
    }

    /// What an earlier start left that is handed over at present; `None`: it is this one's turn.
    pub(crate) fn left(&self, now: Millis) -> Option<Left> {
        if !self.is_catching_up() {
            return None;
        }
        // When the last record of the turn was made; then how long what came behind it lasted.
        let mut last = None;
        let mut lasted = now;
        let (mut boot, mut at) = (self.turn, Millis::ZERO);
        let mut place = self.ring.oldest();
        for _ in 0..self.records + self.starts {
            match self.entry(place) {
                Kept::Record(made, _) => at = made,
                Kept::Start(next, _) => {
                    let before = *last.get_or_insert(at);
                    if next != boot {
                        let from = if boot == self.turn { before } else { Millis::ZERO };
                        lasted = lasted.plus(at.since(from));
                        (boot, at) = (next, Millis::ZERO);
                    }
                    if next == self.own.0 {
                        break;
                    }
                }
                Kept::Taken(..) => {}
            }
            place = self.ring.after(place);
        }
        let (oldest, next) = (self.outbox.oldest(), self.outbox.next());
        Some(Left { boot: self.turn, oldest, next, last: last.unwrap_or(at), ago: lasted })
    }

    /// Whether records wait for the flash: nothing is told before.
    pub(crate) fn awaits_flash(&self) -> bool {
        self.unwritten.as_ref().is_some_and(|unwritten| unwritten.count > 0 && !unwritten.stalled)
    }

    /// The first record that is to be written to the flash: its number, its entry's bytes in `bytes`, and how many.
    pub(crate) fn unwritten(&self, bytes: &mut EntryBytes) -> Option<(Seq, usize)> {
        let Unwritten { count, at, .. } = *self.unwritten.as_ref()?;
        (count > 0).then(|| (Seq(self.own.1.0 - count), self.ring.read(at, bytes)))
    }

    /// That one is written. If the host was told that nothing is, it is told that all is again.
    pub(crate) fn on_written(&mut self, now: Millis) {
        let Some(unwritten) = &mut self.unwritten else { return };
        unwritten.count = unwritten.count.saturating_sub(1);
        unwritten.at = self.ring.after(unwritten.at);
        unwritten.stalled = false;
        if unwritten.count == 0 && core::mem::take(&mut unwritten.told) {
            self.record(now, Body::Health(HealthFault::Unkept(false)));
        }
    }

    /// The flash takes nothing at present: the host is told once.
    pub(crate) fn on_stalled(&mut self, now: Millis) {
        let Some(unwritten) = &mut self.unwritten else { return };
        unwritten.stalled = true;
        if !core::mem::replace(&mut unwritten.told, true) {
            self.record(now, Body::Health(HealthFault::Unkept(true)));
        }
    }

    /// The records behind what is kept are of this start, the first of them with this number.
    fn begin(&mut self, boot: BootId, seq: Seq) {
        if self.tail == (boot, seq) {
            return;
        }
        self.tail = (boot, seq);
        if self.records == 0 {
            self.take_turn(boot, seq, 0);
        } else {
            self.push(Kept::Start(boot, seq).write(&mut [0; 255]));
            self.starts += 1;
        }
    }

    fn append(&mut self, boot: BootId, seq: Seq, entry: &[u8]) {
        self.begin(boot, seq);
        self.push(entry);
        self.records += 1;
        self.tail.1 = seq.plus(1);
        if self.starts == 0 {
            self.outbox.push();
        }
        if let Some(unwritten) = &mut self.unwritten {
            unwritten.count += 1;
        }
    }

    fn push(&mut self, entry: &[u8]) {
        while !self.ring.push(entry) {
            self.pop();
            self.outbox.drop_oldest();
            self.overflowed = self.overflowed.saturating_add(1);
            self.unreported = self.unreported.saturating_add(1);
            self.next_turn();
        }
    }

    /// Forgets the oldest record.
    fn pop(&mut self) {
        self.ring.pop();
        self.records = self.records.saturating_sub(1);
        if let Some(unwritten) = &mut self.unwritten
            && unwritten.count > self.records
        {
            (unwritten.count, unwritten.at) = (self.records, self.ring.oldest());
        }
    }

    /// If nothing is left of the start whose turn it is, it is the next one's.
    fn next_turn(&mut self) {
        while self.starts > 0 && self.outbox.backlog() == 0 {
            let Kept::Start(boot, first) = self.entry(self.ring.oldest()) else {
                unreachable!("behind the records of a start another one begins")
            };
            self.ring.pop();
            self.starts -= 1;
            let count = if self.starts == 0 { self.records } else { self.records_before_the_next_start() };
            self.take_turn(boot, first, count);
        }
    }

    fn take_turn(&mut self, boot: BootId, first: Seq, count: u32) {
        self.turned |= boot != self.turn;
        self.turn = boot;
        self.outbox = Outbox::resume(self.pace, first, first.plus(count));
        self.reading = (first, self.ring.oldest());
    }

    fn records_before_the_next_start(&self) -> u32 {
        let mut place = self.ring.oldest();
        let mut count = 0;
        while let Kept::Record(..) = self.entry(place) {
            place = self.ring.after(place);
            count += 1;
        }
        count
    }

    fn entry(&self, place: Place) -> Kept {
        let mut bytes = [0; 255];
        let length = self.ring.read(place, &mut bytes);
        postcard::from_bytes(&bytes[..length]).expect("the ring gives back what was put in")
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
pub(crate) mod tests {
    use firmware_proto::{ByHalf, Cell, ClockFace, Half, Image, Reading, SensingKind};

    use super::*;

    /// A game's mixture late in a long day: per ply about four changes of cells and a press, an image a minute.
    pub(crate) fn nth(index: u32) -> Body {
        let left = ByHalf { a: Millis(3_600_000 - index), b: Millis(3_599_000) };
        match index % 80 {
            0 => Body::Snapshot(Image::empty(SensingKind::Colour)),
            n if n % 5 == 0 => Body::Press(Half::A, ClockFace { left, running: Some(Half::B) }),
            n => Body::Point(Cell::new(n as u8).unwrap(), Reading(1)),
        }
    }

    const BOOT: BootId = BootId(7);
    pub(crate) const LATE: u32 = 50_000_000;

    #[test]
    fn four_thousand_and_ninety_six_usual_records_are_kept_without_a_host() {
        let mut journal = Journal::new(BOOT, Pace::SERIAL);
        for index in 0..4_096 {
            journal.record(Millis(LATE + index), nth(index));
        }
        assert_eq!((journal.overflowed(), journal.oldest()), (0, Seq(1)));
    }

    #[test]
    fn every_record_comes_back_as_it_was_until_it_is_acknowledged() {
        let mut journal = Journal::new(BOOT, Pace::SERIAL);
        let mut sent = vec![];
        for index in 0..1_000 {
            journal.record(Millis(LATE + index), nth(index));
            if let Some((BOOT, record)) = journal.next_to_send(Millis(LATE + index)) {
                sent.push(record);
            }
            if index % 50 == 49 {
                journal.on_ack(BOOT, Seq(index), Millis(LATE + index));
            }
        }
        let expected: Vec<Record> = (0..1_000)
            .map(|index| Record { seq: Seq(index + 1), at: Millis(LATE + index), body: nth(index) })
            .collect();
        assert_eq!(sent, expected);
        assert!(journal.on_nak(BOOT, Seq(1_000)));
        assert_eq!(journal.next_to_send(Millis(0)), expected.last().map(|record| (BOOT, *record)));
    }

    #[test]
    fn when_there_is_no_room_the_oldest_go_and_the_loss_is_recorded_once_the_host_is_back() {
        let mut journal = Journal::new(BOOT, Pace::SERIAL);
        for index in 0..20_000 {
            journal.record(Millis(index), nth(index));
        }
        let lost = journal.overflowed();
        let oldest = journal.oldest();
        assert!(lost > 0);
        assert_eq!(oldest, Seq(lost + 1));
        assert!(!journal.on_nak(BOOT, Seq(1)), "gone");
        assert_eq!(journal.next_to_send(Millis(0)).unwrap().1.seq, oldest);
        journal.on_ack(BOOT, oldest, Millis(30_000));
        let mut last = None;
        while let Some((_, record)) = journal.next_to_send(Millis(30_000)) {
            journal.on_ack(BOOT, record.seq, Millis(30_000));
            last = Some(record.body);
        }
        assert_eq!(last, Some(Body::Health(HealthFault::Overflow(lost))));
    }
}
