//! Classes and judgements in words that an arbiter can read out, Chinese and
//! English, with the clauses of the Chinese book of 2020.

use super::class::{Chase, Class, Classified, Man, Prey, Reason};
use super::judgement::{Conduct, Judgement, Kind, Verdict};
use crate::{Role, Side};

impl Class {
    /// The term of art: 将 杀 捉 兑 献 拦 跟 闲.
    #[must_use]
    pub const fn zh(self) -> &'static str {
        match self {
            Class::Check => "将",
            Class::MateThreat => "杀",
            Class::Chase(_) => "捉",
            Class::Exchange => "兑",
            Class::Offer => "献",
            Class::Block => "拦",
            Class::Follow => "跟",
            Class::Idle => "闲",
        }
    }

    /// In English.
    #[must_use]
    pub const fn en(self) -> &'static str {
        match self {
            Class::Check => "check",
            Class::MateThreat => "threat of mate",
            Class::Chase(_) => "chase",
            Class::Exchange => "exchange offer",
            Class::Offer => "sacrifice offer",
            Class::Block => "block",
            Class::Follow => "follow",
            Class::Idle => "idle",
        }
    }
}

impl Prey {
    /// The term of art.
    #[must_use]
    pub const fn zh(self) -> &'static str {
        match self {
            Prey::Chariot => "车",
            Prey::Unprotected => "无根子",
            Prey::Underprotected => "少根子",
            Prey::Joint => "联合捉子",
        }
    }

    /// In English.
    #[must_use]
    pub const fn en(self) -> &'static str {
        match self {
            Prey::Chariot => "a chariot",
            Prey::Unprotected => "an unprotected piece",
            Prey::Underprotected => "an underprotected piece",
            Prey::Joint => "a piece jointly with others",
        }
    }
}

const fn side_zh(side: Side) -> &'static str {
    match side {
        Side::Red => "红方",
        Side::Black => "黑方",
    }
}

const fn side_en(side: Side) -> &'static str {
    match side {
        Side::Red => "Red",
        Side::Black => "Black",
    }
}

fn man_zh(man: &Man) -> String {
    let name = match (man.piece.role, man.piece.side) {
        (Role::King, Side::Red) => '帅',
        (Role::King, Side::Black) => '将',
        (Role::Advisor, Side::Red) => '仕',
        (Role::Advisor, Side::Black) => '士',
        (Role::Elephant, Side::Red) => '相',
        (Role::Elephant, Side::Black) => '象',
        (Role::Horse, _) => '马',
        (Role::Chariot, _) => '车',
        (Role::Cannon, _) => '炮',
        (Role::Soldier, Side::Red) => '兵',
        (Role::Soldier, Side::Black) => '卒',
    };
    format!("{}{name}({})", man.piece.side.hanzi(), man.at)
}

fn man_en(man: &Man) -> String {
    format!("{} {} on {}", side_en(man.piece.side), man.piece.role.en(), man.at)
}

impl Chase {
    fn zh(&self) -> String {
        let how = if self.by_exchange { "交换得子" } else { self.kind.zh() };
        format!("{}捉{}, {how}", man_zh(&self.hunter), man_zh(&self.prey))
    }

    fn en(&self) -> String {
        let how = if self.by_exchange { ", by a complete exchange" } else { "" };
        format!("the {} chases the {} ({}{how})", man_en(&self.hunter), man_en(&self.prey), self.kind.en())
    }
}

fn join<T>(items: &[T], separator: &str, say: impl Fn(&T) -> String) -> String {
    items.iter().map(say).collect::<Vec<_>>().join(separator)
}

impl Classified {
    /// The class and its reason, in Chinese.
    #[must_use]
    pub fn why_zh(&self) -> String {
        let reason = match &self.reason {
            Reason::GivesCheck(by) => format!("{}照将 (24.1)", join(by, "、", man_zh)),
            Reason::ThreatensMate => "下一着要连将成杀 (24.2)".to_owned(),
            Reason::Chases(chases) => format!("{} (24.3)", join(chases, "; ", Chase::zh)),
            Reason::WinsByChecks(first) => format!("下一着{first}起照将得子 (24.3)"),
            Reason::OffersExchange(own, other) => format!("{}邀兑{} (24.4)", man_zh(own), man_zh(other)),
            Reason::GeneralEvades => "将帅避将, 不论捉子与否 (26.1.3)".to_owned(),
            Reason::HoldsDraw(chases) => {
                format!("占守和要点, 附带{} (26.2)", join(chases, "; ", Chase::zh))
            }
            Reason::NothingNew => "走子后没有产生新的将、杀、捉 (24.8)".to_owned(),
            Reason::Ruled => "裁判改判".to_owned(),
        };
        format!("{}: {reason}", self.class.zh())
    }

    /// The class and its reason, in English.
    #[must_use]
    pub fn why_en(&self) -> String {
        let reason = match &self.reason {
            Reason::GivesCheck(by) => format!("given by the {} (24.1)", join(by, " and the ", man_en)),
            Reason::ThreatensMate => "mate by checks comes next (24.2)".to_owned(),
            Reason::Chases(chases) => format!("{} (24.3)", join(chases, "; ", Chase::en)),
            Reason::WinsByChecks(first) => format!("checks beginning with {first} win material (24.3)"),
            Reason::OffersExchange(own, other) => {
                format!("the {} offers itself to the {} (24.4)", man_en(own), man_en(other))
            }
            Reason::GeneralEvades => "the general leaves a check, whatever it threatens (26.1.3)".to_owned(),
            Reason::HoldsDraw(chases) => {
                format!("it holds the draw; incidentally {} (26.2)", join(chases, "; ", Chase::en))
            }
            Reason::NothingNew => "no new check, threat of mate or chase (24.8)".to_owned(),
            Reason::Ruled => "ruled so by the arbiter".to_owned(),
        };
        format!("{}: {reason}", self.class.en())
    }
}

impl Judgement {
    fn of(&self, side: Side) -> impl Iterator<Item = &Classified> {
        self.classes.iter().filter(move |ply| ply.man.piece.side == side)
    }

    /// 长将, 长捉车, 一将一捉 …
    fn habit_zh(&self, side: Side) -> String {
        let mut kinds: Vec<&str> = self.of(side).map(|ply| ply.class.zh()).collect();
        kinds.dedup();
        let mut distinct = kinds.clone();
        distinct.sort_unstable();
        distinct.dedup();
        match distinct.as_slice() {
            ["捉"] => {
                let mut preys: Vec<&str> = self
                    .of(side)
                    .filter_map(|ply| match ply.class {
                        Class::Chase(Prey::Joint) => Some("联合捉子"),
                        Class::Chase(prey) => Some(prey.zh()),
                        Class::Check
                        | Class::MateThreat
                        | Class::Exchange
                        | Class::Offer
                        | Class::Block
                        | Class::Follow
                        | Class::Idle => None,
                    })
                    .collect();
                preys.sort_unstable();
                preys.dedup();
                format!("长捉{}", preys.join("、")).replace("长捉联合捉子", "长联合捉子")
            }
            [one] => format!("长{one}"),
            [_, _] if kinds.len() >= 2 => format!("一{}一{}", kinds[0], kinds[1]),
            _ => distinct.join("、") + "交替",
        }
    }

    fn conduct_zh(&self, side: Side) -> String {
        let status = match self.conduct[side] {
            Conduct::Allowed if self.rules.set.is_chinese() => {
                return format!("{}有闲着, 属允许着法 (24.14)", side_zh(side));
            }
            Conduct::Allowed => "不构成长将长捉",
            Conduct::Light => "属禁止着法 (24.13), 为联合捉子或捉少根子",
            Conduct::Heavy => "属禁止着法 (24.13)",
            Conduct::Chase => "长捉一子",
            Conduct::ChasePinnedChariot => "长捉为马所牵之车",
            Conduct::PerpetualCheck => "单方步步将军",
        };
        format!("{}{}, {status}", side_zh(side), self.habit_zh(side))
    }

    fn conduct_en(&self, side: Side) -> String {
        let status = match self.conduct[side] {
            Conduct::Allowed if self.rules.set.is_chinese() => "has an idle ply: allowed (24.14)",
            Conduct::Allowed => "neither checks nor chases one man all the time",
            Conduct::Light => "attacks on every ply, but some only jointly: prohibited, light (24.13, 26.9)",
            Conduct::Heavy => "attacks on every ply: prohibited (24.13)",
            Conduct::Chase => "chases one man on every ply",
            Conduct::ChasePinnedChariot => {
                "chases on every ply a chariot that shields its general from a horse"
            }
            Conduct::PerpetualCheck => "checks on every ply",
        };
        format!("{} {status}", side_en(side))
    }

    /// The judgement and its grounds, in Chinese.
    #[must_use]
    pub fn why_zh(&self) -> String {
        let outcome = match (self.kind, self.must_vary) {
            (Kind::None, _) if self.verdict == Verdict::None && self.classes.is_empty() => {
                return "没有需要裁决的循环局面".to_owned();
            }
            (Kind::None, _) => "规则未定, 由裁判裁定".to_owned(),
            (Kind::ImmediateLoss, Some(side)) => format!("{}长将, 立即变着, 不变判负 (25.1)", side_zh(side)),
            (Kind::MustChangeElseLoss, Some(side)) => format!("{}变着, 不变作负", side_zh(side)),
            (Kind::NineRoundRule, Some(side)) => {
                return format!(
                    "{}连续九回合均为禁止着法, 且落点不少于三处: {0}变着, 不变作负",
                    side_zh(side)
                );
            }
            (Kind::Loss, Some(side)) => format!("{}变着, 不变作负", side_zh(side)),
            (Kind::Draw, _) => "双方不变作和".to_owned(),
            (Kind::ImmediateLoss | Kind::MustChangeElseLoss | Kind::NineRoundRule | Kind::Loss, None) => {
                String::new()
            }
        };
        let weighed = if self.both_prohibited() { " (26.9)" } else { "" };
        let (first, second) = self.order();
        let mut text = format!("{}; {}: {outcome}{weighed}", self.conduct_zh(first), self.conduct_zh(second));
        if let Some(other) = self.other_reading.and_then(Verdict::loser) {
            text += &format!("。若按 2020 年规则重轻之分 (26.9): {}变着, 不变作负", side_zh(other));
        }
        if self.unresolved() {
            text += "。有着法未能算清, 请裁判复核";
        }
        text
    }

    /// The judgement and its grounds, in English.
    #[must_use]
    pub fn why_en(&self) -> String {
        let outcome = match (self.kind, self.must_vary) {
            (Kind::None, _) if self.verdict == Verdict::None && self.classes.is_empty() => {
                return "no repetition to judge".to_owned();
            }
            (Kind::None, _) => "the rules do not decide, the arbiter does".to_owned(),
            (Kind::ImmediateLoss, Some(side)) => {
                format!("{} must vary at once, else loses (25.1)", side_en(side))
            }
            (Kind::NineRoundRule, Some(side)) => {
                return format!(
                    "{} has made prohibited moves for nine consecutive rounds, to three or more points: {0} must vary, else loses",
                    side_en(side)
                );
            }
            (Kind::MustChangeElseLoss | Kind::Loss, Some(side)) => {
                format!("{} must vary, else loses", side_en(side))
            }
            (Kind::Draw, _) => "if neither varies, a draw".to_owned(),
            (Kind::ImmediateLoss | Kind::MustChangeElseLoss | Kind::NineRoundRule | Kind::Loss, None) => {
                String::new()
            }
        };
        let weighed = if self.both_prohibited() { " (26.9)" } else { "" };
        let (first, second) = self.order();
        let mut text = format!("{}; {}: {outcome}{weighed}", self.conduct_en(first), self.conduct_en(second));
        if let Some(other) = self.other_reading.and_then(Verdict::loser) {
            text += &format!(
                ". By the heavy and light of the book of 2020 (26.9): {} must vary, else loses",
                side_en(other)
            );
        }
        if self.unresolved() {
            text += ". Some ply could not be searched to the end: please look";
        }
        text
    }

    fn both_prohibited(&self) -> bool {
        self.conduct.iter().all(|(_, &conduct)| matches!(conduct, Conduct::Light | Conduct::Heavy))
    }

    /// The side that must vary first.
    fn order(&self) -> (Side, Side) {
        let first = self.must_vary.unwrap_or(Side::Red);
        (first, first.opposite())
    }
}
