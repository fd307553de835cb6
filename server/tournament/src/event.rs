//! The event: who entered, what was scored, under which settings. `EventData` is the file `EVENT.json`, freely editable;
//! an `Event` can only be made from data that make sense, and stays so.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::{
    Entrant, EntrantNo, EventError, Group, GroupNo, Ladder, LadderKey, Options, Points, ResultEntry, RoundNo,
    Scoring, System, TableNo, bracket, round_robin,
};

/// The event file, field by field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventData {
    /// Points of a game; 2, 1, 0 unless given.
    #[serde(default)]
    pub scoring: Scoring,
    /// How many rounds the event has.
    pub rounds: u16,
    /// How the entrants are ranked; regulation A's ladder unless given.
    #[serde(default)]
    pub ladder: Ladder,
    /// Everybody who entered, withdrawn or not.
    pub entrants: Vec<Entrant>,
    /// One entry for each game, bye and absence.
    #[serde(default)]
    pub results: Vec<ResultEntry>,
    /// Choices that few events make.
    #[serde(default, skip_serializing_if = "is_plain")]
    pub options: Options,
    /// 组别, each with its system and rounds in the place of the event's; none: everybody is in one field.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Group>,
}

fn is_plain(options: &Options) -> bool {
    *options == Options::default()
}

/// Data that make sense. Everything is derived from them on demand: no counter is kept beside the results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    data: EventData,
    /// Where each entrant stands in the data.
    pub(crate) places: BTreeMap<EntrantNo, usize>,
    /// Where each entrant's result of a round stands in the data.
    pub(crate) of_entrant: BTreeMap<(RoundNo, EntrantNo), usize>,
    /// Which tables of a round have a result.
    pub(crate) tables: BTreeSet<(RoundNo, TableNo)>,
}

impl Event {
    /// Checks the data.
    ///
    /// # Errors
    /// The first thing in them that makes no sense, with the place where it stands.
    pub fn new(data: EventData) -> Result<Event, EventError> {
        crate::check::settings(&data)?;
        let EventData { entrants, results, .. } = data;
        let data = EventData { entrants: Vec::new(), results: Vec::new(), ..data };
        let (places, of_entrant, tables) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        let mut event = Event { data, places, of_entrant, tables };
        for entrant in entrants {
            event.enter(entrant)?;
        }
        crate::check::forbidden(&event)?;
        crate::check::fixed_tables(&event)?;
        for result in results {
            event.record(result)?;
        }
        Ok(event)
    }

    /// Reads an event file.
    ///
    /// # Errors
    /// Where the text is not such a file (line and column), or what in it makes no sense (field).
    pub fn from_json(text: &str) -> Result<Event, EventError> {
        Event::new(serde_json::from_str(text).map_err(EventError::from_json)?)
    }

    /// The event as an event file, on one line.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(&self.data).expect("plain structs with string keys always serialise")
    }

    /// All there is.
    #[must_use]
    pub fn data(&self) -> &EventData {
        &self.data
    }

    /// Of data that have been checked.
    pub(crate) fn indexed(data: EventData) -> Event {
        let places = data.entrants.iter().zip(0..).map(|(entrant, place)| (entrant.no, place)).collect();
        let results = data.results.len();
        let mut event = Event { data, places, of_entrant: BTreeMap::new(), tables: BTreeSet::new() };
        for place in 0..results {
            event.index(place);
        }
        event
    }

    /// How many rounds the event has: those of its system, else as many as were set; of groups those of the longest. A
    /// knock-out may need fewer.
    #[must_use]
    pub fn rounds(&self) -> RoundNo {
        self.group_numbers().map(|no| self.rounds_of(no)).max().unwrap_or(RoundNo(0))
    }

    /// How many rounds a group has; where there are no groups, the event.
    #[must_use]
    pub fn rounds_of(&self, no: GroupNo) -> RoundNo {
        let set = self.group(no).map_or(self.data.rounds, |group| group.rounds);
        let regulars = self.regulars().iter().filter(|who| self.group_of(**who) == Some(no)).count();
        RoundNo(self.system_of(no).rounds(regulars).unwrap_or(set))
    }

    /// The system of a group; where there are no groups, the event's.
    #[must_use]
    pub fn system_of(&self, no: GroupNo) -> System {
        self.group(no).map_or(self.data.options.system, |group| group.system)
    }

    /// Whether there is nothing more to pair: the rounds are played, or the knock-out is decided, of every group.
    #[must_use]
    pub fn is_over(&self) -> bool {
        if !self.data.groups.is_empty() {
            // Whoever is left alone in a group has byes, which are no games, to its last round.
            let last = self.last_round();
            let is_over =
                |part: &Event| part.data.entrants.is_empty() || last >= part.rounds() || part.is_over();
            return self.by_group().all(|(_, part)| is_over(&part));
        }
        let decided = match self.data.options.system {
            System::Swiss | System::RoundRobin { .. } => false,
            System::Knockout { replays } => bracket::is_decided(self, replays),
        };
        decided || self.last_round() >= self.rounds()
    }

    /// The rungs by which entrants are ranked: those that were set; in a knock-out how far each has come, and nothing else.
    #[must_use]
    pub fn ladder(&self) -> Ladder {
        match self.data.options.system {
            System::Swiss | System::RoundRobin { .. } => self.data.ladder.clone(),
            System::Knockout { .. } => Ladder(vec![LadderKey::Place]),
        }
    }

    /// Who was there from the first round on, by number: the places of a round robin's table and of a bracket.
    #[must_use]
    pub(crate) fn regulars(&self) -> Vec<EntrantNo> {
        let regular = |entrant: &&Entrant| entrant.takes_part_in(RoundNo(1)) && !entrant.house;
        let mut regulars: Vec<EntrantNo> =
            self.data.entrants.iter().filter(regular).map(|entrant| entrant.no).collect();
        regulars.sort();
        regulars
    }

    /// What a bye of this entrant in this round is worth.
    #[must_use]
    pub fn bye(&self, round: RoundNo, no: EntrantNo) -> Points {
        if let Some(group) = self.group_of(no).filter(|_| !self.data.groups.is_empty()) {
            return self.of_group(group).bye(round, no);
        }
        match self.data.options.system {
            System::RoundRobin { double } => round_robin::bye(self, double, round, no),
            System::Swiss | System::Knockout { .. } => self.data.scoring.bye(),
        }
    }

    /// The entrant with this number.
    #[must_use]
    pub fn entrant(&self, no: EntrantNo) -> Option<&Entrant> {
        self.places.get(&no).map(|&place| &self.data.entrants[place])
    }

    /// An entrant's result in a round.
    #[must_use]
    pub fn result_of(&self, round: RoundNo, no: EntrantNo) -> Option<&ResultEntry> {
        self.of_entrant.get(&(round, no)).map(|&place| &self.data.results[place])
    }

    /// The last round in which a game has a result; round 0 before that.
    #[must_use]
    pub fn last_round(&self) -> RoundNo {
        let played = self.data.results.iter().filter(|result| result.black.is_some());
        played.map(|result| result.round).max().unwrap_or(RoundNo(0))
    }

    /// Who takes part in the round but has no result in it yet. House players fill in and are never missed. Someone with no
    /// result so far counts as a late entry while later rounds have results.
    #[must_use]
    pub fn open(&self, round: RoundNo) -> Vec<EntrantNo> {
        if !self.data.groups.is_empty() {
            let playing = self.by_group().filter(|(_, part)| round <= part.rounds());
            let mut open: Vec<EntrantNo> = playing.flat_map(|(_, part)| part.open(round)).collect();
            open.sort();
            return open;
        }
        if let System::Knockout { replays } = self.data.options.system {
            return bracket::awaited(self, replays, round);
        }
        let is_past = round < self.last_round();
        let is_open = |entrant: &&Entrant| {
            let came_later = |no| {
                let has_result = |earlier| self.result_of(earlier, no).is_some();
                is_past && entrant.first_round.is_none() && !round.up_to().any(has_result)
            };
            entrant.takes_part_in(round)
                && self.result_of(round, entrant.no).is_none()
                && !entrant.house
                && !came_later(entrant.no)
        };
        let mut open: Vec<EntrantNo> =
            self.data.entrants.iter().filter(is_open).map(|entrant| entrant.no).collect();
        open.sort();
        open
    }

    /// A new entrant, at any time; late ones get the next free number.
    ///
    /// # Errors
    /// A number that is taken or zero, a missing name, rounds that do not fit.
    pub fn enter(&mut self, entrant: Entrant) -> Result<(), EventError> {
        crate::check::entrant(self, &entrant)?;
        self.places.insert(entrant.no, self.data.entrants.len());
        self.data.entrants.push(entrant);
        Ok(())
    }

    /// The number a late entrant gets.
    #[must_use]
    pub fn next_free_number(&self) -> EntrantNo {
        EntrantNo(self.places.keys().next_back().map_or(1, |last| last.0.saturating_add(1)))
    }

    /// 退赛: from this round on the entrant is not paired any more. Nothing played is lost.
    ///
    /// # Errors
    /// No such entrant.
    pub fn withdraw(&mut self, no: EntrantNo, from: RoundNo) -> Result<(), EventError> {
        let place = *self.places.get(&no).ok_or_else(|| EventError::unknown("withdraw", no))?;
        self.data.entrants[place].withdrawn_from = Some(from);
        Ok(())
    }

    /// A withdrawn entrant comes back: the rounds missed must have absences recorded.
    ///
    /// # Errors
    /// No such entrant.
    pub fn readmit(&mut self, no: EntrantNo) -> Result<(), EventError> {
        let place = *self.places.get(&no).ok_or_else(|| EventError::unknown("readmit", no))?;
        self.data.entrants[place].withdrawn_from = None;
        Ok(())
    }

    /// A result that was not there before.
    ///
    /// # Errors
    /// Unknown entrants, a second result of one entrant or table in the round, a score or an opponent that does not fit
    /// the kind.
    pub fn record(&mut self, result: ResultEntry) -> Result<(), EventError> {
        crate::check::result(self, &result)?;
        let place = self.data.results.len();
        self.data.results.push(result);
        self.index(place);
        Ok(())
    }

    /// 改判: a result in the place of those its entrants have in the round so far, which are handed back. Standings are
    /// computed anew from the results; rounds already paired stay as they are.
    ///
    /// # Errors
    /// As [`Event::record`]; then nothing has changed.
    pub fn correct(&mut self, result: ResultEntry) -> Result<Vec<ResultEntry>, EventError> {
        let of_the_two: BTreeSet<usize> = result
            .entrants()
            .filter_map(|(_, no)| self.of_entrant.get(&(result.round, no)).copied())
            .collect();
        let mut corrected = self.clone();
        let mut replaced = Vec::new();
        let mut place = 0;
        corrected.data.results.retain(|old| {
            let keep = !of_the_two.contains(&place);
            place += 1;
            if !keep {
                replaced.push(*old);
            }
            keep
        });
        corrected.of_entrant.clear();
        corrected.tables.clear();
        for place in 0..corrected.data.results.len() {
            corrected.index(place);
        }
        corrected.record(result)?;
        *self = corrected;
        Ok(replaced)
    }

    /// R-33: the number of rounds may change while it covers the rounds that have results.
    ///
    /// # Errors
    /// Fewer rounds than have results, or none.
    pub fn set_rounds(&mut self, rounds: u16) -> Result<(), EventError> {
        let changed = EventData { rounds, ..self.data.clone() };
        *self = Event::new(changed)?;
        Ok(())
    }

    fn index(&mut self, place: usize) {
        let result = self.data.results[place];
        for (_, no) in result.entrants() {
            self.of_entrant.insert((result.round, no), place);
        }
        if let (Some(table), true) = (result.table, result.kind.has_opponent()) {
            self.tables.insert((result.round, table));
        }
    }
}

impl TryFrom<EventData> for Event {
    type Error = EventError;

    fn try_from(data: EventData) -> Result<Event, EventError> {
        Event::new(data)
    }
}

#[cfg(test)]
mod tests {
    use xiangqi::BySide;

    use super::*;
    use crate::ResultKind;

    const FILE: &str = r#"{"scoring":{"win":2,"draw":1,"loss":0},"rounds":11,
        "ladder":["points","opponents","wins","fouls","black_games","previous_round"],
        "entrants":[{"no":1,"name":"甲","unit":"绵阳"},{"no":2,"name":"乙","unit":""},{"no":3,"name":"丙","unit":""}],
        "results":[{"round":1,"table":1,"red":1,"black":2,"score":[2,0],"kind":"played","fouls":[0,1]},
        {"round":1,"table":2,"red":3,"black":null,"score":[2,0],"kind":"bye","fouls":[0,0]}]}"#;

    fn problem(from: &str, to: &str) -> String {
        assert!(FILE.contains(from));
        Event::from_json(&FILE.replacen(from, to, 1)).unwrap_err().to_string()
    }

    #[test]
    fn an_event_file_is_read_and_written_unchanged() {
        let event = Event::from_json(FILE).unwrap();
        assert_eq!(Event::from_json(&event.to_json()).unwrap(), event);
        assert_eq!(event.data().results[0].fouls.black, 1);
        assert_eq!(event.last_round(), RoundNo(1));
        assert_eq!(event.next_free_number(), EntrantNo(4));
    }

    #[test]
    fn what_makes_no_sense_is_named_with_its_place() {
        let cases = [
            (r#""no":2"#, r#""no":1"#, "entrants[1].no: number 1 is already taken"),
            (r#""no":2"#, r#""no":0"#, "entrants[1].no: entrants are numbered from 1"),
            ("丙", " ", "entrants[2].name: entrant 3 has no name"),
            (r#""black":2"#, r#""black":9"#, "results[0].black: entrant 9 is not in the list of entrants"),
            (r#""black":2"#, r#""black":1"#, "results[0].black: entrant 1 cannot be paired with itself"),
            (r#""black":2"#, r#""black":null"#, "results[0].black: this kind of result needs an opponent"),
            (r#""red":3"#, r#""red":2"#, "results[1].red: entrant 2 already has a result in round 1"),
            (
                "[2,0]",
                "[2,2]",
                "results[0].score: the score [2,2] does not fit; allowed: [2,0], [1,1], [0,2] or [0,0]",
            ),
            (r#""round":1"#, r#""round":12"#, "results[0].round: round 12 is outside the event's 11 rounds"),
            (r#""rounds":11"#, r#""rounds":0"#, "rounds: 0 rounds; an event has 1 to 200"),
            (r#""win":2"#, r#""win":1"#, "scoring: a win must be worth more than a draw"),
            (r#""wins""#, r#""points""#, "ladder[2]: points stands twice in the ladder"),
            (r#""table":1"#, r#""table":0"#, "results[0].table: a game needs its table"),
        ];
        for (from, to, message) in cases {
            let said = problem(from, to);
            assert!(said.starts_with(message), "{said}");
        }
    }

    #[test]
    fn a_file_of_another_shape_is_refused_with_line_and_column() {
        assert!(problem(r#""rounds""#, r#""runden""#).starts_with("line 1, column "));
        assert!(problem(r#""kind":"bye""#, r#""kind":"holiday""#).contains("unknown variant `holiday`"));
        assert!(problem("[2,0]", "[2]").starts_with("line 4, column "));
        assert!(Event::from_json("").unwrap_err().to_string().starts_with("line 1, column 0: EOF"));
    }

    #[test]
    fn a_correction_replaces_what_the_two_had_in_the_round() {
        let mut event = Event::from_json(FILE).unwrap();
        let late = Entrant::new(EntrantNo(4), "丁", "");
        event.enter(late).unwrap();
        // The newcomer plays the one with the bye, on a table of their own.
        let game =
            ResultEntry::played(RoundNo(1), TableNo(2), EntrantNo(3), EntrantNo(4), BySide::both(Points(1)));
        let replaced = event.correct(game).unwrap();
        assert_eq!(replaced.len(), 1);
        assert_eq!(replaced[0].kind, ResultKind::Bye);
        assert_eq!(event.result_of(RoundNo(1), EntrantNo(4)), Some(&game));
        assert_eq!(event.data().results.len(), 2);
        let wrong = ResultEntry { score: BySide::both(Points(2)), ..game };
        let before = event.clone();
        assert!(event.correct(wrong).is_err());
        assert_eq!(event, before);
    }
}
