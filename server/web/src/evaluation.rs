//! What an engine thinks of a game that is over, as its page shows it.

use hall::view::GameView;
use maud::{Markup, html};
use serde::{Deserialize, Serialize};

use crate::hub::Shown;
use crate::page::Reader;

/// An engine's scores of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evaluation {
    /// What the engine calls itself.
    pub by: String,
    /// How long it thought about each ply, ms.
    pub ms_a_ply: u32,
    /// After each ply, hundredths of a soldier for Red; a mate is near 10,000. `None`: the engine gave none.
    pub plies: Vec<Option<i16>>,
}

/// An advantage beyond this fills the graph.
const MOST: i16 = 1_000;

/// The scores as scripts read them.
fn scores(evaluation: &Evaluation) -> String {
    let texts = evaluation.plies.iter().map(|score| score.map(|score| score.to_string()).unwrap_or_default());
    texts.collect::<Vec<_>>().join(",")
}

/// The graph of a game's scores: a bar a ply, up for Red and down for Black. Nothing where results are hidden.
#[must_use]
pub fn graph(shown: &Shown, game: &GameView, ply: usize, reader: &Reader) -> Markup {
    let known = shown.evaluations.get(&(game.round, game.table)).filter(|_| !shown.without_results);
    // A game that was corrected since is evaluated anew.
    let Some(evaluation) = known.filter(|known| known.plies.len() == game.plies.len()) else {
        return html! { div data-part="engine" {} };
    };
    let bars = evaluation.plies.iter().enumerate().filter_map(|(i, score)| {
        let height = i32::from(score.as_ref()?.clamp(&-MOST, &MOST).to_owned()) / 50;
        Some((i, height))
    });
    let here = ply.checked_sub(1).and_then(|i| evaluation.plies.get(i).copied().flatten());
    html! {
        div class="engine" data-part="engine" data-scores=(scores(evaluation)) {
            svg viewBox={ "0 -21 " (game.plies.len()) " 42" } preserveAspectRatio="none" role="img"
                aria-label=(reader.t("引擎评估，红上黑下", "Engine evaluation: Red up, Black down")) {
                @for (i, height) in bars {
                    rect class=(if height < 0 { "b" } else { "r" }) x=(i) y=(-height.max(0)) width="1" height=(height.abs().max(1)) {}
                }
                rect class="at" x=(ply as i32 - 1) y="-21" width="1" height="42" {}
            }
            p {
                (reader.t("引擎评估（供参考）", "Engine, for reference: ")) " " span lang="en" { (evaluation.by) }
                " · " (evaluation.ms_a_ply) (reader.t(" 毫秒每着", " ms a ply"))
                // `replay.js` writes it too.
                " · " (reader.t("红方 ", "Red ")) b { @if let Some(score) = here { (format!("{:.2}", f32::from(score) / 100.0)) } }
            }
        }
    }
}
