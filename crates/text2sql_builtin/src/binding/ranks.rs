//! "the customer with the most orders": rows of one table ranked by rows of another.

use crate::binding::binder::Binder;
use crate::binding::select::{Named, Select, output_name};
use crate::linking::column_types::is_number;
use crate::linking::mention::{ColumnId, Mention};
use crate::linking::names;
use crate::no_answer::Stop;
use crate::parsing::request::{RankBy, Target};
use text2sql_domain::schema::quote_identifier;
use text2sql_language::english::lexicon::Aggregate;

impl Binder<'_> {
    /// The table whose rows a superlative counts or sums, if groups are ranked.
    pub(crate) fn counted_rank(&self) -> Result<Option<usize>, Stop> {
        let Some(rank) = &self.request.rank else {
            return Ok(None);
        };
        match &rank.by {
            RankBy::Count(table) => Ok(Some(*table)),
            RankBy::Dimension(_) => Ok(None),
            RankBy::Defined(term) => Ok(Some(self.term(*term)?.table)),
            RankBy::Column {
                mention,
                function,
                is_amount,
            } => {
                let id = self.rank_column(mention)?;
                let Some(subject) = self.request.subject else {
                    return Ok(None);
                };
                if function.is_some()
                    && *function != Some(Aggregate::Maximum)
                    && *function != Some(Aggregate::Minimum)
                {
                    return Ok(Some(id.table));
                }
                let multiplies = id.table != subject
                    && self
                        .path(subject, id.table)?
                        .iter()
                        .any(|step| !step.is_to_one);
                if multiplies && !is_amount {
                    return Err(Stop::Unanswerable(
                        "the question does not say how several values of a row are combined"
                            .to_owned(),
                    ));
                }
                Ok(multiplies.then_some(id.table))
            }
        }
    }

    /// The column that a rank names: of the subject, else of any table.
    pub(crate) fn rank_column(&self, mention: &Mention) -> Result<ColumnId, Stop> {
        match self.resolve(mention, self.request.subject) {
            Ok(id) => Ok(id),
            Err(Stop::Ambiguous {
                question,
                start,
                end,
                replacements,
            }) => Err(Stop::Ambiguous {
                question,
                start,
                end,
                replacements,
            }),
            Err(stop) => {
                let mut certain: Vec<ColumnId> = mention
                    .columns
                    .iter()
                    .filter(|(_, tier)| *tier == names::EXACT || *tier == names::WITHOUT_TABLE)
                    .map(|(id, _)| *id)
                    .collect();
                certain.dedup();
                let Some(subject) = self.request.subject else {
                    return match certain.as_slice() {
                        [only] => Ok(*only),
                        _ => Err(stop),
                    };
                };
                let mut near: Vec<(usize, ColumnId)> = certain
                    .iter()
                    .filter_map(|id| Some((self.joins.path(subject, id.table).ok()?.len(), *id)))
                    .collect();
                near.sort_unstable();
                match near.as_slice() {
                    [(_, only)] => Ok(*only),
                    [(first, id), (second, _), ..] if first < second => Ok(*id),
                    _ => Err(stop),
                }
            }
        }
    }

    /// "the customer with the most orders": groups of one table ranked by rows of another.
    pub(crate) fn select_ranked_groups(&mut self, counted: usize) -> Result<Select, Stop> {
        let Some(rank) = self.request.rank.clone() else {
            return Err(Stop::Unanswerable("nothing is ranked".to_owned()));
        };
        let mut select = Select {
            scope: self.new_scope(counted)?,
            ..Select::default()
        };
        let targets = self.request.targets.clone();
        let mut only_entity = None;
        for target in &targets {
            let key = match target {
                Target::Entity(table) if *table != counted => Named::Table(*table),
                Target::Named { mention, owner } => match self.named(mention, *owner) {
                    Ok(named) => named,
                    Err(_) if self.request.subject.is_none() => {
                        Named::Column(self.resolve(mention, Some(counted))?)
                    }
                    Err(stop) => return Err(stop),
                },
                _ => {
                    return Err(Stop::Unanswerable(
                        "the rows cannot be ranked by their own number".to_owned(),
                    ));
                }
            };
            if let Named::Table(table) = key {
                only_entity = (targets.len() == 1).then_some(table);
            }
            self.push_group(&mut select, counted, &key)?;
            let columns = self.columns_of(&key)?;
            for id in columns {
                if id.table == counted && !self.column(id)?.not_null {
                    let expression = self.column_sql(&select.scope, id)?;
                    select
                        .scope
                        .wheres
                        .push(format!("{expression} IS NOT NULL"));
                }
            }
            self.group_by_row(&mut select, &key, counted)?;
        }
        let compares_rows = select.scope.aliases.len() > 1;
        if !rank.is_descending && compares_rows && matches!(rank.by, RankBy::Count(_)) {
            return Err(Stop::Unanswerable(
                "rows with none at all would be left out".to_owned(),
            ));
        }
        self.apply(&mut select.scope, counted, &self.conditions())?;
        let mut may_be_null = true;
        let (expression, name) = match &rank.by {
            RankBy::Count(table) => {
                self.refuse_same_named_column(*table)?;
                (
                    self.count_rows(&select.scope, counted)?,
                    self.table(*table)?.name.clone(),
                )
            }
            RankBy::Column {
                mention, function, ..
            } => {
                let id = self.rank_column(mention)?;
                let function = function.unwrap_or(Aggregate::Sum);
                if select.scope.multiplies || !is_number(self.column(id)?) {
                    return Err(Stop::Unanswerable(
                        "the rows would be counted more than once".to_owned(),
                    ));
                }
                may_be_null = !self.column(id)?.not_null;
                let column = self.column_sql(&select.scope, id)?;
                let name = format!(
                    "{}_{}",
                    function.word(),
                    output_name(&self.column(id)?.name)
                );
                (function.call(&column), name)
            }
            RankBy::Defined(term) => {
                let (expression, name) =
                    self.term_measure_sql(&mut select.scope, counted, *term, None)?;
                (expression, output_name(&name))
            }
            RankBy::Dimension(_) => {
                return Err(Stop::Unanswerable(
                    "groups have no such dimension".to_owned(),
                ));
            }
        };
        let leaders = self.leader_names(&select);
        let leader = leaders.first().cloned().unwrap_or_default();
        let is_ranking = only_entity.is_some() && self.request.limit.is_some_and(|limit| limit > 1);
        let direction = select.direction(&expression, rank.is_descending, may_be_null);
        select.is_ranked = true;
        if is_ranking {
            let output = select.push(expression, &name);
            select
                .order_by
                .push(format!("{}{direction}", quote_identifier(&output)));
        } else {
            select.order_by.push(format!("{expression}{direction}"));
        }
        select.order_by.push(quote_identifier(&leader));
        Ok(select)
    }
}
