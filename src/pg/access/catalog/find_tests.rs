//! Which tables a search finds, in which order, and for whom.

#[pgrx::pg_schema]
#[expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests make the tables they read, and may panic"
)]
mod tests {
    use pgrx::prelude::*;
    use text2sql_domain::ports::Catalog;

    use crate::pg::access::catalog::SpiCatalog;

    fn run(sql: &str) {
        Spi::run(sql).unwrap();
    }

    fn make_tables() {
        // The role that asks may use the schema of the extension.
        run("CREATE ROLE ann; GRANT USAGE ON SCHEMA text2sql TO ann;
             CREATE SCHEMA sales; GRANT USAGE ON SCHEMA sales TO ann;
             CREATE TABLE sales.customers (id int, name text, tax_number text);
             CREATE TABLE sales.orders (id int, customer_id int, amount numeric);
             CREATE TABLE sales.\"OrderLine\" (id int, \"OrderId\" int, \"Quantity\" int);
             CREATE TABLE sales.syntax (rule text);
             CREATE TABLE sales.tax_rates (country text, percent numeric);
             CREATE TABLE sales.wages (person text, amount numeric);
             CREATE VIEW sales.best AS SELECT customer_id FROM sales.orders;
             COMMENT ON TABLE sales.tax_rates IS 'what the Treasury wants';
             GRANT SELECT ON ALL TABLES IN SCHEMA sales TO ann; REVOKE ALL ON sales.wages FROM ann;
             CREATE SCHEMA closed; CREATE TABLE closed.wages (amount numeric)");
    }

    fn find(words: &[&str]) -> String {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let oids = SpiCatalog.find(&words, 10).unwrap();
        let tables = SpiCatalog.describe(&oids).unwrap();
        assert_eq!(oids.len(), tables.len());
        let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
        names.join(" ")
    }

    fn find_forbidden(words: &[&str]) -> Vec<String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        SpiCatalog.find_forbidden(&words, 10).unwrap()
    }

    #[pg_test]
    fn finds_by_table_name_then_column_then_comment() {
        make_tables();
        let check = |words: &[&str], expected: &str| assert_eq!(find(words), expected, "{words:?}");
        check(&["customer"], "customers best orders");
        check(&["order"], "orders OrderLine");
        check(&["order", "quantity"], "OrderLine orders");
        check(&["customer", "amount"], "customers orders best wages wages");
        check(&["treasury"], "tax_rates");
        // A short word begins a part of a name.
        check(&["tax"], "tax_rates customers");
        check(&["line"], "OrderLine");
        check(&["nothing"], "");
        check(&["a"], "");
        check(&["%", "_", "\\"], "");
    }

    #[pg_test]
    fn finds_only_what_the_role_may_read() {
        make_tables();
        run("SET ROLE ann");
        assert_eq!(find(&["wage"]), "");
        assert_eq!(find(&["amount"]), "orders");
        assert_eq!(find_forbidden(&["wage"]), ["sales.wages"]);
        assert!(find_forbidden(&["customer"]).is_empty());
        run("RESET ROLE");
        assert_eq!(find(&["wage"]), "wages wages");
        assert!(find_forbidden(&["wage"]).is_empty());
        run("CREATE ROLE nobody; GRANT USAGE ON SCHEMA text2sql TO nobody; SET ROLE nobody");
        assert_eq!(
            (find(&[]), SpiCatalog.count(10).unwrap()),
            (String::new(), 0)
        );
    }

    #[pg_test]
    fn counts_and_lists_by_schema_and_name() {
        make_tables();
        run("SET ROLE ann");
        assert_eq!(
            find(&[]),
            "OrderLine best customers orders syntax tax_rates"
        );
        assert_eq!(SpiCatalog.count(100).unwrap(), 6);
        assert_eq!(SpiCatalog.count(3).unwrap(), 4);
        assert_eq!(SpiCatalog.find(&[], 2).unwrap().len(), 2);
        run(
            "RESET ROLE; CREATE TABLE sales.added (id int); GRANT SELECT ON sales.added TO ann; SET ROLE ann",
        );
        assert_eq!(SpiCatalog.count(100).unwrap(), 7);
        run("RESET ROLE; REVOKE USAGE ON SCHEMA sales FROM ann; SET ROLE ann");
        assert_eq!(
            (find(&[]), SpiCatalog.count(100).unwrap()),
            (String::new(), 0)
        );
    }

    #[pg_test]
    fn sees_a_new_comment() {
        make_tables();
        assert_eq!(find(&["zebra"]), "");
        run("COMMENT ON COLUMN sales.syntax.rule IS 'black and white like a Zebra'");
        assert_eq!(find(&["zebra"]), "syntax");
    }

    #[pg_test]
    fn sees_changed_columns_at_once() {
        make_tables();
        assert_eq!(find(&["zebra"]), "");
        run("ALTER TABLE sales.syntax ADD \"ZebraCount\" int");
        assert_eq!(find(&["zebra"]), "syntax");
        run("CREATE TABLE sales.zoo (zebra text)");
        assert_eq!(find(&["zebra"]), "zoo syntax");
        run("ALTER TABLE sales.syntax RENAME \"ZebraCount\" TO horses; DROP TABLE sales.zoo");
        assert_eq!(find(&["zebra"]), "");
    }

    #[pg_test]
    fn only_columns_that_may_be_read_bring_a_table_in() {
        make_tables();
        run("GRANT SELECT (person) ON sales.wages TO ann;
             COMMENT ON COLUMN sales.wages.amount IS 'with the Bonus'; SET ROLE ann");
        assert_eq!(find(&["person"]), "wages");
        assert_eq!(find(&["amount"]), "orders");
        assert_eq!(find(&["bonus"]), "");
        run("RESET ROLE");
        assert_eq!(find(&["bonus"]), "wages");
    }

    #[pg_test]
    fn leaves_out_what_no_question_is_about() {
        make_tables();
        run("CREATE MATERIALIZED VIEW sales.empty_summary AS SELECT 1 AS one WITH NO DATA;
             CREATE SEQUENCE sales.summary_numbers;
             CREATE TYPE sales.summary_type AS (a int);
             CREATE FOREIGN DATA WRAPPER elsewhere; CREATE SERVER far FOREIGN DATA WRAPPER elsewhere;
             CREATE FOREIGN TABLE sales.far_summary (a int) SERVER far;
             CREATE VIEW sales.view_of_far AS SELECT * FROM sales.far_summary;
             CREATE VIEW sales.view_of_view AS SELECT * FROM sales.view_of_far");
        assert_eq!(find(&["summary"]), "");
        let oids = SpiCatalog.find(&["view".to_owned()], 10).unwrap();
        assert_eq!(SpiCatalog.describe(&oids).unwrap().len(), 0);
        assert_eq!(find(&["pg_class", "pg_stats", "columns"]), "");
    }

    #[pg_test]
    fn reading_assigns_no_transaction_id() {
        assert_eq!(find(&["nothing_like_it"]), "");
        SpiCatalog.count(10).unwrap();
        SpiCatalog.describe(&[1]).unwrap();
        let assigned = Spi::connect(|client| {
            let rows = client.select("SELECT pg_current_xact_id_if_assigned()::text", None, &[]);
            rows.unwrap().first().get_one::<String>().unwrap()
        });
        assert_eq!(assigned, None);
    }
}
