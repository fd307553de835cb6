//! `?lang=en`: every page and document of the desk in English. What the organiser entered stands as it was entered: here
//! in Latin letters, so that whatever is Chinese on a page is ours.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

#[path = "../fixture/office.rs"]
#[allow(dead_code, reason = "the other events and the example use the rest")]
mod office;

use office::Office;

/// What is Chinese of a page, piece by piece. What a form holds is the organiser's, or is read back by its Chinese words.
fn chinese(page: &str) -> Vec<String> {
    // The way to Chinese, the open house's name for whoever sits at the server, the word that begins a team in a message.
    let mut left =
        ["中文", "裁判长", "队名："].iter().fold(page.to_owned(), |page, word| page.replace(word, ""));
    for (from, to) in [(" value=\"", "\""), ("<textarea", "</textarea>")] {
        while let Some(at) = left.find(from) {
            let after = at + from.len();
            let end = left[after..].find(to).map_or(left.len(), |end| after + end + to.len());
            left.replace_range(at..end, "");
        }
    }
    let han = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
    left.split(['<', '>']).filter(|text| text.contains(han)).map(str::to_owned).collect()
}

async fn walk(office: &Office, paths: &[&str]) {
    let mut found = Vec::new();
    for path in paths {
        let mark = if path.contains('?') { '&' } else { '?' };
        for text in chinese(&office.page(&format!("{path}{mark}lang=en")).await) {
            found.push(format!("{path}: {text}"));
        }
    }
    assert!(found.is_empty(), "Chinese on English pages:\n{}", found.join("\n"));
}

async fn play(office: &Office) {
    for what in ["draft", "publish", "start"] {
        office.post("/desk/pairing", &[("do", what)]).await;
    }
    let desk = office.desk();
    let round = desk.rounds.last().unwrap();
    let mut fields = vec![("round".to_owned(), round.no.to_string())];
    for board in round.boards.iter().filter(|board| board.outcome.is_none()) {
        let key = ["1", "2", "3", "4"][usize::from(board.table.0 % 4)];
        fields.push((format!("t{}", board.table), key.to_owned()));
    }
    let fields: Vec<(&str, &str)> = fields.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    office.post("/desk/results", &fields).await;
}

#[tokio::test]
async fn an_individual_event_in_english() {
    let office = Office::open("Autumn Cup", "a", 3, 7);
    let mut file = "姓名,单位,性别\n".to_owned();
    for at in 1..=9 {
        file += &format!("Player {at},Club {},男\n", at % 3);
    }
    let preview = office.upload("entries.csv", file.as_bytes()).await;
    walk(&office, &["/desk/import", "/desk/draw", "/desk/results", "/desk/standings"]).await;
    office.apply(&preview).await;
    for no in office.desk().files.keys() {
        office.post(&format!("/desk/entries/{no}"), &[("do", "here"), ("here", "1")]).await;
    }
    office.post("/desk/draw", &[("by", "computer"), ("seed", "1")]).await;
    play(&office).await;
    play(&office).await;
    let corrected =
        [("round", "1"), ("table", "1"), ("result", "draw"), ("ending", "agreement"), ("why", "misread")];
    office.post("/desk/results/one", &corrected).await;
    office.post("/desk/pairing", &[("do", "draft")]).await;
    walk(
        &office,
        &[
            "/desk/entries",
            "/desk/entries?no=1",
            "/desk/draw",
            "/desk/history",
            "/desk/pairing",
            "/desk/pairing?round=1",
            "/desk/results",
            "/desk/results?round=1&table=1",
            "/desk/standings",
            "/desk/prizes",
            "/desk/simul",
            "/slip",
            "/print",
            "/print/booklet",
            "/print/draw",
            "/print/pairings/2",
            "/print/results/2",
            "/print/standings/2",
            "/print/teams/2",
            "/print/final",
            "/print/scores",
            "/print/scores/blank",
            "/print/slips/2",
            "/print/prizes",
            "/print/fees",
            "/print/tables",
            "/print/placards",
            "/print/badges",
            "/print/certificates",
            "/print/simul",
        ],
    )
    .await;
}

#[tokio::test]
async fn a_team_event_in_english() {
    let office = Office::open("League", "b", 3, 7);
    office.post("/desk/settings", &[("preset", "1"), ("which", "b")]).await;
    let mut file = "队名,单位,姓名,性别,出生日期,本省,证明,会员,领队\n".to_owned();
    for team in 1..=5 {
        for member in 1..=5 {
            let sex = if member == 5 { "女" } else { "男" };
            file += &format!(
                "Team {team},Town {team},T{team} M{member},{sex},1980,是,ID card,是,Leader {team}\n"
            );
        }
    }
    let preview = office.upload("entries.csv", file.as_bytes()).await;
    office.apply(&preview).await;
    for no in office.desk().files.keys() {
        let paid = [("do", "pay"), ("amount", "1000"), ("receipt", "1"), ("payer", "Leader")];
        office.post(&format!("/desk/entries/{no}"), &paid).await;
        office.post(&format!("/desk/entries/{no}"), &[("do", "here"), ("here", "1")]).await;
    }
    office.post("/desk/draw", &[("by", "computer"), ("seed", "1")]).await;
    play(&office).await;
    play(&office).await;
    walk(
        &office,
        &[
            "/desk/entries",
            "/desk/entries?no=1",
            "/desk/history",
            "/desk/pairing",
            "/desk/lineups",
            "/desk/lineups?team=1",
            "/desk/results",
            "/desk/standings",
            "/print",
            "/print/booklet",
            "/print/pairings/2",
            "/print/lineups/2",
            "/print/match/2",
            "/print/boards/2",
            "/print/standings/2",
            "/print/scores",
            "/print/slips/2",
            "/print/final",
            "/print/placards",
            "/print/badges",
            "/print/tables",
        ],
    )
    .await;
}
