//! What `text2sql.optimize` is worth: queries on the demo database are timed, the proposed index is
//! made, they are timed again, and the index is dropped. The planner's estimate is reported with it.

use crate::error::Fallible;
use crate::session::Session;
use crate::subject::Subject;

/// Queries that no index of the demo database serves.
const QUERIES: [(&str, &str); 4] = [
    (
        "reviews of one customer",
        "SELECT product_id, rating FROM reviews WHERE customer_id = 77",
    ),
    (
        "shipments that left on one day",
        "SELECT tracking_number FROM shipments WHERE shipped_at >= TIMESTAMPTZ '2025-03-03' AND shipped_at < TIMESTAMPTZ '2025-03-04'",
    ),
    (
        "the ten largest refunds",
        "SELECT return_id, refund_amount FROM returns ORDER BY refund_amount DESC LIMIT 10",
    ),
    (
        "visits of one customer",
        "SELECT started_at, pages_viewed FROM web.sessions WHERE customer_id = 77",
    ),
];

/// One query with and without the index.
#[derive(Debug)]
pub(crate) struct Advice {
    pub(crate) name: &'static str,
    /// Milliseconds before and after.
    pub(crate) before: Vec<f64>,
    pub(crate) after: Vec<f64>,
    /// How many times cheaper the planner said it would be.
    pub(crate) promised: f64,
}

/// Times each query. `None` where hypopg is not installed: then nothing is priced.
pub(crate) fn measure(subject: &Subject<'_>, repeats: usize) -> Fallible<Option<Vec<Advice>>> {
    let mut session = subject.administrate()?;
    let known = "SELECT count(*) FROM pg_available_extensions WHERE name = 'hypopg'";
    if session.value(known)? == "0" {
        return Ok(None);
    }
    session
        .run("CREATE EXTENSION IF NOT EXISTS hypopg; SET max_parallel_workers_per_gather = 0")?;
    let mut advice = Vec::new();
    for (name, sql) in QUERIES {
        advice.push(one(&mut session, name, sql, repeats)?);
    }
    session.run("DROP EXTENSION hypopg")?;
    Ok(Some(advice))
}

fn one(session: &mut Session, name: &'static str, sql: &str, repeats: usize) -> Fallible<Advice> {
    let quoted = sql.replace('\'', "''");
    let best = format!(
        "SELECT sql, (cost_before / cost_after)::text AS promised FROM text2sql.optimize('{quoted}')
         WHERE kind = 'index' AND cost_after IS NOT NULL ORDER BY cost_after LIMIT 1"
    );
    let rows = session.run(&best)?;
    let row = rows
        .first()
        .ok_or_else(|| format!("text2sql.optimize proposes no index for: {sql}"))?;
    let ddl = row.try_get("sql")?.unwrap_or_default().to_owned();
    let promised = row.try_get("promised")?.unwrap_or_default().parse()?;
    let before = times(session, sql, repeats)?;
    // In a transaction: an index with a name of the server's choice goes as it came.
    session.run("BEGIN")?;
    session.run(&ddl.replace(" CONCURRENTLY", ""))?;
    let after = times(session, sql, repeats);
    session.run("ROLLBACK")?;
    Ok(Advice {
        name,
        before,
        after: after?,
        promised,
    })
}

fn times(session: &mut Session, sql: &str, repeats: usize) -> Fallible<Vec<f64>> {
    // The first one reads the pages.
    session.run(sql)?;
    (0..repeats)
        .map(|_| session.timed(sql).map(|(milliseconds, _)| milliseconds))
        .collect()
}
