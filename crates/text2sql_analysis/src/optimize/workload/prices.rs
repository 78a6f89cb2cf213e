//! What statements cost, now and with indexes: from the planner, each plan made once.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::budget::WorkStatement;
use super::choose::Costs;
use super::guess;
use super::merge::Merged;
use crate::execution_plan::Plan;
use crate::optimize::{ImaginedPlan, Planner};
use text2sql_domain::error::Error;
use text2sql_domain::interrupts;
use text2sql_domain::schema::Table;

/// Minimum share of the cost of a statement that an index saves, to be tried with others.
const MIN_SAVING: f64 = 0.05;

/// Maximum number of plans with hypothetical indexes. A plan takes about a millisecond.
const MAX_PLANS: usize = 5_000;

/// A cost, and the indexes that the plan uses.
type Priced = (Option<f64>, Vec<usize>);

/// The costs of statements, by position, with sets of indexes.
pub(super) struct Prices<'p> {
    planner: &'p dyn Planner,
    statements: &'p [WorkStatement],
    present: BTreeMap<usize, Option<Plan>>,
    /// Cost with the relevant indexes of a set, and which of them are used.
    known: HashMap<(usize, Vec<usize>), Priced>,
    /// Guessed costs by statement and index, where the planner imagines none.
    guessed: HashMap<(usize, usize), f64>,
    plans: usize,
}

impl<'p> Prices<'p> {
    pub(super) fn new(planner: &'p dyn Planner, statements: &'p [WorkStatement]) -> Self {
        Self {
            planner,
            statements,
            present: BTreeMap::new(),
            known: HashMap::new(),
            guessed: HashMap::new(),
            plans: 0,
        }
    }

    /// The cost of a statement now.
    pub(super) fn present(&mut self, place: usize) -> Result<Option<f64>, Error> {
        Ok(self.present_plan(place)?.map(Plan::cost))
    }

    /// The costs of all statements that were asked for.
    pub(super) fn all_present(&self) -> Vec<Option<f64>> {
        (0..self.statements.len())
            .map(|place| self.present.get(&place)?.as_ref().map(Plan::cost))
            .collect()
    }

    /// Whether plans are missing because there would be too many.
    pub(super) fn is_cut(&self) -> bool {
        self.plans >= MAX_PLANS
    }

    fn present_plan(&mut self, place: usize) -> Result<Option<&Plan>, Error> {
        if !self.present.contains_key(&place) {
            let plan = match self.statements.get(place) {
                Some(statement) => self.planner.plan(&statement.typed, &[])?,
                None => None,
            };
            self.present.insert(place, plan.map(|found| found.plan));
        }
        Ok(self.present.get(&place).and_then(Option::as_ref))
    }

    /// The indexes that help one of their statements alone, with their sizes, for those statements.
    pub(super) fn worth_trying(
        &mut self,
        merged: &[Merged],
        tables: &[Arc<Table>],
    ) -> Result<Vec<Merged>, Error> {
        let mut kept = Vec::new();
        for index in merged {
            let mut index = index.clone();
            let mut helped = Vec::new();
            for &place in &index.statements {
                let Some(before) = self.present(place)? else {
                    continue;
                };
                let Some((after, size)) = self.alone(place, &index, tables)? else {
                    continue;
                };
                index.size = index.size.max(size);
                if after <= before * (1.0 - MIN_SAVING) {
                    helped.push((place, after));
                }
            }
            if helped.is_empty() {
                continue;
            }
            for (place, after) in &helped {
                self.guessed.insert((*place, kept.len()), *after);
            }
            index.statements = helped.into_iter().map(|(place, _)| place).collect();
            kept.push(index);
        }
        Ok(kept)
    }

    /// The cost with one index, and its size.
    fn alone(
        &mut self,
        place: usize,
        index: &Merged,
        tables: &[Arc<Table>],
    ) -> Result<Option<(f64, f64)>, Error> {
        if !self.planner.can_imagine() {
            let table = tables
                .iter()
                .find(|table| table.oid == index.candidate.table);
            let plan = self.present_plan(place)?;
            return Ok(plan
                .zip(table)
                .and_then(|(plan, table)| guess::with_index(plan, table, &index.candidate)));
        }
        let Some(imagined) = self.imagined(place, &[index.candidate.statement()])? else {
            return Ok(None);
        };
        let size = imagined.sizes.first().copied().unwrap_or(0.0);
        let used = imagined.plan.indexes();
        let is_used = imagined
            .names
            .iter()
            .any(|name| used.contains(&name.as_str()));
        Ok(is_used.then(|| (imagined.plan.cost(), size)))
    }

    fn imagined(
        &mut self,
        place: usize,
        indexes: &[String],
    ) -> Result<Option<ImaginedPlan>, Error> {
        interrupts::check()?;
        let Some(statement) = self.statements.get(place) else {
            return Ok(None);
        };
        if self.is_cut() {
            return Ok(None);
        }
        self.plans += 1;
        self.planner.plan(&statement.typed, indexes)
    }

    /// The cost with those of the set that help the statement, and which of them its plan uses.
    fn priced(&mut self, indexes: &[Merged], set: &[usize], place: usize) -> Result<Priced, Error> {
        let present = self.present(place)?;
        let mut relevant: Vec<usize> = set
            .iter()
            .copied()
            .filter(|index| {
                indexes
                    .get(*index)
                    .is_some_and(|index| index.statements.contains(&place))
            })
            .collect();
        relevant.sort_unstable();
        if relevant.is_empty() || present.is_none() {
            return Ok((present, Vec::new()));
        }
        let key = (place, relevant);
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let found = match self.planner.can_imagine() {
            true => self.planned(indexes, &key.1, place)?,
            false => {
                let guesses = key
                    .1
                    .iter()
                    .filter_map(|index| Some((*index, *self.guessed.get(&(place, *index))?)));
                guesses
                    .min_by(|a, b| a.1.total_cmp(&b.1))
                    .map(|(index, cost)| (cost, vec![index]))
            }
        };
        let found = match found {
            Some((cost, used)) => (present.map(|before| cost.min(before)), used),
            None => (present, Vec::new()),
        };
        self.known.insert(key, found.clone());
        Ok(found)
    }

    fn planned(
        &mut self,
        indexes: &[Merged],
        set: &[usize],
        place: usize,
    ) -> Result<Option<(f64, Vec<usize>)>, Error> {
        let statements: Vec<String> = set
            .iter()
            .filter_map(|index| indexes.get(*index))
            .map(|index| index.candidate.statement())
            .collect();
        let Some(imagined) = self.imagined(place, &statements)? else {
            return Ok(None);
        };
        let names = imagined.plan.indexes();
        let used = set.iter().zip(&imagined.names);
        let used = used.filter(|(_, name)| names.contains(&name.as_str()));
        Ok(Some((
            imagined.plan.cost(),
            used.map(|(index, _)| *index).collect(),
        )))
    }

    /// The statements that use the index among those chosen: position, cost before, cost after.
    pub(super) fn gains(
        &mut self,
        indexes: &[Merged],
        chosen: &[usize],
        index: usize,
    ) -> Result<Vec<(usize, f64, f64)>, Error> {
        let mut gains = Vec::new();
        for place in indexes
            .get(index)
            .map_or(&[][..], |index| &index.statements)
        {
            let (after, used) = self.priced(indexes, chosen, *place)?;
            if let (Some(before), Some(after)) = (self.present(*place)?, after)
                && used.contains(&index)
                && after < before
            {
                gains.push((*place, before, after));
            }
        }
        Ok(gains)
    }

    /// The cost of a statement with all chosen indexes.
    pub(super) fn with(
        &mut self,
        indexes: &[Merged],
        chosen: &[usize],
        place: usize,
    ) -> Result<Option<f64>, Error> {
        self.priced(indexes, chosen, place).map(|(cost, _)| cost)
    }
}

impl Costs for Prices<'_> {
    fn cost(
        &mut self,
        indexes: &[Merged],
        set: &[usize],
        statement: usize,
    ) -> Result<Option<f64>, Error> {
        self.with(indexes, set, statement)
    }
}
