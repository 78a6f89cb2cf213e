//! A search index in memory: for tests, and for measuring retrieval without a server.
//!
//! It stores what the extension stores, in the same packed form, and searches vectors and values by
//! scanning all of them.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use text2sql_domain::error::Error;
use text2sql_domain::ports::search_index::{
    Collection, Example, IndexState, Joining, KnownValue, NAME, Near, NearWord, Phrase,
    PostingSegment, Readable, SearchIndex, Sibling, ValueHit,
};
use text2sql_domain::ports::{Embedder, Purpose, is_embedded};
use text2sql_domain::schema::{Definition, Table};
use text2sql_language::names::name_reader::NameReader;
use text2sql_language::names::vocabulary::Vocabulary;
use text2sql_language::terms::{Analyzer, fold};
use text2sql_retrieval::index::document::{self, Document};
use text2sql_retrieval::index::postings::{segment_of, splice};
use text2sql_retrieval::values;
use text2sql_retrieval::vectors::{MAX_COMPARED, NEAREST_TABLES};

/// The index.
#[derive(Debug, Default)]
pub struct MemoryIndex {
    analyzer: Analyzer,
    state: IndexState,
    postings: HashMap<(Collection, String), BTreeMap<u32, Vec<u8>>>,
    vectors: HashMap<Collection, Vec<(u32, i16, Vec<f32>)>>,
    /// The words of the catalog, with their vectors where the embedder knows meaning.
    words: BTreeMap<String, Option<Vec<f32>>>,
    joins: BTreeMap<u32, Vec<Joining>>,
    families: BTreeMap<i64, Vec<(u32, String, String)>>,
    family_keys: BTreeMap<u32, Vec<i64>>,
    schemas: BTreeMap<u32, u32>,
    names: BTreeMap<u32, String>,
    hidden: BTreeSet<u32>,
    values: Vec<StoredValue>,
    /// The places of the values with a key.
    keys: HashMap<String, Vec<usize>>,
    definitions: BTreeMap<u32, Definition>,
    examples: BTreeMap<u32, Example>,
    /// Examples that were verified since.
    unindexed: Vec<Example>,
}

/// A value of a column, with the trigrams that a misspelled phrase is compared with.
#[derive(Debug)]
struct StoredValue {
    table: u32,
    column: i16,
    value: String,
    trigrams: Vec<[char; 3]>,
}

impl MemoryIndex {
    /// An empty index for a language.
    pub fn new(analyzer: Analyzer) -> Self {
        let state = IndexState {
            language: analyzer.language().to_owned(),
            ..IndexState::default()
        };
        Self {
            analyzer,
            state,
            ..Self::default()
        }
    }

    /// Adds the tables of a catalog, with vectors when there is an embedder. Their names are read by the words
    /// of these tables.
    pub fn add_tables(
        &mut self,
        tables: &[Table],
        embedder: Option<&dyn Embedder>,
    ) -> Result<(), Error> {
        let mut schemas: Vec<&str> = tables.iter().map(|table| table.schema.as_str()).collect();
        schemas.sort_unstable();
        schemas.dedup();
        let mut vocabulary = Vocabulary::default();
        for table in tables {
            document::add_words(table, &self.analyzer, &mut vocabulary);
        }
        let documents: Vec<Document> = {
            let reader = NameReader::new(&vocabulary, &self.analyzer);
            let of = |table| document::of_table(table, &self.analyzer, &reader);
            tables.iter().map(of).collect()
        };
        for (table, document) in tables.iter().zip(documents) {
            let schema = schemas.binary_search(&table.schema.as_str());
            let schema = u32::try_from(schema.unwrap_or(0)).unwrap_or(0);
            self.schemas.insert(table.oid, schema);
            self.names.insert(table.oid, table.name.to_lowercase());
            for join in &document.joins {
                self.add_join(join.clone());
            }
            for family in &document.families {
                let members = self.families.entry(family.key).or_default();
                members.push((table.oid, family.part.clone(), table.name.clone()));
            }
            let keys = document.families.iter().map(|family| family.key);
            self.family_keys.insert(table.oid, keys.collect());
            self.state.schema.add(document.totals);
            self.add_words(&document.words, embedder)?;
            self.store(Collection::Schema, table.oid, document, embedder)?;
        }
        Ok(())
    }

    fn add_words(
        &mut self,
        words: &[String],
        embedder: Option<&dyn Embedder>,
    ) -> Result<(), Error> {
        for written in words {
            let Entry::Vacant(entry) = self.words.entry(fold(written)) else {
                continue;
            };
            let vector = match embedder.filter(|embedder| embedder.knows_meaning()) {
                Some(embedder) => embedder.embed(&[written], Purpose::Document)?.pop(),
                None => None,
            };
            entry.insert(vector);
        }
        Ok(())
    }

    /// Adds a join that no foreign key declares.
    pub fn add_join(&mut self, join: Joining) {
        let of_from = self.joins.entry(join.from).or_default();
        of_from.push(join.clone());
        if join.from != join.to {
            self.joins.entry(join.to).or_default().push(join);
        }
    }

    /// Adds a definition.
    pub fn add_definition(
        &mut self,
        id: u32,
        definition: Definition,
        embedder: Option<&dyn Embedder>,
    ) -> Result<(), Error> {
        let document = document::of_definition(&definition, &self.analyzer);
        self.state.definitions.add(document.totals);
        self.definitions.insert(id, definition);
        self.store(Collection::Definitions, id, document, embedder)
    }

    /// Adds a verified example.
    pub fn add_example(
        &mut self,
        example: Example,
        embedder: Option<&dyn Embedder>,
    ) -> Result<(), Error> {
        let document = document::of_example(&example.question, &example.sql, &self.analyzer);
        self.state.examples.add(document.totals);
        let id = example.id;
        self.examples.insert(id, example);
        self.store(Collection::Examples, id, document, embedder)
    }

    /// Adds an example that was verified after the index was made.
    pub fn add_unindexed_example(&mut self, example: Example) {
        self.unindexed.push(example);
    }

    /// Adds a value of a column.
    pub fn add_value(&mut self, table: u32, column: i16, value: &str) {
        let place = self.values.len();
        let keys = values::keys(value, &self.analyzer);
        self.values.push(StoredValue {
            table,
            column,
            value: value.to_owned(),
            trigrams: keys.first().map_or(Vec::new(), |key| values::trigrams(key)),
        });
        for key in keys {
            self.keys.entry(key).or_default().push(place);
        }
    }

    /// Makes a table unreadable for the caller.
    pub fn hide(&mut self, table: u32) {
        self.hidden.insert(table);
    }

    /// Bytes of all postings.
    pub fn posting_bytes(&self) -> usize {
        let segments = self.postings.values().flat_map(BTreeMap::values);
        segments.map(Vec::len).sum()
    }

    fn is_shown(&self, table: u32) -> bool {
        !self.hidden.contains(&table)
    }

    fn store(
        &mut self,
        collection: Collection,
        item: u32,
        document: Document,
        embedder: Option<&dyn Embedder>,
    ) -> Result<(), Error> {
        for (term, packed) in document.postings {
            let segments = self.postings.entry((collection, term)).or_default();
            let segment = segments.entry(segment_of(item)).or_default();
            *segment = splice(segment, item, Some(&packed));
        }
        let Some(embedder) = embedder else {
            return Ok(());
        };
        self.state.embedder = embedder.name();
        self.state.dimensions = embedder.dimensions();
        let is_wanted = |unit: i16| is_embedded(embedder, collection, unit);
        let texts: Vec<_> = document
            .texts
            .iter()
            .filter(|(unit, _)| is_wanted(*unit))
            .collect();
        let plain: Vec<&str> = texts.iter().map(|(_, text)| text.as_str()).collect();
        let vectors = embedder.embed(&plain, Purpose::Document)?;
        let stored = self.vectors.entry(collection).or_default();
        for ((unit, _), vector) in texts.iter().zip(vectors) {
            stored.push((item, *unit, vector));
        }
        Ok(())
    }
}

impl SearchIndex for MemoryIndex {
    fn state(&self) -> Result<Option<IndexState>, Error> {
        Ok(Some(self.state.clone()))
    }

    fn postings(
        &self,
        collection: Collection,
        terms: &[String],
    ) -> Result<Vec<PostingSegment>, Error> {
        // The first of equal terms, as on the server.
        let is_new =
            |at: usize, term: &String| terms.iter().position(|one| one == term) == Some(at);
        let distinct = terms.iter().enumerate();
        let distinct = distinct.filter(|(at, term)| is_new(*at, term));
        let segments = distinct.flat_map(|(at, term)| {
            let stored = self.postings.get(&(collection, term.clone()));
            let segments = stored.into_iter().flat_map(BTreeMap::values);
            segments.map(move |bytes| PostingSegment {
                term: at,
                bytes: bytes.clone(),
            })
        });
        Ok(segments.collect())
    }

    fn nearest(
        &self,
        collection: Collection,
        vector: &[f32],
        limit: usize,
    ) -> Result<Vec<Near>, Error> {
        if vector.len() != self.state.dimensions {
            return Ok(Vec::new());
        }
        let is_hidden = |item: &u32| collection == Collection::Schema && self.hidden.contains(item);
        let stored = self.vectors.get(&collection).into_iter().flatten();
        let mut near: Vec<Near> = stored
            .filter(|(item, _, _)| !is_hidden(item))
            .map(|(item, unit, known)| Near {
                item: *item,
                unit: *unit,
                similarity: known.iter().zip(vector).map(|(a, b)| a * b).sum(),
            })
            .collect();
        near.sort_by(Near::best_first);
        let tables = near.iter().filter(|unit| unit.unit == NAME);
        if collection == Collection::Schema && tables.clone().count() > MAX_COMPARED {
            let nearest: HashSet<u32> = tables.take(NEAREST_TABLES).map(|unit| unit.item).collect();
            let mut has_column = HashSet::new();
            near.retain(|unit| {
                nearest.contains(&unit.item) && (unit.unit == NAME || has_column.insert(unit.item))
            });
        } else {
            near.truncate(limit);
        }
        Ok(near)
    }

    fn near_words(
        &self,
        vectors: &[Vec<f32>],
        at_most: usize,
    ) -> Result<Vec<Vec<NearWord>>, Error> {
        let near = vectors.iter().map(|vector| {
            let known = self.words.iter().filter_map(|(word, known)| {
                let known = known.as_ref().filter(|known| known.len() == vector.len())?;
                let similarity = known.iter().zip(vector).map(|(a, b)| a * b).sum();
                Some((word, similarity))
            });
            nearest_first(known, at_most)
        });
        Ok(near.collect())
    }

    fn similar_words(&self, words: &[String], at_most: usize) -> Result<Vec<Vec<NearWord>>, Error> {
        let near = words.iter().map(|word| {
            let known = self.words.keys().filter_map(|known| {
                let similarity = values::similarity(known, word);
                (similarity >= values::MIN_SIMILARITY).then_some((known, similarity))
            });
            nearest_first(known, at_most)
        });
        Ok(near.collect())
    }

    fn readable(&self, tables: &[u32]) -> Result<Vec<Readable>, Error> {
        let readable = tables.iter().filter(|table| !self.hidden.contains(table));
        Ok(readable
            .filter_map(|table| {
                Some(Readable {
                    table: *table,
                    schema: *self.schemas.get(table)?,
                    columns: None,
                })
            })
            .collect())
    }

    fn joins(&self, tables: &[u32], per_table: usize) -> Result<Vec<Joining>, Error> {
        let mut seen: HashSet<&Joining> = HashSet::new();
        let known = tables.iter().filter_map(|table| self.joins.get(table));
        let joins = known.flat_map(|joins| joins.iter().take(per_table));
        let joins = joins.filter(|join| self.is_shown(join.from) && self.is_shown(join.to));
        Ok(joins.filter(|join| seen.insert(join)).cloned().collect())
    }

    fn bridges(&self, tables: &[u32], limit: usize) -> Result<Vec<u32>, Error> {
        let mut counts: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for table in tables {
            for join in self.joins.get(table).into_iter().flatten() {
                let other = if join.from == *table {
                    join.to
                } else {
                    join.from
                };
                counts.entry(other).or_default().insert(*table);
            }
        }
        let mut bridges: Vec<_> = counts
            .into_iter()
            .filter(|(table, ends)| ends.len() > 1 && self.is_shown(*table))
            .collect();
        bridges.sort_by_key(|(_, ends)| std::cmp::Reverse(ends.len()));
        Ok(bridges
            .into_iter()
            .take(limit)
            .map(|(table, _)| table)
            .collect())
    }

    fn siblings(&self, tables: &[u32], per_family: usize) -> Result<Vec<Sibling>, Error> {
        let mut siblings = Vec::new();
        for of in tables {
            for key in self.family_keys.get(of).into_iter().flatten() {
                let members = self.families.get(key).map(Vec::as_slice);
                let members = members.filter(|members| members.len() > 1);
                let seen = members
                    .into_iter()
                    .flatten()
                    .filter(|(table, ..)| !self.hidden.contains(table));
                siblings.extend(seen.take(per_family).map(|(table, part, name)| Sibling {
                    of: *of,
                    key: *key,
                    table: *table,
                    part: part.clone(),
                    name: name.clone(),
                }));
            }
        }
        Ok(siblings)
    }

    fn values(&self, phrases: &[Phrase], per_phrase: usize) -> Result<Vec<ValueHit>, Error> {
        let mut hits = Vec::new();
        for (at, phrase) in phrases.iter().enumerate() {
            let equal = phrase.keys.iter().filter_map(|key| self.keys.get(key));
            let equal: BTreeSet<usize> = equal.flatten().copied().collect();
            let equal = equal.iter().filter_map(|place| self.values.get(*place));
            let mut found: Vec<(&StoredValue, f32)> = equal.map(|value| (value, 1.0)).collect();
            if found.is_empty() && !phrase.exact_only {
                let wanted = phrase.keys.first().map_or("", String::as_str);
                let wanted = values::trigrams(wanted);
                let near = self.values.iter().map(|value| {
                    let similarity = values::similarity_of(&value.trigrams, &wanted);
                    (value, similarity)
                });
                found.extend(near.filter(|(_, similarity)| *similarity >= values::MIN_SIMILARITY));
            }
            found.retain(|(value, _)| self.is_shown(value.table));
            found.sort_by(|one, other| other.1.total_cmp(&one.1));
            found.truncate(per_phrase);
            hits.extend(found.into_iter().map(|(value, similarity)| ValueHit {
                phrase: at,
                table: value.table,
                column: value.column,
                value: value.value.clone(),
                similarity,
            }));
        }
        Ok(hits)
    }

    fn value_of(&self, table: u32, column: i16, value: &str) -> Result<Option<KnownValue>, Error> {
        let known = self
            .values
            .iter()
            .filter(|known| known.table == table && known.column == column)
            .map(|known| known.value.as_str());
        let known: Vec<&str> = known.collect();
        if known.is_empty() {
            return Ok(None);
        }
        Ok(Some(values::look_up(&known, value, &self.analyzer)))
    }

    fn definitions(&self, ids: &[u32]) -> Result<Vec<(u32, Definition)>, Error> {
        let known = ids
            .iter()
            .filter_map(|id| Some((*id, self.definitions.get(id)?.clone())));
        let is_shown = |definition: &Definition| {
            let table = definition.applies_to;
            table.is_none_or(|table| self.is_shown(table))
        };
        Ok(known
            .filter(|(_, definition)| is_shown(definition))
            .collect())
    }

    fn unindexed_examples(&self, at_most: usize) -> Result<Vec<Example>, Error> {
        Ok(self.unindexed.iter().take(at_most).cloned().collect())
    }

    fn examples(&self, ids: &[u32]) -> Result<Vec<Example>, Error> {
        let hidden = self.hidden.iter().filter_map(|oid| self.names.get(oid));
        let hidden: Vec<&String> = hidden.collect();
        // A table whose name occurs in the SQL counts as read: close enough for an index in memory.
        let is_shown = |example: &Example| {
            let sql = example.sql.to_lowercase();
            let mut words = sql.split(|c: char| !c.is_alphanumeric() && c != '_');
            !words.any(|word| hidden.iter().any(|name| *name == word))
        };
        let known = ids.iter().filter_map(|id| self.examples.get(id));
        Ok(known.filter(|example| is_shown(example)).cloned().collect())
    }
}

fn nearest_first<'a>(
    known: impl Iterator<Item = (&'a String, f32)>,
    at_most: usize,
) -> Vec<NearWord> {
    let mut near: Vec<NearWord> = known
        .map(|(word, similarity)| NearWord {
            word: word.clone(),
            similarity,
        })
        .collect();
    // The words are sorted: a stable sort keeps equal ones in order.
    near.sort_by(|one, other| other.similarity.total_cmp(&one.similarity));
    near.truncate(at_most);
    near
}
