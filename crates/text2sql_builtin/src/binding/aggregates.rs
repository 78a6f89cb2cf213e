//! The SQL of one aggregate.

use crate::binding::binder::Binder;
use crate::binding::scope::Scope;
use crate::binding::select::{Named, Select, output_name};
use crate::joins::paths::is_key;
use crate::linking::column_types::{is_date, is_number, is_text_of_numbers};
use crate::linking::mention::{ColumnId, Mention};
use crate::linking::readable_names::readable;
use crate::no_answer::Stop;
use crate::parsing::request::Target;
use text2sql_domain::schema::{TypeCategory, quote_identifier};
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
                let is_measure =
                    is_number(column) || is_text_of_numbers(column) || (!sums && is_date(column));
                if !is_measure {
                    let name = readable(&column.name);
                    return Err(Stop::Unanswerable(match column.category {
                        TypeCategory::Text => {
                            format!("{name} is text, and nothing says that it holds numbers only")
                        }
                        _ => format!("{name} cannot be aggregated as {}", function.word()),
                    }));
                }
                let is_key = self.table(id.table)?.primary_key.contains(&column.name)
                    || self
                        .table(id.table)?
                        .foreign_keys
                        .iter()
                        .any(|key| key.columns.contains(&column.name));
                if is_key {
                    return Err(Stop::Unanswerable(format!(
                        "{} identifies rows and measures nothing",
                        readable(&column.name)
                    )));
                }
                let is_once =
                    id.table == root && (!scope.multiplies || self.is_once_in_each_group(scope)?);
                if sums && !is_once {
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
                    None => self.measure_sql(scope, id)?,
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

    /// Whether each row of the root is in a group at most once: a film may have several categories, but the key of
    /// the rows between says that it has each of them once.
    fn is_once_in_each_group(&self, scope: &Scope) -> Result<bool, Stop> {
        let ([down], root) = (scope.multiplying.as_slice(), scope.aliases.first()) else {
            return Ok(false);
        };
        if root.is_none_or(|(root, _)| down.from != *root) {
            return Ok(false);
        }
        let between = self.table(down.to)?;
        // A quantity between an order and a product says how often it counts.
        let is_reference = |name: &String| {
            let keys = &between.foreign_keys;
            keys.iter().any(|key| key.columns.contains(name))
        };
        let has_measure = between
            .columns
            .iter()
            .any(|column| is_number(column) && !is_reference(&column.name));
        if has_measure {
            return Ok(false);
        }
        let names_row = |group: &usize| {
            let up = self.joins.parents(down.to).find(|step| step.to == *group);
            let has_key = self
                .table(*group)
                .is_ok_and(|table| !table.primary_key.is_empty());
            up.filter(|_| has_key).is_some_and(|up| {
                let to_root = down.pairs.iter().map(|(_, own)| own.clone());
                let to_group = up.pairs.iter().map(|(own, _)| own.clone());
                is_key(between, &to_root.chain(to_group).collect::<Vec<_>>())
            })
        };
        Ok(scope.groups.iter().any(names_row))
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

    /// The column as a number: text that holds numbers is cast.
    pub(crate) fn measure_sql(&self, scope: &Scope, id: ColumnId) -> Result<String, Stop> {
        let (table, column) = (self.table(id.table)?, self.column(id)?);
        let sql = self.column_sql(scope, id)?;
        if !is_text_of_numbers(column) {
            return Ok(sql);
        }
        let name = format!("{}.{}", table.name, column.name);
        self.note(format!("the text {name} is read as numbers"));
        Ok(format!("{sql}::numeric"))
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
