//! The event's frame, and how it becomes the tournament's data.

use arbitration::{GameResult, Outcome, Regulation, Words};
use firmware_proto::Epoch;
use tournament::{
    EntrantNo, Event, EventData, Ladder, LadderKey, Options, Points, RoundNo, Scoring, TableNo,
};
use xiangqi::BySide;

use crate::refusal::Refusal;
use crate::{Entrant, Fact, Pair};

/// What the event is, before anybody is drawn.
#[derive(Clone, Debug)]
pub struct EventFrame {
    /// Title.
    pub title: String,
    /// Rounds to be played.
    pub rounds: u16,
    /// What it is played under.
    pub regulation: Regulation,
    /// Seed of the draw.
    pub seed: u64,
}

/// The ladder of a regulation.
pub fn ladder(regulation: &Regulation) -> Result<Ladder, Refusal> {
    let key = |name: &String| {
        LadderKey::ALL.into_iter().find(|key| key.name() == name).ok_or(Refusal::Ladder(name.clone()))
    };
    regulation.ladder.iter().map(key).collect::<Result<_, _>>().map(Ladder)
}

/// The tournament's data once the numbers are drawn.
pub fn of(frame: &EventFrame, drawn: &[(EntrantNo, Entrant)]) -> Result<Event, Refusal> {
    let entrants =
        drawn.iter().map(|(no, player)| tournament::Entrant::new(*no, &player.name, &player.unit)).collect();
    let data = EventData {
        scoring: Scoring::default(),
        rounds: frame.rounds,
        ladder: ladder(&frame.regulation)?,
        entrants,
        results: Vec::new(),
        options: Options::default(),
        groups: Vec::new(),
    };
    Ok(Event::new(data)?)
}

/// The event with something else in its data.
pub fn edit(event: &Event, change: impl FnOnce(&mut EventData)) -> Result<Event, tournament::EventError> {
    let mut data = event.data().clone();
    change(&mut data);
    Event::new(data)
}

/// The desk's settings in the event's data.
pub fn set(data: &mut EventData, settings: &crate::desk::Settings) {
    data.rounds = settings.rounds;
    data.ladder = settings.ladder.clone();
    data.options = settings.options.clone();
    data.groups = settings.groups.iter().map(|group| group.field.clone()).collect();
    data.scoring = match settings.team_rules() {
        Some(rules) => rules.matches,
        None => settings.scoring,
    };
}

/// The next round as the engine pairs it.
pub fn pair(event: &Event, round: RoundNo) -> Result<Fact, Refusal> {
    let proposal = tournament::pair_round(event, round)?;
    let pairs = proposal.pairings.into_iter().map(|pairing| {
        let words: Vec<_> = pairing.reasons.iter().map(|reason| reason.words()).collect();
        let zh: Vec<_> = words.iter().map(|words| words.zh.as_str()).collect();
        let en: Vec<_> = words.iter().map(|words| words.en.as_str()).collect();
        let why = Words::new(zh.join("；"), en.join("; "));
        Pair { table: pairing.table, red: pairing.red, black: pairing.black, why }
    });
    Ok(Fact::Paired { round, pairs: pairs.collect() })
}

/// What an outcome is worth to each side.
#[must_use]
pub fn score(scoring: &Scoring, outcome: Outcome) -> BySide<Points> {
    match outcome.result {
        GameResult::BothLose => BySide::both(scoring.loss),
        GameResult::RedWins | GameResult::BlackWins | GameResult::Draw => {
            scoring.game(outcome.result.winner())
        }
    }
}

/// Takes a result in, in the place of an earlier one if there is one.
pub fn take_result(event: &mut Event, result: tournament::ResultEntry) -> Result<(), Refusal> {
    if event.result_of(result.round, result.red).is_some() {
        event.correct(result)?;
    } else {
        event.record(result)?;
    }
    Ok(())
}

/// Forgets the result of a table.
pub fn forget_result(event: &mut Event, round: RoundNo, table: TableNo) -> Result<(), Refusal> {
    let mut data = event.data().clone();
    data.results.retain(|result| (result.round, result.table) != (round, Some(table)));
    *event = Event::new(data)?;
    Ok(())
}

/// The number that the first command's number follows: by the time of the opening, so that devices that remember
/// another event's commands do not take ours for repeated ones. So many for each second that a database restored from a
/// copy, which has forgotten the latest commands, begins above them.
pub fn first_command(opened: Epoch) -> u32 {
    const EACH_SECOND: i64 = 16;
    // Truncation is meant: numbers wrap around.
    (opened.0 / 1_000 * EACH_SECOND) as u32
}
