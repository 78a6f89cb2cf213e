//! The path of tables that a definition is over: resolved, and refused where a join repeats the rows that the
//! definition is about.

use std::sync::Arc;

use text2sql_analysis::findings::{self, Check, Severity};
use text2sql_domain::error::{Error, ErrorKind, failure};
use text2sql_domain::object_name;
use text2sql_domain::ports::Catalog;
use text2sql_domain::schema::{DefinitionJoin, Table, TableName, quote_literal};
use text2sql_knowledge::join_path::{self, Asked, Refusal, Written};

use super::{visible_column, visible_table};
use crate::pg::access::catalog::read_as;
use crate::pg::access::objects::{Object, ObjectKind};
use crate::pg::stored::knowledge::stored_sql::SqlCheck;

/// The definition, for messages and for the call that a hint shows.
pub(super) struct Call<'a> {
    pub(super) term: &'a str,
    pub(super) meaning: &'a str,
    pub(super) expression: &'a str,
    pub(super) joins: &'a [String],
}

/// A path that was resolved.
pub(super) struct Joined {
    /// The table that the definition is about.
    pub(super) table: Object,
    pub(super) joins: Vec<DefinitionJoin>,
    /// The columns of the joins, in pairs.
    pub(super) columns: Vec<Object>,
    tables: Vec<Arc<Table>>,
}

impl Joined {
    pub(super) fn table_name(&self) -> TableName {
        TableName {
            oid: self.table.relation_oid.unwrap_or_default(),
            schema: self.table.schema.clone(),
            name: self.table.relation.clone().unwrap_or_default(),
            is_visible: false,
        }
    }
}

/// Resolves the joins of a definition. Without a table of its own it is about the rows of the first one named.
pub(super) fn resolve(
    call: &Call<'_>,
    named: Option<&Object>,
    judge: &SqlCheck,
) -> Result<Joined, Error> {
    let mut asked = Vec::new();
    let mut objects: Vec<Object> = named.into_iter().cloned().collect();
    for text in call.joins {
        let written = join_path::read(text).map_err(|why| {
            Error::new(ErrorKind::Setting, why).with_hint(
                "Write joins => '{orders -> customers -> countries}' or joins => '{orders.customer_id = customers.customer_id}'.",
            )
        })?;
        asked.push(names(written, &mut objects)?);
    }
    let Some(table) = objects.first().cloned() else {
        return Err(failure!(Missing, "joins must not be empty"));
    };
    let mut oids: Vec<u32> = objects
        .iter()
        .filter_map(|object| object.relation_oid)
        .collect();
    oids.sort_unstable();
    oids.dedup();
    let tables = read_as(judge.role(), |catalog| catalog.describe(&oids))?;
    let base = table.relation_oid.unwrap_or_default();
    let joins = join_path::steps(base, &tables, &asked.concat())
        .map_err(|refusal| refused(call, &table, refusal))?;
    let mut columns = Vec::new();
    for join in &joins {
        for (own, other) in &join.columns {
            columns.push(column(&join.from, own)?);
            columns.push(column(&join.to, other)?);
        }
    }
    Ok(Joined {
        table,
        joins,
        columns,
        tables,
    })
}

/// The tables and columns of one element of `joins`, which the caller can see.
fn names(written: Written, objects: &mut Vec<Object>) -> Result<Vec<Asked>, Error> {
    match written {
        Written::Path(names) => {
            let mut path = Vec::new();
            for name in &names {
                let table = visible_table(Some(&format!("table {name}")))?;
                path.push(table.relation_oid.unwrap_or_default());
                objects.push(table);
            }
            let steps = path.iter().zip(path.iter().skip(1));
            Ok(steps.map(|(from, to)| Asked::Between(*from, *to)).collect())
        }
        Written::Columns(pairs) => {
            let mut side = |name: &str| {
                let column = visible_column(Some(&format!("column {name}")))?;
                let named = (
                    column.relation_oid.unwrap_or_default(),
                    column.column.clone().unwrap_or_default(),
                );
                objects.push(Object {
                    kind: ObjectKind::Relation,
                    column: None,
                    column_number: None,
                    ..column
                });
                Ok::<_, Error>(named)
            };
            let mut columns = Vec::new();
            for (one, other) in &pairs {
                columns.push([side(one)?, side(other)?]);
            }
            Ok(vec![Asked::Columns(columns)])
        }
    }
}

fn column(table: &TableName, name: &str) -> Result<Object, Error> {
    let parts = [table.schema.as_str(), table.name.as_str(), name];
    visible_column(Some(&format!("column {}", object_name::join(&parts))))
}

/// The error of a path that cannot be used, with a call that can.
fn refused(call: &Call<'_>, table: &Object, refusal: Refusal) -> Error {
    let mut error = failure!(
        Setting,
        "\"{}\" cannot be defined over this path: {}",
        call.term,
        refusal.message
    );
    if let Some(detail) = refusal.detail {
        error = error.with_detail(detail);
    }
    match (refusal.advice, refusal.instead.as_slice()) {
        (Some(advice), _) => error.with_hint(advice),
        (None, []) => error.with_hint(format!(
            "Begin at {0}: joins => '{{{0} -> …}}'",
            table.sql_name()
        )),
        (None, joins) => {
            let joins: Vec<String> = joins.iter().map(|join| quote_literal(join)).collect();
            error.with_hint(format!(
                "Begin at the other end, so that each of its rows counts once: SELECT text2sql.define({}, {}, {}, joins => ARRAY[{}]);",
                quote_literal(call.term),
                quote_literal(call.meaning),
                quote_literal(call.expression),
                joins.join(", ")
            ))
        }
    }
}

/// Refuses an aggregate of values of a joined table alone: they would count once for each row of the first table.
pub(super) fn check_counted_once(call: &Call<'_>, path: &Joined, sql: &str) -> Result<(), Error> {
    let found = findings::find(sql, &path.tables)?.unwrap_or_default();
    let repeated = found.into_iter().find(|finding| {
        matches!(
            finding.check,
            Check::JoinFanOut | Check::DistinctHidesFanOut
        ) && finding.severity != Severity::Note
    });
    let Some(finding) = repeated else {
        return Ok(());
    };
    let error = failure!(
        Setting,
        "\"{}\" counts values of a joined table more than once",
        call.term
    )
    .with_detail(finding.evidence);
    Err(error.with_hint(format!(
        "Define it over the table of these values, with applies_to and without joins; or, if such a value belongs to each row of {0}, name a column of {0} in the same aggregate.",
        path.table.sql_name()
    )))
}
