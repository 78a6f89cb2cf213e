//! Periods as conditions on a date column, or on a number column of years.

use crate::binding::binder::Binder;
use crate::binding::scope::Scope;
use crate::linking::mention::ColumnId;
use crate::linking::names;
use crate::stop::Stop;
use jiff::civil::Date;
use text2sql_domain::schema::quote_identifier;
use text2sql_domain::sentence_checks::Period;
use text2sql_language::calendar::plus_days;
use text2sql_language::periods::spans::Span;

impl Binder<'_> {
    /// The period as what is said of an empty answer needs it.
    pub(crate) fn period_of(&self, id: ColumnId, span: Span) -> Result<Period, Stop> {
        let (table, column) = (self.table(id.table)?, self.column(id)?);
        Ok(Period {
            table: table.sql_name(),
            column: quote_identifier(&column.name),
            label: format!("{}.{}", table.name, column.name),
            from: span.0,
            to: span.1,
        })
    }

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

    /// The only number column of a year, where the table has no date.
    pub(crate) fn year_column(&self, owner: usize) -> Result<Option<ColumnId>, Stop> {
        let table = self.table(owner)?;
        if table
            .columns
            .iter()
            .any(crate::linking::column_types::is_date)
        {
            return Ok(None);
        }
        let mut years = (0..table.columns.len()).filter(|&i| {
            table.columns.get(i).is_some_and(|column| {
                crate::linking::column_types::is_number(column)
                    && names::words_of(&column.name)
                        .last()
                        .is_some_and(|word| word == "year")
            })
        });
        let Some(column) = years.next() else {
            return Ok(None);
        };
        Ok(years.next().is_none().then_some(ColumnId {
            table: owner,
            column,
        }))
    }

    /// Whole years of a number column.
    pub(crate) fn apply_years(
        &mut self,
        scope: &mut Scope,
        owner: usize,
        id: ColumnId,
        (from, to): Span,
        negated: bool,
    ) -> Result<(), Stop> {
        let whole =
            |date: Option<Date>| date.is_none_or(|date| date.month() == 1 && date.day() == 1);
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
