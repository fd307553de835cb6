//! One device, as the hub sees it: wherever it hangs, and while it hangs nowhere.

use std::collections::{BTreeMap, VecDeque};

use firmware_proto::delivery::{Inbox, Run};
use firmware_proto::{
    Beat, BootId, ClockFace, CmdId, Command, DeviceUid, Epoch, Hello, Left, Millis, Seq, StreamSeq, ToDevice,
};

use super::PortId;
use crate::sync::ClockEstimate;

/// Commands whose answer is remembered, so that a late repetition of the server's is not handed over again.
const ANSWERED: usize = 32;

#[derive(Debug)]
pub(super) struct Device {
    pub(super) boot: BootId,
    pub(super) inbox: Inbox<Seq>,
    /// Where it hangs.
    pub(super) port: Option<PortId>,
    /// How it greeted last.
    pub(super) hello: Option<Hello>,
    /// It hands over what an earlier start left, `boot`: until it has done so it is not there.
    pub(super) catches_up: bool,
    /// The number that its next record will get, as far as it told.
    pub(super) announced: Seq,
    /// Records that are applied but not on the disk: their numbers in the gateway's stream and in the device's.
    pub(super) undurable: VecDeque<(StreamSeq, Seq)>,
    pub(super) estimate: ClockEstimate,
    /// When its last record was made that the store knows, by its own time and by ours: for a start that is over.
    pub(super) dated: Option<(Millis, Epoch)>,
    /// Of its latest record: the stamps of records never go back.
    last_stamp: Epoch,
    pub(super) face: Option<ClockFace>,
    /// It said last that its records would not outlive a power cut.
    pub(super) unkept: bool,
    /// When it last said that it is there.
    pub(super) beaten: Epoch,
    durable: Option<Seq>,
    /// Commands under way, and when to hand them over again.
    commands: BTreeMap<CmdId, (Command, Millis)>,
    answered: VecDeque<CmdId>,
}

impl Device {
    /// A device of which everything before `next` is on the disk.
    pub(super) fn kept(boot: BootId, next: Seq) -> Device {
        let inbox = Inbox::expecting(next);
        Device {
            boot,
            inbox,
            port: None,
            hello: None,
            catches_up: false,
            announced: next,
            undurable: VecDeque::new(),
            estimate: ClockEstimate::new(),
            dated: None,
            last_stamp: Epoch::default(),
            face: None,
            unkept: false,
            beaten: Epoch::default(),
            durable: inbox.applied(),
            commands: BTreeMap::new(),
            answered: VecDeque::new(),
        }
    }

    /// When its last record was made that the store knows.
    pub(super) fn dated(self, dated: Option<(Millis, Epoch)>) -> Device {
        Device { dated, ..self }
    }

    /// It started again. What it had announced and never delivered is lost with the start before.
    pub(super) fn start_anew(&mut self, boot: BootId) -> Option<(BootId, Run<Seq>)> {
        let lost = self.inbox.give_up_until(self.announced).map(|run| (self.boot, run));
        let kept = Device::kept(boot, Seq::FIRST);
        *self = Device { port: self.port, last_stamp: self.last_stamp, ..kept };
        lost
    }

    /// What is known of the time of a start that is over: what its messages told while it lasted; else when its last
    /// record came that the store has; else that its last one was made before all that has been since.
    pub(super) fn date(&mut self, left: &Left, now: Epoch) {
        if self.estimate.venue(left.last).is_none() {
            let (at, venue) = self.dated.unwrap_or((left.last, now.plus(-i64::from(left.ago.0))));
            self.estimate.on_message(at, venue, 0);
        }
    }

    pub(super) fn detach(&mut self) {
        self.port = None;
        self.catches_up = false;
        self.commands.clear();
    }

    /// The venue time of an instant on its clock; not in the future.
    pub(super) fn venue(&self, at: Millis, now: Epoch) -> Epoch {
        self.estimate.venue(at).unwrap_or(now).min(now)
    }

    /// The stamp of a record of that instant: its venue time, but not before the record that came before it.
    pub(super) fn stamp(&mut self, at: Millis, now: Epoch) -> Epoch {
        self.last_stamp = self.venue(at, now).max(self.last_stamp);
        self.last_stamp
    }

    /// Whether more of its records are on the disk now.
    pub(super) fn on_durable(&mut self, upto: StreamSeq) -> bool {
        let before = self.durable;
        while let Some((_, seq)) = self.undurable.pop_front_if(|(stream, _)| *stream <= upto) {
            self.durable = Some(seq);
        }
        self.durable != before
    }

    /// The acknowledgement for what is on the disk, if anything is.
    pub(super) fn ack(&self) -> Option<ToDevice> {
        self.durable.map(|upto| ToDevice::Ack { boot: self.boot, upto })
    }

    /// Whether to hand over this command now: it is neither under way nor answered.
    pub(super) fn take_command(&mut self, id: CmdId, command: Command, retry: Millis) -> bool {
        let new = !self.commands.contains_key(&id) && !self.answered.contains(&id);
        if new {
            self.commands.insert(id, (command, retry));
        }
        new
    }

    /// A command was answered; whether that is news.
    pub(super) fn on_done(&mut self, id: CmdId) -> bool {
        let news = self.commands.remove(&id).is_some();
        if news {
            if self.answered.len() == ANSWERED {
                self.answered.pop_front();
            }
            self.answered.push_back(id);
        }
        news
    }

    /// The commands to hand over again.
    pub(super) fn commands_due(&mut self, now: Millis, retry: Millis) -> impl Iterator<Item = ToDevice> {
        self.commands.iter_mut().filter(move |(_, (_, due))| now.reached(*due)).map(
            move |(id, (command, due))| {
                *due = now.plus(retry);
                ToDevice::Command(*id, *command)
            },
        )
    }

    pub(super) fn poll_timeout(&self) -> Option<(Millis, &'static str)> {
        let due = self.commands.values().map(|(_, due)| *due).reduce(Millis::earlier)?;
        Some((due, "a command was not answered"))
    }

    /// That it is there, if it is. A beat says that everything recorded before it is on the disk here: while something
    /// is still on its way there is none.
    pub(super) fn beat(&self, device: DeviceUid) -> Option<Beat> {
        let all_is_here = self.undurable.is_empty() && self.announced <= self.inbox.expected();
        self.port.filter(|_| all_is_here && !self.catches_up).map(|_| Beat {
            device,
            at: self.beaten,
            face: self.face,
        })
    }
}
