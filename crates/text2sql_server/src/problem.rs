//! What went wrong, as it is said to people and programs: the body of every error (RFC 9457, problem details).

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tokio_postgres::error::{DbError, ErrorPosition};
use utoipa::ToSchema;

/// An error with its HTTP status. What PostgreSQL said of it is kept part by part.
#[derive(Debug, Clone, Serialize, ToSchema, thiserror::Error)]
#[error("{title}")]
pub struct Problem {
    /// HTTP status.
    pub status: u16,
    /// What went wrong, in one sentence without a full stop.
    pub title: String,
    /// More about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// What to do, often a statement that can be pasted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// SQLSTATE, where PostgreSQL raised it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sqlstate: Option<String>,
    /// Position in the SQL of the request, in characters from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<u32>,
    /// Seconds after which another attempt may succeed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u32>,
}

impl Problem {
    /// A problem of this HTTP status.
    pub fn new(status: StatusCode, title: impl Into<String>) -> Self {
        Self {
            status: status.as_u16(),
            title: title.into(),
            detail: None,
            hint: None,
            sqlstate: None,
            position: None,
            retry_after: None,
        }
    }

    /// With advice.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The request itself is wrong.
    pub fn bad_request(title: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, title)
    }

    /// The request is not logged in. The response says nothing about the database.
    pub fn not_logged_in() -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "not logged in")
    }

    /// The client is gone, or it cancelled the request.
    pub fn cancelled() -> Self {
        // nginx's "client closed request": it is seen in logs only.
        let status = StatusCode::from_u16(499).unwrap_or(StatusCode::BAD_REQUEST);
        Self::new(status, "the request was cancelled")
    }

    /// A fault of the server itself. What it was is in the log.
    pub fn internal() -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the server could not finish the request",
        )
    }

    /// The server is about to end.
    pub fn shutting_down() -> Self {
        Self::unavailable("the server is shutting down")
    }

    /// The database cannot be reached, or has no connection left.
    pub fn unavailable(title: impl Into<String>) -> Self {
        Self {
            retry_after: Some(5),
            ..Self::new(StatusCode::SERVICE_UNAVAILABLE, title)
        }
    }

    /// What the database said of a statement with these parameters: with the position of the fault, where it is in one
    /// of them. A position in a statement of this program says nothing to who asked.
    pub fn of_statement(error: tokio_postgres::Error, parameters: &[Option<&str>]) -> Self {
        let position = match error.as_db_error().and_then(DbError::position) {
            Some(ErrorPosition::Internal { position, query })
                if parameters.contains(&Some(query.as_str())) =>
            {
                Some(*position)
            }
            _ => None,
        };
        Self {
            position,
            ..error.into()
        }
    }

    /// The same for all problems of a kind, whatever their title says: the status of a question without an answer, else
    /// that of HTTP.
    fn kind(&self) -> String {
        match self.sqlstate.as_deref() {
            Some("T2001") => "ambiguous".to_owned(),
            Some("T2002") => "unanswerable".to_owned(),
            Some("T2003") => "not-permitted".to_owned(),
            Some("T2004") => "blocked".to_owned(),
            Some("T2005") => "failed".to_owned(),
            Some("T2006") => "waiting".to_owned(),
            _ => StatusCode::from_u16(self.status)
                .ok()
                .and_then(|status| status.canonical_reason())
                .unwrap_or("cancelled")
                .to_lowercase()
                .replace(' ', "-"),
        }
    }

    /// Writes it to standard error, for a command that ends.
    pub fn report(&self) {
        tracing::error!(detail = self.detail, hint = self.hint, "{}", self.title);
    }

    fn of_database(error: &DbError) -> Self {
        let code = error.code().code();
        // Every statement of this program names the schema.
        let is_missing = code == "3F000" && error.message().contains("text2sql");
        let hint = match is_missing {
            true => Some("Create the extension in this database: CREATE EXTENSION pg_text2sql;"),
            false => error.hint(),
        };
        Self {
            detail: error.detail().map(str::to_owned),
            hint: hint.map(str::to_owned),
            sqlstate: Some(code.to_owned()),
            ..Self::new(status_of(code), error.message())
        }
    }
}

/// The HTTP status of an SQLSTATE.
fn status_of(sqlstate: &str) -> StatusCode {
    match sqlstate {
        "28P01" | "28000" => StatusCode::UNAUTHORIZED,
        "42501" => StatusCode::FORBIDDEN,
        "42704" => StatusCode::NOT_FOUND,
        // A name that is taken already; a row that something refers to.
        "42710" | "42P07" | "2BP01" => StatusCode::CONFLICT,
        // A question without an answer, where there is only room for an answer: `T2001` ambiguous, and so on.
        "T2001" | "T2002" | "T2003" | "T2004" | "T2005" | "T2006" => {
            StatusCode::UNPROCESSABLE_ENTITY
        }
        "53300" | "54000" => StatusCode::TOO_MANY_REQUESTS,
        // A limit of the server on the statement, such as its depth.
        "54001" => StatusCode::BAD_REQUEST,
        "57014" => StatusCode::GATEWAY_TIMEOUT,
        // The endpoint of a model.
        "38000" | "08006" => StatusCode::BAD_GATEWAY,
        _ => status_of_class(sqlstate.get(..2).unwrap_or_default()),
    }
}

/// The HTTP status of a class of SQLSTATEs.
fn status_of_class(class: &str) -> StatusCode {
    match class {
        "08" | "53" | "57" => StatusCode::SERVICE_UNAVAILABLE,
        // What was handed in is wrong, or cannot be done: values, cardinality, a transaction that only reads, names.
        "0A" | "21" | "22" | "25" | "2F" | "34" | "3D" | "3F" | "42" | "P0" => {
            StatusCode::BAD_REQUEST
        }
        "23" | "40" | "55" => StatusCode::CONFLICT,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

impl From<tokio_postgres::Error> for Problem {
    fn from(error: tokio_postgres::Error) -> Self {
        match error.as_db_error() {
            Some(error) => Self::of_database(error),
            None => {
                tracing::warn!("connection to the database: {error}");
                Self::unavailable("the database cannot be reached")
            }
        }
    }
}

/// A problem as it leaves the server.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReportedProblem<'a> {
    /// What kind of problem it is, for programs: `urn:text2sql:problem:too-many-requests`.
    #[serde(rename = "type")]
    kind: String,
    #[serde(flatten)]
    problem: &'a Problem,
    /// The request, as it is called in the log.
    request_id: &'a str,
}

impl Problem {
    /// The problem of a request.
    pub fn of_request<'a>(&'a self, request_id: &'a str) -> ReportedProblem<'a> {
        ReportedProblem {
            kind: format!("urn:text2sql:problem:{}", self.kind()),
            problem: self,
            request_id,
        }
    }

    /// The answer with this problem as its body. `answer` has its status and headers.
    pub fn rendered(&self, answer: Response, request_id: &str) -> Response {
        let body = serde_json::to_vec(&self.of_request(request_id)).unwrap_or_default();
        let (mut parts, _) = answer.into_parts();
        parts.headers.remove(header::CONTENT_LENGTH);
        parts.headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        if let Some(seconds) = self.retry_after {
            parts
                .headers
                .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        Response::from_parts(parts, Body::from(body))
    }
}

impl IntoResponse for Problem {
    /// The body is written by the layer around all routes, which knows the id of the request.
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl From<text2sql_files::FileError> for Problem {
    fn from(error: text2sql_files::FileError) -> Self {
        let mut problem = Self::bad_request(error.message);
        let more: Vec<String> = error.detail.into_iter().chain(error.hint).collect();
        if !more.is_empty() {
            problem = problem.with_hint(more.join(" "));
        }
        problem
    }
}
