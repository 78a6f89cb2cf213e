//! The validator of the foreign-data wrapper `text2sql`, and the function behind the view `models`. The
//! wrapper, `add_model`, `_drop_model` and the view are in `sql/schema/model_servers.sql`.

use pgrx::prelude::*;
use text2sql_domain::error::{Error, failure};
use text2sql_models::providers::failure;
use text2sql_models::providers::options::{self, OptionPlace};

use crate::pg::Oid;
use crate::pg::server::array_argument::Texts;
use crate::pg::server::error::{ErrorReport, report};
use crate::pg::server::text_argument::Text;
use crate::pg::stored::models::{self, option_place, own_rights};

/// Checks the options of a server or user mapping when they are created or altered.
#[pg_extern(volatile, parallel_unsafe, name = "_validate_options")]
fn validate_options(options: Texts, catalog: Oid) -> Result<(), ErrorReport> {
    let pairs: Vec<(String, String)> = options
        .into_iter()
        .flatten()
        .filter_map(|option| {
            option
                .split_once('=')
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
        })
        .collect();
    let check = || match option_place(catalog) {
        Some(OptionPlace::Wrapper) | None if pairs.is_empty() => Ok(()),
        Some(place) => {
            options::check(place, &pairs, own_rights())?;
            match place {
                OptionPlace::Server => check_url(&pairs),
                _ => Ok(()),
            }
        }
        None => Err(failure!(
            Setting,
            "only servers and user mappings take options"
        )),
    };
    check().map_err(report)
}

/// Refuses a base_url that every request would be refused for. The addresses of its host name are checked when
/// it is used.
fn check_url(options: &[(String, String)]) -> Result<(), Error> {
    let endpoint = options::endpoint("", options, None, None)?;
    text2sql_http::check_url(&endpoint.base_url, &endpoint.connection)
        .map_err(|error| failure::from_options(&error))
}

/// Whether the caller can use a model, for the view `models`. Does not contact the endpoint.
#[pg_extern(stable, parallel_unsafe, name = "_model_state")]
fn model_state(
    model: Text<'_>,
) -> TableIterator<
    'static,
    (
        name!(status, String),
        name!(problem, Option<String>),
        name!(key_source, Option<String>),
    ),
> {
    let model = &*model;
    let state = models::state(model);
    TableIterator::once((
        state.status.to_owned(),
        state.problem,
        state.key_source.map(str::to_owned),
    ))
}
