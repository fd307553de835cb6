//! A running gateway can be asked: over a Unix socket in its store's folder, which only its user and root may connect to.
//!
//! The words are HTTP, so that `curl --unix-socket STORE/socket http://gateway/devices` does as well:
//!
//! | request | answer |
//! |---|---|
//! | `GET /devices` | who hangs on which port: [`PortReport`]s |
//! | `POST /update?device=UID&device=UID` with a firmware file | begins an update of these devices, or of all that it is made for |
//! | `GET /update` | how far each device is: an [`UpdateReport`] |
//! | `DELETE /update` | ends it: devices that were not told to try the new firmware are left as they were |
//!
//! An update is the gateway's, not the asker's: whoever asked may go away, and anybody may look on.

mod client;
mod server;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use firmware_proto::progress::Progress;
use firmware_proto::{DeviceUid, Firmware};
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

use crate::hub::CannotUpdate;
use crate::list::PortReport;

pub use client::{AskError, Running};
pub(crate) use server::{Socket, serve};

/// The socket's name in the store's folder.
const NAME: &str = "socket";

fn path(store: &Path) -> PathBuf {
    store.join(NAME)
}

/// How far each device is with the update that is under way, or was the last one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpdateReport {
    /// Each device of it.
    pub devices: BTreeMap<DeviceUid, Progress>,
}

/// What somebody asks the gateway for.
#[derive(Debug)]
pub(crate) enum Ask {
    /// Who hangs on which port.
    Devices(oneshot::Sender<Vec<PortReport>>),
    /// Give devices another firmware.
    Update {
        firmware: Firmware,
        bytes: Vec<u8>,
        named: Vec<DeviceUid>,
        answer: oneshot::Sender<Result<(), CannotUpdate>>,
    },
    /// How far each device is with it.
    Progress(oneshot::Sender<UpdateReport>),
    /// End it.
    Stop(oneshot::Sender<()>),
}
