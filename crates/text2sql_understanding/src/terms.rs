//! Terms of the glossary: a definition with an SQL expression is a condition, a value of a row, or an aggregate over
//! the rows of its table.

use crate::schema::{Schema, table_ref};
use crate::table_names::{stems, words_of, written_words};
use crate::term::{Term, TermKind};
use text2sql_domain::schema::{Definition, Table, TypeCategory};
use text2sql_domain::words;
use text2sql_language::words::stem;
use text2sql_semantics::{Key, Step, parts_of};

/// How many words of the question the term takes from there: not the noun of its own rows, as in "big orders".
pub(crate) fn taken(term: &Term, words: &[String], schema: &Schema<'_>) -> Option<usize> {
    if !term.keys.contains(&stems(words)) {
        return None;
    }
    let own = schema.table(term.table).map(|table| words_of(&table.name));
    let is_noun = words.last().is_some_and(|last| {
        let own = own.unwrap_or_default();
        own.last().is_some_and(|own| stem(own) == stem(last))
    });
    let is_cut = term.kind == TermKind::Condition && words.len() > 1 && is_noun;
    Some(words.len() - usize::from(is_cut))
}

/// Whether the expression holds a query: its names may belong to other tables.
pub fn has_query(expression: &str) -> bool {
    let parts = parts_of(expression);
    parts.iter().any(|part| part.eq_ignore_ascii_case("select"))
}

/// The terms that apply to the tables.
pub(crate) fn applicable(definitions: &[Definition], schema: &Schema<'_>) -> Vec<Term> {
    let term = |definition: &Definition| {
        let expression = definition.sql_expression.as_deref()?.trim();
        let oid = definition.applies_to?;
        let place = |oid: u32| schema.tables.iter().position(|table| table.oid == oid);
        let table = place(oid)?;
        if expression.is_empty() || has_query(expression) {
            return None;
        }
        // Each further table by its path from the first one.
        let mut paths: Vec<(u32, Vec<Step>)> = vec![(oid, Vec::new())];
        for join in &definition.joins {
            let (_, before) = paths.iter().find(|(known, _)| *known == join.from.oid)?;
            let key = join.columns.iter().map(|(own, other)| Key {
                own: own.clone(),
                other: other.clone(),
            });
            let step = Step {
                to: table_ref(schema.table(place(join.to.oid)?)?),
                key: key.collect(),
                fans_out: false,
            };
            let path = [before.as_slice(), &[step]].concat();
            paths.push((join.to.oid, path));
        }
        let names = std::iter::once(&definition.term).chain(&definition.synonyms);
        let says = match definition.meaning.as_str() {
            "" => format!("'{}' means {expression}", definition.term),
            meaning => format!("'{}' means {meaning}: {expression}", definition.term),
        };
        Some(Term {
            name: definition.term.clone(),
            says,
            table,
            kind: kind_of(expression, schema.table(table)?),
            keys: names.map(|name| stems(&written_words(name))).collect(),
            expression: expression.to_owned(),
            joins: paths.into_iter().skip(1).map(|(_, path)| path).collect(),
        })
    };
    definitions.iter().filter_map(term).collect()
}

fn kind_of(expression: &str, table: &Table) -> TermKind {
    const AGGREGATES: &[&str] = words!("sum, count, avg, min, max, percentile_cont, bool_and");
    const LOGICAL: [&str; 10] = [
        "and", "or", "not", "is", "in", "like", "ilike", "between", "exists", "similar",
    ];
    let mut kind = TermKind::Value;
    let parts = parts_of(expression);
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
            && table
                .column(part.trim_matches('"'))
                .is_some_and(|column| column.category == TypeCategory::Boolean);
        if compares || is_flag || LOGICAL.contains(&lower.as_str()) {
            kind = TermKind::Condition;
        }
    }
    if expression.to_lowercase().starts_with("case") {
        return TermKind::Value;
    }
    kind
}
