//! The wording for missing privileges, shared by all messages, hints and warnings.

/// The message of a question that seems to need tables or columns on which the caller lacks SELECT.
pub fn required_message(names: &[String]) -> String {
    format!("answering seems to require SELECT on {}", names.join(", "))
}

/// The hint with the missing GRANT; `privilege` is the text between GRANT and TO, such as
/// `SELECT ON hr.salaries`.
pub fn grant_hint(privilege: &str, role: &str) -> String {
    format!("Ask the owner to run: GRANT {privilege} TO {role};")
}
