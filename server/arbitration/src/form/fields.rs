//! The fields of a regulation: what each is called, where it comes from, what can stand in it.

use super::{Choice, Field, Kind, TimeUnit};

const fn choice(word: &'static str, zh: &'static str, en: &'static str) -> Choice {
    Choice { word, zh, en }
}

const fn field(
    key: &'static str,
    zh: &'static str,
    en: &'static str,
    articles: [&'static str; 2],
    kind: Kind,
) -> Field {
    Field { key, zh, en, articles, kind }
}

const fn minutes(least: u32, most: u32) -> Kind {
    Kind::Time { unit: TimeUnit::Minutes, least: least * 60_000, most: most * 60_000 }
}

const ROUNDS: [&str; 2] = ["回合", "rounds"];
const TIMES: [&str; 2] = ["次", "times"];

/// All fields of a regulation, in the order of the form.
pub const FIELDS: [Field; 24] = [
    field("name", "规程名称", "Name", ["", ""], Kind::Text),
    field(
        "time.base",
        "基本用时",
        "Base time",
        ["3", "二(二)"],
        Kind::Time { unit: TimeUnit::Minutes, least: 10_000, most: 5 * 3_600_000 },
    ),
    field(
        "time.increment",
        "每步加秒",
        "Increment a move",
        ["3", "二(二)"],
        Kind::Time { unit: TimeUnit::Seconds, least: 0, most: 300_000 },
    ),
    field(
        "flag.automatic",
        "超时由系统直接判负",
        "The system ends the game at the first flag",
        ["3", ""],
        Kind::YesNo,
    ),
    field(
        "flag.both_draw",
        "双方均 00:00 判和",
        "A draw when both clocks show 00:00",
        ["", "二(六)"],
        Kind::YesNo,
    ),
    field(
        "fouls.exposing_loses",
        "送将、不应将一次判负",
        "Exposing the general loses at once",
        ["6", ""],
        Kind::YesNo,
    ),
    field(
        "fouls.illegal_moves_lose",
        "违规着法判负次数",
        "Illegal moves that lose",
        ["6", ""],
        Kind::Count { unit: TIMES, least: 1, most: 9 },
    ),
    field(
        "fouls.fouls_lose",
        "犯规判负次数",
        "Fouls that lose",
        ["11(3)", ""],
        Kind::Count { unit: TIMES, least: 1, most: 9 },
    ),
    field(
        "disturbed.opponent_gains",
        "碰乱棋子对方加时",
        "Time gained when disturbed",
        ["8", "二(五)"],
        minutes(0, 60),
    ),
    field("disturbed.foul", "碰乱棋子记犯规", "Disturbing is a foul", ["8", ""], Kind::YesNo),
    field(
        "disturbed.loses_below",
        "对方时间少于此数则碰乱者判负",
        "Disturbing loses when the opponent has less",
        ["", "二(五)"],
        minutes(0, 60),
    ),
    field(
        "natural_limit.rounds",
        "自然限着",
        "Natural limit",
        ["7", "二(四)"],
        Kind::Count { unit: ROUNDS, least: 1, most: 200 },
    ),
    field(
        "natural_limit.from",
        "限着起算",
        "Counted from",
        ["7", "二(四)"],
        Kind::Choice(&[
            choice("last_capture", "最近一次吃子", "the last capture"),
            choice("claim", "一方提出", "a side's claim"),
        ]),
    ),
    field(
        "natural_limit.exclusion",
        "不计入限着",
        "Not counted",
        ["7", "二(四)"],
        Kind::Exclusion(&[
            choice("nothing", "全部计入", "all count"),
            choice("claimants_checks", "提出方将军不计", "the claimant's checks"),
            choice("checks_kills_chases", "将、杀、捉不计", "checks, kills and chases"),
            choice("checks_beyond", "将军超过此数不计", "checks beyond so many"),
        ]),
    ),
    field(
        "repetition.rules.set",
        "棋例",
        "Book of adjudication",
        ["11", ""],
        Kind::Choice(&[
            choice("cn2011", "中国 2011", "China 2011"),
            choice("cn2020", "中国 2020", "China 2020"),
            choice("wxf2018", "世界 2018", "World 2018"),
            choice("axf", "亚洲", "Asia"),
        ]),
    ),
    field(
        "repetition.rules.occurrences",
        "循环成立所需出现次数",
        "Occurrences that make a repetition",
        ["11(2)", ""],
        Kind::Count { unit: TIMES, least: 2, most: 5 },
    ),
    field(
        "repetition.rules.both_prohibited",
        "双方均为禁止着法",
        "Both sides prohibited",
        ["11(2)", ""],
        Kind::Choice(&[
            choice("draw", "不变作和", "draw"),
            choice("heavier_varies", "情节重者变着", "the heavier varies"),
        ]),
    ),
    field(
        "repetition.rules.both_check",
        "双方均长将",
        "Both only check",
        ["11(2)", ""],
        Kind::Choice(&[choice("draw", "作和", "draw"), choice("arbiter", "裁判裁定", "the arbiter decides")]),
    ),
    field(
        "repetition.rules.nine_rounds",
        "连续九回合禁止着法",
        "Nine rounds of prohibited moves",
        ["", ""],
        Kind::YesNo,
    ),
    field(
        "repetition.vary_within",
        "变着期限",
        "Rounds to vary within",
        ["11(2)", ""],
        Kind::Count { unit: ROUNDS, least: 1, most: 9 },
    ),
    field(
        "correction_rounds",
        "纠错时限",
        "Rounds to correct within",
        ["9", ""],
        Kind::Count { unit: ROUNDS, least: 0, most: 99 },
    ),
    field("draw_claim_above", "提和须余时间", "Time left to claim a draw", ["10", ""], minutes(0, 60)),
    field("late_limit", "迟到判负", "Late forfeits after", ["", "二(三)"], minutes(0, 120)),
    field("ladder", "名次依据", "Ranking keys", ["", ""], Kind::List),
];
