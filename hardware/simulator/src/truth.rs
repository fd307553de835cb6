//! The truth beside the noise: what was played, and what an arbiter should have been told of it.

use capture::Irregularity;
use firmware_proto::Epoch;
use serde::Serialize;
use xiangqi::{Move, Point};

use crate::games::Ending;

/// What really happened at a table in one game; times in ms since the pieces stood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Truth {
    /// The plies that stand in the end.
    pub plies: Vec<PlayedPly>,
    /// Plies that were played and then taken back by an arbiter.
    pub struck: Vec<Struck>,
    /// How the game ends.
    pub ending: Ending,
    /// When it has ended.
    pub ended: i64,
    /// A point that never senses.
    pub dead: Option<Point>,
    /// What went wrong.
    pub due: Vec<Due>,
}

/// A ply as played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PlayedPly {
    /// From where to where.
    pub mv: Move,
    /// When the piece stood.
    pub placed: i64,
    /// When the lever was pushed; `None`: never.
    pub pressed: Option<i64>,
}

/// A ply that was taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Struck {
    /// Its number less one.
    pub index: usize,
    /// What was played.
    pub ply: PlayedPly,
    /// When the arbiter took it back.
    pub until: i64,
}

/// A game that was played at a virtual table: the truth to compare the record with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlayedGame {
    /// At which table.
    pub table: u16,
    /// The table's first game is 1.
    pub game_no: u32,
    /// The game's name in the record.
    pub id: String,
    /// The moves that were played.
    pub moves: Vec<Move>,
    /// How it ended.
    pub ending: GameEnd,
    /// What went wrong, of which an arbiter should have been told or may be told; times in ms since `began`.
    pub alerts_due: Vec<Due>,
    /// The plies with their times, in ms since `began`.
    pub plies: Vec<PlayedPly>,
    /// Plies that an arbiter took back.
    pub struck: Vec<Struck>,
    /// Venue time of the game's ms 0: the pieces stand.
    pub began: Epoch,
    /// When it had ended.
    pub ended: Epoch,
    /// A point that never sensed.
    pub dead: Option<Point>,
}

/// How a game at a virtual table ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GameEnd {
    /// As it was meant to.
    Played(Ending),
    /// The clock was stopped by a command.
    Stopped,
}

/// Something that went wrong, whether an arbiter must be told or only may be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Due {
    /// What.
    pub what: Incident,
    /// From when on it can be told, ms.
    pub at: i64,
    /// When it was over; what is said of it after that is wrong. `i64::MAX`: never.
    pub until: i64,
    /// After how many plies.
    pub plies: u16,
    /// Which points it concerns.
    pub points: Vec<Point>,
    /// Which boards can sense it.
    pub sensed_by: SensedBy,
}

/// The poorest kind of board that can sense something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SensedBy {
    /// Every kind.
    Occupancy,
    /// Boards that tell Red from Black.
    Colour,
    /// Boards that know the pieces.
    Type,
}

/// What can go wrong at a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Incident {
    /// The board was knocked over (碰乱棋子).
    KnockedOver,
    /// It was restored, and one piece stands beside its point.
    RestoredWrongly,
    /// Two pieces were lifted and put back each on the other's point.
    Exchanged,
    /// A move against the movement rules, pressed (违规着法).
    IllegalMove,
    /// A move that leaves or puts the own general in danger, pressed (送将).
    GeneralExposed,
    /// A piece of the opponent was moved, pressed.
    OpponentsPieceMoved,
    /// A second ply by the same side.
    TwoPlies,
    /// Pressed without a move (未走棋先按钟).
    PressWithoutMove,
    /// Moved and not pressed before the opponent moved (走棋未按钟): the record and the clock tell, not the tracker.
    PressForgotten,
    /// An own piece was lifted for 0.3 s or longer, put back, and another one was played (摸子).
    TouchMove,
    /// A piece was adjusted (j'adoube): to a sensor the same as a touched piece.
    Adjusted,
    /// Set up with two pieces exchanged.
    SetUpSwapped,
    /// Set up with a piece missing.
    SetUpMissing,
    /// The board lies the wrong way round.
    SetUpTurned,
    /// Red's pieces stand on Black's side.
    SetUpColours,
    /// A point that never senses, or no more.
    DeadPoint,
    /// A point that shows a piece for ever.
    StuckPoint,
    /// A point whose sensor drifts: it loses its piece now and then.
    FadingPoint,
    /// A piece whose magnet is weak.
    WeakPiece,
    /// A piece that stands so far off its point that it is not sensed.
    OffCentre,
    /// The players analyse on the board after the end: none of it may be recorded.
    AfterGame,
    /// Clock and board of two tables exchanged.
    CablesExchanged,
    /// The link of a device was down.
    LinkDown,
    /// A device restarted.
    DeviceReset,
    /// A board was without power: what was played meanwhile was not seen.
    BoardDark,
    /// The gateway restarted.
    GatewayRestart,
    /// The server restarted.
    ServerRestart,
}

impl Incident {
    /// Whether an arbiter must be told. The rest may be told, or is for others than the tracker to tell.
    #[must_use]
    pub const fn must_be_told(self) -> bool {
        match self {
            Incident::KnockedOver
            | Incident::RestoredWrongly
            | Incident::Exchanged
            | Incident::IllegalMove
            | Incident::GeneralExposed
            | Incident::OpponentsPieceMoved
            | Incident::TwoPlies
            | Incident::PressWithoutMove
            | Incident::TouchMove
            | Incident::SetUpSwapped
            | Incident::SetUpMissing
            | Incident::SetUpTurned
            | Incident::SetUpColours
            | Incident::DeadPoint
            | Incident::StuckPoint
            | Incident::CablesExchanged => true,
            Incident::PressForgotten
            | Incident::Adjusted
            | Incident::FadingPoint
            | Incident::WeakPiece
            | Incident::OffCentre
            | Incident::AfterGame
            | Incident::LinkDown
            | Incident::DeviceReset
            | Incident::BoardDark
            | Incident::GatewayRestart
            | Incident::ServerRestart => false,
        }
    }

    /// What an irregular ply of this kind is; `None`: it is no ply.
    #[must_use]
    pub const fn irregularity(self) -> Option<Irregularity> {
        match self {
            Incident::IllegalMove => Some(Irregularity::Illegal),
            Incident::GeneralExposed => Some(Irregularity::ExposesGeneral),
            Incident::OpponentsPieceMoved | Incident::TwoPlies => Some(Irregularity::OutOfTurn),
            Incident::KnockedOver
            | Incident::RestoredWrongly
            | Incident::Exchanged
            | Incident::PressWithoutMove
            | Incident::PressForgotten
            | Incident::TouchMove
            | Incident::Adjusted
            | Incident::SetUpSwapped
            | Incident::SetUpMissing
            | Incident::SetUpTurned
            | Incident::SetUpColours
            | Incident::DeadPoint
            | Incident::StuckPoint
            | Incident::FadingPoint
            | Incident::WeakPiece
            | Incident::OffCentre
            | Incident::AfterGame
            | Incident::CablesExchanged
            | Incident::LinkDown
            | Incident::DeviceReset
            | Incident::BoardDark
            | Incident::GatewayRestart
            | Incident::ServerRestart => None,
        }
    }
}
