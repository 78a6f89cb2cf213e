//! The document of `sql/read_catalog.sql`, and the table that core makes of it.

use std::collections::HashMap;

use serde::Deserialize;
use text2sql_core::schema::{Column, ColumnStatistics, ForeignKey, Table, TableKind, TypeCategory};

/// One table as the query gives it.
#[derive(Deserialize)]
pub(super) struct TableDocument {
    pub(super) oid: u32,
    schema: String,
    name: String,
    kind: char,
    comment: Option<String>,
    row_estimate: Option<f64>,
    has_row_security: bool,
    partition_key: Option<String>,
    columns: Option<Vec<ColumnDocument>>,
    primary_key: Option<Vec<String>>,
    unique_keys: Option<Vec<Vec<String>>>,
    foreign_keys: Option<Vec<ForeignKeyDocument>>,
    statistics: Option<HashMap<String, StatisticsDocument>>,
    related: Vec<u32>,
    type_oids: Option<Vec<u32>>,
}

/// One column, an array in the order of these fields.
#[derive(Deserialize)]
struct ColumnDocument {
    number: i16,
    name: String,
    type_name: String,
    base_oid: u32,
    base_kind: char,
    base_category: char,
    domain_base: Option<String>,
    enum_labels: Option<Vec<String>>,
    composite_fields: Option<Vec<String>>,
    not_null: bool,
    is_generated: bool,
    is_identity: bool,
    comment: Option<String>,
}

#[derive(Deserialize)]
struct ForeignKeyDocument {
    columns: Vec<String>,
    target: u32,
    target_schema: String,
    target_name: String,
    target_columns: Vec<String>,
}

#[derive(Deserialize)]
struct StatisticsDocument {
    most_common: Option<Vec<(String, f64)>>,
    /// The values that are not most common, where all of them are known.
    rarer: Option<Vec<String>>,
    /// An array of numbers or dates as its output function writes it.
    untold: Option<String>,
    null_share: f64,
    distinct_values: Option<f64>,
    lowest: Option<String>,
    highest: Option<String>,
}

impl TableDocument {
    /// Numbers of the columns.
    pub(super) fn column_numbers(&self) -> impl Iterator<Item = i16> {
        self.columns.iter().flatten().map(|column| column.number)
    }

    /// OIDs of the relations that foreign keys and row types lead to, readable or not.
    pub(super) fn related(&self) -> &[u32] {
        &self.related
    }

    /// OIDs of the types that somebody made.
    pub(super) fn type_oids(&self) -> &[u32] {
        self.type_oids.as_deref().unwrap_or_default()
    }

    /// The table as core knows it. Whether its bare name finds it depends on more than the document.
    pub(super) fn into_table(self, is_visible: impl Fn(u32, &str) -> bool) -> Table {
        let mut statistics = self.statistics.unwrap_or_default();
        Table {
            is_visible: is_visible(self.oid, &self.name),
            oid: self.oid,
            schema: self.schema,
            name: self.name,
            kind: match self.kind {
                'v' => TableKind::View,
                'm' => TableKind::MaterializedView,
                'p' => TableKind::PartitionedTable,
                _ => TableKind::Table,
            },
            comment: self.comment,
            row_estimate: self.row_estimate,
            has_row_security: self.has_row_security,
            columns: self
                .columns
                .into_iter()
                .flatten()
                .map(|column| {
                    let facts = statistics.remove(&column.name);
                    column.into_column(facts)
                })
                .collect(),
            unique_keys: distinct_keys(self.primary_key.as_ref(), self.unique_keys),
            primary_key: self.primary_key.unwrap_or_default(),
            foreign_keys: self
                .foreign_keys
                .into_iter()
                .flatten()
                .map(|key| ForeignKey {
                    columns: key.columns,
                    target: key.target,
                    target_schema: key.target_schema,
                    target_name: key.target_name,
                    target_columns: key.target_columns,
                    is_taught: false,
                })
                .collect(),
            remembered: Default::default(),
            partition_key: self.partition_key,
            synonyms: Vec::new(),
        }
    }
}

impl ColumnDocument {
    fn into_column(self, facts: Option<StatisticsDocument>) -> Column {
        let category = category_of(self.base_oid, self.base_kind, self.base_category);
        Column {
            number: self.number,
            name: self.name,
            type_name: self.type_name,
            category,
            domain_base: self.domain_base,
            enum_labels: self.enum_labels.unwrap_or_default(),
            composite_fields: self.composite_fields.unwrap_or_default(),
            not_null: self.not_null,
            is_generated: self.is_generated,
            is_identity: self.is_identity,
            comment: self.comment,
            statistics: facts.map(|facts| facts.into_statistics(category)),
            synonyms: Vec::new(),
            value_meanings: Vec::new(),
            is_rarely_useful: false,
            is_private: false,
        }
    }
}

impl StatisticsDocument {
    fn into_statistics(self, category: TypeCategory) -> ColumnStatistics {
        let (mut most_common_values, mut most_common_shares): (Vec<String>, Vec<f64>) =
            self.most_common.into_iter().flatten().unzip();
        let rarer = self.rarer.unwrap_or_default();
        let common: f64 = most_common_shares.iter().sum();
        let share = (1.0 - self.null_share - common).max(0.0) / rarer.len().max(1) as f64;
        most_common_shares.extend(rarer.iter().map(|_| share));
        most_common_values.extend(rarer);
        // The histogram leaves the most common values out, so the range is that of both.
        let untold = self.untold.as_deref().unwrap_or_default();
        let known: Vec<(SortKey, &str)> = [&self.lowest, &self.highest]
            .into_iter()
            .flatten()
            .chain(&most_common_values)
            .map(String::as_str)
            .chain(
                untold
                    .trim_matches(['{', '}'])
                    .split(',')
                    .map(|value| value.trim_matches('"')),
            )
            .filter_map(|value| Some((sort_key(category, value)?, value)))
            .collect();
        let by_key = |a: &&(SortKey, &str), b: &&(SortKey, &str)| {
            a.0.partial_cmp(&b.0).unwrap_or(std::cmp::Ordering::Equal)
        };
        let lowest = known
            .iter()
            .min_by(by_key)
            .map(|(_, value)| (*value).to_owned());
        let highest = known
            .iter()
            .max_by(by_key)
            .map(|(_, value)| (*value).to_owned());
        ColumnStatistics {
            most_common_values,
            most_common_shares,
            null_share: self.null_share,
            distinct_values: self.distinct_values,
            lowest: lowest.or(self.lowest),
            highest: highest.or(self.highest),
        }
    }
}

#[derive(PartialEq, PartialOrd)]
enum SortKey {
    Number(f64),
    /// ISO text, which sorts as the date does in the years 0 to 9999.
    Date(String),
}

fn sort_key(category: TypeCategory, value: &str) -> Option<SortKey> {
    match category {
        TypeCategory::Integer | TypeCategory::Number => value
            .parse::<f64>()
            .ok()
            .filter(|number| number.is_finite())
            .map(SortKey::Number),
        TypeCategory::Date | TypeCategory::Timestamp => (value.get(4..5) == Some("-")
            && !value.ends_with("BC"))
        .then(|| SortKey::Date(value.to_owned())),
        _ => None,
    }
}

/// Each further key once: an index may repeat a constraint, or the primary key.
fn distinct_keys(
    primary: Option<&Vec<String>>,
    keys: Option<Vec<Vec<String>>>,
) -> Vec<Vec<String>> {
    let mut distinct: Vec<Vec<String>> = Vec::new();
    for key in keys.into_iter().flatten() {
        if primary != Some(&key) && !distinct.contains(&key) {
            distinct.push(key);
        }
    }
    distinct
}

/// Coarse groups over `pg_type`: by OID where the server's own type means something special, else
/// by `typtype` and `typcategory`, so that types of extensions fall into place.
fn category_of(oid: u32, kind: char, category: char) -> TypeCategory {
    match (oid, kind, category) {
        (20 | 21 | 23, ..) => TypeCategory::Integer,
        (700 | 701 | 790 | 1700, ..) => TypeCategory::Number,
        (17, ..) => TypeCategory::Binary,
        // "char" has a category of its own.
        (18, ..) => TypeCategory::Text,
        (114 | 3802, ..) => TypeCategory::Json,
        (1082, ..) => TypeCategory::Date,
        (1114 | 1184, ..) => TypeCategory::Timestamp,
        (1083 | 1266, ..) => TypeCategory::Time,
        (1186, ..) => TypeCategory::Interval,
        (2950, ..) => TypeCategory::Uuid,
        (_, 'e', _) => TypeCategory::Enum,
        (_, 'r' | 'm', _) => TypeCategory::Range,
        (_, 'c', _) => TypeCategory::Composite,
        (_, _, 'A') => TypeCategory::Array,
        (_, _, 'B') => TypeCategory::Boolean,
        (_, _, 'S') => TypeCategory::Text,
        // The server's own others are OIDs and reg* types, which are no numbers to a person.
        (16384.., _, 'N') => TypeCategory::Number,
        _ => TypeCategory::Other,
    }
}
