//! 我的台: the tables that an arbiter walks. What is there comes and sounds first; what nobody takes up in time is
//! everybody's.

use std::collections::BTreeSet;

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Redirect, Response};
use hall::Room;
use hall::view::AlertView;
use maud::{Markup, html};
use tournament::TableNo;

use super::Fields;
use crate::AppState;
use crate::auth::{self, Official};
use crate::hub::Shown;
use crate::page::shell::Reader;

/// Tables as they are written: `1-12, 15`.
pub fn parse(text: &str) -> Option<BTreeSet<TableNo>> {
    let mut all = BTreeSet::new();
    for part in text.split([',', '，', '、', ' ', ';']).map(str::trim).filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once(['-', '–', '—', '~']).unwrap_or((part, part));
        let (first, last): (u16, u16) = first.trim().parse().ok().zip(last.trim().parse().ok())?;
        if first == 0 || first > last || last > 9_999 {
            return None;
        }
        all.extend((first..=last).map(TableNo));
    }
    Some(all)
}

/// The same in words: runs as ranges.
pub fn written(tables: &BTreeSet<TableNo>) -> String {
    let mut runs: Vec<(u16, u16)> = Vec::new();
    for TableNo(no) in tables {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == *no => *last = *no,
            Some(_) | None => runs.push((*no, *no)),
        }
    }
    let one = |(first, last): &(u16, u16)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    runs.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// The tables that somebody walks; `None`: he has named none, all are alike to him.
pub fn of<'a>(shown: &'a Shown, official: &Official) -> Option<&'a BTreeSet<TableNo>> {
    shown.alerts.walks.get(&official.name).filter(|tables| !tables.is_empty())
}

/// Whether an alert is his first of all: at a table of his, at none, or given to him; and what nobody took up in time.
pub fn concerns(alert: &AlertView, mine: Option<&BTreeSet<TableNo>>, official: &Official) -> bool {
    let his = match (alert.table, mine) {
        (Some(table), Some(mine)) => mine.contains(&table),
        (None, _) | (_, None) => true,
    };
    his || alert.escalated || alert.claimed_by.as_deref() == Some(&official.name)
}

/// Whether a page is asked to show his tables only: so it does by itself once he has named some.
pub fn wanted(fields: &Fields, mine: Option<&BTreeSet<TableNo>>) -> bool {
    mine.is_some() && fields.get("of") != Some("all")
}

/// The form that names them.
pub fn form(shown: &Shown, official: &Official, to: &str, wrong: bool, reader: &Reader) -> Markup {
    let mine = of(shown, official);
    let others =
        shown.alerts.walks.iter().filter(|(name, tables)| **name != official.name && !tables.is_empty());
    html! {
        details class="grp walk" open[wrong] {
            summary {
                (reader.t("我的台", "My tables"))
                span class="mut" { "　" (mine.map_or(reader.t("未设，全部", "not set: all").to_owned(), written)) }
            }
            form class="setclock" method="post" action="/arbiter/walk" {
                (official.seal())
                input type="hidden" name="to" value=(to);
                label { (reader.t("台号，如 1-12, 15；留空为全部", "Numbers, such as 1-12, 15; empty: all"))
                    input name="tables" autocomplete="off" inputmode="text" value=(mine.map(written).unwrap_or_default());
                }
                button class="btn" { (reader.t("设定", "Set")) }
            }
            @if wrong { p class="wrong" role="alert" { (reader.t("台号写作 1-12, 15", "Write table numbers as 1-12, 15")) } }
            ul class="mut" {
                @for (name, tables) in others { li { (name) "　" (written(tables)) } }
            }
        }
    }
}

/// `POST /arbiter/walk`.
pub async fn set(State(state): State<AppState>, request: Request) -> Response {
    let posted = match auth::posted(&state, request, Some(Room::Duty)).await {
        Ok(posted) => posted,
        Err(answer) => return answer,
    };
    let to = if posted.text("to") == Some("/arbiter/tables") { "/arbiter/tables" } else { "/arbiter" };
    let Some(tables) = parse(posted.text("tables").unwrap_or_default()) else {
        return Redirect::to(&format!("{to}?walk=wrong")).into_response();
    };
    match auth::decide(&state, &posted.official, vec![hall::Act::Walk(tables)], None).await {
        Ok(()) => Redirect::to(to).into_response(),
        Err(undone) => (undone.status(), undone.words().get(posted.reader.lang).to_owned()).into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables(all: &[u16]) -> BTreeSet<TableNo> {
        all.iter().copied().map(TableNo).collect()
    }

    #[test]
    fn tables_are_read_as_arbiters_write_them_and_written_as_runs() {
        for text in ["1-3, 7", "1–3、7", " 7 1 2 3 ", "1，2-3，7"] {
            assert_eq!(parse(text), Some(tables(&[1, 2, 3, 7])), "{text}");
        }
        assert_eq!(parse(""), Some(BTreeSet::new()));
        for wrong in ["0", "5-3", "a", "1-", "1-99999"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
        assert_eq!(written(&tables(&[1, 2, 3, 7, 9, 10])), "1-3, 7, 9-10");
    }
}
