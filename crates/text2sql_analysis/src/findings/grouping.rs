//! A figure for each of something: one figure for all in its place, figures without their names, and groups of something
//! else.

use std::sync::Arc;

use sqlparser::ast::{Expr, GroupByExpr, SelectItem};
use text2sql_domain::schema::Table;
use text2sql_domain::sql_result::Execution;
use text2sql_domain::words;
use text2sql_language::names::singular;
use text2sql_language::terms::{fold, is_function_word};
use text2sql_phrases::say;
use text2sql_sql::tree::walk::output_of;
use text2sql_sql::tree::{Aggregate, Block, Place, Tree, aggregate, aggregates};

use super::said::{Said, Used, each_expression, tables_read};
use super::{Check, Finding};

pub(super) fn find(
    tree: &Tree<'_>,
    sql: &str,
    tables: &[Arc<Table>],
    said: &Said<'_>,
    execution: Option<&Execution>,
) -> Vec<Finding> {
    let mut found = Vec::new();
    found.extend(ungrouped(tree, said, execution));
    if found.is_empty() {
        found.extend(not_by(tree, sql, tables, said, execution));
    }
    found.extend(unnamed(tree, said, execution));
    found
}

/// Words for each of several.
const EACH: [&str; 8] = [
    "each", "every", "jede", "jeden", "jeder", "jedes", "jedem", "chaque",
];

/// Words before what a figure is asked for each of, which say nothing else before a name.
const PER: [&str; 4] = ["per", "je", "pro", "par"];

/// Words after "by harbour" with which the name stands alone.
const AFTER: [&str; 12] = [
    "and", "in", "for", "of", "from", "since", "during", "sorted", "ordered", "over", "und", "as",
];

/// Words that a question takes apart by: "grouped by", "broken down by".
const APART: [&str; 6] = ["grouped", "broken", "down", "split", "number", "breakdown"];

/// Words for a mean, with which a figure for each is one figure.
pub(super) const MEAN: &[&str] = words!(
    "average, averages, avg, mean, typical, typically, median, rate, ratio, \
     durchschnittlich, durchschnittliche, durchschnitt, mittlere, schnitt"
);

/// "Each genre", "for every city": a word for each before a name of what the query reads.
fn each(tree: &Tree<'_>, said: &Said<'_>) -> Option<String> {
    let words = said.words();
    let place = words
        .iter()
        .position(|word| EACH.contains(&word.as_str()))?;
    let next = words.get(place + 1)?;
    let word = words.get(place)?;
    said.is_name(tree, next).then(|| format!("{word} {next}"))
}

/// The column of the only group, where the question names it in full: "all majors and the number of students".
fn grouped_name(tree: &Tree<'_>, said: &Said<'_>) -> Option<String> {
    let block = tree.block(0)?;
    let GroupByExpr::Expressions(groups, _) = &block.select.group_by else {
        return None;
    };
    let [group] = groups.as_slice() else {
        return None;
    };
    let column = tree.resolve(0, group)?.column;
    let is_ordered = block
        .query
        .is_some_and(|query| query.order_by.is_some() || query.limit_clause.is_some());
    let is_listed = words!("show all, show the, list all, list the, what are the, give the")
        .iter()
        .any(|start| said.question.folded().starts_with(start));
    let is_named = said.names(&said.analyzer.terms_of_name(&column));
    (is_named && is_listed && !is_ordered && block.select.having.is_none()).then_some(column)
}

pub(super) fn is_grouped(block: &Block<'_>) -> bool {
    match &block.select.group_by {
        GroupByExpr::Expressions(groups, _) => !groups.is_empty(),
        GroupByExpr::All(_) => true,
    }
}

/// Whether a block shows nothing but figures.
pub(super) fn shows_figures_only(block: &Block<'_>) -> bool {
    let mut outputs = block.select.projection.iter();
    outputs.all(|item| output_of(item).is_some_and(|output| aggregate(output).is_some()))
}

/// Groups of which only a figure is shown.
fn unnamed(tree: &Tree<'_>, said: &Said<'_>, execution: Option<&Execution>) -> Option<Finding> {
    let rows = execution
        .map(|execution| execution.rows.len())
        .filter(|rows| *rows > 1)?;
    let [block] = tree.blocks.as_slice() else {
        return None;
    };
    let word = each(tree, said).or_else(|| grouped_name(tree, said))?;
    (is_grouped(block) && shows_figures_only(block)).then(|| {
        Check::Grouping.error(say!("The question asks for a figure for {word}, and the {rows} rows do not say of which they are.", word, rows))
    })
}

pub(super) fn one_for_all(word: &str) -> Finding {
    Check::Grouping
        .error(say!(
            "The question asks for a figure '{word}', and the query gives one for all.",
            word
        ))
        .with_fix("GROUP BY")
}

/// One figure for all, where the question asks for one for each.
fn ungrouped(tree: &Tree<'_>, said: &Said<'_>, execution: Option<&Execution>) -> Option<Finding> {
    let rows = execution.map(|execution| execution.rows.len());
    let [block] = tree.blocks.as_slice() else {
        return None;
    };
    // A quotient of two figures may be what each has on average.
    let is_single =
        shows_figures_only(block) && !is_grouped(block) && block.select.having.is_none();
    let word = each(tree, said).filter(|_| !said.has_phrase("on average"))?;
    (is_single && rows == Some(1)).then(|| one_for_all(&word))
}

/// What a question asks for a figure for each of, where its words name one table, or one column.
struct By {
    /// "per harbour".
    words: String,
    /// The terms of the name.
    terms: Vec<String>,
    /// The table of that name.
    table: Option<Arc<Table>>,
}

/// "Boats per harbour", "fees by kind" that the query has nothing of.
fn not_by(
    tree: &Tree<'_>,
    sql: &str,
    tables: &[Arc<Table>],
    said: &Said<'_>,
    execution: Option<&Execution>,
) -> Option<Finding> {
    let top = tree.blocks.iter().find(|block| block.place == Place::Top)?;
    let calls = aggregates(top.select, top.query);
    if calls.is_empty() || tree.blocks.iter().any(|block| shows_all(block)) {
        return None;
    }
    let by = by(tree, tables, said)?;
    let is_plain = tree.blocks.iter().all(|block| {
        let limited =
            |query: &sqlparser::ast::Query| query.limit_clause.is_some() || query.fetch.is_some();
        !is_grouped(block)
            && block.select.having.is_none()
            && block.select.distinct.is_none()
            && !block.query.is_some_and(limited)
    });
    let rows = execution.map(|execution| execution.rows.len());
    if is_plain {
        let is_one = shows_figures_only(top)
            && rows == Some(1)
            && !is_mean_of(tree, &calls, &by, said)
            && !is_kept(tree, &by, said);
        return is_one.then(|| one_for_all(&by.words));
    }
    let is_other = is_grouped(top) && tree.blocks.len() == 1 && !has_trace(tree, sql, &by, said);
    is_other.then(|| groups_of_something_else(&by.words))
}

pub(super) fn groups_of_something_else(word: &str) -> Finding {
    Check::Grouping
        .error(say!(
            "The question asks for a figure '{word}', and the query has groups of something else.",
            word
        ))
        .with_fix("GROUP BY")
}

fn shows_all(block: &Block<'_>) -> bool {
    block.select.projection.iter().any(|item| {
        matches!(
            item,
            SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..)
        )
    })
}

/// The only name that the question asks for a figure for each of.
fn by(tree: &Tree<'_>, tables: &[Arc<Table>], said: &Said<'_>) -> Option<By> {
    let words = said.words();
    let mut all = (0..words.len()).filter_map(|place| {
        let word = words.get(place)?;
        let is_per = PER.contains(&word.as_str()) || EACH.contains(&word.as_str());
        let is_by = word == "by" && is_taken_apart(tree, said, place);
        if !is_per && !is_by {
            return None;
        }
        let (length, by) = named_at(tree, tables, said, place + 1)?;
        let after = words.get(place + 1 + length).map(String::as_str);
        // "By boat 7", "by customers from Spain", "each bed type": something of one of them, or something else.
        let is_free = |word: &str| is_function_word(word) || word.parse::<u64>().is_ok();
        let is_one = words
            .get(place + length)
            .is_some_and(|word| fold(&singular(word)) == *word);
        let is_alone = match is_per {
            true => after.is_none_or(is_free),
            false => is_one && after.is_none_or(|word| AFTER.contains(&word)),
        };
        is_alone.then_some(By {
            words: format!(
                "{word} {}",
                words.get(place + 1..place + 1 + length)?.join(" ")
            ),
            ..by
        })
    });
    let first = all.next()?;
    all.next().is_none().then_some(first)
}

/// Whether the word before "by" is what is measured or counted, or takes apart: "revenue by", "grouped by", not "sold by".
fn is_taken_apart(tree: &Tree<'_>, said: &Said<'_>, place: usize) -> bool {
    let before = place
        .checked_sub(1)
        .and_then(|before| said.words().get(before));
    before.is_some_and(|word| {
        APART.contains(&word.as_str()) || (!word.ends_with("ed") && said.is_name(tree, word))
    })
}

/// The table or the column whose name begins at a word, with the number of its words; of several lengths, the longest.
fn named_at(
    tree: &Tree<'_>,
    tables: &[Arc<Table>],
    said: &Said<'_>,
    start: usize,
) -> Option<(usize, By)> {
    let terms_at = |length: usize| -> Option<Vec<String>> {
        let words = said.words().get(start..start + length)?;
        Some(words.iter().map(|word| said.analyzer.stem(word)).collect())
    };
    let read: Vec<u32> = tables_read(tree).map(|table| table.oid).collect();
    (1..=3).rev().find_map(|length| {
        let terms = terms_at(length)?;
        let is = |name: &str| *said.analyzer.terms_of_name(name) == *terms;
        // If several tables have one name, the query's own is meant.
        let is_near = |table: &Table| {
            tables_read(tree).any(|own| {
                own.oid == table.oid || own.foreign_keys.iter().any(|key| key.target == table.oid)
            })
        };
        // A table of another schema is of another world: "movies per genre" need not be by the genres of music.
        let is_of_query = |table: &Table| {
            is_near(table) || tables_read(tree).any(|own| own.schema == table.schema)
        };
        let called: Vec<&Arc<Table>> = tables
            .iter()
            .filter(|table| is(&table.name) || table.synonyms.iter().any(|name| is(name)))
            .filter(|table| is_of_query(table))
            .collect();
        let near = called.iter().filter(|table| is_near(table));
        let table = match called.as_slice() {
            [] => None,
            [only] => Some(Arc::clone(only)),
            _ => match near.collect::<Vec<_>>().as_slice() {
                [only] => Some(Arc::clone(only)),
                _ => return None,
            },
        };
        let columns = tables
            .iter()
            .filter(|table| read.contains(&table.oid))
            .flat_map(|table| &table.columns)
            .filter(|column| is(&column.name))
            .count();
        let is_one = table.is_some() || columns == 1;
        is_one.then_some((
            length,
            By {
                words: String::new(),
                terms,
                table,
            },
        ))
    })
}

/// Whether one figure may be what is asked: the mean of all, or what one row has.
fn is_mean_of(tree: &Tree<'_>, calls: &[Aggregate<'_>], by: &By, said: &Said<'_>) -> bool {
    let is_mean = said.has_any(MEAN);
    let is_row = by.table.as_ref().is_some_and(|table| {
        let mut read = tables_read(tree);
        read.any(|own| own.oid == table.oid) && calls.iter().any(|call| call.name != "count")
    });
    let is_of_rows = by
        .table
        .as_ref()
        .is_some_and(|table| tables_read(tree).all(|own| own.oid == table.oid));
    is_row || is_of_rows || (is_mean && by.table.is_some())
}

/// Whether a column of a table is the named one, refers to the named table, or belongs to it.
fn belongs(by: &By, table: &Table, column: &str, said: &Said<'_>) -> bool {
    let is_of_table = by.table.as_ref().is_some_and(|named| {
        named.oid == table.oid
            || table
                .foreign_keys
                .iter()
                .any(|key| key.target == named.oid && key.columns.iter().any(|own| own == column))
    });
    let terms = said.analyzer.terms_of_name(column);
    is_of_table || by.terms.iter().all(|term| terms.contains(term))
}

/// Whether a condition of WHERE keeps rows of one of them: then its figure is one.
fn is_kept(tree: &Tree<'_>, by: &By, said: &Said<'_>) -> bool {
    tree.blocks.iter().enumerate().any(|(position, block)| {
        let conditions: Vec<&Expr> = block.select.selection.iter().collect();
        conditions.into_iter().any(|condition| {
            tree.columns_in(position, condition).iter().any(|column| {
                tree.column(column)
                    .is_none_or(|(table, origin)| belongs(by, table, &origin.name, said))
            })
        })
    })
}

/// Whether anything of the query may be what is named: a table, a column, a reference or an alias.
fn has_trace(tree: &Tree<'_>, sql: &str, by: &By, said: &Said<'_>) -> bool {
    let has_term = |name: &str| {
        let terms = said.analyzer.terms_of_name(name);
        let is_near = |term: &String| {
            terms.iter().any(|own| {
                own == term
                    || (term.chars().count() > 2 && own.contains(term.as_str()))
                    || (own.chars().count() > 2 && term.contains(own.as_str()))
            })
        };
        by.terms.iter().any(is_near)
    };
    let Some(used) = Used::of(sql) else {
        return true;
    };
    let mut has_any = used.words.iter().any(|word| has_term(word))
        || tree
            .blocks
            .iter()
            .flat_map(|block| &block.sources)
            .any(|source| source.table().is_none());
    each_expression(tree, &mut |block, part| {
        let column = tree.resolve(block, part);
        has_any |= column
            .as_ref()
            .and_then(|column| tree.column(column))
            .is_some_and(|(table, column)| {
                belongs(by, table, &column.name, said)
                    || column.synonyms.iter().any(|name| has_term(name))
                    || column.comment.as_deref().is_some_and(has_term)
            });
    });
    // Rows of the named table are counted or listed, by whatever.
    has_any
        || by
            .table
            .as_ref()
            .is_some_and(|named| tables_read(tree).any(|table| table.oid == named.oid))
}
