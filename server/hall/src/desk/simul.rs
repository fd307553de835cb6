//! 车轮战: the simultaneous exhibition beside the event. Masters play everybody who entered; who wins or draws is paid.

use std::collections::BTreeMap;

use arbitration::Words;
use firmware_proto::Epoch;
use serde::{Deserialize, Serialize};
use tournament::Money;

use super::decide::with;
use super::roster::Payment;
use super::{DeskFact, DeskRefusal};

/// The number of a challenger, from 1 in the order of entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ChallengerNo(pub u16);

/// What the organiser announces.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SimulTerms {
    /// The masters, in the order in which challengers are given to them.
    pub masters: Vec<String>,
    /// When and where, as it is printed.
    pub when: String,
    /// When the entries close.
    pub closes: Option<Epoch>,
    /// The fee.
    pub fee: Money,
    /// The fee of members (会员).
    pub member_fee: Money,
    /// What a challenger's win pays.
    pub win: Money,
    /// What a draw pays.
    pub draw: Money,
}

/// A challenger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Challenger {
    /// Name.
    pub name: String,
    /// Club or town.
    pub unit: String,
    /// Whether a member of the association.
    pub member: bool,
    /// Which of the masters, counted from 0.
    pub master: u16,
    /// What was paid in.
    pub payments: Vec<Payment>,
    /// How it ended for the challenger.
    pub result: Option<SimulResult>,
    /// Taken back, and why.
    pub struck: Option<String>,
}

/// How a game of the exhibition ended, for the challenger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SimulResult {
    /// 胜.
    Won,
    /// 和.
    Drawn,
    /// 负.
    Lost,
}

impl SimulResult {
    /// All.
    pub const ALL: [SimulResult; 3] = [SimulResult::Won, SimulResult::Drawn, SimulResult::Lost];

    /// 胜, 和, 负.
    #[must_use]
    pub const fn zh(self) -> &'static str {
        match self {
            SimulResult::Won => "胜",
            SimulResult::Drawn => "和",
            SimulResult::Lost => "负",
        }
    }

    /// The same in English.
    #[must_use]
    pub const fn en(self) -> &'static str {
        match self {
            SimulResult::Won => "won",
            SimulResult::Drawn => "drawn",
            SimulResult::Lost => "lost",
        }
    }
}

/// The exhibition as it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Simul {
    /// What was announced.
    pub terms: SimulTerms,
    /// Who entered.
    pub challengers: BTreeMap<ChallengerNo, Challenger>,
}

impl Simul {
    /// What a challenger owes in all.
    #[must_use]
    pub fn due(&self, challenger: &Challenger) -> Money {
        match (&challenger.struck, challenger.member) {
            (Some(_), _) => Money(0),
            (None, true) => self.terms.member_fee,
            (None, false) => self.terms.fee,
        }
    }

    /// What a challenger is paid.
    #[must_use]
    pub fn paid_out(&self, challenger: &Challenger) -> Money {
        match challenger.result {
            Some(SimulResult::Won) => self.terms.win,
            Some(SimulResult::Drawn) => self.terms.draw,
            Some(SimulResult::Lost) | None => Money(0),
        }
    }

    /// A master's challengers at the boards 1, 2, 3, …
    pub fn boards(&self, master: u16) -> impl Iterator<Item = (u16, ChallengerNo, &Challenger)> {
        let playing =
            self.challengers.iter().filter(move |(_, it)| it.master == master && it.struck.is_none());
        (1..).zip(playing).map(|(board, (no, challenger))| (board, *no, challenger))
    }

    /// The master with the fewest challengers, the first of them.
    fn next_master(&self) -> u16 {
        let masters = 0..self.terms.masters.len() as u16;
        masters.min_by_key(|master| self.boards(*master).count()).unwrap_or(0)
    }
}

/// What the desk does with the exhibition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SimulAct {
    /// The terms are these.
    Announce(Box<SimulTerms>),
    /// Somebody enters.
    Enter {
        /// Name.
        name: String,
        /// Club or town.
        unit: String,
        /// Whether a member.
        member: bool,
        /// The master wished for, counted from 0; `None`: whoever has the fewest challengers.
        master: Option<u16>,
        /// After the deadline, on the organiser's word.
        late: bool,
    },
    /// An entry is taken back.
    Strike {
        /// Whose.
        no: ChallengerNo,
        /// Why.
        why: String,
    },
    /// Money comes in.
    Pay {
        /// Whose.
        no: ChallengerNo,
        /// How much.
        amount: Money,
        /// 收据号.
        receipt: String,
    },
    /// A game ended; `None`: the result is taken back.
    Result {
        /// Whose.
        no: ChallengerNo,
        /// How, for the challenger.
        result: Option<SimulResult>,
    },
}

impl Simul {
    /// What an act makes of the exhibition, or why it is refused.
    pub(crate) fn decide(&self, act: SimulAct, now: Epoch) -> Result<DeskFact, DeskRefusal> {
        let mut simul = self.clone();
        let did = match act {
            SimulAct::Announce(terms) => {
                let masters = terms.masters.len() as u16;
                if self.challengers.values().any(|it| it.struck.is_none() && it.master >= masters) {
                    return Err(DeskRefusal::Fixed(
                        "已有人分到这位名手，不能删去",
                        "challengers are given to that master: he cannot be left out",
                    ));
                }
                simul.terms = *terms;
                Words::new("公布办法", "terms announced")
            }
            SimulAct::Enter { name, unit, member, master, late } => {
                let (name, unit) = (name.trim().to_owned(), unit.trim().to_owned());
                if name.is_empty() {
                    return Err(DeskRefusal::Nameless);
                }
                let masters = self.terms.masters.len() as u16;
                if masters == 0 || master.is_some_and(|master| master >= masters) {
                    return Err(DeskRefusal::Fixed("先填写名手", "name the masters first"));
                }
                if self.terms.closes.is_some_and(|closes| closes < now) && !late {
                    return Err(DeskRefusal::Closed);
                }
                let no = ChallengerNo(self.challengers.keys().next_back().map_or(1, |last| last.0 + 1));
                let did = Words::new(format!("报名 {name}"), format!("entered: {name}"));
                let master = master.unwrap_or_else(|| self.next_master());
                let challenger = Challenger {
                    name,
                    unit,
                    member,
                    master,
                    payments: Vec::new(),
                    result: None,
                    struck: None,
                };
                simul.challengers.insert(no, challenger);
                did
            }
            SimulAct::Strike { no, why } => {
                let why = super::decide::reason(&why)?;
                let challenger = simul.of(no)?;
                let did = with(
                    format!("{} 撤销报名", challenger.name),
                    format!("{}: entry withdrawn", challenger.name),
                    &why,
                );
                (challenger.struck, challenger.result) = (Some(why), None);
                did
            }
            SimulAct::Pay { no, amount, receipt } => {
                let challenger = simul.of(no)?;
                let name = &challenger.name;
                let did = Words::new(
                    format!("{name} 缴费{amount}元 收据{receipt}"),
                    format!("{name} paid {amount} yuan, receipt {receipt}"),
                );
                let payer = challenger.name.clone();
                challenger.payments.push(Payment { amount, receipt, payer, at: now });
                did
            }
            SimulAct::Result { no, result } => {
                let challenger = simul.of(no)?;
                challenger.result = result;
                let name = &challenger.name;
                Words::new(
                    format!("{name} {}", result.map_or("撤回成绩", SimulResult::zh)),
                    format!("{name}: {}", result.map_or("result taken back", SimulResult::en)),
                )
            }
        };
        Ok(DeskFact::Simul { simul: Box::new(simul), did })
    }

    fn of(&mut self, no: ChallengerNo) -> Result<&mut Challenger, DeskRefusal> {
        let entered = self.challengers.get_mut(&no).filter(|it| it.struck.is_none());
        entered.ok_or(DeskRefusal::Fixed("没有这位参赛者", "there is no such challenger"))
    }
}
