//! Hands: a game becomes sensor changes, lever presses and buttons over time, with the truth beside it.

mod after;
mod gestures;
mod play;
mod script;
mod sensors;
mod set_up;
mod trouble;

use xiangqi::{Point, Position, Side};

use crate::dice::Dice;
use crate::games::{Ending, Game};
use crate::incidents::Row;
use crate::man::{Man, Stand, stand};
use crate::noise::{Dead, Noise};
use crate::truth::{Due, Incident, PlayedPly, SensedBy, Struck, Truth};
use play::Late;
pub use script::{Act, Order, Script};
use sensors::{Mask, Placed, disturbances, show};

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
    /// For incidents, so that they change nothing else.
    trouble: Dice,
    stand: Stand,
    placed: Vec<Placed>,
    off_centre: Vec<Mask>,
    signals: Vec<(i64, Act)>,
    position: Position,
    plies: Vec<PlayedPly>,
    struck: Vec<Struck>,
    due: Vec<Due>,
    now: i64,
    /// When the present turn began.
    began: i64,
    /// Both sides' times, if there is a clock to look at, and what a press adds.
    left: Option<[i64; 2]>,
    increment: i64,
    /// A player who starts before the opponent's press lifts at this time.
    lift_at: Option<i64>,
    /// A press that comes late, if the opponent has not moved by then.
    late: Option<Late>,
    ending: Ending,
}

/// From the pieces standing to the press that starts Red's time, ms.
const BEFORE_START: (i64, i64) = (2_000, 4_000);

/// Plays a game on a board that stands ready.
#[must_use]
pub fn perform(game: &Game, noise: &Noise, budget: Option<Budget>, seed: u64) -> Script {
    let dice = Dice::new(seed);
    let right = stand(Position::start().board());
    let mut hands = Hands {
        noise,
        dice: dice.branch(2),
        trouble: dice.branch(8),
        stand: right,
        placed: Vec::new(),
        off_centre: Vec::new(),
        signals: Vec::new(),
        position: Position::start(),
        plies: Vec::new(),
        struck: Vec::new(),
        due: Vec::new(),
        now: 0,
        began: 0,
        left: budget.map(|budget| [budget.base; 2]),
        increment: budget.map_or(0, |budget| budget.increment),
        lift_at: None,
        late: None,
        ending: game.ending,
    };
    let wrong = hands.set_up();
    let stands = hands.stand;
    let turned = wrong == Some(set_up::Wrong::Turned);
    hands.put_right(wrong, &right);
    hands.play_game(&game.moves);
    let ended = hands.end();
    hands.after_game(ended);
    let Hands { stand: left, mut placed, off_centre, signals, plies, struck, mut due, ending, .. } = hands;
    placed.sort_by_key(|one| one.at);
    let mut chance = dice.branch(3);
    let mut masks = disturbances(&stands, &placed, ended, noise, &mut chance);
    for mask in off_centre.into_iter().map(|mask| until_touched(mask, &placed)) {
        if mask.shows.is_none() {
            due.push(unseen(Incident::OffCentre, mask.from, mask.to, mask.point, &plies));
        }
        masks.push(mask);
    }
    let dead = match noise.dead {
        Dead::No => None,
        Dead::Unknown | Dead::Known => chance.pick(&Point::ALL),
    };
    if let Some(point) = dead {
        masks.push(Mask { point, from: i64::MIN, to: i64::MAX, shows: None });
        let effect = sensors::first_rest(&stands, &placed, point, i64::MIN);
        due.extend(effect.map(|at| unseen(Incident::DeadPoint, at, i64::MAX, point, &plies)));
    }
    let mut faults = Faults {
        stands: &stands,
        placed: &placed,
        ended,
        plies: &plies,
        masks: &mut masks,
        due: &mut due,
        dice: dice.branch(9),
    };
    faults.happen(noise);
    let (shown, changes) = show(&stands, &placed, &masks, noise, &mut dice.branch(4));
    let mut acts: Vec<(i64, Act)> = signals;
    acts.extend(changes.into_iter().map(|change| (change.at, Act::Shows(change.point, change.man))));
    acts.sort_by_key(|(at, _)| *at);
    due.sort_by_key(|due| due.at);
    Script { shown, stands, turned, acts, truth: Truth { plies, struck, ending, ended, dead, due }, left }
}

/// Something that a point did by itself.
fn unseen(what: Incident, at: i64, until: i64, point: Point, plies: &[PlayedPly]) -> Due {
    let played = plies.iter().filter(|ply| ply.placed <= at).count() as u16;
    Due { what, at: at.max(0), until, plies: played, points: vec![point], sensed_by: SensedBy::Occupancy }
}

/// A piece that stands off its point is seen again at the latest when somebody takes it.
fn until_touched(mask: Mask, placed: &[Placed]) -> Mask {
    let touched =
        placed.iter().find(|one| one.point == mask.point && one.at > mask.from).map_or(mask.to, |one| one.at);
    Mask { to: mask.to.min(touched), ..mask }
}

/// Faults of points and pieces over a whole game.
struct Faults<'a> {
    stands: &'a Stand,
    placed: &'a [Placed],
    ended: i64,
    plies: &'a [PlayedPly],
    masks: &'a mut Vec<Mask>,
    due: &'a mut Vec<Due>,
    dice: Dice,
}

impl Faults<'_> {
    fn happen(&mut self, noise: &Noise) {
        let mut roll = |row: Row| self.dice.chance(noise.incidents.rate(row));
        let (stuck, fading, weak) = (roll(Row::StuckPoint), roll(Row::FadingPoint), roll(Row::WeakPiece));
        if stuck {
            self.stuck_point();
        }
        if fading {
            self.fading_point();
        }
        if weak {
            self.weak_piece();
        }
    }

    fn stuck_point(&mut self) {
        let men: Vec<Man> = Man::all().collect();
        let (Some(point), Some(man)) = (self.dice.pick(&Point::ALL), self.dice.pick(&men)) else { return };
        let from = self.dice.between(0, self.ended / 2);
        self.masks.push(Mask { point, from, to: i64::MAX, shows: Some(man) });
        let effect = sensors::first(self.stands, self.placed, point, from, |man| man.is_none());
        let effect = effect.filter(|at| *at <= self.ended);
        self.due.extend(effect.map(|at| unseen(Incident::StuckPoint, at, i64::MAX, point, self.plies)));
    }

    /// Loses its piece for 0.1 to 3 s, every half minute at first, every second later, and then always.
    fn fading_point(&mut self) {
        let Some(point) = self.dice.pick(&Point::ALL) else { return };
        let from = self.dice.between(0, self.ended / 2);
        let dead = from + self.dice.between(60_000, 300_000);
        let mut at = from;
        while at < dead {
            let to = at + self.dice.between(100, 3_000);
            self.masks.push(Mask { point, from: at, to: to.min(dead), shows: None });
            let left = (dead - at) as f64 / (dead - from) as f64;
            at = to + self.dice.exponential(1_000.0 + 29_000.0 * left) as i64;
        }
        self.masks.push(Mask { point, from: dead, to: i64::MAX, shows: None });
        self.due.push(unseen(Incident::FadingPoint, from, i64::MAX, point, self.plies));
        let effect = sensors::first_rest(self.stands, self.placed, point, dead);
        let effect = effect.filter(|at| *at <= self.ended);
        self.due.extend(effect.map(|at| unseen(Incident::DeadPoint, at, i64::MAX, point, self.plies)));
    }

    /// On three points in ten it is not sensed at all, elsewhere it drops out for a moment now and then.
    fn weak_piece(&mut self) {
        let men: Vec<Man> = Man::all().collect();
        let Some(man) = self.dice.pick(&men) else { return };
        for (point, from, to) in sensors::stays(self.stands, self.placed, man, self.ended) {
            if self.dice.chance(0.3) {
                self.masks.push(Mask { point, from, to, shows: None });
            } else {
                let mut at = from + self.dice.exponential(20_000.0) as i64;
                while at < to {
                    let lasts = self.dice.between(50, 2_000);
                    self.masks.push(Mask { point, from: at, to: (at + lasts).min(to), shows: None });
                    at += lasts + self.dice.exponential(20_000.0) as i64;
                }
            }
            self.due.push(unseen(Incident::WeakPiece, from, to, point, self.plies));
        }
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

    /// Lays what stands otherwise than in `wanted`, piece by piece, from `at` on. Returns when all stand.
    fn lay(&mut self, wanted: &Stand, mut at: i64) -> i64 {
        let wrong: Vec<Point> = Point::ALL
            .into_iter()
            .filter(|point| self.stand[point.index()] != wanted[point.index()])
            .collect();
        for &point in wrong.iter().filter(|point| self.stand[point.index()].is_some()).collect::<Vec<_>>() {
            self.put(at, point, None);
            at += self.trouble.between(150, 400);
        }
        for &point in wrong.iter().filter(|point| wanted[point.index()].is_some()) {
            at += self.trouble.between(150, 400);
            self.put(at, point, wanted[point.index()]);
        }
        at
    }

    fn note(&mut self, what: Incident, at: i64, until: i64, points: Vec<Point>, sensed_by: SensedBy) {
        let plies = u16::try_from(self.plies.len()).unwrap_or(u16::MAX);
        self.due.push(Due { what, at, until, plies, points, sensed_by });
    }

    fn happens(&mut self, row: Row) -> bool {
        self.trouble.chance(self.noise.incidents.rate(row))
    }

    /// How the game ends. Returns when it has.
    fn end(&mut self) -> i64 {
        use firmware_proto::PlayerSignal;
        let now = self.now;
        match self.ending {
            Ending::OnBoard { .. } => now + 3_000,
            Ending::Resigns(side) => {
                let at = now + self.dice.between(3_000, 9_000);
                self.signals.push((at, Act::Button(side, PlayerSignal::Resign)));
                at
            }
            Ending::Draw => {
                let first = now + self.dice.between(3_000, 9_000);
                let second = first + self.dice.between(1_000, 6_000);
                let offers = if self.plies.len().is_multiple_of(2) { Side::Red } else { Side::Black };
                self.signals.push((first, Act::Button(offers, PlayerSignal::Draw)));
                self.signals.push((second, Act::Button(offers.opposite(), PlayerSignal::Draw)));
                second
            }
            Ending::Flag(_) => now,
        }
    }
}
