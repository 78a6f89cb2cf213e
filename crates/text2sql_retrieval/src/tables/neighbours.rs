//! Puts the tables one join away from the best ones directly after them: labels, codes and details of what the
//! question names are often in a table that shares no word with it.

use crate::joins::bridge_tables::JoinGraph;

/// How many of the best tables bring their neighbours.
const BEST: usize = 5;

/// Maximum number of neighbours of one table, and of all. A table that half of the catalog refers to must not
/// fill the prompt with what refers to it.
const PER_TABLE: usize = 4;
pub const ALL: usize = 10;

/// Inserts the neighbours after the first `after` tables of `order`. Returns those that were not among the first
/// already, each with the table that it is joined to. `ranked` are tables with their scores, best first.
pub fn insert(
    order: &mut Vec<u32>,
    after: usize,
    graph: &JoinGraph,
    ranked: &[(u32, f64)],
    may_read: &dyn Fn(u32) -> bool,
) -> Vec<(u32, u32)> {
    let after = after.min(order.len());
    let first: Vec<u32> = order.iter().take(after).copied().collect();
    let place = |table: u32| {
        let place = ranked.iter().position(|(known, _)| *known == table);
        place.unwrap_or(usize::MAX)
    };
    let mut inserted: Vec<(u32, u32)> = Vec::new();
    for &table in first.iter().take(BEST) {
        let mut neighbours: Vec<u32> = graph.neighbours(table).to_vec();
        neighbours.retain(|neighbour| {
            let is_known = |(known, _): &(u32, u32)| known == neighbour;
            !first.contains(neighbour) && !inserted.iter().any(is_known) && may_read(*neighbour)
        });
        // A stable sort: those that share nothing with the question keep the order of the joins.
        neighbours.sort_by_key(|neighbour| place(*neighbour));
        let neighbours = neighbours.into_iter().take(PER_TABLE);
        inserted.extend(neighbours.map(|neighbour| (neighbour, table)));
    }
    inserted.truncate(ALL);
    order.retain(|table| !inserted.iter().any(|(neighbour, _)| neighbour == table));
    let neighbours = inserted.iter().map(|(neighbour, _)| *neighbour);
    order.splice(after..after, neighbours);
    inserted
}

#[cfg(test)]
mod tests {
    use super::*;
    use text2sql_domain::ports::search_index::{JoinSource, Joining};

    fn graph(edges: &[(u32, u32)]) -> JoinGraph {
        let joins: Vec<Joining> = edges
            .iter()
            .map(|&(from, to)| Joining {
                from,
                from_columns: vec!["x_id".into()],
                to,
                to_columns: vec!["id".into()],
                source: JoinSource::ForeignKey,
            })
            .collect();
        let mut graph = JoinGraph::default();
        graph.add(&joins);
        graph
    }

    #[test]
    fn neighbours_come_before_the_filler() {
        let graph = graph(&[(1, 50), (60, 1), (2, 9), (1, 2)]);
        let ranked = [(1, 5.0), (2, 4.0), (3, 1.0), (4, 0.9), (9, 0.8)];
        let mut order = vec![1, 2, 3, 4, 9];
        let inserted = insert(&mut order, 2, &graph, &ranked, &|table| table != 60);
        assert_eq!(order, [1, 2, 50, 9, 3, 4]);
        assert_eq!(inserted, [(50, 1), (9, 2)]);
    }

    #[test]
    fn a_table_that_all_refer_to_does_not_fill_the_prompt() {
        let edges: Vec<(u32, u32)> = (100..200).map(|table| (table, 1)).collect();
        let mut order = vec![1, 150];
        let ranked = [(1, 5.0), (150, 1.0)];
        insert(&mut order, 1, &graph(&edges), &ranked, &|_| true);
        // The one that shares something with the question comes first.
        assert_eq!(order, [1, 150, 100, 101, 102]);
    }
}
