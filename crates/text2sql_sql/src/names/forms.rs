//! Forms of SQL that the parser accepts in any dialect and a database of this one does not have. Models mix them up
//! more often than names.

use std::ops::ControlFlow;

use sqlparser::ast::{
    AccessExpr, BinaryOperator, CastKind, Distinct, Expr, GroupByExpr, JoinConstraint,
    JoinOperator, LimitClause, OrderByExpr, OrderByKind, Query, Select, SelectFlavor, SelectItem,
    SetExpr, SetOperator, SetQuantifier, Spanned, Subscript, TableFactor, Visitor,
};
use sqlparser::tokenizer::Location;

use text2sql_domain::dialect::Dialect::{self, DuckDb, MySql, PostgreSql, Sqlite, TSql};

use super::checker::Checker;
use crate::visit;

impl Checker<'_> {
    /// Faults the forms of the query that the dialect does not have.
    pub(super) fn forms(&mut self, query: &Query) {
        let mut forms = Forms {
            dialect: self.schema.dialect,
            found: Vec::new(),
        };
        let _ = visit::query(query, &mut forms);
        for (place, message) in forms.found {
            self.fault(place, "42601", message);
        }
    }
}

struct Forms {
    dialect: Dialect,
    found: Vec<(Location, String)>,
}

/// The start of the text, for forms without a place.
const START: Location = Location { line: 1, column: 1 };

impl Forms {
    /// Notes a form that only some dialects have. `instead` is what to write, for a dialect that has another form.
    fn only(&mut self, has: &[Dialect], place: Location, form: &str, instead: &str) {
        if has.contains(&self.dialect) {
            return;
        }
        let instead = match instead {
            "" => String::new(),
            instead => format!("; {instead}"),
        };
        let place = if place.line == 0 { START } else { place };
        self.found
            .push((place, format!("{} has no {form}{instead}", self.dialect)));
    }

    fn operator(&mut self, op: &BinaryOperator, place: Location) {
        match op {
            BinaryOperator::StringConcat => {
                let instead = "use CONCAT()";
                self.only(
                    &[PostgreSql, Sqlite, DuckDb],
                    place,
                    "|| that joins texts",
                    instead,
                );
            }
            BinaryOperator::PGRegexMatch
            | BinaryOperator::PGRegexIMatch
            | BinaryOperator::PGRegexNotMatch
            | BinaryOperator::PGRegexNotIMatch => {
                self.only(
                    &[PostgreSql, DuckDb],
                    place,
                    "operator for regular expressions like ~",
                    "",
                );
            }
            BinaryOperator::PGLikeMatch
            | BinaryOperator::PGILikeMatch
            | BinaryOperator::PGNotLikeMatch
            | BinaryOperator::PGNotILikeMatch => {
                self.only(&[PostgreSql, DuckDb], place, "~~", "use LIKE");
            }
            BinaryOperator::Spaceship => {
                self.only(&[MySql], place, "<=>", "use IS NOT DISTINCT FROM")
            }
            BinaryOperator::MyIntegerDivide => self.only(&[MySql], place, "DIV", ""),
            BinaryOperator::DuckIntegerDivide => self.only(&[DuckDb], place, "//", ""),
            BinaryOperator::Xor => self.only(&[MySql], place, "XOR", "use <>"),
            BinaryOperator::Arrow | BinaryOperator::LongArrow => {
                let has = [PostgreSql, Sqlite, DuckDb, MySql];
                self.only(&has, place, "-> and ->> for JSON", "use JSON_VALUE()");
            }
            BinaryOperator::AtArrow | BinaryOperator::ArrowAt | BinaryOperator::PGOverlap => {
                self.only(
                    &[PostgreSql, DuckDb],
                    place,
                    "operators for arrays and ranges",
                    "",
                );
            }
            BinaryOperator::PGExp => {
                self.only(&[PostgreSql, DuckDb], place, "^ for powers", "use POWER()")
            }
            _ => {}
        }
    }

    fn expression(&mut self, expr: &Expr) {
        let place = || expr.span().start;
        match expr {
            Expr::ILike { .. } => {
                let instead = "use LOWER(a) LIKE LOWER(b)";
                self.only(&[PostgreSql, DuckDb], place(), "ILIKE", instead);
            }
            Expr::SimilarTo { .. } => {
                self.only(&[PostgreSql, DuckDb], place(), "SIMILAR TO", "use LIKE")
            }
            Expr::RLike { .. } => self.only(&[MySql, Sqlite], place(), "REGEXP", ""),
            Expr::Cast { kind, .. } => match kind {
                CastKind::DoubleColon => {
                    self.only(&[PostgreSql, DuckDb], place(), "::", "use CAST(a AS type)");
                }
                CastKind::TryCast => self.only(&[DuckDb, TSql], place(), "TRY_CAST", "use CAST"),
                CastKind::SafeCast => self.only(&[], place(), "SAFE_CAST", "use CAST"),
                CastKind::Cast => {}
            },
            Expr::Convert { .. } => self.only(&[MySql, TSql], place(), "CONVERT()", "use CAST"),
            Expr::Extract { .. } => {
                let instead = match self.dialect {
                    TSql => "use DATEPART(year, a)",
                    _ => "use strftime('%Y', a)",
                };
                self.only(&[PostgreSql, DuckDb, MySql], place(), "EXTRACT", instead);
            }
            Expr::Interval(_) => {
                let instead = match self.dialect {
                    TSql => "use DATEADD(day, 1, a)",
                    _ => "use date(a, '+1 day')",
                };
                self.only(&[PostgreSql, DuckDb, MySql], place(), "INTERVAL", instead);
            }
            Expr::TypedString(_) => {
                let instead = "write the value in single quotes, or CAST it";
                self.only(
                    &[PostgreSql, DuckDb, MySql],
                    place(),
                    "constants such as DATE '2026-01-31'",
                    instead,
                );
            }
            Expr::AtTimeZone { .. } => {
                self.only(&[PostgreSql, DuckDb, TSql], place(), "AT TIME ZONE", "");
            }
            Expr::Position { .. } => {
                let instead = match self.dialect {
                    TSql => "use CHARINDEX(part, text)",
                    _ => "use instr(text, part)",
                };
                self.only(
                    &[PostgreSql, DuckDb, MySql],
                    place(),
                    "POSITION(… IN …)",
                    instead,
                );
            }
            Expr::Substring { special: false, .. } => {
                let instead = "use SUBSTRING(text, start, length)";
                self.only(
                    &[PostgreSql, DuckDb, MySql],
                    place(),
                    "SUBSTRING(… FROM …)",
                    instead,
                );
            }
            Expr::Overlay { .. } => self.only(&[PostgreSql, DuckDb], place(), "OVERLAY", ""),
            Expr::Array(_) => self.only(&[PostgreSql, DuckDb], place(), "arrays", ""),
            Expr::CompoundFieldAccess { access_chain, .. } => {
                let has_subscript = access_chain.iter().any(|access| {
                    matches!(
                        access,
                        AccessExpr::Subscript(Subscript::Index { .. } | Subscript::Slice { .. })
                    )
                });
                if has_subscript {
                    self.only(
                        &[PostgreSql, DuckDb],
                        place(),
                        "elements of arrays like a[1]",
                        "",
                    );
                }
            }
            Expr::Lambda(_) | Expr::Dictionary(_) | Expr::Struct { .. } | Expr::Map(_) => {
                self.only(
                    &[DuckDb],
                    place(),
                    "structs, maps and functions in place",
                    "",
                );
            }
            Expr::IsDistinctFrom(..) | Expr::IsNotDistinctFrom(..) => {
                let has = [PostgreSql, Sqlite, DuckDb, TSql];
                self.only(&has, place(), "IS DISTINCT FROM", "use NOT (a <=> b)");
            }
            Expr::IsTrue(_) | Expr::IsFalse(_) | Expr::IsNotTrue(_) | Expr::IsNotFalse(_) => {
                self.only(
                    &[PostgreSql, Sqlite, DuckDb, MySql],
                    place(),
                    "IS TRUE",
                    "use = 1",
                );
            }
            Expr::GroupingSets(_) | Expr::Cube(_) | Expr::Rollup(_) => {
                self.only(
                    &[PostgreSql, DuckDb, TSql],
                    place(),
                    "GROUPING SETS, CUBE or ROLLUP()",
                    "",
                );
            }
            Expr::MatchAgainst { .. } => self.only(&[MySql], place(), "MATCH … AGAINST", ""),
            Expr::InSubquery { expr: left, .. } | Expr::InList { expr: left, .. }
                if matches!(left.as_ref(), Expr::Tuple(_)) =>
            {
                let has = [PostgreSql, Sqlite, DuckDb, MySql];
                self.only(&has, place(), "(a, b) IN (…)", "use EXISTS");
            }
            Expr::Function(function) if function.filter.is_some() => {
                let instead = "use CASE inside of the function";
                self.only(
                    &[PostgreSql, Sqlite, DuckDb],
                    place(),
                    "FILTER (WHERE …)",
                    instead,
                );
            }
            Expr::Function(function) if !function.within_group.is_empty() => {
                self.only(&[PostgreSql, DuckDb, TSql], place(), "WITHIN GROUP", "");
            }
            Expr::BinaryOp { op, .. } => self.operator(op, place()),
            _ => {}
        }
    }

    fn joins(&mut self, select: &Select) {
        for join in select.from.iter().flat_map(|item| &item.joins) {
            let place = join.relation.span().start;
            let constraint = match &join.join_operator {
                JoinOperator::FullOuter(constraint) => {
                    let has = [PostgreSql, Sqlite, DuckDb, TSql];
                    self.only(&has, place, "FULL JOIN", "use a UNION of two outer joins");
                    constraint
                }
                JoinOperator::CrossApply | JoinOperator::OuterApply => {
                    self.only(&[TSql], place, "APPLY", "use JOIN LATERAL");
                    continue;
                }
                JoinOperator::AsOf { .. } => {
                    self.only(&[DuckDb], place, "ASOF JOIN", "");
                    continue;
                }
                JoinOperator::Semi(constraint)
                | JoinOperator::LeftSemi(constraint)
                | JoinOperator::RightSemi(constraint)
                | JoinOperator::Anti(constraint)
                | JoinOperator::LeftAnti(constraint)
                | JoinOperator::RightAnti(constraint) => {
                    self.only(&[DuckDb], place, "SEMI or ANTI JOIN", "use EXISTS");
                    constraint
                }
                JoinOperator::Join(constraint)
                | JoinOperator::Inner(constraint)
                | JoinOperator::Left(constraint)
                | JoinOperator::LeftOuter(constraint)
                | JoinOperator::Right(constraint)
                | JoinOperator::RightOuter(constraint)
                | JoinOperator::CrossJoin(constraint)
                | JoinOperator::StraightJoin(constraint) => constraint,
                JoinOperator::ArrayJoin
                | JoinOperator::LeftArrayJoin
                | JoinOperator::InnerArrayJoin => {
                    self.only(&[], place, "ARRAY JOIN", "");
                    continue;
                }
            };
            if matches!(
                constraint,
                JoinConstraint::Using(_) | JoinConstraint::Natural
            ) {
                let has = [PostgreSql, Sqlite, DuckDb, MySql];
                self.only(&has, place, "USING or NATURAL JOIN", "use ON");
            }
        }
    }

    /// SQL Server sorts no sub-query that returns all of its rows.
    fn sorted_subquery(&mut self, query: &Query) {
        let has_top =
            matches!(query.body.as_ref(), SetExpr::Select(select) if select.top.is_some());
        let is_cut = has_top || query.fetch.is_some() || query.limit_clause.is_some();
        if query.order_by.is_some() && !is_cut && query.for_clause.is_none() {
            let has = [PostgreSql, Sqlite, DuckDb, MySql];
            let place = query.span().start;
            self.only(
                &has,
                place,
                "ORDER BY in a sub-query without TOP",
                "sort outside",
            );
        }
    }
}

impl Visitor for Forms {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        self.expression(expr);
        ControlFlow::Continue(())
    }

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        let place = query.span().start;
        match &query.limit_clause {
            Some(LimitClause::LimitOffset { limit: Some(_), .. }) => {
                let has = [PostgreSql, Sqlite, DuckDb, MySql];
                self.only(
                    &has,
                    place,
                    "LIMIT",
                    "use SELECT TOP (n), or OFFSET 0 ROWS FETCH NEXT n ROWS ONLY",
                );
            }
            Some(LimitClause::OffsetCommaLimit { .. }) => {
                self.only(
                    &[MySql, Sqlite],
                    place,
                    "LIMIT a, b",
                    "use LIMIT b OFFSET a",
                );
            }
            _ => {}
        }
        if query.fetch.is_some() {
            self.only(
                &[PostgreSql, DuckDb, TSql],
                place,
                "FETCH FIRST",
                "use LIMIT",
            );
        }
        if query.for_clause.is_some() {
            self.only(&[TSql], place, "FOR XML or FOR JSON", "");
        }
        if query.with.as_ref().is_some_and(|with| with.recursive) {
            let has = [PostgreSql, Sqlite, DuckDb, MySql];
            self.only(&has, place, "keyword RECURSIVE", "write WITH alone");
        }
        if let Some(OrderByKind::All(_)) = query.order_by.as_ref().map(|order| &order.kind) {
            self.only(&[DuckDb], place, "ORDER BY ALL", "");
        }
        if let SetExpr::SetOperation {
            op: SetOperator::Except | SetOperator::Intersect | SetOperator::Minus,
            set_quantifier: SetQuantifier::All,
            ..
        } = query.body.as_ref()
        {
            self.only(
                &[PostgreSql, DuckDb, MySql],
                place,
                "EXCEPT ALL or INTERSECT ALL",
                "",
            );
        }
        for cte in query.with.iter().flat_map(|with| &with.cte_tables) {
            self.sorted_subquery(&cte.query);
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        let place = select.select_token.0.span.start;
        if select.top.is_some() {
            self.only(&[TSql], place, "TOP", "use LIMIT");
        }
        if let Some(Distinct::On(_)) = &select.distinct {
            let instead = "use ROW_NUMBER() in a sub-query";
            self.only(&[PostgreSql, DuckDb], place, "DISTINCT ON", instead);
        }
        if select.qualify.is_some() {
            self.only(&[DuckDb], place, "QUALIFY", "filter in an outer query");
        }
        if matches!(select.group_by, GroupByExpr::All(_)) {
            self.only(&[DuckDb], place, "GROUP BY ALL", "name the columns");
        }
        if select.flavor != SelectFlavor::Standard {
            self.only(
                &[DuckDb],
                place,
                "query that begins with FROM",
                "begin with SELECT",
            );
        }
        for item in &select.projection {
            let (SelectItem::Wildcard(options) | SelectItem::QualifiedWildcard(_, options)) = item
            else {
                continue;
            };
            if options.opt_exclude.is_some() || options.opt_replace.is_some() {
                self.only(&[DuckDb], place, "* EXCLUDE or REPLACE", "name the columns");
            }
        }
        self.joins(select);
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        let place = || factor.span().start;
        match factor {
            TableFactor::Derived {
                lateral, subquery, ..
            } => {
                if *lateral {
                    self.only(&[PostgreSql, DuckDb, MySql], place(), "LATERAL", "");
                }
                self.sorted_subquery(subquery);
            }
            TableFactor::Pivot { .. } | TableFactor::Unpivot { .. } => {
                self.only(&[DuckDb, TSql], place(), "PIVOT", "use CASE in aggregates");
            }
            TableFactor::UNNEST { .. } => self.only(&[PostgreSql, DuckDb], place(), "UNNEST", ""),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_order_by_expr(&mut self, key: &OrderByExpr) -> ControlFlow<()> {
        if key.options.nulls_first.is_some() {
            let instead = "sort by CASE WHEN a IS NULL THEN 1 ELSE 0 END first";
            self.only(
                &[PostgreSql, Sqlite, DuckDb],
                key.expr.span().start,
                "NULLS FIRST or LAST",
                instead,
            );
        }
        ControlFlow::Continue(())
    }
}
