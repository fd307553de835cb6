//! A node without a database shows what the owner's public sees, goes on with what comes, and leads officials to the owner.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

#[allow(dead_code, reason = "other tests use the rest")]
mod common;
#[path = "../fixture/mod.rs"]
#[allow(dead_code, reason = "the example uses the rest")]
mod fixture;

use std::sync::Arc;

use axum::http::{StatusCode, header};
use common::{get, hub, state, text};
use hall::Broadcast;
use tournament::{RoundNo, TableNo};
use web::{Evaluation, Hub, PublicView, Relay, Update, spectators_app};

/// What is new goes over the wire; the paths that were told.
fn pass_on(relay: &mut Relay, owner: &Hub, node: &Hub) -> Vec<String> {
    let news = relay.news(&owner.public().shown());
    news.into_iter()
        .map(|news| {
            let path = news.path.clone();
            if let Some(view) = &news.view {
                let wire = serde_json::to_string(view).unwrap();
                node.relay(serde_json::from_str::<PublicView>(&wire).unwrap());
            }
            relay.told(news);
            path
        })
        .collect()
}

fn shown(hub: &Hub) -> String {
    format!("{:?}", hub.public().shown())
}

#[tokio::test]
async fn a_node_shows_what_the_owners_public_sees() {
    let (owner, node, mut relay) = (hub(), hub(), Relay::default());
    fixture::publish(&owner, 3);
    owner.beat();
    let evaluation = Evaluation { by: "engine".into(), ms_a_ply: 200, plies: vec![Some(12), None] };
    owner.public().evaluate(RoundNo(1), TableNo(1), evaluation);
    assert!(pass_on(&mut relay, &owner, &node).len() > 10);
    assert_eq!(shown(&node), shown(&owner));
    assert!(node.shown().alerts.open.is_empty() && node.shown().desk.is_none(), "officials' eyes only");

    assert_eq!(pass_on(&mut relay, &owner, &node), <[String; 0]>::default(), "nothing is new");
    fixture::advance(&owner, TableNo(1));
    assert_eq!(pass_on(&mut relay, &owner, &node), ["game/3/1"]);
    assert_eq!(shown(&node), shown(&owner));

    let (state, _asked) = state(&node);
    let app = spectators_app(state, None);
    for page in ["/", "/round/3", "/round/3/table/1", "/live", "/standings", "/screen", "/api/v1/games/3/1"] {
        assert_eq!(get(&app, page).await.status(), StatusCode::OK, "{page}");
    }
    let game = |hub: &Hub| web::game_json(&hub.public().shown().games[&(RoundNo(3), TableNo(1))]);
    assert_eq!(text(get(&app, "/api/v1/games/3/1").await).await, game(&owner));
}

#[tokio::test]
async fn results_that_the_owner_hides_are_hidden_at_nodes_too() {
    let (owner, node, mut relay) = (hub(), hub(), Relay::default());
    fixture::publish(&owner, 3);
    pass_on(&mut relay, &owner, &node);
    owner.publish(Update::Broadcast(Arc::new(Broadcast { hide_results: true, ..Broadcast::default() })));
    owner.beat();
    pass_on(&mut relay, &owner, &node);
    assert_eq!(shown(&node), shown(&owner));
    assert!(node.public().shown().without_results);
    // What nodes are told from now on holds no outcome.
    relay.forget();
    let all: String = relay
        .news(&owner.public().shown())
        .iter()
        .filter_map(|news| Some(serde_json::to_string(news.view.as_ref()?).unwrap()))
        .collect();
    assert!(!all.contains("\"outcome\""), "{all}");
}

#[tokio::test]
async fn officials_are_led_from_a_node_to_the_owner() {
    let (state, _asked) = state(&hub());
    let app = spectators_app(state.clone(), Some("http://10.0.0.2:8080/".into()));
    for page in ["/signin", "/setup", "/desk", "/print", "/alerts", "/nowhere?lang=en"] {
        let answer = get(&app, page).await;
        assert_eq!(answer.status(), StatusCode::TEMPORARY_REDIRECT, "{page}");
        assert_eq!(answer.headers()[header::LOCATION], format!("http://10.0.0.2:8080{page}"));
    }
    assert_eq!(get(&spectators_app(state, None), "/setup").await.status(), StatusCode::NOT_FOUND);
}
