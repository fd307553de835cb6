//! The curtain between the officials and the public: what is published goes up for the public when its delay has passed.
//!
//! Pure: views and times come in, views go out. A game waits for its table's delay; what says something about all
//! tables (pairings, standing, the event's frame) waits for the longest delay, and what it says of a game is put back
//! to what the public knows of that game. What the public has seen is never taken back, so a delay may be switched on,
//! lengthened or shortened in mid-round.
//!
//! A waiting game is kept without its plies: they are the beginning of the latest ones. After a restart nothing waits
//! yet; then the public sees the plies that are old enough by their own times ([`as_of`]).

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use hall::view::{ClocksView, Epoch, EventView, GameStatus, GameView, RoundView, StandingView, VenueView};
use hall::{Broadcast, Delay};
use tournament::{RoundNo, TableNo};
use xiangqi::{Position, Side};

use crate::frame;
use crate::hub::Update;

/// What was published, and how much of it is public.
#[derive(Debug, Default)]
pub struct Curtain {
    broadcast: Arc<Broadcast>,
    games: BTreeMap<(RoundNo, TableNo), Game>,
    /// The games of which the public does not see all that was published: only these age.
    ahead: BTreeSet<(RoundNo, TableNo)>,
    rounds: BTreeMap<RoundNo, Slot<RoundView>>,
    event: Slot<EventView>,
    standing: Slot<StandingView>,
}

/// A game: as it is, as it was at moments that are not public yet, as the public sees it.
#[derive(Debug)]
struct Game {
    latest: Arc<GameView>,
    waiting: VecDeque<Moment>,
    public: Option<Arc<GameView>>,
}

/// A game at a moment.
#[derive(Debug)]
struct Moment {
    at: Epoch,
    plies: usize,
    sum: u32,
    /// Without its plies.
    view: GameView,
}

/// Something that waits as a whole.
#[derive(Debug)]
struct Slot<T> {
    waiting: VecDeque<(Epoch, Arc<T>)>,
    public: Option<Arc<T>>,
}

impl<T> Default for Slot<T> {
    fn default() -> Slot<T> {
        Slot { waiting: VecDeque::new(), public: None }
    }
}

impl<T> Slot<T> {
    /// Makes the newest one public that has waited so long; tells whether there was one.
    fn age(&mut self, delay: i64, now: Epoch) -> bool {
        let due = self.waiting.iter().take_while(|(at, _)| now.since(*at) >= delay).count();
        match self.waiting.drain(..due).next_back() {
            Some((_, view)) => {
                self.public = Some(view);
                true
            }
            None => false,
        }
    }

    /// The newest one there is.
    fn newest(&self) -> Option<&Arc<T>> {
        self.waiting.back().map(|(_, view)| view).or(self.public.as_ref())
    }
}

impl Moment {
    fn of(view: &GameView, at: Epoch) -> Moment {
        let sum = frame::checksum(&view.plies);
        Moment { at, plies: view.plies.len(), sum, view: GameView { plies: Arc::default(), ..view.clone() } }
    }

    /// The view as it was, shown now: its clocks run on from now. `None`: what was played then was corrected since.
    fn shown(&self, latest: &GameView, now: Epoch, by_plies: bool) -> Option<GameView> {
        let plies = latest.plies.get(..self.plies).filter(|plies| frame::checksum(plies) == self.sum)?;
        let mut view = GameView { plies: Arc::new(plies.to_vec()), ..self.view.clone() };
        view.clocks.at = view.clocks.at.plus(now.since(self.at));
        if by_plies && !is_over(&view) {
            // How long the next ply took is not known before it is shown.
            view.clocks.running = None;
        }
        Some(view)
    }
}

impl Game {
    /// Makes public what has waited for its delay; tells whether there was something.
    fn age(&mut self, delay: Delay, now: Epoch) -> bool {
        if delay == Delay::NONE {
            self.waiting.clear();
            let known = self.public.as_ref().is_some_and(|public| Arc::ptr_eq(public, &self.latest));
            self.public = Some(Arc::clone(&self.latest));
            return !known;
        }
        let old = self.waiting.iter().take_while(|moment| now.since(moment.at) >= delay.ms()).count();
        let over = old.checked_sub(1).is_some_and(|last| is_over(&self.waiting[last].view));
        let answered = |moment: &Moment| moment.plies + usize::from(delay.plies) <= self.latest.plies.len();
        let due = (0..old).rev().find(|i| over || delay.plies == 0 || answered(&self.waiting[*i]));
        let Some(due) = due else { return false };
        let Some(moment) = self.waiting.drain(..=due).next_back() else { return false };
        let Some(view) = moment.shown(&self.latest, now, delay.plies > 0) else { return false };
        self.public = Some(Arc::new(view));
        true
    }
}

fn is_over(view: &GameView) -> bool {
    view.status.is_over()
}

impl Curtain {
    /// Whether nothing is delayed and nothing waits.
    fn is_open(&self) -> bool {
        self.broadcast.delay == Delay::NONE
            && self.broadcast.tables.values().all(|delay| *delay == Delay::NONE)
    }

    /// Whether a game of a round before this one is not public as it stands.
    fn holds_before(&self, round: RoundNo) -> bool {
        let before = self.ahead.range(..(round, TableNo(0)));
        before.into_iter().any(|key| self.games.get(key).is_some_and(|game| !game.waiting.is_empty()))
    }

    /// Takes in what was published; gives what the public sees of it at once.
    pub fn take(&mut self, update: &Update, now: Epoch) -> Vec<Update> {
        let mut out = Vec::new();
        match update {
            Update::Broadcast(broadcast) => {
                self.broadcast = Arc::clone(broadcast);
                // With another delay, any game may be shown as it is.
                self.ahead = self.games.keys().copied().collect();
                out.push(update.clone());
                // What was put back in them may be shown from now on.
                out.extend(self.rounds.keys().filter_map(|round| self.pairings(*round)).map(Update::Round));
            }
            // Who is in which team is no secret.
            Update::Teams(_) => out.push(update.clone()),
            Update::Alerts(_) | Update::Desk(_) => {}
            Update::Game(view) => self.take_game(view, now, &mut out),
            Update::Round(view) => self.take_round(view, now, &mut out),
            Update::Event(view) => {
                let same = |known: &EventView| EventView { venue: view.venue, ..known.clone() } == **view;
                if self.is_open() || !self.event.waiting.back().is_some_and(|(_, known)| same(known)) {
                    self.event.waiting.push_back((now, Arc::clone(view)));
                }
                if self.event.public.is_none() {
                    self.event.public = Some(Arc::clone(view));
                    out.push(Update::Event(self.frame(view)));
                }
            }
            Update::Standing(view) => {
                if self.standing.newest() != Some(view) {
                    self.standing.waiting.push_back((now, Arc::clone(view)));
                }
                if self.standing.public.is_none() && !self.holds_before(RoundNo(u16::MAX)) {
                    self.standing.public = Some(Arc::clone(view));
                    out.push(update.clone());
                }
            }
        }
        out.extend(self.due(now));
        out
    }

    fn take_game(&mut self, view: &Arc<GameView>, now: Epoch, out: &mut Vec<Update>) {
        let key = (view.round, view.table);
        let delay = self.broadcast.delay_of(view.table);
        let first = !self.games.contains_key(&key);
        let times = self.event.newest().map_or((0, 0), |event| (event.base_ms, event.increment_ms));
        let game = self.games.entry(key).or_insert_with(|| Game {
            latest: Arc::clone(view),
            waiting: VecDeque::new(),
            public: None,
        });
        if !first && game.latest.version > view.version {
            return;
        }
        game.latest = Arc::clone(view);
        self.ahead.insert(key);
        if delay == Delay::NONE {
            return;
        }
        if first {
            let known = Arc::new(as_of(view, now, delay, times));
            if (known.plies.len(), known.status) != (view.plies.len(), view.status) {
                game.waiting.push_back(Moment::of(view, now));
            }
            game.public = Some(Arc::clone(&known));
            out.push(Update::Game(known));
            return;
        }
        let moment = Moment::of(view, now);
        let news = |last: &Moment| {
            (last.plies, last.sum) != (moment.plies, moment.sum)
                || !frame::looks_the_same(&last.view, &moment.view)
        };
        if game.waiting.back().is_none_or(news) {
            game.waiting.push_back(moment);
        }
    }

    fn take_round(&mut self, view: &Arc<RoundView>, now: Epoch, out: &mut Vec<Update>) {
        let first = !self.rounds.contains_key(&view.round);
        let held = self.holds_before(view.round);
        let slot = self.rounds.entry(view.round).or_default();
        if self.broadcast.longest_ms() == 0 || slot.waiting.back().is_none_or(|(_, known)| known != view) {
            slot.waiting.push_back((now, Arc::clone(view)));
        }
        // Pairings are for everybody, as soon as they give no result away that is not public yet.
        if first && !held && self.broadcast.longest_ms() > 0 {
            let mut early = (**view).clone();
            for pairing in &mut early.pairings {
                pairing.status = GameStatus::NotStarted;
            }
            slot.public = Some(Arc::new(early));
            if let Some(view) = self.pairings(view.round) {
                out.push(Update::Round(view));
            }
        }
    }

    /// What has become public since the last call.
    pub fn due(&mut self, now: Epoch) -> Vec<Update> {
        let mut out = Vec::new();
        let mut touched = BTreeSet::new();
        self.ahead.retain(|key| {
            let Some(game) = self.games.get_mut(key) else { return false };
            if game.age(self.broadcast.delay_of(key.1), now)
                && let Some(view) = &game.public
            {
                out.push(Update::Game(Arc::clone(view)));
                touched.insert(key.0);
            }
            !game.waiting.is_empty()
        });
        let released = !touched.is_empty();
        if self.is_open() {
            // The pairings come with the games' states in them: there is nothing to put in.
            touched.clear();
        }
        let longest = self.broadcast.longest_ms();
        let aged =
            self.rounds.iter_mut().filter_map(|(round, slot)| slot.age(longest, now).then_some(*round));
        touched.extend(aged.collect::<Vec<_>>());
        out.extend(touched.into_iter().filter_map(|round| self.pairings(round)).map(Update::Round));
        // The frame says what of the games is public, so it changes with them.
        let event = self.event.age(longest, now) || (released && !self.is_open());
        if event && let Some(view) = &self.event.public {
            out.push(Update::Event(self.frame(view)));
        }
        if self.standing.age(longest, now) {
            out.extend(self.standing.public.clone().map(Update::Standing));
        }
        out
    }

    /// A round's pairings with the games as the public knows them.
    fn pairings(&self, round: RoundNo) -> Option<Arc<RoundView>> {
        let view = self.rounds.get(&round)?.public.as_ref()?;
        if self.is_open() {
            return Some(Arc::clone(view));
        }
        let mut view = (**view).clone();
        for pairing in &mut view.pairings {
            if let Some(game) = pairing.table.and_then(|table| self.games.get(&(round, table))) {
                pairing.status = game.public.as_ref().map_or(GameStatus::NotStarted, |public| public.status);
            }
        }
        Some(Arc::new(view))
    }

    /// The event's frame without what tells of games that are not public: counters, the end of the round.
    fn frame(&self, view: &Arc<EventView>) -> Arc<EventView> {
        if self.is_open() {
            return Arc::clone(view);
        }
        let rounds = self.rounds.iter().filter(|(_, slot)| slot.public.is_some());
        let newest = rounds.map(|(round, _)| *round).next_back().unwrap_or(RoundNo(0));
        let held = self.holds_before(RoundNo(u16::MAX));
        let plies = self.games.values().filter_map(|game| game.public.as_ref());
        let plies = plies.map(|view| view.plies.len() as u64).sum();
        Arc::new(EventView {
            round: view.round.min(newest),
            playing: view.playing || held,
            finished: view.finished && !held,
            venue: VenueView { tables: view.venue.tables, plies, alerts: 0, observations: 0 },
            ..(**view).clone()
        })
    }

    /// Everything that is public, anew: for a public that is shown it in another way from now on.
    pub fn all(&self) -> Vec<Update> {
        let games = self.games.values().filter_map(|game| game.public.clone()).map(Update::Game);
        let rounds = self.rounds.keys().filter_map(|round| self.pairings(*round)).map(Update::Round);
        let event = self.event.public.iter().map(|view| Update::Event(self.frame(view)));
        let standing = self.standing.public.clone().map(Update::Standing);
        event.chain(rounds).chain(games).chain(standing).collect()
    }
}

/// A game as it stood a delay ago, by the times of its plies and of its end: for a game of whose past nothing else is
/// known. Its clocks are reckoned from the time that each ply took (`times`: base and increment) and stand still.
fn as_of(view: &GameView, now: Epoch, delay: Delay, times: (u32, u32)) -> GameView {
    let old = |at: Epoch| now.since(at) >= delay.ms();
    if is_over(view) && view.ended_at.is_some_and(old) {
        return view.clone();
    }
    let aged = view.plies.iter().take_while(|ply| old(ply.at)).count();
    let shown = aged.min(view.plies.len().saturating_sub(usize::from(delay.plies)));
    let plies = view.plies[..shown].to_vec();
    let to_move = if shown.is_multiple_of(2) { Side::Red } else { Side::Black };
    let fen = plies.last().map_or_else(
        || Position::start().fen(),
        |ply| format!("{} {} - - 0 1", ply.board, if shown.is_multiple_of(2) { 'w' } else { 'b' }),
    );
    let mut left = [times.0; 2];
    for (i, ply) in plies.iter().enumerate() {
        left[i % 2] = left[i % 2].saturating_sub(ply.used_ms.unwrap_or(0)).saturating_add(times.1);
    }
    GameView {
        status: if shown == 0 { GameStatus::NotStarted } else { GameStatus::Playing },
        ended_at: None,
        fen,
        to_move,
        check: plies.last().is_some_and(|ply| ply.check),
        quiet_plies: plies.iter().rev().take_while(|ply| !ply.capture).count() as u16,
        clocks: ClocksView { red_ms: left[0], black_ms: left[1], running: None, at: now, estimated: true },
        plies: Arc::new(plies),
        notes: Vec::new(),
        fouls: [0, 0],
        connected: true,
        ..view.clone()
    }
}
