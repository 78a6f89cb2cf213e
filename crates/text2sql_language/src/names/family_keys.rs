//! Keys by which the tables of one family are found: the same columns, and a name that differs in one part.

use crate::terms::split;
use text2sql_domain::schema::Table;

/// Names of more parts than this have no family.
const MAX_PARTS: usize = 6;

/// Minimum number of columns of a family whose names differ in a word: `order_status` and `order_type`,
/// with an id and a name each, are similar by chance.
const FEWEST_COLUMNS: usize = 4;

/// A key that the tables of one family share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FamilyKey {
    /// Hash of the schema, of the columns' names and types, and of the name but for one part.
    pub key: i64,
    /// The part that differs.
    pub part: String,
    /// The name without it.
    pub common: String,
}

/// Whether the name sets the part off by two underscores at its end, as `content__wildlife` does: then few columns are
/// enough, and two tables.
pub fn is_set_off(name: &str, part: &str) -> bool {
    let end = name.rsplit_once("__").map(|(_, end)| end.to_lowercase());
    end.is_some_and(|end| end == part)
}

/// The keys of the table, kept with it.
pub fn keys_of(table: &Table) -> &[FamilyKey] {
    struct Known(Vec<FamilyKey>);
    &table.cache.get_or_make(|| Known(keys(table))).0
}

/// The keys that a table shares with tables of the same family: one for each part of its name.
pub fn keys(table: &Table) -> Vec<FamilyKey> {
    let parts = split(&table.name);
    if parts.len() < 2 || parts.len() > MAX_PARTS {
        return Vec::new();
    }
    let mut signature = Fnv::default();
    signature.write(&table.schema);
    for column in &table.columns {
        signature.write(&column.name);
        signature.write(&column.type_name);
    }
    let is_number = |part: &str| part.chars().all(|c| c.is_ascii_digit());
    let has_columns = table.columns.len() >= FEWEST_COLUMNS;
    parts
        .iter()
        .enumerate()
        .filter(|(at, part)| {
            let is_last = *at + 1 == parts.len();
            has_columns || is_number(part) || is_last && is_set_off(&table.name, part)
        })
        .map(|(differing, part)| {
            let mut hash = signature;
            for (at, part) in parts.iter().enumerate() {
                hash.write(if at == differing { "\u{1}" } else { part });
            }
            let mut common = parts.clone();
            common.remove(differing);
            FamilyKey {
                key: hash.0.cast_signed(),
                part: part.clone(),
                common: common.join("_"),
            }
        })
        .collect()
}

/// 64-bit FNV-1a: stable across versions and machines, because it is stored.
#[derive(Clone, Copy)]
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn write(&mut self, text: &str) {
        for byte in text.bytes().chain([0]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
