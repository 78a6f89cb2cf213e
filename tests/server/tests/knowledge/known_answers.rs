//! What the built-in engine claims about rows: who leads, and that nothing was found.

use postgres::Client;
use serde_json::Value;
use text2sql_server_tests::TestDatabase;

struct Asked {
    status: String,
    answer: String,
    warnings: Vec<String>,
    confidence: Option<f64>,
    readings: Vec<String>,
}

fn ask(client: &mut Client, question: &str) -> Asked {
    let row = client
        .query_one(
            "SELECT status, answer, warnings, confidence, clarification::text FROM text2sql.ask($1)",
            &[&question],
        )
        .unwrap();
    let clarification: Option<String> = row.get(4);
    let clarification: Value =
        serde_json::from_str(&clarification.unwrap_or_else(|| "{}".to_owned())).unwrap();
    let readings = clarification["readings"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    Asked {
        status: row.get(0),
        answer: row.get(1),
        warnings: row.get(2),
        confidence: row.get(3),
        readings: readings
            .iter()
            .map(|reading| reading.as_str().unwrap().to_owned())
            .collect(),
    }
}

/// A video shop with ties, two prices and data that end.
const VIDEO: &str = "
    DROP TABLE orders, customers, countries, salaries;
    CREATE TABLE languages (language_id int PRIMARY KEY, name text UNIQUE);
    CREATE TABLE genres (genre_id int PRIMARY KEY, name text UNIQUE);
    CREATE TABLE films (
        film_id int PRIMARY KEY, title text NOT NULL, genre_id int NOT NULL REFERENCES genres,
        language_id int NOT NULL REFERENCES languages, original_language_id int REFERENCES languages,
        length int NOT NULL, rental_duration int NOT NULL, rental_rate numeric NOT NULL,
        replacement_cost numeric NOT NULL);
    CREATE TABLE members (member_id int PRIMARY KEY, first_name text NOT NULL, last_name text NOT NULL);
    CREATE TABLE loans (
        loan_id int PRIMARY KEY, member_id int NOT NULL REFERENCES members, film_id int NOT NULL REFERENCES films,
        loaned_on date NOT NULL, fee numeric NOT NULL, state text NOT NULL);
    INSERT INTO languages VALUES (1, 'English'), (2, 'Italian');
    INSERT INTO genres VALUES (1, 'Drama'), (2, 'Music'), (3, 'War');
    INSERT INTO films
        SELECT n, 'Film ' || n, CASE WHEN n <= 4 THEN 1 WHEN n <= 8 THEN 2 ELSE 3 END, 1 + n % 2, 1,
               CASE WHEN n <= 6 THEN 185 ELSE 100 + n END, 3 + n % 4, 1 + n % 3, CASE WHEN n = 9 THEN 40 ELSE 20 END
        FROM generate_series(1, 9) AS n;
    INSERT INTO members VALUES (1, 'Eleanor', 'Hunt'), (2, 'Karl', 'Seal'), (3, 'Eleanor', 'Moss');
    INSERT INTO loans
        SELECT n, CASE WHEN n <= 12 THEN 1 WHEN n <= 16 THEN 2 ELSE 3 END, 1 + n % 9,
               DATE '2025-01-01' + n, 2.5, CASE WHEN n % 3 = 0 THEN 'cancelled' ELSE 'done' END
        FROM generate_series(1, 20) AS n;
    GRANT SELECT ON ALL TABLES IN SCHEMA public TO t2s_analyst;
    ANALYZE";

fn video(name: &str) -> TestDatabase {
    let database = TestDatabase::new(name);
    database.superuser().batch_execute(VIDEO).unwrap();
    database
}

#[test]
fn who_leads_is_said_where_the_rows_prove_it() {
    let database = video("leaders");
    let mut analyst = database.analyst();
    let mut check = |question: &str, answer: &str, note: Option<&str>| {
        let asked = ask(&mut analyst, question);
        assert_eq!(asked.answer, answer, "{question}");
        let ties: Vec<&String> = asked
            .warnings
            .iter()
            .filter(|warning| {
                warning.contains("ties") || warning.contains("equal") || warning.contains("share")
            })
            .collect();
        assert_eq!(
            ties,
            note.iter().copied().collect::<Vec<&str>>(),
            "{question}"
        );
    };
    check(
        "Which member has the most loans?",
        "Eleanor Hunt has the most loans: 12, 8 more than Eleanor Moss (4).",
        None,
    );
    check(
        "Which genre has the most films?",
        "Drama and Music share the first place with 4 films each.",
        None,
    );
    check(
        "Which film has the highest length?",
        "Film 1, Film 2, Film 3, Film 4 and Film 5 are among 6 that share the first place with length 185 each.",
        None,
    );
    check(
        "Which film has the highest replacement cost?",
        "Film 9 has the highest replacement cost: 40, 20 more than Film 1 (20).",
        None,
    );
    check(
        "Which two members have the most loans?",
        "Eleanor Hunt comes first with 12 loans, 8 more than Eleanor Moss (4); then Karl Seal (4).",
        None,
    );
    check(
        "Which 3 genres have the most films?",
        "Drama and Music share the first place with 4 films each, 3 more than War (1).",
        None,
    );
}

#[test]
fn superlatives_and_ways_that_fit_several_columns_are_asked_back_with_answers() {
    let database = video("readings");
    let mut analyst = database.analyst();
    for (question, count) in [
        ("What is the most expensive film?", 2),
        ("Which film is the cheapest?", 2),
        ("Show me everything", 4),
    ] {
        let asked = ask(&mut analyst, question);
        assert_eq!(
            (asked.status.as_str(), asked.readings.len()),
            ("ambiguous", count),
            "{question}: {}",
            asked.answer
        );
        for reading in asked.readings {
            let again = ask(&mut analyst, &reading);
            assert_eq!(
                again.status, "ok",
                "{question} → {reading}: {}",
                again.answer
            );
        }
    }
    // An interpretation is selected by its number.
    let mut pick = |question: &str| -> (String, String) {
        let row = analyst
            .query_one(
                "SELECT status, coalesce(sql, '') FROM text2sql.ask($1, conversation => 'ways')",
                &[&question],
            )
            .unwrap();
        (row.get(0), row.get(1))
    };
    assert_eq!(pick("Which film is the cheapest?").0, "ambiguous");
    assert_eq!(pick("2").0, "ok");
    // The reference that is called by nothing else is meant, and that is said.
    let (status, sql) = pick("How many films are in Italian?");
    assert_eq!(status, "ok");
    assert!(sql.contains("= f.language_id"), "{sql}");
    let shown = analyst
        .query("SELECT * FROM text2sql.show('films in Italian')", &[])
        .unwrap();
    let lines: Vec<String> = shown.iter().map(|row| row.get(0)).collect();
    let is_said = |line: &String| line.contains("'Italian' is that of language_id");
    assert!(lines.iter().any(is_said), "{lines:?}");
    let said = ask(&mut analyst, "What is the longest film?");
    assert_eq!(said.status, "ok");
    let shown = analyst
        .query(
            "SELECT * FROM text2sql.show('What is the longest film?')",
            &[],
        )
        .unwrap();
    let lines: Vec<String> = shown.iter().map(|row| row.get(0)).collect();
    assert!(
        lines
            .iter()
            .any(|line| line.contains("'longest' is by films.length")),
        "{lines:?}"
    );
}

#[test]
fn an_empty_period_says_where_the_data_end() {
    let database = video("nothing");
    let mut analyst = database.analyst();
    for question in [
        "List the loans of 2026",
        "What is the total fee of loans in 2026?",
        "What is the average fee of the loans of 2026?",
    ] {
        let asked = ask(&mut analyst, question);
        assert_eq!(asked.status, "ok", "{}", asked.answer);
        assert_eq!(
            asked.answer,
            "Nothing was found from 2026-01-01 to 2026-12-31. The last date in loans.loaned_on is 2025-01-21.",
            "{question}"
        );
        assert_eq!(asked.confidence, None, "{question}");
    }
    let none = ask(&mut analyst, "How many loans were there in 2026?");
    assert_eq!(
        none.answer,
        "There were no loans in 2026. The last date in loans.loaned_on is 2025-01-21."
    );
    let early = ask(&mut analyst, "What is the total fee of loans in 2020?");
    assert!(
        early
            .answer
            .ends_with("The first date in loans.loaned_on is 2025-01-02."),
        "{}",
        early.answer
    );
    // The answer does not depend on the session's DateStyle.
    analyst.batch_execute("SET DateStyle = 'German'").unwrap();
    let german = ask(&mut analyst, "What is the total fee of loans in 2026?");
    assert!(
        german.answer.ends_with("is 2025-01-21."),
        "{}",
        german.answer
    );
    analyst.batch_execute("RESET DateStyle").unwrap();
    // A condition other than the period.
    let short = ask(&mut analyst, "List the films with length above 500");
    assert!(
        short.answer.starts_with("Nothing was found.") && short.answer.contains("185"),
        "{}",
        short.answer
    );
    // Rows of another member are not read, and a private date is not revealed.
    let mut admin = database.superuser();
    admin
        .batch_execute(
            "ALTER TABLE loans ENABLE ROW LEVEL SECURITY;
             CREATE POLICY early ON loans USING (loaned_on < DATE '2025-01-11')",
        )
        .unwrap();
    let own = ask(&mut analyst, "What is the total fee of loans in 2026?");
    assert!(own.answer.ends_with("is 2025-01-10."), "{}", own.answer);
    admin
        .batch_execute("SELECT text2sql.protect('column loans.loaned_on', 'private')")
        .unwrap();
    let private = ask(&mut analyst, "What is the total fee of loans in 2026?");
    assert_eq!(
        private.answer,
        "Nothing was found from 2026-01-01 to 2026-12-31."
    );
}

#[test]
fn the_total_of_rows_is_their_sum() {
    let database = TestDatabase::new("total_of_rows");
    let asked = ask(&mut database.analyst(), "What is the total of the orders?");
    let sum: String = database
        .superuser()
        .query_one("SELECT sum(total)::text FROM orders", &[])
        .unwrap()
        .get(0);
    // The sentence separates thousands.
    let said = asked.answer.replace(',', "");
    assert!(said.contains(&sum), "{said} {sum}");
}
