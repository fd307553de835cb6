//! A replay as a page that needs nothing beside itself.

use std::fmt::Write;

use xiangqi::Point;

use super::{Event, Happening, Replay, Scene, lanes, words};

const STYLE: &str = include_str!("replay.css");

/// The page.
#[must_use]
pub fn page(replay: &Replay) -> String {
    let title = escaped(if replay.title.is_empty() { "Chuhe replay" } else { &replay.title });
    let mut page = format!(
        "<!doctype html><html lang=zh><meta charset=utf-8><meta name=viewport content=\"width=device-width\">\
         <title>{title}</title><style>{STYLE}</style><header><h1>{title}</h1>"
    );
    let notable = replay.scenes.iter().filter(|scene| scene.is_notable()).count();
    // Writing to a string cannot fail.
    let _ = write!(
        page,
        "<p>{} plies · {} scenes, {notable} with more in them than a ply</p><nav>",
        replay.plies.len(),
        replay.scenes.len()
    );
    for (index, scene) in replay.scenes.iter().enumerate() {
        let class = if scene.is_notable() { " class=notable" } else { "" };
        let _ = write!(page, "<a{class} href=\"#s{index}\">{}</a>", scene.plies);
    }
    page.push_str(LEGEND);
    for (index, scene) in replay.scenes.iter().enumerate() {
        draw(&mut page, replay, index, scene);
    }
    page.push_str("</main></html>\n");
    page
}

const LEGEND: &str = "</nav><p class=legend><b class=red>■</b> Red on the point <b class=black>■</b> Black \
     <b class=any>■</b> a piece <i>钟</i> press · marks: <b class=read>●</b> read <b class=settled>●</b> confirmed, \
     locked <b class=withdrawn>●</b> withdrawn <b class=alert>●</b> alert <b class=act>●</b> arbiter \
     <b class=truth>●</b> what is known to have happened · a reading that is 1.0 dearer is about e times less likely</p>\
     </header><main>";

fn draw(page: &mut String, replay: &Replay, index: usize, scene: &Scene) {
    let notable = scene.is_notable();
    let ply = usize::from(scene.plies)
        .checked_sub(1)
        .and_then(|index| Some((replay.plies.get(index)?, replay.names.get(index)?)));
    let heading = match ply {
        Some((ply, name)) => format!("{}. {name} <span>{}</span>", ply.no.0, ply.mv),
        None => "before the first ply 开局前".to_owned(),
    };
    let first = scene.events.first().map_or(replay.began, |event| event.at);
    let _ = write!(
        page,
        "<details id=s{index}{}{}><summary><b>{heading}</b> <time>{}</time> {}</summary>",
        if notable { " class=notable" } else { "" },
        if notable { " open" } else { "" },
        words::time(first, replay.began),
        escaped(&gist(scene, replay.began)),
    );
    let told: Vec<&Event> = scene.events.iter().filter(|event| is_told(event)).collect();
    let _ = write!(
        page,
        "<div class=scroll>{}</div><div class=below><ol>",
        lanes::draw(scene, &told, replay.began)
    );
    for event in &told {
        let words = if let Happening::Read(reading) = &event.what {
            let why = escaped(&words::why(reading, replay.began));
            format!("{}<small>{why}</small>", escaped(&words::read(reading)))
        } else {
            escaped(&words::event(event, replay.began))
        };
        let _ = write!(
            page,
            "<li class={}><time>{}</time> {words}",
            lanes::kind(event),
            words::time(event.at, replay.began)
        );
    }
    page.push_str("</ol><table><caption>believed at the end of the scene</caption>");
    for (cost, line) in words::beliefs(&scene.beliefs) {
        let _ = write!(page, "<tr><td>{cost}<td>{}", escaped(&line));
    }
    page.push_str("</table>");
    if notable {
        board(page, scene);
    }
    page.push_str("</div></details>");
}

/// The alerts of a scene, in a line.
fn gist(scene: &Scene, began: i64) -> String {
    let alerts = scene.events.iter().filter(|event| matches!(lanes::kind(event), "alert" | "act"));
    let mut gist: Vec<String> = Vec::new();
    for event in alerts {
        let words = if let Happening::Read(reading) = &event.what {
            words::read(reading)
        } else {
            words::event(event, began)
        };
        if !gist.contains(&words) {
            gist.push(words);
        }
    }
    let more = gist.len().saturating_sub(2);
    gist.truncate(2);
    if more > 0 {
        gist.push(format!("and {more} more"));
    }
    gist.join(" · ")
}

/// What is told in words; the rest is drawn only.
fn is_told(event: &Event) -> bool {
    match event.what {
        Happening::Shows(..) | Happening::Pressed(_) => false,
        Happening::Device(_)
        | Happening::Act(_)
        | Happening::Read(_)
        | Happening::Said(_)
        | Happening::Played { .. }
        | Happening::Trouble(_) => true,
    }
}

/// What should stand on the board by the best reading; points that show something else are marked.
fn board(page: &mut String, scene: &Scene) {
    let place =
        |point: Point| (14.0 + 22.0 * f64::from(point.file()), 14.0 + 22.0 * (9.0 - f64::from(point.rank())));
    page.push_str(
        "<svg class=board width=204 height=226 viewBox=\"0 0 204 226\" role=img><path class=grid d=\"",
    );
    for file in 0..9 {
        let x = 14 + 22 * file;
        let rest =
            if file == 0 || file == 8 { format!("M{x} 14V212") } else { format!("M{x} 14V102M{x} 124V212") };
        page.push_str(&rest);
    }
    for rank in 0..10 {
        let _ = write!(page, "M14 {0}H190", 14 + 22 * rank);
    }
    page.push_str("M80 14L124 58M124 14L80 58M80 212L124 168M124 212L80 168\"/>");
    for (point, piece) in scene.board.pieces() {
        let (x, y) = place(point);
        let class = lanes::colour(piece.side);
        let _ = write!(
            page,
            "<circle class=\"man {class}\" cx={x} cy={y} r=9.5 /><text class=\"man {class}\" x={x} y={}>{}</text>",
            y + 4.2,
            piece.hanzi()
        );
    }
    for &point in &scene.differing {
        let (x, y) = place(point);
        let _ = write!(page, "<circle class=differs cx={x} cy={y} r=11 />");
    }
    page.push_str("</svg>");
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_a_log_is_no_markup() {
        assert_eq!(escaped("<b>\"&"), "&lt;b&gt;&quot;&amp;");
    }
}
