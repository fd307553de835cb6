//! Several groups at the desk: who is in which, the draw, drafts of one group alone, tables of one numbering, and how each group's
//! standing is its own.

#![allow(clippy::unwrap_used)]

#[allow(dead_code, reason = "each test binary uses its part")]
mod desk;

use arbitration::GameResult;
use desk::Desk;
use hall::desk::{
    Born, DeskAct, DrawBy, Form, FormNo, Group, Player, PrizeFor, PrizeList, Rule, Settings, Sex, Whom,
    findings,
};
use hall::{Entry, Hall};
use tournament::{EntrantNo, GroupNo, MemberNo, Money, RoundNo, Rounding, System, TeamRules, standings};

fn group(name: &str, system: System, rounds: u16) -> Group {
    let field = tournament::Group { name: name.into(), rounds, system, first_table: None };
    Group { field, women: false, born_from: None, born_until: None }
}

/// Men by the Swiss system, women in a round robin.
fn two() -> Vec<Group> {
    let women = Group { women: true, ..group("女子组", System::RoundRobin { double: false }, 1) };
    vec![group("男子组", System::Swiss, 4), women]
}

fn player(name: &str, group: &str) -> Player {
    let sex = Some(if group == "女子组" { Sex::Female } else { Sex::Male });
    Player { name: name.into(), sex, group: group.into(), ..Player::default() }
}

fn alone(name: &str, group: &str) -> Form {
    Form { players: vec![player(name, group)], ..Form::default() }
}

fn desk_of(groups: Vec<Group>) -> Desk {
    Desk::new("a", Settings { groups, rounds: 4, ..Settings::preset("a") })
}

/// Five men and four women, in turn, drawn.
fn drawn() -> Desk {
    let mut desk = desk_of(two());
    for at in 1..=5 {
        desk.enter(alone(&format!("男{at}"), "男子组"));
        if at < 5 {
            desk.enter(alone(&format!("女{at}"), "女子组"));
        }
    }
    desk.on(DeskAct::Draw(DrawBy::Computer { seed: 3 }));
    desk
}

/// A round in which Red wins everywhere.
fn round(desk: &mut Desk) {
    desk.round();
    desk.finish();
}

/// Table, Red, Black of the draft.
fn draft(desk: &Desk) -> Vec<(u16, u16, Option<u16>)> {
    let (_, pairs) = desk.view().draft.unwrap();
    pairs.iter().map(|pair| (pair.table.0, pair.red.0, pair.black.map(|no| no.0))).collect()
}

fn set(settings: Settings) -> DeskAct {
    DeskAct::Set { settings: Box::new(settings), why: String::new() }
}

#[test]
fn groups_draw_apart_and_their_numbers_and_tables_run_on() {
    let mut desk = drawn();
    let view = desk.view();
    for (no, whom) in &view.whose {
        let men = view.file(whom.form).unwrap().form.players[0].group == "男子组";
        assert_eq!(men, no.0 <= 5, "{no}");
        assert_eq!(view.group_name(*no), if men { "男子组" } else { "女子组" });
    }
    desk.on(DeskAct::Draft);
    let draft = draft(&desk);
    assert_eq!(draft.iter().map(|(table, ..)| *table).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert_eq!(draft[..2], [(1, 1, Some(2)), (2, 4, Some(3))], "1-2, 4-3 of the men");
    assert_eq!(draft[4], (5, 5, None), "the bye has the number after the last table of the hall");
}

#[test]
fn numbers_drawn_by_hand_are_those_of_the_group() {
    let mut desk = desk_of(two());
    for (name, group) in [("女1", "女子组"), ("男1", "男子组"), ("女2", "女子组"), ("男2", "男子组")]
    {
        desk.enter(alone(name, group));
    }
    let whom = |form| Whom { form: FormNo(form), member: Some(MemberNo(1)) };
    let by_hand =
        |all: [(u16, u16); 4]| DrawBy::Hand(all.map(|(no, form)| (EntrantNo(no), whom(form))).to_vec());
    assert!(desk.refused(DeskAct::Draw(by_hand([(1, 1), (2, 2), (3, 3), (4, 4)]))).contains("缺1号"));
    desk.on(DeskAct::Draw(by_hand([(2, 1), (1, 2), (1, 3), (2, 4)])));
    let names: Vec<String> = (1..=4).map(|no| desk.view().entrant(EntrantNo(no)).0).collect();
    assert_eq!(names, ["男1", "男2", "女2", "女1"]);
}

#[test]
fn nobody_is_drawn_without_a_group_and_a_form_says_what_does_not_fit() {
    let mut groups = two();
    groups
        .push(Group {
            born_from: Some("2010-01-01".parse().unwrap()), ..group("少年组", System::Swiss, 3)
        });
    let mut desk = desk_of(groups);
    desk.enter(alone("男1", "男子组"));
    let form = desk.enter(alone("男2", "老年组"));
    assert!(desk.refused(DeskAct::Draw(DrawBy::Computer { seed: 1 })).contains("男2"));
    let said = |desk: &Desk, no: FormNo| {
        let view = desk.view();
        let all = findings(&view.settings, &view.files, no);
        all.into_iter().find(|it| it.rule == Rule::Group && !it.fine).map(|it| it.says.zh)
    };
    assert_eq!(said(&desk, form).unwrap(), "男2 没有“老年组”");
    let born = |text: &str| Some(text.parse::<Born>().unwrap());
    let cases = [
        (Player { group: String::new(), ..player("男2", "") }, Some("男2 组别未填")),
        (Player { sex: Some(Sex::Male), ..player("男2", "女子组") }, Some("男2 女子组限女子")),
        (player("男2", "女子组"), None),
        (player("男2", "少年组"), Some("男2 少年组出生日期未填")),
        (Player { born: born("2009-12-31"), ..player("男2", "少年组") }, Some("男2 少年组年龄超过")),
        (Player { born: born("2010"), ..player("男2", "少年组") }, None),
        (player("男2", "男子组"), None),
    ];
    for (as_entered, finding) in cases {
        let amended = Form { players: vec![as_entered], ..Form::default() };
        desk.on(DeskAct::Amend { no: form, form: Box::new(amended) });
        assert_eq!(said(&desk, form).as_deref(), finding);
    }
    desk.on(DeskAct::Draw(DrawBy::Computer { seed: 1 }));
}

#[test]
fn somebody_changes_groups_until_round_1_is_published() {
    let mut desk = drawn();
    let men = desk.view().whose.iter().find(|(no, _)| no.0 == 4).map(|(_, whom)| whom.form).unwrap();
    let name = desk.view().entrant(EntrantNo(4)).0;
    desk.on(DeskAct::Draft);
    let moved = |group: &str| DeskAct::Amend { no: men, form: Box::new(alone(&name, group)) };
    desk.on(moved("女子组"));
    assert_eq!(desk.view().group_of(EntrantNo(4)), Some(GroupNo(2)));
    let said = desk.refused(DeskAct::Publish { why: String::new() });
    assert!(said.contains("不同组"), "the draft is out of date: {said}");
    desk.on(DeskAct::Undo);
    assert_eq!(desk.view().group_of(EntrantNo(4)), Some(GroupNo(1)));
    desk.on(DeskAct::Publish { why: String::new() });
    assert!(desk.refused(moved("女子组")).contains("不能换组"));
    assert!(desk.refused(moved("儿童组")).contains("组别"));
}

#[test]
fn one_group_of_a_draft_is_paired_anew_and_the_others_stay() {
    let mut desk = drawn();
    desk.on(DeskAct::Draft);
    let first = draft(&desk);
    desk.on(DeskAct::Swap { a: EntrantNo(1), b: EntrantNo(3), why: "同车来".into() });
    desk.on(DeskAct::Swap { a: EntrantNo(2), b: EntrantNo(6), why: "手误".into() });
    let said = desk.refused(DeskAct::Publish { why: "照发".into() });
    assert!(said.contains("不同组"), "{said}");
    desk.on(DeskAct::Undo);
    desk.on(DeskAct::Swap { a: EntrantNo(6), b: EntrantNo(8), why: "换座".into() });
    let women = draft(&desk)[2..4].to_vec();
    desk.on(DeskAct::DraftGroup(GroupNo(1)));
    assert_eq!(draft(&desk)[..2], first[..2]);
    assert_eq!(draft(&desk)[2..4], women);
    assert!(desk.refused(DeskAct::Publish { why: String::new() }).contains("与赛制不符"), "of the women");
    desk.on(DeskAct::DraftGroup(GroupNo(2)));
    desk.on(DeskAct::Publish { why: String::new() });
}

#[test]
fn each_group_stands_for_itself_and_ends_with_its_own_rounds() {
    let mut desk = drawn();
    for _ in 1..=4 {
        round(&mut desk);
    }
    assert!(!desk.view().can_pair());
    let view = desk.view();
    let (men, women) = (view.of_group(GroupNo(1)), view.of_group(GroupNo(2)));
    assert_eq!(
        (men.last_over(), women.last_over()),
        (RoundNo(4), RoundNo(3)),
        "a round robin of four has three"
    );
    assert!(view.rounds[3].pairs.iter().all(|pair| pair.red.0 <= 5));
    assert_eq!((men.title.as_str(), women.rounds_in_all()), ("秋分杯 男子组", 3));
    // As two events would have it.
    let event = view.event.as_ref().unwrap();
    for (of_group, no) in [(&men, GroupNo(1)), (&women, GroupNo(2))] {
        let (standing, posting) = of_group.posted(of_group.last_over(), None).unwrap();
        assert_eq!(standing, standings(&event.of_group(no), of_group.last_over()));
        assert_eq!(posting.version, 1);
    }
    // A correction among the women is a new version of theirs only.
    desk.result(2, 3, GameResult::BlackWins, "抄错");
    let view = desk.view();
    let version = |no, round| view.of_group(GroupNo(no)).posted(RoundNo(round), None).unwrap().1.version;
    assert_eq!([version(1, 2), version(1, 3), version(2, 1), version(2, 2), version(2, 3)], [1, 1, 1, 2, 2]);
    // What everybody sees: ranks of the group, and a table used by nobody else.
    let seen = desk.hall.standing_view().unwrap();
    for no in [1, 2].map(GroupNo) {
        let rows = seen.of_group(no).rows;
        assert_eq!(rows[0].rank, 1);
        assert!(rows.iter().all(|row| (row.no.0 <= 5) == (no == GroupNo(1))));
    }
    assert_eq!(desk.hall.event_view().unwrap().groups, ["男子组", "女子组"]);
}

#[test]
fn late_entries_go_by_the_system_of_their_group() {
    let mut desk = drawn();
    round(&mut desk);
    let man = desk.enter(alone("男6", "男子组"));
    let woman = desk.enter(alone("女5", "女子组"));
    let late = |no| DeskAct::EnterLate { no, member: Some(MemberNo(1)), from: RoundNo(2) };
    assert!(desk.refused(late(woman)).contains("循环赛"));
    desk.on(late(man));
    assert_eq!(desk.view().group_of(EntrantNo(10)), Some(GroupNo(1)));
    desk.on(DeskAct::Draft);
    assert!(draft(&desk).iter().all(|(.., black)| black.is_some()), "six men, no bye");
    desk.on(DeskAct::Publish { why: String::new() });
    let added = DeskAct::AddTable { red: EntrantNo(1), black: EntrantNo(6) };
    assert!(desk.refused(added).contains("不同组"));
}

#[test]
fn what_groups_cannot_have_is_refused() {
    let mut desk = drawn();
    let now = (*desk.view().settings).clone();
    let teams = Settings { played: hall::desk::Played::InTeams(TeamRules::regulation_b()), ..now.clone() };
    let mut fresh = desk_of(Vec::new());
    assert!(fresh.refused(set(teams)).contains("团体赛不能分组"));
    let prize = |of, group| PrizeList {
        name: "名次".into(),
        of,
        amounts: vec![Money::yuan(100)],
        rounding: Rounding::Fen,
        group,
    };
    let prizes = |list| Settings { prizes: vec![list], ..now.clone() };
    assert!(desk.refused(set(prizes(prize(PrizeFor::Standing, None)))).contains("写明组别"));
    assert!(desk.refused(set(prizes(prize(PrizeFor::Standing, Some(GroupNo(3)))))).contains("没有的组别"));
    desk.on(set(prizes(prize(PrizeFor::TeamTotals, None))));
    let fewer = Settings { groups: now.groups[..1].to_vec(), ..now.clone() };
    assert!(desk.refused(set(fewer)).contains("不能增减组别"));
    // A name can be mended; forms follow.
    let mut mended = now.clone();
    mended.groups[0].field.name = "男子公开组".into();
    desk.on(set(mended.clone()));
    assert_eq!(desk.view().group_name(EntrantNo(1)), "男子公开组");
    assert!(desk.view().files.values().all(|file| file.form.players[0].group != "男子组"));
    round(&mut desk);
    round(&mut desk);
    let why = || "改".to_owned();
    let again = |settings: &Settings| DeskAct::Set { settings: Box::new(settings.clone()), why: why() };
    mended.groups[0].field.rounds = 1;
    assert!(desk.refused(again(&mended)).contains("轮数"));
    mended.groups[0].field = tournament::Group {
        rounds: 4,
        system: System::Knockout { replays: 1 },
        ..mended.groups[0].field.clone()
    };
    assert!(desk.refused(again(&mended)).contains("不能改赛制"));
}

#[test]
fn groups_come_back_from_the_journal_and_yesterdays_settings_have_none() {
    let mut desk = drawn();
    round(&mut desk);
    round(&mut desk);
    let text = serde_json::to_string(&desk.journal).unwrap();
    let again = Hall::restore(hall::SKEW, serde_json::from_str::<Vec<Entry>>(&text).unwrap()).unwrap();
    assert_eq!(again.desk_view().unwrap().event, desk.view().event);
    let mut of_yesterday = serde_json::to_value(Settings::preset("a")).unwrap();
    of_yesterday.as_object_mut().unwrap().remove("groups");
    assert_eq!(serde_json::from_value::<Settings>(of_yesterday).unwrap(), Settings::preset("a"));
}
