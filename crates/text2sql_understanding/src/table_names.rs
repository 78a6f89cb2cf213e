//! How a table, its columns and its known values are named, and which columns people know a row by.

use std::collections::HashMap;
use text2sql_domain::words;

use crate::german_names::in_english;
use crate::lexicon::{canonical, compound_noun};
use text2sql_domain::schema::{Column, Table, TypeCategory};
use text2sql_language::names::{english_words, readable};
use text2sql_language::words::stem;

/// The names of one table, kept with it.
pub(crate) struct TableNames {
    pub(crate) names: HashMap<String, Vec<(Own, f64)>>,
    pub(crate) values: HashMap<String, Vec<(usize, String)>>,
    pub(crate) shown: Vec<usize>,
    /// The words of the table's own name, by meaning.
    pub(crate) table_words: Vec<String>,
    /// Those of each column's name.
    pub(crate) column_words: Vec<Vec<String>>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Own {
    Table,
    Column(usize),
}

/// The words of a name, in lower case, German ones in English; "baseprice" is two.
pub(crate) fn words_of(name: &str) -> Vec<String> {
    in_english(written_words(name))
}

/// The words of a name as it is written.
pub(crate) fn written_words(name: &str) -> Vec<String> {
    readable(name).split(' ').flat_map(parted).collect()
}

/// Last words of names that are written together.
const ENDINGS: &[&str] = &[
    "price", "name", "type", "date", "number", "code", "rate", "amount", "title", "address",
    "cost", "city", "status",
];

/// The list of words is looked at only where a name ends like two: that takes longer than all else here.
fn parted(word: &str) -> Vec<String> {
    let is_word = |word: &str| english_words::level(word).is_some();
    let ends = ENDINGS.iter().filter_map(|end| {
        let start = word.strip_suffix(end)?;
        (start.len() > 2).then_some((start, *end))
    });
    let mut ends = ends.peekable();
    if ends.peek().is_none() || is_word(word) {
        return vec![word.to_owned()];
    }
    match ends.find(|(start, _)| is_word(start)) {
        Some((start, end)) => vec![start.to_owned(), end.to_owned()],
        None => vec![word.to_owned()],
    }
}

/// How words are compared: their stems written together.
pub(crate) fn stems(words: &[String]) -> String {
    words.iter().map(|word| stem(word)).collect()
}

/// How words are compared by meaning.
pub(crate) fn canonicals(words: &[String]) -> String {
    words.iter().map(|word| canonical(word)).collect()
}

/// Last words of names that say little by themselves.
const GENERAL_WORDS: &[&str] = &[
    "type", "types", "list", "detail", "details", "info", "code", "codes", "data", "history",
    "status", "map", "link", "group", "groups", "line", "lines", "record", "records",
];

impl TableNames {
    pub(crate) fn of(table: &Table) -> Self {
        let mut names: HashMap<String, Vec<(Own, f64)>> = HashMap::new();
        let mut add = |words: &[String], own: Own, score: f64| {
            for (key, score) in [(stems(words), score), (canonicals(words), score - 0.05)] {
                if key.is_empty() {
                    continue;
                }
                let known = names.entry(key).or_default();
                match known.iter_mut().find(|(other, _)| *other == own) {
                    Some((_, best)) => *best = best.max(score),
                    None => known.push((own, score)),
                }
            }
        };
        let own_words = words_of(&table.name);
        add(&own_words, Own::Table, 1.0);
        add(&written_words(&table.name), Own::Table, 1.0);
        // "ref_service_types", "dim_product"
        if let Some((first, rest @ [_, ..])) = own_words.split_first()
            && words!("ref, tbl, dim, fact, lkp, lookup").contains(&first.as_str())
        {
            add(rest, Own::Table, 0.95);
        }
        if let Some(noun) = compound_noun(&own_words) {
            add(&[noun], Own::Table, 1.0);
        }
        for synonym in &table.synonyms {
            add(&words_of(synonym), Own::Table, 1.0);
        }
        if let Some((last, [_, ..])) = own_words.split_last()
            && !GENERAL_WORDS.contains(&last.as_str())
        {
            add(std::slice::from_ref(last), Own::Table, 0.7);
        }
        // "student_tests_taken" are tests.
        if let [_, .., noun, last] = own_words.as_slice()
            && words!("taken, made, held, used, given, placed").contains(&last.as_str())
        {
            add(std::slice::from_ref(noun), Own::Table, 0.7);
        }
        for (at, column) in table.columns.iter().enumerate() {
            let words = words_of(&column.name);
            add(&words, Own::Column(at), 1.0);
            add(&written_words(&column.name), Own::Column(at), 1.0);
            for synonym in &column.synonyms {
                add(&words_of(synonym), Own::Column(at), 1.0);
            }
            // "birth_date" is a birthday.
            if let Some(noun) = compound_noun(&words) {
                add(&[noun], Own::Column(at), 0.95);
            }
            // "customer_name" of customers is their name.
            let is_own = |word: &String| {
                let same = |own: &String| stem(own) == stem(word) || is_short_for(word, own);
                own_words.iter().any(same)
            };
            let rest: Vec<String> = words.iter().filter(|word| !is_own(word)).cloned().collect();
            let is_whole = rest.last().is_some_and(|last| last != "of");
            if rest.len() < words.len() && is_whole {
                add(&rest, Own::Column(at), 0.95);
            }
            // "weight_kg" is a weight.
            if let Some((last, before @ [_, ..])) = words.split_last()
                && words!("kg, g, cm, m2, km, sqm, eur, usd, chf, gbp, gb, mb, tb, kwh, mwh, l")
                    .contains(&last.as_str())
            {
                add(before, Own::Column(at), 0.9);
            }
            // "credit_limit" is how much credit there is.
            if let Some((last, before @ [_, ..])) = words.split_last()
                && words!("limit, quota").contains(&last.as_str())
                && matches!(
                    column.category,
                    TypeCategory::Integer | TypeCategory::Number
                )
            {
                add(before, Own::Column(at), 0.75);
            }
            // "unit_price" is a price.
            if let Some((last, [_, ..])) = words.split_last()
                && !words!("id, key, code, no, nr, on, at, name, date").contains(&last.as_str())
            {
                add(std::slice::from_ref(last), Own::Column(at), 0.75);
            }
            // "order_status_code" is the status of an order, "commission_pct" a commission.
            let tail = if rest.is_empty() { &words } else { &rest };
            if let Some((last, before @ [_, ..])) = tail.split_last()
                && words!("code, cd, name, pct, percent, desc, description, text, label")
                    .contains(&last.as_str())
                && before.iter().any(|word| word != "id" && word.len() > 2)
                && !matches!(before, [only] if matches!(only.as_str(), "first" | "last" | "middle" | "full" | "postal" | "zip" | "user" | "login"))
            {
                add(before, Own::Column(at), 0.85);
                // "product types" are product_type_code.
                if let Some((_, whole @ [_, _, ..])) = words.split_last() {
                    add(whole, Own::Column(at), 0.85);
                }
            }
            if words.iter().any(|word| word == "dob") {
                let birth = ["date", "of", "birth"].map(str::to_owned);
                add(&birth, Own::Column(at), 0.95);
                add(
                    &["birth".to_owned(), "date".to_owned()],
                    Own::Column(at),
                    0.95,
                );
            }
            // "fname" and "surname"
            let joined = words.concat();
            for (endings, meant) in [
                (&["firstname", "fname", "givenname"][..], "first"),
                (&["lastname", "lname", "surname", "familyname"][..], "last"),
            ] {
                if endings.iter().any(|end| is_called(&words, &joined, end)) {
                    add(
                        &[meant.to_owned(), "name".to_owned()],
                        Own::Column(at),
                        0.95,
                    );
                }
            }
            // "allergy_type" with the key "allergy" is a table of allergies.
            let is_named = column.category == TypeCategory::Text
                && words.len() == 1
                && own_words.len() > 1
                && own_words
                    .iter()
                    .any(|own| stem(own) == stem(&words.concat()));
            if table.primary_key == [column.name.clone()] && is_named {
                add(&words, Own::Table, 0.97);
            }
            if table.primary_key == [column.name.clone()] {
                let with_id = [own_words.clone(), vec!["id".to_owned()]].concat();
                add(&["id".to_owned()], Own::Column(at), 0.8);
                add(&with_id, Own::Column(at), 0.9);
            }
            // "dock_count" and "number_of_docks" are docks, "milliseconds" a duration.
            if matches!(
                column.category,
                TypeCategory::Integer | TypeCategory::Number
            ) {
                match words
                    .iter()
                    .map(String::as_str)
                    .collect::<Vec<_>>()
                    .as_slice()
                {
                    [_, .., "count" | "number" | "qty" | "quantity"] => {
                        let before = words.get(..words.len() - 1).unwrap_or_default();
                        add(before, Own::Column(at), 0.8);
                    }
                    ["number" | "no" | "num" | "nr", "of", ..] => {
                        add(words.get(2..).unwrap_or_default(), Own::Column(at), 0.85);
                    }
                    ["num" | "nr", ..] => {
                        add(words.get(1..).unwrap_or_default(), Own::Column(at), 0.85);
                    }
                    _ => {}
                }
                if words.iter().any(|word| {
                    matches!(
                        word.as_str(),
                        "milliseconds" | "seconds" | "minutes" | "runtime"
                    )
                }) {
                    add(&["duration".to_owned()], Own::Column(at), 0.8);
                }
            }
            // "has_workshop", "is_member".
            if let Some((first, rest @ [_, ..])) = words.split_first()
                && matches!(first.as_str(), "has" | "is" | "have" | "was")
            {
                add(rest, Own::Column(at), 0.95);
            }
        }
        let mut values: HashMap<String, Vec<(usize, String)>> = HashMap::new();
        for (at, column) in table.columns.iter().enumerate() {
            if column.is_private
                || !matches!(column.category, TypeCategory::Text | TypeCategory::Enum)
            {
                continue;
            }
            let known = column
                .statistics
                .iter()
                .flat_map(|one| &one.most_common_values);
            let stored = known
                .chain(&column.enum_labels)
                .chain(&column.mentioned_values);
            for value in stored {
                let value = value.trim_end();
                let words: Vec<String> = value
                    .split(|c: char| !c.is_alphanumeric())
                    .filter(|word| !word.is_empty())
                    .map(str::to_lowercase)
                    .collect();
                if words.is_empty() || words.len() > 6 {
                    continue;
                }
                let known = values.entry(stems(&words)).or_default();
                if !known
                    .iter()
                    .any(|(column, other)| *column == at && other == value)
                {
                    known.push((at, value.to_owned()));
                }
            }
            for (value, meaning) in &column.value_meanings {
                let words = words_of(meaning);
                values
                    .entry(stems(&words))
                    .or_default()
                    .push((at, value.clone()));
            }
        }
        let columns = table.columns.iter();
        Self {
            names,
            values,
            shown: shown_columns(table),
            table_words: own_words.iter().map(|word| canonical(word)).collect(),
            column_words: columns.map(|column| words_of(&column.name)).collect(),
        }
    }
}

/// Whether the word is how the other is abbreviated: "dept" and "emp".
fn is_short_for(word: &str, whole: &str) -> bool {
    let mut rest = whole.chars();
    let is_start = word.chars().next() == whole.chars().next();
    is_start
        && (3..5).contains(&word.len())
        && whole.len() > word.len() + 2
        && word.chars().all(|c| rest.any(|other| other == c))
}

/// Whether a name ends so; short endings are words of their own.
fn is_called(words: &[String], joined: &str, ending: &str) -> bool {
    let is_last = words.last().is_some_and(|last| last == ending);
    is_last || ending.len() > 6 && joined.ends_with(ending)
}

/// The columns that people know a row by.
fn shown_columns(table: &Table) -> Vec<usize> {
    let own: Vec<String> = words_of(&table.name)
        .iter()
        .map(|word| stem(word))
        .collect();
    let is_text = |column: &Column| column.category == TypeCategory::Text;
    let rest_of = |column: &Column| -> Vec<String> {
        let words = words_of(&column.name).into_iter();
        let is_own = |word: &String| {
            own.iter()
                .any(|own| *own == stem(word) || is_short_for(word, own))
        };
        words.filter(|word| !is_own(word)).collect()
    };
    let find = |wanted: &[&str]| {
        table.columns.iter().position(|column| {
            let rest = rest_of(column);
            is_text(column)
                && rest.len() == wanted.len()
                && rest.iter().zip(wanted).all(|(one, other)| one == other)
        })
    };
    // "city" of cities, but not "name" of names.
    if let Some(at) = find(&[]).filter(|_| find(&["name"]).is_none()) {
        return vec![at];
    }
    for wanted in [&["full", "name"][..], &["name"]] {
        if let Some(at) = find(wanted) {
            return vec![at];
        }
    }
    let ends = |endings: &[&str]| {
        table.columns.iter().position(|column| {
            is_text(column)
                && !words_of(&column.name).iter().any(|word| {
                    matches!(word.as_str(), "login" | "user" | "file" | "host" | "middle")
                })
                && {
                    let words = words_of(&column.name);
                    let joined = words.concat();
                    endings.iter().any(|end| {
                        matches!(*end, "name" | "title" | "label") && joined.ends_with(end)
                            || is_called(&words, &joined, end)
                    })
                }
        })
    };
    let pair = (
        ends(&["firstname", "fname", "givenname", "personalname"]),
        ends(&["lastname", "lname", "surname", "familyname"]),
    );
    if let (Some(first), Some(last)) = pair {
        return vec![first, last];
    }
    for wanted in [&["title"][..], &["company", "name"], &["company"]] {
        if let Some(at) = find(wanted) {
            return vec![at];
        }
    }
    // "ship_name" is no name of an order.
    let has_day = table.columns.iter().any(|column| {
        matches!(
            column.category,
            TypeCategory::Date | TypeCategory::Timestamp
        ) && column.name != "last_update"
    });
    if has_day && !table.foreign_keys.is_empty() {
        return Vec::new();
    }
    let found = ends(&["companyname"])
        .or_else(|| ends(&["name"]))
        .or_else(|| ends(&["title", "label"]))
        .or_else(|| {
            table.columns.iter().position(|column| {
                let rest = rest_of(column);
                is_text(column)
                    && matches!(
                        rest.first().map(String::as_str),
                        Some("description" | "desc" | "details" | "detail")
                    )
            })
        });
    found.into_iter().collect()
}
