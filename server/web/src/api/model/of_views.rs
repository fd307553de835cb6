//! The hall's views, as the API says them.

use hall::view;
use serde::Serialize;

use super::{
    Clocks, Column, Delay, Event, Game, GameState, Match, Member, Note, Outcome, Pairing, Player, Ply, Round,
    Row, Side, Small, Standing, Status, Team, Venue,
};
use crate::hub::Shown;

/// The name that a value of ours has in JSON.
fn code(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(name)) => name,
        Ok(other) => other.to_string(),
        Err(_) => String::new(),
    }
}

impl From<xiangqi::Side> for Side {
    fn from(side: xiangqi::Side) -> Side {
        match side {
            xiangqi::Side::Red => Side::Red,
            xiangqi::Side::Black => Side::Black,
        }
    }
}

impl Event {
    /// The event as it is broadcast; `played`: how many plies the games that are shown hold (the view's own count is as old
    /// as its last other change).
    #[must_use]
    pub fn of(view: &view::EventView, broadcast: &hall::Broadcast, played: u64) -> Event {
        let hall::Delay { minutes, plies } = broadcast.delay;
        let view::VenueView { tables, plies: _, alerts, observations } = view.venue;
        Event {
            title: view.title.clone(),
            rounds: view.rounds,
            round: view.round.0,
            playing: view.playing,
            finished: view.finished,
            regulation: view.regulation.clone(),
            base_ms: view.base_ms,
            increment_ms: view.increment_ms,
            natural_limit: view.natural_limit,
            entrants: view.entrants,
            groups: view.groups.clone(),
            venue: Venue { tables, plies: played, alerts, observations },
            delay: Delay { minutes, plies },
            results_hidden: broadcast.hide_results,
            notice: broadcast.banner.clone(),
        }
    }
}

impl Round {
    /// A round with the games that are shown of it.
    #[must_use]
    pub fn of(view: &view::RoundView, shown: &Shown) -> Round {
        let game = |table| shown.games.get(&(view.round, table));
        let pairings = view.pairings.iter().map(|pairing| Pairing {
            table: pairing.table.map(|table| table.0),
            red: (&pairing.red).into(),
            black: pairing.black.as_ref().map(Player::from),
            reason: pairing.reason.clone(),
            status: pairing.status.into(),
            group: pairing.group.0,
            plies: pairing.table.and_then(game).map_or(0, |game| game.plies.len() as u16),
        });
        let matches = view.matches.iter().map(|of| Match {
            no: of.no.0,
            home: (&of.home).into(),
            away: of.away.as_ref().map(Player::from),
            boards: of.boards.iter().map(|table| table.0).collect(),
        });
        Round {
            round: view.round.0,
            current: view.current,
            pairings: pairings.collect(),
            matches: matches.collect(),
        }
    }
}

impl From<&view::TeamView> for Team {
    fn from(view: &view::TeamView) -> Team {
        let members = view.members.iter().map(|(no, name)| Member { no: no.0, name: name.clone() });
        Team { no: view.no.0, name: view.name.clone(), members: members.collect() }
    }
}

impl From<&view::PlayerView> for Player {
    fn from(view: &view::PlayerView) -> Player {
        let (name, unit) = (view.name.clone(), view.unit.clone());
        Player { no: view.no.0, name, unit, points: view.points, rank: view.rank }
    }
}

impl From<view::GameStatus> for Status {
    fn from(status: view::GameStatus) -> Status {
        let word = |is| Status { is, outcome: None };
        match status {
            view::GameStatus::NotStarted => word(GameState::NotStarted),
            view::GameStatus::Playing => word(GameState::Playing),
            view::GameStatus::Pending => word(GameState::Pending),
            view::GameStatus::Withheld => word(GameState::Withheld),
            view::GameStatus::Finished(outcome) => Status {
                is: GameState::Finished,
                outcome: Some(Outcome { result: code(&outcome.result), ending: code(&outcome.ending) }),
            },
        }
    }
}

impl From<view::ClocksView> for Clocks {
    fn from(view: view::ClocksView) -> Clocks {
        Clocks {
            red_ms: view.red_ms,
            black_ms: view.black_ms,
            running: view.running.map(Side::from),
            at: view.at.0,
            estimated: view.estimated,
        }
    }
}

impl From<&view::PlyView> for Ply {
    fn from(view: &view::PlyView) -> Ply {
        Ply {
            mv: view.mv.to_string(),
            zh: view.zh.clone(),
            wxf: view.wxf.clone(),
            board: view.board.clone(),
            check: view.check,
            capture: view.capture,
            used_ms: view.used_ms,
            at: view.at.0,
            irregular: view.irregular,
        }
    }
}

impl From<&view::GameView> for Game {
    fn from(view: &view::GameView) -> Game {
        let note =
            |note: &view::NoteView| Note { ply: note.ply, by: note.by.clone(), text: note.text.clone() };
        Game {
            round: view.round.0,
            table: view.table.0,
            red: (&view.red).into(),
            black: (&view.black).into(),
            status: view.status.into(),
            ended_at: view.ended_at.map(|at| at.0),
            version: view.version,
            fen: view.fen.clone(),
            to_move: view.to_move.into(),
            check: view.check,
            plies: view.plies.iter().map(Ply::from).collect(),
            clocks: view.clocks.into(),
            quiet_plies: view.quiet_plies,
            fouls: view.fouls,
            connected: view.connected,
            notes: view.notes.iter().map(note).collect(),
        }
    }
}

impl From<&view::GameView> for Small {
    fn from(view: &view::GameView) -> Small {
        Small {
            table: view.table.0,
            red: view.red.no.0,
            black: view.black.no.0,
            status: view.status.into(),
            plies: view.plies.len(),
            fen: view.fen.clone(),
            last: view.plies.last().map(|ply| ply.mv.to_string()),
            clocks: view.clocks.into(),
        }
    }
}

impl From<&view::StandingView> for Standing {
    fn from(view: &view::StandingView) -> Standing {
        let column = |column: &view::ColumnView| Column {
            key: column.key.clone(),
            zh: column.zh.clone(),
            en: column.en.clone(),
        };
        let row = |row: &view::StandingRow| Row {
            rank: row.rank,
            no: row.no.0,
            group: row.group.0,
            name: row.name.clone(),
            unit: row.unit.clone(),
            values: row.values.clone(),
            decided_by: row.decided_by,
            why: row.why.clone(),
        };
        Standing {
            after: view.after.0,
            live: view.live,
            columns: view.columns.iter().map(column).collect(),
            rows: view.rows.iter().map(row).collect(),
        }
    }
}
