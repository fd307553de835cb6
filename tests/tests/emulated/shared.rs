//! A table on a line that it shares with others (RS-485).

use std::time::Duration;

use firmware_proto::{Address, DeviceUid, FromDevice, FromShared, LineSession, ToShared};

use crate::controller::{Controller, Heard};
use crate::firmware;

const UID: DeviceUid = DeviceUid(0xc400_0003_0000_0077);

/// The chip's time for something that must not come.
const QUIET: Duration = Duration::from_secs(4);

#[test]
fn a_table_on_a_shared_line_is_silent_until_it_is_sought_and_then_speaks_in_its_turn() {
    let Some((emulator, elf)) = firmware() else {
        eprintln!(
            "SKIPPED: emulated firmware: CHUHE_FIRMWARE or the emulator is missing; tests/run firmware has both"
        );
        return;
    };
    let elf = elf.join("table-hall-rs485");
    let mut table: Controller<FromShared> = Controller::start(&emulator, &elf, "c400000300000077", 1);
    let heard = table.next(QUIET);
    assert!(heard.is_none(), "it was not asked: {heard:?}");

    let here = |heard: &Heard<FromShared>| matches!(heard, Heard::Says(FromShared::Here(UID))).then_some(());
    table.say_to(Address::EVERYONE, &ToShared::Seek { prefix: 0xc4 << 56, bits: 8 });
    table.wait_for("its answer to the search", here);
    let session = LineSession(3);
    table.say_to(Address::EVERYONE, &ToShared::Claim { uid: UID, address: 9, session });
    table.wait_for("its answer to the claim", here);

    table.say_to(Address(8), &ToShared::Poll { session, frames: 8 });
    let heard = table.next(Duration::from_secs(1));
    assert!(heard.is_none(), "another's turn: {heard:?}");

    table.say_to(Address(9), &ToShared::Poll { session, frames: 8 });
    let hello = table.wait_for("a greeting", |heard| match heard {
        Heard::Says(FromShared::Says(FromDevice::Hello(hello))) => Some(*hello),
        Heard::Says(_) | Heard::PowerGone => None,
    });
    assert_eq!(hello.uid, UID);
    table.wait_for("the end of its turn", |heard| {
        matches!(heard, Heard::Says(FromShared::Over)).then_some(())
    });
}
