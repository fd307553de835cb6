//! What an arbiter can do at a table, two taps away: each a link that picks it; the bar at the foot confirms.

use arbitration::{Ending, GameResult, Misconduct, Offence};
use maud::{Markup, html};
use xiangqi::Side;

use super::choice::{self, side_field};
use super::{Fields, Seen, say};
use crate::auth::Official;
use crate::clock;
use crate::lang::Lang;
use crate::page::shell::Reader;
use crate::words;

/// One remedy as a link: what, and under it the basis or the effect.
fn rem(href: &str, what: &str, basis: &str, picked: bool) -> Markup {
    html! {
        a class={ "btn" @if picked { " pick" } } href=(href) {
            span { (what) @if !basis.is_empty() { small { (basis) } } }
        }
    }
}

/// All of them.
pub fn remedies(seen: &Seen, fields: &Fields, official: &Official, reader: &Reader) -> Markup {
    let no = seen.no;
    let here = |query: &str| format!("/arbiter/table/{no}?{query}");
    let now = fields.get("do").unwrap_or_default();
    let picked = |what: &str| now == what;
    let over = seen.game.status.is_over();
    let runs = seen.table.clocks.running.is_some();
    let sides = [Side::Red, Side::Black];
    let name = |side: Side| words::side(side, reader.lang);
    let open = |group: &[&str]| group.contains(&now);
    let last = seen.table.plies.len();
    let enter_button = rem(
        &here("do=enter"),
        reader.t("补录着法", "Enter a move"),
        reader.t("点棋盘起点、终点", "tap from and to"),
        picked("enter"),
    );
    let enter_form = html! {
        @if picked("enter") {
            form class="setclock" method="get" action={ "/arbiter/table/" (no) } {
                input type="hidden" name="do" value="enter";
                label { (reader.t("着法", "Move")) input name="mv" required autocomplete="off" placeholder=(reader.t("炮二平五 或 h2e2", "C2=5 or h2e2")); }
                button class="btn" { (reader.t("录入…", "Enter…")) }
            }
        }
    };
    html! {
        @if over {
            div class="rem" {
                (rem(&here("do=reopen"), reader.t("撤销结果，继续对局", "Take the result back"), reader.t("对局恢复进行", "the game goes on"), picked("reopen")))
                (enter_button)
            }
            (enter_form)
        } @else {
            p class="h3" { (reader.t("棋钟", "Clocks")) span { (reader.t("选一项，再确认", "choose, then confirm")) } }
            div class="rem three" {
                @if runs {
                    (rem(&here("do=pause"), reader.t("停钟", "Stop"), "", picked("pause")))
                } @else {
                    (rem(&here("do=resume"), reader.t("继续走钟", "Run on"), "", picked("resume")))
                }
                @for side in sides {
                    (rem(&here(&format!("do=add&side={}&ms=120000", side_field(side))),
                        &format!("{} +2{}", name(side), reader.t("分", " min")), "", picked("add") && fields.get("side") == Some(side_field(side))))
                }
            }
            details class="grp" open[open(&["set", "add", "run"])] {
                summary { (reader.t("调钟…", "Set the clocks…")) }
                div class="rem" {
                    @for side in sides {
                        @for (ms, minutes) in [(60_000, "+1"), (300_000, "+5"), (-60_000, "−1"), (-120_000, "−2")] {
                            (rem(&here(&format!("do=add&side={}&ms={ms}", side_field(side))),
                                &format!("{} {minutes}{}", name(side), reader.t("分", " min")), "", false))
                        }
                        (rem(&here(&format!("do=run&side={}", side_field(side))), &format!("{}{}", name(side), reader.t("走时", "'s time runs")), "", false))
                    }
                }
                form class="setclock" method="get" action={ "/arbiter/table/" (no) } {
                    input type="hidden" name="do" value="set";
                    label { (name(Side::Red)) input name="red" inputmode="numeric" required value=(clock::text(seen.table.clocks.red_ms)); }
                    label { (name(Side::Black)) input name="black" inputmode="numeric" required value=(clock::text(seen.table.clocks.black_ms)); }
                    label { (reader.t("走时", "Runs"))
                        select name="run" {
                            option value="" { (reader.t("停", "neither")) }
                            @for side in sides {
                                option value=(side_field(side)) selected[seen.table.clocks.running == Some(side)] { (name(side)) }
                            }
                        }
                    }
                    button class="btn" { (reader.t("设定…", "Set…")) }
                }
            }
            p class="h3" { (reader.t("盘面与记录", "Board and record")) }
            div class="rem" {
                (rem(&here("do=right"), reader.t("复原盘面", "Put right"), reader.t("按记录摆正，自动核对", "as recorded; the board tells"), picked("right")))
                @if last > 0 {
                    (rem(&here(&format!("do=back&ply={last}")), reader.t("回退一步", "Take one ply back"),
                        &seen.table.plies.last().map(|ply| ply.zh.clone()).unwrap_or_default(), picked("back")))
                }
                (enter_button)
                @if last <= 1 {
                    (rem(&here("do=swap"), reader.t("红黑对调", "Swap sides"), reader.t("座位有误", "wrong seats"), picked("swap")))
                }
            }
            (enter_form)
            @if last > 1 {
                details class="grp" open[false] {
                    summary { (reader.t("回退 n 步…", "Take back several…")) }
                    div class="rem" {
                        @for back in 2..=last.min(10) {
                            @let ply = last + 1 - back;
                            @let old = ply < usize::from(seen.table.correctable_from.0);
                            (rem(&here(&format!("do=back&ply={ply}")),
                                &match reader.lang { Lang::Zh => format!("回退 {back} 步"), Lang::En => format!("{back} plies back") },
                                if old { reader.t("逾五回合：裁判长", "older: the chief arbiter") } else { "" }, false))
                        }
                    }
                }
            }
            details class="grp" open[open(&["foul", "unfoul", "warn", "misconduct"])] {
                summary { (reader.t("判罚…", "Penalties…")) }
                @for side in sides {
                    p class="h3" { (name(side)) }
                    div class="rem" {
                        @for offence in [Offence::IllegalMove, Offence::PressWithoutMove, Offence::Disturbing, Offence::TouchMove, Offence::Other] {
                            (rem(&here(&format!("do=foul&side={}&offence={}", side_field(side), choice::name_of(offence))),
                                reader.t("记犯规", "Foul"), reader.t(offence.zh(), offence.en()), false))
                        }
                        @if seen.table.fouls[side as usize] > 0 {
                            (rem(&here(&format!("do=unfoul&side={}", side_field(side))), reader.t("撤销犯规", "Take a foul back"), "", false))
                        }
                        @for what in [Misconduct::Phone, Misconduct::Smoking, Misconduct::Advice, Misconduct::Disturbance] {
                            (rem(&here(&format!("do=misconduct&side={}&what={}", side_field(side), choice::name_of(what))),
                                reader.t("违纪", "Misconduct"), reader.t(what.zh(), what.en()), false))
                        }
                    }
                }
            }
            details class="grp" open[open(&["order", "unorder", "claim-limit", "decline"])] {
                summary { (reader.t("循环、限着、提和…", "Repetition, limit, draw offer…")) }
                div class="rem" {
                    @for side in sides {
                        (rem(&here(&format!("do=order&side={}", side_field(side))), &match reader.lang {
                            Lang::Zh => format!("责令{}变着", name(side)), Lang::En => format!("{} must vary", name(side)) },
                            reader.t("两回合内", "within two moves"), false))
                        (rem(&here(&format!("do=claim-limit&side={}", side_field(side))), &match reader.lang {
                            Lang::Zh => format!("{}提出自然限着", name(side)), Lang::En => format!("{} claims the limit", name(side)) },
                            reader.t("自上次吃子起计", "counted from the last capture"), false))
                    }
                    @if seen.table.order.is_some() { (rem(&here("do=unorder"), reader.t("解除变着令", "Lift the order"), "", false)) }
                    @if seen.table.limit.claimant.is_some() { (rem(&here("do=unclaim"), reader.t("撤回限着提出", "Withdraw the claim"), reader.t("重按规程计数", "counted by the regulation again"), false)) }
                    @if seen.table.draw_offered_by.is_some() { (rem(&here("do=decline"), reader.t("提和不成立", "Offer declined"), "", false)) }
                }
                form class="setclock" method="get" action={ "/arbiter/table/" (no) } {
                    input type="hidden" name="do" value="claim-limit";
                    label { (reader.t("自然限着自第几着起重计", "Count the limit anew from ply")) input name="ply" inputmode="numeric" required value=(last + 1); }
                    label { (reader.t("提出方", "For"))
                        select name="side" { @for side in sides { option value=(side_field(side)) selected[last % 2 == side as usize] { (name(side)) } } }
                    }
                    button class="btn" { (reader.t("重计…", "Recount…")) }
                }
            }
        }
        details class="grp" open[open(&["result"])] {
            summary { (reader.t("结果…", "Result…")) }
            div class="rem" {
                @for (result, ending) in RESULTS {
                    @let outcome = say::outcome(arbitration::Outcome { result, ending });
                    (rem(&here(&format!("do=result&result={}&ending={}", choice::name_of(result), choice::name_of(ending))),
                        outcome.get(reader.lang), "", false))
                }
            }
        }
        @if official.may(&hall::Act::Pause(Vec::new())) {
            p class="mut" { a href="/arbiter/tables#all" { (reader.t("全场停钟、全场继续在「各台」页", "All tables: on the page of tables")) } }
        }
    }
}

/// The results that are given by hand, in the order in which they are needed.
const RESULTS: [(GameResult, Ending); 17] = [
    (GameResult::RedWins, Ending::Ruling),
    (GameResult::BlackWins, Ending::Ruling),
    (GameResult::Draw, Ending::Agreement),
    (GameResult::Draw, Ending::Ruling),
    (GameResult::RedWins, Ending::Resignation),
    (GameResult::BlackWins, Ending::Resignation),
    (GameResult::RedWins, Ending::Flag),
    (GameResult::BlackWins, Ending::Flag),
    (GameResult::Draw, Ending::BothFlags),
    (GameResult::RedWins, Ending::Foul),
    (GameResult::BlackWins, Ending::Foul),
    (GameResult::RedWins, Ending::Repetition),
    (GameResult::BlackWins, Ending::Repetition),
    (GameResult::Draw, Ending::Repetition),
    (GameResult::RedWins, Ending::Forfeit),
    (GameResult::BlackWins, Ending::Forfeit),
    (GameResult::BothLose, Ending::Forfeit),
];
