//! The SQL of one aggregate.

use crate::binding::binder::Binder;
use crate::binding::scope::Scope;
use crate::binding::select::{Named, Select, output_name};
use crate::linking::column_types::{is_date, is_number};
use crate::linking::mention::{ColumnId, Mention};
use crate::linking::readable_names::readable;
use crate::no_answer::Stop;
use crate::parsing::request::Target;
use text2sql_domain::schema::quote_identifier;
use text2sql_language::english::lexicon::Aggregate;

impl Binder<'_> {
    /// The SQL of an aggregate, its output name, and its words.
    pub(crate) fn aggregate(
        &mut self,
        scope: &mut Scope,
        root: usize,
        target: &Target,
    ) -> Result<Option<(String, String)>, Stop> {
        match target {
            Target::Count(table) => {
                self.refuse_same_named_column(*table)?;
                let name = self.table(*table)?.name.clone();
                if *table != root {
                    return Err(Stop::Unanswerable(
                        "rows of two tables are counted at once".to_owned(),
                    ));
                }
                Ok(Some((self.count_rows(scope, root)?, name)))
            }
            Target::Defined { term, function } => {
                let (expression, name) = self.term_measure_sql(scope, root, *term, *function)?;
                Ok(Some((expression, name)))
            }
            Target::Share { table, is_percent } => {
                let name = self.table(*table)?.name.clone();
                let expression = self.share(scope, root, *is_percent)?;
                let word = if *is_percent { "percentage" } else { "share" };
                Ok(Some((expression, format!("{word}_of_{name}"))))
            }
            Target::CountDistinct { mention } => {
                let id = self.resolve(mention, self.request.subject)?;
                if id.table != root {
                    return Err(Stop::Unanswerable(
                        "rows of two tables are counted at once".to_owned(),
                    ));
                }
                let name = self.column(id)?.name.clone();
                let column = self.column_sql(scope, id)?;
                Ok(Some((format!("count(DISTINCT {column})"), name)))
            }
            Target::Aggregate {
                function,
                mention,
                owner,
                with,
            } => {
                let id = self.measure(mention, *owner)?;
                let column = self.column(id)?;
                let sums = matches!(
                    function,
                    Aggregate::Sum | Aggregate::Average | Aggregate::Median
                );
                if !(is_number(column) || (!sums && is_date(column))) {
                    return Err(Stop::Unanswerable(format!(
                        "{} cannot be aggregated as {}",
                        readable(&column.name),
                        function.word()
                    )));
                }
                let is_key = self.table(id.table)?.primary_key.contains(&column.name)
                    || self
                        .table(id.table)?
                        .foreign_keys
                        .iter()
                        .any(|key| key.columns.contains(&column.name));
                if is_key || (sums && (scope.multiplies || id.table != root)) {
                    return Err(Stop::Unanswerable(
                        "the rows would be counted more than once".to_owned(),
                    ));
                }
                self.reach(scope, root, id.table)?;
                if let Some(owner) = self.owner_of(*owner) {
                    self.keep_to_owner(scope, id.table, owner)?;
                }
                let expression = function.call(&match with {
                    Some((sign, second)) => {
                        let other = self.resolve(second, Some(id.table))?;
                        if other.table != id.table || !is_number(self.column(other)?) {
                            return Err(Stop::Unanswerable(
                                "the two numbers are not of one row".to_owned(),
                            ));
                        }
                        format!(
                            "{} {sign} {}",
                            self.column_sql(scope, id)?,
                            self.column_sql(scope, other)?
                        )
                    }
                    None => self.column_sql(scope, id)?,
                });
                let operand = match with {
                    Some((sign, second)) => {
                        let other = self.resolve(second, Some(id.table))?;
                        let other = readable(&self.column(other)?.name);
                        format!("{} {sign} {other}", readable(&column.name))
                    }
                    None => readable(&column.name),
                };
                Ok(Some((
                    expression,
                    output_name(
                        &format!("{} {operand}", function.word()).replace(" * ", " times "),
                    ),
                )))
            }
            _ => Ok(None),
        }
    }

    /// "revenue of stores": restricts to orders that have a store, if not all do.
    fn keep_to_owner(
        &mut self,
        scope: &mut Scope,
        measured: usize,
        owner: usize,
    ) -> Result<(), Stop> {
        if measured == owner {
            return Ok(());
        }
        let path = self.path(measured, owner)?;
        if !path.iter().all(|step| step.is_to_one) {
            return Err(Stop::Unanswerable(
                "the rows would be counted more than once".to_owned(),
            ));
        }
        if !self.always_has(&path)? {
            self.reach(scope, measured, owner)?;
        }
        Ok(())
    }

    /// Counts each row of the root once, whatever is joined.
    pub(crate) fn count_rows(&self, scope: &Scope, root: usize) -> Result<String, Stop> {
        if !scope.multiplies {
            return Ok("count(*)".to_owned());
        }
        let table = self.table(root)?;
        match table.primary_key.as_slice() {
            [key] => {
                let alias = scope.alias(root).unwrap_or_default();
                Ok(format!("count(DISTINCT {alias}.{})", quote_identifier(key)))
            }
            _ => Err(Stop::Unanswerable(format!(
                "rows of {} cannot be counted once each",
                table.name
            ))),
        }
    }

    /// Groups by the rows of a table, not by equal values of its columns.
    pub(crate) fn group_by_row(
        &mut self,
        select: &mut Select,
        key: &Named,
        counted: usize,
    ) -> Result<(), Stop> {
        match key {
            Named::Column(id) if id.table != counted => self.group_by_key(select, id.table),
            _ => Ok(()),
        }
    }

    pub(crate) fn group_by_key(&self, select: &mut Select, index: usize) -> Result<(), Stop> {
        let table = self.table(index)?;
        for name in &table.primary_key {
            if let Some(column) = table.columns.iter().position(|column| column.name == *name) {
                let expression = self.column_sql(
                    &select.scope,
                    ColumnId {
                        table: index,
                        column,
                    },
                )?;
                if !select.group_by.contains(&expression) {
                    select.group_by.push(expression);
                }
            }
        }
        Ok(())
    }

    /// The number column that an aggregate is taken of.
    pub(crate) fn measure(
        &self,
        mention: &Mention,
        owner: Option<usize>,
    ) -> Result<ColumnId, Stop> {
        let id = match self.owner_of(owner) {
            Some(owner) => {
                let id = self.rank_column_of(mention, owner)?;
                let goes_up = id.table != owner
                    && self
                        .path(owner, id.table)?
                        .first()
                        .is_some_and(|step| step.is_to_one);
                if goes_up {
                    return Err(Stop::Unanswerable(
                        "the rows would be counted more than once".to_owned(),
                    ));
                }
                id
            }
            None => self.resolve(mention, None)?,
        };
        Ok(id)
    }

    pub(crate) fn rank_column_of(&self, mention: &Mention, owner: usize) -> Result<ColumnId, Stop> {
        let own: Vec<(ColumnId, u8)> = mention
            .columns
            .iter()
            .filter(|(id, _)| id.table == owner)
            .copied()
            .collect();
        if own.is_empty() {
            self.rank_column(mention)
        } else {
            self.resolve(mention, Some(owner))
        }
    }
}
