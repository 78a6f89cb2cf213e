//! The fitted confidence of the current model. A fit holds no question and no value, so it is read as the owner
//! of its table: the caller needs no privilege in the schema `text2sql_eval`.

use text2sql_domain::confidence::Fit;
use text2sql_domain::config::ModelConfig;
use text2sql_domain::error::Error;

use crate::pg::access::catalog::SessionCache;
use crate::pg::server::spi;
use crate::pg::server::spi::owner::as_owner_of_eval;
use crate::pg::server::spi::sandbox::keep_no_locks;

const FIT: &str =
    "SELECT f.intercept, f.by_score, f.by_agreement FROM text2sql_eval._confidence_fits f
     WHERE f.model = $1 AND f.endpoint_model = $2";
const FITTED: &str =
    "SELECT f.answers, f.expected_error, f.fitted_at::date::text, f.state, f.later_answers, f.later_right_answers, f.mean_confidence
       FROM text2sql_eval.confidence_fits f
      WHERE f.model = $1 AND f.endpoint_model = $2";

/// Maximum number of models whose fits a session caches.
const MAX_MODELS: usize = 8;

thread_local! {
    /// By the names of the model and of the endpoint's model.
    static KNOWN: SessionCache<(String, String), Option<Fit>> = SessionCache::new(MAX_MODELS);
}

/// The fit for the model of that name; `None` if there is none, and for the built-in engine, which has its own.
pub(crate) fn fit(name: &str, model: &ModelConfig) -> Result<Option<Fit>, Error> {
    if matches!(model, ModelConfig::Builtin) {
        return Ok(None);
    }
    let behind = behind(model);
    SessionCache::get_or_read(&KNOWN, (name.to_owned(), behind.to_owned()), || {
        let fits = keep_no_locks(|| {
            as_owner_of_eval(c"_confidence_fits", || {
                spi::read_rows(FIT, &[name.into(), behind.into()], 1, |row| {
                    Ok(Fit {
                        intercept: row.read(1)?.unwrap_or_default(),
                        by_score: row.read(2)?.unwrap_or_default(),
                        by_agreement: row.read(3)?.unwrap_or_default(),
                    })
                })
            })
        })?;
        Ok(fits.into_iter().next())
    })
}

/// What status() says of a fit.
pub(crate) struct Report {
    /// Number of answers, date and average error.
    pub(crate) fitted: String,
    /// Why it should be fitted anew; `None` while it holds.
    pub(crate) problem: Option<String>,
}

/// The description for status().
pub(crate) fn report(name: &str, model: &ModelConfig) -> Result<Option<Report>, Error> {
    let arguments = [name.into(), behind(model).into()];
    let fitted = as_owner_of_eval(c"_confidence_fits", || {
        spi::read_rows(FITTED, &arguments, 1, |row| {
            let answers: i32 = row.read(1)?.unwrap_or_default();
            let error: f64 = row.read(2)?.unwrap_or_default();
            let day: String = row.read(3)?.unwrap_or_default();
            let state: String = row.read(4)?.unwrap_or_default();
            let later: i32 = row.read(5)?.unwrap_or_default();
            let (right, confidence): (Option<i32>, Option<f64>) = (row.read(6)?, row.read(7)?);
            let problem = match (state.as_str(), right, confidence) {
                ("fits", ..) => None,
                ("no longer fits", Some(right), Some(confidence)) => Some(format!(
                    "no longer fits: {right} of {later} later answers are right, with a mean confidence of {confidence:.2}"
                )),
                _ => Some(state),
            };
            Ok(Report {
                fitted: format!(
                    "fitted on {answers} answers on {day}, off by {:.0} % on average",
                    100.0 * error
                ),
                problem,
            })
        })
    })?;
    Ok(fitted.into_iter().next())
}

/// The model name that the endpoint uses.
fn behind(model: &ModelConfig) -> &str {
    match model {
        ModelConfig::Endpoint(endpoint) => &endpoint.model,
        ModelConfig::Builtin | ModelConfig::Replay(_) => "",
    }
}
