//! FROM and joins: the tables, the matching rows, and how many match.

use sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgumentList, FunctionArguments, Join, JoinConstraint,
    JoinOperator, ObjectName, TableFactor, TableWithJoins,
};
use text2sql_phrases::say;

use super::cardinality::{Pair, cardinality, join_pairs, shared_pairs};
use super::category::category;
use super::narrator::{Narrator, unexplained};
use super::scope::{Relation, Scope};
use text2sql_domain::schema::quote_identifier;
use text2sql_language::english::{capitalise, join_phrases};
use text2sql_sql::tree::syntax::fold_parts;

impl Narrator<'_> {
    /// One step for each item of the FROM list and for each join.
    ///
    /// Items separated by commas are joined by the conditions of WHERE.
    pub fn describe_from(
        &mut self,
        scope: &Scope<'_>,
        from: &[TableWithJoins],
        condition: Option<&Expr>,
    ) {
        let mut index = 0;
        for (position, item) in from.iter().enumerate() {
            let right = index;
            let words = self.factor(scope, &item.relation, &mut index, true);
            let step = if position == 0 {
                say!("Start with {words}.")
            } else {
                let pairs = match condition {
                    Some(condition) if index == right + 1 => join_pairs(scope, condition, right),
                    _ => Vec::new(),
                };
                if pairs.is_empty() {
                    say!("Combine each row so far with each row of {words}.")
                } else {
                    let how_many = self.how_many(scope, right, &pairs);
                    say!("Add the rows of {words} that match by the conditions of WHERE.{how_many}")
                }
            };
            self.push("FROM", step);
            for join in &item.joins {
                self.describe_join(scope, join, &mut index);
            }
        }
    }

    fn describe_join(&mut self, scope: &Scope<'_>, join: &Join, index: &mut usize) {
        let right = *index;
        let words = self.factor(scope, &join.relation, index, true);
        let label = match scope.relations.get(right) {
            Some(relation) if *index == right + 1 => relation.label.clone(),
            _ => say!("these tables"),
        };
        let Some((clause, constraint, kept)) = join_kind(&join.join_operator) else {
            self.push("JOIN", format!("{}.", capitalise(&unexplained(join))));
            return;
        };
        if is_crossed(constraint) {
            let empty = match clause {
                "LEFT JOIN" => say!(" (or with no values, where there is none)"),
                _ => String::new(),
            };
            self.push(
                if clause == "JOIN" {
                    "CROSS JOIN"
                } else {
                    clause
                },
                say!("Combine each row so far with each row of {words}{empty}."),
            );
            return;
        }
        let pairs = match constraint {
            JoinConstraint::On(condition) => join_pairs(scope, condition, right),
            JoinConstraint::Using(columns) => shared_pairs(scope, &column_names(columns), right),
            _ => Vec::new(),
        };
        let condition = self.join_condition(scope, constraint, &label, true);
        let clause = match constraint {
            JoinConstraint::Natural => format!("NATURAL {clause}"),
            _ => clause.to_owned(),
        };
        let how_many = if *index == right + 1 {
            self.how_many(scope, right, &pairs)
        } else {
            String::new()
        };
        if self.is_brief && matches!(kept, Kept::Matching) {
            self.push(&clause, say!("Add the matching rows of {words}."));
            return;
        }
        let kept = match kept {
            Kept::Matching => say!("Rows without a match are left out."),
            Kept::Left => {
                say!("Rows without a match stay, with no values (NULL) in the columns of {label}.")
            }
            Kept::Right => say!(
                "Every row of {label} stays; where nothing matches, the columns before it have no \
                 values (NULL)."
            ),
            Kept::Both => say!(
                "Rows of both sides without a match stay, with no values (NULL) for \
                           the other side."
            ),
        };
        self.push(
            &clause,
            say!("Add the matching rows of {words}: {condition}.{how_many} {kept}"),
        );
    }

    /// A sentence on how many rows match, or an empty text.
    fn how_many(&self, scope: &Scope<'_>, right: usize, pairs: &[Pair]) -> String {
        if self.is_brief {
            return String::new();
        }
        cardinality(scope, right, pairs).map_or_else(String::new, |sentence| {
            format!(" {}.", capitalise(&sentence))
        })
    }

    fn join_condition(
        &mut self,
        scope: &Scope<'_>,
        constraint: &JoinConstraint,
        label: &str,
        is_sentence: bool,
    ) -> String {
        match constraint {
            JoinConstraint::On(condition) => {
                let condition = self.condition(scope, condition);
                match is_sentence {
                    true => say!("those where {condition}"),
                    false => say!("where {condition}"),
                }
            }
            JoinConstraint::Using(columns) => {
                let names: Vec<String> = column_names(columns)
                    .iter()
                    .map(|name| quote_identifier(name))
                    .collect();
                let names = join_phrases(&names, "and");
                match is_sentence {
                    true => say!("those with the same {names}"),
                    false => say!("with the same {names}"),
                }
            }
            _ if is_sentence => say!(
                "those that agree in every column whose name both {label} and the tables before it have"
            ),
            _ => say!(
                "that agree in every column whose name both {label} and the tables before it have"
            ),
        }
    }

    /// One item of a FROM list in words; CTEs that it needs are explained first.
    pub fn factor(
        &mut self,
        scope: &Scope<'_>,
        factor: &TableFactor,
        index: &mut usize,
        shows_alias: bool,
    ) -> String {
        if let TableFactor::NestedJoin {
            table_with_joins,
            alias: None,
        } = factor
        {
            return format!("({})", self.joined_phrase(scope, table_with_joins, index));
        }
        let relation = scope.relations.get(*index).cloned();
        *index += 1;
        let Some(relation) = relation else {
            return unexplained(factor);
        };
        match factor {
            TableFactor::Table {
                name,
                args: Some(args),
                ..
            } => {
                let call = self.call_rows(scope, name, &args.args);
                format!("{call}{}", called(&relation))
            }
            TableFactor::Function { name, args, .. } => {
                let call = self.call_rows(scope, name, args);
                format!("{call}{}", called(&relation))
            }
            TableFactor::UNNEST { array_exprs, .. } => {
                let values = self.values(scope, array_exprs);
                say!(
                    "one row for each element of {values}{called}",
                    called = called(&relation)
                )
            }
            TableFactor::Table { sample, .. } => {
                let words = self.introduce(&relation, shows_alias);
                if sample.is_some() {
                    say!("a random sample of {words}")
                } else {
                    words
                }
            }
            TableFactor::Derived {
                lateral, subquery, ..
            } => {
                let empty = Scope::default();
                let around = if *lateral {
                    scope
                } else {
                    scope.parent.unwrap_or(&empty)
                };
                let name = if relation.qualifier.is_empty() {
                    say!("sub-query")
                } else {
                    relation.label.clone()
                };
                let clause = if relation.qualifier.is_empty() {
                    name.clone()
                } else {
                    say!("sub-query {name}")
                };
                let header = |steps: &str| {
                    if *lateral {
                        say!("For each row so far, work out {name}, in {steps}.")
                    } else {
                        say!("First work out {name}, in {steps}.")
                    }
                };
                self.push_nested(&clause, &name, header, |narrator| {
                    narrator.query(around, subquery);
                });
                say!("{name}, as worked out above")
            }
            _ => unexplained(factor),
        }
    }

    /// Rows returned by a function.
    fn call_rows(&mut self, scope: &Scope<'_>, name: &ObjectName, args: &[FunctionArg]) -> String {
        let function = Function {
            name: name.clone(),
            uses_odbc_syntax: false,
            parameters: FunctionArguments::None,
            args: FunctionArguments::List(FunctionArgumentList {
                duplicate_treatment: None,
                args: args.to_vec(),
                clauses: Vec::new(),
            }),
            within_group: Vec::new(),
            filter: None,
            null_treatment: None,
            over: None,
        };
        let call = text2sql_sql::tree::syntax::read_call(&function);
        let of = call
            .arguments
            .first()
            .and_then(|first| category(scope, first));
        let words: Vec<String> = call
            .arguments
            .iter()
            .map(|argument| self.value_beside(scope, argument, of))
            .collect();
        match (call.name.as_str(), words.as_slice()) {
            ("generate_series", [from, to]) => {
                say!("one row for each number from {from} to {to}")
            }
            ("generate_series", [from, to, step, ..]) => {
                say!("one row for each value from {from} to {to} in steps of {step}")
            }
            ("unnest", [array]) => say!("one row for each element of {array}"),
            _ => {
                let call = self.value(scope, &Expr::Function(function.clone()));
                say!("the rows that {call} gives")
            }
        }
    }

    /// A joined item as one phrase, for sub-queries within a sentence.
    pub fn joined_phrase(
        &mut self,
        scope: &Scope<'_>,
        item: &TableWithJoins,
        index: &mut usize,
    ) -> String {
        let mut words = self.factor(scope, &item.relation, index, false);
        for join in &item.joins {
            let right = *index;
            let next = self.factor(scope, &join.relation, index, false);
            let label = scope
                .relations
                .get(right)
                .map_or_else(String::new, |relation| relation.label.clone());
            let Some((_, constraint, kept)) = join_kind(&join.join_operator) else {
                words = say!("{words} and {unexplained}", unexplained = unexplained(join));
                continue;
            };
            if is_crossed(constraint) {
                words = say!("{words} combined with each row of {next}");
                continue;
            }
            let condition = self.join_condition(scope, constraint, &label, false);
            let rest = match kept {
                Kept::Matching => String::new(),
                Kept::Left => say!(", keeping rows without a match"),
                Kept::Right => say!(", keeping every row of the latter"),
                Kept::Both => say!(", keeping rows of both sides without a match"),
            };
            words = say!("{words} joined with {next} ({condition}{rest})");
        }
        words
    }
}

/// Which rows a join keeps without a match.
#[derive(Clone, Copy)]
enum Kept {
    Matching,
    Left,
    Right,
    Both,
}

fn join_kind(operator: &JoinOperator) -> Option<(&'static str, &JoinConstraint, Kept)> {
    Some(match operator {
        JoinOperator::Join(constraint) | JoinOperator::Inner(constraint) => {
            ("JOIN", constraint, Kept::Matching)
        }
        JoinOperator::Left(constraint) | JoinOperator::LeftOuter(constraint) => {
            ("LEFT JOIN", constraint, Kept::Left)
        }
        JoinOperator::Right(constraint) | JoinOperator::RightOuter(constraint) => {
            ("RIGHT JOIN", constraint, Kept::Right)
        }
        JoinOperator::FullOuter(constraint) => ("FULL JOIN", constraint, Kept::Both),
        JoinOperator::CrossJoin(constraint) => ("CROSS JOIN", constraint, Kept::Matching),
        _ => return None,
    })
}

/// Whether it is a cross join: no condition, or `ON true`.
fn is_crossed(constraint: &JoinConstraint) -> bool {
    match constraint {
        JoinConstraint::None => true,
        JoinConstraint::On(Expr::Value(value)) => {
            matches!(value.value, sqlparser::ast::Value::Boolean(true))
        }
        _ => false,
    }
}

fn column_names(columns: &[ObjectName]) -> Vec<String> {
    columns
        .iter()
        .filter_map(|column| fold_parts(column).pop())
        .collect()
}

fn called(relation: &Relation) -> String {
    if relation.qualifier.is_empty() {
        String::new()
    } else {
        say!(
            ", called {name}",
            name = quote_identifier(&relation.qualifier)
        )
    }
}
