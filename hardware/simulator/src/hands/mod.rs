//! Hands: a game becomes sensor changes, lever presses and buttons over time, with the truth beside it.

mod gestures;
mod sensors;

use firmware_proto::PlayerSignal;
use serde::Serialize;
use xiangqi::{Move, Point, Position, Side};

use crate::dice::Dice;
use crate::games::{Ending, Game};
use crate::man::{Man, Stand, stand};
use crate::noise::{Dead, Noise};
use sensors::{Mask, Placed, disturbances, show};

/// Something that happens at the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// A point's sensor shows this from now on.
    Shows(Point, Option<Man>),
    /// A player pushes his lever.
    Lever(Side),
    /// A player uses his buttons.
    Button(Side, PlayerSignal),
}

/// What happens at a table during one game, in ms since the pieces stood.
#[derive(Clone, Debug)]
pub struct Script {
    /// What the sensors show at the beginning.
    pub shown: Stand,
    /// What stands at the beginning.
    pub stands: Stand,
    /// What happens, in order of time.
    pub acts: Vec<(i64, Act)>,
    /// What was played.
    pub truth: Truth,
    /// What stands at the end.
    pub left: Stand,
}

/// What really happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Truth {
    /// The plies.
    pub plies: Vec<PlayedPly>,
    /// How the game ends.
    pub ending: Ending,
    /// When it has ended.
    pub ended: i64,
    /// A point that never senses.
    pub dead: Option<Point>,
    /// What an arbiter should have been told.
    pub due: Vec<Due>,
}

/// A ply as played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PlayedPly {
    /// From where to where.
    pub mv: Move,
    /// When the piece stood.
    pub placed: i64,
    /// When the lever was pushed; `None`: never.
    pub pressed: Option<i64>,
}

/// Something that an arbiter should be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Due {
    /// What.
    pub what: Incident,
    /// When it happened.
    pub at: i64,
    /// After how many plies.
    pub plies: u16,
}

/// What can happen at a table beside moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Incident {
    /// The board was knocked over.
    KnockedOver,
}

/// Time on the clock, ms, so that players do not think longer than they have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// At the start.
    pub base: i64,
    /// Added at each press.
    pub increment: i64,
}

struct Hands<'a> {
    noise: &'a Noise,
    dice: Dice,
    stand: Stand,
    placed: Vec<Placed>,
    off_centre: Vec<Mask>,
    signals: Vec<(i64, Act)>,
}

/// From the pieces standing to the press that starts Red's time, ms.
const BEFORE_START: (i64, i64) = (2_000, 4_000);

/// Plays a game on a board that stands ready.
#[must_use]
pub fn perform(game: &Game, noise: &Noise, budget: Option<Budget>, seed: u64) -> Script {
    let dice = Dice::new(seed);
    let stands = stand(Position::start().board());
    let mut hands = Hands {
        noise,
        dice: dice.branch(2),
        stand: stands,
        placed: Vec::new(),
        off_centre: Vec::new(),
        signals: Vec::new(),
    };
    let (plies, due, now) = hands.play_game(game, budget);
    let ended = hands.end(game, now);
    let Hands { stand: left, mut placed, off_centre, signals, .. } = hands;
    placed.sort_by_key(|one| one.at);
    let mut chance = dice.branch(3);
    let mut masks = disturbances(&stands, &placed, ended, noise, &mut chance);
    masks.extend(off_centre.into_iter().map(|mask| until_touched(mask, &placed)));
    let dead = match noise.dead {
        Dead::No => None,
        Dead::Unknown | Dead::Known => chance.pick(&Point::ALL),
    };
    masks.extend(dead.map(|point| Mask { point, from: i64::MIN, to: i64::MAX, shows: None }));
    let (shown, changes) = show(&stands, &placed, &masks, noise, &mut dice.branch(4));
    let mut acts: Vec<(i64, Act)> = signals;
    acts.extend(changes.into_iter().map(|change| (change.at, Act::Shows(change.point, change.man))));
    acts.sort_by_key(|(at, _)| *at);
    Script { shown, stands, acts, truth: Truth { plies, ending: game.ending, ended, dead, due }, left }
}

/// A piece that stands off its point is seen again at the latest when somebody takes it.
fn until_touched(mask: Mask, placed: &[Placed]) -> Mask {
    let touched =
        placed.iter().find(|one| one.point == mask.point && one.at > mask.from).map_or(mask.to, |one| one.at);
    Mask { to: mask.to.min(touched), ..mask }
}

impl Script {
    /// Whether the press that starts Red's time has been made at this ms of the script.
    #[must_use]
    pub fn has_started(&self, at: i64) -> bool {
        self.acts
            .iter()
            .find(|(_, act)| matches!(act, Act::Lever(_)))
            .is_some_and(|(pressed, _)| *pressed < at)
    }

    /// When so many plies were completed: the last of them stands and was pressed, if it ever was; before the first
    /// one, when Red's time began.
    #[must_use]
    pub fn completed(&self, plies: usize) -> i64 {
        match self.truth.plies.iter().take(plies).next_back() {
            Some(ply) => ply.pressed.map_or(ply.placed, |pressed| pressed.max(ply.placed)),
            None => self
                .acts
                .iter()
                .find(|(_, act)| matches!(act, Act::Lever(_)))
                .map_or(0, |(pressed, _)| *pressed),
        }
    }

    /// The first instant from this ms on at which no ply is under way.
    #[must_use]
    pub fn rest_after(&self, at: i64) -> i64 {
        let plies = self.truth.plies.len();
        let Some(completed) = (0..=plies).take_while(|&plies| self.completed(plies) <= at).last() else {
            return self.completed(0);
        };
        let last = self.completed(completed);
        let begun = self.acts.iter().any(|(when, _)| (last + 1..=at).contains(when));
        if begun && completed < plies { self.completed(completed + 1) } else { at }
    }

    /// What the sensors show at this ms.
    #[must_use]
    pub fn shown_at(&self, at: i64) -> Stand {
        let mut shown = self.shown;
        for (_, act) in self.acts.iter().take_while(|(when, _)| *when <= at) {
            if let Act::Shows(point, man) = *act {
                shown[point.index()] = man;
            }
        }
        shown
    }
}

impl Hands<'_> {
    fn put(&mut self, at: i64, point: Point, man: Option<Man>) {
        self.stand[point.index()] = man;
        self.placed.push(Placed { at, point, man });
    }

    fn occupied(&self) -> Vec<Point> {
        Point::ALL.into_iter().filter(|point| self.stand[point.index()].is_some()).collect()
    }

    fn play_game(&mut self, game: &Game, budget: Option<Budget>) -> (Vec<PlayedPly>, Vec<Due>, i64) {
        let mut position = Position::start();
        let mut plies: Vec<PlayedPly> = Vec::new();
        let mut due = Vec::new();
        let mut left = budget.map(|budget| [budget.base; 2]);
        let mut now = self.dice.between(BEFORE_START.0, BEFORE_START.1);
        self.signals.push((now, Act::Lever(Side::Black)));
        let knocked_at = if self.dice.chance(self.noise.knock_over) {
            Some(self.dice.between(0, game.moves.len() as i64 - 1) as usize)
        } else {
            None
        };
        // A player who starts before the opponent's press lifts at this time.
        let mut lift_at = None;
        // A press that comes late, if the opponent has not moved by then.
        let mut late: Option<(usize, Side, i64)> = None;
        for (index, &mv) in game.moves.iter().enumerate() {
            let side = position.side_to_move();
            let began = now;
            if knocked_at == Some(index) {
                let at = now + 500;
                due.push(Due { what: Incident::KnockedOver, at, plies: index as u16 });
                now = self.knock_over(at) + 500;
                lift_at = None;
            }
            let lift = match lift_at.take() {
                Some(lift) => lift,
                None => {
                    let limit = left.map(|left| left[side as usize] / 12);
                    self.think(&position, side, now, limit)
                }
            };
            let placed = self.play(&position, mv, lift);
            if let Some((ply, side, at)) = late.take().filter(|(_, _, at)| *at < lift) {
                plies[ply].pressed = Some(at);
                self.signals.push((at, Act::Lever(side)));
            }
            position = position.play_irregular(mv);
            let pressed = self.press(placed);
            let last = index + 1 == game.moves.len() && matches!(game.ending, Ending::OnBoard { .. });
            let pressed = pressed.filter(|_| !last);
            plies.push(PlayedPly { mv, placed, pressed: None });
            match pressed {
                Some(at) if at > placed + 2_000 => {
                    late = Some((index, side, at));
                    now = placed + 300;
                }
                Some(at) => {
                    plies[index].pressed = Some(at);
                    self.signals.push((at, Act::Lever(side)));
                    now = at.max(placed);
                    if self.dice.chance(self.noise.start_early) && at > placed + 40 {
                        lift_at = Some(self.dice.between(placed + 30, at));
                    }
                }
                None => now = placed + 300,
            }
            if let (Some(left), Some(budget)) = (&mut left, budget) {
                left[side as usize] += budget.increment - (now - began);
            }
        }
        (plies, due, now)
    }

    /// Thinks; fidgets with pieces meanwhile. Returns when the hand takes the piece.
    fn think(&mut self, position: &Position, side: Side, now: i64, limit: Option<i64>) -> i64 {
        let mut think = (self.dice.log_normal(self.noise.think, 0.8).max(0.2) * 1_000.0) as i64;
        if let Some(limit) = limit {
            think = think.min(limit.max(200));
        }
        let mut ready = now + think;
        if self.dice.chance(self.noise.put_back) {
            let own: Vec<Point> = position.board().of_side(side).into_iter().collect();
            if let Some(point) = self.dice.pick(&own) {
                let at = now + think / 2;
                let held = self.dice.between(300, 2_000);
                ready = ready.max(self.lift_and_return(point, at, held) + 150);
            }
        }
        if self.dice.chance(self.noise.adjust) {
            let count = if self.dice.chance(0.2) { 2 } else { 1 };
            for _ in 0..count {
                let occupied = self.occupied();
                let Some(point) = self.dice.pick(&occupied) else { break };
                let at = ready + 150;
                let held = self.dice.between(200, 1_500);
                ready = self.lift_and_return(point, at, held) + 150;
            }
        }
        ready
    }

    /// When a player presses after placing; `None`: he forgets.
    fn press(&mut self, placed: i64) -> Option<i64> {
        let usual = placed + self.dice.between(self.noise.press.0, self.noise.press.1);
        if self.dice.chance(self.noise.forget_press) {
            return self.dice.chance(0.5).then(|| placed + self.dice.between(5_000, 30_000));
        }
        if self.dice.chance(self.noise.press_early) {
            return Some(placed - self.dice.between(30, 200));
        }
        Some(usual)
    }

    /// How the game ends. Returns when it has.
    fn end(&mut self, game: &Game, now: i64) -> i64 {
        match game.ending {
            Ending::OnBoard { .. } => now + 3_000,
            Ending::Resigns(side) => {
                let at = now + self.dice.between(3_000, 9_000);
                self.signals.push((at, Act::Button(side, PlayerSignal::Resign)));
                at
            }
            Ending::Draw => {
                let first = now + self.dice.between(3_000, 9_000);
                let second = first + self.dice.between(1_000, 6_000);
                let offers = if game.moves.len().is_multiple_of(2) { Side::Red } else { Side::Black };
                self.signals.push((first, Act::Button(offers, PlayerSignal::Draw)));
                self.signals.push((second, Act::Button(offers.opposite(), PlayerSignal::Draw)));
                second
            }
            Ending::Flag(_) => now,
        }
    }
}
