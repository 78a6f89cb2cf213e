//! Families of tables: `sales_2024` and `sales_2025`, or one table per brand or region. They have
//! the same columns, and their names differ in one part.

use super::document::FamilyKey;
use super::words::split;
use crate::schema::Table;

/// Most parts of a name that are tried as the part that differs.
const MOST_PARTS: usize = 6;

/// The keys that siblings of a table share with it: one for each part of its name.
pub fn keys(table: &Table) -> Vec<FamilyKey> {
    let parts = split(&table.name);
    if parts.len() < 2 || parts.len() > MOST_PARTS {
        return Vec::new();
    }
    let mut signature = Fnv::default();
    signature.write(&table.schema);
    for column in &table.columns {
        signature.write(&column.name);
        signature.write(&column.type_name);
    }
    (0..parts.len())
        .map(|differing| {
            let mut hash = signature;
            for (at, part) in parts.iter().enumerate() {
                hash.write(if at == differing { "\u{1}" } else { part });
            }
            FamilyKey {
                key: hash.0.cast_signed(),
                part: parts.get(differing).cloned().unwrap_or_default(),
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
