//! Statements that change data or definitions, in words. They are explained, never run.

use sqlparser::ast::{
    AssignmentTarget, Delete, Expr, FromTable, Insert, MergeAction, MergeClauseKind,
    MergeUpdateKind, OnConflict, OnConflictAction, OnInsert, SelectItem, Statement, TableObject,
    TableWithJoins, Update, UpdateTableFromKind,
};
use text2sql_phrases::{say, template};

use super::narrator::{Narrator, snippet};
use super::scope::{Relation, Scope};
use text2sql_domain::schema::quote_identifier;
use text2sql_language::english::join_phrases;
use text2sql_sql::tree::syntax::{fold, fold_parts};

impl Narrator<'_> {
    /// Describes a statement that is not a query.
    pub fn change(&mut self, outer: &Scope<'_>, statement: &Statement) {
        match statement {
            Statement::Query(query) => self.query(outer, query),
            Statement::Insert(insert) => self.insert(outer, insert),
            Statement::Update(update) => self.update(outer, update),
            Statement::Delete(delete) => self.delete(outer, delete),
            Statement::Merge(merge) => {
                let item = TableWithJoins {
                    relation: merge.table.clone(),
                    joins: Vec::new(),
                };
                let source = TableWithJoins {
                    relation: merge.source.clone(),
                    joins: Vec::new(),
                };
                let from = [item, source];
                let scope = self.scope_of(outer, &from);
                let mut index = 0;
                let target = self.factor(&scope, &merge.table, &mut index, true);
                let source = self.factor(&scope, &merge.source, &mut index, true);
                let condition = self.condition(&scope, &merge.on);
                self.push(
                    "MERGE",
                    say!(
                        "Would go through {source} and look for rows of {target} where {condition}."
                    ),
                );
                for clause in &merge.clauses {
                    let when = match clause.clause_kind {
                        MergeClauseKind::Matched => say!("For a row with a match"),
                        _ => say!("For a row without a match"),
                    };
                    let also = clause
                        .predicate
                        .as_ref()
                        .map_or_else(String::new, |condition| {
                            say!(
                                "merge^ where {condition}",
                                condition = self.condition(&scope, condition)
                            )
                        });
                    let action = match &clause.action {
                        MergeAction::Insert(_) => say!("it would add a row"),
                        MergeAction::Update(update) => match &update.kind {
                            MergeUpdateKind::Set(assignments) => {
                                let changes = self.assignments(&scope, assignments);
                                say!("it would change the row: {changes}")
                            }
                            _ => say!("it would change the row"),
                        },
                        MergeAction::Delete { .. } => say!("it would delete the row"),
                        MergeAction::DoNothing { .. } => say!("nothing would happen"),
                    };
                    self.push("WHEN", say!("{when}{also}, {action}."));
                }
            }
            other => {
                let (clause, words) = definition(other);
                self.push(&clause, words);
                match other {
                    Statement::CreateView(view) => self.query(outer, &view.query),
                    Statement::CreateTable(table) => {
                        if let Some(query) = &table.query {
                            self.query(outer, query);
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    fn scope_of<'s>(&self, outer: &'s Scope<'s>, from: &[TableWithJoins]) -> Scope<'s> {
        let mut scope = Scope::inside(outer);
        let relations: Vec<Relation> = self.relations(outer, from);
        scope.set_relations(relations);
        scope
    }

    fn insert(&mut self, outer: &Scope<'_>, insert: &Insert) {
        let TableObject::TableName(name) = &insert.table else {
            self.push(
                "INSERT",
                say!("Would add rows: {sql}.", sql = snippet(insert)),
            );
            return;
        };
        let table = text2sql_sql::tree::syntax::find_table(self.tables, &fold_parts(name)).cloned();
        let label = table
            .as_ref()
            .map_or_else(|| name.to_string(), |table| table.sql_name());
        let comment = table
            .as_ref()
            .and_then(|table| table.comment.clone())
            .map_or_else(String::new, |comment| {
                format!(" ({})", comment.trim().trim_end_matches('.'))
            });
        let columns: Vec<String> = insert
            .columns
            .iter()
            .filter_map(|column| fold_parts(column).pop())
            .collect();
        let filled = if columns.is_empty() {
            say!("all columns in their order")
        } else {
            let quoted: Vec<String> = columns
                .iter()
                .map(|column| quote_identifier(column))
                .collect();
            join_phrases(&quoted, "and")
        };
        let left_out: Vec<String> = table
            .iter()
            .flat_map(|table| &table.columns)
            .filter(|column| !columns.is_empty() && !columns.contains(&column.name))
            .map(|column| quote_identifier(&column.name))
            .collect();
        let left_out = if left_out.is_empty() {
            String::new()
        } else {
            let columns = join_phrases(&left_out, "and");
            match left_out.len() {
                1 => say!(" The column {columns} gets its default, or NULL."),
                _ => say!(" The columns {columns} get their default, or NULL."),
            }
        };
        self.push(
            "INSERT",
            say!("Would add rows to {label}{comment}, filling {filled}.{left_out}"),
        );
        match &insert.source {
            Some(source) => self.query(outer, source),
            None => self.push("VALUES", say!("One row of default values.")),
        }
        if let Some(OnInsert::OnConflict(conflict)) = &insert.on {
            self.conflict(outer, conflict);
        }
        self.returning(outer, insert.returning.as_deref());
    }

    fn conflict(&mut self, outer: &Scope<'_>, conflict: &OnConflict) {
        let words = match &conflict.action {
            OnConflictAction::DoNothing => say!("is left out"),
            OnConflictAction::DoUpdate(update) => {
                say!(
                    "would change the row that is there instead: {assignments}",
                    assignments = self.assignments(outer, &update.assignments)
                )
            }
        };
        let key = conflict
            .conflict_target
            .as_ref()
            .map_or_else(|| say!("a unique key"), ToString::to_string);
        self.push(
            "ON CONFLICT",
            say!(
                "A row that repeats {key} {words}.",
                key = key.trim().trim_matches(['(', ')'])
            ),
        );
    }

    fn update(&mut self, outer: &Scope<'_>, update: &Update) {
        let mut from = vec![update.table.clone()];
        if let Some(UpdateTableFromKind::AfterSet(more) | UpdateTableFromKind::BeforeSet(more)) =
            &update.from
        {
            from.extend(more.iter().cloned());
        }
        let scope = self.scope_of(outer, &from);
        let mut index = 0;
        let target = self.factor(&scope, &update.table.relation, &mut index, true);
        let changes = self.assignments(&scope, &update.assignments);
        self.push("UPDATE", say!("Would change rows of {target}."));
        self.push("SET", say!("In each of them, {changes}."));
        if from.len() > 1 {
            self.describe_from(&scope, &from, update.selection.as_ref());
        }
        self.which(&scope, update.selection.as_ref(), template!("changed"));
        self.returning(&scope, update.returning.as_deref());
    }

    fn delete(&mut self, outer: &Scope<'_>, delete: &Delete) {
        let (FromTable::WithFromKeyword(tables) | FromTable::WithoutKeyword(tables)) = &delete.from;
        let mut from = tables.clone();
        from.extend(delete.using.iter().flatten().cloned());
        let scope = self.scope_of(outer, &from);
        let mut index = 0;
        let target = match from.first() {
            Some(item) => self.factor(&scope, &item.relation, &mut index, true),
            None => say!("a table"),
        };
        self.push("DELETE", say!("Would delete rows of {target}."));
        if from.len() > 1 {
            self.describe_from(&scope, &from, delete.selection.as_ref());
        }
        self.which(&scope, delete.selection.as_ref(), template!("deleted"));
        self.returning(&scope, delete.returning.as_deref());
    }

    /// Which rows a change affects.
    fn which(&mut self, scope: &Scope<'_>, condition: Option<&Expr>, verb: &str) {
        let verb = say(verb, &[]);
        let words = match condition {
            Some(condition) => {
                let words = self.condition(scope, condition);
                say!("Only rows where {words} would be {verb}.")
            }
            None => say!("There is no condition: every row would be {verb}."),
        };
        self.push("WHERE", words);
    }

    fn assignments(
        &mut self,
        scope: &Scope<'_>,
        assignments: &[sqlparser::ast::Assignment],
    ) -> String {
        let words: Vec<String> = assignments
            .iter()
            .map(|assignment| {
                let target = match &assignment.target {
                    AssignmentTarget::ColumnName(name) => fold_parts(name)
                        .pop()
                        .map_or_else(String::new, |name| quote_identifier(&name)),
                    AssignmentTarget::Tuple(names) => {
                        let names: Vec<String> = names
                            .iter()
                            .filter_map(|name| fold_parts(name).pop())
                            .collect();
                        names.join(", ")
                    }
                };
                say!(
                    "{target} becomes {value}",
                    value = self.value(scope, &assignment.value)
                )
            })
            .collect();
        join_phrases(&words, "and")
    }

    fn returning(&mut self, scope: &Scope<'_>, items: Option<&[SelectItem]>) {
        let words: Vec<String> = items
            .into_iter()
            .flatten()
            .map(|item| self.output_words(scope, item))
            .collect();
        if !words.is_empty() {
            self.push(
                "RETURNING",
                say!(
                    "Of each such row it would show {names}.",
                    names = join_phrases(&words, "and")
                ),
            );
        }
    }
}

/// A DDL command in words.
fn definition(statement: &Statement) -> (String, String) {
    let (clause, words) = match statement {
        Statement::CreateTable(table) => {
            let columns: Vec<String> = table
                .columns
                .iter()
                .map(|column| quote_identifier(&fold(&column.name)))
                .collect();
            let kind = if table.temporary {
                say!("kind^temporary table")
            } else {
                say!("kind^table")
            };
            let words = match (&table.query, columns.is_empty()) {
                (Some(_), _) => say!(
                    "Would create the {kind} {name} and fill it with the rows of a query",
                    name = table.name
                ),
                (None, true) => say!("Would create the {kind} {name}", name = table.name),
                (None, false) => say!(
                    "Would create the {kind} {name} with the columns {columns}",
                    name = table.name,
                    columns = join_phrases(&columns, "and")
                ),
            };
            ("CREATE TABLE", words)
        }
        Statement::CreateView(view) => {
            let (clause, kind) = if view.materialized {
                ("CREATE MATERIALIZED VIEW", say!("kind^materialised view"))
            } else {
                ("CREATE VIEW", say!("kind^view"))
            };
            (
                clause,
                say!(
                    "Would create the {kind} {name} of this query",
                    name = view.name
                ),
            )
        }
        Statement::CreateIndex(index) => {
            let columns: Vec<String> = index.columns.iter().map(ToString::to_string).collect();
            let template = if index.unique {
                template!("Would create a unique index on {table} ({columns}){lock}")
            } else {
                template!("Would create an index on {table} ({columns}){lock}")
            };
            let lock = if index.concurrently {
                say!(", without blocking writes")
            } else {
                say!("; meanwhile nobody can write to that table")
            };
            (
                "CREATE INDEX",
                say!(
                    template,
                    table = index.table_name,
                    columns = columns.join(", "),
                    lock
                ),
            )
        }
        Statement::AlterTable(alter) => {
            let operations: Vec<String> =
                alter.operations.iter().map(ToString::to_string).collect();
            (
                "ALTER TABLE",
                say!(
                    "Would change the table {name}: {operations}",
                    name = alter.name,
                    operations = operations.join("; ")
                ),
            )
        }
        Statement::Truncate(truncate) => {
            let names: Vec<String> = truncate
                .table_names
                .iter()
                .map(|target| target.name.to_string())
                .collect();
            let more = if truncate.cascade.is_some() {
                say!(", and of all tables that refer to it")
            } else {
                String::new()
            };
            (
                "TRUNCATE",
                say!(
                    "Would delete every row of {names}{more}",
                    names = join_phrases(&names, "and")
                ),
            )
        }
        Statement::Drop {
            object_type,
            names,
            cascade,
            ..
        } => {
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            let more = if *cascade {
                say!(", and everything that depends on it")
            } else {
                String::new()
            };
            let kind = object_type.to_string().to_lowercase();
            let kind = say(&format!("kind^{kind}"), &[]);
            return (
                format!("DROP {object_type}"),
                say!(
                    "Would remove the {kind} {names}{more}, for good.",
                    names = join_phrases(&names, "and")
                ),
            );
        }
        other => {
            let text = other.to_string();
            let word = text
                .split_whitespace()
                .next()
                .unwrap_or_default()
                .to_uppercase();
            return (
                word.clone(),
                say!("This is a {word} command, not a query; it is not run here."),
            );
        }
    };
    (clause.to_owned(), format!("{words}."))
}

/// A query that counts the rows affected by an UPDATE or DELETE of one table.
pub fn affected_rows(statement: &Statement) -> Option<String> {
    let (table, more, condition) = match statement {
        Statement::Update(update) => (&update.table, update.from.is_some(), &update.selection),
        Statement::Delete(delete) => {
            let (FromTable::WithFromKeyword(tables) | FromTable::WithoutKeyword(tables)) =
                &delete.from;
            let [table] = tables.as_slice() else {
                return None;
            };
            (table, delete.using.is_some(), &delete.selection)
        }
        _ => return None,
    };
    if more || !table.joins.is_empty() {
        return None;
    }
    let condition = condition
        .as_ref()
        .map_or_else(String::new, |condition| format!(" WHERE {condition}"));
    Some(format!(
        "SELECT count(*) FROM {}{condition}",
        table.relation
    ))
}
