//! Why a query found nothing. Looked up once for an attempt: a repair tells the model, the answer tells the caller.
//!
//! The probes run through the guard, as the caller, within small limits: the user is waiting.

use std::sync::Arc;
use std::time::Duration;
use text2sql_domain::named_enum;

use text2sql_analysis::findings::Effort;
use text2sql_analysis::why_empty::{Cause, CauseKind, aggregated_rows, causes_of_empty, why_empty};
use text2sql_domain::config::{Egress, Limits};
use text2sql_domain::empty_cause::EmptyCause;
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::ports::{Database, Outcome};
use text2sql_domain::schema::Table;
use text2sql_domain::sql_result::Execution;

/// Maximum number of probe queries: enough for three tables and five conditions.
const MAX_PROBES: usize = 12;

/// Maximum time for one probe query.
const MAX_PROBE_TIME: Duration = Duration::from_millis(250);

named_enum! {
    /// How a result holds nothing.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Nothing {
        /// It has no row.
        NoRows = "no_rows",
        /// Its only row has only NULLs, as the sum of nothing.
        OnlyNulls = "only_nulls",
        /// It is the number 0, which is often right.
        Zero = "zero",
    }
}

impl Nothing {
    /// How a complete result holds nothing, if it does.
    pub fn of(execution: &Execution) -> Option<Self> {
        match execution.rows.as_slice() {
            _ if execution.is_truncated => None,
            [] => Some(Self::NoRows),
            [row] if !row.is_empty() && row.iter().all(|cell| cell.text.is_none()) => {
                Some(Self::OnlyNulls)
            }
            [row] => match row.as_slice() {
                [cell] if cell.text.as_deref() == Some("0") => Some(Self::Zero),
                _ => None,
            },
            _ => None,
        }
    }
}

/// A result that holds nothing, with the causes that were found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmptyResult {
    /// How it holds nothing.
    pub nothing: Nothing,
    causes: Vec<Cause>,
    /// Whether the query reads a private column: then no value near it is sent.
    is_private: bool,
}

impl EmptyResult {
    /// Looks up why the executed `sql`, which reads `tables`, found nothing; `None` if it found something.
    pub fn of(
        sql: &str,
        execution: &Execution,
        tables: &[Arc<Table>],
        database: &dyn Database,
        limits: &Limits,
    ) -> Result<Option<Self>, Error> {
        let Some(nothing) = Nothing::of(execution) else {
            return Ok(None);
        };
        let causes = match nothing {
            Nothing::NoRows => look_up(sql, tables, database, limits),
            Nothing::OnlyNulls | Nothing::Zero => match aggregated_rows(sql) {
                // They may exist, and what is asked of them be NULL.
                Ok(Some(rows)) => look_up_aggregated(&rows, tables, database, limits),
                Ok(None) => Ok(Vec::new()),
                Err(error) => Err(error),
            },
        };
        let causes = match causes {
            Ok(causes) => causes,
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            // What cannot be taken apart has no known cause.
            Err(_) => Vec::new(),
        };
        Ok(Some(Self {
            nothing,
            causes,
            is_private: execution.is_private,
        }))
    }

    /// The cause, if one part of the query alone is the cause.
    fn single(&self) -> Option<&Cause> {
        match self.causes.as_slice() {
            [cause] if is_part(cause.kind) => Some(cause),
            _ => None,
        }
    }

    /// Whether the data is the cause, and not the query: a table without rows, rows that the caller may not see, or rows
    /// that have nothing in what is asked of them.
    pub fn is_of_data(&self) -> bool {
        let is_of_data = |kind| {
            matches!(
                kind,
                CauseKind::EmptyTable
                    | CauseKind::RowSecurity
                    | CauseKind::Privilege
                    | CauseKind::NotEmpty
            )
        };
        self.causes.iter().any(|cause| is_of_data(cause.kind))
    }

    /// Whether it is certain enough that the query is wrong: one part alone is the cause, and it is a join that
    /// matches nothing, a LIMIT that cuts everything, or a condition with a constant that nobody asked for.
    /// `is_unasked` says that of a condition.
    pub fn is_of_query(&self, is_unasked: impl Fn(&str) -> bool) -> bool {
        let Some(cause) = self.single() else {
            return false;
        };
        match (cause.kind, &cause.part) {
            (CauseKind::Join | CauseKind::Limit, _) => true,
            (CauseKind::Filter | CauseKind::GroupFilter, Some(part)) => is_unasked(part),
            _ => false,
        }
    }

    /// Whether the question itself asks for nothing that there is: each cause is a condition, and each constant in it
    /// is one of the question. `is_asked` says that of a condition with constants.
    pub fn is_as_asked(&self, is_asked: impl Fn(&str) -> bool) -> bool {
        let is_condition = |cause: &Cause| {
            let kinds = [
                CauseKind::Filter,
                CauseKind::GroupFilter,
                CauseKind::Combination,
            ];
            kinds.contains(&cause.kind) && cause.part.as_deref().is_some_and(&is_asked)
        };
        !self.causes.is_empty() && self.causes.iter().all(is_condition)
    }

    /// The causes as a model may read them. A part of the query is its own text; the nearest values are those of rows,
    /// and are sent only where values may be, and never near a private column.
    pub fn for_model(&self, egress: Egress) -> Option<String> {
        let may_show_values = egress != Egress::Schema && !self.is_private;
        let sentences: Vec<&str> = self
            .causes
            .iter()
            .filter(|cause| is_part(cause.kind))
            .map(|cause| match may_show_values {
                true => cause.explanation.as_str(),
                false => cause.without_values.as_str(),
            })
            .collect();
        (!sentences.is_empty()).then(|| sentences.join(" "))
    }

    /// The cause as the caller may read it.
    pub fn for_caller(&self) -> Option<EmptyCause> {
        let known =
            |cause: &&Cause| !matches!(cause.kind, CauseKind::NotEmpty | CauseKind::Unknown);
        let cause = self.causes.iter().find(known)?;
        Some(EmptyCause {
            kind: cause.kind.as_str(),
            explanation: match self.is_private {
                true => cause.without_values.clone(),
                false => cause.explanation.clone(),
            },
            without_values: cause.without_values.clone(),
            part: cause.part.clone(),
            nearest: match self.is_private {
                true => Vec::new(),
                false => cause.nearest.clone(),
            },
        })
    }

    /// The kinds of the causes, for the trace.
    pub fn kinds(&self) -> Vec<&'static str> {
        self.causes
            .iter()
            .map(|cause| cause.kind.as_str())
            .collect()
    }
}

/// Whether it is a part of the query that can be named.
fn is_part(kind: CauseKind) -> bool {
    matches!(
        kind,
        CauseKind::Filter
            | CauseKind::GroupFilter
            | CauseKind::Join
            | CauseKind::Combination
            | CauseKind::Limit
            | CauseKind::SetOperation
            | CauseKind::Part
    )
}

/// Why the rows that an aggregate takes are missing, or that they are not.
fn look_up_aggregated(
    rows: &str,
    tables: &[Arc<Table>],
    database: &dyn Database,
    limits: &Limits,
) -> Result<Vec<Cause>, Error> {
    Ok(match why_empty(rows, tables, database, &effort(limits))? {
        Outcome::Passed(causes) => causes,
        Outcome::Rejected(_) | Outcome::Failed(_) => Vec::new(),
    })
}

fn look_up(
    sql: &str,
    tables: &[Arc<Table>],
    database: &dyn Database,
    limits: &Limits,
) -> Result<Vec<Cause>, Error> {
    causes_of_empty(sql, tables, database, &effort(limits))
}

fn effort(limits: &Limits) -> Effort {
    let usual = Effort::within(limits);
    Effort {
        statements: MAX_PROBES,
        limits: Limits {
            query_timeout: usual.limits.query_timeout.min(MAX_PROBE_TIME),
            ..usual.limits
        },
    }
}
