//! Lists that are read page by page.

use axum::http::StatusCode;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use utoipa::IntoParams;

use crate::problem::Problem;

/// Which page of a list: the query of its address.
#[derive(Debug, Deserialize, Serialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct PageOf {
    /// What the page before ended with.
    before: Option<String>,
    #[serde(default)]
    #[param(value_type = Option<u32>)]
    limit: AtMost<50, 500>,
}

/// How many are wanted: `USUAL` where nothing is said, and never more than `MOST`.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct AtMost<const USUAL: u32, const MOST: u32>(u32);

impl<const USUAL: u32, const MOST: u32> Default for AtMost<USUAL, MOST> {
    fn default() -> Self {
        Self(USUAL)
    }
}

impl<'de, const USUAL: u32, const MOST: u32> Deserialize<'de> for AtMost<USUAL, MOST> {
    fn deserialize<D: Deserializer<'de>>(wanted: D) -> Result<Self, D::Error> {
        u32::deserialize(wanted).map(|wanted| Self(wanted.clamp(1, MOST)))
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
