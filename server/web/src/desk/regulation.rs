//! 用时与棋局规程: the regulation as a form, one input for each field that it has, or as TOML.

use arbitration::Regulation;
use arbitration::form::{FIELDS, Field, Kind};
use axum::response::Response;
use hall::desk::DeskAct;
use maud::{Markup, html};

use super::{AtDesk, Sent};
use crate::lang::Lang;

/// The form, and the same as text.
pub(super) fn form(desk: &AtDesk) -> Markup {
    let now = &desk.view.regulation;
    let toml = now.to_toml().unwrap_or_default();
    let why = desk.t("理由（开赛后须写）", "Reason (needed once play has begun)");
    let save = desk.t("保存，从下一轮起用", "Save, from the next round on");
    html! {
        form method="post" action="/desk/regulation" class="sheetform" { (desk.seal())
            div class="grid2" { @for field in &FIELDS { (entry(field, now, desk.reader.lang)) } }
            label { (why) input name="why" maxlength="200"; }
            button class="btn btn-s" { (save) }
        }
        details { summary { "TOML" }
            form method="post" action="/desk/regulation" class="sheetform" { (desk.seal())
                textarea name="toml" rows="16" spellcheck="false" { (toml) }
                label { (why) input name="why" maxlength="200"; }
                button class="btn btn-s" { (save) }
            }
        }
    }
}

fn entry(field: &Field, now: &Regulation, lang: Lang) -> Markup {
    let shown = field.shown(now);
    let articles: Vec<&str> = field.articles.into_iter().filter(|article| !article.is_empty()).collect();
    let option =
        |value: &str, words: &str| html! { option value=(value) selected[value == shown] { (words) } };
    let unit = match field.kind {
        Kind::Time { unit, .. } => Some(lang.pick(unit.zh(), unit.en())),
        Kind::Count { unit, .. } => Some(lang.pick(unit[0], unit[1])),
        Kind::Text | Kind::YesNo | Kind::Choice(_) | Kind::Exclusion(_) | Kind::List => None,
    };
    html! {
        label title=(articles.join(" / ")) {
            (lang.pick(field.zh, field.en))
            @if let Some(unit) = unit { " (" (unit) ")" }
            @match field.kind {
                Kind::YesNo => select name=(field.key) {
                    (option("yes", lang.pick("是", "yes"))) (option("no", lang.pick("否", "no")))
                },
                Kind::Choice(choices) => select name=(field.key) {
                    @for one in choices { (option(one.word, lang.pick(one.zh, one.en))) }
                },
                Kind::Text | Kind::Time { .. } | Kind::Count { .. } | Kind::Exclusion(_) | Kind::List => {
                    input name=(field.key) value=(shown);
                }
            }
        }
    }
}

/// `POST /desk/regulation`.
pub(super) async fn regulate(sent: Sent) -> Response {
    let Sent { desk, fields } = sent;
    let back = "/desk/settings";
    let read = if fields.sent("toml") {
        Regulation::from_toml(fields.text("toml"))
    } else {
        let entries = FIELDS.iter().filter(|field| fields.sent(field.key));
        desk.view.regulation.with_all(entries.map(|field| (field.key, fields.text(field.key))))
    };
    match read {
        Ok(regulation) => {
            let why = fields.text("why").to_owned();
            desk.act(DeskAct::Regulate { regulation: Box::new(regulation), why }, back).await
        }
        Err(error) => {
            let words = error.words();
            desk.refuse(desk.t(words.zh.as_str(), words.en.as_str()), back)
        }
    }
}
