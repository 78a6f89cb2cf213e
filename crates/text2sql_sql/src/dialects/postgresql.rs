//! PostgreSQL. Its functions are those that the policy of the guard lets a query call, and those of common extensions.

use std::collections::HashSet;
use std::sync::LazyLock;
use text2sql_domain::words;

use super::rules::{Rules, words};

static FUNCTIONS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| words(include_str!("functions/postgresql.txt")));

pub(super) static RULES: Rules = Rules {
    default_schema: "public",
    folds_to_lower_case: true,
    aliases_in_where: false,
    aliases_in_group_by: true,
    aliases_in_having: false,
    aliases_in_outputs: false,
    quoted_may_be_text: false,
    has_fields: false,
    has_whole_rows: true,
    is_implicitly_lateral: false,
    pseudo_columns: &["ctid", "tableoid", "xmin", "xmax"],
    constants: words!(
        "current_date, current_time, current_timestamp, localtime, localtimestamp, current_user, \
         session_user, user, current_role, current_catalog, current_schema"
    ),
    unit_first: &[],
    functions: &FUNCTIONS,
};
