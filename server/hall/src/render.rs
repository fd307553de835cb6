//! The hall as viewers see it.

use std::sync::Arc;

use arbitration::{Game, RecordedPly};
use firmware_proto::Epoch;
use tournament::{EntrantNo, Event, GroupNo, LadderKey, MemberNo, RoundNo, Standing, TableNo};

use crate::Hall;
use crate::desk::person_no;
use crate::render_desk::alert_view;
use crate::round::Round;
use crate::view::{
    AlertsView, ClocksView, ColumnView, EventView, GameStatus, GameView, MatchView, PairingView, PlayerView,
    PlyView, RoundView, StandingRow, StandingView, TeamView, TeamsView, VenueView,
};

impl Hall {
    /// The event's frame; `None` before it is opened.
    #[must_use]
    pub fn event_view(&self) -> Option<EventView> {
        let frame = self.frame.as_ref()?;
        let current = self.rounds.last();
        let time = frame.regulation.time;
        Some(EventView {
            title: frame.title.clone(),
            rounds: self.event.as_ref().map_or(frame.rounds, |event| event.rounds().0),
            round: current.map_or(RoundNo(0), Round::no),
            playing: current.is_some_and(|round| round.started && !round.over),
            finished: current.is_some_and(|round| round.over)
                && self.event.as_ref().is_some_and(tournament::Event::is_over),
            regulation: frame.regulation.name.clone(),
            base_ms: time.base.0,
            increment_ms: time.increment.0,
            natural_limit: frame.regulation.natural_limit.rounds as u16,
            entrants: self
                .event
                .as_ref()
                .map_or(self.entered.len() + self.desk.present().len(), |event| event.data().entrants.len())
                as u16,
            groups: self.desk.settings.groups.iter().map(|group| group.field.name.clone()).collect(),
            venue: VenueView {
                tables: self.tables.count() as u16,
                plies: self.plies,
                alerts: self.alerts.count(),
                observations: self.observations,
            },
        })
    }

    /// A round's pairings with what is known of their games.
    #[must_use]
    pub fn round_view(&self, no: RoundNo) -> Option<RoundView> {
        let round = self.round(no)?;
        // A team event shows its matches until everybody has sat down.
        let byes = round.pairs().iter().filter(|pair| pair.black.is_none());
        let seated = round.boards().iter().chain(byes.filter(|_| round.rules().is_some()));
        let shown: Vec<_> =
            if round.boards().is_empty() { round.pairs().iter().collect() } else { seated.collect() };
        let pairings = shown.into_iter().map(|pairing| {
            let game = round.games.get(&pairing.table).filter(|_| pairing.black.is_some());
            PairingView {
                table: pairing.black.map(|_| pairing.table),
                red: self.player(round, pairing.red),
                black: pairing.black.map(|black| self.player(round, black)),
                reason: pairing.why.zh.clone(),
                status: game.map_or(GameStatus::NotStarted, |game| self.status(pairing.table, round, game)),
                group: self.event.as_ref().and_then(|event| event.group_of(pairing.red)).unwrap_or_default(),
            }
        });
        let pairings = pairings.collect();
        Some(RoundView { round: no, current: self.is_current(round), pairings, matches: self.matches(round) })
    }

    /// The matches of a team event; none before everybody has sat down.
    fn matches(&self, round: &Round) -> Vec<MatchView> {
        let seated = round.rules().is_some() && !round.seats().is_empty();
        let pairs = round.pairs().iter().filter(|_| seated).map(|pair| {
            let seats = round.seats().iter().filter(|seat| seat.of == pair.table && pair.black.is_some());
            MatchView {
                no: pair.table,
                home: self.player(round, pair.red),
                away: pair.black.map(|away| self.player(round, away)),
                boards: seats.map(|seat| seat.table).collect(),
            }
        });
        pairs.collect()
    }

    /// The teams that were drawn; `None` in an individual event.
    #[must_use]
    pub fn teams_view(&self) -> Option<TeamsView> {
        let rules = self.desk.settings.team_rules()?.clone();
        let team = |entrant: &tournament::Entrant| {
            let form = &self.desk.file_of(entrant.no)?.form;
            let members = (1..).map(MemberNo).zip(&form.players);
            let members =
                members.map(|(member, player)| (person_no(entrant.no, member), player.name.clone()));
            Some(TeamView { no: entrant.no, name: form.name().to_owned(), members: members.collect() })
        };
        let teams = self.event.as_ref()?.data().entrants.iter().filter_map(team);
        Some(TeamsView { rules, teams: teams.collect() })
    }

    /// One game, whole; before the start of its round it is empty.
    #[must_use]
    pub fn game_view(&self, no: RoundNo, table: TableNo) -> Option<GameView> {
        let round = self.round(no)?;
        let pairing = round.pairing(table)?;
        let game = round.games.get(&table)?;
        let plies = game.published();
        let position = plies.last().map_or(game.start(), |ply| &ply.after);
        Some(GameView {
            round: no,
            table,
            red: self.player(round, pairing.red),
            black: self.player(round, pairing.black?),
            status: self.status(table, round, game),
            ended_at: game.outcome().map(|(_, at)| at),
            version: round.version(table),
            fen: position.fen(),
            to_move: position.side_to_move(),
            check: position.is_check(),
            plies: Arc::new(plies.iter().map(ply).collect()),
            notes: self.booth.notes(no, table).to_vec(),
            clocks: self.clocks(round, table, game),
            quiet_plies: game.quiet_plies(),
            fouls: round.fouls(table).map(|fouls| fouls.min(u16::from(u8::MAX)) as u8),
            connected: game.connected() == (true, true),
        })
    }

    /// The standing: after the last round that is over, with the results that are in of the current one.
    #[must_use]
    pub fn standing_view(&self) -> Option<StandingView> {
        let event = self.event.as_ref()?;
        let current = self.rounds.last();
        let started = |round: &Round| round.started;
        let after = current.map_or(0, |round| if started(round) { round.no().0 } else { round.no().0 - 1 });
        let parts: Vec<(GroupNo, Standing)> = event
            .by_group()
            .map(|(no, part)| (no, tournament::standings(&part, RoundNo(after).min(part.rounds()))))
            .collect();
        let mut keys: Vec<LadderKey> = Vec::new();
        for key in parts.iter().flat_map(|(_, standing)| &standing.ladder.0) {
            if *key != LadderKey::PreviousRound && !keys.contains(key) {
                keys.push(*key);
            }
        }
        let heading = |key: &LadderKey| {
            let heading = key.heading();
            ColumnView { key: key.name().to_owned(), zh: heading.zh, en: heading.en }
        };
        Some(StandingView {
            after: RoundNo(after),
            live: current.is_some_and(|round| round.started && !round.over),
            columns: keys.iter().map(heading).collect(),
            rows: parts
                .iter()
                .flat_map(|(no, standing)| standing_rows(event, *no, standing, &keys))
                .collect(),
        })
    }

    /// The open alerts.
    #[must_use]
    pub fn alert_view(&self) -> AlertsView {
        let open = self.alerts.by_weight().into_iter().map(|(id, alert)| alert_view(id, alert));
        AlertsView { open: open.collect(), closed: self.alerts.closed(), walks: self.walks.clone() }
    }

    fn round(&self, no: RoundNo) -> Option<&Round> {
        self.rounds.get(usize::from(no.0).checked_sub(1)?)
    }

    pub(crate) fn is_current(&self, round: &Round) -> bool {
        self.rounds.last().is_some_and(|last| last.no() == round.no())
    }

    fn player(&self, round: &Round, no: EntrantNo) -> PlayerView {
        let (points, rank) = round.before(no);
        if round.rules().is_some()
            && let Some((name, unit)) = self.desk.member(no)
        {
            return PlayerView { no, name, unit, points, rank };
        }
        let entrant = self.event.as_ref().and_then(|event| event.entrant(no));
        PlayerView {
            no,
            name: entrant.map(|entrant| entrant.name.clone()).unwrap_or_default(),
            unit: entrant.map(|entrant| entrant.unit.clone()).unwrap_or_default(),
            points,
            rank,
        }
    }

    pub(crate) fn status(&self, table: TableNo, round: &Round, game: &Game) -> GameStatus {
        match game.outcome() {
            Some((outcome, _)) => GameStatus::Finished(outcome),
            None if !game.has_begun() => GameStatus::NotStarted,
            None if self.is_current(round) && self.alerts.pending(table) => GameStatus::Pending,
            None => GameStatus::Playing,
        }
    }

    pub(crate) fn clocks(&self, round: &Round, no: TableNo, game: &Game) -> ClocksView {
        let table = self.tables.get(no).filter(|_| self.is_current(round) && game.outcome().is_none());
        let base = game.regulation().time.base.0;
        // The end stops the clocks on the page at once; the device follows a command.
        match table.and_then(|table| table.shown()).or(game.clock()) {
            Some(reading) => ClocksView {
                red_ms: reading.red_ms,
                black_ms: reading.black_ms,
                running: reading.running.filter(|_| game.outcome().is_none()),
                at: reading.at,
                estimated: table.is_some_and(|table| !table.links().1),
            },
            None => {
                ClocksView { red_ms: base, black_ms: base, running: None, at: Epoch(0), estimated: false }
            }
        }
    }
}

/// The rows of a group, each with a value for every key that some group is ranked by.
fn standing_rows(event: &Event, group: GroupNo, standing: &Standing, keys: &[LadderKey]) -> Vec<StandingRow> {
    let row = |row: &tournament::Row| {
        let entrant = event.entrant(row.no);
        let figure = |key: &LadderKey| {
            let at = standing.ladder.0.iter().position(|known| known == key)?;
            row.figures[at].map(|figure| figure.to_string())
        };
        let decided = row.below.as_ref().filter(|below| below.column.key() != LadderKey::Points);
        let place = |key: LadderKey| keys.iter().position(|known| *known == key);
        let why = decided.map(|decision| decision.words());
        StandingRow {
            rank: row.rank,
            no: row.no,
            group,
            name: entrant.map(|entrant| entrant.name.clone()).unwrap_or_default(),
            unit: entrant.map(|entrant| entrant.unit.clone()).unwrap_or_default(),
            values: keys.iter().map(|key| figure(key).unwrap_or_default()).collect(),
            decided_by: decided.and_then(|decision| place(decision.column.key())),
            why: why.map_or([String::new(), String::new()], |words| [words.zh, words.en]),
        }
    };
    standing.rows.iter().map(row).collect()
}

pub(crate) fn ply(ply: &RecordedPly) -> PlyView {
    let fen = ply.after.fen();
    PlyView {
        mv: ply.read.mv,
        zh: ply.zh.clone(),
        wxf: ply.wxf.clone(),
        board: fen.split(' ').next().unwrap_or_default().to_owned(),
        check: ply.after.is_check(),
        capture: ply.capture,
        used_ms: ply.used_ms,
        at: ply.read.at,
        irregular: ply.read.irregular.is_some(),
    }
}
