//! What was asked and what left the server: `/history`, `/egress`.

use serde::{Deserialize, Serialize};

use utoipa::IntoParams;

use super::page_of::{AtMost, PageOf};
use super::routes::Routes;

const HISTORY: &str = include_str!("../../sql/history.sql");
const EGRESS: &str = include_str!("../../sql/egress.sql");
/// Routes of this family.
pub fn routes(routes: Routes) -> Routes {
    routes
        .family("Records")
        .reads_with::<Asked>("/history", "Own questions, newest first", HISTORY)
        .reads_with::<PageOf>(
            "/egress",
            "What was sent to models for own questions",
            EGRESS,
        )
}

#[derive(Deserialize, Serialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct Asked {
    /// Whether the questions of others are listed, too, as far as row-level security shows them.
    #[serde(default)]
    everybody: bool,
    /// `asked_at` of the last question of the page before.
    before: Option<String>,
    #[serde(default)]
    #[param(value_type = Option<u32>)]
    limit: AtMost<50, 500>,
}
