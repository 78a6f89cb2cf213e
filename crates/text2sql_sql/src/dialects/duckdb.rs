//! DuckDB.

use std::collections::HashSet;
use std::sync::LazyLock;
use text2sql_domain::words;

use super::rules::{Rules, words};

static FUNCTIONS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| words(include_str!("functions/duckdb.txt")));

pub(super) static RULES: Rules = Rules {
    default_schema: "main",
    folds_to_lower_case: false,
    aliases_in_where: true,
    aliases_in_group_by: true,
    aliases_in_having: true,
    aliases_in_outputs: true,
    quoted_may_be_text: false,
    has_fields: true,
    has_whole_rows: true,
    is_implicitly_lateral: true,
    pseudo_columns: &["rowid"],
    constants: words!("current_date, current_time, current_timestamp, localtime, localtimestamp"),
    unit_first: &[],
    functions: &FUNCTIONS,
};
