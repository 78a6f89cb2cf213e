//! A question about a schema that is not in the database: as DDL, or as tables in JSON, as agents send them.

use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

/// The longest question, in characters.
pub const LONGEST_QUESTION: usize = 4_000;

/// A question, a schema and the dialect that the SQL is to have.
#[derive(Debug, Clone, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GivenSchema {
    /// The question in plain language.
    #[serde(default)]
    pub question: Option<String>,
    /// `CREATE TABLE` statements.
    #[serde(default)]
    pub schema_ddl: Option<String>,
    /// In place of them tables: `{"tables": {"orders": {"id": "integer", "total": "numeric"}}}`, or a list of
    /// `{"name": …, "columns": [{"name": …, "type": …, "primary_key": true, "references": "customers.id"}]}`.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub schema: Option<Value>,
    /// `postgresql`, `sqlite`, `duckdb`, `mysql` or `tsql`.
    #[serde(default)]
    pub dialect: Option<String>,
    /// Comes back with the SQL.
    #[serde(default)]
    pub task_id: Option<String>,
}

impl GivenSchema {
    /// The schema as DDL; the error is a sentence.
    pub fn ddl(&self) -> Result<String, String> {
        match (&self.schema_ddl, &self.schema) {
            (Some(_), Some(_)) => Err("there are both schema_ddl and schema".to_owned()),
            (Some(ddl), None) => Ok(ddl.clone()),
            (None, Some(schema)) => ddl_of(schema, self.dialect.as_deref()),
            (None, None) => Err("there is no schema_ddl, and no schema".to_owned()),
        }
    }

    /// Why it cannot be asked, if so.
    pub fn check(question: &str) -> Result<(), String> {
        if question.trim().is_empty() {
            return Err("the question is empty".to_owned());
        }
        match question.chars().count() > LONGEST_QUESTION {
            true => Err(format!(
                "the question is longer than {LONGEST_QUESTION} characters"
            )),
            false => Ok(()),
        }
    }
}

/// A column as it was given.
struct Column {
    name: String,
    type_name: String,
    is_key: bool,
    references: Option<(String, String)>,
}

fn ddl_of(schema: &Value, dialect: Option<&str>) -> Result<String, String> {
    let tables = schema.get("tables").unwrap_or(schema);
    let tables: Vec<(String, &Value)> = match tables {
        Value::Array(all) => {
            let named = all.iter().map(|table| Some((name_of(table)?, table)));
            let named: Option<Vec<_>> = named.collect();
            named.ok_or("a table of schema has no name")?
        }
        Value::Object(all) => all
            .iter()
            .map(|(name, table)| (name.clone(), table))
            .collect(),
        _ => return Err("schema must be an object of tables, or a list of them".to_owned()),
    };
    if tables.is_empty() {
        return Err("schema has no table".to_owned());
    }
    let quoted = |name: &str| match dialect.is_some_and(|one| one.eq_ignore_ascii_case("mysql")) {
        true => format!("`{}`", name.replace('`', "``")),
        false => format!("\"{}\"", name.replace('"', "\"\"")),
    };
    let mut statements = Vec::new();
    for (name, table) in tables {
        let columns = columns_of(table).map_err(|problem| format!("table {name}: {problem}"))?;
        let mut lines: Vec<String> = columns
            .iter()
            .map(|column| format!("{} {}", quoted(&column.name), column.type_name))
            .collect();
        let mut keys: Vec<&str> = columns
            .iter()
            .filter(|column| column.is_key)
            .map(|column| column.name.as_str())
            .collect();
        if let Some(listed) = table
            .get("primary_key")
            .or_else(|| table.get("primary_keys"))
        {
            keys = match listed {
                Value::String(key) => vec![key],
                Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
                _ => return Err(format!("table {name}: primary_key must name columns")),
            };
        }
        if !keys.is_empty() {
            let keys: Vec<String> = keys.into_iter().map(&quoted).collect();
            lines.push(format!("PRIMARY KEY ({})", keys.join(", ")));
        }
        let own = columns.iter().filter_map(|column| {
            let (table, key) = column.references.clone()?;
            Some((column.name.clone(), table, key))
        });
        for (column, table, key) in own.chain(foreign_keys(table)?) {
            lines.push(format!(
                "FOREIGN KEY ({}) REFERENCES {} ({})",
                quoted(&column),
                quoted(&table),
                quoted(&key)
            ));
        }
        statements.push(format!(
            "CREATE TABLE {} (\n  {}\n);",
            quoted(&name),
            lines.join(",\n  ")
        ));
    }
    Ok(statements.join("\n"))
}

fn name_of(value: &Value) -> Option<String> {
    let name = ["name", "table", "table_name", "column", "column_name"]
        .iter()
        .find_map(|member| value.get(member)?.as_str())?;
    Some(name.to_owned())
}

fn columns_of(table: &Value) -> Result<Vec<Column>, String> {
    let columns = table.get("columns").unwrap_or(table);
    let read: Option<Vec<Column>> = match columns {
        Value::Array(all) => all.iter().map(|column| column_of(None, column)).collect(),
        Value::Object(all) => {
            let all = all.iter();
            all.map(|(name, column)| column_of(Some(name), column))
                .collect()
        }
        _ => None,
    };
    match read {
        Some(columns) if !columns.is_empty() => Ok(columns),
        _ => Err(
            "columns must be names with types, or a list of objects with name and type".to_owned(),
        ),
    }
}

/// `"integer"`, `{"type": "integer"}`, and in a list `"id integer"` or `{"name": "id", "type": "integer"}`.
fn column_of(name: Option<&str>, column: &Value) -> Option<Column> {
    let of = |name: &str, type_name: &str| Column {
        name: name.to_owned(),
        type_name: type_of(type_name),
        is_key: type_name.to_lowercase().contains("primary key"),
        references: None,
    };
    match (name, column) {
        (Some(name), Value::String(type_name)) => Some(of(name, type_name)),
        (None, Value::String(text)) => {
            let (name, type_name) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
            (!name.is_empty()).then(|| of(name, type_name))
        }
        (name, Value::Object(members)) => {
            let name = name.map(str::to_owned).or_else(|| name_of(column))?;
            let says = |member: &str| members.get(member).is_some_and(|value| value == true);
            let type_name = members.get("type").or_else(|| members.get("data_type"));
            let type_name = type_name.and_then(Value::as_str).unwrap_or_default();
            let references = members
                .get("references")
                .or_else(|| members.get("foreign_key"));
            Some(Column {
                is_key: says("primary_key") || says("pk") || says("is_primary_key"),
                references: references.and_then(Value::as_str).and_then(target),
                ..of(&name, type_name)
            })
        }
        _ => None,
    }
}

/// The type as DDL writes it. JSON's words are other databases' types; what is no type's name is text.
fn type_of(said: &str) -> String {
    let said = said
        .to_lowercase()
        .replace("primary key", "")
        .replace("not null", "");
    let said = said.trim();
    let is_type = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ' ' | '(' | ')' | ',');
    match said {
        "" | "string" | "str" => "text".to_owned(),
        "number" | "decimal" => "numeric".to_owned(),
        "int" | "long" => "integer".to_owned(),
        "bool" => "boolean".to_owned(),
        "datetime" => "timestamp".to_owned(),
        said if said.chars().all(is_type) => said.to_owned(),
        _ => "text".to_owned(),
    }
}

/// `customers.id` or `customers(id)`.
fn target(text: &str) -> Option<(String, String)> {
    let (table, key) = match text.split_once('(') {
        Some((table, key)) => (table, key.trim_end().strip_suffix(')')?),
        None => text.rsplit_once('.')?,
    };
    Some((table.trim().to_owned(), key.trim().to_owned()))
}

/// `{"column": "customer_id", "references": "customers.id"}`, and `"references_table"` with `"references_column"`.
fn foreign_keys(table: &Value) -> Result<Vec<(String, String, String)>, String> {
    let Some(Value::Array(keys)) = table.get("foreign_keys") else {
        return Ok(Vec::new());
    };
    let read = keys.iter().map(|key| {
        let text = |member: &str| key.get(member).and_then(Value::as_str);
        let column = text("column")?;
        let (table, other) = match text("references").and_then(target) {
            Some(target) => target,
            None => {
                let table = text("references_table").or_else(|| text("table"))?;
                let other = text("references_column").or_else(|| text("to"))?;
                (table.to_owned(), other.to_owned())
            }
        };
        Some((column.to_owned(), table, other))
    });
    let read: Option<Vec<_>> = read.collect();
    read.ok_or_else(|| {
        "foreign_keys must be like {\"column\": \"customer_id\", \"references\": \"customers.id\"}"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ddl(schema: Value, dialect: &str) -> Result<String, String> {
        let given = json!({"schema": schema, "dialect": dialect});
        serde_json::from_value::<GivenSchema>(given).unwrap().ddl()
    }

    #[test]
    fn tables_of_agents_are_ddl() {
        let names = "CREATE TABLE \"orders\" (\n  \"id\" integer,\n  \"note\" text\n);";
        for schema in [
            json!({"tables": {"orders": {"id": "int", "note": "string"}}}),
            json!({"orders": {"columns": {"id": {"type": "integer"}, "note": {}}}}),
            json!({"tables": [{"name": "orders", "columns": ["id INTEGER", "note"]}]}),
            json!([{"table": "orders", "columns": [{"name": "id", "type": "int"}, {"name": "note", "data_type": "text"}]}]),
        ] {
            assert_eq!(ddl(schema.clone(), "sqlite").unwrap(), names, "{schema}");
        }
        let keys = json!({"tables": [
            {"name": "orders", "columns": [
                {"name": "id", "type": "bigint", "primary_key": true},
                {"name": "customer_id", "type": "varchar(20)", "references": "customers(id)"},
            ], "foreign_keys": [{"column": "id", "references_table": "old", "references_column": "key"}]},
        ]});
        assert_eq!(
            ddl(keys, "mysql").unwrap(),
            "CREATE TABLE `orders` (\n  `id` bigint,\n  `customer_id` varchar(20),\n  PRIMARY KEY (`id`),\n  \
             FOREIGN KEY (`customer_id`) REFERENCES `customers` (`id`),\n  FOREIGN KEY (`id`) REFERENCES `old` (`key`)\n);"
        );
    }

    #[test]
    fn a_name_ends_no_statement() {
        let schema = json!({"a\"); DROP TABLE b; --": {"x": "int); --"}});
        let written = ddl(schema, "postgresql").unwrap();
        assert_eq!(
            written,
            "CREATE TABLE \"a\"\"); DROP TABLE b; --\" (\n  \"x\" text\n);"
        );
    }

    #[test]
    fn what_is_no_schema_is_said() {
        for schema in [
            json!("x"),
            json!({}),
            json!({"a": 1}),
            json!({"a": {}}),
            json!([{"columns": ["x"]}]),
        ] {
            assert!(ddl(schema.clone(), "sqlite").is_err(), "{schema}");
        }
    }
}
