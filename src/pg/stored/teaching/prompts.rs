//! Prompt templates that replace those of the extension. Every version is kept.

use text2sql_domain::error::{Error, failure};
use text2sql_models::prompt::{default_prompts, is_replaceable, problem_of_prompt};

use super::required;
use crate::pg::server::session::user_name;
use crate::pg::server::spi;
use crate::pg::server::spi::advisory_locks::{Purpose, take_turns};
use crate::pg::server::spi::owner::as_owner_of;

/// Two versions with one number would make one of them unreachable.
const CURRENT: &str = "
    SELECT json_build_object('version', p.version, 'text', p.text)::text
    FROM text2sql._prompts p WHERE p.name = $1 ORDER BY p.version DESC LIMIT 1";
const ADD: &str = "
    INSERT INTO text2sql._prompts (name, version, text, changed_by)
    SELECT $1, coalesce(max(p.version), 0) + 1, $2, $3::name FROM text2sql._prompts p WHERE p.name = $1
    RETURNING version";

#[derive(serde::Deserialize)]
struct Current {
    version: i32,
    text: Option<String>,
}

/// Replaces a template; returns its version. The same text again is the same version.
pub(crate) fn set(name: Option<&str>, text: &str) -> Result<i32, Error> {
    let name = known(name)?;
    let text = required(Some(text), "text")?;
    if let Some(problem) = problem_of_prompt(name, text) {
        return Err(failure!(
            Setting,
            "the text cannot replace the template \"{name}\": it {problem}"
        )
        .with_hint(format!(
            "Begin with the text in use: SELECT text FROM text2sql.prompts WHERE name = '{name}';"
        )));
    }
    change(name, Some(text))
}

/// Restores the template of the extension; returns the version that says so, 0 where there was none.
pub(crate) fn reset(name: Option<&str>) -> Result<i32, Error> {
    change(known(name)?, None)
}

fn change(name: &str, text: Option<&str>) -> Result<i32, Error> {
    let user = user_name();
    as_owner_of(c"_prompts", || {
        take_turns(Purpose::Template(name));
        let current: Option<String> = spi::read_one(CURRENT, &[name.into()])?;
        let current = current.and_then(|text| serde_json::from_str::<Current>(&text).ok());
        match (&current, text) {
            (None, None) => return Ok(0),
            (Some(current), text) if current.text.as_deref() == text => {
                return Ok(current.version);
            }
            _ => {}
        }
        let versions = spi::write(ADD, &[name.into(), text.into(), user.into()], |row| {
            row.read::<i32>(1)
        })?;
        let version = versions.into_iter().flatten().next();
        version.ok_or_else(|| failure!(Internal, "the template has no version"))
    })
}

/// The name of a template that can be replaced.
fn known(name: Option<&str>) -> Result<&str, Error> {
    let name = required(name, "name")?;
    if is_replaceable(name) {
        return Ok(name);
    }
    let names: Vec<&str> = default_prompts().map(|prompt| prompt.name).collect();
    Err(
        failure!(Undefined, "there is no template \"{name}\" to replace")
            .with_detail(format!("The templates are {}.", names.join(", ")))
            .with_hint("Read them: SELECT name, text FROM text2sql.prompts;"),
    )
}
