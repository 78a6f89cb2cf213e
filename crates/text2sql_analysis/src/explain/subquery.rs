//! Sub-queries within a sentence: "the average of salary in (employees where …)".

use sqlparser::ast::{
    Distinct, Expr, GroupByExpr, LimitClause, OrderByKind, Query, Select, SelectItem, SetExpr,
    SetOperator,
};
use text2sql_phrases::{say, template};

use super::narrator::{Narrator, unexplained};
use super::scope::Scope;
use super::window::has_aggregate;
use text2sql_language::english::{counted, first_rows, join_phrases};

/// A query as a phrase.
struct Phrase {
    /// Its outputs.
    outputs: String,
    /// Whether it returns one aggregated row.
    is_summary: bool,
    /// The source of its rows; empty if it reads no table.
    rows: String,
}

impl Phrase {
    fn outputs_in_rows(self) -> String {
        if self.rows.is_empty() {
            self.outputs
        } else {
            say!(
                "{outputs} in {rows}",
                outputs = self.outputs,
                rows = self.rows
            )
        }
    }
}

impl Narrator<'_> {
    /// A scalar sub-query.
    pub fn subquery_value(&mut self, scope: &Scope<'_>, query: &Query) -> String {
        self.deeper(query, |narrator| {
            let phrase = narrator.phrase(scope, query);
            if phrase.is_summary || phrase.rows.is_empty() {
                phrase.outputs_in_rows()
            } else {
                say!(
                    "the value of {outputs_in_rows}",
                    outputs_in_rows = phrase.outputs_in_rows()
                )
            }
        })
    }

    /// A sub-query that returns a list of values.
    pub fn subquery_values(&mut self, scope: &Scope<'_>, query: &Query) -> String {
        self.deeper(query, |narrator| {
            let phrase = narrator.phrase(scope, query);
            say!(
                "the values of {outputs_in_rows}",
                outputs_in_rows = phrase.outputs_in_rows()
            )
        })
    }

    /// The rows of a sub-query, ignoring its outputs.
    pub fn subquery_rows(&mut self, scope: &Scope<'_>, query: &Query) -> String {
        self.deeper(query, |narrator| {
            let phrase = narrator.rows_phrase(scope, query, false);
            if phrase.rows.is_empty() {
                say!("a single row without a table")
            } else {
                phrase.rows
            }
        })
    }

    /// `x IN (SELECT …)`.
    pub fn in_subquery(
        &mut self,
        scope: &Scope<'_>,
        value: &Expr,
        query: &Query,
        is_negated: bool,
    ) -> String {
        let subject = self.operand(scope, value);
        let values = self.subquery_values(scope, query);
        if !is_negated {
            return say!("subquery^{subject} is one of {value}", value = values);
        }
        let warning = if self.may_give_null(scope, query) {
            say!(" (if one of those is NULL, no row qualifies)")
        } else {
            String::new()
        };
        format!(
            "{}{warning}",
            say!("subquery^{subject} is none of {value}", value = values)
        )
    }

    /// Whether a sub-query's only column may be NULL.
    fn may_give_null(&self, scope: &Scope<'_>, query: &Query) -> bool {
        let SetExpr::Select(select) = &*query.body else {
            return false;
        };
        let mut inner = Scope::inside(scope);
        inner.set_relations(self.relations(scope, &select.from));
        let is_filtered = select
            .selection
            .as_ref()
            .is_some_and(|condition| condition.to_string().to_uppercase().contains("IS NOT NULL"));
        let (qualifier, column) = match select.projection.as_slice() {
            [SelectItem::UnnamedExpr(Expr::Identifier(name))] => {
                (None, text2sql_sql::tree::syntax::fold(name))
            }
            [SelectItem::UnnamedExpr(Expr::CompoundIdentifier(names))] => match names.as_slice() {
                [.., qualifier, column] => (
                    Some(text2sql_sql::tree::syntax::fold(qualifier)),
                    text2sql_sql::tree::syntax::fold(column),
                ),
                _ => return false,
            },
            _ => return false,
        };
        inner
            .find(qualifier.as_deref(), &column)
            .and_then(|found| found.relation.table()?.column(&column).map(|c| !c.not_null))
            .unwrap_or(false)
            && !is_filtered
    }

    fn phrase(&mut self, scope: &Scope<'_>, query: &Query) -> Phrase {
        self.rows_phrase(scope, query, true)
    }

    fn rows_phrase(&mut self, outer: &Scope<'_>, query: &Query, shows: bool) -> Phrase {
        let mut scope = Scope::inside(outer);
        if let Some(with) = &query.with {
            self.describe_ctes(&mut scope, with);
        }
        let mut phrase = match &*query.body {
            SetExpr::Select(select) => return self.select_phrase(&scope, select, query, shows),
            body => self.body_phrase(&scope, body, shows),
        };
        let mut rest = Vec::new();
        self.tail_phrases(&scope, query, &mut rest);
        if !rest.is_empty() {
            phrase.rows = format!("({}, {})", phrase.rows, rest.join(", "));
        }
        phrase
    }

    fn body_phrase(&mut self, scope: &Scope<'_>, body: &SetExpr, shows: bool) -> Phrase {
        match body {
            SetExpr::Query(query) => self.rows_phrase(scope, query, shows),
            SetExpr::SetOperation {
                left, op, right, ..
            } => {
                let mut chain = vec![(op, &**right)];
                let mut first = &**left;
                while let SetExpr::SetOperation {
                    left, op, right, ..
                } = first
                {
                    chain.push((op, &**right));
                    first = left;
                }
                let mut phrase = self.operand_phrase(scope, first, shows);
                for (operator, next) in chain.into_iter().rev() {
                    let next = self.operand_phrase(scope, next, true).outputs_in_rows();
                    let link = match operator {
                        SetOperator::Union => template!("{rows} together with {next}"),
                        SetOperator::Intersect => template!("{rows} that are also among {next}"),
                        _ => template!("{rows} that are not among {next}"),
                    };
                    phrase.rows = say!(link, rows = phrase.rows, next);
                    phrase.is_summary = false;
                }
                phrase
            }
            SetExpr::Values(values) => {
                let count = values.rows.len().to_string();
                Phrase {
                    outputs: say!("the values"),
                    is_summary: false,
                    rows: say!(
                        "a fixed list of {counted}",
                        counted = counted(&count, "row", "rows")
                    ),
                }
            }
            SetExpr::Table(table) => Phrase {
                outputs: say!("all columns"),
                is_summary: false,
                rows: table.table_name.clone().unwrap_or_default(),
            },
            other => Phrase {
                outputs: unexplained(other),
                is_summary: true,
                rows: String::new(),
            },
        }
    }

    fn operand_phrase(&mut self, scope: &Scope<'_>, body: &SetExpr, shows: bool) -> Phrase {
        match body {
            SetExpr::Select(select) => {
                let mut pieces = Vec::new();
                self.plain_select(scope, select, &mut pieces, shows, |_, _, _| {})
            }
            other => self.body_phrase(scope, other, shows),
        }
    }

    fn select_phrase(
        &mut self,
        scope: &Scope<'_>,
        select: &Select,
        query: &Query,
        shows: bool,
    ) -> Phrase {
        let mut pieces = Vec::new();
        self.plain_select(
            scope,
            select,
            &mut pieces,
            shows,
            |narrator, inner, rest| {
                narrator.tail_phrases(inner, query, rest);
            },
        )
    }

    fn plain_select(
        &mut self,
        outer: &Scope<'_>,
        select: &Select,
        pieces: &mut Vec<String>,
        shows: bool,
        add_tail: impl FnOnce(&mut Self, &Scope<'_>, &mut Vec<String>),
    ) -> Phrase {
        let mut scope = Scope::inside(outer);
        scope.windows = &select.named_window;
        scope.set_relations(self.relations(outer, &select.from));
        let outputs = if shows {
            let words: Vec<String> = select
                .projection
                .iter()
                .map(|item| self.output_words(&scope, item))
                .collect();
            join_phrases(&words, "and")
        } else {
            String::new()
        };
        let groups: &[Expr] = match &select.group_by {
            GroupByExpr::Expressions(groups, _) => groups,
            GroupByExpr::All(_) => &[],
        };
        let is_summary = groups.is_empty()
            && select.projection.iter().any(|item| match item {
                SelectItem::UnnamedExpr(expression)
                | SelectItem::ExprWithAlias {
                    expr: expression, ..
                } => has_aggregate(expression),
                _ => false,
            });
        let mut index = 0;
        let from: Vec<String> = select
            .from
            .iter()
            .map(|item| self.joined_phrase(&scope, item, &mut index))
            .collect();
        let mut rows = from.join(&format!(" {} ", say!("combined with each row of")));
        let is_joined = scope.relations.len() > 1 || rows.contains(", ");
        if let Some(condition) = &select.selection {
            let condition = self.condition(&scope, condition);
            rows = say!("{rows} where {condition}");
        }
        if !groups.is_empty() {
            let words: Vec<String> = groups
                .iter()
                .map(|group| self.group_words(&scope, group, &select.projection))
                .collect();
            pieces.push(say!(
                "grouped by {join_phrases}",
                join_phrases = join_phrases(&words, "and")
            ));
        }
        if let Some(having) = &select.having {
            let condition = self.condition(&scope, having);
            pieces.push(say!("keeping the groups where {condition}"));
        }
        match &select.distinct {
            Some(Distinct::Distinct) => pieces.push(say!("without duplicates")),
            Some(Distinct::On(values)) => {
                let values = self.values(&scope, values);
                pieces.push(say!("only the first row for each {values}"));
            }
            _ => {}
        }
        add_tail(self, &scope, pieces);
        let is_long = is_joined || select.selection.is_some() || !pieces.is_empty();
        if is_long && !rows.is_empty() {
            let rest: String = pieces.iter().map(|piece| format!(", {piece}")).collect();
            rows = format!("({}{rest})", rows.trim_start());
        }
        Phrase {
            outputs,
            is_summary,
            rows,
        }
    }

    fn tail_phrases(&mut self, scope: &Scope<'_>, query: &Query, rest: &mut Vec<String>) {
        if let Some(order) = &query.order_by
            && let OrderByKind::Expressions(items) = &order.kind
        {
            let projection = match &*query.body {
                SetExpr::Select(select) => select.projection.as_slice(),
                _ => &[],
            };
            let order = self.order_words(scope, items, projection);
            rest.push(say!("sorted by {order}"));
        }
        match &query.limit_clause {
            Some(LimitClause::LimitOffset { limit, offset, .. }) => {
                if let Some(offset) = offset {
                    let count = self.value(scope, &offset.value);
                    rest.push(say!("without the first {rows}", rows = first_rows(&count)));
                }
                if let Some(limit) = limit {
                    let count = self.value(scope, limit);
                    rest.push(say!("only the first {rows}", rows = first_rows(&count)));
                }
            }
            Some(other) => rest.push(unexplained(other)),
            None => {}
        }
        if let Some(fetch) = &query.fetch {
            rest.push(match &fetch.quantity {
                Some(quantity) if !fetch.percent && !fetch.with_ties => {
                    let count = self.value(scope, quantity);
                    say!("only the first {rows}", rows = first_rows(&count))
                }
                _ => unexplained(fetch),
            });
        }
    }
}
