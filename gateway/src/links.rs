//! The ports by name: what hangs on each, how it has been since the gateway's start, and a light for each device.

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

use firmware_proto::{DeviceUid, Faults, Link, LinkFault, ToDevice};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use crate::hub::{Hub, PortId};
use crate::list::PortReport;

/// A link on which something went wrong is watched for so long.
const WATCHED: Duration = Duration::from_secs(60);

/// How a device is, at a glance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Light {
    /// It is there, and all is well.
    Green,
    /// It is there, but something went wrong on its link within the last minute.
    Amber,
    /// It is not there.
    Red,
}

impl fmt::Display for Light {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Light::Green => "green",
            Light::Amber => "amber",
            Light::Red => "red",
        })
    }
}

/// Names, senders and counters of the ports.
#[derive(Default)]
pub(crate) struct Links {
    open: BTreeMap<PortId, (String, mpsc::Sender<ToDevice>)>,
    /// Why each port that is not open is not.
    shut: BTreeMap<String, String>,
    /// Counters of what was open before, by name.
    before: BTreeMap<String, Link>,
    /// How much had gone wrong on each port when that was last looked at, and when it last rose.
    troubles: BTreeMap<String, (u64, Option<Instant>)>,
}

impl Links {
    pub(crate) fn opened(&mut self, port: PortId, name: String, sender: mpsc::Sender<ToDevice>) {
        self.shut.remove(&name);
        self.open.insert(port, (name, sender));
    }

    /// A port closed or could not be opened.
    pub(crate) fn shut(&mut self, name: String, reason: String) {
        self.shut.insert(name, reason);
    }

    /// Who hangs on which port at present, and how it is.
    pub(crate) fn ports(&self, hub: &Hub, lights: &BTreeMap<DeviceUid, Light>) -> Vec<PortReport> {
        let open = self.open.iter().map(|(port, (name, _))| {
            let device = hub.greeting_at(*port).ok_or_else(|| "nothing of ours answers there".to_owned());
            let light = device.as_ref().ok().and_then(|hello| lights.get(&hello.uid));
            PortReport { port: name.clone(), light: light.copied().unwrap_or(Light::Red), device }
        });
        let shut = self.shut.iter().map(|(name, reason)| PortReport {
            port: name.clone(),
            light: Light::Red,
            device: Err(reason.clone()),
        });
        let mut ports: Vec<PortReport> = open.chain(shut).collect();
        ports.sort_by(|one, other| one.port.cmp(&other.port));
        ports
    }

    pub(crate) fn name(&self, port: PortId) -> String {
        self.open.get(&port).map_or_else(|| "a closed port".to_owned(), |(name, _)| name.clone())
    }

    pub(crate) fn send(&self, port: PortId, message: ToDevice) {
        if let Some((_, sender)) = self.open.get(&port) {
            // A port that takes nothing, or has just closed: all that goes to devices is repeated when needed.
            let _full_or_closed = sender.try_send(message);
        }
    }

    /// What went wrong on a port before it was opened last, or could not be told to the hub.
    pub(crate) fn total(&mut self, name: &str) -> &mut LinkFault {
        let fault = || LinkFault { port: name.to_owned(), ..LinkFault::default() };
        &mut self.before.entry(name.to_owned()).or_insert_with(|| Link::from(fault())).fault
    }

    pub(crate) fn closed(&mut self, hub: &Hub, port: PortId) {
        if let Some((name, _)) = self.open.remove(&port) {
            self.total(&name).lost += 1;
            if let Some(before) = self.before.get_mut(&name) {
                *before = sum(before, &hub.link(port, &name));
                before.device = None;
            }
        }
    }

    /// Every port that was ever seen.
    pub(crate) fn report(&self, hub: &Hub) -> Vec<Link> {
        let mut links = self.before.clone();
        for (port, (name, _)) in &self.open {
            let present = hub.link(*port, name);
            let total = links.get(name).map_or_else(|| present.clone(), |before| sum(before, &present));
            links.insert(name.clone(), total);
        }
        links.into_values().collect()
    }

    /// A light for every device that was ever there, by the links as they were just reported.
    pub(crate) fn lights(&mut self, hub: &Hub, links: &[Link], now: Instant) -> BTreeMap<DeviceUid, Light> {
        let mut lights: BTreeMap<_, _> = hub.devices().map(|device| (device, Light::Red)).collect();
        for link in links {
            let (before, rose) = self.troubles.entry(link.fault.port.clone()).or_default();
            let trouble = trouble(link);
            if trouble > std::mem::replace(before, trouble) {
                *rose = Some(now);
            }
            let is_watched = rose.is_some_and(|rose| now.duration_since(rose) < WATCHED);
            if let Some(device) = link.device {
                lights.insert(device, if is_watched { Light::Amber } else { Light::Green });
            }
        }
        lights
    }
}

/// How often something went wrong on a link.
const fn trouble(link: &Link) -> u64 {
    let LinkFault { frames, asked_again, lost, .. } = &link.fault;
    frames.overfull
        + frames.bad_crc
        + frames.bad_version
        + frames.bad_payload
        + *asked_again
        + *lost
        + link.resets
}

fn sum(one: &Link, other: &Link) -> Link {
    let (a, b) = (one.fault.frames, other.fault.frames);
    Link {
        fault: LinkFault {
            port: one.fault.port.clone(),
            frames: Faults {
                garbage: a.garbage + b.garbage,
                overfull: a.overfull + b.overfull,
                bad_crc: a.bad_crc + b.bad_crc,
                bad_version: a.bad_version + b.bad_version,
                bad_payload: a.bad_payload + b.bad_payload,
            },
            repeated: one.fault.repeated + other.fault.repeated,
            asked_again: one.fault.asked_again + other.fault.asked_again,
            lost: one.fault.lost + other.fault.lost,
        },
        device: other.device,
        resets: one.resets + other.resets,
        worst_gap: one.worst_gap.max(other.worst_gap),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Known;

    fn link(bad_crc: u64) -> Link {
        let frames = Faults { bad_crc, ..Faults::default() };
        let fault = LinkFault { port: "tty".to_owned(), frames, ..LinkFault::default() };
        Link { device: Some(DeviceUid(7)), ..Link::from(fault) }
    }

    #[test]
    fn a_link_on_which_something_went_wrong_is_amber_for_a_minute() {
        let (mut links, hub) = (Links::default(), Hub::new(&Known::new(firmware_proto::Session(1))));
        let start = Instant::now();
        let mut light = |seconds, crc| {
            links.lights(&hub, &[link(crc)], start + Duration::from_secs(seconds))[&DeviceUid(7)]
        };
        assert_eq!(
            [light(0, 0), light(10, 1), light(60, 1), light(71, 1)],
            [Light::Green, Light::Amber, Light::Amber, Light::Green]
        );
    }

    #[test]
    fn a_port_that_is_opened_again_goes_on_counting() {
        let mut before = link(2);
        before.worst_gap = firmware_proto::Millis(1_400);
        let mut now = link(3);
        now.resets = 1;
        let total = sum(&before, &now);
        assert_eq!((total.fault.frames.bad_crc, total.resets, total.worst_gap.0), (5, 1, 1_400));
    }
}
