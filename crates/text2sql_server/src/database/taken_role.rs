//! A role that is taken on for one transaction, because a token stands for it.
//!
//! `SET ROLE` applies no settings of the role, and some of them protect: `text2sql.allowed_schemas` limits what questions
//! are about. So they are applied first, as far as a session can have them, and a role with one that cannot be applied
//! is refused.

use axum::http::StatusCode;
use serde::Deserialize;

use super::connection::{Connection, application_name};
use crate::problem::Problem;

const LOOK_UP: &str = include_str!("../../sql/role_to_take_on.sql");
const TAKE_ON: &str = include_str!("../../sql/take_on_role.sql");
const IS_TAKEN_ON: &str = include_str!("../../sql/role_is_taken_on.sql");

/// What the catalog says of a role.
#[derive(Debug, Deserialize)]
struct Role {
    is_dangerous: bool,
    is_login: bool,
    knows_extension: bool,
    settings: Vec<Setting>,
}

/// A setting of `ALTER ROLE`.
#[derive(Debug, Deserialize)]
struct Setting {
    name: String,
    value: String,
    /// `context` of pg_settings; `None` for a setting that PostgreSQL does not know.
    context: Option<String>,
    may_set: bool,
}

/// The same words for every role that a token must not stand for: they say nothing about what exists.
pub fn not_permitted() -> Problem {
    Problem::new(
        StatusCode::FORBIDDEN,
        "this token gives no access to the database",
    )
}

/// Takes the role on until the transaction ends.
pub(super) async fn take_on(connection: &Connection, role: &str) -> Result<(), Problem> {
    let Some(found) = connection.text(LOOK_UP, &[Some(role)]).await? else {
        tracing::warn!("a token stands for role \"{role}\", which does not exist");
        return Err(not_permitted());
    };
    let found: Role = serde_json::from_str(&found).map_err(|error| {
        tracing::error!("role to take on: {error}");
        Problem::internal()
    })?;
    let settings = found.settings(role)?;
    connection
        .text(TAKE_ON, &[Some(&settings)])
        .await
        .map_err(|problem| refused(role, problem))?;
    let is_taken_on = connection.text(IS_TAKEN_ON, &[Some(role)]).await?;
    if is_taken_on.as_deref() != Some("true") {
        tracing::error!("role \"{role}\" was not taken on");
        return Err(not_permitted());
    }
    Ok(())
}

fn refused(role: &str, problem: Problem) -> Problem {
    tracing::warn!("role \"{role}\" cannot be taken on: {}", problem.title);
    // The role was not granted: "permission denied to set role", or "role … does not exist".
    match problem.sqlstate.as_deref() {
        Some("42501" | "22023") => not_permitted(),
        _ => problem,
    }
}

impl Role {
    /// The settings to apply, and then the role, as a JSON object in that order.
    fn settings(&self, role: &str) -> Result<String, Problem> {
        if self.is_dangerous || self.is_login {
            tracing::warn!("role \"{role}\" is one that no token may stand for");
            return Err(not_permitted());
        }
        let mut settings = serde_json::Map::new();
        for setting in &self.settings {
            if setting.takes_effect_at_login_only() {
                continue;
            }
            self.check(role, setting)?;
            settings.insert(setting.name.clone(), setting.value.clone().into());
        }
        let name = application_name(role);
        settings.insert("application_name".to_owned(), name.into());
        settings.insert("role".to_owned(), role.into());
        Ok(serde_json::Value::Object(settings).to_string())
    }

    fn check(&self, role: &str, setting: &Setting) -> Result<(), Problem> {
        let name = &setting.name;
        if matches!(name.as_str(), "role" | "session_authorization") {
            return Err(incomplete(role, name));
        }
        if name.starts_with("text2sql.") && !self.knows_extension {
            // A placeholder of that name may be set by anybody, and is not obeyed.
            return Err(incomplete(role, name).with_hint(
                "ALTER ROLE … SET session_preload_libraries = 'pg_text2sql', as a superuser, for the role of jwt.login_role.",
            ));
        }
        if !setting.may_set {
            return Err(incomplete(role, name).with_hint(format!(
                "GRANT SET ON PARAMETER {name} TO …, the role of jwt.login_role."
            )));
        }
        Ok(())
    }
}

impl Setting {
    /// Such a setting cannot be changed in a session, or changes nothing there.
    fn takes_effect_at_login_only(&self) -> bool {
        let context = self.context.as_deref();
        matches!(
            context,
            Some("internal" | "postmaster" | "sighup" | "superuser-backend" | "backend")
        ) || matches!(
            self.name.as_str(),
            "session_preload_libraries" | "local_preload_libraries"
        )
    }
}

/// A setting of the role cannot be applied.
fn incomplete(role: &str, setting: &str) -> Problem {
    let problem = Problem::new(
        StatusCode::SERVICE_UNAVAILABLE,
        format!("role \"{role}\" has a setting that cannot be applied here: {setting}"),
    );
    tracing::error!("{}", problem.title);
    problem
}

#[cfg(test)]
mod tests {
    use super::*;

    fn role(settings: &str) -> Role {
        let text = format!(
            r#"{{"is_dangerous": false, "is_login": false, "knows_extension": true, "settings": {settings}}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn settings_come_before_the_role() {
        let role = role(
            r#"[{"name": "app.tenant", "value": "7", "context": null, "may_set": true},
                {"name": "log_connections", "value": "on", "context": "superuser-backend", "may_set": true},
                {"name": "session_preload_libraries", "value": "x", "context": "superuser", "may_set": false},
                {"name": "text2sql.allowed_schemas", "value": "shop", "context": "superuser", "may_set": true}]"#,
        );
        assert_eq!(
            role.settings("ana").unwrap(),
            r#"{"app.tenant":"7","text2sql.allowed_schemas":"shop","application_name":"text2sql/ana","role":"ana"}"#
        );
    }

    #[test]
    fn a_setting_that_cannot_be_applied_refuses_the_role() {
        let setting = r#"[{"name": "text2sql.allowed_schemas", "value": "shop", "context": "superuser", "may_set": false}]"#;
        let refused = role(setting).settings("ana").unwrap_err();
        assert_eq!(refused.status, 503);
        assert_eq!(
            refused.hint.unwrap(),
            "GRANT SET ON PARAMETER text2sql.allowed_schemas TO …, the role of jwt.login_role."
        );
        let role_setting =
            r#"[{"name": "role", "value": "bob", "context": "user", "may_set": true}]"#;
        assert_eq!(role(role_setting).settings("ana").unwrap_err().status, 503);
        let mut unknown = role(setting);
        unknown.knows_extension = false;
        let refused = unknown.settings("ana").unwrap_err();
        assert!(refused.hint.unwrap().contains("session_preload_libraries"));
    }

    #[test]
    fn a_dangerous_role_and_the_login_itself_are_refused_alike() {
        let mut dangerous = role("[]");
        dangerous.is_dangerous = true;
        let mut login = role("[]");
        login.is_login = true;
        let text = |role: &Role| serde_json::to_string(&role.settings("x").unwrap_err()).unwrap();
        assert_eq!(text(&dangerous), text(&login));
        assert_eq!(
            text(&login),
            serde_json::to_string(&not_permitted()).unwrap()
        );
    }
}
