//! The one contract of both hops: messages, framing, the delivery machine, topics and game-clock arithmetic.
//!
//! `no_std`; the parts that need a heap (what a gateway sends up, topics) sit behind the feature `std`.
//! A board and a clock know nothing of Xiangqi: they speak of [`Cell`]s and of the two [`Half`]s of a table.
//! The server maps both once, by the table's binding.
#![cfg_attr(not(feature = "std"), no_std)]

mod ids;
mod image;
mod message;
#[cfg(feature = "std")]
mod upstream;

pub use ids::{BootId, ByHalf, Cell, CmdId, DeviceUid, Half, Millis, Seq};
pub use image::{Image, ImageError, Reading, SensingKind};
pub use message::{
    Body, Capabilities, ClockFace, ClockSetting, Command, Done, DoneCode, FromDevice, HealthFault, Hello,
    PlayerSignal, Record, ResetCause, ToDevice,
};
#[cfg(feature = "std")]
pub use upstream::{Beat, Down, Epoch, GatewayId, LinkFault, Observation, Session, Sighting, StreamSeq, Up};

/// The wire's version: first byte of every frame. A change of any message is a new version.
pub const WIRE_VERSION: u8 = 1;
