//! What is said of a statement whose dialect the caller named: what PostgreSQL writes instead, and its whole form.

use text2sql_domain::dialect::Dialect;
use text2sql_phrases::say;
use text2sql_sql::postgresql_form::PostgreSqlForm;
use text2sql_sql::reader::SyntaxError;

use super::Step;

/// A step for each difference, then one with the whole PostgreSQL form where it is known.
pub fn form_steps(form: &PostgreSqlForm) -> Vec<Step> {
    let remark = |explanation: &String| Step {
        clause: "DIALECT".to_owned(),
        explanation: explanation.clone(),
    };
    let mut steps: Vec<Step> = form
        .changes
        .iter()
        .chain(&form.unknown)
        .map(remark)
        .collect();
    if form.unknown.is_empty() {
        steps.push(Step {
            clause: "POSTGRESQL".to_owned(),
            explanation: form.sql.clone(),
        });
    }
    steps
}

/// The step about a text that is not a query of the dialect.
pub fn not_of_dialect(dialect: Dialect, error: &SyntaxError) -> Step {
    let at = match (error.line, error.column) {
        (Some(line), Some(column)) => say!("Line {line}, column {column}: "),
        _ => String::new(),
    };
    Step {
        clause: "ERROR".to_owned(),
        explanation: say!(
            "{at}{message} (read as {dialect}).",
            message = error.message
        ),
    }
}

#[cfg(test)]
mod tests {
    use text2sql_sql::postgresql_form::postgresql_form;

    use super::*;

    #[test]
    fn an_incomplete_form_is_not_shown() {
        let steps = |sql: &str| {
            let form = postgresql_form(Dialect::TSql, sql).unwrap().unwrap();
            let steps = form_steps(&form).into_iter();
            steps.map(|step| step.clause).collect::<Vec<_>>()
        };
        assert_eq!(steps("SELECT TOP 5 a FROM t"), ["DIALECT", "POSTGRESQL"]);
        assert_eq!(steps("SELECT a FROM t"), ["POSTGRESQL"]);
        assert_eq!(steps("SELECT TRY_CAST(a AS INT) FROM t"), ["DIALECT"]);
    }

    #[test]
    fn an_error_says_where_it_is() {
        let error = postgresql_form(Dialect::MySql, "SELECT a FROM")
            .unwrap()
            .unwrap_err();
        assert!(
            not_of_dialect(Dialect::MySql, &error)
                .explanation
                .ends_with("(read as MySQL).")
        );
    }
}
