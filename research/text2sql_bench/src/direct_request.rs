//! The baseline's HTTP request: a kept connection that posts a body and reads the reply, with
//! nothing around it that could cost time.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::error::Fallible;

/// Longer than anything here takes; a hang must end.
const TIMEOUT: Duration = Duration::from_secs(10);

/// One connection to an endpoint on loopback.
pub(crate) struct DirectRequest {
    stream: TcpStream,
    head: String,
    message: Vec<u8>,
    reply: Vec<u8>,
}

impl DirectRequest {
    /// Connects; `path` is that of the model's own requests.
    pub(crate) fn connect(port: u16, path: &str) -> Fallible<Self> {
        let stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(TIMEOUT))?;
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\ncontent-type: application/json\r\n"
        );
        Ok(Self {
            stream,
            head,
            message: Vec::new(),
            reply: Vec::new(),
        })
    }

    /// Sends one more header with each request.
    pub(crate) fn add_header(&mut self, name: &str, value: &str) {
        self.head.push_str(&format!("{name}: {value}\r\n"));
    }

    /// Posts `body` and reads the whole reply; anything but 200 is an error.
    pub(crate) fn post(&mut self, body: &[u8]) -> Fallible<()> {
        self.message.clear();
        write!(
            self.message,
            "{}content-length: {}\r\n\r\n",
            self.head,
            body.len()
        )?;
        self.message.extend_from_slice(body);
        self.stream.write_all(&self.message)?;
        self.reply.clear();
        let mut piece = [0u8; 16 * 1024];
        loop {
            let read = self.stream.read(&mut piece)?;
            self.reply
                .extend_from_slice(piece.get(..read).unwrap_or_default());
            if is_complete(&self.reply)? {
                return Ok(());
            }
            if read == 0 {
                return Err("the model double closed the connection".into());
            }
        }
    }
}

/// Whether a good reply has arrived to its end.
fn is_complete(reply: &[u8]) -> Fallible<bool> {
    let Some(end) = reply.windows(4).position(|window| window == b"\r\n\r\n") else {
        return Ok(false);
    };
    let head = String::from_utf8_lossy(reply.get(..end).unwrap_or_default());
    if !head.starts_with("HTTP/1.1 200 ") {
        let status = head.lines().next().unwrap_or_default();
        return Err(format!("the model double answered \"{status}\"").into());
    }
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse::<usize>().ok())?
    });
    match length {
        Some(length) => Ok(reply.len() >= end + 4 + length),
        None => Err("the model double's reply has no content-length".into()),
    }
}

#[cfg(test)]
mod tests {
    use model_double::{ModelDouble, Script};

    use super::*;

    #[test]
    fn a_reply_is_complete_with_its_last_byte() {
        let reply = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc";
        assert!(is_complete(reply).unwrap());
        assert!(!is_complete(&reply[..reply.len() - 1]).unwrap());
        assert!(!is_complete(b"HTTP/1.1 200 OK\r\n").unwrap());
        assert!(is_complete(b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n").is_err());
    }

    #[test]
    fn requests_share_a_connection() {
        let double = ModelDouble::start(Script::new()).unwrap();
        let mut request = DirectRequest::connect(double.port(), "/ok/v1/chat/completions").unwrap();
        for _ in 0..3 {
            request.post(br#"{"model": "m", "messages": []}"#).unwrap();
        }
        assert_eq!(double.accepted_connections(), 1);
        assert_eq!(double.requests().len(), 3);
    }
}
