//! What the guard costs: a statement through `text2sql.run_json` against the same statement sent
//! directly, in turn. The difference holds the guard, the sandbox, the rendering as JSON and the
//! call of a function.

use crate::error::Fallible;
use crate::session::Session;
use crate::statistics::{differences, median};
use crate::workload::call;

/// Pairs before counting starts.
const WARM_UP: usize = 20;

/// Milliseconds of each pair.
#[derive(Debug)]
pub(crate) struct GuardCost {
    pub(crate) direct: Vec<f64>,
    pub(crate) guarded: Vec<f64>,
}

impl GuardCost {
    /// Microseconds that the guard adds, pair by pair.
    pub(crate) fn added(&self) -> Vec<f64> {
        differences(&self.guarded, &self.direct)
            .into_iter()
            .map(|milliseconds| milliseconds * 1000.0)
            .collect()
    }

    /// The median of them.
    pub(crate) fn median_added(&self) -> f64 {
        median(&self.added())
    }
}

/// Measures a statement guarded and direct.
pub(crate) fn measure(session: &mut Session, sql: &str, pairs: usize) -> Fallible<GuardCost> {
    compare(session, sql, &call("run_json", sql), pairs)
}

/// Measures the call of a function that does nothing, against a statement that does nothing.
pub(crate) fn empty_call(session: &mut Session, pairs: usize) -> Fallible<GuardCost> {
    compare(session, "SELECT 'x'", "SELECT text2sql._version()", pairs)
}

/// Measures two statements in turn.
pub(crate) fn compare(
    session: &mut Session,
    direct: &str,
    guarded: &str,
    pairs: usize,
) -> Fallible<GuardCost> {
    let mut cost = GuardCost {
        direct: Vec::with_capacity(pairs),
        guarded: Vec::with_capacity(pairs),
    };
    for index in 0..WARM_UP + pairs {
        let (direct, _) = session.timed(direct)?;
        let (guarded, _) = session.timed(guarded)?;
        if index >= WARM_UP {
            cost.direct.push(direct);
            cost.guarded.push(guarded);
        }
    }
    Ok(cost)
}
