//! The settings that name models for questions: those that write the SQL, in order, and those of other calls.

use std::ffi::CString;

use pgrx::guc::GucSetting;
use text2sql_domain::engines;
use text2sql_domain::error::{Error, failure};

use super::checked_text::CheckedText;
use super::setting_values::{Overrides, text};

/// The models that write the SQL, in the order in which they are asked. `builtin` needs no network and no key, so
/// that a first try works.
pub(super) static MODEL: GucSetting<Option<CString>> =
    GucSetting::<Option<CString>>::new(Some(c"builtin"));

/// The models of calls on which the answer does not depend, and of suggestions. Empty: the one that writes the SQL.
pub(super) static JUDGE_MODEL: GucSetting<Option<CString>> =
    GucSetting::<Option<CString>>::new(Some(c""));
pub(super) static NARRATION_MODEL: GucSetting<Option<CString>> =
    GucSetting::<Option<CString>>::new(Some(c""));
pub(super) static TABLE_CHOICE_MODEL: GucSetting<Option<CString>> =
    GucSetting::<Option<CString>>::new(Some(c""));
pub(super) static SUGGESTION_MODEL: GucSetting<Option<CString>> =
    GucSetting::<Option<CString>>::new(Some(c""));

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
    other_model(&overrides.judge_model, &JUDGE_MODEL)
}

/// The model that writes sentences about rows, likewise.
pub(crate) fn narration_model(overrides: &Overrides) -> Option<String> {
    other_model(&overrides.narration_model, &NARRATION_MODEL)
}

/// The model that chooses tables, likewise.
pub(crate) fn table_choice_model(overrides: &Overrides) -> Option<String> {
    other_model(&overrides.table_choice_model, &TABLE_CHOICE_MODEL)
}

/// The model that assists curators, likewise. A model that a call names comes before the setting.
pub(crate) fn suggestion_model(overrides: &Overrides) -> Option<String> {
    match overrides.model {
        Some(_) => None,
        None => other_model(&None, &SUGGESTION_MODEL),
    }
}

fn other_model(given: &Option<String>, setting: &GucSetting<Option<CString>>) -> Option<String> {
    let name = given.clone().unwrap_or_else(|| text(setting));
    Some(name).filter(|name| !name.is_empty())
}
