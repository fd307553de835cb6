//! A firmware as a file, as it is handed to a gateway: `CHUHEFW1`, a [`Firmware`] (postcard), its bytes.

use sha2::{Digest, Sha256};

use crate::{Firmware, Target};

/// How every such file begins; the last character is the version of this format.
const MAGIC: &[u8; 8] = b"CHUHEFW1";

/// Why a file is no firmware.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadFirmwareFile {
    /// It does not begin as one.
    #[error("this is no firmware file: it does not begin with CHUHEFW1")]
    NotOne,
    /// It ends before its description does, or that is damaged.
    #[error("the firmware file is damaged: its description cannot be read; fetch it again")]
    Description,
    /// It has more or fewer bytes than it says.
    #[error(
        "the firmware file is damaged: it should hold {said} bytes of firmware and holds {found}; fetch it again"
    )]
    Length {
        /// What the description says.
        said: u32,
        /// What there is.
        found: usize,
    },
    /// The digest does not fit.
    #[error("the firmware file is damaged: its bytes do not have the digest it tells; fetch it again")]
    Digest,
}

impl Firmware {
    /// No file is longer: there is nothing larger in any of our controllers.
    pub const LONGEST_FILE: usize = 2 << 20;

    /// The firmware that these bytes are.
    ///
    /// # Panics
    ///
    /// If there are 4 GiB of them or more.
    #[must_use]
    pub fn of_bytes(target: Target, version: u32, bytes: &[u8]) -> Firmware {
        let length = bytes.len().try_into().expect("no chip holds 4 GiB of firmware");
        Firmware { target, version, length, sha256: Sha256::digest(bytes).into() }
    }

    /// The file of this firmware, with these bytes.
    #[must_use]
    pub fn to_file(&self, bytes: &[u8]) -> Vec<u8> {
        let description = postcard::to_stdvec(self).expect("numbers can be written");
        [MAGIC.as_slice(), &description, bytes].concat()
    }

    /// The firmware in this file, and its bytes.
    pub fn from_file(file: &[u8]) -> Result<(Firmware, &[u8]), BadFirmwareFile> {
        let described = file.strip_prefix(MAGIC).ok_or(BadFirmwareFile::NotOne)?;
        let (firmware, bytes) =
            postcard::take_from_bytes::<Firmware>(described).map_err(|_| BadFirmwareFile::Description)?;
        if bytes.len() as u64 != u64::from(firmware.length) {
            return Err(BadFirmwareFile::Length { said: firmware.length, found: bytes.len() });
        }
        if <[u8; 32]>::from(Sha256::digest(bytes)) != firmware.sha256 {
            return Err(BadFirmwareFile::Digest);
        }
        Ok((firmware, bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Capabilities;

    const TARGET: Target =
        Target { hardware: 1, capabilities: Capabilities { board: None, clock: true }, shared_line: false };

    #[test]
    fn a_file_gives_back_what_was_put_into_it() {
        let bytes: Vec<u8> = (0..1_000_u32).map(|byte| byte as u8).collect();
        let firmware = Firmware::of_bytes(TARGET, 7, &bytes);
        assert_eq!(Firmware::from_file(&firmware.to_file(&bytes)), Ok((firmware, &bytes[..])));
    }

    #[test]
    fn a_damaged_file_is_told_from_a_sound_one_whatever_bit_is_wrong() {
        let bytes = *b"firmware";
        let sound = Firmware::of_bytes(TARGET, 7, &bytes).to_file(&bytes);
        // The version and the target are not under the digest: they are compared with the device's.
        let described = MAGIC.len()..MAGIC.len() + 5;
        for bit in (0..8 * sound.len()).filter(|bit| !described.contains(&(bit / 8))) {
            let mut damaged = sound.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(Firmware::from_file(&damaged).is_err(), "bit {bit}");
        }
        for end in 0..sound.len() {
            assert!(Firmware::from_file(&sound[..end]).is_err(), "cut at {end}");
        }
    }
}
