//! A client that sends exactly what a test says, and says what came back. Clients of HTTP add, join and repair
//! headers, which tests of headers cannot use.

use std::io::{BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use super::people::{PASSWORD, basic};
use super::response::{Response, read_head};
use super::stream::EventStream;

/// Nothing of a server is silent for so long: streams have a heartbeat.
const PATIENCE: Duration = Duration::from_secs(60);

/// A request on a connection of its own.
#[derive(Clone)]
pub struct Request {
    address: SocketAddr,
    line: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Request {
    pub(super) fn new(address: SocketAddr, method: &str, path: &str) -> Self {
        Self {
            address,
            line: format!("{method} {path} HTTP/1.1"),
            headers: vec![("Host".to_owned(), address.to_string())],
            body: Vec::new(),
        }
    }

    /// With one more header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// With this header in place of what it was.
    #[must_use]
    pub fn instead(mut self, name: &str, value: &str) -> Self {
        self.headers
            .retain(|(other, _)| !other.eq_ignore_ascii_case(name));
        self.header(name, value)
    }

    /// With this body. `Content-Length` is added when it is sent.
    #[must_use]
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// As this role, with HTTP Basic.
    #[must_use]
    pub fn as_role(self, role: &str) -> Self {
        self.header("Authorization", &basic(role, PASSWORD))
    }

    /// With a bearer token.
    #[must_use]
    pub fn token(self, token: &str) -> Self {
        self.header("Authorization", &format!("Bearer {token}"))
    }

    /// With the cookie of a session, as a browser on the page sends it.
    #[must_use]
    pub fn in_session(self, cookie: &str) -> Self {
        self.header("Cookie", cookie)
            .header("Sec-Fetch-Site", "same-origin")
    }

    /// Sends it, and returns the connection before anything is read from it.
    pub fn begin(&self) -> TcpStream {
        self.try_begin().expect("a connection")
    }

    /// Sends it to a server that may be gone, and returns what came back.
    ///
    /// # Errors
    /// When there is no connection, or it ends before the answer does.
    pub fn try_send(&self) -> std::io::Result<Response> {
        Response::read(self.try_begin()?)
    }

    fn try_begin(&self) -> std::io::Result<TcpStream> {
        let mut stream = TcpStream::connect(self.address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        let mut head = format!("{}\r\n", self.line);
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let has_length = |(name, _): &(String, String)| {
            name.eq_ignore_ascii_case("Content-Length")
                || name.eq_ignore_ascii_case("Transfer-Encoding")
        };
        if !self.body.is_empty() && !self.headers.iter().any(has_length) {
            head.push_str(&format!("Content-Length: {}\r\n", self.body.len()));
        }
        head.push_str("Connection: close\r\n\r\n");
        // A server that refuses a large body closes before all of it is sent.
        let mut sent = stream.write_all(head.as_bytes());
        if sent.is_ok() {
            sent = stream.write_all(&self.body);
        }
        drop(sent);
        Ok(stream)
    }

    /// Sends it, and returns what came back.
    pub fn send(&self) -> Response {
        Response::read(self.begin()).unwrap_or_else(|error| panic!("{}: {error}", self.line))
    }

    /// Sends it, and returns the body of a stream of events before its first event.
    ///
    /// # Panics
    /// If the answer is no such stream.
    pub fn stream(self) -> EventStream {
        let line = self.line.clone();
        let request = self.header("Accept", "text/event-stream");
        let mut reader = BufReader::new(request.begin());
        let response = read_head(&mut reader).expect("an answer");
        assert_eq!(response.status, 200, "{line}: {}", response.headers_text());
        assert_eq!(response.header("content-type"), Some("text/event-stream"));
        EventStream::new(response, reader)
    }
}
