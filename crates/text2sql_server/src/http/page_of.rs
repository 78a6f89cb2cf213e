//! Lists that are read page by page.

use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::value::RawValue;
use utoipa::IntoParams;

use crate::problem::Problem;

/// Which page of a list: the query of its address.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct PageOf {
    /// What the page before ended with.
    pub before: Option<String>,
    limit: Option<u32>,
}

impl PageOf {
    /// How many entries, as a parameter of a statement.
    pub fn limit_or(&self, usual: u32) -> String {
        self.limit.unwrap_or(usual).clamp(1, 500).to_string()
    }
}

/// A statement without a row found nothing that the caller may see.
pub fn none_is_not_found(value: Box<RawValue>) -> Result<Box<RawValue>, Problem> {
    if value.get() == "null" {
        return Err(Problem::new(
            StatusCode::NOT_FOUND,
            "there is no such thing that this role may see",
        ));
    }
    Ok(value)
}
