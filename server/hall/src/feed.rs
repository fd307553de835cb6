//! The order of what a table's devices did.
//!
//! A board and a clock are two devices: after an outage one of them may hand in what it kept while the other is
//! long up to date. The tracker needs both in the order in which things happened, so the feed holds what came
//! until nothing earlier can come any more: up to the older of the two devices' known times.
//!
//! A device's beat says that everything which it recorded before is with the server. As long as beats come the story is
//! complete up to the present; when none came for a while (the network stalls, the server itself was asleep) it is
//! complete only up to what was told, whatever the clock on the wall says.

use std::collections::VecDeque;

use capture::Seen;
use firmware_proto::{BootId, DeviceUid, Epoch, Hello, Seq};

use crate::TableBinding;

/// How far two links of one table may lie apart, ms of venue time at normal speed.
pub const SKEW: i64 = 40;

/// Word of a device that is older than so many times the skew says nothing about the present: 2.4 s at normal speed,
/// beats come every second.
const WORD_IS_OLD: i64 = 60;

/// What is known of one device's stream.
#[derive(Clone, Copy, Debug)]
struct Link {
    /// Time of the last thing heard of it.
    heard: Option<Epoch>,
    /// Whether it is connected.
    up: bool,
    /// Since when, by the word of the gateway at which it is.
    up_since: Option<Epoch>,
    /// Numbers up to this one existed when it connected, and are still to come.
    owes: Option<(BootId, Seq)>,
    /// The last record that came.
    last: Option<(BootId, Seq)>,
    /// Everything up to here has come, by the word of its beats; `None`: it gives none.
    told: Option<Epoch>,
}

/// What a device is at its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The board.
    Board,
    /// The clock.
    Clock,
    /// One controller for both.
    Both,
}

impl Part {
    /// What a device is at the table where these stand.
    #[must_use]
    pub fn of(binding: TableBinding, device: DeviceUid) -> Option<Part> {
        match (device == binding.board, device == binding.clock) {
            (true, true) => Some(Part::Both),
            (true, false) => Some(Part::Board),
            (false, true) => Some(Part::Clock),
            (false, false) => None,
        }
    }

    /// Whether the board is on this device.
    #[must_use]
    pub const fn has_board(self) -> bool {
        match self {
            Part::Board | Part::Both => true,
            Part::Clock => false,
        }
    }
}

/// Holds and releases what a table's devices did, in the order of the happenings.
#[derive(Clone, Debug)]
pub struct Feed {
    board: Link,
    clock: Link,
    held: VecDeque<Seen>,
    skew: i64,
    /// While the past is read again: how far time has brought what it brings, as the journal shows. Beats are not stored, so
    /// beyond that only what came is a device's word.
    again: Option<Epoch>,
}

impl Link {
    const NEW: Link = Link { heard: None, up: true, up_since: None, owes: None, last: None, told: None };

    /// Whether time alone makes more of it known: it owes nothing, and its word is not old.
    fn goes_with_time(&self, now: Epoch, skew: i64) -> bool {
        let word_is_old = self.told.is_some_and(|told| self.is_old(told, now, skew));
        self.up && self.owes.is_none() && !word_is_old
    }

    /// How far it is known without that. What comes after a silence may come in parts: a record says nothing of those after
    /// it, only a beat does.
    fn known_by_word(&self) -> Option<Epoch> {
        if self.up && self.owes.is_none() { self.heard.max(self.told) } else { self.heard }
    }

    /// Nothing earlier than this can come from here any more.
    fn known_until(&self, now: Epoch, skew: i64) -> Option<Epoch> {
        if self.goes_with_time(now, skew) { Some(now.plus(-skew)) } else { self.known_by_word() }
    }

    /// From when on nothing earlier than `at` can come, as things are `now`; `None`: not by time alone.
    fn known_from(&self, at: Epoch, now: Epoch, skew: i64) -> Option<Epoch> {
        if self.goes_with_time(now, skew) {
            Some(at.plus(skew))
        } else {
            (self.known_by_word() >= Some(at)).then_some(at)
        }
    }

    fn is_old(&self, told: Epoch, now: Epoch, skew: i64) -> bool {
        now.since(told) > WORD_IS_OLD * skew
    }
}

impl Feed {
    /// An empty feed; `skew` in ms of venue time.
    #[must_use]
    pub fn new(skew: i64) -> Feed {
        Feed { board: Link::NEW, clock: Link::NEW, held: VecDeque::new(), skew, again: None }
    }

    fn links(&mut self, part: Part) -> impl Iterator<Item = &mut Link> {
        let (board, clock) = match part {
            Part::Board => (true, false),
            Part::Clock => (false, true),
            Part::Both => (true, true),
        };
        [(board, &mut self.board), (clock, &mut self.clock)]
            .into_iter()
            .filter_map(|(ours, link)| ours.then_some(link))
    }

    /// A device connected: what it kept comes first.
    pub fn attached(&mut self, part: Part, hello: &Hello, at: Epoch) {
        for link in self.links(part) {
            link.up = true;
            link.up_since = Some(at);
            let newest = (hello.boot, Seq(hello.next.0.saturating_sub(1)));
            let has_come = link.last.is_some_and(|last| last.0 == newest.0 && last.1 >= newest.1);
            link.owes = (hello.next > hello.oldest && !has_come).then_some(newest);
        }
    }

    /// A device is gone; what happens there from now on is told later. `false`: it is not, for since `at` it has come
    /// to another gateway, and the one that it left only tells it now.
    pub fn detached(&mut self, part: Part, at: Epoch) -> bool {
        let mut gone = false;
        for link in self.links(part) {
            if link.up_since.is_none_or(|since| since <= at) {
                link.up = false;
                gone = true;
            }
        }
        gone
    }

    /// Whether the part is connected.
    #[must_use]
    pub fn is_up(&self, part: Part) -> bool {
        match part {
            Part::Board => self.board.up,
            Part::Clock => self.clock.up,
            Part::Both => self.board.up && self.clock.up,
        }
    }

    /// A record of a device came.
    pub fn recorded(&mut self, part: Part, boot: BootId, seq: Seq, at: Epoch) {
        for link in self.links(part) {
            link.heard = Some(link.heard.map_or(at, |before| before.max(at)));
            link.last = Some((boot, seq));
            if link.owes.is_some_and(|(owed_boot, upto)| boot != owed_boot || seq >= upto) {
                link.owes = None;
            }
        }
    }

    /// A beat: everything that the device recorded before it has come.
    pub fn beaten(&mut self, part: Part, at: Epoch) {
        for link in self.links(part) {
            link.told = Some(link.told.map_or(at, |before| before.max(at)));
        }
    }

    /// After a restart: what both devices did since they were heard last, or ever if they were not, is still to come, and
    /// a beat will say when it has.
    pub fn restarted(&mut self) {
        self.again = None;
        for link in [&mut self.board, &mut self.clock] {
            link.told = Some(link.heard.unwrap_or(Epoch(0)));
        }
    }

    /// The past is read again: up to then time passed here before, as the journal shows.
    pub fn reads_again(&mut self, until: Epoch) {
        self.again = Some(until);
    }

    /// Takes something in, at its place in time.
    pub fn push(&mut self, seen: Seen) {
        let place = self.held.partition_point(|held| held.at <= seen.at);
        self.held.insert(place, seen);
    }

    /// Up to when the story is complete.
    #[must_use]
    pub fn complete_until(&self, now: Epoch) -> Option<Epoch> {
        let until = self.board.known_until(now, self.skew)?.min(self.clock.known_until(now, self.skew)?);
        let Some(again) = self.again else { return Some(until) };
        let word = self.board.known_by_word().min(self.clock.known_by_word());
        Some(until.min(word.map_or(again, |word| word.max(again))))
    }

    /// From when on the story is complete up to `at`, as things are `now`; `None`: time alone does not complete it.
    #[must_use]
    pub fn complete_from(&self, at: Epoch, now: Epoch) -> Option<Epoch> {
        let board = self.board.known_from(at, now, self.skew)?;
        Some(board.max(self.clock.known_from(at, now, self.skew)?))
    }

    /// Releases what is complete, oldest first.
    pub fn release(&mut self, now: Epoch) -> Vec<Seen> {
        let Some(until) = self.complete_until(now) else { return Vec::new() };
        self.give_up(until)
    }

    /// What is held and happened until then, whether or not something earlier may still come: nobody waits for it.
    pub fn give_up(&mut self, until: Epoch) -> Vec<Seen> {
        let ready = self.held.partition_point(|held| held.at <= until);
        self.held.drain(..ready).collect()
    }

    /// When the first thing that is held happened.
    #[must_use]
    pub fn first(&self) -> Option<Epoch> {
        self.held.front().map(|seen| seen.at)
    }

    /// Forgets what is held: the game is over.
    pub fn clear(&mut self) {
        self.held.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use capture::What;
    use firmware_proto::{Capabilities, DeviceUid, Millis, ResetCause, SensingKind};

    fn seen(at: i64) -> Seen {
        Seen { at: Epoch(at), what: What::Lost }
    }

    fn hello(oldest: u32, next: u32) -> Hello {
        Hello {
            uid: DeviceUid(1),
            boot: BootId(1),
            firmware: 1,
            hardware: 1,
            reset: ResetCause::PowerOn,
            capabilities: Capabilities { board: Some(SensingKind::Colour), clock: false },
            oldest: Seq(oldest),
            next: Seq(next),
            overflowed: 0,
            at: Millis(0),
        }
    }

    fn times(released: Vec<Seen>) -> Vec<i64> {
        released.into_iter().map(|seen| seen.at.0).collect()
    }

    #[test]
    fn after_a_restart_time_tells_nothing_of_devices_that_were_never_heard() {
        let mut feed = Feed::new(SKEW);
        feed.restarted();
        feed.push(seen(1_000));
        assert!(feed.release(Epoch(60_000)).is_empty(), "the board may still hand in what it kept");
        assert_eq!(feed.complete_from(Epoch(1_000), Epoch(60_000)), None);
        feed.beaten(Part::Board, Epoch(60_000));
        feed.beaten(Part::Clock, Epoch(60_000));
        assert_eq!(feed.release(Epoch(60_000)).len(), 1);
    }

    #[test]
    fn what_waited_for_a_board_before_a_restart_waits_for_it_again() {
        let mut feed = Feed::new(SKEW);
        feed.reads_again(Epoch(500));
        feed.recorded(Part::Board, BootId(1), Seq(1), Epoch(490));
        feed.push(seen(490));
        assert_eq!(times(feed.release(Epoch(550))), [490], "the journal shows that time passed");
        feed.recorded(Part::Clock, BootId(1), Seq(1), Epoch(1_000));
        feed.push(seen(1_000));
        assert!(feed.release(Epoch(60_000)).is_empty(), "the board's placement is still to come");
        feed.recorded(Part::Board, BootId(1), Seq(2), Epoch(990));
        feed.push(seen(990));
        assert_eq!(times(feed.release(Epoch(60_000))), [990]);
    }

    #[test]
    fn a_press_waits_for_a_placement_that_may_still_be_on_its_way() {
        let mut feed = Feed::new(SKEW);
        feed.push(seen(1_000));
        assert_eq!(times(feed.release(Epoch(1_010))), Vec::<i64>::new());
        feed.push(seen(990));
        assert_eq!(feed.complete_from(Epoch(990), Epoch(1_010)), Some(Epoch(1_030)));
        assert_eq!(times(feed.release(Epoch(1_040))), [990, 1_000]);
    }

    #[test]
    fn a_press_before_the_last_word_of_a_board_that_is_gone_waits_for_the_clock_alone() {
        let mut feed = Feed::new(SKEW);
        feed.recorded(Part::Board, BootId(1), Seq(1), Epoch(1_010));
        feed.detached(Part::Board, Epoch(1_010));
        feed.push(seen(1_000));
        assert_eq!(feed.complete_from(Epoch(1_000), Epoch(1_020)), Some(Epoch(1_040)));
        assert_eq!(feed.complete_from(Epoch(1_011), Epoch(1_020)), None, "the board tells of it later");
        assert_eq!(times(feed.release(Epoch(1_039))), Vec::<i64>::new());
        assert_eq!(times(feed.release(Epoch(1_040))), [1_000]);
    }

    #[test]
    fn while_no_word_comes_the_story_is_complete_up_to_the_last_one_only() {
        let mut feed = Feed::new(SKEW);
        feed.beaten(Part::Board, Epoch(10_000));
        feed.beaten(Part::Clock, Epoch(10_100));
        assert_eq!(feed.complete_until(Epoch(10_500)), Some(Epoch(10_460)), "the word is fresh");
        assert_eq!(feed.complete_until(Epoch(25_000)), Some(Epoch(10_000)), "the server was asleep");
        assert_eq!(feed.complete_from(Epoch(10_200), Epoch(25_000)), None);
        feed.beaten(Part::Board, Epoch(24_500));
        feed.recorded(Part::Clock, BootId(1), Seq(1), Epoch(12_000));
        assert_eq!(feed.complete_until(Epoch(25_000)), Some(Epoch(12_000)));
    }

    #[test]
    fn that_a_device_left_a_gateway_is_no_news_once_it_has_come_to_another() {
        let mut feed = Feed::new(SKEW);
        feed.attached(Part::Board, &hello(1, 1), Epoch(40_000));
        assert!(!feed.detached(Part::Board, Epoch(33_000)), "its former gateway was paused");
        assert!(feed.is_up(Part::Board));
        assert!(feed.detached(Part::Board, Epoch(41_000)));
        assert!(!feed.is_up(Part::Board));
    }

    #[test]
    fn a_device_that_kept_only_what_has_come_already_owes_nothing() {
        let mut feed = Feed::new(SKEW);
        feed.recorded(Part::Board, BootId(1), Seq(10), Epoch(500));
        feed.detached(Part::Board, Epoch(600));
        feed.attached(Part::Board, &hello(8, 11), Epoch(700));
        feed.push(seen(1_000));
        assert_eq!(times(feed.release(Epoch(1_040))), [1_000]);
    }

    #[test]
    fn presses_wait_while_the_board_is_unplugged_and_its_backlog_is_handed_in() {
        let mut feed = Feed::new(SKEW);
        feed.recorded(Part::Board, BootId(1), Seq(10), Epoch(500));
        feed.detached(Part::Board, Epoch(600));
        feed.push(seen(2_000));
        assert_eq!(times(feed.release(Epoch(9_000))), Vec::<i64>::new());
        feed.attached(Part::Board, &hello(11, 13), Epoch(9_050));
        feed.push(seen(1_900));
        feed.recorded(Part::Board, BootId(1), Seq(11), Epoch(1_900));
        assert_eq!(times(feed.release(Epoch(9_100))), [1_900]);
        feed.push(seen(2_100));
        feed.recorded(Part::Board, BootId(1), Seq(12), Epoch(2_100));
        assert_eq!(times(feed.release(Epoch(9_200))), [2_000, 2_100]);
    }
}
