//! One case as the command line tells it (`chuhe judge`).

use thiserror::Error;

use super::judgement::{IllegalPly, Judgement};
use super::rules::Rules;
use super::watch::{Repetition, Watch};
use crate::{FenError, Move, Position};

/// A case and its judgement, field by field as the command line prints it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct CliLine {
    /// `red_loses`, `black_loses`, `draw` or `none`.
    pub verdict: &'static str,
    /// `immediate_loss`, `must_change_else_loss`, `nine_round_rule`, `loss`, `draw` or `none`.
    pub kind: &'static str,
    /// The class of every ply, in Chinese: 将 杀 捉 兑 献 拦 跟 闲.
    pub classes: Vec<&'static str>,
    /// The judgement and its grounds, in Chinese.
    pub why: String,
    /// The same in English.
    pub why_en: String,
}

/// Why a case cannot be judged.
#[derive(Debug, Error)]
pub enum CliError {
    /// The FEN is none.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// A ply is not legal.
    #[error(transparent)]
    Ply(#[from] IllegalPly),
}

/// Judges one case: the position that `moves` lead to from `fen`.
///
/// # Errors
/// What is wrong with the FEN or with a move.
pub fn cli_line(rules: Rules, fen: &str, moves: &[Move]) -> Result<CliLine, CliError> {
    let mut watch = Watch::new(rules, &Position::from_fen(fen)?);
    for (ply, &mv) in moves.iter().enumerate() {
        watch.play(mv).map_err(|why| IllegalPly { ply, mv, why })?;
    }
    let judgement = match watch.repetition() {
        Repetition::Complete(judgement) => judgement,
        Repetition::None | Repetition::Nearing { .. } => Judgement::none(rules),
    };
    let classes = (0..moves.len()).filter_map(|ply| Some(watch.class(ply)?.class.zh())).collect();
    Ok(CliLine {
        verdict: judgement.verdict.name(),
        kind: judgement.kind.name(),
        classes,
        why: judgement.why_zh(),
        why_en: judgement.why_en(),
    })
}
