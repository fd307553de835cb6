//! The server's own counters in Prometheus' text format, for `/metrics`.

use std::fmt::Write;

use web::LinkView;

use crate::ingest::Tally;

/// What is measured when it is asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gauges {
    /// Free bytes on the disk of the data folder, if it answers.
    pub disk_free: Option<u64>,
    /// Gateways that are let in.
    pub gateways: usize,
    /// Who came to the embedded broker with a wrong name or password since the start.
    pub refused: u64,
}

/// All counters and gauges.
#[must_use]
pub fn text(tally: &Tally, gauges: Gauges) -> String {
    let mut text = String::new();
    let owner = Some(1);
    for (name, help, value) in [
        ("chuhe_owner", "Whether this server owns the event; 0: it stands by.", owner),
        ("chuhe_disk_free_bytes", "Free bytes on the disk of the data folder.", gauges.disk_free),
        ("chuhe_gateways", "Gateways that are let in.", Some(gauges.gateways as u64)),
    ] {
        if let Some(value) = value {
            let _always = write!(text, "# HELP {name} {help}\n# TYPE {name} gauge\n{name} {value}\n");
        }
    }
    let mut counter = |name: &str, help: &str, value: u64| {
        let _always = write!(text, "# HELP {name} {help}\n# TYPE {name} counter\n{name} {value}\n");
    };
    counter("chuhe_observations_total", "Observations stored.", tally.observations);
    counter("chuhe_journal_entries_total", "Entries in the journal.", tally.entries);
    counter("chuhe_messages_total", "Messages let in since the start.", tally.messages);
    counter(
        "chuhe_broker_refused_total",
        "Wrong names and passwords at the embedded broker.",
        gauges.refused,
    );
    counter("chuhe_repeated_total", "Observations that came again and were dropped.", tally.repeated);
    for (name, help, label, counts) in [
        (
            "chuhe_ignored_total",
            "Messages and records that were not let in, or belong to no table, by reason.",
            "reason",
            tally.complaints.iter().map(|(kind, count)| (format!("{kind:?}"), *count)).collect::<Vec<_>>(),
        ),
        (
            "chuhe_alerts_total",
            "Alerts raised, by code.",
            "code",
            tally.alerts.iter().map(|(code, count)| (code.clone(), *count)).collect(),
        ),
    ] {
        let _always = write!(text, "# HELP {name} {help}\n# TYPE {name} counter\n");
        for (value, count) in counts {
            let _always = writeln!(text, "{name}{{{label}=\"{value}\"}} {count}");
        }
    }
    links(&mut text, tally);
    text
}

/// A number of each link: its name, kind, meaning, and where it stands.
type Number = (&'static str, &'static str, &'static str, fn(&LinkView) -> f64);

/// How the gateways' links are.
fn links(text: &mut String, tally: &Tally) {
    let numbers: [Number; 5] = [
        ("bad_crc_total", "counter", "Frames with a wrong check sum.", |link| link.bad_crc as f64),
        ("resends_total", "counter", "Records that came twice or were asked for again.", |link| {
            link.resends as f64
        }),
        ("resets_total", "counter", "Times that a device on the port started anew.", |link| {
            link.resets as f64
        }),
        ("lost_total", "counter", "Times that the port closed by itself.", |link| link.lost as f64),
        ("worst_gap_seconds", "gauge", "Longest time between two messages of a device.", |link| {
            f64::from(link.worst_gap_ms) / 1_000.0
        }),
    ];
    for (name, kind, help, number) in numbers {
        let _always = write!(text, "# HELP chuhe_link_{name} {help}\n# TYPE chuhe_link_{name} {kind}\n");
        for link in tally.links.iter() {
            let port = link.port.replace('\\', "\\\\").replace('"', "\\\"");
            let _always = writeln!(
                text,
                "chuhe_link_{name}{{gateway=\"{}\",port=\"{port}\"}} {}",
                link.gateway,
                number(link)
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::Complaint;

    #[test]
    fn counters_and_their_labels_are_there() {
        let link = LinkView {
            gateway: "west".into(),
            port: "tty".into(),
            worst_gap_ms: 1_500,
            ..LinkView::default()
        };
        let mut tally = Tally { observations: 12, links: [link].into(), ..Tally::default() };
        tally.complaints.insert(Complaint::WrongKey, 3);
        let text = text(&tally, Gauges { disk_free: Some(5), gateways: 2, refused: 0 });
        assert!(text.contains("\nchuhe_disk_free_bytes 5\n") && text.contains("\nchuhe_owner 1\n"), "{text}");
        assert!(text.contains("\nchuhe_observations_total 12\n"), "{text}");
        assert!(
            text.contains("\nchuhe_link_worst_gap_seconds{gateway=\"west\",port=\"tty\"} 1.5\n"),
            "{text}"
        );
        assert!(text.contains("\nchuhe_ignored_total{reason=\"WrongKey\"} 3\n"), "{text}");
    }
}
