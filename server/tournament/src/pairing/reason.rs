//! Why this pair: the reasons in words that a pairing officer can read out.

use super::colour::ColourRule;
use crate::words::Words;
use crate::{EntrantNo, Points, RoundNo, Stage};

/// One reason for a pair or a bye.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Round 1 goes by the numbers drawn.
    ByNumber,
    /// 回避: exchanged with a neighbour, so that one unit does not meet itself in round 1.
    UnitsKeptApart,
    /// By the table of a round robin.
    RoundRobin,
    /// A tie of a knock-out.
    Tie {
        /// Its stage.
        stage: Stage,
        /// How often the two have drawn in it: then this is a game more (加赛).
        drawn: u16,
    },
    /// Free in the first round of a knock-out.
    Free,
    /// The opponent by the table or the bracket has withdrawn or is absent.
    OpponentMissing(EntrantNo),
    /// Both have as many points.
    SameScore(Points),
    /// 下调: the points differ.
    Float {
        /// The one with more points.
        down: EntrantNo,
        /// Its points.
        from: Points,
        /// The opponent's points.
        to: Points,
        /// Why it could not stay with its equals.
        cause: FloatCause,
    },
    /// Nearer in the list with the same points, but met already.
    PassedOver {
        /// The one who passes over.
        who: EntrantNo,
        /// Those met already.
        met: Vec<EntrantNo>,
    },
    /// How the colours were given.
    Colour {
        /// Who plays Red.
        red: EntrantNo,
        /// By which rule.
        rule: ColourRule,
    },
    /// Both were due the same colour.
    SameColourDue,
    /// A third game in a row with one colour, or a surplus of three: no pairing of the same scores avoids it.
    ThirdColour(EntrantNo),
    /// They have met: no complete pairing without a rematch exists. To be confirmed.
    Rematch(Vec<RoundNo>),
    /// They were paired before, but did not play.
    PairedButNotPlayed,
    /// 轮空.
    Bye {
        /// The points of the one with the bye.
        score: Points,
        /// Those further down who were passed over, for the reason given.
        passed_over: Vec<(EntrantNo, ByePassed)>,
    },
    /// The only one of its group who is there.
    Alone,
    /// A second bye: everybody present has had one. To be confirmed.
    SecondBye,
}

/// Why an entrant met another score.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FloatCause {
    /// Nobody else has these points.
    Alone,
    /// 已交过手: it has met all its equals.
    MetAll,
    /// An odd number has these points.
    OddScore,
    /// The pairs of the others, or of those below, need it.
    OthersNeedIt,
}

/// Why an entrant further down did not get the bye.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByePassed {
    /// It has had one.
    HadOne,
    /// Without it the others cannot be paired.
    OthersNeedIt,
}

fn numbers(list: &[EntrantNo], separator: &str) -> String {
    list.iter().map(EntrantNo::to_string).collect::<Vec<_>>().join(separator)
}

impl Reason {
    /// The reason in Chinese and English.
    #[must_use]
    pub fn words(&self) -> Words {
        match self {
            Reason::ByNumber => Words::new("首轮按抽签号编排", "round 1 by the numbers drawn"),
            Reason::UnitsKeptApart => {
                Words::new("首轮同单位回避, 与邻台对调", "exchanged to keep one unit apart in round 1")
            }
            Reason::RoundRobin => Words::new("按循环表", "by the round-robin table"),
            Reason::Tie { stage, drawn } => tie_words(*stage, *drawn),
            Reason::Free => Words::new("首轮轮空, 直接晋级", "free in the first round"),
            Reason::OpponentMissing(who) => {
                Words::new(format!("对手{who}号退赛或请假"), format!("{who} has withdrawn or is absent"))
            }
            Reason::SameScore(score) => {
                Words::new(format!("同积{score}分"), format!("both have {score} points"))
            }
            Reason::Float { down, from, to, cause } => {
                let (zh, en) = match cause {
                    FloatCause::Alone => ("同分仅此一人", "alone on its points"),
                    FloatCause::MetAll => ("与同分者均已交过手", "it has met all its equals"),
                    FloatCause::OddScore => ("同分人数为单", "an odd number has these points"),
                    FloatCause::OthersNeedIt => ("为使其余各对成立", "so that the others can be paired"),
                };
                Words::new(
                    format!("{down}号{from}分下调, 对{to}分: {zh}"),
                    format!("{down} with {from} points floats down to {to}: {en}"),
                )
            }
            Reason::PassedOver { who, met } => Words::new(
                format!("{who}号与{}号已交过手", numbers(met, "、")),
                format!("{who} has already met {}", numbers(met, ", ")),
            ),
            Reason::Colour { red, rule } => colour_words(*red, *rule),
            Reason::SameColourDue => Words::new(
                "双方应走同一先后手, 同分内已无法平衡",
                "both are due the same colour; no better balance exists",
            ),
            Reason::ThirdColour(who) => Words::new(
                format!("{who}号第三次同先后手, 无法避免"),
                format!("a third game with one colour for {who} cannot be avoided"),
            ),
            Reason::Rematch(rounds) => {
                let rounds: Vec<String> = rounds.iter().map(RoundNo::to_string).collect();
                let rounds = rounds.join(", ");
                Words::new(
                    format!("第{rounds}轮已交过手: 别无完整编排, 须编排长确认"),
                    format!("met in round {rounds}: no complete pairing avoids it; to be confirmed"),
                )
            }
            Reason::PairedButNotPlayed => {
                Words::new("曾编在一起但未对局", "paired before, but the game was not played")
            }
            Reason::Bye { score, passed_over } => bye_words(*score, passed_over),
            Reason::Alone => Words::new("本组本轮仅此一人", "the only one of the group in this round"),
            Reason::SecondBye => Words::new(
                "第二次轮空: 在场者均已轮空过, 须编排长确认",
                "a second bye: everybody has had one; to be confirmed",
            ),
        }
    }
}

fn tie_words(stage: Stage, drawn: u16) -> Words {
    let (zh, en) = match stage {
        Stage::ThirdPlace => ("三四名决赛".to_owned(), "match for third place".to_owned()),
        Stage::Of(1) => ("决赛".into(), "final".into()),
        Stage::Of(2) => ("半决赛".into(), "half-final".into()),
        Stage::Of(4) => ("四分之一决赛".into(), "quarter-final".into()),
        Stage::Of(ties) => (format!("{ties}分之一决赛"), format!("last {}", 2 * ties)),
    };
    if drawn == 0 {
        return Words::new(zh, en);
    }
    Words::new(format!("{zh}加赛第{drawn}局"), format!("{en}, play-off game {drawn}"))
}

fn colour_words(red: EntrantNo, rule: ColourRule) -> Words {
    let (zh, en) = match rule {
        ColourRule::ThirdInRow(who) => {
            (format!("{who}号避免连续三次同先后手"), format!("so that {who} has no third colour in a row"))
        }
        ColourRule::Surplus(who) => {
            (format!("{who}号先后手平衡"), format!("to balance the colours of {who}"))
        }
        ColourRule::Alternates(who) => (format!("{who}号先后手轮换"), format!("{who} alternates")),
        ColourRule::ChangesFrom(round) => {
            (format!("第{round}轮先后手不同, 互换"), format!("the two change colours from round {round}"))
        }
        ColourRule::OrderParity => (
            "本组单数对小号执红, 双数对大号执红".into(),
            "smaller number red in odd pairs of the group, larger in even".into(),
        ),
        ColourRule::TableParity => (
            "单数台小号执红, 双数台大号执红".into(),
            "smaller number red on odd tables, larger on even".into(),
        ),
    };
    Words::new(format!("{red}号执红: {zh}"), format!("{red} has Red: {en}"))
}

fn bye_words(score: Points, passed_over: &[(EntrantNo, ByePassed)]) -> Words {
    let mut words = Words::new(
        format!("轮空: 人数为单, 积{score}分者中可轮空的末位"),
        format!("bye: an odd field; the last of those with {score} points who can have it"),
    );
    for (why, zh, en) in [
        (ByePassed::HadOne, "已轮空过", "had a bye already"),
        (ByePassed::OthersNeedIt, "轮空则其余无法成对", "the others could not be paired without"),
    ] {
        let of_why: Vec<EntrantNo> =
            passed_over.iter().filter(|&&(_, of)| of == why).map(|&(no, _)| no).collect();
        if !of_why.is_empty() {
            words.zh += &format!("; {}号{zh}", numbers(&of_why, "、"));
            words.en += &format!("; {en}: {}", numbers(&of_why, ", "));
        }
    }
    words
}
