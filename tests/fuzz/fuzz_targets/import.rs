//! Entry forms as files (Excel, OpenDocument, CSV in any encoding) and as pasted text, of any bytes: each is read, or refused
//! with words; what the preview shows can be entered, or is refused for a reason.
#![no_main]

use libfuzzer_sys::fuzz_target;

/// What the first byte of the input makes of the rest.
const NAMES: [&str; 5] = ["a.csv", "a.txt", "a.xlsx", "a.xls", "a.ods"];

fuzz_target!(|input: &[u8]| {
    let Some((choice, file)) = input.split_first() else { return };
    let name = NAMES[usize::from(*choice) % NAMES.len()];
    // A boundary inside the file is another form.
    if file.windows(3).any(|window| window == b"--b") {
        return;
    }
    fuzz::pages::with_event(async |office| {
        let (status, text) = office.try_upload(name, file).await;
        assert!(status.is_success() || status.is_client_error(), "{status} {text}");
        if let Some((_, forms)) = text.split_once("name=\"forms\" value=\"") {
            let forms = forms.split('"').next().unwrap_or_default();
            let forms = forms.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
            let (status, text) = office.try_post("/desk/import/apply", &[("forms", &forms)]).await;
            assert!(status.is_redirection() || status.is_client_error(), "{status} {text}");
            office.page("/desk/entries").await;
        }
    });
});
