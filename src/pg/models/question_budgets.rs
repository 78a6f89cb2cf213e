//! The number of questions and tokens that a role may use in a day.
//!
//! A question is counted before the model is called, and a rollback does not undo the count. One session counts
//! at a time, for the duration of the counting statement. Where counting is impossible, on a standby or in a
//! read-only transaction, a role with a budget is refused: an uncounted question would be free.

use pgrx::pg_sys;
use text2sql_domain::error::{Error, ErrorKind};

use crate::pg::spi;
use crate::pg::spi::advisory_locks::{self, Kind};
use crate::pg::spi::owner::{as_owner_of, can_write, has_no_block};
use crate::pg::spi::sandbox::keep_no_locks;

const CHARGE_BUDGETS: &str = include_str!("../../../sql/queries/charge_budgets.sql");
const CHARGE_TOKENS: &str = include_str!("../../../sql/queries/charge_tokens.sql");
const BUDGET_USAGE: &str = include_str!("../../../sql/queries/budget_usage.sql");
const HAS_BUDGET: &str = include_str!("../../../sql/queries/has_budget.sql");
const ANY_BUDGET: &str = "SELECT EXISTS (SELECT FROM text2sql._budgets)";

/// Tokens are counted in hundreds, rounded up.
const TOKENS_PER_COUNT: u64 = 100;

/// Counts a question of the caller, or refuses it. Returns whether any role has a budget.
pub(crate) fn charge_question() -> Result<bool, Error> {
    // SAFETY: reads a variable.
    let caller = unsafe { pg_sys::GetUserId() };
    // A rollback does not undo the count. Only the lock of a counter is kept.
    keep_no_locks(|| {
        as_owner_of(c"_budgets", || {
            if has_no_block(c"_budgets")
                || !spi::read_one::<bool>(ANY_BUDGET, &[])?.unwrap_or(false)
            {
                return Ok(false);
            }
            if !can_write() {
                return match spi::read_one::<bool>(HAS_BUDGET, &[caller.into()])? {
                    Some(true) => Err(Error::new(
                        ErrorKind::Limit,
                        "questions of a role with a budget cannot be counted in this transaction",
                    )
                    .with_hint("Ask on the primary server, outside a read-only transaction.")),
                    _ => Ok(true),
                };
            }
            let counting = advisory_locks::take(Kind::Count);
            let broken = spi::write(CHARGE_BUDGETS, &[caller.into()], |row| {
                Ok((
                    row.read::<String>(1)?.unwrap_or_default(),
                    row.read::<String>(2)?.unwrap_or_default(),
                    row.read::<i64>(3)?.unwrap_or_default(),
                ))
            });
            counting.give_back();
            let broken = broken?;
            match broken.first() {
            None => Ok(true),
            Some((role, kind, bound)) => Err(Error::new(
                ErrorKind::Limit,
                format!("the budget of role {role} is used up: {bound} {kind} a day"),
            )
            .with_detail("Days begin at midnight UTC. Members of a role share its budget.")
            .with_hint(format!(
                "The owner of pg_text2sql can raise it: SELECT text2sql.set_budget('{}', {kind}_per_day => {})",
                role.replace('\'', "''"),
                bound.saturating_mul(2).max(1)
            ))),
        }
        })
    })
}

/// How much of a budget is used up today.
pub(crate) struct Usage {
    pub(crate) role: String,
    pub(crate) questions_today: Option<i64>,
    pub(crate) questions_per_day: Option<i32>,
    pub(crate) tokens_today: Option<i64>,
    pub(crate) tokens_per_day: Option<i64>,
}

/// The budgets that apply to the caller; all of them for a role that may set budgets.
pub(crate) fn usage() -> Result<Vec<Usage>, Error> {
    // SAFETY: reads a variable.
    let caller = unsafe { pg_sys::GetUserId() };
    as_owner_of(c"_budgets", || {
        spi::read_rows(BUDGET_USAGE, &[caller.into()], 0, |row| {
            Ok(Usage {
                role: row.read(1)?.unwrap_or_default(),
                questions_today: row.read(2)?,
                questions_per_day: row.read(3)?,
                tokens_today: row.read(4)?,
                tokens_per_day: row.read(5)?,
            })
        })
    })
}

/// Counts tokens that a question of the caller used.
pub(crate) fn charge_tokens(tokens: u64) -> Result<(), Error> {
    let counts = i64::try_from(tokens.div_ceil(TOKENS_PER_COUNT)).unwrap_or(i64::MAX);
    if counts == 0 || !can_write() {
        return Ok(());
    }
    // SAFETY: reads a variable.
    let caller = unsafe { pg_sys::GetUserId() };
    as_owner_of(c"_budgets", || {
        let counting = advisory_locks::take(Kind::Count);
        let counted = spi::write(CHARGE_TOKENS, &[caller.into(), counts.into()], |_| Ok(()));
        counting.give_back();
        counted.map(drop)
    })
}
