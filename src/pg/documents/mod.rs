//! Documents and indexed text columns: stored, cut into passages, and searched.
//!
//! Who may read a passage is decided when it is searched: of a document by row-level security of
//! `sql/schema/documents.sql`, of a row by reading it as the caller. Passages are written as their owner.

mod change;
mod few_rows;
mod legs;
mod on_demand;
mod owner;
mod passages;
mod protect;
mod report;
mod rows;
mod search;
mod sources;

pub(crate) use self::change::{NewDocument, add, drop_document, import, share};
pub(crate) use self::on_demand::TextsOnDemand;
pub(crate) use self::passages::{build_index, drop_index, embed_waiting, rebuild_changed, tidy};
pub(crate) use self::protect::protect_source;
pub(crate) use self::report::report;
pub(crate) use self::search::TextSearch;
pub(crate) use self::sources::{drop_text_index, embed_rows, index_text, update_sources};
