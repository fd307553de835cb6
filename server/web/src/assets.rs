//! The files that pages load: embedded, under a name that changes with their content, cached for ever.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use axum::body::Bytes;
use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use tokio::sync::OnceCell;
use tokio::task::spawn_blocking;

macro_rules! files {
    ($($name:literal)*) => {
        &[$(($name, include_bytes!(concat!("../assets/", $name)))),*]
    };
}

/// All files, by the name that pages use.
static FILES: &[(&str, &[u8])] = files! {
    "base.css" "game.css" "lists.css" "hall.css" "arbiter.css" "desk.css" "devices.css" "print.css" "desk.js" "inset.css" "ruling.css"
    "light.css" "parts.css" "wide.css" "game-wide.css" "app.js" "fresh.js" "game.js" "replay.js" "lists.js" "arbiter.js" "devices.js" "OFL.txt" "wordmark.svg"
    "board.svg" "board-flip.svg" "board-thumb.svg"
    "seal/rk.svg" "seal/ra.svg" "seal/rb.svg" "seal/rn.svg" "seal/rr.svg" "seal/rc.svg" "seal/rp.svg"
    "seal/bk.svg" "seal/ba.svg" "seal/bb.svg" "seal/bn.svg" "seal/br.svg" "seal/bc.svg" "seal/bp.svg"
    "thumb/rk.svg" "thumb/ra.svg" "thumb/rb.svg" "thumb/rn.svg" "thumb/rr.svg" "thumb/rc.svg" "thumb/rp.svg"
    "thumb/bk.svg" "thumb/ba.svg" "thumb/bb.svg" "thumb/bn.svg" "thumb/br.svg" "thumb/bc.svg" "thumb/bp.svg"
    "latin/rk.svg" "latin/ra.svg" "latin/rb.svg" "latin/rn.svg" "latin/rr.svg" "latin/rc.svg" "latin/rp.svg"
    "help/settings.webp" "help/import.webp" "help/entries.webp" "help/pairing.webp" "help/results.webp" "help/standings.webp"
    "help/prizes.webp" "help/slip.webp" "help/player.webp" "help/screen.webp"
    "latin/bk.svg" "latin/ba.svg" "latin/bb.svg" "latin/bn.svg" "latin/br.svg" "latin/bc.svg" "latin/bp.svg"
};

/// What is sent of a file.
static SENT: LazyLock<BTreeMap<&str, Bytes>> = LazyLock::new(|| {
    let sent = FILES.iter().map(|(name, bytes)| match std::str::from_utf8(bytes) {
        Ok(script) if name.ends_with(".js") => (*name, Bytes::from(script_without_comments(script))),
        Ok(sheet) if name.ends_with(".css") => (*name, Bytes::from(sheet_without_spaces(sheet))),
        Ok(_) | Err(_) => (*name, Bytes::from_static(bytes)),
    });
    sent.collect()
});

/// A script without indentation and without the lines that hold nothing but a comment. (No line of ours is inside a
/// text of several lines.)
fn script_without_comments(script: &str) -> String {
    let lines = script.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// A style sheet without comments and without spaces beside what separates by itself. (No text in ours holds two spaces,
/// or one beside such a character.)
fn sheet_without_spaces(sheet: &str) -> String {
    let mut parts = sheet.split("/*");
    let first = parts.next().unwrap_or_default().to_owned();
    let bare = parts.fold(first, |bare, part| bare + part.split_once("*/").map_or("", |(_, rest)| rest));
    let mut small = String::with_capacity(bare.len());
    for word in bare.split_whitespace() {
        let apart = |c: char| "{};,>".contains(c);
        if !(small.is_empty() || small.ends_with(apart) || word.starts_with(apart)) {
            small.push(' ');
        }
        small.push_str(word);
    }
    small.replace(";}", "}")
}

/// Style sheets that a page asks for as one: `base+game.css`.
fn joined(name: &str) -> Option<Bytes> {
    let names: Vec<&str> = name.strip_suffix(".css")?.split('+').collect();
    if names.len() > MOST_SHEETS {
        return None;
    }
    let sheets = names.into_iter().map(|name| SENT.get(format!("{name}.css").as_str()));
    let sheets: Vec<Bytes> = sheets.map(Option::<&Bytes>::cloned).collect::<Option<_>>()?;
    Some(Bytes::from(sheets.concat()))
}

/// Compressed files that are kept: more than pages ask for. Beyond, the server compresses each answer anew.
const MOST_KEPT: usize = 128;

/// A file as small as gzip can be: made once, by the first who asks. It takes so long that it is made beside the tasks
/// that answer, so nobody waits for a file that somebody else asked for.
async fn gzipped(name: &str, bytes: &Bytes) -> Option<Bytes> {
    static KEPT: Mutex<BTreeMap<String, Arc<OnceCell<Bytes>>>> = Mutex::new(BTreeMap::new());
    let once = {
        // Plain data: a panic elsewhere leaves it whole.
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST_KEPT && !kept.contains_key(name) {
            return None;
        }
        Arc::clone(kept.entry(name.to_owned()).or_default())
    };
    let make = || async {
        let bytes = bytes.clone();
        spawn_blocking(move || {
            let mut small = Vec::new();
            zopfli::compress(zopfli::Options::default(), zopfli::Format::Gzip, bytes.as_ref(), &mut small)
                .map(|()| Bytes::from(small))
        })
        .await?
    };
    let small: std::io::Result<&Bytes> = once.get_or_try_init(make).await;
    small.ok().cloned()
}

/// Whether a browser unpacks gzip. (None says that it does and then how little: `gzip;q=0`.)
fn takes_gzip(asked: &HeaderMap) -> bool {
    let accepted = asked.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    accepted.is_some_and(|all| all.split(',').any(|one| one.trim().eq_ignore_ascii_case("gzip")))
}

/// Sheets of one page at most.
const MOST_SHEETS: usize = 6;

/// The address of a page's style sheets as one file: a phone far away pays for every request.
#[must_use]
pub fn sheets(names: &[&str]) -> String {
    let names: Vec<&str> = names.iter().map(|name| name.trim_end_matches(".css")).collect();
    format!("{}/{}.css", BASE.as_str(), names.join("+"))
}

/// The folder of this build's files: it changes with any of them, so a script and its images always agree.
pub static BASE: LazyLock<String> = LazyLock::new(|| {
    let mut hash = DefaultHasher::new();
    FILES.hash(&mut hash);
    format!("/a/{:08x}", hash.finish() as u32)
});

/// A text file of ours; empty if there is none of that name.
#[must_use]
pub fn text(name: &str) -> &'static str {
    let file = FILES.iter().find(|(known, _)| *known == name);
    file.and_then(|(_, bytes)| std::str::from_utf8(bytes).ok()).unwrap_or_default()
}

/// `GET /a/{build}/{*name}`.
pub async fn asset(Path((build, name)): Path<(String, String)>, asked: HeaderMap) -> Response {
    let Some(bytes) = SENT.get(name.as_str()).cloned().or_else(|| joined(&name)) else {
        return (StatusCode::NOT_FOUND, "no such file").into_response();
    };
    let kind = match name.rsplit_once('.') {
        Some((_, "css")) => "text/css; charset=utf-8",
        Some((_, "js")) => "text/javascript; charset=utf-8",
        Some((_, "svg")) => "image/svg+xml",
        Some((_, "webp")) => "image/webp",
        Some(_) | None => "text/plain; charset=utf-8",
    };
    // A page of another build asks for that build's files during an update: answer, but let nobody keep it.
    let keep =
        if BASE.ends_with(&format!("/{build}")) { "public, max-age=31536000, immutable" } else { "no-store" };
    let headers =
        [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, keep), (header::VARY, "Accept-Encoding")];
    let small = if takes_gzip(&asked) { gzipped(&name, &bytes).await } else { None };
    match small {
        Some(small) => (headers, [(header::CONTENT_ENCODING, "gzip")], small).into_response(),
        None => (headers, bytes).into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sheet_loses_only_what_says_nothing() {
        let sheet = "/* a */\n.a > .b , .c{ color: red; width:calc(100% - 2px); }\n.d .e:focus-visible{content:\"≈\"}/* b */";
        let small = ".a>.b,.c{color: red;width:calc(100% - 2px)}.d .e:focus-visible{content:\"≈\"}";
        assert_eq!(sheet_without_spaces(sheet), small);
        for (name, bytes) in FILES.iter().filter(|(name, _)| name.ends_with(".css")) {
            let sent = SENT[name].iter().filter(|byte| **byte == b'{').count();
            let text = std::str::from_utf8(bytes).unwrap_or_default();
            let comments = text.split("/*").skip(1).filter_map(|part| part.split_once("*/"));
            let lost: usize = comments.map(|(comment, _)| comment.matches('{').count()).sum();
            assert_eq!(sent + lost, text.matches('{').count(), "{name} keeps its rules");
        }
    }

    #[test]
    fn sheets_are_joined_but_not_without_end() {
        let both = joined("base+game.css").unwrap_or_default();
        assert_eq!(both.len(), SENT["base.css"].len() + SENT["game.css"].len());
        assert_eq!(joined("base+nothing.css"), None);
        assert_eq!(joined(&format!("{}base.css", "base+".repeat(6))), None);
    }
}
