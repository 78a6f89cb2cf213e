//! `/boards`: answers that the role pinned, and those that others share with it. No row is stored: each is read anew.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::routes::Routes;

const LIST: &str = include_str!("../../sql/boards.sql");
const READERS: &str = include_str!("../../sql/board_readers.sql");
const PIN: &str = "SELECT '{}' FROM text2sql._keep(pg_catalog.json_build_object('answer', \
    pg_catalog.json_build_object('board', $1::text, 'question', $2::text, 'queries', $3::text::json, \
        'is_asked', $4::text::boolean))::text)";
const SHARE: &str = "SELECT '{}' FROM text2sql._keep(pg_catalog.json_build_object('board', \
    pg_catalog.json_build_object('name', $1::text, 'shared_with', $2::text::json))::text) AS kept(rows) \
    WHERE kept.rows > 0";
const DROP: &str = "SELECT '{}' FROM text2sql._pinned_answers p, text2sql.forget('pin', p.pin_id) AS f \
    WHERE p.pinned_by = current_user AND p.board = $1::text HAVING pg_catalog.count(*) > 0";
const UNPIN: &str = "SELECT '{}' FROM text2sql.forget('pin', $1::text)";

/// Routes of this family.
pub fn routes(routes: Routes) -> Routes {
    const NAMED: &str = "/boards/{name}";
    routes
        .family("Boards")
        .reads("/boards", "Own boards, and those that others share", LIST)
        .does_with::<Pin>(NAMED, "Pin an answer to an own board", PIN)
        .removes(NAMED, "Delete an own board", DROP)
        .reads(
            "/boards/{name}/readers",
            "Roles that may read an own board",
            READERS,
        )
        .does_with::<Sharing>(
            "/boards/{name}/share",
            "Share an own board with roles",
            SHARE,
        )
        .removes(
            "/pins/{id}",
            "Take an answer off its board, or dismiss a board of another role with it",
            UNPIN,
        )
}

/// An answer, as its question and its queries.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Pin {
    #[schema(min_length = 1)]
    question: String,
    /// The queries that answered.
    queries: Vec<String>,
    /// Whether the question stands alone and is asked anew; else the queries are run.
    is_asked: bool,
}

/// With whom a board is shared.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Sharing {
    /// Names of roles; none ends it.
    shared_with: Vec<String>,
}
