//! 对阵: the draft with the reason of every pair and live warnings; changes by hand; publish, take back, start.

use axum::response::Response;
use hall::desk::{DeskAct, DeskView};
use hall::{Act, Pair};
use maud::{Markup, html};
use tournament::{EntrantNo, GroupNo, RoundNo, TableNo, Warning};
use xiangqi::Side;

use super::{AtDesk, Frame, Sent, Tab, day_time, hidden, parted};

/// `GET /desk/pairing`: the draft, else the round asked for (`?round=`), else the last one.
pub(super) async fn page(desk: AtDesk) -> Response {
    let view = &desk.view;
    let asked: Option<RoundNo> = desk.reader.asked::<u16>("round").map(RoundNo);
    let draft = view.draft.as_ref().filter(|(no, _)| asked.is_none_or(|asked| asked == *no));
    let last = view.rounds.last();
    let (no, pairs): (RoundNo, &[Pair]) = match (draft, asked.and_then(|no| view.round(no)), last) {
        (Some((no, pairs)), _, _) => (*no, pairs),
        (None, Some(round), _) | (None, None, Some(round)) => (round.no, &round.pairs),
        (None, None, None) => (RoundNo(0), &[]),
    };
    let round = view.round(no).filter(|_| draft.is_none());
    let open = draft.is_some() || round.is_some_and(|round| !round.started);
    let warnings: &[Warning] = if open { &view.warnings } else { &[] };
    let body = html! {
        div class="cols" {
            div class="scroll" {
                @if pairs.is_empty() { p class="none" { (nothing(&desk)) } }
                @else { (table(&desk, no, pairs, warnings, draft.is_some())) }
            }
            aside class="pnl" { (gate(&desk, no, pairs, warnings, draft.is_some())) (hands(&desk, draft.is_some())) (field_form(&desk)) }
        }
    };
    let rounds = view.rounds_in_all();
    let state = match (draft.is_some(), round) {
        (true, _) => desk.t("草稿 · 未公布", "draft"),
        (false, Some(round)) if round.over => desk.t("已结束", "over"),
        (false, Some(round)) if round.started => desk.t("进行中", "running"),
        (false, Some(_)) => desk.t("已公布 · 未开赛", "published"),
        (false, None) => "",
    };
    let head = html! {
        @if !state.is_empty() { span class={ "bd" @if draft.is_some() { " bd-off" } } { (state) } }
        span class="seg small" { @for round in &view.rounds {
            a href={ "/desk/pairing?round=" (round.no) } aria-current=[(draft.is_none() && round.no == no).then_some("true")] { (round.no) }
        } }
        span class="sp" {}
        (buttons(&desk, no, draft.is_some()))
    };
    let title = if no.0 == 0 {
        desk.t("对阵", "Pairings").to_owned()
    } else {
        desk.words(format!("第{no}轮对阵"), format!("Round {no} pairings"))
    };
    let start = view
        .settings
        .start_of(no)
        .map(|at| format!("{}{}", desk.t("开赛 ", "starts "), day_time(&desk, at)))
        .unwrap_or_default();
    let foot = html! { (desk.t("共 ", "of ")) (rounds) (desk.t(" 轮　", " rounds　")) (start) };
    let words = desk.t(
        "公布须消除「违例」或写明理由；已公布对阵不因改判重排",
        "a warning that forbids is removed or explained before publishing",
    );
    Frame { tab: Tab::Pairing, title, head, body, foot: (foot, words) }.answer(&desk)
}

fn nothing(desk: &AtDesk) -> &'static str {
    if desk.view.event.is_none() {
        desk.t("先抽签，再编排第1轮。", "Draw the numbers first.")
    } else {
        desk.t(
            "还没有对阵。按「电脑编排」排出草稿，看过再公布。",
            "No pairings yet: let the computer make a draft.",
        )
    }
}

fn button(desk: &AtDesk, what: &str, name: &str, class: &str) -> Markup {
    html! { form method="post" action="/desk/pairing" { (desk.seal()) button class={ "btn btn-s " (class) } name="do" value=(what) { (name) } } }
}

fn buttons(desk: &AtDesk, no: RoundNo, draft: bool) -> Markup {
    let view = &desk.view;
    let last = view.rounds.last();
    let waits = last.filter(|round| !round.started && round.no == no && !draft);
    html! {
        @if view.can_pair() && !draft { (button(desk, "draft", desk.t("电脑编排下一轮", "Pair the next round"), "btn-1")) }
        @if draft {
            (button(desk, "draft", desk.t("恢复电脑编排", "Computer's pairing again"), ""))
            (button(desk, "discard", desk.t("放弃草稿", "Discard"), ""))
        }
        @if let Some(round) = waits {
            @let bare = round.boards.iter().filter(|board| !view.equipped.contains(&board.table)).count();
            @if bare > 0 && !view.equipped.is_empty() { span class="wrn" { (bare) (desk.t(" 台没有电子棋盘，人工记成绩", " tables without boards")) } }
            (button(desk, "start", desk.t("开赛", "Start"), "btn-1"))
        }
        @if no.0 > 0 { a class="btn btn-s" href={ "/print/pairings/" (no) } { (desk.t("打印", "Print")) } }
    }
}

fn colours(desk: &AtDesk, no: EntrantNo, before: RoundNo) -> String {
    let Some(event) = &desk.view.event else { return String::new() };
    let rounds = before.0.saturating_sub(3).max(1)..before.0;
    let mark = |round: u16| match event.result_of(RoundNo(round), no) {
        Some(result) if result.kind == tournament::ResultKind::Played => {
            if result.red == no {
                desk.t("红", "R")
            } else {
                desk.t("黑", "B")
            }
        }
        Some(_) | None => "·",
    };
    rounds.map(mark).collect()
}

fn points(view: &DeskView, no: EntrantNo, before: RoundNo) -> u32 {
    let Some(event) = &view.event else { return 0 };
    let of = |round: u16| {
        let result = event.result_of(RoundNo(round), no)?;
        Some(if result.red == no { result.score.red.0 } else { result.score.black.0 })
    };
    (1..before.0).filter_map(of).sum()
}

fn table(desk: &AtDesk, no: RoundNo, pairs: &[Pair], warnings: &[Warning], draft: bool) -> Markup {
    let view = &desk.view;
    let side = |who: EntrantNo, side: Side| {
        let (name, unit) = view.entrant(who);
        let points = points(view, who, no);
        let colours = colours(desk, who, no);
        match side {
            Side::Red => {
                html! { td class="num mut" { (who) } td { b { (name) } } td { (unit) } td class="num" { (points) } td class="mut" { (colours) } }
            }
            Side::Black => {
                html! { td class="mut" { (colours) } td class="num" { (points) } td class="num mut" { (who) } td { b { (name) } } td { (unit) } }
            }
        }
    };
    let warned = |pair: &Pair| -> Vec<&Warning> {
        let ours = |warning: &&Warning| {
            warning.entrants().iter().any(|no| *no == pair.red || Some(*no) == pair.black)
        };
        warnings.iter().filter(ours).collect()
    };
    let (red, black) = if view.in_teams() {
        (desk.t("主队", "Home"), desk.t("客队", "Away"))
    } else {
        (desk.t("红方", "Red"), desk.t("黑方", "Black"))
    };
    html! {
        table class="gd" {
            thead { tr { th class="num" { (if view.in_teams() { desk.t("场", "Match") } else { desk.t("台", "Table") }) } th class="num" { (desk.t("号", "No")) } th { (red) } th { (desk.t("单位", "Unit")) } th class="num" { (desk.t("分", "Points")) } th { (desk.t("近3轮", "Last 3")) } th {} th { (desk.t("近3轮", "Last 3")) } th class="num" { (desk.t("分", "Points")) } th class="num" { (desk.t("号", "No")) } th { (black) } th { (desk.t("单位", "Unit")) } th { (desk.t("依据与提示", "Why, and warnings")) } } }
            @for (group, name, pairs) in parted(view, pairs, |pair| pair.red) { tbody { @if !name.is_empty() { (heading(desk, group, name, pairs.len(), draft)) } @for pair in pairs {
                @let warned = warned(pair);
                tr class={ @if warned.iter().any(|it| it.needs_confirmation() || it.forbids_publishing()) { "bad" } } {
                    td class="num" { @if pair.black.is_some() { b { (pair.table) } } @else { "—" } }
                    (side(pair.red, Side::Red))
                    @match pair.black {
                        Some(black) => {
                            td class="mut mid" {
                                @if draft { form method="post" action="/desk/pairing" { (desk.seal()) (hidden("do", "turn")) (hidden("table", pair.table.0))
                                    button class="turn" title=(desk.t("换先后", "Change colours")) { "⇄" } } } @else { "—" }
                            }
                            (side(black, Side::Black))
                        }
                        None => td colspan="6" { (desk.t("轮空", "bye")) },
                    }
                    td class="why" {
                        @for warning in &warned { span class=(if warning.needs_confirmation() { "stt no" } else { "wrn" }) { @let words = warning.words(); (desk.t(words.zh.as_str(), words.en.as_str())) } " " }
                        span class="rsn" { (desk.t(pair.why.zh.as_str(), pair.why.en.as_str())) }
                    }
                }
            } } }
        }
    }
}

/// A group's line above its pairs: in a draft it can be paired anew by itself.
fn heading(desk: &AtDesk, group: GroupNo, name: &str, pairs: usize, draft: bool) -> Markup {
    html! { tr class="grp" { th colspan="12" { (name) " " span class="sub" { (pairs) } }
    th { @if draft { form method="post" action="/desk/pairing" { (desk.seal()) (hidden("group", group.0))
        button class="btn btn-s" name="do" value="draft-group" { (desk.t("本组恢复电脑编排", "Pair this group anew")) } } } } } }
}

fn both(desk: &AtDesk, warning: &Warning) -> String {
    let words = warning.words();
    desk.words(words.zh, words.en)
}

/// 公布前核对.
fn gate(desk: &AtDesk, no: RoundNo, pairs: &[Pair], warnings: &[Warning], draft: bool) -> Markup {
    let view = &desk.view;
    let bye = pairs.iter().filter(|pair| pair.black.is_none()).count();
    let people = pairs.len() * 2 - bye;
    let games = (pairs.len() - bye) * view.settings.team_rules().map_or(1, |rules| usize::from(rules.boards));
    let hard: Vec<&Warning> =
        warnings.iter().filter(|it| it.needs_confirmation() || it.forbids_publishing()).collect();
    let soft: Vec<&Warning> =
        warnings.iter().filter(|it| !it.needs_confirmation() && !it.forbids_publishing()).collect();
    let item = |class: &str, word: &str, text: String| html! { li { span class={ "stt " (class) } { (word) } span { (text) } span {} } };
    html! {
        @if !pairs.is_empty() && (draft || view.round(no).is_some_and(|round| !round.started)) {
            h2 { (desk.t("公布前核对", "Before publishing")) }
            ul class="chk" {
                (item("ok", desk.t("通过", "Fine"), desk.words(format!("编入{people}，轮空{bye}"), format!("{people} paired, {bye} byes"))))
                @if let Some(boards) = view.settings.boards { @if games > usize::from(boards) {
                    (item("pd", desk.t("提示", "Note"), desk.words(format!("{games}台，棋具只有{boards}副"), format!("{games} tables, but only {boards} boards")))) } }
                @for warning in &hard { (item("no", desk.t("违例", "Forbids"), both(desk, warning))) }
                @for warning in &soft { (item("pd", desk.t("提示", "Note"), both(desk, warning))) }
            }
        }
        @if draft {
            form method="post" action="/desk/pairing" class="sheetform" { (desk.seal()) (hidden("do", "publish"))
                @if !hard.is_empty() { label { (desk.t("违例仍公布的理由", "Reason to publish all the same")) input name="why" required maxlength="100"; } }
                button class="btn btn-1" { (desk.t("公布对阵", "Publish")) }
            }
        } @else if view.round(no).is_some_and(|round| !round.started) {
            @if warnings.iter().any(|warning| matches!(warning, Warning::OffTable(..))) {
                form method="post" action="/desk/pairing" class="sheetform" { (desk.seal()) (hidden("do", "repair"))
                    p class="wrn" { (desk.t("已公布的对阵与循环表、签表不再相符（以前的成绩改过，或有人退赛）。", "The published pairings do not agree with the table or the bracket any more: an earlier result was corrected, or somebody withdrew.")) }
                    label { (desk.t("理由", "Reason")) input name="why" required maxlength="100"; } button class="btn btn-1" { (desk.t("收回并重新编排", "Take back and pair anew")) } }
            }
            details { summary class="btn btn-s" { (desk.t("收回对阵…", "Take back…")) }
                form method="post" action="/desk/pairing" class="row" { (desk.seal()) (hidden("do", "unpublish"))
                    label { (desk.t("理由", "Reason")) input name="why" required maxlength="100"; } button class="btn btn-s" { (desk.t("收回为草稿", "Back to a draft")) } } }
        }
    }
}

/// Changes by hand.
fn hands(desk: &AtDesk, draft: bool) -> Markup {
    let running = desk.view.rounds.last().is_some_and(|round| !round.over) && !draft && !desk.view.in_teams();
    html! {
        @if draft {
            h3 { (desk.t("对调两人（号）", "Exchange two (numbers)")) }
            form method="post" action="/desk/pairing" class="row" { (desk.seal()) (hidden("do", "swap"))
                input name="a" size="3" required inputmode="numeric" aria-label=(desk.t("号", "number")); "⇄" input name="b" size="3" required inputmode="numeric" aria-label=(desk.t("号", "number"));
                input name="why" size="10" placeholder=(desk.t("理由", "reason")) maxlength="100" aria-label=(desk.t("理由", "Reason")); button class="btn btn-s" { (desk.t("对调", "Exchange")) } }
        }
        @if running {
            h3 { (desk.t("本轮加台（两人都未编入，或轮空者与补报者）", "Another table in this round")) }
            form method="post" action="/desk/pairing" class="row" { (desk.seal()) (hidden("do", "add"))
                label { (desk.t("红", "Red")) input name="a" size="3" required inputmode="numeric"; } label { (desk.t("黑", "Black")) input name="b" size="3" required inputmode="numeric"; } button class="btn btn-s" { (desk.t("加台", "Add a table")) } }
        }
        @let log: Vec<_> = desk.view.history.iter().rev().filter(|line| line.did.zh.contains("对阵")).take(6).collect();
        @if !log.is_empty() { h3 { (desk.t("改动记录", "Changes")) }
            @for line in log { p class="sub" { (super::clock_time(&desk.view, line.at)) " " (line.by) " " (desk.t(line.did.zh.as_str(), line.did.en.as_str())) } } }
    }
}

/// 连续两轮弃权: only said; the arbiter asks, and withdraws whoever has gone.
fn forfeited_twice(desk: &AtDesk) -> Markup {
    html! { @for no in desk.view.forfeited_twice() {
        p class="wrn" { (no) " " (desk.view.entrant(no).0) (desk.t(" 连续两轮弃权：问明是否退赛", " forfeited two rounds in a row: has it withdrawn?")) }
    } }
}

/// 退赛, 请假.
fn field_form(desk: &AtDesk) -> Markup {
    let view = &desk.view;
    let Some(event) = &view.event else { return html! {} };
    let next = view.rounds.last().map_or(1, |round| if round.started { round.no.0 + 1 } else { round.no.0 });
    let gone = event.data().entrants.iter().filter(|entrant| entrant.withdrawn_from.is_some());
    html! {
        (forfeited_twice(desk))
        h3 { (desk.t("退赛、请假", "Withdrawals and absences")) }
        form method="post" action="/desk/field" class="row" { (desk.seal())
            label { (desk.t("号", "No")) input name="no" size="3" required inputmode="numeric"; } label { (desk.t("第", "round")) input name="round" size="2" value=(next) inputmode="numeric"; (desk.t("轮", "")) }
            input name="why" size="10" placeholder=(desk.t("理由", "reason")) maxlength="100" aria-label=(desk.t("理由", "Reason"));
            button class="btn btn-s" name="do" value="absent" { (desk.t("请假一轮", "Absent")) } button class="btn btn-s" name="do" value="present" { (desk.t("销假", "Present after all")) } button class="btn btn-s" name="do" value="withdraw" { (desk.t("退赛", "Withdraw")) }
        }
        @for entrant in gone {
            form method="post" action="/desk/field" class="row" { (desk.seal()) (hidden("no", entrant.no.0))
                span class="sub" { (entrant.no) " " (entrant.name) (desk.t(" 退赛，自第", " withdrawn from round ")) (entrant.withdrawn_from.map_or(0, |from| from.0)) (desk.t("轮", "")) } button class="btn btn-s" name="do" value="readmit" { (desk.t("恢复", "Back in")) } }
        }
    }
}

/// `POST /desk/pairing`.
pub(super) async fn change(sent: Sent) -> Response {
    let Sent { desk, fields } = sent;
    let back = "/desk/pairing";
    let why = fields.text("why").to_owned();
    let number = |name: &str| EntrantNo(fields.get(name).unwrap_or(0));
    let act = match fields.text("do") {
        "draft" => DeskAct::Draft,
        "draft-group" => DeskAct::DraftGroup(GroupNo(fields.get("group").unwrap_or(0))),
        "discard" => DeskAct::Discard,
        "publish" => DeskAct::Publish { why },
        "unpublish" => DeskAct::Unpublish { why },
        "repair" => return desk.all([DeskAct::Unpublish { why }.into(), DeskAct::Draft.into()], back).await,
        "swap" => DeskAct::Swap { a: number("a"), b: number("b"), why },
        "turn" => DeskAct::TurnDraft { table: TableNo(fields.get("table").unwrap_or(0)), why },
        "add" => DeskAct::AddTable { red: number("a"), black: number("b") },
        "start" => return desk.act(Act::Start, "/desk/results").await,
        other => return desk.refuse(&desk.unknown(other), back),
    };
    desk.act(act, back).await
}

/// `POST /desk/field`.
pub(super) async fn field(sent: Sent) -> Response {
    let Sent { desk, fields } = sent;
    let no = EntrantNo(fields.get("no").unwrap_or(0));
    let round = RoundNo(fields.get("round").unwrap_or(0));
    let why = fields.text("why").to_owned();
    let act = match fields.text("do") {
        "absent" => DeskAct::Absent { no, round, absent: true },
        "present" => DeskAct::Absent { no, round, absent: false },
        "withdraw" => DeskAct::Withdraw { no, from: round, why },
        "readmit" => DeskAct::Readmit(no),
        other => return desk.refuse(&desk.unknown(other), "/desk/pairing"),
    };
    desk.act(act, "/desk/pairing").await
}
