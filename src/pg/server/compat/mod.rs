//! What differs between the supported major versions of PostgreSQL: one file for each subject, with functions
//! that mean the same in every version. No other code asks for the version it is built for
//! (`tools/repository_checks` checks that).

pub(crate) mod catalog_columns;
pub(crate) mod function_policy;
pub(crate) mod generated_columns;
pub(crate) mod grouping;
pub(crate) mod interrupts;
pub(crate) mod object_privileges;
pub(crate) mod permission_hook;
pub(crate) mod permissions;
pub(crate) mod roles;
pub(crate) mod run;
pub(crate) mod search_path;
pub(crate) mod session_settings;
pub(crate) mod signals;
pub(crate) mod sql_json;
pub(crate) mod tuple_descriptor;
pub(crate) mod views;

// pgrx's own build script usually ends such a build before this.
#[cfg(not(any(feature = "pg15", feature = "pg16", feature = "pg17", feature = "pg18")))]
compile_error!(
    "no version of PostgreSQL is selected: build with one of the features pg15, pg16, pg17 and pg18"
);

#[cfg(any(
    all(
        feature = "pg15",
        any(feature = "pg16", feature = "pg17", feature = "pg18")
    ),
    all(feature = "pg16", any(feature = "pg17", feature = "pg18")),
    all(feature = "pg17", feature = "pg18")
))]
compile_error!(
    "several versions of PostgreSQL are selected: build with --no-default-features and one of the features pg15, \
     pg16, pg17 and pg18"
);
