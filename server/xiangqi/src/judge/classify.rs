//! The class of a ply under the Chinese rules: 将, else 杀, else 捉, else 闲.

use super::class::{Chase, Class, Classified, Man, Prey, Reason};
use super::novelty::Scene;
use super::reckon::Reckoning;
use super::threat::{Gain, Threat};
use crate::{Move, Position, Role, Side};

/// How many checks a mate may take to be seen (24.2 sets no limit; one official
/// figure needs seven).
const MATING_CHECKS: u8 = 7;

/// Positions that may be visited for one ply before the answer is "unresolved".
pub(super) const NODES: u32 = 400_000;

/// The class of `mv`, a legal move of `before`, under the Chinese rules.
/// `earlier` is the position before the opponent's last move, if the game goes
/// back so far: a reply to a check is compared with what stood before it, and
/// what the opponent brought upon himself is nobody's chase.
#[must_use]
pub fn classify(earlier: Option<&Position>, before: &Position, mv: Move) -> Classified {
    classify_with(&mut Reckoning::new(NODES), earlier, before, mv)
}

/// The same, for plies of one game: what was found out for one helps the next.
pub(super) fn classify_with(
    reckoning: &mut Reckoning,
    earlier: Option<&Position>,
    before: &Position,
    mv: Move,
) -> Classified {
    reckoning.nodes = 0;
    let after = before.play_irregular(mv);
    let (class, reason) = class_and_reason(reckoning, earlier, before, mv, &after);
    let man = man_at(&after, mv.to);
    Classified { mv, man, class, reason, unresolved: reckoning.exhausted() }
}

fn class_and_reason(
    reckoning: &mut Reckoning,
    earlier: Option<&Position>,
    before: &Position,
    mv: Move,
    after: &Position,
) -> (Class, Reason) {
    let mover = before.side_to_move();
    if let Some(general) = after.board().king(mover.opposite())
        && after.is_check()
    {
        let checkers = after.attackers(general, mover).into_iter().map(|at| man_at(after, at));
        return (Class::Check, Reason::GivesCheck(checkers.collect()));
    }
    let again = after.pass();
    let general_moved = before.piece_at(mv.from).is_some_and(|piece| piece.role == Role::King);
    let in_check = before.is_check();
    let scene = Scene { earlier, before, mv, again: &again, mover, in_check, general_moved };
    if in_check && general_moved {
        return (Class::Idle, Reason::GeneralEvades);
    }
    let offers = reckoning.exchange_offers(&again);
    if reckoning.mates(&mut again.clone(), MATING_CHECKS, &offers) {
        return (Class::MateThreat, Reason::ThreatensMate);
    }
    let fresh = reckoning.new_threats(&scene);
    if !fresh.is_empty() {
        let chases: Vec<Chase> = fresh.iter().map(|threat| chase(&again, threat)).collect();
        if holds_draw(&scene, &chases) {
            return (Class::Idle, Reason::HoldsDraw(chases));
        }
        let gravest = chases.iter().map(|chase| chase.kind).min().unwrap_or(Prey::Unprotected);
        return (Class::Chase(gravest), Reason::Chases(chases));
    }
    if let Some(chase) = chase_by_checks(reckoning, &scene, &offers) {
        return chase;
    }
    for offer in offers {
        let offered_before =
            before.legal_captures_on(offer.to).contains(&offer) && reckoning.offers_exchange(before, offer);
        if !offered_before {
            return (
                Class::Exchange,
                Reason::OffersExchange(man_at(&again, offer.from), man_at(&again, offer.to)),
            );
        }
    }
    (Class::Idle, Reason::NothingNew)
}

/// A win by checks that was not there before: more, or another.
fn chase_by_checks(reckoning: &mut Reckoning, scene: &Scene, offers: &[Move]) -> Option<(Class, Reason)> {
    let lines = reckoning.lines(scene.again, offers);
    let first = lines.first?;
    let mut compared = scene.compared();
    let offers_then = reckoning.exchange_offers(&compared);
    let then = reckoning.lines(&compared, &offers_then);
    let more = lines.value > then.value.max(reckoning.captures(&mut compared));
    if !more && !reckoning.wins_elsewhere(&lines, &compared, &then) {
        return None;
    }
    let prey = if lines.alone { Prey::Unprotected } else { Prey::Joint };
    Some((Class::Chase(prey), Reason::WinsByChecks(first)))
}

fn chase(again: &Position, threat: &Threat) -> Chase {
    Chase {
        hunter: man_at(again, threat.mv.from),
        prey: man_at(again, threat.mv.to),
        kind: threat.prey,
        by_exchange: threat.gain == Gain::Exchange,
    }
}

pub(super) fn man_at(position: &Position, at: crate::Point) -> Man {
    let piece = position.piece_at(at).expect("a move ends on its piece, and a threat begins and ends on one");
    Man { piece, at }
}

/// 26.2: the side whose only attacking piece stands on a key point of a drawn
/// ending; its attacks on advisors and elephants are incidental.
fn holds_draw(scene: &Scene, chases: &[Chase]) -> bool {
    let pieces = |side: Side| -> usize {
        let board = scene.again.board();
        [Role::Chariot, Role::Horse, Role::Cannon].into_iter().map(|role| board.of(side, role).len()).sum()
    };
    pieces(scene.mover) == 1
        && pieces(scene.mover.opposite()) >= 2
        && chases.iter().all(|chase| matches!(chase.prey.piece.role, Role::Advisor | Role::Elephant))
}
