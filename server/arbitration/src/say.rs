//! Words for sides, times and places.

use xiangqi::{Point, Side};

use crate::Game;

pub(crate) const fn side_zh(side: Side) -> &'static str {
    match side {
        Side::Red => "红方",
        Side::Black => "黑方",
    }
}

pub(crate) const fn side_en(side: Side) -> &'static str {
    match side {
        Side::Red => "Red",
        Side::Black => "Black",
    }
}

/// 24:07.
pub(crate) fn clock_text(ms: u32) -> String {
    format!("{:02}:{:02}", ms / 60_000, ms / 1_000 % 60)
}

pub(crate) fn minutes_zh(ms: u32) -> String {
    if ms.is_multiple_of(60_000) { format!("{}分钟", ms / 60_000) } else { format!("{}秒", ms / 1_000) }
}

pub(crate) fn minutes_en(ms: u32) -> String {
    if ms.is_multiple_of(60_000) { format!("{} min", ms / 60_000) } else { format!("{} s", ms / 1_000) }
}

/// What stands on a point by the record, as players call it: 三路马. An empty point has only its coordinates.
fn place(game: &Game, point: Point) -> String {
    const NUMERALS: [&str; 9] = ["一", "二", "三", "四", "五", "六", "七", "八", "九"];
    game.position().piece_at(point).map_or(point.to_string(), |piece| {
        let file = point.file_number(piece.side);
        match piece.side {
            Side::Red => format!("{}路{}", NUMERALS[usize::from(file) - 1], piece.hanzi()),
            Side::Black => format!("{file}路{}", piece.hanzi()),
        }
    })
}

pub(crate) fn places(game: &Game, points: &[Point]) -> String {
    points.iter().map(|point| place(game, *point)).collect::<Vec<_>>().join("、")
}

pub(crate) fn list(points: &[Point]) -> String {
    points.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}
