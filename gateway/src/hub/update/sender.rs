//! One device's way to another firmware: what it is told next, and what its answers mean.
//!
//! Bytes go up to a few chunks ahead of the answers. A chunk that was lost (on the line, or because the device was
//! erasing its flash) is noticed by an answer that asks for it again or by no answer at all; then the bytes go out again
//! from where the device is, one chunk at first and one more with each that is taken.

use firmware_proto::progress::{Hindrance, Outcome, Progress, Stage};
use firmware_proto::{BootId, Chunk, Firmware, Hello, Millis, UpdateRefusal, UpdateState, UpdateStep};

/// Chunks that are on their way at once, at most: the device's line buffers hold them while it writes its flash.
const MOST_AHEAD: u32 = 4;

/// A step that was not answered for so long is told again.
const RETRY: Millis = Millis(1_000);

/// The same for bytes, at first. It is doubled each time that was too short, and shrinks while all goes well …
const CHUNK_RETRY: Millis = Millis(250);

/// … between these two.
const LONGEST_CHUNK_RETRY: Millis = Millis(2_000);

/// A device that has no time for an update at present is asked again after so long.
const ASK_AGAIN: Millis = Millis(2_000);

/// An update that does not come on for so long is over: longer than a device's trial and its way back.
const PATIENCE: Millis = Millis(120_000);

/// So often the bytes are sent anew to a device that was reset before it tried them.
const ATTEMPTS: u8 = 3;

/// A device, and how far it is.
#[derive(Debug)]
pub(super) struct Sender {
    stage: Stage,
    held_up: Option<Hindrance>,
    /// The start of the device that is known, and the version that it runs.
    boot: BootId,
    runs: u32,
    /// The start in which its trial was asked for: what it says of itself counts from the next one on.
    tried_in: Option<BootId>,
    /// How often it was reset and had not tried it.
    untried: u8,
    /// Everything before this offset is on its way or there.
    sent: u32,
    /// Chunks that may be on their way at once.
    ahead: u32,
    /// Whether the bytes were already told again from where the device is.
    went_back: bool,
    chunk_retry: Millis,
    /// When the present step is told again.
    due: Millis,
    /// When it came on last.
    moved: Millis,
}

/// What a sender works on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load<'a> {
    pub(super) firmware: Firmware,
    pub(super) bytes: &'a [u8],
}

impl Sender {
    /// For a device that is there and has greeted so.
    pub(super) const fn new(hello: &Hello, now: Millis) -> Sender {
        Sender {
            stage: Stage::Waits,
            held_up: None,
            boot: hello.boot,
            runs: hello.firmware,
            tried_in: None,
            untried: 0,
            sent: 0,
            ahead: 1,
            went_back: false,
            chunk_retry: CHUNK_RETRY,
            due: now,
            moved: now,
        }
    }

    pub(super) const fn progress(&self) -> Progress {
        Progress { stage: self.stage, held_up: self.held_up }
    }

    pub(super) const fn outcome(&self) -> Option<Outcome> {
        match self.stage {
            Stage::Over(outcome) => Some(outcome),
            Stage::Waits | Stage::Offered | Stage::Sending { .. } | Stage::Checking | Stage::Trial => None,
        }
    }

    /// Whether its turn has come and its end has not.
    pub(super) const fn is_active(&self) -> bool {
        match self.stage {
            Stage::Waits | Stage::Over(_) => false,
            Stage::Offered | Stage::Sending { .. } | Stage::Checking | Stage::Trial => true,
        }
    }

    /// Its turn has come.
    pub(super) fn begin(&mut self, load: Load, now: Millis) -> Option<UpdateStep> {
        if self.runs == load.firmware.version {
            self.stage = Stage::Over(Outcome::HadIt);
            return None;
        }
        self.enter(Stage::Offered, load, now)
    }

    /// It ends here, unless it has ended or the new firmware is about to be tried: that is the device's affair.
    pub(super) fn stop(&mut self, outcome: Outcome) -> Option<UpdateStep> {
        match self.stage {
            Stage::Waits => {
                self.stage = Stage::Over(outcome);
                None
            }
            Stage::Offered | Stage::Sending { .. } => {
                self.stage = Stage::Over(outcome);
                Some(UpdateStep::Forget)
            }
            Stage::Checking | Stage::Trial | Stage::Over(_) => None,
        }
    }

    /// Its link is gone.
    pub(super) const fn on_gone(&mut self) {
        self.held_up = Some(Hindrance::Away);
    }

    /// It greeted.
    pub(super) fn on_hello(&mut self, hello: &Hello, load: Load, now: Millis) -> Option<UpdateStep> {
        let anew = self.boot != hello.boot;
        let back = self.held_up == Some(Hindrance::Away);
        (self.boot, self.runs) = (hello.boot, hello.firmware);
        if back {
            self.held_up = None;
        }
        if !(anew || back) {
            return None;
        }
        match self.stage {
            Stage::Waits | Stage::Over(_) => None,
            // Nothing of what came outlives a reset; after a lost link it goes on where it was.
            Stage::Offered | Stage::Sending { .. } => self.enter(Stage::Offered, load, now),
            Stage::Checking if !anew => self.enter(Stage::Checking, load, now),
            Stage::Checking | Stage::Trial => self.enter(Stage::Trial, load, now),
        }
    }

    /// It answered.
    pub(super) fn on_state(&mut self, state: UpdateState, load: Load, now: Millis) -> Vec<UpdateStep> {
        match state {
            UpdateState::Coming { next } => return self.on_coming(next, load, now),
            UpdateState::Restarts => {
                if matches!(self.stage, Stage::Offered | Stage::Checking) {
                    self.tried_in = Some(self.boot);
                    self.moved = now;
                    self.stage = Stage::Trial;
                    self.due = now.plus(RETRY);
                }
            }
            UpdateState::OnTrial => self.held_up = None,
            UpdateState::Settled => return self.on_settled(Outcome::Kept, load, now),
            UpdateState::GivenBack => return self.on_settled(Outcome::GivenBack, load, now),
            UpdateState::Refused(refusal) => {
                return self.on_refused(refusal, load, now).into_iter().collect();
            }
        }
        vec![]
    }

    /// Time passed; it hangs on a port unless it is away.
    pub(super) fn poll(&mut self, load: Load, now: Millis) -> Vec<UpdateStep> {
        if !self.is_active() {
            return vec![];
        }
        if now.reached(self.moved.plus(PATIENCE)) {
            self.stage = Stage::Over(match (self.held_up, self.stage) {
                (Some(Hindrance::GameOn), _) => Outcome::Refused(UpdateRefusal::GameOn),
                (Some(Hindrance::RecordsWait), _) => Outcome::Refused(UpdateRefusal::RecordsWait),
                (Some(Hindrance::OnTrial), _) => Outcome::Refused(UpdateRefusal::OnTrial),
                (Some(Hindrance::Away) | None, Stage::Trial) => Outcome::NotBack,
                (Some(Hindrance::Away) | None, _) => Outcome::Lost,
            });
            return vec![];
        }
        if self.held_up == Some(Hindrance::Away) || !now.reached(self.due) {
            return vec![];
        }
        if let Stage::Sending { taken, .. } = self.stage {
            self.chunk_retry = Millis((self.chunk_retry.0 * 2).min(LONGEST_CHUNK_RETRY.0));
            return self.go_back(taken, load, now);
        }
        self.enter(self.stage, load, now).into_iter().collect()
    }

    /// When [`Sender::poll`] wants to be called although nothing happened.
    pub(super) fn poll_timeout(&self) -> Option<Millis> {
        let given_up = self.moved.plus(PATIENCE);
        let away = self.held_up == Some(Hindrance::Away);
        self.is_active().then(|| if away { given_up } else { self.due.earlier(given_up) })
    }

    /// It is at this stage now, or still: the step that belongs to it.
    fn enter(&mut self, stage: Stage, load: Load, now: Millis) -> Option<UpdateStep> {
        if self.stage != stage {
            self.moved = now;
        }
        self.stage = stage;
        self.due = now.plus(RETRY);
        match stage {
            Stage::Waits | Stage::Over(_) | Stage::Sending { .. } => None,
            Stage::Offered => Some(UpdateStep::Offer(load.firmware)),
            Stage::Checking => {
                self.tried_in = Some(self.boot);
                Some(UpdateStep::Try)
            }
            Stage::Trial => Some(UpdateStep::Ask),
        }
    }

    fn on_coming(&mut self, next: u32, load: Load, now: Millis) -> Vec<UpdateStep> {
        let length = load.firmware.length;
        match self.stage {
            Stage::Offered => {
                self.moved = now;
                self.sent = next;
            }
            Stage::Sending { taken, .. } if next > taken => {
                self.moved = now;
                self.ahead = MOST_AHEAD.min(self.ahead + 1);
                self.chunk_retry = Millis(self.chunk_retry.0 - self.chunk_retry.0 / 16).max(CHUNK_RETRY);
            }
            // It lacks what comes next: once is enough to say so.
            Stage::Sending { taken, .. } if next == taken && !self.went_back => {
                self.went_back = true;
                return self.go_back(taken, load, now);
            }
            // An answer to what it had already.
            Stage::Sending { .. } | Stage::Waits | Stage::Checking | Stage::Trial | Stage::Over(_) => {
                return vec![];
            }
        }
        self.held_up = None;
        self.went_back = false;
        if next >= length {
            return self.enter(Stage::Checking, load, now).into_iter().collect();
        }
        self.stage = Stage::Sending { taken: next, of: length };
        self.sent = self.sent.max(next);
        self.chunks(next, load, now)
    }

    /// The bytes go out again from where the device is.
    fn go_back(&mut self, taken: u32, load: Load, now: Millis) -> Vec<UpdateStep> {
        self.sent = taken;
        self.ahead = 1;
        self.chunks(taken, load, now)
    }

    /// The chunks that may go out when the device has everything before `taken`.
    fn chunks(&mut self, taken: u32, load: Load, now: Millis) -> Vec<UpdateStep> {
        self.due = now.plus(self.chunk_retry);
        let mut steps = vec![];
        while self.sent < taken.saturating_add(self.ahead * Chunk::MOST as u32) {
            let rest = load.bytes.get(self.sent as usize..).unwrap_or_default();
            let Some(chunk) = Chunk::new(&rest[..rest.len().min(Chunk::MOST)]) else { break };
            steps.push(UpdateStep::Bytes { at: self.sent, chunk });
            self.sent += chunk.bytes().len() as u32;
        }
        steps
    }

    /// It runs a firmware that is not on trial.
    fn on_settled(&mut self, outcome: Outcome, load: Load, now: Millis) -> Vec<UpdateStep> {
        // What it says before it has restarted says nothing of the new one.
        if self.stage != Stage::Trial || self.tried_in.is_none_or(|boot| boot == self.boot) {
            return vec![];
        }
        if outcome == Outcome::Kept && self.runs != load.firmware.version {
            // It was reset before it was told to try, and the bytes are gone; or it has no boot stage that tries them.
            self.untried += 1;
            if self.untried == ATTEMPTS {
                self.stage = Stage::Over(Outcome::NotTried);
                return vec![];
            }
            return self.enter(Stage::Offered, load, now).into_iter().collect();
        }
        self.stage = Stage::Over(outcome);
        vec![]
    }

    fn on_refused(&mut self, refusal: UpdateRefusal, load: Load, now: Millis) -> Option<UpdateStep> {
        match self.stage {
            // There only the question is told, which nobody refuses.
            Stage::Waits | Stage::Trial | Stage::Over(_) => return None,
            Stage::Offered | Stage::Sending { .. } | Stage::Checking => {}
        }
        let hindrance = match refusal {
            UpdateRefusal::OtherTarget
            | UpdateRefusal::Length
            | UpdateRefusal::Damaged
            | UpdateRefusal::FlashFailed => {
                self.stage = Stage::Over(Outcome::Refused(refusal));
                return None;
            }
            // Nothing was offered since its reset, or less came than it seemed.
            UpdateRefusal::NotOffered | UpdateRefusal::Incomplete => {
                return (self.stage != Stage::Offered)
                    .then(|| self.enter(Stage::Offered, load, now))
                    .flatten();
            }
            // Whoever asks wants to know it at once; later it may be a piece that was only moved aside.
            UpdateRefusal::GameOn if self.sent == 0 => {
                self.stage = Stage::Over(Outcome::Refused(refusal));
                return None;
            }
            UpdateRefusal::GameOn => Hindrance::GameOn,
            UpdateRefusal::RecordsWait => Hindrance::RecordsWait,
            UpdateRefusal::OnTrial => Hindrance::OnTrial,
        };
        self.held_up = Some(hindrance);
        if let Stage::Sending { .. } = self.stage {
            // The offer asks whether it may go on, and where.
            self.stage = Stage::Offered;
        }
        self.due = now.plus(if refusal == UpdateRefusal::RecordsWait { RETRY } else { ASK_AGAIN });
        None
    }
}
