//! A game as its players play it: turns, thinking, presses; and where in it things go wrong.

use xiangqi::{Move, Point, Side};

use super::trouble::{Plan, reached};
use super::{Act, BEFORE_START, Hands};
use crate::games::Ending;
use crate::truth::{Incident, PlayedPly, SensedBy};

/// A press that comes late.
#[derive(Clone, Copy, Debug)]
pub(super) struct Late {
    ply: usize,
    side: Side,
    at: i64,
}

/// What was held for less than this and put back is no touched piece, ms.
const TOUCHED: i64 = 300;

/// From the clock back to the board a hand takes at least this long, ms.
const BACK_FROM_THE_CLOCK: i64 = 150;

impl Hands<'_> {
    pub(super) fn play_game(&mut self, moves: &[Move]) {
        self.now += self.dice.between(BEFORE_START.0, BEFORE_START.1);
        self.signals.push((self.now, Act::Lever(Side::Black)));
        let knocked_at = if self.dice.chance(self.noise.knock_over) {
            Some(self.dice.between(0, moves.len() as i64 - 1) as usize)
        } else {
            None
        };
        let mut plan = Plan::new(self, moves.len());
        for (index, &mv) in moves.iter().enumerate() {
            self.began = self.now;
            if knocked_at == Some(index) {
                self.knocked_over(&mut plan);
            }
            self.put_beside_right(&mut plan, Some(mv));
            if reached(plan.exchange, index) && self.exchange_pieces() {
                plan.exchange = None;
            }
            if reached(plan.empty_press, index) && self.empty_press() {
                plan.empty_press = None;
            }
            if plan.beside.is_none() && self.irregular(&mut plan, index, moves.len() - index) {
                self.ending = Ending::Draw;
                break;
            }
            let touch = self.lift_at.is_none() && plan.touch.take_if(|at| *at <= index).is_some();
            let last = index + 1 == moves.len() && matches!(self.ending, Ending::OnBoard { .. });
            self.turn(mv, last, touch);
            if reached(plan.second_ply, index) && !last && plan.beside.is_none() && self.second_ply() {
                plan.second_ply = None;
            }
        }
        self.put_beside_right(&mut plan, None);
    }

    /// One player's turn: thinks, moves, presses.
    pub(super) fn turn(&mut self, mv: Move, never_pressed: bool, touch: bool) {
        let side = self.position.side_to_move();
        let lift = match self.lift_at.take() {
            Some(lift) => lift,
            None => {
                let limit = self.left.map(|left| left[side as usize] / 12);
                self.think(mv, side, limit, touch)
            }
        };
        let position = self.position.clone();
        let placed = self.play(&position, mv, lift);
        self.settle_late_press(lift, side);
        self.position = position.play_irregular(mv);
        let pressed = self.press(placed).filter(|_| !never_pressed);
        let index = self.plies.len();
        self.plies.push(PlayedPly { mv, placed, pressed: None });
        match pressed {
            Some(at) if at > placed + 2_000 => {
                self.late = Some(Late { ply: index, side, at });
                self.now = placed + 300;
            }
            Some(at) => {
                self.plies[index].pressed = Some(at);
                self.signals.push((at, Act::Lever(side)));
                self.now = at.max(placed);
                if self.dice.chance(self.noise.start_early) {
                    self.start_early(index, placed, at);
                }
            }
            None => self.now = placed + 300,
        }
        if let Some(left) = &mut self.left {
            left[side as usize] += self.increment - (self.now - self.began);
        }
        self.began = self.now;
    }

    /// The opponent lifts the piece of his answer after a ply was placed and before it is pressed, if the hand with which
    /// he pressed for his own last one is back by then.
    fn start_early(&mut self, ply: usize, placed: i64, pressed: i64) {
        let own = ply.checked_sub(1).and_then(|own| self.plies[own].pressed);
        let free = own.map_or(i64::MIN, |own| own + BACK_FROM_THE_CLOCK);
        let from = free.max(placed + 30);
        if pressed > from + 10 {
            self.lift_at = Some(self.dice.between(from, pressed));
        }
    }

    /// The opponent lifts: a press that was to come by now has come, one that was not never will.
    pub(super) fn settle_late_press(&mut self, lift: i64, side: Side) {
        if let Some(Late { ply, side, at }) = self.late.take().filter(|late| late.at < lift) {
            self.plies[ply].pressed = Some(at);
            self.signals.push((at, Act::Lever(side)));
        }
        if self.noise.clock
            && let Some(last) = self.plies.last()
            && last.pressed.is_none()
            && self.position.side_to_move() == side
        {
            let points = vec![last.mv.to];
            self.note(Incident::PressForgotten, lift, i64::MAX, points, SensedBy::Occupancy);
        }
    }

    /// Thinks; fidgets with pieces meanwhile. Returns when the hand takes the piece.
    pub(super) fn think(&mut self, mv: Move, side: Side, limit: Option<i64>, touch: bool) -> i64 {
        let now = self.now;
        let mut think = (self.dice.log_normal(self.noise.think, 0.8).max(0.2) * 1_000.0) as i64;
        if let Some(limit) = limit {
            think = think.min(limit.max(200));
        }
        let mut ready = now + think;
        let own: Vec<Point> = self.position.board().of_side(side).into_iter().collect();
        if self.dice.chance(self.noise.put_back)
            && let Some(point) = self.dice.pick(&own)
        {
            let at = now + think / 2;
            let held = self.dice.between(300, 2_000);
            self.touch(Incident::TouchMove, point, at, held, mv);
            ready = ready.max(at + held + 150);
        }
        if touch {
            let others: Vec<Point> = own.iter().copied().filter(|point| *point != mv.from).collect();
            if let Some(point) = self.trouble.pick(&others) {
                let (at, held) = (ready + 150, self.trouble.between(TOUCHED + 100, 2_000));
                self.touch(Incident::TouchMove, point, at, held, mv);
                ready = at + held + self.trouble.between(150, 1_500);
            }
        }
        if self.dice.chance(self.noise.adjust) {
            let count = if self.dice.chance(0.2) { 2 } else { 1 };
            for _ in 0..count {
                let occupied = self.occupied();
                let Some(point) = self.dice.pick(&occupied) else { break };
                let at = ready + 150;
                let held = self.dice.between(200, 1_500);
                self.touch(Incident::Adjusted, point, at, held, mv);
                ready = at + held + 150;
            }
        }
        ready
    }

    /// Takes a piece up and puts it back before `mv` is played.
    fn touch(&mut self, what: Incident, point: Point, at: i64, held: i64, mv: Move) {
        // A piece that lies about is not touched.
        let stands = self.stand[point.index()].is_some();
        self.lift_and_return(point, at, held);
        // Debouncing takes its share at both ends: what was held for just about the limit may be told or not.
        let what = if held < TOUCHED + 50 { Incident::Adjusted } else { what };
        if stands && point != mv.from {
            self.note(what, at + held, at + held, vec![point], SensedBy::Occupancy);
        }
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
}
