//! What the plies of a cycle are (着法的性质), ply by ply; an arbiter taps one and rules otherwise (裁判改判). What follows
//! is shown before he confirms.

use hall::view::{PlyNo, PlyView};
use maud::{Markup, html};
use tournament::TableNo;
use xiangqi::Side;
use xiangqi::judge::{Class, Prey};

use super::Fields;
use crate::lang::Lang;
use crate::page::shell::{Reader, disc};

/// The classes that an arbiter can rule, with their names in addresses.
pub const CLASSES: [(&str, Class); 11] = [
    ("check", Class::Check),
    ("kill", Class::MateThreat),
    ("chase-chariot", Class::Chase(Prey::Chariot)),
    ("chase", Class::Chase(Prey::Unprotected)),
    ("chase-under", Class::Chase(Prey::Underprotected)),
    ("chase-joint", Class::Chase(Prey::Joint)),
    ("exchange", Class::Exchange),
    ("offer", Class::Offer),
    ("block", Class::Block),
    ("follow", Class::Follow),
    ("idle", Class::Idle),
];

/// Plies with their classes as in an address: `31.chase_32.idle`; `rules` takes a ruling back.
pub fn parse(text: &str) -> Option<Vec<(PlyNo, Option<Class>)>> {
    let one = |part: &str| {
        let (ply, name) = part.split_once('.')?;
        let class = match name {
            "rules" => None,
            _ => Some(CLASSES.iter().find(|(known, _)| *known == name)?.1),
        };
        Some((PlyNo(ply.parse().ok()?), class))
    };
    text.split('_').filter(|part| !part.is_empty()).map(one).collect()
}

/// What [`parse`] reads.
pub fn written(classes: &[(PlyNo, Option<Class>)]) -> String {
    let name = |class: Option<Class>| {
        let known = CLASSES.iter().find(|(_, known)| Some(*known) == class);
        known.map_or("rules", |(name, _)| *name)
    };
    classes.iter().map(|(ply, class)| format!("{}.{}", ply.0, name(*class))).collect::<Vec<_>>().join("_")
}

/// A class's plate: solid for what a rule may forbid, dashed for what it allows.
fn plate(class: Class) -> (&'static str, &'static str, &'static str) {
    let (zh, en) = match class {
        Class::Check => ("将", "check"),
        Class::MateThreat => ("杀", "kill"),
        Class::Chase(_) => ("捉", "chase"),
        Class::Exchange => ("兑", "exchange"),
        Class::Offer => ("献", "offer"),
        Class::Block => ("拦", "block"),
        Class::Follow => ("跟", "follow"),
        Class::Idle => ("闲", "idle"),
    };
    (if class.attacks() { "x" } else { "n" }, zh, en)
}

/// What a class says beyond its plate: what is chased.
const fn prey(class: Class, lang: Lang) -> &'static str {
    match class {
        Class::Chase(prey) => lang.pick(prey.zh(), prey.en()),
        Class::Check
        | Class::MateThreat
        | Class::Exchange
        | Class::Offer
        | Class::Block
        | Class::Follow
        | Class::Idle => "",
    }
}

/// Where tapping leads: the table's page about this alert, with what was ruled so far and is not confirmed yet.
pub struct Tapping<'a> {
    /// The table.
    pub table: TableNo,
    /// The alert.
    pub alert: u64,
    /// Of the page's address.
    pub fields: &'a Fields,
    /// Plies whose class an arbiter ruled before.
    pub ruled: &'a [PlyNo],
}

impl Tapping<'_> {
    fn so_far(&self) -> Vec<(PlyNo, Option<Class>)> {
        self.fields.get("classes").and_then(parse).unwrap_or_default()
    }

    /// The ply whose classes are laid out.
    fn open(&self) -> Option<PlyNo> {
        self.fields.parse::<u16>("tap").map(PlyNo)
    }

    fn address(&self, classes: &[(PlyNo, Option<Class>)], tap: Option<PlyNo>) -> String {
        let mut address = format!("/arbiter/table/{}?alert={}", self.table, self.alert);
        if !classes.is_empty() {
            address.push_str(&format!("&do=classes&classes={}", written(classes)));
        }
        if let Some(ply) = tap {
            address.push_str(&format!("&tap={}", ply.0));
        }
        format!("{address}#cycle")
    }

    /// With this ply ruled so, and what was ruled before.
    fn with(&self, ply: PlyNo, class: Option<Class>) -> String {
        let mut classes = self.so_far();
        classes.retain(|(of, _)| *of != ply);
        classes.push((ply, class));
        self.address(&classes, None)
    }
}

/// The cycle ply by ply with the class of each; by tapping a class it is ruled otherwise.
pub fn cycle(
    plies: &[&PlyView],
    first: u16,
    classes: &[Class],
    tapping: Option<&Tapping<'_>>,
    reader: &Reader,
) -> Markup {
    let ruled = |no: PlyNo| {
        tapping.is_some_and(|tapping| {
            tapping.ruled.contains(&no) || tapping.so_far().iter().any(|(of, _)| *of == no)
        })
    };
    html! {
        p class="h3" id="cycle" {
            (reader.t("循环着法", "The cycle"))
            span {
                @match reader.lang {
                    Lang::Zh => { (plies.len()) "着" }
                    Lang::En => { (plies.len()) " plies" }
                }
                @if tapping.is_some() { (reader.t(" · 点性质可改判", " · tap a class to rule otherwise")) }
            }
        }
        ol class="cyc" {
            @for (i, ply) in plies.iter().enumerate() {
                @let no = PlyNo(first.saturating_add(u16::try_from(i).unwrap_or(u16::MAX)));
                @let side = if no.0 % 2 == 1 { Side::Red } else { Side::Black };
                li {
                    span class="no" { (i + 1) }
                    (disc(side, reader.lang))
                    b { (reader.moves.of(ply)) }
                    @if let Some(class) = classes.get(i) {
                        small class="prey" {
                            @if ruled(no) { (reader.t("改判", "ruled")) " " }
                            (prey(*class, reader.lang))
                        }
                        (plated(*class, no, tapping, reader))
                    }
                }
                @if let Some(tapping) = tapping.filter(|tapping| tapping.open() == Some(no)) {
                    li class="nine" {
                        @for (_, class) in CLASSES {
                            a class="btn" href=(tapping.with(no, Some(class))) aria-current=[(classes.get(i) == Some(&class)).then_some("true")] {
                                @let (_, zh, en) = plate(class);
                                b { (reader.t(zh, en)) }
                                small { (prey(class, reader.lang)) }
                            }
                        }
                        @if ruled(no) {
                            a class="btn" href=(tapping.with(no, None)) { (reader.t("按规则", "as by the rules")) }
                        }
                    }
                }
            }
        }
    }
}

fn plated(class: Class, no: PlyNo, tapping: Option<&Tapping<'_>>, reader: &Reader) -> Markup {
    let (kind, zh, en) = plate(class);
    let word = reader.t(zh, en);
    html! {
        @match tapping {
            Some(tapping) => {
                @let tap = if tapping.open() == Some(no) { None } else { Some(no) };
                a class={ "cl " (kind) } href=(tapping.address(&tapping.so_far(), tap))
                    aria-label={ (word) " · " (reader.t("改判", "rule otherwise")) } { (word) }
            },
            None => span class={ "cl " (kind) } { (word) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_read_as_they_are_written_in_an_address() {
        let some = vec![
            (PlyNo(31), Some(Class::Chase(Prey::Joint))),
            (PlyNo(32), Some(Class::Idle)),
            (PlyNo(33), None),
        ];
        assert_eq!(written(&some), "31.chase-joint_32.idle_33.rules");
        assert_eq!(parse(&written(&some)), Some(some));
        assert_eq!(parse("31.nonsense"), None);
        assert_eq!(parse(""), Some(Vec::new()));
    }
}
