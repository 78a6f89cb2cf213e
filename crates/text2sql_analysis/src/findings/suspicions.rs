//! Signs that a query answers another question, none of which proves it: for models that are often wrong.
//!
//! When a strong model writes what the words of a question do not say, it is mostly right: it is judged by proofs alone.
//! When a small model does, it is mostly wrong, and no answer is better.

use std::sync::Arc;

use sqlparser::ast::{Expr, GroupByExpr, LimitClause};
use text2sql_domain::schema::{Table, TypeCategory, quote_literal};
use text2sql_domain::sql_result::{Cell, Execution};
use text2sql_language::stated_periods::stated_periods;
use text2sql_language::terms::fold;
use text2sql_phrases::say;
use text2sql_sql::tree::syntax::{constant_text, is_comparison, without_parentheses};
use text2sql_sql::tree::walk::{expressions, grouped_expressions, output_of};
use text2sql_sql::tree::{Block, JoinKind, Place, Tree, aggregates, parse};

use super::constants::{is_taught, number_text, stands_for};
use super::grouping::{MEAN, is_grouped, shows_figures_only};
use super::said::{Asked, Said, Used, each_expression, is_year, tables_read};
use crate::mend::{Edit, address, apply};

/// Words for each of several.
const EACH: [&str; 12] = [
    "per", "each", "every", "pro", "je", "jede", "jeden", "jeder", "jedes", "jedem", "par",
    "chaque",
];

/// Parts of time that figures are taken apart by.
const UNITS: [&str; 10] = [
    "day", "weekday", "week", "month", "quarter", "year", "hour", "tag", "monat", "jahr",
];

/// Words for a mean that one figure has.
const MEANS: [&str; 5] = [
    "average",
    "avg",
    "durchschnittlich",
    "durchschnittliche",
    "durchschnitt",
];

/// Words that ask for things, not for their number.
const WHICH: [&str; 6] = ["which", "who", "welche", "welcher", "welches", "wer"];

/// Words for which a column has 'M' or 'F'.
const SEXES: [&str; 12] = [
    "male", "female", "men", "women", "man", "woman", "boys", "girls", "manner", "frauen",
    "jungen", "madchen",
];

/// Minimum length of a value that counts as named.
const MIN_CHARS: usize = 3;

/// Numbers that convert units or cut texts, and those of codes for yes and no.
const COMMON: [f64; 9] = [0.0, 1.0, 7.0, 12.0, 24.0, 60.0, 100.0, 365.0, 1_000.0];

/// What speaks against a query that ran.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Suspicions {
    /// A sentence each.
    pub said: Vec<String>,
    /// The query without all that speaks against it, where that can be left out.
    pub simpler: Option<String>,
}

/// A suspicion, with what of the query it is about, if the rest stands by itself.
struct Suspicion {
    said: String,
    edit: Option<Edit>,
}

impl From<String> for Suspicion {
    fn from(said: String) -> Self {
        Self { said, edit: None }
    }
}

/// What speaks against a query that ran.
pub fn find_suspicions(
    sql: &str,
    tables: &[Arc<Table>],
    asked: &Asked<'_>,
    execution: &Execution,
) -> Suspicions {
    let (Ok(Some(mut query)), Some(used)) = (parse(sql), Used::of(sql)) else {
        return Suspicions::default();
    };
    let without_notes = asked.understanding.without_notes();
    let said = Said::of(without_notes.as_ref().unwrap_or(asked.understanding));
    let tree = Tree::read(&query, tables);
    let alone = [
        no_table(&tree),
        nothing_found(execution),
        one_figure(&tree, tables, &said, execution),
        value_missing(&tree, &used, &said, asked),
        number_missing(&used, &said),
        constant_added(&tree, &said, asked),
        null_added(&tree, &said),
        other_kind(&tree, &said, execution),
        other_thing(&tree, tables, &used, &said),
        counted_numbers(&tree),
        nameless_groups(&tree, execution),
    ];
    let mut suspicions: Vec<Suspicion> = alone.into_iter().flatten().map(Suspicion::from).collect();
    let joined = join_added(&tree, &said);
    // The join may be what repeats them.
    if joined.is_none() {
        suspicions.extend(rows_repeated(&tree, execution));
    }
    suspicions.extend(joined);
    drop(tree);
    let said = suspicions.iter().map(|one| one.said.clone()).collect();
    let edits: Option<Vec<Edit>> = suspicions.into_iter().map(|one| one.edit).collect();
    let edits = edits.filter(|edits| !edits.is_empty());
    let simpler = edits.is_some_and(|edits| apply(&mut query, edits));
    Suspicions {
        said,
        simpler: simpler.then(|| query.to_string()),
    }
}

/// `SELECT 1` answers no question about data.
fn no_table(tree: &Tree<'_>) -> Option<String> {
    let mut sources = tree.blocks.iter().flat_map(|block| &block.sources);
    sources.next().is_none().then(|| say!("it reads no table"))
}

/// No rows, or one without a value, or a count of none.
fn nothing_found(execution: &Execution) -> Option<String> {
    let is_none = |text: Option<&str>| text.is_none_or(|text| text == "0");
    let holds_nothing = match execution.rows.as_slice() {
        [] => true,
        [row] => row.iter().all(|cell| is_none(cell.text.as_deref())),
        _ => false,
    };
    holds_nothing.then(|| say!("it finds nothing"))
}

/// One figure, where the question asks for one for each.
fn one_figure(
    tree: &Tree<'_>,
    tables: &[Arc<Table>],
    said: &Said<'_>,
    execution: &Execution,
) -> Option<String> {
    let words = said.question.words();
    let apart = words.windows(2).find(|pair| match pair {
        [before, after] => {
            let is_unit = UNITS.contains(&after.as_str());
            EACH.contains(&before.as_str())
                || before == "by" && (is_unit || is_name_of(tables, said, after))
        }
        _ => false,
    })?;
    let is_one = matches!(execution.rows.as_slice(), [row] if row.len() == 1);
    let is_plain = !tree.blocks.iter().any(is_grouped);
    // "Litres per wine on average" is one figure of the wines.
    let stem = apart.last().map(|word| said.analyzer.stem(word))?;
    let is_mean_of_rows = said.has_any(&MEAN)
        && (tree.blocks.len() > 1
            || tables_read(tree).any(|table| {
                let terms = said.analyzer.terms_of_name(&table.name);
                terms.contains(&stem)
            }));
    (is_one && is_plain && !is_mean_of_rows).then(|| {
        let words = apart.join(" ");
        say!(
            "the question asks for a figure '{words}', and the query gives one for all",
            words
        )
    })
}

/// Whether a word is a part of the name of any table or column that the model was shown.
fn is_name_of(tables: &[Arc<Table>], said: &Said<'_>, word: &str) -> bool {
    let stem = said.analyzer.stem(word);
    tables.iter().any(|table| {
        let columns = table.columns.iter().map(|column| &column.name);
        let mut names = std::iter::once(&table.name)
            .chain(columns)
            .chain(&table.synonyms);
        names.any(|name| said.analyzer.terms_of_name(name).contains(&stem))
    })
}

/// `count(dock_count)`: how many rows have a number, where the numbers are to be added up.
fn counted_numbers(tree: &Tree<'_>) -> Option<String> {
    tree.blocks
        .iter()
        .enumerate()
        .find_map(|(position, block)| {
            let calls = aggregates(block.select, block.query);
            let call = calls.iter().find(|call| {
                let column = call
                    .argument
                    .and_then(|argument| tree.resolve(position, argument));
                let column = column.as_ref().and_then(|column| tree.column(column));
                call.name == "count"
                    && !call.is_distinct
                    && column.is_some_and(|(table, column)| {
                        let is_key = table.primary_key.contains(&column.name)
                            || table
                                .foreign_keys
                                .iter()
                                .any(|key| key.columns.contains(&column.name));
                        let name = column.name.to_lowercase();
                        let is_number = matches!(
                            column.category,
                            TypeCategory::Integer | TypeCategory::Number
                        );
                        is_number
                            && !is_key
                            && (name.contains("count")
                                || name.contains("num")
                                || name.contains("quantity"))
                    })
            })?;
            let call = call.call.to_string();
            Some(say!(
                "`{call}` counts rows, and does not add up their numbers",
                call
            ))
        })
}

/// A stored value of the question that the query does not have.
fn value_missing(
    tree: &Tree<'_>,
    used: &Used,
    said: &Said<'_>,
    asked: &Asked<'_>,
) -> Option<String> {
    let plain = said.question.plain_words();
    let has = |text: &str| {
        used.texts.iter().any(|own| {
            let own = own.trim_matches(['%', '_', ' ']);
            !own.is_empty() && (own.contains(text) || text.contains(own))
        })
    };
    let missing = asked.values.iter().find(|(phrase, _)| {
        let phrase = fold(phrase);
        let is_word = |word: &str| {
            plain.is_general(word) || plain.is_function(word) || said.is_name(tree, word)
        };
        let is_value = phrase.chars().count() >= MIN_CHARS
            && phrase.chars().any(char::is_alphabetic)
            && !phrase.split(|c: char| !c.is_alphanumeric()).all(is_word);
        let mut hits = asked.values.iter().filter(|(own, _)| fold(own) == phrase);
        is_value && !has(&phrase) && !hits.any(|(_, hit)| has(&fold(&hit.value)))
    });
    missing.map(|(phrase, _)| {
        say!(
            "the question names {value}, and the query does not",
            value = quote_literal(phrase)
        )
    })
}

/// A number of the question that the query does not have.
fn number_missing(used: &Used, said: &Said<'_>) -> Option<String> {
    let mut numbers = said.question.numbers().iter();
    let missing = numbers.find(|number| {
        let is_used = |own: &f64| {
            [*own, own - 1.0, own + 1.0, own * 100.0, own / 100.0]
                .into_iter()
                .any(|own| number.matches(own))
        };
        number.is_plain() && !number.matches(1.0) && !used.numbers.iter().any(is_used)
    })?;
    let text = said
        .question
        .folded()
        .get(missing.start..)
        .unwrap_or_default();
    let text = number_text(text);
    Some(say!(
        "the question says {number}, and the query does not",
        number = text
    ))
}

/// A comparison with what the question does not say.
fn constant_added(tree: &Tree<'_>, said: &Said<'_>, asked: &Asked<'_>) -> Option<String> {
    let has_period = !(asked.periods.is_empty()
        && said.question.periods().is_empty()
        && stated_periods(said.question).is_empty());
    // "Rustikal" is 'rustic': where the query finds rows, the model may know.
    let is_translated = said.question.written_language() != Some("en");
    let is_meant = |text: &str| {
        let is_in_question = match text.chars().count() < MIN_CHARS {
            true => is_code_of(said, text),
            false => said.says(text),
        };
        is_in_question
            || is_taught(asked, text)
            || asked
                .values
                .iter()
                .any(|(_, hit)| fold(&hit.value) == fold(text))
    };
    let is_stated = |number: f64| {
        let mut stated = said.question.numbers().iter();
        COMMON.contains(&number)
            || has_period && number.fract() == 0.0
            || stated.any(|stated| stands_for(stated, number))
    };
    // Which days they are is judged by the period.
    let has_days = has_period || said.question.words().iter().any(|word| is_year(word));
    let is_said = |constant: &Expr| match constant_text(constant) {
        Some(text) if text.starts_with(|c: char| c.is_ascii_digit()) => {
            has_days || is_meant(text) || text.parse().is_ok_and(is_stated)
        }
        Some(text) => is_translated || is_meant(text),
        None => {
            let text = without_parentheses(constant).to_string();
            text.parse().map_or(true, is_stated)
        }
    };
    let mut added = None;
    each_expression(tree, &mut |_, part| {
        let constants: Vec<&Expr> = match part {
            Expr::BinaryOp { left, op, right } if is_comparison(op) => {
                vec![left, right]
            }
            Expr::InList { list, .. } => list.iter().collect(),
            Expr::Between { low, high, .. } => vec![low, high],
            Expr::Like { pattern, .. } | Expr::ILike { pattern, .. } => vec![pattern],
            _ => return,
        };
        if added.is_none() && constants.into_iter().any(|constant| !is_said(constant)) {
            added = Some(part.to_string());
        }
    });
    let limits = tree
        .blocks
        .iter()
        .filter_map(|block| match &block.query?.limit_clause {
            Some(LimitClause::LimitOffset {
                limit: Some(limit), ..
            }) => Some(limit),
            _ => None,
        });
    for limit in limits {
        if added.is_none() && !is_said(limit) {
            added = Some(format!("LIMIT {limit}"));
        }
    }
    added.map(|condition| say!("the question says nothing of `{condition}`", condition))
}

/// Whether a code of one or two letters may stand for a word of the question: it begins so, or says a sex. 'R' is in "are",
/// too, but is no code of it.
fn is_code_of(said: &Said<'_>, text: &str) -> bool {
    let code = fold(text);
    let code = code.trim_matches(|c: char| !c.is_alphanumeric());
    let is_sex = matches!(code, "m" | "f" | "w") && said.has_any(&SEXES);
    is_sex || said.words().iter().any(|word| word.starts_with(code))
}

/// A test for NULL on a column that the question does not name.
fn null_added(tree: &Tree<'_>, said: &Said<'_>) -> Option<String> {
    let mut added = None;
    each_expression(tree, &mut |block, part| {
        let (Expr::IsNull(column) | Expr::IsNotNull(column)) = part else {
            return;
        };
        let is_named = tree.resolve(block, column).is_none_or(|reference| {
            let terms = said.analyzer.terms_of_name(&reference.column);
            let is_optional = tree.is_optional(reference.block, reference.source);
            is_optional || terms.iter().any(|term| said.has_term(term))
        });
        if added.is_none() && !is_named && matches!(part, Expr::IsNull(_)) {
            added = Some(part.to_string());
        }
    });
    added.map(|condition| say!("the question says nothing of `{condition}`", condition))
}

/// An inner join with a table that nothing else uses and the question does not name: it loses rows or repeats them.
fn join_added(tree: &Tree<'_>, said: &Said<'_>) -> Option<Suspicion> {
    tree.blocks
        .iter()
        .enumerate()
        .find_map(|(position, block)| {
            let mut sources = block.sources.iter().enumerate();
            let (at, source) = sources.find(|(at, source)| {
                let is_joined = matches!(source.join, JoinKind::Inner | JoinKind::First);
                let table = source.table().filter(|_| is_joined && !source.is_nested);
                table.is_some_and(|table| {
                    let is_counted = *at == 0 && !aggregates(block.select, block.query).is_empty();
                    !is_counted
                        && !is_said(said, table, block)
                        && is_idle(tree, block, (position, *at))
                })
            })?;
            let table = source.table()?.sql_name();
            // The second source stands first then, without a condition.
            let is_free = at > 0
                || block
                    .sources
                    .get(1)
                    .is_some_and(|next| next.join == JoinKind::Inner);
            Some(Suspicion {
                said: say!(
                    "it joins {table}, of which the question says nothing",
                    table
                ),
                edit: is_free.then(|| Edit::Leave {
                    at: address(source.factor),
                }),
            })
        })
}

/// Whether a question has a word of a table's name that is not the name of another table of the block: "customers" say
/// nothing of `customer_addresses` beside `customers`.
fn is_said(said: &Said<'_>, table: &Table, block: &Block<'_>) -> bool {
    let others = block.sources.iter().filter_map(|source| source.table());
    let others: Vec<String> = others
        .filter(|other| other.oid != table.oid)
        .flat_map(|other| said.analyzer.terms_of_name(&other.name).to_vec())
        .collect();
    let mut names = std::iter::once(&table.name).chain(&table.synonyms);
    names.any(|name| {
        let terms = said.analyzer.terms_of_name(name);
        terms
            .iter()
            .any(|term| !others.contains(term) && said.has_term(term))
    })
}

/// Whether a source is used by one join, and by nothing else.
fn is_idle(tree: &Tree<'_>, block: &Block<'_>, (position, at): (usize, usize)) -> bool {
    let uses = |block: usize, expression: &Expr| {
        let columns = tree.columns_in(block, expression);
        let mut columns = columns.iter();
        columns.any(|column| column.block == position && column.source == at)
    };
    let mut joins = 0;
    for source in &block.sources {
        let mut conditions = source.conditions.iter();
        joins += usize::from(conditions.any(|condition| uses(position, condition)));
    }
    let has_named_columns = block.sources.iter().any(|source| !source.shared.is_empty());
    let shows_all = block
        .select
        .projection
        .iter()
        .any(|item| output_of(item).is_none());
    let is_used = tree.blocks.iter().enumerate().any(|(place, block)| {
        // In the block itself, everything but the conditions of joins.
        let mut all = match place == position {
            true => grouped_expressions(block.select, block.query),
            false => expressions(block.select, block.query),
        };
        all.extend(&block.select.selection);
        if let GroupByExpr::Expressions(groups, _) = &block.select.group_by {
            all.extend(groups);
        }
        all.into_iter().any(|expression| uses(place, expression))
    });
    joins == 1 && !has_named_columns && !shows_all && !is_used
}

/// The same names several times, because of a join.
fn rows_repeated(tree: &Tree<'_>, execution: &Execution) -> Option<Suspicion> {
    let top = tree.blocks.iter().find(|block| block.place == Place::Top)?;
    let is_list = aggregates(top.select, top.query).is_empty() && !is_grouped(top);
    let shown = |row: &Vec<Cell>| -> Vec<Option<String>> {
        row.iter().map(|cell| cell.text.clone()).collect()
    };
    let mut rows: Vec<_> = execution.rows.iter().map(shown).collect();
    let all = rows.len();
    rows.sort();
    rows.dedup();
    (is_list && top.sources.len() > 1 && rows.len() < all).then(|| Suspicion {
        said: say!("it shows the same rows several times"),
        edit: Some(Edit::Distinct {
            select: address(top.select),
        }),
    })
}

/// Another kind of answer: rows in place of their number, a number in place of rows, no average where one is asked for.
fn other_kind(tree: &Tree<'_>, said: &Said<'_>, execution: &Execution) -> Option<String> {
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
    let mut first = said.question.words().iter().take(3);
    let asks_things = first.any(|word| WHICH.contains(&word.as_str()));
    if asks_things && !calls.is_empty() && shows_figures_only(top) {
        return Some(say!(
            "the question asks which ones, and the query shows figures only"
        ));
    }
    let mut has_mean = false;
    each_expression(tree, &mut |_, part| {
        let text = part.to_string().to_lowercase();
        has_mean |= text.contains("avg") || text.contains('/');
    });
    (said.has_any(&MEANS) && !has_mean)
        .then(|| say!("the question asks for an average, and the query takes none"))
}

/// A figure for each group, and nothing that says which group it is of.
fn nameless_groups(tree: &Tree<'_>, execution: &Execution) -> Option<String> {
    let top = tree.blocks.iter().find(|block| block.place == Place::Top)?;
    (is_grouped(top) && shows_figures_only(top) && execution.rows.len() > 1)
        .then(|| say!("its figures do not say of which group they are"))
}

/// "How many films", where the query reads nothing of that name, and the schema has it.
fn other_thing(
    tree: &Tree<'_>,
    tables: &[Arc<Table>],
    used: &Used,
    said: &Said<'_>,
) -> Option<String> {
    let words = said.question.words();
    let begins = |pair: &[String]| {
        matches!(pair, [one, other] if matches!(
            (one.as_str(), other.as_str()),
            ("how", "many") | ("number", "of") | ("wie", "viele") | ("wie", "vielen")
        ))
    };
    let at = words.windows(2).position(begins)?;
    let thing = words.get(at + 2)?;
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
