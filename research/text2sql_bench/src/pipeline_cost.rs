//! A question through the whole pipeline against the same SQL and one request, in turn, and where
//! the time goes.

use std::collections::BTreeMap;
use std::time::Instant;

use crate::error::Fallible;
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

/// Milliseconds of the stages, in the order they ran, told by progress notices, each of which costs
/// a few microseconds of its own. The last one holds what no stage does: the call and the reply.
pub(crate) fn stages(subject: &Subject<'_>, questions: usize) -> Fallible<Vec<(String, Vec<f64>)>> {
    let mut session = subject.session()?;
    for asked in subject.rotation(0).take(WARM_UP) {
        session.ask(&asked.question)?;
    }
    session.run("SET text2sql.enable_progress = on")?;
    session.take_notices();
    let mut stages: Vec<(String, Vec<f64>)> = Vec::new();
    for asked in subject.rotation(0).take(questions) {
        let start = Instant::now();
        let total = session.ask(&asked.question)?;
        let begun: Vec<(String, f64)> = session
            .take_notices()
            .into_iter()
            .filter_map(|(text, arrived)| {
                let (stage, told) = stage_of(&text)?;
                let seen = arrived.saturating_duration_since(start).as_secs_f64() * 1000.0;
                Some((stage.to_owned(), told.unwrap_or(seen)))
            })
            .collect();
        for (index, (stage, begin)) in begun.iter().enumerate() {
            let end = begun.get(index + 1).map_or(total, |(_, next)| *next);
            match stages.iter_mut().find(|(name, _)| name == stage) {
                Some((_, times)) => times.push(end - begin),
                None => stages.push((stage.clone(), vec![end - begin])),
            }
        }
    }
    Ok(stages)
}

/// `text2sql: retrieve (0.123 ms)` tells of `retrieve` and its beginning. A time with fewer than
/// two decimals is too coarse; the moment at which the notice arrives then has to do.
fn stage_of(notice: &str) -> Option<(&str, Option<f64>)> {
    let (stage, time) = notice.strip_prefix("text2sql: ")?.split_once(" (")?;
    let told = time.strip_suffix(" ms)").filter(|time| {
        let decimals = time
            .split_once('.')
            .map_or(0, |(_, decimals)| decimals.len());
        decimals >= 2
    });
    Some((stage, told.and_then(|time| time.parse().ok())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_names_its_stage_and_the_time() {
        assert_eq!(
            stage_of("text2sql: retrieve (1.234 ms)"),
            Some(("retrieve", Some(1.234)))
        );
        assert_eq!(
            stage_of("text2sql: retrieve (0.1 ms)"),
            Some(("retrieve", None))
        );
        assert_eq!(stage_of("something else"), None);
    }
}
