//! What owners define by an SQL expression, as part of a statement.

use text2sql_domain::schema::{Table, quote_identifier};

/// The expression split into words, quoted names, literals and other characters.
pub fn parts_of(expression: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut rest = expression;
    while let Some(first) = rest.chars().next() {
        let length = if first == '\'' || first == '"' {
            rest.char_indices()
                .skip(1)
                .find(|(_, c)| *c == first)
                .map_or(rest.len(), |(at, c)| at + c.len_utf8())
        } else if first.is_alphanumeric() || first == '_' {
            rest.find(|c: char| !c.is_alphanumeric() && c != '_')
                .unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (part, behind) = rest.split_at(length);
        parts.push(part.to_owned());
        rest = behind;
    }
    parts
}

/// The expression with the columns of the tables qualified by their aliases.
pub(crate) fn qualified(expression: &str, tables: &[(&Table, String)]) -> String {
    let parts = without_schemas(parts_of(expression), tables);
    let mut text = String::new();
    for (i, part) in parts.iter().enumerate() {
        let name = part.trim_matches('"');
        let is_quoted = part.starts_with('"');
        let is_same = |known: &str| known == name || (!is_quoted && known == name.to_lowercase());
        let after_dot = i > 0 && parts.get(i - 1).is_some_and(|before| before == ".");
        let next = parts.get(i + 1).map(String::as_str);
        let of_table = tables.iter().find(|(table, _)| is_same(&table.name));
        let column = tables.iter().find_map(|(table, alias)| {
            let column = table.columns.iter().find(|column| is_same(&column.name))?;
            Some((alias, column))
        });
        if next == Some(".")
            && let Some((_, alias)) = of_table
        {
            text.push_str(alias);
        } else if let Some((alias, column)) =
            column.filter(|_| !after_dot && next != Some("(") && !part.starts_with('\''))
        {
            text.push_str(&format!("{alias}.{}", quote_identifier(&column.name)));
        } else {
            text.push_str(part);
        }
    }
    text
}

/// The parts without the schema of `schema.table.column`.
fn without_schemas(parts: Vec<String>, tables: &[(&Table, String)]) -> Vec<String> {
    let is_dot = |place: usize| parts.get(place).is_some_and(|part| part == ".");
    let names_schema = |place: usize| {
        let name = parts.get(place).map(|part| part.trim_matches('"'));
        is_dot(place + 1)
            && is_dot(place + 3)
            && tables.iter().any(|(table, _)| name == Some(&table.schema))
    };
    let is_dropped = |place: usize| names_schema(place) || (place > 0 && names_schema(place - 1));
    let kept = parts.iter().enumerate();
    kept.filter(|(place, _)| !is_dropped(*place))
        .map(|(_, part)| part.clone())
        .collect()
}
