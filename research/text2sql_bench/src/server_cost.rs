//! What text2sql-server adds to a question: the same `ask` in a session and over HTTP, in turn.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use crate::cluster_names::{ROLE, SERVER};
use crate::direct_request::DirectRequest;
use crate::error::Fallible;
use crate::session::milliseconds;
use crate::subject::Subject;
use crate::workload::literal;

const PATH: &str = "/api/v1/ask";
/// A hang must end.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Milliseconds of the same questions.
#[derive(Debug, Default)]
pub(crate) struct ServerCost {
    /// In a session.
    pub(crate) session: Vec<f64>,
    /// Over HTTP, on a connection that is kept.
    pub(crate) http: Vec<f64>,
    /// From a request on a new connection to the first event of its stream.
    pub(crate) first_step: Vec<f64>,
}

/// The program, which is ended when this is dropped.
struct Program {
    child: Child,
    port: u16,
}

impl Program {
    /// Starts the program that is beside this one, for a database; `None` where it is not there.
    fn start(database: &str) -> Fallible<Option<Self>> {
        let program = std::env::current_exe()?.with_file_name("text2sql-server");
        if !program.exists() {
            return Ok(None);
        }
        // Over TCP, where the cluster asks for passwords.
        let database_port = std::env::var("PGPORT")?;
        let target = format!("host=127.0.0.1 port={database_port} dbname={database}");
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let child = Command::new(program)
            .args(["serve", "--log-level", "warn", "--database", &target])
            .arg(format!("--listen=127.0.0.1:{port}"))
            .env_remove("PGHOST")
            .stdin(Stdio::null())
            .spawn()?;
        let mut started = Self { child, port };
        let deadline = Instant::now() + TIMEOUT;
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if started.child.try_wait()?.is_some() || Instant::now() > deadline {
                return Err("text2sql-server did not start".into());
            }
        }
        Ok(Some(started))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // One that has ended cannot be ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Asks each question in turn in a session and over HTTP; `None` where the program is not built.
pub(crate) fn measure(
    subject: &Subject<'_>,
    database: &str,
    pairs: usize,
) -> Fallible<Option<ServerCost>> {
    let Some(program) = Program::start(database)? else {
        return Ok(None);
    };
    let password = "bench";
    subject
        .administrate()?
        .run(&format!("ALTER ROLE {ROLE} PASSWORD {}", literal(password)))?;
    let authorization = format!("Basic {}", STANDARD.encode(format!("{ROLE}:{password}")));
    let mut session = subject.session()?;
    let mut request = DirectRequest::connect(program.port, PATH)?;
    request.add_header("authorization", &authorization);
    let mut cost = ServerCost::default();
    // The first of each opens connections and reads the catalog.
    let warm_up = 2 * subject.questions.len();
    for (number, asked) in subject.rotation(0).take(pairs + warm_up).enumerate() {
        let body = json!({"question": asked.question.text, "options": {"model": SERVER}});
        let body = serde_json::to_vec(&body)?;
        let in_session = session.ask(&asked.question)?;
        let start = Instant::now();
        request.post(&body)?;
        let over_http = milliseconds(start);
        let first_step = first_step(program.port, &authorization, &body)?;
        if number >= warm_up {
            cost.session.push(in_session);
            cost.http.push(over_http);
            cost.first_step.push(first_step);
        }
    }
    Ok(Some(cost))
}

/// Milliseconds to the first event of a stream, which is read to its end.
fn first_step(port: u16, authorization: &str, body: &[u8]) -> Fallible<f64> {
    let start = Instant::now();
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    let mut message = format!(
        "POST {PATH} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\ncontent-type: application/json\r\n\
         accept: text/event-stream\r\nauthorization: {authorization}\r\nconnection: close\r\n\
         content-length: {}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    message.extend_from_slice(body);
    stream.write_all(&message)?;
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    while reader.read_line(&mut line)? > 0 {
        if line.starts_with("event: step") {
            let time = milliseconds(start);
            let mut rest = String::new();
            reader.read_to_string(&mut rest)?;
            return match rest.contains("event: answer") {
                true => Ok(time),
                false => Err(format!("a stream without an answer: {rest}").into()),
            };
        }
        line.clear();
    }
    Err("a stream without a step".into())
}
