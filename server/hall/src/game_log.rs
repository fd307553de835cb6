//! The log of one game, made of what is kept: what its table's devices told and what arbiters corrected, in the form in
//! which a tracker follows it again offline ([`capture::log`]).
//!
//! The journal says which devices stood there, from which observation on, and what was corrected ([`GameLog::of`]); the
//! stored observations are handed in one after the other ([`GameLog::take`]).

use arbitration::GameFact;
use capture::log::{Entry as Line, Log};
use capture::{Finding, Irregularity, Params, PlyNo, Readings, Seating, Seen, What};
use firmware_proto::{Cell, Epoch, HealthFault, Observation, Sighting};
use tournament::{RoundNo, TableNo};
use xiangqi::Move;

use crate::feed::Part;
use crate::self_test::SelfTest;
use crate::table::is_for_the_game;
use crate::{Actor, Entry, Fact, TableBinding};

/// A game whose log is being made.
#[derive(Clone, Debug)]
pub struct GameLog {
    /// Observations after this one may tell how the board lay when the game began.
    reads_from: u64,
    /// The game is read from the observations after this one …
    begins_after: u64,
    /// … up to this one.
    until: Option<u64>,
    began: Epoch,
    /// Which devices stood there, after which observation.
    stood: Vec<(u64, TableBinding)>,
    /// Where the self-test found that nothing is sensed.
    senseless: Vec<Cell>,
    corrected: Vec<(Epoch, PlyNo, Vec<Move>)>,
    /// When the game's end was told, and when the game ended.
    ended: Option<(Epoch, Epoch)>,
    image: Option<Readings>,
    seen: Vec<Seen>,
}

/// Why there is no log of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoLog {
    /// The round was not started.
    #[error("round {0} was not started yet")]
    Round(RoundNo),
    /// Nothing was recorded there.
    #[error("no board and clock stood at table {table} in round {round}: nothing was recorded there")]
    Table {
        /// The round.
        round: RoundNo,
        /// The table.
        table: TableNo,
    },
}

/// What the journal tells, entry by entry.
#[derive(Default)]
struct Reader {
    binding: Option<TableBinding>,
    test: SelfTest,
    /// Observations by the start of the round before.
    before: u64,
    game: Option<GameLog>,
    /// A correction that is being entered: from which ply on, and the plies.
    correcting: Option<(Epoch, PlyNo, Vec<Move>)>,
}

impl GameLog {
    /// The game of this round at this table, as the journal tells of it.
    pub fn of(journal: &[Entry], round: RoundNo, table: TableNo) -> Result<GameLog, NoLog> {
        let mut reader = Reader::default();
        let mut started = false;
        for entry in journal {
            if let Fact::Started { round: which, observations } = entry.fact {
                if started {
                    if let Some(game) = &mut reader.game {
                        game.until = Some(observations);
                    }
                    break;
                }
                if which == round {
                    started = true;
                    reader.begin(observations, entry.at);
                }
                reader.before = observations;
            }
            reader.read(entry, table);
        }
        reader.settle();
        if started { reader.game.ok_or(NoLog::Table { round, table }) } else { Err(NoLog::Round(round)) }
    }

    /// The observations that it wants are those after this number …
    #[must_use]
    pub fn reads_from(&self) -> u64 {
        self.reads_from
    }

    /// … up to this one; `None`: all of them.
    #[must_use]
    pub fn until(&self) -> Option<u64> {
        self.until
    }

    /// Takes in a stored observation with its number, in order. What is of other tables is left out.
    pub fn take(&mut self, no: u64, observation: &Observation) {
        let stood = self.stood.iter().rev().find(|(after, _)| *after < no).or(self.stood.first());
        let Some(&(_, binding)) = stood else { return };
        let Some(part) = Part::of(binding, observation.device) else { return };
        let mut seen = Seating { red: binding.red }.see(observation);
        if no <= self.begins_after {
            seen.into_iter().for_each(|seen| self.lay(seen.what));
            return;
        }
        if matches!(observation.sighting, Sighting::Detached) && part.has_board() {
            seen.push(Seen { at: observation.at, what: What::BoardDown });
        }
        self.seen.extend(seen.into_iter().filter(|seen| is_for_the_game(&seen.what)));
    }

    /// How the board lay before the game began.
    fn lay(&mut self, what: What) {
        match (what, &mut self.image) {
            (What::Image(image), _) => self.image = Some(*image),
            (What::Changed(point, reading), Some(image)) => image.points[point.index()] = reading,
            (_, _) => {}
        }
    }

    /// The log, under this title.
    #[must_use]
    pub fn finish(mut self, title: &str) -> Log {
        let mut log = Log { title: title.to_owned(), ..Log::new(Params::default()) };
        let began = self.began;
        let mut begin = |what| log.push(began.0, Line::Seen(Seen { at: began, what }));
        if let Some(&(_, binding)) = self.stood.first() {
            let seating = Seating { red: binding.red };
            for cell in self.senseless {
                begin(What::Health(HealthFault::DeadCell(cell), Some(seating.point(cell))));
            }
        }
        if let Some(image) = self.image {
            begin(What::Image(Box::new(image)));
        }
        if let Some((told, _)) = self.ended {
            self.seen.retain(|seen| seen.at <= told);
        }
        self.seen.sort_by_key(|seen| seen.at);
        let mut lines: Vec<_> =
            self.seen.into_iter().map(|seen| (seen.at.max(began).0, Line::Seen(seen))).collect();
        lines.extend(self.ended.map(|(told, at)| (told.0, Line::Close { at })));
        lines.extend(self.corrected.into_iter().map(|(at, from, line)| (at.0, Line::Correct { from, line })));
        // Stable: at one instant, what was seen comes first.
        lines.sort_by_key(|(came, _)| *came);
        lines.into_iter().for_each(|(came, line)| log.push(came, line));
        log
    }
}

impl Reader {
    /// The game begins, or is read anew from its start.
    fn begin(&mut self, observations: u64, at: Epoch) {
        self.game = self.binding.map(|binding| GameLog {
            reads_from: self.before,
            begins_after: observations,
            until: None,
            began: at,
            stood: vec![(observations, binding)],
            senseless: self.test.senseless().collect(),
            corrected: Vec::new(),
            ended: None,
            image: None,
            seen: Vec::new(),
        });
    }

    fn read(&mut self, entry: &Entry, table: TableNo) {
        if let Fact::Game { table: there, fact: GameFact::Found(finding) } = &entry.fact
            && *there == table
            && matches!(entry.by, Actor::Person { .. })
        {
            self.corrects(finding, entry.at);
            return;
        }
        self.settle();
        if let Fact::Bound(binding) = &entry.fact
            && binding.table == table
        {
            let devices = |one: &TableBinding| (one.board, one.clock);
            if self.binding.as_ref().map(devices) != Some(devices(binding)) {
                self.test = SelfTest::default();
            }
            self.binding = Some(*binding);
        } else if let Fact::SelfTested { table: there, found } = &entry.fact
            && *there == table
        {
            self.test.end(entry.at, found.clone());
        } else if let Fact::Swapped { table: there, observations } = entry.fact
            && there == table
        {
            if let Some(binding) = &mut self.binding {
                binding.red = binding.red.other();
            }
            if self.game.is_some() {
                self.begin(observations, entry.at);
            }
        } else if let Fact::Rebased { table: there, observations } = entry.fact
            && there == table
        {
            if let (Some(game), Some(binding)) = (&mut self.game, self.binding)
                && game.stood.last().is_none_or(|(_, last)| *last != binding)
            {
                game.stood.push((observations, binding));
            }
        } else if let Fact::Game { table: there, fact } = &entry.fact
            && *there == table
            && let Some(game) = &mut self.game
        {
            if let GameFact::Ended { at, .. } = fact {
                game.ended.get_or_insert((entry.at, *at));
            } else if let GameFact::Reopened { .. } = fact {
                game.ended = None;
            }
        }
    }

    /// An arbiter's correction is found by what was entered in his name.
    fn corrects(&mut self, finding: &Finding, at: Epoch) {
        if let Finding::Withdrawn(from) = finding {
            self.correcting.get_or_insert((at, *from, Vec::new()));
        } else if let Finding::Read(ply) = finding
            && ply.irregular == Some(Irregularity::Entered)
        {
            self.correcting.get_or_insert((at, ply.no, Vec::new())).2.push(ply.mv);
        }
    }

    fn settle(&mut self) {
        if let (Some(correction), Some(game)) = (self.correcting.take(), &mut self.game) {
            game.corrected.push(correction);
        }
    }
}
