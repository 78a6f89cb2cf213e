//! **Validity** of a statement in three steps, each of which needs the one before it: it is one of PostgreSQL's
//! grammar (`syntax`), all names in it are found (`names`), and it passed the guard and ran (`execution`, VA). The
//! first two are read from the SQLSTATE with which PostgreSQL refused the statement.

/// SQLSTATE of a statement that PostgreSQL's grammar does not accept.
const SYNTAX_ERROR: &str = "42601";

/// A name that is not found, or that could mean several things: a relation, column, function, operator, type, schema,
/// parameter.
const NAME_ERRORS: [&str; 8] = [
    "42P01", "42703", "42883", "42704", "3F000", "42P02", "42702", "42725",
];

/// How far a statement came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Validity {
    /// Whether it is one of PostgreSQL's grammar.
    pub syntax: bool,
    /// Whether all names in it are found as well.
    pub names: bool,
    /// Whether it ran as well.
    pub execution: bool,
}

impl Validity {
    /// Derives it from the SQLSTATE with which the statement failed, if it did, and whether it gave rows.
    pub fn of(sqlstate: Option<&str>, has_rows: bool) -> Self {
        let syntax = has_rows || sqlstate != Some(SYNTAX_ERROR);
        let is_found = !sqlstate.is_some_and(|state| NAME_ERRORS.contains(&state));
        Self {
            syntax,
            names: syntax && (has_rows || is_found),
            execution: has_rows,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_needs_the_one_before() {
        let of = |sqlstate, has_rows| {
            let found = Validity::of(sqlstate, has_rows);
            [found.syntax, found.names, found.execution]
        };
        assert_eq!(of(Some("42601"), false), [false, false, false]);
        assert_eq!(of(Some("42703"), false), [true, false, false]);
        assert_eq!(of(Some("22012"), false), [true, true, false]);
        // Refused by the guard, which judges the analysed statement.
        assert_eq!(of(None, false), [true, true, false]);
        assert_eq!(of(None, true), [true, true, true]);
    }
}
