//! What an engine thinks of games that are over: an optional program beside the server that speaks UCI (Pikafish,
//! Fairy-Stockfish). Off unless configured; it never sees a game that is being played, and nothing waits for it.

mod process;
mod uci;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use hall::view::{GameStatus, GameView};
use serde::Deserialize;
use tokio_util::sync::CancellationToken;
use tournament::{RoundNo, TableNo};
use web::{Evaluation, Hub};
use xiangqi::Position;

use self::process::{Engine, EngineError};

/// How often it is looked whether a game ended.
const EVERY: Duration = Duration::from_secs(2);

/// Attempts at a game before it is left alone.
const ATTEMPTS: u32 = 3;

/// Which program, and how long it may think.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineSetup {
    /// The program.
    pub path: PathBuf,
    /// Its arguments.
    #[serde(default)]
    pub args: Vec<String>,
    /// Thinking time a ply, ms.
    #[serde(default = "EngineSetup::time")]
    pub ms_a_ply: u32,
}

impl EngineSetup {
    const fn time() -> u32 {
        200
    }
}

/// Evaluates every game that the public knows to be over, until `stop` is called. The public's hub is asked, so a game
/// that is still delayed is still being played here too.
pub async fn evaluate(public: Hub, setup: EngineSetup, stop: CancellationToken) {
    let mut engine: Option<Engine> = None;
    // How often a game was tried; one that was evaluated is not tried again.
    let mut tried: BTreeMap<(RoundNo, TableNo), u32> = BTreeMap::new();
    let mut looks = tokio::time::interval(EVERY);
    looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = looks.tick() => {}
        }
        let next = public.look(|shown| {
            let over = |game: &&std::sync::Arc<GameView>| matches!(game.status, GameStatus::Finished(_));
            let open = |game: &&std::sync::Arc<GameView>| {
                let key = (game.round, game.table);
                !game.plies.is_empty()
                    && shown.evaluations.get(&key).is_none_or(|known| known.plies.len() != game.plies.len())
                    && tried.get(&key).is_none_or(|tries| *tries < ATTEMPTS)
            };
            shown.games.values().rev().filter(over).find(open).cloned()
        });
        let Some(game) = next else { continue };
        let work = one_game(&mut engine, &setup, &game);
        let done = tokio::select! {
            () = stop.cancelled() => return,
            done = work => done,
        };
        match done {
            Ok(evaluation) => public.evaluate(game.round, game.table, evaluation),
            Err(error) => {
                // A new process for the next attempt: what state this one is in nobody knows.
                engine = None;
                let tries = tried.entry((game.round, game.table)).or_default();
                *tries += 1;
                tracing::warn!(%error, round = %game.round, table = %game.table, tries, "a game was not evaluated");
            }
        }
        looks.reset_immediately();
    }
}

async fn one_game(
    engine: &mut Option<Engine>,
    setup: &EngineSetup,
    game: &GameView,
) -> Result<Evaluation, EngineError> {
    let engine = match engine {
        Some(engine) => engine,
        None => engine.insert(Engine::start(&setup.path, &setup.args).await?),
    };
    let mut plies = Vec::new();
    for (i, ply) in game.plies.iter().enumerate() {
        let black_to_move = i % 2 == 0;
        let fen = format!("{} {} - - 0 1", ply.board, if black_to_move { 'b' } else { 'w' });
        // A position that no rules know (an illegal ply stands in the record), or that has no move, is not put to it.
        let known = Position::from_fen(&fen).is_ok_and(|position| !position.legal_moves().is_empty());
        let score = if known { engine.score(&fen, setup.ms_a_ply).await? } else { None };
        plies.push(score.map(|score| if black_to_move { -score } else { score }));
    }
    Ok(Evaluation { by: engine.name().to_owned(), ms_a_ply: setup.ms_a_ply, plies })
}

#[cfg(test)]
mod tests;
