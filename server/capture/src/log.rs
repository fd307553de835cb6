//! A recorded observation log: what a table's devices did and what was decided of it, in the order in which it came, so
//! that a game can be followed again offline. `hardware/simulator`'s README describes the format.

use firmware_proto::{Epoch, HealthFault, Millis, PlayerSignal, Reading, SensingKind};
use serde::{Deserialize, Serialize};
use xiangqi::{BySide, Move, Point, Position, Side};

use crate::{Params, PlyNo, Readings, Seen, What};

/// The version of the format that is written; the only one that is read.
pub const VERSION: u32 = 1;

/// A log of one game.
#[derive(Clone, Debug)]
pub struct Log {
    /// Where it comes from, in words.
    pub title: String,
    /// The position that the game starts from.
    pub start: Position,
    /// The tracker's numbers.
    pub params: Params,
    /// What came, and when.
    pub entries: Vec<(i64, Entry)>,
    /// What is known to have happened, if it is: `(when, number, move)`.
    pub played: Vec<(i64, u16, Move)>,
    /// What is known to have gone wrong, in words, and when.
    pub troubles: Vec<(i64, String)>,
}

/// Something that came to a tracker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A device did something.
    Seen(Seen),
    /// An arbiter corrected the record.
    Correct {
        /// From this ply on.
        from: PlyNo,
        /// What was played instead; empty: taken back.
        line: Vec<Move>,
    },
    /// The game ended.
    Close {
        /// When.
        at: Epoch,
    },
    /// The server was restarted.
    Restart,
}

/// What is wrong with a log.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// It is no log, or one of another version.
    #[error(
        "line 1: this is no log of version {VERSION}: it must begin with {{\"chuhe_log\":{VERSION}, …}}: {0}"
    )]
    Head(String),
    /// A line cannot be read.
    #[error("line {line}: {why}")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
}

#[derive(Serialize, Deserialize)]
struct Head {
    chuhe_log: u32,
    #[serde(default)]
    title: String,
    start: String,
    /// The tracker's numbers, those that are not the usual ones.
    #[serde(default)]
    params: serde_json::Map<String, serde_json::Value>,
}

#[derive(Serialize, Deserialize)]
struct Line {
    /// When it came, ms.
    came: i64,
    #[serde(flatten)]
    word: Word,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
enum Word {
    Point { at: i64, point: Point, shows: u8 },
    Image { at: i64, sensing: SensingKind, ranks: String },
    Press { at: i64, side: Side, red_ms: u32, black_ms: u32 },
    Flag { at: i64, side: Side, red_ms: u32, black_ms: u32 },
    Clock { at: i64, running: Option<Side>, red_ms: u32, black_ms: u32 },
    Signal { at: i64, side: Side, signal: PlayerSignal },
    Health { at: i64, fault: HealthFault, point: Option<Point> },
    BoardUp { at: i64, sensing: SensingKind },
    BoardDown { at: i64 },
    ClockUp { at: i64 },
    ClockDown { at: i64 },
    Lost { at: i64 },
    Correct { from: PlyNo, line: Vec<Move> },
    Close { at: i64 },
    Restart,
    Played { no: u16, mv: Move },
    Trouble { words: String },
}

impl Log {
    /// An empty log of a game from the usual position.
    #[must_use]
    pub fn new(params: Params) -> Log {
        Log {
            title: String::new(),
            start: Position::start(),
            params,
            entries: Vec::new(),
            played: Vec::new(),
            troubles: Vec::new(),
        }
    }

    /// Something came at this ms.
    pub fn push(&mut self, came: i64, entry: Entry) {
        self.entries.push((came, entry));
    }

    /// What was seen, and when it came.
    pub fn seen(&self) -> impl Iterator<Item = (i64, &Seen)> {
        self.entries.iter().filter_map(|(came, entry)| match entry {
            Entry::Seen(seen) => Some((*came, seen)),
            Entry::Correct { .. } | Entry::Close { .. } | Entry::Restart => None,
        })
    }

    /// Writes it, one object a line.
    #[must_use]
    pub fn write(&self) -> String {
        let head = Head {
            chuhe_log: VERSION,
            title: self.title.clone(),
            start: self.start.fen(),
            params: unusual(&self.params),
        };
        let entries = self.entries.iter().map(|(came, entry)| Line { came: *came, word: word(entry) });
        let played = self.played.iter().map(|&(came, no, mv)| Line { came, word: Word::Played { no, mv } });
        let troubles = self
            .troubles
            .iter()
            .map(|(came, words)| Line { came: *came, word: Word::Trouble { words: words.clone() } });
        let mut text = json(&head);
        for line in entries.chain(played).chain(troubles) {
            text.push('\n');
            text.push_str(&json(&line));
        }
        text.push('\n');
        text
    }

    /// Reads one.
    pub fn read(text: &str) -> Result<Log, LogError> {
        let mut lines = text.lines().enumerate();
        let first = lines.next().map_or("", |(_, line)| line);
        let head: Head = serde_json::from_str(first).map_err(|why| LogError::Head(why.to_string()))?;
        if head.chuhe_log != VERSION {
            return Err(LogError::Head(format!("it is of version {}", head.chuhe_log)));
        }
        let start = Position::from_fen(&head.start).map_err(|why| LogError::Head(why.to_string()))?;
        let params =
            serde_json::from_value(head.params.into()).map_err(|why| LogError::Head(why.to_string()))?;
        let mut log = Log { title: head.title, start, ..Log::new(params) };
        for (index, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            let wrong = |why: String| LogError::Line { line: index + 1, why };
            let Line { came, word } = serde_json::from_str(line).map_err(|why| wrong(why.to_string()))?;
            if let Word::Played { no, mv } = word {
                log.played.push((came, no, mv));
            } else if let Word::Trouble { words } = word {
                log.troubles.push((came, words));
            } else {
                log.push(came, entry(word).map_err(wrong)?);
            }
        }
        Ok(log)
    }
}

/// The numbers that are not the usual ones: logs stay readable when a number is added or goes.
fn unusual(params: &Params) -> serde_json::Map<String, serde_json::Value> {
    let object = |params: &Params| match serde_json::to_value(params) {
        Ok(serde_json::Value::Object(object)) => object,
        Ok(_) | Err(_) => serde_json::Map::new(),
    };
    let usual = object(&Params::default());
    object(params).into_iter().filter(|(name, value)| usual.get(name) != Some(value)).collect()
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("lines are objects of numbers and words")
}

fn word(entry: &Entry) -> Word {
    let seen = match entry {
        Entry::Correct { from, line } => return Word::Correct { from: *from, line: line.clone() },
        Entry::Close { at } => return Word::Close { at: at.0 },
        Entry::Restart => return Word::Restart,
        Entry::Seen(seen) => seen,
    };
    let at = seen.at.0;
    match &seen.what {
        What::Changed(point, reading) => Word::Point { at, point: *point, shows: reading.0 },
        What::Image(readings) => Word::Image { at, sensing: readings.kind, ranks: ranks(readings) },
        What::Pressed(side, left) => {
            Word::Press { at, side: *side, red_ms: left.red.0, black_ms: left.black.0 }
        }
        What::Flagged(side, left) => {
            Word::Flag { at, side: *side, red_ms: left.red.0, black_ms: left.black.0 }
        }
        What::ClockSet(left, running) => {
            Word::Clock { at, running: *running, red_ms: left.red.0, black_ms: left.black.0 }
        }
        What::Signalled(side, signal) => Word::Signal { at, side: *side, signal: *signal },
        What::Health(fault, point) => Word::Health { at, fault: *fault, point: *point },
        What::BoardUp(sensing) => Word::BoardUp { at, sensing: *sensing },
        What::BoardDown => Word::BoardDown { at },
        What::ClockUp => Word::ClockUp { at },
        What::ClockDown => Word::ClockDown { at },
        What::Lost => Word::Lost { at },
    }
}

fn entry(word: Word) -> Result<Entry, String> {
    let left = |red, black| BySide { red: Millis(red), black: Millis(black) };
    let (at, what) = match word {
        Word::Point { at, point, shows } => (at, What::Changed(point, Reading(shows))),
        Word::Image { at, sensing, ranks } => (at, What::Image(Box::new(readings(sensing, &ranks)?))),
        Word::Press { at, side, red_ms, black_ms } => (at, What::Pressed(side, left(red_ms, black_ms))),
        Word::Flag { at, side, red_ms, black_ms } => (at, What::Flagged(side, left(red_ms, black_ms))),
        Word::Clock { at, running, red_ms, black_ms } => {
            (at, What::ClockSet(left(red_ms, black_ms), running))
        }
        Word::Signal { at, side, signal } => (at, What::Signalled(side, signal)),
        Word::Health { at, fault, point } => (at, What::Health(fault, point)),
        Word::BoardUp { at, sensing } => (at, What::BoardUp(sensing)),
        Word::BoardDown { at } => (at, What::BoardDown),
        Word::ClockUp { at } => (at, What::ClockUp),
        Word::ClockDown { at } => (at, What::ClockDown),
        Word::Lost { at } => (at, What::Lost),
        Word::Correct { from, line } => return Ok(Entry::Correct { from, line }),
        Word::Close { at } => return Ok(Entry::Close { at: Epoch(at) }),
        Word::Restart => return Ok(Entry::Restart),
        Word::Played { .. } | Word::Trouble { .. } => return Err("this is no entry".to_owned()),
    };
    Ok(Entry::Seen(Seen { at: Epoch(at), what }))
}

/// An image as in a diagram: ranks 9 to 0 between strokes, files a to i, a dot or the reading in base 36.
fn ranks(readings: &Readings) -> String {
    let letter = |file: u8, rank: u8| {
        let reading = Point::new(file, rank).map_or(0, |point| readings.points[point.index()].0);
        char::from_digit(u32::from(reading), 36).filter(|letter| *letter != '0').unwrap_or('.')
    };
    let rank = |rank: u8| (0..9).map(|file| letter(file, rank)).collect::<String>();
    (0..10).rev().map(rank).collect::<Vec<_>>().join("/")
}

fn readings(kind: SensingKind, ranks: &str) -> Result<Readings, String> {
    let mut readings = Readings { kind, points: [Reading::EMPTY; Point::COUNT] };
    let rows: Vec<&str> = ranks.split('/').collect();
    if rows.len() != 10 || rows.iter().any(|row| row.chars().count() != 9) {
        return Err(format!("“{ranks}”: an image has ten ranks of nine points"));
    }
    for (row, rank) in rows.iter().zip((0..10).rev()) {
        for (letter, file) in row.chars().zip(0..) {
            let digit = if letter == '.' { Some(0) } else { letter.to_digit(36) };
            let reading = digit.ok_or_else(|| format!("“{ranks}”: “{letter}” is no reading"))?;
            let point = Point::new(file, rank).ok_or_else(|| format!("“{ranks}”: too large"))?;
            readings.points[point.index()] = Reading(u8::try_from(reading).unwrap_or(0));
        }
    }
    Ok(readings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let mut log = Log::new(Params::default());
        log.title = "a game".to_owned();
        let mut readings = Readings { kind: SensingKind::Identity, points: [Reading::EMPTY; Point::COUNT] };
        readings.points[Point::ALL[4].index()] = Reading(32);
        let left = BySide { red: Millis(1), black: Millis(2) };
        let point: Point = "b0".parse().unwrap();
        for what in [
            What::BoardUp(SensingKind::Identity),
            What::Image(Box::new(readings)),
            What::ClockUp,
            What::ClockSet(left, Some(Side::Red)),
            What::Changed(point, Reading(7)),
            What::Pressed(Side::Black, left),
            What::Flagged(Side::Red, left),
            What::Signalled(Side::Red, PlayerSignal::Resign),
            What::Health(HealthFault::Supply(4_700), None),
            What::BoardDown,
            What::ClockDown,
            What::Lost,
        ] {
            log.push(7, Entry::Seen(Seen { at: Epoch(5), what }));
        }
        log.push(8, Entry::Correct { from: PlyNo(3), line: vec!["h2e2".parse().unwrap()] });
        log.push(8, Entry::Restart);
        log.push(9, Entry::Close { at: Epoch(8) });
        log.played.push((5, 1, "h2e2".parse().unwrap()));
        log.troubles.push((6, "knocked over".to_owned()));
        let again = Log::read(&log.write()).unwrap();
        assert_eq!(again.entries, log.entries);
        assert_eq!((again.title, again.played, again.troubles), (log.title, log.played, log.troubles));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let read = |text: &str| Log::read(text).unwrap_err().to_string();
        assert!(read("").contains("line 1"));
        assert!(read(r#"{"chuhe_log":2,"start":"x"}"#).contains("version 2"));
        let head = Log::new(Params::default()).write();
        let words = read(&format!("{head}{}", r#"{"came":1,"what":"point","at":1,"point":"z9","shows":1}"#));
        assert!(words.contains("line 2") && words.contains("z9"), "{words}");
        let words = read(&format!(
            "{head}{}",
            r#"{"came":1,"what":"image","at":1,"sensing":"Colour","ranks":"1/2"}"#
        ));
        assert!(words.contains("ten ranks"), "{words}");
    }
}
