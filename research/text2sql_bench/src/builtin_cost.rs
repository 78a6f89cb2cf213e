//! The built-in engine: no model, no request. Time per question against the SQL it wrote.

use crate::error::Fallible;
use crate::guard_cost::compare;
use crate::subject::Subject;
use crate::workload::call;

/// Milliseconds of the questions it answered.
#[derive(Debug, Default)]
pub(crate) struct BuiltinCost {
    pub(crate) direct: Vec<f64>,
    pub(crate) ask: Vec<f64>,
    /// Milliseconds of the questions it declined.
    pub(crate) declined: Vec<f64>,
    pub(crate) answered: usize,
    /// Each declined question with its status.
    pub(crate) declined_questions: Vec<String>,
}

/// Measures each question this number of times. To decline is an answer too; not to know the question's
/// words in a catalog full of them is not a failure of the benchmark.
pub(crate) fn measure(
    subject: &Subject<'_>,
    questions: &[String],
    repeats: usize,
) -> Fallible<BuiltinCost> {
    let mut session = subject.builtin_session()?;
    let mut cost = BuiltinCost::default();
    for text in questions {
        let ask = call("ask", text);
        let rows = session.run(&ask)?;
        let column = |name: &str| {
            rows.first()
                .and_then(|row| row.try_get(name).ok().flatten())
        };
        match (column("status"), column("sql")) {
            (Some("ok"), Some(sql)) => {
                let pairs = compare(&mut session, sql, &ask, repeats)?;
                cost.direct.extend(pairs.direct);
                cost.ask.extend(pairs.guarded);
                cost.answered += 1;
            }
            (status, _) => {
                for _ in 0..repeats {
                    cost.declined.push(session.timed(&ask)?.0);
                }
                let status = status.unwrap_or("no row");
                cost.declined_questions.push(format!("{text} ({status})"));
            }
        }
    }
    Ok(cost)
}
