//! SIGKILL of a session, a background worker, text2sql-server and the program of model files, at random moments of
//! questions, the queue, refreshes, imports and upgrades: no answer is lost or given twice, nothing is half-written, and
//! the index becomes right again by itself. `TEXT2SQL_KILLS` is the number of moments; `make nightly` takes 1,000.

mod actors;
mod checks;
mod scene;

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::PoisonError;
use std::thread;
use std::time::{Duration, Instant};

use text2sql_server_tests::waiting::wait_until;
use text2sql_server_tests::web::Server;

use self::scene::Scene;

/// Moments in a test of every commit.
const FEW: usize = 8;

/// How long after the server came back: at the beginning of what is done, when some of it has succeeded, and now and then
/// so late that an update of the extension gets to its end.
const MOMENTS_MS: [u64; 8] = [300, 2_500, 300, 2_500, 300, 2_500, 300, 10_000];

/// Processes of the server that may be ended, each with what it is doing.
const VICTIMS: &str = "
    SELECT DISTINCT ON (2) pid,
           CASE WHEN backend_type <> 'client backend' THEN backend_type
                WHEN application_name LIKE 'text2sql/%' THEN 'session of text2sql-server'
                ELSE 'session: ' || coalesce(substring(query FROM 'ALTER EXTENSION|CREATE EXTENSION'),
                    substring(query FROM 'text2sql[.]([a-z_]+)[(]'), 'other') END
      FROM pg_stat_activity
     WHERE pid <> pg_backend_pid()
       AND (backend_type LIKE 'pg_text2sql%' OR backend_type = 'client backend' AND state <> 'idle')
     ORDER BY 2, random()";

/// What was ended, and how often.
type Hits = BTreeMap<String, usize>;

#[test]
fn whatever_is_killed_nothing_is_lost_doubled_or_half_written() {
    let moments = std::env::var("TEXT2SQL_KILLS").map_or(FEW, |count| count.parse().unwrap());
    let scene = Scene::new();
    let begin = Instant::now();
    let hits = thread::scope(|scope| {
        let acting = actors::start(&scene, scope);
        let hits = kill(&scene, moments);
        scene.end();
        for thread in acting {
            thread.join().unwrap();
        }
        hits
    });
    let time = begin.elapsed();
    println!(
        "{moments} moments in {time:?}: {hits:#?}\noutcomes: {:#?}",
        scene.outcomes()
    );
    checks::all(&scene);
}

/// Ends processes until there were so many moments. The kind that was hit least comes first.
fn kill(scene: &Scene, moments: usize) -> Hits {
    let mut random = fastrand::Rng::new();
    let mut hits = Hits::new();
    for moment in 0.. {
        if hits.values().sum::<usize>() == moments {
            break;
        }
        assert!(
            moment < moments * 10 + 100,
            "too few processes to end: {hits:?}"
        );
        wait_until("the server is up", || scene.try_superuser().is_ok());
        thread::sleep(Duration::from_millis(
            random.u64(..MOMENTS_MS[moment % MOMENTS_MS.len()]),
        ));
        let Some((kind, process)) = victim(scene, &hits) else {
            continue;
        };
        if end(process) {
            *hits.entry(kind).or_default() += 1;
        }
        scene.replace_ended_server();
        if moment % 20 == 19 {
            checks::nothing_is_half_written(scene);
        }
    }
    hits
}

/// A process of the kind that was hit least, among those that are there now.
fn victim(scene: &Scene, hits: &Hits) -> Option<(String, i32)> {
    let mut victims: Vec<(String, i32)> = Vec::new();
    if let Ok(mut admin) = scene.try_superuser() {
        let rows = admin.query(VICTIMS, &[]).unwrap_or_default();
        victims.extend(rows.iter().map(|row| (row.get(1), row.get(0))));
    }
    let server = scene.web.lock().unwrap_or_else(PoisonError::into_inner);
    victims.push(("text2sql-server".to_owned(), server.process()));
    drop(server);
    if let Some(process) = scene.model_program() {
        victims.push(("text2sql-model".to_owned(), process));
    }
    let least = |(kind, _): &(String, i32)| hits.get(kind).copied().unwrap_or(0);
    victims.into_iter().min_by_key(least)
}

/// Whether the process was there to be ended.
fn end(process: i32) -> bool {
    let killed = Command::new("kill")
        .args(["-9", &process.to_string()])
        .output();
    killed.is_ok_and(|output| output.status.success())
}

impl Scene {
    /// Starts text2sql-server again where it was ended; what it did in the database ends with it.
    fn replace_ended_server(&self) {
        let mut server = self.web.lock().unwrap_or_else(PoisonError::into_inner);
        if server.has_ended() {
            *server = Server::start_at(&self.target, &[]);
        }
    }
}
