//! Decides what to tell the model about a query that cannot stay: which kind of trouble it is, which
//! names exist instead, and which tables it should have seen. No model is asked to decide it.
//!
//! A name that does not exist may stand for a table that was not retrieved: then retrieval looks
//! again, for that name, and the tables that it finds go back with the objection.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::query_judge::{self, Category, feedback, unknown_name};
use text2sql_analysis::findings::Finding;
use text2sql_domain::config::RepairTrigger;
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::schema::Table;
use text2sql_domain::score::Score;
use text2sql_language::edit_distance::edit_distance;
use text2sql_language::understanding::Understanding;
use text2sql_models::prompt::{render_repair, render_schema, table_chars};
use text2sql_retrieval::{Context, find_unknown_name};

/// Most names of functions that are offered for one that does not exist.
const MAX_FUNCTIONS: usize = 5;

/// The part of the schema's budget that tables found later may take.
const SHARE_OF_CONTEXT: usize = 4;

/// Most sentences of a score that are told.
const MAX_COMPLAINTS: usize = 3;

/// What is wrong with a reply, ready to be told.
#[derive(Debug, Clone)]
pub struct Objection {
    /// What kind of trouble it is.
    pub category: Category,
    problem: String,
    /// Names that exist.
    pub names: Vec<String>,
    /// Tables that were not retrieved before.
    pub tables: Vec<Arc<Table>>,
}

impl Objection {
    /// To a reply in which nobody finds SQL.
    pub fn to_prose() -> Self {
        Self::new(Category::Generic, "there is no SQL in the reply".to_owned())
    }

    /// To a plan that is too long.
    pub fn to_plan(asked: usize, most: usize) -> Self {
        let problem = format!("it has {asked} steps, and {most} are allowed");
        Self::new(Category::Generic, problem)
    }

    /// To a step that gives other rows when a later one reads it.
    pub fn to_varying_step(cause: &str) -> Self {
        let problem = format!(
            "it gives other rows each time it runs ({cause}), and later steps run it again; write a query that always gives the same rows"
        );
        Self::new(Category::Generic, problem)
    }

    fn new(category: Category, problem: String) -> Self {
        Self {
            category,
            problem,
            names: Vec::new(),
            tables: Vec::new(),
        }
    }

    /// The text of the model's next turn; `prefix` says which part of a plan it is about.
    pub fn text(&self, cx: &Run<'_>, prefix: &str) -> String {
        let budget = cx.config.max_schema_chars / SHARE_OF_CONTEXT;
        let (schema, _) = render_schema(&self.tables, cx.egress(), budget);
        render_repair(&format!("{prefix}{}", self.problem), &self.names, &schema)
    }

    /// What the trace keeps of it.
    pub fn summary(&self) -> Value {
        let tables: Vec<String> = self.tables.iter().map(|table| table.sql_name()).collect();
        json!({
            "category": self.category.as_str(),
            "names": self.names,
            "tables": tables,
        })
    }
}

/// The objection to a query that was refused or failed.
pub fn object_to_failure(
    cx: &Run<'_>,
    understanding: &Understanding,
    context: &Context,
    known: &[Arc<Table>],
    finding: &query_judge::Finding,
) -> Result<Objection, Error> {
    let category = match (&finding.error, &finding.rejection) {
        (Some(error), _) => Category::of_sqlstate(&error.sqlstate),
        (None, Some(rejection)) => Category::of_rejection(rejection),
        (None, None) => Category::Generic,
    };
    let mut objection = Objection::new(category, finding.problem.clone());
    objection.names.clone_from(&finding.names);
    let error = finding.told.as_ref().or(finding.error.as_ref());
    let Some((error, name)) = error.and_then(|error| Some((error, unknown_name(error)?))) else {
        return Ok(objection);
    };
    if error.sqlstate == "42883" {
        objection.names = nearest_functions(cx, name)?;
    } else if !context.is_whole {
        objection.tables = find_unknown_name(cx, understanding, known, name, table_chars)?;
    }
    Ok(objection)
}

/// Functions that a query may call whose names come nearest.
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

/// The objection to a query that ran, if what repairs a query asks for one.
pub fn object_to_result(
    cx: &Run<'_>,
    tables: &[Arc<Table>],
    findings: &[Finding],
    score: Option<&Score>,
    is_empty: bool,
) -> Option<Objection> {
    let trigger = cx.config.repair_on;
    if trigger == RepairTrigger::Errors {
        return None;
    }
    if let Some(worst) = findings.iter().find(|finding| finding.is_certain()) {
        let category = Category::of_finding(worst, is_empty);
        return Some(Objection::new(
            category,
            feedback(worst, cx.egress(), tables),
        ));
    }
    if trigger != RepairTrigger::Gate {
        return None;
    }
    let score = score?;
    let said: Vec<&str> = score
        .complaints()
        .into_iter()
        .take(MAX_COMPLAINTS)
        .collect();
    // An empty result has a cause: what the score says of it is that cause, if anything is.
    match (score.passes(), is_empty) {
        (false, _) => Some(Objection::new(
            Category::Relevance,
            format!("it hardly answers the question. {}", said.join(" ")),
        )),
        (true, true) => Some(Objection::new(
            Category::EmptyResult,
            format!(
                "it gives no rows; check its conditions and joins. {}",
                said.join(" ")
            ),
        )),
        (true, false) => None,
    }
}
