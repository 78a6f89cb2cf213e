//! The types that columns get, and what COPY is sent for a value of one.

use text2sql_sql::postgresql_form::known_columns::ColumnKind;

use crate::value::{Look, Raw};

/// A type of PostgreSQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    Bigint,
    Double,
    Numeric,
    Text,
    Date,
    Timestamp,
    Boolean,
    Bytes,
}

impl Type {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bigint => "bigint",
            Self::Double => "double precision",
            Self::Numeric => "numeric",
            Self::Text => "text",
            Self::Date => "date",
            Self::Timestamp => "timestamp",
            Self::Boolean => "boolean",
            Self::Bytes => "bytea",
        }
    }

    /// The type of that name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let all = [
            Self::Bigint,
            Self::Double,
            Self::Numeric,
            Self::Text,
            Self::Date,
            Self::Timestamp,
            Self::Boolean,
            Self::Bytes,
        ];
        all.into_iter().find(|one| one.name() == name)
    }

    /// What the translation of queries needs to know of it.
    pub(crate) fn kind(self) -> ColumnKind {
        match self {
            Self::Bigint => ColumnKind::Integer,
            Self::Double | Self::Numeric => ColumnKind::Number,
            Self::Text => ColumnKind::Text,
            Self::Date => ColumnKind::Date,
            Self::Timestamp => ColumnKind::Timestamp,
            Self::Boolean => ColumnKind::Boolean,
            Self::Bytes => ColumnKind::Other,
        }
    }

    /// Whether a value that looks so is one of the type.
    pub(crate) fn takes(self, look: Look) -> bool {
        match self {
            Self::Bigint => look == Look::Integer,
            Self::Double | Self::Numeric => matches!(look, Look::Integer | Look::Number),
            Self::Text => look != Look::Blob,
            Self::Date => look == Look::Date,
            Self::Timestamp => matches!(look, Look::Date | Look::Moment),
            Self::Boolean => look == Look::Truth,
            Self::Bytes => look == Look::Blob,
        }
    }

    /// The input of the type for a value; `None` for NULL, and for what does not fit.
    pub(crate) fn input(self, value: &Raw) -> Option<String> {
        let is_truth = self == Self::Boolean && matches!(value.text().as_deref(), Some("0" | "1"));
        if !is_truth && value.look().is_none_or(|look| !self.takes(look)) {
            return None;
        }
        match (self, value) {
            (Self::Bytes, Raw::Blob(bytes)) => {
                let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
                Some(format!("\\x{}", digits.collect::<String>()))
            }
            (Self::Text, _) => value.text().map(|text| text.replace('\0', "")),
            (Self::Bigint, Raw::Real(number)) => Some(format!("{number:.0}")),
            _ => value.text().map(|text| text.trim().to_owned()),
        }
    }
}
