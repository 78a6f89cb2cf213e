//! The SQL/JSON expressions of analysed trees: constructors and `IS JSON` since PostgreSQL 16, query functions
//! and `JSON_TABLE` since 17. The walkers of the server descend into all their parts.

use pgrx::pg_sys;

/// What the executor does for an expression of SQL/JSON, besides what the nodes below it show.
#[cfg_attr(
    any(feature = "pg15", feature = "pg16"),
    expect(
        dead_code,
        reason = "these versions have no such expressions, or not all of them"
    )
)]
#[derive(Debug, Clone, Copy)]
pub(crate) enum SqlJson {
    /// Nothing: `IS JSON`, `FORMAT JSON`, `DEFAULT … ON ERROR`.
    Part,
    /// Builds JSON, for which it calls the casts to `json` of its arguments' types.
    Constructor,
    /// Converts what it finds to this type: `JSON_VALUE`, `JSON_QUERY`, `JSON_EXISTS` and the columns of
    /// `JSON_TABLE`. It parses text with the input functions of the type and of its components.
    Query(pg_sys::Oid),
}

/// What the node does if it is one of SQL/JSON.
///
/// # Safety
/// `node` is a valid node of an analysed tree.
pub(crate) unsafe fn of_node(node: *mut pg_sys::Node) -> Option<SqlJson> {
    #[cfg(feature = "pg15")]
    {
        let _ = node;
        None
    }
    #[cfg(not(feature = "pg15"))]
    // SAFETY: by contract; the cast follows the tag.
    unsafe {
        use pg_sys::NodeTag;
        Some(match (*node).type_ {
            NodeTag::T_JsonValueExpr | NodeTag::T_JsonIsPredicate => SqlJson::Part,
            NodeTag::T_JsonConstructorExpr => SqlJson::Constructor,
            #[cfg(not(feature = "pg16"))]
            NodeTag::T_JsonBehavior => SqlJson::Part,
            #[cfg(not(feature = "pg16"))]
            NodeTag::T_JsonExpr => {
                let returning = (*node.cast::<pg_sys::JsonExpr>()).returning;
                SqlJson::Query(
                    returning
                        .as_ref()
                        .map_or(pg_sys::JSONBOID, |returning| returning.typid),
                )
            }
            _ => return None,
        })
    }
}

/// Whether the table function is `JSON_TABLE`, and not `XMLTABLE`.
///
/// # Safety
/// `table` is NULL or valid.
pub(crate) unsafe fn is_json_table(table: *mut pg_sys::TableFunc) -> bool {
    #[cfg(any(feature = "pg15", feature = "pg16"))]
    {
        let _ = table;
        false
    }
    #[cfg(not(any(feature = "pg15", feature = "pg16")))]
    // SAFETY: by contract.
    unsafe {
        table
            .as_ref()
            .is_some_and(|table| table.functype == pg_sys::TableFuncType::TFT_JSON_TABLE)
    }
}
