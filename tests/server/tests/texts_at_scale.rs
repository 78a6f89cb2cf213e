//! Searches over several thousand texts: through the vector index and by the statistics of words they find what comparing
//! everything finds, and a role finds exactly what it may read.

use std::collections::HashSet;

use postgres::Client;
use text2sql_server_tests::TestDatabase;

/// More than are compared one by one.
const ROWS: usize = 5_400;

/// Rows of one region of 100 are readable by one of the roles.
const REGION: i32 = 7;

const WORDS: [&str; 24] = [
    "jacket", "zipper", "sleeve", "boot", "lamp", "carton", "courier", "refund", "battery",
    "screen", "kettle", "bottle", "strap", "pocket", "fabric", "motor", "filter", "valve",
    "drawer", "paint", "rust", "cable", "alarm", "key",
];

/// A text of which all words depend on its number: of one topic of 60, with a word of its own for a few texts.
fn text(number: usize) -> String {
    let mut state = number.wrapping_mul(2_654_435_761) % 1_000_003;
    let mut next = |most: usize| {
        state = (state * 48_271 + 11) % 1_000_003;
        state % most
    };
    let topic = number % 60;
    let word = |place: usize| WORDS[place % WORDS.len()];
    let mut words: Vec<String> = Vec::new();
    for _ in 0..9 {
        words.push(match next(10) {
            0..5 => word(topic * 7 + next(4) * (topic + 1)).to_owned(),
            5..7 => word(next(WORDS.len())).to_owned(),
            7 => format!("model {}", number % 900),
            _ => ["after a week", "and the", "was", "again"][next(4)].to_owned(),
        });
    }
    words.join(" ")
}

/// A database with the texts, and questions over them.
fn notes(test: &str) -> (TestDatabase, Vec<String>) {
    let database = TestDatabase::new(test);
    let mut admin = database.superuser();
    admin
        .batch_execute(
            "CREATE TABLE notes (note_id int PRIMARY KEY, region int NOT NULL, body text)",
        )
        .unwrap();
    let bodies: Vec<String> = (0..ROWS).map(text).collect();
    admin
        .execute(
            "INSERT INTO notes SELECT n, n % 100, b FROM unnest($1::text[]) WITH ORDINALITY AS t(b, n)",
            &[&bodies],
        )
        .unwrap();
    admin
        .execute("SELECT text2sql.index_text('notes.body')", &[])
        .unwrap();
    let questions = (0..25)
        .map(|number| {
            let body = text(number * 211 + 17);
            body.split(' ').take(5).collect::<Vec<_>>().join(" ")
        })
        .collect();
    (database, questions)
}

/// The keys of the best ten.
fn found(client: &mut Client, question: &str) -> Vec<i32> {
    let sql = "SELECT (row_key->>'note_id')::int FROM text2sql.search_text($1) ORDER BY rank";
    let rows = client.query(sql, &[&question]).unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

fn all_found(client: &mut Client, questions: &[String]) -> Vec<Vec<i32>> {
    let found = |question: &String| found(client, question);
    questions.iter().map(found).collect()
}

/// The share of what was found before that is found now.
fn recall(before: &[Vec<i32>], now: &[Vec<i32>]) -> f64 {
    let (mut same, mut all) = (0, 0);
    for (before, now) in before.iter().zip(now) {
        let now: HashSet<&i32> = now.iter().collect();
        all += before.len();
        same += before.iter().filter(|key| now.contains(key)).count();
    }
    same as f64 / all.max(1) as f64
}

#[test]
fn index_and_statistics_find_what_comparing_everything_finds() {
    let (database, questions) = notes("texts_at_scale");
    let few = database.create_role("few", "LOGIN");
    let nobody = database.create_role("nobody", "LOGIN");
    let mut admin = database.superuser();
    admin
        .batch_execute(&format!(
            "GRANT SELECT ON notes TO t2s_analyst, {few};
             ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
             CREATE POLICY everything ON notes TO t2s_analyst USING (true);
             CREATE POLICY one_region ON notes TO {few} USING (region = {REGION});
             SELECT text2sql.grant_usage('{few}'); SELECT text2sql.grant_usage('{nobody}')"
        ))
        .unwrap();
    let few_and_all = |step: &str| {
        let all = all_found(&mut database.analyst(), &questions);
        let few = all_found(&mut database.connect_as(&few), &questions);
        let readable = |key: &i32| key % 100 == REGION;
        assert!(few.iter().flatten().all(readable), "{step}: {few:?}");
        assert!(few.iter().all(|found| !found.is_empty()), "{step}: {few:?}");
        let nothing = all_found(&mut database.connect_as(&nobody), &questions);
        assert!(nothing.iter().all(Vec::is_empty), "{step}");
        (all, few)
    };
    let mut session = database.connect_as(&few);
    // index_text reads the first texts only. Alone in its message: it cannot run in a transaction block.
    admin.batch_execute("CALL text2sql.refresh()").unwrap();
    admin
        .batch_execute("DROP INDEX text2sql._passage_vectors_hnsw")
        .unwrap();
    let (all, few) = few_and_all("everything is compared");

    admin.batch_execute("CALL text2sql.refresh()").unwrap();
    let index = "SELECT to_regclass('text2sql._passage_vectors_hnsw') IS NOT NULL";
    assert!(admin.query_one(index, &[]).unwrap().get::<_, bool>(0));
    let (all_indexed, few_indexed) = few_and_all("through the index");
    let through_index = (recall(&all, &all_indexed), recall(&few, &few_indexed));

    // Words are counted up to 20,000 passages: these pretend to be more.
    admin
        .batch_execute(
            "UPDATE pg_class SET reltuples = 50000 WHERE oid = 'text2sql._passages'::regclass",
        )
        .unwrap();
    let (all_counted, few_counted) = few_and_all("by the statistics");
    let by_statistics = (recall(&all, &all_counted), recall(&few, &few_counted));

    println!("recall of ten: {through_index:?} through the index, {by_statistics:?} by statistics");
    assert!(through_index.0 >= 0.9, "{through_index:?}");
    // Most words here are in more than one of twenty texts, and so are left out where statistics say it.
    assert!(by_statistics.0 >= 0.4, "{by_statistics:?}");
    // Among few rows nothing is left out.
    assert!(through_index.1 >= 0.9, "{through_index:?}");
    assert!(by_statistics.1 >= 0.9, "{by_statistics:?}");

    // A session that has found few rows finds what it may read after that.
    let mut regions = || -> HashSet<i32> {
        let found = all_found(&mut session, &questions);
        found.into_iter().flatten().map(|key| key % 100).collect()
    };
    assert_eq!(regions(), HashSet::from([REGION]));
    admin
        .batch_execute("ALTER POLICY one_region ON notes USING (region = 8)")
        .unwrap();
    assert_eq!(regions(), HashSet::from([8]));
    admin
        .batch_execute("ALTER POLICY one_region ON notes USING (true)")
        .unwrap();
    assert!(regions().len() > 10);
    admin
        .batch_execute("ALTER POLICY one_region ON notes USING (false)")
        .unwrap();
    assert_eq!(regions(), HashSet::new());

    // Another embedder: all vectors are made anew, and so is their index.
    admin
        .batch_execute("SET text2sql.embedding_model = 'hash'")
        .unwrap();
    admin.batch_execute("CALL text2sql.refresh()").unwrap();
    assert!(admin.query_one(index, &[]).unwrap().get::<_, bool>(0));
    let made = "SELECT embedder, dimensions > 0, (SELECT count(*) FROM text2sql._passage_vectors) FROM text2sql._passage_state";
    let made = admin.query_one(made, &[]).unwrap();
    let rows = i64::try_from(ROWS).unwrap();
    assert!(made.get::<_, String>(0).contains("hash"));
    assert!(made.get::<_, bool>(1));
    assert_eq!(made.get::<_, i64>(2), rows);
}
