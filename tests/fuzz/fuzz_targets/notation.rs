//! No text makes a notation reader panic, what it reads is legal, and what it
//! reads it also writes and reads again as the same move. The input is a line of
//! moves, one a line, played from the start; the first line may be a FEN.

#![no_main]

use libfuzzer_sys::fuzz_target;
use xiangqi::{Notation, Position, notation};

fuzz_target!(|text: &str| {
    let mut position = Position::start();
    for (number, line) in text.lines().enumerate() {
        if number == 0
            && let Ok(given) = Position::from_fen(line)
        {
            position = given;
            continue;
        }
        let detected = notation::detect(line);
        for notation in Notation::ALL {
            if let Ok(mv) = notation::parse(notation, &position, line) {
                assert!(detected.is_some(), "what can be read is recognised");
                assert!(position.is_legal(mv));
                let written = notation::write(notation, &position, mv);
                assert_eq!(notation::parse(notation, &position, &written), Ok(mv), "{written}");
            }
        }
        if let Some(Ok(mv)) = detected.map(|notation| notation::parse(notation, &position, line)) {
            position = position.play(mv).expect("what was read is legal");
        }
    }
});
