//! Answers questions about rights from the views of them, without a model.

use serde_json::json;

use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::ports::Outcome;
use text2sql_domain::proposal::SqlProposal;
use text2sql_domain::schema::quote_literal;
use text2sql_language::access_question::{AccessQuestion, TableRight, access_question};
use text2sql_language::names::{plural, singular};

/// What an answer says of where it is from.
const NOTE: &str = "the rights are those of text2sql.access, in which a row also says through what a role has a right";

/// The same, of tables.
const NOTE_OF_TABLES: &str = "the rights are those of text2sql.permissions, which lists superusers, owners and members of groups as well; readable_columns says of which columns";

/// The same, of roles.
const NOTE_OF_ROLES: &str = "the roles are those of text2sql.roles";

/// A query for a question about rights.
struct Asked {
    /// What is read of the view.
    columns: &'static str,
    /// The view, without its schema.
    view: &'static str,
    condition: String,
    /// What holds where the table, model or role of the question exists.
    named: Option<String>,
    /// The columns that the rows are sorted by.
    order: &'static str,
    note: &'static str,
}

impl Asked {
    fn of_access(columns: &'static str, condition: String) -> Self {
        Self {
            columns,
            view: "access",
            condition,
            named: None,
            order: "1",
            note: NOTE,
        }
    }

    fn named(mut self, condition: String) -> Self {
        self.named = Some(condition);
        self
    }

    fn by_two(mut self) -> Self {
        self.order = "1, 2";
        self
    }

    fn of(question: &AccessQuestion) -> Self {
        let of = |column: &str, name: &str| format!("lower({column}) = {}", quote_literal(name));
        match question {
            AccessQuestion::Holders("spend") => {
                let condition = "may = 'spend'".to_owned();
                Self::of_access("role_name, object_name AS a_day", condition).by_two()
            }
            AccessQuestion::Holders(right) => {
                Self::of_access("role_name", format!("may = {}", quote_literal(right)))
            }
            AccessQuestion::UsersOf(model) => {
                let condition = format!("may = 'use' AND {}", of("object_name", model));
                Self::of_access("role_name", condition.clone()).named(condition)
            }
            AccessQuestion::ModelsOf(role) => {
                let is_role = of("role_name", role);
                let condition = format!("may = 'use' AND {is_role}");
                Self::of_access("role_name, object_name AS model", condition)
                    .named(is_role)
                    .by_two()
            }
            AccessQuestion::RightsOf(role) => {
                let is_role = of("role_name", role);
                Self::of_access("concat_ws(' ', may, object_name) AS may", is_role.clone())
                    .named(is_role)
            }
            AccessQuestion::RolesOfTable(TableRight(right), table) => {
                let is_table = is_called(table);
                Self {
                    columns: "role_name, concat_ws('.', schema_name, table_name) AS table_name",
                    view: "permissions",
                    condition: format!("{right} AND {is_table}"),
                    named: Some(is_table),
                    order: "1, 2",
                    note: NOTE_OF_TABLES,
                }
            }
            AccessQuestion::TablesOf(TableRight(right), role) => {
                let is_role = of("role_name", role);
                Self {
                    columns: "concat_ws('.', schema_name, table_name) AS table_name",
                    view: "permissions",
                    condition: format!("{right} AND {is_role}"),
                    named: Some(is_role),
                    order: "1",
                    note: NOTE_OF_TABLES,
                }
            }
            AccessQuestion::RolesWith(attribute) => Self {
                columns: "role_name",
                view: "roles",
                condition: (*attribute).to_owned(),
                named: None,
                order: "1",
                note: NOTE_OF_ROLES,
            },
        }
    }
}

/// Whether the table of a row is called so, in the singular or the plural: `shop.orders`, "customers" of customer.
fn is_called(name: &str) -> String {
    let (schema, table) = match name.split_once('.') {
        Some((schema, table)) => (Some(schema), table),
        None => (None, name),
    };
    let mut names = vec![table.to_owned(), singular(table), plural(table)];
    names.dedup();
    let names: Vec<String> = names.iter().map(|name| quote_literal(name)).collect();
    let is_table = format!("lower(table_name) IN ({})", names.join(", "));
    match schema {
        None => is_table,
        Some(schema) => format!(
            "lower(schema_name) = {} AND {is_table}",
            quote_literal(schema)
        ),
    }
}

/// The query for a question about rights; `None` for any other question, and for one that names what is neither a
/// table, a model nor a role.
pub(crate) fn query_of_rights(cx: &Run<'_>, question: &str) -> Result<Option<SqlProposal>, Error> {
    if !cx.config.stages.replay || cx.config.given_schema.is_some() {
        return Ok(None);
    }
    let Some(question) = access_question(question) else {
        return Ok(None);
    };
    let asked = Asked::of(&question);
    let view = asked.view;
    if let Some(named) = asked.named {
        let stage = cx.stage("rights");
        let sql = format!("SELECT true AS is_known FROM text2sql.{view} WHERE {named} LIMIT 1");
        let outcome = cx.database.run(&sql, &cx.config.limits)?;
        let is_known = matches!(&outcome, Outcome::Passed(execution) if !execution.rows.is_empty());
        stage.end(json!({}), json!({"is_known": is_known}));
        if !is_known {
            return Ok(None);
        }
    }
    let (columns, condition, order) = (asked.columns, asked.condition, asked.order);
    Ok(Some(SqlProposal {
        sql: format!(
            "SELECT DISTINCT {columns} FROM text2sql.{view} WHERE {condition} ORDER BY {order}"
        ),
        notes: vec![asked.note.to_owned()],
        ..SqlProposal::default()
    }))
}
