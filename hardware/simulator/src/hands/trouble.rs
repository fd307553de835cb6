//! What players do wrong, and how it is put right: irregular plies, presses without a move, pieces put back wrongly.

use std::collections::BTreeMap;

use xiangqi::{Illegal, Move, Point, Position, Role, Side};

use super::gestures::crossed;
use super::{Act, Hands, Order};
use crate::dice::Dice;
use crate::incidents::Row;
use crate::man::{Man, Stand};
use crate::player;
use crate::truth::{Due, Incident, PlayedPly, SensedBy, Struck};

/// What goes wrong in this game, and from which ply on (it happens as soon as the position has room for it).
pub(super) struct Plan {
    pub exchange: Option<usize>,
    pub empty_press: Option<usize>,
    pub touch: Option<usize>,
    pub second_ply: Option<usize>,
    pub irregular: Vec<Irregular>,
    pub beside: Option<Beside>,
}

/// An irregular ply that is going to be played.
#[derive(Clone, Copy, Debug)]
pub(super) struct Irregular {
    at: usize,
    kind: Incident,
    noticed: Noticed,
}

/// When an irregular ply is noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Noticed {
    After(usize),
    Never,
}

/// A piece that stands beside its point since a board was restored.
pub(super) struct Beside {
    man: Man,
    right: Point,
    wrong: Point,
    since: i64,
    plies: u16,
    /// It is put right after so many plies, if the game does not need it before.
    until: usize,
}

/// What is gone back to.
struct Saved {
    stand: Stand,
    position: Position,
    plies: usize,
}

/// An arbiter takes back at most so many plies: five rounds.
const FIVE_ROUNDS: i64 = 10;
/// Games in which an irregular ply stands go on for so long.
const GOES_ON: usize = 40;
/// A piece beside its point is noticed after at most so many plies.
const NOTICED: i64 = 4;

impl Plan {
    pub fn new(hands: &mut Hands<'_>, plies: usize) -> Plan {
        let mut when = |row: Row| {
            let at = hands.trouble.between(0, plies as i64 - 1).max(0) as usize;
            hands.happens(row).then_some(at)
        };
        let (exchange, empty_press, touch) =
            (when(Row::Exchanged), when(Row::EmptyPress), when(Row::TouchMove));
        let (at_once, later, for_good) =
            (when(Row::Illegal), when(Row::IllegalLater), when(Row::IllegalForGood));
        let kinds = [
            Incident::IllegalMove,
            Incident::GeneralExposed,
            Incident::OpponentsPieceMoved,
            Incident::TwoPlies,
        ];
        let kind_at_once = hands.trouble.pick(&kinds).unwrap_or(Incident::IllegalMove);
        let mut second_ply = None;
        let mut irregular = Vec::new();
        match (at_once, kind_at_once) {
            (Some(at), Incident::TwoPlies) => second_ply = Some(at),
            (Some(at), kind) => irregular.push(Irregular { at, kind, noticed: Noticed::After(0) }),
            (None, _) => {}
        }
        let after = hands.trouble.between(1, FIVE_ROUNDS - 1) as usize;
        for (at, noticed) in [(later, Noticed::After(after)), (for_good, Noticed::Never)] {
            // Nobody overlooks that a piece of the other side was moved.
            let kind = hands.trouble.pick(&kinds[..2]).unwrap_or(Incident::IllegalMove);
            irregular.extend(at.map(|at| Irregular { at, kind, noticed }));
        }
        Plan { exchange, empty_press, touch, second_ply, irregular, beside: None }
    }
}

/// Whether something planned may happen at the ply of this index.
pub(super) fn reached(planned: Option<usize>, index: usize) -> bool {
    planned.is_some_and(|at| at <= index)
}

impl Hands<'_> {
    /// The next irregular ply, if one is due and the position has room for it. Returns whether it stood: then the
    /// players made the rest of the game up.
    pub(super) fn irregular(&mut self, plan: &mut Plan, index: usize, left: usize) -> bool {
        let Some((place, mv)) =
            plan.irregular.iter().enumerate().filter(|(_, one)| one.at <= index).find_map(|(place, one)| {
                Some((place, irregular_move(&self.position, one.kind, &mut self.trouble)?))
            })
        else {
            return false;
        };
        let Irregular { kind, noticed, .. } = plan.irregular.remove(place);
        let saved = self.saved();
        let (position, side) = (self.position.clone(), self.position.side_to_move());
        let limit = self.left.map(|left| left[side as usize] / 12);
        let lift = self.lift_at.take().unwrap_or_else(|| self.think(mv, side, limit, false));
        self.settle_late_press(lift, side);
        let placed = self.play(&position, mv, lift);
        let pressed = placed + self.trouble.between(self.noise.press.0, self.noise.press.1);
        self.signals.push((pressed, Act::Lever(side)));
        let due = self.due.len();
        self.note(kind, pressed, i64::MAX, vec![mv.from, mv.to], SensedBy::Occupancy);
        self.plies.push(PlayedPly { mv, placed, pressed: Some(pressed) });
        self.position = position.play_irregular(mv);
        (self.now, self.began) = (pressed, pressed);
        let go_on = match noticed {
            Noticed::After(plies) => plies,
            Noticed::Never => left.min(GOES_ON),
        };
        for _ in 0..go_on {
            let Some(mv) = self.improvise() else { break };
            self.turn(mv, false, false);
        }
        match noticed {
            Noticed::After(_) => self.due[due].until = self.take_back(saved, side),
            Noticed::Never => {}
        }
        noticed == Noticed::Never
    }

    /// The side that has just moved and pressed moves again. Returns whether it could.
    pub(super) fn second_ply(&mut self) -> bool {
        let Some(&PlayedPly { mv: first, pressed: Some(_), .. }) = self.plies.last() else { return false };
        if self.lift_at.is_some() || self.late.is_some() {
            return false;
        }
        let again = self.position.pass();
        let takes_general = |mv: &Move| again.piece_at(mv.to).is_some_and(|piece| piece.role == Role::King);
        let moves: Vec<Move> = again
            .legal_moves()
            .iter()
            .copied()
            // The same piece further on would be a ply put right.
            .filter(|mv| mv.from != first.to && !takes_general(mv))
            .collect();
        let Some(mv) = self.trouble.pick(&moves) else { return false };
        let saved = self.saved();
        let lift = self.now + self.trouble.between(500, 2_500);
        let placed = self.play(&again, mv, lift);
        let due = self.due.len();
        self.note(Incident::TwoPlies, placed, i64::MAX, vec![mv.from, mv.to], SensedBy::Occupancy);
        self.plies.push(PlayedPly { mv, placed, pressed: None });
        self.now = placed;
        let side = self.position.side_to_move();
        self.due[due].until = self.take_back(saved, side);
        true
    }

    /// A ply of the small player's.
    fn improvise(&mut self) -> Option<Move> {
        let mv = player::choose(&self.position, &BTreeMap::new(), &mut self.trouble)?;
        let takes = self.position.piece_at(mv.to);
        takes.is_none_or(|piece| piece.role != Role::King).then_some(mv)
    }

    fn saved(&self) -> Saved {
        Saved { stand: self.stand, position: self.position.clone(), plies: self.plies.len() }
    }

    /// Somebody notices, an arbiter stops the clock and takes the plies back, the players set the board up as it
    /// stood, and `side` goes on. Returns when it does.
    fn take_back(&mut self, saved: Saved, side: Side) -> i64 {
        (self.lift_at, self.late) = (None, None);
        let paused = self.now + self.trouble.between(2_500, 6_000);
        let taken = paused + self.trouble.between(3_000, 10_000);
        let reaches = taken + self.trouble.between(1_000, 3_000);
        let stands = self.lay(&saved.stand, reaches);
        let runs = stands + self.trouble.between(1_000, 3_000);
        let number = u16::try_from(saved.plies + 1).unwrap_or(u16::MAX);
        for (at, order) in
            [(paused, Order::Pause), (taken, Order::TakeBack(number)), (runs, Order::Run(side))]
        {
            self.signals.push((at, Act::Arbiter(order)));
        }
        let struck = self.plies.drain(saved.plies..).enumerate();
        self.struck.extend(struck.map(|(index, ply)| Struck {
            index: saved.plies + index,
            ply,
            until: taken,
        }));
        self.position = saved.position;
        (self.now, self.began) = (runs, runs);
        runs
    }

    /// The side to move presses instead of moving; an arbiter lets its time run again. Returns whether it could.
    pub(super) fn empty_press(&mut self) -> bool {
        let pressed = self.plies.last().is_none_or(|ply| ply.pressed.is_some());
        if !self.noise.clock || self.lift_at.is_some() || self.late.is_some() || !pressed {
            return false;
        }
        let side = self.position.side_to_move();
        let at = self.now + self.trouble.between(800, 4_000);
        let runs = at + self.trouble.between(3_000, 6_000);
        self.signals.push((at, Act::Lever(side)));
        self.signals.push((runs, Act::Arbiter(Order::Run(side))));
        self.note(Incident::PressWithoutMove, at, runs, Vec::new(), SensedBy::Occupancy);
        self.now = runs + 300;
        true
    }

    /// A player lifts two pieces at once and puts each on the other's point; the players see it and put it right.
    pub(super) fn exchange_pieces(&mut self) -> bool {
        if self.lift_at.is_some() {
            return false;
        }
        let near =
            |a: Point, b: Point| self::near(Move::new(a, b)) && self.differ(a, b) > SensedBy::Occupancy;
        let pairs = self.pairs(near);
        let Some((a, b)) = self.trouble.pick(&pairs) else { return false };
        let sensed_by = self.differ(a, b);
        let at = self.now + self.trouble.between(800, 4_000);
        let exchanged = self.exchange(a, b, at);
        let right = exchanged + self.trouble.between(4_000, 12_000);
        self.now = self.exchange(a, b, right) + 500;
        self.note(Incident::Exchanged, exchanged, right, vec![a, b], sensed_by);
        true
    }

    /// Both pieces are lifted, and each is put on the other's point.
    pub(super) fn exchange(&mut self, a: Point, b: Point, at: i64) -> i64 {
        let (on_a, on_b) = (self.stand[a.index()], self.stand[b.index()]);
        self.put(at, a, None);
        let second = at + self.trouble.between(100, 400);
        self.put(second, b, None);
        let placed = second + self.trouble.between(400, 1_500);
        self.put(placed, b, on_a);
        let stands = placed + self.trouble.between(200, 700);
        self.put(stands, a, on_b);
        stands
    }

    /// The pairs of pieces of which this holds.
    pub(super) fn pairs(&self, which: impl Fn(Point, Point) -> bool) -> Vec<(Point, Point)> {
        let occupied = self.occupied();
        let mut pairs = Vec::new();
        for (index, &a) in occupied.iter().enumerate() {
            pairs.extend(occupied[index + 1..].iter().map(|&b| (a, b)).filter(|&(a, b)| which(a, b)));
        }
        pairs
    }

    /// The poorest board that tells the pieces on two points apart; occupancy: none does, they are alike.
    pub(super) fn differ(&self, a: Point, b: Point) -> SensedBy {
        let piece = |point: Point| self.stand[point.index()].map(Man::piece);
        match (piece(a), piece(b)) {
            (Some(a), Some(b)) if a.side != b.side => SensedBy::Colour,
            (Some(a), Some(b)) if a.role != b.role => SensedBy::Type,
            (_, _) => SensedBy::Occupancy,
        }
    }

    /// The board is knocked over, and restored: rightly, or with one piece beside its point.
    pub(super) fn knocked_over(&mut self, plan: &mut Plan) {
        let at = self.now + 500;
        let plies = u16::try_from(self.plies.len()).unwrap_or(u16::MAX);
        let wrongly = self.happens(Row::WrongRestoration);
        let (restored, fallen, beside) = self.knock_over(at, wrongly);
        // One or two pieces that fall are no disorder.
        if fallen.len() >= 3 {
            self.note(Incident::KnockedOver, at, restored, fallen, SensedBy::Occupancy);
        }
        plan.beside = beside.map(|(man, right, wrong)| Beside {
            man,
            right,
            wrong,
            since: restored,
            plies,
            until: self.plies.len() + self.trouble.between(0, NOTICED) as usize,
        });
        self.now = restored + 500;
        self.lift_at = None;
        if plan.beside.as_ref().is_some_and(|beside| beside.until == self.plies.len()) {
            self.now += self.trouble.between(3_000, 8_000);
        }
    }

    /// Puts a piece that stands beside its point right, if it was noticed by now or `next` cannot be played without.
    pub(super) fn put_beside_right(&mut self, plan: &mut Plan, next: Option<Move>) {
        let Some(beside) = &plan.beside else { return };
        let needed = next.is_none_or(|mv| {
            let points = [mv.from, mv.to];
            points.contains(&beside.right)
                || points.contains(&beside.wrong)
                || crossed(self.position.piece_at(mv.from), mv).contains(&beside.wrong)
        });
        if !needed && self.plies.len() < beside.until {
            return;
        }
        let Beside { man, right, wrong, since, plies, .. } = *beside;
        plan.beside = None;
        let at = self.now + self.trouble.between(1_000, 3_000);
        self.put(at, wrong, None);
        let stands = at + self.trouble.between(300, 900);
        self.put(stands, right, Some(man));
        self.due.push(Due {
            what: Incident::RestoredWrongly,
            at: since,
            until: stands,
            plies,
            points: vec![right, wrong],
            sensed_by: SensedBy::Occupancy,
        });
        self.now = stands + 500;
        self.lift_at = None;
    }
}

/// A move of this kind of irregularity that a hand could well make; `None`: the position has none.
fn irregular_move(position: &Position, kind: Incident, dice: &mut Dice) -> Option<Move> {
    let side = position.side_to_move();
    let takes_general = |mv: &Move| position.piece_at(mv.to).is_some_and(|piece| piece.role == Role::King);
    let moves: Vec<Move> = if kind == Incident::OpponentsPieceMoved {
        position.pass().legal_moves().iter().copied().filter(|mv| !takes_general(mv)).collect()
    } else {
        let exposes = kind == Incident::GeneralExposed;
        let own = position.board().of_side(side);
        own.into_iter()
            .flat_map(|from| Point::ALL.into_iter().map(move |to| Move::new(from, to)))
            .filter(|mv| !own.contains(mv.to) && !takes_general(mv))
            .filter(|mv| match position.legality(*mv) {
                Ok(()) => false,
                Err(Illegal::ExposesGeneral(_)) => exposes,
                Err(Illegal::Breaks(_)) => !exposes && near(*mv),
            })
            .collect()
    };
    dice.pick(&moves)
}

/// Players who overlook a rule still put the piece about where it could go.
fn near(mv: Move) -> bool {
    mv.from.file().abs_diff(mv.to.file()) <= 2 && mv.from.rank().abs_diff(mv.to.rank()) <= 2
}
