//! What the desk can do, and what the journal says of it.

use arbitration::{Outcome, Regulation, Words};
use serde::{Deserialize, Deserializer, Serialize};
use tournament::{BoardNo, Entrant, EntrantNo, GroupNo, Lineup, MemberNo, Money, RoundNo, TableNo};

use super::roster::{File, Form, FormNo, Ruling};
use super::rules::Rule;
use super::settings::Settings;
use super::simul::{Simul, SimulAct};
use super::source::EnteredAt;
use crate::Pair;

/// Whom a number belongs to: a form, and the member of it in an individual event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Whom {
    /// The form.
    pub form: FormNo,
    /// The player; `None`: the whole team.
    pub member: Option<MemberNo>,
}

/// How the numbers are drawn (抽签, R-28, R-29).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DrawBy {
    /// By the computer, from a seed that is printed with the record.
    Computer {
        /// The seed.
        seed: u64,
    },
    /// By halves: the first half in the order of registration draws odd numbers, the second even ones.
    Halves {
        /// The seed.
        seed: u64,
    },
    /// By hand: the numbers as they were drawn.
    Hand(Vec<(EntrantNo, Whom)>),
}

/// What the desk does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeskAct {
    /// Settings replaced; after round 1 is published with a reason.
    Set {
        /// The new ones.
        settings: Box<Settings>,
        /// Why.
        why: String,
    },
    /// The regulation of games that start from now on.
    Regulate {
        /// The new one.
        regulation: Box<Regulation>,
        /// Why.
        why: String,
    },
    /// A new form.
    Register {
        /// The form.
        form: Box<Form>,
        /// The organiser lets it in after the deadline.
        late: bool,
    },
    /// A form is changed.
    Amend {
        /// Which.
        no: FormNo,
        /// The form as it should be.
        form: Box<Form>,
    },
    /// A form is taken back before the draw.
    Strike {
        /// Which.
        no: FormNo,
        /// Why.
        why: String,
    },
    /// A struck form counts again.
    Restore(FormNo),
    /// A finding is decided; `None`: the decision is taken back.
    Judge {
        /// The form.
        no: FormNo,
        /// The rule.
        rule: Rule,
        /// The decision.
        ruling: Option<Ruling>,
        /// Why.
        why: String,
    },
    /// Money comes in.
    Pay {
        /// The form.
        no: FormNo,
        /// How much.
        amount: Money,
        /// 收据号.
        receipt: String,
        /// Who paid.
        payer: String,
    },
    /// 报到, or taken back.
    CheckIn {
        /// The form.
        no: FormNo,
        /// Whether they are here.
        here: bool,
    },
    /// An item of the checklist.
    Check {
        /// The form.
        no: FormNo,
        /// The item.
        item: String,
        /// Whether it is done.
        done: bool,
    },
    /// 抽签 among those who are here and not rejected.
    Draw(DrawBy),
    /// Somebody enters after the draw, with the next free number.
    EnterLate {
        /// The form.
        no: FormNo,
        /// The player; `None`: the team.
        member: Option<MemberNo>,
        /// The first round.
        from: RoundNo,
    },
    /// 退赛.
    Withdraw {
        /// Who.
        no: EntrantNo,
        /// The first round not played.
        from: RoundNo,
        /// Why.
        why: String,
    },
    /// A withdrawn entrant comes back; the rounds missed become absences.
    Readmit(EntrantNo),
    /// Absent for one round by arrangement (请假), or taken back.
    Absent {
        /// Who.
        no: EntrantNo,
        /// The round.
        round: RoundNo,
        /// Whether absent.
        absent: bool,
    },
    /// The next round is paired by the computer, not yet published.
    Draft,
    /// One group of the draft is paired by the computer anew; the others stay as they are.
    DraftGroup(GroupNo),
    /// Two change places in the draft; one of them may have the bye.
    Swap {
        /// One.
        a: EntrantNo,
        /// The other.
        b: EntrantNo,
        /// Why.
        why: String,
    },
    /// The two at a table of the draft change colours.
    TurnDraft {
        /// The table.
        table: TableNo,
        /// Why.
        why: String,
    },
    /// The draft is thrown away.
    Discard,
    /// The draft is published; with a reason where a warning asks for one.
    Publish {
        /// Why, in spite of the warnings.
        why: String,
    },
    /// A published round that has not started is taken back and becomes the draft.
    Unpublish {
        /// Why.
        why: String,
    },
    /// Two who are not paired, or the one with the bye and a newcomer, play on a table of their own in the running round.
    AddTable {
        /// Red.
        red: EntrantNo,
        /// Black.
        black: EntrantNo,
    },
    /// The two sat down with colours reversed and played so.
    Turned {
        /// The round.
        round: RoundNo,
        /// The table.
        table: TableNo,
        /// Why.
        why: String,
    },
    /// A result from a slip or a correction, with the fouls on it.
    Result {
        /// The round.
        round: RoundNo,
        /// The table.
        table: TableNo,
        /// How the game ended.
        outcome: Outcome,
        /// Fouls, Red and Black; `None`: as they are known.
        fouls: Option<[u16; 2]>,
        /// Why; a correction has to say it.
        why: String,
        /// Where it is entered.
        #[serde(default)]
        at: EnteredAt,
    },
    /// A line-up is handed in; `None`: taken back.
    LineUp {
        /// The round.
        round: RoundNo,
        /// The team.
        team: EntrantNo,
        /// Who plays where.
        lineup: Option<Lineup>,
        /// Taken in after the deadline, on the arbiter's word.
        late: bool,
    },
    /// Something of the simultaneous exhibition.
    Simul(SimulAct),
    /// The desk's last step is taken back.
    Undo,
}

/// A board of a team match at its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seat {
    /// The table, numbered through the hall.
    pub table: TableNo,
    /// The match, by its number in the pairing.
    pub of: TableNo,
    /// The board of the match.
    pub board: BoardNo,
    /// Who plays for the home team; nobody: the board is forfeited.
    pub home: Option<MemberNo>,
    /// Who plays for the away team.
    pub away: Option<MemberNo>,
}

/// What the desk did. Most facts replace a whole value, so that what was before takes them back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeskFact {
    /// The settings are these.
    Set {
        /// They.
        settings: Box<Settings>,
        /// Why.
        why: String,
    },
    /// Games from now on are played under this.
    Regulated {
        /// It.
        regulation: Box<Regulation>,
        /// Why.
        why: String,
    },
    /// A form with all notes on it is this.
    Filed {
        /// Which.
        no: FormNo,
        /// It; `None`: there is no such form.
        file: Option<Box<File>>,
        /// What was done to it.
        #[serde(deserialize_with = "in_both")]
        did: Words,
    },
    /// Whose the numbers are; none: the draw is undone.
    Numbered(Vec<(EntrantNo, Whom)>),
    /// An entrant of the running event is this: late, withdrawn, back.
    Entrant {
        /// Which.
        no: EntrantNo,
        /// It; `None`: there is no such entrant.
        entrant: Option<Entrant>,
        /// Whose the number is.
        whom: Option<Whom>,
        /// What was done.
        #[serde(deserialize_with = "in_both")]
        did: Words,
    },
    /// Absent in these rounds, or not.
    Absent {
        /// Who.
        no: EntrantNo,
        /// The rounds.
        rounds: Vec<RoundNo>,
        /// Whether absent.
        absent: bool,
    },
    /// The unpublished pairing is this.
    Drafted {
        /// The round.
        round: RoundNo,
        /// The pairs; `None`: there is no draft.
        pairs: Option<Vec<Pair>>,
        /// What was done to it.
        #[serde(deserialize_with = "in_both")]
        did: Words,
    },
    /// A published round is taken back.
    Unpublished {
        /// The round.
        round: RoundNo,
        /// Why.
        why: String,
    },
    /// A table was added to the running round.
    Added {
        /// The round.
        round: RoundNo,
        /// Who plays there.
        pair: Pair,
    },
    /// The two at a table play, or played, with the other colours.
    Turned {
        /// The round.
        round: RoundNo,
        /// The table.
        table: TableNo,
        /// Why.
        why: String,
    },
    /// What a slip says beside the result that follows.
    Noted {
        /// The round.
        round: RoundNo,
        /// The table.
        table: TableNo,
        /// Fouls, Red and Black; `None`: as they are known.
        fouls: Option<[u16; 2]>,
        /// What was changed and why.
        #[serde(deserialize_with = "in_both")]
        did: Words,
        /// Where it was entered; older journals do not say.
        #[serde(default)]
        at: EnteredAt,
    },
    /// A line-up was handed in, or taken back.
    LinedUp {
        /// The round.
        round: RoundNo,
        /// The team.
        team: EntrantNo,
        /// Who plays where.
        lineup: Option<Lineup>,
        /// Whether after the deadline.
        late: bool,
    },
    /// Who sits where in the team matches of a round.
    Seated {
        /// The round.
        round: RoundNo,
        /// Board by board.
        seats: Vec<Seat>,
    },
    /// The simultaneous exhibition is this.
    Simul {
        /// It.
        simul: Box<Simul>,
        /// What was done to it.
        #[serde(deserialize_with = "in_both")]
        did: Words,
    },
    /// The last step was taken back by this.
    Undone(Box<DeskFact>),
}

/// What was done, in both languages; older journals have it in Chinese only.
fn in_both<'de, D: Deserializer<'de>>(from: D) -> Result<Words, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Stored {
        Both(Words),
        Chinese(String),
    }
    Ok(match Stored::deserialize(from)? {
        Stored::Both(words) => words,
        Stored::Chinese(zh) => Words::new(zh.clone(), zh),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_older_journals_have_in_chinese_only_is_read() {
        let old = r#"{"drafted":{"round":2,"pairs":null,"did":"放弃草稿"}}"#;
        let DeskFact::Drafted { did, .. } = serde_json::from_str(old).unwrap() else {
            panic!("another fact")
        };
        assert_eq!((did.zh.as_str(), did.en.as_str()), ("放弃草稿", "放弃草稿"));
        let new = DeskFact::Drafted {
            round: RoundNo(2),
            pairs: None,
            did: Words::new("放弃草稿", "draft discarded"),
        };
        let stored = serde_json::to_string(&new).unwrap();
        assert_eq!(serde_json::from_str::<DeskFact>(&stored).unwrap(), new);
    }
}
