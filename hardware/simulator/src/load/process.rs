//! What a process uses, as Linux tells it in `/proc`.

use std::time::Duration;

use anyhow::Context;

/// What a process has used, and holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Time on the cores since its start.
    pub cpu: Duration,
    /// Memory that is resident, KiB.
    pub memory: u64,
    /// Open files, sockets and the like.
    pub handles: u64,
}

/// What this process uses now.
pub fn usage(pid: u32) -> anyhow::Result<Usage> {
    let read = |what: &str| {
        let path = format!("/proc/{pid}/{what}");
        std::fs::read_to_string(&path).with_context(|| format!("cannot read {path} (has the process ended?)"))
    };
    let stat = read("stat")?;
    // The second field is the program's name in parentheses, which may hold blanks.
    let fields: Vec<&str> =
        stat.rsplit_once(')').map(|(_, rest)| rest.split_whitespace().collect()).unwrap_or_default();
    let ticks = |field: usize| fields.get(field).and_then(|text| text.parse::<u64>().ok());
    let (user, system) =
        ticks(11).zip(ticks(12)).with_context(|| format!("/proc/{pid}/stat is no such file"))?;
    let memory = read("status")?
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:")?.split_whitespace().next()?.parse().ok())
        .with_context(|| format!("/proc/{pid}/status tells no VmRSS"))?;
    let folder = format!("/proc/{pid}/fd");
    let handles = std::fs::read_dir(&folder)
        .with_context(|| format!("cannot look into {folder} (is it another user's process?)"))?
        .count() as u64;
    let cpu =
        Duration::from_secs_f64((user + system) as f64 / rustix::param::clock_ticks_per_second() as f64);
    Ok(Usage { cpu, memory, handles })
}

/// How many processes want a core, on average over the last minute.
pub(super) fn load_average() -> Option<f64> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_measured_and_one_that_is_not_there_is_named() {
        let before = usage(std::process::id()).unwrap();
        assert!(before.memory > 100 && before.handles >= 3, "{before:?}");
        let _open = std::fs::File::open("/proc/self/stat").unwrap();
        let held = usage(std::process::id()).unwrap();
        assert!(held.handles > before.handles, "{before:?} {held:?}");
        let error = usage(u32::MAX).unwrap_err().to_string();
        assert!(error.contains("/proc/4294967295/stat"), "{error}");
    }
}
