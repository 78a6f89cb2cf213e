//! What an answer has from texts, and the figures about it that need an embedder or a model.

use serde::Serialize;
use text2sql_domain::answer::Answer;
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::trace::Trace;
use text2sql_metrics::passages::{FromTexts, Judgement, judgement_schema};
use text2sql_models::prompt::render_judge_texts;

use crate::pg::search::search_index::meaning;
use crate::pg::server::settings::Overrides;
use crate::pg::stored::teaching::adviser::Adviser;

/// Figures about an answer from texts that facts alone do not give.
#[derive(Debug, Default, Serialize)]
pub(super) struct Opinions {
    /// Cosine of the vectors of question and answer.
    text_relevancy: Option<f64>,
    faithfulness: Option<f64>,
    answer_relevancy: Option<f64>,
    pub(super) judge_calls: u32,
}

/// Which kind the router took the question for. One that the router had no need to look at is for the tables.
pub(super) fn kind(trace: &Trace) -> String {
    let side = trace
        .stages
        .iter()
        .find(|stage| stage.stage == "choose_side");
    let side = side.and_then(|stage| stage.output.get("side")?.as_str());
    side.unwrap_or("quantitative").to_owned()
}

/// What the answer has from texts.
pub(super) fn of_answer(answer: &Answer) -> FromTexts {
    let trace = &answer.trace;
    let is_written = trace.stages.iter().any(|stage| {
        let cited = stage
            .output
            .get("cited")
            .and_then(serde_json::Value::as_u64);
        stage.stage == "narrate_texts" && cited.is_some_and(|cited| cited > 0)
    });
    let cited = answer.citations.iter();
    FromTexts {
        found: trace.passages.clone(),
        cited: cited.map(|citation| citation.passage.clone()).collect(),
        is_written,
    }
}

/// How near the answer is to the question and, if `is_judged`, what a model says of it.
pub(super) fn opinions(
    question: &str,
    texts: &FromTexts,
    sentence: Option<&str>,
    is_judged: bool,
) -> Result<Opinions, Error> {
    let Some(answer) = texts.answer(sentence) else {
        return Ok(Opinions::default());
    };
    let near = meaning::cosines(question, std::slice::from_ref(&answer))?;
    let mut opinions = Opinions {
        text_relevancy: near.and_then(|cosines| cosines.first().copied()),
        ..Opinions::default()
    };
    if is_judged && texts.is_written {
        judge(question, texts, &answer, &mut opinions)?;
    }
    Ok(opinions)
}

/// Asks the judging model, if it may see all passages. Its failure leaves the figures empty.
fn judge(
    question: &str,
    texts: &FromTexts,
    answer: &str,
    opinions: &mut Opinions,
) -> Result<(), Error> {
    let adviser = Adviser::judging(&Overrides::default())?;
    let egress = adviser.text_egress();
    if !texts
        .found
        .iter()
        .all(|passage| passage.may_be_sent(egress))
    {
        return Ok(());
    }
    let prompt = render_judge_texts(question, &texts.found, answer);
    let subject = format!("judge: {question}");
    opinions.judge_calls = 1;
    let reply = match adviser.ask(&subject, prompt, judgement_schema()) {
        Ok(reply) => reply,
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::ModelReply | ErrorKind::ModelUnreachable
            ) =>
        {
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    let Some(judgement) = Judgement::read(&reply) else {
        return Ok(());
    };
    opinions.faithfulness = judgement.faithfulness();
    let cosines = meaning::cosines(question, &judgement.questions)?.unwrap_or_default();
    opinions.answer_relevancy = judgement.relevancy(&cosines);
    Ok(())
}
