//! `/help`: the handbook, in plain words, for people who have never seen the program. It needs no network and no sign-in.
//!
//! The texts are files of their own: `# ` a title, `## ` a heading, `- ` and `1. ` lists, anything else a paragraph.

use axum::Router;
use axum::extract::{Path, State};
use axum::response::Response;
use axum::routing::get;
use maud::{Markup, html};

use crate::AppState;
use crate::lang::Lang;
use crate::page::{Page, Place, Reader, not_found};

/// A page of the handbook: address, text in Chinese and in English.
const PAGES: [(&str, &str, &str); 5] = [
    ("organiser", include_str!("../help/organiser.zh.txt"), include_str!("../help/organiser.en.txt")),
    ("pairing", include_str!("../help/pairing.zh.txt"), include_str!("../help/pairing.en.txt")),
    ("arbiter", include_str!("../help/arbiter.zh.txt"), include_str!("../help/arbiter.en.txt")),
    ("player", include_str!("../help/player.zh.txt"), include_str!("../help/player.en.txt")),
    ("hall", include_str!("../help/hall.zh.txt"), include_str!("../help/hall.en.txt")),
];

/// The handbook's addresses.
pub(crate) fn routes() -> Router<AppState> {
    Router::new().route("/help", get(contents)).route("/help/{page}", get(page))
}

fn title(text: &str) -> &str {
    text.lines().next().unwrap_or_default().trim_start_matches("# ")
}

const fn in_lang(page: &(&'static str, &'static str, &'static str), lang: Lang) -> &'static str {
    match lang {
        Lang::Zh => page.1,
        Lang::En => page.2,
    }
}

async fn contents(State(state): State<AppState>, reader: Reader) -> Response {
    let body = html! {
        main id="main" class="help" {
            h1 { (reader.t("手册", "Handbook")) }
            ul { @for page in &PAGES { li { a href={ "/help/" (page.0) } { (title(in_lang(page, reader.lang))) } } } }
        }
    };
    answer(&state, &reader, reader.t("手册", "Handbook"), "/", &body)
}

async fn page(State(state): State<AppState>, Path(name): Path<String>, reader: Reader) -> Response {
    let Some(page) = PAGES.iter().find(|page| page.0 == name) else {
        return not_found(
            &state.hub.public(),
            &reader,
            reader.t("手册没有此页", "The handbook has no such page"),
        );
    };
    let text = in_lang(page, reader.lang);
    let body = html! { main id="main" class="help" { (rendered(text)) } };
    answer(&state, &reader, title(text), "/help", &body)
}

fn answer(state: &AppState, reader: &Reader, title: &str, back: &str, body: &Markup) -> Response {
    let hub = state.hub.public();
    Page::new(title.to_owned(), Place::Other, Some(back)).answer(&hub, &hub.shown(), reader, body)
}

/// The text as a page.
fn rendered(text: &str) -> Markup {
    let mut blocks: Vec<(char, Vec<&str>)> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let numbered = line.split_once(". ").filter(|(number, _)| number.bytes().all(|b| b.is_ascii_digit()));
        let (kind, words) =
            match (line.strip_prefix("## "), line.strip_prefix("# "), line.strip_prefix("- "), numbered) {
                (Some(words), ..) => ('h', words),
                (None, Some(words), ..) => ('t', words),
                (None, None, Some(words), _) => ('-', words),
                (None, None, None, Some((_, words))) => ('1', words),
                (None, None, None, None) => ('p', line),
            };
        match blocks.last_mut() {
            Some((last, lines)) if *last == kind && matches!(kind, '-' | '1') => lines.push(words),
            Some(_) | None => blocks.push((kind, vec![words])),
        }
    }
    html! { @for (kind, lines) in &blocks { @match kind {
        't' => h1 { (lines[0]) },
        'h' => h2 { (lines[0]) },
        '-' => ul { @for line in lines { li { (line) } } },
        '1' => ol { @for line in lines { li { (line) } } },
        _ => p { (lines[0]) },
    } } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_languages_have_the_same_pages_and_every_page_begins_with_its_title() {
        for (name, zh, en) in PAGES {
            assert!(zh.starts_with("# ") && en.starts_with("# "), "{name}");
            let headings = |text: &str| text.lines().filter(|line| line.starts_with("## ")).count();
            assert_eq!(headings(zh), headings(en), "{name}");
        }
    }

    #[test]
    fn lists_are_lists() {
        let html = rendered("# T\n1. a\n2. b\ntext <x>\n- c").into_string();
        assert_eq!(html, "<h1>T</h1><ol><li>a</li><li>b</li></ol><p>text &lt;x&gt;</p><ul><li>c</li></ul>");
    }
}
