//! 组别 on the desk's pages: the lines of the settings, the switch between groups, lists by group.

use hall::desk::{Born, DeskView, Group};
use maud::{Markup, html};
use tournament::{EntrantNo, GroupNo, System, TableNo};

use super::{AtDesk, Fields};

const LIKE: &str = "写成 女子组：单循环 31台起 限女子，或 少年组：积分编排 7轮 2010-01-01以后出生";

/// One group a line, as [`read`] understands it.
pub(super) fn written(groups: &[Group]) -> String {
    groups.iter().map(|group| line(group) + "\n").collect()
}

fn line(group: &Group) -> String {
    let field = &group.field;
    let mut words = vec![match field.system {
        System::Swiss => format!("积分编排 {}轮", field.rounds),
        System::RoundRobin { double: false } => "单循环".into(),
        System::RoundRobin { double: true } => "双循环".into(),
        System::Knockout { replays } => format!("淘汰赛 加赛{replays}局"),
    }];
    words.extend(field.first_table.map(|table| format!("{table}台起")));
    words.extend(group.women.then(|| "限女子".into()));
    words.extend(group.born_from.map(|day| format!("{day}以后出生")));
    words.extend(group.born_until.map(|day| format!("{day}以前出生")));
    format!("{}：{}", field.name, words.join(" "))
}

/// The groups out of the settings' lines; a group without a number of rounds has the event's.
pub(super) fn read(fields: &Fields, rounds: u16) -> Result<Vec<Group>, String> {
    fields.lines("groups").map(|line| group(line, rounds)).collect()
}

fn group(line: &str, rounds: u16) -> Result<Group, String> {
    let (name, words) = line.split_once(['：', ':']).unwrap_or((line, ""));
    let name = name.trim();
    if name.is_empty() {
        return Err(format!("组别“{line}”没有名称：{LIKE}"));
    }
    let field = tournament::Group { name: name.into(), rounds, system: System::Swiss, first_table: None };
    let mut group = Group { field, women: false, born_from: None, born_until: None };
    for word in words.split([' ', '　', '，', ',', '、']).filter(|word| !word.is_empty()) {
        take(&mut group, word).ok_or_else(|| format!("组别“{name}”的“{word}”不认识：{LIKE}"))?;
    }
    Ok(group)
}

/// Takes in one word of a group's line.
fn take(group: &mut Group, word: &str) -> Option<()> {
    let field = &mut group.field;
    let day = |text: &str| text.trim_end_matches('以').parse::<Born>().ok();
    match word {
        "积分编排" | "积分编排制" => field.system = System::Swiss,
        "单循环" | "循环赛" => field.system = System::RoundRobin { double: false },
        "双循环" => field.system = System::RoundRobin { double: true },
        "淘汰赛" => field.system = System::Knockout { replays: 1 },
        "限女子" => group.women = true,
        word => {
            if let Some(games) = word.strip_prefix("加赛").and_then(|rest| rest.strip_suffix('局')) {
                let System::Knockout { replays } = &mut field.system else { return None };
                *replays = games.parse().ok()?;
            } else if let Some(rounds) = word.strip_suffix('轮') {
                field.rounds = rounds.parse().ok()?;
            } else if let Some(table) = word.strip_suffix("台起") {
                field.first_table = Some(TableNo(table.parse().ok()?));
            } else if let Some(born) = word.strip_suffix("后出生") {
                group.born_from = Some(day(born)?);
            } else if let Some(born) = word.strip_suffix("前出生") {
                group.born_until = Some(day(born)?);
            } else {
                return None;
            }
        }
    }
    Some(())
}

/// Rows group by group, each with the group's number and name; where there are no groups, all rows without a name.
pub(crate) fn parted<'a, T>(
    view: &'a DeskView,
    rows: impl IntoIterator<Item = &'a T>,
    who: impl Fn(&T) -> EntrantNo,
) -> Vec<(GroupNo, &'a str, Vec<&'a T>)> {
    let names: Vec<(GroupNo, &str)> = view.groups().collect();
    let rows: Vec<&T> = rows.into_iter().collect();
    if names.is_empty() {
        return vec![(GroupNo::default(), "", rows)];
    }
    let of = |no: GroupNo| {
        rows.iter().copied().filter(|row| view.group_of(who(row)) == Some(no)).collect::<Vec<_>>()
    };
    names.into_iter().map(|(no, name)| (no, name, of(no))).filter(|(.., rows)| !rows.is_empty()).collect()
}

impl AtDesk {
    /// The desk as one group sees it.
    pub(crate) fn in_group(&self, no: GroupNo) -> AtDesk {
        AtDesk { view: std::sync::Arc::new(self.view.of_group(no)), ..self.clone() }
    }

    /// The desk group by group, or that of `?group=` alone; where there are no groups, the desk as it is.
    pub(crate) fn by_group(&self) -> Vec<AtDesk> {
        let asked = self.reader.asked::<u16>("group").map(GroupNo);
        let groups: Vec<GroupNo> = self.view.groups().map(|(no, _)| no).collect();
        if groups.is_empty() {
            return vec![self.clone()];
        }
        let chosen = groups.iter().filter(|no| asked.is_none_or(|asked| asked == **no));
        chosen.map(|no| self.in_group(*no)).collect()
    }

    /// The group that is looked at: of `?group=`, else the first; `None` where there are no groups.
    pub(super) fn group_asked(&self) -> Option<GroupNo> {
        let asked = self.reader.asked::<u16>("group").map(GroupNo);
        let mut groups = self.view.groups().map(|(no, _)| no);
        let first = groups.next()?;
        Some(asked.filter(|asked| *asked == first || groups.any(|no| no == *asked)).unwrap_or(first))
    }
}

/// The switch between groups on a page that shows one.
pub(super) fn switch(desk: &AtDesk, path: &str, chosen: Option<GroupNo>) -> Markup {
    html! { @if chosen.is_some() { div class="seg small" { @for (no, name) in desk.view.groups() {
    a href={ (path) "?group=" (no) } aria-current=[(chosen == Some(no)).then_some("true")] { (name) } } } } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Result<Vec<Group>, String> {
        read(&Fields::of([("groups", text)].into_iter()), 7)
    }

    #[test]
    fn what_is_written_is_read_back() {
        let text = "男子组：积分编排 7轮\n女子组：单循环 31台起 限女子\n少年组：积分编排 5轮 2010-01-01以后出生\n\
                    老年组：淘汰赛 加赛2局 1965以前出生\n";
        let groups = lines(text).unwrap();
        assert_eq!(written(&groups), text);
        assert_eq!(groups[1].field.system, System::RoundRobin { double: false });
        assert_eq!(groups[1].field.first_table, Some(TableNo(31)));
        assert!(groups[1].women && !groups[0].women);
        assert_eq!(lines("甲组").unwrap()[0].field.rounds, 7, "the event's, where none is given");
    }

    #[test]
    fn what_is_not_understood_is_named() {
        for (line, word) in
            [("女子组：三十台起", "三十台起"), ("女子组：瑞典制", "瑞典制"), ("甲组：加赛1局", "加赛1局")]
        {
            let said = lines(line).unwrap_err();
            assert!(said.contains(word) && said.contains("写成"), "{said}");
        }
        assert!(lines("：7轮").unwrap_err().contains("没有名称"));
    }
}
