//! The arbiters' pages: what they show, how a remedy is chosen and confirmed, two arbiters at once.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;
#[path = "../fixture/mod.rs"]
#[allow(dead_code, reason = "the example uses the rest")]
mod fixture;

use axum::Router;
use axum::body::Body;
use axum::http::{Method, Request, StatusCode, header};
use common::{get, hub, page, request, send, state, text};
use hall::Act;
use tokio::sync::mpsc;
use tournament::{RoundNo, TableNo};
use web::{ActRequest, Refused};
use xiangqi::Side;

fn app() -> (Router, mpsc::Receiver<ActRequest>) {
    let hub = hub();
    fixture::publish(&hub, 30);
    let (state, asked) = state(&hub);
    (web::app(state), asked)
}

/// The form of a page's confirm bar, as a browser would send it.
fn confirmation(html: &str, path: &str) -> Request<Body> {
    let form = html.split("id=\"confirm\"").nth(1).expect("a confirm bar").split("</form>").next().unwrap();
    let fields = form.split("<input type=\"hidden\" name=\"").skip(1).map(|rest| {
        let (name, rest) = rest.split_once("\" value=\"").unwrap();
        format!("{name}={}", rest.split('"').next().unwrap())
    });
    let body = fields.collect::<Vec<_>>().join("&");
    let mut asked = request(path)
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .body(Body::from(body))
        .unwrap();
    *asked.method_mut() = Method::POST;
    asked
}

/// Picks a remedy at a table and confirms it; the acts that reach the hall.
async fn confirmed(query: &str, table: u16) -> Vec<Act> {
    let (app, mut asked) = app();
    let html = page(&app, &format!("/arbiter/table/{table}?{query}")).await;
    let form = confirmation(&html, &format!("/arbiter/table/{table}"));
    let sent = tokio::spawn(async move { send(&app, form).await });
    let request = asked.recv().await.expect("the hall is asked");
    assert_eq!(request.drawn, Some((TableNo(table), 34)), "the page says what it was drawn from");
    request.answer.send(Ok(())).unwrap();
    assert_eq!(sent.await.unwrap().status(), StatusCode::SEE_OTHER, "{query}");
    request.acts
}

#[tokio::test]
async fn every_remedy_becomes_the_act_that_it_names() {
    let table = TableNo(3);
    let cases: Vec<(&str, Act)> = vec![
        ("do=add&side=red&ms=120000", Act::AddTime { table, red_ms: 120_000, black_ms: 0 }),
        ("do=add&side=black&ms=-60000", Act::AddTime { table, red_ms: 0, black_ms: -60_000 }),
        (
            "do=set&red=4:47&black=12:00&run=black",
            Act::SetClock { table, red_ms: 287_000, black_ms: 720_000, running: Some(Side::Black) },
        ),
        ("do=pause", Act::Pause(vec![table])),
        ("do=resume", Act::Resume(vec![table])),
        ("do=run&side=red", Act::Run { table, side: Side::Red }),
        ("do=right", Act::PutRight(table)),
        ("do=reopen", Act::Reopen(table)),
        ("do=undo&no=34", Act::Undo(34)),
        ("do=decline", Act::DeclineDraw(table)),
        (
            "do=warn&side=red&what=smoking",
            Act::Warn { table, side: Side::Red, given: true, what: arbitration::Misconduct::Smoking },
        ),
        (
            "do=misconduct&side=black&what=phone",
            Act::Misconduct { table, side: Side::Black, what: arbitration::Misconduct::Phone },
        ),
        (
            "do=foul&side=red&offence=illegal_move",
            Act::Foul {
                table,
                side: Side::Red,
                given: true,
                offence: arbitration::Offence::IllegalMove,
                why: "违规着法".to_owned(),
            },
        ),
        (
            "do=result&result=both_lose&ending=forfeit",
            Act::Result {
                round: RoundNo(3),
                table,
                outcome: arbitration::Outcome {
                    result: arbitration::GameResult::BothLose,
                    ending: arbitration::Ending::Forfeit,
                },
            },
        ),
        ("do=back&ply=65", Act::Correct { table, from: hall::view::PlyNo(65), line: Vec::new() }),
        (
            "do=enter&mv=a9a8",
            Act::Correct { table, from: hall::view::PlyNo(70), line: vec!["a9a8".parse().unwrap()] },
        ),
        ("alert=14&choice=1", Act::Remedy { alert: 14, choice: 1, why: "采纳建议".to_owned() }),
        ("alert=14&do=dismiss", Act::Dismiss { alert: 14, why: "不予处理".to_owned() }),
    ];
    for (query, act) in cases {
        assert_eq!(confirmed(query, 3).await, [act], "{query}");
    }
}

#[tokio::test]
async fn the_bar_says_what_changes_from_old_to_new() {
    let (app, _asked) = app();
    let bar = |html: String| {
        html.split("id=\"confirm\"").nth(1).unwrap().split("</form>").next().unwrap().to_owned()
    };
    let time = bar(page(&app, "/arbiter/table/5?do=add&side=red&ms=120000").await);
    assert!(time.contains("红方+2分") && time.contains("红方 00:41 → 02:41"), "{time}");
    let foul = bar(page(&app, "/arbiter/table/3?do=foul&side=black&offence=disturbing").await);
    assert!(foul.contains("黑方犯规 1 → 2"), "{foul}");
    let back = bar(page(&app, "/arbiter/table/3?do=back&ply=65").await);
    assert!(back.contains("记录 69着 → 64着"), "{back}");
    let remedy = bar(page(&app, "/arbiter/table/12?alert=12&choice=0").await);
    assert!(remedy.contains("黑方加5分"), "{remedy}");
}

#[tokio::test]
async fn what_cannot_be_is_said_and_nothing_is_asked_of_the_hall() {
    let (app, mut asked) = app();
    for (query, says) in [
        ("do=set&red=4&black=5", "分:秒"),
        ("do=add&side=green&ms=1", "未选红黑"),
        ("do=back&ply=999", "没有此着"),
        ("do=enter&mv=xyz", "着法读不出"),
        ("do=nonsense", "没有此处置"),
        ("alert=999&choice=0", "此警报已结"),
    ] {
        let html = page(&app, &format!("/arbiter/table/3?{query}")).await;
        assert!(html.contains(says) && !html.contains("id=\"confirm\""), "{query}");
    }
    assert!(asked.try_recv().is_err());
    assert_eq!(get(&app, "/arbiter/table/99").await.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn the_second_of_two_arbiters_sees_the_first_ones_decision_and_may_go_on() {
    let (app, mut asked) = app();
    let html = page(&app, "/arbiter/table/3?do=add&side=black&ms=60000").await;
    // The page knew of nothing yet.
    let html = html.replace("name=\"drawn\" value=\"34\"", "name=\"drawn\" value=\"0\"");
    let form = confirmation(&html, "/arbiter/table/3");
    let sent = tokio::spawn({
        let app = app.clone();
        async move { send(&app, form).await }
    });
    let request = asked.recv().await.unwrap();
    assert_eq!(request.drawn, Some((TableNo(3), 0)));
    request.answer.send(Err(Refused::Overtaken)).unwrap();
    let conflict = sent.await.unwrap();
    assert_eq!(conflict.status(), StatusCode::CONFLICT);
    let html = text(conflict).await;
    let told = html.split("class=\"hind\"").nth(1).unwrap().split("</div>").next().unwrap();
    assert!(told.contains("李裁判") && told.contains("红方+2分"), "{told}");
    assert!(html.contains("name=\"drawn\" value=\"34\""), "the choice stands, over what is known now");
    assert!(html.contains("黑方+1分"));
}

#[tokio::test]
async fn evidence_is_drawn() {
    let (app, _asked) = app();
    let repetition = page(&app, "/arbiter/table/8").await;
    assert_eq!(repetition.matches("class=\"cl x\"").count(), 2, "two chases");
    assert_eq!(repetition.matches("class=\"cl n\"").count(), 2, "two idle moves");
    assert_eq!(repetition.matches("class=\"arrow ").count(), 4);
    let limit = page(&app, "/arbiter/table/7").await;
    assert!(limit.contains("class=\"lim\"") && limit.contains("不计："), "the excluded moves are listed");
    let moved = page(&app, "/arbiter/table/12").await;
    assert!(moved.contains("× 缺") && moved.contains("class=\"case\""), "the missing piece is marked");
    assert!(moved.contains("class=\"sr\"") && moved.contains("class=\"sb\""), "the sensors' picture");
}

#[tokio::test]
async fn a_class_is_tapped_and_the_verdict_is_shown_before_it_is_confirmed() {
    let (app, mut asked) = app();
    let html = page(&app, "/arbiter/table/8").await;
    let tap =
        html.split("class=\"cl x\" href=\"").nth(1).unwrap().split('"').next().unwrap().replace("&amp;", "&");
    let nine = page(&app, tap.split('#').next().unwrap()).await;
    assert_eq!(nine.matches("class=\"nine\"").count(), 1);
    let idle = nine.split("href=\"").find(|rest| rest.split('"').next().unwrap().contains(".idle")).unwrap();
    let idle = idle.split('"').next().unwrap().replace("&amp;", "&");
    let ruled = page(&app, idle.split('#').next().unwrap()).await;
    assert!(ruled.contains("双方不变作和") && ruled.contains("按裁判改判"), "the verdict by the new class");
    assert!(!ruled.contains("&amp;choice="), "its remedies come when it is confirmed");
    let form = confirmation(&ruled, "/arbiter/table/8");
    let sent = tokio::spawn({
        let app = app.clone();
        async move { send(&app, form).await }
    });
    let request = asked.recv().await.unwrap();
    let [Act::Classify { table: TableNo(8), classes }] = &request.acts[..] else {
        panic!("{:?}", request.acts)
    };
    assert_eq!(classes[0].1, Some(xiangqi::judge::Class::Idle));
    request.answer.send(Ok(())).unwrap();
    assert_eq!(sent.await.unwrap().status(), StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn the_timeline_shows_the_last_minute_at_the_table_and_any_moment_on_its_page() {
    let (app, _asked) = app();
    let table = page(&app, "/arbiter/table/5").await;
    assert!(
        table.contains("class=\"tl\"") && table.contains("/arbiter/table/5/timeline?at="),
        "strip and links"
    );
    let around = page(&app, "/arbiter/table/5/timeline?ply=3").await;
    for sign in
        ["class=\"mk lift", "class=\"mk place", "class=\"mk press", "class=\"ran", "识别第3着", "红方按钟"]
    {
        assert!(around.contains(sign), "{sign}");
    }
    let english = page(&app, "/arbiter/table/5/timeline?ply=3&lang=en").await;
    assert!(english.contains("read as ply 3") && english.contains("Red pressed"), "in English");
    let empty = page(&app, "/arbiter/table/5/timeline?at=0").await;
    assert!(empty.contains("这段时间没有动静"));
}

#[tokio::test]
async fn an_undo_that_was_picked_before_somebody_else_decided_is_told_so() {
    let (app, _asked) = app();
    let table = page(&app, "/arbiter/table/3").await;
    assert!(table.contains("do=undo&amp;no=34&amp;since=34"));
    let fresh = page(&app, "/arbiter/table/3?do=undo&no=34&since=34").await;
    assert!(!fresh.contains("class=\"hind\"") && fresh.contains("id=\"confirm\""));
    let late = page(&app, "/arbiter/table/3?do=undo&no=34&since=12").await;
    assert!(late.contains("class=\"hind\"") && late.contains("李裁判"), "who, and what");
    assert!(late.contains("id=\"confirm\""), "the choice is not lost");
}

#[tokio::test]
async fn own_tables_are_set_by_a_form_and_come_first() {
    let (app, mut asked) = app();
    let html = page(&app, "/arbiter/tables").await;
    let word = html.split("name=\"form\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let post = |tables: &str| {
        let mut sent = request("/arbiter/walk")
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(Body::from(format!("form={word}&to=/arbiter&tables={tables}")))
            .unwrap();
        *sent.method_mut() = Method::POST;
        sent
    };
    let wrong = send(&app, post("x")).await;
    assert_eq!(wrong.headers()[header::LOCATION], "/arbiter?walk=wrong");
    let sent = tokio::spawn({
        let (app, post) = (app.clone(), post("3-5"));
        async move { send(&app, post).await }
    });
    let request = asked.recv().await.unwrap();
    assert_eq!(request.acts, [Act::Walk((3..=5).map(TableNo).collect())]);
    request.answer.send(Ok(())).unwrap();
    assert_eq!(sent.await.unwrap().status(), StatusCode::SEE_OTHER);

    let hub = hub();
    fixture::publish(&hub, 30);
    let mut alerts = (*hub.shown().alerts).clone();
    alerts.walks.insert("裁判长".to_owned(), (3..=5).map(TableNo).collect());
    hub.publish(web::Update::Alerts(std::sync::Arc::new(alerts)));
    let (state, _asked) = state(&hub);
    let app = web::app(state);
    let tiles = |html: &str| html.matches("data-tile-of=").count();
    let mine = page(&app, "/arbiter/tables").await;
    assert_eq!(tiles(&mine), 3);
    assert_eq!(tiles(&page(&app, "/arbiter/tables?of=all").await), 30);
    let queue = page(&app, "/arbiter").await;
    assert!(!queue.contains("id=\"alert-12\""), "table 12 is somebody else's");
    let all = page(&app, "/arbiter?of=all").await;
    let alert = |id: u32| {
        all.split(&format!("id=\"alert-{id}\"")).nth(1).unwrap().split('>').next().unwrap().to_owned()
    };
    assert!(!alert(12).contains("data-own"), "it does not sound here");
}

#[tokio::test]
async fn a_move_is_entered_by_two_taps_without_scripts() {
    let (app, _asked) = app();
    let first = page(&app, "/arbiter/table/3?do=enter").await;
    assert_eq!(first.matches("class=\"tap\"").count(), 90);
    assert!(first.contains("href=\"/arbiter/table/3?do=enter&amp;from=a0\""));
    let second = page(&app, "/arbiter/table/3?do=enter&from=a0").await;
    assert!(second.contains("href=\"/arbiter/table/3?do=enter&amp;mv=a0a1\""));
    assert!(second.contains("class=\"tap on\""));
}

#[tokio::test]
async fn what_nobody_saw_is_entered_after_the_game_too() {
    let (app, _asked) = app();
    let over = page(&app, "/arbiter/table/2").await;
    assert!(over.contains("do=reopen") && over.contains("href=\"/arbiter/table/2?do=enter\""));
    assert!(page(&app, "/arbiter/table/2?do=enter").await.contains("name=\"mv\""));
}

#[tokio::test]
async fn tables_stand_by_need_or_by_number_in_three_densities() {
    let (app, _asked) = app();
    let order = |html: &str| {
        let tiles = html.split("data-tile-of=\"").skip(1);
        tiles.map(|rest| rest.split('"').next().unwrap().parse::<u16>().unwrap()).collect::<Vec<_>>()
    };
    let by_need = page(&app, "/arbiter/tables").await;
    assert_eq!(order(&by_need)[..2], [3, 8], "an unclaimed P0 first, then the claimed one");
    assert!(by_need.contains("class=\"tile p0"));
    let by_number = page(&app, "/arbiter/tables?order=number&d=d1").await;
    assert_eq!(order(&by_number), (1..=30).collect::<Vec<_>>());
    assert!(by_number.contains("class=\"tg0 d1\""));
    let needy = page(&app, "/arbiter/tables?show=need").await;
    assert!(order(&needy).len() < 10 && order(&needy).contains(&9), "a table without a link is in need");
}

#[tokio::test]
async fn the_journal_and_the_ruling_sheet_name_who_decided_what() {
    let (app, _asked) = app();
    let journal = page(&app, "/arbiter/journal?by=%E6%9D%8E%E8%A3%81%E5%88%A4").await;
    assert!(
        journal.contains("<small class=\"role\">裁判员</small>") && journal.contains("红方+2分"),
        "{journal}"
    );
    let others = page(&app, "/arbiter/journal?by=nobody").await;
    assert!(!others.contains("红方+2分"));
    let everything = page(&app, "/arbiter/journal").await;
    for word in
        ["新账户 李裁判", "登录被拒：李裁判 [192.168.1.23]", "警报升级", "撤销裁决 34", "id=\"older\""]
    {
        assert!(
            everything.contains(word) || page(&app, "/arbiter/journal?before=5").await.contains(word),
            "{word}"
        );
    }
    let accounts = page(&app, "/arbiter/journal?kind=account").await;
    assert!(accounts.contains("登录被拒") && !accounts.contains("警报升级"));
    let sheet = page(&app, "/arbiter/ruling/34").await;
    for word in ["裁决单", "红方+2分", "李裁判", "双方签字", "记录号 34", "12:34", "17:22"] {
        assert!(sheet.contains(word), "{word}");
    }
    assert_eq!(get(&app, "/arbiter/ruling/35").await.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn arbiters_pages_are_kept_nowhere_and_run_nothing_foreign() {
    let (app, _asked) = app();
    for path in [
        "/arbiter",
        "/arbiter/tables",
        "/arbiter/table/3",
        "/arbiter/table/8?alert=9&choice=0",
        "/arbiter/journal",
        "/arbiter/table/3/timeline",
        "/arbiter/ruling/34",
        "/account",
        "/signin",
    ] {
        let answer = get(&app, path).await;
        assert!(
            [StatusCode::OK, StatusCode::FORBIDDEN].contains(&answer.status()),
            "{path}: {}",
            answer.status()
        );
        assert_eq!(answer.headers()[header::CACHE_CONTROL], "no-store", "{path}");
        let policy = answer.headers()[header::CONTENT_SECURITY_POLICY].to_str().unwrap().to_owned();
        assert!(policy.contains("script-src 'self'") && !policy.contains("unsafe"), "{policy}");
        let html = text(answer).await;
        assert!(!html.contains(" style=") && !html.contains(" onclick"), "{path}");
        assert_eq!(html.matches("<script").count(), 1, "{path}");
    }
}
