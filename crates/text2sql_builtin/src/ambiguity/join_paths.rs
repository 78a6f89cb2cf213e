//! A table to which rows of another lead in several ways: the country of an order may be that of its
//! customer or of its store.

use super::scene::Scene;
use crate::joins::step::Step;
use crate::linking::mention::Mention;
use crate::linking::readable_names::singular;
use crate::linking::readable_names::speak;
use crate::stop::Stop;

/// Most to-one steps between a table and one that it is grouped or filtered by.
const MAX_STEPS: usize = 3;

impl Scene<'_> {
    /// Grouped or filtered by a table to which rows of the owner lead in several ways.
    pub(crate) fn doubt_of_way(&self, mention: &Mention, table: usize) -> Option<Stop> {
        let says_by = mention
            .start
            .checked_sub(1)
            .and_then(|at| self.tokens.get(at))
            .is_some_and(|token| matches!(token.lower.as_str(), "by" | "per" | "each"));
        if !says_by {
            return None;
        }
        let (owner, _) = self.named.first().filter(|(owner, _)| *owner != table)?;
        self.ways_apart(*owner, table, mention)
    }

    /// The ways that are as short, where the question names none of them.
    pub(crate) fn ways_apart(&self, owner: usize, table: usize, mention: &Mention) -> Option<Stop> {
        let ways = self.shortest_ways(owner, table);
        let goes_through = |way: &Vec<&Step>| {
            way.iter()
                .any(|step| step.to != table && self.is_named(step.to))
        };
        if ways.len() < 2 || ways.iter().any(goes_through) {
            return None;
        }
        let replacements: Vec<String> = ways
            .iter()
            .filter_map(|way| match way.as_slice() {
                [only] => {
                    let column = &only.pairs.first()?.0;
                    Some(format!("by {}", speak(column)))
                }
                [.., before, _] => {
                    let through = self.tables.get(before.to)?;
                    Some(format!("of the {}", speak(&singular(&through.name))))
                }
                [] => None,
            })
            .take(4)
            .collect();
        let (from, to) = (self.tables.get(owner)?, self.tables.get(table)?);
        Some(Stop::Ambiguous {
            question: format!(
                "{} and {} are connected in several ways: which one is meant?",
                from.name, to.name
            ),
            start: mention.end,
            end: mention.end,
            replacements,
        })
    }

    /// The shortest ways along references, all of one length.
    pub(crate) fn shortest_ways(&self, from: usize, to: usize) -> Vec<Vec<&Step>> {
        let mut ways: Vec<Vec<&Step>> = vec![Vec::new()];
        for _ in 0..MAX_STEPS {
            let mut longer: Vec<Vec<&Step>> = Vec::new();
            for way in &ways {
                let here = way.last().map_or(from, |step| step.to);
                for step in self
                    .binder
                    .joins
                    .parents(here)
                    .filter(|step| !step.is_assumed)
                {
                    let mut next = way.clone();
                    next.push(step);
                    longer.push(next);
                }
            }
            let arrived: Vec<Vec<&Step>> = longer
                .iter()
                .filter(|way| way.last().is_some_and(|step| step.to == to))
                .cloned()
                .collect();
            if !arrived.is_empty() {
                return arrived;
            }
            ways = longer;
        }
        Vec::new()
    }
}
