//! `x NOT IN (SELECT y …)` as NOT EXISTS, which the planner can turn into an anti-join. Valid if
//! neither x nor y is ever NULL; else it is only said what a NULL does.

use sqlparser::ast::{Expr, Query, UnaryOperator};

use super::Rewrite;
use super::top_select::TopSelect;
use crate::optimize::{Proposal, ProposalKind};
use text2sql_sql::tree::syntax::without_parentheses;

pub(super) fn propose(top: &TopSelect<'_, '_>, found: &mut Vec<Rewrite>) {
    for one in written(top).filter(|one| one.null.is_none()) {
        found.push(Rewrite {
            rule: "not_in_to_not_exists",
            what: "NOT IN is written as NOT EXISTS, which the planner can run as one anti-join."
                .to_owned(),
            because: format!(
                "neither {} nor the sub-query's value can be NULL",
                one.value
            ),
            sql: one.sql,
            caveat: None,
            proviso: None,
            is_simpler: false,
        });
    }
}

/// Says what a NULL does to each NOT IN that cannot be rewritten.
pub(super) fn null_traps(top: &TopSelect<'_, '_>) -> Vec<Proposal> {
    let said = |one: NotIn| {
        let what = match one.null? {
            Null::Inside => "Once the sub-query of NOT IN gives a NULL, no row passes, and because it may, the planner cannot run it as an anti-join.".to_owned(),
            Null::Outside => format!("A row whose {} is NULL does not pass NOT IN, and because of such rows the planner cannot run it as an anti-join.", one.value),
        };
        let mut note = Proposal::new(ProposalKind::Note, what);
        note.sql = Some(one.sql);
        note.caveats = Some("This takes NULL for a value that is not in the list: another question, if NULL was meant.".to_owned());
        Some(note)
    };
    written(top).filter_map(said).collect()
}

/// Where a NULL can be.
enum Null {
    Inside,
    Outside,
}

/// A NOT IN of the WHERE clause.
struct NotIn {
    /// What is looked for.
    value: String,
    /// The query with NOT EXISTS instead.
    sql: String,
    /// What keeps the two from being equal.
    null: Option<Null>,
}

fn written(top: &TopSelect<'_, '_>) -> impl Iterator<Item = NotIn> {
    let filters = top.block.filters().into_iter().enumerate();
    filters.filter_map(move |(number, filter)| {
        let (value, subquery) = parts(filter)?;
        let gives_null = top
            .tree
            .result_of(subquery)
            .and_then(|result| result.columns.first())
            .is_none_or(|output| !output.is_never_null);
        let null = match (gives_null, top.is_never_null(value)) {
            (true, _) => Some(Null::Inside),
            (false, false) => Some(Null::Outside),
            (false, true) => None,
        };
        let outside = top.seen_from_inside(value)?;
        let given = top.free_name("given");
        let text = format!(
            "NOT EXISTS (SELECT 1 FROM ({subquery}) AS {given}(value) WHERE {given}.value = {outside})"
        );
        Some(NotIn {
            sql: top.with_filter(number, &text)?,
            value: outside,
            null,
        })
    })
}

fn parts(filter: &Expr) -> Option<(&Expr, &Query)> {
    match without_parentheses(filter) {
        Expr::InSubquery {
            expr,
            subquery,
            negated: true,
        } => Some((expr, subquery)),
        Expr::UnaryOp {
            op: UnaryOperator::Not,
            expr,
        } => match without_parentheses(expr) {
            Expr::InSubquery {
                expr,
                subquery,
                negated: false,
            } => Some((expr, subquery)),
            _ => None,
        },
        _ => None,
    }
}
