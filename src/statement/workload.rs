//! The statements that the server has counted, for `optimize` without one: read as the caller, planned as the effective role
//! under the guard, never run.

use std::collections::BTreeMap;
use std::sync::Arc;

use text2sql_analysis::optimize::workload::{
    Budget, Line, Plannable, Recorded, TableFacts, WorkStatement, note, parameters, plannable,
    propose, report, typed,
};
use text2sql_analysis::revision::script::written;
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::interrupts;
use text2sql_domain::ports::{Database, Outcome};
use text2sql_domain::schema::Table;
use text2sql_phrases::say;
use text2sql_phrases::translated;
use text2sql_sql::tree::relations::table_names;
use text2sql_sql::tree::syntax::find_table;

use crate::pg::access::execution::database::GuardedDatabase;
use crate::pg::server::settings::{self, Overrides};
use crate::pg::server::spi;
use crate::pg::server::spi::role::with_role;
use crate::pg::server::spi::sandbox::run_and_undo;
use crate::statement::planner::GuardedPlanner;
use crate::statement::submitted_sql::SubmittedSql;

const SCHEMA: &str = "SELECT quote_ident(n.nspname) FROM pg_extension e
     JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_stat_statements'";
const TABLES: &str = include_str!("../../sql/queries/workload_tables.sql");
const SINCE: &str = "SELECT to_char(pg_stat_get_db_stat_reset_time(d.oid), 'YYYY-MM-DD HH24:MI')
     FROM pg_database d WHERE d.datname = current_database()";

/// Maximum number of counted statements that are read, those with the most time first.
const MAX_READ: i64 = 5_000;

/// Maximum number of reasons that are listed.
const MAX_REASONS: usize = 5;

/// A counted statement.
struct Counted {
    queryid: Option<i64>,
    text: String,
    calls: f64,
    milliseconds: f64,
    /// Number of statements whose text the caller may not see.
    hidden: i64,
}

/// What would help the `top` statements with the most time.
pub(crate) fn optimize(top: usize, budget: &Budget) -> Result<Vec<Line>, Error> {
    let counted = counted()?;
    let all: f64 = counted.iter().map(|one| one.milliseconds).sum();
    let share = |milliseconds: f64| milliseconds / all.max(f64::MIN_POSITIVE);
    let mut given = SubmittedSql {
        sql: String::new(),
        database: GuardedDatabase::new()?,
        limits: settings::limits(&Overrides::default()),
        tables: Vec::new(),
    };
    let mut chosen = Chosen::default();
    let mut notes = Vec::new();
    for one in counted {
        interrupts::check()?;
        let Some(queryid) = one.queryid else {
            if one.hidden > 0 {
                notes.push(Line {
                    sql: spi::read_one("SELECT 'GRANT pg_read_all_stats TO ' || quote_ident(current_user)", &[])?,
                    ..note(say!(
                        "You may not see the text of {count} statements of other roles, which took {share} % of the time.",
                        count = one.hidden,
                        share = format!("{:.1}", share(one.milliseconds) * 100.0)
                    ))
                });
            }
            continue;
        };
        if chosen.statements.len() >= top {
            break;
        }
        let recorded = Recorded {
            queryid,
            share: share(one.milliseconds),
            calls: one.calls,
            changes: Vec::new(),
            text: one.text,
        };
        chosen.take(&given, recorded)?;
    }
    given.tables = given.named(chosen.names())?;
    for recorded in &mut chosen.recorded {
        recorded.changes = changes(&recorded.text, &given.tables)?;
    }
    let planner = GuardedPlanner::new(&given)?;
    let proposals = propose(&chosen.statements, &given.tables, &planner, budget)?;
    for (place, cost) in proposals.before.iter().enumerate() {
        if let (None, Some(statement)) = (cost, chosen.statements.get(place)) {
            let reason = refused(&given, &statement.typed)?;
            chosen.leave_out(reason);
        }
    }
    let oids: Vec<crate::pg::Oid> = given.tables.iter().map(|table| table.oid.into()).collect();
    let facts: Vec<TableFacts> = with_role(given.database.role(), || {
        spi::read_json(TABLES, &[oids.into()])
    })?;
    let since =
        spi::read_one::<String>(SINCE, &[])?.unwrap_or_else(|| say!("the statistics began"));
    let mut lines = report(&proposals, &chosen.recorded, &facts, &since);
    lines.extend(chosen.left_out());
    lines.extend(notes);
    Ok(lines)
}

/// The statements of a workload that can be planned.
#[derive(Default)]
struct Chosen {
    statements: Vec<WorkStatement>,
    recorded: Vec<Recorded>,
    /// Why others are left out, and how many.
    reasons: BTreeMap<String, usize>,
}

impl Chosen {
    fn take(&mut self, given: &SubmittedSql, recorded: Recorded) -> Result<(), Error> {
        let query = match plannable(&recorded.text) {
            Ok(Plannable::Query(query)) => query,
            Ok(Plannable::Own | Plannable::Utility | Plannable::Nothing) => return Ok(()),
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            Err(error) => {
                self.leave_out(error.message().to_owned());
                return Ok(());
            }
        };
        let types = match parameters(&query) {
            0 => Outcome::Passed(Vec::new()),
            _ => given.database.parameter_types(&query, &given.limits)?,
        };
        match types {
            Outcome::Passed(types) => {
                self.statements.push(WorkStatement {
                    typed: typed(&query, &types),
                    query,
                    types,
                    calls: recorded.calls,
                });
                self.recorded.push(recorded);
            }
            Outcome::Failed(error) => self.leave_out(error.message),
            Outcome::Rejected(rejection) => self.leave_out(translated(&rejection.reason)),
        }
        Ok(())
    }

    fn leave_out(&mut self, reason: String) {
        *self.reasons.entry(reason).or_default() += 1;
    }

    /// The bare names of the tables in the statements.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .statements
            .iter()
            .flat_map(|statement| table_names(&statement.query))
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    fn left_out(&self) -> Option<Line> {
        let count: usize = self.reasons.values().sum();
        let mut reasons: Vec<(&String, &usize)> = self.reasons.iter().collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let reasons: Vec<String> = reasons
            .into_iter()
            .take(MAX_REASONS)
            .map(|(reason, count)| format!("{reason} ({count})"))
            .collect();
        (count > 0).then(|| {
            note(say!(
                "{count} statements were not planned: {reasons}.",
                reasons = reasons.join("; ")
            ))
        })
    }
}

/// The statements that the server has counted in this database, those with the most time first.
fn counted() -> Result<Vec<Counted>, Error> {
    let Some(schema) = spi::read_one::<String>(SCHEMA, &[])? else {
        return Err(unavailable(
            "pg_stat_statements is not installed in this database",
        ));
    };
    let sql = format!(
        "SELECT s.queryid, min(s.query), sum(s.calls)::float8, sum(s.total_exec_time)::float8,
                count(*) FILTER (WHERE s.queryid IS NULL)
         FROM {schema}.pg_stat_statements AS s
         WHERE s.dbid = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database())
         GROUP BY s.queryid ORDER BY 4 DESC LIMIT $1"
    );
    // Where the library is not loaded, or the extension is older than the column, the view raises an error.
    let read = run_and_undo(
        |_| {
            spi::read_once(&sql, &[MAX_READ.into()], |row| {
                Ok(Counted {
                    queryid: row.read(1)?,
                    text: row.read::<String>(2)?.unwrap_or_default(),
                    calls: row.read(3)?.unwrap_or_default(),
                    milliseconds: row.read(4)?.unwrap_or_default(),
                    hidden: row.read(5)?.unwrap_or_default(),
                })
            })
        },
        |_| None,
    );
    match read {
        Ok(counted) => counted,
        Err(error) => {
            Err(unavailable("pg_stat_statements cannot be read").with_detail(error.message))
        }
    }
}

fn unavailable(message: &str) -> Error {
    Error::new(ErrorKind::Setup, message).with_hint(
        "In postgresql.conf: shared_preload_libraries = 'pg_stat_statements'. After a restart, as a superuser: \
         CREATE EXTENSION pg_stat_statements; and where it is old: ALTER EXTENSION pg_stat_statements UPDATE;",
    )
}

/// The columns that the statement changes.
fn changes(sql: &str, tables: &[Arc<Table>]) -> Result<Vec<(u32, String)>, Error> {
    let mut found = Vec::new();
    for one in written(sql)? {
        if one.right == "UPDATE"
            && let Some(table) = find_table(tables, &one.name)
        {
            found.extend(one.columns.into_iter().map(|column| (table.oid, column)));
        }
    }
    Ok(found)
}

/// Why a statement has no plan.
fn refused(given: &SubmittedSql, sql: &str) -> Result<String, Error> {
    Ok(match given.database.check(sql, &given.limits)? {
        Outcome::Passed(_) => say!("the planner gives no plan"),
        Outcome::Failed(error) => error.message,
        Outcome::Rejected(rejection) => translated(&rejection.reason),
    })
}
