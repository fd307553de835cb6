//! With small programs that speak UCI, and with a real engine where one is installed.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use super::*;
use arbitration::{Ending, GameResult, Outcome};
use hall::view::Epoch;
use web::Update;

#[path = "../../web/fixture/mod.rs"]
#[allow(dead_code, reason = "the pages' tests use the rest")]
mod fixture;

const TABLE: TableNo = TableNo(3);
const ROUND: RoundNo = RoundNo(3);

/// Says 25 for the side to move; `$1`: a file that counts starts; the first start ends at its third position.
const SPEAKS: &str = r#"#!/bin/sh
echo start >> "$1"
n=0
while read -r line; do
    case "$line" in
        uci) echo "id name Small"; echo "option name UCI_Variant type combo default chess var xiangqi"; echo uciok ;;
        isready) echo readyok ;;
        go*)
            n=$((n + 1))
            [ "$n" = 3 ] && [ "$(wc -l < "$1")" = 1 ] && exit 1
            echo "info depth 1 score cp 25"; echo "bestmove a0a1" ;;
    esac
done
"#;

fn program(folder: &Path, text: &str) -> EngineSetup {
    let path = folder.join("engine.sh");
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let starts = folder.join("starts").display().to_string();
    EngineSetup { path, args: vec![starts], ms_a_ply: 1 }
}

/// A hub with one game of five plies.
fn hub(status: GameStatus) -> Hub {
    let hub = Hub::new(1, Arc::new(|| Epoch(0)), 1.0);
    hub.publish(Update::Game(Arc::new(fixture::game(ROUND, TABLE, 5, status))));
    hub
}

fn over() -> GameStatus {
    GameStatus::Finished(Outcome { result: GameResult::RedWins, ending: Ending::Resignation })
}

async fn evaluated(hub: &Hub, setup: EngineSetup) -> Arc<Evaluation> {
    let stop = CancellationToken::new();
    let engine = tokio::spawn(evaluate(hub.public(), setup, stop.clone()));
    let found = async {
        loop {
            if let Some(found) = hub.public().look(|shown| shown.evaluations.get(&(ROUND, TABLE)).cloned()) {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let found = tokio::time::timeout(Duration::from_secs(120), found).await.unwrap();
    stop.cancel();
    engine.await.unwrap();
    found
}

#[tokio::test]
async fn an_engine_that_ends_is_started_again_and_scores_are_reds() {
    let folder = tempfile::tempdir().unwrap();
    let hub = hub(over());
    let found = evaluated(&hub, program(folder.path(), SPEAKS)).await;
    assert_eq!(found.by, "Small");
    assert_eq!(found.plies, [-25, 25, -25, 25, -25].map(Some), "after Red's move Black is to move");
    let starts = std::fs::read_to_string(folder.path().join("starts")).unwrap();
    assert_eq!(starts.lines().count(), 2);
    assert!(hub.veiled().look(|shown| shown.evaluations.is_empty()), "who wants no results gets no hints");
    assert!(hub.look(|shown| shown.evaluations.is_empty()), "and no arbiter");
}

#[tokio::test]
async fn a_game_that_is_being_played_or_kept_back_is_shown_to_no_engine() {
    let folder = tempfile::tempdir().unwrap();
    let setup = program(folder.path(), SPEAKS);
    let playing = hub(GameStatus::Playing);
    let hidden = hub(over());
    hidden.publish(Update::Broadcast(Arc::new(hall::Broadcast { hide_results: true, ..Default::default() })));
    let stop = CancellationToken::new();
    let tasks = [playing.public(), hidden.public()]
        .map(|hub| tokio::spawn(evaluate(hub, setup.clone(), stop.clone())));
    // Another one, begun later and done, shows that they have looked.
    let done = hub(over());
    let elsewhere = tempfile::tempdir().unwrap();
    evaluated(&done, program(elsewhere.path(), SPEAKS)).await;
    assert!(!folder.path().join("starts").exists(), "it was not even started");
    stop.cancel();
    for task in tasks {
        task.await.unwrap();
    }
}

#[tokio::test]
async fn a_program_that_is_not_there_is_said_so() {
    let error = Engine::start(Path::new("/nowhere/engine"), &[]).await.unwrap_err();
    assert!(error.to_string().contains("/nowhere/engine"), "{error}");
}

#[tokio::test]
async fn a_real_engine_scores_the_beginning_about_even() {
    let places = [
        "/usr/games/fairy-stockfish",
        "/usr/bin/fairy-stockfish",
        "/usr/games/pikafish",
        "/usr/bin/pikafish",
    ];
    let Some(path) = places.into_iter().map(PathBuf::from).find(|path| path.exists()) else {
        println!(
            "SKIPPED: no Fairy-Stockfish and no Pikafish is installed (apt-get install fairy-stockfish)"
        );
        return;
    };
    let setup = EngineSetup { path, args: Vec::new(), ms_a_ply: 50 };
    let found = evaluated(&hub(over()), setup).await;
    assert!(!found.by.is_empty() && found.plies.len() == 5);
    assert!(found.plies.iter().all(|score| score.is_some_and(|score| score.abs() < 500)), "{found:?}");
}
