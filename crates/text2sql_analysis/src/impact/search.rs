//! Breadth first: every object is reached by the shortest way.

use std::collections::{HashMap, HashSet};
use text2sql_domain::words;

use text2sql_domain::error::{Error, failure};
use text2sql_domain::interrupts;

use super::reader::{Certainty, Dependencies, Impact, MAX_FOLLOWED, Node};

/// Kinds in the order of the result.
const KINDS: [&str; 8] = *words!(
    "view, materialized view, generated column, function, procedure, trigger, rule, policy"
);

/// Kinds of stored knowledge, which come last.
const KNOWLEDGE: [&str; 7] =
    *words!("dbt model, definition, join, example, instruction, text index, suite case");

/// An object that is to be followed, and the way to it.
#[derive(Clone)]
struct Reached {
    node: Node,
    via: Vec<String>,
    certainty: Certainty,
}

/// What reads `start`, through other readers too: the nearest first.
///
/// # Errors
/// Those of `known`; [`ErrorKind::Limit`] where too many objects read it.
pub fn impact(start: Node, known: &impl Dependencies) -> Result<Vec<Impact>, Error> {
    let mut found: Vec<Impact> = Vec::new();
    let mut places: HashMap<(String, String), usize> = HashMap::new();
    let mut seen: HashSet<Node> = HashSet::from([start]);
    let mut level = vec![Reached {
        node: start,
        via: Vec::new(),
        certainty: Certainty::Certain,
    }];
    let mut depth = 1;
    while !level.is_empty() {
        interrupts::check()?;
        let nodes: Vec<Node> = level.iter().map(|reached| reached.node).collect();
        let mut readers = known.readers(&nodes)?;
        // The most certain way of equally short ones counts.
        readers.sort_by_key(|reader| std::cmp::Reverse(reader.certainty));
        let mut next = Vec::new();
        for reader in readers {
            let Some(from) = level.get(reader.of) else {
                continue;
            };
            let certainty = reader.certainty.min(from.certainty);
            for node in reader.next {
                // What is read as a whole is read by whoever reads a column of it.
                let whole = Node {
                    column: None,
                    ..node
                };
                if seen.contains(&whole) || !seen.insert(node) {
                    continue;
                }
                let mut via = from.via.clone();
                via.extend(reader.is_visible.then(|| reader.object.clone()));
                next.push(Reached {
                    node,
                    via,
                    certainty,
                });
            }
            if seen.len() > MAX_FOLLOWED {
                return Err(
                    failure!(Limit, "more than {MAX_FOLLOWED} objects read it").with_hint(
                        "Ask for a single column, or for a view nearer to what you want to know.",
                    ),
                );
            }
            if !reader.is_visible {
                continue;
            }
            let key = (reader.kind.clone(), reader.object.clone());
            match places.get(&key).and_then(|place| found.get_mut(*place)) {
                Some(known) => {
                    for column in reader.columns {
                        if !known.columns.contains(&column) {
                            known.columns.push(column);
                        }
                    }
                    if known.depth == depth {
                        known.certainty = known.certainty.max(certainty);
                    }
                }
                None => {
                    places.insert(key, found.len());
                    found.push(Impact {
                        kind: reader.kind,
                        object: reader.object,
                        columns: reader.columns,
                        via: from.via.clone(),
                        depth,
                        certainty,
                    });
                }
            }
        }
        level = next;
        depth += 1;
    }
    found.sort_by(|a, b| {
        let order = |one: &Impact| (one.depth, rank(&one.kind), one.kind.clone());
        order(a)
            .cmp(&order(b))
            .then_with(|| a.object.cmp(&b.object))
    });
    Ok(found)
}

fn rank(kind: &str) -> usize {
    let place = |kinds: &[&str]| kinds.iter().position(|known| *known == kind);
    place(&KINDS)
        .or_else(|| place(&KNOWLEDGE).map(|place| place + KINDS.len() + 1))
        .unwrap_or(KINDS.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::impact::reader::{Class, Reader};

    struct Known(Vec<(u32, Option<i16>, Reader)>);

    impl Dependencies for Known {
        fn readers(&self, nodes: &[Node]) -> Result<Vec<Reader>, Error> {
            let mut readers = Vec::new();
            for (place, node) in nodes.iter().enumerate() {
                for (oid, column, reader) in &self.0 {
                    if node.oid == *oid && (node.column.is_none() || node.column == *column) {
                        readers.push(Reader {
                            of: place,
                            ..reader.clone()
                        });
                    }
                }
            }
            Ok(readers)
        }
    }

    fn node(oid: u32, column: Option<i16>) -> Node {
        Node {
            class: Class::Relation,
            oid,
            column,
        }
    }

    fn reader(kind: &str, object: &str, next: Vec<Node>, certainty: Certainty) -> Reader {
        Reader {
            of: 0,
            kind: kind.to_owned(),
            object: object.to_owned(),
            columns: Vec::new(),
            certainty,
            is_visible: !object.starts_with("hidden"),
            next,
        }
    }

    fn told(found: &[Impact]) -> Vec<String> {
        let told = |one: &Impact| {
            let via = one.via.join(" > ");
            format!(
                "{} {} [{via}] {} {}",
                one.kind,
                one.object,
                one.depth,
                one.certainty.as_str()
            )
        };
        found.iter().map(told).collect()
    }

    #[test]
    fn views_of_views_are_followed_and_hidden_ones_are_not_named() {
        use Certainty::*;
        let known = Known(vec![
            (1, Some(2), reader("policy", "p", vec![], Certain)),
            (
                1,
                Some(2),
                reader("view", "a", vec![node(10, Some(1))], Certain),
            ),
            (1, Some(3), reader("view", "other", vec![], Certain)),
            (
                10,
                Some(1),
                reader("view", "hidden", vec![node(11, None)], Certain),
            ),
            (10, Some(2), reader("view", "unconcerned", vec![], Certain)),
            (
                11,
                Some(9),
                reader("function", "f", vec![node(1, Some(2))], Likely),
            ),
            (11, Some(9), reader("example", "e", vec![], Certain)),
        ]);
        let found = impact(node(1, Some(2)), &known).unwrap();
        assert_eq!(
            told(&found),
            [
                "view a [] 1 certain",
                "policy p [] 1 certain",
                "function f [a] 3 likely",
                "example e [a] 3 certain"
            ]
        );
    }

    #[test]
    fn a_circle_ends() {
        let known = Known(vec![
            (
                1,
                None,
                reader("function", "f", vec![node(2, None)], Certainty::Likely),
            ),
            (
                2,
                None,
                reader("function", "g", vec![node(1, None)], Certainty::Certain),
            ),
        ]);
        let found = impact(node(1, None), &known).unwrap();
        assert_eq!(
            told(&found),
            ["function f [] 1 likely", "function g [f] 2 likely"]
        );
    }
}
