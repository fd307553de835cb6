//! The self-test (自检) of a table before a round: a piece is put on every point and lifted again, both levers are
//! pressed; what was not seen to answer is named.
//!
//! It rests on nothing but what the devices told since it began, so it goes on over a pulled cable and over a restart.
//! What it found stands in the journal, in the board's own terms; the next game's tracker expects nothing of a point
//! that senses nothing.

use firmware_proto::{Body, ByHalf, Cell, Epoch, Half, HealthFault, Observation, Reading, Sighting};
use serde::{Deserialize, Serialize};

/// No hand lifts a piece and puts it back in less: a reading that comes and goes faster flickers.
const HAND: i64 = 150;

/// A point that flickered so often is not to be relied on.
const UNSURE_FROM: u8 = 3;

/// How a point did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PointState {
    /// It was not seen both with a piece and without (未试).
    Untried,
    /// A piece came and went, and both was seen (正常).
    Sound,
    /// It flickers, or its sensor is weak (不稳).
    Unsure,
    /// It sees no piece (失灵).
    Dead,
    /// It sees a piece for ever (卡死).
    Stuck,
}

/// What a self-test found, in the devices' own terms.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestFound {
    /// The points that are not sound.
    pub points: Vec<(Cell, PointState)>,
    /// The levers that were not pressed.
    pub unpressed: Vec<Half>,
}

/// What is done about a table's self-test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TestStep {
    /// It begins; what an earlier one found is forgotten.
    Begin,
    /// Every point had its piece: one that did not answer is dead, or stuck.
    Finish,
    /// It ends before every point had its piece: those are not tried.
    BreakOff,
}

/// What was seen of one point.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    occupied: bool,
    empty: bool,
    changed: Option<Epoch>,
    flickers: u8,
    named: Option<PointState>,
}

impl Seen {
    fn take(&mut self, reading: Reading, at: Epoch, is_change: bool) {
        if reading.is_empty() {
            self.empty = true;
        } else {
            self.occupied = true;
        }
        if is_change && self.changed.replace(at).is_some_and(|last| at.since(last) < HAND) {
            self.flickers = self.flickers.saturating_add(1);
        }
    }

    fn state(&self, every_point_was_tried: bool) -> PointState {
        let by_hand = match (self.occupied, self.empty) {
            (true, true) if self.flickers >= UNSURE_FROM => PointState::Unsure,
            (true, true) => PointState::Sound,
            (false, true) if every_point_was_tried => PointState::Dead,
            (true, false) if every_point_was_tried => PointState::Stuck,
            (true | false, false) | (false, true) => PointState::Untried,
        };
        self.named.unwrap_or(by_hand)
    }
}

/// A table's self-test: none yet, one that goes on, or what the last one found.
#[derive(Clone, Debug)]
pub struct SelfTest {
    stage: Stage,
    points: [Seen; Cell::COUNT],
    pressed: ByHalf<bool>,
}

#[derive(Clone, Debug)]
enum Stage {
    Never,
    Since(Epoch),
    Over(Epoch, TestFound),
}

impl Default for SelfTest {
    fn default() -> SelfTest {
        SelfTest { stage: Stage::Never, points: [Seen::default(); Cell::COUNT], pressed: ByHalf::default() }
    }
}

impl SelfTest {
    /// It begins.
    pub fn begin(&mut self, at: Epoch) {
        *self = SelfTest { stage: Stage::Since(at), ..SelfTest::default() };
    }

    /// It ended, and this is what it found.
    pub fn end(&mut self, at: Epoch, found: TestFound) {
        self.stage = Stage::Over(at, found);
    }

    /// A device of the table told something.
    pub fn see(&mut self, observation: &Observation) {
        let Sighting::Record(_, record) = observation.sighting else { return };
        // At the end of a test the board names what it found itself; of that, only it can know which sensors are weak.
        if let (Stage::Over(_, found), Body::Health(HealthFault::WeakCell(cell, _))) =
            (&mut self.stage, record.body)
            && found.points.iter().all(|(known, _)| *known != cell)
        {
            found.points.push((cell, PointState::Unsure));
        }
        // An observation is stamped by its gateway: one of just before the test does no harm.
        if !matches!(self.stage, Stage::Since(begun) if observation.at >= begun) {
            return;
        }
        match record.body {
            Body::Point(cell, reading) => self.points[cell.index()].take(reading, observation.at, true),
            Body::Snapshot(image) => {
                for cell in Cell::all() {
                    self.points[cell.index()].take(image.at(cell), observation.at, false);
                }
            }
            Body::Press(half, _) => self.pressed[half] = true,
            Body::Health(HealthFault::DeadCell(cell)) => {
                self.points[cell.index()].named = Some(PointState::Dead)
            }
            Body::Health(HealthFault::StuckCell(cell)) => {
                self.points[cell.index()].named = Some(PointState::Stuck)
            }
            Body::Health(HealthFault::WeakCell(cell, _)) => {
                self.points[cell.index()].named = Some(PointState::Unsure)
            }
            Body::Flag(..)
            | Body::Clock(_)
            | Body::Signal(..)
            | Body::Marker(_)
            // How a piece was put down says nothing of the point.
            | Body::Health(
                HealthFault::Overflow(_)
                | HealthFault::Supply(_)
                | HealthFault::OffCentre(..)
                | HealthFault::Unkept(_),
            ) => {}
        }
    }

    /// What it has found so far; `finished`: every point had its piece.
    #[must_use]
    pub fn found(&self, finished: bool) -> TestFound {
        if let Stage::Over(_, found) = &self.stage {
            return found.clone();
        }
        let points = Cell::all().map(|cell| (cell, self.points[cell.index()].state(finished)));
        TestFound {
            points: points.filter(|(_, state)| *state != PointState::Sound).collect(),
            unpressed: Half::ALL.into_iter().filter(|half| !self.pressed[*half]).collect(),
        }
    }

    /// Since when it goes on, if it does.
    #[must_use]
    pub fn since(&self) -> Option<Epoch> {
        match self.stage {
            Stage::Since(at) => Some(at),
            Stage::Never | Stage::Over(..) => None,
        }
    }

    /// When the last one ended, if none has begun since.
    #[must_use]
    pub fn ended(&self) -> Option<Epoch> {
        match self.stage {
            Stage::Over(at, _) => Some(at),
            Stage::Never | Stage::Since(_) => None,
        }
    }

    /// The points of which nothing is to be expected.
    pub fn senseless(&self) -> impl Iterator<Item = Cell> + '_ {
        let found = match &self.stage {
            Stage::Over(_, found) => found.points.as_slice(),
            Stage::Never | Stage::Since(_) => &[],
        };
        found
            .iter()
            .filter(|(_, state)| matches!(state, PointState::Dead | PointState::Stuck))
            .map(|(c, _)| *c)
    }
}

#[cfg(test)]
mod tests {
    use firmware_proto::{BootId, ClockFace, DeviceUid, Image, Millis, Record, SensingKind, Seq};

    use super::*;

    fn told(at: i64, body: Body) -> Observation {
        let record = Record { seq: Seq(1), at: Millis(0), body };
        Observation { device: DeviceUid(1), at: Epoch(at), sighting: Sighting::Record(BootId(1), record) }
    }

    fn cell(index: u8) -> Cell {
        Cell::new(index).unwrap()
    }

    /// A test that began at 1,000 with a piece on cell 0 and none elsewhere.
    fn begun() -> SelfTest {
        let mut test = SelfTest::default();
        test.begin(Epoch(1_000));
        let mut image = Image::empty(SensingKind::Colour);
        image.set(cell(0), Reading(1)).unwrap();
        test.see(&told(1_010, Body::Snapshot(image)));
        test
    }

    /// A piece comes to a cell and goes again, as a hand does it.
    fn walk(test: &mut SelfTest, index: u8, at: i64) {
        test.see(&told(at, Body::Point(cell(index), Reading(1))));
        test.see(&told(at + 400, Body::Point(cell(index), Reading::EMPTY)));
    }

    fn state(found: &TestFound, index: u8) -> PointState {
        let of = found.points.iter().find(|(at, _)| *at == cell(index));
        of.map_or(PointState::Sound, |(_, state)| *state)
    }

    #[test]
    fn a_point_is_sound_once_a_piece_came_and_went_and_untried_until_then() {
        let mut test = begun();
        walk(&mut test, 5, 2_000);
        let found = test.found(false);
        assert_eq!(
            [state(&found, 5), state(&found, 6), state(&found, 0)],
            [PointState::Sound, PointState::Untried, PointState::Untried,]
        );
    }

    #[test]
    fn when_every_point_had_its_piece_what_did_not_answer_is_dead_or_stuck() {
        let mut test = begun();
        for index in 1..89 {
            walk(&mut test, index, 2_000 + i64::from(index) * 1_000);
        }
        let found = test.found(true);
        assert_eq!(found.points, [(cell(0), PointState::Stuck), (cell(89), PointState::Dead)]);
        assert_eq!(found.unpressed, Half::ALL);
        test.end(Epoch(99_000), found);
        assert_eq!(test.senseless().collect::<Vec<_>>(), [cell(0), cell(89)]);
    }

    #[test]
    fn a_reading_that_comes_and_goes_faster_than_a_hand_is_not_to_be_relied_on() {
        let mut test = begun();
        for flicker in 0..4 {
            let reading = if flicker % 2 == 0 { Reading(1) } else { Reading::EMPTY };
            test.see(&told(2_000 + flicker * 40, Body::Point(cell(7), reading)));
        }
        assert_eq!(state(&test.found(false), 7), PointState::Unsure);
    }

    #[test]
    fn what_was_told_before_the_test_began_or_after_it_ended_does_not_count() {
        let mut test = begun();
        walk(&mut test, 3, 100);
        assert_eq!(state(&test.found(false), 3), PointState::Untried);
        let found = test.found(false);
        test.end(Epoch(5_000), found);
        walk(&mut test, 3, 6_000);
        assert_eq!(state(&test.found(false), 3), PointState::Untried);
    }

    #[test]
    fn each_lever_is_pressed_for_itself() {
        let mut test = begun();
        let face = ClockFace { left: ByHalf::default(), running: None };
        test.see(&told(2_000, Body::Press(Half::B, face)));
        assert_eq!(test.found(false).unpressed, [Half::A]);
    }

    #[test]
    fn a_weak_sensor_is_known_when_the_board_names_it_at_the_end() {
        let mut test = begun();
        walk(&mut test, 9, 2_000);
        let found = test.found(false);
        test.end(Epoch(5_000), found);
        test.see(&told(5_100, Body::Health(HealthFault::WeakCell(cell(9), 4_200))));
        test.see(&told(5_100, Body::Health(HealthFault::DeadCell(cell(30)))));
        let found = test.found(false);
        assert_eq!([state(&found, 9), state(&found, 30)], [PointState::Unsure, PointState::Untried]);
    }

    #[test]
    fn what_the_device_itself_calls_dead_is_dead() {
        let mut test = begun();
        test.see(&told(2_000, Body::Health(HealthFault::DeadCell(cell(9)))));
        assert_eq!(state(&test.found(false), 9), PointState::Dead);
    }
}
