//! A box at the other end of a cable that a test may pull: a network namespace. Needs the right to make one.

use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::process::Command;

/// A network of this machine and one box; it goes with the test.
pub struct Network {
    name: String,
}

impl Network {
    /// This machine's address in it.
    pub const HERE: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 213, 77, 1));

    /// `None`, said loudly: that is not allowed here.
    pub fn lay() -> Option<Network> {
        let name = format!("chuhe{}", std::process::id());
        let network = Network { name: name.clone() };
        let (here, there) = (network.here(), format!("{name}b"));
        let laid = ip(&["netns", "add", &name])
            && ip(&["link", "add", &here, "type", "veth", "peer", "name", &there])
            && ip(&["link", "set", &there, "netns", &name])
            && ip(&["addr", "add", "10.213.77.1/30", "dev", &here])
            && ip(&["link", "set", &here, "up"])
            && ip(&["-n", &name, "addr", "add", "10.213.77.2/30", "dev", &there])
            && ip(&["-n", &name, "link", "set", &there, "up"]);
        if !laid {
            eprintln!("SKIPPED: a network namespace cannot be made here");
            return None;
        }
        Some(network)
    }

    fn here(&self) -> String {
        format!("{}a", self.name)
    }

    /// A program on the box.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.name]).arg(program);
        command
    }

    /// Pulls the cable: packets vanish, and nobody is told.
    pub fn cut(&self) {
        assert!(ip(&["link", "set", &self.here(), "down"]));
    }

    /// Plugs it in again.
    pub fn mend(&self) {
        assert!(ip(&["link", "set", &self.here(), "up"]));
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        ip(&["link", "del", &self.here()]);
        ip(&["netns", "del", &self.name]);
    }
}

fn ip(arguments: &[&str]) -> bool {
    Command::new("ip").args(arguments).output().is_ok_and(|done| done.status.success())
}
