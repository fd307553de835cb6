//! Reading PGN.

use core::time::Duration;

use super::super::{Game, GameResult, MAX_DEPTH, MAX_MOVES, NodeId, Place, Problem, ReadError, ReadResult};
use super::lexer::{Lexer, Token};
use crate::notation;
use crate::{Notation, Position};

/// Reads all games of a PGN text.
pub(in super::super) fn read(text: &str) -> ReadResult {
    let mut result = ReadResult::default();
    let mut lexer = Lexer::new(text);
    let mut pending = lexer.next();
    let mut game = 1;
    while pending.is_some() {
        let mut reader = Reader::new(game);
        pending = reader.read_game(pending, &mut lexer);
        if !reader.is_empty() {
            game += 1;
            reader.finish(&mut result);
        }
    }
    result
}

/// Reads one game.
struct Reader {
    number: usize,
    game: Game,
    tag_result: Option<GameResult>,
    seen_tags: bool,
    /// The line being read and, below it, those that it interrupts.
    levels: Vec<Level>,
    errors: Vec<ReadError>,
    /// What ended the game before its end.
    fatal: Option<(Place, Problem)>,
}

/// A line of moves being read.
struct Level {
    /// The text line on which it begins.
    opened: usize,
    /// The last move read.
    node: NodeId,
    /// The position after it.
    position: Position,
    /// The node and position before it: what a variation goes back to.
    before: Option<(NodeId, Position)>,
    /// A comment that stands before the first move of a variation.
    preface: String,
    /// Whether an error made the rest of this variation unreadable.
    lost: bool,
}

impl Level {
    const fn new(opened: usize, node: NodeId, position: Position) -> Level {
        Level { opened, node, position, before: None, preface: String::new(), lost: false }
    }
}

type Pending<'a> = Option<(usize, Token<'a>)>;

impl Reader {
    fn new(number: usize) -> Reader {
        let game = Game::default();
        let levels = vec![Level::new(1, NodeId::ROOT, game.start().clone())];
        Reader { number, game, tag_result: None, seen_tags: false, levels, errors: Vec::new(), fatal: None }
    }

    /// Whether there was nothing to read, and nothing that could not be read.
    fn is_empty(&self) -> bool {
        let nothing_read = !self.seen_tags && self.game == Game::default();
        nothing_read && self.errors.is_empty() && self.fatal.is_none()
    }

    /// Reads from `first` to the end of the game; gives the token after it.
    fn read_game<'a>(&mut self, first: Pending<'a>, lexer: &mut Lexer<'a>) -> Pending<'a> {
        let mut pending = first;
        let mut in_moves = false;
        while let Some((line, token)) = pending {
            match token {
                // A game without moves and result may come before another.
                Token::Tag(name, _) if in_moves || (name == "Game" && self.seen_tags) => {
                    return Some((line, token));
                }
                Token::Tag(name, text) => self.tag(line, name, &text),
                Token::Comment(text) => self.comment(text),
                Token::Open => self.open(line),
                Token::Close => self.close(line),
                Token::Word(word) => {
                    in_moves = true;
                    if !self.in_variation()
                        && let Some(result) = GameResult::from_word(word)
                    {
                        self.game.result = result;
                        lexer.skip_to_game();
                        return lexer.next();
                    }
                    self.word(line, word);
                }
                Token::Bad(text, Problem::Tag) if !in_moves => {
                    self.error(Place::line(line, text), Problem::Tag);
                }
                Token::Bad(text, problem) => self.fail(Place::line(line, text), problem),
            }
            if self.fatal.is_some() {
                lexer.skip_to_game();
                return lexer.next();
            }
            pending = lexer.next();
        }
        None
    }

    const fn in_variation(&self) -> bool {
        self.levels.len() > 1
    }

    fn error(&mut self, place: Place, problem: Problem) {
        self.errors.push(ReadError { game: self.number, place, problem, partial: None });
    }

    /// Something cannot be read: in a variation that loses the variation, in
    /// the main line the game.
    fn fail(&mut self, place: Place, problem: Problem) {
        match &mut self.levels[..] {
            [_] | [] => self.fatal = Some((place, problem)),
            [.., level] => {
                level.lost = true;
                self.error(place, problem);
            }
        }
    }

    fn tag(&mut self, line: usize, name: &str, text: &str) {
        self.seen_tags = true;
        match name {
            "Game" | "Format" => {}
            "Result" => self.tag_result = GameResult::from_word(text),
            "FEN" if text.trim().is_empty() => {}
            "FEN" => match Position::from_fen(text) {
                Ok(start) => {
                    let tags = core::mem::take(&mut self.game.tags);
                    let comment = self.game.comment(NodeId::ROOT).to_owned();
                    self.game = Game::new(start.clone());
                    self.game.tags = tags;
                    self.game.set_comment(NodeId::ROOT, comment);
                    self.levels = vec![Level::new(line, NodeId::ROOT, start)];
                }
                Err(error) => self.fail(Place::line(line, text), error.into()),
            },
            name => self.game.tags.set(name, text),
        }
    }

    fn comment(&mut self, text: &str) {
        let in_variation = self.in_variation();
        let Some(level) = self.levels.last_mut() else { return };
        if level.lost {
            return;
        }
        let (clock, text) = split_clock(text);
        if level.before.is_none() && in_variation {
            join(&mut level.preface, &text);
        } else {
            let node = level.node;
            self.game.append_comment(node, &text);
            if clock.is_some() && node != NodeId::ROOT {
                self.game.set_clock(node, clock);
            }
        }
    }

    fn open(&mut self, line: usize) {
        let place = || Place::line(line, "(");
        let Some(level) = self.levels.last() else { return };
        if self.levels.len() > MAX_DEPTH {
            self.fatal = Some((place(), Problem::TooDeep(MAX_DEPTH)));
            return;
        }
        let mut inner = match &level.before {
            Some((node, position)) => Level::new(line, *node, position.clone()),
            None if level.lost => Level::new(line, level.node, level.position.clone()),
            None => {
                self.fail(place(), Problem::NoMoveToVary);
                return;
            }
        };
        inner.lost = level.lost;
        self.levels.push(inner);
    }

    fn close(&mut self, line: usize) {
        if !self.in_variation() {
            self.fatal = Some((Place::line(line, ")"), Problem::NoVariationToClose));
            return;
        }
        if let Some(closed) = self.levels.pop() {
            self.game.append_comment(closed.node, &closed.preface);
        }
    }

    fn word(&mut self, line: usize, word: &str) {
        let in_variation = self.in_variation();
        let Some(level) = self.levels.last_mut() else { return };
        let text = without_number(word);
        if level.lost || text.is_empty() || is_ellipsis(text) {
            return;
        }
        if text.starts_with('$') {
            return self.comment(text);
        }
        let (text, glyph) = split_glyph(text);
        if in_variation && GameResult::from_word(text).is_some() {
            return;
        }
        let place = || Place::line(line, word);
        let Some(notation) = notation::detect(text) else {
            return self.fail(place(), Problem::NotAMove);
        };
        match notation::parse(notation, &level.position, text) {
            Err(error) => self.fail(place(), error.into()),
            Ok(_) if self.game.move_count() == MAX_MOVES => {
                self.fatal = Some((place(), Problem::TooManyMoves(MAX_MOVES)));
            }
            Ok(mv) => {
                let after = level.position.play_irregular(mv);
                let node = self.game.add(level.node, mv);
                let before = core::mem::replace(&mut level.position, after);
                level.before = Some((core::mem::replace(&mut level.node, node), before));
                let preface = core::mem::take(&mut level.preface);
                self.game.append_comment(node, &preface);
                self.game.append_comment(node, glyph);
            }
        }
    }

    fn finish(mut self, result: &mut ReadResult) {
        if self.fatal.is_none() {
            let unclosed: Vec<usize> = self.levels[1..].iter().map(|level| level.opened).collect();
            for line in unclosed {
                self.error(Place::line(line, "("), Problem::UnclosedVariation);
            }
        }
        if let Some(said) = self.tag_result
            && said != GameResult::Unknown
        {
            self.game.result = said;
        }
        result.errors.append(&mut self.errors);
        match self.fatal {
            None => result.games.push(self.game),
            Some((place, problem)) => {
                let partial = Some(Box::new(self.game));
                result.errors.push(ReadError { game: self.number, place, problem, partial });
            }
        }
    }
}

fn join(comment: &mut String, text: &str) {
    if !comment.is_empty() && !text.is_empty() {
        comment.push('\n');
    }
    comment.push_str(text);
}

/// The clock in a comment, `[%clk 0:29:50]`, and the comment without it.
fn split_clock(comment: &str) -> (Option<Duration>, String) {
    let whole = || (None, comment.trim().to_owned());
    let Some((before, rest)) = comment.split_once("[%clk") else { return whole() };
    let Some((clock, after)) = rest.split_once(']') else { return whole() };
    match parse_clock(clock.trim()) {
        None => whole(),
        clock => {
            let mut text = before.trim().to_owned();
            join(&mut text, after.trim());
            (clock, text)
        }
    }
}

/// `h:mm:ss` or `h:mm:ss.fff`.
fn parse_clock(text: &str) -> Option<Duration> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut seconds = 0u64;
    for part in whole.split(':') {
        seconds = seconds.checked_mul(60)?.checked_add(u64::from(part.parse::<u32>().ok()?))?;
    }
    let millis = match fraction {
        "" => 0,
        digits => format!("{digits:0<3}").get(..3)?.parse::<u16>().ok()?,
    };
    Some(Duration::from_secs(seconds) + Duration::from_millis(millis.into()))
}

/// A word without the number of the round that it begins with: `1.`, `12...`,
/// `３．`.
pub(in super::super) fn without_number(word: &str) -> &str {
    let after = word.trim_start_matches(|c: char| c.is_ascii_digit() || ('０'..='９').contains(&c));
    if after.len() == word.len() {
        return word;
    }
    let rest = after.trim_start_matches(['.', '．', '、', '…']);
    // `15.6` is a soldier's move in WXF, not the round 15.
    let is_move =
        rest.starts_with(|c: char| c.is_ascii_digit()) && notation::detect(word) == Some(Notation::Wxf);
    if is_move || (rest.len() == after.len() && !after.is_empty()) { word } else { rest }
}

fn is_ellipsis(word: &str) -> bool {
    word.chars().all(|c| matches!(c, '.' | '．' | '…' | '。'))
}

/// A move and the judgement, `!` or `?`, that it ends with.
fn split_glyph(word: &str) -> (&str, &str) {
    word.split_at(word.trim_end_matches(['!', '?', '！', '？']).len())
}
