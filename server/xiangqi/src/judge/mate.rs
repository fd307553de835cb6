//! Mate by checks alone (连将杀): every move of the attacker a check.

use super::reckon::Reckoning;
use crate::{Move, Position};

/// What is known of positions met in the search: by how many checks the side to
/// move mates, and by how many it does not. Chains of checks come back to the
/// same positions all the time.
pub(super) struct MateTable {
    /// Made when a search turns out not to be short.
    entries: Vec<Entry>,
    /// By depth, the evasion that last refuted a check.
    refutations: [Option<Move>; MateTable::DEPTH],
}

#[derive(Clone, Copy, Default)]
struct Entry {
    key: u64,
    /// It mates within so many checks; 0: not known to.
    mates: u8,
    /// It does not within so many.
    fails: u8,
}

impl MateTable {
    const SIZE: usize = 1 << 11;
    const DEPTH: usize = 16;

    pub(super) const fn new() -> MateTable {
        MateTable { entries: Vec::new(), refutations: [None; MateTable::DEPTH] }
    }

    fn get(&self, key: u64, checks: u8) -> Option<bool> {
        let entry = self.entries.get(key as usize % MateTable::SIZE)?;
        if entry.key != key {
            None
        } else if entry.mates > 0 && entry.mates <= checks {
            Some(true)
        } else if entry.fails >= checks {
            Some(false)
        } else {
            None
        }
    }

    fn put(&mut self, key: u64, checks: u8, mates: bool) {
        if self.entries.is_empty() {
            self.entries = vec![Entry::default(); MateTable::SIZE];
        }
        let entry = &mut self.entries[key as usize % MateTable::SIZE];
        if entry.key != key {
            *entry = Entry { key, ..Entry::default() };
        }
        if mates {
            entry.mates = checks;
        } else {
            entry.fails = entry.fails.max(checks);
        }
    }
}

impl Reckoning {
    /// Whether the side to move mates within `checks` checks, every move of it
    /// a check and none of them in `banned`.
    pub(super) fn mates(&mut self, position: &mut Position, checks: u8, banned: &[Move]) -> bool {
        // Different bans are different questions.
        let salt = banned.iter().fold(0_u64, |salt, mv| {
            let name = (mv.from.index() * 90 + mv.to.index() + 1) as u64;
            salt ^ name.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17)
        });
        let deepening = [1, 2, 4].into_iter().filter(|&n| n < checks).chain([checks]);
        deepening.into_iter().any(|n| self.mates_in(position, n, banned, salt))
    }

    fn mates_in(&mut self, position: &mut Position, checks: u8, banned: &[Move], salt: u64) -> bool {
        if self.exhausted() {
            return false;
        }
        let key = position.key() ^ salt;
        if checks > 1
            && let Some(known) = self.mates.get(key, checks)
        {
            return known;
        }
        let mut mates = false;
        for mv in &position.check_candidates() {
            if banned.contains(&mv) {
                continue;
            }
            mates = self
                .after(position, mv, |r, p| p.is_check() && r.all_evasions_mated(p, checks, banned, salt));
            if mates {
                break;
            }
        }
        if checks > 1 && !self.exhausted() {
            self.mates.put(key, checks, mates);
        }
        mates
    }

    fn all_evasions_mated(
        &mut self,
        position: &mut Position,
        checks: u8,
        banned: &[Move],
        salt: u64,
    ) -> bool {
        if checks == 1 {
            return position.count_legal_moves() == 0;
        }
        let evasions = position.legal_moves();
        let level = usize::from(checks);
        // What refuted the last check at this depth often refutes this one.
        let killer = self.mates.refutations[level].filter(|killer| evasions.contains(killer));
        for evasion in killer.into_iter().chain(evasions.iter().copied().filter(|&e| Some(e) != killer)) {
            if !self.after(position, evasion, |r, p| r.mates_in(p, checks - 1, banned, salt)) {
                self.mates.refutations[level] = Some(evasion);
                return false;
            }
        }
        true
    }
}
