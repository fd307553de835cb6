//! The fields of a DhtmlXQ text, each with its line.

/// A mark or a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found<'a> {
    /// `[DhtmlXQ]`.
    Begin,
    /// `[DhtmlXQ_name]text[/DhtmlXQ_…`.
    Field {
        name: &'a str,
        text: &'a str,
        /// Whether something else than its end follows it.
        unclosed: bool,
    },
}

/// Finds the fields of a text; what stands between them is not looked at.
pub(super) struct Scan<'a> {
    rest: &'a str,
    line: usize,
}

const OPEN: &str = "[DhtmlXQ";
const CLOSE: &str = "[/DhtmlXQ";

impl<'a> Scan<'a> {
    pub(super) const fn new(text: &'a str) -> Scan<'a> {
        Scan { rest: text, line: 1 }
    }

    fn skip(&mut self, length: usize) -> &'a str {
        let (skipped, rest) = self.rest.split_at(length);
        self.line += skipped.bytes().filter(|&byte| byte == b'\n').count();
        self.rest = rest;
        skipped
    }

    /// How far it is to the next mark, of whichever kind.
    fn to_mark(&self) -> usize {
        let is_mark = |&(at, _): &(usize, &str)| {
            self.rest[at..].starts_with(OPEN) || self.rest[at..].starts_with(CLOSE)
        };
        self.rest.match_indices('[').find(is_mark).map_or(self.rest.len(), |(at, _)| at)
    }
}

impl<'a> Iterator for Scan<'a> {
    /// What was found and its line, from 1.
    type Item = (usize, Found<'a>);

    fn next(&mut self) -> Option<(usize, Found<'a>)> {
        loop {
            let gap = self.to_mark();
            self.skip(gap);
            let line = self.line;
            if self.rest.is_empty() {
                return None;
            }
            if self.rest.starts_with(CLOSE) {
                self.skip(CLOSE.len());
                continue;
            }
            self.skip(OPEN.len());
            if self.rest.starts_with(']') {
                return Some((line, Found::Begin));
            }
            let length =
                self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.rest.len());
            let name = self.skip(length);
            let Some(name) = name.strip_prefix('_').filter(|_| self.rest.starts_with(']')) else { continue };
            self.skip(1);
            let end = self.to_mark();
            let text = self.skip(end);
            let unclosed = !self.rest.starts_with(CLOSE);
            return Some((line, Found::Field { name, text, unclosed }));
        }
    }
}
