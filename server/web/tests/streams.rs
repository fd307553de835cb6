//! The streams: what a viewer gets, misses, is given anew, and that nothing holds them or is held by them.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;
#[path = "../fixture/mod.rs"]
#[allow(dead_code, reason = "the example uses the rest")]
mod fixture;

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::{Response, StatusCode, header};
use common::{BOOT, get, hub, request, send, state};
use hall::view::{ClocksView, GameView};
use tokio_stream::StreamExt;
use tournament::{RoundNo, TableNo};
use web::{AppState, Hub, Update};

/// A frame as a browser reads it.
#[derive(Debug)]
struct Event {
    id: Option<String>,
    name: String,
    data: String,
}

impl Event {
    fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.data).unwrap()
    }
}

/// A viewer's end of a stream.
struct Viewer {
    body: axum::body::BodyDataStream,
    text: String,
}

impl Viewer {
    fn of(response: Response<Body>) -> Viewer {
        assert_eq!(response.status(), StatusCode::OK);
        Viewer { body: response.into_body().into_data_stream(), text: String::new() }
    }

    async fn open(state: &AppState, path: &str) -> Viewer {
        Viewer::of(get(&web::app(state.clone()), path).await)
    }

    /// The next frame; `None` at the stream's end.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some((frame, rest)) = self.text.split_once("\n\n") {
                let mut event = Event { id: None, name: String::new(), data: String::new() };
                for line in frame.lines() {
                    match line.split_once(": ").unwrap() {
                        ("id", id) => event.id = Some(id.to_owned()),
                        ("event", name) => name.clone_into(&mut event.name),
                        ("data", data) => data.clone_into(&mut event.data),
                        ("retry", ms) => assert!(ms.parse::<u32>().unwrap() >= 1000),
                        other => panic!("no line of a frame: {other:?}"),
                    }
                }
                self.text = rest.to_owned();
                return Some(event);
            }
            let chunk = tokio::time::timeout(Duration::from_secs(5), self.body.next())
                .await
                .expect("a frame in time")?;
            self.text.push_str(std::str::from_utf8(&chunk.unwrap()).unwrap());
        }
    }

    /// Whether nothing comes for a while.
    async fn is_silent(&mut self) -> bool {
        self.text.is_empty()
            && tokio::time::timeout(Duration::from_millis(60), self.body.next()).await.is_err()
    }
}

fn venue() -> (Hub, AppState) {
    let hub = hub();
    fixture::publish(&hub, 30);
    // What was published before anybody looked is settled.
    hub.beat();
    let (state, _) = state(&hub);
    (hub, state)
}

#[tokio::test]
async fn a_stream_begins_with_venue_time_and_the_state_and_goes_on_with_moves() {
    let (hub, state) = venue();
    let mut viewer = Viewer::open(&state, "/events?topic=game:3:3").await;
    let hello = viewer.next().await.unwrap();
    assert_eq!((hello.name.as_str(), hello.id), ("hello", None));
    assert_eq!(serde_json::from_str::<serde_json::Value>(&hello.data).unwrap()["now"], hub.now().0);
    let first = viewer.next().await.unwrap();
    assert_eq!((first.name.as_str(), first.json()["n"].as_u64()), ("game", Some(69)));
    fixture::advance(&hub, TableNo(3));
    let moved = viewer.next().await.unwrap();
    assert_eq!(moved.json()["n"], 70);
    assert_eq!(moved.json()["tail"].as_array().unwrap().len(), 4);
    assert!(moved.id.unwrap().starts_with(&format!("{BOOT}-")));
    fixture::advance(&hub, TableNo(5));
    assert!(viewer.is_silent().await, "other tables are none of his business");
}

#[tokio::test]
async fn who_comes_back_gets_what_he_missed_and_nothing_twice() {
    let (hub, state) = venue();
    let mut viewer = Viewer::open(&state, "/events?topic=game:3:3,game:3:5").await;
    for _ in 0..3 {
        viewer.next().await.unwrap();
    }
    fixture::advance(&hub, TableNo(3));
    let seen = viewer.next().await.unwrap().id.unwrap();
    drop(viewer);
    fixture::advance(&hub, TableNo(3));
    fixture::advance(&hub, TableNo(5));
    fixture::advance(&hub, TableNo(3));
    let asked = request("/events?topic=game:3:3,game:3:5&after=0-0").header("last-event-id", &seen);
    let mut back = Viewer::of(send(&web::app(state), asked.body(Body::empty()).unwrap()).await);
    assert_eq!(back.next().await.unwrap().name, "hello");
    let mut missed = Vec::new();
    for _ in 0..3 {
        let event = back.next().await.unwrap();
        assert_eq!(event.name, "game");
        missed.push(event.json()["n"].as_u64().unwrap());
    }
    let plies_of_5 = fixture::plies_at_first(TableNo(5)) as u64 + 1;
    assert_eq!(missed, [71, plies_of_5, 72], "in the order in which they were played");
    assert!(back.is_silent().await);
}

#[tokio::test]
async fn a_page_goes_on_from_where_it_was_rendered() {
    let (hub, state) = venue();
    let html = common::page(&web::app(state.clone()), "/round/3/table/3").await;
    let mark = html.split("data-mark=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    assert_eq!(mark, hub.public().mark().to_string());
    fixture::advance(&hub, TableNo(3));
    let mut viewer = Viewer::open(&state, &format!("/events?topic=game:3:3&after={mark}")).await;
    viewer.next().await.unwrap();
    assert_eq!(viewer.next().await.unwrap().json()["n"], 70, "no snapshot of what the page shows already");
}

#[tokio::test]
async fn who_comes_from_before_a_restart_is_told_to_look_again() {
    let (_, state) = venue();
    for known in ["4-2", "5-999999", "nonsense", ""] {
        let asked = request("/events?topic=game:3:3").header("last-event-id", known);
        let mut viewer = Viewer::of(send(&web::app(state.clone()), asked.body(Body::empty()).unwrap()).await);
        assert_eq!(viewer.next().await.unwrap().name, "hello");
        assert_eq!(viewer.next().await.unwrap().name, "resync", "{known}");
        assert_eq!(viewer.next().await.unwrap().name, "game", "{known}");
    }
}

#[tokio::test]
async fn who_falls_behind_the_ring_gets_the_state_anew_and_holds_up_nobody() {
    let (hub, state) = venue();
    let mut slow = Viewer::open(&state, "/events?topic=game:3:3").await;
    slow.next().await.unwrap();
    slow.next().await.unwrap();
    let game = hub.shown().games[&(RoundNo(3), TableNo(3))].clone();
    for version in 1..=600 {
        hub.publish(Update::Game(Arc::new(GameView {
            version: 1000 + version,
            quiet_plies: (version % 7) as u16,
            ..(*game).clone()
        })));
    }
    assert_eq!(slow.next().await.unwrap().name, "resync");
    let state_now = slow.next().await.unwrap();
    assert_eq!(state_now.json()["v"], 1600);
    assert!(slow.is_silent().await);
}

#[tokio::test]
async fn a_clock_that_merely_runs_sends_nothing_and_one_that_was_set_does() {
    let (hub, state) = venue();
    let mut viewer = Viewer::open(&state, "/events?topic=game:3:3").await;
    viewer.next().await.unwrap();
    viewer.next().await.unwrap();
    let game = hub.shown().games[&(RoundNo(3), TableNo(3))].clone();
    let clocks = |seconds: u32, extra: u32| ClocksView {
        black_ms: game.clocks.black_ms - seconds * 1000 + extra,
        at: game.clocks.at.plus(i64::from(seconds) * 1000),
        ..game.clocks
    };
    for second in 1..=20 {
        // Each beat is a little off the last; together they must not creep away unseen.
        let view = GameView {
            version: 1000 + u64::from(second),
            clocks: clocks(second, second * 20),
            ..(*game).clone()
        };
        hub.publish(Update::Game(Arc::new(view)));
    }
    assert!(viewer.is_silent().await);
    hub.publish(Update::Game(Arc::new(GameView {
        version: 2000,
        clocks: clocks(21, 700),
        ..(*game).clone()
    })));
    assert_eq!(viewer.next().await.unwrap().json()["v"], 2000, "drift adds up to more than half a second");
    hub.publish(Update::Game(Arc::new(GameView { version: 1999, ..(*game).clone() })));
    assert!(viewer.is_silent().await, "an older view does not replace a newer one");
}

#[tokio::test]
async fn the_grid_says_once_a_beat_what_changed_on_its_page() {
    let (hub, state) = venue();
    let mark = hub.public().mark();
    let mut viewer = Viewer::open(&state, &format!("/events?topic=grid:3:1,round:3&after={mark}")).await;
    viewer.next().await.unwrap();
    for _ in 0..5 {
        fixture::advance(&hub, TableNo(3));
        fixture::advance(&hub, TableNo(5));
        fixture::advance(&hub, TableNo(20));
    }
    assert!(viewer.is_silent().await, "fifteen moves, no frame yet");
    hub.beat();
    let round = viewer.next().await.unwrap();
    let tables = |event: &Event| -> Vec<u64> {
        event.json().as_array().unwrap().iter().map(|line| line["t"].as_u64().unwrap()).collect()
    };
    assert_eq!((round.name.as_str(), tables(&round)), ("round", vec![3, 5, 20]));
    let grid = viewer.next().await.unwrap();
    assert_eq!((grid.name.as_str(), tables(&grid)), ("grid", vec![3, 5]));
    hub.beat();
    assert!(viewer.is_silent().await);
}

#[tokio::test]
async fn results_and_standings_are_noticed_and_what_is_the_same_is_not() {
    let (hub, state) = venue();
    // Alerts are for officials, so all comes from their hub.
    let mark = hub.mark();
    let mut viewer =
        Viewer::open(&state, &format!("/events?topic=standing,event,alerts,round:3&after={mark}")).await;
    viewer.next().await.unwrap();
    let shown = hub.shown();
    let (event, standing) = (shown.event.clone().unwrap(), shown.standing.clone().unwrap());
    let mut busier = (*event).clone();
    busier.venue.observations += 1;
    hub.publish(Update::Event(Arc::new(busier)));
    hub.publish(Update::Standing(Arc::new((*standing).clone())));
    hub.publish(Update::Alerts(Arc::new((*shown.alerts).clone())));
    hub.publish(Update::Round(Arc::new((*shown.rounds[&RoundNo(3)]).clone())));
    hub.beat();
    assert!(viewer.is_silent().await, "counters that rise and views that are the same are no news");
    hub.publish(Update::Standing(Arc::new(hall::view::StandingView { live: true, ..(*standing).clone() })));
    assert_eq!(viewer.next().await.unwrap().json()["topic"], "standing");
    let mut round = (*shown.rounds[&RoundNo(3)]).clone();
    round.pairings[4].status = shown.games[&(RoundNo(1), TableNo(5))].status;
    hub.publish(Update::Round(Arc::new(round)));
    hub.beat();
    let lines = viewer.next().await.unwrap().json();
    assert_eq!(
        (lines.as_array().unwrap().len(), &lines[0]["t"]),
        (1, &5.into()),
        "the one line that changed"
    );
    hub.publish(Update::Event(Arc::new(hall::view::EventView { finished: true, ..(*event).clone() })));
    assert_eq!(viewer.next().await.unwrap().json()["topic"], "event");
}

#[tokio::test]
async fn a_stream_asks_for_something_that_is_there() {
    let (_, state) = venue();
    let app = web::app(state);
    for (path, status) in [
        ("/events", StatusCode::BAD_REQUEST),
        ("/events?topic=chess", StatusCode::BAD_REQUEST),
        ("/events?topic=game:3:31", StatusCode::NOT_FOUND),
        ("/events?topic=round:4", StatusCode::NOT_FOUND),
        ("/events?topic=grid:3:5", StatusCode::NOT_FOUND),
    ] {
        assert_eq!(get(&app, path).await.status(), status, "{path}");
    }
    let many = vec!["event"; 41].join(",");
    assert_eq!(get(&app, &format!("/events?topic={many}")).await.status(), StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_stream_is_never_compressed_into_silence() {
    let (_, state) = venue();
    let asked = request("/events?topic=game:3:3").header(header::ACCEPT_ENCODING, "gzip, br");
    let response = send(&web::app(state), asked.body(Body::empty()).unwrap()).await;
    assert!(!response.headers().contains_key(header::CONTENT_ENCODING));
    assert_eq!(response.headers()[header::CACHE_CONTROL], "no-store");
    assert_eq!(response.headers()["x-accel-buffering"], "no");
    assert_eq!(Viewer::of(response).next().await.unwrap().name, "hello");
}

#[tokio::test]
async fn streams_are_counted_while_they_are_open() {
    let (_, state) = venue();
    let count = || state.streams.load(std::sync::atomic::Ordering::Relaxed);
    let mut one = Viewer::open(&state, "/events?topic=event").await;
    let two = Viewer::open(&state, "/events?topic=event").await;
    one.next().await.unwrap();
    assert_eq!(count(), 2);
    drop((one, two));
    assert_eq!(count(), 0);
}

#[tokio::test]
async fn open_streams_never_hold_up_a_shutdown() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let (_, state) = venue();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    let shutdown = state.shutdown.clone();
    let server = tokio::spawn(web::serve(listener, state));
    let mut viewers = Vec::new();
    for _ in 0..20 {
        let mut socket = tokio::net::TcpStream::connect(at).await.unwrap();
        socket.write_all(b"GET /events?topic=event HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
        let mut head = [0u8; 16];
        socket.read_exact(&mut head).await.unwrap();
        viewers.push(socket);
    }
    // And one who asks for nothing at all.
    let idle = tokio::net::TcpStream::connect(at).await.unwrap();
    let began = Instant::now();
    shutdown.cancel();
    server.await.unwrap().unwrap();
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    for mut socket in viewers {
        let mut rest = Vec::new();
        socket.read_to_end(&mut rest).await.unwrap();
        assert!(rest.ends_with(b"0\r\n\r\n"), "the stream ended in order");
    }
    drop(idle);
}

#[tokio::test]
async fn machines_read_the_same_stream_as_lines_of_json() {
    let (hub, state) = venue();
    let asked = request("/api/v1/stream?topic=game:3:3").header(header::ACCEPT_ENCODING, "gzip");
    let response = send(&web::app(state), asked.body(Body::empty()).unwrap()).await;
    assert_eq!(response.headers()[header::CONTENT_TYPE], "application/x-ndjson");
    assert!(!response.headers().contains_key(header::CONTENT_ENCODING), "a compressor would hold lines back");
    let mut body = response.into_body().into_data_stream();
    let mut lines = Vec::new();
    fixture::advance(&hub, TableNo(3));
    while lines.len() < 3 {
        let chunk =
            tokio::time::timeout(Duration::from_secs(5), body.next()).await.unwrap().unwrap().unwrap();
        for line in std::str::from_utf8(&chunk).unwrap().lines() {
            lines.push(serde_json::from_str::<serde_json::Value>(line).unwrap());
        }
        fixture::advance(&hub, TableNo(3));
    }
    assert_eq!(lines[0]["event"], "hello");
    assert_eq!((&lines[1]["event"], &lines[1]["data"]["n"]), (&"game".into(), &70.into()));
    assert!(lines[1]["id"].is_string());
}

#[tokio::test]
async fn time_added_by_an_arbiter_shows_at_once() {
    let (hub, state) = venue();
    let mut viewer = Viewer::open(&state, "/events?topic=game:3:3").await;
    viewer.next().await.unwrap();
    viewer.next().await.unwrap();
    let game = hub.shown().games[&(RoundNo(3), TableNo(3))].clone();
    let clocks = ClocksView { black_ms: game.clocks.black_ms + 120_000, ..game.clocks };
    hub.publish(Update::Game(Arc::new(GameView { version: 1000, clocks, ..(*game).clone() })));
    assert_eq!(viewer.next().await.unwrap().json()["k"]["b"], clocks.black_ms);
}

#[tokio::test]
async fn a_result_stops_both_clocks_in_every_view() {
    let (hub, state) = venue();
    let game = hub.shown().games[&(RoundNo(3), TableNo(3))].clone();
    assert!(game.clocks.running.is_some());
    let status = hub.shown().games[&(RoundNo(1), TableNo(3))].status;
    let mut viewer =
        Viewer::open(&state, &format!("/events?topic=game:3:3&after={}", hub.public().mark())).await;
    viewer.next().await.unwrap();
    hub.publish(Update::Game(Arc::new(GameView { version: 1000, status, ..(*game).clone() })));
    assert!(viewer.next().await.unwrap().json()["k"]["run"].is_null());
    let app = web::app(state);
    assert!(common::page(&app, "/round/3/table/3").await.contains("data-run=\"\""));
    assert!(common::page(&app, "/api/v1/games/3/3").await.contains("\"running\":null"));
}

#[tokio::test]
async fn a_board_that_appears_later_is_noticed_by_pages_that_had_no_room_for_it() {
    let (hub, state) = venue();
    let mut viewer =
        Viewer::open(&state, &format!("/events?topic=event&after={}", hub.public().mark())).await;
    viewer.next().await.unwrap();
    let game = hub.shown().games[&(RoundNo(3), TableNo(3))].clone();
    hub.publish(Update::Game(Arc::new(GameView { table: TableNo(31), ..(*game).clone() })));
    assert_eq!(viewer.next().await.unwrap().json()["topic"], "event");
}
