//! Finds circles between a module's own file and its child modules.

use std::collections::{BTreeMap, BTreeSet};

use crate::modules::{Id, Modules};

/// One module uses what another defines.
pub struct Edge {
    pub from: Id,
    pub to: Id,
    /// The path as the code has it.
    pub path: String,
    pub line: usize,
}

impl Edge {
    pub fn describe(&self, modules: &Modules) -> String {
        let (from, to) = (&modules.0[self.from], &modules.0[self.to]);
        let file = from.file.components().rev().take(3).collect::<Vec<_>>();
        let file: std::path::PathBuf = file.into_iter().rev().collect();
        format!(
            "{} -> {} ({}:{} {})",
            from.path,
            to.path,
            file.display(),
            self.line,
            self.path
        )
    }
}

/// Every use of one module by another.
pub fn edges(modules: &Modules) -> Vec<Edge> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for (from, module) in modules.0.iter().enumerate() {
        for used in &module.uses {
            let to = modules.definition(from, &used.path);
            // Naming a module above, to reach what is in it, is no use of its own file.
            let to = to.filter(|to| *to != from && !is_module_above(modules, from, &used.path));
            if let Some(to) = to
                && seen.insert((from, to))
            {
                found.push(Edge {
                    from,
                    to,
                    path: used.path.join("::"),
                    line: used.line,
                });
            }
        }
    }
    found
}

fn is_module_above(modules: &Modules, from: Id, path: &[String]) -> bool {
    modules
        .module_named(from, path)
        .is_some_and(|named| ancestors(modules, from).contains(&named))
}

/// A module and the modules above it, from the inside out.
fn ancestors(modules: &Modules, id: Id) -> Vec<Id> {
    std::iter::successors(Some(id), |id| modules.0[*id].parent).collect()
}

/// The edges of every circle: between the child modules of one module, or between it and its children.
pub fn circles(modules: &Modules) -> Vec<Vec<Edge>> {
    let mut levels: BTreeMap<Id, Vec<(Id, Id, Edge)>> = BTreeMap::new();
    for edge in edges(modules) {
        let from = ancestors(modules, edge.from);
        let to = ancestors(modules, edge.to);
        let Some(level) = from.iter().find(|id| to.contains(id)).copied() else {
            continue;
        };
        // The child of the common module in which an end lies, or that module for its own file.
        let below = |path: &[Id]| {
            let position = path.iter().position(|id| *id == level).unwrap_or_default();
            path[position.saturating_sub(1)]
        };
        let ends = (below(&from), below(&to));
        levels
            .entry(level)
            .or_default()
            .push((ends.0, ends.1, edge));
    }
    levels.into_values().flat_map(circles_of_level).collect()
}

fn circles_of_level(edges: Vec<(Id, Id, Edge)>) -> Vec<Vec<Edge>> {
    let mut next: BTreeMap<Id, BTreeSet<Id>> = BTreeMap::new();
    for (from, to, _) in &edges {
        next.entry(*from).or_default().insert(*to);
    }
    let reached: BTreeMap<Id, BTreeSet<Id>> = next
        .keys()
        .map(|start| {
            let mut seen = BTreeSet::new();
            let mut waiting = vec![*start];
            while let Some(id) = waiting.pop() {
                for to in next.get(&id).into_iter().flatten() {
                    if seen.insert(*to) {
                        waiting.push(*to);
                    }
                }
            }
            (*start, seen)
        })
        .collect();
    let is_reached = |from: Id, to: Id| reached.get(&from).is_some_and(|seen| seen.contains(&to));
    // Two modules that reach each other are in the same circle; its least number names it.
    let mut circles: BTreeMap<Id, Vec<Edge>> = BTreeMap::new();
    for (from, to, edge) in edges {
        if is_reached(to, from) {
            let circle = reached
                .keys()
                .find(|id| is_reached(**id, from) && is_reached(from, **id));
            circles
                .entry(circle.copied().unwrap_or(from))
                .or_default()
                .push(edge);
        }
    }
    circles.into_values().collect()
}
