//! Signing in and out, the first account, one's own account, all accounts.

use axum::Form;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use hall::{Actor, Role, Room};
use maud::{Markup, html};
use serde::Deserialize;

use super::account::{Account, AccountError};
use super::official::{COOKIE, address, anybody, by_https, on_this_machine, same_site};
use super::session::SESSION_MS;
use super::{Denied, MIN_PASSWORD, Official, enter, posted};
use crate::AppState;
use crate::lang::Lang;
use crate::page::{Page, Place, Reader};

const SHEETS: &[&str] = &["lists.css", "arbiter.css"];

fn page(title: &str) -> Page<'static> {
    let mut page = Page::new(title.to_owned(), Place::Other, Some("/"));
    page.sheets = SHEETS;
    page
}

fn say(error: &AccountError, lang: Lang) -> String {
    match error {
        AccountError::Name => lang.pick("姓名须有 1 至 40 个字", "A name has 1 to 40 characters").to_owned(),
        AccountError::Password => {
            lang.pick("密码须有 8 至 200 个字符", "A password has 8 to 200 characters").to_owned()
        }
        AccountError::Wrong => lang.pick("姓名或密码不对", "Name or password is wrong").to_owned(),
        AccountError::TooOften(s) => match lang {
            Lang::Zh => format!("尝试过多，{s} 秒后再试"),
            Lang::En => format!("Too many tries: try again in {s} s"),
        },
        AccountError::LastChief => {
            lang.pick("须留有一位裁判长", "There has to be a chief arbiter").to_owned()
        }
        AccountError::Nobody => lang.pick("没有此账户", "There is no such account").to_owned(),
        AccountError::Random(why) | AccountError::Store(why) => match lang {
            Lang::Zh => format!("未能保存：{why}"),
            Lang::En => format!("Not kept: {why}"),
        },
    }
}

fn status(error: &AccountError) -> StatusCode {
    match error {
        AccountError::Name | AccountError::Password => StatusCode::UNPROCESSABLE_ENTITY,
        AccountError::Wrong => StatusCode::UNAUTHORIZED,
        AccountError::TooOften(_) => StatusCode::TOO_MANY_REQUESTS,
        AccountError::LastChief => StatusCode::CONFLICT,
        AccountError::Nobody => StatusCode::NOT_FOUND,
        AccountError::Random(_) | AccountError::Store(_) => StatusCode::SERVICE_UNAVAILABLE,
    }
}

fn shown(state: &AppState, reader: &Reader, title: &str, body: &Markup, status: StatusCode) -> Response {
    let mut answer = page(title).answer(&state.hub, &state.hub.shown(), reader, body);
    if status != StatusCode::OK {
        *answer.status_mut() = status;
    }
    // What one person is shown, nobody else is.
    answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

/// What went wrong, over a form.
fn wrong(why: Option<&str>) -> Markup {
    html! { @if let Some(why) = why { p class="wrong" role="alert" { (why) } } }
}

fn field(name: &str, label: &str, kind: &str, auto: &str) -> Markup {
    html! {
        label for=(name) { (label) }
        input id=(name) name=(name) type=(kind) required maxlength="200" autocomplete=(auto);
    }
}

fn sign_in_form(reader: &Reader, to: &str, why: Option<&str>) -> Markup {
    html! {
        form class="sheetform" method="post" action="/signin" {
            input type="hidden" name="to" value=(to);
            (field("name", reader.t("姓名", "Name"), "text", "username"))
            (field("password", reader.t("密码", "Password"), "password", "current-password"))
            (wrong(why))
            button class="btn btn-1" { (reader.t("登录", "Sign in")) }
        }
    }
}

/// The page for a request that is nobody's: how to become somebody.
pub(crate) fn denied_page(state: &AppState, reader: &Reader, parts: &Parts, denied: Denied) -> Response {
    let to = if parts.method == axum::http::Method::GET {
        parts.uri.path_and_query().map_or("/", axum::http::uri::PathAndQuery::as_str)
    } else {
        "/arbiter"
    };
    let body = html! {
        main id="main" class="say" {
            h1 { (denied.say(reader.lang)) }
            @match denied {
                Denied::SignIn => (sign_in_form(reader, to, None)),
                Denied::Setup => p { a class="btn btn-1" href="/setup" { (reader.t("设裁判长账户", "Make the account")) } },
                Denied::Role(_) => p { a class="btn" href="/account" { (reader.t("我的账户", "My account")) } },
                Denied::Elsewhere | Denied::ForeignPage | Denied::Unsealed => {
                    p { a class="btn" href=(to) { (reader.t("返回", "Back")) } }
                }
            }
        }
    };
    shown(state, reader, reader.t("登录", "Sign in"), &body, denied.status())
}

/// A place on this server to go to after signing in.
fn local(to: Option<&str>) -> &str {
    let inside = |to: &&str| {
        to.starts_with('/')
            && !to.starts_with("//")
            && !to.contains('\\')
            && to.bytes().all(|b| b.is_ascii_graphic())
    };
    to.filter(inside).unwrap_or("/account")
}

/// `GET /signin`.
pub async fn sign_in_page(State(state): State<AppState>, reader: Reader, parts: Parts) -> Response {
    if let Err(denied @ (Denied::Setup | Denied::Elsewhere)) = anybody(&state, &parts) {
        return denied_page(&state, &reader, &parts, denied);
    }
    let body = html! {
        main id="main" class="say" {
            h1 { (reader.t("登录", "Sign in")) }
            (sign_in_form(&reader, "/account", None))
        }
    };
    shown(&state, &reader, reader.t("登录", "Sign in"), &body, StatusCode::OK)
}

/// The form of [`sign_in`].
#[derive(Deserialize)]
pub struct SigningIn {
    name: String,
    password: String,
    to: Option<String>,
}

fn session_cookie(token: &str, parts: &Parts) -> String {
    let secure = if by_https(parts) { "; Secure" } else { "" };
    let age = SESSION_MS / 1000;
    // Lax: a link in a chat opens the page signed in. Forms are sealed besides.
    format!("{COOKIE}={token}; Path=/; HttpOnly; SameSite=Lax; Max-Age={age}{secure}")
}

/// `POST /signin`.
pub async fn sign_in(
    State(state): State<AppState>,
    reader: Reader,
    parts: Parts,
    Form(form): Form<SigningIn>,
) -> Response {
    if !same_site(&parts.headers) {
        return denied_page(&state, &reader, &parts, Denied::ForeignPage);
    }
    let to = local(form.to.as_deref()).to_owned();
    match state.accounts.sign_in(&form.name, &form.password, address(&parts)).await {
        Ok(token) => {
            ([(header::SET_COOKIE, session_cookie(&token, &parts))], Redirect::to(&to)).into_response()
        }
        Err(error) => {
            let body = html! {
                main id="main" class="say" {
                    h1 { (reader.t("登录", "Sign in")) }
                    (sign_in_form(&reader, &to, Some(&say(&error, reader.lang))))
                }
            };
            let mut answer = shown(&state, &reader, reader.t("登录", "Sign in"), &body, status(&error));
            if let AccountError::TooOften(seconds) = error {
                answer.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
            }
            answer
        }
    }
}

/// `POST /signout`: this session, or with `everywhere` all of the account.
pub async fn sign_out(State(state): State<AppState>, request: Request) -> Response {
    let posted = match posted(&state, request, None).await {
        Ok(posted) => posted,
        Err(answer) => return answer,
    };
    let done = match (&posted.official.token, posted.text("everywhere")) {
        (Some(token), None) => state.accounts.sign_out(token).await,
        (Some(_), Some(_)) => state.accounts.leave_everywhere(&posted.official.actor()).await,
        (None, _) => Ok(()),
    };
    if let Err(error) = done {
        return (status(&error), say(&error, posted.reader.lang)).into_response();
    }
    let gone = format!("{COOKIE}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0");
    ([(header::SET_COOKIE, gone)], Redirect::to("/signin")).into_response()
}

/// `GET /setup`: the first account, on the machine itself.
pub async fn setup_page(State(state): State<AppState>, reader: Reader, parts: Parts) -> Response {
    match may_set_up(&state, &parts) {
        Ok(()) => setup_form(&state, &reader, None, StatusCode::OK),
        Err(denied) => denied_page(&state, &reader, &parts, denied),
    }
}

fn may_set_up(state: &AppState, parts: &Parts) -> Result<(), Denied> {
    if !state.accounts.is_empty() {
        return Err(Denied::SignIn);
    }
    if !same_site(&parts.headers) && parts.method != axum::http::Method::GET {
        return Err(Denied::ForeignPage);
    }
    if on_this_machine(parts) { Ok(()) } else { Err(Denied::Elsewhere) }
}

fn setup_form(state: &AppState, reader: &Reader, why: Option<&str>, status: StatusCode) -> Response {
    let title = reader.t("设裁判长账户", "The chief arbiter's account");
    let body = html! {
        main id="main" class="say" {
            h1 { (title) }
            form class="sheetform" method="post" action="/setup" {
                (field("name", reader.t("姓名", "Name"), "text", "username"))
                (field("password", reader.t("密码（至少 8 个字符）", "Password (8 characters at least)"), "password", "new-password"))
                (wrong(why))
                button class="btn btn-1" { (reader.t("设账户并登录", "Make it and sign in")) }
            }
        }
    };
    shown(state, reader, title, &body, status)
}

/// `POST /setup`.
pub async fn setup(
    State(state): State<AppState>,
    reader: Reader,
    parts: Parts,
    Form(form): Form<SigningIn>,
) -> Response {
    if let Err(denied) = may_set_up(&state, &parts) {
        return denied_page(&state, &reader, &parts, denied);
    }
    let made = match Account::new(&form.name, Role::ChiefArbiter, &form.password) {
        Ok(account) => {
            let name = account.name.clone();
            let by = Actor::person(&name, account.role);
            match state.accounts.put(account, &by).await {
                Ok(()) => state.accounts.open_session(&name).await,
                Err(error) => Err(error),
            }
        }
        Err(error) => Err(error),
    };
    match made {
        Ok(token) => ([(header::SET_COOKIE, session_cookie(&token, &parts))], Redirect::to("/accounts"))
            .into_response(),
        Err(error) => setup_form(&state, &reader, Some(&say(&error, reader.lang)), status(&error)),
    }
}

/// `GET /account`: one's own.
pub async fn own(State(state): State<AppState>, reader: Reader, parts: Parts) -> Response {
    match anybody(&state, &parts) {
        Ok(official) => own_page(&state, &reader, &official, None, StatusCode::OK),
        Err(denied) => denied_page(&state, &reader, &parts, denied),
    }
}

fn own_page(
    state: &AppState,
    reader: &Reader,
    official: &Official,
    why: Option<&str>,
    status: StatusCode,
) -> Response {
    let rooms = [
        (Room::Duty, "/arbiter", reader.t("值班台", "Arbiters' desk")),
        (Room::Journal, "/arbiter/journal", reader.t("日志", "Journal")),
        (Room::Desk, "/desk", reader.t("赛务", "Organiser's desk")),
        (Room::Undelayed, "/broadcast", reader.t("转播", "Broadcast")),
        (Room::Accounts, "/accounts", reader.t("账户", "Accounts")),
    ];
    let body = html! {
        main id="main" class="one" {
            section class="sec" {
                h2 { (official.name) span class="mut" { (reader.t(official.role.zh(), official.role.en())) } }
                div class="bar" {
                    @for (room, href, name) in rooms {
                        @if official.role.sees(room) { a class="btn" href=(href) { (name) } }
                    }
                }
                @if official.token.is_some() {
                    form class="sheetform" method="post" action="/account/password" {
                        (official.seal())
                        (field("old", reader.t("现密码", "Password now"), "password", "current-password"))
                        (field("new", reader.t("新密码", "New password"), "password", "new-password"))
                        (wrong(why))
                        button class="btn" { (reader.t("改密码", "Change it")) }
                    }
                    form class="bar" method="post" action="/signout" {
                        (official.seal())
                        button class="btn btn-1" { (reader.t("退出登录", "Sign out")) }
                        button class="btn" name="everywhere" value="1" {
                            (reader.t("在所有设备上退出", "Sign out everywhere"))
                            " (" (state.accounts.sessions_of(&official.name)) ")"
                        }
                    }
                }
            }
        }
    };
    shown(state, reader, reader.t("我的账户", "My account"), &body, status)
}

/// `POST /account/password`: a new one for oneself.
pub async fn own_password(State(state): State<AppState>, request: Request) -> Response {
    let posted = match posted(&state, request, None).await {
        Ok(posted) => posted,
        Err(answer) => return answer,
    };
    let official = &posted.official;
    let (old, new) = (posted.raw("old").unwrap_or_default(), posted.raw("new").unwrap_or_default());
    let changed = match state.accounts.is_password_of(&official.name, old, address(&posted.parts)).await {
        Ok(true) => match Account::new(&official.name, official.role, new) {
            Ok(account) => state.accounts.put(account, &official.actor()).await,
            Err(error) => Err(error),
        },
        Ok(false) => Err(AccountError::Wrong),
        Err(error) => Err(error),
    };
    match changed {
        // The sessions have ended: one signs in with the new password.
        Ok(()) => Redirect::to("/signin").into_response(),
        Err(error) => {
            let why = say(&error, posted.reader.lang);
            own_page(&state, &posted.reader, official, Some(&why), status(&error))
        }
    }
}

/// `GET /accounts`: everybody's, for the chief arbiter.
pub async fn all(State(state): State<AppState>, reader: Reader, parts: Parts) -> Response {
    match enter(&state, &reader, &parts, Room::Accounts) {
        Ok(official) => all_page(&state, &reader, &official, None, StatusCode::OK),
        Err(answer) => answer,
    }
}

fn all_page(
    state: &AppState,
    reader: &Reader,
    official: &Official,
    why: Option<&str>,
    status: StatusCode,
) -> Response {
    let everybody = state.accounts.all();
    let body = html! {
        main id="main" class="one" {
            section class="sec" {
                h2 { (reader.t("账户", "Accounts")) span class="mut" { (everybody.len()) } }
                table class="stg" {
                    @for (name, role) in &everybody {
                        tr {
                            td { b { (name) } }
                            td { (reader.t(role.zh(), role.en())) }
                            td class="num" {
                                form method="post" action="/accounts/remove" {
                                    (official.seal())
                                    input type="hidden" name="name" value=(name);
                                    button class="btn btn-s" { (reader.t("删除", "Remove")) }
                                }
                            }
                        }
                    }
                }
            }
            section class="sec" {
                h2 { (reader.t("新账户，或给已有者新职务与新密码", "A new account, or a new role and password for one")) }
                form class="sheetform" method="post" action="/accounts" {
                    (official.seal())
                    (field("name", reader.t("姓名", "Name"), "text", "off"))
                    label for="role" { (reader.t("职务", "Role")) }
                    select id="role" name="role" {
                        @for role in Role::ALL {
                            option value=(role.code()) selected[role == Role::Arbiter] { (reader.t(role.zh(), role.en())) }
                        }
                    }
                    label for="password" {
                        (reader.t("密码", "Password")) " (≥ " (MIN_PASSWORD) ")"
                    }
                    input id="password" name="password" type="password" required maxlength="200" autocomplete="new-password";
                    (wrong(why))
                    button class="btn btn-1" { (reader.t("保存", "Save")) }
                }
            }
        }
    };
    shown(state, reader, reader.t("账户", "Accounts"), &body, status)
}

/// `POST /accounts`: a new account, or new role and password of one.
pub async fn put(State(state): State<AppState>, request: Request) -> Response {
    let posted = match posted(&state, request, Some(Room::Accounts)).await {
        Ok(posted) => posted,
        Err(answer) => return answer,
    };
    let role = posted.text("role").and_then(Role::parse).unwrap_or(Role::Viewer);
    let name = posted.text("name").unwrap_or_default();
    let password = posted.raw("password").unwrap_or_default();
    let done = match Account::new(name, role, password) {
        Ok(account) => state.accounts.put(account, &posted.official.actor()).await,
        Err(error) => Err(error),
    };
    tracing::info!(by = posted.official.name, name, role = role.code(), ok = done.is_ok(), "account put");
    answer(&state, &posted.reader, &posted.official, done)
}

/// `POST /accounts/remove`.
pub async fn remove(State(state): State<AppState>, request: Request) -> Response {
    let posted = match posted(&state, request, Some(Room::Accounts)).await {
        Ok(posted) => posted,
        Err(answer) => return answer,
    };
    let name = posted.text("name").unwrap_or_default();
    let done = state.accounts.remove(name, &posted.official.actor()).await;
    tracing::info!(by = posted.official.name, name, ok = done.is_ok(), "account removed");
    answer(&state, &posted.reader, &posted.official, done)
}

fn answer(
    state: &AppState,
    reader: &Reader,
    official: &Official,
    done: Result<(), AccountError>,
) -> Response {
    match done {
        Ok(()) => Redirect::to("/accounts").into_response(),
        Err(error) => all_page(state, reader, official, Some(&say(&error, reader.lang)), status(&error)),
    }
}
