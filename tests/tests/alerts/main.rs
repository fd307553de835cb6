//! Every code of the catalogue of alerts, raised at a virtual table from end to end.

#![allow(clippy::unwrap_used)] // A test may fall over.

mod doings;

use std::path::PathBuf;

use arbitration::{AlertCode, Evidence, GameResult, Misconduct, Offence, ResultSource, Severity};
use firmware_proto::{GatewayId, PlayerSignal};
use hall::{Act, Input, Role, ServerFault, Settlement};
use tests::Table;
use tests::openings::{CHASE_FROM, CHASES, QUIET};
use tests::table::{ROUND, TABLE};
use xiangqi::{Position, Side};

/// A table whose game has begun.
fn table() -> Table {
    Table::begun("a")
}

/// How a code is raised; each scenario is played by `every_code_is_raised_at_a_virtual_table`, and where it has more
/// to show, by a test of its own.
fn scenario(code: AlertCode) -> Table {
    // Under a the first flag ends the game by itself.
    let flags = [AlertCode::Flag, AlertCode::FlagBoth].contains(&code);
    let mut table = Table::under(if flags { "b" } else { "a" });
    let before_the_game = [AlertCode::Absent, AlertCode::WrongSeat, AlertCode::Setup, AlertCode::BadPoint];
    if !before_the_game.contains(&code) {
        table.begins();
    }
    match code {
        AlertCode::Absent => {}
        AlertCode::Flag => {
            table.plays("炮二平五").clocks_stand_at(300, 3, Side::Black).flag(Side::Black);
        }
        AlertCode::FlagBoth => {
            table.plays("炮二平五").clocks_stand_at(6, 3, Side::Black).flag(Side::Black);
            table.plays("马８进７").flag(Side::Red);
        }
        AlertCode::Illegal => {
            table.carries_text("b0d1").presses(Side::Red).passes(2_000);
        }
        AlertCode::SelfCheck => {
            table.plays_all("h2e2 d9e8 e2e6").carries_text("a9a8").presses(Side::Black).passes(2_000);
        }
        AlertCode::RepNear => {
            table.plays_all(QUIET);
        }
        AlertCode::RepDone => {
            table.plays_all(QUIET).plays_all(QUIET);
        }
        AlertCode::RepDeadline => {
            table.plays_all(CHASE_FROM).plays_all(CHASES).plays_all(CHASES).plays_all(CHASES);
        }
        AlertCode::FoulEdge | AlertCode::FoulLimit => {
            for _ in 0..if code == AlertCode::FoulEdge { 2 } else { 3 } {
                table.arbiter(foul(Side::Red));
            }
        }
        AlertCode::LimitNear | AlertCode::LimitDone => {
            for _ in 0..if code == AlertCode::LimitNear { 18 } else { 20 } {
                table.plays_all(QUIET);
            }
        }
        AlertCode::PressNoMove => {
            table.plays("炮二平五").presses(Side::Black).passes(2_500);
        }
        AlertCode::MoveNoPress => {
            table.moves("炮二平五").passes(11_000);
        }
        AlertCode::TouchOppTime => {
            table.plays("炮二平五").knocks_over("a3 c3 e3 g3");
        }
        AlertCode::PosMismatch => {
            // Long after the press, pieces of the side to move are off their points.
            table.plays("炮二平五").passes(5_000).knocks_over("a6 c6").passes(3_000);
        }
        AlertCode::LostMove => {
            // The cannon is put where nothing senses it: it may stand on any point of its lines.
            table.point_dies("b4").plays("b2b4").plays("h9g7").passes(1_000);
        }
        AlertCode::BoardDown => {
            table.unplugs_board().passes(2_500);
        }
        AlertCode::ClockDown => {
            table.unplugs_clock().passes(2_500);
        }
        AlertCode::GwDown => {
            table.plays("炮二平五").tell(gateway(false));
        }
        AlertCode::ClockSkew => {
            table.clock_jumps(5_000).plays("炮二平五");
        }
        AlertCode::DrawOffer => {
            table.plays("炮二平五").signals(Side::Red, PlayerSignal::Draw);
        }
        AlertCode::FixWindow => {
            table
                .carries_text("b0d1")
                .presses(Side::Red)
                .plays_all("b9c7 h2e2 h9g7 h0g2 i9h9 i0h0")
                .passes(500);
        }
        AlertCode::NoResult => {
            table.plays("炮二平五").puts_up(&Position::start());
            table.knocks_over("a0 b0 c0 d0 e0 f0 g0 h0 i0").passes(185_000);
        }
        AlertCode::ResultConflict => {
            table.plays("炮二平五").signals(Side::Black, PlayerSignal::Resign);
            table.arbiter(report(ResultSource::Black, Some(GameResult::Draw)));
        }
        AlertCode::WrongSeat => {
            table.turns_round();
        }
        AlertCode::LowTime => {
            table.plays("炮二平五").clocks_stand_at(300, 61, Side::Black).passes(2_000);
        }
        AlertCode::Phone => {
            table.arbiter(Act::Misconduct { table: TABLE, side: Side::Red, what: Misconduct::Phone });
        }
        AlertCode::Call => {
            table.signals(Side::Red, PlayerSignal::CallArbiter);
        }
        AlertCode::RoundLate => {
            table.plays("炮二平五").arbiter(Act::Pause(Vec::new())).passes(61 * 60_000);
        }
        AlertCode::Battery => {
            table.supply(device::LOW_SUPPLY - 1);
        }
        AlertCode::DiskDb => {
            table.plays("炮二平五").tell(Input::Server { fault: ServerFault::Disk, on: true });
        }
        AlertCode::TouchMove => {
            table.touches("b0", 900).plays("炮二平五").plays("马８进７");
        }
        AlertCode::Setup => {
            table.knocks_over("a3 c3").passes(1_000);
        }
        AlertCode::BadPoint => {
            table.point_dies("a3").begins().plays_all("h2e2 h9g7 h0g2 i9h9").passes(46_000).plays("i0h0");
        }
        AlertCode::RecordsLost => {
            table.loses_records();
        }
    }
    table
}

fn foul(side: Side) -> Act {
    Act::Foul { table: TABLE, side, given: true, offence: Offence::Other, why: "试".into() }
}

fn report(source: ResultSource, result: Option<GameResult>) -> Act {
    Act::Report { table: TABLE, source, result }
}

fn gateway(up: bool) -> Input {
    Input::Gateway { id: GatewayId::new("hall-1").unwrap(), up }
}

#[test]
fn every_code_is_raised_at_a_virtual_table() {
    let mut missing = Vec::new();
    for code in AlertCode::ALL {
        let mut table = scenario(code);
        if !table.has(code) {
            missing.push((code, table.open(), table.record()));
            continue;
        }
        let alert = table.alert(code);
        assert!(!alert.evidence[0].is_empty() && !alert.evidence[1].is_empty(), "{code:?} says nothing");
        let plain = matches!(alert.data, Evidence::Words);
        assert_eq!(
            plain,
            matches!(code, AlertCode::DiskDb | AlertCode::RecordsLost),
            "{code:?}: evidence as data"
        );
        table.survives_a_restart();
    }
    assert!(missing.is_empty(), "not raised: {missing:#?}");
}

/// The design's catalogue, if it lies beside the checkout.
fn catalogue() -> Option<String> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let folder = std::env::var_os("CHUHE_SHARED").map_or(beside, PathBuf::from);
    std::fs::read_to_string(folder.join("broadcast/ALERTS.tsv")).ok()
}

#[test]
fn the_catalogue_of_the_design_is_whole() {
    let Some(text) = catalogue() else {
        eprintln!("SKIPPED: the catalogue of alerts is not beside the checkout (CHUHE_SHARED)");
        return;
    };
    let mut codes = 0;
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let known = AlertCode::ALL.into_iter().find(|code| code.code() == cells[0]);
        let known = known.unwrap_or_else(|| panic!("{}: no such code", cells[0]));
        assert_eq!((known.zh(), format!("{:?}", known.severity())), (cells[1], cells[3].to_owned()));
        codes += 1;
    }
    assert!(codes >= 31, "{codes} codes");
}

#[test]
fn absence_is_counted_down_at_0_5_9_and_10_minutes_and_passes_when_both_play() {
    let mut table = Table::under("a");
    let mut seen = Vec::new();
    for minute in [0, 5, 9, 10] {
        let wait = minute * 60_000 + 2_000 - (table.now().0 - 1_764_000_000_000);
        table.passes(wait.max(0));
        let alert = table.alert(AlertCode::Absent);
        let Evidence::Absent { sides, waited_ms, .. } = &alert.data else { panic!("{alert:?}") };
        seen.push((waited_ms / 60_000, sides.len(), alert.severity));
    }
    assert_eq!(
        seen,
        [(0, 2, Severity::P3), (5, 2, Severity::P1), (9, 2, Severity::P1), (10, 2, Severity::P1)]
    );
    table.begins();
    assert!(matches!(&table.alert(AlertCode::Absent).data,
        Evidence::Absent { sides, .. } if *sides == [Side::Red]));
    table.plays("炮二平五");
    assert_eq!(table.open(), []);
}

#[test]
fn an_arbiter_who_sees_the_player_ends_the_count_down() {
    let mut table = Table::under("a");
    for side in [Side::Red, Side::Black] {
        table.arbiter(Act::Present { table: TABLE, side, present: true });
    }
    table.passes(11 * 60_000);
    assert_eq!(table.open(), []);
}

#[test]
fn nobody_takes_up_a_p0_for_30_seconds_or_a_p1_for_120_and_the_chief_is_called() {
    let mut table = scenario(AlertCode::SelfCheck);
    assert!(!table.alert(AlertCode::SelfCheck).escalated);
    table.passes(30_000);
    assert!(table.alert(AlertCode::SelfCheck).escalated);
    let mut table = scenario(AlertCode::Call);
    table.passes(115_000);
    assert!(!table.alert(AlertCode::Call).escalated);
    table.passes(10_000);
    assert!(table.alert(AlertCode::Call).escalated);
    let mut table = scenario(AlertCode::Call);
    let id = table.alert(AlertCode::Call).id;
    table.arbiter(Act::Claim(id)).passes(200_000);
    assert!(!table.alert(AlertCode::Call).escalated, "somebody has it");
}

#[test]
fn an_alert_that_loses_its_cause_passes_by_itself_and_stays_in_the_history() {
    let mut table = scenario(AlertCode::BoardDown);
    table.plugs_board();
    assert!(!table.has(AlertCode::BoardDown));
    let closed = table.hall.closed_alerts(100);
    let board = closed.iter().find(|closed| closed.alert.code == AlertCode::BoardDown).unwrap();
    assert_eq!(board.how, Settlement::Passed);
}

#[test]
fn a_cause_that_was_dealt_with_raises_nothing_again_while_it_lasts() {
    let mut table = scenario(AlertCode::LimitNear);
    let alert = table.alert(AlertCode::LimitNear).id;
    table.arbiter(Act::Dismiss { alert, why: "知道了".into() }).plays_all("a0a1 a9a8");
    assert!(!table.has(AlertCode::LimitNear));
    assert_eq!(table.raised(AlertCode::LimitNear), 1);
    table.arbiter(Act::Recall(alert));
    assert!(table.has(AlertCode::LimitNear));
}

#[test]
fn of_two_arbiters_who_act_at_once_the_second_sees_who_was_first() {
    let mut table = scenario(AlertCode::PressNoMove);
    let alert = table.alert(AlertCode::PressNoMove).id;
    table.act_as(Role::ChiefArbiter, Act::Claim(alert)).unwrap();
    let refused =
        table.act_as(Role::Arbiter, Act::Remedy { alert, choice: 0, why: String::new() }).unwrap_err();
    assert!(refused.contains("裁判长"), "{refused}");
    table.act_as(Role::ChiefArbiter, Act::Remedy { alert, choice: 0, why: "犯规".into() }).unwrap();
    let refused = table.act_as(Role::Arbiter, Act::Settle { alert, why: "也好".into() }).unwrap_err();
    assert!(refused.contains("裁判长") && refused.contains("犯规"), "{refused}");
    assert_eq!(table.fouls(), [0, 1], "once");
}

#[test]
fn a_remedy_is_undone_as_a_whole() {
    let mut table = scenario(AlertCode::TouchOppTime);
    let ([_, before], _) = table.face();
    table.remedy(AlertCode::TouchOppTime, 0);
    let decision = table.hall.decisions(Some(TABLE))[0].no;
    table.arbiter(Act::Undo(decision));
    let ([_, after], _) = table.face();
    assert!(before - after <= 1, "the five minutes are gone again: {before} {after}");
    assert_eq!(table.fouls(), [0, 0]);
    assert!(table.has(AlertCode::TouchOppTime), "and the alert is open again");
}

#[test]
fn an_error_grows_old_and_after_five_rounds_only_the_chief_corrects_it() {
    let mut table = scenario(AlertCode::FixWindow);
    let alert = table.alert(AlertCode::FixWindow);
    assert!(matches!(alert.data, Evidence::Window { rounds: 3, limit: 5, .. }), "{alert:?}");
    assert_eq!(alert.severity, Severity::P2);
    table.plays_all("a9a8 a0a1 a8a9 a1a0").passes(500);
    let alert = table.alert(AlertCode::FixWindow);
    assert!(matches!(alert.data, Evidence::Window { rounds: 5, .. }), "{alert:?}");
    assert_eq!((alert.severity, alert.times), (Severity::P1, 3));
    let illegal = table.alert(AlertCode::Illegal).id;
    table.arbiter(Act::Dismiss { alert: illegal, why: "双方同意继续".into() });
    assert!(!table.has(AlertCode::FixWindow), "with its error");
}

#[test]
fn a_result_that_is_told_otherwise_holds_the_pairing_until_it_is_settled() {
    let mut table = scenario(AlertCode::ResultConflict);
    let refused = table.act(Act::Pair).unwrap_err();
    assert!(refused.contains("different results"), "{refused}");
    table.arbiter(report(ResultSource::Black, Some(GameResult::RedWins)));
    assert!(!table.has(AlertCode::ResultConflict));
}

#[test]
fn two_slips_that_agree_propose_the_result() {
    let mut table = table();
    table.plays("炮二平五").arbiter(report(ResultSource::Red, Some(GameResult::Draw)));
    table.arbiter(report(ResultSource::Black, Some(GameResult::Draw)));
    table.remedy(AlertCode::NoResult, 0);
    assert_eq!(table.result().map(|(result, _)| result), Some(GameResult::Draw));
}

#[test]
fn a_gateway_that_goes_is_one_alert_for_all_its_tables() {
    let mut table = scenario(AlertCode::GwDown);
    assert_eq!(table.open(), [AlertCode::GwDown]);
    // It comes back and finds its devices anew, within the two seconds that a link may take.
    table.unplugs_board().unplugs_clock().passes(1_000);
    table.tell(gateway(true));
    table.plugs_board().plugs_clock().passes(5_000);
    assert_eq!((table.open(), table.raised(AlertCode::BoardDown)), (vec![], 0));
}

#[test]
fn an_ambiguous_move_is_chosen_among_its_readings() {
    let mut table = scenario(AlertCode::LostMove);
    let alert = table.alert(AlertCode::LostMove);
    let Evidence::Readings { lines, .. } = &alert.data else { panic!("{alert:?}") };
    assert_eq!(alert.remedies.len(), lines.len());
    let choice = lines.iter().position(|line| line[0].to_string() == "b2b4").unwrap_or(0);
    let chosen = lines[choice][0];
    table.remedy(AlertCode::LostMove, choice);
    assert_eq!(table.view().plies[0].mv, chosen);
}

#[test]
fn players_on_the_wrong_sides_are_swapped_and_the_game_begins() {
    let mut table = scenario(AlertCode::WrongSeat);
    table.remedy(AlertCode::WrongSeat, 0);
    table.begins().plays("炮二平五").plays("马８进７");
    assert_eq!((table.record(), table.open()), ("炮二平五 马８进７".to_owned(), vec![]));
    assert_eq!(table.face().1, Some(Side::Red));
}

#[test]
fn an_unpressed_move_presses_after_a_minute_and_passes_with_the_press() {
    let mut table = scenario(AlertCode::MoveNoPress);
    assert_eq!(table.alert(AlertCode::MoveNoPress).severity, Severity::P2);
    table.passes(50_000);
    assert_eq!(table.alert(AlertCode::MoveNoPress).severity, Severity::P1);
    table.presses(Side::Red);
    assert!(!table.has(AlertCode::MoveNoPress));
}

#[test]
fn a_battery_is_told_once_until_it_has_recovered() {
    let mut table = scenario(AlertCode::Battery);
    table.supply(device::LOW_SUPPLY - 20).supply(device::LOW_SUPPLY - 40);
    assert_eq!(table.raised(AlertCode::Battery), 1);
}

#[test]
fn a_server_that_is_well_again_has_no_alert() {
    let mut table = scenario(AlertCode::DiskDb);
    table.tell(Input::Server { fault: ServerFault::Disk, on: false });
    assert_eq!(table.open(), []);
}

#[test]
fn a_round_that_ends_is_late_no_more() {
    let mut table = scenario(AlertCode::RoundLate);
    let outcome = arbitration::Outcome::agreed();
    table.arbiter(Act::Result { round: ROUND, table: TABLE, outcome });
    assert_eq!(table.open(), []);
}

#[test]
fn time_that_is_given_clears_the_alert_about_it() {
    let mut table = scenario(AlertCode::LowTime);
    table.arbiter(Act::AddTime { table: TABLE, red_ms: 0, black_ms: 120_000 });
    assert!(!table.has(AlertCode::LowTime));
    let ([_, black], running) = table.face();
    assert!((175..=181).contains(&black) && running == Some(Side::Black), "{black}");
}
