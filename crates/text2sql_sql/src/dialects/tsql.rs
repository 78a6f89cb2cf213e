//! Transact-SQL.

use std::collections::HashSet;
use std::sync::LazyLock;
use text2sql_domain::words;

use super::rules::{Rules, words};

static FUNCTIONS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| words(include_str!("functions/tsql.txt")));

pub(super) static RULES: Rules = Rules {
    default_schema: "dbo",
    folds_to_lower_case: false,
    aliases_in_where: false,
    aliases_in_group_by: false,
    aliases_in_having: false,
    aliases_in_outputs: false,
    quoted_may_be_text: false,
    has_fields: false,
    has_whole_rows: false,
    is_implicitly_lateral: false,
    pseudo_columns: &[],
    constants: words!("current_timestamp, current_user, session_user, system_user, user"),
    unit_first: words!(
        "dateadd, datediff, datediff_big, datepart, datename, datetrunc, date_bucket"
    ),
    functions: &FUNCTIONS,
};
