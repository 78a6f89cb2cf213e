//! `text2sql.status()`: what is configured, what is reachable, what is missing.

use pgrx::prelude::*;
use text2sql_domain::approval::ApprovalRule;
use text2sql_domain::config::{BUILTIN, ModelConfig};
use text2sql_domain::engines::write_list;
use text2sql_domain::ports::{Catalog, HttpRequest, Session, Transport};
use text2sql_models::providers;

use crate::pg::access::execution::database::GuardedDatabase;
use crate::pg::search::documents;
use crate::pg::search::role_catalog::RoleCatalog;
use crate::pg::search::search_index::{embedder as embedders, report};
use crate::pg::server::installed_version::require_same_version;
use crate::pg::server::session::PgSession;
use crate::pg::server::settings::allowed_function_oids;
use crate::pg::server::settings::{self, Overrides};
use crate::pg::server::spi::encoding::for_client;
use crate::pg::server::spi::owner::is_standby;
use crate::pg::stored::evaluation::confidence;
use crate::pg::stored::models;
use crate::pg::stored::models::http::HelperTransport;
use crate::pg::stored::queue::report as report_of_queue;
use crate::pg::stored::record::approvals;
use crate::pg::stored::teaching::overview;

/// How long the endpoint may take to respond.
const PROBE_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(3);

/// Counting stops here: an exact count of a large catalog is not worth the time.
const MAX_TABLES_COUNTED: usize = 10_000;

type Item = (String, String, Option<String>);

/// The configuration of the caller, and whether it works: an endpoint is asked for its list of models, which
/// uses no tokens.
#[pg_extern(volatile, parallel_unsafe)]
fn status() -> TableIterator<
    'static,
    (
        name!(item, String),
        name!(value, String),
        name!(note, Option<String>),
    ),
> {
    let mut items: Vec<Item> = vec![("version".into(), env!("CARGO_PKG_VERSION").into(), None)];
    match require_same_version() {
        Err(error) => items.push((
            "ready".into(),
            format!("no: {}", error.message()),
            error.hint().map(str::to_owned),
        )),
        Ok(()) => {
            items.extend(tables());
            items.extend(standby());
            items.extend(scope());
            items.extend(approval());
            items.extend(queue());
            items.extend(overview::items());
            items.push(embedder());
            items.extend(search_index());
            items.extend(documents::report().unwrap_or_default());
            items.extend(reranker());
            items.extend(models());
        }
    }
    let prose = |text: String| for_client(&text).into_owned();
    TableIterator::new(
        items
            .into_iter()
            .map(move |(item, value, note)| (item, prose(value), note.map(prose))),
    )
}

fn tables() -> Vec<Item> {
    let counted = GuardedDatabase::new().and_then(|database| {
        let count = RoleCatalog::new(*database.role()).count(MAX_TABLES_COUNTED + 1)?;
        Ok((database.role().name(), count))
    });
    match counted {
        Ok((role, count)) => {
            let more = if count > MAX_TABLES_COUNTED {
                "more than 10000".to_owned()
            } else {
                count.to_string()
            };
            let note =
                (count == 0).then(|| format!("GRANT SELECT ON … TO {}", PgSession::new().user()));
            vec![
                ("runs as".into(), role, None),
                ("readable tables".into(), more, note),
            ]
        }
        Err(error) => vec![(
            "runs as".into(),
            error.message().into(),
            error.hint().map(str::to_owned),
        )],
    }
}

/// What a standby leaves out.
fn standby() -> Option<Item> {
    is_standby().then(|| {
        let note = "Questions and conversations are not recorded; feedback, stored knowledge and refresh() need the primary server.";
        ("standby".into(), "yes".into(), Some(note.into()))
    })
}

fn search_index() -> Vec<Item> {
    report::report().unwrap_or_else(|error| {
        let hint = error.hint().map(str::to_owned);
        vec![("search index".into(), error.message().into(), hint)]
    })
}

/// Which embedder makes vectors, and why.
fn embedder() -> Item {
    let (value, note) = embedders::report();
    ("embedder".into(), value, note)
}

/// The reranking model, if one is set.
fn reranker() -> Option<Item> {
    let name = settings::rerank_model(&Overrides::default())?;
    Some(match embedders::reranker(Some(&name)) {
        Ok(_) => ("re-ranker".into(), name, None),
        Err(error) => (
            "re-ranker".into(),
            format!("{name}, not usable: {}", error.message()),
            error.hint().map(str::to_owned),
        ),
    })
}

/// Restrictions and permissions set by a superuser that differ from the defaults.
fn scope() -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    if let Some(schemas) = settings::allowed_schemas() {
        items.push(("schemas".into(), schemas.join(", "), None));
    }
    let allowed = [
        ("system catalogs", settings::allow_system_catalogs()),
        ("foreign tables", settings::allow_foreign_tables()),
    ];
    for (what, _) in allowed.into_iter().filter(|(_, is_allowed)| *is_allowed) {
        items.push((what.into(), "allowed".into(), None));
    }
    for signature in settings::allowed_functions() {
        let (state, note) = match allowed_function_oids::oid_of(&signature) {
            Some(_) => ("allowed", None),
            None => (
                "unknown",
                Some("Name a function that exists in text2sql.allowed_functions, as schema.name(type, …).".into()),
            ),
        };
        items.push((format!("function {signature}"), state.into(), note));
    }
    items
}

/// The approval that the questions of the caller need.
fn approval() -> Option<Item> {
    let rule = match approvals::of_caller() {
        Ok(approval) => approval.rule,
        Err(error) => {
            let hint = error.hint().map(str::to_owned);
            return Some(("approval".into(), error.message().into(), hint));
        }
    };
    let value = match rule {
        ApprovalRule::Never => return None,
        ApprovalRule::Always => "needed for every question".to_owned(),
        ApprovalRule::Uncertain { least_confidence } => {
            format!("needed for doubtful questions, and below a confidence of {least_confidence}")
        }
    };
    Some(("approval".into(), value, None))
}

/// The questions of `submit()` and `ask_batch()` without an answer that the caller may see.
fn queue() -> Option<Item> {
    let item = "questions in the queue".to_owned();
    match report_of_queue::report() {
        Ok(report) => report.map(|(value, note)| (item, value, Some(note))),
        Err(error) => Some((
            item,
            error.message().into(),
            error.hint().map(str::to_owned),
        )),
    }
}

/// Whether the confidence of the model has been fitted to measured answers.
fn confidence_item(name: &str, model: &ModelConfig) -> Item {
    let (value, note) = match confidence::report(name, model) {
        Ok(Some(report)) => match report.problem {
            None => (report.fitted, None),
            Some(problem) => (
                format!("{}; {problem}", report.fitted),
                Some("Evaluate the model again, then run: SELECT * FROM text2sql_eval.fit_confidence();".to_owned()),
            ),
        },
        Ok(None) => (
            "not fitted".to_owned(),
            Some("Evaluate the model on your own questions, then run: SELECT * FROM text2sql_eval.fit_confidence(1);".to_owned()),
        ),
        Err(error) => (error.message().to_owned(), error.hint().map(str::to_owned)),
    };
    ("confidence".into(), value, note)
}

/// The models that write the SQL, each with whether it can be asked, and those of other calls.
fn models() -> Vec<Item> {
    let names = match settings::models(&Overrides::default()) {
        Ok(names) => names,
        Err(error) => {
            let hint = error.hint().map(str::to_owned);
            return vec![("model".into(), error.message().into(), hint)];
        }
    };
    let mut items: Vec<Item> = vec![("model".into(), write_list(&names), None)];
    for name in &names {
        let of_one = model(name);
        items.extend(
            of_one
                .into_iter()
                .map(|(item, value, note)| match names.len() {
                    1 => (item, value, note),
                    _ => (
                        format!("{name}: {item}"),
                        value,
                        note.filter(|_| name != BUILTIN),
                    ),
                }),
        );
    }
    items.extend(other_models());
    items
}

/// The models of other calls, where they are set.
fn other_models() -> Vec<Item> {
    let none = Overrides::default();
    let set = [
        ("judge model", settings::judge_model(&none)),
        ("narration model", settings::narration_model(&none)),
        ("table choice model", settings::table_choice_model(&none)),
        ("suggestion model", settings::suggestion_model(&none)),
    ];
    let set = set
        .into_iter()
        .filter_map(|(item, name)| Some((item, name?)));
    let item = |(item, name): (&str, String)| match models::model(&name) {
        Ok(_) => (item.to_owned(), name, None),
        Err(error) => (
            item.to_owned(),
            format!("{name}, not usable: {}", error.message()),
            error.hint().map(str::to_owned),
        ),
    };
    set.map(item).collect()
}

fn model(name: &str) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    match models::model(name) {
        Err(error) => items.push(("ready".into(), format!("no: {}", error.message()), error.hint().map(str::to_owned))),
        Ok(ModelConfig::Builtin) => items.push((
            "ready".into(),
            "yes".into(),
            Some("It answers simple questions without a network. For others, add a model: SELECT text2sql.add_model(…);".into()),
        )),
        Ok(ModelConfig::Replay(recordings)) => {
            items.push(("ready".into(), format!("yes: {} recorded questions", recordings.len()), None));
        }
        Ok(ModelConfig::Endpoint(endpoint)) => {
            let source = models::find_server(name).map(|server| models::key_source(&server));
            items.push(confidence_item(name, &ModelConfig::Endpoint(endpoint.clone())));
            items.push(("endpoint".into(), endpoint.base_url.clone(), None));
            items.push(("model name".into(), endpoint.model.clone(), None));
            items.push(("key".into(), source.unwrap_or("none").into(), None));
            items.push(("egress".into(), endpoint.egress.as_str().into(), None));
            let request = HttpRequest { timeout: PROBE_TIMEOUT, ..providers::probe(&endpoint) };
            items.push(match HelperTransport.send(&request) {
                Ok(reply) if matches!(reply.status, 401 | 403) => {
                    ("ready".into(), format!("no: the endpoint refused the API key (HTTP status {})", reply.status), None)
                }
                Ok(reply) if reply.status >= 500 => {
                    ("ready".into(), format!("no: the endpoint returned HTTP status {}", reply.status), None)
                }
                Ok(_) => ("ready".into(), "yes".into(), None),
                Err(error) => {
                    let error = providers::failure::from_transport(&endpoint, &error);
                    ("ready".into(), format!("no: {}", error.message()), error.hint().map(str::to_owned))
                }
            });
        }
    }
    items
}
