//! The organiser's desk: from entry forms to standings, with everything that goes otherwise than planned.

#![allow(clippy::unwrap_used)]

#[allow(dead_code, reason = "each test binary uses its part")]
mod desk;

use arbitration::{Ending, GameResult, Outcome, ResultSource};
use desk::{Desk, slip};
use firmware_proto::Epoch;
use hall::desk::{
    Born, DeskAct, DrawBy, EnteredAt, Form, FormNo, FormStanding, Played, Player, Rule, Ruling, Settings,
    Source, Whom, findings, form_standing,
};
use hall::{Act, Entry, Hall};
use tournament::{EntrantNo, Lineup, MemberNo, Money, RoundNo, TableNo, TeamRules};

fn alone(name: &str) -> Form {
    let player = Player { name: name.into(), ..Player::default() };
    Form { unit: format!("{name}社"), players: vec![player], ..Form::default() }
}

fn team(name: &str, players: u16) -> Form {
    let players = (1..=players).map(|no| Player {
        name: format!("{name}{no}"),
        local: true,
        evidence: "身份证".into(),
        ..Player::default()
    });
    Form { team: Some(name.into()), players: players.collect(), ..Form::default() }
}

fn individuals(count: u16, rounds: u16) -> Desk {
    let mut desk = Desk::new("a", Settings { rounds, ..Settings::preset("a") });
    for no in 1..=count {
        desk.enter(alone(&format!("选手{no}")));
    }
    desk.on(DeskAct::Draw(DrawBy::Computer { seed: 3 }));
    desk
}

#[test]
fn who_is_not_there_is_not_drawn() {
    let mut desk = Desk::new("a", Settings { rounds: 3, ..Settings::preset("a") });
    for no in 1..=4 {
        desk.on(DeskAct::Register { form: Box::new(alone(&format!("选手{no}"))), late: false });
    }
    assert!(desk.refused(DeskAct::Draw(DrawBy::Computer { seed: 1 })).contains("报到"));
    for no in [1, 2, 4] {
        desk.on(DeskAct::CheckIn { no: FormNo(no), here: true });
    }
    desk.on(DeskAct::Strike { no: FormNo(4), why: "生病".into() });
    desk.on(DeskAct::Draw(DrawBy::Computer { seed: 1 }));
    let drawn: Vec<u16> = desk.view().whose.values().map(|whom| whom.form.0).collect();
    assert_eq!(drawn.len(), 2);
    assert!(drawn.contains(&1) && drawn.contains(&2));
}

#[test]
fn numbers_drawn_by_hand_have_no_gap_and_no_stranger() {
    let mut desk = Desk::new("a", Settings { rounds: 3, ..Settings::preset("a") });
    for no in 1..=2 {
        desk.enter(alone(&format!("选手{no}")));
    }
    let whom = |form| Whom { form: FormNo(form), member: Some(MemberNo(1)) };
    let by_hand = |a, b| DeskAct::Draw(DrawBy::Hand(vec![(EntrantNo(a), whom(1)), (EntrantNo(b), whom(2))]));
    assert!(desk.refused(by_hand(1, 3)).contains("缺2号"));
    assert!(desk.refused(by_hand(1, 1)).contains("重复"));
    desk.on(by_hand(2, 1));
    assert_eq!(desk.view().entrant(EntrantNo(1)).0, "选手2");
    desk.on(DeskAct::Undo);
    assert!(desk.view().event.is_none(), "a draw can be taken back before round 1");
}

#[test]
fn entries_close_and_the_organiser_can_let_one_in() {
    let mut desk = Desk::new("a", Settings { closes: Some(Epoch(1_000)), ..Settings::preset("a") });
    let form = || Box::new(alone("迟到者"));
    assert!(desk.refused(DeskAct::Register { form: form(), late: false }).contains("截止"));
    desk.on(DeskAct::Register { form: form(), late: true });
    let view = desk.view();
    let all = findings(&view.settings, &view.files, FormNo(1));
    assert!(all.iter().any(|it| it.rule == Rule::Deadline && it.is_open()));
}

#[test]
fn eligibility_is_found_and_judged_not_imposed() {
    let settings =
        Settings { first_day: Some(Born { year: 2020, month: 10, day: 23 }), ..Settings::preset("b") };
    let mut desk = Desk::new("b", settings);
    let mut form = team("西岭队", 5);
    form.players[0].professional = true;
    form.players[4].born = Some(Born { year: 2002, month: 10, day: 21 });
    form.players[3].local = false;
    let no = desk.enter(form);
    let open = |desk: &Desk| -> Vec<Rule> {
        let view = desk.view();
        findings(&view.settings, &view.files, no)
            .into_iter()
            .filter(|it| it.is_open())
            .map(|it| it.rule)
            .collect()
    };
    assert_eq!(
        open(&desk),
        [Rule::Amateurs, Rule::YoungOrWoman],
        "18 on the first day; one hired is allowed"
    );
    desk.on(DeskAct::Judge {
        no,
        rule: Rule::Amateurs,
        ruling: Some(Ruling::Accepted),
        why: "已退役".into(),
    });
    let waive = |why: &str| DeskAct::Judge {
        no,
        rule: Rule::YoungOrWoman,
        ruling: Some(Ruling::Waived),
        why: why.into(),
    };
    assert!(desk.refused(waive("")).contains("理由"));
    desk.on(waive("组委会同意"));
    assert_eq!(open(&desk), []);
    let standing = |desk: &Desk| form_standing(&desk.view().settings, &desk.view().files, no);
    assert_eq!(standing(&desk), FormStanding::Unpaid, "regulation b wants the fee first");
    let pay = DeskAct::Pay { no, amount: Money::yuan(1_000), receipt: "0007".into(), payer: "领队".into() };
    desk.on(pay);
    assert_eq!(standing(&desk), FormStanding::Waived);
    desk.on(DeskAct::Undo);
    assert_eq!(standing(&desk), FormStanding::Unpaid, "and the payment is taken back");
}

#[test]
fn one_person_in_two_forms_is_found() {
    let mut desk = Desk::new("a", Settings::preset("a"));
    desk.enter(alone("甲"));
    let no = desk.enter(alone("甲"));
    let view = desk.view();
    let found = findings(&view.settings, &view.files, no);
    assert!(found.iter().any(|it| it.rule == Rule::OnePerson && it.is_open()), "{found:?}");
}

#[test]
fn a_draft_is_changed_by_hand_with_warnings_and_published_with_a_reason() {
    let mut desk = individuals(6, 5);
    desk.round();
    desk.finish();
    desk.on(DeskAct::Draft);
    let (_, engine) = desk.view().draft.unwrap();
    let first = desk.view().rounds[0].pairs[0].clone();
    // Put the two of table 1 together again.
    let now = engine.iter().find(|pair| pair.red == first.red || pair.black == Some(first.red)).unwrap();
    let opponent = if now.red == first.red { now.black.unwrap() } else { now.red };
    desk.on(DeskAct::Swap { a: opponent, b: first.black.unwrap(), why: "试排".into() });
    assert!(desk.view().warnings.iter().any(|warning| warning.words().zh.contains("已交过手")));
    assert!(desk.refused(DeskAct::Publish { why: String::new() }).contains("已交过手"));
    desk.on(DeskAct::Undo);
    assert_eq!(desk.view().draft.unwrap().1, engine, "the computer's pairing is back");
    desk.on(DeskAct::Swap { a: opponent, b: first.black.unwrap(), why: "试排".into() });
    desk.on(DeskAct::Publish { why: "双方同意".into() });
    assert!(desk.view().draft.is_none());
    desk.on(DeskAct::Unpublish { why: "重排".into() });
    assert!(desk.view().draft.is_some() && desk.view().rounds.len() == 1);
    desk.on(DeskAct::Draft);
    assert_eq!(desk.view().draft.unwrap().1, engine);
}

#[test]
fn a_correction_two_rounds_back_needs_a_reason_and_makes_a_new_version() {
    let mut desk = individuals(4, 3);
    for _ in 0..2 {
        desk.round();
        desk.finish();
    }
    desk.round();
    let (before, _) = desk.view().posted(RoundNo(1), None).unwrap();
    let pairs = desk.view().rounds[2].pairs.clone();
    let draw = Outcome { result: GameResult::Draw, ending: Ending::Agreement };
    assert!(desk.refused(slip(1, 1, draw, "")).contains("理由"));
    desk.result(1, 1, GameResult::Draw, "成绩条抄错");
    let view = desk.view();
    assert_eq!(view.rounds[2].pairs, pairs, "what is published stays");
    let (after, posting) = view.posted(RoundNo(1), None).unwrap();
    assert_eq!(posting.version, 2);
    assert_ne!(before, after);
    assert_eq!(view.posted(RoundNo(1), Some(1)).unwrap().0, before, "version 1 is printed as it was");
    assert!(
        view.history.iter().any(|line| line.did.zh.contains("改判") && line.did.en.contains("成绩条抄错"))
    );
}

#[test]
fn absence_withdrawal_late_entry_and_a_table_more() {
    let mut desk = individuals(5, 4);
    desk.round();
    let bye = desk.view().rounds[0].pairs.iter().find(|pair| pair.black.is_none()).unwrap().red;
    desk.on(DeskAct::Register { form: Box::new(alone("补报者")), late: true });
    desk.on(DeskAct::EnterLate { no: FormNo(6), member: Some(MemberNo(1)), from: RoundNo(1) });
    desk.on(DeskAct::AddTable { red: bye, black: EntrantNo(6) });
    desk.finish();
    let view = desk.view();
    assert_eq!(view.rounds[0].boards.len(), 3);
    assert!(view.rounds[0].over);
    desk.on(DeskAct::Withdraw { no: EntrantNo(1), from: RoundNo(2), why: "生病".into() });
    desk.on(DeskAct::Absent { no: EntrantNo(2), round: RoundNo(2), absent: true });
    desk.on(DeskAct::Draft);
    let paired: Vec<EntrantNo> =
        desk.view().draft.unwrap().1.iter().flat_map(|pair| [Some(pair.red), pair.black]).flatten().collect();
    assert_eq!(paired.len(), 4);
    assert!(!paired.contains(&EntrantNo(1)) && !paired.contains(&EntrantNo(2)));
    desk.on(DeskAct::Publish { why: String::new() });
    desk.act(Act::Start).unwrap();
    desk.finish();
    desk.on(DeskAct::Readmit(EntrantNo(1)));
    desk.on(DeskAct::Draft);
    assert!(
        desk.view()
            .draft
            .unwrap()
            .1
            .iter()
            .any(|pair| pair.red == EntrantNo(1) || pair.black == Some(EntrantNo(1)))
    );
}

#[test]
fn a_forfeit_a_double_forfeit_fouls_and_colours_reversed() {
    let mut desk = individuals(6, 3);
    desk.round();
    let forfeit = |result| Outcome { result, ending: Ending::Forfeit };
    desk.on(slip(1, 1, forfeit(GameResult::RedWins), ""));
    desk.on(slip(1, 2, forfeit(GameResult::BothLose), ""));
    let outcome = Outcome { result: GameResult::BlackWins, ending: Ending::Foul };
    let fouled = DeskAct::Result {
        round: RoundNo(1),
        table: TableNo(3),
        outcome,
        fouls: Some([3, 1]),
        why: String::new(),
        at: EnteredAt::Table,
    };
    desk.on(fouled);
    let red = desk.view().rounds[0].boards[2].red;
    desk.on(DeskAct::Turned { round: RoundNo(1), table: TableNo(3), why: "坐反".into() });
    let view = desk.view();
    let event = view.event.as_ref().unwrap();
    let kinds: Vec<_> = (1..=3u16)
        .map(|table| event.data().results.iter().find(|it| it.table == Some(TableNo(table))).unwrap())
        .collect();
    assert_eq!(kinds[0].kind, tournament::ResultKind::Forfeit);
    assert_eq!(kinds[1].kind, tournament::ResultKind::DoubleForfeit);
    assert_eq!((kinds[2].black, kinds[2].score.black.0, kinds[2].fouls.red), (Some(red), 2, 3));
}

#[test]
fn what_each_source_said_of_a_result_stands_side_by_side_and_the_last_decision_counts() {
    let mut desk = individuals(4, 3);
    desk.round();
    let (round, table) = (RoundNo(1), TableNo(1));
    let draw = Outcome { result: GameResult::Draw, ending: Ending::Agreement };
    desk.act(Act::Report { table, source: ResultSource::Black, result: Some(GameResult::Draw) }).unwrap();
    let at_the_table = DeskAct::Result {
        round,
        table,
        outcome: draw,
        fouls: None,
        why: String::new(),
        at: EnteredAt::Table,
    };
    desk.on(at_the_table);
    desk.result(1, 1, GameResult::RedWins, "成绩条看错");
    let told = desk.view().rounds[0].boards[0].told.clone();
    let said: Vec<_> = told.iter().map(|told| (told.source, told.result, told.counts)).collect();
    let won = GameResult::RedWins;
    assert_eq!(
        said,
        [
            (Source::Black, GameResult::Draw, false),
            (Source::Slip, GameResult::Draw, false),
            (Source::Desk, won, true)
        ]
    );
    assert!(desk.view().rounds[0].boards[0].is_disputed());
    // An arbiter takes the end back and decides anew, away from the desk.
    desk.act(Act::Reopen(table)).unwrap();
    assert!(desk.view().rounds[0].boards[0].told.iter().all(|told| !told.counts));
    desk.act(Act::Result { round, table, outcome: draw }).unwrap();
    let last = desk.view().rounds[0].boards[0].told.last().cloned().unwrap();
    assert_eq!((last.source, last.counts, last.by.is_empty()), (Source::Arbiter, true, false));
}

#[test]
fn settings_change_freely_before_round_1_and_with_a_reason_after() {
    let mut desk = individuals(4, 3);
    let more = |desk: &Desk, rounds| Box::new(Settings { rounds, ..(*desk.view().settings).clone() });
    let settings = more(&desk, 5);
    desk.on(DeskAct::Set { settings, why: String::new() });
    desk.round();
    let settings = more(&desk, 4);
    assert!(desk.refused(DeskAct::Set { settings: settings.clone(), why: String::new() }).contains("理由"));
    desk.on(DeskAct::Set { settings, why: "时间不够".into() });
    let teams = Box::new(Settings {
        played: Played::InTeams(TeamRules::regulation_b()),
        ..(*desk.view().settings).clone()
    });
    assert!(desk.refused(DeskAct::Set { settings: teams, why: "改".into() }).contains("抽签后"));
}

#[test]
fn teams_hand_in_line_ups_secretly_and_play_with_the_last_one_otherwise() {
    let settings = Settings { rounds: 2, fees: Default::default(), ..Settings::preset("b") };
    let mut desk = Desk::new("b", settings);
    for name in ["甲队", "乙队", "丙队", "丁队"] {
        desk.enter(team(name, 5));
    }
    desk.on(DeskAct::Draw(DrawBy::Computer { seed: 1 }));
    let due = desk.now.plus(3_600_000);
    let starts = vec![Some(due.plus(600_000)), None];
    let settings = Box::new(Settings { starts, ..(*desk.view().settings).clone() });
    desk.on(DeskAct::Set { settings, why: String::new() });
    desk.on(DeskAct::Draft);
    desk.on(DeskAct::Publish { why: String::new() });
    let lineup = |order: [u16; 5]| Some(Lineup(order.map(|no| (no > 0).then_some(MemberNo(no))).to_vec()));
    let hand_in = |team, order, late| DeskAct::LineUp {
        round: RoundNo(1),
        team: EntrantNo(team),
        lineup: lineup(order),
        late,
    };
    assert!(desk.refused(hand_in(1, [5, 2, 3, 4, 1], false)).contains("名单有误"));
    desk.on(hand_in(1, [4, 3, 2, 1, 5], false));
    desk.now = due.plus(1_000);
    assert!(desk.refused(hand_in(2, [4, 3, 2, 1, 5], false)).contains("时限"));
    desk.on(hand_in(2, [2, 0, 3, 4, 5], true));
    desk.act(Act::Start).unwrap();
    let view = desk.view();
    let round = &view.rounds[0];
    assert_eq!(round.boards.len(), 10);
    // 1-2 meet at match 1: team 1 is at home, red on boards 1, 3, 5.
    let board = &round.boards[0];
    assert_eq!((board.red, board.black), (EntrantNo(104), EntrantNo(202)));
    assert_eq!(round.boards[1].red, EntrantNo(200), "an empty board");
    assert_eq!(round.boards[1].outcome.unwrap().result, GameResult::BlackWins, "is forfeited from the start");
    assert_eq!(round.boards[9].red.0 / 100, 4, "4-3: team 4 is at home");
    desk.finish();
    let view = desk.view();
    assert!(view.rounds[0].over);
    assert_eq!(view.matches.len(), 2);
    let event = view.event.as_ref().unwrap();
    let first = event.result_of(RoundNo(1), EntrantNo(1)).unwrap();
    // Red won everywhere else: home has boards 1, 3, 5 and the forfeited board 2.
    assert_eq!(first.boards.unwrap().points.red.0, 8);
    assert_eq!(first.score.red.0, 2);
    desk.round();
    assert!(desk.view().rounds[1].boards.iter().any(|board| board.red.0 == 104 || board.black.0 == 104));
}

#[test]
fn the_desk_is_the_fold_of_its_journal() {
    let mut desk = individuals(5, 3);
    desk.round();
    desk.finish();
    desk.on(DeskAct::Withdraw { no: EntrantNo(1), from: RoundNo(2), why: "生病".into() });
    desk.on(DeskAct::Draft);
    let text: Vec<String> = desk.journal.iter().map(|entry| serde_json::to_string(entry).unwrap()).collect();
    let read = text.iter().map(|line| serde_json::from_str::<Entry>(line).unwrap());
    let again = Hall::restore(hall::SKEW, read).unwrap();
    assert_eq!(format!("{:?}", again.desk_view()), format!("{:?}", desk.hall.desk_view()));
}
