//! Questions over an invented film rental, each with its statement, or with none.

use std::sync::Arc;

use crate::statements::statement;
use crate::{Understood, understand};
use text2sql_domain::schema::Table;
use text2sql_domain::schema_fixture::Build;
use text2sql_language::understanding::Understanding;

fn rental_shop() -> Vec<Arc<Table>> {
    vec![
        Build::table(1, "country")
            .columns("country_id integer!, country text!")
            .key(&["country_id"])
            .done(),
        Build::table(2, "address")
            .columns("address_id integer!, street text!, country_id integer!")
            .key(&["address_id"])
            .refers("country_id", 1, "country", "country_id")
            .done(),
        Build::table(3, "customer")
            .columns("customer_id integer!, first_name text!, last_name text!, address_id integer!, active boolean!")
            .key(&["customer_id"])
            .refers("address_id", 2, "address", "address_id")
            .done(),
        Build::table(4, "staff")
            .columns("staff_id integer!, first_name text!, last_name text!, address_id integer!")
            .key(&["staff_id"])
            .refers("address_id", 2, "address", "address_id")
            .done(),
        Build::table(5, "film")
            .columns("film_id integer!, title text!, release_year integer, length integer")
            .key(&["film_id"])
            .done(),
        Build::table(6, "inventory")
            .columns("inventory_id integer!, film_id integer!")
            .key(&["inventory_id"])
            .refers("film_id", 5, "film", "film_id")
            .done(),
        Build::table(7, "rental")
            .columns("rental_id integer!, rental_date date!, return_date date, inventory_id integer!, customer_id integer!")
            .key(&["rental_id"])
            .refers("inventory_id", 6, "inventory", "inventory_id")
            .refers("customer_id", 3, "customer", "customer_id")
            .done(),
        Build::table(8, "payment")
            .columns("payment_id integer!, rental_id integer!, customer_id integer!, staff_id integer!, amount numeric!, payment_date date!")
            .key(&["payment_id"])
            .refers("rental_id", 7, "rental", "rental_id")
            .refers("customer_id", 3, "customer", "customer_id")
            .refers("staff_id", 4, "staff", "staff_id")
            .done(),
    ]
}

fn asked(question: &str) -> String {
    statement(question, "2022-08-01", &rental_shop())
}

fn means(question: &str, part: &str) {
    let sql = asked(question);
    assert!(sql.contains(part), "{question}: {sql}");
}

#[test]
fn the_opposite_of_a_state_is_that_it_does_not_hold() {
    means("How many inactive customers do we have?", "NOT c.active");
    means("Wie viele inaktive Kunden gibt es?", "NOT c.active");
    means("How many active customers are there?", "WHERE c.active --");
    assert_eq!(asked("How many invisible customers are there?"), "");
}

#[test]
fn a_place_of_several_is_that_of_the_customer_and_is_said() {
    let country = asked("revenue by country, top 10");
    assert!(country.contains("JOIN customer AS"), "{country}");
    assert!(country.contains("FETCH FIRST 10 ROWS"), "{country}");
    assert!(
        country.contains("'country' is that of customer"),
        "{country}"
    );
}

#[test]
fn who_did_the_most_is_of_those_who_do_it() {
    means(
        "Who rented the most films?",
        "FROM rental AS r JOIN customer AS c",
    );
    means(
        "Which customers rented the most films?",
        "count(*) AS rental",
    );
    assert_eq!(asked("Who repaired the most films?"), "");
}

#[test]
fn a_column_may_be_named_in_turn() {
    means(
        "How many films are there per year of release?",
        "f.release_year",
    );
    means(
        "What is the average amount of the payments?",
        "avg(p.amount)",
    );
}

#[test]
fn rows_that_have_only_a_year_are_of_that_year() {
    means(
        "How many films were released in 2010?",
        "f.release_year = 2010",
    );
    means("films released each year", "GROUP BY f.release_year");
    assert_eq!(asked("How many films were released in May 2010?"), "");
}

#[test]
fn bestsellers_without_pieces_are_by_revenue_and_one_is_one() {
    let best = asked("What was our best-selling film?");
    assert!(best.contains("sum(p.amount)"), "{best}");
    assert!(best.contains("FETCH FIRST 1 ROW"), "{best}");
    means("best-selling films", "FETCH FIRST 10 ROWS");
}

#[test]
fn how_long_is_from_a_day_to_its_end_or_a_duration() {
    means("How long is a film rented on average?", "r.return_date");
    means("Wie lang ist ein Film im Durchschnitt?", "avg(f.length)");
}

#[test]
fn what_we_spend_is_no_revenue() {
    means("How much did we take in July 2022?", "sum(p.amount)");
    means(
        "How much did customers spend in July 2022?",
        "sum(p.amount)",
    );
    assert_eq!(asked("What did we spend in July 2022?"), "");
    assert_eq!(asked("How much did we spend in July 2022?"), "");
}

#[test]
fn half_years_and_compounds_are_read() {
    means(
        "What was our turnover in the first half of 2022?",
        "p.payment_date < DATE '2022-07-01'",
    );
    means(
        "Umsatz im zweiten Halbjahr 2021",
        "p.payment_date >= DATE '2021-07-01'",
    );
    means("Gesamtumsatz 2021", "sum(p.amount)");
    means("Durchschnittlicher Zahlungsbetrag", "avg(p.amount)");
}

#[test]
fn a_number_that_is_contained_is_no_text() {
    means("How many films have more than 3 copies?", "> 3");
    let contained = asked("How many rentals contain more than 100 payments?");
    assert!(!contained.contains("ILIKE"), "{contained}");
}

#[test]
fn what_nobody_says_of_them_lists_not_all() {
    assert_eq!(asked("Which customers come in?"), "");
    means("Which customers are there?", "FROM customer");
    assert_eq!(asked("How many rentals were delivered?"), "");
}

#[test]
fn what_a_customer_reviews_is_not_what_an_order_has() {
    let tables = vec![
        Build::table(1, "customers")
            .columns("customer_id integer!, name text!")
            .key(&["customer_id"])
            .done(),
        Build::table(2, "products")
            .columns("product_id integer!, name text!")
            .key(&["product_id"])
            .done(),
        Build::table(3, "orders")
            .columns("order_id integer!, customer_id integer!, revenue numeric!, ordered_on date!")
            .key(&["order_id"])
            .refers("customer_id", 1, "customers", "customer_id")
            .done(),
        Build::table(4, "order_items")
            .columns(
                "order_id integer!, line_no integer!, product_id integer!, line_total numeric!",
            )
            .key(&["order_id", "line_no"])
            .refers("order_id", 3, "orders", "order_id")
            .refers("product_id", 2, "products", "product_id")
            .done(),
        Build::table(5, "reviews")
            .columns("customer_id integer!, product_id integer!, rating integer!")
            .key(&["customer_id", "product_id"])
            .refers("customer_id", 1, "customers", "customer_id")
            .refers("product_id", 2, "products", "product_id")
            .done(),
    ];
    for question in [
        "Top 10 products by revenue in 2025",
        "revenue per product",
        "How many orders per product?",
    ] {
        let understanding = Understanding::of(question, "2026-01-15");
        if let Understood::Meaning(_, proposal) = understand(&understanding, &tables, &[]) {
            assert!(
                !proposal.sql.contains("reviews"),
                "{question}: {}",
                proposal.sql
            );
        }
    }
}

#[test]
fn addresses_say_where_somebody_is_and_bestsellers_are_things() {
    let tables = vec![
        Build::table(1, "clients")
            .columns("client_id integer!, name text!")
            .key(&["client_id"])
            .done(),
        Build::table(2, "client_addresses")
            .columns("address_id integer!, client_id integer!, town text!")
            .key(&["address_id"])
            .refers("client_id", 1, "clients", "client_id")
            .values("town", &["Graz", "Wien"], 0.0)
            .done(),
        Build::table(3, "products")
            .columns("product_id integer!, name text!")
            .key(&["product_id"])
            .done(),
        Build::table(4, "orders")
            .columns("order_id integer!, client_id integer!, total numeric!, ordered_on date!")
            .key(&["order_id"])
            .refers("client_id", 1, "clients", "client_id")
            .done(),
        Build::table(5, "order_items")
            .columns("order_id integer!, line_no integer!, product_id integer!, quantity integer!")
            .key(&["order_id", "line_no"])
            .refers("order_id", 4, "orders", "order_id")
            .refers("product_id", 3, "products", "product_id")
            .done(),
    ];
    let asked = |question: &str| {
        let understanding = Understanding::of(question, "2026-01-15");
        match understand(&understanding, &tables, &[]) {
            Understood::Meaning(_, proposal) => proposal.sql.replace('\n', " "),
            Understood::Nothing { .. } => String::new(),
        }
    };
    for (question, parts) in [
        (
            "How many clients are in Graz?",
            ["EXISTS (SELECT 1 FROM client_addresses", "= 'Graz'"],
        ),
        (
            "What are our best sellers?",
            ["sum(o.quantity)", "FETCH FIRST 10 ROWS"],
        ),
        (
            "Was sind unsere Bestseller?",
            ["sum(o.quantity)", "FETCH FIRST 10 ROWS"],
        ),
        (
            "What is our best seller?",
            ["sum(o.quantity)", "FETCH FIRST 1 ROW"],
        ),
        (
            "Show all orders as a bar chart",
            ["o.order_id", "o.ordered_on"],
        ),
    ] {
        let sql = asked(question);
        for part in parts {
            assert!(sql.contains(part), "{question}: {sql}");
        }
    }
    // People who sell are somebody else.
    assert_eq!(asked("Who are our best sellers?"), "");
}

#[test]
fn who_has_not_returned_a_rental_has_one() {
    for question in [
        "Show the customers who have not returned their rentals",
        "customers with rentals that have not been returned",
        "customers who have not returned a film",
    ] {
        assert_eq!(asked(question), "", "{question}");
    }
    means("customers who never had a rental", "NOT EXISTS");
}
