//! Entry forms: registration and amendment, findings, fees, check-in.

use arbitration::Words;
use firmware_proto::Epoch;
use tournament::{GroupNo, Money};

use super::{reason, with};
use crate::desk::roster::{File, Form, FormNo, Judged, Payment, Ruling};
use crate::desk::rules::Rule;
use crate::desk::{Desk, DeskFact, DeskRefusal};

fn named_in_full(form: &Form) -> Result<(), DeskRefusal> {
    let nameless = form.players.iter().any(|player| player.name.trim().is_empty());
    let team = form.team.as_ref().is_some_and(|team| team.trim().is_empty());
    if form.players.is_empty() || nameless || team { Err(DeskRefusal::Nameless) } else { Ok(()) }
}

fn filed(no: FormNo, file: File, did: Words) -> DeskFact {
    DeskFact::Filed { no, file: Some(Box::new(file)), did }
}

impl Desk {
    pub(super) fn file(&self, no: FormNo) -> Result<&File, DeskRefusal> {
        self.files.get(&no).ok_or(DeskRefusal::NoForm(no))
    }

    fn is_drawn(&self, no: FormNo) -> bool {
        self.whose.values().any(|whom| whom.form == no)
    }

    pub(super) fn register(&self, form: Form, late: bool, now: Epoch) -> Result<DeskFact, DeskRefusal> {
        named_in_full(&form)?;
        let closed = self.settings.closes.is_some_and(|closes| closes < now);
        if closed && !late {
            return Err(DeskRefusal::Closed);
        }
        let did = Words::new(format!("报名 {}", form.name()), format!("entered: {}", form.name()));
        Ok(filed(self.next_form(), File::new(form, now, closed), did))
    }

    pub(super) fn amend(&self, no: FormNo, form: Form, paired: bool) -> Result<DeskFact, DeskRefusal> {
        named_in_full(&form)?;
        let file = self.file(no)?;
        let reshaped = form.players.len() != file.form.players.len();
        if self.is_drawn(no) && (reshaped || form.team.is_some() != file.form.team.is_some()) {
            return Err(DeskRefusal::Drawn(no));
        }
        if self.is_drawn(no) {
            let asked = |form: &Form| -> Vec<Option<GroupNo>> {
                form.players.iter().map(|player| self.settings.group_asked(player)).collect()
            };
            if asked(&form).contains(&None) {
                return Err(DeskRefusal::NoGroup(self.ungrouped(&form)));
            }
            if paired && asked(&form) != asked(&file.form) {
                return Err(DeskRefusal::Fixed(
                    "第1轮公布后不能换组；请在原组退赛，在新组补报",
                    "nobody changes groups once round 1 is published: withdraw, and enter late in the other group",
                ));
            }
        }
        Ok(filed(no, File { form, ..file.clone() }, Words::new("改资料", "changed")))
    }

    /// Who of a form asks for no group that there is.
    pub(super) fn ungrouped(&self, form: &Form) -> Vec<String> {
        let without = form.players.iter().filter(|player| self.settings.group_asked(player).is_none());
        without.map(|player| player.name.clone()).collect()
    }

    pub(super) fn strike(&self, no: FormNo, why: &str) -> Result<DeskFact, DeskRefusal> {
        let why = reason(why)?;
        if self.is_drawn(no) {
            return Err(DeskRefusal::Drawn(no));
        }
        let did = with("撤销报名", "entry withdrawn", &why);
        Ok(filed(no, File { struck: Some(why), ..self.file(no)?.clone() }, did))
    }

    pub(super) fn restore(&self, no: FormNo) -> Result<DeskFact, DeskRefusal> {
        Ok(filed(
            no,
            File { struck: None, ..self.file(no)?.clone() },
            Words::new("恢复报名", "entry restored"),
        ))
    }

    pub(super) fn judge(
        &self,
        no: FormNo,
        rule: Rule,
        ruling: Option<Ruling>,
        why: &str,
        (by, at): (&str, Epoch),
    ) -> Result<DeskFact, DeskRefusal> {
        let mut file = self.file(no)?.clone();
        let asks = rule.words(&self.settings);
        let did = match ruling {
            Some(ruling) => {
                let why = if ruling == Ruling::Waived { reason(why)? } else { why.trim().to_owned() };
                let did = with(
                    format!("{} {}", asks.zh, ruling.zh()),
                    format!("{}: {}", asks.en, ruling.en()),
                    &why,
                );
                file.judged.insert(rule, Judged { ruling, why, by: by.to_owned(), at });
                did
            }
            None => {
                file.judged.remove(&rule);
                Words::new(format!("{} 重新待审", asks.zh), format!("{}: to be decided anew", asks.en))
            }
        };
        Ok(filed(no, file, did))
    }

    pub(super) fn pay(
        &self,
        no: FormNo,
        amount: Money,
        receipt: String,
        payer: String,
        at: Epoch,
    ) -> Result<DeskFact, DeskRefusal> {
        let mut file = self.file(no)?.clone();
        let did = Words::new(
            format!("缴费{amount}元 收据{receipt}"),
            format!("paid {amount} yuan, receipt {receipt}"),
        );
        file.payments.push(Payment { amount, receipt, payer, at });
        Ok(filed(no, file, did))
    }

    pub(super) fn check_in(&self, no: FormNo, here: bool, now: Epoch) -> Result<DeskFact, DeskRefusal> {
        let file = File { here: here.then_some(now), ..self.file(no)?.clone() };
        Ok(filed(
            no,
            file,
            if here {
                Words::new("报到", "checked in")
            } else {
                Words::new("取消报到", "check-in taken back")
            },
        ))
    }

    pub(super) fn check(&self, no: FormNo, item: String, done: bool) -> Result<DeskFact, DeskRefusal> {
        let mut file = self.file(no)?.clone();
        let did = if done {
            Words::new(format!("{item} 已办"), format!("{item}: done"))
        } else {
            Words::new(format!("{item} 未办"), format!("{item}: not done"))
        };
        if done {
            file.checks.insert(item);
        } else {
            file.checks.remove(&item);
        }
        Ok(filed(no, file, did))
    }
}
