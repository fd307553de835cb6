// The chip's core: the package's, with a short way for the instructions that firmware spends its time on. Each does what
// the package's own does, cycle by cycle; every other instruction is left to it.

import { RP2040 } from 'rp2040js';

const FLASH = 0x10000000;
const FLASH_SIZE = 0x1000000;
const RAM = 0x20000000;
const CYCLE = 8;
const SP = 13;
const LR = 14;
const PC = 15;

/** `subs rN, #1` and a branch back to it while that is not zero: the firmware waits for a line to settle. */
const COUNT_DOWN = { subs: 0x38, bne: 0xd1fd, cycles: 3 };

const PackageCore = new RP2040().core.constructor;

export class Core extends PackageCore {
  constructor(mcu) {
    super(mcu);
    this.code = new Uint16Array(mcu.flash.buffer);
    this.flash = new Int32Array(mcu.flash.buffer);
    this.ram = mcu.sram;
    this.ramView = mcu.sramView;
    /** Until then nothing outside of the core happens, ns. */
    this.end = 0;
  }

  readUint32(address) {
    const at = (address >>> 0) - RAM;
    return at >= 0 && at + 3 < this.ram.length ? this.ramView.getUint32(at, true) : super.readUint32(address);
  }

  writeUint32(address, value) {
    const at = (address >>> 0) - RAM;
    if (at >= 0 && at + 3 < this.ram.length) this.ramView.setUint32(at, value, true);
    else super.writeUint32(address, value);
  }

  writeUint8(address, value) {
    const at = (address >>> 0) - RAM;
    if (at >= 0 && at < this.ram.length) this.ram[at] = value;
    else super.writeUint8(address, value);
  }

  executeInstruction() {
    if (this.interruptsUpdated && this.checkForInterrupts()) this.waiting = false;
    const r = this.registers;
    const place = ((r[PC] & ~1) >>> 0) - FLASH;
    // The flash's beginning and nothing behind it: firmware runs nowhere else for long.
    if (place < 0 || place >= FLASH_SIZE) return super.executeInstruction();
    const opcode = this.code[place >> 1];
    const low = opcode & 7;
    const middle = (opcode >> 3) & 7;
    switch (opcode >> 11) {
      case 0b00000: { // LSLS (immediate)
        const by = (opcode >> 6) & 31;
        const input = r[middle];
        if (by !== 0) this.C = ((input >>> (32 - by)) & 1) !== 0;
        return this.settled(low, input << by);
      }
      case 0b00001: { // LSRS (immediate)
        const by = (opcode >> 6) & 31;
        const input = r[middle];
        this.C = ((input >>> (by === 0 ? 31 : by - 1)) & 1) !== 0;
        return this.settled(low, by === 0 ? 0 : input >>> by);
      }
      case 0b00011: { // ADDS, SUBS (register, 3-bit immediate)
        const number = (opcode >> 6) & 7;
        const other = (opcode >> 10) & 1 ? number : r[number];
        r[low] = (opcode >> 9) & 1 ? this.difference(r[middle], other) : this.sum(r[middle], other);
        return this.next();
      }
      case 0b00100: // MOVS (immediate)
        return this.settled((opcode >> 8) & 7, opcode & 0xff);
      case 0b00101: // CMP (immediate)
        this.difference(r[(opcode >> 8) & 7], opcode & 0xff);
        return this.next();
      case 0b00110: // ADDS (8-bit immediate)
        r[(opcode >> 8) & 7] = this.sum(r[(opcode >> 8) & 7], opcode & 0xff);
        return this.next();
      case 0b00111: // SUBS (8-bit immediate)
        r[(opcode >> 8) & 7] = this.difference(r[(opcode >> 8) & 7], opcode & 0xff);
        return this.next();
      case 0b01000:
        return this.between_registers(opcode);
      case 0b01001: // LDR (literal)
        return this.load((opcode >> 8) & 7, ((r[PC] + 4) & ~3) + ((opcode & 0xff) << 2));
      case 0b10011: // LDR (SP)
        return this.load((opcode >> 8) & 7, r[SP] + ((opcode & 0xff) << 2));
      case 0b01101: // LDR (immediate)
        return this.load(low, r[middle] + ((opcode >> 4) & 0x7c));
      case 0b10010: // STR (SP)
        return this.store((opcode >> 8) & 7, r[SP] + ((opcode & 0xff) << 2));
      case 0b01100: // STR (immediate)
        return this.store(low, r[middle] + ((opcode >> 4) & 0x7c));
      case 0b01111: { // LDRB (immediate)
        const at = r[middle] + ((opcode >> 6) & 31) - RAM;
        if (at < 0 || at >= this.ram.length) return super.executeInstruction();
        r[low] = this.ram[at];
        return this.next(2);
      }
      case 0b01110: { // STRB (immediate)
        const at = r[middle] + ((opcode >> 6) & 31) - RAM;
        if (at < 0 || at >= this.ram.length) return super.executeInstruction();
        this.ram[at] = r[low];
        return this.next(2);
      }
      case 0b10101: // ADD (SP plus immediate)
        r[(opcode >> 8) & 7] = r[SP] + ((opcode & 0xff) << 2);
        return this.next();
      case 0b11010: // B (condition)
      case 0b11011:
        return (opcode & 0xe00) === 0xe00 ? super.executeInstruction() : this.branch_if(opcode, place);
      case 0b11100: // B
        r[PC] += 4 + ((opcode << 21) >> 20);
        return this.took(2);
      case 0b11110:
        return this.call(opcode, this.code[(place >> 1) + 1]);
      case 0b10110:
        return (opcode & 0x600) === 0x400 ? this.push(opcode) : super.executeInstruction();
      case 0b10111:
        return (opcode & 0x600) === 0x400 ? this.pop(opcode) : super.executeInstruction();
      default:
        return super.executeInstruction();
    }
  }

  between_registers(opcode) {
    const r = this.registers;
    const low = opcode & 7;
    const middle = (opcode >> 3) & 7;
    switch (opcode >> 6) {
      case 0b0100000000: // ANDS
        return this.settled(low, r[low] & r[middle]);
      case 0b0100000001: // EORS
        return this.settled(low, r[low] ^ r[middle]);
      case 0b0100001000: { // TST
        const result = r[low] & r[middle];
        this.N = result < 0;
        this.Z = result === 0;
        return this.next();
      }
      case 0b0100001010: // CMP (register)
        this.difference(r[low], r[middle]);
        return this.next();
      case 0b0100001100: // ORRS
        return this.settled(low, r[low] | r[middle]);
      case 0b0100001110: // BICS
        return this.settled(low, r[low] & ~r[middle]);
      case 0b0100011000: // MOV (register)
      case 0b0100011001:
      case 0b0100011010:
      case 0b0100011011: {
        const from = (opcode >> 3) & 15;
        const to = ((opcode >> 4) & 8) | low;
        if (from === PC || to === PC || to === SP) return super.executeInstruction();
        r[to] = r[from];
        return this.next();
      }
      case 0b0100010000: // ADD (register)
      case 0b0100010001:
      case 0b0100010010:
      case 0b0100010011: {
        const from = (opcode >> 3) & 15;
        const to = ((opcode >> 4) & 8) | low;
        if (from === PC || to === PC || to === SP) return super.executeInstruction();
        r[to] += r[from];
        return this.next();
      }
      default:
        return super.executeInstruction();
    }
  }

  /** BL; other wide instructions are the package's. */
  call(opcode, second) {
    if ((second & 0xd000) !== 0xd000) return super.executeInstruction();
    const r = this.registers;
    const sign = (opcode >> 10) & 1;
    const [first, next] = [1 - (sign ^ ((second >> 13) & 1)), 1 - (sign ^ ((second >> 11) & 1))];
    const distance = (sign ? 0xff000000 : 0) | (first << 23) | (next << 22) | ((opcode & 0x3ff) << 12) | ((second & 0x7ff) << 1);
    r[LR] = (r[PC] + 4) | 1;
    r[PC] += 4 + distance;
    return this.took(3);
  }

  push(opcode) {
    const r = this.registers;
    let at = r[SP];
    let cycles = 1;
    if (opcode & 0x100) this.writeUint32((at -= 4), r[LR]);
    for (let register = 7; register >= 0; register--) {
      if ((opcode >> register) & 1) {
        this.writeUint32((at -= 4), r[register]);
        cycles++;
      }
    }
    r[SP] = at;
    return this.next(cycles);
  }

  pop(opcode) {
    const r = this.registers;
    let at = r[SP];
    let cycles = 1;
    for (let register = 0; register < 8; register++) {
      if ((opcode >> register) & 1) {
        r[register] = this.readUint32(at);
        at += 4;
        cycles++;
      }
    }
    if ((opcode & 0x100) === 0) {
      r[SP] = at;
      return this.next(cycles);
    }
    r[SP] = at + 4;
    this.BXWritePC(this.readUint32(at));
    return this.took(cycles + 2);
  }

  next(cycles = 1) {
    this.registers[PC] += 2;
    return this.took(cycles);
  }

  took(cycles) {
    this.cycles += cycles;
    return cycles;
  }

  /** A result with its sign and whether it is zero. */
  settled(register, result) {
    result |= 0;
    this.registers[register] = result;
    this.N = result < 0;
    this.Z = result === 0;
    return this.next();
  }

  sum(a, b) {
    const result = (a + b) | 0;
    this.N = result < 0;
    this.Z = result === 0;
    this.C = a + b > 0xffffffff;
    this.V = ((a ^ result) & (b ^ result)) < 0;
    return result;
  }

  difference(a, b) {
    const result = (a - b) | 0;
    this.N = result < 0;
    this.Z = result === 0;
    this.C = a >= b;
    this.V = ((a ^ b) & (a ^ result)) < 0;
    return result;
  }

  load(register, address) {
    const at = address - RAM;
    if (at >= 0 && at + 3 < this.ram.length) this.registers[register] = this.ramView.getInt32(at, true);
    else if (address >= FLASH && address < FLASH + FLASH_SIZE) this.registers[register] = this.flash[(address - FLASH) >> 2];
    else {
      this.registers[register] = super.readUint32(address);
      return this.next(1 + this.cyclesIO(address));
    }
    return this.next(2);
  }

  store(register, address) {
    const at = address - RAM;
    if (at >= 0 && at + 3 < this.ram.length) {
      this.ramView.setInt32(at, this.registers[register], true);
      return this.next(2);
    }
    super.writeUint32(address, this.registers[register]);
    return this.next(1 + this.cyclesIO(address, true));
  }

  branch_if(opcode, place) {
    if (!this.checkCondition((opcode >> 8) & 15)) return this.next();
    this.registers[PC] += 4 + ((opcode << 24) >> 23);
    const cycles = opcode === COUNT_DOWN.bne ? 2 + this.count_down(place) : 2;
    return this.took(cycles);
  }

  /** Counts as far down at once as nothing else can happen meanwhile. The cycles that it took. */
  count_down(place) {
    const subs = this.code[(place >> 1) - 1];
    if (subs >> 11 !== COUNT_DOWN.subs >> 3 || (subs & 0xff) !== 1 || this.interruptsUpdated) return 0;
    const { clock } = this.rp2040;
    const until = clock.nextAlarm === null ? this.end : Math.min(clock.nextAlarm.nanos, this.end);
    const room = Math.floor((until - clock.nanosCounter) / CYCLE) - 2 - 1;
    const register = (subs >> 8) & 7;
    const rounds = Math.min(this.registers[register] - 1, Math.floor(room / COUNT_DOWN.cycles));
    if (rounds <= 0) return 0;
    this.registers[register] -= rounds;
    return rounds * COUNT_DOWN.cycles;
  }
}
