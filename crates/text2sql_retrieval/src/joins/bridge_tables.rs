//! Adds the tables that connect the found ones by joins.
//!
//! The smallest tree that connects given tables is a Steiner tree, which is hard to compute. A tree that
//! grows from the best table along the shortest path to the next one is at most twice as large.

use std::collections::{HashMap, HashSet, VecDeque};

use text2sql_domain::ports::search_index::Joining;

/// Maximum length of a path between two found tables, in joins. Tables further apart are hardly related.
const LONGEST_PATH: usize = 4;

/// Which tables can be joined.
#[derive(Debug, Clone, Default)]
pub struct JoinGraph {
    neighbours: HashMap<u32, Vec<u32>>,
    /// How sure the surest join between two tables is, in percent, where it is not certain.
    doubted: HashMap<(u32, u32), u8>,
}

impl JoinGraph {
    /// Adds joins.
    pub fn add(&mut self, joins: &[Joining]) {
        for join in joins.iter().filter(|join| join.from != join.to) {
            let percent = join.source.percent();
            for (one, other) in [(join.from, join.to), (join.to, join.from)] {
                let known = self.neighbours.entry(one).or_default();
                let before = match known.contains(&other) {
                    true => self.doubted.get(&(one, other)).copied().unwrap_or(100),
                    false => {
                        known.push(other);
                        0
                    }
                };
                match percent.max(before) {
                    100 => self.doubted.remove(&(one, other)),
                    surest => self.doubted.insert((one, other), surest),
                };
            }
        }
    }

    /// The tables joined to one.
    pub fn neighbours(&self, table: u32) -> &[u32] {
        self.neighbours
            .get(&table)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// The tables that connect `seeds`, best first, each with the seed that it connects.
    /// Where two paths are equally short, the one through earlier neighbours wins; declared joins
    /// and then `preferred` tables come first among them.
    pub fn connect(&self, seeds: &[u32], preferred: &HashSet<u32>) -> Vec<(u32, u32)> {
        let mut bridges = Vec::new();
        let Some((first, others)) = seeds.split_first() else {
            return bridges;
        };
        let mut tree: Vec<u32> = vec![*first];
        let mut waiting: Vec<u32> = others.to_vec();
        // Nearest first, so that a seed may itself be the bridge to the next.
        while let Some(path) = self.shortest_path(&tree, &waiting, preferred) {
            let Some(reached) = path.last().copied() else {
                break;
            };
            for table in path {
                if !tree.contains(&table) {
                    tree.push(table);
                    if !seeds.contains(&table) {
                        bridges.push((table, reached));
                    }
                }
            }
            waiting.retain(|table| !tree.contains(table));
        }
        bridges
    }

    fn shortest_path(
        &self,
        from: &[u32],
        to: &[u32],
        preferred: &HashSet<u32>,
    ) -> Option<Vec<u32>> {
        let mut before: HashMap<u32, Option<u32>> = HashMap::new();
        let mut queue: VecDeque<(u32, usize)> = VecDeque::new();
        for table in from {
            before.insert(*table, None);
            queue.push_back((*table, 0));
        }
        while let Some((table, length)) = queue.pop_front() {
            if to.contains(&table) {
                let mut path = vec![table];
                let mut at = table;
                while let Some(Some(previous)) = before.get(&at) {
                    path.push(*previous);
                    at = *previous;
                }
                path.reverse();
                return Some(path);
            }
            if length == LONGEST_PATH {
                continue;
            }
            let mut next: Vec<u32> = self.neighbours(table).to_vec();
            // What is declared comes before what is likely.
            next.sort_by_key(|other| {
                let doubt = self.doubted.get(&(table, *other)).map(|sure| 100 - sure);
                (doubt.is_some(), !preferred.contains(other), doubt)
            });
            for neighbour in next {
                if let std::collections::hash_map::Entry::Vacant(entry) = before.entry(neighbour) {
                    entry.insert(Some(table));
                    queue.push_back((neighbour, length + 1));
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph_of(joins: &[Joining]) -> JoinGraph {
        let mut graph = JoinGraph::default();
        graph.add(joins);
        graph
    }
    use text2sql_domain::ports::search_index::JoinSource;

    fn graph(edges: &[(u32, u32)]) -> JoinGraph {
        let joins: Vec<_> = edges
            .iter()
            .map(|&(from, to)| Joining {
                from,
                from_columns: vec!["x_id".into()],
                to,
                to_columns: vec!["id".into()],
                source: JoinSource::ForeignKey,
            })
            .collect();
        graph_of(&joins)
    }

    #[test]
    fn the_table_between_two_is_added() {
        // student 1, course 2, enrolment 9.
        let graph = graph(&[(9, 1), (9, 2), (2, 7)]);
        assert_eq!(graph.connect(&[1, 2], &HashSet::new()), [(9, 2)]);
    }

    #[test]
    fn no_table_is_added_between_joined_or_distant_tables() {
        let graph = graph(&[
            (1, 2),
            (3, 4),
            (10, 11),
            (11, 12),
            (12, 13),
            (13, 14),
            (14, 15),
        ]);
        assert!(graph.connect(&[1, 2], &HashSet::new()).is_empty());
        assert!(graph.connect(&[1, 3], &HashSet::new()).is_empty());
        assert!(graph.connect(&[10, 15], &HashSet::new()).is_empty());
        assert!(graph.connect(&[], &HashSet::new()).is_empty());
    }

    #[test]
    fn a_seed_may_be_the_bridge_and_found_tables_are_preferred() {
        // 1-5-2 and 1-6-2; 2-3.
        let graph = graph(&[(5, 1), (5, 2), (6, 1), (6, 2), (3, 2)]);
        assert_eq!(graph.connect(&[1, 3, 2], &HashSet::from([6])), [(6, 2)]);
    }

    #[test]
    fn a_likely_join_connects_where_none_is_declared_and_gives_way_to_one() {
        let join = |from, to, source| Joining {
            from,
            from_columns: vec!["x_id".into()],
            to,
            to_columns: vec!["id".into()],
            source,
        };
        let likely = JoinSource::Inferred { percent: 90 };
        let both = [join(5, 1, likely), join(5, 2, likely)];
        assert_eq!(graph_of(&both).connect(&[1, 2], &HashSet::new()), [(5, 2)]);
        let mut graph = graph_of(&both);
        graph.add(&[
            join(6, 1, JoinSource::ForeignKey),
            join(6, 2, JoinSource::ForeignKey),
        ]);
        assert_eq!(graph.connect(&[1, 2], &HashSet::from([5])), [(6, 2)]);
    }
}
