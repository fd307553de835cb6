//! What is drawn over a board: where the sensors differ, a cycle's arrows, points to tap; and the small picture of
//! what the sensors show.

use hall::view::{PlyView, TableView};
use maud::{Markup, html};
use xiangqi::{Move, Point, Side};

/// The same units as the board's own picture.
pub const VIEW_BOX: &str = "-66 -94 932 1090";

/// Where a point lies.
pub fn at(point: Point) -> (i32, i32) {
    (100 * i32::from(point.file()), 900 - 100 * i32::from(point.rank()))
}

/// How a point differs from the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Differs {
    /// A piece is not there (缺).
    Missing,
    /// A piece is there that should not be (多).
    Extra,
    /// Another piece is there (错).
    Other,
}

/// Where the board differs from the record, and how.
pub fn differences(table: &TableView) -> Vec<(Point, Differs)> {
    let shows = |point: Point| {
        table.image.as_ref().and_then(|image| image.get(point.index())).is_some_and(|reading| *reading != 0)
    };
    let how = |(point, piece): &(Point, Option<xiangqi::Piece>)| {
        let differs = match (piece, shows(*point)) {
            (None, _) => Differs::Extra,
            (Some(_), false) => Differs::Missing,
            (Some(_), true) => Differs::Other,
        };
        (*point, differs)
    };
    table.wrong.iter().map(how).collect()
}

/// The marks of the differences, drawn twice: casing, then mark.
pub fn marks(table: &TableView) -> Markup {
    let all = differences(table);
    html! {
        @for class in ["case", "line"] {
            g class=(class) {
                @for (point, differs) in &all {
                    @let (x, y) = at(*point);
                    @match differs {
                        Differs::Missing => {
                            circle cx=(x) cy=(y) r="50" {}
                            path d={ "M" (x - 26) " " (y - 26) "l52 52M" (x + 26) " " (y - 26) "l-52 52" } {}
                        },
                        Differs::Extra => {
                            rect x=(x - 46) y=(y - 46) width="92" height="92" {}
                            path d={ "M" (x - 24) " " (y) "h48M" (x) " " (y - 24) "v48" } {}
                        },
                        Differs::Other => path d={ "M" (x) " " (y - 64) "l64 64l-64 64l-64 -64z" } {},
                    }
                }
            }
        }
    }
}

/// The arrows of a cycle: its first half solid, the way back dashed, each with its number.
pub fn arrows(plies: &[&PlyView], first: usize) -> Markup {
    let half = plies.len() / 2;
    html! {
        @for (i, ply) in plies.iter().enumerate() {
            @let (from, to) = (at(ply.mv.from), at(ply.mv.to));
            @let side = if (first + i).is_multiple_of(2) { "ar" } else { "ab" };
            g class={ "arrow " (side) @if i >= half { " back" } } {
                @let d = bent(from, to, i >= half);
                path class="ac" d=(d) {}
                path class="aw" d=(d) {}
                (head(from, to, i >= half))
                @let (x, y) = middle(from, to, i >= half);
                rect x=(x - 19) y=(y - 21) width="38" height="42" {}
                text x=(x) y=(y + 11) { (i + 1) }
            }
        }
    }
}

fn middle(from: (i32, i32), to: (i32, i32), back: bool) -> (i32, i32) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let bend = if back { 4 } else { 8 };
    ((from.0 + to.0) / 2 - dy / bend, (from.1 + to.1) / 2 + dx / bend)
}

fn bent(from: (i32, i32), to: (i32, i32), back: bool) -> String {
    let (x, y) = middle(from, to, back);
    format!("M{} {}Q{x} {y} {} {}", from.0, from.1, to.0, to.1)
}

/// The arrow's head, turned the way it comes in.
fn head(from: (i32, i32), to: (i32, i32), back: bool) -> Markup {
    let (x, y) = middle(from, to, back);
    let (dx, dy) = (f64::from(to.0 - x), f64::from(to.1 - y));
    let turn = dy.atan2(dx).to_degrees();
    html! {
        path class="ah" d="M0 0L-34 -20L-34 20Z" transform={ "translate(" (to.0) " " (to.1) ") rotate(" (format!("{turn:.0}")) ")" } {}
    }
}

/// Ninety points to tap, each a link.
pub fn taps(link: impl Fn(Point) -> String, chosen: Option<Point>) -> Markup {
    html! {
        @for point in (0..10).flat_map(|rank| (0..9).filter_map(move |file| Point::new(file, rank))) {
            @let (x, y) = at(point);
            a href=(link(point)) aria-label=(point) {
                circle class={ "tap" @if chosen == Some(point) { " on" } } cx=(x) cy=(y) r="48" {}
            }
        }
    }
}

/// What the sensors show: a ring for Red, a disc for Black, a square where only a piece is felt.
pub fn sensors(table: &TableView) -> Markup {
    let image = table.image.as_deref().unwrap_or_default();
    let most = image.iter().copied().max().unwrap_or(0);
    let points = (0..10).flat_map(|rank| (0..9).filter_map(move |file| Point::new(file, rank)));
    html! {
        svg class="sens" viewBox="-60 -60 920 1020" role="img" aria-label="sensors" {
            path class="gr" d=(grid()) {}
            @for point in points {
                @let (x, y) = at(point);
                @match (image.get(point.index()).copied().unwrap_or(0), most) {
                    (0, _) => {},
                    // Occupancy only: every piece reads alike.
                    (_, 1) => rect class="so" x=(x - 26) y=(y - 26) width="52" height="52" {},
                    (reading, _) => circle class=(match sensed(reading, most) { Side::Red => "sr", Side::Black => "sb" })
                        cx=(x) cy=(y) r="36" {},
                }
            }
            @for (point, _) in differences(table) {
                @let (x, y) = at(point);
                rect class="sd2" x=(x - 48) y=(y - 48) width="96" height="96" {}
            }
        }
    }
}

/// The colour of a reading: 1 and 2 on boards that sense colour; on boards that sense the type, Red's half first.
fn sensed(reading: u8, most: u8) -> Side {
    let black = if most <= 2 { reading == 2 } else { reading > most / 2 };
    if black { Side::Black } else { Side::Red }
}

/// The lines of the board.
pub fn grid() -> String {
    let mut path = String::new();
    for y in (0..10).map(|rank| rank * 100) {
        path.push_str(&format!("M0 {y}H800"));
    }
    for x in (0..9).map(|file| file * 100) {
        path.push_str(&if x == 0 || x == 800 {
            format!("M{x} 0V900")
        } else {
            format!("M{x} 0V400M{x} 500V900")
        });
    }
    path + "M300 0L500 200M500 0L300 200M300 700L500 900M500 700L300 900"
}

/// A point as players name it: the file from the side that stands nearer, and the line.
pub fn place(point: Point, chinese: bool) -> String {
    if chinese {
        const FILES: [&str; 9] = ["九", "八", "七", "六", "五", "四", "三", "二", "一"];
        let file = FILES.get(usize::from(point.file())).copied().unwrap_or("?");
        return format!("{file}路第{}线", point.rank() + 1);
    }
    point.to_string()
}

/// The move that two taps make.
pub fn tapped(from: Point, to: Point) -> Option<Move> {
    (from != to).then_some(Move { from, to })
}
