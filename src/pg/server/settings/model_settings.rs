//! The settings that name models for questions: those that write the SQL, in order, and those of other calls.

use std::ffi::CString;

use pgrx::guc::GucSetting;
use text2sql_domain::engines;
use text2sql_domain::error::{Error, failure};

use super::checked_text::CheckedText;
use super::setting_values::{Overrides, text, tuned};

/// The models that write the SQL, in the order in which they are asked. `builtin` needs no network and no key, so
/// that a first try works.
pub(super) static MODEL: GucSetting<Option<CString>> =
    GucSetting::<Option<CString>>::new(Some(c"builtin"));

/// The names of the models that write the SQL, in order, unless a call names others. At least one.
pub(crate) fn models(overrides: &Overrides) -> Result<Vec<String>, Error> {
    let list = overrides.model.clone().unwrap_or_else(|| text(&MODEL));
    engines::read_list(&list).map_err(|problem| {
        failure!(Setting, "invalid list of models: \"{list}\"")
            .with_detail(problem)
            .with_hint(EngineList::hint())
    })
}

/// The value of `text2sql.model`.
pub(super) struct EngineList;

impl CheckedText for EngineList {
    fn check(text: &str) -> Result<(), String> {
        engines::read_list(text).map(drop)
    }

    fn hint() -> String {
        "Name one model or several, separated by commas: SET text2sql.model = 'builtin, gpt';"
            .to_owned()
    }
}

/// The model that judges results, if another one is set than the one that writes the SQL.
pub(crate) fn judge_model(overrides: &Overrides) -> Option<String> {
    tuned(overrides).model("judge_model")
}

/// The model that writes sentences about rows, likewise.
pub(crate) fn narration_model(overrides: &Overrides) -> Option<String> {
    tuned(overrides).model("narration_model")
}

/// The model that chooses tables, likewise.
pub(crate) fn table_choice_model(overrides: &Overrides) -> Option<String> {
    tuned(overrides).model("table_choice_model")
}

/// The model that assists curators, likewise. A model that a call names comes before the setting.
pub(crate) fn suggestion_model(overrides: &Overrides) -> Option<String> {
    let set = tuned(overrides).model("suggestion_model");
    set.filter(|_| overrides.model.is_none())
}

/// The model that ranks the tables that were found, if one is set.
pub(crate) fn rerank_model(overrides: &Overrides) -> Option<String> {
    tuned(overrides).model("rerank_model")
}
