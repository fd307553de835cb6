//! The Asian and the world federation's rules: not what single plies are, but
//! whether one side pursues one man all the time. A check is a check, a chase
//! is a new attack on a man, everything else (mate threats, captures after a
//! check, attacks by generals and soldiers, on protected men, on several men in
//! turn) is allowed.

use super::class::{Chase, Class, Classified, Prey, Reason};
use super::classify::man_at;
use super::judgement::Conduct;
use crate::{BySide, Move, Piece, Point, Points, Position, Role, Side};

/// The class of `mv`, a legal move of `before`.
pub(super) fn classify(before: &Position, mv: Move) -> Classified {
    let after = before.play_irregular(mv);
    let mover = before.side_to_move();
    let man = man_at(&after, mv.to);
    let (class, reason) = match after.board().king(mover.opposite()) {
        Some(general) if after.is_check() => {
            let checkers = after.attackers(general, mover).into_iter().map(|at| man_at(&after, at));
            (Class::Check, Reason::GivesCheck(checkers.collect()))
        }
        Some(_) | None => {
            let again = after.pass();
            let chases: Vec<Chase> = new_attacks(before, mv)
                .into_iter()
                .map(|capture| {
                    let prey = man_at(&again, capture.to);
                    let kind =
                        if prey.piece.role == Role::Chariot { Prey::Chariot } else { Prey::Unprotected };
                    Chase { hunter: man_at(&again, capture.from), prey, kind, by_exchange: false }
                })
                .collect();
            match chases.iter().map(|chase| chase.kind).min() {
                Some(gravest) => (Class::Chase(gravest), Reason::Chases(chases)),
                None => (Class::Idle, Reason::NothingNew),
            }
        }
    };
    Classified { mv, man, class, reason, unresolved: false }
}

/// The attacks that `mv` made: pairs of attacker and target, the moved piece
/// compared with itself where it stood.
fn new_attacks(before: &Position, mv: Move) -> Vec<Move> {
    let after = before.play_irregular(mv).pass();
    let then = attacks(before);
    attacks(&after)
        .into_iter()
        .filter(|capture| {
            let from = if capture.from == mv.to { mv.from } else { capture.from };
            !then.contains(&Move::new(from, capture.to))
        })
        .collect()
}

/// The captures that count as attacks.
fn attacks(position: &Position) -> Vec<Move> {
    position.legal_captures().into_iter().filter(|&capture| is_attack(position, capture)).collect()
}

fn is_attack(position: &Position, capture: Move) -> bool {
    let (Some(hunter), Some(prey)) = (position.piece_at(capture.from), position.piece_at(capture.to)) else {
        return false;
    };
    let worthless = prey.role == Role::Soldier && !capture.to.crossed_river(prey.side);
    if matches!(hunter.role, Role::King | Role::Soldier) || worthless {
        return false;
    }
    if rank(hunter.role) < rank(prey.role) {
        return true;
    }
    let mutual = hunter.role == prey.role && position.pass().is_legal(Move::new(capture.to, capture.from));
    !mutual && position.play_irregular(capture).legal_captures_on(capture.to).is_empty()
}

/// A lower man attacks a higher one even if it is protected.
const fn rank(role: Role) -> u8 {
    match role {
        Role::Chariot => 2,
        Role::Horse | Role::Cannon => 1,
        Role::Advisor | Role::Elephant => 0,
        // Neither is chased as the higher man, nor chases as the lower.
        Role::Soldier | Role::King => 0,
    }
}

/// What each side has done over a stretch that ends where it began. It may hold
/// several smaller circles: nobody is condemned unless the whole and each circle
/// by itself condemn the same side.
pub(super) fn conduct(positions: &[Position], moves: &[Move]) -> BySide<Conduct> {
    let whole = circle(&positions.iter().collect::<Vec<_>>(), moves);
    let as_whole = worse(whole);
    let agreed = simple_circles(positions, moves)
        .into_iter()
        .all(|(positions, moves)| worse(circle(&positions, &moves)) == as_whole);
    if agreed { whole } else { BySide::both(Conduct::Allowed) }
}

/// Takes a closed walk apart into circles that pass no position twice.
fn simple_circles<'a>(positions: &'a [Position], moves: &[Move]) -> Vec<(Vec<&'a Position>, Vec<Move>)> {
    let mut circles = Vec::new();
    let mut path: Vec<(&Position, Move)> = Vec::new();
    let (mut steps, last) = (positions.iter().zip(moves), positions.last());
    loop {
        let step = steps.next();
        let Some(position) = step.map(|(position, _)| position).or(last) else { return circles };
        if let Some(begin) = path.iter().position(|(then, _)| then.key() == position.key()) {
            let (mut on_circle, of_circle): (Vec<_>, Vec<_>) = path.drain(begin..).unzip();
            on_circle.push(position);
            circles.push((on_circle, of_circle));
        }
        match step {
            Some((position, &mv)) => path.push((position, mv)),
            None => return circles,
        }
    }
}

/// Who behaves worse.
fn worse(conduct: BySide<Conduct>) -> core::cmp::Ordering {
    conduct.red.cmp(&conduct.black)
}

fn circle(positions: &[&Position], moves: &[Move]) -> BySide<Conduct> {
    BySide::from_fn(|side| {
        let own = || (0..moves.len()).filter(|&i| positions[i].side_to_move() == side);
        if own().all(|i| positions[i + 1].is_check()) {
            return Conduct::PerpetualCheck;
        }
        // Men keep their identity through the circle: by the point where they
        // stood at its beginning.
        let mut origin: Vec<(Point, Point)> = Vec::new();
        let mut hunted_always: Option<Vec<Point>> = None;
        let mut shielding_always = true;
        for (i, &mv) in moves.iter().enumerate() {
            track(&mut origin, mv);
            if positions[i].side_to_move() != side {
                continue;
            }
            let preys: Vec<Point> = new_attacks(positions[i], mv).into_iter().map(|c| c.to).collect();
            shielding_always &= preys.iter().any(|&prey| shields_from_horse(positions[i + 1], prey, side));
            let named = |point: &Point| {
                origin.iter().find(|(_, now)| now == point).map_or(*point, |&(began, _)| began)
            };
            let hunted: Vec<Point> = preys.iter().map(named).collect();
            hunted_always = Some(match hunted_always {
                None => hunted,
                Some(always) => always.into_iter().filter(|man| hunted.contains(man)).collect(),
            });
        }
        match hunted_always {
            Some(always) if !always.is_empty() => {
                if shielding_always {
                    Conduct::ChasePinnedChariot
                } else {
                    Conduct::Chase
                }
            }
            Some(_) | None => Conduct::Allowed,
        }
    })
}

/// Follows one move in the list of (where a man began, where it stands).
fn track(origin: &mut Vec<(Point, Point)>, mv: Move) {
    match origin.iter_mut().find(|(_, now)| *now == mv.from) {
        Some((_, now)) => *now = mv.to,
        None => origin.push((mv.from, mv.to)),
    }
}

/// Whether the chariot on `prey` keeps a horse of `hunter` from its general's throat.
fn shields_from_horse(position: &Position, prey: Point, hunter: Side) -> bool {
    let chariot = Piece { side: hunter.opposite(), role: Role::Chariot };
    if position.piece_at(prey) != Some(chariot) {
        return false;
    }
    let mut setup = position.setup();
    setup.board.set(prey, None);
    let bare = Position::of(setup);
    let horses = bare.board().of(hunter, Role::Horse);
    let Some(general) = bare.board().king(hunter.opposite()) else { return false };
    !(bare.attackers(general, hunter) & horses).is_empty()
        && (position.attackers(general, hunter) & horses) == Points::EMPTY
}
