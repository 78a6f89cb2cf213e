//! Logging in: whether PostgreSQL accepts a name and a password, and the role that takes on others.

use std::sync::Arc;

use serde::Deserialize;

use super::connection::Connection;
use super::failure::{asks_for_password, of_connecting, wrong_password};
use super::handle::Database;
use super::target::ConnectFailure;
use crate::identity::Credentials;
use crate::problem::Problem;

const LOGIN_ROLE: &str = include_str!("../../sql/login_role.sql");

/// What makes a login role unfit.
#[derive(Debug, Deserialize)]
struct LoginRole {
    is_superuser: bool,
    bypasses_row_security: bool,
    may_create_roles: bool,
    inherits: bool,
}

impl Database {
    /// Asks PostgreSQL whether name and password are right. The connection is kept for the first request.
    pub async fn log_in(&self, credentials: &Arc<Credentials>) -> Result<(), Problem> {
        let Credentials { user, .. } = &**credentials;
        let Some(password) = credentials.password().filter(|_| !user.is_empty()) else {
            return Err(wrong_password());
        };
        self.refuse_without_question(user).await?;
        let permit = self.pools.permit().await?;
        let connection = Connection::open(self.pools.target(), user, Some(password), permit)
            .await
            .map_err(|failure| of_connecting(&failure))?;
        self.pools.adopt(credentials, connection);
        Ok(())
    }

    /// A server that asks for no password, as `trust` and `peer` in `pg_hba.conf` do not, verifies none: anybody could
    /// log in as anybody. The driver gives up without an error of the server where it is asked for one.
    async fn refuse_without_question(&self, user: &str) -> Result<(), Problem> {
        match self.pools.target().connect(user, None, "text2sql").await {
            Ok(_) => {
                tracing::error!(
                    "the database lets user \"{user}\" in without a password (pg_hba.conf), so nobody can log in \
                     here with one: connect over TCP with scram-sha-256"
                );
                Err(Problem::unavailable(
                    "the database verifies no passwords for connections from here",
                )
                .with_hint("Whoever runs the server finds in its log what to change."))
            }
            Err(ConnectFailure::Driver(error)) if asks_for_password(&error) => Ok(()),
            Err(failure) => Err(of_connecting(&failure)),
        }
    }

    /// Refuses a login role that could do more than the roles of tokens.
    pub async fn check_login_role(&self) -> Result<(), Problem> {
        let login = self.login()?;
        let lease = self.pools.lease(login, true).await?;
        let found = lease.text(LOGIN_ROLE, &[]).await?.unwrap_or_default();
        let knows_extension = lease.knows_extension().await?;
        self.pools.give_back(lease);
        let found: LoginRole = serde_json::from_str(&found).map_err(|error| {
            tracing::error!("login role: {error}");
            Problem::internal()
        })?;
        if !knows_extension {
            tracing::warn!(
                "sessions of \"{user}\" do not load pg_text2sql: roles that have settings text2sql.… will be refused; \
                 ALTER ROLE \"{user}\" SET session_preload_libraries = 'pg_text2sql' changes that",
                user = login.user
            );
        }
        found.fault(&login.user)
    }
}

impl LoginRole {
    fn fault(&self, user: &str) -> Result<(), Problem> {
        let (what, statement) = if self.is_superuser {
            ("is a superuser", "NOSUPERUSER")
        } else if self.bypasses_row_security {
            ("bypasses row-level security", "NOBYPASSRLS")
        } else if self.may_create_roles {
            ("may create roles", "NOCREATEROLE")
        } else if self.inherits {
            (
                "inherits the rights of the roles that it takes on",
                "NOINHERIT",
            )
        } else {
            return Ok(());
        };
        let mut hint = format!("ALTER ROLE \"{user}\" {statement};");
        if self.inherits {
            hint.push_str(&format!(
                " and, from PostgreSQL 16 on, GRANT … TO \"{user}\" WITH INHERIT FALSE;"
            ));
        }
        Err(
            Problem::unavailable(format!("the role \"{user}\" of jwt.login_role {what}"))
                .with_hint(hint),
        )
    }
}
