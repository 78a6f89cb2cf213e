//! The relations that a statement names, to look up their comments.

use sqlparser::ast::{ObjectName, ObjectNamePart};

use crate::reader as sql_reader;
use crate::visit;

/// Names of the relations in `sql`, without schema, folded as in PostgreSQL; empty
/// if the statement cannot be parsed. Names of CTEs are included; they match no table.
pub fn table_names(sql: &str) -> Vec<String> {
    let Ok(Some(statements)) = sql_reader::statements(sql) else {
        return Vec::new();
    };
    let mut names = Vec::new();
    visit::each_relation(&statements, &mut |relation: &ObjectName| {
        if let Some(ObjectNamePart::Identifier(name)) = relation.0.last() {
            let is_quoted = name.quote_style.is_some();
            let name = if is_quoted {
                name.value.clone()
            } else {
                name.value.to_lowercase()
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
    });
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_relations_wherever_they_stand() {
        let sql = "WITH c AS (SELECT * FROM Shop.Orders) SELECT (SELECT max(x) FROM \"Odd Name\")
                   FROM c JOIN orders o ON EXISTS (SELECT 1 FROM items)";
        assert_eq!(table_names(sql), ["orders", "Odd Name", "c", "items"]);
        assert!(table_names("SELEC 1").is_empty());
    }
}
