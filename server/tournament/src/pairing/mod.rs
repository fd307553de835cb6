//! 编排: who meets whom. Round 1 by the numbers drawn; later rounds of the Swiss system 积分编排制 by the best complete
//! pairing, every pair with its reasons.

mod bye;
mod card;
mod colour;
mod complete;
mod field;
mod first_round;
mod guess;
mod likely;
mod reason;
mod segments;
mod swiss;
mod warning;

use std::collections::BTreeSet;

pub use colour::ColourRule;
pub use reason::{ByePassed, FloatCause, Reason};
pub use warning::{Warning, check_pairing};
pub(crate) use warning::{check_field, of_proposal, tables_twice};

use crate::{EntrantNo, Event, RoundNo, System, TableNo, bracket, fixed_tables, groups, round_robin};
pub(crate) use card::Card;

/// A round as the engine proposes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundPairing {
    /// The round.
    pub round: RoundNo,
    /// Tables in order; the bye, if any, is last.
    pub pairings: Vec<Pairing>,
    /// What the pairing officer must know, and in part confirm, before it is published.
    pub warnings: Vec<Warning>,
}

impl RoundPairing {
    /// Whether something in it must not be published without the pairing officer's word: a rematch or a second bye.
    #[must_use]
    pub fn needs_confirmation(&self) -> bool {
        self.warnings.iter().any(Warning::needs_confirmation)
    }
}

/// One pair, or a bye.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// The table; a bye has the number after the last table.
    pub table: TableNo,
    /// Who plays Red (a team: at home), or who has the bye.
    pub red: EntrantNo,
    /// Who plays Black (a team: away); nobody in a bye.
    pub black: Option<EntrantNo>,
    /// Why.
    pub reasons: Vec<Reason>,
}

/// Why a round cannot be paired.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PairingError {
    /// Outside the event.
    #[error("round {round} is outside the event's {rounds} rounds")]
    RoundOutside {
        /// The round asked for.
        round: RoundNo,
        /// The number of rounds.
        rounds: RoundNo,
    },
    /// An earlier round has open games.
    #[error(
        "round {round} has no result yet for entrants {}: record the results, or absences, first (an unfinished game may be \
         given a provisional result and corrected later)", list(.entrants)
    )]
    Unfinished {
        /// The first round with open games.
        round: RoundNo,
        /// Who has no result.
        entrants: Vec<EntrantNo>,
    },
    /// The round has been played, at least in part.
    #[error("round {round} already has results of games; it cannot be paired again")]
    HasResults {
        /// The round.
        round: RoundNo,
    },
    /// Of two groups that were given tables that overlap.
    #[error("table {table} is in use by the groups {} and {}: give one of them another first table", .groups[0], .groups[1])]
    TablesOverlap {
        /// The first table of both.
        table: TableNo,
        /// Their names.
        groups: [String; 2],
    },
    /// One of the groups cannot be paired.
    #[error("{group}: {why}")]
    InGroup {
        /// Its name.
        group: String,
        /// Why.
        why: Box<PairingError>,
    },
    /// The knock-out is decided.
    #[error("the knock-out is decided: round {round} has no games")]
    Decided {
        /// The round asked for.
        round: RoundNo,
    },
    /// Nobody to pair.
    #[error("only {present} entrants are present in round {round}; pairing needs two")]
    TooFew {
        /// The round.
        round: RoundNo,
        /// How many are present.
        present: usize,
    },
    /// The organiser forbids too many pairs, or third colours are forbidden and cannot be avoided.
    #[error("no complete pairing of round {round} obeys the forbidden pairs and the colour rule of the event; in the way: {}", list(.stuck))]
    Impossible {
        /// The round.
        round: RoundNo,
        /// Some who cannot all be paired.
        stuck: Vec<EntrantNo>,
    },
}

fn list(entrants: &[EntrantNo]) -> String {
    entrants.iter().map(EntrantNo::to_string).collect::<Vec<_>>().join(", ")
}

/// Pairs the next round by the event's system, or of every group by its own. Entrants who already have a bye or an absence in it are left out, as are
/// those who have withdrawn or not yet entered; a house player 补位 is taken in where the others are odd in number (Swiss).
///
/// # Errors
/// The round is outside the event, an earlier one is unfinished, this one has been played, or no pairing exists.
pub fn pair_round(event: &Event, round: RoundNo) -> Result<RoundPairing, PairingError> {
    if !event.data().groups.is_empty() {
        return groups::pair_round(event, round);
    }
    let pairings = propose(event, round)?;
    if pairings.iter().all(|pairing| pairing.black.is_none()) {
        return Err(PairingError::TooFew { round, present: pairings.len() });
    }
    let warnings = warning::of_proposal(event, round, &pairings);
    Ok(RoundPairing { round, pairings: fixed_tables::keep(event, pairings), warnings })
}

/// The pairs of one field; of one without two who could play, the bye of the one who is left.
pub(crate) fn propose(event: &Event, round: RoundNo) -> Result<Vec<Pairing>, PairingError> {
    Ok(match event.data().options.system {
        System::Swiss => {
            let present = present(event, round)?;
            let cards = card::list(event, round, &present);
            if cards.len() < 2 {
                cards.iter().map(alone).collect()
            } else if round == RoundNo(1) {
                first_round::pair(cards, event.data().options.avoid_same_unit)
            } else {
                swiss::pair(event, round, &cards)?
            }
        }
        System::RoundRobin { double } => {
            ready(event, round)?;
            round_robin::pair(event, double, round)
        }
        System::Knockout { replays } => {
            if bracket::is_decided(event, replays) {
                return Err(PairingError::Decided { round });
            }
            ready(event, round)?;
            let everybody = event.data().entrants.iter().map(|entrant| entrant.no).collect();
            bracket::pair(event, replays, round, &card::list(event, round, &everybody))
        }
    })
}

/// Nobody else is there.
fn alone(card: &Card) -> Pairing {
    Pairing { table: TableNo(1), red: card.no, black: None, reasons: vec![Reason::Alone] }
}

/// Whether the round can be paired now.
fn ready(event: &Event, round: RoundNo) -> Result<(), PairingError> {
    let rounds = event.rounds();
    if round == RoundNo(0) || round > rounds {
        return Err(PairingError::RoundOutside { round, rounds });
    }
    if event.last_round() >= round {
        return Err(PairingError::HasResults { round });
    }
    for earlier in (1..round.0).map(RoundNo) {
        let entrants = event.open(earlier);
        if !entrants.is_empty() {
            return Err(PairingError::Unfinished { round: earlier, entrants });
        }
    }
    Ok(())
}

/// Who is to be paired by the Swiss system.
fn present(event: &Event, round: RoundNo) -> Result<BTreeSet<EntrantNo>, PairingError> {
    ready(event, round)?;
    let here = event
        .data()
        .entrants
        .iter()
        .filter(|entrant| entrant.takes_part_in(round) && event.result_of(round, entrant.no).is_none());
    let (house, others): (Vec<_>, Vec<_>) = here.partition(|entrant| entrant.house);
    let mut present: BTreeSet<EntrantNo> = others.iter().map(|entrant| entrant.no).collect();
    if present.len() % 2 == 1
        && let Some(filler) = house.iter().map(|entrant| entrant.no).min()
    {
        present.insert(filler);
    }
    Ok(present)
}

/// A pair of cards at its table, colours given.
pub(crate) fn seat(a: &Card, b: &Card, table: TableNo, mut reasons: Vec<Reason>) -> Pairing {
    let (red, rule) = colour::decide(a, b, table);
    let black = if red == a.no { b.no } else { a.no };
    reasons.push(Reason::Colour { red, rule });
    Pairing { table, red, black: Some(black), reasons }
}
