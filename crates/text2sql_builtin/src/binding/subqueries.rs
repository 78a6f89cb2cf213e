//! Conditions that need a sub-query or an OR.

use crate::binding::binder::Binder;
use crate::binding::predicates::sign;
use crate::binding::scope::Scope;
use crate::linking::column_types::{is_date, is_number};
use crate::linking::mention::Mention;
use crate::linking::readable_names::readable;
use crate::no_answer::Stop;
use crate::parsing::request::{Comparison, Condition, RankBy};
use text2sql_domain::schema::quote_identifier;
use text2sql_language::english::lexicon::Aggregate;

impl Binder<'_> {
    /// One of the alternatives holds.
    pub(crate) fn apply_any(
        &mut self,
        scope: &mut Scope,
        root: usize,
        alternatives: &[Condition],
    ) -> Result<(), Stop> {
        let mut parts = Vec::new();
        for alternative in alternatives {
            let kept = std::mem::take(&mut scope.wheres);
            let tables = scope.aliases.clone();
            self.apply(scope, root, std::slice::from_ref(alternative))?;
            // An inner join without a match would also remove rows of the other alternatives.
            for (table, _) in scope.aliases.iter().skip(tables.len()) {
                if !self.always_has(&self.path(root, *table)?)? {
                    return Err(Stop::Unanswerable(
                        "an alternative is on rows that may be missing".to_owned(),
                    ));
                }
            }
            let own = std::mem::replace(&mut scope.wheres, kept);
            if own.is_empty() {
                return Err(Stop::Unanswerable(
                    "an alternative has no condition".to_owned(),
                ));
            }
            parts.push(own.join(" AND "));
        }
        scope.wheres.push(format!("({})", parts.join(" OR ")));
        Ok(())
    }

    /// A condition that is independent of the others: other rows may satisfy those.
    pub(crate) fn apply_independent(
        &mut self,
        scope: &mut Scope,
        root: usize,
        condition: &Condition,
        negated: bool,
    ) -> Result<(), Stop> {
        let owner = condition.owner.unwrap_or(root);
        let is_near = scope.alias(owner).is_some()
            || self.path(root, owner)?.iter().all(|step| step.is_to_one);
        if is_near {
            let mut own = condition.clone();
            own.is_negated = negated;
            self.reach(scope, root, owner)?;
            return self.apply_condition(scope, owner, &own);
        }
        self.exists(scope, root, owner, negated, std::slice::from_ref(condition))
    }

    /// An aggregate over the rows that refer to one row of the owner.
    pub(crate) fn apply_aggregated(
        &mut self,
        scope: &mut Scope,
        owner: usize,
        (function, mention): (Aggregate, &Mention),
        sign_of: (Comparison, bool),
        number: Option<&str>,
    ) -> Result<(), Stop> {
        let id = self.rank_column_of(mention, owner)?;
        let path = if id.table == owner {
            Vec::new()
        } else {
            self.path(owner, id.table)?
        };
        if path.is_empty() || path.iter().any(|step| step.is_to_one) || !is_number(self.column(id)?)
        {
            return Err(Stop::Unanswerable(format!(
                "it is not clear over which rows {} is aggregated",
                readable(&self.column(id)?.name)
            )));
        }
        let inner = self.correlated(scope, owner, id.table, &[])?;
        let alias = self.aliases.last().cloned().unwrap_or_default();
        let name = quote_identifier(&self.column(id)?.name);
        let bound = match number {
            Some(number) => number.to_owned(),
            None => format!(
                "(SELECT {} FROM {})",
                function.call(&name),
                self.table(id.table)?.sql_name()
            ),
        };
        let sign = sign(sign_of.0, sign_of.1)?;
        scope.wheres.push(format!(
            "(SELECT {} {inner}) {sign} {bound}",
            function.call(&format!("{alias}.{name}"))
        ));
        Ok(())
    }

    /// Two columns of one row.
    pub(crate) fn apply_columns(
        &mut self,
        scope: &mut Scope,
        owner: usize,
        (left, right): (&Mention, &Mention),
        sign_of: (Comparison, bool),
    ) -> Result<(), Stop> {
        let (one, other) = (
            self.resolve(left, Some(owner))?,
            self.resolve(right, Some(owner))?,
        );
        let (a, b) = (self.column(one)?, self.column(other)?);
        let alike = is_number(a) && is_number(b) || is_date(a) && is_date(b);
        if one == other || one.table != owner || other.table != owner || !alike {
            return Err(Stop::Unanswerable(format!(
                "'{}' cannot be compared with {}",
                readable(&a.name),
                readable(&b.name)
            )));
        }
        let sign = sign(sign_of.0, sign_of.1)?;
        let (a, b) = (self.column_sql(scope, one)?, self.column_sql(scope, other)?);
        scope.wheres.push(format!("{a} {sign} {b}"));
        Ok(())
    }

    /// The share of rows that satisfy the only condition.
    pub(crate) fn share(
        &self,
        scope: &mut Scope,
        root: usize,
        is_percent: bool,
    ) -> Result<String, Stop> {
        for (table, _) in scope.aliases.iter().skip(1) {
            if !self.always_has(&self.path(root, *table)?)? {
                return Err(Stop::Unanswerable(
                    "rows with none at all would be left out".to_owned(),
                ));
            }
        }
        if self.request.conditions.len() != 1 || scope.multiplies || scope.wheres.is_empty() {
            return Err(Stop::Unanswerable(
                "it is not clear which part of which rows is asked for".to_owned(),
            ));
        }
        let condition = std::mem::take(&mut scope.wheres).join(" AND ");
        let whole = if is_percent { "100.0" } else { "1.0" };
        Ok(format!(
            "{whole} * count(*) FILTER (WHERE {condition}) / nullif(count(*), 0)"
        ))
    }

    /// The rows of the owner with the highest or lowest measure, or with the most rows of another table.
    pub(crate) fn apply_extreme(
        &mut self,
        scope: &mut Scope,
        owner: usize,
        by: &RankBy,
        is_descending: bool,
    ) -> Result<(), Stop> {
        match by {
            RankBy::Column {
                mention,
                function: None,
                ..
            } => {
                let id = self.resolve(mention, Some(owner))?;
                let column = self.column(id)?;
                if id.table != owner || !(is_number(column) || is_date(column)) {
                    return Err(Stop::Unanswerable(format!(
                        "{} has no order of size here",
                        readable(&column.name)
                    )));
                }
                let place = self.column_sql(scope, id)?;
                let call = if is_descending { "max" } else { "min" };
                scope.wheres.push(format!(
                    "{place} = (SELECT {call}({}) FROM {})",
                    quote_identifier(&column.name),
                    self.table(owner)?.sql_name()
                ));
                Ok(())
            }
            RankBy::Count(table) if is_descending => {
                let path = self.path(owner, *table)?;
                let [step] = path.as_slice() else {
                    return Err(Stop::Unanswerable(
                        "the rows to be counted are too far away".to_owned(),
                    ));
                };
                let ([(own, other)], false) = (step.pairs.as_slice(), step.is_to_one) else {
                    return Err(Stop::Unanswerable(
                        "there can be at most one such row".to_owned(),
                    ));
                };
                let alias = scope.alias(owner).unwrap_or_default();
                let other = quote_identifier(other);
                scope.wheres.push(format!(
                    "{alias}.{} = (SELECT {other} FROM {} WHERE {other} IS NOT NULL GROUP BY {other} ORDER BY count(*) DESC, {other} LIMIT 1)",
                    quote_identifier(own),
                    self.table(*table)?.sql_name()
                ));
                Ok(())
            }
            _ => Err(Stop::Unanswerable(
                "rows cannot be ranked by that".to_owned(),
            )),
        }
    }
}
