//! An alert's label on a tile: two characters.

use arbitration::{AlertCode, Severity};

use crate::lang::Lang;

/// Class and word of a severity.
pub const fn severity(severity: Severity, lang: Lang) -> (&'static str, &'static str) {
    match severity {
        Severity::P0 => ("p0", lang.pick("须裁决", "Decide")),
        Severity::P1 => ("p1", lang.pick("注意", "Look")),
        Severity::P2 => ("p2", lang.pick("提示", "Note")),
        Severity::P3 => ("p3", lang.pick("记录", "Log")),
    }
}

/// Two characters for a tile.
pub const fn label(code: AlertCode, lang: Lang) -> &'static str {
    match code {
        AlertCode::Flag => lang.pick("超时", "flag"),
        AlertCode::FlagBoth => lang.pick("双超", "flags"),
        AlertCode::Illegal => lang.pick("违规", "illeg."),
        AlertCode::SelfCheck => lang.pick("送将", "self-ch."),
        AlertCode::RepDone => lang.pick("待判", "ruling"),
        AlertCode::RepDeadline => lang.pick("变着", "vary"),
        AlertCode::FoulLimit => lang.pick("犯满", "fouls"),
        AlertCode::FoulEdge => lang.pick("犯规", "foul"),
        AlertCode::RepNear => lang.pick("循环", "repeat"),
        AlertCode::LimitNear => lang.pick("限着", "limit"),
        AlertCode::LimitDone => lang.pick("限满", "limit!"),
        AlertCode::PressNoMove => lang.pick("空按", "press"),
        AlertCode::MoveNoPress => lang.pick("未按", "no pr."),
        AlertCode::TouchOppTime => lang.pick("碰子", "touch"),
        AlertCode::PosMismatch => lang.pick("不符", "differs"),
        AlertCode::LostMove => lang.pick("漏检", "missed"),
        AlertCode::BoardDown => lang.pick("断线", "board"),
        AlertCode::ClockDown => lang.pick("钟断", "clock"),
        AlertCode::GwDown => lang.pick("网断", "gateway"),
        AlertCode::ClockSkew => lang.pick("不一", "skew"),
        AlertCode::Absent => lang.pick("未到", "absent"),
        AlertCode::DrawOffer => lang.pick("提和", "draw?"),
        AlertCode::FixWindow => lang.pick("纠错", "correct"),
        AlertCode::NoResult => lang.pick("未报", "result?"),
        AlertCode::ResultConflict => lang.pick("冲突", "conflict"),
        AlertCode::WrongSeat => lang.pick("错座", "seats"),
        AlertCode::LowTime => lang.pick("时紧", "low"),
        AlertCode::Phone => lang.pick("纪律", "discip."),
        AlertCode::Call => lang.pick("呼叫", "call"),
        AlertCode::RoundLate => lang.pick("延误", "late"),
        AlertCode::Battery => lang.pick("电低", "battery"),
        AlertCode::DiskDb => lang.pick("系统", "server"),
        AlertCode::TouchMove => lang.pick("摸子", "touch-m."),
        AlertCode::Setup => lang.pick("摆棋", "set-up"),
        AlertCode::BadPoint => lang.pick("感应", "sensor"),
        AlertCode::RecordsLost => lang.pick("缺录", "records"),
    }
}
