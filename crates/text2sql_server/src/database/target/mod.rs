//! Where the database is: hosts, TLS and what else a connection string says.

mod hosts;
mod options;
#[cfg(test)]
mod tests;

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use tokio::net::lookup_host;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Client, Config, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

use self::hosts::{Host, Place};
use self::options::seconds;
use super::cancel::{Address, Peer};
use super::libpq::{self, Parameters, Surroundings};
use crate::identity::Credentials;

/// How long connecting may take where `connect_timeout` does not say.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Where the database is.
pub struct Target {
    parameters: Parameters,
    hosts: Vec<Host>,
    base: Config,
    connect_timeout: Duration,
}

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum ConnectFailure {
    /// What the driver or the server said.
    #[error("{}", causes(.0))]
    Driver(#[from] tokio_postgres::Error),
    /// The server took the connection and did not answer in time.
    #[error("the server did not answer within {} s", .0.as_secs())]
    Silent(Duration),
    /// No address belongs to the name.
    #[error("no address is known for host \"{0}\"")]
    NoAddress(String),
}

/// An error with everything that caused it.
pub fn causes(error: &tokio_postgres::Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(next) = cause {
        text.push_str(": ");
        text.push_str(&next.to_string());
        cause = next.source();
    }
    text
}

/// A connection just opened: the driver's two halves, and where it goes.
pub type Opened = (
    Client,
    tokio_postgres::Connection<Socket, <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream>,
    Peer,
);

impl Target {
    /// Reads a connection string, with the environment and the files of this process.
    pub fn of_process(text: &str) -> Result<Self, String> {
        let variable = |name: &str| std::env::var(name).ok();
        let read = |path: &Path| std::fs::read_to_string(path).ok();
        Self::new(
            text,
            Surroundings {
                variable: &variable,
                read: &read,
            },
        )
    }

    /// Reads a connection string.
    pub fn new(text: &str, surroundings: Surroundings<'_>) -> Result<Self, String> {
        let parameters = libpq::resolve(text, surroundings)?;
        let hosts = hosts::hosts(&parameters, surroundings)?;
        Ok(Self {
            hosts,
            base: options::base(&parameters)?,
            connect_timeout: seconds(&parameters, "connect_timeout")?.unwrap_or(CONNECT_TIMEOUT),
            parameters,
        })
    }

    /// The name and the password that libpq would log in with: those of this process, or the password of `user`.
    pub fn own_credentials(&self, user: Option<&str>) -> Result<Credentials, String> {
        let variable = |name: &str| std::env::var(name).ok();
        let read = |path: &Path| std::fs::read_to_string(path).ok();
        let surroundings = Surroundings {
            variable: &variable,
            read: &read,
        };
        let user = match user {
            Some(user) => user.to_owned(),
            None => libpq::user(&self.parameters, surroundings)
                .ok_or("no user is named, and the environment has none")?,
        };
        let (host, port) = self.hosts.first().map_or(("", 5432), |host| {
            let name = match &host.place {
                Place::Socket(path) => path.to_str().unwrap_or(""),
                Place::Named { name, .. } => name,
            };
            (name, host.port)
        });
        let password = libpq::password(&self.parameters, host, port, &user, surroundings);
        Ok(Credentials::new(user, password.unwrap_or_default()))
    }

    /// Connects to the first host that takes the connection. Without a password the server must not ask for one.
    pub async fn connect(
        &self,
        user: &str,
        password: Option<&[u8]>,
        application_name: &str,
    ) -> Result<Opened, ConnectFailure> {
        let mut config = self.base.clone();
        config.user(user).application_name(application_name);
        config.connect_timeout(self.connect_timeout);
        if let Some(password) = password {
            config.password(password);
        }
        let mut failure = None;
        for host in &self.hosts {
            match host.connect(&config).await {
                // As in libpq, a login that one server refuses is not tried on the next.
                Err(ConnectFailure::Driver(error))
                    if error
                        .code()
                        .is_some_and(|code| !code.code().starts_with("57P")) =>
                {
                    return Err(error.into());
                }
                Err(error) => failure = Some(error),
                Ok(opened) => return Ok(opened),
            }
        }
        Err(failure.unwrap_or(ConnectFailure::NoAddress(String::new())))
    }
}

impl Host {
    async fn connect(&self, config: &Config) -> Result<Opened, ConnectFailure> {
        let mut config = config.clone();
        config.port(self.port).ssl_mode(self.ssl_mode);
        match &self.place {
            Place::Socket(path) => {
                config.host_path(path);
                let address = Address::Socket(path.join(format!(".s.PGSQL.{}", self.port)));
                self.open(&config, address, "").await
            }
            Place::Named { name, address } => {
                config.host(name);
                let addresses = match address {
                    Some(address) => vec![SocketAddr::new(*address, self.port)],
                    None => lookup_host((name.as_str(), self.port))
                        .await
                        .map(Iterator::collect)
                        .unwrap_or_default(),
                };
                let mut failure = ConnectFailure::NoAddress(name.clone());
                for address in addresses {
                    let mut config = config.clone();
                    config.hostaddr(address.ip());
                    match self.open(&config, Address::Tcp(address), name).await {
                        Err(ConnectFailure::Driver(error)) if error.code().is_some() => {
                            return Err(error.into());
                        }
                        Err(error) => failure = error,
                        Ok(opened) => return Ok(opened),
                    }
                }
                Err(failure)
            }
        }
    }

    async fn open(
        &self,
        config: &Config,
        address: Address,
        name: &str,
    ) -> Result<Opened, ConnectFailure> {
        // The driver's own limit ends with the TCP connection; libpq's is for all of it.
        let time = config.get_connect_timeout().copied();
        let time = time.unwrap_or(CONNECT_TIMEOUT);
        let connecting = config.connect(self.connector.clone());
        let (client, connection) = tokio::time::timeout(time, connecting)
            .await
            .map_err(|_| ConnectFailure::Silent(time))??;
        let peer = Peer {
            address,
            connector: self.connector.clone(),
            name: name.to_owned(),
        };
        Ok((client, connection, peer))
    }
}
