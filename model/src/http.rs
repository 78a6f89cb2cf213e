//! The little of HTTP/1.1 that one client, pg_text2sql, speaks over a socket of the file system.

use std::io::{self, BufRead, Read, Write};

/// A prompt is a few hundred kilobytes at most.
const MOST_BYTES: usize = 8 * 1024 * 1024;

/// The most bytes of a line, and lines of a head.
const MOST_LINE: u64 = 16 * 1024;
const MOST_LINES: usize = 100;

/// A request.
pub struct Request {
    /// The method and the path.
    pub target: String,
    /// The body.
    pub body: Vec<u8>,
}

/// Reads a request; `None` where the client has closed the connection.
pub fn read(stream: &mut impl BufRead) -> io::Result<Option<Request>> {
    let bad = || io::Error::from(io::ErrorKind::InvalidData);
    let mut line = String::new();
    if stream.by_ref().take(MOST_LINE).read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_ascii_whitespace();
    let (Some(method), Some(path)) = (words.next(), words.next()) else {
        return Err(bad());
    };
    let target = format!("{method} {path}");
    let mut length = 0usize;
    for _ in 0..MOST_LINES {
        let mut line = String::new();
        stream.by_ref().take(MOST_LINE).read_line(&mut line)?;
        let line = line.trim_end();
        if line.is_empty() {
            let mut body = vec![
                0;
                Some(length)
                    .filter(|length| *length <= MOST_BYTES)
                    .ok_or_else(bad)?
            ];
            stream.read_exact(&mut body)?;
            return Ok(Some(Request { target, body }));
        }
        if let Some((name, value)) = line.split_once(':') {
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse().map_err(|_| bad())?,
                "transfer-encoding" => return Err(bad()),
                _ => {}
            }
        }
    }
    Err(bad())
}

/// Writes a response with a JSON body.
pub fn write(stream: &mut impl Write, status: u16, body: &serde_json::Value) -> io::Result<()> {
    let body = body.to_string();
    write!(
        stream,
        "HTTP/1.1 {status} {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        if status == 200 { "OK" } else { "Error" },
        body.len()
    )?;
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_requests_one_after_another() {
        let mut bytes = &b"POST /v1/chat HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}GET /v1/models HTTP/1.1\r\n\r\n"[..];
        let first = read(&mut bytes).unwrap().unwrap();
        assert_eq!(
            (first.target.as_str(), first.body.as_slice()),
            ("POST /v1/chat", &b"{}"[..])
        );
        let second = read(&mut bytes).unwrap().unwrap();
        assert_eq!(
            (second.target.as_str(), second.body.len()),
            ("GET /v1/models", 0)
        );
        assert!(read(&mut bytes).unwrap().is_none());
    }

    #[test]
    fn refuses_what_it_does_not_understand() {
        for text in [
            "x\r\n\r\n",
            "POST / HTTP/1.1\r\ncontent-length: 99999999999\r\n\r\n",
            "POST / HTTP/1.1\r\ncontent-length: -1\r\n\r\n",
            "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n",
            "POST / HTTP/1.1\r\ncontent-length: 9\r\n\r\nshort",
        ] {
            assert!(read(&mut text.as_bytes()).is_err(), "{text}");
        }
    }
}
