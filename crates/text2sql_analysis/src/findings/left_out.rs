//! A value or a number of a question that its query does not have.

use std::sync::Arc;

use sqlparser::ast::GroupByExpr;
use text2sql_domain::ports::search_index::ValueHit;
use text2sql_domain::schema::{Table, TableKind, quote_identifier, quote_literal};
use text2sql_language::terms::fold;
use text2sql_language::understanding::Mark;
use text2sql_phrases::say;
use text2sql_sql::tree::keys::meant_by;
use text2sql_sql::tree::{Rows, Tree};

use super::constants::{
    Compared, MIN_CHARS, is_in_digits, is_of_time, is_taught, named, number_text, stands_for,
};
use super::said::{Asked, Said, Used, each_expression, tables_read};
use super::{Check, Finding};

/// Words before a number of things that are all there are: "the 50 states".
const ALL_OF: [&str; 9] = [
    "the", "these", "those", "all", "our", "its", "die", "alle", "unsere",
];

/// A value or a number of the question that no constant of the query has, where the query has none that could stand for
/// it in other words.
pub(super) fn find(
    tree: &Tree<'_>,
    tables: &[Arc<Table>],
    compared: &[Compared],
    used: &Used,
    said: &Said<'_>,
    asked: &Asked<'_>,
) -> Option<Finding> {
    let sources = || tree.blocks.iter().flat_map(|block| &block.sources);
    let are_tables = sources().all(|source| match source.table() {
        Some(table) => {
            matches!(table.kind, TableKind::Table | TableKind::PartitionedTable)
                && table.made_of.is_empty()
        }
        None => matches!(source.rows, Rows::Result(_)),
    });
    let states = |number: f64| {
        said.question.numbers().iter().any(|stated| {
            [number, number - 1.0, number + 1.0]
                .into_iter()
                .any(|number| stated.matches(number))
        })
    };
    let all_asked = compared.iter().all(|one| match one.is_number {
        true => one
            .text
            .parse()
            .is_ok_and(|number| number == 0.0 || number == 1.0 || states(number)),
        false => said.says(&one.text),
    }) && used.texts.iter().all(|text| said.says(text))
        && used
            .numbers
            .iter()
            .all(|number| *number == 0.0 || *number == 1.0 || states(*number) || *number < 5.0);
    if !are_tables {
        return None;
    }
    let is_clear = all_asked && asked.definitions.is_empty();
    value_left_out(tree, tables, compared, used, said, asked, is_clear)
        .or_else(|| is_clear.then(|| number_left_out(tree, used, said))?)
}

/// Maximum number of foreign keys from a table that the query reads to one that holds a value.
const MAX_STEPS: usize = 2;

/// The tables that a query reads, and those to which foreign keys lead from them.
fn tables_near(tree: &Tree<'_>, tables: &[Arc<Table>]) -> Vec<u32> {
    let mut near: Vec<u32> = tables_read(tree).map(|table| table.oid).collect();
    for _ in 0..MAX_STEPS {
        let keys = tables
            .iter()
            .filter(|table| near.contains(&table.oid))
            .flat_map(|table| &table.foreign_keys);
        let targets: Vec<u32> = keys.map(|key| key.target).collect();
        near.extend(targets);
    }
    near
}

/// Whether a constant that the question does not have may stand for the row with the value: it is compared with another
/// column of that table, or with a column that refers to it. "Österreich" is 'Austria', or 'AT'.
fn may_be_the_same(tree: &Tree<'_>, one: &Compared, hit: &ValueHit, said: &Said<'_>) -> bool {
    let Some((table, column)) = tree.column(&one.column) else {
        return true;
    };
    let refers = table
        .foreign_keys
        .iter()
        .any(|key| key.target == hit.table && key.columns.contains(&column.name));
    let is_of_the_row = table.oid == hit.table && column.number != hit.column;
    !said.says(&one.text) && (refers || is_of_the_row)
}

/// A value that no constant of the query has. Where it is set apart as one and a single column holds it, nothing else can
/// be meant; else the query must have nothing that could stand for it, `is_clear`, and show no column that holds it.
fn value_left_out(
    tree: &Tree<'_>,
    tables: &[Arc<Table>],
    compared: &[Compared],
    used: &Used,
    said: &Said<'_>,
    asked: &Asked<'_>,
    is_clear: bool,
) -> Option<Finding> {
    let read: Vec<&Arc<Table>> = tables_read(tree).collect();
    let mut columns: Vec<(u32, i16)> = Vec::new();
    each_expression(tree, &mut |block, part| {
        let column = tree.resolve(block, part);
        let origin = column.as_ref().and_then(|column| tree.column(column));
        columns.extend(origin.map(|(table, column)| (table.oid, column.number)));
    });
    // A group for each value has one for that of the question.
    let mut grouped: Vec<(u32, i16)> = Vec::new();
    for (position, block) in tree.blocks.iter().enumerate() {
        if let GroupByExpr::Expressions(groups, _) = &block.select.group_by {
            let groups = groups
                .iter()
                .map(|group| meant_by(group, &block.select.projection));
            for column in groups.flat_map(|group| tree.columns_in(position, group)) {
                let origin = tree.column(&column);
                grouped.extend(origin.map(|(table, column)| (table.oid, column.number)));
            }
        }
    }
    let plain = said.question.plain_words();
    let is_plain = |word: &str| plain.is_general(word) || plain.is_function(word);
    let near = tables_near(tree, tables);
    let named = named(said, asked);
    named.iter().find_map(|(phrase, hit)| {
        let is_set_apart = said
            .question
            .phrases()
            .iter()
            .any(|spoken| spoken.mark != Mark::None && fold(&spoken.text) == *phrase);
        let all = || named.iter().filter(|(own, _)| own == phrase);
        let is_used = used.texts.iter().any(|text| {
            text.contains(phrase.as_str())
                || (text.chars().count() >= MIN_CHARS && phrase.contains(text.as_str()))
        });
        // "Steven Buchanan", of whom the query has the family name.
        let is_part = used.texts.iter().any(|text| {
            let folded = said.question.folded();
            folded.contains(&format!("{phrase} {text}"))
                || folded.contains(&format!("{text} {phrase}"))
        });
        let terms = said.analyzer.terms(phrase);
        let is_name = read.iter().any(|table| {
            let columns = table.columns.iter().map(|column| &column.name);
            std::iter::once(&table.name).chain(columns).any(|name| {
                let name = said.analyzer.terms_of_name(name);
                terms.iter().all(|term| name.contains(term))
            })
        });
        let is_alone = all().all(|(_, other)| (other.table, other.column) == (hit.table, hit.column))
            && !grouped.contains(&(hit.table, hit.column))
            && !is_taught(asked, &hit.value)
            && !compared
                .iter()
                .any(|one| may_be_the_same(tree, one, hit, said));
        let shows = |hit: &ValueHit| columns.contains(&(hit.table, hit.column));
        let is_read = || read.iter().any(|table| table.oid == hit.table);
        let is_unshown = is_clear && is_read() && !all().any(|(_, hit)| shows(hit));
        let owner = tables
            .iter()
            .find(|table| table.oid == hit.table && near.contains(&table.oid))?;
        let column = owner
            .columns
            .iter()
            .find(|column| column.number == hit.column)?;
        // A word that is not set apart: several rows have it, as a kind, and it names nothing. A track is called "Belong".
        let is_kind = || {
            let statistics = column.statistics.as_ref();
            let is_common = statistics.is_some_and(|facts| {
                facts.most_common_values.contains(&hit.value)
            });
            let mut names = tables.iter().flat_map(|table| {
                let columns = table.columns.iter().map(|column| &column.name);
                std::iter::once(&table.name).chain(columns).chain(&table.synonyms)
            });
            let mut words = phrase.split(|c: char| !c.is_alphanumeric());
            phrase.chars().count() > MIN_CHARS
                && is_common
                && !words.any(is_plain)
                && !names.any(|name| {
                    let name = said.analyzer.terms_of_name(name);
                    terms.iter().any(|term| name.contains(term))
                })
        };
        let is_meant = match is_set_apart {
            true => is_alone || is_unshown,
            false => is_alone && is_unshown && is_kind(),
        };
        let is_whole = (owner.columns.len() > 1 || read.len() > 1) && !terms.is_empty();
        (is_whole && !is_used && !is_part && !is_name && is_meant).then(|| {
            Check::LeftOut.error(say!(
                "The question names {value}, a value of {column}, and the query has no condition with it.",
                value = quote_literal(&hit.value),
                column = format!("{}.{}", owner.sql_name(), quote_identifier(&column.name))
            ))
            .with_fix(format!(
                "{} = {}",
                quote_identifier(&column.name),
                quote_literal(&hit.value)
            ))
        })
    })
}

/// A number that is compared, or stands behind the name of what it is a number of: "order 4711", not "case 17: …".
fn number_left_out(tree: &Tree<'_>, used: &Used, said: &Said<'_>) -> Option<Finding> {
    let folded = said.question.folded();
    let has_constants = !used.texts.is_empty() || used.numbers.iter().any(|number| *number > 1.0);
    // A number of minutes may stand there as seconds or as an interval, but not as nothing.
    let has_any = !used.texts.is_empty() || !used.numbers.is_empty();
    said.question.numbers().iter().find_map(|number| {
        let after = folded.get(number.start..).unwrap_or_default();
        let text = number_text(after);
        let before = folded.get(..number.start).unwrap_or_default();
        let before =
            before.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '$' | '€' | '£'));
        let word = before
            .rsplit(|c: char| !c.is_alphanumeric())
            .next()
            .unwrap_or_default();
        // "18 years old" is an age.
        let rest = after.get(text.len()..).unwrap_or_default();
        let is_age = [" years old", " year old", " jahre alt"]
            .iter()
            .any(|age| rest.starts_with(age));
        let is_compared = is_age
            || super::directions::is_compared(before)
            || (word == "and"
                && folded
                    .get(..number.start)
                    .is_some_and(|before| before.contains("between ")));
        let is_small = [0.0, 1.0].into_iter().any(|few| number.matches(few))
            || (number.matches(2.0) && !is_compared);
        // Where years are compared as numbers, so is the other one.
        let compares_years = used
            .numbers
            .iter()
            .any(|number| (1900.0..2100.0).contains(number))
            && used.texts.is_empty();
        let mut periods = said.question.periods().iter();
        let is_of_period =
            !compares_years && periods.any(|period| fold(&period.text).contains(text));
        let is_used = used.numbers.iter().any(|own| stands_for(number, *own));
        let is_span = has_any && is_of_time(rest);
        let is_clear = number.is_plain()
            && is_in_digits(text)
            && !is_small
            && !is_used
            && !is_of_period
            && !is_span
            && !ALL_OF.contains(&word)
            && (is_compared || (!has_constants && (word == "id" || said.is_name(tree, word))));
        is_clear.then(|| {
            Check::LeftOut.error(say!(
                "The question says {number}, and nothing of the query compares with it.",
                number = text
            ))
        })
    })
}
