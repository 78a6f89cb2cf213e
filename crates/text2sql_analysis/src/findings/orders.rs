//! What a question says of the order, the number of rows and the aggregate, against the query: the highest and the lowest,
//! the three cheapest, the average and the total.

use sqlparser::ast::{
    Expr, GroupByExpr, LimitClause, OrderByExpr, OrderByKind, OrderByOptions, OrderBySort, Value,
};
use text2sql_domain::schema::{TableKind, TypeCategory};
use text2sql_domain::sql_result::Execution;
use text2sql_domain::words;
use text2sql_language::names;
use text2sql_language::numbers::of_folded;
use text2sql_phrases::say;
use text2sql_sql::tree::keys::meant_by;
use text2sql_sql::tree::walk::output_of;
use text2sql_sql::tree::{Block, Place, Tree, aggregate, aggregates};

use super::said::{Said, Used, aggregates_called};
use super::{Basis, Check, Finding, Severity};

/// Words for the high end of numbers, folded.
const HIGH: &[&str] = words!(
    "top, highest, largest, greatest, biggest, maximum, max, longest, heaviest, tallest, \
     richest, priciest, maximal, maximale, hochste, hochsten, hochster, hochstes, grosste, \
     grossten, grosster, meisten, meiste, langste, langsten, teuerste, teuersten, \
     schwerste, schwersten, maximalen, fastest, busiest"
);
/// Words for the low end of numbers.
const LOW: &[&str] = words!(
    "lowest, smallest, minimum, min, shortest, lightest, cheapest, fewest, slowest, \
     minimal, minimale, niedrigste, niedrigsten, niedrigster, kleinste, kleinsten, \
     kleinster, wenigsten, wenigste, kurzeste, kurzesten, billigste, billigsten, \
     gunstigste, gunstigsten, leichteste, geringste, geringsten"
);
/// Words for the end of days, and for the late end of births.
const LATE: &[&str] = words!(
    "latest, newest, youngest, neueste, neuesten, neuester, jungste, jungsten, jungster, \
     spateste, spatesten, recent, zuletzt"
);
/// Words for the beginning of days.
const EARLY: &[&str] = words!(
    "earliest, oldest, alteste, altesten, altester, fruheste, fruhesten, fruhester, eldest, \
     fruhestes"
);
/// Words after "most" that have no other scale of their own.
const AFTER_MOST: &[&str] =
    words!("expensive, common, popular, frequent, frequently, often, number, total, amount");
/// Words that turn a scale, or that order by something else.
const OTHER_SCALE: &[&str] = words!(
    "rank, ranked, ranking, worst, best, second, third, fourth, except, not, lower, \
     zweithochste, zweitgrosste, last, priority, closest"
);
/// Names of columns in which less is more.
const TURNED_COLUMNS: [&str; 9] = [
    "rank", "position", "place", "priority", "grade", "seed", "level", "order", "class",
];

/// An end of a scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    High,
    Low,
}

pub(super) fn find(
    tree: &Tree<'_>,
    sql: &str,
    said: &Said<'_>,
    execution: Option<&Execution>,
) -> Vec<Finding> {
    let mut found = Vec::new();
    found.extend(other_end(tree, said));
    found.extend(other_count(tree, sql, said));
    found.extend(all_rows(tree, said, execution));
    found.extend(other_aggregate(tree, sql, said));
    found.extend(sorted(tree, said));
    found.extend(keys_added(tree, said));
    found
}

/// A sum or an average of keys, which measure nothing.
fn keys_added(tree: &Tree<'_>, said: &Said<'_>) -> Option<Finding> {
    tree.blocks
        .iter()
        .enumerate()
        .find_map(|(position, block)| {
            aggregates(block.select, block.query)
                .iter()
                .find_map(|call| {
                    let reference = tree.resolve(position, call.argument?)?;
                    let (table, column) = tree.column(&reference)?;
                    let is_key = table.primary_key == [column.name.clone()]
                        || table
                            .foreign_keys
                            .iter()
                            .any(|key| key.columns == [column.name.clone()]);
                    let is_sum = matches!(call.name.as_str(), "sum" | "avg");
                    let terms = said.analyzer.terms_of_name(&column.name);
                    let is_said = terms.iter().all(|term| said.has_term(term));
                    (is_sum && is_key && !is_said).then(|| {
                        proved(
                            Check::Aggregate,
                            say!(
                                "{call} computes with {column}, a key, which measures nothing.",
                                call = call.call,
                                column = tree.label(&reference)
                            ),
                        )
                    })
                })
        })
}

/// Whether one of the words is in the question, but for those of a person's name: "first and last name".
fn says(said: &Said<'_>, words: &[&str]) -> bool {
    let all = said.words();
    all.iter().enumerate().any(|(place, word)| {
        let next = all.get(place + 1).map_or("", String::as_str);
        let is_of_name = matches!(word.as_str(), "first" | "last")
            && matches!(next, "name" | "names" | "and" | "last");
        words.contains(&word.as_str()) && !is_of_name
    })
}

fn proved(check: Check, evidence: String) -> Finding {
    Finding::new(check, Severity::Error, Basis::Proved, evidence)
}

/// The word of the question for an end of numbers, if all such words mean the same.
fn end_of_numbers(said: &Said<'_>, tree: &Tree<'_>) -> Option<(End, String)> {
    let words = said.words();
    let mut ends: Vec<(End, String)> = Vec::new();
    for (place, word) in words.iter().enumerate() {
        if HIGH.contains(&word.as_str()) {
            ends.push((End::High, word.clone()));
        } else if LOW.contains(&word.as_str()) {
            ends.push((End::Low, word.clone()));
        } else if word == "most" || word == "least" {
            let before = place.checked_sub(1).and_then(|before| words.get(before));
            if before.is_some_and(|before| before == "at") {
                continue;
            }
            let next = words.get(place + 1)?;
            let is_clear = AFTER_MOST.contains(&next.as_str()) || said.is_name(tree, next);
            if !is_clear {
                return None;
            }
            let end = match word.as_str() {
                "most" => End::High,
                _ => End::Low,
            };
            ends.push((end, format!("{word} {next}")));
        }
    }
    let first = ends.first()?.clone();
    ends.iter().all(|(end, _)| *end == first.0).then_some(first)
}

/// The word of the question for an end of days, if all such words mean the same.
fn end_of_days(said: &Said<'_>) -> Option<(End, String)> {
    let word = |words: &[&str]| {
        said.words()
            .iter()
            .find(|word| words.contains(&word.as_str()))
    };
    let most_recently = said
        .words()
        .windows(2)
        .find(|pair| *pair == ["most", "recently"])
        .map(|pair| pair.join(" "));
    match (word(LATE).cloned().or(most_recently), word(EARLY)) {
        (Some(late), None) => Some((End::High, late)),
        (None, Some(early)) => Some((End::Low, early.clone())),
        _ => None,
    }
}

/// The only block that takes the first rows of an order, with its first item.
fn first_rows<'t, 'q>(tree: &'t Tree<'q>) -> Option<(usize, &'t Block<'q>, &'q OrderByExpr)> {
    let mut limited = tree.blocks.iter().enumerate().filter(|(_, block)| {
        block
            .query
            .is_some_and(|query| query.limit_clause.is_some())
    });
    let (position, block) = limited.next()?;
    let order = block.query?.order_by.as_ref()?;
    let OrderByKind::Expressions(items) = &order.kind else {
        return None;
    };
    let first = items.first()?;
    limited.next().is_none().then_some((position, block, first))
}

/// The first rows of the other end of the order.
fn other_end(tree: &Tree<'_>, said: &Said<'_>) -> Option<Finding> {
    if says(said, OTHER_SCALE) {
        return None;
    }
    let numbers = end_of_numbers(said, tree);
    let days = end_of_days(said);
    if let Some((position, block, item)) = first_rows(tree) {
        let meant = meant_by(&item.expr, &block.select.projection);
        let falls = is_descending(&item.options);
        let (end, word) = match tree.category(position, meant) {
            Some(TypeCategory::Integer | TypeCategory::Number) if days.is_none() => numbers?,
            Some(TypeCategory::Date | TypeCategory::Timestamp) if numbers.is_none() => days?,
            _ => return None,
        };
        let is_turned = tree.columns_in(position, meant).iter().any(|column| {
            let terms = said.analyzer.terms_of_name(&column.column);
            terms
                .iter()
                .any(|term| TURNED_COLUMNS.contains(&term.as_str()))
        });
        if falls == (end == End::High) || is_turned || !is_simple(meant) {
            return None;
        }
        return Some(
            proved(
                Check::Direction,
                say!("The question asks for the {word}, and `ORDER BY {order}` begins with the other end.", word, order = item),
            )
            .with_fix(say!("turn the order around")),
        );
    }
    // The least of values for the greatest, or the other way round.
    let (end, word) = numbers.filter(|_| days.is_none())?;
    let called = aggregates_called(tree);
    let has = |name: &str| called.iter().any(|called| called == name);
    let (own, other) = match end {
        End::High => ("max", "min"),
        End::Low => ("min", "max"),
    };
    let has_other = has(other) && !has(own);
    has_other.then(|| {
        proved(
            Check::Direction,
            say!(
                "The question asks for the {word}, and the query takes {call}().",
                word,
                call = other
            ),
        )
        .with_fix(format!("{own}()"))
    })
}

/// A column or an aggregate: what is computed may turn the scale.
fn is_simple(expression: &Expr) -> bool {
    match expression {
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) => true,
        Expr::Nested(inner) => is_simple(inner),
        Expr::Function(_) => {
            aggregate(expression).is_some_and(|call| call.argument.is_none_or(is_simple))
        }
        _ => false,
    }
}

fn limit_of(block: &Block<'_>) -> Option<u64> {
    match &block.query?.limit_clause {
        Some(LimitClause::LimitOffset {
            limit: Some(Expr::Value(value)),
            offset: None,
            ..
        }) => match &value.value {
            Value::Number(digits, _) => digits.parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

/// Words that ask for several, without a number.
const SEVERAL: [&str; 16] = [
    "few", "several", "some", "couple", "pair", "dozen", "are", "were", "have", "do", "their",
    "they", "sind", "haben", "those", "ones",
];
/// Words that ask for one.
const ONE: [&str; 12] = [
    "is", "was", "has", "does", "s", "whose", "ist", "hat", "war", "one", "who", "wer",
];

/// Another number of first rows than the question says.
fn other_count(tree: &Tree<'_>, sql: &str, said: &Said<'_>) -> Option<Finding> {
    let (_, block, _) = first_rows(tree)?;
    let kept = limit_of(block)?;
    let is_superlative = end_of_numbers(said, tree).is_some()
        || said.has_any(LATE)
        || said.has_any(EARLY)
        || said.has_any(&["top"]);
    let is_nth = said.has_any(&["second", "third", "nth"]);
    if !is_superlative || is_nth || is_followed_by_count(said) {
        return None;
    }
    let used = Used::of(sql)?;
    let counts = counts_beside(said);
    match counts.as_slice() {
        [] => {
            let is_unasked = (2..=4).contains(&kept)
                && asks_for_one(tree, said)
                && !said.counts().contains(&(kept as f64));
            is_unasked.then(|| {
                proved(
                    Check::Direction,
                    say!("The question asks for one, and LIMIT keeps {kept}.", kept),
                )
                .with_fix("LIMIT 1")
            })
        }
        [wanted] => {
            let places = places(tree);
            let count = |number: f64| {
                let is_it = |one: &&f64| **one == number;
                used.numbers.iter().filter(is_it).count() > places.iter().filter(is_it).count()
            };
            let is_elsewhere = [*wanted, wanted - 1.0]
                .into_iter()
                .any(|number| number != kept as f64 && count(number));
            (!is_elsewhere && kept as f64 != *wanted).then(|| {
                proved(
                    Check::Direction,
                    say!(
                        "The question asks for {wanted}, and LIMIT keeps {kept}.",
                        wanted,
                        kept
                    ),
                )
                .with_fix(format!("LIMIT {wanted}"))
            })
        }
        _ => None,
    }
}

/// The outputs that an order or a group names by their place.
fn places(tree: &Tree<'_>) -> Vec<f64> {
    let mut found = Vec::new();
    let mut add = |expression: &Expr| {
        if let Expr::Value(value) = expression
            && let Value::Number(digits, _) = &value.value
        {
            found.extend(digits.parse::<f64>());
        }
    };
    for block in &tree.blocks {
        let order = block.query.and_then(|query| query.order_by.as_ref());
        if let Some(OrderByKind::Expressions(items)) = order.map(|order| &order.kind) {
            items.iter().for_each(|item| add(&item.expr));
        }
        if let GroupByExpr::Expressions(groups, _) = &block.select.group_by {
            groups.iter().for_each(&mut add);
        }
    }
    found
}

/// Whether the question asks for a single one: "the employee with the", "which one has".
fn asks_for_one(tree: &Tree<'_>, said: &Said<'_>) -> bool {
    let is_single = said.question.words().windows(2).any(|pair| {
        let [noun, after] = pair else { return false };
        let is_noun =
            noun.chars().count() > 2 && !noun.ends_with('s') && names::plural(noun) != *noun;
        is_noun
            && said.is_name(tree, noun)
            && ["with", "that", "who", "whose", "which", "has", "having"].contains(&after.as_str())
    });
    !said.has_any(&["few", "several", "some", "couple", "pair", "dozen"])
        && (is_single || (said.has_any(&ONE) && !said.has_any(&SEVERAL)))
}

/// The numbers that stand beside a superlative.
fn counts_beside(said: &Said<'_>) -> Vec<f64> {
    let mut counts = said.counts();
    counts
        .retain(|number| *number <= 100.0 && number.fract() == 0.0 && stands_beside(said, *number));
    counts
}

/// Whether a number stands beside a superlative: "the 3 most common", "top 5", "two oldest".
fn stands_beside(said: &Said<'_>, number: f64) -> bool {
    let words = said.words();
    words.windows(2).any(|pair| {
        let [one, other] = pair else { return false };
        let is_number =
            |word: &String| word.parse() == Ok(number) || of_folded(word) == Some(number);
        let is_superlative = |word: &String| {
            let word = word.as_str();
            word == "most"
                || word == "top"
                || [HIGH, LOW, LATE, EARLY]
                    .iter()
                    .any(|words| words.contains(&word))
        };
        (is_number(one) && is_superlative(other))
            || (is_number(other)
                && (is_superlative(one) || ["the", "which", "what", "die"].contains(&one.as_str())))
    })
}

/// Whether a number of rows is said in another way: "the five with the highest".
fn is_followed_by_count(said: &Said<'_>) -> bool {
    let numbers = said.counts();
    counts_beside(said).is_empty()
        && said.words().windows(2).any(|pair| {
            let [before, own] = pair else { return false };
            let number = own.parse().ok().or_else(|| of_folded(own));
            let compares = [
                "than", "least", "most", "above", "over", "below", "under", "between", "and", "id",
            ];
            number.is_some_and(|number| numbers.contains(&number) && number <= 100.0)
                && !compares.contains(&before.as_str())
        })
}

/// Words for an order of all rows.
const ORDERED: &[&str] = words!(
    "by, order, ordered, sort, sorted, rank, ranked, ranking, first, ascending, descending, \
     each, per, every, from, decreasing, increasing, followed, zuerst, primero, abord, \
     premier, sortiert, jede, jeder"
);

/// All rows, in an order, for a question that asks for the one at its end.
fn all_rows(tree: &Tree<'_>, said: &Said<'_>, execution: Option<&Execution>) -> Option<Finding> {
    let rows = execution
        .map(|execution| execution.rows.len())
        .filter(|rows| *rows > 1)?;
    let [block] = tree.blocks.as_slice() else {
        return None;
    };
    let query = block.query?;
    let order = query.order_by.as_ref()?;
    let OrderByKind::Expressions(items) = &order.kind else {
        return None;
    };
    let is_whole = block.place == Place::Top
        && query.limit_clause.is_none()
        && query.fetch.is_none()
        && block.select.having.is_none()
        && block.select.distinct.is_none()
        && !sql_has_windows(block);
    let item = items.first()?;
    let counts = counts_beside(said);
    if let ([wanted], true) = (counts.as_slice(), is_whole) {
        let is_more =
            rows as f64 > *wanted && !said.has_any(&["each", "per", "every", "jede", "jeder"]);
        return is_more.then(|| {
            proved(
                Check::Direction,
                say!(
                    "The question asks for {wanted}, and the query gives all {rows} rows.",
                    wanted,
                    rows
                ),
            )
            .with_fix(format!("LIMIT {wanted}"))
        });
    }
    let (_, word) = end_of_numbers(said, tree).or_else(|| end_of_days(said))?;
    let has_aggregate = aggregates(block.select, None)
        .iter()
        .any(|call| matches!(call.name.as_str(), "max" | "min"));
    let is_one = !says(said, ORDERED) && !says(said, OTHER_SCALE) && !is_followed_by_count(said);
    (is_whole && is_one && !has_aggregate && is_asked_for(said, &word)).then(|| {
        proved(
            Check::Direction,
            say!("The question asks for the {word}, and the query gives all {rows} rows, by `{order}`.", word, rows, order = item),
        )
        .with_fix("LIMIT 1")
    })
}

fn sql_has_windows(block: &Block<'_>) -> bool {
    block
        .select
        .projection
        .iter()
        .any(|item| item.to_string().to_lowercase().contains(" over "))
}

/// "The most", "with the highest": the superlative has an article, and is no maximum of a list.
fn is_asked_for(said: &Said<'_>, word: &str) -> bool {
    [
        "the", "is", "are", "was", "has", "with", "der", "die", "das", "den", "dem",
    ]
    .iter()
    .any(|article| said.has_phrase(&format!("{article} {word}")))
}

/// Words that ask for an average, folded.
const AVERAGE: &[&str] = words!(
    "average, averaged, mean, avg, durchschnitt, durchschnittlich, durchschnittliche, \
     durchschnittlichen, durchschnittlicher, promedio, moyenne, moyen, media, gemiddelde, \
     mittelwert"
);
/// Words that ask for a sum.
const TOTAL: &[&str] =
    words!("total, sum, summe, gesamtsumme, insgesamt, totals, combined, altogether");

/// A sum for an average, or an average for a sum.
fn other_aggregate(tree: &Tree<'_>, sql: &str, said: &Said<'_>) -> Option<Finding> {
    let called = aggregates_called(tree);
    let has = |name: &str| called.iter().any(|called| called == name);
    let lower = sql.to_lowercase();
    let is_computed = lower.contains('/')
        || lower.contains("avg")
        || lower.contains("mean")
        || lower.contains("percentile");
    // The word may be the name of what is aggregated.
    let is_column = |words: &[&str]| {
        words
            .iter()
            .any(|word| said.words().iter().any(|own| own == word) && said.is_name(tree, word))
    };
    let (asks_average, asks_total) = (said.has_any(AVERAGE), said.has_any(TOTAL));
    if asks_average && !asks_total && has("sum") && !is_computed && !is_column(AVERAGE) {
        return Some(
            proved(
                Check::Aggregate,
                say!(
                    "The question asks for an average, and the query takes {call}().",
                    call = "sum"
                ),
            )
            .with_fix("avg()"),
        );
    }
    let is_averaged = has("avg") && !has("sum") && !has("count");
    let is_counted = said.question.folded().starts_with("how many ")
        || said.question.folded().starts_with("wie viele ");
    if is_counted && is_averaged && !asks_average && tree.blocks.len() == 1 && !is_column(AVERAGE) {
        return Some(proved(
            Check::Aggregate,
            say!(
                "The question asks how many, and the query takes {call}().",
                call = "avg"
            ),
        ));
    }
    if is_counted && called.is_empty() && shows_words_only(tree) {
        return Some(proved(
            Check::Aggregate,
            say!("The question asks how many, and the query counts nothing."),
        ));
    }
    (asks_total && !asks_average && is_averaged && !is_column(TOTAL)).then(|| {
        proved(
            Check::Aggregate,
            say!(
                "The question asks for a total, and the query takes {call}().",
                call = "avg"
            ),
        )
        .with_fix("sum()")
    })
}

/// Whether the result has columns of text and days only, from tables.
fn shows_words_only(tree: &Tree<'_>) -> bool {
    let [block] = tree.blocks.as_slice() else {
        return false;
    };
    let is_table = block.sources.iter().all(|source| {
        source
            .table()
            .is_some_and(|table| table.kind == TableKind::Table)
    });
    is_table
        && block.select.projection.iter().all(|item| {
            output_of(item).is_some_and(|output| {
                matches!(
                    tree.category(0, output),
                    Some(TypeCategory::Text | TypeCategory::Date | TypeCategory::Timestamp)
                )
            })
        })
}

/// An order of all rows against the one that the question says.
fn sorted(tree: &Tree<'_>, said: &Said<'_>) -> Option<Finding> {
    let falls = said.has_any(&["descending", "decreasing", "absteigend", "absteigender"]);
    let rises = said.has_any(words!(
        "ascending, increasing, alphabetical, alphabetically, aufsteigend, aufsteigender, \
         alphabetisch"
    ));
    if falls == rises
        || said.has_phrase("reverse alphabetical")
        || said.has_any(&["reverse", "reversed", "inverse"])
    {
        return None;
    }
    let mut ordered = tree
        .blocks
        .iter()
        .filter_map(|block| block.query?.order_by.as_ref());
    let order = ordered.next()?;
    let OrderByKind::Expressions(items) = &order.kind else {
        return None;
    };
    let [item] = items.as_slice() else {
        return None;
    };
    let is_falling = is_descending(&item.options);
    let is_plain = matches!(
        item.expr,
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Function(_)
    );
    let has_end =
        said.has_any(HIGH) || said.has_any(LOW) || said.has_any(&["most", "least", "top"]);
    (ordered.next().is_none() && is_falling != falls && is_plain && !has_end).then(|| {
        proved(
            Check::Direction,
            say!(
                "The question asks for the other order than `ORDER BY {order}`.",
                order = item
            ),
        )
        .with_fix(say!("turn the order around"))
    })
}

pub(super) fn is_descending(options: &OrderByOptions) -> bool {
    options.sort == Some(OrderBySort::Desc)
}
