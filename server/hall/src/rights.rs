//! What each role may do (权限): the one place that says so, for acts and for pages.

use crate::desk::DeskAct;
use crate::{Act, Role};

/// A part of the pages that not everybody may enter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// 值班台: alerts, tables, remedies.
    Duty,
    /// 日志: who did what.
    Journal,
    /// 赛务: entries, pairings, results, documents.
    Desk,
    /// 直播 without the event's delay.
    Undelayed,
    /// 设备: boards, clocks, gateways, and their self-test.
    Devices,
    /// 账户: who may sign in.
    Accounts,
}

impl Role {
    /// Reads [`Role::code`].
    #[must_use]
    pub fn parse(code: &str) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.code() == code)
    }

    /// Whether somebody of this role may do this.
    #[must_use]
    pub fn may(self, act: &Act) -> bool {
        self.is_one_of(doers(act))
    }

    /// Whether somebody of this role may enter there.
    #[must_use]
    pub fn sees(self, room: Room) -> bool {
        self.is_one_of(match room {
            Room::Duty => AT_THE_BOARDS,
            Room::Journal => &[Role::ChiefArbiter, Role::Arbiter, Role::Organiser],
            Room::Desk => AT_THE_DESK,
            Room::Undelayed => {
                &[Role::ChiefArbiter, Role::Arbiter, Role::PairingOfficer, Role::Organiser, Role::Commentator]
            }
            Room::Devices => IN_THE_HALL,
            Room::Accounts => CHIEF,
        })
    }

    fn is_one_of(self, roles: &[Role]) -> bool {
        roles.contains(&self)
    }
}

const CHIEF: &[Role] = &[Role::ChiefArbiter];
const AT_THE_BOARDS: &[Role] = &[Role::ChiefArbiter, Role::Arbiter];
const IN_THE_HALL: &[Role] = &[Role::ChiefArbiter, Role::Arbiter, Role::PairingOfficer, Role::Organiser];
const AT_THE_DESK: &[Role] = &[Role::ChiefArbiter, Role::PairingOfficer, Role::Organiser];
const PAIRING: &[Role] = &[Role::ChiefArbiter, Role::PairingOfficer];

/// Who may do this.
fn doers(act: &Act) -> &'static [Role] {
    match act {
        Act::Open { .. } | Act::Enter(_) | Act::Draw => AT_THE_DESK,
        // Devices are changed and tested by whoever is nearest.
        Act::Bind(_) | Act::SelfTest { .. } => IN_THE_HALL,
        // What runs on every board and clock: nobody's on the way past.
        Act::OfferFirmware(_) | Act::WithdrawFirmware => &[Role::ChiefArbiter, Role::Organiser],
        Act::Pair | Act::Start => PAIRING,
        // Slips come to the desk, rulings from the boards.
        Act::Result { .. } | Act::Report { .. } => {
            &[Role::ChiefArbiter, Role::Arbiter, Role::PairingOfficer]
        }
        // An empty list is the whole hall: the chief's to decide.
        Act::Pause(tables) | Act::Resume(tables) if tables.is_empty() => CHIEF,
        Act::Reopen(_)
        | Act::Foul { .. }
        | Act::Misconduct { .. }
        | Act::Warn { .. }
        | Act::OfferDraw { .. }
        | Act::DeclineDraw(_)
        | Act::Order { .. }
        | Act::ClaimLimit { .. }
        | Act::Classify { .. }
        | Act::Walk(_)
        | Act::Call { .. }
        | Act::Present { .. }
        | Act::Correct { .. }
        | Act::SetClock { .. }
        | Act::AddTime { .. }
        | Act::Run { .. }
        | Act::PutRight(_)
        | Act::Swap(_)
        | Act::Pause(_)
        | Act::Resume(_)
        | Act::Claim(_)
        | Act::Assign { .. }
        | Act::Settle { .. }
        | Act::Dismiss { .. }
        | Act::Recall(_)
        | Act::Remedy { .. }
        // What is undone is checked again by the hall.
        | Act::Undo(_) => AT_THE_BOARDS,
        // What the public sees, and what is said about a move.
        Act::Show(_) => AT_THE_DESK,
        Act::Desk(act) => at_the_desk(act),
        Act::Note { .. } => &[Role::ChiefArbiter, Role::Arbiter, Role::Organiser, Role::Commentator],
    }
}

/// Who may do what at the desk: the organiser sees to entries and settings, the pairing officer to rounds.
fn at_the_desk(act: &DeskAct) -> &'static [Role] {
    match act {
        DeskAct::Set { .. }
        | DeskAct::Register { .. }
        | DeskAct::Amend { .. }
        | DeskAct::Strike { .. }
        | DeskAct::Restore(_)
        | DeskAct::Judge { .. }
        | DeskAct::Pay { .. }
        | DeskAct::CheckIn { .. }
        | DeskAct::Check { .. }
        | DeskAct::Draw(_)
        | DeskAct::EnterLate { .. }
        | DeskAct::Withdraw { .. }
        | DeskAct::Readmit(_)
        | DeskAct::Absent { .. }
        | DeskAct::LineUp { .. }
        | DeskAct::Simul(_)
        | DeskAct::Undo => AT_THE_DESK,
        // The rules of the game are the arbiters'.
        DeskAct::Regulate { .. } => &[Role::ChiefArbiter, Role::Organiser],
        DeskAct::Draft
        | DeskAct::DraftGroup(_)
        | DeskAct::Swap { .. }
        | DeskAct::TurnDraft { .. }
        | DeskAct::Discard
        | DeskAct::Publish { .. }
        | DeskAct::Unpublish { .. }
        | DeskAct::AddTable { .. }
        | DeskAct::Turned { .. } => PAIRING,
        // As with results from the boards.
        DeskAct::Result { .. } => &[Role::ChiefArbiter, Role::Arbiter, Role::PairingOfficer],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tournament::{RoundNo, TableNo};

    #[test]
    fn a_role_reads_back_from_its_code() {
        for role in Role::ALL {
            assert_eq!(Role::parse(role.code()), Some(role));
        }
        assert_eq!(Role::parse("root"), None);
    }

    #[test]
    fn the_whole_hall_stops_at_the_chief_arbiters_word_only() {
        let one = Act::Pause(vec![TableNo(3)]);
        let all = Act::Pause(Vec::new());
        assert!(Role::Arbiter.may(&one) && !Role::Arbiter.may(&all));
        assert!(Role::ChiefArbiter.may(&one) && Role::ChiefArbiter.may(&all));
    }

    #[test]
    fn who_only_watches_decides_nothing() {
        let outcome = arbitration::Outcome {
            result: arbitration::GameResult::Draw,
            ending: arbitration::Ending::Ruling,
        };
        for act in [
            Act::Pair,
            Act::Start,
            Act::Draw,
            Act::Claim(1),
            Act::Reopen(TableNo(1)),
            Act::Result { round: RoundNo(1), table: TableNo(1), outcome },
        ] {
            assert!(!Role::Commentator.may(&act) && !Role::Viewer.may(&act), "{act:?}");
            assert!(Role::ChiefArbiter.may(&act), "{act:?}");
        }
        for room in [Room::Duty, Room::Journal, Room::Desk, Room::Devices, Room::Accounts, Room::Undelayed] {
            assert!(!Role::Viewer.sees(room), "{room:?}");
        }
    }
}
