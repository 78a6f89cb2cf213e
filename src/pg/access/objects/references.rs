//! References from rows of stored knowledge to objects: their current names and OIDs, and whether the current
//! user can see them.
//!
//! Everything is read from the system caches, in a few microseconds per object, because the policies of the
//! tables call it for each row. `sql/schema/knowledge.sql` describes how objects are stored.

use std::ffi::CString;

use pgrx::pg_sys::{self, Oid};
use text2sql_domain::object_name;

use crate::pg::access::objects::{Object, ObjectKind, catalog_stamp};
use crate::pg::server::spi::encoding::text_of;

/// `column_number` of a table as a whole.
pub(crate) const WHOLE_TABLE: i16 = 0;

/// `column_number` of a schema.
pub(crate) const WHOLE_SCHEMA: i16 = -1;

/// Objects as stored in a row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct References {
    /// The catalog in which the OIDs are valid.
    pub(crate) catalog: String,
    /// Names as written in SQL.
    pub(crate) names: Vec<String>,
    /// OIDs of the tables, or of the schemas.
    pub(crate) oids: Vec<Oid>,
    /// Numbers of the columns, [`WHOLE_TABLE`] or [`WHOLE_SCHEMA`].
    pub(crate) column_numbers: Vec<i16>,
}

/// An object that exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// OID of the table, or of the schema.
    pub(crate) oid: Oid,
    /// Number of the column, [`WHOLE_TABLE`] or [`WHOLE_SCHEMA`].
    pub(crate) column_number: i16,
}

impl References {
    /// References to objects of this catalog, without duplicates.
    pub(crate) fn to(objects: &[Object]) -> Self {
        let mut references = Self {
            catalog: catalog_stamp(),
            ..Self::default()
        };
        for object in objects {
            let place = place_of(object);
            let name = object.sql_name();
            if references.names.contains(&name) {
                continue;
            }
            references.names.push(name);
            references.oids.push(place.oid);
            references.column_numbers.push(place.column_number);
        }
        references
    }

    /// The current references of the objects, in the same order.
    pub(crate) fn places(&self) -> impl Iterator<Item = Option<Place>> {
        let is_ours = self.catalog == catalog_stamp();
        self.names
            .iter()
            .zip(&self.oids)
            .zip(&self.column_numbers)
            .map(move |((name, oid), number)| {
                let kept = Place {
                    oid: *oid,
                    column_number: *number,
                };
                find(is_ours, kept, name)
            })
    }
}

/// The reference to an object that was just resolved.
pub(crate) fn place_of(object: &Object) -> Place {
    let (oid, column_number) = match object.kind {
        ObjectKind::Schema => (Some(object.schema_oid), WHOLE_SCHEMA),
        ObjectKind::Relation => (object.relation_oid, WHOLE_TABLE),
        ObjectKind::Column => (
            object.relation_oid,
            object.column_number.unwrap_or(WHOLE_TABLE),
        ),
    };
    Place {
        oid: Oid::from(oid.unwrap_or_default()),
        column_number,
    }
}

/// The object by its OID where that is valid, else by its name.
fn find(is_ours: bool, kept: Place, name: &str) -> Option<Place> {
    if is_ours && exists(kept) {
        return Some(kept);
    }
    let parts = object_name::split(name)?;
    let (schema, relation, column) = match (kept.column_number, parts.as_slice()) {
        (WHOLE_SCHEMA, [schema]) => (schema, None, None),
        (WHOLE_TABLE, [schema, relation]) => (schema, Some(relation), None),
        (1.., [schema, relation, column]) => (schema, Some(relation), Some(column)),
        _ => return None,
    };
    let c_text = |text: &String| CString::new(text.as_str()).ok();
    let schema = c_text(schema)?;
    // SAFETY: look-ups in the system caches by NUL-terminated names; what does not exist is 0.
    unsafe {
        let schema_oid = pg_sys::get_namespace_oid(schema.as_ptr(), true);
        if schema_oid == Oid::INVALID {
            return None;
        }
        let Some(relation) = relation else {
            return Some(Place {
                oid: schema_oid,
                column_number: WHOLE_SCHEMA,
            });
        };
        // After a column was dropped and added again, the table's OID is as good as its name.
        let oid = pg_sys::get_relname_relid(c_text(relation)?.as_ptr(), schema_oid);
        if oid == Oid::INVALID {
            return None;
        }
        let column_number = match column {
            None => WHOLE_TABLE,
            Some(column) => pg_sys::get_attnum(oid, c_text(column)?.as_ptr()),
        };
        (column.is_none() || column_number > 0).then_some(Place { oid, column_number })
    }
}

fn exists(place: Place) -> bool {
    // SAFETY: look-ups in the system caches; a tuple that is found is released.
    unsafe {
        match place.column_number {
            WHOLE_SCHEMA => pg_sys::SearchSysCacheExists(
                pg_sys::SysCacheIdentifier::NAMESPACEOID as i32,
                place.oid.into(),
                0.into(),
                0.into(),
                0.into(),
            ),
            WHOLE_TABLE => pg_sys::get_rel_namespace(place.oid) != Oid::INVALID,
            number => {
                let tuple = pg_sys::SearchSysCacheAttNum(place.oid, number);
                if tuple.is_null() {
                    return false;
                }
                pg_sys::ReleaseSysCache(tuple);
                true
            }
        }
    }
}

/// The name of an object of this catalog as written in SQL; `None` for a dropped one.
pub(crate) fn name_of(place: Place) -> Option<String> {
    // SAFETY: look-ups in the system caches; each returns NULL or a palloc'd, NUL-terminated name.
    let bare = |name: *mut std::ffi::c_char| unsafe { (!name.is_null()).then(|| text_of(name)) };
    // SAFETY: as above.
    unsafe {
        if place.column_number == WHOLE_SCHEMA {
            return Some(object_name::join(&[bare(pg_sys::get_namespace_name(
                place.oid,
            ))?]));
        }
        if !exists(place) {
            return None;
        }
        let schema = pg_sys::get_namespace_name(pg_sys::get_rel_namespace(place.oid));
        let mut parts = vec![bare(schema)?, bare(pg_sys::get_rel_name(place.oid))?];
        if place.column_number > 0 {
            parts.push(bare(pg_sys::get_attname(
                place.oid,
                place.column_number,
                true,
            ))?);
        }
        Some(object_name::join(&parts))
    }
}
