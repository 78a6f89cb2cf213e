//! Questions that were once answered wrongly: right now, or declined.

use super::*;

#[test]
fn two_periods_never_make_an_empty_one() {
    declines("How many orders in the last week of July 2022?");
    declines("How many orders last month in 2024?");
    declines("How many orders today in 2024?");
    declines("How many orders in the last year in 2024?");
    declines("How many orders in 2023 and in 2024?");
    declines("How many orders last quarter in 2024?");
    declines("How many orders in the last 3 months of 2024?");
    declines("How many orders in the first month of 2024?");
    declines("How many orders in March 2024 in 2025?");
}

#[test]
fn a_period_after_a_counted_noun_is_of_that_noun() {
    declines("Which customers in 2024 had more than 10 orders?");
    declines("customers with more than 3 orders with status shipped");
    declines("customers with more than 3 orders in Berlin");
    declines("number of customers with more than 2 orders by year");
    declines("customers with more than 2 orders per year");
    declines("customers with more than 3 orders and a total over 100");
    declines("customers with more than 3 orders and in 2024");
}

#[test]
fn no_word_of_grouping_is_dropped() {
    declines("most expensive product per category");
    declines("the most expensive product in each category");
    declines("most expensive product for each category");
    declines("cheapest product by category");
    declines("top 3 products by price per category");
    declines("top 3 products by price for each category");
    declines("customers by country");
    declines("products by category");
    declines("List the products by category");
    declines("employees by store");
    declines("Show employees per store");
    declines("orders by customer");
    declines("orders by customer in Germany");
    declines("orders by status");
    declines("customers by active");
    declines("products grouped by category");
    declines("For each category, list the products");
    declines("For each category, the most expensive product");
    declines("which store has the most employees per country");
    // Rows that nothing asks to list are counted, for each of the groups.
    let sql = answer("orders per customer per year", &company());
    assert!(
        sql.contains("count(*)") && sql.contains("GROUP BY c.customer_id, c.name, extract(year"),
        "{sql}"
    );
}

#[test]
fn a_name_is_that_of_the_row() {
    declines("How many orders have the name John?");
    declines("Which orders are named Berlin?");
    declines("Which customers are named John or Mary?");
    declines("Which customers are named John and named Mary?");
    declines("stores named Linz with city 'Linz' and city 'Graz'");
    declines("Which customers are from Berlin?");
}

#[test]
fn two_nouns_after_number_of_are_not_a_group() {
    declines("number of stores and employees");
    declines("number of products, categories");
    declines("How many stores and employees are there?");
    declines("count of customers and orders");
    declines("average price of products and stores");
}

#[test]
fn output_names_keep_letters_of_any_script() {
    use crate::binding::select::output_name;
    assert_eq!(output_name("Größe"), "größe");
    assert_eq!(output_name("total_çélÖne"), "total_çél_öne");
    assert_eq!(output_name("цена (€)"), "цена");
    assert_eq!(output_name("2nd Name"), "column_2nd_name");
}

#[test]
fn the_total_of_rows_is_no_list() {
    for question in [
        "What is the total of the orders of 2024?",
        "What is the total of orders?",
        "Show the total of the orders of 2024",
    ] {
        let proposal = propose(question, &company(), &[], TODAY);
        let is_list = matches!(&proposal, Proposal::Sql(answer) if !answer.sql.contains("sum("));
        assert!(!is_list, "{question}: {proposal:?}");
    }
}

#[test]
fn an_adjective_that_fits_several_columns_is_asked_back() {
    let films = |columns: &str| vec![Arc::new(table(50, "films", columns))];
    let asked = |question: &str, columns: &str| propose(question, &films(columns), &[], TODAY);
    let dear = "film_id int pk, title text unique, replacement_cost num, rental_rate num, length int, rental_duration int";
    for (question, expect) in [
        (
            "What is the most expensive film?",
            [
                "What is the film with the highest replacement cost?",
                "What is the film with the highest rental rate?",
            ],
        ),
        (
            "Which film is the most expensive?",
            [
                "Which film has the highest replacement cost?",
                "Which film has the highest rental rate?",
            ],
        ),
        (
            "List the 3 cheapest films",
            [
                "List the 3 films with the lowest replacement cost",
                "List the 3 films with the lowest rental rate",
            ],
        ),
    ] {
        let Proposal::Ambiguous { readings, .. } = asked(question, dear) else {
            panic!("{question}: {:?}", asked(question, dear));
        };
        assert_eq!(readings, expect, "{question}");
        for reading in readings {
            let answer = asked(&reading, dear);
            assert!(matches!(answer, Proposal::Sql(_)), "{reading}: {answer:?}");
        }
    }
    let read = |question: &str, columns: &str| match asked(question, columns) {
        Proposal::Sql(answer) => (answer.sql, answer.links),
        other => panic!("{question}: {other:?}"),
    };
    // One column has exactly the name, and the answer notes which column is used.
    let (sql, links) = read("What is the longest film?", dear);
    assert!(sql.contains("ORDER BY f.length DESC"), "{sql}");
    assert!(
        links.contains(&"'longest' is films.length".to_owned()),
        "{links:?}"
    );
    let (sql, links) = read(
        "What is the cheapest film?",
        "film_id int pk, title text unique, replacement_cost num",
    );
    assert!(sql.contains("ORDER BY f.replacement_cost"), "{sql}");
    assert!(
        links.contains(&"'cheapest' is films.replacement_cost".to_owned()),
        "{links:?}"
    );
}

#[test]
fn several_ways_between_tables_are_asked_back_and_each_is_an_answer() {
    let Proposal::Ambiguous { readings, .. } =
        propose("How many orders per country?", &company(), &[], TODAY)
    else {
        panic!("not asked back");
    };
    assert_eq!(
        readings,
        [
            "How many orders per country (through customers)",
            "How many orders per country (through stores)"
        ]
    );
    for (reading, table) in readings.iter().zip(["customers", "stores"]) {
        let Proposal::Sql(answer) = propose(reading, &company(), &[], TODAY) else {
            panic!("{reading}");
        };
        assert!(
            answer.sql.contains(&format!("JOIN {table}")),
            "{}",
            answer.sql
        );
    }
    // Two foreign keys to one table; a value behind them.
    let films = [
        table(
            21,
            "artists",
            "artist_id int pk, name text unique [Queen|Abba]",
        ),
        table(
            50,
            "films",
            "film_id int pk, title text unique, artist_id int > artists, former_artist_id int > artists",
        ),
    ];
    let films: Vec<Arc<Table>> = films.into_iter().map(Arc::new).collect();
    let Proposal::Ambiguous { readings, .. } = propose("films of 'Queen'", &films, &[], TODAY)
    else {
        panic!("{:?}", propose("films of 'Queen'", &films, &[], TODAY));
    };
    assert_eq!(
        readings,
        [
            "films of 'Queen' (through artist)",
            "films of 'Queen' (through former artist)"
        ]
    );
    for (reading, column) in readings.iter().zip(["f.artist_id", "f.former_artist_id"]) {
        let Proposal::Sql(answer) = propose(reading, &films, &[], TODAY) else {
            panic!("{reading}");
        };
        assert!(
            answer.sql.contains(&format!("= {column}\n")),
            "{}",
            answer.sql
        );
    }
    // A way that there is not.
    for wrong in [
        "How many orders per country (through products)",
        "How many orders are there (through fire)",
    ] {
        let declined = propose(wrong, &company(), &[], TODAY);
        assert!(
            !matches!(declined, Proposal::Sql(_)),
            "{wrong}: {declined:?}"
        );
    }
}

#[test]
fn readings_without_an_answer_are_not_offered() {
    for question in [
        "How many orders were cancelled in 2025?",
        "List the orders shipped in March 2025",
        "How many orders per country?",
        "Show me everything",
        "What is the salary?",
        "How many stores are there in 2024?",
        "How many orders were placed by customers in Germany?",
        "What is the name?",
    ] {
        if let Proposal::Ambiguous { readings, .. } = propose(question, &company(), &[], TODAY) {
            assert!(readings.len() > 1, "{question}: {readings:?}");
            for reading in readings {
                let answer = propose(&reading, &company(), &[], TODAY);
                assert!(
                    !matches!(answer, Proposal::Unanswerable { .. }),
                    "{question} → {reading}: {answer:?}"
                );
            }
        }
    }
    let Proposal::Ambiguous { readings, .. } = propose(
        "How many orders were cancelled in 2025?",
        &company(),
        &[],
        TODAY,
    ) else {
        panic!("not asked back");
    };
    assert_eq!(
        readings,
        [
            "How many orders with status 'cancelled' were placed in 2025?",
            "How many orders with status 'cancelled' are there?"
        ]
    );
}
