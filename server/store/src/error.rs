//! What can go wrong with a store; every message names the database and what to do.

/// Why a store cannot do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database cannot be opened or created.
    #[error(
        "cannot open the database {at}: {why}. Check that the folder exists, that this user may write there and \
         that the disk is not full"
    )]
    Open {
        /// Which database.
        at: String,
        /// What the database says.
        why: String,
    },
    /// The database's server cannot be reached, or has just ended; it may be there again.
    #[error("the database {at} does not answer: {why}. Is its server running, and the network up?")]
    Away {
        /// Which database.
        at: String,
        /// What the system says.
        why: String,
    },
    /// The database's server does not let us in.
    #[error(
        "the database {at} refuses: {why}. Correct the address, its user and its password, or the server's rules"
    )]
    Refused {
        /// Which database.
        at: String,
        /// What the server says.
        why: String,
    },
    /// Another process has it.
    #[error(
        "the database {at} is in use by another chuhe: end that one, or give this one another data folder"
    )]
    InUse {
        /// Which database.
        at: String,
    },
    /// The tables cannot be brought to this program's form.
    #[error(
        "cannot prepare the tables of {at}: {why}. If a newer chuhe wrote this database, run that one; else keep a \
         copy of the file and report this"
    )]
    Migrate {
        /// Which database.
        at: String,
        /// What the database says.
        why: String,
    },
    /// A transaction failed; nothing of it was kept.
    #[error(
        "cannot write to {at}: {why}. Nothing that was not written has been acknowledged: gateways and devices still \
         keep it. Make room or repair the disk, then start again"
    )]
    Write {
        /// Which database.
        at: String,
        /// What the database says.
        why: String,
    },
    /// Something cannot be read.
    #[error("cannot read from {at}: {why}")]
    Read {
        /// Which database.
        at: String,
        /// What the database says.
        why: String,
    },
    /// A row does not hold what it should.
    #[error("{what} in {at} is damaged: {why}. Restore the latest copy of the file")]
    Damaged {
        /// Which database.
        at: String,
        /// Which row.
        what: String,
        /// What is wrong with it.
        why: String,
    },
    /// The journal's chain of hashes is broken.
    #[error(
        "entry {no} of the journal in {at} does not follow from the one before: it was changed from outside. Restore \
         the latest copy of the file"
    )]
    Chain {
        /// Which database.
        at: String,
        /// The first entry that does not fit.
        no: u64,
    },
    /// A gateway that is on the roll already, or is not on it.
    #[error("gateway {gateway}: {why}")]
    Roll {
        /// Which gateway.
        gateway: String,
        /// What is wrong, and what to do.
        why: String,
    },
    /// The writer has ended, after an error that it reported or because the store was closed.
    #[error("the store at {at} is closed")]
    Closed {
        /// Which database.
        at: String,
    },
}

impl StoreError {
    /// Whether trying again may help without anybody touching the database's content.
    #[must_use]
    pub const fn may_pass(&self) -> bool {
        match self {
            StoreError::Away { .. }
            | StoreError::InUse { .. }
            | StoreError::Open { .. }
            | StoreError::Write { .. }
            | StoreError::Read { .. }
            | StoreError::Closed { .. } => true,
            StoreError::Refused { .. }
            | StoreError::Migrate { .. }
            | StoreError::Damaged { .. }
            | StoreError::Chain { .. }
            | StoreError::Roll { .. } => false,
        }
    }
}
