// The firmware's image: the loadable segments of its ELF file, by the address that they are burnt to.

const PT_LOAD = 1;
const FLASH = 0x10000000;
const FLASH_SIZE = 2 * 1024 * 1024;

/** A new flash with these ELF files in it. */
export function burnt(elfs) {
  const flash = new Uint8Array(FLASH_SIZE).fill(0xff);
  for (const elf of elfs) burn(elf, flash);
  return flash;
}

/** Writes the segments of an ELF file for a 32-bit little-endian target into `flash`. */
function burn(elf, flash) {
  const view = new DataView(elf.buffer, elf.byteOffset, elf.byteLength);
  if (view.getUint32(0, false) !== 0x7f454c46 || elf[4] !== 1 || elf[5] !== 1) {
    throw new Error('this is no ELF file of a 32-bit little-endian target');
  }
  const table = view.getUint32(28, true);
  const size = view.getUint16(42, true);
  const count = view.getUint16(44, true);
  for (let index = 0; index < count; index++) {
    const at = table + index * size;
    const bytes = view.getUint32(at + 16, true);
    if (view.getUint32(at, true) !== PT_LOAD || bytes === 0) continue;
    const from = view.getUint32(at + 4, true);
    const physical = view.getUint32(at + 12, true) - FLASH;
    if (physical < 0 || physical + bytes > flash.length) {
      throw new Error(`a segment lies outside of the flash: ${(physical + FLASH).toString(16)}`);
    }
    flash.set(elf.subarray(from, from + bytes), physical);
  }
}
