//! A PostgreSQL of a test's own, which it may stop and start. It listens on a socket in a folder of its own only.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A PostgreSQL server; it ends with the test.
pub struct Postgres {
    folder: tempfile::TempDir,
    programs: PathBuf,
}

impl Postgres {
    /// `None`, said loudly: there is none on this machine.
    pub fn start() -> Option<Postgres> {
        let Some(programs) = programs() else {
            eprintln!("SKIPPED: there is no PostgreSQL in /usr/lib/postgresql; tests/run installs it");
            return None;
        };
        let postgres = Postgres { folder: tempfile::tempdir().unwrap(), programs };
        if is_root() {
            // It refuses to run as root; its package brings this user.
            assert!(
                Command::new("chown").arg("postgres").arg(postgres.folder.path()).status().unwrap().success()
            );
        }
        let data = postgres.data();
        let options = ["-U", "chuhe", "--auth", "trust", "--encoding", "UTF8", "--locale", "C"];
        postgres.run("initdb", &[&["-D", &data], &options[..]].concat());
        postgres.resume();
        postgres.run("createdb", &["-h", &postgres.socket(), "-U", "chuhe", "event"]);
        Some(postgres)
    }

    /// The address of its one database.
    pub fn url(&self) -> String {
        format!("postgres://chuhe@localhost/event?host={}", self.socket())
    }

    /// Ends at once, as in a power failure.
    pub fn crash(&self) {
        self.run("pg_ctl", &["-D", &self.data(), "-m", "immediate", "stop"]);
    }

    /// Starts again on the same data.
    pub fn resume(&self) {
        let options = format!("-c listen_addresses='' -c unix_socket_directories='{}'", self.socket());
        let log = format!("{}/log", self.data());
        self.run("pg_ctl", &["-D", &self.data(), "-w", "-l", &log, "-o", &options, "start"]);
    }

    fn socket(&self) -> String {
        self.folder.path().display().to_string()
    }

    fn data(&self) -> String {
        format!("{}/data", self.socket())
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        let done = self.command(program, arguments).status().unwrap();
        assert!(done.success(), "{program} {arguments:?}: {done}");
    }

    fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let program = self.programs.join(program);
        let mut command = if is_root() {
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        command.args(arguments).current_dir(self.folder.path()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // It may be down already.
        let _down = self.command("pg_ctl", &["-D", &self.data(), "-m", "immediate", "stop"]).status();
    }
}

fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    let folders = versions.flatten().map(|version| version.path().join("bin"));
    folders.filter(|folder| folder.join("initdb").exists()).max()
}

fn is_root() -> bool {
    std::os::unix::fs::MetadataExt::uid(&std::fs::metadata(Path::new("/proc/self")).unwrap()) == 0
}
