//! Verified examples whose SQL is similar to a submitted query.
//!
//! The search index finds them by the shape of the query. Where there is no index, examples over the same
//! tables are read and compared one by one.

use std::cell::RefCell;

use pgrx::pg_sys::Oid;
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::exchange::Exchange;
use text2sql_domain::ports::search_index::{Example, SearchIndex};
use text2sql_domain::ports::{Embedder, Purpose};
use text2sql_domain::trace::Trace;
use text2sql_language::terms::Analyzer;
use text2sql_retrieval::few_shot_examples::of_shape;

use crate::pg::access::objects::own_tables::may_read;
use crate::pg::search::search_index::{PgSearchIndex, embedder, id_of};
use crate::pg::server::spi;
use crate::pg::server::spi::role::{EffectiveRole, with_role};
use crate::pg::stored::models;
use crate::pg::stored::models::search_requests::SearchRequests;
use crate::pg::stored::record::audit;

/// Maximum number of examples that are compared without an index.
const MAX_COMPARED: i64 = 500;

// Row-level security omits examples about objects that the role cannot see.
const OVER_TABLES: &str =
    "SELECT e.id, e.question, e.sql, e.verified_by::text FROM text2sql._examples e
     WHERE e.verified_at IS NOT NULL AND e.object_oids && $1 ORDER BY e.verified_at DESC LIMIT $2";

const NEWEST: &str = "SELECT e.id, e.question, e.sql, e.verified_by::text FROM text2sql._examples e
     WHERE e.verified_at IS NOT NULL ORDER BY e.verified_at DESC, e.id LIMIT $1";

/// Examples that the role can see. A remote embedder is used only with `may_wait`.
pub(crate) fn examples_like(
    sql: &str,
    tables: &[u32],
    role: EffectiveRole,
    may_wait: bool,
) -> Result<Vec<Example>, Error> {
    let index = PgSearchIndex::new(role);
    if let Some(state) = index.state()? {
        let embedder = match may_wait || !embedder::waits() {
            true => index.embedder(&state)?,
            false => None,
        };
        let analyzer = Analyzer::new(&state.language);
        let look = |embedder| of_shape(&index, &state.examples, embedder, &analyzer, sql);
        let Some(embedder) = embedder else {
            return look(None);
        };
        let embedder = OnRecord::new(embedder);
        let found = audit::with_trace(embedder.trace_id, || look(Some(&embedder)));
        embedder.record(sql)?;
        return match found {
            Err(error) if error.kind() != ErrorKind::Cancelled => look(None),
            found => found,
        };
    }
    let oids: Vec<Oid> = tables.iter().map(|oid| Oid::from(*oid)).collect();
    with_role(&role, || {
        if oids.is_empty() || !may_read(c"_examples") {
            return Ok(Vec::new());
        }
        spi::read_rows(OVER_TABLES, &[oids.into(), MAX_COMPARED.into()], 0, |row| {
            Ok(Example {
                id: id_of(row)?,
                question: row.read(2)?.unwrap_or_default(),
                sql: row.read(3)?.unwrap_or_default(),
                verified_by: row.read(4)?.unwrap_or_default(),
            })
        })
    })
}

/// The newest verified examples that a role can see.
pub(crate) fn verified_examples(role: &EffectiveRole) -> Result<Vec<Example>, Error> {
    with_role(role, || {
        if !may_read(c"_examples") {
            return Ok(Vec::new());
        }
        spi::read_rows(NEWEST, &[MAX_COMPARED.into()], 0, |row| {
            Ok(Example {
                id: id_of(row)?,
                question: row.read(2)?.unwrap_or_default(),
                sql: row.read(3)?.unwrap_or_default(),
                verified_by: row.read(4)?.unwrap_or_default(),
            })
        })
    })
}

/// An embedder that records what it sends to an endpoint, for the history.
struct OnRecord {
    embedder: Box<dyn Embedder>,
    trace_id: pgrx::Uuid,
    exchanges: RefCell<Vec<Exchange>>,
}

impl OnRecord {
    fn new(embedder: Box<dyn Embedder>) -> Self {
        Self {
            embedder,
            trace_id: models::new_trace_id(),
            exchanges: RefCell::default(),
        }
    }

    /// Writes the record, if anything was sent.
    fn record(&self, sql: &str) -> Result<(), Error> {
        let sent = SearchRequests {
            trace_id: self.trace_id,
            function: "explain",
            conversation: None,
            question: &format!("explain {sql}"),
            trace: Trace {
                exchanges: self.exchanges.take(),
                ..Trace::default()
            },
        };
        sent.record()
    }
}

impl Embedder for OnRecord {
    fn name(&self) -> String {
        self.embedder.name()
    }

    fn dimensions(&self) -> usize {
        self.embedder.dimensions()
    }

    fn embeds_columns(&self) -> bool {
        self.embedder.embeds_columns()
    }

    fn weight(&self) -> f64 {
        self.embedder.weight()
    }

    fn endpoint(&self) -> Option<&str> {
        self.embedder.endpoint()
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, Error> {
        let vectors = self.embedder.embed(texts, purpose);
        if let Some(endpoint) = self.embedder.endpoint() {
            let usage = self.embedder.usage();
            self.exchanges.borrow_mut().push(Exchange {
                purpose: "embed",
                endpoint: endpoint.to_owned(),
                prompt: texts.join("\n"),
                input_tokens: usage.tokens.input,
                cost: usage.cost,
                ..Exchange::default()
            });
        }
        vectors
    }
}
