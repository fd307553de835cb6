//! 纵线 notation, four characters: `炮二平五`, `马８进７`, `前车退三`.

use super::relative::{Action, Phrase, Place, Which, action, resolve, tandems};
use super::{Notation, NotationError, iccs};
use crate::{Move, Piece, Point, Position, Role, Side};

/// `mv` in four characters, with Chinese numerals for Red and full-width
/// digits for Black; in ICCS if there are no words for it.
#[must_use]
pub fn write(position: &Position, mv: Move) -> String {
    let described = position.piece_at(mv.from).and_then(|piece| Some((piece, action(piece, mv)?)));
    let Some((piece, (action, number))) = described else { return iccs::write(mv) };
    let action = match action {
        Action::Advance => '进',
        Action::Retreat => '退',
        Action::Traverse => '平',
    };
    let [first, second] = subject(position, piece, mv.from);
    [first, second, action, numeral(piece.side, number)].into_iter().collect()
}

/// The two characters that name the piece on `from`: 炮二 or 前炮.
fn subject(position: &Position, piece: Piece, from: Point) -> [char; 2] {
    let name = name(piece);
    match place(position, piece, from) {
        Some(place) => [place, name],
        None => [name, numeral(piece.side, from.file_number(piece.side))],
    }
}

/// The place of a piece that shares its file with another of its kind.
fn place(position: &Position, piece: Piece, from: Point) -> Option<char> {
    match piece.role {
        // Of two on one file only one can advance and only the other retreat.
        Role::King | Role::Advisor | Role::Elephant => return None,
        Role::Horse | Role::Chariot | Role::Cannon | Role::Soldier => {}
    }
    let tandems = tandems(position, piece.side, piece.role);
    let tandem = tandems.iter().find(|tandem| tandem.points.contains(&from))?;
    if tandems.len() > 1 {
        let ahead = tandems.iter().flat_map(|tandem| &tandem.points).take_while(|&&point| point != from);
        return NUMERALS.get(ahead.count()).copied();
    }
    let n = tandem.points.iter().take_while(|&&point| point != from).count();
    Some(match (tandem.points.len(), n) {
        (2 | 3, 0) => '前',
        (2, 1) | (3, 2) => '后',
        (3, 1) => '中',
        _ => NUMERALS[n],
    })
}

const fn name(piece: Piece) -> char {
    match (piece.side, piece.role) {
        (Side::Red, Role::King) => '帅',
        (Side::Black, Role::King) => '将',
        (Side::Red, Role::Advisor) => '仕',
        (Side::Black, Role::Advisor) => '士',
        (Side::Red, Role::Elephant) => '相',
        (Side::Black, Role::Elephant) => '象',
        (_, Role::Horse) => '马',
        (_, Role::Chariot) => '车',
        (_, Role::Cannon) => '炮',
        (Side::Red, Role::Soldier) => '兵',
        (Side::Black, Role::Soldier) => '卒',
    }
}

const NUMERALS: [char; 9] = ['一', '二', '三', '四', '五', '六', '七', '八', '九'];
const FULL_WIDTH: [char; 9] = ['１', '２', '３', '４', '５', '６', '７', '８', '９'];

/// A number from 1 to 9 as `side` writes it.
fn numeral(side: Side, number: u8) -> char {
    let digits = match side {
        Side::Red => NUMERALS,
        Side::Black => FULL_WIDTH,
    };
    digits[usize::from(number) - 1]
}

/// What one character of a move can be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    Role(Role),
    Place(Place),
    Number(u8),
    Action(Action),
}

/// Reads one character: both scripts, the carved forms, 士相兵 of either
/// colour, Chinese, full-width and ASCII numerals.
fn word(character: char) -> Option<Word> {
    Some(match character {
        '帅' | '帥' | '将' | '將' => Word::Role(Role::King),
        '仕' | '士' => Word::Role(Role::Advisor),
        '相' | '象' => Word::Role(Role::Elephant),
        '马' | '馬' | '傌' => Word::Role(Role::Horse),
        '车' | '車' | '俥' | '伡' => Word::Role(Role::Chariot),
        '炮' | '砲' | '包' => Word::Role(Role::Cannon),
        '兵' | '卒' => Word::Role(Role::Soldier),
        '前' => Word::Place(Place::Front),
        '中' => Word::Place(Place::Middle),
        '后' | '後' => Word::Place(Place::Rear),
        '进' | '進' | '上' => Word::Action(Action::Advance),
        '退' | '下' => Word::Action(Action::Retreat),
        '平' => Word::Action(Action::Traverse),
        _ => {
            let of = |digits: [char; 9]| digits.iter().position(|&digit| digit == character);
            let ascii = ('1'..='9').position(|digit| digit == character);
            Word::Number(of(NUMERALS).or_else(|| of(FULL_WIDTH)).or(ascii)? as u8 + 1)
        }
    })
}

/// The phrase that a text has the form of.
fn phrase(text: &str) -> Option<Phrase> {
    let mut words = [None; 5];
    let mut characters = text.chars().filter(|character| !character.is_whitespace());
    for slot in &mut words {
        *slot = characters.next().map(word);
    }
    if characters.next().is_some() {
        return None;
    }
    let words: Vec<Word> = words.into_iter().flatten().collect::<Option<_>>()?;
    let (subject, [Word::Action(action), Word::Number(number)]) = words.split_last_chunk::<2>()? else {
        return None;
    };
    let (role, which) = match *subject {
        [Word::Role(role), Word::Number(file)] => (role, Which::OnFile(file)),
        [Word::Place(place), Word::Role(role)] => (role, Which::At(place)),
        [Word::Number(nth), Word::Role(role)] => (role, Which::At(Place::Nth(nth))),
        [Word::Place(place), Word::Role(role), Word::Number(file)] => (role, Which::AtOnFile(place, file)),
        [Word::Number(nth), Word::Role(role), Word::Number(file)] => {
            (role, Which::AtOnFile(Place::Nth(nth), file))
        }
        // 前六平五: the soldier goes without saying.
        [Word::Place(place), Word::Number(file)] => (Role::Soldier, Which::AtOnFile(place, file)),
        [Word::Number(nth), Word::Number(file)] => (Role::Soldier, Which::AtOnFile(Place::Nth(nth), file)),
        _ => return None,
    };
    Some(Phrase { role, which, action: *action, number: *number })
}

/// Whether a text has the form of a move in this notation.
pub(super) fn is_chinese(text: &str) -> bool {
    phrase(text).is_some()
}

/// The legal move that `text` describes. A text that fits several pieces by
/// its form (`炮五退一` with two cannons on the file) means the one that can
/// legally do it.
///
/// # Errors
/// The text has not the form, or describes no legal move, or several.
pub fn parse(position: &Position, text: &str) -> Result<Move, NotationError> {
    match phrase(text) {
        Some(phrase) => {
            // 二兵 counts over all files that hold several; those who count
            // within a file should name the file, but do not always.
            let within_a_file = match phrase.which {
                Which::At(place) => Phrase { which: Which::AtOnSomeFile(place), ..phrase },
                Which::OnFile(_) | Which::AtOnFile(..) | Which::AtOnSomeFile(_) => phrase,
            };
            resolve(position, text, &[phrase, within_a_file])
        }
        None => Err(NotationError::Unreadable { text: text.to_owned(), notation: Notation::Chinese }),
    }
}
