//! What follows from what the board shows: irregular plies, disorder, touched pieces, the set-up.

use capture::{Doubt, Finding, Irregularity, PlyNo};
use firmware_proto::Epoch;
use xiangqi::{Illegal, Piece, Point, Side};

use crate::remedy::{Remedy, Step};
use crate::say::{list, places, side_en, side_zh};
use crate::{AlertCode, Consequence, Ending, Evidence, Game, Notice, Offence, RecordedPly, Words};

/// All pieces of a set stand where the other colour should: the players sit the other way round.
const ALL_PIECES: usize = 32;

/// Beside players on the wrong sides: the cause of the alert that it is the clock that is turned.
const TURNED_CLOCK: u32 = u32::MAX;

/// A piece that was off its point for so long, ms, was clearly held: what is shorter is an adjustment or a slip.
const HELD: u32 = 800;

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

    pub(crate) fn points(&self, points: &[Point], running: Option<Side>) -> Evidence {
        Evidence::Points {
            points: points.iter().map(|point| (*point, self.position().piece_at(*point))).collect(),
            running,
            left_ms: running.and_then(|side| self.clock().map(|clock| clock.left()[side].0)),
            who: None,
        }
    }

    /// One of these points senses no piece.
    fn suspects(&self, points: &[Point]) -> Notice {
        let last = self.plies().last().map_or(Epoch(0), |ply| ply.read.at);
        let (zh, en) = match points {
            [only] => (format!("{only} 可能感应不到棋子"), format!("{only} may sense no piece")),
            _ => (
                format!("{} 中有一点感应不到棋子", list(points)),
                format!("One of {} senses no piece", list(points)),
            ),
        };
        Notice::new(AlertCode::BadPoint, SUSPECTS, last, Words::new(zh, en), self.points(points, None))
            .proposing(
                "请用一枚棋子逐点试验；本局按其余证据续录",
                "Proposed: try each point with a piece; the game is followed meanwhile",
            )
    }

    pub(crate) fn after_board(&self, finding: &Finding) -> Vec<Consequence> {
        let next = self.plies().len() as u32 + 1;
        let last = self.plies().last().map_or(Epoch(0), |ply| ply.read.at);
        let raise = |notice| vec![Consequence::Raise(notice)];
        match finding {
            Finding::Read(read) => {
                let no = u32::from(read.no.0);
                let mut cleared = clear_from(no);
                // Who enters a ply says what was played after the one before it.
                if read.irregular == Some(Irregularity::Entered) {
                    cleared.push(Consequence::ClearFrom(AlertCode::LostMove, no.saturating_sub(1)));
                }
                cleared
            }
            Finding::Withdrawn(from) => clear_from(u32::from(from.0)),
            Finding::Mismatch { points, since } => raise(
                self.disturbed_a_little(points, *since).unwrap_or_else(|| self.mismatch(points, *since)),
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
            Finding::ClockTurned(side, at) => raise(
                Notice::new(
                    AlertCode::WrongSeat,
                    TURNED_CLOCK,
                    *at,
                    Words::new(
                        "棋钟似放反：着着都按了未走棋一方的钟",
                        "The clock seems to stand the wrong way round: ply after ply the other lever was pressed",
                    ),
                    Evidence::Press { side: *side, at: *at },
                )
                .proposing(
                    "停钟，转正棋钟，核对双方用时",
                    "Stop the clock, turn it round, check both times",
                )
                .offering([Remedy::one(Step::Pause)]),
            ),
            Finding::TouchMove { side, touched, played, held } => {
                self.touched(*side, *touched, *played, *held).map(Consequence::Raise).into_iter().collect()
            }
            Finding::Ambiguous { from, lines, dearer, doubt } => {
                let words = doubtful(*from, lines.len(), *doubt);
                let evidence = Evidence::Readings {
                    from: *from,
                    lines: lines.clone(),
                    dearer: dearer.clone(),
                    doubt: *doubt,
                };
                let (zh, en) = if lines.is_empty() {
                    ("请询问双方后补录", "Proposed: ask the players and enter what was played")
                } else {
                    ("请核对后选定", "Proposed: ask the players and choose")
                };
                raise(
                    Notice::new(AlertCode::LostMove, u32::from(from.0), last, words, evidence)
                        .proposing(zh, en)
                        .offering(lines.iter().map(|line| Remedy::one(Step::Enter(*from, line.clone())))),
                )
            }
            Finding::SetUp { wrong } => raise(self.wrong_set_up(wrong)),
            Finding::SetUpRight => {
                vec![Consequence::Clear(AlertCode::Setup), Consequence::Clear(AlertCode::WrongSeat)]
            }
            Finding::Suspects { points } => raise(self.suspects(points)),
            Finding::BadPoint { point, stuck } => {
                let bad = Consequence::Raise(bad_point(*point, *stuck, last));
                // A silent point that is known by itself is suspected with others no longer.
                let known = (!stuck).then_some(Consequence::ClearCause(AlertCode::BadPoint, SUSPECTS));
                known.into_iter().chain([bad]).collect()
            }
            Finding::Confirmed(..) | Finding::Locked(_) => Vec::new(),
        }
    }

    fn mismatch(&self, points: &[Point], since: Epoch) -> Notice {
        let words = Words::new(
            format!("盘面与记录不符：{}", places(self, points)),
            format!("The board does not fit the record at {}", list(points)),
        );
        let data = self.points(points, self.clock().and_then(|clock| clock.running));
        Notice::new(AlertCode::PosMismatch, self.differs_from(), since, words, data)
            .proposing("建议按记录摆正", "Proposed: put the board right as recorded")
            .offering([Remedy::one(Step::PutRight), self.back_one()])
    }

    /// A piece was held, put back, and another one moved (摸子走子). An alert only where an arbiter has something to act
    /// on: it was clearly held, and it could have moved. The rest stands on the timeline.
    fn touched(&self, side: Side, touched: Point, played: PlyNo, held: u32) -> Option<Notice> {
        let ply = self.ply(played)?;
        let could_move = self.before(ply).legal_moves().iter().any(|mv| mv.from == touched);
        if held < HELD || !could_move {
            return None;
        }
        let seconds = f64::from(held) / 1e3;
        let evidence = Evidence::Touch { side, touched, played, held_ms: held };
        let words = Words::new(
            format!("{}先提起{touched}的棋子{seconds:.1}秒，放回后另走", side_zh(side)),
            format!(
                "{} lifted the piece on {touched} for {seconds:.1} s, put it back and moved another",
                side_en(side)
            ),
        );
        let (back, run) = (Step::TakeBack(played), Step::Run(side));
        let foul = Step::Foul(side, Offence::TouchMove);
        Some(
            Notice::new(AlertCode::TouchMove, u32::from(played.0), ply.read.at, words, evidence)
                .offering([Remedy(vec![back.clone(), run.clone()]), Remedy(vec![back, foul, run])]),
        )
    }

    fn back_one(&self) -> Remedy {
        self.plies().last().map_or(Remedy::default(), |ply| Remedy::one(Step::TakeBack(ply.read.no)))
    }

    fn wrong_set_up(&self, wrong: &[(Point, Option<Piece>)]) -> Notice {
        let points = wrong.iter().map(|(point, _)| *point).collect::<Vec<_>>();
        let at = self.clock().map_or(self.began(), |clock| clock.at);
        let data = Evidence::Points { points: wrong.to_vec(), running: None, left_ms: None, who: None };
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
}

fn reason(zh: &str, en: &str, ply: &RecordedPly, why: Option<Illegal>) -> Words {
    let (why_zh, why_en) = why
        .map_or((String::new(), String::new()), |why| (format!("：{}", why.zh()), format!(": {}", why.en())));
    Words::new(
        format!("{zh}第{}着 {} 违例{why_zh}", ply.read.no.0, ply.read.mv),
        format!("{en}'s ply {} {} is illegal{why_en}", ply.read.no.0, ply.read.mv),
    )
}

/// What is doubtful from a ply on, and why.
fn doubtful(from: PlyNo, readings: usize, doubt: Doubt) -> Words {
    let no = from.0;
    match doubt {
        Doubt::Rival | Doubt::Untouched if readings < 2 => {
            Words::new(format!("第{no}着起的记录可疑"), format!("From ply {no} on the record is doubtful"))
        }
        Doubt::Rival => Words::new(
            format!("第{no}着起有{readings}种解释"),
            format!("From ply {no} there are {readings} readings"),
        ),
        Doubt::Untouched => Words::new(
            format!("第{no}着吃了何子盘上未显，有{readings}种解释"),
            format!("What ply {no} captured did not show: {readings} readings"),
        ),
        Doubt::SamePosition => Words::new(
            format!("第{no}着起有{readings}种走法到同一局面"),
            format!("From ply {no} on {readings} lines lead to the same position"),
        ),
        Doubt::Unexplained => Words::new(
            format!("第{no}着起的记录可疑：盘上的动作多有未解"),
            format!("From ply {no} on the record is doubtful: much on the board is not explained by it"),
        ),
        Doubt::Revised => Words::new(
            format!("第{no}着起改记：已确认的着法为后来所见推翻"),
            format!("From ply {no} on the record was changed: what had been confirmed did not hold"),
        ),
        Doubt::Missed => {
            let (zh, en) = match no {
                0 => ("开局".to_owned(), "the start".to_owned()),
                no => (format!("第{no}着"), format!("ply {no}")),
            };
            Words::new(
                format!("{zh}后看不到棋盘，其间按过钟：走了哪些着不明"),
                format!(
                    "After {en} the board could not be seen, and the clock was pressed: what was played is not known"
                ),
            )
        }
        Doubt::Unseen => Words::new(
            format!("终局时看不到棋盘：第{no}着起是否还有着法不明"),
            format!("The board could not be seen at the end: whether ply {no} was played is not known"),
        ),
    }
}

/// The cause of an alert that names several points: behind those of single ones.
const SUSPECTS: u32 = Point::COUNT as u32;

fn bad_point(point: Point, stuck: bool, at: Epoch) -> Notice {
    let words = if stuck {
        Words::new(format!("{point} 一直显示有子"), format!("{point} shows a piece all the time"))
    } else {
        Words::new(format!("{point} 感应不到棋子"), format!("{point} senses no piece"))
    };
    Notice::new(AlertCode::BadPoint, point.index() as u32, at, words, Evidence::BadPoint { point, stuck })
        .proposing("轮间检修；本局按其余证据续录", "Mend between rounds; the game is followed without it")
}

fn clear_from(ply: u32) -> Vec<Consequence> {
    [AlertCode::Illegal, AlertCode::SelfCheck, AlertCode::TouchMove, AlertCode::LostMove]
        .map(|code| Consequence::ClearFrom(code, ply))
        .into()
}
