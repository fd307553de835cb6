//! What follows from many plies together: repetition and the natural limit.

use capture::PlyNo;
use firmware_proto::Epoch;
use xiangqi::judge::{CountFrom, Reason, Verdict};
use xiangqi::{BySide, Side};

use crate::cases::{RepetitionState, Ripe};
use crate::remedy::{Remedy, Step};
use crate::say::{side_en, side_zh};
use crate::{AlertCode, Consequence, Ending, Evidence, Game, Notice, VaryOrder, Words};

/// How many rounds before the natural limit the arbiter is told.
const LIMIT_NEARS: u32 = 5;

impl Game {
    /// The repetition after a completed ply, or after an order (循环, a article 11).
    pub(crate) fn after_repetition(&self, at: Epoch) -> Vec<Consequence> {
        match self.repetition() {
            RepetitionState::None => [AlertCode::RepNear, AlertCode::RepDone, AlertCode::RepDeadline]
                .map(Consequence::Clear)
                .into(),
            RepetitionState::Nearing(times) => vec![
                Consequence::Clear(AlertCode::RepDone),
                Consequence::Clear(AlertCode::RepDeadline),
                Consequence::Raise(
                    Notice::new(
                        AlertCode::RepNear,
                        0,
                        at,
                        Words::new(
                            format!("同一局面已出现{times}次"),
                            format!("The same position has occurred {times} times"),
                        ),
                        Evidence::Recurrence { times: *times },
                    )
                    .offering([Remedy::default()]),
                ),
            ],
            RepetitionState::Ripe(ripe) => {
                vec![
                    Consequence::Clear(AlertCode::RepNear),
                    Consequence::Clear(AlertCode::RepDeadline),
                    Consequence::Raise(self.ripe(ripe, at)),
                ]
            }
            RepetitionState::Persisted(ripe) => {
                vec![Consequence::Clear(AlertCode::RepDone), Consequence::Raise(self.persisted(ripe, at))]
            }
        }
    }

    fn ripe(&self, ripe: &Ripe, at: Epoch) -> Notice {
        let loser = ripe.judgement.verdict.loser();
        let order = VaryOrder { side: loser, by: ply_no(ripe.deadline) };
        let notice = self.repetition_notice(AlertCode::RepDone, ripe, at);
        match loser {
            Some(side) => notice
                .proposing(
                    format!("建议令{}变着，不变作负", side_zh(side)),
                    format!("Proposed: {} must vary, or loses", side_en(side)),
                )
                .offering([
                    Remedy::one(Step::Order(order)),
                    Remedy::loss(side, Ending::Repetition),
                    Remedy::draw(Ending::Repetition),
                ]),
            None => notice
                .proposing("双方不变作和", "If nobody varies: a draw")
                .offering([Remedy::one(Step::Order(order)), Remedy::draw(Ending::Repetition)]),
        }
    }

    fn persisted(&self, ripe: &Ripe, at: Epoch) -> Notice {
        let later = |side| Step::Order(VaryOrder { side, by: ply_no(ripe.deadline + 2) });
        let notice = self.repetition_notice(AlertCode::RepDeadline, ripe, at);
        match ripe.judgement.verdict.loser() {
            Some(side) => notice
                .proposing(
                    format!("不变作负：建议判{}负", side_zh(side)),
                    format!("Proposed: {} loses", side_en(side)),
                )
                .offering([Remedy::loss(side, Ending::Repetition), Remedy::one(later(Some(side)))]),
            None => notice
                .proposing("不变作和：建议判和", "Proposed: a draw")
                .offering([Remedy::draw(Ending::Repetition), Remedy::one(later(None))]),
        }
    }

    fn repetition_notice(&self, code: AlertCode, ripe: &Ripe, at: Epoch) -> Notice {
        let judgement = &ripe.judgement;
        let (first, last) = (ply_no(judgement.plies.start + 1), ply_no(judgement.plies.end));
        let doubtful =
            judgement.other_reading.is_some() || judgement.unresolved() || judgement.verdict == Verdict::None;
        let mut words = Words::new(
            format!("第{}至{}着循环。{}", first.0, last.0, judgement.why_zh()),
            format!("Plies {} to {} repeat. {}", first.0, last.0, judgement.why_en()),
        );
        if doubtful {
            words.zh.push_str("（疑案从无，请裁判核定）");
            words.en.push_str(" (open to another reading: no evidence, no offence)");
        }
        let ruled: Vec<PlyNo> = (judgement.plies.clone().zip(&judgement.classes))
            .filter(|(_, one)| one.reason == Reason::Ruled)
            .map(|(at, _)| ply_no(at + 1))
            .collect();
        if !ruled.is_empty() {
            words.zh.push_str("（按裁判改判）");
            words.en.push_str(" (classes as ruled by the arbiter)");
        }
        let data = Evidence::Repetition {
            first,
            last,
            classes: judgement.classes.iter().map(|one| one.class).collect(),
            must_vary: judgement.must_vary,
            loser: judgement.verdict.loser(),
            kind: judgement.kind,
            deadline: ply_no(ripe.deadline),
            doubtful,
            ruled,
        };
        Notice::new(code, ripe.since as u32, at, words, data)
    }

    /// The natural limit after a completed ply or a claim (自然限着: a article 7, b article (四)). Told when it
    /// nears, and when it is reached; a capture clears both.
    pub(crate) fn after_limit(&self, at: Epoch) -> Vec<Consequence> {
        let (count, excluded) = self.natural_limit();
        let (left, rule) = (count.rounds_left(), self.regulation().natural_limit);
        if left > LIMIT_NEARS {
            return [AlertCode::LimitNear, AlertCode::LimitDone].map(Consequence::Clear).into();
        }
        let (counted, all): (BySide<u32>, BySide<u32>) = (count.net(), count.raw());
        let words = Words::new(
            format!(
                "{}回合未吃子，其中{}着不计；限着{}回合",
                (all.red + all.black) / 2,
                excluded.len(),
                rule.rounds
            ),
            format!(
                "{} rounds without a capture, {} plies not counted; the limit is {}",
                (all.red + all.black) / 2,
                excluded.len(),
                rule.rounds
            ),
        );
        let claimant = count.claimant();
        let data = Evidence::Limit { left, rounds: rule.rounds, counted, all, excluded, claimant };
        if left > 0 {
            let notice = Notice::new(AlertCode::LimitNear, 0, at, words, data);
            return vec![
                Consequence::Clear(AlertCode::LimitDone),
                Consequence::Raise(notice.offering([Remedy::default()])),
            ];
        }
        let notice = Notice::new(AlertCode::LimitDone, 0, at, words, data);
        let draw = Remedy::draw(Ending::NaturalLimit);
        let next = ply_no(self.plies().len() + 1);
        let unclaimed = match rule.from {
            CountFrom::LastCapture => false,
            CountFrom::Claim => claimant.is_none(),
        };
        let notice = if unclaimed {
            let claims = [Side::Red, Side::Black].map(|side| Remedy::one(Step::ClaimLimit(side, next)));
            notice
                .proposing("一方提出后，由裁判数着", "Counted by the arbiter once a side claims it")
                .offering(claims.into_iter().chain([draw]))
        } else {
            notice.proposing("建议判和", "Proposed: a draw").offering([draw])
        };
        vec![Consequence::Clear(AlertCode::LimitNear), Consequence::Raise(notice)]
    }
}

fn ply_no(plies: usize) -> PlyNo {
    PlyNo(u16::try_from(plies).unwrap_or(u16::MAX))
}
