//! Runs an event without people: sets it up once, pairs and starts each round. For demonstrations and rehearsals; in
//! a real event the organisers do the same acts.

use std::time::Duration;

use arbitration::AlertCode;
use hall::view::{AlertView, GameStatus};
use hall::{Act, Actor, Role};
use web::Shown;

use crate::server::Server;

/// How often the pilot looks.
const EVERY: Duration = Duration::from_millis(200);

/// What to do next, by what is to be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Pair,
    Start,
    Wait,
    Finished,
}

fn next(shown: &Shown) -> Next {
    let Some(event) = &shown.event else { return Next::Wait };
    if event.finished {
        return Next::Finished;
    }
    if event.playing {
        return Next::Wait;
    }
    let waiting = |status: &GameStatus| matches!(status, GameStatus::NotStarted);
    match shown.rounds.get(&event.round) {
        Some(round) if round.pairings.iter().any(|it| it.black.is_some() && waiting(&it.status)) => {
            Next::Start
        }
        Some(_) | None => Next::Pair,
    }
}

/// Does this in the pilot's name.
pub async fn act(server: &Server, acts: Vec<Act>) -> Result<(), String> {
    server.act(acts, Actor::person("pilot", Role::Organiser)).await
}

/// Where the regulation leaves a fallen flag to an arbiter, the pilot confirms what is proposed.
async fn rule_on_flags(server: &Server) {
    let fallen = |alert: &&AlertView| matches!(alert.code, AlertCode::Flag | AlertCode::FlagBoth);
    let alerts: Vec<u64> =
        server.hub.look(|shown| shown.alerts.open.iter().filter(fallen).map(|one| one.id).collect());
    for alert in alerts {
        let remedy = Act::Remedy { alert, choice: 0, why: "演示：按建议裁定".into() };
        // It may have passed in the meantime; then there is nothing to rule on.
        let _ = server.act(vec![remedy], Actor::person("pilot", Role::ChiefArbiter)).await;
    }
}

/// Opens the event with these acts, unless it is open already.
pub async fn set_up(server: &Server, setup: Vec<Act>) -> Result<(), String> {
    if setup.is_empty() || server.hub.look(|shown| shown.event.is_some()) {
        return Ok(());
    }
    act(server, setup).await
}

/// Pairs and starts round after round until the event is finished. A round starts when `ready` says that the tables
/// are there.
pub async fn fly(server: &Server, ready: impl Fn(&Shown) -> bool) -> Result<(), String> {
    loop {
        let due = match server.hub.look(next) {
            Next::Pair => Some(Act::Pair),
            Next::Start if server.hub.look(&ready) => Some(Act::Start),
            Next::Start | Next::Wait => None,
            Next::Finished => return Ok(()),
        };
        if let Some(due) = due {
            act(server, vec![due]).await?;
        }
        rule_on_flags(server).await;
        tokio::time::sleep(EVERY).await;
    }
}
