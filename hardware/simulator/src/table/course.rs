//! The course of a table's games: its clock is set, hands lay the pieces, a game is played or interrupted, and ends.

use firmware_proto::{ClockFace, Half, Millis};
use xiangqi::{Point, Position};

use super::{TableConfig, VirtualTable};
use crate::dice::Dice;
use crate::games::Ending;
use crate::hands::{Act, Script};
use crate::man::{Man, Stand, stand};
use crate::truth::{GameEnd, PlayedGame, PlayedPly};

/// A clock that stands still for so long in mid-game was stopped for good, ms.
const STOPPED_AFTER: i64 = 3_000;

pub(super) enum Phase {
    /// Waits for its clock to be set.
    Idle,
    /// Hands lay the pieces until `ready`; then this game is played.
    SettingUp { ready: i64, script: Box<Script>, id: String },
    /// This game has come to this ms of its script and waits for its clock to run.
    Interrupted { at: i64, script: Box<Script>, id: String },
    /// A game is played; `began`: when its script's ms 0 was, or would have been.
    Playing { began: i64, script: Box<Script>, id: String, paused: Option<i64> },
}

impl Phase {
    /// A game that had come so far waits for its clock to run; and what its board shows.
    pub(super) fn interrupted(config: &TableConfig, plies: usize, base: Millis) -> (Phase, Stand) {
        let (script, id) = config.script(config.games_before, base);
        let at = script.completed(plies);
        let shown = script.shown_at(at);
        (Phase::Interrupted { at, script: Box::new(script), id }, shown)
    }

    /// What the hands do in the present game.
    pub(super) fn script(&self) -> Option<&Script> {
        match self {
            Phase::Idle => None,
            Phase::SettingUp { script, .. }
            | Phase::Interrupted { script, .. }
            | Phase::Playing { script, .. } => Some(script),
        }
    }

    /// When it may turn into the next one.
    pub(super) fn next_instant(&self, now: i64) -> Option<i64> {
        match self {
            Phase::Idle | Phase::Interrupted { .. } => None,
            Phase::SettingUp { ready, .. } => Some(*ready),
            Phase::Playing { began, script, paused, .. } => {
                let ended = began + script.truth.ended;
                if now < ended { Some(ended) } else { paused.map(|since| since + STOPPED_AFTER) }
            }
        }
    }
}

impl VirtualTable {
    /// Its clock was set: a round begins, or the game that was interrupted goes on.
    pub(super) fn clock_was_set(&mut self, face: ClockFace) {
        match (&self.phase, face.running) {
            (Phase::Idle, None) => self.set_up(face),
            (Phase::Interrupted { .. }, Some(_)) => self.go_on(),
            (Phase::Idle, Some(_))
            | (Phase::Interrupted { .. }, None)
            | (Phase::SettingUp { .. } | Phase::Playing { .. }, _) => {}
        }
    }

    /// Hands lay the pieces for the next game.
    fn set_up(&mut self, face: ClockFace) {
        let base = face.left[Half::A].min(face.left[Half::B]);
        let (script, id) = self.config.script(self.games_played, base);
        self.board.turned = script.turned;
        let ready = self.lay(&script.stands, self.config.dice(self.games_played).branch(6));
        self.phase = Phase::SettingUp { ready, script: Box::new(script), id };
    }

    /// Lays the pieces one by one. Returns when they stand.
    fn lay(&mut self, wanted: &Stand, mut dice: Dice) -> i64 {
        let mut at = self.now + dice.between(1_000, 3_000);
        let wrong: Vec<Point> = Point::ALL
            .into_iter()
            .filter(|&point| {
                let (stands, wanted) = (self.stands[point.index()], wanted[point.index()]);
                stands.map(Man::piece) != wanted.map(Man::piece) || !self.board.shows(point, wanted)
            })
            .collect();
        for &point in wrong.iter().filter(|point| self.stands[point.index()].is_some()) {
            self.acts.push_back((at, Act::Shows(point, None)));
            at += dice.between(100, 300);
        }
        for &point in wrong.iter().filter(|point| wanted[point.index()].is_some()) {
            at += dice.between(150, 450);
            self.acts.push_back((at, Act::Shows(point, wanted[point.index()])));
        }
        self.stands = *wanted;
        at + dice.between(1_000, 2_000)
    }

    /// The game that was interrupted goes on where it stood.
    fn go_on(&mut self) {
        let Phase::Interrupted { at, script, id } = std::mem::replace(&mut self.phase, Phase::Idle) else {
            return;
        };
        let began = self.now - at;
        let left = script.acts.iter().filter(|(when, _)| *when > at);
        self.acts = left.map(|&(when, act)| (began + when, act)).collect();
        self.phase = Phase::Playing { began, script, id, paused: None };
    }

    /// Goes from one phase to the next when it is time.
    pub(super) fn turn(&mut self) {
        match &self.phase {
            Phase::Idle | Phase::Interrupted { .. } => {}
            Phase::SettingUp { ready, .. } => {
                if *ready <= self.now {
                    self.play();
                }
            }
            Phase::Playing { .. } => {
                if let Some(ending) = self.ending() {
                    self.finish(ending);
                }
            }
        }
    }

    fn play(&mut self) {
        let Phase::SettingUp { script, id, .. } = std::mem::replace(&mut self.phase, Phase::Idle) else {
            return;
        };
        let began = self.now;
        self.acts = script.acts.iter().map(|&(at, act)| (began + at, act)).collect();
        for point in Point::ALL {
            if script.shown[point.index()] != script.stands[point.index()] {
                self.board.show(point, script.shown[point.index()], began);
            }
        }
        self.phase = Phase::Playing { began, script, id, paused: None };
    }

    /// How the game that is played has ended by now, if it has: as its script says, by the clock's flag, or stopped.
    fn ending(&mut self) -> Option<GameEnd> {
        let Phase::Playing { began, script, paused, .. } = &mut self.phase else { return None };
        let face = self.devices.iter().find_map(|installed| installed.device.face());
        let begun = script.acts.first().is_some_and(|(at, _)| began.saturating_add(*at) < self.now);
        if let Some(face) = face.filter(|_| begun) {
            let stopped = face.running.is_none() && !self.held;
            if stopped && script.has_started(self.now - *began) {
                paused.get_or_insert(self.now);
            } else {
                *paused = None;
            }
            if let Some(fallen) = Half::ALL.into_iter().find(|&half| face.left[half].0 == 0) {
                return Some(GameEnd::Played(Ending::Flag(self.config.seating().side(fallen))));
            }
        }
        let over = self.now >= *began + script.truth.ended;
        let as_played = GameEnd::Played(script.truth.ending);
        if paused.is_some_and(|since| self.now >= since + STOPPED_AFTER) {
            Some(if over { as_played } else { GameEnd::Stopped })
        } else {
            // A flag is seen on the clock.
            (over && !matches!(script.truth.ending, Ending::Flag(_))).then_some(as_played)
        }
    }

    fn finish(&mut self, ending: GameEnd) {
        let Phase::Playing { began, script, id, .. } = std::mem::replace(&mut self.phase, Phase::Idle) else {
            return;
        };
        let as_played = ending == GameEnd::Played(script.truth.ending);
        if !as_played {
            self.acts.clear();
        }
        self.games_played += 1;
        let Script { truth, left, .. } = *script;
        let ended = self.now - began;
        let plies: Vec<PlayedPly> = truth.plies.into_iter().filter(|ply| ply.placed <= ended).collect();
        let last = plies.iter().fold(Position::start(), |position, ply| position.play_irregular(ply.mv));
        // After a game that ended as it was meant to the players may go on at the board.
        self.stands = if as_played { left } else { stand(last.board()) };
        self.played.push_back(PlayedGame {
            table: self.config.table,
            game_no: self.games_played,
            id,
            moves: plies.iter().map(|ply| ply.mv).collect(),
            ending,
            alerts_due: truth.due.into_iter().filter(|due| due.at <= ended).collect(),
            plies,
            struck: truth.struck,
            began: self.config.started.plus(began),
            ended: self.config.started.plus(self.now),
            dead: truth.dead,
        });
    }
}
