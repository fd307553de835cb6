//! Why something cannot be: an act that is refused, a journal that does not fold.

use firmware_proto::DeviceUid;
use tournament::TableNo;

/// Why an act was refused. Nothing has changed then.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The event was not opened yet, or was before.
    #[error("{0}")]
    Order(&'static str),
    /// The regulation is unknown.
    #[error(transparent)]
    Regulation(#[from] arbitration::RegulationError),
    /// The regulation's ladder has a key that does not exist.
    #[error("ladder: there is no key “{0}”")]
    Ladder(String),
    /// The event's data do not fit.
    #[error(transparent)]
    Event(#[from] tournament::EventError),
    /// No pairing.
    #[error(transparent)]
    Pairing(#[from] tournament::PairingError),
    /// There is no such table in this round.
    #[error("table {0} has no game in this round")]
    NoGame(TableNo),
    /// A table needs devices before a round starts there.
    #[error("table {0} has no board and clock bound to it")]
    Unbound(TableNo),
    /// There is no such alert.
    #[error("alert {0} is not open")]
    NoAlert(u64),
    /// Somebody closed the alert before.
    #[error("alert {alert} was closed by {by} already: {why}")]
    Closed {
        /// The alert.
        alert: u64,
        /// Who.
        by: String,
        /// Why.
        why: String,
    },
    /// Somebody else has the alert.
    #[error("alert {alert} was taken up by {by}")]
    Claimed {
        /// The alert.
        alert: u64,
        /// Who.
        by: String,
    },
    /// The alert does not offer so many remedies.
    #[error("alert {alert} has no remedy number {choice}")]
    NoRemedy {
        /// The alert.
        alert: u64,
        /// The choice.
        choice: usize,
    },
    /// The error is too old for anybody but the chief arbiter.
    #[error("table {table}: ply {ply} is more than {rounds} rounds old; only the chief arbiter corrects it")]
    TooOld {
        /// The table.
        table: TableNo,
        /// The ply.
        ply: u16,
        /// The event's window, rounds.
        rounds: u16,
    },
    /// There is no such decision, or it was undone.
    #[error("decision {0} cannot be undone: it is unknown, or was undone before")]
    NoDecision(u64),
    /// The correction is no line of moves from there.
    #[error("table {table}: ply {ply} does not exist")]
    NoPly {
        /// The table.
        table: TableNo,
        /// The ply asked for.
        ply: u16,
    },
    /// A device is on another table already.
    #[error("device {device} stands on table {table} already")]
    Taken {
        /// The device.
        device: DeviceUid,
        /// Where it stands.
        table: TableNo,
    },
}

/// Why a journal cannot be folded.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// An entry is missing or doubled.
    #[error("journal entry {expected} is missing: found number {found}")]
    Number {
        /// The number that should have come.
        expected: u64,
        /// The one that came.
        found: u64,
    },
    /// An entry does not fit what came before it.
    #[error("journal entry {no} does not fit the ones before it: {why}")]
    Misfit {
        /// The entry.
        no: u64,
        /// Why.
        why: Refusal,
    },
}
