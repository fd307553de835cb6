//! How much a viewer knows, as the id of a frame.

use std::fmt;

use super::Audience;

/// How much a viewer knows: written `<boot>-<seq>`, the id of every frame. The boot number tells the frames of
/// this process from those of the one before a restart; a letter after it (`o`, `v`) those of the other audiences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The server's start.
    pub boot: u64,
    /// The hub.
    pub audience: Audience,
    /// The frame.
    pub seq: u64,
}

impl Mark {
    /// A mark that no hub ever gave out.
    pub const NEVER: Mark = Mark { boot: 0, audience: Audience::Public, seq: u64::MAX };
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = match self.audience {
            Audience::Officials => "o",
            Audience::Public => "",
            Audience::Veiled => "v",
        };
        write!(f, "{}{letter}-{}", self.boot, self.seq)
    }
}

impl std::str::FromStr for Mark {
    type Err = ();

    fn from_str(text: &str) -> Result<Mark, ()> {
        let (boot, seq) = text.split_once('-').ok_or(())?;
        let audience = match boot.chars().next_back() {
            Some('o') => Audience::Officials,
            Some('v') => Audience::Veiled,
            Some(_) | None => Audience::Public,
        };
        let boot = boot.trim_end_matches(['o', 'v']).parse().map_err(drop)?;
        Ok(Mark { boot, audience, seq: seq.parse().map_err(drop)? })
    }
}
