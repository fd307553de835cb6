//! No text makes the FEN reader panic, and what it accepts can be used: it is
//! written and read back as the same, and every legal move can be played and
//! taken back.

#![no_main]

use libfuzzer_sys::fuzz_target;
use xiangqi::{Defects, Position, Setup};

fuzz_target!(|text: &str| {
    let Ok(setup) = Setup::from_fen(text) else { return };
    assert_eq!(Setup::from_fen(&setup.fen()).as_ref(), Ok(&setup));
    let Ok(mut position) = Position::from_setup(setup).or_else(|error| error.forgive(Defects::FORGIVABLE))
    else {
        return;
    };
    let before = position.clone();
    let moves = position.legal_moves();
    assert_eq!(moves.len(), position.count_legal_moves());
    for mv in &moves {
        assert!(position.is_legal(mv));
        let undo = position.play_unchecked(mv);
        let _ = position.status();
        assert!(!position.in_check(before.side_to_move()));
        position.undo(undo);
        assert_eq!(position, before);
    }
});
