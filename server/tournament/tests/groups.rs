//! Groups of one event against events of their own: whatever happens, each is paired, ranked and ended as if it were alone.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::collections::BTreeSet;

use tournament::{
    Entrant, EntrantNo, Event, EventData, Group, GroupNo, PairingError, Points, ResultEntry, RoundNo, System,
    TableNo, check_pairing, pair_round, standings,
};
use xiangqi::BySide;

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end
    }
}

const SYSTEMS: [System; 4] =
    [System::Swiss, System::RoundRobin { double: false }, System::Knockout { replays: 1 }, System::Swiss];

/// An event of groups of these sizes, their members mixed in the list, and the same groups as events apart.
fn both(sizes: &[u16], dice: &mut Dice) -> (Event, Vec<Event>) {
    let group = |(at, _): (usize, &u16)| Group {
        name: format!("{}组", ["甲", "乙", "丙", "丁"][at]),
        rounds: 3 + at as u16,
        system: SYSTEMS[at],
        first_table: None,
    };
    let groups: Vec<Group> = sizes.iter().enumerate().map(group).collect();
    let mut of: Vec<GroupNo> = Vec::new();
    for (no, size) in (1..).zip(sizes) {
        of.extend(std::iter::repeat_n(GroupNo(no), usize::from(*size)));
    }
    for last in (1..of.len()).rev() {
        of.swap(last, dice.below(last as u64 + 1) as usize);
    }
    let entrants = (1..).zip(of).map(|(no, group)| Entrant {
        group,
        ..Entrant::new(EntrantNo(no), format!("棋手{no}"), format!("单位{}", no % 5))
    });
    let entrants: Vec<Entrant> = entrants.collect();
    let apart = (1..).zip(&groups).map(|(no, group)| {
        let members = entrants.iter().filter(|entrant| entrant.group == GroupNo(no));
        let mut data = EventData {
            rounds: group.rounds,
            entrants: members.map(|it| Entrant { group: GroupNo(1), ..it.clone() }).collect(),
            ..EventData::default()
        };
        data.options.system = group.system;
        Event::new(data).unwrap()
    });
    let apart = apart.collect();
    (Event::new(EventData { rounds: 1, entrants, groups, ..EventData::default() }).unwrap(), apart)
}

/// Does the same to the event with groups and to the one apart.
fn alike(whole: &mut Event, apart: &mut Event, act: impl Fn(&mut Event)) {
    act(whole);
    act(apart);
}

#[test]
fn a_group_is_paired_and_ranked_as_an_event_of_its_own() {
    let mut rounds = 0;
    for seed in 0..120 {
        let mut dice = Dice(seed);
        let sizes: Vec<u16> = (0..=dice.below(4)).map(|_| 2 + dice.below(9) as u16).collect();
        let (mut whole, mut apart) = both(&sizes, &mut dice);
        let mut late = 100;
        for round in (1..).map(RoundNo) {
            if whole.is_over() {
                break;
            }
            for (no, apart) in (1..).map(GroupNo).zip(&mut apart) {
                disturb(&mut whole, apart, no, round, &mut late, &mut dice);
            }
            let paired = match pair_round(&whole, round) {
                Ok(paired) => paired,
                Err(PairingError::TooFew { .. }) => break,
                Err(why) => panic!("seed {seed}: {why}"),
            };
            rounds += 1;
            let tables: BTreeSet<TableNo> = paired.pairings.iter().map(|it| it.table).collect();
            assert_eq!(tables.len(), paired.pairings.len(), "no table is used twice");
            let check = check_pairing(&whole, round, &paired.pairings).unwrap();
            assert!(check.iter().all(|warning| !warning.forbids_publishing()), "seed {seed}: {check:?}");
            for (no, apart) in (1..).map(GroupNo).zip(&mut apart) {
                let ours = paired.pairings.iter().filter(|it| whole.group_of(it.red) == Some(no));
                let ours: Vec<_> = ours.map(|it| (it.red, it.black)).collect();
                match pair_round(apart, round) {
                    Ok(alone) => {
                        let alone: Vec<_> = alone.pairings.iter().map(|it| (it.red, it.black)).collect();
                        assert_eq!(ours, alone, "seed {seed}, group {no}, round {round}");
                    }
                    Err(PairingError::TooFew { .. }) => {
                        assert!(ours.iter().all(|(_, black)| black.is_none()))
                    }
                    Err(_) => assert_eq!(ours, [], "seed {seed}, group {no}, round {round}: it is over"),
                }
                assert_eq!(whole.of_group(no).data().entrants.len(), apart.data().entrants.len());
                for pairing in paired.pairings.iter().filter(|it| ours.contains(&(it.red, it.black))) {
                    let result = match pairing.black {
                        None => ResultEntry::bye(round, pairing.red, apart.bye(round, pairing.red)),
                        Some(black) => {
                            let red = dice.below(3) as u32;
                            let score = BySide { red: Points(red), black: Points(2 - red) };
                            ResultEntry::played(round, pairing.table, pairing.red, black, score)
                        }
                    };
                    alike(&mut whole, apart, |event| event.record(result).unwrap());
                }
                let after = apart.last_round();
                let part = whole.of_group(no);
                assert_eq!(standings(&part, after), standings(apart, after), "seed {seed}, round {round}");
                assert_eq!((part.is_over(), part.rounds()), (apart.is_over(), apart.rounds()));
            }
            assert_eq!(Event::from_json(&whole.to_json()).unwrap(), whole);
        }
        assert_eq!(whole.rounds(), apart.iter().map(Event::rounds).max().unwrap());
    }
    assert!(rounds > 300, "{rounds} rounds only");
}

/// Withdrawals, absences and, where the system takes them, late entries.
fn disturb(
    whole: &mut Event,
    apart: &mut Event,
    no: GroupNo,
    round: RoundNo,
    late: &mut u16,
    dice: &mut Dice,
) {
    if round > apart.rounds() || apart.is_over() {
        return;
    }
    let playing: Vec<EntrantNo> =
        apart.data().entrants.iter().filter(|it| it.takes_part_in(round)).map(|it| it.no).collect();
    if playing.len() > 2 && dice.below(5) == 0 {
        let who = playing[dice.below(playing.len() as u64) as usize];
        if dice.below(2) == 0 {
            alike(whole, apart, |event| event.withdraw(who, round).unwrap());
        } else {
            alike(whole, apart, |event| event.record(ResultEntry::absent(round, who)).unwrap());
        }
    }
    if apart.data().options.system == System::Swiss && round > RoundNo(1) && dice.below(6) == 0 {
        *late += 1;
        let entrant = Entrant { first_round: Some(round), ..Entrant::new(EntrantNo(*late), "迟到者", "") };
        whole.enter(Entrant { group: no, ..entrant.clone() }).unwrap();
        apart.enter(entrant).unwrap();
    }
}

#[test]
fn what_makes_no_sense_in_groups_is_named_with_its_place() {
    const FILE: &str = r#"{"rounds":5,"groups":[{"name":"男子组","rounds":5},{"name":"女子组","rounds":1}],
        "entrants":[{"no":1,"name":"甲"},{"no":2,"name":"乙"},{"no":3,"name":"丙","group":2},{"no":4,"name":"丁","group":2}],
        "results":[{"round":1,"table":1,"red":1,"black":2,"score":[2,0],"kind":"played"},
        {"round":1,"table":2,"red":3,"black":4,"score":[2,0],"kind":"played"}]}"#;
    assert!(Event::from_json(FILE).is_ok());
    let cases = [
        ("女子组", "男子组", "groups[1].name: two groups of one name"),
        ("女子组", " ", "groups[1].name: a group needs a name"),
        (r#""rounds":1"#, r#""rounds":0"#, "groups[1].rounds: 0 rounds"),
        (r#""丙","group":2"#, r#""丙","group":3"#, "entrants[2].group: there is no group 3"),
        (r#""red":3,"black":4"#, r#""red":3,"black":2"#, "results[1].black: entrant 2 already has a result"),
        (r#""丙","group":2"#, r#""丙""#, "results[1].black: entrants 3 and 4 are in different groups"),
        (
            r#"{"round":1,"table":2"#,
            r#"{"round":2,"table":2"#,
            "results[1].round: round 2 is outside the event's 1 rounds",
        ),
    ];
    for (from, to, message) in cases {
        let said = Event::from_json(&FILE.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(said.starts_with(message), "{said}");
    }
}
