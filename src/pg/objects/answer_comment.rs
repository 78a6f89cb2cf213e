//! The comment by which a view of an answer is recognised.

/// By a line of its comment that begins so, a view of ask_view is known.
///
/// A comment is enough for what hangs on it: the owner of a view may take the mark away or forge it, and then
/// ask_view does not replace that view, or questions say of it that it holds an answer. That a view never
/// takes words away from the tables that it reads does not hang on it: PostgreSQL's own record of what a view
/// reads says so ([`Table::made_of`](text2sql_domain::schema::Table::made_of)). A security label would be lost
/// in every restore into a session that has not loaded the library: PostgreSQL refuses it there.
pub(crate) const MADE_BY: &str = "made by text2sql.ask_view with ";

/// Whether the comment is that of a view that ask_view made.
pub(crate) fn is_answer_comment(comment: &str) -> bool {
    comment.lines().any(|line| line.starts_with(MADE_BY))
}
