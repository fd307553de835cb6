//! A whole event as one deterministic machine: routes observations to tables, runs rounds, keeps the alert board.
//!
//! Pure. [`Hall::handle`] takes an [`Input`] and gives [`Outputs`]; the shell commits observations, journal
//! entries and cursor in one transaction and only then lets commands and views leave the process. The state is
//! the fold of the journal: [`Hall::restore`].

mod account;
mod act;
mod alerts;
mod broadcast;
mod check;
mod deeds;
pub mod desk;
mod devices;
mod entry;
mod event;
mod feed;
mod firmware;
mod fold;
mod follow;
mod game_log;
mod hall;
mod health;
mod input;
mod refusal;
mod remedies;
mod render;
mod render_desk;
mod restart;
mod rights;
mod role;
mod round;
mod self_test;
mod table;
mod tables;
mod time;
mod timeline;
mod trace;
mod trouble;
mod undo;
pub mod view;

pub use account::AccountDeed;
pub use broadcast::{Broadcast, Delay, ScreenPage, Showing, Timer};
pub use entry::{Entry, Fact, Pair, Settlement};
pub use event::score;
pub use feed::SKEW;
pub use game_log::{GameLog, NoLog};
pub use hall::{Hall, Outputs};
pub use input::{Act, Actor, Changed, Entrant, Input, Outgoing, ServerFault, TableBinding};
pub use refusal::{Refusal, RestoreError};
pub use rights::Room;
pub use role::Role;
pub use self_test::{PointState, TestFound, TestStep};
