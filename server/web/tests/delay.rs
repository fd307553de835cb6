//! What is delayed or hidden reaches nobody by any way: pages, streams, files, API.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

#[allow(dead_code, reason = "other tests use the rest")]
mod common;
#[path = "../fixture/mod.rs"]
#[allow(dead_code, reason = "the example uses the rest")]
mod fixture;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use arbitration::{Ending, GameResult, Outcome};
use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, StatusCode, header};
use common::{BOOT, send, state};
use hall::view::{Epoch, GameStatus, GameView, NoteView, PlyView, StandingView};
use hall::{Broadcast, Delay};
use tokio_stream::StreamExt;
use tournament::{RoundNo, TableNo};
use web::{AppState, Hub, Update};

const ROUND: RoundNo = RoundNo(3);
const TABLE: TableNo = TableNo(3);

/// Every way to the public's state. A new one belongs here: it is not to show what the others keep back.
const WAYS: [&str; 51] = [
    "/",
    "/?lang=en",
    "/round/1",
    "/round/3",
    "/round/3/table/3",
    "/round/3/table/3?ply=70",
    "/round/3/table/3?ply=69&lang=en",
    "/round/3/table/3/share",
    "/api/v1/teams",
    "/live",
    "/live?show=all",
    "/live?order=tense",
    "/standings",
    "/player/5",
    "/player/6",
    "/search?q=05",
    "/screen",
    "/screen?p=1",
    "/screen?p=2",
    "/embed/3/3",
    "/overlay/3/3",
    "/overlay/3/3?strip",
    "/overlay/player/5",
    "/overlay/player/6?strip",
    "/metrics",
    "/healthz",
    "/api/v1/event",
    "/api/v1/rounds",
    "/api/v1/rounds/3",
    "/api/v1/rounds/3.json",
    "/api/v1/rounds/3.pgn",
    "/api/v1/rounds/3.pgn?format=uci&clocks=1",
    "/api/v1/rounds/3.dhtmlxq",
    "/api/v1/rounds/3.uci",
    "/api/v1/games/3/3",
    "/api/v1/games/3/3.json",
    "/api/v1/games/3/3.pgn",
    "/api/v1/games/3/3.pgn?charset=gbk",
    "/api/v1/games/3/3.pgn?format=iccs&clocks=1",
    "/api/v1/games/3/3.dhtmlxq",
    "/api/v1/games/3/3.xqf",
    "/api/v1/games/3/3.uci",
    "/api/v1/games.pgn",
    "/api/v1/games.dhtmlxq",
    "/api/v1/standing",
    "/api/v1/standing.csv",
    "/api/v1/rounds/3/state",
    "/api/v1/rounds/3.txt",
    "/api/v1/games/3/3.txt",
    "/api/v1/games/3/3.svg",
    "/api/v1/games/3/3.svg?ply=70",
];

const STREAMS: [&str; 3] = [
    "/api/v1/rounds/3/stream.pgn?format=wxf",
    "/events?topic=event,round:3,grid:3:1,game:3:3,standing",
    "/api/v1/stream?topic=event,round:3,grid:3:1,game:3:3,standing",
];

/// A venue whose clock the test sets.
struct Venue {
    hub: Hub,
    state: AppState,
    app: Router,
    clock: Arc<AtomicI64>,
}

impl Venue {
    fn new() -> Venue {
        let clock = Arc::new(AtomicI64::new(fixture::BEGAN.0 + 2_300_000));
        let time = Arc::clone(&clock);
        let hub = Hub::new(BOOT, Arc::new(move || Epoch(time.load(Ordering::SeqCst))), 1.0);
        let state = state(&hub).0;
        Venue { app: web::app(state.clone()), hub, state, clock }
    }

    /// With games under way, as its public has seen them.
    fn playing() -> Venue {
        let venue = Venue::new();
        fixture::publish(&venue.hub, 30);
        venue.hub.beat();
        venue
    }

    fn set(&self, broadcast: Broadcast) {
        self.hub.publish(Update::Broadcast(Arc::new(broadcast)));
        self.hub.beat();
    }

    fn pass(&self, minutes: i64) {
        self.clock.fetch_add(minutes * 60_000, Ordering::SeqCst);
        self.hub.beat();
    }

    fn game(&self) -> GameView {
        (*self.hub.shown().games[&(ROUND, TABLE)]).clone()
    }

    /// A move that nobody may know yet, and the end of the game.
    fn play_the_secret(&self) {
        let mut game = self.game();
        let last = secret(&game);
        Arc::make_mut(&mut game.plies).push(last);
        game.fen = "9/9/3k5/9/9/4S4/9/9/9/4K4 b - - 0 36".to_owned();
        game.version += 1;
        game.to_move = xiangqi::Side::Black;
        game.clocks.running = None;
        let at = Epoch(self.clock.load(Ordering::SeqCst));
        game.ended_at = Some(at);
        game.status = won();
        game.notes.push(NoteView { ply: 70, by: "解说".to_owned(), text: "SECRETNOTE".to_owned() });
        self.hub.publish(Update::Game(Arc::new(game)));
        let shown = self.hub.shown();
        let mut round = (*shown.rounds[&ROUND]).clone();
        round.pairings[2].status = won();
        self.hub.publish(Update::Round(Arc::new(round)));
        let mut standing: StandingView = (*shown.standing.unwrap()).clone();
        standing.rows[4].values[0] = "秘分".to_owned();
        self.hub.publish(Update::Standing(Arc::new(standing)));
        let mut event = (*shown.event.unwrap()).clone();
        event.venue.plies += 1;
        event.playing = false;
        self.hub.publish(Update::Event(Arc::new(event)));
        self.hub.beat();
    }

    async fn body(&self, path: &str, cookie: &str) -> (StatusCode, Vec<u8>) {
        let asked = Request::get(path)
            .header(header::HOST, "chess.example")
            .header(header::COOKIE, cookie)
            .extension(ConnectInfo(SocketAddr::from(([127, 0, 0, 1], 4000))));
        let response = send(&self.app, asked.body(Body::empty()).unwrap()).await;
        let status = response.status();
        (status, axum::body::to_bytes(response.into_body(), 10 << 20).await.unwrap().to_vec())
    }

    async fn all(&self, cookie: &str) -> BTreeMap<&'static str, Vec<u8>> {
        let mut all = BTreeMap::new();
        for way in WAYS {
            let (status, body) = self.body(way, cookie).await;
            assert_eq!(status, StatusCode::OK, "{way}");
            all.insert(way, body);
        }
        all
    }

    async fn text(&self, path: &str) -> String {
        String::from_utf8_lossy(&self.body(path, "").await.1).into_owned()
    }
}

fn won() -> GameStatus {
    GameStatus::Finished(Outcome { result: GameResult::RedWins, ending: Ending::Repetition })
}

fn secret(game: &GameView) -> PlyView {
    PlyView {
        mv: "h0g2".parse().unwrap(),
        zh: "秘着".to_owned(),
        wxf: "SECRET".to_owned(),
        board: "9/9/3k5/9/9/4S4/9/9/9/4K4".to_owned(),
        check: false,
        capture: false,
        used_ms: Some(1000),
        at: game.clocks.at.plus(1000),
        irregular: true,
    }
}

fn minutes(minutes: u16) -> Broadcast {
    Broadcast { delay: Delay { minutes, plies: 0 }, ..Broadcast::default() }
}

/// Lines that tell how much the server did, not what: they may change.
fn without_counters(way: &str, body: &[u8]) -> Vec<u8> {
    if way != "/metrics" {
        return body.to_vec();
    }
    let text = String::from_utf8_lossy(body);
    text.lines().filter(|line| !line.starts_with("chuhe_web_streams")).collect::<Vec<_>>().join("\n").into()
}

#[tokio::test]
async fn a_delayed_move_reaches_the_public_by_no_way_before_its_time_and_by_all_after_it() {
    let venue = Venue::playing();
    // Switched on in mid-round.
    venue.set(minutes(15));
    let before = venue.all("").await;
    let mut streams = Vec::new();
    for way in STREAMS {
        let asked = Request::get(way).header(header::HOST, "chess.example").body(Body::empty()).unwrap();
        let mut body = send(&venue.app, asked).await.into_body().into_data_stream();
        body.next().await.unwrap().unwrap();
        streams.push(body);
    }
    venue.play_the_secret();
    for passed in [0, 1, 13] {
        venue.pass(passed);
        let mut after = venue.all("").await;
        for (way, was) in &before {
            let is = after.remove(way).unwrap();
            // Clocks run on in pages, so later only the marks of the move are looked for.
            if passed == 0 {
                assert!(without_counters(way, was) == without_counters(way, &is), "{way} changed");
            }
            let text = String::from_utf8_lossy(&is);
            for mark in ["秘着", "SECRET", "4S4", "秘分", "长将", "重复"] {
                assert!(!text.contains(mark), "{way} tells of {mark} after {passed} minutes");
            }
        }
        for body in &mut streams {
            let next = tokio::time::timeout(Duration::from_millis(20), body.next()).await;
            assert!(next.is_err(), "a stream tells something: {next:?}");
        }
    }
    venue.pass(1);
    for way in ["/round/3/table/3", "/api/v1/games/3/3", "/api/v1/rounds/3", "/embed/3/3"] {
        let text = venue.text(way).await;
        assert!(text.contains("秘着") || text.contains("repetition") || text.contains("Repetition"), "{way}");
    }
    assert!(venue.text("/api/v1/standing").await.contains("秘分"));
    for body in &mut streams {
        let mut text = String::new();
        // The PGN writes the move itself, the frames as it was named.
        while !(text.contains("1-0") || text.contains("SECRET") && text.contains("standing")) {
            let chunk = tokio::time::timeout(Duration::from_secs(5), body.next()).await.unwrap().unwrap();
            text += &String::from_utf8_lossy(&chunk.unwrap());
        }
    }
}

#[tokio::test]
async fn officials_are_never_delayed() {
    let venue = Venue::playing();
    venue.set(minutes(15));
    let open = |path: &str| {
        let asked = common::request(path).body(Body::empty()).unwrap();
        let app = venue.app.clone();
        async move { send(&app, asked).await }
    };
    let mut desk = open("/events?topic=game:3:3&desk").await.into_body().into_data_stream();
    desk.next().await.unwrap().unwrap();
    venue.play_the_secret();
    let chunk = tokio::time::timeout(Duration::from_secs(5), desk.next()).await.unwrap().unwrap().unwrap();
    assert!(String::from_utf8_lossy(&chunk).contains("秘着"));
    assert!(venue.hub.look(|shown| shown.games[&(ROUND, TABLE)].plies.len() == 70));
    let afar = venue.body("/events?topic=game:3:3&desk", "").await;
    assert_eq!(afar.0, StatusCode::FORBIDDEN, "whoever is no official cannot ask for it");
    drop(venue.state);
}

#[tokio::test]
async fn a_table_with_a_delay_of_its_own_leaves_the_others_alone() {
    let venue = Venue::playing();
    let own = Delay { minutes: 10, plies: 0 };
    venue.set(Broadcast { tables: BTreeMap::from([(TABLE, own)]), ..Broadcast::default() });
    fixture::advance(&venue.hub, TABLE);
    fixture::advance(&venue.hub, TableNo(5));
    let plies = |table| venue.hub.public().look(|shown| shown.games[&(ROUND, table)].plies.len());
    assert_eq!((plies(TABLE), plies(TableNo(5))), (69, fixture::plies_at_first(TableNo(5)) + 1));
    venue.pass(10);
    assert_eq!(plies(TABLE), 70);
}

#[tokio::test]
async fn a_delay_of_plies_shows_a_move_when_so_many_followed_and_everything_at_the_end() {
    let venue = Venue::playing();
    let delay = Delay { minutes: 0, plies: 4 };
    venue.set(Broadcast { delay, ..Broadcast::default() });
    let public = || venue.hub.public().look(|shown| shown.games[&(ROUND, TABLE)].clone());
    for played in 1..=10_usize {
        fixture::advance(&venue.hub, TABLE);
        assert_eq!(public().plies.len(), 69 + played.saturating_sub(4), "after {played} more plies");
        assert_eq!(public().plies.last().unwrap().board, public().fen.split(' ').next().unwrap());
    }
    assert!(public().clocks.running.is_none(), "how long the next ply takes is not known yet");
    let mut game = venue.game();
    game.version += 1;
    game.status = won();
    venue.hub.publish(Update::Game(Arc::new(game)));
    assert_eq!((public().plies.len(), public().status), (79, won()));
}

#[tokio::test]
async fn a_delay_that_ends_shows_at_once_what_it_kept_back_and_a_longer_one_takes_nothing_back() {
    let venue = Venue::playing();
    venue.set(minutes(5));
    fixture::advance(&venue.hub, TABLE);
    venue.pass(5);
    let plies = || venue.hub.public().look(|shown| shown.games[&(ROUND, TABLE)].plies.len());
    assert_eq!(plies(), 70);
    venue.set(minutes(30));
    fixture::advance(&venue.hub, TABLE);
    venue.pass(29);
    assert_eq!(plies(), 70);
    venue.set(Broadcast::default());
    venue.hub.beat();
    assert_eq!(plies(), 71);
}

#[tokio::test]
async fn a_delayed_clock_runs_as_it_ran() {
    let venue = Venue::playing();
    venue.set(minutes(5));
    fixture::advance(&venue.hub, TABLE);
    let true_clock = venue.game().clocks;
    venue.pass(5);
    let shown = venue.hub.public().look(|shown| shown.games[&(ROUND, TABLE)].clocks);
    assert_eq!(shown.at, true_clock.at.plus(5 * 60_000));
    assert_eq!((shown.red_ms, shown.running), (true_clock.red_ms, true_clock.running));
}

#[tokio::test]
async fn a_restart_shows_no_more_than_the_delay_allows_and_no_less() {
    let venue = Venue::new();
    venue.set(minutes(10));
    // The fixture's games began 38 minutes ago; table 3 has 69 plies, the last of them minutes ago. What is read back
    // comes round by round, games first.
    let scratch = Venue::playing().hub.shown();
    venue.hub.publish(Update::Event(scratch.event.clone().unwrap()));
    for (round, pairings) in &scratch.rounds {
        for game in scratch.games.values().filter(|game| game.round == *round) {
            let mut game = (**game).clone();
            if *round != ROUND {
                game.ended_at = Some(fixture::BEGAN);
            }
            venue.hub.publish(Update::Game(Arc::new(game)));
        }
        venue.hub.publish(Update::Round(Arc::clone(pairings)));
    }
    venue.hub.publish(Update::Standing(scratch.standing.clone().unwrap()));
    let (live, public) = (venue.hub.shown(), venue.hub.public().shown());
    let now = venue.hub.now();
    for (key, game) in live.games.iter().filter(|((round, _), _)| *round == ROUND) {
        let old = game.plies.iter().filter(|ply| now.since(ply.at) >= 10 * 60_000).count();
        assert_eq!(public.games[key].plies.len(), old, "table {}", key.1);
        let over = game.ended_at.is_some_and(|at| now.since(at) >= 10 * 60_000);
        assert_eq!(matches!(public.games[key].status, GameStatus::Finished(_)), over, "table {}", key.1);
    }
    assert!(public.rounds.contains_key(&ROUND), "the pairings are there");
    venue.pass(10);
    let public = venue.hub.public().shown();
    assert_eq!(public.games[&(ROUND, TABLE)].plies.len(), 69);
    assert!(public.standing.is_some());
}

#[tokio::test]
async fn the_next_rounds_pairings_wait_for_the_last_hidden_result() {
    let venue = Venue::playing();
    venue.set(minutes(10));
    venue.play_the_secret();
    let mut next = (*venue.hub.shown().rounds[&ROUND]).clone();
    next.round = RoundNo(4);
    next.pairings[0].red.points = 99;
    for pairing in &mut next.pairings {
        pairing.status = GameStatus::NotStarted;
    }
    venue.hub.publish(Update::Round(Arc::new(next)));
    let public = || venue.hub.public().shown().rounds.contains_key(&RoundNo(4));
    assert!(!public(), "its points would tell the result");
    venue.pass(10);
    assert!(public());
}

#[tokio::test]
async fn a_reader_who_hides_results_meets_none_and_others_do() {
    let venue = Venue::playing();
    venue.play_the_secret();
    let hidden = venue.all("results=hide").await;
    for (way, body) in &hidden {
        let text = String::from_utf8_lossy(body);
        let ends = ["红胜", "黑胜", "和棋", "2–0", "0–2", "Red won", "1-0", "0-1", "1/2-1/2", "超时"];
        for mark in ends {
            // The short ones stand in pages by chance too.
            if mark.is_ascii() && !way.starts_with("/api") {
                continue;
            }
            assert!(!text.contains(mark), "{way} tells {mark}");
        }
    }
    assert!(String::from_utf8_lossy(&hidden["/standings"]).contains("结果已隐藏"));
    assert!(venue.text("/round/3/table/3").await.contains("红胜"));
    // The game is not said to go on either: it is over, and neither clock tells how.
    let game: serde_json::Value = serde_json::from_slice(&hidden["/api/v1/games/3/3"]).unwrap();
    assert_eq!(
        (&game["status"]["is"], &game["status"]["outcome"]),
        (&"withheld".into(), &serde_json::Value::Null)
    );
    assert_eq!((&game["clocks"]["red_ms"], &game["clocks"]["black_ms"]), (&0.into(), &0.into()));
    let html = String::from_utf8_lossy(&hidden["/round/3/table/3"]).into_owned();
    assert!(html.contains("data-state=\"held\"") && html.contains("赛果不显示"), "{html}");
    assert!(!html.contains(" flag\"") || html.contains("data-state=\"held\""), "a fallen flag is covered");
    // The stream that keeps his page up to date tells none either.
    let asked = Request::get("/events?topic=round:3,game:3:3,grid:3:1")
        .header(header::COOKIE, "results=hide")
        .body(Body::empty())
        .unwrap();
    let mut body = send(&venue.app, asked).await.into_body().into_data_stream();
    let first = String::from_utf8_lossy(&body.next().await.unwrap().unwrap()).into_owned();
    assert!(first.contains("秘着") && !first.contains("红胜") && !first.contains("Red won"), "{first}");
}

#[tokio::test]
async fn an_event_may_keep_its_results_to_itself() {
    let venue = Venue::playing();
    venue.play_the_secret();
    venue.set(Broadcast { hide_results: true, ..Broadcast::default() });
    for (way, body) in venue.all("results=show").await {
        let text = String::from_utf8_lossy(&body);
        for mark in ["红胜", "黑胜", "2–0", "1-0", "0-1", "秘分", "red_wins"] {
            if mark.is_ascii() && !way.starts_with("/api") {
                continue;
            }
            assert!(!text.contains(mark), "{way} tells {mark}");
        }
    }
    assert!(venue.hub.look(|shown| shown.games[&(ROUND, TABLE)].status == won()), "officials know");
    venue.set(Broadcast::default());
    assert!(venue.text("/round/3/table/3").await.contains("红胜"));
    assert!(venue.text("/standings").await.contains("秘分"));
}
