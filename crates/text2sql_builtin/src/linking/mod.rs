//! Schema linking: which words of the question name a table, a column, a stored value or a business term.

pub(crate) mod abbreviations;
pub(crate) mod business_terms;
pub(crate) mod column_types;
pub(crate) mod derived_tables;
pub(crate) mod indirect_names;
pub(crate) mod links;
pub(crate) mod mention;
pub(crate) mod names;
pub(crate) mod prefix_filter;
pub(crate) mod readable_names {
    //! Identifiers as readable words.
    pub(crate) use text2sql_language::names::{plural, readable, singular};
}
pub(crate) mod similar_names;
pub(crate) mod sql_names;
pub(crate) mod table_names;
