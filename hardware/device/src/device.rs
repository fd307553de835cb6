//! A whole device: a board, a clock or both, and the link to its gateway.

use firmware_proto::delivery::Pace;
use firmware_proto::{
    Address, Body, BootId, ByHalf, Capabilities, Cell, ClockFace, CmdId, Command, DeviceUid, Done, DoneCode,
    Fault, Faults, FrameReader, FromDevice, Half, HealthFault, Hello, Image, MAX_FRAME, Millis, PlayerSignal,
    Reading, ResetCause, Seq, ToDevice, UpdateState, UpdateStep, encode,
};

use crate::activity::Activity;
use crate::board::Board;
use crate::clock::Clock;
use crate::commands::Commands;
use crate::contacts::{Contact, Contacts};
use crate::journal::Journal;
use crate::keep::KeptClock;
use crate::shown::ShownTime;

/// How often a device says that it is there.
const BEAT: Millis = Millis(1_000);

/// While a time runs, how a clock stands is to be kept so often: that much a power cut can give back at most.
const KEEP: Millis = Millis(2_000);

/// Below this a battery has about 15 % left, millivolts: one lithium cell at rest.
pub const LOW_SUPPLY: u16 = 3_600;

/// So far above it a supply has recovered, millivolts.
const SUPPLY_RECOVERS: u16 = 150;

/// Answers that may wait for the line; when more come the oldest goes (its question will be asked again).
const ANSWERS: usize = 8;

/// Who a device is and what it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Its number for life.
    pub uid: DeviceUid,
    /// This start: one more than the last one's.
    pub boot: BootId,
    /// Firmware version.
    pub firmware: u32,
    /// Hardware revision.
    pub hardware: u16,
    /// Why it started.
    pub reset: ResetCause,
    /// Its parts.
    pub capabilities: Capabilities,
    /// Its address on the line.
    pub address: Address,
    /// How patiently it resends: [`Pace::SERIAL`], unless its time runs faster than the gateway's.
    pub pace: Pace,
}

/// When how the clock stands is to be kept next.
#[derive(Clone, Copy)]
enum KeepDue {
    /// Something changed: as soon as possible.
    Now,
    /// Kept at this time; again after a while, if a time runs.
    Kept(Millis),
}

/// A device. 64 KiB of it are its ring: keep it in a static or on the heap.
pub struct Device {
    config: Config,
    now: Millis,
    board: Option<Board>,
    clock: Option<Clock>,
    contacts: Contacts,
    keep: KeepDue,
    light: Option<Cell>,
    pub(crate) journal: Journal,
    commands: Commands,
    reader: FrameReader<ToDevice>,
    hello_due: bool,
    beat_due: bool,
    next_beat: Millis,
    answers: [Option<FromDevice>; ANSWERS],
    reboot_asked: bool,
    supply_low: bool,
    calibration_asked: bool,
    activity: Activity,
    /// A sound message of its host came.
    heard_host: bool,
    update_step: Option<UpdateStep>,
    /// Its clock has not told yet how it stands.
    clock_untold: bool,
}

impl Device {
    /// A device that starts now: it greets, and a clock records its state. Its board records its first image
    /// after the first scans.
    #[must_use]
    pub fn new(config: Config, now: Millis) -> Device {
        Device::restarted(config, None, now)
    }

    /// The same, with a clock that goes on as it stood.
    #[must_use]
    pub fn restarted(config: Config, clock: Option<KeptClock>, now: Millis) -> Device {
        Device {
            config,
            now,
            board: config.capabilities.board.map(Board::new),
            clock: config
                .capabilities
                .clock
                .then(|| clock.map_or_else(|| Clock::new(now), |kept| Clock::restored(kept, now))),
            contacts: Contacts::new(),
            keep: KeepDue::Kept(now),
            light: None,
            journal: Journal::new(config.boot, config.pace),
            commands: Commands::new(),
            reader: FrameReader::new(),
            hello_due: true,
            beat_due: false,
            next_beat: now.plus(BEAT),
            answers: [None; ANSWERS],
            reboot_asked: false,
            supply_low: false,
            calibration_asked: false,
            activity: Activity::new(),
            heard_host: false,
            update_step: None,
            clock_untold: true,
        }
    }

    /// This start.
    pub(crate) const fn boot(&self) -> BootId {
        self.config.boot
    }

    /// Its time.
    pub(crate) const fn now(&self) -> Millis {
        self.now
    }

    /// A scan of all cells. Ignored without a board.
    pub fn on_scan(&mut self, now: Millis, raw: &[Reading; Cell::COUNT]) {
        self.advance(now);
        if let Some(board) = &mut self.board {
            let (journal, activity, now) = (&mut self.journal, &mut self.activity, self.now);
            board.on_scan(raw, now, |body| {
                if let Body::Point(cell, _) = body {
                    activity.moved(cell, now);
                }
                journal.record(now, body);
            });
        }
    }

    /// The strengths of the fields that the last scan was made of, microtesla without sign, from sensors that measure
    /// them. Ignored without a board.
    pub fn on_fields(&mut self, now: Millis, fields: &[u16; Cell::COUNT]) {
        self.advance(now);
        if let Some(board) = &mut self.board {
            let (journal, now) = (&mut self.journal, self.now);
            board.on_fields(fields, now, |fault| journal.record(now, Body::Health(fault)));
        }
    }

    /// A lever went down. Ignored without a clock.
    pub fn on_lever(&mut self, half: Half, now: Millis) {
        self.advance(now);
        if let Some(clock) = &mut self.clock {
            let (journal, now) = (&mut self.journal, self.now);
            clock.on_lever(half, now, |body| journal.record(now, body));
            self.activity.pressed(now);
            self.keep = KeepDue::Now;
        }
    }

    /// A player used his buttons (for resigning, the shell waits until the button was held long enough). Ignored
    /// without a clock.
    pub fn on_button(&mut self, half: Half, signal: PlayerSignal, now: Millis) {
        self.advance(now);
        if let Some(clock) = &mut self.clock {
            let (journal, now) = (&mut self.journal, self.now);
            clock.on_button(half, signal, now, |body| journal.record(now, body));
        }
    }

    /// Which of a clock's contacts are closed, read every millisecond or so: bit n is [`Contact::ALL`]\[n\]. Ignored
    /// without a clock.
    pub fn on_contacts(&mut self, closed: u8, now: Millis) {
        let mut counted = [None; Contact::ALL.len()];
        let mut free = counted.iter_mut();
        self.contacts.on_read(closed, now, |contact| {
            if let Some(place) = free.next() {
                *place = Some(contact);
            }
        });
        for contact in counted.into_iter().flatten() {
            match contact {
                Contact::Lever(half) => self.on_lever(half, now),
                Contact::Button(half, signal) => self.on_button(half, signal, now),
            }
        }
    }

    /// The supply was measured, millivolts. It is told once when it sinks below [`LOW_SUPPLY`], and again only
    /// after it was well above it.
    pub fn on_supply(&mut self, millivolts: u16, now: Millis) {
        self.advance(now);
        if millivolts < LOW_SUPPLY && !self.supply_low {
            self.supply_low = true;
            self.journal.record(self.now, Body::Health(HealthFault::Supply(millivolts)));
        } else if millivolts >= LOW_SUPPLY + SUPPLY_RECOVERS {
            self.supply_low = false;
        }
    }

    /// Bytes came from the line.
    pub fn on_bytes(&mut self, bytes: &[u8], now: Millis) {
        self.advance(now);
        for &byte in bytes {
            match self.reader.push(byte) {
                Some(Ok((address, message))) if address == self.config.address => self.on_message(message),
                Some(Ok(_)) | None => {}
                // A host of another version learns whom it has before it.
                Some(Err(Fault::BadVersion { .. })) => self.hello_due = true,
                Some(Err(
                    Fault::Garbage { .. } | Fault::Overfull { .. } | Fault::BadCrc | Fault::BadPayload,
                )) => {}
            }
        }
    }

    /// A message came to it over a line of another kind.
    pub(crate) fn on_message_at(&mut self, message: ToDevice, now: Millis) {
        self.advance(now);
        self.on_message(message);
    }

    /// The next message that is due, for a line of another kind.
    pub(crate) fn next_message_at(&mut self, now: Millis) -> Option<FromDevice> {
        self.advance(now);
        self.next_message()
    }

    /// Time passed.
    pub fn poll(&mut self, now: Millis) {
        self.advance(now);
        let now = self.now;
        if let Some(board) = &mut self.board {
            let journal = &mut self.journal;
            board.poll(now, |body| journal.record(now, body));
        }
        if now.reached(self.next_beat) {
            self.beat_due = true;
            self.next_beat = now.plus(BEAT);
        }
    }

    /// When [`Device::poll`] wants to be called although nothing happened, and why.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<(Millis, &'static str)> {
        let board = self.board.as_ref().and_then(Board::poll_timeout);
        let clock = self.clock.as_ref().and_then(Clock::poll_timeout);
        let resend = self.journal.poll_timeout();
        let beat = Some((self.next_beat, "say that it is there"));
        let sooner = |one: (Millis, &'static str), other: (Millis, &'static str)| {
            if other.0.reached(one.0) { one } else { other }
        };
        [board, clock, resend, beat].into_iter().flatten().reduce(sooner)
    }

    /// Writes the whole frames that are due and fit into `out` (at least [`MAX_FRAME`] bytes); returns the bytes
    /// used. 0: nothing is due.
    pub fn take_output(&mut self, out: &mut [u8]) -> usize {
        let mut used = 0;
        while out.len() - used >= MAX_FRAME {
            let Some(message) = self.next_message() else { break };
            used += encode(self.config.address, &message, &mut out[used..])
                .expect("every message fits into MAX_FRAME bytes");
        }
        used
    }

    /// What its board sees, once its first image stands.
    #[must_use]
    pub fn image(&self) -> Option<&Image> {
        self.board.as_ref().and_then(Board::image)
    }

    /// Both times of its clock, and whose runs.
    #[must_use]
    pub fn face(&self) -> Option<ClockFace> {
        self.clock.as_ref().map(|clock| clock.face(self.now))
    }

    /// What its clock's two faces show.
    #[must_use]
    pub fn shown(&self) -> Option<ByHalf<ShownTime>> {
        self.clock.as_ref().map(|clock| clock.standing(self.now).shown())
    }

    /// How its clock stands, for registers that outlive a reset.
    #[must_use]
    pub fn kept_clock(&self) -> Option<KeptClock> {
        self.clock.as_ref().map(|clock| clock.kept(self.now))
    }

    /// How its clock stands, when it is time to keep that over a power cut: after a change, and every two seconds
    /// while a time runs.
    pub fn take_clock_to_keep(&mut self) -> Option<KeptClock> {
        let kept = self.kept_clock()?;
        let due = match self.keep {
            KeepDue::Now => true,
            KeepDue::Kept(at) => kept.setting.face.running.is_some() && self.now.since(at) >= KEEP,
        };
        due.then(|| {
            self.keep = KeepDue::Kept(self.now);
            kept
        })
    }

    /// The cell whose light is on.
    #[must_use]
    pub const fn light(&self) -> Option<Cell> {
        self.light
    }

    /// Whether a command asked for a restart and was answered: the shell restarts the device.
    #[must_use]
    pub fn wants_reboot(&self) -> bool {
        self.reboot_asked && self.answers.iter().all(Option::is_none)
    }

    /// Whether a command asked for a calibration: the shell takes what its sensors give now as the empty board and
    /// keeps it.
    pub fn take_calibration_wish(&mut self) -> bool {
        core::mem::take(&mut self.calibration_asked)
    }

    /// Records that no host has acknowledged yet, those of earlier starts included.
    #[must_use]
    pub fn backlog(&self) -> u64 {
        self.journal.backlog().into()
    }

    /// Whether nobody plays here as far as it can tell: there is time for what stops everything for a moment.
    #[must_use]
    pub fn is_at_peace(&self) -> bool {
        let time_runs = self.face().is_some_and(|face| face.running.is_some());
        !time_runs && !self.activity.goes_on(self.now)
    }

    /// The number that its next record will get: it has made one fewer since its start.
    #[must_use]
    pub const fn next_seq(&self) -> Seq {
        self.journal.next()
    }

    /// Records that it had to drop since its start because no host took them.
    #[must_use]
    pub const fn overflowed(&self) -> u32 {
        self.journal.overflowed()
    }

    /// What it could not read on the line.
    #[must_use]
    pub const fn faults(&self) -> Faults {
        self.reader.faults()
    }

    /// Lets time pass: a flag that fell since is recorded before anything that happens now.
    fn advance(&mut self, now: Millis) {
        // Not at once: what earlier starts left comes before it.
        if core::mem::take(&mut self.clock_untold) {
            self.record_clock();
        }
        // A counter that goes back is read as standing still.
        if now.reached(self.now) {
            self.now = now;
        }
        if let Some(clock) = &mut self.clock {
            let journal = &mut self.journal;
            clock.advance(self.now, |at, body| journal.record(at, body));
        }
    }

    fn on_message(&mut self, message: ToDevice) {
        self.heard_host = true;
        match message {
            ToDevice::Identify => {
                self.hello_due = true;
                self.journal.on_reconnect();
            }
            // Otherwise the host takes this start for another one.
            ToDevice::Ack { boot, upto } => self.hello_due |= !self.journal.on_ack(boot, upto, self.now),
            // What is gone is gone: the greeting says what is the oldest now.
            ToDevice::Nak { boot, from } => self.hello_due |= !self.journal.on_nak(boot, from),
            ToDevice::Command(id, command) => {
                let code = self.commands.answer_again(id).unwrap_or_else(|| {
                    let code = self.carry_out(id, command);
                    self.commands.remember(id, code);
                    code
                });
                self.answer(FromDevice::Done(Done { command: id, code }));
            }
            ToDevice::TimeSync { token } => self.answer(FromDevice::TimeSync { token, at: self.now }),
            ToDevice::Update(step) => match self.hinders(step) {
                None => self.update_step = Some(step),
                Some(refusal) => self.answer(FromDevice::Update(UpdateState::Refused(refusal))),
            },
        }
    }

    fn carry_out(&mut self, id: CmdId, command: Command) -> DoneCode {
        let needs_clock = match command {
            Command::SetClock(_) | Command::Pause | Command::Run(_) => true,
            Command::Snapshot
            | Command::Light(_)
            | Command::Reboot
            | Command::Walk(_)
            | Command::Calibrate => false,
        };
        let needs_board = match command {
            Command::Snapshot | Command::Light(_) | Command::Walk(_) | Command::Calibrate => true,
            Command::SetClock(_) | Command::Pause | Command::Run(_) | Command::Reboot => false,
        };
        if needs_clock && self.clock.is_none() || needs_board && self.board.is_none() {
            return DoneCode::Unsupported;
        }
        if !self.makes_sense(command) {
            return DoneCode::Refused;
        }
        let now = self.now;
        self.journal.record(now, Body::Marker(id));
        match command {
            Command::SetClock(setting) => self.change_clock(|clock| clock.set(setting, now)),
            Command::Pause => self.change_clock(|clock| clock.pause(now)),
            Command::Run(half) => self.change_clock(|clock| clock.run(half, now)),
            Command::Snapshot => {
                if let Some(board) = &mut self.board {
                    let journal = &mut self.journal;
                    board.snapshot(|body| journal.record(now, body));
                }
            }
            Command::Light(cell) => self.light = cell,
            Command::Reboot => self.reboot_asked = true,
            Command::Walk(begins) => {
                if let Some(board) = &mut self.board {
                    let journal = &mut self.journal;
                    if begins {
                        board.begin_walk();
                    } else {
                        board.end_walk(|fault| journal.record(now, Body::Health(fault)));
                    }
                }
            }
            Command::Calibrate => self.calibration_asked = true,
        }
        DoneCode::Ok
    }

    /// Whether a command of a part that is there can be carried out at present.
    fn makes_sense(&self, command: Command) -> bool {
        match command {
            Command::Snapshot | Command::Walk(true) => self.image().is_some(),
            Command::Walk(false) => self.board.as_ref().is_some_and(Board::walks),
            Command::Calibrate => {
                self.image().is_some_and(|image| Cell::all().all(|cell| image.at(cell).is_empty()))
            }
            Command::SetClock(_) | Command::Pause | Command::Run(_) | Command::Light(_) | Command::Reboot => {
                true
            }
        }
    }

    fn change_clock(&mut self, change: impl FnOnce(&mut Clock)) {
        if let Some(clock) = &mut self.clock {
            change(clock);
            self.keep = KeepDue::Now;
        }
        self.record_clock();
    }

    fn record_clock(&mut self) {
        if let Some(face) = self.face() {
            self.journal.record(self.now, Body::Clock(face));
        }
    }

    fn answer(&mut self, answer: FromDevice) {
        let free = self.answers.iter().position(Option::is_none).unwrap_or_else(|| {
            self.answers.rotate_left(1);
            ANSWERS - 1
        });
        self.answers[free] = Some(answer);
    }

    fn next_answer(&mut self) -> Option<FromDevice> {
        let answer = self.answers[0].take()?;
        self.answers.rotate_left(1);
        Some(answer)
    }

    fn next_message(&mut self) -> Option<FromDevice> {
        // Whoever is told of a record finds it here after the next power cut.
        if self.journal.awaits_flash() {
            return None;
        }
        self.hello_due |= self.journal.take_turned();
        if core::mem::take(&mut self.hello_due) {
            let hello = self.hello();
            let left = self.journal.left(self.now);
            return Some(left.map_or(FromDevice::Hello(hello), |left| FromDevice::Left(hello, left)));
        }
        if let Some(answer) = self.next_answer() {
            return Some(answer);
        }
        if core::mem::take(&mut self.beat_due) {
            let Config { boot, .. } = self.config;
            let (next_seq, at, face) = (self.next_seq(), self.now, self.face());
            return Some(FromDevice::Beat { boot, next_seq, at, face });
        }
        let (boot, record) = self.journal.next_to_send(self.now)?;
        Some(FromDevice::Record(boot, record))
    }

    fn hello(&self) -> Hello {
        let Config { uid, boot, firmware, hardware, reset, capabilities, address: _, pace: _ } = self.config;
        Hello {
            uid,
            boot,
            firmware,
            hardware,
            reset,
            capabilities,
            oldest: self.journal.oldest(),
            next: self.next_seq(),
            overflowed: self.overflowed(),
            at: self.now,
        }
    }
}

mod updating;

#[cfg(test)]
mod tests;
