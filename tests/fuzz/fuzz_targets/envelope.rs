//! Payloads from a broker: nothing panics, nothing opens without the key, and what is sealed under the key with any
//! content opens as itself or says that its content is unknown.
#![no_main]

use firmware_proto::envelope::{Header, Key, OpenError, Way, open, seal};
use firmware_proto::{Down, GatewayId, Up};
use libfuzzer_sys::fuzz_target;

/// Content whose bytes are given: what an authentic sender of another version may say.
struct Raw<'a>(&'a [u8]);

impl serde::Serialize for Raw<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeTuple;
        let mut bytes = serializer.serialize_tuple(self.0.len())?;
        for byte in self.0 {
            bytes.serialize_element(byte)?;
        }
        bytes.end()
    }
}

fuzz_target!(|bytes: &[u8]| {
    let key = Key::new([3; 32]);
    let gateway = GatewayId::new("row-1").expect("it is a name");
    assert!(open::<Down>(&key, &gateway, Way::Down, bytes).is_err());
    let header = Header { gateway: gateway.clone(), way: Way::Up, life: 1, count: 2 };
    match open::<Up>(&key, &gateway, Way::Up, &seal(&key, &header, &Raw(bytes))) {
        Ok((opened, message)) => {
            assert_eq!(opened, header);
            let again = open::<Up>(&key, &gateway, Way::Up, &seal(&key, &header, &message));
            assert_eq!(again, Ok((header, message)));
        }
        Err(error) => assert_eq!(error, OpenError::BadContent),
    }
});
