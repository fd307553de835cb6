//! What must hold of game files, whatever their bytes; the pages, for whatever is sent to them.

#[path = "../../../server/web/fixture/office.rs"]
#[allow(dead_code, reason = "the pages' tests use the rest")]
mod office;
pub mod pages;

use xiangqi::Notation;
use xiangqi::files::{self, Game, NodeId, pgn};

/// Reads a file, and writes what was read in every format: it must be read
/// again as the same moves, without an error. In UTF-8: GBK and Big5 can only be
/// told apart in texts that make sense.
pub fn check_file(bytes: &[u8]) {
    let result = files::read(bytes);
    let partial = result.errors.iter().filter_map(|error| error.partial.as_deref());
    for game in result.games.iter().chain(partial) {
        assert!(game.irregular().is_empty(), "readers add legal moves only");
        for notation in Notation::ALL {
            let text = pgn::write([game], pgn::Options { notation, clocks: true });
            same_moves(game, text.as_bytes());
        }
        same_moves(game, files::write_dhtmlxq([game]).as_bytes());
        if game.start().setup().plies_since_capture == 0 && game.start().move_number() == 1 {
            same_moves(game, &files::write_xqf(game));
        }
        let uci = files::read(files::write_uci([game]).as_bytes());
        assert!(uci.games.len() == 1 && uci.games[0].moves().eq(game.moves()), "{uci:?}");
    }
}

fn same_moves(game: &Game, written: &[u8]) {
    let again = files::read(written);
    assert!(again.errors.is_empty() && again.games.len() == 1, "{again:?} from {game:?}");
    let again = &again.games[0];
    assert_eq!((again.result, again.start()), (game.result, game.start()));
    let mut pairs = vec![(NodeId::ROOT, NodeId::ROOT)];
    while let Some((a, b)) = pairs.pop() {
        assert_eq!(game.mv(a), again.mv(b));
        assert_eq!(game.children(a).count(), again.children(b).count());
        pairs.extend(game.children(a).zip(again.children(b)));
    }
}

/// Reads a file that begins with `magic`, whether the input does or not.
pub fn check_magic(magic: &[u8], bytes: &[u8]) {
    if bytes.starts_with(magic) {
        check_file(bytes);
    } else {
        check_file(&[magic, bytes].concat());
    }
}
