//! The hosts of a connection string, and what TLS to each of them means.

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use tokio_postgres::config::SslMode;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::database::libpq::{self, Parameters, Surroundings};
use crate::database::tls::{self, Certificates, Demand};

/// One host of the list, with what TLS to it means.
pub(super) struct Host {
    pub place: Place,
    pub port: u16,
    pub ssl_mode: SslMode,
    pub connector: MakeRustlsConnect,
}

/// A directory of a Unix socket, or a name or address.
pub(super) enum Place {
    Socket(PathBuf),
    Named {
        name: String,
        address: Option<IpAddr>,
    },
}

/// The hosts in the order in which they are tried.
pub(super) fn hosts(
    parameters: &Parameters,
    surroundings: Surroundings<'_>,
) -> Result<Vec<Host>, String> {
    let list = |name: &str| -> Vec<&str> {
        parameters
            .get(name)
            .map(|value| value.split(',').map(str::trim).collect())
            .unwrap_or_default()
    };
    let (names, addresses, ports) = (list("host"), list("hostaddr"), list("port"));
    let count = names.len().max(addresses.len()).max(1);
    if ports.len() > 1 && ports.len() != count {
        return Err(format!(
            "could not match {} port numbers to {count} hosts",
            ports.len()
        ));
    }
    if !names.is_empty() && !addresses.is_empty() && names.len() != addresses.len() {
        return Err(format!(
            "could not match {} host names to {} hostaddr values",
            names.len(),
            addresses.len()
        ));
    }
    let mut hosts = Vec::with_capacity(count);
    for index in 0..count {
        let port = match ports.get(index).or(ports.first()) {
            None | Some(&"") => 5432,
            Some(port) => port
                .parse()
                .map_err(|_| format!("invalid port number: \"{port}\""))?,
        };
        let address = match addresses.get(index) {
            None | Some(&"") => None,
            Some(address) => Some(
                address
                    .parse::<IpAddr>()
                    .map_err(|_| format!("invalid hostaddr: \"{address}\""))?,
            ),
        };
        let place = place(names.get(index).copied().unwrap_or(""), address);
        let (ssl_mode, connector) = encryption(parameters, &place, surroundings)?;
        hosts.push(Host {
            place,
            port,
            ssl_mode,
            connector,
        });
    }
    Ok(hosts)
}

fn place(name: &str, address: Option<IpAddr>) -> Place {
    match (name, address) {
        ("", Some(address)) => Place::Named {
            name: address.to_string(),
            address: Some(address),
        },
        ("", None) => Place::Socket(PathBuf::from("/var/run/postgresql")),
        (path, None) if path.starts_with('/') => Place::Socket(PathBuf::from(path)),
        (name, address) => Place::Named {
            name: name.to_owned(),
            address: address.or_else(|| name.parse().ok()),
        },
    }
}

fn encryption(
    parameters: &Parameters,
    place: &Place,
    surroundings: Surroundings<'_>,
) -> Result<(SslMode, MakeRustlsConnect), String> {
    let read = |name: &str, path: &Path| {
        (surroundings.read)(path).ok_or_else(|| format!("{name}: cannot read {}", path.display()))
    };
    let is_local = match place {
        Place::Socket(_) => true,
        Place::Named { name, address } => {
            name == "localhost" || address.is_some_and(|address| address.is_loopback())
        }
    };
    let wanted = parameters.get("sslmode").map(String::as_str);
    let usual = libpq::usual_root_certificates(surroundings);
    let roots = match parameters.get("sslrootcert").map(String::as_str) {
        Some("system") => None,
        Some(path) => Some(read("sslrootcert", Path::new(path))?),
        None => usual.and_then(|path| (surroundings.read)(&path)),
    };
    let (mode, demand) = match wanted {
        // What travels over a network is verified unless somebody says otherwise.
        None if is_local => (SslMode::Prefer, Demand::Nothing),
        None | Some("verify-full") => (SslMode::Require, Demand::Host),
        Some("disable") => (SslMode::Disable, Demand::Nothing),
        // "allow" would try without encryption first; with it first is never worse.
        Some("allow" | "prefer") => (SslMode::Prefer, Demand::Nothing),
        // As in libpq: where authorities are named, the certificate must come from one of them.
        Some("require") if roots.is_some() => (SslMode::Require, Demand::Authority),
        Some("require") => (SslMode::Require, Demand::Nothing),
        Some("verify-ca") => (SslMode::Require, Demand::Authority),
        Some(other) => return Err(format!("invalid sslmode value: \"{other}\"")),
    };
    let client = match (parameters.get("sslcert"), parameters.get("sslkey")) {
        (Some(chain), Some(key)) => Some((
            read("sslcert", Path::new(chain))?,
            read("sslkey", Path::new(key))?,
        )),
        (None, None) => None,
        _ => return Err("sslcert and sslkey go together".to_owned()),
    };
    let mode = match place {
        Place::Socket(_) => SslMode::Disable,
        Place::Named { .. } => mode,
    };
    let demand = if mode == SslMode::Disable {
        Demand::Nothing
    } else {
        demand
    };
    Ok((
        mode,
        tls::connector(demand, &Certificates { roots, client })?,
    ))
}
