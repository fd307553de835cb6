//! A board as SVG: what the server draws first, and `app.js` redraws as `<xq-board>` when an attribute changes.
//!
//! One pitch (格距) is 100 units; the origin is Black's left rook point as Red sees it. The board and the pieces are
//! images that every page shares; only marks are drawn.

use maud::{Markup, Render, html};
use xiangqi::{Move, Point};

use crate::assets;
use crate::frame;

/// The pieces' faces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Set {
    /// 印章: red characters on ivory, ivory ones on black.
    #[default]
    Seal,
    /// Letters.
    Latin,
}

impl Set {
    /// The folder of its images; also its name in cookies.
    #[must_use]
    pub const fn folder(self) -> &'static str {
        match self {
            Set::Seal => "seal",
            Set::Latin => "latin",
        }
    }

    /// Reads [`Set::folder`].
    #[must_use]
    pub fn parse(name: &str) -> Option<Set> {
        [Set::Seal, Set::Latin].into_iter().find(|set| set.folder() == name)
    }
}

/// What a board shows.
#[derive(Clone, Debug)]
pub struct Board<'a> {
    /// The position; its board part is enough.
    pub fen: &'a str,
    /// The move that led to it.
    pub last: Option<Move>,
    /// Which side's general is in check: `K` or `k`.
    pub check: Option<char>,
    /// Seen from Black's side.
    pub flip: bool,
    /// Small, among many: fewer lines, no ring, no movement.
    pub thumb: bool,
    /// The pieces.
    pub set: Set,
    /// What a blind reader hears.
    pub label: String,
}

impl Board<'_> {
    fn at(&self, point: Point) -> (i32, i32) {
        let (file, rank) = (i32::from(point.file()), i32::from(point.rank()));
        if self.flip { (800 - 100 * file, 100 * rank) } else { (100 * file, 900 - 100 * rank) }
    }

    /// Puts a mark there.
    fn put(&self, point: Option<Point>) -> Option<String> {
        let (x, y) = self.at(point?);
        Some(format!("translate({x},{y})"))
    }
}

/// The pieces of a FEN's board part; what is no piece is passed over.
pub fn pieces(fen: &str) -> impl Iterator<Item = (Point, char)> + '_ {
    let rows = frame::board(fen).split('/').zip((0..10u8).rev());
    rows.flat_map(|(row, rank)| {
        let mut file = 0u32;
        row.chars().filter_map(move |c| {
            if let Some(empty) = c.to_digit(10) {
                file += empty;
                return None;
            }
            let point = Point::new(u8::try_from(file).ok()?, rank);
            file += 1;
            point.map(|point| (point, c)).filter(|(_, c)| "KABNRCPkabnrcp".contains(*c))
        })
    })
}

/// Four corners around the origin: half a side of `s`, arms of `a`.
fn corners(s: i32, a: i32) -> String {
    let n = s - a;
    format!("M-{s}-{n}v-{a}h{a}M-{s} {n}v{a}h{a}M{s}-{n}v-{a}h-{a}M{s} {n}v{a}h-{a}")
}

impl Render for Board<'_> {
    fn render(&self) -> Markup {
        let base = assets::BASE.as_str();
        let (view_box, (x, y, w, h), image) = match (self.thumb, self.flip) {
            (true, _) => ("-54 -54 908 1008", (-54, -54, 908, 1008), "board-thumb"),
            (false, false) => ("-66 -94 932 1090", (-66, -94, 932, 1090), "board"),
            (false, true) => ("-66 -94 932 1090", (-66, -94, 932, 1090), "board-flip"),
        };
        let folder = if self.thumb { "thumb" } else { self.set.folder() };
        let checked =
            self.check.and_then(|king| pieces(self.fen).find_map(|(at, c)| (c == king).then_some(at)));
        html! {
            xq-board fen=(frame::board(self.fen)) last=[self.last] check=[self.check]
                flip[self.flip] thumb[self.thumb] pieces=(folder) {
                svg class="xq" viewBox=(view_box) role="img" aria-label=(self.label) {
                    image href={ (base) "/" (image) ".svg" } x=(x) y=(y) width=(w) height=(h) {}
                    // All marks are there and are put where they belong: `app.js` only moves them.
                    g class="mk" {
                        g transform=[self.put(self.last.map(|last| last.from))] hidden[self.last.is_none()] {
                            circle class="fr" r=(if self.thumb { 15 } else { 11 }) {}
                            @if !self.thumb { path d=(corners(34, 14)) {} }
                        }
                        path class="to" d=(corners(50, 20)) transform=[self.put(self.last.map(|last| last.to))] hidden[self.last.is_none()] {}
                        g transform=[self.put(checked)] hidden[checked.is_none()] {
                            circle class="ck1" r="51" {}
                            @if !self.thumb { circle class="ck2" r="62" {} }
                        }
                    }
                    g class="pc" {
                        @for (point, c) in pieces(self.fen) {
                            @let (x, y) = self.at(point);
                            image href={ (base) "/" (folder) "/" (if c.is_ascii_uppercase() { 'r' } else { 'b' })
                                (c.to_ascii_lowercase()) ".svg" }
                                x=(x - 50) y=(y - 50) width="100" height="100" {}
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_position_has_thirty_two_pieces_where_they_stand() {
        let start = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";
        let all: Vec<_> = pieces(start).map(|(p, c)| format!("{c}{p}")).collect();
        assert_eq!(all.len(), 32);
        assert!(
            all.contains(&"Ke0".to_owned())
                && all.contains(&"ke9".to_owned())
                && all.contains(&"Ch2".to_owned())
        );
    }

    #[test]
    fn a_broken_position_draws_what_it_has() {
        assert_eq!(
            pieces("99K/x?z/R9R").count(),
            1,
            "what lies outside, and what is no piece, is passed over"
        );
        assert_eq!(pieces("").count(), 0);
    }

    #[test]
    fn seen_from_black_the_board_turns() {
        let board = |flip| Board {
            fen: "9/9/9/9/9/9/9/9/9/R8",
            last: None,
            check: None,
            flip,
            thumb: false,
            set: Set::Seal,
            label: String::new(),
        };
        let red = board(false).render().into_string();
        let black = board(true).render().into_string();
        assert!(red.contains("x=\"-50\" y=\"850\""), "{red}");
        assert!(black.contains("x=\"750\" y=\"-50\"") && black.contains("board-flip.svg"), "{black}");
    }
}
