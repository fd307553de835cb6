//! What a demo amounts to: the record against what was played, what was stored against what was sent.

use std::collections::{BTreeMap, BTreeSet};

use firmware_proto::{BootId, Sighting};
use serde::Serialize;
use simulator::PlayedGame;
use store::Kept;
use tournament::{RoundNo, TableNo};
use web::Shown;

/// The summary that `chuhe demo --exit` prints.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// Games that were played to their end in this run.
    pub games: u64,
    /// Those whose recorded plies equal the ones played.
    pub exact: u64,
    /// Plies played in them.
    pub plies: u64,
    /// Recorded plies that are confirmed and not the ones played.
    pub wrong_confirmed: u64,
    /// Records that the devices made in this run.
    pub records_sent: u64,
    /// Observations stored in this run's database, records and all else.
    pub observations: u64,
    /// Records that were made and are not stored.
    pub lost: u64,
    /// Records that are stored more than once.
    pub duplicated: u64,
    /// Alerts raised, by code.
    pub alerts: BTreeMap<String, u64>,
    /// The standing: rank, name, points.
    pub standings: Vec<Place>,
}

/// A line of the standing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// Rank.
    pub rank: u16,
    /// Name.
    pub name: String,
    /// One value a rung of the ladder, by its key.
    pub values: BTreeMap<String, String>,
}

impl Summary {
    /// Whether every game was recorded exactly and no record was lost or doubled.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.games > 0 && self.exact == self.games && self.lost == 0 && self.duplicated == 0
    }

    /// Compares the record with what was played; a table's n-th game was that of the n-th round.
    pub fn compare(&mut self, played: &[PlayedGame], shown: &Shown) {
        for game in played {
            let round = RoundNo(u16::try_from(game.game_no).unwrap_or(u16::MAX));
            self.games += 1;
            self.plies += game.moves.len() as u64;
            let Some(view) = shown.games.get(&(round, TableNo(game.table))) else { continue };
            let read: Vec<_> = view.plies.iter().map(|ply| ply.mv).collect();
            if read == game.moves {
                self.exact += 1;
            }
            let wrong =
                |(index, ply): &(usize, &hall::view::PlyView)| game.moves.get(*index) != Some(&ply.mv);
            self.wrong_confirmed += view.plies.iter().enumerate().filter(wrong).count() as u64;
        }
        self.standings = shown
            .standing
            .iter()
            .flat_map(|standing| {
                standing.rows.iter().map(|row| Place {
                    rank: row.rank,
                    name: row.name.clone(),
                    values: standing
                        .columns
                        .iter()
                        .map(|column| column.key.clone())
                        .zip(row.values.clone())
                        .collect(),
                })
            })
            .collect();
    }

    /// Compares what is stored of this run's devices with what they sent.
    pub fn take_stock(&mut self, kept: &[Kept], boot: BootId) {
        self.observations = kept.len() as u64;
        let mut records = BTreeSet::new();
        for kept in kept {
            if let Sighting::Record(of, record) = kept.observation.sighting
                && !records.insert((kept.observation.device, of, record.seq))
            {
                self.duplicated += 1;
            }
        }
        let ours = records.iter().filter(|(_, of, _)| *of == boot).count() as u64;
        self.lost = self.records_sent.saturating_sub(ours);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use firmware_proto::{
        Body, CmdId, DeviceUid, Epoch, GatewayId, Millis, Observation, Record, Seq, Session, StreamSeq,
    };

    fn kept(id: u64, boot: u32, seq: u32) -> Kept {
        let record = Record { seq: Seq(seq), at: Millis(0), body: Body::Marker(CmdId(0)) };
        let sighting = Sighting::Record(BootId(boot), record);
        Kept {
            id,
            gateway: GatewayId::new("row-1").unwrap(),
            session: Session(1),
            stream_seq: StreamSeq(id),
            observation: Observation { device: DeviceUid(1), at: Epoch(0), sighting },
        }
    }

    #[test]
    fn a_missing_record_is_lost_and_a_second_one_is_doubled() {
        let mut summary = Summary { records_sent: 3, games: 1, exact: 1, ..Summary::default() };
        // Start 1 was an earlier run's.
        summary.take_stock(&[kept(1, 1, 1), kept(2, 2, 1), kept(3, 2, 3), kept(4, 2, 3)], BootId(2));
        assert_eq!((summary.lost, summary.duplicated, summary.observations), (1, 1, 4));
        assert!(!summary.is_clean());
    }

    #[test]
    fn a_run_without_a_finished_game_is_not_clean() {
        assert!(!Summary::default().is_clean());
        assert!(Summary { games: 2, exact: 2, ..Summary::default() }.is_clean());
        assert!(!Summary { games: 2, exact: 1, ..Summary::default() }.is_clean());
    }

    #[test]
    fn a_game_that_is_not_in_the_record_is_not_exact() {
        let game = PlayedGame {
            table: 1,
            game_no: 1,
            id: "1".into(),
            moves: vec!["h2e2".parse().unwrap()],
            ending: simulator::GameEnd::Stopped,
            alerts_due: Vec::new(),
            struck: Vec::new(),
            plies: Vec::new(),
            began: Epoch(0),
            ended: Epoch(0),
            dead: None,
        };
        let mut summary = Summary::default();
        summary.compare(&[game], &Shown::default());
        assert_eq!((summary.games, summary.exact, summary.plies), (1, 0, 1));
    }
}
