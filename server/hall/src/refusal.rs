//! Why something cannot be: an act that is refused, a journal that does not fold.

use arbitration::Words;
use firmware_proto::DeviceUid;
use tournament::TableNo;

use crate::desk::DeskRefusal;

/// Why an act was refused. Nothing has changed then.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// Not as things stand: why, in Chinese and in English.
    #[error("{1}")]
    Order(&'static str, &'static str),
    /// The regulation is unknown.
    #[error(transparent)]
    Regulation(#[from] arbitration::RegulationError),
    /// The regulation's ladder has a key that does not exist.
    #[error("ladder: there is no key “{0}”")]
    Ladder(String),
    /// The event's data do not fit.
    #[error(transparent)]
    Event(#[from] tournament::EventError),
    /// No pairing.
    #[error(transparent)]
    Pairing(#[from] tournament::PairingError),
    /// The organiser's desk.
    #[error(transparent)]
    Desk(#[from] DeskRefusal),
    /// There is no such table in this round.
    #[error("table {0} has no game in this round")]
    NoGame(TableNo),
    /// A table has no devices for this.
    #[error("table {0} has no board and clock bound to it")]
    Unbound(TableNo),
    /// Devices are left as they are while games are played.
    #[error("a round is being played: firmware is changed between rounds")]
    RoundIsPlayed,
    /// There is nothing to be stopped.
    #[error("no firmware is offered")]
    NoFirmware,
    /// There is no such alert.
    #[error("alert {0} is not open")]
    NoAlert(u64),
    /// Somebody closed the alert before.
    #[error("alert {alert} was closed by {by} already: {why}")]
    Closed {
        /// The alert.
        alert: u64,
        /// Who.
        by: String,
        /// Why.
        why: String,
    },
    /// Somebody else has the alert.
    #[error("alert {alert} was taken up by {by}")]
    Claimed {
        /// The alert.
        alert: u64,
        /// Who.
        by: String,
    },
    /// The alert does not offer so many remedies.
    #[error("alert {alert} has no remedy number {choice}")]
    NoRemedy {
        /// The alert.
        alert: u64,
        /// The choice.
        choice: usize,
    },
    /// The error is too old for anybody but the chief arbiter.
    #[error("table {table}: ply {ply} is more than {rounds} rounds old; only the chief arbiter corrects it")]
    TooOld {
        /// The table.
        table: TableNo,
        /// The ply.
        ply: u16,
        /// The event's window, rounds.
        rounds: u16,
    },
    /// There is no such decision, or it was undone.
    #[error("decision {0} cannot be undone: it is unknown, or was undone before")]
    NoDecision(u64),
    /// The correction is no line of moves from there.
    #[error("table {table}: ply {ply} does not exist")]
    NoPly {
        /// The table.
        table: TableNo,
        /// The ply asked for.
        ply: u16,
    },
    /// A device is on another table already.
    #[error("device {device} stands on table {table} already")]
    Taken {
        /// The device.
        device: DeviceUid,
        /// Where it stands.
        table: TableNo,
    },
}

/// Why a journal cannot be folded.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// An entry is missing or doubled.
    #[error("journal entry {expected} is missing: found number {found}")]
    Number {
        /// The number that should have come.
        expected: u64,
        /// The one that came.
        found: u64,
    },
    /// An entry does not fit what came before it.
    #[error("journal entry {no} does not fit the ones before it: {why}")]
    Misfit {
        /// The entry.
        no: u64,
        /// Why.
        why: Refusal,
    },
}

impl Refusal {
    /// In Chinese and English.
    #[must_use]
    pub fn words(&self) -> Words {
        let en = self.to_string();
        let zh = match self {
            Refusal::Order(zh, _) => (*zh).to_owned(),
            Refusal::Regulation(why) => return why.words(),
            Refusal::Ladder(name) => format!("“{name}”不是可用的名次依据"),
            Refusal::Event(why) => why.words().zh,
            Refusal::Desk(why) => return why.words(),
            Refusal::Pairing(why) => pairing(why),
            Refusal::NoGame(table) => format!("本轮{table}台没有对局，或尚未开赛"),
            Refusal::Unbound(table) => format!("{table}台没有绑定棋盘和棋钟"),
            Refusal::NoAlert(alert) => format!("警报{alert}已不在列"),
            Refusal::NoPly { table, ply } => format!("{table}台没有第{ply}着"),
            Refusal::Taken { device, table } => format!("设备{device}已在{table}台"),
            Refusal::Closed { alert, by, why } => format!("警报{alert}已由{by}结案：{why}"),
            Refusal::Claimed { alert, by } => format!("警报{alert}已由{by}受理"),
            Refusal::NoRemedy { alert, choice } => format!("警报{alert}没有第{choice}项处置"),
            Refusal::TooOld { table, ply, rounds } => {
                format!("{table}台第{ply}着已过{rounds}回合，只有裁判长可以更正")
            }
            Refusal::NoDecision(decision) => format!("没有第{decision}号裁决，或已撤销"),
            Refusal::RoundIsPlayed => "本轮对局进行中：固件在两轮之间更新".to_owned(),
            Refusal::NoFirmware => "没有正在更新的固件".to_owned(),
        };
        Words::new(zh, en)
    }
}

fn pairing(why: &tournament::PairingError) -> String {
    use tournament::PairingError;
    let list = |numbers: &[tournament::EntrantNo]| {
        numbers.iter().map(tournament::EntrantNo::to_string).collect::<Vec<_>>().join("、")
    };
    match why {
        PairingError::RoundOutside { round, rounds } => {
            format!("全部{rounds}轮，没有第{round}轮；可在规程页增加轮数")
        }
        PairingError::Unfinished { round, entrants } => {
            format!("第{round}轮{}号还没有成绩：先录入成绩，未完棋局可先记暂定成绩，以后更正", list(entrants))
        }
        PairingError::HasResults { round } => format!("第{round}轮已有成绩，不能重排"),
        PairingError::InGroup { group, why } => format!("{group}：{}", pairing(why)),
        PairingError::TablesOverlap { table, groups: [a, b] } => {
            format!("{a}与{b}都用到{table}台：在规程里改其中一组的起始台")
        }
        PairingError::Decided { .. } => "淘汰赛已决出名次，没有下一轮".into(),
        PairingError::TooFew { round, present } => format!("第{round}轮只有{present}人在场，至少要两人"),
        PairingError::Impossible { round, stuck } => {
            format!("第{round}轮在回避和先后手限制下排不出完整对阵，受阻：{}号", list(stuck))
        }
    }
}

#[cfg(test)]
mod tests {
    use tournament::{EntrantNo, Event, LineupError, MemberNo};

    use super::*;

    #[test]
    fn whatever_is_refused_is_said_in_chinese_and_in_english() {
        let event = Event::from_json(r#"{"rounds":0,"entrants":[]}"#).unwrap_err();
        let unread = arbitration::Regulation::read("time = 5").unwrap_err();
        let table = TableNo(3);
        let refusals = [
            Refusal::Order("赛事尚未建立", "the event is not open"),
            Refusal::Regulation(arbitration::RegulationError::Unknown("c".into())),
            Refusal::Regulation(unread),
            Refusal::Ladder("buchholz".into()),
            Refusal::Event(event),
            Refusal::Pairing(tournament::PairingError::TooFew { round: tournament::RoundNo(1), present: 1 }),
            Refusal::Desk(DeskRefusal::Lineup(LineupError::Twice(MemberNo(2)))),
            Refusal::Desk(DeskRefusal::NoEntrant(EntrantNo(9))),
            Refusal::NoGame(table),
            Refusal::TooOld { table, ply: 7, rounds: 5 },
            Refusal::Claimed { alert: 4, by: "Li".into() },
        ];
        let is_han = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
        for refusal in refusals {
            let Words { zh, en } = refusal.words();
            assert!(zh.contains(is_han) && !en.contains(is_han), "{zh} / {en}");
            assert_eq!(en, refusal.to_string());
        }
    }
}
