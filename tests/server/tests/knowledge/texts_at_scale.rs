//! Searches over several thousand texts: through the vector index and by the statistics of words they find what comparing
//! everything finds, and a role finds exactly what it may read.

use std::collections::{HashMap, HashSet};
use std::thread;
use std::time::{Duration, Instant};

use postgres::error::SqlState;
use postgres::{Client, NoTls};
use text2sql_server_tests::TestDatabase;
use text2sql_server_tests::processes::{process_of, threads};
use text2sql_server_tests::waiting::wait_until;

/// More than are compared one by one.
const ROWS: usize = 5_400;

/// Rows of one region of 100 are readable by one of the roles.
const REGION: i32 = 7;

const WORDS: [&str; 24] = [
    "jacket", "zipper", "sleeve", "boot", "lamp", "carton", "courier", "refund", "battery",
    "screen", "kettle", "bottle", "strap", "pocket", "fabric", "motor", "filter", "valve",
    "drawer", "paint", "rust", "cable", "alarm", "key",
];

/// A text whose words all depend on its number: it has one topic of 60, and a few texts share a word of their own.
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

/// What a role that may read the rows of the region finds by words alone and by vectors alone is what comparing each of
/// these rows finds. Asked are texts of such rows: then the vector of the question is there, in half precision.
fn check_by_comparing(database: &TestDatabase, few: &str, step: &str) {
    let mut admin = database.superuser();
    let mut client = database.connect_as(few);
    // From now on this session searches these rows only.
    found(&mut client, &text(7));
    let passages = format!(
        "SELECT p.id, (p.key::jsonb ->> 0)::int AS note, p.words, v.embedding
           FROM text2sql._passages p JOIN text2sql._passage_vectors v ON v.passage = p.id
          WHERE (p.key::jsonb ->> 0)::int % 100 = {REGION}"
    );
    let by_words = format!(
        "WITH w AS (
             SELECT lexeme, (SELECT count(*) FROM text2sql._passages WHERE words @@ quote_literal(lexeme)::tsquery) AS n
               FROM unnest(tsvector_to_array(to_tsvector('english', $1))) AS t(lexeme)),
         q AS (SELECT lexeme, ln(1 + ((SELECT count(*) FROM text2sql._passages) - n + 0.5) / (n + 0.5)) AS weight FROM w),
         p AS ({passages})
         SELECT note, sum(weight)::float8 FROM p JOIN q ON p.words @@ quote_literal(lexeme)::tsquery GROUP BY note"
    );
    let by_vectors = format!(
        "WITH p AS ({passages})
         SELECT note, 1 - (embedding <=> (SELECT v.embedding FROM text2sql._passage_vectors v JOIN text2sql._passages a ON a.id = v.passage
              JOIN notes ON note_id = (a.key::jsonb ->> 0)::int WHERE body = $1 LIMIT 1)) FROM p"
    );
    for (left_out, reference) in [("vector", &by_words), ("word", &by_vectors)] {
        let only = format!("SET text2sql.tuning = '{{\"text_{left_out}_weight\": 0}}'");
        client.batch_execute(&only).unwrap();
        for number in [6, 1_206, 4_306] {
            let question = text(number);
            let rows = admin.query(reference, &[&question]).unwrap();
            let scores: HashMap<i32, f64> =
                rows.iter().map(|row| (row.get(0), row.get(1))).collect();
            let mut best: Vec<f64> = scores.values().copied().collect();
            best.sort_by(|one, other| other.total_cmp(one));
            let keys = found(&mut client, &question);
            assert!(
                !keys.is_empty(),
                "{step}, without {left_out}s: {question}: {best:?}"
            );
            // Equally ranked passages may change places.
            for (key, best) in keys.iter().zip(best) {
                let score = scores[key];
                assert!(
                    (score - best).abs() < 0.002,
                    "{step}, without {left_out}s: note {key} has {score}, not {best}: {question}"
                );
            }
        }
    }
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
             SELECT text2sql.grant_access('{few}'); SELECT text2sql.grant_access('{nobody}')"
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
    check_by_comparing(&database, &few, "without an index");
    let (all, of_few) = few_and_all("everything is compared");

    admin.batch_execute("CALL text2sql.refresh()").unwrap();
    let index = "SELECT to_regclass('text2sql._passage_vectors_hnsw') IS NOT NULL";
    assert!(admin.query_one(index, &[]).unwrap().get::<_, bool>(0));
    check_by_comparing(&database, &few, "with an index");
    let (all_indexed, few_indexed) = few_and_all("through the index");
    let through_index = (recall(&all, &all_indexed), recall(&of_few, &few_indexed));

    // Words are counted up to 20,000 passages: these pretend to be more.
    admin
        .batch_execute(
            "UPDATE pg_class SET reltuples = 50000 WHERE oid = 'text2sql._passages'::regclass",
        )
        .unwrap();
    let (all_counted, few_counted) = few_and_all("by the statistics");
    let by_statistics = (recall(&all, &all_counted), recall(&of_few, &few_counted));

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

    // Another embedder: all vectors are made anew, and so is their index, also where somebody may still see the former ones.
    let mut older = database.superuser();
    older
        .batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM pg_class")
        .unwrap();
    admin
        .batch_execute("SET text2sql.embedding_model = 'hash'")
        .unwrap();
    admin.batch_execute("CALL text2sql.refresh()").unwrap();
    older.batch_execute("COMMIT").unwrap();
    assert!(admin.query_one(index, &[]).unwrap().get::<_, bool>(0));
    let made = "SELECT embedder, dimensions > 0, (SELECT count(*) FROM text2sql._passage_vectors) FROM text2sql._passage_state";
    let made = admin.query_one(made, &[]).unwrap();
    let rows = i64::try_from(ROWS).unwrap();
    assert!(made.get::<_, String>(0).contains("hash"));
    assert!(made.get::<_, bool>(1));
    assert_eq!(made.get::<_, i64>(2), rows);
}

/// JSON lines of documents with one passage each, no two of them the same.
fn documents(numbers: std::ops::Range<usize>) -> String {
    numbers
        .map(|number| {
            let body = [0, 1, 2].map(|part| text(number * 3 + part)).join(". ");
            format!("{{\"title\": \"note {number}\", \"body\": \"{body}\"}}\n")
        })
        .collect()
}

const IMPORT: &str = "SELECT count(*) FROM text2sql.import_knowledge($1, 'documents')";

/// Vectors are made on several threads while others are stored: each must be that of its own passage.
#[test]
fn many_documents_at_once_have_the_vectors_that_each_has_alone() {
    let database = TestDatabase::new("many_documents");
    let mut admin = database.superuser();
    let count = 300;
    admin.execute(IMPORT, &[&documents(0..count)]).unwrap();
    for number in 0..count {
        admin
            .execute(IMPORT, &[&documents(number..number + 1)])
            .unwrap();
    }
    let compared = admin
        .query_one(
            "SELECT count(*), count(*) FILTER (WHERE v1.embedding::text = v2.embedding::text), count(DISTINCT v1.embedding::text)
             FROM text2sql._passages p1
             JOIN text2sql._documents d1 ON d1.id = p1.document
             JOIN text2sql._documents d2 ON d2.title = d1.title AND d2.id > d1.id
             JOIN text2sql._passages p2 ON p2.document = d2.id AND p2.part = p1.part
             JOIN text2sql._passage_vectors v1 ON v1.passage = p1.id
             JOIN text2sql._passage_vectors v2 ON v2.passage = p2.id",
            &[],
        )
        .unwrap();
    let (all, same, different): (i64, i64, i64) =
        (compared.get(0), compared.get(1), compared.get(2));
    assert_eq!((all, same), (count as i64, count as i64));
    assert!(different > all * 9 / 10, "{different} of {all}");
}

#[test]
fn a_cancel_while_documents_are_added_ends_all_threads_and_leaves_nothing() {
    let database = TestDatabase::new("cancelled_documents");
    let mut admin = database.superuser();
    let mut client = database.superuser();
    client.execute(IMPORT, &[&documents(0..100)]).unwrap();
    let process = process_of(&mut client);
    let before = threads(process);
    let many = documents(100..6_100);
    let mut most = 0;
    for moment in 1..=8 {
        let token = client.cancel_token();
        let cancelled = thread::scope(|scope| {
            let importing = scope.spawn(|| client.execute(IMPORT, &[&many]));
            // The default embedder starts threads; the one without a file does not.
            let start = Instant::now();
            while threads(process) <= before && start.elapsed() < Duration::from_secs(5) {
                thread::sleep(Duration::from_millis(5));
            }
            most = most.max(threads(process));
            thread::sleep(Duration::from_millis(moment * 60));
            let cancelled = Instant::now();
            token.cancel_query(NoTls).unwrap();
            let error = importing.join().unwrap().expect_err("a cancel");
            assert_eq!(error.code(), Some(&SqlState::QUERY_CANCELED), "{error:?}");
            cancelled.elapsed()
        });
        assert!(cancelled < Duration::from_secs(3), "{cancelled:?}");
        wait_until("the end of the threads", || threads(process) <= before);
    }
    println!("{before} threads before, {most} while documents were added");
    let count = "SELECT count(*) FROM text2sql._passages";
    assert_eq!(admin.query_one(count, &[]).unwrap().get::<_, i64>(0), 100);
    // The session goes on, and adds documents.
    client.execute(IMPORT, &[&documents(100..150)]).unwrap();
    assert_eq!(admin.query_one(count, &[]).unwrap().get::<_, i64>(0), 150);
    // Another worker does the same when this one is terminated.
    let ended = thread::scope(|scope| {
        let importing = scope.spawn(|| client.execute(IMPORT, &[&many]));
        thread::sleep(Duration::from_millis(500));
        admin
            .execute("SELECT pg_terminate_backend($1)", &[&process])
            .unwrap();
        importing.join().unwrap()
    });
    assert!(ended.is_err());
    wait_until("the end of the session", || threads(process) == 0);
    assert_eq!(admin.query_one(count, &[]).unwrap().get::<_, i64>(0), 150);
}
