//! Periods as conditions on a date column, or on a number column of years.

use crate::binding::binder::Binder;
use crate::binding::scope::Scope;
use crate::linking::column_types::is_date;
use crate::linking::column_types::is_year;
use crate::linking::mention::ColumnId;
use crate::no_answer::Stop;
use jiff::civil::Date;
use text2sql_language::calendar::{is_first_of_year, plus_days};
use text2sql_language::periods::spans::Span;

impl Binder<'_> {
    pub(crate) fn note_period(
        &mut self,
        id: ColumnId,
        from: Option<Date>,
        to: Option<Date>,
    ) -> Result<(), Stop> {
        let name = format!("{}.{}", self.table(id.table)?.name, self.column(id)?.name);
        let text = match (from, to) {
            (Some(from), Some(to)) => {
                format!("the period is {name} from {from} to {}", plus_days(to, -1))
            }
            (Some(from), None) => format!("the period is {name} from {from} on"),
            (None, Some(to)) => format!("the period is {name} before {to}"),
            (None, None) => return Ok(()),
        };
        self.note(text);
        Ok(())
    }

    /// The only numeric year column, if the table has no date column.
    pub(crate) fn year_column(&self, owner: usize) -> Result<Option<ColumnId>, Stop> {
        let table = self.table(owner)?;
        if table.columns.iter().any(is_date) {
            return Ok(None);
        }
        let mut years =
            (0..table.columns.len()).filter(|&i| table.columns.get(i).is_some_and(is_year));
        let Some(column) = years.next() else {
            return Ok(None);
        };
        Ok(years.next().is_none().then_some(ColumnId {
            table: owner,
            column,
        }))
    }

    /// A condition on a numeric year column.
    pub(crate) fn apply_years(
        &mut self,
        scope: &mut Scope,
        owner: usize,
        id: ColumnId,
        (from, to): Span,
        negated: bool,
    ) -> Result<(), Stop> {
        let whole = |date: Option<Date>| date.is_none_or(is_first_of_year);
        if !whole(from) || !whole(to) {
            let table = &self.table(owner)?.name;
            return Err(Stop::Unanswerable(format!(
                "{table} has no date column for the period"
            )));
        }
        let place = self.place(scope, owner, id)?;
        let not = if negated { "NOT " } else { "" };
        scope.wheres.push(match (from, to) {
            (Some(from), Some(to)) if to.year() == from.year() + 1 => {
                format!(
                    "{place} {} {}",
                    if negated { "<>" } else { "=" },
                    from.year()
                )
            }
            (Some(from), Some(to)) => {
                format!("{place} {not}BETWEEN {} AND {}", from.year(), to.year() - 1)
            }
            (Some(from), None) => format!("{not}{place} >= {}", from.year()),
            (None, Some(to)) => format!("{not}{place} < {}", to.year()),
            (None, None) => return Ok(()),
        });
        Ok(())
    }
}
