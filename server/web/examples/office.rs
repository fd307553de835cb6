//! A desk to look at: a county's event of sixty players, in one field or in three groups, or a team league, played some rounds by the real hall.
//! `cargo run -p web --example office -- [--teams | --groups] [--rounds 3] [--listen 127.0.0.1:8091]`.

use hall::desk::{Document, Labelled, Settings};
use web::serve;

#[path = "../fixture/office.rs"]
#[allow(dead_code, reason = "the tests use the rest")]
mod office;

use office::{MORNING, Office};

fn option(name: &str, default: &str) -> String {
    let args: Vec<String> = std::env::args().collect();
    let at = args.iter().position(|arg| arg == name);
    at.and_then(|at| args.get(at + 1)).cloned().unwrap_or_else(|| default.to_owned())
}

fn labelled(label: &str, text: &str) -> Labelled {
    Labelled { label: label.into(), text: text.into() }
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let teams = std::env::args().any(|arg| arg == "--teams");
    let groups = std::env::args().any(|arg| arg == "--groups");
    let rounds: u16 = option("--rounds", "3").parse().unwrap_or(3);
    let (regulation, all) = if teams { ("b", 7) } else { ("a", 11) };
    let office = Office::open("示例县第十届“秋分杯”象棋公开赛", regulation, all, 2020);
    office.post("/desk/settings", &[("preset", "1"), ("which", regulation)]).await;
    let names = [
        "东山", "南湖", "西岭", "中坪", "上湾", "下洲", "石桥", "竹园", "清溪", "平桥", "前塘", "后塘",
        "大圩", "小圩", "青石", "白沙", "红岩", "金沟", "长滩", "双河", "龙潭", "凤山", "虎溪", "鹤岭",
    ];
    let stems = ["赵", "钱", "孙", "李", "周", "吴", "郑", "王", "冯", "陈"];
    let given = ["一鸣", "建国", "文", "海波", "志强", "晓", "国庆", "卫东", "明", "立新"];
    let size = if teams { 5 } else { 3 };
    let count = if teams { 24 } else { 18 };
    let mut text = String::from("队名\t单位\t姓名\t性别\t出生日期\t本省\t证明\t会员\t组别\t领队\n");
    for (team, name) in names.iter().enumerate().take(count) {
        for member in 0..size {
            let at = team * 7 + member * 3;
            // A team of three has a man, a woman and a youth.
            let group = if groups { ["男子组", "女子组", "少年组"][member % 3] } else { "" };
            let sex = if member == 4 || group == "女子组" { "女" } else { "男" };
            text += &format!(
                "{name}队\t{name}镇\t{}{}\t{sex}\t{}-0{}\t是\t身份证\t{}\t{group}\t领队{}\n",
                stems[at % 10],
                given[(at / 3 + team) % 10],
                if group == "少年组" { 2011 + at % 4 } else { 1960 + at % 45 },
                1 + at % 9,
                if at % 4 == 0 { "是" } else { "" },
                team + 1
            );
        }
    }
    if groups {
        let lines = "男子组：积分编排 7轮\n女子组：积分编排 7轮 31台起 限女子\n少年组：积分编排 5轮 51台起 2010-01-01以后出生";
        let settings = [
            ("titles", "示例县第十届“秋分杯”象棋公开赛"),
            ("played", "individually"),
            ("rounds", "7"),
            ("scoring", "2 1 0"),
            ("lineup", "10"),
            ("ladder", "积分 对手分 胜局 犯规 后走局数"),
            ("groups", lines),
        ];
        office.post("/desk/settings", &settings).await;
    }
    if !teams {
        for single in 0..6 {
            text += &format!(
                "个人\t县棋社\t散{}{}\t男\t1985\t是\t身份证\t\t{}\t\n",
                stems[single],
                given[single],
                if groups { "男子组" } else { "" }
            );
        }
    }
    let preview = office.upload("forms.csv", text.as_bytes()).await;
    office.apply(&preview).await;
    for no in office.desk().files.keys() {
        let fee = if teams {
            "1000"
        } else if no.0 <= 18 {
            "300"
        } else {
            "50"
        };
        office
            .post(
                &format!("/desk/entries/{no}"),
                &[("do", "pay"), ("amount", fee), ("receipt", &format!("{:04}", no.0)), ("payer", "领队")],
            )
            .await;
        office.post(&format!("/desk/entries/{no}"), &[("do", "here"), ("here", "1")]).await;
    }
    let settings = Settings {
        organisers: vec![labelled("主办", "示例县体育局"), labelled("承办", "示例县象棋协会"), labelled("协办", "南湖镇人民政府")],
        officials: vec![labelled("组委会主任", "周主任"), labelled("裁判长", "陈裁判（国家级）"), labelled("编排长", "李编排（一级）"), labelled("裁判员", "王裁判、吴裁判、郑裁判"), labelled("仲裁", "冯仲裁")],
        venues: vec![labelled("比赛", "示例县文化馆二楼")],
        documents: vec![Document { title: "竞赛规程".into(), issuer: "示例县象棋协会".into(), date: "2020-09-01".into(), text: "一、比赛采用《象棋竞赛规则（2011）》。\n二、积分编排制，每方用时按规程。\n三、迟到十分钟判该轮弃权。\n四、名次依积分、对手分、胜局、犯规、后走局数区分，仍相同则比较前一轮成绩，以此类推。".into() }],
        starts: (0..all).map(|round| Some(MORNING.plus(i64::from(round) * 2 * 3_600_000 + 3_600_000))).collect(),
        first_day: "2020-09-20".parse().ok(),
        awards: vec![labelled("体育道德风尚奖", "东山队、南湖队"), labelled("优秀组织奖", "西岭队")],
        prizes: if groups { (1..=3).map(|no| hall::desk::PrizeList { name: ["男子组", "女子组", "少年组"][no - 1].into(), of: hall::desk::PrizeFor::Standing, amounts: [500u64, 300, 200].map(tournament::Money::yuan).to_vec(), rounding: tournament::Rounding::Fen, group: Some(tournament::GroupNo(no as u16)) }).collect() } else if teams { office.desk().settings.prizes.clone() } else { vec![hall::desk::PrizeList { name: "个人".into(), of: hall::desk::PrizeFor::Standing, amounts: [800u64, 600, 500, 400, 300, 200, 100, 100].map(tournament::Money::yuan).to_vec(), rounding: tournament::Rounding::Fen, group: None }, hall::desk::PrizeList { name: "团体".into(), of: hall::desk::PrizeFor::TeamTotals, amounts: [600u64, 500, 400, 300, 200, 100].map(tournament::Money::yuan).to_vec(), rounding: tournament::Rounding::Fen, group: None }] },
        ..(*office.desk().settings).clone()
    };
    let (answer, answered) = tokio::sync::oneshot::channel();
    let set = hall::Act::Desk(hall::desk::DeskAct::Set { settings: Box::new(settings), why: String::new() });
    let by = hall::Actor::person("组织者", hall::Role::Organiser);
    // The office takes acts as long as it stands.
    let _ = office.state.acts.send(web::ActRequest { acts: vec![set], by, drawn: None, answer }).await;
    let _ = answered.await;
    office.post("/desk/draw", &[("by", "computer"), ("seed", "2020")]).await;
    for round in 1..=rounds.min(all) {
        office.post("/desk/pairing", &[("do", "draft")]).await;
        office.post("/desk/pairing", &[("do", "publish")]).await;
        office.post("/desk/pairing", &[("do", "start")]).await;
        let desk = office.desk();
        let Some(last) = desk.rounds.last() else { break };
        // The last round shown is half over.
        let most = if round == rounds && rounds < all { last.boards.len() / 2 } else { last.boards.len() };
        let mut fields = vec![("round".to_owned(), round.to_string())];
        for board in last.boards.iter().take(most).filter(|board| board.outcome.is_none()) {
            let mix = board
                .table
                .0
                .wrapping_mul(31)
                .wrapping_add(round.wrapping_mul(17))
                .wrapping_add(board.red.0.wrapping_mul(7));
            fields.push((
                format!("t{}", board.table),
                ["1", "3", "2", "1", "3", "1", "2", "3"][usize::from(mix % 8)].to_owned(),
            ));
        }
        let fields: Vec<(&str, &str)> =
            fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        office.post("/desk/results", &fields).await;
    }
    if rounds >= 1 && rounds < all {
        println!("round {rounds} is half over");
    }
    let listener = tokio::net::TcpListener::bind(option("--listen", "127.0.0.1:8091")).await?;
    println!("http://{}/desk", listener.local_addr()?);
    serve(listener, office.state.clone()).await
}
