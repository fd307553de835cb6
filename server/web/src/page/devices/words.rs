//! What there is to say about a table's devices, in words.

use hall::view::{Concern, Condition};
use xiangqi::{Point, Side};

use crate::lang::{Lang, Words};
use crate::page::arbiter::sheet::place;

/// Points that are named one by one; beyond, their number says more.
const NAMED: usize = 6;

/// A condition: its class on the page, and its word.
pub fn condition(condition: Condition) -> (&'static str, Words) {
    match condition {
        Condition::Sound => ("ok", Words::of("正常", "sound")),
        Condition::Open => ("open", Words::of("待查", "to check")),
        Condition::Faulty => ("bad", Words::of("故障", "faulty")),
    }
}

/// A concern as a sentence.
pub fn concern(concern: &Concern) -> Words {
    match concern {
        Concern::BoardUnseen => {
            Words::of("棋盘尚未接上：查电源与连线", "The board was never seen: check its power and its cable")
        }
        Concern::BoardAway => {
            Words::of("棋盘断线：查电源与连线", "The board is gone: check its power and its cable")
        }
        Concern::ClockUnseen => {
            Words::of("棋钟尚未接上：查电源与连线", "The clock was never seen: check its power and its cable")
        }
        Concern::ClockAway => {
            Words::of("棋钟断线：查电源与连线", "The clock is gone: check its power and its cable")
        }
        Concern::Supply(millivolts) => Words::new(
            format!("电量低（{millivolts} 毫伏）：充电或换电池"),
            format!("The battery is low ({millivolts} mV): charge or change it"),
        ),
        Concern::Unkept => Words::of(
            "记录存储已满：此时断电会丢未上传的记录。保持网关在线，静置一分钟即腾空；仍不消失就换设备",
            "The log of records is full: what is not yet uploaded would not outlive a power cut. Keep the gateway connected \
             and the table at rest for a minute; if this stays, exchange the device",
        ),
        Concern::Dead(points) => points_say(points, "失灵，放子无反应", "do not see a piece"),
        Concern::Stuck(points) => points_say(points, "卡死，无子也有反应", "see a piece where none stands"),
        Concern::Unsure(points) => points_say(points, "不稳，时有时无", "flicker"),
        Concern::Untried(points) => points_say(points, "未试", "were not tried"),
        Concern::Unpressed(side) => match side {
            Side::Red => Words::of("红方未按钟", "Red's lever was not pressed"),
            Side::Black => Words::of("黑方未按钟", "Black's lever was not pressed"),
        },
        Concern::Untested => Words::of("尚未自检", "Not tested yet"),
    }
}

/// The same in the few characters of a tile.
pub fn short(concern: &Concern) -> Words {
    let count = |points: &[Point], zh: &str, en: &str| {
        Words::new(format!("{zh}{}点", points.len()), format!("{} {en}", points.len()))
    };
    match concern {
        Concern::BoardUnseen => Words::of("无棋盘", "no board"),
        Concern::BoardAway => Words::of("盘断线", "board off"),
        Concern::ClockUnseen => Words::of("无棋钟", "no clock"),
        Concern::ClockAway => Words::of("钟断线", "clock off"),
        Concern::Supply(_) => Words::of("电量低", "battery"),
        Concern::Unkept => Words::of("存储满", "log full"),
        Concern::Dead(points) => count(points, "失灵", "dead"),
        Concern::Stuck(points) => count(points, "卡死", "stuck"),
        Concern::Unsure(points) => count(points, "不稳", "unsure"),
        Concern::Untried(points) => count(points, "未试", "untried"),
        Concern::Unpressed(Side::Red) => Words::of("红未按", "Red lever"),
        Concern::Unpressed(Side::Black) => Words::of("黑未按", "Bl. lever"),
        Concern::Untested => Words::of("未自检", "untested"),
    }
}

fn points_say(points: &[Point], zh: &str, en: &str) -> Words {
    let named = |lang: Lang| {
        let all: Vec<String> = points.iter().map(|point| place(*point, lang == Lang::Zh)).collect();
        all.join(lang.pick("、", ", "))
    };
    if points.len() > NAMED {
        return Words::new(format!("{} 点{zh}", points.len()), format!("{} points {en}", points.len()));
    }
    Words::new(format!("{}{zh}", named(Lang::Zh)), format!("{} {en}", named(Lang::En)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_points_are_named_and_many_are_counted() {
        let points: Vec<_> = (0..90).filter_map(Point::from_index).collect();
        let two = concern(&Concern::Dead(points[..2].to_vec()));
        assert_eq!(two.get(Lang::Zh), "九路第1线、八路第1线失灵，放子无反应");
        assert_eq!(two.get(Lang::En), "a0, b0 do not see a piece");
        assert_eq!(concern(&Concern::Untried(points)).get(Lang::Zh), "90 点未试");
    }
}
