//! The tokens of PGN, each with its line.

use super::super::Problem;

/// A token of PGN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// `[Name "text"]`.
    Tag(&'a str, String),
    /// `{text}` or `;text`.
    Comment(&'a str),
    /// `(`.
    Open,
    /// `)`.
    Close,
    /// Anything else between spaces: a move, a number, a result, noise.
    Word(&'a str),
    /// Something that is no token.
    Bad(&'a str, Problem),
}

/// Cuts a text into tokens.
pub(super) struct Lexer<'a> {
    rest: &'a str,
    line: usize,
    /// Whether `rest` begins a line.
    at_line_start: bool,
    /// Whether it is known that no `}` follows.
    no_more_braces: bool,
}

impl<'a> Lexer<'a> {
    pub(super) const fn new(text: &'a str) -> Lexer<'a> {
        Lexer { rest: text, line: 1, at_line_start: true, no_more_braces: false }
    }

    /// Skips everything up to a line that begins a game, by a tag or by the
    /// number 1; what else stands after a result, or after an error, is none.
    pub(super) fn skip_to_game(&mut self) {
        let at_game = |lexer: &Self| lexer.at_line_start && begins_game(lexer.rest_of_line());
        while !self.rest.is_empty() && !at_game(self) {
            self.skip_line();
        }
    }

    fn rest_of_line(&self) -> &'a str {
        self.rest.split('\n').next().unwrap_or_default()
    }

    fn skip_line(&mut self) {
        let length = self.rest_of_line().len();
        self.take((length + 1).min(self.rest.len()));
        self.at_line_start = true;
    }

    /// Takes `length` bytes.
    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.line += taken.bytes().filter(|&byte| byte == b'\n').count();
        self.at_line_start = taken.ends_with('\n');
        self.rest = rest;
        taken
    }

    fn skip_spaces(&mut self) {
        loop {
            let spaces = self.rest.len() - self.rest.trim_start().len();
            if spaces > 0 {
                let line_starts = self.rest[..spaces].contains('\n') || self.at_line_start;
                self.take(spaces);
                self.at_line_start = line_starts;
            }
            // A line that begins with % is for other programs.
            if !(self.at_line_start && self.rest.starts_with('%')) {
                return;
            }
            self.skip_line();
        }
    }

    fn comment(&mut self) -> Token<'a> {
        let end = if self.no_more_braces { None } else { self.rest.find('}') };
        match end {
            Some(end) => {
                let comment = self.take(end + 1);
                Token::Comment(&comment[1..end])
            }
            None => {
                self.no_more_braces = true;
                let line = self.rest_of_line();
                self.take(line.len());
                Token::Bad(line, Problem::UnclosedComment)
            }
        }
    }

    fn tag(&mut self) -> Token<'a> {
        let line = self.rest_of_line();
        match split_tag(line) {
            Some((name, text, length)) => {
                self.take(length);
                // Another tag may follow on the same line.
                self.at_line_start = true;
                Token::Tag(name, text)
            }
            None => {
                self.take(line.len());
                Token::Bad(line, Problem::Tag)
            }
        }
    }
}

impl<'a> Iterator for Lexer<'a> {
    /// A token and the line that it begins on, from 1.
    type Item = (usize, Token<'a>);

    fn next(&mut self) -> Option<(usize, Token<'a>)> {
        self.skip_spaces();
        let line = self.line;
        let token = match self.rest.chars().next()? {
            '{' => self.comment(),
            '(' => {
                self.take(1);
                Token::Open
            }
            ')' => {
                self.take(1);
                Token::Close
            }
            ';' => {
                let rest = self.rest_of_line();
                Token::Comment(&self.take(rest.len())[1..])
            }
            '[' if self.at_line_start && is_tag_line(self.rest_of_line()) => self.tag(),
            first => {
                let ends = |c: char| c.is_whitespace() || matches!(c, '{' | '(' | ')' | ';');
                let after = first.len_utf8();
                let length = self.rest[after..].find(ends).map_or(self.rest.len(), |end| after + end);
                Token::Word(self.take(length))
            }
        };
        Some((line, token))
    }
}

fn begins_game(line: &str) -> bool {
    let line = line.trim_start();
    is_tag_line(line) || line.starts_with("1.") || line.starts_with("１．")
}

/// Whether a line begins with `[Name "`.
pub(in super::super) fn is_tag_line(line: &str) -> bool {
    let Some(rest) = line.strip_prefix('[') else { return false };
    let after_name = rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
    after_name.len() < rest.len() && after_name.trim_start().starts_with('"')
}

/// Name, text and length of the tag that a line begins with.
fn split_tag(line: &str) -> Option<(&str, String, usize)> {
    let quote = line.find('"')?;
    let name = line.get(1..quote)?.trim();
    let mut text = String::new();
    let mut characters = line[quote + 1..].char_indices();
    while let Some((at, character)) = characters.next() {
        let rest = &line[quote + 1 + at + character.len_utf8()..];
        match character {
            // Real files do not escape: a quote ends the text if a bracket
            // follows, a backslash means itself unless it hides something.
            '"' if rest.trim_start().starts_with(']') => {
                let bracket = rest.len() - rest.trim_start().len();
                return Some((name, text, line.len() - rest.len() + bracket + 1));
            }
            '\\' if rest.starts_with(['"', '\\']) => {
                text.extend(characters.next().map(|(_, escaped)| escaped));
            }
            character => text.push(character),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<(usize, Token<'_>)> {
        Lexer::new(text).collect()
    }

    #[test]
    fn tokens_know_their_lines() {
        let text = "[Red \"红\"] [Black \"黑\"]\n% noise\n1. 炮二平五{a\nb} (马)\n;c [d\n*";
        assert_eq!(
            tokens(text),
            [
                (1, Token::Tag("Red", "红".into())),
                (1, Token::Tag("Black", "黑".into())),
                (3, Token::Word("1.")),
                (3, Token::Word("炮二平五")),
                (3, Token::Comment("a\nb")),
                (4, Token::Open),
                (4, Token::Word("马")),
                (4, Token::Close),
                (5, Token::Comment("c [d")),
                (6, Token::Word("*")),
            ]
        );
    }

    #[test]
    fn quotes_inside_a_tag_are_read_escaped_or_not() {
        for text in [r#"[Event "the "x" cup"]"#, r#"[Event "the \"x\" cup"]"#] {
            assert_eq!(tokens(text), [(1, Token::Tag("Event", "the \"x\" cup".into()))]);
        }
        assert_eq!(tokens(r#"[Path "C:\games\\x"]"#), [(1, Token::Tag("Path", r"C:\games\x".into()))]);
    }

    #[test]
    fn what_is_not_closed_is_named() {
        assert_eq!(
            tokens("{ never\n*"),
            [(1, Token::Bad("{ never", Problem::UnclosedComment)), (2, Token::Word("*"))]
        );
        assert_eq!(tokens("[Red \"x]"), [(1, Token::Bad("[Red \"x]", Problem::Tag))]);
    }
}
