//! The state that viewers see: the latest view of everything, and the frames that tell what changed.
//!
//! The shell publishes to the officials' hub; behind it stand the public's ([`Hub::public`]), which the curtain
//! feeds with what may be seen, and the one without results ([`Hub::veiled`]).
//!
//! One writer publishes views; any number of readers take the latest one (pages, API) or wait for frames
//! (streams). A frame is rendered once and shared. All topics number their frames from one counter, so one
//! id says how much a viewer knows of all of them.

mod follower;
mod mark;
mod shown;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use hall::Broadcast;
use hall::desk::DeskView;
use hall::view::{AlertsView, ClocksView, Epoch, EventView, GameView, RoundView, StandingView, TeamsView};
use tokio::sync::watch;
use tournament::{RoundNo, TableNo};

use crate::curtain::Curtain;
use crate::evaluation::Evaluation;
use crate::frame;
use crate::ring::{Frame, Ring};
use crate::topic::Topic;
use crate::veil::veiled;

pub use follower::Follower;
pub use mark::Mark;
pub use shown::Shown;

/// A new view of something.
#[derive(Clone, Debug)]
pub enum Update {
    /// The event's frame.
    Event(Arc<EventView>),
    /// A round's pairings.
    Round(Arc<RoundView>),
    /// A game.
    Game(Arc<GameView>),
    /// The standing.
    Standing(Arc<StandingView>),
    /// The teams, in a team event.
    Teams(Arc<TeamsView>),
    /// The alerts.
    Alerts(Arc<AlertsView>),
    /// How the broadcast is set.
    Broadcast(Arc<Broadcast>),
    /// The organiser's desk: for staff only.
    Desk(Arc<DeskView>),
}

/// Whose eyes a hub is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Arbiters and organisers: everything, at once.
    Officials,
    /// Everybody: after the delay, without alerts.
    Public,
    /// Who wants to see no results.
    Veiled,
}

/// Where venue time comes from.
pub type Now = Arc<dyn Fn() -> Epoch + Send + Sync>;

/// The public state. Cheap to clone; all clones are the same hub.
#[derive(Clone)]
pub struct Hub(Arc<Inner>);

struct Inner {
    boot: u64,
    audience: Audience,
    /// Behind the officials' hub: the others.
    house: Option<House>,
    now: Now,
    speed: f64,
    shown: RwLock<Shown>,
    writer: Mutex<Writer>,
    channels: Mutex<BTreeMap<Topic, Arc<Channel>>>,
}

/// The public's side.
struct House {
    curtain: Mutex<Curtain>,
    public: Hub,
    veiled: Hub,
}

impl House {
    /// Shows the public what it may see; without results if the event keeps them to itself.
    fn show(&self, updates: Vec<Update>) {
        for update in updates {
            let hidden = veiled(update.clone());
            let hide = match &update {
                Update::Broadcast(broadcast) => broadcast.hide_results,
                Update::Event(_)
                | Update::Round(_)
                | Update::Game(_)
                | Update::Standing(_)
                | Update::Teams(_)
                | Update::Alerts(_)
                | Update::Desk(_) => self.public.look(|shown| shown.broadcast.hide_results),
            };
            self.public.tell(if hide { hidden.clone() } else { update });
            self.veiled.tell(hidden);
        }
    }

    fn take(&self, update: &Update, now: Epoch) {
        // Locked while it is shown, so that what was published later is shown later.
        let mut curtain = lock(&self.curtain);
        let hid = self.public.look(|shown| shown.broadcast.hide_results);
        self.show(curtain.take(update, now));
        if self.public.look(|shown| shown.broadcast.hide_results) != hid {
            self.show(curtain.all());
        }
    }
}

/// Numbers frames and remembers what changed since the last beat of the slow topics.
#[derive(Default)]
struct Writer {
    seq: u64,
    changed: BTreeMap<RoundNo, BTreeSet<TableNo>>,
    /// Each game as its viewers were last told.
    told: BTreeMap<(RoundNo, TableNo), Arc<GameView>>,
}

struct Channel {
    ring: Mutex<Ring>,
    newest: watch::Sender<u64>,
}

/// A finished game's clocks stand still, whatever the last reading said.
fn at_rest(view: Arc<GameView>) -> Arc<GameView> {
    if view.status.is_over() && view.clocks.running.is_some() {
        let clocks = ClocksView { running: None, ..view.clocks };
        return Arc::new(GameView { clocks, ..(*view).clone() });
    }
    view
}

/// Locks that hold plain data: a panic elsewhere leaves it whole, so poison is no reason to stop.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Hub {
    /// The officials' hub, empty, with the public's behind it, of the server's start number `boot` (higher at each
    /// start), in a venue whose time is `now` and runs `speed` times as fast as the wall's.
    #[must_use]
    pub fn new(boot: u64, now: Now, speed: f64) -> Hub {
        let hub = |audience, house, now| {
            let shown = Shown { without_results: audience == Audience::Veiled, ..Shown::default() };
            Hub(Arc::new(Inner {
                boot,
                audience,
                house,
                now,
                speed,
                shown: RwLock::new(shown),
                writer: Mutex::default(),
                channels: Mutex::default(),
            }))
        };
        let house = House {
            curtain: Mutex::default(),
            public: hub(Audience::Public, None, Arc::clone(&now)),
            veiled: hub(Audience::Veiled, None, Arc::clone(&now)),
        };
        hub(Audience::Officials, Some(house), now)
    }

    /// Whose eyes it is for.
    #[must_use]
    pub fn audience(&self) -> Audience {
        self.0.audience
    }

    /// What everybody may see: this hub itself, if it is for no officials.
    #[must_use]
    pub fn public(&self) -> Hub {
        self.0.house.as_ref().map_or_else(|| self.clone(), |house| house.public.clone())
    }

    /// What those see who want no results.
    #[must_use]
    pub fn veiled(&self) -> Hub {
        self.0.house.as_ref().map_or_else(|| self.clone(), |house| house.veiled.clone())
    }

    /// Venue time.
    #[must_use]
    pub fn now(&self) -> Epoch {
        (self.0.now)()
    }

    /// How many times as fast as the wall's time the venue's runs.
    #[must_use]
    pub fn speed(&self) -> f64 {
        self.0.speed
    }

    /// The latest views.
    #[must_use]
    pub fn shown(&self) -> Shown {
        self.0.shown.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Looks at the latest views without copying them; `look` must be quick.
    pub fn look<T>(&self, look: impl FnOnce(&Shown) -> T) -> T {
        look(&self.0.shown.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The id of the newest frame of all: what a page rendered now knows.
    #[must_use]
    pub fn mark(&self) -> Mark {
        Mark { boot: self.0.boot, audience: self.0.audience, seq: lock(&self.0.writer).seq }
    }

    /// Takes in a new view and tells the officials of it, and the public as soon as it may be seen. A game's view
    /// older than the one shown is ignored.
    pub fn publish(&self, update: Update) {
        // The desk holds personal data: it never goes through the curtain.
        if let Some(house) = &self.0.house
            && !matches!(update, Update::Desk(_))
        {
            house.take(&update, self.now());
        }
        self.tell(update);
    }

    /// Shows the public, and only it, what it may see at once.
    pub(crate) fn show_public(&self, update: Update) {
        if let Some(house) = &self.0.house {
            // Locked as in `take`: one after the other.
            let _curtain = lock(&house.curtain);
            house.show(vec![update]);
        }
    }

    /// Takes in what an engine thinks of a game; pages fetch it.
    pub fn evaluate(&self, round: RoundNo, table: TableNo, evaluation: Evaluation) {
        let mut writer = lock(&self.0.writer);
        self.change(|shown| shown.evaluations.insert((round, table), Arc::new(evaluation)));
        self.notice(&mut writer, Topic::Event);
    }

    fn tell(&self, update: Update) {
        let mut writer = lock(&self.0.writer);
        match update {
            Update::Event(view) => {
                let known = self.change(|shown| {
                    // A round that was taken back before it started is no more.
                    if shown.event.as_ref().is_some_and(|known| view.round < known.round) {
                        shown.rounds.retain(|round, _| *round <= view.round);
                    }
                    shown.event.replace(Arc::clone(&view))
                });
                // The venue's counters rise with every record; no page is worth fetching again for them.
                let same = |known: &EventView| EventView { venue: view.venue, ..known.clone() } == *view;
                if !known.is_some_and(|known| same(&known)) {
                    self.notice(&mut writer, Topic::Event);
                }
            }
            Update::Round(view) => {
                let round = view.round;
                let known = self.change(|shown| shown.rounds.insert(round, Arc::clone(&view)));
                if known.is_none() {
                    self.forget_before(&mut writer, round);
                    self.notice(&mut writer, Topic::Event);
                }
                let known = known.as_deref().map_or(&[][..], |known| &known.pairings);
                let known: BTreeMap<_, _> =
                    known.iter().filter_map(|known| Some((known.table?, known))).collect();
                let seated = view.pairings.iter().filter_map(|pairing| Some((pairing.table?, pairing)));
                let news = seated.filter(|(table, pairing)| known.get(table) != Some(pairing));
                writer.changed.entry(round).or_default().extend(news.map(|(table, _)| table));
            }
            Update::Game(view) => {
                let view = at_rest(view);
                let key = (view.round, view.table);
                let known = self.look(|shown| shown.games.get(&key).cloned());
                if known.as_ref().is_some_and(|known| known.version > view.version) {
                    return;
                }
                self.change(|shown| shown.games.insert(key, Arc::clone(&view)));
                // Against what was told, not what was known: small drifts of a clock must not add up unseen.
                if writer.told.get(&key).is_some_and(|told| frame::looks_the_same(told, &view)) {
                    return;
                }
                if writer.told.insert(key, Arc::clone(&view)).is_none() {
                    // A board that was not there when pages were rendered: they have to make room for it.
                    self.notice(&mut writer, Topic::Event);
                }
                let data = frame::game(&view);
                self.send(&mut writer, Topic::Game(view.round, view.table), "game", &data);
                writer.changed.entry(view.round).or_default().insert(view.table);
            }
            Update::Standing(view) => {
                let known = self.change(|shown| shown.standing.replace(Arc::clone(&view)));
                if known.as_ref() != Some(&view) {
                    self.notice(&mut writer, Topic::Standing);
                }
            }
            Update::Teams(view) => {
                let known = self.change(|shown| shown.teams.replace(Arc::clone(&view)));
                if known.as_ref() != Some(&view) {
                    self.notice(&mut writer, Topic::Event);
                }
            }
            Update::Desk(view) => {
                self.change(|shown| shown.desk.replace(view));
            }
            Update::Alerts(view) => {
                let known = self.change(|shown| std::mem::replace(&mut shown.alerts, Arc::clone(&view)));
                if known != view {
                    self.notice(&mut writer, Topic::Alerts);
                }
            }
            Update::Broadcast(broadcast) => {
                let hidden = self.0.audience == Audience::Veiled
                    || (self.0.audience == Audience::Public && broadcast.hide_results);
                let known = self.change(|shown| {
                    shown.without_results = hidden;
                    std::mem::replace(&mut shown.broadcast, Arc::clone(&broadcast))
                });
                if known != broadcast {
                    self.notice(&mut writer, Topic::Event);
                }
            }
        }
    }

    /// Sends what changed in rounds and grids since the last call: the shell calls it once a second, so that
    /// a hundred lively boards cost a viewer one frame a second. What has waited for its delay is shown first.
    pub fn beat(&self) {
        if let Some(house) = &self.0.house {
            let mut curtain = lock(&house.curtain);
            house.show(curtain.due(self.now()));
            drop(curtain);
            house.public.beat();
            house.veiled.beat();
        }
        let mut writer = lock(&self.0.writer);
        for (round, tables) in std::mem::take(&mut writer.changed) {
            let (lines, pages) = self.look(|shown| {
                let mut pages: BTreeMap<Topic, Vec<frame::Tile>> = BTreeMap::new();
                for table in &tables {
                    if let Some(game) = shown.games.get(&(round, *table)) {
                        pages.entry(Topic::grid_of(round, *table)).or_default().push(frame::tile(game));
                    }
                }
                (frame::lines(shown, round, Some(&tables)), pages)
            });
            if !lines.is_empty() {
                self.send(&mut writer, Topic::Round(round), "round", &frame::json(&lines));
            }
            for (page, tiles) in pages {
                self.send(&mut writer, page, "grid", &frame::json(&tiles));
            }
        }
    }

    /// A new round is paired: the frames of those before need no memory, their views stay. Who still watches one and falls
    /// behind is given its state.
    fn forget_before(&self, writer: &mut Writer, round: RoundNo) {
        let over = |of: RoundNo| of < round;
        writer.told.retain(|(of, _), _| of.0.saturating_add(1) >= round.0);
        for (topic, channel) in lock(&self.0.channels).iter() {
            match topic {
                Topic::Round(of) | Topic::Grid(of, _) | Topic::Game(of, _) if over(*of) => {
                    lock(&channel.ring).forget()
                }
                Topic::Round(_) | Topic::Grid(..) | Topic::Game(..) => {}
                Topic::Event | Topic::Standing | Topic::Alerts => {}
            }
        }
    }

    /// Whether there is such a thing to follow.
    #[must_use]
    pub fn has(&self, topic: Topic) -> bool {
        self.look(|shown| match topic {
            Topic::Event | Topic::Standing | Topic::Alerts => true,
            Topic::Round(round) => shown.rounds.contains_key(&round),
            Topic::Game(round, table) => shown.games.contains_key(&(round, table)),
            Topic::Grid(round, page) => {
                let tables = shown.rounds.get(&round).into_iter().flat_map(|view| &view.pairings);
                tables
                    .filter_map(|pairing| pairing.table)
                    .any(|t| Topic::grid_of(round, t) == Topic::Grid(round, page))
            }
        })
    }

    /// The number of a topic's newest frame; 0: there was none.
    #[must_use]
    pub fn newest(&self, topic: Topic) -> u64 {
        lock(&self.0.channels).get(&topic).map_or(0, |channel| *channel.newest.borrow())
    }

    fn change<T>(&self, change: impl FnOnce(&mut Shown) -> T) -> T {
        change(&mut self.0.shown.write().unwrap_or_else(PoisonError::into_inner))
    }

    fn channel(&self, topic: Topic) -> Arc<Channel> {
        let mut channels = lock(&self.0.channels);
        Arc::clone(
            channels.entry(topic).or_insert_with(|| {
                Arc::new(Channel { ring: Mutex::default(), newest: watch::Sender::new(0) })
            }),
        )
    }

    /// "Something here is new": pages fetch it again.
    fn notice(&self, writer: &mut Writer, topic: Topic) {
        self.send(writer, topic, "notice", &frame::notice(topic));
    }

    fn send(&self, writer: &mut Writer, topic: Topic, event: &str, data: &str) {
        writer.seq += 1;
        let mark = Mark { boot: self.0.boot, audience: self.0.audience, seq: writer.seq };
        let channel = self.channel(topic);
        lock(&channel.ring).push(Frame { seq: mark.seq, bytes: frame::bytes(mark, event, data) });
        channel.newest.send_replace(mark.seq);
    }
}

impl fmt::Debug for Hub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hub").field("mark", &self.mark()).finish_non_exhaustive()
    }
}
