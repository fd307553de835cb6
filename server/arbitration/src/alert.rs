//! The catalogue of alerts: code, severity, and the words for them.

use serde::{Deserialize, Serialize};

/// How much an alert presses, gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Severity {
    /// 须裁决: somebody must decide now.
    P0,
    /// 注意: look at it.
    P1,
    /// 提示: good to know.
    P2,
    /// For the log only.
    P3,
}

/// What an alert is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AlertCode {
    /// Flag fall (一方超时).
    Flag,
    /// Both flags (双方均超时).
    FlagBoth,
    /// Illegal move (违规着法).
    Illegal,
    /// General left or put in check / facing generals (不应将/送将(自杀)).
    SelfCheck,
    /// Repetition complete, with verdict (循环局面成立(待判)).
    RepDone,
    /// Must-change deadline reached (令其变着期限).
    RepDeadline,
    /// Foul limit reached (犯规累计判负).
    FoulLimit,
    /// One foul before the limit (犯规临界).
    FoulEdge,
    /// Repetition nearing (循环将近).
    RepNear,
    /// Natural limit nearing (自然限着将满).
    LimitNear,
    /// Natural limit complete (自然限着已满).
    LimitDone,
    /// Clock pressed without a move (未走棋先按钟).
    PressNoMove,
    /// Moved without pressing (走棋未按钟).
    MoveNoPress,
    /// Pieces disturbed in the opponent's time (对方用时内碰乱棋子).
    TouchOppTime,
    /// Board inconsistent with the record (盘面与记录不符).
    PosMismatch,
    /// Ambiguous or missing move (漏检着法).
    LostMove,
    /// Board disconnected (棋盘断线).
    BoardDown,
    /// Clock disconnected (棋钟断线).
    ClockDown,
    /// Gateway down (网关断线).
    GwDown,
    /// Clock and server differ (钟面与服务器不一致).
    ClockSkew,
    /// Absent player (未到场).
    Absent,
    /// Draw offered (提和).
    DrawOffer,
    /// Error-correction window (纠错时限(五回合)).
    FixWindow,
    /// Game ended without result (未报结果).
    NoResult,
    /// Result conflict (结果冲突).
    ResultConflict,
    /// Wrong colours or wrong table (座位/红黑错误).
    WrongSeat,
    /// Low time (both or one < 1 min) (时间紧张).
    LowTime,
    /// Discipline event (phone, smoking) (手机/纪律).
    Phone,
    /// Player calls the arbiter (呼叫裁判).
    Call,
    /// Round overrun (轮次延误).
    RoundLate,
    /// Battery low (电量低).
    Battery,
    /// Server storage/clock/broker fault (服务器告警).
    DiskDb,
    /// Touch-move (摸子走子).
    TouchMove,
    /// Wrong set-up (摆棋有误).
    Setup,
    /// Bad sensing point (感应点故障).
    BadPoint,
    /// Records lost (记录丢失).
    RecordsLost,
}

impl AlertCode {
    /// The whole catalogue.
    pub const ALL: [AlertCode; 36] = [
        AlertCode::Flag,
        AlertCode::FlagBoth,
        AlertCode::Illegal,
        AlertCode::SelfCheck,
        AlertCode::RepDone,
        AlertCode::RepDeadline,
        AlertCode::FoulLimit,
        AlertCode::FoulEdge,
        AlertCode::RepNear,
        AlertCode::LimitNear,
        AlertCode::LimitDone,
        AlertCode::PressNoMove,
        AlertCode::MoveNoPress,
        AlertCode::TouchOppTime,
        AlertCode::PosMismatch,
        AlertCode::LostMove,
        AlertCode::BoardDown,
        AlertCode::ClockDown,
        AlertCode::GwDown,
        AlertCode::ClockSkew,
        AlertCode::Absent,
        AlertCode::DrawOffer,
        AlertCode::FixWindow,
        AlertCode::NoResult,
        AlertCode::ResultConflict,
        AlertCode::WrongSeat,
        AlertCode::LowTime,
        AlertCode::Phone,
        AlertCode::Call,
        AlertCode::RoundLate,
        AlertCode::Battery,
        AlertCode::DiskDb,
        AlertCode::TouchMove,
        AlertCode::Setup,
        AlertCode::BadPoint,
        AlertCode::RecordsLost,
    ];

    /// The stable name, as in files and APIs.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            AlertCode::Flag => "flag",
            AlertCode::FlagBoth => "flag_both",
            AlertCode::Illegal => "illegal",
            AlertCode::SelfCheck => "self_check",
            AlertCode::RepDone => "rep_done",
            AlertCode::RepDeadline => "rep_deadline",
            AlertCode::FoulLimit => "foul_limit",
            AlertCode::FoulEdge => "foul_edge",
            AlertCode::RepNear => "rep_near",
            AlertCode::LimitNear => "limit_near",
            AlertCode::LimitDone => "limit_done",
            AlertCode::PressNoMove => "press_no_move",
            AlertCode::MoveNoPress => "move_no_press",
            AlertCode::TouchOppTime => "touch_opp_time",
            AlertCode::PosMismatch => "pos_mismatch",
            AlertCode::LostMove => "lost_move",
            AlertCode::BoardDown => "board_down",
            AlertCode::ClockDown => "clock_down",
            AlertCode::GwDown => "gw_down",
            AlertCode::ClockSkew => "clock_skew",
            AlertCode::Absent => "absent",
            AlertCode::DrawOffer => "draw_offer",
            AlertCode::FixWindow => "fix_window",
            AlertCode::NoResult => "no_result",
            AlertCode::ResultConflict => "result_conflict",
            AlertCode::WrongSeat => "wrong_seat",
            AlertCode::LowTime => "low_time",
            AlertCode::Phone => "phone",
            AlertCode::Call => "call",
            AlertCode::RoundLate => "round_late",
            AlertCode::Battery => "battery",
            AlertCode::DiskDb => "disk_db",
            AlertCode::TouchMove => "touch_move",
            AlertCode::Setup => "setup",
            AlertCode::BadPoint => "bad_point",
            AlertCode::RecordsLost => "records_lost",
        }
    }

    /// The words on pages.
    #[must_use]
    pub const fn zh(self) -> &'static str {
        match self {
            AlertCode::Flag => "一方超时",
            AlertCode::FlagBoth => "双方均超时",
            AlertCode::Illegal => "违规着法",
            AlertCode::SelfCheck => "不应将/送将(自杀)",
            AlertCode::RepDone => "循环局面成立(待判)",
            AlertCode::RepDeadline => "令其变着期限",
            AlertCode::FoulLimit => "犯规累计判负",
            AlertCode::FoulEdge => "犯规临界",
            AlertCode::RepNear => "循环将近",
            AlertCode::LimitNear => "自然限着将满",
            AlertCode::LimitDone => "自然限着已满",
            AlertCode::PressNoMove => "未走棋先按钟",
            AlertCode::MoveNoPress => "走棋未按钟",
            AlertCode::TouchOppTime => "对方用时内碰乱棋子",
            AlertCode::PosMismatch => "盘面与记录不符",
            AlertCode::LostMove => "漏检着法",
            AlertCode::BoardDown => "棋盘断线",
            AlertCode::ClockDown => "棋钟断线",
            AlertCode::GwDown => "网关断线",
            AlertCode::ClockSkew => "钟面与服务器不一致",
            AlertCode::Absent => "未到场",
            AlertCode::DrawOffer => "提和",
            AlertCode::FixWindow => "纠错时限(五回合)",
            AlertCode::NoResult => "未报结果",
            AlertCode::ResultConflict => "结果冲突",
            AlertCode::WrongSeat => "座位/红黑错误",
            AlertCode::LowTime => "时间紧张",
            AlertCode::Phone => "手机/纪律",
            AlertCode::Call => "呼叫裁判",
            AlertCode::RoundLate => "轮次延误",
            AlertCode::Battery => "电量低",
            AlertCode::DiskDb => "服务器告警",
            AlertCode::TouchMove => "摸子走子",
            AlertCode::Setup => "摆棋有误",
            AlertCode::BadPoint => "感应点故障",
            AlertCode::RecordsLost => "记录丢失",
        }
    }

    /// The same in English.
    #[must_use]
    pub const fn en(self) -> &'static str {
        match self {
            AlertCode::Flag => "Flag fall",
            AlertCode::FlagBoth => "Both flags",
            AlertCode::Illegal => "Illegal move",
            AlertCode::SelfCheck => "General left or put in check / facing generals",
            AlertCode::RepDone => "Repetition complete, with verdict",
            AlertCode::RepDeadline => "Must-change deadline reached",
            AlertCode::FoulLimit => "Foul limit reached",
            AlertCode::FoulEdge => "One foul before the limit",
            AlertCode::RepNear => "Repetition nearing",
            AlertCode::LimitNear => "Natural limit nearing",
            AlertCode::LimitDone => "Natural limit complete",
            AlertCode::PressNoMove => "Clock pressed without a move",
            AlertCode::MoveNoPress => "Moved without pressing",
            AlertCode::TouchOppTime => "Pieces disturbed in the opponent's time",
            AlertCode::PosMismatch => "Board inconsistent with the record",
            AlertCode::LostMove => "Ambiguous or missing move",
            AlertCode::BoardDown => "Board disconnected",
            AlertCode::ClockDown => "Clock disconnected",
            AlertCode::GwDown => "Gateway down",
            AlertCode::ClockSkew => "Clock and server differ",
            AlertCode::Absent => "Absent player",
            AlertCode::DrawOffer => "Draw offered",
            AlertCode::FixWindow => "Error-correction window",
            AlertCode::NoResult => "Game ended without result",
            AlertCode::ResultConflict => "Result conflict",
            AlertCode::WrongSeat => "Wrong colours or wrong table",
            AlertCode::LowTime => "Low time (both or one < 1 min)",
            AlertCode::Phone => "Discipline event (phone, smoking)",
            AlertCode::Call => "Player calls the arbiter",
            AlertCode::RoundLate => "Round overrun",
            AlertCode::Battery => "Battery low",
            AlertCode::DiskDb => "Server storage/clock/broker fault",
            AlertCode::TouchMove => "Touch-move",
            AlertCode::Setup => "Wrong set-up",
            AlertCode::BadPoint => "Bad sensing point",
            AlertCode::RecordsLost => "Records lost",
        }
    }

    /// Whether it is about a table's devices, not about the game that is played there.
    #[must_use]
    pub const fn is_of_devices(self) -> bool {
        matches!(
            self,
            AlertCode::BoardDown
                | AlertCode::ClockDown
                | AlertCode::GwDown
                | AlertCode::Battery
                | AlertCode::DiskDb
                | AlertCode::BadPoint
                | AlertCode::RecordsLost
        )
    }

    /// How much it presses, unless the circumstances raise it.
    #[must_use]
    pub const fn severity(self) -> Severity {
        match self {
            AlertCode::Flag
            | AlertCode::FlagBoth
            | AlertCode::Illegal
            | AlertCode::SelfCheck
            | AlertCode::RepDone
            | AlertCode::RepDeadline
            | AlertCode::FoulLimit
            | AlertCode::LimitDone
            | AlertCode::GwDown
            | AlertCode::Phone
            | AlertCode::DiskDb
            | AlertCode::RecordsLost => Severity::P0,
            AlertCode::FoulEdge
            | AlertCode::RepNear
            | AlertCode::LimitNear
            | AlertCode::PressNoMove
            | AlertCode::TouchOppTime
            | AlertCode::PosMismatch
            | AlertCode::BoardDown
            | AlertCode::ClockDown
            | AlertCode::Absent
            | AlertCode::ResultConflict
            | AlertCode::WrongSeat
            | AlertCode::Call
            | AlertCode::Setup
            | AlertCode::BadPoint => Severity::P1,
            AlertCode::MoveNoPress
            | AlertCode::LostMove
            | AlertCode::ClockSkew
            | AlertCode::DrawOffer
            | AlertCode::FixWindow
            | AlertCode::NoResult
            | AlertCode::TouchMove => Severity::P2,
            AlertCode::LowTime | AlertCode::RoundLate | AlertCode::Battery => Severity::P3,
        }
    }
}
