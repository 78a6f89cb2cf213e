//! The rows of `text2sql._protections`, by name and by OID.

use std::collections::HashMap;

use pgrx::pg_sys;
use serde::Deserialize;
use text2sql_domain::error::Error;

use super::protection_level::Level;
use crate::pg::access::objects::catalog_stamp;
use crate::pg::server::spi;
use crate::pg::server::spi::encoding::{server_text, text_of};

const READ_PROTECTIONS: &str = include_str!("../../../../sql/queries/read_protections.sql");

/// One row.
#[derive(Debug, Deserialize)]
pub(super) struct Rule {
    schema: String,
    /// Empty for a schema.
    table: String,
    /// Empty for a schema or a whole table.
    column: String,
    level: String,
    /// Whether the OIDs were written in the current catalog.
    is_from_here: bool,
    schema_oid: u32,
    relation_oid: u32,
    column_number: i16,
}

impl Rule {
    /// An unknown level is treated as the strictest one.
    fn level(&self) -> Level {
        Level::of(&self.level).unwrap_or(Level::Hidden)
    }

    /// Whether only the name applies. It always protects; it publishes only an object that replaced a dropped
    /// one, so that an old rule about another table never publishes a new table.
    fn counts_by_name(&self) -> bool {
        self.level() > Level::Open || !self.is_from_here || !self.exists()
    }

    fn exists(&self) -> bool {
        let name = match self.relation_oid {
            // SAFETY: look-ups in the caches, which give a palloc'd name or NULL.
            0 => unsafe { pg_sys::get_namespace_name(self.schema_oid.into()) },
            // SAFETY: as above.
            relation => unsafe { pg_sys::get_rel_name(relation.into()) },
        };
        !name.is_null()
    }
}

/// The rules about one relation, without those of what it reads.
#[derive(Debug, Default)]
pub(super) struct Explicit {
    /// About the table.
    pub(super) table: Option<Level>,
    /// About columns, by number.
    pub(super) columns: HashMap<i16, Level>,
    /// About the schema.
    pub(super) schema: Level,
}

/// All rows, indexed.
#[derive(Debug, Default)]
pub(super) struct Rules {
    rules: Vec<Rule>,
    by_schema_oid: HashMap<u32, Vec<usize>>,
    by_schema_name: HashMap<String, Vec<usize>>,
    by_relation_oid: HashMap<u32, Vec<usize>>,
    by_relation_name: HashMap<(String, String), Vec<usize>>,
}

impl Rules {
    fn of(rules: Vec<Rule>) -> Self {
        let mut indexed = Self::default();
        for (place, rule) in rules.iter().enumerate() {
            if rule.table.is_empty() {
                let by_name = indexed.by_schema_name.entry(rule.schema.clone());
                by_name.or_default().push(place);
                if rule.is_from_here {
                    let by_oid = indexed.by_schema_oid.entry(rule.schema_oid);
                    by_oid.or_default().push(place);
                }
            } else {
                let name = (rule.schema.clone(), rule.table.clone());
                indexed
                    .by_relation_name
                    .entry(name)
                    .or_default()
                    .push(place);
                if rule.is_from_here {
                    let by_oid = indexed.by_relation_oid.entry(rule.relation_oid);
                    by_oid.or_default().push(place);
                }
            }
        }
        Self { rules, ..indexed }
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The rules that apply to the relation. Of several rules about the same object, under different names and
    /// OIDs, the strictest applies.
    pub(super) fn about(&self, relation: pg_sys::Oid) -> Explicit {
        // SAFETY: look-ups in the caches; each returns a palloc'd name, NULL, or InvalidOid.
        let (schema_oid, schema, name) = unsafe {
            let schema_oid = pg_sys::get_rel_namespace(relation);
            let schema = text_of(pg_sys::get_namespace_name(schema_oid));
            (schema_oid, schema, text_of(pg_sys::get_rel_name(relation)))
        };
        let by_oid = self.at(self.by_schema_oid.get(&schema_oid.to_u32()));
        let by_name = self.at(self.by_schema_name.get(&schema));
        let about_schema = by_oid.chain(by_name.filter(|rule| rule.counts_by_name()));
        let mut explicit = Explicit {
            schema: about_schema.map(Rule::level).max().unwrap_or_default(),
            ..Explicit::default()
        };
        let by_oid = self.at(self.by_relation_oid.get(&relation.to_u32()));
        for rule in by_oid {
            explicit.add(
                rule,
                (!rule.column.is_empty()).then_some(rule.column_number),
            );
        }
        let by_name = self.at(self.by_relation_name.get(&(schema, name)));
        for rule in by_name.filter(|rule| rule.counts_by_name()) {
            if rule.column.is_empty() {
                explicit.add(rule, None);
            } else if let Some(number) = column_number(relation, &rule.column) {
                explicit.add(rule, Some(number));
            }
        }
        explicit
    }

    /// The columns that are hidden by a rule about themselves.
    pub(super) fn hidden_columns(&self) -> Vec<(pg_sys::Oid, i16)> {
        let mut columns = Vec::new();
        for rule in &self.rules {
            if rule.column.is_empty() || rule.level() != Level::Hidden {
                continue;
            }
            if rule.is_from_here {
                columns.push((rule.relation_oid.into(), rule.column_number));
            }
            if let Some(relation) = relation_named(&rule.schema, &rule.table)
                && let Some(number) = column_number(relation, &rule.column)
            {
                columns.push((relation, number));
            }
        }
        columns
    }

    fn at<'a>(&'a self, places: Option<&'a Vec<usize>>) -> impl Iterator<Item = &'a Rule> {
        places
            .into_iter()
            .flatten()
            .filter_map(|place| self.rules.get(*place))
    }
}

impl Explicit {
    fn add(&mut self, rule: &Rule, column: Option<i16>) {
        let level = rule.level();
        let known = match column {
            Some(number) => self.columns.entry(number).or_insert(level),
            None => self.table.get_or_insert(level),
        };
        *known = level.max(*known);
    }
}

/// Reads all rows, as the current user.
pub(super) fn read() -> Result<Rules, Error> {
    let rows: Vec<Rule> = spi::read_json(READ_PROTECTIONS, &[catalog_stamp().into()])?;
    Ok(Rules::of(rows))
}

/// The table of protections, if the installed extension version has one.
pub(super) fn table() -> Option<pg_sys::Oid> {
    relation_named("text2sql", "_protections")
}

/// The owner of a relation.
pub(crate) fn owner(relation: pg_sys::Oid) -> Option<pg_sys::Oid> {
    of_row(relation, |class| class.relowner)
}

/// The relation's row of `pg_class`. Not the relation's descriptor: that is assembled from several rows, which
/// another session can drop in between where nothing is locked.
fn of_row<T>(
    relation: pg_sys::Oid,
    read: impl FnOnce(&pg_sys::FormData_pg_class) -> T,
) -> Option<T> {
    // SAFETY: the tuple is used between look-up and release; its struct is pg_class's.
    unsafe {
        let cache = pg_sys::SysCacheIdentifier::RELOID.cast_signed();
        let tuple = pg_sys::SearchSysCache1(cache, relation.into());
        if tuple.is_null() {
            return None;
        }
        let value = read(&*pg_sys::GETSTRUCT(tuple).cast());
        pg_sys::ReleaseSysCache(tuple);
        Some(value)
    }
}

fn relation_named(schema: &str, name: &str) -> Option<pg_sys::Oid> {
    let (schema, name) = (server_text(schema)?, server_text(name)?);
    // SAFETY: NUL-terminated names; `true` makes an unknown schema InvalidOid, as is an unknown
    // relation.
    let relation = unsafe {
        let schema = pg_sys::get_namespace_oid(schema, true);
        if schema == pg_sys::InvalidOid {
            return None;
        }
        pg_sys::get_relname_relid(name, schema)
    };
    (relation != pg_sys::InvalidOid).then_some(relation)
}

/// The number of the column of that name.
pub(super) fn column_number(relation: pg_sys::Oid, name: &str) -> Option<i16> {
    let name = server_text(name)?;
    // SAFETY: a NUL-terminated name; an unknown one returns 0.
    let number = unsafe { pg_sys::get_attnum(relation, name) };
    (number > 0).then_some(number)
}

/// The name of the column of that number.
pub(super) fn column_name(relation: pg_sys::Oid, number: i16) -> Option<String> {
    // SAFETY: a look-up in the cache; `true` makes a missing column NULL.
    let name = unsafe { pg_sys::get_attname(relation, number, true) };
    // SAFETY: a palloc'd name or NULL.
    (!name.is_null()).then(|| unsafe { text_of(name) })
}

/// Numbers and names of the columns.
pub(super) fn column_names(relation: pg_sys::Oid) -> impl Iterator<Item = (i16, String)> {
    let count = of_row(relation, |class| class.relnatts).unwrap_or(0);
    (1..=count).filter_map(move |number| Some((number, column_name(relation, number)?)))
}
