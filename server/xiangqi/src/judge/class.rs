//! What a ply is (着法的性质): one class, with its reason.

use crate::{Move, Piece, Point};

/// The class of a ply. A ply with several effects has the heaviest (从重), in
/// the order of this list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Class {
    /// 将: it attacks the general (24.1).
    Check,
    /// 杀: it intends mate by checks alone (24.2).
    MateThreat,
    /// 捉: it makes a threat to win material (24.3); the gravest of them.
    Chase(Prey),
    /// 兑: it offers an exchange of the same kind (24.4).
    Exchange,
    /// 献: it offers a piece (24.5).
    Offer,
    /// 拦: it blocks a line (24.6).
    Block,
    /// 跟: it keeps after a protected piece (24.7).
    Follow,
    /// 闲: none of these (24.8).
    Idle,
}

/// What a chase is after: what decides between heavy and light (26.9).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Prey {
    /// 车: a chariot. Heavy.
    Chariot,
    /// 无根子: a piece that nothing protects. Heavy.
    Unprotected,
    /// 少根子: a piece with fewer protectors than attackers. Light.
    Underprotected,
    /// 联合捉子: a piece that only several men together attack. Light.
    Joint,
}

impl Prey {
    /// Whether chasing it is the lighter offence.
    #[must_use]
    pub const fn is_light(self) -> bool {
        match self {
            Prey::Chariot | Prey::Unprotected => false,
            Prey::Underprotected | Prey::Joint => true,
        }
    }
}

impl Class {
    /// Whether it is 将, 杀 or 捉: what may not go on for ever (24.13).
    #[must_use]
    pub const fn attacks(self) -> bool {
        match self {
            Class::Check | Class::MateThreat | Class::Chase(_) => true,
            Class::Exchange | Class::Offer | Class::Block | Class::Follow | Class::Idle => false,
        }
    }
}

/// A man and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Man {
    /// What it is.
    pub piece: Piece,
    /// Where it stands.
    pub at: Point,
}

/// One threat: `hunter` wins by capturing `prey`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Chase {
    /// Who would capture.
    pub hunter: Man,
    /// Who would be captured.
    pub prey: Man,
    /// How the prey stands.
    pub kind: Prey,
    /// The gain comes from a complete exchange, not on the point itself (24.3).
    pub by_exchange: bool,
}

/// Why a ply has its class.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Reason {
    /// These men attack the general (24.1).
    GivesCheck(Vec<Man>),
    /// It mates next by checks alone (24.2).
    ThreatensMate,
    /// The threats that the ply made (24.3).
    Chases(Vec<Chase>),
    /// It wins material by checks that begin with this move (24.3).
    WinsByChecks(Move),
    /// The first man offers itself to the second for an exchange (24.4).
    OffersExchange(Man, Man),
    /// The general left a check, whatever it threatens (26.1.3).
    GeneralEvades,
    /// The only attacking piece holds the draw; what else it attacks is
    /// incidental (26.2).
    HoldsDraw(Vec<Chase>),
    /// It threatens nothing that it did not threaten before (从捉到捉 included).
    NothingNew,
    /// An arbiter ruled so (裁判改判).
    Ruled,
}

/// A ply with its class.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Classified {
    /// The ply.
    pub mv: Move,
    /// Who moved.
    pub man: Man,
    /// Its class.
    pub class: Class,
    /// Why.
    pub reason: Reason,
    /// The search gave up before it was sure; the class is what was proved
    /// (疑案从无), and the arbiter should look.
    pub unresolved: bool,
}
