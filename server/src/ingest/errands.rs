//! Commands on their way to devices: repeated until the hall knows that they are done, one at a time for each device,
//! so that they take effect in order.
//!
//! None goes to a device of which not everything is known yet: a server that was away, or whose database was brought back
//! to an older state, may have told it already, and a clock that was reset since does not remember. Set once more, it would
//! stand at the beginning in the middle of a game.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use firmware_proto::{CmdId, DeviceUid, Down, GatewayId};
use hall::Outgoing;

/// An unanswered command is sent again after this long.
const PATIENCE: Duration = Duration::from_secs(1);

/// Which command went where, and when (since any instant).
#[derive(Debug, Default)]
pub(super) struct Errands {
    routes: BTreeMap<DeviceUid, Route>,
    sent: BTreeMap<CmdId, Duration>,
}

/// The way to a device.
#[derive(Debug)]
struct Route {
    gateway: GatewayId,
    /// Whether all that it did is known, as its gateway said with a beat.
    known: bool,
}

impl Errands {
    /// Where devices hung last.
    pub(super) fn new(routes: impl IntoIterator<Item = (DeviceUid, GatewayId)>) -> Errands {
        let route = |(device, gateway)| (device, Route { gateway, known: false });
        Errands { routes: routes.into_iter().map(route).collect(), sent: BTreeMap::new() }
    }

    /// A gateway speaks of a device: that is the way to it.
    pub(super) fn route(&mut self, device: DeviceUid, gateway: &GatewayId) {
        if self.routes.get(&device).is_none_or(|route| route.gateway != *gateway) {
            self.routes.insert(device, Route { gateway: gateway.clone(), known: false });
        }
    }

    /// A device's beat holds: all that it did before is known.
    pub(super) fn know(&mut self, device: DeviceUid) {
        if let Some(route) = self.routes.get_mut(&device) {
            route.known = true;
        }
    }

    /// Of the commands that are not done (in the order of their numbers), those to send now.
    pub(super) fn due(
        &mut self,
        open: impl Iterator<Item = Outgoing>,
        now: Duration,
    ) -> Vec<(GatewayId, Down)> {
        let (mut busy, mut still_open, mut due) = (BTreeSet::new(), BTreeMap::new(), Vec::new());
        for Outgoing { device, id, command } in open {
            let Some(Route { gateway, known: true }) = self.routes.get(&device) else { continue };
            if !busy.insert(device) {
                continue;
            }
            let last = self.sent.get(&id).copied();
            let sent = match last {
                Some(last) if now.saturating_sub(last) < PATIENCE => last,
                Some(_) | None => {
                    due.push((gateway.clone(), Down::Command { device, id, command }));
                    now
                }
            };
            still_open.insert(id, sent);
        }
        self.sent = still_open;
        due
    }

    /// How long until a command has to be repeated, if any is open.
    pub(super) fn next(&self, now: Duration) -> Option<Duration> {
        let oldest = self.sent.values().min()?;
        Some(PATIENCE.saturating_sub(now.saturating_sub(*oldest)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use firmware_proto::Command;

    fn west() -> GatewayId {
        GatewayId::new("west").unwrap()
    }

    fn command(device: u64, id: u32) -> Outgoing {
        Outgoing { device: DeviceUid(device), id: CmdId(id), command: Command::Snapshot }
    }

    fn ids(due: Vec<(GatewayId, Down)>) -> Vec<u32> {
        due.into_iter()
            .filter_map(|(_, down)| match down {
                Down::Command { id, .. } => Some(id.0),
                Down::Ack { .. } | Down::Offer(_) | Down::Part { .. } => None,
            })
            .collect()
    }

    #[test]
    fn a_command_is_repeated_until_it_is_done_and_the_next_one_waits_for_it() {
        let mut errands = Errands::new([(DeviceUid(1), west()), (DeviceUid(2), west())]);
        errands.know(DeviceUid(1));
        errands.know(DeviceUid(2));
        let start = Duration::from_secs(7);
        let open = [command(1, 1), command(1, 2), command(2, 3)];
        assert_eq!(ids(errands.due(open.into_iter(), start)), [1, 3]);
        assert_eq!(ids(errands.due(open.into_iter(), start + PATIENCE / 2)), [0_u32; 0]);
        assert_eq!(errands.next(start + PATIENCE / 2), Some(PATIENCE / 2));
        assert_eq!(ids(errands.due(open.into_iter(), start + PATIENCE)), [1, 3]);
        // 1 is done: 2 goes at once.
        assert_eq!(ids(errands.due([command(1, 2)].into_iter(), start + PATIENCE)), [2]);
        assert_eq!(ids(errands.due(std::iter::empty(), start + PATIENCE)), [0_u32; 0]);
        assert_eq!(errands.next(start), None);
    }

    #[test]
    fn a_device_that_moved_gets_its_command_at_the_new_gateway() {
        let mut errands = Errands::default();
        let start = Duration::from_secs(7);
        assert!(errands.due([command(1, 1)].into_iter(), start).is_empty(), "nobody knows it yet");
        let east = GatewayId::new("east").unwrap();
        errands.route(DeviceUid(1), &east);
        errands.know(DeviceUid(1));
        let due = errands.due([command(1, 1)].into_iter(), start);
        assert_eq!(due.first().map(|(gateway, _)| gateway), Some(&east));
    }

    #[test]
    fn no_command_goes_to_a_device_of_which_not_everything_is_known() {
        let mut errands = Errands::new([(DeviceUid(1), west())]);
        let start = Duration::from_secs(7);
        assert!(errands.due([command(1, 1)].into_iter(), start).is_empty(), "it may be done already");
        errands.know(DeviceUid(1));
        assert_eq!(ids(errands.due([command(1, 1)].into_iter(), start)), [1]);
        // What it did on its way to another gateway is not known.
        errands.route(DeviceUid(1), &GatewayId::new("east").unwrap());
        assert!(errands.due([command(1, 1)].into_iter(), start + PATIENCE).is_empty());
    }
}
