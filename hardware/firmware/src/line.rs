//! The line to the gateway: of this device alone, or shared with others through a half-duplex transceiver.

use device::{Device, SharedLink};
use embassy_rp::bind_interrupts;
use embassy_rp::gpio::{Level, Output};
use embassy_rp::peripherals::UART0;
use embassy_rp::uart::{self, BufferedInterruptHandler, BufferedUart, BufferedUartRx, BufferedUartTx};
use embassy_time::Timer;
use embedded_io_async::Write;
use firmware_proto::{DeviceUid, MAX_FRAME, Millis};
use static_cell::StaticCell;

use crate::pins::LinePins;

bind_interrupts!(struct Interrupts {
    UART0_IRQ => BufferedInterruptHandler<UART0>;
});

/// Half a bit at 115,200 baud is 4 us: so often it is looked whether the last bit is out.
const LOOK_US: u64 = 20;

/// Who is on the line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The gateway and this device.
    PointToPoint,
    /// The gateway and many devices (RS-485).
    Shared,
}

/// The sending half, and what is on its way.
pub struct Line {
    tx: BufferedUartTx,
    shared: Option<Shared>,
    bytes: [u8; 2 * MAX_FRAME],
    sent: usize,
    used: usize,
}

struct Shared {
    link: SharedLink,
    drive: Output<'static>,
}

/// Opens it.
pub fn open(pins: LinePins, kind: Kind, uid: DeviceUid) -> (Line, BufferedUartRx) {
    static TX: StaticCell<[u8; 512]> = StaticCell::new();
    static RX: StaticCell<[u8; 512]> = StaticCell::new();
    let (tx, rx) = (TX.init([0; 512]), RX.init([0; 512]));
    let uart = BufferedUart::new(pins.uart, pins.tx, pins.rx, Interrupts, tx, rx, uart::Config::default());
    let shared = match kind {
        Kind::PointToPoint => None,
        Kind::Shared => {
            Some(Shared { link: SharedLink::new(uid), drive: Output::new(pins.drive, Level::Low) })
        }
    };
    let (tx, rx) = uart.split();
    (Line { tx, shared, bytes: [0; 2 * MAX_FRAME], sent: 0, used: 0 }, rx)
}

impl Line {
    /// Bytes came.
    pub fn on_bytes(&mut self, device: &mut Device, bytes: &[u8], now: Millis) {
        match &mut self.shared {
            None => device.on_bytes(bytes, now),
            Some(shared) => shared.link.on_bytes(device, bytes, now),
        }
    }

    /// Whether everything is handed over.
    pub const fn is_empty(&self) -> bool {
        self.sent == self.used
    }

    /// Takes what the device may say, once all that it said before is on its way.
    pub fn refill(&mut self, device: &mut Device, now: Millis) {
        if self.is_empty() {
            self.sent = 0;
            self.used = match &mut self.shared {
                None => device.take_output(&mut self.bytes),
                Some(shared) => shared.link.take_output(device, &mut self.bytes, now),
            };
        }
    }

    /// Hands over as much as the line takes; waits for ever if there is nothing, but lets go of a shared line first.
    /// What was handed over is counted even if this is dropped while it waits.
    pub async fn send(&mut self) {
        if self.is_empty() {
            self.let_go().await;
            core::future::pending::<()>().await;
        }
        if let Some(shared) = &mut self.shared {
            shared.drive.set_high();
        }
        match self.tx.write(&self.bytes[self.sent..self.used]).await {
            Ok(count) => self.sent += count,
            Err(error) => defmt::warn!("line: {}", error),
        }
    }

    /// The driver is off as soon as the last bit is out.
    async fn let_go(&mut self) {
        let Some(shared) = &mut self.shared else { return };
        if shared.drive.is_set_low() {
            return;
        }
        if let Err(error) = self.tx.flush().await {
            defmt::warn!("line: {}", error);
        }
        while self.tx.busy() {
            Timer::after_micros(LOOK_US).await;
        }
        shared.drive.set_low();
    }
}
