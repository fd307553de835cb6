//! Regulation a (a county's mass event), article by article, played on a virtual table.

#![allow(clippy::unwrap_used)] // A test may fall over.

use arbitration::{AlertCode, Ending, Evidence, GameResult, Misconduct, Offence};
use capture::PlyNo;
use firmware_proto::PlayerSignal;
use hall::{Act, Role};
use tests::Table;
use tests::openings::{CHASE_FROM, CHASES, CHECK_FROM, CHECKS, QUIET};
use tests::table::TABLE;
use xiangqi::{Position, Side};

/// Both cannons on the middle file mate (重炮).
const MATE: &str = "h2e2 a9a8 e2e6 a8a9 b2b4 i9i8 b4e4";

/// A table under regulation a whose game has begun.
fn table() -> Table {
    Table::begun("a")
}

#[test]
fn a_3_25_minutes_each_and_5_seconds_a_move_stand_on_the_clock() {
    let mut table = Table::under("a");
    assert_eq!(table.face(), ([1_500, 1_500], None));
    table.begins();
    assert_eq!(table.face().1, Some(Side::Red));
    // Red thinks for about two and a half seconds and gains five.
    table.plays("炮二平五");
    let ([red, black], running) = table.face();
    assert_eq!((red, running), (1_502, Some(Side::Black)));
    assert!((1_499..=1_500).contains(&black));
    assert_eq!(table.view().plies[0].used_ms.map(|ms| ms / 100), Some(27));
}

#[test]
fn a_3_the_first_flag_loses_at_once() {
    let mut table = table();
    table.plays("炮二平五").clocks_stand_at(300, 4, Side::Black).flag(Side::Black);
    assert_eq!(table.result(), Some((GameResult::RedWins, Ending::Flag)));
    assert_eq!(table.face(), ([300, 0], None), "the clock stops where the game ended");
    table.survives_a_restart();
}

#[test]
fn a_5_a_move_is_made_when_the_hand_leaves_the_piece_and_complete_when_pressed() {
    let mut table = table();
    table.moves("炮二平五").passes(1_000);
    assert_eq!((table.plies(), table.view().completed), (1, 0));
    table.presses(Side::Red);
    assert_eq!(table.view().completed, 1);
}

#[test]
fn a_5_a_touched_piece_that_was_put_back_is_told_when_another_moves() {
    let mut table = table();
    table.touches("b0", 900).plays("炮二平五").plays("马８进７");
    let alert = table.alert(AlertCode::TouchMove);
    let Evidence::Touch { side, touched, played, held_ms } = alert.data else { panic!("{alert:?}") };
    assert_eq!((side, touched.to_string(), played), (Side::Red, "b0".to_owned(), PlyNo(1)));
    assert!((850..=950).contains(&held_ms), "{held_ms}");
    // The arbiter takes the move back: the horse has to be moved.
    table.remedy(AlertCode::TouchMove, 0);
    table.puts_up(&Position::start()).plays("马八进七");
    assert_eq!(table.record(), "马八进七");
}

#[test]
fn a_6_a_first_illegal_move_is_a_foul_and_the_position_is_restored() {
    let mut table = table();
    // The horse's leg is blocked by the elephant.
    table.carries_text("b0d1").presses(Side::Red).passes(2_000);
    let alert = table.alert(AlertCode::Illegal);
    let Evidence::Ply { no, side, .. } = &alert.data else { panic!("{alert:?}") };
    assert_eq!((*no, *side), (PlyNo(1), Side::Red));
    assert!(alert.proposal[0].contains("犯规"), "{:?}", alert.proposal);
    table.remedy(AlertCode::Illegal, 0);
    assert_eq!((table.fouls(), table.plies()), ([1, 0], 0));
    assert_eq!(table.face().1, Some(Side::Red), "Red has to move again, in his own time");
    table.puts_up(&Position::start());
    // What is left: one more illegal move loses.
    assert_eq!(table.open(), [AlertCode::FoulEdge]);
    table.plays("马八进七").plays("马８进７");
    assert_eq!(table.record(), "马八进七 马８进７");
    table.survives_a_restart();
}

#[test]
fn a_6_a_second_illegal_move_of_the_same_side_is_proposed_as_a_loss() {
    let mut table = table();
    table.carries_text("b0d1").presses(Side::Red).passes(2_000).remedy(AlertCode::Illegal, 0);
    table.puts_up(&Position::start()).plays("炮二平五").plays("马８进７");
    table.carries_text("b0d1").presses(Side::Red).passes(2_000);
    assert!(table.alert(AlertCode::Illegal).proposal[0].contains("判红方负"));
    assert_eq!(table.result(), None, "a loss is proposed, not imposed");
    table.remedy(AlertCode::Illegal, 0);
    assert_eq!(table.result(), Some((GameResult::BlackWins, Ending::Foul)));
}

#[test]
fn a_6_leaving_the_general_in_check_is_proposed_as_a_loss_the_first_time() {
    let mut table = table();
    // The cannon checks over the advisor; Black answers with something else.
    table.plays_all("h2e2 d9e8 e2e6").carries_text("a9a8").presses(Side::Black).passes(2_000);
    let alert = table.alert(AlertCode::SelfCheck);
    assert!(alert.proposal[0].contains("判黑方负"), "{:?}", alert.proposal);
    assert_eq!(table.result(), None);
    table.remedy(AlertCode::SelfCheck, 0);
    assert_eq!(table.result(), Some((GameResult::RedWins, Ending::Foul)));
}

#[test]
fn a_6_exposing_the_general_can_be_taken_back_by_the_arbiter_if_it_was_no_move() {
    let mut table = table();
    table.plays_all("h2e2 d9e8 e2e6");
    let before = table.position.clone();
    table.carries_text("a9a8").presses(Side::Black).passes(2_000).remedy(AlertCode::SelfCheck, 1);
    table.puts_up(&before).plays("e8d9");
    assert_eq!(table.plies(), 4);
    assert_eq!(table.result(), None);
}

#[test]
fn a_7_a_draw_is_offered_and_accepted_with_the_buttons() {
    let mut table = table();
    table.plays("炮二平五").signals(Side::Red, PlayerSignal::Draw);
    let alert = table.alert(AlertCode::DrawOffer);
    assert!(matches!(alert.data, Evidence::DrawOffer { side: Side::Red, claimable: true, plies: 1, .. }));
    table.signals(Side::Black, PlayerSignal::Draw);
    assert_eq!(table.result(), Some((GameResult::Draw, Ending::Agreement)));
    assert!(!table.has(AlertCode::DrawOffer));
}

#[test]
fn a_7_who_plays_on_has_declined_the_draw() {
    let mut table = table();
    table.plays("炮二平五").signals(Side::Red, PlayerSignal::Draw).plays("马８进７").passes(500);
    assert!(!table.has(AlertCode::DrawOffer), "{:?}", table.open());
    table.signals(Side::Black, PlayerSignal::Draw);
    assert_eq!(table.result(), None, "the old offer is not accepted by a new one");
}

#[test]
fn a_7_the_natural_limit_is_counted_for_40_rounds_from_the_claim() {
    let mut table = table();
    table.plays_all(QUIET);
    table.arbiter(Act::ClaimLimit { table: TABLE, claim: Some((Side::Red, PlyNo(5))) });
    for _ in 0..19 {
        table.plays_all(QUIET);
    }
    assert!(table.has(AlertCode::LimitNear), "{:?}", table.open());
    let before = table.view().limit;
    assert_eq!((before.left, before.counted, before.claimant), (2, [38, 38], Some(Side::Red)));
    table.plays_all(QUIET);
    let alert = table.alert(AlertCode::LimitDone);
    let Evidence::Limit { left: 0, rounds: 40, ref excluded, .. } = alert.data else { panic!("{alert:?}") };
    assert!(excluded.is_empty());
    table.remedy(AlertCode::LimitDone, 0);
    assert_eq!(table.result(), Some((GameResult::Draw, Ending::NaturalLimit)));
}

#[test]
fn a_7_the_claimants_checks_do_not_count() {
    let mut table = table();
    table.plays_all(CHECK_FROM);
    let from = PlyNo(table.plies() as u16 + 1);
    table.arbiter(Act::ClaimLimit { table: TABLE, claim: Some((Side::Red, from)) });
    table.plays_all(CHECKS);
    let limit = table.view().limit;
    assert_eq!((limit.counted, limit.all, limit.excluded.len()), ([0, 2], [2, 2], 2));
}

#[test]
fn a_8_pieces_disturbed_in_the_opponents_time_give_him_five_minutes_and_the_disturber_a_foul() {
    let mut table = table();
    table.plays("炮二平五");
    // Black's time runs; Red's sleeve knocks four pieces over.
    table.knocks_over("a3 c3 e3 g3");
    let alert = table.alert(AlertCode::TouchOppTime);
    assert!(matches!(alert.data, Evidence::Points { running: Some(Side::Black), .. }), "{alert:?}");
    let ([_, before], _) = table.face();
    table.remedy(AlertCode::TouchOppTime, 0);
    let ([_, after], running) = table.face();
    assert!((299..=300).contains(&(after - before)), "five minutes on Black's own clock: {before} {after}");
    assert_eq!((table.fouls(), running), ([1, 0], Some(Side::Black)));
    assert!(table.view().putting_right);
    table.puts_them_back();
    assert!(!table.view().putting_right, "the board itself tells that all stands right");
    assert_eq!(table.open(), []);
    table.plays("马８进７");
    assert_eq!(table.record(), "炮二平五 马８进７");
}

#[test]
fn a_8_pressing_before_a_move_is_a_foul() {
    let mut table = table();
    table.plays("炮二平五").presses(Side::Black).passes(2_500);
    let alert = table.alert(AlertCode::PressNoMove);
    assert!(matches!(alert.data, Evidence::Press { side: Side::Black, .. }));
    assert_eq!(table.face().1, Some(Side::Red));
    table.remedy(AlertCode::PressNoMove, 0);
    assert_eq!((table.fouls(), table.face().1), ([0, 1], Some(Side::Black)), "his time runs again");
    table.plays("马８进７");
    assert_eq!(table.record(), "炮二平五 马８进７");
}

#[test]
fn a_9_an_error_is_corrected_within_five_rounds_by_an_arbiter_later_only_by_the_chief() {
    let mut table = table();
    table.plays_all("h2e2 h9g7 h0g2 i9h9");
    for _ in 0..2 {
        table.plays_all(QUIET);
    }
    // Twelve plies: the third is within five rounds, the second is not.
    let correct =
        |from, mv: &str| Act::Correct { table: TABLE, from: PlyNo(from), line: vec![mv.parse().unwrap()] };
    let refused = table.act_as(Role::Arbiter, correct(2, "b9c7")).unwrap_err();
    assert!(refused.contains("chief arbiter"), "{refused}");
    assert_eq!(table.plies(), 12);
    table.act_as(Role::Arbiter, correct(3, "b0c2")).unwrap();
    let mut table = self::table();
    table.plays_all("h2e2 h9g7 h0g2 i9h9").plays_all(QUIET).plays_all(QUIET);
    table.act_as(Role::ChiefArbiter, correct(2, "b9c7")).unwrap();
    assert!(table.record().starts_with("炮二平五 马２进３"), "{}", table.record());
}

#[test]
fn a_10_a_draw_may_be_claimed_before_the_last_three_minutes_only() {
    let mut table = table();
    table.plays("炮二平五").plays("马８进７").clocks_stand_at(181, 600, Side::Red);
    table.signals(Side::Red, PlayerSignal::Draw);
    assert!(matches!(table.alert(AlertCode::DrawOffer).data, Evidence::DrawOffer { claimable: true, .. }));
    table.arbiter(Act::DeclineDraw(TABLE));
    assert!(!table.has(AlertCode::DrawOffer));
    table.passes(3_000).signals(Side::Red, PlayerSignal::Draw);
    let alert = table.alert(AlertCode::DrawOffer);
    assert!(matches!(alert.data, Evidence::DrawOffer { claimable: false, attacked: false, .. }), "{alert:?}");
    assert!(alert.evidence[0].contains("不足3分钟"), "{:?}", alert.evidence);
}

#[test]
fn a_10_nor_with_the_general_attacked() {
    let mut table = table();
    table.plays_all("h2e2 d9e8 e2e6").signals(Side::Black, PlayerSignal::Draw);
    let alert = table.alert(AlertCode::DrawOffer);
    assert!(matches!(alert.data, Evidence::DrawOffer { claimable: false, attacked: true, .. }), "{alert:?}");
}

#[test]
fn a_11_1_a_quiet_repetition_is_no_offence_and_is_drawn_when_both_go_on() {
    let mut table = table();
    table.plays_all(QUIET);
    assert!(table.has(AlertCode::RepNear), "{:?}", table.open());
    table.plays_all(QUIET);
    let alert = table.alert(AlertCode::RepDone);
    assert!(matches!(alert.data, Evidence::Repetition { loser: None, must_vary: None, .. }), "{alert:?}");
    assert!(!table.has(AlertCode::RepNear));
    table.plays_all(QUIET);
    let alert = table.alert(AlertCode::RepDeadline);
    assert!(alert.proposal[0].contains("判和"), "{:?}", alert.proposal);
    table.remedy(AlertCode::RepDeadline, 0);
    assert_eq!(table.result(), Some((GameResult::Draw, Ending::Repetition)));
}

#[test]
fn a_11_1_a_repetition_that_is_left_has_passed() {
    let mut table = table();
    table.plays_all(QUIET).plays_all(QUIET).plays("炮二平五");
    assert!(!table.has(AlertCode::RepDone) && !table.has(AlertCode::RepNear), "{:?}", table.open());
    assert_eq!(table.result(), None);
}

#[test]
fn a_11_2_perpetual_check_must_vary_at_once_and_loses_when_persisted() {
    let mut table = table();
    table.plays_all(CHECK_FROM).plays_all(CHECKS).plays_all(CHECKS);
    let alert = table.alert(AlertCode::RepDone);
    let Evidence::Repetition { loser, deadline, .. } = &alert.data else { panic!("{alert:?}") };
    assert_eq!(*loser, Some(Side::Red));
    assert_eq!(usize::from(deadline.0), table.plies() + 2, "his very next move");
    table.remedy(AlertCode::RepDone, 0);
    assert_eq!(table.view().order.and_then(|order| order.side), Some(Side::Red));
    table.plays_all(CHECKS);
    let alert = table.alert(AlertCode::RepDeadline);
    assert!(alert.proposal[0].contains("判红方负"), "{:?}", alert.proposal);
    table.remedy(AlertCode::RepDeadline, 0);
    assert_eq!(table.result(), Some((GameResult::BlackWins, Ending::Repetition)));
}

#[test]
fn a_11_2_a_perpetual_checker_who_varies_plays_on() {
    let mut table = table();
    table.plays_all(CHECK_FROM).plays_all(CHECKS).plays_all(CHECKS).remedy(AlertCode::RepDone, 0);
    table.plays("g3g4");
    assert_eq!(table.view().order, None, "the order is obeyed");
    assert!(!table.has(AlertCode::RepDone) && !table.has(AlertCode::RepDeadline), "{:?}", table.open());
}

#[test]
fn a_11_2_who_chases_for_ever_varies_within_two_rounds_or_loses() {
    let mut table = table();
    table.plays_all(CHASE_FROM).plays_all(CHASES).plays_all(CHASES);
    let alert = table.alert(AlertCode::RepDone);
    let Evidence::Repetition { loser, deadline, .. } = &alert.data else { panic!("{alert:?}") };
    assert_eq!((*loser, usize::from(deadline.0)), (Some(Side::Red), table.plies() + 4));
    let (first, second) = CHASES.split_at(10);
    table.plays_all(first);
    assert!(!table.has(AlertCode::RepDeadline), "one round is allowed");
    table.plays_all(second);
    assert!(table.alert(AlertCode::RepDeadline).proposal[0].contains("判红方负"));
}

#[test]
fn a_11_2_an_arbiter_may_extend_the_deadline_or_lift_the_order() {
    let mut table = table();
    table.plays_all(CHASE_FROM).plays_all(CHASES).plays_all(CHASES).plays_all(CHASES);
    assert!(table.has(AlertCode::RepDeadline));
    let plies = table.plies() as u16;
    table.remedy(AlertCode::RepDeadline, 1);
    assert_eq!(table.view().order.map(|order| order.by), Some(PlyNo(plies + 2)));
    assert!(!table.has(AlertCode::RepDeadline), "{:?}", table.open());
    table.arbiter(Act::Order { table: TABLE, order: None });
    assert_eq!(table.view().order, None);
}

#[test]
fn a_11_3_three_fouls_in_one_game_lose() {
    let mut table = table();
    table.plays("炮二平五");
    let foul = Act::Foul {
        table: TABLE,
        side: Side::Black,
        given: true,
        offence: Offence::Other,
        why: "高声喧哗".into(),
    };
    table.arbiter(foul.clone());
    assert_eq!(table.open(), []);
    table.arbiter(foul.clone());
    assert!(table.has(AlertCode::FoulEdge));
    table.arbiter(foul);
    assert!(!table.has(AlertCode::FoulEdge));
    assert!(table.alert(AlertCode::FoulLimit).proposal[0].contains("判黑方负"));
    assert_eq!(table.result(), None);
    table.remedy(AlertCode::FoulLimit, 0);
    assert_eq!(table.result(), Some((GameResult::RedWins, Ending::Foul)));
}

#[test]
fn a_12_the_arbiter_may_intervene_at_any_time_and_everything_he_does_can_be_undone() {
    let mut table = table();
    table.plays_all("h2e2 h9g7 h0g2");
    let before = (table.record(), table.fouls());
    let acts = [
        Act::Foul { table: TABLE, side: Side::Red, given: true, offence: Offence::Other, why: String::new() },
        Act::Correct { table: TABLE, from: PlyNo(3), line: vec!["b0c2".parse().unwrap()] },
        Act::Warn { table: TABLE, side: Side::Red, given: true, what: Misconduct::Advice },
        Act::Result {
            round: tests::table::ROUND,
            table: TABLE,
            outcome: arbitration::Outcome { result: GameResult::Draw, ending: Ending::Ruling },
        },
    ];
    for act in acts {
        table.arbiter(act);
    }
    assert_eq!(table.result(), Some((GameResult::Draw, Ending::Ruling)));
    let all = table.hall.decisions(Some(TABLE)).into_iter();
    let decisions: Vec<_> = all.filter(|decision| decision.undoable).collect();
    assert_eq!(decisions.len(), 4);
    for decision in decisions {
        table.arbiter(Act::Undo(decision.no));
        assert!(table.act(Act::Undo(decision.no)).is_err(), "undone once");
    }
    assert_eq!((table.record(), table.fouls()), before);
    assert_eq!((table.result(), table.view().warnings), (None, [0, 0]));
    table.survives_a_restart();
}

#[test]
fn a_resignation_ends_the_game_and_the_clock_stands() {
    let mut table = table();
    table.plays("炮二平五").signals(Side::Black, PlayerSignal::Resign);
    assert_eq!(table.result(), Some((GameResult::RedWins, Ending::Resignation)));
    assert_eq!(table.face().1, None);
    assert_eq!(table.open(), []);
}

#[test]
fn mate_on_the_board_needs_no_press() {
    let mut table = table();
    let (before, mating) = MATE.split_at(MATE.len() - 4);
    table.plays_all(before).moves(mating).passes(6_000);
    assert_eq!(table.result(), Some((GameResult::RedWins, Ending::Checkmate)));
}
