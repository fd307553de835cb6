//! Excel: the 报名表 that the program makes, what comes back filled, and the lists that go out.

use std::io::Cursor;

use calamine::{Data, Reader as _, open_workbook_auto_from_rs};
use hall::desk::DeskView;
use rust_xlsxwriter::{DataValidation, Format, FormatAlign, FormatBorder, Workbook, Worksheet, XlsxError};
use tournament::{GroupNo, LadderKey, RoundNo};

use super::read::{COLUMNS, Column};

/// The rows of the first sheet of a workbook that has any (xlsx, xls, ods).
pub(super) fn rows(bytes: &[u8]) -> Result<Vec<Vec<String>>, String> {
    let unreadable = |why: &dyn std::fmt::Display| {
        format!("文件不是可读的 Excel 表格（{why}）；用 Excel 或 WPS 另存为 .xlsx 再试")
    };
    let mut book = open_workbook_auto_from_rs(Cursor::new(bytes)).map_err(|why| unreadable(&why))?;
    for name in book.sheet_names() {
        let range = book.worksheet_range(&name).map_err(|why| unreadable(&why))?;
        if range.is_empty() {
            continue;
        }
        // The range starts at its first filled row; rows are counted as the spreadsheet shows them.
        let above = range.start().map_or(0, |(row, _)| row as usize);
        let mut rows = vec![Vec::new(); above];
        rows.extend(range.rows().map(|row| row.iter().map(text).collect::<Vec<String>>()));
        return Ok(rows);
    }
    Err("表格是空的".into())
}

/// A cell as people see it: whole numbers without a point, dates as dates.
fn text(cell: &Data) -> String {
    match cell {
        Data::Empty | Data::Error(_) => String::new(),
        Data::String(text) | Data::DateTimeIso(text) | Data::DurationIso(text) => text.clone(),
        Data::Bool(true) => "是".into(),
        Data::Bool(false) => "否".into(),
        Data::Int(number) => number.to_string(),
        Data::Float(number) => number.to_string(),
        Data::DateTime(when) => {
            let (year, month, day, ..) = when.to_ymd_hms_milli();
            format!("{year}-{month:02}-{day:02}")
        }
    }
}

struct Looks {
    title: Format,
    head: Format,
    cell: Format,
    text: Format,
}

impl Looks {
    fn new() -> Looks {
        let cell = Format::new().set_border(FormatBorder::Thin).set_font_name("微软雅黑").set_font_size(10);
        Looks {
            title: Format::new()
                .set_bold()
                .set_font_size(16)
                .set_font_name("微软雅黑")
                .set_align(FormatAlign::Center)
                .set_align(FormatAlign::VerticalCenter),
            head: cell.clone().set_bold().set_align(FormatAlign::Center).set_background_color(0x00E8_E4D9),
            // ID numbers and phones are text: as numbers Excel rounds them.
            text: cell.clone().set_num_format("@"),
            cell,
        }
    }
}

fn a4(sheet: &mut Worksheet) {
    sheet.set_landscape().set_paper_size(9).set_print_fit_to_pages(1, 0);
    sheet.set_footer("&L&A&R第&P页 共&N页");
}

/// 报名表: blank, or with what is registered. One row a player, a team's rows together.
pub(super) fn entries(view: &DeskView, filled: bool) -> Result<Vec<u8>, XlsxError> {
    let looks = Looks::new();
    let mut book = Workbook::new();
    let sheet = book.add_worksheet();
    sheet.set_name("报名表")?;
    let grouped = !view.settings.groups.is_empty();
    let columns: Vec<_> = COLUMNS.iter().filter(|(column, _)| grouped || *column != Column::Group).collect();
    let last = columns.len() as u16 - 1;
    sheet.merge_range(0, 0, 0, last, &format!("{} 报名表", view.title), &looks.title)?;
    sheet.set_row_height(0, 30)?;
    for (at, (_, name)) in (0..).zip(columns) {
        sheet.write_with_format(1, at, *name, &looks.head)?;
        let width = match *name {
            "证件号" => 22,
            "队名" | "单位" | "电话" | "联系电话" | "出生日期" | "现役大师或象甲" => 14,
            _ => 9,
        };
        sheet.set_column_width(at, width)?;
    }
    let mut row = 2;
    for file in view.files.values().filter(|file| filled && file.struck.is_none()) {
        let form = &file.form;
        for (at, player) in form.players.iter().enumerate() {
            let once = |text: &str| if at == 0 { text.to_owned() } else { String::new() };
            let yes = |it: bool| if it { "是" } else { "" }.to_owned();
            let cells = [
                form.team.clone().unwrap_or_else(|| "个人".into()),
                once(&form.unit),
                player.name.clone(),
                player.sex.map_or("", hall::desk::Sex::zh).to_owned(),
                player.born.map(|born| born.to_string()).unwrap_or_default(),
                player.id.clone(),
                player.phone.clone(),
                player.title.clone(),
                yes(player.professional),
                yes(player.local),
                player.evidence.clone(),
                yes(player.member),
                player.group.clone(),
                once(&form.leader),
                once(&form.coach),
                once(&form.phone),
                once(&form.note),
            ];
            let shown =
                COLUMNS.iter().zip(cells).filter(|((column, _), _)| grouped || *column != Column::Group);
            for (column, (_, cell)) in (0..).zip(shown) {
                sheet.write_with_format(row, column, cell, &looks.text)?;
            }
            row += 1;
        }
    }
    let blank_to = row + if filled { 0 } else { 40 };
    for row in row..blank_to {
        for column in 0..=last {
            sheet.write_blank(row, column, &looks.text)?;
        }
    }
    let end = blank_to.max(3) - 1;
    let choose = |of: &[&str]| DataValidation::new().allow_list_strings(of);
    sheet.add_data_validation(2, 3, end, 3, &choose(&["男", "女"])?)?;
    for column in [8, 9, 11] {
        sheet.add_data_validation(2, column, end, column, &choose(&["是", "否"])?)?;
    }
    if grouped {
        let names: Vec<&str> = view.groups().map(|(_, name)| name).collect();
        sheet.add_data_validation(2, 12, end, 12, &choose(&names)?)?;
    }
    let foot = end + 2;
    sheet.write(foot, 0, "填表人：")?;
    sheet.write(foot, 4, "联系电话：")?;
    sheet.write(foot, 8, "单位（盖章）：")?;
    sheet.write(foot, 12, "日期：")?;
    sheet.set_freeze_panes(2, 0)?;
    sheet.set_repeat_rows(0, 1)?;
    a4(sheet);
    let how = book.add_worksheet();
    how.set_name("填表说明")?;
    how.set_column_width(0, 90)?;
    for (row, line) in (0..).zip([
        "一行一名队员；同一队的各行写同一队名，或只在第一行写队名、以下留空。",
        "个人报名：队名写“个人”。",
        "出生日期写 1988-04-12，只知年份写 1988。",
        "团体赛中队员的先后即台次，最后一台为定人台。",
        "不要改第二行的列名；可增加行，不用的列留空。",
    ]) {
        how.write(row, 0, line)?;
    }
    book.save_to_buffer()
}

/// The standing after a round, every figure of the ladder in its column; each group on a sheet of its own.
pub(super) fn standing(view: &DeskView, after: RoundNo) -> Result<Vec<u8>, XlsxError> {
    let mut book = Workbook::new();
    let groups: Vec<(GroupNo, &str)> = view.groups().collect();
    if groups.is_empty() {
        one_standing(&mut book, view, after, &format!("第{after}轮后名次"))?;
    }
    for (no, name) in groups {
        let of_group = view.of_group(no);
        // What Excel does not take in the name of a sheet.
        let name: String = name.chars().filter(|c| !"[]:*?/\\'".contains(*c)).take(31).collect();
        one_standing(&mut book, &of_group, after.min(of_group.last_over()), &name)?;
    }
    book.save_to_buffer()
}

fn one_standing(book: &mut Workbook, view: &DeskView, after: RoundNo, name: &str) -> Result<(), XlsxError> {
    let looks = Looks::new();
    let sheet = book.add_worksheet();
    sheet.set_name(name)?;
    let Some((standing, posting)) = view.posted(after, None) else { return Ok(()) };
    let keys: Vec<LadderKey> =
        standing.ladder.0.iter().copied().filter(|key| *key != LadderKey::PreviousRound).collect();
    let heads = ["名次", "号", "姓名", "单位"].map(String::from).into_iter();
    let heads: Vec<String> =
        heads.chain(keys.iter().map(|key| key.heading().zh)).chain(["列此之后的依据".into()]).collect();
    let last = heads.len() as u16 - 1;
    let title = format!("{} 第{after}轮后名次（第{}版）", view.title, posting.version);
    sheet.merge_range(0, 0, 0, last, &title, &looks.title)?;
    for (at, head) in (0..).zip(&heads) {
        sheet.write_with_format(1, at, head, &looks.head)?;
        sheet.set_column_width(at, if at == 2 || at == 3 || at == last { 18 } else { 9 })?;
    }
    for (line, row) in (2..).zip(&standing.rows) {
        let (name, unit) = view.entrant(row.no);
        sheet.write_with_format(line, 0, row.rank, &looks.cell)?;
        sheet.write_with_format(line, 1, row.no.0, &looks.cell)?;
        sheet.write_with_format(line, 2, name, &looks.cell)?;
        sheet.write_with_format(line, 3, unit, &looks.cell)?;
        let figures = standing.ladder.0.iter().zip(&row.figures);
        let figures = figures.filter(|(key, _)| **key != LadderKey::PreviousRound);
        for (at, (_, figure)) in (4..).zip(figures) {
            match figure {
                Some(figure) => {
                    sheet.write_with_format(line, at, figure.in_halves() as f64 / 2.0, &looks.cell)?
                }
                None => sheet.write_blank(line, at, &looks.cell)?,
            };
        }
        let why = row.below.as_ref().map(|below| below.words().zh).unwrap_or_default();
        sheet.write_with_format(line, last, why, &looks.cell)?;
    }
    sheet.set_freeze_panes(2, 0)?;
    sheet.set_repeat_rows(0, 1)?;
    a4(sheet);
    Ok(())
}
