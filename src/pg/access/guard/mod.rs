//! The guard: SQL that a model wrote can read what its caller may read, and nothing else.
//!
//! The layers, in order, all inside one subtransaction that is always rolled back:
//!
//! 1. the text: size, encoding ([`judge()`]);
//! 2. `guarded_state`: read-only, identity, timer, memory, settings, hooks, *before* anything is
//!    analysed, because parse analysis already runs input functions;
//! 3. the server's own raw parser: exactly one SELECT without INTO ([`judge()`]), and `raw_tree`;
//! 4. `tree`, with `functions`, `datatypes` and `relations`: an allow-list over the analysed tree;
//! 5. `rewritten`: what view bodies bring in;
//! 6. `plan`: the cost gate;
//! 7. `hooks`: at run time, what the called things call.
//!
//! The tree that was judged is the tree that runs: nothing parses the text again.

mod availability;
mod conversions;
mod datatypes;
mod functions;
mod guarded_state;
mod hooks;
mod huge_values;
mod json_casts;
mod judge_statement;
mod moved_clock;
mod node_kinds_tests;
mod operators;
mod plan;
mod raw_tree;
mod relations;
mod rewritten;
mod stack_depth;
mod substitute;
mod tree;
mod valid_sql;
mod verdict;
mod visitors;

pub(crate) use self::conversions::may_convert;
pub(crate) use self::functions::callable_names;
pub(crate) use self::guarded_state::{Envelope, log_no_plan, run_guarded};
pub(crate) use self::hooks::{Phase, install};
pub(crate) use self::judge_statement::{judge, parameter_types, statement_kind};
pub(crate) use self::plan::{ValidPlan, plan, price};
pub(crate) use self::substitute::{StandIn, raise_limit, read_copies};
pub(crate) use self::valid_sql::ValidSql;
pub(crate) use self::verdict::{Refusal, Verdict};

#[cfg(feature = "pg_test")]
pub(crate) use {
    self::functions::FunctionRules, self::functions::Standing, self::functions::policy_signatures,
    self::hooks::is_active,
};
