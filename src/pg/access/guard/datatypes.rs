//! Types whose values a statement may construct. A domain's CHECK is user code that runs whenever a value is
//! created, also inside a composite or an array.

use std::collections::HashMap;
use std::ffi::c_int;

use pgrx::pg_sys;

use super::functions::FunctionRules;
use crate::pg::access::objects::FIRST_USER_OID;
use crate::pg::server::compat::tuple_descriptor;

/// Maximum nesting of types.
const MAX_NESTING: usize = 8;

/// Types whose constants look up objects by name: they reveal what exists, and no question needs them.
/// `regconfig` and `regdictionary` are allowed, and `regtype` for built-in types.
const OBJECT_IDENTIFIERS: [pg_sys::Oid; 9] = [
    pg_sys::REGCLASSOID,
    pg_sys::REGPROCOID,
    pg_sys::REGPROCEDUREOID,
    pg_sys::REGOPEROID,
    pg_sys::REGOPERATOROID,
    pg_sys::REGROLEOID,
    pg_sys::REGNAMESPACEOID,
    pg_sys::REGCOLLATIONOID,
    pg_sys::ACLITEMOID,
];

/// Whether values of the type can be created without running the CHECK of a user's domain. A domain of a
/// trusted extension is reviewed with it: `earth` of earthdistance.
pub(super) fn is_constructible(
    oid: pg_sys::Oid,
    rules: &FunctionRules,
    seen: &mut HashMap<u32, bool>,
) -> bool {
    is_constructible_at(oid, rules, seen, 0)
}

fn is_constructible_at(
    oid: pg_sys::Oid,
    rules: &FunctionRules,
    seen: &mut HashMap<u32, bool>,
    level: usize,
) -> bool {
    if level > MAX_NESTING {
        return false;
    }
    // information_schema has domains below this OID too; their checks are built in.
    if oid.to_u32() < FIRST_USER_OID {
        return true;
    }
    if let Some(known) = seen.get(&oid.to_u32()) {
        return *known;
    }
    // A composite can refer to itself through an array.
    seen.insert(oid.to_u32(), true);
    let is_constructible = match parts(oid) {
        Some(parts) => parts
            .into_iter()
            .all(|part| is_constructible_at(part, rules, seen, level + 1)),
        None => rules.trusts_type(oid),
    };
    seen.insert(oid.to_u32(), is_constructible);
    is_constructible
}

/// The component types of a type, or `None` for a domain and for a dropped type.
pub(super) fn parts(oid: pg_sys::Oid) -> Option<Vec<pg_sys::Oid>> {
    // SAFETY: the tuple is used between look-up and release, the row descriptor between look-up
    // and the decrement of its count; both structs are what the catalog says.
    unsafe {
        let tuple = pg_sys::SearchSysCache1(
            pg_sys::SysCacheIdentifier::TYPEOID.cast_signed() as c_int,
            pg_sys::Datum::from(oid),
        );
        if tuple.is_null() {
            return None;
        }
        let form = pg_sys::GETSTRUCT(tuple).cast::<pg_sys::FormData_pg_type>();
        let kind = (*form).typtype.cast_unsigned();
        let element = (*form).typelem;
        pg_sys::ReleaseSysCache(tuple);
        match kind {
            pg_sys::TYPTYPE_DOMAIN => None,
            pg_sys::TYPTYPE_COMPOSITE => {
                let descriptor = pg_sys::lookup_rowtype_tupdesc_copy(oid, -1);
                let parts = tuple_descriptor::attributes(descriptor)
                    .iter()
                    .filter(|attribute| !attribute.attisdropped)
                    .map(|attribute| attribute.atttypid)
                    .collect();
                pg_sys::FreeTupleDesc(descriptor);
                Some(parts)
            }
            pg_sys::TYPTYPE_RANGE => Some(vec![pg_sys::get_range_subtype(oid)]),
            pg_sys::TYPTYPE_MULTIRANGE => Some(vec![pg_sys::get_multirange_range(oid)]),
            _ if element != pg_sys::InvalidOid => Some(vec![element]),
            _ => Some(Vec::new()),
        }
    }
}

/// The function that parses values of the type.
pub(super) fn input_function(oid: pg_sys::Oid) -> pg_sys::Oid {
    let (mut function, mut parameter) = (pg_sys::InvalidOid, pg_sys::InvalidOid);
    // SAFETY: a look-up in the cache of an existing type.
    unsafe { pg_sys::getTypeInputInfo(oid, &raw mut function, &raw mut parameter) };
    function
}

/// Whether the function converts values found in JSON to the components of its result type.
pub(super) fn populates(function: pg_sys::Oid) -> bool {
    [
        pg_sys::F_JSON_POPULATE_RECORD,
        pg_sys::F_JSON_POPULATE_RECORDSET,
        pg_sys::F_JSONB_POPULATE_RECORD,
        pg_sys::F_JSONB_POPULATE_RECORDSET,
    ]
    .contains(&function.to_u32())
}

/// Whether creating a value of the type, or of an array of it, looks up an object of the catalog.
pub(super) fn is_object_identifier(oid: pg_sys::Oid) -> bool {
    // The most frequent types.
    if [pg_sys::TEXTOID, pg_sys::INT4OID, pg_sys::NUMERICOID].contains(&oid) {
        return false;
    }
    // SAFETY: a look-up in the type cache; not an array returns InvalidOid.
    let element = unsafe { pg_sys::get_element_type(oid) };
    [oid, element]
        .iter()
        .any(|oid| OBJECT_IDENTIFIERS.contains(oid) || *oid == pg_sys::REGTYPEOID)
}

/// Whether the constant names an object of the catalog other than a built-in type. The row type of a table has
/// the table's name.
pub(super) fn names_object(constant: &pg_sys::Const) -> bool {
    if constant.consttype == pg_sys::REGTYPEOID {
        return !constant.constisnull && constant.constvalue.value() as u32 >= FIRST_USER_OID;
    }
    is_object_identifier(constant.consttype)
}
