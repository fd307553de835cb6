//! `chuhe gateway`: who may bring observations. It may be used while the server runs; the server follows within a second.

use anyhow::Context;
use clap::{Args, Subcommand};
use firmware_proto::{Epoch, GatewayId};
use gateway::Token;
use serde_json::json;
use store::Roll;

use super::place::Place;
use super::{Ended, Failure, print, runtime};
use crate::config::Config;
use crate::gateways::{admitted, digest, random, standing};
use crate::seal::hex;
use crate::time;
use crate::tls::Identity;
use crate::vault::Vault;

/// Who may bring observations.
#[derive(Debug, Args)]
pub(super) struct Options {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Invites a gateway: prints a token with which it enrols, once.
    Add {
        /// Its name: a-z, 0-9, -.
        name: GatewayId,
        /// For how many minutes the token is good.
        #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u16).range(1..))]
        minutes: u16,
        #[command(flatten)]
        place: Place,
    },
    /// Lists the gateways.
    List {
        #[command(flatten)]
        place: Place,
    },
    /// Sends a gateway away: what it brings is refused from now on, also if the configuration has it.
    Revoke {
        /// Its name.
        name: GatewayId,
        #[command(flatten)]
        place: Place,
    },
    /// Prints each gateway's password at the broker, `NAME:PASSWORD` a line, for `mosquitto_passwd -U`.
    Passwords {
        #[command(flatten)]
        place: Place,
    },
}

pub(super) fn gateway(options: Options) -> Ended {
    runtime()?.block_on(async {
        match options.what {
            What::Add { name, minutes, place } => add(name, minutes, &place).await,
            What::List { place } => list(&place).await,
            What::Revoke { name, place } => revoke(&name, &place).await,
            What::Passwords { place } => passwords(&place).await,
        }
    })
}

async fn roll(place: &Place) -> Result<(Config, Roll), Failure> {
    let config = place.config()?;
    std::fs::create_dir_all(&config.data)
        .with_context(|| format!("cannot make the data folder {}", config.data.display()))?;
    let roll = place.database()?.roll().await.map_err(|error| Failure::BadInput(error.into()))?;
    Ok((config, roll))
}

async fn add(gateway: GatewayId, minutes: u16, place: &Place) -> Ended {
    let (config, roll) = roll(place).await?;
    let Some(tls) = &config.tls else {
        return Err(Failure::input(
            "a key must not cross the network in the clear: add a section [tls] to the configuration, start the \
             server again, then invite",
        ));
    };
    if config.gateways.contains_key(&gateway) {
        return Err(Failure::input(format!("gateway {gateway} has its key in the configuration already")));
    }
    let identity = Identity::of(tls, &config.data).map_err(|error| Failure::BadInput(error.into()))?;
    let secret = hex(&random::<16>()?);
    let until = Epoch(time::wall().0 + i64::from(minutes) * 60_000);
    let invited = roll.invite(&gateway, &digest(&secret), until).await;
    roll.close().await;
    invited.map_err(|error| Failure::BadInput(error.into()))?;
    let token = Token { gateway, secret, pin: identity.pin };
    let address = match tls.listen.ip() {
        ip if ip.is_unspecified() => format!("<this machine's address>:{}", tls.listen.port()),
        _ => tls.listen.to_string(),
    };
    print(&json!({
        "gateway": token.gateway.as_str(),
        "token": token.to_string(),
        "minutes": minutes,
        "on_the_box": format!("chuhe-gateway enrol --server {address} --token {token}"),
    }));
    Ok(())
}

async fn list(place: &Place) -> Ended {
    let (config, roll) = roll(place).await?;
    let all = roll.all().await.map_err(anyhow::Error::from)?;
    roll.close().await;
    for gateway in config.gateways.keys().filter(|gateway| all.iter().all(|it| it.gateway != **gateway)) {
        print(&json!({ "gateway": gateway.as_str(), "standing": "in the configuration" }));
    }
    for enrolled in all {
        let (how, at) = standing(&enrolled.standing, time::wall());
        print(&json!({ "gateway": enrolled.gateway.as_str(), "standing": how, "at": at.0 }));
    }
    Ok(())
}

async fn revoke(gateway: &GatewayId, place: &Place) -> Ended {
    let (config, roll) = roll(place).await?;
    let all = roll.all().await.map_err(anyhow::Error::from)?;
    if !config.gateways.contains_key(gateway) && all.iter().all(|it| it.gateway != *gateway) {
        return Err(Failure::input(format!("there is no gateway {gateway}; `chuhe gateway list` has them")));
    }
    roll.revoke(gateway, time::wall()).await.map_err(anyhow::Error::from)?;
    roll.close().await;
    print(&json!({ "gateway": gateway.as_str(), "standing": "revoked" }));
    Ok(())
}

async fn passwords(place: &Place) -> Ended {
    let (config, roll) = roll(place).await?;
    let all = roll.all().await.map_err(anyhow::Error::from)?;
    roll.close().await;
    let (keys, shut) = admitted(&config.keys(), &all, &Vault::of(&config.data)?);
    if let Some(why) = shut.into_iter().next() {
        return Err(Failure::input(why));
    }
    for (gateway, key) in keys {
        super::say(&format!("{gateway}:{}", key.broker_password()));
    }
    Ok(())
}
