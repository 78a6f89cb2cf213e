//! From where a request comes.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::HeaderMap;
use axum::http::request::Parts;

use super::App;

/// The origin of a request: the peer, or the address that a trusted proxy names.
pub struct ClientAddress(pub IpAddr);

impl FromRequestParts<Arc<App>> for ClientAddress {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Infallible> {
        Ok(Self::of(parts, app))
    }
}

impl ClientAddress {
    /// From where the request of these parts comes.
    pub fn of(parts: &Parts, app: &App) -> Self {
        let peer = parts
            .extensions
            .get::<ConnectInfo<SocketAddr>>()
            .map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0.ip());
        Self(client(peer, &parts.headers, &app.config.trusted_proxies))
    }
}

/// Each proxy appends from whom it got the request. So the list is read from its end, as far as trusted proxies wrote
/// it: what stands before was sent by the client, who may write what it likes.
fn client(peer: IpAddr, headers: &HeaderMap, trusted: &[IpAddr]) -> IpAddr {
    let mut client = peer.to_canonical();
    let named: Vec<&str> = headers
        .get_all("x-forwarded-for")
        .iter()
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .map(str::trim)
        .collect();
    for name in named.iter().rev() {
        if !trusted.contains(&client) {
            break;
        }
        match name.parse::<IpAddr>() {
            Ok(address) => client = address.to_canonical(),
            Err(_) => break,
        }
    }
    client
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_trusted_proxies_wrote_is_believed() {
        let address = |text: &str| text.parse::<IpAddr>().unwrap();
        let trusted = [address("10.0.0.1"), address("10.0.0.2")];
        for (peer, forwarded, expected) in [
            ("192.0.2.1", "198.51.100.1", "192.0.2.1"),
            ("10.0.0.1", "198.51.100.1", "198.51.100.1"),
            ("10.0.0.1", "203.0.113.9, 198.51.100.1", "198.51.100.1"),
            ("10.0.0.1", "198.51.100.1, 10.0.0.2", "198.51.100.1"),
            ("10.0.0.1", "not an address", "10.0.0.1"),
            ("10.0.0.1", "", "10.0.0.1"),
            ("::ffff:10.0.0.1", "198.51.100.1", "198.51.100.1"),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert("x-forwarded-for", forwarded.parse().unwrap());
            assert_eq!(
                client(address(peer), &headers, &trusted),
                address(expected),
                "{peer} {forwarded}"
            );
        }
    }
}
