//! Identifies the sender of a request: by session cookie, HTTP Basic, or token. A route that takes an [`Identity`] is
//! only reached by those who have logged in.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::header::{AUTHORIZATION, COOKIE};
use axum::http::request::Parts;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use zeroize::Zeroizing;

use super::App;
use super::client_address::ClientAddress;
use crate::identity::{Credentials, Identity};
use crate::problem::Problem;

impl FromRequestParts<Arc<App>> for Identity {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Problem> {
        let identity = identify(parts, app).await?;
        // In the line of the log about this request.
        tracing::Span::current().record("role", identity.role());
        Ok(identity)
    }
}

async fn identify(parts: &mut Parts, app: &Arc<App>) -> Result<Identity, Problem> {
    let Some(header) = parts.headers.get(AUTHORIZATION) else {
        return session_id(parts, app)
            .and_then(|id| app.sessions.find(id))
            .ok_or_else(Problem::not_logged_in);
    };
    // The first line decides: with two of them, a proxy may have looked at the other.
    if parts.headers.get_all(AUTHORIZATION).iter().count() > 1 {
        return Err(Problem::bad_request(
            "the header Authorization is there twice",
        ));
    }
    let header = header.to_str().map_err(|_| Problem::not_logged_in())?;
    let (scheme, value) = header.split_once(' ').ok_or_else(Problem::not_logged_in)?;
    if scheme.eq_ignore_ascii_case("bearer") {
        return app.verify_token(value.trim());
    }
    if !scheme.eq_ignore_ascii_case("basic") {
        return Err(Problem::not_logged_in());
    }
    if !app.config.password_login {
        return Err(no_password_login());
    }
    let credentials = basic(value)?;
    let ClientAddress(address) = ClientAddress::of(parts, app);
    let credentials = app
        .login
        .verify_again(credentials, address)
        .await
        .map_err(not_logged_in_first)?;
    Ok(Identity::Own(credentials))
}

/// Whoever is not logged in reads that before anything about limits: 429 is for those who are, and for the login itself.
fn not_logged_in_first(problem: Problem) -> Problem {
    match StatusCode::from_u16(problem.status) {
        Ok(StatusCode::TOO_MANY_REQUESTS) if problem.sqlstate.is_none() => Problem {
            status: StatusCode::UNAUTHORIZED.as_u16(),
            ..problem
        },
        _ => problem,
    }
}

/// Name of the cookie of a session. Browsers take `__Host-` only over https, with `Secure` and for the whole site.
pub fn cookie_name(app: &App) -> String {
    let prefix = if is_https(app) { "__Host-" } else { "" };
    format!("{prefix}{}", short_cookie_name(app))
}

/// Each database has a cookie of its own.
fn short_cookie_name(app: &App) -> String {
    match &app.name {
        Some(name) => format!("text2sql-{name}"),
        None => "text2sql".to_owned(),
    }
}

/// Whether people reach the server over https.
pub fn is_https(app: &App) -> bool {
    app.config
        .public_url
        .as_ref()
        .is_some_and(|url| url.is_https)
}

/// The id of the session in the cookies of a request.
pub fn session_id<'p>(parts: &'p Parts, app: &App) -> Option<&'p str> {
    let wanted = short_cookie_name(app);
    parts
        .headers
        .get_all(COOKIE)
        .iter()
        .filter_map(|header| header.to_str().ok())
        .flat_map(|header| header.split(';'))
        .filter_map(|cookie| cookie.trim().split_once('='))
        .find(|(name, _)| name.strip_prefix("__Host-").unwrap_or(name) == wanted)
        .map(|(_, id)| id)
}

/// Names and passwords are not accepted here.
pub fn no_password_login() -> Problem {
    Problem::new(
        StatusCode::FORBIDDEN,
        "this server accepts tokens, no passwords",
    )
}

fn basic(value: &str) -> Result<Credentials, Problem> {
    let decoded = Zeroizing::new(
        STANDARD
            .decode(value.trim())
            .map_err(|_| Problem::not_logged_in())?,
    );
    let text = std::str::from_utf8(&decoded).map_err(|_| Problem::not_logged_in())?;
    let (user, password) = text.split_once(':').ok_or_else(Problem::not_logged_in)?;
    Ok(Credentials::new(user.to_owned(), password.to_owned()))
}
