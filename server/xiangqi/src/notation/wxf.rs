//! WXF notation, four ASCII characters: `C2=5`, `H8+7`, `R+-3`.

use super::relative::{Action, Phrase, Place, Which, action, resolve, tandems};
use super::{Notation, NotationError, iccs};
use crate::{Move, Piece, Point, Position, Role};

/// `mv` in WXF; in ICCS if it has no words for it.
#[must_use]
pub fn write(position: &Position, mv: Move) -> String {
    let described = position.piece_at(mv.from).and_then(|piece| Some((piece, action(piece, mv)?)));
    let Some((piece, (action, number))) = described else { return iccs::write(mv) };
    let action = match action {
        Action::Advance => '+',
        Action::Retreat => '-',
        Action::Traverse => '=',
    };
    let [first, second] = subject(position, piece, mv.from);
    [first, second, action, digit(number)].into_iter().collect()
}

/// The two characters that name the piece on `from`: `C2`, `C+`, `15`.
fn subject(position: &Position, piece: Piece, from: Point) -> [char; 2] {
    let file = from.file_number(piece.side);
    let plain = [letter(piece.role), digit(file)];
    match piece.role {
        // Of two on one file only one can advance and only the other retreat.
        Role::King | Role::Advisor | Role::Elephant => return plain,
        Role::Horse | Role::Chariot | Role::Cannon | Role::Soldier => {}
    }
    let tandems = tandems(position, piece.side, piece.role);
    let Some(tandem) = tandems.iter().find(|tandem| tandem.file == file) else { return plain };
    let behind = tandem.points.iter().take_while(|&&point| point != from).count() as u8;
    if tandems.len() == 1 && tandem.points.len() == 2 {
        [letter(piece.role), if behind == 0 { '+' } else { '-' }]
    } else {
        [digit(behind + 1), digit(file)]
    }
}

const fn letter(role: Role) -> char {
    match role {
        Role::King => 'K',
        Role::Advisor => 'A',
        Role::Elephant => 'E',
        Role::Horse => 'H',
        Role::Chariot => 'R',
        Role::Cannon => 'C',
        Role::Soldier => 'P',
    }
}

const fn digit(number: u8) -> char {
    (b'0' + number) as char
}

/// The phrases that a text can be, the likelier first.
fn phrases(text: &str) -> Option<Vec<Phrase>> {
    let text: Vec<char> = text.trim().chars().map(half_width).collect();
    let [first, second, third, fourth] = text[..] else { return None };
    let action = match third {
        '+' => Action::Advance,
        '-' => Action::Retreat,
        '=' | '.' => Action::Traverse,
        _ => return None,
    };
    let number = number(fourth)?;
    let phrase = |role, which| Phrase { role, which, action, number };
    let readings = match (first, second) {
        (letter, '+' | '-') => vec![phrase(Role::from_letter(letter)?, Which::At(place(second)?))],
        ('+' | '-', letter) => vec![phrase(Role::from_letter(letter)?, Which::At(place(first)?))],
        // `Pa`: soldiers lettered over all the files that hold several.
        ('P' | 'p', 'a'..='e') => {
            vec![phrase(Role::Soldier, Which::At(Place::Nth(second as u8 - b'a' + 1)))]
        }
        _ => {
            let file = self::number(second)?;
            match self::number(first) {
                // `15`: the first soldier of file 5; where there are not
                // several, the general of file 5 of those who number the roles.
                Some(n) => {
                    let soldier = phrase(Role::Soldier, Which::AtOnFile(Place::Nth(n), file));
                    let numbered = NUMBERED.get(usize::from(n) - 1);
                    core::iter::once(soldier)
                        .chain(numbered.map(|&role| phrase(role, Which::OnFile(file))))
                        .collect()
                }
                None => vec![phrase(Role::from_letter(first)?, Which::OnFile(file))],
            }
        }
    };
    Some(readings)
}

/// The roles of those who write digits for letters.
const NUMBERED: [Role; 7] = Role::ALL;

fn number(character: char) -> Option<u8> {
    ('1'..='9').contains(&character).then(|| character as u8 - b'0')
}

fn place(sign: char) -> Option<Place> {
    match sign {
        '+' => Some(Place::Front),
        '-' => Some(Place::Rear),
        _ => None,
    }
}

/// The ASCII twin of a full-width character.
fn half_width(character: char) -> char {
    match character {
        '！'..='～' => (character as u32 - 0xFEE0) as u8 as char,
        other => other,
    }
}

/// Whether a text has the form of a move in this notation.
pub(super) fn is_wxf(text: &str) -> bool {
    phrases(text).is_some()
}

/// The legal move that `text` describes: `N` for `H`, `B` for `E`, `.` for `=`
/// and a tandem's sign on either side of the letter are read too.
///
/// # Errors
/// The text has not the form, or describes no legal move, or several.
pub fn parse(position: &Position, text: &str) -> Result<Move, NotationError> {
    match phrases(text) {
        Some(readings) => resolve(position, text, &readings),
        None => Err(NotationError::Unreadable { text: text.to_owned(), notation: Notation::Wxf }),
    }
}
