//! The names by which a question may refer to a table or a column.
//!
//! A key is a name reduced to stems without separators, so that `order_items`, `OrderItems` and "order
//! item" have the same key. The tier says how far the key is from the name: 0 is the name itself.

use text2sql_domain::schema::{Column, Table, TypeCategory};
use text2sql_domain::words;
use text2sql_language::names::english_words;
use text2sql_language::words::stem;

/// The name itself.
pub(crate) const EXACT: u8 = 0;
/// With its table's name in front: "customer name" for `name` of `customers`.
pub(crate) const WITH_TABLE: u8 = 1;
/// Without its table's name: "name" for `customer_name` of `customers`.
pub(crate) const WITHOUT_TABLE: u8 = 2;
/// With abbreviations spelled out.
pub(crate) const SPELLED_OUT: u8 = 3;
/// Without a word such as "id" or "number" at its end.
pub(crate) const WITHOUT_KIND: u8 = 4;
/// Only its last words: "price" for `unit_price`.
pub(crate) const HEAD: u8 = 5;

/// A verb with the same root.
pub(crate) const DERIVED: u8 = 6;

/// Cuts a name at separators and at changes of case, and reduces each word.
pub(crate) fn words_of(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut previous_lower = false;
    for c in name.chars() {
        if (!c.is_alphanumeric() || (c.is_uppercase() && previous_lower)) && !word.is_empty() {
            words.push(stem(&word));
            word.clear();
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        previous_lower = c.is_lowercase() || c.is_ascii_digit();
    }
    if !word.is_empty() {
        words.push(stem(&word));
    }
    words
}

/// Separates schema and name in the key of a qualified name. No word contains it.
const SEPARATOR: char = '\u{1}';

/// The key of a table that is written as in SQL.
pub(crate) fn address(table: &Table) -> String {
    address_of(&table.schema, &table.name)
}

pub(crate) fn address_of(schema: &str, name: &str) -> String {
    format!(
        "{}{SEPARATOR}{}",
        schema.to_lowercase(),
        name.to_lowercase()
    )
}

/// Prefixes of table names that describe storage, not content.
const STORAGE_WORDS: &[&str] = &[
    "ref", "tbl", "table", "dim", "fact", "vw", "view", "lookup", "lkp",
];

/// Last words of table names that are too general to name the table alone.
const VAGUE_HEADS: &[&str] = words!(
    "type, code, status, level, structur, structure, kind, detail, histori, method, info, \
     information, name, number, address, value"
);

/// Last words of column names that only give the form of the value.
const KIND_WORDS: &[&str] = &[
    "id", "code", "number", "no", "num", "nr", "name", "key", "address", "text",
];

/// Units at the end of column names.
const UNITS: &[&str] = &[
    "sqm", "kg", "g", "km", "cm", "mm", "mph", "kmh", "usd", "eur", "chf", "ms", "pct", "percent",
    "ft", "lb",
];

/// Last words that are recognised in a name without separators, such as `baseprice`.
pub(crate) const GLUED_ENDS: &[&str] = &[
    "price", "date", "name", "code", "type", "number", "title", "amount", "rate", "cost", "id",
];

const ABBREVIATIONS: &[(&str, &[&str])] = &[
    ("fname", &["first", "name"]),
    ("lname", &["last", "name"]),
    ("dob", &["date", "of", "birth"]),
    ("num", &["number"]),
    ("no", &["number"]),
    ("nr", &["number"]),
    ("qty", &["quantiti"]),
    ("amt", &["amount"]),
    ("desc", &["description"]),
    ("addr", &["address"]),
    ("tel", &["telephone"]),
    ("avg", &["average"]),
    ("min", &["minimum"]),
    ("max", &["maximum"]),
    ("pct", &["percent"]),
    ("init", &["initial"]),
];

/// The keys of a table's name.
pub(crate) fn table_keys(table: &Table) -> Vec<(String, u8)> {
    let words = words_of(&table.name);
    let mut keys = vec![(words.concat(), EXACT), (address(table), EXACT)];
    let start = usize::from(
        words.len() > 1
            && words
                .first()
                .is_some_and(|w| STORAGE_WORDS.contains(&w.as_str())),
    );
    if start > 0 {
        keys.push((tail(&words, start), WITH_TABLE));
    }
    for from in start + 1..words.len() {
        let says_little = from + 1 == words.len()
            && words
                .last()
                .is_some_and(|word| VAGUE_HEADS.contains(&word.as_str()));
        if !says_little {
            keys.push((tail(&words, from), HEAD));
        }
    }
    keys
}

/// The keys of other words for a table or a column.
pub(crate) fn synonym_keys(synonyms: &[String]) -> impl Iterator<Item = (String, u8)> {
    // German plurals and cases; English ones are handled by the stem.
    const ENDINGS: [&str; 7] = ["", "n", "en", "e", "er", "ern", "es"];
    synonyms
        .iter()
        .filter(|synonym| !synonym.trim().is_empty())
        .flat_map(|synonym| {
            ENDINGS.map(|end| words_of(&format!("{}{end}", synonym.trim())).concat())
        })
        .map(|key| (key, WITH_TABLE))
}

/// Whether the last word of the name only gives the form of the value.
pub(crate) fn ends_with_kind_word(name: &str) -> bool {
    words_of(name)
        .last()
        .is_some_and(|word| KIND_WORDS.iter().any(|kind| word.ends_with(kind)))
}

fn tail(words: &[String], from: usize) -> String {
    words.get(from..).unwrap_or_default().concat()
}

/// Whether `short` abbreviates `long`: the same first letter, its letters in order. A word of its own abbreviates
/// nothing: a tip is no trip.
fn abbreviates(short: &str, long: &str) -> bool {
    if english_words::level(short).is_some() {
        return false;
    }
    if short.len() < 3 || short.len() >= long.len() || short.get(..1) != long.get(..1) {
        return false;
    }
    let mut letters = long.chars();
    short.chars().all(|c| letters.any(|l| l == c))
}

/// The keys of a column's name; `neighbours` are the words of tables that its table refers to.
pub(crate) fn column_keys(
    table: &Table,
    table_words: &[String],
    neighbours: &[String],
    column: &Column,
) -> Vec<(String, u8)> {
    let words = words_of(&column.name);
    let table_key = table_words.concat();
    let mut keys = vec![(words.concat(), EXACT)];
    let bare = strip_table(&words, table_words, &table_key).or_else(|| {
        let only = words.first().filter(|_| words.len() == 1)?;
        glued(only, &table_key, table.primary_key.contains(&column.name)).map(|rest| vec![rest])
    });
    let base = bare.as_ref().unwrap_or(&words);
    if let Some(bare) = &bare {
        keys.push((bare.concat(), WITHOUT_TABLE));
    }
    keys.push((format!("{table_key}{}", base.concat()), WITH_TABLE));
    let spelled = spell_out(&words, table_words, neighbours);
    let spelled_base = bare
        .as_ref()
        .map(|bare| spell_out(bare, table_words, neighbours));
    for (variant, full) in [(Some(&spelled), &words), (spelled_base.as_ref(), base)] {
        if let Some(variant) = variant
            && variant != full
        {
            keys.push((variant.concat(), SPELLED_OUT));
            if spelled_base.as_ref() == Some(variant) || bare.is_none() {
                keys.push((format!("{table_key}{}", variant.concat()), SPELLED_OUT));
            }
            if let [front @ .., last] = variant.as_slice()
                && let [.., of, birth] = variant.as_slice()
                && last == birth
                && of == "of"
                && !front.is_empty()
            {
                keys.push(("birthdate".to_owned(), SPELLED_OUT));
                keys.push(("birthday".to_owned(), SPELLED_OUT));
            }
        }
    }
    if let (Some(_), [front @ .., last]) = (&bare, words.as_slice())
        && front.len() > 1
        && KIND_WORDS.contains(&last.as_str())
    {
        keys.push((front.concat(), WITHOUT_KIND));
    }
    for variant in [base, spelled_base.as_ref().unwrap_or(&spelled)] {
        if let [front @ .., last] = variant.as_slice()
            && !front.is_empty()
        {
            if KIND_WORDS.contains(&last.as_str()) {
                keys.push((front.concat(), WITHOUT_KIND));
            }
            if UNITS.contains(&last.as_str()) {
                keys.push((front.concat(), SPELLED_OUT));
            }
            if matches!(last.as_str(), "on" | "at" | "date" | "time") {
                keys.push((front.concat(), WITHOUT_KIND));
            }
            for from in 1..variant.len() {
                let key = tail(variant, from);
                if !text2sql_language::english::lexicon::is_function_word(&key) {
                    keys.push((key, HEAD));
                }
            }
        }
    }
    if let ([only], None) = (words.as_slice(), &bare) {
        for kind in GLUED_ENDS {
            if only.len() > kind.len() + 2 && only.ends_with(kind) {
                keys.push(((*kind).to_owned(), HEAD));
            }
        }
    }
    keys.sort();
    keys.dedup_by(|later, first| later.0 == first.0);
    keys
}

fn strip_table(words: &[String], table_words: &[String], table_key: &str) -> Option<Vec<String>> {
    let first = words.first()?;
    if words.len() > table_words.len() && words.starts_with(table_words) {
        return Some(words.get(table_words.len()..)?.to_vec());
    }
    let stripped = words.len() > 1
        && (table_words.last() == Some(first)
            || table_words.first() == Some(first)
            || abbreviates(first, table_key));
    stripped.then(|| words.get(1..).unwrap_or_default().to_vec())
}

/// Unseparated names: `pname` of `player`, `stuid` of `student`, `productname` of `products`.
fn glued(word: &str, table_key: &str, is_key: bool) -> Option<String> {
    if let Some(rest) = word.strip_prefix(table_key) {
        return (!rest.is_empty()).then(|| rest.to_owned());
    }
    for kind in ["name", "id", "code"] {
        let Some(front) = word.strip_suffix(kind) else {
            continue;
        };
        if !front.is_empty() && table_key.starts_with(front)
            || (kind == "id" && is_key && !front.is_empty())
        {
            return Some(kind.to_owned());
        }
    }
    None
}

fn spell_out(words: &[String], table_words: &[String], neighbours: &[String]) -> Vec<String> {
    let mut spelled = Vec::with_capacity(words.len() + 1);
    for word in words {
        if let Some((_, long)) = ABBREVIATIONS.iter().find(|(short, _)| short == word) {
            spelled.extend(long.iter().map(|word| (*word).to_owned()));
        } else if let Some(long) = table_words
            .iter()
            .chain(neighbours)
            .find(|long| abbreviates(word, long))
        {
            spelled.push(long.clone());
        } else {
            spelled.push(word.clone());
        }
    }
    spelled
}

/// The label columns of a table: its name or title, or first and last name.
pub(crate) fn label_columns(table: &Table) -> Vec<usize> {
    let table_words = words_of(&table.name);
    let keys: Vec<Vec<(String, u8)>> = table
        .columns
        .iter()
        .map(|column| column_keys(table, &table_words, &[], column))
        .collect();
    let find = |wanted: &[&str]| -> Option<usize> {
        wanted.iter().find_map(|wanted| {
            let mut tiers: Vec<(u8, usize)> = keys
                .iter()
                .enumerate()
                .filter_map(|(i, keys)| {
                    let (_, tier) = keys
                        .iter()
                        .find(|(key, tier)| key == wanted && *tier <= SPELLED_OUT)?;
                    Some((*tier, i))
                })
                .collect();
            tiers.sort_unstable();
            match tiers.as_slice() {
                [(_, only)] => Some(*only),
                [(best, first), (second, _), ..] if best < second => Some(*first),
                _ => None,
            }
        })
    };
    if let Some(name) = find(&["name"]) {
        return vec![name];
    }
    if let (Some(first), Some(last)) = (
        find(&["firstname", "givenname"]),
        find(&["lastname", "surname", "familiname"]),
    ) {
        return vec![first, last];
    }
    if let Some(title) = find(&["title", "fullname", "label"]) {
        return vec![title];
    }
    let single_name: Vec<usize> = (0..table.columns.len())
        .filter(|&i| {
            table.columns.get(i).is_some_and(|column| {
                words_of(&column.name)
                    .last()
                    .is_some_and(|word| word == "name")
            })
        })
        .collect();
    match single_name.as_slice() {
        [only] if !is_repeated(table, *only) => return vec![*only],
        // `company_name` beside `contact_name`: the one that every row has.
        [_, _, ..] => {
            let mut always = single_name.iter().filter(|&&i| {
                let column = table.columns.get(i);
                column.is_some_and(|column| column.not_null) && !is_repeated(table, i)
            });
            if let (Some(only), None) = (always.next(), always.next()) {
                return vec![*only];
            }
        }
        _ => {}
    }
    // A column named like its table: `campus` of `campuses`.
    let key = table_words.concat();
    let same: Vec<usize> = (0..table.columns.len())
        .filter(|&i| {
            table
                .columns
                .get(i)
                .is_some_and(|column| words_of(&column.name).concat() == key)
        })
        .collect();
    if !same.is_empty() {
        return same;
    }
    // The description of rows that have nothing else: `region_description` of `region`.
    let is_key = |column: &Column| {
        table.primary_key.contains(&column.name)
            || table
                .foreign_keys
                .iter()
                .any(|key| key.columns.contains(&column.name))
    };
    let is_description = |column: &Column| {
        let words = words_of(&column.name);
        let last = words.last().map_or("", String::as_str);
        column.category == TypeCategory::Text && matches!(last, "description" | "descr" | "desc")
    };
    let is_numbered = table.primary_key.iter().all(|key| ends_with_kind_word(key));
    let columns = table.columns.iter().enumerate();
    let mut others = columns.filter(|(_, column)| !is_key(column));
    match (others.next(), others.next()) {
        (Some((only, column)), None) if is_numbered && is_description(column) => vec![only],
        _ => Vec::new(),
    }
}

/// Whether several rows have the same value on average, so that it does not name a row: the `ship_name` of an order.
fn is_repeated(table: &Table, column: usize) -> bool {
    let statistics = table
        .columns
        .get(column)
        .and_then(|column| column.statistics.as_ref());
    let distinct = statistics.and_then(|statistics| statistics.distinct_values);
    match (distinct, table.row_estimate) {
        (Some(share), _) if share < 0.0 => share > -0.5,
        (Some(count), Some(rows)) if rows > 0.0 => count < rows * 0.5,
        _ => false,
    }
}
