//! Points and tie-breaks of published events, computed anew. The files are reference material outside the repository: in
//! the folder that `CHUHE_SHARED` names, or in `../shared` beside the checkout. Without them the tests say so and pass.
//!
//! The events score 1, ½, 0; here as in Xiangqi 2, 1, 0, so that every published figure doubles.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::collections::BTreeMap;
use std::path::PathBuf;

use tournament::{
    Entrant, EntrantNo, Event, EventData, Ladder, LadderKey, Points, ResultEntry, ResultKind, RoundNo,
    TableNo, standings,
};
use xiangqi::BySide;

/// A table of tab-separated values, each row by the names of the columns.
type Table = Vec<BTreeMap<String, String>>;

fn read(event: &str, file: &str) -> Option<Table> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared");
    let shared = std::env::var_os("CHUHE_SHARED").map_or_else(|| PathBuf::from(beside), PathBuf::from);
    let path = shared.join("tournament/events").join(event).join(file);
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("SKIPPED: {} is not there", path.display());
        return None;
    };
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next()?.split('\t').collect();
    let row =
        |line: &str| names.iter().map(ToString::to_string).zip(line.split('\t').map(String::from)).collect();
    Some(lines.map(row).collect())
}

fn number(id: &str) -> EntrantNo {
    EntrantNo(id.trim_start_matches('P').parse().unwrap())
}

/// The event of a `games.tsv` with one row for each game.
fn event(folder: &str, ladder: &[LadderKey]) -> Option<(Event, Table)> {
    let (games, players) = (read(folder, "games.tsv")?, read(folder, "players.tsv")?);
    let entrants = players.iter().map(|row| Entrant::new(number(&row["id"]), &row["id"], ""));
    let mut results = Vec::new();
    for (table, row) in (1..).map(TableNo).zip(&games) {
        let round = RoundNo(row["round"].parse().unwrap());
        let red = number(&row["first"]);
        let (kind, score) = match row["result"].as_str() {
            "1-0" => (ResultKind::Played, [2, 0]),
            "0-1" => (ResultKind::Played, [0, 2]),
            "1/2" => (ResultKind::Played, [1, 1]),
            "+/-" => (ResultKind::Forfeit, [2, 0]),
            "-/+" => (ResultKind::Forfeit, [0, 2]),
            "-/-" => (ResultKind::DoubleForfeit, [0, 0]),
            "U" | "F" => (ResultKind::Bye, [2, 0]),
            "H" => (ResultKind::Bye, [1, 0]),
            "Z" => (ResultKind::Absent, [0, 0]),
            "*" => continue,
            other => panic!("{folder}: result {other}"),
        };
        let black = kind.has_opponent().then(|| number(&row["second"]));
        let score = BySide { red: Points(score[0]), black: Points(score[1]) };
        let fouls = BySide::both(0);
        results.push(ResultEntry { round, table: Some(table), red, black, score, kind, fouls, boards: None });
    }
    let rounds = results.iter().map(|result| result.round.0).max().unwrap();
    let (entrants, ladder) = (entrants.collect(), Ladder(ladder.to_vec()));
    let data = EventData { rounds, ladder, entrants, results, ..EventData::default() };
    Some((Event::new(data).unwrap(), players))
}

/// A published figure, doubled.
fn doubled(published: &str) -> String {
    let halves = 2.0 * published.parse::<f64>().unwrap();
    halves.to_string()
}

/// Compares one column of the ladder with a published one.
fn compare(folder: &str, event: &Event, players: &Table, rung: usize, column: &str) {
    let standing = standings(event, event.rounds());
    let mut compared = 0;
    for row in &standing.rows {
        let published = players.iter().find(|player| number(&player["id"]) == row.no).unwrap();
        let Some(value) = published.get(column).filter(|value| !value.is_empty()) else { continue };
        let figure = row.figures[rung].unwrap().to_string();
        assert_eq!(figure, doubled(value), "{folder}: {column} of {}", row.no);
        compared += 1;
    }
    assert!(compared >= 7, "{folder}: {compared} figures compared");
}

#[test]
fn an_event_without_byes_has_the_published_points_opponents_and_sonneborn() {
    let folder = "E1_womens_world_rapid_2024";
    let ladder = [LadderKey::Points, LadderKey::Opponents, LadderKey::Sonneborn];
    let Some((event, players)) = event(folder, &ladder) else { return };
    compare(folder, &event, &players, 0, "pts");
    compare(folder, &event, &players, 1, "BH");
    compare(folder, &event, &players, 2, "SB");
    // Without byes and forfeits: the sum of 对手分 is the sum over all of their points times their games.
    let rows = standings(&event, event.rounds()).rows;
    let sum = |rung: usize| rows.iter().map(|row| row.figures[rung].unwrap().in_halves()).sum::<i64>();
    assert_eq!(sum(1), sum(0) * i64::from(event.rounds().0));
}

#[test]
fn points_of_events_with_byes_forfeits_and_absences_are_the_published_ones() {
    for (folder, column) in [
        ("E2_stockholm_senior_2026_after_r4", "pts"),
        ("E3_team_14rounds_trf26", "pts"),
        ("E10_lichess_swiss_2021_03", "pts"),
        ("E13_avoine_open_2024", "pts_sum"),
    ] {
        let Some((event, players)) = event(folder, &[LadderKey::Points]) else { return };
        compare(folder, &event, &players, 0, column);
    }
}

#[test]
fn points_on_the_scale_of_xiangqi_are_the_published_ones() {
    let folder = "E5_playstrategy_EY1k6otN";
    let Some((event, players)) = event(folder, &[LadderKey::Points]) else { return };
    for row in standings(&event, event.rounds()).rows {
        let published = players.iter().find(|player| number(&player["id"]) == row.no).unwrap();
        assert_eq!(row.figures[0].unwrap().to_string(), published["score"], "{}", row.no);
    }
}

#[test]
fn progressive_scores_are_the_published_ones() {
    for (folder, column) in
        [("E7_fide_tec_exercise_swiss", "progressive_scores"), ("E8_pl_swiss", "progressive_score")]
    {
        let (Some(games), Some(players)) = (read(folder, "games.tsv"), read(folder, "players.tsv")) else {
            return;
        };
        // Only what each round was worth matters here, so every row stands alone. One player has rows past the last round.
        let of_the_event = |row: &&BTreeMap<String, String>| row["round"].parse::<u16>().unwrap() <= 5;
        let results = games.iter().filter(of_the_event).map(|row| {
            let points = match row["result_code"].as_str() {
                "3" | "6" => 2,
                "2" => 1,
                "1" | "4" | "0" => 0,
                other => panic!("{folder}: result code {other}"),
            };
            ResultEntry::bye(RoundNo(row["round"].parse().unwrap()), number(&row["player"]), Points(points))
        });
        let data = EventData {
            rounds: 5,
            ladder: Ladder(vec![LadderKey::Progressive]),
            entrants: players.iter().map(|row| Entrant::new(number(&row["id"]), &row["id"], "")).collect(),
            results: results.collect(),
            ..EventData::default()
        };
        compare(folder, &Event::new(data).unwrap(), &players, 0, column);
    }
}
