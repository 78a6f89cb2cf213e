//! Different rows: "how many different".

use sqlparser::ast::SetExpr;
use text2sql_domain::sql_result::Execution;
use text2sql_domain::words;
use text2sql_phrases::say;
use text2sql_sql::tree::syntax::is_constant;
use text2sql_sql::tree::walk::output_of;
use text2sql_sql::tree::{Place, Tree, aggregate, aggregates};

use super::fan_out::repetition_query;
use super::said::Said;
use super::{Basis, Check, Finding, Severity};

/// Words for different ones.
const DIFFERENT: &[&str] = words!(
    "different, distinct, unique, differing, verschiedene, verschiedenen, unterschiedliche, \
     unterschiedlichen, eindeutige, diferentes, distintos, distintas, differents, \
     differentes, distincts, distinctes, diversi, diverse, verschillende, unieke, \
     deduplicated, nonrepeating"
);
pub(super) fn find(
    tree: &Tree<'_>,
    said: &Said<'_>,
    execution: Option<&Execution>,
) -> Vec<Finding> {
    let mut found = Vec::new();
    found.extend(repeated(tree, said, execution));
    found.extend(counted(tree, said));
    found.extend(twice(tree));
    found
}

/// The same output twice, and two equal parts of a set operation: one of them was meant otherwise.
fn twice(tree: &Tree<'_>) -> Option<Finding> {
    let top = tree.blocks.iter().find(|block| block.place == Place::Top);
    let outputs: Vec<String> = top
        .into_iter()
        .flat_map(|block| &block.select.projection)
        .filter_map(output_of)
        .filter(|output| !is_constant(output))
        .map(|output| output.to_string().to_lowercase())
        .collect();
    let repeated = outputs
        .iter()
        .enumerate()
        .find(|(place, output)| outputs.iter().skip(place + 1).any(|other| other == *output));
    let branches: Vec<String> = tree
        .blocks
        .iter()
        .filter(|block| block.place == Place::Branch)
        .map(|block| block.select.to_string().to_lowercase())
        .collect();
    let same = branches.iter().enumerate().find(|(place, branch)| {
        branches
            .iter()
            .skip(place + 1)
            .any(|other| other == *branch)
    });
    let evidence = match (repeated, same) {
        (Some((_, output)), _) => say!("The result has `{output}` twice.", output),
        (None, Some((_, branch))) => say!(
            "Two parts of the query are the same: `{branch}`.",
            branch = text2sql_language::english::shorten(branch, 120)
        ),
        (None, None) => return None,
    };
    Some(Check::Repeated.error(evidence))
}

/// Whether the question asks for different ones of what a block shows.
fn asks_different(tree: &Tree<'_>, block: usize, said: &Said<'_>) -> bool {
    let words = said.words();
    let shown: Vec<String> = tree
        .block(block)
        .into_iter()
        .flat_map(|block| &block.select.projection)
        .filter_map(output_of)
        .filter_map(|output| tree.resolve(block, output))
        .flat_map(|column| {
            let mut terms = said.analyzer.terms_of_name(&column.column).to_vec();
            // A reference to a college is called like it, whatever its column is called.
            if let Some((table, column)) = tree.column(&column) {
                let keys = table.foreign_keys.iter();
                let keys = keys.filter(|key| key.columns == [column.name.clone()]);
                terms.extend(
                    keys.flat_map(|key| said.analyzer.terms_of_name(&key.target_name).to_vec()),
                );
            }
            terms
        })
        .collect();
    // A name without a break: "unit price" of `unitprice`.
    let is_shown = |word: &String| {
        let stem = said.analyzer.stem(word);
        shown
            .iter()
            .any(|term| *term == stem || (stem.chars().count() > 3 && term.contains(&stem)))
    };
    words.iter().enumerate().any(|(place, word)| {
        let next = words
            .get(place + 1..words.len().min(place + 3))
            .unwrap_or_default();
        DIFFERENT.contains(&word.as_str())
            && (next.iter().any(is_shown) || is_shown(&next.concat()))
    })
}

/// A list of different ones with equal rows.
fn repeated(tree: &Tree<'_>, said: &Said<'_>, execution: Option<&Execution>) -> Option<Finding> {
    let execution = execution?;
    let mut tops = tree.blocks.iter().enumerate();
    let (position, top) = tops.find(|(_, block)| block.place == Place::Top)?;
    let mut outputs = top.select.projection.iter().filter_map(output_of);
    let is_list = outputs.all(|output| aggregate(output).is_none())
        && top.select.distinct.is_none()
        && top
            .query
            .is_some_and(|query| matches!(&*query.body, SetExpr::Select(_)));
    // "The number of different" may be asked of another column than those listed.
    let counts = said.has_phrase("how many")
        || said.has_phrase("number of")
        || said.has_any(&["count", "wie"]);
    if !is_list || counts || !asks_different(tree, position, said) {
        return None;
    }
    let mut seen = std::collections::HashSet::new();
    let row = |row: &Vec<text2sql_domain::sql_result::Cell>| -> Vec<Option<String>> {
        row.iter().map(|cell| cell.text.clone()).collect()
    };
    let is_repeated = execution.rows.iter().any(|cells| !seen.insert(row(cells)));
    is_repeated.then(|| {
        Finding::new(
            Check::Repeated,
            Severity::Error,
            Basis::Measured,
            say!("The question asks for different ones, and the result has equal rows."),
        )
        .with_fix("DISTINCT")
    })
}

/// `count(x)` for "how many different", where a value occurs twice.
fn counted(tree: &Tree<'_>, said: &Said<'_>) -> Option<Finding> {
    let [block] = tree.blocks.as_slice() else {
        return None;
    };
    let calls = aggregates(block.select, block.query);
    let [call] = calls.as_slice() else {
        return None;
    };
    let column = tree.resolve(0, call.argument?)?;
    let is_asked = DIFFERENT.iter().any(|word| {
        words!("how many, number of, wie viele, count the, count of, anzahl der")
            .iter()
            .any(|count| said.has_phrase(&format!("{count} {word}")))
    });
    if call.name != "count" || call.is_distinct || !is_asked {
        return None;
    }
    let (named, source) = (tree.sql(&column), column.source);
    let evidence = say!(
        "The question asks for different ones, and {call} counts a value of {column} more than once.",
        call = call.call,
        column = tree.label(&column)
    );
    let column = std::slice::from_ref(&column.column);
    let sql = repetition_query(tree, 0, source, column, &[])?;
    let fix = format!("count(DISTINCT {named})");
    Some(Finding::asked_of_data(Check::Repeated, sql, evidence, fix))
}
