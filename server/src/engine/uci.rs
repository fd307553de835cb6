//! The lines of UCI that matter here. Pure.

/// A mate counts as this many hundredths of a soldier, less one for each move until it.
pub const MATE: i16 = 10_000;

/// The score in a line, in hundredths of a soldier for the side to move; `None` if it has none, or a mere bound.
#[must_use]
pub fn score(line: &str) -> Option<i16> {
    let mut words = line.split_whitespace();
    if words.next() != Some("info") || line.contains("bound") {
        return None;
    }
    words.find(|word| *word == "score")?;
    let (kind, value) = (words.next()?, words.next()?.parse::<i32>().ok()?);
    let limit = i32::from(MATE);
    let score = match kind {
        "cp" => value.clamp(1 - limit + 500, limit - 501),
        "mate" if value > 0 => limit - value.min(500),
        // "mate 0": the side to move is mated.
        "mate" => -limit - value.max(-500),
        _ => return None,
    };
    i16::try_from(score).ok()
}

/// The engine's name in a line.
#[must_use]
pub fn name(line: &str) -> Option<&str> {
    line.strip_prefix("id name ").map(str::trim)
}

/// Whether a line offers variants, xiangqi among them: then it has to be asked for.
#[must_use]
pub fn offers_xiangqi(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.next() == Some("option")
        && line.contains("name UCI_Variant ")
        && words.any(|word| word == "xiangqi")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_read_as_engines_write_them() {
        assert_eq!(score("info depth 12 seldepth 18 multipv 1 score cp 35 nodes 9 pv h2e2"), Some(35));
        assert_eq!(score("info depth 3 score mate 4 pv a0a1"), Some(MATE - 4));
        assert_eq!(score("info depth 3 score mate -2"), Some(2 - MATE));
        assert_eq!(score("info depth 0 score mate 0"), Some(-MATE));
        assert_eq!(score("info score cp 99999"), Some(MATE - 501), "no advantage looks like a mate");
        for none in
            ["info string score cp x", "info depth 3 score cp 5 lowerbound", "bestmove h2e2", "", "info"]
        {
            assert_eq!(score(none), None, "{none}");
        }
    }

    #[test]
    fn a_variant_is_asked_for_where_there_are_several() {
        assert!(offers_xiangqi("option name UCI_Variant type combo default chess var chess var xiangqi"));
        assert!(!offers_xiangqi("option name Hash type spin default 16"));
        assert_eq!(name("id name Pikafish 2026-01"), Some("Pikafish 2026-01"));
    }
}
