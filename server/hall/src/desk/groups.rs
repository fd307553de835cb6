//! 组别 at the desk: whom a group is for, which group a form asks for, and the desk as one group sees it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tournament::{Event, GroupNo, Options, RoundNo, standings};

use super::roster::{Born, Player, Sex};
use super::settings::{Played, PrizeFor, PrizeList, Settings};
use super::view::{DeskRound, DeskView};
use super::{Desk, Posting, Whom};

/// A group, and whom it is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Its name, system, rounds and tables.
    pub field: tournament::Group,
    /// 限女子.
    #[serde(default)]
    pub women: bool,
    /// Born on that day or later (少年组).
    #[serde(default)]
    pub born_from: Option<Born>,
    /// Born on that day or earlier (老年组).
    #[serde(default)]
    pub born_until: Option<Born>,
}

impl Group {
    /// Why a player cannot be in it, in Chinese and English; `None`: nothing is known against it.
    pub(super) fn bars(&self, player: &Player) -> Option<(&'static str, &'static str)> {
        if self.women && player.sex != Some(Sex::Female) {
            return Some(match player.sex {
                None => ("性别未填", "sex missing"),
                Some(Sex::Male | Sex::Female) => ("限女子", "for women"),
            });
        }
        if self.born_from.is_none() && self.born_until.is_none() {
            return None;
        }
        let Some(born) = player.born else { return Some(("出生日期未填", "birth date missing")) };
        let (earliest, latest) = span(born);
        if self.born_from.is_some_and(|from| latest < span(from).0) {
            Some(("年龄超过", "too old"))
        } else if self.born_until.is_some_and(|until| earliest > span(until).1) {
            Some(("年龄不到", "too young"))
        } else if self.born_from.is_some_and(|from| earliest < span(from).0)
            || self.born_until.is_some_and(|until| latest > span(until).1)
        {
            Some(("出生月日未填", "month and day of birth missing"))
        } else {
            None
        }
    }
}

/// The first and the last day that a date can mean whose month or day is unknown.
fn span(born: Born) -> (Born, Born) {
    let or = |known: u8, other: u8| if known == 0 { other } else { known };
    let day = |month, day| Born { year: born.year, month: or(born.month, month), day: or(born.day, day) };
    (day(1, 1), day(12, 31))
}

impl Settings {
    /// The group with this number; `None` where there are no groups.
    #[must_use]
    pub fn group(&self, no: GroupNo) -> Option<&Group> {
        self.groups.get(usize::from(no.0).checked_sub(1)?)
    }

    /// The group that a player asks for: group 1 where there are none; `None` where it is not among them.
    #[must_use]
    pub fn group_asked(&self, player: &Player) -> Option<GroupNo> {
        if self.groups.is_empty() {
            return Some(GroupNo::default());
        }
        let at = self.groups.iter().position(|group| group.field.name == player.group.trim())?;
        Some(GroupNo(at as u16 + 1))
    }

    /// As an event that is that group alone has them; `None` where there are no groups.
    fn of_group(&self, no: GroupNo) -> Option<Settings> {
        let group = self.group(no)?;
        let ours = |list: &&PrizeList| list.group == Some(no);
        Some(Settings {
            rounds: group.field.rounds,
            options: Options { system: group.field.system, ..self.options.clone() },
            prizes: self
                .prizes
                .iter()
                .filter(ours)
                .map(|list| PrizeList { group: None, ..list.clone() })
                .collect(),
            groups: Vec::new(),
            ..self.clone()
        })
    }

    /// What cannot be in these settings, of groups.
    pub(super) fn groups_at_odds(&self) -> Option<(&'static str, &'static str)> {
        let by_group = |list: &PrizeList| match list.of {
            PrizeFor::Standing | PrizeFor::Members => true,
            PrizeFor::TeamTotals | PrizeFor::FreeBoards | PrizeFor::FixedBoards => false,
        };
        let missing = |list: &PrizeList| list.group.is_none() && by_group(list);
        let unknown = |list: &PrizeList| list.group.is_some_and(|no| self.group(no).is_none());
        if self.prizes.iter().any(unknown) {
            return Some(("奖项写了没有的组别", "a prize is for a group that is not there"));
        }
        if self.groups.is_empty() {
            return None;
        }
        if matches!(self.played, Played::InTeams(_)) {
            return Some((
                "团体赛不能分组：每组另开一个赛事",
                "a team event has no groups: run an event for each",
            ));
        }
        self.prizes.iter().any(missing).then_some((
            "分组赛的名次奖、会员奖须写明组别，如 女子组名次：女子组：300 200",
            "with groups a prize for the standing or for members names its group, such as 女子组名次：女子组：300 200",
        ))
    }
}

impl Desk {
    /// The group of whoever asks for a number.
    pub(crate) fn group_asked(&self, whom: Whom) -> Option<GroupNo> {
        match whom.member {
            Some(member) => self.settings.group_asked(self.files.get(&whom.form)?.form.player(member)?),
            None => Some(GroupNo::default()),
        }
    }

    /// Forms follow when groups are renamed.
    pub(super) fn regroup(&mut self, settings: &Settings) {
        let names =
            |groups: &[Group]| groups.iter().map(|group| group.field.name.clone()).collect::<Vec<_>>();
        let (before, after) = (names(&self.settings.groups), names(&settings.groups));
        if before.len() != after.len() {
            return;
        }
        for (old, new) in before.iter().zip(&after) {
            // Two names that change places are two groups that do.
            if after.contains(old) || before.contains(new) {
                continue;
            }
            let players = self.files.values_mut().flat_map(|file| &mut file.form.players);
            for player in players.filter(|player| player.group.trim() == old) {
                player.group.clone_from(new);
            }
        }
    }
}

/// Whether two events stand the same after a round, in every group.
pub(super) fn same_standing(a: &Event, b: &Event, after: RoundNo) -> bool {
    let of = |event: &Event| -> Vec<_> {
        event.by_group().map(|(_, part)| standings(&part, after.min(part.rounds()))).collect()
    };
    of(a) == of(b)
}

impl DeskView {
    /// The groups by number and name; none where there are no groups.
    pub fn groups(&self) -> impl Iterator<Item = (GroupNo, &str)> {
        (1..).map(GroupNo).zip(self.settings.groups.iter().map(|group| group.field.name.as_str()))
    }

    /// The group of an entrant.
    #[must_use]
    pub fn group_of(&self, no: tournament::EntrantNo) -> Option<GroupNo> {
        self.event.as_ref()?.group_of(no)
    }

    /// The name of an entrant's group; empty where there are no groups.
    #[must_use]
    pub fn group_name(&self, no: tournament::EntrantNo) -> &str {
        let group = self.group_of(no).and_then(|no| self.settings.group(no));
        group.map_or("", |group| group.field.name.as_str())
    }

    /// The desk as one group sees it, which is an event of its own there: its numbers, its tables, its standings, its prizes.
    /// Where there are no groups, the desk as it is.
    #[must_use]
    pub fn of_group(&self, no: GroupNo) -> DeskView {
        let Some(settings) = self.settings.of_group(no) else { return self.clone() };
        let ours = |who: tournament::EntrantNo| self.group_of(who) == Some(no);
        let part = |event: &Event| Arc::new(event.of_group(no).into_owned());
        let narrowed = |round: &DeskRound| DeskRound {
            pairs: round.pairs.iter().filter(|pair| ours(pair.red)).cloned().collect(),
            boards: round.boards.iter().filter(|board| ours(board.red)).cloned().collect(),
            ..round.clone()
        };
        let mut rounds: Vec<DeskRound> = self.rounds.iter().map(narrowed).collect();
        // Others may play on.
        while rounds.last().is_some_and(|round| round.pairs.is_empty()) {
            rounds.pop();
        }
        let last = rounds.last().map_or(RoundNo(0), |round| round.no);
        let mut postings = std::collections::BTreeMap::new();
        for (after, versions) in self.postings.range(..=last) {
            let mut of_group: Vec<Posting> = Vec::new();
            for posting in versions {
                let event = part(&posting.event);
                let same = of_group.last().is_some_and(|last| super::is_posted(&last.event, &event, *after));
                if !same {
                    of_group.push(Posting { version: of_group.len() as u16 + 1, at: posting.at, event });
                }
            }
            postings.insert(*after, of_group);
        }
        let title =
            format!("{} {}", self.title, self.settings.group(no).map_or("", |it| it.field.name.as_str()));
        let is_ours = |warning: &&tournament::Warning| warning.entrants().into_iter().any(ours);
        DeskView {
            title,
            settings: Arc::new(settings),
            whose: self.whose.iter().filter(|(who, _)| ours(**who)).map(|(no, whom)| (*no, *whom)).collect(),
            present: self.present.iter().filter(|whom| self.asks_for(**whom) == Some(no)).copied().collect(),
            event: self.event.as_deref().map(part),
            draft: self.draft.as_ref().map(|(round, pairs)| {
                (*round, pairs.iter().filter(|pair| ours(pair.red)).cloned().collect())
            }),
            warnings: self.warnings.iter().filter(is_ours).cloned().collect(),
            rounds,
            postings,
            ..self.clone()
        }
    }

    /// The group that somebody without a number asks for; `None` where it is not among them.
    #[must_use]
    pub fn asks_for(&self, whom: Whom) -> Option<GroupNo> {
        match whom.member {
            Some(member) => self.settings.group_asked(self.file(whom.form)?.form.player(member)?),
            None => Some(GroupNo::default()),
        }
    }
}
