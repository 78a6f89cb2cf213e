//! Searches passages: what the legs found, each checked for the caller.

use std::collections::{HashMap, HashSet};

use text2sql_domain::config::Limits;
use text2sql_domain::error::Error;
use text2sql_domain::passages::{
    FoundPassages, MAX_PASSAGES, Origin, Passage, PassageRequest, Place, TextProtection,
    TextSource, Within,
};
use text2sql_domain::ports::PassageSearch;
use text2sql_domain::schema::quote_identifier;
use text2sql_language::documents::chunks::{Chunk, chunks};
use text2sql_language::terms::Analyzer;

use super::few_rows;
use super::legs::{LastSent, Looked, Ranked, fused, question_vector, weighted_words, with_names};
use super::passages::{fingerprint, sizes};
use super::rows::{self, ReadRow};
use super::sources::{self, Source};
use crate::pg::access::execution::database::GuardedDatabase;
use crate::pg::access::protection::{self, Level};
use crate::pg::server::settings::{self, Overrides};
use crate::pg::server::spi;
use crate::pg::server::spi::owner::{has_no_block, owner_of};
use crate::pg::server::spi::role::{EffectiveRole, with_role};
use crate::pg::server::spi::sandbox::keep_no_locks;

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
const READ: &str = "SELECT p.id, p.scope, p.document, p.text_source, p.key, p.fingerprint, p.part, p.parts, p.headings,
         p.start_byte, p.end_byte, p.content, d.title, d.source
     FROM text2sql._passages p LEFT JOIN text2sql._documents d ON d.id = p.document
     WHERE p.id = ANY ($1)";

/// How many passages are read first; then twenty times as many, because the caller may read few of them.
const FIRST_BATCH: usize = 50;

/// How many passages each leg finds, step by step, until enough of them can be read.
const DEPTHS: [i64; 3] = [100, 1_000, 10_000];

/// The search for one question, as the effective role.
pub(crate) struct TextSearch {
    database: GuardedDatabase,
    limits: Limits,
    last_sent: LastSent,
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

impl TextSearch {
    /// A search with the settings of this session.
    pub(crate) fn new() -> Result<Self, Error> {
        Ok(Self {
            database: GuardedDatabase::new()?,
            limits: settings::limits(&Overrides::default()),
            last_sent: LastSent::default(),
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
        // Outside of keep_no_locks: the vector may come from an endpoint.
        let embedded = question_vector(&owner, &question, request.names, &self.last_sent)?;
        let mut warnings: Vec<String> = embedded
            .problem
            .iter()
            .map(|problem| format!("the texts were found without vectors: {problem}"))
            .collect();
        let question = with_names(&question, request.names);
        let languages = scopes.iter().map(|scope| scope.language.clone()).collect();
        let (words, narrowed, each) =
            keep_no_locks(|| with_role(&owner, || weighted_words(&question, languages)))?;
        let looked = Looked {
            words,
            narrowed,
            each,
            vector: embedded.vector,
            weights_of_legs: request.weights,
            scopes: scopes.iter().map(|scope| scope.id).collect(),
            sources: scopes
                .iter()
                .filter_map(|scope| scope.text_source)
                .collect(),
            keys,
        };
        let is_open = looked.keys.is_none();
        let role = self.role().oid.to_u32();
        let mut few = FewRows::new();
        if is_open {
            self.add_few(&mut few, &looked, &sources, |source| {
                few_rows::were_few(role, source)
            })?;
        }
        let mut parts = parts_of(&looked, &few, &scopes);
        let mut seen = HashSet::new();
        let mut passages: Vec<Passage> = Vec::new();
        let mut size = FIRST_BATCH;
        let mut depths = DEPTHS.into_iter();
        let mut is_first = true;
        while let Some(depth) = depths.next() {
            let (fused, is_full) = keep_no_locks(|| with_role(&owner, || fused(&parts, depth)))?;
            let fresh: Vec<Ranked> = fused
                .into_iter()
                .filter(|found| seen.insert(found.id))
                .collect();
            let mut left = fresh.as_slice();
            while !left.is_empty() && passages.len() < limit {
                let (batch, rest) = left.split_at(size.min(left.len()));
                let candidates = keep_no_locks(|| with_role(&owner, || read(batch)))?;
                let missing = limit - passages.len();
                let texts = self.texts(batch, &candidates, &sources, missing, &mut warnings)?;
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
            let may_have_more = is_full || is_first && looked.leaves_out_words();
            if passages.len() >= limit || !may_have_more {
                break;
            }
            if std::mem::take(&mut is_first) && is_open {
                let before = few.len();
                self.add_few(&mut few, &looked, &sources, |_| true)?;
                if few.len() > before {
                    // Once more, among the rows that can be read.
                    parts = parts_of(&looked, &few, &scopes);
                    seen.clear();
                    passages.clear();
                    size = FIRST_BATCH;
                    depths = DEPTHS.into_iter();
                    continue;
                }
            }
            if !is_full {
                break;
            }
        }
        passages.truncate(limit);
        Ok(FoundPassages {
            passages,
            warnings,
            exchanges: embedded.exchange.into_iter().collect(),
        })
    }
}

/// The keys of all rows that the role may read, by source, where they are few.
type FewRows = HashMap<i64, Vec<String>>;

/// What is looked at: all scopes but those of sources of which the role may read few rows, and of each of these the
/// rows that it may read.
fn parts_of(looked: &Looked, few: &FewRows, scopes: &[Scope]) -> Vec<Looked> {
    if few.is_empty() {
        return vec![looked.clone()];
    }
    let of = |wanted: &dyn Fn(&Scope) -> bool| {
        let scopes = scopes.iter().filter(|scope| wanted(scope));
        scopes.map(|scope| scope.id).collect::<Vec<i32>>()
    };
    let is_few = |scope: &Scope| scope.text_source.is_some_and(|id| few.contains_key(&id));
    let rest = Looked {
        scopes: of(&|scope| !is_few(scope)),
        ..looked.clone()
    };
    let each = few.iter().map(|(source, keys)| Looked {
        scopes: of(&|scope| scope.text_source == Some(*source)),
        sources: vec![*source],
        keys: Some(keys.clone()),
        ..looked.clone()
    });
    std::iter::once(rest)
        .chain(each)
        .filter(|part| !part.scopes.is_empty())
        .collect()
}

impl TextSearch {
    /// Adds the searched sources in which the role may read only few rows.
    fn add_few(
        &self,
        few: &mut FewRows,
        looked: &Looked,
        sources: &[Source],
        is_asked: impl Fn(&Source) -> bool,
    ) -> Result<(), Error> {
        for source in sources {
            if !looked.sources.contains(&source.id)
                || few.contains_key(&source.id)
                || !is_asked(source)
            {
                continue;
            }
            if let Some(keys) = few_rows::keys(&self.database, source, &self.limits)? {
                few.insert(source.id, keys);
            }
        }
        Ok(())
    }

    /// The texts of the first rows of a batch that the caller can read, by source and key: of each source as many as
    /// are missing. Where reading them failed, `warnings` gets the reason.
    fn texts(
        &self,
        batch: &[Ranked],
        candidates: &HashMap<i64, Candidate>,
        sources: &[Source],
        missing: usize,
        warnings: &mut Vec<String>,
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
                if let Some(sqlstate) = &read.failed {
                    let (schema, name) = (&source.schema, &source.name);
                    let (schema, name) = (quote_identifier(schema), quote_identifier(name));
                    let note =
                        format!("texts of {schema}.{name} could not be read (SQLSTATE {sqlstate})");
                    if !warnings.contains(&note) {
                        warnings.push(note);
                    }
                }
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

/// For a text that has changed since it was indexed: the chunk with most words of the question, or `None` if it has
/// none of them.
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
