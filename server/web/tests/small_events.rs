//! Small events whole, at the desk: a round robin of eight, a double one of five, a knock-out of twelve with drawn ties, and
//! the exhibition beside an event. Every result comes from a slip; no board, no clock.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::collections::BTreeSet;

use tournament::{EntrantNo, RoundNo};

#[path = "../fixture/office.rs"]
#[allow(dead_code, reason = "the whole events and the example use the rest")]
mod office;

use office::Office;

/// An event of so many single players, drawn by hand in the order of entry, by this system.
async fn open(players: u16, system: &str, replays: &str) -> Office {
    let office = Office::open("社区杯", "a", 7, 3);
    let settings = [
        ("titles", "社区杯"),
        ("played", "individually"),
        ("system", system),
        ("replays", replays),
        ("rounds", "7"),
        ("scoring", "2 1 0"),
        ("lineup", "10"),
        ("ladder", "积分 小分 胜局 直胜 犯规 后走局数"),
        ("prizes", "名次：个人名次：500 300 200 100"),
    ];
    office.post("/desk/settings", &settings).await;
    let mut numbers: Vec<(String, String)> = Vec::new();
    for no in 1..=players {
        let name = format!("棋手{no:02}");
        office.post("/desk/entries", &[("unit", "社区"), ("p0_name", &name)]).await;
        office.post(&format!("/desk/entries/{no}"), &[("do", "here"), ("here", "1")]).await;
        numbers.push((format!("n{no}_1"), no.to_string()));
    }
    let mut draw: Vec<(&str, &str)> = numbers.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    draw.push(("by", "hand"));
    office.post("/desk/draw", &draw).await;
    office
}

/// Pairs, publishes, starts and enters a round; `key` says what stands on the slip of Red and Black.
async fn play(office: &Office, key: impl Fn(u16, u16) -> &'static str) -> Vec<(u16, u16)> {
    for what in ["draft", "publish", "start"] {
        office.post("/desk/pairing", &[("do", what)]).await;
    }
    let desk = office.desk();
    let round = desk.rounds.last().unwrap();
    let mut fields = vec![("round".to_owned(), round.no.to_string())];
    let mut games = Vec::new();
    for pair in &round.pairs {
        let Some(black) = pair.black else { continue };
        fields.push((format!("t{}", pair.table), key(pair.red.0, black.0).to_owned()));
        games.push((pair.red.0, black.0));
    }
    let fields: Vec<(&str, &str)> = fields.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    office.post("/desk/results", &fields).await;
    assert!(office.desk().rounds.last().unwrap().over);
    games
}

/// The smaller number wins.
fn smaller(red: u16, black: u16) -> &'static str {
    if red < black { "1" } else { "3" }
}

fn ranks(office: &Office) -> Vec<(u16, u16)> {
    let desk = office.desk();
    let (standing, _) = desk.posted(desk.last_over(), None).unwrap();
    standing.rows.iter().map(|row| (row.rank, row.no.0)).collect()
}

async fn all_documents(office: &Office, round: u16) {
    for path in ["/print/booklet", "/print/final", "/print/scores", "/print/prizes", "/print/certificates"] {
        assert!(office.page(path).await.contains("</html>"), "{path}");
    }
    for path in ["pairings", "results", "standings", "slips"] {
        assert!(office.page(&format!("/print/{path}/{round}")).await.contains("</html>"), "{path}");
    }
    for path in ["/", "/standings", "/desk/pairing", "/desk/standings", "/desk/prizes", "/api/v1/standing"] {
        office.page(path).await;
    }
}

#[tokio::test]
async fn a_round_robin_of_eight_from_the_entries_to_the_prize_list() {
    let office = open(8, "single", "1").await;
    assert_eq!(office.desk().rounds_in_all(), 7);
    let mut met = BTreeSet::new();
    for round in 1..=7 {
        assert!(office.desk().can_pair());
        for (red, black) in play(&office, smaller).await {
            assert!(met.insert((red.min(black), red.max(black))), "round {round}");
        }
        if round == 1 {
            let late = [("unit", "社区"), ("p0_name", "迟到者"), ("late", "1")];
            office.post("/desk/entries", &late).await;
            office.post("/desk/entries/9", &[("do", "here"), ("here", "1")]).await;
            let said =
                office.refused("/desk/entries/9", &[("do", "late"), ("member", "1"), ("from", "2")]).await;
            assert!(said.contains("循环赛"), "{said}");
            let settings = [
                ("played", "individually"),
                ("system", "swiss"),
                ("rounds", "7"),
                ("scoring", "2 1 0"),
                ("lineup", "10"),
                ("ladder", "积分"),
                ("why", "改主意"),
            ];
            assert!(office.refused("/desk/settings", &settings).await.contains("不能改赛制"));
        }
    }
    assert_eq!(met.len(), 28);
    assert!(!office.desk().can_pair());
    assert_eq!(ranks(&office), (1..=8).map(|no| (no, no)).collect::<Vec<_>>());
    assert!(office.refused("/desk/pairing", &[("do", "draft")]).await.contains("全部7轮"));

    // The game of 1 and 2 was copied wrongly: all of the standing follows, and the prizes with it.
    let desk = office.desk();
    let (round, table) = desk
        .rounds
        .iter()
        .find_map(|round| {
            let board = round
                .boards
                .iter()
                .find(|it| it.red.0.min(it.black.0) == 1 && it.red.0.max(it.black.0) == 2)?;
            Some((round.no, board.clone()))
        })
        .unwrap();
    let second = if table.red == EntrantNo(2) { "red_wins" } else { "black_wins" };
    let slip = [
        ("round", round.to_string()),
        ("table", table.table.to_string()),
        ("result", second.to_owned()),
        ("ending", "checkmate".to_owned()),
        ("red", "0".to_owned()),
        ("black", "0".to_owned()),
        ("why", "成绩条抄错".to_owned()),
    ];
    let slip: Vec<(&str, &str)> = slip.iter().map(|(name, value)| (*name, value.as_str())).collect();
    office.post("/desk/results/one", &slip).await;
    assert_eq!(ranks(&office)[..2], [(1, 2), (2, 1)]);
    let lines = office.desk().prize_lines(&office.desk().settings.prizes[0]);
    assert_eq!(lines[0].name, "棋手02");
    assert!(office.page("/print/booklet").await.contains("单循环7轮"));
    all_documents(&office, 7).await;
}

#[tokio::test]
async fn a_double_round_robin_of_five_has_ten_rounds_and_worthless_free_ones() {
    let office = open(5, "double", "1").await;
    for _ in 1..=10 {
        play(&office, |_, _| "2").await;
    }
    assert!(!office.desk().can_pair());
    assert!(ranks(&office).iter().all(|(rank, _)| *rank == 1));
    let desk = office.desk();
    let (standing, _) = desk.posted(RoundNo(10), None).unwrap();
    assert!(standing.rows.iter().all(|row| row.figures[0].unwrap().to_string() == "8"));
    // Five equals share the four prizes.
    let lines = desk.prize_lines(&desk.settings.prizes[0]);
    assert!(lines.iter().all(|line| line.amount == tournament::Money::yuan(220)), "{lines:?}");
    all_documents(&office, 10).await;
}

#[tokio::test]
async fn a_knock_out_of_twelve_with_free_places_drawn_ties_and_a_final() {
    let office = open(12, "knockout", "2").await;
    // Round 2 is a play-off with less time.
    let settings = [
        ("titles", "社区杯"),
        ("played", "individually"),
        ("system", "knockout"),
        ("replays", "2"),
        ("rounds", "7"),
        ("scoring", "2 1 0"),
        ("lineup", "10"),
        ("ladder", "积分"),
        ("times", "—\n10 3"),
        ("prizes", "名次：个人名次：500 300 200 100"),
    ];
    assert!(
        office
            .refused(
                "/desk/settings",
                &settings.map(|(name, value)| (name, if name == "times" { "十分" } else { value }))
            )
            .await
            .contains("用时")
    );
    office.post("/desk/settings", &settings).await;
    let drawn = |red: u16, black: u16| match (red.min(black), red.max(black)) {
        (8, 9) => "2",
        _ => smaller(red, black),
    };
    assert_eq!(play(&office, drawn).await.len(), 4, "1 to 4 are free");
    assert_eq!(office.desk().rounds[0].pairs.iter().filter(|pair| pair.black.is_none()).count(), 4);
    assert_eq!(play(&office, drawn).await.len(), 1, "the first game more");
    let last = play(&office, drawn).await;
    assert_eq!(last.len(), 1, "the second");
    let through = last[0].1;
    assert!(office.page("/desk/pairing").await.contains("加赛第2局"));
    assert!(office.page("/print/pairings/1").await.contains("每方25分 + 每着5秒"));
    assert!(office.page("/print/pairings/2").await.contains("每方10分 + 每着3秒"));
    let english = office.page("/print/pairings/2?lang=en").await;
    assert!(
        english.contains("Round 2 pairings")
            && english.contains("play-off game 1")
            && english.contains("10 min + 3 s")
    );

    let quarter = play(&office, smaller).await;
    assert_eq!(quarter.len(), 4);
    assert!(quarter.iter().any(|(red, black)| [*red, *black].contains(&through)), "Black of the last game");
    assert_eq!(play(&office, smaller).await.len(), 2);
    assert!(office.desk().can_pair());
    // One at the table of the final does not come.
    let last = play(&office, |red, black| {
        if red.min(black) == 1 { if red == 1 { "4" } else { "5" } } else { smaller(red, black) }
    })
    .await;
    assert_eq!(last.len(), 2);
    assert!(office.page("/print/pairings/6").await.contains("决赛"));
    assert!(!office.desk().can_pair());
    assert!(office.refused("/desk/pairing", &[("do", "draft")]).await.contains("已决出名次"));
    assert_eq!(ranks(&office)[..4], [(1, 2), (2, 1), (3, 3), (4, 4)]);
    assert_eq!(
        ranks(&office)[4..].iter().map(|(rank, _)| *rank).collect::<Vec<_>>(),
        [5, 5, 5, 5, 9, 9, 9, 9]
    );
    assert_eq!(office.desk().prize_lines(&office.desk().settings.prizes[0])[0].name, "棋手02");
    all_documents(&office, 6).await;
}

#[tokio::test]
async fn a_corrected_result_takes_the_published_round_of_a_knock_out_back() {
    let office = open(4, "knockout", "1").await;
    assert_eq!(play(&office, smaller).await.len(), 2);
    for what in ["draft", "publish"] {
        office.post("/desk/pairing", &[("do", what)]).await;
    }
    assert!(!office.page("/desk/pairing").await.contains("收回并重新编排"));
    let finalists = |pairs: &[hall::Pair]| -> BTreeSet<u16> {
        let last = pairs.iter().find(|pair| pair.why.zh.starts_with("决赛")).unwrap();
        BTreeSet::from([last.red.0, last.black.unwrap().0])
    };
    let before = finalists(&office.desk().rounds[1].pairs);
    assert!(before.contains(&1));
    // The winner of the semi-final in which 1 played was copied wrongly.
    let semi =
        office.desk().rounds[0].boards.iter().find(|it| it.red.0 == 1 || it.black.0 == 1).cloned().unwrap();
    let (winner, result) =
        if semi.red.0 == 1 { (semi.black.0, "black_wins") } else { (semi.red.0, "red_wins") };
    let table = semi.table.to_string();
    let slip = [
        ("round", "1"),
        ("table", &table),
        ("result", result),
        ("ending", "checkmate"),
        ("red", "0"),
        ("black", "0"),
        ("why", "成绩条抄错"),
    ];
    office.post("/desk/results/one", &slip).await;
    assert_eq!(
        finalists(&office.desk().rounds[1].pairs),
        before,
        "what was published stays until somebody says so"
    );
    assert!(office.page("/desk/pairing").await.contains("收回并重新编排"));
    assert!(office.refused("/desk/pairing", &[("do", "repair")]).await.contains("理由"));
    office.post("/desk/pairing", &[("do", "repair"), ("why", "半决赛成绩更正")]).await;
    let (_, pairs) = office.desk().draft.clone().unwrap();
    let after = finalists(&pairs);
    assert!(after.contains(&winner) && !after.contains(&1));
    assert!(office.desk().warnings.is_empty());
}

#[tokio::test]
async fn who_has_a_fixed_table_sits_there_in_every_round() {
    let office = open(8, "single", "1").await;
    let settings = [
        ("played", "individually"),
        ("system", "single"),
        ("replays", "1"),
        ("rounds", "7"),
        ("scoring", "2 1 0"),
        ("lineup", "10"),
        ("ladder", "积分"),
        ("tables", "5-1"),
    ];
    let wrong = settings.map(|(name, value)| (name, if name == "tables" { "5一1" } else { value }));
    assert!(office.refused("/desk/settings", &wrong).await.contains("固定台"));
    office.post("/desk/settings", &settings).await;
    assert!(office.page("/desk/settings").await.contains("value=\"5-1\""));
    for _ in 1..=7 {
        play(&office, smaller).await;
        let desk = office.desk();
        let boards = &desk.rounds.last().unwrap().boards;
        let tables: BTreeSet<u16> = boards.iter().map(|board| board.table.0).collect();
        assert_eq!(tables, BTreeSet::from([1, 2, 3, 4]));
        let first = boards.iter().find(|board| board.table.0 == 1).unwrap();
        assert!(first.red.0 == 5 || first.black.0 == 5, "round {}", desk.rounds.len());
    }
    assert_eq!(ranks(&office), (1..=8).map(|no| (no, no)).collect::<Vec<_>>());
}

#[tokio::test]
async fn who_forfeits_two_rounds_in_a_row_is_named() {
    let office = open(6, "single", "1").await;
    let absent = |red: u16, black: u16| match (red, black) {
        (3, _) => "4",
        (_, 3) => "5",
        _ => "2",
    };
    play(&office, absent).await;
    assert!(office.desk().forfeited_twice().is_empty());
    play(&office, absent).await;
    assert_eq!(office.desk().forfeited_twice(), [EntrantNo(3)]);
    assert!(office.page("/desk/pairing").await.contains("连续两轮弃权"));
    office.post("/desk/field", &[("do", "withdraw"), ("no", "3"), ("round", "3"), ("why", "未到")]).await;
    assert!(office.desk().forfeited_twice().is_empty());
}

#[tokio::test]
async fn the_exhibition_takes_entries_fees_and_results_and_prints_what_is_paid_out() {
    let office = Office::open("示例联赛", "b", 7, 3);
    let path = "/desk/simul";
    assert!(office.refused(path, &[("do", "enter"), ("name", "早到者")]).await.contains("名手"));
    let terms = [
        ("do", "announce"),
        ("masters", "甲大师\n乙大师\n丙大师"),
        ("when", "10月25日 13:30 示例广场"),
        ("closes", "2020-10-23 22:00"),
        ("fee", "50"),
        ("member_fee", "0"),
        ("win", "100"),
        ("draw", "50"),
    ];
    office.post(path, &terms).await;
    for no in 1..=7 {
        let name = format!("爱好者{no}");
        let mut entry = vec![("do", "enter"), ("name", name.as_str()), ("unit", "社区")];
        if no == 2 {
            entry.push(("member", "1"));
        }
        office.post(path, &entry).await;
    }
    let simul = office.desk().simul.clone();
    let boards: Vec<Vec<u16>> = (0..3).map(|at| simul.boards(at).map(|(_, no, _)| no.0).collect()).collect();
    assert_eq!(boards, [vec![1, 4, 7], vec![2, 5], vec![3, 6]], "in turn");
    office.at(hall::view::Epoch(office::MORNING.0 + 60 * 86_400_000));
    assert!(office.refused(path, &[("do", "enter"), ("name", "迟到者")]).await.contains("截止"));

    office.post(path, &[("do", "pay"), ("no", "1"), ("amount", "50"), ("receipt", "11")]).await;
    office.post(path, &[("do", "strike"), ("no", "7"), ("why", "有事")]).await;
    for (no, result) in [("1", "胜"), ("2", "和"), ("3", "负"), ("4", "胜")] {
        office.post(path, &[("do", "result"), ("no", no), ("result", result)]).await;
    }
    office.post("/desk/undo", &[("back", path)]).await;
    let simul = office.desk().simul.clone();
    assert_eq!(simul.challengers.values().map(|it| simul.paid_out(it).0).sum::<u64>(), 15_000, "100 and 50");
    assert_eq!(simul.challengers.values().map(|it| simul.due(it).0).sum::<u64>(), 5 * 5_000);
    let page = office.page("/print/simul").await;
    for words in ["甲大师", "爱好者1", "13:30", "奖金合计 <b>100</b>"] {
        assert!(page.contains(words), "{words}");
    }
    assert!(!page.contains("爱好者7"));
    assert!(office.page("/desk/history").await.contains("车轮战：爱好者7 撤销报名（有事）"));
    assert!(office.refused(path, &[("do", "announce"), ("masters", "甲大师")]).await.contains("不能删去"));
}

#[tokio::test]
async fn an_arbiter_enters_a_slip_at_the_table_without_board_or_clock() {
    let office = open(4, "single", "1").await;
    assert!(office.refused("/slip/1", &[("round", "1"), ("key", "1")]).await.contains("尚未开赛"));
    for what in ["draft", "publish", "start"] {
        office.post("/desk/pairing", &[("do", what)]).await;
    }
    let page = office.page("/slip/1").await;
    assert!(page.contains("棋手01") && page.contains("红胜") && page.contains("黑弃权"));
    assert!(office.refused("/slip/1", &[("round", "1"), ("key", "9")]).await.contains("结果未选"));
    let slip = [("round", "1"), ("key", "3"), ("ending", "checkmate"), ("red", "1"), ("black", "0")];
    office.post("/slip/1", &slip).await;
    let board = office.desk().rounds[0].boards[0].clone();
    assert_eq!((board.outcome.unwrap().ending.zh(), board.fouls), ("将死", [1, 0]));
    assert!(office.refused("/slip/1", &[("round", "1"), ("key", "1")]).await.contains("理由"));
    office.post("/slip/1", &[("round", "1"), ("key", "1"), ("why", "抄反了")]).await;
    assert!(office.desk().history.last().unwrap().did.zh.contains("改判"));
    office.post("/slip/2", &[("round", "1"), ("key", "2")]).await;
    assert!(office.desk().rounds[0].over);
    play(&office, smaller).await;
    assert!(office.refused("/slip/1", &[("round", "1"), ("key", "1")]).await.contains("上一轮"));
}
