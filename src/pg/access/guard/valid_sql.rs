//! A statement that passed every check on its tree, and what it reads and calls.

use std::ffi::c_char;
use std::marker::PhantomData;

use pgrx::pg_sys;

use super::functions;
use super::rewritten::Rewritten;
use crate::pg::access::query_tree::reads::{self, Read};

/// A statement that passed every check on its tree. Created only by [`judge`](super::judge_statement()), and valid as long
/// as the sandbox.
pub(crate) struct ValidSql<'sandbox> {
    pub(super) rewritten: Rewritten,
    /// A copy of the analyzed tree, for EXPLAIN: rewriting modifies the other one.
    pub(super) analysed: *mut pg_sys::Query,
    pub(super) source: *const c_char,
    pub(super) relations: Vec<String>,
    pub(super) reads: Vec<Read>,
    pub(super) functions: Vec<u32>,
    pub(super) is_private: bool,
    pub(super) sandbox: PhantomData<&'sandbox ()>,
}

impl ValidSql<'_> {
    /// Relations that the statement names, as `schema.name`.
    pub(crate) fn relations(&self) -> &[String] {
        &self.relations
    }

    /// Whether it reads a column whose values never go into a prompt.
    pub(crate) fn is_private(&self) -> bool {
        self.is_private
    }

    /// What the statement reads, with views as relations.
    pub(crate) fn reads(&self) -> &[Read] {
        &self.reads
    }

    /// What the statement reads, with views replaced by what their queries read.
    pub(crate) fn reads_behind_views(&self) -> Vec<Read> {
        reads::behind_views(self.rewritten.query)
    }

    /// Functions that the statement calls, including those of operators, by signature and volatility, sorted.
    pub(crate) fn functions(&self) -> Vec<String> {
        let mut functions: Vec<String> = self
            .functions
            .iter()
            .map(|oid| pg_sys::Oid::from(*oid))
            .map(|oid| {
                format!(
                    "{} {}",
                    functions::signature(oid),
                    functions::volatility(oid)
                )
            })
            .collect();
        functions.sort_unstable();
        functions
    }

    /// A copy of the analysed tree, for EXPLAIN, and the text it came from.
    pub(crate) fn analysed(&self) -> (*mut pg_sys::Query, *const c_char) {
        (self.analysed, self.source)
    }
}
