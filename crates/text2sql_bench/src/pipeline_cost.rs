//! A question through the whole pipeline against the same SQL and one request, in turn, and where
//! the time goes.

use std::collections::BTreeMap;
use std::time::Instant;

use crate::Fallible;
use crate::session::milliseconds;
use crate::statistics::median;
use crate::subject::Subject;

/// Pairs before counting starts: every question has been asked and every cache is warm.
const WARM_UP: usize = 30;

/// Milliseconds of each pair.
#[derive(Debug, Default)]
pub(crate) struct PipelineCost {
    pub(crate) request: Vec<f64>,
    pub(crate) direct: Vec<f64>,
    pub(crate) baseline: Vec<f64>,
    pub(crate) ask: Vec<f64>,
    /// Median of the question whose query takes longest.
    pub(crate) slowest_query: f64,
}

/// Measures in turn: request and SQL, then the question, in one session.
pub(crate) fn measure(subject: &Subject<'_>, pairs: usize) -> Fallible<PipelineCost> {
    let mut session = subject.session()?;
    let mut request = subject.direct_request()?;
    let mut cost = PipelineCost::default();
    let mut queries: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (index, asked) in subject.rotation(0).take(WARM_UP + pairs).enumerate() {
        let start = Instant::now();
        request.post(&asked.body)?;
        let request_time = milliseconds(start);
        let (direct_time, _) = session.timed(&asked.question.sql)?;
        let baseline = milliseconds(start);
        let ask = session.ask(&asked.question)?;
        if index >= WARM_UP {
            cost.request.push(request_time);
            cost.direct.push(direct_time);
            cost.baseline.push(baseline);
            cost.ask.push(ask);
            queries
                .entry(&asked.question.text)
                .or_default()
                .push(direct_time);
        }
    }
    cost.slowest_query = queries
        .values()
        .map(|times| median(times))
        .fold(0.0, f64::max);
    Ok(cost)
}

/// Milliseconds of the stages, in the order they ran, by the moments at which their notices
/// arrive. Each notice costs a few microseconds of its own.
pub(crate) fn stages(subject: &Subject<'_>, questions: usize) -> Fallible<Vec<(String, Vec<f64>)>> {
    let mut session = subject.session()?;
    for asked in subject.rotation(0).take(WARM_UP) {
        session.ask(&asked.question)?;
    }
    session.run("SET text2sql.progress = on")?;
    session.take_notices();
    let mut stages: Vec<(String, Vec<f64>)> = Vec::new();
    for asked in subject.rotation(0).take(questions) {
        let mut begun = ("call".to_owned(), Instant::now());
        session.ask(&asked.question)?;
        let end = ("end".to_owned(), Instant::now());
        let notices = session.take_notices();
        let moments = notices
            .into_iter()
            .filter_map(|(text, moment)| Some((stage_of(&text)?.to_owned(), moment)));
        for moment in moments.chain([end]) {
            let time = moment.1.saturating_duration_since(begun.1).as_secs_f64() * 1000.0;
            match stages.iter_mut().find(|(name, _)| *name == begun.0) {
                Some((_, times)) => times.push(time),
                None => stages.push((begun.0, vec![time])),
            }
            begun = moment;
        }
    }
    Ok(stages)
}

/// `text2sql: retrieve (0.1 ms)` tells of `retrieve`.
fn stage_of(notice: &str) -> Option<&str> {
    let (stage, _) = notice.strip_prefix("text2sql: ")?.split_once(' ')?;
    Some(stage)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_names_its_stage() {
        assert_eq!(stage_of("text2sql: retrieve (0.1 ms)"), Some("retrieve"));
        assert_eq!(stage_of("something else"), None);
    }
}
