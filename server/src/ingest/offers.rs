//! The firmware that is offered, on its way to the gateways: each is told until it says that it knows, and is given the
//! parts that it lacks.
//!
//! The devices of one gateway go first. When one of them has kept the firmware, every gateway may give it to its own;
//! when one has given it back, nobody does any more.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use firmware_proto::progress::{Outcome, Progress, Stage};
use firmware_proto::{DeviceUid, Down, Firmware, GatewayId, Offer, OfferReport};
use web::{AtGateway, HeldBack};

/// A gateway that does not say that it knows is told again after so long.
const PATIENCE: Duration = Duration::from_secs(2);

/// Bytes in one message: well within what any broker takes.
const PART: usize = 32 * 1024;

/// A firmware and its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Load {
    /// Which.
    pub firmware: Firmware,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// What each gateway knows, and how far its devices are.
#[derive(Debug, Default)]
pub(super) struct Offers {
    /// The bytes of the last firmware that was uploaded here.
    at_hand: Option<Arc<Load>>,
    gateways: BTreeMap<GatewayId, Gateway>,
    /// What is known of the firmware that is offered.
    trial: Option<Trial>,
}

/// A firmware that is offered, and what came of it so far.
#[derive(Debug)]
struct Trial {
    firmware: Firmware,
    /// The gateway whose devices go first.
    first: Option<GatewayId>,
    /// A device has kept it.
    proven: bool,
    /// This device gave it back, or did not come back with it.
    failed: Option<DeviceUid>,
}

#[derive(Debug, Default)]
struct Gateway {
    online: bool,
    /// What it knows, since it came.
    knows: Option<Offer>,
    /// As it said last.
    report: Option<OfferReport>,
    /// What it was told last, and when.
    told: Option<(Option<Offer>, Duration)>,
    /// It wants the next part.
    asks: bool,
}

impl Gateway {
    /// How far its devices are with this firmware.
    fn devices(&self, firmware: &Firmware) -> impl Iterator<Item = &(DeviceUid, Progress)> {
        let report = self.report.iter().filter(move |report| report.offer.firmware == *firmware);
        report.flat_map(|report| &report.devices)
    }

    /// Whether there are devices that it has not come to an end with.
    fn has_work(&self, firmware: &Firmware) -> bool {
        self.online && self.devices(firmware).any(|(_, progress)| outcome(progress).is_none())
    }
}

const fn outcome(progress: &Progress) -> Option<Outcome> {
    match progress.stage {
        Stage::Over(outcome) => Some(outcome),
        Stage::Waits | Stage::Offered | Stage::Sending { .. } | Stage::Checking | Stage::Trial => None,
    }
}

impl Offers {
    /// These bytes are here.
    pub(super) fn has(&mut self, load: Option<Arc<Load>>) {
        self.at_hand = load;
    }

    /// A gateway came or went. One that came may have started anew, and knows nothing then.
    pub(super) fn on_presence(&mut self, gateway: &GatewayId, online: bool) {
        let known = self.gateways.entry(gateway.clone()).or_default();
        known.online = online;
        (known.knows, known.told) = (None, None);
    }

    /// Only these gateways are let in.
    pub(super) fn let_in<'a>(&mut self, gateways: impl Iterator<Item = &'a GatewayId>) {
        let let_in: BTreeSet<_> = gateways.collect();
        self.gateways.retain(|gateway, _| let_in.contains(gateway));
    }

    /// A gateway says what it knows.
    pub(super) fn on_report(&mut self, gateway: &GatewayId, report: Option<OfferReport>) {
        let known = self.gateways.entry(gateway.clone()).or_default();
        known.online = true;
        known.knows = report.as_ref().map(|report| report.offer);
        known.asks = report.as_ref().is_some_and(|report| report.fetched < report.offer.firmware.length);
        if let (Some(trial), Some(report)) = (&mut self.trial, &report)
            && trial.firmware == report.offer.firmware
        {
            for (uid, progress) in &report.devices {
                let outcome = outcome(progress);
                trial.proven |= outcome == Some(Outcome::Kept);
                trial.failed = trial.failed.or(outcome.filter(|it| it.condemns()).map(|_| *uid));
            }
        }
        known.report = report;
    }

    /// What is to be told now, if the hall offers this.
    pub(super) fn due(&mut self, offer: Option<Offer>, now: Duration) -> Vec<(GatewayId, Down)> {
        self.consider(offer);
        let wanted: Vec<_> =
            self.gateways.keys().map(|gateway| (gateway.clone(), self.wanted(gateway, offer))).collect();
        let mut due = Vec::new();
        for (id, wanted) in wanted {
            let Some(gateway) = self.gateways.get_mut(&id).filter(|gateway| gateway.online) else { continue };
            let told_lately =
                |(what, at): (Option<Offer>, Duration)| what == wanted && now.saturating_sub(at) < PATIENCE;
            if gateway.knows != wanted && !gateway.told.is_some_and(told_lately) {
                gateway.told = Some((wanted, now));
                due.push((id.clone(), Down::Offer(wanted)));
            }
            if std::mem::take(&mut gateway.asks)
                && let (Some(report), Some(load)) = (&gateway.report, &self.at_hand)
                && load.firmware == report.offer.firmware
                && wanted.is_some_and(|wanted| wanted.firmware == load.firmware)
                && let Some(rest) = load.bytes.get(report.fetched as usize..)
            {
                let bytes = rest[..rest.len().min(PART)].to_vec();
                due.push((id, Down::Part { sha256: load.firmware.sha256, at: report.fetched, bytes }));
            }
        }
        due
    }

    /// What a gateway is to know.
    fn wanted(&self, gateway: &GatewayId, offer: Option<Offer>) -> Option<Offer> {
        let Offer { firmware, .. } = offer?;
        if !self.is_at_hand(&firmware) {
            return None;
        }
        let go = match self.held_back(offer?) {
            Some(HeldBack::Round | HeldBack::Failed(_) | HeldBack::NotHere) => false,
            Some(HeldBack::FirstTries) => {
                self.trial.as_ref().is_some_and(|trial| trial.first.as_ref() == Some(gateway))
            }
            None => true,
        };
        Some(Offer { firmware, go })
    }

    fn is_at_hand(&self, firmware: &Firmware) -> bool {
        self.at_hand.as_ref().is_some_and(|load| load.firmware == *firmware)
    }

    /// Why not every device may be given it; `None`: every one may.
    pub(super) fn held_back(&self, offer: Offer) -> Option<HeldBack> {
        if !self.is_at_hand(&offer.firmware) {
            return Some(HeldBack::NotHere);
        }
        let trial = self.trial.as_ref().filter(|trial| trial.firmware == offer.firmware);
        if let Some(failed) = trial.and_then(|trial| trial.failed) {
            return Some(HeldBack::Failed(failed));
        }
        if !offer.go {
            return Some(HeldBack::Round);
        }
        (!trial.is_some_and(|trial| trial.proven)).then_some(HeldBack::FirstTries)
    }

    /// The trial of what is offered now. As long as nobody has kept it the devices of one gateway try it: of the one that
    /// does so already, or of the next one that has any.
    fn consider(&mut self, offer: Option<Offer>) {
        let Some(Offer { firmware, .. }) = offer else {
            self.trial = None;
            return;
        };
        if self.trial.as_ref().is_none_or(|trial| trial.firmware != firmware) {
            self.trial = Some(Trial { firmware, first: None, proven: false, failed: None });
        }
        let Some(trial) = &mut self.trial else { return };
        let has_work = |gateway: &Gateway| gateway.has_work(&firmware);
        let stays = trial.first.as_ref().and_then(|first| self.gateways.get(first)).is_some_and(has_work);
        if !stays {
            let next = self.gateways.iter().find(|(_, gateway)| has_work(gateway));
            trial.first = next.map(|(gateway, _)| gateway.clone());
        }
    }

    /// How far each gateway is with a firmware.
    pub(super) fn gateways(&self, firmware: &Firmware) -> Vec<AtGateway> {
        let at = |(id, gateway): (&GatewayId, &Gateway)| AtGateway {
            gateway: id.to_string(),
            online: gateway.online,
            fetched: gateway
                .report
                .as_ref()
                .filter(|it| it.offer.firmware == *firmware)
                .map_or(0, |it| it.fetched),
        };
        self.gateways.iter().map(at).collect()
    }

    /// How far each device is with a firmware, and where it hangs.
    pub(super) fn devices(&self, firmware: &Firmware) -> Vec<(&GatewayId, DeviceUid, Progress)> {
        let of = |(id, gateway)| {
            Gateway::devices(gateway, firmware).map(move |(uid, progress)| (id, *uid, *progress))
        };
        self.gateways.iter().flat_map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use firmware_proto::{Capabilities, Target};

    use super::*;

    fn id(name: &str) -> GatewayId {
        GatewayId::new(name).unwrap()
    }

    fn load() -> Load {
        let capabilities = Capabilities { board: None, clock: true };
        let target = Target { hardware: 1, capabilities, shared_line: false };
        let bytes: Vec<u8> = (0..PART as u32 + 100).map(|at| at as u8).collect();
        Load { firmware: Firmware::of_bytes(target, 2, &bytes), bytes }
    }

    fn offer(go: bool) -> Offer {
        Offer { firmware: load().firmware, go }
    }

    /// Two gateways that are there, and the bytes.
    fn offers() -> Offers {
        let mut offers = Offers::default();
        offers.has(Some(Arc::new(load())));
        for gateway in ["east", "west"] {
            offers.on_presence(&id(gateway), true);
        }
        offers.consider(Some(offer(true)));
        offers
    }

    fn says(offers: &mut Offers, gateway: &str, go: bool, fetched: u32, devices: &[(u64, Stage)]) {
        let devices = devices
            .iter()
            .map(|(uid, stage)| (DeviceUid(*uid), Progress { stage: *stage, held_up: None }))
            .collect();
        offers.on_report(&id(gateway), Some(OfferReport { offer: offer(go), fetched, devices }));
    }

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// Who is told what of the offer: whether it may go, or that there is none.
    fn told(offers: &mut Offers, go: bool, now: Duration) -> Vec<(String, Option<bool>)> {
        let due = offers.due(Some(offer(go)), now).into_iter();
        due.filter_map(|(gateway, down)| match down {
            Down::Offer(offer) => Some((gateway.to_string(), offer.map(|offer| offer.go))),
            Down::Ack { .. } | Down::Command { .. } | Down::Part { .. } => None,
        })
        .collect()
    }

    const ALL: u32 = PART as u32 + 100;

    #[test]
    fn a_gateway_is_told_until_it_says_that_it_knows_and_gets_the_parts_that_it_asks_for() {
        let mut offers = offers();
        offers.on_presence(&id("east"), false);
        assert!(offers.due(None, at(0)).is_empty(), "nothing is offered, and nobody knows otherwise");
        assert_eq!(told(&mut offers, true, at(1)), [("west".to_owned(), Some(false))]);
        assert_eq!(told(&mut offers, true, at(2)), []);
        assert_eq!(told(&mut offers, true, at(3)), [("west".to_owned(), Some(false))]);
        for (fetched, length) in [(0, PART), (PART as u32, 100)] {
            says(&mut offers, "west", false, fetched, &[]);
            let due = offers.due(Some(offer(true)), at(10));
            let [(_, Down::Part { sha256, at: from, bytes })] = &due[..] else { panic!("{due:?}") };
            assert_eq!((*sha256, *from, bytes.len()), (load().firmware.sha256, fetched, length));
            assert!(offers.due(Some(offer(true)), at(10)).is_empty(), "once for each question");
        }
        says(&mut offers, "west", false, ALL, &[]);
        assert!(offers.due(Some(offer(true)), at(20)).is_empty());
        let withdrawn = offers.due(None, at(21));
        assert_eq!(withdrawn, [(id("west"), Down::Offer(None))]);
        offers.on_presence(&id("east"), true);
        assert_eq!(told(&mut offers, true, at(30))[0], ("east".to_owned(), Some(false)), "it came later");
    }

    #[test]
    fn one_gateways_devices_go_first_and_the_others_when_one_of_them_has_kept_it() {
        let mut offers = offers();
        says(&mut offers, "east", false, ALL, &[(1, Stage::Over(Outcome::HadIt))]);
        says(&mut offers, "west", false, ALL, &[(2, Stage::Waits), (3, Stage::Waits)]);
        assert_eq!(
            told(&mut offers, true, at(0)),
            [("west".to_owned(), Some(true))],
            "east has nobody to give it"
        );
        says(&mut offers, "west", true, ALL, &[(2, Stage::Trial), (3, Stage::Waits)]);
        says(&mut offers, "east", false, ALL, &[(1, Stage::Over(Outcome::HadIt)), (4, Stage::Waits)]);
        assert_eq!(offers.held_back(offer(true)), Some(HeldBack::FirstTries));
        assert_eq!(told(&mut offers, true, at(5)), []);
        says(&mut offers, "west", true, ALL, &[(2, Stage::Over(Outcome::Kept)), (3, Stage::Offered)]);
        assert_eq!(told(&mut offers, true, at(6)), [("east".to_owned(), Some(true))]);
    }

    #[test]
    fn when_the_first_gateway_comes_to_no_end_because_it_is_gone_another_goes_first() {
        let mut offers = offers();
        for gateway in ["east", "west"] {
            says(&mut offers, gateway, false, ALL, &[(1, Stage::Waits)]);
        }
        assert_eq!(told(&mut offers, true, at(0)), [("east".to_owned(), Some(true))]);
        offers.on_presence(&id("east"), false);
        assert_eq!(told(&mut offers, true, at(1)), [("west".to_owned(), Some(true))]);
    }

    #[test]
    fn what_failed_on_one_device_goes_to_no_other_in_the_hall() {
        let mut offers = offers();
        for gateway in ["east", "west"] {
            says(&mut offers, gateway, true, ALL, &[(1, Stage::Over(Outcome::Kept)), (2, Stage::Waits)]);
        }
        assert_eq!(told(&mut offers, true, at(0)), []);
        says(&mut offers, "west", true, ALL, &[(2, Stage::Over(Outcome::GivenBack))]);
        assert_eq!(
            told(&mut offers, true, at(1)),
            [("east".to_owned(), Some(false)), ("west".to_owned(), Some(false))]
        );
        assert_eq!(offers.held_back(offer(true)), Some(HeldBack::Failed(DeviceUid(2))));
        // Also when the gateway that knew it starts anew; but somebody may offer it again.
        says(&mut offers, "west", false, ALL, &[(2, Stage::Waits)]);
        assert_eq!(offers.held_back(offer(true)), Some(HeldBack::Failed(DeviceUid(2))));
        offers.due(None, at(2));
        offers.due(Some(offer(true)), at(3));
        assert_eq!(offers.held_back(offer(true)), Some(HeldBack::FirstTries));
    }

    #[test]
    fn a_gateway_that_starts_anew_is_told_again() {
        let mut offers = offers();
        says(&mut offers, "west", false, ALL, &[]);
        offers.on_presence(&id("east"), false);
        assert_eq!(told(&mut offers, true, at(1)), []);
        offers.on_presence(&id("west"), true);
        assert_eq!(told(&mut offers, true, at(1)), [("west".to_owned(), Some(false))]);
    }

    #[test]
    fn while_a_round_is_played_all_hold_it_and_without_its_bytes_nobody_hears_of_it() {
        let mut offers = offers();
        says(&mut offers, "west", true, ALL, &[(1, Stage::Over(Outcome::Kept)), (2, Stage::Waits)]);
        assert_eq!(
            told(&mut offers, false, at(0)),
            [("east".to_owned(), Some(false)), ("west".to_owned(), Some(false))]
        );
        offers.has(None);
        assert_eq!(told(&mut offers, true, at(1)), [("west".to_owned(), None)]);
        assert_eq!(offers.held_back(offer(true)), Some(HeldBack::NotHere));
    }
}
