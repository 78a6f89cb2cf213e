//! What a dbt manifest teaches.

/// One thing to keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lesson {
    /// What a table or column means.
    Description {
        /// The object.
        object: String,
        /// The description.
        text: String,
    },
    /// The values that a column may have.
    Values {
        /// The column.
        column: String,
        /// The values.
        values: Vec<String>,
    },
    /// A table that dbt builds.
    DerivedFrom {
        /// The table.
        table: String,
        /// The relations that it is built from, through other models too.
        sources: Vec<String>,
    },
    /// A column refers to another.
    Join {
        /// The column that refers.
        column: String,
        /// The column referred to.
        target: String,
    },
    /// A term.
    Definition {
        /// The term as people say it.
        term: String,
        /// What it means.
        meaning: String,
        /// Other names of it.
        synonyms: Vec<String>,
        /// The table that it is about.
        table: String,
        /// The term in SQL.
        sql_expression: String,
    },
}

/// What a manifest holds.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// What can be kept.
    pub lessons: Vec<Lesson>,
    /// What cannot: its name in the manifest, and why.
    pub left_out: Vec<(String, String)>,
}

impl Lesson {
    /// What kind of thing it is, in a word.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Description { .. } => "description",
            Self::Values { .. } => "values",
            Self::DerivedFrom { .. } => "derived from",
            Self::Join { .. } => "join",
            Self::Definition { .. } => "definition",
        }
    }

    /// What it is about.
    pub fn subject(&self) -> String {
        match self {
            Self::Description { object, .. } => object.clone(),
            Self::Values { column, .. } => column.clone(),
            Self::DerivedFrom { table, .. } => table.clone(),
            Self::Join { column, target } => format!("{column} -> {target}"),
            Self::Definition { term, .. } => term.clone(),
        }
    }
}
