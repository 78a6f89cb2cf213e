//! The SQL text of a statement.

use crate::binding::select::Select;
use text2sql_domain::schema::quote_identifier;

/// Writes the statement.
pub(crate) fn render_sql(select: &Select) -> String {
    let columns: Vec<String> = select
        .columns
        .iter()
        .map(|(expression, name)| {
            let name = quote_identifier(name);
            let same = expression
                .split_once('.')
                .is_some_and(|(_, column)| column == name);
            if same {
                expression.clone()
            } else {
                format!("{expression} AS {name}")
            }
        })
        .collect();
    let mut sql = format!(
        "SELECT {}{}",
        if select.is_distinct { "DISTINCT " } else { "" },
        columns.join(", ")
    );
    for (i, line) in select.scope.from.iter().enumerate() {
        sql.push_str(if i == 0 { "\nFROM " } else { "\n" });
        sql.push_str(line);
    }
    if !select.scope.wheres.is_empty() {
        sql.push_str(&format!("\nWHERE {}", select.scope.wheres.join(" AND ")));
    }
    if !select.group_by.is_empty() {
        sql.push_str(&format!("\nGROUP BY {}", select.group_by.join(", ")));
    }
    if !select.order_by.is_empty() {
        sql.push_str(&format!("\nORDER BY {}", select.order_by.join(", ")));
    }
    if let Some(limit) = select.limit {
        sql.push_str(&format!("\nLIMIT {limit}"));
    }
    sql
}
