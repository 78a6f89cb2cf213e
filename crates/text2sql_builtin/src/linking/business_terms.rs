//! Business terms: a definition with an SQL expression is a condition, a value per row, or an aggregate
//! over the rows of its table.

use std::collections::HashMap;
use std::sync::Arc;

use crate::linking::names::synonym_keys;
use text2sql_domain::proposal::Proposal;
use text2sql_domain::schema::{Definition, DefinitionJoin, Table, quote_identifier};
use text2sql_language::words::stem;

/// A glossary definition that the question uses.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Term {
    pub(crate) name: String,
    pub(crate) meaning: String,
    /// Over the columns of the table, as the owner wrote it.
    pub(crate) expression: String,
    pub(crate) table: usize,
    pub(crate) kind: TermKind,
    /// The tables that its expression reads as well, each joined to one before it.
    pub(crate) joins: Vec<TermJoin>,
}

/// A join of a term's path: each row of `from` has at most one row of `to`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TermJoin {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// Columns of `from` and `to` that are equal.
    pub(crate) pairs: Vec<(String, String)>,
}

/// The kind of a term's expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TermKind {
    Condition,
    Value,
    Aggregate,
}

/// The refusal if a missing word is a term that a model could use and this engine cannot, because it is
/// defined in words only or by a sub-query.
pub(crate) fn unusable_term(definitions: &[Definition], missing: &[String]) -> Option<Proposal> {
    let stems = |text: &str| text.split_whitespace().map(stem).collect::<Vec<_>>();
    let missing_stems: Vec<String> = missing.iter().map(|word| stem(word)).collect();
    let is_meant = |name: &String| stems(name).iter().any(|word| missing_stems.contains(word));
    let reason = definitions.iter().find_map(|definition| {
        let sql = definition.sql_expression.as_deref().unwrap_or_default();
        let (term, meaning) = (&definition.term, &definition.meaning);
        let why = match sql.trim() {
            "" => format!(
                "\"{term}\" is defined in words alone ({meaning}), and the built-in engine needs its SQL"
            ),
            sql if holds_query(sql) => {
                format!("\"{term}\" is defined by a sub-query, and the built-in engine uses none")
            }
            _ => return None,
        };
        let mut names = std::iter::once(term).chain(&definition.synonyms);
        names.any(is_meant).then_some(why)
    })?;
    Some(Proposal::Unanswerable {
        reason,
        missing: missing.to_vec(),
        nearest: Vec::new(),
    })
}

/// Whether the expression contains a query. Its names may belong to other tables, and its aggregates are
/// not over the rows of the term's table.
fn holds_query(expression: &str) -> bool {
    cut(expression)
        .iter()
        .any(|part| part.eq_ignore_ascii_case("select"))
}

/// The definitions that apply to these tables, with the keys of their terms.
pub(crate) fn applicable(
    definitions: &[Definition],
    tables: &[Arc<Table>],
) -> Vec<(Vec<String>, Term)> {
    let by_oid: HashMap<u32, usize> = if definitions.is_empty() {
        HashMap::new()
    } else {
        tables
            .iter()
            .enumerate()
            .map(|(i, table)| (table.oid, i))
            .collect()
    };
    definitions
        .iter()
        .filter_map(|definition| {
            let expression = definition.sql_expression.as_deref()?.trim();
            if holds_query(expression) {
                return None;
            }
            let index = *by_oid.get(&definition.applies_to?)?;
            let table = tables.get(index)?;
            let joins = joins(definition, &by_oid)?;
            let term = Term {
                name: definition.term.clone(),
                meaning: definition.meaning.clone(),
                expression: expression.to_owned(),
                table: index,
                kind: kind_of(expression, table),
                joins,
            };
            let keys = synonym_keys(std::slice::from_ref(&definition.term))
                .chain(synonym_keys(&definition.synonyms))
                .map(|(key, _)| key)
                .collect();
            (!expression.is_empty()).then_some((keys, term))
        })
        .collect()
}

/// The path of a definition; `None` if a table of it is not at hand.
fn joins(definition: &Definition, by_oid: &HashMap<u32, usize>) -> Option<Vec<TermJoin>> {
    let step = |join: &DefinitionJoin| {
        Some(TermJoin {
            from: *by_oid.get(&join.from.oid)?,
            to: *by_oid.get(&join.to.oid)?,
            pairs: join.columns.clone(),
        })
    };
    definition.joins.iter().map(step).collect()
}

fn kind_of(expression: &str, table: &Table) -> TermKind {
    const AGGREGATES: [&str; 7] = [
        "sum",
        "count",
        "avg",
        "min",
        "max",
        "percentile_cont",
        "bool_and",
    ];
    const LOGICAL: [&str; 10] = [
        "and", "or", "not", "is", "in", "like", "ilike", "between", "exists", "similar",
    ];
    let mut kind = TermKind::Value;
    let parts = cut(expression);
    for (i, part) in parts.iter().enumerate() {
        let lower = part.to_lowercase();
        let next = parts
            .iter()
            .skip(i + 1)
            .find(|part| !part.trim().is_empty());
        if AGGREGATES.contains(&lower.as_str()) && next.is_some_and(|next| next.starts_with('(')) {
            return TermKind::Aggregate;
        }
        let compares = part.contains(['=', '<', '>', '~']) && !part.starts_with(['\'', '"']);
        let is_flag = parts.len() == 1
            && table.column(part.trim_matches('"')).is_some_and(|column| {
                column.category == text2sql_domain::schema::TypeCategory::Boolean
            });
        if compares || is_flag || LOGICAL.contains(&lower.as_str()) {
            kind = TermKind::Condition;
        }
    }
    if expression.to_lowercase().starts_with("case") {
        return TermKind::Value;
    }
    kind
}

/// The expression split into words, quoted names, literals and other characters.
fn cut(expression: &str) -> Vec<String> {
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
pub(crate) fn qualified(expression: &str, tables: &[(&Table, &str)]) -> String {
    let parts = without_schemas(cut(expression), tables);
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
fn without_schemas(parts: Vec<String>, tables: &[(&Table, &str)]) -> Vec<String> {
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
