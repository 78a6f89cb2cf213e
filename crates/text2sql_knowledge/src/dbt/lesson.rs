//! The knowledge in a dbt manifest.

use super::super::metric::Metric;

/// One fact to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lesson {
    /// The description of a table or column.
    Description {
        /// The table or column.
        object: String,
        /// The description.
        text: String,
    },
    /// The accepted values of a column.
    Values {
        /// The column.
        column: String,
        /// The values.
        values: Vec<String>,
    },
    /// A table built by dbt.
    DerivedFrom {
        /// The table.
        table: String,
        /// The relations it is built from, directly or through other models.
        sources: Vec<String>,
    },
    /// A column that references another.
    Join {
        /// The referencing column.
        column: String,
        /// The referenced column.
        target: String,
        /// Whether the project declares or tests that the referenced column is unique.
        is_unique: bool,
    },
    /// How an object is protected.
    Protection {
        /// The table or column.
        object: String,
        /// `private` or `hidden`.
        level: String,
    },
    /// A business term.
    Definition {
        /// The term.
        term: String,
        /// What it means.
        meaning: String,
        /// Its synonyms.
        synonyms: Vec<String>,
        /// Its table.
        table: String,
        /// Its SQL expression.
        sql_expression: String,
        /// The joins of its path, as equal columns.
        joins: Vec<String>,
    },
    /// A metric that is made of other definitions.
    Metric {
        /// The term.
        term: String,
        /// What it means.
        meaning: String,
        /// Its synonyms.
        synonyms: Vec<String>,
        /// How it is made.
        metric: Metric,
        /// The columns that it names.
        columns: Vec<String>,
    },
}

/// The content of a manifest.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// The facts that can be stored.
    pub lessons: Vec<Lesson>,
    /// The parts that cannot: their name in the manifest, and the reason.
    pub left_out: Vec<(String, String)>,
}

impl Manifest {
    /// Whether the join was found before.
    pub(super) fn has_join(&self, of: &str, to: &str) -> bool {
        self.lessons.iter().any(
            |lesson| matches!(lesson, Lesson::Join { column, target, .. } if column == of && target == to),
        )
    }
}

impl Lesson {
    /// The kind of fact.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Description { .. } => "description",
            Self::Values { .. } => "values",
            Self::DerivedFrom { .. } => "derived from",
            Self::Join { .. } => "join",
            Self::Protection { .. } => "protection",
            Self::Definition { .. } => "definition",
            Self::Metric { .. } => "metric",
        }
    }

    /// The name of its object.
    pub fn subject(&self) -> String {
        match self {
            Self::Description { object, .. } | Self::Protection { object, .. } => object.clone(),
            Self::Values { column, .. } => column.clone(),
            Self::DerivedFrom { table, .. } => table.clone(),
            Self::Join { column, target, .. } => format!("{column} -> {target}"),
            Self::Definition { term, .. } | Self::Metric { term, .. } => term.clone(),
        }
    }
}
