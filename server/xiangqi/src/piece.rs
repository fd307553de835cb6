//! The pieces: seven roles, two sides.

use crate::Side;

/// What a piece is, whichever side it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Role {
    /// 帅/将, the general: one point along a line, within the palace.
    King,
    /// 仕/士: one point diagonally, within the palace.
    Advisor,
    /// 相/象: two points diagonally, this side of the river, its eye (象眼) free.
    Elephant,
    /// 马: one point along a line and one diagonally outward, its leg (马腿) free.
    Horse,
    /// 车: any distance along a free line.
    Chariot,
    /// 炮: moves as a chariot; captures over exactly one screen (炮架).
    Cannon,
    /// 兵/卒: one point forward; across the river sideways too.
    Soldier,
}

impl Role {
    /// All seven, the general first.
    pub const ALL: [Role; 7] =
        [Role::King, Role::Advisor, Role::Elephant, Role::Horse, Role::Chariot, Role::Cannon, Role::Soldier];

    /// What it is called in English.
    #[must_use]
    pub const fn en(self) -> &'static str {
        match self {
            Role::King => "general",
            Role::Advisor => "advisor",
            Role::Elephant => "elephant",
            Role::Horse => "horse",
            Role::Chariot => "chariot",
            Role::Cannon => "cannon",
            Role::Soldier => "soldier",
        }
    }

    pub(crate) const fn index(self) -> usize {
        self as usize
    }

    /// How many of this role a side starts with, and so the most it can have.
    #[must_use]
    pub const fn in_a_set(self) -> usize {
        match self {
            Role::King => 1,
            Role::Advisor | Role::Elephant | Role::Horse | Role::Chariot | Role::Cannon => 2,
            Role::Soldier => 5,
        }
    }

    /// The role a FEN or WXF letter stands for, in either case, with the
    /// synonyms in use: `H`/`N` horse, `E`/`B` elephant, `K`/`G` general.
    #[must_use]
    pub const fn from_letter(letter: char) -> Option<Role> {
        Some(match letter.to_ascii_uppercase() {
            'K' | 'G' => Role::King,
            'A' => Role::Advisor,
            'B' | 'E' => Role::Elephant,
            'N' | 'H' => Role::Horse,
            'R' => Role::Chariot,
            'C' => Role::Cannon,
            'P' => Role::Soldier,
            _ => return None,
        })
    }
}

/// A piece: whose it is and what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Piece {
    /// The side it belongs to.
    pub side: Side,
    /// What it is.
    pub role: Role,
}

impl Piece {
    /// The piece a FEN letter stands for: upper case is Red. Synonyms as
    /// [`Role::from_letter`].
    #[must_use]
    pub const fn from_fen_char(letter: char) -> Option<Piece> {
        let side = if letter.is_ascii_uppercase() { Side::Red } else { Side::Black };
        match Role::from_letter(letter) {
            Some(role) => Some(Piece { side, role }),
            None => None,
        }
    }

    /// Its FEN letter: `KABNRCP` for Red, lower case for Black.
    #[must_use]
    pub const fn fen_char(self) -> char {
        let letter = match self.role {
            Role::King => 'K',
            Role::Advisor => 'A',
            Role::Elephant => 'B',
            Role::Horse => 'N',
            Role::Chariot => 'R',
            Role::Cannon => 'C',
            Role::Soldier => 'P',
        };
        match self.side {
            Side::Red => letter,
            Side::Black => letter.to_ascii_lowercase(),
        }
    }

    /// The character carved on the piece, the two sides' always different:
    /// 帥仕相傌俥炮兵 and 將士象馬車砲卒.
    #[must_use]
    pub const fn hanzi(self) -> char {
        match (self.side, self.role) {
            (Side::Red, Role::King) => '帥',
            (Side::Red, Role::Advisor) => '仕',
            (Side::Red, Role::Elephant) => '相',
            (Side::Red, Role::Horse) => '傌',
            (Side::Red, Role::Chariot) => '俥',
            (Side::Red, Role::Cannon) => '炮',
            (Side::Red, Role::Soldier) => '兵',
            (Side::Black, Role::King) => '將',
            (Side::Black, Role::Advisor) => '士',
            (Side::Black, Role::Elephant) => '象',
            (Side::Black, Role::Horse) => '馬',
            (Side::Black, Role::Chariot) => '車',
            (Side::Black, Role::Cannon) => '砲',
            (Side::Black, Role::Soldier) => '卒',
        }
    }
}
