//! Names of columns that need no quotes, made from what the file has.

use std::collections::HashSet;

use text2sql_domain::schema::is_reserved_for_columns;
use unicode_normalization::UnicodeNormalization;

/// The longest name in PostgreSQL, in bytes.
const MAX_NAME: usize = 63;

/// The columns that every table has.
const SYSTEM_COLUMNS: &[&str] = &["cmax", "cmin", "ctid", "tableoid", "xmax", "xmin"];

/// A clean name for one thing, such as a table named after its file.
pub fn clean_name(original: &str) -> String {
    match clean_one(original) {
        name if name.is_empty() => "loaded".to_owned(),
        name => name,
    }
}

/// Clean names for these columns, each once: small letters, digits and `_`; `column_3` where there is no name.
pub(crate) fn clean(originals: &[Option<String>]) -> Vec<String> {
    let mut taken = HashSet::new();
    let mut names = Vec::with_capacity(originals.len());
    for (index, original) in originals.iter().enumerate() {
        let wanted = match clean_one(original.as_deref().unwrap_or_default()) {
            name if name.is_empty() => format!("column_{}", index + 1),
            name => name,
        };
        let mut name = wanted.clone();
        let mut number = 2;
        while !taken.insert(name.clone()) {
            let suffix = format!("_{number}");
            name = format!("{}{suffix}", cut(&wanted, MAX_NAME - suffix.len()));
            number += 1;
        }
        names.push(name);
    }
    names
}

fn clean_one(original: &str) -> String {
    let mut name = String::new();
    let mut was_lower = false;
    for c in original.nfc().take(500) {
        if c.is_alphanumeric() {
            // `orderDate` is two words; `ID` and `CustomerID` are not more than they look.
            if c.is_uppercase() && was_lower {
                name.push('_');
            }
            was_lower = c.is_lowercase();
            name.extend(c.to_lowercase().filter(|c| c.is_alphanumeric()));
        } else {
            was_lower = false;
            if !name.is_empty() && !name.ends_with('_') {
                name.push('_');
            }
        }
    }
    let mut name = cut(&name, MAX_NAME).trim_end_matches('_').to_owned();
    if name.starts_with(|c: char| c.is_numeric()) {
        name = cut(&format!("c_{name}"), MAX_NAME).to_owned();
    }
    if is_reserved_for_columns(&name) || SYSTEM_COLUMNS.contains(&name.as_str()) {
        name.push('_');
    }
    name
}

/// The start of a text of at most that many bytes.
fn cut(text: &str, bytes: usize) -> &str {
    let end = text.floor_char_boundary(bytes);
    text.get(..end).unwrap_or_default()
}

/// A name as SQL writes it, in quotes.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
