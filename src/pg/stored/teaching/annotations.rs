//! Annotations of schemas, tables and columns: descriptions, meanings of values, synonyms, priorities.
//!
//! An object has at most one row: it is inserted with the first attribute of the object that is set, and
//! deleted when the last one is unset.

use pgrx::{JsonB, pg_sys::Oid};
use text2sql_domain::error::{Error, failure};
use text2sql_knowledge::value_meanings;

use super::{as_owner, required, second_of, table_name, visible_column, visible_object};
use crate::pg::access::objects::references::place_of;
use crate::pg::access::objects::{Object, ObjectKind, catalog_stamp};
use crate::pg::server::session::user_name;
use crate::pg::server::spi;

/// Maximum length of a description, in bytes. A prompt shows its first 300 characters and the search index
/// reads 2,000: 64 KiB is a document, and a longer one is reported as a mistake.
pub(crate) const MAX_TEXT_BYTES: usize = 64 * 1024;

/// The priority of a column that few questions need: a prompt that is too long drops it first.
pub(crate) const LOW_PRIORITY: &str = "low";

/// Maximum number of synonyms of one object, and maximum length of one in characters.
const MAX_SYNONYMS: usize = 100;
const MAX_SYNONYM_CHARS: usize = 200;

/// A row from a dump, or of a table that was dropped and created again, becomes the object's.
const ADOPT: &str = "
    UPDATE text2sql._annotations a
    SET catalog = $1, object_oid = $2, column_number = $3
    WHERE a.object_name = $4 AND a.table_name IS NOT DISTINCT FROM $5
      AND NOT (a.catalog = $1 AND EXISTS (SELECT FROM pg_class c WHERE c.oid = a.object_oid))
      AND NOT EXISTS (
          SELECT FROM text2sql._annotations own
          WHERE own.object_oid = $2 AND own.column_number = $3 AND own.catalog = $1)";
const MAKE: &str = "
    INSERT INTO text2sql._annotations (catalog, object_oid, column_number, object_name, table_name, taught_by)
    VALUES ($1, $2, $3, $4, $5, $6::name)
    ON CONFLICT (object_oid, column_number, catalog) DO NOTHING";
const DESCRIBE: &str = "
    UPDATE text2sql._annotations
    SET description = $4, description_origin = 'taught', taught_by = $5::name, taught_at = now()
    WHERE catalog = $1 AND object_oid = $2 AND column_number = $3";
const SET_ORIGIN: &str = "
    UPDATE text2sql._annotations SET description_origin = $4
    WHERE catalog = $1 AND object_oid = $2 AND column_number = $3";
const READ_DESCRIPTION: &str = "
    SELECT json_build_object('text', description, 'origin', description_origin)::text FROM text2sql._annotations
    WHERE catalog = $1 AND object_oid = $2 AND column_number = $3 AND description IS NOT NULL";
const READ_VALUES: &str = "
    SELECT value_meanings FROM text2sql._annotations
    WHERE catalog = $1 AND object_oid = $2 AND column_number = $3";
const DESCRIBE_VALUES: &str = "
    UPDATE text2sql._annotations
    SET value_meanings = $4, taught_by = $5::name, taught_at = now()
    WHERE catalog = $1 AND object_oid = $2 AND column_number = $3";
const SET_SYNONYMS: &str = "
    UPDATE text2sql._annotations
    SET synonyms = $4, taught_by = $5::name, taught_at = now()
    WHERE catalog = $1 AND object_oid = $2 AND column_number = $3";
const SET_PRIORITY: &str = "
    UPDATE text2sql._annotations
    SET priority = $4, taught_by = $5::name, taught_at = now()
    WHERE catalog = $1 AND object_oid = $2 AND column_number = $3";
const SET_DERIVED_FROM: &str = "
    UPDATE text2sql._annotations
    SET derived_from = $4
    WHERE catalog = $1 AND object_oid = $2 AND column_number = $3";
const READ_DERIVED_FROM: &str = "
    SELECT derived_from FROM text2sql._annotations
    WHERE catalog = $1 AND object_oid = $2 AND column_number = $3";
const CLEAN_UP: &str = "
    DELETE FROM text2sql._annotations
    WHERE catalog = $1 AND object_oid = $2 AND column_number = $3
      AND description IS NULL AND value_meanings IS NULL AND synonyms = '{}' AND priority IS NULL
      AND derived_from = '{}'";
const READ_SYNONYMS: &str = "
    SELECT synonyms FROM text2sql._annotations
    WHERE catalog = $1 AND object_oid = $2 AND column_number = $3";

/// Sets the description of an object; `None` removes it.
pub(crate) fn describe(name: Option<&str>, description: Option<&str>) -> Result<(), Error> {
    let object = visible_object(name, "object")?;
    let description = description.map(str::trim).filter(|text| !text.is_empty());
    check_length(description, &object)?;
    save(&object, DESCRIBE, description.map(str::to_owned).into())
}

/// Records the origin of a description that was not written by a user.
pub(crate) fn describe_as(origin: &str, name: &str, text: &str) -> Result<(), Error> {
    describe(Some(name), Some(text))?;
    set_origin(&visible_object(Some(name), "object")?, origin)
}

fn set_origin(object: &Object, origin: &str) -> Result<(), Error> {
    let place = place_of(object);
    run(
        SET_ORIGIN,
        &[
            catalog_stamp().into(),
            place.oid.into(),
            place.column_number.into(),
            origin.into(),
        ],
    )
}

/// The outcome of an annotation from an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It was stored.
    Taken,
    /// It was already stored.
    Known,
    /// A user stored a different one, which is kept.
    Overruled,
}

#[derive(serde::Deserialize)]
struct Description {
    text: String,
    origin: String,
}

/// Describes an object for an import: a user's description is kept.
pub(crate) fn describe_from(origin: &str, name: &str, text: &str) -> Result<Outcome, Error> {
    let object = visible_object(Some(name), "object")?;
    adopt(&object)?;
    let place = place_of(&object);
    let known: Option<String> = spi::read_one(
        READ_DESCRIPTION,
        &[
            catalog_stamp().into(),
            place.oid.into(),
            place.column_number.into(),
        ],
    )?;
    let known: Option<Description> = known
        .map(|known| serde_json::from_str(&known))
        .transpose()
        .map_err(|error| {
            failure!(Internal, "unexpected format of a stored description").with_source(error)
        })?;
    match known {
        Some(known) if known.text == text.trim() => return Ok(Outcome::Known),
        Some(known) if known.origin == "taught" => return Ok(Outcome::Overruled),
        _ => {}
    }
    // Documentation may be long: only its beginning is stored.
    let cut = text.floor_char_boundary(MAX_TEXT_BYTES);
    let text = text.get(..cut).unwrap_or_default().trim();
    save(&object, DESCRIBE, text.to_owned().into())?;
    set_origin(&object, origin)?;
    Ok(Outcome::Taken)
}

/// Stores the values of a column for an import: values without a meaning mean themselves, and known meanings
/// are kept.
pub(crate) fn values_from(name: &str, values: &[String]) -> Result<Outcome, Error> {
    let object = visible_column(Some(name))?;
    adopt(&object)?;
    let place = place_of(&object);
    let known: Option<JsonB> = spi::read_one(
        READ_VALUES,
        &[
            catalog_stamp().into(),
            place.oid.into(),
            place.column_number.into(),
        ],
    )?;
    let mut meanings = match known {
        Some(JsonB(serde_json::Value::Object(known))) => known,
        _ => serde_json::Map::new(),
    };
    let before = meanings.len();
    for value in values {
        meanings
            .entry(value.clone())
            .or_insert_with(|| value.clone().into());
    }
    if meanings.len() == before {
        return Ok(Outcome::Known);
    }
    let meanings = value_meanings(meanings.into())?.map(JsonB);
    save(&object, DESCRIBE_VALUES, meanings.into())?;
    Ok(Outcome::Taken)
}

/// Stores the sources of a table for an import; without names, it has no known source.
pub(crate) fn derived_from(name: &str, sources: &[String]) -> Result<Outcome, Error> {
    let object = visible_object(Some(name), "object")?;
    adopt(&object)?;
    let place = place_of(&object);
    let known: Option<Vec<Option<String>>> = spi::read_one(
        READ_DERIVED_FROM,
        &[
            catalog_stamp().into(),
            place.oid.into(),
            place.column_number.into(),
        ],
    )?;
    let known: Vec<String> = known.into_iter().flatten().flatten().collect();
    if known == sources {
        return Ok(Outcome::Known);
    }
    save(&object, SET_DERIVED_FROM, sources.to_vec().into())?;
    Ok(Outcome::Taken)
}

/// Refuses a description that is too long.
pub(crate) fn check_length(text: Option<&str>, object: &Object) -> Result<(), Error> {
    match text.map(str::len) {
        Some(length) if length > MAX_TEXT_BYTES => Err(failure!(
            Limit,
            "the description of {} has {length} bytes, more than {MAX_TEXT_BYTES}",
            object.sql_name()
        )
        .with_hint("Describe it in a few sentences. A prompt shows the first 300 characters.")),
        _ => Ok(()),
    }
}

/// Sets the meanings of values of a column, replacing earlier ones; `None` removes them.
pub(crate) fn describe_values(name: Option<&str>, meanings: Option<JsonB>) -> Result<(), Error> {
    let object = visible_column(name)?;
    let meanings = match meanings {
        None => None,
        Some(JsonB(given)) => value_meanings(given)?.map(JsonB),
    };
    save(&object, DESCRIBE_VALUES, meanings.into())
}

/// Adds synonyms of an object.
pub(crate) fn add_synonyms(name: Option<&str>, added: Vec<String>) -> Result<(), Error> {
    let object = visible_object(name, "object")?;
    if object.kind == ObjectKind::Schema {
        return Err(failure!(
            Setting,
            "{} is a schema, which cannot have synonyms",
            object.sql_name()
        ));
    }
    if added.is_empty() {
        return Err(failure!(Setting, "no synonyms given").with_hint(
            "Give at least one: SELECT text2sql.describe('stores', synonyms => '{shops,branches}');",
        ));
    }
    let mut synonyms = synonyms_of(&object)?;
    let too_many = || {
        failure!(
            Limit,
            "{} would have more than {MAX_SYNONYMS} synonyms",
            object.sql_name()
        )
    };
    for word in added {
        let word = required(Some(&word), "synonym")?.to_owned();
        if word.chars().count() > MAX_SYNONYM_CHARS {
            return Err(failure!(
                Limit,
                "a synonym has more than {MAX_SYNONYM_CHARS} characters"
            ));
        }
        if !synonyms
            .iter()
            .any(|known| known.to_lowercase() == word.to_lowercase())
        {
            if synonyms.len() >= MAX_SYNONYMS {
                return Err(too_many());
            }
            synonyms.push(word);
        }
    }
    save(&object, SET_SYNONYMS, synonyms.into())
}

/// Removes synonyms of an object; `None` removes all of them.
pub(crate) fn drop_synonyms(name: Option<&str>, dropped: Option<Vec<String>>) -> Result<(), Error> {
    let object = visible_object(name, "object")?;
    let known = synonyms_of(&object)?;
    let left: Vec<String> = match dropped {
        None => Vec::new(),
        Some(dropped) => {
            let lower: Vec<String> = dropped
                .iter()
                .map(|word| word.trim().to_lowercase())
                .collect();
            if let Some(unknown) = lower
                .iter()
                .find(|word| !known.iter().any(|known| known.to_lowercase() == **word))
            {
                return Err(failure!(
                    Undefined,
                    "{} has no synonym \"{unknown}\"",
                    object.sql_name()
                )
                .with_hint(
                    "List the synonyms: SELECT object, synonyms FROM text2sql.descriptions;",
                ));
            }
            known
                .into_iter()
                .filter(|word| !lower.contains(&word.to_lowercase()))
                .collect()
        }
    };
    save(&object, SET_SYNONYMS, left.into())
}

/// Sets the priority of a column: `low` or `normal`.
pub(crate) fn set_priority(name: Option<&str>, priority: &str) -> Result<(), Error> {
    let object = visible_column(name)?;
    let is_low = second_of("priority", Some(priority), ["normal", LOW_PRIORITY])?;
    save(&object, SET_PRIORITY, is_low.then_some(LOW_PRIORITY).into())
}

fn synonyms_of(object: &Object) -> Result<Vec<String>, Error> {
    adopt(object)?;
    let place = place_of(object);
    let known: Option<Vec<Option<String>>> = spi::read_one(
        READ_SYNONYMS,
        &[
            catalog_stamp().into(),
            place.oid.into(),
            place.column_number.into(),
        ],
    )?;
    Ok(known.into_iter().flatten().flatten().collect())
}

/// Writes one attribute of an object.
fn save(
    object: &Object,
    sql: &'static str,
    value: pgrx::datum::DatumWithOid<'_>,
) -> Result<(), Error> {
    let place = place_of(object);
    let (catalog, oid, number): (String, Oid, i16) =
        (catalog_stamp(), place.oid, place.column_number);
    let user = user_name();
    adopt(object)?;
    let made = naming(object).into_iter().chain([user.clone().into()]);
    run(MAKE, &made.collect::<Vec<_>>())?;
    run(
        sql,
        &[
            catalog.clone().into(),
            oid.into(),
            number.into(),
            value,
            user.into(),
        ],
    )?;
    run(CLEAN_UP, &[catalog.into(), oid.into(), number.into()])
}

fn adopt(object: &Object) -> Result<(), Error> {
    run(ADOPT, &naming(object))
}

/// Catalog, OID, number, name and table of an object.
fn naming(object: &Object) -> [pgrx::datum::DatumWithOid<'static>; 5] {
    let place = place_of(object);
    let table = object.relation.as_ref().map(|_| table_name(object));
    [
        catalog_stamp().into(),
        place.oid.into(),
        place.column_number.into(),
        object.sql_name().into(),
        table.into(),
    ]
}

/// Writes the row of an object that the caller can see.
fn run(sql: &'static str, arguments: &[pgrx::datum::DatumWithOid<'_>]) -> Result<(), Error> {
    as_owner(|| spi::write(sql, arguments, |_| Ok(()))).map(drop)
}
