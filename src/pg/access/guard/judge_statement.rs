//! Judges the text of a statement and its tree, up to the rewritten tree.

use std::ffi::c_char;
use std::marker::PhantomData;

use pgrx::pg_sys::NodeTag;
use pgrx::{PgList, pg_sys};
use text2sql_domain::validate::{Rejection, Rule};
use text2sql_phrases::say;

use super::guarded_state::Envelope;
use super::hooks::Phase;
use super::valid_sql::ValidSql;
use super::verdict::{Refusal, refuse};
use super::{moved_clock, raw_tree, rewritten, substitute, tree};
use crate::pg::server::session::clock;
use crate::pg::server::settings::GuardPolicy;
use crate::pg::server::spi::encoding::{server_text, text_of};
use crate::pg::server::spi::role::EffectiveRole;

/// 64 KiB: the longest of 440 gold queries of public benchmarks has 3 KB.
const MAX_SQL_BYTES: usize = 64 * 1024;
/// The server's lexer reads the rest of the text at each nested comment without checking for interrupts: 32,000
/// of them take 10 s.
const MAX_COMMENTS: usize = 500;

/// Maximum number of statements whose tags are reported.
const MAX_TAGS: usize = 5;

/// Judges `sql` up to the rewritten tree.
pub(crate) fn judge<'sandbox>(
    sql: &str,
    policy: &GuardPolicy,
    role: &EffectiveRole,
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
    let rewritten = rewritten::rewrite(query, policy, envelope.rules, role)?;
    if clock::is_pinned() {
        moved_clock::judge(rewritten.query, envelope.rules, role)?;
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

/// The types that the server infers for the parameters `$n` of a query, as SQL writes them. The query is analysed, which
/// runs nothing of it, and judged when it is planned.
pub(crate) fn parameter_types(
    sql: &str,
    policy: &GuardPolicy,
    envelope: &Envelope<'_>,
) -> Result<Vec<String>, Refusal> {
    let _ = envelope.sandbox;
    let source = input(sql)?;
    let mut types: *mut pg_sys::Oid = std::ptr::null_mut();
    let mut count = 0;
    // SAFETY: NUL-terminated text in the server's encoding, which lives as long as the sandbox; the array of types is
    // allocated and enlarged by the parser, which counts it.
    let types = unsafe {
        let raw = parse(source)?;
        let named = raw_tree::judge(raw, source, policy)?;
        envelope.notes.keep(&named);
        pg_sys::parse_analyze_varparams(raw, source, &mut types, &mut count, std::ptr::null_mut());
        match types.is_null() {
            true => &[],
            false => std::slice::from_raw_parts(types, usize::try_from(count).unwrap_or(0)),
        }
    };
    Ok(types.iter().map(|oid| type_name(*oid)).collect())
}

/// The name of a type with its schema where SQL needs it; `text` where the type is unknown.
fn type_name(oid: pg_sys::Oid) -> String {
    match oid {
        pg_sys::InvalidOid | pg_sys::UNKNOWNOID => "text".to_owned(),
        // SAFETY: the OID of a type that the parser has just looked up.
        oid => unsafe {
            text_of(pg_sys::format_type_extended(
                oid,
                -1,
                pg_sys::FORMAT_TYPE_FORCE_QUALIFY as pg_sys::bits16,
            ))
        },
    }
}

/// Checks the text and converts it to the server's encoding.
fn input(sql: &str) -> Result<*const c_char, Rejection> {
    if sql.len() > MAX_SQL_BYTES {
        let reason = format!("the statement is longer than {} KB", MAX_SQL_BYTES / 1024);
        return Err(refuse(Rule::Input, reason));
    }
    if sql.matches("/*").nth(MAX_COMMENTS).is_some() {
        let reason = format!("the statement contains more than {MAX_COMMENTS} comments");
        return Err(refuse(Rule::Input, reason));
    }
    server_text(sql).ok_or_else(|| refuse(Rule::Input, "the statement contains a NUL byte"))
}

/// The kind of the statement, as a command tag; `None` when it is empty or too long. Invalid SQL raises its
/// ERROR.
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

/// Parses the text, which must be exactly one SELECT.
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
                let reason = say!("{count} statements where one is allowed");
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
