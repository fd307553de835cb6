//! A recorded log followed again offline: a game cut into scenes, one for each ply that was completed, with what was
//! seen, what the tracker believed and why it decided.

mod html;
mod lanes;
mod text;
mod words;

use capture::{Cost, Finding, Image, PlyNo, PlyRead, Seen, Sense, Tracker, What};
use firmware_proto::{Epoch, SensingKind};
use xiangqi::{Board, Move, Notation, Point, Position, Side, notation};

use capture::log::{Entry, Log};
pub use html::page;
pub use text::draw;

/// Readings of a game that a tracker follows: what each costs more than the best, and its plies that are not locked.
pub type Beliefs = Vec<(Cost, Vec<Move>)>;

/// A log that was followed again.
#[derive(Clone, Debug)]
pub struct Replay {
    /// Where it comes from.
    pub title: String,
    /// The plies that were read in the end.
    pub plies: Vec<PlyRead>,
    /// They in Chinese notation.
    pub names: Vec<String>,
    /// The game, scene by scene.
    pub scenes: Vec<Scene>,
    /// The first instant: times are shown from here on.
    pub began: i64,
}

/// What happened until a ply was completed.
#[derive(Clone, Debug)]
pub struct Scene {
    /// How many plies were completed at its end.
    pub plies: u16,
    /// What every point showed at its beginning.
    pub shown: [Sense; Point::COUNT],
    /// What happened, in order of time.
    pub events: Vec<Event>,
    /// What the tracker believed at its end.
    pub beliefs: Beliefs,
    /// What should stand on the board at its end by the best reading.
    pub board: Board,
    /// Where the board showed something else then.
    pub differing: Vec<Point>,
}

/// Something that happened.
#[derive(Clone, Debug)]
pub struct Event {
    /// When.
    pub at: i64,
    /// What.
    pub what: Happening,
}

/// What can happen in a replay.
#[derive(Clone, Debug)]
pub enum Happening {
    /// A point shows something else.
    Shows(Point, Sense),
    /// A player pressed.
    Pressed(Side),
    /// Something else that a device did, in words.
    Device(String),
    /// An arbiter, or the server, did something, in words.
    Act(String),
    /// The tracker read a ply.
    Read(Box<PlyRead>),
    /// The tracker said something else.
    Said(Finding),
    /// It is known from elsewhere that this was played.
    Played {
        /// Its number.
        no: u16,
        /// What.
        mv: Move,
        /// Whether that was read in the end.
        read: bool,
    },
    /// It is known from elsewhere that this went wrong.
    Trouble(String),
}

/// So many readings are kept for each scene.
const BELIEFS: usize = 6;
/// After its last line a log is followed for so long, ms.
const AFTER: i64 = 6_000;
impl Replay {
    /// Follows a log.
    #[must_use]
    pub fn of(log: &Log) -> Replay {
        let first = log.entries.first().map_or(0, |(came, _)| *came);
        let mut follower = Follower {
            tracker: Tracker::new(log.start.clone(), log.params.clone(), Epoch(first)),
            kind: None,
            now: [Sense::Empty; Point::COUNT],
            scenes: Vec::new(),
            events: Vec::new(),
            shown: [Sense::Empty; Point::COUNT],
            completed: 0,
        };
        for (came, entry) in &log.entries {
            follower.wait(*came);
            follower.take(*came, entry);
        }
        let last = log.entries.last().map_or(0, |(came, _)| *came);
        follower.wait(last + AFTER);
        follower.cut();
        let mut scenes = follower.scenes;
        let plies = follower.tracker.plies().to_vec();
        let known = log.played.iter().map(|&(at, no, mv)| {
            let read = plies.iter().any(|ply| (ply.no.0, ply.mv) == (no, mv));
            (at, Happening::Played { no, mv, read })
        });
        let troubles = log.troubles.iter().map(|(at, words)| (*at, Happening::Trouble(words.clone())));
        for (at, what) in known.chain(troubles) {
            // Into the first scene that ends after it.
            let ends = |scene: &Scene| scene.events.last().is_some_and(|last| last.at >= at);
            let place = scenes.iter().position(ends).unwrap_or(scenes.len().saturating_sub(1));
            if let Some(scene) = scenes.get_mut(place) {
                scene.events.push(Event { at, what });
            }
        }
        for scene in &mut scenes {
            scene.events.sort_by_key(|event| event.at);
        }
        let mut position = log.start.clone();
        let names = plies.iter().map(|ply| name(&mut position, ply.mv)).collect();
        Replay { title: log.title.clone(), plies, names, scenes, began: first }
    }
}

/// A move in Chinese notation; it is played.
fn name(position: &mut Position, mv: Move) -> String {
    if position.piece_at(mv.from).is_some_and(|piece| piece.side != position.side_to_move()) {
        *position = position.pass();
    }
    let name = notation::write(Notation::Chinese, position, mv);
    *position = position.play_irregular(mv);
    name
}

impl Scene {
    /// Whether there is more in it than a ply that was played, read and completed.
    #[must_use]
    pub fn is_notable(&self) -> bool {
        self.events.iter().any(|event| match &event.what {
            Happening::Shows(..) | Happening::Pressed(_) | Happening::Device(_) => false,
            Happening::Played { read, .. } => !read,
            Happening::Act(_) | Happening::Trouble(_) => true,
            Happening::Read(ply) => ply.irregular.is_some(),
            Happening::Said(finding) => match finding {
                Finding::Read(_)
                | Finding::Confirmed(..)
                | Finding::Locked(_)
                | Finding::SetUpRight
                // For the log, no alarm.
                | Finding::TouchMove { .. } => false,
                Finding::Withdrawn(_)
                | Finding::Mismatch { .. }
                | Finding::Disturbed { .. }
                | Finding::Restored(_)
                | Finding::PressWithoutMove(..)
                | Finding::ClockTurned(..)
                | Finding::Ambiguous { .. }
                | Finding::SetUp { .. }
                | Finding::Suspects { .. }
                | Finding::BadPoint { .. } => true,
            },
        })
    }
}

struct Follower {
    tracker: Tracker,
    /// The board's kind, once it was seen.
    kind: Option<SensingKind>,
    /// What every point shows.
    now: [Sense; Point::COUNT],
    scenes: Vec<Scene>,
    events: Vec<Event>,
    shown: [Sense; Point::COUNT],
    completed: u16,
}

impl Follower {
    /// Time passes up to `until`.
    fn wait(&mut self, until: i64) {
        while let Some((at, _)) = self.tracker.poll_timeout().filter(|(at, _)| at.0 <= until) {
            let findings = self.tracker.on_time(at);
            self.say(at.0, findings);
        }
    }

    fn take(&mut self, came: i64, entry: &Entry) {
        let findings = match entry {
            Entry::Seen(seen) => {
                self.see(seen);
                self.tracker.on_seen(seen)
            }
            Entry::Correct { from, line } => {
                self.event(came, Happening::Act(words::correction(*from, line)));
                self.tracker.correct(*from, line, Epoch(came))
            }
            Entry::Close { at } => {
                self.event(came, Happening::Act("the result is known: the record is closed".to_owned()));
                self.tracker.close(*at)
            }
            Entry::Restart => {
                self.event(came, Happening::Act("the server was restarted".to_owned()));
                Vec::new()
            }
        };
        self.say(came, findings);
    }

    fn see(&mut self, seen: &Seen) {
        let at = seen.at.0;
        match &seen.what {
            What::Changed(point, reading) => {
                if let Some(kind) = self.kind {
                    self.change(at, *point, Sense::read(kind, *reading));
                }
            }
            What::Image(readings) => {
                let image = Image::new(readings);
                if self.kind.replace(readings.kind).is_none() {
                    self.now = std::array::from_fn(|index| image.at(Point::ALL[index]));
                    self.shown = self.now;
                    self.event(at, Happening::Device("the board's first image".to_owned()));
                }
                for point in Point::ALL {
                    self.change(at, point, image.at(point));
                }
            }
            What::Pressed(side, _) => self.event(at, Happening::Pressed(*side)),
            What::BoardUp(_)
            | What::BoardDown
            | What::ClockUp
            | What::ClockDown
            | What::Flagged(..)
            | What::ClockSet(..)
            | What::Signalled(..)
            | What::Health(..)
            | What::Lost => self.event(at, Happening::Device(words::device(&seen.what))),
        }
    }

    fn change(&mut self, at: i64, point: Point, sense: Sense) {
        if std::mem::replace(&mut self.now[point.index()], sense) == sense {
            return;
        }
        self.event(at, Happening::Shows(point, sense));
    }

    fn event(&mut self, at: i64, what: Happening) {
        self.events.push(Event { at, what });
    }

    fn say(&mut self, at: i64, findings: Vec<Finding>) {
        let mut completed = false;
        for finding in findings {
            let completes = if let Finding::Confirmed(PlyNo(no), ..) = finding {
                (no > self.completed).then_some(no)
            } else {
                None
            };
            if let Finding::Withdrawn(PlyNo(from)) = finding {
                self.completed = self.completed.min(from.saturating_sub(1));
            }
            let what = if let Finding::Read(ply) = finding {
                Happening::Read(Box::new(ply))
            } else {
                Happening::Said(finding)
            };
            self.event(at, what);
            if let Some(no) = completes {
                (self.completed, completed) = (no, true);
            }
        }
        if completed {
            self.cut();
        }
    }

    /// A scene ends.
    fn cut(&mut self) {
        let events = std::mem::take(&mut self.events);
        let shown = self.shown;
        for event in &events {
            if let Happening::Shows(point, sense) = &event.what {
                self.shown[point.index()] = *sense;
            }
        }
        if events.is_empty() {
            return;
        }
        self.scenes.push(Scene {
            plies: self.completed,
            shown,
            events,
            beliefs: self.tracker.beliefs(BELIEFS),
            board: self.tracker.expected().clone(),
            differing: self.tracker.differing().into_iter().map(|(point, _)| point).collect(),
        });
    }
}
