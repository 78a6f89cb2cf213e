//! At which names and addresses the server is reached, and whether that is safe.

use std::net::SocketAddr;

/// An address as browsers see it: scheme, host and port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl {
    /// Whether it is `https`.
    pub is_https: bool,
    /// Host and, where it is not that of the scheme, port: what a browser sends as `Host`.
    pub host: String,
}

impl PublicUrl {
    /// Reads `https://host` or `https://host:port`.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "public_url must be like https://ask.example.com, without a path, not \"{text}\""
            )
        };
        let (scheme, rest) = text.split_once("://").ok_or_else(wrong)?;
        let is_https = match scheme {
            "https" => true,
            "http" => false,
            _ => return Err(wrong()),
        };
        let authority: axum::http::uri::Authority =
            rest.trim_end_matches('/').parse().map_err(|_| wrong())?;
        if authority.as_str().contains('@') {
            return Err(wrong());
        }
        let usual = if is_https { 443 } else { 80 };
        let host = match authority.port_u16() {
            Some(port) if port != usual => format!("{}:{port}", authority.host()),
            _ => authority.host().to_owned(),
        };
        Ok(Self {
            is_https,
            host: host.to_ascii_lowercase(),
        })
    }

    /// What a browser sends as `Origin`.
    pub fn origin(&self) -> String {
        let scheme = if self.is_https { "https" } else { "http" };
        format!("{scheme}://{}", self.host)
    }
}

/// Refuses an address on which passwords could be read on the way, unless that is allowed by name.
pub(super) fn refuse_clear_text(
    listen: SocketAddr,
    public_url: Option<&PublicUrl>,
    is_allowed: bool,
) -> Result<(), String> {
    if listen.ip().is_loopback() || public_url.is_some_and(|url| url.is_https) || is_allowed {
        return Ok(());
    }
    Err(format!(
        "listen = \"{listen}\" is a public address, and passwords would be sent over it in clear text"
    ))
}

/// What to do about it.
pub(super) const CLEAR_TEXT_HINT: &str = "Listen on 127.0.0.1 behind a proxy that speaks https, and say its address \
with public_url = \"https://…\". In a network where everybody may read everything, passwords_in_clear_text = true \
allows it.";
