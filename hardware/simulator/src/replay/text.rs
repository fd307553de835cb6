//! A replay as lines of text.

use std::fmt::Write;

use super::{Event, Happening, Replay, Scene, words};

/// Draws the scenes of which this holds: what devices did at the left, what was decided further to the right.
#[must_use]
pub fn draw(replay: &Replay, shown: impl Fn(&Scene) -> bool) -> String {
    let mut text = String::new();
    let read: Vec<String> = replay.plies.iter().map(|ply| ply.mv.to_string()).collect();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{}\n{} plies: {}", replay.title, read.len(), read.join(" "));
    let mut left_out = 0;
    for scene in &replay.scenes {
        if !shown(scene) {
            left_out += 1;
            continue;
        }
        if left_out > 0 {
            let _ = writeln!(text, "\n… {left_out} scenes");
            left_out = 0;
        }
        let _ = writeln!(text, "\n── up to ply {} ──", scene.plies);
        for event in &scene.events {
            let _ = writeln!(
                text,
                "{:>11} {}{}",
                words::time(event.at, replay.began),
                indent(event),
                words::event(event, replay.began)
            );
        }
        for (cost, line) in words::beliefs(&scene.beliefs) {
            let _ = writeln!(text, "{:>11} {cost:>8}  {line}", "");
        }
        if !scene.differing.is_empty() {
            let _ = writeln!(text, "{:>11} the board differs at {}", "", words::points(&scene.differing));
        }
    }
    if left_out > 0 {
        let _ = writeln!(text, "\n… {left_out} scenes");
    }
    text
}

fn indent(event: &Event) -> &'static str {
    match &event.what {
        Happening::Shows(..) | Happening::Pressed(_) | Happening::Device(_) => "",
        Happening::Played { .. } | Happening::Trouble(_) => "* ",
        Happening::Act(_) => "! ",
        Happening::Read(_) | Happening::Said(_) => "    → ",
    }
}
