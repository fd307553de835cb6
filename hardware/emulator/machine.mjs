// A controller with power: the chip as its second-stage boot loader leaves it, reset by its watchdog or from outside,
// with a flash and registers that outlive what they outlive on the chip.

import { RP2040, LogLevel, ConsoleLogger } from 'rp2040js';

import { Core } from './core.mjs';
import { burnt } from './elf.mjs';
import { PowerCut, Rom, number_chip } from './rom.mjs';
import { Uart } from './uart.mjs';

const VECTORS = 0x10000100;
const CYCLE = 8;
const UART0 = 20;

export class Machine {
  /** `elfs`: what is burnt into a new chip; `flash`: what a chip's flash holds already, or null. */
  constructor({ elfs, flash, uid, bench, onByte, onOff }) {
    Object.assign(this, { uid, bench, onByte, onOff });
    this.flash = flash ?? burnt(elfs);
    this.cut = { bytes: Infinity };
    /** Emulated ns before the present start. */
    this.before = 0;
    this.mcu = null;
  }

  get nanos() {
    return this.before + (this.mcu ? this.mcu.clock.nanos : 0);
  }

  power_on() {
    this.cut.bytes = Infinity;
    this.start({ reason: 0, scratch: new Uint32Array(8) });
  }

  /** Everything but the flash is gone. */
  power_off() {
    if (!this.mcu) return;
    this.keep_flash();
    this.before = this.nanos;
    this.mcu = null;
    this.bench.mcu = null;
    this.onOff();
  }

  /** The chip starts anew; what outlives a reset does. `reason`: as the watchdog's register has it. */
  reset(reason) {
    if (!this.mcu) return;
    const scratch = this.watchdog().scratchData;
    this.keep_flash();
    this.before = this.nanos;
    this.start({ reason, scratch });
  }

  watchdog() {
    return this.mcu.peripherals[0x40058];
  }

  keep_flash() {
    this.flash = this.mcu.flash;
  }

  start({ reason, scratch }) {
    const mcu = new RP2040();
    mcu.logger = new ConsoleLogger(LogLevel.Error, false);
    mcu.logger.error = () => {};
    mcu.flash.set(this.flash);
    mcu.core = new Core(mcu);
    this.rom = new Rom(mcu, this.cut);
    mcu.onBreak = (number) => this.rom.call(number);
    number_chip(mcu.peripherals[0x18000], this.uid);
    this.uart = new Uart(mcu, UART0, this.onByte);
    mcu.uart[0] = this.uart;
    mcu.peripherals[0x40034] = this.uart;
    // The cache of the flash: always idle.
    mcu.peripherals[0x14000] = { readUint32: () => 0, writeUint32() {}, writeUint32Atomic() {} };
    this.mcu = mcu;
    const watchdog = this.watchdog();
    watchdog.reason = reason;
    watchdog.scratchData.set(scratch);
    watchdog.onWatchdogTrigger = () => {
      this.again = true;
      // It bites once; the package's own would do so again at the same instant, for ever.
      watchdog.alarm.enable = false;
    };
    this.again = false;
    this.bench.connect(mcu);
    mcu.core.VTOR = VECTORS;
    mcu.core.reset();
  }

  /** Runs until this emulated time; without power the time passes all the same. */
  run(until) {
    try {
      // Both compare with the same difference: a sum rounded otherwise would be looked at for ever.
      while (this.mcu && this.mcu.clock.nanos < until - this.before) {
        this.step(until - this.before);
        if (this.again) this.reset(this.watchdog().reason);
      }
    } catch (error) {
      if (!(error instanceof PowerCut)) throw error;
      this.power_off();
    }
    if (!this.mcu) this.before = Math.max(this.before, until);
  }

  /** Until the chip's time is `end` or it is to start again. */
  step(end) {
    const { core, clock } = this.mcu;
    core.end = end;
    while (clock.nanosCounter < end && !this.again) {
      if (core.waiting) {
        const next = clock.nextAlarm ? clock.nextAlarm.nanos : Infinity;
        clock.tick(Math.max(Math.min(next, end) - clock.nanosCounter, 1));
      } else {
        // In this order: what the flash takes passes during its instruction.
        const cycles = core.executeInstruction();
        const now = clock.nanosCounter + cycles * CYCLE;
        // As the clock's own tick does, but for the usual case without a call.
        if (clock.nextAlarm !== null && clock.nextAlarm.nanos <= now) clock.tick(now - clock.nanosCounter);
        else clock.nanosCounter = now;
      }
    }
  }
}
