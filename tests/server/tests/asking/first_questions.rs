//! What a newcomer asks of tables that nobody has described: readings that can be asked as they are, names for keys,
//! and nothing about tables that the role may not read.

use postgres::Client;
use serde_json::Value;
use text2sql_server_tests::TestDatabase;

const TABLES: &str = "
    CREATE TABLE category (category_id int PRIMARY KEY, name text NOT NULL);
    CREATE TABLE film (film_id int PRIMARY KEY, title text NOT NULL, length int NOT NULL,
        rental_rate numeric NOT NULL, replacement_cost numeric NOT NULL, weight text NOT NULL, mood text NOT NULL);
    CREATE TABLE film_category (film_id int REFERENCES film, category_id int REFERENCES category,
        PRIMARY KEY (film_id, category_id));
    CREATE TABLE store (store_id int PRIMARY KEY, manager_staff_id int NOT NULL);
    INSERT INTO category VALUES (1, 'Drama'), (2, 'Horror');
    INSERT INTO film SELECT i, 'Film ' || i, 100 + i, i % 7, 20 - i % 5, i || '.5', 'mood ' || i
        FROM generate_series(1, 40) AS i;
    INSERT INTO film_category SELECT film_id, 1 FROM film;
    INSERT INTO film_category SELECT film_id, 2 FROM film WHERE film_id <= 10;
    INSERT INTO store VALUES (1, 7);
    GRANT SELECT ON category, film, film_category, store TO t2s_analyst;
    ANALYZE";

struct Asked {
    status: String,
    said: String,
    rows: Value,
    readings: Vec<String>,
}

fn ask(client: &mut Client, question: &str) -> Asked {
    let row = client
        .query_one(
            "SELECT status, concat_ws(' / ', answer, array_to_string(warnings, ' / ')), result_rows::text,
                    clarification::text
             FROM text2sql.ask($1)",
            &[&question],
        )
        .unwrap();
    let json = |at: usize| {
        let text: Option<String> = row.get(at);
        serde_json::from_str::<Value>(&text.unwrap_or_default()).unwrap_or_default()
    };
    let readings = json(3)["readings"].as_array().cloned().unwrap_or_default();
    Asked {
        status: row.get(0),
        said: row.get(1),
        rows: json(2),
        readings: readings
            .iter()
            .map(|reading| reading.as_str().unwrap().to_owned())
            .collect(),
    }
}

#[test]
fn first_questions_lead_to_an_answer() {
    let database = TestDatabase::new("first_questions");
    let mut admin = database.superuser();
    admin.batch_execute(TABLES).unwrap();
    let mut analyst = database.analyst();

    // Two columns that fit: each reading is a question with an answer.
    let asked = ask(&mut analyst, "What is the most expensive film?");
    assert_eq!(asked.status, "ambiguous", "{}", asked.said);
    assert_eq!(asked.readings.len(), 2, "{:?}", asked.readings);
    for reading in &asked.readings {
        let picked = ask(&mut analyst, reading);
        assert_eq!(picked.status, "ok", "{reading}: {}", picked.said);
    }

    // The table in between has nothing but keys: the categories are meant.
    let asked = ask(&mut analyst, "show me all film categories");
    assert_eq!(asked.status, "ok", "{}", asked.said);
    let categories = asked.rows.as_array().unwrap().iter();
    let names: Vec<&Value> = categories.map(|row| &row["name"]).collect();
    assert_eq!(names, ["Drama", "Horror"]);

    // A film in two categories counts once in each.
    let asked = ask(&mut analyst, "average length of films by category");
    assert_eq!(asked.status, "ok", "{}", asked.said);
    let mut rows = asked.rows.as_array().unwrap().iter();
    let horror = rows.find(|row| row["category"] == "Horror").unwrap();
    assert_eq!(horror["average_length"].to_string(), "105.5");

    // Texts are not averaged, whatever they hold.
    for question in [
        "What is the average weight of films?",
        "What is the average mood of films?",
    ] {
        let asked = ask(&mut analyst, question);
        assert_eq!(asked.status, "unanswerable", "{question}: {}", asked.said);
    }

    // A number does not answer "who".
    let asked = ask(&mut analyst, "Who is the manager of store 1?");
    assert_eq!(asked.status, "unanswerable", "{}", asked.said);

    // A role that may not read the categories is not offered questions about them.
    admin
        .batch_execute("REVOKE SELECT ON category FROM t2s_analyst")
        .unwrap();
    let asked = ask(&mut analyst, "show me all film categories");
    assert!(asked.readings.is_empty(), "{:?}", asked.readings);
    let asked = ask(&mut analyst, "average length of films by category");
    assert_ne!(asked.status, "ok", "{}", asked.said);
}
