//! A request bound to columns and joins: the parts of one SELECT.

pub(crate) mod aggregates;
pub(crate) mod binder;
pub(crate) mod business_terms;
pub(crate) mod duplicates;
pub(crate) mod groups;
pub(crate) mod key_names;
pub(crate) mod lists;
pub(crate) mod periods;
pub(crate) mod predicates;
pub(crate) mod ranks;
pub(crate) mod scope;
pub(crate) mod select;
pub(crate) mod subqueries;
pub(crate) mod values;
