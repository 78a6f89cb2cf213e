//! What counts as a script, and how its statements are shown to a model.

use text2sql_domain::error::Error;
use text2sql_domain::words;
use text2sql_sql::reader as sql_reader;
use text2sql_sql::script::{self, Kind};
use text2sql_sql::tree as sql_tree;

/// Whether the text is more than one query: several statements, or one that writes or creates something.
///
/// # Errors
/// As for reading a statement, except that a text which cannot be parsed is judged by its first word.
pub fn is_script(sql: &str) -> Result<bool, Error> {
    let statements = script::statements(sql);
    let [one] = statements.as_slice() else {
        return Ok(statements.len() > 1);
    };
    let lexemes = script::lexemes(one);
    let first = lexemes
        .iter()
        .find(|one| one.kind != Kind::Sign)
        .and_then(|lexeme| one.get(lexeme.place.clone()))
        .unwrap_or_default()
        .to_ascii_uppercase();
    Ok(match first.as_str() {
        "WITH" => {
            sql_reader::statements(one)?.is_some()
                && sql_tree::read_query(one).is_none_or(|query| writes(&query))
        }
        first => COMMANDS.contains(&first),
    })
}

/// Whether a query with WITH ends in, or contains, a statement that writes.
fn writes(query: &sqlparser::ast::Query) -> bool {
    use sqlparser::ast::SetExpr;
    let is_writing = |body: &SetExpr| {
        matches!(
            body,
            SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_)
        )
    };
    let helpers = query.with.iter().flat_map(|with| &with.cte_tables);
    is_writing(&query.body)
        || helpers
            .into_iter()
            .any(|helper| is_writing(&helper.query.body))
}

/// First words of statements that are no queries. Any other text goes the way of a query, whose errors the server
/// reports.
const COMMANDS: [&str; 25] = *words!(
    "ALTER, ANALYZE, BEGIN, CALL, COMMENT, COMMIT, COPY, CREATE, DELETE, DO, DROP, END, GRANT, \
     INSERT, LOCK, MERGE, REFRESH, REINDEX, REVOKE, ROLLBACK, SET, START, TRUNCATE, UPDATE, VACUUM"
);

/// The script with a line before each statement that has its number, everything else as it is.
pub fn numbered(sql: &str) -> String {
    let mut text = String::with_capacity(sql.len() + 64);
    let mut end = 0;
    for (place, range) in script::ranges(sql).into_iter().enumerate() {
        text.push_str(sql.get(end..range.start).unwrap_or_default());
        let is_line_start = text.is_empty() || text.ends_with('\n');
        text.push_str(if is_line_start { "" } else { "\n" });
        text.push_str(&format!("[{}]\n", place + 1));
        text.push_str(sql.get(range.clone()).unwrap_or_default());
        end = range.end;
    }
    text.push_str(sql.get(end..).unwrap_or_default());
    text
}
