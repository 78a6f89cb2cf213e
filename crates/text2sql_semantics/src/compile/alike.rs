//! Conditions on a figure of the rows that have the same values: the dearest product of each category.

use super::{Compiler, literal};
use crate::query::{
    Aggregate, ColumnRef, Condition, Expression, Literal, Operator, SemanticQuery, TableRef,
};
use crate::refusal::Refusal;
use crate::scope::Scope;

impl Compiler<'_> {
    /// Refuses other conditions beside it: whether they hold for the rows that are compared is not said.
    pub(super) fn check_alike(query: &SemanticQuery) -> Result<(), Refusal> {
        let is_alike = |one: &Condition| matches!(one, Condition::AmongAlike { .. });
        let is_there = |one: &Condition| {
            matches!(
                one,
                Condition::Null {
                    is_negated: true,
                    ..
                }
            )
        };
        let all = &query.conditions;
        match all.iter().any(is_alike) && !all.iter().all(|one| is_alike(one) || is_there(one)) {
            true => Err(Refusal::Unsupported("among which rows is not said")),
            false => Ok(()),
        }
    }

    /// What is alike is looked for among all rows of the subject, whatever else is asked of them.
    pub(super) fn among_alike(
        &mut self,
        each: &[ColumnRef],
        figure: &Aggregate,
        than: Option<&(Operator, Literal)>,
    ) -> Result<String, Refusal> {
        let base = TableRef {
            schema: self.scope.base.schema.clone(),
            name: self.scope.base.name.clone(),
        };
        let mut inner = Compiler {
            scope: Scope::of(self.scope.tables, &base, &mut self.names)?,
            names: std::mem::take(&mut self.names),
            notes: Vec::new(),
        };
        let made = inner.figures_of_alike(each, figure, than);
        self.names = inner.names;
        let select = made?;
        let mut own = Vec::new();
        for column in each {
            own.push(self.column(column, false)?.0);
        }
        match (&figure.of, than) {
            (Some(Expression::Column(of)), None) => own.push(self.column(of, false)?.0),
            (None, None) => return Err(Refusal::Unsupported("rows can only be counted")),
            _ => {}
        }
        match own.as_slice() {
            [] => Err(Refusal::Unsupported("nothing says which rows are alike")),
            [only] => Ok(format!("{only} IN ({select})")),
            own => Ok(format!("({}) IN ({select})", own.join(", "))),
        }
    }

    fn figures_of_alike(
        &mut self,
        each: &[ColumnRef],
        figure: &Aggregate,
        than: Option<&(Operator, Literal)>,
    ) -> Result<String, Refusal> {
        let mut groups = Vec::new();
        for column in each {
            groups.push(self.column(column, true)?.0);
        }
        let value = self.aggregate(figure)?;
        let (value, having) = match than {
            None => (format!(", {value}"), String::new()),
            Some((operator, number)) => {
                let having = format!(" HAVING {value} {} {}", operator.as_sql(), literal(number));
                (String::new(), having)
            }
        };
        let groups = groups.join(", ");
        let from = self.scope.joined_tables();
        Ok(format!("SELECT {groups}{value} {from} GROUP BY {groups}{having}").replace('\n', " "))
    }
}
