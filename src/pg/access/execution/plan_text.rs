//! The plan of a judged statement as PostgreSQL's own EXPLAIN prints it.
//!
//! EXPLAIN gets the analyzed tree that was judged, not its text, and runs in the same sandbox. It goes through
//! `ProcessUtility`, which extensions such as hypopg hook; the guard's own hook allows only this one command.

use std::ffi::c_char;

use pgrx::pg_sys::{self, NodeTag};
use text2sql_domain::config::Limits;

use crate::pg::access::execution::row_capture::Receiver;
use crate::pg::access::guard::{self, Envelope, Phase, ValidSql};

/// A complete plan with `VERBOSE` is larger than a typical result.
const MAX_PLAN_BYTES: usize = 16 * 1024 * 1024;

/// The plan as JSON text. With `is_run` the statement is executed: call only after the cost check.
pub(crate) fn plan_text(
    valid: &ValidSql<'_>,
    envelope: &Envelope<'_>,
    limits: &Limits,
    is_run: bool,
) -> Option<String> {
    let limits = Limits {
        max_result_rows: 1,
        max_result_bytes: MAX_PLAN_BYTES,
        ..limits.clone()
    };
    let mut receiver = Receiver::new(&limits, true, None);
    let (analysed, source) = valid.analysed();
    if !is_run {
        guard::log_no_plan();
    }
    // SAFETY: nodes in the sandbox's memory; the tree is a copy of the one that was judged, so that
    // EXPLAIN may take it apart. The receiver outlives the call.
    unsafe {
        let explain: *mut pg_sys::ExplainStmt = node(NodeTag::T_ExplainStmt);
        (*explain).query = analysed.cast();
        let json = pg_sys::makeString(c"json".as_ptr().cast_mut());
        let mut options = pg_sys::lappend(
            std::ptr::null_mut(),
            option(c"format".as_ptr(), json.cast()).cast(),
        );
        options = pg_sys::lappend(
            options,
            option(c"verbose".as_ptr(), std::ptr::null_mut()).cast(),
        );
        if is_run {
            options = pg_sys::lappend(
                options,
                option(c"analyze".as_ptr(), std::ptr::null_mut()).cast(),
            );
        }
        (*explain).options = options;
        let statement: *mut pg_sys::PlannedStmt = node(NodeTag::T_PlannedStmt);
        (*statement).commandType = pg_sys::CmdType::CMD_UTILITY;
        (*statement).canSetTag = true;
        (*statement).utilityStmt = explain.cast();
        (*statement).stmt_location = -1;
        envelope.armed.enter(Phase::Explaining);
        pg_sys::ProcessUtility(
            statement,
            source,
            false,
            pg_sys::ProcessUtilityContext::PROCESS_UTILITY_QUERY,
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            receiver.as_dest(),
            std::ptr::null_mut(),
        );
        envelope.armed.enter(Phase::Running);
    }
    receiver
        .take_rows()
        .into_iter()
        .next()?
        .into_iter()
        .next()?
        .text
}

/// A zeroed node of that tag.
///
/// # Safety
/// `T` is the node type of the tag.
unsafe fn node<T>(tag: NodeTag) -> *mut T {
    // SAFETY: palloc0 returns zeroed memory of that size or raises; every node begins with its tag.
    unsafe {
        let node = pg_sys::palloc0(size_of::<T>());
        node.cast::<NodeTag>().write(tag);
        node.cast()
    }
}

/// An option of EXPLAIN.
///
/// # Safety
/// `name` is a constant; `value` a node or NULL.
unsafe fn option(name: *const c_char, value: *mut pg_sys::Node) -> *mut pg_sys::DefElem {
    // SAFETY: by contract; the name is only read.
    unsafe { pg_sys::makeDefElem(name.cast_mut(), value, -1) }
}
