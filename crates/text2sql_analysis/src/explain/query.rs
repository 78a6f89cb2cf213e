//! A complete query as steps in reading order: CTEs first,
//! then FROM, joins, WHERE, GROUP BY, HAVING, window functions, SELECT, ORDER BY, LIMIT.

use sqlparser::ast::{
    Distinct, Expr, GroupByExpr, GroupByWithModifier, Query, Select, SelectItem, SetExpr,
    SetOperator, SetQuantifier, Values, With,
};
use text2sql_phrases::say;

use super::narrator::{Narrator, unexplained};
use super::relations::renamed;
use super::scope::{KnownCte, OutputColumn, Relation, Scope, Source};
use super::window::{has_aggregate, window_functions};
use text2sql_domain::schema::quote_identifier;
use text2sql_language::english::{capitalise, counted, join_phrases};
use text2sql_sql::tree::syntax::fold;

impl Narrator<'_> {
    /// Explains a query.
    pub fn query(&mut self, outer: &Scope<'_>, query: &Query) {
        let words = self.deeper(query, |narrator| {
            narrator.query_here(outer, query);
            String::new()
        });
        if !words.is_empty() {
            self.push("SELECT", format!("{}.", capitalise(&words)));
        }
    }

    fn query_here(&mut self, outer: &Scope<'_>, query: &Query) {
        let mut scope = Scope::inside(outer);
        if let Some(with) = &query.with {
            self.describe_ctes(&mut scope, with);
        }
        match &*query.body {
            SetExpr::Select(select) => self.describe_select(&scope, select, Some(query)),
            body => {
                self.describe_body(&scope, body, false);
                let mut outputs = Scope::inside(&scope);
                outputs.set_relations(vec![Relation {
                    qualifier: String::new(),
                    base_name: String::new(),
                    full_name: String::new(),
                    label: String::new(),
                    source: Source::Result(self.output_columns(outer, query)),
                }]);
                self.describe_tail(&outputs, query, &[]);
            }
        }
    }

    /// Explains the CTEs of a WITH list and adds them to the scope.
    pub fn describe_ctes(&mut self, scope: &mut Scope<'_>, with: &With) {
        for cte in &with.cte_tables {
            let name = fold(&cte.alias.name);
            let label = quote_identifier(&name);
            let body = &cte.query.body;
            let is_recursive = with.recursive
                && matches!(&**body, SetExpr::SetOperation { .. })
                && reads(&cte.query, &name);
            let columns = self.output_columns(scope, &cte.query);
            let columns = match renamed(Source::Result(columns), Some(&cte.alias)) {
                Source::Result(columns) => columns,
                _ => Vec::new(),
            };
            let known = KnownCte {
                name: name.clone(),
                columns,
            };
            if is_recursive {
                scope.ctes.push(known.clone());
            }
            let clause = if is_recursive {
                format!("WITH RECURSIVE {label}")
            } else {
                format!("WITH {label}")
            };
            let header = |steps: &str| {
                if is_recursive {
                    say!("Build a helper result called {label}, round by round, in {steps}.")
                } else {
                    say!("Prepare a helper result called {label}, in {steps}.")
                }
            };
            let inner = &*scope;
            self.push_nested(&clause, &label, header, |narrator| {
                if is_recursive {
                    narrator.describe_body(inner, body, true);
                    narrator.describe_tail(inner, &cte.query, &[]);
                } else {
                    narrator.query(inner, &cte.query);
                }
            });
            if !is_recursive {
                scope.ctes.push(known);
            }
        }
    }

    /// Explains the clauses between WITH and ORDER BY.
    fn describe_body(&mut self, scope: &Scope<'_>, body: &SetExpr, is_recursive: bool) {
        match body {
            SetExpr::Select(select) => self.describe_select(scope, select, None),
            SetExpr::Query(query) => self.query(scope, query),
            SetExpr::SetOperation {
                left,
                op,
                set_quantifier,
                right,
            } => {
                let mut chain = vec![(op, set_quantifier, &**right)];
                let mut first = &**left;
                while let SetExpr::SetOperation {
                    left,
                    op,
                    set_quantifier,
                    right,
                } = first
                {
                    chain.push((op, set_quantifier, &**right));
                    first = left;
                }
                self.describe_body(scope, first, false);
                for (operator, quantifier, next) in chain.into_iter().rev() {
                    let (clause, words) =
                        set_operation(*operator, *quantifier, count(next), is_recursive);
                    self.push(clause, words);
                    self.describe_body(scope, next, false);
                }
            }
            SetExpr::Values(values) => self.describe_values(scope, values),
            SetExpr::Table(table) => {
                let name = table.table_name.clone().unwrap_or_default();
                let name = quote_identifier(&name);
                self.push("TABLE", say!("Show all columns and rows of {name}."));
            }
            SetExpr::Insert(statement)
            | SetExpr::Update(statement)
            | SetExpr::Delete(statement)
            | SetExpr::Merge(statement) => self.change(scope, statement),
        }
    }

    fn describe_values(&mut self, scope: &Scope<'_>, values: &Values) {
        let rows = &values.rows;
        let shown: Vec<String> = rows
            .iter()
            .take(3)
            .map(|row| {
                let words: Vec<String> = row
                    .content
                    .iter()
                    .map(|value| self.value(scope, value))
                    .collect();
                format!("({})", words.join(", "))
            })
            .collect();
        let count = counted(rows.len(), "row", "rows");
        let more = if rows.len() > shown.len() {
            say!(" and so on")
        } else {
            String::new()
        };
        self.push(
            "VALUES",
            say!(
                "A fixed list of {count}: {shown}{more}.",
                shown = shown.join(", ")
            ),
        );
    }

    fn describe_select(&mut self, outer: &Scope<'_>, select: &Select, tail: Option<&Query>) {
        let mut scope = Scope::inside(outer);
        scope.windows = &select.named_window;
        scope.set_relations(self.relations(outer, &select.from));
        self.describe_from(&scope, &select.from, select.selection.as_ref());
        if let Some(condition) = &select.selection {
            let words = self.condition(&scope, condition);
            self.push("WHERE", say!("Keep only the rows where {words}."));
        }
        let is_grouped = self.describe_groups(&scope, select);
        if let Some(condition) = &select.having {
            let words = self.condition(&scope, condition);
            self.push("HAVING", say!("Keep only the groups where {words}."));
        }
        self.describe_windows(&scope, select);
        self.describe_outputs(&scope, select, is_grouped);
        match &select.distinct {
            Some(Distinct::Distinct) => {
                self.push("DISTINCT", say!("Remove duplicate rows."));
            }
            Some(Distinct::On(values)) => {
                let values = self.values(&scope, values);
                let order = match tail.and_then(|query| query.order_by.as_ref()) {
                    Some(_) => say!("the first row in the order below"),
                    None => {
                        say!("one row; which one is left to the database, for there is no ORDER BY")
                    }
                };
                self.push(
                    "DISTINCT ON",
                    say!("For each different value of {values}, keep only {order}."),
                );
            }
            _ => {}
        }
        if let Some(query) = tail {
            self.describe_tail(&scope, query, &select.projection);
        }
    }

    /// Explains GROUP BY; returns whether there is one.
    fn describe_groups(&mut self, scope: &Scope<'_>, select: &Select) -> bool {
        let GroupByExpr::Expressions(groups, modifiers) = &select.group_by else {
            self.push(
                "GROUP BY",
                format!("{}.", capitalise(&unexplained(&select.group_by))),
            );
            return true;
        };
        if groups.is_empty() && modifiers.is_empty() {
            return false;
        }
        let mut keys = Vec::new();
        let mut totals = Vec::new();
        for group in groups {
            match group {
                Expr::Rollup(sets) => {
                    let sets = self.sets(scope, sets, &select.projection);
                    totals.push(say!("group by ({sets}), with a subtotal row each time the last of these is left \
                         out, down to one grand total", sets = sets.join(", ")));
                }
                Expr::Cube(sets) => {
                    let sets = self.sets(scope, sets, &select.projection);
                    totals.push(say!("group by every combination of ({sets}), from all of them down to one grand \
                         total", sets = sets.join(", ")));
                }
                Expr::GroupingSets(sets) => {
                    let sets: Vec<String> = sets
                        .iter()
                        .map(|set| {
                            if set.is_empty() {
                                say!("all rows together")
                            } else {
                                let sets = std::slice::from_ref(set);
                                let keys = self.sets(scope, sets, &select.projection).join(", ");
                                say!("by {keys}")
                            }
                        })
                        .collect();
                    totals.push(say!(
                        "group several times and put the results together: {sets}",
                        sets = sets.join("; ")
                    ));
                }
                plain => keys.push(self.group_words(scope, plain, &select.projection)),
            }
        }
        for modifier in modifiers {
            totals.push(match modifier {
                GroupByWithModifier::Rollup | GroupByWithModifier::Cube => unexplained(modifier),
                other => unexplained(other),
            });
        }
        let keys = match keys.len() {
            0 => String::new(),
            1 => say!(
                "make one group for each different value of {join_phrases}",
                join_phrases = join_phrases(&keys, "and")
            ),
            _ => say!(
                "make one group for each combination of {join_phrases}",
                join_phrases = join_phrases(&keys, "and")
            ),
        };
        let sentences: Vec<String> = std::iter::once(keys)
            .chain(totals)
            .filter(|words| !words.is_empty())
            .collect();
        let words = sentences.join(&format!("{} ", say!("; within that,")));
        self.push("GROUP BY", format!("{}.", capitalise(&words)));
        true
    }

    fn sets(
        &mut self,
        scope: &Scope<'_>,
        sets: &[Vec<Expr>],
        projection: &[SelectItem],
    ) -> Vec<String> {
        sets.iter()
            .map(|set| {
                let words: Vec<String> = set
                    .iter()
                    .map(|value| self.group_words(scope, value, projection))
                    .collect();
                join_phrases(&words, "and")
            })
            .collect()
    }

    /// Explains the window functions of the outputs, once each.
    fn describe_windows(&mut self, scope: &Scope<'_>, select: &Select) {
        let mut windows: Vec<String> = Vec::new();
        for item in &select.projection {
            let (expression, alias) = match item {
                SelectItem::UnnamedExpr(expression) => (expression, None),
                SelectItem::ExprWithAlias { expr, alias } => (expr, Some(alias)),
                _ => continue,
            };
            let name = match expression {
                Expr::Function(_) => alias.map(|alias| quote_identifier(&fold(alias))),
                _ => None,
            };
            for function in window_functions(expression) {
                let words = self.function(scope, function);
                windows.push(match &name {
                    Some(name) => say!("{name}, which is {words}"),
                    None => words,
                });
            }
        }
        windows.dedup();
        if !windows.is_empty() {
            let words = windows.join("; ");
            self.push(
                "WINDOW",
                say!("For each row, without merging rows, work out {words}."),
            );
        }
    }

    fn describe_outputs(&mut self, scope: &Scope<'_>, select: &Select, is_grouped: bool) {
        let words: Vec<String> = select
            .projection
            .iter()
            .map(|item| self.output_words(scope, item))
            .collect();
        let is_summary = select.having.is_some()
            || select.projection.iter().any(|item| match item {
                SelectItem::UnnamedExpr(expression)
                | SelectItem::ExprWithAlias {
                    expr: expression, ..
                } => has_aggregate(expression),
                _ => false,
            });
        let list = join_phrases(&words, "and");
        let sentence = if list.is_empty() {
            say!("Show rows without columns.")
        } else if is_grouped {
            say!("For each group, show {list}.")
        } else if is_summary && !select.from.is_empty() {
            say!("Take all these rows together and show, as one row: {list}.")
        } else {
            say!("Show {list}.")
        };
        self.push("SELECT", sentence);
    }
}

/// The words for a set operation with `queries` queries on its right side.
fn set_operation(
    operator: SetOperator,
    quantifier: SetQuantifier,
    queries: usize,
    is_recursive: bool,
) -> (&'static str, String) {
    let next = if queries == 1 {
        say!("the following query")
    } else {
        say!("the following {queries} queries, combined first,")
    };
    let gives = if queries == 1 {
        say!("gives")
    } else {
        say!("give")
    };
    let keeps_all = matches!(quantifier, SetQuantifier::All | SetQuantifier::AllByName);
    match (operator, keeps_all) {
        (SetOperator::Union, _) if is_recursive => {
            let rest = if keeps_all {
                say!("until it finds no more")
            } else {
                say!("until it finds nothing new")
            };
            let clause = if keeps_all { "UNION ALL" } else { "UNION" };
            let words = say!(
                "Then run the following query again and again, each time on the rows found last, \
                 and add what it finds, {rest}."
            );
            (clause, words)
        }
        (SetOperator::Union, true) => (
            "UNION ALL",
            say!("Add the rows that {next} {gives}, duplicates included."),
        ),
        (SetOperator::Union, false) => (
            "UNION",
            say!("Add the rows that {next} {gives}, and remove duplicates."),
        ),
        (SetOperator::Intersect, _) => (
            "INTERSECT",
            say!("Keep only the rows that {next} {gives} as well."),
        ),
        (SetOperator::Except | SetOperator::Minus, _) => {
            ("EXCEPT", say!("Take away the rows that {next} {gives}."))
        }
    }
}

/// Number of plain queries in a set operation. Iterative, because chains can be long.
fn count(body: &SetExpr) -> usize {
    let mut count = 0;
    let mut waiting = vec![body];
    while let Some(next) = waiting.pop() {
        match next {
            SetExpr::SetOperation { left, right, .. } => waiting.extend([&**left, &**right]),
            SetExpr::Query(query) => waiting.push(&query.body),
            _ => count += 1,
        }
    }
    count
}

/// Whether a query names the table `name` in one of its FROM lists; a text search is sufficient.
fn reads(query: &Query, name: &str) -> bool {
    let text = query.body.to_string().to_lowercase();
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .any(|word| word == name.to_lowercase())
}

/// An output column of a CTE.
pub(super) fn output(name: Option<String>, scope: &Scope<'_>, expression: &Expr) -> OutputColumn {
    OutputColumn {
        name,
        category: super::category::category(scope, expression),
    }
}
