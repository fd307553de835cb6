//! What makes an event file make no sense, and how that is said: the place in the file, what is wrong, what would be right.

use core::fmt;

use crate::check::MOST_ROUNDS;
use crate::{EntrantNo, GroupNo, LadderKey, Points, RoundNo, TableNo, Words};

/// Why these are not the data of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventError {
    /// The place: a field such as `results[3].black`, or `line 4, column 7`.
    pub at: String,
    /// What is wrong there.
    pub problem: EventProblem,
}

/// What can be wrong with an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventProblem {
    /// Not JSON, or not these fields.
    NotAnEventFile(String),
    /// Too few or too many rounds.
    Rounds(u16),
    /// A draw not between a win and a loss, or a bye worth more than a win.
    Scoring,
    /// An empty ladder.
    NoLadder,
    /// A rung twice.
    LadderKeyTwice(LadderKey),
    /// Nothing before `previous_round`.
    NothingBefore,
    /// Numbers start at 1.
    NumberZero,
    /// Two entrants with one number.
    NumberTaken(EntrantNo),
    /// An entrant without a name.
    NoName(EntrantNo),
    /// A late entry after the last round.
    EntersOutside {
        /// The entrant.
        no: EntrantNo,
        /// The number of rounds.
        rounds: RoundNo,
    },
    /// A late entry where the system has no place for one.
    EntersLate(EntrantNo),
    /// A withdrawal from round 0.
    WithdrawsFromZero(EntrantNo),
    /// A group without a name.
    GroupWithoutName,
    /// Two groups of one name.
    GroupNameTwice,
    /// A table numbered 0.
    TableZero,
    /// A group that the event does not have.
    NoGroup(GroupNo),
    /// Two tables for one entrant, or two entrants at one table.
    FixedTwice(EntrantNo, TableNo),
    /// A game between two groups.
    OtherGroup(EntrantNo, EntrantNo),
    /// Not in the list of entrants.
    UnknownEntrant(EntrantNo),
    /// A round outside the event.
    RoundOutside {
        /// The round given.
        round: RoundNo,
        /// The number of rounds.
        rounds: RoundNo,
    },
    /// An entrant against itself.
    Itself(EntrantNo),
    /// A kind of result that needs an opponent.
    NeedsOpponent,
    /// A bye or an absence with an opponent.
    HasOpponent,
    /// A game without a table.
    NoTable,
    /// Two results at one table of a round.
    TableTaken {
        /// The round.
        round: RoundNo,
        /// The table.
        table: TableNo,
    },
    /// Two results of one entrant in a round.
    SecondResult {
        /// The round.
        round: RoundNo,
        /// The entrant.
        no: EntrantNo,
    },
    /// A score that this kind of result cannot have.
    Score {
        /// Red's points.
        red: Points,
        /// Black's points.
        black: Points,
        /// The scores that fit.
        allowed: Vec<[Points; 2]>,
    },
    /// Board points that do not give this match score.
    Boards,
}

impl EventError {
    pub(crate) fn new(at: impl Into<String>, problem: EventProblem) -> EventError {
        EventError { at: at.into(), problem }
    }

    pub(crate) fn unknown(at: impl Into<String>, no: EntrantNo) -> EventError {
        EventError::new(at, EventProblem::UnknownEntrant(no))
    }

    pub(crate) fn from_json(error: serde_json::Error) -> EventError {
        let at = format!("line {}, column {}", error.line(), error.column());
        let text = error.to_string();
        let place = format!(" at line {} column {}", error.line(), error.column());
        EventError::new(at, EventProblem::NotAnEventFile(text.replace(&place, "")))
    }

    /// In Chinese and English.
    #[must_use]
    pub fn words(&self) -> Words {
        let Words { zh, en } = self.problem.words();
        Words::new(format!("{zh}（{}）", self.at), format!("{}: {en}", self.at))
    }
}

impl EventProblem {
    /// In Chinese and English.
    #[must_use]
    pub fn words(&self) -> Words {
        match self {
            EventProblem::NotAnEventFile(what) => Words::new(format!("不是赛事文件：{what}"), what.clone()),
            EventProblem::Rounds(rounds) => Words::new(
                format!("{rounds}轮；赛事可有1至{MOST_ROUNDS}轮"),
                format!("{rounds} rounds; an event has 1 to {MOST_ROUNDS}"),
            ),
            EventProblem::Scoring => Words::new(
                "胜局得分须多于和局，和局须多于负局，轮空不得多于胜局",
                "a win must be worth more than a draw, a draw more than a loss, and a bye no more than a win",
            ),
            EventProblem::NoLadder => Words::new("名次依据至少要有一项", "the ladder needs at least one key"),
            EventProblem::LadderKeyTwice(key) => Words::new(
                format!("名次依据中“{}”列了两次", key.heading().zh),
                format!("{key} stands twice in the ladder"),
            ),
            EventProblem::NothingBefore => Words::new(
                "“前一轮成绩”比较它前面的各项，而前面没有",
                "previous_round compares the keys before it; there are none",
            ),
            EventProblem::NumberZero => Words::new("抽签号从1起", "entrants are numbered from 1"),
            EventProblem::NumberTaken(no) => {
                Words::new(format!("{no}号已有人"), format!("number {no} is already taken"))
            }
            EventProblem::NoName(no) => {
                Words::new(format!("{no}号没有姓名"), format!("entrant {no} has no name"))
            }
            EventProblem::EntersOutside { no, rounds } => Words::new(
                format!("{no}号的首轮超出全部{rounds}轮"),
                format!("entrant {no} would enter outside the event's {rounds} rounds"),
            ),
            EventProblem::EntersLate(no) => Words::new(
                format!("{no}号不能中途参赛：循环赛和淘汰赛没有空位"),
                format!(
                    "entrant {no} would enter late: a round robin's table and a bracket have no place for it"
                ),
            ),
            EventProblem::WithdrawsFromZero(no) => Words::new(
                format!("{no}号退赛的轮次须从1起"),
                format!("entrant {no} withdraws from a round numbered from 1"),
            ),
            EventProblem::GroupWithoutName => Words::new("组别须有名称", "a group needs a name"),
            EventProblem::GroupNameTwice => Words::new("两个组别同名", "two groups of one name"),
            EventProblem::TableZero => Words::new("台号从1起", "tables are numbered from 1"),
            EventProblem::NoGroup(no) => {
                Words::new(format!("没有第{no}组"), format!("there is no group {no}"))
            }
            EventProblem::FixedTwice(no, table) => Words::new(
                format!("{no}号或{table}台固定了两次"),
                format!("entrant {no} or table {table} is fixed twice"),
            ),
            EventProblem::OtherGroup(one, other) => Words::new(
                format!("{one}号和{other}号不在同一组"),
                format!("entrants {one} and {other} are in different groups"),
            ),
            EventProblem::UnknownEntrant(no) => {
                Words::new(format!("没有{no}号"), format!("entrant {no} is not in the list of entrants"))
            }
            EventProblem::RoundOutside { round, rounds } => Words::new(
                format!("全部{rounds}轮，没有第{round}轮"),
                format!("round {round} is outside the event's {rounds} rounds"),
            ),
            EventProblem::Itself(no) => Words::new(
                format!("{no}号不能与自己对局"),
                format!("entrant {no} cannot be paired with itself"),
            ),
            EventProblem::NeedsOpponent => {
                Words::new("这类成绩须有对手", "this kind of result needs an opponent")
            }
            EventProblem::HasOpponent => {
                Words::new("轮空或缺席没有对手", "a bye or an absence has no opponent: null")
            }
            EventProblem::NoTable => {
                Words::new("对局须有台号，从1起", "a game needs its table, numbered from 1")
            }
            EventProblem::TableTaken { round, table } => Words::new(
                format!("第{round}轮{table}台已有成绩"),
                format!("table {table} already has a result in round {round}"),
            ),
            EventProblem::SecondResult { round, no } => Words::new(
                format!("{no}号第{round}轮已有成绩"),
                format!("entrant {no} already has a result in round {round}"),
            ),
            EventProblem::Score { red, black, allowed } => {
                let all: Vec<_> = allowed.iter().map(|[red, black]| format!("[{red},{black}]")).collect();
                let (last, others) =
                    all.split_last().map_or(("", &[][..]), |(last, others)| (last.as_str(), others));
                let en = if others.is_empty() {
                    last.to_owned()
                } else {
                    format!("{} or {last}", others.join(", "))
                };
                Words::new(
                    format!("比分[{red},{black}]不符；可记{}", all.join("、")),
                    format!("the score [{red},{black}] does not fit; allowed: {en}"),
                )
            }
            EventProblem::Boards => Words::new(
                "局分较少的一方不能判胜本场",
                "the side with fewer board points cannot win the match",
            ),
        }
    }
}

impl fmt::Display for EventError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words().en)
    }
}

impl core::error::Error for EventError {}
