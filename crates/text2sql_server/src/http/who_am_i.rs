//! The answer of `GET /session`: the logged-in role, what it may do, and what is configured for it.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::App;
use crate::identity::Identity;
use crate::problem::Problem;

const WHO_AM_I: &str = include_str!("../../sql/who_am_i.sql");
const ASKER: &str = include_str!("../../sql/asker.sql");

/// The logged-in role.
#[derive(Serialize)]
pub struct WhoAmI {
    user: String,
    role: String,
    database: String,
    language: Option<String>,
    version: String,
    extension_version: Option<String>,
    may: Rights,
    /// Names of people who can do what this role cannot: `teach`, `approve`, `administer`.
    helpers: Option<Box<RawValue>>,
    /// All models of `text2sql.model`, in the order in which they are asked.
    model: Option<String>,
    models: Box<RawValue>,
    budget: Box<RawValue>,
    settings: Box<RawValue>,
    warnings: Vec<Warning>,
}

/// What the role may do, as PostgreSQL says. It is for the page, which leaves out what would be refused.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct Rights {
    /// Ask questions.
    pub ask: bool,
    /// Describe, define, verify.
    pub teach: bool,
    /// Evaluate suites.
    pub evaluate: bool,
    /// Approve the queries of others.
    pub approve: bool,
    /// Call any of the functions of an administrator.
    pub administer: bool,
    /// Create a view in a schema of the search path.
    pub create_view: bool,
    /// Make a table of a file, in some schema.
    pub load: bool,
    /// Update the search index.
    pub refresh: bool,
    /// Set budgets.
    pub set_budget: bool,
    /// Give the right to ask, to teach, to approve and to evaluate.
    pub grant: bool,
    /// Test a model.
    pub test_model: bool,
    /// Add a model, and change and remove own ones.
    pub add_model: bool,
    /// See the questions of everybody.
    pub see_everybody: bool,
}

/// Something that the page says in its own words, in the language of the reader.
#[derive(Serialize)]
struct Warning {
    code: &'static str,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

/// What the catalog says.
#[derive(Deserialize)]
struct Who {
    user: String,
    role: String,
    database: String,
    language: Option<String>,
    version: String,
    extension_version: Option<String>,
    may: Rights,
    helpers: Option<Box<RawValue>>,
    is_standby: bool,
    is_read_only: bool,
    quoted_role: String,
}

/// What the extension says.
#[derive(Deserialize)]
struct Asker {
    library_version: String,
    model: Option<String>,
    models: Box<RawValue>,
    budget: Box<RawValue>,
    settings: Box<RawValue>,
    is_recording: bool,
}

/// What the role may do.
pub async fn rights(app: &App, identity: &Identity) -> Result<Rights, Problem> {
    Ok(who(app, identity).await?.may)
}

/// Reads it. A role without any privilege and a database without the extension get an answer, too.
pub async fn read(app: &App, identity: &Identity) -> Result<WhoAmI, Problem> {
    let who = who(app, identity).await?;
    let asker = if who.may.ask {
        let asker = app.database.json(identity, ASKER, &[]).await?;
        Some(parsed::<Asker>(&asker)?)
    } else {
        None
    };
    let warnings = warnings(&who, asker.as_ref());
    let empty = |text: &str| {
        RawValue::from_string(text.to_owned()).map_err(|_| Problem::unavailable("no JSON"))
    };
    let (model, models, budget, settings) = match asker {
        Some(asker) => (asker.model, asker.models, asker.budget, asker.settings),
        None => (None, empty("[]")?, empty("[]")?, empty("{}")?),
    };
    Ok(WhoAmI {
        user: who.user,
        role: who.role,
        database: who.database,
        language: who.language,
        version: who.version,
        extension_version: who.extension_version,
        may: who.may,
        helpers: who.helpers,
        model,
        models,
        budget,
        settings,
        warnings,
    })
}

async fn who(app: &App, identity: &Identity) -> Result<Who, Problem> {
    parsed(&app.database.json(identity, WHO_AM_I, &[]).await?)
}

fn parsed<'a, T: Deserialize<'a>>(value: &'a RawValue) -> Result<T, Problem> {
    serde_json::from_str(value.get()).map_err(|error| {
        Problem::unavailable(format!("the database did not say who this is: {error}"))
    })
}

fn warnings(who: &Who, asker: Option<&Asker>) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let mut warn =
        |code, text: String, hint: Option<String>| warnings.push(Warning { code, text, hint });
    match (&who.extension_version, asker) {
        (None, _) => warn(
            "no_extension",
            format!(
                "the database {} does not have the extension pg_text2sql",
                who.database
            ),
            Some("CREATE EXTENSION pg_text2sql CASCADE;".to_owned()),
        ),
        (Some(_), None) => warn(
            "no_usage",
            format!("the role {} may not ask questions", who.role),
            Some(format!(
                "SELECT text2sql.grant_access({});",
                who.quoted_role
            )),
        ),
        (Some(version), Some(asker)) => {
            if *version != asker.library_version {
                warn(
                    "other_version",
                    format!(
                        "the library has version {}, the extension {version}",
                        asker.library_version
                    ),
                    Some("ALTER EXTENSION pg_text2sql UPDATE;".to_owned()),
                );
            }
            if who.is_standby || who.is_read_only {
                warn(
                    "read_only",
                    "nothing is recorded: the server is a standby or read-only".to_owned(),
                    None,
                );
            } else if !asker.is_recording {
                warn(
                    "no_history",
                    "questions are not recorded, so there is no feedback on them".to_owned(),
                    None,
                );
            }
        }
    }
    warnings
}
