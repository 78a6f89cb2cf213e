//! What a dialect does with names.

use std::collections::HashSet;
use std::sync::LazyLock;

/// What a dialect does with names.
#[derive(Debug)]
pub struct Rules {
    /// The schema of a table whose name has none.
    pub default_schema: &'static str,
    /// Whether names without quotes are folded to lower case and all are then compared exactly. If not, case does not
    /// matter.
    pub folds_to_lower_case: bool,
    /// Whether a name of an output column may be used in WHERE.
    pub aliases_in_where: bool,
    /// Whether it may be used in GROUP BY.
    pub aliases_in_group_by: bool,
    /// Whether it may be used in HAVING and QUALIFY.
    pub aliases_in_having: bool,
    /// Whether later outputs may use the names of earlier ones.
    pub aliases_in_outputs: bool,
    /// Whether a name in double quotes that no table has is a text.
    pub quoted_may_be_text: bool,
    /// Whether `a.b` may be the field of a column.
    pub has_fields: bool,
    /// Whether the name of a source stands for its whole row.
    pub has_whole_rows: bool,
    /// Whether sub-queries in FROM see the sources before them without LATERAL.
    pub is_implicitly_lateral: bool,
    /// Columns that every table has.
    pub pseudo_columns: &'static [&'static str],
    /// Words that are values without parentheses.
    pub constants: &'static [&'static str],
    /// Functions whose first argument is a unit of time, such as `DATEADD(day, …)`.
    pub unit_first: &'static [&'static str],
    /// The functions that it has, in lower case.
    pub(super) functions: &'static LazyLock<HashSet<&'static str>>,
}

impl Rules {
    /// Whether the dialect has a function of that name, in lower case.
    pub fn has_function(&self, name: &str) -> bool {
        self.functions.contains(name)
    }

    /// The functions of the dialect.
    pub fn functions(&self) -> impl Iterator<Item = &'static str> {
        self.functions.iter().copied()
    }

    /// A name as the dialect compares it.
    pub fn folded(&self, name: &str, is_quoted: bool) -> String {
        match self.folds_to_lower_case && is_quoted {
            true => name.to_owned(),
            false => name.to_lowercase(),
        }
    }

    /// A name of the schema as [`Self::folded`] gives those of a query.
    pub fn stored(&self, name: &str) -> String {
        match self.folds_to_lower_case {
            true => name.to_owned(),
            false => name.to_lowercase(),
        }
    }
}

/// The words of a list.
pub(super) fn words(list: &'static str) -> HashSet<&'static str> {
    list.split_whitespace().collect()
}
