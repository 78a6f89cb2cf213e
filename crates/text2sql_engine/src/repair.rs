//! Builds the repair text for the model: the kind of problem, existing names that are similar, and tables
//! missing from the prompt. Uses rules, without a model.
//!
//! An unknown name may mean a table that was not retrieved. So retrieval runs again for that name, and
//! the tables it finds are added to the repair text.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::gate::{Failure, in_force};
use crate::query_judge::{self, Category, Unknown, unknown_in, unknown_name};
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::schema::Table;
use text2sql_language::edit_distance::edit_distance;
use text2sql_language::understanding::Understanding;
use text2sql_models::prompt::{render_repair, render_schema, table_chars};
use text2sql_retrieval::second_look::named_in_sql;
use text2sql_retrieval::{Context, find_unknown_name};

/// Maximum number of similar functions in a repair text.
const MAX_FUNCTIONS: usize = 5;

/// Maximum number of similar names in a repair text.
const MAX_NAMES: usize = 12;

/// Tables that are shown later than the prompt may use the schema's character budget divided by this number.
pub const BUDGET_DIVISOR: usize = 4;

/// Maximum number of problems of one query in a repair text: all that a model can mend at once.
const MAX_PROBLEMS: usize = 12;

/// What is wrong with a reply, as sent to the model.
#[derive(Debug, Clone)]
pub struct Objection {
    /// The kind of problem.
    pub category: Category,
    /// All that is wrong, with the proof of each.
    pub problems: Vec<String>,
    /// The triggers of the gate that spoke.
    pub triggers: Vec<&'static str>,
    /// Similar names that exist.
    pub names: Vec<String>,
    /// Tables that were not retrieved before.
    pub tables: Vec<Arc<Table>>,
}

impl Objection {
    /// For a reply without SQL.
    pub fn to_prose() -> Self {
        Self::new(Category::Generic, "there is no SQL in the reply".to_owned())
    }

    /// For a plan with too many steps.
    pub fn to_plan(asked: usize, max_steps: usize) -> Self {
        let problem = format!("it has {asked} steps, and {max_steps} are allowed");
        Self::new(Category::Generic, problem)
    }

    /// For a step whose result changes when a later step runs it again.
    pub fn to_varying_step(cause: &str) -> Self {
        let problem = format!(
            "it gives other rows each time it runs ({cause}), and later steps run it again; write a query that always gives the same rows"
        );
        Self::new(Category::Generic, problem)
    }

    /// For a claim that something is missing which the schema has.
    pub fn to_claim(proofs: Vec<String>) -> Self {
        Self {
            problems: proofs,
            ..Self::new(Category::UnknownName, String::new())
        }
    }

    /// For a query of a small model that something speaks against, unless it was all said before.
    pub fn to_suspicions(suspicions: &[String], said: &[String]) -> Option<Self> {
        let new = suspicions.iter().any(|one| !said.contains(one));
        new.then(|| Self {
            problems: suspicions.to_vec(),
            triggers: vec!["suspicion"],
            ..Self::new(Category::Relevance, String::new())
        })
    }

    fn new(category: Category, problem: String) -> Self {
        Self {
            category,
            problems: vec![problem],
            triggers: Vec::new(),
            names: Vec::new(),
            tables: Vec::new(),
        }
    }

    /// The text of the next turn; `prefix` names the step of a plan.
    pub fn text(&self, cx: &Run<'_>, prefix: &str) -> String {
        let budget = cx.config.schema_chars().usual / BUDGET_DIVISOR;
        let (schema, _) = render_schema(&self.tables, cx.shows(), budget);
        let problem = match self.problems.as_slice() {
            [only] => format!("{prefix}{only}"),
            several => {
                let list: Vec<String> = several.iter().map(|one| format!("- {one}")).collect();
                format!("{prefix}{}", list.join("\n"))
            }
        };
        render_repair(
            &cx.config.owner.prompts,
            cx.config.model.profile(),
            &problem,
            &self.names,
            &schema,
        )
    }

    /// A summary for the trace.
    pub fn summary(&self) -> Value {
        let tables: Vec<String> = self.tables.iter().map(|table| table.sql_name()).collect();
        let mut summary = json!({
            "category": self.category.as_str(),
            "names": self.names,
            "tables": tables,
        });
        if let Some(members) = summary
            .as_object_mut()
            .filter(|_| !self.triggers.is_empty())
        {
            members.insert("triggers".to_owned(), json!(self.triggers));
        }
        summary
    }
}

/// The objection to a query that was refused or failed.
pub fn object_to_failure(
    cx: &Run<'_>,
    understanding: &Understanding,
    context: &Context,
    known: &[Arc<Table>],
    finding: &query_judge::Finding,
    sql: &str,
) -> Result<Objection, Error> {
    let category = match (&finding.error, &finding.rejection) {
        (Some(error), _) => Category::of_sqlstate(&error.sqlstate),
        (None, Some(rejection)) => Category::of_rejection(rejection),
        (None, None) => Category::Generic,
    };
    let mut objection = Objection::new(category, finding.problem.clone());
    objection.names.clone_from(&finding.names);
    let error = finding.shown_error.as_ref().or(finding.error.as_ref());
    if error.is_some_and(|error| Category::of_sqlstate(&error.sqlstate) == Category::UnknownName) {
        add_other_unknown(
            &mut objection,
            unknown_in(sql, known),
            error.and_then(unknown_name),
        );
    }
    let Some((error, name)) = error.and_then(|error| Some((error, unknown_name(error)?))) else {
        return Ok(objection);
    };
    if error.sqlstate == "42883" {
        objection.names = nearest_functions(cx, name)?;
    } else if !context.is_whole {
        // A table that the prompt named without its columns needs no search.
        let shown: Vec<u32> = known.iter().map(|table| table.oid).collect();
        objection.tables = named_in_sql(cx, context, &shown, sql)?;
        if objection.tables.is_empty() {
            objection.tables = find_unknown_name(cx, understanding, known, name, table_chars)?;
        }
    }
    Ok(objection)
}

/// Adds the other names that do not exist: the server reports one at a time. The nearest names of their own tables come
/// first.
fn add_other_unknown(objection: &mut Objection, unknown: Vec<Unknown>, reported: Option<&str>) {
    let mut near: Vec<String> = Vec::new();
    for one in unknown {
        if reported != Some(one.name.as_str()) {
            objection.problems.push(one.problem);
        }
        near.extend(one.near);
    }
    near.append(&mut objection.names);
    for name in near {
        if !objection.names.contains(&name) {
            objection.names.push(name);
        }
    }
    objection.problems.truncate(MAX_PROBLEMS);
    objection.names.truncate(MAX_NAMES);
}

/// Callable functions with the most similar names.
fn nearest_functions(cx: &Run<'_>, name: &str) -> Result<Vec<String>, Error> {
    let name = name.to_lowercase();
    let mut near: Vec<(usize, String)> = cx
        .database
        .functions_like(&name)?
        .into_iter()
        .map(|known| (edit_distance(&name, &known), known))
        .filter(|(distance, _)| *distance <= name.chars().count() / 2 + 1)
        .collect();
    near.sort();
    near.dedup();
    let near = near.into_iter().take(MAX_FUNCTIONS);
    Ok(near.map(|(_, known)| format!("{known}()")).collect())
}

/// The objection to an executed query that fails the gate; `None` if the configuration asks for no repair, or all of it
/// has been `said` before: a model that was told and lets the query stand is not told again.
pub fn object_to_result(cx: &Run<'_>, failures: &[Failure], said: &[String]) -> Option<Objection> {
    let counted: Vec<&Failure> = in_force(failures, cx.config.repair_on)
        .filter(|failure| !said.contains(&failure.problem))
        .collect();
    let category = counted.iter().map(|failure| failure.category).min()?;
    let mut problems: Vec<String> = Vec::new();
    for failure in &counted {
        if !problems.contains(&failure.problem) {
            problems.push(failure.problem.clone());
        }
    }
    problems.truncate(MAX_PROBLEMS);
    Some(Objection {
        category,
        problems,
        triggers: counted.iter().map(|failure| failure.trigger).collect(),
        names: Vec::new(),
        tables: Vec::new(),
    })
}
