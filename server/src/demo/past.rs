//! What a demo's tables did before this start: hands, pieces and clocks are new, but the record knows how far each game
//! had come. They stand as recorded, and the clocks are set to the times that were told last, as an arbiter does it
//! after a clock was replaced.

use firmware_proto::{Epoch, Millis};
use hall::Act;
use hall::view::{GameStatus, GameView};
use simulator::Resume;
use tournament::{RoundNo, TableNo};
use web::Shown;

/// A table's past.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Past {
    /// Games that it has finished: one a round.
    pub games: u32,
    /// How far the next one had come, if it was begun.
    pub begun: Option<Resume>,
    /// How its clock is set again.
    pub clock: Option<Act>,
}

impl Past {
    /// A table's past, from what was published.
    #[must_use]
    pub fn of(table: TableNo, shown: &Shown) -> Past {
        let Some(event) = shown.event.as_ref().filter(|event| event.round > RoundNo(0)) else {
            return Past::default();
        };
        let rounds = u32::from(event.round.0);
        let last = shown.games.get(&(event.round, table));
        let begun = match last.map(|game| &game.status) {
            Some(GameStatus::Finished(_) | GameStatus::Withheld) => {
                return Past { games: rounds, ..Past::default() };
            }
            Some(GameStatus::Playing | GameStatus::Pending) => true,
            Some(GameStatus::NotStarted) | None => false,
        };
        let base = Millis(event.base_ms);
        Past {
            games: rounds - 1,
            begun: last.filter(|_| begun).map(|game| Resume { plies: game.plies.len(), base }),
            clock: last.filter(|_| event.playing).and_then(|game| set_clock(game, begun)),
        }
    }
}

/// The clock as it was told last. `None`: it was told nothing since it began its life, so what it was ordered is still
/// owed, and the server repeats it.
fn set_clock(game: &GameView, begun: bool) -> Option<Act> {
    let GameView { table, clocks, to_move, .. } = game;
    let told = clocks.at != Epoch(0) && (clocks.red_ms, clocks.black_ms) != (0, 0);
    told.then(|| Act::SetClock {
        table: *table,
        red_ms: clocks.red_ms,
        black_ms: clocks.black_ms,
        running: begun.then_some(*to_move),
    })
}
