//! Seeded chance.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// A seeded source of chance. Different purposes take different [`Dice::branch`]es, so that more noise of one kind
/// does not change what another kind does.
#[derive(Clone, Debug)]
pub struct Dice {
    rng: ChaCha8Rng,
    seed: u64,
}

impl Dice {
    /// The dice of this seed.
    #[must_use]
    pub fn new(seed: u64) -> Dice {
        Dice { rng: ChaCha8Rng::seed_from_u64(seed), seed }
    }

    /// Other dice of the same seed, for a purpose with a number of its own.
    #[must_use]
    pub fn branch(&self, purpose: u64) -> Dice {
        let mixed = (self.seed ^ purpose.wrapping_mul(0x9E37_79B9_7F4A_7C15))
            .rotate_left(29)
            .wrapping_mul(0xBF58_476D_1CE4_E5B9);
        Dice::new(mixed ^ purpose)
    }

    /// What they were seeded with.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// In `0.0..1.0`.
    pub fn unit(&mut self) -> f64 {
        (self.rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// True with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        probability > 0.0 && self.unit() < probability
    }

    /// A whole number in `low..=high`.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + (self.unit() * (high - low + 1) as f64) as i64
    }

    /// Log-normal with this median and sigma.
    pub fn log_normal(&mut self, median: f64, sigma: f64) -> f64 {
        // Box-Muller; 1 - unit() is never zero.
        let normal = (-2.0 * (1.0 - self.unit()).ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos();
        median * (sigma * normal).exp()
    }

    /// Exponential with this mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * (1.0 - self.unit()).ln()
    }

    /// One of them; `None` of none.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> Option<T> {
        if items.is_empty() {
            None
        } else {
            items.get(self.between(0, items.len() as i64 - 1) as usize).copied()
        }
    }
}
