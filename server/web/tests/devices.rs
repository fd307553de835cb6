//! The pages of the devices: every table's condition, and the self-test that somebody walks through.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;
#[path = "../fixture/mod.rs"]
#[allow(dead_code, reason = "the example uses the rest")]
mod fixture;

use axum::body::Body;
use axum::http::{Method, StatusCode, header};
use common::{hub, page, request, send, state, text};
use hall::{Act, TestStep};
use tournament::TableNo;

fn app() -> (axum::Router, tokio::sync::mpsc::Receiver<web::ActRequest>) {
    let hub = hub();
    fixture::publish(&hub, 3);
    let (state, asked) = state(&hub);
    (web::app(state), asked)
}

/// The part of a page between a mark and the next closing tag of that name.
fn part<'a>(page: &'a str, from: &str, to: &str) -> &'a str {
    page.split(from)
        .nth(1)
        .and_then(|rest| rest.split(to).next())
        .unwrap_or_else(|| panic!("no {from} in {page}"))
}

#[tokio::test]
async fn every_table_says_in_a_word_how_it_is() {
    let (app, _asked) = app();
    let all = page(&app, "/devices").await;
    let tile = |no: u16| part(&all, &format!("href=\"/devices/{no}\">"), "</a>");
    assert!(tile(1).contains("正常"));
    assert!(tile(3).contains("故障") && tile(3).contains("失灵1点"), "{}", tile(3));
    assert!(tile(5).contains("故障") && tile(5).contains("钟断线"));
    assert!(tile(7).contains("待查") && tile(7).contains("自检中"));
    assert!(tile(9).contains("待查") && tile(9).contains("未自检"));
    assert!(tile(10).contains("待查") && tile(10).contains("存储满"));
    let links = part(&all, "data-part=\"links\"", "</section>");
    assert!(links.contains("row-1") && links.contains("212") && links.contains("3.0 s"), "{links}");
    assert_eq!(
        links.matches("旧于同类").count(),
        1,
        "table 2 runs an older firmware than the others: {links}"
    );
    let english = page(&app, "/devices?lang=en").await;
    assert!(english.contains("faulty") && english.contains("Worst gap"));
}

#[tokio::test]
async fn bad_points_are_named_and_drawn_each_in_its_own_shape() {
    let (app, _asked) = app();
    let table = page(&app, "/devices/3").await;
    let board = part(&table, "<svg class=\"dboard\"", "</svg>");
    for (class, count) in [("sound", 87), ("dead", 1), ("stuck", 1), ("unsure", 1), ("here", 32)] {
        assert_eq!(board.matches(&format!("class=\"{class}\"")).count(), count, "{class}");
    }
    assert!(table.contains("五路第2线失灵，放子无反应"), "{table}");
    assert!(
        table.contains("href=\"/devices/2\"") && table.contains("href=\"/devices/4\""),
        "the way along the tables"
    );
    let nowhere = send(&app, request("/devices/77").body(Body::empty()).unwrap()).await;
    assert_eq!(nowhere.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_test_that_goes_on_shows_what_is_left_to_do() {
    let (app, _asked) = app();
    let table = page(&app, "/devices/7").await;
    assert!(table.contains("已试 37/90") && table.contains("请按钟") && table.contains("✓ 已按"), "{table}");
    assert!(table.contains("value=\"finish\"") && table.contains("value=\"break_off\""));
    assert!(!table.contains("value=\"begin\""));
}

#[tokio::test]
async fn the_buttons_begin_and_end_tests() {
    let (app, mut asked) = app();
    let word = part(&page(&app, "/devices/1").await, "name=\"form\" value=\"", "\"").to_owned();
    let form = |path: &str, body: &str| {
        let mut request = request(path)
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(Body::from(format!("form={word}&{body}")))
            .unwrap();
        *request.method_mut() = Method::POST;
        let app = app.clone();
        tokio::spawn(async move { send(&app, request).await })
    };
    let begun = form("/devices/4", "step=begin");
    let request = asked.recv().await.unwrap();
    assert_eq!(request.acts, [Act::SelfTest { table: TableNo(4), step: TestStep::Begin }]);
    request.answer.send(Ok(())).unwrap();
    assert_eq!(begun.await.unwrap().headers()[header::LOCATION], "/devices/4");

    let all = form("/devices", "");
    let request = asked.recv().await.unwrap();
    assert_eq!(request.acts.len(), 11, "all but the one that is being tested: {:?}", request.acts);
    request.answer.send(Ok(())).unwrap();
    assert_eq!(all.await.unwrap().status(), StatusCode::SEE_OTHER);

    let wrong = form("/devices/4", "step=dance").await.unwrap();
    assert_eq!(wrong.status(), StatusCode::UNPROCESSABLE_ENTITY);
    assert!(text(wrong).await.contains("未选"));
}

#[tokio::test]
async fn a_broken_board_is_exchanged_by_number_and_asked_about_once_more() {
    let (app, mut asked) = app();
    let table = page(&app, "/devices/4").await;
    let word = part(&table, "name=\"form\" value=\"", "\"").to_owned();
    let post = |body: String| {
        let mut request = request("/devices/4/exchange")
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(Body::from(format!("form={word}&{body}")))
            .unwrap();
        *request.method_mut() = Method::POST;
        let app = app.clone();
        tokio::spawn(async move { send(&app, request).await })
    };
    let value = |name: &str| part(&table, &format!("name=\"{name}\" value=\""), "\"").to_owned();
    let (board, clock) = (value("board"), value("clock"));

    for (board, why) in [("green", "不是设备号"), ("b0453a7700000003", "在第3台")] {
        let refused = post(format!("board={board}&clock={clock}")).await.unwrap();
        assert_eq!(refused.status(), StatusCode::UNPROCESSABLE_ENTITY);
        let said = text(refused).await;
        assert!(said.contains(why), "{said}");
    }
    let body = format!("board=a1&clock={clock}");
    let sure = text(post(body.clone()).await.unwrap()).await;
    assert!(sure.contains("00000000000000a1") && sure.contains("没有网关见到它"), "{sure}");
    assert!(sure.contains("name=\"sure\"") && asked.try_recv().is_err(), "nothing was done yet");

    let done = post(format!("{body}&sure=yes"));
    let request = asked.recv().await.unwrap();
    let [Act::Bind(binding)] = request.acts[..] else { panic!("{:?}", request.acts) };
    assert_eq!((binding.table, binding.board.0), (TableNo(4), 0xa1));
    assert_eq!(binding.clock.to_string(), clock);
    request.answer.send(Ok(())).unwrap();
    assert_eq!(done.await.unwrap().headers()[header::LOCATION], "/devices/4");
    let same = post(format!("board={board}&clock={clock}&sure=yes")).await.unwrap();
    assert!(same.status() == StatusCode::SEE_OTHER && asked.try_recv().is_err(), "nothing changes");
}
