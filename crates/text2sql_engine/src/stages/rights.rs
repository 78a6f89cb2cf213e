//! Answers questions about the rights of this extension from the view of them, without a model.

use serde_json::json;

use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::ports::Outcome;
use text2sql_domain::proposal::SqlProposal;
use text2sql_domain::schema::quote_literal;
use text2sql_language::access_question::{AccessQuestion, access_question};

/// What an answer says of where it is from.
const NOTE: &str = "the rights are those of text2sql.access, in which a row also says through what a role has a right";

/// The query for a question about rights; `None` for any other question, and for one that names what is neither a
/// model nor a role.
pub(crate) fn query_of_rights(cx: &Run<'_>, question: &str) -> Result<Option<SqlProposal>, Error> {
    if !cx.config.stages.replay || cx.config.given_schema.is_some() {
        return Ok(None);
    }
    let Some(asked) = access_question(question) else {
        return Ok(None);
    };
    let of = |column: &str, name: &str| format!("lower({column}) = {}", quote_literal(name));
    let (columns, condition, named) = match &asked {
        AccessQuestion::Holders("spend") => (
            "role_name, object_name AS a_day",
            "may = 'spend'".to_owned(),
            None,
        ),
        AccessQuestion::Holders(right) => {
            ("role_name", format!("may = {}", quote_literal(right)), None)
        }
        AccessQuestion::UsersOf(model) => {
            let condition = format!("may = 'use' AND {}", of("object_name", model));
            ("role_name", condition.clone(), Some(condition))
        }
        AccessQuestion::ModelsOf(role) => (
            "role_name, object_name AS model",
            format!("may = 'use' AND {}", of("role_name", role)),
            Some(of("role_name", role)),
        ),
        AccessQuestion::RightsOf(role) => (
            "concat_ws(' ', may, object_name) AS may",
            of("role_name", role),
            Some(of("role_name", role)),
        ),
    };
    if let Some(named) = named {
        let stage = cx.stage("rights");
        let sql = format!("SELECT true AS is_known FROM text2sql.access WHERE {named} LIMIT 1");
        let outcome = cx.database.run(&sql, &cx.config.limits)?;
        let is_known = matches!(&outcome, Outcome::Passed(execution) if !execution.rows.is_empty());
        stage.end(json!({}), json!({"is_known": is_known}));
        if !is_known {
            return Ok(None);
        }
    }
    let order = match asked {
        AccessQuestion::Holders("spend") | AccessQuestion::ModelsOf(_) => "1, 2",
        _ => "1",
    };
    Ok(Some(SqlProposal {
        sql: format!(
            "SELECT DISTINCT {columns} FROM text2sql.access WHERE {condition} ORDER BY {order}"
        ),
        notes: vec![NOTE.to_owned()],
        ..SqlProposal::default()
    }))
}
