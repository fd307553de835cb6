//! A table on a line that it shares with others (RS-485).

use std::time::Duration;

use firmware_proto::{
    Address, DeviceUid, FromDevice, FromShared, Hello, LineSession, ResetCause, Seq, ToDevice, ToShared,
};

use crate::controller::{Controller, Heard};
use crate::firmware;

const UID: DeviceUid = DeviceUid(0xc400_0003_0000_0077);

/// The chip's time for something that must not come, ms: shorter than it keeps an address without being asked.
const QUIET: u64 = 1_500;

type Table = Controller<FromShared>;

const ADDRESS: Address = Address(9);
const SESSION: LineSession = LineSession(3);

/// Gives it its address.
fn claim(table: &mut Table) {
    let here = |heard: &Heard<FromShared>| matches!(heard, Heard::Says(FromShared::Here(UID))).then_some(());
    table.say_to(Address::EVERYONE, &ToShared::Seek { prefix: 0xc4 << 56, bits: 8 });
    table.wait_for("its answer to the search", here);
    table.say_to(Address::EVERYONE, &ToShared::Claim { uid: UID, address: ADDRESS.0, session: SESSION });
    table.wait_for("its answer to the claim", here);
}

fn silent(table: &mut Table, why: &str) {
    table.pass(QUIET);
    let heard = table.next(Duration::ZERO);
    assert!(heard.is_none(), "{why}: {heard:?}");
}

/// Gives it the floor and hears what it says until it gives it back.
fn turn(table: &mut Table) -> Vec<FromDevice> {
    table.say_to(ADDRESS, &ToShared::Poll { session: SESSION, frames: 8 });
    let mut said = Vec::new();
    table.wait_for("the end of its turn", |heard| match heard {
        Heard::Says(FromShared::Says(message)) => {
            said.push(*message);
            None
        }
        Heard::Says(FromShared::Over) => Some(()),
        Heard::Says(FromShared::Here(_)) | Heard::PowerGone => None,
    });
    said
}

/// How it greets once an earlier start's records are taken: they are acknowledged unseen.
fn hello(table: &mut Table) -> Hello {
    for _ in 0..20 {
        for message in turn(table) {
            match message {
                FromDevice::Hello(hello) => return hello,
                FromDevice::Left(_, left) => {
                    let ack = ToDevice::Ack { boot: left.boot, upto: Seq(left.next.0 - 1) };
                    table.say_to(ADDRESS, &ToShared::Says(ack));
                }
                FromDevice::Record(..)
                | FromDevice::Beat { .. }
                | FromDevice::Done(_)
                | FromDevice::TimeSync { .. }
                | FromDevice::Update(_) => {}
            }
        }
    }
    panic!("no greeting in twenty turns");
}

#[test]
fn a_table_on_a_shared_line_is_silent_until_it_is_sought_and_then_speaks_in_its_turn() {
    let Some((emulator, elf)) = firmware() else { return };
    let mut table: Table = Controller::start(&emulator, &elf.join("table-hall-rs485"), &UID.to_string());
    silent(&mut table, "it was not asked");
    claim(&mut table);
    table.say_to(Address(8), &ToShared::Poll { session: SESSION, frames: 8 });
    silent(&mut table, "it is another's turn");
    assert_eq!(hello(&mut table).uid, UID);
}

#[test]
fn a_table_on_a_shared_line_counts_its_starts_whatever_byte_the_power_goes_at_as_it_starts() {
    let Some((emulator, elf)) = firmware() else { return };
    let mut table: Table = Controller::start(&emulator, &elf.join("table-hall-rs485"), &UID.to_string());
    silent(&mut table, "it was not asked");
    claim(&mut table);
    let mut boot = hello(&mut table).boot;
    for byte in [0, 1, 4, 7, 10] {
        table.bench(&format!("power 0 off\npower 0 on\npower 0 cut {byte}"));
        let gone = |heard: &Heard<FromShared>| matches!(heard, Heard::PowerGone).then_some(());
        table.wait_for("the first cut", gone);
        table.wait_for("the cut while it starts", gone);
        table.bench("power 0 on");
        silent(&mut table, "its address went with the power");
        claim(&mut table);
        let hello = hello(&mut table);
        assert!(hello.boot > boot, "byte {byte}: start {} after {boot}", hello.boot);
        assert_eq!(hello.reset, ResetCause::PowerOn);
        boot = hello.boot;
    }
}
