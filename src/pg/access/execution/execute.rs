//! The only place that runs SQL written by a model: judged, planned and executed from one tree, inside the
//! guard, and rolled back.

use pgrx::pg_sys;
use text2sql_domain::config::Limits;
use text2sql_domain::error::Error;
use text2sql_domain::sql_result::{Execution, ResultColumn};

use crate::pg::access::execution::columns::{ColumnType, columns_of};
use crate::pg::access::execution::row_capture::{CapturedTuples, Receiver};
use crate::pg::access::guard::{
    self, Envelope, Phase, Refusal, StandIn, ValidPlan, Verdict, run_guarded,
};
use crate::pg::server::compat::run;
use crate::pg::server::settings::GuardPolicy;
use crate::pg::server::spi::role::EffectiveRole;

/// Which form of the rows to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Capture {
    /// Text and JSON of every cell.
    Cells,
    /// The tuples, in a tuplestore of the caller's memory context and resource owner.
    Tuples,
    /// Both.
    CellsAndTuples,
}

/// A statement that was run.
#[derive(Debug)]
pub(crate) struct GuardedRows {
    /// The rows, unless only tuples were requested, and their properties.
    pub(crate) execution: Execution,
    /// Type and modifier of each column.
    pub(crate) column_types: Vec<ColumnType>,
    /// The tuples, if requested.
    pub(crate) tuples: Option<CapturedTuples>,
}

/// The result of a statement over copies of its tables.
#[derive(Debug)]
pub(crate) struct CopyRows {
    /// The rows.
    pub(crate) execution: Execution,
    /// The LIMIT that was raised by one.
    pub(crate) limit: Option<usize>,
}

/// Judges `sql` and, if it passes, runs the same tree that was judged.
pub(crate) fn run(
    sql: &str,
    limits: &Limits,
    policy: &GuardPolicy,
    role: &EffectiveRole,
    capture: Capture,
) -> Result<Verdict<GuardedRows>, Error> {
    let mut tuples = match capture {
        Capture::Cells => None,
        Capture::Tuples | Capture::CellsAndTuples => Some(CapturedTuples::begin()),
    };
    let verdict = run_guarded(limits, policy, role, |envelope| {
        let valid = guard::judge(sql, policy, role, envelope)?;
        let plan = guard::plan(&valid, limits, policy)?;
        let mut receiver = Receiver::new(limits, capture != Capture::Tuples, tuples.as_mut());
        execute(&plan, envelope, &mut receiver);
        let (execution, column_types) = receiver.take_execution(&valid, &plan);
        Ok(GuardedRows {
            execution,
            column_types,
            tuples: None,
        })
    });
    match (verdict, tuples) {
        (Ok(Verdict::Passed(rows)), tuples) => Ok(Verdict::Passed(GuardedRows { tuples, ..rows })),
        (verdict, tuples) => {
            if let Some(tuples) = tuples {
                tuples.end();
            }
            verdict
        }
    }
}

/// Judges `sql` over the tables that it names, and runs the judged tree over copies of them; `None` when it
/// reads a table without a copy. With `one_more`, the LIMIT is raised by one row and returned with the rows.
pub(crate) fn run_on_copies(
    sql: &str,
    limits: &Limits,
    policy: &GuardPolicy,
    role: &EffectiveRole,
    stand_in: &StandIn<'_>,
    one_more: bool,
) -> Result<Verdict<Option<CopyRows>>, Error> {
    run_guarded(limits, policy, role, |envelope| {
        let valid = guard::judge(sql, policy, role, envelope)?;
        if !guard::read_copies(&valid, stand_in) {
            return Ok(None);
        }
        let limit = if one_more {
            guard::raise_limit(&valid)
        } else {
            None
        };
        let plan = guard::plan(&valid, limits, policy)?;
        let mut receiver = Receiver::new(limits, true, None);
        execute(&plan, envelope, &mut receiver);
        let (execution, _) = receiver.take_execution(&valid, &plan);
        Ok::<_, Refusal>(Some(CopyRows { execution, limit }))
    })
}

/// A statement that was judged and planned.
#[derive(Debug)]
pub(crate) struct Checked {
    /// The columns of its result.
    pub(crate) columns: Vec<ResultColumn>,
    /// Type and modifier of each column.
    pub(crate) column_types: Vec<ColumnType>,
    /// Whether it reads a private column.
    pub(crate) is_private: bool,
}

/// Judges and plans `sql` without running it.
pub(crate) fn check(
    sql: &str,
    limits: &Limits,
    policy: &GuardPolicy,
    role: &EffectiveRole,
) -> Result<Verdict<Checked>, Error> {
    run_guarded(limits, policy, role, |envelope| {
        let valid = guard::judge(sql, policy, role, envelope)?;
        let plan = guard::plan(&valid, limits, policy)?;
        // SAFETY: the plan's target list gives a row descriptor in the sandbox's memory.
        let (columns, column_types) = unsafe {
            let (statement, _) = plan.parts();
            let descriptor = pg_sys::ExecCleanTypeFromTL((*(*statement).planTree).targetlist);
            columns_of(descriptor)
        };
        Ok::<_, Refusal>(Checked {
            columns,
            column_types,
            is_private: valid.is_private(),
        })
    })
}

/// Runs the plan into the receiver. What it leaves open after an error is closed by the sandbox.
fn execute(plan: &ValidPlan<'_>, envelope: &Envelope<'_>, receiver: &mut Receiver<'_>) {
    let (statement, source) = plan.parts();
    // SAFETY: a valid plan and an active snapshot. The receiver outlives the query descriptor, and
    // no other code touches it until the run returns.
    unsafe {
        let query = pg_sys::CreateQueryDesc(
            statement,
            source,
            pg_sys::GetActiveSnapshot(),
            std::ptr::null_mut(),
            receiver.as_dest(),
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            0,
        );
        envelope.armed.enter(Phase::Starting);
        pg_sys::ExecutorStart(query, 0);
        envelope.armed.enter(Phase::Running);
        run::run_to_end(query);
        pg_sys::ExecutorFinish(query);
        pg_sys::ExecutorEnd(query);
        pg_sys::FreeQueryDesc(query);
    }
}
