//! After a restart: the fold of the journal, and the running games read again from what was stored.

use arbitration::GameFact;
use firmware_proto::{Epoch, Observation};

use crate::entry::{Entry, Fact};
use crate::hall::Outputs;
use crate::refusal::RestoreError;
use crate::{Changed, Hall};

impl Hall {
    /// The fold of a journal. Then: [`Hall::replay`] for the stored observations after [`Hall::replay_from`], in
    /// their order, and [`Hall::resume`].
    pub fn restore(skew: i64, journal: impl IntoIterator<Item = Entry>) -> Result<Hall, RestoreError> {
        let mut hall = Hall::new(skew);
        for entry in journal {
            let expected = hall.last_entry + 1;
            if entry.no != expected {
                return Err(RestoreError::Number { expected, found: entry.no });
            }
            hall.apply(&entry).map_err(|why| RestoreError::Misfit { no: entry.no, why })?;
        }
        hall.observations = hall.replay_from;
        hall.tables.touch_all();
        hall.reckon();
        Ok(hall)
    }

    /// The number of observations that need not be replayed: those before the last round began. The running games are
    /// read from the later ones, and how their boards lay at the start from those of the round before.
    #[must_use]
    pub fn replay_from(&self) -> u64 {
        self.replay_from
    }

    /// Feeds a stored observation to the running games again. Nothing is concluded.
    pub fn replay(&mut self, observation: &Observation) {
        self.observations += 1;
        if let Some((no, part)) = self.part(observation.device)
            && let Some(table) = self.tables.get_mut(no)
        {
            table.take_again(self.observations, part, observation);
        }
    }

    /// After the replay: what the running games' trackers see otherwise than the journal is concluded now, and
    /// the commands that are not known to be done go out again.
    pub fn resume(&mut self, now: Epoch) -> Outputs {
        let mut out = Outputs::default();
        let live: Vec<_> = self.live_games().collect();
        let last_at = self.last_at;
        // A journal that was restored from a copy has forgotten commands whose numbers the devices remember.
        self.last_command = self.last_command.max(crate::event::first_command(now));
        for no in live {
            // What was complete when the last entry was made is in the journal, or is entered here.
            let mut told = Vec::new();
            if let Some(table) = self.tables.get_mut(no) {
                table.advance_again(last_at);
                table.restarted();
                told = table.unjournalled();
            }
            let known: Vec<_> = self
                .game(no)
                .map(|game| game.plies().iter().map(|ply| ply.read.clone()).collect())
                .unwrap_or_default();
            let findings = self.tables.get(no).map(|table| table.findings_since(&known)).unwrap_or_default();
            for finding in findings {
                self.conclude(Fact::Game { table: no, fact: GameFact::Found(finding) }, now, &mut out);
            }
            for fact in told {
                if self.game(no).is_some_and(|game| game.outcome().is_none()) {
                    self.conclude(Fact::Game { table: no, fact }, now, &mut out);
                }
            }
        }
        self.tables.touch_all();
        self.reckon();
        out.commands.extend(self.commands.values().copied());
        out.changed.extend([
            Changed::Event,
            Changed::Round,
            Changed::Standing,
            Changed::Alerts,
            Changed::Broadcast,
            Changed::Desk,
        ]);
        out.changed.extend(self.current_tables().map(Changed::Game));
        out
    }
}
