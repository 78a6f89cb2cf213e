//! What questions can be about, and what people call it: `/schema`, `/glossary`, `/examples`.

use serde::{Deserialize, Serialize};

use utoipa::IntoParams;

use super::page_of::AtMost;
use super::routes::Routes;

const SCHEMA: &str = include_str!("../../sql/schema.sql");
const GLOSSARY: &str = include_str!("../../sql/glossary.sql");
const EXAMPLES: &str = include_str!("../../sql/examples.sql");

/// Routes of this family.
pub fn routes(routes: Routes) -> Routes {
    routes
        .family("Knowledge")
        .reads_with::<Tables>(
            "/schema",
            "Tables and columns that the role may read",
            SCHEMA,
        )
        .reads(
            "/glossary",
            "Definitions, synonyms and instructions",
            GLOSSARY,
        )
        .reads_with::<Beginnings>("/examples", "Questions to begin with", EXAMPLES)
}

#[derive(Deserialize, Serialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct Tables {
    /// A word in names, comments, descriptions or synonyms.
    search: Option<String>,
    /// How many tables were listed before.
    #[serde(default)]
    after: u32,
    #[serde(default)]
    #[param(value_type = Option<u32>)]
    limit: AtMost<100, 1000>,
}

#[derive(Deserialize, Serialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct Beginnings {
    #[serde(default)]
    #[param(value_type = Option<u32>)]
    limit: AtMost<50, 500>,
}
