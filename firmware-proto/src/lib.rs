//! The one contract of both hops: messages, framing, the delivery machine, topics and game-clock arithmetic.
//!
//! `no_std`; the parts that need a heap (what a gateway sends up, topics) sit behind the feature `std`.
//! A board and a clock know nothing of Xiangqi: they speak of [`Cell`]s and of the two [`Half`]s of a table.
//! The server maps both once, by the table's binding.
#![cfg_attr(not(any(feature = "std", test)), no_std)]

mod clock;
pub mod delivery;
#[cfg(feature = "std")]
pub mod envelope;
#[cfg(feature = "std")]
mod firmware_file;
mod frame;
mod ids;
mod image;
mod message;
#[cfg(feature = "std")]
mod name;
#[cfg(feature = "std")]
pub mod progress;
mod shared;
#[cfg(feature = "std")]
mod topics;
mod update;
#[cfg(feature = "std")]
mod upstream;
#[cfg(feature = "std")]
mod venue_clock;

pub use clock::{FlagFall, GameClock};
#[cfg(feature = "std")]
pub use firmware_file::BadFirmwareFile;
pub use frame::{Address, Fault, Faults, FrameReader, FrameTooLong, MAX_BODY, MAX_FRAME, encode};
pub use ids::{BootId, ByHalf, Cell, CmdId, DeviceUid, Half, Millis, Seq};
pub use image::{Image, ImageError, Reading, SensingKind};
pub use message::{
    Body, Capabilities, ClockFace, ClockSetting, Command, Done, DoneCode, FromDevice, HealthFault, Hello,
    Left, PlayerSignal, Record, ResetCause, ToDevice,
};
#[cfg(feature = "std")]
pub use name::{BadName, EventId, GatewayId, VenueId};
pub use shared::{FromShared, LineSession, ToShared};
#[cfg(feature = "std")]
pub use topics::{BadTopic, Topic};
pub use update::{Chunk, Firmware, Target, UpdateRefusal, UpdateState, UpdateStep};
#[cfg(feature = "std")]
pub use upstream::{
    Beat, Down, Epoch, Link, LinkFault, Observation, Offer, OfferReport, Presence, Session, Sighting,
    StreamSeq, Up,
};
#[cfg(feature = "std")]
pub use venue_clock::VenueClock;

/// The wire's version: first byte of every frame. A change of any message is a new version.
pub const WIRE_VERSION: u8 = 1;
