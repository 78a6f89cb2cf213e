//! Puts the tables one join away from the best ones directly after them: labels, codes and details of what the
//! question names are often in a table that shares no word with it.

use std::collections::HashSet;

use crate::joins::bridge_tables::JoinGraph;

/// How many of the best tables bring their neighbours.
const BEST: usize = 5;

/// Maximum number of neighbours of one table, and of all. A table that half of the catalog refers to must not
/// fill the prompt with what refers to it.
const PER_TABLE: usize = 4;
pub const ALL: usize = 10;

/// Inserts the neighbours after the first `after` tables of `order`: those of the best, and of the tables `holding` a value
/// that the question names. Returns those that were not among the first already, each with the table that it is joined to.
/// `ranked` are tables with their scores, best first.
pub fn insert(
    order: &mut Vec<u32>,
    after: usize,
    holding: &[u32],
    graph: &JoinGraph,
    ranked: &[(u32, f64)],
    may_read: &dyn Fn(u32) -> bool,
) -> Vec<(u32, u32)> {
    let after = after.min(order.len());
    let first: Vec<u32> = order.iter().take(after).copied().collect();
    let mut inserted: Vec<(u32, u32)> = Vec::new();
    for &table in first.iter().take(BEST).chain(holding) {
        let mut neighbours: Vec<u32> = graph.neighbours(table).to_vec();
        neighbours.retain(|neighbour| {
            let is_known = |(known, _): &(u32, u32)| known == neighbour;
            !first.contains(neighbour) && !inserted.iter().any(is_known) && may_read(*neighbour)
        });
        // A stable sort: those that share nothing with the question keep the order of the joins.
        neighbours.sort_by_key(|neighbour| place(ranked, *neighbour));
        let neighbours = neighbours.into_iter().take(PER_TABLE);
        inserted.extend(neighbours.map(|neighbour| (neighbour, table)));
    }
    inserted.truncate(ALL);
    order.retain(|table| !inserted.iter().any(|(neighbour, _)| neighbour == table));
    let neighbours = inserted.iter().map(|(neighbour, _)| *neighbour);
    order.splice(after..after, neighbours);
    inserted
}

fn place(ranked: &[(u32, f64)], table: u32) -> usize {
    let place = ranked.iter().position(|(known, _)| *known == table);
    place.unwrap_or(usize::MAX)
}

/// Maximum number of tables that are worth more than the last of those that share something with the question.
pub const FURTHER: usize = 12;

/// How many of the tables after the best bring a few neighbours, and how many.
const GOOD: usize = 7;
const OF_GOOD: usize = 2;

/// Tables that are not in `order` and worth more than its last: those that join one of the first `first` tables, or one that
/// holds a value of the question, to another table of `order` (without `departments`, nobody in `employees` is in a city of
/// `locations`), then neighbours of the tables after the best. Each with the table that it is joined to.
pub fn further(
    order: &[u32],
    first: usize,
    graph: &JoinGraph,
    ranked: &[(u32, f64)],
    has_value: &dyn Fn(u32) -> bool,
) -> Vec<(u32, u32)> {
    let known: HashSet<u32> = order.iter().copied().collect();
    let starts = order.iter().enumerate();
    let starts = starts.filter(|(place, table)| *place < first || has_value(**table));
    let mut found: Vec<(u32, u32)> = Vec::new();
    let is_new = |table: u32, found: &[(u32, u32)]| {
        !known.contains(&table) && !found.iter().any(|(one, _)| *one == table)
    };
    for (_, &start) in starts {
        for &table in graph.neighbours(start) {
            let mut others = graph.neighbours(table).iter();
            let connects =
                others.any(|other| *other != start && *other != table && known.contains(other));
            if connects && is_new(table, &found) {
                found.push((table, start));
            }
        }
    }
    found.sort_by_key(|(table, _)| place(ranked, *table));
    for &table in order.iter().skip(BEST).take(GOOD) {
        let mut neighbours: Vec<u32> = graph.neighbours(table).to_vec();
        neighbours.retain(|neighbour| is_new(*neighbour, &found));
        neighbours.sort_by_key(|neighbour| place(ranked, *neighbour));
        let neighbours = neighbours.into_iter().take(OF_GOOD);
        found.extend(neighbours.map(|neighbour| (neighbour, table)));
    }
    found
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
        let inserted = insert(&mut order, 2, &[], &graph, &ranked, &|table| table != 60);
        assert_eq!(order, [1, 2, 50, 9, 3, 4]);
        assert_eq!(inserted, [(50, 1), (9, 2)]);
    }

    #[test]
    fn a_table_that_holds_a_value_brings_its_neighbours() {
        let graph = graph(&[(8, 81), (1, 50)]);
        let mut order = vec![1, 8, 3];
        insert(&mut order, 2, &[8], &graph, &[], &|_| true);
        assert_eq!(order, [1, 8, 50, 81, 3]);
    }

    #[test]
    fn a_table_between_two_shown_ones_is_shown() {
        let graph = graph(&[
            (1, 50),
            (50, 9),
            (2, 60),
            (70, 1),
            (70, 3),
            (80, 3),
            (80, 9),
        ]);
        let ranked = [(1, 5.0), (70, 0.9)];
        let order = [1, 2, 3, 9];
        let found = further(&order, 1, &graph, &ranked, &|_| false);
        assert_eq!(found, [(70, 1), (50, 1)]);
        let found = further(&order, 0, &graph, &[], &|table| table == 9);
        assert_eq!(found, [(50, 9), (80, 9)]);
    }

    #[test]
    fn a_table_that_all_refer_to_does_not_fill_the_prompt() {
        let edges: Vec<(u32, u32)> = (100..200).map(|table| (table, 1)).collect();
        let mut order = vec![1, 150];
        let ranked = [(1, 5.0), (150, 1.0)];
        insert(&mut order, 1, &[], &graph(&edges), &ranked, &|_| true);
        // The one that shares something with the question comes first.
        assert_eq!(order, [1, 150, 100, 101, 102]);
    }
}
