//! Business terms as SQL.

use crate::binding::binder::Binder;
use crate::binding::scope::Scope;
use crate::linking::business_terms::{Term, qualified};
use crate::no_answer::Stop;
use text2sql_language::english::lexicon::Aggregate;

impl Binder<'_> {
    pub(crate) fn term(&self, index: usize) -> Result<&Term, Stop> {
        self.terms
            .get(index)
            .ok_or_else(|| Stop::Unanswerable("a term is out of reach".to_owned()))
    }

    /// The term's expression with the alias of its table.
    pub(crate) fn term_sql(&self, scope: &Scope, index: usize) -> Result<String, Stop> {
        let term = self.term(index)?;
        let table = self.table(term.table)?;
        let alias = scope
            .alias(term.table)
            .ok_or_else(|| Stop::Unanswerable("a term is not joined".to_owned()))?;
        let meaning = if term.meaning.is_empty() {
            term.expression.clone()
        } else {
            format!("{}: {}", term.meaning, term.expression)
        };
        self.note(format!("'{}' means {meaning}", term.name));
        Ok(qualified(&term.expression, table, alias))
    }

    pub(crate) fn term_measure_sql(
        &self,
        scope: &Scope,
        root: usize,
        index: usize,
        function: Option<Aggregate>,
    ) -> Result<(String, String), Stop> {
        let term = self.term(index)?;
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
