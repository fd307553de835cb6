//! 规程: everything that the organiser sets, as one form. Lists are one item a line, `栏目：内容`.

use arbitration::TimeControl;
use axum::response::Response;
use hall::desk::{
    DeskAct, DeskView, Document, Eligibility, Fees, Group, Labelled, Played, PrizeFor, PrizeList, Settings,
};
use hall::view::{Epoch, Millis};
use maud::{Markup, html};
use tournament::{
    EntrantNo, ForfeitOpponent, GroupNo, Ladder, LadderKey, Money, OrderKey, Pattern, Points, PreviousRound,
    Rounding, System, TableNo, TeamRules, ThirdColour,
};

use super::{AtDesk, Fields, Frame, Sent, Tab, groups, hidden, local};

/// `2020-10-23 14:00` at the venue.
pub(super) fn written(view: &DeskView, at: Option<Epoch>) -> String {
    at.map_or(String::new(), |at| {
        let (day, minutes) = local(view, at);
        format!("{day} {:02}:{:02}", minutes / 60, minutes % 60)
    })
}

pub(super) fn instant(text: &str, offset: i16) -> Result<Option<Epoch>, String> {
    let text = text.trim().replace('T', " ");
    if text.is_empty() || text == "—" {
        return Ok(None);
    }
    let wrong = || format!("“{text}”不是时间：写成 2020-10-23 14:00");
    let (day, time) = text.split_once(' ').unwrap_or((&text, "0:00"));
    let day: hall::desk::Born = day.parse().map_err(|_| wrong())?;
    let (hours, minutes) = time.trim().split_once([':', '：']).ok_or_else(wrong)?;
    let (hours, minutes): (i64, i64) = hours.parse().ok().zip(minutes.parse().ok()).ok_or_else(wrong)?;
    if day.day == 0 || !(0..24).contains(&hours) || !(0..60).contains(&minutes) {
        return Err(wrong());
    }
    Ok(Some(day.midnight(offset).plus((hours * 60 + minutes) * 60_000)))
}

/// `15 5`: minutes for each side, seconds a move.
fn time(line: &str) -> Result<Option<TimeControl>, String> {
    if line == "—" || line == "-" {
        return Ok(None);
    }
    let numbers: Option<Vec<u32>> = line.split([' ', '+', '　']).map(|it| it.parse().ok()).collect();
    match numbers.as_deref() {
        Some([minutes @ 1..=600, seconds @ 0..=600]) => {
            Ok(Some(TimeControl { base: Millis(minutes * 60_000), increment: Millis(seconds * 1_000) }))
        }
        _ => Err(format!("用时“{line}”：写成 15 5，即每方 15 分钟，每着加 5 秒")),
    }
}

fn lines(list: &[Labelled]) -> String {
    list.iter().map(|it| format!("{}：{}\n", it.label, it.text)).collect()
}

fn labelled(fields: &Fields, name: &str) -> Vec<Labelled> {
    let split = |line: &str| {
        let (label, text) = line.split_once(['：', ':']).unwrap_or((line, ""));
        Labelled { label: label.trim().to_owned(), text: text.trim().to_owned() }
    };
    fields.lines(name).map(split).collect()
}

fn money(of: Option<Money>) -> String {
    of.map_or(String::new(), |money| money.to_string())
}

fn prize_lines(set: &Settings) -> String {
    let line = |list: &PrizeList| {
        let amounts: Vec<String> = list.amounts.iter().map(Money::to_string).collect();
        let group = list.group.and_then(|no| set.group(no)).map_or("", |group| group.field.name.as_str());
        format!("{group}{}：{}：{}\n", list.of.zh(), list.name, amounts.join(" "))
    };
    set.prizes.iter().map(line).collect()
}

fn prizes(fields: &Fields, groups: &[Group]) -> Result<Vec<PrizeList>, String> {
    let rounding = if fields.has("yuan") { Rounding::Yuan } else { Rounding::Fen };
    let mut lists = Vec::new();
    for line in fields.lines("prizes") {
        let mut parts = line.splitn(3, ['：', ':']).map(str::trim);
        let (of, name, amounts) =
            (parts.next().unwrap_or_default(), parts.next().unwrap_or_default(), parts.next());
        let kinds: Vec<&str> = PrizeFor::ALL.iter().map(|of| of.zh()).collect();
        let wrong = |what: &str| {
            format!("奖项“{line}”：{what}；写成 名次：团体名次：500 300 200，第一栏为 {}", kinds.join("、"))
        };
        // 女子组名次: the group's name stands before the kind.
        let named = groups.iter().zip((1..).map(GroupNo)).find_map(|(group, no)| {
            Some((no, of.strip_prefix(group.field.name.as_str())?)).filter(|(_, rest)| kinds.contains(rest))
        });
        let (group, of) = named.map_or((None, of), |(no, rest)| (Some(no), rest));
        let of =
            PrizeFor::ALL.into_iter().find(|known| known.zh() == of).ok_or_else(|| wrong("第一栏不认识"))?;
        let amounts = amounts.ok_or_else(|| wrong("缺金额"))?;
        let amounts: Result<Vec<Money>, _> =
            amounts.split([' ', '、', ',', '，', '　']).filter(|it| !it.is_empty()).map(str::parse).collect();
        let amounts = amounts.map_err(|why| wrong(&why.to_string()))?;
        lists.push(PrizeList { name: name.to_owned(), of, amounts, rounding, group });
    }
    Ok(lists)
}

/// `GET /desk/settings`.
pub(super) async fn page(desk: AtDesk) -> Response {
    let view = &desk.view;
    let set = &view.settings;
    let body = html! {
        div class="cols two" {
            div class="scroll" { form method="post" action="/desk/settings" class="sheetform wide" { (desk.seal()) (paper(&desk)) (conditions(&desk)) (competition(&desk))
                label { (desk.t("修改理由（第1轮公布后改编排、计分、轮数须写）", "Reason (needed after round 1 for scoring, ladder, rounds)")) input name="why" maxlength="200"; }
                button class="btn btn-1" { (desk.t("保存", "Save")) }
            } }
            aside class="pnl" {
                h2 { (desk.t("预设", "Presets")) }
                form method="post" action="/desk/settings" class="row" { (desk.seal()) (hidden("preset", "1"))
                    button class="btn btn-s" name="which" value="a" { (desk.t("甲：个人积分编排 11 轮，队员分值总和", "A: individual Swiss, 11 rounds, teams by their members")) }
                    button class="btn btn-s" name="which" value="b" { (desk.t("乙：五台团体 7 轮，临时定台 + 定人", "B: teams of five, 7 rounds, free and fixed boards")) } }
                p class="sub" { (desk.t("预设填好编排、计分、资格、收费和奖项，标题和人员不变。", "A preset fills in pairing, scoring, eligibility, fees and prizes.")) }
                h2 { (desk.t("用时与棋局规程", "Conduct of play")) }
                (super::regulation::form(&desk))
                h2 { (desk.t("规程与通知", "Documents")) }
                @for document in &set.documents { details { summary { b { (document.title) } " " span class="sub" { (document.date) " " (document.issuer) } } p class="pre" { (document.text) } } }
                form method="post" action="/desk/settings" class="sheetform" { (desk.seal()) (hidden("document", "1"))
                    div class="grid2" { label { (desk.t("标题", "Title")) input name="title" required; } label { (desk.t("发布者", "Issuer")) input name="issuer"; } label { (desk.t("日期", "Date")) input name="date"; } }
                    label { (desk.t("正文", "Text")) textarea name="text" rows="6" {} } button class="btn btn-s" { (desk.t("加入（后发者优先）", "Add (the later one prevails)")) } }
            }
        }
    };
    Frame {
        tab: Tab::Settings,
        title: desk.t("规程", "Settings").to_owned(),
        head: html! {},
        body,
        foot: (
            html! {},
            desk.t(
                "第1轮公布前可随意修改，均留记录",
                "free to change before round 1 is published; all is recorded",
            ),
        ),
    }
    .answer(&desk)
}

fn area(label: &str, name: &str, text: &str, rows: u8) -> Markup {
    html! { label { (label) textarea name=(name) rows=(rows) { (text) } } }
}

fn input(label: &str, name: &str, value: impl std::fmt::Display) -> Markup {
    html! { label { (label) input name=(name) value=(value.to_string()); } }
}

fn choice(label: &str, name: &str, options: &[(&str, &str)], now: &str) -> Markup {
    html! { label { (label) select name=(name) { @for (value, words) in options { option value=(value) selected[*value == now] { (words) } } } } }
}

fn tick(label: &str, name: &str, is: bool) -> Markup {
    html! { label class="tick" { input type="checkbox" name=(name) value="1" checked[is]; " " (label) } }
}

/// The systems, as the form names them.
const SYSTEMS: [(&str, [&str; 2], System); 4] = [
    ("swiss", ["积分编排制", "Swiss"], System::Swiss),
    ("single", ["单循环", "round robin"], System::RoundRobin { double: false }),
    ("double", ["双循环", "double round robin"], System::RoundRobin { double: true }),
    (
        "knockout",
        ["淘汰赛（含三四名决赛）", "knockout, with a game for rank 3"],
        System::Knockout { replays: 1 },
    ),
];

fn system_name(system: System) -> &'static str {
    match system {
        System::Swiss => "swiss",
        System::RoundRobin { double: false } => "single",
        System::RoundRobin { double: true } => "double",
        System::Knockout { .. } => "knockout",
    }
}

fn paper(desk: &AtDesk) -> Markup {
    let set = &desk.view.settings;
    html! {
        h2 { (desk.t("赛事", "Event")) }
        (area(desk.t("名称，一行一个，第一行印在各表上", "Names, one a line; the first is printed on every sheet"), "titles", &set.titles.join("\n"), 2))
        div class="grid2" {
            (area(desk.t("主办、承办、协办（主办：某某体育局）", "Organisers, one a line (host: name)"), "organisers", &lines(&set.organisers), 4))
            (area(desk.t("组委会、裁判委员会、仲裁（裁判长：姓名(国家级)）", "Committees and officials, one a line (Chief arbiter: name (grade))"), "officials", &lines(&set.officials), 4))
            (several_posts(desk))
            (area(desk.t("联系人（报名：姓名 电话）", "Contacts (entries: name, phone)"), "contacts", &lines(&set.contacts), 3))
            (area(desk.t("地点（比赛：某某宾馆）", "Venues (games: name)"), "venues", &lines(&set.venues), 3))
        }
    }
}

fn several_posts(desk: &AtDesk) -> Markup {
    let several = desk.view.settings.several_posts();
    html! { @if !several.is_empty() { p class="wrn" { (desk.t("兼任：", "Several posts: ")) @for (name, posts) in &several { (name) "（" (posts.join("、")) "） " } } } }
}

fn conditions(desk: &AtDesk) -> Markup {
    let view = &desk.view;
    let set = &view.settings;
    let rules = &set.eligibility;
    let n = |it: Option<u16>| it.map_or(String::new(), |it| it.to_string());
    html! {
        h2 { (desk.t("报名", "Entries")) }
        div class="grid2" {
            (input(desk.t("截止时间", "Closing time"), "closes", written(view, set.closes))) (input(desk.t("比赛首日（算年龄）", "First day (ages are counted there)"), "first_day", set.first_day.map_or(String::new(), |day| day.to_string())))
            (input(desk.t("每队报名费（元）", "Fee of a team (yuan)"), "fee_team", money(set.fees.team))) (input(desk.t("个人报名费（元）", "Fee of a player (yuan)"), "fee_individual", money(set.fees.individual)))
            (input(desk.t("会员报名费（元）", "Fee of a member (yuan)"), "fee_member", money(set.fees.member))) (input(desk.t("每队人数", "Players a team"), "team_size", n(rules.team_size)))
            (input(desk.t("本省棋手不少于", "Local players, at least"), "locals", n(rules.locals))) (input(desk.t("外聘不超过", "Hired players, at most"), "hired", n(rules.hired)))
            (input(desk.t("定人台年龄小于（女子不限）", "Fixed boards: younger than (women of any age)"), "young", n(rules.young_or_woman))) (input(desk.t("棋具副数", "Sets"), "boards", n(set.boards))) (input(desk.t("座位数", "Seats"), "seats", n(set.seats)))
            (input(desk.t("队名不得含（空格分开）", "Team names must not contain (by spaces)"), "banned", rules.banned_words.join(" ")))
        }
        (tick(desk.t("缴费后报名才有效", "An entry counts once it is paid"), "fee_first", set.fees.first)) (tick(desk.t("自由台不得有现役大师、象甲棋手（本省女子除外）", "No active masters or league players on free boards (local women excepted)"), "amateurs", rules.amateurs))
        (input(desk.t("报到检查项（空格分开，如 免责书 保险 健康码）", "To be shown at check-in (by spaces, such as waiver insurance)"), "checklist", set.checklist.join(" ")))
    }
}

fn competition(desk: &AtDesk) -> Markup {
    let view = &desk.view;
    let set = &view.settings;
    let options = &set.options;
    let rules = set.team_rules();
    let code = |it: serde_json::Result<serde_json::Value>| {
        it.ok().and_then(|it| it.as_str().map(str::to_owned)).unwrap_or_default()
    };
    let starts: String = set
        .starts
        .iter()
        .map(|at| format!("{}\n", if at.is_some() { written(view, *at) } else { "—".into() }))
        .collect();
    let minutes = |time: &TimeControl| format!("{} {}", time.base.0 / 60_000, time.increment.0 / 1_000);
    let times: String =
        set.times.iter().map(|time| time.as_ref().map_or("—".into(), minutes) + "\n").collect();
    let ladder = set.ladder.0.iter().map(|key| key.heading().zh).collect::<Vec<_>>().join(" ");
    let forbidden: Vec<String> = options.forbidden.iter().map(|[a, b]| format!("{a}-{b}")).collect();
    let fixed_tables: Vec<String> =
        options.tables.iter().map(|(no, table)| format!("{no}-{table}")).collect();
    html! {
        h2 { (desk.t("编排与名次", "Pairing and standings")) }
        div class="grid2" {
            (choice(desk.t("比赛形式", "Event of"), "played", &[("individually", desk.t("个人赛", "individuals")), ("teams", desk.t("团体赛", "teams"))], if rules.is_some() { "teams" } else { "individually" }))
            (choice(desk.t("赛制", "System"), "system", &SYSTEMS.map(|(name, [zh, en], _)| (name, desk.t(zh, en))), system_name(set.options.system)))
            (input(desk.t("淘汰赛和棋加赛局数（末局再和，黑方晋级）", "Knockout: games after a draw (a draw in the last: Black goes on)"), "replays", match set.options.system { System::Knockout { replays } => replays, System::Swiss | System::RoundRobin { .. } => 1 }))
            (area(desk.t("组别，一行一组，各有赛制和轮数（女子组：单循环 31台起 限女子；少年组：积分编排 7轮 2010-01-01以后出生）；不分组留空", "Groups, one a line, each with its system and rounds (女子组：单循环 31台起 限女子 = women, round robin, from table 31, women only; 积分编排 7轮 = Swiss of 7 rounds; 2010-01-01以后出生 = born from then on); empty: one field"), "groups", &groups::written(&set.groups), 4))
            (input(desk.t("轮数（积分编排）", "Rounds (Swiss)"), "rounds", set.rounds)) (input(desk.t("团体赛台数", "Boards a team"), "team_boards", rules.map_or(5, |rules| rules.boards)))
            (input(desk.t("定人台（空格分开）", "Fixed boards (by spaces)"), "fixed", rules.map_or("5".into(), |rules| rules.fixed.iter().map(|board| board.0.to_string()).collect::<Vec<_>>().join(" "))))
            (input(desk.t("名单在开赛前几分钟截止", "Line-ups close, minutes before the start"), "lineup", set.lineup_minutes)) (input(desk.t("胜 和 负 的分数", "Points for a win, draw, loss"), "scoring", format!("{} {} {}", set.scoring.win, set.scoring.draw, set.scoring.loss)))
            (area(desk.t("各轮开赛时间，一行一轮（2020-10-23 14:00，未定写 —）", "Starts, a line a round (2020-10-23 14:00; — if open)"), "starts", &starts, 4))
            (area(desk.t("与规程不同的各轮用时，一行一轮（分 秒：15 5；同规程写 —）", "Other time controls, a line a round (minutes, seconds: 15 5; — as usual)"), "times", &times, 4))
            (area(desk.t("名次依据，依次（空格分开）", "Ladder, in order (by spaces)"), "ladder", &ladder, 4))
        }
        p class="sub" { (desk.t("可用：", "Known: ")) (LadderKey::ALL.iter().map(|key| desk.words(key.heading().zh, key.name().to_owned())).collect::<Vec<_>>().join(" ")) }
        div class="grid2" {
            (choice(desk.t("同分内次序", "Order among equals"), "order", &[("number", desk.t("抽签号", "by number")), ("opponents", desk.t("对手分", "by opponents' points")), ("random", desk.t("随机", "at random"))], &code(serde_json::to_value(options.order))))
            (choice(desk.t("同分内配对", "Pairing among equals"), "pattern", &[("adjacent", desk.t("相邻 1-2 3-4", "neighbours 1-2 3-4")), ("half", desk.t("上下半区", "upper with lower half"))], &code(serde_json::to_value(options.pattern))))
            (choice(desk.t("第三次同先后手", "Third game of one colour"), "third", &[("avoid", desk.t("尽量避免", "avoided")), ("forbid", desk.t("禁止", "forbidden")), ("free_in_last_round", desk.t("末轮不限", "free in the last round"))], &code(serde_json::to_value(options.third_colour))))
            (choice(desk.t("弃权局计对手分", "A forfeit in opponents' points"), "forfeit", &[("include", desk.t("计原定对手分", "counts as paired")), ("exclude", desk.t("不计", "does not count")), ("as_bye", desk.t("同轮空", "like a bye"))], &code(serde_json::to_value(options.forfeit_opponent))))
            (choice(desk.t("比较前一轮成绩", "Comparing the previous round"), "previous", &[("whole_ladder", desk.t("整个名次依据", "the whole ladder")), ("points_only", desk.t("只比积分", "points only")), ("opponents_descending", desk.t("对手分逆减", "opponents, from the last"))], &code(serde_json::to_value(options.previous_round))))
            (input(desk.t("禁止相遇（抽签后填号，如 3-17 4-9）", "Never paired (numbers after the draw, such as 3-17 4-9)"), "forbidden", forbidden.join(" ")))
            (input(desk.t("固定台（抽签后填 号-台，如 17-1：17 号每轮坐 1 台）", "Fixed tables (after the draw, number-table: 17-1 seats number 17 at table 1 in every round)"), "tables", fixed_tables.join(" ")))
        }
        (tick(desk.t("首轮同单位回避", "No two of one unit in round 1"), "avoid", options.avoid_same_unit)) (tick(desk.t("轮空不计胜局", "A bye is no win"), "bye_no_win", options.bye_is_no_win)) (tick(desk.t("补位棋手可得奖", "House players may win prizes"), "house_wins", set.house_wins))
        h2 { (desk.t("奖项", "Prizes")) }
        (area(desk.t("一行一项（名次：团体名次：15000 10000 8000；第一栏为 名次 团体 会员 自由台 定人台，分组时写 女子组名次）", "One a line (名次：name：15000 10000 8000; first of: 名次 standing, 团体 teams, 会员 members, 自由台 free boards, 定人台 fixed boards; with groups 女子组名次)"), "prizes", &prize_lines(set), 5))
        (tick(desk.t("一人一奖，取高者，后者递补", "One prize for each person: the best counts, those behind move up"), "one_prize", set.one_prize))
        (tick(desk.t("平分取整元", "Shares in whole yuan"), "yuan", set.prizes.iter().any(|list| list.rounding == Rounding::Yuan)))
        (area(desk.t("特别奖（体育道德风尚奖：某某队）", "Special prizes (name：who)"), "awards", &lines(&set.awards), 3))
    }
}

fn ladder(text: &str) -> Result<Ladder, String> {
    let key = |name: &str| {
        LadderKey::ALL
            .into_iter()
            .find(|key| key.heading().zh == name || key.name() == name)
            .ok_or_else(|| format!("名次依据“{name}”不认识"))
    };
    text.split([' ', '、', '，', ',', '\n', '\r', '→'])
        .filter(|it| !it.is_empty())
        .map(key)
        .collect::<Result<_, _>>()
        .map(Ladder)
}

fn optional<T: std::str::FromStr>(fields: &Fields, name: &str, what: &str) -> Result<Option<T>, String> {
    match fields.text(name) {
        "" => Ok(None),
        text => text.parse().map(Some).map_err(|_| format!("{what}“{text}”不是数字")),
    }
}

fn needed<T: std::str::FromStr>(fields: &Fields, name: &str, what: &str) -> Result<T, String> {
    optional(fields, name, what)?.ok_or_else(|| format!("{what}没有填"))
}

fn read(fields: &Fields, now: &Settings) -> Result<Settings, String> {
    let offset = now.utc_offset;
    let words = |name: &str| fields.text(name).split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let day = fields.text("first_day");
    let points: Vec<u32> =
        fields.text("scoring").split([' ', '-', ':', '：']).filter_map(|it| it.parse().ok()).collect();
    let [win, draw, loss] = points[..] else { return Err("胜和负的分数写成 2 1 0".into()) };
    let mut scoring = now.scoring;
    (scoring.win, scoring.draw, scoring.loss) = (Points(win), Points(draw), Points(loss));
    let fixed = words("fixed")
        .iter()
        .map(|it| it.parse().map(tournament::BoardNo).map_err(|_| format!("定人台“{it}”不是台号")))
        .collect::<Result<_, _>>()?;
    let played = match fields.text("played") {
        "teams" => {
            let before = now.team_rules().cloned().unwrap_or_else(TeamRules::regulation_b);
            Played::InTeams(TeamRules {
                boards: needed(fields, "team_boards", "团体赛台数")?,
                fixed,
                ..before
            })
        }
        _ => Played::Individually,
    };
    let mut options = now.options.clone();
    options.order = match fields.text("order") {
        "opponents" => OrderKey::Opponents,
        "random" => OrderKey::Random,
        _ => OrderKey::Number,
    };
    options.pattern = if fields.text("pattern") == "half" { Pattern::Half } else { Pattern::Adjacent };
    options.third_colour = match fields.text("third") {
        "forbid" => ThirdColour::Forbid,
        "free_in_last_round" => ThirdColour::FreeInLastRound,
        _ => ThirdColour::Avoid,
    };
    let (_, _, system) =
        SYSTEMS.into_iter().find(|(name, ..)| *name == fields.text("system")).unwrap_or(SYSTEMS[0]);
    options.system = match system {
        System::Knockout { .. } => System::Knockout { replays: needed(fields, "replays", "加赛局数")? },
        System::Swiss | System::RoundRobin { .. } => system,
    };
    options.forfeit_opponent = match fields.text("forfeit") {
        "exclude" => ForfeitOpponent::Exclude,
        "as_bye" => ForfeitOpponent::AsBye,
        _ => ForfeitOpponent::Include,
    };
    options.previous_round = match fields.text("previous") {
        "points_only" => PreviousRound::PointsOnly,
        "opponents_descending" => PreviousRound::OpponentsDescending,
        _ => PreviousRound::WholeLadder,
    };
    options.avoid_same_unit = fields.has("avoid");
    options.bye_is_no_win = fields.has("bye_no_win");
    let two = |text: &String| -> Option<(u16, u16)> {
        let (a, b) = text.split_once(['-', '—', '–'])?;
        Some((a.parse().ok()?, b.parse().ok()?))
    };
    let pair = |text: &String| two(text).map(|(a, b)| [EntrantNo(a), EntrantNo(b)]);
    let seat = |text: &String| two(text).map(|(no, table)| (EntrantNo(no), TableNo(table)));
    options.tables = words("tables")
        .iter()
        .map(|it| seat(it).ok_or_else(|| format!("固定台“{it}”：写成 17-1，先号后台")))
        .collect::<Result<_, _>>()?;
    options.forbidden = words("forbidden")
        .iter()
        .map(|it| pair(it).ok_or_else(|| format!("禁止相遇“{it}”：写成 3-17")))
        .collect::<Result<_, _>>()?;
    let rounds = needed(fields, "rounds", "轮数")?;
    let groups = groups::read(fields, rounds)?;
    Ok(Settings {
        titles: fields.lines("titles").map(str::to_owned).collect(),
        organisers: labelled(fields, "organisers"),
        officials: labelled(fields, "officials"),
        contacts: labelled(fields, "contacts"),
        venues: labelled(fields, "venues"),
        documents: now.documents.clone(),
        played,
        rounds,
        times: fields.lines("times").map(time).collect::<Result<_, _>>()?,
        starts: fields.lines("starts").map(|line| instant(line, offset)).collect::<Result<_, _>>()?,
        utc_offset: offset,
        closes: instant(fields.text("closes"), offset)?,
        first_day: if day.is_empty() {
            None
        } else {
            Some(day.parse().map_err(|_| format!("首日“{day}”写成 2020-10-23"))?)
        },
        fees: Fees {
            team: optional(fields, "fee_team", "报名费")?,
            individual: optional(fields, "fee_individual", "报名费")?,
            member: optional(fields, "fee_member", "报名费")?,
            first: fields.has("fee_first"),
        },
        eligibility: Eligibility {
            team_size: optional(fields, "team_size", "每队人数")?,
            amateurs: fields.has("amateurs"),
            young_or_woman: optional(fields, "young", "年龄")?,
            locals: optional(fields, "locals", "本省人数")?,
            hired: optional(fields, "hired", "外聘人数")?,
            banned_words: words("banned"),
        },
        checklist: words("checklist"),
        scoring,
        ladder: ladder(fields.text("ladder"))?,
        options,
        lineup_minutes: needed(fields, "lineup", "名单时限")?,
        prizes: prizes(fields, &groups)?,
        groups,
        awards: labelled(fields, "awards"),
        one_prize: fields.has("one_prize"),
        house_wins: fields.has("house_wins"),
        boards: optional(fields, "boards", "棋具副数")?,
        seats: optional(fields, "seats", "座位数")?,
    })
}

/// `POST /desk/settings`: the form, a preset, or a document more.
pub(super) async fn save(sent: Sent) -> Response {
    let Sent { desk, fields } = sent;
    let now = &desk.view.settings;
    let back = "/desk/settings";
    let settings = if fields.has("preset") {
        let preset = Settings::preset(fields.text("which"));
        Settings {
            titles: now.titles.clone(),
            organisers: now.organisers.clone(),
            officials: now.officials.clone(),
            contacts: now.contacts.clone(),
            venues: now.venues.clone(),
            documents: now.documents.clone(),
            starts: now.starts.clone(),
            times: now.times.clone(),
            closes: now.closes,
            first_day: now.first_day,
            awards: now.awards.clone(),
            ..preset
        }
    } else if fields.has("document") {
        let text = |name: &str| fields.text(name).to_owned();
        let document =
            Document { title: text("title"), issuer: text("issuer"), date: text("date"), text: text("text") };
        let documents = now.documents.iter().cloned().chain([document]).collect();
        Settings { documents, ..(**now).clone() }
    } else {
        match read(&fields, now) {
            Ok(settings) => settings,
            Err(words) => return desk.refuse(&words, back),
        }
    };
    desk.act(DeskAct::Set { settings: Box::new(settings), why: fields.text("why").to_owned() }, back).await
}
