//! Questions over an invented video club in words that its tables do not have, each with its statement, or with none.

use std::sync::Arc;

use crate::statements::{has_all, statement};
use text2sql_domain::schema::Table;
use text2sql_domain::schema_fixture::Build;

fn video_club() -> Vec<Arc<Table>> {
    vec![
        Build::table(1, "language")
            .columns("language_id integer!, name text!")
            .key(&["language_id"])
            .values("name", &["English", "German"], 0.0)
            .done(),
        Build::table(2, "film")
            .columns("film_id integer!, title text!, length integer, language_id integer!, original_language_id integer")
            .key(&["film_id"])
            .refers("language_id", 1, "language", "language_id")
            .refers("original_language_id", 1, "language", "language_id")
            .done(),
        Build::table(3, "category")
            .columns("category_id integer!, name text!")
            .key(&["category_id"])
            .values("name", &["Horror", "Comedy"], 0.0)
            .done(),
        Build::table(4, "film_category")
            .columns("film_id integer!, category_id integer!")
            .key(&["film_id", "category_id"])
            .refers("film_id", 2, "film", "film_id")
            .refers("category_id", 3, "category", "category_id")
            .done(),
        Build::table(5, "employee")
            .columns("employee_id integer!, first_name text!, last_name text!, reports_to integer, hire_date date!")
            .key(&["employee_id"])
            .refers("reports_to", 5, "employee", "employee_id")
            .values("first_name", &["Ann"], 0.0)
            .values("last_name", &["Miller"], 0.0)
            .done(),
        Build::table(6, "customer")
            .columns("customer_id integer!, first_name text!, last_name text!, country text!, support_rep_id integer!")
            .key(&["customer_id"])
            .refers("support_rep_id", 5, "employee", "employee_id")
            .values("country", &["USA", "Germany"], 0.0)
            .values("last_name", &["Price", "Still"], 0.0)
            .done(),
        Build::table(7, "rental")
            .columns("rental_id integer!, rental_date date!, return_date date, film_id integer!, customer_id integer!")
            .key(&["rental_id"])
            .refers("film_id", 2, "film", "film_id")
            .refers("customer_id", 6, "customer", "customer_id")
            .done(),
        Build::table(8, "invoice")
            .columns("invoice_id integer!, customer_id integer!, invoice_date date!, total numeric!")
            .key(&["invoice_id"])
            .refers("customer_id", 6, "customer", "customer_id")
            .done(),
    ]
}

fn asked(question: &str) -> String {
    statement(question, "2022-08-01", &video_club())
}

fn means(question: &str, parts: &[&str]) {
    has_all(question, &asked(question), parts);
}

#[test]
fn a_table_of_pairs_stands_for_nothing() {
    means("films per genre", &["JOIN category AS c", "count(*)"]);
    means(
        "Which genre gets rented most often?",
        &["FROM rental AS r", "c.name"],
    );
    // Those without a rental are first.
    means(
        "Which genre gets rented the least?",
        &["FROM category AS c LEFT JOIN", "coalesce(r.value, 0)"],
    );
}

#[test]
fn the_reference_that_is_called_by_nothing_else_is_meant() {
    means(
        "What percentage of our films are in English?",
        &[
            "f.language_id",
            "l.name = 'English'",
            "'English' is that of language_id",
        ],
    );
    means("Do we have any movies in German?", &["f.language_id"]);
}

#[test]
fn whoever_does_it_is_nobody_in_particular() {
    means(
        "On which day of the week do people rent the most?",
        &["FROM rental AS r GROUP BY"],
    );
    means(
        "List the people who rented in July 2022",
        &["FROM customer AS c WHERE EXISTS"],
    );
    means(
        "How many people rented something in July 2022?",
        &["FROM customer AS c WHERE EXISTS"],
    );
    means(
        "Who has rented something in the last 30 days?",
        &["FROM customer AS c WHERE EXISTS"],
    );
    means(
        "How many people do we have as customers?",
        &["FROM customer AS c"],
    );
}

#[test]
fn what_came_back_is_counted_by_its_day() {
    means(
        "How many films came back each month?",
        &[
            "date_trunc('month', r.return_date)",
            "r.return_date IS NOT NULL",
        ],
    );
    means(
        "Wie viele Filme sind letzte Woche zurückgekommen?",
        &["r.return_date >= DATE '2022-07-25'"],
    );
}

#[test]
fn a_month_takes_the_year_of_the_one_that_it_is_compared_with() {
    means(
        "How much did the number of rentals drop in July 2022 compared with June, in percent?",
        &["r.rental_date >= DATE '2022-06-01'", "100.0 *"],
    );
    means(
        "By how many percent did revenue go up in January 2022 compared with December?",
        &["i.invoice_date >= DATE '2021-12-01'"],
    );
}

#[test]
fn the_year_before_is_that_before_the_year_that_is_named() {
    for question in [
        "Umsatz 2021 im Vergleich zum Vorjahr",
        "revenue in 2021 compared with the year before",
    ] {
        means(
            question,
            &[
                "i.invoice_date >= DATE '2020-01-01'",
                "AS revenue_from_2021_01_01",
                "AS change",
            ],
        );
    }
    means(
        "By how many percent did revenue rise in March 2022 against the month before?",
        &["i.invoice_date >= DATE '2022-02-01'", "100.0 *"],
    );
}

#[test]
fn growth_by_period_is_against_the_period_before() {
    let growth =
        asked("By how many percent did revenue rise or fall each month against the month before?");
    assert!(
        growth.contains(
            "RANGE BETWEEN INTERVAL '1 month' PRECEDING AND INTERVAL '1 month' PRECEDING"
        ),
        "{growth}"
    );
    means(
        "revenue growth year over year",
        &["RANGE BETWEEN 1 PRECEDING AND 1 PRECEDING"],
    );
    assert_eq!(asked("revenue growth by weekday"), "");
    // The same month of the year before is another one.
    assert_eq!(asked("revenue by month compared with the year before"), "");
}

#[test]
fn two_things_are_compared_by_which_there_is_more_of() {
    means(
        "Do we have more customers in the USA or in Germany?",
        &["count(*)", "IN ('USA', 'Germany')", "GROUP BY c.country"],
    );
    // What they do is compared, not they.
    means(
        "Do customers in the USA or in Germany rent more?",
        &["FROM rental AS r", "count(*)", "GROUP BY c.country"],
    );
    means(
        "Do customers in the USA or in Germany spend more?",
        &["sum(i.total)", "GROUP BY c.country"],
    );
    assert_eq!(asked("Do we have more customers or fewer?"), "");
}

#[test]
fn the_boss_is_the_row_that_the_row_refers_to() {
    means(
        "Who is Ann Miller's boss?",
        &["AS boss_first_name", "ON e2.employee_id = e.reports_to"],
    );
    means("Seit wann arbeitet Ann Miller bei uns?", &["e.hire_date"]);
}

#[test]
fn what_is_said_beside_is_not_dropped() {
    for question in [
        "Which customers rented again?",
        "Kunden, die noch einmal ausgeliehen haben",
        "Welche Filme sind kurz?",
        "customers with roughly 20 rentals",
        "Which customer has the most rentals and how much did they pay?",
        "average revenue per customer who rented horror films",
        "revenue until yesterday this year",
    ] {
        assert_eq!(asked(question), "", "{question}");
    }
}

#[test]
fn the_biggest_spenders_are_customers_by_revenue() {
    means(
        "Who are our three biggest spenders?",
        &["sum(i.total)", "FETCH FIRST 3 ROWS"],
    );
    means("What did we turn over in 2021?", &["sum(i.total)"]);
    means("What did we take last month?", &["sum(i.total)"]);
    means(
        "How much does a customer spend per order on average?",
        &["avg(i.total)"],
    );
    means("revenue from the United States", &["c.country = 'USA'"]);
}

#[test]
fn times_and_bounds_are_read_in_whatever_form() {
    means(
        "Welche Kunden haben mehr als 40-mal etwas ausgeliehen?",
        &["> 40"],
    );
    means("Which films are two hours or longer?", &["f.length >= 120"]);
    means(
        "What is the longest film, and how long is it?",
        &["f.length"],
    );
    means("When was the very first rental?", &["min(r.rental_date)"]);
}

#[test]
fn words_of_questions_are_no_names_of_people() {
    // Somebody is called Price, and somebody Still.
    assert_eq!(asked("average price of a customer"), "");
    assert!(!asked("Which rentals are still open?").contains("Still"));
    means(
        "Show the customers with the last name 'Still'",
        &["'Still'"],
    );
}

#[test]
fn people_say_how_many_where_they_like() {
    means(
        "rentals last month - how many",
        &["count(*)", "r.rental_date >= DATE '2022-07-01'"],
    );
    means(
        "In how many countries do we have customers?",
        &["count(DISTINCT c.country)"],
    );
    means(
        "In how many different languages do we have films?",
        &["FROM language AS l WHERE EXISTS"],
    );
    means("very first rental - when?", &["min(r.rental_date)"]);
    means(
        "revenue since the beginning of this year",
        &["i.invoice_date >= DATE '2022-01-01'"],
    );
    means(
        "How much money have we made so far this year?",
        &["i.invoice_date >= DATE '2022-01-01'"],
    );
}

#[test]
fn the_best_by_a_figure_are_the_first_by_it() {
    means(
        "best 3 customers by revenue",
        &["sum(i.total)", "FETCH FIRST 3 ROWS"],
    );
    assert_eq!(asked("best 3 customers"), "");
    means(
        "Umsatzwachstum 2022 gegenüber 2021 in Prozent",
        &["100.0 *"],
    );
    means(
        "By what percentage did our turnover change from 2020 to 2021?",
        &["100.0 *"],
    );
}

#[test]
fn the_mean_per_customer_is_of_what_each_has_spent() {
    for question in [
        "average revenue per customer",
        "How much does a customer spend on average?",
        "Wie viel hat ein Kunde im Schnitt ausgegeben?",
    ] {
        means(
            question,
            &[
                "avg(coalesce(i.value, 0)) AS average_revenue_per_customer",
                "WHERE EXISTS",
            ],
        );
    }
    means("revenue in dollars in 2021", &["sum(i.total)"]);
}

#[test]
fn two_words_for_one_thing_are_one() {
    means("How many films and movies are there?", &["FROM film AS f"]);
    means(
        "How many titles do we have in each genre?",
        &["count(*) AS film"],
    );
    // What is still sold is not said.
    means("How many films do we have on offer?", &["FROM film AS f"]);
}

#[test]
fn verbs_of_business_say_the_money() {
    means("Which customers paid the most?", &["sum(i.total)"]);
    assert_eq!(asked("Which films are doing best?"), "");
}

#[test]
fn durations_are_in_the_unit_that_is_asked_for() {
    means(
        "How long is a film on average in each genre, in hours?",
        &["avg((f.length / 60.0)) AS average_hours"],
    );
    means(
        "How many minutes does a film last on average?",
        &["avg(f.length)"],
    );
    assert_eq!(asked("How long is a film on average, in seconds?"), "");
    means(
        "Durchschnittliche Filmlänge je Genre",
        &["avg(f.length)", "c.name"],
    );
}

#[test]
fn who_has_been_here_longest_was_hired_first() {
    means(
        "Who has been on our staff the longest?",
        &["ORDER BY e.hire_date FETCH FIRST 1 ROW"],
    );
    means(
        "Wer ist am längsten bei uns beschäftigt?",
        &["ORDER BY e.hire_date"],
    );
}

#[test]
fn what_is_offered_need_not_have_been_sold() {
    let offered = asked("How many different films do we sell?");
    assert!(!offered.contains("EXISTS"), "{offered}");
    assert!(offered.contains("film count, sold or not"), "{offered}");
}
