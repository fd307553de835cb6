//! The boards' KiCad files are what their generator makes, and mean what the firmware and the map of the points say:
//! netlists, places, parts and the files for a board house, all told by KiCad itself. That schematics and layouts pass
//! KiCad's checks, and agree with each other, `tests/run kicad` asks of KiCad directly.

#![allow(clippy::unwrap_used)] // A test may fall over.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

fn hardware() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("hardware")
}

/// Whether KiCad is installed.
fn kicad() -> bool {
    let there = Command::new("kicad-cli").arg("version").output().is_ok_and(|output| output.status.success());
    if !there {
        eprintln!("SKIPPED: KiCad files: there is no kicad-cli; tests/run kicad installs it");
    }
    there
}

/// What `kicad-cli` writes about a copy of a board's files (it leaves files of its own beside them).
fn export(board: &str, what: &[&str], file: &str, options: &[&str]) -> (tempfile::TempDir, PathBuf) {
    let work = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(hardware().join("board/kicad").join(board)).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, work.path().join(path.file_name().unwrap())).unwrap();
    }
    let ending = if what[0] == "pcb" { "kicad_pcb" } else { "kicad_sch" };
    let out = work.path().join(file);
    let output = Command::new("kicad-cli")
        .args(what)
        .arg(work.path().join(format!("{board}.{ending}")))
        .args(options)
        .arg("--output")
        .arg(&out)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (work, out)
}

/// The net of each pin, and the function of each pin.
struct Netlist {
    net: BTreeMap<(String, String), String>,
    function: BTreeMap<(String, String), String>,
}

impl Netlist {
    fn of(board: &str) -> Netlist {
        let (_work, file) =
            export(board, &["sch", "export", "netlist"], "netlist.xml", &["--format", "kicadxml"]);
        let text = std::fs::read_to_string(file).unwrap();
        let (mut net, mut function) = (BTreeMap::new(), BTreeMap::new());
        let attribute = |line: &str, name: &str| {
            line.split(&format!(" {name}=\"")).nth(1)?.split('"').next().map(str::to_owned)
        };
        let mut present = String::new();
        for line in text.lines().map(str::trim) {
            if line.starts_with("<net ") {
                present = attribute(line, "name").unwrap();
            } else if line.starts_with("<node ") {
                let pin = (attribute(line, "ref").unwrap(), attribute(line, "pin").unwrap());
                function.extend(attribute(line, "pinfunction").map(|function| (pin.clone(), function)));
                net.insert(pin, present.clone());
            }
        }
        Netlist { net, function }
    }

    fn at(&self, part: &str, pin: impl ToString) -> &str {
        &self.net[&(part.to_owned(), pin.to_string())]
    }

    /// The pins of a net, but for one part's.
    fn others(&self, net: &str, but: &str) -> Vec<&(String, String)> {
        self.net.iter().filter(|((part, _), on)| *on == net && part != but).map(|(pin, _)| pin).collect()
    }
}

/// The rows of a table, by the names of its head line.
fn table(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut lines = text.lines().map(|line| line.replace("\",\"", "\u{0}").replace('"', ""));
    let cells = |line: String| -> Vec<String> {
        let separator = if line.contains('\u{0}') { '\u{0}' } else { ',' };
        line.split(separator).map(str::to_owned).collect()
    };
    let head = cells(lines.next().unwrap());
    lines.map(|line| head.iter().cloned().zip(cells(line)).collect()).collect()
}

fn own_table(file: &str) -> Vec<BTreeMap<String, String>> {
    table(&std::fs::read_to_string(hardware().join(file)).unwrap())
}

#[test]
fn the_controllers_pins_are_those_of_the_firmware() {
    if !kicad() {
        return;
    }
    let (controller, strip) = (Netlist::of("controller"), Netlist::of("strip"));
    // What the strip calls the wire of the bus that a pin of the controller hangs on.
    let on_bus = |net: &str| -> BTreeSet<&str> {
        controller
            .others(net, "U1")
            .into_iter()
            .filter(|(part, _)| part == "J1")
            .map(|(_, pin)| strip.at("J1", pin))
            .collect()
    };
    for row in own_table("board/pins.csv") {
        let net = controller.at("U1", &row["pico_pin"]);
        let signals = [&row["every_controller"], &row["matrix_board"]];
        for signal in signals.into_iter().filter(|signal| !signal.is_empty()) {
            assert_eq!(net, signal.to_uppercase(), "pin {} of the Pico", row["pico_pin"]);
        }
        if !row["hall_board"].is_empty() {
            let wire = row["hall_board"].to_uppercase();
            assert_eq!(on_bus(net), BTreeSet::from([wire.as_str()]), "GPIO {}", row["gpio"]);
        }
    }
    // Wire by wire: a supply on the one side is the same supply on the other.
    for wire in 1..=16 {
        let (one, other) = (controller.at("J1", wire), strip.at("J1", wire));
        for supply in ["GND", "+3V3S"] {
            assert_eq!(
                one == supply,
                other == supply,
                "wire {wire}: {one} on the controller, {other} on the strip"
            );
        }
    }
}

#[test]
fn every_point_hangs_on_the_way_that_the_map_says_and_lies_forty_millimetres_from_the_next() {
    if !kicad() {
        return;
    }
    let strip = Netlist::of("strip");
    let (_work, file) =
        export("strip", &["pcb", "export", "pos"], "places.csv", &["--format", "csv", "--units", "mm"]);
    let places: BTreeMap<String, (f64, f64)> =
        table(&std::fs::read_to_string(file).unwrap().replace("\"", ""))
            .into_iter()
            .map(|row| (row["Ref"].clone(), (row["PosX"].parse().unwrap(), row["PosY"].parse().unwrap())))
            .collect();
    let first = places["U2"];
    for row in own_table("board/wiring.csv") {
        let place: usize = row["place"].parse().unwrap();
        let sensor = format!("U{}", place + 1);
        let net = strip.at(&sensor, 2);
        assert_eq!((strip.at(&sensor, 1), strip.at(&sensor, 3)), ("+3V3S", "GND"), "supply of {sensor}");
        let [pin] = strip.others(net, &sensor)[..] else { panic!("{net} goes to one way") };
        assert_eq!(strip.function[pin], format!("I{}", row["way"]), "point {}", row["point"]);
        let (x, y) = places[&sensor];
        assert!(
            (x - first.0 - 40.0 * (place as f64 - 1.0)).abs() < 1e-6 && y == first.1,
            "{sensor} at {x}, {y}"
        );
        // The jumpers that make this strip the one that the map says.
        let across = |number: usize| {
            let jumper = format!("JP{number}");
            [strip.at(&jumper, 1).to_owned(), strip.at(&jumper, 2).to_owned()]
        };
        let (bank, input): (usize, usize) = (row["bank"].parse().unwrap(), row["input"].parse().unwrap());
        assert_eq!(across(bank + 1), [format!("BANK_{bank}"), "ENABLE".to_owned()]);
        assert_eq!(across(input + 5), [format!("INPUT_{input}"), "OUTPUT".to_owned()]);
    }
    let named = |name: &str| {
        strip.function.iter().find(|((part, _), function)| part == "U1" && *function == name).unwrap().0
    };
    for (function, net) in [("COM", "OUTPUT"), ("~{E}", "ENABLE"), ("S0", "SELECT_0"), ("S3", "SELECT_3")] {
        assert_eq!(strip.net[named(function)], net, "{function} of the multiplexer");
    }
}

#[test]
fn the_clocks_contacts_stand_on_the_columns_in_the_devices_order() {
    if !kicad() {
        return;
    }
    let (controller, contacts) = (Netlist::of("controller"), Netlist::of("contacts"));
    // Wires 6 to 14 are the row of contacts and the columns; the others it leaves to the faces, but for ground.
    for wire in [2, 4].into_iter().chain(6..=14) {
        assert_eq!(controller.at("J2", wire), contacts.at("J1", wire), "wire {wire} of the clock's cable");
    }
    let switches = ["J2", "J3", "SW1", "SW2", "SW3", "SW4", "SW5", "SW6"];
    for (column, switch) in switches.into_iter().enumerate() {
        assert_eq!(contacts.at(switch, 1), format!("COLUMN_{column}"));
        let [diode] = contacts.others(contacts.at(switch, 2), switch)[..] else {
            panic!("one diode at each contact")
        };
        assert_eq!(diode.1, "2", "the anode at the contact, or the row could not pull it down");
        assert_eq!(contacts.at(&diode.0, 1), "CONTACTS_OUT");
    }
}

/// Behind a resistor that this pin's net has: the net at its other end. `None`: there is no such resistor.
fn behind_resistor<'a>(of: &'a Netlist, net: &str) -> Option<&'a str> {
    let mut behind = of.others(net, "").into_iter().filter_map(|(part, pin)| {
        let other = if pin == "1" { "2" } else { "1" };
        part.starts_with('R').then(|| of.at(part, other)).filter(|net| !matches!(*net, "+3V3" | "GND"))
    });
    behind.next()
}

#[test]
fn the_clocks_faces_hang_on_the_lines_that_the_firmware_tells_them_over() {
    if !kicad() {
        return;
    }
    let (controller, faces) = (Netlist::of("controller"), Netlist::of("faces"));
    for wire in 1..=6 {
        assert_eq!(controller.at("J2", wire), faces.at("J1", wire), "wire {wire} of the clock's cable");
    }
    let function = |part: &str, name: &str| -> &str {
        let pin = faces.function.iter().find(|((of, _), function)| of == part && *function == name);
        &faces.net[pin.unwrap().0]
    };
    let mut signals = 0;
    for row in own_table("board/pins.csv") {
        let input = match row["clock_faces"].as_str() {
            "face_strobe" => "STB",
            "face_clock" => "CLK",
            "face_data" => "DIO",
            _ => continue,
        };
        signals += 1;
        // From the Pico through a resistor to the cable, on the faces through another one to the receiver …
        let wire = behind_resistor(&controller, controller.at("U1", &row["pico_pin"])).unwrap();
        assert!((1..=14).any(|pin| controller.at("J2", pin) == wire), "{wire} is no wire of the cable");
        let received = behind_resistor(&faces, wire).unwrap();
        let way = (0..8).find(|way| function("U2", &format!("A{way}")) == received).unwrap();
        // … and from there to the driver, once more through a resistor where the driver could speak itself.
        let sent = function("U2", &format!("Y{way}"));
        let driver = function("U1", input);
        assert!(sent == driver || behind_resistor(&faces, sent) == Some(driver), "{input}");
    }
    assert_eq!(signals, 3);
    // Each digit at its own grid, its segments in the firmware's order; light and dots on the ninth segment.
    for digit in 1..=8 {
        let part = format!("DS{digit}");
        let grid = function("U1", &format!("GRID{digit}"));
        assert_eq!([faces.at(&part, 3), faces.at(&part, 8)], [grid, grid]);
        for (segment, name) in ["A", "B", "C", "D", "E", "F", "G", "DP"].into_iter().enumerate() {
            let pin = faces
                .function
                .iter()
                .find(|((of, _), function)| *of == part && (function.eq_ignore_ascii_case(name)));
            assert_eq!(
                faces.net[pin.unwrap().0],
                function("U1", &format!("SEG{}", segment + 1)),
                "{part} {name}"
            );
        }
    }
    for (light, digit) in [(1, 1), (2, 2), (3, 3), (4, 5), (5, 6), (6, 7)] {
        let part = format!("D{light}");
        assert_eq!(faces.at(&part, 1), function("U1", &format!("GRID{digit}")), "cathode of {part}");
        assert_eq!(faces.at(&part, 2), function("U1", "SEG9"), "anode of {part}");
    }
}

#[test]
fn the_switches_of_a_strip_stand_on_the_columns_and_a_jumper_chooses_its_row() {
    if !kicad() {
        return;
    }
    let (controller, switches) = (Netlist::of("controller"), Netlist::of("switches"));
    for wire in 1..=19 {
        assert_eq!(controller.at("J3", wire), switches.at("J1", wire), "wire {wire} of the cable");
    }
    for place in 0..9 {
        let switch = format!("SW{}", place + 1);
        assert_eq!(switches.at(&switch, 1), format!("COLUMN_{place}"));
        let [diode] = switches.others(switches.at(&switch, 2), &switch)[..] else {
            panic!("one diode at each switch")
        };
        assert_eq!(diode.1, "2", "the anode at the switch");
        assert_eq!(switches.at(&diode.0, 1), "ROW");
    }
    for row in 0..10 {
        let jumper = format!("JP{}", row + 1);
        assert_eq!([switches.at(&jumper, 1), switches.at(&jumper, 2)], [&format!("ROW_{row}"), "ROW"]);
    }
}

#[test]
fn the_list_of_parts_is_that_of_the_schematics() {
    if !kicad() {
        return;
    }
    let mut needed: BTreeMap<(String, String), u32> = BTreeMap::new();
    for (board, of_each) in
        [("strip", 10), ("switches", 10), ("controller", 1), ("contacts", 1), ("faces", 1)]
    {
        let options = ["--fields", "Value,${QUANTITY}", "--group-by", "Value"];
        let (_work, file) = export(board, &["sch", "export", "bom"], "parts.csv", &options);
        for row in table(&std::fs::read_to_string(file).unwrap()) {
            let count: u32 = row["QUANTITY"].parse().unwrap();
            needed.insert((board.to_owned(), row["Value"].clone()), of_each * count);
        }
    }
    let mut bought = BTreeMap::new();
    for file in ["board/bom.csv", "clock/bom.csv"] {
        for row in own_table(file).into_iter().filter(|row| !row["value"].is_empty()) {
            let part = (row["board"].clone(), row["value"].clone());
            assert_eq!(
                bought.insert(part, row["count"].parse().unwrap()),
                None,
                "{file}: {} twice",
                row["part"]
            );
        }
    }
    assert_eq!(bought, needed);
}

#[test]
fn a_board_house_gets_every_layer_and_the_holes() {
    if !kicad() {
        return;
    }
    for board in ["strip", "switches", "controller", "contacts", "faces"] {
        let layers = "F.Cu,B.Cu,F.Mask,B.Mask,F.Paste,F.Silkscreen,B.Silkscreen,Edge.Cuts";
        let (_work, folder) = export(board, &["pcb", "export", "gerbers"], "gerbers", &["--layers", layers]);
        let drawn: Vec<u64> = std::fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap())
            .filter(|entry| !entry.file_name().to_string_lossy().ends_with("gbrjob"))
            .map(|entry| entry.metadata().unwrap().len())
            .collect();
        assert_eq!(drawn.len(), layers.split(',').count());
        assert!(drawn.iter().all(|bytes| *bytes > 200), "{board}: {drawn:?}");
        let (_work, folder) = export(board, &["pcb", "export", "drill"], "holes/", &[]);
        let holes = std::fs::read_to_string(folder.join(format!("{board}.drl"))).unwrap();
        assert!(holes.contains("M48") && holes.contains("C3.200"), "{board}: holes for M3 screws");
    }
}
