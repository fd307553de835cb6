//! QR codes: the way from a table card or the hall's screen to a page on a phone.

use std::fmt::Write as _;

use axum::http::StatusCode;
use axum::http::header;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use qrcode::{Color, QrCode};

use crate::lang::query;

/// Modules of white around a code, as the standard asks.
const QUIET: usize = 4;

/// A text as a QR code; `None` if it is too long for one.
#[must_use]
pub fn svg(text: &str) -> Option<String> {
    let code = QrCode::new(text).ok()?;
    let width = code.width();
    let side = width + 2 * QUIET;
    let mut path = String::new();
    for (i, color) in code.to_colors().into_iter().enumerate() {
        if color == Color::Dark {
            let _ = write!(path, "M{} {}h1v1h-1z", i % width + QUIET, i / width + QUIET);
        }
    }
    Some(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {side} {side}\" shape-rendering=\"crispEdges\">\
         <rect width=\"{side}\" height=\"{side}\" fill=\"#fff\"/><path d=\"{path}\"/></svg>\n"
    ))
}

/// The address under which this request reached the server: `http://192.168.1.2:8080`.
#[must_use]
pub fn base(parts: &Parts) -> Option<String> {
    let text = |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok());
    let host = text("x-forwarded-host").or_else(|| text("host"))?;
    let plain = |c: char| c.is_ascii_alphanumeric() || ".:-[]".contains(c);
    let scheme = match text("x-forwarded-proto") {
        Some("https") => "https",
        Some(_) | None if parts.extensions.get::<crate::Encrypted>().is_some() => "https",
        Some(_) | None => "http",
    };
    (!host.is_empty() && host.len() < 100 && host.chars().all(plain)).then(|| format!("{scheme}://{host}"))
}

/// `GET /qr.svg?to=/round/3/table/5`: the code of one of our own pages.
pub async fn qr(parts: Parts) -> Response {
    let to = query(&parts, "to").unwrap_or("/").replace("%2F", "/");
    let ours = to.starts_with('/') && !to.starts_with("//") && to.len() < 200 && to.is_ascii();
    let code = base(&parts).filter(|_| ours).and_then(|base| svg(&format!("{base}{to}")));
    match code {
        Some(code) => {
            let headers = [(header::CONTENT_TYPE, "image/svg+xml"), (header::CACHE_CONTROL, "no-cache")];
            (headers, code).into_response()
        }
        None => {
            (StatusCode::BAD_REQUEST, "to: the path of a page of this server was expected").into_response()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_has_its_three_corners_and_its_margin() {
        let code = svg("http://192.168.1.2:8080/table/5").expect("it is short");
        // Version 3 has 29 modules a side.
        assert!(code.contains("viewBox=\"0 0 37 37\""), "{code}");
        for corner in ["M4 4h1", "M32 4h1", "M4 32h1"] {
            assert!(code.contains(corner), "{corner}");
        }
        assert!(!code.contains("M3 "), "nothing in the margin");
    }
}
