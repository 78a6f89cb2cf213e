//! The table of lines that do not fit.

use pgrx::{PgSqlErrorCode, check_for_interrupts};
use text2sql_files::{Bad, Options, Plan};

use super::batch::Batch;
use super::refusal::{Refused, collects};
use super::target::Target;
use crate::pg::server::error::ErrorReport;
use crate::pg::server::spi;

/// Maximum number of lines that are set aside: if more do not fit, the file was read in a wrong way.
const MAX_REJECTED: i64 = 1_000_000;

/// Lines that are set aside.
pub(super) struct Rejected {
    target: Target,
    collects: bool,
    is_made: bool,
    is_dry: bool,
    count: i64,
    batch: Batch,
}

impl Rejected {
    pub(super) fn new(of: &Target, options: &Options) -> Result<Self, Refused> {
        let target = of.rejected(options)?;
        Ok(Self {
            target,
            collects: collects(options),
            is_made: false,
            is_dry: options.dry_run,
            count: 0,
            batch: Batch::new(4),
        })
    }

    pub(super) fn count(&self) -> i64 {
        self.count
    }

    pub(super) fn sql_name(&self) -> String {
        self.target.sql_name()
    }

    /// Sets a line aside, or ends the loading with an error.
    pub(super) fn add(&mut self, plan: &Plan<'_>, bad: &Bad, raw: &str) -> Result<(), Refused> {
        if !self.collects {
            return Err(plan.refused(bad).into());
        }
        self.count += 1;
        if self.count > MAX_REJECTED {
            let message = format!("more than {MAX_REJECTED} lines do not fit");
            let code = PgSqlErrorCode::ERRCODE_BAD_COPY_FILE_FORMAT;
            return Err(ErrorReport::new(code, message, "pg_text2sql").into());
        }
        if self.is_dry {
            return Ok(());
        }
        if !std::mem::replace(&mut self.is_made, true) {
            self.target.check()?;
            spi::define(&format!(
                "{} {} (line pg_catalog.int8, column_name pg_catalog.text, reason pg_catalog.text, content pg_catalog.text)",
                self.target.create(),
                self.target.sql_name()
            ))?;
        }
        let column = bad.column.and_then(|column| plan.columns.get(column));
        self.batch.push(&[
            Some(bad.line.to_string().into()),
            column.map(|column| column.name.as_str().into()),
            Some(bad.reason.as_str().into()),
            Some(raw.replace('\0', "\u{fffd}").into()),
        ]);
        if self.batch.is_full() {
            self.keep()?;
        }
        Ok(())
    }

    /// Writes what was set aside.
    pub(super) fn keep(&mut self) -> Result<(), Refused> {
        check_for_interrupts!();
        let insert = format!(
            "INSERT INTO {} SELECT v.a::pg_catalog.int8, v.b, v.c, v.d FROM ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2), pg_catalog.unnest($3), pg_catalog.unnest($4)) AS v(a, b, c, d)",
            self.target.sql_name()
        );
        Ok(self.batch.run(&insert)?)
    }
}
