//! Writing PGN.

use core::fmt::Write as _;
use core::time::Duration;

use super::super::{Game, NodeId};
use crate::{Notation, Position, Side, notation};

/// What a written PGN holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How moves are written.
    pub notation: Notation,
    /// Whether the clocks are written, `[%clk h:mm:ss]`, one move a line.
    pub clocks: bool,
}

impl Default for Options {
    /// Chinese moves, no clocks: what every viewer reads.
    fn default() -> Options {
        Options { notation: Notation::Chinese, clocks: false }
    }
}

/// Writes games as PGN.
///
/// A round stands on a line of its own, each comment and each variation too:
/// viewers that search lines for brackets lose moves otherwise. In a comment
/// `}`, which PGN cannot hold, becomes `｝`.
#[must_use]
pub fn write<'a>(games: impl IntoIterator<Item = &'a Game>, options: Options) -> String {
    let mut text = String::new();
    for game in games {
        if !text.is_empty() {
            text.push('\n');
        }
        write_tags(&mut text, game, options.notation);
        Writer::new(game, options).write(&mut text);
    }
    text
}

/// The tags that are always written, in the order of the standard.
const ALWAYS: [&str; 7] = ["Event", "Site", "Date", "Round", "RedTeam", "Red", "BlackTeam"];
/// The tags that follow the result, if there are any.
const OPENING: [&str; 3] = ["Opening", "Variation", "ECCO"];

fn write_tags(text: &mut String, game: &Game, notation: Notation) {
    tag(text, "Game", "Chinese Chess");
    for name in ALWAYS.into_iter().chain(["Black"]) {
        tag(text, name, game.tags.get(name).unwrap_or_default());
    }
    tag(text, "Result", game.result.pgn());
    for name in OPENING {
        if let Some(value) = game.tags.get(name) {
            tag(text, name, value);
        }
    }
    if *game.start() != Position::start() {
        tag(text, "FEN", &game.start().fen());
    }
    match notation {
        Notation::Chinese => {}
        Notation::Wxf => tag(text, "Format", "WXF"),
        Notation::Iccs => tag(text, "Format", "ICCS"),
        Notation::Uci => tag(text, "Format", "UCI"),
    }
    let written =
        |name: &str| ALWAYS.contains(&name) || OPENING.contains(&name) || name == "Black" || is_ours(name);
    for (name, value) in game.tags.iter().filter(|(name, _)| !written(name)) {
        tag(text, name, value);
    }
}

/// Whether a tag says what the game itself says.
fn is_ours(name: &str) -> bool {
    matches!(name, "Game" | "Result" | "FEN" | "Format")
}

fn tag(text: &mut String, name: &str, value: &str) {
    let name: String = name.chars().filter(|c| c.is_alphanumeric() || *c == '_').collect();
    if name.is_empty() {
        return;
    }
    text.push('[');
    text.push_str(&name);
    text.push_str(" \"");
    for character in value.chars() {
        match character {
            '"' | '\\' => text.extend(['\\', character]),
            '\n' | '\r' => text.push(' '),
            character => text.push(character),
        }
    }
    text.push_str("\"]\n");
}

/// What is left to write.
enum Task {
    /// The children of a node: its line and the variations of that.
    Children(NodeId),
    /// A variation, in brackets.
    Variation(NodeId),
    /// The bracket that ends it, and what follows.
    Close,
}

struct Writer<'a> {
    game: &'a Game,
    clocks: bool,
    /// By node: its move as text and the ply that it is, from 1.
    moves: Vec<(String, usize)>,
    /// How many plies stand before the game's first round of its own:
    /// 1 if Black moves first.
    offset: usize,
    /// How many variations are open.
    depth: usize,
    /// Whether the line being written ends with Red's move, ready for Black's.
    awaits_black: bool,
}

impl<'a> Writer<'a> {
    fn new(game: &'a Game, options: Options) -> Writer<'a> {
        let mut moves = vec![(String::new(), 0); game.move_count() + 1];
        game.walk(|step| {
            let text = notation::write(options.notation, step.before, step.mv);
            moves[step.node.index()] = (text, step.ply);
            true
        });
        let offset = match game.start().side_to_move() {
            Side::Red => 0,
            Side::Black => 1,
        };
        Writer { game, clocks: options.clocks, moves, offset, depth: 0, awaits_black: false }
    }

    fn write(mut self, text: &mut String) {
        self.annotation(text, NodeId::ROOT);
        let mut tasks = vec![Task::Children(NodeId::ROOT)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Children(parent) => self.children(text, parent, &mut tasks),
                Task::Variation(first) => {
                    self.new_line(text);
                    text.push_str(if self.depth == 0 { "(" } else { " (" });
                    self.depth += 1;
                    tasks.push(Task::Close);
                    self.mv(text, first);
                    tasks.push(Task::Children(first));
                }
                Task::Close => {
                    text.push(')');
                    self.depth -= 1;
                    self.awaits_black = false;
                    if self.depth == 0 {
                        text.push('\n');
                    }
                }
            }
        }
        self.new_line(text);
        let _ = writeln!(text, " {}", self.game.result);
    }

    /// Writes the move that goes on from `parent` and leaves its variations
    /// and what follows to `tasks`.
    fn children(&mut self, text: &mut String, parent: NodeId, tasks: &mut Vec<Task>) {
        let Some(main) = self.game.next(parent) else { return };
        self.mv(text, main);
        tasks.push(Task::Children(main));
        let first_task = tasks.len();
        tasks.extend(self.game.children(parent).skip(1).map(Task::Variation));
        tasks[first_task..].reverse();
    }

    fn mv(&mut self, text: &mut String, node: NodeId) {
        let (san, ply) = &self.moves[node.index()];
        let ply = ply + self.offset;
        let round = ply.div_ceil(2);
        let is_black = ply.is_multiple_of(2);
        if is_black && self.awaits_black {
            let _ = write!(text, " {san}");
        } else {
            let dots = if is_black { " ..." } else { "" };
            if self.depth == 0 {
                let _ = write!(text, "{round:>3}.{dots} {san}");
            } else {
                let gap = if text.ends_with('(') { "" } else { " " };
                let _ = write!(text, "{gap}{round}.{dots} {san}");
            }
        }
        self.awaits_black = !is_black;
        if self.depth == 0 && is_black {
            self.new_line(text);
        }
        self.annotation(text, node);
    }

    /// Clock and comment of a node.
    fn annotation(&mut self, text: &mut String, node: NodeId) {
        let clock = self.game.clock(node).filter(|_| self.clocks).map(clock_text);
        let comment = self.game.comment(node).replace('}', "｝");
        let parts: Vec<&str> = clock
            .iter()
            .map(String::as_str)
            .chain([comment.as_str()])
            .filter(|part| !part.is_empty())
            .collect();
        if parts.is_empty() {
            return;
        }
        if self.depth == 0 {
            self.new_line(text);
        } else {
            text.push(' ');
        }
        let _ = write!(text, "{{{}}}", parts.join(" "));
        self.awaits_black = false;
        self.new_line(text);
    }

    /// Ends the line being written, unless a variation goes on with it.
    fn new_line(&mut self, text: &mut String) {
        if self.depth == 0 && !text.ends_with('\n') {
            text.push('\n');
            self.awaits_black = false;
        }
    }
}

fn clock_text(left: Duration) -> String {
    let (seconds, millis) = (left.as_secs(), left.subsec_millis());
    let mut text = format!("[%clk {}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    if millis > 0 {
        let _ = write!(text, ".{millis:03}");
    }
    text.push(']');
    text
}
