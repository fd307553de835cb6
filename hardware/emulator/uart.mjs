// The UART as the chip has it (PL011): FIFOs of 32, levels, receive time-out, and bytes that take their time on the
// line. The emulator's own has no transmit FIFO, with which the firmware's driver never comes to an end.

const DR = 0x00;
const RSR = 0x04;
const FR = 0x18;
const IBRD = 0x24;
const FBRD = 0x28;
const LCR_H = 0x2c;
const CR = 0x30;
const IFLS = 0x34;
const IMSC = 0x38;
const RIS = 0x3c;
const MIS = 0x40;
const ICR = 0x44;
const DMACR = 0x48;

const RX = 1 << 4;
const TX = 1 << 5;
const TIMEOUT = 1 << 6;
const OVERRUN = 1 << 10;

const DEPTH = 32;
const LEVELS = [4, 8, 16, 24, 28];
const ENABLED = 1;
const TXE = 1 << 8;
const RXE = 1 << 9;

export class Uart {
  constructor(mcu, irq, onByte) {
    this.mcu = mcu;
    this.irq = irq;
    this.onByte = onByte;
    this.registers = new Map([[IBRD, 0], [FBRD, 0], [LCR_H, 0], [CR, RXE | TXE], [IFLS, 0x12], [IMSC, 0], [DMACR, 0]]);
    this.raw = 0;
    this.line = false;
    this.out = [];
    this.in = [];
    this.coming = [];
    this.overrun = false;
    this.outAlarm = mcu.clock.createAlarm(() => this.byteLeft());
    this.inAlarm = mcu.clock.createAlarm(() => this.byteCame());
    this.timeoutAlarm = mcu.clock.createAlarm(() => this.raise(TIMEOUT));
  }

  /** Bytes begin to arrive on the line. */
  receive(bytes) {
    const idle = this.coming.length === 0;
    for (const byte of bytes) this.coming.push(byte);
    if (idle && this.coming.length > 0) this.inAlarm.schedule(this.byteNanos());
  }

  /** The emulator asks for this when its clocks change; byte times are computed anew for each byte. */
  clkPeriChanged() {}

  byteNanos() {
    const divisor = this.registers.get(IBRD) + this.registers.get(FBRD) / 64;
    return divisor === 0 ? 86806 : (10 * 16 * divisor * 1e9) / this.mcu.clkPeri;
  }

  enabled(direction) {
    const control = this.registers.get(CR);
    return (control & ENABLED) !== 0 && (control & direction) !== 0;
  }

  byteCame() {
    const byte = this.coming.shift();
    if (this.enabled(RXE)) {
      if (this.in.length < DEPTH) {
        this.in.push(byte | (this.overrun ? 1 << 11 : 0));
        this.overrun = false;
      } else {
        this.overrun = true;
        this.raw |= OVERRUN;
      }
      if (this.in.length >= LEVELS[(this.registers.get(IFLS) >> 3) & 7]) this.raw |= RX;
      // 32 bit times without a byte while some wait.
      this.timeoutAlarm.schedule(this.byteNanos() * 3.2);
      this.update();
    }
    if (this.coming.length > 0) this.inAlarm.schedule(this.byteNanos());
  }

  byteLeft() {
    this.onByte(this.out.shift());
    if (this.out.length === LEVELS[this.registers.get(IFLS) & 7]) this.raise(TX);
    if (this.out.length > 0) this.outAlarm.schedule(this.byteNanos());
  }

  raise(bits) {
    this.raw |= bits;
    this.update();
  }

  /** Tells the core of changes only: clearing again would take back what software made pending. */
  update() {
    const line = (this.raw & this.registers.get(IMSC)) !== 0;
    if (line !== this.line) {
      this.line = line;
      this.mcu.setInterrupt(this.irq, line);
    }
  }

  readUint32(offset) {
    switch (offset) {
      case DR: {
        const byte = this.in.shift() ?? 0;
        if (this.in.length < LEVELS[(this.registers.get(IFLS) >> 3) & 7]) this.raw &= ~RX;
        if (this.in.length === 0) {
          this.raw &= ~TIMEOUT;
          this.timeoutAlarm.cancel();
        }
        this.update();
        return byte;
      }
      case RSR:
        return 0;
      case FR: {
        const [rx, tx] = [this.in.length, this.out.length];
        return (
          (tx > 0 ? 1 << 3 : 0) | (rx === 0 ? 1 << 4 : 0) | (tx === DEPTH ? 1 << 5 : 0) |
          (rx === DEPTH ? 1 << 6 : 0) | (tx === 0 ? 1 << 7 : 0)
        );
      }
      case RIS:
        // The handler looks here first. What software made pending is served with that; the core of the package would
        // keep it pending, and the handler would run for ever.
        if (!this.line) this.mcu.setInterrupt(this.irq, false);
        return this.raw;
      case MIS:
        return this.raw & this.registers.get(IMSC);
      case ICR:
        return 0;
      default:
        return this.registers.get(offset) ?? 0;
    }
  }

  writeUint32(offset, value) {
    switch (offset) {
      case DR:
        if (this.enabled(TXE) && this.out.length < DEPTH) {
          this.out.push(value & 0xff);
          if (this.out.length === 1) this.outAlarm.schedule(this.byteNanos());
          if (this.out.length > LEVELS[this.registers.get(IFLS) & 7]) {
            this.raw &= ~TX;
            this.update();
          }
        }
        break;
      case RSR:
        break;
      case ICR:
        this.raw &= ~value;
        this.update();
        break;
      default:
        this.registers.set(offset, value >>> 0);
        this.update();
    }
  }

  writeUint32Atomic(offset, value, kind) {
    const before = () => this.registers.get(offset) ?? 0;
    const after = [() => value, () => before() ^ value, () => before() | value, () => before() & ~value][kind]();
    this.writeUint32(offset, after >>> 0);
  }
}
