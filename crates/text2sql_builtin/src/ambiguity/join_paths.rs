//! A table that is reachable over several join paths: the country of an order may be that of its customer
//! or of its store.

use super::linked_question::LinkedQuestion;
use crate::joins::step::Step;
use crate::linking::mention::Mention;
use crate::linking::readable_names::readable;
use crate::linking::readable_names::singular;
use crate::no_answer::Stop;

/// Maximum number of many-to-one steps between a table and one that it is grouped or filtered by.
const MAX_STEPS: usize = 3;

/// The words of a name, each in the singular.
fn words_of(name: &str) -> Vec<String> {
    readable(name).split(' ').map(singular).collect()
}

impl LinkedQuestion<'_> {
    /// Grouping or filtering by a table that the owner reaches over several join paths.
    pub(crate) fn ambiguity_of_path(&self, mention: &Mention, table: usize) -> Option<Stop> {
        let says_by = mention
            .start
            .checked_sub(1)
            .and_then(|at| self.tokens.get(at))
            .is_some_and(|token| matches!(token.lower.as_str(), "by" | "per" | "each"));
        if !says_by {
            return None;
        }
        let (owner, _) = self.named.first().filter(|(owner, _)| *owner != table)?;
        self.path_replacements(*owner, table, mention)
    }

    /// The shortest join paths, if the question names none of them.
    pub(crate) fn path_replacements(
        &self,
        owner: usize,
        table: usize,
        mention: &Mention,
    ) -> Option<Stop> {
        let paths = self.shortest_paths(owner, table);
        let goes_through = |path: &Vec<&Step>| {
            path.iter()
                .any(|step| step.to != table && self.is_named(step.to))
        };
        // The language of a film, not its original language.
        let of: Vec<String> = words_of(&self.tables.get(table)?.name);
        let is_plain = |path: &&Vec<&Step>| {
            let own = path.iter().flat_map(|step| &step.pairs);
            let mut words = own.flat_map(|(own, _)| words_of(own));
            path.len() == 1 && words.all(|word| word == "id" || of.contains(&word))
        };
        let has_plain = paths.iter().filter(is_plain).count() == 1;
        if paths.len() < 2 || has_plain || paths.iter().any(goes_through) {
            return None;
        }
        let replacements: Vec<String> = paths
            .iter()
            .filter_map(|path| match path.as_slice() {
                [only] => {
                    let column = &only.pairs.first()?.0;
                    Some(format!("by {}", readable(column)))
                }
                [.., before, _] => {
                    let through = self.tables.get(before.to)?;
                    Some(format!("of the {}", readable(&singular(&through.name))))
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

    /// The shortest paths along foreign keys, all of one length.
    pub(crate) fn shortest_paths(&self, from: usize, to: usize) -> Vec<Vec<&Step>> {
        let mut paths: Vec<Vec<&Step>> = vec![Vec::new()];
        for _ in 0..MAX_STEPS {
            let mut longer: Vec<Vec<&Step>> = Vec::new();
            for path in &paths {
                let here = path.last().map_or(from, |step| step.to);
                for step in self
                    .known
                    .joins
                    .parents(here)
                    .filter(|step| !step.is_assumed)
                {
                    let mut next = path.clone();
                    next.push(step);
                    longer.push(next);
                }
            }
            let arrived: Vec<Vec<&Step>> = longer
                .iter()
                .filter(|path| path.last().is_some_and(|step| step.to == to))
                .cloned()
                .collect();
            if !arrived.is_empty() {
                return arrived;
            }
            paths = longer;
        }
        Vec::new()
    }
}
