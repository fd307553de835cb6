//! What follows from what players and arbiters say: signals, offers, fouls, misconduct, reported results.

use firmware_proto::{Epoch, PlayerSignal};
use xiangqi::{BySide, Side};

use crate::remedy::{Remedy, Step};
use crate::say::{side_en, side_zh};
use crate::{
    AlertCode, Consequence, DrawTalk, Ending, Evidence, Game, GameResult, Misconduct, Notice, Offence,
    Outcome, Severity, Words,
};

impl Game {
    pub(crate) fn after_signal(&self, side: Side, signal: PlayerSignal, at: Epoch) -> Vec<Consequence> {
        match signal {
            PlayerSignal::Resign => vec![Consequence::End(Outcome::resigned(side), at)],
            PlayerSignal::CallArbiter => vec![self.after_call(side, at)],
            PlayerSignal::Draw => self.after_draw_talk(side, at),
        }
    }

    pub(crate) fn after_call(&self, side: Side, at: Epoch) -> Consequence {
        let words =
            Words::new(format!("{}呼叫裁判", side_zh(side)), format!("{} calls the arbiter", side_en(side)));
        let cause = u32::from(side == Side::Black);
        Consequence::Raise(
            Notice::new(AlertCode::Call, cause, at, words, Evidence::Call { side })
                .offering([Remedy::default(), Remedy::one(Step::Pause)]),
        )
    }

    /// An offer, or its acceptance. In time trouble a draw may be claimed only before the last minutes and with
    /// the general not attacked (a, article 10).
    pub(crate) fn after_draw_talk(&self, side: Side, at: Epoch) -> Vec<Consequence> {
        match self.draw_talk() {
            DrawTalk::Agreed => return vec![Consequence::End(Outcome::agreed(), at)],
            DrawTalk::Offered { .. } | DrawTalk::Silent => {}
        }
        let left = self.clock().map(|clock| BySide::from_fn(|one| self.left_at(clock, one, at).0));
        let attacked = self.position().in_check(side);
        let above = self.regulation().draw_claim_above.0;
        let in_time = left.is_none_or(|left| left[side] >= above);
        let claimable = in_time && !attacked;
        let mut words =
            Words::new(format!("{}提和", side_zh(side)), format!("{} offers a draw", side_en(side)));
        let (accept, decline) = (Remedy::draw(Ending::Agreement), Remedy::one(Step::DeclineDraw));
        let data = Evidence::DrawOffer {
            side,
            plies: u16::try_from(self.plies().len()).unwrap_or(u16::MAX),
            left_ms: left,
            attacked,
            claimable,
        };
        if !in_time {
            words.zh.push_str(&format!("，所余时间不足{}分钟", above / 60_000));
            words.en.push_str(&format!(" with less than {} minutes left", above / 60_000));
        }
        if attacked {
            words.zh.push_str("，且正被将军");
            words.en.push_str(", in check");
        }
        let notice = Notice::new(AlertCode::DrawOffer, self.plies().len() as u32, at, words, data);
        vec![Consequence::Raise(if claimable {
            notice
                .proposing(
                    "对方同意即和；判和须看局面",
                    "A draw if the opponent agrees; else look at the position",
                )
                .offering([accept, decline])
        } else {
            notice
                .proposing("不得据此判和；对方同意仍可", "No claim any more; the opponent may still agree")
                .offering([decline, accept])
        })]
    }

    /// One foul before the limit the arbiter is told; at the limit a loss is proposed (三次犯规判负).
    pub(crate) fn after_foul(&self, side: Side, at: Epoch) -> Vec<Consequence> {
        let (fouls, limit) = (self.fouls()[side], self.regulation().fouls.fouls_lose);
        let illegal = self.offences(side, Offence::IllegalMove);
        let illegal_limit = self.regulation().fouls.illegal_moves_lose;
        let cause = u32::from(side == Side::Black);
        let mut words = Words::new(
            format!("{}犯规{fouls}次，{limit}次判负", side_zh(side)),
            format!("{} has {fouls} fouls; {limit} lose", side_en(side)),
        );
        if illegal > 0 {
            words.zh.push_str(&format!("；其中违规着法{illegal}次，{illegal_limit}次判负"));
            words.en.push_str(&format!("; {illegal} of them illegal moves, {illegal_limit} lose"));
        }
        let data = Evidence::Fouls { side, fouls, limit };
        if fouls >= limit || illegal >= illegal_limit {
            let notice = Notice::new(AlertCode::FoulLimit, cause, at, words, data)
                .proposing(format!("建议判{}负", side_zh(side)), format!("Proposed: {} loses", side_en(side)))
                .offering([
                    Remedy::loss(side, Ending::Foul),
                    Remedy::one(Step::TakeFoulBack(side, Offence::Other)),
                ]);
            vec![Consequence::ClearCause(AlertCode::FoulEdge, cause), Consequence::Raise(notice)]
        } else if fouls + 1 == limit || illegal + 1 == illegal_limit && illegal > 0 {
            vec![
                Consequence::ClearCause(AlertCode::FoulLimit, cause),
                Consequence::Raise(
                    Notice::new(AlertCode::FoulEdge, cause, at, words, data).offering([Remedy::default()]),
                ),
            ]
        } else {
            [AlertCode::FoulLimit, AlertCode::FoulEdge]
                .map(|code| Consequence::ClearCause(code, cause))
                .into()
        }
    }

    /// Regulation b, article 三: the telephone or smoking during play loses.
    pub(crate) fn after_misconduct(&self, side: Side, what: Misconduct, at: Epoch) -> Consequence {
        let words = Words::new(
            format!("{}{}", side_zh(side), what.zh()),
            format!("{}: {}", side_en(side), what.en()),
        );
        let cause = 16 * u32::from(side == Side::Black) + what as u32;
        let loss = Remedy::loss(side, Ending::Misconduct);
        let others =
            [Remedy::one(Step::Foul(side, Offence::Misconduct)), Remedy::one(Step::Warn(side, what))];
        let notice = Notice::new(AlertCode::Phone, cause, at, words, Evidence::Misconduct { side, what });
        let loses = match what {
            Misconduct::Phone | Misconduct::Smoking | Misconduct::Refusal => true,
            Misconduct::Advice | Misconduct::Disturbance => false,
        };
        Consequence::Raise(if loses {
            let remedies: Vec<_> = [loss].into_iter().chain(others).collect();
            notice
                .proposing(format!("建议判{}负", side_zh(side)), format!("Proposed: {} loses", side_en(side)))
                .offering(remedies)
        } else {
            let remedies: Vec<_> = others.into_iter().rev().chain([loss]).collect();
            notice.proposing("建议警告", "Proposed: a warning").offering(remedies)
        })
    }

    /// Reported results against each other and against the record.
    pub(crate) fn after_report(&self, at: Epoch) -> Vec<Consequence> {
        let recorded = self.outcome().map(|(outcome, _)| outcome.result);
        let reported: Vec<_> = self.reported().iter().map(|(source, result)| (*source, *result)).collect();
        let mut said: Vec<GameResult> = recorded.into_iter().collect();
        for (_, result) in &reported {
            if !said.contains(result) {
                said.push(*result);
            }
        }
        if reported.is_empty() || said.len() == 1 && recorded.is_some() {
            return [AlertCode::ResultConflict, AlertCode::NoResult].map(Consequence::Clear).into();
        }
        let each = |lang: fn(&(crate::ResultSource, GameResult)) -> String| {
            reported.iter().map(lang).collect::<Vec<_>>().join("，")
        };
        let mut words = Words::new(
            each(|(source, result)| format!("{}报{}", source.zh(), result.zh())),
            each(|(source, result)| format!("{} says {}", source.en(), result.en())),
        );
        if let Some(recorded) = recorded {
            words.zh = format!("记录为{}，{}", recorded.zh(), words.zh);
            words.en = format!("recorded: {}, {}", recorded.en(), words.en);
        }
        let remedies: Vec<_> = said
            .iter()
            .map(|result| Remedy::one(Step::End(Outcome { result: *result, ending: Ending::Ruling })))
            .collect();
        let data = Evidence::Results { recorded, reported };
        if said.len() == 1 {
            // The players agree on what the machine did not see.
            let notice = Notice::new(AlertCode::NoResult, 1, at, words, data)
                .proposing("双方所报一致则录入", "Enter it if both players say so")
                .offering(remedies)
                .at_stage(1, Severity::P2);
            return vec![Consequence::Clear(AlertCode::ResultConflict), Consequence::Raise(notice)];
        }
        let notice = Notice::new(AlertCode::ResultConflict, 0, at, words, data)
            .proposing("核对后选定；此前不编下一轮", "Ask both and choose; no pairing before that")
            .offering(remedies);
        vec![Consequence::Raise(notice)]
    }
}
