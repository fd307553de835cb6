//! Remembers the last commands and how they went, so that a repeated one acts once.

use firmware_proto::{CmdId, DoneCode};

/// How many.
const REMEMBERED: usize = 32;

pub(crate) struct Commands {
    last: [Option<(CmdId, DoneCode)>; REMEMBERED],
    /// Where the next one goes.
    next: usize,
}

impl Commands {
    pub(crate) const fn new() -> Commands {
        Commands { last: [None; REMEMBERED], next: 0 }
    }

    /// The answer to a command that was handled already.
    pub(crate) fn answer_again(&self, id: CmdId) -> Option<DoneCode> {
        let (_, code) = self.last.iter().flatten().find(|(known, _)| *known == id)?;
        Some(match code {
            DoneCode::Ok => DoneCode::Repeated,
            DoneCode::Repeated | DoneCode::Unsupported | DoneCode::Refused => *code,
        })
    }

    pub(crate) fn remember(&mut self, id: CmdId, code: DoneCode) {
        self.last[self.next] = Some((id, code));
        self.next = (self.next + 1) % REMEMBERED;
    }
}
