//! What is not added up: prices, ages, ratings.

use crate::table_names::words_of;
use text2sql_domain::words;
use text2sql_semantics::{Aggregate, Answer, Expression, Function, SemanticQuery, Value};

/// Whether a column with these words holds what is not added up, such as a price of one piece.
pub(crate) fn is_rate(words: &[String]) -> bool {
    const RATES: &[&str] = words!(
        "price, rate, rating, score, age, percent, discount, level, satisfaction, grade, \
         gpa, height, year, latitude, longitude, size, capacity"
    );
    words.iter().any(|word| RATES.contains(&word.as_str()))
}

/// Whether a figure is a sum of what is not added up.
pub fn sums_a_rate(query: &SemanticQuery) -> bool {
    let Answer::Figures { measures, .. } = &query.answer else {
        return false;
    };
    measures.iter().any(|measure| match &measure.value {
        Value::Aggregate(Aggregate {
            function: Function::Sum,
            of: Some(Expression::Column(column)),
            ..
        }) => is_rate(&words_of(&column.column)),
        _ => false,
    })
}
