//! Hub and devices of the real kind in virtual time: firmware goes over lines that lose, double and flip, cables are
//! pulled, devices and the gateway reset, and images are bad.

mod chip;
mod desk;
mod offer;
mod ports;
mod shared;
