//! The number of questions and tokens that a role may use in a day, and what they may cost.
//!
//! A question is counted before the model is called, and a rollback does not undo the count. One session counts
//! at a time, for the duration of the counting statement. Where counting is impossible, on a standby or in a
//! read-only transaction, a role with a budget is refused: an uncounted question would be free.

use pgrx::{AnyNumeric, pg_sys};
use text2sql_domain::config::Endpoint;
use text2sql_domain::error::{Error, failure};
use text2sql_domain::prices::Cost;
use text2sql_domain::trace::Trace;

use crate::pg::server::spi;
use crate::pg::server::spi::advisory_locks::{self, Purpose};
use crate::pg::server::spi::owner::{as_owner_of, can_write, has_no_block};
use crate::pg::server::spi::sandbox::keep_no_locks;

const CHARGE_BUDGETS: &str = include_str!("../../../../sql/queries/charge_budgets.sql");
const CHARGE_USAGE: &str = include_str!("../../../../sql/queries/charge_usage.sql");
const BUDGET_USAGE: &str = include_str!("../../../../sql/queries/budget_usage.sql");
const HAS_BUDGET: &str = include_str!("../../../../sql/queries/has_budget.sql");
const OTHER_CURRENCY: &str = "
    SELECT b.role_name::text, b.currency FROM text2sql._budgets AS b
     WHERE b.cost_per_day IS NOT NULL AND b.currency <> $2 AND text2sql._applies_to_role(b.role_name, $1)
     ORDER BY b.budget_id";
const ANY_BUDGET: &str = "SELECT EXISTS (SELECT FROM text2sql._budgets)";

/// Tokens are counted in hundreds, rounded up.
const TOKENS_PER_COUNT: u64 = 100;

/// A budget that a question exceeds.
struct Exceeded {
    role: String,
    most: String,
    what: String,
    /// Arguments of `set_budget` that double the limit.
    doubled: String,
}

impl Exceeded {
    fn into_error(self) -> Error {
        let Self {
            role,
            most,
            what,
            doubled,
        } = self;
        failure!(
            Limit,
            "the budget of role {role} is used up: {most} {what} a day"
        )
        .with_detail("Days begin at midnight UTC. Members of a role share its budget.")
        .with_hint(format!(
            "The owner of pg_text2sql can raise it: SELECT text2sql.set_budget('{}', {doubled})",
            role.replace('\'', "''")
        ))
    }
}

/// Refuses a model with prices in another currency than a budget of the caller: its cost could not be counted.
pub(crate) fn check_currency(endpoint: &Endpoint) -> Result<(), Error> {
    let Some(prices) = &endpoint.prices else {
        return Ok(());
    };
    let currency = prices.currency.as_str();
    // SAFETY: reads a variable.
    let caller = unsafe { pg_sys::GetUserId() };
    let others = keep_no_locks(|| {
        as_owner_of(c"_budgets", || {
            let arguments = [caller.into(), currency.into()];
            spi::read_rows(OTHER_CURRENCY, &arguments, 1, |row| {
                Ok((
                    row.read::<String>(1)?.unwrap_or_default(),
                    row.read::<String>(2)?.unwrap_or_default(),
                ))
            })
        })
    })?;
    match others.into_iter().next() {
        None => Ok(()),
        Some((role, budget)) => Err(failure!(Limit, "the budget of role {role} is in {budget}, and model \"{}\" has prices in {currency}",
                endpoint.name)
        .with_detail("Amounts in different currencies cannot be added up.")
        .with_hint(format!(
            "The owner of pg_text2sql can change it: SELECT text2sql.set_budget('{}', cost_per_day => 5, currency => '{currency}')",
            role.replace('\'', "''")
        ))),
    }
}

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
                    Some(true) => Err(failure!(
                        Limit,
                        "questions of a role with a budget cannot be counted in this transaction"
                    )
                    .with_hint("Ask on the primary server, outside a read-only transaction.")),
                    _ => Ok(true),
                };
            }
            let counting = advisory_locks::take(Purpose::Count);
            let exceeded = spi::write(CHARGE_BUDGETS, &[caller.into()], |row| {
                Ok(Exceeded {
                    role: row.read(1)?.unwrap_or_default(),
                    most: row.read(2)?.unwrap_or_default(),
                    what: row.read(3)?.unwrap_or_default(),
                    doubled: row.read(4)?.unwrap_or_default(),
                })
            });
            counting.give_back();
            match exceeded?.into_iter().next() {
                None => Ok(true),
                Some(exceeded) => Err(exceeded.into_error()),
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
    pub(crate) cost_today: Option<AnyNumeric>,
    pub(crate) cost_per_day: Option<AnyNumeric>,
    pub(crate) currency: Option<String>,
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
                cost_today: row.read(6)?,
                cost_per_day: row.read(7)?,
                currency: row.read(8)?,
            })
        })
    })
}

/// Counts what a question of the caller used.
pub(crate) fn charge_usage(trace: &Trace) -> Result<(), Error> {
    let tokens = trace.input_tokens.saturating_add(trace.output_tokens);
    let counts = i64::try_from(tokens.div_ceil(TOKENS_PER_COUNT)).unwrap_or(i64::MAX);
    let costs = trace.costs();
    if (counts == 0 && costs.is_empty()) || !can_write() || has_no_block(c"_budgets") {
        return Ok(());
    }
    // SAFETY: reads a variable.
    let caller = unsafe { pg_sys::GetUserId() };
    as_owner_of(c"_budgets", || {
        let counting = advisory_locks::take(Purpose::Count);
        let counted = charge(caller, counts, &costs);
        counting.give_back();
        counted
    })
}

/// Counts tokens, in hundreds, and the cost in each currency, rounded up to millionths.
fn charge(caller: pg_sys::Oid, tokens: i64, costs: &[Cost]) -> Result<(), Error> {
    let count = |tokens: i64, micros: i64, currency: &str| {
        let arguments = [caller.into(), tokens.into(), micros.into(), currency.into()];
        spi::write(CHARGE_USAGE, &arguments, |_| Ok(())).map(drop)
    };
    count(tokens, 0, "")?;
    for cost in costs {
        // A float beyond the range becomes its end.
        count(0, cost.micros.ceil() as i64, &cost.currency)?;
    }
    Ok(())
}
