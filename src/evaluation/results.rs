//! Figures about an answer from tables that need an embedder or a model.

use serde::Serialize;
use text2sql_domain::answer::Answer;
use text2sql_domain::config::Egress;
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::score::Relevance;
use text2sql_engine::conversation::masked;
use text2sql_engine::scoring::relevance;
use text2sql_language::understanding::Understanding;
use text2sql_models::prompt::render_relevance;

use crate::pg::search::search_index::meaning;
use crate::pg::server::settings::Overrides;
use crate::pg::stored::teaching::adviser::Adviser;

/// What a judging model and the vectors of this server's embedder say of an answer.
#[derive(Debug, Default, Serialize)]
pub(super) struct ResultFigures {
    /// How well the rows answer the question, as the judging model finds.
    relevance: Option<f64>,
    /// Cosine of the vectors of question and sentence.
    sentence_relevancy: Option<f64>,
    /// Cosine of the vectors of the candidate's and the gold's SQL.
    vector_similarity: Option<f64>,
    #[serde(skip)]
    pub(super) judge_calls: u32,
}

impl ResultFigures {
    /// The opinion of the judging model on a result, if there is one. Its failure leaves the figure empty.
    pub(super) fn judged(question: &str, answer: &Answer) -> Result<Self, Error> {
        let (Some(sql), Some(execution)) = (&answer.sql, &answer.execution) else {
            return Ok(Self::default());
        };
        let adviser = Adviser::judging(&Overrides::default())?;
        // The writer may have seen values that the judge may not see.
        let sql = match adviser.egress() {
            Egress::Schema => masked(sql, &question.to_lowercase(), false),
            Egress::Values | Egress::Rows => Some(sql.clone()),
        };
        let Some(sql) = sql else {
            return Ok(Self::default());
        };
        let shows_rows = adviser.egress() == Egress::Rows && !execution.is_private;
        let prompt = render_relevance(
            adviser.prompts(),
            &Understanding::of(question, ""),
            &sql,
            execution,
            shows_rows,
        );
        let subject = format!("relevance: {question}");
        let found = match adviser.ask(&subject, prompt, relevance::json_schema()) {
            Ok(reply) => relevance::read(&reply),
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::ModelReply | ErrorKind::ModelUnreachable
                ) =>
            {
                None
            }
            Err(error) => return Err(error),
        };
        Ok(Self {
            relevance: found.map(|Relevance { score, .. }| score),
            judge_calls: 1,
            ..Self::default()
        })
    }

    /// Adds what vectors say of the sentence, and of the statement beside the gold.
    pub(super) fn compare(
        &mut self,
        question: &str,
        sentence: Option<&str>,
        statements: Option<(&str, &str)>,
    ) -> Result<(), Error> {
        let cosine = |one: &str, other: &str| -> Result<Option<f64>, Error> {
            let found = meaning::cosines(one, &[other.to_owned()])?;
            Ok(found.and_then(|cosines| cosines.first().copied()))
        };
        if let Some(sentence) = sentence {
            self.sentence_relevancy = cosine(question, sentence)?;
        }
        if let Some((candidate, gold)) = statements {
            self.vector_similarity = cosine(candidate, gold)?;
        }
        Ok(())
    }
}
