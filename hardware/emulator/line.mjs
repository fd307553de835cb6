// The line between the gateway and its controllers: one has it for itself; several share it by half-duplex transceivers
// (RS-485), each of which drives it while its controller's pin says so.

/** A byte at 115,200 baud, ns: controllers of one line hear each other that late. */
const TOGETHER = 86_806;

/** What is made of a byte while another drives the line as well. */
const GARBLED = 0xff;

export class Line {
  /** `hear`: takes each byte that the gateway hears. */
  constructor(hear) {
    this.hear = hear;
    this.machines = [];
    /** How far time has come, ns. */
    this.now = 0;
  }

  plug(machine) {
    this.machines.push(machine);
    return machine;
  }

  get is_shared() {
    return this.machines.length > 1;
  }

  /** A controller's byte is out. */
  sent(machine, byte) {
    if (!this.is_shared) {
      this.hear(byte);
    } else if (machine.bench.drives_line()) {
      const others = this.machines.filter((other) => other !== machine && other.mcu);
      const garbled = others.some((other) => other.bench.drives_line());
      const carried = garbled ? byte ^ GARBLED : byte;
      this.hear(carried);
      // Whoever drives does not listen.
      for (const other of others) if (!other.bench.drives_line()) other.uart.receive([carried]);
    }
  }

  /** Bytes of the gateway's come to all. */
  received(bytes) {
    for (const { mcu, uart } of this.machines) if (mcu) uart.receive(bytes);
  }

  /** Lets time pass up to this instant, for those on a shared line together. */
  run(until) {
    const step = this.is_shared ? TOGETHER : Infinity;
    while (this.now < until) {
      this.now = Math.min(this.now + step, until);
      for (const machine of this.machines) machine.run(this.now);
    }
  }
}
