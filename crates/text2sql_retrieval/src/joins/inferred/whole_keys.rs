//! Keys of several columns, which another table has by the same names.

use std::collections::HashMap;

use super::candidate::{Candidate, Reason};
use super::facts::{Kind, Pair, TableFacts};
use super::keys::{Target, stands_for};
use super::names::Name;

/// Keys that a column of one name may be a part of, above which the name says nothing.
const MAX_ALIKE: usize = 50;

/// A key of several columns.
struct WholeKey<'a> {
    table: &'a TableFacts,
    key: &'a [i16],
    parts: Vec<(String, Kind)>,
}

/// The keys of a schema, each by the name of a column that says that it is of the table: two tables that both
/// reference a student and a course have the same columns, too.
pub(super) struct WholeKeys<'a>(HashMap<String, Vec<WholeKey<'a>>>);

impl<'a> WholeKeys<'a> {
    pub(super) fn of(targets: &[Target<'a>]) -> Self {
        let mut known: HashMap<String, Vec<WholeKey<'a>>> = HashMap::new();
        for target in targets {
            for key in target.table.keys.iter().filter(|key| key.len() > 1) {
                let columns: Option<Vec<_>> = key
                    .iter()
                    .map(|number| target.table.column(*number))
                    .collect();
                let columns = columns.unwrap_or_default();
                let names: Vec<Name> = columns
                    .iter()
                    .map(|column| Name::of(&column.name))
                    .collect();
                let Some(named) = names.iter().find(|name| {
                    !name.is_generic() && stands_for(&name.subject(), &target.spellings).is_some()
                }) else {
                    continue;
                };
                let parts = names.iter().zip(&columns);
                known
                    .entry(named.whole.clone())
                    .or_default()
                    .push(WholeKey {
                        table: target.table,
                        key,
                        parts: parts
                            .map(|(name, column)| (name.whole.clone(), column.kind))
                            .collect(),
                    });
            }
        }
        known.retain(|_, keys| keys.len() <= MAX_ALIKE);
        Self(known)
    }

    /// Adds the keys that the columns of a table are called like.
    pub(super) fn referenced_by(&self, source: &Target<'_>, found: &mut Vec<Candidate>) {
        if self.0.is_empty() {
            return;
        }
        let table = source.table;
        let names: Vec<String> = table
            .columns
            .iter()
            .map(|column| Name::of(&column.name).whole)
            .collect();
        for key in names.iter().filter_map(|name| self.0.get(name)).flatten() {
            if key.table.oid == table.oid {
                continue;
            }
            let same = key.parts.iter().map(|(wanted, kind)| {
                let mut own = table.columns.iter().zip(&names);
                let same = own.find(|(column, name)| column.kind == *kind && *name == wanted);
                same.map(|(column, _)| column.number)
            });
            let Some(columns) = same.collect::<Option<Vec<i16>>>() else {
                continue;
            };
            let is_settled = table
                .settled
                .iter()
                .any(|settled| settled.columns == columns);
            if is_settled || table.is_key(&columns) {
                continue;
            }
            found.push(Candidate {
                pair: Pair {
                    from: table.oid,
                    columns,
                    to: key.table.oid,
                    target_columns: key.key.to_vec(),
                },
                by_name: 0.8,
                reason: Reason::AllOfKey,
                kind: Kind::Text,
                is_key_declared: true,
                is_key_distinct: false,
                is_first: true,
                stands: None,
            });
        }
    }
}
