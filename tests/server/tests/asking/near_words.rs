//! Words of a question that are read as words of the catalog: never as one that only tables or columns have that the
//! role may not read. The words that are compared come from the whole catalog.

use postgres::Client;
use text2sql_server_tests::TestDatabase;

/// A table with two columns that the analyst may read, and a table that it may not read.
fn staff(test: &str) -> TestDatabase {
    let database = TestDatabase::new(test);
    database
        .superuser()
        .batch_execute(
            "CREATE TABLE staff (id int PRIMARY KEY, nickname text, commission numeric);
             CREATE TABLE ransom (id int PRIMARY KEY, courier text);
             GRANT SELECT (id, nickname) ON staff TO t2s_analyst",
        )
        .unwrap();
    refresh(&mut database.superuser());
    database
}

/// Alone in its message: it cannot run in a transaction block.
fn refresh(client: &mut Client) {
    client.batch_execute("CALL text2sql.refresh()").unwrap();
}

/// All that a question shows of the search: what was found, and why.
fn shown(client: &mut Client, question: &str) -> String {
    let sql = "SELECT coalesce(string_agg(concat_ws(' | ', object, kind, why, best_columns::text), E'\\n' ORDER BY kind, rank), '')
               FROM text2sql.retrieve($1)";
    client.query_one(sql, &[&question]).unwrap().get(0)
}

#[test]
fn no_reading_names_what_the_role_may_not_read() {
    let database = staff("near_words");
    let (mut admin, mut analyst) = (database.superuser(), database.analyst());
    // Misspelt in the question, so that a name in what is shown comes from the catalog.
    for (question, word, secret) in [
        (
            "What is the commision of each nickname?",
            "commision",
            "commission",
        ),
        ("Which currier has each nickname?", "currier", "courier"),
        ("List the ransomm of each nickname", "ransomm", "ransom"),
    ] {
        let reading = format!("'{word}' is read as {secret}");
        let all = shown(&mut admin, question);
        assert!(all.contains(&reading), "{all}");
        let few = shown(&mut analyst, question).replace(word, "");
        assert!(few.contains("staff | table"), "{few}");
        assert!(!few.contains(secret), "{few}");
    }
    let question = "What is the commision of each nickname?";
    admin
        .batch_execute("GRANT SELECT (commission) ON staff TO t2s_analyst")
        .unwrap();
    assert!(shown(&mut analyst, question).contains("is read as commission"));
    admin
        .batch_execute("SELECT text2sql.protect('staff.commission', 'hidden')")
        .unwrap();
    refresh(&mut admin);
    for client in [&mut admin, &mut analyst] {
        assert!(!shown(client, question).contains("commission"));
    }
}

#[test]
fn the_built_in_engine_reads_no_word_as_what_the_role_may_not_read() {
    let database = staff("near_words_builtin");
    let (mut admin, mut analyst) = (database.superuser(), database.analyst());
    for question in [
        "How many ransomms are there?",
        "What is the commision of each nickname?",
    ] {
        let answer = |client: &mut Client| -> String {
            let sql = "SELECT a::text FROM text2sql.ask($1) AS a";
            let text: String = client.query_one(sql, &[&question]).unwrap().get(0);
            text.replace("ransomm", "").replace("commision", "")
        };
        let text = answer(&mut analyst);
        assert!(
            !text.contains("ransom") && !text.contains("commission"),
            "{text}"
        );
        drop(answer(&mut admin));
    }
}
