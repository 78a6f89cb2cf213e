//! The comment that identifies a view of an answer.

/// A line of the comment of a view created by ask_view begins with this.
///
/// A comment is sufficient here: the owner of a view may remove or forge it, and then ask_view does not replace
/// that view, or questions describe it as one that holds an answer. It has no effect on how words are linked to
/// the tables that a view reads: that follows PostgreSQL's own dependencies of the view
/// ([`Table::made_of`](text2sql_domain::schema::Table::made_of)). A security label would be lost in every
/// restore by a session that has not loaded the library, where PostgreSQL refuses it.
pub(crate) const MADE_BY: &str = "made by text2sql.ask_view with ";

/// Whether the comment is that of a view that ask_view made.
pub(crate) fn is_answer_comment(comment: &str) -> bool {
    comment.lines().any(|line| line.starts_with(MADE_BY))
}
