//! What an arbiter's desk shows when a game has ended: whether an open alert leads him to where the record is wrong.
//!
//! As in the hall, a doubt stays open until an arbiter has decided or the record is read anew from there, and a board that
//! does not fit until it fits again.

use capture::{Doubt, Finding, Irregularity};

use super::Trial;

impl Trial {
    /// Whether an alert is open at the end that leads to this ply: the board does not fit the record, the lines that were
    /// shown with a doubt have this ply in them, or it was said to be irregular.
    pub(super) fn calls_to(&self, ply: usize) -> bool {
        let mut misfits = false;
        let mut doubts: Vec<(usize, usize)> = Vec::new();
        for (_, finding) in &self.said {
            match finding {
                Finding::Mismatch { .. } | Finding::Disturbed { .. } => misfits = true,
                Finding::Restored(_) => misfits = false,
                Finding::Ambiguous { from, lines, doubt, .. } => {
                    let first = usize::from(from.0);
                    let shown = lines.iter().map(Vec::len).max().unwrap_or(0);
                    // Nobody saw what was played from there on, or whether anything was.
                    let unseen = matches!(doubt, Doubt::Unseen | Doubt::Missed);
                    let end = if unseen { usize::MAX } else { first + shown };
                    doubts.push((first, end));
                }
                Finding::Read(read) => {
                    let no = usize::from(read.no.0);
                    doubts.retain(|(first, _)| *first < no);
                    // An arbiter has to look at an irregular ply.
                    if read.irregular.is_some_and(|why| why != Irregularity::Entered) {
                        doubts.push((no, no + 1));
                    }
                }
                Finding::Withdrawn(no) => doubts.retain(|(first, _)| *first < usize::from(no.0)),
                Finding::Confirmed(..)
                | Finding::Locked(_)
                | Finding::PressWithoutMove(..)
                | Finding::ClockTurned(..)
                | Finding::TouchMove { .. }
                | Finding::SetUp { .. }
                | Finding::SetUpRight
                | Finding::Suspects { .. }
                | Finding::BadPoint { .. } => {}
            }
        }
        misfits || doubts.iter().any(|(first, end)| (*first..*end).contains(&ply))
    }
}
