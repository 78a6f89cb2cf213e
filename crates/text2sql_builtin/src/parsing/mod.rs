//! Semantic parsing: the linked words of a question become a [`request`]. Every word must find its place.

pub(crate) mod alternatives;
pub(crate) mod business_terms;
pub(crate) mod comparatives;
pub(crate) mod conditions;
pub(crate) mod contains;
pub(crate) mod counts;
pub(crate) mod duplicates;
pub(crate) mod groups;
pub(crate) mod literals;
pub(crate) mod modifiers;
pub(crate) mod ordering;
pub(crate) mod parser;
pub(crate) mod periods;
pub(crate) mod quantities;
pub(crate) mod ranks;
pub(crate) mod refusals;
pub(crate) mod request;
pub(crate) mod row_names;
pub(crate) mod second_sentence;
pub(crate) mod superlative_conditions;
pub(crate) mod targets;
pub(crate) mod unnamed_measures;
pub(crate) mod verbs;
