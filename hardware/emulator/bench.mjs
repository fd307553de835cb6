// What is soldered to the controller: a board of 90 cells, a row of contacts and a clock's faces, wired by
// hardware/board/pins.csv.

import { readFileSync } from 'node:fs';

import { Faces } from './faces.mjs';

const ROWS = 10;
const COLUMNS = 9;
const INPUTS = 3;
const BANKS = 4;

/** A sensor's sample without a piece, and how far one takes it: 25 mT, a magnet 13 mm below. */
const ZERO = 2048;
const PIECE = 342;

/** Signal name to GPIO number. */
export function wiring(file) {
  const pins = new Map();
  const [, ...lines] = readFileSync(file, 'utf8').trim().split('\n');
  for (const line of lines) {
    const [gpio, , ...signals] = line.split(',');
    for (const signal of signals) if (signal) pins.set(signal.trim(), Number(gpio));
  }
  return pins;
}

export class Bench {
  /**
   * `switches`: the cells are switches in rows and columns; otherwise Hall sensors, which no row pulls at.
   * `onFaces`: is told what the clock's faces show.
   */
  constructor(pins, switches, onFaces) {
    const pin = (signal) => {
      const gpio = pins.get(signal);
      if (gpio === undefined) throw new Error(`the wiring has no ${signal}`);
      return gpio;
    };
    const several = (count, signal) => Array.from({ length: count }, (_, index) => pin(`${signal}_${index}`));
    this.rows = [...several(ROWS, 'row'), pin('contacts')];
    this.columns = several(COLUMNS, 'column');
    this.select = several(4, 'select');
    this.banks = several(BANKS, 'bank');
    this.line_drive = pin('line_drive');
    this.cells = new Uint8Array(ROWS * COLUMNS);
    /** Which columns each row closes, the contacts last. */
    this.closed = new Uint16Array(ROWS + 1);
    this.switches = switches;
    this.faces = new Faces(pin, onFaces);
  }

  /** The readings of all cells: 0 empty, 1 Red, 2 Black. */
  set_cells(readings) {
    this.cells.set(readings);
    for (let row = 0; row < ROWS; row++) {
      let closed = 0;
      for (let column = 0; column < COLUMNS; column++) {
        if (this.cells[row * COLUMNS + column] !== 0) closed |= 1 << column;
      }
      this.closed[row] = this.switches ? closed : 0;
    }
    this.settle();
  }

  /** Which contacts are closed, as bits. */
  set_contacts(bits) {
    this.closed[ROWS] = bits;
    this.settle();
  }

  /** Connects a controller. */
  connect(mcu) {
    this.mcu = mcu;
    this.faces.connect(mcu);
    for (const row of this.rows) mcu.gpio[row].addListener(() => this.settle());
    for (const column of this.columns) mcu.gpio[column].setInputValue(true);
    const { adc } = mcu;
    // us; on the chip 2. Waiting for it would be a third of all instructions.
    adc.sampleTime = 0.2;
    adc.onADCRead = (input) => {
      adc.currentChannel = input;
      adc.channelValues[input] = this.sample(input);
      adc.sampleAlarm.schedule(adc.sampleTime * 1000);
    };
  }

  is_low(gpio) {
    const { gpioOutputEnable, gpioValue } = this.mcu.sio;
    return (gpioOutputEnable >> gpio) & 1 && !((gpioValue >> gpio) & 1);
  }

  /** Whether the controller's transceiver drives the line. */
  drives_line() {
    const { gpioOutputEnable, gpioValue } = this.mcu.sio;
    return ((gpioOutputEnable & gpioValue) >> this.line_drive) & 1;
  }

  /** Columns are pulled up; a closed switch on a row that is low pulls them down. */
  settle() {
    if (!this.mcu) return;
    let low = 0;
    this.rows.forEach((row, index) => {
      if (this.closed[index] !== 0 && this.is_low(row)) low |= this.closed[index];
    });
    this.columns.forEach((column, index) => {
      const pin = this.mcu.gpio[column];
      const high = !((low >> index) & 1);
      if (pin.rawInputValue !== high) pin.setInputValue(high);
    });
  }

  /** What an analogue input sees through the multiplexer that is enabled. */
  sample(input) {
    const bank = this.banks.findIndex((gpio) => this.is_low(gpio));
    if (bank < 0) return ZERO;
    const way = this.select.reduce((sum, gpio, bit) => sum | (this.is_low(gpio) ? 0 : 1 << bit), 0);
    // A strip has a multiplexer of its own, with ways to spare; bank and input say which strip.
    const cell = way < COLUMNS ? (bank * INPUTS + input) * COLUMNS + way : -1;
    return ZERO + [0, PIECE, -PIECE][this.cells[cell] ?? 0];
  }
}
