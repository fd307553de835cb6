//! The files that pages load: embedded, under a name that changes with their content, cached for ever.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::LazyLock;

use axum::body::Bytes;
use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

macro_rules! files {
    ($($name:literal)*) => {
        &[$(($name, include_bytes!(concat!("../assets/", $name)))),*]
    };
}

/// All files, by the name that pages use.
static FILES: &[(&str, &[u8])] = files! {
    "base.css" "game.css" "lists.css" "hall.css" "arbiter.css" "desk.css" "print.css" "desk.js" "inset.css" "ruling.css"
    "light.css" "app.js" "game.js" "lists.js" "arbiter.js" "OFL.txt" "wordmark.svg"
    "board.svg" "board-flip.svg" "board-thumb.svg"
    "seal/rk.svg" "seal/ra.svg" "seal/rb.svg" "seal/rn.svg" "seal/rr.svg" "seal/rc.svg" "seal/rp.svg"
    "seal/bk.svg" "seal/ba.svg" "seal/bb.svg" "seal/bn.svg" "seal/br.svg" "seal/bc.svg" "seal/bp.svg"
    "thumb/rk.svg" "thumb/ra.svg" "thumb/rb.svg" "thumb/rn.svg" "thumb/rr.svg" "thumb/rc.svg" "thumb/rp.svg"
    "thumb/bk.svg" "thumb/ba.svg" "thumb/bb.svg" "thumb/bn.svg" "thumb/br.svg" "thumb/bc.svg" "thumb/bp.svg"
    "latin/rk.svg" "latin/ra.svg" "latin/rb.svg" "latin/rn.svg" "latin/rr.svg" "latin/rc.svg" "latin/rp.svg"
    "latin/bk.svg" "latin/ba.svg" "latin/bb.svg" "latin/bn.svg" "latin/br.svg" "latin/bc.svg" "latin/bp.svg"
};

/// What is sent of a file: scripts without indentation and without the lines that hold nothing but a comment. (No line
/// of theirs is inside a text of several lines.)
static SENT: LazyLock<BTreeMap<&str, Bytes>> = LazyLock::new(|| {
    let sent = FILES.iter().map(|(name, bytes)| match std::str::from_utf8(bytes) {
        Ok(script) if name.ends_with(".js") => {
            let lines =
                script.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
            (*name, Bytes::from(lines.collect::<Vec<_>>().join("\n")))
        }
        Ok(_) | Err(_) => (*name, Bytes::from_static(bytes)),
    });
    sent.collect()
});

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
pub async fn asset(Path((build, name)): Path<(String, String)>) -> Response {
    let Some(bytes) = SENT.get(name.as_str()) else {
        return (StatusCode::NOT_FOUND, "no such file").into_response();
    };
    let kind = match name.rsplit_once('.') {
        Some((_, "css")) => "text/css; charset=utf-8",
        Some((_, "js")) => "text/javascript; charset=utf-8",
        Some((_, "svg")) => "image/svg+xml",
        Some(_) | None => "text/plain; charset=utf-8",
    };
    // A page of another build asks for that build's files during an update: answer, but let nobody keep it.
    let keep =
        if BASE.ends_with(&format!("/{build}")) { "public, max-age=31536000, immutable" } else { "no-store" };
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, keep)], bytes.clone()).into_response()
}
