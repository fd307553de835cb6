// The clock's two faces: a driver chip (TM1638) with eight digits, colons and lights, and an eye that reads them.

/** Bits of the chip's two bytes for a digit: segments a to g, the point; in the second byte the ninth segment. */
const SEGMENTS = 0x7f;
const POINT = 0x80;
const NINTH = 0x01;
const DIGITS = 4;

/** Which segments each sign lights, drawn: above, upper left and right, middle, lower left and right, below. */
const DRAWN = {
  ' ': '       ', 0: '_|| ||_', 1: '  |  | ', 2: '_ |_| _', 3: '_ |_ |_', 4: ' ||_ | ', 5: '_| _ |_', 6: '_| _||_',
  7: '_ |  | ', 8: '_||_||_', 9: '_||_ |_', '-': '   _   ', h: ' | _|| ', F: '_| _|  ',
};
/** The segments of a drawing, in its order: a, f, b, g, e, c, d. */
const ORDER = [0, 5, 1, 6, 4, 2, 3];

const SIGNS = new Map(
  Object.entries(DRAWN).map(([sign, drawn]) => [ORDER.reduce((bits, bit, at) => bits | (drawn[at] === ' ' ? 0 : 1 << bit), 0), sign]),
);

export class Faces {
  /** `pin`: signal name to GPIO number; `onChange`: is told what both faces show, when that has changed. */
  constructor(pin, onChange) {
    this.pins = { strobe: pin('face_strobe'), clock: pin('face_clock'), data: pin('face_data') };
    this.onChange = onChange;
    this.seen = null;
  }

  /** Connects a controller; the chip starts with it, dark. */
  connect(mcu) {
    const { strobe, clock, data } = this.pins;
    const is_high = (gpio) => Boolean(mcu.sio.gpioOutputEnable & mcu.sio.gpioValue & (1 << gpio));
    this.memory = new Uint8Array(4 * DIGITS);
    this.on = false;
    this.listening = false;
    this.was = is_high(clock);
    mcu.gpio[strobe].addListener(() => {
      const listening = !is_high(strobe);
      if (listening === this.listening) return;
      this.listening = listening;
      if (listening) Object.assign(this, { bits: 0, byte: 0, address: null });
      else this.look();
    });
    mcu.gpio[clock].addListener(() => {
      const high = is_high(clock);
      if (high && !this.was && this.listening) this.bit(is_high(data));
      this.was = high;
    });
  }

  /** Lowest first; the first byte after the strobe is a command. */
  bit(high) {
    this.byte |= high ? 1 << this.bits % 8 : 0;
    this.bits += 1;
    if (this.bits % 8 !== 0) return;
    if (this.bits === 8) this.command(this.byte);
    else if (this.address !== null) this.memory[this.address++ % this.memory.length] = this.byte;
    this.byte = 0;
  }

  command(byte) {
    switch (byte >> 6) {
      case 1:
        if (byte !== 0x40) throw new Error(`faces: the firmware does not write with an address that goes up: ${byte}`);
        break;
      case 2:
        this.on = (byte & 8) !== 0;
        break;
      case 3:
        this.address = byte & 0x0f;
        break;
      default:
        throw new Error(`faces: there is no command ${byte}`);
    }
  }

  look() {
    const seen = JSON.stringify({ a: this.face(0), b: this.face(1) });
    if (seen !== this.seen) this.onChange?.(seen);
    this.seen = seen;
  }

  /** A face as one reads it. */
  face(half) {
    const digits = Array.from({ length: DIGITS }, (_, digit) => {
      const at = 2 * (half * DIGITS + digit);
      return this.on ? [this.memory[at], this.memory[at + 1]] : [0, 0];
    });
    const [light, ...dots] = digits.map(([, ninth]) => (ninth & NINTH) !== 0);
    const text = digits.map(([lit]) => (SIGNS.get(lit & SEGMENTS) ?? '?') + (lit & POINT ? '.' : ''));
    if (dots[0] !== dots[1] || dots[2]) text.push('?');
    return { text: text.join(''), colon: dots[0], light };
  }
}
