//! The settings under which internal queries run, and how the caller's are restored.
//!
//! Setting a handful of settings takes as long as running a small query, so a cached plan that they would not
//! affect runs without them; the path is set in a way that costs next to nothing.

use std::ffi::{CStr, c_int};

use pgrx::pg_sys;

use crate::pg::server::compat::search_path::with_system_path;

/// The settings under which cached internal queries are planned, besides [`BASIC_SETTINGS`].
///
/// The planner switches leave index look-ups as the only choice: plans are kept for the session and
/// made with a generic parameter, and one that scans a catalog because it was small when the
/// session began would be slow for hours.
pub(crate) const PLANNER_SETTINGS: &[(&CStr, &CStr)] = &[
    (c"plan_cache_mode", c"force_generic_plan"),
    (c"enable_seqscan", c"off"),
    (c"enable_hashjoin", c"off"),
    (c"enable_mergejoin", c"off"),
];

/// The path of internal queries that are not cached. They may call user functions, which may set their own
/// path; under [`with_system_path`] that may have no effect.
pub(crate) const PATH: &[(&CStr, &CStr)] = &[(c"search_path", c"pg_catalog, pg_temp")];

/// The settings under which all internal queries run, besides the caller's role and a path.
pub(crate) const BASIC_SETTINGS: &[(&CStr, &CStr)] = &[
    // Compiling a plan takes longer than running any of them.
    (c"jit", c"off"),
    // Internal queries rely on it, but the caller may have it off.
    (c"standard_conforming_strings", c"on"),
    // With it off, the policies of the extension's tables would be errors. Generated SQL keeps the caller's
    // value.
    (c"row_security", c"on"),
    // Cached texts must not depend on the first caller.
    (c"quote_all_identifiers", c"off"),
    (c"datestyle", c"ISO, YMD"),
    (c"intervalstyle", c"postgres"),
];

/// Whether the caller's settings affect a planned query as the internal ones would.
pub(crate) fn are_internal() -> bool {
    let forces_planning = pg_sys::PlanCacheMode::PLAN_CACHE_MODE_FORCE_CUSTOM_PLAN;
    // SAFETY: reads variables of the session.
    unsafe {
        pg_sys::plan_cache_mode != forces_planning.cast_signed()
            && pg_sys::DateStyle == pg_sys::USE_ISO_DATES.cast_signed()
            && pg_sys::IntervalStyle == pg_sys::INTSTYLE_POSTGRES.cast_signed()
            && !pg_sys::quote_all_identifiers
            && pg_sys::row_security
    }
}

/// Runs `work`, which reads catalogs without a query, under the internal path and settings and the latest
/// snapshot.
pub(crate) fn with_internal_settings<T>(work: impl FnOnce() -> T) -> T {
    with_system_path(|| match are_internal() {
        true => with_settings(&[], work),
        false => with_settings(&[BASIC_SETTINGS], work),
    })
}

/// Runs `work` under the settings given and the latest snapshot, and restores both.
///
/// What is opened is closed here or, after an ERROR, by the end of the (sub)transaction.
pub(crate) fn with_settings<T>(settings: &[&[(&CStr, &CStr)]], work: impl FnOnce() -> T) -> T {
    let level = open(settings);
    let outcome = work();
    close(level);
    outcome
}

/// Sets the settings and takes the snapshot; returns the level to which [`close`] goes back.
#[inline(never)]
fn open(settings: &[&[(&CStr, &CStr)]]) -> c_int {
    // SAFETY: inside a transaction on the main thread, not in a parallel worker (no function of the extension is
    // parallel safe). The settings are all USERSET, so that setting them cannot be denied.
    unsafe {
        let level = pg_sys::NewGUCNestLevel();
        for (name, value) in settings.iter().copied().flatten() {
            pg_sys::set_config_option(
                name.as_ptr(),
                value.as_ptr(),
                pg_sys::GucContext::PGC_USERSET,
                pg_sys::GucSource::PGC_S_SESSION,
                pg_sys::GucAction::GUC_ACTION_SAVE,
                true,
                0,
                false,
            );
        }
        pg_sys::PushActiveSnapshot(pg_sys::GetLatestSnapshot());
        level
    }
}

#[inline(never)]
fn close(level: c_int) {
    // SAFETY: ends what `open` began, in the same transaction.
    unsafe {
        pg_sys::PopActiveSnapshot();
        pg_sys::AtEOXact_GUC(true, level);
    }
}
