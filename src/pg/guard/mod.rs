//! The guard: SQL that a model wrote can read what its caller may read, and nothing else.
//!
//! The layers, in order, all inside one subtransaction that is always rolled back:
//!
//! 1. the text: size, encoding ([`judge`]);
//! 2. `envelope`: read-only, identity, timer, memory, settings, hooks, *before* anything is
//!    analysed, because parse analysis already runs input functions;
//! 3. the server's own raw parser: exactly one SELECT without INTO ([`judge`]), and `raw_tree`;
//! 4. `tree`, with `functions`, `datatypes` and `relations`: an allow-list over the analysed tree;
//! 5. `rewritten`: what view bodies bring in;
//! 6. `plan`: the cost gate;
//! 7. `hooks`: at run time, what the called things call.
//!
//! The tree that was judged is the tree that runs: nothing parses the text again. `reads` has no say;
//! it tells what a statement reads.

mod availability;
mod conversions;
mod datatypes;
mod envelope;
mod functions;
mod hooks;
mod json_casts;
mod moved_clock;
mod operators;
mod plan;
mod plan_text;
mod position;
mod raw_tree;
mod reads;
mod relations;
mod rewritten;
mod size;
mod stack;
mod substitute;
mod tags;
mod tree;

use std::ffi::c_char;
use std::marker::PhantomData;

use pgrx::pg_sys::NodeTag;
use pgrx::{PgList, pg_sys};
use text2sql_core::sql_result::DatabaseError;
use text2sql_core::validate::{Rejection, Rule};

pub(crate) use availability::is_available;
pub(crate) use conversions::may_convert;
pub(crate) use datatypes::type_name;
pub(crate) use envelope::{Envelope, run_guarded};
pub(crate) use functions::{callable_names, signature};
pub(crate) use hooks::{Phase, install};
pub(crate) use plan::{ValidPlan, plan, price};
pub(crate) use plan_text::plan_text;
pub(crate) use reads::{Read, named_by, quoted, quoted_name};
pub(crate) use substitute::{raise_limit, read_copies};

#[cfg(any(test, feature = "pg_test"))]
pub(crate) use {functions::policy_signatures, hooks::is_active};

use crate::pg::clock;
use crate::pg::encoding::{server_text, text_of};
use crate::pg::role::Reader;

/// The schema of our own objects: no question reads it.
const OUR_SCHEMA: &str = "text2sql";
/// The schema of suites and evaluations: no question reads it.
const EVAL_SCHEMA: &str = "text2sql_eval";
/// The schema of perturbed copies, which only an evaluation reads, in place of their originals.
const COPIES_SCHEMA: &str = "text2sql_perturbed";
/// Our own extension, whose functions no question may call.
const OUR_EXTENSION: &str = "pg_text2sql";

/// 64 KiB: the longest of 440 gold queries of public sets has 3 KB.
const MAX_SQL_BYTES: usize = 64 * 1024;
/// The server's lexer reads all that is left at each comment that begins inside another one, and looks for
/// no interrupt: 32,000 of them take 10 s.
const MAX_COMMENTS: usize = 500;

/// Of several statements, the tags of so many are told.
const MAX_TAGS: usize = 5;

/// What an administrator may decide about generated SQL.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GuardPolicy {
    /// Schemas that questions may read; `None` is all of them.
    pub(crate) allowed_schemas: Option<Vec<String>>,
    /// Whether questions may read `pg_catalog` and `information_schema`.
    pub(crate) allow_system_catalogs: bool,
    /// Whether questions may read foreign tables.
    pub(crate) allow_foreign_tables: bool,
    /// Extensions whose functions may be called unless VOLATILE or SECURITY DEFINER.
    pub(crate) trusted_extensions: Vec<String>,
    /// OIDs of further functions that may be called.
    pub(crate) allowed_functions: Vec<u32>,
    /// The caller's `work_mem` counts up to this.
    pub(crate) max_work_mem_kb: i32,
    /// The caller's `max_parallel_workers_per_gather` counts up to this.
    pub(crate) max_parallel_workers: i32,
    /// Maximum temporary disk space.
    pub(crate) max_temp_file_size_kb: i32,
}

impl Default for GuardPolicy {
    fn default() -> Self {
        // What they compute stays in their arguments; none opens a connection or runs SQL text.
        let trusted = [
            "pg_trgm",
            "hstore",
            "citext",
            "unaccent",
            "fuzzystrmatch",
            "vector",
            "ltree",
            "intarray",
            "cube",
            "earthdistance",
            "btree_gin",
            "btree_gist",
            "isn",
            "postgis",
            "tsm_system_rows",
            "tsm_system_time",
        ];
        Self {
            allowed_schemas: None,
            allow_system_catalogs: false,
            allow_foreign_tables: false,
            trusted_extensions: trusted.map(str::to_owned).to_vec(),
            allowed_functions: Vec::new(),
            // 256 MB: a plan may take it several times.
            max_work_mem_kb: 256 * 1024,
            max_parallel_workers: 8,
            max_temp_file_size_kb: 256 * 1024,
        }
    }
}

/// What became of a statement.
#[derive(Debug)]
pub(crate) enum Verdict<T> {
    /// It passed.
    Passed(T),
    /// The guard refused it.
    Rejected(Rejection),
    /// The database raised an error while it analysed, planned or ran it.
    Failed(DatabaseError),
}

/// A statement that passed every check on its tree. Made only by [`judge`], gone with the sandbox.
pub(crate) struct ValidSql<'sandbox> {
    rewritten: rewritten::Rewritten,
    /// A copy of the analysed tree, for EXPLAIN: rewriting takes the other one apart.
    analysed: *mut pg_sys::Query,
    source: *const c_char,
    relations: Vec<String>,
    reads: Vec<Read>,
    functions: Vec<u32>,
    is_private: bool,
    sandbox: PhantomData<&'sandbox ()>,
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

    /// What the statement reads, with views as what they are to it: relations.
    pub(crate) fn reads(&self) -> &[Read] {
        &self.reads
    }

    /// What the statement reads, with views replaced by what their queries read.
    pub(crate) fn reads_behind_views(&self) -> Vec<Read> {
        reads::behind_views(self.rewritten.query)
    }

    /// Functions that the statement calls, also through operators, by signature and volatility,
    /// sorted.
    pub(crate) fn functions(&self) -> Vec<String> {
        let mut functions: Vec<String> = self
            .functions
            .iter()
            .map(|oid| pg_sys::Oid::from(*oid))
            .map(|oid| format!("{} {}", signature(oid), functions::volatility(oid)))
            .collect();
        functions.sort_unstable();
        functions
    }
}

/// Judges `sql` up to the rewritten tree.
pub(crate) fn judge<'sandbox>(
    sql: &str,
    policy: &GuardPolicy,
    reader: &Reader,
    envelope: &Envelope<'sandbox>,
) -> Result<ValidSql<'sandbox>, Refusal> {
    let _ = envelope.sandbox;
    let source = input(sql)?;
    let named;
    // SAFETY: NUL-terminated text in the server's encoding, which lives as long as the sandbox.
    let query = unsafe {
        let raw = parse(source)?;
        named = raw_tree::judge(raw, source, policy)?;
        envelope.notes.keep(&named);
        pg_sys::parse_analyze_fixedparams(raw, source, std::ptr::null(), 0, std::ptr::null_mut())
    };
    let mut walk = tree::Walk::new(policy, envelope.rules, source, named);
    walk.judge(query)?;
    envelope.notes.is_private.set(walk.is_near_private);
    let is_private = walk.is_private;
    let relations = std::mem::take(&mut walk.relations);
    let reads = std::mem::take(&mut walk.reads);
    let functions = walk.functions.iter().copied().collect();
    envelope.armed.enter(Phase::Running);
    // SAFETY: copies a valid tree into the sandbox's memory.
    let analysed = unsafe { pg_sys::copyObjectImpl(query.cast()).cast() };
    let rewritten = rewritten::rewrite(query, policy, envelope.rules, reader)?;
    if clock::is_pinned() {
        moved_clock::judge(rewritten.query, envelope.rules, reader)?;
        substitute::pin_clock_calls(rewritten.query);
    }
    Ok(ValidSql {
        rewritten,
        analysed,
        source,
        relations,
        reads,
        functions,
        is_private,
        sandbox: PhantomData,
    })
}

/// Why a statement did not pass.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The guard refused it.
    Rejected(Rejection),
    /// It is wrong SQL.
    Failed(DatabaseError),
}

impl From<Rejection> for Refusal {
    fn from(rejection: Rejection) -> Self {
        Self::Rejected(rejection)
    }
}

impl<T> From<Refusal> for Verdict<T> {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Rejected(rejection) => Self::Rejected(rejection),
            Refusal::Failed(error) => Self::Failed(error),
        }
    }
}

/// A rejection without an offender or a position yet.
fn refuse(rule: Rule, reason: impl Into<String>) -> Rejection {
    Rejection {
        rule,
        reason: reason.into(),
        offender: None,
        position: None,
    }
}

/// Checks the text and brings it into the server's encoding.
fn input(sql: &str) -> Result<*const c_char, Rejection> {
    if sql.len() > MAX_SQL_BYTES {
        let reason = format!("the statement is longer than {} KB", MAX_SQL_BYTES / 1024);
        return Err(refuse(Rule::Input, reason));
    }
    if sql.matches("/*").nth(MAX_COMMENTS).is_some() {
        let reason = format!("the statement begins more than {MAX_COMMENTS} comments");
        return Err(refuse(Rule::Input, reason));
    }
    server_text(sql).ok_or_else(|| refuse(Rule::Input, "the statement holds a NUL byte"))
}

/// What kind of statement the text is, as a command tag; `None` when it is empty or too long. Wrong
/// SQL raises its ERROR.
pub(crate) fn statement_kind(sql: &str) -> Option<String> {
    let source = input(sql).ok()?;
    // SAFETY: NUL-terminated text in the server's encoding; the list holds RawStmt nodes, each of
    // which has a tag with a name.
    let (count, tags) = unsafe {
        let statements = PgList::<pg_sys::RawStmt>::from_pg(pg_sys::pg_parse_query(source));
        let tags: Vec<String> = statements
            .iter_ptr()
            .take(MAX_TAGS)
            .map(|raw| {
                text_of(pg_sys::GetCommandTagName(pg_sys::CreateCommandTag(
                    (*raw).stmt,
                )))
            })
            .collect();
        (statements.len(), tags)
    };
    match count {
        0 => None,
        1 => tags.into_iter().next(),
        _ => {
            let more = if count > MAX_TAGS { "; …" } else { "" };
            Some(format!("{count} statements: {}{more}", tags.join("; ")))
        }
    }
}

/// Parses, and insists on exactly one SELECT.
///
/// # Safety
/// `source` is NUL-terminated text in the server's encoding.
unsafe fn parse(source: *const c_char) -> Result<*mut pg_sys::RawStmt, Rejection> {
    // SAFETY: the list holds RawStmt nodes; the cast follows the tag.
    unsafe {
        let statements = PgList::<pg_sys::RawStmt>::from_pg(pg_sys::pg_parse_query(source));
        let raw = match (statements.get_ptr(0), statements.len()) {
            (None, _) => return Err(refuse(Rule::Input, "the statement is empty")),
            (Some(raw), 1) => raw,
            (_, count) => {
                let reason = format!("{count} statements where one is allowed");
                return Err(refuse(Rule::Statement, reason));
            }
        };
        if (*(*raw).stmt).type_ != NodeTag::T_SelectStmt {
            return Err(refuse(Rule::Statement, "only SELECT is allowed"));
        }
        if !(*(*raw).stmt.cast::<pg_sys::SelectStmt>())
            .intoClause
            .is_null()
        {
            return Err(refuse(Rule::Statement, "SELECT INTO is not allowed"));
        }
        Ok(raw)
    }
}
