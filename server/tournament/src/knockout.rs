//! 淘汰赛: the loser is out, down to a final and a match for third place.
//!
//! The bracket is made from the order of seeds: 1 can meet 2 only in the final, 3 and 4 only in the half-finals, and where
//! places are empty the highest seeds have a free first round.

use crate::EntrantNo;

/// A tie: two who meet until one of them is out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tie {
    /// Who plays; nobody where a place is empty or not yet decided.
    pub entrants: [Option<EntrantNo>; 2],
    /// What has come of it.
    pub state: TieState,
}

/// What has come of a tie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TieState {
    /// Nothing yet.
    Open,
    /// This one goes on.
    Won(EntrantNo),
    /// Neither goes on: both forfeited, or both have withdrawn.
    Void,
}

impl Tie {
    /// Whether both are known and neither is out.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.state == TieState::Open && self.entrants.iter().all(Option::is_some)
    }

    /// Who goes on.
    #[must_use]
    pub fn winner(&self) -> Option<EntrantNo> {
        match self.state {
            TieState::Won(winner) => Some(winner),
            TieState::Open | TieState::Void => None,
        }
    }

    fn loser(&self) -> Option<EntrantNo> {
        let winner = self.winner()?;
        self.entrants.into_iter().flatten().find(|&entrant| entrant != winner)
    }
}

/// A knock-out as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Knockout {
    /// The rounds, first to final; each tie's winner goes to the tie at half its place in the next round.
    rounds: Vec<Vec<Tie>>,
    third_place: Tie,
}

/// Why a knock-out cannot be made or go on so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KnockoutError {
    /// Fewer than two.
    #[error("a knock-out needs two entrants")]
    TooFew,
    /// Seeded twice.
    #[error("entrant {0} is seeded twice")]
    Twice(EntrantNo),
    /// Not waiting for a decision.
    #[error("entrant {0} plays no open tie")]
    NoOpenTie(EntrantNo),
}

const EMPTY: Tie = Tie { entrants: [None, None], state: TieState::Open };

impl Knockout {
    /// A bracket of entrants in the order of their seeds, such as the ranks of a preliminary.
    ///
    /// # Errors
    /// Fewer than two, or one twice.
    pub fn new(seeds: &[EntrantNo]) -> Result<Knockout, KnockoutError> {
        if seeds.len() < 2 {
            return Err(KnockoutError::TooFew);
        }
        if let Some(at) = (1..seeds.len()).find(|&at| seeds[..at].contains(&seeds[at])) {
            return Err(KnockoutError::Twice(seeds[at]));
        }
        let size = seeds.len().next_power_of_two();
        // 1; then 1 2; then 1 4 3 2; then 1 8 5 4 3 6 7 2: each seed's opponent makes the sum of the two the same.
        let mut order = vec![0];
        while order.len() < size {
            let last = 2 * order.len() - 1;
            order = order
                .into_iter()
                .enumerate()
                .flat_map(|(at, seed)| {
                    let pair = [seed, last - seed];
                    if at % 2 == 0 { pair } else { [pair[1], pair[0]] }
                })
                .collect();
        }
        let place = |at: usize| seeds.get(order[at]).copied();
        let first = (0..size / 2).map(|tie| Tie { entrants: [place(2 * tie), place(2 * tie + 1)], ..EMPTY });
        let mut rounds = vec![first.collect::<Vec<Tie>>()];
        while rounds[rounds.len() - 1].len() > 1 {
            rounds.push(vec![EMPTY; rounds[rounds.len() - 1].len() / 2]);
        }
        let mut knockout = Knockout { rounds, third_place: EMPTY };
        for at in 0..size / 2 {
            if let [Some(free), None] | [None, Some(free)] = knockout.rounds[0][at].entrants {
                knockout.end(0, at, TieState::Won(free));
            }
        }
        Ok(knockout)
    }

    /// The rounds, first to final.
    #[must_use]
    pub fn rounds(&self) -> &[Vec<Tie>] {
        &self.rounds
    }

    /// The match for third place, between the losers of the half-finals.
    #[must_use]
    pub fn third_place(&self) -> Tie {
        self.third_place
    }

    /// The ties to be played now: those of one stage, and the match for third place beside the final.
    #[must_use]
    pub fn open_ties(&self) -> Vec<Tie> {
        let last = self.rounds.len() - 1;
        let stage = self.rounds.iter().position(|ties| ties.iter().any(Tie::is_open));
        let third = Some(&self.third_place).filter(|_| stage.is_none_or(|stage| stage == last));
        let ties = stage.map(|stage| self.rounds[stage].as_slice()).unwrap_or_default();
        ties.iter().chain(third).copied().filter(Tie::is_open).collect()
    }

    /// Somebody has won the tie it plays, on points, by play-off or by lot.
    ///
    /// # Errors
    /// It plays no open tie.
    pub fn decide(&mut self, winner: EntrantNo) -> Result<(), KnockoutError> {
        self.conclude(winner, TieState::Won(winner))
    }

    /// The tie that this one plays has no winner: neither goes on.
    ///
    /// # Errors
    /// It plays no open tie.
    pub fn strike(&mut self, entrant: EntrantNo) -> Result<(), KnockoutError> {
        self.conclude(entrant, TieState::Void)
    }

    fn conclude(&mut self, entrant: EntrantNo, state: TieState) -> Result<(), KnockoutError> {
        let plays = |tie: &Tie| tie.is_open() && tie.entrants.contains(&Some(entrant));
        for round in 0..self.rounds.len() {
            if let Some(at) = self.rounds[round].iter().position(plays) {
                self.end(round, at, state);
                return Ok(());
            }
        }
        if plays(&self.third_place) {
            self.third_place.state = state;
            return Ok(());
        }
        Err(KnockoutError::NoOpenTie(entrant))
    }

    fn end(&mut self, round: usize, at: usize, state: TieState) {
        self.rounds[round][at].state = state;
        let tie = self.rounds[round][at];
        if round + 2 == self.rounds.len() {
            self.third_place.entrants[at % 2] = tie.loser();
        }
        let other = self.rounds[round][at ^ usize::from(self.rounds[round].len() > 1)].state;
        let Some(next) = self.rounds.get_mut(round + 1) else { return };
        next[at / 2].entrants[at % 2] = tie.winner();
        // Where nobody comes from the one side, who comes from the other goes on without play.
        match (state, other) {
            (TieState::Won(free), TieState::Void) | (TieState::Void, TieState::Won(free)) => {
                self.end(round + 1, at / 2, TieState::Won(free));
            }
            (TieState::Void, TieState::Void) => self.end(round + 1, at / 2, TieState::Void),
            (TieState::Open, _) | (_, TieState::Open) | (TieState::Won(_), TieState::Won(_)) => {}
        }
    }

    /// The place that an entrant is sure of: 8 among the last eight, 1 to 4 by the final and the match for third place.
    #[must_use]
    pub fn place(&self, entrant: EntrantNo) -> Option<u16> {
        if let Some(place) = self.podium().iter().position(|&no| no == Some(entrant)) {
            return Some(place as u16 + 1);
        }
        let field = self.rounds[0].iter().flat_map(|tie| tie.entrants).flatten().count();
        let reached = self
            .rounds
            .iter()
            .rev()
            .find(|ties| ties.iter().any(|tie| tie.entrants.contains(&Some(entrant))))?;
        Some((2 * reached.len()).min(field) as u16)
    }

    /// Ranks 1 to 4, as far as decided: the final and the match for third place.
    #[must_use]
    pub fn podium(&self) -> [Option<EntrantNo>; 4] {
        let last = self.rounds[self.rounds.len() - 1][0];
        // With three entrants a half-final is free, and its missing loser leaves the third place to the other.
        let alone = match self.third_place.entrants {
            [Some(alone), None] | [None, Some(alone)] if last.is_open() || last.state != TieState::Open => {
                Some(alone)
            }
            [Some(_) | None, _] => None,
        };
        let third = self.third_place.winner().or(alone);
        [last.winner(), last.loser(), third, self.third_place.loser()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seeds(count: u16) -> Vec<EntrantNo> {
        (1..=count).map(EntrantNo).collect()
    }

    fn open(knockout: &Knockout) -> Vec<(u16, u16)> {
        let numbers = |tie: Tie| (tie.entrants[0].unwrap().0, tie.entrants[1].unwrap().0);
        knockout.open_ties().into_iter().map(numbers).collect()
    }

    #[test]
    fn eight_seeds_meet_so_that_the_best_meet_last() {
        let mut knockout = Knockout::new(&seeds(8)).unwrap();
        assert_eq!(open(&knockout), [(1, 8), (5, 4), (3, 6), (7, 2)]);
        for winner in [1, 4, 3, 2] {
            knockout.decide(EntrantNo(winner)).unwrap();
        }
        assert_eq!(open(&knockout), [(1, 4), (3, 2)]);
        knockout.decide(EntrantNo(4)).unwrap();
        knockout.decide(EntrantNo(2)).unwrap();
        assert_eq!(open(&knockout), [(4, 2), (1, 3)], "the final and the match for third place");
        knockout.decide(EntrantNo(3)).unwrap();
        knockout.decide(EntrantNo(4)).unwrap();
        assert_eq!(knockout.podium().map(|no| no.unwrap().0), [4, 2, 3, 1]);
        assert_eq!(knockout.decide(EntrantNo(4)), Err(KnockoutError::NoOpenTie(EntrantNo(4))));
    }

    #[test]
    fn the_highest_seeds_have_a_free_first_round() {
        let mut knockout = Knockout::new(&seeds(5)).unwrap();
        assert_eq!(open(&knockout), [(5, 4)], "the half-finals wait, though 3 and 2 are there");
        knockout.decide(EntrantNo(5)).unwrap();
        assert_eq!(open(&knockout), [(1, 5), (3, 2)]);
    }

    #[test]
    fn where_both_are_out_the_next_opponent_goes_on_without_play() {
        let mut knockout = Knockout::new(&seeds(8)).unwrap();
        knockout.strike(EntrantNo(8)).unwrap();
        knockout.decide(EntrantNo(4)).unwrap();
        assert_eq!(open(&knockout), [(3, 6), (7, 2)], "4 waits in the final's place");
        knockout.decide(EntrantNo(3)).unwrap();
        knockout.decide(EntrantNo(2)).unwrap();
        assert_eq!(open(&knockout), [(3, 2)], "the other half-final");
        knockout.decide(EntrantNo(2)).unwrap();
        assert_eq!(open(&knockout), [(4, 2)]);
        assert_eq!(knockout.podium().map(|no| no.map(|no| no.0)), [None, None, Some(3), None]);
    }

    #[test]
    fn everybody_is_sure_of_the_stage_it_has_reached() {
        let mut knockout = Knockout::new(&seeds(12)).unwrap();
        assert_eq!(knockout.place(EntrantNo(1)), Some(8), "free in the first round");
        assert_eq!(knockout.place(EntrantNo(12)), Some(12));
        for winner in [8, 5, 6, 7, 1, 4, 3, 2, 1, 2] {
            knockout.decide(EntrantNo(winner)).unwrap();
        }
        assert_eq!([1, 3, 4, 5, 9].map(|no| knockout.place(EntrantNo(no)).unwrap()), [2, 4, 4, 8, 12]);
        knockout.decide(EntrantNo(1)).unwrap();
        knockout.decide(EntrantNo(4)).unwrap();
        assert_eq!([1, 2, 4, 3].map(|no| knockout.place(EntrantNo(no)).unwrap()), [1, 2, 3, 4]);
    }

    #[test]
    fn two_play_a_final() {
        let mut knockout = Knockout::new(&seeds(2)).unwrap();
        knockout.decide(EntrantNo(2)).unwrap();
        assert_eq!(knockout.podium(), [Some(EntrantNo(2)), Some(EntrantNo(1)), None, None]);
        assert_eq!(Knockout::new(&seeds(1)), Err(KnockoutError::TooFew));
        assert_eq!(Knockout::new(&[EntrantNo(1), EntrantNo(1)]), Err(KnockoutError::Twice(EntrantNo(1))));
    }

    #[test]
    fn of_three_the_loser_of_the_only_half_final_is_third() {
        let mut knockout = Knockout::new(&seeds(3)).unwrap();
        knockout.decide(EntrantNo(3)).unwrap();
        knockout.decide(EntrantNo(1)).unwrap();
        assert_eq!(knockout.podium(), [Some(EntrantNo(1)), Some(EntrantNo(3)), Some(EntrantNo(2)), None]);
    }
}
