//! Changes a script as requested. Nothing of it is run: the server parses what changed, and the guard judges its queries.

use std::sync::Arc;

use serde_json::json;

use super::in_order::{self, in_order};
use crate::query_generation::ask_other;
use crate::revised_script::{ScriptReply, json_schema, read};
use crate::stages::decline::decline;
use crate::stages::retrieve::retrieve;
use crate::stages::understand::understand;
use text2sql_analysis::revision::script::{RevisedScript, apply, numbered};
use text2sql_domain::answer::Answer;
use text2sql_domain::engines::Engines;
use text2sql_domain::error::{Error, failure};
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::proposal::Proposal;
use text2sql_domain::question::Question;
use text2sql_domain::schema::Table;
use text2sql_language::understanding::Understanding;
use text2sql_models::prompt::{Prompt, render_revise_script};

/// A changed script with notes for the reader, or the answer that explains why there is none.
pub type ScriptRevised = Result<(RevisedScript, Vec<String>), Box<Answer>>;

/// What the server says about a changed script: the problems that a model should repair.
pub type Problems<'a> = dyn Fn(&RevisedScript) -> Result<Vec<String>, Error> + 'a;

/// Changes `given`, which reads `tables`, as requested, by the first model that is sure.
pub fn revise_script(
    cx: &Run<'_>,
    engines: &dyn Engines,
    request: &Question,
    given: &str,
    tables: &[Arc<Table>],
    problems: &Problems<'_>,
) -> Result<ScriptRevised, Error> {
    let models = in_order::places(engines, false);
    let (understanding, _) = understand(cx, request, &[]);
    let chosen = in_order(cx, engines, &models, |cx, _| {
        of_model(cx, &understanding, given, tables, problems)
    })?;
    let notes = in_order::notes(cx);
    Ok(match chosen.given {
        Ok((script, mut assumptions)) => {
            assumptions.extend(notes);
            Ok((script, assumptions))
        }
        Err(mut answer) => {
            answer.warnings.extend(notes);
            answer.trace = cx.trace.borrow().clone();
            Err(answer)
        }
    })
}

fn of_model(
    cx: &Run<'_>,
    understanding: &Understanding,
    given: &str,
    tables: &[Arc<Table>],
    problems: &Problems<'_>,
) -> Result<ScriptRevised, Error> {
    let mut context = retrieve(cx, understanding, &[])?;
    // The request may not name the tables of the script.
    for table in tables.iter().rev() {
        if !context.tables.iter().any(|other| other.oid == table.oid) {
            context.tables.insert(0, Arc::clone(table));
        }
    }
    let stage = cx.stage("prompt");
    let version = cx.session.server_version();
    let prompt = render_revise_script(
        understanding,
        &numbered(given),
        &context,
        cx.config,
        &version,
    );
    let chars = prompt.chars();
    cx.trace.borrow_mut().prompt_chars = chars;
    stage.end(
        json!({"sql": given, "tables": context.tables.len()}),
        json!({"characters": chars}),
    );
    let mut kept: Option<(RevisedScript, Vec<String>)> = None;
    let mut said: Option<String> = None;
    // As often as the text of an error would be sent back for a query.
    for round in 0..=cx.config.max_repairs {
        let prompt = with_problem(&prompt, said.as_deref());
        let reply = match ask_other(cx, understanding, prompt, "revise", json_schema()) {
            // A problem that stays becomes a warning.
            Err(error) if error.is_of_endpoint() && kept.is_some() => {
                if let Some((_, assumptions)) = &mut kept {
                    assumptions.push(format!("no better script was written: {}", error.message()));
                }
                break;
            }
            reply => reply?,
        };
        let problem = match read(&reply) {
            Ok(ScriptReply::Unanswerable(_)) if kept.is_some() => break,
            Ok(ScriptReply::Unanswerable(missing)) => {
                return declined(cx, understanding, missing, &context.tables);
            }
            Ok(ScriptReply::Changes(changes, assumptions)) => {
                match apply(given, &changes, understanding.text(), tables) {
                    Ok(script) => {
                        let problems = problems(&script)?;
                        kept = Some((script, assumptions));
                        match problems.is_empty() {
                            true => break,
                            false => problems.join("\n"),
                        }
                    }
                    Err(problem) => problem,
                }
            }
            Err(problem) => problem,
        };
        let stage = cx.stage("repair");
        stage.end(json!({"round": round}), json!({"problem": problem}));
        said = Some(problem);
    }
    match kept {
        Some(kept) => Ok(Ok(kept)),
        None => Err(failure!(
            ModelReply,
            "the reply of the model cannot be used: {}",
            said.unwrap_or_default()
        )
        .with_hint("Ask again, or say the change in other words.")
        .of_endpoint()),
    }
}

/// The prompt with what was wrong with the reply before.
fn with_problem(prompt: &Prompt, problem: Option<&str>) -> Prompt {
    let mut prompt = prompt.clone();
    if let Some(problem) = problem {
        prompt.user.push_str(&format!(
            "\n\nYour last reply could not be used. Reply again, to the same request. What was wrong:\n{problem}"
        ));
    }
    prompt
}

fn declined(
    cx: &Run<'_>,
    understanding: &Understanding,
    missing: Vec<String>,
    tables: &[Arc<Table>],
) -> Result<ScriptRevised, Error> {
    let reason = match missing.is_empty() {
        true => "the schema does not hold what the change needs".to_owned(),
        false => format!("the schema does not hold {}", missing.join(", ")),
    };
    let proposal = Proposal::Unanswerable {
        reason,
        missing,
        nearest: Vec::new(),
    };
    decline(cx, understanding, proposal, tables).map(|answer| Err(Box::new(answer)))
}
