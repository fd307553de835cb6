//! `/help`: the handbook, in plain words, for people who have never seen the program. It needs no network and no sign-in.
//!
//! The texts are files of their own: `# ` a title, `## ` a heading, `- ` and `1. ` lists, `! ` a picture by name with what it
//! shows, anything else a paragraph. The pictures are taken by `tests/browser/desk.py`, which also says when one no longer
//! shows what is there.

use axum::Router;
use axum::extract::{Path, State};
use axum::response::Response;
use axum::routing::get;
use maud::{Markup, html};

use crate::AppState;
use crate::assets;
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

/// A picture: its name, then what it shows.
fn picture(line: &str) -> Markup {
    let (name, shows) = line.split_once(' ').unwrap_or((line, ""));
    html! { figure { img src={ (assets::BASE.as_str()) "/help/" (name) ".webp" } alt=(shows) loading="lazy"; figcaption { (shows) } } }
}

/// The text as a page.
fn rendered(text: &str) -> Markup {
    // What sort of block it is, the number that a numbered list begins with, its lines.
    let mut blocks: Vec<(char, &str, Vec<&str>)> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let numbered = line.split_once(". ").filter(|(number, _)| number.bytes().all(|b| b.is_ascii_digit()));
        let marked = [("## ", 'h'), ("# ", 't'), ("- ", '-'), ("! ", '!')];
        let marked = marked.iter().find_map(|(mark, kind)| Some((*kind, line.strip_prefix(mark)?)));
        let (kind, number, words) = match (marked, numbered) {
            (Some((kind, words)), _) => (kind, "", words),
            (None, Some((number, words))) => ('1', number, words),
            (None, None) => ('p', "", line),
        };
        match blocks.last_mut() {
            Some((last, _, lines)) if *last == kind && matches!(kind, '-' | '1') => lines.push(words),
            Some(_) | None => blocks.push((kind, number, vec![words])),
        }
    }
    html! { @for (kind, number, lines) in &blocks { @match kind {
        't' => h1 { (lines[0]) },
        'h' => h2 { (lines[0]) },
        '-' => ul { @for line in lines { li { (line) } } },
        '!' => (picture(lines[0])),
        '1' => ol start=[Some(number).filter(|number| **number != "1")] { @for line in lines { li { (line) } } },
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
            let pictures = |text: &'static str| -> Vec<&str> {
                let lines = text.lines().filter_map(|line| line.strip_prefix("! "));
                lines.filter_map(|line| line.split(' ').next()).collect()
            };
            assert_eq!(pictures(zh), pictures(en), "{name}");
            assert!(!pictures(zh).is_empty(), "{name} has a picture");
        }
    }

    #[test]
    fn lists_are_lists() {
        let html = rendered("# T\n1. a\n2. b\ntext <x>\n3. d\n- c").into_string();
        let expected = "<h1>T</h1><ol><li>a</li><li>b</li></ol><p>text &lt;x&gt;</p><ol start=\"3\"><li>d</li></ol><ul><li>c</li></ul>";
        assert_eq!(html, expected);
    }
}
