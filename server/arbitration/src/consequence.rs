//! What follows from a fact: an ending, or an alert with its evidence and the ruling proposed, in words.

use capture::{Finding, Irregularity};
use firmware_proto::Epoch;
use serde::{Deserialize, Serialize};
use xiangqi::judge::CountFrom;
use xiangqi::{Illegal, Position, Side};

use crate::cases::{RepetitionState, Ripe};
use crate::{AlertCode, ClockReading, Game, Outcome, RecordedPly};

/// The same words in Chinese and in English.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Words {
    /// Chinese.
    pub zh: String,
    /// English.
    pub en: String,
}

impl Words {
    /// Both texts.
    pub fn new(zh: impl Into<String>, en: impl Into<String>) -> Words {
        Words { zh: zh.into(), en: en.into() }
    }
}

/// What an arbiter should look at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// What it is about.
    pub code: AlertCode,
    /// The cause within the game, such as a ply's number: one alert a cause.
    pub cause: u32,
    /// When it happened.
    pub at: Epoch,
    /// What was seen.
    pub evidence: Words,
    /// What is proposed; may be empty.
    pub proposal: Words,
}

/// What follows from a fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Consequence {
    /// The game has ended at that time.
    End(Outcome, Epoch),
    /// An alert is raised.
    Raise(Notice),
    /// The alerts of this code have passed by themselves.
    Clear(AlertCode),
    /// The alerts of this code about plies from this number on have lost their cause: the record changed.
    ClearFrom(AlertCode, u32),
}

fn side_zh(side: Side) -> &'static str {
    match side {
        Side::Red => "红方",
        Side::Black => "黑方",
    }
}

fn side_en(side: Side) -> &'static str {
    match side {
        Side::Red => "Red",
        Side::Black => "Black",
    }
}

fn clock_text(ms: u32) -> String {
    format!("{:02}:{:02}", ms / 60_000, ms / 1_000 % 60)
}

impl Consequence {
    fn raise(code: AlertCode, cause: u32, at: Epoch, evidence: Words, proposal: Words) -> Consequence {
        Consequence::Raise(Notice { code, cause, at, evidence, proposal })
    }

    /// Alerts that mean nothing any more once the game has ended.
    pub(crate) fn of_the_end() -> Vec<Consequence> {
        [
            AlertCode::DrawOffer,
            AlertCode::Setup,
            AlertCode::PosMismatch,
            AlertCode::LostMove,
            AlertCode::RepNear,
            AlertCode::RepDone,
            AlertCode::RepDeadline,
            AlertCode::LimitNear,
            AlertCode::LimitDone,
        ]
        .map(Consequence::Clear)
        .into()
    }

    pub(crate) fn of_links(board: bool, clock: bool, at: Epoch) -> Vec<Consequence> {
        let link = |up: bool, code: AlertCode, zh: &str, en: &str| {
            if up {
                Consequence::Clear(code)
            } else {
                Consequence::raise(code, 0, at, Words::new(zh, en), Words::default())
            }
        };
        vec![
            link(
                board,
                AlertCode::BoardDown,
                "棋盘没有信号；棋钟照走，重新接上后补录",
                "No signal from the board; the clock goes on, and what was played is taken in when it is back",
            ),
            link(
                clock,
                AlertCode::ClockDown,
                "棋钟没有信号；所示时间为推算，不据此判超时",
                "No signal from the clock; times shown are estimates, and no flag is ruled on them",
            ),
        ]
    }

    pub(crate) fn of_irregular(
        game: &Game,
        before: &Position,
        ply: &RecordedPly,
        irregular: Irregularity,
    ) -> Consequence {
        let cause = u32::from(ply.read.no.0);
        let (zh, en) = (side_zh(ply.side), side_en(ply.side));
        let rule = game.regulation().fouls;
        match irregular {
            Irregularity::ExposesGeneral => {
                let why = before.legality(ply.read.mv).err();
                Consequence::raise(
                    AlertCode::SelfCheck,
                    cause,
                    ply.read.at,
                    reason(zh, en, ply, why),
                    if rule.exposing_loses {
                        Words::new(format!("建议判{zh}负"), format!("Proposed: {en} loses"))
                    } else {
                        Words::default()
                    },
                )
            }
            Irregularity::Illegal => Consequence::raise(
                AlertCode::Illegal,
                cause,
                ply.read.at,
                reason(zh, en, ply, before.legality(ply.read.mv).err()),
                Words::new(
                    format!("建议退回此着，记{zh}犯规一次；同一局第{}次判负", rule.illegal_moves_lose),
                    format!("Proposed: take back, a foul for {en}; time {} loses", rule.illegal_moves_lose),
                ),
            ),
            Irregularity::OutOfTurn => Consequence::raise(
                AlertCode::Illegal,
                cause,
                ply.read.at,
                Words::new(format!("{zh}连走两着：{}", ply.zh), format!("{en} moved twice: {}", ply.wxf)),
                Words::new("建议退回此着", "Proposed: take it back"),
            ),
            Irregularity::Entered => Consequence::ClearFrom(AlertCode::Illegal, cause),
        }
    }

    pub(crate) fn of_finding(game: &Game, finding: &Finding) -> Vec<Consequence> {
        let next = game.plies().len() as u32 + 1;
        match finding {
            Finding::Read(read) => clear_from(u32::from(read.no.0)),
            Finding::Withdrawn(from) => clear_from(u32::from(from.0)),
            Finding::Mismatch { points, since } => vec![Consequence::raise(
                AlertCode::PosMismatch,
                next,
                *since,
                Words::new(
                    format!("盘面与记录不符：{}", places(game, points)),
                    format!("The board does not fit the record at {}", list(points)),
                ),
                Words::new("建议按记录摆正", "Proposed: put the board right as recorded"),
            )],
            Finding::Disturbed { points, running, since } => {
                vec![disturbed(game, points, *running, *since, next)]
            }
            Finding::Restored(_) => vec![Consequence::Clear(AlertCode::PosMismatch)],
            Finding::PressWithoutMove(side, at) => vec![Consequence::raise(
                AlertCode::PressNoMove,
                next,
                *at,
                Words::new(
                    format!("{}未走棋先按钟", side_zh(*side)),
                    format!("{} pressed without a move", side_en(*side)),
                ),
                Words::new(
                    format!("建议记{}犯规一次", side_zh(*side)),
                    format!("Proposed: a foul for {}", side_en(*side)),
                ),
            )],
            Finding::TouchMove { side, touched, played, held } => vec![Consequence::raise(
                AlertCode::TouchMove,
                u32::from(played.0),
                game.plies().last().map_or(Epoch(0), |ply| ply.read.at),
                Words::new(
                    format!(
                        "{}先提起{touched}的棋子{:.1}秒，放回后另走",
                        side_zh(*side),
                        f64::from(*held) / 1e3
                    ),
                    format!(
                        "{} lifted the piece on {touched} for {:.1} s, put it back and moved another",
                        side_en(*side),
                        f64::from(*held) / 1e3
                    ),
                ),
                Words::default(),
            )],
            Finding::Ambiguous { from, lines } => vec![Consequence::raise(
                AlertCode::LostMove,
                u32::from(from.0),
                game.plies().last().map_or(Epoch(0), |ply| ply.read.at),
                Words::new(
                    format!("第{}着起有{}种解释", from.0, lines.len()),
                    format!("From ply {} there are {} readings", from.0, lines.len()),
                ),
                Words::new("请核对后选定", "Proposed: ask the players and choose"),
            )],
            Finding::SetUp { wrong } => {
                let points = wrong.iter().map(|(point, _)| *point).collect::<Vec<_>>();
                vec![Consequence::raise(
                    AlertCode::Setup,
                    0,
                    game.clock().map_or(Epoch(0), |clock| clock.at),
                    Words::new(
                        format!("开局摆棋有误：{}", places(game, &points)),
                        format!("The set-up is wrong at {}", list(&points)),
                    ),
                    Words::new("开钟前摆正", "Put it right before the clock starts"),
                )]
            }
            Finding::SetUpRight => vec![Consequence::Clear(AlertCode::Setup)],
            Finding::BadPoint { point, stuck } => vec![Consequence::raise(
                AlertCode::BadPoint,
                point.index() as u32,
                game.plies().last().map_or(Epoch(0), |ply| ply.read.at),
                if *stuck {
                    Words::new(format!("{point} 一直显示有子"), format!("{point} shows a piece all the time"))
                } else {
                    Words::new(format!("{point} 感应不到棋子"), format!("{point} senses no piece"))
                },
                Words::new(
                    "轮间检修；本局按其余证据续录",
                    "Mend between rounds; the game is followed without it",
                ),
            )],
            Finding::Confirmed(..) | Finding::Locked(_) => Vec::new(),
        }
    }

    /// One foul before the limit the arbiter is told; at the limit a loss is proposed (三次犯规判负).
    pub(crate) fn of_fouls(game: &Game, side: Side, at: Epoch) -> Vec<Consequence> {
        let (fouls, limit) = (game.fouls()[side], game.regulation().fouls.fouls_lose);
        let cause = u32::from(side == Side::Black);
        let evidence = Words::new(
            format!("{}犯规{fouls}次，{limit}次判负", side_zh(side)),
            format!("{} has {fouls} fouls; {limit} lose", side_en(side)),
        );
        if fouls >= limit {
            let proposal = Words::new(
                format!("建议判{}负", side_zh(side)),
                format!("Proposed: {} loses", side_en(side)),
            );
            vec![Consequence::raise(AlertCode::FoulLimit, cause, at, evidence, proposal)]
        } else if fouls + 1 == limit {
            vec![
                Consequence::ClearFrom(AlertCode::FoulLimit, cause),
                Consequence::raise(AlertCode::FoulEdge, cause, at, evidence, Words::default()),
            ]
        } else {
            [AlertCode::FoulLimit, AlertCode::FoulEdge].map(|code| Consequence::ClearFrom(code, cause)).into()
        }
    }

    /// Repetition and natural limit after a completed ply.
    pub(crate) fn of_cases(game: &Game, repetition: &RepetitionState, at: Epoch) -> Vec<Consequence> {
        let mut all = match repetition {
            RepetitionState::None => [AlertCode::RepNear, AlertCode::RepDone, AlertCode::RepDeadline]
                .map(Consequence::Clear)
                .into(),
            RepetitionState::Nearing(times) => vec![
                Consequence::Clear(AlertCode::RepDone),
                Consequence::Clear(AlertCode::RepDeadline),
                Consequence::raise(
                    AlertCode::RepNear,
                    0,
                    at,
                    Words::new(
                        format!("同一局面已出现{times}次"),
                        format!("The same position has occurred {times} times"),
                    ),
                    Words::default(),
                ),
            ],
            RepetitionState::Ripe(ripe) => {
                vec![Consequence::Clear(AlertCode::RepNear), repetition_alert(AlertCode::RepDone, ripe, at)]
            }
            RepetitionState::Persisted(ripe) => vec![repetition_alert(AlertCode::RepDeadline, ripe, at)],
        };
        all.extend(limit_alerts(game, at));
        all
    }

    pub(crate) fn flag(side: Side, reading: ClockReading) -> Consequence {
        Consequence::raise(
            AlertCode::Flag,
            0,
            reading.at,
            Words::new(
                format!(
                    "{}超时：红 {}，黑 {}",
                    side_zh(side),
                    clock_text(reading.red_ms),
                    clock_text(reading.black_ms)
                ),
                format!(
                    "{}'s flag fell: Red {}, Black {}",
                    side_en(side),
                    clock_text(reading.red_ms),
                    clock_text(reading.black_ms)
                ),
            ),
            Words::new(format!("建议判{}负", side_zh(side)), format!("Proposed: {} loses", side_en(side))),
        )
    }

    pub(crate) fn both_flags(reading: ClockReading) -> Consequence {
        Consequence::raise(
            AlertCode::FlagBoth,
            0,
            reading.at,
            Words::new("双方均 00:00", "Both clocks show 00:00"),
            Words::new("建议判和", "Proposed: a draw"),
        )
    }

    pub(crate) fn call(side: Side, at: Epoch) -> Consequence {
        Consequence::raise(
            AlertCode::Call,
            u32::from(side == Side::Black),
            at,
            Words::new(format!("{}呼叫裁判", side_zh(side)), format!("{} calls the arbiter", side_en(side))),
            Words::default(),
        )
    }

    pub(crate) fn draw_offer(side: Side, plies: usize, at: Epoch) -> Consequence {
        Consequence::raise(
            AlertCode::DrawOffer,
            plies as u32,
            at,
            Words::new(format!("{}提和", side_zh(side)), format!("{} offers a draw", side_en(side))),
            Words::default(),
        )
    }
}

/// How many rounds before the natural limit the arbiter is told.
const LIMIT_NEARS: u32 = 5;

fn repetition_alert(code: AlertCode, ripe: &Ripe, at: Epoch) -> Consequence {
    let judgement = &ripe.judgement;
    let first = judgement.plies.start + 1;
    let last = judgement.plies.end;
    let proposal = match (code, judgement.verdict.loser()) {
        (AlertCode::RepDeadline, Some(side)) => Words::new(
            format!("不变作负：建议判{}负", side_zh(side)),
            format!("Proposed: {} loses", side_en(side)),
        ),
        (AlertCode::RepDeadline, None) => Words::new("不变作和：建议判和", "Proposed: a draw"),
        (_, Some(side)) => Words::new(
            format!("建议令{}变着，不变作负", side_zh(side)),
            format!("Proposed: {} must vary, or loses", side_en(side)),
        ),
        (_, None) => Words::new("双方不变作和", "If nobody varies: a draw"),
    };
    let evidence = Words::new(
        format!("第{first}至{last}着循环。{}", judgement.why_zh()),
        format!("Plies {first} to {last} repeat. {}", judgement.why_en()),
    );
    Consequence::raise(code, ripe.since as u32, at, evidence, proposal)
}

/// Told once when it nears, and when it is reached; a capture clears both.
fn limit_alerts(game: &Game, at: Epoch) -> Vec<Consequence> {
    let left = game.cases().rounds_left();
    let (excluded, plies) = game.cases().counted();
    let rule = game.regulation().natural_limit;
    if left > LIMIT_NEARS {
        return [AlertCode::LimitNear, AlertCode::LimitDone].map(Consequence::Clear).into();
    }
    let evidence = Words::new(
        format!("{}回合未吃子，其中{excluded}着不计；限着{}回合", plies / 2, rule.rounds),
        format!(
            "{} rounds without a capture, {excluded} plies not counted; the limit is {}",
            plies / 2,
            rule.rounds
        ),
    );
    if left > 0 {
        vec![Consequence::raise(AlertCode::LimitNear, 0, at, evidence, Words::default())]
    } else {
        let proposal = match rule.from {
            CountFrom::LastCapture => Words::new("建议判和", "Proposed: a draw"),
            CountFrom::Claim => {
                Words::new("一方提出后，由裁判数着", "Counted by the arbiter once a side claims it")
            }
        };
        vec![
            Consequence::Clear(AlertCode::LimitNear),
            Consequence::raise(AlertCode::LimitDone, 0, at, evidence, proposal),
        ]
    }
}

fn clear_from(ply: u32) -> Vec<Consequence> {
    [AlertCode::Illegal, AlertCode::SelfCheck, AlertCode::TouchMove, AlertCode::LostMove]
        .map(|code| Consequence::ClearFrom(code, ply))
        .into()
}

/// What stands on a point by the record, as players call it: 三路马. An empty point has only its coordinates.
fn place(game: &Game, point: xiangqi::Point) -> String {
    const NUMERALS: [&str; 9] = ["一", "二", "三", "四", "五", "六", "七", "八", "九"];
    game.position().piece_at(point).map_or(point.to_string(), |piece| {
        let file = point.file_number(piece.side);
        match piece.side {
            Side::Red => format!("{}路{}", NUMERALS[usize::from(file) - 1], piece.hanzi()),
            Side::Black => format!("{file}路{}", piece.hanzi()),
        }
    })
}

fn places(game: &Game, points: &[xiangqi::Point]) -> String {
    points.iter().map(|point| place(game, *point)).collect::<Vec<_>>().join("、")
}

fn list(points: &[xiangqi::Point]) -> String {
    points.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

fn reason(zh: &str, en: &str, ply: &RecordedPly, why: Option<Illegal>) -> Words {
    let (why_zh, why_en) = why
        .map_or((String::new(), String::new()), |why| (format!("：{}", why.zh()), format!(": {}", why.en())));
    Words::new(
        format!("{zh}第{}着 {} 违例{why_zh}", ply.read.no.0, ply.read.mv),
        format!("{en}'s ply {} {} is illegal{why_en}", ply.read.no.0, ply.read.mv),
    )
}

/// Pieces disturbed: what the regulation says depends on whose clock ran and how much time it showed.
fn disturbed(
    game: &Game,
    points: &[xiangqi::Point],
    running: Option<Side>,
    at: Epoch,
    cause: u32,
) -> Consequence {
    let rule = game.regulation().disturbed;
    let whose = running.map_or(("停钟时", "with the clocks stopped"), |side| match side {
        Side::Red => ("红方走时", "in Red's time"),
        Side::Black => ("黑方走时", "in Black's time"),
    });
    let minutes = rule.opponent_gains.0 / 60_000;
    let left = running.and_then(|side| game.clock().map(|clock| clock.left()[side]));
    let loses = left.is_some_and(|left| left < rule.loses_below);
    let (mut zh, mut en) = if loses {
        ("若系对方碰乱：判负".to_string(), "If the opponent did it: loss".to_string())
    } else {
        (format!("若系对方碰乱：加{minutes}分钟"), format!("If the opponent did it: {minutes} more minutes"))
    };
    if rule.foul && !loses {
        zh.push_str("，记犯规一次");
        en.push_str(" and a foul");
    }
    Consequence::raise(
        AlertCode::TouchOppTime,
        cause,
        at,
        Words::new(
            format!("{}棋子被碰乱：{}", whose.0, places(game, points)),
            format!("Pieces were disturbed {}: {}", whose.1, list(points)),
        ),
        Words::new(zh, en),
    )
}
