//! Two groups in one hall, from the entry file to both prize lists: eleven men by the Swiss system over seven rounds and six women
//! in a round robin of five, with a player who forgot the group, a late entry, a withdrawal, byes, an absence, a draft mixed up
//! by hand and a corrected result. Every final figure is reckoned anew from plain notes, group by group.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use tournament::{EntrantNo, GroupNo, LadderKey, Money, RoundNo};

#[path = "../fixture/office.rs"]
#[allow(dead_code, reason = "the other events and the example use the rest")]
mod office;
#[path = "../fixture/reckoning.rs"]
mod reckoning;

use office::Office;
use reckoning::{Figures, Noted, reckon};

const MEN: GroupNo = GroupNo(1);
const WOMEN: GroupNo = GroupNo(2);

const SETTINGS: [(&str, &str); 8] = [
    ("titles", "示例县分组赛"),
    ("played", "individually"),
    ("rounds", "7"),
    ("scoring", "2 1 0"),
    ("lineup", "10"),
    ("ladder", "积分 对手分 胜局 犯规 后走局数"),
    ("groups", "男子组：积分编排 7轮\n女子组：单循环 21台起 限女子"),
    ("prizes", "男子组名次：男子组：500 300 200\n女子组名次：女子组：300 200 100"),
];

/// The entry file: men and women as they came, one without a group.
fn file() -> String {
    let mut rows = "姓名,单位,性别,组别\n".to_owned();
    for at in 1..=11 {
        let group = if at == 4 { "" } else { "男子组" };
        rows += &format!("男{at:02},东山镇,男,{group}\n");
        if at <= 6 {
            rows += &format!("女{at:02},南湖社,女,女子组\n");
        }
    }
    rows
}

/// How a game ends: by its round and Red, so that it is the same every time.
fn key(round: u16, red: u16) -> &'static str {
    ["1", "3", "2", "1", "3", "1", "3"][usize::from((round * 5 + red * 3) % 7)]
}

/// Plays a round; what the arbiter notes of it, and the tables in use.
async fn play(office: &Office, notes: &mut Vec<Noted>) -> BTreeSet<u16> {
    for what in ["draft", "publish", "start"] {
        office.post("/desk/pairing", &[("do", what)]).await;
    }
    let desk = office.desk();
    let of = desk.rounds.last().unwrap();
    let round = of.no.0;
    let mut fields = vec![("round".to_owned(), round.to_string())];
    let mut tables = BTreeSet::new();
    for pair in &of.pairs {
        let (red, black) = (pair.red.0, pair.black.map_or(0, |no| no.0));
        let (score, played) = match (black, key(round, red)) {
            (0, _) => ([2, 0], false),
            (_, "1") => ([2, 0], true),
            (_, "2") => ([1, 1], true),
            _ => ([0, 2], true),
        };
        if black > 0 {
            assert!(tables.insert(pair.table.0), "table {} is used twice in round {round}", pair.table);
            assert_eq!(desk.group_of(pair.red), desk.group_of(EntrantNo(black)));
            assert_eq!(desk.group_of(pair.red) == Some(WOMEN), pair.table.0 >= 21);
            fields.push((format!("t{}", pair.table), key(round, red).to_owned()));
        }
        notes.push(Noted { round, red, black, score, played, fouls: [0, 0] });
    }
    let fields: Vec<(&str, &str)> = fields.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    office.post("/desk/results", &fields).await;
    assert!(office.desk().rounds.last().unwrap().over);
    tables
}

/// The standing of a group as the desk has it: rank and figures by number.
fn stood(office: &Office, group: GroupNo) -> Vec<(u16, u16, Figures)> {
    let view = office.desk().of_group(group);
    let (standing, _) = view.posted(view.last_over(), None).unwrap();
    let keys =
        [LadderKey::Points, LadderKey::Opponents, LadderKey::Wins, LadderKey::Fouls, LadderKey::BlackGames];
    assert_eq!(standing.ladder.0, keys);
    let figure =
        |row: &tournament::Row, at: usize| row.figures[at].unwrap().to_string().parse::<u32>().unwrap();
    let row = |row: &tournament::Row| {
        let of = |at| figure(row, at);
        (row.rank, row.no.0, (of(0), of(1), of(2), of(3), of(4)))
    };
    standing.rows.iter().map(row).collect()
}

/// The same from the notes: by points, opponents' points, wins, fewer fouls, games with Black; equals share a rank.
fn reckoned(numbers: &[u16], notes: &[Noted]) -> BTreeMap<u16, (u16, Figures)> {
    let figures = reckon(numbers.iter().copied(), notes);
    let key = |of: &Figures| (Reverse(of.0), Reverse(of.1), Reverse(of.2), of.3, Reverse(of.4));
    let rank = |of: &Figures| 1 + figures.values().filter(|other| key(other) < key(of)).count() as u16;
    figures.iter().map(|(no, of)| (*no, (rank(of), *of))).collect()
}

#[tokio::test]
async fn two_groups_from_an_entry_file_to_both_prize_lists() {
    let office = Office::open("示例县分组赛", "a", 7, 3);
    office.post("/desk/settings", &SETTINGS).await;
    assert!(office.page("/desk/settings").await.contains("女子组：单循环 21台起 限女子"));
    let preview = office.upload("报名.csv", file().as_bytes()).await;
    assert!(!preview.contains("读不懂的地方"), "{preview}");
    office.apply(&preview).await;
    let files: Vec<u16> = office.desk().files.keys().map(|no| no.0).collect();
    for no in &files {
        office.post(&format!("/desk/entries/{no}"), &[("do", "here"), ("here", "1")]).await;
    }
    // Who named no group is found before anybody is drawn.
    assert!(office.refused("/desk/draw", &[("by", "computer"), ("seed", "5")]).await.contains("男04"));
    let forgot = office.desk().files.iter().find(|(_, file)| file.form.name() == "男04").map(|(no, _)| no.0);
    let path = format!("/desk/entries/{}", forgot.unwrap());
    assert!(office.page(&format!("/desk/entries?no={}", forgot.unwrap())).await.contains("组别未填"));
    let amended =
        [("do", "amend"), ("unit", "东山镇"), ("p0_name", "男04"), ("p0_sex", "男"), ("p0_group", "男子组")];
    office.post(&path, &amended).await;
    office.post("/desk/draw", &[("by", "computer"), ("seed", "5")]).await;
    let numbers = |group: GroupNo| -> Vec<u16> {
        let desk = office.desk();
        desk.whose.keys().filter(|no| desk.group_of(**no) == Some(group)).map(|no| no.0).collect()
    };
    assert_eq!(numbers(MEN), (1..=11).collect::<Vec<_>>());
    assert_eq!(numbers(WOMEN), (12..=17).collect::<Vec<_>>());

    let mut notes = Vec::new();
    let tables = play(&office, &mut notes).await;
    assert_eq!(tables, BTreeSet::from([1, 2, 3, 4, 5, 21, 22, 23]));
    // Round 2: a man and a woman exchanged by hand cannot be published; each group is paired anew by itself.
    office.post("/desk/pairing", &[("do", "draft")]).await;
    office.post("/desk/pairing", &[("do", "swap"), ("a", "1"), ("b", "12"), ("why", "手误")]).await;
    let said = office.refused("/desk/pairing", &[("do", "publish"), ("why", "照发")]).await;
    assert!(said.contains("不同组"), "{said}");
    for group in ["1", "2"] {
        office.post("/desk/pairing", &[("do", "draft-group"), ("group", group)]).await;
    }
    assert!(office.desk().warnings.is_empty(), "{:?}", office.desk().warnings);
    play(&office, &mut notes).await;
    // A late entry among the men from round 3 on, who makes them twelve; the women's table has no place for one.
    for (name, sex, group) in [("迟到者", "男", "男子组"), ("女07", "女", "女子组")] {
        let form = [("unit", "城关"), ("p0_name", name), ("p0_sex", sex), ("p0_group", group), ("late", "1")];
        office.post("/desk/entries", &form).await;
    }
    office.post("/desk/entries/18", &[("do", "late"), ("member", "1"), ("from", "3")]).await;
    let late = office.refused("/desk/entries/19", &[("do", "late"), ("member", "1"), ("from", "3")]).await;
    assert!(late.contains("循环赛"), "{late}");
    play(&office, &mut notes).await;
    assert!(notes.iter().filter(|it| it.round == 3).all(|it| it.black > 0), "nobody is free any more");
    // A man withdraws, another is absent for a round; a slip of the women's round 2 was copied wrongly.
    office.post("/desk/field", &[("do", "withdraw"), ("no", "7"), ("round", "4"), ("why", "生病")]).await;
    office.post("/desk/field", &[("do", "absent"), ("no", "3"), ("round", "5")]).await;
    play(&office, &mut notes).await;
    let before = office.desk().rounds[2].pairs.clone();
    let wrong = notes.iter_mut().find(|it| it.round == 2 && it.red >= 12 && it.score == [2, 0]).unwrap();
    let table = office.desk().rounds[1].pairs.iter().find(|it| it.red.0 == wrong.red).unwrap().table;
    (wrong.score, wrong.fouls) = ([1, 1], [1, 0]);
    let table = table.to_string();
    let slip = [
        ("round", "2"),
        ("table", &table),
        ("result", "draw"),
        ("ending", "agreement"),
        ("red", "1"),
        ("black", "0"),
        ("why", "成绩条抄错"),
    ];
    office.post("/desk/results/one", &slip).await;
    assert_eq!(office.desk().rounds[2].pairs, before, "what was published stays");
    let version = |group| office.desk().of_group(group).posted(RoundNo(2), None).unwrap().1.version;
    assert_eq!([version(MEN), version(WOMEN)], [2, 2], "the men's has the late entry");
    play(&office, &mut notes).await;
    // The women have played their five rounds; the men go on.
    for _ in 6..=7 {
        let tables = play(&office, &mut notes).await;
        assert!(tables.iter().all(|table| *table < 21));
    }
    assert!(!office.desk().can_pair());

    // Every figure, group by group.
    let mut met = BTreeSet::new();
    for it in notes.iter().filter(|it| it.black > 0) {
        assert!(met.insert((it.red.min(it.black), it.red.max(it.black))), "no rematch");
    }
    let women_met = met.iter().filter(|(one, _)| numbers(WOMEN).contains(one)).count();
    assert_eq!((numbers(MEN).len(), women_met), (12, 15), "the women all met");
    for group in [MEN, WOMEN] {
        let numbers = numbers(group);
        let ours: Vec<Noted> = notes.iter().filter(|it| numbers.contains(&it.red)).copied().collect();
        let expected = reckoned(&numbers, &ours);
        let stood = stood(&office, group);
        assert_eq!(stood.len(), numbers.len());
        for (rank, no, figures) in &stood {
            assert_eq!((*rank, *figures), expected[no], "number {no}");
        }
        // The first three have the three prizes.
        let desk = office.desk();
        let list = desk.settings.prizes.iter().find(|list| list.group == Some(group)).unwrap();
        let lines = desk.prize_lines(list);
        let first: Vec<u16> = stood.iter().take(3).map(|(_, no, _)| *no).collect();
        let given: Vec<u16> = lines.iter().take(3).map(|line| line.no.unwrap().0).collect();
        assert_eq!(given, first);
        let sum: Money = lines.iter().map(|line| line.amount).sum();
        assert_eq!(sum, Money::yuan(if group == MEN { 1_000 } else { 600 }));
    }
    pages(&office).await;
    files_to_take_away(&office).await;
}

/// Pages and documents show each group by itself.
async fn pages(office: &Office) {
    let standings = office.page("/standings").await;
    assert!(standings.contains("男子组") && standings.contains("女子组"));
    let women = office.page("/standings?group=2").await;
    assert!(women.contains("女01") && !women.contains("男01"));
    let round = office.page("/round/1").await;
    let (men, after) = (round.find("男子组").unwrap(), round.find("女子组").unwrap());
    assert!(men < round.find("男01").unwrap() && after < round.find("女01").unwrap());
    let player = office.page("/player/12").await;
    assert!(player.contains("女子组"));
    for (path, group) in [("/desk/standings?group=2", "女"), ("/desk/standings", "男")] {
        let page = office.page(path).await;
        assert!(
            page.contains(&format!("{group}01"))
                && !page.contains(if group == "女" { "男01" } else { "女01" })
        );
    }
    for path in [
        "/desk/entries",
        "/desk/draw",
        "/desk/pairing?round=1",
        "/desk/results?round=1",
        "/desk/prizes",
        "/",
        "/screen",
    ] {
        assert!(office.page(path).await.contains("女子组") || path == "/screen", "{path}");
    }
    for path in ["pairings/1", "results/1", "standings/7", "slips/1"] {
        let page = office.page(&format!("/print/{path}")).await;
        assert!(page.contains("女子组") && page.contains("男子组"), "{path}");
    }
    assert!(!office.page("/print/pairings/7").await.contains("女子组"), "they are done");
    for path in ["booklet", "draw", "final", "scores", "prizes", "certificates"] {
        assert!(office.page(&format!("/print/{path}")).await.contains("女子组"), "{path}");
    }
    assert!(office.page("/print/booklet").await.contains("男子组 积分编排制7轮；女子组 单循环5轮"));
}

/// TRF16 of each group, a workbook with a sheet for each, the open API and its table.
async fn files_to_take_away(office: &Office) {
    let trf = office.page("/desk/files/event-2.trf").await;
    let players: Vec<&str> = trf.lines().filter(|line| line.starts_with("001 ")).collect();
    assert_eq!(players.len(), 6);
    assert!(trf.contains("XXR 5") && players.iter().all(|line| line.contains('女')));
    let book = office.get("/desk/files/standing-7.xlsx").await;
    let mut book: calamine::Xlsx<_> = calamine::open_workbook_from_rs(std::io::Cursor::new(book)).unwrap();
    assert_eq!(calamine::Reader::sheet_names(&book), ["男子组", "女子组"]);
    let women = calamine::Reader::worksheet_range(&mut book, "女子组").unwrap();
    assert_eq!(women.rows().count(), 8, "title, heads, six ranks");
    let api: serde_json::Value = serde_json::from_str(&office.page("/api/v1/standing").await).unwrap();
    let firsts = api["rows"].as_array().unwrap().iter().filter(|row| row["rank"] == 1);
    let firsts: Vec<u64> = firsts.map(|row| row["group"].as_u64().unwrap()).collect();
    assert!(firsts.contains(&1) && firsts.contains(&2));
    let csv = office.page("/api/v1/standing.csv").await;
    assert!(csv.lines().next().unwrap().ends_with("组别") && csv.contains(",女子组"));
}
