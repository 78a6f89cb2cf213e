//! `/session`: log in, who am I, log out.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header::SET_COOKIE;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use zeroize::Zeroizing;

use super::App;
use super::body::Body;
use super::client_address::ClientAddress;
use super::databases::{Offered, offered};
use super::identification::{self, cookie_name, is_https, session_id};
use super::routes::Routes;
use super::who_am_i::{self, WhoAmI};
use crate::identity::{Credentials, Identity};
use crate::problem::Problem;

/// The call loads the library: without it nobody but a superuser may store one of its settings.
const KEEP_ANSWERS: &str = "DO $$ BEGIN PERFORM text2sql._version(); EXECUTE pg_catalog.format( \
    'ALTER ROLE CURRENT_USER IN DATABASE %I SET text2sql.keep_answers = on', pg_catalog.current_database()); END $$";
const KEEP_NONE: &str = "DO $$ BEGIN PERFORM text2sql.forget('kept_answers', NULL::text); EXECUTE pg_catalog.format( \
    'ALTER ROLE CURRENT_USER IN DATABASE %I SET text2sql.keep_answers = off', pg_catalog.current_database()); END $$";

/// A login.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Login {
    user: String,
    #[schema(value_type = String)]
    password: Zeroizing<String>,
}

/// The routes of a session.
pub fn routes(routes: Routes) -> Routes {
    routes
        .family("Session")
        .post("/session", "Log in", begin, |about| {
            about.public().takes::<Login>().gives_object()
        })
        .get("/session", "Who am I, and what may I do?", show, |about| {
            about.gives_object()
        })
        .get(
            "/databases",
            "The databases to log in to, where there are several",
            databases,
            |about| about.public().gives::<Offers>(),
        )
        .delete("/session", "Log out", end, |about| {
            about.public().gives_nothing()
        })
        .post(
            "/session/keep-answers",
            "Whether conversations of the role keep their answers",
            keep_answers,
            |about| about.takes::<KeepAnswers>().gives_nothing(),
        )
}

/// `POST /session`
pub async fn begin(
    State(app): State<Arc<App>>,
    ClientAddress(address): ClientAddress,
    Body(login): Body<Login>,
) -> Result<Response, Problem> {
    if !app.config.password_login {
        return Err(identification::no_password_login());
    }
    let credentials = Credentials::new(login.user, login.password);
    let credentials = app.login.verify(credentials, address).await?;
    let identity = Identity::Own(Arc::clone(&credentials));
    let shown = who_am_i::read(&app, &identity).await?;
    let id = app.sessions.begin(credentials)?;
    let cookie = cookie(&app, &id, None)?;
    Ok(([(SET_COOKIE, cookie)], Json(shown)).into_response())
}

/// `GET /session`
pub async fn show(
    State(app): State<Arc<App>>,
    identity: Identity,
) -> Result<Json<WhoAmI>, Problem> {
    Ok(Json(who_am_i::read(&app, &identity).await?))
}

/// `GET /databases`
async fn databases(State(app): State<Arc<App>>) -> Json<Offers> {
    Json(Offers {
        databases: offered(&app),
    })
}

/// The databases to log in to.
#[derive(Serialize, ToSchema)]
struct Offers {
    databases: Vec<Offered>,
}

/// `DELETE /session`
pub async fn end(State(app): State<Arc<App>>, parts: Parts) -> Result<Response, Problem> {
    if let Some(id) = session_id(&parts, &app) {
        app.log_out(id);
    }
    let mut headers = HeaderMap::new();
    headers.insert(SET_COOKIE, cookie(&app, "", Some(0))?);
    Ok((StatusCode::NO_CONTENT, headers).into_response())
}

/// Whether answers are kept.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct KeepAnswers {
    /// The sentence and the first rows of answers in conversations.
    keep: bool,
}

/// `POST /session/keep-answers`: a setting of the role, which each role may change for itself; switched off, what was kept
/// goes as well. Sessions that are open have the old value, so that the next request begins a new one.
async fn keep_answers(
    State(app): State<Arc<App>>,
    identity: Identity,
    Body(said): Body<KeepAnswers>,
) -> Result<StatusCode, Problem> {
    let statement = match said.keep {
        true => KEEP_ANSWERS,
        false => KEEP_NONE,
    };
    app.database.json(&identity, statement, &[]).await?;
    app.database.forget(&identity);
    Ok(StatusCode::NO_CONTENT)
}

fn cookie(app: &App, id: &str, max_age: Option<u32>) -> Result<HeaderValue, Problem> {
    let name = cookie_name(app);
    let secure = if is_https(app) { "; Secure" } else { "" };
    let age = max_age.map_or_else(String::new, |seconds| format!("; Max-Age={seconds}"));
    HeaderValue::from_str(&format!(
        "{name}={id}; Path=/; HttpOnly; SameSite=Strict{secure}{age}"
    ))
    .map_err(|_| Problem::unavailable("no cookie can be made"))
}
