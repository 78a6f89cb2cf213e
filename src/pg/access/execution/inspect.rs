//! What is known about a statement without running it: the guard's verdict, what it reads and calls, and its
//! estimated cost.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use text2sql_domain::config::Limits;
use text2sql_domain::error::Error;
use text2sql_domain::ports::Outcome;

use crate::pg::access::execution::plan_text;
use crate::pg::access::guard::{self, Refusal, ValidSql, Verdict, run_guarded};
use crate::pg::access::protection;
use crate::pg::access::query_tree::reads::{Read, quoted};
use crate::pg::server::settings::GuardPolicy;
use crate::pg::server::spi::role::EffectiveRole;

/// What is known about a statement. A refused statement is described up to the check that refused it.
#[derive(Debug)]
pub(crate) struct Inspection {
    /// Whether it may run.
    pub(crate) outcome: Outcome<()>,
    /// Its command tag, or those of several statements; `None` when it does not parse.
    pub(crate) statement: Option<String>,
    /// The result of the tree walk, if the tree passed.
    pub(crate) contents: Option<Contents>,
    /// The planner's estimates.
    pub(crate) estimate: Option<Estimate>,
}

/// What a statement reads and calls; each list is sorted, its names quoted where SQL needs it.
#[derive(Debug)]
pub(crate) struct Contents {
    /// Relations, as `schema.name`.
    pub(crate) relations: Vec<String>,
    /// The same relations, by OID.
    pub(crate) relation_oids: Vec<u32>,
    /// These and the relations behind views, by OID: a view can be replaced.
    pub(crate) all_relation_oids: Vec<u32>,
    /// Columns, as `schema.name.column`.
    pub(crate) columns: Vec<String>,
    /// Columns with views replaced by what they read. This reveals nothing about a view that the caller can read: its
    /// definition, which names the same tables and columns, is in `pg_views` for everybody.
    pub(crate) lineage: Vec<Source>,
    /// Functions, by signature and volatility.
    pub(crate) functions: Vec<String>,
}

/// The planner's estimates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Estimate {
    /// Cost.
    pub(crate) cost: f64,
    /// Rows.
    pub(crate) rows: f64,
}

/// A column that a statement reads; the names of the fields are those in SQL.
#[derive(Debug, Serialize)]
pub(crate) struct Source {
    /// The relation as `schema.name`, quoted where SQL needs it.
    pub(crate) relation_name: String,
    /// The column's unqualified name; `None` when rows are read but none of their columns.
    pub(crate) column_name: Option<String>,
    /// The views through which it is read.
    pub(crate) via: Option<String>,
}

/// Judges and plans `sql` and returns the results.
pub(crate) fn inspect(
    sql: &str,
    limits: &Limits,
    policy: &GuardPolicy,
    role: &EffectiveRole,
) -> Result<Inspection, Error> {
    let (mut statement, mut contents, mut estimate) = (None, None, None);
    let verdict = run_guarded(limits, policy, role, |envelope| {
        statement = guard::statement_kind(sql);
        let valid = guard::judge(sql, policy, role, envelope)?;
        // Before planning, which modifies the tree.
        contents = Some(contents_of(&valid));
        let plan = guard::price(&valid, policy)?;
        estimate = (!plan.is_distributed()).then(|| Estimate {
            cost: plan.cost(),
            rows: plan.rows(),
        });
        plan.within(limits)?;
        Ok::<_, Refusal>(())
    })?;
    Ok(Inspection {
        outcome: verdict.into_outcome(|()| ()),
        statement,
        contents,
        estimate,
    })
}

fn contents_of(valid: &ValidSql<'_>) -> Contents {
    let mut relations = BTreeSet::new();
    let mut relation_oids = BTreeSet::new();
    let mut columns = BTreeSet::new();
    for read in valid.reads() {
        let relation = read.relation();
        for column in read.columns() {
            columns.insert(format!("{relation}.{}", quoted(&column)));
        }
        relations.insert(relation);
        relation_oids.insert(read.oid().to_u32());
    }
    let behind_views = valid.reads_behind_views();
    let mut all_relation_oids = relation_oids.clone();
    all_relation_oids.extend(behind_views.iter().map(|read| read.oid().to_u32()));
    Contents {
        relations: relations.into_iter().collect(),
        relation_oids: relation_oids.into_iter().collect(),
        all_relation_oids: all_relation_oids.into_iter().collect(),
        columns: columns.into_iter().collect(),
        lineage: sources(&behind_views),
        functions: valid.functions(),
    }
}

/// The types of the parameters of `sql`, which is analysed only.
pub(crate) fn parameter_types(
    sql: &str,
    limits: &Limits,
    policy: &GuardPolicy,
    role: &EffectiveRole,
) -> Result<Verdict<Vec<String>>, Error> {
    run_guarded(limits, policy, role, |envelope| {
        guard::parameter_types(sql, policy, envelope)
    })
}

/// Judges `sql` and returns its plan as JSON text. With `is_run` it is executed within the limits; otherwise
/// its cost is not limited.
pub(crate) fn plan_text(
    sql: &str,
    is_run: bool,
    limits: &Limits,
    policy: &GuardPolicy,
    role: &EffectiveRole,
) -> Result<Verdict<String>, Error> {
    run_guarded(limits, policy, role, |envelope| {
        let valid = guard::judge(sql, policy, role, envelope)?;
        let price = guard::price(&valid, policy)?;
        if is_run {
            price.within(limits)?;
        }
        Ok::<_, Refusal>(plan_text::plan_text(&valid, envelope, limits, is_run).unwrap_or_default())
    })
}

fn sources(reads: &[Read]) -> Vec<Source> {
    let mut columns_of = BTreeMap::<_, BTreeSet<String>>::new();
    for read in reads {
        // A published view may read objects that are not visible to questions.
        let hidden = protection::hidden_names(read.oid());
        let is_gone = protection::of_relation(read.oid()).is_ok_and(|levels| levels.is_hidden());
        if is_gone {
            continue;
        }
        let columns = read.columns().into_iter();
        columns_of
            .entry((read.relation(), read.via()))
            .or_default()
            .extend(columns.filter(|column| !hidden.contains(column)));
    }
    let mut sources = Vec::new();
    for ((relation, via), columns) in columns_of {
        let source = |column| Source {
            relation_name: relation.clone(),
            column_name: column,
            via: via.clone(),
        };
        if columns.is_empty() {
            sources.push(source(None));
        }
        sources.extend(columns.into_iter().map(|column| source(Some(column))));
    }
    sources
}
