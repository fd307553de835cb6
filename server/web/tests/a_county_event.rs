//! Regulation A from the Excel file to the prize list: sixty players, most of them in teams of three, eleven rounds, with a late
//! entry, a withdrawal, byes, a forfeit, a double forfeit and a corrected result. Every figure is reckoned anew.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::collections::{BTreeMap, BTreeSet};

use rust_xlsxwriter::Workbook;
use tournament::{LadderKey, Money, RoundNo};

#[path = "../fixture/office.rs"]
#[allow(dead_code, reason = "the other event and the example use the rest")]
mod office;
#[path = "../fixture/reckoning.rs"]
mod reckoning;

use office::Office;
use reckoning::{Noted, reckon};

/// The form as eighteen teams of three and five single players filled it in.
fn filled() -> Vec<u8> {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet();
    sheet.write(0, 0, "示例县象棋赛 报名表").unwrap();
    for (column, head) in ["队名", "单位", "姓名", "性别", "出生日期", "电话", "领队"].into_iter().enumerate()
    {
        sheet.write(1, column as u16, head).unwrap();
    }
    let mut row = 2;
    let mut line = |cells: [&str; 7]| {
        for (column, cell) in cells.into_iter().enumerate() {
            sheet.write(row, column as u16, cell).unwrap();
        }
        row += 1;
    };
    for team in 1..=18 {
        for member in 1..=3 {
            // Only the first row of a team names it, as merged cells do.
            let (name, leader) =
                if member == 1 { (format!("队{team:02}"), "领队") } else { (String::new(), "") };
            line([&name, "镇", &format!("选手{team:02}{member}"), "男", "1990-05", "13800000000", leader]);
        }
    }
    for single in 1..=5 {
        line(["个人", "棋社", &format!("散手{single}"), "女", "", "", ""]);
    }
    book.save_to_buffer().unwrap()
}

/// How a game ends in this event: by its table and round, so that it is the same every time.
fn key(round: u16, table: u16) -> &'static str {
    match (round, table) {
        (2, 7) => "5",
        (3, 9) => "6",
        _ => {
            ["1", "1", "3", "2", "3", "1", "2", "3"][usize::from((round * 7 + table * 5 + table * table) % 8)]
        }
    }
}

#[tokio::test]
async fn from_an_excel_file_to_the_prize_list() {
    let office = Office::open("示例县“秋分杯”象棋赛", "a", 11, 20_190_920);
    office.post("/desk/settings", &[("preset", "1"), ("which", "a")]).await;

    // Entries: preview, then all at once; fees; check-in.
    let preview = office.upload("报名表.xlsx", &filled()).await;
    assert!(!preview.contains("读不懂的地方"), "{preview}");
    assert!(office.desk().files.is_empty(), "a preview enters nobody");
    office.apply(&preview).await;
    assert_eq!(office.desk().files.len(), 23);
    for no in office.desk().files.keys() {
        let fee = if no.0 <= 18 { "300" } else { "50" };
        office
            .post(
                &format!("/desk/entries/{no}"),
                &[("do", "pay"), ("amount", fee), ("receipt", &no.to_string())],
            )
            .await;
        office.post(&format!("/desk/entries/{no}"), &[("do", "here"), ("here", "1")]).await;
    }
    let paid: Money = office.desk().files.values().map(|file| file.paid()).sum();
    assert_eq!(paid, Money::yuan(18 * 300 + 5 * 50));
    office.post("/desk/draw", &[("by", "computer"), ("seed", "9")]).await;
    assert_eq!(office.desk().whose.len(), 59);

    let mut notes: Vec<Noted> = Vec::new();
    let mut met: BTreeSet<(u16, u16)> = BTreeSet::new();
    let mut byes: Vec<u16> = Vec::new();
    for round in 1..=11 {
        if round == 2 {
            // A late entry makes the field even.
            let alone = [("unit", "南湖棋社"), ("p0_name", "迟到者"), ("late", "1")];
            office.post("/desk/entries", &alone).await;
            office.post("/desk/entries/24", &[("do", "late"), ("member", "1"), ("from", "2")]).await;
        }
        if round == 6 {
            let gone = [("do", "withdraw"), ("no", "17"), ("round", "6"), ("why", "生病")];
            office.post("/desk/field", &gone).await;
        }
        office.post("/desk/pairing", &[("do", "draft")]).await;
        office.post("/desk/pairing", &[("do", "publish")]).await;
        office.post("/desk/pairing", &[("do", "start")]).await;
        let desk = office.desk();
        let of = desk.round(RoundNo(round)).unwrap();
        let mut seen = BTreeSet::new();
        let mut fields = vec![("round".to_owned(), round.to_string())];
        for pair in &of.pairs {
            assert!(seen.insert(pair.red.0));
            let Some(black) = pair.black else {
                byes.push(pair.red.0);
                notes.push(Noted {
                    round,
                    red: pair.red.0,
                    black: 0,
                    score: [2, 0],
                    played: false,
                    fouls: [0, 0],
                });
                continue;
            };
            assert!(seen.insert(black.0));
            assert!(met.insert((pair.red.0.min(black.0), pair.red.0.max(black.0))), "no rematch");
            let key = key(round, pair.table.0);
            let (score, played) = match key {
                "1" => ([2, 0], true),
                "2" => ([1, 1], true),
                "3" => ([0, 2], true),
                "5" => ([2, 0], false),
                _ => ([0, 0], false),
            };
            fields.push((format!("t{}", pair.table), key.to_owned()));
            notes.push(Noted { round, red: pair.red.0, black: black.0, score, played, fouls: [0, 0] });
        }
        assert!(round < 6 || !seen.contains(&17), "the withdrawn are not paired");
        let fields: Vec<(&str, &str)> =
            fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        office.post("/desk/results", &fields).await;
        assert!(office.desk().round(RoundNo(round)).unwrap().over);
        if round == 5 {
            // A slip of round 3 was copied wrongly: table 2 was drawn, with a foul of Red's.
            let before = office.desk().rounds.last().unwrap().pairs.clone();
            let wrong = notes.iter_mut().filter(|it| it.round == 3).nth(1).unwrap();
            (wrong.score, wrong.fouls) = ([1, 1], [1, 0]);
            let slip = [
                ("round", "3"),
                ("table", "2"),
                ("result", "draw"),
                ("ending", "agreement"),
                ("red", "1"),
                ("black", "0"),
            ];
            assert!(office.refused("/desk/results/one", &slip).await.contains("理由"));
            let slip: Vec<(&str, &str)> = slip.into_iter().chain([("why", "成绩条抄错")]).collect();
            office.post("/desk/results/one", &slip).await;
            assert_eq!(office.desk().rounds.last().unwrap().pairs, before);
            assert_eq!(office.desk().posted(RoundNo(4), None).unwrap().1.version, 2);
        }
    }
    byes.sort_unstable();
    let had_one = byes.len();
    byes.dedup();
    assert_eq!(byes.len(), had_one, "nobody has two byes");

    // Every figure of the final standing.
    let desk = office.desk();
    let (standing, _) = desk.posted(RoundNo(11), None).unwrap();
    let own = reckon(desk.whose.keys().map(|no| no.0), &notes);
    assert_eq!(standing.rows.len(), 60);
    let mut last = None;
    for row in &standing.rows {
        let figure = |key: LadderKey| {
            let column = standing.ladder.0.iter().position(|rung| *rung == key).unwrap();
            (row.figures[column].unwrap().in_halves() / 2) as u32
        };
        let shown = (
            figure(LadderKey::Points),
            figure(LadderKey::Opponents),
            figure(LadderKey::Wins),
            figure(LadderKey::Fouls),
            figure(LadderKey::BlackGames),
        );
        assert_eq!(shown, own[&row.no.0], "number {}", row.no);
        let rank = (shown.0, shown.1, shown.2, u32::MAX - shown.3, shown.4);
        assert!(last.is_none_or(|last| last >= rank), "in the order of the ladder");
        last = Some(rank);
    }

    // Teams by their members' sum.
    let mut teams: BTreeMap<u16, u32> = BTreeMap::new();
    for (no, whom) in desk.whose.iter().filter(|(_, whom)| whom.form.0 <= 18) {
        *teams.entry(whom.form.0).or_default() += own[&no.0].0;
    }
    let totals = desk.totals(&standing);
    assert_eq!(totals.len(), 18);
    for total in &totals {
        assert_eq!(total.points.to_string(), teams[&total.team.0].to_string());
    }
    assert!(totals.is_sorted_by_key(|total| std::cmp::Reverse(teams[&total.team.0])));

    // Prizes: set on the form's line, shared by equals.
    let settings = hall::desk::Settings {
        prizes: vec![hall::desk::PrizeList {
            name: "个人名次".into(),
            of: hall::desk::PrizeFor::Standing,
            amounts: [800, 500, 300, 200].map(Money::yuan).to_vec(),
            rounding: tournament::Rounding::Fen,
            group: None,
        }],
        ..(*desk.settings).clone()
    };
    let with_prizes = hall::desk::DeskView { settings: settings.into(), ..(*desk).clone() };
    let lines = with_prizes.prizes().remove(0).1;
    let given: Money = lines.iter().map(|line| line.amount).sum();
    assert!(given <= Money::yuan(1_800) && given.0 + 100 > Money::yuan(1_800).0);
    assert_eq!(lines[0].name, desk.entrant(standing.rows[0].no).0);

    // Every document and file can be made.
    for path in [
        "/desk/entries",
        "/desk/draw",
        "/desk/pairing",
        "/desk/results",
        "/desk/standings",
        "/desk/prizes",
        "/desk/settings",
        "/desk/history",
        "/print",
        "/print/booklet",
        "/print/draw",
        "/print/pairings/11",
        "/print/results/11",
        "/print/standings/11",
        "/print/standings/4?version=1",
        "/print/teams/11",
        "/print/final",
        "/print/scores",
        "/print/scores/blank",
        "/print/slips/11",
        "/print/prizes",
        "/print/fees",
        "/print/tables",
        "/print/placards",
        "/print/badges",
        "/print/certificates",
        "/standings",
        "/round/3",
    ] {
        let page = office.page(path).await;
        assert!(page.contains("</html>"), "{path}");
    }
    let public =
        ["/", "/round/1", "/standings", "/player/1", "/search?q=1", "/api/v1/standing", "/api/v1/event"];
    for path in public {
        assert!(!office.page(path).await.contains("13800000000"), "{path} shows a phone");
    }
    let trf = office.page("/desk/files/event.trf").await;
    let lines: Vec<&str> = trf.lines().filter(|line| line.starts_with("001")).collect();
    assert_eq!(lines.len(), 60);
    assert_eq!(trf.matches(" - U").count(), had_one, "a bye is U");

    // What went out as Excel comes back the same.
    let again = Office::open("再来一次", "a", 3, 1);
    let preview = again.upload("entries.xlsx", &office.get("/desk/files/entries.xlsx").await).await;
    again.apply(&preview).await;
    let forms =
        |office: &Office| office.desk().files.values().map(|file| file.form.clone()).collect::<Vec<_>>();
    assert_eq!(forms(&again), forms(&office));
}

#[tokio::test]
async fn a_file_that_is_none_and_a_page_for_nobody_are_answered_in_words() {
    let office = Office::open("小赛", "a", 3, 1);
    let broken = office.try_post("/desk/entries", &[("p0_name", "甲"), ("p0_born", "去年")]).await;
    assert!(broken.1.contains("不是日期"));
    assert!(office.refused("/desk/pairing", &[("do", "draft")]).await.contains("尚未抽签"));
    assert!(office.refused("/desk/draw", &[("by", "computer")]).await.contains("报到"));
    let seal_missing = {
        use axum::body::Body;
        use axum::http::{Request, header};
        use tower::ServiceExt;
        let request = Request::post("/desk/draw")
            .header(header::HOST, "127.0.0.1:8080")
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .extension(axum::extract::ConnectInfo(std::net::SocketAddr::from(([127, 0, 0, 1], 4000))))
            .body(Body::from("by=computer"))
            .unwrap();
        office.app.clone().oneshot(request).await.unwrap().status()
    };
    assert_eq!(seal_missing, axum::http::StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn an_event_is_opened_at_the_desk() {
    let office = Office::empty();
    assert!(office.refused("/desk/open", &[("title", ""), ("rounds", "7")]).await.contains("名称"));
    office.post("/desk/open", &[("title", "新秀杯"), ("rounds", "7"), ("regulation", "b")]).await;
    let desk = office.desk();
    assert_eq!((desk.title.as_str(), desk.settings.rounds), ("新秀杯", 7));
    assert!(desk.in_teams());
    let again = [("title", "又一个"), ("rounds", "7")];
    assert!(office.refused("/desk/open", &again).await.contains("赛事已建立"));
    assert!(office.refused("/desk/open?lang=en", &again).await.contains("the event is open already"));
}

#[tokio::test]
async fn a_regulation_that_makes_no_sense_is_refused_by_the_fields_name_on_the_form() {
    let office = Office::open("小赛", "a", 3, 1);
    let wrong = [("natural_limit.rounds", "0")];
    let said = office.refused("/desk/regulation", &wrong).await;
    assert!(said.contains("自然限着（natural_limit.rounds）：须为1至200回合"), "{said}");
    let said = office.refused("/desk/regulation?lang=en", &wrong).await;
    assert!(said.contains("natural_limit.rounds: rounds from 1 to 200 are wanted"), "{said}");
}
