//! Writes a query for a schema that the caller handed over. It is checked, repaired like any other, and not run.

use super::attempt::{Attempt, End, Statement};
use super::solve::solve_with_readings;
use super::{answer, in_order};
use crate::given_schema::NameCheck;
use crate::plan_in_words;
use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::config::ModelConfig;
use text2sql_domain::dialect::Dialect;
use text2sql_domain::engines::Engines;
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::ports::Outcome;
use text2sql_domain::question::Question;
use text2sql_domain::sql_result::{DatabaseError, ResultColumn};
use text2sql_sql::ddl::GivenSchema;

/// Writes the query by the first engine that is sure. The catalog and the database of the run are those of `schema`.
pub fn generate_sql(
    cx: &Run<'_>,
    engines: &dyn Engines,
    question: &Question,
    schema: &GivenSchema,
) -> Result<Answer, Error> {
    let check = |cx: &Run<'_>, statement: &Statement<'_>| tried(cx, statement.sql(), schema);
    let attempt = Attempt::of_columns(&check);
    let (chosen, assumptions) = solve_with_readings(cx, engines, question, &[], &attempt)?;
    cx.with_engine(&chosen.engine, |cx| {
        let mut answer = match chosen.given {
            End::Solved(solved) => {
                let mut proposal = solved.proposal;
                let mut answer = Answer::without_rows(Status::Ok, "");
                answer.sentence = None;
                answer.warnings = NameCheck(schema).notes(&proposal.sql)?;
                answer.warnings.extend(
                    proposal
                        .missing
                        .iter()
                        .map(|missing| format!("not in the schema: {missing}")),
                );
                answer.warnings.extend(solved.context.notes);
                answer.confidence = answer::confidence(cx, &proposal);
                answer.links = proposal.links;
                answer.links.append(&mut proposal.notes);
                answer.plan = proposal.plan;
                answer.sql = Some(proposal.sql);
                answer
            }
            End::Answered(answer, _) => *answer,
            End::Several(parts) => super::one_result::one_at_a_time(parts),
        };
        answer.links.splice(0..0, assumptions);
        answer.warnings.extend(in_order::notes(cx));
        answer.trace = cx.trace.borrow().clone();
        plan_in_words::add(&mut answer);
        Ok(answer)
    })
}

/// Checks a statement. The built-in engine writes PostgreSQL.
fn tried(
    cx: &Run<'_>,
    sql: &str,
    schema: &GivenSchema,
) -> Result<Outcome<Vec<ResultColumn>>, Error> {
    let is_foreign = schema.dialect != Dialect::PostgreSql;
    if is_foreign && matches!(cx.config.model, ModelConfig::Builtin) {
        return Ok(Outcome::Failed(DatabaseError {
            sqlstate: "0A000".to_owned(),
            message: format!(
                "the built-in engine writes PostgreSQL, not {}",
                schema.dialect
            ),
            detail: None,
            hint: Some("Name a model that writes SQL: SET text2sql.model = 'gpt'.".to_owned()),
            position: None,
            is_private: false,
        }));
    }
    cx.database.check(sql, &cx.config.limits)
}
