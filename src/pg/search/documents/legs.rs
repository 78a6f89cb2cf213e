//! The two legs of the search for passages, by words and by vectors, and how they are fused. All of it runs as the
//! owner of the passages: whether the caller may read what is found is decided afterwards.

use std::cell::RefCell;
use std::collections::HashMap;
use std::time::Instant;

use text2sql_domain::config::SearchWeights;
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::exchange::Exchange;
use text2sql_domain::ports::Purpose;
use text2sql_language::terms::Analyzer;

use super::passages::{MIN_FOR_INDEX, has_index, state};
use crate::pg::search::search_index::{self, VectorSet, embedder, vector_schema};
use crate::pg::server::spi;
use crate::pg::server::spi::role::{EffectiveRole, with_role};
use crate::pg::server::spi::sandbox::keep_no_locks;

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
/// Not through the index of scopes, which a plan for any scopes takes for selective: a search of all took 130 ms.
const BY_WORDS: &str = "SELECT m.id, sum(m.weight) FROM unnest($1, $2) AS q(word, weight)
     CROSS JOIN LATERAL (SELECT p.id, q.weight FROM text2sql._passages p
        WHERE p.words @@ q.word::tsquery AND p.scope + 0 = ANY ($3) LIMIT $5) AS m
     GROUP BY m.id ORDER BY sum(m.weight) DESC, m.id LIMIT $4";
/// All passages of rows whose keys are known, with the weight of their words; the other leg needs those without any too.
const WEIGHED_OF_KEYS: &str = "WITH q AS MATERIALIZED (SELECT word::tsquery, weight FROM unnest($1, $2) AS q(word, weight))
     SELECT p.id, (SELECT sum(q.weight) FROM q WHERE p.words @@ q.word)
       FROM text2sql._passages p WHERE p.text_source = ANY ($4) AND p.key = ANY ($5) AND p.scope + 0 = ANY ($3)";
const COUNT_IN_SCOPES: &str = "SELECT count(*) FROM (SELECT FROM text2sql._passage_vectors v WHERE v.scope = ANY ($1) LIMIT $2) AS found";
const COUNT_SECOND_IN_SCOPES: &str = "SELECT count(*) FROM (SELECT FROM text2sql._second_passage_vectors v WHERE v.scope = ANY ($1) LIMIT $2) AS found";

/// Above this number of passages, frequencies of words come from the statistics.
const MAX_COUNTED: f64 = 20_000.0;

/// A word in more than this share of many passages says little, and is left out where another one is left.
const COMMON: f64 = 0.05;

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

/// The vector of a question.
#[derive(Clone)]
pub(super) struct QuestionVector {
    /// The vectors that it is compared with.
    set: VectorSet,
    vector: Vec<f32>,
    dimensions: i32,
    least_similarity: f32,
    /// The weight of its leg.
    weight: f64,
}

/// What the legs look for.
#[derive(Clone)]
pub(super) struct Looked {
    pub(super) words: Words,
    /// Those for a search of very many passages: without the common ones where there are others, and only beside one of
    /// the rarest.
    pub(super) narrowed: Words,
    /// How many passages with a word are candidates.
    pub(super) each: i64,
    pub(super) vector: Option<QuestionVector>,
    pub(super) weights_of_legs: SearchWeights,
    pub(super) scopes: Vec<i32>,
    /// For a search in rows: the text columns and the keys.
    pub(super) sources: Vec<i64>,
    pub(super) keys: Option<Vec<String>>,
}

impl Looked {
    /// Whether a search of all passages leaves out words of the question.
    pub(super) fn leaves_out_words(&self) -> bool {
        self.narrowed.queries != self.words.queries
    }
}

/// What came of making the vector of a question.
#[derive(Default)]
pub(super) struct Embedded {
    /// The vector; `None` without vectors.
    pub(super) vector: Option<QuestionVector>,
    /// Why there is none where there should be one.
    pub(super) problem: Option<String>,
    /// What was sent for it.
    pub(super) exchange: Option<Exchange>,
}

/// What came of the last text that was sent to an endpoint: a question that searches the texts of several tables sends
/// its text once, and waits once for an endpoint that does not answer.
#[derive(Default)]
pub(super) struct LastSent(RefCell<Option<Sent>>);

struct Sent {
    made_by: String,
    text: String,
    vector: Option<QuestionVector>,
    problem: Option<String>,
}

impl LastSent {
    /// The same without an exchange, if that text was the last one that was sent to this embedder.
    fn find(&self, made_by: &str, text: &str) -> Option<Embedded> {
        let last = self.0.borrow();
        let last = last.as_ref()?;
        (last.made_by == made_by && last.text == text).then(|| Embedded {
            vector: last.vector.clone(),
            problem: last.problem.clone(),
            exchange: None,
        })
    }

    fn keep(&self, made_by: String, embedded: &Embedded) {
        if let Some(exchange) = &embedded.exchange {
            self.0.replace(Some(Sent {
                made_by,
                text: exchange.prompt.clone(),
                vector: embedded.vector.clone(),
                problem: embedded.problem.clone(),
            }));
        }
    }
}

/// Makes the vector of the question with the names of a result. The names are values of rows: an endpoint gets the
/// question alone.
pub(super) fn question_vector(
    owner: &EffectiveRole,
    question: &str,
    names: &[&str],
    last_sent: &LastSent,
) -> Result<Embedded, Error> {
    let (known, second, language) = keep_no_locks(|| {
        Ok((
            with_role(owner, state)?,
            with_role(owner, search_index::second_embedder)?,
            search_index::language()?,
        ))
    })?;
    let of_index = known.as_ref().map_or("", |(made_by, _)| made_by.as_str());
    let (set, known) = match second.filter(|second| second.is_used_beside(of_index)) {
        Some(second) => (
            VectorSet::Second,
            Some((second.embedder, second.dimensions)),
        ),
        None => (VectorSet::Index, known),
    };
    let Some((made_by, dimensions)) = known.filter(|(_, dimensions)| *dimensions > 0) else {
        return Ok(Embedded::default());
    };
    let without = |problem: String| Embedded {
        problem: Some(problem),
        ..Embedded::default()
    };
    let embedder = match embedder::for_vectors(&made_by, &Analyzer::new(&language)) {
        Ok(embedder) if embedder.name() == made_by => embedder,
        Ok(_) => return Ok(without(embedder::other_embedder(&made_by))),
        Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
        Err(error) => return Ok(without(error.message().to_owned())),
    };
    let endpoint = embedder.endpoint().map(str::to_owned);
    let text = match endpoint {
        Some(_) => question.to_owned(),
        None => with_names(question, names),
    };
    if endpoint.is_some()
        && let Some(known) = last_sent.find(&made_by, &text)
    {
        return Ok(known);
    }
    let started = Instant::now();
    let made = embedder.embed(&[&text], Purpose::Question);
    let usage = embedder.usage();
    let exchange = endpoint.map(|endpoint| Exchange {
        purpose: "embed",
        endpoint,
        prompt: text,
        input_tokens: usage.tokens.input,
        cost: usage.cost,
        milliseconds: started.elapsed().as_secs_f64() * 1_000.0,
        ..Exchange::default()
    });
    let (vector, problem) = match made.map(|vectors| vectors.into_iter().next()) {
        Ok(Some(vector)) if i32::try_from(vector.len()) == Ok(dimensions) => (Some(vector), None),
        Ok(vector) => {
            let given = vector.map_or(0, |vector| vector.len());
            let problem = format!(
                "\"{made_by}\" gives {given} dimensions and the search index has {dimensions}; CALL text2sql.refresh()"
            );
            (None, Some(problem))
        }
        Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
        Err(error) => (None, Some(error.message().to_owned())),
    };
    let embedded = Embedded {
        vector: vector.map(|vector| QuestionVector {
            set,
            vector,
            dimensions,
            least_similarity: embedder.least_similarity(),
            weight: embedder.weight(),
        }),
        problem,
        exchange,
    };
    last_sent.keep(made_by, &embedded);
    Ok(embedded)
}

/// The question, and behind it the names of a result: documents know them, and not the rows.
pub(super) fn with_names(question: &str, names: &[&str]) -> String {
    let mut named = question.to_owned();
    for name in names {
        named.push(' ');
        named.push_str(name);
    }
    named
}

/// The words of the question in the languages of the texts, with their weights: the rarer, the more; those for a search
/// of all passages; and how many passages with each are candidates then.
pub(super) fn weighted_words(
    question: &str,
    mut languages: Vec<String>,
) -> Result<(Words, Words, i64), Error> {
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
    words.sort_by(|one, other| one.2.total_cmp(&other.2));
    let all_words = Words::of(
        words
            .iter()
            .map(|(word, weight, _)| (word.clone(), *weight)),
    );
    let is_rare = |count: f64| count <= 1_000.0 || count <= all * COMMON;
    let has_rare = words
        .iter()
        .any(|(_, _, count)| *count > 0.0 && is_rare(*count));
    words.retain(|(_, _, count)| !has_rare || is_rare(*count));
    let weights = words.iter().map(|(_, weight, _)| *weight);
    let (queries, each) = match size > MAX_COUNTED {
        true => (narrowed(&words), EACH),
        false => (
            words.iter().map(|(word, _, _)| word.clone()).collect(),
            EACH_COUNTED,
        ),
    };
    let narrowed = Words::of(queries.into_iter().zip(weights));
    Ok((all_words, narrowed, each))
}

/// Queries for words, each with its weight.
#[derive(Clone)]
pub(super) struct Words {
    queries: Vec<String>,
    weights: Vec<f64>,
}

impl Words {
    fn of(words: impl Iterator<Item = (String, f64)>) -> Self {
        let (queries, weights) = words.unzip();
        Self { queries, weights }
    }
}

/// The words, rarest first; those that are not among the rarest are looked for only beside one of these: a passage
/// with nothing but common words of the question would not be among the first, and reading thousands of them takes
/// most of the time.
fn narrowed(words: &[(String, f64, f64)]) -> Vec<String> {
    let mut found = 0.0;
    let essential = words
        .iter()
        .take_while(|(_, _, count)| {
            let is_essential = found < ESSENTIAL;
            found += count;
            is_essential
        })
        .count();
    let any: Vec<&str> = words
        .iter()
        .take(essential)
        .map(|(word, _, _)| word.as_str())
        .collect();
    let any = any.join(" | ");
    let queries = words.iter().enumerate();
    queries
        .map(|(place, (word, _, _))| match place < essential {
            true => word.clone(),
            false => format!("({any}) & {word}"),
        })
        .collect()
}

/// A passage with its place.
pub(super) struct Ranked {
    pub(super) id: i64,
    pub(super) score: f64,
    pub(super) similarity: Option<f32>,
}

/// Both legs over all of `looked`, fused by reciprocal ranks, best first; and whether a leg may have more. A leg that
/// found nothing has no vote. As the owner.
pub(super) fn fused(looked: &[Looked], depth: i64) -> Result<(Vec<Ranked>, bool), Error> {
    let reached = |found: usize| i64::try_from(found).is_ok_and(|found| found >= depth);
    let (mut by_words, mut by_meaning) = (Vec::new(), Vec::new());
    let (mut word_weight, mut vector_weight) = (0.0, 0.0);
    let mut is_full = false;
    for looked in looked {
        let legs = looked.weights_of_legs;
        let of_keys = match &looked.keys {
            Some(keys) => Some(weighed_of_keys(looked, keys)?),
            None => None,
        };
        if legs.words > 0.0 {
            word_weight = legs.words;
            let found = match &of_keys {
                Some(weighed) => heaviest(weighed, depth),
                None => self::by_words(looked, depth)?,
            };
            is_full |= reached(found.len());
            by_words.extend(found);
        }
        let vector = looked.vector.as_ref().filter(|_| legs.vectors > 0.0);
        if let Some(question) = vector {
            vector_weight = question.weight * legs.vectors;
            let among = of_keys.map(|weighed| weighed.into_iter().map(|(id, _)| id).collect());
            let mut found = nearest(looked, question, among, depth)?;
            found.retain(|(_, similarity)| *similarity >= f64::from(question.least_similarity));
            is_full |= reached(found.len());
            by_meaning.extend(found);
        }
    }
    let mut scores: HashMap<i64, (f64, Option<f32>)> = HashMap::new();
    for (mut leg, weight, is_meaning) in [
        (by_words, word_weight, false),
        (by_meaning, vector_weight, true),
    ] {
        leg.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        for ((id, found), rank) in leg.into_iter().zip(1_u32..) {
            let entry = scores.entry(id).or_default();
            entry.0 += weight / (K + f64::from(rank));
            if is_meaning {
                entry.1 = Some(found as f32);
            }
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

/// The passages with the words, those with the rarest first, and the weights of these words. As the owner.
fn by_words(looked: &Looked, depth: i64) -> Result<Vec<(i64, f64)>, Error> {
    let words = &looked.narrowed;
    if words.queries.is_empty() || looked.scopes.is_empty() {
        return Ok(Vec::new());
    }
    let arguments = [
        words.queries.clone().into(),
        words.weights.clone().into(),
        looked.scopes.clone().into(),
        depth.into(),
        looked.each.max(depth).into(),
    ];
    spi::read_rows(BY_WORDS, &arguments, 0, |row| {
        Ok((
            row.read::<i64>(1)?.unwrap_or_default(),
            row.read::<f64>(2)?.unwrap_or_default(),
        ))
    })
}

/// All passages of rows with these keys, and the weights of the words that they have. As the owner.
fn weighed_of_keys(looked: &Looked, keys: &[String]) -> Result<Vec<(i64, Option<f64>)>, Error> {
    let arguments = [
        looked.words.queries.clone().into(),
        looked.words.weights.clone().into(),
        looked.scopes.clone().into(),
        looked.sources.clone().into(),
        keys.to_vec().into(),
    ];
    spi::read_rows(WEIGHED_OF_KEYS, &arguments, 0, |row| {
        Ok((row.read::<i64>(1)?.unwrap_or_default(), row.read(2)?))
    })
}

/// The passages whose words weigh most.
fn heaviest(weighed: &[(i64, Option<f64>)], depth: i64) -> Vec<(i64, f64)> {
    let with_words = weighed
        .iter()
        .filter_map(|(id, weight)| Some((*id, (*weight)?)));
    let mut found: Vec<(i64, f64)> = with_words.collect();
    found.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    found.truncate(usize::try_from(depth).unwrap_or(usize::MAX));
    found
}

/// How the vectors are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Way {
    /// Through the index.
    Indexed,
    /// All of the scopes.
    All,
    /// Passages that are known.
    Among,
}

/// Through the index only where it is there, finds enough, and passes by few passages of other scopes.
fn way(looked: &Looked, set: VectorSet, depth: i64) -> Result<Way, Error> {
    if depth > MAX_INDEXED || !has_index(set)? {
        return Ok(Way::All);
    }
    let arguments = [looked.scopes.clone().into(), MIN_FOR_INDEX.into()];
    let sql = match set {
        VectorSet::Index => COUNT_IN_SCOPES,
        VectorSet::Second => COUNT_SECOND_IN_SCOPES,
    };
    let count: i64 = spi::read_one(sql, &arguments)?.unwrap_or_default();
    match count < MIN_FOR_INDEX {
        true => Ok(Way::All),
        false => Ok(Way::Indexed),
    }
}

/// Schema of pgvector, length of the vectors, and what is searched how.
type Query = (String, i32, VectorSet, Way);

/// The query for a way; built once in a session for each set, schema and length.
fn vector_query(way: Way, set: VectorSet, schema: &str, dimensions: i32) -> &'static str {
    thread_local! {
        static QUERIES: RefCell<HashMap<Query, &'static str>> = RefCell::default();
    }
    let key = (schema.to_owned(), dimensions, set, way);
    QUERIES.with_borrow_mut(|queries| {
        *queries.entry(key).or_insert_with(|| {
            let distance = search_index::distance_sql(schema, "v", dimensions, way == Way::Indexed);
            let table = set.passages();
            let wanted = match way {
                Way::Among => "passage",
                Way::Indexed | Way::All => "scope",
            };
            let sql = format!(
                "SELECT v.passage, 1 - ({distance}) FROM text2sql.{table} v WHERE v.{wanted} = ANY ($2) ORDER BY {distance} LIMIT $3"
            );
            &*sql.leak()
        })
    })
}

/// The passages whose vectors are nearest, and how near they are: among these, or in all scopes. As the owner.
fn nearest(
    looked: &Looked,
    question: &QuestionVector,
    among: Option<Vec<i64>>,
    depth: i64,
) -> Result<Vec<(i64, f64)>, Error> {
    if looked.scopes.is_empty() {
        return Ok(Vec::new());
    }
    let schema = vector_schema()?;
    let (way, wanted) = match among {
        Some(passages) => (Way::Among, passages.into()),
        None => (
            way(looked, question.set, depth)?,
            looked.scopes.clone().into(),
        ),
    };
    let sql = vector_query(way, question.set, &schema, question.dimensions);
    let arguments = [question.vector.clone().into(), wanted, depth.into()];
    let read = |row: &spi::Row| {
        Ok((
            row.read::<i64>(1)?.unwrap_or_default(),
            row.read::<f64>(2)?.unwrap_or_default(),
        ))
    };
    match way {
        Way::Indexed => spi::with_settings(&[search_index::scan_settings(&schema)?], || {
            spi::read_rows(sql, &arguments, 0, read)
        }),
        Way::All | Way::Among => spi::read_rows(sql, &arguments, 0, read),
    }
}
