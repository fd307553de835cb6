//! A scene as a drawing: one lane a point that changed, time from left to right, long pauses cut short.

use std::fmt::Write;

use capture::Sense;
use xiangqi::{Piece, Point, Side};

use super::{Event, Happening, Scene, words};

/// Pixels a second.
const SCALE: f64 = 110.0;
/// A pause is drawn no longer than so many ms.
const PAUSE: i64 = 900;
/// Nothing is drawn narrower than this, pixels.
const NARROWEST: f64 = 3.0;
const LEFT: f64 = 46.0;
const LANE: f64 = 20.0;
const TOP: f64 = 34.0;
/// More lanes than these are not drawn: a board that was set up, knocked over.
const MOST_LANES: usize = 40;

/// Where each instant of a scene is drawn.
struct Axis {
    /// Instants with their places, in order.
    stops: Vec<(i64, f64)>,
}

impl Axis {
    fn of(scene: &Scene) -> Axis {
        let mut instants: Vec<i64> = scene.events.iter().map(|event| event.at).collect();
        instants.sort_unstable();
        instants.dedup();
        let mut stops: Vec<(i64, f64)> = Vec::new();
        for at in instants {
            let place = match stops.last() {
                None => LEFT + 20.0,
                Some((before, place)) => {
                    let passed = (at - before).min(PAUSE) as f64 / 1_000.0;
                    place + (passed * SCALE).max(NARROWEST)
                }
            };
            stops.push((at, place));
        }
        Axis { stops }
    }

    fn place(&self, at: i64) -> f64 {
        let index = self.stops.partition_point(|(stop, _)| *stop <= at);
        index.checked_sub(1).map_or(LEFT, |index| self.stops[index].1)
    }

    fn end(&self) -> f64 {
        self.stops.last().map_or(LEFT, |(_, place)| *place) + 40.0
    }

    /// Pauses that were cut short: where, and how long they were.
    fn pauses(&self) -> impl Iterator<Item = (f64, i64)> + '_ {
        self.stops.windows(2).filter_map(|pair| {
            let ((from, left), (to, right)) = (pair[0], pair[1]);
            (to - from > PAUSE).then_some((f64::midpoint(left, right), to - from))
        })
    }
}

/// Draws a scene; `numbered` are its events that are told in words, in the order of their numbers.
pub(super) fn draw(scene: &Scene, numbered: &[&Event], began: i64) -> String {
    let axis = Axis::of(scene);
    let mut lanes: Vec<Point> = Vec::new();
    for event in &scene.events {
        if let Happening::Shows(point, _) = event.what
            && !lanes.contains(&point)
        {
            lanes.push(point);
        }
    }
    let hidden = lanes.len().saturating_sub(MOST_LANES);
    lanes.truncate(MOST_LANES);
    let bottom = TOP + LANE * lanes.len() as f64;
    let (width, height) = (axis.end(), bottom + 30.0);
    let mut svg = format!(
        "<svg class=lanes width={width:.0} height={height:.0} viewBox=\"0 0 {width:.0} {height:.0}\" role=img>"
    );
    // Writing to a string cannot fail.
    for (place, passed) in axis.pauses() {
        let _ = write!(
            svg,
            "<text class=pause x={place:.1} y={:.1}>{:.1} s</text><path class=cut d=\"M{place:.1} {TOP}V{bottom:.1}\"/>",
            bottom + 14.0,
            passed as f64 / 1_000.0
        );
    }
    for (index, &point) in lanes.iter().enumerate() {
        lane(&mut svg, scene, point, TOP + LANE * index as f64, &axis);
    }
    for event in &scene.events {
        if let Happening::Pressed(side) = event.what {
            let place = axis.place(event.at);
            let class = colour(side);
            let _ = write!(
                svg,
                "<path class=\"press {class}\" d=\"M{place:.1} {:.1}V{bottom:.1}\"/><text class=\"by {class}\" x={:.1} y={:.1}>{}按钟</text>",
                TOP - 6.0,
                place + 3.0,
                bottom + 26.0,
                side.hanzi()
            );
        }
    }
    let mut last = f64::MIN;
    for (number, event) in numbered.iter().enumerate() {
        let place = axis.place(event.at);
        // Labels of one instant stand beside each other.
        let label = place.max(last + 17.0);
        last = label;
        let _ = write!(
            svg,
            "<path class=\"mark {kind}\" d=\"M{place:.1} {:.1}V{bottom:.1}\"/><circle class=\"mark {kind}\" cx={label:.1} cy=14 r=8 /><text class=number x={label:.1} y=17.5>{}</text>",
            22.0,
            number + 1,
            kind = kind(event),
        );
    }
    let first = scene.events.first().map_or(began, |event| event.at);
    let _ = write!(svg, "<text class=time x=2 y={:.1}>{}</text>", bottom + 14.0, words::time(first, began));
    if hidden > 0 {
        let _ = write!(svg, "<text class=time x=2 y={:.1}>and {hidden} more points</text>", bottom + 27.0);
    }
    svg.push_str("</svg>");
    svg
}

fn lane(svg: &mut String, scene: &Scene, point: Point, y: f64, axis: &Axis) {
    let mut shows = scene.shown[point.index()];
    let mut from = LEFT;
    let _ = write!(
        svg,
        "<text class=point x={:.1} y={:.1}>{point}</text><path class=floor d=\"M{LEFT} {:.1}H{:.1}\"/>",
        LEFT - 6.0,
        y + 14.0,
        y + 10.0,
        axis.end()
    );
    let mut bar = |shows: Sense, from: f64, to: f64| {
        let (class, label) = match shows {
            Sense::Empty => return,
            Sense::Some => ("any", String::new()),
            Sense::Of(side) => (colour(side), side.hanzi().to_string()),
            Sense::Is(Piece { side, .. }) => (colour(side), words::sense(shows)),
        };
        let wide = (to - from).max(NARROWEST);
        let _ = write!(
            svg,
            "<rect class=\"bar {class}\" x={from:.1} y={:.1} width={wide:.1} height=14 rx=3 />",
            y + 3.0
        );
        if wide > 18.0 {
            let _ = write!(svg, "<text class=piece x={:.1} y={:.1}>{label}</text>", from + 4.0, y + 14.0);
        }
    };
    for event in &scene.events {
        if let Happening::Shows(other, next) = event.what
            && other == point
        {
            let place = axis.place(event.at);
            bar(shows, from, place);
            (shows, from) = (next, place);
        }
    }
    bar(shows, from, axis.end());
}

pub(super) fn colour(side: Side) -> &'static str {
    match side {
        Side::Red => "red",
        Side::Black => "black",
    }
}

/// The class of a mark.
pub(super) fn kind(event: &Event) -> &'static str {
    match &event.what {
        Happening::Shows(..) | Happening::Pressed(_) | Happening::Device(_) => "device",
        Happening::Act(_) => "act",
        Happening::Read(ply) if ply.irregular.is_some() => "alert",
        Happening::Read(_) => "read",
        Happening::Said(finding) => match finding {
            capture::Finding::Read(_)
            | capture::Finding::Confirmed(..)
            | capture::Finding::Locked(_)
            | capture::Finding::Restored(_)
            | capture::Finding::SetUpRight => "settled",
            capture::Finding::Withdrawn(_) => "withdrawn",
            capture::Finding::Mismatch { .. }
            | capture::Finding::Disturbed { .. }
            | capture::Finding::PressWithoutMove(..)
            | capture::Finding::ClockTurned(..)
            | capture::Finding::TouchMove { .. }
            | capture::Finding::Ambiguous { .. }
            | capture::Finding::SetUp { .. }
            | capture::Finding::Suspects { .. }
            | capture::Finding::BadPoint { .. } => "alert",
        },
        Happening::Played { .. } | Happening::Trouble(_) => "truth",
    }
}
