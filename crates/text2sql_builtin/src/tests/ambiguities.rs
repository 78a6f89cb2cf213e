//! Questions that names and values alone show to have several readings, and their clear neighbours.

use expect_test::{Expect, expect};

use super::*;
use crate::NoHelp;
use crate::ambiguity;

fn doubts(question: &str, tables: &[Arc<Table>]) -> Option<(String, Vec<String>)> {
    let doubt = ambiguity(&Understanding::of(question, TODAY), tables, &[])?;
    Some((doubt.question, doubt.readings))
}

#[track_caller]
fn asks_back(question: &str, expect: Expect) {
    let (back, readings) = doubts(question, &company()).unwrap_or_default();
    expect.assert_eq(&format!("{back}\n{}", readings.join("\n")));
}

#[track_caller]
fn is_clear(question: &str) {
    assert_eq!(doubts(question, &company()), None, "{question}");
}

#[test]
fn a_name_of_several_tables_is_asked_back() {
    asks_back(
        "Show the names",
        expect![[r#"
        which column is meant: country name or customer name or store name or product name?
        Show the country name
        Show the customer name
        Show the store name
        Show the product name"#]],
    );
    is_clear("Show the names of stores");
    is_clear("Show each product's name");
    is_clear("Rank stores by the names of their countries");
}

#[test]
fn a_period_of_several_dates_is_asked_back() {
    asks_back(
        "How many stores in 2024?",
        expect![[r#"
        stores has several dates: which one is meant?
        How many stores with opened on in 2024?
        How many stores with closed on in 2024?"#]],
    );
    is_clear("How many stores opened in 2024?");
    is_clear("How many orders in 2024?");
}

#[test]
fn two_ways_to_a_table_are_asked_back() {
    asks_back(
        "Number of orders by country",
        expect![[r#"
            orders and countries are connected in several ways: which one is meant?
            Number of orders by country of the customer
            Number of orders by country of the store"#]],
    );
    is_clear("Number of orders by country of the customer");
    is_clear("Number of customers by country");
}

#[test]
fn a_value_of_two_columns_is_asked_back() {
    let shop = [
        table(
            1,
            "people",
            "person_id int pk, home_city text [Berlin|Paris], work_city text [Berlin|Rome]",
        ),
        table(2, "offices", "office_id int pk, city text [Paris]"),
    ];
    let shop: Vec<Arc<Table>> = shop.into_iter().map(Arc::new).collect();
    let readings = |question: &str| doubts(question, &shop).map(|(_, readings)| readings);
    assert_eq!(
        readings("How many people are there in Berlin?"),
        Some(vec![
            "How many people are there in people home city 'Berlin'?".to_owned(),
            "How many people are there in people work city 'Berlin'?".to_owned(),
        ])
    );
    assert_eq!(
        readings("How many people are there with home city Berlin?"),
        None
    );
    assert_eq!(readings("How many people are there in Rome?"), None);
    assert_eq!(readings("How many offices are there in Paris?"), None);
}

#[test]
fn a_doubt_may_be_settled_by_what_else_is_said() {
    let airline = [
        table(
            1,
            "flights",
            "flight_id int pk, from_airport text [LAX|ORD|JFK], to_airport text [LAX|ORD|SEA], carrier text [Delta|United]",
        ),
        table(2, "airlines", "airline_id int pk, name text [Delta|Swiss]"),
    ];
    let airline: Vec<Arc<Table>> = airline.into_iter().map(Arc::new).collect();
    let may_be_settled = |question: &str, tables: &[Arc<Table>]| {
        let doubt = ambiguity(&Understanding::of(question, TODAY), tables, &[]);
        doubt.map(|doubt| (doubt.may_be_settled, doubt.is_about_value))
    };
    // Another value.
    assert_eq!(
        may_be_settled("How many flights in LAX and in ORD are there?", &airline),
        Some((true, true))
    );
    assert_eq!(
        may_be_settled("How many flights at LAX?", &airline),
        Some((false, true))
    );
    // Nothing else, or only the table.
    for question in [
        "Show the names",
        "How many stores in 2024?",
        "Number of orders by country",
    ] {
        assert_eq!(
            may_be_settled(question, &company()),
            Some((false, false)),
            "{question}"
        );
    }
}

#[test]
fn a_question_with_an_unknown_word_may_be_about_anything() {
    is_clear("Show the names of planets");
}

#[test]
fn a_question_that_names_nothing_is_asked_back() {
    asks_back(
        "Show the details",
        expect![[r#"
        the question does not say of what
        Show all stores
        Show all countries
        Show all customers
        Show all orders"#]],
    );
    asks_back(
        "Zeige mir bitte alle Daten",
        expect![[r#"
        die Frage sagt nicht, wovon
        Zeige alle stores
        Zeige alle countries
        Zeige alle customers
        Zeige alle orders"#]],
    );
    for question in [
        "show me everything about it",
        "the numbers",
        "list all",
        "What are the values?",
        "I want to see all the information, please",
        "alles",
        "Gib mir eine Übersicht",
    ] {
        assert!(doubts(question, &company()).is_some(), "{question}");
    }
    for question in [
        "Show all stores",
        "Show the details of orders",
        "How many are there?",
        "Show the overview of planets",
        "everything in 2024",
        "What is the total?",
    ] {
        is_clear(question);
    }
    // What is called so is named.
    let mut tables = company();
    tables.push(Arc::new(table(30, "order_reports", "id int pk, total num")));
    assert_eq!(doubts("Show the reports", &tables), None);
    tables.push(Arc::new(table(31, "figures", "id int pk, stats text")));
    assert_eq!(doubts("the figures", &tables), None);
    assert_eq!(doubts("the stats", &tables), None);
}

/// The company with a table of active customers, and what says of a customer whether it is one.
fn with_active_customers(change: impl Fn(&mut Table)) -> Vec<Arc<Table>> {
    let mut tables: Vec<Arc<Table>> = company()
        .into_iter()
        .map(|known| {
            let mut known = (*known).clone();
            if known.name == "customers" {
                known.columns.retain(|column| column.name != "is_active");
                change(&mut known);
            }
            Arc::new(known)
        })
        .collect();
    let columns = "customer_id int pk, spent num";
    tables.push(Arc::new(table(30, "active_customers", columns)));
    tables
}

#[test]
fn a_table_that_is_also_a_kind_of_rows_is_asked_back() {
    let commented = |comment: &'static str| {
        with_active_customers(move |customers| {
            let mut flag = table(0, "x", "flg_act text [Y|N]").columns.remove(0);
            flag.comment = Some(comment.to_owned());
            customers.columns.push(flag);
        })
    };
    let codes = commented("Y = account is active, N = account was closed.");
    let question = "How many active customers are there?";
    let (back, readings) = doubts(question, &codes).unwrap();
    assert_eq!(
        back,
        "'active customers' is the table active_customers and a kind of customers: which one is meant?"
    );
    assert_eq!(
        readings,
        [
            "How many active_customers are there?",
            "How many customers with flg act 'Y' are there?"
        ]
    );
    for reading in &readings {
        let answered = propose(reading, &codes, &[], TODAY);
        assert!(
            matches!(answered, Proposal::Sql(_)),
            "{reading}: {answered:?}"
        );
    }
    let by_root = propose("How many customers are active?", &codes, &[], TODAY);
    assert!(
        matches!(by_root, Proposal::Unanswerable { .. }),
        "{by_root:?}"
    );
    let by_value = with_active_customers(|customers| {
        let column = table(0, "x", "state enum [active|closed]")
            .columns
            .remove(0);
        customers.columns.push(column);
    });
    assert_eq!(
        doubts(question, &by_value).unwrap().1[1],
        "How many customers with state 'active' are there?"
    );
    // No column says so, or the column says something else.
    for tables in [
        with_active_customers(|_| {}),
        commented("Y = no longer active, N = closed"),
        commented("Last activity: see the log"),
    ] {
        assert_eq!(doubts(question, &tables), None);
        let answered = propose(question, &tables, &[], TODAY);
        assert!(matches!(answered, Proposal::Sql(_)), "{answered:?}");
    }
    // A business term has the meaning that the glossary defines.
    let term = Definition {
        term: "active customer".to_owned(),
        meaning: "whose account is open".to_owned(),
        sql_expression: Some("flg_act = 'Y'".to_owned()),
        applies_to: Some(2),
        ..Default::default()
    };
    match propose(question, &codes, &[term], TODAY) {
        Proposal::Sql(proposal) => assert!(proposal.sql.contains("flg_act"), "{}", proposal.sql),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_word_of_a_far_value_may_be_a_value_of_the_rows_themselves() {
    let shop = [
        table(
            1,
            "countries",
            "country_code text pk, name text [Web Land|Rome]",
        ),
        table(
            2,
            "customers",
            "customer_id int pk, country_code text > countries",
        ),
        table(
            4,
            "orders",
            "order_id int pk, customer_id int > customers, channel enum [web|store]",
        ),
    ];
    let shop: Vec<Arc<Table>> = shop.into_iter().map(Arc::new).collect();
    let is_answered =
        |question: &str| matches!(propose(question, &shop, &[], TODAY), Proposal::Sql(_));
    assert!(!is_answered("How many orders are there in web land?"));
    assert!(is_answered("How many customers are there in web land?"));
    assert!(is_answered("How many orders are there in rome?"));
}

#[test]
fn a_key_that_a_reading_names_is_the_way() {
    let films = tables(
        "
        1 countries: country_code text pk, name text unique [Italy|Norway]
        2 films: film_id int pk, title text unique, country_code text > countries, origin_code text > countries null
        ",
    );
    let films: Vec<Arc<Table>> = films.into_iter().map(Arc::new).collect();
    for (question, column) in [
        ("films from Italy by country code", "f.country_code"),
        ("films from Italy by origin code", "f.origin_code"),
    ] {
        let sql = answer(question, &films);
        assert!(
            sql.contains(&format!("c.country_code = {column}")),
            "{question}: {sql}"
        );
    }
    // Groups are asked for here, and no way is in doubt.
    let sql = answer("How many films by country code?", &films);
    assert_ne!(sql, "SELECT count(*) AS films\nFROM films AS f");
}

#[test]
fn tables_of_one_name_are_named_with_their_schemas() {
    let crates = |oid, schema: &str| {
        let columns = "crate_id int pk, kilos num, origin text [Peru]";
        let mut crates = table(oid, "crates", columns);
        crates.schema = schema.to_owned();
        crates.is_visible = false;
        Arc::new(crates)
    };
    let ports = [crates(1, "harbour"), crates(2, "Air Port")];
    let (back, readings) = doubts("What are the total kilos?", &ports).unwrap();
    assert_eq!(
        back,
        "which column is meant: harbour.crates kilos or \"Air Port.crates\" kilos?"
    );
    for (reading, table) in readings
        .iter()
        .zip(["harbour.crates", "\"Air Port\".crates"])
    {
        let sql = answer(reading, &ports);
        assert!(sql.contains(&format!("FROM {table}")), "{reading}: {sql}");
    }
}

#[test]
fn what_top_is_measured_by_is_asked_back() {
    let asked = |question: &str| {
        let understanding = Understanding::of(question, TODAY);
        let helped = crate::propose_with_help(&understanding, &company(), &[], &NoHelp);
        match helped.map(|helped| helped.proposal) {
            Ok(Proposal::Ambiguous { question, readings }) => (question, readings),
            other => panic!("{question}: {other:?}"),
        }
    };
    let (question, readings) = asked("How did our top customers perform last quarter?");
    assert_eq!(question, "by what is \"top\" measured?");
    let expected = [
        "top customers by revenue last quarter",
        "top customers by number of orders last quarter",
        "top customers by number of order lines last quarter",
    ];
    assert_eq!(readings, expected);
    // A model is not asked either: no reading over a date of the customers is meant.
    let of = |text: &str| {
        ambiguity(&Understanding::of(text, TODAY), &company(), &[]).map(|doubt| doubt.readings)
    };
    let top = of("How did our top customers perform last quarter?");
    assert_eq!(top, Some(expected.map(str::to_owned).to_vec()));
    assert_eq!(of("How did our stores perform in 2024?"), None);
}
