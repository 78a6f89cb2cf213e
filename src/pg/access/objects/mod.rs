//! Objects named in calls: `shop.orders`, `orders.status`, `schema shop`.
//!
//! The extension's tables store an object under its name and its OID: the OID survives a rename, the name
//! survives dump and restore. A row's OID is valid only in the catalog it was written in, which
//! [`catalog_stamp`] identifies.

pub(crate) mod answer_comment;
pub(crate) mod attributes;
pub(crate) mod families;
pub(crate) mod grants;
pub(crate) mod loaded_tables;
pub(crate) mod own_tables;
pub(crate) mod references;
mod search_path;
mod type_name;

use pgrx::pg_sys;
use text2sql_domain::error::{Error, failure};
use text2sql_domain::object_name;
use text2sql_domain::schema::quote_identifier;

pub(crate) use self::search_path::{
    creation_schema, search_path, search_path_oids, search_path_setting,
};
pub(crate) use self::type_name::type_name;
use crate::pg::server::spi;

const PARSE_NAME: &str = "SELECT parse_ident($1)";
const HINT: &str = "Write a schema, a table or a column: 'shop', 'shop.orders', 'shop.orders.status'. \
     Names are folded to lower case unless they are in double quotes.";
const RESOLVE_OBJECT: &str = include_str!("../../../../sql/queries/resolve_object.sql");

/// OIDs below this belong to the system.
pub(crate) const FIRST_USER_OID: u32 = pg_sys::FirstNormalObjectId;

/// The catalogs that dependencies name relations and functions by.
pub(crate) const RELATION_CATALOG: pg_sys::Oid = pg_sys::RelationRelationId;
pub(crate) const FUNCTION_CATALOG: pg_sys::Oid = pg_sys::ProcedureRelationId;

/// The schema of the extension's own objects: no question reads it.
pub(crate) const OWN_SCHEMA: &str = "text2sql";

/// The schema of suites and evaluations: no question reads it.
pub(crate) const EVAL_SCHEMA: &str = "text2sql_eval";

/// The extension itself, whose functions no question may call.
pub(crate) const OWN_EXTENSION: &str = "pg_text2sql";

/// The schema of perturbed copies, which only an evaluation reads, in place of their originals.
pub(crate) const COPIES_SCHEMA: &str = "text2sql_perturbed";

/// The kind of object that a name refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ObjectKind {
    /// A schema.
    Schema,
    /// A table, view, materialised view, partitioned or foreign table.
    Relation,
    /// A column of one of these.
    Column,
}

/// A schema, relation or column that exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Object {
    /// What it is.
    pub(crate) kind: ObjectKind,
    /// OID of the schema.
    pub(crate) schema_oid: u32,
    /// OID of the relation.
    pub(crate) relation_oid: Option<u32>,
    /// Number of the column.
    pub(crate) column_number: Option<i16>,
    /// The schema's bare name.
    pub(crate) schema: String,
    /// The relation's bare name.
    pub(crate) relation: Option<String>,
    /// The column's bare name.
    pub(crate) column: Option<String>,
}

impl Object {
    /// The whole name as SQL needs it, such as `shop."Order".status`.
    pub(crate) fn sql_name(&self) -> String {
        let parts = [
            Some(&self.schema),
            self.relation.as_ref(),
            self.column.as_ref(),
        ];
        let quoted: Vec<String> = parts
            .into_iter()
            .flatten()
            .map(|part| quote_identifier(part))
            .collect();
        quoted.join(".")
    }
}

/// The one object that `name` refers to under the caller's `search_path`: `schema`, `relation`,
/// `schema.relation`, `relation.column` or `schema.relation.column`, quoted as in SQL. A leading `schema`,
/// `table` or `column` resolves ambiguity.
pub(crate) fn resolve(name: &str) -> Result<Object, Error> {
    let (wanted, bare) = wanted_kind(name);
    if !object_name::is_readable(bare) {
        return Err(failure!(Setting, "\"{bare}\" is not a name as SQL writes it").with_hint(HINT));
    }
    let parts: Vec<Option<String>> = spi::read_one(PARSE_NAME, &[bare.into()])?.unwrap_or_default();
    if parts.len() > 3 {
        return Err(unusable(bare, "has more than three parts"));
    }
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let path = search_path_oids();
    let mut found = spi::read_rows(RESOLVE_OBJECT, &[parts.into(), path.into()], 0, read_object)?;
    found.retain(|object| wanted.is_none_or(|kind| kind == object.kind));
    match (found.pop(), found.pop()) {
        (Some(object), None) => Ok(object),
        (None, _) => Err(unusable(bare, "does not exist")),
        (Some(one), Some(other)) => Err(failure!(Setting, "\"{name}\" is ambiguous")
            .with_detail(format!("{} or {}", described(&other), described(&one)))
            .with_hint(format!(
                "Write '{}' or '{}'.",
                described(&other),
                described(&one)
            ))),
    }
}

/// Identifies the catalog in which the current OIDs are valid: every cluster and every database has its own.
pub(crate) fn catalog_stamp() -> String {
    // SAFETY: both read a variable.
    let (cluster, database) = unsafe { (pg_sys::GetSystemIdentifier(), pg_sys::MyDatabaseId) };
    format!("{cluster}:{}", database.to_u32())
}

/// Makes every session reload a relation when this transaction commits.
pub(crate) fn tell_sessions(table: pg_sys::Oid) {
    // SAFETY: sends an invalidation of the relation; raises an error where there is none.
    unsafe { pg_sys::CacheInvalidateRelcacheByRelid(table) };
}

fn wanted_kind(name: &str) -> (Option<ObjectKind>, &str) {
    let words = [
        ("schema ", ObjectKind::Schema),
        ("table ", ObjectKind::Relation),
        ("view ", ObjectKind::Relation),
        ("column ", ObjectKind::Column),
    ];
    let trimmed = name.trim_start();
    for (word, kind) in words {
        if let Some((start, rest)) = trimmed.split_at_checked(word.len())
            && start.eq_ignore_ascii_case(word)
        {
            return (Some(kind), rest);
        }
    }
    (None, trimmed)
}

fn described(object: &Object) -> String {
    let word = match object.kind {
        ObjectKind::Schema => "schema",
        ObjectKind::Relation => "table",
        ObjectKind::Column => "column",
    };
    format!("{word} {}", object.sql_name())
}

fn read_object(row: &spi::Row) -> Result<Object, Error> {
    let oid = |column| Ok::<_, Error>(row.read::<pg_sys::Oid>(column)?.map(|oid| oid.to_u32()));
    Ok(Object {
        kind: match row.read::<String>(1)?.as_deref() {
            Some("schema") => ObjectKind::Schema,
            Some("column") => ObjectKind::Column,
            _ => ObjectKind::Relation,
        },
        schema_oid: oid(2)?.unwrap_or_default(),
        relation_oid: oid(3)?,
        column_number: row.read(4)?,
        schema: row.read(5)?.unwrap_or_default(),
        relation: row.read(6)?,
        column: row.read(7)?,
    })
}

fn unusable(name: &str, why: &str) -> Error {
    failure!(Undefined, "\"{name}\" {why}").with_hint(HINT)
}
