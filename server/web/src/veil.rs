//! Views without results (隐藏结果), for readers who want to follow a game without knowing its end, and for events that
//! keep their results to themselves.
//!
//! A finished game is over with its outcome withheld, its clocks read nothing (one at 00:00 would tell); pairings lose
//! points, ranks and reasons; the standing is empty.

use std::sync::Arc;

use hall::view::{ClocksView, GameStatus, GameView, PlayerView, RoundView, StandingView};

use crate::hub::Update;

/// The view without results.
#[must_use]
pub fn veiled(update: Update) -> Update {
    match update {
        Update::Game(view) => Update::Game(Arc::new(game(&view))),
        Update::Round(view) => Update::Round(Arc::new(round(&view))),
        Update::Standing(view) => Update::Standing(Arc::new(StandingView {
            after: view.after,
            live: view.live,
            columns: Vec::new(),
            rows: Vec::new(),
        })),
        Update::Event(_) | Update::Teams(_) | Update::Alerts(_) | Update::Broadcast(_) | Update::Desk(_) => {
            update
        }
    }
}

fn status(status: GameStatus) -> GameStatus {
    match status {
        GameStatus::Finished(_) => GameStatus::Withheld,
        GameStatus::NotStarted | GameStatus::Playing | GameStatus::Pending | GameStatus::Withheld => status,
    }
}

fn player(player: &PlayerView) -> PlayerView {
    PlayerView { points: 0, rank: 0, ..player.clone() }
}

fn game(view: &GameView) -> GameView {
    let over = view.status.is_over();
    // What a commentator says of the whole game, or of its last ply, may tell the end.
    let tells = |ply: u16| over && (ply == 0 || usize::from(ply) >= view.plies.len());
    GameView {
        red: player(&view.red),
        black: player(&view.black),
        status: status(view.status),
        ended_at: None,
        clocks: if over {
            ClocksView { red_ms: 0, black_ms: 0, running: None, ..view.clocks }
        } else {
            view.clocks
        },
        notes: view.notes.iter().filter(|note| !tells(note.ply)).cloned().collect(),
        ..view.clone()
    }
}

fn round(view: &RoundView) -> RoundView {
    let mut view = view.clone();
    for pairing in &mut view.pairings {
        pairing.red = player(&pairing.red);
        pairing.black = pairing.black.as_ref().map(player);
        pairing.status = status(pairing.status);
        pairing.reason.clear();
    }
    for of in &mut view.matches {
        of.home = player(&of.home);
        of.away = of.away.as_ref().map(player);
    }
    view
}
