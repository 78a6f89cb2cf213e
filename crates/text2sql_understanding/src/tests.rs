//! Questions over an invented shop, each with its statement, or with the reason for which there is none.

use crate::{Understood, understand};
use text2sql_domain::schema_fixture::{Build, shop};
use text2sql_language::understanding::Understanding;

const TODAY: &str = "2026-01-15";

fn understood(question: &str) -> Understood {
    understand(&Understanding::of(question, TODAY), &shop(), &[])
}

fn means(question: &str, sql: &str) {
    match understood(question) {
        Understood::Meaning(_, proposal) => {
            assert_eq!(proposal.sql.replace('\n', " "), sql, "{question}")
        }
        nothing => panic!("{question}: {nothing:?}"),
    }
}

fn declines(question: &str) {
    let understood = understood(question);
    assert!(
        matches!(understood, Understood::Nothing { .. }),
        "{question}: {understood:?}"
    );
}

#[test]
fn business_words_are_found_in_any_order() {
    let revenue = "SELECT sum(o.total) AS revenue FROM orders AS o \
                   WHERE o.ordered_at >= DATE '2025-01-01' AND o.ordered_at < DATE '2026-01-01'";
    means("What was our revenue in 2025?", revenue);
    means("2025 turnover please", revenue);
    means("Wie hoch war der Umsatz im Jahr 2025?", revenue);
}

#[test]
fn rows_of_a_file_have_neither_a_name_nor_a_key() {
    let loaded = vec![
        Build::table(1, "readings")
            .columns("at date, amount numeric")
            .done(),
    ];
    for question in [
        "Show all rows of readings",
        "List the records in the table readings",
        "Zeige alle Zeilen von readings",
    ] {
        let understood = understand(&Understanding::of(question, TODAY), &loaded, &[]);
        let Understood::Meaning(_, proposal) = understood else {
            panic!("{question}: {understood:?}");
        };
        let sql = proposal.sql.replace('\n', " ");
        assert_eq!(
            sql, "SELECT r.at, r.amount FROM readings AS r",
            "{question}"
        );
    }
}

#[test]
fn groups_are_things_columns_and_parts_of_dates() {
    means(
        "sales by country 2025",
        "SELECT c2.name AS country, sum(o.total) AS revenue FROM orders AS o \
         JOIN customers AS c ON c.customer_id = o.customer_id \
         JOIN countries AS c2 ON c2.country_id = c.country_id \
         WHERE o.ordered_at >= DATE '2025-01-01' AND o.ordered_at < DATE '2026-01-01' \
         GROUP BY c2.country_id, c2.name ORDER BY country",
    );
    means(
        "Umsatz pro Monat",
        "SELECT date_trunc('month', o.ordered_at)::date AS month, sum(o.total) AS revenue FROM orders AS o \
         GROUP BY date_trunc('month', o.ordered_at)::date ORDER BY date_trunc('month', o.ordered_at)::date",
    );
}

#[test]
fn what_did_not_happen_is_asked_of_each_thing() {
    means(
        "How many customers have never ordered anything?",
        "SELECT count(*) AS customers FROM customers AS c \
         WHERE NOT EXISTS (SELECT 1 FROM orders AS o WHERE o.customer_id = c.customer_id)",
    );
    means(
        "Welche Kunden haben keine E-Mail?",
        "SELECT c.name FROM customers AS c WHERE c.email IS NULL ORDER BY c.customer_id",
    );
}

#[test]
fn a_negated_value_is_not_a_missing_one() {
    let sql = "SELECT count(*) AS products FROM products AS p WHERE p.color IS DISTINCT FROM 'red'";
    means("How many products do not have color red?", sql);
    means("How many products without color red?", sql);
    means("How many products whose color is not red?", sql);
}

#[test]
fn words_that_are_not_explained_are_no_answer() {
    declines("What was our profit in 2025?");
    declines("Who are our best customers?");
    declines("How many customers complained?");
    declines("What will our revenue be next year?");
    declines("How many customers in 2024?");
}

#[test]
fn the_words_that_were_not_understood_are_named() {
    let Understood::Nothing { missing, .. } = understood("How many customers complained?") else {
        panic!("understood");
    };
    assert_eq!(missing, ["complained"]);
}

#[test]
fn several_questions_have_no_common_statement() {
    declines("How many orders are there? How many customers are there?");
    declines("How many orders were placed in 2025 and how many customers are there?");
    declines("Wie viele Bestellungen und wie viele Kunden gibt es?");
}

#[test]
fn a_number_is_in_the_unit_of_its_column() {
    use text2sql_domain::schema::{Column, Table, TypeCategory};
    let column = |name: &str, comment: &str, category: TypeCategory| Column {
        name: name.to_owned(),
        category,
        not_null: true,
        comment: Some(comment.to_owned()).filter(|comment| !comment.is_empty()),
        ..Column::default()
    };
    let berths = Table {
        oid: 1,
        schema: "public".to_owned(),
        name: "berths".to_owned(),
        is_visible: true,
        primary_key: vec!["berth_id".to_owned()],
        columns: vec![
            column("berth_id", "", TypeCategory::Integer),
            column("name", "", TypeCategory::Text),
            column("fee", "per day, in euro cents", TypeCategory::Integer),
            column("wait_seconds", "", TypeCategory::Integer),
        ],
        ..Table::default()
    };
    let tables = [std::sync::Arc::new(berths)];
    let sql_of =
        |question: &str| match understand(&Understanding::of(question, TODAY), &tables, &[]) {
            Understood::Meaning(_, proposal) => Some(proposal.sql.replace('\n', " ")),
            Understood::Nothing { .. } => None,
        };
    let fee = "SELECT count(*) AS berths FROM berths AS b WHERE b.fee > 200";
    assert_eq!(
        sql_of("How many berths have a fee over 2 euros?").as_deref(),
        Some(fee)
    );
    assert_eq!(sql_of("How many berths have a fee over 2 dollars?"), None);
    let wait = "SELECT b.name FROM berths AS b WHERE b.wait_seconds > 300 ORDER BY b.berth_id";
    assert_eq!(
        sql_of("berths longer than 5 minutes").as_deref(),
        Some(wait)
    );
    assert_eq!(
        sql_of("Which berths have a fee above the average?").as_deref(),
        Some(
            "SELECT b.name FROM berths AS b WHERE b.fee > (SELECT avg(fee) FROM berths) ORDER BY b.berth_id"
        )
    );
}

#[test]
fn what_is_asked_of_several_functions_is_all_shown() {
    means(
        "What are the minimum, average and maximum credit limit of customers?",
        "SELECT min(c.credit_limit) AS lowest_credit_limit, avg(c.credit_limit) AS average_credit_limit, max(c.credit_limit) AS highest_credit_limit \
         FROM customers AS c",
    );
}

#[test]
fn an_average_per_thing_is_over_those_that_have_any() {
    means(
        "How many orders does a customer have on average?",
        "SELECT avg(coalesce(o.value, 0)) AS average_orders_per_customers FROM customers AS c \
         LEFT JOIN (SELECT o2.customer_id AS key1, count(*) AS value FROM orders AS o2 GROUP BY o2.customer_id) AS o \
         ON o.key1 = c.customer_id \
         WHERE EXISTS (SELECT 1 FROM orders AS o3 WHERE o3.customer_id = c.customer_id)",
    );
}

#[test]
fn what_a_row_has_is_a_condition() {
    let with = "SELECT c.name FROM customers AS c WHERE c.email IS NOT NULL ORDER BY c.customer_id";
    means("Which customers have an email?", with);
    means("Welche Kunden haben eine Email?", with);
    // A column to look at, and one with a value.
    means(
        "Show the email of the customers",
        "SELECT c.name, c.email FROM customers AS c ORDER BY c.customer_id",
    );
    declines("Which customers have a name of their own?");
}

#[test]
fn parts_of_texts_and_the_order_of_lists_are_read() {
    means(
        "Show products whose name starts with A in alphabetical order",
        "SELECT p.name FROM products AS p WHERE p.name ILIKE 'A%' ORDER BY p.name",
    );
    declines("Where is the customer Ada?");
    declines("Which customers have at most two orders?");
}

/// Books, genres, and which book is of which genre.
fn library() -> Vec<std::sync::Arc<text2sql_domain::schema::Table>> {
    use text2sql_domain::schema::{Column, ForeignKey, Table, TypeCategory};
    let column = |number: i16, name: &str, category: TypeCategory| Column {
        number,
        name: name.to_owned(),
        category,
        not_null: true,
        ..Column::default()
    };
    let table = |oid: u32, name: &str, key: &[&str], columns: Vec<Column>| Table {
        oid,
        schema: "public".to_owned(),
        name: name.to_owned(),
        is_visible: true,
        primary_key: key.iter().map(|column| (*column).to_owned()).collect(),
        columns,
        ..Table::default()
    };
    let key = |column: &str, target: u32, name: &str| ForeignKey {
        columns: vec![column.to_owned()],
        target,
        target_schema: "public".to_owned(),
        target_name: name.to_owned(),
        target_columns: vec![column.to_owned()],
        is_taught: false,
    };
    let (integer, text) = (TypeCategory::Integer, TypeCategory::Text);
    let books = vec![column(1, "book_id", integer), column(2, "title", text)];
    let genres = vec![column(1, "genre_id", integer), column(2, "name", text)];
    let pairs = vec![
        column(1, "book_id", integer),
        column(2, "genre_id", integer),
    ];
    let mut pairs = table(3, "book_genre", &["book_id", "genre_id"], pairs);
    pairs.foreign_keys = vec![key("book_id", 1, "book"), key("genre_id", 2, "genre")];
    let tables = [
        table(1, "book", &["book_id"], books),
        table(2, "genre", &["genre_id"], genres),
        pairs,
    ];
    tables.into_iter().map(std::sync::Arc::new).collect()
}

#[test]
fn a_table_of_pairs_is_no_thing_of_its_own() {
    for question in [
        "Which book genre has the most books?",
        "Which genre has the most books?",
        "How many books are there per book genre?",
        "top 3 book genres by number of books",
    ] {
        let understanding = Understanding::of(question, TODAY);
        let sql = match understand(&understanding, &library(), &[]) {
            Understood::Meaning(_, proposal) => proposal.sql.replace('\n', " "),
            Understood::Nothing { missing, .. } => panic!("{question}: {missing:?}"),
        };
        assert!(sql.contains("GROUP BY g.genre_id"), "{question}: {sql}");
    }
    let understanding = Understanding::of("show me all book genres", TODAY);
    let Understood::Meaning(_, proposal) = understand(&understanding, &library(), &[]) else {
        panic!("book genres are genres");
    };
    assert!(proposal.sql.contains("FROM genre"), "{}", proposal.sql);
}

/// Stores of countries, which have codes of letters; a store may have closed.
fn stores() -> Vec<std::sync::Arc<text2sql_domain::schema::Table>> {
    use text2sql_domain::schema::{Column, ColumnStatistics, ForeignKey, Table, TypeCategory};
    let column = |number: i16, name: &str, category: TypeCategory, not_null: bool| Column {
        number,
        name: name.to_owned(),
        category,
        not_null,
        ..Column::default()
    };
    let text = TypeCategory::Text;
    let mut country = column(2, "name", text, true);
    country.statistics = Some(ColumnStatistics {
        most_common_values: vec!["Germany".to_owned(), "Austria".to_owned()],
        distinct_values: Some(2.0),
        ..ColumnStatistics::default()
    });
    let countries = Table {
        oid: 1,
        schema: "public".to_owned(),
        name: "countries".to_owned(),
        is_visible: true,
        primary_key: vec!["country_code".to_owned()],
        columns: vec![column(1, "country_code", text, true), country],
        ..Table::default()
    };
    let stores = Table {
        oid: 2,
        schema: "public".to_owned(),
        name: "stores".to_owned(),
        is_visible: true,
        primary_key: vec!["store_id".to_owned()],
        columns: vec![
            column(1, "store_id", TypeCategory::Integer, true),
            column(2, "name", text, true),
            column(3, "country_code", text, true),
            column(4, "floor_area", TypeCategory::Number, true),
            column(5, "opened_on", TypeCategory::Date, true),
            column(6, "closed_on", TypeCategory::Date, false),
        ],
        foreign_keys: vec![ForeignKey {
            columns: vec!["country_code".to_owned()],
            target: 1,
            target_schema: "public".to_owned(),
            target_name: "countries".to_owned(),
            target_columns: vec!["country_code".to_owned()],
            is_taught: false,
        }],
        ..Table::default()
    };
    vec![countries.into(), stores.into()]
}

/// The query without line breaks.
fn over_stores(question: &str, definitions: &[text2sql_domain::schema::Definition]) -> String {
    let understanding = Understanding::of(question, TODAY);
    match understand(&understanding, &stores(), definitions) {
        Understood::Meaning(_, proposal) => proposal.sql.replace('\n', " "),
        nothing => panic!("{question}: {nothing:?}"),
    }
}

#[test]
fn a_state_stays_beside_other_conditions() {
    for question in [
        "Which stores in Germany closed already?",
        "Which stores are in Germany and closed?",
    ] {
        let sql = over_stores(question, &[]);
        assert!(
            sql.contains("c.name = 'Germany'") && sql.contains("s.closed_on IS NOT NULL"),
            "{question}: {sql}"
        );
    }
}

#[test]
fn a_group_is_shown_by_its_name_alone() {
    assert_eq!(
        over_stores("How many stores are in each country?", &[]),
        "SELECT c.name AS country, count(*) AS stores FROM stores AS s \
         JOIN countries AS c ON c.country_code = s.country_code \
         GROUP BY c.country_code, c.name ORDER BY country"
    );
}

#[test]
fn the_highest_figure_is_no_row() {
    assert_eq!(
        over_stores("What is the highest floor area of the stores?", &[]),
        "SELECT max(s.floor_area) AS highest_floor_area FROM stores AS s"
    );
}

#[test]
fn a_defined_condition_names_the_rows_that_meet_it() {
    let definition = text2sql_domain::schema::Definition {
        term: "megastore".to_owned(),
        meaning: "store of more than 1,000 square metres".to_owned(),
        sql_expression: Some("floor_area > 1000".to_owned()),
        applies_to: Some(2),
        ..text2sql_domain::schema::Definition::default()
    };
    let definitions = [definition];
    assert_eq!(
        over_stores("How many megastores are there?", &definitions),
        "SELECT count(*) AS stores FROM stores AS s WHERE (s.floor_area > 1000)"
    );
    assert_eq!(
        over_stores("How many megastores are in Germany?", &definitions),
        "SELECT count(*) AS stores FROM stores AS s JOIN countries AS c ON c.country_code = s.country_code \
         WHERE (s.floor_area > 1000)   AND c.name = 'Germany'"
    );
}

#[test]
fn a_table_by_its_own_name_is_counted_whatever_else_the_word_means() {
    use text2sql_domain::schema::{Column, Table, TypeCategory};
    for name in ["sales", "days", "returns", "sale"] {
        let column = |number: i16, name: &str, category: TypeCategory| Column {
            number,
            name: name.to_owned(),
            category,
            not_null: true,
            ..Column::default()
        };
        let columns = vec![
            column(1, "day", TypeCategory::Date),
            column(2, "amount", TypeCategory::Number),
        ];
        let table = Table {
            oid: 1,
            schema: "public".to_owned(),
            name: name.to_owned(),
            is_visible: true,
            columns,
            ..Table::default()
        };
        let question = format!("How many {name} are there?");
        let understanding = Understanding::of(&question, TODAY);
        match understand(&understanding, &[table.into()], &[]) {
            Understood::Meaning(_, proposal) => {
                let sql = proposal.sql.replace('\n', " ");
                assert!(sql.starts_with("SELECT count(*)"), "{question}: {sql}");
            }
            nothing => panic!("{question}: {nothing:?}"),
        }
    }
}

#[test]
fn what_has_two_prices_is_asked_back_once_for_each() {
    let mut tables = stores();
    let columns = ["unit_price", "storage_price"].map(|name| text2sql_domain::schema::Column {
        name: name.to_owned(),
        category: text2sql_domain::schema::TypeCategory::Number,
        not_null: true,
        ..text2sql_domain::schema::Column::default()
    });
    let store = tables.get_mut(1).map(std::sync::Arc::make_mut);
    store.unwrap().columns.extend(columns);
    let understanding = Understanding::of("What is the most expensive store?", TODAY);
    let Understood::Nothing { readings, .. } = understand(&understanding, &tables, &[]) else {
        panic!("it has two prices");
    };
    assert_eq!(
        readings,
        [
            "Which store has the highest unit price?",
            "Which store has the highest storage price?"
        ]
    );
}
