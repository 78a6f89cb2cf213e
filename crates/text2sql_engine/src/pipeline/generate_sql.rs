//! Writes a query for a schema that the caller handed over. It is checked, repaired like any other, and not run.

use super::answer;
use super::asked::{Asked, Parts};
use super::solve::solve;
use crate::given_schema::NameCheck;
use crate::plan_in_words;
use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::engines::Engines;
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::question::Question;
use text2sql_sql::ddl::GivenSchema;

/// Writes the query by the first engine that is sure. The catalog and the database of the run are those of `schema`.
pub fn generate_sql(
    cx: &Run<'_>,
    engines: &dyn Engines,
    question: &Question,
    schema: &GivenSchema,
) -> Result<Answer, Error> {
    let asked = Asked::for_sql(engines, question, &[], Parts::Whole);
    let (chosen, assumptions) = solve(cx, &asked)?;
    cx.with_engine(&chosen.engine, |cx| {
        let answer = match chosen.given.solved() {
            Ok(solved) => {
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
                answer.warnings.extend(solved.context.notes.iter().cloned());
                answer.confidence = answer::confidence(cx, &proposal);
                answer.links = proposal.links;
                answer.links.append(&mut proposal.notes);
                answer.plan = proposal.plan;
                answer.sql = Some(proposal.sql);
                answer
            }
            Err(answer) => *answer,
        };
        let mut answer = answer::noted(cx, answer, assumptions);
        plan_in_words::add(&mut answer);
        Ok(answer)
    })
}
