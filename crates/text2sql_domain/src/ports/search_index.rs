//! The search index. The extension implements it with its tables, tests with plain data. Only
//! `refresh()` writes it, with the documents that retrieval builds for each object.
//!
//! Every method uses index look-ups, whatever the size of the catalog; none may read all
//! documents. The index contains all tables; [`SearchIndex::readable`] filters out those that the
//! caller may not read, and everything else that is returned (values, definitions, examples,
//! joins) is already filtered.

pub use super::collection::{Collection, DESCRIPTION, NAME};
use super::embedder::Embedder;
use super::reranker::Reranker;
use crate::error::Error;
use crate::schema::Definition;

/// The search index, limited to what the caller may read.
pub trait SearchIndex {
    /// The contents of the index; `None` if it was never built.
    fn state(&self) -> Result<Option<IndexState>, Error>;

    /// Verified examples that are not in the index, because none was built or they are newer. May include
    /// some of the newest indexed ones. Only examples that the caller may see, up to `at_most`, newest
    /// first.
    fn unindexed_examples(&self, _at_most: usize) -> Result<Vec<Example>, Error> {
        Ok(Vec::new())
    }

    /// The configured embedder, if it made the stored vectors; `None` disables vector search.
    fn embedder(&self, _state: &IndexState) -> Result<Option<Box<dyn Embedder>>, Error> {
        Ok(None)
    }

    /// The configured embedder for words of a schema without an index, if it knows meaning and sends nothing.
    fn own_embedder(&self) -> Result<Option<Box<dyn Embedder>>, Error> {
        Ok(None)
    }

    /// Why the configured embedder cannot be used, as a message.
    fn why_no_vectors(&self, _state: &IndexState) -> Option<String> {
        None
    }

    /// The configured re-ranking model, if any.
    fn reranker(&self) -> Result<Option<Box<dyn Reranker + '_>>, Error> {
        Ok(None)
    }

    /// The stored postings of the terms, all segments of each, in any order. Terms without postings and
    /// repeated terms are omitted.
    fn postings(
        &self,
        collection: Collection,
        terms: &[String],
    ) -> Result<Vec<PostingSegment>, Error>;

    /// The nearest units by cosine similarity, best first. Tables are limited to those that the caller may read;
    /// definitions and examples are not. The vector comes from the embedder named by
    /// [`IndexState::embedder`]; a vector of another dimension matches nothing. An implementation may return
    /// fewer than `limit` if further ones are not useful.
    fn nearest(
        &self,
        collection: Collection,
        vector: &[f32],
        limit: usize,
    ) -> Result<Vec<Near>, Error>;

    /// For each vector the words of the catalog that are nearest in meaning, best first, up to `at_most`. The
    /// vectors come from the embedder named by [`IndexState::embedder`]; a vector of another dimension finds
    /// nothing.
    ///
    /// Words come from all tables, whoever may read them: they may be searched for, and must not be shown unless
    /// they occur in a table that the caller may read.
    fn near_words(
        &self,
        vectors: &[Vec<f32>],
        _at_most: usize,
    ) -> Result<Vec<Vec<NearWord>>, Error> {
        Ok(vec![Vec::new(); vectors.len()])
    }

    /// For each word the words of the catalog with the most similar spelling, best first, up to `at_most`; the
    /// word itself among them, if the catalog has it. Not to be shown, like [`Self::near_words`].
    fn similar_words(
        &self,
        words: &[String],
        _at_most: usize,
    ) -> Result<Vec<Vec<NearWord>>, Error> {
        Ok(vec![Vec::new(); words.len()])
    }

    /// Those of the tables that the caller may read, in any order: with SELECT on the table or on at
    /// least one column, USAGE on the schema, not hidden. Called in batches, best tables first.
    fn readable(&self, tables: &[u32]) -> Result<Vec<Readable>, Error>;

    /// Foreign keys, known joins and likely ones from or to any of the tables, up to `per_table` for each, the
    /// surest first: a table with thousands of references must not return thousands of rows.
    fn joins(&self, tables: &[u32], per_table: usize) -> Result<Vec<Joining>, Error>;

    /// Tables that have a join with at least two of `tables`, those with the most joins first.
    fn bridges(&self, tables: &[u32], limit: usize) -> Result<Vec<u32>, Error>;

    /// For each of the tables: the tables that share a family key with it, including itself, up to
    /// `per_family` for each key. Only tables that the caller may read.
    fn siblings(&self, tables: &[u32], per_family: usize) -> Result<Vec<Sibling>, Error>;

    /// Stored values that phrases of the question may refer to, up to `per_phrase` for each, best first:
    /// those with an equal key and, for phrases that are not
    /// `exact_only`, those with a similar one. Only of columns the caller may read, never of tables
    /// with row-level security.
    fn values(&self, phrases: &[Phrase], per_phrase: usize) -> Result<Vec<ValueHit>, Error>;

    /// Whether a column contains a value, and the most similar values; `None` if not all values of the
    /// column are known.
    fn value_of(&self, table: u32, column: i16, value: &str) -> Result<Option<KnownValue>, Error>;

    /// Definitions by ID, in any order, without those on tables that the caller may not read and
    /// those whose expression the server currently rejects.
    fn definitions(&self, ids: &[u32]) -> Result<Vec<(u32, Definition)>, Error>;

    /// Verified examples by ID; only those for which the caller may read all tables.
    fn examples(&self, ids: &[u32]) -> Result<Vec<Example>, Error>;

    /// Whether the server currently accepts the example's SQL: a schema change may have
    /// invalidated it.
    fn accepts(&self, _example: &Example) -> Result<bool, Error> {
        Ok(true)
    }
}

/// The contents of an index.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IndexState {
    /// [`Embedder::name`] of the embedder that made the vectors; empty if there are
    /// none.
    pub embedder: String,
    /// Number of dimensions of the vectors.
    pub dimensions: usize,
    /// The language used to stem the terms.
    pub language: String,
    /// Totals over the tables.
    pub schema: Totals,
    /// Totals over the definitions.
    pub definitions: Totals,
    /// Totals over the examples.
    pub examples: Totals,
    /// Tables created or changed since they were indexed, without dropped ones, up to
    /// [`MAX_STALE`]: these are read from the catalog.
    pub stale: Vec<u32>,
}

/// Maximum number of stale tables that a question reads from the catalog. More of them indicate a migration,
/// after which `status()` recommends `refresh()`.
pub const MAX_STALE: usize = 50;

/// Stored postings of one term in one segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostingSegment {
    /// Position of the term in the request.
    pub term: usize,
    /// The packed bytes.
    pub bytes: Vec<u8>,
}

/// A unit whose vector is near the query vector.
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
    /// Orders by similarity, highest first; ties are ordered deterministically so that answers are reproducible.
    pub fn best_first(&self, other: &Self) -> std::cmp::Ordering {
        let by_similarity = other.similarity.total_cmp(&self.similarity);
        by_similarity.then((self.item, self.unit).cmp(&(other.item, other.unit)))
    }
}

/// A word of the catalog that is near another word.
#[derive(Debug, Clone, PartialEq)]
pub struct NearWord {
    /// The word in lower case, without accents.
    pub word: String,
    /// How near: the cosine of the vectors, or the `pg_trgm` similarity of the spellings.
    pub similarity: f32,
}

/// A table that the caller may read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Readable {
    /// The table.
    pub table: u32,
    /// OID of its schema.
    pub schema: u32,
    /// The readable columns; `None` if all are readable.
    pub columns: Option<Vec<i16>>,
}

/// A member of a family of tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sibling {
    /// The table in the request.
    pub of: u32,
    /// The shared family key.
    pub key: i64,
    /// The member.
    pub table: u32,
    /// The part of its name that differs from the others, such as `2024`.
    pub part: String,
    /// Its name in the catalog, without the schema.
    pub name: String,
}

/// A stored value that a phrase may refer to.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueHit {
    /// Position of the phrase in the request.
    pub phrase: usize,
    /// The table.
    pub table: u32,
    /// The column's number.
    pub column: i16,
    /// The stored value.
    pub value: String,
    /// 1 if a key is equal, else the `pg_trgm` similarity of the nearest key.
    pub similarity: f32,
}

/// What is known about a value in a column.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KnownValue {
    /// Whether the column contains exactly this value.
    pub occurs: bool,
    /// The most similar values, best first, up to five; empty if it occurs.
    pub nearest: Vec<String>,
}

/// The index of a database where none was built.
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

/// Two tables that can be joined: each column equals the target column at the same position.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Joining {
    /// OID of the referencing table.
    pub from: u32,
    /// Its columns.
    pub from_columns: Vec<String>,
    /// OID of the referenced table.
    pub to: u32,
    /// Referenced columns.
    pub to_columns: Vec<String>,
    /// The source of the join.
    pub source: JoinSource,
}

impl JoinSource {
    /// How sure the join is, in percent.
    pub fn percent(self) -> u8 {
        match self {
            Self::ForeignKey | Self::Taught => 100,
            Self::Inferred { percent } => percent,
        }
    }
}

/// The source of a join.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JoinSource {
    /// A foreign key of the catalog.
    ForeignKey,
    /// Added by a curator, or suggested and accepted by one.
    Taught,
    /// Declared by nobody: inferred from names, keys and counts of values.
    Inferred {
        /// How sure it is: of a hundred proposals like it, as many are right.
        percent: u8,
    },
}

/// Totals over all items of a collection, for the BM25 length normalisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// Number of items.
    pub items: u64,
    /// Number of terms of all items.
    pub item_terms: u64,
    /// Number of columns and foreign keys.
    pub units: u64,
    /// Number of terms of their documents, including those of the table's name in each.
    pub unit_terms: u64,
}

impl Totals {
    /// Adds the totals of another item or index.
    pub fn add(&mut self, other: Self) {
        self.items += other.items;
        self.item_terms += other.item_terms;
        self.units += other.units;
        self.unit_terms += other.unit_terms;
    }
}

/// A question with its verified SQL.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Example {
    /// Its ID.
    pub id: u32,
    /// The question as it was asked.
    pub question: String,
    /// The SQL that answers it.
    pub sql: String,
    /// The role that verified it.
    pub verified_by: String,
}

/// A part of the question that may refer to a stored value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase {
    /// The text in the question.
    pub text: String,
    /// The keys to look up; the first is the folded text, which is used for similarity.
    pub keys: Vec<String>,
    /// Whether only equal keys match: numbers, short words and parts of longer phrases.
    pub exact_only: bool,
    /// Whether it may be the prefix of a value: "Calif.", one word with a period or a capital.
    pub may_be_short: bool,
}
