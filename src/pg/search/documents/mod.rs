//! Documents and indexed text columns: stored, cut into passages, and searched.
//!
//! The right to read a passage is decided when it is searched: for documents by row-level security
//! (`sql/schema/documents.sql`), for rows by reading them as the caller. Passages are written as their owner.

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
