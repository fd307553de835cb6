//! A line that emulated tables share (RS-485): who is meant by what is said on it.

use std::collections::BTreeMap;

use firmware_proto::{
    Address, DeviceUid, FrameReader, FromDevice, FromShared, MAX_FRAME, ToDevice, ToShared, encode,
};

/// Follows what is said on the line, both ways.
pub(super) struct SharedLine {
    /// The tables' controllers, in the tables' order.
    uids: Vec<DeviceUid>,
    /// Whose address is which, as the gateway gave them.
    addresses: BTreeMap<Address, usize>,
    from_gateway: FrameReader<ToShared>,
    from_tables: FrameReader<FromShared>,
}

impl SharedLine {
    pub fn new(uids: Vec<DeviceUid>) -> SharedLine {
        SharedLine {
            uids,
            addresses: BTreeMap::new(),
            from_gateway: FrameReader::new(),
            from_tables: FrameReader::new(),
        }
    }

    /// What of these bytes of the gateway's is for which table, as on a line of its own.
    pub fn heard(&mut self, bytes: &[u8]) -> Vec<(usize, Vec<u8>)> {
        let mut frames = Vec::new();
        self.from_gateway.push_all(bytes, |frame| frames.extend(frame.ok()));
        let mut meant = Vec::new();
        for (address, message) in frames {
            match message {
                ToShared::Claim { uid, address, .. } => {
                    let table = self.uids.iter().position(|known| *known == uid);
                    self.addresses.extend(table.map(|table| (Address(address), table)));
                }
                ToShared::Says(message) => {
                    let table = self.addresses.get(&address).copied();
                    meant.extend(table.and_then(|table| Some((table, alone(&message)?))));
                }
                ToShared::Poll { .. } | ToShared::Seek { .. } => {}
            }
        }
        meant
    }

    /// What of these bytes which table said.
    pub fn said(&mut self, bytes: &[u8]) -> Vec<(usize, FromDevice)> {
        let mut frames = Vec::new();
        self.from_tables.push_all(bytes, |frame| frames.extend(frame.ok()));
        let of_table = |(address, message)| match message {
            FromShared::Says(message) => Some((*self.addresses.get(&address)?, message)),
            FromShared::Over | FromShared::Here(_) => None,
        };
        frames.into_iter().filter_map(of_table).collect()
    }
}

/// A message as a frame on a device's own line.
fn alone(message: &ToDevice) -> Option<Vec<u8>> {
    let mut frame = [0; MAX_FRAME];
    let used = encode(Address::POINT_TO_POINT, message, &mut frame).ok()?;
    Some(frame[..used].to_vec())
}

#[cfg(test)]
mod tests {
    use firmware_proto::{LineSession, Seq};

    use super::*;

    #[test]
    fn what_the_gateway_says_is_for_the_table_that_it_gave_the_address() {
        let uids = [7, 8].map(DeviceUid).to_vec();
        let mut line = SharedLine::new(uids);
        let mut send = |to, message: &ToShared| {
            let mut frame = [0; MAX_FRAME];
            let used = encode(to, message, &mut frame).unwrap();
            line.heard(&frame[..used])
        };
        let says = ToDevice::Ack { boot: firmware_proto::BootId(1), upto: Seq(2) };
        assert_eq!(send(Address(3), &ToShared::Says(says)), [], "nobody has that address yet");
        let claim = ToShared::Claim { uid: DeviceUid(8), address: 3, session: LineSession(1) };
        assert_eq!(send(Address::EVERYONE, &claim), []);
        assert_eq!(send(Address(3), &ToShared::Says(says)), [(1, alone(&says).unwrap())]);
    }
}
