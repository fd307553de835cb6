//! The timeline of a table (时间轴): what happened in a span of time, as its arbiter is shown it.

use arbitration::{Game, RecordedPly};
use capture::{Doubt, Finding, PlyNo, Why};
use firmware_proto::Epoch;
use tournament::TableNo;
use xiangqi::notation::{self, Notation};
use xiangqi::{Piece, Point, Side};

use crate::Hall;
use crate::trace::Told;
use crate::view::{Moment, MomentView, RivalView, TimelineView, WhyView};

/// A piece stands so long after its sensor first showed it, ms, at most, before its ply is timed.
const PLACED_WITHIN: i64 = 100;

impl Hall {
    /// What happened at a table from one instant to another, its game's own; `None`: no game there.
    #[must_use]
    pub fn timeline(&self, no: TableNo, from: Epoch, to: Epoch) -> Option<TimelineView> {
        let (game, table) = (self.game(no)?, self.tables.get(no)?);
        let began = game.began();
        let ours = || table.trace().all().filter(|(at, _)| *at >= began);
        let within = |at: Epoch| from <= at && at <= to;
        let mut moments: Vec<MomentView> = ours()
            .filter(|(at, _)| within(*at))
            .filter_map(|(at, told)| Some(MomentView { at, what: moment(told, at, game)? }))
            .collect();
        for (id, alert) in self.alerts.about(no) {
            let (code, severity) = (alert.notice.code, alert.notice.severity);
            if within(alert.notice.at) && alert.raised >= began {
                moments.push(MomentView { at: alert.notice.at, what: Moment::Alert { id, code, severity } });
            }
        }
        for one in self.decisions(Some(no)) {
            if within(one.at) && one.at >= began {
                let what = Moment::Decided { no: one.no, by: one.by, act: Box::new(one.act) };
                moments.push(MomentView { at: one.at, what });
            }
        }
        // Stable: at one instant, what the devices told comes first.
        moments.sort_by_key(|moment| moment.at);
        Some(TimelineView {
            table: no,
            from,
            to,
            first: ours().next().map(|(at, _)| at),
            ran: ran(ours(), from, to),
            moments,
        })
    }
}

/// Whose time ran when, by what the clock told.
fn ran<'a>(
    all: impl Iterator<Item = (Epoch, &'a Told)>,
    from: Epoch,
    to: Epoch,
) -> Vec<(Epoch, Epoch, Side)> {
    let mut spans = Vec::new();
    let mut running: Option<(Side, Epoch)> = None;
    let mut close = |running: Option<(Side, Epoch)>, at: Epoch| {
        if let Some((side, since)) = running {
            let (since, until) = (since.max(from), at.min(to));
            if since < until {
                spans.push((since, until, side));
            }
        }
    };
    for (at, told) in all {
        let now = match told {
            Told::Pressed(side, _) => Some(side.opposite()),
            Told::Flagged(..) => None,
            Told::Clock(_, running) => *running,
            Told::Lifted(_)
            | Told::Placed(_)
            | Told::Signalled(..)
            | Told::Fault(..)
            | Told::Lost
            | Told::Linked(..)
            | Told::Found(_) => continue,
        };
        if at > to {
            break;
        }
        close(running, at);
        running = now.map(|side| (side, at));
    }
    close(running, to);
    spans
}

/// What the record says stood on a point just before an instant.
fn stood(game: &Game, point: Point, at: Epoch) -> Option<Piece> {
    let before = game.plies().partition_point(|ply| ply.read.at < at);
    let position =
        before.checked_sub(1).and_then(|last| game.plies().get(last)).map_or(game.start(), |ply| &ply.after);
    position.piece_at(point)
}

/// The piece that was put on a point: of the ply that ended there then, or the one that belongs there.
fn put(game: &Game, point: Point, at: Epoch) -> Option<Piece> {
    let this = |ply: &&RecordedPly| {
        ply.read.mv.to == point && (-PLACED_WITHIN..=PLACED_WITHIN).contains(&ply.read.at.since(at))
    };
    let played = game.plies().iter().find(this).and_then(|ply| ply.after.piece_at(point));
    played.or_else(|| stood(game, point, at))
}

fn moment(told: &Told, at: Epoch, game: &Game) -> Option<Moment> {
    Some(match told {
        Told::Lifted(point) => Moment::Lifted { point: *point, piece: stood(game, *point, at) },
        Told::Placed(point) => Moment::Placed { point: *point, piece: put(game, *point, at) },
        Told::Pressed(side, left_ms) => Moment::Pressed { side: *side, left_ms: *left_ms },
        Told::Flagged(side, left_ms) => Moment::Flagged { side: *side, left_ms: *left_ms },
        Told::Clock(left_ms, running) => Moment::Clock { left_ms: *left_ms, running: *running },
        Told::Signalled(side, signal) => Moment::Signalled { side: *side, signal: *signal },
        Told::Fault(point) => Moment::Fault { point: *point },
        Told::Lost => Moment::Lost,
        Told::Linked(board, clock) => Moment::Linked { board: *board, clock: *clock },
        Told::Found(finding) => found(finding, game)?,
    })
}

/// Why a ply was read; the rival's ply in the field's notation where it can be written so.
fn why_view(no: PlyNo, why: &Why, game: &Game) -> WhyView {
    let before = no.0.checked_sub(2).and_then(|index| game.plies().get(usize::from(index)));
    let position = before.map_or(game.start(), |ply| &ply.after);
    let rival = why.rival.as_ref().map(|rival| {
        let mv = rival.line.first().copied();
        let written = mv.filter(|mv| position.legality(*mv).is_ok());
        let name = |notation| written.map(|mv| notation::write(notation, position, mv));
        let (zh, wxf) = (name(Notation::Chinese), name(Notation::Wxf));
        RivalView { mv, zh, wxf, dearer: rival.dearer }
    });
    WhyView { lifted: why.lifted.is_some(), placed: why.placed.is_some(), untouched: why.untouched, rival }
}

fn found(finding: &Finding, game: &Game) -> Option<Moment> {
    Some(match finding {
        Finding::Read(read) => {
            // As it stands in the record, if it still does.
            let ply = game.ply(read.no).filter(|ply| ply.read.mv == read.mv);
            Moment::Read {
                no: read.no,
                mv: read.mv,
                zh: ply.map(|ply| ply.zh.clone()),
                wxf: ply.map(|ply| ply.wxf.clone()),
                irregular: read.irregular.is_some(),
                why: read.why.as_deref().map(|why| why_view(read.no, why, game)),
            }
        }
        Finding::Confirmed(no, _, by) => Moment::Confirmed { no: *no, by: *by },
        Finding::Withdrawn(from) => Moment::Withdrawn { from: *from },
        Finding::Mismatch { points, .. } => Moment::Differs { points: points.clone() },
        Finding::Disturbed { points, .. } => Moment::Disturbed { points: points.clone() },
        Finding::Restored(_) | Finding::SetUpRight => Moment::AsRecorded,
        Finding::PressWithoutMove(side, _) => Moment::PressedWithoutMove { side: *side },
        Finding::ClockTurned(..) => Moment::ClockTurned,
        Finding::TouchMove { side, touched, played, held } => {
            Moment::Touched { side: *side, point: *touched, played: *played, held_ms: *held }
        }
        Finding::Ambiguous { from, doubt: Doubt::Missed, .. } => {
            Moment::Ambiguous { from: PlyNo(from.0 + 1), readings: 0 }
        }
        Finding::Ambiguous { from, lines, .. } => Moment::Ambiguous { from: *from, readings: lines.len() },
        Finding::SetUp { wrong } => {
            Moment::Differs { points: wrong.iter().map(|(point, _)| *point).collect() }
        }
        Finding::Suspects { points } => Moment::Suspects { points: points.clone() },
        Finding::BadPoint { point, .. } => Moment::Fault { point: Some(*point) },
        Finding::Locked(_) => return None,
    })
}
