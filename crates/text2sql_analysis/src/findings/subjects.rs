//! What a question counts, where its query counts something else: rows of another table although one has that name, or
//! rows of a table that the question does not name, where the schema has nothing of that name.

use std::sync::Arc;

use sqlparser::ast::SelectItem;
use text2sql_domain::ports::search_index::ValueHit;
use text2sql_domain::schema::{Table, TableKind};
use text2sql_language::terms::is_function_word;
use text2sql_phrases::say;
use text2sql_sql::tree::walk::output_of;
use text2sql_sql::tree::{Aggregate, Block, Tree, aggregate};

use super::copies::Counted;
use super::said::{Asked, Said, tables_read};
use super::{Check, Finding};

pub(super) fn find(
    tree: &Tree<'_>,
    tables: &[Arc<Table>],
    said: &Said<'_>,
    asked: &Asked<'_>,
) -> Option<Finding> {
    let [block] = tree.blocks.as_slice() else {
        return None;
    };
    let [source] = block.sources.as_slice() else {
        return None;
    };
    let counted = source.table()?;
    let shares = |name: &str| {
        let terms = said.analyzer.terms_of_name(name);
        terms.iter().any(|term| said.has_term(term))
    };
    let is_said = shares(&counted.name) || counted.synonyms.iter().any(|name| shares(name));
    if is_said || !counts_rows(block, counted) || !asked.definitions.is_empty() {
        return None;
    }
    other_number(block, counted, tables, said)
        .or_else(|| unknown_thing(tree, counted, tables, said, asked.values))
}

/// Whether all figures of a block are numbers of its rows.
fn counts_rows(block: &Block<'_>, table: &Table) -> bool {
    let is_key = |call: &Aggregate<'_>| {
        call.argument.is_none_or(|argument| {
            let name = argument.to_string();
            let name = name.rsplit('.').next().unwrap_or_default();
            table.primary_key == [name]
        })
    };
    let mut figures = block
        .select
        .projection
        .iter()
        .filter_map(|item| aggregate(output_of(item)?));
    let first = figures.next();
    first.is_some_and(|call| call.name == "count" && is_key(&call)) && figures.next().is_none()
}

fn is_plain(table: &Table) -> bool {
    matches!(table.kind, TableKind::Table | TableKind::PartitionedTable) && table.made_of.is_empty()
}

/// All rows of a table counted, where the question asks for no more than the number of another one's: the data say
/// whether there are as many.
fn other_number(
    block: &Block<'_>,
    counted: &Table,
    tables: &[Arc<Table>],
    said: &Said<'_>,
) -> Option<Finding> {
    let [SelectItem::UnnamedExpr(_) | SelectItem::ExprWithAlias { .. }] =
        block.select.projection.as_slice()
    else {
        return None;
    };
    let is_whole = block.filters().is_empty()
        && !super::grouping::is_grouped(block)
        && block.select.having.is_none();
    let named = |table: &&Arc<Table>| {
        let names = std::iter::once(&table.name).chain(&table.synonyms);
        let lengths = names.filter_map(|name| Counted::of(said).names_after(said, name, 0));
        lengths.max().map(|length| (length, Arc::clone(table)))
    };
    let mut all: Vec<(usize, Arc<Table>)> = tables
        .iter()
        .filter(|table| is_plain(table))
        .filter_map(|table| named(&table))
        .collect();
    let longest = all.iter().map(|(length, _)| *length).max()?;
    all.retain(|(length, _)| *length == longest);
    let [(_, target)] = all.as_slice() else {
        return None;
    };
    // "How many orders were paid?" may well be the number of payments.
    let terms = said.analyzer.terms_of_name(&target.name);
    let plain = said.question.plain_words();
    let says_no_more = said.words().iter().all(|word| {
        is_function_word(word)
            || plain.is_general(word)
            || plain.is_function(word)
            || terms.contains(&said.analyzer.stem(word))
            || target.synonyms.iter().any(|name| {
                let terms = said.analyzer.terms_of_name(name);
                terms.contains(&said.analyzer.stem(word))
            })
    });
    if !is_whole || !is_plain(counted) || !says_no_more {
        return None;
    }
    let sql = format!(
        "SELECT 1 WHERE (SELECT count(*) FROM {}) <> (SELECT count(*) FROM {})",
        counted.sql_name(),
        target.sql_name()
    );
    let evidence = say!(
        "The question counts {target}, and the query counts the rows of {counted}, which are another number.",
        target = target.sql_name(),
        counted = counted.sql_name()
    );
    let fix = format!("FROM {}", target.sql_name());
    Some(Finding::asked_of_data(Check::Name, sql, evidence, fix))
}

/// "Boats per country" counted over customers, where nothing is called boats: people have their own words, so this proves
/// nothing, but the reader should know what was counted.
fn unknown_thing(
    tree: &Tree<'_>,
    counted: &Table,
    tables: &[Arc<Table>],
    said: &Said<'_>,
    values: &[(String, ValueHit)],
) -> Option<Finding> {
    // A name in another language may be a word of it.
    if said.question.written_language() != Some("en") {
        return None;
    }
    let words = said.words();
    let starts = Counted::of(said);
    let place = starts.first().unwrap_or_else(|| {
        let is_general =
            |word: &String| is_function_word(word) || said.question.plain_words().is_general(word);
        words.iter().take_while(|word| is_general(word)).count()
    });
    let word = words.get(place)?;
    let next = words.get(place + 1).map(String::as_str);
    let stem = said.analyzer.stem(word);
    let plain = said.question.plain_words();
    // One word by itself: the word after an adjective may be the name.
    let is_alone = next.is_none_or(|next| is_function_word(next) || plain.is_function(next));
    let is_word = word.chars().count() > 3
        && word.ends_with('s')
        && word.chars().all(char::is_alphabetic)
        && !plain.is_general(word)
        && !is_function_word(word);
    let has = |text: &str| {
        let terms = said.analyzer.terms_of_name(text);
        terms.iter().any(|term| {
            *term == stem
                || (stem.chars().count() > 3 && term.contains(stem.as_str()))
                || (term.chars().count() > 3 && stem.contains(term.as_str()))
        })
    };
    let is_known = tables.iter().any(|table| {
        let columns = table.columns.iter().any(|column| {
            let values = column
                .statistics
                .iter()
                .flat_map(|own| &own.most_common_values);
            has(&column.name)
                || column.comment.as_deref().is_some_and(has)
                || column.synonyms.iter().chain(values).any(|name| has(name))
        });
        columns
            || has(&table.name)
            || table.comment.as_deref().is_some_and(has)
            || table.synonyms.iter().any(|name| has(name))
    });
    let is_value = values.iter().any(|(phrase, _)| has(phrase));
    let reads_one = tables_read(tree).count() == 1;
    (is_word && is_alone && !is_known && !is_value && reads_one).then(|| {
        Check::Name.doubt(say!(
            "Nothing here is called '{word}': the query counts the rows of {table}.",
            word,
            table = counted.sql_name()
        ))
    })
}
