//! Reads the tables of a file of `CREATE TABLE`, `ALTER TABLE … ADD FOREIGN KEY` and `COMMENT ON`
//! statements, with the server's usual way to number them.

use std::collections::HashMap;

use text2sql_domain::schema::{Column, ForeignKey, Table};

/// OID of the first table; each further one is ten apart, as on a server, where types and toast
/// tables lie between.
const FIRST_OID: u32 = 16_400;
const OID_STEP: u32 = 10;

/// The tables of the file's text.
pub(crate) fn read(text: &str) -> Vec<Table> {
    let mut tables: Vec<Table> = Vec::new();
    let mut places: HashMap<(String, String), usize> = HashMap::new();
    let mut is_inside = false;
    for line in text.lines() {
        let tokens = tokens(line);
        let words: Vec<&str> = tokens.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["CREATE", "TABLE", schema, ".", name, "("] => {
                places.insert(((*schema).into(), (*name).into()), tables.len());
                let number = u32::try_from(tables.len()).unwrap_or(0);
                tables.push(Table {
                    oid: FIRST_OID + OID_STEP * number,
                    schema: (*schema).into(),
                    name: (*name).into(),
                    ..Table::default()
                });
                is_inside = true;
            }
            [")", ";"] => is_inside = false,
            ["PRIMARY", "KEY", "(", rest @ ..] if is_inside => {
                if let Some(table) = tables.last_mut() {
                    table.primary_key = names(rest);
                }
            }
            ["UNIQUE", "(", rest @ ..] if is_inside => {
                if let Some(table) = tables.last_mut() {
                    table.unique_keys.push(names(rest));
                }
            }
            [name, type_words @ ..] if is_inside => {
                if let Some(table) = tables.last_mut() {
                    let number = i16::try_from(table.columns.len() + 1).unwrap_or(i16::MAX);
                    let type_name: Vec<&str> = type_words
                        .iter()
                        .copied()
                        .take_while(|word| *word != ",")
                        .collect();
                    table.columns.push(Column {
                        number,
                        name: (*name).into(),
                        type_name: type_name.join(" "),
                        ..Column::default()
                    });
                }
            }
            [
                "ALTER",
                "TABLE",
                schema,
                ".",
                name,
                "ADD",
                "FOREIGN",
                "KEY",
                "(",
                rest @ ..,
            ] => {
                add_key(&mut tables, &places, (schema, name), rest);
            }
            [
                "COMMENT",
                "ON",
                "TABLE",
                schema,
                ".",
                name,
                "IS",
                comment,
                ..,
            ] => {
                let place = places.get(&((*schema).into(), (*name).into()));
                if let Some(table) = place.and_then(|&place| tables.get_mut(place)) {
                    table.comment = Some((*comment).into());
                }
            }
            [
                "COMMENT",
                "ON",
                "COLUMN",
                schema,
                ".",
                name,
                ".",
                column,
                "IS",
                comment,
                ..,
            ] => {
                let place = places.get(&((*schema).into(), (*name).into()));
                let table = place.and_then(|&place| tables.get_mut(place));
                let column = table
                    .and_then(|table| table.columns.iter_mut().find(|known| known.name == *column));
                if let Some(column) = column {
                    column.comment = Some((*comment).into());
                }
            }
            _ => {}
        }
    }
    tables
}

fn add_key(
    tables: &mut [Table],
    places: &HashMap<(String, String), usize>,
    (schema, name): (&str, &str),
    rest: &[&str],
) {
    let columns = names(rest);
    let target = rest.iter().position(|word| *word == "REFERENCES");
    let Some([target_schema, ".", target_name, "(", target_columns @ ..]) =
        target.and_then(|at| rest.get(at + 1..))
    else {
        return;
    };
    let target_place = places.get(&((*target_schema).into(), (*target_name).into()));
    let target_oid = target_place
        .and_then(|&place| tables.get(place))
        .map(|t| t.oid);
    let place = places.get(&(schema.into(), name.into()));
    if let (Some(target), Some(table)) =
        (target_oid, place.and_then(|&place| tables.get_mut(place)))
    {
        table.foreign_keys.push(ForeignKey {
            is_taught: false,
            columns,
            target,
            target_schema: (*target_schema).into(),
            target_name: (*target_name).into(),
            target_columns: names(target_columns),
        });
    }
}

/// The names up to the closing bracket.
fn names(words: &[&str]) -> Vec<String> {
    words
        .iter()
        .take_while(|word| **word != ")")
        .filter(|word| **word != ",")
        .map(|word| (*word).to_owned())
        .collect()
}

/// Words, quoted names and literals without their quotes, and single marks.
fn tokens(line: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        if character.is_whitespace() {
            continue;
        }
        let mut token = String::new();
        if character == '"' || character == '\'' {
            while let Some(next) = characters.next() {
                if next != character {
                    token.push(next);
                } else if characters.peek() == Some(&character) {
                    characters.next();
                    token.push(character);
                } else {
                    break;
                }
            }
        } else {
            token.push(character);
            if character.is_alphanumeric() || character == '_' {
                while let Some(next) = characters.peek() {
                    if !next.is_alphanumeric() && *next != '_' {
                        break;
                    }
                    token.push(*next);
                    characters.next();
                }
            }
        }
        tokens.push(token);
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_tables_keys_and_comments() {
        let tables = read(
            "CREATE TABLE shop.\"Order\" (\n  id integer,\n  \"who asked\" double precision,\n  \
             PRIMARY KEY (id)\n);\nCREATE TABLE shop.item (\n  order_id integer,\n);\n\
             ALTER TABLE shop.item ADD FOREIGN KEY (order_id) REFERENCES shop.\"Order\" (id);\n\
             COMMENT ON COLUMN shop.\"Order\".id IS 'it''s a number';\n",
        );
        assert_eq!(tables[0].name, "Order");
        assert_eq!(tables[0].columns[1].type_name, "double precision");
        assert_eq!(
            tables[0].columns[0].comment.as_deref(),
            Some("it's a number")
        );
        assert_eq!(tables[0].primary_key, ["id"]);
        assert_eq!(tables[1].foreign_keys[0].target, tables[0].oid);
        assert_eq!(tables[1].foreign_keys[0].target_columns, ["id"]);
    }
}
