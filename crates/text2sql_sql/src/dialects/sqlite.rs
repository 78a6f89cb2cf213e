//! SQLite 3.

use std::collections::HashSet;
use std::sync::LazyLock;
use text2sql_domain::words;

use super::rules::{Rules, words};

static FUNCTIONS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| words(include_str!("functions/sqlite.txt")));

pub(super) static RULES: Rules = Rules {
    default_schema: "main",
    folds_to_lower_case: false,
    aliases_in_where: true,
    aliases_in_group_by: true,
    aliases_in_having: true,
    aliases_in_outputs: false,
    quoted_may_be_text: true,
    has_fields: false,
    has_whole_rows: false,
    is_implicitly_lateral: false,
    pseudo_columns: &["rowid", "oid", "_rowid_"],
    constants: words!("current_date, current_time, current_timestamp, true, false"),
    unit_first: &[],
    functions: &FUNCTIONS,
};
