//! The API: that its description tells the truth, what it refuses, and what it streams.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

#[allow(dead_code, reason = "other tests use the rest")]
mod common;
#[path = "../fixture/mod.rs"]
#[allow(dead_code, reason = "the example uses the rest")]
mod fixture;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Method, Request, StatusCode, header};
use common::{get, hub, page, request, send, state, text};
use hall::view::{GameView, NoteView};
use serde_json::Value;
use tokio_stream::StreamExt;
use tournament::{RoundNo, TableNo};
use web::{Hub, Update};

fn venue() -> (Hub, Router) {
    let hub = hub();
    fixture::publish(&hub, 30);
    hub.beat();
    let app = web::app(state(&hub).0);
    (hub, app)
}

async fn json(app: &Router, path: &str) -> Value {
    serde_json::from_str(&page(app, path).await).unwrap()
}

/// Whether a value is what a schema says; the path to what is not.
fn fits(doc: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    if let Some(name) = schema["$ref"].as_str() {
        let found = doc.pointer(name.trim_start_matches('#')).ok_or(format!("{name} is not there"))?;
        return fits(doc, found, value, at);
    }
    if let Some(any) = schema["oneOf"].as_array() {
        let none = any.iter().all(|one| fits(doc, one, value, at).is_err());
        return if none { Err(format!("{at}: {value} is none of {any:?}")) } else { Ok(()) };
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        Value::String(kind) => vec![kind],
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => return Ok(()),
    };
    let is = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    if !kinds.contains(&is) {
        return Err(format!("{at}: {value} is no {kinds:?}"));
    }
    for required in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if value.get(required).is_none() && is == "object" {
            return Err(format!("{at}: {required} is missing"));
        }
    }
    for (name, value) in value.as_object().into_iter().flatten() {
        let known = &schema["properties"][name];
        if known.is_null() {
            return Err(format!("{at}: {name} is not described"));
        }
        fits(doc, known, value, &format!("{at}.{name}"))?;
    }
    for (i, value) in value.as_array().into_iter().flatten().enumerate() {
        fits(doc, &schema["items"], value, &format!("{at}[{i}]"))?;
    }
    Ok(())
}

#[tokio::test]
async fn every_documented_path_answers_as_documented() {
    let (_, app) = venue();
    let doc = json(&app, "/api/v1/openapi.json").await;
    assert!(doc["openapi"].as_str().unwrap().starts_with("3.1"));
    let paths = doc["paths"].as_object().unwrap();
    assert!(paths.len() >= 12, "{:?}", paths.keys());
    for (path, methods) in paths {
        let operation = &methods["get"];
        assert!(operation.is_object(), "{path}: everything is only read");
        let (mut asked, mut query) = (path.clone(), Vec::new());
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let name = parameter["name"].as_str().unwrap();
            let example = &parameter["example"];
            let example = example.as_str().map_or_else(|| example.to_string(), str::to_owned);
            if parameter["in"] == "path" {
                asked = asked.replace(&format!("{{{name}}}"), &example);
            } else if parameter["required"] == true {
                query.push(format!("{name}={example}"));
            }
        }
        let response = get(&app, &format!("{asked}?{}", query.join("&"))).await;
        assert_eq!(response.status(), StatusCode::OK, "{path}");
        let kind =
            response.headers()[header::CONTENT_TYPE].to_str().unwrap().split(';').next().unwrap().to_owned();
        let described = &operation["responses"]["200"]["content"][&kind];
        assert!(described.is_object(), "{path} answers {kind}, which is not described");
        let mut body = response.into_body().into_data_stream();
        let mut bytes = body.next().await.unwrap().unwrap().to_vec();
        if kind == "application/json" {
            while let Some(more) = body.next().await {
                bytes.extend(more.unwrap());
            }
            let value: Value = serde_json::from_slice(&bytes).unwrap();
            fits(&doc, &described["schema"], &value, path).unwrap();
        }
        assert!(!bytes.is_empty(), "{path}");
    }
}

#[tokio::test]
async fn what_is_wrong_is_said_in_json() {
    let (_, app) = venue();
    let post = Request::post("/api/v1/event").body(Body::empty()).unwrap();
    for (asked, status) in [
        (request("/api/v1/rounds/9").body(Body::empty()).unwrap(), StatusCode::NOT_FOUND),
        (request("/api/v1/rounds/x/state").body(Body::empty()).unwrap(), StatusCode::NOT_FOUND),
        (request("/api/v1/stream").body(Body::empty()).unwrap(), StatusCode::BAD_REQUEST),
        (request("/api/v1/stream?topic=chess").body(Body::empty()).unwrap(), StatusCode::BAD_REQUEST),
        (request("/api/v1/games/3/3.svg?ply=x").body(Body::empty()).unwrap(), StatusCode::BAD_REQUEST),
        (request("/api/v1/nowhere").body(Body::empty()).unwrap(), StatusCode::NOT_FOUND),
        (post, StatusCode::METHOD_NOT_ALLOWED),
    ] {
        let path = asked.uri().to_string();
        let response = send(&app, asked).await;
        assert_eq!(response.status(), status, "{path}");
        assert_eq!(response.headers()[header::ACCESS_CONTROL_ALLOW_ORIGIN], "*", "{path}");
        let error: Value = serde_json::from_str(&text(response).await).unwrap();
        assert!(error["error"].as_str().is_some_and(|text| text.len() > 5), "{path}");
    }
}

#[tokio::test]
async fn other_sites_may_read_and_ask_before_they_do() {
    let (_, app) = venue();
    let asked =
        Request::builder().method(Method::OPTIONS).uri("/api/v1/games/3/3").body(Body::empty()).unwrap();
    let response = send(&app, asked).await;
    assert_eq!(response.status(), StatusCode::NO_CONTENT);
    assert!(
        response.headers()[header::ACCESS_CONTROL_ALLOW_HEADERS].to_str().unwrap().contains("If-None-Match")
    );
    let alerts = get(&app, "/api/v1/alerts").await;
    assert_eq!(alerts.status(), StatusCode::OK);
    assert!(!alerts.headers().contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN), "officials' only");
}

#[tokio::test]
async fn whoever_asks_too_often_is_told_to_wait() {
    let (_, app) = venue();
    let ask = |address: [u8; 4], path: &str| {
        let asked = Request::get(path).extension(ConnectInfo(SocketAddr::from((address, 4000))));
        let (app, asked) = (app.clone(), asked.body(Body::empty()).unwrap());
        async move { send(&app, asked).await }
    };
    let mut refused = None;
    for _ in 0..400 {
        let response = ask([192, 168, 1, 7], "/api/v1/rounds").await;
        if response.status() == StatusCode::TOO_MANY_REQUESTS {
            refused = Some(response);
            break;
        }
    }
    let refused = refused.expect("so many in no time are too many");
    assert!(refused.headers()[header::RETRY_AFTER].to_str().unwrap().parse::<u32>().unwrap() >= 1);
    assert!(serde_json::from_str::<Value>(&text(refused).await).unwrap()["error"].is_string());
    assert_eq!(
        ask([192, 168, 1, 8], "/api/v1/rounds").await.status(),
        StatusCode::OK,
        "others are not meant"
    );
    assert_eq!(ask([192, 168, 1, 7], "/live").await.status(), StatusCode::OK, "nor are people");
}

#[tokio::test]
async fn a_program_without_streams_polls_what_changed() {
    let (hub, app) = venue();
    let all = json(&app, "/api/v1/rounds/3/state").await;
    assert_eq!(all["boards"].as_array().unwrap().len(), 30);
    let mark = all["mark"].as_str().unwrap();
    assert_eq!(
        json(&app, &format!("/api/v1/rounds/3/state?since={mark}")).await["boards"],
        serde_json::json!([])
    );
    fixture::advance(&hub, TableNo(3));
    let news = json(&app, &format!("/api/v1/rounds/3/state?since={mark}")).await;
    assert_eq!((&news["boards"][0]["table"], &news["boards"][0]["plies"]), (&3.into(), &70.into()));
    assert_eq!(news["boards"].as_array().unwrap().len(), 1);
    for before_a_restart in ["4-2", "nonsense"] {
        let all = json(&app, &format!("/api/v1/rounds/3/state?since={before_a_restart}")).await;
        assert_eq!(all["boards"].as_array().unwrap().len(), 30);
    }
}

#[tokio::test]
async fn a_rounds_games_stream_as_pgn_all_first_then_whole_at_every_change() {
    let (hub, app) = venue();
    let asked = request("/api/v1/rounds/3/stream.pgn").header(header::ACCEPT_ENCODING, "gzip");
    let response = send(&app, asked.body(Body::empty()).unwrap()).await;
    assert_eq!(response.headers()["x-accel-buffering"], "no");
    let mut body = response.into_body().into_data_stream();
    let mut next = async || {
        let chunk =
            tokio::time::timeout(Duration::from_secs(5), body.next()).await.unwrap().unwrap().unwrap();
        xiangqi::files::read(&chunk).games
    };
    assert_eq!(next().await.len(), 30);
    fixture::advance(&hub, TableNo(3));
    hub.beat();
    let games = next().await;
    assert_eq!((games.len(), games[0].moves().count()), (1, 70));
    assert_eq!(games[0].tags.get("Table"), Some("3"));
    let game = hub.shown().games[&(RoundNo(3), TableNo(5))].clone();
    let status = hub.shown().games[&(RoundNo(1), TableNo(5))].status;
    hub.publish(Update::Game(Arc::new(GameView { status, version: 1000, ..(*game).clone() })));
    hub.beat();
    let games = next().await;
    assert_eq!((games.len(), games[0].tags.get("Table")), (1, Some("5")), "a result is a change");
}

#[tokio::test]
async fn notes_of_commentators_are_in_the_record() {
    let (hub, app) = venue();
    let mut game = (*hub.shown().games[&(RoundNo(3), TableNo(3))]).clone();
    game.notes.push(NoteView { ply: 1, by: "解说".to_owned(), text: "中炮开局".to_owned() });
    hub.publish(Update::Game(Arc::new(game)));
    let read = xiangqi::files::read(page(&app, "/api/v1/games/3/3.pgn").await.as_bytes());
    let first = read.games[0].main_line().next().unwrap();
    assert!(read.games[0].comment(first).contains("中炮开局"));
    assert_eq!(json(&app, "/api/v1/games/3/3").await["notes"][0]["text"], "中炮开局");
}

#[tokio::test]
async fn a_game_is_a_text_and_a_picture_too() {
    let (_, app) = venue();
    let text = page(&app, "/api/v1/games/1/3.txt").await;
    assert!(text.contains("红方: 选手己05") && text.contains("  1. 炮二平五  士６进５\n"), "{text}");
    let picture = page(&app, "/api/v1/games/1/3.svg?ply=0").await;
    assert_eq!(picture.matches("<use ").count(), 32);
    assert!(
        !picture.contains("http://www.w3.org/1999/xlink") && !picture.contains("href=\"/"),
        "it stands alone"
    );
    let taken = json(&app, "/api/v1/games/1/3").await;
    let men = taken["fen"].as_str().unwrap().split(' ').next().unwrap().chars().filter(|c| c.is_alphabetic());
    assert_eq!(page(&app, "/api/v1/games/1/3.svg").await.matches("<use ").count(), men.count());
}

#[tokio::test]
async fn the_standing_opens_in_a_spreadsheet_and_starts_no_formula() {
    let (hub, app) = venue();
    let mut standing = (*hub.shown().standing.unwrap()).clone();
    standing.rows[0].name = "=HYPERLINK(\"x\")".to_owned();
    standing.rows[1].unit = "甲,乙".to_owned();
    hub.publish(Update::Standing(Arc::new(standing)));
    let text = page(&app, "/api/v1/standing.csv").await;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "名次,编号,姓名,单位,积分,对手分,胜局,犯规,后走");
    assert!(
        lines[1].contains("\"'=HYPERLINK(\"\"x\"\")\"") && lines[2].contains("\"甲,乙\""),
        "{}",
        lines[1]
    );
    assert_eq!(lines.len(), 62);
}
