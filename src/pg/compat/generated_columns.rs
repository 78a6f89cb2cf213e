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
        #[cfg(feature = "pg18")]
        if constraints.has_generated_virtual {
            return true;
        }
        constraints.has_generated_stored
    }
}

/// The expressions that the planner puts in place of the relation's virtual generated columns. The list is
/// empty before PostgreSQL 18.
///
/// # Safety
/// The relation exists and is locked.
pub(crate) unsafe fn virtual_expressions(relation: pg_sys::Oid) -> Vec<*mut pg_sys::Node> {
    #[cfg(feature = "pg18")]
    // SAFETY: by contract; the relation is closed when its expressions have been copied.
    unsafe {
        let opened = pg_sys::RelationIdGetRelation(relation);
        if opened.is_null() {
            return Vec::new();
        }
        let descriptor = (*opened).rd_att;
        let has_virtual = (*descriptor)
            .constr
            .as_ref()
            .is_some_and(|constraints| constraints.has_generated_virtual);
        let mut expressions = Vec::new();
        if has_virtual {
            for column in super::tuple_descriptor::attributes(descriptor) {
                if column.attgenerated.cast_unsigned() == pg_sys::ATTRIBUTE_GENERATED_VIRTUAL
                    && !column.attisdropped
                {
                    expressions.push(pg_sys::build_generation_expression(
                        opened,
                        column.attnum.into(),
                    ));
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
