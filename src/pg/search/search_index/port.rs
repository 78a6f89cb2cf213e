//! The search index port over the tables of the index.
//!
//! The tables are read as their owner, because no other role may; each query gets the effective role and
//! returns only what that role can see. No lock is kept: between two reads a question may wait for the
//! embedding endpoint.

use std::cell::Cell;
use std::rc::Rc;

use once_cell::unsync::OnceCell;
use text2sql_domain::error::Error;
use text2sql_domain::ports::search_index::{
    Collection, Example, IndexState, Joining, KnownValue, Near, NearWord, Phrase, PostingSegment,
    Readable, SearchIndex, Sibling, ValueHit,
};
use text2sql_domain::ports::{Embedder, Reranker};
use text2sql_domain::schema::Definition;
use text2sql_language::terms::Analyzer;
use text2sql_retrieval::index::postings::retain;

use pgrx::pg_sys::Oid;

use super::remembered::{self, Found, Search};
use super::state::{self, Second, Stored};
use super::unindexed_examples::read_example;
use super::vector_set::VectorSet;
use super::{embedder, joins, nearest_vectors, readable_tables, unindexed_examples, values, words};
use crate::pg::access::execution::database::GuardedDatabase;
use crate::pg::access::objects::own_tables::may_read;
use crate::pg::search::maintenance::wake;
use crate::pg::server::spi;
use crate::pg::server::spi::role::{EffectiveRole, with_role};
use crate::pg::server::spi::sandbox::keep_no_locks;
use crate::pg::stored::knowledge::{example_validity, glossary};

const POSTINGS: &str = "SELECT array_position($2, p.term), p.bytes FROM text2sql._index_postings p
     WHERE p.collection = $1::\"char\" AND p.term = ANY ($2)";

// Row-level security omits examples about objects that the role cannot see.
const EXAMPLES_OF: &str =
    "SELECT e.id, e.question, e.sql, e.verified_by::text FROM text2sql._examples e
     WHERE e.id = ANY ($1) AND e.verified_at IS NOT NULL";

/// The index as seen by one role for one question.
pub(crate) struct PgSearchIndex {
    owner: Option<EffectiveRole>,
    role: EffectiveRole,
    /// Read when first needed; the same for the whole question.
    stored: OnceCell<Option<Rc<Stored>>>,
    asks_endpoints: bool,
    rerank_model: Option<String>,
}

impl PgSearchIndex {
    /// The index as seen by `role`.
    pub(crate) fn new(role: EffectiveRole) -> Self {
        Self {
            owner: super::storage::owner(),
            role,
            stored: OnceCell::new(),
            asks_endpoints: true,
            rerank_model: None,
        }
    }

    /// The same, with tables ranked by a model.
    pub(crate) fn ranked_by(self, rerank_model: Option<String>) -> Self {
        Self {
            rerank_model,
            ..self
        }
    }

    /// The same, but without requests to endpoints.
    pub(crate) fn without_endpoints(self) -> Self {
        Self {
            asks_endpoints: false,
            ..self
        }
    }

    /// The tables that the role can read when they are few, by schema and name.
    pub(crate) fn few_readable(&self) -> Result<Option<Rc<[u32]>>, Error> {
        let Some(owner) = &self.owner else {
            return Ok(None);
        };
        if self.stored(owner)?.is_none() {
            return Ok(None);
        }
        readable_tables::few_in_order(owner, &self.role)
    }

    /// Reads the state and invalidates what is cached from another one.
    fn stored(&self, owner: &EffectiveRole) -> Result<Option<&Stored>, Error> {
        let stored = self.stored.get_or_try_init(|| {
            let stored = state::stored(owner)?;
            let has_changes = stored
                .as_ref()
                .is_none_or(|stored| !stored.state.stale.is_empty());
            wake::if_due(owner, has_changes)?;
            Ok::<_, Error>(stored)
        })?;
        if let Some(stored) = stored {
            readable_tables::prepare(&self.role, &stored.stamp);
            let stamp = used_second(stored).map_or(&stored.stamp, |second| &second.stamp);
            remembered::prepare(stamp, &stored.knowledge);
        }
        Ok(stored.as_deref())
    }
}

/// The second embedder, if this session uses its vectors.
fn used_second(stored: &Stored) -> Option<&Second> {
    let second = stored.second.as_ref();
    second.filter(|second| second.embedder.is_used_beside(&stored.state.embedder))
}

/// The vectors that this session uses.
fn used_set(stored: &Stored) -> VectorSet {
    match used_second(stored) {
        Some(_) => VectorSet::Second,
        None => VectorSet::Index,
    }
}

impl SearchIndex for PgSearchIndex {
    fn state(&self) -> Result<Option<IndexState>, Error> {
        keep_no_locks(|| {
            let Some(owner) = &self.owner else {
                return Ok(None);
            };
            let Some(stored) = self.stored(owner)? else {
                return Ok(None);
            };
            let mut state = stored.state.clone();
            if let Some(second) = used_second(stored) {
                state.embedder.clone_from(&second.embedder.embedder);
                state.dimensions = usize::try_from(second.embedder.dimensions).unwrap_or(0);
            }
            if let Some(few) = readable_tables::few(owner, &self.role)? {
                state.schema = few.totals;
                state.stale.retain(|table| few.tables.contains_key(table));
            }
            Ok(Some(state))
        })
    }

    fn embedder(&self, state: &IndexState) -> Result<Option<Box<dyn Embedder>>, Error> {
        if !self.asks_endpoints && embedder::waits() {
            return Ok(None);
        }
        embedder::for_question(state, &Analyzer::new(&state.language))
    }

    fn own_embedder(&self) -> Result<Option<Box<dyn Embedder>>, Error> {
        Ok(embedder::for_words())
    }

    fn why_no_vectors(&self, state: &IndexState) -> Option<String> {
        match self.asks_endpoints {
            true => embedder::why_no_vectors(&state.embedder, &state.language),
            false => None,
        }
    }

    fn reranker(&self) -> Result<Option<Box<dyn Reranker + '_>>, Error> {
        match self.asks_endpoints {
            true => embedder::reranker(self.rerank_model.as_deref()),
            false => Ok(None),
        }
    }

    fn accepts(&self, example: &Example) -> Result<bool, Error> {
        keep_no_locks(|| example_validity::is_accepted(&example.sql))
    }

    fn postings(
        &self,
        collection: Collection,
        terms: &[String],
    ) -> Result<Vec<PostingSegment>, Error> {
        keep_no_locks(|| {
            let Some(owner) = &self.owner else {
                return Ok(Vec::new());
            };
            let arguments = [name(collection).to_string().into(), terms.to_vec().into()];
            let mut segments = with_role(owner, || {
                spi::read_rows(POSTINGS, &arguments, 0, |row| {
                    let place = row.read::<i32>(1)?.unwrap_or(1);
                    Ok(PostingSegment {
                        term: usize::try_from(place).unwrap_or(1).saturating_sub(1),
                        bytes: row.read(2)?.unwrap_or_default(),
                    })
                })
            })?;
            if collection == Collection::Schema
                && let Some(few) = readable_tables::few(owner, &self.role)?
            {
                let mut kept: Vec<u32> = few.tables.keys().copied().collect();
                kept.sort_unstable();
                for segment in &mut segments {
                    // Items of a segment are sorted, so both lists are merged in one pass.
                    let next = Cell::new(0);
                    segment.bytes = retain(&segment.bytes, |item| {
                        let rest = kept.get(next.get()..).unwrap_or_default();
                        next.set(next.get() + rest.iter().take_while(|kept| **kept < item).count());
                        kept.get(next.get()) == Some(&item)
                    });
                }
                segments.retain(|segment| !segment.bytes.is_empty());
            }
            Ok(segments)
        })
    }

    fn nearest(
        &self,
        collection: Collection,
        vector: &[f32],
        limit: usize,
    ) -> Result<Vec<Near>, Error> {
        keep_no_locks(|| {
            let Some(owner) = &self.owner else {
                return Ok(Vec::new());
            };
            let Some(stored) = self.stored(owner)? else {
                return Ok(Vec::new());
            };
            let set = used_set(stored);
            let (search, listed) = match collection {
                Collection::Schema => (None, readable_tables::few(owner, &self.role)?),
                Collection::Definitions | Collection::Examples => {
                    let bits = Search::bits(vector);
                    (Some(Search::Items(name(collection), bits, limit)), None)
                }
            };
            if let Some(Found::Items(near)) = search.as_ref().and_then(remembered::found) {
                return Ok(near);
            }
            let listed = listed.map(|few| few.tables.keys().map(|oid| Oid::from(*oid)).collect());
            let dimensions = i32::try_from(vector.len()).unwrap_or(0);
            if with_role(owner, || set.dimensions())? != dimensions {
                return Ok(Vec::new());
            }
            let near = nearest_vectors::nearest(
                owner,
                &self.role,
                set,
                name(collection),
                listed,
                vector,
                limit,
            )?;
            if let Some(search) = search {
                remembered::keep(search, Found::Items(near.clone()));
            }
            Ok(near)
        })
    }

    fn near_words(
        &self,
        vectors: &[Vec<f32>],
        at_most: usize,
    ) -> Result<Vec<Vec<NearWord>>, Error> {
        keep_no_locks(|| {
            let nothing = || vec![Vec::new(); vectors.len()];
            let Some(owner) = &self.owner else {
                return Ok(nothing());
            };
            match self.stored(owner)? {
                Some(stored) => words::near(owner, used_set(stored), vectors, at_most),
                None => Ok(nothing()),
            }
        })
    }

    fn similar_words(
        &self,
        wanted: &[String],
        at_most: usize,
    ) -> Result<Vec<Vec<NearWord>>, Error> {
        keep_no_locks(|| match &self.owner {
            Some(owner) if self.stored(owner)?.is_some() => words::similar(owner, wanted, at_most),
            _ => Ok(vec![Vec::new(); wanted.len()]),
        })
    }

    fn readable(&self, tables: &[u32]) -> Result<Vec<Readable>, Error> {
        keep_no_locks(|| match &self.owner {
            Some(owner) => readable_tables::readable(owner, &self.role, tables),
            None => Ok(Vec::new()),
        })
    }

    fn joins(&self, tables: &[u32], per_table: usize) -> Result<Vec<Joining>, Error> {
        keep_no_locks(|| {
            let Some(owner) = &self.owner else {
                return Ok(Vec::new());
            };
            let few = readable_tables::few(owner, &self.role)?;
            let listed = few.map(|few| few.tables.keys().map(|oid| Oid::from(*oid)).collect());
            joins::joins(owner, &self.role, listed, tables, per_table)
        })
    }

    fn bridges(&self, tables: &[u32], limit: usize) -> Result<Vec<u32>, Error> {
        keep_no_locks(|| {
            let Some(owner) = &self.owner else {
                return Ok(Vec::new());
            };
            let mut bridges = joins::bridges(owner, tables, limit)?;
            let readable = readable_tables::readable(owner, &self.role, &bridges)?;
            bridges.retain(|bridge| readable.iter().any(|one| one.table == *bridge));
            Ok(bridges)
        })
    }

    fn siblings(&self, tables: &[u32], per_family: usize) -> Result<Vec<Sibling>, Error> {
        keep_no_locks(|| {
            let Some(owner) = &self.owner else {
                return Ok(Vec::new());
            };
            let mut siblings = joins::siblings(owner, tables, per_family)?;
            let members: Vec<u32> = siblings.iter().map(|sibling| sibling.table).collect();
            let readable = readable_tables::readable(owner, &self.role, &members)?;
            siblings.retain(|sibling| readable.iter().any(|one| one.table == sibling.table));
            Ok(siblings)
        })
    }

    fn values(&self, phrases: &[Phrase], per_phrase: usize) -> Result<Vec<ValueHit>, Error> {
        keep_no_locks(|| {
            let Some(owner) = &self.owner else {
                return Ok(Vec::new());
            };
            if self.stored(owner)?.is_none() {
                return Ok(Vec::new());
            }
            let few = readable_tables::few(owner, &self.role)?;
            let listed: Option<Vec<u32>> = few.map(|few| few.tables.keys().copied().collect());
            values::values(owner, &self.role, listed.as_deref(), phrases, per_phrase)
        })
    }

    fn value_of(&self, table: u32, column: i16, value: &str) -> Result<Option<KnownValue>, Error> {
        keep_no_locks(|| {
            let Some(owner) = &self.owner else {
                return Ok(None);
            };
            let language = with_role(owner, super::storage::read_state_row)?;
            let analyzer = Analyzer::new(&language.map(|row| row.language).unwrap_or_default());
            values::value_of(owner, &self.role, &analyzer, table, column, value)
        })
    }

    fn unindexed_examples(&self, at_most: usize) -> Result<Vec<Example>, Error> {
        keep_no_locks(|| {
            let stored = match &self.owner {
                Some(owner) => self.stored(owner)?,
                None => None,
            };
            let index = stored
                .map(|stored| stored.stamp.as_str())
                .unwrap_or_default();
            keep_no_locks(|| {
                unindexed_examples::unindexed(self.owner.as_ref(), &self.role, index, at_most)
            })
        })
    }

    fn definitions(&self, ids: &[u32]) -> Result<Vec<(u32, Definition)>, Error> {
        keep_no_locks(|| glossary::definitions_of(ids, &GuardedDatabase::new()?))
    }

    fn examples(&self, ids: &[u32]) -> Result<Vec<Example>, Error> {
        keep_no_locks(|| {
            with_role(&self.role, || {
                if !may_read(c"_examples") {
                    return Ok(Vec::new());
                }
                spi::read_rows(EXAMPLES_OF, &[bigints(ids).into()], 0, read_example)
            })
        })
    }
}

fn bigints(ids: &[u32]) -> Vec<i64> {
    ids.iter().map(|id| i64::from(*id)).collect()
}

/// The name of a collection in the tables of the index.
fn name(collection: Collection) -> char {
    match collection {
        Collection::Schema => super::storage::SCHEMA,
        Collection::Definitions => super::storage::DEFINITIONS,
        Collection::Examples => super::storage::EXAMPLES,
    }
}
