//! The board and the clock of a virtual table: the code of the firmware, the pieces that stand on it, and the link to
//! a host that keeps everything.

use capture::Seating;
use device::{Config, Device};
use firmware_proto::delivery::Pace;
use firmware_proto::{
    Address, Beat, BootId, Capabilities, Cell, DeviceUid, Epoch, FrameReader, FromDevice, Half, MAX_FRAME,
    Millis, Observation, PlayerSignal, Reading, ResetCause, SensingKind, Sighting, ToDevice, encode,
};
use hall::{Outgoing, TableBinding};
use simulator::{Man, PortKind, Stand, stand, uid};
use tournament::TableNo;
use xiangqi::{Move, Point, Position, Side};

/// A board is scanned this often, ms.
const SCAN: i64 = 10;
/// Scans go on so long after a change: longer than debouncing takes, ms.
const SCANS_AFTER: i64 = 60;

/// One device and its cable.
struct Link {
    uid: DeviceUid,
    boot: BootId,
    device: Box<Device>,
    reader: FrameReader<FromDevice>,
    plugged: bool,
    /// How far its counter is ahead of venue time, ms.
    ahead: i64,
}

/// The devices of one table and what stands on the board.
pub struct Devices {
    no: TableNo,
    seating: Seating,
    origin: Epoch,
    board: Link,
    clock: Link,
    stands: Stand,
    dead: Option<Point>,
    raw: [Reading; Cell::COUNT],
    next_scan: i64,
    scan_until: i64,
}

/// What the host heard.
#[derive(Default)]
pub struct Heard {
    /// Observations, in order.
    pub observations: Vec<Observation>,
    /// What the clock shows.
    pub beats: Vec<Beat>,
}

impl Link {
    fn new(table: u16, kind: PortKind, boot: BootId) -> Link {
        let (board, clock) = match kind {
            PortKind::Board => (Some(SensingKind::Colour), false),
            PortKind::Clock => (None, true),
            PortKind::Both => (Some(SensingKind::Colour), true),
        };
        let uid = uid(table, kind);
        let config = Config {
            uid,
            boot,
            firmware: 1,
            hardware: 1,
            reset: ResetCause::PowerOn,
            capabilities: Capabilities { board, clock },
            address: Address::POINT_TO_POINT,
            pace: Pace::SERIAL,
        };
        let device = Box::new(Device::new(config, Millis::ZERO));
        Link { uid, boot, device, reader: FrameReader::new(), plugged: true, ahead: 0 }
    }

    /// Its own time.
    fn time(&self, now: i64) -> Millis {
        millis(now + self.ahead)
    }

    fn tell(&mut self, message: &ToDevice, now: Millis) {
        if self.plugged {
            let mut frame = [0; MAX_FRAME];
            let used =
                encode(Address::POINT_TO_POINT, message, &mut frame).expect("every message fits a frame");
            self.device.on_bytes(&frame[..used], now);
        }
    }

    /// What the device says now, each record acknowledged at once.
    fn listen(&mut self, now: Millis, origin: Epoch, heard: &mut Heard) {
        let mut buffer = [0; 4 * MAX_FRAME];
        while self.plugged {
            let used = self.device.take_output(&mut buffer);
            if used == 0 {
                break;
            }
            for &byte in &buffer[..used] {
                match self.reader.push(byte) {
                    Some(Ok((_, message))) => self.take(message, now, origin, heard),
                    Some(Err(fault)) => panic!("a virtual cable breaks no frame: {fault:?}"),
                    None => {}
                }
            }
        }
    }

    fn take(&mut self, message: FromDevice, now: Millis, origin: Epoch, heard: &mut Heard) {
        let ahead = self.ahead;
        let time = |at: Millis| origin.plus(i64::from(at.0) - ahead);
        let mut see = |at, sighting| heard.observations.push(Observation { device: self.uid, at, sighting });
        match message {
            FromDevice::Hello(hello) => see(time(now), Sighting::Attached(hello)),
            FromDevice::Record(boot, record) => {
                see(time(record.at), Sighting::Record(boot, record));
                self.tell(&ToDevice::Ack { boot, upto: record.seq }, now);
            }
            FromDevice::Beat { at, face, .. } => {
                heard.beats.push(Beat { device: self.uid, at: time(at), face });
            }
            FromDevice::Done(done) => see(time(now), Sighting::Done(done)),
            // No power cut takes their records: these devices have no flash.
            FromDevice::Left(..) | FromDevice::TimeSync { .. } | FromDevice::Update(_) => {}
        }
    }
}

impl Devices {
    /// Devices of a table, the pieces put up for a game.
    #[must_use]
    pub fn new(no: u16, origin: Epoch) -> Devices {
        let mut devices = Devices {
            no: TableNo(no),
            seating: Seating { red: Half::A },
            origin,
            board: Link::new(no, PortKind::Board, BootId(1)),
            clock: Link::new(no, PortKind::Clock, BootId(1)),
            stands: [None; Point::COUNT],
            dead: None,
            raw: [Reading::EMPTY; Cell::COUNT],
            next_scan: 0,
            scan_until: SCANS_AFTER,
        };
        devices.put_up(&Position::start(), 0);
        devices
    }

    /// The binding that tells the hall of them.
    #[must_use]
    pub fn binding(&self) -> TableBinding {
        TableBinding { table: self.no, board: self.board.uid, clock: self.clock.uid, red: self.seating.red }
    }

    /// Both devices' numbers: board, clock.
    #[must_use]
    pub fn uids(&self) -> [DeviceUid; 2] {
        [self.board.uid, self.clock.uid]
    }

    /// When something is due, ms since the start; later than `now`.
    #[must_use]
    pub fn due(&self, now: i64) -> i64 {
        let devices = [&self.board, &self.clock].into_iter().filter_map(|link| {
            let (at, _) = link.device.poll_timeout()?;
            Some(now + i64::from(at.since(link.time(now)).0.cast_signed()))
        });
        let scan = (self.next_scan <= self.scan_until).then_some(self.next_scan);
        devices.chain(scan).filter(|at| *at > now).min().unwrap_or(now + 1_000)
    }

    /// Lets time come to `now`; returns what the host hears.
    pub fn poll(&mut self, now: i64) -> Heard {
        let mut heard = Heard::default();
        if self.next_scan <= now && now <= self.scan_until {
            self.board.device.on_scan(self.board.time(now), &self.raw);
            self.next_scan = now + SCAN;
        }
        for link in [&mut self.board, &mut self.clock] {
            let at = link.time(now);
            link.device.poll(at);
            link.listen(at, self.origin, &mut heard);
        }
        heard
    }

    /// A command comes over the cable.
    pub fn command(&mut self, outgoing: Outgoing, now: i64) {
        for link in [&mut self.board, &mut self.clock] {
            if link.uid == outgoing.device {
                link.tell(&ToDevice::Command(outgoing.id, outgoing.command), link.time(now));
            }
        }
    }

    /// Pulls or puts in the board's (or else the clock's) cable.
    pub fn plug(&mut self, board: bool, plugged: bool, now: i64) -> Vec<Observation> {
        let at = self.origin.plus(now);
        let link = if board { &mut self.board } else { &mut self.clock };
        link.plugged = plugged;
        if plugged {
            link.tell(&ToDevice::Identify, link.time(now));
            return Vec::new();
        }
        vec![Observation { device: link.uid, at, sighting: Sighting::Detached }]
    }

    /// The board, which was without power, has it again: it knows nothing of what was done meanwhile.
    pub fn restart_board(&mut self, now: i64) {
        let boot = BootId(self.board.boot.0 + 1);
        self.board = Link { ahead: -now, ..Link::new(self.no.0, PortKind::Board, boot) };
        self.next_scan = now - now.rem_euclid(SCAN) + SCAN;
        self.scan_until = now + SCANS_AFTER;
        self.plug(true, true, now);
    }

    /// A player's lever.
    pub fn lever(&mut self, side: Side, now: i64) {
        let at = self.clock.time(now);
        self.clock.device.on_lever(self.seating.half(side), at);
    }

    /// A player's button.
    pub fn button(&mut self, side: Side, signal: PlayerSignal, now: i64) {
        let at = self.clock.time(now);
        self.clock.device.on_button(self.seating.half(side), signal, at);
    }

    /// The supply of the board (or else the clock) is measured.
    pub fn supply(&mut self, board: bool, millivolts: u16, now: i64) {
        let link = if board { &mut self.board } else { &mut self.clock };
        let at = link.time(now);
        link.device.on_supply(millivolts, at);
    }

    /// The clock's own face: Red's and Black's time left, and whose runs.
    #[must_use]
    pub fn face(&self) -> ([u32; 2], Option<Side>) {
        let face = self.clock.device.face().expect("the clock has a clock");
        let times = self.seating.times(face);
        ([times.red.0, times.black.0], face.running.map(|half| self.seating.side(half)))
    }

    /// The clock's counter jumps ahead, as a bad crystal would make it in the long run: it takes so much more from
    /// the time that runs. The host goes on telling it from venue time rightly.
    pub fn clock_jumps(&mut self, millis: i64) {
        self.clock.ahead += millis;
    }

    /// A point senses nothing any more.
    pub fn kill(&mut self, point: Point, now: i64) {
        self.dead = Some(point);
        let stands = self.stands[point.index()];
        self.show(point, stands, now);
    }

    /// The host finds that records of the board are gone for good.
    #[must_use]
    pub fn loses_records(&self, now: i64) -> Observation {
        let next = self.board.device.next_seq();
        let sighting = Sighting::Gap { boot: BootId(1), from: next, to: next };
        Observation { device: self.board.uid, at: self.origin.plus(now), sighting }
    }

    /// The half that plays Red changes: the players sit the other way round.
    pub fn turn_round(&mut self, now: i64) {
        self.seating = Seating { red: self.seating.red.other() };
        let stands = self.stands;
        for point in Point::ALL {
            self.show(point, stands[point.index()], now);
        }
    }

    /// What stands on a point.
    #[must_use]
    pub fn at(&self, point: Point) -> Option<Man> {
        self.stands[point.index()]
    }

    /// From now on this stands on a point.
    pub fn show(&mut self, point: Point, man: Option<Man>, now: i64) {
        self.stands[point.index()] = man;
        let seen = man.filter(|_| self.dead != Some(point));
        self.raw[self.seating.cell(point).index()] =
            seen.map_or(Reading::EMPTY, |man| man.reading(SensingKind::Colour));
        if self.next_scan > self.scan_until {
            self.next_scan = now - now.rem_euclid(SCAN) + SCAN;
        }
        self.scan_until = now + SCANS_AFTER;
    }

    /// Puts all pieces up as in a position, at once.
    pub fn put_up(&mut self, position: &Position, now: i64) {
        let stands = stand(position.board());
        for point in Point::ALL {
            self.show(point, stands[point.index()], now);
        }
    }

    /// The points that a piece slides over.
    #[must_use]
    pub fn crossed(mv: Move) -> Vec<Point> {
        let files = i16::from(mv.to.file()) - i16::from(mv.from.file());
        let ranks = i16::from(mv.to.rank()) - i16::from(mv.from.rank());
        let steps = files.abs().max(ranks.abs());
        (1..steps)
            .filter_map(|step| mv.from.offset((files * step / steps) as i8, (ranks * step / steps) as i8))
            .collect()
    }
}

/// The devices' time: their counter wraps as the real one does.
fn millis(at: i64) -> Millis {
    Millis(at as u32)
}
