//! `/round/N/table/M/share`: everything that one takes away from a game (link, QR code, frame, files), and how it is shown.

use axum::extract::Path;
use axum::response::Response;
use hall::view::GameView;
use maud::{Markup, html};
use tournament::{RoundNo, TableNo};

use super::shell::{Moves, Page, Place, Reader, icon, not_found};
use crate::audience::Public;
use crate::board::Set;
use crate::lang::Lang;

/// `GET /round/{round}/table/{table}/share`.
pub async fn share(state: Public, Path(at): Path<(String, String)>, reader: Reader) -> Response {
    let shown = state.hub.shown();
    let key = at.0.parse().ok().zip(at.1.parse().ok()).map(|(r, t)| (RoundNo(r), TableNo(t)));
    let Some(game) = key.and_then(|key| shown.games.get(&key)) else {
        return not_found(&state.hub, &reader, reader.t("没有这一局", "There is no such game"));
    };
    let path = format!("/round/{}/table/{}", game.round, game.table);
    let title = match reader.lang {
        Lang::Zh => format!("分享 · 第{}轮第{}台", game.round, game.table),
        Lang::En => format!("Share: round {}, table {}", game.round, game.table),
    };
    let base = reader.base.as_deref().unwrap_or_default();
    let embed = format!("{base}/embed/{}/{}", game.round, game.table);
    let frame = format!("<iframe src=\"{embed}\" width=\"420\" height=\"640\" loading=\"lazy\"></iframe>");
    let body = html! {
        main id="main" class="one" {
            section class="sec" {
                h2 {
                    span lang="zh" { (game.red.name) }
                    span class="meta" { (reader.t("对", "against")) }
                    span lang="zh" { (game.black.name) }
                }
                div class="qr" {
                    img src={ "/qr.svg?to=" (path) } width="200" height="200" alt=(reader.t("本局的二维码", "QR code of this game"));
                    p {
                        a href=(path) { (base) (path) }
                        small class="mut" { (reader.t("长按或复制此链接", "Copy this link")) }
                    }
                }
            }
            section class="sec" {
                h2 { (reader.t("棋谱", "Files")) }
                div class="bar" { (files(game, &reader)) }
            }
            section class="sec" {
                h2 { (reader.t("嵌入网页", "On your own site")) }
                p class="code" { code { (frame) } }
                div class="bar" { a class="btn btn-s" href=(embed) { (reader.t("看嵌入页", "See it")) } }
            }
            section class="sec" {
                h2 { (reader.t("显示", "Shown as")) }
                div class="bar" { (choices(game, &reader)) }
            }
        }
    };
    let page = Page {
        picture: Some(format!("/api/v1/games/{}/{}.svg", game.round, game.table)),
        ..Page::new(title, Place::Live, Some(&path))
    };
    page.answer(&state.hub, &shown, &reader, &body)
}

/// The game as files.
#[must_use]
pub fn files(game: &GameView, reader: &Reader) -> Markup {
    let all = [
        (".pgn", "PGN"),
        (".dhtmlxq", reader.t("东萍", "DhtmlXQ")),
        (".xqf", "XQF"),
        (".txt", reader.t("文本", "Text")),
        (".svg", reader.t("图片", "Picture")),
    ];
    html! {
        @for (ending, name) in all {
            a class="btn btn-s" href={ "/api/v1/games/" (game.round) "/" (game.table) (ending) } download {
                (icon("M10 3v10M6 9.5l4 4 4-4M4 17h12")) (name)
            }
        }
    }
}

/// How moves are written and which pieces are drawn: what is not chosen now.
#[must_use]
pub fn choices(game: &GameView, reader: &Reader) -> Markup {
    let path = format!("/round/{}/table/{}", game.round, game.table);
    let (pieces, set) = match reader.set {
        Set::Seal => (reader.t("字母棋子", "Letter pieces"), Set::Latin),
        Set::Latin => (reader.t("汉字棋子", "Hanzi pieces"), Set::Seal),
    };
    html! {
        @for moves in Moves::ALL.into_iter().filter(|moves| *moves != reader.moves) {
            a class="btn btn-s" href={ (path) "?notation=" (moves.code()) } { (match moves {
                Moves::Chinese => reader.t("中文记谱", "Chinese notation"),
                Moves::Wxf => reader.t("WXF 记谱", "WXF notation"),
                Moves::Iccs => reader.t("坐标记谱", "ICCS notation"),
            }) }
        }
        a class="btn btn-s" href={ (path) "?pieces=" (set.folder()) } { (pieces) }
    }
}
