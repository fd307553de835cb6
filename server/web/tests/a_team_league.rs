//! Regulation B from a CSV file to the prize list: twenty-four teams of five, seven rounds, line-ups handed in and missing, an empty
//! board, a team that withdraws, a bye, a forfeit, a double forfeit, a corrected board, equal best players. Reckoned anew.

use std::collections::BTreeMap;

use tournament::{LadderKey, Money, RoundNo, TableNo};

#[path = "../fixture/office.rs"]
#[allow(dead_code, reason = "the other event and the example use the rest")]
mod office;

use office::Office;

/// A board as the arbiter noted it: home team and member, away team and member, points, played.
#[derive(Clone, Copy, Debug)]
struct Board {
    round: u16,
    of: u16,
    board: u16,
    home: (u16, u16),
    away: (u16, u16),
    points: [u32; 2],
}

/// Of a match: the two teams, their board points, their boards won.
type Sums = ([u16; 2], [u32; 2], [u32; 2]);

fn entries() -> String {
    let mut text = String::from("队名,单位,姓名,性别,出生日期,本省,证明,会员,领队,教练\n");
    for team in 1..=24 {
        for member in 1..=5 {
            let sex = if member == 5 { "女" } else { "男" };
            let local = if team == 3 && member == 2 { "否" } else { "是" };
            let member_of = if member == 1 { "是" } else { "" };
            text += &format!(
                "队{team:02},县{team},棋手{team:02}{member},{sex},1988-04-1{member},{local},身份证,{member_of},领队{team},教练{team}\n"
            );
        }
    }
    text
}

fn key(round: u16, table: u16) -> &'static str {
    match (round, table) {
        (2, 3) => "5",
        (2, 9) => "6",
        _ => ["1", "3", "2", "1", "2", "3", "1"][usize::from((round * 5 + table * 3 + table / 7) % 7)],
    }
}

#[tokio::test]
async fn from_a_csv_file_to_the_prize_list() {
    let office = Office::open("示例省象棋业余联赛", "b", 7, 1);
    office.post("/desk/settings", &[("preset", "1"), ("which", "b")]).await;
    let preview = office.upload("报名.csv", entries().as_bytes()).await;
    office.apply(&preview).await;
    assert_eq!(office.desk().files.len(), 24);
    for no in office.desk().files.keys() {
        office.post(&format!("/desk/entries/{no}"), &[("do", "here"), ("here", "1")]).await;
    }
    // Regulation B: an entry counts when it is paid.
    assert!(office.refused("/desk/draw", &[("by", "computer")]).await.contains("没有"));
    for no in office.desk().files.keys() {
        office
            .post(
                &format!("/desk/entries/{no}"),
                &[("do", "pay"), ("amount", "1000"), ("receipt", &no.to_string())],
            )
            .await;
    }
    office.post("/desk/draw", &[("by", "computer"), ("seed", "4")]).await;

    let mut boards: Vec<Board> = Vec::new();
    let mut byes: Vec<(u16, u16)> = Vec::new();
    for round in 1..=7 {
        if round == 4 {
            let gone = [("do", "withdraw"), ("no", "24"), ("round", "4"), ("why", "返程")];
            office.post("/desk/field", &gone).await;
        }
        office.post("/desk/pairing", &[("do", "draft")]).await;
        office.post("/desk/pairing", &[("do", "publish")]).await;
        let number = round.to_string();
        if round == 1 {
            // Team 1 changes boards 1 and 2 and keeps the order from then on; team 2 has nobody on board 3 in this round.
            let order = [
                ("round", "1"),
                ("team", "1"),
                ("b1", "2"),
                ("b2", "1"),
                ("b3", "3"),
                ("b4", "4"),
                ("b5", "5"),
            ];
            office.post("/desk/lineups", &order).await;
            let gap = [
                ("round", "1"),
                ("team", "2"),
                ("b1", "1"),
                ("b2", "2"),
                ("b3", ""),
                ("b4", "4"),
                ("b5", "5"),
            ];
            office.post("/desk/lineups", &gap).await;
            let wrong = [
                ("round", "1"),
                ("team", "3"),
                ("b1", "5"),
                ("b2", "2"),
                ("b3", "3"),
                ("b4", "4"),
                ("b5", "1"),
            ];
            assert!(office.refused("/desk/lineups", &wrong).await.contains("名单有误"));
        }
        if round == 2 {
            let whole = [
                ("round", "2"),
                ("team", "2"),
                ("b1", "1"),
                ("b2", "2"),
                ("b3", "3"),
                ("b4", "4"),
                ("b5", "5"),
            ];
            office.post("/desk/lineups", &whole).await;
        }
        office.post("/desk/pairing", &[("do", "start")]).await;
        let desk = office.desk();
        let of = desk.round(RoundNo(round)).unwrap();
        let mut fields = vec![("round".to_owned(), number.clone())];
        for pair in &of.pairs {
            match pair.black {
                None => byes.push((round, pair.red.0)),
                Some(black) => {
                    for (board, row) in
                        (1u16..).zip(of.boards.iter().filter(|row| row.of.unwrap().0 == pair.table))
                    {
                        assert_eq!(row.table, TableNo((pair.table.0 - 1) * 5 + board));
                        let home_red = board % 2 == 1;
                        let (home, away) = if home_red { (row.red, row.black) } else { (row.black, row.red) };
                        assert_eq!((home.0 / 100, away.0 / 100), (pair.red.0, black.0));
                        let red = if row.red.0 % 100 == 0 {
                            [0, 2]
                        } else if row.black.0 % 100 == 0 {
                            [2, 0]
                        } else {
                            let key = key(round, row.table.0);
                            fields.push((format!("t{}", row.table), key.to_owned()));
                            match key {
                                "1" | "5" => [2, 0],
                                "2" => [1, 1],
                                "3" => [0, 2],
                                _ => [0, 0],
                            }
                        };
                        let points = if home_red { red } else { [red[1], red[0]] };
                        let split = |no: u16| (no / 100, no % 100);
                        boards.push(Board {
                            round,
                            of: pair.table.0,
                            board,
                            home: split(home.0),
                            away: split(away.0),
                            points,
                        });
                    }
                }
            }
        }
        let fields: Vec<(&str, &str)> =
            fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        office.post("/desk/results", &fields).await;
        assert!(office.desk().round(RoundNo(round)).unwrap().over, "round {round}");
        if round == 5 {
            // Board 4 of match 1 of round 3 was entered the wrong way round.
            let wrong = boards.iter_mut().find(|it| (it.round, it.of, it.board) == (3, 1, 4)).unwrap();
            wrong.points = [1, 1];
            let slip = [
                ("round", "3"),
                ("table", "4"),
                ("result", "draw"),
                ("ending", "agreement"),
                ("red", "0"),
                ("black", "0"),
                ("why", "抄错"),
            ];
            office.post("/desk/results/one", &slip).await;
        }
    }
    assert_eq!(byes.len(), 4, "twenty-three teams from round 4 on");

    // Team 1 kept its order: member 2 sat on board 1 to the end.
    assert!(boards.iter().filter(|it| it.board == 1).all(|it| {
        [it.home, it.away].into_iter().filter(|(team, _)| *team == 1).all(|(_, member)| member == 2)
    }));

    // 场分, 局分, 胜场, 胜局 of every match from its boards; then the standing's figures.
    let teams: Vec<u16> = (1..=24).collect();
    let mut matches: BTreeMap<(u16, u16), Sums> = BTreeMap::new();
    for it in &boards {
        let entry = matches.entry((it.round, it.of)).or_insert(([it.home.0, it.away.0], [0, 0], [0, 0]));
        for side in 0..2 {
            entry.1[side] += it.points[side];
            entry.2[side] += u32::from(it.points[side] == 2);
        }
    }
    let score = |points: [u32; 2], side: usize| match points[side].cmp(&points[1 - side]) {
        std::cmp::Ordering::Greater => 2,
        std::cmp::Ordering::Equal => 1,
        std::cmp::Ordering::Less => 0,
    };
    let mine = |team: u16| {
        matches.values().filter_map(move |(of, points, wins)| {
            let side = of.iter().position(|it| *it == team)?;
            Some((of[1 - side], score(*points, side), points[side], wins[side]))
        })
    };
    let had_bye = |team: u16| byes.iter().filter(|(_, it)| *it == team).count() as u32;
    let match_points = |team: u16| mine(team).map(|it| it.1).sum::<u32>() + 2 * had_bye(team);
    let lowest = teams.iter().map(|&team| match_points(team)).filter(|&points| points > 0).min().unwrap();
    let desk = office.desk();
    let (standing, _) = desk.posted(RoundNo(7), None).unwrap();
    let mut last = None;
    for row in &standing.rows {
        let team = row.no.0;
        let figure = |key: LadderKey| {
            let column = standing.ladder.0.iter().position(|rung| *rung == key).unwrap();
            (row.figures[column].unwrap().in_halves() / 2) as u32
        };
        let opponents = mine(team).map(|it| match_points(it.0)).sum::<u32>() + lowest * had_bye(team);
        assert_eq!(figure(LadderKey::Points), match_points(team), "场分 {team}");
        assert_eq!(figure(LadderKey::Opponents), opponents, "对手分 {team}");
        let bye = had_bye(team);
        assert_eq!(
            figure(LadderKey::BoardPoints),
            mine(team).map(|it| it.2).sum::<u32>() + 10 * bye,
            "局分 {team}"
        );
        assert_eq!(
            figure(LadderKey::Wins),
            mine(team).filter(|it| it.1 == 2).count() as u32 + bye,
            "胜场 {team}"
        );
        assert_eq!(
            figure(LadderKey::BoardWins),
            mine(team).map(|it| it.3).sum::<u32>() + 5 * bye,
            "胜局 {team}"
        );
        let rank = (
            match_points(team),
            opponents,
            figure(LadderKey::BoardPoints),
            figure(LadderKey::Wins),
            figure(LadderKey::BoardWins),
        );
        assert!(last.is_none_or(|last| last >= rank));
        last = Some(rank);
    }

    // The public's pages add the same up, from the boards.
    for &team in &teams {
        let html = office.page(&format!("/team/{team}")).await;
        let bye = had_bye(team);
        let figure = |value: u32, word: &str| format!("<dd>{value}</dd><dt>{word}</dt>");
        let of_boards = mine(team).map(|it| it.2).sum::<u32>() + 10 * bye;
        assert!(html.contains(&figure(match_points(team), "场分")), "{team}: {html}");
        assert!(html.contains(&figure(of_boards, "局分")), "{team}: {html}");
        assert!(html.contains(&format!("/player/{}", team * 100 + 5)), "its members");
    }
    let list = office.page("/teams").await;
    let first = standing.rows.first().unwrap().no;
    let top = list.split("/team/").nth(1).unwrap().split('"').next().unwrap();
    assert_eq!(top, first.to_string(), "by rank");
    let sums = matches[&(3, 1)].1;
    for path in ["/round/3", "/round/3/match/1"] {
        let html = office.page(path).await;
        assert!(html.contains(&format!("<b>{} : {}</b>", sums[0], sums[1])), "{path}: {sums:?}");
    }
    assert!(office.page("/round/7").await.contains("轮空"));
    let hidden = office.page("/round/3?results=hide").await;
    assert!(!hidden.contains("场分") && !hidden.contains(" : "), "{hidden}");
    let api: serde_json::Value = serde_json::from_str(&office.page("/api/v1/teams").await).unwrap();
    assert_eq!((api.as_array().unwrap().len(), &api[0]["no"]), (24, &1.into()));
    let round: serde_json::Value = serde_json::from_str(&office.page("/api/v1/rounds/3").await).unwrap();
    assert_eq!(round["matches"][0]["boards"], serde_json::json!([1, 2, 3, 4, 5]));

    // 射手王: the most points on boards 1-4; equals share 600 yuan.
    let mut scorers: BTreeMap<(u16, u16), u32> = BTreeMap::new();
    for it in boards.iter().filter(|it| it.board <= 4) {
        for (who, points) in [(it.home, it.points[0]), (it.away, it.points[1])] {
            if who.1 > 0 {
                *scorers.entry(who).or_default() += points;
            }
        }
    }
    let best = *scorers.values().max().unwrap();
    let kings = scorers.values().filter(|points| **points == best).count() as u64;
    let list =
        |name: &str| desk.settings.prizes.iter().find(|list| list.name.contains(name)).unwrap().clone();
    let lines = desk.prize_lines(&list("射手王"));
    assert_eq!(lines.len() as u64, kings);
    assert!(lines.iter().all(|line| line.amount == Money(60_000 / kings)));
    let places: Vec<Money> =
        desk.prize_lines(&list("团体")).iter().map(|line| line.amount).filter(|it| it.0 > 0).collect();
    let sum: Money = places.iter().copied().sum();
    assert!(places.len() >= 12 && sum <= Money::yuan(53_500) && sum.0 + 24 > Money::yuan(53_500).0);
    let members = desk.prize_lines(&list("会员"));
    assert!(members.iter().all(|line| line.no.unwrap().0 % 100 == 1), "only members");

    // One prize for each person: nobody has two, and the lists stay full.
    let one_each = hall::desk::Settings { one_prize: true, ..(*desk.settings).clone() };
    let one_each = hall::desk::DeskView { settings: one_each.into(), ..(*desk).clone() };
    let winners = |view: &hall::desk::DeskView| -> Vec<u16> {
        let persons = view.prizes().into_iter().filter(|(list, _)| list.of != hall::desk::PrizeFor::Standing);
        persons
            .flat_map(|(_, lines)| lines)
            .filter(|line| line.amount.0 > 0)
            .filter_map(|line| Some(line.no?.0))
            .collect()
    };
    let mut won = winners(&one_each);
    won.sort_unstable();
    assert!(won.windows(2).all(|two| two[0] != two[1]), "{won:?}");
    let sums = |view: &hall::desk::DeskView| -> Vec<u64> {
        // Whole yuan, but for what is lost where equals share.
        let sum = |lines: Vec<hall::desk::PrizeLine>| lines.iter().map(|line| line.amount).sum::<Money>();
        view.prizes().into_iter().map(|(_, lines)| sum(lines).0.div_ceil(100)).collect()
    };
    assert_eq!(sums(&one_each), sums(&desk), "who drops out of a list is followed by the next");
    assert!(office.page("/print/tables").await.contains("/qr.svg?to=/table/7"));

    for path in [
        "/desk/lineups",
        "/desk/lineups?team=1",
        "/desk/results",
        "/desk/standings",
        "/desk/prizes",
        "/print",
        "/print/lineups/7",
        "/print/match/3",
        "/print/boards/7",
        "/print/standings/7",
        "/print/final",
        "/print/prizes",
        "/print/certificates",
        "/print/placards",
        "/print/tables",
        "/print/booklet",
        "/round/7",
        "/standings",
    ] {
        assert!(office.page(path).await.contains("</html>"), "{path}");
    }
}
