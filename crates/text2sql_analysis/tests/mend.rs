//! What failed statements become over a shop: the keys decide what was meant, and where they do not, nothing is done.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::Arc;

use text2sql_analysis::mend::{Mended, mend, without_outer_outputs};
use text2sql_domain::schema::{ForeignKey, Table};
use text2sql_domain::schema_fixture::Build;
use text2sql_domain::sql_result::DatabaseError;

fn shop() -> Vec<Arc<Table>> {
    let composite = ForeignKey {
        columns: vec!["order_id".into(), "line".into()],
        target: 5,
        target_schema: "public".into(),
        target_name: "lines".into(),
        target_columns: vec!["order_id".into(), "line".into()],
        is_taught: false,
    };
    vec![
        Build::table(1, "customers")
            .columns("customer_id integer!, company text, city text, country_code text")
            .key(&["customer_id"])
            .refers("country_code", 2, "countries", "code")
            .done(),
        Build::table(2, "countries")
            .columns("code text!, country_name text")
            .key(&["code"])
            .done(),
        Build::table(3, "orders")
            .columns("order_id integer!, customer_id integer!, employee_id integer, order_date date, ship_city text")
            .key(&["order_id"])
            .refers("customer_id", 1, "customers", "customer_id")
            .refers("employee_id", 4, "employees", "employee_id")
            .done(),
        Build::table(4, "employees")
            .columns("employee_id integer!, last_name text, city text")
            .key(&["employee_id"])
            .done(),
        Build::table(5, "lines")
            .columns("order_id integer!, line integer!, product_id integer!, units integer, unit_price numeric")
            .key(&["order_id", "line"])
            .refers("order_id", 3, "orders", "order_id")
            .refers("product_id", 6, "products", "product_id")
            .done(),
        Build::table(6, "products")
            .columns("product_id integer!, product_name text, unit_price numeric")
            .key(&["product_id"])
            .done(),
        Build::table(7, "claims")
            .columns("claim_id integer!, order_id integer!, line integer!, Why text")
            .key(&["claim_id"])
            .with(|table| table.foreign_keys.push(composite))
            .done(),
        Build::table(8, "games")
            .columns("game_id integer!, home_id integer!, guest_id integer!")
            .key(&["game_id"])
            .refers("home_id", 9, "teams", "team_id")
            .refers("guest_id", 9, "teams", "team_id")
            .done(),
        Build::table(9, "teams")
            .columns("team_id integer!, team_name text")
            .key(&["team_id"])
            .done(),
        Build::table(10, "boats")
            .columns("boat_id integer!, ship_name text, owner_id integer!")
            .key(&["boat_id"])
            .refers("owner_id", 11, "owners", "owner_id")
            .done(),
        Build::table(11, "owners")
            .columns("owner_id integer!, name text")
            .key(&["owner_id"])
            .done(),
        Build::table(12, "parcels")
            .columns("parcel_id integer!, depot_id integer!")
            .key(&["parcel_id"])
            .refers("depot_id", 13, "depots", "depot_id")
            .done(),
        Build::table(13, "depots")
            .columns("depot_id integer!, depot_name text")
            .key(&["depot_id"])
            .with(|table| table.has_row_security = true)
            .done(),
    ]
}

fn failed(sqlstate: &str, message: &str) -> DatabaseError {
    DatabaseError {
        sqlstate: sqlstate.to_owned(),
        message: message.to_owned(),
        detail: None,
        hint: None,
        position: Some(1),
        is_private: false,
    }
}

fn mended(sql: &str) -> Option<Mended> {
    let error = failed("42P01", "relation \"customer\" does not exist");
    mend(sql, &error, &shop())
}

#[track_caller]
fn becomes(sql: &str, expected: &str) {
    let found = mended(sql).map(|mended| mended.sql);
    assert_eq!(found.as_deref(), Some(expected), "{sql}");
    // What is right is not changed again.
    stays(expected);
}

#[track_caller]
fn stays(sql: &str) {
    assert_eq!(mended(sql), None, "{sql}");
}

#[test]
fn of_two_keys_that_lead_there_that_of_the_named_table_is_meant() {
    let shop = {
        let mut shop = shop();
        shop.push(
            Build::table(12, "visits")
                .columns("visit_id integer!, order_id integer!, employee_id integer!")
                .key(&["visit_id"])
                .refers("order_id", 3, "orders", "order_id")
                .refers("employee_id", 4, "employees", "employee_id")
                .done(),
        );
        shop
    };
    let error = failed("42703", "column v.last_name does not exist");
    let both = "FROM visits AS v JOIN orders AS o ON v.order_id = o.order_id";
    let found = mend(&format!("SELECT v.last_name {both}"), &error, &shop).unwrap();
    assert!(
        found
            .sql
            .contains("ON v.employee_id = employees.employee_id"),
        "{}",
        found.sql
    );
    // Whose is not said.
    assert_eq!(
        mend(&format!("SELECT last_name {both}"), &error, &shop),
        None
    );
}

#[test]
fn a_column_that_only_the_outer_table_has_is_not_compared_with_itself() {
    let sql =
        "SELECT company FROM customers WHERE customer_id NOT IN (SELECT customer_id FROM lines)";
    let failing = without_outer_outputs(sql, &shop()).unwrap();
    assert_eq!(
        failing,
        "SELECT company FROM customers WHERE customer_id NOT IN (SELECT lines.customer_id FROM lines)"
    );
    let found = mended(&failing).unwrap();
    assert!(
        found.sql.contains("JOIN orders") && found.sql.contains("orders.customer_id FROM lines"),
        "{}",
        found.sql
    );
    for right in [
        "SELECT company FROM customers WHERE customer_id NOT IN (SELECT customer_id FROM orders)",
        "SELECT company FROM customers AS c WHERE EXISTS (SELECT city FROM orders AS o WHERE o.customer_id = c.customer_id)",
        "SELECT company FROM customers WHERE customer_id IN (SELECT customer_id FROM elsewhere)",
    ] {
        assert_eq!(without_outer_outputs(right, &shop()), None, "{right}");
    }
}

#[test]
fn a_column_goes_to_the_one_table_of_from_that_has_it() {
    becomes(
        "SELECT o.company FROM orders AS o JOIN customers AS c ON o.customer_id = c.customer_id",
        "SELECT c.company FROM orders AS o JOIN customers AS c ON o.customer_id = c.customer_id",
    );
    // Two have it, and it is the same in both.
    becomes(
        "SELECT l.customer_id FROM lines AS l JOIN orders AS o ON l.order_id = o.order_id JOIN customers AS c ON o.customer_id = c.customer_id",
        "SELECT o.customer_id FROM lines AS l JOIN orders AS o ON l.order_id = o.order_id JOIN customers AS c ON o.customer_id = c.customer_id",
    );
    // Two have it, and it is not: the city of the customer or of the employee.
    stays(
        "SELECT o.city FROM orders o JOIN customers c ON o.customer_id = c.customer_id JOIN employees e ON o.employee_id = e.employee_id",
    );
    // Of the same table twice.
    stays(
        "SELECT g.team_name FROM games g JOIN teams h ON g.home_id = h.team_id JOIN teams a ON g.guest_id = a.team_id",
    );
}

#[test]
fn a_column_behind_a_key_is_joined() {
    becomes(
        "SELECT o.company, count(*) FROM orders AS o GROUP BY o.company",
        "SELECT customers.company, count(*) FROM orders AS o JOIN customers ON o.customer_id = customers.customer_id GROUP BY customers.company",
    );
    // No order is lost that has no employee.
    becomes(
        "SELECT last_name FROM orders",
        "SELECT employees.last_name FROM orders LEFT JOIN employees ON orders.employee_id = employees.employee_id",
    );
    // Nor a parcel whose depot a policy may hide.
    becomes(
        "SELECT depot_name FROM parcels",
        "SELECT depots.depot_name FROM parcels LEFT JOIN depots ON parcels.depot_id = depots.depot_id",
    );
    // Over several keys, and all of a key.
    becomes(
        "SELECT product_name FROM claims",
        "SELECT products.product_name FROM claims JOIN lines ON claims.order_id = lines.order_id AND claims.line = lines.line JOIN products ON lines.product_id = products.product_id",
    );
    // An outer join stays one.
    becomes(
        "SELECT c.company, o.last_name FROM customers AS c LEFT JOIN orders AS o ON o.customer_id = c.customer_id",
        "SELECT c.company, employees.last_name FROM customers AS c LEFT JOIN orders AS o ON o.customer_id = c.customer_id LEFT JOIN employees ON o.employee_id = employees.employee_id",
    );
    let said = mended("SELECT o.company FROM orders o").unwrap().changes;
    assert_eq!(
        said,
        ["company is a column of customers, which was joined along customer_id"]
    );
    // Two tables have a city, a game has two teams.
    stays("SELECT city FROM orders");
    stays("SELECT team_name FROM games");
    // An order has several lines: its rows would be repeated.
    stays("SELECT o.order_date, o.units FROM orders o");
}

#[test]
fn rows_are_repeated_only_where_the_joined_ones_alone_are_added_up() {
    becomes(
        "SELECT order_date, sum(units * unit_price) FROM orders GROUP BY order_date",
        "SELECT order_date, sum(lines.units * unit_price) FROM orders JOIN lines ON orders.order_id = lines.order_id GROUP BY order_date",
    );
    stays("SELECT order_date, sum(units), count(*) FROM orders GROUP BY order_date");
    stays("SELECT sum(units), max(order_date), avg(employee_id) FROM orders");
    // The games repeat each order already.
    stays("SELECT sum(o.units) FROM orders AS o CROSS JOIN games");
}

#[test]
fn the_table_between_two_others_is_put_between_them() {
    becomes(
        "SELECT c.company, sum(l.units) FROM lines AS l JOIN customers AS c ON l.customer_id = c.customer_id GROUP BY c.company",
        "SELECT c.company, sum(l.units) FROM lines AS l JOIN orders ON l.order_id = orders.order_id JOIN customers AS c ON orders.customer_id = c.customer_id GROUP BY c.company",
    );
}

#[test]
fn a_missing_table_is_joined_under_its_name() {
    becomes(
        "SELECT customers.company FROM orders AS o",
        "SELECT customers.company FROM orders AS o JOIN customers ON o.customer_id = customers.customer_id",
    );
    becomes(
        "SELECT c.company, c.city FROM orders AS o",
        "SELECT c.company, c.city FROM orders AS o JOIN customers AS c ON o.customer_id = c.customer_id",
    );
    // The letter decides between customers and employees.
    becomes(
        "SELECT e.city FROM orders AS o",
        "SELECT e.city FROM orders AS o LEFT JOIN employees AS e ON o.employee_id = e.employee_id",
    );
    stays("SELECT x.city FROM orders AS o");
    stays("SELECT lines.units FROM orders AS o");
}

#[test]
fn a_table_is_called_by_its_alias() {
    becomes(
        "SELECT orders.order_date FROM orders AS o",
        "SELECT o.order_date FROM orders AS o",
    );
    becomes(
        "SELECT T3.order_date FROM orders AS T1",
        "SELECT t1.order_date FROM orders AS T1",
    );
    stays(
        "SELECT teams.team_name FROM games g JOIN teams h ON g.home_id = h.team_id JOIN teams a ON g.guest_id = a.team_id",
    );
}

#[test]
fn names_of_nearly_the_same_letters_are_spelt_right() {
    becomes(
        "SELECT o.orderdate FROM orders AS o",
        "SELECT o.order_date FROM orders AS o",
    );
    becomes(
        "SELECT id, name FROM products",
        "SELECT products.product_id, products.product_name FROM products",
    );
    becomes(
        "SELECT p.product_nmae FROM products AS p",
        "SELECT p.product_name FROM products AS p",
    );
    becomes(
        "SELECT why FROM claims",
        "SELECT claims.\"Why\" FROM claims",
    );
    becomes(
        "SELECT customer.company FROM customer",
        "SELECT customer.company FROM customers AS customer",
    );
    becomes(
        "SELECT date FROM orders",
        "SELECT orders.order_date FROM orders",
    );
    // Its own longer name, or that of another table.
    becomes(
        "SELECT price FROM products",
        "SELECT products.unit_price FROM products",
    );
    stays("SELECT price FROM lines l JOIN products p ON l.product_id = p.product_id");
    stays("SELECT name FROM boats");
    // Its own longer name, or that of the customer or of the employee.
    stays("SELECT o.city FROM orders AS o");
    // A table that may exist: it is only not among those that are known.
    stays("SELECT x.code FROM country AS x");
    stays("SELECT total FROM orders");
}

#[test]
fn blocks_have_names_of_their_own() {
    becomes(
        "WITH v AS (SELECT o.company AS c, count(*) AS n FROM orders AS o GROUP BY o.company) SELECT v.c, v.n FROM v",
        "WITH v AS (SELECT customers.company AS c, count(*) AS n FROM orders AS o JOIN customers ON o.customer_id = customers.customer_id GROUP BY customers.company) SELECT v.c, v.n FROM v",
    );
    becomes(
        "SELECT p.product_name FROM products AS p WHERE p.product_id NOT IN (SELECT product_id FROM lines WHERE order_date < '2020-01-01')",
        "SELECT p.product_name FROM products AS p WHERE p.product_id NOT IN (SELECT product_id FROM lines JOIN orders ON lines.order_id = orders.order_id WHERE orders.order_date < '2020-01-01')",
    );
    becomes(
        "SELECT c.company FROM customers AS c WHERE EXISTS (SELECT 1 FROM orders AS o WHERE o.customer_id = c.customerid)",
        "SELECT c.company FROM customers AS c WHERE EXISTS (SELECT 1 FROM orders AS o WHERE o.customer_id = c.customer_id)",
    );
    // What a function or another schema's table gives is not known.
    stays("SELECT x.company FROM orders o, generate_series(1, 2) AS x");
    stays("WITH v AS (SELECT order_id FROM orders) SELECT v.sum FROM v");
}

#[test]
fn a_join_changes_nothing_else() {
    // It would have more columns.
    stays("SELECT * FROM orders WHERE company = 'Abel'");
    // The rows would be joined by other columns.
    stays("SELECT company FROM orders NATURAL JOIN games");
    // The name of the output would be that of the customer's city.
    stays("SELECT o.ship_city AS city, count(*), max(o.company) FROM orders AS o GROUP BY city");
    // The city of the employee would be that of the customer.
    stays(
        "SELECT e.last_name FROM employees AS e WHERE EXISTS (SELECT 1 FROM orders WHERE company = city)",
    );
}

#[test]
fn an_output_is_written_out_where_its_name_is_unknown() {
    becomes(
        "SELECT customer_id, count(*) AS n FROM orders GROUP BY customer_id HAVING n > 3 ORDER BY n",
        "SELECT customer_id, count(*) AS n FROM orders GROUP BY customer_id HAVING (count(*)) > 3 ORDER BY n",
    );
    stays("SELECT customer_id, count(*) AS n FROM orders WHERE n > 3 GROUP BY customer_id");
}

#[test]
fn a_column_of_several_tables_is_that_of_one_where_all_are_equal() {
    becomes(
        "SELECT customer_id FROM customers AS c JOIN orders AS o ON o.customer_id = c.customer_id",
        "SELECT c.customer_id FROM customers AS c JOIN orders AS o ON o.customer_id = c.customer_id",
    );
    stays(
        "SELECT customer_id FROM customers AS c LEFT JOIN orders AS o ON o.customer_id = c.customer_id",
    );
    stays("SELECT unit_price FROM lines l JOIN products p ON l.product_id = p.product_id");
}

#[test]
fn what_the_group_determines_is_added_to_it() {
    let group = |sql: &str| mend(sql, &failed("42803", "must appear in GROUP BY"), &shop());
    let sql = "SELECT c.company, count(*) FROM orders AS o JOIN customers AS c ON o.customer_id = c.customer_id GROUP BY o.customer_id";
    assert_eq!(
        group(sql).unwrap().sql,
        "SELECT c.company, count(*) FROM orders AS o JOIN customers AS c ON o.customer_id = c.customer_id GROUP BY o.customer_id, c.company"
    );
    assert_eq!(
        group("SELECT o.order_date, count(*) FROM orders AS o GROUP BY o.customer_id"),
        None
    );
}

#[test]
fn calls_become_those_of_postgresql() {
    let call = |sql: &str, message: &str| {
        mend(sql, &failed("42883", message), &shop()).map(|mended| mended.sql)
    };
    assert_eq!(
        call(
            "SELECT round(avg(units) / 2.0::real, 1) FROM lines",
            "function round(double precision, integer) does not exist"
        )
        .as_deref(),
        Some("SELECT round(CAST(avg(units) / 2.0::REAL AS NUMERIC), 1) FROM lines")
    );
    assert_eq!(
        call(
            "SELECT count(*) FROM orders WHERE YEAR(order_date) = 2020",
            "function year(date) does not exist"
        )
        .as_deref(),
        Some("SELECT count(*) FROM orders WHERE (EXTRACT(YEAR FROM order_date)) = 2020")
    );
    assert_eq!(
        call(
            "SELECT EXTRACT(DAY FROM current_date - order_date) FROM orders",
            "function pg_catalog.extract(unknown, integer) does not exist"
        )
        .as_deref(),
        Some("SELECT (current_date - order_date) FROM orders")
    );
    assert_eq!(
        call(
            "SELECT * FROM customers WHERE company = 7",
            "operator does not exist: text = integer"
        )
        .as_deref(),
        Some("SELECT * FROM customers WHERE company = '7'")
    );
    assert_eq!(
        call(
            "SELECT * FROM orders WHERE order_date LIKE '2020%'",
            "operator does not exist: date ~~ unknown"
        )
        .as_deref(),
        Some("SELECT * FROM orders WHERE CAST(order_date AS TEXT) LIKE '2020%'")
    );
    assert_eq!(
        call(
            "SELECT nothing(1)",
            "function nothing(integer) does not exist"
        ),
        None
    );
}

#[test]
fn an_error_of_a_value_mends_nothing() {
    let error = DatabaseError {
        position: None,
        ..failed("42703", "column does not exist")
    };
    assert_eq!(
        mend("SELECT o.company FROM orders o", &error, &shop()),
        None
    );
}
