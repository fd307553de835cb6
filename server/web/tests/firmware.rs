//! Another firmware for the devices, from the page of devices: what is offered, what is refused and why, and how far it is.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;
#[path = "../fixture/mod.rs"]
#[allow(dead_code, reason = "the example uses the rest")]
mod fixture;

use std::sync::{Arc, Mutex};

use axum::body::Body;
use axum::http::{Method, StatusCode, header};
use common::{hub, page, request, send, state, text};
use hall::Act;
use hall::view::{Capabilities, Firmware, SensingKind, Target};
use tokio::sync::mpsc;
use web::{ActRequest, Refused, Words};

type Kept = Arc<Mutex<Vec<(Firmware, Vec<u8>)>>>;

fn app() -> (axum::Router, mpsc::Receiver<ActRequest>, Kept) {
    let hub = hub();
    fixture::publish(&hub, 3);
    let (mut state, asked) = state(&hub);
    let kept = Kept::default();
    let keeps = kept.clone();
    state.firmware = Arc::new(move |firmware, bytes| {
        keeps.lock().unwrap().push((firmware, bytes));
        Ok(())
    });
    (web::app(state), asked, kept)
}

fn between<'a>(page: &'a str, from: &str, to: &str) -> &'a str {
    page.split(from).nth(1).and_then(|rest| rest.split(to).next()).unwrap()
}

async fn upload(app: &axum::Router, file: Vec<u8>) -> axum::http::Response<Body> {
    let word = between(&page(app, "/devices").await, "name=\"form\" value=\"", "\"").to_owned();
    let mut body = format!(
        "--x\r\nContent-Disposition: form-data; name=\"form\"\r\n\r\n{word}\r\n--x\r\n\
         Content-Disposition: form-data; name=\"file\"; filename=\"board-3.firmware\"\r\n\
         Content-Type: application/octet-stream\r\n\r\n"
    )
    .into_bytes();
    body.extend(file);
    body.extend(b"\r\n--x--\r\n");
    let mut request = request("/devices/firmware")
        .header(header::CONTENT_TYPE, "multipart/form-data; boundary=x")
        .body(Body::from(body))
        .unwrap();
    *request.method_mut() = Method::POST;
    send(app, request).await
}

/// For boards like those of the hall.
fn board() -> Target {
    let capabilities = Capabilities { board: Some(SensingKind::Colour), clock: false };
    Target { hardware: 1, capabilities, shared_line: false }
}

fn file(target: Target, bytes: &[u8]) -> (Firmware, Vec<u8>) {
    let firmware = Firmware::of_bytes(target, 3, bytes);
    (firmware, firmware.to_file(bytes))
}

#[tokio::test]
async fn a_firmware_that_fits_a_device_here_is_offered_and_kept() {
    let (app, mut asked, kept) = app();
    let bytes: Vec<u8> = (0..100_000_u32).map(|at| at as u8).collect();
    let (firmware, file) = file(board(), &bytes);
    let answering = tokio::spawn(async move {
        let request = asked.recv().await.unwrap();
        assert_eq!(request.acts, [Act::OfferFirmware(firmware)]);
        request.answer.send(Ok(())).unwrap();
    });
    let answer = upload(&app, file).await;
    assert_eq!(
        (answer.status(), &answer.headers()[header::LOCATION]),
        (StatusCode::SEE_OTHER, &"/devices".parse().unwrap())
    );
    answering.await.unwrap();
    assert_eq!(*kept.lock().unwrap(), [(firmware, bytes)]);
}

#[tokio::test]
async fn what_is_no_firmware_or_for_nobody_here_is_refused_in_words_and_nothing_is_kept() {
    let (app, mut asked, kept) = app();
    let (_, sound) = file(board(), b"firmware");
    let mut damaged = sound.clone();
    *damaged.last_mut().unwrap() ^= 1;
    let (_, for_revision_2) = file(Target { hardware: 2, ..board() }, b"firmware");
    let (_, largest) = file(board(), &vec![0; Firmware::LONGEST_FILE]);
    for (file, why) in [
        (b"PNG".to_vec(), "开头不是 CHUHEFW1"),
        (vec![], "开头不是 CHUHEFW1"),
        (sound[..sound.len() - 1].to_vec(), "应有 8 字节，实有 7 字节"),
        (damaged, "校验和不符"),
        (for_revision_2, "硬件第2版"),
        (largest, "不超过 2 MB"),
    ] {
        let answer = upload(&app, file).await;
        assert_eq!(answer.status(), StatusCode::UNPROCESSABLE_ENTITY);
        let said = text(answer).await;
        assert!(said.contains(why), "{said}");
    }
    let answer = upload(&app, vec![0; 3 << 20]).await;
    assert_eq!(answer.status(), StatusCode::PAYLOAD_TOO_LARGE);
    assert!(asked.try_recv().is_err() && kept.lock().unwrap().is_empty());
}

#[tokio::test]
async fn one_that_the_hall_refuses_does_not_take_the_place_of_the_one_before() {
    let (app, mut asked, kept) = app();
    let (_, file) = file(board(), b"firmware");
    tokio::spawn(async move {
        let request = asked.recv().await.unwrap();
        let refused = Refused::Said(Words::of("本轮对局进行中", "a round is being played"));
        request.answer.send(Err(refused)).unwrap();
    });
    let answer = upload(&app, file).await;
    assert_eq!(answer.status(), StatusCode::CONFLICT);
    assert!(text(answer).await.contains("本轮对局进行中") && kept.lock().unwrap().is_empty());
}

#[tokio::test]
async fn every_devices_progress_is_shown_in_words_with_a_button_that_stops_it() {
    let (app, mut asked, _) = app();
    let devices = page(&app, "/devices").await;
    let part = between(&devices, "data-part=\"firmware\"", "</section>");
    for words in [
        "固件第3版：棋盘（硬件第1版，感应红黑）",
        "1／4 台完成",
        "已更新",
        "传输 50%",
        "稍后再试",
        "静置一分钟后继续",
        "row-3 未连接",
    ] {
        assert!(part.contains(words), "{words} in {part}");
    }
    let english = page(&app, "/devices?lang=en").await;
    assert!(english.contains("1 of 4 devices done") && english.contains("takes it: 50 %"), "{english}");
    let word = between(&devices, "name=\"form\" value=\"", "\"").to_owned();
    let mut stop = request("/devices/firmware/stop")
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .body(Body::from(format!("form={word}")))
        .unwrap();
    *stop.method_mut() = Method::POST;
    let stopped = tokio::spawn({
        let app = app.clone();
        async move { send(&app, stop).await }
    });
    let request = asked.recv().await.unwrap();
    assert_eq!(request.acts, [Act::WithdrawFirmware]);
    request.answer.send(Ok(())).unwrap();
    assert_eq!(stopped.await.unwrap().status(), StatusCode::SEE_OTHER);
}
