//! 积分编排制, rounds 2 and later: the best complete pairing, seated at tables, with its reasons.

use std::collections::BTreeMap;

use super::bye;
use super::card::{Card, Due};
use super::field::Field;
use super::segments::{best, completable};
use super::{ByePassed, FloatCause, Pairing, PairingError, Reason, seat};
use crate::matching::Stuck;
use crate::{EntrantNo, Event, Points, RoundNo, TableNo};

/// Pairs the cards, which are in list order.
pub(super) fn pair(event: &Event, round: RoundNo, cards: &[Card]) -> Result<Vec<Pairing>, PairingError> {
    let (mut pairs, bye) = choose(event, round, cards)?;
    // Tables: the higher score first, then the higher sum, then the smaller number.
    pairs.sort_by_key(|&(a, b)| {
        let (a, b) = (&cards[a], &cards[b]);
        (core::cmp::Reverse((a.score.max(b.score), a.score + b.score)), a.no.min(b.no))
    });
    let why = Explainer::new(event, cards, &pairs, bye);
    let mut pairings: Vec<Pairing> = Vec::with_capacity(pairs.len() + 1);
    for (&(a, b), table) in pairs.iter().zip(1..) {
        let mut pairing = seat(&cards[a], &cards[b], TableNo(table), why.of_pair(a, b));
        pairing.reasons.extend(why.of_colours(a, b, pairing.red));
        pairings.push(pairing);
    }
    pairings.extend(bye.map(|place| Pairing {
        table: TableNo(pairs.len() as u16 + 1),
        red: cards[place].no,
        black: None,
        reasons: why.of_bye(place),
    }));
    Ok(pairings)
}

/// The pairs as places in the list, the higher first, and the place of the bye.
type Choice = (Vec<(usize, usize)>, Option<usize>);

fn choose(event: &Event, round: RoundNo, cards: &[Card]) -> Result<Choice, PairingError> {
    let everybody = Field::new(event, round, cards.iter().collect());
    let all: Vec<usize> = (0..cards.len()).collect();
    let impossible = |paired: &[usize], Stuck(places): Stuck| {
        let stuck = places.iter().filter_map(|&place| paired.get(place)).map(|&place| cards[place].no);
        PairingError::Impossible { round, stuck: stuck.collect() }
    };
    let without = |bye: Option<usize>| -> (Vec<usize>, Field<'_>) {
        let paired: Vec<usize> = all.iter().copied().filter(|&place| Some(place) != bye).collect();
        let field = Field::new(event, round, paired.iter().map(|&place| &cards[place]).collect());
        (paired, field)
    };
    let bye = if cards.len().is_multiple_of(2) {
        completable(&everybody, 0..cards.len()).then_some(None)
    } else {
        bye::choose(event, round, cards, &everybody).map(Some)
    };
    let (paired, pairs, bye) = match bye {
        Some(bye) => {
            let (paired, field) = without(bye);
            let pairs = best(&field).map_err(|stuck| impossible(&paired, stuck))?;
            (paired, pairs, bye)
        }
        None => {
            let (mut pairs, bye) =
                bye::with_rematches(cards, &everybody).map_err(|stuck| impossible(&all, stuck))?;
            let (paired, field) = without(bye);
            if bye.is_some() {
                // Once more without the bye, whose place in the list must not count in the distances.
                let others: Vec<Card> = paired.iter().map(|&place| cards[place].clone()).collect();
                (pairs, _) =
                    bye::with_rematches(&others, &field).map_err(|stuck| impossible(&paired, stuck))?;
            }
            (paired, pairs, bye)
        }
    };
    Ok((pairs.into_iter().map(|(a, b)| (paired[a], paired[b])).collect(), bye))
}

/// At most so many are named as passed over.
const NAMED: usize = 6;

/// Finds the words for what the matching decided.
struct Explainer<'a> {
    event: &'a Event,
    cards: &'a [Card],
    bye: Option<usize>,
    /// Of each score: how many have it, and how many of them meet a higher score.
    scores: BTreeMap<Points, (usize, usize)>,
}

impl<'a> Explainer<'a> {
    fn new(
        event: &'a Event,
        cards: &'a [Card],
        pairs: &[(usize, usize)],
        bye: Option<usize>,
    ) -> Explainer<'a> {
        let mut scores: BTreeMap<Points, (usize, usize)> = BTreeMap::new();
        for (place, card) in cards.iter().enumerate() {
            scores.entry(card.score).or_default().0 += usize::from(Some(place) != bye);
        }
        for &(upper, lower) in pairs {
            if cards[upper].score != cards[lower].score {
                scores.entry(cards[lower].score).or_default().1 += 1;
            }
        }
        Explainer { event, cards, bye, scores }
    }

    fn of_pair(&self, upper: usize, lower: usize) -> Vec<Reason> {
        let (a, b) = (&self.cards[upper], &self.cards[lower]);
        let mut reasons = vec![if a.score == b.score {
            Reason::SameScore(a.score)
        } else {
            Reason::Float { down: a.no, from: a.score, to: b.score, cause: self.cause(upper) }
        }];
        // Those nearer in the list than the partner whom the one or the other has met.
        let nearer = |card: &Card| {
            let between = (upper + 1..lower).filter(|&place| Some(place) != self.bye);
            let met = between.map(|place| self.cards[place].no).filter(|no| card.met.contains(no));
            let met: Vec<EntrantNo> = met.take(NAMED).collect();
            (!met.is_empty()).then_some(Reason::PassedOver { who: card.no, met })
        };
        reasons.extend(nearer(a));
        reasons.extend(nearer(b));
        if a.met.contains(&b.no) {
            let of_the_two = |red: EntrantNo, black: Option<EntrantNo>| {
                (red, black) == (a.no, Some(b.no)) || (red, black) == (b.no, Some(a.no))
            };
            let results = self.event.data().results.iter();
            let rounds = results.filter(|result| of_the_two(result.red, result.black));
            reasons.push(Reason::Rematch(rounds.map(|result| result.round).collect()));
        }
        if a.missed.contains(&b.no) {
            reasons.push(Reason::PairedButNotPlayed);
        }
        reasons
    }

    fn cause(&self, upper: usize) -> FloatCause {
        let card = &self.cards[upper];
        let mut equals =
            self.cards.iter().filter(|other| other.score == card.score && other.no != card.no).peekable();
        if equals.peek().is_none() {
            return FloatCause::Alone;
        }
        if equals.all(|other| card.met.contains(&other.no)) {
            return FloatCause::MetAll;
        }
        let (have, meet_higher) = self.scores.get(&card.score).copied().unwrap_or_default();
        if (have - meet_higher) % 2 == 1 { FloatCause::OddScore } else { FloatCause::OthersNeedIt }
    }

    fn of_colours(&self, a: usize, b: usize, red: EntrantNo) -> Vec<Reason> {
        let (a, b) = (&self.cards[a], &self.cards[b]);
        let (red, black) = if a.no == red { (a, b) } else { (b, a) };
        let mut reasons = Vec::new();
        match (a.due(), b.due()) {
            (Due::Strong(x) | Due::Mild(x), Due::Strong(y) | Due::Mild(y)) if x == y => {
                reasons.push(Reason::SameColourDue);
            }
            (Due::Strong(_) | Due::Mild(_) | Due::Nothing, _) => {}
        }
        for (card, overdone) in [(red, red.overdone().red), (black, black.overdone().black)] {
            if overdone {
                reasons.push(Reason::ThirdColour(card.no));
            }
        }
        reasons
    }

    fn of_bye(&self, place: usize) -> Vec<Reason> {
        let below = &self.cards[place + 1..];
        let passed_over = below.iter().map(|card| {
            (card.no, if card.barred_from_bye { ByePassed::HadOne } else { ByePassed::OthersNeedIt })
        });
        let card = &self.cards[place];
        let mut reasons = vec![Reason::Bye { score: card.score, passed_over: passed_over.collect() }];
        if card.barred_from_bye {
            reasons.push(Reason::SecondBye);
        }
        reasons
    }
}
