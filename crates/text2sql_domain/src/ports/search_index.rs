//! What retrieval needs of a search index. The extension implements it over its tables, tests over
//! plain data; only `refresh()` writes it, with what retrieval makes of each object.
//!
//! Every method answers with index look-ups, whatever the size of the catalog: nothing here may read
//! a whole table of documents. The index knows all tables; [`SearchIndex::readable`] is what keeps
//! from the caller what the caller may not see, and everything else that is returned (values,
//! definitions, examples, joins) is already limited to it.

pub use super::collection::{Collection, DESCRIPTION, NAME};
use super::embedder::Embedder;
use super::reranker::Reranker;
use crate::error::Error;
use crate::schema::Definition;

/// The search index, as the caller may see it.
pub trait SearchIndex {
    /// What the index holds; `None` when it was never built.
    fn state(&self) -> Result<Option<IndexState>, Error>;

    /// Verified examples that the index does not hold, because none was built or they are newer, and perhaps
    /// some of the newest that it does hold: only those that the caller may see, at most `at_most`, newest
    /// first.
    fn unindexed_examples(&self, _at_most: usize) -> Result<Vec<Example>, Error> {
        Ok(Vec::new())
    }

    /// The embedder that is set, when it is the one that made the vectors; `None` leaves vectors out.
    fn embedder(&self, _state: &IndexState) -> Result<Option<Box<dyn Embedder>>, Error> {
        Ok(None)
    }

    /// Why there is no embedder though one is set, for the reader.
    fn why_no_vectors(&self, _state: &IndexState) -> Option<String> {
        None
    }

    /// The model that has the last word over the order of tables, when one is set.
    fn reranker(&self) -> Result<Option<Box<dyn Reranker + '_>>, Error> {
        Ok(None)
    }

    /// The stored postings of terms, all segments of each, in any order. A term without postings is
    /// left out, and one that was named before.
    fn postings(
        &self,
        collection: Collection,
        terms: &[String],
    ) -> Result<Vec<PostingSegment>, Error>;

    /// The nearest units by cosine similarity, best first, only of tables the caller may read (of
    /// definitions and examples: all). The vector comes from the embedder that
    /// [`IndexState::embedder`] names; to one of another length nothing is near. An implementation may stop
    /// before `limit`, where further ones are of no use.
    fn nearest(
        &self,
        collection: Collection,
        vector: &[f32],
        limit: usize,
    ) -> Result<Vec<Near>, Error>;

    /// Those of the tables that the caller may read, in any order: with SELECT on the table or on at
    /// least one column, USAGE on the schema, not hidden. Called in batches, best tables first.
    fn readable(&self, tables: &[u32]) -> Result<Vec<Readable>, Error>;

    /// Foreign keys and known joins from or to any of the tables, at most `per_table` of each.
    /// A table that thousands refer to must not cost thousands of rows.
    fn joins(&self, tables: &[u32], per_table: usize) -> Result<Vec<Joining>, Error>;

    /// Tables that have a join with at least two of `tables`, those with most of them first.
    fn bridges(&self, tables: &[u32], limit: usize) -> Result<Vec<u32>, Error>;

    /// For each of the tables: the tables that share a family key with it, itself included, at most
    /// `per_family` of each key. Only tables the caller may read.
    fn siblings(&self, tables: &[u32], per_family: usize) -> Result<Vec<Sibling>, Error>;

    /// Real values that phrases of the question may mean, at most `per_phrase` of each, best first:
    /// those with an equal key and, for phrases that are not
    /// `exact_only`, those with a similar one. Only of columns the caller may read, never of tables
    /// with row-level security.
    fn values(&self, phrases: &[Phrase], per_phrase: usize) -> Result<Vec<ValueHit>, Error>;

    /// Whether a column holds a value, and what comes near; `None` when the column's values are not
    /// all known.
    fn value_of(&self, table: u32, column: i16, value: &str) -> Result<Option<KnownValue>, Error>;

    /// Definitions by id, in any order; those that apply to a table the caller may not read are left out, and
    /// those whose expression the server does not accept at this moment.
    fn definitions(&self, ids: &[u32]) -> Result<Vec<(u32, Definition)>, Error>;

    /// Verified examples by id; only those all of whose tables the caller may read.
    fn examples(&self, ids: &[u32]) -> Result<Vec<Example>, Error>;

    /// Whether the server accepts the example's SQL at this moment: a change of the schema may have
    /// broken it.
    fn accepts(&self, _example: &Example) -> Result<bool, Error> {
        Ok(true)
    }
}

/// What an index holds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IndexState {
    /// [`Embedder::name`] of the embedder that made the vectors; empty when there are
    /// none.
    pub embedder: String,
    /// Length of the vectors.
    pub dimensions: usize,
    /// The language whose stems the terms are.
    pub language: String,
    /// Sums over the tables.
    pub schema: Totals,
    /// Sums over the definitions.
    pub definitions: Totals,
    /// Sums over the examples.
    pub examples: Totals,
    /// Tables created or changed since they were indexed, dropped ones left out, at most
    /// [`MAX_STALE`]: a question reads them live.
    pub stale: Vec<u32>,
}

/// Maximum number of stale tables that a question reads live. More than that is a migration, after which
/// `refresh()` is due: `status()` says so.
pub const MAX_STALE: usize = 50;

/// Stored postings of one term in one segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostingSegment {
    /// Position of the term in the call.
    pub term: usize,
    /// The bytes, packed.
    pub bytes: Vec<u8>,
}

/// A unit near to a vector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// The item.
    pub item: u32,
    /// The unit.
    pub unit: i16,
    /// Cosine similarity, -1 to 1.
    pub similarity: f32,
}

impl Near {
    /// The nearer one first; of equally near ones always the same, so that an answer can be had again.
    pub fn best_first(&self, other: &Self) -> std::cmp::Ordering {
        let by_similarity = other.similarity.total_cmp(&self.similarity);
        by_similarity.then((self.item, self.unit).cmp(&(other.item, other.unit)))
    }
}

/// A table that the caller may read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Readable {
    /// The table.
    pub table: u32,
    /// OID of its schema.
    pub schema: u32,
    /// The columns that may be read; `None` when all of them.
    pub columns: Option<Vec<i16>>,
}

/// A member of a family of tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sibling {
    /// The table that was asked about.
    pub of: u32,
    /// The family key they share.
    pub key: i64,
    /// The member.
    pub table: u32,
    /// What sets its name apart from the others', such as `2024`.
    pub part: String,
    /// Its name in the catalog, without the schema, which they share.
    pub name: String,
}

/// A real value that a phrase may mean.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueHit {
    /// Position of the phrase in the call.
    pub phrase: usize,
    /// The table.
    pub table: u32,
    /// The column's number.
    pub column: i16,
    /// The value as it is stored.
    pub value: String,
    /// 1 when a key is equal, else the similarity of the nearest key as `pg_trgm` measures it.
    pub similarity: f32,
}

/// What is known about a value of a column.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KnownValue {
    /// Whether the column holds exactly this value.
    pub occurs: bool,
    /// The nearest values, best first, at most five; empty when it occurs.
    pub nearest: Vec<String>,
}

/// The index of a database where none was ever built.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoIndex;

impl SearchIndex for NoIndex {
    fn state(&self) -> Result<Option<IndexState>, Error> {
        Ok(None)
    }
    fn postings(&self, _: Collection, _: &[String]) -> Result<Vec<PostingSegment>, Error> {
        Ok(Vec::new())
    }
    fn nearest(&self, _: Collection, _: &[f32], _: usize) -> Result<Vec<Near>, Error> {
        Ok(Vec::new())
    }
    fn readable(&self, _: &[u32]) -> Result<Vec<Readable>, Error> {
        Ok(Vec::new())
    }
    fn joins(&self, _: &[u32], _: usize) -> Result<Vec<Joining>, Error> {
        Ok(Vec::new())
    }
    fn bridges(&self, _: &[u32], _: usize) -> Result<Vec<u32>, Error> {
        Ok(Vec::new())
    }
    fn siblings(&self, _: &[u32], _: usize) -> Result<Vec<Sibling>, Error> {
        Ok(Vec::new())
    }
    fn values(&self, _: &[Phrase], _: usize) -> Result<Vec<ValueHit>, Error> {
        Ok(Vec::new())
    }
    fn value_of(&self, _: u32, _: i16, _: &str) -> Result<Option<KnownValue>, Error> {
        Ok(None)
    }
    fn definitions(&self, _: &[u32]) -> Result<Vec<(u32, Definition)>, Error> {
        Ok(Vec::new())
    }
    fn examples(&self, _: &[u32]) -> Result<Vec<Example>, Error> {
        Ok(Vec::new())
    }
}

/// Two tables that can be joined: the n-th column equals the n-th target column.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Joining {
    /// OID of the referring table.
    pub from: u32,
    /// Its columns.
    pub from_columns: Vec<String>,
    /// OID of the table referred to.
    pub to: u32,
    /// Columns referred to.
    pub to_columns: Vec<String>,
    /// How it is known.
    pub source: JoinSource,
}

/// How a join is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JoinSource {
    /// A foreign key of the catalog.
    ForeignKey,
    /// Added by a curator, or suggested and then accepted by one.
    Taught,
}

/// Sums over all items of a collection, for the lengths of BM25.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// Items.
    pub items: u64,
    /// Terms of all items.
    pub item_terms: u64,
    /// Columns and foreign keys.
    pub units: u64,
    /// Terms of their documents, those of the table's name included in each.
    pub unit_terms: u64,
}

impl Totals {
    /// Adds those of another item or index.
    pub fn add(&mut self, other: Self) {
        self.items += other.items;
        self.item_terms += other.item_terms;
        self.units += other.units;
        self.unit_terms += other.unit_terms;
    }
}

/// A verified pair of question and SQL.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Example {
    /// Its id.
    pub id: u32,
    /// The question as it was asked.
    pub question: String,
    /// The SQL that answers it.
    pub sql: String,
    /// Who says that it does.
    pub verified_by: String,
}

/// A part of the question that may name a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase {
    /// As it is written in the question.
    pub text: String,
    /// The keys to look for; the first is the folded text, the one to compare by similarity.
    pub keys: Vec<String>,
    /// Whether only equal keys count: numbers, short words and the parts of longer phrases.
    pub exact_only: bool,
    /// Whether it may be the beginning of a value: "Calif.", one word with a period or a capital.
    pub may_be_short: bool,
}
