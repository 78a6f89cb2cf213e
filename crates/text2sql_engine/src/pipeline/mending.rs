//! A query of a model, changed where the tables or the question prove what was meant, before the model is asked again.

use serde_json::json;

use super::asked::Asked;
use super::dialogue::Dialogue;
use crate::gate::Judged;
use crate::statement::{Statement, Tried};
use text2sql_analysis::mend::mend;
use text2sql_domain::dialect::Dialect;
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::ports::Outcome;
use text2sql_domain::proposal::SqlProposal;

/// How often a statement is mended: the server reports one kind of fault at a time.
const MAX_MENDS: usize = 4;

impl Dialogue {
    pub(super) fn may_mend(&self, cx: &Run<'_>) -> bool {
        let schema = cx.config.given_schema;
        let is_postgresql = schema.is_none_or(|dialect| dialect == Dialect::PostgreSql);
        cx.config.stages.mend && is_postgresql && !self.steps.is_plan()
    }

    /// What a failed statement gives with what the tables prove to be meant, before a model is asked to repair it. The
    /// statement stays as it is where that does not run.
    pub(super) fn mended(
        &self,
        cx: &Run<'_>,
        asked: &Asked<'_>,
        proposal: &mut SqlProposal,
        first: Outcome<Tried>,
    ) -> Result<Outcome<Tried>, Error> {
        let Outcome::Failed(error) = &first else {
            return Ok(first);
        };
        if !self.may_mend(cx) {
            return Ok(first);
        }
        let mut error = error.clone();
        let mut mended = proposal.clone();
        for _ in 0..MAX_MENDS {
            let Some(next) = mend(&mended.sql, &error, &self.tables) else {
                break;
            };
            mended.sql = next.sql;
            mended.notes.extend(next.changes.iter().cloned());
            let outcome = self.try_changed(cx, asked, &mended, &next.changes)?;
            match outcome {
                Outcome::Passed(_) => {
                    *proposal = mended;
                    return Ok(outcome);
                }
                Outcome::Failed(other) => error = other,
                Outcome::Rejected(_) => break,
            }
        }
        Ok(first)
    }

    /// The statement without the parts that the question says nothing of, if it passes then; a small model adds them.
    pub(super) fn simplified(
        &self,
        cx: &Run<'_>,
        asked: &Asked<'_>,
        proposal: &mut SqlProposal,
        first: (Tried, Judged),
    ) -> Result<(Tried, Judged), Error> {
        let (result, mut judged) = first;
        let Some(sql) = judged
            .suspicions
            .simpler
            .take()
            .filter(|_| self.may_mend(cx))
        else {
            return Ok((result, judged));
        };
        let mut simpler = proposal.clone();
        simpler.sql = sql;
        let changes = judged.suspicions.said.iter();
        let changes: Vec<String> = changes
            .map(|suspicion| format!("the query was changed, because {suspicion}"))
            .collect();
        let outcome = self.try_changed(cx, asked, &simpler, &changes)?;
        let Outcome::Passed(other) = outcome else {
            return Ok((result, judged));
        };
        let again = self.judge(cx, &simpler.sql, &other, asked.is_question())?;
        let is_better = again.suspicions.said.is_empty() && again.failures(&self.tables).is_empty();
        if !is_better {
            return Ok((result, judged));
        }
        simpler.notes.extend(changes);
        *proposal = simpler;
        Ok((other, again))
    }

    /// Runs a changed statement, as a stage of its own.
    fn try_changed(
        &self,
        cx: &Run<'_>,
        asked: &Asked<'_>,
        changed: &SqlProposal,
        changes: &[String],
    ) -> Result<Outcome<Tried>, Error> {
        cx.note(|news| news.sql = Some(changed.sql.clone()));
        let stage = cx.stage("mend");
        let statement = Statement {
            proposal: changed,
            understanding: &self.understanding,
            context: &self.context,
            tables: &self.tables,
        };
        let outcome = asked.try_statement(cx, statement)?;
        let mut summary = outcome.summary_of_run(Tried::rows);
        if let Some(members) = summary.as_object_mut() {
            members.insert("changes".to_owned(), json!(changes));
        }
        stage.end(json!({"sql": changed.sql}), summary);
        Ok(outcome)
    }
}
