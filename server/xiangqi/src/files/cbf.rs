//! CBF (象棋桥, CCBridge): one game, XML.
//!
//! ```text
//! <ChineseChessRecord Version="1.0">
//!  <Head> <Name>…</Name> … <RecordResult>1</RecordResult> <FEN>…</FEN> </Head>
//!  <MoveList>
//!   <Move value="00-00"><![CDATA[comment before the game]]></Move>
//!   <Move value="77-47" />
//!   <Move value="70-62" end="1"><![CDATA[comment]]></Move>
//!  </MoveList>
//! </ChineseChessRecord>
//! ```
//!
//! Points are counted as in DhtmlXQ. How variations are stored is not known
//! here: moves after the one marked `end` are reported, not read.

use super::preorder::checked;
use super::{Game, GameResult, MAX_MOVES, NodeId, Place, Problem, ReadError, ReadResult, dhtmlxq};
use crate::Position;

/// Reads the game of a CBF file.
pub(super) fn read(text: &str) -> ReadResult {
    let mut reader = Reader { game: Game::default(), at: NodeId::ROOT, lines: vec![1], ended: false };
    let mut elements = Elements { text, at: 0, line: 1 };
    let mut broken = None;
    while broken.is_none()
        && let Some(element) = elements.next()
    {
        broken = reader.element(&element).err().map(|problem| (element.place(), problem));
    }
    let lines = reader.lines;
    let place = |node: NodeId, _| Place::line(lines[node.index()], "Move");
    let mut result = checked(reader.game, 1, place);
    if let Some((place, problem)) = broken {
        // A move that cannot be read ends the only game; what follows the end
        // of its main line does not.
        let partial = if reader.ended { None } else { result.games.pop().map(Box::new) };
        result.errors.push(ReadError { game: 1, place, problem, partial });
    }
    result
}

struct Reader {
    game: Game,
    at: NodeId,
    /// By node: the line it stands on.
    lines: Vec<usize>,
    ended: bool,
}

/// The headings and the tags that they become.
const HEADINGS: [(&str, &str); 23] = [
    ("Name", "Title"),
    ("From", "Source"),
    ("ContestType", "Class"),
    ("Contest", "Event"),
    ("Round", "Round"),
    ("Group", "Group"),
    ("Table", "Table"),
    ("Date", "Date"),
    ("Site", "Site"),
    ("TimeRule", "TimeControl"),
    ("Red", "Red"),
    ("RedTeam", "RedTeam"),
    ("RedTime", "RedTime"),
    ("RedRating", "RedElo"),
    ("Black", "Black"),
    ("BlackTeam", "BlackTeam"),
    ("BlackTime", "BlackTime"),
    ("BlackRating", "BlackElo"),
    ("Referee", "Referee"),
    ("Recorder", "Recorder"),
    ("Commentator", "Annotator"),
    ("Creator", "Author"),
    ("ECCO", "ECCO"),
];

impl Reader {
    fn element(&mut self, element: &Element<'_>) -> Result<(), Problem> {
        match element.name {
            "Move" => self.mv(element),
            "FEN" if element.text().is_empty() => Ok(()),
            "FEN" => {
                let mut game = Game::new(Position::from_fen(&element.text())?);
                (game.tags, game.result) = (core::mem::take(&mut self.game.tags), self.game.result);
                self.game = game;
                (self.at, self.lines) = (NodeId::ROOT, vec![element.line]);
                Ok(())
            }
            "RecordResult" => {
                self.game.result = match element.text().as_str() {
                    "1" => GameResult::RedWins,
                    "2" => GameResult::BlackWins,
                    "3" | "4" => GameResult::Draw,
                    _ => GameResult::Unknown,
                };
                Ok(())
            }
            name => {
                if let Some((_, tag)) = HEADINGS.iter().find(|(heading, _)| *heading == name) {
                    self.game.tags.set(*tag, &element.text());
                }
                Ok(())
            }
        }
    }

    fn mv(&mut self, element: &Element<'_>) -> Result<(), Problem> {
        if self.ended {
            return Err(Problem::Field { expected: "nothing more after the move with end=\"1\"" });
        }
        let value = element.attribute("value").unwrap_or_default();
        if value != "00-00" {
            let digits: Vec<u8> = value.bytes().filter(|&byte| byte != b'-').collect();
            let mv = dhtmlxq::parse_move(&digits)
                .ok_or(Problem::Field { expected: "a move like value=\"77-47\"" })?;
            if self.game.move_count() == MAX_MOVES {
                return Err(Problem::TooManyMoves(MAX_MOVES));
            }
            self.at = self.game.add(self.at, mv);
            self.lines.push(element.line);
        }
        self.game.append_comment(self.at, &element.text());
        self.ended = element.attribute("end") == Some("1");
        Ok(())
    }
}

/// An element of the file: those that hold others are seen as empty.
struct Element<'a> {
    name: &'a str,
    attributes: &'a str,
    content: &'a str,
    line: usize,
}

impl<'a> Element<'a> {
    fn place(&self) -> Place {
        Place::line(self.line, &format!("{} {}", self.name, self.attributes.trim()))
    }

    fn attribute(&self, name: &str) -> Option<&'a str> {
        self.attributes.split_whitespace().find_map(|attribute| {
            let (key, value) = attribute.split_once('=')?;
            (key == name).then(|| value.trim_matches(['"', '\'', '/']))
        })
    }

    fn text(&self) -> String {
        let content = self.content.trim();
        match content.strip_prefix("<![CDATA[") {
            Some(data) => data.strip_suffix("]]>").unwrap_or(data).trim().to_owned(),
            None => unescape(content),
        }
    }
}

/// Text with the five entities of XML resolved.
fn unescape(text: &str) -> String {
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    entities.into_iter().fold(text.to_owned(), |text, (entity, meaning)| text.replace(entity, meaning))
}

/// The elements of a text in the order of their beginnings.
struct Elements<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl<'a> Elements<'a> {
    /// Moves on by `length` bytes and gives them.
    fn skip(&mut self, length: usize) -> &'a str {
        let skipped = &self.text[self.at..self.at + length];
        self.line += skipped.bytes().filter(|&byte| byte == b'\n').count();
        self.at += length;
        skipped
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }
}

impl<'a> Iterator for Elements<'a> {
    type Item = Element<'a>;

    fn next(&mut self) -> Option<Element<'a>> {
        loop {
            let start = self.rest().find('<')?;
            self.skip(start);
            let length = self.rest().find('>')? + 1;
            let line = self.line;
            let tag = self.skip(length);
            let inner = &tag[1..length - 1];
            if inner.starts_with(['/', '?', '!']) {
                continue;
            }
            let (name, attributes) =
                inner.split_at(inner.find([' ', '/', '\n', '\t']).unwrap_or(inner.len()));
            let content = if inner.ends_with('/') { "" } else { self.content() };
            return Some(Element { name, attributes, content, line });
        }
    }
}

impl<'a> Elements<'a> {
    /// The text or the CDATA that follows, up to the next tag.
    fn content(&mut self) -> &'a str {
        let rest = self.rest();
        let data = rest.trim_start().starts_with("<![CDATA[");
        let end = if data { rest.find("]]>").map(|end| end + 3) } else { rest.find('<') };
        self.skip(end.unwrap_or(rest.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "<?xml version=\"1.0\"?>\n<ChineseChessRecord Version=\"1.0\">\n<Head>\n<Name>A &amp; B</Name>\n\
        <URL />\n<RecordResult>2</RecordResult>\n</Head>\n<MoveList>\n<Move value=\"00-00\"><![CDATA[first]]></Move>\n\
        <Move value=\"77-47\" />\n<Move value=\"70-62\" end=\"1\"><![CDATA[last > \n<b>]]></Move>\n</MoveList>\n\
        </ChineseChessRecord>\n";

    #[test]
    fn headings_moves_and_comments_are_read() {
        let result = read(FILE);
        assert_eq!(result.errors, []);
        let game = &result.games[0];
        assert_eq!(game.tags.get("Title"), Some("A & B"));
        assert_eq!(game.result, GameResult::BlackWins);
        let nodes: Vec<NodeId> = game.main_line().collect();
        assert_eq!(
            nodes.iter().map(|&node| game.mv(node).unwrap().to_string()).collect::<Vec<_>>(),
            ["h2e2", "h9g7"]
        );
        assert_eq!([game.comment(NodeId::ROOT), game.comment(nodes[1])], ["first", "last > \n<b>"]);
    }

    #[test]
    fn an_unreadable_move_ends_the_game_with_its_line() {
        let result = read(&FILE.replace("70-62", "70-6x"));
        assert_eq!(result.games, []);
        let error = &result.errors[0];
        assert!(error.to_string().starts_with("game 1, line 11, `Move value=\"70-6x\""), "{error}");
        assert_eq!(error.partial.as_ref().unwrap().moves().count(), 1);
    }
}
