//! MySQL 8.

use std::collections::HashSet;
use std::sync::LazyLock;
use text2sql_domain::words;

use super::rules::{Rules, words};

static FUNCTIONS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| words(include_str!("functions/mysql.txt")));

pub(super) static RULES: Rules = Rules {
    default_schema: "",
    folds_to_lower_case: false,
    aliases_in_where: false,
    aliases_in_group_by: true,
    aliases_in_having: true,
    aliases_in_outputs: false,
    quoted_may_be_text: false,
    has_fields: false,
    has_whole_rows: false,
    is_implicitly_lateral: false,
    pseudo_columns: &[],
    constants: words!(
        "current_date, current_time, current_timestamp, localtime, localtimestamp, utc_date, \
         utc_time, utc_timestamp, current_user"
    ),
    unit_first: &["timestampdiff", "timestampadd", "get_format"],
    functions: &FUNCTIONS,
};
