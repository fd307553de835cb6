//! What the desk's pages and documents are made of. It holds personal data: for signed-in staff only.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arbitration::{AlertCode, Outcome, Regulation, Words};
use firmware_proto::Epoch;
use tournament::{
    BoardNo, EntrantNo, Event, Match, Performance, ResultKind, RoundNo, Standing, TableNo, Warning,
    check_pairing, performances, standings, team_totals,
};

use super::decide::as_pairings;
use super::roster::{File, Form, FormNo, Player};
use super::settings::Settings;
use super::simul::Simul;
use super::source::Told;
use super::teams::person;
use super::{Desk, History, Posting, Whom, person_no};
use crate::{Hall, Pair};

/// The desk as it stands.
#[derive(Clone, Debug)]
pub struct DeskView {
    /// The event's title.
    pub title: String,
    /// What it is played under.
    pub regulation: Arc<Regulation>,
    /// The draw's seed.
    pub seed: u64,
    /// What the organiser set.
    pub settings: Arc<Settings>,
    /// All forms.
    pub files: Arc<BTreeMap<FormNo, File>>,
    /// Whose the numbers are.
    pub whose: BTreeMap<EntrantNo, Whom>,
    /// Who would be drawn now.
    pub present: Vec<Whom>,
    /// The tournament; `None` before the draw.
    pub event: Option<Arc<Event>>,
    /// The unpublished pairing.
    pub draft: Option<(RoundNo, Vec<Pair>)>,
    /// What is to be said of the draft, or of the published round while it has not started.
    pub warnings: Vec<Warning>,
    /// Line-ups handed in, by team and round.
    pub lineups: BTreeMap<EntrantNo, BTreeMap<RoundNo, tournament::Lineup>>,
    /// The rounds that were published.
    pub rounds: Vec<DeskRound>,
    /// Matches of a team event that have all boards.
    pub matches: Vec<Match>,
    /// Standings as they were posted.
    pub postings: BTreeMap<RoundNo, Vec<Posting>>,
    /// The simultaneous exhibition.
    pub simul: Arc<Simul>,
    /// The newest steps, oldest first.
    pub history: Vec<History>,
    /// What would be taken back next.
    pub undo: Option<Words>,
    /// Tables with board and clock.
    pub equipped: BTreeSet<TableNo>,
    /// Now, when the view was made.
    pub at: Epoch,
}

/// A published round.
#[derive(Clone, Debug)]
pub struct DeskRound {
    /// Its number.
    pub no: RoundNo,
    /// Who meets whom; in a team event teams.
    pub pairs: Vec<Pair>,
    /// The boards; in a team event of persons.
    pub boards: Vec<BoardRow>,
    /// Whether it has started.
    pub started: bool,
    /// Whether all results are in.
    pub over: bool,
    /// Points of each entrant before it.
    pub before: BTreeMap<EntrantNo, u16>,
}

/// One board.
#[derive(Clone, Debug)]
pub struct BoardRow {
    /// Its table.
    pub table: TableNo,
    /// The match and the board of it, in a team event.
    pub of: Option<(TableNo, BoardNo)>,
    /// Red.
    pub red: EntrantNo,
    /// Black.
    pub black: EntrantNo,
    /// How it ended.
    pub outcome: Option<Outcome>,
    /// Fouls, Red and Black.
    pub fouls: [u16; 2],
    /// Plies seen by the board.
    pub plies: u16,
    /// What was said of the result, oldest first.
    pub told: Vec<Told>,
    /// An arbiter has still to say what was played: several readings fit the board.
    pub doubtful: bool,
}

impl BoardRow {
    /// Whether the sources do not say the same.
    #[must_use]
    pub fn is_disputed(&self) -> bool {
        self.told.windows(2).any(|two| two[0].result != two[1].result)
    }
}

impl Hall {
    /// The desk's view; `None` before the event is opened.
    #[must_use]
    pub fn desk_view(&self) -> Option<DeskView> {
        let frame = self.frame.as_ref()?;
        let desk: &Desk = &self.desk;
        let open = desk.draft.clone().or_else(|| {
            let last = self.rounds.last().filter(|last| !last.started)?;
            Some((last.no(), last.pairs().to_vec()))
        });
        let warnings = self.event.as_ref().zip(open).map(|(event, (round, pairs))| {
            check_pairing(event, round, &as_pairings(&pairs)).unwrap_or_default().into_iter().collect()
        });
        let rounds = self.rounds.iter().map(|round| DeskRound {
            no: round.no(),
            pairs: round.pairs().to_vec(),
            boards: round
                .boards()
                .iter()
                .filter_map(|pair| {
                    let game = round.games.get(&pair.table);
                    Some(BoardRow {
                        table: pair.table,
                        of: round
                            .seats()
                            .iter()
                            .find(|seat| seat.table == pair.table)
                            .map(|seat| (seat.of, seat.board)),
                        red: pair.red,
                        black: pair.black?,
                        outcome: game.and_then(|game| game.outcome()).map(|(outcome, _)| outcome),
                        fouls: round.fouls(pair.table),
                        plies: game.map_or(0, |game| game.published().len() as u16),
                        told: round.told(pair.table).to_vec(),
                        doubtful: self.is_current(round)
                            && !self.alerts.of(Some(pair.table), AlertCode::LostMove, |_| true).is_empty(),
                    })
                })
                .collect(),
            started: round.started,
            over: round.over,
            before: round
                .pairs()
                .iter()
                .flat_map(|pair| [Some(pair.red), pair.black])
                .flatten()
                .map(|no| (no, round.before(no).0))
                .collect(),
        });
        let matches = self
            .rounds
            .iter()
            .flat_map(|round| round.pairs().iter().filter_map(|pair| round.match_at(pair.table)));
        Some(DeskView {
            title: frame.title.clone(),
            regulation: Arc::new(frame.regulation.clone()),
            seed: frame.seed,
            settings: Arc::new(desk.settings.clone()),
            files: Arc::new(desk.files.clone()),
            whose: desk.whose.clone(),
            present: desk.present(),
            event: self.event.clone().map(Arc::new),
            draft: desk.draft.clone(),
            warnings: warnings.unwrap_or_default(),
            lineups: desk.lineups.clone(),
            rounds: rounds.collect(),
            matches: matches.collect(),
            postings: desk.postings.clone(),
            simul: Arc::new(desk.simul.clone()),
            history: desk.history.iter().cloned().collect(),
            undo: desk.undo.last().map(|(did, _)| did.clone()),
            equipped: self.tables.iter().map(|(no, _)| no).collect(),
            at: self.last_at,
        })
    }
}

impl DeskView {
    /// A file by its form's number.
    #[must_use]
    pub fn file(&self, no: FormNo) -> Option<&File> {
        self.files.get(&no)
    }

    /// Whether teams meet.
    #[must_use]
    pub fn in_teams(&self) -> bool {
        self.settings.team_rules().is_some()
    }

    /// The form of a number.
    #[must_use]
    pub fn form_of(&self, no: EntrantNo) -> Option<&Form> {
        Some(&self.files.get(&self.whose.get(&no)?.form)?.form)
    }

    /// The player behind a number: of an entrant in an individual event, of a member in a team event.
    #[must_use]
    pub fn player_of(&self, no: EntrantNo) -> Option<&Player> {
        if self.in_teams() {
            let (team, member) = person(no);
            return self.form_of(team)?.player(member);
        }
        self.form_of(no)?.player(self.whose.get(&no)?.member?)
    }

    /// Name and unit of whoever sits at a board.
    #[must_use]
    pub fn seat(&self, no: EntrantNo) -> (String, String) {
        if self.in_teams() && no.0 >= 100 {
            let (team, member) = person(no);
            let form = self.form_of(team);
            let name = form
                .and_then(|form| form.player(member))
                .map_or("（缺席）", |player| player.name.as_str());
            return (name.to_owned(), form.map_or("", Form::name).to_owned());
        }
        self.entrant(no)
    }

    /// Name and unit of an entrant: a player, or a team in a team event.
    #[must_use]
    pub fn entrant(&self, no: EntrantNo) -> (String, String) {
        let entrant = self.event.as_ref().and_then(|event| event.entrant(no));
        entrant.map_or_else(Default::default, |entrant| (entrant.name.clone(), entrant.unit.clone()))
    }

    /// How much time each side has in a round.
    #[must_use]
    pub fn time_of(&self, round: RoundNo) -> arbitration::TimeControl {
        self.settings.time_of(round).unwrap_or(self.regulation.time)
    }

    /// Who forfeited the last two rounds and is still to be paired: to be asked, or withdrawn.
    #[must_use]
    pub fn forfeited_twice(&self) -> Vec<EntrantNo> {
        let (Some(event), Some(last)) = (&self.event, self.last_over().0.checked_sub(1)) else {
            return Vec::new();
        };
        let lost = event.data().scoring.loss;
        let forfeited = |round: u16, no: EntrantNo| {
            event.result_of(RoundNo(round), no).is_some_and(|result| {
                let own = if result.red == no { result.score.red } else { result.score.black };
                match result.kind {
                    ResultKind::Forfeit | ResultKind::DoubleForfeit => own == lost,
                    ResultKind::Played | ResultKind::Bye | ResultKind::Absent => false,
                }
            })
        };
        let playing = event.data().entrants.iter().filter(|entrant| entrant.takes_part_in(RoundNo(last + 2)));
        playing
            .map(|entrant| entrant.no)
            .filter(|no| last > 0 && forfeited(last, *no) && forfeited(last + 1, *no))
            .collect()
    }

    /// How many rounds there are, as far as can be known.
    #[must_use]
    pub fn rounds_in_all(&self) -> u16 {
        self.event.as_ref().map_or(self.settings.rounds, |event| event.rounds().0)
    }

    /// Whether the next round can be paired.
    #[must_use]
    pub fn can_pair(&self) -> bool {
        let event = self.event.as_ref().filter(|event| !event.is_over());
        event.is_some() && self.rounds.last().is_none_or(|round| round.over)
    }

    /// The round with this number.
    #[must_use]
    pub fn round(&self, no: RoundNo) -> Option<&DeskRound> {
        self.rounds.get(usize::from(no.0).checked_sub(1)?)
    }

    /// The last round that is over; round 0 before that.
    #[must_use]
    pub fn last_over(&self) -> RoundNo {
        self.rounds.iter().filter(|round| round.over).map(|round| round.no).max().unwrap_or(RoundNo(0))
    }

    /// The standing after a round as it was posted, in that version or the newest.
    #[must_use]
    pub fn posted(&self, after: RoundNo, version: Option<u16>) -> Option<(Standing, &Posting)> {
        let versions = self.postings.get(&after)?;
        let posting = match version {
            Some(version) => versions.iter().find(|posting| posting.version == version)?,
            None => versions.last()?,
        };
        Some((standings(&posting.event, after), posting))
    }

    /// The teams of an individual event by their members' sum, after a round.
    #[must_use]
    pub fn totals(&self, standing: &Standing) -> Vec<tournament::TeamTotal<FormNo>> {
        let teams = self.files.iter().filter(|(_, file)| file.form.team.is_some());
        let members = |form: FormNo| {
            self.whose.iter().filter(|(_, whom)| whom.form == form).map(|(no, _)| *no).collect::<Vec<_>>()
        };
        team_totals(standing, teams.map(|(no, _)| (*no, members(*no))))
    }

    /// What the members did on some boards, best first: points, wins, fewer fouls; equals by points, wins and fouls share
    /// a rank unless only the points count.
    #[must_use]
    pub fn performers(
        &self,
        boards: &BTreeSet<BoardNo>,
        points_only: bool,
    ) -> Vec<(u16, EntrantNo, Performance)> {
        let Some(rules) = self.settings.team_rules() else { return Vec::new() };
        let all = performances(rules, &self.matches, boards);
        let mut rows: Vec<(EntrantNo, Performance)> =
            all.into_iter().map(|((team, member), of)| (person_no(team, member), of)).collect();
        let key = |of: &Performance| {
            let (wins, fouls) = if points_only { (0, 0) } else { (of.wins, of.fouls) };
            (std::cmp::Reverse(of.points), std::cmp::Reverse(wins), fouls)
        };
        rows.sort_by_key(|(no, of)| (key(of), *no));
        let mut ranked: Vec<(u16, EntrantNo, Performance)> = Vec::new();
        for (at, (no, of)) in rows.into_iter().enumerate() {
            let rank = match ranked.last() {
                Some((rank, _, before)) if key(before) == key(&of) => *rank,
                Some(_) | None => at as u16 + 1,
            };
            ranked.push((rank, no, of));
        }
        ranked
    }

    /// The boards of a match that are free (临时定台) or fixed (定人).
    #[must_use]
    pub fn boards(&self, fixed: bool) -> BTreeSet<BoardNo> {
        let boards = self.settings.team_rules().map_or(0, |rules| rules.boards);
        (1..=boards).map(BoardNo).filter(|board| self.settings.is_fixed(*board) == fixed).collect()
    }
}
