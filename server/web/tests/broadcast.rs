//! What officials steer, and what readers choose: announcements, screens, notes, notation, the way by QR code.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

#[allow(dead_code, reason = "other tests use the rest")]
mod common;
#[path = "../fixture/mod.rs"]
#[allow(dead_code, reason = "the example uses the rest")]
mod fixture;

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, StatusCode, header};
use common::{get, hub, page, send, state};
use hall::view::{GameView, NoteView};
use hall::{Act, Broadcast, Delay, ScreenPage, Showing, Timer};
use tokio::sync::mpsc;
use tournament::{RoundNo, TableNo};
use web::{ActRequest, Hub, Update};

fn venue() -> (Hub, Router, mpsc::Receiver<ActRequest>) {
    let hub = hub();
    fixture::publish(&hub, 30);
    hub.beat();
    let (state, asked) = state(&hub);
    (hub, web::app(state), asked)
}

fn set(hub: &Hub, broadcast: Broadcast) {
    hub.publish(Update::Broadcast(Arc::new(broadcast)));
}

#[tokio::test]
async fn an_announcement_is_on_every_page_and_every_screen_until_it_is_withdrawn() {
    let (hub, app, _) = venue();
    let pages = ["/", "/live", "/round/3/table/3", "/standings", "/player/5", "/screen"];
    set(&hub, Broadcast { banner: Some("请各位<棋手>入座".to_owned()), ..Broadcast::default() });
    for path in pages {
        assert!(page(&app, path).await.contains("请各位&lt;棋手&gt;入座"), "{path}");
    }
    assert!(!page(&app, "/overlay/3/3").await.contains("入座"), "nothing but the game over a picture");
    set(&hub, Broadcast::default());
    for path in pages {
        assert!(!page(&app, path).await.contains("入座"), "{path}");
    }
}

#[tokio::test]
async fn a_page_that_is_open_hears_of_an_announcement() {
    use tokio_stream::StreamExt;
    let (hub, app, _) = venue();
    let mut body = get(&app, "/events?topic=event").await.into_body().into_data_stream();
    body.next().await.unwrap().unwrap();
    set(&hub, Broadcast { banner: Some("入座".to_owned()), ..Broadcast::default() });
    let chunk = tokio::time::timeout(std::time::Duration::from_secs(5), body.next()).await.unwrap();
    assert!(String::from_utf8_lossy(&chunk.unwrap().unwrap()).contains("\"topic\":\"event\""));
}

#[tokio::test]
async fn the_desk_says_which_pages_take_turns_on_the_screens() {
    let (hub, app, _) = venue();
    let has =
        |html: &str| ["class=\"hp", "class=\"hg", "class=\"hs", "class=\"ht"].map(|part| html.contains(part));
    assert_eq!(
        has(&page(&app, "/screen").await),
        [true, true, true, false],
        "those that have something to show"
    );
    let timer = Some(Timer { what: "开赛".to_owned(), until: hub.now().plus(275_000) });
    set(&hub, Broadcast { timer: timer.clone(), ..Broadcast::default() });
    let html = page(&app, "/screen").await;
    assert_eq!(has(&html), [true; 4]);
    assert!(html.contains("04:35") && html.contains("/qr.svg"));
    let screen = BTreeSet::from([ScreenPage::Standings]);
    set(&hub, Broadcast { timer, screen, ..Broadcast::default() });
    assert_eq!(has(&page(&app, "/screen").await), [false, false, true, false]);
}

#[tokio::test]
async fn the_delay_is_said_where_it_applies() {
    let (hub, app, _) = venue();
    set(&hub, Broadcast { delay: Delay { minutes: 15, plies: 0 }, ..Broadcast::default() });
    assert!(page(&app, "/round/3/table/3").await.contains("延迟15分"));
    assert!(page(&app, "/round/3/table/3?lang=en").await.contains("15 min delay"));
    assert!(!page(&app, "/round/1/table/3").await.contains("延迟15分"), "a game long over is shown whole");
    assert!(page(&app, "/api/v1/event").await.contains("\"minutes\":15"));
}

#[tokio::test]
async fn a_tables_own_delay_is_listed_with_the_way_to_remove_it() {
    let (hub, app, _) = venue();
    let tables = [(TableNo(7), Delay { minutes: 9, plies: 0 })].into();
    set(&hub, Broadcast { tables, ..Broadcast::default() });
    let html = page(&app, "/broadcast").await;
    assert!(html.contains("延迟9分") && html.contains("name=\"as_event\""), "{html}");
    set(&hub, Broadcast::default());
    assert!(!page(&app, "/broadcast").await.contains("name=\"as_event\""));
}

#[tokio::test]
async fn what_one_takes_away_from_a_game_is_on_one_page() {
    let (_, app, _) = venue();
    let html = page(&app, "/round/3/table/3/share").await;
    let path = "/round/3/table/3";
    assert!(
        html.contains(&format!("/qr.svg?to={path}"))
            && html.contains(&format!("http://127.0.0.1:8080{path}"))
    );
    assert!(html.contains("&lt;iframe src=&quot;http://127.0.0.1:8080/embed/3/3&quot;"), "{html}");
    for file in html.split("href=\"").skip(1).filter_map(|part| part.split('"').next()) {
        if file.starts_with("/api/") {
            assert_eq!(get(&app, file).await.status(), StatusCode::OK, "{file}");
        }
    }
    assert_eq!(html.matches("/api/v1/games/3/3.").count(), 6, "five files and the picture of the page");
}

#[tokio::test]
async fn a_phones_list_begins_with_the_latest_moves_and_goes_back_to_the_first_when_asked() {
    let (_, app, _) = venue();
    let phone = |path: &str| {
        let agent = "Mozilla/5.0 (Linux; Android) Mobile";
        common::request(path).header(header::USER_AGENT, agent).body(Body::empty()).unwrap()
    };
    let short = common::text(send(&app, phone("/round/3/table/3")).await).await;
    assert!(short.contains("data-first=\"56\"") && short.contains("<li value=\"29\">"), "{short}");
    assert!(!short.contains("href=\"?ply=56\"") && short.contains("href=\"?ply=57\""));
    assert!(short.contains("href=\"?moves=all\""));
    for asked in ["?moves=all", "?ply=12"] {
        let whole = common::text(send(&app, phone(&format!("/round/3/table/3{asked}"))).await).await;
        assert!(whole.contains("data-first=\"0\"") && whole.contains("href=\"?ply=1\""), "{asked}");
    }
}

#[tokio::test]
async fn an_engines_graph_stands_beside_a_game_that_is_over_and_tells_nobody_who_wants_no_results() {
    let (hub, app, _) = venue();
    let plies = vec![Some(120); 107];
    let evaluation = web::Evaluation { by: "Engine<1>".to_owned(), ms_a_ply: 50, plies };
    hub.public().evaluate(RoundNo(1), TableNo(3), evaluation.clone());
    hub.public().evaluate(RoundNo(3), TableNo(3), evaluation);
    let html = page(&app, "/round/1/table/3?ply=7").await;
    assert!(
        html.contains("Engine&lt;1&gt;") && html.contains("<b>1.20</b>") && html.contains("class=\"r\""),
        "{html}"
    );
    assert!(!page(&app, "/round/1/table/3?results=hide").await.contains("Engine&lt;"));
    assert!(!page(&app, "/round/3/table/3").await.contains("Engine&lt;"), "it is being played");
}

#[tokio::test]
async fn a_commentators_note_stands_at_its_ply() {
    let (hub, app, _) = venue();
    let mut game: GameView = (*hub.shown().games[&(RoundNo(3), TableNo(3))]).clone();
    game.notes = vec![NoteView { ply: 3, by: "解说甲".to_owned(), text: "先手<稳健>".to_owned() }];
    hub.publish(Update::Game(Arc::new(game)));
    let html = page(&app, "/round/3/table/3").await;
    assert!(html.contains("先手&lt;稳健&gt;") && html.contains("href=\"?ply=3\">2. "), "{html}");
    assert!(html.contains("data-notes=\"1\""));
}

#[tokio::test]
async fn moves_are_written_in_coordinates_too_and_the_choice_stays() {
    let (_, app, _) = venue();
    let response = get(&app, "/round/3/table/3?notation=iccs").await;
    assert!(response.headers()[header::SET_COOKIE].to_str().unwrap().starts_with("notation=iccs;"));
    assert!(common::text(response).await.contains("H2-E2"));
    assert!(page(&app, "/embed/3/3?notation=iccs").await.contains("data-mv=\"2\""));
}

#[tokio::test]
async fn the_last_move_and_the_check_stay_marked_whatever_the_reader_chooses() {
    let (_, app, _) = venue();
    for choice in ["", "notation=wxf", "notation=iccs", "pieces=latin", "lang=en", "flip=1"] {
        let html = page(&app, &format!("/round/1/table/3?{choice}")).await;
        assert!(html.contains(" last=\"") && html.contains("class=\"to\""), "{choice}");
    }
}

#[tokio::test]
async fn a_tables_card_leads_to_whatever_is_played_there() {
    let (_, app, _) = venue();
    let response = get(&app, "/table/5").await;
    assert_eq!(response.headers()[header::LOCATION], "/round/3/table/5");
    assert_eq!(get(&app, "/table/99").await.status(), StatusCode::NOT_FOUND);
    let code = get(&app, "/qr.svg?to=/table/5").await;
    assert_eq!(code.headers()[header::CONTENT_TYPE], "image/svg+xml");
    for elsewhere in ["//evil.example", "https://evil.example", "javascript:x"] {
        let refused = get(&app, &format!("/qr.svg?to={elsewhere}")).await;
        assert_eq!(refused.status(), StatusCode::BAD_REQUEST, "{elsewhere}");
    }
}

#[tokio::test]
async fn a_shared_game_has_its_picture() {
    let (_, app, _) = venue();
    let html = page(&app, "/round/3/table/3").await;
    assert!(html.contains("og:image\" content=\"http://127.0.0.1:8080/api/v1/games/3/3.svg\""));
}

#[tokio::test]
async fn each_form_of_the_desk_is_one_act() {
    let (hub, app, mut asked) = venue();
    let html = page(&app, "/broadcast?round=3&table=3").await;
    let seal = html.split("name=\"form\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let until = hub.now().plus(5 * 60_000);
    let delay = |table, minutes, plies| {
        let delay = Some(Delay { minutes, plies });
        Act::Show(Showing::Delay { table, delay })
    };
    let chosen = BTreeSet::from([ScreenPage::Pairings, ScreenPage::Timer]);
    let note = Act::Note { round: RoundNo(3), table: TableNo(3), ply: 7, text: "好棋".to_owned() };
    for (what, body, act) in [
        ("delay", "table=&minutes=15&plies=0", delay(None, 15, 0)),
        ("delay", "table=3&minutes=0&plies=4", delay(Some(TableNo(3)), 0, 4)),
        ("delay", "table=3&as_event=1", Act::Show(Showing::Delay { table: Some(TableNo(3)), delay: None })),
        ("results", "hide=on", Act::Show(Showing::HideResults(true))),
        ("results", "", Act::Show(Showing::HideResults(false))),
        ("banner", "text=%E5%85%A5%E5%BA%A7", Act::Show(Showing::Banner(Some("入座".to_owned())))),
        ("banner", "text=+", Act::Show(Showing::Banner(None))),
        (
            "timer",
            "what=%E5%BC%80%E8%B5%9B&minutes=5",
            Act::Show(Showing::Timer(Some(Timer { what: "开赛".to_owned(), until }))),
        ),
        ("timer", "what=x&minutes=", Act::Show(Showing::Timer(None))),
        ("screen", "pairings=on&timer=on", Act::Show(Showing::Screen(chosen))),
        ("note", "round=3&table=3&ply=7&text=%E5%A5%BD%E6%A3%8B", note),
    ] {
        let request = Request::post(format!("/broadcast/{what}"))
            .header(header::HOST, "127.0.0.1:8080")
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .extension(ConnectInfo(SocketAddr::from(([127, 0, 0, 1], 4000))))
            .body(Body::from(format!("form={seal}&{body}")))
            .unwrap();
        let app = app.clone();
        let sent = tokio::spawn(async move { send(&app, request).await });
        let request = asked.recv().await.unwrap();
        assert_eq!(request.acts, [act], "{what}: {body}");
        request.answer.send(Ok(())).unwrap();
        assert_eq!(sent.await.unwrap().status(), StatusCode::SEE_OTHER, "{what}");
    }
}
