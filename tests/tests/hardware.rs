//! The files of the open design agree with each other and with the firmware: pins, the wiring of the 90 points, costs.

#![allow(clippy::unwrap_used)] // A test may fall over.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use firmware_proto::Cell;

fn hardware() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("hardware")
}

/// The rows of a table, by the names of its head line.
fn table(file: &str) -> Vec<BTreeMap<String, String>> {
    let text = std::fs::read_to_string(hardware().join(file)).unwrap();
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    lines
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            assert_eq!(cells.len(), head.len(), "{file}: “{line}” has {} cells", cells.len());
            head.iter().zip(cells).map(|(name, cell)| ((*name).to_owned(), cell.to_owned())).collect()
        })
        .collect()
}

/// The GPIO of each signal.
fn pins() -> BTreeMap<String, u32> {
    let mut pins = BTreeMap::new();
    for row in table("board/pins.csv") {
        let gpio = row["gpio"].parse().unwrap();
        for column in ["every_controller", "matrix_board", "hall_board", "clock_faces"] {
            if !row[column].is_empty() {
                assert_eq!(pins.insert(row[column].clone(), gpio), None, "{} stands twice", row[column]);
            }
        }
    }
    pins
}

#[test]
fn the_firmwares_pins_are_those_of_the_table() {
    let pins = pins();
    let source = std::fs::read_to_string(hardware().join("firmware/src/pins.rs")).unwrap();
    let numbers = |text: &str| -> Vec<u32> {
        let digits = |rest: &str| rest.chars().take_while(char::is_ascii_digit).collect::<String>();
        text.split("p.PIN_").skip(1).map(|rest| digits(rest).parse().unwrap()).collect()
    };
    let body = &source[source.find("let core = Core {").unwrap()..];
    let signals = |names: &[&str]| -> Vec<u32> { names.iter().map(|name| pins[*name]).collect() };
    let several = |count: u32, name: &str| -> Vec<u32> {
        (0..count).map(|index| pins[&format!("{name}_{index}")]).collect()
    };
    let expected = [
        signals(&["line_tx", "line_rx", "line_drive", "contacts"]),
        several(9, "column"),
        several(10, "row"),
        several(3, "input"),
    ]
    .concat();
    assert_eq!(numbers(body), expected);
    // The Hall board's lines are the first rows of the other one, in this order.
    assert_eq!([several(4, "select"), several(4, "bank")].concat(), several(10, "row")[..8]);
    // The clock's faces listen to two of them, and to the row of contacts.
    let faces = ["face_data", "face_clock", "face_strobe"];
    assert_eq!(signals(&faces), signals(&["row_3", "row_7", "contacts"]));
    assert_eq!(signals(&faces[..2]), signals(&["select_3", "bank_3"]));
    assert!(source.contains(&format!("FIRST_COLUMN: usize = {};", pins["column_0"])));
}

#[test]
fn every_point_is_wired_once_and_where_the_firmware_looks_for_it() {
    let pins = pins();
    let wiring = table("board/wiring.csv");
    assert_eq!(wiring.len(), Cell::COUNT);
    for (cell, row) in wiring.iter().enumerate() {
        let number = |name: &str| -> usize { row[name].parse().unwrap() };
        let (strip, place) = (cell / 9, cell % 9);
        assert_eq!(number("cell"), cell);
        // Half A plays Red: cells begin at his left hand.
        assert_eq!(row["point"], format!("{}{strip}", char::from(b'a' + place as u8)));
        assert_eq!((number("strip"), number("place")), (strip + 1, place + 1));
        // A strip has a multiplexer of its own; three strips are a bank.
        let (bank, input) = (strip / 3, strip % 3);
        assert_eq!((number("bank"), number("input"), number("way")), (bank, input, place));
        let gpio = |name: &str, index: usize| pins[&format!("{name}_{index}")] as usize;
        assert_eq!(number("bank_gpio"), gpio("bank", bank), "cell {cell}");
        assert_eq!(number("input_gpio"), gpio("input", input), "cell {cell}");
        assert_eq!(number("row_gpio"), gpio("row", strip), "cell {cell}");
        assert_eq!(number("column_gpio"), gpio("column", place), "cell {cell}");
    }
}

#[test]
fn a_table_without_wood_costs_less_than_ninety_dollars_and_each_part_has_a_second_source() {
    for sensing in ["hall", "switches"] {
        let mut total = 0.0;
        for file in ["board/bom.csv", "clock/bom.csv"] {
            for row in table(file) {
                let number = |name: &str| -> f64 { row[name].parse().unwrap() };
                // A part of one kind of board only says so.
                if row.get("sensing").is_none_or(|of| of.is_empty() || of == sensing) {
                    total += number("count") * number("each_usd");
                }
                assert!(!row["second_source"].is_empty(), "{file}: {} has one source", row["part"]);
            }
        }
        println!("{sensing}: {total:.2} US$ a table, by the estimates");
        assert!(total < 90.0, "{sensing}: {total:.2}");
    }
}
