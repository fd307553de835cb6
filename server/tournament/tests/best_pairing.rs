//! An independent judge of pairings: it computes, from the results alone and in the most direct way, how good a pairing
//! is, tries every pairing of small fields, and says whether a better one exists than the one proposed.

#![allow(clippy::unwrap_used, reason = "the judge is a test")]

use tournament::{
    Entrant, EntrantNo, Event, EventData, Options, Pattern, Points, ResultEntry, ResultKind, RoundNo,
    RoundPairing, TableNo, ThirdColour, pair_round,
};
use xiangqi::{BySide, Side};

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }

    fn percent(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }
}

/// What the judge reads from the results of one entrant.
struct History {
    no: EntrantNo,
    score: i64,
    met: Vec<EntrantNo>,
    missed: Vec<EntrantNo>,
    byes: usize,
    colours: Vec<Side>,
    floated: i64,
}

fn score(event: &Event, no: EntrantNo, before: RoundNo) -> i64 {
    let results = event.data().results.iter().filter(|result| result.round < before);
    results
        .map(|result| match (result.red == no, result.black == Some(no)) {
            (true, _) => i64::from(result.score.red.0),
            (_, true) => i64::from(result.score.black.0),
            _ => 0,
        })
        .sum()
}

fn history(event: &Event, no: EntrantNo, round: RoundNo) -> History {
    let mut history = History {
        no,
        score: score(event, no, round),
        met: vec![],
        missed: vec![],
        byes: 0,
        colours: vec![],
        floated: 0,
    };
    for earlier in (1..round.0).map(RoundNo) {
        let of_round = event
            .data()
            .results
            .iter()
            .find(|result| result.round == earlier && (result.red == no || result.black == Some(no)));
        history.floated = 0;
        let Some(result) = of_round else { continue };
        let opponent = if result.red == no { result.black } else { Some(result.red) };
        if let Some(opponent) = opponent {
            history.floated = (score(event, opponent, earlier) - score(event, no, earlier)).signum();
        }
        match result.kind {
            ResultKind::Played => {
                history.met.extend(opponent);
                history.colours.push(if result.red == no { Side::Red } else { Side::Black });
            }
            ResultKind::Forfeit | ResultKind::DoubleForfeit => history.missed.extend(opponent),
            ResultKind::Bye => {
                history.byes += 1;
                history.floated = -1;
            }
            ResultKind::Absent => {}
        }
    }
    history
}

/// `true` where the colour would be the third in a row, or make a difference of three.
fn too_often(history: &History, side: Side) -> bool {
    let mut colours = history.colours.clone();
    colours.push(side);
    let of_side = colours.iter().filter(|&&colour| colour == side).count();
    let row = colours.iter().rev().take_while(|&&colour| colour == side).count();
    row >= 3 || 2 * of_side >= colours.len() + 3
}

/// The colour due: +1 Red, -1 Black; and whether strongly.
fn due(history: &History) -> (i64, bool) {
    let reds = history.colours.iter().filter(|&&colour| colour == Side::Red).count() as i64;
    let balance = 2 * reds - history.colours.len() as i64;
    let sign = |side: Side| if side == Side::Red { 1 } else { -1 };
    match history.colours.as_slice() {
        [] => (0, false),
        [.., a, b] if a == b => (-sign(*b), true),
        [.., last] if balance == 0 => (-sign(*last), false),
        _ => (-balance.signum(), true),
    }
}

/// Pairs of places in the list.
type Pairs<'a> = &'a [(usize, usize)];

/// The judge's figures: the smaller list is the better pairing. `None`: not allowed.
fn figures(
    event: &Event,
    histories: &[History],
    pairs: &[(usize, usize)],
    bye: Option<usize>,
) -> Option<Vec<i64>> {
    let options = &event.data().options;
    let mut rematches = 0;
    let mut later = [0; 6];
    let mut scores: Vec<i64> = histories.iter().map(|history| history.score).collect();
    scores.dedup();
    let mut differences = vec![0; scores.len()];
    let place_without_bye = |place: usize| place as i64 - i64::from(bye.is_some_and(|bye| bye < place));
    for &(a, b) in pairs {
        let (a, b) = (a.min(b), a.max(b));
        let (p, q) = (&histories[a], &histories[b]);
        let forbidden = |pair: &[EntrantNo; 2]| *pair == [p.no, q.no] || *pair == [q.no, p.no];
        if options.forbidden.iter().any(forbidden) {
            return None;
        }
        rematches += i64::from(p.met.contains(&q.no));
        differences[scores.iter().position(|&score| score == p.score).unwrap()] += p.score - q.score;
        later[0] += i64::from(p.missed.contains(&q.no));
        let bad = |red: &History, black: &History| too_often(red, Side::Red) || too_often(black, Side::Black);
        if bad(p, q) && bad(q, p) {
            match options.third_colour {
                ThirdColour::Avoid => later[1] += 1,
                ThirdColour::Forbid => return None,
                ThirdColour::FreeInLastRound => {
                    let round = RoundNo(event.last_round().0 + 1);
                    later[1] += i64::from(round < event.rounds());
                }
            }
        }
        let ((side_p, strong_p), (side_q, strong_q)) = (due(p), due(q));
        if side_p == side_q && side_p != 0 {
            later[if strong_p && strong_q { 2 } else { 3 }] += 1;
        }
        if p.score > q.score {
            later[4] += i64::from(p.floated == -1) + i64::from(q.floated == 1);
        }
        let mut distance = place_without_bye(b) - place_without_bye(a);
        if options.pattern == Pattern::Half && p.score == q.score {
            let equals = histories.iter().enumerate();
            let equals = equals.filter(|(place, other)| other.score == p.score && Some(*place) != bye);
            distance -= equals.count() as i64 / 2;
        }
        later[5] += distance * distance;
    }
    let mut figures = vec![rematches];
    figures.push(bye.map_or(0, |bye| i64::from(histories[bye].byes > 0)));
    figures.push(bye.map_or(0, |bye| (histories.len() - bye) as i64));
    figures.extend(differences);
    figures.extend(later);
    Some(figures)
}

fn every_pairing(free: &mut Vec<usize>, pairs: &mut Vec<(usize, usize)>, found: &mut dyn FnMut(Pairs<'_>)) {
    let Some(first) = free.pop() else { return found(pairs) };
    for at in 0..free.len() {
        let other = free.remove(at);
        pairs.push((first, other));
        every_pairing(free, pairs, found);
        pairs.pop();
        free.insert(at, other);
    }
    free.push(first);
}

fn best_by_trying(event: &Event, histories: &[History]) -> Option<Vec<i64>> {
    let byes: Vec<Option<usize>> =
        if histories.len() % 2 == 1 { (0..histories.len()).map(Some).collect() } else { vec![None] };
    let mut best: Option<Vec<i64>> = None;
    for bye in byes {
        let mut free: Vec<usize> = (0..histories.len()).filter(|&place| Some(place) != bye).collect();
        every_pairing(&mut free, &mut Vec::new(), &mut |pairs| {
            if let Some(figures) = figures(event, histories, pairs, bye)
                && best.as_ref().is_none_or(|best| figures < *best)
            {
                best = Some(figures);
            }
        });
    }
    best
}

/// Judges the engine's pairing of a round. Returns it if there is one.
fn judge(event: &Event, round: RoundNo, seed: u64) -> Option<RoundPairing> {
    let present = event
        .data()
        .entrants
        .iter()
        .filter(|entrant| entrant.takes_part_in(round) && event.result_of(round, entrant.no).is_none());
    let mut histories: Vec<History> = present.map(|entrant| history(event, entrant.no, round)).collect();
    histories.sort_by_key(|history| (-history.score, history.no));
    let best = best_by_trying(event, &histories);
    let proposal = match pair_round(event, round) {
        Ok(proposal) => proposal,
        Err(error) => {
            assert!(histories.len() < 2 || best.is_none(), "seed {seed}, round {round}: {error}");
            return None;
        }
    };
    let place = |no: EntrantNo| histories.iter().position(|history| history.no == no).unwrap();
    let pairs: Vec<(usize, usize)> = proposal
        .pairings
        .iter()
        .filter_map(|pairing| Some((place(pairing.red), place(pairing.black?))))
        .collect();
    let bye =
        proposal.pairings.iter().find(|pairing| pairing.black.is_none()).map(|pairing| place(pairing.red));
    assert_eq!(2 * pairs.len() + usize::from(bye.is_some()), histories.len(), "seed {seed}: everybody once");
    let proposed = figures(event, &histories, &pairs, bye);
    assert_eq!(proposed, best, "seed {seed}, round {round}: {pairs:?}, bye {bye:?}\n{}", event.to_json());
    let rematch = proposed.is_some_and(|figures| figures[0] > 0 || figures[1] > 0);
    assert_eq!(proposal.needs_confirmation(), rematch, "seed {seed}: a rematch or a second bye is confirmed");
    Some(proposal)
}

/// A random small event, its rounds judged one after the other. In `wild` events the rounds played are not those proposed.
fn play(seed: u64, wild: bool) -> usize {
    let mut dice = Dice(seed);
    let entrants = 2 + dice.below(8) as u16;
    let rounds = 2 + dice.below(8) as u16;
    let mut options = Options::default();
    if dice.percent(20) {
        options.pattern = Pattern::Half;
    }
    if dice.percent(15) && entrants > 3 {
        options.forbidden = vec![[EntrantNo(1), EntrantNo(1 + 1 + dice.below(2) as u16)]];
    }
    options.third_colour = match dice.below(10) {
        0 => ThirdColour::Forbid,
        1 => ThirdColour::FreeInLastRound,
        _ => ThirdColour::Avoid,
    };
    let field = (1..=entrants).map(|no| Entrant::new(EntrantNo(no), format!("P{no}"), ""));
    let data = EventData { rounds, entrants: field.collect(), options, ..EventData::default() };
    let mut event = Event::new(data).unwrap();
    let mut judged = 0;
    for round in event.rounds().up_to() {
        for no in (1..=entrants).map(EntrantNo) {
            let entrant = event.entrant(no).unwrap().clone();
            if dice.percent(4) && entrant.takes_part_in(round) && round.0 > 1 {
                event.withdraw(no, round).unwrap();
            } else if dice.percent(6) && entrant.takes_part_in(round) {
                event.record(ResultEntry::absent(round, no)).unwrap();
            }
        }
        let proposal = if round == RoundNo(1) {
            pair_round(&event, round).ok()
        } else {
            judged += 1;
            judge(&event, round, seed)
        };
        let Some(proposal) = proposal else { return judged };
        let mut seats: Vec<EntrantNo> = proposal
            .pairings
            .iter()
            .flat_map(|pairing| core::iter::once(pairing.red).chain(pairing.black))
            .collect();
        if wild {
            for at in 1..seats.len() {
                seats.swap(at, dice.below(at as u64 + 1) as usize);
            }
        }
        for (table, seats) in (1..).zip(seats.chunks(2)) {
            let &[red, black] = seats else {
                event.record(ResultEntry::bye(round, seats[0], Points(2))).unwrap();
                continue;
            };
            let score = match dice.below(10) {
                0..4 => [2, 0],
                4..7 => [1, 1],
                _ => [0, 2],
            };
            let kind = match dice.below(20) {
                0 if score != [1, 1] => ResultKind::Forfeit,
                1 => ResultKind::DoubleForfeit,
                _ => ResultKind::Played,
            };
            let score = if kind == ResultKind::DoubleForfeit { [0, 0] } else { score };
            let score = BySide { red: Points(score[0]), black: Points(score[1]) };
            event
                .record(ResultEntry { kind, ..ResultEntry::played(round, TableNo(table), red, black, score) })
                .unwrap();
        }
    }
    judged
}

#[test]
fn no_pairing_is_better_than_the_proposed_one() {
    let judged: usize = (0..1500).map(|seed| play(seed, false)).sum();
    assert!(judged > 3000, "{judged} rounds judged");
}

#[test]
fn no_pairing_is_better_after_rounds_paired_by_hand() {
    let judged: usize = (1_000_000..1_001_500).map(|seed| play(seed, true)).sum();
    assert!(judged > 3000, "{judged} rounds judged");
}
