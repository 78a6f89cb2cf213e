//! What only a running server can show about the guard: limits, cancels, and side effects. The judgement itself
//! is tested by the corpus in `tests/guard/`.

/// Run by pgrx, each test in its own transaction, which is rolled back.
#[cfg(feature = "pg_test")]
#[pgrx::pg_schema]
#[expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "tests"
)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::{Duration, Instant};

    use pgrx::pg_sys;
    use pgrx::prelude::*;
    use text2sql_domain::config::Limits;
    use text2sql_domain::sql_result::DatabaseError;
    use text2sql_domain::validate::{Rejection, Rule};

    use crate::pg::access::execution::execute::{self, Capture, GuardedRows};
    use crate::pg::access::guard::{FunctionRules, Standing, Verdict};
    use crate::pg::server::settings::GuardPolicy;
    use crate::pg::server::spi::role;

    fn limits() -> Limits {
        Limits {
            max_result_rows: 1000,
            max_result_bytes: 1024 * 1024,
            max_cost: 0.0,
            query_timeout: Duration::from_secs(20),
            memory_limit: 512 * 1024 * 1024,
        }
    }

    fn verdict(sql: &str, limits: &Limits) -> Verdict<GuardedRows> {
        let role = role::effective_role(None).unwrap();
        execute::run(
            sql,
            limits,
            &crate::pg::server::settings::guard_policy(),
            &role,
            Capture::Cells,
        )
        .unwrap()
    }

    fn rows(sql: &str, limits: &Limits) -> GuardedRows {
        match verdict(sql, limits) {
            Verdict::Passed(rows) => rows,
            other => panic!("{sql}: {other:?}"),
        }
    }

    fn rejection(sql: &str) -> Rejection {
        match verdict(sql, &limits()) {
            Verdict::Rejected(rejection) => rejection,
            other => panic!("{sql}: {other:?}"),
        }
    }

    fn failure(sql: &str, limits: &Limits) -> DatabaseError {
        match verdict(sql, limits) {
            Verdict::Failed(error) => error,
            other => panic!("{sql}: {other:?}"),
        }
    }

    /// Creates the objects; the guard itself is never tested through SPI.
    fn prepare(sql: &str) {
        Spi::connect_mut(|client| client.update(sql, None, &[]).map(|_| ())).unwrap();
    }

    fn one_row(sql: &str) -> Vec<Option<String>> {
        let mut rows = rows(sql, &limits()).execution.rows;
        let row = rows.pop().unwrap();
        row.into_iter().map(|cell| cell.text).collect()
    }

    /// A minor release may add a function: it is refused, because nobody has reviewed it.
    #[pg_test]
    fn the_policy_fits_the_functions_of_the_server() {
        prepare(include_str!("../../../../policy/catalog.sql"));
        let listed = "SELECT array_agg(oid || ' ' || number || ' ' || signature ORDER BY oid)
            FROM pg_temp.listed_functions";
        let of_server = Spi::get_one::<Vec<String>>(listed).unwrap().unwrap();
        let of_server: BTreeMap<&str, u32> = of_server
            .iter()
            .filter_map(|line| line.split_once(' '))
            .map(|(oid, function)| (function, oid.parse().unwrap()))
            .collect();
        let of_policy: BTreeMap<String, Standing> =
            crate::pg::access::guard::policy_signatures().collect();
        let unknown: Vec<&String> = of_policy
            .iter()
            .filter(|(_, standing)| **standing != Standing::Dangerous)
            .map(|(function, _)| function)
            .filter(|function| !of_server.contains_key(function.as_str()))
            .collect();
        assert!(unknown.is_empty(), "{unknown:?}");
        let rules = FunctionRules::new(&crate::pg::server::settings::guard_policy());
        let mut unlisted = Vec::new();
        for (function, oid) in of_server {
            let standing = rules.standing(pg_sys::Oid::from(oid));
            match of_policy.get(function) {
                Some(reviewed) => assert_eq!(standing, *reviewed, "{function}"),
                None => {
                    assert_eq!(standing, Standing::Dangerous, "{function}");
                    unlisted.push(function);
                }
            }
        }
        assert!(unlisted.len() < 10, "{unlisted:?}");
    }

    #[pg_test]
    fn keeps_the_exact_text_of_numbers() {
        let rows = rows(
            "select 0.10::numeric(5,2) as n, 9007199254740993::bigint as b, 'NaN'::float8 as f, \
             array[[1,2],[3,null]] as a, row(true, 'x\"y', null::int) as r, '{\"k\": 1.0}'::json as j, \
             null::text as t, date '2024-02-29' as d, '{}'::int[] as e",
            &limits(),
        );
        let json: Vec<&str> = rows.execution.rows[0]
            .iter()
            .map(|cell| cell.json.get())
            .collect();
        assert_eq!(
            json,
            [
                "0.10",
                "9007199254740993",
                "\"NaN\"",
                "[[1,2],[3,null]]",
                "{\"f1\":true,\"f2\":\"x\\\"y\",\"f3\":null}",
                "{\"k\": 1.0}",
                "null",
                "\"2024-02-29\"",
                "[]",
            ]
        );
        assert_eq!(rows.execution.columns[0].type_name, "numeric(5,2)");
        assert_eq!(rows.column_types[1].oid, pg_sys::INT8OID);
    }

    #[pg_test]
    fn caps_rows_and_bytes() {
        let capped = rows("select generate_series(1, 5000)", &limits()).execution;
        assert_eq!((capped.rows.len(), capped.is_truncated), (1000, true));
        let exact = rows("select generate_series(1, 1000)", &limits()).execution;
        assert_eq!((exact.rows.len(), exact.is_truncated), (1000, false));
        let wide = rows(
            "select repeat('x', 100000) from generate_series(1, 500)",
            &limits(),
        );
        assert_eq!(wide.execution.rows.len(), 10);
        assert!(wide.execution.is_truncated);
    }

    #[pg_test]
    fn captures_tuples_that_outlive_the_sandbox() {
        let role = role::effective_role(None).unwrap();
        let verdict = execute::run(
            "select g, repeat(md5(g::text), 200) from generate_series(1, 40) g",
            &limits(),
            &crate::pg::server::settings::guard_policy(),
            &role,
            Capture::CellsAndTuples,
        )
        .unwrap();
        let Verdict::Passed(rows) = verdict else {
            panic!("{verdict:?}");
        };
        assert_eq!(rows.execution.rows.len(), 40);
        let (store, descriptor) = rows.tuples.unwrap().into_parts();
        // SAFETY: the store and its descriptor are valid and owned here.
        unsafe {
            assert_eq!((*descriptor).natts, 2);
            assert_eq!(pg_sys::tuplestore_tuple_count(store), 40);
            pg_sys::tuplestore_end(store);
        }
    }

    #[pg_test]
    fn an_own_cancel_never_reaches_the_next_statement() {
        let mut cancelled = 0;
        for step in 1..400_u64 {
            let limits = Limits {
                query_timeout: Duration::from_millis(1 + step % 7),
                ..limits()
            };
            // Around the limit, where the guard's own cancel may come late; sometimes far above it.
            let last = if step % 10 == 0 {
                1_000_000
            } else {
                500 * (step % 23)
            };
            let sql = format!("select count(*) from generate_series(1, {last}) g where g % 3 = 0");
            match verdict(&sql, &limits) {
                Verdict::Failed(error) => {
                    assert_eq!(error.sqlstate, "57014");
                    assert!(error.message.contains("text2sql.query_timeout"));
                    cancelled += 1;
                }
                Verdict::Passed(_) => {}
                Verdict::Rejected(rejection) => panic!("{rejection:?}"),
            }
            pgrx::check_for_interrupts!();
        }
        assert!(cancelled > 0);
    }

    #[pg_test]
    fn stops_within_the_limit() {
        let limits = Limits {
            query_timeout: Duration::from_millis(200),
            ..limits()
        };
        let started = Instant::now();
        let endless = "with recursive t(n) as (select 1 union all select n + 1 from t) \
                       select count(*) from t";
        assert_eq!(failure(endless, &limits).sqlstate, "57014");
        assert!(started.elapsed() < Duration::from_millis(600));
    }

    #[pg_test]
    fn a_function_cannot_catch_the_cancel_for_ever() {
        prepare(
            "create function app_endless() returns int stable language plpgsql as
                 $$ begin loop null; end loop;
                    exception when query_canceled then loop null; end loop; end $$;
             create view app_view as select app_endless() as v;
             grant select on app_view to public",
        );
        let limits = Limits {
            query_timeout: Duration::from_millis(100),
            ..limits()
        };
        assert_eq!(failure("select * from app_view", &limits).sqlstate, "57014");
        pgrx::check_for_interrupts!();
    }

    #[pg_test]
    fn a_users_cancel_is_never_taken_for_ours() {
        // Comparing two arrays checks for no interrupts for about a second: both cancels are pending before
        // either is served, the guard's own first.
        let sql = "select a && b from (select array_agg(g) as a, array_agg(-g) as b
                                       from generate_series(1, 25000) g) s";
        let limits = Limits {
            query_timeout: Duration::from_millis(50),
            ..limits()
        };
        let mut signaller = std::process::Command::new("sh")
            .arg("-c")
            .arg(format!("sleep 0.2; kill -INT {}", std::process::id()))
            .spawn()
            .unwrap();
        let whose = PgTryBuilder::new(|| {
            verdict(sql, &limits);
            "the limit"
        })
        .catch_when(PgSqlErrorCode::ERRCODE_QUERY_CANCELED, |_| "the user's")
        .execute();
        signaller.wait().unwrap();
        assert_eq!(whose, "the user's");
        assert_eq!(failure(sql, &limits).sqlstate, "57014");
        pgrx::check_for_interrupts!();
    }

    #[pg_test]
    fn an_error_deep_in_a_walk_leaves_nothing_behind() {
        let long = format!("select {}", vec!["1"; 3000].join("+"));
        assert_eq!(one_row(&long), [Some("3000".to_owned())]);
        let deep = format!("select {}1{}", "abs(".repeat(4000), ")".repeat(4000));
        assert_eq!(rejection(&deep).rule, Rule::Limit);
        assert!(!crate::pg::access::guard::is_active());
        assert_eq!(one_row("select 1"), [Some("1".to_owned())]);
    }

    #[pg_test]
    fn stops_at_the_memory_limit() {
        let limits = Limits {
            memory_limit: 64 * 1024 * 1024,
            ..limits()
        };
        let sql = "select length(string_agg(repeat('x', 1000), '')) \
                   from generate_series(1, 1000000)";
        let error = failure(sql, &limits);
        assert_eq!(error.sqlstate, "54000");
        assert!(error.message.contains("text2sql.memory_limit"));
        pgrx::check_for_interrupts!();
    }

    #[pg_test]
    fn gives_sqlstate_and_position_of_errors() {
        let error = failure("select nosuch from pg_text2sql_none", &limits());
        assert_eq!(
            (error.sqlstate.as_str(), error.position),
            ("42P01", Some(20))
        );
        assert_eq!(failure("select 1/0", &limits()).sqlstate, "22012");
        let error = failure("select 'ä', ~'x'::date", &limits());
        assert_eq!(
            (error.sqlstate.as_str(), error.position),
            ("22007", Some(14))
        );
    }

    #[pg_test]
    fn keeps_a_sqlstate_that_postgresql_does_not_know() {
        prepare(
            "create function app_raise() returns boolean stable language plpgsql as
                 $$ begin raise exception 'own' using errcode = 'ZZ123'; end $$;
             create view app_view as select 1 as one where app_raise();
             grant select on app_view to public",
        );
        let error = failure("select * from app_view", &limits());
        assert_eq!(
            (error.sqlstate.as_str(), error.message.as_str()),
            ("ZZ123", "own")
        );
    }

    #[pg_test]
    fn a_view_cannot_reach_a_dangerous_function_through_a_users() {
        prepare(
            "create function app_lock() returns boolean stable language plpgsql as
                 $$ begin perform pg_advisory_lock(4711); return true; end $$;
             create view app_view as select 1 as one where app_lock();
             grant select on app_view to public",
        );
        let rejection = rejection("select * from app_view");
        assert_eq!(rejection.rule, Rule::Function);
        assert_eq!(
            rejection.offender.as_deref(),
            Some("pg_advisory_lock(bigint)")
        );
        assert_eq!(
            one_row("select count(*) from (select 1) s where false"),
            [Some("0".to_owned())]
        );
    }

    #[pg_test]
    fn a_policy_may_read_settings_and_call_user_functions() {
        prepare(
            "create role app_reader;
             create table app_rows (tenant text, v int);
             insert into app_rows values ('a', 1), ('b', 2);
             alter table app_rows enable row level security;
             create function app_tenant() returns text stable language plpgsql as
                 $$ begin return current_setting('app.tenant', true); end $$;
             create policy own on app_rows using (tenant = app_tenant());
             grant select on app_rows to app_reader;
             set local app.tenant = 'b'",
        );
        let hidden = rejection("select v from app_rows");
        assert_eq!(hidden.rule, Rule::Permission);
        assert!(hidden.reason.contains("SET ROLE"));
        prepare("set local role app_reader");
        assert_eq!(one_row("select v from app_rows"), [Some("2".to_owned())]);
    }

    #[pg_test]
    fn a_superuser_reads_as_the_role_that_may_do_nothing_else() {
        assert_eq!(
            one_row("select current_user"),
            [Some("pg_read_all_data".to_owned())]
        );
        prepare("create role app_super superuser");
        assert!(role::effective_role(Some("app_super")).is_err());
        assert!(role::effective_role(Some("app_nobody")).is_err());
        // SAFETY: reads a variable.
        assert!(unsafe { pg_sys::superuser_arg(pg_sys::GetUserId()) });
    }

    #[pg_test]
    fn a_temporary_table_shadows_nothing() {
        prepare(
            "create table app_shadow as select 'real' as v;
             create temp table app_shadow as select 'fake' as v",
        );
        assert_eq!(
            one_row("select v from app_shadow"),
            [Some("real".to_owned())]
        );
    }

    #[pg_test]
    fn oids_are_no_way_to_look_up_names() {
        for sql in [
            "select 1259::oid::regclass",
            "select array[1259::oid]::regclass[]",
            "select 'pg_class'::regclass",
            "select g::oid::regproc from generate_series(1, 100) g",
        ] {
            assert_eq!(rejection(sql).rule, Rule::Type, "{sql}");
        }
        prepare("create table app_parted (v int)");
        rows("select tableoid::regclass, v from app_parted", &limits());
    }

    #[pg_test]
    fn an_input_function_cannot_be_called_by_name() {
        for sql in [
            "select domain_in('x'::cstring, 16384::oid, -1) is null",
            "select record_in('(x)'::cstring, 16384::oid, -1) is null",
            "select array_in('{x}'::cstring, 16384::oid, -1) is null",
        ] {
            assert_eq!(rejection(sql).rule, Rule::Function, "{sql}");
        }
        assert_eq!(one_row("select ('1' || '2')::int"), [Some("12".to_owned())]);
    }

    #[pg_test]
    fn an_administrator_can_open_the_catalog() {
        let role = role::effective_role(None).unwrap();
        let policy = GuardPolicy {
            allow_system_catalogs: true,
            ..crate::pg::server::settings::guard_policy()
        };
        for sql in [
            "select count(*) from information_schema.columns",
            "select count(*) from information_schema.table_privileges",
            "select count(*) from pg_stat_activity",
            "select count(*) from pg_class c join pg_namespace n on n.oid = c.relnamespace",
            "select count(*) from pg_settings",
        ] {
            let verdict = execute::run(sql, &limits(), &policy, &role, Capture::Cells).unwrap();
            assert!(matches!(verdict, Verdict::Passed(_)), "{sql}: {verdict:?}");
            assert_eq!(rejection(sql).rule, Rule::Relation, "{sql}");
        }
    }

    #[pg_test]
    fn checks_without_running() {
        let role = role::effective_role(None).unwrap();
        let sql = "select count(*) as n, max(g)::numeric(8,2) as m from generate_series(1, 9) g";
        let verdict = execute::check(
            sql,
            &limits(),
            &crate::pg::server::settings::guard_policy(),
            &role,
        )
        .unwrap();
        let Verdict::Passed(checked) = verdict else {
            panic!("{verdict:?}");
        };
        let types: Vec<&str> = checked
            .columns
            .iter()
            .map(|column| column.type_name.as_str())
            .collect();
        assert_eq!(types, ["bigint", "numeric(8,2)"]);
    }
}
