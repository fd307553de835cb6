//! The loop: scans, contacts and bytes go into the device, its frames go out.

use device::{CLOCK_WORDS, Config, Device, KeptClock};
use embassy_futures::select::{Either3, select3};
use embassy_rp::bind_interrupts;
use embassy_rp::peripherals::UART0;
use embassy_rp::uart::{self, BufferedInterruptHandler, BufferedUart, BufferedUartTx};
use embassy_rp::watchdog::{ResetReason, Watchdog};
use embassy_time::{Duration, Instant, Ticker};
use embedded_io_async::{Read, Write};
use firmware_proto::delivery::Pace;
use firmware_proto::{
    Address, BootId, Capabilities, Cell, MAX_FRAME, Millis, Reading, ResetCause, SensingKind,
};
use static_cell::StaticCell;

use crate::contacts::Columns;
use crate::pins::{Core, LinePins};
use crate::{FIRMWARE, HARDWARE, keep};

bind_interrupts!(struct Interrupts {
    UART0_IRQ => BufferedInterruptHandler<UART0>;
});

/// A board's sensors, or none.
pub trait Sensors {
    /// What they sense; `None`: there are none.
    const KIND: Option<SensingKind>;

    /// Reads all cells.
    fn scan(&mut self, columns: &mut Columns, readings: &mut [Reading; Cell::COUNT]);

    /// Takes the last scan for the empty board; `None`: there is nothing to calibrate.
    fn calibrate(&mut self) -> Option<device::Calibration> {
        None
    }
}

/// A clock's controller has no sensors.
pub struct NoSensors;

impl Sensors for NoSensors {
    const KIND: Option<SensingKind> = None;

    fn scan(&mut self, _: &mut Columns, _: &mut [Reading; Cell::COUNT]) {}
}

/// Contacts are read so often: a press is known to the millisecond.
const CONTACTS: Duration = Duration::from_millis(1);

/// Cells are read so often.
const SCAN: Duration = Duration::from_millis(10);

/// A loop that stands still for so long is restarted: longer than the flash takes to erase all it must.
const PATIENCE: Duration = Duration::from_secs(8);

/// Runs a controller for ever. `sensors` is made once it is known what the device kept.
pub async fn run<S: Sensors>(core: Core, clock: bool, sensors: impl FnOnce(device::Calibration) -> S) -> ! {
    let mut watchdog = Watchdog::new(core.watchdog);
    let reset = match watchdog.reset_reason() {
        None => ResetCause::PowerOn,
        Some(ResetReason::TimedOut) => ResetCause::Watchdog,
        Some(ResetReason::Forced) => ResetCause::Asked,
    };
    // Registers that outlive a reset but no power cut know the clock to 10 ms; the flash knows it to two seconds.
    let words: [u32; CLOCK_WORDS] = core::array::from_fn(|index| watchdog.get_scratch(index));
    watchdog.start(PATIENCE);
    let (uid, mut kept) = keep::open(core.flash);
    let stood = match KeptClock::from_words(words) {
        Some(stood) => Some(stood),
        None => kept.clock().await.map(KeptClock::after_power_cut),
    };
    // A start that cannot be counted is told as number 0, which a gateway names as a fault.
    let boot = kept.count_start().await.unwrap_or(BootId(0));
    let mut sensors = sensors(kept.calibration().await.unwrap_or_default());
    defmt::info!("start {}, device {:x}", boot.0, uid.0);
    let config = Config {
        uid,
        boot,
        firmware: FIRMWARE,
        hardware: HARDWARE,
        reset,
        capabilities: Capabilities { board: S::KIND, clock },
        address: Address::POINT_TO_POINT,
        pace: Pace::SERIAL,
    };
    static DEVICE: StaticCell<Device> = StaticCell::new();
    let device = DEVICE.init_with(|| Device::restarted(config, stood, now()));

    let mut columns = Columns::new(core.columns);
    let (mut tx, mut rx) = open_line(core.line).split();
    let mut ticks = Ticker::every(if clock { CONTACTS } else { SCAN });
    let mut next_scan = Instant::now();
    let mut readings = [Reading::EMPTY; Cell::COUNT];
    let mut input = [0; 64];
    let mut output = Output::new();
    loop {
        output.refill(device);
        match select3(rx.read(&mut input), output.send(&mut tx), ticks.next()).await {
            Either3::First(Ok(count)) => device.on_bytes(&input[..count], now()),
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
                        if device.take_calibration_wish()
                            && let Some(calibration) = sensors.calibrate()
                            && kept.keep_calibration(&calibration).await.is_err()
                        {
                            defmt::error!(
                                "the flash takes nothing: the calibration is good until the next start"
                            );
                        }
                    }
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
                if device.wants_reboot() && output.is_empty() {
                    // The answer has left our buffer; give the line the time to carry it.
                    embassy_time::Timer::after_millis(20).await;
                    watchdog.trigger_reset();
                }
            }
        }
    }
}

/// Milliseconds since the start.
fn now() -> Millis {
    // Wraps after 49.7 days, as the wire's times do.
    Millis(Instant::now().as_millis() as u32)
}

fn open_line(pins: LinePins) -> BufferedUart {
    static TX: StaticCell<[u8; 512]> = StaticCell::new();
    static RX: StaticCell<[u8; 512]> = StaticCell::new();
    BufferedUart::new(
        pins.uart,
        pins.tx,
        pins.rx,
        Interrupts,
        TX.init([0; 512]),
        RX.init([0; 512]),
        uart::Config::default(),
    )
}

/// Frames on their way to the line.
struct Output {
    bytes: [u8; 2 * MAX_FRAME],
    sent: usize,
    used: usize,
}

impl Output {
    const fn new() -> Output {
        Output { bytes: [0; 2 * MAX_FRAME], sent: 0, used: 0 }
    }

    const fn is_empty(&self) -> bool {
        self.sent == self.used
    }

    /// Takes what the device has to say, once all that it said before is on its way.
    fn refill(&mut self, device: &mut Device) {
        if self.is_empty() {
            self.used = device.take_output(&mut self.bytes);
            self.sent = 0;
        }
    }

    /// Hands over as much as the line takes; waits for ever if there is nothing. What was handed over is counted even
    /// if this is dropped while it waits.
    async fn send(&mut self, tx: &mut BufferedUartTx) {
        if self.is_empty() {
            core::future::pending::<()>().await;
        }
        match tx.write(&self.bytes[self.sent..self.used]).await {
            Ok(count) => self.sent += count,
            Err(error) => defmt::warn!("line: {}", error),
        }
    }
}
