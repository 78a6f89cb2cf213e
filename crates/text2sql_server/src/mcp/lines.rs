//! Standard input and output, line by line. What is no message gets the reply that JSON-RPC prescribes: a client waits for
//! one, and `rmcp` says nothing to what it cannot read.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream,
    duplex,
};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

/// Maximum length of a line, as `rmcp` has it.
const MAX_LINE: usize = 16 << 20;

/// What is on the way between the client and the service at a time.
const BUFFER: usize = 64 << 10;

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const INVALID_PARAMS: i32 = -32602;

/// The two ends for the service, the task that reads (it ends with the input, and returns its end, which is still open), and
/// the one that writes (it ends when the service has dropped its end).
pub(super) struct Lines {
    pub(super) service: (DuplexStream, DuplexStream),
    pub(super) reading: JoinHandle<DuplexStream>,
    pub(super) writing: JoinHandle<()>,
}

/// Reads and writes the streams of a client.
pub(super) fn between<R, W>(input: R, output: W) -> Lines
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let output = Arc::new(Mutex::new(output));
    let (to_service, of_client) = duplex(BUFFER);
    let (to_client, of_service) = duplex(BUFFER);
    Lines {
        service: (of_client, to_client),
        reading: tokio::spawn(read(input, to_service, Arc::clone(&output))),
        writing: tokio::spawn(write(of_service, output)),
    }
}

async fn read<R, W>(input: R, mut service: DuplexStream, output: Arc<Mutex<W>>) -> DuplexStream
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    let mut is_rest = false;
    loop {
        line.clear();
        let most = u64::try_from(MAX_LINE).unwrap_or(u64::MAX);
        match (&mut input).take(most).read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => return service,
            Ok(_) => {}
        }
        let is_whole = line.ends_with(b"\n");
        let is_too_long = !is_whole && line.len() >= MAX_LINE;
        let was_rest = is_rest;
        is_rest = is_too_long || was_rest && !is_whole;
        // The rest of a line that was too long.
        if was_rest {
            continue;
        }
        let reply = match is_too_long {
            true => Some(error(
                INVALID_REQUEST,
                format!("the message has more than {MAX_LINE} bytes"),
                Value::Null,
            )),
            false => objection(&line),
        };
        let sent = match reply {
            Some(reply) => put(&output, format!("{reply}\n").as_bytes()).await,
            None => service.write_all(&line).await,
        };
        if sent.is_err() {
            return service;
        }
    }
}

async fn write<W: AsyncWrite + Unpin>(service: DuplexStream, output: Arc<Mutex<W>>) {
    let mut service = BufReader::new(service);
    let mut line = Vec::new();
    while matches!(service.read_until(b'\n', &mut line).await, Ok(1..)) {
        if put(&output, &line).await.is_err() {
            return;
        }
        line.clear();
    }
}

/// Writes a whole line.
async fn put<W: AsyncWrite + Unpin>(output: &Mutex<W>, line: &[u8]) -> std::io::Result<()> {
    let mut output = output.lock().await;
    output.write_all(line).await?;
    output.flush().await
}

/// The reply to a line that is no message, or a call that names nothing.
fn objection(line: &[u8]) -> Option<Value> {
    if line.trim_ascii().is_empty() {
        return None;
    }
    let message: Value = match serde_json::from_slice(line) {
        Ok(message) => message,
        Err(why) => {
            let id = serde_json::from_str(&without_surrogates(line));
            let id = id.map_or(Value::Null, |message| id_of(&message));
            return Some(error(PARSE_ERROR, format!("parse error: {why}"), id));
        }
    };
    let method = message.get("method").and_then(Value::as_str);
    let is_reply = message.get("result").is_some() || message.get("error").is_some();
    let is_message = message.get("jsonrpc").and_then(Value::as_str) == Some("2.0");
    if !is_message || method.is_none() && !is_reply {
        let why = "invalid request: it is no message of JSON-RPC 2.0".to_owned();
        return Some(error(INVALID_REQUEST, why, id_of(&message)));
    }
    let required = match method? {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        _ => return None,
    };
    let given = message
        .get("params")
        .and_then(|params| params.get(required));
    let why = format!("invalid params: \"{required}\" is missing, or no text");
    (!given.is_some_and(Value::is_string) && message.get("id").is_some())
        .then(|| error(INVALID_PARAMS, why, id_of(&message)))
}

fn error(code: i32, message: String, id: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

/// The id of a message, if it is one.
fn id_of(message: &Value) -> Value {
    let id = message
        .get("id")
        .filter(|id| id.is_string() || id.is_number());
    id.cloned().unwrap_or(Value::Null)
}

/// The line with every half of a surrogate pair replaced: one alone is no text, and nothing else of the message counts.
fn without_surrogates(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let mut replaced = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some((before, after)) = rest.split_once("\\u") {
        let is_half = matches!(
            after.as_bytes(),
            [b'd' | b'D', b'8' | b'9' | b'a'..=b'f' | b'A'..=b'F', ..]
        );
        replaced.push_str(before);
        replaced.push_str("\\u");
        rest = match after.get(4..) {
            Some(behind) if is_half => {
                replaced.push_str("fffd");
                behind
            }
            _ => after,
        };
    }
    replaced.push_str(rest);
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replied(line: &str) -> Option<(i64, Value)> {
        let reply = objection(line.as_bytes())?;
        Some((
            reply["error"]["code"].as_i64().unwrap(),
            reply["id"].clone(),
        ))
    }

    #[test]
    fn what_is_no_message_gets_a_reply() {
        for (line, code, id) in [
            ("hello", -32700, Value::Null),
            (
                r#"{"jsonrpc":"2.0","id":508,"method":"tools/call","params":{"name":"run_sql","arguments":{"sql":"SELECT '\ud83d'"}}}"#,
                -32700,
                json!(508),
            ),
            (r#"{"jsonrpc":"2.0","id":"a""#, -32700, Value::Null),
            ("7", -32600, Value::Null),
            ("[]", -32600, Value::Null),
            (r#"{"id":3,"method":"ping"}"#, -32600, json!(3)),
            (r#"{"jsonrpc":"2.0","id":{}}"#, -32600, Value::Null),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#,
                -32602,
                json!(1),
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":7}}"#,
                -32602,
                json!(1),
            ),
        ] {
            assert_eq!(replied(line), Some((code, id)), "{line}");
        }
        for line in [
            "\n",
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_sql","arguments":{"sql":"\ud83d\ude00"}}}"#,
        ] {
            assert_eq!(replied(line), None, "{line}");
        }
    }

    #[tokio::test]
    async fn lines_of_both_go_through_whole() {
        let long = format!("{}\n", "x".repeat(MAX_LINE + 10));
        let ping = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
        let input = std::io::Cursor::new(format!("{long}nonsense\n{ping}").into_bytes());
        let (output, mut seen) = duplex(1 << 20);
        let lines = between(input, output);
        let (mut of_client, mut to_client) = lines.service;
        drop(lines.reading.await.unwrap());
        let mut received = String::new();
        of_client.read_to_string(&mut received).await.unwrap();
        assert_eq!(received, ping);
        to_client.write_all(b"{\"id\":1}\n").await.unwrap();
        drop(to_client);
        lines.writing.await.unwrap();
        let mut written = String::new();
        seen.read_to_string(&mut written).await.unwrap();
        let written: Vec<&str> = written.lines().collect();
        assert_eq!(written.len(), 3, "{written:?}");
        assert!(written[0].contains("-32600") && written[1].contains("-32700"));
        assert_eq!(written[2], "{\"id\":1}");
    }
}
