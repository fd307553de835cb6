//! 淘汰赛 of an event: the bracket as the results leave it, and the round that it asks for. A tie drawn is played again in the
//! next round, colours changed (加赛), while the others of its stage wait.

use std::collections::BTreeMap;

use xiangqi::Side;

use crate::pairing::Card;
use crate::scoring::Verdict;
use crate::{
    EntrantNo, Event, Knockout, Pairing, Reason, ResultEntry, ResultKind, RoundNo, TableNo, Tie, TieState,
};

/// A bracket after some rounds.
pub(crate) struct Bracket {
    knockout: Knockout,
    /// How often each of the open ties was drawn.
    drawn: BTreeMap<[EntrantNo; 2], u16>,
}

/// The two of an open tie.
fn two(tie: &Tie) -> Option<[EntrantNo; 2]> {
    Some([tie.entrants[0]?, tie.entrants[1]?])
}

impl Bracket {
    /// The bracket after a round; `None` if fewer than two entered.
    pub fn after(event: &Event, replays: u16, after: RoundNo) -> Option<Bracket> {
        let knockout = Knockout::new(&event.regulars()).ok()?;
        let mut bracket = Bracket { knockout, drawn: BTreeMap::new() };
        for round in after.up_to() {
            for [a, b] in bracket.knockout.open_ties().iter().filter_map(two) {
                bracket.take(event, replays, round, [a, b]);
            }
        }
        Some(bracket)
    }

    /// What the round brought to a tie that was open before it.
    fn take(&mut self, event: &Event, replays: u16, round: RoundNo, [a, b]: [EntrantNo; 2]) {
        let result = |no| event.result_of(round, no);
        let state = match (result(a), result(b)) {
            (Some(game), Some(_)) if game.kind.has_opponent() => {
                let winner = winner(event, game);
                if winner == TieState::Open {
                    let drawn = self.drawn.entry([a, b]).or_default();
                    *drawn += 1;
                    // 和棋黑胜 in the last game of all.
                    if *drawn > replays { game.black.map_or(winner, TieState::Won) } else { winner }
                } else {
                    winner
                }
            }
            (Some(alone), _) if alone.kind == ResultKind::Bye => TieState::Won(a),
            (_, Some(alone)) if alone.kind == ResultKind::Bye => TieState::Won(b),
            _ => self.without_play(event, round, [a, b]),
        };
        self.conclude(a, state);
    }

    /// Who goes on because the other has withdrawn.
    fn without_play(&self, event: &Event, round: RoundNo, [a, b]: [EntrantNo; 2]) -> TieState {
        let here = |no| event.entrant(no).is_some_and(|entrant| entrant.takes_part_in(round));
        match (here(a), here(b)) {
            (true, true) => TieState::Open,
            (true, false) => TieState::Won(a),
            (false, true) => TieState::Won(b),
            (false, false) => TieState::Void,
        }
    }

    fn conclude(&mut self, of: EntrantNo, state: TieState) {
        // Both play the tie, which is open: there is nothing to refuse.
        let _ = match state {
            TieState::Open => Ok(()),
            TieState::Won(winner) => self.knockout.decide(winner),
            TieState::Void => self.knockout.strike(of),
        };
    }

    /// Lets those go on whose opponents have withdrawn by this round.
    fn clear(&mut self, event: &Event, round: RoundNo) {
        loop {
            let before = self.knockout.open_ties();
            for [a, b] in before.iter().filter_map(two) {
                let state = self.without_play(event, round, [a, b]);
                self.conclude(a, state);
            }
            if self.knockout.open_ties() == before {
                return;
            }
        }
    }

    /// The ties of the next round, each with its stage and how often it was drawn.
    fn next(mut self, event: &Event, round: RoundNo) -> (Knockout, Vec<([EntrantNo; 2], Reason)>) {
        self.clear(event, round);
        let ties = self.knockout.open_ties();
        let named = ties.iter().filter_map(|tie| {
            let pair = two(tie)?;
            let at = self.knockout.rounds().iter().find(|ties| ties.contains(tie));
            let stage = at.map_or(Stage::ThirdPlace, |ties| Stage::Of(ties.len() as u16));
            Some((pair, Reason::Tie { stage, drawn: self.drawn.get(&pair).copied().unwrap_or(0) }))
        });
        let named = named.collect();
        (self.knockout, named)
    }

    /// The place that each is sure of.
    pub fn place(&self, no: EntrantNo) -> Option<u16> {
        self.knockout.place(no)
    }
}

/// A stage of a knock-out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// So many ties: 1 is the final, 2 are the half-finals.
    Of(u16),
    /// The match for third place.
    ThirdPlace,
}

fn winner(event: &Event, game: &ResultEntry) -> TieState {
    let scoring = &event.data().scoring;
    let verdict = |side: Side| scoring.verdict(game.score[side]);
    match (verdict(Side::Red), verdict(Side::Black), game.black) {
        (Verdict::Win, _, _) => TieState::Won(game.red),
        (_, Verdict::Win, Some(black)) => TieState::Won(black),
        (Verdict::Loss, Verdict::Loss, _) => TieState::Void,
        _ => TieState::Open,
    }
}

/// Whether there is nothing more to play.
pub(crate) fn is_decided(event: &Event, replays: u16) -> bool {
    let last = event.last_round();
    let bracket = Bracket::after(event, replays, last);
    bracket.is_none_or(|bracket| bracket.next(event, last.next()).1.is_empty())
}

/// Who plays in a round and has no result in it yet.
pub(crate) fn awaited(event: &Event, replays: u16, round: RoundNo) -> Vec<EntrantNo> {
    let before = RoundNo(round.0.saturating_sub(1));
    let Some(bracket) = Bracket::after(event, replays, before) else { return Vec::new() };
    let (_, ties) = bracket.next(event, round);
    let mut open: Vec<EntrantNo> = ties
        .into_iter()
        .flat_map(|(two, _)| two)
        .filter(|&no| event.result_of(round, no).is_none())
        .collect();
    open.sort();
    open
}

/// The ties of a round at their tables; in round 1 the free ones after them. Empty: all is decided.
pub(crate) fn pair(event: &Event, replays: u16, round: RoundNo, cards: &[Card]) -> Vec<Pairing> {
    let before = RoundNo(round.0.saturating_sub(1));
    let Some(bracket) = Bracket::after(event, replays, before) else { return Vec::new() };
    let (knockout, ties) = bracket.next(event, round);
    let card = |no: EntrantNo| cards.iter().find(|card| card.no == no);
    let here = |no: EntrantNo| event.result_of(round, no).is_none();
    let mut pairings: Vec<Pairing> = Vec::new();
    let mut byes: Vec<(EntrantNo, Reason)> = Vec::new();
    for ([a, b], why) in ties {
        match (here(a), here(b), card(a), card(b)) {
            (true, true, Some(a), Some(b)) => {
                let table = TableNo(pairings.len() as u16 + 1);
                pairings.push(crate::pairing::seat(a, b, table, vec![why]));
            }
            (true, false, ..) => byes.push((a, Reason::OpponentMissing(b))),
            (false, true, ..) => byes.push((b, Reason::OpponentMissing(a))),
            (true, true, ..) | (false, false, ..) => {}
        }
    }
    if round == RoundNo(1) {
        let free = knockout.rounds()[0].iter().filter_map(|tie| match tie.entrants {
            [Some(free), None] | [None, Some(free)] => Some(free),
            [Some(_), Some(_)] | [None, None] => None,
        });
        byes.extend(free.filter(|&no| here(no)).map(|no| (no, Reason::Free)));
    }
    let first = pairings.len() as u16 + 1;
    pairings.extend((first..).map(TableNo).zip(byes).map(|(table, (red, why))| Pairing {
        table,
        red,
        black: None,
        reasons: vec![why],
    }));
    pairings
}
