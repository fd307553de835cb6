//! 固件: another firmware for the devices. A file is uploaded, looked at and offered to the gateways; how far each device
//! is; and the button that stops it.

use axum::RequestExt;
use axum::body::Bytes;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use hall::view::progress::{Hindrance, Outcome, Progress, Stage};
use hall::view::{BadFirmwareFile, Firmware, SensingKind, Target, UpdateRefusal};
use hall::{Act, Room};
use maud::{Markup, html};

use super::answer;
use crate::AppState;
use crate::auth::{self, Official};
use crate::desk::upload;
use crate::lang::{Lang, Words};
use crate::page::shell::Reader;
use crate::questions::{AtDevice, FirmwareView, HeldBack, LinkView};

/// What a form may weigh: the largest file, and what goes around it.
pub const LARGEST_FORM: usize = Firmware::LONGEST_FILE + 16 * 1024;

/// How far it is, for everybody who comes here.
pub fn draw(view: Option<&FirmwareView>, reader: &Reader) -> Markup {
    let Some(view) = view else { return html! {} };
    let (zh, en) = made_for(&view.firmware.target);
    let done = view.devices.iter().filter(|at| is_done(&at.progress)).count();
    html! {
        section class="dlinks dfirm" {
            h2 { @match reader.lang {
                Lang::Zh => { "固件第" (view.firmware.version) "版：" (zh) }
                Lang::En => { "Firmware version " (view.firmware.version) " for " (en) }
            } }
            @let (class, words) = how_it_goes(view, done);
            p class={ "dsay " (class) } role="status" { (words.get(reader.lang)) }
            @if !view.devices.is_empty() {
                div class="dscroll" { table {
                    thead { tr {
                        th { (reader.t("台", "Table")) }
                        th { (reader.t("进度", "Progress")) }
                        th { (reader.t("设备", "Device")) }
                        th { (reader.t("网关", "Gateway")) }
                    } }
                    tbody { @for at in &view.devices { (device(at, reader)) } }
                } }
            }
            @let waited: Vec<_> = view.gateways.iter().filter(|at| at.fetched < view.firmware.length).collect();
            @if !waited.is_empty() {
                p class="mut" {
                    (reader.t("尚未取到固件的网关：", "Gateways that do not have it yet: "))
                    @for (index, at) in waited.iter().enumerate() {
                        @if index > 0 { (reader.t("、", ", ")) }
                        (at.gateway) " "
                        @if at.online { (u64::from(at.fetched) * 100 / u64::from(view.firmware.length.max(1))) "%" }
                        @else { (reader.t("未连接，上线后补发", "away, gets it when it is back")) }
                    }
                }
            }
        }
    }
}

/// The form to upload a file with, or the button that stops what goes on; for whoever may do that.
pub fn forms(view: Option<&FirmwareView>, official: &Official, reader: &Reader) -> Markup {
    html! {
        @if view.is_some() && official.may(&Act::WithdrawFirmware) {
            form class="dacts" method="post" action="/devices/firmware/stop" {
                (official.seal())
                button class="btn" { (reader.t("停止更新固件", "Stop the firmware update")) }
                p class="mut" { (reader.t(
                    "还没开始试运行的设备保持原来的固件；已更新的不退回。",
                    "Devices that are not yet on trial keep the firmware that they have; those that took it keep it.",
                )) }
            }
        }
        @if official.may(&Act::WithdrawFirmware) {
            details class="dswap" {
                summary { (reader.t("更新设备固件…", "Another firmware for the devices…")) }
                form class="dacts" method="post" action="/devices/firmware" enctype="multipart/form-data" {
                    (official.seal())
                    label { (reader.t("固件文件", "Firmware file"))
                        input type="file" name="file" required;
                    }
                    button class="btn" { (reader.t("检查并更新", "Check and update")) }
                    p class="mut" { (reader.t(
                        "两轮之间进行。先更新一台设备，试运行成功再更新其余；失败自动退回原固件，其余不动。",
                        "Between rounds. One device goes first; when it runs well the others follow. One that does not run well goes back by itself, and no other is touched.",
                    )) }
                }
            }
        }
    }
}

fn is_done(progress: &Progress) -> bool {
    match progress.stage {
        Stage::Over(outcome) => outcome.is_well(),
        Stage::Waits | Stage::Offered | Stage::Sending { .. } | Stage::Checking | Stage::Trial => false,
    }
}

/// How it goes on the whole: its class on the page, and words.
fn how_it_goes(view: &FirmwareView, done: usize) -> (&'static str, Words) {
    let all = view.devices.len();
    match view.held_back {
        Some(HeldBack::Failed(device)) => (
            "bad",
            Words::new(
                format!("设备 {device} 用这版固件未能正常运行，已停止：其余设备保持原固件"),
                format!(
                    "Device {device} did not run well with it: it is stopped, and no other device is given it"
                ),
            ),
        ),
        Some(HeldBack::NotHere) => (
            "bad",
            Words::of(
                "固件文件不在这台服务器上：请重新上传",
                "The file is not on this server: upload it again",
            ),
        ),
        Some(HeldBack::Round) => (
            "open",
            Words::of(
                "本轮对局进行中，暂停更新；本轮结束后自动继续",
                "A round is being played: it goes on after it",
            ),
        ),
        None | Some(HeldBack::FirstTries) if all == 0 => {
            ("open", Words::of("正在送往网关", "On its way to the gateways"))
        }
        None | Some(HeldBack::FirstTries) if done == all => {
            ("ok", Words::new(format!("{all} 台设备都已是这一版"), format!("All {all} devices run it")))
        }
        Some(HeldBack::FirstTries) => {
            ("open", Words::of("先在一台设备上试运行", "One device tries it first"))
        }
        None => (
            "open",
            Words::new(
                format!("正在更新：{done}／{all} 台完成"),
                format!("Going on: {done} of {all} devices done"),
            ),
        ),
    }
}

fn device(at: &AtDevice, reader: &Reader) -> Markup {
    let class = match at.progress.stage {
        Stage::Over(outcome) if outcome.is_well() => "ok",
        Stage::Over(_) => "hot",
        Stage::Waits | Stage::Offered | Stage::Sending { .. } | Stage::Checking | Stage::Trial => "",
    };
    html! {
        tr {
            td { @match at.table { Some(table) => { a href={ "/devices/" (table) } { b { (table) } } }, None => "—" } }
            td class=(class) { (progress(&at.progress).get(reader.lang)) }
            td { code { (at.device) } }
            td { (at.gateway) }
        }
    }
}

/// How far a device is.
fn progress(progress: &Progress) -> Words {
    let stage = match progress.stage {
        Stage::Waits => return Words::of("等候", "waits for its turn"),
        Stage::Over(outcome) => return came_of_it(outcome),
        Stage::Offered => Words::of("正在联系", "is offered it"),
        Stage::Sending { taken, of } => {
            let percent = u64::from(taken) * 100 / u64::from(of.max(1));
            Words::new(format!("传输 {percent}%"), format!("takes it: {percent} %"))
        }
        Stage::Checking => Words::of("校验", "checks it"),
        Stage::Trial => Words::of("试运行", "on trial"),
    };
    let Some(held_up) = progress.held_up else { return stage };
    let (zh, en) = match held_up {
        Hindrance::Away => ("设备不在线，查连线", "not there: is its cable in?"),
        Hindrance::GameOn => {
            ("刚有人动子或按钟，静置一分钟后继续", "goes on after a minute in which nobody touches it")
        }
        Hindrance::RecordsWait => ("等记录存好", "waits for its records to be kept"),
        Hindrance::OnTrial => ("原固件还在试运行", "what it runs is itself on trial"),
    };
    Words::new(format!("{}（{zh}）", stage.get(Lang::Zh)), format!("{} ({en})", stage.get(Lang::En)))
}

/// What came of a device's update.
fn came_of_it(outcome: Outcome) -> Words {
    match outcome {
        Outcome::Kept => Words::of("已更新", "done"),
        Outcome::HadIt => Words::of("已是这一版", "runs it already"),
        Outcome::GivenBack => {
            Words::of("未能正常运行，已退回原固件", "did not run well with it and went back")
        }
        Outcome::Refused(UpdateRefusal::GameOn) => {
            Words::of("刚有人动子或按钟，稍后再试", "somebody plays there: tried again later")
        }
        Outcome::Refused(refusal) => Words::new(
            format!("设备拒绝，保持原固件（{refusal}）"),
            format!("refused, runs what it had: {refusal}"),
        ),
        Outcome::NotTried => {
            Words::of("重启后没有试用：查引导程序", "restarts without trying it: look at its boot stage")
        }
        Outcome::Lost => Words::of("断线，上线后再试", "went away: tried again when it is back"),
        Outcome::NotBack => {
            Words::of("试运行后没有回来：去看一下", "did not come back from its trial: look at it")
        }
        Outcome::Spared => Words::of("未动", "left as it was"),
        Outcome::RoundBegan => Words::of("钟已走，之后再试", "a time runs: tried again later"),
        Outcome::Stopped => Words::of("已在网关上停止", "stopped at the gateway"),
        Outcome::Held => Words::of("暂停", "held back"),
    }
}

/// What a firmware is made for: Chinese, English.
pub fn made_for(target: &Target) -> (String, String) {
    let Target { hardware, capabilities, shared_line } = *target;
    let parts = match (capabilities.board.is_some(), capabilities.clock) {
        (true, true) => "棋盘带棋钟",
        (true, false) => "棋盘",
        (false, true) => "棋钟",
        (false, false) => "空设备",
    };
    let senses = match capabilities.board {
        None => "",
        Some(SensingKind::Occupancy) => "，感应有无",
        Some(SensingKind::Colour) => "，感应红黑",
        Some(SensingKind::Type) => "，感应棋种",
        Some(SensingKind::Identity) => "，感应每子",
    };
    let line = if shared_line { "，共用线路" } else { "" };
    (format!("{parts}（硬件第{hardware}版{senses}{line}）"), target.to_string())
}

/// What is wrong with a file.
fn bad_file(why: BadFirmwareFile) -> Words {
    let zh = match why {
        BadFirmwareFile::NotOne => "这不是固件文件：开头不是 CHUHEFW1".to_owned(),
        BadFirmwareFile::Description => "固件文件损坏，读不出说明：请重新取一份".to_owned(),
        BadFirmwareFile::Length { said, found } => {
            format!("固件文件损坏：应有 {said} 字节，实有 {found} 字节，请重新取一份")
        }
        BadFirmwareFile::Digest => "固件文件损坏：校验和不符，请重新取一份".to_owned(),
    };
    Words::new(zh, why.to_string())
}

/// The firmware in a file that was uploaded, if it can be given to anybody here.
fn checked(file: &[u8], links: &[LinkView]) -> Result<(Firmware, Vec<u8>), Words> {
    if file.len() > Firmware::LONGEST_FILE {
        let most = Firmware::LONGEST_FILE >> 20;
        return Err(Words::new(
            format!("文件过大：固件文件不超过 {most} MB"),
            format!("the file is too large: a firmware file has {most} MB at most"),
        ));
    }
    let (firmware, bytes) = Firmware::from_file(file).map_err(bad_file)?;
    let Target { hardware, capabilities, .. } = firmware.target;
    let fits = links.iter().filter_map(|link| link.runs);
    if !fits.into_iter().any(|runs| (runs.hardware, runs.capabilities) == (hardware, capabilities)) {
        let (zh, en) = made_for(&firmware.target);
        return Err(Words::new(
            format!("这版固件用于{zh}，而没有网关见到这样的设备"),
            format!("the firmware is for {en}, and no gateway sees such a device"),
        ));
    }
    Ok((firmware, bytes.to_vec()))
}

/// `POST /devices/firmware`: a file is checked, kept and offered.
pub async fn offer(State(state): State<AppState>, request: Request) -> Response {
    let (mut parts, body) = request.into_parts();
    let Ok(reader) = Reader::from_request_parts(&mut parts, &state).await;
    let official = match auth::enter(&state, &reader, &parts, Room::Devices) {
        Ok(official) => official,
        Err(answer) => return answer,
    };
    let refuse =
        |status: StatusCode, words: Words| (status, words.get(reader.lang).to_owned()).into_response();
    if !official.may(&Act::WithdrawFirmware) {
        let undone = auth::Undone::Role;
        return refuse(undone.status(), undone.words());
    }
    let headers = parts.headers.clone();
    let request = Request::from_parts(parts, body);
    let Ok(bytes) = request.extract::<Bytes, _>().await else {
        let words = Words::of("文件过大或没有收全", "the file is too large or did not come whole");
        return refuse(StatusCode::PAYLOAD_TOO_LARGE, words);
    };
    let sent = upload::parts(&headers, &bytes).unwrap_or_default();
    let part = |name: &str| sent.iter().find(|(key, ..)| key == name).map(|(.., bytes)| bytes.as_slice());
    if !part("form")
        .and_then(|word| std::str::from_utf8(word).ok())
        .is_some_and(|word| official.sealed(word.trim()))
    {
        let words = Words::of("页面已过期，请重新打开后再试", "The page is out of date: open it again");
        return refuse(StatusCode::FORBIDDEN, words);
    }
    let (firmware, bytes) = match checked(part("file").unwrap_or_default(), &state.questions.links().await) {
        Ok(found) => found,
        Err(why) => return refuse(StatusCode::UNPROCESSABLE_ENTITY, why),
    };
    // One that may not be offered now does not take the place of one that is.
    let done = auth::decide(&state, &official, vec![Act::OfferFirmware(firmware)], None).await;
    if done.is_ok()
        && let Err(why) = (state.firmware)(firmware, bytes)
    {
        let words =
            Words::new(format!("服务器存不下固件：{why}"), format!("the server cannot keep the file: {why}"));
        return refuse(StatusCode::INSUFFICIENT_STORAGE, words);
    }
    answer(done, "/devices", &reader)
}

/// `POST /devices/firmware/stop`: no firmware is offered any more.
pub async fn stop(State(state): State<AppState>, request: Request) -> Response {
    let posted = match auth::posted(&state, request, Some(Room::Devices)).await {
        Ok(posted) => posted,
        Err(answer) => return answer,
    };
    let done = auth::decide(&state, &posted.official, vec![Act::WithdrawFirmware], None).await;
    answer(done, "/devices", &posted.reader)
}
