//! Stands in for text2sql-model where tests end it: takes its arguments, listens on its socket, and answers every request
//! with the same query after a moment. It ends with its worker, as the program does, because that kills it.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::thread;
use std::time::Duration;

const REPLY: &str = r#"{"object": "chat.completion", "model": "double", "choices": [{"index": 0, "finish_reason": "stop",
    "message": {"role": "assistant", "content": "{\"sql\": \"SELECT count(*) AS n FROM orders\"}"}}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}"#;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let place = arguments.iter().position(|argument| argument == "--socket");
    let socket = place.and_then(|place| arguments.get(place + 1));
    let socket = socket.expect("--socket");
    // One that was killed leaves its file.
    let _ = std::fs::remove_file(socket);
    let listener = UnixListener::bind(socket).expect("a socket");
    for stream in listener.incoming().flatten() {
        thread::spawn(move || answer(stream));
    }
}

/// Answers the requests of a connection until it is closed.
fn answer(mut stream: UnixStream) {
    let Ok(copy) = stream.try_clone() else { return };
    let mut reader = BufReader::new(copy);
    while let Some(length) = length_of_body(&mut reader) {
        let mut body = vec![0; length];
        if reader.read_exact(&mut body).is_err() {
            return;
        }
        thread::sleep(Duration::from_millis(40));
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            REPLY.len()
        );
        if stream.write_all(head.as_bytes()).is_err() || stream.write_all(REPLY.as_bytes()).is_err()
        {
            return;
        }
    }
}

/// Reads the head of a request; `None` where there is no further one.
fn length_of_body(reader: &mut impl BufRead) -> Option<usize> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            return Some(length);
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
}
