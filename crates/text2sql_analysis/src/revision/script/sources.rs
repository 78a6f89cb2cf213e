//! What of a statement the server can judge without running it: a query in its place, and the objects that it writes.

use sqlparser::ast::{
    Assignment, AssignmentTarget, Delete, Expr, FromTable, MergeAction, MergeUpdateKind,
    ObjectName, ObjectType, Query, SetExpr, Statement, TableFactor, TableObject, TableWithJoins,
    UpdateTableFromKind,
};
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_sql::reader as sql_reader;
use text2sql_sql::tree::syntax::{fold, fold_parts};

use crate::explain::script::{Facts, Name, body_statements, is_same};

/// How a statement can be checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Checked {
    /// By this query, which names the same tables and columns.
    Query(String),
    /// By its syntax and by the tables that it names: it stands in the body of a function, whose variables no query knows.
    Body {
        /// The statement.
        sql: String,
        /// What it reads.
        reads: Vec<Vec<String>>,
    },
    /// By its syntax only.
    Syntax(String),
}

/// What a statement writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The name, in parts.
    pub name: Vec<String>,
    /// The privilege that it needs: that of a table, `CREATE` in its schema, or `OWNER`.
    pub right: &'static str,
    /// The columns that it names.
    pub columns: Vec<String>,
}

/// How the statement, and those of its body, can be checked.
///
/// # Errors
/// As for reading a statement, except that one which cannot be parsed is left to the server's parser.
pub fn checked(sql: &str) -> Result<Vec<Checked>, Error> {
    let mut found = Vec::new();
    if let Some(body) = body_statements(sql) {
        found.push(Checked::Syntax(sql.to_owned()));
        for sql in body {
            let reads =
                readable(Facts::of(&sql))?.map_or_else(Vec::new, |facts| facts.reads().to_vec());
            found.push(Checked::Body { sql, reads });
        }
        return Ok(found);
    }
    found.push(match parsed(sql)?.as_ref().and_then(query_of) {
        Some(query) => Checked::Query(query),
        None => Checked::Syntax(sql.to_owned()),
    });
    Ok(found)
}

/// What the statement, and those of its body, write.
///
/// # Errors
/// As for [`checked`].
pub fn written(sql: &str) -> Result<Vec<Written>, Error> {
    let mut found = Vec::new();
    for sql in body_statements(sql).unwrap_or_else(|| vec![sql.to_owned()]) {
        found.extend(parsed(&sql)?.iter().flat_map(of_statement));
    }
    Ok(found)
}

/// What the statements of a script create: the others may read it, though it is not there.
pub fn made(sql: &str) -> Vec<Vec<String>> {
    let statements = text2sql_sql::script::statements(sql);
    let facts = statements.into_iter().filter_map(|sql| Facts::of(sql).ok());
    facts
        .flat_map(|facts| facts.makes().cloned().collect::<Vec<Name>>())
        .collect()
}

/// Whether the two names may be those of the same relation.
pub fn is_same_relation(one: &[String], other: &[String]) -> bool {
    is_same(&one.to_vec(), &other.to_vec())
}

/// The relations that the statements read, those of bodies included.
pub fn read_by(sql: &str) -> Vec<Vec<String>> {
    let all = body_statements(sql).unwrap_or_else(|| vec![sql.to_owned()]);
    let facts = all.iter().filter_map(|sql| Facts::of(sql).ok());
    facts.flat_map(|facts| facts.reads().to_vec()).collect()
}

fn parsed(sql: &str) -> Result<Option<Statement>, Error> {
    let statements = readable(sql_reader::statements(sql))?.flatten();
    Ok(statements.and_then(|statements| statements.into_iter().next()))
}

fn readable<T>(read: Result<T, Error>) -> Result<Option<T>, Error> {
    match read {
        Err(error) if error.kind() == ErrorKind::Setting => Ok(None),
        read => read.map(Some),
    }
}

/// A query that names the same tables and columns, and that has a name or a privilege missing where the statement has.
fn query_of(statement: &Statement) -> Option<String> {
    match statement {
        Statement::Query(query) => of_query(query),
        Statement::Insert(insert) => insert.source.as_deref().and_then(of_query),
        Statement::CreateView(view) => of_query(&view.query),
        Statement::CreateTable(table) => table.query.as_deref().and_then(of_query),
        Statement::Update(update) => {
            let values: Vec<String> = update
                .assignments
                .iter()
                .filter(|assignment| !is_default(&assignment.value))
                .map(|assignment| assignment.value.to_string())
                .collect();
            let mut from = vec![update.table.to_string()];
            if let Some(
                UpdateTableFromKind::BeforeSet(tables) | UpdateTableFromKind::AfterSet(tables),
            ) = &update.from
            {
                from.extend(tables.iter().map(ToString::to_string));
            }
            Some(selecting(&values, &from, update.selection.as_ref()))
        }
        Statement::Delete(delete) => {
            let mut from: Vec<String> = targets(delete).iter().map(ToString::to_string).collect();
            from.extend(delete.using.iter().flatten().map(ToString::to_string));
            Some(selecting(&[], &from, delete.selection.as_ref()))
        }
        Statement::Merge(merge) => Some(format!(
            "SELECT 1 FROM {} JOIN {} ON {}",
            merge.table, merge.source, merge.on
        )),
        _ => None,
    }
}

/// A plain query as it is: VALUES may contain DEFAULT, and what writes inside WITH is no query.
fn of_query(query: &Query) -> Option<String> {
    let is_plain = |body: &SetExpr| {
        !matches!(
            body,
            SetExpr::Values(_)
                | SetExpr::Insert(_)
                | SetExpr::Update(_)
                | SetExpr::Delete(_)
                | SetExpr::Merge(_)
        )
    };
    let helpers = query.with.iter().flat_map(|with| &with.cte_tables);
    let is_read_only = helpers
        .into_iter()
        .all(|helper| is_plain(&helper.query.body));
    (is_plain(&query.body) && is_read_only).then(|| query.to_string())
}

fn selecting(values: &[String], from: &[String], condition: Option<&Expr>) -> String {
    let values = match values {
        [] => "1".to_owned(),
        values => values.join(", "),
    };
    let condition = condition.map_or_else(String::new, |condition| format!(" WHERE {condition}"));
    format!("SELECT {values} FROM {}{condition}", from.join(", "))
}

fn is_default(value: &Expr) -> bool {
    matches!(value, Expr::Identifier(name) if fold(name) == "default")
}

fn targets(delete: &Delete) -> &[TableWithJoins] {
    let (FromTable::WithFromKeyword(tables) | FromTable::WithoutKeyword(tables)) = &delete.from;
    tables
}

fn of_statement(statement: &Statement) -> Vec<Written> {
    let needs = |name: &ObjectName, right, columns: Vec<String>| Written {
        name: fold_parts(name),
        right,
        columns,
    };
    let of_factor = |factor: &TableFactor, right, columns: Vec<String>| match factor {
        TableFactor::Table { name, .. } => vec![needs(name, right, columns)],
        _ => Vec::new(),
    };
    match statement {
        Statement::Insert(insert) => match &insert.table {
            TableObject::TableName(name) => {
                vec![needs(
                    name,
                    "INSERT",
                    insert.columns.iter().filter_map(last).collect(),
                )]
            }
            _ => Vec::new(),
        },
        Statement::Update(update) => of_factor(
            &update.table.relation,
            "UPDATE",
            assigned(&update.assignments),
        ),
        Statement::Delete(delete) => targets(delete)
            .iter()
            .flat_map(|table| of_factor(&table.relation, "DELETE", Vec::new()))
            .collect(),
        Statement::Merge(merge) => merge
            .clauses
            .iter()
            .flat_map(|clause| match &clause.action {
                MergeAction::Insert(insert) => of_factor(
                    &merge.table,
                    "INSERT",
                    insert.columns.iter().filter_map(last).collect(),
                ),
                MergeAction::Update(update) => match &update.kind {
                    MergeUpdateKind::Set(assignments) => {
                        of_factor(&merge.table, "UPDATE", assigned(assignments))
                    }
                    _ => of_factor(&merge.table, "UPDATE", Vec::new()),
                },
                MergeAction::Delete { .. } => of_factor(&merge.table, "DELETE", Vec::new()),
                MergeAction::DoNothing { .. } => Vec::new(),
            })
            .collect(),
        Statement::Truncate(truncate) => truncate
            .table_names
            .iter()
            .map(|target| needs(&target.name, "TRUNCATE", Vec::new()))
            .collect(),
        Statement::CreateTable(table) if !table.temporary => {
            vec![needs(&table.name, "CREATE", Vec::new())]
        }
        Statement::CreateView(view) if !view.temporary => {
            vec![needs(&view.name, "CREATE", Vec::new())]
        }
        Statement::AlterTable(alter) => vec![needs(&alter.name, "OWNER", Vec::new())],
        Statement::Drop {
            object_type: ObjectType::Table | ObjectType::View | ObjectType::MaterializedView,
            if_exists: false,
            names,
            ..
        } => names
            .iter()
            .map(|name| needs(name, "OWNER", Vec::new()))
            .collect(),
        _ => Vec::new(),
    }
}

fn assigned(assignments: &[Assignment]) -> Vec<String> {
    let names = assignments
        .iter()
        .flat_map(|assignment| match &assignment.target {
            AssignmentTarget::ColumnName(name) => vec![name],
            AssignmentTarget::Tuple(names) => names.iter().collect(),
        });
    names.filter_map(last).collect()
}

fn last(name: &ObjectName) -> Option<String> {
    let parts: Name = fold_parts(name);
    parts.into_iter().next_back()
}
