// The boot ROM's functions that the firmware calls, and the flash chip behind them. A function is a break point and a
// return: what it does is done here.

const ADDRESS = { table: 0x100, lookup: 0x200, functions: 0x210 };
const BKPT = 0xbe00;
const BX_LR = 0x4770;

export const SECTOR = 4096;
const PAGE = 256;
/** How long the chip of a Pico takes, typically, ns (W25Q16JV). */
const ERASE = 45e6;
const PROGRAM = 0.4e6;

const CODES = ['IF', 'EX', 'RE', 'RP', 'FC', 'CX', 'C4'];

/** Thrown when the power goes. */
export class PowerCut extends Error {}

export class Rom {
  /** `cut`: an object whose `bytes` says after how many bytes (a sector erased counts as one) the power goes. */
  constructor(mcu, cut) {
    this.mcu = mcu;
    this.cut = cut;
    const rom = new DataView(mcu.bootrom.buffer);
    rom.setUint16(0x14, ADDRESS.table, true);
    rom.setUint16(0x16, ADDRESS.table, true);
    rom.setUint16(0x18, ADDRESS.lookup | 1, true);
    const stub = (address, number) => {
      rom.setUint16(address, BKPT | number, true);
      rom.setUint16(address + 2, BX_LR, true);
    };
    stub(ADDRESS.lookup, 0xff);
    CODES.forEach((_, number) => stub(ADDRESS.functions + 4 * number, number));
  }

  /** A break point was met. */
  call(number) {
    const { registers } = this.mcu.core;
    const [r0, r1, r2] = registers;
    if (number === 0xff) {
      const code = String.fromCharCode(r1 & 0xff, (r1 >> 8) & 0xff);
      const known = CODES.indexOf(code);
      if (known < 0) throw new Error(`the firmware asks the boot ROM for “${code}”`);
      registers[0] = (ADDRESS.functions + 4 * known) | 1;
      return;
    }
    switch (CODES[number]) {
      case 'RE':
        for (let at = r0; at < r0 + r1; at += SECTOR) this.erase(at);
        break;
      case 'RP':
        this.program(r0, r1, r2);
        break;
      case 'C4':
        for (let at = 0; at < r2; at += 4) this.mcu.writeUint32(r0 + at, this.mcu.readUint32(r1 + at));
        break;
      case undefined:
        throw new Error(`the firmware stopped at break point ${number}`);
      default: // The flash is always there.
    }
  }

  erase(at) {
    if (this.cut.bytes <= 0) {
      this.mcu.flash.fill(0xff, at, at + SECTOR / 2);
      throw new PowerCut();
    }
    this.cut.bytes -= 1;
    this.mcu.flash.fill(0xff, at, at + SECTOR);
    this.mcu.clock.tick(ERASE);
  }

  program(at, from, count) {
    for (let offset = 0; offset < count; offset++) {
      const byte = this.mcu.readUint8(from + offset);
      // Bytes of ones change nothing: the driver pads pages with them.
      if (byte !== 0xff) {
        if (this.cut.bytes <= 0) throw new PowerCut();
        this.cut.bytes -= 1;
        this.mcu.flash[at + offset] &= byte;
      }
      if ((offset + 1) % PAGE === 0) this.mcu.clock.tick(PROGRAM);
    }
  }
}

/** Lets the flash chip tell its number (command 4B: four bytes of nothing, then eight). */
export function number_chip(ssi, uid) {
  const [SSIENR, DR0, READ_NUMBER] = [0x08, 0x60, 0x4b];
  const answer = [0, 0, 0, 0, ...uid];
  let next = answer.length;
  const { readUint32, writeUint32 } = ssi;
  ssi.readUint32 = (offset) =>
    offset === DR0 && next < answer.length ? answer[next++] : readUint32.call(ssi, offset);
  ssi.writeUint32 = (offset, value) => {
    if (offset === DR0 && (value & 0xff) === READ_NUMBER) next = 0;
    if (offset === SSIENR) next = answer.length;
    writeUint32.call(ssi, offset, value);
  };
}
