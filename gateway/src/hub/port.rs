//! One open port, as the hub sees it.

use firmware_proto::{DeviceUid, Epoch, FrameReader, FromDevice, Millis, ToDevice};

use super::{ASK, Now, SILENCE};

#[derive(Debug)]
pub(super) struct Port {
    pub(super) reader: FrameReader<FromDevice>,
    /// Who said that he hangs here.
    pub(super) device: Option<DeviceUid>,
    /// Whether it is one of several devices on a shared line.
    pub(super) shared_line: bool,
    /// When a whole frame came last.
    pub(super) heard: Millis,
    /// Records that came twice.
    pub(super) repeated: u64,
    /// Times that a missing record was asked for.
    pub(super) asked_again: u64,
    /// Times that its device started anew.
    pub(super) resets: u64,
    /// The longest time between two frames of its device.
    pub(super) worst_gap: Millis,
    next_ask: Millis,
    /// The last question for the time: its token, and the venue time when it went out.
    question: (u32, Epoch),
}

impl Port {
    pub(super) fn new(now: Millis) -> Port {
        Port {
            reader: FrameReader::new(),
            device: None,
            shared_line: false,
            heard: now,
            repeated: 0,
            asked_again: 0,
            resets: 0,
            worst_gap: Millis::ZERO,
            next_ask: now.plus(ASK),
            question: (0, Epoch(0)),
        }
    }

    /// Its device sent a frame, or is given up: nothing came from it for so long.
    pub(super) fn hears(&mut self, now: Millis) {
        if self.device.is_some() {
            self.worst_gap = self.worst_gap.max(now.since(self.heard));
        }
        self.heard = now;
    }

    pub(super) fn is_silent(&self, now: Millis) -> bool {
        self.device.is_some() && now.reached(self.heard.plus(SILENCE))
    }

    /// The question that is due: who are you, or what time is it.
    pub(super) fn poll(&mut self, now: Now) -> Option<ToDevice> {
        if !now.wait.reached(self.next_ask) {
            return None;
        }
        self.next_ask = now.wait.plus(ASK);
        Some(match self.device {
            None => ToDevice::Identify,
            Some(_) => {
                let token = self.question.0.wrapping_add(1);
                self.question = (token, now.venue);
                ToDevice::TimeSync { token }
            }
        })
    }

    /// The venue time at which the question with this token went out, unless it is an old one.
    pub(super) fn asked_at(&self, token: u32) -> Option<Epoch> {
        (self.question.0 == token).then_some(self.question.1)
    }

    pub(super) fn poll_timeout(&self) -> (Millis, &'static str) {
        let silence = self.heard.plus(SILENCE);
        if self.device.is_some() && self.next_ask.reached(silence) {
            (silence, "a device may have fallen silent")
        } else {
            (self.next_ask, "ask who is there, or the time")
        }
    }
}
