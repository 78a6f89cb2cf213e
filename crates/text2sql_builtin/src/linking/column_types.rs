//! What the type of a column allows.

use crate::linking::names::words_of;
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

/// Whether it is a number column with years, such as `hired_year`.
pub(crate) fn is_year(column: &Column) -> bool {
    is_number(column)
        && words_of(&column.name)
            .last()
            .is_some_and(|word| word == "year")
}
