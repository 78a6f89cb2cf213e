//! The types of columns as written in SQL, and what is known about their values from the type alone.

use std::collections::HashMap;
use std::rc::Rc;

use pgrx::pg_sys;
use text2sql_domain::schema::TypeCategory;

use super::rows::{for_each, for_each_column};
use crate::pg::server::spi::encoding::text_of;

/// Schema of the server's own types.
const PG_CATALOG: u32 = pg_sys::PG_CATALOG_NAMESPACE;

/// What is known about a type with a modifier.
#[derive(Debug, Clone, Default)]
pub(super) struct ColumnType {
    /// The name as written in SQL under the caller's path.
    pub(super) name: String,
    pub(super) category: TypeCategory,
    /// The base type of a domain.
    pub(super) domain_base: Option<String>,
    pub(super) enum_labels: Vec<String>,
    pub(super) composite_fields: Vec<String>,
    pub(super) is_not_null: bool,
    /// The relation of a row type; 0 for most types.
    pub(super) row_of: u32,
    /// The user-defined types on which it depends.
    pub(super) made: Vec<u32>,
}

/// Types of one read, each looked up once.
pub(super) struct ColumnTypes<'p> {
    path: &'p [u32],
    known: HashMap<(u32, i32), Rc<ColumnType>>,
}

impl<'p> ColumnTypes<'p> {
    /// Types as they are written under the schemas of a path. To be used under the settings of internal
    /// queries: unqualified names are then the server's own.
    pub(super) fn new(path: &'p [u32]) -> Self {
        Self {
            path,
            known: HashMap::new(),
        }
    }

    /// The type; `None` when it no longer exists.
    pub(super) fn of(&mut self, oid: pg_sys::Oid, modifier: i32) -> Option<Rc<ColumnType>> {
        let key = (oid.to_u32(), modifier);
        if let Some(known) = self.known.get(&key) {
            return Some(Rc::clone(known));
        }
        let found = Rc::new(self.look_up(oid, modifier)?);
        if self.known.len() >= MAX_TYPES {
            self.known.clear();
        }
        self.known.insert(key, Rc::clone(&found));
        Some(found)
    }

    fn look_up(&self, oid: pg_sys::Oid, modifier: i32) -> Option<ColumnType> {
        let own = TypeRow::of(oid)?;
        let (mut base, mut base_modifier) = (own.clone(), -1);
        while base.kind == b'd' {
            base_modifier = base.base_modifier;
            base = TypeRow::of(base.base.into())?;
        }
        let item = match base.is_array() {
            true => TypeRow::of(base.element.into())?,
            false => base.clone(),
        };
        let mut made = vec![own.oid, base.oid, item.oid];
        made.retain(|oid| *oid >= pg_sys::FirstNormalObjectId);
        made.sort_unstable();
        made.dedup();
        Some(ColumnType {
            name: self.name(&own, modifier)?,
            category: category_of(base.oid, base.kind, base.category),
            domain_base: (own.kind == b'd').then(|| format_type(base.oid, base_modifier)),
            enum_labels: match item.kind {
                b'e' => enum_labels(item.oid),
                _ => Vec::new(),
            },
            composite_fields: match item.kind {
                b'c' => composite_fields(item.row_of),
                _ => Vec::new(),
            },
            is_not_null: own.kind == b'd' && own.is_not_null,
            row_of: item.row_of,
            made,
        })
    }

    /// The schema is omitted where no schema earlier in the path has a type of this name.
    fn name(&self, own: &TypeRow, modifier: i32) -> Option<String> {
        let whole = format_type(own.oid, modifier);
        if own.schema == PG_CATALOG {
            return Some(whole);
        }
        let named = match own.is_array() && own.kind == b'b' {
            true => TypeRow::of(own.element.into())?,
            false => own.clone(),
        };
        // SAFETY: a look-up in the cache, which returns a palloc'd name or NULL.
        let schema = unsafe { pg_sys::get_namespace_name(named.schema.into()) };
        if schema.is_null() {
            return Some(whole);
        }
        // SAFETY: a NUL-terminated name.
        let prefix = unsafe { text_of(pg_sys::quote_identifier(schema)) } + ".";
        let Some(bare) = whole.strip_prefix(&prefix) else {
            return Some(whole);
        };
        let mut found = self
            .path
            .iter()
            .map(|schema| type_named(&named.name, *schema));
        let first = found.find(|oid| *oid != 0);
        Some(match first == Some(named.oid) {
            true => bare.to_owned(),
            false => whole,
        })
    }
}

/// The columns read from a row of `pg_type`.
#[derive(Clone)]
struct TypeRow {
    oid: u32,
    name: pg_sys::NameData,
    schema: u32,
    kind: u8,
    category: u8,
    length: i16,
    element: u32,
    row_of: u32,
    base: u32,
    base_modifier: i32,
    is_not_null: bool,
}

impl TypeRow {
    fn of(oid: pg_sys::Oid) -> Option<Self> {
        let cache = pg_sys::SysCacheIdentifier::TYPEOID as i32;
        // SAFETY: the row is copied between look-up and release.
        unsafe {
            let tuple = pg_sys::SearchSysCache1(cache, oid.into());
            if tuple.is_null() {
                return None;
            }
            let form = &*pg_sys::GETSTRUCT(tuple).cast::<pg_sys::FormData_pg_type>();
            let row = Self {
                oid: form.oid.to_u32(),
                name: form.typname,
                schema: form.typnamespace.to_u32(),
                kind: form.typtype.cast_unsigned(),
                category: form.typcategory.cast_unsigned(),
                length: form.typlen,
                element: form.typelem.to_u32(),
                row_of: form.typrelid.to_u32(),
                base: form.typbasetype.to_u32(),
                base_modifier: form.typtypmod,
                is_not_null: form.typnotnull,
            };
            pg_sys::ReleaseSysCache(tuple);
            Some(row)
        }
    }

    fn is_array(&self) -> bool {
        self.category == b'A' && self.length == -1
    }
}

/// The type as `format_type()` of SQL writes it.
fn format_type(oid: u32, modifier: i32) -> String {
    let flags = pg_sys::FORMAT_TYPE_TYPEMOD_GIVEN | pg_sys::FORMAT_TYPE_ALLOW_INVALID;
    // SAFETY: returns a palloc'd name, also of a dropped type.
    unsafe {
        text_of(pg_sys::format_type_extended(
            oid.into(),
            modifier,
            flags as u16,
        ))
    }
}

/// The type of that name in the schema; 0 where there is none.
fn type_named(name: &pg_sys::NameData, schema: u32) -> u32 {
    let cache = pg_sys::SysCacheIdentifier::TYPENAMENSP as i32;
    let column = pg_sys::Anum_pg_type_oid as pg_sys::AttrNumber;
    // SAFETY: a look-up in the cache by a name, NUL-terminated in its array, and an OID.
    unsafe {
        let name = pg_sys::Datum::from(name.data.as_ptr());
        let schema = pg_sys::Oid::from(schema).into();
        pg_sys::GetSysCacheOid(cache, column, name, schema, 0.into(), 0.into()).to_u32()
    }
}

/// Labels of an enum that are read.
const MAX_LABELS: usize = 2_000;

/// Types that are remembered within one read: each may have thousands of labels or fields.
const MAX_TYPES: usize = 200;

/// The labels of an enum, in order.
fn enum_labels(oid: u32) -> Vec<String> {
    let mut labels = Vec::new();
    let key = (pg_sys::Anum_pg_enum_enumtypid, oid.into());
    // SAFETY: the catalog of enums and its index by type and order; a label ends with NUL.
    unsafe {
        for_each(
            pg_sys::EnumRelationId,
            pg_sys::EnumTypIdSortOrderIndexId,
            key,
            |row| {
                if labels.len() < MAX_LABELS {
                    let label = row.form::<pg_sys::FormData_pg_enum>().enumlabel;
                    labels.push(text_of(label.data.as_ptr()));
                }
            },
        );
    }
    labels
}

/// The fields of a row type, as written in its definition.
fn composite_fields(relation: u32) -> Vec<String> {
    let mut fields = Vec::new();
    for_each_column(relation.into(), |field| {
        // SAFETY: a name ends with NUL.
        let name = unsafe { text_of(pg_sys::quote_identifier(field.attname.data.as_ptr())) };
        let type_name = format_type(field.atttypid.to_u32(), field.atttypmod);
        fields.push(format!("{name} {type_name}"));
    });
    fields
}

/// Coarse groups over `pg_type`: by OID where the server's own type has a special meaning, else by `typtype`
/// and `typcategory`, so that types of extensions are covered.
fn category_of(oid: u32, kind: u8, category: u8) -> TypeCategory {
    match (oid, kind, category) {
        (20 | 21 | 23, ..) => TypeCategory::Integer,
        (700 | 701 | 790 | 1700, ..) => TypeCategory::Number,
        (17, ..) => TypeCategory::Binary,
        // "char" has a category of its own.
        (18, ..) => TypeCategory::Text,
        (114 | 3802, ..) => TypeCategory::Json,
        (1082, ..) => TypeCategory::Date,
        (1114 | 1184, ..) => TypeCategory::Timestamp,
        (1083 | 1266, ..) => TypeCategory::Time,
        (1186, ..) => TypeCategory::Interval,
        (2950, ..) => TypeCategory::Uuid,
        (_, b'e', _) => TypeCategory::Enum,
        (_, b'r' | b'm', _) => TypeCategory::Range,
        (_, b'c', _) => TypeCategory::Composite,
        (_, _, b'A') => TypeCategory::Array,
        (_, _, b'B') => TypeCategory::Boolean,
        (_, _, b'S') => TypeCategory::Text,
        // The server's other numeric types are OIDs and reg* types, which are not quantities.
        (16384.., _, b'N') => TypeCategory::Number,
        _ => TypeCategory::Other,
    }
}
