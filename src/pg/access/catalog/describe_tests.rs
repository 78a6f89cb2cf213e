//! What a description contains, under which role, and when it is read again.

#[pgrx::pg_schema]
#[expect(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "tests make the tables they read, and may panic"
)]
mod tests {
    use std::sync::Arc;

    use pgrx::prelude::*;
    use text2sql_domain::ports::Catalog;
    use text2sql_domain::schema::{Table, TableKind, TypeCategory};

    use crate::pg::access::catalog::SpiCatalog;
    use crate::pg::access::catalog::cache::CACHE;
    use crate::pg::access::catalog::visibility::Scope;

    fn run(sql: &str) {
        Spi::run(sql).unwrap();
    }

    fn oid_of(relation: &str) -> u32 {
        let oid = Spi::get_one_with_args::<pg_sys::Oid>(
            "SELECT $1::pg_catalog.text::pg_catalog.regclass::pg_catalog.oid",
            &[relation.into()],
        );
        oid.unwrap().unwrap().to_u32()
    }

    fn describe(oid: u32) -> Option<Arc<Table>> {
        let described = SpiCatalog.describe(&[oid]).unwrap();
        assert!(described.len() <= 1);
        described.into_iter().next()
    }

    fn column_names(table: &Table) -> Vec<&str> {
        table
            .columns
            .iter()
            .map(|column| column.name.as_str())
            .collect()
    }

    fn make_shop() {
        run("CREATE ROLE ann; CREATE ROLE bob; GRANT USAGE ON SCHEMA text2sql TO ann, bob;
             CREATE SCHEMA shop;
             GRANT USAGE ON SCHEMA shop TO ann;
             SET search_path = shop;
             CREATE TYPE status AS ENUM ('new', 'paid');
             CREATE TYPE money_amount AS (amount numeric, currency text);
             CREATE DOMAIN email AS text CHECK (value LIKE '%@%');
             CREATE DOMAIN work_email AS email NOT NULL;
             CREATE TABLE customers (
                 id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                 email work_email UNIQUE, name varchar(40) NOT NULL, salary int,
                 state status, states status[], spent money_amount, during tstzrange,
                 initial text GENERATED ALWAYS AS (left(name, 1)) STORED);
             CREATE UNIQUE INDEX ON customers (lower(name));
             CREATE UNIQUE INDEX ON customers (name) WHERE salary > 1;
             CREATE UNIQUE INDEX ON customers (name, state) INCLUDE (salary);
             COMMENT ON TABLE customers IS 'people who buy';
             COMMENT ON COLUMN customers.name IS 'as on the bill';
             CREATE TABLE orders (
                 id bigint, ordered_on date, customer_id int REFERENCES customers,
                 amount numeric(10,2), PRIMARY KEY (id, ordered_on)) PARTITION BY RANGE (ordered_on);
             CREATE TABLE orders_2024 PARTITION OF orders FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
             CREATE TABLE lines (id int PRIMARY KEY, order_id bigint, ordered_on date,
                 FOREIGN KEY (order_id, ordered_on) REFERENCES orders);");
    }

    /// The port from SQL, for measuring and for checks with several sessions by hand.
    #[pg_extern]
    fn probe_catalog(call: &str, words: Vec<String>, limit: i32) -> String {
        let limit = limit as usize;
        let found = || SpiCatalog.find(&words, limit).unwrap();
        let time = |work: &dyn Fn() -> usize| {
            let start = std::time::Instant::now();
            let count = work();
            format!("{:?} ({count})", start.elapsed())
        };
        match call {
            "count" => SpiCatalog.count(limit).unwrap().to_string(),
            "find" => SpiCatalog
                .describe(&found())
                .unwrap()
                .iter()
                .map(|table| table.sql_name())
                .collect::<Vec<_>>()
                .join(" "),
            "describe" => format!("{:#?}", SpiCatalog.describe(&found()).unwrap()),
            "forbidden" => SpiCatalog.find_forbidden(&words, limit).unwrap().join(" "),
            "time" => [
                time(&|| SpiCatalog.count(limit).unwrap()),
                time(&|| found().len()),
                time(&|| SpiCatalog.describe(&found()).unwrap().len()),
            ]
            .join(", "),
            _ => format!("{:?}", CACHE.with_borrow(|cache| cache.size())),
        }
    }

    #[pg_test]
    fn describes_columns_of_every_kind() {
        make_shop();
        let table = describe(oid_of("customers")).unwrap();
        assert_eq!((table.kind, table.is_visible), (TableKind::Table, true));
        assert_eq!(table.comment.as_deref(), Some("people who buy"));
        assert_eq!(table.primary_key, ["id"]);
        assert_eq!(table.unique_keys, [vec!["email"], vec!["name", "state"]]);
        let column = |name: &str| table.column(name).unwrap();
        assert!(column("id").is_identity && column("id").not_null);
        assert!(column("initial").is_generated);
        assert_eq!(column("name").type_name, "character varying(40)");
        assert_eq!(column("name").comment.as_deref(), Some("as on the bill"));
        assert_eq!(column("email").type_name, "work_email");
        assert_eq!(column("email").domain_base.as_deref(), Some("text"));
        assert_eq!(column("email").category, TypeCategory::Text);
        assert!(column("email").not_null);
        assert_eq!(column("state").category, TypeCategory::Enum);
        assert_eq!(column("state").enum_labels, ["new", "paid"]);
        assert_eq!(column("states").type_name, "status[]");
        assert_eq!(column("states").category, TypeCategory::Array);
        assert_eq!(
            column("spent").composite_fields,
            ["amount numeric", "currency text"]
        );
        assert_eq!(column("during").category, TypeCategory::Range);
    }

    /// Another session can drop it between the reading of the table and the look at what is protected.
    #[pg_test]
    fn a_column_that_is_gone_meanwhile_raises_nothing() {
        make_shop();
        let stale = describe(oid_of("customers")).unwrap();
        run("SELECT text2sql.protect('shop.orders', 'private');
             ALTER TABLE customers DROP COLUMN spent CASCADE");
        let narrowed = Scope::current().narrow(&stale).unwrap().unwrap();
        let spent = narrowed.column("spent").unwrap();
        assert!(spent.composite_fields.is_empty());
    }

    #[pg_test]
    fn folds_partitions_into_their_parent() {
        make_shop();
        run("INSERT INTO customers (email, name) VALUES ('a@b', 'a');
             INSERT INTO orders SELECT i, date '2024-01-01' + i % 60, 1, i FROM generate_series(1, 300) i;
             ANALYZE orders");
        assert!(describe(oid_of("orders_2024")).is_none());
        let orders = describe(oid_of("orders")).unwrap();
        assert_eq!(orders.kind, TableKind::PartitionedTable);
        assert_eq!(orders.partition_key.as_deref(), Some("RANGE (ordered_on)"));
        assert_eq!(orders.row_estimate, Some(300.0));
        assert_eq!(orders.foreign_keys.len(), 1);
        assert_eq!(orders.foreign_keys[0].target_name, "customers");
        assert!(!orders.foreign_keys[0].is_taught);
        // Declared by partitions only, and in another order of columns: a join, but no proof.
        run("CREATE TABLE refunds (order_id int, made_on date, customer_id int) PARTITION BY RANGE (made_on);
             CREATE TABLE refunds_2024 PARTITION OF refunds FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
             CREATE TABLE refunds_2025 (customer_id int REFERENCES customers, made_on date, order_id int);
             ALTER TABLE refunds ATTACH PARTITION refunds_2025 FOR VALUES FROM ('2025-01-01') TO ('2026-01-01')");
        let refunds = describe(oid_of("refunds")).unwrap();
        assert_eq!(refunds.foreign_keys.len(), 1);
        assert_eq!(refunds.foreign_keys[0].columns, ["customer_id"]);
        assert!(refunds.foreign_keys[0].is_taught);
        let lines = describe(oid_of("lines")).unwrap();
        assert_eq!(lines.foreign_keys.len(), 1);
        assert_eq!(lines.foreign_keys[0].target, orders.oid);
        assert_eq!(lines.foreign_keys[0].target_columns, ["id", "ordered_on"]);
    }

    #[pg_test]
    fn range_counts_values_that_the_histogram_leaves_out() {
        make_shop();
        run("INSERT INTO customers (email, name) VALUES ('a@b', 'a');
             INSERT INTO orders SELECT i, date '2024-01-01' + i % 300, 1, i FROM generate_series(1, 3000) i;
             ANALYZE orders");
        let orders = describe(oid_of("orders")).unwrap();
        let facts = orders
            .column("ordered_on")
            .unwrap()
            .statistics
            .as_ref()
            .unwrap();
        assert_eq!(facts.lowest.as_deref(), Some("2024-01-01"));
        assert_eq!(facts.highest.as_deref(), Some("2024-10-26"));
        assert!(facts.most_common_values.is_empty());
        let facts = orders
            .column("customer_id")
            .unwrap()
            .statistics
            .as_ref()
            .unwrap();
        assert_eq!(
            (&*facts.most_common_values, &*facts.most_common_shares),
            (&["1".to_owned()][..], &[1.0][..])
        );
        assert_eq!((facts.null_share, facts.distinct_values), (0.0, Some(1.0)));
    }

    #[pg_test]
    fn shows_only_what_the_role_may_read() {
        make_shop();
        run(
            "GRANT SELECT ON orders, lines TO ann; GRANT SELECT (name, salary) ON customers TO ann;
             GRANT SELECT ON customers TO bob",
        );
        let (customers, orders) = (oid_of("customers"), oid_of("orders"));
        assert_eq!(describe(customers).unwrap().columns.len(), 9);
        run("SET ROLE ann");
        let seen = describe(customers).unwrap();
        assert_eq!(column_names(&seen), ["name", "salary"]);
        assert!(seen.primary_key.is_empty() && seen.unique_keys.is_empty());
        assert!(describe(orders).unwrap().foreign_keys.is_empty());
        // No USAGE on the schema.
        run("SET ROLE bob");
        assert!(describe(customers).is_none());
        run(
            "RESET ROLE; GRANT SELECT (id) ON customers TO ann; REVOKE SELECT ON orders FROM ann; SET ROLE ann",
        );
        assert_eq!(
            column_names(&describe(customers).unwrap()),
            ["id", "name", "salary"]
        );
        assert!(describe(orders).is_none());
        run("RESET ROLE; GRANT SELECT ON orders TO ann; SET ROLE ann");
        assert_eq!(describe(orders).unwrap().foreign_keys.len(), 1);
        run(
            "RESET ROLE; CREATE ROLE readers; GRANT USAGE ON SCHEMA shop TO readers;
             GRANT SELECT ON customers TO readers; GRANT readers TO ann; SET ROLE ann",
        );
        assert_eq!(describe(customers).unwrap().columns.len(), 9);
    }

    #[pg_test]
    fn an_outline_is_all_but_the_statistics() {
        run("CREATE TABLE fruit (name text NOT NULL);
             COMMENT ON TABLE fruit IS 'what we sell';
             INSERT INTO fruit SELECT 'apple' FROM generate_series(1, 100);
             ANALYZE fruit");
        let fruit = oid_of("fruit");
        let outline = || SpiCatalog.outline(&[fruit]).unwrap().pop().unwrap();
        let seen = outline();
        assert!(seen.columns[0].statistics.is_none());
        let whole = describe(fruit).unwrap();
        assert!(whole.columns[0].statistics.is_some());
        let mut bare = Table::clone(&whole);
        bare.columns[0].statistics = None;
        bare.has_statistics = false;
        assert_eq!(*seen, bare);
        // What is available is returned.
        assert_eq!(outline(), whole);
    }

    #[pg_test]
    fn a_table_that_needs_the_query_is_described_alike() {
        make_shop();
        run(
            "INSERT INTO customers (email, name, salary) VALUES ('a@b', 'a', 7);
             GRANT SELECT ON customers TO ann; ANALYZE customers; SET ROLE ann",
        );
        let oid = oid_of("customers");
        let plain = describe(oid).unwrap();
        // From now on it may have children, which only the query searches for.
        run(
            "RESET ROLE; CREATE TABLE child () INHERITS (customers); DROP TABLE child; SET ROLE ann",
        );
        let asked = describe(oid).unwrap();
        assert!(!Arc::ptr_eq(&plain, &asked));
        assert_eq!(plain, asked);
        assert_eq!(plain.row_estimate, Some(1.0));
    }

    #[pg_test]
    fn tells_rare_values_only_where_all_are_known() {
        run("CREATE TABLE fruit (name text, code int, weight int);
             INSERT INTO fruit SELECT 'fruit ' || i, i % 3, i FROM generate_series(1, 90) AS i;
             ANALYZE fruit");
        let table = describe(oid_of("fruit")).unwrap();
        let facts = |name: &str| table.column(name).unwrap().statistics.clone().unwrap();
        let name = facts("name");
        assert_eq!(
            (name.most_common_values.len(), name.distinct_values),
            (90, Some(90.0))
        );
        assert!((name.most_common_shares.iter().sum::<f64>() - 1.0).abs() < 1e-6);
        let mut codes = facts("code").most_common_values;
        codes.sort_unstable();
        assert_eq!(codes, ["0", "1", "2"]);
        let weight = facts("weight");
        assert!(weight.most_common_values.is_empty());
        assert_eq!(
            (weight.lowest.as_deref(), weight.highest.as_deref()),
            (Some("1"), Some("90"))
        );
    }

    #[pg_test]
    fn hides_statistics_under_row_security() {
        make_shop();
        run("CREATE TABLE diary (owner name, entry text);
             INSERT INTO diary SELECT 'ann', 'x' FROM generate_series(1, 50);
             ALTER TABLE diary ENABLE ROW LEVEL SECURITY;
             CREATE POLICY own ON diary USING (owner = current_user);
             GRANT SELECT ON diary TO ann; ANALYZE diary");
        let diary = oid_of("diary");
        let seen = describe(diary).unwrap();
        assert!(!seen.has_row_security && seen.columns[0].statistics.is_some());
        run("SET ROLE ann");
        let seen = describe(diary).unwrap();
        assert!(seen.has_row_security && seen.columns[0].statistics.is_none());
    }

    #[pg_test]
    fn keeps_names_as_they_are() {
        run("CREATE SCHEMA \"Über Schema\";
             CREATE TABLE \"Über Schema\".\"Größe \"\"x\"\"\" (\"Id\" int PRIMARY KEY, \"zip code\" text, \"Ort\" text)");
        let table = describe(oid_of("\"Über Schema\".\"Größe \"\"x\"\"\"")).unwrap();
        assert_eq!(table.sql_name(), "\"Über Schema\".\"Größe \"\"x\"\"\"");
        assert_eq!(column_names(&table), ["Id", "zip code", "Ort"]);
        assert_eq!(table.primary_key, ["Id"]);
    }

    #[pg_test]
    fn sees_changed_comments_types_and_columns_at_once() {
        make_shop();
        let oid = oid_of("customers");
        let first = describe(oid).unwrap();
        assert!(Arc::ptr_eq(&first, &describe(oid).unwrap()));
        run("COMMENT ON COLUMN customers.salary IS 'a month'");
        let seen = describe(oid).unwrap();
        assert_eq!(
            seen.column("salary").unwrap().comment.as_deref(),
            Some("a month")
        );
        // The same holds if no invalidation message is sent.
        run("ALTER EVENT TRIGGER text2sql_notify_comment DISABLE");
        run("COMMENT ON COLUMN customers.salary IS NULL");
        assert_eq!(
            describe(oid).unwrap().column("salary").unwrap().comment,
            None
        );
        run("ALTER EVENT TRIGGER text2sql_notify_comment ENABLE ALWAYS");
        run("COMMENT ON COLUMN customers.salary IS 'a year'");
        let seen = describe(oid).unwrap();
        assert_eq!(
            seen.column("salary").unwrap().comment.as_deref(),
            Some("a year")
        );
        run("ALTER TYPE status RENAME VALUE 'paid' TO 'settled'");
        let seen = describe(oid).unwrap();
        assert_eq!(
            seen.column("state").unwrap().enum_labels,
            ["new", "settled"]
        );
        run(
            "ALTER TYPE money_amount RENAME ATTRIBUTE amount TO total; ALTER DOMAIN work_email RENAME TO mail",
        );
        let seen = describe(oid).unwrap();
        assert_eq!(
            seen.column("spent").unwrap().composite_fields[0],
            "total numeric"
        );
        assert_eq!(seen.column("email").unwrap().type_name, "mail");
        run("ALTER TABLE customers RENAME salary TO pay; ALTER TABLE customers DROP COLUMN during");
        let seen = describe(oid).unwrap();
        assert!(seen.column("pay").is_some() && seen.column("during").is_none());
        run("DROP TABLE customers CASCADE");
        assert!(describe(oid).is_none());
    }

    #[pg_test]
    fn follows_the_search_path() {
        make_shop();
        let oid = oid_of("customers");
        assert_eq!(describe(oid).unwrap().sql_name(), "customers");
        run("SET search_path = public");
        let seen = describe(oid).unwrap();
        assert_eq!(seen.sql_name(), "shop.customers");
        assert_eq!(seen.column("states").unwrap().type_name, "shop.status[]");
        run("SET search_path = public, shop; CREATE TABLE public.customers (id int)");
        assert_eq!(describe(oid).unwrap().sql_name(), "shop.customers");
    }

    #[pg_test]
    fn a_name_is_short_where_nothing_before_it_has_the_same() {
        make_shop();
        run(
            "CREATE TABLE public.customers (id int); CREATE VIEW public.pg_class AS SELECT 1 AS one",
        );
        let is_short = |relation: &str| {
            let oid = oid_of(relation);
            let [name] = <[_; 1]>::try_from(SpiCatalog.names(&[oid]).unwrap()).unwrap();
            assert_eq!(describe(oid).unwrap().is_visible, name.is_visible);
            name.is_visible
        };
        let check = |path: &str, customers: [bool; 2]| {
            run(&format!("SET search_path = {path}"));
            assert_eq!(
                ["public.customers", "shop.customers"].map(is_short),
                customers,
                "{path}"
            );
        };
        check("public, shop", [true, false]);
        check("shop, public", [false, true]);
        check("shop", [false, true]);
        check("''", [false, false]);
        run("SET search_path = public");
        assert!(!is_short("public.pg_class"));
        run("SET search_path = public, pg_catalog");
        assert!(is_short("public.pg_class"));
        run("CREATE TEMP TABLE customers (id int)");
        check("public, shop", [false, false]);
        check("public, pg_temp, shop", [true, false]);
        check("shop, pg_temp", [false, true]);
    }

    #[pg_test]
    fn describes_in_the_order_given_and_skips_what_is_not_there() {
        make_shop();
        let (customers, orders) = (oid_of("customers"), oid_of("orders"));
        let described = SpiCatalog
            .describe(&[orders, 1, customers, 1259, orders])
            .unwrap();
        let oids: Vec<u32> = described.iter().map(|table| table.oid).collect();
        assert_eq!(oids, [orders, customers, orders]);
        assert!(SpiCatalog.describe(&[]).unwrap().is_empty());
    }

    #[pg_test]
    fn remembers_tables_between_questions() {
        make_shop();
        let oid = oid_of("lines");
        let first = describe(oid).unwrap();
        let size = CACHE.with_borrow(|cache| cache.size());
        assert!(Arc::ptr_eq(&first, &describe(oid).unwrap()));
        assert_eq!(CACHE.with_borrow(|cache| cache.size()), size);
        assert!(size.1 > 100);
    }

    #[pg_test]
    fn restores_the_callers_settings() {
        make_shop();
        run("SET search_path = shop, public; SET datestyle = 'SQL, DMY'");
        describe(oid_of("customers")).unwrap();
        let shown = Spi::get_one::<String>(
            "SELECT concat_ws('; ', current_setting('search_path'), current_setting('datestyle'),
                    current_setting('enable_seqscan'), current_setting('jit'))",
        );
        assert_eq!(shown.unwrap().unwrap(), "shop, public; SQL, DMY; on; on");
    }
}
