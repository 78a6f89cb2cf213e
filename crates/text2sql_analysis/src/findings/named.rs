//! Names of the question, in full, that the query does not use: a column that is asked for, a table that is counted or
//! listed.

use std::collections::BTreeSet;
use std::sync::Arc;

use sqlparser::ast::SelectItem;
use text2sql_domain::schema::{Table, TableKind, quote_identifier};
use text2sql_domain::words;
use text2sql_language::terms::fold;
use text2sql_phrases::say;
use text2sql_sql::tree::{Place, Tree};

use super::said::{Said, Used, each_expression, tables_read};
use super::{Check, Finding};

pub(super) fn find(
    tree: &Tree<'_>,
    sql: &str,
    tables: &[Arc<Table>],
    said: &Said<'_>,
) -> Vec<Finding> {
    let Some(used) = Used::of(sql) else {
        return Vec::new();
    };
    // A name in another language may be a word of it.
    if said.question.written_language() != Some("en") {
        return Vec::new();
    }
    let mut found = Vec::new();
    found.extend(other_table(tree, tables, said));
    if found.is_empty() {
        found.extend(other_column(tree, &used, said));
    }
    found
}

/// Words with which a question begins, and those between what it asks for and its names, folded.
const ASKING: &[&str] = words!(
    "what, which, is, are, was, were, show, list, give, find, return, tell, me, us, the, a, \
     an, all, please, can, you, display, get, different, distinct, unique, their, its, \
     also, how, of, for, every, each, s, both, corresponding, respective, retrieve, output, \
     report, as, well, zeige, zeig, nenne, liste, gib, welche, welchen, welches, die, der, \
     das, den, mir, alle, sind"
);
/// Words after what a question asks for, folded.
const AFTER: &[&str] = words!(
    "of, for, where, with, that, who, whose, which, in, from, by, on, to, when, having, \
     belonging, associated, used, at, sorted, ordered, order, von, der, des, aus, mit, fur, \
     in, has, have, are"
);
/// Words that are the name of too many columns, and say too many other things.
const VAGUE: [&str; 24] = [
    "time", "number", "type", "day", "valu", "order", "count", "total", "key", "list", "end",
    "start", "text", "data", "amount", "kind", "averag", "sum", "minimum", "maximum", "record",
    "inform", "detail", "id",
];

/// Words for the parts that one column may hold together, as a name, an address or a contact.
const PARTS: [&str; 19] = [
    "first", "last", "middl", "famili", "given", "surnam", "forenam", "name", "street", "citi",
    "town", "zip", "postal", "state", "countri", "phone", "email", "mail", "fax",
];

/// Names of columns that may hold what others hold in parts.
const WHOLE: [&str; 4] = ["name", "fullnam", "address", "contact"];

/// Words that everything has: "the name of the city" is its column.
const OF_ANYTHING: [&str; 12] = [
    "name", "titl", "code", "date", "year", "status", "address", "label", "state", "month", "full",
    "first",
];

/// What the question asks for by name: at its beginning, or where it counts different ones; with the term of what it is
/// asked of.
fn asked_for(said: &Said<'_>) -> (Vec<Vec<String>>, Option<String>) {
    let (mut all, of) = outputs(said);
    let words = said.question.words();
    for (place, word) in words.iter().enumerate() {
        let before = |back: usize| {
            let at = place.checked_sub(back)?;
            words.get(at).map(String::as_str)
        };
        let counts = matches!(
            (before(2), before(1)),
            (Some("how"), Some("many"))
                | (Some("number"), Some("of"))
                | (Some("wie"), Some("viele"))
        );
        let is_different = words!("different, distinct, unique, verschiedene, unterschiedliche")
            .contains(&word.as_str());
        if counts && is_different {
            // A name of two words, before one of one.
            let term = |at: usize| words.get(at).map(|word| said.analyzer.terms(word));
            all.extend(term(place + 1).map(
                |one| match term(place + 2).filter(|two| !two.is_empty()) {
                    Some(two) => [one, two].concat(),
                    None => one,
                },
            ));
            all.extend(term(place + 1));
        }
    }
    (all, of)
}

/// What the question asks for by name at its beginning: "what are the id, name and city of".
fn outputs(said: &Said<'_>) -> (Vec<Vec<String>>, Option<String>) {
    let words = said.question.words();
    let text = said.question.text();
    let mut items: Vec<Vec<String>> = vec![Vec::new()];
    let mut is_begun = false;
    for (place, word) in words.iter().enumerate() {
        let folded = fold(word);
        // A comma or the end of a sentence before the word.
        let between = place.checked_sub(1).and_then(|before| {
            let (before, own) = (
                said.question.place_of(before..place)?,
                said.question.place_of(place..place + 1)?,
            );
            text.get(before.end..own.start)
        });
        let is_after = |mark: char| between.is_some_and(|between| between.contains(mark));
        if is_after('.') || is_after('?') || is_after(':') || is_after('"') || is_after('\'') {
            break;
        }
        if is_after(',') || folded == "and" || folded == "und" {
            if items.last().is_some_and(|item| !item.is_empty()) {
                items.push(Vec::new());
            }
            if folded == "and" || folded == "und" {
                continue;
            }
        }
        if is_begun && AFTER.contains(&folded.as_str()) {
            let after = words.get(place + 1..).unwrap_or_default();
            let mut after = after
                .iter()
                .filter(|word| !ASKING.contains(&fold(word).as_str()));
            let of = (folded == "of" || folded == "von" || folded == "der")
                .then(|| {
                    after
                        .next()
                        .and_then(|word| said.analyzer.terms(word).pop())
                })
                .flatten();
            return (
                items.into_iter().filter(|item| !item.is_empty()).collect(),
                of,
            );
        }
        if ASKING.contains(&folded.as_str()) {
            continue;
        }
        is_begun = true;
        let parts = said.analyzer.terms(word);
        if let Some(item) = items.last_mut() {
            item.extend(parts);
        }
    }
    // The items may be anything if no word follows them.
    (Vec::new(), None)
}

/// The columns that a query uses anywhere, by their names.
fn used_columns(tree: &Tree<'_>) -> BTreeSet<String> {
    let mut columns = BTreeSet::new();
    each_expression(tree, &mut |block, part| {
        if let Some(column) = tree.resolve(block, part) {
            if let Some((_, origin)) = tree.column(&column) {
                columns.insert(origin.name.clone());
            }
            columns.insert(column.column);
        }
    });
    columns
}

/// The usual short name of a part of a name.
fn short_name(item: &[String]) -> Option<&'static str> {
    match item {
        [first, name] if first == "first" && name == "name" => Some("fname"),
        [last, name] if last == "last" && name == "name" => Some("lname"),
        _ => None,
    }
}

/// A column that the question asks for by its name, and the query does not have.
fn other_column(tree: &Tree<'_>, used: &Used, said: &Said<'_>) -> Option<Finding> {
    let top = tree.blocks.iter().find(|block| block.place == Place::Top)?;
    let shows_all = tree.blocks.iter().any(|block| {
        block.select.projection.iter().any(|item| {
            matches!(
                item,
                SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..)
            )
        })
    });
    let sources: Vec<&Arc<Table>> = tables_read(tree).collect();
    let is_open = tree
        .blocks
        .iter()
        .flat_map(|block| &block.sources)
        .any(|source| {
            matches!(
                source.rows,
                text2sql_sql::tree::Rows::Function | text2sql_sql::tree::Rows::Unknown
            )
        });
    if shows_all || is_open || sources.is_empty() || top.select.projection.is_empty() {
        return None;
    }
    let own = used_columns(tree);
    let names_used: Vec<Vec<String>> = own
        .iter()
        .chain(&used.words)
        .map(|name| said.analyzer.terms_of_name(name).to_vec())
        .collect();
    let (mut items, of) = asked_for(said);
    // "First and last name".
    if let Some(place) = items.iter().position(|item| *item == ["first"])
        && let Some([_, name]) = items.get(place + 1).map(Vec::as_slice)
    {
        let whole = vec!["first".to_owned(), name.clone()];
        if let Some(item) = items.get_mut(place) {
            *item = whole;
        }
    }
    // The table that the question asks about, where it says so: its own column is meant.
    let subjects: Vec<u32> = sources
        .iter()
        .filter(|table| {
            let terms = said.analyzer.terms_of_name(&table.name);
            of.as_ref()
                .is_some_and(|of| terms.as_ref() == std::slice::from_ref(of))
        })
        .map(|table| table.oid)
        .collect();
    // "The name and the number of stations" is not a name of stations.
    let counts = items.iter().any(|item| {
        item.len() == 1
            && item
                .iter()
                .any(|term| ["number", "count", "total", "amount"].contains(&term.as_str()))
    });
    items.into_iter().find_map(|item| {
        let is = |words: &[&str]| item.len() == 1 && item.iter().all(|term| words.contains(&term.as_str()));
        let of_anything = is(&OF_ANYTHING);
        if is(&VAGUE) || (of_anything && (subjects.is_empty() || counts)) {
            return None;
        }
        let fits = |name: &str, table: &Table| {
            let terms = said.analyzer.terms_of_name(name);
            let table_terms = said.analyzer.terms_of_name(&table.name);
            let bare: Vec<&String> = terms
                .iter()
                .skip_while(|term| table_terms.contains(term))
                .collect();
            let is = |item: &[String]| {
                *terms == *item || (!bare.is_empty() && bare.iter().copied().eq(item.iter()))
            };
            let is_short = short_name(&item)
                .is_some_and(|short| terms.last().is_some_and(|last| last.ends_with(short)));
            // "Phone number", of which the column is called phone, and a column with an abbreviation before its name.
            let is_behind = matches!(terms.as_ref(), [first, rest @ ..] if first.chars().count() <= 4 && *rest == *item.as_slice())
                && !of_anything;
            is(&item) || is_short || is_behind || matches!(item.as_slice(), [rest @ .., last] if last == "number" && !rest.is_empty() && is(rest))
        };
        let asked = sources
            .iter()
            .filter(|table| subjects.is_empty() || subjects.contains(&table.oid));
        let mut candidates = asked.flat_map(|table| {
            let columns = table.columns.iter().filter(|column| fits(&column.name, table));
            columns.map(move |column| (*table, column))
        });
        let (table, column) = candidates.next()?;
        // Any name that has the words, also an alias, may be what is meant; and so may a whole for its part.
        let has = |terms: &Vec<String>, wanted: &String| {
            terms.iter().any(|own| {
                own == wanted || (wanted.chars().count() > 2 && own.contains(wanted.as_str()))
            })
        };
        let bare = match item.as_slice() {
            [rest @ .., last] if last == "number" && !rest.is_empty() => rest,
            all => all,
        };
        let short = short_name(&item);
        let may_be_a_part = item.iter().any(|term| PARTS.contains(&term.as_str()));
        let is_there = names_used.iter().any(|terms| {
            bare.iter().all(|wanted| has(terms, wanted))
                || short.is_some_and(|short| terms.iter().any(|own| own.ends_with(short)))
                || (may_be_a_part && !terms.is_empty() && terms.iter().all(|own| WHOLE.contains(&own.as_str())))
                || (has(terms, &"name".to_owned()) && has(terms, &"full".to_owned()))
        });
        let is_synonym = sources.iter().flat_map(|table| &table.columns).any(|other| {
            own.contains(&other.name)
                && other.synonyms.iter().any(|synonym| {
                    let terms = said.analyzer.terms_of_name(synonym);
                    terms.iter().any(|term| item.contains(term))
                })
        });
        // A table of that name may be shown by its own name.
        let is_table = sources.iter().any(|table| {
            let terms = said.analyzer.terms_of_name(&table.name);
            item.iter().all(|term| terms.contains(term))
        });
        if is_there || is_synonym || is_table {
            return None;
        }
        Some(
            Check::Name.error(say!(
                "The question asks for {name}, a column of {table}, and the query does not have it.",
                name = quote_identifier(&column.name),
                table = table.sql_name()
            ))
            .with_fix(quote_identifier(&column.name)),
        )
    })
}

/// A query of one table that the question does not name, where it names another one that has all that the query uses.
fn other_table(tree: &Tree<'_>, tables: &[Arc<Table>], said: &Said<'_>) -> Option<Finding> {
    let mut read: Vec<&Arc<Table>> = Vec::new();
    for source in tree.blocks.iter().flat_map(|block| &block.sources) {
        let table = source.table()?;
        if read.iter().all(|known| known.oid != table.oid) {
            read.push(table);
        }
    }
    let [only] = read.as_slice() else {
        return None;
    };
    let is_plain = |table: &Table| {
        matches!(table.kind, TableKind::Table | TableKind::PartitionedTable)
            && table.made_of.is_empty()
    };
    let names = |name: &str| said.names(&said.analyzer.terms_of_name(name));
    let shares = |name: &str| {
        let terms = said.analyzer.terms_of_name(name);
        terms.iter().any(|term| said.has_term(term))
    };
    let is_said = shares(&only.name) || only.synonyms.iter().any(|word| shares(word));
    if is_said || !is_plain(only) {
        return None;
    }
    let columns = used_columns(tree);
    let mut named = tables.iter().filter(|table| {
        is_plain(table) && (names(&table.name) || table.synonyms.iter().any(|word| names(word)))
    });
    let other = named.next()?;
    let refers = |from: &Table, to: &Table| {
        from.foreign_keys.iter().any(|key| key.target == to.oid)
            || to
                .primary_key
                .iter()
                .any(|key| from.column(key).is_some() && key.chars().count() > 2)
    };
    let has_all = columns.iter().all(|column| other.column(column).is_some());
    // Rows of another table counted are no rows of this one, whatever refers to what.
    let is_related = !columns.is_empty() && (refers(only, other) || refers(other, only));
    // A column may be called like the other table.
    let terms = said.analyzer.terms_of_name(&other.name);
    let is_column = only.columns.iter().any(|column| {
        let own = said.analyzer.terms_of_name(&column.name);
        terms.iter().all(|term| own.contains(term))
    });
    if named.next().is_some() || !has_all || is_related || is_column {
        return None;
    }
    Some(
        Check::Name
            .error(say!(
                "The question names {table}, and the query reads {other} alone.",
                table = other.sql_name(),
                other = only.sql_name()
            ))
            .with_fix(other.sql_name()),
    )
}
