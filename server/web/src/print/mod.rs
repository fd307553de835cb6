//! 打印: documents on A4, printed from the browser. Pages are laid out by the server, a fixed number of rows a page, so that
//! heads, page numbers and signatures are on every sheet and the same standing prints the same after a year.

mod booklet;
mod cards;
mod forms;
mod lists;
mod simul;

use axum::Router;
use axum::response::Response;
use axum::routing::get;
use maud::{DOCTYPE, Markup, html};

use crate::AppState;
use crate::assets;
use crate::desk::{AtDesk, Frame, Tab, private};
use crate::lang::Lang;

/// The documents' addresses.
pub(crate) fn routes() -> Router<AppState> {
    Router::new()
        .route("/print", get(menu))
        .route("/print/booklet", get(booklet::booklet))
        .route("/print/draw", get(lists::draw))
        .route("/print/pairings/{round}", get(lists::pairings))
        .route("/print/results/{round}", get(lists::results))
        .route("/print/standings/{after}", get(lists::standings))
        .route("/print/teams/{after}", get(lists::teams))
        .route("/print/boards/{after}", get(lists::boards))
        .route("/print/final", get(lists::final_book))
        .route("/print/scores", get(forms::scores))
        .route("/print/scores/blank", get(forms::blank_scores))
        .route("/print/slips/{round}", get(forms::slips))
        .route("/print/lineups/{round}", get(forms::lineups))
        .route("/print/match/{round}", get(forms::matches))
        .route("/print/prizes", get(forms::prizes))
        .route("/print/fees", get(forms::fees))
        .route("/print/simul", get(simul::simul))
        .route("/print/tables", get(cards::tables))
        .route("/print/placards", get(cards::placards))
        .route("/print/badges", get(cards::badges))
        .route("/print/certificates", get(cards::certificates))
}

/// A document of sheets.
pub(super) struct Document<'a> {
    /// What it is called.
    pub title: String,
    /// Its sheets, whole.
    pub sheets: Vec<Markup>,
    /// Who prints it.
    pub desk: &'a AtDesk,
}

impl Document<'_> {
    /// The answer.
    pub fn answer(self) -> Response {
        let base = assets::BASE.as_str();
        let reader = &self.desk.reader;
        private(html! {
            (DOCTYPE)
            html lang=(reader.lang.tag()) {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width,initial-scale=1";
                    title { (self.title) " · " (self.desk.view.title) }
                    link rel="stylesheet" href={ (base) "/print.css" };
                }
                body {
                    p class="bar" { a href="/print" { (reader.t("返回打印页", "Back")) } a href="?lang=zh" { "中文" } a href="?lang=en" { "English" } span { (self.title) "　" (self.sheets.len()) (reader.t(" 页　", " pages　")) (reader.t("用浏览器打印，A4，边距无，勾选背景图形", "Print from the browser: A4, no margins, backgrounds on")) } }
                    @if self.sheets.is_empty() { section class="pg" { p { (reader.t("没有可印的内容", "There is nothing to print")) } } }
                    @for sheet in &self.sheets { (sheet) }
                }
            }
        })
    }
}

/// The head of a sheet: event, document, facts left, page right.
pub(super) fn head(desk: &AtDesk, title: &str, left: &str, right: &str) -> Markup {
    html! { header class="dt" { h1 { (desk.view.title) } h2 { (title) } div class="by" { span { (left) } span { (right) } } } }
}

/// The foot with signatures.
pub(super) fn foot(desk: &AtDesk, right: &str) -> Markup {
    html! { footer class="ftr" { span { (desk.t("编排长", "Pairings officer")) span class="sig" {} (desk.t("裁判长", "Chief arbiter")) span class="sig" {} } span { (right) } } }
}

/// A sheet, upright.
pub(super) fn sheet(content: Markup) -> Markup {
    html! { section class="pg" { (content) } }
}

/// A sheet, on its side.
pub(super) fn lying(content: Markup) -> Markup {
    html! { section class="pg ls" { (content) } }
}

/// Rows in sheets of so many: the sheet's number from 1, of how many, and its rows. One empty sheet if there are none.
pub(super) fn paged<T>(rows: &[T], most: usize) -> Vec<(usize, usize, &[T])> {
    if rows.is_empty() {
        return vec![(1, 1, rows)];
    }
    let of = rows.len().div_ceil(most);
    rows.chunks(most).enumerate().map(|(at, rows)| (at + 1, of, rows)).collect()
}

/// `第1页 共2页`.
pub(super) fn page_of(desk: &AtDesk, at: usize, of: usize) -> String {
    match desk.reader.lang {
        Lang::Zh => format!("第{at}页 共{of}页"),
        Lang::En => format!("page {at} of {of}"),
    }
}

/// `GET /print`: all documents.
async fn menu(desk: AtDesk) -> Response {
    let view = &desk.view;
    let link = |href: String, name: &str| html! { a class="btn btn-s" href=(href) { (name) } " " };
    let per_round = |path: &str, rounds: Vec<u16>| {
        html! {
        @for round in rounds { a class="btn btn-s" href={ "/print/" (path) "/" (round) } { (desk.t("第", "Round ")) (round) (desk.t("轮", "")) } " " } }
    };
    let published: Vec<u16> = view.rounds.iter().map(|round| round.no.0).collect();
    let started: Vec<u16> =
        view.rounds.iter().filter(|round| round.started).map(|round| round.no.0).collect();
    let posted: Vec<u16> = view.postings.keys().map(|round| round.0).collect();
    let row = |name: &str, what: &str, links: Markup| html! { tr { td { b { (name) } } td class="why" { (links) } td class="sub why" { (what) } } };
    let body = html! { div class="scroll" { table class="gd" {
        thead { tr { th { (desk.t("文件", "Document")) } th { (desk.t("打印", "Print")) } th { (desk.t("说明", "What it is")) } } }
        tbody {
            (row(desk.t("秩序册", "Programme"), desk.t("名称、组委会、裁判、规程、参赛名单", "titles, committees, officials, regulation, who takes part"), link("/print/booklet".into(), desk.t("打印", "Print"))))
            (row(desk.t("抽签记录", "Record of the draw"), desk.t("编号、姓名、单位、种子", "numbers, names, units, seeds"), link("/print/draw".into(), desk.t("打印", "Print"))))
            (row(desk.t("对阵表", "Pairings"), desk.t("每页 30 台", "30 tables a page"), per_round("pairings", published.clone())))
            (row(desk.t("成绩条", "Result slips"), desk.t("每页 8 张，双方签字", "8 a page, signed by both"), per_round("slips", published.clone())))
            @if view.in_teams() {
                (row(desk.t("出场名单", "Line-ups"), desk.t("空白，每页 2 张", "blank, 2 a page"), per_round("lineups", published.clone())))
                (row(desk.t("团体对阵单", "Match sheets"), desk.t("每场一页", "a page a match"), per_round("match", started.clone())))
            }
            (row(desk.t("成绩表", "Results"), desk.t("每页 30 台", "30 tables a page"), per_round("results", started)))
            (row(desk.t("名次表", "Standings"), desk.t("每页 40 名，依据成文；更正后为新一版", "40 ranks a page, reasons in words; a correction is a new version"), per_round("standings", posted.clone())))
            @if view.in_teams() { (row(desk.t("个人成绩", "Individual results"), desk.t("临时定台合并，定人台另列", "free boards together, fixed boards apart"), per_round("boards", posted))) }
            @else { (row(desk.t("团体名次", "Team standings"), desk.t("队员分值总和", "the sum of the members' values"), per_round("teams", posted))) }
            (row(desk.t("积分表", "Score table"), desk.t("逐轮对手与得分", "opponent and score, round by round"), html! { (link("/print/scores".into(), desk.t("已填", "Filled in"))) (link("/print/scores/blank".into(), desk.t("空白", "Blank"))) }))
            (row(desk.t("成绩册", "Book of results"), desk.t("最终名次与循环交叉表，签字", "final ranks and cross table, signed"), link("/print/final".into(), desk.t("打印", "Print"))))
            (row(desk.t("领奖签收表", "Prize receipts"), desk.t("奖金、平分、签收", "prizes, shares, signatures"), link("/print/prizes".into(), desk.t("打印", "Print"))))
            (row(desk.t("证书", "Certificates"), desk.t("获奖者每人一张", "one for each winner"), link("/print/certificates".into(), desk.t("打印", "Print"))))
            (row(desk.t("台号", "Table numbers"), desk.t("每台一张，二维码通往该台对局；码里是打开本页所用的地址，请先用手机连得到的地址打开再印", "one a table; its code leads to the table's game under the address of this page: open it by one that phones can reach before printing"), link("/print/tables".into(), desk.t("打印", "Print"))))
            (row(desk.t("座牌", "Placards"), desk.t("对折，两面可读", "folded, read from both sides"), link("/print/placards".into(), desk.t("打印", "Print"))))
            (row(desk.t("胸牌", "Badges"), desk.t("每页 10 张", "10 a page"), link("/print/badges".into(), desk.t("打印", "Print"))))
            @if !view.simul.challengers.is_empty() { (row(desk.t("车轮战", "Exhibition"), desk.t("每位名手一页，成绩与奖金签收", "a page a master: results and prizes signed for"), link("/print/simul".into(), desk.t("打印", "Print")))) }
            (row(desk.t("收费表", "Fees"), desk.t("应缴、已缴、收据", "due, paid, receipts"), link("/print/fees".into(), desk.t("打印", "Print"))))
        }
    } } };
    let title = desk.t("打印", "Print").to_owned();
    Frame {
        tab: Tab::Print,
        title,
        head: html! {},
        body,
        foot: (html! {}, desk.t("A4，黑白激光打印机即可", "A4, any black-and-white printer")),
    }
    .answer(&desk)
}
