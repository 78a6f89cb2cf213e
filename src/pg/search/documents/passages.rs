//! Passages: cut from texts, with their words, and vectors where no endpoint is needed for them.

use std::hash::{DefaultHasher, Hash, Hasher};

use pgrx::pg_sys::Oid;
use text2sql_domain::config::TextEgress;
use text2sql_domain::error::{Error, failure};
use text2sql_domain::ports::{Embedder, Purpose};
use text2sql_language::documents::chunks::{Chunk, ChunkSizes, chunks};
use text2sql_language::documents::language::text_search_configuration;
use text2sql_language::terms::Analyzer;
use text2sql_sql::masked_text::mask_text;

use super::owner::as_owner;
use crate::pg::search::maintenance::wake;
use crate::pg::search::search_index::{
    self, VectorSet, can_be_indexed, embedder, indexed_vector, vector_schema,
};
use crate::pg::server::settings;
use crate::pg::server::spi;

const FIND_SCOPE: &str = "SELECT id FROM text2sql._passage_scopes
     WHERE language = $1 AND text_source IS NOT DISTINCT FROM $2 AND source IS NOT DISTINCT FROM $3
       AND catalog IS NOT DISTINCT FROM $4 AND role_oids IS NOT DISTINCT FROM $5::oid[] AND role_names IS NOT DISTINCT FROM $6::name[]
     ORDER BY id LIMIT 1";
const ADD_SCOPE: &str = "INSERT INTO text2sql._passage_scopes (language, text_source, source, catalog, role_oids, role_names)
     VALUES ($1, $2, $3, $4, $5::oid[], $6::name[]) RETURNING id";
const ADD: &str = "INSERT INTO text2sql._passages
         (scope, document, text_source, key, fingerprint, part, parts, headings, start_byte, end_byte, content, is_embedded, words)
     SELECT $1, $2, $3, $4, $5, c.place::int4, cardinality($6), c.headings, c.start_byte, c.end_byte,
            CASE WHEN $2 IS NOT NULL THEN c.content END, $12,
            setweight(to_tsvector($11::text::regconfig, left($10 || E'\\n' || c.headings, 2000)), 'A') || to_tsvector($11::text::regconfig, c.content)
       FROM unnest($6, $7, $8, $9) WITH ORDINALITY AS c(content, headings, start_byte, end_byte, place)
     RETURNING id";
const FORGET_DOCUMENT: &[&str] = &[
    "DELETE FROM text2sql._passage_vectors v USING text2sql._passages p WHERE v.passage = p.id AND p.document = $1",
    "DELETE FROM text2sql._second_passage_vectors v USING text2sql._passages p WHERE v.passage = p.id AND p.document = $1",
    "DELETE FROM text2sql._passages WHERE document = $1",
];
const STATE: &str = "SELECT embedder, dimensions FROM text2sql._passage_state";
const SET_STATE: &str = "INSERT INTO text2sql._passage_state (embedder, dimensions) VALUES ($1, $2)
     ON CONFLICT (only_row) DO UPDATE SET embedder = excluded.embedder, dimensions = excluded.dimensions";
const ADD_VECTOR: &str = "INSERT INTO text2sql._passage_vectors (passage, scope, embedding)
     SELECT p.id, p.scope, $2 FROM text2sql._passages p WHERE p.id = $1 ON CONFLICT (passage) DO NOTHING";
const ADD_SECOND_VECTOR: &str =
    "INSERT INTO text2sql._second_passage_vectors (passage, scope, embedding)
     SELECT p.id, p.scope, $2 FROM text2sql._passages p WHERE p.id = $1 ON CONFLICT (passage) DO NOTHING";
const MARK: &str = "UPDATE text2sql._passages SET is_embedded = true WHERE id = ANY ($1)";
const CONFIGURATION: &str = "SELECT cfgname::text FROM pg_ts_config WHERE cfgname = $1::name AND cfgnamespace = 'pg_catalog'::regnamespace";
const WAITING: &str = "SELECT p.id, coalesce(d.title, ''), p.headings, p.content FROM text2sql._passages p
     JOIN text2sql._documents d ON d.id = p.document
     WHERE NOT p.is_embedded AND p.id > $1
       AND NOT ($2 AND EXISTS (SELECT FROM text2sql._document_protections r WHERE r.source = d.source))
     ORDER BY p.id LIMIT $3";
/// The same for the second embedder.
const WAITING_FOR_SECOND: &str = "SELECT p.id, coalesce(d.title, ''), p.headings, p.content FROM text2sql._passages p
     JOIN text2sql._documents d ON d.id = p.document
     WHERE NOT EXISTS (SELECT FROM text2sql._second_passage_vectors v WHERE v.passage = p.id) AND p.id > $1
       AND NOT ($2 AND EXISTS (SELECT FROM text2sql._document_protections r WHERE r.source = d.source))
     ORDER BY p.id LIMIT $3";
const FORGET_VECTORS: &[&str] = &[
    "DELETE FROM text2sql._passage_vectors",
    "UPDATE text2sql._passages SET is_embedded = false WHERE is_embedded",
    "UPDATE text2sql._text_source_states SET state = ''",
    "DELETE FROM text2sql._passages WHERE text_source IS NOT NULL",
];
const INDEX_OF: &str = "SELECT to_regclass($1)::oid";
const ROW_WAITING_FOR_SECOND: &str =
    "SELECT p.id, p.headings, p.start_byte, p.end_byte FROM text2sql._passages p
     WHERE p.text_source = $1 AND p.key = $2 AND p.fingerprint = $3
       AND NOT EXISTS (SELECT FROM text2sql._second_passage_vectors v WHERE v.passage = p.id)";
const CHANGED: &str = "SELECT d.id FROM text2sql._documents d
     WHERE NOT EXISTS (SELECT FROM text2sql._passages p WHERE p.document = d.id)
        OR EXISTS (SELECT FROM text2sql._passages p WHERE p.document = d.id AND p.fingerprint <> $1)
     ORDER BY d.id LIMIT $2";
const DOCUMENT: &str = "SELECT title, body, language, source, catalog, role_oids::int8[], role_names::text[] FROM text2sql._documents WHERE id = $1";
const DROP_LOST: &[&str] = &[
    "DELETE FROM text2sql._second_passage_vectors v WHERE NOT EXISTS (SELECT FROM text2sql._passages p WHERE p.id = v.passage)",
    "DELETE FROM text2sql._passage_vectors v WHERE NOT EXISTS (SELECT FROM text2sql._passages p WHERE p.id = v.passage)",
    "DELETE FROM text2sql._passages p WHERE p.document IS NOT NULL AND NOT EXISTS (SELECT FROM text2sql._documents d WHERE d.id = p.document)",
    "DELETE FROM text2sql._passage_scopes s WHERE NOT EXISTS (SELECT FROM text2sql._passages p WHERE p.scope = s.id)",
];
const ANALYZE: &str = "ANALYZE text2sql._passages (words, scope, document)";

/// Below this number of vectors all of them are compared.
pub(super) const MIN_FOR_INDEX: i64 = 5_000;

/// Passages that are read at once to be sent to an endpoint: few, because their document may be protected meanwhile.
const SENT_AT_ONCE: i32 = 64;

/// Documents that are cut between two commits.
const CUT_BATCH: i32 = 20;

/// Records the texts that were sent to an endpoint, and checks their vectors.
type Recorder<'r> = dyn FnMut(&str, &[&str], &[Vec<f32>]) -> Result<(), Error> + 'r;

/// Stores vectors, of passages and their texts.
type Store<'s> = dyn FnMut(&[i64], &[&str], Vec<Vec<f32>>) -> Result<(), Error> + 's;

/// What the passages of one text are stored under.
pub(super) struct Target<'a> {
    pub(super) document: Option<i64>,
    pub(super) text_source: Option<i64>,
    pub(super) key: Option<&'a str>,
    pub(super) scope: i32,
    pub(super) fingerprint: i64,
    pub(super) language: &'a str,
}

/// Maximum number of passages that wait for their vectors. The first are stored while later ones are made, so a larger
/// number keeps all threads busy for longer. With the default length their texts take 200 kB.
const MAX_WAITING: i32 = 256;

/// Passages whose vectors are made in the same transaction, many at once: short texts one by one take half as long
/// again. They are stored as embedded at once, because an update would write all words into the index a second time.
pub(super) struct Vectors<'e> {
    set: VectorSet,
    embedder: Option<&'e dyn Embedder>,
    ids: Vec<i64>,
    texts: Vec<String>,
}

impl<'e> Vectors<'e> {
    /// None yet; without an embedder, passages wait for the next update.
    pub(super) fn by(embedder: Option<&'e dyn Embedder>) -> Self {
        Self {
            set: VectorSet::Index,
            embedder,
            ids: Vec::new(),
            texts: Vec::new(),
        }
    }

    /// None yet, of the second embedder.
    pub(super) fn by_second(embedder: &'e dyn Embedder) -> Self {
        Self {
            set: VectorSet::Second,
            ..Self::by(Some(embedder))
        }
    }

    /// Adds the passages of the text of a row that wait for the second embedder; returns how many. As the owner.
    pub(super) fn add_waiting_row(
        &mut self,
        source: i64,
        key: &str,
        fingerprint: i64,
        title: &str,
        text: &str,
    ) -> Result<usize, Error> {
        let arguments = [source.into(), key.into(), fingerprint.into()];
        let waiting = spi::read_rows(ROW_WAITING_FOR_SECOND, &arguments, 0, |row| {
            let byte = |column| {
                let byte = row.read::<i32>(column)?.unwrap_or_default();
                Ok::<_, Error>(usize::try_from(byte).unwrap_or_default())
            };
            let content = text.get(byte(3)?..byte(4)?).unwrap_or_default();
            let headings: String = row.read(2)?.unwrap_or_default();
            Ok((
                row.read::<i64>(1)?.unwrap_or_default(),
                embedded_text(title, &headings, content),
            ))
        })?;
        let (ids, texts): (Vec<i64>, Vec<String>) = waiting.into_iter().unzip();
        let count = ids.len();
        self.add(ids, texts.into_iter())?;
        Ok(count)
    }

    /// Adds passages. As the owner.
    fn add(&mut self, ids: Vec<i64>, texts: impl Iterator<Item = String>) -> Result<(), Error> {
        if self.embedder.is_some() {
            self.ids.extend(ids);
            self.texts.extend(texts);
        }
        match self.ids.len() >= MAX_WAITING as usize {
            true => self.make(),
            false => Ok(()),
        }
    }

    /// Makes and stores the vectors of the passages added so far. As the owner.
    pub(super) fn make(&mut self) -> Result<(), Error> {
        let (ids, texts) = (
            std::mem::take(&mut self.ids),
            std::mem::take(&mut self.texts),
        );
        let Some(embedder) = self.embedder else {
            return Ok(());
        };
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        embed_each(embedder, &ids, &texts, &mut |ids, _, vectors| {
            add_vectors(self.set, ids, vectors)
        })
    }
}

/// Makes the vectors of passages; `store` gets those that are ready while others are made.
fn embed_each(
    embedder: &dyn Embedder,
    ids: &[i64],
    texts: &[&str],
    store: &mut Store<'_>,
) -> Result<(), Error> {
    let mut done = 0;
    embedder.embed_each(texts, Purpose::Document, &mut |vectors| {
        pgrx::check_for_interrupts!();
        let made = done..done + vectors.len();
        done = made.end;
        match ids.get(made.clone()).zip(texts.get(made)) {
            Some((ids, texts)) => store(ids, texts, vectors),
            None => Err(failure!(Internal, "there are more vectors than texts")),
        }
    })
}

/// The readers of a document, as stored.
pub(super) struct Readers {
    pub(super) catalog: String,
    /// 0 is every role.
    pub(super) oids: Vec<i64>,
    pub(super) names: Vec<String>,
}

/// The settings that say how texts are cut.
pub(super) fn sizes() -> ChunkSizes {
    ChunkSizes {
        length: settings::passage_length(),
        overlap: settings::passage_overlap(),
    }
}

/// Identifies how a document was cut; not its text, which changes only together with its passages.
fn form() -> i64 {
    let mut hasher = DefaultHasher::new();
    (sizes().length, sizes().overlap, "1").hash(&mut hasher);
    hasher.finish().cast_signed()
}

/// Identifies a text, its title and how it was cut.
pub(super) fn fingerprint(title: &str, text: &str) -> i64 {
    let mut hasher = DefaultHasher::new();
    (form(), title, text).hash(&mut hasher);
    hasher.finish().cast_signed()
}

/// The text search configuration for a text: that of its language, else the database's.
pub(super) fn language_of(text: &str) -> Result<String, Error> {
    let wanted = text_search_configuration(text).map(str::to_owned);
    for name in wanted.into_iter().chain([search_index::language()?]) {
        if let Some(known) = spi::read_one::<String>(CONFIGURATION, &[name.into()])? {
            return Ok(known);
        }
    }
    Ok("simple".to_owned())
}

/// An error unless the server has this text search configuration.
pub(super) fn check_language(language: &str) -> Result<(), Error> {
    match spi::read_one::<String>(CONFIGURATION, &[language.into()])? {
        Some(_) => Ok(()),
        None => Err(failure!(
            Undefined,
            "text search configuration \"{language}\" does not exist"
        )
        .with_hint("SELECT cfgname FROM pg_ts_config;")),
    }
}

/// The scope of these passages; made if there is none. As the owner.
pub(super) fn scope_of(
    language: &str,
    text_source: Option<i64>,
    source: Option<&str>,
    readers: Option<&Readers>,
) -> Result<i32, Error> {
    let arguments = || {
        vec![
            language.into(),
            text_source.into(),
            source.into(),
            readers.map(|readers| readers.catalog.clone()).into(),
            readers.map(|readers| readers.oids.clone()).into(),
            readers.map(|readers| readers.names.clone()).into(),
        ]
    };
    if let Some(known) = spi::read_one::<i32>(FIND_SCOPE, &arguments())? {
        return Ok(known);
    }
    let added = spi::write(ADD_SCOPE, &arguments(), |row| row.read::<i32>(1))?;
    let id = added.into_iter().flatten().next();
    id.ok_or_else(|| failure!(Internal, "the scope has no id"))
}

/// Stores the passages of a text; their vectors are made by `vectors`. As the owner.
pub(super) fn store(
    target: &Target<'_>,
    title: &str,
    text: &str,
    vectors: &mut Vectors<'_>,
) -> Result<usize, Error> {
    let found: Vec<Chunk> = chunks(text, &sizes());
    if found.is_empty() {
        return Ok(0);
    }
    let contents: Vec<String> = found
        .iter()
        .map(|chunk| chunk.text(text).to_owned())
        .collect();
    let headings: Vec<String> = found
        .iter()
        .map(|chunk| chunk.headings.join("\n"))
        .collect();
    let byte = |at: usize| i32::try_from(at).unwrap_or(i32::MAX);
    let starts: Vec<i32> = found.iter().map(|chunk| byte(chunk.place.start)).collect();
    let ends: Vec<i32> = found.iter().map(|chunk| byte(chunk.place.end)).collect();
    let arguments = [
        target.scope.into(),
        target.document.into(),
        target.text_source.into(),
        target.key.into(),
        target.fingerprint.into(),
        contents.clone().into(),
        headings.clone().into(),
        starts.into(),
        ends.into(),
        title.into(),
        format!("pg_catalog.{}", target.language).into(),
        vectors.embedder.is_some().into(),
    ];
    // Words longer than 2 kB are not indexed, which PostgreSQL reports one by one.
    let ids = spi::with_settings(&[&[(c"client_min_messages", c"warning")]], || {
        spi::write(ADD, &arguments, |row| {
            Ok(row.read::<i64>(1)?.unwrap_or_default())
        })
    })?;
    let count = ids.len();
    let texts = contents
        .iter()
        .zip(&headings)
        .map(|(content, headings)| embedded_text(title, headings, content));
    vectors.add(ids, texts)?;
    Ok(count)
}

/// The text that the vector is made of.
fn embedded_text(title: &str, headings: &str, content: &str) -> String {
    [title, headings, content]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

fn add_vectors(set: VectorSet, ids: &[i64], vectors: Vec<Vec<f32>>) -> Result<(), Error> {
    let sql = match set {
        VectorSet::Index => ADD_VECTOR,
        VectorSet::Second => ADD_SECOND_VECTOR,
    };
    for (id, vector) in ids.iter().zip(vectors) {
        spi::write(sql, &[(*id).into(), vector.into()], |_| Ok(()))?;
    }
    Ok(())
}

/// Removes the passages of a document. As the owner.
pub(super) fn forget_document(id: i64) -> Result<(), Error> {
    FORGET_DOCUMENT
        .iter()
        .try_for_each(|statement| spi::write(statement, &[id.into()], |_| Ok(())).map(drop))
}

/// Stores the passages of a document. As the owner.
pub(super) fn store_document(
    id: i64,
    title: &str,
    body: &str,
    language: &str,
    source: Option<&str>,
    readers: &Readers,
    vectors: &mut Vectors<'_>,
) -> Result<usize, Error> {
    let target = Target {
        document: Some(id),
        text_source: None,
        key: None,
        scope: scope_of(language, None, source, Some(readers))?,
        fingerprint: form(),
        language,
    };
    store(&target, title, body, vectors)
}

/// What made the vectors, and their length.
pub(super) fn state() -> Result<Option<(String, i32)>, Error> {
    let rows = spi::read_rows(STATE, &[], 1, |row| {
        Ok((
            row.read::<String>(1)?.unwrap_or_default(),
            row.read::<i32>(2)?.unwrap_or_default(),
        ))
    })?;
    Ok(rows.into_iter().next())
}

/// The embedder for new passages if their vectors can be made at once: it runs in this process, and made the other
/// vectors. As the owner.
pub(super) fn own_embedder() -> Result<Option<Box<dyn Embedder>>, Error> {
    if embedder::waits() {
        return Ok(None);
    }
    let Ok(embedder) = embedder::for_refresh(&Analyzer::new(&search_index::language()?)) else {
        return Ok(None);
    };
    match state()? {
        Some((name, _)) if name == embedder.name() => Ok(Some(embedder)),
        Some(_) => Ok(None),
        None => {
            let state = [embedder.name().into(), length_of(embedder.as_ref())?.into()];
            spi::write(SET_STATE, &state, |_| Ok(()))?;
            Ok(Some(embedder))
        }
    }
}

/// Has the worker started that makes the vectors of the second embedder, if there is one, for passages of this
/// transaction. As the owner.
pub(super) fn wake_for_second() -> Result<(), Error> {
    if search_index::second_embedder()?.is_some() {
        wake::at_commit();
    }
    Ok(())
}

/// How many numbers its vectors have.
fn length_of(embedder: &dyn Embedder) -> Result<i32, Error> {
    let sample = embedder.embed(&["text"], Purpose::Document)?;
    let length = sample.first().map_or(0, Vec::len);
    Ok(i32::try_from(length).unwrap_or(0))
}

/// Cuts documents again that have no passages or were cut with other settings; `commit` ends a batch.
pub(crate) fn rebuild_changed(
    commit: &mut dyn FnMut() -> Result<(), Error>,
) -> Result<usize, Error> {
    let mut count = 0;
    let mut last = Vec::new();
    loop {
        let ids = as_owner(|| {
            spi::read_rows(CHANGED, &[form().into(), CUT_BATCH.into()], 0, |row| {
                Ok(row.read::<i64>(1)?.unwrap_or_default())
            })
        })?;
        // A document without any visible character has no passages.
        if ids.is_empty() || ids == last {
            break;
        }
        as_owner(|| {
            for id in &ids {
                let rows = spi::read_rows(DOCUMENT, &[(*id).into()], 1, |row| {
                    Ok((
                        row.read::<String>(1)?.unwrap_or_default(),
                        row.read::<String>(2)?.unwrap_or_default(),
                        row.read::<String>(3)?.unwrap_or_default(),
                        row.read::<String>(4)?,
                        Readers {
                            catalog: row.read(5)?.unwrap_or_default(),
                            oids: row.read(6)?.unwrap_or_default(),
                            names: row.read(7)?.unwrap_or_default(),
                        },
                    ))
                })?;
                for (title, body, language, source, readers) in rows {
                    forget_document(*id)?;
                    store_document(
                        *id,
                        &title,
                        &body,
                        &language,
                        source.as_deref(),
                        &readers,
                        &mut Vectors::by(None),
                    )?;
                    count += 1;
                }
            }
            Ok(())
        })?;
        commit()?;
        last = ids;
    }
    Ok(count)
}

/// Makes the vectors of documents that are missing, for the index all of them where the embedder has changed. To an
/// endpoint only masked passages of sources without protection are sent, and only where its option `texts` allows it.
/// `commit` is called before each wait; `record` gets what was sent, with the vectors.
pub(crate) fn embed_waiting(
    set: VectorSet,
    embedder: &dyn Embedder,
    commit: &mut dyn FnMut() -> Result<(), Error>,
    record: &mut Recorder<'_>,
) -> Result<usize, Error> {
    let is_sent = embedder.endpoint().is_some();
    if is_sent && embedder.text_egress() != TextEgress::Passages {
        return Ok(0);
    }
    let known = match set {
        VectorSet::Index => as_owner(state)?,
        VectorSet::Second => None,
    };
    if known
        .as_ref()
        .is_some_and(|(name, _)| *name != embedder.name())
    {
        // An endpoint makes no vectors of rows: then the first of a document says the length.
        let dimensions = if is_sent { 0 } else { length_of(embedder)? };
        as_owner(|| {
            drop_index(set)?;
            for statement in FORGET_VECTORS {
                spi::write(statement, &[], |_| Ok(()))?;
            }
            let state = [embedder.name().into(), dimensions.into()];
            spi::write(SET_STATE, &state, |_| Ok(())).map(drop)
        })?;
        commit()?;
    }
    let sql = match set {
        VectorSet::Index => WAITING,
        VectorSet::Second => WAITING_FOR_SECOND,
    };
    let at_once = if is_sent { SENT_AT_ONCE } else { MAX_WAITING };
    let (mut after, mut count) = (0_i64, 0);
    loop {
        let waiting = as_owner(|| {
            spi::read_rows(
                sql,
                &[after.into(), is_sent.into(), at_once.into()],
                0,
                |row| {
                    Ok((
                        row.read::<i64>(1)?.unwrap_or_default(),
                        embedded_text(
                            &row.read::<String>(2)?.unwrap_or_default(),
                            &row.read::<String>(3)?.unwrap_or_default(),
                            &row.read::<String>(4)?.unwrap_or_default(),
                        ),
                    ))
                },
            )
        })?;
        let Some((last, _)) = waiting.last() else {
            break;
        };
        after = *last;
        let ids: Vec<i64> = waiting.iter().map(|(id, _)| *id).collect();
        let texts: Vec<String> = waiting
            .into_iter()
            .map(|(_, text)| if is_sent { mask_text(&text) } else { text })
            .collect();
        if is_sent {
            commit()?;
        }
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let mut is_first = true;
        embed_each(embedder, &ids, &texts, &mut |ids, texts, vectors| {
            record(embedder.endpoint().unwrap_or_default(), texts, &vectors)?;
            let length = vectors.first().map_or(0, Vec::len);
            count += ids.len();
            as_owner(|| {
                if set == VectorSet::Second {
                    return add_vectors(set, ids, vectors);
                }
                if std::mem::take(&mut is_first) {
                    let dimensions = i32::try_from(length).unwrap_or(0);
                    let state = [embedder.name().into(), dimensions.into()];
                    spi::write(SET_STATE, &state, |_| Ok(()))?;
                }
                add_vectors(set, ids, vectors)?;
                spi::write(MARK, &[ids.to_vec().into()], |_| Ok(())).map(drop)
            })?;
            // Nothing is held while an endpoint is waited for.
            match is_sent {
                true => commit(),
                false => Ok(()),
            }
        })?;
        commit()?;
    }
    Ok(count)
}

/// Removes what belongs to no text any more, and makes the index where there are enough vectors.
pub(crate) fn tidy(commit: &mut dyn FnMut() -> Result<(), Error>) -> Result<(), Error> {
    as_owner(|| {
        for statement in DROP_LOST {
            spi::write(statement, &[], |_| Ok(()))?;
        }
        build_index(
            VectorSet::Index,
            state()?.map_or(0, |(_, dimensions)| dimensions),
        )?;
        spi::execute(ANALYZE, &[], |_| Ok(())).map(drop)
    })?;
    commit()
}

/// Whether there is an HNSW index.
pub(super) fn has_index(set: VectorSet) -> Result<bool, Error> {
    let name = format!("text2sql.{}_hnsw", set.passages());
    Ok(spi::read_one::<Oid>(INDEX_OF, &[name.into()])?.is_some())
}

/// Drops the HNSW index, if there is one, with its vectors: older snapshots still see those that were only deleted, so that
/// PostgreSQL would put them into the next index, which is for another length. As the owner.
pub(crate) fn drop_index(set: VectorSet) -> Result<(), Error> {
    if has_index(set)? {
        let table = set.passages();
        for sql in [
            format!("DROP INDEX text2sql.{table}_hnsw"),
            format!("TRUNCATE text2sql.{table}"),
        ] {
            spi::execute(&sql, &[], |_| Ok(()))?;
        }
    }
    Ok(())
}

/// The HNSW index, where there are enough vectors. As the owner.
pub(crate) fn build_index(set: VectorSet, dimensions: i32) -> Result<(), Error> {
    let table = set.passages();
    let count = format!("SELECT count(*) FROM text2sql.{table}");
    let count = spi::execute(&count, &[], |row| row.read::<i64>(1))?;
    let count = count.into_iter().flatten().next().unwrap_or_default();
    if count < MIN_FOR_INDEX || !can_be_indexed(dimensions) || has_index(set)? {
        return Ok(());
    }
    let (indexed, operators) = indexed_vector(&vector_schema()?, dimensions);
    let sql = format!(
        "CREATE INDEX {table}_hnsw ON text2sql.{table} USING hnsw (({indexed}) {operators})"
    );
    spi::with_settings(&[&[(c"maintenance_work_mem", c"512MB")]], || {
        spi::execute(&sql, &[], |_| Ok(()))
    })
    .map(drop)
}
