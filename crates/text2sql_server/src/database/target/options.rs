//! The parameters that are the same for all hosts.

use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{ChannelBinding, SslNegotiation, TargetSessionAttrs};

use crate::database::libpq::Parameters;

/// After how long without traffic a connection is probed, how often and how many times. A server that vanished
/// without a word is noticed after a minute, in place of the two hours of most systems.
const KEEPALIVE: (Duration, Duration, u32) = (Duration::from_secs(30), Duration::from_secs(10), 3);

/// The driver's configuration, without hosts.
pub(super) fn base(parameters: &Parameters) -> Result<Config, String> {
    let mut config = Config::new();
    let get = |name: &str| parameters.get(name).map(String::as_str);
    if let Some(name) = get("dbname") {
        config.dbname(name);
    }
    if let Some(options) = get("options") {
        config.options(options);
    }
    config.ssl_negotiation(match get("sslnegotiation") {
        None | Some("postgres") => SslNegotiation::Postgres,
        Some("direct") => SslNegotiation::Direct,
        Some(other) => return Err(format!("invalid sslnegotiation value: \"{other}\"")),
    });
    config.channel_binding(match get("channel_binding") {
        None | Some("prefer") => ChannelBinding::Prefer,
        Some("disable") => ChannelBinding::Disable,
        Some("require") => ChannelBinding::Require,
        Some(other) => return Err(format!("invalid channel_binding value: \"{other}\"")),
    });
    config.target_session_attrs(match get("target_session_attrs") {
        None | Some("any" | "prefer-standby") => TargetSessionAttrs::Any,
        Some("read-write" | "primary") => TargetSessionAttrs::ReadWrite,
        Some("read-only" | "standby") => TargetSessionAttrs::ReadOnly,
        Some(other) => return Err(format!("invalid target_session_attrs value: \"{other}\"")),
    });
    config.keepalives(get("keepalives") != Some("0"));
    let (idle, interval, retries) = KEEPALIVE;
    config.keepalives_idle(seconds(parameters, "keepalives_idle")?.unwrap_or(idle));
    config.keepalives_interval(seconds(parameters, "keepalives_interval")?.unwrap_or(interval));
    config.keepalives_retries(number(parameters, "keepalives_count")?.unwrap_or(retries));
    if let Some(timeout) = number(parameters, "tcp_user_timeout")? {
        config.tcp_user_timeout(Duration::from_millis(timeout.into()));
    }
    Ok(config)
}

fn number(parameters: &Parameters, name: &str) -> Result<Option<u32>, String> {
    match parameters.get(name) {
        None => Ok(None),
        Some(value) => value.parse().map(Some).map_err(|_| {
            format!("invalid integer value \"{value}\" for connection option \"{name}\"")
        }),
    }
}

/// A number of seconds; 0 is as if it were not there.
pub(super) fn seconds(parameters: &Parameters, name: &str) -> Result<Option<Duration>, String> {
    let value = number(parameters, name)?.filter(|value| *value > 0);
    Ok(value.map(|value| Duration::from_secs(value.into())))
}
