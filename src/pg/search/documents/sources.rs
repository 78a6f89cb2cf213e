//! Text columns that are searched: added, dropped, and their passages kept up to date.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use pgrx::pg_sys::{self, Oid};
use text2sql_domain::config::Limits;
use text2sql_domain::error::{Error, failure};
use text2sql_domain::ports::Embedder;

use super::owner::as_owner;
use super::passages::{
    self, Target, Vectors, check_language, fingerprint, language_of, scope_of, sizes,
};
use crate::pg::access::objects::Object;
use crate::pg::access::objects::attributes::attributes;
use crate::pg::access::objects::references::References;
use crate::pg::access::stored_rows::{Bookmark, Read as Stored, TextForm, with_stored};
use crate::pg::search::search_index::ROWS_STATE;
use crate::pg::server::compat::generated_columns::is_virtual;
use crate::pg::server::session::user_name;
use crate::pg::server::settings::{self, GuardPolicy, Overrides};
use crate::pg::server::spi;
use crate::pg::stored::teaching::{check_visible, visible_column};

const ALL: &str = "SELECT s.id, s.language, body.object_oid, body.column_number, title.column_number, cardinality(s.object_names),
         n.nspname::text, c.relname::text, a.attname::text, t.attname::text
     FROM text2sql._text_sources s
     CROSS JOIN LATERAL text2sql._resolve_objects(s.catalog, s.object_names[1:1], s.object_oids[1:1], s.column_numbers[1:1]) AS body
     LEFT JOIN LATERAL text2sql._resolve_objects(s.catalog, s.object_names[2:2], s.object_oids[2:2], s.column_numbers[2:2]) AS title ON true
     JOIN pg_class c ON c.oid = body.object_oid
     JOIN pg_namespace n ON n.oid = c.relnamespace
     JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = body.column_number AND NOT a.attisdropped
     LEFT JOIN pg_attribute t ON t.attrelid = c.oid AND t.attnum = title.column_number AND NOT t.attisdropped
     ORDER BY s.id";
const KEY: &str = "SELECT a.attnum, a.attname::text, format_type(a.atttypid, a.atttypmod)
     FROM (SELECT i.indkey, i.indnkeyatts FROM pg_index i
            WHERE i.indrelid = $1 AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL
              AND NOT EXISTS (SELECT FROM unnest(i.indkey[0:i.indnkeyatts - 1]) AS k(number)
                              JOIN pg_attribute n ON n.attrelid = $1 AND n.attnum = k.number WHERE NOT n.attnotnull)
            ORDER BY i.indisprimary DESC, i.indexrelid LIMIT 1) AS best
     CROSS JOIN LATERAL unnest(best.indkey[0:best.indnkeyatts - 1]) WITH ORDINALITY AS k(number, place)
     JOIN pg_attribute a ON a.attrelid = $1 AND a.attnum = k.number
     ORDER BY k.place";
const FACTS: &str = "SELECT pg_has_role(c.relowner, 'USAGE'), c.relkind::text, t.typcategory::text
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = $2 JOIN pg_type t ON t.oid = a.atttypid WHERE c.oid = $1";
const FIND: &str = "SELECT s.id FROM text2sql._text_sources s
     CROSS JOIN LATERAL text2sql._resolve_objects(s.catalog, s.object_names[1:1], s.object_oids[1:1], s.column_numbers[1:1]) AS now
     WHERE now.object_oid = $1 AND now.column_number = $2";
const ADD: &str = "INSERT INTO text2sql._text_sources (language, catalog, object_names, object_oids, column_numbers, added_by)
     VALUES ($1, $2, $3, $4, $5, $6::name) RETURNING id";
const FORGET: &[&str] = &[
    "DELETE FROM text2sql._second_passage_vectors v USING text2sql._passages p WHERE v.passage = p.id AND p.text_source = $1",
    "DELETE FROM text2sql._passage_vectors v USING text2sql._passages p WHERE v.passage = p.id AND p.text_source = $1",
    "DELETE FROM text2sql._passages WHERE text_source = $1",
    "DELETE FROM text2sql._text_source_states WHERE text_source = $1",
];
const DROP: &str = "DELETE FROM text2sql._text_sources WHERE id = $1";
const LOST: &str = "SELECT DISTINCT p.text_source FROM text2sql._passage_scopes p WHERE p.text_source IS NOT NULL AND p.text_source <> ALL ($1)";
const KNOWN: &str =
    "SELECT DISTINCT key, fingerprint FROM text2sql._passages WHERE text_source = $1";
const FORGET_KEYS: &[&str] = &[
    "DELETE FROM text2sql._second_passage_vectors v USING text2sql._passages p WHERE v.passage = p.id AND p.text_source = $1 AND p.key = ANY ($2)",
    "DELETE FROM text2sql._passage_vectors v USING text2sql._passages p WHERE v.passage = p.id AND p.text_source = $1 AND p.key = ANY ($2)",
    "DELETE FROM text2sql._passages WHERE text_source = $1 AND key = ANY ($2)",
];
const WAITING_FOR_SECOND: &str = "SELECT DISTINCT p.key, p.fingerprint FROM text2sql._passages p
     WHERE p.text_source = $1 AND NOT EXISTS (SELECT FROM text2sql._second_passage_vectors v WHERE v.passage = p.id)";
const READ_STATE: &str = "SELECT state FROM text2sql._text_source_states WHERE text_source = $1";
const SET_STATE: &str =
    "INSERT INTO text2sql._text_source_states (text_source, state, problem) VALUES ($1, $2, $3)
     ON CONFLICT (text_source) DO UPDATE SET state = excluded.state, problem = excluded.problem";

/// Longest text of a row that is searched, in characters.
const MAX_TEXT: usize = 1_000_000;

/// Texts that are held in memory before they are written, in bytes.
const MAX_HELD: usize = 8 << 20;

/// How long one step reads rows before what it found is written.
const STEP: Duration = Duration::from_secs(1);

/// Texts that `index_text` reads at once: it runs in the transaction of its caller. The rest is for the next update,
/// which commits.
const FIRST: usize = 1_000;

/// Rows that are written between two commits.
const BATCH: usize = 100;

/// A column of the key.
#[derive(Debug, Clone)]
pub(super) struct KeyColumn {
    pub(super) number: i16,
    pub(super) name: String,
    pub(super) type_name: String,
}

/// A text column that is searched, of a table that exists.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub(super) id: i64,
    language: Option<String>,
    pub(super) table: Oid,
    pub(super) body: i16,
    pub(super) title: Option<i16>,
    pub(super) schema: String,
    pub(super) name: String,
    pub(super) column: String,
    pub(super) title_column: Option<String>,
    pub(super) key: Vec<KeyColumn>,
}

/// All text columns whose tables exist and have a key.
pub(super) fn all() -> Result<Vec<Source>, Error> {
    let mut sources = as_owner(|| {
        spi::read_rows(ALL, &[], 0, |row| {
            Ok(Source {
                id: row.read(1)?.unwrap_or_default(),
                language: row.read(2)?,
                table: row.read(3)?.unwrap_or(Oid::INVALID),
                body: row.read(4)?.unwrap_or_default(),
                title: row.read(5)?,
                schema: row.read(7)?.unwrap_or_default(),
                name: row.read(8)?.unwrap_or_default(),
                column: row.read(9)?.unwrap_or_default(),
                title_column: row.read(10)?,
                key: Vec::new(),
            })
        })
    })?;
    for source in &mut sources {
        source.key = key_of(source.table)?;
    }
    sources.retain(|source| !source.key.is_empty());
    Ok(sources)
}

fn key_of(table: Oid) -> Result<Vec<KeyColumn>, Error> {
    spi::read_rows(KEY, &[table.into()], 0, |row| {
        Ok(KeyColumn {
            number: row.read(1)?.unwrap_or_default(),
            name: row.read(2)?.unwrap_or_default(),
            type_name: row.read(3)?.unwrap_or_default(),
        })
    })
}

/// Has the texts of a column searched. The table must be the caller's, as for CREATE INDEX. Returns whether all texts
/// were read; of a large table the next update reads the rest.
pub(crate) fn index_text(
    column: Option<&str>,
    title: Option<&str>,
    language: Option<&str>,
) -> Result<bool, Error> {
    let body = visible_column(column)?;
    let title = title.map(|title| visible_column(Some(title))).transpose()?;
    if let Some(title) = &title
        && title.relation_oid != body.relation_oid
    {
        return Err(failure!(
            Setting,
            "{} is not a column of the same table",
            title.sql_name()
        ));
    }
    for object in std::iter::once(&body).chain(&title) {
        check_column(object)?;
    }
    let table = Oid::from(body.relation_oid.unwrap_or(0));
    if key_of(table)?.is_empty() {
        return Err(failure!(
            Setting,
            "the table of {} has no primary key",
            body.sql_name()
        )
        .with_detail("A passage leads to its row by the key.")
        .with_hint("Add a primary key, or a unique index on columns that are NOT NULL."));
    }
    language.map(check_language).transpose()?;
    let objects: Vec<Object> = std::iter::once(body.clone()).chain(title).collect();
    let references = References::to(&objects);
    check_visible(&references)?;
    drop_known(&body)?;
    let user = user_name();
    as_owner(|| {
        let arguments = [
            language.into(),
            references.catalog.into(),
            references.names.into(),
            references.oids.into(),
            references.column_numbers.into(),
            user.into(),
        ];
        spi::write(ADD, &arguments, |_| Ok(()))
    })?;
    let vectors = as_owner(passages::own_embedder)?;
    let updated = update(vectors.as_deref(), Some(table), &mut || Ok(()))?;
    as_owner(passages::wake_for_second)?;
    Ok(updated.is_whole)
}

/// An error unless the column is a text of a table of the caller.
fn check_column(object: &Object) -> Result<(), Error> {
    let arguments = [
        Oid::from(object.relation_oid.unwrap_or(0)).into(),
        object.column_number.unwrap_or_default().into(),
    ];
    let rows = spi::read_rows(FACTS, &arguments, 1, |row| {
        Ok((
            row.read::<bool>(1)?.unwrap_or(false),
            row.read::<String>(2)?.unwrap_or_default(),
            row.read::<String>(3)?.unwrap_or_default(),
        ))
    })?;
    let (is_owned, kind, category) = rows.into_iter().next().unwrap_or_default();
    let name = object.sql_name();
    if !is_owned {
        return Err(failure!(Denied, "must be owner of the table of {name}"));
    }
    if !matches!(kind.as_str(), "r" | "p" | "m") {
        return Err(failure!(Setting, "{name} is not a column of a table")
        .with_hint(
            "Texts of views and foreign tables are not indexed: index the table that a view reads.",
        ));
    }
    if category != "S" {
        return Err(failure!(Setting, "{name} is not a text"));
    }
    Ok(())
}

fn drop_known(body: &Object) -> Result<usize, Error> {
    let arguments = [
        Oid::from(body.relation_oid.unwrap_or(0)).into(),
        body.column_number.unwrap_or_default().into(),
    ];
    as_owner(|| {
        let known = spi::read_rows(FIND, &arguments, 0, |row| row.read::<i64>(1))?;
        let known: Vec<i64> = known.into_iter().flatten().collect();
        for id in &known {
            forget(*id)?;
            spi::write(DROP, &[(*id).into()], |_| Ok(()))?;
        }
        Ok(known.len())
    })
}

fn forget(source: i64) -> Result<(), Error> {
    FORGET
        .iter()
        .try_for_each(|statement| spi::write(statement, &[source.into()], |_| Ok(())).map(drop))
}

/// Stops searching the texts of a column.
pub(crate) fn drop_text_index(column: Option<&str>) -> Result<(), Error> {
    let body = visible_column(column)?;
    check_column(&body)?;
    if drop_known(&body)? > 0 {
        return Ok(());
    }
    Err(failure!(
        Undefined,
        "the texts of {} are not indexed",
        body.sql_name()
    )
    .with_hint("List the columns: SELECT title FROM text2sql.documents WHERE kind = 'column';"))
}

/// Brings the passages of all text columns up to date; returns how many texts were read anew. `commit` ends a batch.
pub(crate) fn update_sources(
    embedder: &dyn Embedder,
    commit: &mut dyn FnMut() -> Result<(), Error>,
) -> Result<usize, Error> {
    // No texts of rows are sent to an endpoint for the index; they are found by their words.
    let vectors = embedder.endpoint().is_none().then_some(embedder);
    Ok(update(vectors, None, commit)?.count)
}

/// Makes the missing vectors of the second embedder for texts of rows: their tables are read again, because the index
/// has only the words. Returns how many were made.
pub(crate) fn embed_rows(
    embedder: &dyn Embedder,
    commit: &mut dyn FnMut() -> Result<(), Error>,
) -> Result<usize, Error> {
    let limits = settings::limits(&Overrides::default());
    let policy = settings::guard_policy();
    let mut count = 0;
    for source in all()? {
        let mut pass = Pass::of_waiting(&source)?;
        if pass.known.is_empty() {
            continue;
        }
        // What cannot be read waits on, as it does for the index.
        while let Stored::Done(rows) = pass.step(&source, usize::MAX, &limits, &policy)? {
            for rows in rows.chunks(BATCH) {
                pgrx::check_for_interrupts!();
                as_owner(|| {
                    let mut vectors = Vectors::by_second(embedder);
                    for row in rows {
                        let Changed {
                            key,
                            title,
                            text,
                            fingerprint,
                        } = row;
                        count +=
                            vectors.add_waiting_row(source.id, key, *fingerprint, title, text)?;
                    }
                    vectors.make()
                })?;
                commit()?;
            }
            if pass.next.is_none() {
                break;
            }
            commit()?;
        }
    }
    Ok(count)
}

/// What an update did.
struct Updated {
    /// Texts that were read anew.
    count: usize,
    /// Whether none were left.
    is_whole: bool,
}

/// With `only`, reads the first [`FIRST`] texts of the columns of one table, because nothing commits then.
fn update(
    vectors: Option<&dyn Embedder>,
    only: Option<Oid>,
    commit: &mut dyn FnMut() -> Result<(), Error>,
) -> Result<Updated, Error> {
    let sources = all()?;
    if only.is_none() {
        let ids: Vec<i64> = sources.iter().map(|source| source.id).collect();
        as_owner(|| {
            let lost = spi::read_rows(LOST, &[ids.into()], 0, |row| row.read::<i64>(1))?;
            lost.into_iter().flatten().try_for_each(forget)
        })?;
    }
    let limits = settings::limits(&Overrides::default());
    let policy = settings::guard_policy();
    let mut updated = Updated {
        count: 0,
        is_whole: true,
    };
    for source in sources
        .iter()
        .filter(|source| only.is_none_or(|only| only == source.table))
    {
        let state = state_of(source)?;
        let known: Option<String> = as_owner(|| spi::read_one(READ_STATE, &[source.id.into()]))?;
        if known.as_deref() == Some(state.as_str()) {
            continue;
        }
        let most = only.map_or(usize::MAX, |_| FIRST);
        let mut pass = Pass::of(source)?;
        let problem = loop {
            match pass.step(source, most, &limits, &policy)? {
                Stored::Done(rows) => {
                    updated.count += rows.len();
                    write_rows(source, &rows, vectors, commit)?;
                    if pass.next.is_none() {
                        // A row that moved between two steps was perhaps not seen.
                        if state_of(source)? == state || pass.steps == 1 {
                            pass.forget_gone(source)?;
                        }
                        break None;
                    }
                    if only.is_some() {
                        break None;
                    }
                    commit()?;
                }
                Stored::Locked => break Some("the table was locked".to_owned()),
                Stored::Refused(reason) => break Some(reason),
            }
        };
        updated.is_whole &= pass.next.is_none();
        as_owner(|| {
            let stored = match problem.is_some() || pass.next.is_some() {
                true => String::new(),
                false => state,
            };
            spi::write(
                SET_STATE,
                &[source.id.into(), stored.into(), problem.into()],
                |_| Ok(()),
            )
        })?;
        commit()?;
    }
    Ok(updated)
}

/// Changes when rows, settings or the columns have changed.
fn state_of(source: &Source) -> Result<String, Error> {
    let sql = format!("SELECT {ROWS_STATE} FROM pg_class c WHERE c.oid = $1");
    let rows = spi::execute(&sql, &[source.table.into()], |row| row.read::<String>(1))?;
    let rows = rows.into_iter().flatten().next().unwrap_or_default();
    let key: Vec<i16> = source.key.iter().map(|column| column.number).collect();
    Ok(format!(
        "{rows} {} {:?} {key:?} {:?} {:?}",
        source.body,
        source.title,
        sizes(),
        source.language
    ))
}

/// A text that a pass looks for.
struct Changed {
    key: String,
    title: String,
    text: String,
    fingerprint: i64,
}

/// One way through a table, in steps between which others may commit.
struct Pass {
    /// Fingerprints of texts, by key.
    known: HashMap<String, i64>,
    /// Whether it looks for these, or for all that is not as these are.
    looks_for_known: bool,
    seen: HashSet<String>,
    /// Where the next step begins; `None` before the first and after the last.
    next: Option<Bookmark>,
    steps: usize,
}

impl Pass {
    /// Looks for what is not in the index as it is.
    fn of(source: &Source) -> Result<Self, Error> {
        Self::with(source, KNOWN, false)
    }

    /// Looks for what is in the index and lacks vectors of the second embedder.
    fn of_waiting(source: &Source) -> Result<Self, Error> {
        Self::with(source, WAITING_FOR_SECOND, true)
    }

    fn with(source: &Source, known: &'static str, looks_for_known: bool) -> Result<Self, Error> {
        let known = as_owner(|| {
            spi::read_rows(known, &[source.id.into()], 0, |row| {
                Ok((
                    row.read::<String>(1)?.unwrap_or_default(),
                    row.read::<i64>(2)?.unwrap_or_default(),
                ))
            })
        })?;
        Ok(Self {
            known: known.into_iter().collect(),
            looks_for_known,
            seen: HashSet::new(),
            next: None,
            steps: 0,
        })
    }

    /// Reads on, and returns at most `most` texts that it looks for.
    fn step(
        &mut self,
        source: &Source,
        most: usize,
        limits: &Limits,
        policy: &GuardPolicy,
    ) -> Result<Stored<Vec<Changed>>, Error> {
        let begun = Instant::now();
        self.steps += 1;
        let Self {
            known,
            looks_for_known,
            seen,
            next,
            ..
        } = self;
        with_stored(source.table, true, limits, policy, |stored| {
            // SAFETY: the table is open as long as its columns are looked at.
            let columns = unsafe { attributes(stored.relation()) };
            let is_stored = |number: i16| {
                let column = usize::try_from(number - 1)
                    .ok()
                    .and_then(|index| columns.get(index));
                column.is_some_and(|column| !column.attisdropped && !is_virtual(column))
            };
            let mut numbers = vec![source.body, source.title.unwrap_or(source.body)];
            numbers.extend(source.key.iter().map(|column| column.number));
            if !numbers.iter().all(|number| is_stored(*number)) {
                return Stored::Refused("a column of it is computed when it is read".to_owned());
            }
            let type_of = |number: i16| {
                let column = usize::try_from(number - 1)
                    .ok()
                    .and_then(|index| columns.get(index));
                column.map_or(pg_sys::TEXTOID, |column| column.atttypid)
            };
            let mut forms: Vec<TextForm> = numbers
                .iter()
                .map(|number| TextForm::of(type_of(*number)))
                .collect();
            let go_on = |is_full: bool| match is_full || begun.elapsed() > STEP {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            };
            let (mut rows, mut held) = (Vec::new(), 0);
            let read = stored.for_each_row_after(*next, &numbers, |row| {
                let mut values: Vec<Option<String>> = Vec::with_capacity(forms.len());
                for (place, form) in forms.iter_mut().enumerate() {
                    // SAFETY: the form was made for the type of this column.
                    let value = unsafe { row.text(place, form, MAX_TEXT) };
                    values.push(value.map(std::borrow::Cow::into_owned));
                }
                let mut values = values.into_iter();
                let (body, title) = (values.next().flatten(), values.next().flatten());
                let key: Option<Vec<String>> = values.collect();
                let (Some(text), Some(key)) = (body, key) else {
                    return go_on(false);
                };
                if !text.chars().any(|c| !c.is_whitespace() && !c.is_control()) {
                    return go_on(false);
                }
                let key = serde_json::Value::from(key).to_string();
                let title = source.title.and(title).unwrap_or_default();
                let title: String = title.chars().take(500).collect();
                let fingerprint = fingerprint(&title, &text);
                if (known.get(&key) == Some(&fingerprint)) == *looks_for_known {
                    held += text.len();
                    rows.push(Changed {
                        key: key.clone(),
                        title,
                        text,
                        fingerprint,
                    });
                }
                seen.insert(key);
                go_on(held > MAX_HELD || rows.len() >= most)
            });
            read.and_then(|stopped| {
                *next = stopped;
                Stored::Done(rows)
            })
        })
    }

    /// Removes from the index what no row has any more.
    fn forget_gone(&self, source: &Source) -> Result<(), Error> {
        let gone = self.known.keys().filter(|key| !self.seen.contains(*key));
        let gone: Vec<String> = gone.cloned().collect();
        match gone.is_empty() {
            true => Ok(()),
            false => as_owner(|| forget_keys(source, gone)),
        }
    }
}

fn forget_keys(source: &Source, keys: Vec<String>) -> Result<(), Error> {
    FORGET_KEYS.iter().try_for_each(|statement| {
        let arguments = [source.id.into(), keys.clone().into()];
        spi::write(statement, &arguments, |_| Ok(())).map(drop)
    })
}

fn write_rows(
    source: &Source,
    found: &[Changed],
    embedder: Option<&dyn Embedder>,
    commit: &mut dyn FnMut() -> Result<(), Error>,
) -> Result<(), Error> {
    let mut vectors = Vectors::by(embedder);
    for rows in found.chunks(BATCH) {
        pgrx::check_for_interrupts!();
        as_owner(|| {
            forget_keys(source, rows.iter().map(|row| row.key.clone()).collect())?;
            for row in rows {
                let language = match &source.language {
                    Some(language) => language.clone(),
                    None => language_of(&row.text)?,
                };
                let target = Target {
                    document: None,
                    text_source: Some(source.id),
                    key: Some(&row.key),
                    scope: scope_of(&language, Some(source.id), None, None)?,
                    fingerprint: row.fingerprint,
                    language: &language,
                };
                passages::store(&target, &row.title, &row.text, &mut vectors)?;
            }
            vectors.make()
        })?;
        commit()?;
    }
    Ok(())
}
