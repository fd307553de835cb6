//! `chuhe-sim capture`: games tried with several seeds, and what they came to.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use anyhow::{Context, bail};
use capture::log::Log;
use clap::Args;
use simulator::games::Source;
use simulator::replay::{self, Replay, Scene};
use simulator::trial::{Flaw, Summary, Trial, Trials, figures};
use simulator::{Incidents, Noise};

use crate::{sensing_named, unknown_noise};

/// What is measured, and what is told of it.
#[derive(Args)]
pub struct Measure {
    /// Games to play: a table (columns id, result, moves) or a file of any known format (PGN, DhtmlXQ, XQF, …);
    /// without it the small player makes them up.
    #[arg(long)]
    games: Option<PathBuf>,
    /// How many games with each seed.
    #[arg(long, default_value_t = 500)]
    count: u64,
    /// The noise profile: N0 to N8, N3K.
    #[arg(long, default_value = "N2")]
    noise: String,
    /// Which incidents of the profile happen: words of which each changes what the ones before it left. all, none,
    /// a row, a row=rate, -row; as in "all,-after_game" or "illegal=0.5,touch_move".
    #[arg(long, default_value = "all", allow_hyphen_values = true)]
    incidents: String,
    /// What the board senses: occupancy, colour, type or identity.
    #[arg(long, default_value = "colour")]
    sensing: String,
    /// The seeds.
    #[arg(long, default_value = "1", value_delimiter = ',')]
    seeds: Vec<u64>,
    /// The number of the first game.
    #[arg(long, default_value_t = 0)]
    skip: u64,
    /// These games only, as SEED:NUMBER, instead of --seeds, --skip and --count.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// So many games are tried at once.
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// One JSON object instead of the table of targets.
    #[arg(long)]
    json: bool,
    /// Tells everything that went wrong, game by game: differences, wrong confirmations, what was not told, false alerts.
    #[arg(long)]
    flaws: bool,
    /// Draws what was seen, said and played around the first difference of each game that is not exact.
    #[arg(long)]
    draw: bool,
    /// Where the log of each game that is not exact, or with --flaws of each that has a flaw, is written, for `replay`.
    #[arg(long)]
    record: Option<PathBuf>,
    /// The tracker's numbers as JSON, those that are not the usual ones: {"beam":32}.
    #[arg(long, default_value = "{}")]
    params: String,
}

/// Tries the games and prints what they came to.
pub fn measure(asked: &Measure) -> anyhow::Result<()> {
    let whole = Noise::whole(&asked.noise).with_context(|| unknown_noise(&asked.noise))?;
    let incidents = Incidents::read(&asked.incidents, &whole.incidents).context("--incidents")?;
    let trials = Trials {
        games: Arc::new(Source::open(asked.games.as_deref())?),
        noise: Noise { incidents, ..whole },
        sensing: sensing_named(&asked.sensing)?,
        seed: 0,
        params: serde_json::from_str(&asked.params).context("--params")?,
    };
    let wanted = asked.wanted()?;
    let mut summary = Summary::default();
    let mut told = BTreeMap::new();
    try_all(&trials, &wanted, asked.jobs.max(1), |(seed, number), trial| {
        summary.add(trial);
        if summary.games.is_multiple_of(100) {
            eprintln!("{} of {} games, {} exact", summary.games, wanted.len(), summary.exact);
        }
        let flaws = trial.flaws();
        if flaws.is_empty() {
            return Ok(());
        }
        let differs = flaws.iter().find_map(|flaw| match flaw {
            Flaw::Differs { ply, .. } => Some(*ply),
            Flaw::WronglyConfirmed { .. }
            | Flaw::NotTold { .. }
            | Flaw::FalseAlert { .. }
            | Flaw::AfterEnd(_)
            | Flaw::Restarts(_) => None,
        });
        if let Some(dir) = asked.record.as_ref().filter(|_| asked.flaws || differs.is_some()) {
            write_log(dir, &format!("{}-{}-{seed}-{number}.log", asked.noise, asked.sensing), &trial.log)?;
        }
        let mut words = String::new();
        for flaw in flaws.iter().filter(|flaw| asked.flaws || matches!(flaw, Flaw::Differs { .. })) {
            words += &format!("{seed}:{number} ({}): {flaw}\n", trial.played.id);
        }
        if let Some(ply) = differs.filter(|_| asked.draw) {
            words += &around(&Replay::of(&trial.log), ply);
        }
        told.insert((seed, number), words);
        Ok(())
    })?;
    summary.close();
    told.values().for_each(|words| eprint!("{words}"));
    if asked.json {
        println!("{}", serde_json::to_string(&summary).context("the summary as JSON")?);
        return Ok(());
    }
    for figure in figures(&asked.noise, trials.sensing, &summary) {
        let met = match figure.met {
            Some(true) => "reached",
            Some(false) => "MISSED",
            None => "",
        };
        println!("| {} | {} | {} | {met} |", figure.what, figure.wanted, figure.measured);
    }
    Ok(())
}

impl Measure {
    /// The games that are asked for: seed and number.
    fn wanted(&self) -> anyhow::Result<Vec<(u64, u64)>> {
        if self.only.is_empty() {
            let numbers = self.skip..self.skip + self.count;
            return Ok(self
                .seeds
                .iter()
                .flat_map(|&seed| numbers.clone().map(move |number| (seed, number)))
                .collect());
        }
        let named = |word: &String| {
            let (seed, number) = word.split_once(':')?;
            Some((seed.parse().ok()?, number.parse().ok()?))
        };
        let games: Option<Vec<(u64, u64)>> = self.only.iter().map(named).collect();
        let Some(games) = games else {
            bail!("--only {}: games are named as SEED:NUMBER, as in 1:61,2:5", self.only.join(","));
        };
        Ok(games)
    }
}

/// Tries these games, some at once; each is handed over when it is done, in whatever order.
fn try_all(
    trials: &Trials,
    wanted: &[(u64, u64)],
    jobs: usize,
    mut done: impl FnMut((u64, u64), &Trial) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let next = AtomicUsize::new(0);
    let (sender, tried) = mpsc::sync_channel(2 * jobs);
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                while let Some(&(seed, number)) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let trial = Trials { seed, ..trials.clone() }.run(number);
                    if sender.send(((seed, number), trial)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        tried.into_iter().try_for_each(|(game, trial)| done(game, &trial))
    })
}

/// The scene in which this ply was decided, with those before and after it.
fn around(replay: &Replay, ply: usize) -> String {
    let decided = replay.scenes.iter().position(|scene| usize::from(scene.plies) >= ply);
    let decided = decided.unwrap_or(replay.scenes.len().saturating_sub(1));
    let plies = |scene: usize| replay.scenes.get(scene).map(|scene| scene.plies);
    let first = plies(decided.saturating_sub(1)).unwrap_or(0);
    let last = plies(decided + 1).unwrap_or(u16::MAX);
    replay::draw(replay, |scene: &Scene| (first..=last).contains(&scene.plies))
}

fn write_log(dir: &Path, name: &str, log: &Log) -> anyhow::Result<()> {
    std::fs::create_dir_all(dir).with_context(|| format!("cannot make the directory {}", dir.display()))?;
    let path = dir.join(name);
    std::fs::write(&path, log.write()).with_context(|| format!("cannot write {}", path.display()))
}
