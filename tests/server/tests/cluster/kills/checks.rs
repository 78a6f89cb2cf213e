//! What must hold when processes were ended.

use std::collections::BTreeSet;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use postgres::Client;
use text2sql_server_tests::waiting::wait_until;

use super::actors;
use super::scene::{Scene, UPDATED_DATABASE};

/// What the imports bring.
pub(super) const TERMS: usize = 40;
pub(super) const DOCUMENTS: usize = 6;
pub(super) const LOADED: usize = 300;

/// A question that ended several processes waits up to ten minutes.
const PATIENCE: Duration = Duration::from_secs(900);

fn count(client: &mut Client, sql: &str) -> i64 {
    client.query_one(sql, &[]).unwrap().get(0)
}

/// All of it, after the last process was ended.
pub(super) fn all(scene: &Scene) {
    let mut admin = superuser(scene);
    nothing_is_half_written(scene);
    every_question_has_one_answer(scene, &mut admin);
    no_row_is_left_alone(&mut admin);
    no_session_is_left(scene, &mut admin);
    the_index_is_right(&mut admin);
    an_update_goes_through(scene);
    the_log_has_no_other_crash(&scene.server.log());
}

fn superuser(scene: &Scene) -> Client {
    let mut client = None;
    wait_until("the server is up", || {
        client = scene.try_superuser().ok();
        client.is_some()
    });
    client.unwrap()
}

/// Each import has happened or not. May be called while they go on, and while the server restarts.
pub(super) fn nothing_is_half_written(scene: &Scene) {
    const VERSIONS: &str = "
        SELECT (SELECT count(*) FROM text2sql._definitions WHERE origin = 'import'),
               (SELECT count(DISTINCT meaning) FROM text2sql._definitions WHERE origin = 'import'),
               (SELECT count(*) FROM text2sql._import_lines WHERE line IS NOT NULL),
               (SELECT count(*) FROM text2sql._documents WHERE source = 'handbook'),
               (SELECT count(DISTINCT body) FROM text2sql._documents WHERE source = 'handbook')";
    let Ok(mut client) = scene.try_superuser() else {
        return;
    };
    let Ok(row) = client.query_one(VERSIONS, &[]) else {
        return;
    };
    let mut counts: Vec<i64> = (0..5).map(|place| row.get(place)).collect();
    // The table is not always there.
    let loaded = client.query_one("SELECT count(*) FROM public.loaded", &[]);
    counts.push(loaded.map_or(0, |row| row.get(0)));
    let is_whole = |count: i64, whole: usize| count == 0 || usize::try_from(count) == Ok(whole);
    assert!(
        is_whole(counts[0], TERMS) && counts[1] <= 1,
        "definitions: {counts:?}"
    );
    assert_eq!(counts[0], counts[2], "lines of the import: {counts:?}");
    assert!(
        is_whole(counts[3], DOCUMENTS) && counts[4] <= 1,
        "documents: {counts:?}"
    );
    assert!(is_whole(counts[5], LOADED), "rows of a file: {counts:?}");
}

fn every_question_has_one_answer(scene: &Scene, admin: &mut Client) {
    let begin = Instant::now();
    let open = "SELECT count(*) FROM text2sql._submitted WHERE state IN ('waiting', 'running')";
    while count(admin, open) > 0 {
        assert!(begin.elapsed() < PATIENCE, "questions are never answered");
        go_on_with_batches(scene, admin);
        std::thread::sleep(Duration::from_millis(200));
    }
    println!("the last question was answered after {:?}", begin.elapsed());
    // Ten processes that ended while they answered it are the limit that the documentation states.
    let given_up = "SELECT count(*) FROM text2sql._submitted WHERE state = 'failed' AND attempts > 10 AND sqlstate = '58000'";
    println!("given up after ten processes: {}", count(admin, given_up));
    let other = "SELECT count(*) FROM text2sql._submitted WHERE state <> 'done' AND NOT (state = 'failed' AND attempts > 10)";
    assert_eq!(count(admin, other), 0, "questions without an answer");
    let wrong = "SELECT count(*) FROM text2sql._submitted q LEFT JOIN text2sql._answers a USING (id)
        WHERE q.state = 'done' AND (q.status <> 'ok' OR a.result_rows IS NULL OR a.result_rows::text NOT LIKE '%400%')";
    assert_eq!(count(admin, wrong), 0, "wrong answers");
    let there: BTreeSet<i64> = {
        let rows = admin
            .query("SELECT id FROM text2sql._submitted", &[])
            .unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    };
    let submitted = scene
        .submitted
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let lost: Vec<&i64> = submitted.iter().filter(|id| !there.contains(id)).collect();
    assert!(lost.is_empty(), "questions that were lost: {lost:?}");
    println!(
        "{} questions of submit(), {} in the queue's table",
        submitted.len(),
        there.len()
    );
    // One record each, and one answer for each key of a batch.
    for sql in [
        "SELECT count(*) - count(DISTINCT trace_id) FROM text2sql._submitted WHERE state = 'done'",
        "SELECT count(*) FROM text2sql._submitted q WHERE state = 'done'
            AND 1 <> (SELECT count(*) FROM text2sql.history h WHERE h.trace_id = q.trace_id AND h.status = 'ok')",
        "SELECT count(*) FROM text2sql.history h WHERE h.function IN ('submit', 'ask_batch') AND h.status = 'ok'
            AND NOT EXISTS (SELECT FROM text2sql._submitted q WHERE q.trace_id = h.trace_id)",
        "SELECT count(*) - count(DISTINCT (batch, key)) FROM text2sql._submitted WHERE batch IS NOT NULL",
    ] {
        assert_eq!(count(admin, sql), 0, "{sql}");
    }
}

/// A batch that a crash interrupted goes on when it is called again.
fn go_on_with_batches(scene: &Scene, admin: &mut Client) {
    let open = "SELECT DISTINCT batch FROM text2sql._submitted
        WHERE batch IS NOT NULL AND state IN ('waiting', 'running')";
    for row in admin.query(open, &[]).unwrap() {
        let call = actors::call_of_batch(row.get(0));
        let mut client = scene.server.connect(scene.database(), &scene.alice);
        client.batch_execute(&call).unwrap();
    }
}

/// What refers to something refers to what is there, where no foreign key sees to it.
fn no_row_is_left_alone(admin: &mut Client) {
    for sql in [
        "SELECT count(*) FROM text2sql._submitted_settings",
        "SELECT count(*) FROM text2sql._answers a JOIN text2sql._submitted q USING (id) WHERE q.state <> 'done'",
        "SELECT count(*) FROM text2sql._import_lines l WHERE entry = 'definition' AND line IS NOT NULL
            AND NOT EXISTS (SELECT FROM text2sql._definitions d WHERE d.id = l.entry_id)",
        "SELECT count(*) FROM text2sql._passages p WHERE document IS NOT NULL
            AND NOT EXISTS (SELECT FROM text2sql._documents d WHERE d.id = p.document)",
        "SELECT count(*) FROM text2sql._passage_vectors v
            WHERE NOT EXISTS (SELECT FROM text2sql._passages p WHERE p.id = v.passage)",
        "SELECT count(*) FROM text2sql._passages p
            WHERE NOT EXISTS (SELECT FROM text2sql._passage_scopes s WHERE s.id = p.scope)",
        "SELECT count(*) FROM text2sql._index_vectors v
            WHERE NOT EXISTS (SELECT FROM text2sql._index_documents d WHERE (d.collection, d.item) = (v.collection, v.item))",
        "SELECT count(*) FROM text2sql.egress_log e
            WHERE NOT EXISTS (SELECT FROM text2sql.history h WHERE h.trace_id = e.trace_id)",
    ] {
        assert_eq!(count(admin, sql), 0, "{sql}");
    }
}

/// Sessions of those that were ended are over.
fn no_session_is_left(scene: &Scene, admin: &mut Client) {
    let server = scene.web.lock().unwrap_or_else(PoisonError::into_inner);
    server.signal("KILL");
    drop(server);
    let left = "SELECT count(*) FROM pg_stat_activity
        WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";
    wait_until("all sessions are over", || count(admin, left) == 0);
}

/// The index follows by itself, and is then what it would be if it were built anew.
fn the_index_is_right(admin: &mut Client) {
    admin
        .batch_execute("INSERT INTO countries VALUES (0, 'Country of the last day'); COMMENT ON TABLE salaries IS 'wages of the last day'")
        .unwrap();
    for sql in [
        "SELECT count(*) FROM text2sql._index_values WHERE value = 'Country of the last day'",
        "SELECT count(*) FROM text2sql._index_documents WHERE item = 'salaries'::regclass AND 'wages' = ANY (words)",
    ] {
        wait_until(sql, || count(admin, sql) > 0);
    }
    wait_until("nothing waits for the index", || {
        let sql = "SELECT count(*) FROM text2sql.status() WHERE item = 'waiting for the index'";
        count(admin, sql) == 0
    });
    let content = |admin: &mut Client| -> String {
        let sql = "SELECT concat_ws(' ',
            (SELECT md5(string_agg(concat(collection, item, fingerprint, is_public, is_embedded), ',' ORDER BY collection, item)) FROM text2sql._index_documents),
            (SELECT md5(string_agg(concat(collection, totals), ',' ORDER BY collection)) FROM text2sql._index_totals),
            (SELECT md5(string_agg(concat(collection, item, unit), ',' ORDER BY collection, item, unit)) FROM text2sql._index_vectors),
            (SELECT md5(string_agg(concat(key, relation, attribute, value), ',' ORDER BY key, relation, attribute, value)) FROM text2sql._index_values),
            (SELECT md5(string_agg(word, ',' ORDER BY word)) FROM text2sql._index_words),
            (SELECT count(*) FROM text2sql._passages), (SELECT count(*) FROM text2sql._passage_vectors))";
        admin.query_one(sql, &[]).unwrap().get(0)
    };
    let before = content(admin);
    admin
        .batch_execute("CALL text2sql.refresh('{\"rebuild\": true}')")
        .unwrap();
    assert_eq!(
        before,
        content(admin),
        "the index that followed, and the index built anew"
    );
}

/// The update still works, whatever ended earlier ones.
fn an_update_goes_through(scene: &Scene) {
    let mut client = scene.server.connect(UPDATED_DATABASE, "postgres");
    actors::upgrade(&mut client, 0).unwrap();
    let sql = "SELECT count(*) FROM text2sql.status()";
    assert!(count(&mut client, sql) > 0);
}

/// Processes were ended by signal 9 alone.
fn the_log_has_no_other_crash(log: &str) {
    for line in log.lines() {
        let is_crash = ["PANIC", "TRAP", "terminated by signal", "was aborted"]
            .iter()
            .any(|sign| line.contains(sign));
        assert!(
            !is_crash || line.contains("terminated by signal 9"),
            "{line}"
        );
    }
}
