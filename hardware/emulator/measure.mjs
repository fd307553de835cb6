// What an emulated chip costs: `node measure.mjs DIR PROGRAM…`, DIR being the folder of the ELF files. The share of a core
// that each program takes at the pace of life, with nobody at its board and no gateway at its line.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { Bench, wiring } from './bench.mjs';
import { Machine } from './machine.mjs';

/** It has started by then, ns … */
const STARTED = 3e9;
/** … and is measured for so long. */
const MEASURED = 15e9;

const [folder, ...programs] = process.argv.slice(2);
const pins = wiring(join(dirname(fileURLToPath(import.meta.url)), '../board/pins.csv'));
for (const program of programs) {
  const machine = new Machine({
    elfs: ['boot', program].map((name) => readFileSync(join(folder, name))),
    flash: null,
    uid: Buffer.from('c400000300000001', 'hex'),
    bench: new Bench(pins, program.endsWith('matrix'), () => {}),
    onByte() {},
    onOff() {},
  });
  machine.power_on();
  machine.run(STARTED);
  const before = process.cpuUsage();
  machine.run(STARTED + MEASURED);
  const { user, system } = process.cpuUsage(before);
  console.log(`${program}: ${(((user + system) * 1e3) / MEASURED).toFixed(3)} of a core`);
}
