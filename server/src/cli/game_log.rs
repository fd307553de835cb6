//! `chuhe log`: what was recorded of one game, to be followed again offline.

use anyhow::Context;
use clap::Args;
use hall::{Entry, GameLog, Hall};
use tournament::{RoundNo, TableNo};

use super::place::Place;
use super::{Ended, Failure, runtime, say};
use crate::ingest::entry;

/// Prints what the devices of a table told in one game and what arbiters corrected, for `chuhe-sim replay`; also while the
/// server runs, and of a copy.
#[derive(Debug, Args)]
pub(super) struct Options {
    #[command(flatten)]
    place: Place,
    /// The round.
    #[arg(long)]
    round: u16,
    /// The table.
    #[arg(long)]
    table: u16,
}

/// So many observations are read at once.
const PAGE: u32 = 4_096;

impl Options {
    pub(super) fn run(self) -> Ended {
        let (round, table) = (RoundNo(self.round), TableNo(self.table));
        runtime()?.block_on(async {
            let look = self.place.look().await?;
            let chain = look.chain().await.map_err(anyhow::Error::from)?;
            let journal = chain.into_iter().map(|(line, _)| entry(line)).collect::<Result<Vec<Entry>, _>>();
            let journal = journal.map_err(anyhow::Error::msg)?;
            let mut game = GameLog::of(&journal, round, table).map_err(Failure::input)?;
            let until = game.until().unwrap_or(u64::MAX);
            let mut read = game.reads_from();
            loop {
                let page = look.observations_after(read, PAGE).await.map_err(anyhow::Error::from)?;
                for kept in page.iter().filter(|kept| kept.id <= until) {
                    game.take(kept.id, &kept.observation);
                }
                match page.last() {
                    Some(last) if last.id < until => read = last.id,
                    Some(_) | None => break,
                }
            }
            look.close().await;
            say(game.finish(&title(journal, round, table)?).write().trim_end());
            Ok(())
        })
    }
}

/// The event, the round, the table, and who played there.
fn title(journal: Vec<Entry>, round: RoundNo, table: TableNo) -> anyhow::Result<String> {
    let hall = Hall::restore(hall::SKEW, journal).context("the journal cannot be folded")?;
    let event = hall.event_view().map(|view| view.title).unwrap_or_default();
    let view = hall.round_view(round);
    let pairing = view.iter().flat_map(|view| &view.pairings).find(|one| one.table == Some(table));
    let names = pairing.map_or(String::new(), |one| {
        let black = one.black.as_ref().map_or("—", |black| black.name.as_str());
        format!(" {} — {black}", one.red.name)
    });
    Ok(format!("{event} 第{round}轮 第{table}台{names}"))
}
