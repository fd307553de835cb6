//! Who is let in: enrolment with a one-time token over TLS, a wrong certificate, revocation, and what guests of the
//! network may do at the broker. Real processes, real handshakes.

#![allow(clippy::unwrap_used)] // A test may fall over.

mod venue;

use std::net::{IpAddr, SocketAddr};
use std::process::{Command, Output};
use std::time::Duration;

use firmware_proto::envelope::Key;
use gateway::{Pin, Token, Trust, tls};
use rumqttc::{AsyncClient, Event, Incoming, MqttOptions, PublishOptions, QoS, SubscribeReasonCode};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio_rustls::TlsConnector;
use venue::{Broker, PATIENCE, Venue, free_address, output, program, wait_for};

const BOUND: Duration = Duration::from_secs(30);

/// A venue of one table whose gateway has to enrol.
struct Guarded {
    venue: Venue,
    pages: SocketAddr,
}

impl Guarded {
    fn new() -> Guarded {
        let venue = Venue::new(Broker::Embedded, 1, 40.0);
        let (pages, mqtt) = (free_address(), free_address());
        let config = std::fs::read_to_string(venue.path("chuhe.toml")).unwrap();
        let (before, after) = config.split_once("[gateways.table-1]").unwrap();
        let (_key, tables) = after.split_once("[[tables]]").unwrap();
        let tls = format!("[tls]\nlisten = \"{pages}\"\nmqtt = \"{mqtt}\"\n");
        venue.write("chuhe.toml", &format!("{before}{tls}[[tables]]{tables}"));
        Guarded { venue, pages }
    }

    /// `chuhe gateway …`.
    fn gateway(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(program("chuhe"));
        output(command.arg("gateway").args(arguments).arg("--config").arg(self.venue.path("chuhe.toml")))
    }

    /// Invites the table's gateway.
    fn invite(&self) -> Token {
        let invited = self.gateway(&["add", "table-1"]);
        assert!(invited.status.success(), "{}", String::from_utf8_lossy(&invited.stderr));
        let invited: serde_json::Value = serde_json::from_slice(&invited.stdout).unwrap();
        invited["token"].as_str().unwrap().parse().unwrap()
    }

    /// `chuhe-gateway enrol`, which writes this configuration.
    fn enrol(&self, token: &Token, config: &str) -> Output {
        let mut command = Command::new(program("chuhe-gateway"));
        command.args(["enrol", "--server", &self.pages.to_string(), "--token", &token.to_string()]);
        command.arg("--config").arg(self.venue.path(config)).arg("--store").arg(self.venue.path("gateway-1"));
        output(command.arg("--ports").arg(self.venue.path("ports/table-01-*")))
    }

    /// Venue time runs faster in tests; that is not a matter of enrolment.
    fn set_time(&self) {
        let config = std::fs::read_to_string(self.venue.path("gateway-1.toml")).unwrap();
        self.venue.write("gateway-1.toml", &format!("{config}{}", self.venue.gateway_time()));
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_gateway_enrols_once_is_sent_away_and_after_a_new_token_nothing_is_lost() {
    let guarded = Guarded::new();
    let venue = &guarded.venue;
    std::fs::remove_file(venue.path("gateway-1.toml")).unwrap();
    // The token can be made before the server's first start, too.
    let token = guarded.invite();
    let server = venue.start_server();

    // A token for another server's certificate goes nowhere.
    let astray = Token { pin: Pin::of(b"another server"), ..token.clone() };
    let refused = guarded.enrol(&astray, "gateway-1.toml");
    assert!(!refused.status.success() && said(&refused).contains("fingerprint"), "{}", said(&refused));
    assert!(!venue.path("gateway-1.toml").exists(), "nothing is left of it");

    let enrolled = guarded.enrol(&token, "gateway-1.toml");
    assert!(enrolled.status.success(), "{}", said(&enrolled));
    let again = guarded.enrol(&token, "other.toml");
    assert!(
        !again.status.success() && said(&again).contains("used"),
        "a token serves once: {}",
        said(&again)
    );
    guarded.set_time();

    let tables = venue.start_tables("N0");
    let gateway = venue.start_gateway(1);
    wait_for("plies over TLS", PATIENCE, || venue.plies().filter(|read| *read >= 10));

    // Sent away: the broker and the server refuse it from now on, and it keeps what it has.
    let revoked = guarded.gateway(&["revoke", "table-1"]);
    assert!(revoked.status.success(), "{}", said(&revoked));
    wait_for("the broker to refuse it", BOUND, || {
        server.logged().contains("the broker refuses a wrong name or password").then_some(())
    });
    let stored = venue.counter("chuhe_observations_total");
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(venue.counter("chuhe_observations_total"), stored, "nothing more comes in");
    assert!(guarded.enrol(&token, "other.toml").status.code() == Some(1), "the old token opens nothing");

    // A new token, a new key, the same store: what was kept comes in.
    gateway.end();
    std::fs::remove_file(venue.path("gateway-1.toml")).unwrap();
    let enrolled = guarded.enrol(&guarded.invite(), "gateway-1.toml");
    assert!(enrolled.status.success(), "{}", said(&enrolled));
    guarded.set_time();
    let gateway = venue.start_gateway(1);
    let made = venue.wait_for_truth(tables);
    let listed = String::from_utf8(guarded.gateway(&["list"]).stdout).unwrap();
    assert!(listed.contains("table-1") && listed.contains("enrolled since"), "{listed}");
    gateway.end();
    server.end();
    venue.check_records(made);
}

#[test]
fn pages_answer_encrypted_and_plain_and_another_certificate_is_refused() {
    let guarded = Guarded::new();
    let server = guarded.venue.start_server();
    assert!(guarded.venue.get("/healthz").is_some(), "plain HTTP stays");
    let pem = std::fs::read(guarded.venue.path("data/tls/server.pem")).unwrap();
    let pin = guarded.invite().pin;
    let ask = |trust: Trust, path: &str| block_on(ask(guarded.pages, trust, path));
    let page = ask(Trust::Pinned(pin), "/").unwrap();
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    let page = ask(Trust::Authority(pem), "/healthz").unwrap();
    assert!(page.starts_with("HTTP/1.1 200"), "by the certificate itself, in its own name: {page}");
    let error = ask(Trust::Pinned(Pin::of(b"another")), "/").unwrap_err();
    assert!(error.contains(&pin.to_string()) && error.contains("another server"), "{error}");

    // The same certificate given to another server, which shows it.
    let other = Guarded::new();
    for file in ["server.pem", "server.key"] {
        std::fs::copy(guarded.venue.path(&format!("data/tls/{file}")), other.venue.path(file)).unwrap();
    }
    let config = std::fs::read_to_string(other.venue.path("chuhe.toml")).unwrap();
    let given = "[tls]\ncertificate = \"server.pem\"\nkey = \"server.key\"\n";
    other.venue.write("chuhe.toml", &config.replace("[tls]\n", given));
    let second = other.venue.start_server();
    assert!(block_on(self::ask(other.pages, Trust::Pinned(pin), "/")).is_ok());
    second.end();
    server.end();
}

#[test]
fn a_node_answers_encrypted_and_leads_browsers_from_elsewhere_there() {
    let guarded = Guarded::new();
    let server = guarded.venue.start_server();
    let pin = guarded.invite().pin;
    for file in ["server.pem", "server.key"] {
        std::fs::copy(guarded.venue.path(&format!("data/tls/{file}")), guarded.venue.path(file)).unwrap();
    }
    // On all of this machine's addresses, of which one is not the loopback's.
    let (plain, encrypted) = (free_address().port(), free_address().port());
    let (broker, given) = (guarded.venue.mqtt, "certificate = \"server.pem\"\nkey = \"server.key\"\n");
    guarded.venue.write(
        "node.toml",
        &format!(
            "listen = \"0.0.0.0:{plain}\"\nvenue = \"test\"\ndata = \"no-data\"\n[broker]\nembedded = \"{broker}\"\n\
             [tls]\nlisten = \"0.0.0.0:{encrypted}\"\nredirect = true\n{given}"
        ),
    );
    let mut command = Command::new(program("chuhe"));
    let node = command.arg("node").arg("--config").arg(guarded.venue.path("node.toml"));
    let node = guarded.venue.start(node, "node.log");
    let here = |port| SocketAddr::from(([127, 0, 0, 1], port));
    wait_for("the event at the node", PATIENCE, || venue::get(here(plain), "/healthz"));

    let page = block_on(ask(here(encrypted), Trust::Pinned(pin), "/")).unwrap();
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    match outward() {
        Some(address) => {
            let led = block_on(ask_plainly(SocketAddr::new(address, plain), "/round/1"));
            assert!(led.starts_with("HTTP/1.1 303"), "{led}");
            assert!(led.contains(&format!("https://{address}:{encrypted}/round/1")), "{led}");
        }
        None => eprintln!("SKIPPED: led to HTTPS: this machine has no address but the loopback's"),
    }
    node.end();
    assert!(!guarded.venue.path("no-data").exists(), "a node keeps nothing");
    server.end();
}

/// The address by which others reach this machine. Nothing is sent.
fn outward() -> Option<IpAddr> {
    let socket = std::net::UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("192.0.2.1:9").ok()?;
    socket.local_addr().ok().map(|address| address.ip()).filter(|address| !address.is_loopback())
}

#[test]
fn guests_read_what_is_public_and_nothing_else() {
    let venue = Venue::new(Broker::Embedded, 1, 40.0);
    let server = venue.start_server();
    block_on(async {
        let mut guest = Visitor::connect(venue.mqtt, None).await.unwrap();
        for (filter, granted) in [
            ("chuhe/1/test/public/#", true),
            ("chuhe/1/test/+/up", false),
            ("chuhe/1/test/table-1/down", false),
            ("#", false),
        ] {
            assert_eq!(guest.subscribe(filter).await, granted, "{filter}");
        }
        assert!(!guest.publishes("chuhe/1/test/table-1/up").await, "a guest publishes nothing");
        let stranger = Visitor::connect(venue.mqtt, Some(("table-1", "guessed"))).await;
        assert!(stranger.is_none(), "a gateway's name needs its password");
    });
    server.end();
}

/// Everything that is logged when every part says all that it can, and nobody's secret in it.
#[test]
fn no_secret_is_in_a_log_at_its_most_talkative() {
    let guarded = Guarded::new();
    let venue = &guarded.venue;
    std::fs::remove_file(venue.path("gateway-1.toml")).unwrap();
    let account = "correct horse battery 9";
    venue.add_account("裁判长", account);
    let token = guarded.invite();
    let talkative = |name: &str| {
        let mut command = Command::new(program(name));
        command.env("RUST_LOG", "trace");
        command
    };
    let mut serve = talkative("chuhe");
    serve.arg("serve").arg("--config").arg(venue.path("chuhe.toml"));
    let server = venue.start(&mut serve, "server.log");
    wait_for("the server's pages", BOUND, || venue.get("/healthz"));
    assert!(guarded.enrol(&token, "gateway-1.toml").status.success());
    guarded.set_time();
    let cookie = venue.sign_in("%E8%A3%81%E5%88%A4%E9%95%BF", "correct+horse+battery+9");
    let tables = venue.start_tables("N0");
    let mut run = talkative("chuhe-gateway");
    let gateway = venue.start(run.arg("--config").arg(venue.path("gateway-1.toml")), "gateway-1.log");
    wait_for("plies", PATIENCE, || venue.plies().filter(|read| *read >= 2));
    let logged = server.logged() + &gateway.logged();
    assert!(logged.contains("TRACE"), "it is talkative");
    let config = std::fs::read_to_string(venue.path("gateway-1.toml")).unwrap();
    let key = config.split("key = \"").nth(1).unwrap().split('"').next().unwrap();
    let password = Key::from_hex(key).unwrap().broker_password();
    for (what, secret) in [
        ("the gateway's key", key),
        ("its password at the broker", &password),
        ("the token", &token.secret),
        ("the account's password", account),
        ("the same as a form sends it", "correct+horse+battery"),
        ("the session", &cookie),
    ] {
        assert!(!logged.contains(secret), "{what} is in a log");
        // Libraries print bytes in their own ways.
        let bytes: Vec<String> = secret.bytes().map(|byte| byte.to_string()).collect();
        assert!(!logged.contains(&bytes.join(", ")), "{what} is in a log, as numbers");
    }
    tables.kill();
    gateway.kill();
    server.end();
}

fn block_on<T>(task: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(task)
}

/// GET in the clear, whatever the answer.
async fn ask_plainly(pages: SocketAddr, path: &str) -> String {
    let mut stream = tokio::net::TcpStream::connect(pages).await.unwrap();
    asked(&mut stream, &pages.to_string(), path).await
}

/// GET over TLS; `Err`: why there is no connection.
async fn ask(pages: SocketAddr, trust: Trust, path: &str) -> Result<String, String> {
    let stream = tokio::net::TcpStream::connect(pages).await.unwrap();
    let connector = TlsConnector::from(trust.client_config().unwrap());
    let name = tls::server_name("localhost").unwrap();
    let mut stream = connector.connect(name, stream).await.map_err(|why| why.to_string())?;
    Ok(asked(&mut stream, "localhost", path).await)
}

async fn asked(stream: &mut (impl AsyncRead + AsyncWrite + Unpin), host: &str, path: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    // A server that ends without a word of farewell has said everything all the same.
    let _ended = stream.read_to_string(&mut answer).await;
    answer
}

/// Somebody at the broker.
struct Visitor {
    client: AsyncClient,
    events: rumqttc::EventLoop,
}

impl Visitor {
    /// `None`: he is not let in.
    async fn connect(broker: SocketAddr, login: Option<(&str, &str)>) -> Option<Visitor> {
        let mut options = MqttOptions::new("visitor", (broker.ip().to_string(), broker.port()));
        options.set_clean_session(true);
        if let Some((user, password)) = login {
            options.set_credentials(user, password.as_bytes().to_vec());
        }
        let (client, events) = AsyncClient::builder(options).capacity(16).build();
        let mut visitor = Visitor { client, events };
        match visitor.events.poll().await {
            Ok(Event::Incoming(Incoming::ConnAck(_))) => Some(visitor),
            Ok(other) => panic!("{other:?}"),
            Err(_) => None,
        }
    }

    async fn subscribe(&mut self, filter: &str) -> bool {
        self.client.try_subscribe(filter, QoS::AtLeastOnce).unwrap();
        loop {
            if let Event::Incoming(Incoming::SubAck(answer)) = self.events.poll().await.unwrap() {
                return !answer.return_codes.contains(&SubscribeReasonCode::Failure);
            }
        }
    }

    /// `false`: the broker breaks the connection off.
    async fn publishes(&mut self, topic: &str) -> bool {
        self.client.try_publish(topic, b"x".to_vec(), PublishOptions::at_least_once()).unwrap();
        loop {
            match self.events.poll().await {
                Ok(Event::Incoming(Incoming::PubAck(_))) => return true,
                Ok(_) => {}
                Err(_) => return false,
            }
        }
    }
}
