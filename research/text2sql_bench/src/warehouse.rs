//! What the cost cap and the guard mean on a table of ten million rows: planner costs, plans and times of typical
//! statements, guarded and typed.

use crate::cluster_names::{ROLE, WAREHOUSE};
use crate::error::Fallible;
use crate::progress::tell;
use crate::report::{Report, Section};
use crate::session::{Cluster, Session};
use crate::statistics::median;
use crate::workload::{call, literal};
use crate::{machine, setup};

/// Rows of the fact table, and of the dimension.
const FACTS: usize = 10_000_000;
const CUSTOMERS: usize = 100_000;

/// Pairs of each statement; the first is not counted.
const PAIRS: usize = 4;

/// Typical statements over a warehouse, and statements that are a mistake.
const STATEMENTS: [(&str, &str); 11] = [
    ("count", "SELECT count(*) FROM facts"),
    (
        "aggregate of a month",
        "SELECT sum(amount) FROM facts WHERE day BETWEEN '2024-03-01' AND '2024-03-31'",
    ),
    (
        "aggregate by day",
        "SELECT day, count(*), sum(amount), avg(amount) FROM facts GROUP BY day ORDER BY day",
    ),
    (
        "aggregate by customer",
        "SELECT customer_id, sum(amount) AS s FROM facts GROUP BY customer_id ORDER BY s DESC LIMIT 10",
    ),
    (
        "distinct customers by month",
        "SELECT date_trunc('month', day) AS m, count(DISTINCT customer_id) FROM facts GROUP BY 1",
    ),
    (
        "join with a dimension",
        "SELECT c.country, sum(f.amount) FROM facts f JOIN customers c USING (customer_id) GROUP BY c.country",
    ),
    (
        "window over groups",
        "SELECT day, sum(sum(amount)) OVER (ORDER BY day) FROM facts GROUP BY day",
    ),
    (
        "window over all rows",
        "SELECT max(r) FROM (SELECT row_number() OVER (PARTITION BY customer_id ORDER BY day) AS r FROM facts) s",
    ),
    (
        "median",
        "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY amount) FROM facts",
    ),
    (
        "a self-join on a key",
        "SELECT count(*) FROM facts a JOIN facts b ON a.fact_id = b.fact_id + 1",
    ),
    (
        "a self-join without one",
        "SELECT count(*) FROM facts a JOIN facts b ON a.customer_id = b.customer_id",
    ),
];

/// Measures, and drops the database.
pub(crate) fn measure(cluster: &Cluster) -> Fallible<Report> {
    tell("ten million rows: creating …");
    create(cluster)?;
    setup::prepare(cluster, WAREHOUSE)?;
    // Only a superuser may set it.
    cluster.administrate(WAREHOUSE)?.run(&format!(
        "ALTER DATABASE {WAREHOUSE} SET text2sql.query_timeout = '5min'"
    ))?;
    let mut session = cluster.connect(WAREHOUSE, ROLE)?;
    session.run("SET statement_timeout = '10min'")?;
    let mut report = Report {
        machine: machine::facts(&mut session)?,
        sections: vec![plans(&mut session)?],
        aims: Vec::new(),
    };
    let mut section = Section::new("Ten million rows: cost, and seconds typed and guarded");
    for (name, sql) in STATEMENTS {
        measure_one(&mut session, name, sql, &mut section)?;
    }
    report.sections.push(section);
    Ok(report)
}

fn create(cluster: &Cluster) -> Fallible<()> {
    setup::create_empty_database(cluster, WAREHOUSE)?;
    let mut session = cluster.administrate(WAREHOUSE)?;
    session.run("SET statement_timeout = 0")?;
    session.run(&format!(
        "CREATE TABLE customers (customer_id int PRIMARY KEY, country text, name text);
         CREATE TABLE facts (fact_id bigint, customer_id int, day date, amount numeric(10, 2));
         INSERT INTO customers SELECT n, chr(65 + n % 26), 'customer ' || n FROM generate_series(1, {CUSTOMERS}) AS n;
         INSERT INTO facts SELECT n, 1 + (n * 7919::bigint) % {CUSTOMERS}, DATE '2023-01-01' + (n % 730)::int, n % 1000 / 7.0
         FROM generate_series(1, {FACTS}) AS n"
    ))?;
    Ok(())
}

/// Whether the guard's plans are those that the caller would get: parallel, and with the `work_mem` of the caller.
fn plans(session: &mut Session) -> Fallible<Section> {
    let mut section = Section::new("Plans: cost of the join, typed and guarded");
    let (_, join) = STATEMENTS.get(5).copied().unwrap_or_default();
    for (name, set) in [
        ("as it is", ""),
        (
            "max_parallel_workers_per_gather = 0",
            "SET max_parallel_workers_per_gather = 0",
        ),
        ("work_mem = '64kB'", "SET work_mem = '64kB'"),
        ("work_mem = '128MB'", "SET work_mem = '128MB'"),
    ] {
        session.run(set)?;
        let typed = typed_plan(session, join)?;
        let guarded = guarded_cost(session, join)?;
        section.number(&format!("{name}: typed"), "cost", typed.cost);
        section.number(&format!("{name}: guarded"), "cost", guarded);
        let parallel = if typed.is_parallel {
            "parallel"
        } else {
            "serial"
        };
        let same = if (typed.cost - guarded).abs() < 0.01 {
            "the same plan"
        } else {
            "ANOTHER PLAN"
        };
        section.note(format!(
            "{name}: typed it is {parallel}; guarded it is {same}"
        ));
        session.run("RESET max_parallel_workers_per_gather; RESET work_mem")?;
    }
    Ok(section)
}

struct TypedPlan {
    cost: f64,
    is_parallel: bool,
}

fn typed_plan(session: &mut Session, sql: &str) -> Fallible<TypedPlan> {
    let rows = session.run(&format!("EXPLAIN {sql}"))?;
    let lines: Vec<&str> = rows.iter().filter_map(|row| row.get(0)).collect();
    let first = lines.first().copied().unwrap_or_default();
    let cost = first
        .split_once("..")
        .and_then(|(_, rest)| rest.split(' ').next())
        .unwrap_or_default();
    Ok(TypedPlan {
        cost: cost.parse()?,
        is_parallel: lines.iter().any(|line| line.contains("Gather")),
    })
}

fn guarded_cost(session: &mut Session, sql: &str) -> Fallible<f64> {
    let sql = format!(
        "SELECT estimated_cost FROM text2sql.validate({})",
        literal(sql)
    );
    Ok(session.value(&sql)?.parse()?)
}

fn measure_one(
    session: &mut Session,
    name: &str,
    sql: &str,
    section: &mut Section,
) -> Fallible<()> {
    let cost = guarded_cost(session, sql)?;
    section.number(&format!("{name}: cost"), "", cost);
    let allowed = session.value(&format!(
        "SELECT allowed FROM text2sql.validate({})",
        literal(sql)
    ))?;
    if allowed != "t" {
        section.note(format!("{name}: refused by the default cap"));
        return Ok(());
    }
    let (mut typed, mut guarded) = (Vec::new(), Vec::new());
    for pair in 0..PAIRS {
        let (direct, _) = session.timed(sql)?;
        let (under, _) = session.timed(&call("run_json", sql))?;
        if pair > 0 {
            typed.push(direct / 1000.0);
            guarded.push(under / 1000.0);
        }
    }
    section.series(&format!("{name}: typed"), "s", &typed);
    section.series(&format!("{name}: guarded"), "s", &guarded);
    section.number(
        &format!("{name}: guarded to typed"),
        "",
        median(&guarded) / median(&typed),
    );
    Ok(())
}
