//! What a query is about: another kind of answer, or other things, than the question asks for.

use std::sync::Arc;

use sqlparser::ast::Expr;
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::Token;
use text2sql_domain::schema::Table;
use text2sql_domain::sql_result::Execution;
use text2sql_domain::words;
use text2sql_language::terms::fold;
use text2sql_phrases::say;
use text2sql_sql::tree::syntax::{constant_text, is_comparison, is_number};
use text2sql_sql::tree::walk::output_of;
use text2sql_sql::tree::{Place, Tree, aggregates};

use crate::findings::grouping::{is_grouped, shows_figures_only};
use crate::findings::said::{Said, Used, each_expression, tables_read};

/// Words that ask for things, not for their number.
const WHICH: [&str; 6] = ["which", "who", "welche", "welcher", "welches", "wer"];

/// Words that ask for a number or an amount.
const NUMBERS: &[&str] = words!(
    "how, many, much, number, count, total, sum, average, share, percentage, percent, rate, \
     ratio, wie, viele, anzahl, anteil, summe"
);

/// Words whose negation is another comparison.
const FLIPPED: [&str; 9] = [
    "since", "after", "before", "until", "than", "seit", "nach", "vor", "als",
];

/// Words for a part of a whole.
const SHARES: &[&str] = words!("share, percentage, percent, proportion, fraction, anteil, prozent");

/// Words for a mean that one figure has.
const MEANS: &[&str] = words!("average, avg, durchschnittlich, durchschnittliche, durchschnitt");

/// `SELECT 1` answers no question about data.
pub(super) fn no_table(tree: &Tree<'_>) -> Option<String> {
    let mut sources = tree.blocks.iter().flat_map(|block| &block.sources);
    sources.next().is_none().then(|| say!("it reads no table"))
}

/// No rows, or one without a value, or a count of none.
pub(super) fn nothing_found(execution: &Execution) -> Option<String> {
    let is_none = |text: Option<&str>| text.is_none_or(|text| text == "0");
    let holds_nothing = match execution.rows.as_slice() {
        [] => true,
        [row] => row.iter().all(|cell| is_none(cell.text.as_deref())),
        _ => false,
    };
    holds_nothing.then(|| say!("it finds nothing"))
}

/// Another kind of answer: rows in place of their number, a number in place of rows, no average where one is asked for.
pub(super) fn other_kind(
    tree: &Tree<'_>,
    said: &Said<'_>,
    execution: &Execution,
) -> Option<String> {
    let top = tree.blocks.iter().find(|block| block.place == Place::Top)?;
    let calls = aggregates(top.select, top.query);
    let question = said.question.folded();
    let begins = |all: &[&str]| all.iter().any(|words| question.starts_with(words));
    let is_list = calls.is_empty() && execution.rows.len() > 1;
    if begins(&["how many", "wie viele", "number of", "anzahl"]) && is_list && !is_grouped(top) {
        return Some(say!(
            "the question asks for a number, and the query lists rows"
        ));
    }
    if asks_things(said) && !calls.is_empty() && shows_figures_only(top) {
        return Some(say!(
            "the question asks which ones, and the query shows figures only"
        ));
    }
    let asks_number = said.has_any(NUMBERS);
    let mut first = said.question.words().iter().take(1);
    let lists = first.any(|word| word.ends_with('s') && !said.question.is_function_word(word));
    let counts = calls.iter().all(|call| call.name == "count");
    if lists && !asks_number && counts && shows_figures_only(top) && !is_grouped(top) {
        return Some(say!(
            "the question asks which ones, and the query shows figures only"
        ));
    }
    let mut has_mean = false;
    each_expression(tree, &mut |_, part| {
        let text = part.to_string().to_lowercase();
        has_mean |= text.contains("avg") || text.contains('/');
    });
    (said.has_any(MEANS) && !has_mean)
        .then(|| say!("the question asks for an average, and the query takes none"))
}

/// Whether it asks which ones: "Which doctors …", "Are there any …, and which?"
fn asks_things(said: &Said<'_>) -> bool {
    let words = said.question.words();
    let (first, last) = (words.iter().take(3), words.last());
    first.chain(last).any(|word| WHICH.contains(&word.as_str()))
}

/// "How many films", where the query reads nothing of that name, and the schema has it.
pub(super) fn other_thing(
    tree: &Tree<'_>,
    tables: &[Arc<Table>],
    used: &Used,
    said: &Said<'_>,
) -> Option<String> {
    let thing = said.counted_thing()?;
    let stem = said.analyzer.stem(&fold(thing));
    let is_near = |name: &str| {
        let terms = said.analyzer.terms_of_name(name);
        let mut terms = terms.iter();
        terms.any(|term| {
            *term == stem
                || stem.chars().count() > 3 && term.contains(stem.as_str())
                || term.chars().count() > 3 && stem.contains(term.as_str())
        })
    };
    let is_of = |table: &Arc<Table>| {
        let mut names = std::iter::once(&table.name).chain(&table.synonyms);
        let mut columns = table.columns.iter();
        names.any(|name| is_near(name)) || columns.any(|column| is_near(&column.name))
    };
    let is_read = tables_read(tree).any(is_of)
        || used.words.iter().any(|word| is_near(word))
        || used.texts.iter().any(|text| is_near(text));
    let is_elsewhere = tables.iter().any(|table| is_near(&table.name));
    (!is_read && is_elsewhere).then(|| {
        say!(
            "the question counts {thing}, and the query something else",
            thing
        )
    })
}

/// A word that names a table in full, where the query reads nothing of that name.
pub(super) fn table_missing(
    tree: &Tree<'_>,
    tables: &[Arc<Table>],
    used: &Used,
    said: &Said<'_>,
) -> Option<String> {
    tables_read(tree).next()?;
    let words = said.question.words().iter();
    let counted = said.counted_thing();
    let named = words.filter(|word| !said.question.is_function_word(word) && counted != Some(word));
    named
        .filter(|word| !said.is_name(tree, word))
        .find_map(|word| {
            let stem = said.analyzer.stem(word);
            let is_named = |table: &&Arc<Table>| {
                let terms = said.analyzer.terms_of_name(&table.name);
                matches!(terms.as_ref(), [only] if *only == stem)
            };
            let is_used = || {
                let texts = used.words.iter().chain(&used.texts);
                texts.into_iter().any(|text| text.contains(stem.as_str()))
            };
            // A key that points to it stands for it.
            let is_pointed_to = |table: &&Arc<Table>| {
                let mut keys = tables_read(tree).flat_map(|read| &read.foreign_keys);
                keys.any(|key| key.target == table.oid)
            };
            let mut named = tables.iter().filter(is_named);
            named.find(|table| !is_pointed_to(table) && !is_used())
        })
        .map(|table| {
            say!(
                "the question names {table}, and the query does not read it",
                table = table.sql_name()
            )
        })
}

/// What a query was told to look for, in place of what was asked for: `SELECT name … WHERE name = 'Reid'`.
pub(super) fn echoed(tree: &Tree<'_>, said: &Said<'_>) -> Option<String> {
    let position = tree
        .blocks
        .iter()
        .position(|block| block.place == Place::Top)?;
    let top = tree.block(position)?;
    let fixed = tree.fixing(position);
    let mut outputs = top.select.projection.iter().map(output_of);
    let is_told = outputs.all(|output| {
        let column = output.and_then(|output| tree.resolve(position, output));
        column.is_some_and(|column| fixed.is_constant(&column))
    });
    (asks_things(said) && is_told)
        .then(|| say!("it shows nothing but what it was told to look for"))
}

/// Things that are not so, where the query excludes nothing.
pub(super) fn negation_missing(tree: &Tree<'_>, sql: &str, said: &Said<'_>) -> Option<String> {
    // "Not since March" is before it.
    if !said.is_negated() || said.has_any(&FLIPPED) {
        return None;
    }
    let mut excludes = text2sql_sql::reader::tokens(sql)
        .unwrap_or_default()
        .iter()
        .any(|token| match token {
            Token::Word(word) => matches!(
                word.keyword,
                Keyword::NOT | Keyword::EXCEPT | Keyword::LEFT | Keyword::RIGHT | Keyword::FALSE
            ),
            Token::Neq => true,
            _ => false,
        });
    each_expression(tree, &mut |_, part| {
        excludes |= match part {
            Expr::IsNull(_) => true,
            Expr::BinaryOp { left, op, right } => {
                is_comparison(op) && (is_number(left, "0") || is_number(right, "0"))
                    || is_comparison(op) && [left, right].iter().any(|side| is_no(side))
            }
            _ => false,
        };
    });
    (!excludes).then(|| say!("the question excludes something, and the query does not"))
}

/// Whether a constant is a word or code for no: "Did not pay", 'no', 'N'.
fn is_no(constant: &Expr) -> bool {
    constant_text(constant).is_some_and(|text| {
        let text = fold(text);
        text.starts_with('n') || text.contains("not") || text.contains("un") || text == "f"
    })
}

/// A share of more than the whole.
pub(super) fn share_above_all(said: &Said<'_>, execution: &Execution) -> Option<String> {
    let is_of_change = said.has_any(&["growth", "change", "increase", "grew", "wachstum"]);
    let [row] = execution.rows.as_slice() else {
        return None;
    };
    let [cell] = row.as_slice() else { return None };
    let share = cell
        .text
        .as_deref()
        .and_then(|text| text.parse::<f64>().ok())?;
    let is_too_large = said.has_any(SHARES) && !is_of_change && share > 100.0;
    is_too_large.then(|| say!("a share cannot be more than the whole"))
}
