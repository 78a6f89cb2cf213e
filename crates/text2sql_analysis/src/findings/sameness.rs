//! Different rows and groups: "how many different", "for each".

use sqlparser::ast::{GroupByExpr, SetExpr};
use text2sql_domain::sql_result::Execution;
use text2sql_phrases::say;
use text2sql_sql::tree::syntax::is_constant;
use text2sql_sql::tree::walk::output_of;
use text2sql_sql::tree::{Place, Tree, aggregate, aggregates};

use super::fan_out::repetition_query;
use super::said::Said;
use super::{Basis, Check, Finding, Severity};

/// Words for different ones.
pub(super) const DIFFERENT: [&str; 22] = [
    "different",
    "distinct",
    "unique",
    "differing",
    "verschiedene",
    "verschiedenen",
    "unterschiedliche",
    "unterschiedlichen",
    "eindeutige",
    "diferentes",
    "distintos",
    "distintas",
    "differents",
    "differentes",
    "distincts",
    "distinctes",
    "diversi",
    "diverse",
    "verschillende",
    "unieke",
    "deduplicated",
    "nonrepeating",
];
pub(super) fn find(
    tree: &Tree<'_>,
    said: &Said<'_>,
    execution: Option<&Execution>,
) -> Vec<Finding> {
    let mut found = Vec::new();
    found.extend(repeated(tree, said, execution));
    found.extend(counted(tree, said));
    found.extend(ungrouped(tree, said, execution));
    found.extend(unnamed(tree, said, execution));
    found.extend(twice(tree));
    found
}

/// Words for each of several.
const EACH: [&str; 8] = [
    "each", "every", "jede", "jeden", "jeder", "jedes", "jedem", "chaque",
];

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
    let is_listed = [
        "show all",
        "show the",
        "list all",
        "list the",
        "what are the",
        "give the",
    ]
    .iter()
    .any(|start| said.question.folded().starts_with(start));
    let is_named = said.names(&said.analyzer.terms_of_name(&column));
    (is_named && is_listed && !is_ordered && block.select.having.is_none()).then_some(column)
}

/// Groups of which only a figure is shown.
fn unnamed(tree: &Tree<'_>, said: &Said<'_>, execution: Option<&Execution>) -> Option<Finding> {
    let rows = execution
        .map(|execution| execution.rows.len())
        .filter(|rows| *rows > 1)?;
    let [block] = tree.blocks.as_slice() else {
        return None;
    };
    let is_grouped =
        matches!(&block.select.group_by, GroupByExpr::Expressions(groups, _) if !groups.is_empty());
    let shows_figures_only = block
        .select
        .projection
        .iter()
        .all(|item| output_of(item).is_some_and(|output| aggregate(output).is_some()));
    let word = each(tree, said).or_else(|| grouped_name(tree, said))?;
    (is_grouped && shows_figures_only).then(|| {
        Finding::new(
            Check::Grouping,
            Severity::Error,
            Basis::Proved,
            say!("The question asks for a figure for {word}, and the {rows} rows do not say of which they are.", word, rows),
        )
    })
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
    Some(Finding::new(
        Check::Repeated,
        Severity::Error,
        Basis::Proved,
        evidence,
    ))
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
        DIFFERENT.contains(&word.as_str())
            && words
                .get(place + 1..words.len().min(place + 3))
                .is_some_and(|next| next.iter().any(is_shown))
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
        [
            "how many",
            "number of",
            "wie viele",
            "count the",
            "count of",
            "anzahl der",
        ]
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

/// One figure for all, where the question asks for one for each.
fn ungrouped(tree: &Tree<'_>, said: &Said<'_>, execution: Option<&Execution>) -> Option<Finding> {
    let rows = execution.map(|execution| execution.rows.len());
    let [block] = tree.blocks.as_slice() else {
        return None;
    };
    // A quotient of two figures may be what each has on average.
    let are_figures = block
        .select
        .projection
        .iter()
        .all(|item| output_of(item).is_some_and(|output| aggregate(output).is_some()));
    let is_single = are_figures
        && matches!(&block.select.group_by, GroupByExpr::Expressions(groups, _) if groups.is_empty())
        && block.select.having.is_none();
    let word = each(tree, said).filter(|_| !said.has_phrase("on average"))?;
    (is_single && rows == Some(1)).then(|| {
        Finding::new(
            Check::Grouping,
            Severity::Error,
            Basis::Proved,
            say!(
                "The question asks for a figure '{word}', and the query gives one for all.",
                word
            ),
        )
        .with_fix("GROUP BY")
    })
}
