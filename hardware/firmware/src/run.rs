//! The loop: scans, contacts and bytes go into the device, its frames go out.

use device::{CLOCK_WORDS, Config, Device, KeptClock};
use embassy_futures::select::{Either3, select3};
use embassy_rp::gpio::{Level, Output};
use embassy_rp::watchdog::{ResetReason, Watchdog};
use embassy_time::{Duration, Instant, Ticker};
use embedded_io_async::Read;
use firmware_proto::delivery::Pace;
use firmware_proto::{Address, BootId, Capabilities, Cell, Millis, Reading, ResetCause, SensingKind, Target};
use static_cell::StaticCell;

use crate::HARDWARE;
use crate::contacts::Columns;
use crate::faces::{FaceLines, Faces};
use crate::line::{self, Kind};
use crate::pins::{Core, FacePins};
use crate::storage::{self, Spill, Storage, Updates};

/// A board's sensors, or none.
pub trait Sensors {
    /// What they sense; `None`: there are none.
    const KIND: Option<SensingKind>;

    /// Reads all cells.
    fn scan(&mut self, columns: &mut Columns, readings: &mut [Reading; Cell::COUNT]);

    /// Those of its lines that the clock's faces listen to while the row of contacts is low.
    fn face_lines(&mut self) -> FaceLines<'_>;

    /// The strengths of the last scan's fields, if they are measured.
    fn fields(&self) -> Option<&[u16; Cell::COUNT]> {
        None
    }

    /// Takes the last scan for the empty board; `None`: there is nothing to calibrate.
    fn calibrate(&mut self) -> Option<device::Calibration> {
        None
    }
}

/// A clock's controller has no sensors, only the two lines that its faces listen to.
pub struct NoSensors {
    clock: Output<'static>,
    data: Output<'static>,
}

impl NoSensors {
    pub fn new(pins: FacePins) -> NoSensors {
        let output = |pin| Output::new(pin, Level::High);
        NoSensors { clock: output(pins.clock), data: output(pins.data) }
    }
}

impl Sensors for NoSensors {
    const KIND: Option<SensingKind> = None;

    fn scan(&mut self, _: &mut Columns, _: &mut [Reading; Cell::COUNT]) {}

    fn face_lines(&mut self) -> FaceLines<'_> {
        FaceLines { clock: &mut self.clock, data: &mut self.data }
    }
}

/// Contacts are read so often: a press is known to the millisecond.
const CONTACTS: Duration = Duration::from_millis(1);

/// Cells are read so often.
const SCAN: Duration = Duration::from_millis(10);

/// A loop that stands still for so long is restarted: longer than the flash takes to erase all it must.
pub const PATIENCE: Duration = Duration::from_secs(8);

/// What a program is besides its sensors.
pub struct Program {
    /// The version that its greeting tells.
    pub version: u32,
    pub line: Kind,
    /// Whether it drives a clock.
    pub clock: bool,
}

/// Runs a controller for ever. `sensors` is made once it is known what the device kept.
pub async fn run<S: Sensors>(
    core: Core,
    Program { version, line, clock }: Program,
    sensors: impl FnOnce(device::Calibration) -> S,
) -> ! {
    let mut watchdog = Watchdog::new(core.watchdog);
    let reset = match watchdog.reset_reason() {
        None => ResetCause::PowerOn,
        Some(ResetReason::TimedOut) => ResetCause::Watchdog,
        Some(ResetReason::Forced) => ResetCause::Asked,
    };
    // Registers that outlive a reset but no power cut know the clock to 10 ms; the flash knows it to two seconds.
    let words: [u32; CLOCK_WORDS] = core::array::from_fn(|index| watchdog.get_scratch(index));
    watchdog.start(PATIENCE);
    let Storage { uid, mut kept, mut spill, slots } = storage::open(core.flash);
    let stood = match KeptClock::from_words(words) {
        Some(stood) => Some(stood),
        None => kept.clock().await.map(KeptClock::after_power_cut),
    };
    // A start that cannot be counted is told as number 0, which a gateway names as a fault.
    let boot = kept.count_start().await.unwrap_or(BootId(0));
    let mut sensors = sensors(kept.calibration().await.unwrap_or_default());
    defmt::info!("start {}, device {:x}", boot.0, uid.0);
    let capabilities = Capabilities { board: S::KIND, clock };
    let config = Config {
        uid,
        boot,
        firmware: version,
        hardware: HARDWARE,
        reset,
        capabilities,
        address: Address::POINT_TO_POINT,
        pace: Pace::SERIAL,
    };
    static DEVICE: StaticCell<Device> = StaticCell::new();
    let device = DEVICE.init_with(|| Device::restarted(config, stood, now()));
    if spill.hand_over(device).is_err() {
        defmt::error!("the flash cannot be read: what earlier starts left may be lost");
    }
    make_room(&mut spill, device);

    let shared_line = line == Kind::Shared;
    let mut updates = Updates::new(slots, Target { hardware: HARDWARE, capabilities, shared_line });
    let mut columns = Columns::new(core.columns);
    let mut faces = Faces::new();
    let (mut line, mut rx) = line::open(core.line, line, uid);
    let mut ticks = Ticker::every(if clock { CONTACTS } else { SCAN });
    let mut next_scan = Instant::now();
    let mut readings = [Reading::EMPTY; Cell::COUNT];
    let mut input = [0; 64];
    loop {
        if spill.write(device).is_err() {
            defmt::error!("the flash takes nothing: records do not outlive a power cut at present");
        }
        line.refill(device, now());
        match select3(rx.read(&mut input), line.send(), ticks.next()).await {
            Either3::First(Ok(count)) => {
                line.on_bytes(device, &input[..count], now());
                if let Some(step) = device.take_update_step() {
                    device.on_update_state(updates.on_step(step));
                }
            }
            // The line was disturbed; what was lost is asked for again.
            Either3::First(Err(error)) => defmt::warn!("line: {}", error),
            Either3::Second(()) => {}
            Either3::Third(()) => {
                if clock {
                    device.on_contacts(columns.contacts(), now());
                }
                if Instant::now() >= next_scan {
                    next_scan += SCAN;
                    watchdog.feed(PATIENCE);
                    if S::KIND.is_some() {
                        sensors.scan(&mut columns, &mut readings);
                        device.on_scan(now(), &readings);
                        if let Some(fields) = sensors.fields() {
                            device.on_fields(now(), fields);
                        }
                        if device.take_calibration_wish()
                            && let Some(calibration) = sensors.calibrate()
                            && kept.keep_calibration(&calibration).await.is_err()
                        {
                            defmt::error!(
                                "the flash takes nothing: the calibration is good until the next start"
                            );
                        }
                    }
                    if let Some(shown) = device.shown() {
                        faces.show(columns.contacts_row(), sensors.face_lines(), &shown, now());
                    }
                    make_room(&mut spill, device);
                    if let Some(clock) = device.kept_clock() {
                        for (index, word) in clock.to_words().into_iter().enumerate() {
                            watchdog.set_scratch(index, word);
                        }
                    }
                }
                device.poll(now());
                if let Some(clock) = device.take_clock_to_keep()
                    && kept.keep_clock(clock).await.is_err()
                {
                    defmt::error!("the flash takes nothing: the clock would not outlive a power cut");
                }
                if updates.poll(device.is_proven(), now()) {
                    defmt::error!("not proven in its time: the firmware from before is to run again");
                    watchdog.trigger_reset();
                }
                if device.wants_reboot() && line.is_empty() {
                    // The answer has left our buffer; give the line the time to carry it.
                    embassy_time::Timer::after_millis(20).await;
                    watchdog.trigger_reset();
                }
            }
        }
    }
}

/// Makes room for records while nobody plays: where a unit of the flash is erased everything stands still.
fn make_room(spill: &mut Spill, device: &Device) {
    if device.is_at_peace() && spill.make_room(now()).is_err() {
        defmt::error!("the flash cannot be erased: there may be no room for records");
    }
}

/// Milliseconds since the start.
fn now() -> Millis {
    // Wraps after 49.7 days, as the wire's times do.
    Millis(Instant::now().as_millis() as u32)
}
