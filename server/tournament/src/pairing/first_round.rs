//! Round 1: numbers 1-2, 4-3, 5-6, 8-7, the first-named with Red. With an odd field the last number has the bye.

use super::card::Card;
use super::{Pairing, Reason, seat};
use crate::TableNo;

/// Pairs neighbours of the list, which is in the order of the numbers. Those who are absent have been left out, and the
/// parity of the colours follows the table, not the number.
pub(super) fn pair(mut cards: Vec<Card>, avoid_same_unit: bool) -> Vec<Pairing> {
    cards.sort_by_key(|card| card.no);
    let bye = if cards.len() % 2 == 1 { cards.pop() } else { None };
    let exchanged = keep_apart(&mut cards, avoid_same_unit);
    let mut pairings: Vec<Pairing> = Vec::with_capacity(cards.len() / 2 + 1);
    for (index, pair) in cards.chunks_exact(2).enumerate() {
        let mut reasons = vec![Reason::ByNumber];
        if exchanged.contains(&index) {
            reasons.push(Reason::UnitsKeptApart);
        }
        pairings.push(seat(&pair[0], &pair[1], TableNo(index as u16 + 1), reasons));
    }
    pairings.extend(bye.map(|card| Pairing {
        table: TableNo(cards.len() as u16 / 2 + 1),
        red: card.no,
        black: None,
        reasons: vec![Reason::ByNumber, Reason::Bye { score: card.score, passed_over: Vec::new() }],
    }));
    pairings
}

/// 回避: walks the tables; where two of one unit (or a forbidden pair) meet, the second of them changes places with the
/// second of the nearest later table, then of the nearest earlier one, that leaves both tables in order. Returns the
/// tables changed. A clash that no exchange resolves stays.
fn keep_apart(cards: &mut [Card], avoid_same_unit: bool) -> Vec<usize> {
    let clash = |a: &Card, b: &Card| {
        a.forbidden.contains(&b.no) || (avoid_same_unit && !a.unit.is_empty() && a.unit == b.unit)
    };
    let tables = cards.len() / 2;
    let mut changed = Vec::new();
    for table in 0..tables {
        if !clash(&cards[2 * table], &cards[2 * table + 1]) {
            continue;
        }
        let resolves = |other: &usize| {
            !clash(&cards[2 * table], &cards[2 * other + 1])
                && !clash(&cards[2 * other], &cards[2 * table + 1])
        };
        if let Some(other) = (table + 1..tables).chain((0..table).rev()).find(resolves) {
            cards.swap(2 * table + 1, 2 * other + 1);
            changed.extend([table, other]);
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use crate::{EntrantNo, Event, ResultEntry, RoundNo, pair_round};

    fn field(units: &[&str], options: &str) -> Event {
        let entrants: Vec<String> = units
            .iter()
            .zip(1..)
            .map(|(unit, no)| format!(r#"{{"no":{no},"name":"P{no}","unit":"{unit}"}}"#))
            .collect();
        Event::from_json(&format!(
            r#"{{"rounds":7,"entrants":[{}],"options":{options}}}"#,
            entrants.join(",")
        ))
        .unwrap()
    }

    fn pairs(event: &Event) -> Vec<(u16, Option<u16>)> {
        let pairing = pair_round(event, RoundNo(1)).unwrap();
        assert_eq!(
            pairing.pairings.iter().map(|p| p.table.0).collect::<Vec<_>>(),
            (1..).take(pairing.pairings.len()).collect::<Vec<_>>()
        );
        pairing.pairings.iter().map(|p| (p.red.0, p.black.map(|no| no.0))).collect()
    }

    #[test]
    fn eight_numbers_meet_1_2_4_3_5_6_8_7() {
        assert_eq!(pairs(&field(&[""; 8], "{}")), [(1, Some(2)), (4, Some(3)), (5, Some(6)), (8, Some(7))]);
    }

    #[test]
    fn the_last_number_of_an_odd_field_has_the_bye() {
        assert_eq!(pairs(&field(&[""; 5], "{}")), [(1, Some(2)), (4, Some(3)), (5, None)]);
    }

    #[test]
    fn colours_follow_the_table_when_numbers_are_missing() {
        let mut event = field(&[""; 7], "{}");
        event.record(ResultEntry::absent(RoundNo(1), EntrantNo(2))).unwrap();
        assert_eq!(pairs(&event), [(1, Some(3)), (5, Some(4)), (6, Some(7))]);
    }

    #[test]
    fn one_unit_is_kept_apart_when_the_event_asks_for_it() {
        let units = ["甲", "甲", "乙", "甲", "丙", "丁"];
        assert_eq!(pairs(&field(&units, "{}")), [(1, Some(2)), (4, Some(3)), (5, Some(6))]);
        // 2 cannot change with 4, which is of the same unit; it changes with 6.
        let apart = field(&units, r#"{"avoid_same_unit":true}"#);
        assert_eq!(pairs(&apart), [(1, Some(6)), (4, Some(3)), (2, Some(5))].map(|(r, b)| (r, b)));
    }
}
