//! What follows from what the board shows: irregular plies, disorder, touched pieces, the set-up.

use capture::{Finding, Irregularity};
use firmware_proto::{Epoch, Millis};
use xiangqi::{Illegal, Piece, Point, Side};

use crate::remedy::{Remedy, Step};
use crate::say::{list, minutes_en, minutes_zh, places, side_en, side_zh};
use crate::{AlertCode, Consequence, Ending, Evidence, Game, Notice, Offence, RecordedPly, Severity, Words};

/// All pieces of a set stand where the other colour should: the players sit the other way round.
const ALL_PIECES: usize = 32;

impl Game {
    pub(crate) fn irregular_ply(&self, ply: &RecordedPly) -> Option<Consequence> {
        let irregular = ply.read.irregular?;
        let cause = u32::from(ply.read.no.0);
        let (side, zh, en) = (ply.side, side_zh(ply.side), side_en(ply.side));
        let rule = self.regulation().fouls;
        let why = self.before(ply).legality(ply.read.mv).err();
        let notice = |code, words| Notice::new(code, cause, ply.read.at, words, self.ply_evidence(ply));
        let take_back = Step::TakeBack(ply.read.no);
        let run = Step::Run(side);
        Some(Consequence::Raise(match irregular {
            Irregularity::ExposesGeneral => {
                let notice = notice(AlertCode::SelfCheck, reason(zh, en, ply, why));
                let loss = Remedy::loss(side, Ending::Foul);
                let back = Remedy(vec![take_back, run]);
                if rule.exposing_loses {
                    notice
                        .proposing(format!("建议判{zh}负"), format!("Proposed: {en} loses"))
                        .offering([loss, back])
                } else {
                    notice.proposing("建议退回此着", "Proposed: take it back").offering([back, loss])
                }
            }
            Irregularity::Illegal => {
                let notice = notice(AlertCode::Illegal, reason(zh, en, ply, why));
                let loss = Remedy::loss(side, Ending::Foul);
                let foul = Step::Foul(side, Offence::IllegalMove);
                let back = Remedy(vec![take_back, foul, run]);
                let nth = self.offences(side, Offence::IllegalMove) + 1;
                if nth >= rule.illegal_moves_lose {
                    notice
                        .proposing(
                            format!("本局第{nth}次违规：建议判{zh}负"),
                            format!("Illegal move {nth} of this game: {en} loses"),
                        )
                        .offering([loss, back])
                } else {
                    notice
                        .proposing(
                            format!(
                                "建议退回此着，记{zh}犯规一次；同一局第{}次判负",
                                rule.illegal_moves_lose
                            ),
                            format!(
                                "Proposed: take back, a foul for {en}; time {} loses",
                                rule.illegal_moves_lose
                            ),
                        )
                        .offering([back, loss])
                }
            }
            Irregularity::OutOfTurn if ply.read.no.0 == 1 => notice(
                AlertCode::WrongSeat,
                Words::new(format!("{zh}先走：{}", ply.zh), format!("{en} moved first: {}", ply.wxf)),
            )
            .proposing("核对红黑座位", "Check who plays Red")
            .offering([Remedy(vec![Step::SwapSides]), Remedy(vec![take_back])]),
            Irregularity::OutOfTurn => notice(
                AlertCode::Illegal,
                Words::new(format!("{zh}连走两着：{}", ply.zh), format!("{en} moved twice: {}", ply.wxf)),
            )
            .proposing("建议退回此着", "Proposed: take it back")
            .offering([
                Remedy(vec![take_back.clone(), Step::Run(side.opposite())]),
                Remedy(vec![take_back, Step::Foul(side, Offence::IllegalMove), Step::Run(side.opposite())]),
            ]),
            Irregularity::Entered => return Some(Consequence::ClearFrom(AlertCode::Illegal, cause)),
        }))
    }

    fn ply_evidence(&self, ply: &RecordedPly) -> Evidence {
        let moves = self.before(ply).legal_moves();
        let legal = moves.iter().copied().filter(|mv| mv.from == ply.read.mv.from).collect();
        Evidence::Ply { no: ply.read.no, mv: ply.read.mv, side: ply.side, legal }
    }

    fn points(&self, points: &[Point], running: Option<Side>) -> Evidence {
        Evidence::Points {
            points: points.iter().map(|point| (*point, self.position().piece_at(*point))).collect(),
            running,
            left_ms: running.and_then(|side| self.clock().map(|clock| clock.left()[side].0)),
        }
    }

    pub(crate) fn after_board(&self, finding: &Finding) -> Vec<Consequence> {
        let next = self.plies().len() as u32 + 1;
        let last = self.plies().last().map_or(Epoch(0), |ply| ply.read.at);
        let raise = |notice| vec![Consequence::Raise(notice)];
        match finding {
            Finding::Read(read) => clear_from(u32::from(read.no.0)),
            Finding::Withdrawn(from) => clear_from(u32::from(from.0)),
            Finding::Mismatch { points, since } => raise(
                Notice::new(
                    AlertCode::PosMismatch,
                    self.differs_from(),
                    *since,
                    Words::new(
                        format!("盘面与记录不符：{}", places(self, points)),
                        format!("The board does not fit the record at {}", list(points)),
                    ),
                    self.points(points, self.clock().and_then(|clock| clock.running)),
                )
                .proposing("建议按记录摆正", "Proposed: put the board right as recorded")
                .offering([Remedy::one(Step::PutRight), self.back_one()]),
            ),
            Finding::Disturbed { points, running, since } => raise(self.disturbed(points, *running, *since)),
            Finding::Restored(_) => vec![Consequence::Clear(AlertCode::PosMismatch)],
            Finding::PressWithoutMove(side, at) => raise(
                Notice::new(
                    AlertCode::PressNoMove,
                    next,
                    *at,
                    Words::new(
                        format!("{}未走棋先按钟", side_zh(*side)),
                        format!("{} pressed without a move", side_en(*side)),
                    ),
                    Evidence::Press { side: *side, at: *at },
                )
                .proposing(
                    format!("建议记{}犯规一次", side_zh(*side)),
                    format!("Proposed: a foul for {}", side_en(*side)),
                )
                .offering([
                    Remedy(vec![Step::Foul(*side, Offence::PressWithoutMove), Step::Run(*side)]),
                    Remedy::one(Step::Run(*side)),
                ]),
            ),
            Finding::TouchMove { side, touched, played, held } => {
                let seconds = f64::from(*held) / 1e3;
                let evidence =
                    Evidence::Touch { side: *side, touched: *touched, played: *played, held_ms: *held };
                let words = Words::new(
                    format!("{}先提起{touched}的棋子{seconds:.1}秒，放回后另走", side_zh(*side)),
                    format!(
                        "{} lifted the piece on {touched} for {seconds:.1} s, put it back and moved another",
                        side_en(*side)
                    ),
                );
                raise(Notice::new(AlertCode::TouchMove, u32::from(played.0), last, words, evidence).offering(
                    [
                        Remedy(vec![Step::TakeBack(*played), Step::Run(*side)]),
                        Remedy(vec![
                            Step::TakeBack(*played),
                            Step::Foul(*side, Offence::TouchMove),
                            Step::Run(*side),
                        ]),
                    ],
                ))
            }
            Finding::Ambiguous { from, lines } => {
                let words = Words::new(
                    format!("第{}着起有{}种解释", from.0, lines.len()),
                    format!("From ply {} there are {} readings", from.0, lines.len()),
                );
                let evidence = Evidence::Readings { from: *from, lines: lines.clone() };
                raise(
                    Notice::new(AlertCode::LostMove, u32::from(from.0), last, words, evidence)
                        .proposing("请核对后选定", "Proposed: ask the players and choose")
                        .offering(lines.iter().map(|line| Remedy::one(Step::Enter(*from, line.clone())))),
                )
            }
            Finding::SetUp { wrong } => raise(self.wrong_set_up(wrong)),
            Finding::SetUpRight => {
                vec![Consequence::Clear(AlertCode::Setup), Consequence::Clear(AlertCode::WrongSeat)]
            }
            Finding::BadPoint { point, stuck } => raise(
                Notice::new(
                    AlertCode::BadPoint,
                    point.index() as u32,
                    last,
                    if *stuck {
                        Words::new(
                            format!("{point} 一直显示有子"),
                            format!("{point} shows a piece all the time"),
                        )
                    } else {
                        Words::new(format!("{point} 感应不到棋子"), format!("{point} senses no piece"))
                    },
                    Evidence::BadPoint { point: *point, stuck: *stuck },
                )
                .proposing(
                    "轮间检修；本局按其余证据续录",
                    "Mend between rounds; the game is followed without it",
                ),
            ),
            Finding::Confirmed(..) | Finding::Locked(_) => Vec::new(),
        }
    }

    fn back_one(&self) -> Remedy {
        self.plies().last().map_or(Remedy::default(), |ply| Remedy::one(Step::TakeBack(ply.read.no)))
    }

    fn wrong_set_up(&self, wrong: &[(Point, Option<Piece>)]) -> Notice {
        let points = wrong.iter().map(|(point, _)| *point).collect::<Vec<_>>();
        let at = self.clock().map_or(self.began(), |clock| clock.at);
        let data = Evidence::Points { points: wrong.to_vec(), running: None, left_ms: None };
        if wrong.len() == ALL_PIECES && wrong.iter().all(|(_, piece)| piece.is_some()) {
            let words = Words::new("红黑方向摆反", "The pieces stand the other way round");
            return Notice::new(AlertCode::WrongSeat, 0, at, words, data)
                .proposing("对调红黑", "Proposed: swap sides")
                .offering([Remedy::one(Step::SwapSides)]);
        }
        let words = if self.plies().is_empty() {
            Words::new(
                format!("开局摆棋有误：{}", places(self, &points)),
                format!("The set-up is wrong at {}", list(&points)),
            )
        } else {
            Words::new(
                format!("须按记录摆正：{}", places(self, &points)),
                format!("To be put right as recorded: {}", list(&points)),
            )
        };
        Notice::new(AlertCode::Setup, 0, at, words, data)
            .proposing("开钟前摆正", "Put it right before the clock starts")
            .offering([Remedy::one(Step::PutRight)])
    }

    /// Pieces disturbed: what the regulation says depends on whose clock ran and how much time it showed
    /// (碰乱棋子: a, article 8; b, article (五)).
    fn disturbed(&self, points: &[Point], running: Option<Side>, at: Epoch) -> Notice {
        let rule = self.regulation().disturbed;
        let left = running.and_then(|side| self.clock().map(|clock| self.left_at(clock, side, at)));
        let whose = running.map_or(("停钟时", "with the clocks stopped"), |side| match side {
            Side::Red => ("红方走时", "in Red's time"),
            Side::Black => ("黑方走时", "in Black's time"),
        });
        let words = Words::new(
            format!("{}棋子被碰乱：{}", whose.0, places(self, points)),
            format!("Pieces were disturbed {}: {}", whose.1, list(points)),
        );
        let mut data = self.points(points, running);
        if let Evidence::Points { left_ms, .. } = &mut data {
            *left_ms = left.map(|left| left.0);
        }
        let cause = self.plies().len() as u32 + 1;
        let notice = Notice::new(AlertCode::TouchOppTime, cause, at, words, data);
        let Some(owner) = running else {
            return notice
                .proposing("按记录摆正", "Put them right as recorded")
                .offering([Remedy::one(Step::PutRight)]);
        };
        let disturber = owner.opposite();
        let gain = Step::AddTime(owner, rule.opponent_gains.0);
        let foul = Step::Foul(disturber, Offence::Disturbing);
        let own_time = Remedy::one(Step::PutRight);
        if left.is_some_and(|left| left < rule.loses_below) {
            return notice
                .proposing("若系对方碰乱：判负", "If the opponent did it: loss")
                .offering([Remedy::loss(disturber, Ending::Foul), own_time])
                .at_stage(0, Severity::P0);
        }
        let minutes = (minutes_zh(rule.opponent_gains.0), minutes_en(rule.opponent_gains.0));
        let mut steps = vec![Step::PutRight, gain];
        let (mut zh, mut en) =
            (format!("若系对方碰乱：加{}", minutes.0), format!("If the opponent did it: {} more", minutes.1));
        if rule.foul {
            zh.push_str("，记犯规一次");
            en.push_str(" and a foul");
            steps.push(foul);
        }
        notice.proposing(zh, en).offering([Remedy(steps), own_time])
    }

    /// What a side had left at an instant after a reading of the clock.
    pub(crate) fn left_at(&self, clock: crate::ClockReading, side: Side, at: Epoch) -> Millis {
        let passed = if clock.running == Some(side) { at.since(clock.at).max(0) } else { 0 };
        Millis(clock.left()[side].0.saturating_sub(u32::try_from(passed).unwrap_or(u32::MAX)))
    }
}

fn reason(zh: &str, en: &str, ply: &RecordedPly, why: Option<Illegal>) -> Words {
    let (why_zh, why_en) = why
        .map_or((String::new(), String::new()), |why| (format!("：{}", why.zh()), format!(": {}", why.en())));
    Words::new(
        format!("{zh}第{}着 {} 违例{why_zh}", ply.read.no.0, ply.read.mv),
        format!("{en}'s ply {} {} is illegal{why_en}", ply.read.no.0, ply.read.mv),
    )
}

fn clear_from(ply: u32) -> Vec<Consequence> {
    [AlertCode::Illegal, AlertCode::SelfCheck, AlertCode::TouchMove, AlertCode::LostMove]
        .map(|code| Consequence::ClearFrom(code, ply))
        .into()
}
