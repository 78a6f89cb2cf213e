//! CALL: the procedure that it names, and the steps of that procedure's body.

use sqlparser::ast::{FunctionArguments, Statement};
use text2sql_phrases::say;
use text2sql_sql::reader;
use text2sql_sql::tree::syntax::fold_parts;

use super::Step;

/// A procedure as CALL names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Called {
    /// Its schema, if written.
    pub schema: Option<String>,
    /// Its name.
    pub name: String,
    /// Number of arguments.
    pub arguments: usize,
}

/// The procedure of a CALL; `None` for any other statement.
pub fn called(sql: &str) -> Option<Called> {
    let statements = reader::statements(sql).ok().flatten()?;
    let [Statement::Call(call)] = statements.as_slice() else {
        return None;
    };
    let arguments = match &call.args {
        FunctionArguments::List(list) => list.args.len(),
        FunctionArguments::None | FunctionArguments::Subquery(_) => 0,
    };
    let mut parts = fold_parts(&call.name);
    let name = parts.pop()?;
    Some(Called {
        schema: parts.pop(),
        name,
        arguments,
    })
}

/// The steps of the statement that created the procedure, as those of its CALL.
pub fn opened(called: &Called, created: Vec<Step>) -> Vec<Step> {
    let name = match &called.schema {
        Some(schema) => format!("{schema}.{}", called.name),
        None => called.name.clone(),
    };
    let first = Step {
        clause: "CALL".to_owned(),
        explanation: say!("Would run the procedure {name}, which has these statements:"),
    };
    let body = created.into_iter().skip(1).map(|step| Step {
        clause: step
            .clause
            .strip_prefix("1.")
            .map_or_else(|| step.clause.clone(), str::to_owned),
        ..step
    });
    std::iter::once(first).chain(body).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn call_names_a_procedure() {
        let of = |sql: &str| called(sql).map(|one| (one.schema, one.name, one.arguments));
        assert_eq!(
            of(r#"CALL dg."Load It"(1, now())"#),
            Some((Some("dg".to_owned()), "Load It".to_owned(), 2))
        );
        assert_eq!(of("CALL LOAD()"), Some((None, "load".to_owned(), 0)));
        for other in ["SELECT 1", "CALL a(); CALL b()", "DELETE FROM t"] {
            assert_eq!(of(other), None, "{other}");
        }
    }

    #[test]
    fn the_body_is_numbered_from_one() {
        let step = |clause: &str, explanation: &str| Step {
            clause: clause.to_owned(),
            explanation: explanation.to_owned(),
        };
        let created = vec![
            step("1: CREATE PROCEDURE", "…"),
            step("1.1: INSERT", "Would add rows to t."),
        ];
        let called = called("CALL a()").unwrap();
        let steps = opened(&called, created);
        assert_eq!(
            steps,
            [
                step(
                    "CALL",
                    "Would run the procedure a, which has these statements:"
                ),
                step("1: INSERT", "Would add rows to t."),
            ]
        );
    }
}
