//! Who gets in where: accounts, sessions, forms, and every official's route with every role.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;
#[path = "../fixture/mod.rs"]
#[allow(dead_code, reason = "the example uses the rest")]
mod fixture;

use std::net::SocketAddr;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Method, Request, Response, StatusCode, header};
use common::{get, hub, request, send, state, text};
use hall::Role;
use tokio::sync::mpsc;
use web::{Account, Accounts, ActRequest, Refused};

const PASSWORD: &str = "楚河漢界12345";

/// One account of each role, named after it; hashed once for all.
fn accounts() -> Vec<Account> {
    let digest = web::digest_password(PASSWORD).unwrap();
    let account = |role: Role| Account { name: role.code().to_owned(), role, password: digest.clone() };
    Role::ALL.into_iter().map(account).collect()
}

fn app_with(accounts: Accounts) -> (Router, mpsc::Receiver<ActRequest>) {
    let hub = hub();
    fixture::publish(&hub, 3);
    let (mut state, asked) = state(&hub);
    state.accounts = accounts;
    (web::app(state), asked)
}

fn afar(method: Method, path: &str) -> axum::http::request::Builder {
    Request::builder()
        .method(method)
        .uri(path)
        .header(header::HOST, "chess.example")
        .extension(ConnectInfo(SocketAddr::from(([192, 168, 1, 7], 4000))))
}

fn form(builder: axum::http::request::Builder, body: &str) -> Request<Body> {
    let kind = "application/x-www-form-urlencoded";
    builder.header(header::CONTENT_TYPE, kind).body(Body::from(body.to_owned())).unwrap()
}

/// Signs somebody in; the cookie.
async fn signed_in(app: &Router, role: Role) -> String {
    let body = format!("name={}&password={}", role.code(), "%E6%A5%9A%E6%B2%B3%E6%BC%A2%E7%95%8C12345");
    let answer = send(app, form(afar(Method::POST, "/signin"), &body)).await;
    assert_eq!(answer.status(), StatusCode::SEE_OTHER, "{role:?}");
    let cookie = answer.headers()[header::SET_COOKIE].to_str().unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"), "{cookie}");
    assert!(!cookie.contains("Secure"), "plain HTTP on the venue's own network works too");
    cookie.split(';').next().unwrap().to_owned()
}

async fn page_as(app: &Router, cookie: &str, path: &str) -> Response<Body> {
    send(app, afar(Method::GET, path).header(header::COOKIE, cookie).body(Body::empty()).unwrap()).await
}

/// The word that seals the forms of a session.
async fn seal(app: &Router, cookie: &str) -> String {
    let html = text(page_as(app, cookie, "/account").await).await;
    let word = html.split("name=\"form\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    word.to_owned()
}

/// What answers the hall's side of a request.
fn obedient(mut asked: mpsc::Receiver<ActRequest>) {
    tokio::spawn(async move {
        while let Some(request) = asked.recv().await {
            let _gone = request.answer.send(Ok(()));
        }
    });
}

/// Every route that is not everybody's: method, path, form, and who gets through.
fn routes() -> Vec<(Method, &'static str, &'static str, &'static [Role])> {
    use Role::{Arbiter, ChiefArbiter, Commentator, Organiser, PairingOfficer};
    const BOARDS: &[Role] = &[ChiefArbiter, Arbiter];
    const CHIEF: &[Role] = &[ChiefArbiter];
    const DESK: &[Role] = &[ChiefArbiter, PairingOfficer, Organiser];
    const INSIDE: &[Role] = &[ChiefArbiter, Arbiter, PairingOfficer, Organiser, Commentator];
    const HALL: &[Role] = &[ChiefArbiter, Arbiter, PairingOfficer, Organiser];
    const COMMENT: &[Role] = &[ChiefArbiter, Arbiter, Organiser, Commentator];
    vec![
        (Method::GET, "/arbiter", "", BOARDS),
        (Method::GET, "/api/v1/alerts", "", BOARDS),
        (Method::GET, "/events?topic=alerts", "", BOARDS),
        (Method::GET, "/arbiter/tables", "", BOARDS),
        (Method::GET, "/arbiter/table/3", "", BOARDS),
        (Method::GET, "/arbiter/journal", "", &[ChiefArbiter, Arbiter, Role::Organiser]),
        (Method::GET, "/arbiter/ruling/1", "", &[ChiefArbiter, Arbiter, Role::Organiser]),
        (Method::POST, "/arbiter/alerts/14/take", "", BOARDS),
        (Method::GET, "/broadcast", "", INSIDE),
        (Method::GET, "/events?topic=game:3:3&desk", "", INSIDE),
        (Method::POST, "/broadcast/banner", "text=x", DESK),
        (Method::POST, "/broadcast/delay", "minutes=5&plies=0", DESK),
        (Method::POST, "/broadcast/note", "round=3&table=3&ply=1&text=x", COMMENT),
        (Method::POST, "/arbiter", "alert=14&do=settle&why=x", BOARDS),
        (Method::POST, "/arbiter?x", "do=pause-all", CHIEF),
        (Method::POST, "/arbiter/table/3", "do=pause", BOARDS),
        (Method::GET, "/devices", "", HALL),
        (Method::GET, "/devices/3", "", HALL),
        (Method::POST, "/devices", "", HALL),
        (Method::POST, "/devices/3", "step=begin", HALL),
        (Method::POST, "/devices/firmware/stop", "", &[ChiefArbiter, Organiser]),
        (Method::GET, "/accounts", "", CHIEF),
        (Method::POST, "/accounts", "name=x&role=viewer&password=12345678", CHIEF),
        (Method::POST, "/accounts/remove", "name=x", CHIEF),
        (Method::GET, "/account", "", &Role::ALL),
        (Method::POST, "/account/password", "old=x&new=12345678", &Role::ALL),
    ]
}

#[tokio::test]
async fn every_route_lets_the_right_roles_in_and_nobody_else() {
    let (app, asked) = app_with(Accounts::unkept(accounts(), false));
    obedient(asked);
    for (method, path, body, _) in routes() {
        let nobody = send(&app, form(afar(method, path), body)).await;
        assert_eq!(nobody.status(), StatusCode::UNAUTHORIZED, "nobody at {path}");
    }
    for role in Role::ALL {
        let cookie = signed_in(&app, role).await;
        let word = seal(&app, &cookie).await;
        for (method, path, body, let_in) in routes() {
            let asking = afar(method.clone(), path).header(header::COOKIE, &cookie);
            let answer = if method == Method::GET {
                send(&app, asking.body(Body::empty()).unwrap()).await
            } else {
                send(&app, form(asking, &format!("form={word}&{body}"))).await
            };
            let turned_away = answer.status() == StatusCode::FORBIDDEN;
            assert_eq!(
                !turned_away,
                let_in.contains(&role),
                "{role:?} at {method} {path}: {}",
                answer.status()
            );
        }
    }
}

#[tokio::test]
async fn a_form_without_its_seal_or_from_another_site_is_not_obeyed() {
    let (app, _asked) = app_with(Accounts::unkept(accounts(), false));
    let chief = signed_in(&app, Role::ChiefArbiter).await;
    let arbiter = signed_in(&app, Role::Arbiter).await;
    let word = seal(&app, &chief).await;
    let others = seal(&app, &arbiter).await;
    for (method, path, body, _) in routes().into_iter().filter(|(method, ..)| *method == Method::POST) {
        let asking = || afar(method.clone(), path).header(header::COOKIE, &chief);
        for body in [body.to_owned(), format!("form=&{body}"), format!("form={others}&{body}")] {
            let answer = send(&app, form(asking(), &body)).await;
            assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{path} {body}");
        }
        let sealed = format!("form={word}&{body}");
        let foreign = asking().header(header::ORIGIN, "http://evil.example");
        assert_eq!(send(&app, form(foreign, &sealed)).await.status(), StatusCode::FORBIDDEN, "{path}");
        let foreign = asking().header("sec-fetch-site", "cross-site");
        assert_eq!(send(&app, form(foreign, &sealed)).await.status(), StatusCode::FORBIDDEN, "{path}");
    }
    let foreign = afar(Method::POST, "/signin").header("sec-fetch-site", "cross-site");
    let signing = send(&app, form(foreign, "name=arbiter&password=x")).await;
    assert_eq!(signing.status(), StatusCode::FORBIDDEN, "nobody is signed in by another site");
}

#[tokio::test]
async fn a_firmware_is_taken_from_who_may_change_it_and_from_a_page_of_ours_alone() {
    let (app, asked) = app_with(Accounts::unkept(accounts(), false));
    obedient(asked);
    for role in Role::ALL {
        let cookie = signed_in(&app, role).await;
        let word = seal(&app, &cookie).await;
        for (sealed, word) in [(true, word.as_str()), (false, "guess")] {
            let asking = afar(Method::POST, "/devices/firmware")
                .header(header::COOKIE, &cookie)
                .header(header::CONTENT_TYPE, "multipart/form-data; boundary=x");
            let body = format!(
                "--x\r\nContent-Disposition: form-data; name=\"form\"\r\n\r\n{word}\r\n--x\r\n\
                 Content-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\nnone\r\n--x--\r\n"
            );
            let answer = send(&app, asking.body(Body::from(body)).unwrap()).await;
            let may = sealed && matches!(role, Role::ChiefArbiter | Role::Organiser);
            let expected = if may { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::FORBIDDEN };
            assert_eq!(answer.status(), expected, "{role:?}, sealed: {sealed}");
        }
    }
}

#[tokio::test]
async fn the_first_account_is_made_on_the_machine_itself_and_only_once() {
    let (app, _asked) = app_with(Accounts::unkept(Vec::new(), false));
    assert_eq!(get(&app, "/arbiter").await.status(), StatusCode::FORBIDDEN);
    assert!(text(get(&app, "/arbiter").await).await.contains("href=\"/setup\""));
    assert_eq!(get(&app, "/setup").await.status(), StatusCode::OK);
    let body = "name=%E9%99%88&password=12345678";
    let from_afar = send(&app, form(afar(Method::POST, "/setup"), body)).await;
    assert_eq!(from_afar.status(), StatusCode::FORBIDDEN);
    let here = |body: &str| {
        let mut asked = form(request("/setup"), body);
        *asked.method_mut() = Method::POST;
        asked
    };
    let proxied = {
        let mut asked = here(body);
        asked.headers_mut().insert("x-forwarded-for", "192.168.1.7".parse().unwrap());
        asked
    };
    assert_eq!(send(&app, proxied).await.status(), StatusCode::FORBIDDEN, "a proxy speaks for others");
    let short = send(&app, here("name=%E9%99%88&password=123")).await;
    assert_eq!(short.status(), StatusCode::UNPROCESSABLE_ENTITY);
    let made = send(&app, here(body)).await;
    assert_eq!(made.status(), StatusCode::SEE_OTHER);
    let cookie = made.headers()[header::SET_COOKIE].to_str().unwrap().split(';').next().unwrap().to_owned();
    assert_eq!(page_as(&app, &cookie, "/accounts").await.status(), StatusCode::OK);
    assert_eq!(send(&app, here(body)).await.status(), StatusCode::UNAUTHORIZED, "the door is shut");
    assert_eq!(get(&app, "/arbiter").await.status(), StatusCode::UNAUTHORIZED, "on the machine too");
}

#[tokio::test]
async fn in_an_open_house_the_machine_itself_is_the_chief_arbiters() {
    let (app, _asked) = app_with(Accounts::unkept(Vec::new(), true));
    assert_eq!(get(&app, "/arbiter").await.status(), StatusCode::OK);
    for path in ["/arbiter", "/api/v1/alerts", "/events?topic=alerts"] {
        let answer = send(&app, afar(Method::GET, path).body(Body::empty()).unwrap()).await;
        assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{path}");
    }
    let renamed = Request::get("/arbiter")
        .header(header::HOST, "evil.example")
        .extension(ConnectInfo(SocketAddr::from(([127, 0, 0, 1], 4000))))
        .body(Body::empty())
        .unwrap();
    assert_eq!(send(&app, renamed).await.status(), StatusCode::FORBIDDEN, "a foreign name that points here");
}

#[tokio::test]
async fn too_many_tries_are_told_to_wait() {
    let (app, _asked) = app_with(Accounts::unkept(accounts(), false));
    let attempt = || form(afar(Method::POST, "/signin"), "name=arbiter&password=wrong+one");
    let (begun, mut tries) = (std::time::Instant::now(), 0);
    let refused = loop {
        let answer = send(&app, attempt()).await;
        if answer.status() == StatusCode::TOO_MANY_REQUESTS {
            break answer;
        }
        assert_eq!(answer.status(), StatusCode::UNAUTHORIZED);
        tries += 1;
        // Eight at once, and one more every six seconds: a machine on which the digests take so long allows more.
        assert!(tries <= 8 + begun.elapsed().as_secs() / 6, "{tries}");
    };
    assert!(tries >= 8, "{tries}");
    let wait: u64 = refused.headers()[header::RETRY_AFTER].to_str().unwrap().parse().unwrap();
    assert!((1..=6).contains(&wait), "{wait}");
}

#[tokio::test]
async fn over_tls_the_cookie_is_for_tls_only_and_signing_in_leads_nowhere_else() {
    let (app, _asked) = app_with(Accounts::unkept(accounts(), false));
    let body = "name=arbiter&password=%E6%A5%9A%E6%B2%B3%E6%BC%A2%E7%95%8C12345&to=";
    let behind_tls = afar(Method::POST, "/signin").header("x-forwarded-proto", "https");
    let answer = send(&app, form(behind_tls, &format!("{body}/arbiter"))).await;
    assert!(answer.headers()[header::SET_COOKIE].to_str().unwrap().ends_with("; Secure"));
    assert_eq!(answer.headers()[header::LOCATION], "/arbiter");
    for elsewhere in ["//evil.example", "https://evil.example", "/%5Cevil.example", "/%0d%0ax"] {
        let answer = send(&app, form(afar(Method::POST, "/signin"), &format!("{body}{elsewhere}"))).await;
        assert_eq!(answer.headers()[header::LOCATION], "/account", "{elsewhere}");
    }
}

#[tokio::test]
async fn who_signs_out_is_out_on_this_device_or_on_all() {
    let (app, _asked) = app_with(Accounts::unkept(accounts(), false));
    let (phone, tablet) = (signed_in(&app, Role::Arbiter).await, signed_in(&app, Role::Arbiter).await);
    let third = signed_in(&app, Role::Arbiter).await;
    let leave = |cookie: &str, word: String, body: &str| {
        let asking = afar(Method::POST, "/signout").header(header::COOKIE, cookie);
        form(asking, &format!("form={word}{body}"))
    };
    let word = seal(&app, &phone).await;
    let gone = send(&app, leave(&phone, word, "")).await;
    assert!(gone.headers()[header::SET_COOKIE].to_str().unwrap().contains("Max-Age=0"));
    assert_eq!(page_as(&app, &phone, "/arbiter").await.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(page_as(&app, &tablet, "/arbiter").await.status(), StatusCode::OK);
    let word = seal(&app, &tablet).await;
    send(&app, leave(&tablet, word, "&everywhere=1")).await;
    assert_eq!(page_as(&app, &third, "/arbiter").await.status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn an_alert_is_taken_up_in_the_officials_name() {
    let (app, mut asked) = app_with(Accounts::unkept(accounts(), false));
    let cookie = signed_in(&app, Role::Arbiter).await;
    let word = seal(&app, &cookie).await;
    let post = |path: &str, body: &str| {
        form(afar(Method::POST, path).header(header::COOKIE, &cookie), &format!("form={word}&{body}"))
    };
    let taken = tokio::spawn({
        let (app, request) = (app.clone(), post("/arbiter/alerts/14/take", ""));
        async move { send(&app, request).await }
    });
    let request = asked.recv().await.unwrap();
    assert_eq!(request.acts, [hall::Act::Claim(14)]);
    assert_eq!(request.by, hall::Actor::person("arbiter", Role::Arbiter), "the journal names the account");
    request.answer.send(Ok(())).unwrap();
    assert_eq!(taken.await.unwrap().status(), StatusCode::SEE_OTHER);

    let again = tokio::spawn({
        let (app, request) = (app.clone(), post("/arbiter/alerts/14/take", ""));
        async move { send(&app, request).await }
    });
    let request = asked.recv().await.unwrap();
    let words = web::Words::of("王裁判已受理", "Wang has it");
    request.answer.send(Err(Refused::Said(words))).unwrap();
    let refused = again.await.unwrap();
    assert_eq!(refused.status(), StatusCode::CONFLICT);
    assert!(text(refused).await.contains("王裁判已受理"), "the second is told");
}
