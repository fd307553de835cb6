//! The devices on the tables: how they are, and their self-test (自检).

use firmware_proto::{Command, Epoch};
use tournament::TableNo;
use xiangqi::Point;

use crate::entry::Fact;
use crate::hall::Outputs;
use crate::refusal::Refusal;
use crate::self_test::{PointState, TestStep};
use crate::table::Table;
use crate::view::{Concern, DevicesView};
use crate::{Actor, Hall};

impl Hall {
    /// How the devices are: of one table, or of all, by number.
    #[must_use]
    pub fn devices(&self, of: Option<TableNo>) -> Vec<DevicesView> {
        let tables = self.tables.iter().filter(|(no, _)| of.is_none_or(|of| of == *no));
        tables.map(|(no, table)| devices_view(no, table, self.plays(no))).collect()
    }

    /// Whether a game is being played at a table.
    fn plays(&self, no: TableNo) -> bool {
        self.game(no).is_some_and(|game| game.outcome().is_none())
    }

    pub(crate) fn may_test(&self, no: TableNo, step: TestStep) -> Result<(), Refusal> {
        let table = self.tables.get(no).ok_or(Refusal::Unbound(no))?;
        match (step, table.test().since()) {
            (TestStep::Begin, _) if self.plays(no) => Err(Refusal::Order(
                "此台对局进行中：终局后再自检",
                "a game is being played at this table: test it after the game",
            )),
            (TestStep::Begin, _) | (TestStep::Finish | TestStep::BreakOff, Some(_)) => Ok(()),
            (TestStep::Finish | TestStep::BreakOff, None) => {
                Err(Refusal::Order("此台没有在自检", "no self-test goes on here"))
            }
        }
    }

    /// Begins or ends a table's self-test; it was checked that this can be done.
    pub(crate) fn self_test(
        &mut self,
        no: TableNo,
        step: TestStep,
        by: Actor,
        now: Epoch,
        out: &mut Outputs,
    ) -> Result<(), Refusal> {
        let table = self.tables.get(no).ok_or(Refusal::Unbound(no))?;
        let finished = match step {
            TestStep::Begin => {
                let board = table.binding().board;
                self.enter(Fact::SelfTestBegun(no), by, now, out)?;
                // The device looks too: it alone knows how strong a field its sensors see.
                self.command(board, Command::Snapshot, now, out);
                self.command(board, Command::Walk(true), now, out);
                return Ok(());
            }
            TestStep::Finish => true,
            TestStep::BreakOff => false,
        };
        let (board, found) = (table.binding().board, table.test().found(finished));
        self.enter(Fact::SelfTested { table: no, found }, by, now, out)?;
        self.command(board, Command::Walk(false), now, out);
        Ok(())
    }
}

fn devices_view(no: TableNo, table: &Table, plays: bool) -> DevicesView {
    let (test, health, seating) = (table.test(), table.health(), table.seating());
    let tested = test.since().is_some() || test.ended().is_some();
    let mut points = tested.then(|| vec![PointState::Sound; Point::COUNT]);
    let mut concerns = Vec::new();
    let ((board, clock), heard) = (table.links(), health.heard());
    match (heard.0, board) {
        (false, _) => concerns.push(Concern::BoardUnseen),
        (true, false) => concerns.push(Concern::BoardAway),
        (true, true) => {}
    }
    match (heard.1, clock) {
        (false, _) => concerns.push(Concern::ClockUnseen),
        (true, false) => concerns.push(Concern::ClockAway),
        (true, true) => {}
    }
    concerns.extend(health.supply().map(Concern::Supply));
    concerns.extend(health.is_unkept().then_some(Concern::Unkept));
    let mut pressed = [true; 2];
    if let Some(points) = &mut points {
        let found = test.found(false);
        for (cell, state) in &found.points {
            points[seating.point(*cell).index()] = *state;
        }
        let all = |state| {
            let of = (0..Point::COUNT).filter(|at| points[*at] == state).filter_map(Point::from_index);
            let of: Vec<_> = of.collect();
            Some(of).filter(|of| !of.is_empty())
        };
        concerns.extend(all(PointState::Dead).map(Concern::Dead));
        concerns.extend(all(PointState::Stuck).map(Concern::Stuck));
        concerns.extend(all(PointState::Unsure).map(Concern::Unsure));
        concerns.extend(all(PointState::Untried).map(Concern::Untried));
        for half in found.unpressed {
            let side = seating.side(half);
            pressed[side as usize] = false;
            concerns.push(Concern::Unpressed(side));
        }
    } else {
        concerns.push(Concern::Untested);
    }
    concerns.sort_by_key(|concern| std::cmp::Reverse(concern.condition()));
    DevicesView {
        table: no,
        binding: table.binding(),
        plays,
        since: test.since(),
        tested: test.ended(),
        image: table.image().map(|image| image.points.iter().map(|reading| reading.0).collect()),
        points,
        pressed,
        concerns,
    }
}
