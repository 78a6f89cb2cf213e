//! What the type of a column allows.

use crate::linking::names::words_of;
use text2sql_domain::schema::{Column, Holds, TypeCategory};

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

/// Whether it is a text column whose known values are all numbers.
pub(crate) fn is_text_of_numbers(column: &Column) -> bool {
    let holds = column.statistics.as_ref().and_then(|known| known.holds);
    column.category == TypeCategory::Text && holds == Some(Holds::Numbers)
}
