//! Business terms as SQL.

use crate::binding::binder::Binder;
use crate::binding::scope::{Scope, pairs_equal};
use crate::joins::step::Step;
use crate::linking::business_terms::{Term, TermJoin, qualified};
use crate::no_answer::Stop;
use crate::parsing::request::Target;
use text2sql_language::english::lexicon::Aggregate;

fn to_step(join: &TermJoin) -> Step {
    Step {
        from: join.from,
        to: join.to,
        pairs: join.pairs.clone(),
        is_to_one: true,
        is_assumed: false,
    }
}

impl Binder<'_> {
    pub(crate) fn term(&self, index: usize) -> Result<&Term, Stop> {
        self.terms
            .get(index)
            .ok_or_else(|| Stop::Unanswerable("a term is out of reach".to_owned()))
    }

    /// The term's expression with the aliases of its tables, which are joined where they are not yet.
    pub(crate) fn term_sql(&mut self, scope: &mut Scope, index: usize) -> Result<String, Stop> {
        let term = self.term(index)?.clone();
        let own = scope
            .alias(term.table)
            .ok_or_else(|| Stop::Unanswerable("a term is not joined".to_owned()))?;
        let mut aliases = vec![(term.table, own.to_owned())];
        for step in &term.joins {
            let alias = self.join_for_term(scope, &to_step(step), &aliases)?;
            aliases.push((step.to, alias));
        }
        let mut tables = Vec::new();
        for (table, alias) in &aliases {
            tables.push((self.table(*table)?, alias.as_str()));
        }
        let meaning = if term.meaning.is_empty() {
            term.expression.clone()
        } else {
            format!("{}: {}", term.meaning, term.expression)
        };
        self.note(format!("'{}' means {meaning}", term.name));
        Ok(qualified(&term.expression, &tables))
    }

    /// The path between two tables that a term of the request is defined over, if there are several paths.
    pub(crate) fn path_of_term(&self, from: usize, to: usize) -> Option<Vec<Step>> {
        let measures = self
            .request
            .targets
            .iter()
            .filter_map(|target| match target {
                Target::Defined { term, .. } => Some(*term),
                _ => None,
            });
        let mut paths = measures
            .filter_map(|term| self.terms.get(term))
            .filter(|term| term.table == from)
            .filter_map(|term| {
                let mut path: Vec<Step> = Vec::new();
                let mut here = to;
                while here != from {
                    let step = term.joins.iter().find(|step| step.to == here)?;
                    path.insert(0, to_step(step));
                    here = step.from;
                }
                Some(path)
            });
        let first = paths.next()?;
        paths.all(|path| path == first).then_some(first)
    }

    /// The alias of a table of a term's path. Each row meets at most one of it, so no row is repeated; a join of
    /// the question on the same columns serves as well.
    fn join_for_term(
        &mut self,
        scope: &mut Scope,
        step: &Step,
        aliases: &[(usize, String)],
    ) -> Result<String, Stop> {
        let from = aliases.iter().find(|(table, _)| *table == step.from);
        let Some((_, from)) = from else {
            return Err(Stop::Unanswerable("a term is not joined".to_owned()));
        };
        let start = format!("JOIN {} AS ", self.table(step.to)?.sql_name());
        let line = |alias: &str| format!("{start}{alias} ON {}", pairs_equal(step, from, alias));
        let known = scope.from.iter().find_map(|there| {
            let there = there.strip_prefix("LEFT ").unwrap_or(there);
            let (alias, _) = there.strip_prefix(&start)?.split_once(' ')?;
            (there == line(alias)).then(|| alias.to_owned())
        });
        if let Some(alias) = known {
            return Ok(alias);
        }
        let alias = self.new_alias(step.to)?;
        scope.from.push(format!("LEFT {}", line(&alias)));
        Ok(alias)
    }

    pub(crate) fn term_measure_sql(
        &mut self,
        scope: &mut Scope,
        root: usize,
        index: usize,
        function: Option<Aggregate>,
    ) -> Result<(String, String), Stop> {
        let term = self.term(index)?.clone();
        if term.table != root || scope.multiplies {
            return Err(Stop::Unanswerable(
                "the rows would be counted more than once".to_owned(),
            ));
        }
        let expression = self.term_sql(scope, index)?;
        Ok(match function {
            Some(function) => (
                function.call(&expression),
                format!("{} {}", function.word(), term.name),
            ),
            None => (expression, term.name.clone()),
        })
    }
}
