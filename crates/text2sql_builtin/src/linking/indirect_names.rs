//! Indirect references: "names" for label columns, a table by its key, a noun by its verb, a sex by its
//! letter.

use std::collections::HashMap;
use std::sync::Arc;

use crate::linking::mention::{ColumnId, Mention, ValueLink};
use crate::linking::names::{self, words_of};
use crate::linking::table_names::TableNames;
use text2sql_domain::schema::{Table, TypeCategory};
use text2sql_language::english::lexicon;
use text2sql_language::words::{Token, TokenKind};

type Found = HashMap<(usize, usize), Mention>;

/// Adds indirect references to the links found by name.
pub(crate) fn add(tokens: &[Token], tables: &[Arc<Table>], found: &mut Found) {
    name_words(tokens, found);
    for mention in found.values_mut() {
        named_by_key(tables, mention);
    }
    roots(tokens, tables, found);
    sex_words(tokens, tables, found);
}

/// "names", "full names": the label columns.
fn name_words(tokens: &[Token], found: &mut Found) {
    for (i, token) in tokens.iter().enumerate() {
        if token.kind != TokenKind::Word || !matches!(token.lower.as_str(), "name" | "names") {
            continue;
        }
        found.entry((i, i + 1)).or_default().is_name_word = true;
        let full = i > 0
            && tokens
                .get(i - 1)
                .is_some_and(|before| matches!(before.lower.as_str(), "full" | "complete"));
        if full {
            let mention = found.entry((i - 1, i + 1)).or_default();
            mention.is_name_word = true;
            mention.is_full_name_word = true;
        }
    }
}

/// The key of one table, which other tables reference under the same name: it also names the rows of that
/// table.
fn named_by_key(tables: &[Arc<Table>], mention: &mut Mention) {
    let exact: Vec<ColumnId> = mention
        .columns
        .iter()
        .filter(|(_, tier)| *tier == names::EXACT)
        .map(|(id, _)| *id)
        .collect();
    if exact.is_empty()
        || mention
            .tables
            .iter()
            .any(|(_, tier)| *tier <= names::WITH_TABLE)
    {
        return;
    }
    let keys: Vec<&ColumnId> = exact
        .iter()
        .filter(|id| is_specific_key(tables, **id))
        .collect();
    let [key] = keys.as_slice() else { return };
    let refers = |id: &ColumnId| {
        id.table == key.table
            || tables.get(id.table).is_some_and(|table| {
                let target = tables.get(key.table).map(|table| table.oid);
                table.foreign_keys.iter().any(|foreign| {
                    Some(foreign.target) == target
                        && matches!((foreign.columns.as_slice(), table.columns.get(id.column)),
                            ([only], Some(column)) if *only == column.name)
                })
            })
    };
    if exact.len() > 1 && exact.iter().all(refers) {
        let table = key.table;
        mention.tables.retain(|(known, _)| *known != table);
        mention.tables.push((table, names::EXACT));
    }
}

/// A single key column with a more specific name than "id" or "code".
fn is_specific_key(tables: &[Arc<Table>], id: ColumnId) -> bool {
    tables.get(id.table).is_some_and(|table| {
        table.columns.get(id.column).is_some_and(|column| {
            table.primary_key == [column.name.clone()]
                && column.category == TypeCategory::Text
                && !names::ends_with_kind_word(&column.name)
        })
    })
}

/// "advises" for `advisor`, "attended" for `attendance`: a verb that no name matches, by its root.
fn roots(tokens: &[Token], tables: &[Arc<Table>], found: &mut Found) {
    for (i, token) in tokens.iter().enumerate() {
        let is_named = found.iter().any(|((start, end), mention)| {
            *start <= i && i < *end && (mention.has_name() || !mention.values.is_empty())
        });
        if token.kind != TokenKind::Word
            || is_named
            || lexicon::is_grammar(&token.lower)
            || token.text != token.lower
        {
            continue;
        }
        let root = lexicon::verb_root(&token.lower);
        if root.len() < MIN_ROOT_LENGTH {
            continue;
        }
        for (index, table) in tables.iter().enumerate() {
            let words = &TableNames::of(table).words;
            let names_table = words.iter().any(|word| shares_root(&root, word));
            if names_table {
                found
                    .entry((i, i + 1))
                    .or_default()
                    .tables
                    .push((index, names::DERIVED));
            }
            for (column, definition) in table.columns.iter().enumerate() {
                // This check is cheaper than splitting every name into words.
                if may_share(&root, &definition.name)
                    && words_of(&definition.name)
                        .iter()
                        .any(|word| shares_root(&root, word))
                {
                    let id = ColumnId {
                        table: index,
                        column,
                    };
                    found
                        .entry((i, i + 1))
                        .or_default()
                        .columns
                        .push((id, names::DERIVED));
                }
            }
        }
    }
}

const MIN_ROOT_LENGTH: usize = 4;

/// Suffixes that may follow the common root.
const DERIVATIONS: &[&str] = &[
    "", "e", "er", "or", "ment", "ance", "anc", "ence", "enc", "ation", "ion", "ition", "al", "ee",
    "ure", "ant", "ent", "ration", "ing", "ed",
];

fn may_share(root: &str, name: &str) -> bool {
    let Some(start) = root.as_bytes().get(..MIN_ROOT_LENGTH) else {
        return false;
    };
    let gerund = root.strip_suffix('e').map(|front| format!("{front}ing"));
    !name.is_ascii()
        || gerund.is_some_and(|gerund| name.to_ascii_lowercase().contains(&gerund))
        || name
            .as_bytes()
            .windows(MIN_ROOT_LENGTH)
            .any(|window| window.eq_ignore_ascii_case(start))
}

fn shares_root(root: &str, word: &str) -> bool {
    let common = root
        .char_indices()
        .zip(word.chars())
        .take_while(|((_, a), b)| a == b)
        .map(|((at, c), _)| at + c.len_utf8())
        .last()
        .unwrap_or(0);
    let rest_of_root = root.get(common..).unwrap_or_default();
    let rest_of_word = word.get(common..).unwrap_or_default();
    common >= MIN_ROOT_LENGTH
        && matches!(rest_of_root, "" | "e" | "er")
        && !rest_of_word.is_empty()
        && DERIVATIONS.contains(&rest_of_word)
        || (root == word && common >= MIN_ROOT_LENGTH)
        // "rated" for `rating`
        || (word.len() > root.len()
            && root.strip_suffix('e').is_some_and(|front| word.strip_suffix("ing") == Some(front)))
}

/// "female students", if a column holds only letters or words for sexes.
fn sex_words(tokens: &[Token], tables: &[Arc<Table>], found: &mut Found) {
    for (i, token) in tokens.iter().enumerate() {
        let letter = match token.lower.as_str() {
            "female" | "females" => "f",
            "male" | "males" => "m",
            _ => continue,
        };
        for (index, table) in tables.iter().enumerate() {
            for (position, column) in table.columns.iter().enumerate() {
                let values = column
                    .statistics
                    .iter()
                    .flat_map(|statistics| &statistics.most_common_values)
                    .chain(&column.enum_labels);
                let lower: Vec<String> = values.clone().map(|value| value.to_lowercase()).collect();
                let holds_sexes = (2..=3).contains(&lower.len())
                    && lower
                        .iter()
                        .all(|value| matches!(value.as_str(), "f" | "m" | "x" | "u" | "d"))
                    && ["f", "m"]
                        .iter()
                        .all(|sex| lower.iter().any(|value| value == sex));
                if !holds_sexes {
                    continue;
                }
                for value in values.filter(|value| value.to_lowercase() == letter) {
                    let link = ValueLink {
                        column: ColumnId {
                            table: index,
                            column: position,
                        },
                        text: value.clone(),
                        is_exact: true,
                    };
                    let mention = found.entry((i, i + 1)).or_default();
                    if !mention.values.contains(&link) {
                        mention.values.push(link);
                    }
                }
            }
        }
    }
}
