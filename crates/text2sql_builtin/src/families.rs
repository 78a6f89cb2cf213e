//! Families of tables, one for each brand, region or year, as one table each: its rows are those of all members, with a
//! column that says which of them they are from.
//!
//! Tables that are only called alike (`dim_color`, `dim_shape`) are none: the parts must be years, directions, or words
//! that are no English words, or be set off by two underscores, or be the same in two families.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use text2sql_domain::proposal::{Proposal, SqlProposal};
use text2sql_domain::schema::{
    Column, Definition, FamilyMember, ForeignKey, Table, TableFamily, TableName, TypeCategory,
};
use text2sql_language::german::nouns::noun;
use text2sql_language::names::family_keys::{is_set_off, keys_of};
use text2sql_language::names::{english_words, readable};
use text2sql_phrases::{Language, say_in};

/// Parts of which everybody says "region".
const DIRECTIONS: &[&str] = &[
    "north", "south", "east", "west", "central", "nord", "sued", "ost", "mitte",
];

/// What many tables of one kind begin with, whatever they hold.
const GENERAL: &[&str] = &[
    "ref", "dim", "fact", "tbl", "tab", "lkp", "lookup", "code", "codes", "list", "type", "types",
    "stg", "tmp", "raw",
];

/// What the column may be called: the first that is no column of the members.
const PARTS: &[(&str, &[&str])] = &[
    ("brand", &["Marke"]),
    ("member", &["Mitglied"]),
    ("family_part", &[]),
];
const REGIONS: &[(&str, &[&str])] = &[("region", &["Gebiet"]), ("family_region", &[])];
const YEARS: &[(&str, &[&str])] = &[("table_part", &[])];

/// Maximum number of members that a note names.
const MAX_NAMED: usize = 6;

/// Members that may be one table.
struct Found {
    common: String,
    /// Places of the tables, each with its part, by part.
    members: Vec<(usize, String)>,
}

impl Found {
    fn parts(&self) -> Vec<&str> {
        self.members.iter().map(|(_, part)| part.as_str()).collect()
    }
}

/// The tables as questions see them: without columns that their owner marked as rarely useful, and with one table in place
/// of each family of which the text of the question names no member as it is written in SQL.
pub(crate) fn united<'t>(
    text: &str,
    tables: &'t [Arc<Table>],
    definitions: &[Definition],
) -> Cow<'t, [Arc<Table>]> {
    let text = text.to_lowercase();
    let useful = useful(&text, tables, definitions);
    match in_place_of_members(&text, &useful, definitions) {
        Some(united) => Cow::Owned(united),
        None => useful,
    }
}

/// The tables without columns of low priority that neither the question nor a definition names, and no key needs.
fn useful<'t>(
    text: &str,
    tables: &'t [Arc<Table>],
    definitions: &[Definition],
) -> Cow<'t, [Arc<Table>]> {
    let is_left_out = |table: &Table, column: &Column| {
        let is_key = |columns: &Vec<String>| columns.contains(&column.name);
        let mut keys = table.unique_keys.iter().chain([&table.primary_key]);
        let joins = table.likely_joins.iter().map(|join| &join.key);
        let mut references = table.foreign_keys.iter().chain(joins);
        let mut names = column.synonyms.iter().chain([&column.name]);
        // One word of its name is enough: "loaded" may mean loaded_at.
        let is_named = |name: &String| {
            let words = readable(name).to_lowercase();
            let mut words = words.split(' ').filter(|word| word.len() > 3);
            text.contains(&name.to_lowercase()) || words.any(|word| text.contains(word))
        };
        let mut expressions = definitions
            .iter()
            .filter_map(|definition| definition.sql_expression.as_deref());
        column.is_rarely_useful
            && !keys.any(is_key)
            && !references.any(|key| is_key(&key.columns))
            && !names.any(is_named)
            && !expressions.any(|expression| expression.contains(&column.name))
    };
    let has_any = |table: &Arc<Table>| {
        let mut columns = table.columns.iter();
        columns.any(|column| is_left_out(table, column))
    };
    if !tables.iter().any(has_any) {
        return Cow::Borrowed(tables);
    }
    let without = tables.iter().map(|table| match has_any(table) {
        false => Arc::clone(table),
        true => {
            let kept = table
                .columns
                .iter()
                .filter(|column| !is_left_out(table, column));
            Arc::new(table.with_columns(kept))
        }
    });
    Cow::Owned(without.collect())
}

fn in_place_of_members(
    text: &str,
    tables: &[Arc<Table>],
    definitions: &[Definition],
) -> Option<Vec<Arc<Table>>> {
    let mut families = found(tables);
    families.retain(|family| {
        let mut members = family.members.iter().filter_map(|(at, _)| tables.get(*at));
        !members.any(|table| table.name.contains('_') && text.contains(&table.name.to_lowercase()))
    });
    let defined: BTreeSet<u32> = definitions.iter().flat_map(Definition::tables).collect();
    // Each may be in the way of another one.
    loop {
        let before = families.len();
        let place: HashMap<usize, usize> = families
            .iter()
            .enumerate()
            .flat_map(|(at, family)| family.members.iter().map(move |(table, _)| (*table, at)))
            .collect();
        let kept: Vec<bool> = families
            .iter()
            .map(|family| is_apart(family, &families, &place, tables, &defined))
            .collect();
        let mut kept = kept.into_iter();
        families.retain(|_| kept.next().unwrap_or_default());
        if families.len() == before {
            break;
        }
    }
    if families.is_empty() {
        return None;
    }
    let made: Vec<Arc<Table>> = families
        .iter()
        .map(|family| Arc::new(one_of(family, &families, tables)))
        .collect();
    let first_of: HashMap<usize, &Arc<Table>> = families
        .iter()
        .zip(&made)
        .flat_map(|(family, made)| family.members.iter().map(move |(at, _)| (*at, made)))
        .collect();
    let oid_of: HashMap<u32, u32> = first_of
        .iter()
        .filter_map(|(at, made)| Some((tables.get(*at)?.oid, made.oid)))
        .collect();
    let mut united: Vec<Arc<Table>> = Vec::new();
    for (at, table) in tables.iter().enumerate() {
        match first_of.get(&at) {
            Some(made) if united.iter().any(|known| Arc::ptr_eq(known, made)) => {}
            Some(made) => united.push(Arc::clone(made)),
            None if table.made_of.iter().any(|oid| oid_of.contains_key(oid)) => {
                let mut derived = table.as_ref().clone();
                for oid in &mut derived.made_of {
                    *oid = oid_of.get(oid).copied().unwrap_or(*oid);
                }
                derived.made_of.dedup();
                united.push(Arc::new(derived));
            }
            None => united.push(Arc::clone(table)),
        }
    }
    Some(united)
}

/// What is called alike and has the same columns; each table is in the largest of its families.
fn found(tables: &[Arc<Table>]) -> Vec<Found> {
    let mut by_key: HashMap<i64, Found> = HashMap::new();
    for (at, table) in tables.iter().enumerate() {
        for key in keys_of(table) {
            let family = by_key.entry(key.key).or_insert_with(|| Found {
                common: key.common.clone(),
                members: Vec::new(),
            });
            family.members.push((at, key.part.clone()));
        }
    }
    let mut families: Vec<Found> = by_key
        .into_values()
        .filter(|family| family.members.len() > 1)
        .collect();
    for family in &mut families {
        family.members.sort_by(|one, other| one.1.cmp(&other.1));
    }
    families.sort_by(|one, other| {
        let order = other.members.len().cmp(&one.members.len());
        order.then_with(|| one.common.cmp(&other.common))
    });
    let is_shared: Vec<bool> = families
        .iter()
        .map(|family| {
            let mut others = families
                .iter()
                .filter(|other| other.common != family.common);
            others.any(|other| other.parts() == family.parts())
        })
        .collect();
    let mut taken: BTreeSet<usize> = BTreeSet::new();
    let mut kept = Vec::new();
    for (family, is_shared) in families.into_iter().zip(is_shared) {
        let is_free = family.members.iter().all(|(at, _)| !taken.contains(at));
        if is_free && is_family(&family, is_shared, tables) {
            taken.extend(family.members.iter().map(|(at, _)| *at));
            kept.push(family);
        }
    }
    kept
}

/// Whether the parts tell members apart, not things.
fn is_family(family: &Found, is_shared: bool, tables: &[Arc<Table>]) -> bool {
    let parts = family.parts();
    let name_of = |at: usize| tables.get(at).map_or("", |table| table.name.as_str());
    let mut members = family.members.iter();
    let is_table = |at: usize| {
        tables
            .get(at)
            .is_some_and(|table| table.derived_by.is_none())
    };
    if !members.clone().all(|(at, _)| is_table(*at)) {
        return false;
    }
    let is_year = |part: &&str| {
        matches!(part.len(), 4 | 6 | 8)
            && (part.starts_with("19") || part.starts_with("20"))
            && part.bytes().all(|b| b.is_ascii_digit())
    };
    let is_word = |part: &&str| english_words::level(part).is_some() || noun(part).is_some();
    parts.iter().all(is_year)
        || parts.iter().all(|part| DIRECTIONS.contains(part))
        || members.all(|(at, part)| is_set_off(name_of(*at), part))
        || parts.len() > 2
            && !GENERAL.contains(&family.common.as_str())
            && (is_shared || !parts.iter().any(is_word))
}

/// Whether the family can be one table: nothing is taught of a single member, no table refers to one, and no other is
/// called as it.
fn is_apart(
    family: &Found,
    families: &[Found],
    place: &HashMap<usize, usize>,
    tables: &[Arc<Table>],
    defined: &BTreeSet<u32>,
) -> bool {
    let members: Vec<&Arc<Table>> = family
        .members
        .iter()
        .filter_map(|(at, _)| tables.get(*at))
        .collect();
    let oids: Vec<u32> = members.iter().map(|table| table.oid).collect();
    let Some(first) = members.first() else {
        return false;
    };
    let is_namesake = |table: &Arc<Table>| {
        table.schema == first.schema && table.name == family.common
            || oids.contains(&table.oid) && defined.contains(&table.oid)
    };
    let refers = |(at, table): (usize, &Arc<Table>)| {
        let mut keys = table.foreign_keys.iter();
        let is_to = keys.any(|key| oids.contains(&key.target));
        let other = place.get(&at).and_then(|other| families.get(*other));
        is_to && other.is_none_or(|other| other.parts() != family.parts())
    };
    !tables.iter().any(is_namesake) && !tables.iter().enumerate().any(refers)
}

/// The table that stands for the family.
fn one_of(family: &Found, families: &[Found], tables: &[Arc<Table>]) -> Table {
    let members: Vec<(&Arc<Table>, &str)> = family
        .members
        .iter()
        .filter_map(|(at, part)| Some((tables.get(*at)?, part.as_str())))
        .collect();
    let Some((first, _)) = members.first() else {
        return Table::default();
    };
    let mut one = first.as_ref().clone();
    let column = column_of(family, first);
    one.name.clone_from(&family.common);
    one.has_row_security = members.iter().any(|(table, _)| table.has_row_security);
    one.row_estimate = members.iter().map(|(table, _)| table.row_estimate).sum();
    one.samples.clear();
    one.likely_joins.clear();
    for (table, _) in members.iter().skip(1) {
        add_new(&mut one.synonyms, &table.synonyms);
        for (own, other) in one.columns.iter_mut().zip(&table.columns) {
            add_new(&mut own.synonyms, &other.synonyms);
            add_new(&mut own.mentioned_values, &other.mentioned_values);
            own.not_null &= other.not_null;
            own.is_private |= other.is_private;
            own.is_rarely_useful &= other.is_rarely_useful;
            add_new(&mut own.enum_labels, &other.enum_labels);
            match (&mut own.statistics, &other.statistics) {
                (Some(own), Some(other)) => {
                    add_new(&mut own.most_common_values, &other.most_common_values);
                    own.most_common_shares.clear();
                    (own.lowest, own.highest) = (None, None);
                }
                (own, _) => *own = None,
            }
        }
    }
    for key in std::iter::once(&mut one.primary_key).chain(&mut one.unique_keys) {
        if !key.is_empty() {
            key.push(column.name.clone());
        }
    }
    one.foreign_keys = keys_to(family, families, tables, &column.name);
    let described = members.iter().map(|(table, part)| FamilyMember {
        part: (*part).to_owned(),
        table: TableName::of(table),
    });
    one.family = Some(Box::new(TableFamily {
        column: column.name.clone(),
        members: described.collect(),
    }));
    one.columns.push(column);
    one
}

fn add_new(known: &mut Vec<String>, added: &[String]) {
    for text in added {
        if !known.contains(text) {
            known.push(text.clone());
        }
    }
}

/// The column that says from which member a row is.
fn column_of(family: &Found, first: &Table) -> Column {
    let parts = family.parts();
    let is_number = |part: &&str| part.bytes().all(|b| b.is_ascii_digit());
    let names = match () {
        () if parts.iter().all(is_number) => YEARS,
        () if parts.iter().all(|part| DIRECTIONS.contains(part)) => REGIONS,
        () => PARTS,
    };
    let is_free = |(name, _): &&(&str, &[&str])| first.column(name).is_none();
    let (name, synonyms) = names.iter().find(is_free).unwrap_or(&("family_part", &[]));
    Column {
        name: (*name).to_owned(),
        type_name: "text".to_owned(),
        category: TypeCategory::Text,
        not_null: true,
        synonyms: synonyms.iter().map(|&word| word.to_owned()).collect(),
        enum_labels: parts.iter().map(|&part| part.to_owned()).collect(),
        ..Column::default()
    }
}

/// The keys that all members have, to one table or to the member of the same part.
fn keys_to(
    family: &Found,
    families: &[Found],
    tables: &[Arc<Table>],
    column: &str,
) -> Vec<ForeignKey> {
    let table = |at: usize| tables.get(at);
    let Some(first) = family.members.first().and_then(|(at, _)| table(*at)) else {
        return Vec::new();
    };
    let mut keys = Vec::new();
    for key in &first.foreign_keys {
        // What each member refers to by these columns.
        let targets: Option<Vec<u32>> = family
            .members
            .iter()
            .map(|(at, _)| {
                let mut own = table(*at)?.foreign_keys.iter();
                let same = own.find(|own| {
                    own.columns == key.columns && own.target_columns == key.target_columns
                })?;
                Some(same.target)
            })
            .collect();
        let Some(targets) = targets else {
            continue;
        };
        let target_family = families.iter().find(|other| {
            let oids = other
                .members
                .iter()
                .filter_map(|(at, _)| Some(table(*at)?.oid));
            oids.eq(targets.iter().copied())
        });
        let to = target_family.and_then(|other| Some((other, table(other.members.first()?.0)?)));
        let is_one = targets.iter().all(|target| *target == key.target);
        match to {
            Some((other, first)) => {
                let mut key = key.clone();
                key.columns.push(column.to_owned());
                key.target = first.oid;
                key.target_name.clone_from(&other.common);
                key.target_columns.push(column_of(other, first).name);
                keys.push(key);
            }
            None if is_one => keys.push(key.clone()),
            None => {}
        }
    }
    keys
}

/// The proposal, which says which members it is of.
pub(crate) fn noted(proposal: Proposal, tables: &[Arc<Table>], language: Language) -> Proposal {
    match proposal {
        Proposal::Sql(mut answer) => {
            note(&mut answer, tables, language);
            Proposal::Sql(answer)
        }
        other => other,
    }
}

/// Adds what the statement takes together.
pub(crate) fn note(answer: &mut SqlProposal, tables: &[Arc<Table>], language: Language) {
    for table in tables {
        let Some(family) = &table.family else {
            continue;
        };
        let mut members = family.members.iter();
        let reads_all = answer.sql.contains("UNION ALL")
            && members.all(|member| {
                let name = format!("FROM {}", member.table.sql_name());
                answer.sql.contains(&name)
            });
        if !reads_all {
            continue;
        }
        let count = family.members.len();
        let named: Vec<String> = family
            .members
            .iter()
            .take(MAX_NAMED)
            .map(|member| member.table.sql_name())
            .collect();
        let more = if count > MAX_NAMED { ", …" } else { "" };
        let (name, tables) = (&table.name, format!("{}{more}", named.join(", ")));
        let said = say_in!(
            language,
            "{name} is all {count} tables of that kind: {tables}",
            name,
            count,
            tables
        );
        if !answer.notes.contains(&said) {
            answer.notes.push(said);
        }
    }
}
