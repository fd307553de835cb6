//! What is offered to the arbiter: a remedy is a list of steps that are taken together.

use capture::PlyNo;
use serde::{Deserialize, Serialize};
use xiangqi::{Move, Side};

use crate::say::{minutes_en, minutes_zh, side_en, side_zh};
use crate::{GameResult, Misconduct, Offence, Outcome, VaryOrder, Words};

/// A remedy: its steps are taken together, in order; none: it is left as it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Remedy(pub Vec<Step>);

/// One thing that is done about an alert.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// The game ends so.
    End(Outcome),
    /// A foul is given.
    Foul(Side, Offence),
    /// One foul is taken back.
    TakeFoulBack(Side, Offence),
    /// The plies from this one on are taken back.
    TakeBack(PlyNo),
    /// These were the plies from that one on.
    Enter(PlyNo, Vec<Move>),
    /// This is added to a side's time, ms.
    AddTime(Side, u32),
    /// This side's time runs on.
    Run(Side),
    /// The pieces are put right as recorded; the server sees when it is done.
    PutRight,
    /// The order to vary.
    Order(VaryOrder),
    /// The natural limit is counted from this ply on, for this claimant.
    ClaimLimit(Side, PlyNo),
    /// The offer of a draw is declined or invalid.
    DeclineDraw,
    /// The player is warned.
    Warn(Side, Misconduct),
    /// The player is there.
    Present(Side),
    /// The players sit the other way round: Red is where Black was thought to be.
    SwapSides,
    /// The clocks of this table stop.
    Pause,
    /// The clocks of all tables stop.
    PauseAll,
}

impl Remedy {
    /// One step.
    pub(crate) fn one(step: Step) -> Remedy {
        Remedy(vec![step])
    }

    /// The side loses, by this ending.
    pub(crate) fn loss(side: Side, ending: crate::Ending) -> Remedy {
        Remedy::one(Step::End(Outcome { result: GameResult::win(side.opposite()), ending }))
    }

    /// A draw, by this ending.
    pub(crate) fn draw(ending: crate::Ending) -> Remedy {
        Remedy::one(Step::End(Outcome { result: GameResult::Draw, ending }))
    }

    /// The words of its button.
    #[must_use]
    pub fn words(&self) -> Words {
        if self.0.is_empty() {
            return Words::new("不予处理", "Let it stand");
        }
        let words: Vec<_> = self.0.iter().map(Step::words).collect();
        let zh: Vec<_> = words.iter().map(|words| words.zh.as_str()).collect();
        let en: Vec<_> = words.iter().map(|words| words.en.as_str()).collect();
        Words::new(zh.join("，"), en.join(", "))
    }
}

impl Step {
    /// The words for it.
    #[must_use]
    pub fn words(&self) -> Words {
        match self {
            Step::End(outcome) => Words::new(
                format!("判{}（{}）", outcome.result.zh(), outcome.ending.zh()),
                format!("{} ({})", outcome.result.en(), outcome.ending.en()),
            ),
            Step::Foul(side, offence) => Words::new(
                format!("记{}犯规（{}）", side_zh(*side), offence.zh()),
                format!("foul for {} ({})", side_en(*side), offence.en()),
            ),
            Step::TakeFoulBack(side, _) => Words::new(
                format!("撤销{}犯规一次", side_zh(*side)),
                format!("take back a foul of {}", side_en(*side)),
            ),
            Step::TakeBack(from) => {
                Words::new(format!("退回第{}着", from.0), format!("take back from ply {}", from.0))
            }
            Step::Enter(from, line) => {
                let moves: Vec<_> = line.iter().map(ToString::to_string).collect();
                Words::new(
                    format!("第{}着起记为 {}", from.0, moves.join(" ")),
                    format!("from ply {}: {}", from.0, moves.join(" ")),
                )
            }
            Step::AddTime(side, ms) => Words::new(
                format!("{}加{}", side_zh(*side), minutes_zh(*ms)),
                format!("{} more for {}", minutes_en(*ms), side_en(*side)),
            ),
            Step::Run(side) => {
                Words::new(format!("{}走时", side_zh(*side)), format!("run {}'s time", side_en(*side)))
            }
            Step::PutRight => Words::new("按记录摆正", "put the pieces right"),
            Step::Order(order) => {
                let (zh, en) =
                    order.side.map_or(("双方", "either side"), |side| (side_zh(side), side_en(side)));
                Words::new(
                    format!("令{zh}变着（至第{}着）", order.by.0),
                    format!("{en} must vary by ply {}", order.by.0),
                )
            }
            Step::ClaimLimit(side, from) => Words::new(
                format!("{}提出，自第{}着计数", side_zh(*side), from.0),
                format!("{} claims, counted from ply {}", side_en(*side), from.0),
            ),
            Step::DeclineDraw => Words::new("不成立，继续", "declined or invalid: play on"),
            Step::Warn(side, _) => {
                Words::new(format!("警告{}", side_zh(*side)), format!("warn {}", side_en(*side)))
            }
            Step::Present(side) => {
                Words::new(format!("{}已到场", side_zh(*side)), format!("{} is there", side_en(*side)))
            }
            Step::SwapSides => Words::new("红黑对调", "swap sides"),
            Step::Pause => Words::new("本台停钟", "stop the clocks"),
            Step::PauseAll => Words::new("全场停钟", "stop all clocks"),
        }
    }
}
