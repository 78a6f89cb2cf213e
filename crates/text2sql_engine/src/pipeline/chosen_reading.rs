//! Chooses a reading of an ambiguous question when the configuration says not to ask the caller.

use super::attempt::End;
use text2sql_domain::answer::Status;
use text2sql_domain::config::WhenAmbiguous;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::question::Question;

/// Maximum number of choices per question: a reading is a complete question and may be ambiguous itself.
const MAX_CHOICES: usize = 3;

/// Returns the first reading of an ambiguous `end` as the next question, and records the choice as an
/// assumption.
pub(super) fn of_reading<T>(
    cx: &Run<'_>,
    end: &mut End<T>,
    assumptions: &mut Vec<String>,
) -> Option<Question> {
    let End::Answered(answer, _) = end else {
        return None;
    };
    let chooses = cx.config.reading.on_ambiguity == WhenAmbiguous::Choose
        && answer.status == Status::Ambiguous
        && assumptions.len() < MAX_CHOICES;
    let first = answer.readings.first().filter(|_| chooses)?;
    let reading = Question::new(first).ok()?;
    let back = answer.sentence.take().unwrap_or_default();
    assumptions.push(format!("{back} Answered: {}", reading.as_str()));
    cx.trace.borrow_mut().standalone = Some(reading.as_str().to_owned());
    Some(reading)
}
