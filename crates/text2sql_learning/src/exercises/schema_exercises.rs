//! Exercises made from the tables that a learner may read. Their questions are in the current language; their queries
//! do not depend on it.

use std::sync::Arc;

use text2sql_domain::schema::{
    Column, ForeignKey, Table, TableKind, TypeCategory, quote_identifier, quote_literal,
};
use text2sql_phrases::say;

use super::{Exercise, Level};

/// Maximum number of different values of a column whose groups are shown.
const MAX_GROUPS: f64 = 30.0;

/// All exercises of a level.
pub fn exercises(tables: &[Arc<Table>], level: Level) -> Vec<Exercise> {
    let mut found = Vec::new();
    for table in tables {
        if !matches!(table.kind, TableKind::Table | TableKind::PartitionedTable) {
            continue;
        }
        let made = match level {
            Level::Easy => easy(table),
            Level::Medium => medium(table, tables),
            Level::Hard => hard(table, tables),
        };
        found.extend(made.into_iter().map(|(question, sql)| Exercise {
            level,
            question,
            sql,
        }));
    }
    found
}

type Made = Vec<(String, String)>;

fn easy(table: &Table) -> Made {
    let name = table.sql_name();
    let mut made = vec![(
        say!("How many rows does {name} have?"),
        format!("SELECT count(*) FROM {name}"),
    )];
    for column in groups(table) {
        let label = quote_identifier(&column.name);
        made.push((
            say!("Which different values does {label} have in {name}?"),
            format!("SELECT DISTINCT {label} FROM {name}"),
        ));
        if let Some(value) = common_value(table, column) {
            let value = quote_literal(value);
            made.push((
                say!("How many rows of {name} have the {label} {value}?"),
                format!("SELECT count(*) FROM {name} WHERE {label} = {value}"),
            ));
        }
    }
    for column in measures(table) {
        let label = quote_identifier(&column.name);
        made.push((
            say!("What is the highest {label} in {name}?"),
            format!("SELECT max({label}) FROM {name}"),
        ));
        made.push((
            say!("What is the average of {label} in {name}?"),
            format!("SELECT avg({label}) FROM {name}"),
        ));
    }
    made
}

fn medium(table: &Table, tables: &[Arc<Table>]) -> Made {
    let name = table.sql_name();
    let mut made = Made::new();
    for column in groups(table) {
        let label = quote_identifier(&column.name);
        made.push((
            say!(
                "How many rows does {name} have for each {label}? Show the {label} and the number."
            ),
            format!("SELECT {label}, count(*) FROM {name} GROUP BY {label}"),
        ));
        for measure in measures(table) {
            let measure = quote_identifier(&measure.name);
            made.push((
                say!("What is the sum of {measure} in {name} for each {label}? Show the {label} and the sum, the largest sum first."),
                format!("SELECT {label}, sum({measure}) FROM {name} GROUP BY {label} ORDER BY 2 DESC NULLS LAST"),
            ));
        }
    }
    for column in table
        .columns
        .iter()
        .filter(|column| !column.not_null && !column.is_private)
    {
        let label = quote_identifier(&column.name);
        made.push((
            say!("How many rows of {name} have no value in {label}?"),
            format!("SELECT count(*) FROM {name} WHERE {label} IS NULL"),
        ));
    }
    for pair in parents(table, tables) {
        let Pair { parent, label, on } = &pair;
        made.push((
            say!("How many rows of {name} belong to each row of {parent}? Show the {label} and the number; leave out rows of {parent} without any."),
            format!(
                "SELECT p.{label}, count(*) FROM {name} c JOIN {parent} p ON {on} GROUP BY {}",
                pair.grouped()
            ),
        ));
    }
    made
}

fn hard(table: &Table, tables: &[Arc<Table>]) -> Made {
    let name = table.sql_name();
    let mut made = Made::new();
    for measure in measures(table) {
        let measure = quote_identifier(&measure.name);
        made.push((
            say!("How many rows of {name} have a {measure} above the average of all rows?"),
            format!(
                "SELECT count(*) FROM {name} WHERE {measure} > (SELECT avg({measure}) FROM {name})"
            ),
        ));
        for column in groups(table) {
            let label = quote_identifier(&column.name);
            made.push((
                say!("Which share of the sum of {measure} in {name} does each {label} have, in per cent and rounded to one decimal place? Show the {label} and the share."),
                format!("SELECT {label}, round((100.0 * sum({measure}) / sum(sum({measure})) OVER ())::numeric, 1) FROM {name} GROUP BY {label}"),
            ));
        }
    }
    for pair in parents(table, tables) {
        let Pair { parent, label, on } = &pair;
        made.push((
            say!("Which rows of {parent} have no row in {name}? Show the {label}."),
            format!("SELECT p.{label} FROM {parent} p WHERE NOT EXISTS (SELECT 1 FROM {name} c WHERE {on})"),
        ));
        made.push((
            say!("Which rows of {parent} have more than two rows in {name}? Show the {label} and the number, the largest first."),
            format!(
                "SELECT p.{label}, count(*) FROM {name} c JOIN {parent} p ON {on} GROUP BY {} HAVING count(*) > 2 ORDER BY 2 DESC",
                pair.grouped()
            ),
        ));
    }
    made
}

/// Columns whose values make few groups.
fn groups(table: &Table) -> impl Iterator<Item = &Column> {
    table.columns.iter().filter(|column| {
        let is_few = column.statistics.as_ref().is_some_and(|facts| {
            // A negative number is a share of the rows.
            facts
                .distinct_values
                .is_some_and(|count| count > 1.0 && count <= MAX_GROUPS)
        });
        let is_kind = matches!(column.category, TypeCategory::Boolean | TypeCategory::Enum)
            || (column.category == TypeCategory::Text && is_few);
        is_kind && !column.is_private && !is_key(table, column)
    })
}

/// Columns of numbers that are worth adding.
fn measures(table: &Table) -> impl Iterator<Item = &Column> {
    table.columns.iter().filter(|column| {
        matches!(
            column.category,
            TypeCategory::Number | TypeCategory::Integer
        ) && !column.is_private
            && !is_key(table, column)
            && !column.name.to_lowercase().ends_with("_id")
            && column.type_name != "money"
    })
}

fn is_key(table: &Table, column: &Column) -> bool {
    table.primary_key.contains(&column.name)
        || table
            .foreign_keys
            .iter()
            .any(|key| key.columns.contains(&column.name))
}

/// A frequent value, if no row of it could be hidden from the learner.
fn common_value<'c>(table: &Table, column: &'c Column) -> Option<&'c String> {
    let facts = column.statistics.as_ref()?;
    let is_open = !table.has_row_security && !column.is_private;
    facts
        .most_common_values
        .first()
        .filter(|_| is_open && column.category != TypeCategory::Boolean)
}

/// A table that rows refer to, the column that names its rows, and the condition of the join.
struct Pair {
    parent: String,
    label: String,
    on: String,
}

impl Pair {
    /// Two rows may have the same label: the key tells them apart.
    fn grouped(&self) -> String {
        let keys = self.on.split(" AND ").filter_map(|part| {
            let (_, key) = part.split_once(" = ")?;
            Some(key.to_owned())
        });
        let label = format!("p.{}", self.label);
        let keys: Vec<String> = keys
            .filter(|key| *key != label)
            .chain([label.clone()])
            .collect();
        keys.join(", ")
    }
}

fn parents(table: &Table, tables: &[Arc<Table>]) -> Vec<Pair> {
    let pair = |key: &ForeignKey| {
        let parent = tables
            .iter()
            .find(|other| other.oid == key.target && other.oid != table.oid)?;
        let texts = parent
            .columns
            .iter()
            .filter(|column| column.category == TypeCategory::Text && !column.is_private);
        let label = texts.min_by_key(|column| !column.name.to_lowercase().contains("name"))?;
        let on: Vec<String> = key
            .columns
            .iter()
            .zip(&key.target_columns)
            .map(|(own, target)| {
                format!(
                    "c.{} = p.{}",
                    quote_identifier(own),
                    quote_identifier(target)
                )
            })
            .collect();
        Some(Pair {
            parent: parent.sql_name(),
            label: quote_identifier(&label.name),
            on: on.join(" AND "),
        })
    };
    table.foreign_keys.iter().filter_map(pair).collect()
}

#[cfg(test)]
mod tests {
    use text2sql_domain::schema_fixture::shop;
    use text2sql_phrases::{Language, in_language};

    use super::*;

    fn all(level: Level) -> Vec<Exercise> {
        exercises(&shop(), level)
    }

    #[test]
    fn each_level_has_exercises_and_each_has_a_query_that_can_be_read() {
        for level in [Level::Easy, Level::Medium, Level::Hard] {
            let made = all(level);
            assert!(made.len() >= 10, "{level:?}: {}", made.len());
            for exercise in &made {
                assert!(exercise.is_readable(), "{}", exercise.sql);
                assert_eq!(Exercise::level_of(&exercise.id()).unwrap(), level);
            }
            let mut ids: Vec<String> = made.iter().map(Exercise::id).collect();
            ids.sort();
            ids.dedup();
            assert_eq!(ids.len(), made.len());
        }
    }

    #[test]
    fn the_query_does_not_depend_on_the_language() {
        let english = all(Level::Hard);
        let german = in_language(Language::named("de").unwrap_or_default(), || {
            all(Level::Hard)
        });
        for (english, german) in english.iter().zip(&german) {
            assert_eq!(english.id(), german.id());
            assert_ne!(english.question, german.question);
        }
    }

    #[test]
    fn nothing_private_is_asked() {
        let mut tables = shop();
        let orders = tables
            .iter_mut()
            .find(|table| table.name == "orders")
            .unwrap();
        for column in &mut Arc::make_mut(orders).columns {
            column.is_private |= column.name == "status";
        }
        for level in [Level::Easy, Level::Medium, Level::Hard] {
            for exercise in exercises(&tables, level) {
                assert!(!exercise.sql.contains("status"), "{}", exercise.sql);
            }
        }
    }

    #[test]
    fn a_seed_gives_the_same_order_again() {
        let once = super::super::chosen_from(all(Level::Easy), 7);
        assert_eq!(once, super::super::chosen_from(all(Level::Easy), 7));
        assert_ne!(once, super::super::chosen_from(all(Level::Easy), 8));
    }
}
