//! Bytes from a serial line: whatever they are, nothing panics, every byte is accounted for, and a sound frame behind
//! them is read.
#![no_main]

use firmware_proto::{Address, FrameReader, FromDevice, MAX_FRAME, ToDevice, encode};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut host = FrameReader::<FromDevice>::new();
    host.push_all(bytes, |outcome| {
        if let Ok((address, message)) = outcome {
            // What decodes encodes again: numbers may have been written longer than needed, never wrongly.
            let mut frame = [0; MAX_FRAME];
            let used = encode(address, &message, &mut frame).expect("it came in a frame");
            let mut again = None;
            FrameReader::<FromDevice>::new().push_all(&frame[..used], |outcome| again = Some(outcome));
            assert_eq!(again, Some(Ok((address, message))));
        }
    });
    let mut device = FrameReader::<ToDevice>::new();
    device.push_all(bytes, |_| {});
    device.push(0);
    let mut frame = [0; MAX_FRAME];
    let used = encode(Address::POINT_TO_POINT, &ToDevice::Identify, &mut frame).expect("it is short");
    let mut last = None;
    device.push_all(&frame[..used], |outcome| last = Some(outcome));
    assert_eq!(last, Some(Ok((Address::POINT_TO_POINT, ToDevice::Identify))));
});
