//! 建立赛事: the first thing at the desk, where the configuration names no event.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use hall::desk::{DeskAct, Settings};
use hall::{Act, Room};
use maud::{DOCTYPE, html};

use super::frame::{private, say};
use crate::auth::{self, Official};
use crate::page::Reader;
use crate::{AppState, assets};

/// The form that opens an event.
pub(super) fn form(reader: &Reader, official: &Official) -> Response {
    let base = assets::BASE.as_str();
    private(html! {
        (DOCTYPE)
        html lang=(reader.lang.tag()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                title { (reader.t("建立赛事", "Open an event")) }
                link rel="stylesheet" href=(assets::sheets(&["base.css", "parts.css"]));
                link rel="stylesheet" href={ (base) "/lists.css" };
                link rel="stylesheet" href={ (base) "/desk.css" };
            }
            body {
                main class="say" {
                    h1 { (reader.t("建立赛事", "Open an event")) }
                    form method="post" action="/desk/open" class="sheetform" {
                        (official.seal())
                        label { (reader.t("名称", "Title")) input name="title" required maxlength="100"; }
                        label { (reader.t("轮数", "Rounds")) input name="rounds" required inputmode="numeric" value="11"; }
                        label { (reader.t("办法", "Kind"))
                            select name="regulation" {
                                option value="a" { (reader.t("甲：个人积分编排，团体按队员分值总和", "A: individuals, teams by their members' sum")) }
                                option value="b" { (reader.t("乙：五台团体积分编排", "B: teams on five boards")) }
                            }
                        }
                        button class="btn btn-1" { (reader.t("建立", "Open")) }
                    }
                    p { a href="/help/organiser" { (reader.t("先看手册", "Read the handbook first")) } }
                }
            }
        }
    })
}

/// `POST /desk/open`.
pub(super) async fn open(State(state): State<AppState>, request: Request) -> Response {
    let posted = match auth::posted(&state, request, Some(Room::Desk)).await {
        Ok(posted) => posted,
        Err(answer) => return answer,
    };
    let title = posted.text("title").unwrap_or_default().to_owned();
    let rounds: u16 = posted.parse("rounds").unwrap_or(0);
    let reader = &posted.reader;
    if title.is_empty() || !(1..=200).contains(&rounds) {
        let words = reader.t("名称不能空，轮数为 1 至 200", "A title, and 1 to 200 rounds");
        return (StatusCode::UNPROCESSABLE_ENTITY, say(reader, words, "/desk")).into_response();
    }
    let regulation = posted.text("regulation").unwrap_or("a").to_owned();
    // The draw's seed is printed with its record; it can be changed there. A decimal number is easier to copy.
    let mut bytes = [0; 4];
    if getrandom::fill(&mut bytes).is_err() {
        let words = reader.t("系统没有给出随机数，请再试", "The system gave no random number: try again");
        return (StatusCode::SERVICE_UNAVAILABLE, say(reader, words, "/desk")).into_response();
    }
    let seed = u64::from(u32::from_le_bytes(bytes));
    let settings = Settings { titles: vec![title.clone()], rounds, ..Settings::preset(&regulation) };
    let acts = vec![
        Act::Open { title, rounds, regulation, seed },
        Act::Desk(DeskAct::Set { settings: Box::new(settings), why: String::new() }),
    ];
    match auth::decide(&state, &posted.official, acts, None).await {
        Ok(()) => Redirect::to("/desk/settings").into_response(),
        Err(undone) => {
            (undone.status(), say(reader, undone.words().get(reader.lang), "/desk")).into_response()
        }
    }
}
