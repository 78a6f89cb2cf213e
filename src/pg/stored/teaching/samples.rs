//! Samples of tables that every prompt shows: written by the owner of a table, or invented for the owner. The consent
//! to frequent values is a level of protection; this module says of which columns it can be given.
//!
//! A table with row-level security may have samples that its owner writes or has invented, but no consent: the rows
//! behind its frequent values are not for every role.

use pgrx::check_for_interrupts;
use pgrx::pg_sys::Oid;
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;

use text2sql_domain::error::{Error, failure};
use text2sql_domain::object_name;
use text2sql_domain::ports::Catalog;
use text2sql_domain::sample::{MAX_COLUMN_SAMPLES, MAX_SAMPLE_ROWS};
use text2sql_domain::schema::{Column, Table};
use text2sql_knowledge::samples::{
    Given, Suggested, column_samples, invent_column, invent_rows, refuse_consent, row_samples,
};

use super::{as_owner, required_id, tables_named, visible_object};
use crate::pg::access::catalog::read_as;
use crate::pg::access::execution::database::GuardedDatabase;
use crate::pg::access::objects::{self, Object, catalog_stamp};
use crate::pg::access::protection::change::{check_open, check_owner};
use crate::pg::server::session::user_name;
use crate::pg::server::spi;
use crate::pg::server::spi::advisory_locks::{Purpose, take_turns};
use crate::pg::server::spi::sandbox::keep_no_locks;

/// Tables that are looked at without names, and how many are described at once.
const MAX_TABLES: usize = 500;
const TABLES_AT_ONCE: usize = 50;

/// How to find ids.
const LIST: &str = "List the samples: SELECT id, sample FROM text2sql.samples;";

/// The number of samples of a column or table is bounded.
const KIND: &str =
    "SELECT json_build_object('kind', c.relkind, 'has_row_security', c.relrowsecurity, 'has_statistics',
            EXISTS (SELECT FROM pg_stats s WHERE s.schemaname = n.nspname AND s.tablename = c.relname))::text
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = $1";
const FIND: &str = "
    SELECT id FROM text2sql._samples
    WHERE object_names = $1 AND sample_values IS NOT DISTINCT FROM $2";
/// The samples of this column, or the rows of this table.
const COUNT: &str = "
    SELECT count(*) FROM text2sql._samples
    WHERE object_oids[1] = $1 AND catalog = $2
      AND CASE WHEN $3 = 0 THEN cardinality(column_numbers) > 1
               ELSE column_numbers = ARRAY[$3] END";
const ADD: &str = "
    INSERT INTO text2sql._samples (is_invented, sample_values, catalog, object_names, object_oids, column_numbers, added_by)
    VALUES ($1, $2, $3, $4, $5, $6, $7::name)";
const DROP_INVENTED: &str = "
    DELETE FROM text2sql._samples
    WHERE is_invented AND object_oids[1] = $1 AND catalog = $2
      AND CASE WHEN $3 = 0 THEN cardinality(column_numbers) > 1
               ELSE column_numbers = ARRAY[$3] END";
/// Empty where the table was dropped.
const TABLE_OF: &str = "
    SELECT coalesce((
        SELECT min(text2sql._object_name(n.object_oid, 0::int2))
        FROM text2sql._resolve_objects(s.catalog, s.object_names, s.object_oids, s.column_numbers) AS n), '')
    FROM text2sql._samples s WHERE s.id = $1";
const DROP: &str = "DELETE FROM text2sql._samples WHERE id = $1 RETURNING id";

#[derive(Deserialize)]
struct Kind {
    kind: char,
    has_row_security: bool,
    has_statistics: bool,
}

/// Refuses consent to samples of a table or column that can have none. What is left out of a table is named in a NOTICE.
pub(crate) fn check_consent(name: &str) -> Result<(), Error> {
    let object = objects::resolve(name)?;
    check_owner(&object)?;
    check_open(&object)?;
    let Some(relation) = object.relation_oid else {
        return Ok(());
    };
    let kind: Kind = spi::read_json(KIND, &[Oid::from(relation).into()])?;
    if !matches!(kind.kind, 'r' | 'p' | 'm') {
        return Err(failure!(
            Setting,
            "{} has no statistics of its values",
            object.sql_name()
        )
        .with_hint(instead(&object)));
    }
    if kind.has_row_security {
        return Err(failure!(
            Denied,
            "{} has row-level security: its values are not for every role",
            sql_name_of_table(&object)
        )
        .with_hint(instead(&object)));
    }
    let table = described(&object)?;
    if !kind.has_statistics {
        pgrx::notice!(
            "{} was never analysed: samples are shown after ANALYZE {}",
            sql_name_of_table(&object),
            sql_name_of_table(&object)
        );
    }
    match object.column_number {
        Some(number) => refuse_consent(&table, column_of(&table, &object, number)?),
        None => {
            let refused: Vec<&str> = table
                .columns
                .iter()
                .filter(|column| refuse_consent(&table, column).is_err())
                .map(|column| column.name.as_str())
                .collect();
            if !refused.is_empty() {
                pgrx::notice!(
                    "columns without samples, because their names or values look private: {}",
                    refused.join(", ")
                );
            }
            Ok(())
        }
    }
}

/// Stores samples that the owner wrote: values of a column, or rows of a table. All or none.
pub(crate) fn add(name: Option<&str>, given: Value) -> Result<(), Error> {
    let (object, table) = owned(name)?;
    let given = match object.column_number {
        Some(number) => column_samples(&table, column_of(&table, &object, number)?, given)?,
        None => row_samples(&table, given)?,
    };
    store(&object, &table, given, false)
}

/// Stores samples that the server invents, in place of those that it invented before.
pub(crate) fn invent(name: Option<&str>, count: i32) -> Result<(), Error> {
    let (object, table) = owned(name)?;
    let most = most_of(&object);
    let count = match usize::try_from(count) {
        Ok(count) if (1..=most).contains(&count) => count,
        _ => {
            return Err(failure!(Setting, "invalid number of samples: {count}")
                .with_hint(format!("Use 1 to {most}.")));
        }
    };
    let given = match object.column_number {
        Some(number) => {
            let column = column_of(&table, &object, number)?;
            check_open(&object)?;
            invent_column(&table, column, count)
        }
        None => invent_rows(&table, count),
    };
    if given.is_empty() {
        return Err(failure!(Setting, "nothing can be invented for {}", object.sql_name())
        .with_detail(
            "Its type says nothing about its values, or it holds private data by its names.",
        )
        .with_hint("Write samples: SELECT text2sql.describe('…', samples => '[…]');"));
    }
    let (relation, number) = place(&object);
    as_owner(|| {
        spi::write(
            DROP_INVENTED,
            &[relation.into(), catalog_stamp().into(), number.into()],
            |_| Ok(()),
        )
    })?;
    store(&object, &table, given, true)
}

/// Removes a sample. Only the owner of its table may, or who has the privileges of the database's owner.
pub(crate) fn drop_sample(id: Option<i64>) -> Result<(), Error> {
    let id = required_id(id, "sample", LIST)?;
    let unknown = || failure!(Undefined, "sample {id} does not exist").with_hint(LIST);
    let table: Option<String> = spi::read_one(TABLE_OF, &[id.into()])?;
    let table = table.ok_or_else(unknown)?;
    if !table.is_empty() {
        check_owner(&objects::resolve(&table)?)?;
    }
    if as_owner(|| spi::write(DROP, &[id.into()], |_| Ok(())))?.is_empty() {
        return Err(unknown());
    }
    Ok(())
}

/// The columns of the named tables or schemas, or of all, whose frequent values have nothing private in them.
pub(crate) fn suggest(names: &[String]) -> Result<Vec<Suggested>, Error> {
    let oids = match names {
        [] => read_as(GuardedDatabase::new()?.role(), |catalog| {
            catalog.find(&[], MAX_TABLES)
        })?,
        names => keep_no_locks(|| tables_named(names))?,
    };
    let mut suggested = Vec::new();
    for some in oids.chunks(TABLES_AT_ONCE) {
        check_for_interrupts!();
        for table in describe(some)? {
            let kind: Kind = spi::read_json(KIND, &[Oid::from(table.oid).into()])?;
            if !kind.has_row_security {
                suggested.extend(text2sql_knowledge::samples::suggest(&table));
            }
        }
    }
    Ok(suggested)
}

/// The table or column of that name, which the caller owns and can see, with the table as questions see it.
fn owned(name: Option<&str>) -> Result<(Object, Arc<Table>), Error> {
    let object = visible_object(name, "object")?;
    check_owner(&object)?;
    check_open(&object)?;
    let table = described(&object)?;
    Ok((object, table))
}

/// Tables as questions see them.
fn describe(oids: &[u32]) -> Result<Vec<Arc<Table>>, Error> {
    read_as(GuardedDatabase::new()?.role(), |catalog| {
        catalog.describe(oids)
    })
}

fn described(object: &Object) -> Result<Arc<Table>, Error> {
    let described = describe(&[object.relation_oid.unwrap_or_default()])?;
    described.into_iter().next().ok_or_else(|| {
        failure!(
            Undefined,
            "{} is not available to questions",
            object.sql_name()
        )
    })
}

fn column_of<'t>(table: &'t Table, object: &Object, number: i16) -> Result<&'t Column, Error> {
    let mut columns = table.columns.iter();
    columns
        .find(|column| column.number == number)
        .ok_or_else(|| {
            failure!(
                Undefined,
                "{} is not available to questions",
                object.sql_name()
            )
        })
}

/// Stores the samples that are not stored yet.
fn store(
    object: &Object,
    table: &Table,
    given: Vec<Given>,
    is_invented: bool,
) -> Result<(), Error> {
    take_turns(Purpose::Samples);
    for sample in given {
        let sample = Row::of(table, &sample);
        let arguments = [sample.names.clone().into(), sample.values.clone().into()];
        let known: Option<i64> = as_owner(|| spi::read_one(FIND, &arguments))?;
        if known.is_none() {
            check_room(object)?;
            sample.insert(is_invented)?;
        }
    }
    Ok(())
}

/// Refuses a sample for which no prompt has room, so that nobody relies on it.
fn check_room(object: &Object) -> Result<(), Error> {
    let (relation, number) = place(object);
    let arguments = [relation.into(), catalog_stamp().into(), number.into()];
    let count: Option<i64> = as_owner(|| spi::read_one(COUNT, &arguments))?;
    let most = most_of(object);
    if usize::try_from(count.unwrap_or(0)).unwrap_or(usize::MAX) < most {
        return Ok(());
    }
    let what = if number == 0 { "rows" } else { "samples" };
    Err(failure!(
        Limit,
        "{} would have more than {most} {what}",
        object.sql_name()
    )
    .with_detail("A prompt shows all of them.")
    .with_hint(LIST))
}

fn most_of(object: &Object) -> usize {
    match object.column_number {
        Some(_) => MAX_COLUMN_SAMPLES,
        None => MAX_SAMPLE_ROWS,
    }
}

fn place(object: &Object) -> (Oid, i16) {
    let relation = Oid::from(object.relation_oid.unwrap_or_default());
    (relation, object.column_number.unwrap_or(0))
}

fn sql_name_of_table(object: &Object) -> String {
    super::table_name(object)
}

fn instead(object: &Object) -> String {
    let name = object.sql_name().replace('\'', "''");
    format!(
        "Have samples invented, or write some: SELECT text2sql.describe('{name}', invented_samples => 1);"
    )
}

/// A sample as it is stored: parallel arrays of columns and values.
struct Row {
    names: Vec<String>,
    oids: Vec<Oid>,
    numbers: Vec<i16>,
    values: Vec<Option<String>>,
}

impl Row {
    fn of(table: &Table, sample: &Given) -> Self {
        let name_of = |number: i16| {
            let mut columns = table.columns.iter();
            let column = columns.find(|column| column.number == number);
            column.map_or("", |column| column.name.as_str())
        };
        let qualified = |number| object_name::join(&[&table.schema, &table.name, name_of(number)]);
        Self {
            names: sample
                .iter()
                .map(|(number, _)| qualified(*number))
                .collect(),
            oids: vec![Oid::from(table.oid); sample.len()],
            numbers: sample.iter().map(|(number, _)| *number).collect(),
            values: sample.iter().map(|(_, value)| value.clone()).collect(),
        }
    }

    fn insert(&self, is_invented: bool) -> Result<(), Error> {
        let arguments = [
            is_invented.into(),
            self.values.clone().into(),
            catalog_stamp().into(),
            self.names.clone().into(),
            self.oids.clone().into(),
            self.numbers.clone().into(),
            user_name().into(),
        ];
        as_owner(|| spi::write(ADD, &arguments, |_| Ok(())).map(drop))
    }
}
