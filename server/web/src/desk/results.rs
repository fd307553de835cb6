//! 成绩: from slips, by one key a table; one at a time with fouls and reason; corrections of any round.

use arbitration::{Ending, GameResult, Outcome};
use axum::response::Response;
use hall::desk::{BoardRow, DeskAct, DeskRound, EnteredAt};
use maud::{Markup, html};
use tournament::{RoundNo, TableNo};

use crate::lang::Lang;

use super::{AtDesk, Frame, Sent, Tab, Todo, clock_time, hidden, parted};

/// The keys, as the foot line lists them.
pub(super) const KEYS: [(char, &str, &str, Outcome); 6] = [
    ('1', "红胜", "Red won", of(GameResult::RedWins, Ending::Ruling)),
    ('2', "和棋", "drawn", of(GameResult::Draw, Ending::Agreement)),
    ('3', "黑胜", "Black won", of(GameResult::BlackWins, Ending::Ruling)),
    ('4', "红弃权", "Red forfeits", of(GameResult::BlackWins, Ending::Forfeit)),
    ('5', "黑弃权", "Black forfeits", of(GameResult::RedWins, Ending::Forfeit)),
    ('6', "双弃权", "both forfeit", of(GameResult::BothLose, Ending::Forfeit)),
];

const fn of(result: GameResult, ending: Ending) -> Outcome {
    Outcome { result, ending }
}

/// Endings that a slip can name.
pub(super) const ENDINGS: [Ending; 11] = [
    Ending::Ruling,
    Ending::Checkmate,
    Ending::Stalemate,
    Ending::Resignation,
    Ending::Agreement,
    Ending::Flag,
    Ending::BothFlags,
    Ending::Foul,
    Ending::Repetition,
    Ending::NaturalLimit,
    Ending::Forfeit,
];

const RESULTS: [GameResult; 4] =
    [GameResult::RedWins, GameResult::Draw, GameResult::BlackWins, GameResult::BothLose];

/// What stands between the names.
pub(crate) fn score(lang: Lang, outcome: Outcome) -> String {
    let score = match outcome.result {
        GameResult::RedWins => "2–0",
        GameResult::Draw => "1–1",
        GameResult::BlackWins => "0–2",
        GameResult::BothLose => "0–0",
    };
    if outcome.ending == Ending::Forfeit {
        format!("{score} {}", lang.pick("弃", "F"))
    } else {
        score.to_owned()
    }
}

/// `GET /desk/results`: of the last round, or `?round=`; `?table=` opens one.
pub(super) async fn page(desk: AtDesk) -> Response {
    let view = &desk.view;
    let asked: Option<RoundNo> = desk.reader.asked::<u16>("round").map(RoundNo);
    let round =
        asked.and_then(|no| view.round(no)).or_else(|| view.rounds.iter().rev().find(|round| round.started));
    let Some(round) = round else {
        let body = html! { p class="none" { (desk.t("还没有开赛的轮次。", "No round has started yet.")) } };
        let title = desk.t("成绩", "Results").to_owned();
        return Frame { tab: Tab::Results, title, head: html! {}, body, foot: (html! {}, "") }.answer(&desk);
    };
    let chosen = desk.reader.asked::<u16>("table").map(TableNo);
    let open_only = desk.reader.has("open");
    let done = round.boards.iter().filter(|board| board.outcome.is_some()).count();
    let rows = round.boards.iter().filter(|board| !open_only || board.outcome.is_none());
    let here = |extra: &str| format!("/desk/results?round={}{extra}", round.no);
    let body = html! {
        div class="cols" {
            div class="scroll" {
                form method="post" action="/desk/results" id="many" { (desk.seal()) (hidden("round", round.no.0))
                    table class="gd keys" {
                        thead { tr { @if view.in_teams() { th { (desk.t("场·台", "Match·board")) } } th class="num" { (desk.t("台", "Table")) } th { (desk.t("红方", "Red")) } th { (desk.t("单位", "Unit")) } th class="mid" { (desk.t("结果", "Result")) } th { (desk.t("黑方", "Black")) } th { (desk.t("单位", "Unit")) } th { (desk.t("状态", "State")) } th class="num" { (desk.t("犯规 红:黑", "Fouls R:B")) } th {} } }
                        @for (_, name, rows) in parted(view, rows, |board| board.red) { tbody {
                            @if !name.is_empty() { tr class="grp" { th colspan="9" { (name) } } }
                            @for board in rows { (row(&desk, round, board, chosen)) } } }
                    }
                }
            }
            aside class="pnl" {
                @match chosen.and_then(|table| round.boards.iter().find(|board| board.table == table)) {
                    Some(board) => (one_form(&desk, round, board)),
                    None => {
                        h2 { (desk.t("录入", "Entry")) }
                        p { (desk.t("光标在结果格里按一个数字键，自动跳到下一个空格；全部填好后按「保存所填」。", "Type one digit a table; the cursor moves on by itself. Then save.")) }
                        p { (desk.t("点台号可写犯规、结束方式和理由，也在那里改判。", "Open a table to enter fouls, ending and reason, and to correct.")) }
                        button class="btn btn-1" form="many" { (desk.t("保存所填", "Save")) }
                        (in_doubt(&desk, round))
                        @if round.over { p class="stt ok" { (desk.t("本轮已结束", "The round is over")) } p { a class="btn" href="/desk/pairing" { (desk.t("编排下一轮", "Pair the next round")) } } }
                    }
                }
            }
        }
    };
    let head = html! {
        span class="bd" { (desk.t("已定 ", "done ")) (done) " / " (round.boards.len()) }
        div class="seg small" {
            a href=(here("")) aria-current=[(!open_only).then_some("true")] { (desk.t("全部", "All")) }
            a href=(here("&open")) aria-current=[open_only.then_some("true")] { (desk.t("未录", "Open")) " " (round.boards.len() - done) }
        }
        span class="seg small" { @for one in view.rounds.iter().filter(|round| round.started) {
            a href={ "/desk/results?round=" (one.no) } aria-current=[(one.no == round.no).then_some("true")] { (one.no) } } }
        span class="sp" {}
        form method="get" action="/desk/results" class="row" { (hidden("round", round.no.0))
            input name="table" size="8" placeholder=(desk.t("台号 回车", "table, Enter")) inputmode="numeric" aria-label=(desk.t("台号", "Table")) accesskey="t"; }
        a class="btn btn-s" href={ "/print/results/" (round.no) } { (desk.t("打印", "Print")) }
        a class="btn btn-s" href={ "/print/slips/" (round.no) } { (desk.t("成绩条", "Slips")) }
    };
    let keys = html! { @for (key, zh, en, _) in KEYS { kbd { (key) } " " (desk.t(zh, en)) "　" } kbd { (desk.t("回车", "Enter")) } (desk.t(" 保存", " saves")) };
    let title = desk.words(format!("第{}轮成绩", round.no), format!("Round {} results", round.no));
    let words =
        desk.t("改已定成绩须写理由，不重排已公布对阵", "a correction needs a reason and re-pairs nothing");
    Frame { tab: Tab::Results, title, head, body, foot: (keys, words) }.answer(&desk)
}

fn row(desk: &AtDesk, round: &DeskRound, board: &BoardRow, chosen: Option<TableNo>) -> Markup {
    let view = &desk.view;
    let [(red, red_unit), (black, black_unit)] = [view.seat(board.red), view.seat(board.black)];
    let link = format!("/desk/results?round={}&table={}", round.no, board.table);
    html! {
        tr class={ @if chosen == Some(board.table) { "sel" } } {
            @if let Some((of, at)) = board.of { td { (of) "·" (at.0) } } @else if view.in_teams() { td {} }
            td class="num" { a href=(link) { b { (board.table) } } }
            td { (red) " " span class="mut" { (board.red) } } td { (red_unit) }
            td class="mid" { @match board.outcome {
                Some(outcome) => b { (score(desk.reader.lang, outcome)) },
                None => input class="key" name={ "t" (board.table) } maxlength="1" inputmode="numeric" autocomplete="off" aria-label={ (board.table) (desk.t("台结果", ": result")) };
            } }
            td { (black) " " span class="mut" { (board.black) } } td { (black_unit) }
            td { @match board.outcome {
                Some(outcome) => {
                    span class="stt ok" { (desk.t(outcome.ending.zh(), outcome.ending.en())) }
                    @if board.is_disputed() { " " a class="stt" href=(link) { (desk.t("来源不一", "sources differ")) } }
                    @if board.doubtful { " " a class="stt" href={ "/arbiter/table/" (board.table) } { (desk.t("记录存疑", "record in doubt")) } }
                },
                None if board.plies > 0 => { (desk.t("进行 第", "playing, round ")) (board.plies.div_ceil(2)) (desk.t("回合", "")) },
                None => (desk.t("未录", "open")),
            } }
            td class="num" { (board.fouls[0]) " : " (board.fouls[1]) }
            td { a href=(link) { (if board.outcome.is_some() { desk.t("改", "change") } else { desk.t("详", "more") }) } }
        }
    }
}

/// The games that have ended and of which an arbiter has still to say what was played. They hold nothing up.
fn in_doubt(desk: &AtDesk, round: &DeskRound) -> Markup {
    let doubtful = round.boards.iter().filter(|board| board.doubtful && board.outcome.is_some());
    let tables: Vec<TableNo> = doubtful.map(|board| board.table).collect();
    html! { @if !tables.is_empty() { p class="stt" {
        (desk.t("记录存疑，待裁判核定着法（不影响成绩与编排）：", "Records in doubt, for an arbiter to settle (results and pairings do not wait): "))
        @for table in &tables { " " a href={ "/arbiter/table/" (table) } { (table) (desk.t("台", "")) } }
    } } }
}

fn one_form(desk: &AtDesk, round: &DeskRound, board: &BoardRow) -> Markup {
    let view = &desk.view;
    let old = board.outcome;
    html! {
        h2 { (board.table) (desk.t("台 ", " ")) (view.seat(board.red).0) " — " (view.seat(board.black).0) }
        @if let Some(old) = old { p { (desk.t("现为 ", "now ")) b { (desk.t(old.result.zh(), old.result.en())) "·" (desk.t(old.ending.zh(), old.ending.en())) } (desk.t("，改动须写理由并留档。", "; a change needs a reason and is kept.")) } }
        (sources(desk, board))
        form method="post" action="/desk/results/one" class="sheetform" {
            (desk.seal()) (hidden("round", round.no.0)) (hidden("table", board.table.0))
            fieldset { legend { (desk.t("结果", "Result")) } @for result in RESULTS {
                label class="tick" { input type="radio" name="result" value=(code(&result)) required checked[old.is_some_and(|old| old.result == result)]; " " (desk.t(result.zh(), result.en())) } } }
            label { (desk.t("结束方式", "Ending")) select name="ending" { @for ending in ENDINGS {
                option value=(code(&ending)) selected[old.is_some_and(|old| old.ending == ending)] { (desk.t(ending.zh(), ending.en())) } } } }
            div class="row" { label { (desk.t("红方犯规", "Red's fouls")) input name="red" size="2" value=(board.fouls[0]) inputmode="numeric"; } label { (desk.t("黑方犯规", "Black's fouls")) input name="black" size="2" value=(board.fouls[1]) inputmode="numeric"; } }
            label { (desk.t("理由", "Reason")) input name="why" maxlength="100" required[old.is_some()]; }
            button class="btn btn-1" { (if old.is_some() { desk.t("改判", "Correct") } else { desk.t("录入", "Enter") }) }
        }
        @if !view.in_teams() { details { summary class="btn btn-s" { (desk.t("先后手坐反…", "Colours reversed…")) }
            form method="post" action="/desk/results/one" class="row" { (desk.seal()) (hidden("round", round.no.0)) (hidden("table", board.table.0)) (hidden("turned", "1"))
                label { (desk.t("理由", "Reason")) input name="why" required maxlength="100"; } button class="btn btn-s" { (desk.t("按实际先后记", "Record as they sat")) } } } }
    }
}

/// Who said what of a result, side by side.
fn sources(desk: &AtDesk, board: &BoardRow) -> Markup {
    html! { @if !board.told.is_empty() { table class="gd told" {
        thead { tr { th { (desk.t("来源", "Source")) } th { (desk.t("结果", "Result")) } th { (desk.t("何人", "Who")) } th { (desk.t("何时", "When")) } th {} } }
        tbody { @for told in &board.told { tr class=[told.counts.then_some("sel")] {
            td { (desk.t(told.source.zh(), told.source.en())) }
            td { (desk.t(told.result.zh(), told.result.en())) @if let Some(ending) = told.ending { "·" (desk.t(ending.zh(), ending.en())) } }
            td { (told.by) } td { (clock_time(&desk.view, told.at)) }
            td { @if told.counts { span class="stt ok" { (desk.t("为准", "counts")) } } }
        } } }
    } } }
}

pub(super) fn code<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default().trim_matches('"').to_owned()
}

/// `POST /desk/results`: all tables that were filled in.
pub(super) async fn enter(sent: Sent) -> Response {
    let Sent { desk, fields } = sent;
    let round = RoundNo(fields.get("round").unwrap_or(0));
    let back = format!("/desk/results?round={round}");
    let mut acts = Vec::new();
    for (name, typed) in fields.iter().filter(|(_, typed)| !typed.is_empty()) {
        let Some(table) = name.strip_prefix('t').and_then(|no| no.parse().ok()) else { continue };
        let key =
            KEYS.iter().find(|(key, zh, en, _)| typed.chars().eq([*key]) || typed == *zh || typed == *en);
        let Some((.., outcome)) = key else {
            return desk.refuse(
                &desk.words(format!("{table}台“{typed}”：只能填 1 红胜 2 和 3 黑胜 4 红弃权 5 黑弃权 6 双弃权"), format!("table {table}, “{typed}”: 1 Red won, 2 drawn, 3 Black won, 4 Red forfeits, 5 Black forfeits, 6 both forfeit")),
                &back,
            );
        };
        let act = DeskAct::Result {
            round,
            table: TableNo(table),
            outcome: *outcome,
            fouls: None,
            why: String::new(),
            at: EnteredAt::Desk,
        };
        acts.push(Todo::from(act));
    }
    desk.all(acts, &back).await
}

/// `POST /desk/results/one`: one table with everything.
pub(super) async fn one(sent: Sent) -> Response {
    let Sent { desk, fields } = sent;
    let round = RoundNo(fields.get("round").unwrap_or(0));
    let table = TableNo(fields.get("table").unwrap_or(0));
    let back = format!("/desk/results?round={round}&table={table}");
    let why = fields.text("why").to_owned();
    if fields.has("turned") {
        return desk.act(DeskAct::Turned { round, table, why }, &back).await;
    }
    let read = |name: &str| serde_json::Value::from(fields.text(name));
    let result = serde_json::from_value::<GameResult>(read("result"));
    let ending = serde_json::from_value::<Ending>(read("ending"));
    let (Ok(result), Ok(ending)) = (result, ending) else {
        return desk.refuse(desk.t("结果未选", "no result was chosen"), &back);
    };
    let fouls = fields.get("red").zip(fields.get("black")).map(|(red, black)| [red, black]);
    let act = DeskAct::Result {
        round,
        table,
        outcome: Outcome { result, ending },
        fouls,
        why,
        at: EnteredAt::Desk,
    };
    desk.act(act, &back).await
}
