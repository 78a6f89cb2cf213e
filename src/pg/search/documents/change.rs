//! Adds, shares and drops documents.

use pgrx::pg_sys::Oid;
use serde::Deserialize;
use serde_json::{Map, Value};
use text2sql_domain::error::{Error, failure};

use super::owner::as_owner;
use super::passages::{self, Readers, Vectors};
use crate::pg::access::objects::catalog_stamp;
use crate::pg::server::session::user_name;
use crate::pg::server::spi;
use crate::pg::stored::teaching::{required, required_id};

const ADD: &str = "INSERT INTO text2sql._documents (title, body, source, metadata, language, catalog, role_oids, role_names)
     VALUES ($1, $2, $3, $4::jsonb, $5, $6, $7::oid[], $8::name[]) RETURNING id";
const ROLES: &str = "SELECT r.oid FROM unnest($1) WITH ORDINALITY AS given(name, place)
     JOIN pg_roles r ON r.rolname = given.name::name ORDER BY given.place";
/// Documents of the owner with this source and title, and the readers besides the owner that still exist.
const SAME: &str = "SELECT id, ARRAY(SELECT coalesce(r.rolname, 'public')::text
            FROM unnest(role_oids[2:]) AS reader(oid) LEFT JOIN pg_roles r ON r.oid = reader.oid
            WHERE reader.oid = 0 OR r.oid IS NOT NULL)
     FROM text2sql._documents
     WHERE source IS NOT DISTINCT FROM $1 AND title = $2 AND catalog = $3 AND role_oids[1] = $4";
/// The owner of a document whose privileges the caller has.
const OWNED: &str = "SELECT pg_has_role(r.oid, 'USAGE') FROM text2sql._documents d
     JOIN pg_roles r ON CASE WHEN d.catalog = $2 THEN r.oid = d.role_oids[1] ELSE r.rolname = d.role_names[1] END
     WHERE d.id = $1";
const DROP: &str = "DELETE FROM text2sql._documents WHERE id = $1";
const SHARE: &str = "UPDATE text2sql._documents
     SET role_oids = CASE WHEN catalog = $2 THEN role_oids[1:1] ELSE ARRAY(SELECT oid FROM pg_roles WHERE rolname = role_names[1]) END || $3::oid[],
         role_names = role_names[1:1] || $4::name[], catalog = $2
     WHERE id = $1 RETURNING language, source, role_oids::int8[], role_names::text[]";
const MOVE: &[&str] = &[
    "UPDATE text2sql._passages SET scope = $2 WHERE document = $1",
    "UPDATE text2sql._passage_vectors v SET scope = $2 FROM text2sql._passages p WHERE p.id = v.passage AND p.document = $1",
    "UPDATE text2sql._second_passage_vectors v SET scope = $2 FROM text2sql._passages p WHERE p.id = v.passage AND p.document = $1",
];

/// How to find ids.
const LIST: &str = "List the documents: SELECT id, title FROM text2sql.documents;";

/// Longest body, in bytes.
const MAX_BODY: usize = 16 << 20;

/// A document that is added.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewDocument {
    pub(crate) title: String,
    pub(crate) body: String,
    #[serde(default)]
    pub(crate) source: Option<String>,
    #[serde(default)]
    pub(crate) metadata: Map<String, Value>,
    #[serde(default)]
    pub(crate) readers: Vec<String>,
    /// Its text search configuration, unless that of the language in which it is.
    #[serde(default)]
    pub(crate) language: Option<String>,
}

/// Adds a document of the caller; returns its id.
pub(crate) fn add(document: &NewDocument) -> Result<i64, Error> {
    let embedder = as_owner(passages::own_embedder)?;
    let mut vectors = Vectors::by(embedder.as_deref());
    let id = add_with(document, &mut vectors)?;
    as_owner(|| vectors.make())?;
    as_owner(passages::wake_for_second)?;
    Ok(id)
}

/// Adds the documents of JSON lines; returns the line and title of each.
pub(crate) fn import(
    lines: Option<&str>,
    source: Option<&str>,
    readers: &[String],
    replaces: bool,
) -> Result<Vec<(i64, String)>, Error> {
    let lines = required(lines, "documents")?;
    let embedder = as_owner(passages::own_embedder)?;
    let mut vectors = Vectors::by(embedder.as_deref());
    let mut added = Vec::new();
    for (line, number) in lines.lines().zip(1..) {
        pgrx::check_for_interrupts!();
        if line.trim().is_empty() {
            continue;
        }
        let in_line = |error: Error| {
            let message = format!("line {number}: {}", error.message());
            let mut placed = Error::new(error.kind(), message);
            if let Some(hint) = error.hint() {
                placed = placed.with_hint(hint.to_owned());
            }
            placed.with_source(error)
        };
        let mut document: NewDocument = serde_json::from_str(line).map_err(|error| {
            // The place, and no text of the document.
            failure!(Setting, "line {number} is not a document, at column {}", error.column())
            .with_hint("Write one JSON object in a line: {\"title\": \"…\", \"body\": \"…\", \"source\": \"…\", \"metadata\": {}, \"readers\": [], \"language\": \"…\"}")
            .with_source(error)
        })?;
        document.source = document.source.or_else(|| source.map(str::to_owned));
        if document.readers.is_empty() {
            document.readers = readers.to_vec();
        }
        if replaces {
            // SAFETY: reads a variable.
            let user = unsafe { pgrx::pg_sys::GetUserId() };
            let readers_before = as_owner(|| {
                let arguments = [
                    document.source.as_deref().into(),
                    document.title.as_str().into(),
                    catalog_stamp().into(),
                    user.into(),
                ];
                let known = spi::read_rows(SAME, &arguments, 0, |row| {
                    let id: i64 = row.read(1)?.unwrap_or_default();
                    Ok((id, row.read::<Vec<String>>(2)?.unwrap_or_default()))
                })?;
                let (ids, readers): (Vec<i64>, Vec<Vec<String>>) = known.into_iter().unzip();
                ids.into_iter().try_for_each(remove)?;
                Ok::<_, Error>(readers.concat())
            })
            .map_err(in_line)?;
            // A new version is for whoever read the one before, unless it says for whom it is.
            if document.readers.is_empty() {
                document.readers = readers_before;
            }
        }
        add_with(&document, &mut vectors).map_err(in_line)?;
        added.push((number, document.title));
    }
    as_owner(|| vectors.make())?;
    as_owner(passages::wake_for_second)?;
    Ok(added)
}

fn add_with(document: &NewDocument, vectors: &mut Vectors<'_>) -> Result<i64, Error> {
    let title = required(Some(&document.title), "title")?;
    required(Some(&document.body), "body")?;
    for (name, text, most) in [
        ("title", title, 500),
        ("source", document.source.as_deref().unwrap_or("-"), 1_000),
    ] {
        let length = text.chars().count();
        if length > most || length == 0 {
            return Err(failure!(
                Limit,
                "the {name} has {length} characters, and may have 1 to {most}"
            ));
        }
    }
    if document.body.len() > MAX_BODY {
        return Err(failure!(
            Limit,
            "the body has {} bytes, more than {MAX_BODY}",
            document.body.len()
        )
        .with_hint("Add each chapter as a document of its own, with the same source."));
    }
    let metadata = Value::Object(document.metadata.clone()).to_string();
    let whole = [title, &document.body]
        .into_iter()
        .chain(document.source.as_deref());
    if whole
        .chain([metadata.as_str()])
        .any(|text| text.contains('\0') || text.contains("\\u0000"))
    {
        return Err(failure!(Setting, "the document has a NUL character")
            .with_hint("Remove it: PostgreSQL stores no text with it."));
    }
    let readers = readers_of(&document.readers, true)?;
    let language = match &document.language {
        Some(language) => passages::check_language(language).map(|()| language.clone())?,
        None => passages::language_of(&document.body)?,
    };
    as_owner(|| {
        let arguments = [
            title.into(),
            document.body.as_str().into(),
            document.source.as_deref().into(),
            metadata.clone().into(),
            language.as_str().into(),
            readers.catalog.clone().into(),
            readers.oids.clone().into(),
            readers.names.clone().into(),
        ];
        let ids = spi::write(ADD, &arguments, |row| row.read::<i64>(1))?;
        let Some(id) = ids.into_iter().flatten().next() else {
            return Err(failure!(Internal, "the document has no id"));
        };
        let source = document.source.as_deref();
        passages::store_document(
            id,
            title,
            &document.body,
            &language,
            source,
            &readers,
            vectors,
        )?;
        Ok(id)
    })
}

/// The roles of that names; before them the caller, if it is the owner.
fn readers_of(names: &[String], with_owner: bool) -> Result<Readers, Error> {
    let mut readers = Readers {
        catalog: catalog_stamp(),
        oids: Vec::new(),
        names: Vec::new(),
    };
    if with_owner {
        // SAFETY: reads a variable.
        readers
            .oids
            .push(unsafe { pgrx::pg_sys::GetUserId() }.to_u32().into());
        readers.names.push(user_name());
    }
    let mut known: Vec<&str> = Vec::new();
    for name in names {
        if known.contains(&name.as_str()) {
            continue;
        }
        known.push(name);
        let oid = match name.as_str() {
            "public" => Some(Oid::INVALID),
            name => spi::read_one::<Oid>(ROLES, &[vec![name.to_owned()].into()])?,
        };
        let Some(oid) = oid else {
            return Err(failure!(Undefined, "role \"{name}\" does not exist")
            .with_hint(
                "Give names without quotes: readers => '{analyst}', or '{public}' for every role.",
            ));
        };
        readers.oids.push(oid.to_u32().into());
        readers.names.push(name.clone());
    }
    Ok(readers)
}

/// Removes a document and its passages. As the owner.
fn remove(id: i64) -> Result<(), Error> {
    passages::forget_document(id)?;
    spi::write(DROP, &[id.into()], |_| Ok(())).map(drop)
}

/// An error unless the caller has the privileges of the document's owner.
fn check_owned(id: Option<i64>) -> Result<i64, Error> {
    let id = required_id(id, "document", LIST)?;
    // SAFETY: reads a variable.
    let user = unsafe { pgrx::pg_sys::GetUserId() };
    let is_owned = as_owner(|| {
        let owned = OWNED.replace("pg_has_role(", "pg_has_role($3, ");
        let rows = spi::execute(
            &owned,
            &[id.into(), catalog_stamp().into(), user.into()],
            |row| row.read::<bool>(1),
        )?;
        Ok(rows.into_iter().flatten().next())
    })?;
    if is_owned == Some(true) || super::protect::is_administrator() && is_known(id)? {
        return Ok(id);
    }
    // The same for one of others: whether it exists is not for everybody.
    Err(failure!(Undefined, "document {id} does not exist, or is not yours").with_hint(LIST))
}

fn is_known(id: i64) -> Result<bool, Error> {
    let known: Option<bool> = as_owner(|| {
        spi::read_one(
            "SELECT true FROM text2sql._documents WHERE id = $1",
            &[id.into()],
        )
    })?;
    Ok(known.is_some())
}

/// Removes a document of a role whose privileges the caller has.
pub(crate) fn drop_document(id: Option<i64>) -> Result<(), Error> {
    let id = check_owned(id)?;
    as_owner(|| remove(id))
}

/// Sets who may read a document besides its owner; returns its id.
pub(crate) fn share(id: Option<i64>, names: &[String]) -> Result<i64, Error> {
    let id = check_owned(id)?;
    let added = readers_of(names, false)?;
    as_owner(|| {
        let arguments = [
            id.into(),
            added.catalog.clone().into(),
            added.oids.into(),
            added.names.into(),
        ];
        let changed = spi::write(SHARE, &arguments, |row| {
            Ok((
                row.read::<String>(1)?.unwrap_or_default(),
                row.read::<String>(2)?,
                Readers {
                    catalog: added.catalog.clone(),
                    oids: row.read(3)?.unwrap_or_default(),
                    names: row.read(4)?.unwrap_or_default(),
                },
            ))
        })?;
        for (language, source, readers) in changed {
            let scope = passages::scope_of(&language, None, source.as_deref(), Some(&readers))?;
            for statement in MOVE {
                spi::write(statement, &[id.into(), scope.into()], |_| Ok(()))?;
            }
        }
        Ok(id)
    })
}
