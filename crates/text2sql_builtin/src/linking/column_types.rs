//! What the type of a column allows.

use text2sql_domain::schema::{Column, TypeCategory};

/// Whether periods apply to the column.
pub(crate) fn is_date(column: &Column) -> bool {
    matches!(
        column.category,
        TypeCategory::Date | TypeCategory::Timestamp
    )
}

/// Whether sums apply to the column.
pub(crate) fn is_number(column: &Column) -> bool {
    matches!(
        column.category,
        TypeCategory::Integer | TypeCategory::Number
    )
}
