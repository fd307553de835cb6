// Controllers of a table on one line: their firmware on emulated chips, a bench around each.
//
//   node main.mjs --elf BOOT --elf PROGRAM --uid 16-HEX-DIGITS… [--flash FILE…] [--switches] [--speed X]
//
// One --uid (and --flash) is a controller on a line of its own; several share a line (RS-485), and whoever drives it is heard.
// With --switches the cells are switches, otherwise Hall sensors. With --speed time passes by itself, X times as fast as the
// wall's, as far as the machine lets it; otherwise it passes when it is told to.
//
// Lines on standard input, carried out in their order; N is a controller's place among the --uid:
//   until MS          time may pass up to this instant, counted from the start; it passes as fast as this machine lets it
//   line HEX          bytes from the gateway
//   cells N D…        the 90 readings
//   contacts N BITS   which contacts are closed
//   reset N           the watchdog bites
//   power N off, power N on, power N cut BYTES   the last: the power goes once so many more bytes are in the flash
// On standard output: `line HEX` what the gateway hears; `faces N JSON` what that one's clock shows; `off N` when that one's power has gone; `at MS` once an
// `until` is reached.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { Bench, wiring } from './bench.mjs';
import { Line } from './line.mjs';
import { Machine } from './machine.mjs';

const several = { type: 'string', multiple: true };
const { values } = parseArgs({
  options: { elf: several, uid: several, flash: several, switches: { type: 'boolean' }, speed: { type: 'string' } },
});
if (!values.elf || !values.uid?.every((uid) => /^[0-9a-f]{16}$/.test(uid))) {
  console.error('usage: main.mjs --elf BOOT --elf PROGRAM --uid 16-HEX-DIGITS… [--flash FILE…] [--switches] [--speed X]');
  process.exit(2);
}
const pins = wiring(join(dirname(fileURLToPath(import.meta.url)), '../board/pins.csv'));
const elfs = values.elf.map((file) => readFileSync(file));
const flashes = values.flash ?? [];

/** What the gateway is to hear, until it is said. */
let heard = [];
const line = new Line((byte) => heard.push(byte));
const machines = values.uid.map((uid, place) => {
  const machine = new Machine({
    elfs,
    flash: flashes[place] && existsSync(flashes[place]) ? readFileSync(flashes[place]) : null,
    uid: Buffer.from(uid, 'hex'),
    bench: new Bench(pins, values.switches, (seen) => {
      say();
      console.log(`faces ${place} ${seen}`);
    }),
    onByte: (byte) => line.sent(machine, byte),
    onOff: () => {
      say();
      console.log(`off ${place}`);
    },
  });
  machine.power_on();
  return line.plug(machine);
});

/** What the watchdog's register says after it bit. */
const BITTEN = 1;
const COMMANDS = {
  until: (ms) => {
    line.run(Number(ms) * 1e6);
    say();
    console.log(`at ${ms}`);
  },
  line: (hex) => line.received(Buffer.from(hex, 'hex')),
  cells: (machine, digits) => machine.bench.set_cells(Array.from(digits, Number)),
  contacts: (machine, bits) => machine.bench.set_contacts(Number(bits)),
  reset: (machine) => machine.reset(BITTEN),
  power: (machine, what, bytes) => {
    if (what === 'on' && !machine.mcu) machine.power_on();
    if (what === 'off') machine.power_off();
    if (what === 'cut') machine.cut.bytes = Number(bytes);
  },
};

/** How often time passes by itself, ms, and how much of it at most: commands are heard between. */
const SLICE = 5;
const MOST = 50e6;
const began = performance.now();
const pass = () => {
  line.run(Math.min((performance.now() - began) * values.speed * 1e6, line.now + MOST));
  say();
};
const passing = values.speed && setInterval(pass, SLICE);

createInterface({ input: process.stdin })
  .on('line', (text) => {
    const [name, ...words] = text.trim().split(' ');
    if (!(name in COMMANDS)) throw new Error(`there is no command “${name}”`);
    if (name !== 'until' && name !== 'line') words[0] = machines[Number(words[0])];
    COMMANDS[name](...words);
  })
  .on('close', () => {
    clearInterval(passing);
    machines.forEach((machine, place) => {
      machine.power_off();
      if (flashes[place]) writeFileSync(flashes[place], machine.flash);
    });
  });

function say() {
  if (heard.length > 0) {
    console.log(`line ${Buffer.from(heard).toString('hex')}`);
    heard = [];
  }
}
