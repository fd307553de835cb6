//! What lies where in the memory of a Pico's RP2040. The one table of it: build.rs makes the linker's maps from it.

use core::ops::Range;

const KIB: u32 = 1024;

/// Where the flash is mapped to.
pub const FLASH_ORIGIN: u32 = 0x1000_0000;
/// How long it is.
pub const FLASH_SIZE: usize = 2 * 1024 * 1024;
/// Where the RAM is …
pub const RAM_ORIGIN: u32 = 0x2000_0000;
/// … and how long it is.
pub const RAM_SIZE: u32 = 264 * KIB;

/// The chip's own second stage, at the flash's beginning, by which it reads the flash fast.
pub const SECOND_STAGE: Range<u32> = 0..0x100;
/// The boot stage: it brings a change of firmware to its end and starts what runs.
pub const BOOT_STAGE: Range<u32> = 0x100..64 * KIB;
/// The firmware that runs.
pub const RUNNING: Range<u32> = 64 * KIB..320 * KIB;
/// The firmware that is coming.
pub const COMING: Range<u32> = 320 * KIB..576 * KIB;
/// The firmware that ran before.
pub const FORMER: Range<u32> = 576 * KIB..832 * KIB;
/// How far a change of firmware is.
pub const CHANGES: Range<u32> = 832 * KIB..840 * KIB;
/// Records that no gateway has acknowledged yet.
pub const SPILLED: Range<u32> = 1536 * KIB..1792 * KIB;
/// What else a device keeps over a power cut.
pub const KEPT: Range<u32> = 1792 * KIB..2048 * KIB;
