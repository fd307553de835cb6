//! Why the desk's act was refused, in words.

use std::fmt;

use arbitration::Words;
use tournament::{EntrantNo, LineupError, RoundNo, TableNo};

use super::roster::FormNo;

/// Why the desk's act was refused. Nothing has changed then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeskRefusal {
    /// The event was not opened.
    NotOpen,
    /// There is no such form.
    NoForm(FormNo),
    /// A form without a player, or a player without a name.
    Nameless,
    /// The entries are closed, and nobody said to let this one in.
    Closed,
    /// The form has been drawn: players can be corrected, not added, removed or struck.
    Drawn(FormNo),
    /// A reason is missing.
    NoReason,
    /// The numbers are drawn.
    DrawnAlready,
    /// The numbers are not drawn.
    NotDrawn,
    /// Nobody to draw.
    Nobody,
    /// Players whose group is missing or not among the event's.
    NoGroup(Vec<String>),
    /// Numbers drawn by hand that are not 1 to N, each once, for everybody here: what is wrong.
    Numbers(Words),
    /// The number is nobody's.
    NoEntrant(EntrantNo),
    /// The member has a number already.
    HasNumber(EntrantNo),
    /// No such member, or a member where the team is meant.
    NoMember,
    /// The round before is not over.
    NotOver(RoundNo),
    /// Two sources gave a table different results, and nobody has decided.
    Conflict,
    /// There is no draft.
    NoDraft,
    /// The draft cannot be published: what it says.
    Unpublishable(Words),
    /// The draft needs a reason to be published: what it says.
    NeedsReason(Words),
    /// The round has started.
    Started(RoundNo),
    /// There is no such round, or it is not the running one.
    NoRound(RoundNo),
    /// There is no such table in that round.
    NoTable(RoundNo, TableNo),
    /// Paired in this round already.
    Paired(EntrantNo),
    /// Only in a team event.
    NoTeams,
    /// Only in an individual event.
    TeamsOnly,
    /// The line-up cannot stand.
    Lineup(LineupError),
    /// The deadline has passed.
    LineupLate,
    /// Rounds that were played cannot be dropped, or this cannot be changed any more.
    Fixed(&'static str, &'static str),
    /// Nothing to take back.
    NothingToUndo,
}

impl DeskRefusal {
    /// In Chinese and English.
    #[must_use]
    pub fn words(&self) -> Words {
        let (zh, en): (String, String) = match self {
            DeskRefusal::NotOpen => ("赛事尚未建立".into(), "the event is not open".into()),
            DeskRefusal::NoForm(no) => (format!("没有第{no}号报名表"), format!("there is no form {no}")),
            DeskRefusal::Nameless => (
                "报名表须有队员，队员须有姓名".into(),
                "a form needs players, and every player a name".into(),
            ),
            DeskRefusal::Closed => (
                "报名已截止；由主办方确认后可作为补报收下".into(),
                "entries are closed; the organiser can let it in as a late entry".into(),
            ),
            DeskRefusal::Drawn(no) => (
                format!("第{no}号报名表已抽签：可改资料，不可增减队员或撤销；请用退赛或补报"),
                format!(
                    "form {no} has been drawn: correct it, but withdraw or enter late instead of adding or removing players"
                ),
            ),
            DeskRefusal::NoReason => ("须写明理由".into(), "a reason is needed".into()),
            DeskRefusal::DrawnAlready => ("已抽签".into(), "the numbers are drawn already".into()),
            DeskRefusal::NotDrawn => ("尚未抽签".into(), "the numbers are not drawn".into()),
            DeskRefusal::Nobody => (
                "没有已报到且未退回的报名".into(),
                "nobody has checked in whose form was not sent back".into(),
            ),
            DeskRefusal::NoGroup(who) => (
                format!("组别未填或不在规程所列之中：{}；在报名表里填好再来", who.join("、")),
                format!(
                    "no group, or none of the event's: {}; fill it in on the entry form first",
                    who.join(", ")
                ),
            ),
            DeskRefusal::Numbers(what) => {
                (format!("抽签号有误：{}", what.zh), format!("the numbers are wrong: {}", what.en))
            }
            DeskRefusal::NoEntrant(no) => (format!("没有{no}号"), format!("there is no number {no}")),
            DeskRefusal::HasNumber(no) => (format!("已是{no}号"), format!("already has number {no}")),
            DeskRefusal::NoMember => ("报名表中没有此人".into(), "the form has no such player".into()),
            DeskRefusal::NotOver(round) => {
                (format!("第{round}轮尚未结束"), format!("round {round} is not over"))
            }
            DeskRefusal::Conflict => (
                "有台次成绩互相矛盾，须先由裁判裁定".into(),
                "a table has two different results: an arbiter decides first".into(),
            ),
            DeskRefusal::NoDraft => ("没有未公布的对阵".into(), "there is no unpublished pairing".into()),
            DeskRefusal::Unpublishable(what) => {
                (format!("不能公布：{}", what.zh), format!("cannot be published: {}", what.en))
            }
            DeskRefusal::NeedsReason(what) => (
                format!("公布须写明理由：{}", what.zh),
                format!("a reason is needed to publish this: {}", what.en),
            ),
            DeskRefusal::Started(round) => {
                (format!("第{round}轮已开赛"), format!("round {round} has started"))
            }
            DeskRefusal::NoRound(round) => {
                (format!("没有进行中的第{round}轮"), format!("round {round} is not there"))
            }
            DeskRefusal::NoTable(round, table) => (
                format!("第{round}轮没有{table}台，或尚未开赛"),
                format!("round {round} has no table {table}, or has not started"),
            ),
            DeskRefusal::Paired(no) => (format!("{no}号本轮已编入"), format!("{no} is paired in this round")),
            DeskRefusal::NoTeams => ("只用于团体赛".into(), "in a team event only".into()),
            DeskRefusal::TeamsOnly => ("只用于个人赛".into(), "in an individual event only".into()),
            DeskRefusal::Lineup(why) => {
                (format!("出场名单有误：{}", why.words().zh), format!("the line-up is wrong: {why}"))
            }
            DeskRefusal::LineupLate => (
                "已过交名单时限，用上一轮名单；裁判长同意后可补交".into(),
                "the deadline has passed: the last order is used, unless the chief arbiter lets it in".into(),
            ),
            DeskRefusal::Fixed(zh, en) => ((*zh).into(), (*en).into()),
            DeskRefusal::NothingToUndo => ("没有可撤销的操作".into(), "there is nothing to take back".into()),
        };
        Words::new(zh, en)
    }
}

impl fmt::Display for DeskRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words().en)
    }
}

impl std::error::Error for DeskRefusal {}
