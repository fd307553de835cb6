//! How a broker is dialled, so that a dead connection is noticed.
//!
//! The MQTT library asks the broker for a sign of life only when nothing was sent for a while. Whoever has something to
//! send all the time (a gateway its beats, the server its views) would wait for as long as the system sends the same bytes
//! again: a quarter of an hour. So the system is told how long the other end may leave them unacknowledged.

use std::io;
use std::time::Duration;

use rumqttc::{MqttOptions, NetworkOptions, default_socket_connect};
use rustix::net::sockopt::set_tcp_user_timeout;
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;

/// A name may have several addresses; one that does not answer for so long must not keep the others from being tried
/// within the library's own patience of 5 s.
const EACH: Duration = Duration::from_secs(2);

/// Has connections broken off whose other end acknowledges nothing for so long.
pub fn give_up_after(options: &mut MqttOptions, silence: Duration) {
    options.set_socket_connector(move |host, network| async move {
        let stream = dial(host, network).await?;
        set_tcp_user_timeout(&stream, u32::try_from(silence.as_millis()).unwrap_or(u32::MAX))?;
        Ok(stream)
    });
}

async fn dial(host: String, network: NetworkOptions) -> io::Result<TcpStream> {
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    for address in lookup_host(host).await? {
        match timeout(EACH, default_socket_connect(address.to_string(), network.clone())).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(why)) => last = why,
            Err(_) => last = io::ErrorKind::TimedOut.into(),
        }
    }
    Err(last)
}
