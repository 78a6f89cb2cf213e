//! Generated columns. PostgreSQL 18 added virtual ones, which are computed when they are read.

use pgrx::pg_sys;

/// Whether the descriptor has a generated column, stored or virtual.
///
/// # Safety
/// `descriptor` is valid.
pub(crate) unsafe fn are_in(descriptor: pg_sys::TupleDesc) -> bool {
    // SAFETY: by contract; the constraints are NULL or valid.
    unsafe {
        let Some(constraints) = (*descriptor).constr.as_ref() else {
            return false;
        };
        constraints.has_generated_stored || are_virtual_in(descriptor)
    }
}

/// Whether the descriptor has a column that is not stored.
///
/// # Safety
/// `descriptor` is valid.
pub(crate) unsafe fn are_virtual_in(descriptor: pg_sys::TupleDesc) -> bool {
    #[cfg(feature = "pg18")]
    // SAFETY: by contract; the constraints are NULL or valid.
    unsafe {
        let constraints = (*descriptor).constr.as_ref();
        constraints.is_some_and(|constraints| constraints.has_generated_virtual)
    }
    #[cfg(not(feature = "pg18"))]
    {
        let _ = descriptor;
        false
    }
}

/// Whether the values of the column are computed when they are read.
pub(crate) fn is_virtual(column: &pg_sys::FormData_pg_attribute) -> bool {
    column.attgenerated == b'v'.cast_signed()
}

/// The relation's virtual generated columns, each with the expression that the planner puts in its place, over
/// the relation as entry 1 of the range table. The list is empty before PostgreSQL 18.
///
/// # Safety
/// The relation exists and is locked.
pub(crate) unsafe fn virtual_expressions(relation: pg_sys::Oid) -> Vec<(i16, *mut pg_sys::Node)> {
    #[cfg(feature = "pg18")]
    // SAFETY: by contract; the relation is closed when its expressions have been copied.
    unsafe {
        let opened = pg_sys::RelationIdGetRelation(relation);
        if opened.is_null() {
            return Vec::new();
        }
        let descriptor = (*opened).rd_att;
        let mut expressions = Vec::new();
        if are_virtual_in(descriptor) {
            for column in super::tuple_descriptor::attributes(descriptor) {
                if is_virtual(column) && !column.attisdropped {
                    let number = column.attnum;
                    let expression = pg_sys::build_generation_expression(opened, number.into());
                    expressions.push((number, expression));
                }
            }
        }
        pg_sys::RelationClose(opened);
        expressions
    }
    #[cfg(not(feature = "pg18"))]
    {
        let _ = relation;
        Vec::new()
    }
}
