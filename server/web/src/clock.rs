//! Clocks as pages show them.

use hall::view::{ClocksView, Epoch};
use maud::{Markup, html};
use xiangqi::Side;

use crate::frame::LOW_MS;

/// Time left of a side at `now`, as the viewer sees it.
#[must_use]
pub fn left(clocks: &ClocksView, side: Side, now: Epoch) -> u32 {
    let base = match side {
        Side::Red => clocks.red_ms,
        Side::Black => clocks.black_ms,
    };
    if clocks.running == Some(side) {
        let ran = u32::try_from(now.since(clocks.at).max(0)).unwrap_or(u32::MAX);
        base.saturating_sub(ran)
    } else {
        base
    }
}

/// `mm:ss`, from an hour on `h:mm:ss`. A begun second counts whole, as chess clocks show it: 0:00 means none left.
#[must_use]
pub fn text(ms: u32) -> String {
    let s = ms.div_ceil(1000);
    let (h, m, s) = (s / 3600, s / 60 % 60, s % 60);
    if h > 0 { format!("{h}:{m:02}:{s:02}") } else { format!("{m:02}:{s:02}") }
}

/// One side's clock; `app.js` runs it by the `data-` attributes of the element around both.
#[must_use]
pub fn clock(clocks: &ClocksView, side: Side, now: Epoch, class: &str) -> Markup {
    let ms = left(clocks, side, now);
    let on = clocks.running == Some(side);
    let key = match side {
        Side::Red => "r",
        Side::Black => "b",
    };
    html! {
        time class={ (class) @if on { " on" } @if ms < LOW_MS { " low" } @if ms == 0 { " flag" }
            @if clocks.estimated { " est" } } data-k=(key) { (text(ms)) }
    }
}

/// Attributes of the element around both clocks, `name`, `value`.
#[must_use]
pub fn running(clocks: &ClocksView) -> &'static str {
    match clocks.running {
        Some(Side::Red) => "red",
        Some(Side::Black) => "black",
        None => "",
    }
}

/// Seconds of a move: `26″`, from a minute on `4′12″`.
#[must_use]
pub fn used(ms: u32) -> String {
    let s = ms / 1000;
    if s < 60 { format!("{s}″") } else { format!("{}′{:02}″", s / 60, s % 60) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_reads_zero_only_when_no_time_is_left() {
        assert_eq!(text(0), "00:00");
        assert_eq!(text(1), "00:01");
        assert_eq!(text(59_001), "01:00");
        assert_eq!(text(3_600_000), "1:00:00");
    }

    #[test]
    fn only_the_running_side_loses_time_and_none_below_zero() {
        let clocks = ClocksView {
            red_ms: 5000,
            black_ms: 9000,
            running: Some(Side::Red),
            at: Epoch(1000),
            estimated: false,
        };
        assert_eq!(left(&clocks, Side::Red, Epoch(3000)), 3000);
        assert_eq!(left(&clocks, Side::Red, Epoch(90_000)), 0);
        assert_eq!(left(&clocks, Side::Black, Epoch(90_000)), 9000);
        assert_eq!(left(&clocks, Side::Red, Epoch(0)), 5000, "a reading from the future does not add time");
    }
}
