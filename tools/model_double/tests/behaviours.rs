//! Each behaviour as a client without any HTTP library sees it.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use model_double::{ModelDouble, Script};
use serde_json::{Value, json};

struct Reply {
    status: u16,
    head: String,
    body: String,
    /// How reading ended, if not by the end of the stream.
    broken: Option<ErrorKind>,
}

impl Reply {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// The text of the assistant's message.
    fn content(&self) -> String {
        let json = self.json();
        let openai = json.pointer("/choices/0/message/content");
        let anthropic = json.pointer("/content/0/text");
        openai.or(anthropic).unwrap().as_str().unwrap().to_owned()
    }
}

fn start() -> ModelDouble {
    let script = r#"[
        { "match": "how many", "replies": [{ "sql": "SELECT count(*) FROM t" }, "SELECT 2"] },
        { "replies": ["SELECT 0"] }
    ]"#;
    ModelDouble::start(Script::from_json(script).unwrap()).unwrap()
}

fn request(double: &ModelDouble, method: &str, path: &str, body: &Value) -> Reply {
    let mut stream = TcpStream::connect(("127.0.0.1", double.port())).unwrap();
    let body = match body {
        Value::Null => String::new(),
        body => body.to_string(),
    };
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nhost: double\r\nconnection: close\r\n\
         authorization: Bearer sk-1234567890\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut bytes = Vec::new();
    let broken = stream.read_to_end(&mut bytes).err().map(|e| e.kind());
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    Reply {
        status: head.get(9..12).and_then(|s| s.parse().ok()).unwrap_or(0),
        head: head.to_lowercase(),
        body: body.to_owned(),
        broken,
    }
}

fn user(text: &str) -> Value {
    json!({ "model": "m", "messages": [{ "role": "user", "content": text }] })
}

fn ask(double: &ModelDouble, behaviour: &str) -> Reply {
    let path = format!("/{behaviour}/v1/chat/completions");
    request(double, "POST", &path, &user("How many are there?"))
}

fn ask_anthropic(double: &ModelDouble, behaviour: &str, body: &Value) -> Value {
    let path = format!("/{behaviour}/v1/messages");
    request(double, "POST", &path, body).json()
}

#[test]
fn speaks_the_shape_of_chat_completions() {
    let reply = ask(&start(), "ok");
    let json = reply.json();
    assert_eq!(reply.status, 200);
    assert_eq!(reply.content(), r#"{"sql":"SELECT count(*) FROM t"}"#);
    assert_eq!(json["choices"][0]["finish_reason"], "stop");
    assert_eq!(json["model"], "m");
    assert!(json["usage"]["prompt_tokens"].as_u64().unwrap() > 0);
    assert!(json["usage"]["completion_tokens"].as_u64().unwrap() > 0);
}

#[test]
fn speaks_the_shape_of_messages() {
    let double = start();
    let text = ask_anthropic(&double, "ok", &user("how many?"));
    assert_eq!(text["content"][0]["type"], "text");
    assert_eq!(text["stop_reason"], "end_turn");
    assert!(text["usage"]["input_tokens"].as_u64().unwrap() > 0);

    let mut with_tool = user("how many?");
    with_tool["tools"] = json!([{ "name": "answer" }]);
    with_tool["tool_choice"] = json!({ "type": "tool", "name": "answer" });
    let tool = ask_anthropic(&double, "ok", &with_tool);
    assert_eq!(tool["content"][0]["type"], "tool_use");
    assert_eq!(tool["content"][0]["name"], "answer");
    assert_eq!(tool["content"][0]["input"]["sql"], "SELECT count(*) FROM t");
    assert_eq!(tool["stop_reason"], "tool_use");

    let refused = ask_anthropic(&double, "refusal", &user("x"));
    assert_eq!(refused["stop_reason"], "refusal");
    let cut = ask_anthropic(&double, "length", &user("x"));
    assert_eq!(cut["stop_reason"], "max_tokens");
    let limited = ask_anthropic(&double, "status-429", &user("x"));
    assert_eq!(limited["error"]["type"], "rate_limit_error");
}

#[test]
fn gives_the_second_reply_to_a_repair() {
    let double = start();
    let repair = json!({ "messages": [
        { "role": "user", "content": [{ "type": "text", "text": "how many?" }] },
        { "role": "assistant", "content": "SELECT 1" },
        { "role": "user", "content": "column x does not exist" },
    ]});
    let reply = request(&double, "POST", "/ok/v1/chat/completions", &repair);
    assert_eq!(reply.content(), "SELECT 2");
}

#[test]
fn shapes_the_message() {
    let double = start();
    assert_eq!(ask(&double, "bare-sql").content(), "SELECT count(*) FROM t");
    let fenced = ask(&double, "fenced").content();
    assert!(
        fenced.contains("```sql\nSELECT count(*) FROM t\n```"),
        "{fenced}"
    );
    assert!(!ask(&double, "no-sql").content().contains("SELECT"));
    let cut = ask(&double, "length").json();
    assert_eq!(cut["choices"][0]["finish_reason"], "length");
    let refused = ask(&double, "refusal").json();
    assert!(refused["choices"][0]["message"]["refusal"].is_string());
    assert!(refused["choices"][0]["message"]["content"].is_null());
    let empty = ask(&double, "empty-content").json();
    assert!(empty["choices"][0]["message"]["content"].is_null());
}

#[test]
fn breaks_the_json_but_not_the_reply() {
    let double = start();
    for behaviour in ["truncated-json", "malformed-json"] {
        let reply = ask(&double, behaviour);
        assert_eq!((reply.status, reply.broken), (200, None));
        assert!(reply.head.contains("content-type: application/json"));
        assert!(
            reply
                .head
                .contains(&format!("content-length: {}", reply.body.len()))
        );
        assert!(serde_json::from_str::<Value>(&reply.body).is_err());
    }
    assert_eq!(ask(&double, "empty-body").body, "");
    assert!(ask(&double, "html").head.contains("text/html"));
}

#[test]
fn fails_with_a_status_always_or_first() {
    let double = start();
    let statuses =
        |behaviour: &str| -> Vec<u16> { (0..4).map(|_| ask(&double, behaviour).status).collect() };
    assert_eq!(statuses("status-503"), [503, 503, 503, 503]);
    assert_eq!(statuses("status-503-then-ok"), [503, 200, 503, 200]);
    assert_eq!(statuses("status-503-x2-then-ok"), [503, 503, 200, 503]);
    double.reset();
    assert_eq!(statuses("status-503-x2-then-ok"), [503, 503, 200, 503]);
    assert_eq!(statuses("retry-after-7"), [429, 200, 429, 200]);
    assert!(
        ask(&double, "retry-after-7")
            .head
            .contains("retry-after: 7")
    );
    assert!(ask(&double, "retry-after-date-7").head.contains(" gmt"));
    assert!(ask(&double, "status-401").body.contains("****7890"));
}

#[test]
fn knows_models_and_what_it_does_not_support() {
    let double = start();
    let models = request(&double, "GET", "/ok/v1/models", &Value::Null).json();
    assert_eq!(models["data"][0]["id"], "double-1");
    let missing = ask(&double, "model-not-found");
    assert_eq!(missing.status, 404);
    assert_eq!(missing.json()["error"]["code"], "model_not_found");

    let path = "/no-structured/v1/chat/completions";
    let mut body = user("how many?");
    assert_eq!(request(&double, "POST", path, &body).status, 200);
    body["response_format"] = json!({ "type": "json_schema" });
    let refused = request(&double, "POST", path, &body);
    assert_eq!(refused.status, 400);
    assert!(refused.json()["error"]["message"].is_string());

    assert_eq!(ask(&double, "misspelt").status, 404);
    assert_eq!(
        request(&double, "POST", "/ok/v1/nothing", &body).status,
        404
    );
    let redirect = ask(&double, "redirect");
    assert_eq!(redirect.status, 302);
    assert!(redirect.head.contains("location: http://169.254.169.254/"));
}

#[test]
fn takes_its_time() {
    let double = start();
    let started = Instant::now();
    assert_eq!(ask(&double, "delay-150/fenced").status, 200);
    assert!(started.elapsed() >= Duration::from_millis(150));

    let mut stream = TcpStream::connect(("127.0.0.1", double.port())).unwrap();
    write!(stream, "GET /drip/v1/models HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
    let (started, mut text) = (Instant::now(), String::new());
    while text.matches("\r\n1\r\n").count() < 3 {
        let mut bytes = [0; 4096];
        let read = stream.read(&mut bytes).unwrap();
        assert!(read > 0, "it goes on: {text}");
        text.push_str(&String::from_utf8_lossy(&bytes[..read]));
    }
    // One piece each 100 ms, the first one at once.
    assert!(started.elapsed() >= Duration::from_millis(150), "{text}");
}

#[test]
fn breaks_the_connection() {
    let double = start();
    let cut = ask(&double, "cut-body");
    assert_eq!((cut.status, cut.broken), (200, None));
    assert!(!cut.body.ends_with("0\r\n\r\n"));
    assert_eq!(
        ask(&double, "reset").broken,
        Some(ErrorKind::ConnectionReset)
    );
    assert_eq!(ask(&double, "hang-up").head, "");
    assert!(ask(&double, "big").body.len() > 20 * 1024 * 1024);

    let mut stream = TcpStream::connect(("127.0.0.1", double.port())).unwrap();
    write!(
        stream,
        "GET /close-idle/v1/models HTTP/1.1\r\nhost: x\r\n\r\n"
    )
    .unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert!(text.contains("200 OK") && !text.to_lowercase().contains("connection: close"));
}

#[test]
fn records_what_came_in() {
    let double = start();
    ask(&double, "ok");
    let over_http = request(&double, "GET", "/_requests", &Value::Null).json();
    assert_eq!(over_http[0]["path"], "/ok/v1/chat/completions");
    assert_eq!(over_http[0]["body"], user("How many are there?"));
    assert_eq!(
        over_http[0]["headers"]["authorization"],
        "Bearer sk-1234567890"
    );
    assert_eq!(double.requests().len(), 1);
    request(&double, "POST", "/_reset", &Value::Null);
    assert!(double.requests().is_empty());
}
