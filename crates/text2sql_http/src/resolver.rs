//! Resolves names, and drops addresses to which connections are not permitted.
//!
//! Connections are made only to the addresses returned here. Therefore "DNS rebinding", where a name
//! resolves to a public address for the check and to a private one for the connection, has no effect.

use std::fmt;
use std::net::SocketAddr;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::address::is_public;

/// The name has no address.
#[derive(Debug)]
pub(crate) struct NotResolved;

/// The name has addresses, but connections to them are not permitted.
#[derive(Debug)]
pub(crate) struct OnlyPrivate;

impl fmt::Display for NotResolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name does not resolve")
    }
}

impl fmt::Display for OnlyPrivate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name has only non-public addresses")
    }
}

impl std::error::Error for NotResolved {}
impl std::error::Error for OnlyPrivate {}

/// The system's resolver, with or without the check.
pub(crate) struct CheckedResolver {
    pub(crate) allow_private: bool,
}

impl Resolve for CheckedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let allow_private = self.allow_private;
        Box::pin(async move {
            // Port 0 is replaced by the port of the URL.
            let found = tokio::net::lookup_host((name.as_str(), 0))
                .await
                .map_err(|_| NotResolved)?;
            let allowed = allowed(found, allow_private)?;
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}

fn allowed(
    found: impl Iterator<Item = SocketAddr>,
    allow_private: bool,
) -> Result<Vec<SocketAddr>, Box<dyn std::error::Error + Send + Sync>> {
    let mut found = found.peekable();
    if found.peek().is_none() {
        return Err(NotResolved.into());
    }
    let allowed: Vec<SocketAddr> = found
        .filter(|address| allow_private || is_public(address.ip()))
        .collect();
    match allowed.is_empty() {
        true => Err(OnlyPrivate.into()),
        false => Ok(allowed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(found: &[&str], allow_private: bool, expected: Result<&[&str], &str>) {
        let found = found.iter().map(|a| SocketAddr::new(a.parse().unwrap(), 0));
        let result = allowed(found, allow_private)
            .map(|left| left.iter().map(|a| a.ip().to_string()).collect::<Vec<_>>())
            .map_err(|error| error.to_string());
        let expected = expected
            .map(|left| left.iter().map(|a| (*a).to_owned()).collect())
            .map_err(str::to_owned);
        assert_eq!(result, expected);
    }

    #[test]
    fn keeps_only_public_addresses() {
        check(&["10.0.0.1", "1.1.1.1", "::1"], false, Ok(&["1.1.1.1"]));
        check(&["10.0.0.1", "1.1.1.1"], true, Ok(&["10.0.0.1", "1.1.1.1"]));
    }

    #[test]
    fn distinguishes_no_address_from_no_public_address() {
        check(&[], false, Err("the name does not resolve"));
        check(
            &["127.0.0.1"],
            false,
            Err("the name has only non-public addresses"),
        );
    }
}
