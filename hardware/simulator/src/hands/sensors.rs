//! From what stands on the points to what their sensors show: dead and stuck points, drop-outs, ghosts, bounces.

use xiangqi::Point;

use crate::dice::Dice;
use crate::man::{Man, Stand};
use crate::noise::Noise;

/// From this instant on a point holds this, ms of the script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    pub at: i64,
    pub point: Point,
    pub man: Option<Man>,
}

/// For a while a point shows something else than what stands there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mask {
    pub point: Point,
    pub from: i64,
    pub to: i64,
    /// `None`: nothing is shown; a man: he is shown if nothing stands there.
    pub shows: Option<Man>,
}

/// A piece that is on a point for so long rests there, ms; slides are faster.
const RESTS: i64 = 1_000;

/// What the sensors show at the beginning, and every change of it.
pub(crate) fn show(
    start: &Stand,
    placed: &[Placed],
    masks: &[Mask],
    noise: &Noise,
    dice: &mut Dice,
) -> (Stand, Vec<Placed>) {
    let mut shown = *start;
    let mut changes = Vec::new();
    for point in Point::ALL {
        let mut stands: Vec<(i64, Option<Man>)> =
            placed.iter().filter(|one| one.point == point).map(|one| (one.at, one.man)).collect();
        stands.sort_by_key(|(at, _)| *at);
        let masks: Vec<&Mask> = masks.iter().filter(|mask| mask.point == point).collect();
        let at_time = |at: i64| {
            let man = stands
                .iter()
                .rev()
                .find(|(since, _)| *since <= at)
                .map_or(start[point.index()], |(_, man)| *man);
            let mut active = masks.iter().filter(|mask| mask.from <= at && at < mask.to).peekable();
            if active.peek().is_none() {
                return man;
            }
            if active.clone().any(|mask| mask.shows.is_none()) {
                None
            } else {
                man.or(active.next().and_then(|mask| mask.shows))
            }
        };
        let mut instants: Vec<i64> = stands.iter().map(|(at, _)| *at).collect();
        instants.extend(masks.iter().flat_map(|mask| [mask.from, mask.to]));
        // What goes on for ever neither begins nor ends.
        instants.retain(|at| (i64::MIN + 1..i64::MAX).contains(at));
        instants.sort_unstable();
        instants.dedup();
        let mut now = at_time(i64::MIN);
        shown[point.index()] = now;
        for (index, &at) in instants.iter().enumerate() {
            let next = at_time(at);
            if next == now {
                continue;
            }
            changes.push(Placed { at, point, man: next });
            if dice.chance(noise.bounce) {
                let back = at + dice.between(3, 12);
                let again = back + dice.between(3, 13);
                if instants.get(index + 1).is_none_or(|following| *following > again) {
                    changes.push(Placed { at: back, point, man: now });
                    changes.push(Placed { at: again, point, man: next });
                }
            }
            now = next;
        }
    }
    changes.sort_by_key(|change| change.at);
    (shown, changes)
}

/// Ghosts and flickers over the whole script.
pub(crate) fn disturbances(
    start: &Stand,
    placed: &[Placed],
    end: i64,
    noise: &Noise,
    dice: &mut Dice,
) -> Vec<Mask> {
    let mut masks = Vec::new();
    let men: Vec<Man> = Man::all().collect();
    for from in instants(noise.ghost, end, dice) {
        if let (Some(point), Some(man)) = (dice.pick(&Point::ALL), dice.pick(&men)) {
            masks.push(Mask { point, from, to: from + dice.between(20, 300), shows: Some(man) });
        }
    }
    let (mut stand, mut next) = (*start, 0);
    for from in instants(noise.flicker, end, dice) {
        while let Some(one) = placed.get(next).filter(|one| one.at <= from) {
            stand[one.point.index()] = one.man;
            next += 1;
        }
        let occupied: Vec<Point> =
            Point::ALL.into_iter().filter(|point| stand[point.index()].is_some()).collect();
        if let Some(point) = dice.pick(&occupied) {
            masks.push(Mask { point, from, to: from + dice.between(20, 200), shows: None });
        }
    }
    masks
}

/// Instants up to `end` with this mean time between them; none if that is 0.
fn instants(mean: f64, end: i64, dice: &mut Dice) -> Vec<i64> {
    let mut instants = Vec::new();
    if mean > 0.0 {
        let mut at = dice.exponential(mean);
        while at < end as f64 {
            instants.push(at as i64);
            at += dice.exponential(mean);
        }
    }
    instants
}

/// From when on, not before `from`, a point holds what is asked for; `placed` is in order of time.
pub(crate) fn first(
    start: &Stand,
    placed: &[Placed],
    point: Point,
    from: i64,
    asked: impl Fn(Option<Man>) -> bool,
) -> Option<i64> {
    let mut holds = start[point.index()];
    for one in placed.iter().filter(|one| one.point == point) {
        if one.at > from && asked(holds) {
            return Some(from.max(0));
        }
        holds = one.man;
        if one.at > from && asked(holds) {
            return Some(one.at);
        }
    }
    asked(holds).then_some(from.max(0))
}

/// From when on, not before `from`, a piece rests on a point and does not merely slide over it; `placed` is in order of
/// time.
pub(crate) fn first_rest(start: &Stand, placed: &[Placed], point: Point, from: i64) -> Option<i64> {
    let mut stands = start[point.index()].map(|_| from);
    for one in placed.iter().filter(|one| one.point == point) {
        match (stands, one.man) {
            (Some(since), None) if one.at.saturating_sub(since.max(from)) >= RESTS => break,
            (Some(_), None) => stands = None,
            (None, Some(_)) => stands = Some(one.at),
            (Some(_), Some(_)) | (None, None) => {}
        }
    }
    stands.map(|since| since.max(from).max(0))
}

/// Where a piece stands, from when to when, up to `end`; `placed` is in order of time.
pub(crate) fn stays(start: &Stand, placed: &[Placed], man: Man, end: i64) -> Vec<(Point, i64, i64)> {
    let mut stays = Vec::new();
    let mut stands = Point::ALL.into_iter().find(|point| start[point.index()] == Some(man)).map(|at| (at, 0));
    for one in placed.iter().filter(|one| one.at <= end) {
        match stands {
            Some((point, from)) if one.point == point && one.man != Some(man) => {
                stays.push((point, from, one.at));
                stands = None;
            }
            Some(_) | None => {}
        }
        if one.man == Some(man) {
            stands = Some((one.point, one.at));
        }
    }
    stays.extend(stands.map(|(point, from)| (point, from, end)));
    stays
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dead_point_shows_nothing_whatever_comes_to_stand_on_it() {
        let point = Point::ALL[40];
        let start = [None; Point::COUNT];
        let placed = [Placed { at: 5_000, point, man: Man::all().next() }];
        let dead = [Mask { point, from: i64::MIN, to: i64::MAX, shows: None }];
        let noise = Noise::named("N1").expect("a profile");
        let (shown, changes) = show(&start, &placed, &dead, &noise, &mut Dice::new(1));
        assert_eq!((shown, changes), (start, Vec::new()));
    }
}
