//! C symbols of functions that earlier versions of the extension had. `CREATE EXTENSION pg_text2sql VERSION
//! '0.1.0'`, which restoring a dump of that version needs, and `pg_upgrade` load every symbol that the functions
//! of a database name; and the functions are there until the database is updated.
//!
//! A line is never removed while a script of that version is in `sql/`. A function whose symbol the library still
//! has is refused by `entry.rs`. A function of pgrx reads its arguments before that: one that has more than before gets
//! another name in Rust, so that its symbol is another one.

use crate::pg::server::installed_version::refused;

macro_rules! removed_symbols {
    ($($symbol:ident, $record:ident: $function:literal of $version:literal;)*) => { $(
        /// # Safety
        /// For PostgreSQL to call.
        #[unsafe(no_mangle)]
        #[doc(hidden)]
        pub unsafe extern "C-unwind" fn $symbol(
            arguments: pgrx::pg_sys::FunctionCallInfo,
        ) -> pgrx::pg_sys::Datum {
            // SAFETY: called by PostgreSQL, and nothing in this frame needs dropping.
            unsafe {
                $crate::pg::server::entry::call_of_any_version(arguments, |_| {
                    Err(refused($function, $version).into())
                })
            }
        }

        #[unsafe(no_mangle)]
        #[doc(hidden)]
        pub extern "C" fn $record() -> &'static pgrx::pg_sys::Pg_finfo_record {
            &$crate::pg::server::entry::VERSION_1
        }
    )* };
}

removed_symbols! {
    add_synonyms_wrapper, pg_finfo_add_synonyms_wrapper: "add_synonyms" of "0.1.0";
    apply_descriptions_wrapper, pg_finfo_apply_descriptions_wrapper: "apply_descriptions" of "0.1.0";
    check_example_wrapper, pg_finfo_check_example_wrapper: "check_example" of "0.1.0";
    check_examples_wrapper, pg_finfo_check_examples_wrapper: "check_examples" of "0.1.0";
    decide_join_wrapper, pg_finfo_decide_join_wrapper: "decide_join" of "0.1.0";
    define_wrapper, pg_finfo_define_wrapper: "define" of "0.1.0";
    describe_wrapper, pg_finfo_describe_wrapper: "describe" of "0.1.0";
    describe_values_wrapper, pg_finfo_describe_values_wrapper: "describe_values" of "0.1.0";
    drop_definition_wrapper, pg_finfo_drop_definition_wrapper: "drop_definition" of "0.1.0";
    drop_example_wrapper, pg_finfo_drop_example_wrapper: "drop_example" of "0.1.0";
    drop_join_wrapper, pg_finfo_drop_join_wrapper: "drop_join" of "0.1.0";
    drop_synonyms_wrapper, pg_finfo_drop_synonyms_wrapper: "drop_synonyms" of "0.1.0";
    export_knowledge_wrapper, pg_finfo_export_knowledge_wrapper: "export_knowledge" of "0.1.0";
    feedback_wrapper, pg_finfo_feedback_wrapper: "feedback" of "0.1.0";
    import_dbt_wrapper, pg_finfo_import_dbt_wrapper: "import_dbt" of "0.1.0";
    import_examples_wrapper, pg_finfo_import_examples_wrapper: "import_examples" of "0.1.0";
    import_knowledge_wrapper, pg_finfo_import_knowledge_wrapper: "import_knowledge" of "0.1.0";
    list_definitions_wrapper, pg_finfo_list_definitions_wrapper: "list_definitions" of "0.1.0";
    list_examples_wrapper, pg_finfo_list_examples_wrapper: "list_examples" of "0.1.0";
    list_joins_wrapper, pg_finfo_list_joins_wrapper: "list_joins" of "0.1.0";
    mark_rarely_useful_wrapper, pg_finfo_mark_rarely_useful_wrapper: "mark_rarely_useful" of "0.1.0";
    preview_prompt_wrapper, pg_finfo_preview_prompt_wrapper: "preview_prompt" of "0.1.0";
    reject_descriptions_wrapper, pg_finfo_reject_descriptions_wrapper: "reject_descriptions" of "0.1.0";
    release_local_model_wrapper, pg_finfo_release_local_model_wrapper: "release_local_model" of "0.1.0";
    retrieve_wrapper, pg_finfo_retrieve_wrapper: "retrieve" of "0.1.0";
    show_wrapper, pg_finfo_show_wrapper: "show" of "0.1.0";
    suggest_descriptions_wrapper, pg_finfo_suggest_descriptions_wrapper: "suggest_descriptions" of "0.1.0";
    suggest_joins_wrapper, pg_finfo_suggest_joins_wrapper: "suggest_joins" of "0.1.0";
    text2sql_ask_cursor, pg_finfo_text2sql_ask_cursor: "ask_cursor" of "0.1.0";
    text2sql_lineage, pg_finfo_text2sql_lineage: "lineage" of "0.1.0";
    verify_example_wrapper, pg_finfo_verify_example_wrapper: "verify_example" of "0.1.0";
    withdraw_feedback_wrapper, pg_finfo_withdraw_feedback_wrapper: "withdraw_feedback" of "0.1.0";
}
