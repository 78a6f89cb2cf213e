//! Checks query rewrites proposed by a model.
//!
//! A candidate must pass the guard, have the same columns and row order, cost less, and return the same
//! rows (compared by EXCEPT ALL in both directions, if there are rows). A candidate that could not be
//! compared is not presented as a rewrite; one with different rows is dropped.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use sqlparser::ast::{Distinct, Query, SetExpr};

use text2sql_analysis::optimize::compare::{difference_query, saves};
use text2sql_analysis::optimize::{Planner, Proposal, ProposalKind, Storage, rewrites};
use text2sql_domain::config::{Egress, Limits};
use text2sql_domain::error::Error;
use text2sql_domain::ports::{Database, Outcome};
use text2sql_domain::schema::{Table, quote_identifier};
use text2sql_language::sentences;
use text2sql_models::prompt::{Prompt, render_faster};
use text2sql_sql::masking::Masking;
use text2sql_sql::tree as sql_tree;

/// Maximum number of candidates read from a reply.
const MAX_CANDIDATES: usize = 3;

/// Maximum length of a candidate, in bytes.
const MAX_BYTES: usize = 50_000;

/// The prompt, with the data to read the reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The prompt.
    pub prompt: Prompt,
    masking: Masking,
}

/// The prompt for faster forms of `sql`; `None` if its constants cannot be masked.
pub fn ask(
    sql: &str,
    tables: &[Arc<Table>],
    planner: &dyn Planner,
    egress: Egress,
    budget: usize,
    server_version: &str,
) -> Result<Option<Asked>, Error> {
    let Some(masking) = Masking::of(sql, tables, egress) else {
        return Ok(None);
    };
    let Some(hidden) = masking.hide_in_sql(sql) else {
        return Ok(None);
    };
    let indexes = indexes_of(tables, &planner.storage(tables)?);
    let prompt = render_faster(&hidden, tables, &indexes, egress, budget, server_version);
    Ok(Some(Asked { prompt, masking }))
}

/// The indexes whose columns are all known, one per line.
fn indexes_of(tables: &[Arc<Table>], storage: &[Storage]) -> Vec<String> {
    let mut lines = Vec::new();
    for stored in storage {
        let Some(table) = tables.iter().find(|table| table.oid == stored.table) else {
            continue;
        };
        for index in stored.indexes.iter().filter(|index| !index.is_partial) {
            let columns: Option<Vec<String>> = index
                .columns
                .iter()
                .map(|column| column.as_deref().map(quote_identifier))
                .collect();
            if let Some(columns) = columns {
                let columns = columns.join(", ");
                lines.push(format!("{} {} ({columns})", table.sql_name(), index.method));
            }
        }
    }
    lines
}

/// The JSON Schema of the reply.
pub fn json_schema() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["rewrites"],
        "properties": {"rewrites": {"type": "array", "items": {
            "type": "object",
            "additionalProperties": false,
            "required": ["sql", "change"],
            "properties": {"sql": {"type": "string"}, "change": {"type": "string"}}
        }}}
    })
}

/// A candidate in a reply.
struct Candidate {
    sql: String,
    change: String,
}

/// Why a candidate is dropped, as the end of "1 of them …".
type Reason = &'static str;

/// The result of checking a candidate.
enum Verdict {
    Shown(Box<Proposal>),
    Dropped(Reason),
}

/// The accepted proposals of a reply, and a note about the dropped ones.
pub fn proposals(
    asked: &Asked,
    reply: &str,
    model: &str,
    judged: &Judged<'_>,
) -> Result<Vec<Proposal>, Error> {
    let Some(candidates) = read(asked, reply) else {
        let note = format!("Model \"{model}\" gave no reply that can be read.");
        return Ok(vec![Proposal::new(ProposalKind::Note, note)]);
    };
    let count = candidates.len();
    let mut shown = Vec::new();
    let mut dropped: BTreeMap<Reason, usize> = BTreeMap::new();
    for candidate in candidates {
        match judged.verdict(&candidate, model)? {
            Verdict::Shown(proposal) => shown.push(*proposal),
            Verdict::Dropped(reason) => *dropped.entry(reason).or_default() += 1,
        }
    }
    if !dropped.is_empty() {
        let reasons: Vec<String> = dropped
            .iter()
            .map(|(reason, count)| format!("{count} {reason}"))
            .collect();
        let note = format!(
            "Of {count} written by model \"{model}\": {}.",
            reasons.join(", ")
        );
        shown.push(Proposal::new(ProposalKind::Note, note));
    } else if count == 0 {
        let note = format!("Model \"{model}\" proposes nothing.");
        shown.push(Proposal::new(ProposalKind::Note, note));
    }
    Ok(shown)
}

fn read(asked: &Asked, reply: &str) -> Option<Vec<Candidate>> {
    let start = reply.find('{')?;
    let mut values = serde_json::Deserializer::from_str(reply.get(start..)?).into_iter::<Value>();
    let value = values.next()?.ok()?;
    let list = value.get("rewrites")?.as_array()?;
    let candidates = list.iter().take(MAX_CANDIDATES).map(|item| {
        let sql = item.get("sql").and_then(Value::as_str).unwrap_or_default();
        let change = item.get("change").and_then(Value::as_str);
        let sql = sql.trim().trim_end_matches(';');
        let restored = (sql.len() <= MAX_BYTES).then(|| asked.masking.restore_in_sql(sql));
        Candidate {
            sql: restored.flatten().unwrap_or_default(),
            change: sentences::strip_markup(change.unwrap_or_default()),
        }
    });
    Some(candidates.collect())
}

/// The query to be rewritten, with what is needed to check the candidates.
pub struct Judged<'a> {
    /// The query.
    pub sql: &'a str,
    /// Its tables.
    pub tables: &'a [Arc<Table>],
    /// Estimates costs.
    pub planner: &'a dyn Planner,
    /// Runs statements under the guard.
    pub database: &'a dyn Database,
    /// The caller's own limits, because a caller who asks a model can wait longer than for a probe.
    pub limits: &'a Limits,
}

impl Judged<'_> {
    fn verdict(&self, candidate: &Candidate, model: &str) -> Result<Verdict, Error> {
        let (Some(query), Some(other)) = (
            sql_tree::parse(self.sql).ok().flatten(),
            sql_tree::parse(&candidate.sql).ok().flatten(),
        ) else {
            return Ok(Verdict::Dropped("cannot be read"));
        };
        if query.to_string().eq_ignore_ascii_case(&other.to_string()) {
            return Ok(Verdict::Dropped("is the query itself"));
        }
        let storage = self.planner.storage(self.tables)?;
        let by_rule = rewrites(self.sql, self.tables, &storage)?;
        let is_known = |sql: &str| {
            let rule = sql_tree::parse(sql).ok().flatten();
            rule.is_some_and(|rule| rule.to_string().eq_ignore_ascii_case(&other.to_string()))
        };
        if by_rule.iter().any(|rewrite| is_known(&rewrite.sql)) {
            return Ok(Verdict::Dropped("is shown as a proved rewrite"));
        }
        let Some(columns) = self.columns(self.sql)? else {
            return Ok(Verdict::Dropped("could not be compared"));
        };
        let Some(other_columns) = self.columns(&candidate.sql)? else {
            return Ok(Verdict::Dropped("was refused by the guard or is wrong"));
        };
        if columns != other_columns || order_of(&query) != order_of(&other) {
            return Ok(Verdict::Dropped("gives other columns, order or limit"));
        }
        let before = self.planner.plan(self.sql, &[])?;
        let after = self.planner.plan(&candidate.sql, &[])?;
        let (Some(before), Some(after)) = (before, after) else {
            return Ok(Verdict::Dropped("was refused by the guard or is wrong"));
        };
        let (before, after) = (before.plan.cost(), after.plan.cost());
        if !saves(before, after) {
            return Ok(Verdict::Dropped("is not cheaper"));
        }
        let is_comparable = !rewrites::is_volatile(&query)
            && !rewrites::is_volatile(&other)
            && !picks_first(&query)
            && !picks_first(&other);
        let is_equal = match is_comparable {
            true => self.is_equal(&candidate.sql)?,
            false => None,
        };
        let what = without_stop(&candidate.change);
        let what = match what.is_empty() {
            true => format!("Model \"{model}\" wrote it otherwise."),
            false => format!("Model \"{model}\" wrote it otherwise: {what}."),
        };
        let (kind, proof, caveat) = match is_equal {
            Some(false) => return Ok(Verdict::Dropped("gives other rows on the data")),
            Some(true) => (
                ProposalKind::Rewrite,
                "On the data of this moment both give the same rows (EXCEPT ALL, both ways).",
                "No rule proves it for other data: it is equal as far as the data of this moment shows.",
            ),
            None => (
                ProposalKind::Unproved,
                "It could not be compared on the data within the limits.",
                "It may give other rows: nothing proves that it is equal.",
            ),
        };
        let mut proposal = Proposal::new(kind, format!("{what} {proof}"));
        proposal.sql = Some(candidate.sql.clone());
        proposal.cost_before = Some(before);
        proposal.cost_after = Some(after);
        proposal.caveats = Some(caveat.to_owned());
        Ok(Verdict::Shown(Box::new(proposal)))
    }

    /// Names and types of the result columns; `None` if the query is refused, regardless of its cost.
    fn columns(&self, sql: &str) -> Result<Option<Vec<(String, String)>>, Error> {
        let limits = Limits {
            max_cost: 0.0,
            ..self.limits.clone()
        };
        Ok(match self.database.check(sql, &limits)? {
            Outcome::Passed(columns) => Some(
                columns
                    .into_iter()
                    .map(|column| (column.name, column.type_name))
                    .collect(),
            ),
            Outcome::Rejected(_) | Outcome::Failed(_) => None,
        })
    }

    /// Whether both return the same rows; `None` if the data cannot show it, for example without rows.
    fn is_equal(&self, other: &str) -> Result<Option<bool>, Error> {
        let Some(difference) = difference_query(self.sql, other)? else {
            return Ok(None);
        };
        let mut limits = self.limits.clone();
        limits.max_result_rows = 1;
        match self.database.run(&difference, &limits)? {
            Outcome::Passed(execution) if !execution.rows.is_empty() => return Ok(Some(false)),
            Outcome::Passed(_) => {}
            Outcome::Rejected(_) | Outcome::Failed(_) => return Ok(None),
        }
        let any = format!("SELECT 1 FROM ({}) AS result LIMIT 1", self.sql);
        Ok(match self.database.run(&any, &limits)? {
            Outcome::Passed(execution) if !execution.rows.is_empty() => Some(true),
            _ => None,
        })
    }
}

/// ORDER BY and LIMIT, with unqualified column names.
fn order_of(query: &Query) -> String {
    let order = query.order_by.as_ref().map(ToString::to_string);
    let limit = query.limit_clause.as_ref().map(ToString::to_string);
    let fetch = query.fetch.as_ref().map(ToString::to_string);
    let text = [order, limit, fetch]
        .map(Option::unwrap_or_default)
        .join("|");
    text.to_lowercase()
        .split(' ')
        .map(|word| word.rsplit('.').next().unwrap_or(word))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Whether DISTINCT ON selects rows by the order, which the comparison ignores.
fn picks_first(query: &Query) -> bool {
    matches!(&*query.body, SetExpr::Select(select) if matches!(select.distinct, Some(Distinct::On(_))))
}

fn without_stop(text: &str) -> &str {
    text.trim().trim_end_matches('.')
}
