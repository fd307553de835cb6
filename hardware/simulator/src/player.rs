//! A small player: takes what it can, leaves little hanging, shuns repetition, gives mate when it sees it.
//!
//! It looks two plies deep by material and is seeded: games are natural enough for hands and trackers, and no two
//! are the same. Nobody should learn the game from it.

use std::collections::BTreeMap;

use xiangqi::{Move, Position, Role, Side, Status};

use crate::dice::Dice;
use crate::games::{Ending, Game};

/// Plies after which the players look for a draw.
const LONG: usize = 110;
/// Plies after which they agree to one whatever stands.
const TOO_LONG: usize = 150;
/// Behind by so much for some plies, a player gives up.
const HOPELESS: i32 = 130;

/// Plays a whole game.
#[must_use]
pub fn game(seed: u64) -> Game {
    let mut dice = Dice::new(seed).branch(1);
    let mut position = Position::start();
    let mut seen: BTreeMap<u64, u8> = BTreeMap::new();
    let mut moves = Vec::new();
    let mut hopeless = 0;
    let ending = loop {
        match position.status() {
            Status::Checkmate | Status::Stalemate => {
                break Ending::OnBoard { loser: position.side_to_move() };
            }
            Status::Ongoing => {}
        }
        let side = position.side_to_move();
        let ahead = material(&position, side);
        hopeless = if ahead <= -HOPELESS { hopeless + 1 } else { 0 };
        if hopeless >= 4 && dice.chance(0.4) {
            break Ending::Resigns(side);
        }
        let even = ahead.abs() < 40;
        if moves.len() >= TOO_LONG || moves.len() >= LONG && even && dice.chance(0.1) {
            break Ending::Draw;
        }
        let Some(mv) = choose(&position, &seen, &mut dice) else { break Ending::OnBoard { loser: side } };
        position = position.play_irregular(mv);
        *seen.entry(position.key()).or_default() += 1;
        moves.push(mv);
    };
    Game { id: format!("player-{seed}"), moves, ending }
}

/// A move for the side to move; `None`: it has none.
pub fn choose(position: &Position, seen: &BTreeMap<u64, u8>, dice: &mut Dice) -> Option<Move> {
    let side = position.side_to_move();
    let mut best: Option<(i32, Move)> = None;
    for mv in position.legal_moves() {
        let after = position.play_irregular(mv);
        let score = score(position, mv, &after, side)
            - i32::from(seen.get(&after.key()).copied().unwrap_or(0)) * 60
            + dice.between(0, 9) as i32;
        if best.is_none_or(|(highest, _)| score > highest) {
            best = Some((score, mv));
        }
    }
    best.map(|(_, mv)| mv)
}

fn score(position: &Position, mv: Move, after: &Position, side: Side) -> i32 {
    let replies = after.legal_moves();
    if replies.is_empty() {
        return 100_000;
    }
    let taken = position.piece_at(mv.to).map_or(0, |piece| worth(piece.role));
    let mut loss = 0;
    for reply in &replies {
        let Some(victim) = after.piece_at(reply.to) else { continue };
        let Some(attacker) = after.piece_at(reply.from) else { continue };
        let gain = worth(victim.role);
        let guarded = !after.attackers(reply.to, side).is_empty();
        let net = if guarded { gain - worth(attacker.role) } else { gain };
        loss = loss.max(net);
    }
    let check = if after.is_check() { 6 } else { 0 };
    let forward = match position.piece_at(mv.from).map(|piece| piece.role) {
        Some(Role::Soldier) => 4,
        Some(Role::Chariot | Role::Horse | Role::Cannon) => {
            i32::from(mv.to.depth(side)) - i32::from(mv.from.depth(side)) + (30 - replies.len() as i32) / 3
        }
        Some(Role::King) => -6,
        Some(Role::Advisor | Role::Elephant) | None => 0,
    };
    taken * 10 - loss * 9 + check + forward
}

/// How far `side` is ahead in material, tenths of a soldier.
fn material(position: &Position, side: Side) -> i32 {
    position
        .board()
        .pieces()
        .map(|(_, piece)| if piece.side == side { worth(piece.role) } else { -worth(piece.role) })
        .sum()
}

const fn worth(role: Role) -> i32 {
    match role {
        Role::King => 0,
        Role::Advisor | Role::Elephant => 20,
        Role::Horse => 40,
        Role::Chariot => 90,
        Role::Cannon => 45,
        Role::Soldier => 12,
    }
}
