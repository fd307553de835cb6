//! 报名表 read from a table (Excel, CSV, pasted cells) or from the text of a chat message. What is not understood is said with
//! row, column, what is wrong and what to do; nothing is dropped silently.

use std::collections::BTreeMap;

use hall::desk::{Form, Player, Sex};

/// The columns of the template, in its order.
pub(super) const COLUMNS: [(Column, &str); 17] = [
    (Column::Team, "队名"),
    (Column::Unit, "单位"),
    (Column::Name, "姓名"),
    (Column::Sex, "性别"),
    (Column::Born, "出生日期"),
    (Column::Id, "证件号"),
    (Column::Phone, "电话"),
    (Column::Title, "称号"),
    (Column::Professional, "现役大师或象甲"),
    (Column::Local, "本省"),
    (Column::Evidence, "证明"),
    (Column::Member, "会员"),
    (Column::Group, "组别"),
    (Column::Leader, "领队"),
    (Column::Coach, "教练"),
    (Column::Contact, "联系电话"),
    (Column::Note, "备注"),
];

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Column {
    Team,
    Unit,
    Name,
    Sex,
    Born,
    Id,
    Phone,
    Title,
    Professional,
    Local,
    Evidence,
    Member,
    Group,
    Leader,
    Coach,
    Contact,
    Note,
}

impl Column {
    /// The column with this heading, also under the other names that people use.
    fn headed(text: &str) -> Option<Column> {
        let text: String =
            text.chars().filter(|c| !c.is_whitespace() && !matches!(c, '*' | '：' | ':')).collect();
        let own = COLUMNS.iter().find(|(_, name)| *name == text).map(|(column, _)| *column);
        own.or(match text.as_str() {
            "代表队" | "参赛队" | "团队" | "队伍" => Some(Column::Team),
            "代表单位" | "所在单位" | "地区" | "俱乐部" => Some(Column::Unit),
            "名字" | "选手" | "运动员" | "队员" | "棋手" => Some(Column::Name),
            "出生" | "出生年" | "出生年月" | "生日" => Some(Column::Born),
            "身份证" | "身份证号" | "证件号码" => Some(Column::Id),
            "手机" | "手机号" | "联系方式" => Some(Column::Phone),
            "等级" | "等级称号" => Some(Column::Title),
            "省内" | "本省棋手" => Some(Column::Local),
            "协会会员" => Some(Column::Member),
            "组" | "参赛组别" | "分组" => Some(Column::Group),
            "领队电话" => Some(Column::Contact),
            _ => None,
        })
    }

    fn name(self) -> &'static str {
        COLUMNS.iter().find(|(column, _)| *column == self).map_or("", |(_, name)| name)
    }
}

/// Something that was not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    /// The row, from 1 as a spreadsheet counts; or the line of a text.
    pub row: usize,
    /// The column's name.
    pub column: String,
    /// What is wrong and what to do.
    pub says: String,
}

/// What was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sheet {
    /// The forms, in order.
    pub forms: Vec<Form>,
    /// What was not understood.
    pub problems: Vec<Problem>,
}

/// Reads a table: the first row that has a column 姓名 is the heading, rows above it are left alone.
pub(super) fn table(rows: &[Vec<String>]) -> Sheet {
    let mut sheet = Sheet::default();
    let heads = |row: &[String]| -> BTreeMap<Column, usize> {
        let named = row.iter().enumerate().filter_map(|(at, cell)| Some((Column::headed(cell)?, at)));
        // Of two columns under one heading the first counts.
        named.rev().collect()
    };
    let heading = rows.iter().position(|row| heads(row).contains_key(&Column::Name));
    let Some(heading) = heading else {
        sheet.problems.push(Problem {
            row: 1,
            column: "姓名".into(),
            says: "没有找到标题行：表中须有一行写着“姓名”，其他列名见报名表模板".into(),
        });
        return sheet;
    };
    let columns = heads(&rows[heading]);
    for (at, cell) in rows[heading].iter().enumerate().filter(|(_, cell)| !cell.trim().is_empty()) {
        if Column::headed(cell).is_none() {
            sheet.problems.push(Problem {
                row: heading + 1,
                column: cell.trim().into(),
                says: format!("第{}列不认识，未读入；改成模板中的列名即可读入", at + 1),
            });
        }
    }
    let mut last_team: Option<String> = None;
    for (number, row) in rows.iter().enumerate().skip(heading + 1) {
        let cell = |column: Column| {
            columns.get(&column).and_then(|at| row.get(*at)).map(|cell| cell.trim()).unwrap_or_default()
        };
        if row.iter().all(|cell| cell.trim().is_empty()) {
            // An empty row ends a team: what follows without a team's name plays alone.
            last_team = None;
            continue;
        }
        let mut wrong = |column: Column, says: String| {
            sheet.problems.push(Problem { row: number + 1, column: column.name().into(), says });
        };
        if cell(Column::Name).is_empty() {
            if cell(Column::Team).is_empty() {
                wrong(Column::Name, "姓名为空，本行未读入；补上姓名".into());
                continue;
            }
            wrong(Column::Name, "姓名为空；有队名的行也须有队员姓名".into());
            continue;
        }
        let born = match cell(Column::Born) {
            "" => None,
            text => match text.parse() {
                Ok(born) => Some(born),
                Err(_) => {
                    wrong(Column::Born, format!("“{text}”不是日期；写成 1988-04-12 或 1988"));
                    None
                }
            },
        };
        let sex = match cell(Column::Sex) {
            "" => None,
            text => {
                let sex = Sex::parse(text);
                if sex.is_none() {
                    wrong(Column::Sex, format!("“{text}”；写成 男 或 女"));
                }
                sex
            }
        };
        let mut yes = |column: Column| match cell(column) {
            "" | "否" | "无" | "不是" | "0" | "N" | "n" => false,
            "是" | "有" | "√" | "✓" | "1" | "Y" | "y" => true,
            text => {
                wrong(column, format!("“{text}”；写成 是 或 否"));
                false
            }
        };
        let player = Player {
            name: cell(Column::Name).to_owned(),
            sex,
            born,
            id: cell(Column::Id).to_owned(),
            phone: cell(Column::Phone).to_owned(),
            title: cell(Column::Title).to_owned(),
            professional: yes(Column::Professional),
            local: yes(Column::Local),
            evidence: cell(Column::Evidence).to_owned(),
            member: yes(Column::Member),
            house: false,
            group: cell(Column::Group).to_owned(),
        };
        let team = match cell(Column::Team) {
            // Cells merged over a team's rows hold their text in the first.
            "" => last_team.clone().filter(|_| columns.contains_key(&Column::Team)),
            "个人" | "无" => None,
            team => Some(team.to_owned()),
        };
        last_team.clone_from(&team);
        let known = team.is_some().then(|| sheet.forms.iter_mut().find(|form| form.team == team)).flatten();
        match known {
            Some(form) => {
                for (into, column) in [
                    (&mut form.unit, Column::Unit),
                    (&mut form.leader, Column::Leader),
                    (&mut form.coach, Column::Coach),
                    (&mut form.phone, Column::Contact),
                    (&mut form.note, Column::Note),
                ] {
                    if into.is_empty() {
                        cell(column).clone_into(into);
                    }
                }
                form.players.push(player);
            }
            None => sheet.forms.push(Form {
                team,
                unit: cell(Column::Unit).to_owned(),
                leader: cell(Column::Leader).to_owned(),
                coach: cell(Column::Coach).to_owned(),
                phone: cell(Column::Contact).to_owned(),
                players: vec![player],
                note: cell(Column::Note).to_owned(),
            }),
        }
    }
    if sheet.forms.is_empty() && sheet.problems.is_empty() {
        let says = "标题行下面没有数据".into();
        sheet.problems.push(Problem { row: heading + 1, column: "姓名".into(), says });
    }
    sheet
}

/// CSV with commas, semicolons or tabs; quotes as spreadsheets write them.
pub(super) fn csv(text: &str) -> Vec<Vec<String>> {
    let text = text.trim_start_matches('\u{feff}');
    let first = text.lines().next().unwrap_or_default();
    let separator = ['\t', ';', ','].into_iter().max_by_key(|sep| first.matches(*sep).count()).unwrap_or(',');
    let mut rows = vec![vec![String::new()]];
    let mut quoted = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let cell = rows.last_mut().and_then(|row| row.last_mut()).expect("there is always a last cell");
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                cell.push('"');
                chars.next();
            }
            '"' if quoted || cell.is_empty() => quoted = !quoted,
            '\r' if !quoted => {}
            '\n' if !quoted => rows.push(vec![String::new()]),
            c if c == separator && !quoted => {
                if let Some(row) = rows.last_mut() {
                    row.push(String::new());
                }
            }
            c => cell.push(c),
        }
    }
    rows
}

/// A chat message: lines `姓名 单位 …`, and blocks that begin with `队名：…`.
///
/// ```text
/// 队名：东山队
/// 领队：赵一  电话：13800000000
/// 队员：钱二、孙三、李四
///
/// 周五 南湖棋社 男 1988-04-12 13900000000
/// ```
pub(super) fn message(text: &str) -> Sheet {
    let mut sheet = Sheet::default();
    let mut team: Option<Form> = None;
    for (number, line) in text.lines().enumerate() {
        let line = unnumbered(line.trim());
        if line.is_empty() {
            sheet.forms.extend(team.take().filter(|team| !team.players.is_empty()));
            continue;
        }
        let mut wrong = |says: String| {
            sheet.problems.push(Problem { row: number + 1, column: "整行".into(), says });
        };
        let pairs = labelled(line);
        if pairs.is_empty() {
            let player = match person(line) {
                Ok(player) => player,
                Err(says) => {
                    wrong(says);
                    continue;
                }
            };
            match &mut team {
                Some(team) => team.players.push(player.0),
                None => {
                    let (player, unit) = player;
                    sheet.forms.push(Form { unit, players: vec![player], ..Form::default() });
                }
            }
            continue;
        }
        for (label, value) in pairs {
            if matches!(label, "队名" | "代表队" | "参赛队") {
                sheet.forms.extend(team.take().filter(|team| !team.players.is_empty()));
                team = Some(Form { team: Some(value.to_owned()), ..Form::default() });
                continue;
            }
            let form = team.get_or_insert_with(Form::default);
            match label {
                "单位" | "代表单位" => value.clone_into(&mut form.unit),
                "领队" => value.clone_into(&mut form.leader),
                "教练" => value.clone_into(&mut form.coach),
                "电话" | "联系电话" | "手机" => value.clone_into(&mut form.phone),
                "备注" => value.clone_into(&mut form.note),
                "队员" | "运动员" | "选手" | "棋手" | "姓名" => {
                    let names =
                        value.split(['、', '，', ',', ' ', '　', '/']).filter(|name| !name.is_empty());
                    form.players
                        .extend(names.map(|name| Player { name: name.to_owned(), ..Player::default() }));
                }
                other => sheet.problems.push(Problem {
                    row: number + 1,
                    column: other.into(),
                    says: "不认识，未读入；认识的有 队名 单位 领队 教练 电话 队员 备注".into(),
                }),
            }
        }
    }
    sheet.forms.extend(team.take().filter(|team| !team.players.is_empty()));
    if sheet.forms.is_empty() && sheet.problems.is_empty() {
        let says = "没有内容；每行写 姓名 单位，或以 队名： 开头".into();
        sheet.problems.push(Problem { row: 1, column: "整行".into(), says });
    }
    sheet
}

/// Without the number that lists put in front: `3. `, `3、`.
fn unnumbered(line: &str) -> &str {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = rest.len() < line.len() && rest.starts_with(['.', '、', '．', ')', '）']);
    if numbered { rest.trim_start_matches(['.', '、', '．', ')', '）']).trim() } else { line }
}

/// `领队：赵一 电话：138…` as labels with their values.
fn labelled(line: &str) -> Vec<(&str, &str)> {
    let mut pairs = Vec::new();
    let mut rest = line;
    while let Some((label, after)) = rest.split_once(['：', ':']) {
        let label = label.trim();
        if label.is_empty() || label.contains(char::is_whitespace) {
            break;
        }
        // The value goes up to the word before the next colon.
        let next =
            after.find(['：', ':']).and_then(|colon| after[..colon].trim_end().rfind(char::is_whitespace));
        let (value, more) = next.map_or((after, ""), |at| after.split_at(at));
        pairs.push((label, value.trim()));
        rest = more.trim_start();
    }
    pairs
}

/// `姓名 单位 男 1988-04-12 13900000000`, the name first, the rest in any order.
fn person(line: &str) -> Result<(Player, String), String> {
    let mut player = Player::default();
    let mut unit = String::new();
    let parts =
        line.split(|c: char| c.is_whitespace() || matches!(c, ',' | '，' | '、' | ';' | '；' | '|' | '/'));
    for part in parts.filter(|part| !part.is_empty()) {
        let digits = part.chars().filter(char::is_ascii_digit).count();
        if player.name.is_empty() {
            if digits > 0 || part.chars().count() > 12 {
                return Err(format!("“{part}”不像姓名；每行先写姓名，再写单位"));
            }
            part.clone_into(&mut player.name);
        } else if let Some(sex) = Sex::parse(part) {
            player.sex = Some(sex);
        } else if digits == 11 && part.len() == 11 {
            part.clone_into(&mut player.phone);
        } else if part.len() == 18 && digits >= 17 {
            part.clone_into(&mut player.id);
            player.born = part[6..14].parse().ok();
        } else if digits >= 4 && part.parse::<hall::desk::Born>().is_ok() {
            player.born = part.parse().ok();
        } else if part.chars().count() > 1 && part.ends_with('组') && player.group.is_empty() {
            part.clone_into(&mut player.group);
        } else if part == "会员" {
            player.member = true;
        } else if unit.is_empty() {
            part.clone_into(&mut unit);
        } else {
            return Err(format!("“{part}”不知是什么，本行未读入；只写 姓名 单位 性别 出生日期 电话 组别"));
        }
    }
    Ok((player, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<Vec<String>> {
        csv(text)
    }

    #[test]
    fn a_filled_form_is_read_team_by_team() {
        let sheet = table(&rows(
            "某县象棋赛报名表,,,\n队名,单位,姓名,性别,出生日期\n东山队,东山镇,甲一,男,1988-04\n,,乙二,女,1990\n个人,南湖棋社,丙三,,\n",
        ));
        assert_eq!(sheet.problems, []);
        assert_eq!(sheet.forms.len(), 2);
        assert_eq!(sheet.forms[0].team.as_deref(), Some("东山队"));
        assert_eq!(sheet.forms[0].players[1].sex, Some(Sex::Female));
        assert_eq!((sheet.forms[1].team.as_deref(), sheet.forms[1].unit.as_str()), (None, "南湖棋社"));
    }

    #[test]
    fn what_is_wrong_is_said_with_row_and_column() {
        let sheet = table(&rows("姓名,性别,出生日期,血型\n甲一,男性,去年,A\n,女,1990,B"));
        let said: Vec<(usize, &str)> = sheet.problems.iter().map(|it| (it.row, it.column.as_str())).collect();
        assert_eq!(said, [(1, "血型"), (2, "出生日期"), (2, "性别"), (3, "姓名")]);
        assert!(sheet.problems[1].says.contains("写成 1988-04-12"));
        assert_eq!(sheet.forms.len(), 1, "the row itself is read");
        assert!(table(&rows("a,b\n1,2")).problems[0].says.contains("标题行"));
    }

    #[test]
    fn a_chat_message_is_read_line_by_line() {
        let sheet = message(
            "队名：东山队 单位：东山镇\n领队：赵一  电话：13800000000\n队员：钱二、孙三\n1. 李四 男\n\n周五 南湖棋社 男 1988-04-12 13900000000\n13900000000 吴六",
        );
        assert_eq!(sheet.forms.len(), 2);
        let team = &sheet.forms[0];
        assert_eq!(
            (team.leader.as_str(), team.phone.as_str(), team.unit.as_str()),
            ("赵一", "13800000000", "东山镇")
        );
        assert_eq!(
            team.players.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(),
            ["钱二", "孙三", "李四"]
        );
        let alone = &sheet.forms[1];
        assert_eq!((alone.unit.as_str(), alone.players[0].phone.as_str()), ("南湖棋社", "13900000000"));
        assert_eq!(sheet.problems.len(), 1);
        assert_eq!(sheet.problems[0].row, 7);
    }

    #[test]
    fn quoted_cells_may_hold_anything() {
        assert_eq!(rows("\"a,\"\"b\"\"\nc\",d"), [["a,\"b\"\nc", "d"]]);
        assert_eq!(rows("姓名\t单位\n甲\t乙"), [["姓名", "单位"], ["甲", "乙"]]);
    }
}
