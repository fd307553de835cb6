//! The gateway's part in a trial: bytes of a device become observations; each is taken once, in its order, and stamped
//! with the venue's time.

use firmware_proto::delivery::{Inbox, Number, Receipt, Run};
use firmware_proto::{
    Address, BootId, Epoch, FrameReader, FromDevice, Hello, Left, MAX_FRAME, Seq, Sighting, ToDevice, encode,
};

use crate::table::VirtualTable;

/// The line to one device.
pub(super) struct Link {
    port: usize,
    reader: FrameReader<FromDevice>,
    boot: Option<BootId>,
    inbox: Inbox<Seq>,
    /// Records up to here were made, as far as the device has said.
    announced: Seq,
    /// Venue time less the device's own, by what it said last.
    ahead: i64,
    up: bool,
    /// Commands that wait for the line.
    waiting: Vec<ToDevice>,
    told: bool,
}

impl Link {
    pub fn new(port: usize) -> Link {
        Link {
            port,
            reader: FrameReader::new(),
            boot: None,
            inbox: Inbox::new(),
            announced: Seq::default(),
            ahead: 0,
            up: true,
            waiting: Vec::new(),
            told: false,
        }
    }

    /// Whether nothing earlier than now can come any more: the line is up, and what the device had kept has come.
    pub fn is_complete(&self) -> bool {
        self.up && self.told && self.inbox.expected() >= self.announced
    }

    /// Takes what the device has to say; what is to be kept of it, with its time.
    pub fn poll(&mut self, table: &mut VirtualTable, now: i64) -> Vec<(Epoch, Sighting)> {
        let mut bytes = Vec::new();
        table.take_output(self.port, &mut bytes);
        let mut seen = Vec::new();
        if !self.up {
            return seen;
        }
        for byte in bytes {
            if let Some(Ok((_, message))) = self.reader.push(byte) {
                self.take(message, table, now, &mut seen);
            }
        }
        seen
    }

    fn take(
        &mut self,
        message: FromDevice,
        table: &mut VirtualTable,
        now: i64,
        seen: &mut Vec<(Epoch, Sighting)>,
    ) {
        match message {
            FromDevice::Hello(hello) => self.greet(&hello, now, seen),
            FromDevice::Beat { boot, next_seq, at, .. } if self.boot == Some(boot) => {
                self.ahead = now - i64::from(at.0);
                self.announced = self.announced.max(next_seq);
            }
            FromDevice::Record(boot, record) if self.boot == Some(boot) => {
                match self.inbox.on_item(record.seq) {
                    Receipt::Apply { .. } => {
                        let at = Epoch(self.ahead + i64::from(record.at.0));
                        seen.push((at, Sighting::Record(boot, record)));
                        self.acknowledge(table);
                    }
                    Receipt::Repeated => self.acknowledge(table),
                    Receipt::Gap { ask: true } => {
                        let from = self.inbox.expected();
                        self.write(table, ToDevice::Nak { boot, from });
                    }
                    Receipt::Gap { ask: false } => {}
                }
            }
            FromDevice::Beat { .. } | FromDevice::Record(..) => self.write(table, ToDevice::Identify),
            FromDevice::Left(_, left) => self.catch_up(&left, table, now, seen),
            FromDevice::Done(_) | FromDevice::TimeSync { .. } | FromDevice::Update(_) => {}
        }
    }

    fn greet(&mut self, hello: &Hello, now: i64, seen: &mut Vec<(Epoch, Sighting)>) {
        self.ahead = now - i64::from(hello.at.0);
        let anew = self.boot != Some(hello.boot);
        let gap =
            |boot, run: Run<Seq>| Sighting::Gap { boot, from: run.first, to: run.first.plus(run.count - 1) };
        if let Some(before) = self.boot.filter(|_| anew) {
            let lost = self.inbox.give_up_until(self.announced);
            seen.extend(lost.map(|run| (Epoch(now), gap(before, run))));
        }
        if anew {
            (self.boot, self.inbox, self.announced) = (Some(hello.boot), Inbox::new(), hello.next);
        }
        self.announced = self.announced.max(hello.next);
        if anew || !self.told {
            self.told = true;
            seen.push((Epoch(now), Sighting::Attached(*hello)));
        }
        let lost = self.inbox.give_up_until(hello.oldest);
        seen.extend(lost.map(|run| (Epoch(now), gap(hello.boot, run))));
    }

    /// What an earlier start left comes before the device is there again.
    fn catch_up(
        &mut self,
        left: &Left,
        table: &mut VirtualTable,
        now: i64,
        seen: &mut Vec<(Epoch, Sighting)>,
    ) {
        self.told = false;
        if self.boot.is_some_and(|boot| left.boot < boot) {
            // It was taken before the start that is known began.
            let upto = left.next.before().unwrap_or_default();
            return self.write(table, ToDevice::Ack { boot: left.boot, upto });
        }
        if self.boot != Some(left.boot) {
            (self.boot, self.inbox, self.announced) = (Some(left.boot), Inbox::new(), left.next);
            self.ahead = now - i64::from(left.ago.0) - i64::from(left.last.0);
        }
        self.announced = self.announced.max(left.next);
        if let Some(Run { first, count }) = self.inbox.give_up_until(left.oldest) {
            let gap = Sighting::Gap { boot: left.boot, from: first, to: first.plus(count - 1) };
            seen.push((Epoch(now), gap));
        }
        self.acknowledge(table);
    }

    fn acknowledge(&self, table: &mut VirtualTable) {
        if let (Some(boot), Some(upto)) = (self.boot, self.inbox.applied()) {
            self.write(table, ToDevice::Ack { boot, upto });
        }
    }

    /// Sends a command, now or when the line is up again.
    pub fn send(&mut self, table: &mut VirtualTable, message: ToDevice) {
        if self.up {
            self.write(table, message);
        } else {
            self.waiting.push(message);
        }
    }

    /// The line breaks off.
    pub fn go_down(&mut self) {
        (self.up, self.told) = (false, false);
        self.reader = FrameReader::new();
    }

    /// The line is up again: who is there?
    pub fn come_up(&mut self, table: &mut VirtualTable) {
        self.up = true;
        self.write(table, ToDevice::Identify);
        for message in std::mem::take(&mut self.waiting) {
            self.write(table, message);
        }
    }

    fn write(&self, table: &mut VirtualTable, message: ToDevice) {
        let mut out = [0; MAX_FRAME];
        let used =
            encode(Address::POINT_TO_POINT, &message, &mut out).expect("every message fits into a frame");
        table.on_bytes(self.port, &out[..used]);
    }
}
