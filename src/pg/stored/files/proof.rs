//! Whether the server reads every value as the type of its column. Its own casts decide, in a subtransaction that is
//! rolled back.

use pgrx::check_for_interrupts;
use text2sql_files::{Bad, FileError, Options, Plan, Read};

use super::batch::{self, Batch};
use super::column_type::in_statement;
use super::refusal::{BadLines, Refused, collects};
use crate::pg::server::spi;
use crate::pg::server::spi::sandbox::run_and_undo;

/// Beyond this the types are wrong rather than the lines.
const MAX_BAD: usize = 10_000;

/// Proves the types that are not certain by how their values were read. A column whose type was found and not said becomes text where the server does not agree; lines
/// with values that are not of a type that was said are returned, or are an error.
pub(super) fn prove(plan: &mut Plan<'_>, options: &Options) -> Result<BadLines, Refused> {
    let statements: Vec<Option<String>> = plan
        .columns
        .iter()
        .map(|column| {
            (column.type_name != "text" && !column.is_certain()).then(|| {
                let of_type = in_statement(column);
                let cut = match column.is_said {
                    true => cut_off(&of_type),
                    false => String::new(),
                };
                format!(
                    "SELECT pg_catalog.count(v::{of_type}){cut} FROM pg_catalog.unnest($1) AS v"
                )
            })
        })
        .collect();
    for (column, statement) in plan.columns.iter().zip(&statements) {
        if let (true, Some(statement)) = (column.is_said, statement) {
            // A type that does not exist is an error of its own.
            spi::read_values(statement, &[batch::array(&[])])?;
        }
    }
    if statements.iter().all(Option::is_none) {
        return Ok(BadLines::new());
    }
    let mut proof = Proof {
        statements,
        is_said: plan.columns.iter().map(|column| column.is_said).collect(),
        refuted: vec![false; plan.columns.len()],
        bad_lines: BadLines::new(),
        lines: Vec::new(),
        batch: Batch::new(plan.columns.len()),
    };
    plan.rows(|read| {
        if let Read::Row { line, values, .. } = read {
            proof.lines.push(line);
            proof.batch.push(values);
            if proof.batch.is_full() {
                proof.check()?;
            }
        }
        Ok::<(), Refused>(())
    })?;
    proof.check()?;
    let Proof {
        refuted, bad_lines, ..
    } = proof;
    for (place, _) in refuted
        .iter()
        .enumerate()
        .filter(|(_, is_refuted)| **is_refuted)
    {
        plan.make_text(place);
    }
    let first = bad_lines.values().min_by_key(|bad| bad.line);
    match first {
        Some(bad) if !collects(options) => Err(plan.refused(bad).into()),
        _ => Ok(bad_lines),
    }
}

/// The error of a statement that compares what a cast leaves: a division by zero.
const DOES_NOT_FIT: &str = "22012";

/// One more column of a proof, which fails where the cast cuts a value off, as those to texts and bits and to domains over
/// them do. An assignment would refuse what is cut, except for spaces.
fn cut_off(of_type: &str) -> String {
    format!(
        ", pg_catalog.sum(1 OPERATOR(pg_catalog./) CASE
             WHEN v IS NULL OR NOT (
                 WITH RECURSIVE base (oid) AS (
                     SELECT a.typelem FROM pg_catalog.pg_type AS a
                      WHERE a.oid OPERATOR(pg_catalog.=) pg_catalog.pg_typeof(ARRAY[]::{of_type}[])::pg_catalog.oid
                     UNION ALL
                     SELECT t.typbasetype FROM base AS b JOIN pg_catalog.pg_type AS t ON t.oid OPERATOR(pg_catalog.=) b.oid
                      WHERE t.typtype OPERATOR(pg_catalog.=) 'd')
                 SELECT coalesce(pg_catalog.bool_or(t.typcategory IN ('S', 'V', 'Z')
                                         AND t.typnamespace OPERATOR(pg_catalog.=) 'pg_catalog'::pg_catalog.regnamespace), false)
                   FROM base AS b JOIN pg_catalog.pg_type AS t ON t.oid OPERATOR(pg_catalog.=) b.oid)
               OR pg_catalog.rtrim(v::{of_type}::text) OPERATOR(pg_catalog.=) pg_catalog.rtrim(v)
             THEN 1 ELSE 0 END)"
    )
}

struct Proof {
    statements: Vec<Option<String>>,
    is_said: Vec<bool>,
    /// Columns that the server reads otherwise.
    refuted: Vec<bool>,
    bad_lines: BadLines,
    /// The lines of the rows of the batch.
    lines: Vec<u64>,
    batch: Batch,
}

impl Proof {
    fn check(&mut self) -> Result<(), Refused> {
        for (place, statement) in self.statements.iter().enumerate() {
            let is_refuted = self.refuted.get(place).copied().unwrap_or_default();
            let (Some(statement), false) = (statement, is_refuted) else {
                continue;
            };
            check_for_interrupts!();
            let values = self.batch.column(place);
            let is_said = self.is_said.get(place).copied().unwrap_or_default();
            let limit = if is_said { MAX_BAD + 1 } else { 1 };
            let mut found = Vec::new();
            misread(statement, values, 0, limit, &mut found)?;
            if !is_said {
                if let (Some(is_refuted), false) = (self.refuted.get_mut(place), found.is_empty()) {
                    *is_refuted = true;
                }
                continue;
            }
            for (row, reason) in found {
                let line = self.lines.get(row).copied().unwrap_or_default();
                self.bad_lines.entry(line).or_insert(Bad {
                    line,
                    column: Some(place),
                    reason,
                });
            }
            if self.bad_lines.len() > MAX_BAD {
                return Err(
                    FileError::new(format!("more than {MAX_BAD} lines do not fit"))
                        .with_hint("Say other types.")
                        .into(),
                );
            }
        }
        self.lines.clear();
        self.batch.clear();
        Ok(())
    }
}

/// Finds the values that the server does not read, by halves.
fn misread(
    statement: &str,
    values: &[Option<String>],
    first: usize,
    limit: usize,
    found: &mut Vec<(usize, String)>,
) -> Result<(), Refused> {
    if found.len() >= limit || values.is_empty() {
        return Ok(());
    }
    let tried = run_and_undo(
        |_| spi::read_values(statement, &[batch::array(values)]),
        |_| None,
    );
    let error = match tried {
        Ok(outcome) => return Ok(outcome?),
        Err(error) => error,
    };
    if values.len() > 1 {
        let (left, right) = values.split_at(values.len() / 2);
        misread(statement, left, first, limit, found)?;
        return misread(statement, right, first + left.len(), limit, found);
    }
    // The message of the server has the value; the name of its error has not.
    let reason = match error.sqlstate.as_str() {
        DOES_NOT_FIT => "the value is too long for its type".to_owned(),
        "22003" | "22008" => "the value is out of range for its type".to_owned(),
        "23514" => "the value violates a check of its type".to_owned(),
        code => format!("the value is not of its type (SQLSTATE {code})"),
    };
    found.push((first, reason));
    Ok(())
}
