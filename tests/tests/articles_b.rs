//! Regulation b (a provincial team league), article by article where it differs from a, played on a virtual table.

#![allow(clippy::unwrap_used)] // A test may fall over.

use arbitration::{AlertCode, Ending, Evidence, GameResult, Misconduct};
use capture::PlyNo;
use hall::Act;
use tests::Table;
use tests::openings::{CHASE_FROM, CHASES, CHECK_FROM, CHECKS, QUIET};
use tests::table::{ROUND, TABLE};
use xiangqi::Side;

/// A table under regulation b whose game has begun.
fn table() -> Table {
    Table::begun("b")
}

#[test]
fn b_2_30_minutes_each_and_5_seconds_a_move_stand_on_the_clock() {
    let mut table = Table::under("b");
    assert_eq!(table.face(), ([1_800, 1_800], None));
    table.begins().plays("炮二平五");
    assert_eq!(table.face().0[0], 1_802);
}

#[test]
fn b_3_who_is_ten_minutes_late_forfeits() {
    let mut table = table();
    // Black started Red's clock; nobody plays Red.
    table.passes(10 * 60_000);
    let alert = table.alert(AlertCode::Absent);
    assert!(matches!(&alert.data, Evidence::Absent { sides, .. } if *sides == [Side::Red]), "{alert:?}");
    assert!(alert.proposal[0].contains("弃权"), "{:?}", alert.proposal);
    assert_eq!(table.result(), None);
    table.remedy(AlertCode::Absent, 0);
    assert_eq!(table.result(), Some((GameResult::BlackWins, Ending::Forfeit)));
    assert_eq!(table.face().1, None);
}

#[test]
fn b_3_both_late_is_a_double_forfeit() {
    let mut table = Table::under("b");
    table.passes(10 * 60_000).remedy(AlertCode::Absent, 0);
    assert_eq!(table.result(), Some((GameResult::BothLose, Ending::Forfeit)));
    let standing = table.hall.standing_view().unwrap();
    assert!(standing.rows.iter().all(|row| row.values[0] == "0"), "{:?}", standing.rows);
}

#[test]
fn b_3_the_telephone_loses_and_so_does_smoking() {
    for what in [Misconduct::Phone, Misconduct::Smoking] {
        let mut table = table();
        table.plays("炮二平五").arbiter(Act::Misconduct { table: TABLE, side: Side::Red, what });
        let alert = table.alert(AlertCode::Phone);
        assert!(alert.proposal[0].contains("判红方负"), "{:?}", alert.proposal);
        table.remedy(AlertCode::Phone, 0);
        assert_eq!(table.result(), Some((GameResult::BlackWins, Ending::Misconduct)));
    }
}

#[test]
fn b_3_advice_is_warned_of_first() {
    let mut table = table();
    table.arbiter(Act::Misconduct { table: TABLE, side: Side::Black, what: Misconduct::Advice });
    table.remedy(AlertCode::Phone, 0);
    assert_eq!((table.view().warnings, table.result()), ([0, 1], None));
}

#[test]
fn b_4_the_natural_limit_is_35_rounds_since_the_last_capture() {
    let mut table = table();
    // One capture, then 35 quiet rounds.
    table.plays_all("h2h9 i9h9");
    for _ in 0..17 {
        table.plays_all(QUIET);
    }
    assert_eq!((table.view().limit.left, table.has(AlertCode::LimitDone)), (1, false));
    table.plays_all("a0a1 a9a8");
    let alert = table.alert(AlertCode::LimitDone);
    assert!(alert.proposal[0].contains("判和"), "{:?}", alert.proposal);
    table.remedy(AlertCode::LimitDone, 0);
    assert_eq!(table.result(), Some((GameResult::Draw, Ending::NaturalLimit)));
}

#[test]
fn b_4_checks_and_chases_do_not_count_and_a_capture_begins_anew() {
    let mut table = table();
    table.plays_all(CHECK_FROM).plays_all(CHECKS);
    let limit = table.view().limit;
    // On its way, with its fifth ply, the chariot attacked a cannon (捉); then it checked twice (将).
    assert_eq!((limit.all, limit.counted), ([6, 6], [3, 6]), "{limit:?}");
    assert_eq!(limit.excluded, [PlyNo(5), PlyNo(9), PlyNo(11)]);
    let mut table = self::table();
    table.plays_all(CHASE_FROM).plays_all(CHASES);
    let limit = table.view().limit;
    assert_eq!(limit.excluded, [PlyNo(7), PlyNo(9)], "{limit:?}");
    table.plays_all("d4d9");
    assert_eq!(table.view().limit.all, [0, 0]);
}

#[test]
fn b_5_pieces_disturbed_in_the_opponents_time_give_him_two_minutes() {
    let mut table = table();
    table.plays("炮二平五").knocks_over("a3 c3 e3 g3");
    let ([_, before], _) = table.face();
    table.remedy(AlertCode::TouchOppTime, 0);
    let ([_, after], running) = table.face();
    assert!((119..=120).contains(&(after - before)), "{before} {after}");
    assert_eq!((table.fouls(), running), ([0, 0], Some(Side::Black)), "no foul under b");
    table.puts_them_back();
    assert_eq!(table.open(), []);
}

#[test]
fn b_5_and_lose_the_game_if_he_has_less_than_two_minutes() {
    let mut table = table();
    table.plays("炮二平五").clocks_stand_at(600, 119, Side::Black).knocks_over("a3 c3 e3 g3");
    let alert = table.alert(AlertCode::TouchOppTime);
    assert!(alert.proposal[0].contains("建议：判红方负"), "{:?}", alert.proposal);
    table.remedy(AlertCode::TouchOppTime, 0);
    assert_eq!(table.result(), Some((GameResult::BlackWins, Ending::Foul)));
}

#[test]
fn b_5_two_minutes_exactly_are_not_less_than_two() {
    let mut table = table();
    table.plays("炮二平五").clocks_stand_at(600, 125, Side::Black).knocks_over("a3 c3 e3 g3");
    assert!(table.alert(AlertCode::TouchOppTime).proposal[0].contains("加2分钟"));
}

#[test]
fn b_6_the_first_flag_is_proposed_as_a_loss_and_left_to_the_arbiter() {
    let mut table = table();
    table.plays("炮二平五").clocks_stand_at(300, 4, Side::Black).flag(Side::Black);
    assert_eq!(table.result(), None);
    let alert = table.alert(AlertCode::Flag);
    let Evidence::Flags { fallen, last_press, .. } = &alert.data else { panic!("{alert:?}") };
    assert!(fallen.black.is_some() && fallen.red.is_none());
    assert_eq!(last_press.map(|(side, _)| side), Some(Side::Red));
    table.remedy(AlertCode::Flag, 0);
    assert_eq!(table.result(), Some((GameResult::RedWins, Ending::Flag)));
    table.survives_a_restart();
}

#[test]
fn b_6_both_flags_before_the_first_was_acted_on_are_a_draw_and_both_instants_are_kept() {
    let mut table = table();
    table.plays("炮二平五").clocks_stand_at(6, 4, Side::Black).flag(Side::Black);
    assert!(table.has(AlertCode::Flag));
    // Black moves on, nobody has noticed; then Red's time runs out too.
    table.plays("马８进７").flag(Side::Red);
    assert!(!table.has(AlertCode::Flag), "one alert for one decision: {:?}", table.open());
    let alert = table.alert(AlertCode::FlagBoth);
    let Evidence::Flags { fallen, .. } = &alert.data else { panic!("{alert:?}") };
    let (red, black) = (fallen.red.unwrap(), fallen.black.unwrap());
    assert!(red.since(black) > 6_000, "Black's fell first: {black:?} {red:?}");
    assert_eq!(table.face().0, [0, 0]);
    assert!(alert.proposal[0].contains("判和"), "{:?}", alert.proposal);
    table.remedy(AlertCode::FlagBoth, 0);
    assert_eq!(table.result(), Some((GameResult::Draw, Ending::BothFlags)));
}

#[test]
fn b_6_a_clock_at_fault_gets_its_time_back_and_the_game_goes_on() {
    let mut table = table();
    table.plays("炮二平五").clocks_stand_at(300, 4, Side::Black).flag(Side::Black);
    table.remedy(AlertCode::Flag, 1);
    let ([_, black], running) = table.face();
    assert!(
        (59..=60).contains(&black) && running == Some(Side::Black),
        "a minute back on the clock: {black}"
    );
    assert_eq!((table.result(), table.has(AlertCode::Flag)), (None, false));
    table.plays("马８进７");
    assert_eq!(table.record(), "炮二平五 马８进７");
}

#[test]
fn b_results_are_corrected_with_trace_and_the_correction_can_be_undone() {
    let mut table = table();
    table.plays("炮二平五");
    let end = |result| Act::Result {
        round: ROUND,
        table: TABLE,
        outcome: arbitration::Outcome { result, ending: Ending::Ruling },
    };
    table.arbiter(end(GameResult::RedWins)).arbiter(end(GameResult::Draw));
    let last = table.hall.decisions(Some(TABLE))[0].clone();
    assert_eq!(last.by.name(), "裁判员");
    table.arbiter(Act::Undo(last.no));
    assert_eq!(table.result(), Some((GameResult::RedWins, Ending::Ruling)));
}
