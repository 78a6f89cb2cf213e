//! What a question is about, where it was not understood: the tables that its words name.

use std::sync::Arc;

use crate::compose::Composer;
use crate::schema::Schema;
use crate::{link, wording};
use text2sql_domain::schema::Table;
use text2sql_language::calendar::parse_date;
use text2sql_language::understanding::Understanding;

/// The places of the tables that words of the question name, those that are nouns first.
pub fn named_tables(question: &Understanding, tables: &[Arc<Table>]) -> Vec<usize> {
    let Some(today) = parse_date(question.today()) else {
        return Vec::new();
    };
    let is_german = question.is_german() || wording::is_german(question);
    let schema = Schema::of(tables);
    let spans = link::link(question.text(), is_german, today, &schema);
    Composer::new(&schema, spans).named_tables()
}
