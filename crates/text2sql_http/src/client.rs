//! One `reqwest` client for each connection policy. A client keeps connections open for
//! later requests; keys and other headers belong to the request, so roles may share a client.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::{Certificate, Client, Proxy, Url, redirect};
use text2sql_domain::config::ConnectionPolicy;
use text2sql_domain::ports::TransportError;

use crate::request::check_host;
use crate::resolver::CheckedResolver;
use crate::retry::Timing;

/// Maximum number of cached clients. Endpoints with equal policies share one; creating one with the system's
/// certificates takes about 10 ms and at most 4 MB (`tests/overhead.rs`, including the mock server).
const KEPT: usize = 8;

/// Idle connections kept per host, and their lifetime. Two: a question and a concurrent candidate.
const IDLE_CONNECTIONS: usize = 2;
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);

/// Keepalive interval, to detect a vanished peer while waiting for a reply: models take
/// up to a minute, and routers may drop idle connections sooner.
const KEEPALIVE: Duration = Duration::from_secs(20);

#[derive(Debug, Clone, PartialEq)]
struct Key {
    policy: ConnectionPolicy,
    /// Whether TLS is needed. Reading the system's certificates takes time and memory; plain http needs none.
    tls: bool,
}

/// The clients of this process, the most recently used last.
#[derive(Debug)]
pub(crate) struct Clients {
    pub(crate) timing: Timing,
    kept: Mutex<Vec<(Key, Client)>>,
}

impl Clients {
    pub(crate) fn new(timing: Timing) -> Self {
        Self {
            timing,
            kept: Mutex::new(Vec::new()),
        }
    }

    /// Finds or creates the client for a policy.
    pub(crate) fn client(
        &self,
        policy: &ConnectionPolicy,
        url: &Url,
    ) -> Result<Client, TransportError> {
        let proxy = policy.proxy.as_deref().map(read_proxy).transpose()?;
        if let Some(proxy) = &proxy {
            // Otherwise the owner of an endpoint could use any local service as its proxy.
            check_host(proxy, policy)?;
        }
        let key = Key {
            policy: policy.clone(),
            tls: [Some(url), proxy.as_ref()]
                .iter()
                .flatten()
                .any(|u| u.scheme() == "https"),
        };
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = match kept.iter().position(|(known, _)| *known == key) {
            Some(index) => kept.remove(index),
            None => {
                let client = build(&key, proxy, self.timing.connect)?;
                if kept.len() == KEPT {
                    kept.remove(0);
                }
                (key, client)
            }
        };
        let client = entry.1.clone();
        kept.push(entry);
        Ok(client)
    }
}

fn build(key: &Key, proxy: Option<Url>, connect: Duration) -> Result<Client, TransportError> {
    let mut builder = Client::builder()
        .user_agent(concat!("pg_text2sql/", env!("CARGO_PKG_VERSION")))
        .redirect(redirect::Policy::none())
        .referer(false)
        // The proxies in the environment depend on how the postmaster was started.
        .no_proxy()
        .https_only(!key.policy.allow_http)
        .tls_built_in_root_certs(key.tls)
        .connect_timeout(connect)
        .pool_idle_timeout(IDLE_TIMEOUT)
        .pool_max_idle_per_host(IDLE_CONNECTIONS)
        .tcp_keepalive(KEEPALIVE)
        .http2_keep_alive_interval(KEEPALIVE)
        .http2_keep_alive_timeout(KEEPALIVE)
        .dns_resolver(Arc::new(CheckedResolver {
            allow_private: key.policy.allow_private,
        }));
    if let Some(program) = &key.policy.program {
        builder = builder.unix_socket(program.socket());
    }
    if let Some(proxy) = proxy {
        builder = builder.proxy(Proxy::all(proxy).map_err(|_| unusable("the proxy"))?);
    }
    if let Some(pem) = &key.policy.ca_pem {
        let certificates = Certificate::from_pem_bundle(pem.as_bytes())
            .ok()
            .filter(|found| !found.is_empty())
            .ok_or_else(|| unusable("the CA file holds no certificate in PEM form"))?;
        for certificate in certificates {
            builder = builder.add_root_certificate(certificate);
        }
    }
    builder.build().map_err(|_| match key.policy.ca_pem {
        Some(_) => unusable("the CA file holds a certificate that cannot be used"),
        None => unusable("TLS cannot be set up with the system's certificates"),
    })
}

/// Parses a proxy URL. It may contain a password, so no error shows it.
fn read_proxy(proxy: &str) -> Result<Url, TransportError> {
    let url = Url::parse(proxy).map_err(|error| unusable(&format!("the proxy's URL: {error}")))?;
    match url.scheme() {
        "http" | "https" => Ok(url),
        scheme => Err(unusable(&format!(
            "the proxy's scheme {scheme:?} is neither http nor https"
        ))),
    }
}

fn unusable(what: &str) -> TransportError {
    TransportError::BadSettings(what.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(number: usize) -> ConnectionPolicy {
        ConnectionPolicy {
            allow_private: true,
            allow_http: true,
            proxy: Some(format!("http://127.0.0.1:{}", number + 1)),
            ca_pem: None,
            program: None,
        }
    }

    #[test]
    fn keeps_a_bounded_number_and_forgets_the_least_recently_used() {
        let clients = Clients::new(Timing::default());
        let url = Url::parse("http://model.example/v1").unwrap();
        for number in 0..KEPT {
            clients.client(&policy(number), &url).unwrap();
        }
        clients.client(&policy(0), &url).unwrap();
        clients.client(&policy(KEPT), &url).unwrap();
        let kept = clients.kept.lock().unwrap();
        assert_eq!(kept.len(), KEPT);
        let knows = |number| kept.iter().any(|(key, _)| key.policy == policy(number));
        assert!(knows(0) && knows(KEPT) && !knows(1));
    }
}
