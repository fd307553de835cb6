//! How many requests an address may make: a bucket that fills as time passes.
//!
//! A venue's whole audience may come from one address, so the bucket is deep, and pages and their streams are not
//! counted: only programs are asked to go slower.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::ApiError;

/// Requests a second.
const RATE: f64 = 20.0;

/// Requests at once.
const DEPTH: f64 = 100.0;

/// Addresses that are remembered; past that the full buckets are forgotten.
const MOST: usize = 10_000;

/// The buckets.
#[derive(Debug, Default)]
pub struct Limiter {
    buckets: Mutex<BTreeMap<IpAddr, Bucket>>,
}

#[derive(Clone, Copy, Debug)]
struct Bucket {
    left: f64,
    at: Instant,
}

impl Bucket {
    fn filled(self, now: Instant) -> f64 {
        (self.left + now.duration_since(self.at).as_secs_f64() * RATE).min(DEPTH)
    }
}

impl Limiter {
    /// Takes a request of an address.
    ///
    /// # Errors
    /// Seconds to wait, if it made too many.
    fn take(&self, address: IpAddr, now: Instant) -> Result<(), u32> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MOST {
            buckets.retain(|_, bucket| bucket.filled(now) < DEPTH);
        }
        let bucket = buckets.entry(address).or_insert(Bucket { left: DEPTH, at: now });
        let left = bucket.filled(now);
        let taken = left >= 1.0;
        *bucket = Bucket { left: if taken { left - 1.0 } else { left }, at: now };
        if taken { Ok(()) } else { Err(((1.0 - left) / RATE).ceil().max(1.0) as u32) }
    }
}

/// Who asks: the peer, or who a proxy on this machine says it is. Nobody for a program on this machine itself.
fn asker(request: &Request) -> Option<IpAddr> {
    let ConnectInfo(peer) = request.extensions().get::<ConnectInfo<SocketAddr>>()?;
    let peer = peer.ip().to_canonical();
    if !peer.is_loopback() {
        return Some(peer);
    }
    let named = request.headers().get("x-forwarded-for")?.to_str().ok()?;
    named.rsplit(',').next()?.trim().parse().ok()
}

/// Answers "too many requests" for whoever made them.
pub async fn limit(State(limiter): State<Arc<Limiter>>, request: Request, next: Next) -> Response {
    let Some(Err(wait)) = asker(&request).map(|address| limiter.take(address, Instant::now())) else {
        return next.run(request).await;
    };
    let what = format!("too many requests: wait {wait} s; at most {RATE} a second, or follow a stream");
    let mut response = ApiError(StatusCode::TOO_MANY_REQUESTS, what).into_response();
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(wait));
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_bucket_runs_dry_and_fills_again() {
        let (limiter, address, now) = (Limiter::default(), IpAddr::from([192, 168, 1, 7]), Instant::now());
        for n in 0..100 {
            assert_eq!(limiter.take(address, now), Ok(()), "request {n}");
        }
        assert_eq!(limiter.take(address, now), Err(1));
        assert_eq!(limiter.take(IpAddr::from([192, 168, 1, 8]), now), Ok(()), "another address");
        let later = now + Duration::from_secs(1);
        assert_eq!((0..30).filter(|_| limiter.take(address, later).is_ok()).count(), 20);
    }
}
