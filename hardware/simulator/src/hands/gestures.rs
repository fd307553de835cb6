//! How hands move a piece: lift and place, slide, swap, hesitate, touch and put back, adjust, knock over.

use xiangqi::{Move, Piece, Point, Position, Role};

use super::Hands;
use super::sensors::Mask;
use crate::man::Man;

impl Hands<'_> {
    /// Plays `mv` on the board, the first lift at `lift`. Returns when the piece stands.
    pub(super) fn play(&mut self, position: &Position, mv: Move, lift: i64) -> i64 {
        let placed = if self.stand[mv.to.index()].is_some() {
            self.capture(mv, lift)
        } else {
            self.go(position, mv, lift)
        };
        if self.dice.chance(self.noise.off_centre) {
            // The hand lets go, the piece tilts or slips: it was sensed first.
            let from = if self.dice.chance(self.noise.unsensed) {
                placed
            } else {
                placed + self.dice.between(60, 600)
            };
            let to = placed + self.dice.between(2_000, 30_000);
            self.off_centre.push(Mask { point: mv.to, from, to, shows: None });
        }
        placed
    }

    fn go(&mut self, position: &Position, mv: Move, lift: i64) -> i64 {
        let crossed = crossed(position.piece_at(mv.from), mv);
        let slides = match position.piece_at(mv.from).map(|piece| piece.role) {
            Some(Role::Chariot | Role::Cannon | Role::Soldier) => self.noise.slide,
            Some(Role::Horse | Role::Elephant | Role::Advisor | Role::King) => self.noise.slide_other,
            None => 0.0,
        };
        // No hand slides a piece over another one; who breaks the rules carries it over.
        let free = crossed.iter().all(|point| self.stand[point.index()].is_none());
        if self.dice.chance(slides) && free {
            return self.slide(mv, &crossed, lift);
        }
        let mut from = mv.from;
        let mut at = lift;
        if self.dice.chance(self.noise.hesitate) {
            let elsewhere: Vec<Move> = position
                .legal_moves()
                .iter()
                .copied()
                .filter(|other| {
                    other.from == mv.from && other.to != mv.to && self.stand[other.to.index()].is_none()
                })
                .collect();
            if let Some(first) = self.dice.pick(&elsewhere) {
                let stands = at + self.gesture();
                self.carry(mv.from, first.to, at, stands);
                at = stands + self.dice.between(self.noise.hesitate_for.0, self.noise.hesitate_for.1);
                from = first.to;
            }
        }
        let placed = at + self.gesture();
        self.carry(from, mv.to, at, placed);
        placed
    }

    fn slide(&mut self, mv: Move, crossed: &[Point], lift: i64) -> i64 {
        let man = self.stand[mv.from.index()];
        let mut last = (mv.from, lift);
        for &point in crossed.iter().chain([&mv.to]) {
            let reached = last.1 + self.dice.between(self.noise.dwell.0, self.noise.dwell.1);
            // The old point lets go a little before or after the new one takes hold.
            let left = (reached + self.dice.between(-30, 60)).max(last.1 + 1);
            self.put(left, last.0, None);
            self.put(reached, point, man);
            last = (point, reached);
        }
        last.1
    }

    fn capture(&mut self, mv: Move, lift: i64) -> i64 {
        let man = self.stand[mv.from.index()];
        let (attacker_first, victim_first) = self.noise.capture;
        let way = self.dice.unit();
        if way < attacker_first {
            self.put(lift, mv.from, None);
            let taken = lift + self.gesture();
            self.put(taken, mv.to, None);
            let placed = taken + self.gesture();
            self.put(placed, mv.to, man);
            placed
        } else if way < attacker_first + victim_first {
            self.put(lift, mv.to, None);
            let second = lift + self.gesture();
            self.put(second, mv.from, None);
            let placed = second + self.gesture();
            self.put(placed, mv.to, man);
            placed
        } else {
            let victim = self.stand[mv.to.index()];
            self.put(lift, mv.from, None);
            let swap = lift + self.gesture();
            let gap = self.dice.between(-40, 80);
            if gap > 0 {
                self.put(swap, mv.to, None);
            }
            let placed = swap + gap.max(0);
            self.put(placed, mv.to, man);
            if self.dice.chance(self.noise.dragged) {
                let beside: Vec<Point> = beside(mv.to)
                    .filter(|point| self.stand[point.index()].is_none() && *point != mv.from)
                    .collect();
                if let Some(point) = self.dice.pick(&beside) {
                    let to = placed + self.dice.between(30, 150);
                    self.off_centre.push(Mask { point, from: placed, to, shows: victim });
                }
            }
            placed
        }
    }

    /// Lifts a piece and puts it back.
    pub(super) fn lift_and_return(&mut self, point: Point, at: i64, held: i64) {
        let man = self.stand[point.index()];
        self.put(at, point, None);
        self.put(at + held, point, man);
    }

    /// Up to eight pieces around a point fall and are put back one by one; if `wrongly`, one of them beside its point,
    /// where there is room. Returns when all stand again, which points it concerned, and the piece, its point and the
    /// one where it stands.
    pub(super) fn knock_over(
        &mut self,
        at: i64,
        wrongly: bool,
    ) -> (i64, Vec<Point>, Option<(Man, Point, Point)>) {
        let occupied = self.occupied();
        let Some(centre) = self.dice.pick(&occupied) else { return (at, Vec::new(), None) };
        let near = |point: &Point| {
            centre.file().abs_diff(point.file()) <= 2 && centre.rank().abs_diff(point.rank()) <= 2
        };
        let fallen: Vec<Point> = occupied.into_iter().filter(near).take(8).collect();
        let stood: Vec<_> = fallen.iter().map(|point| self.stand[point.index()]).collect();
        let places: Vec<(Man, Point, Point)> = fallen
            .iter()
            .filter_map(|&right| Some((self.stand[right.index()]?, right)))
            .flat_map(|(man, right)| beside(right).map(move |wrong| (man, right, wrong)))
            .filter(|(_, _, wrong)| self.stand[wrong.index()].is_none())
            .collect();
        let beside = if wrongly { self.trouble.pick(&places) } else { None };
        for &point in &fallen {
            let falls = at + self.dice.between(0, 300);
            self.put(falls, point, None);
        }
        let mut now = at + self.dice.between(3_000, 8_000);
        for (&point, man) in fallen.iter().zip(stood) {
            let place = beside.filter(|(_, right, _)| *right == point).map_or(point, |(_, _, wrong)| wrong);
            self.put(now, place, man);
            now += self.dice.between(400, 1_200);
        }
        (now, fallen, beside)
    }

    fn carry(&mut self, from: Point, to: Point, lifted: i64, placed: i64) {
        let man = self.stand[from.index()];
        self.put(lifted, from, None);
        self.put(placed, to, man);
    }

    pub(super) fn gesture(&mut self) -> i64 {
        self.dice.between(self.noise.gesture.0, self.noise.gesture.1)
    }
}

/// The points next to a point.
fn beside(point: Point) -> impl Iterator<Item = Point> {
    [(1, 0), (-1, 0), (0, 1), (0, -1)]
        .into_iter()
        .filter_map(move |(files, ranks)| point.offset(files, ranks))
}

/// The points that a piece slides over.
pub(super) fn crossed(piece: Option<Piece>, mv: Move) -> Vec<Point> {
    let files = i16::from(mv.to.file()) - i16::from(mv.from.file());
    let ranks = i16::from(mv.to.rank()) - i16::from(mv.from.rank());
    let along = |steps: i16| -> Vec<Point> {
        (1..steps)
            .filter_map(|step| {
                let part = |whole: i16| (whole * step / steps) as i8;
                mv.from.offset(part(files), part(ranks))
            })
            .collect()
    };
    match piece.map(|piece| piece.role) {
        Some(Role::Chariot | Role::Cannon | Role::Soldier | Role::King | Role::Elephant) => {
            along(files.abs().max(ranks.abs()))
        }
        // Over its leg.
        Some(Role::Horse) => mv.from.offset((files / 2) as i8, (ranks / 2) as i8).into_iter().collect(),
        Some(Role::Advisor) | None => Vec::new(),
    }
}
