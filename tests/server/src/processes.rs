//! What the system knows about a backend. The server runs on this machine.

use postgres::Client;

/// The process of a connection.
pub fn process_of(client: &mut Client) -> i32 {
    client
        .query_one("SELECT pg_backend_pid()", &[])
        .expect("a process id")
        .get(0)
}

/// Private memory of the process, in kB; `None` when it is unknown.
pub fn private_kb(process: i32) -> Option<i64> {
    let file = format!("/proc/{process}/smaps_rollup");
    let text = std::fs::read_to_string(file).ok()?;
    let lines = text.lines().filter(|line| line.starts_with("Private_"));
    let numbers = lines.filter_map(|line| line.split_whitespace().nth(1)?.parse::<i64>().ok());
    Some(numbers.sum())
}

/// How many threads the process has.
pub fn threads(process: i32) -> usize {
    std::fs::read_dir(format!("/proc/{process}/task")).map_or(0, Iterator::count)
}
