//! A position as a picture that stands alone: for shares, reports and print.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use hall::view::GameView;

use crate::{assets, board};

/// The colours of board and pieces in light surroundings.
const STYLE: &str = ".w{fill:#e2c996}.s{stroke:#5b4223}.v{fill:#7a5a30}.l{fill:#5b4223}.m{fill:none;stroke:#0f5c86;stroke-width:9}\
    .rf{fill:#fdf5e2;stroke:#8a3a22}.ro{stroke:#a5271b}.rg{fill:#a5271b}.bf{fill:#25221e;stroke:#0f0e0c}.bo{stroke:#f8edd3}.bg{fill:#f8edd3}";

/// What is drawn in one of our images, without its frame and colours.
fn inside(name: &str) -> &'static str {
    let text = assets::text(name);
    let from = text.find("</style>").map_or(0, |at| at + "</style>".len());
    let to = text.rfind("</svg>").unwrap_or(text.len());
    text.get(from..to).unwrap_or_default()
}

/// The board after a ply, or as it stands.
#[must_use]
pub fn board(game: &GameView, ply: Option<usize>) -> String {
    let ply = ply.map_or(game.plies.len(), |ply| ply.min(game.plies.len()));
    let last = ply.checked_sub(1).and_then(|i| game.plies.get(i));
    let fen = last.map_or_else(|| xiangqi::Position::start().fen(), |ply| ply.board.clone());
    let mut text = String::from("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-66 -94 932 1090\">");
    let _ = write!(text, "<style>{STYLE}</style><defs>");
    let men: Vec<_> = board::pieces(&fen).collect();
    for man in men.iter().map(|(_, man)| *man).collect::<BTreeSet<_>>() {
        let side = if man.is_ascii_uppercase() { 'r' } else { 'b' };
        let drawn = inside(&format!("seal/{side}{}.svg", man.to_ascii_lowercase()));
        let drawn = drawn.replace("class=\"", &format!("class=\"{side}"));
        let _ = write!(text, "<g id=\"{man}\">{drawn}</g>");
    }
    let _ = write!(text, "</defs>{}", inside("board.svg"));
    let at = |point: xiangqi::Point| (100 * i32::from(point.file()), 900 - 100 * i32::from(point.rank()));
    for point in last.into_iter().flat_map(|ply| [ply.mv.from, ply.mv.to]) {
        let (x, y) = at(point);
        let _ = write!(
            text,
            "<rect class=\"m\" x=\"{}\" y=\"{}\" width=\"100\" height=\"100\"/>",
            x - 50,
            y - 50
        );
    }
    for (point, man) in men {
        let (x, y) = at(point);
        let _ = write!(text, "<use href=\"#{man}\" x=\"{x}\" y=\"{y}\"/>");
    }
    text + "</svg>\n"
}
