//! What happened and who did what: the end of alerts with their game, whose hand it was, the timeline, rulings on classes,
//! the journal.

use arbitration::{AlertCode, Evidence, Severity};
use firmware_proto::{Epoch, PlayerSignal};
use hall::view::{DeedKind, DeedWhat, JournalQuery, Moment, PlyNo};
use hall::{AccountDeed, Act, Actor, Input, Role, ServerFault, Settlement};
use tests::Table;
use tests::openings::{CHASE_FROM, CHASES};
use tests::table::{ROUND, TABLE};
use tournament::TableNo;
use xiangqi::judge::Class;
use xiangqi::{Piece, Side};

use super::{foul, scenario, table};

#[test]
fn what_was_open_about_a_game_ends_with_it_and_what_the_result_may_hang_on_does_not() {
    let mut table = scenario(AlertCode::TouchMove);
    table.signals(Side::Black, PlayerSignal::Resign);
    assert_eq!(table.open(), []);
    let closed = table.hall.closed_alerts(10);
    let touched = closed.iter().find(|one| one.alert.code == AlertCode::TouchMove).unwrap();
    assert_eq!(touched.how, Settlement::Passed);

    // A flag that falls after an error that nobody ruled on: the loser may still object.
    let mut table = super::table();
    table.carries_text("b0d1").presses(Side::Red).passes(2_000);
    table.clocks_stand_at(300, 3, Side::Black).flag(Side::Black);
    assert!(table.result().is_some());
    assert_eq!(table.open(), [AlertCode::Illegal]);
}

#[test]
fn a_doubt_about_the_record_outlives_the_game_until_an_arbiter_says_what_was_played() {
    // The cannon is put where nothing senses it, and its player resigns.
    let mut table = table();
    table.point_dies("b4").plays("b2b4").plays("h9g7");
    table.signals(Side::Red, PlayerSignal::Resign);
    let result = table.result();
    assert!(result.is_some());
    assert_eq!(table.open(), [AlertCode::LostMove]);
    let doubtful = |table: &Table| table.hall.desk_view().unwrap().rounds[0].boards[0].doubtful;
    assert!(doubtful(&table), "the desk sees it");
    table.survives_a_restart();

    let alert = table.alert(AlertCode::LostMove);
    let Evidence::Readings { lines, .. } = &alert.data else { panic!("{alert:?}") };
    let other = lines.iter().position(|line| line[0] != table.view().plies[0].mv).unwrap();
    let record = |table: &Table| table.view().plies.iter().map(|ply| ply.mv).collect::<Vec<_>>();
    let read = record(&table);
    let answer = read[1];
    // The doubt was told before Black answered; the answer was played whatever is chosen.
    let chosen = vec![lines[other][0], answer];
    table.remedy(AlertCode::LostMove, other);
    assert_eq!((record(&table), table.result()), (chosen, result), "the record is another, the result stays");
    assert!(table.open().is_empty() && !doubtful(&table));
    table.survives_a_restart();
    let decision = table.hall.decisions(Some(TABLE))[0].no;
    table.arbiter(Act::Undo(decision));
    assert_eq!(record(&table), read, "undone as a whole");
    assert_eq!(table.open(), [AlertCode::LostMove]);
}

#[test]
fn a_game_that_ends_while_its_board_cannot_be_seen_is_told_and_nothing_is_offered() {
    let mut table = table();
    table.plays("h2e2").plays("h9g7").unplugs_board().passes(2_500);
    let outcome = arbitration::Outcome::agreed();
    table.arbiter(Act::Result { round: ROUND, table: TABLE, outcome });
    let alert = table.alert(AlertCode::LostMove);
    let Evidence::Readings { from, lines, doubt, .. } = &alert.data else { panic!("{alert:?}") };
    assert_eq!((from.0, lines.len(), *doubt), (3, 0, capture::Doubt::Unseen));
    assert!(alert.remedies.is_empty(), "nobody saw what there would be to choose");
    table.survives_a_restart();
}

#[test]
fn plies_that_a_board_without_power_did_not_see_are_told_until_they_are_entered() {
    let mut table = table();
    table.plays("h2e2").plays("h9g7").unplugs_board().passes(2_500);
    // The board shows nothing of it: only the clock tells that something was played.
    let missed = "e2d2 g7h9 d2e2 h9g7";
    table.plays_all(missed).restarts_board().passes(3_000);
    let alert = table.alert(AlertCode::LostMove);
    let Evidence::Readings { from, lines, doubt, .. } = &alert.data else { panic!("{alert:?}") };
    assert_eq!((from.0, lines.len(), *doubt), (2, 0, capture::Doubt::Missed));
    table.plays("h0g2").plays("i9h9");
    assert!(table.has(AlertCode::LostMove), "nobody has said yet what was played");
    let line = format!("{missed} h0g2 i9h9");
    let line = line.split_whitespace().map(|mv| mv.parse().unwrap()).collect();
    table.arbiter(Act::Correct { table: TABLE, from: PlyNo(3), line });
    assert!(!table.has(AlertCode::LostMove));
    assert_eq!(table.view().plies.len(), 8);
    table.survives_a_restart();
}

#[test]
fn a_doubt_holds_nothing_up_and_belongs_to_history_when_the_next_round_starts() {
    let mut table = table();
    table.point_dies("b4").plays("b2b4").plays("h9g7").signals(Side::Red, PlayerSignal::Resign);
    assert_eq!(table.open(), [AlertCode::LostMove]);
    table.act(Act::Pair).unwrap();
    assert!(table.has(AlertCode::LostMove), "until then it can still be settled");
    table.act(Act::Start).unwrap();
    assert!(!table.has(AlertCode::LostMove));
    let closed = table.hall.closed_alerts(10);
    assert!(closed.iter().any(|one| one.alert.code == AlertCode::LostMove));
}

#[test]
fn a_touch_is_an_alert_only_where_the_piece_was_clearly_held_and_could_have_moved() {
    let mut table = table();
    // Put straight, and a piece that has no move: both stand on the timeline only.
    table.touches("b0", 500).plays("炮二平五").plays("马８进７");
    table.touches("a3", 900).plays("马二进三").plays("车９平８");
    assert_eq!(table.raised(AlertCode::TouchMove), 1, "the soldier could have moved");
    let mut table = super::table();
    table.touches("b0", 500).plays("炮二平五").plays("马８进７");
    assert_eq!(table.raised(AlertCode::TouchMove), 0);
    let touched = |moment: &Moment| matches!(moment, Moment::Touched { held_ms: 450..=550, .. });
    assert!(moments(&table).iter().any(touched), "as evidence it is kept");
}

/// All moments of a table's game.
fn moments(table: &Table) -> Vec<Moment> {
    let view = table.hall.timeline(TABLE, Epoch(0), table.now()).unwrap();
    view.moments.into_iter().map(|moment| moment.what).collect()
}

#[test]
fn two_pieces_that_the_opponent_knocked_over_after_his_press_are_told_as_his_doing() {
    let mut table = table();
    table.plays("炮二平五").knocks_over("a3 c3").passes(3_000);
    let alert = table.alert(AlertCode::TouchOppTime);
    let Evidence::Points { running, who: Some(who), .. } = &alert.data else { panic!("{alert:?}") };
    assert_eq!((*running, who.side), (Some(Side::Black), Some(Side::Red)), "{who:?}");
    assert!(alert.evidence[0].contains("红方按钟后"), "{:?}", alert.evidence);
    assert!(!table.has(AlertCode::PosMismatch));
    // In one's own time, one holds a piece or puts right what one disturbed.
    let mut table = super::table();
    table.plays("炮二平五").passes(9_000).knocks_over("a6 c6").passes(3_000);
    assert_eq!(table.open(), [AlertCode::PosMismatch]);
}

#[test]
fn the_timeline_tells_each_lift_placing_press_and_reading_and_survives_a_restart() {
    let mut table = table();
    let began = table.now();
    table.plays("炮二平五").carries_text("h9g7").passes(500);
    let view = table.hall.timeline(TABLE, began, table.now()).unwrap();
    let piece = |piece: &Option<Piece>| piece.map_or('?', |piece| piece.hanzi());
    let said = |what: &Moment| {
        if let Moment::Lifted { point, piece: lifted } = what {
            format!("△{}{point}", piece(lifted))
        } else if let Moment::Placed { point, piece: placed } = what {
            format!("▼{}{point}", piece(placed))
        } else if let Moment::Pressed { side, .. } = what {
            format!("▮{side:?}")
        } else if let Moment::Read { no, .. } = what {
            format!("→{}", no.0)
        } else if let Moment::Confirmed { no, .. } = what {
            format!("✓{}", no.0)
        } else {
            format!("{what:?}")
        }
    };
    let story: Vec<_> = view.moments.iter().map(|moment| said(&moment.what)).collect();
    assert_eq!(story, ["△炮h2", "▼炮e2", "→1", "▮Red", "✓1", "△馬h9", "▼馬g7", "→2"]);
    assert!(view.moments.is_sorted_by_key(|moment| moment.at));
    let [(_, press, Side::Red), (again, _, Side::Black)] = view.ran[..] else { panic!("{:?}", view.ran) };
    assert_eq!(press, again, "Black's time runs from Red's press on");
    table.survives_a_restart();
    assert_eq!(table.hall.timeline(TABLE, began, view.to), Some(view));
}

#[test]
fn an_alert_and_a_decision_stand_on_the_timeline_when_they_happened() {
    let mut table = scenario(AlertCode::PressNoMove);
    table.remedy(AlertCode::PressNoMove, 0);
    let moments = moments(&table);
    let alert =
        moments.iter().position(|what| matches!(what, Moment::Alert { code: AlertCode::PressNoMove, .. }));
    let decided = moments.iter().position(|what| matches!(what, Moment::Decided { .. }));
    assert!(alert.is_some() && alert < decided, "{moments:?}");
}

#[test]
fn a_ruling_keeps_the_clocks_as_they_were_when_it_was_made() {
    let mut table = table();
    table.plays("炮二平五").passes(7_000);
    let (face, running) = table.face();
    assert_eq!(running, Some(Side::Black));
    table.arbiter(Act::AddTime { table: TABLE, red_ms: 120_000, black_ms: 0 }).passes(20_000);
    let kept = table.hall.decisions(Some(TABLE))[0].times.unwrap();
    assert_eq!(kept.map(|ms| ms / 1000), face, "before the time was added");
    table.survives_a_restart();
    assert_eq!(table.hall.decisions(Some(TABLE))[0].times, Some(kept));
}

#[test]
fn an_arbiter_rules_a_ply_idle_and_the_repetition_is_judged_anew_until_that_is_undone() {
    let mut table = table();
    table.plays_all(CHASE_FROM).plays_all(CHASES).plays_all(CHASES);
    let before = table.alert(AlertCode::RepDone);
    let Evidence::Repetition { first, loser: Some(Side::Red), .. } = before.data else {
        panic!("{before:?}")
    };
    let classes = vec![(first, Some(Class::Idle))];
    let ahead = table.hall.if_classed(TABLE, &classes).unwrap();
    table.arbiter(Act::Classify { table: TABLE, classes });
    let after = table.alert(AlertCode::RepDone);
    assert_eq!(
        (after.id, &after.evidence, &after.data),
        (ahead.id, &ahead.evidence, &ahead.data),
        "as foreseen"
    );
    assert!(matches!(&after.data, Evidence::Repetition { loser: None, ruled, .. } if ruled.contains(&first)));
    assert!(after.evidence[0].contains("按裁判改判"), "{:?}", after.evidence);
    table.survives_a_restart();
    let decision = table.hall.decisions(Some(TABLE))[0].no;
    table.arbiter(Act::Undo(decision));
    assert_eq!(table.alert(AlertCode::RepDone).data, before.data);
}

#[test]
fn the_natural_limit_is_counted_anew_from_a_ply_that_the_arbiter_names() {
    let mut table = Table::begun("b");
    for _ in 0..4 {
        table.plays_all("a0a1 a9a8 i0i1 i9i8 a1a0 a8a9 i1i0 i8i9");
    }
    let counted = |table: &Table| table.view().limit.counted;
    assert_eq!(counted(&table), [16, 16]);
    table.arbiter(Act::ClaimLimit { table: TABLE, claim: Some((Side::Red, PlyNo(21))) });
    assert_eq!(counted(&table), [6, 6]);
    table.arbiter(Act::ClaimLimit { table: TABLE, claim: None });
    assert_eq!(counted(&table), [16, 16]);
}

#[test]
fn an_undo_is_a_decision_too_seen_by_who_acts_next_and_undone_itself() {
    let mut table = table();
    table.plays("炮二平五").arbiter(foul(Side::Black));
    let drawn = table.hall.decisions(Some(TABLE))[0].no;
    table.act(Act::Undo(drawn)).unwrap();
    assert_eq!(table.fouls(), [0, 0]);
    assert!(table.hall.decided_since(TABLE, drawn), "whoever looked before it is told");
    let refused = table.act_as(Role::Arbiter, Act::Undo(drawn)).unwrap_err();
    assert!(refused.contains("undone before"), "{refused}");
    let undo = table.hall.decisions(Some(TABLE))[0].clone();
    assert!(undo.no > drawn && undo.undoable, "{undo:?}");
    table.arbiter(Act::Undo(undo.no));
    assert_eq!(table.fouls(), [0, 1], "done again");
}

#[test]
fn the_journal_has_every_act_page_by_page_and_by_table_person_and_kind() {
    let mut table = scenario(AlertCode::PressNoMove);
    let alert = table.alert(AlertCode::PressNoMove).id;
    table.arbiter(Act::Claim(alert)).arbiter(Act::PutRight(TABLE)).remedy(AlertCode::PressNoMove, 0);
    table.tell(Input::Account(
        AccountDeed::Refused { name: "李".into(), from: Some("192.168.1.9".into()) },
        Actor::Hall,
    ));
    let all = |query: JournalQuery| table.hall.journal(&JournalQuery { at_most: 1_000, ..query });
    let whole = all(JournalQuery::default());
    assert!(whole.older.is_none());
    let acts: Vec<String> = whole.rows.iter().rev().map(|row| said(&row.what)).collect();
    for act in ["Open", "Enter", "Bind", "Draw", "Pair", "Start", "Claim", "PutRight", "Remedy"] {
        assert!(acts.iter().any(|said| said == act), "{act} is missing: {acts:?}");
    }
    assert!(acts.iter().any(|said| said == "raised PressNoMove"), "{acts:?}");
    assert_eq!(acts.last().map(String::as_str), Some("account"));

    // Page by page it is the same, in the same order.
    let (mut paged, mut before) = (Vec::new(), None);
    loop {
        let page = table.hall.journal(&JournalQuery { before, at_most: 3, ..JournalQuery::default() });
        paged.extend(page.rows);
        before = page.older;
        if before.is_none() {
            break;
        }
    }
    assert_eq!(paged, whole.rows);

    let here = all(JournalQuery { table: Some(TABLE), ..JournalQuery::default() });
    assert!(here.rows.iter().all(|row| row.table == Some(TABLE)) && here.rows.len() >= 4);
    let by = all(JournalQuery { by: Some("裁判员".into()), ..JournalQuery::default() });
    assert_eq!(
        by.rows.iter().map(|row| said(&row.what)).collect::<Vec<_>>(),
        ["Remedy", "PutRight", "Claim"]
    );
    let accounts = all(JournalQuery { kind: Some(DeedKind::Account), ..JournalQuery::default() });
    assert_eq!(accounts.rows.len(), 1);

    table.survives_a_restart();
    assert_eq!(table.hall.journal(&JournalQuery { at_most: 1_000, ..JournalQuery::default() }), whole);
}

/// What a line of the journal says, in a word.
fn said(what: &DeedWhat) -> String {
    match what {
        DeedWhat::Decided { act, .. } => {
            let text = format!("{act:?}");
            text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned()
        }
        DeedWhat::Ended { outcome } => format!("{:?}", outcome.ending),
        DeedWhat::Alert { code, turn, .. } => format!("{turn:?} {code:?}").replacen('R', "r", 1),
        DeedWhat::Desk { did } => did.zh.clone(),
        DeedWhat::Account { .. } => "account".to_owned(),
        DeedWhat::LetIn { .. } => "let in".to_owned(),
    }
}

#[test]
fn each_fault_of_the_server_has_its_alert_and_it_passes_when_it_works_again() {
    for fault in [ServerFault::Store, ServerFault::Disk, ServerFault::SystemClock, ServerFault::Broker] {
        let mut table = table();
        table.plays("炮二平五").tell(Input::Server { fault, on: true });
        let alert = table.alert(AlertCode::DiskDb);
        assert_eq!((alert.severity, alert.evidence[0].as_str()), (Severity::P0, fault.words()[0]));
        table.survives_a_restart();
        table.tell(Input::Server { fault, on: false });
        assert_eq!(table.open(), []);
    }
}

#[test]
fn the_tables_that_an_arbiter_walks_are_kept_under_his_name() {
    let mut table = table();
    table.arbiter(Act::Walk([TableNo(1), TableNo(2)].into()));
    table.survives_a_restart();
    let walks = table.hall.alert_view().walks;
    assert_eq!(walks.get("裁判员"), Some(&[TableNo(1), TableNo(2)].into()));
}
