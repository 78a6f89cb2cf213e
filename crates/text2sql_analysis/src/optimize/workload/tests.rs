//! One set of indexes for many statements.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::choose::Costs;
use super::*;
use crate::execution_plan::Plan;
use crate::optimize::{ImaginedPlan, candidates::Candidate};
use text2sql_domain::schema_fixture::shop;

fn candidate(table: u32, keys: &[&str]) -> Candidate {
    Candidate::named(table, keys)
}

fn index(table: u32, keys: &[&str], statements: &[usize], size: f64) -> Merged {
    Merged {
        candidate: candidate(table, keys),
        statements: statements.to_vec(),
        size,
    }
}

#[test]
fn beginnings_are_served_by_the_longer_index() {
    let found = BTreeMap::from([
        (0, vec![candidate(1, &["a"]), candidate(2, &["a"])]),
        (1, vec![candidate(1, &["a", "b"])]),
        (2, vec![candidate(1, &["b", "a"]), candidate(1, &["a"])]),
    ]);
    let told: Vec<(u32, String, Vec<usize>)> = merged(found)
        .into_iter()
        .map(|one| {
            (
                one.candidate.table,
                one.candidate.keys.join(","),
                one.statements,
            )
        })
        .collect();
    let one =
        |table, keys: &str, statements: &[usize]| (table, keys.to_owned(), statements.to_vec());
    assert_eq!(
        told,
        [
            one(1, "a", &[0, 2]),
            one(2, "a", &[0]),
            one(1, "a,b", &[0, 1, 2]),
            one(1, "b,a", &[2]),
        ]
    );
}

/// Costs from a table: of each statement without an index, and with each one.
struct Fixed {
    before: Vec<f64>,
    with: Vec<Vec<f64>>,
}

impl Costs for Fixed {
    fn cost(
        &mut self,
        _: &[Merged],
        set: &[usize],
        statement: usize,
    ) -> Result<Option<f64>, Error> {
        let with = set.iter().map(|index| self.with[*index][statement]);
        Ok(Some(with.fold(self.before[statement], f64::min)))
    }
}

fn total(costs: &mut Fixed, indexes: &[Merged], weights: &[f64], set: &[usize]) -> f64 {
    let costs = weights
        .iter()
        .enumerate()
        .map(|(statement, weight)| weight * costs.cost(indexes, set, statement).unwrap().unwrap());
    costs.sum()
}

/// The lowest cost of all sets within the budget.
fn exhaustive(costs: &mut Fixed, indexes: &[Merged], weights: &[f64], budget: &Budget) -> f64 {
    let sets = 0..1_usize << indexes.len();
    let sets = sets.map(|bits| -> Vec<usize> {
        (0..indexes.len())
            .filter(|place| bits >> place & 1 == 1)
            .collect()
    });
    let fits = |set: &Vec<usize>| {
        let bytes: f64 = set.iter().map(|place| indexes[*place].size).sum();
        set.len() <= budget.max_indexes && budget.max_bytes.is_none_or(|max| bytes <= max)
    };
    let sets: Vec<Vec<usize>> = sets.filter(fits).collect();
    sets.iter()
        .map(|set| total(costs, indexes, weights, set))
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn the_greedy_choice_is_close_to_the_best_one() {
    let mut state = 4711_u64;
    let mut random = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % below
    };
    let (mut equal, mut cases) = (0, 0);
    for _ in 0..300 {
        let (statements, number) = (2 + random(4) as usize, 2 + random(5) as usize);
        let before: Vec<f64> = (0..statements)
            .map(|_| 100.0 + random(900) as f64)
            .collect();
        let weights: Vec<f64> = (0..statements).map(|_| 1.0 + random(50) as f64).collect();
        let all: Vec<usize> = (0..statements).collect();
        let indexes: Vec<Merged> = (0..number)
            .map(|place| index(place as u32, &["a"], &all, 1.0 + random(9) as f64))
            .collect();
        let with: Vec<Vec<f64>> = (0..number)
            .map(|_| {
                before
                    .iter()
                    .map(|cost| cost * (1.0 - random(10) as f64 / 10.0))
                    .collect()
            })
            .collect();
        let mut costs = Fixed { before, with };
        let budget = Budget {
            max_indexes: 1 + random(3) as usize,
            max_bytes: (random(2) == 0).then(|| 3.0 + random(12) as f64),
        };
        let chosen = choose(&indexes, &weights, &budget, &mut costs).unwrap();
        let none = total(&mut costs, &indexes, &weights, &[]);
        let greedy = total(&mut costs, &indexes, &weights, &chosen);
        let best = exhaustive(&mut costs, &indexes, &weights, &budget);
        let bytes: f64 = chosen.iter().map(|place| indexes[*place].size).sum();
        assert!(chosen.len() <= budget.max_indexes);
        assert!(
            budget.max_bytes.is_none_or(|max| bytes <= max),
            "{chosen:?}"
        );
        // A further index that saves less than a hundredth is left out, once for each that could be chosen.
        let (saved, possible) = (none - greedy, none - best);
        assert!(
            saved >= possible * 0.5 - 0.03 * none,
            "{saved} of {possible}"
        );
        cases += 1;
        equal += usize::from(saved >= possible * 0.97 - 0.01 * none);
    }
    assert!(equal * 100 >= cases * 90, "{equal} of {cases}");
}

#[test]
fn the_budget_is_kept() {
    let indexes = [
        index(1, &["a"], &[0], 100.0),
        index(2, &["a"], &[1], 10.0),
        index(3, &["a"], &[2], 10.0),
    ];
    let mut costs = Fixed {
        before: vec![100.0, 100.0, 100.0],
        with: vec![
            vec![10.0, 100.0, 100.0],
            vec![100.0, 20.0, 100.0],
            vec![100.0, 100.0, 30.0],
        ],
    };
    let mut chosen = |max_indexes, max_bytes| {
        let budget = Budget {
            max_indexes,
            max_bytes,
        };
        choose(&indexes, &[1.0, 1.0, 1.0], &budget, &mut costs).unwrap()
    };
    assert_eq!(chosen(5, None), [0, 1, 2]);
    assert_eq!(chosen(1, None), [0]);
    assert_eq!(chosen(0, None), [] as [usize; 0]);
    // One that saves most would leave no room for two that save more together.
    assert_eq!(chosen(5, Some(100.0)), [1, 2]);
    assert_eq!(chosen(5, Some(9.0)), [] as [usize; 0]);
}

#[test]
fn a_longer_index_replaces_its_beginning() {
    let indexes = [
        index(1, &["a"], &[0], 10.0),
        index(1, &["a", "b"], &[0, 1], 12.0),
    ];
    let mut costs = Fixed {
        before: vec![100.0, 100.0],
        with: vec![vec![9.0, 100.0], vec![10.0, 50.0]],
    };
    let budget = Budget {
        max_indexes: 2,
        max_bytes: None,
    };
    // The first statement runs so often that its own index comes first.
    let chosen = choose(&indexes, &[100.0, 5.0], &budget, &mut costs).unwrap();
    assert_eq!(chosen, [1]);
    // Where the second hardly matters, the shorter one is enough.
    let chosen = choose(&indexes, &[100.0, 0.1], &budget, &mut costs).unwrap();
    assert_eq!(chosen, [0]);
}

#[test]
fn recorded_statements_become_queries() {
    let query = |sql: &str| match plannable(sql).unwrap() {
        Plannable::Query(query) => query,
        other => panic!("{sql}: {other:?}"),
    };
    for (sql, expected) in [
        (
            "SELECT * FROM t WHERE a = $1",
            "SELECT * FROM t WHERE a = $1",
        ),
        ("/* app */ select $1", "/* app */ select $1"),
        (
            "SELECT * FROM t WHERE a > now() - interval $1",
            "SELECT * FROM t WHERE a > now() - CAST($1 AS interval)",
        ),
        (
            "SELECT a FROM t WHERE b = $1 FOR UPDATE",
            "SELECT a FROM t WHERE b = $1",
        ),
        (
            "UPDATE t SET a = $1 WHERE b = $2",
            "SELECT $1 FROM t WHERE b = $2",
        ),
        ("DELETE FROM t WHERE b = $1", "SELECT 1 FROM t WHERE b = $1"),
        (
            "INSERT INTO u SELECT a FROM t WHERE b = $1",
            "SELECT a FROM t WHERE b = $1",
        ),
    ] {
        assert_eq!(query(sql), expected);
    }
    for (sql, expected) in [
        ("BEGIN", Plannable::Utility),
        ("CREATE INDEX ON t (a)", Plannable::Utility),
        ("VACUUM", Plannable::Utility),
        ("INSERT INTO t VALUES ($1, $2)", Plannable::Nothing),
        ("SELECT text2sql._version()", Plannable::Own),
        ("SELECT * FROM pg_stat_statements", Plannable::Own),
        ("", Plannable::Utility),
    ] {
        assert_eq!(plannable(sql).unwrap(), expected, "{sql}");
    }
    assert_eq!(parameters("SELECT $1, $12, '$30', \"$40\""), 12);
    assert_eq!(
        typed(
            "SELECT '$1', $1 FROM t WHERE a = ANY($2) AND b=$3",
            &["text".to_owned(), "integer[]".to_owned()]
        ),
        "SELECT '$1', (SELECT NULL::text) FROM t WHERE a = ANY((SELECT NULL::integer[])) AND b=$3"
    );
}

/// A planner that reads the table from end to end, unless an index begins with the column of the condition.
struct Scans {
    can_imagine: bool,
}

impl Planner for Scans {
    fn plan(&self, sql: &str, imagined: &[String]) -> Result<Option<ImaginedPlan>, Error> {
        let names: Vec<String> = (0..imagined.len()).map(|n| format!("<{n}>")).collect();
        let column = sql
            .split_once("WHERE ")
            .map_or("", |(_, rest)| rest.split(' ').next().unwrap_or_default());
        let used = imagined.iter().position(|index| {
            index
                .split_once('(')
                .is_some_and(|(_, keys)| keys.starts_with(column))
                && !column.is_empty()
        });
        let node = match used {
            Some(place) => format!(
                r#"{{"Node Type": "Index Scan", "Index Name": "<{place}>", "Total Cost": 8, "Plan Rows": 1}}"#
            ),
            None => format!(
                r#"{{"Node Type": "Seq Scan", "Relation Name": "orders", "Total Cost": 1000, "Plan Rows": 3, "Filter": "({column} = $0)"}}"#
            ),
        };
        Ok(Some(ImaginedPlan {
            plan: Plan::read(&format!(r#"[{{"Plan": {node}}}]"#))?,
            sizes: vec![8192.0; names.len()],
            names,
        }))
    }

    fn can_imagine(&self) -> bool {
        self.can_imagine
    }

    fn storage(&self, tables: &[Arc<Table>]) -> Result<Vec<Storage>, Error> {
        let storage = |table: &Arc<Table>| Storage {
            table: table.oid,
            ..Storage::default()
        };
        Ok(tables.iter().map(storage).collect())
    }
}

fn statement(query: &str, calls: f64) -> WorkStatement {
    let types = vec!["integer".to_owned()];
    WorkStatement {
        typed: typed(query, &types),
        query: query.to_owned(),
        types,
        calls,
    }
}

#[test]
fn a_workload_gets_one_set() {
    let statements = [
        statement("SELECT total FROM orders WHERE customer_id = $1", 90.0),
        statement("SELECT count(*) FROM orders WHERE customer_id = $1", 10.0),
        statement("SELECT name FROM customers", 1.0),
    ];
    let budget = Budget {
        max_indexes: 5,
        max_bytes: None,
    };
    let proposed = propose(&statements, &shop(), &Scans { can_imagine: true }, &budget).unwrap();
    let [index] = proposed.indexes.as_slice() else {
        panic!("{proposed:?}");
    };
    assert_eq!(
        index.statement,
        "CREATE INDEX ON public.orders (customer_id)"
    );
    assert_eq!(index.gains, [(0, 1000.0, 8.0), (1, 1000.0, 8.0)]);
    assert_eq!(proposed.before, [Some(1000.0), Some(1000.0), Some(1000.0)]);
    assert_eq!(proposed.after, [Some(8.0), Some(8.0), Some(1000.0)]);
    assert!(proposed.is_planned && !proposed.is_cut);
    // Without hypothetical indexes: 12 for the way down and 4 for each of three rows.
    let guessed = propose(&statements, &shop(), &Scans { can_imagine: false }, &budget).unwrap();
    assert_eq!(
        guessed.indexes[0].gains,
        [(0, 1000.0, 24.0), (1, 1000.0, 24.0)]
    );
    assert!(!guessed.is_planned && guessed.indexes[0].size > 0.0);
    let nothing = propose(&[], &shop(), &Scans { can_imagine: true }, &budget).unwrap();
    assert!(nothing.indexes.is_empty());
}

fn recorded(queryid: i64, changes: &[(u32, &str)]) -> Recorded {
    Recorded {
        queryid,
        text: format!("statement {queryid}"),
        calls: 10.0,
        share: 0.25,
        changes: changes
            .iter()
            .map(|(table, column)| (*table, (*column).to_owned()))
            .collect(),
    }
}

fn existing(name: &str, columns: &[&str], is_needed: bool, scans: f64) -> IndexFacts {
    IndexFacts {
        name: name.to_owned(),
        columns: columns
            .iter()
            .map(|&column| Some(column.to_owned()))
            .collect(),
        is_plain: !is_needed,
        is_needed,
        scans,
        size: 8192.0,
        same_as: None,
    }
}

#[test]
fn the_report_says_what_an_index_costs_and_what_is_there() {
    let proposals = WorkloadProposals {
        before: vec![Some(100.0), None],
        after: vec![Some(10.0), None],
        indexes: vec![ProposedIndex {
            table: 1,
            statement: "CREATE INDEX ON public.t (a, state)".to_owned(),
            columns: vec!["a".to_owned(), "state".to_owned()],
            size: 4096.0,
            gains: vec![(0, 100.0, 10.0)],
            redundant: vec!["t_a".to_owned()],
        }],
        rewrites: Vec::new(),
        is_planned: true,
        is_cut: false,
    };
    let table = TableFacts {
        table: 1,
        name: "public.t".to_owned(),
        inserted: 5.0,
        updated: 9.0,
        hot_updated: 7.0,
        deleted: 1.0,
        indexes: vec![
            existing("public.t_pkey", &["id", "a"], true, 0.0),
            existing("public.t_id", &["id"], false, 3.0),
            existing("public.t_a", &["a"], false, 0.0),
            IndexFacts {
                same_as: Some("public.t_a".to_owned()),
                ..existing("public.t_a_again", &["a"], false, 0.0)
            },
        ],
    };
    let lines = report(
        &proposals,
        &[recorded(7, &[]), recorded(8, &[(1, "state"), (1, "a")])],
        &[table],
        "2025-01-01",
    );
    let told: Vec<(&str, &str, &str)> = lines
        .iter()
        .map(|line| {
            (
                line.kind,
                line.explanation.as_str(),
                line.caveats.as_deref().unwrap_or(""),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            (
                "workload",
                "Planned: 1 of the statements, with 25.0 % of the time. New indexes proposed for all of them together: 1.",
                ""
            ),
            (
                "index",
                "It would be used by 1 of the statements, with 25.0 % of the time.",
                "Each row that is written needs an entry: since 2025-01-01 public.t had 5 rows inserted, 9 updated and 1 deleted, and it has 4 indexes. Statements of the workload change state, which no index has yet: their updates could no longer be HOT (7 of 9 were). It would make t_a redundant, which begins it."
            ),
            (
                "duplicate",
                "public.t_id has the columns with which public.t_pkey begins.",
                ""
            ),
            (
                "unused",
                "Nothing on this server has used public.t_a since 2025-01-01.",
                "A standby counts for itself, and an index may be for work that is rare."
            ),
            (
                "duplicate",
                "public.t_a_again has the same definition as public.t_a.",
                ""
            ),
        ]
    );
    let index = &lines[1];
    assert_eq!(
        index.sql.as_deref(),
        Some("CREATE INDEX CONCURRENTLY ON public.t (a, state)")
    );
    assert_eq!(
        (index.cost_before, index.cost_after),
        (Some(1000.0), Some(100.0))
    );
    assert_eq!(
        (index.statements.len(), index.statements[0].queryid),
        (1, 7)
    );
}
