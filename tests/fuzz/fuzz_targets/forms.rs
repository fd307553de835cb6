//! Forms that officials' pages take, filled with anything: nothing panics, and every answer is an answer: done, refused with
//! the reason, never a fault of the server's. After each the event can still be looked at.
#![no_main]

use libfuzzer_sys::fuzz_target;

/// Where forms go. The first byte of the input chooses.
const FORMS: [&str; 28] = [
    "/desk/open",
    "/desk/entries",
    "/desk/entries/1",
    "/desk/import/apply",
    "/desk/draw",
    "/desk/pairing",
    "/desk/field",
    "/desk/lineups",
    "/desk/results",
    "/desk/results/one",
    "/desk/simul",
    "/slip/1",
    "/desk/settings",
    "/desk/regulation",
    "/desk/undo",
    "/arbiter",
    "/arbiter/walk",
    "/arbiter/table/1",
    "/arbiter/alerts/1/take",
    "/broadcast/delay",
    "/broadcast/results",
    "/broadcast/banner",
    "/broadcast/timer",
    "/broadcast/screen",
    "/broadcast/note",
    "/devices",
    "/devices/1",
    "/api/v1/enrol",
];

fuzz_target!(|input: &[u8]| {
    let Some((choice, rest)) = input.split_first() else { return };
    let path = FORMS[usize::from(*choice) % FORMS.len()];
    fuzz::pages::with_event(async |office| {
        // Several forms, one a line: what one of them does the next one finds.
        for body in rest.split(|byte| *byte == b'\n').take(4) {
            let (kind, body) = if path.starts_with("/api") {
                ("application/json", body.to_vec())
            } else {
                let seal = format!("form={}&", office.seal().await);
                ("application/x-www-form-urlencoded", [seal.as_bytes(), body].concat())
            };
            let (status, text) = office.try_body(path, kind, body).await;
            assert!(!status.is_server_error(), "{path}: {status} {text}");
        }
        office.page("/desk/entries").await;
        office.page("/").await;
    });
});
