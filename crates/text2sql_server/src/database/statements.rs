//! What is asked of the database: statements with the rights of whoever asks.

use std::sync::Arc;
use std::time::Instant;

use axum::http::StatusCode;
use serde_json::value::RawValue;

use super::call::{Call, Listener};
use super::connection::Notice;
use super::failure;
use super::handle::Database;
use super::parameter::Parameter;
use crate::identity::Identity;
use crate::problem::Problem;

impl Database {
    /// Whether the server accepts connections. Anybody may ask, and each look is a connection: there is one at a time, and
    /// who came before it began shares what it saw.
    pub async fn is_ready(&self) -> Result<(), Problem> {
        let came = Instant::now();
        let mut seen = self.readiness.lock().await;
        if let Some((began, readiness)) = &*seen
            && *began >= came
        {
            return readiness.clone();
        }
        let began = Instant::now();
        let readiness = self.look_whether_ready().await;
        *seen = Some((began, readiness.clone()));
        readiness
    }

    /// Nobody logs in: what it answers to a name without a password is enough.
    async fn look_whether_ready(&self) -> Result<(), Problem> {
        let failure = match self
            .pools
            .target()
            .connect("text2sql_readyz", None, "text2sql")
            .await
        {
            Ok(_) => return Ok(()),
            Err(failure) => failure,
        };
        failure::of_readiness(&failure)
    }

    /// Runs a statement that returns one JSON value, in a transaction of its own. The text of the value is passed
    /// on as PostgreSQL wrote it, so that no digit is lost. No row is `null`. Whoever drops the future cancels the
    /// statement.
    pub async fn json(
        self: &Arc<Self>,
        identity: &Identity,
        statement: &str,
        parameters: &[Parameter<'_>],
    ) -> Result<Box<RawValue>, Problem> {
        self.json_listening(identity, statement, parameters, |_| {})
            .await
    }

    /// The same, and hands each notice to `listener` meanwhile.
    pub async fn json_listening(
        self: &Arc<Self>,
        identity: &Identity,
        statement: &str,
        parameters: &[Parameter<'_>],
        listener: impl Fn(Notice) + Send + Sync + 'static,
    ) -> Result<Box<RawValue>, Problem> {
        let owned = |parameter: &Parameter<'_>| parameter.map(str::to_owned);
        let call = Call {
            identity: identity.clone(),
            statement: statement.to_owned(),
            parameters: parameters.iter().map(owned).collect(),
            listener: Box::new(listener) as Listener,
            commits: false,
        };
        call.run(Arc::clone(self)).await
    }

    /// Calls a procedure that commits by itself, so it runs in no transaction. A role that was taken on lasts as long
    /// as a transaction, therefore it cannot call one.
    pub async fn call_procedure(
        self: &Arc<Self>,
        identity: &Identity,
        statement: &str,
    ) -> Result<(), Problem> {
        if let Identity::Taken(_) = identity {
            return Err(Problem::new(
                StatusCode::FORBIDDEN,
                "this needs a login with a name and a password of the database",
            )
            .with_hint(format!("Run it in psql: {statement};")));
        }
        let call = Call {
            identity: identity.clone(),
            statement: statement.to_owned(),
            parameters: Vec::new(),
            listener: Box::new(|_| {}) as Listener,
            commits: true,
        };
        call.run(Arc::clone(self)).await.map(|_| ())
    }

    /// Closes the idle connections of somebody who has logged out.
    pub fn forget(&self, identity: &Identity) {
        if let Identity::Own(credentials) = identity {
            self.pools.forget(&credentials.fingerprint());
        }
    }
}
