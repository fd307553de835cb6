//! Every page: that it answers, what it says, that it lets nothing through, what it weighs.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;
#[path = "../fixture/mod.rs"]
#[allow(dead_code, reason = "the example uses the rest")]
mod fixture;

use std::sync::Arc;

use axum::body::Body;
use axum::http::{StatusCode, header};
use common::{get, hub, page, request, send, state, text};
use hall::view::{AlertsView, GameStatus, GameView};
use tournament::{RoundNo, TableNo};
use web::Update;

/// An app with thirty tables.
fn app() -> axum::Router {
    let hub = hub();
    fixture::publish(&hub, 30);
    web::app(state(&hub).0)
}

const PAGES: [&str; 17] = [
    "/",
    "/?lang=en",
    "/round/1",
    "/round/3",
    "/round/3/table/3",
    "/round/3/table/3?ply=12",
    "/live",
    "/live?show=all&page=2",
    "/standings",
    "/player/5",
    "/search?q=%E9%80%89%E6%89%8B",
    "/screen",
    "/embed/3/3",
    "/overlay/3/3",
    "/overlay/3/3?strip",
    "/overlay/player/5",
    "/arbiter",
];

#[tokio::test]
async fn every_page_is_whole_html_in_its_language() {
    let app = app();
    for path in PAGES {
        let response = get(&app, path).await;
        assert_eq!(response.status(), StatusCode::OK, "{path}");
        let html = text(response).await;
        assert!(html.starts_with("<!DOCTYPE html>") && html.ends_with("</html>"), "{path}");
        let lang = if path.contains("lang=en") { "<html lang=\"en\">" } else { "<html lang=\"zh-CN\">" };
        assert!(html.contains(lang), "{path}");
    }
}

#[tokio::test]
async fn pages_answer_before_the_event_was_opened() {
    let app = web::app(state(&hub()).0);
    for path in ["/", "/live", "/standings", "/screen", "/search", "/arbiter", "/search?q=x"] {
        assert_eq!(get(&app, path).await.status(), StatusCode::OK, "{path}");
    }
    assert_eq!(get(&app, "/api/v1/event").await.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn what_is_not_there_is_said_so_with_a_way_out() {
    let app = app();
    for path in [
        "/round/9",
        "/round/x",
        "/round/1/table/99",
        "/player/999",
        "/player/-1",
        "/nowhere",
        "/round/99999/table/1",
    ] {
        let response = get(&app, path).await;
        assert_eq!(response.status(), StatusCode::NOT_FOUND, "{path}");
        assert!(text(response).await.contains("回到赛事首页"), "{path}");
    }
}

#[tokio::test]
async fn a_language_once_chosen_stays() {
    let app = app();
    let response = get(&app, "/?lang=en").await;
    let cookie = response.headers()[header::SET_COOKIE].to_str().unwrap().to_owned();
    assert!(cookie.starts_with("lang=en;"), "{cookie}");
    let again = request("/").header(header::COOKIE, "x=1; lang=en").body(Body::empty()).unwrap();
    assert!(text(send(&app, again).await).await.contains("<html lang=\"en\">"));
    let odd = get(&app, "/?lang=%0d%0aSet-Cookie:x").await;
    assert!(!odd.headers().contains_key(header::SET_COOKIE), "an unknown choice is not kept");
}

#[tokio::test]
async fn names_are_text_and_never_markup() {
    let hub = hub();
    fixture::publish(&hub, 3);
    let evil = "<script>alert(1)</script>\"'&";
    let mut game: GameView = fixture::game(RoundNo(3), TableNo(1), 10, GameStatus::Playing);
    game.version = 1000;
    game.red.name = evil.to_owned();
    game.red.unit = evil.to_owned();
    Arc::make_mut(&mut game.plies)[0].zh = evil.to_owned();
    hub.publish(Update::Game(Arc::new(game)));
    let mut round = (*hub.shown().rounds[&RoundNo(3)]).clone();
    round.pairings[0].red.name = evil.to_owned();
    round.pairings[0].reason = evil.to_owned();
    hub.publish(Update::Round(Arc::new(round)));
    let mut event = (*hub.shown().event.unwrap()).clone();
    event.title = evil.to_owned();
    hub.publish(Update::Event(Arc::new(event)));
    let mut alerts: AlertsView = (*hub.shown().alerts).clone();
    alerts.open[0].evidence[0] = evil.to_owned();
    hub.publish(Update::Alerts(Arc::new(alerts)));
    let app = web::app(state(&hub).0);
    for path in [
        "/",
        "/round/3",
        "/round/3/table/1",
        "/live",
        "/screen",
        "/player/1",
        "/arbiter",
        "/search?q=%3Cscript%3E",
    ] {
        let html = page(&app, path).await;
        assert!(!html.contains("<script>") && !html.contains("\"'&\""), "{path}");
        assert!(html.contains("&lt;script&gt;"), "{path} shows the name as it is");
    }
    let file = page(&app, "/api/v1/games/3/1.pgn").await;
    assert!(file.contains("[Red \"<script>alert(1)</script>\\\"'&\"]"), "{file}");
}

#[tokio::test]
async fn no_page_runs_or_loads_anything_foreign() {
    let app = app();
    for path in PAGES {
        let response = get(&app, path).await;
        let policy = response.headers()[header::CONTENT_SECURITY_POLICY].to_str().unwrap().to_owned();
        assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'self'"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        let html = text(response).await;
        assert!(
            !html.contains(" style=") && !html.contains(" onclick") && !html.contains("<style"),
            "{path}"
        );
        assert_eq!(html.matches("<script").count(), 1, "{path}");
        // The picture of a shared page has its whole address: it is for others to load.
        let html = html.replace("property=\"og:image\" content=\"http://127.0.0.1:8080/", "");
        assert!(!html.contains("http://") && !html.contains("https://") && !html.contains("//cdn"), "{path}");
    }
}

#[tokio::test]
async fn what_a_page_loads_is_there_and_cached_for_ever() {
    let app = app();
    for path in ["/", "/round/3/table/3", "/live", "/screen", "/arbiter"] {
        let html = page(&app, path).await;
        let links =
            html.split('"').filter(|part| part.starts_with("/a/")).collect::<std::collections::BTreeSet<_>>();
        assert!(links.len() > 3, "{path}");
        for link in links {
            let response = get(&app, link).await;
            assert_eq!(response.status(), StatusCode::OK, "{link}");
            assert!(
                response.headers()[header::CACHE_CONTROL].to_str().unwrap().contains("immutable"),
                "{link}"
            );
        }
    }
    assert_eq!(get(&app, "/a/00000000/app.js").await.headers()[header::CACHE_CONTROL], "no-store");
    assert_eq!(get(&app, "/a/00000000/../../etc/passwd").await.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn an_unchanged_page_is_not_sent_again() {
    let app = app();
    for path in ["/", "/round/1/table/3", "/standings", "/api/v1/games/1/3", "/api/v1/standing"] {
        let first = get(&app, path).await;
        let etag = first.headers()[header::ETAG].clone();
        let again = request(path).header(header::IF_NONE_MATCH, &etag).body(Body::empty()).unwrap();
        let again = send(&app, again).await;
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED, "{path}");
        assert!(text(again).await.is_empty(), "{path}");
    }
}

#[tokio::test]
async fn a_phone_gets_eight_boards_and_a_desk_thirty_two() {
    let hub = hub();
    fixture::publish(&hub, 60);
    let app = web::app(state(&hub).0);
    let boards = |html: &str| html.matches("<xq-board").count();
    assert_eq!(boards(&page(&app, "/live?show=all").await), 32);
    let phone = request("/live")
        .header(header::USER_AGENT, "Mozilla/5.0 (Linux; Android) Mobile")
        .body(Body::empty())
        .unwrap();
    assert_eq!(boards(&text(send(&app, phone).await).await), 8);
    assert_eq!(boards(&page(&app, "/live?per=100000").await), 32, "no page is larger, whatever is asked for");
}

#[tokio::test]
async fn a_followed_player_comes_first_and_stands_out() {
    let app = app();
    let response = get(&app, "/player/23?follow=23").await;
    let cookie =
        response.headers()[header::SET_COOKIE].to_str().unwrap().split(';').next().unwrap().to_owned();
    assert_eq!(cookie, "follow=23");
    assert!(text(response).await.contains("已关注"));
    let with = |path: &str| request(path).header(header::COOKIE, &cookie).body(Body::empty()).unwrap();
    let live = text(send(&app, with("/live")).await).await;
    let first = live.split("data-tile=\"").nth(1).unwrap().split('"').next().unwrap();
    assert_eq!(first, "12", "player 23 sits at table 12");
    assert!(live.contains("关注 · "));
    assert_eq!(text(send(&app, with("/")).await).await.matches(" me\"").count(), 1);
    let no_more = send(&app, with("/player/23?unfollow=23")).await;
    assert!(no_more.headers()[header::SET_COOKIE].to_str().unwrap().starts_with("follow=;"));
}

#[tokio::test]
async fn every_ply_has_an_address_without_scripts() {
    let app = app();
    let start = page(&app, "/round/3/table/3?ply=0").await;
    assert!(start.contains("fen=\"rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR\""));
    let after_one = page(&app, "/round/3/table/3?ply=1").await;
    assert!(after_one.contains("last=\"h2e2\"") && after_one.contains("1C2C4"), "炮二平五 was played");
    let beyond = page(&app, "/round/3/table/3?ply=9999").await;
    let now = page(&app, "/api/v1/games/3/3").await;
    let fen = beyond.split("fen=\"").nth(1).unwrap().split('"').next().unwrap();
    assert!(now.contains(&format!("\"fen\":\"{fen} ")), "beyond the end is the end");
}

#[tokio::test]
async fn moves_are_written_the_chinese_way_or_in_wxf() {
    let app = app();
    assert!(page(&app, "/round/3/table/3").await.contains("炮二平五"));
    let english = page(&app, "/round/3/table/3?lang=en").await;
    assert!(english.contains("C2=5") || english.contains("C2.5"));
    assert!(!english.contains("炮二平五"));
    assert!(page(&app, "/round/3/table/3?lang=en&notation=zh").await.contains("炮二平五"));
}

/// What a reader on a phone downloads to see one live board and to follow it: the page, its style sheet, and the scripts
/// that it loads without being asked to, each as gzip. Not counted: the pictures of board, pieces and wordmark, which all pages share
/// and browsers keep for ever, and the scripts that come with what they are for (replay, fetching a page again).
#[tokio::test]
async fn one_live_board_is_light() {
    let app = app();
    let path = "/round/3/table/3";
    let phone = || request(path).header(header::USER_AGENT, "Mozilla/5.0 (Linux; Android) Mobile");
    let html = text(send(&app, phone().body(Body::empty()).unwrap()).await).await;
    let view = gzipped(&app, phone()).await;
    let files = html
        .split('"')
        .filter(|part| part.starts_with("/a/") && (part.ends_with(".css") || part.ends_with(".js")));
    let mut parts = vec![(path, view)];
    for file in files.collect::<std::collections::BTreeSet<_>>() {
        parts.push((file, gzipped(&app, request(file)).await));
    }
    let first_view: usize = parts.iter().map(|(_, size)| size).sum();
    println!("{view} bytes a view, {first_view} the first time: {parts:?}");
    assert!(view < 4_000, "{view} bytes: {parts:?}");
    assert!(first_view < 10_000, "{first_view} bytes: {parts:?}");
}

async fn gzipped(app: &axum::Router, asked: axum::http::request::Builder) -> usize {
    let asked = asked.header(header::ACCEPT_ENCODING, "gzip").body(Body::empty()).unwrap();
    let response = send(app, asked).await;
    assert_eq!(response.headers()[header::CONTENT_ENCODING], "gzip");
    axum::body::to_bytes(response.into_body(), 10 << 20).await.unwrap().len()
}

// ---- Machines

#[tokio::test]
async fn the_api_gives_every_view() {
    let app = app();
    for path in ["event", "rounds", "rounds/3", "games/3/3", "standing", "alerts"] {
        let response = get(&app, &format!("/api/v1/{path}")).await;
        assert_eq!(response.status(), StatusCode::OK, "{path}");
        assert_eq!(response.headers()[header::CONTENT_TYPE], "application/json", "{path}");
        serde_json::from_str::<serde_json::Value>(&text(response).await).unwrap();
    }
    let game: serde_json::Value = serde_json::from_str(&page(&app, "/api/v1/games/3/3").await).unwrap();
    assert_eq!(game["plies"][0]["mv"], "h2e2");
    assert_eq!(game["plies"].as_array().unwrap().len(), 69);
    for path in ["rounds/9", "games/3/99", "games/x/y", "games/3/3.xls", "rounds/3.xqf", "nothing"] {
        let response = get(&app, &format!("/api/v1/{path}")).await;
        assert_eq!(response.status(), StatusCode::NOT_FOUND, "{path}");
        let error: serde_json::Value = serde_json::from_str(&text(response).await).unwrap();
        assert!(error["error"].is_string(), "{path}");
    }
    for option in
        ["games/3/3.pgn?format=x", "games/3/3?format=x", "rounds/3?format=x", "rounds/3.txt?charset=x"]
    {
        let response = get(&app, &format!("/api/v1/{option}")).await;
        assert_eq!(response.status(), StatusCode::BAD_REQUEST, "{option}: there is no such option");
    }
}

#[tokio::test]
async fn a_game_downloads_as_pgn_and_dhtmlxq() {
    let app = app();
    let pgn = page(&app, "/api/v1/games/1/3.pgn").await;
    assert!(pgn.starts_with("[Game \"Chinese Chess\"]\n"), "{pgn}");
    assert!(pgn.contains(" 1. 炮二平五 ") && pgn.contains("[Red \"选手己05\"]"), "{pgn}");
    assert!(pgn.lines().all(|line| line.matches(". ").count() <= 1), "one pair of moves a line");
    assert!(page(&app, "/api/v1/games/1/3.pgn?format=iccs").await.contains("1. H2-E2 "));
    let ubb = page(&app, "/api/v1/games/1/3.dhtmlxq").await;
    let list = ubb.split("[DhtmlXQ_movelist]").nth(1).unwrap().split('[').next().unwrap();
    assert!(list.starts_with("7747") && list.len() == 4 * 107, "{list}");
    let xqf = get(&app, "/api/v1/games/1/3.xqf").await;
    assert!(axum::body::to_bytes(xqf.into_body(), 1 << 20).await.unwrap().starts_with(b"XQ"));
    let gbk = get(&app, "/api/v1/games/1/3.pgn?charset=gbk").await;
    assert!(gbk.headers()[header::CONTENT_TYPE].to_str().unwrap().ends_with("charset=gbk"));
}

#[tokio::test]
async fn every_download_reads_back_as_the_game_that_was_played() {
    let app = app();
    let played = fixture::moves(TableNo(3));
    for file in [
        "3.pgn",
        "3.pgn?format=wxf",
        "3.pgn?format=iccs",
        "3.pgn?clocks=1",
        "3.pgn?charset=gbk",
        "3.dhtmlxq",
        "3.xqf",
        "3.uci",
    ] {
        let response = get(&app, &format!("/api/v1/games/1/{file}")).await;
        assert_eq!(response.status(), StatusCode::OK, "{file}");
        let bytes = axum::body::to_bytes(response.into_body(), 1 << 20).await.unwrap();
        let read = xiangqi::files::read(&bytes);
        assert!(read.errors.is_empty(), "{file}: {:?}", read.errors);
        assert_eq!(read.games[0].moves().collect::<Vec<_>>(), played, "{file}");
    }
    for (path, games) in [("rounds/1.pgn", 30), ("rounds/3.dhtmlxq", 30), ("games.pgn", 90)] {
        let response = get(&app, &format!("/api/v1/{path}")).await;
        let bytes = axum::body::to_bytes(response.into_body(), 10 << 20).await.unwrap();
        assert_eq!(xiangqi::files::read(&bytes).games.len(), games, "{path}");
    }
}

#[tokio::test]
async fn health_and_counters_answer_for_machines() {
    let (mut state, _asked) = state(&hub());
    let app = web::app(state.clone());
    assert_eq!(get(&app, "/healthz").await.status(), StatusCode::OK);
    assert!(page(&app, "/metrics").await.contains("\nchuhe_web_streams 0\n"));
    state.health = Arc::new(|| web::Health {
        checks: vec![web::Check { name: "store", ok: false, detail: "disk full".to_owned() }],
    });
    let response = get(&web::app(state), "/healthz").await;
    assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert!(text(response).await.contains("disk full"));
}
