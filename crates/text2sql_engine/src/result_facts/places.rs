//! The first places of a ranking: who shares the first one, who is next, and how many rows equal to the last one are
//! not shown.

use sqlparser::ast::{
    Expr, Fetch, Ident, LimitClause, OrderByKind, Query, SelectItem, SetExpr, Value,
};

use super::query::is_distinct_on;
use text2sql_domain::sql_result::Execution;
use text2sql_language::sentences::result::facts::{Places, QueryFacts, Role};
use text2sql_sql::tree::keys::meant_by;

/// The name of the ranked value in the query.
const MEASURE: &str = "text2sql_rank";

/// Number of rows that are read: those that a sentence names as sharing a place, and the next one.
const ROWS: usize = 6;

/// The query, if the result is the first rows of an order by a measure.
pub(super) fn sql(query: &Query, facts: &QueryFacts) -> Option<String> {
    let (order, limit) = (
        facts.order.as_ref()?,
        facts.limit.filter(|limit| *limit > 0)?,
    );
    let is_measure = matches!(
        order.is.role,
        Role::Count | Role::DistinctCount | Role::Sum | Role::Measure | Role::Value | Role::Unknown
    );
    let mut inner = query.clone();
    let SetExpr::Select(select) = &mut *inner.body else {
        return None;
    };
    if !is_measure || is_distinct_on(select) {
        return None;
    }
    let OrderByKind::Expressions(keys) = &mut inner.order_by.as_mut()?.kind else {
        return None;
    };
    keys.truncate(1);
    let key = keys.first_mut()?;
    let meant = meant_by(&key.expr, &select.projection).clone();
    let direction = key.options.to_string();
    key.expr = meant.clone();
    select.projection.push(SelectItem::ExprWithAlias {
        expr: meant,
        alias: Ident::new(MEASURE),
    });
    inner.limit_clause = None::<LimitClause>;
    inner.fetch = Some(Fetch {
        with_ties: true,
        percent: false,
        quantity: Some(Expr::value(Value::Number(limit.max(2).to_string(), false))),
    });
    Some(format!(
        "SELECT reaching.*, count(*) OVER () AS text2sql_reached, count(*) OVER (PARTITION BY {MEASURE}) AS \
         text2sql_equal\nFROM ({inner}) AS reaching\nORDER BY {MEASURE}{direction}, 1\nLIMIT {ROWS}"
    ))
}

/// What the query found.
pub fn places_of(facts: &QueryFacts, shown: &Execution, found: &Execution) -> Option<Places> {
    let limit = facts.limit?;
    let measure = shown.columns.len();
    let first = found.rows.first()?;
    let number = |at: usize| first.get(at)?.text.as_deref()?.parse::<u64>().ok();
    let (reached, equal) = (number(measure + 1)?, number(measure + 2)?);
    let shown = shown.rows.len() as u64;
    Some(Places {
        rows: found.rows.clone(),
        measure_type: found.columns.get(measure)?.type_name.clone(),
        equal,
        left_out: match limit {
            1 => equal.saturating_sub(shown),
            limit => reached.saturating_sub(shown.max(limit)),
        },
    })
}
