//! Searches passages: by words and by vectors, fused, and each checked for the caller.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use pgrx::datum::DatumWithOid;
use pgrx::pg_sys::Oid;
use text2sql_domain::config::{Limits, SearchWeights};
use text2sql_domain::error::Error;
use text2sql_domain::passages::{
    FoundPassages, MAX_PASSAGES, Origin, Passage, PassageRequest, Place, TextProtection,
    TextSource, Within,
};
use text2sql_domain::ports::{PassageSearch, Purpose};
use text2sql_language::documents::chunks::{Chunk, chunks};
use text2sql_language::terms::Analyzer;

use super::passages::{MIN_FOR_INDEX, fingerprint, sizes, state};
use super::rows::{self, ReadRow};
use super::sources::{self, Source};
use crate::pg::execution::database::GuardedDatabase;
use crate::pg::protection::{self, Level};
use crate::pg::search_index::{self, embedder, vector_schema};
use crate::pg::settings::{self, Overrides};
use crate::pg::spi;
use crate::pg::spi::owner::{has_no_block, owner_of};
use crate::pg::spi::role::{EffectiveRole, with_role};
use crate::pg::spi::sandbox::keep_no_locks;

const SCOPES: &str = "SELECT s.id, s.language, s.text_source, s.source, r.level
     FROM text2sql._passage_scopes s LEFT JOIN text2sql._document_protections r ON r.source = s.source
     WHERE s.text_source IS NOT NULL OR text2sql._may_read_document($1, s.catalog, s.role_oids, s.role_names)";
/// A scope may have lost its last passage.
const HAS_PASSAGES: &str =
    "SELECT EXISTS (SELECT FROM text2sql._passages p WHERE p.scope = ANY ($1))";
const MAY_READ: &str = "SELECT has_schema_privilege($1, c.relnamespace, 'USAGE')
       AND (has_table_privilege($1, c.oid, 'SELECT')
            OR NOT EXISTS (SELECT FROM unnest($3) AS n WHERE NOT has_column_privilege($1, c.oid, n, 'SELECT')))
     FROM pg_class c WHERE c.oid = $2";
const LEXEMES: &str = "SELECT l.name, x.lexeme FROM unnest($1) AS l(name)
     CROSS JOIN LATERAL unnest(tsvector_to_array(to_tsvector(('pg_catalog.' || l.name)::regconfig, $2))) AS x(lexeme)";
/// How many passages have a word: from the statistics in a large index, else counted.
const STATISTICS: &str = "SELECT e.lexeme, e.share FROM pg_stats s
     CROSS JOIN LATERAL unnest(s.most_common_elems::text::text[], s.most_common_elem_freqs) AS e(lexeme, share)
     WHERE s.schemaname = 'text2sql' AND s.tablename = '_passages' AND s.attname = 'words' AND e.lexeme = ANY ($1)";
const SIZE: &str =
    "SELECT reltuples::float8 FROM pg_class WHERE oid = 'text2sql._passages'::regclass";
const COUNTED: &str = "SELECT q.word, (SELECT count(*) FROM (SELECT FROM text2sql._passages p WHERE p.words @@ q.word::tsquery LIMIT 5000) AS found)
     FROM unnest($1) AS q(word)";
const BY_WORDS: &str = "SELECT m.id, sum(m.weight) FROM unnest($1, $2) AS q(word, weight)
     CROSS JOIN LATERAL (SELECT p.id, q.weight FROM text2sql._passages p
        WHERE p.words @@ q.word::tsquery AND p.scope = ANY ($3) LIMIT $5) AS m
     GROUP BY m.id ORDER BY sum(m.weight) DESC, m.id LIMIT $4";
/// The same among the texts of rows whose keys are known.
const BY_WORDS_OF_KEYS: &str = "WITH p AS MATERIALIZED (
        SELECT id, words FROM text2sql._passages WHERE text_source = ANY ($5) AND key = ANY ($6) AND scope = ANY ($3))
     SELECT p.id, sum(q.weight) FROM p JOIN unnest($1, $2) AS q(word, weight) ON p.words @@ q.word::tsquery
     GROUP BY p.id ORDER BY sum(q.weight) DESC, p.id LIMIT $4";
const COUNT_IN_SCOPES: &str = "SELECT count(*) FROM (SELECT FROM text2sql._passage_vectors v WHERE v.scope = ANY ($1) LIMIT $2) AS found";
const HNSW: &str = "SELECT to_regclass('text2sql._passage_vectors_hnsw')::oid";
const READ: &str = "SELECT p.id, p.scope, p.document, p.text_source, p.key, p.fingerprint, p.part, p.parts, p.headings,
         p.start_byte, p.end_byte, p.content, d.title, d.source
     FROM text2sql._passages p LEFT JOIN text2sql._documents d ON d.id = p.document
     WHERE p.id = ANY ($1)";

/// Above this number of passages, frequencies of words come from the statistics.
const MAX_COUNTED: f64 = 20_000.0;

/// A word in more than this share of many passages says little, and is left out where another one is left.
const COMMON: f64 = 0.05;

/// How many passages are read first; then twenty times as many, because the caller may read few of them.
const FIRST_BATCH: usize = 50;

/// How many passages each leg finds, step by step, until enough of them can be read.
const DEPTHS: [i64; 3] = [100, 1_000, 10_000];

/// The depth up to which the index is used: beyond it, comparing all vectors is as fast, and exact.
const MAX_INDEXED: i64 = 1_000;

/// Passages with one of the rarest words of a question that are candidates; the other words only rank them.
const ESSENTIAL: f64 = 2_000.0;

/// How many passages with a word are candidates: of very many passages, where reading one costs up to 5 µs, and of
/// fewer.
const EACH: i64 = 2_000;
const EACH_COUNTED: i64 = 5_000;

/// Reduces the weight of the first ranks, as for tables.
const K: f64 = 60.0;

/// The search for one question, as the effective role.
pub(crate) struct TextSearch {
    database: GuardedDatabase,
    limits: Limits,
}

struct Scope {
    id: i32,
    language: String,
    text_source: Option<i64>,
    source: Option<String>,
    is_private: bool,
}

struct Candidate {
    id: i64,
    document: Option<i64>,
    text_source: Option<i64>,
    key: String,
    fingerprint: i64,
    part: i32,
    parts: i32,
    headings: String,
    start: i32,
    end: i32,
    content: Option<String>,
    title: Option<String>,
    source: Option<String>,
    scope: i32,
}

/// The vector of a question, its length, the least similarity and the weight of its leg.
type QuestionVector = (Vec<f32>, i32, f32, f64);

/// What the legs look for.
struct Looked {
    words: Vec<String>,
    weights: Vec<f64>,
    /// How many passages with a word are candidates.
    each: i64,
    vector: Option<QuestionVector>,
    weights_of_legs: SearchWeights,
    scopes: Vec<i32>,
    /// Of rows: the text columns and the keys.
    sources: Vec<i64>,
    keys: Option<Vec<String>>,
}

impl TextSearch {
    /// A search with the settings of this session.
    pub(crate) fn new() -> Result<Self, Error> {
        Ok(Self {
            database: GuardedDatabase::new(false)?,
            limits: settings::limits(&Overrides::default()),
        })
    }

    fn role(&self) -> &EffectiveRole {
        self.database.role()
    }

    /// The sources that the role may read whole columns of, now.
    fn sources(&self) -> Result<Vec<Source>, Error> {
        let mut readable = Vec::new();
        for source in sources::all()? {
            let mut columns = vec![source.body];
            columns.extend(source.title);
            columns.extend(source.key.iter().map(|column| column.number));
            let mut is_hidden = protection::of_column(source.table, 0)? == Level::Hidden;
            for column in &columns {
                is_hidden |= protection::of_column(source.table, *column)? == Level::Hidden;
            }
            let arguments = [self.role().oid.into(), source.table.into(), columns.into()];
            if !is_hidden && spi::read_one::<bool>(MAY_READ, &arguments)? == Some(true) {
                readable.push(source);
            }
        }
        Ok(readable)
    }

    /// The scopes that the role may read.
    fn scopes(&self, owner: &EffectiveRole, sources: &[Source]) -> Result<Vec<Scope>, Error> {
        let scopes = with_role(owner, || {
            spi::read_rows(SCOPES, &[self.role().oid.into()], 0, |row| {
                let level: Option<String> = row.read(5)?;
                let scope = Scope {
                    id: row.read(1)?.unwrap_or_default(),
                    language: row.read(2)?.unwrap_or_default(),
                    text_source: row.read(3)?,
                    source: row.read(4)?,
                    is_private: level.as_deref() == Some("private"),
                };
                Ok((level.as_deref() != Some("hidden")).then_some(scope))
            })
        })?;
        let scopes = scopes
            .into_iter()
            .flatten()
            .filter(|scope| match scope.text_source {
                Some(id) => sources.iter().any(|source| source.id == id),
                None => true,
            });
        Ok(scopes.collect())
    }
}

fn nothing() -> FoundPassages {
    FoundPassages::default()
}

impl PassageSearch for TextSearch {
    fn has_texts(&self) -> Result<bool, Error> {
        if has_no_block(c"_passages") {
            return Ok(false);
        }
        let Some(owner) = owner_of(c"_passages") else {
            return Ok(false);
        };
        keep_no_locks(|| {
            let scopes = self.scopes(&owner, &self.sources()?)?;
            if scopes.is_empty() {
                return Ok(false);
            }
            let ids: Vec<i32> = scopes.iter().map(|scope| scope.id).collect();
            let found = with_role(&owner, || spi::read_one(HAS_PASSAGES, &[ids.into()]))?;
            Ok(found == Some(true))
        })
    }

    fn text_sources(&self) -> Result<Vec<TextSource>, Error> {
        if has_no_block(c"_text_sources") {
            return Ok(Vec::new());
        }
        let sources = keep_no_locks(|| self.sources())?;
        Ok(sources
            .into_iter()
            .map(|source| TextSource {
                table: source.table.to_u32(),
                schema: source.schema,
                name: source.name,
                column: source.column,
                key: source.key.into_iter().map(|column| column.name).collect(),
            })
            .collect())
    }

    fn search(&self, request: &PassageRequest<'_>) -> Result<FoundPassages, Error> {
        let limit = request.limit.min(MAX_PASSAGES);
        let question: String = request.question.chars().take(2_000).collect();
        if limit == 0 || question.trim().is_empty() || has_no_block(c"_passages") {
            return Ok(nothing());
        }
        let Some(owner) = owner_of(c"_passages") else {
            return Ok(nothing());
        };
        let (sources, scopes) = keep_no_locks(|| {
            let sources = self.sources()?;
            let mut scopes = self.scopes(&owner, &sources)?;
            scopes.retain(|scope| match request.within {
                Within::Everywhere => true,
                Within::Documents(wanted) => {
                    scope.text_source.is_none()
                        && wanted.is_none_or(|wanted| scope.source.as_deref() == Some(wanted))
                }
                Within::Rows { table, .. } => sources.iter().any(|source| {
                    scope.text_source == Some(source.id) && source.table.to_u32() == table
                }),
            });
            Ok((sources, scopes))
        })?;
        let keys = match request.within {
            Within::Rows {
                keys: Some(keys), ..
            } => Some(
                keys.iter()
                    .map(|key| serde_json::Value::from(key.clone()).to_string())
                    .collect::<Vec<String>>(),
            ),
            _ => None,
        };
        if scopes.is_empty() || keys.as_ref().is_some_and(Vec::is_empty) {
            return Ok(nothing());
        }
        let mut warnings = Vec::new();
        // Outside of keep_no_locks: the vector may come from an endpoint.
        let vector = match question_vector(&owner, &question) {
            Ok(vector) => vector,
            Err(error) => {
                warnings.push(format!(
                    "the texts were found without vectors: {}",
                    error.message()
                ));
                None
            }
        };
        let (words, each) =
            keep_no_locks(|| with_role(&owner, || weighted_words(&question, &scopes)))?;
        let (words, weights) = words.into_iter().unzip();
        let looked = Looked {
            words,
            weights,
            each,
            vector,
            weights_of_legs: request.weights,
            scopes: scopes.iter().map(|scope| scope.id).collect(),
            sources: scopes
                .iter()
                .filter_map(|scope| scope.text_source)
                .collect(),
            keys,
        };
        let mut seen = HashSet::new();
        let mut passages: Vec<Passage> = Vec::new();
        let mut size = FIRST_BATCH;
        for depth in DEPTHS {
            let (fused, is_full) = keep_no_locks(|| with_role(&owner, || fused(&looked, depth)))?;
            let fresh: Vec<Ranked> = fused
                .into_iter()
                .filter(|found| seen.insert(found.id))
                .collect();
            let mut left = fresh.as_slice();
            while !left.is_empty() && passages.len() < limit {
                let (batch, rest) = left.split_at(size.min(left.len()));
                let candidates = keep_no_locks(|| with_role(&owner, || read(batch)))?;
                let missing = limit - passages.len();
                let texts = self.texts(batch, &candidates, &sources, missing)?;
                passages.extend(checked(
                    &question,
                    batch,
                    &candidates,
                    &texts,
                    &sources,
                    &scopes,
                ));
                left = rest;
                size = size.saturating_mul(20);
            }
            if passages.len() >= limit || !is_full {
                break;
            }
        }
        passages.truncate(limit);
        Ok(FoundPassages { passages, warnings })
    }
}

impl TextSearch {
    /// The texts of the first rows of a batch that the caller can read, by source and key: of each source as many as
    /// are missing.
    fn texts(
        &self,
        batch: &[Ranked],
        candidates: &HashMap<i64, Candidate>,
        sources: &[Source],
        missing: usize,
    ) -> Result<Texts, Error> {
        let mut texts = Texts::new();
        for source in sources {
            let mut known = HashSet::new();
            let ranked = batch.iter().filter_map(|ranked| candidates.get(&ranked.id));
            let of_source: Vec<&Candidate> = ranked
                .filter(|candidate| candidate.text_source == Some(source.id))
                .collect();
            let keys: Vec<&str> = of_source
                .iter()
                .map(|candidate| candidate.key.as_str())
                .filter(|key| known.insert(*key))
                .collect();
            let (mut left, mut found) = (keys.as_slice(), 0);
            let entry: &mut HashMap<String, ReadRow> = texts.entry(source.id).or_default();
            while !left.is_empty() && found < missing {
                let wanted = missing - found;
                let read = rows::read(&self.database, source, left, wanted, &self.limits)?;
                // A row that has changed may have nothing to show.
                found += of_source
                    .iter()
                    .filter(|candidate| {
                        let row = read.rows.get(&candidate.key);
                        row.is_some_and(|row| is_as_indexed(row, candidate))
                    })
                    .count();
                left = left.get(read.looked_at.max(1)..).unwrap_or_default();
                entry.extend(read.rows);
            }
        }
        Ok(texts)
    }
}

/// The texts of rows, by source and key.
type Texts = HashMap<i64, HashMap<String, ReadRow>>;

/// The title of a row as a passage has it.
fn title_of(row: &ReadRow) -> String {
    let title = row.title.as_deref().unwrap_or_default();
    title.chars().take(500).collect()
}

fn is_as_indexed(row: &ReadRow, candidate: &Candidate) -> bool {
    fingerprint(&title_of(row), &row.text) == candidate.fingerprint
}

/// The passages of a batch that the caller can read, in its order.
fn checked(
    question: &str,
    batch: &[Ranked],
    candidates: &HashMap<i64, Candidate>,
    texts: &Texts,
    sources: &[Source],
    scopes: &[Scope],
) -> Vec<Passage> {
    let mut passages = Vec::new();
    for ranked in batch {
        let Some(candidate) = candidates.get(&ranked.id) else {
            continue;
        };
        let mut place = Place {
            headings: headings(&candidate.headings),
            part: u32::try_from(candidate.part).unwrap_or(0),
            parts: u32::try_from(candidate.parts).unwrap_or(0),
        };
        let is_private = scopes
            .iter()
            .any(|scope| scope.id == candidate.scope && scope.is_private);
        let protection = |is_private| match is_private {
            true => TextProtection::Private,
            false => TextProtection::Open,
        };
        let source = sources
            .iter()
            .find(|source| candidate.text_source == Some(source.id));
        let (title, origin, text, protection) = match (candidate.document, source) {
            (Some(id), _) => (
                candidate.title.clone(),
                Origin::Document {
                    id,
                    source: candidate.source.clone(),
                },
                candidate.content.clone().unwrap_or_default(),
                protection(is_private),
            ),
            (None, Some(source)) => {
                let Some(row) = texts
                    .get(&source.id)
                    .and_then(|rows| rows.get(&candidate.key))
                else {
                    continue;
                };
                let title = title_of(row);
                let text = match is_as_indexed(row, candidate) {
                    true => slice(&row.text, candidate),
                    // The row has changed since it was indexed.
                    false => match changed(question, &row.text) {
                        Some((chunk, part, parts)) => {
                            place = Place {
                                headings: chunk.headings.clone(),
                                part,
                                parts,
                            };
                            chunk.text(&row.text).to_owned()
                        }
                        None => continue,
                    },
                };
                let values: Vec<String> = serde_json::from_str(&candidate.key).unwrap_or_default();
                let names = source.key.iter().map(|column| column.name.clone());
                let origin = Origin::Row {
                    table: source.table.to_u32(),
                    schema: source.schema.clone(),
                    name: source.name.clone(),
                    column: source.column.clone(),
                    key: names.zip(values).collect(),
                };
                let title = (!title.is_empty()).then_some(title);
                (title, origin, text, protection(row.is_private))
            }
            (None, None) => continue,
        };
        passages.push(Passage {
            id: candidate.id,
            title,
            place,
            origin,
            text,
            score: ranked.score,
            similarity: ranked.similarity,
            protection,
        });
    }
    passages
}

fn headings(stored: &str) -> Vec<String> {
    stored.lines().map(str::to_owned).collect()
}

fn slice(text: &str, candidate: &Candidate) -> String {
    let at = |byte: i32| usize::try_from(byte).unwrap_or(0);
    text.get(at(candidate.start)..at(candidate.end))
        .unwrap_or_default()
        .to_owned()
}

/// Of a text that is not the indexed one, the chunk with most words of the question; `None` if it has none.
fn changed(question: &str, text: &str) -> Option<(Chunk, u32, u32)> {
    let analyzer = Analyzer::default();
    let wanted: HashSet<String> = analyzer.terms(question).into_iter().collect();
    let all = chunks(text, &sizes());
    let parts = u32::try_from(all.len()).unwrap_or(u32::MAX);
    let counted = all.into_iter().zip(1..).map(|(chunk, part)| {
        let terms: HashSet<String> = analyzer.terms(chunk.text(text)).into_iter().collect();
        (terms.intersection(&wanted).count(), chunk, part)
    });
    let best = counted.max_by_key(|(count, _, part)| (*count, std::cmp::Reverse(*part)))?;
    (best.0 > 0).then_some((best.1, best.2, parts))
}

/// The vector of the question with its length, the least similarity and the weight of the leg; `None` without vectors.
fn question_vector(owner: &EffectiveRole, question: &str) -> Result<Option<QuestionVector>, Error> {
    let (known, language) =
        keep_no_locks(|| Ok((with_role(owner, state)?, search_index::language()?)))?;
    let Some((made_by, dimensions)) = known.filter(|(_, dimensions)| *dimensions > 0) else {
        return Ok(None);
    };
    let embedder = embedder::for_vectors(&made_by, &Analyzer::new(&language))?;
    if embedder.name() != made_by {
        return Ok(None);
    }
    let vector = embedder
        .embed(&[question], Purpose::Question)?
        .into_iter()
        .next();
    let vector = vector.filter(|vector| i32::try_from(vector.len()) == Ok(dimensions));
    Ok(vector.map(|vector| {
        (
            vector,
            dimensions,
            embedder.least_similarity(),
            embedder.weight(),
        )
    }))
}

/// The words of the question in the languages of the texts, as queries, with their weights: the rarer, the more;
/// and how many passages with each are candidates.
fn weighted_words(question: &str, scopes: &[Scope]) -> Result<(WeightedWords, i64), Error> {
    let mut languages: Vec<String> = scopes.iter().map(|scope| scope.language.clone()).collect();
    languages.sort_unstable();
    languages.dedup();
    let mut lexemes = spi::read_rows(LEXEMES, &[languages.into(), question.into()], 0, |row| {
        Ok(row.read::<String>(2)?.unwrap_or_default())
    })?;
    lexemes.sort_unstable();
    lexemes.dedup();
    lexemes.truncate(64);
    let quoted: Vec<String> = lexemes
        .iter()
        .map(|lexeme| format!("'{}'", lexeme.replace('\\', "\\\\").replace('\'', "''")))
        .collect();
    let size = spi::read_one::<f64>(SIZE, &[])?.unwrap_or(0.0);
    let mut counts: HashMap<String, f64> = HashMap::new();
    if size > MAX_COUNTED {
        let known = spi::read_rows(STATISTICS, &[lexemes.clone().into()], 0, |row| {
            Ok((
                row.read::<String>(1)?.unwrap_or_default(),
                f64::from(row.read::<f32>(2)?.unwrap_or_default()) * size,
            ))
        })?;
        counts.extend(known);
    } else {
        let known = spi::read_rows(COUNTED, &[quoted.clone().into()], 0, |row| {
            Ok((
                row.read::<String>(1)?.unwrap_or_default(),
                row.read::<i64>(2)?.unwrap_or_default() as f64,
            ))
        })?;
        let by_quoted: HashMap<String, f64> = known.into_iter().collect();
        for (lexeme, quoted) in lexemes.iter().zip(&quoted) {
            counts.insert(
                lexeme.clone(),
                by_quoted.get(quoted).copied().unwrap_or(0.0),
            );
        }
    }
    let all = size.max(counts.values().copied().fold(1.0, f64::max));
    let words = lexemes.into_iter().zip(quoted).map(|(lexeme, quoted)| {
        // What is not in the statistics is rarer than a thousandth.
        let count = counts.get(&lexeme).copied().unwrap_or(all / 1_000.0);
        let weight = (1.0 + (all - count + 0.5) / (count + 0.5)).ln();
        (quoted, weight, count)
    });
    let mut words: Vec<(String, f64, f64)> = words.collect();
    let is_rare = |count: f64| count <= 1_000.0 || count <= all * COMMON;
    let has_rare = words
        .iter()
        .any(|(_, _, count)| *count > 0.0 && is_rare(*count));
    words.retain(|(_, _, count)| !has_rare || is_rare(*count));
    let is_narrow = size > MAX_COUNTED;
    if is_narrow {
        narrow(&mut words);
    }
    let each = if is_narrow { EACH } else { EACH_COUNTED };
    let words = words.into_iter().map(|(word, weight, _)| (word, weight));
    Ok((words.collect(), each))
}

/// Queries for words with their weights.
type WeightedWords = Vec<(String, f64)>;

/// Has the words that are not among the rarest looked for only beside one of these: a passage with nothing but common
/// words of the question would not be among the first, and reading thousands of them takes most of the time.
fn narrow(words: &mut [(String, f64, f64)]) {
    words.sort_by(|one, other| one.2.total_cmp(&other.2));
    let mut found = 0.0;
    let essential = words
        .iter()
        .take_while(|(_, _, count)| {
            let is_essential = found < ESSENTIAL;
            found += count;
            is_essential
        })
        .count();
    let (rarest, others) = words.split_at_mut(essential);
    let any: Vec<&str> = rarest.iter().map(|(word, _, _)| word.as_str()).collect();
    let any = any.join(" | ");
    for (word, _, _) in others {
        *word = format!("({any}) & {word}");
    }
}

/// A passage with its place.
struct Ranked {
    id: i64,
    score: f64,
    similarity: Option<f32>,
}

/// Both legs, fused by reciprocal ranks, best first; and whether a leg may have more. A leg that found nothing has no
/// vote. As the owner.
fn fused(looked: &Looked, depth: i64) -> Result<(Vec<Ranked>, bool), Error> {
    let legs = looked.weights_of_legs;
    let by_words = match legs.words == 0.0 {
        true => Vec::new(),
        false => by_words(looked, depth)?,
    };
    let vector = looked.vector.as_ref().filter(|_| legs.vectors > 0.0);
    let (by_meaning, weight) = match vector {
        None => (Vec::new(), 0.0),
        Some((vector, dimensions, least, weight)) => {
            let mut near = nearest(looked, vector, *dimensions, depth)?;
            near.retain(|(_, similarity)| similarity.is_some_and(|found| found >= *least));
            (near, *weight * legs.vectors)
        }
    };
    let reached = |found: usize| i64::try_from(found).is_ok_and(|found| found >= depth);
    let is_full = reached(by_words.len()) || reached(by_meaning.len());
    let mut scores: HashMap<i64, (f64, Option<f32>)> = HashMap::new();
    for (leg, weight) in [(by_words, legs.words), (by_meaning, weight)] {
        for ((id, similarity), rank) in leg.into_iter().zip(1_u32..) {
            let entry = scores.entry(id).or_default();
            entry.0 += weight / (K + f64::from(rank));
            entry.1 = entry.1.or(similarity);
        }
    }
    let mut ranked: Vec<Ranked> = scores
        .into_iter()
        .map(|(id, (score, similarity))| Ranked {
            id,
            score,
            similarity,
        })
        .collect();
    ranked.sort_by(|one, other| {
        other
            .score
            .total_cmp(&one.score)
            .then(one.id.cmp(&other.id))
    });
    Ok((ranked, is_full))
}

/// The passages with the words, those with the rarest first. As the owner.
fn by_words(looked: &Looked, depth: i64) -> Result<Vec<(i64, Option<f32>)>, Error> {
    if looked.words.is_empty() {
        return Ok(Vec::new());
    }
    let mut arguments = vec![
        looked.words.clone().into(),
        looked.weights.clone().into(),
        looked.scopes.clone().into(),
        depth.into(),
    ];
    let sql = match &looked.keys {
        None => {
            arguments.push(looked.each.max(depth).into());
            BY_WORDS
        }
        Some(keys) => {
            arguments.extend([looked.sources.clone().into(), keys.clone().into()]);
            BY_WORDS_OF_KEYS
        }
    };
    spi::read_rows(sql, &arguments, 0, |row| {
        Ok((row.read::<i64>(1)?.unwrap_or_default(), None))
    })
}

/// How the vectors are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Way {
    /// Through the index.
    Indexed,
    /// All of the scopes.
    All,
    /// Those of rows whose keys are known.
    OfKeys,
}

/// Through the index only where it is there, finds enough, and passes by few passages of other scopes.
fn way(looked: &Looked, depth: i64) -> Result<Way, Error> {
    if looked.keys.is_some() {
        return Ok(Way::OfKeys);
    }
    if depth > MAX_INDEXED || spi::read_one::<Oid>(HNSW, &[])?.is_none() {
        return Ok(Way::All);
    }
    let arguments = [looked.scopes.clone().into(), MIN_FOR_INDEX.into()];
    let count: i64 = spi::read_one(COUNT_IN_SCOPES, &arguments)?.unwrap_or_default();
    match count < MIN_FOR_INDEX {
        true => Ok(Way::All),
        false => Ok(Way::Indexed),
    }
}

/// The query for a way; built once in a session for each schema and length.
fn vector_query(way: Way, schema: &str, dimensions: i32) -> &'static str {
    thread_local! {
        static QUERIES: RefCell<HashMap<(String, i32, Way), &'static str>> = RefCell::default();
    }
    let key = (schema.to_owned(), dimensions, way);
    QUERIES.with_borrow_mut(|queries| {
        *queries.entry(key).or_insert_with(|| {
            let distance = search_index::distance_sql(schema, "v", dimensions, way == Way::Indexed);
            let from = match way {
                Way::OfKeys => "text2sql._passages p JOIN text2sql._passage_vectors v ON v.passage = p.id
                 WHERE p.text_source = ANY ($4) AND p.key = ANY ($5) AND",
                Way::Indexed | Way::All => "text2sql._passage_vectors v WHERE",
            };
            let sql = format!(
                "SELECT v.passage, 1 - ({distance}) FROM {from} v.scope = ANY ($2) ORDER BY {distance} LIMIT $3"
            );
            &*sql.leak()
        })
    })
}

fn nearest(
    looked: &Looked,
    vector: &[f32],
    dimensions: i32,
    depth: i64,
) -> Result<Vec<(i64, Option<f32>)>, Error> {
    let schema = vector_schema()?;
    let way = way(looked, depth)?;
    let sql = vector_query(way, &schema, dimensions);
    let mut arguments: Vec<DatumWithOid<'_>> = vec![
        vector.to_vec().into(),
        looked.scopes.clone().into(),
        depth.into(),
    ];
    if let (Way::OfKeys, Some(keys)) = (way, &looked.keys) {
        arguments.extend([looked.sources.clone().into(), keys.clone().into()]);
    }
    let read = |row: &spi::Row| {
        let similarity = row.read::<f64>(2)?.map(|found| found as f32);
        Ok((row.read::<i64>(1)?.unwrap_or_default(), similarity))
    };
    let mut near = match way {
        Way::Indexed => spi::with_settings(&[search_index::scan_settings(&schema)?], || {
            spi::read_rows(sql, &arguments, 0, read)
        })?,
        Way::All | Way::OfKeys => spi::read_rows(sql, &arguments, 0, read)?,
    };
    near.sort_by(|one, other| {
        other
            .1
            .unwrap_or(0.0)
            .total_cmp(&one.1.unwrap_or(0.0))
            .then(one.0.cmp(&other.0))
    });
    Ok(near)
}

fn read(batch: &[Ranked]) -> Result<HashMap<i64, Candidate>, Error> {
    let ids: Vec<i64> = batch.iter().map(|ranked| ranked.id).collect();
    let rows = spi::read_rows(READ, &[ids.into()], 0, |row| {
        let id = row.read::<i64>(1)?.unwrap_or_default();
        Ok((
            id,
            Candidate {
                id,
                scope: row.read(2)?.unwrap_or_default(),
                document: row.read(3)?,
                text_source: row.read(4)?,
                key: row.read(5)?.unwrap_or_default(),
                fingerprint: row.read(6)?.unwrap_or_default(),
                part: row.read(7)?.unwrap_or_default(),
                parts: row.read(8)?.unwrap_or_default(),
                headings: row.read(9)?.unwrap_or_default(),
                start: row.read(10)?.unwrap_or_default(),
                end: row.read(11)?.unwrap_or_default(),
                content: row.read(12)?,
                title: row.read(13)?,
                source: row.read(14)?,
            },
        ))
    })?;
    Ok(rows.into_iter().collect())
}
