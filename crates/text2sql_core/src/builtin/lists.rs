//! Lists: rows of a table, their columns, and their order.

use super::bind::{Binder, is_date, is_number, speak};
use super::link::ColumnId;
use super::names;
use super::request::{ConditionKind, OrderBy, RankBy, Stop, Target};
use super::select::{Named, Select, Shape, singular};
use crate::schema::quote_identifier;

impl Binder<'_> {
    pub(super) fn select_list(&mut self) -> Result<Select, Stop> {
        let mut outputs: Vec<ColumnId> = Vec::new();
        let mut only_entity = None;
        let mut labels: Vec<ColumnId> = Vec::new();
        for target in &self.request.targets {
            match target {
                Target::Entity(table) => {
                    self.refuse_twin(*table)?;
                    only_entity = (self.request.targets.len() == 1).then_some(*table);
                    outputs.extend(self.label(*table)?);
                }
                Target::All(table) => {
                    let count = self.table(*table)?.columns.len();
                    outputs.extend((0..count).map(|column| ColumnId {
                        table: *table,
                        column,
                    }));
                }
                Target::Named { mention, owner } => {
                    let named = self.named(mention, *owner)?;
                    if let Named::Table(table) = named {
                        self.refuse_twin(table)?;
                    }
                    if let (Named::Table(table), 1) = (&named, self.request.targets.len()) {
                        only_entity = Some(*table);
                    }
                    let columns = self.columns_of(&named)?;
                    if let (Named::Table(_), [label]) = (&named, columns.as_slice()) {
                        labels.push(*label);
                    }
                    outputs.extend(columns);
                }
                _ => {}
            }
        }
        let Some(first) = outputs.first().copied() else {
            return Err(Stop::Unanswerable(
                "the question does not say what to show".to_owned(),
            ));
        };
        let root = self.request.subject.or(only_entity).unwrap_or(first.table);
        let mut select = Select {
            scope: self.new_scope(root)?,
            is_distinct: self.request.is_distinct,
            ..Select::default()
        };
        for id in &outputs {
            self.reach(&mut select.scope, root, id.table)?;
            let expression = self.column_sql(&select.scope, *id)?;
            if !select.has(&expression) {
                let name = &self.column(*id)?.name;
                let is_plain = matches!(name.as_str(), "name" | "title")
                    && labels.contains(id)
                    && id.table != root;
                if is_plain {
                    let table = singular(&self.table(id.table)?.name);
                    select.push(expression, &table);
                } else {
                    select.push(expression, name);
                }
            }
        }
        let says_owner = only_entity.is_some()
            || self.request.targets.iter().any(|target| {
                matches!(
                    target,
                    Target::Entity(_) | Target::All(_) | Target::Named { owner: Some(_), .. }
                )
            });
        if !says_owner && !select.is_distinct && !outputs.iter().any(|id| self.is_unique(*id)) {
            self.refuse_bare_measure(&outputs)?;
            select.is_distinct = true;
        }
        let mut conditions = self.conditions();
        if select.scope.multiplies {
            conditions.retain(|condition| !matches!(&condition.kind, ConditionKind::Related { table } if select.scope.alias(*table).is_some()));
        }
        self.lists.set(true);
        self.apply(&mut select.scope, root, &conditions)?;
        self.lists.set(false);
        self.order_list(&mut select, root, &outputs)?;
        Ok(select)
    }

    /// "Revenue of the last week": a measure in the singular is a sum to most people, and a list of
    /// different amounts to nobody.
    fn refuse_bare_measure(&self, outputs: &[ColumnId]) -> Result<(), Stop> {
        let ([Target::Named { mention, .. }], [id]) = (self.request.targets.as_slice(), outputs)
        else {
            return Ok(());
        };
        let column = self.column(*id)?;
        let table = self.table(id.table)?;
        let is_key = table.primary_key.contains(&column.name)
            || table
                .foreign_keys
                .iter()
                .any(|key| key.columns.contains(&column.name));
        let last = self.tokens.get(mention.end.wrapping_sub(1));
        let is_plural =
            last.is_some_and(|token| token.lower != token.stem && token.lower.ends_with('s'));
        if self.request.rank.is_some() || is_key || is_plural || !is_number(column) {
            return Ok(());
        }
        let said: Vec<&str> = self
            .tokens
            .get(mention.start..mention.end)
            .unwrap_or_default()
            .iter()
            .map(|token| token.said.as_str())
            .collect();
        let said = said.join(" ");
        Err(Stop::Ambiguous {
            question: format!("is the sum of {said} meant, its average, or each different value?"),
            start: mention.start,
            end: mention.end,
            replacements: ["total", "average", "different"]
                .map(|word| format!("{word} {said}"))
                .to_vec(),
        })
    }

    pub(super) fn order_list(
        &mut self,
        select: &mut Select,
        root: usize,
        outputs: &[ColumnId],
    ) -> Result<(), Stop> {
        if let Some(rank) = &self.request.rank {
            let id = match &rank.by {
                RankBy::Column { mention, .. } => self.rank_column(mention)?,
                RankBy::Dimension(nouns) => self.dimension(root, nouns)?,
                RankBy::Count(_) | RankBy::Defined(_) => {
                    return Err(Stop::Unanswerable(
                        "rows cannot be ranked by that".to_owned(),
                    ));
                }
            };
            self.reach(&mut select.scope, root, id.table)?;
            if select.scope.multiplies {
                return Err(Stop::Unanswerable(
                    "the rank would count rows twice".to_owned(),
                ));
            }
            let column = self.column(id)?;
            if !is_number(column) && !is_date(column) {
                return Err(Stop::Unanswerable(format!(
                    "{} has no order of size",
                    speak(&column.name)
                )));
            }
            let expression = self.column_sql(&select.scope, id)?;
            if select.is_distinct && !select.has(&expression) {
                return Err(Stop::Unanswerable(
                    "different values cannot be ordered by another column".to_owned(),
                ));
            }
            let name = select
                .columns
                .first()
                .map(|(_, name)| name.clone())
                .unwrap_or_default();
            let measure = if self.request.limit.is_some_and(|limit| limit > 1)
                && matches!(self.request.targets.as_slice(), [Target::Entity(_)])
                && !select.has(&expression)
            {
                Some((
                    select.push(expression.clone(), &column.name),
                    speak(&column.name),
                ))
            } else {
                None
            };
            select.shape = Shape::Leader { name, measure };
            let term = select.order_term(&expression);
            let last = if column.not_null || !rank.is_descending {
                ""
            } else {
                " NULLS LAST"
            };
            select.order_by.push(format!(
                "{term}{}{last}",
                if rank.is_descending { " DESC" } else { "" }
            ));
        }
        for order in &self.request.order {
            let terms: Vec<ColumnId> = match &order.by {
                OrderBy::Column(mention) => self.columns_of(&self.named(mention, None)?)?,
                OrderBy::Label => outputs.to_vec(),
                OrderBy::Count => return Err(Stop::Unanswerable("nothing is counted".to_owned())),
            };
            for id in terms {
                self.reach(&mut select.scope, root, id.table)?;
                let expression = self.column_sql(&select.scope, id)?;
                if select.is_distinct && !select.has(&expression) {
                    return Err(Stop::Unanswerable(
                        "different values cannot be ordered by another column".to_owned(),
                    ));
                }
                let term = select.order_term(&expression);
                select.order_by.push(format!(
                    "{term}{}",
                    if order.is_descending { " DESC" } else { "" }
                ));
            }
        }
        self.break_ties(select, root)?;
        Ok(())
    }

    /// Orders rows that are equal so far, so that the answer is the same every time.
    pub(super) fn break_ties(&mut self, select: &mut Select, root: usize) -> Result<(), Stop> {
        let table = self.table(root)?;
        let known = select.order_by.concat();
        if select.is_distinct
            || table.primary_key.is_empty()
            || !select.order_by.is_empty() && self.request.limit.is_none()
        {
            for (_, name) in select.columns.iter().take(3) {
                let name = quote_identifier(name);
                if !known.contains(&name) && select.order_by.is_empty() {
                    select.order_by.push(name);
                }
            }
            return Ok(());
        }
        for key in &table.primary_key {
            if let Some(column) = table.columns.iter().position(|column| column.name == *key) {
                let expression = self.column_sql(
                    &select.scope,
                    ColumnId {
                        table: root,
                        column,
                    },
                )?;
                let term = select.order_term(&expression);
                if !select.order_by.iter().any(|known| known.starts_with(&term)) {
                    select.order_by.push(term);
                }
            }
        }
        Ok(())
    }

    /// The only column of the table whose name ends in one of the nouns.
    pub(super) fn dimension(&self, table: usize, nouns: &[&str]) -> Result<ColumnId, Stop> {
        let columns = &self.table(table)?.columns;
        let found: Vec<usize> = (0..columns.len())
            .filter(|&i| {
                columns.get(i).is_some_and(|column| {
                    is_number(column)
                        && names::words_of(&column.name)
                            .last()
                            .is_some_and(|word| nouns.contains(&word.as_str()))
                })
            })
            .collect();
        match found.as_slice() {
            [only] => Ok(ColumnId {
                table,
                column: *only,
            }),
            _ => Err(Stop::Unanswerable(format!(
                "no single column of {} is its {}",
                self.table(table)?.name,
                nouns.join(" or ")
            ))),
        }
    }
}
