//! An answer of the server.

use std::io::{BufRead, BufReader, Read};
use std::net::TcpStream;

use serde_json::Value;

/// What came back.
#[derive(Debug, Default)]
pub struct Response {
    /// Status.
    pub status: u16,
    headers: Vec<(String, String)>,
    /// Body.
    pub body: String,
}

impl Response {
    /// Reads all of it.
    ///
    /// # Errors
    /// When the connection ends before the answer does.
    pub fn read(stream: TcpStream) -> std::io::Result<Self> {
        let mut reader = BufReader::new(stream);
        let mut response = read_head(&mut reader)?;
        let mut body = Vec::new();
        if response.header("transfer-encoding").is_some() {
            while let Some(chunk) = read_chunk(&mut reader)? {
                body.extend(chunk);
            }
        } else {
            let length = response.header("content-length").unwrap_or("0");
            body.resize(length.parse().unwrap_or(0), 0);
            reader.read_exact(&mut body)?;
        }
        response.body = String::from_utf8(body).map_err(std::io::Error::other)?;
        Ok(response)
    }

    /// A header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(other, _)| other == name)
            .map(|(_, value)| value.as_str())
    }

    /// All headers, a line each.
    pub fn headers_text(&self) -> String {
        let lines = self.headers.iter();
        lines
            .map(|(name, value)| format!("{name}: {value}\n"))
            .collect()
    }

    /// The body as JSON.
    ///
    /// # Panics
    /// If it is none.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {} {}", self.status, self.body))
    }

    /// The body of an answer that must have this status.
    ///
    /// # Panics
    /// If it has another one.
    pub fn of_status(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.body);
        match self.body.is_empty() {
            true => Value::Null,
            false => self.json(),
        }
    }

    /// The sentence of a problem that must have this status, after a look at what every problem has.
    ///
    /// # Panics
    /// If it is no problem, or another one.
    pub fn problem(&self, status: u16) -> String {
        let body = self.of_status(status);
        assert_eq!(
            self.header("content-type"),
            Some("application/problem+json")
        );
        assert_eq!(body["status"], status);
        assert_eq!(body["request_id"].as_str(), self.header("x-request-id"));
        let title = body["title"].as_str().unwrap_or_default();
        assert!(!title.is_empty() && !title.ends_with('.'), "{}", self.body);
        title.to_owned()
    }

    /// The cookie that was set: `name=value`.
    ///
    /// # Panics
    /// If none was set.
    pub fn cookie(&self) -> String {
        let cookie = self.header("set-cookie").expect("a cookie");
        cookie.split(';').next().unwrap_or_default().to_owned()
    }
}

/// Status and headers, before the body.
pub(super) fn read_head(reader: &mut impl BufRead) -> std::io::Result<Response> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let status = lines.first().and_then(|line| line.split(' ').nth(1));
    let headers = lines.iter().skip(1).filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        Some((name.to_ascii_lowercase(), value.trim().to_owned()))
    });
    Ok(Response {
        status: status.and_then(|status| status.parse().ok()).unwrap_or(0),
        headers: headers.collect(),
        body: String::new(),
    })
}

/// A chunk of a body; `None` at its end.
pub(super) fn read_chunk(reader: &mut impl BufRead) -> std::io::Result<Option<Vec<u8>>> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let length = usize::from_str_radix(line.trim_end(), 16).map_err(|_| {
        // Also where the connection has ended: a body without its last chunk is cut off.
        std::io::Error::from(std::io::ErrorKind::UnexpectedEof)
    })?;
    let mut chunk = vec![0; length + 2];
    reader.read_exact(&mut chunk)?;
    chunk.truncate(length);
    Ok((length > 0).then_some(chunk))
}
