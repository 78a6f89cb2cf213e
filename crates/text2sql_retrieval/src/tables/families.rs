//! Families of tables: `sales_2024` and `sales_2025`, or one table per brand or region. They have
//! the same columns, and their names differ in one part.
//!
//! A family takes one place among the found tables. Members that the question names are shown
//! individually; when it names none, all are meant and one represents them.

use std::collections::HashMap;
use std::sync::Arc;

use text2sql_domain::ports::search_index::Sibling;
use text2sql_domain::schema::Table;
use text2sql_language::names::family_keys::{FamilyKey, is_set_off, keys_of};
use text2sql_language::terms::fold;
use text2sql_language::understanding::Understanding;

/// Maximum number of members that are read.
pub const MAX_MEMBERS: usize = 200;

/// Minimum number of members of a family whose names differ in a word.
const FEWEST_MEMBERS: usize = 3;

/// A family, and the member that represents it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Family {
    /// The member that represents the others: the best of the found ones.
    pub representative: u32,
    /// All members, sorted by the part in which their names differ.
    pub members: Vec<Member>,
    /// Those that the question names.
    pub named: Vec<u32>,
}

/// A member of a family.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The table.
    pub table: u32,
    /// The part in which its name differs.
    pub part: String,
    /// Its name without the schema.
    pub name: String,
}

/// The families of the found tables, which come best first.
pub fn group(siblings: &[Sibling], found: &[u32], understanding: &Understanding) -> Vec<Family> {
    let mut by_key: HashMap<i64, Vec<Member>> = HashMap::new();
    for sibling in siblings {
        let members = by_key.entry(sibling.key).or_default();
        if !members.iter().any(|member| member.table == sibling.table) {
            members.push(Member {
                table: sibling.table,
                part: sibling.part.clone(),
                name: sibling.name.clone(),
            });
        }
    }
    by_key.retain(|_, members| {
        let are_numbers = members
            .iter()
            .all(|member| member.part.chars().all(|c| c.is_ascii_digit()));
        let are_set_off = || {
            let mut members = members.iter();
            members.all(|member| is_set_off(&member.name, &member.part))
        };
        members.len()
            >= if are_numbers || are_set_off() {
                2
            } else {
                FEWEST_MEMBERS
            }
    });
    let words = understanding.parts();
    let mut families: Vec<Family> = Vec::new();
    for table in found {
        if families
            .iter()
            .any(|family| family.members.iter().any(|member| member.table == *table))
        {
            continue;
        }
        // The largest where a table is in several families (one table per year, one per region).
        let keys = by_key
            .iter()
            .filter(|(_, members)| members.iter().any(|member| member.table == *table));
        let largest = keys.max_by_key(|(key, members)| (members.len(), **key));
        let Some((_, members)) = largest else {
            continue;
        };
        let mut members = members.clone();
        members.sort_by(|one, other| (&one.part, one.table).cmp(&(&other.part, other.table)));
        let is_named = |part: &str| words.iter().any(|word| *word == fold(part));
        let named = members.iter().filter(|member| is_named(&member.part));
        families.push(Family {
            representative: *table,
            named: named.map(|member| member.table).collect(),
            members,
        });
    }
    families
}

/// The families of tables that are all shown: the first of each represents it.
pub fn among(tables: &[Arc<Table>], understanding: &Understanding) -> Vec<Family> {
    let siblings = tables.iter().flat_map(|table| {
        let member = |key: &FamilyKey| Sibling {
            of: table.oid,
            key: key.key,
            table: table.oid,
            part: key.part.clone(),
            name: table.name.clone(),
        };
        keys_of(table).iter().map(member)
    });
    let siblings: Vec<Sibling> = siblings.collect();
    let shown: Vec<u32> = tables.iter().map(|table| table.oid).collect();
    group(&siblings, &shown, understanding)
}

/// Keeps of each family only the members that the question names, or else the representative.
pub fn collapse(families: &[Family], ranked: &mut Vec<(u32, f64)>) {
    for family in families {
        let score = ranked
            .iter()
            .find(|(table, _)| *table == family.representative)
            .map_or(0.0, |(_, score)| *score);
        let place = ranked
            .iter()
            .position(|(table, _)| *table == family.representative);
        let is_member = |table: u32| family.members.iter().any(|member| member.table == table);
        let stays = |table: u32| match family.named.as_slice() {
            [] => table == family.representative,
            named => named.contains(&table),
        };
        let mut place = place.unwrap_or(ranked.len());
        // A named member that did not rank by itself takes the representative's place.
        for member in &family.named {
            if !ranked.iter().any(|(table, _)| table == member) {
                ranked.insert(place, (*member, score));
                place += 1;
            }
        }
        ranked.retain(|(table, _)| !is_member(*table) || stays(*table));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use text2sql_domain::schema::Column;

    fn table(oid: u32, name: &str, columns: &[&str]) -> Table {
        Table {
            oid,
            name: name.into(),
            columns: columns
                .iter()
                .map(|name| Column {
                    name: (*name).into(),
                    ..Column::default()
                })
                .collect(),
            ..Table::default()
        }
    }

    fn siblings(tables: &[Table]) -> Vec<Sibling> {
        let mut siblings = Vec::new();
        for of in tables {
            for key in keys_of(of) {
                for other in tables {
                    let shared = keys_of(other).iter().find(|known| known.key == key.key);
                    siblings.extend(shared.map(|shared| Sibling {
                        of: of.oid,
                        key: key.key,
                        table: other.oid,
                        part: shared.part.clone(),
                        name: other.name.clone(),
                    }));
                }
            }
        }
        siblings
    }

    const SALE: &[&str] = &["id", "amount", "sold_on", "region"];

    #[test]
    fn one_member_represents_those_that_are_not_named() {
        let years = [
            table(1, "sales_2023", SALE),
            table(2, "sales_2024", SALE),
            table(3, "sales_2025", SALE),
            table(4, "sales_2025", &["other"]),
        ];
        let found = group(
            &siblings(&years),
            &[2, 4, 1],
            &Understanding::of("total sales", "2026-11-21"),
        );
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].representative, found[0].members.len()), (2, 3));
        let mut ranked = vec![(2, 3.0), (4, 2.0), (1, 1.0)];
        collapse(&found, &mut ranked);
        assert_eq!(ranked, [(2, 3.0), (4, 2.0)]);
    }

    #[test]
    fn named_members_are_kept() {
        let years = [
            table(1, "sales_2023", SALE),
            table(2, "sales_2024", SALE),
            table(3, "sales_2025", SALE),
        ];
        let found = group(
            &siblings(&years),
            &[2, 9],
            &Understanding::of("sales in 2023 and 2025", "2026-11-21"),
        );
        assert_eq!(found[0].named, [1, 3]);
        let mut ranked = vec![(2, 3.0), (9, 1.0)];
        collapse(&found, &mut ranked);
        assert_eq!(ranked, [(1, 3.0), (3, 3.0), (9, 1.0)]);
    }

    #[test]
    fn small_tables_whose_names_differ_in_a_word_are_not_a_family() {
        let lists = [
            table(1, "order_status", &["id", "name"]),
            table(2, "order_type", &["id", "name"]),
            table(3, "order_source", &["id", "name"]),
        ];
        assert!(
            group(
                &siblings(&lists),
                &[1],
                &Understanding::of("orders", "2026-11-21")
            )
            .is_empty()
        );
        let regions = [
            table(1, "orders_north", SALE),
            table(2, "orders_south", SALE),
        ];
        assert!(
            group(
                &siblings(&regions),
                &[1],
                &Understanding::of("orders", "2026-11-21")
            )
            .is_empty()
        );
    }

    #[test]
    fn a_part_that_is_set_off_needs_neither_many_columns_nor_a_third_table() {
        let tags = [
            table(1, "content_tags__alps", &["content_id", "tag"]),
            table(2, "content_tags__wildlife", &["content_id", "tag"]),
        ];
        let tables: Vec<Arc<Table>> = tags.into_iter().map(Arc::new).collect();
        let found = among(
            &tables,
            &Understanding::of("tags of Wildlife", "2026-11-21"),
        );
        assert_eq!((found[0].representative, found[0].members.len()), (1, 2));
        assert_eq!(found[0].named, [2]);
    }
}
