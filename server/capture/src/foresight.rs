//! What players see ahead (推演): who can choose between captures seldom takes the one that gets him less. Where no sensor
//! tells which piece was taken, that is a hint, and never more than a hint.

mod search;
mod standing;

use std::cell::RefCell;
use std::collections::BTreeMap;

use xiangqi::{Move, Position};

use crate::worth::{Worth, worth_at};
use search::{Search, is_mate};

/// What each of several moves of a position gets its side, as far as was seen within so many positions.
type Seen = BTreeMap<(u64, Vec<Move>, u32), Vec<Worth>>;

/// So many questions are remembered.
const REMEMBERED: usize = 256;
/// No player looks further ahead, in plies.
const FURTHEST: u8 = 12;

/// Answers what moves get, and remembers: the readings of a game come to the same positions again and again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Foresight {
    seen: RefCell<Seen>,
}

impl Foresight {
    /// How much less `mv` gets than the best of `moves`, of which it is one, all seen equally far: as far as `positions`
    /// positions go.
    pub fn poorer(&self, position: &Position, mv: Move, moves: &[Move], positions: u32) -> Worth {
        let Some(own) = moves.iter().position(|other| *other == mv).filter(|_| moves.len() > 1) else {
            return 0;
        };
        let gets = self.gets(position, moves, positions);
        gets.iter().max().map_or(0, |best| best - gets[own])
    }

    fn gets(&self, position: &Position, moves: &[Move], positions: u32) -> Vec<Worth> {
        let question = (position.key(), moves.to_vec(), positions);
        let mut seen = self.seen.borrow_mut();
        if let Some(known) = seen.get(&question) {
            return known.clone();
        }
        if seen.len() == REMEMBERED {
            seen.clear();
        }
        let gets = gets(position, moves, positions);
        seen.insert(question, gets.clone());
        gets
    }
}

/// What each of `moves` gets its side: further and further ahead, until so many positions have been looked at.
fn gets(position: &Position, moves: &[Move], positions: u32) -> Vec<Worth> {
    let mut search = Search::within(positions);
    let mut last = vec![0; moves.len()];
    for plies in 1..=FURTHEST {
        let looks = moves.iter().map(|mv| search.outcome(&mut position.play_irregular(*mv), plies));
        // What was seen of some moves only says nothing of the others.
        let Some(outcomes) = looks.collect::<Option<Vec<Worth>>>() else { break };
        last = outcomes.into_iter().map(|outcome| -outcome).collect();
    }
    // Of captures that mate equally soon, or let the opponent mate, the one of the better piece.
    let taken = moves.iter().map(|mv| worth_at(position, mv.to));
    let weighed = |outcome: Worth, taken| if is_mate(outcome) { 100 * outcome + taken } else { outcome };
    last.into_iter().zip(taken).map(|(outcome, taken)| weighed(outcome, taken)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn poorer(fen: &str, mv: &str, moves: &[&str]) -> Worth {
        let moves: Vec<Move> = moves.iter().map(|mv| mv.parse().expect("a move")).collect();
        let position = Position::from_fen(fen).expect("a position");
        Foresight::default().poorer(&position, mv.parse().expect("a move"), &moves, 10_000)
    }

    #[test]
    fn who_takes_the_piece_that_threatens_another_saves_that_one() {
        // Two soldiers hang; the one on c5 would take Red's horse on c4.
        let fen = "3aka3/9/4b4/9/2p1R1p2/2N6/9/9/9/4K4 w - - 0 1";
        let captures = ["e5c5", "e5g5"];
        assert_eq!(poorer(fen, "e5c5", &captures), 0);
        assert!(poorer(fen, "e5g5", &captures) >= 20, "a horse for a soldier");
    }

    #[test]
    fn a_capture_that_lets_the_opponent_mate_is_the_poorer_one() {
        // Whichever chariot is taken; the one on e2 would mate on d2, the generals facing each other on the e file.
        let fen = "3aka3/9/9/9/9/9/9/4r4/r3R4/3K5 w - - 0 1";
        let captures = ["e1a1", "e1e2"];
        assert_eq!(poorer(fen, "e1e2", &captures), 0);
        assert!(poorer(fen, "e1a1", &captures) > 1_000, "mated at once");
    }

    #[test]
    fn one_move_alone_is_not_poorer_than_any() {
        let fen = "3k5/9/9/9/2p1R4/9/9/9/9/4K4 w - - 0 1";
        assert_eq!(poorer(fen, "e5c5", &["e5c5"]), 0);
    }
}
