//! Which reading of an ambiguous question is answered, where the caller wants no question back.

use super::attempt::End;
use text2sql_domain::answer::Status;
use text2sql_domain::config::WhenAmbiguous;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::question::Question;

/// Maximum number of times a reading is chosen: a reading is a whole question, and may have readings itself.
const MAX_CHOICES: usize = 3;

/// The reading to answer where the way of a question ends with a question back; the choice becomes an
/// assumption.
pub(super) fn of_reading<T>(
    cx: &Run<'_>,
    end: &mut End<T>,
    assumptions: &mut Vec<String>,
) -> Option<Question> {
    let End::Answered(answer) = end else {
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
