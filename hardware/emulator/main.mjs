// One controller of a table: its firmware on an emulated chip, a bench around it.
//
//   node main.mjs --elf BOOT --elf PROGRAM --uid 16-HEX-DIGITS [--flash FILE] [--speed X] [--switches]
//
// With --switches the cells are switches, otherwise Hall sensors.
// Lines on standard input: `line HEX` bytes on its line; `cells D…` the 90 readings; `contacts N` which contacts are
// closed, as bits; `reset`: the watchdog bites; `power off`, `power on`; `power cut N`: the power goes once N more bytes are in the flash.
// On standard output: `line HEX` what it sends; `faces JSON` what its clock's faces show; `off` when its power has gone. Time runs SPEED times the wall's.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { Bench, wiring } from './bench.mjs';
import { Machine } from './machine.mjs';

const { values } = parseArgs({
  options: { elf: { type: 'string', multiple: true }, uid: { type: 'string' }, flash: { type: 'string' }, speed: { type: 'string' }, switches: { type: 'boolean' } },
});
if (!values.elf || !/^[0-9a-f]{16}$/.test(values.uid ?? '')) {
  console.error('usage: main.mjs --elf BOOT --elf PROGRAM --uid 16-HEX-DIGITS [--flash FILE] [--speed X] [--switches]');
  process.exit(2);
}
const here = dirname(fileURLToPath(import.meta.url));
const speed = Number(values.speed ?? 1);

let sent = [];
const bench = new Bench(wiring(join(here, '../board/pins.csv')), values.switches, (seen) => {
  say();
  console.log(`faces ${seen}`);
});
const machine = new Machine({
  elfs: values.elf.map((file) => readFileSync(file)),
  flash: values.flash && existsSync(values.flash) ? readFileSync(values.flash) : null,
  uid: Buffer.from(values.uid, 'hex'),
  bench,
  onByte: (byte) => sent.push(byte),
  onOff: () => {
    say();
    console.log('off');
  },
});
machine.power_on();

/** What the watchdog's register says after it bit. */
const BITTEN = 1;
const COMMANDS = {
  line: (hex) => machine.mcu && machine.uart.receive(Buffer.from(hex, 'hex')),
  cells: (digits) => bench.set_cells(Array.from(digits, Number)),
  contacts: (bits) => bench.set_contacts(Number(bits)),
  reset: () => machine.reset(BITTEN),
  power: (what, bytes) => {
    if (what === 'on' && !machine.mcu) machine.power_on();
    if (what === 'off') machine.power_off();
    if (what === 'cut') machine.cut.bytes = Number(bytes);
  },
};

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const [command, ...words] = line.trim().split(' ');
    COMMANDS[command]?.(...words);
  })
  .on('close', () => {
    machine.power_off();
    if (values.flash) writeFileSync(values.flash, machine.flash);
    process.exit(0);
  });

function say() {
  if (sent.length > 0) {
    console.log(`line ${Buffer.from(sent).toString('hex')}`);
    sent = [];
  }
}

// Time off counts: a controller without power is as late as the wall when it gets it back.
const began = performance.now();
const SLICE = 15;
const REST = 2;

function turn() {
  const wall = performance.now();
  const until = (wall - began) * speed * 1e6;
  if (machine.mcu) machine.run(until, () => performance.now() - wall < SLICE);
  else machine.before = until;
  say();
  if (machine.nanos < until) setImmediate(turn);
  else setTimeout(turn, REST);
}
turn();
