use core::pin::pin;
use core::task::{Context, Poll, Waker};

use super::*;
use crate::model_flash::ModelFlash;

const PAGE: usize = 4_096;
/// The smallest range: pages turn over soon.
const PAGES: usize = 8;

type Flash = ModelFlash<PAGE>;

/// This flash never waits.
fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("it waits"),
    }
}

/// A start on this flash with power for so many bytes; the flash as it is then.
fn with<T>(flash: Flash, power: u32, work: impl AsyncFnOnce(&mut Keep<Flash>) -> T) -> (T, Flash) {
    let range = 0..flash.bytes.len() as u32;
    let mut keep = Keep::new(Flash { power, ..flash }, range);
    let done = now(work(&mut keep));
    (done, keep.flash)
}

fn clock(left: u32, running: Option<Half>) -> KeptClock {
    let left = ByHalf { a: Millis(left), b: Millis(3_600_000) };
    let setting = ClockSetting { face: ClockFace { left, running }, increment: Millis(5_000) };
    KeptClock { setting, paused: false }
}

#[test]
fn starts_are_counted_from_one_for_ever() {
    let mut flash = Flash::of_pages(PAGES);
    for expected in 1..700 {
        let (start, after) = with(flash, u32::MAX, async |keep| keep.count_start().await);
        assert_eq!(start, Ok(BootId(expected)));
        flash = after;
    }
}

#[test]
fn no_start_number_is_given_twice_whatever_byte_the_power_goes_at() {
    // A flash on which a page is nearly full, so that pages turn over and are erased among the cuts.
    let mut flash = Flash::of_pages(PAGES);
    for _ in 0..300 {
        flash = with(flash, u32::MAX, async |keep| keep.count_start().await).1;
    }
    let mut last = 300;
    let mut cut = 0;
    for power in (0..60).cycle().take(1_200) {
        let (start, after) = with(flash, power, async |keep| keep.count_start().await);
        flash = after;
        match start {
            Ok(start) => {
                assert!(start.0 > last, "start {} after start {last}", start.0);
                last = start.0;
            }
            Err(FlashFailed) => cut += 1,
        }
    }
    assert!(cut > 200 && last > 700, "{cut} cuts, {last} starts: both happened often");
}

#[test]
fn a_clock_cut_off_at_any_byte_is_as_it_was_before_or_after_that_write() {
    let mut flash = Flash::of_pages(PAGES);
    flash = with(flash, u32::MAX, async |keep| keep.keep_clock(clock(5_000_000, None)).await).1;
    let mut stands = clock(5_000_000, None);
    let mut cut = 0;
    for (nth, power) in (0..90).cycle().take(1_000).enumerate() {
        let next = clock(5_000_000 - nth as u32, Some(Half::A));
        let (done, after) = with(flash, power, async |keep| keep.keep_clock(next).await);
        let (kept, after) = with(after, u32::MAX, async |keep| keep.clock().await);
        flash = after;
        let kept = kept.expect("one of the two");
        match done {
            Ok(()) => assert_eq!(kept, next),
            Err(FlashFailed) => {
                cut += 1;
                assert!([stands, next].contains(&kept), "write {nth} cut at byte {power}: {kept:?}");
            }
        }
        stands = kept;
    }
    assert!(cut > 200, "{cut} cuts");
}

#[test]
fn a_calibration_cut_off_at_any_byte_is_the_old_one_or_the_new_one() {
    let old = Calibration::of_empty_board([2_000; Cell::COUNT]);
    let new = Calibration::of_empty_board(core::array::from_fn(|cell| 2_040 + cell as u16));
    let flash = with(Flash::of_pages(PAGES), u32::MAX, async |keep| keep.keep_calibration(&old).await).1;
    for power in 0..250 {
        let (done, after) = with(flash.clone(), power, async |keep| keep.keep_calibration(&new).await);
        let (kept, _) = with(after, u32::MAX, async |keep| keep.calibration().await);
        let expected = if done.is_ok() { vec![&new] } else { vec![&old, &new] };
        assert!(expected.contains(&&kept.unwrap()), "cut at byte {power}");
    }
}

#[test]
fn a_damaged_calibration_is_not_used() {
    let kept = Calibration::of_empty_board([2_000; Cell::COUNT]);
    let flash = with(Flash::of_pages(PAGES), u32::MAX, async |keep| keep.keep_calibration(&kept).await).1;
    let written: Vec<usize> = (0..PAGE - 8).filter(|&at| flash.bytes[at] != 0xff).collect();
    for &at in written.iter().skip(20).step_by(7) {
        let mut damaged = flash.clone();
        damaged.bytes[at] ^= 0x10;
        let (found, _) = with(damaged, u32::MAX, async |keep| keep.calibration().await);
        assert!(found.is_none() || found.as_ref() == Some(&kept), "byte {at}: {found:?}");
    }
}

#[test]
fn room_is_made_only_while_nothing_runs_and_two_hours_fit_into_it() {
    let kept = with(Flash::of_pages(64), u32::MAX, async |keep| {
        keep.keep_clock(clock(1, None)).await?;
        let before = keep.flash.erased;
        // Every two seconds, and 300 presses.
        for nth in 0..3_900 {
            keep.keep_clock(clock(nth, Some(Half::A))).await?;
        }
        let after = keep.flash.erased;
        keep.keep_clock(clock(9, None)).await?;
        Ok::<_, FlashFailed>((after - before, keep.flash.erased - after))
    });
    assert_eq!(kept.0, Ok((0, 30)));
    assert_eq!(with(kept.1, u32::MAX, async |keep| keep.clock().await).0, Some(clock(9, None)));
}

#[test]
fn a_clock_at_rest_outlives_a_cut_while_room_is_made() {
    let flash = with(Flash::of_pages(PAGES), u32::MAX, async |keep| keep.keep_clock(clock(77, None)).await).1;
    for power in 0..60 {
        // A start does not know how worn the log is, so the first clock at rest makes room.
        let next = clock(76, None);
        let (done, after) = with(flash.clone(), power, async |keep| keep.keep_clock(next).await);
        let (kept, _) = with(after, u32::MAX, async |keep| keep.clock().await);
        let expected = if done.is_ok() { vec![next] } else { vec![clock(77, None), next] };
        assert!(expected.contains(&kept.unwrap()), "cut at byte {power}: {kept:?}");
    }
}

#[test]
fn words_that_outlive_a_reset_are_believed_only_whole() {
    for kept in [
        clock(5, None),
        clock(0, Some(Half::A)),
        clock(u32::MAX, Some(Half::B)),
        KeptClock { paused: true, ..clock(7, None) },
    ] {
        let words = kept.to_words();
        assert_eq!(KeptClock::from_words(words), Some(kept));
        for bit in 0..32 * CLOCK_WORDS {
            let mut damaged = words;
            damaged[bit / 32] ^= 1 << (bit % 32);
            assert_eq!(KeptClock::from_words(damaged), None, "bit {bit}");
        }
    }
    assert_eq!(KeptClock::from_words([0; CLOCK_WORDS]), None, "what power-on leaves there");
}

#[test]
fn a_power_cut_stops_what_ran_and_only_that() {
    let ran = clock(5, Some(Half::A)).after_power_cut();
    assert_eq!((ran.setting.face.running, ran.paused), (None, true));
    let waits = clock(5, None).after_power_cut();
    assert!(!waits.paused, "a clock that waits for its first press still does");
}
