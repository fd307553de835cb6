//! What the organiser sets: the event's paper (titles, organisers, officials, notices) and everything in which two events
//! differ beyond the conduct of a game, which is the regulation's.

use std::collections::BTreeMap;

use super::groups::Group;
use arbitration::TimeControl;
use firmware_proto::Epoch;
use serde::{Deserialize, Serialize};
use tournament::{BoardNo, GroupNo, Ladder, Money, Options, Rounding, Scoring, TeamRules};

/// A name under a heading: an organiser under its role (主办), a contact under its purpose (报名).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Labelled {
    /// The heading.
    pub label: String,
    /// What stands under it.
    pub text: String,
}

/// 规程, 补充通知, 补充细则: what was published, in the order of publication; the later one overrides.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// Its title.
    pub title: String,
    /// Who issued it.
    pub issuer: String,
    /// The date, as it is printed.
    pub date: String,
    /// Its text.
    pub text: String,
}

/// Who is paired and ranked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Played {
    /// 个人赛: players; teams are ranked by their members' sum (regulation A).
    #[default]
    Individually,
    /// 团体赛: teams meet on several boards (regulation B).
    InTeams(TeamRules),
}

/// Fees of entry; `None`: not yet fixed, or none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Fees {
    /// Of a team.
    pub team: Option<Money>,
    /// Of a player who enters alone.
    pub individual: Option<Money>,
    /// Of an association's member who enters alone.
    pub member: Option<Money>,
    /// Whether an entry counts only when it is paid (B: 视作报名成功).
    pub first: bool,
}

/// Rules of eligibility; those that are not set are not checked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Eligibility {
    /// A team has so many players.
    pub team_size: Option<u16>,
    /// 1—4台: no active master, no 象甲 player, save women of the own province.
    pub amateurs: bool,
    /// On fixed boards (5台): a player younger than so many years on the first day, or a woman who is no master.
    pub young_or_woman: Option<u16>,
    /// At least so many players of the own province, each with evidence.
    pub locals: Option<u16>,
    /// At most so many hired from elsewhere.
    pub hired: Option<u16>,
    /// Words that no team's name may hold.
    pub banned_words: Vec<String>,
}

/// Whom a prize is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PrizeFor {
    /// The event's standing: players, or teams in a team event.
    Standing,
    /// Teams by their members' sum, in an individual event.
    TeamTotals,
    /// Players who are members (会员).
    Members,
    /// The best on the free boards (射手王), equals sharing.
    FreeBoards,
    /// The best on the fixed boards, equals sharing.
    FixedBoards,
}

impl PrizeFor {
    /// All, in the order of a list.
    pub const ALL: [PrizeFor; 5] = [
        PrizeFor::Standing,
        PrizeFor::TeamTotals,
        PrizeFor::Members,
        PrizeFor::FreeBoards,
        PrizeFor::FixedBoards,
    ];

    /// The word in the settings' form, by which it is read back.
    #[must_use]
    pub const fn zh(self) -> &'static str {
        match self {
            PrizeFor::Standing => "名次",
            PrizeFor::TeamTotals => "团体",
            PrizeFor::Members => "会员",
            PrizeFor::FreeBoards => "自由台",
            PrizeFor::FixedBoards => "定人台",
        }
    }
}

/// 奖项: one list of prizes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrizeList {
    /// Its name, as on the certificate.
    pub name: String,
    /// Whom it is for.
    pub of: PrizeFor,
    /// Amounts of places 1, 2, 3, …
    pub amounts: Vec<Money>,
    /// How shares are rounded.
    #[serde(default)]
    pub rounding: Rounding,
    /// The group whose standing it goes by; `None`: the event's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<GroupNo>,
}

/// Everything that the organiser sets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Titles, the printed one first.
    pub titles: Vec<String>,
    /// Organisers by role, in the order of print.
    pub organisers: Vec<Labelled>,
    /// Committees and officials by post, in the order of print.
    pub officials: Vec<Labelled>,
    /// Contacts by purpose.
    pub contacts: Vec<Labelled>,
    /// Places by activity.
    pub venues: Vec<Labelled>,
    /// What was published.
    pub documents: Vec<Document>,
    /// Who is paired and ranked.
    pub played: Played,
    /// 组别, each with its system and rounds in the place of those here; none: one field.
    pub groups: Vec<Group>,
    /// How many rounds.
    pub rounds: u16,
    /// When each round starts, as far as known.
    pub starts: Vec<Option<Epoch>>,
    /// How much time there is in a round that differs from the regulation, such as a play-off's.
    pub times: Vec<Option<TimeControl>>,
    /// Local time is so many minutes ahead of UTC.
    pub utc_offset: i16,
    /// When the entries close.
    pub closes: Option<Epoch>,
    /// The first day of play, for ages.
    pub first_day: Option<super::Born>,
    /// Fees.
    pub fees: Fees,
    /// Eligibility.
    pub eligibility: Eligibility,
    /// What is checked at 报到.
    pub checklist: Vec<String>,
    /// What a game is worth.
    pub scoring: Scoring,
    /// The ladder.
    pub ladder: Ladder,
    /// Pairing and ranking in detail.
    pub options: Options,
    /// Line-ups are due so many minutes before the start.
    pub lineup_minutes: u16,
    /// Prizes.
    pub prizes: Vec<PrizeList>,
    /// Special awards: name and winner.
    pub awards: Vec<Labelled>,
    /// Whether each person may have one prize only; the best counts.
    pub one_prize: bool,
    /// Whether a house player can win prizes.
    pub house_wins: bool,
    /// Boards there are; `None`: not said.
    pub boards: Option<u16>,
    /// Seats there are.
    pub seats: Option<u16>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            titles: Vec::new(),
            organisers: Vec::new(),
            officials: Vec::new(),
            contacts: Vec::new(),
            venues: Vec::new(),
            documents: Vec::new(),
            played: Played::default(),
            groups: Vec::new(),
            rounds: 7,
            starts: Vec::new(),
            times: Vec::new(),
            utc_offset: 480,
            closes: None,
            first_day: None,
            fees: Fees::default(),
            eligibility: Eligibility::default(),
            checklist: Vec::new(),
            scoring: Scoring::default(),
            ladder: Ladder::default(),
            options: Options::default(),
            lineup_minutes: 10,
            prizes: Vec::new(),
            awards: Vec::new(),
            one_prize: false,
            house_wins: false,
            boards: None,
            seats: None,
        }
    }
}

impl Settings {
    /// As the preset of that regulation has it: `b` is played in teams of five.
    #[must_use]
    pub fn preset(regulation: &str) -> Settings {
        match regulation {
            "b" | "B" => Settings {
                played: Played::InTeams(TeamRules::regulation_b()),
                rounds: 7,
                ladder: Ladder::regulation_b(),
                fees: Fees { team: Some(Money::yuan(1_000)), first: true, ..Fees::default() },
                eligibility: Eligibility {
                    team_size: Some(5),
                    amateurs: true,
                    young_or_woman: Some(18),
                    locals: Some(4),
                    hired: Some(1),
                    banned_words: Vec::new(),
                },
                prizes: vec![
                    prizes(
                        "团体名次",
                        PrizeFor::Standing,
                        &[
                            15_000, 10_000, 8_000, 6_000, 4_000, 3_000, 2_000, 1_500, 1_000, 1_000, 1_000,
                            1_000,
                        ],
                    ),
                    prizes("射手王(1—4台)", PrizeFor::FreeBoards, &[600]),
                    prizes("5台最佳", PrizeFor::FixedBoards, &[500]),
                    prizes(
                        "协会会员",
                        PrizeFor::Members,
                        &[500, 400, 400, 300, 300, 300, 200, 200, 200, 200],
                    ),
                ],
                ..Settings::default()
            },
            _ => Settings {
                rounds: 11,
                fees: Fees {
                    team: Some(Money::yuan(300)),
                    individual: Some(Money::yuan(50)),
                    ..Fees::default()
                },
                eligibility: Eligibility { team_size: Some(3), ..Eligibility::default() },
                boards: Some(30),
                seats: Some(90),
                ..Settings::default()
            },
        }
    }

    /// The rules of team matches, in a team event.
    #[must_use]
    pub fn team_rules(&self) -> Option<&TeamRules> {
        match &self.played {
            Played::InTeams(rules) => Some(rules),
            Played::Individually => None,
        }
    }

    /// Whether a board belongs to the member registered for it (定人).
    #[must_use]
    pub fn is_fixed(&self, board: BoardNo) -> bool {
        self.team_rules().is_some_and(|rules| rules.fixed.contains(&board))
    }

    /// When a round starts, if that is known.
    #[must_use]
    pub fn start_of(&self, round: tournament::RoundNo) -> Option<Epoch> {
        self.starts.get(usize::from(round.0).checked_sub(1)?).copied().flatten()
    }

    /// Who holds several posts, and which: to be known, not forbidden. Titles in brackets are left out.
    #[must_use]
    pub fn several_posts(&self) -> BTreeMap<&str, Vec<&str>> {
        let mut posts: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for official in &self.officials {
            for person in official.text.split(['、', '，', ',', ' ', '　']) {
                let name = person.split(['(', '（']).next().unwrap_or_default().trim();
                if !name.is_empty() {
                    posts.entry(name).or_default().push(&official.label);
                }
            }
        }
        posts.retain(|_, held| held.len() > 1);
        posts
    }

    /// How much time there is in a round, if it differs from the regulation.
    #[must_use]
    pub fn time_of(&self, round: tournament::RoundNo) -> Option<TimeControl> {
        self.times.get(usize::from(round.0).checked_sub(1)?).copied().flatten()
    }

    /// When line-ups of a round are due.
    #[must_use]
    pub fn lineups_due(&self, round: tournament::RoundNo) -> Option<Epoch> {
        self.start_of(round).map(|start| start.plus(-i64::from(self.lineup_minutes) * 60_000))
    }
}

fn prizes(name: &str, of: PrizeFor, yuan: &[u64]) -> PrizeList {
    let amounts = yuan.iter().copied().map(Money::yuan).collect();
    PrizeList { name: name.into(), of, amounts, rounding: Rounding::Fen, group: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_holds_several_posts_is_named_with_them() {
        let post = |label: &str, text: &str| Labelled { label: label.into(), text: text.into() };
        let officials =
            vec![post("裁判长", "甲(国家级)"), post("裁判员", "乙（一级）、丙"), post("仲裁委员", "丙 丁")];
        let settings = Settings { officials, ..Settings::default() };
        let several: Vec<(&str, Vec<&str>)> = settings.several_posts().into_iter().collect();
        assert_eq!(several, [("丙", vec!["裁判员", "仲裁委员"])]);
    }
}
