//! What a trial has to answer for, one by one: so that work on the tracker begins with games, not with sums.

use std::fmt;

use capture::Finding;
use xiangqi::{Move, Point};

use super::Trial;
use super::score::{self, Told};
use crate::truth::{Due, Incident};

/// Something that a trial did wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// The record differs from what was played, from this ply on.
    Differs {
        /// Its number.
        ply: usize,
        /// What was played; `None`: nothing any more.
        played: Option<Move>,
        /// What was read; `None`: nothing any more.
        read: Option<Move>,
        /// Whether an alert was open at the end that leads there.
        alerted: bool,
    },
    /// A ply was confirmed and was not played so.
    WronglyConfirmed {
        /// Its number.
        ply: usize,
        /// What was confirmed.
        mv: Move,
        /// When, ms since the game began.
        at: i64,
    },
    /// An arbiter was not told of this, or too late.
    NotTold {
        /// What.
        what: Incident,
        /// How it was told, if it was.
        told: Told,
        /// After so many plies.
        plies: u16,
        /// When it happened, ms since the game began.
        at: i64,
        /// Which points it concerns.
        points: Vec<Point>,
    },
    /// An alert that nothing explains.
    FalseAlert {
        /// What it says.
        code: &'static str,
        /// When, ms since the game began.
        at: i64,
    },
    /// So many plies were recorded after the end.
    AfterEnd(usize),
    /// After so many restarts of the server other plies were read.
    Restarts(u64),
}

impl Trial {
    /// All that it did wrong.
    #[must_use]
    pub fn flaws(&self) -> Vec<Flaw> {
        let mut flaws = Vec::new();
        let Trial { played, read, .. } = self;
        if *read != played.moves {
            let right = read.iter().zip(&played.moves).take_while(|(a, b)| a == b).count();
            flaws.push(Flaw::Differs {
                ply: right + 1,
                played: played.moves.get(right).copied(),
                read: read.get(right).copied(),
                alerted: self.calls_to(right + 1),
            });
        }
        for (ply, mv, at) in self.wrongly_confirmed() {
            flaws.push(Flaw::WronglyConfirmed { ply, mv, at });
        }
        for (due, told) in score::told(self) {
            match told {
                Told::InTime | Told::Beyond => {}
                Told::Among | Told::Late | Told::Otherwise | Told::Not => {
                    let Due { what, plies, at, ref points, .. } = *due;
                    flaws.push(Flaw::NotTold { what, told, plies, at, points: points.clone() });
                }
            }
        }
        flaws.extend(score::false_alerts(self).into_iter().map(|(code, at)| Flaw::FalseAlert { code, at }));
        if self.after_end > 0 {
            flaws.push(Flaw::AfterEnd(self.after_end));
        }
        if self.restarts_differing > 0 {
            flaws.push(Flaw::Restarts(self.restarts_differing));
        }
        flaws
    }

    /// Plies that were confirmed and not played so: number, move, and when, ms since the game began. What was taken
    /// back was right while it stood.
    pub(super) fn wrongly_confirmed(&self) -> Vec<(usize, Move, i64)> {
        let mut line: Vec<Move> = Vec::new();
        let mut wrong = Vec::new();
        for (at, finding) in &self.said {
            if let Finding::Read(ply) = finding {
                line.truncate(usize::from(ply.no.0) - 1);
                line.push(ply.mv);
            } else if let Finding::Withdrawn(no) = finding {
                line.truncate(usize::from(no.0) - 1);
            } else if let Finding::Confirmed(no, ..) = finding
                && let Some(&mv) = line.get(usize::from(no.0) - 1)
                && !self.was_played(usize::from(no.0) - 1, mv)
            {
                wrong.push((usize::from(no.0), mv, at.0 - self.played.began.0));
            }
        }
        wrong
    }

    /// Whether this was the ply of this index, or was until an arbiter took it back.
    pub(super) fn was_played(&self, index: usize, mv: Move) -> bool {
        self.played.moves.get(index) == Some(&mv)
            || self.played.struck.iter().any(|struck| struck.index == index && struck.ply.mv == mv)
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = |at: &i64| *at as f64 / 1_000.0;
        let name = |mv: &Option<Move>| mv.map_or_else(|| "nothing".to_owned(), |mv| mv.to_string());
        match self {
            Flaw::Differs { ply, played, read, alerted } => {
                let alert = if *alerted { "an alert is open" } else { "no alert" };
                write!(f, "ply {ply} is {} and was read as {}, {alert}", name(played), name(read))
            }
            Flaw::WronglyConfirmed { ply, mv, at } => {
                write!(f, "ply {ply} was confirmed as {mv} at {:.3} s", seconds(at))
            }
            Flaw::NotTold { what, told, plies, at, points } => {
                let points: Vec<String> = points.iter().map(Point::to_string).collect();
                let (at, points) = (seconds(at), points.join(" "));
                write!(f, "{what:?} after ply {plies} at {at:.3} s ({points}): told {told:?}")
            }
            Flaw::FalseAlert { code, at } => write!(f, "false alert {code} at {:.3} s", seconds(at)),
            Flaw::AfterEnd(plies) => write!(f, "{plies} plies recorded after the end"),
            Flaw::Restarts(restarts) => write!(f, "{restarts} restarts after which other plies were read"),
        }
    }
}
