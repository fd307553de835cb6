//! One reading of the game so far (a hypothesis): a line of plies, the position after it, and its price.

mod exchange;
mod fallen;
mod irregular;
mod missed;
mod moved_on;
mod price;
mod stuck;
mod taken_up;
mod turned_up;
mod unsensed;
mod untouched;

use std::cell::OnceCell;

use firmware_proto::Epoch;
use xiangqi::{Board, BySide, Move, Point, Points, Position, Side};

use crate::Irregularity;
use crate::dispute::{Differing, Disputes};
use crate::evidence::Evidence;
use crate::foresight::Foresight;
use crate::line::{Line, Ply};
use crate::params::{Cost, Params};
use crate::points::PointHealth;
use crate::sense::{Difference, Image, Sense};
use crate::worth::Worth;
use price::Price;
use untouched::carelessness;

/// What readings are judged by.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub params: &'a Params,
    pub image: &'a Image,
    pub evidence: &'a Evidence,
    pub health: &'a PointHealth,
    pub foresight: &'a Foresight,
    /// Whether presses are seen at this table.
    pub clock: bool,
    /// Each side's last press.
    pub presses: BySide<Option<Epoch>>,
    pub now: Epoch,
}

/// A reading of the game.
#[derive(Clone, Debug)]
pub(crate) struct Hypothesis {
    pub line: Line,
    pub position: Position,
    pub cost: Cost,
    /// When the last piece was placed.
    pub placed: Epoch,
    /// Plies since the last press.
    pub unpressed: u8,
    /// A press by the side that had not moved: it may have pressed before it placed.
    pub early_press: Option<(Side, Epoch)>,
    /// When the last of its plies was told of which the record was lost: what followed that ply by then could not be read
    /// before.
    told_late: Option<Epoch>,
    disputes: Disputes,
    /// Points that showed nothing of a piece that was placed there by this reading.
    silent: Points,
    /// Points that show a piece for ever, by this reading.
    stuck: Points,
    /// Points to which their pieces came back since the last ply, as this reading has it, and what it paid for that.
    returned: Vec<(Point, Cost)>,
    /// Points that pieces left which this reading never had there, since the last ply, and what it paid for that.
    left: Vec<(Point, Cost)>,
    /// Other lines that led to the same position and were hardly dearer, each with the first ply in which it differs.
    pub doubts: Vec<(u16, Line)>,
    /// What was captured, or where a piece stands, was guessed, and so many plies more may tell.
    guessed: u8,
    /// What it paid since then for captures that its players would have overlooked.
    overlooked: Cost,
    /// What it paid for it that the last ply's player pressed while its piece was gone from its target.
    gone: Cost,
    moves: OnceCell<Box<[Move]>>,
    /// What the best capture in its position wins.
    pays: OnceCell<Worth>,
}

/// A piece that was not put right slips off its point within this time, ms.
const SLIPS_WITHIN: i64 = 700;
/// And is one of those that were placed in so many last plies.
const SLIPS_AMONG: usize = 4;

/// For so many plies a guess is judged by what is played after it.
const GUESS_TELLS: u8 = 24;

/// A player may press so long before his piece stands, ms.
const PRESSED_EARLY: i64 = 300;

/// Which placement of a piece counts, when it was placed several times.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    First,
    Last,
}

impl Hypothesis {
    pub fn new(position: Position, placed: Epoch) -> Hypothesis {
        Hypothesis {
            line: Line::default(),
            position,
            cost: 0,
            placed,
            unpressed: 0,
            early_press: None,
            told_late: None,
            disputes: Disputes::default(),
            silent: Points::EMPTY,
            stuck: Points::EMPTY,
            returned: Vec::new(),
            left: Vec::new(),
            doubts: Vec::new(),
            guessed: 0,
            overlooked: 0,
            gone: 0,
            moves: OnceCell::new(),
            pays: OnceCell::new(),
        }
    }

    /// Plies in its line.
    pub fn plies(&self) -> u16 {
        self.line.last().map_or(0, |ply| ply.no)
    }

    pub fn board(&self) -> &Board {
        self.position.board()
    }

    /// The same with another line, and the position after it.
    fn with_line(&self, line: Line, position: Position) -> Hypothesis {
        Hypothesis { line, position, moves: OnceCell::new(), pays: OnceCell::new(), ..self.clone() }
    }

    /// The reading before its last ply: what it paid since is paid. `None`: there is none that could be in question.
    fn before_last(&self) -> Option<Hypothesis> {
        let last = self.line.last().filter(|last| last.irregular != Some(Irregularity::Entered))?;
        Some(Hypothesis {
            placed: last.previous,
            unpressed: self.unpressed.saturating_sub(1),
            returned: Vec::new(),
            left: Vec::new(),
            ..self.with_line(self.line.without_last(), last.before.clone())
        })
    }

    /// Points of the own side from which nothing can be lifted unseen: lifted since, or not as expected.
    fn origins(&self, scene: Scene, difference: Difference) -> Points {
        let changed = scene.evidence.changed_since(self.placed.plus(-scene.params.overlap));
        let bad = scene.health.bad() | self.stuck;
        (changed | difference.missing | difference.wrong | bad)
            & self.board().of_side(self.position.side_to_move())
    }

    /// From when on what comes to `point` may be the next ply's piece. On the last ply's target its own placement is no
    /// evidence for the capture that answers it.
    fn since_at(&self, scene: Scene, point: Point) -> Epoch {
        if self.line.last().is_none_or(|last| last.mv.to != point) {
            return self.placed.plus(-scene.params.overlap);
        }
        let own = self
            .position
            .piece_at(point)
            .and_then(|piece| scene.evidence.first_placement(piece, point, self.placed));
        own.filter(|own| scene.evidence.record_lost(point, *own)).unwrap_or(self.placed).plus(1)
    }

    fn moves(&self) -> &[Move] {
        self.moves.get_or_init(|| self.position.legal_moves().iter().copied().collect())
    }

    /// The readings with one regular ply more that something speaks for.
    pub fn extended(&self, scene: Scene, which: Which, need_evidence: bool, into: &mut Vec<Hypothesis>) {
        let difference = scene.image.difference(self.board());
        let origins = self.origins(scene, difference);
        if origins.is_empty() {
            return;
        }
        for &mv in self.moves() {
            if origins.contains(mv.from)
                && let Some(price) = self.price(scene, mv, which, need_evidence)
            {
                into.push(self.with(scene, mv, price, None));
            }
        }
    }

    /// With a ply more. What this reading paid since the last ply for the piece that it captures, which it thought put
    /// back or slipped, is explained by the capture: no hand takes a piece plies ahead. What fell with others was not taken.
    fn with(&self, scene: Scene, mv: Move, price: Price, irregular: Option<Irregularity>) -> Hypothesis {
        let taken = if self.position.is_capture(mv) && !self.fell(scene, mv.to) {
            let returned = self.returned.iter().filter(|(point, _)| *point == mv.to).map(|(_, paid)| paid);
            returned.sum::<Cost>().max(self.paid_since_last(scene, mv.to))
        } else {
            0
        };
        let price = Price { cost: price.cost - taken, ..price };
        self.with_position(Some(scene), mv, self.position.play_irregular(mv), price, irregular)
    }

    /// What was paid for `point`, if it was in order until the last ply.
    fn paid_since_last(&self, scene: Scene, point: Point) -> Cost {
        self.disputes.paid_since(point, self.placed.plus(-scene.params.overlap))
    }

    /// What was paid since the last ply for the point where a ply puts its piece; what was paid for a piece that it captures is
    /// given back whatever the ply.
    fn paid_for_target(&self, scene: Scene, mv: Move) -> Cost {
        if self.position.is_capture(mv) { 0 } else { self.paid_since_last(scene, mv.to) }
    }

    /// What was paid since the last ply for it that a piece left `point` which was never there.
    fn paid_for_leaving(&self, point: Point) -> Cost {
        self.left.iter().filter(|(left, _)| *left == point).map(|(_, paid)| paid).sum()
    }

    fn with_position(
        &self,
        scene: Option<Scene>,
        mv: Move,
        after: Position,
        Price { cost, placed: at, placement, unseen, silent, stays, guessed, overlooked, gone, told_late }: Price,
        irregular: Option<Irregularity>,
    ) -> Hypothesis {
        let mover = after.side_to_move().opposite();
        // What is taken next may have been lifted by who takes it.
        let answered =
            scene.filter(|_| self.unpressed > 0 && self.line.last().is_some_and(|last| last.mv.to != mv.to));
        let before = answered.map_or_else(|| self.line.clone(), |scene| self.completed(scene));
        let line = before.with(Ply {
            no: self.plies() + 1,
            mv,
            at,
            irregular,
            before: self.position.clone(),
            previous: self.placed,
            placement,
            unseen,
        });
        // Whoever pressed since the piece stood, or just before, pressed for this ply: that press needs no other reason.
        let pressed =
            scene.and_then(|scene| scene.presses[mover]).filter(|press| press.since(at) >= -PRESSED_EARLY);
        let unexplained = self.early_press.filter(|(side, _)| *side == mover);
        let refund = scene.zip(unexplained).map_or(0, |(scene, (_, press))| match at.since(press) {
            ..=0 => scene.params.press_without_move,
            1..=PRESSED_EARLY => scene.params.press_without_move - scene.params.press_before_placing,
            _ => 0,
        });
        Hypothesis {
            line,
            position: after,
            cost: self.cost + cost - refund,
            placed: at,
            unpressed: if pressed.is_some() || unexplained.is_some() {
                0
            } else {
                self.unpressed.saturating_add(1)
            },
            early_press: None,
            told_late: told_late.or(self.told_late),
            disputes: self.disputes.clone(),
            silent: if silent { self.silent.with(mv.to) } else { self.silent },
            stuck: if stays { self.stuck.with(mv.from) } else { self.stuck },
            returned: Vec::new(),
            left: Vec::new(),
            doubts: self.doubts.clone(),
            guessed: if guessed { GUESS_TELLS } else { self.guessed.saturating_sub(1) },
            overlooked: self.overlooked + overlooked,
            gone,
            moves: OnceCell::new(),
            pays: OnceCell::new(),
        }
    }

    /// Appends a ply that is not in question.
    pub fn entered(
        &self,
        mv: Move,
        after: Position,
        at: Epoch,
        irregular: Option<Irregularity>,
    ) -> Hypothesis {
        let mut next = self.with_position(None, mv, after, Price::seen(0, at), irregular);
        next.unpressed = 0;
        next
    }

    /// A player pressed. He presses for a piece that stands: readings in which it is gone again pay for that.
    pub fn pressed(&mut self, scene: Scene, side: Side, at: Epoch, starts: bool) {
        // Who moved a piece of the opponent presses for that.
        let moved_his = self.unpressed > 0
            && self.line.last().is_some_and(|last| last.irregular == Some(Irregularity::OutOfTurn));
        if side == self.position.side_to_move() && !starts && !moved_his {
            self.cost += scene.params.press_without_move;
            self.early_press = Some((side, at));
            return;
        }
        if self.unpressed > 0
            && let Some(last) = self.line.last()
            && !scene.health.bad().contains(last.mv.to)
            && !self.silent.contains(last.mv.to)
            && !scene.image.at(last.mv.to).may_be(self.position.piece_at(last.mv.to))
        {
            let gone = self.pressed_while_gone(scene, last);
            self.cost += gone;
            self.gone += gone;
            self.line = self.completed(scene);
        }
        self.unpressed = 0;
        self.early_press = None;
    }

    /// A player pressed while the board tells nothing: for what had been seen, or for what was not.
    pub fn pressed_unseen(&mut self, side: Side) {
        if side != self.position.side_to_move() {
            self.unpressed = 0;
            self.early_press = None;
        }
    }

    /// What it costs that a player pressed for the last ply and its piece is gone from its point: it has slipped, and he
    /// left it there whatever could take it; if it was not just put there, or was seen elsewhere since, a hand had it.
    fn pressed_while_gone(&self, scene: Scene, last: &Ply) -> Cost {
        let piece = self.position.piece_at(last.mv.to);
        let went_on = piece.map_or(0, |piece| self.gone_again(scene, last.mv, piece, last.at, last.at));
        let slipped = self.disputes.has_slipped(last.mv.to).unwrap_or_else(|| slips(scene, last));
        let held = if slipped && went_on == 0 { 0 } else { scene.params.pressed_while_gone };
        held + went_on + carelessness(scene, &self.position)
    }

    /// Pays for the disagreement of board and reading during so many milliseconds.
    pub fn pay(&mut self, scene: Scene, millis: i64) {
        let difference = scene.image.difference(self.position.board());
        let waiting = self.position.board().of_side(self.position.side_to_move().opposite());
        let slipped = self.line.backward().take(SLIPS_AMONG).filter(|ply| slips(scene, ply));
        let fresh = slipped.map(|ply| ply.mv.to).collect();
        let beside = self.put_beside(scene, difference);
        let differing = Differing { difference, waiting, fresh, beside, stuck: self.stuck };
        self.cost += self.disputes.pay(scene, differing, millis);
    }

    /// Play begins: what is missing now has been told.
    pub fn starts(&mut self, scene: Scene, at: Epoch) {
        self.placed = self.placed.max(at);
        let missing = scene.image.difference(self.board()).missing;
        self.disputes.known_missing(scene, missing);
    }

    /// The game has ended: what is missing has slipped, and a piece of the side to move would have to be in a hand that
    /// was about to play it.
    pub fn ended(&mut self, scene: Scene) {
        self.pay(scene, scene.params.quiet_counts);
        let own = self.board().of_side(self.position.side_to_move());
        let missing = (scene.image.difference(self.board()).missing & own) - scene.health.bad();
        // What slipped as soon as it was put there is in no hand.
        if missing.into_iter().any(|point| self.disputes.has_slipped(point) != Some(true)) {
            self.cost += scene.params.held_at_the_end;
        }
        // Who thinks of the end of the game has finished his ply.
        if scene.clock && self.unpressed > 0 && !self.is_over() {
            self.cost += scene.params.unpressed_at_the_end;
        }
    }

    /// A piece was sensed on `point`. If it stood there unseen, its record was late or it is seen again; if not, the
    /// point senses after all, and this reading has to explain why it did not then.
    pub fn arrived(&mut self, scene: Scene, point: Point, sense: Sense) {
        let stands = sense.may_be(self.position.piece_at(point));
        if stands {
            self.put_back(point);
        } else {
            self.seen_elsewhere(scene, point, sense);
        }
        if stands && !self.silent.contains(point) {
            // What slipped as it was put there comes back without anybody's touching it.
            let returned = match self.disputes.has_slipped(point) {
                Some(true) => 0,
                Some(false) | None => scene.params.returned,
            };
            self.cost += returned;
            self.returned.push((point, returned + self.paid_since_last(scene, point)));
        }
        if self.silent.contains(point) {
            self.silent = self.silent.without(point);
            let proven_before = scene.health.proven().contains(point);
            match (stands, proven_before) {
                (true, true) => self.cost -= scene.params.silent_though_proven,
                (true, false) | (false, true) => {}
                (false, false) => self.cost += scene.params.silent_though_proven,
            }
        }
    }

    /// Points that showed nothing of a piece that this reading put there, and never have shown any.
    pub fn blames(&self, health: &PointHealth) -> Points {
        self.silent - health.proven() - health.bad()
    }

    /// Whether this reading has paid for it that `point` shows nothing.
    pub fn counts_on_dead(&self, point: Point) -> bool {
        self.silent.contains(point) || self.disputes.paid(point) > 0
    }

    /// Whether a piece that shows as `sense` may be in a hand: one is missing on its point, just lifted, or taken up
    /// unseen where no sensor showed it. The latter its own side does in its turn.
    pub fn has_in_hand(&self, scene: Scene, sense: Sense) -> bool {
        let missing = scene.image.difference(self.board()).missing;
        let waiting = self.board().of_side(self.position.side_to_move().opposite());
        let put_unseen = waiting & scene.health.dead();
        (missing - put_unseen).into_iter().any(|point| sense.may_be(self.position.piece_at(point)))
    }

    /// Whether the side to move has no move left: the game is over on the board.
    pub fn is_over(&self) -> bool {
        self.moves().is_empty()
    }
}

/// Whether a ply's piece, if it is gone, left its point so soon that it has slipped.
fn slips(scene: Scene, ply: &Ply) -> bool {
    let gone = scene.evidence.last_change(ply.mv.to);
    gone.is_none_or(|gone| gone.since(ply.at) < SLIPS_WITHIN)
}

#[cfg(test)]
mod tests {
    use firmware_proto::{Reading, SensingKind};

    use super::*;
    use crate::Readings;
    use crate::known::Known;

    /// What it cost that a point which senses did not show the piece is paid when the ply is read, and once.
    #[test]
    fn a_point_that_has_sensed_shows_nothing_new_by_sensing_again() {
        let point: Point = "e4".parse().expect("a point");
        let (params, mut known) = (Params::default(), Known::new(Epoch(0)));
        known.image = Some(Image::new(&Readings { kind: SensingKind::Colour, points: [Reading::EMPTY; 90] }));
        let silent = |known: &Known| {
            let mut reading = Hypothesis::new(Position::start(), Epoch(0));
            reading.silent = Points::EMPTY.with(point);
            let scene = known.scene(&params).expect("the board was seen");
            reading.arrived(scene, point, Sense::Of(Side::Black));
            reading.cost
        };
        assert_eq!(silent(&known), params.silent_though_proven, "it senses after all");
        known.health.sensed(point);
        assert_eq!(silent(&known), 0);
    }
}
