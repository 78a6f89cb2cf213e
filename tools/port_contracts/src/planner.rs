//! The contract of [`Planner`].

use std::sync::Arc;

use text2sql_analysis::optimize::Planner;

use crate::{World, tables};

/// What any planner must do when called by `contract_caller`.
pub fn planner(planner: &dyn Planner, world: &World) {
    let plan = |sql: &str, imagined: &[&str]| {
        let imagined: Vec<String> = imagined.iter().map(|one| (*one).to_owned()).collect();
        planner.plan(sql, &imagined).expect("plan")
    };
    let cost = |sql: &str| {
        let cost = plan(sql, &[]).map(|found| found.plan.cost());
        assert!(
            cost.is_some_and(|cost| cost.is_finite() && cost > 0.0),
            "{sql}: {cost:?}"
        );
        cost
    };
    let right = "SELECT count(*) FROM shop.sales WHERE client_id = 1";
    let before = cost(right);
    let found = plan(right, &[]).expect("a plan");
    assert!(
        found.names.is_empty() && found.sizes.is_empty(),
        "nothing was imagined"
    );
    // A statement that fails only on execution has a plan, because nothing is run.
    cost("SELECT 1 / (count(*) - count(*)) AS n FROM shop.sales");

    // An invalid or forbidden statement has no plan.
    for sql in [
        "SELECT nothing FROM shop.regions",
        "SELECT * FROM shop.nowhere",
        "SELECT * FROM shop.wages",
        "DELETE FROM shop.regions",
        "INSERT INTO shop.regions VALUES (3, 'Kärnten')",
    ] {
        assert_eq!(plan(sql, &[]), None, "{sql}");
    }

    // A hypothetical index applies to one plan only, if supported.
    let index = "CREATE INDEX ON shop.sales (client_id)";
    match plan(right, &[index]) {
        None => assert!(!planner.can_imagine(), "{index}"),
        Some(with_index) => {
            assert!(planner.can_imagine(), "{index}");
            assert_eq!(with_index.names.len(), 1, "each has its name");
            assert_eq!(with_index.sizes.len(), 1, "and its size");
            assert!(with_index.sizes[0].is_finite() && with_index.sizes[0] >= 0.0);
            assert!(with_index.plan.cost().is_finite());
        }
    }
    assert_eq!(
        plan(right, &["CREATE INDEX ON shop.nowhere (client_id)"]),
        None,
        "an index that cannot be imagined"
    );
    assert_eq!(cost(right), before, "no imagined index is left");

    assert!(planner.storage(&[]).expect("storage").is_empty());
    let readable = ["regions", "sales"].map(|name| world.table(name));
    let asked: Vec<_> = tables(&world.tables)
        .into_iter()
        .filter(|table| readable.contains(&table.oid))
        .map(Arc::new)
        .collect();
    let stored = planner.storage(&asked).expect("storage");
    let mut oids: Vec<u32> = stored.iter().map(|one| one.table).collect();
    oids.sort_unstable();
    let mut expected = readable.to_vec();
    expected.sort_unstable();
    assert_eq!(oids, expected, "each table once");
    assert!(
        stored
            .iter()
            .all(|one| one.changed_rows.is_finite() && one.changed_rows >= 0.0)
    );
}
