//! What goes into the hall, and what comes out beside journal entries.

use std::collections::BTreeSet;

use arbitration::{GameResult, Misconduct, Offence, ResultSource, VaryOrder};
use capture::PlyNo;
use firmware_proto::{Beat, CmdId, Command, DeviceUid, Firmware, GatewayId, Half, Observation};
use serde::{Deserialize, Serialize};
use tournament::{RoundNo, TableNo};
use xiangqi::judge::Class;
use xiangqi::{Move, Side};

use crate::{AccountDeed, Role, Showing, TestStep};

/// What happens to a hall.
#[derive(Clone, Debug)]
pub enum Input {
    /// Observations of gateways, in their streams' order, each exactly once. What is handed in together is put in
    /// the order of its happening.
    Observed(Vec<Observation>),
    /// What clocks show, for display; may be lost.
    Beats(Vec<Beat>),
    /// A gateway came or went (retained presence, last will).
    Gateway {
        /// Which.
        id: GatewayId,
        /// Whether it is there.
        up: bool,
    },
    /// These gateways may bring observations now, and no others.
    LetIn(BTreeSet<GatewayId>),
    /// Something of the server itself is at fault, or works again.
    Server {
        /// What.
        fault: ServerFault,
        /// Whether it is at fault.
        on: bool,
    },
    /// Something was done with an account, and by whom.
    Account(AccountDeed, Actor),
    /// Somebody decided something.
    Act(Act, Actor),
    /// A time that the hall asked for has come ([`crate::Hall::poll_timeout`]).
    Time,
}

/// What can be at fault in the server itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerFault {
    /// The store does not take what is to be kept.
    Store,
    /// The disk is nearly full.
    Disk,
    /// The clock of the system is off.
    SystemClock,
    /// The broker does not answer.
    Broker,
}

impl ServerFault {
    /// The words for it: Chinese, English.
    #[must_use]
    pub const fn words(self) -> [&'static str; 2] {
        match self {
            ServerFault::Store => [
                "数据一度无法写入，期间的记录由棋盘和网关保存",
                "for a while nothing could be stored; boards and gateways kept it",
            ],
            ServerFault::Disk => ["磁盘将满", "the disk is nearly full"],
            ServerFault::SystemClock => ["系统时钟有偏差", "the system's clock is off"],
            ServerFault::Broker => ["消息代理无响应", "the broker does not answer"],
        }
    }

    /// What to do about it: Chinese, English.
    #[must_use]
    pub const fn advice(self) -> [&'static str; 2] {
        match self {
            ServerFault::Store => [
                "查服务器磁盘（或数据库）：空间、只读、连线；用 chuhe doctor 检查，并核对此时段的对局",
                "Look at the server's disk (or database): room, read-only, cables; run chuhe doctor, and check the games of that time",
            ],
            ServerFault::Disk => [
                "在服务器上腾出空间，或换数据目录；用 chuhe doctor 复查",
                "Make room on the server's disk; chuhe doctor says how much",
            ],
            ServerFault::SystemClock => [
                "为服务器对时（NTP），两轮之间重启",
                "Set the server's clock by NTP; start it again between two rounds",
            ],
            ServerFault::Broker => [
                "查消息代理与网络；对局照常，恢复后补录",
                "Look at the broker and the network; games go on and are taken in later",
            ],
        }
    }
}

/// Who acts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    /// The hall itself, by the regulation.
    Hall,
    /// A signed-in person.
    Person {
        /// Account name.
        name: String,
        /// As what the person acts.
        role: Role,
    },
}

impl Actor {
    /// A person in an office.
    pub fn person(name: impl Into<String>, role: Role) -> Actor {
        Actor::Person { name: name.into(), role }
    }

    /// As what it acts; `None`: the hall itself.
    #[must_use]
    pub const fn role(&self) -> Option<Role> {
        match self {
            Actor::Hall => None,
            Actor::Person { role, .. } => Some(*role),
        }
    }

    /// The name that is shown.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Actor::Hall => "Chuhe",
            Actor::Person { name, .. } => name,
        }
    }
}

/// What people decide.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// Opens the event: what it is called, how many rounds, under which regulation.
    Open {
        /// The event's title.
        title: String,
        /// Rounds to be played.
        rounds: u16,
        /// The name of a preset (`a` or `b`), or the regulation as TOML.
        regulation: String,
        /// Seed of the draw of numbers (抽签).
        seed: u64,
    },
    /// Enters a player.
    Enter(Entrant),
    /// Says which devices stand on a table.
    Bind(TableBinding),
    /// Draws the numbers (抽签), closes the entries.
    Draw,
    /// Pairs the next round and publishes it.
    Pair,
    /// Starts the round: clocks are set, the games may begin.
    Start,
    /// A result given by hand (slip, desk, arbiter), or a correction of one, in any round.
    Result {
        /// The round.
        round: RoundNo,
        /// The table.
        table: TableNo,
        /// How the game ended.
        outcome: arbitration::Outcome,
    },
    /// The end of a game of the current round is taken back: it goes on.
    Reopen(TableNo),
    /// A foul is given, or taken back (犯规).
    Foul {
        /// The table.
        table: TableNo,
        /// Whose.
        side: Side,
        /// False: one is taken back.
        given: bool,
        /// What kind.
        offence: Offence,
        /// For what, in the arbiter's words.
        why: String,
    },
    /// A breach of discipline was seen (违纪): its alert offers loss, foul or warning.
    Misconduct {
        /// The table.
        table: TableNo,
        /// Whose.
        side: Side,
        /// What.
        what: Misconduct,
    },
    /// A player is warned, or a warning is taken back (警告).
    Warn {
        /// The table.
        table: TableNo,
        /// Who.
        side: Side,
        /// False: one is taken back.
        given: bool,
        /// For what.
        what: Misconduct,
    },
    /// A player offers a draw by word (提和).
    OfferDraw {
        /// The table.
        table: TableNo,
        /// Who.
        side: Side,
    },
    /// The offered draw is declined, or the offer is invalid.
    DeclineDraw(TableNo),
    /// A side is ordered to vary, the order is extended, or lifted (令其变着).
    Order {
        /// The table.
        table: TableNo,
        /// The order; `None`: lifted.
        order: Option<VaryOrder>,
    },
    /// The natural limit is claimed, or the claim is withdrawn (提出自然限着).
    ClaimLimit {
        /// The table.
        table: TableNo,
        /// By whom, and from which ply on it is counted; `None`: withdrawn.
        claim: Option<(Side, PlyNo)>,
    },
    /// The arbiter rules what plies are (裁判改判): the repetition and the natural limit are judged anew by that.
    Classify {
        /// The table.
        table: TableNo,
        /// Each ply with its class; `None`: what the rules say.
        classes: Vec<(PlyNo, Option<Class>)>,
    },
    /// Whoever acts walks these tables from now on (我的台); none: all alike.
    Walk(BTreeSet<TableNo>),
    /// A table's devices are tested before a round (自检).
    SelfTest {
        /// The table.
        table: TableNo,
        /// What is done about it.
        step: TestStep,
    },
    /// Another firmware is offered to all devices that it is made for, in place of the one before (更新固件).
    OfferFirmware(Firmware),
    /// No firmware is offered any more: devices that are not yet on trial are left as they are.
    WithdrawFirmware,
    /// A player calls the arbiter (呼叫裁判), from a page.
    Call {
        /// The table.
        table: TableNo,
        /// Who.
        side: Side,
    },
    /// A player was seen at the table, or not after all (到场).
    Present {
        /// The table.
        table: TableNo,
        /// Who.
        side: Side,
        /// Whether he is there.
        present: bool,
    },
    /// A result is reported by one of its sources; conflicts are brought before the arbiter.
    Report {
        /// The table.
        table: TableNo,
        /// By whom.
        source: ResultSource,
        /// What; `None`: taken back.
        result: Option<GameResult>,
    },
    /// What was played from a ply on is corrected (纠错); an empty line takes the plies from there on back (回退).
    Correct {
        /// The table.
        table: TableNo,
        /// The first ply that was otherwise.
        from: PlyNo,
        /// What was played instead.
        line: Vec<Move>,
    },
    /// Both clocks of a table are set (调钟).
    SetClock {
        /// The table.
        table: TableNo,
        /// Red's time left, ms.
        red_ms: u32,
        /// Black's time left, ms.
        black_ms: u32,
        /// Whose time runs afterwards; `None`: stopped.
        running: Option<Side>,
    },
    /// This is added to the times of a table, or taken from them; whose time runs stays as it is (加时).
    AddTime {
        /// The table.
        table: TableNo,
        /// For Red, ms.
        red_ms: i64,
        /// For Black, ms.
        black_ms: i64,
    },
    /// This side's time runs (走时).
    Run {
        /// The table.
        table: TableNo,
        /// Whose.
        side: Side,
    },
    /// The pieces are to be put right as recorded; the hall sees when it is done (复原盘面).
    PutRight(TableNo),
    /// The players sit the other way round: the game is read anew from its start (红黑对调).
    Swap(TableNo),
    /// The clocks of these tables are stopped where they stand (停钟); an empty list means all of the round.
    Pause(Vec<TableNo>),
    /// The clocks of these tables run on for the side to move (继续); an empty list means all of the round.
    Resume(Vec<TableNo>),
    /// The broadcast is steered: delay, hidden results, announcements, the hall's screens.
    Show(Showing),
    /// A commentator's note on a ply (0: on the game); an empty text takes his note there away.
    Note {
        /// The round.
        round: RoundNo,
        /// The table.
        table: TableNo,
        /// The ply, counted from 1.
        ply: u16,
        /// What he says.
        text: String,
    },
    /// An alert is taken up by somebody (受理).
    Claim(u64),
    /// The organiser's desk.
    Desk(crate::desk::DeskAct),
    /// An alert goes to somebody else, or back to all (转交).
    Assign {
        /// The alert.
        alert: u64,
        /// Account name; `None`: nobody has it.
        to: Option<String>,
    },
    /// An alert is resolved, with the reason: something was done about it.
    Settle {
        /// The alert.
        alert: u64,
        /// Why.
        why: String,
    },
    /// An alert is dismissed, with the reason: nothing is to be done about it.
    Dismiss {
        /// The alert.
        alert: u64,
        /// Why.
        why: String,
    },
    /// A closed alert is open again.
    Recall(u64),
    /// A remedy that an alert offers is taken; the alert is resolved by it.
    Remedy {
        /// The alert.
        alert: u64,
        /// Which of its remedies, from 0.
        choice: usize,
        /// Why.
        why: String,
    },
    /// A decision is undone: what undoes it is done (撤销).
    Undo(u64),
}

/// A player as entered; the number comes from the draw.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entrant {
    /// Name.
    pub name: String,
    /// Club, town or team (单位).
    pub unit: String,
}

/// Which devices stand on a table, and how they lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableBinding {
    /// The table.
    pub table: TableNo,
    /// Its board.
    pub board: DeviceUid,
    /// Its clock; the board's own number where one controller is both.
    pub clock: DeviceUid,
    /// The half that plays Red.
    pub red: Half,
}

/// A command for a device; repeated by the shell until its `Done` was observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outgoing {
    /// The device.
    pub device: DeviceUid,
    /// The command's number.
    pub id: CmdId,
    /// What to do.
    pub command: Command,
}

/// Which views are new; the shell asks the hall for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Changed {
    /// [`crate::Hall::event_view`].
    Event,
    /// [`crate::Hall::round_view`] of the current round.
    Round,
    /// [`crate::Hall::game_view`] of this table.
    Game(TableNo),
    /// [`crate::Hall::standing_view`].
    Standing,
    /// [`crate::Hall::alert_view`].
    Alerts,
    /// [`crate::Hall::broadcast_view`].
    Broadcast,
    /// [`crate::Hall::desk_view`] and [`crate::Hall::teams_view`].
    Desk,
    /// [`crate::Hall::round_view`] and [`crate::Hall::game_view`] of a table of an earlier round.
    Past(RoundNo, TableNo),
}
