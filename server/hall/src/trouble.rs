//! What is wrong with gateways, devices and the server itself.

use arbitration::{AlertCode, Evidence, Notice, Remedy, Step, Words};
use firmware_proto::{Body, Epoch, GatewayId, HealthFault, Observation, Sighting};
use tournament::TableNo;

use crate::feed::Part;
use crate::hall::Outputs;
use crate::{Hall, ServerFault};

impl Hall {
    /// One alert for all tables of a gateway: the cause is the gateway, by its place among the known ones.
    pub(crate) fn after_gateway(&mut self, id: &GatewayId, up: bool, now: Epoch, out: &mut Outputs) {
        let code = AlertCode::GwDown;
        let cause = self.gateways.keys().position(|known| known == id).unwrap_or_default() as u32;
        if up {
            return self.pass(None, code, |other| other == cause, now, out);
        }
        let words = Words::new(
            format!("网关 {id} 断线；各台照常进行，恢复后补录"),
            format!("Gateway {id} is down; games go on, what was played is taken in when it is back"),
        );
        let notice = Notice::new(code, cause, now, words, Evidence::Link { since: now })
            .offering([Remedy::default(), Remedy(vec![Step::PauseAll])]);
        self.raise(None, notice, now, out);
    }

    /// The server itself is at fault, or works again.
    pub(crate) fn after_server(&mut self, fault: ServerFault, on: bool, now: Epoch, out: &mut Outputs) {
        let (code, cause) = (AlertCode::DiskDb, fault as u32);
        if !on {
            return self.pass(None, code, |other| other == cause, now, out);
        }
        let ([zh, en], [todo_zh, todo_en]) = (fault.words(), fault.advice());
        let notice = Notice::new(code, cause, now, Words::new(zh, en), Evidence::Words);
        self.raise(None, notice.proposing(todo_zh, todo_en), now, out);
    }

    /// What a device says of itself: its supply, records that it had to drop.
    pub(crate) fn hear_of_device(
        &mut self,
        no: TableNo,
        part: Part,
        observation: &Observation,
        now: Epoch,
        out: &mut Outputs,
    ) {
        let at = observation.at;
        let (cause, zh, en) = match part {
            Part::Board | Part::Both => (0, "棋盘", "board"),
            Part::Clock => (1, "棋钟", "clock"),
        };
        let lost = || {
            Notice::new(
                AlertCode::RecordsLost,
                cause,
                at,
                Words::new(format!("{zh}有记录丢失"), format!("Records of the {en} are lost")),
                Evidence::Words,
            )
            .proposing("核对盘面与着法", "Check the position and the moves")
        };
        let notice = match observation.sighting {
            Sighting::Gap { .. } => lost(),
            Sighting::Record(_, record) => match record.body {
                Body::Health(HealthFault::Overflow(_)) => lost(),
                Body::Health(HealthFault::Supply(millivolts)) => Notice::new(
                    AlertCode::Battery,
                    cause,
                    at,
                    Words::new(
                        format!("{zh}电量低：{millivolts} 毫伏"),
                        format!("The {en}'s battery is low: {millivolts} mV"),
                    ),
                    Evidence::Supply { millivolts },
                ),
                Body::Health(
                    HealthFault::DeadCell(_)
                    | HealthFault::StuckCell(_)
                    | HealthFault::WeakCell(..)
                    | HealthFault::OffCentre(..)
                    // Nothing is lost, and nobody at the boards can do anything: it stands among the devices.
                    | HealthFault::Unkept(_),
                )
                | Body::Point(..)
                | Body::Snapshot(_)
                | Body::Press(..)
                | Body::Flag(..)
                | Body::Clock(_)
                | Body::Signal(..)
                | Body::Marker(_) => return,
            },
            // A device that starts anew may have a new battery; it says so again if not.
            Sighting::Attached(_) => {
                return self.pass(Some(no), AlertCode::Battery, |other| other == cause, now, out);
            }
            Sighting::Detached | Sighting::Done(_) => return,
        };
        self.raise(Some(no), notice, now, out);
    }
}
