//! The program, as a shell starts it.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts the program and reads this many lines of its output.
fn start(arguments: &[&str], lines: usize) -> (Running, Vec<String>) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_model_double"))
        .args(arguments)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let out = BufReader::new(child.stdout.take().unwrap());
    let lines = out.lines().take(lines).map(Result::unwrap).collect();
    (Running(child), lines)
}

#[test]
fn serves_a_script_file_on_a_free_port() {
    let folder = std::env::temp_dir().join(format!("model_double_{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let script = folder.join("script.json");
    std::fs::write(&script, r#"[{"replies": ["SELECT 'from the file'"]}]"#).unwrap();

    let (_running, lines) = start(&["--port", "0", "--script", script.to_str().unwrap()], 1);
    let address = lines[0].strip_prefix("listening on http://").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "POST /ok/v1/chat/completions HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{{}}"
    )
    .unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    assert!(reply.contains("SELECT 'from the file'"), "{reply}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn leaves_its_authority_in_a_folder() {
    let folder = std::env::temp_dir().join(format!("model_double_tls_{}", std::process::id()));
    let (_running, lines) = start(&["--tls", folder.to_str().unwrap()], 2);
    let path = lines[0].strip_prefix("certificate authority in ").unwrap();
    assert!(
        std::fs::read_to_string(path)
            .unwrap()
            .contains("BEGIN CERTIFICATE")
    );
    assert!(lines[1].starts_with("listening on https://127.0.0.1:"));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn refuses_a_broken_script() {
    let status = Command::new(env!("CARGO_BIN_EXE_model_double"))
        .args(["--script", "/nowhere/script.json"])
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(!status.success());
}
