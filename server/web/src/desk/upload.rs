//! A file sent by a form (`multipart/form-data`), and the text of a file in whatever encoding it is.

use axum::http::{HeaderMap, header};

/// The parts of a form: name, file name, content.
pub(crate) fn parts(headers: &HeaderMap, body: &[u8]) -> Option<Vec<(String, String, Vec<u8>)>> {
    let kind = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let boundary = kind.strip_prefix("multipart/form-data")?.split("boundary=").nth(1)?;
    let boundary = format!("--{}", boundary.split(';').next()?.trim().trim_matches('"'));
    let mut parts = Vec::new();
    let mut rest = &body[find(body, boundary.as_bytes())? + boundary.len()..];
    while let Some(part) = rest.strip_prefix(b"\r\n") {
        let end = find(part, format!("\r\n{boundary}").as_bytes())?;
        let head_end = find(&part[..end], b"\r\n\r\n")?;
        let head = String::from_utf8_lossy(&part[..head_end]);
        let named = |key: &str| {
            let at = head.find(&format!("{key}=\""))? + key.len() + 2;
            Some(head[at..].split('"').next()?.to_owned())
        };
        let name = named(" name").unwrap_or_default();
        parts.push((name, named("filename").unwrap_or_default(), part[head_end + 4..end].to_vec()));
        rest = &part[end + 2 + boundary.len()..];
    }
    Some(parts)
}

/// The text of a file: UTF-8 if it is that, else GB 18030, which spreadsheets in China save CSV in.
pub(super) fn decode(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => encoding_rs::GB18030.decode(bytes).0.into_owned(),
    }
}

fn find(within: &[u8], what: &[u8]) -> Option<usize> {
    within.windows(what.len()).position(|window| window == what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_csv_of_a_chinese_spreadsheet_is_read() {
        assert_eq!(decode(b"\xd0\xd5\xc3\xfb,1"), "姓名,1");
        assert_eq!(decode("姓名".as_bytes()), "姓名");
    }

    #[test]
    fn a_file_and_a_field_come_out_as_they_went_in() {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, "multipart/form-data; boundary=xyz".parse().unwrap());
        let body = b"--xyz\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n\r\n1\r\n2\r\n--xyz\r\n\
            Content-Disposition: form-data; name=\"text\"\r\n\r\n\r\n--xyz--\r\n";
        let parts = parts(&headers, body).unwrap();
        assert_eq!(parts[0], ("file".into(), "a.csv".into(), b"1\r\n2".to_vec()));
        assert_eq!(parts[1], ("text".into(), String::new(), Vec::new()));
    }

    #[test]
    fn a_body_cut_off_is_no_form() {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, "multipart/form-data; boundary=xyz".parse().unwrap());
        assert_eq!(parts(&headers, b"--xyz\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n1"), None);
    }
}
